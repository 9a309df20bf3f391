/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal report at different widths. */
#include "gate/budget/finding.h"
#include "gate/report/cause_sentence.h"
#include "gate/report/headline.h"
#include "gate/report/listing.h"
#include "gate/report/report.h"
#include "tests/unit/unit.h"
#include "tests/unit/verdict_fixture.h"

static struct gate_str terminal(struct fixture *f, struct gate_buf *out, bool colour, bool quiet) {
    struct gate_report_options options = {
        .frame_limit = 10, .columns = 80, .colour = colour, .quiet = quiet, .verbose = true};
    assert_true(gate_report_terminal.write(out, &f->verdict, &options, &f->arena, &err));
    return gate_buf_view(out);
}

static bool holds(struct gate_str text, const char *needle) {
    return gate_str_find(text, gate_str_from(needle), 0) != SIZE_MAX;
}

TEST(terminal_fits_80_columns) {
    SERVICE(f);
    AT_END(gate_buf_free) struct gate_buf out = {0};
    struct gate_str text = terminal(&f, &out, false, false);
    assert_true(gate_str_starts(text, GATE_STR("FAIL  github.com/acme/shop/api.(*Server).Orders grew from 7.8% to ")));
    assert_true(holds(text, "\n  github.com/acme/shop/api.(*Server).Orders: charged 7.8% "));
    assert_true(holds(text, "\n    breaks \"no function takes over\" (limit +5 pp)\n"));
    assert_true(holds(text, "\n    over the limit (warning only): \"encoding stays cheap\" "));
    assert_true(holds(text, gate_sentence_charged()));
    assert_true(holds(text, "\xE2\x80\xA6"
                            "internal/trace.Start   "));
    assert_true(holds(text, "one_pair"));
    assert_true(holds(text, "recommended (built in)"));
    assert_false(holds(text, "\033"));
    for (size_t at = 0; at < text.len;) {
        size_t end = gate_str_find(text, GATE_STR("\n"), at);
        assert_true(end != SIZE_MAX);
        assert_true(gate_str_columns(gate_str_slice(text, at, end)) <= 80);
        at = end + 1;
    }
}

/* Without --verbose one cause takes about 25 lines: movers and inputs are left out, and the text names the options that
 * show them. */
TEST(terminal_is_brief_by_default) {
    struct gate_report_options options = {.frame_limit = 10, .columns = 80};
    AT_END(gate_buf_free) struct gate_buf out = {0};
    uint32_t lines = 0;
    SERVICE(f);
    assert_true(gate_report_terminal.write(&out, &f.verdict, &options, &f.arena, &err));
    struct gate_str text = gate_buf_view(&out);
    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    assert_true(lines <= 28);
    assert_true(holds(text, "\n  github.com/acme/shop/api.(*Server).Orders: charged 7.8% "));
    assert_false(holds(text, "Top movers"));
    assert_false(holds(text, "\nCompared\n"));
    assert_true(holds(text, "rules: recommended") && holds(text, "\nmore: --verbose, "));
}

/* Of a bar, only the part that one side alone has is coloured. */
TEST(terminal_colours_what_grew) {
    SERVICE(f);
    AT_END(gate_buf_free) struct gate_buf out = {0};
    struct gate_str text = terminal(&f, &out, true, false);
    assert_true(holds(text, "\xE2\x96\x88\033[31m\xE2\x96\x92"));
    assert_false(holds(text, "\033[31m\033[0m") || holds(text, "\033[34m\033[0m"));
}

TEST(terminal_quiet_keeps_what_is_broken) {
    SERVICE(f);
    AT_END(gate_buf_free) struct gate_buf out = {0};
    struct gate_str text = terminal(&f, &out, true, true);
    assert_true(gate_str_starts(text, GATE_STR("\033[1;31mFAIL\033[0m")));
    assert_true(holds(text, "api.(*Server).Orders: charged 7.8%"));
    assert_false(holds(text, "Top movers"));
}

TEST(terminal_escapes_names) {
    FIXTURE(f);
    fixture_stack(&f, "main;\033[31mred\033[0m\r\n::error::x", 10, 900);
    fixture_stack(&f, "main;##[group]y \xE2\x80\xAE", 900, 10);
    fixture_seal(&f);
    fixture_budget(&f, "b\n::error::", GATE_OUTCOME_FAIL, "\033[31mred\033[0m\r\n::error::x", GATE_SELF);
    fixture_causes(&f);
    AT_END(gate_buf_free) struct gate_buf out = {0};
    struct gate_str text = terminal(&f, &out, false, false);
    assert_false(holds(text, "\033"));
    assert_false(holds(text, "\r"));
    assert_false(holds(text, "\n::"));
    assert_false(holds(text, "##[group]"));
    assert_false(holds(text, "\xE2\x80\xAE"));
}

/* Return a hypothesis of a budget that can fail, which passes for a reason, on what a finding is on. */
static struct gate_hypothesis passed(const struct gate_finding *finding, const char *name, enum gate_reason reason) {
    return (struct gate_hypothesis){.name = gate_str_from(name),
                                    .evidence = &finding->evidence,
                                    .limit = finding->limit,
                                    .outcome = GATE_OUTCOME_PASS,
                                    .reason = reason,
                                    .severity = GATE_SEVERITY_ERROR};
}

/* Expect how the text on what passes over a limit begins; NULL: there is none. */
static void expect_tolerated(struct fixture *f, const char *start) {
    AT_END(gate_buf_free) struct gate_buf out = {0};
    gate_tolerated_print(&out, &f->verdict);
    if (start == NULL ? out.len != 0 : !gate_str_starts(gate_buf_view(&out), gate_str_from(start)))
        fail_msg("%.*s", GATE_STR_ARG(gate_buf_view(&out)));
}

/* A function whose share grew because others shrank is not reported as noise, too. */
TEST(a_larger_share_is_not_also_explained_by_noise) {
    FIXTURE(f);
    fixture_stack(&f, "main;worker", 100, 400);
    fixture_stack(&f, "main;rest", 900, 600);
    fixture_seal(&f);
    struct gate_finding *finding = fixture_budget(&f, "one", GATE_OUTCOME_WARN, "worker", GATE_CHARGED);
    finding->reason = GATE_REASON_OTHERS_SHRANK;
    fixture_causes(&f);
    struct gate_hypothesis h = passed(finding, "worker", GATE_REASON_TOLERATED);
    f.verdict.hypotheses = &h;
    f.verdict.hypothesis_count = 1;
    expect_tolerated(&f, NULL);
    h.name = GATE_STR("rest");
    expect_tolerated(&f, "over a limit as measured, which noise may explain: rest ");
}

/* Paths over their limit as measured, which functions within theirs pass: the one that grew most is named. */
TEST(an_unconfirmed_path_is_named) {
    FIXTURE(f);
    fixture_stack(&f, "main;load;a", 100, 150);
    fixture_stack(&f, "main;load;b", 100, 150);
    fixture_stack(&f, "main;rest", 800, 700);
    fixture_seal(&f);
    struct gate_finding *finding = fixture_budget(&f, "one", GATE_OUTCOME_PASS, "load", GATE_CUMULATIVE);
    struct gate_evidence less = finding->evidence;
    less.delta /= 2.0;
    struct gate_hypothesis both[] = {passed(finding, "less", GATE_REASON_UNCONFIRMED),
                                     passed(finding, "load", GATE_REASON_UNCONFIRMED)};
    both[0].is_path = both[1].is_path = true;
    both[0].evidence = &less;
    f.verdict.hypotheses = both;
    f.verdict.hypothesis_count = 2;
    f.verdict.outcome = GATE_OUTCOME_PASS;
    expect_tolerated(&f, "over a limit as measured, which noise may explain: the path through load ");
    f.verdict.outcome = GATE_OUTCOME_INCONCLUSIVE; /* what is undecided comes first */
    expect_tolerated(&f, NULL);
}

/* What surely grew by less than its min_growth is named in a pass, by the amounts of a run if the budget is on these.
 * What may not have grown is not. */
TEST(growth_below_min_growth_is_named) {
    FIXTURE(f);
    fixture_stack(&f, "main;keep", 100, 400);
    fixture_stack(&f, "main;rest", 900, 600);
    fixture_seal(&f);
    struct gate_finding *finding = fixture_budget(&f, "one", GATE_OUTCOME_PASS, "keep", GATE_CHARGED);
    struct gate_evidence unsure = finding->evidence;
    unsure.log_p = -1.0;
    unsure.delta *= 2.0;
    struct gate_hypothesis both[] = {passed(finding, "unsure", GATE_REASON_SMALL),
                                     passed(finding, "keep", GATE_REASON_SMALL)};
    struct gate_budget budget = {.name = GATE_STR("one"), .min_growth = GATE_STR("8MB")};
    both[0].evidence = &unsure;
    f.verdict.hypotheses = both;
    f.verdict.hypothesis_count = 2;
    f.verdict.outcome = GATE_OUTCOME_PASS;
    f.rules.budgets = &budget;
    expect_tolerated(&f, "grew by less than the min_growth of 8MB: keep 10.0% \xE2\x86\x92 40.0% (limit ");
    both[1].is_cost = true;
    f.comparison.pair.type.unit = GATE_STR("bytes");
    expect_tolerated(&f, "grew by less than the min_growth of 8MB: keep 954MB \xE2\x86\x92 3.73GB");
    f.verdict.outcome = GATE_OUTCOME_FAIL;
    expect_tolerated(&f, NULL);
}

/* The first line of the report, and the outcome whose colour it has. */
TEST(headlines_have_function_numbers_and_place) {
    static const struct {
        enum gate_outcome outcome;
        bool has_cause;
        enum gate_on_inconclusive on_inconclusive;
        enum gate_outcome tone;
        const char *text;
    } rows[] = {
        {GATE_OUTCOME_FAIL, true, GATE_ON_INCONCLUSIVE_INCONCLUSIVE, GATE_OUTCOME_FAIL,
         "FAIL  worker grew from 10.0% to 40.0% of cpu  src/service.go:10\n"},
        {GATE_OUTCOME_WARN, true, GATE_ON_INCONCLUSIVE_INCONCLUSIVE, GATE_OUTCOME_WARN,
         "PASS with warnings: worker is over \"one\" (warning only)\n"},
        {GATE_OUTCOME_WARN, false, GATE_ON_INCONCLUSIVE_INCONCLUSIVE, GATE_OUTCOME_PASS,
         "PASS  1 of 2 budgets hold; \"one\" is undecided (warning only):"},
        {GATE_OUTCOME_INCONCLUSIVE, true, GATE_ON_INCONCLUSIVE_INCONCLUSIVE, GATE_OUTCOME_INCONCLUSIVE,
         "INCONCLUSIVE  worker grew from 10.0% to 40.0% of cpu\n"
         "  src/service.go:10; not enough samples to confirm that it is over the limit:\n"
         "  about 7 runs per side would decide it; 1 of 2 budgets is undecided\n"},
        {GATE_OUTCOME_INCONCLUSIVE, false, GATE_ON_INCONCLUSIVE_INCONCLUSIVE, GATE_OUTCOME_INCONCLUSIVE,
         "INCONCLUSIVE  not enough samples to detect growth over the limit: about 7 runs\n"
         "  per side would decide it; 1 of 2 budgets is undecided\n"},
        {GATE_OUTCOME_INCONCLUSIVE, true, GATE_ON_INCONCLUSIVE_WARN, GATE_OUTCOME_WARN,
         "PASS with warnings: worker grew from 10.0% to 40.0% of cpu\n  src/service.go:10;"},
        {GATE_OUTCOME_PASS, false, GATE_ON_INCONCLUSIVE_INCONCLUSIVE, GATE_OUTCOME_PASS, "PASS  all 2 budgets hold\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FIXTURE(f);
        fixture_stack(&f, "main;worker", 100, 400);
        fixture_stack(&f, "main;rest", 900, 600);
        fixture_seal(&f);
        struct gate_finding *finding = fixture_budget(&f, "one", rows[i].outcome, "worker", GATE_CHARGED);
        fixture_budget(&f, "two", GATE_OUTCOME_PASS, NULL, GATE_SELF);
        if (!rows[i].has_cause)
            finding->reason = GATE_REASON_TOO_FEW_SAMPLES;
        finding->runs_to_settle = 7.0;
        f.rules.on_inconclusive = rows[i].on_inconclusive;
        if (rows[i].on_inconclusive == GATE_ON_INCONCLUSIVE_WARN)
            f.verdict.outcome = GATE_OUTCOME_PASS;
        fixture_causes(&f);
        struct gate_headline headline;
        assert_true(gate_headline_make(&headline, &f.verdict, &f.arena, &err));
        assert_int_equal(headline.tone, rows[i].tone);
        AT_END(gate_buf_free) struct gate_buf out = {0};
        struct gate_str text = terminal(&f, &out, false, true);
        if (!gate_str_starts(text, gate_str_from(rows[i].text)))
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(text));
    }
}

/* A function whose share grew by 30 points, since others cost less, need not cost much more itself. */
TEST(headlines_distinguish_larger_share_and_larger_cost) {
    static const struct {
        double cost_ratio;
        const char *text;
    } rows[] = {{1.05, "FAIL  worker has a larger share and costs about 1.05x "},
                {1.15, "FAIL  worker costs about 1.15x "}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FIXTURE(f);
        fixture_stack(&f, "main;worker", 100, 400);
        fixture_stack(&f, "main;rest", 900, 600);
        fixture_seal(&f);
        fixture_budget(&f, "one", GATE_OUTCOME_FAIL, "worker", GATE_CHARGED);
        fixture_causes(&f);
        f.verdict.causes.items[0].cost_ratio = rows[i].cost_ratio;
        AT_END(gate_buf_free) struct gate_buf out = {0};
        struct gate_str text = terminal(&f, &out, false, true);
        if (!gate_str_starts(text, gate_str_from(rows[i].text)))
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(text));
    }
}

/* Budgets in the first line, a letter for each: F fails with a cause and f without, W is an undecided warning, P
 * passes, and - selects nothing. */
TEST(headlines_count_budgets) {
    static const struct {
        const char *budgets, *text;
    } rows[] = {
        {"P", "PASS  the only budget holds\n"},
        {"-", "PASS  the only budget selects no function\n"},
        {"W", "PASS  the only budget, \"b0\" is undecided (warning only): not enough samples to"},
        {"P-", "PASS  1 of 2 budgets hold, 1 selects no function\n"},
        {"-P-", "PASS  1 of 3 budgets hold, 2 select no function\n"},
        {"PWW", "PASS  1 of 3 budgets hold; \"b1\" and 1 more are undecided (warning only): not"},
        {"f", "FAIL  the only budget is broken\n"},
        {"fPf", "FAIL  2 of 3 budgets are broken\n"},
        {"F", "FAIL  worker0 grew from 10.0% to 20.0% of cpu  src/service.go:10\n"},
        {"Ff", "FAIL  worker0 grew from 10.0% to 20.0% of cpu\n  src/service.go:10; 1 more budget is broken\n"},
        {"fFPf", "FAIL  worker1 grew from 10.0% to 20.0% of cpu\n  src/service.go:12; 2 more budgets are broken\n"},
        {"FF", "FAIL  worker0 grew from 10.0% to 20.0% of cpu  src/service.go:10; 1 more cause\n"},
        {"FFF", "FAIL  worker0 grew from 10.0% to 20.0% of cpu  src/service.go:10; 2 more causes\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const char *const names[] = {"b0", "b1", "b2", "b3"};
        static const char *const workers[] = {"worker0", "worker1", "worker2", "worker3"};
        FIXTURE(f);
        fixture_stack(&f, "main;worker0", 100, 200);
        fixture_stack(&f, "main;worker1", 100, 200);
        fixture_stack(&f, "main;worker2", 100, 200);
        fixture_stack(&f, "main;rest", 700, 400);
        fixture_seal(&f);
        for (size_t b = 0; rows[i].budgets[b] != '\0'; b++) {
            char kind = rows[i].budgets[b];
            bool fails = kind == 'F' || kind == 'f', has_finding = kind == 'F' || kind == 'W';
            struct gate_finding *finding = fixture_budget(&f, names[b],
                                                          fails         ? GATE_OUTCOME_FAIL
                                                          : kind == 'W' ? GATE_OUTCOME_WARN
                                                                        : GATE_OUTCOME_PASS,
                                                          has_finding ? workers[b] : NULL, GATE_CHARGED);
            if (kind == 'W')
                finding->reason = GATE_REASON_TOO_FEW_SAMPLES;
            if (kind == '-')
                fixture_warning(&f, GATE_GUARD_NO_MATCH, "a budget selects no function");
        }
        fixture_causes(&f);
        AT_END(gate_buf_free) struct gate_buf out = {0};
        struct gate_str text = terminal(&f, &out, false, true);
        if (!gate_str_starts(text, gate_str_from(rows[i].text)))
            fail_msg("%s: %.*s", rows[i].budgets, GATE_STR_ARG(text));
    }
}

/* The table of movers has intervals where there is room. Without a change it is one line. */
TEST(terminal_movers_fit_their_width) {
    static const struct {
        size_t columns;
        int64_t canary, library; /* samples of the worker, and of a library that it calls */
        const char *has;
    } rows[] = {{71, 200, 0, "baseline  canary    change        self\n"},
                {72, 200, 0, "baseline  canary    change    95% interval        self\n"},
                {80, 200, 0, "\n  * significant: not explained by noise (false discovery rate 1%)\n"},
                {0, 200, 0, "baseline  canary    change    95% interval        self\n"},
                {80, 200, 0, "\n  canary   canary/cpu-01.pb.gz: 11s of cpu over 30s, 1,100 effective samples\n"},
                {71, 100, 0, "\nThe charged share of no function changed\n"},
                /* of 1200 samples: charged 300, of which 201 are its own */
                {71, 201, 99, "  worker            10.0%   25.0%  +15.0 pp *   +6.8 pp\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_buf_free) struct gate_buf out = {0};
        struct gate_report_options options = {.frame_limit = 10, .columns = rows[i].columns, .verbose = true};
        FIXTURE(f);
        fixture_stack(&f, "main;worker", 100, rows[i].canary);
        fixture_stack(&f, "main;rest", 900, 900);
        fixture_stack(&f, "main;worker;runtime.memmove", 0, rows[i].library);
        fixture_seal(&f);
        assert_true(gate_report_terminal.write(&out, &f.verdict, &options, &f.arena, &err));
        if (!holds(gate_buf_view(&out), rows[i].has))
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(gate_buf_view(&out)));
    }
}

/* The first line names a guard that the rules raise to an error. */
TEST(a_raised_guard_is_named) {
    struct gate_guard_rule guard = {.guard = GATE_GUARD_SAME_FILE, .severity = GATE_SEVERITY_ERROR};
    FIXTURE(f);
    fixture_stack(&f, "main;worker", 100, 100);
    fixture_seal(&f);
    fixture_budget(&f, "one", GATE_OUTCOME_PASS, NULL, GATE_SELF);
    fixture_warning(&f, GATE_GUARD_SAME_FILE, "both sides are the same capture; compare two");
    f.rules.guards = &guard;
    f.rules.guard_count = 1;
    f.verdict.guard_raised = true;
    f.verdict.outcome = GATE_OUTCOME_INCONCLUSIVE;
    AT_END(gate_buf_free) struct gate_buf out = {0};
    struct gate_str text = terminal(&f, &out, false, true);
    assert_true(
        gate_str_starts(text, GATE_STR("INCONCLUSIVE  the sides are not comparable: both sides are the same capture\n"
                                       "  (same_file)\n")));
}

/* The first line does not state the cost of a function that cost may have moved to, or that was inlined in one run,
 * or that runs at the start only. */
TEST(headlines_of_moved_cost_have_no_ratio) {
    static const struct {
        enum gate_reason reason;
        uint32_t sources;
        const char *text;
        const char *mapping; /* of a library that lost its caller */
        const char *callee;  /* that may have called it */
        bool is_part;        /* the function that lost cost lost less than the growth */
    } rows[] = {
        {GATE_REASON_UNCONFIRMED, 0, "INCONCLUSIVE  worker costs about 4.0x (10.0% \xE2\x86\x92 40.0% of cpu)  src/",
         NULL, NULL, false},
        {GATE_REASON_INLINED, 0, "INCONCLUSIVE  worker grew from 10.0% to 40.0% of cpu  src/", NULL, NULL, false},
        {GATE_REASON_INLINED_TOGETHER, 0, "INCONCLUSIVE  worker grew from 10.0% to 40.0% of cpu  src/", NULL, NULL,
         false},
        {GATE_REASON_START_UP, 0, "INCONCLUSIVE  worker grew from 10.0% to 40.0% of cpu  src/", NULL, NULL, false},
        {GATE_REASON_ONE_START, 0, "INCONCLUSIVE  worker grew from 10.0% to 40.0% of cpu  src/", NULL, NULL, false},
        {GATE_REASON_SHIFT, 1,
         "INCONCLUSIVE  cost may have moved from rest (-30.0 pp) to worker (10.0% \xE2\x86\x92 40.0% of cpu)  src/",
         NULL, NULL, false},
        {GATE_REASON_SHIFT, 2, "INCONCLUSIVE  cost may have moved from rest and others (-30.0 pp) to worker (", NULL,
         NULL, false},
        {GATE_REASON_SHIFT, 1,
         "INCONCLUSIVE  a part of the growth of worker (10.0% \xE2\x86\x92 40.0% of cpu) may have moved from rest "
         "(-30.0 "
         "pp)  src/",
         NULL, NULL, true},
        {GATE_REASON_SHIFT, 0, "INCONCLUSIVE  cost may have moved to worker (10.0% \xE2\x86\x92 40.0% of cpu)  src/",
         NULL, NULL, false},
        {GATE_REASON_SHIFT, 1,
         "INCONCLUSIVE  the growth of worker (10.0% \xE2\x86\x92 40.0% of cpu) may be that of rest (-30.0 pp): it ends "
         "in libc.so.6 and may lack its caller  src/",
         "/usr/lib/libc.so.6", NULL, false},
        {GATE_REASON_UNCONFIRMED, 0,
         "INCONCLUSIVE  worker costs about 4.0x (10.0% \xE2\x86\x92 40.0% of cpu), perhaps in rest  src/", NULL, "rest",
         false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_report_options options = {.frame_limit = 10, .columns = 0};
        FIXTURE(f);
        fixture_stack(&f, "main;worker", 100, 400);
        fixture_stack(&f, "main;rest", 900, 600);
        fixture_seal(&f);
        struct gate_shift shift = {.source_count = rows[i].sources, .moved = 0.3, .library = GATE_NO_INDEX};
        shift.sources[0] = gate_table_find(&f.frames, GATE_STR("rest"));
        shift.within = rows[i].is_part ? GATE_NO_INDEX : 0;
        if (rows[i].mapping != NULL) {
            shift.library = gate_table_find(&f.frames, GATE_STR("main"));
            f.comparison.pair.frames[shift.library].mapping = gate_str_from(rows[i].mapping);
        }
        struct gate_finding *finding = fixture_budget(&f, "one", GATE_OUTCOME_INCONCLUSIVE, "worker", GATE_CHARGED);
        finding->reason = rows[i].reason;
        finding->shift = rows[i].reason == GATE_REASON_SHIFT ? &shift : NULL;
        fixture_causes(&f);
        f.verdict.causes.items[0].cost_ratio = 4.0;
        if (rows[i].callee != NULL)
            f.verdict.causes.items[0].callee = gate_table_find(&f.frames, gate_str_from(rows[i].callee));
        AT_END(gate_buf_free) struct gate_buf out = {0};
        assert_true(gate_report_terminal.write(&out, &f.verdict, &options, &f.arena, &err));
        if (!gate_str_starts(gate_buf_view(&out), gate_str_from(rows[i].text)))
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(gate_buf_view(&out)));
    }
}

/* A budget of severity error can warn because the cost moved: the reason follows the cause's own. A cause of one line
 * names its budget. */
TEST(the_reason_that_excuses_an_error_is_printed) {
    struct gate_report_options options = {.frame_limit = 10, .columns = 120};
    FIXTURE(f);
    fixture_stack(&f, "main;worker", 100, 400);
    fixture_stack(&f, "main;other", 100, 300);
    fixture_stack(&f, "main;rest", 800, 300);
    fixture_seal(&f);
    fixture_budget(&f, "one", GATE_OUTCOME_INCONCLUSIVE, "worker", GATE_CHARGED)->why = GATE_STR("too few");
    for (int i = 0; i < 2; i++) {
        struct gate_finding *moved = fixture_budget(&f, i == 0 ? "two" : "three", GATE_OUTCOME_WARN,
                                                    i == 0 ? "worker" : "other", GATE_CUMULATIVE);
        f.budgets[1 + i].severity = GATE_SEVERITY_ERROR;
        moved->reason = GATE_REASON_SHIFT;
        moved->why = GATE_STR("the cost moved: rest lost 50 pp");
    }
    fixture_budget(&f, "four", GATE_OUTCOME_WARN, "worker", GATE_SELF)->why = GATE_STR("by its severity");
    fixture_causes(&f);
    AT_END(gate_buf_free) struct gate_buf out = {0};
    assert_true(gate_report_terminal.write(&out, &f.verdict, &options, &f.arena, &err));
    struct gate_str text = gate_buf_view(&out);
    assert_true(holds(text, "\n    too few\n    \"two\" only warns: the cost moved: rest lost 50 pp\n"));
    assert_true(holds(text, "\n  other: "));
    assert_true(holds(text, "; over \"three\": the cost moved: rest lost 50 pp\n"));
    assert_false(holds(text, "by its severity"));
}

/* Failing causes follow the verdict directly. Undecided causes and warnings follow under their headings. */
TEST(causes_are_grouped_by_outcome) {
    FIXTURE(f);
    fixture_stack(&f, "main;a", 100, 300);
    fixture_stack(&f, "main;b", 100, 200);
    fixture_stack(&f, "main;c", 100, 150);
    fixture_stack(&f, "main;rest", 1000, 700);
    fixture_seal(&f);
    fixture_budget(&f, "one", GATE_OUTCOME_WARN, "a", GATE_CHARGED);
    fixture_budget(&f, "two", GATE_OUTCOME_INCONCLUSIVE, "b", GATE_CHARGED);
    fixture_budget(&f, "three", GATE_OUTCOME_FAIL, "c", GATE_CHARGED);
    fixture_causes(&f);
    AT_END(gate_buf_free) struct gate_buf out = {0};
    struct gate_str text = terminal(&f, &out, false, false);
    size_t c = gate_str_find(text, GATE_STR("\n  c: charged"), 0),
           b = gate_str_find(text, GATE_STR("\n  b: charged"), 0);
    size_t a = gate_str_find(text, GATE_STR("\n  a: charged"), 0);
    size_t undecided = gate_str_find(text, GATE_STR("\nundecided\n"), 0);
    size_t warnings = gate_str_find(text, GATE_STR("\nwarnings\n"), 0);
    assert_true(c < undecided && undecided < b && b < warnings && warnings < a && a != SIZE_MAX);
    gate_buf_free(&out);
    out = (struct gate_buf){0};
    text = terminal(&f, &out, false, true);
    assert_true(holds(text, "\n  c: charged"));
    assert_false(holds(text, "\n  b: charged"));
    assert_false(holds(text, "\n  a: charged"));
}

/* A budget that only warns and has too few samples: the report names it and the smallest growth it could detect. */
TEST(warnings_for_lack_of_samples_are_reported) {
    FIXTURE(f);
    fixture_stack(&f, "main;worker", 100, 110);
    fixture_stack(&f, "main;rest", 900, 890);
    fixture_seal(&f);
    fixture_budget(&f, "worker stays cheap", GATE_OUTCOME_WARN, "worker", GATE_SELF)->reason =
        GATE_REASON_TOO_FEW_SAMPLES;
    fixture_budget(&f, "two", GATE_OUTCOME_PASS, NULL, GATE_SELF);
    fixture_causes(&f);
    f.findings[0].text = GATE_STR("worker: within the +5 pp, but only growth of 8 pp would have been detected");
    struct gate_report_options options = {.frame_limit = 10, .columns = 80};
    AT_END(gate_buf_free) struct gate_buf out = {0};
    assert_true(holds(terminal(&f, &out, false, false), "\n  undecided  worker stays cheap\n    worker: within"));
    gate_buf_free(&out);
    out = (struct gate_buf){0};
    assert_true(gate_report_markdown.write(&out, &f.verdict, &options, &f.arena, &err));
    assert_true(holds(gate_buf_view(&out), "worker stays cheap"));
    assert_true(holds(gate_buf_view(&out), "worker: within the +5 pp, but only growth of 8 pp"));
    gate_buf_free(&out);
    out = (struct gate_buf){0};
    assert_true(gate_report_github.write(&out, &f.verdict, &options, &f.arena, &err));
    assert_false(holds(gate_buf_view(&out), "::warning")); /* an annotation needs a source line, and there is none */
}

/* Three benchmarks have one row, that of the first; two have their own. What cannot be detected has its own, too. */
TEST(three_pairs_share_one_row_of_detectable_growth) {
    static struct gate_budget budgets[] = {
        {.name = GATE_STR("doubles (A)"), .pair = GATE_STR("A"), .severity = GATE_SEVERITY_ERROR},
        {.name = GATE_STR("doubles (B)"), .pair = GATE_STR("B"), .severity = GATE_SEVERITY_ERROR},
        {.name = GATE_STR("grows (A)"), .pair = GATE_STR("A"), .severity = GATE_SEVERITY_ERROR},
        {.name = GATE_STR("doubles (C)"), .pair = GATE_STR("C"), .severity = GATE_SEVERITY_ERROR},
        {.name = GATE_STR("grows (B)"), .pair = GATE_STR("B"), .severity = GATE_SEVERITY_ERROR},
        {.name = GATE_STR("doubles (D)"), .pair = GATE_STR("D"), .severity = GATE_SEVERITY_WARN},
        {.name = GATE_STR("doubles (E)"), .pair = GATE_STR("E"), .severity = GATE_SEVERITY_ERROR}};
    static const struct {
        double detectable;
        const char *name; /* of the row; NULL: none */
        uint32_t least, most;
    } rows[] = {{0.2, "doubles", 1, 3},   {0.1, NULL, 0, 0}, {0.3, "grows (A)", 2, 2},  {0.4, NULL, 0, 0},
                {0.3, "grows (B)", 4, 4}, {0.5, NULL, 0, 0}, {NAN, "doubles (E)", 6, 6}};
    struct gate_budget_result results[7];
    const struct gate_verdict verdict = {.budgets = results, .budget_count = 7};
    for (uint32_t i = 0; i < 7; i++)
        results[i] = (struct gate_budget_result){
            .budget = &budgets[i], .detectable = rows[i].detectable, .hindrance = GATE_REASON_TOO_FEW_SAMPLES};
    for (uint32_t i = 0; i < 7; i++) {
        struct gate_listing_detectable row;
        assert_int_equal(gate_listing_detectable(&row, &verdict, i, false), rows[i].name != NULL);
        if (rows[i].name == NULL)
            continue;
        assert_true(gate_str_equal(row.name, gate_str_from(rows[i].name)));
        assert_ptr_equal(row.least, &results[rows[i].least]);
        assert_ptr_equal(row.most, &results[rows[i].most]);
    }
    struct gate_listing_detectable row;
    assert_true(gate_listing_detectable(&row, &verdict, 3, true) && gate_str_equal(row.name, budgets[3].name));
}

/* A cause gives the reason of its own outcome, from the first finding that has one. */
TEST(a_cause_gives_the_reason_of_its_outcome) {
    const struct gate_finding warning = {.outcome = GATE_OUTCOME_WARN, .why = GATE_STR("it only warns")},
                              silent = {.outcome = GATE_OUTCOME_FAIL},
                              fail = {.outcome = GATE_OUTCOME_FAIL, .why = GATE_STR("it is over")};
    struct gate_cause_finding findings[] = {{.finding = &warning}, {.finding = &silent}, {.finding = &fail}};
    struct gate_cause cause = {.outcome = GATE_OUTCOME_FAIL, .findings = findings, .finding_count = 3};
    assert_true(gate_str_equal(gate_cause_sentence_why(&cause), GATE_STR("it is over")));
    cause.finding_count = 2;
    assert_int_equal(gate_cause_sentence_why(&cause).len, 0);
}
