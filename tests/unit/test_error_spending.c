/* SPDX-License-Identifier: Apache-2.0 */
/* compare/error_spending.h against values computed by another method, against what is known of spending, and against
 * its own inverse. */
#include "gate/compare/error_spending.h"

#include "gate/base/hash.h"
#include "gate/compare/student.h"
#include "tests/unit/near.h"

static struct gate_spending begin(const double *t, uint32_t count) {
    struct gate_spending spending;
    if (!gate_spending_begin(&spending, t, count, &err))
        fail_msg("%s", err.message);
    return spending;
}

static const double five[] = {0.2, 0.4, 0.6, 0.8, 1.0};
static const double odd[] = {0.013, 0.3, 0.305, 0.9};
enum { ODD = sizeof odd / sizeof *odd };

/* tests/oracle/reference.py wrote it: the looks, the total level, z of the last look's boundary. */
TEST(boundaries_match_the_reference_table) {
    FILE *file = fopen(GATE_SOURCE_DIR "/tests/unit/spending.csv", "r");
    char line[256];
    int rows = 0;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    for (; fgets(line, sizeof line, file) != NULL; rows++) {
        double t[16];
        uint32_t count = 0;
        char *end = line;
        for (; *end != ','; count++)
            t[count] = strtod(end, &end);
        double total = strtod(end + 1, &end), z = strtod(end + 1, NULL);
        const struct gate_spending spending = begin(t, count);
        assert_near(gate_normal_log_z(gate_spending_nominal(&spending, log(total))), z, 3e-6);
        assert_near(gate_spending_total(&spending, gate_normal_log_p(z)), log(total), 2e-5);
    }
    (void)fclose(file);
    assert_int_equal(rows, 36);
}

TEST(a_single_look_leaves_p_values_unchanged) {
    const double whole[] = {1.0};
    for (uint32_t count = 0; count < 2; count++) {
        const struct gate_spending spending = begin(whole, count);
        for (double log_p = -1e-9; log_p > -3000; log_p *= 3.3) {
            assert_true(gate_spending_nominal(&spending, log_p) == log_p);
            assert_true(gate_spending_total(&spending, log_p) == log_p);
        }
    }
}

TEST(a_first_look_has_what_is_spent_by_then) {
    const double half[] = {0.5};
    const struct gate_spending spending = begin(half, 1);
    assert_near(exp(gate_spending_nominal(&spending, log(0.05))), 0.05 / 8, 1e-12);
    assert_near(exp(gate_spending_total(&spending, log(0.001))), 0.008, 1e-12);
    assert_near(exp(gate_spending_spent(log(0.01), 0.5)), 0.00125, 1e-12);
    assert_near(exp(gate_spending_spent(log(0.01), 1.0)), 0.01, 1e-12);
}

/* The level of a look is the level spent since the last look, plus a part of the level spent before that would be
 * rejected again now. So it is at least the former, and at most the sum. */
TEST(a_level_is_between_its_step_and_all_that_is_spent) {
    for (uint32_t count = 2; count <= 5; count++) {
        const struct gate_spending spending = begin(five, count);
        double last = 0.0, now = five[count - 1], before = five[count - 2];
        for (double log_total = log(0.5); log_total > -2500; log_total *= 1.1) {
            double nominal = gate_spending_nominal(&spending, log_total);
            assert_true(nominal < last);
            assert_true(nominal <= log_total + 3 * log(now));
            assert_true(nominal >= log_total + log(now * now * now - before * before * before) - 1e-4);
            last = nominal;
        }
    }
}

TEST(the_total_spent_is_the_inverse_of_the_level) {
    const double *looks[] = {five, odd};
    for (int i = 0; i < 2; i++) {
        const struct gate_spending spending = begin(looks[i], i == 0 ? 5 : ODD);
        double last = 1.0;
        for (double log_p = -0.01; log_p > -2500; log_p *= 1.07) {
            double total = gate_spending_total(&spending, log_p);
            assert_true(total >= log_p && total <= last);
            last = total;
            if (total < 0.0)
                assert_near(gate_spending_nominal(&spending, total), log_p, 1e-11);
        }
        assert_true(gate_spending_total(&spending, gate_spending_nominal(&spending, log(0.5)) + 1e-6) == 0.0);
        assert_near(gate_spending_total(&spending, gate_spending_nominal(&spending, log(0.49))), log(0.49), 1e-11);
        assert_true(gate_spending_total(&spending, -INFINITY) == -INFINITY);
        assert_true(gate_spending_nominal(&spending, -INFINITY) == -INFINITY);
        assert_true(gate_spending_total(&spending, 0.0) == 0.0);
    }
}

/* 40 000 sequences of five looks: over any boundary as often as the level says. */
TEST(sequences_spend_the_level) {
    enum { DRAWS = 40000, LOOKS = 5 };
    double bounds[LOOKS];
    uint32_t over[LOOKS] = {0};
    uint64_t random = 7;
    for (uint32_t k = 0; k < LOOKS; k++) {
        const struct gate_spending spending = begin(five, k + 1);
        bounds[k] = gate_normal_log_z(gate_spending_nominal(&spending, log(0.2)));
    }
    for (int i = 0; i < DRAWS; i++) {
        double sum = 0.0;
        for (uint32_t k = 0; k < LOOKS; k++) {
            double u = ((double)(gate_hash_mix(++random) >> 11) + 0.5) / 9007199254740992.0;
            sum += gate_normal_z(u) * sqrt(0.2);
            if (sum / sqrt(five[k]) > bounds[k]) {
                over[k]++;
                break;
            }
        }
    }
    double seen = 0.0;
    for (uint32_t k = 0; k < LOOKS; k++) {
        seen += (double)over[k] / DRAWS;
        assert_near(seen, 0.2 * five[k] * five[k] * five[k], 0.007);
    }
}

TEST(information_that_does_not_grow_is_refused) {
    double many[GATE_SPENDING_LOOKS_MAX + 1];
    for (uint32_t i = 0; i <= GATE_SPENDING_LOOKS_MAX; i++)
        many[i] = (i + 1.0) / (GATE_SPENDING_LOOKS_MAX + 1.0);
    const struct {
        double t[3];
        uint32_t count;
        const char *says;
    } rows[] = {
        {{0.5, 0.5, 1}, 3, "look 2 has 0.5 of the information there can be"},
        {{0.5, 0.4, 1}, 3, "look 2 has 0.4 of"},
        {{0.5, 0.5005, 1}, 3, "expected 0.001 more than the look before, and at most 1"},
        {{0.0, 1}, 2, "look 1 has 0 of"},
        {{-0.5, 1}, 2, "look 1 has -0.5 of"},
        {{0.5, 1.01}, 2, "look 2 has 1.01 of"},
        {{NAN, 1}, 2, "look 1 has nan of"},
    };
    struct gate_spending spending;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_false(gate_spending_begin(&spending, rows[i].t, rows[i].count, &err));
        assert_int_equal(err.code, GATE_ERR_INPUT);
        if (strstr(err.message, rows[i].says) == NULL)
            fail_msg("row %zu: %s", i, err.message);
    }
    assert_false(gate_spending_begin(&spending, many, GATE_SPENDING_LOOKS_MAX + 1, &err));
    assert_int_equal(err.code, GATE_ERR_LIMIT);
    assert_string_equal(err.message, "65 looks, and there can be 64: look less often");
}
