/* SPDX-License-Identifier: Apache-2.0 */
/* compare/student.h against values computed by another method, closed forms, and its own inverse. */
#include "gate/compare/student.h"
#include "tests/unit/near.h"

#include <math.h>

/* tests/oracle/reference.py wrote the table: t, degrees of freedom (inf: normal), log of the upper tail. */
TEST(tails_match_the_reference_table) {
    FILE *file = fopen(GATE_SOURCE_DIR "/tests/unit/student.csv", "r");
    assert_non_null(file);
    char line[256];
    int rows = 0;
    assert_non_null(fgets(line, sizeof line, file));
    for (; fgets(line, sizeof line, file) != NULL; rows++) {
        char *end = NULL;
        double t = strtod(line, &end), df = strtod(end + 1, &end), log_p = strtod(end + 1, NULL);
        assert_near(gate_student_log_p(t, df), log_p, 1e-11);
        assert_near(gate_student_log_p(-t, df), log1p(-exp(log_p)), 1e-11);
        if (t > 0.0 && exp(log_p) > 0.0)
            assert_near(gate_student_t(exp(log_p), df), t, 1e-8);
        if (isinf(df)) {
            assert_near(gate_normal_log_p(t), log_p, 1e-13);
            assert_near(gate_normal_log_p(-t), log1p(-exp(log_p)), 1e-13);
            assert_near(gate_normal_p(t), exp(log_p), 1e-13);
        }
    }
    (void)fclose(file);
    assert_int_equal(rows, 11 + 13 * 7);
}

TEST(the_normal_tail_matches_known_values) {
    assert_near(gate_normal_p(1.959963984540054), 0.025, 1e-12);
    assert_near(gate_normal_z(0.025), 1.959963984540054, 1e-12);
    assert_near(gate_normal_z(0.975), -1.959963984540054, 1e-12);
    assert_near(gate_normal_log_z(log(0.975)), -1.959963984540054, 1e-12);
    assert_near(gate_normal_log_z(log(0.025)), 1.959963984540054, 1e-12);
    assert_true(isinf(gate_normal_log_z(0.0)) && gate_normal_log_z(0.0) < 0.0);
    assert_near(gate_normal_log_p(10.0), -53.231285150512465, 1e-12);
    assert_near(gate_normal_log_p(40.0), -804.60844201375387, 1e-12);
    assert_near(gate_normal_log_p(19.999999), gate_normal_log_p(20.000001), 1e-6);
    assert_near(gate_normal_log_p(-3.0), log1p(-gate_normal_p(3.0)), 1e-14);
    for (double z = -5; z < 30; z += 0.37)
        assert_near(gate_normal_z(gate_normal_p(z)), z, 1e-9);
}

TEST(the_student_tail_matches_its_closed_forms) {
    /* One degree of freedom is the Cauchy distribution; two have a closed form. */
    for (double t = 0.25; t < 1e6; t *= 3) {
        assert_near(gate_student_log_p(t, 1), log(atan2(1, t) / 3.14159265358979323846), 1e-11);
        double upper = 1 / (sqrt(2 + t * t) * (sqrt(2 + t * t) + t));
        assert_near(gate_student_log_p(t, 2), log(upper), 1e-11);
    }
    assert_near(gate_student_t(0.025, 4), 2.7764451051977987, 1e-10);
    assert_near(gate_student_t(0.025, INFINITY), 1.959963984540054, 1e-12);
    assert_near(gate_student_t(0.975, 4), -2.7764451051977987, 1e-10);
    assert_near(exp(gate_student_log_p(-2.7764451051977987, 4)), 0.975, 1e-10);
    assert_near(exp(gate_student_log_p(0.0, 7)), 0.5, 1e-15);
    assert_true(gate_student_t(0.5, 7) == 0.0);
    for (double df = 0.3; df < 1e5; df *= 2.3)
        for (double p = 0.499; p > 1e-30; p *= 0.07) {
            double t = gate_student_t(p, df);
            assert_near(gate_student_log_p(t, df), log(p), 1e-10);
        }
    for (double t = 0.1; t < 30; t *= 1.7) /* both ways to compute it agree where they meet */
        assert_near(gate_student_log_p(t, 2999.9999), gate_student_log_p(t, 3000.0001), 1e-7);
}

/* The fast log p is within 0.01 of the exact one, so that p values that differ by 0.02 in log p stay in order. */
TEST(the_fast_log_p_is_exact_to_a_hundredth) {
    const double degrees[] = {1.0, 3.0, 4.0, 5.5, 8.0, 20.0, 21.7, 150.0, 5000.0, INFINITY};
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++)
        for (double t = -45.0; t < 45.0; t += 0.037) {
            double exact = gate_student_log_p(t, degrees[i]), near = gate_student_log_p_near(t, degrees[i]);
            if (!(fabs(exact - near) <= 0.01))
                fail_msg("t %g of %g degrees: %.12g, not %.12g", t, degrees[i], near, exact);
        }
}
