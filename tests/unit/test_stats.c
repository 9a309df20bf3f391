/* SPDX-License-Identifier: Apache-2.0 */
/* compare/evidence.h against values that another method computed to 60 digits (tests/oracle), and against properties
 * that must hold. */
#include "gate/compare/evidence.h"
#include "gate/compare/student.h"
#include "tests/unit/near.h"

#include <math.h>

/* One row of the reference table, read by column name. */
struct row {
    char *names[80];
    char *cells[80];
    int count;
};

static int split(char *line, char **cells, int max) {
    int count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at != NULL && count < max; count++) {
        cells[count] = at;
        at = strchr(at, ',');
        if (at != NULL)
            *at++ = '\0';
    }
    return count;
}

static const char *cell(const struct row *row, const char *name) {
    for (int i = 0; i < row->count; i++)
        if (strcmp(row->names[i], name) == 0)
            return row->cells[i];
    fail_msg("the reference table has no column '%s'", name);
    return NULL;
}

static void expect_cell(const struct row *row, const char *name, double found) {
    const char *text = cell(row, name);
    if (*text == '\0')
        return;
    double expected = strtod(text, NULL);
    if (found != expected && !(fabs(found - expected) <= 1e-9 * fmax(1.0, fabs(expected))))
        fail_msg("case %s, %s: found %.17g, expected %.17g", cell(row, "case"), name, found, expected);
}

static double plain_score(struct gate_counts2 c, double b) {
    double p1 = gate_score_restricted_p1(c, b), p2 = p1 + b, n = c.n1 + c.n2;
    double variance = (p1 * (1 - p1) / c.n1 + p2 * (1 - p2) / c.n2) * n / (n - 1);
    return variance < 1e-300 ? 0.0 : (c.k2 / c.n2 - c.k1 / c.n1 - b) / sqrt(variance);
}

static double plain_ratio(struct gate_counts2 c, double r) {
    double p1 = gate_ratio_restricted_p1(c, r), p2 = r * p1, n = c.n1 + c.n2;
    double variance = (p2 * (1 - p2) / c.n2 + r * r * p1 * (1 - p1) / c.n1) * n / (n - 1);
    return variance < 1e-300 ? 0.0 : (c.k2 / c.n2 - r * c.k1 / c.n1) / sqrt(variance);
}

static void check_shared_row(const struct row *row) {
    struct gate_counts2 c = {strtod(cell(row, "k1"), NULL), strtod(cell(row, "n1"), NULL),
                             strtod(cell(row, "k2"), NULL), strtod(cell(row, "n2"), NULL)};
    static const struct {
        double b;
        const char *p1, *plain, *z, *p;
    } bounds[] = {{0.0, "cmle_p1_b0", "mn_z_b0", "scas_z_b0", "scas_p_b0"},
                  {0.01, "cmle_p1_b0.01", "mn_z_b0.01", "scas_z_b0.01", "scas_p_b0.01"},
                  {0.05, "cmle_p1_b0.05", "mn_z_b0.05", "scas_z_b0.05", "scas_p_b0.05"}};
    for (size_t i = 0; i < 3; i++) {
        expect_cell(row, bounds[i].p1, gate_score_restricted_p1(c, bounds[i].b));
        expect_cell(row, bounds[i].plain, plain_score(c, bounds[i].b));
        expect_cell(row, bounds[i].z, gate_score_z(c, bounds[i].b));
        expect_cell(row, bounds[i].p, gate_normal_p(gate_score_z(c, bounds[i].b)));
    }
    static const struct {
        double r;
        const char *p1, *plain, *z, *p;
    } ratios[] = {{1.0, "cmle_p1_r1", "koop_z_r1", "scasrr_z_r1", "scasrr_p_r1"},
                  {1.5, "cmle_p1_r1.5", "koop_z_r1.5", "scasrr_z_r1.5", "scasrr_p_r1.5"},
                  {2.0, "cmle_p1_r2", "koop_z_r2", "scasrr_z_r2", "scasrr_p_r2"}};
    for (size_t i = 0; i < 3; i++) {
        expect_cell(row, ratios[i].p1, gate_ratio_restricted_p1(c, ratios[i].r));
        expect_cell(row, ratios[i].plain, plain_ratio(c, ratios[i].r));
        expect_cell(row, ratios[i].z, gate_ratio_z(c, ratios[i].r));
        expect_cell(row, ratios[i].p, gate_normal_p(gate_ratio_z(c, ratios[i].r)));
    }
    double z90 = gate_normal_z(0.05);
    expect_cell(row, "scas90_lo", gate_score_bound(c, z90));
    expect_cell(row, "scas90_hi", gate_score_bound(c, -z90));
    expect_cell(row, "scasrr90_lo", gate_ratio_bound(c, z90));
    expect_cell(row, "scasrr90_hi", gate_ratio_bound(c, -z90));
}

/* Check each row of a table. Return the number of rows. */
static int each_row(FILE *file, void (*check)(const struct row *row)) {
    char header[8192], line[8192];
    struct row row = {.count = 0};
    int rows = 0;
    assert_non_null(fgets(header, sizeof header, file));
    row.count = split(header, row.names, 80);
    for (; fgets(line, sizeof line, file) != NULL; rows++) {
        assert_int_equal(split(line, row.cells, 80), row.count);
        check(&row);
    }
    (void)fclose(file);
    return rows;
}

TEST(matches_the_shared_table) {
    skip_without_reference_profiles();
    FILE *file = fopen(GATE_SHARED_DIR "/oracle/stats.csv", "r");
    assert_non_null(file);
    assert_int_equal(each_row(file, check_shared_row), 18);
}

static struct gate_counts2 counts_of(const struct row *row) {
    return (struct gate_counts2){strtod(cell(row, "k1"), NULL), strtod(cell(row, "n1"), NULL),
                                 strtod(cell(row, "k2"), NULL), strtod(cell(row, "n2"), NULL)};
}

/* `name` is a prefix such as "points_z_"; the rest of the column's name is the limit. */
static void expect_at(const struct row *row, const char *name, const char *limit, double found) {
    char column[64];
    (void)snprintf(column, sizeof column, "%s_%s", name, limit);
    expect_cell(row, column, found);
}

static void check_bounds(const struct row *row, struct gate_counts2 c) {
    double z90 = gate_normal_z(0.05);
    expect_cell(row, "points_low", gate_score_bound(c, z90));
    expect_cell(row, "points_high", gate_score_bound(c, -z90));
    expect_cell(row, "ratio_low", gate_ratio_bound(c, z90));
    expect_cell(row, "ratio_high", gate_ratio_bound(c, -z90));
    expect_cell(row, "share_low", gate_one_sample_bound(c.k2, c.n2, z90));
    expect_cell(row, "share_high", gate_one_sample_bound(c.k2, c.n2, -z90));
    expect_cell(row, "detectable_0.01", gate_detectable_effect(c, 0.01, 1.6448536269514722, 0.8416212335729143));
    expect_cell(row, "detectable_0.05", gate_detectable_effect(c, 0.05, 1.6448536269514722, 0.8416212335729143));
}

static void check_own_row(const struct row *row) {
    static const char *const points[] = {"0", "0.01", "0.05", "-0.02"}, *const ratios[] = {"1", "1.5", "2", "0.8"};
    static const char *const shares[] = {"0.02", "0.3"};
    struct gate_counts2 c = counts_of(row);
    for (size_t i = 0; i < 4; i++) {
        double b = strtod(points[i], NULL), z = gate_score_z(c, b);
        expect_at(row, "points_p1", points[i], gate_score_restricted_p1(c, b));
        expect_at(row, "points_plain", points[i], plain_score(c, b));
        expect_at(row, "points_z", points[i], z);
        expect_at(row, "points_p", points[i], gate_normal_p(z));
    }
    for (size_t i = 0; i < 4; i++) {
        double r = strtod(ratios[i], NULL);
        expect_at(row, "ratio_p1", ratios[i], gate_ratio_restricted_p1(c, r));
        expect_at(row, "ratio_plain", ratios[i], plain_ratio(c, r));
        expect_at(row, "ratio_z", ratios[i], gate_ratio_z(c, r));
    }
    for (size_t i = 0; i < 2; i++)
        expect_at(row, "share_z", shares[i], gate_one_sample_z(c.k2, c.n2, strtod(shares[i], NULL)));
    check_bounds(row, c);
}

/* tests/oracle/reference.py wrote the table, with 60 digits and by other methods. */
TEST(scores_and_bounds_match_the_reference_table) {
    FILE *file = fopen(GATE_SOURCE_DIR "/tests/unit/stats.csv", "r");
    assert_non_null(file);
    assert_int_equal(each_row(file, check_own_row), 26);
}

TEST(zero_variance_gives_no_evidence) {
    struct gate_counts2 root = {700, 700, 900, 900}, absent = {0, 700, 0, 900};
    assert_true(gate_score_z(root, 0.0) == 0.0);
    assert_true(gate_score_z(absent, 0.0) == 0.0);
    assert_true(gate_ratio_z(absent, 1.0) == 0.0);
    assert_true(gate_one_sample_z(5, 100, 1e-310) == 0.0);
    assert_true(gate_score_z(root, 0.05) < -5.0);
    struct gate_counts2 gone = {10, 100, 0, 100}, fresh = {0, 100, 10, 100};
    assert_true(gate_ratio_bound(gone, 1.645) == 0.0);
    assert_true(isinf(gate_ratio_bound(fresh, -1.645)));
}

TEST(swapped_sides_negate_the_score) {
    struct gate_counts2 a = {31, 695, 98, 748}, b = {98, 748, 31, 695};
    for (double margin = -0.3; margin < 0.31; margin += 0.05)
        assert_near(gate_score_z(a, margin), -gate_score_z(b, -margin), 1e-9);
}

static double uniform(uint64_t *seed) {
    return (double)(gate_hash_mix(++*seed) >> 11) * 0x1p-53;
}

static struct gate_counts2 random_counts(uint64_t *seed) {
    struct gate_counts2 c = {.n1 = exp(uniform(seed) * 20), .n2 = exp(uniform(seed) * 20)};
    double shape = uniform(seed), p = exp(-uniform(seed) * 12);
    c.k1 = c.n1 * (shape < 0.1 ? 0.0 : shape > 0.9 ? 1.0 : p);
    c.k2 = c.n2 * (uniform(seed) < 0.2 ? uniform(seed) : fmin(1.0, p * exp(2 * uniform(seed) - 1)));
    return c;
}

/* For any counts the results are finite numbers, and the restricted estimate solves its equation within its domain. */
TEST(extreme_inputs_give_numbers) {
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        struct gate_counts2 c = random_counts(&seed);
        double b = 2 * uniform(&seed) - 1, r = exp(12 * uniform(&seed) - 6);
        double p1 = gate_score_restricted_p1(c, b);
        assert_true(p1 >= fmax(0, -b) - 1e-15 && p1 <= fmin(1, 1 - b) + 1e-15);
        assert_true(isfinite(gate_score_z(c, b)) && isfinite(gate_ratio_z(c, r)));
        double log_p = gate_student_log_p(gate_score_z(c, b), exp(10 * uniform(&seed)));
        assert_true(isfinite(log_p) && log_p <= 0.0);
        assert_true(isfinite(gate_detectable_effect(c, b, 4.0, 0.84)));
    }
}

/* For 20 counts or more: a wider limit never makes z larger, and more counts in the canary never make it smaller. */
TEST(z_is_monotone_in_limit_and_counts) {
    uint64_t seed = 2;
    int checked = 0;
    while (checked < 20000) {
        struct gate_counts2 c = random_counts(&seed);
        double b = uniform(&seed) * 0.5, wider = b + uniform(&seed) * (0.9 - b);
        double more = fmin(c.n2, c.k2 * (1 + uniform(&seed)) + 1);
        double balance = c.n1 / c.n2;
        bool possible = c.k1 / c.n1 + wider <= 1.0; /* beyond this no canary could break the limit */
        if (c.k1 + c.k2 < 20 || balance > 20 || balance < 0.05 || !possible)
            continue;
        checked++;
        struct gate_counts2 raised = {c.k1, c.n1, more, c.n2};
        double z = gate_score_z(c, b);
        assert_true(gate_score_z(c, wider) <= z + 1e-9 * (1 + fabs(z)));
        assert_true(gate_score_z(raised, b) >= z - 1e-9 * (1 + fabs(z)));
    }
}

TEST(interval_ends_carry_the_critical_z) {
    struct gate_counts2 c = {30.5, 610.25, 61.75, 655.5};
    for (double z = -1.96; z < 2.0; z += 2.0 * 1.96) {
        assert_near(gate_score_z(c, gate_score_bound(c, z)), z, 1e-9);
        assert_near(gate_ratio_z(c, gate_ratio_bound(c, z)), z, 1e-9);
    }
    double bound = gate_one_sample_bound(61.75, 655.5, -1.96);
    assert_near(gate_one_sample_z(61.75, 655.5, bound), -1.96, 1e-9);
}

TEST(detectable_effect_shrinks_with_samples) {
    double before = 1.0;
    for (double n = 200; n < 1e6; n *= 3) {
        struct gate_counts2 c = {0.05 * n, n, 0.05 * n, n};
        double effect = gate_detectable_effect(c, 0.02, gate_normal_z(1e-4), 0.84);
        assert_true(effect > 0.02 && effect < before);
        before = effect;
    }
    /* With many samples, the deviations of the level and of the power add up. */
    struct gate_counts2 c = {5000, 100000, 5000, 100000};
    double effect = gate_detectable_effect(c, 0.05, 1.645, 0.8416212335729143);
    double p2 = 0.05 + effect;
    double deviation = sqrt(0.05 * 0.95 / 1e5 + p2 * (1 - p2) / 1e5);
    assert_near(effect, 0.05 + (1.645 + 0.8416212335729143) * deviation, 1e-4);
    /* With four samples no growth is found at six deviations: any growth can go undetected. */
    assert_near(gate_detectable_effect((struct gate_counts2){1, 4, 1, 4}, 0.05, 6.0, 0.84), 0.75, 1e-12);
}

TEST(the_wilson_interval_matches_known_values) {
    double low = 0, high = 0;
    gate_wilson_interval(0, 100, 1.959963984540054, &low, &high);
    assert_true(low == 0.0);
    assert_near(high, 0.036994, 1e-5);
    gate_wilson_interval(50, 100, 1.959963984540054, &low, &high);
    assert_near(low, 0.403832, 1e-5);
    double one_low = 0, all_low = 0, all_high = 0;
    gate_wilson_interval(1, 100, 1.959963984540054, &one_low, &all_high);
    assert_near(one_low, 0.001767, 1e-5);
    gate_wilson_interval(100, 100, 1.959963984540054, &all_low, &all_high);
    assert_near(all_low, 1 - 0.036994, 1e-5);
    assert_true(all_high == 1.0);
    assert_near(high, 0.596168, 1e-5);
}
