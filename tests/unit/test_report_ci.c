/* SPDX-License-Identifier: Apache-2.0 */
/* Reports for CI systems at their size limits, and the call tree of the terminal report. */
#include "gate/report/github.h"
#include "gate/report/report.h"
#include "gate/report/terminal_tree.h"
#include "tests/unit/unit.h"
#include "tests/unit/verdict_fixture.h"

#include <signal.h>
#include <sys/resource.h>

typedef bool (*report_fn)(struct gate_buf *, const struct gate_verdict *, const struct gate_report_options *,
                          struct gate_arena *, struct gate_error *);

static struct gate_buf render(struct fixture *f, report_fn write, const struct gate_report_options *options) {
    struct gate_buf out = {0};
    assert_true(write(&out, &f->verdict, options, &f->arena, &err));
    return out;
}

static size_t occurrences(const struct gate_buf *buf, const char *needle) {
    size_t count = 0;
    for (size_t at = 0; (at = gate_str_find(gate_buf_view(buf), gate_str_from(needle), at)) != SIZE_MAX; at++)
        count++;
    return count;
}

/* `count` budgets with the same outcome, each with a finding on its own function. */
static void many_findings(struct fixture *f, uint32_t count, enum gate_outcome outcome) {
    fixture_init(f);
    char stack[64];
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(stack, sizeof stack, "main;worker%u", i);
        fixture_stack(f, stack, 100, 100 + (int64_t)i);
    }
    fixture_seal(f);
    fixture_budget(f, "workers", outcome, "worker0", GATE_SELF);
    struct gate_budget_result *results = GATE_NEW_ARRAY(&f->arena, struct gate_budget_result, count);
    struct gate_finding *all = GATE_NEW_ARRAY(&f->arena, struct gate_finding, count);
    for (uint32_t i = 0; i < count; i++) {
        all[i] = f->findings[0];
        all[i].frame = gate_table_find(&f->frames, gate_str_format(&f->arena, "worker%u", i));
        all[i].function = f->comparison.pair.frames[all[i].frame].name;
        all[i].text = gate_str_format(&f->arena, "worker%u: too much", i);
        results[i] = f->results[0];
        results[i].findings = &all[i];
    }
    f->verdict.budgets = results;
    f->verdict.budget_count = count;
    fixture_causes(f);
}

/* One undecided budget. Its first finding is over the limit; the others have too few samples. */
static void few_samples(struct fixture *f, uint32_t count) {
    many_findings(f, count, GATE_OUTCOME_INCONCLUSIVE);
    f->verdict.budgets[0].finding_count = count;
    for (uint32_t i = 1; i < count; i++)
        f->verdict.budgets[0].findings[i].reason = GATE_REASON_TOO_FEW_SAMPLES;
    f->verdict.budget_count = 1;
    fixture_causes(f);
}

TEST(findings_with_too_few_samples_are_only_counted) {
    AT_END(fixture_free) struct fixture f;
    few_samples(&f, 60);
    AT_END(gate_buf_free)
    struct gate_buf out = render(&f, gate_report_markdown.write, &(struct gate_report_options){0});
    assert_int_equal(occurrences(&out, "\n- \xE2\x9D\x94 "), 1);
    assert_int_equal(occurrences(&out, "- 59 more findings"), 1);
    gate_buf_free(&out);
    out = render(&f, gate_report_github.write, &(struct gate_report_options){0});
    assert_int_equal(occurrences(&out, "::warning "), 1);
    assert_int_equal(occurrences(&out, "::notice title=pprofgate::59 more findings"), 1);
    gate_buf_free(&out);
    out = render(&f, gate_report_codequality.write, &(struct gate_report_options){0});
    assert_int_equal(occurrences(&out, "fingerprint"), 1);
    gate_buf_free(&out);
    out = render(&f, gate_report_sarif.write, &(struct gate_report_options){0});
    assert_int_equal(occurrences(&out, "pprofgateCause/v1"), 1);
    gate_buf_free(&out);
    out = render(&f, gate_report_html.write, &(struct gate_report_options){.min_share = 0.001});
    assert_int_equal(occurrences(&out, "<summary>59 more findings</summary>"), 1);
    gate_buf_free(&out);
    out = render(&f, gate_report_json.write, &(struct gate_report_options){0});
    assert_int_equal(occurrences(&out, "\"samples_to_settle\""), 60);
}

/* A budget that is undecided without a cause has an annotation of its first finding. */
TEST(an_undecided_budget_is_annotated) {
    AT_END(fixture_free) struct fixture f;
    few_samples(&f, 3);
    f.verdict.budgets[0].findings[0].reason = GATE_REASON_TOO_FEW_SAMPLES;
    fixture_causes(&f);
    AT_END(gate_buf_free) struct gate_buf out = render(&f, gate_report_github.write, &(struct gate_report_options){0});
    assert_int_equal(occurrences(&out, "::warning title=pprofgate%3A workers"), 1);
    assert_int_equal(occurrences(&out, "::worker0: too much"), 1);
    assert_int_equal(occurrences(&out, "::notice title=pprofgate::2 more findings"), 1);
}

/* Of failing causes three have a paragraph (ten with --verbose), ten more a line, and the others are counted. */
TEST(the_terminal_counts_causes_that_it_does_not_list) {
    static const struct {
        uint32_t count;
        bool verbose;
        size_t named;
        const char *rest;
    } rows[] = {{3, false, 3, NULL},
                {13, false, 13, NULL},
                {14, false, 13, "\n  and 1 more; --json lists it\n"},
                {20, true, 20, NULL},
                {22, true, 20, "\n  and 2 more; --json lists them\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(fixture_free) struct fixture f;
        many_findings(&f, rows[i].count, GATE_OUTCOME_FAIL);
        AT_END(gate_buf_free)
        struct gate_buf out =
            render(&f, gate_report_terminal.write,
                   &(struct gate_report_options){.columns = 80, .frame_limit = 10, .verbose = rows[i].verbose});
        assert_int_equal(occurrences(&out, ": self "), rows[i].named);
        assert_int_equal(occurrences(&out, "more; --json lists"), rows[i].rest == NULL ? 0 : 1);
        if (rows[i].rest != NULL)
            assert_int_equal(occurrences(&out, rows[i].rest), 1);
    }
}

TEST(markdown_is_cut_at_its_limit_with_a_note) {
    AT_END(fixture_free) struct fixture f;
    many_findings(&f, 400, GATE_OUTCOME_FAIL);
    AT_END(gate_buf_free)
    struct gate_buf all = render(&f, gate_report_markdown.write, &(struct gate_report_options){0});
    assert_int_equal(occurrences(&all, "**Cut:**"), 0);
    assert_int_equal(occurrences(&all, "\n- \xE2\x9D\x8C "), 400);
    for (size_t limit = 2048; limit < 60000; limit = limit * 3 / 2) {
        AT_END(gate_buf_free)
        struct gate_buf out =
            render(&f, gate_report_markdown.write, &(struct gate_report_options){.byte_limit = limit});
        assert_true(out.len <= limit);
        assert_int_equal(occurrences(&out, "**Cut:**"), 1);
        assert_int_equal(occurrences(&out, "<details>"), occurrences(&out, "</details>"));
    }
}

TEST(markdown_appends_to_what_is_there) {
    AT_END(fixture_free) struct fixture f;
    many_findings(&f, 3, GATE_OUTCOME_FAIL);
    AT_END(gate_buf_free) struct gate_buf out = {0};
    gate_buf_repeat(&out, 'x', 5000);
    struct gate_report_options options = {.byte_limit = 4096};
    assert_true(gate_report_markdown.write(&out, &f.verdict, &options, &f.arena, &err));
    assert_int_equal(occurrences(&out, "**Cut:**"), 0);
}

/* The Markdown report states what was compared, links to the full report, and gives equal advice once. */
TEST(markdown_links_to_the_full_report) {
    AT_END(fixture_free) struct fixture f;
    many_findings(&f, 3, GATE_OUTCOME_FAIL);
    AT_END(gate_buf_free)
    struct gate_buf out = render(&f, gate_report_markdown.write, &(struct gate_report_options){0});
    assert_int_equal(occurrences(&out, "; 1 run per side, 300 and 303 effective samples\n"), 1);
    assert_int_equal(occurrences(&out, "]("), 0);
    assert_int_equal(occurrences(&out, "<details>"), 2);
    assert_int_equal(occurrences(&out, "  - next: "), 1);
    gate_buf_free(&out);
    struct gate_report_options options = {.report_url = GATE_STR("https://ci.example/report.html")};
    out = render(&f, gate_report_markdown.write, &options);
    assert_int_equal(occurrences(&out, "  \n[The report](<https://ci.example/report.html>)\n"), 1);
    gate_buf_free(&out);
    options.report_url_is_run = true;
    options.frame_limit = GATE_REPORT_NO_FRAMES;
    out = render(&f, gate_report_markdown.write, &options);
    assert_int_equal(occurrences(&out, "<details>"), 1);
    assert_int_equal(occurrences(&out, "  \n[The run and its reports](<https://ci.example/report.html>)\n"), 1);
}

static struct gate_frame *frame_named(struct fixture *f, const char *name) {
    uint32_t frame = gate_table_find(&f->frames, gate_str_from(name));
    assert_int_not_equal(frame, GATE_TABLE_NONE);
    return &f->comparison.pair.frames[frame];
}

/* Ten causes are in sight. The others, and the points of all, are in a fold. */
TEST(markdown_folds_all_but_a_line_per_cause) {
    AT_END(fixture_free) struct fixture f;
    many_findings(&f, 13, GATE_OUTCOME_FAIL);
    AT_END(gate_buf_free)
    struct gate_buf out = render(&f, gate_report_markdown.write, &(struct gate_report_options){0});
    size_t fold = gate_str_find(gate_buf_view(&out), GATE_STR("<details>"), 0);
    assert_int_not_equal(fold, SIZE_MAX);
    struct gate_buf sight = {.ptr = out.ptr, .len = fold}, rest = {.ptr = out.ptr + fold, .len = out.len - fold};
    assert_int_equal(occurrences(&sight, "\n- \xE2\x9D\x8C "), 10);
    assert_int_equal(occurrences(&sight, "\n- 3 more causes below\n"), 1);
    assert_int_equal(occurrences(&sight, "\n  - "), 0);
    assert_int_equal(occurrences(&rest, "\n- \xE2\x9D\x8C "), 3);
    assert_int_equal(occurrences(&rest, "\n- <code>worker"), 10);
    assert_int_equal(occurrences(&rest, "  - breaks "), 13);
}

/* The place of a cause is a link if the address of sources is known. A name in it cannot end the link. */
TEST(markdown_links_a_cause_to_its_line) {
    SERVICE(f);
    struct gate_report_options options = {0};
    frame_named(&f, "github.com/acme/shop/api.(*Server).Orders")->file = GATE_STR("api/a_b>(c).go");
    frame_named(&f, "github.com/acme/shop/api.(*Server).Orders")->start_line = 8;
    AT_END(gate_buf_free) struct gate_buf out = render(&f, gate_report_markdown.write, &options);
    assert_int_equal(occurrences(&out, ", in <code>api/a&#95;b&#62;(c).go:8</code>\n"), 1);
    assert_int_equal(occurrences(&out, "]("), 0);
    gate_buf_free(&out);
    options.markdown_source_url = "https://git.example/blob/abc/{path}#L{line}";
    out = render(&f, gate_report_markdown.write, &options);
    assert_int_equal(occurrences(&out, "</code>](<https://git.example/blob/abc/api/a_b%3E%28c%29.go#L8>)\n"), 1);
    gate_buf_free(&out);
    frame_named(&f, "github.com/acme/shop/api.(*Server).Orders")->file = GATE_STR("/usr/src/x.go");
    out = render(&f, gate_report_markdown.write, &options);
    assert_int_equal(occurrences(&out, ", in "), 0);
}

TEST(github_shows_ten_of_a_kind) {
    static const struct {
        enum gate_outcome outcome;
        const char *level;
        uint32_t findings, shown, notices, warnings; /* of `findings`, the last `warnings` only warn */
        const char *accepted;
    } rows[] = {{GATE_OUTCOME_FAIL, "::error title=", 25, 10, 1, 0, ""},
                {GATE_OUTCOME_INCONCLUSIVE, "::warning title=", 10, 10, 0, 0, ""},
                {GATE_OUTCOME_WARN, "::warning title=", 11, 10, 1, 0, ""},
                {GATE_OUTCOME_FAIL, "::error title=", 16, 8, 0, 8, ""},
                {GATE_OUTCOME_FAIL, "::warning title=", 16, 8, 0, 8, ""},
                {GATE_OUTCOME_FAIL, "::warning title=", 16, 10, 1, 8, "4f0d6c0b"}}; /* accepted fails are warnings */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(fixture_free) struct fixture f;
        many_findings(&f, rows[i].findings, rows[i].outcome);
        for (uint32_t w = rows[i].findings - rows[i].warnings; w < rows[i].findings; w++)
            f.verdict.budgets[w].findings[0].outcome = f.verdict.budgets[w].outcome = GATE_OUTCOME_WARN;
        fixture_causes(&f);
        f.verdict.accepted.commit = gate_str_from(rows[i].accepted);
        AT_END(gate_buf_free)
        struct gate_buf out = render(&f, gate_report_github.write, &(struct gate_report_options){0});
        assert_int_equal(occurrences(&out, rows[i].level), rows[i].shown);
        assert_int_equal(occurrences(&out, "::notice"), rows[i].notices);
    }
}

TEST(github_puts_the_worst_first) {
    SERVICE(f);
    AT_END(gate_buf_free) struct gate_buf out = render(&f, gate_report_github.write, &(struct gate_report_options){0});
    assert_true(gate_str_starts(gate_buf_view(&out), GATE_STR("::error title=pprofgate%3A no function takes over,"
                                                              "file=src/service.go,line=")));
    assert_int_equal(occurrences(&out, "\n"), 1); /* the warnings are about the same growth */
    assert_int_equal(
        occurrences(&out,
                    "; over the limit (warning only): \"encoding stays cheap\" (encoding/json.Marshal self +5.8 pp)"),
        1);
}

TEST(absolute_paths_place_no_annotation) {
    static const char *const paths[] = {"/usr/lib/go/src/encoding/json/encode.go", "../../etc/passwd", ""};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        SERVICE(f);
        for (uint32_t frame = 0; frame < f.comparison.pair.frame_count; frame++)
            f.comparison.pair.frames[frame].file = gate_str_from(paths[i]);
        AT_END(gate_buf_free)
        struct gate_buf out = render(&f, gate_report_github.write, &(struct gate_report_options){0});
        assert_int_equal(occurrences(&out, "file="), 0);
        gate_buf_free(&out);
        out = render(&f, gate_report_codequality.write, &(struct gate_report_options){0});
        assert_int_equal(occurrences(&out, "\"path\": \".pprofgate.yml\", \"lines\": {\"begin\": 1}"), 1);
        gate_buf_free(&out);
        out = render(&f, gate_report_sarif.write, &(struct gate_report_options){0});
        assert_int_equal(occurrences(&out, "\"uri\": \".pprofgate.yml\""), 1);
    }
}

/* The cause's function is in a module outside of the checkout, and a caller of it is inside. */
TEST(the_nearest_caller_in_the_checkout_is_marked) {
    static const struct {
        const struct gate_report_format *report;
        const char *place;
    } rows[] = {{&gate_report_codequality, "\"path\": \"cmd/a b.go\", \"lines\": {\"begin\": 7}"},
                {&gate_report_sarif, "{\"uri\": \"cmd/a%20b.go\", \"uriBaseId\": \"%SRCROOT%\"}, "
                                     "\"region\": {\"startLine\": 7}"}};
    FIXTURE(f);
    fixture_stack(&f, "main;caller;library;leaf", 100, 300);
    fixture_stack(&f, "main;other", 300, 300);
    fixture_seal(&f);
    fixture_budget(&f, "leaves", GATE_OUTCOME_FAIL, "leaf", GATE_SELF);
    fixture_causes(&f);
    for (uint32_t i = 0; i < f.comparison.pair.frame_count; i++)
        f.comparison.pair.frames[i].file = GATE_STR("/elsewhere/x.go");
    frame_named(&f, "main")->file = GATE_STR("main.go");
    frame_named(&f, "caller")->file = GATE_STR("cmd/a b.go");
    frame_named(&f, "caller")->start_line = 7;
    for (uint32_t i = 0; i < f.comparison.pair.frame_count; i++)
        f.comparison.pair.frames[i].is_own = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_buf_free) struct gate_buf out = render(&f, rows[i].report->write, &(struct gate_report_options){0});
        if (occurrences(&out, rows[i].place) != 1)
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(gate_buf_view(&out)));
    }
}

/* A budget on the total has no function. Without a rules file the function that grew most is marked. */
TEST(a_broken_total_marks_the_function_that_grew_most) {
    FIXTURE(f);
    fixture_stack(&f, "main;grown", 100, 300);
    fixture_stack(&f, "main;other", 300, 300);
    fixture_seal(&f);
    fixture_budget(&f, "the total", GATE_OUTCOME_FAIL, NULL, GATE_CUMULATIVE);
    f.findings[0] = (struct gate_finding){.frame = GATE_NO_INDEX,
                                          .function = GATE_STR("total"),
                                          .text = GATE_STR("the total grew"),
                                          .outcome = GATE_OUTCOME_FAIL,
                                          .evidence = {.is_tested = true},
                                          .limit = &f.limits[0]};
    f.results[0].findings = f.findings;
    f.results[0].finding_count = 1;
    fixture_causes(&f);
    for (uint32_t i = 0; i < f.comparison.pair.frame_count; i++)
        f.comparison.pair.frames[i].is_own = true;
    frame_named(&f, "grown")->file = GATE_STR("cmd/grown.go");
    frame_named(&f, "grown")->start_line = 12;
    AT_END(gate_buf_free)
    struct gate_buf out = render(&f, gate_report_codequality.write, &(struct gate_report_options){0});
    assert_int_equal(occurrences(&out, "{\"path\": \"cmd/grown.go\", \"lines\": {\"begin\": 12}}"), 1);
    gate_buf_free(&out);
    f.rules.source = GATE_STR("rules.yml");
    out = render(&f, gate_report_codequality.write, &(struct gate_report_options){0});
    assert_int_equal(occurrences(&out, "{\"path\": \"rules.yml\""), 1);
}

TEST(sarif_has_a_level_per_outcome) {
    static const struct {
        enum gate_outcome outcome;
        const char *level;
    } rows[] = {{GATE_OUTCOME_FAIL, "\"level\": \"error\",\n          \"message\""},
                {GATE_OUTCOME_WARN, "\"level\": \"warning\",\n          \"message\""},
                {GATE_OUTCOME_INCONCLUSIVE, "\"level\": \"note\",\n          \"message\""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(fixture_free) struct fixture f;
        many_findings(&f, 3, rows[i].outcome);
        AT_END(gate_buf_free)
        struct gate_buf out = render(&f, gate_report_sarif.write, &(struct gate_report_options){0});
        assert_int_equal(occurrences(&out, rows[i].level), 3);
        assert_int_equal(occurrences(&out, "\"ruleId\": \"workers\""), 3);
        assert_int_equal(occurrences(&out, "\"id\": \"workers\""), 1); /* one rule, though three results name it */
    }
}

/* Names come from a profile. In a SARIF message they must be neither a link nor a placeholder. */
TEST(sarif_makes_no_link_of_a_name) {
    AT_END(fixture_free) struct fixture f;
    many_findings(&f, 1, GATE_OUTCOME_FAIL);
    f.verdict.budgets[0].findings[0].limit = NULL; /* a finding without a cause */
    f.verdict.budgets[0].findings[0].text = GATE_STR("[x](https://evil.example) {0} {closure}");
    fixture_causes(&f);
    AT_END(gate_buf_free) struct gate_buf out = render(&f, gate_report_sarif.write, &(struct gate_report_options){0});
    assert_int_equal(occurrences(&out, "]("), 0);
    assert_int_equal(occurrences(&out, "{0}"), 0);
    assert_int_equal(occurrences(&out, "]\xE2\x81\xA0(https"), 1);
    assert_int_equal(occurrences(&out, "{closure}"), 1);
}

TEST(metrics_end_and_do_not_repeat_a_series) {
    SERVICE(f);
    fixture_budget(&f, "nothing doubles", GATE_OUTCOME_PASS, NULL, GATE_SELF);
    AT_END(gate_buf_free)
    struct gate_buf out = render(&f, gate_report_openmetrics.write, &(struct gate_report_options){.frame_limit = 3});
    assert_true(gate_str_ends(gate_buf_view(&out), GATE_STR("\n# EOF\n")));
    assert_int_equal(occurrences(&out, "pprofgate_budget{budget=\"nothing doubles\",pprofgate_budget=\"pass\"} 1"), 1);
    assert_int_equal(occurrences(&out, "\npprofgate_share_change_points{"), 9);
}

TEST(folded_has_both_columns) {
    FIXTURE(f);
    fixture_stack(&f, "main;a;b", 3, 0);
    fixture_stack(&f, "main;a", 1, 2);
    fixture_seal(&f);
    AT_END(gate_buf_free)
    struct gate_buf out = render(&f, gate_report_folded.write, &(struct gate_report_options){.min_share = 0.9});
    gate_buf_char(&out, '\0');
    assert_string_equal(out.ptr, "pprofgate 0 0\nmain;a 10000000 20000000\nmain;a;b 30000000 0\n");
}

TEST(tree_leads_to_the_cause) {
    SERVICE(f);
    struct gate_trees trees = {0};
    struct gate_report_options options = {.min_share = 0.001, .trees = &trees};
    struct gate_buf out = render(&f, gate_terminal_tree, &options);
    assert_int_equal(occurrences(&out, "Where it grew"), 1);
    assert_int_equal(occurrences(&out, "api.(*Server).Orders"), 1);
    assert_int_equal(occurrences(&out, "16.5% \xE2\x86\x92 23.8% \xE2\x96\xB2"), 1);
    assert_non_null(trees.made[GATE_BY_CALLER]);
    assert_null(trees.made[GATE_BY_CALLEE]);
    gate_buf_free(&out);
}

TEST(the_tree_mentions_other_paths) {
    for (int callers = 1; callers <= 3; callers += 2) {
        static const char *const stacks[] = {"main;one;leaf", "main;two;leaf", "main;three;leaf"};
        FIXTURE(f);
        for (int i = 0; i < callers; i++)
            fixture_stack(&f, stacks[i], 100, 1000);
        fixture_stack(&f, "main;rest", 2000, 2000);
        fixture_seal(&f);
        struct gate_buf out = render(&f, gate_terminal_tree, &(struct gate_report_options){.min_share = 0.001});
        assert_int_equal(occurrences(&out, "Where it grew"), 1);
        assert_int_equal(occurrences(&out, "along all of them 13.0% \xE2\x86\x92 60.0%"), callers == 3);
        gate_buf_free(&out);
    }
}

/* main.run grew although its cumulative share fell: what it calls cost half as much before. */
TEST(tree_of_a_grown_cause_has_its_direction_and_all_marks) {
    FIXTURE(f);
    fixture_stack(&f, "main;run;runtime.memmove", 100, 3000);
    fixture_stack(&f, "main;run;redact", 8000, 4000);
    fixture_stack(&f, "main;rest", 500, 2000);
    fixture_seal(&f);
    fixture_budget(&f, "no function takes over", GATE_OUTCOME_FAIL, "run", GATE_CHARGED);
    fixture_causes(&f);
    struct gate_buf out = render(&f, gate_terminal_tree, &(struct gate_report_options){.min_share = 0.001});
    assert_int_equal(occurrences(&out, "Where it grew"), 1);
    assert_int_equal(occurrences(&out, "\xE2\x96\x92 canary only, \xE2\x96\x91 baseline only"), 1);
    assert_int_equal(occurrences(&out, "\xE2\x96\xB2\xE2\x96\xBC significant"), 1);
    gate_buf_free(&out);
}

TEST(tree_is_empty_without_a_significant_change) {
    AT_END(fixture_free) struct fixture f;
    many_findings(&f, 4, GATE_OUTCOME_INCONCLUSIVE);
    struct gate_buf out = render(&f, gate_terminal_tree, &(struct gate_report_options){.min_share = 0.001});
    assert_int_equal(out.len, 0);
    gate_buf_free(&out);
}

TEST(deep_paths_stay_narrow_and_short) {
    FIXTURE(f);
    AT_END(gate_buf_free) struct gate_buf stack = {0};
    for (int i = 0; i < 60; i++)
        gate_buf_printf(&stack, "%slong.package.name.of.level/number%d.(*Receiver).Method", i == 0 ? "" : ";", i);
    gate_buf_char(&stack, '\0');
    fixture_stack(&f, stack.ptr, 100, 2000);
    fixture_stack(&f, "main;rest", 2000, 2000);
    fixture_seal(&f);
    AT_END(gate_buf_free)
    struct gate_buf out =
        render(&f, gate_terminal_tree, &(struct gate_report_options){.min_share = 0.001, .verbose = true});
    assert_int_equal(occurrences(&out, "52 more callers above"), 1);
    struct gate_str text = gate_buf_view(&out);
    for (size_t at = 0; at < text.len;) {
        size_t end = gate_str_find(text, GATE_STR("\n"), at);
        assert_true(gate_str_columns(gate_str_slice(text, at, end)) <= 80);
        at = end + 1;
    }
    assert_true(occurrences(&out, "\n") <= 14);
}

/* A limit of the file's size cuts the first write, and refuses the second. */
TEST(outputs_of_a_step_that_are_cut_are_an_error) {
    char name[] = "/tmp/github_output.XXXXXX";
    struct rlimit before;
    int descriptor = mkstemp(name);
    assert_true(descriptor >= 0 && close(descriptor) == 0 && setenv("GITHUB_OUTPUT", name, 1) == 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small = {.rlim_cur = 16, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool is_written = gate_github_output_append(&(struct gate_github_output){0}, 0, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, handler);
    assert_true(unlink(name) == 0 && unsetenv("GITHUB_OUTPUT") == 0);
    assert_false(is_written);
    assert_non_null(strstr(err.message, "cannot append the outputs of the step (GITHUB_OUTPUT): File too large"));
}
