/* SPDX-License-Identifier: Apache-2.0 */
/* compare/label_values.h: values of a label in order of their cost, and the share of samples without the label. */
#include "gate/compare/label_values.h"
#include "sweep.h"
#include "tests/unit/labelled_fixture.h"

#include <math.h>

static const struct gate_label_filter everything = {NULL, 0};

static bool find(struct gate_label_values *out, struct pair_fixture *f, const char *key) {
    const struct gate_run_input *const runs[GATE_SIDES] = {f->inputs[0], f->inputs[1]};
    return gate_label_values_find(out, runs, f->counts, gate_str_from(key), GATE_STR(""), &everything, &f->arena,
                                  &f->err);
}

static void assert_value(const struct gate_label_value *value, const char *text, double baseline, double canary) {
    assert_int_equal(value->match.value.len, strlen(text));
    assert_memory_equal(value->match.value.ptr, text, strlen(text));
    assert_true(fabs(value->share[GATE_BASELINE] - baseline) < 1e-12);
    assert_true(fabs(value->share[GATE_CANARY] - canary) < 1e-12);
}

TEST(values_are_sorted_by_the_larger_share) {
    struct gate_label_values values;
    AT_END(fixture_end) struct pair_fixture f = {0};
    labelled_add(&f, GATE_BASELINE, "endpoint=/a m;x 60\nendpoint=/b m;x 30\n- m;x 10", 0);
    labelled_add(&f, GATE_CANARY, "endpoint=/b m;x 20\nendpoint=/c m;x 80", 0);
    assert_true(find(&values, &f, "endpoint"));
    assert_int_equal(values.count, 3);
    assert_value(&values.items[0], "/c", 0.0, 0.8);
    assert_value(&values.items[1], "/a", 0.6, 0.0);
    assert_value(&values.items[2], "/b", 0.3, 0.2);
    assert_true(fabs(values.unlabelled[GATE_BASELINE] - 0.1) < 1e-12);
    assert_true(fabs(values.unlabelled[GATE_CANARY]) < 1e-12);
}

/* A long run counts no more than a short one, because shares are the mean of the runs' shares. */
TEST(shares_are_the_mean_of_the_runs) {
    struct gate_label_values values;
    AT_END(fixture_end) struct pair_fixture f = {0};
    labelled_add(&f, GATE_BASELINE, "e=/a m;x 1000", 0);
    labelled_add(&f, GATE_BASELINE, "e=/b m;x 1", 0);
    labelled_add(&f, GATE_CANARY, "e=/a m;x 1", 0);
    assert_true(find(&values, &f, "e"));
    assert_value(&values.items[0], "/a", 0.5, 1.0);
    assert_value(&values.items[1], "/b", 0.5, 0.0);
}

TEST(numeric_values_are_printed_in_the_form_of_where) {
    struct gate_label_values values;
    AT_END(fixture_end) struct pair_fixture f = {0};
    labelled_add(&f, GATE_BASELINE, "thread#17 m;x 3\nthread#4 m;x 1", 0);
    labelled_add(&f, GATE_CANARY, "thread#17 m;x 3", 0);
    assert_true(find(&values, &f, "thread"));
    assert_value(&values.items[0], "17", 0.75, 1.0);
    const struct gate_label_match *match = &values.items[1].match;
    assert_true(gate_label_values_has(&f.inputs[GATE_BASELINE][0], GATE_STR(""), &everything, match));
    assert_false(gate_label_values_has(&f.inputs[GATE_CANARY][0], GATE_STR(""), &everything, match));
}

TEST(equal_shares_are_sorted_by_text) {
    struct gate_label_values values;
    AT_END(fixture_end) struct pair_fixture f = {0};
    labelled_add(&f, GATE_BASELINE, "e=b m;x 1\ne=a m;x 1\ne=c m;x 1", 0);
    labelled_add(&f, GATE_CANARY, "e=c m;x 1\ne=a m;x 1\ne=b m;x 1", 0);
    assert_true(find(&values, &f, "e"));
    assert_int_equal(values.items[0].match.value.ptr[0], 'a');
    assert_int_equal(values.items[1].match.value.ptr[0], 'b');
    assert_int_equal(values.items[2].match.value.ptr[0], 'c');
}

TEST(a_label_filter_applies_before_values_are_counted) {
    struct gate_label_values values;
    const struct gate_label_match match = {GATE_STR("zone"), GATE_STR("x")};
    const struct gate_label_filter where = {&match, 1};
    AT_END(fixture_end) struct pair_fixture f = {0};
    labelled_add(&f, GATE_BASELINE, "e=a,zone=x m;x 1\ne=b m;x 9", 0);
    labelled_add(&f, GATE_CANARY, "e=a,zone=x m;x 1", 0);
    const struct gate_run_input *const runs[GATE_SIDES] = {f.inputs[0], f.inputs[1]};
    assert_true(gate_label_values_find(&values, runs, f.counts, GATE_STR("e"), GATE_STR(""), &where, &f.arena, &f.err));
    assert_int_equal(values.count, 1);
    assert_value(&values.items[0], "a", 1.0, 1.0);
}

TEST(a_full_arena_is_an_error_at_every_step) {
    struct gate_label_values values;
    AT_END(fixture_end) struct pair_fixture f = {0};
    labelled_add(&f, GATE_BASELINE, "e=a m;x 1\ne=b m;x 1", 0);
    labelled_add(&f, GATE_CANARY, "e=c m;x 1", 0);
    const struct gate_run_input *const runs[GATE_SIDES] = {f.inputs[0], f.inputs[1]};
    for (struct sweep s = {0}; sweep_next(&s, 8);)
        s.done =
            gate_label_values_find(&values, runs, f.counts, GATE_STR("e"), GATE_STR(""), &everything, &s.arena, &s.err);
}
