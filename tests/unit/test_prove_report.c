/* SPDX-License-Identifier: Apache-2.0 */
/* report/prove_report.h: the table of what the rules find, and the sentences about functions whose growth they miss. */
#include "gate/report/prove_report.h"

#include "gate/base/buf.h"
#include "tests/unit/unit.h"

struct told {
    struct gate_arena arena;
    struct gate_budget budgets[2];
    struct gate_rules rules;
    struct gate_prove_frame frames[4];
    struct gate_prove proof;
};

static struct gate_prove_frame frame(const char *name, uint32_t failed, uint32_t open) {
    struct gate_prove_frame out = {.name = gate_str_from(name), .share = 0.124, .cell_count = 2};
    out.cells[0] = (struct gate_prove_cell){0.02, 0, 0, 10, 0};
    out.cells[1] = (struct gate_prove_cell){0.1, failed, open, 10 - failed - open, failed};
    return out;
}

static void begin(struct told *t) {
    *t =
        (struct told){.budgets = {{.name = GATE_STR("no function takes over")}, {.name = GATE_STR("watched\x1b[31m")}}};
    gate_arena_init(&t->arena, 0);
    t->rules = (struct gate_rules){.source = GATE_STR("rules.yml"), .budgets = t->budgets, .budget_count = 2};
    t->frames[0] = frame("main.found", 9, 1);
    t->frames[0].is_looked_at = true;
    t->frames[0].caught[0] = 9;
    t->frames[1] =
        frame("example.com/a/very/long/path/of/packages/that/no/column/holds.(*Service).unseen\x1b[31m", 0, 0);
    t->frames[2] = frame("main.warned", 0, 0);
    t->frames[2].warned[1] = 10;
    t->frames[2].plant.is_new = true;
    t->frames[3] = frame("main.open", 0, 8);
    t->frames[3].is_looked_at = true;
    t->proof = (struct gate_prove){.frames = t->frames,
                                   .frame_count = 4,
                                   .none = {0.0, 0, 1, 9, 0},
                                   .rules = &t->rules,
                                   .sample_type = GATE_STR("cpu"),
                                   .runs = 3,
                                   .draws = 10,
                                   .baseline_runs = 3,
                                   .variation = GATE_VARIATION_REPLICATES,
                                   .least_share = 0.01};
}

static void expect_holds(const struct gate_buf *found, const char *text) {
    char *all = malloc(found->len + 1);
    assert_non_null(all);
    memcpy(all, found->ptr, found->len);
    all[found->len] = '\0';
    if (strstr(all, text) == NULL)
        fail_msg("found\n%sexpected in it\n%s", all, text);
    assert_null(strchr(all, '\x1b'));
    free(all);
}

TEST(a_terminal_has_a_table) {
    struct told t;
    struct gate_buf out = {0};
    begin(&t);
    gate_prove_report_text(&out, &t.proof, GATE_WRAP_COLUMNS, &t.arena);
    expect_holds(&out, "growth of cpu that rules.yml finds with 3 runs per side: 10 synthetic\n"
                       "comparisons each");
    expect_holds(&out, "  main.found                          12.4%       +10 pp     +10 pp        +2 pp\n");
    expect_holds(&out, "  main.warned (new)                      0%        never          -       +10 pp\n");
    expect_holds(&out, "without growth 0 of 10 failed");
    expect_holds(&out, "found by \"no function takes over\"\n");
    expect_holds(&out, "nothing you wrote looks at\n  example.com");
    expect_holds(&out, "main.warned: growth would only warn, by \"watched");
    expect_holds(&out, "main.open: no growth up to +10 pp is decided");
    for (size_t at = 0, begun = 0; at < out.len; at++)
        if (out.ptr[at] == '\n') {
            size_t columns = gate_str_columns((struct gate_str){out.ptr + begun, at - begun});
            if (columns > GATE_WRAP_COLUMNS && memchr(out.ptr + begun + 4, ' ', at - begun - 4) != NULL &&
                memcmp(out.ptr + begun, "  example", 9) != 0)
                fail_msg("%zu columns: %.*s", columns, (int)(at - begun), out.ptr + begun);
            begun = at + 1;
        }
    gate_buf_free(&out);
    gate_arena_free(&t.arena);
}

/* Why growth of a function is not caught: one sentence, or none. */
TEST(growth_that_is_not_found_has_a_reason) {
    static const struct {
        bool is_looked_at, warns;
        uint32_t failed, open;
        const char *text;
    } rows[] = {{true, false, 0, 1, "main.f: no growth up to +10 pp is decided; compare more or longer runs\n"},
                {true, true, 0, 0, "main.f: growth would only warn, by \"no function takes over\"\n"},
                {false, true, 0, 0, "main.f: growth would only warn, by \"no function takes over\"\n"},
                {false, false, 0, 1, "nothing you wrote looks at main.f: its growth passes\n"},
                {true, false, 0, 0, "no budget that looks at main.f fails at +10 pp: its limits are wider\n"},
                {true, false, 1, 0, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct told t;
        struct gate_buf out = {0};
        begin(&t);
        t.proof.frame_count = 1;
        t.frames[0] = frame("main.f", rows[i].failed, rows[i].open);
        t.frames[0].is_looked_at = rows[i].is_looked_at;
        t.frames[0].warned[0] = rows[i].warns ? 10 : 0;
        gate_prove_report_text(&out, &t.proof, GATE_WRAP_COLUMNS, &t.arena);
        if (rows[i].text != NULL)
            expect_holds(&out, rows[i].text);
        else
            assert_true(gate_str_find(gate_buf_view(&out), GATE_STR("main.f:"), 0) == SIZE_MAX &&
                        gate_str_find(gate_buf_view(&out), GATE_STR("looks at main.f"), 0) == SIZE_MAX);
        gate_buf_free(&out);
        gate_arena_free(&t.arena);
    }
}

TEST(the_required_growth_is_reported_as_found_or_not) {
    struct told t;
    struct gate_buf out = {0};
    begin(&t);
    for (int i = 0; i < 4; i++) {
        t.frames[i].cells[0] = t.frames[i].cells[1];
        t.frames[i].cell_count = 1;
    }
    t.proof.at_least = 0.1;
    gate_prove_report_text(&out, &t.proof, GATE_WRAP_COLUMNS, &t.arena);
    expect_holds(&out, "not sure: main.found, 9 of 10 draws failed\n");
    expect_holds(&out, "not found: main.open, 0 of 10 draws failed\n");
    expect_holds(&out, "FAIL: of 4 functions of at least 1.0%, +10 pp is found in 80% of draws in 0, not\n"
                       "  in 3, and it is undecided in 1; --draws takes more of them\n");
    gate_buf_free(&out);
    gate_arena_free(&t.arena);
}

TEST(markdown_is_escaped) {
    struct told t;
    struct gate_buf out = {0};
    begin(&t);
    t.frames[0].name = GATE_STR("main.a|b");
    gate_prove_report_markdown(&out, &t.proof);
    expect_holds(&out, "| --- | ---: | ---: | ---: | ---: |\n");
    expect_holds(&out, " | 12.4% | +10 pp | +10 pp | +2 pp |\n");
    gate_buf_free(&out);
    gate_arena_free(&t.arena);
}
