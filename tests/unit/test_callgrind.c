/* SPDX-License-Identifier: Apache-2.0 */
/* Callgrind's format: small files written here, and a real one (fixtures/producers/callgrind). The self costs of the
 * real one must equal those that callgrind_annotate prints. */
#include "foreign_fixture.h"
#include "gate/formats/text_line.h"
#include "gate/model/effective_samples.h"
#include "gate/model/location.h"

#define HEAD                                                                                                           \
    "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\ncmd: ./shop\npositions: line\nevents: Ir Dr\n\n"

static const char shop[] = HEAD "ob=(1) /usr/bin/shop\nfl=(1) shop.c\nfn=(1) main\n10 100 7\n+3 5\n"
                                "cob=(2) /usr/lib/libc.so.6\ncfi=(2) malloc.c\ncfn=(2) malloc\ncalls=3 0\n* 900 90\n"
                                "fi=(3) inline.h\n-2 1\nfe=(1)\nob=(2)\nfl=(2)\nfn=(2)\n0 900 90\n\ntotals: 1006 97\n";

TEST(self_costs_are_added_up) {
    expect_stacks(gate_str_from(shop), GATE_FORMAT_CALLGRIND, "", "main 106\nmalloc 900\n");
    expect_stacks(gate_str_from(shop), GATE_FORMAT_CALLGRIND, "Dr/count", "main 7\nmalloc 90\n");
    expect_stacks(GATE_STR("# callgrind format\nevents: Ir\npositions: instr line\nfn=f\n0x401000 12 5\n+4 * 6\n"
                           "fn=(below main)\n* * 1\njump=3 0x401000 12\n+4 +1\nfn=f\n* * 1\n"),
                  GATE_FORMAT_CALLGRIND, "Ir", "f 12\n(below main) 1\n");
}

TEST(callers_in_a_name_are_the_stack) {
    expect_stacks(
        GATE_STR(HEAD "fl=a.c\nfn=(1) walk'2'walk'main\n1 5\nfn=(2) walk'main\n1 3\nfn=(1)\n2 1\nfn=main\n1 2\n"),
        GATE_FORMAT_CALLGRIND, "Ir", "walk<walk<main 6\nwalk<main 3\nmain 2\n");
}

TEST(a_function_has_its_file_and_object) {
    struct gate_profile profile;
    assert_true(gate_profile_load(&profile, gate_str_from(shop), NULL, &arena, &err));
    assert_int_equal(profile.function_count, 2);
    assert_true(gate_str_equal(profile.functions[0].file, GATE_STR("shop.c")));
    assert_true(gate_str_equal(profile.functions[1].file, GATE_STR("malloc.c")));
    assert_int_equal(profile.mapping_count, 2);
    assert_true(
        gate_str_equal(profile.mappings[gate_location_at(&profile, 1).mapping].file, GATE_STR("/usr/lib/libc.so.6")));
    assert_true(gate_str_equal(profile.default_sample_type, GATE_STR("Ir")));
}

TEST(each_unit_is_an_event) {
    struct gate_profile profile;
    const int64_t values[2] = {900, 90};
    double events = 0, weight_sq = 0;
    assert_true(gate_profile_load(&profile, gate_str_from(shop), NULL, &arena, &err));
    struct gate_counts_model model = gate_counts_choose(&profile, 1, NULL);
    assert_int_equal(model.kind, GATE_COUNTS_EXACT);
    gate_counts_of(&model, values, &events, &weight_sq);
    assert_true(events == 90 && weight_sq == 90);
}

TEST(errors_name_the_line) {
    refused(HEAD "fn=(1)\n", "line 8: expected a name behind a number that none was given yet, found '(1)'");
    refused("# callgrind format\nfn=f\n1 2\n", "line 2: expected 'events:' before the first function");
    refused(HEAD "1 2\n", "line 8: expected 'fn=' before the first cost, found '1 2'");
    refused(HEAD "fn=f\n1 -2\n", "line 9: expected whole numbers of 0 or more");
    refused(HEAD "fn=f\n1 2 3 4\n", "line 9: expected no more costs than events");
    refused(HEAD "fn=f\n1 x\n", "line 9: expected whole numbers");
    refused(HEAD "fn=f\nsomething\n",
            "line 9: expected a cost, 'fn=…' or another line of callgrind's, found 'something'");
    refused(HEAD "events: Ir\n", "line 8: expected the same events in each part");
    refused("# callgrind format\nevents:\n", "line 2: expected names of events");
    refused(HEAD, "no line is a function");
    expect_error(GATE_STR(HEAD "fn=f\n1 9223372036854775807\n1 1\n"), NULL, GATE_ERR_OVERFLOW,
                 "line 10: the costs of a function do not fit in 64 bits");
}

TEST(limits_of_depth_samples_and_memory_are_applied) {
    struct gate_limits depth = {.depth = 1}, samples = {.samples = 1};
    expect_error(GATE_STR(HEAD "fn=f'g\n1 2\n"), &depth, GATE_ERR_LIMIT, "raise --max-depth");
    expect_error(gate_str_from(shop), &samples, GATE_ERR_LIMIT, "more than 1 functions; raise --max-samples");
    expect_clean_errors_within_memory(gate_str_from(shop));
}

/* Read the cost and the function of "26,560,835 (16.65%)  ./malloc/malloc.c:_int_free [/usr/lib/libc.so.6]". */
static bool annotated(struct gate_str line, int64_t *cost, struct gate_str *name) {
    int64_t part = 0;
    struct gate_str rest = line;
    for (*cost = 0; gate_text_number(&rest, &part); *cost = *cost * 1000 + part)
        if (!gate_text_mark(&rest, ','))
            break;
    *cost = *cost * 1000 + part;
    size_t at = gate_str_find(rest, GATE_STR("%)  "), 0);
    size_t colon = at == SIZE_MAX ? SIZE_MAX : gate_str_find(rest, GATE_STR(":"), at);
    if (colon == SIZE_MAX)
        return false;
    *name = gate_str_slice(rest, colon + 1, rest.len);
    size_t end = gate_str_find(*name, GATE_STR(" [/"), 0); /* the object file; "[clone .part.0]" is part of the name */
    end = end == SIZE_MAX ? gate_str_find(*name, GATE_STR(" [???"), 0) : end;
    *name = gate_str_slice(*name, 0, end == SIZE_MAX ? name->len : end);
    return true;
}

/* Return the sum of a function's lines. The tool prints one line per file whose code is inlined into the function. */
static int64_t annotated_of(struct gate_str text, struct gate_str function) {
    struct gate_str line, name;
    int64_t cost = 0, sum = 0;
    while (gate_text_line_next(&text, &line))
        sum += annotated(line, &cost, &name) && gate_str_equal(name, function) ? cost : 0;
    return sum;
}

TEST(self_costs_are_those_of_callgrind_annotate) {
    static const char folder[] = GATE_SOURCE_DIR "/fixtures/producers/callgrind/";
    char path[300];
    struct gate_str name, line;
    int64_t cost = 0;
    uint32_t lines = 0;
    snprintf(path, sizeof path, "%sself.out.gz", folder);
    const struct gate_str parts[] = {GATE_STR("\n"), sums_print(path, "Ir", &arena)};
    struct gate_str sums = gate_str_concat(&arena, parts, 2);
    snprintf(path, sizeof path, "%sself.annotated.txt", folder);
    struct gate_str text = read_fixture(path, &arena);
    for (struct gate_str rest = text; gate_text_line_next(&rest, &line);) {
        if (!annotated(line, &cost, &name))
            continue;
        struct gate_str wanted =
            gate_str_format(&arena, "\n%.*s %lld ", (int)name.len, name.ptr, (long long)annotated_of(text, name));
        if (gate_str_find(sums, wanted, 0) == SIZE_MAX)
            fail_msg("expected%.*s in\n%.*s", GATE_STR_ARG(wanted), GATE_STR_ARG(sums));
        lines++;
    }
    assert_true(lines > 15);
}

/* xdebug and stackprof leave the first line out. Their costs are times and samples, which were not counted exactly. */
TEST(other_producers_are_known_by_their_header) {
    struct gate_profile profile;
    static const char xdebug[] =
        "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.36)\ncmd: /a.php\npart: 1\npositions: line\n\n"
        "events: Time_(10ns) Memory_(bytes)\n\nfl=(1) php:internal\nfn=(1) php::strlen\n1 376 0\n\n"
        "fl=(2) /a.php\nfn=(2) leaf\n1 4238 8\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n1 376 0\n\n"
        "summary: 4614 8\n";
    expect_stacks(gate_str_from(xdebug), GATE_FORMAT_CALLGRIND, "", "php::strlen 376\nleaf 4238\n");
    assert_true(gate_profile_load(&profile, gate_str_from(xdebug), NULL, &arena, &err));
    assert_int_equal(gate_counts_choose(&profile, 0, NULL).kind, GATE_COUNTS_UNKNOWN);
    refused("creator: nobody\nfn=(1) f\n1 2\n", "text, not a profile");
}
