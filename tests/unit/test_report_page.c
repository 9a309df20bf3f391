/* SPDX-License-Identifier: Apache-2.0 */
/* The data in the HTML page: it contains the gate's constants and words, and the script does not repeat them. */
#include "gate/base/embedded.h"
#include "gate/base/hash.h"
#include "gate/compare/evidence.h"
#include "gate/report/flame_graph.h"
#include "gate/report/listing.h"
#include "gate/report/report.h"
#include "tests/unit/unit.h"
#include "tests/unit/verdict_fixture.h"

#include <jansson.h>

/* Return the JSON block of the page. */
static json_t *page_data(struct fixture *f) {
    struct gate_buf out = {0};
    json_error_t error;
    struct gate_report_options options = {.min_share = 0.001};
    assert_true(gate_report_html.write(&out, &f->verdict, &options, &f->arena, &err));
    struct gate_str text = gate_buf_view(&out);
    const struct gate_str open = GATE_STR("id=\"report-data\">");
    size_t from = gate_str_find(text, open, 0) + open.len;
    size_t end = gate_str_find(text, GATE_STR("</script>"), from);
    json_t *data = json_loadb(text.ptr + from, end - from, JSON_REJECT_DUPLICATES, &error);
    assert_non_null(data);
    gate_buf_free(&out);
    return data;
}

static double number_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static const char *word_of(const json_t *data, const char *key, size_t at) {
    return json_string_value(json_array_get(json_object_get(data, key), at));
}

TEST(constants_of_the_script_come_from_the_program) {
    static const struct {
        enum gate_counts_kind kind;
        double rho;
    } rows[] = {{GATE_COUNTS_COLUMN, GATE_ASSUMED_RHO}, {GATE_COUNTS_HEAP, GATE_ASSUMED_RHO_HEAP}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SERVICE(f);
        f.comparison.pair.sides[GATE_BASELINE].runs[0].counts.kind = rows[i].kind;
        json_t *data = page_data(&f);
        assert_true(number_of(data, "minCounts") == GATE_MIN_COUNTS);
        assert_true(number_of(data, "steps") == GATE_LAYOUT_STEPS);
        const json_t *comparison = json_array_get(json_object_get(data, "comparisons"), 0);
        assert_true(number_of(comparison, "assumedRho") == rows[i].rho);
        assert_true(gate_evidence_assumed_rho(&f.comparison.pair, GATE_SELF, false) == rows[i].rho);
        json_decref(data);
    }
}

/* Each comparison has its own numbers of runs, and may have a noise model and weights of its own. */
TEST(each_comparison_has_its_own_runs_and_model) {
    AT_END(gate_buf_free) struct gate_buf out = {0};
    const struct gate_report_options options = {.min_share = 0.001};
    const struct gate_noise noise = {.run_count = 7};
    SERVICE(f);
    struct gate_comparison both[] = {f.comparison, f.comparison};
    struct gate_run runs[GATE_SIDES][2];
    for (int i = 0; i < GATE_SIDES; i++) { /* the second run of one side only */
        runs[i][0] = runs[i][1] = f.runs[i];
        both[i].pair.sides[i].runs = runs[i];
        both[i].pair.sides[i].run_count = 2;
    }
    both[1].noise = &noise;
    both[1].pair.mix_key = GATE_STR("end<point");
    f.verdict.comparisons = both;
    f.verdict.comparison_count = 2;
    assert_true(gate_report_html.write(&out, &f.verdict, &options, &f.arena, &err));
    assert_true(
        gate_str_find(gate_buf_view(&out),
                      GATE_STR("; with a noise model of 7 runs; every run weighed as the baseline's traffic, by "
                               "<code>end&lt;point</code></dd>"),
                      0) != SIZE_MAX);
    assert_true(gate_str_find(gate_buf_view(&out), GATE_STR(": 2 baseline and 1 canary run, "), 0) != SIZE_MAX);
    assert_true(gate_str_find(gate_buf_view(&out), GATE_STR(": 1 baseline and 2 canary runs, "), 0) != SIZE_MAX);
}

TEST(words_of_the_script_come_from_the_program) {
    SERVICE(f);
    json_t *data = page_data(&f);
    assert_int_equal(json_array_size(json_object_get(data, "measures")), GATE_MEASURES);
    for (int i = 0; i < GATE_MEASURES; i++) {
        const json_t *frames = json_object_get(json_array_get(json_object_get(data, "comparisons"), 0), "frames");
        assert_string_equal(word_of(data, "measures", (size_t)i), gate_measure_name(gate_listing_measures[i]));
        assert_non_null(json_object_get(frames, gate_measure_name((enum gate_measure)i)));
    }
    for (int i = 0; i < GATE_FRAME_STATES; i++)
        assert_string_equal(word_of(data, "states", (size_t)i), gate_frame_state_name((enum gate_frame_state)i));
    for (int i = 0; i < GATE_LAYOUT_CHANGE_KINDS; i++)
        assert_string_equal(word_of(data, "changes", (size_t)i),
                            gate_layout_change_name((enum gate_layout_change_kind)i));
    json_decref(data);
}

TEST(the_script_has_no_copy_of_constants_and_words) {
    static const char *const copies[] = {"0.002",        "0.003",           "1.96",     "STEPS = 5", "\"within noise\"",
                                         "\"vanished\"", "\"significant\"", "[\"self\""};
    struct gate_str script = gate_embedded_find("page-script");
    assert_true(script.len > 0);
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        if (gate_str_find(script, gate_str_from(copies[i]), 0) != SIZE_MAX)
            fail_msg("the script holds %s, which comes with the data", copies[i]);
}

/* The page's policy names its style and script by these digests, and browsers check them. */
TEST(embedded_digests_match_style_and_script) {
    static const char *const parts[][2] = {{"page-style", "page-style.sha256"}, {"page-script", "page-script.sha256"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        uint8_t digest[GATE_SHA256_BYTES];
        struct gate_str carried = gate_embedded_find(parts[i][1]);
        gate_sha256(digest, gate_embedded_find(parts[i][0]));
        assert_int_equal(carried.len, sizeof digest);
        assert_memory_equal(carried.ptr, digest, sizeof digest);
    }
}

static int64_t integer_at(const json_t *array, size_t at) {
    return json_integer_value(json_array_get(array, at));
}

/* The data has three call trees. Each cause has its node in the tree by caller and in the tree by owner. */
TEST(causes_have_their_nodes) {
    SERVICE(f);
    json_t *data = page_data(&f);
    const json_t *comparison = json_array_get(json_object_get(data, "comparisons"), 0);
    const json_t *trees = json_object_get(comparison, "trees"), *causes = json_object_get(comparison, "causes");
    const json_t *names = json_object_get(json_object_get(comparison, "frames"), "name");
    assert_int_equal(json_array_size(trees), GATE_VIEWS);
    assert_int_equal(json_array_size(causes), 1);
    const json_t *cause = json_array_get(causes, 0);
    assert_int_equal(integer_at(cause, 0), 0);
    assert_string_equal(json_string_value(json_array_get(names, (size_t)integer_at(cause, 1))),
                        "github.com/acme/shop/api.(*Server).Orders");
    assert_true(json_is_true(json_array_get(cause, 4)));
    static const size_t views[] = {GATE_BY_CALLER, GATE_BY_OWNER};
    for (size_t v = 0; v < 2; v++) {
        const json_t *tree = json_array_get(trees, views[v]);
        size_t node = (size_t)integer_at(cause, 2 + v);
        assert_int_equal(integer_at(json_object_get(tree, "frame"), node), integer_at(cause, 1));
        bool is_significant = false;
        for (size_t i = 0; i < json_array_size(json_object_get(tree, "significant")); i++)
            is_significant = is_significant || (size_t)integer_at(json_object_get(tree, "significant"), i) == node;
        assert_true(is_significant); /* a failing cause is never grey */
    }
    json_decref(data);
}

/* A function with the minimum share of cumulative cost on one side is in the table, although none of its boxes is that
 * large. The total is 4000 samples per side, so that 0.001 of it is 4. */
TEST(a_function_of_the_minimum_share_is_listed) {
    for (int side = 0; side < GATE_SIDES; side++) {
        const int64_t in[GATE_SIDES] = {side == GATE_BASELINE ? 2 : 1, side == GATE_BASELINE ? 1 : 2};
        FIXTURE(f);
        fixture_stack(&f, "main;one", 1990, 1990);
        fixture_stack(&f, "main;two", 2002, 2002);
        fixture_stack(&f, "main;one;exact;e", in[0], in[1]);
        fixture_stack(&f, "main;two;exact;t", in[0], in[1]);
        fixture_stack(&f, "main;one;below;b", 2, 2);
        fixture_stack(&f, "main;two;below;w", 1, 1);
        fixture_stack(&f, "main;one;filler", 5 - 2 * in[0], 5 - 2 * in[1]);
        fixture_seal(&f);
        json_t *data = page_data(&f);
        const json_t *frames = json_object_get(json_array_get(json_object_get(data, "comparisons"), 0), "frames");
        const json_t *names = json_object_get(frames, "name");
        bool is_listed = false;
        for (size_t i = 0; i < json_array_size(names); i++) {
            const char *name = json_string_value(json_array_get(names, i));
            is_listed = is_listed || strcmp(name, "exact") == 0;
            assert_string_not_equal(name, "below");
        }
        assert_true(is_listed);
        json_decref(data);
    }
}

/* What has a larger share for that reason alone is folded away; a cause of another reason is open. */
TEST(larger_shares_because_others_shrank_are_folded) {
    static const enum gate_reason reasons[] = {GATE_REASON_OTHERS_SHRANK, GATE_REASON_SEVERITY_WARN};
    for (size_t i = 0; i < 2; i++) {
        AT_END(gate_buf_free) struct gate_buf out = {0};
        const struct gate_report_options options = {.min_share = 0.001};
        FIXTURE(f);
        fixture_stack(&f, "main.handle;main.text", 100, 300);
        fixture_stack(&f, "main.handle", 900, 700);
        fixture_seal(&f);
        fixture_budget(&f, "no function takes over", GATE_OUTCOME_WARN, "main.text", GATE_CHARGED);
        f.results[0].findings[0].reason = reasons[i];
        fixture_causes(&f);
        assert_true(gate_report_html.write(&out, &f.verdict, &options, &f.arena, &err));
        struct gate_str text = gate_buf_view(&out);
        bool is_folded = i == 0;
        assert_int_equal(gate_str_find(text, GATE_STR("<summary>1 larger share because others shrank"), 0) != SIZE_MAX,
                         is_folded);
        assert_int_equal(gate_str_find(text, GATE_STR("data-comparison=\"0\" open>"), 0) == SIZE_MAX, is_folded);
    }
}
