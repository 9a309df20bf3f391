/* SPDX-License-Identifier: Apache-2.0 */
/* Which scripts and packages look minified: real minified ones do, and their originals do not. */
#include "self_sums.h"

#include "gate/base/buf.h"
#include "gate/names/inspection.h"
#include "tests/unit/sweep.h"

static void look_at(struct gate_short_names *out, const char *fixture, struct gate_arena *arena) {
    struct gate_profile *profile = GATE_NEW_ARRAY(arena, struct gate_profile, 1);
    assert_true(gate_profile_load(profile, fixture_read(fixture, arena), NULL, arena, &err));
    if (!gate_short_names_look(out, profile, 0, arena, &err))
        fail_msg("%s: %s", fixture, err.message);
}

TEST(a_bundle_is_one_script) {
    struct gate_short_names names;
    look_at(&names, "producers/bundled/esbuild.cpuprofile", &arena);
    assert_int_equal(names.count, 1);
    assert_true(gate_str_ends(names.items[0].place, GATE_STR("dist/esbuild/shop.js")));
    assert_true(names.items[0].short_count >= 8 && names.items[0].short_count < names.items[0].functions);
    assert_true(names.items[0].share > 0.5 && names.items[0].share < 1.0);
}

TEST(a_shrunk_program_is_one_package_with_short_names) {
    static const char *const fixtures[] = {"producers/shrunk/shrunk.pb", "producers/shrunk/shrunk.collapsed"};
    for (int i = 0; i < 2; i++) {
        struct gate_short_names names;
        look_at(&names, fixtures[i], &arena);
        assert_int_equal(names.count, 1);
        assert_true(gate_str_equal(names.items[0].place, GATE_STR("com/acme/shop")));
        assert_true(names.items[0].short_count >= 4 && names.items[0].share > 0.05);
    }
}

TEST(names_in_source_code_are_not_short_names) {
    static const char *const fixtures[] = {"producers/bundled/source.cpuprofile",  "producers/shrunk/plain.pb",
                                           "producers/async-profiler/baseline.pb", "captures/fast-7.cpu.pb.gz",
                                           "producers/node-pprof/canary.pb.gz",    "producers/pprof-rs/baseline.pb"};
    for (size_t i = 0; i < sizeof fixtures / sizeof *fixtures; i++) {
        struct gate_short_names names;
        look_at(&names, fixtures[i], &arena);
        if (names.count != 0)
            fail_msg("%s: %.*s", fixtures[i], GATE_STR_ARG(names.items[0].place));
    }
}

/* Write a .cpuprofile of 100 samples: `each` in the functions a, b and c of a script, the others in twelve methods. */
static void bundle_write(struct gate_buf *out, int each) {
    enum { METHODS = 12, SHORT = 3, SAMPLES = 100 };
    gate_buf_printf(out, "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"url\":\"\"}}");
    for (int i = 0; i < METHODS + SHORT; i++) {
        gate_buf_printf(out, ",{\"id\":%d,\"parent\":1,\"callFrame\":{\"functionName\":\"", i + 2);
        if (i < SHORT)
            gate_buf_char(out, (char)('a' + i));
        else
            gate_buf_printf(out, "method%d", i);
        gate_buf_printf(out, "\",\"url\":\"/srv/shop.js\",\"lineNumber\":%d,\"columnNumber\":1}}", i);
    }
    gate_buf_printf(out, "],\"startTime\":0,\"endTime\":%d,\"samples\":[1", SAMPLES * 1000);
    for (int i = 0; i < SAMPLES; i++)
        gate_buf_printf(out, ",%d", 2 + (i < SHORT * each ? i / each : SHORT + i % METHODS));
    gate_buf_printf(out, "],\"timeDeltas\":[0");
    for (int i = 0; i < SAMPLES; i++)
        gate_buf_printf(out, ",%d", i == 0 ? 0 : 1000);
    gate_buf_printf(out, "]}");
}

/* Three of fifteen functions have short names, and 12% or 9% of the value. */
TEST(a_script_is_minified_if_a_tenth_of_the_value_has_short_names) {
    static const struct {
        int each;
        uint32_t scripts;
    } rows[] = {{4, 1}, {3, 0}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        AT_END(gate_buf_free) struct gate_buf text = {0};
        struct gate_profile *profile = GATE_NEW_ARRAY(&arena, struct gate_profile, 1);
        struct gate_short_names names;
        bundle_write(&text, rows[r].each);
        if (!gate_profile_load(profile, gate_buf_view(&text), NULL, &arena, &err))
            fail_msg("%s", err.message);
        assert_true(gate_short_names_look(&names, profile, 0, &arena, &err));
        if (names.count != rows[r].scripts)
            fail_msg("%d each: expected %u scripts, found %u", rows[r].each, rows[r].scripts, names.count);
    }
}

/* The shrunk program again, with another letter before the name of each class but Main. */
TEST(a_class_begins_with_a_letter_an_underscore_or_a_dollar) {
    static const struct {
        char first;
        uint32_t packages;
    } rows[] = {{'Z', 1}, {'_', 1}, {'$', 1}, {'1', 0}, {'{', 0}, {'@', 0}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        AT_END(gate_buf_free) struct gate_buf text = {0};
        struct gate_str before = GATE_STR("com/acme/shop/");
        struct gate_str plain = fixture_read("producers/shrunk/shrunk.collapsed", &arena);
        struct gate_profile *profile = GATE_NEW_ARRAY(&arena, struct gate_profile, 1);
        struct gate_short_names names;
        for (size_t i = 0; i < plain.len; i++) {
            bool is_class = gate_str_ends(gate_str_slice(plain, 0, i), before) && plain.ptr[i] != 'M';
            if (is_class)
                gate_buf_char(&text, rows[r].first);
            gate_buf_char(&text, plain.ptr[i]);
        }
        assert_true(gate_profile_load(profile, gate_buf_view(&text), NULL, &arena, &err));
        assert_true(gate_short_names_look(&names, profile, 0, &arena, &err));
        if (names.count != rows[r].packages)
            fail_msg("'%c': expected %u packages, found %u", rows[r].first, rows[r].packages, names.count);
    }
}

/* Packages of two, of three and of four classes with short names, in one of which a constructor ran. The one that costs
 * more is first. */
TEST(a_package_has_three_short_names) {
    struct gate_profile profile;
    struct gate_short_names names;
    struct gate_str text = GATE_STR("java/lang/Thread.run_[j];com/acme/two/a.a_[j];com/acme/two/b.a_[j] 4\n"
                                    "com/acme/four/a.a_[j];com/acme/four/b.a_[j];com/acme/four/c.a_[j] 3\n"
                                    "com/acme/four/d.a_[j] 0\n"
                                    "com/acme/three/a.a_[j];com/acme/three/b.a_[j];com/acme/three/c.<init>_[j] 4\n");
    if (!gate_profile_load(&profile, text, NULL, &arena, &err))
        fail_msg("%s", err.message);
    assert_true(gate_short_names_look(&names, &profile, 0, &arena, &err));
    assert_int_equal(names.count, 2);
    assert_int_equal(names.items[0].short_count, 3);
    assert_int_equal(names.items[1].short_count, 4);
}

/* Renaming leaves functions behind that no location names. */
TEST(functions_without_a_line_do_not_count) {
    struct gate_profile profile;
    struct gate_short_names names;
    struct gate_str text =
        GATE_STR("java/lang/Thread.run_[j];com/acme/a/a.a_[j];com/acme/a/b.a_[j];com/acme/a/c.a_[j] 4\n");
    assert_true(gate_profile_load(&profile, text, NULL, &arena, &err));
    struct gate_function *functions = GATE_NEW_ARRAY(&arena, struct gate_function, profile.function_count + 1);
    assert_non_null(functions);
    memcpy(functions, profile.functions, profile.function_count * sizeof *functions);
    functions[profile.function_count++].name = GATE_STR("com/acme/a/d.a");
    profile.functions = functions;
    assert_true(gate_short_names_look(&names, &profile, 0, &arena, &err));
    assert_int_equal(names.count, 1);
    assert_int_equal(names.items[0].functions, 3);
}

TEST(every_memory_limit_is_an_error) {
    struct gate_profile profile;
    struct gate_short_names names;
    struct gate_str text = GATE_STR("java/lang/Thread.run_[j];com/acme/a/a.a_[j] 4\n"
                                    "com/acme/a/b.a_[j];com/acme/a/c.a_[j] 3\n");
    assert_true(gate_profile_load(&profile, text, NULL, &arena, &err));
    for (struct sweep s = {0}; sweep_next(&s, 16);)
        s.done = gate_short_names_look(&names, &profile, 0, &s.arena, &s.err);
    assert_int_equal(names.count, 1);
}

/* A sample that is damaged after loading, as if memory ran out while it is read. */
TEST(an_unreadable_sample_is_an_error) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    struct gate_profile profile;
    struct gate_mapping_names mappings;
    struct gate_short_names shorts;
    struct gate_inspection inspection;
    put_types(&bytes);
    size_t from = bytes.len;
    put_sample(&bytes, 2, 1, 3, 30);
    size_t to = bytes.len;
    put_tables(&bytes);
    expect_load(&profile, &bytes, &arena);
    memset(bytes.ptr + from + 2, 0xFF, to - from - 2);
    assert_false(gate_mapping_names_look(&mappings, &profile, 0, &arena, &err));
    assert_int_equal(err.code, GATE_ERR_FORMAT);
    err = (struct gate_error){0};
    assert_false(gate_short_names_look(&shorts, &profile, 0, &arena, &err));
    assert_int_equal(err.code, GATE_ERR_FORMAT);
    err = (struct gate_error){0};
    assert_false(gate_profile_inspect(&inspection, &profile, NULL, &arena, &err));
    assert_int_equal(err.code, GATE_ERR_FORMAT);
}
