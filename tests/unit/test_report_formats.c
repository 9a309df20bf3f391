/* SPDX-License-Identifier: Apache-2.0 */
/* JSON, JUnit, SVG and HTML reports of a made-up verdict: they have what readers look for, and names are escaped. */
#include "gate/report/report.h"
#include "tests/unit/unit.h"
#include "tests/unit/verdict_fixture.h"

#include <jansson.h>

typedef bool (*report_fn)(struct gate_buf *, const struct gate_verdict *, const struct gate_report_options *,
                          struct gate_arena *, struct gate_error *);

static struct gate_buf render(struct fixture *f, report_fn write, const struct gate_report_options *options) {
    struct gate_buf out = {0};
    assert_true(write(&out, &f->verdict, options, &f->arena, &err));
    return out;
}

static bool holds(const struct gate_buf *buf, const char *needle) {
    return gate_str_find(gate_buf_view(buf), gate_str_from(needle), 0) != SIZE_MAX;
}

static size_t occurrences(const struct gate_buf *buf, const char *needle) {
    size_t count = 0;
    for (size_t at = 0; (at = gate_str_find(gate_buf_view(buf), gate_str_from(needle), at)) != SIZE_MAX; at++)
        count++;
    return count;
}

TEST(json_has_the_promised_keys) {
    SERVICE(f);
    AT_END(gate_buf_free)
    struct gate_buf out = render(&f, gate_report_json.write, &(struct gate_report_options){.frame_limit = 5});
    json_error_t error;
    json_t *root = json_loadb(out.ptr, out.len, JSON_REJECT_DUPLICATES, &error);
    assert_non_null(root);
    const char *verdict = NULL, *type = NULL, *unit = NULL, *function = NULL, *measure = NULL, *outcome = NULL;
    const char *mover = NULL;
    double delta = 0, low = 0, high = 0, z = 0, p = 0, share = 0;
    json_int_t schema = 0, total = 0, duration = 0;
    assert_int_equal(0,
                     json_unpack_ex(root, &error, 0, "{s:I, s:s, s:{s:s, s:s}, s:{s:[{s:s, s:I, s:I, s:I}], s:F, s:I}}",
                                    "schema_version", &schema, "verdict", &verdict, "sample_type", "type", &type,
                                    "unit", &unit, "baseline", "runs", "path", &mover, "samples", &schema, "total",
                                    &total, "duration_ns", &duration, "samples_effective", &z, "total", &total));
    assert_string_equal(verdict, "fail");
    assert_string_equal(type, "cpu");
    assert_string_equal(unit, "nanoseconds");
    assert_int_equal(total, INT64_C(18320000000));
    assert_int_equal(duration, INT64_C(30000000000));
    json_t *finding =
        json_array_get(json_object_get(json_array_get(json_object_get(root, "budgets"), 1), "findings"), 0);
    assert_int_equal(0, json_unpack_ex(finding, &error, 0, "{s:s, s:s, s:s, s:F, s:F, s:[F, F], s:F, s:F, s:F, s:s}",
                                       "function", &function, "measure", &measure, "outcome", &outcome,
                                       "baseline_share", &share, "delta_pp", &delta, "ci95_pp", &low, &high, "z", &z,
                                       "p", &p, "detectable_pp", &share, "reason", &mover));
    assert_string_equal(function, "encoding/json.Marshal");
    assert_string_equal(measure, "self");
    assert_true(delta > 5.8 && delta < 5.81 && low < delta && delta < high);
    json_t *frames = json_object_get(root, "frames");
    assert_int_equal(json_array_size(frames), 5);
    assert_int_equal(0, json_unpack_ex(json_array_get(frames, 0), &error, 0, "{s:s, s:{s:{s:I, s:F}, s:F}, s:{s:F}}",
                                       "function", &mover, "self", "baseline", "value", &total, "share", &share,
                                       "delta_pp", &delta, "cumulative", "delta_pp", &z));
    assert_string_equal(mover, "github.com/acme/shop/internal/cache.(*LRU).Get");
    assert_true(delta < 0 && total == INT64_C(1600000000));
    assert_int_equal(json_array_size(json_object_get(root, "warnings")), 1);
    json_decref(root);
}

TEST(json_contains_the_causes) {
    SERVICE(f);
    AT_END(gate_buf_free)
    struct gate_buf out = render(&f, gate_report_json.write, &(struct gate_report_options){.frame_limit = 5});
    json_error_t error;
    json_t *root = json_loadb(out.ptr, out.len, JSON_REJECT_DUPLICATES, &error);
    assert_non_null(root);
    json_t *causes = json_object_get(root, "causes"), *cause = json_array_get(causes, 0);
    assert_int_equal(json_array_size(causes), 1);
    const char *function = NULL, *file = NULL, *outcome = NULL, *measure = NULL, *language = NULL, *code = NULL;
    double delta = 0, explains = 0, own = 0;
    int is_own = 0;
    assert_int_equal(0, json_unpack_ex(cause, &error, 0, "{s:s, s:s, s:b, s:s, s:s, s:F, s:F, s:n}", "function",
                                       &function, "file", &file, "is_own", &is_own, "outcome", &outcome, "measure",
                                       &measure, "delta_pp", &delta, "explains", &explains, "cost_ratio"));
    assert_string_equal(function, "github.com/acme/shop/api.(*Server).Orders");
    assert_string_equal(file, "src/service.go");
    assert_string_equal(outcome, "fail");
    assert_string_equal(measure, "charged");
    assert_true(is_own && delta > 9.0 && delta < 9.1 && explains > 0.5 && explains < 0.6);
    assert_int_equal(json_array_size(json_object_get(cause, "path")), 2);
    assert_int_equal(json_array_size(json_object_get(cause, "budgets")), 3);
    assert_int_equal(json_array_size(json_object_get(cause, "findings")), 3);
    assert_int_equal(0, json_unpack_ex(root, &error, 0, "{s:s, s:{s:F}, s:[{s:s, s:b}]}", "language", &language,
                                       "own_share", "baseline", &own, "frames", "code", &code, "is_own", &is_own));
    assert_string_equal(language, "Go");
    assert_string_equal(code, "own");
    assert_true(is_own && own > 0.54 && own < 0.55);
    json_decref(root);
}

/* With nothing over a limit, the key is present and its list is empty. */
TEST(json_without_causes_has_an_empty_list) {
    FIXTURE(f);
    fixture_stack(&f, "main;a", 100, 104);
    fixture_seal(&f);
    fixture_budget(&f, "b", GATE_OUTCOME_PASS, NULL, GATE_SELF);
    fixture_causes(&f);
    AT_END(gate_buf_free) struct gate_buf out = render(&f, gate_report_json.write, &(struct gate_report_options){0});
    assert_true(holds(&out, "\"causes\": [],"));
    gate_buf_free(&out);
    out = render(&f, gate_report_html.write, &(struct gate_report_options){.min_share = 0.001});
    assert_true(holds(&out, "nothing to act on"));
    assert_false(holds(&out, "<details class=\"cause"));
    gate_buf_free(&out);
    f.verdict.outcome = GATE_OUTCOME_INCONCLUSIVE; /* by a guard */
    out = render(&f, gate_report_html.write, &(struct gate_report_options){.min_share = 0.001});
    assert_true(holds(&out, "a warning below forbids a pass"));
    assert_false(holds(&out, "nothing to act on"));
}

/* Growth that three budgets find is one cause. Each report lists it once, under the same name. */
TEST(every_report_names_one_cause) {
    static const struct {
        const struct gate_report_format *report;
        const char *mark;
        size_t count;
    } rows[] = {
        {&gate_report_terminal, "api.(*Server).Orders: charged 7.8%", 1},
        {&gate_report_markdown, "api.(&#42;Server).Orders</code>: charged 7.8%", 1},
        {&gate_report_github, "api.(*Server).Orders: charged 7.8%", 1},
        {&gate_report_codequality, "\"fingerprint\"", 1},
        {&gate_report_sarif, "\"pprofgateCause/v1\"", 1},
        {&gate_report_html, "<details class=\"cause ", 1},
        /* message and body of the failing case, and one in each of two warning cases */
        {&gate_report_junit, "api.(*Server).Orders: charged 7.8%", 4},
    };
    SERVICE(f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_buf_free)
        struct gate_buf out =
            render(&f, rows[i].report->write, &(struct gate_report_options){.min_share = 0.001, .columns = 80});
        if (occurrences(&out, rows[i].mark) != rows[i].count)
            fail_msg("row %zu: %zu times", i, occurrences(&out, rows[i].mark));
        assert_true(gate_str_find(gate_buf_view(&out), gate_str_from("encoding/json.Marshal: "), 0) == SIZE_MAX);
    }
}

TEST(junit_strict_leaves_out_places) {
    SERVICE(f);
    struct gate_report_options options = {.junit_flavor = GATE_JUNIT_RICH};
    AT_END(gate_buf_free) struct gate_buf rich = render(&f, gate_report_junit.write, &options);
    options.junit_flavor = GATE_JUNIT_STRICT;
    AT_END(gate_buf_free) struct gate_buf strict = render(&f, gate_report_junit.write, &options);
    assert_true(holds(&rich, " file=\"src/service.go\" line=\""));
    assert_true(holds(&rich, "<property "));
    assert_false(holds(&strict, " file="));
    assert_false(holds(&strict, "<properties>"));
    assert_int_equal(
        occurrences(
            &strict,
            "<failure type=\"BudgetExceeded\" message=\"github.com/acme/shop/api.(*Server).Orders: charged 7.8%"),
        1);
    assert_int_equal(occurrences(&strict, "breaks &quot;no function takes over&quot; (limit +5 pp)"), 4);
    assert_int_equal(occurrences(&strict, "<testcase "), 4);
    assert_int_equal(occurrences(&strict, "<skipped"), 0);
}

TEST(junit_lists_undecided_findings_and_numbers_equal_names) {
    FIXTURE(f);
    fixture_stack(&f, "main;a", 100, 104);
    fixture_seal(&f);
    fixture_budget(&f, "twice", GATE_OUTCOME_INCONCLUSIVE, "a", GATE_SELF);
    fixture_budget(&f, "twice", GATE_OUTCOME_PASS, NULL, GATE_SELF);
    fixture_causes(&f);
    AT_END(gate_buf_free) struct gate_buf out = render(&f, gate_report_junit.write, &(struct gate_report_options){0});
    assert_int_equal(occurrences(&out, "<error type=\"Inconclusive\" message=\"inconclusive: a: self "), 1);
    assert_true(holds(&out, "name=\"twice\""));
    assert_true(holds(&out, "name=\"twice (2)\""));
    assert_true(holds(&out, "skipped=\"0\""));
    gate_buf_free(&out);
    f.rules.on_inconclusive = GATE_ON_INCONCLUSIVE_FAIL;
    f.verdict.outcome = GATE_OUTCOME_FAIL;
    out = render(&f, gate_report_junit.write, &(struct gate_report_options){0});
    assert_int_equal(occurrences(&out, "<failure type=\"Inconclusive\" message=\"inconclusive: a: self "), 1);
    assert_int_equal(occurrences(&out, " failures=\"1\""), 2);
    assert_true(holds(&out, "skipped=\"0\""));
}

/* Readers that know only failures and errors take a skipped case for a success. An undecided case is skipped only if
 * the rules or the option let it pass. */
TEST(an_outcome_other_than_pass_is_not_a_junit_success) {
    static const struct {
        enum gate_on_inconclusive rules;
        enum gate_junit_inconclusive option;
        const char *expected; /* element of the undecided case */
    } rows[] = {
        {GATE_ON_INCONCLUSIVE_INCONCLUSIVE, GATE_JUNIT_BY_RULES, "<error "},
        {GATE_ON_INCONCLUSIVE_INCONCLUSIVE, GATE_JUNIT_SKIPPED, "<skipped "},
        {GATE_ON_INCONCLUSIVE_INCONCLUSIVE, GATE_JUNIT_ERROR, "<error "},
        {GATE_ON_INCONCLUSIVE_PASS, GATE_JUNIT_BY_RULES, "<skipped "},
        {GATE_ON_INCONCLUSIVE_WARN, GATE_JUNIT_BY_RULES, "<skipped "},
        {GATE_ON_INCONCLUSIVE_PASS, GATE_JUNIT_ERROR, "<error "},
        {GATE_ON_INCONCLUSIVE_FAIL, GATE_JUNIT_SKIPPED, "<failure "},
    };
    static const enum gate_outcome verdicts[] = {
        [GATE_ON_INCONCLUSIVE_INCONCLUSIVE] = GATE_OUTCOME_INCONCLUSIVE,
        [GATE_ON_INCONCLUSIVE_PASS] = GATE_OUTCOME_PASS,
        [GATE_ON_INCONCLUSIVE_WARN] = GATE_OUTCOME_PASS,
        [GATE_ON_INCONCLUSIVE_FAIL] = GATE_OUTCOME_FAIL,
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FIXTURE(f);
        fixture_stack(&f, "main;a", 100, 104);
        fixture_seal(&f);
        fixture_budget(&f, "one", GATE_OUTCOME_INCONCLUSIVE, "a", GATE_SELF);
        fixture_causes(&f);
        f.rules.on_inconclusive = rows[i].rules;
        f.verdict.outcome = verdicts[rows[i].rules];
        AT_END(gate_buf_free)
        struct gate_buf out =
            render(&f, gate_report_junit.write, &(struct gate_report_options){.junit_inconclusive = rows[i].option});
        if (occurrences(&out, rows[i].expected) != 1 ||
            occurrences(&out, "=\"1\"") != (i == 1 || i == 3 || i == 4 ? 3 : 4))
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(gate_buf_view(&out)));
    }
}

/* A raised guard makes the run inconclusive, even if the rules let inconclusive budgets pass. */
TEST(a_raised_guard_is_not_a_junit_success) {
    FIXTURE(f);
    fixture_stack(&f, "main;a", 100, 104);
    fixture_seal(&f);
    f.rules.on_inconclusive = GATE_ON_INCONCLUSIVE_PASS;
    f.verdict.guard_raised = true;
    f.verdict.outcome = GATE_OUTCOME_INCONCLUSIVE;
    AT_END(gate_buf_free) struct gate_buf out = render(&f, gate_report_junit.write, &(struct gate_report_options){0});
    assert_int_equal(occurrences(&out, "<error type=\"NotComparable\" message=\"inconclusive: the sides"), 1);
}

TEST(svg_shows_both_sides_and_marks) {
    SERVICE(f);
    AT_END(gate_buf_free)
    struct gate_buf out = render(&f, gate_report_svg.write, &(struct gate_report_options){.min_share = 0.001});
    assert_true(holds(&out, "<title>github.com/acme/shop/internal/cache.(*LRU).Get&#10;baseline 8.7% ("));
    assert_true(holds(&out, "canary 0% ("));
    assert_true(holds(&out, " new\">"));
    assert_true(holds(&out, " gone\">"));
    assert_true(holds(&out, "unchanged or within noise"));
    assert_true(holds(&out, "functions below 0.1% on both sides are left out"));
}

/* The content security policy allows only the page's own style and script, by digest. The report is readable without
 * scripts. */
TEST(html_is_closed_and_reads_without_script) {
    SERVICE(f);
    AT_END(gate_buf_free)
    struct gate_buf out = render(&f, gate_report_html.write, &(struct gate_report_options){.min_share = 0.001});
    assert_true(holds(&out, "default-src 'none'"));
    assert_true(holds(&out, "style-src 'sha256-"));
    assert_false(holds(&out, "unsafe-inline"));
    assert_false(holds(&out, " onclick="));
    assert_false(holds(&out, " style=\""));
    assert_false(holds(&out, "http://fonts"));
    assert_true(holds(&out, "<h1><span class=\"verdict fail\">FAIL</span>"));
    assert_true(holds(&out, "<svg class=\"flame\""));
    assert_true(holds(&out, "<svg class=\"bar\""));
    assert_true(holds(&out, "pprofgate check base canary"));
}

TEST(markup_in_names_stays_text) {
    static const struct gate_report_format *const reports[] = {&gate_report_html, &gate_report_svg, &gate_report_junit};
    FIXTURE(f);
    fixture_stack(&f, "main;</script><script>alert(1)</script><img src=x onerror=\"y\">'&", 100, 900);
    fixture_stack(&f, "main;ctrl\001\033[31m\177", 900, 100);
    fixture_seal(&f);
    f.comparison.name = f.comparison.pair.type.type = f.comparison.pair.type.unit = GATE_STR("<img src=x>");
    fixture_budget(&f, "</title><b>", GATE_OUTCOME_FAIL,
                   "</script><script>alert(1)</script><img src=x onerror=\"y\">'&", GATE_SELF);
    fixture_causes(&f);
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        AT_END(gate_buf_free)
        struct gate_buf out = render(&f, reports[i]->write, &(struct gate_report_options){.min_share = 0.001});
        assert_false(holds(&out, "<script>alert"));
        assert_false(holds(&out, "<img"));
        assert_false(holds(&out, "</title><b>"));
        assert_false(holds(&out, "\033"));
        assert_false(holds(&out, "\001"));
    }
}

TEST(equal_verdicts_give_equal_bytes) {
    static const struct gate_report_format *const reports[] = {&gate_report_terminal, &gate_report_json,
                                                               &gate_report_junit, &gate_report_svg, &gate_report_html};
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        struct fixture a, b;
        fixture_service(&a);
        fixture_service(&b);
        struct gate_report_options options = {.min_share = 0.001, .columns = 80};
        struct gate_buf one = render(&a, reports[i]->write, &options);
        struct gate_buf two = render(&b, reports[i]->write, &options);
        assert_true(gate_str_equal(gate_buf_view(&one), gate_buf_view(&two)));
        gate_buf_free(&one);
        gate_buf_free(&two);
        gate_arena_free(&a.arena);
        gate_arena_free(&b.arena);
    }
}
