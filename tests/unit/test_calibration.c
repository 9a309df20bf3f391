/* SPDX-License-Identifier: Apache-2.0 */
/* report/calibration.h: warnings about odd runs. test_decidable.c tests the text about budgets. */
#include "counts_fixture.h"

#include "gate/report/calibration.h"
#include "gate/rules/noise_file.h"

/* U+FFFD, which replaces a control character. */
#define BAD "\xef\xbf\xbd"

struct told {
    struct counts_fixture counts;
    struct gate_odd_run odd[2];
    struct gate_odd_report report;
};

/* Make ten runs of which run 3 is odd: "a" is charged 14% of it. */
static void begin(struct told *t) {
    *t = (struct told){0};
    counts_begin(&t->counts, 2, 10, 1, 1000);
    counts_set_all(&t->counts, 0, 900, 900);
    counts_set_all(&t->counts, 1, 100, 100);
    t->counts.runs[GATE_BASELINE][3].input.path = GATE_STR("good/\"3\x1b[31m\n.pb.gz");
    t->odd[0] = (struct gate_odd_run){.run = 3, .frame = 1, .share = 0.14, .low = 0.031, .high = 0.05};
    t->odd[1] = t->odd[0];
    t->report = (struct gate_odd_report){.list = {.items = t->odd, .count = 1}, .pair = &t->counts.comparison.pair};
}

static void expect(const struct gate_buf *found, const char *text) {
    if (!gate_str_equal(gate_buf_view(found), gate_str_from(text)))
        fail_msg("found\n%.*sexpected\n%s", GATE_STR_ARG(gate_buf_view(found)), text);
}

static void expect_told(struct told *t, bool leaves_out, const char *text) {
    AT_END(gate_buf_free) struct gate_buf out = {0};
    assert_int_equal(gate_calibration_leaves_out(&t->report), leaves_out);
    gate_calibration_odd_text(&out, &t->report);
    expect(&out, text);
}

TEST(an_odd_run_is_named) {
    struct told t;
    begin(&t);
    expect_told(&t, true,
                "warning: left out good/\"3" BAD "[31m" BAD ".pb.gz, which is not like the other runs: a is\n"
                "  charged 14.0% of it, and 3.1% to 5.0% of the others\n"
                "find out what was different there; if such runs are good too, learn from all of\n"
                "them with --keep-odd\n");
    t.report.is_kept = true;
    expect_told(&t, false,
                "warning: good/\"3" BAD "[31m" BAD ".pb.gz is not like the other runs: a is charged 14.0% of\n"
                "  it, and 3.1% to 5.0% of the others\n"
                "a model with such a run takes what it did for noise, and finds less\n");
    counts_end(&t.counts);
}

TEST(good_runs_give_no_warning) {
    struct told t;
    begin(&t);
    t.report.list.count = 0;
    expect_told(&t, false, "");
    counts_end(&t.counts);
}

/* If too many runs differ from the others, the warnings name them, but none is left out. */
TEST(two_groups_of_runs_are_reported) {
    struct told t;
    begin(&t);
    t.counts.runs[GATE_BASELINE][3].input.path = GATE_STR("b");
    t.report.list.count = 2;
    t.report.list.is_split = true;
    expect_told(&t, false,
                "warning: b is not like the other runs: a is charged 14.0% of it, and 3.1% to\n"
                "  5.0% of the others\n"
                "warning: b is not like the other runs: a is charged 14.0% of it, and 3.1% to\n"
                "  5.0% of the others\n"
                "warning: 2 of 10 runs are too many to be odd, so none was left out: learn from\n"
                "runs of one build under one load\n");
    counts_end(&t.counts);
}

/* The comment precedes the model in the file. A line break in a path must not end the comment early. */
TEST(the_file_names_the_runs_that_are_left_out) {
    struct told t;
    begin(&t);
    struct counts_fixture *f = &t.counts;
    struct gate_noise noise, read;
    struct gate_noise_naming naming = {0};
    struct gate_buf file = {0};
    gate_calibration_odd_comment(&file, &t.report);
    expect(&file,
           "# Left out, not like the others: \"good/\\\"3\\u001b[31m\\n.pb.gz\", of which \"a\" is charged 14.0%, of "
           "the others 3.1% to 5.0%.\n");
    assert_true(gate_noise_estimate(&noise, &f->comparison.pair, &f->comparison.deltas, NULL, &f->arena, &f->err));
    assert_true(gate_noise_write(&file, &noise, &naming, &f->arena, &f->err));
    if (!gate_noise_read(&read, &naming, gate_buf_view(&file), &f->arena, &f->err))
        fail_msg("%s", f->err.message);
    gate_buf_free(&file);
    t.report.is_kept = true;
    gate_calibration_odd_comment(&file, &t.report);
    assert_int_equal(file.len, 0);
    gate_buf_free(&file);
    counts_end(f);
}
