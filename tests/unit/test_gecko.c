/* SPDX-License-Identifier: Apache-2.0 */
/* The Firefox profiler's JSON. samply's files have the sums of `perf report` on the same data. Firefox's own file has
 * the sums counted in its sample table. Small files, written here, cover details. */
#include "self_sums.h"

#include "gate/model/effective_samples.h"
#include "gate/model/location.h"

/* In samply's file only the kernel's samples have names. Drop all lines, so that the sums are per library. */
static struct gate_str library_sums(const char *name, struct gate_arena *arena) {
    struct gate_profile profile;
    fixture_load(&profile, name, arena);
    struct gate_location *unnamed = GATE_NEW_ARRAY(arena, struct gate_location, profile.location_count);
    for (uint32_t i = 0; i < profile.location_count; i++) {
        unnamed[i] = gate_location_at(&profile, i);
        unnamed[i].line_count = 0;
    }
    profile.locations = unnamed;
    profile.location_places = NULL;
    return self_sums_print(&profile, 0, arena);
}

TEST(samples_are_those_of_perf_report) {
    static const char *const names[][2] = {
        {"producers/samply/baseline.json.gz", "producers/samply/baseline.report.txt"},
        {"producers/samply/canary.json.gz", "producers/samply/canary.report.txt"}};
    for (size_t i = 0; i < 2; i++) {
        expect_text(library_sums(names[i][0], &arena), report_sums(names[i][1], &arena));
    }
}

TEST(samplys_libraries_have_build_ids) {
    struct gate_profile profile;
    uint32_t known = 0;
    fixture_load(&profile, "producers/samply/baseline.json.gz", &arena);
    assert_int_equal(profile.format, GATE_FORMAT_GECKO);
    assert_true(profile.period == 5000000 && profile.duration_ns > 5000000000);
    for (uint32_t i = 0; i < profile.mapping_count; i++)
        known += profile.mappings[i].build_id.len == 40;
    assert_true(known >= 4);
}

/* The expected numbers were counted by another program: 91 samples, of which 86 used CPU time, and one function of the
 * page's script. */
TEST(firefoxs_own_format_is_read) {
    struct gate_profile profile;
    int64_t sums[3] = {0};
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    uint32_t scripts = 0, column = 0;
    fixture_load(&profile, "producers/firefox/content.gecko.json.gz", &arena);
    gate_sample_begin(&cursor, &profile);
    while (gate_sample_next(&cursor, &sample, &err))
        for (int i = 0; i < 3; i++)
            sums[i] += sample.values[i];
    gate_sample_end(&cursor);
    assert_int_equal(sums[0], 91);
    assert_int_equal(sums[1], 86);
    assert_int_equal(sums[2], 611675329);
    for (uint32_t i = 0; i < profile.function_count; i++) {
        if (!gate_str_equal(profile.functions[i].name, GATE_STR("roundPrice")))
            continue;
        scripts++;
        expect_text(gate_str_basename(profile.functions[i].file), GATE_STR("page.html"));
    }
    assert_int_equal(scripts, 1);
    assert_true(gate_sample_type_find(&column, &profile, GATE_STR(""), &err));
    expect_text(profile.sample_types[column].type, GATE_STR("cpu-time"));
    assert_int_equal(gate_counts_choose(&profile, column, NULL).count_column, 1);
}

#define META "{\"meta\":{\"version\":1,\"interval\":10},"

/* As CPython 3.15 writes it: all threads share the strings, files are given by name, and there is no CPU time. */
static const char shared[] =
    META "\"shared\":{\"stringArray\":[\"main\",\"leaf\",\"shop.py\"]},\"libs\":[],\"threads\":[{\"name\":\"T\","
         "\"samples\":{\"stack\":[1,1,0,null],\"time\":[1,2,3,4],\"weight\":null,\"weightType\":\"samples\"},"
         "\"stackTable\":{\"frame\":[0,1],\"prefix\":[null,0]},\"frameTable\":{\"func\":[0,1],\"line\":[3,9],"
         "\"address\":[-1,-1]},\"funcTable\":{\"name\":[0,1],\"fileName\":[2,2],\"resource\":[-1,-1]},"
         "\"resourceTable\":{\"lib\":[]}}]}";

static struct gate_str sums_of(const char *text, struct gate_arena *arena) {
    struct gate_profile profile;
    if (!gate_profile_load(&profile, gate_str_from(text), NULL, arena, &err))
        fail_msg("not read: %s", err.message);
    return self_sums_print(&profile, 0, arena);
}

TEST(strings_may_be_shared) {
    struct gate_profile profile;
    expect_text(sums_of(shared, &arena), GATE_STR("leaf 2\nmain 1\n"));
    assert_true(gate_profile_load(&profile, gate_str_from(shared), NULL, &arena, &err));
    assert_int_equal(profile.sample_type_count, 1);
    expect_text(profile.functions[0].file, GATE_STR("shop.py"));
}

#define RAW(strings, frames)                                                                                           \
    META "\"libs\":[{\"start\":4096,\"end\":8192,\"offset\":16,\"path\":\"/lib/x.so\"}],\"threads\":[{"                \
         "\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[1,1],[1,2]]},"                                   \
         "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0],[0,1]]},"                           \
         "\"frameTable\":{\"schema\":{\"location\":0},\"data\":" frames "},\"stringTable\":" strings "}]}"

TEST(locations_are_texts_or_addresses) {
    expect_text(sums_of(RAW("[\"(root)\",\"f (x)/< (http://h/a.js:12:3)[5]\"]", "[[0],[1]]"), &arena),
                GATE_STR("f (x)/< 2\n"));
    expect_text(sums_of(RAW("[\"(root)\",\"0x1010\"]", "[[0],[1]]"), &arena), GATE_STR("x.so 2\n"));
    expect_text(sums_of(RAW("[\"(root)\",\"Load (main)\"]", "[[0],[1]]"), &arena), GATE_STR("Load (main) 2\n"));
}

TEST(errors_name_the_mistake) {
    const struct gate_limits rows[] = {{.samples = 1}, {.depth = 1}};
    expect_error(gate_str_from(RAW("[\"(root)\"]", "[[0],[1]]")), NULL, GATE_ERR_FORMAT,
                 "stackTable.frame[1] refers to what is not there");
    expect_error(gate_str_from(RAW("[\"(root)\"]", "[[0]]")), NULL, GATE_ERR_FORMAT, "stackTable.frame[1]");
    expect_error(GATE_STR(META "\"threads\":[{\"stackTable\":{},\"samples\":{\"stack\":[7]}}]}"), NULL, GATE_ERR_FORMAT,
                 "samples.stack[0] refers to what is not there");
    expect_error(GATE_STR(META "\"threads\":[{\"stackTable\":{},\"samples\":{\"weightType\":\"bytes\"}}]}"), NULL,
                 GATE_ERR_FORMAT, "the weights of its samples are 'bytes'");
    expect_error(gate_str_from(shared), &rows[0], GATE_ERR_LIMIT, "--max-samples");
    expect_error(gate_str_from(shared), &rows[1], GATE_ERR_LIMIT, "--max-depth");
}
