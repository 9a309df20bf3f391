/* SPDX-License-Identifier: Apache-2.0 */
/* Guards over what the files say about themselves: times, types, periods, durations (see guards_sides.h). */
#include "gate/guards/guards_sides.h"

#include "gate/base/buf.h"
#include "gate/guards/build_facts.h"
#include "gate/profile/unit.h"

#include <inttypes.h>

/* Sides that are measured together are taken in any order, often a random one; a baseline of an earlier build is
 * older. */
#define TAKEN_TOGETHER_NS INT64_C(600000000000)

static const struct gate_run *run_at(const struct gate_guard_check *check, uint32_t side, uint32_t index) {
    return &check->pair->sides[side].runs[index];
}

/* Earliest and latest time of a side's runs; false when one does not tell. */
static bool times_of(const struct gate_guard_check *check, uint32_t side, int64_t *first, int64_t *last) {
    *first = INT64_MAX;
    *last = INT64_MIN;
    for (uint32_t i = 0; i < check->pair->sides[side].run_count; i++) {
        int64_t time = run_at(check, side, i)->input.profile->time_ns;
        if (time <= 0)
            return false;
        *first = time < *first ? time : *first;
        *last = time > *last ? time : *last;
    }
    return true;
}

/* What the builds of the two sides tell of their order. */
enum build_order { ORDER_UNKNOWN, ORDER_RIGHT, ORDER_TURNED };

static enum build_order order_of(int least, int most) {
    /* Of every baseline and every canary, the sign of how much later the canary's build is. */
    return least > 0 ? ORDER_RIGHT : most < 0 ? ORDER_TURNED : ORDER_UNKNOWN;
}

/* By when they were built; `*ns` is by how much the canary's is the older one, at least. */
static enum build_order order_by_time(const struct gate_guard_check *check, int64_t *ns) {
    int64_t first[GATE_SIDES] = {INT64_MAX, INT64_MAX}, last[GATE_SIDES] = {INT64_MIN, INT64_MIN};
    for (uint32_t side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < check->pair->sides[side].run_count; i++) {
            struct gate_build_facts facts;
            gate_build_facts_read(&facts, run_at(check, side, i)->input.profile);
            if (facts.built_ns == 0)
                return ORDER_UNKNOWN;
            first[side] = facts.built_ns < first[side] ? facts.built_ns : first[side];
            last[side] = facts.built_ns > last[side] ? facts.built_ns : last[side];
        }
    *ns = first[GATE_BASELINE] - last[GATE_CANARY];
    return order_of(first[GATE_CANARY] > last[GATE_BASELINE], first[GATE_BASELINE] > last[GATE_CANARY] ? -1 : 0);
}

/* By their versions, of which two that turn the order are handed back. */
static enum build_order order_by_version(const struct gate_guard_check *check, struct gate_str versions[GATE_SIDES]) {
    int least = 1, most = -1;
    for (uint32_t b = 0; b < check->pair->sides[GATE_BASELINE].run_count; b++)
        for (uint32_t c = 0; c < check->pair->sides[GATE_CANARY].run_count; c++) {
            struct gate_build_facts facts[GATE_SIDES];
            int order = 0;
            gate_build_facts_read(&facts[GATE_BASELINE], run_at(check, GATE_BASELINE, b)->input.profile);
            gate_build_facts_read(&facts[GATE_CANARY], run_at(check, GATE_CANARY, c)->input.profile);
            if (!gate_build_facts_order(&order, facts[GATE_CANARY].version, facts[GATE_BASELINE].version))
                return ORDER_UNKNOWN;
            least = order < least ? order : least;
            most = order > most ? order : most;
            versions[GATE_BASELINE] = facts[GATE_BASELINE].version;
            versions[GATE_CANARY] = facts[GATE_CANARY].version;
        }
    return order_of(least, most);
}

/* By when they were taken: the last resort, since sides are taken in any order. */
static bool swapped_by_capture(struct gate_guard_check *check) {
    int64_t first[GATE_SIDES];
    int64_t last[GATE_SIDES];
    for (uint32_t side = 0; side < GATE_SIDES; side++)
        if (!times_of(check, side, &first[side], &last[side]))
            return true;
    if (last[GATE_CANARY] >= first[GATE_BASELINE] || first[GATE_BASELINE] - last[GATE_CANARY] <= TAKEN_TOGETHER_NS)
        return true;
    double minutes = (double)(first[GATE_BASELINE] - last[GATE_CANARY]) / 60e9;
    return gate_guard_check_warn(
        check, GATE_GUARD_SWAPPED,
        "the sides look swapped: the canary was taken %.0f minutes before the baseline; give the "
        "baseline first",
        minutes);
}

bool gate_guards_sides_swapped(struct gate_guard_check *check, double limit) {
    struct gate_str versions[GATE_SIDES] = {{"", 0}, {"", 0}};
    int64_t ns = 0;
    (void)limit;
    enum build_order order = order_by_time(check, &ns);
    if (order == ORDER_TURNED)
        return gate_guard_check_warn(
            check, GATE_GUARD_SWAPPED,
            "the sides look swapped: the canary was built %.3g hours before the baseline; give the baseline first, "
            "unless you go back to an older build",
            (double)ns / 3600e9);
    if (order == ORDER_UNKNOWN)
        order = order_by_version(check, versions);
    if (order == ORDER_TURNED)
        return gate_guard_check_warn(
            check, GATE_GUARD_SWAPPED,
            "the sides look swapped: the canary is version %.*s, the baseline %.*s; give the baseline first, unless "
            "you go back to an older version",
            GATE_STR_ARG(gate_str_slice(versions[GATE_CANARY], 0, 60)),
            GATE_STR_ARG(gate_str_slice(versions[GATE_BASELINE], 0, 60)));
    return order == ORDER_RIGHT || swapped_by_capture(check);
}

static bool has_type(const struct gate_profile *profile, struct gate_value_type wanted) {
    for (uint32_t i = 0; i < profile->sample_type_count; i++)
        if (gate_str_equal(profile->sample_types[i].type, wanted.type) &&
            gate_str_equal(profile->sample_types[i].unit, wanted.unit))
            return true;
    return false;
}

static bool same_types(const struct gate_profile *a, const struct gate_profile *b) {
    bool same = a->sample_type_count == b->sample_type_count;
    for (uint32_t i = 0; same && i < a->sample_type_count; i++)
        same = has_type(b, a->sample_types[i]);
    return same;
}

static void print_types(struct gate_buf *out, const struct gate_profile *profile) {
    for (uint32_t i = 0; i < profile->sample_type_count; i++)
        gate_buf_printf(out, "%s%.*s/%.*s", i == 0 ? "" : ", ", GATE_STR_ARG(profile->sample_types[i].type),
                        GATE_STR_ARG(profile->sample_types[i].unit));
}

bool gate_guards_sides_different_types(struct gate_guard_check *check, double limit) {
    const struct gate_profile *first = run_at(check, GATE_BASELINE, 0)->input.profile;
    const struct gate_profile *other = NULL;
    uint32_t where = GATE_BASELINE;
    (void)limit;
    for (uint32_t side = 0; side < GATE_SIDES && other == NULL; side++)
        for (uint32_t i = 0; i < check->pair->sides[side].run_count && other == NULL; i++)
            if (!same_types(first, run_at(check, side, i)->input.profile)) {
                other = run_at(check, side, i)->input.profile;
                where = side;
            }
    if (other == NULL)
        return true;
    struct gate_buf text = {0};
    print_types(&text, first);
    gate_buf_printf(&text, "; a %s run has ", gate_guard_check_side(where));
    print_types(&text, other);
    bool ok =
        gate_buf_check(&text, check->err) &&
        gate_guard_check_warn(check, GATE_GUARD_DIFFERENT_TYPES,
                              "the files carry different sample types: the baseline has %.*s; take both sides with "
                              "the same profiler and the same options",
                              GATE_STR_ARG(gate_buf_view(&text)));
    gate_buf_free(&text);
    return ok;
}

static double ratio_between(double a, double b) {
    return a > b ? a / b : b / a;
}

/* Some profilers write down the period that they achieved, which is never twice the same: hence a limit. */
bool gate_guards_sides_different_period(struct gate_guard_check *check, double limit) {
    const struct gate_profile *a = run_at(check, GATE_BASELINE, 0)->input.profile;
    const struct gate_profile *b = run_at(check, GATE_CANARY, 0)->input.profile;
    bool same_type = gate_str_equal(a->period_type.type, b->period_type.type) &&
                     gate_str_equal(a->period_type.unit, b->period_type.unit);
    if (a->period <= 0 || b->period <= 0 || (same_type && ratio_between((double)a->period, (double)b->period) <= limit))
        return true;
    return gate_guard_check_warn(check, GATE_GUARD_DIFFERENT_PERIOD,
                                 "the sampling period differs: %" PRId64 " %.*s/%.*s in the baseline, %" PRId64
                                 " %.*s/%.*s in the canary; sample both sides at the same rate",
                                 a->period, GATE_STR_ARG(a->period_type.type), GATE_STR_ARG(a->period_type.unit),
                                 b->period, GATE_STR_ARG(b->period_type.type), GATE_STR_ARG(b->period_type.unit));
}

/* Whether the pair's unit is a time. */
static bool is_time(const struct gate_pair *pair) {
    return gate_unit_ratio(GATE_STR("h"), pair->type.unit) > 0;
}

/* What one sample stands for, only where samples are counted beside the value and all weigh the same; else 0. */
static double weight_of(const struct gate_guard_check *check, uint32_t side) {
    const struct gate_side *of = &check->pair->sides[side];
    for (uint32_t i = 0; i < of->run_count; i++)
        if (of->runs[i].counts.kind != GATE_COUNTS_COLUMN)
            return 0.0;
    return of->events > 0.0 && is_time(check->pair) ? (double)of->total / of->events : 0.0;
}

bool gate_guards_sides_different_rate(struct gate_guard_check *check, double limit) {
    double weight[GATE_SIDES] = {weight_of(check, GATE_BASELINE), weight_of(check, GATE_CANARY)};
    if (weight[0] <= 0.0 || weight[1] <= 0.0 || ratio_between(weight[0], weight[1]) <= limit)
        return true;
    return gate_guard_check_warn(
        check, GATE_GUARD_DIFFERENT_RATE,
        "the sampling rate differs: a sample stands for %.4g %.*s in the baseline and %.4g in the canary; "
        "use the same rate for both",
        weight[0], GATE_STR_ARG(check->pair->type.unit), weight[1]);
}

/* Mean duration of the runs that tell one, in seconds; 0: none does. */
static double mean_duration(const struct gate_guard_check *check, uint32_t side) {
    double sum = 0.0;
    uint32_t told = 0;
    for (uint32_t i = 0; i < check->pair->sides[side].run_count; i++) {
        int64_t duration_ns = run_at(check, side, i)->input.profile->duration_ns;
        if (duration_ns <= 0)
            continue;
        sum += (double)duration_ns / 1e9;
        told++;
    }
    return told == 0 ? 0.0 : sum / told;
}

/* Durations of centuries are mistakes of whoever wrote them. */
static bool is_duration_cut(const struct gate_guard_check *check, uint32_t side) {
    int64_t sum_ns = check->pair->sides[side].duration_ns;
    return sum_ns == INT64_MAX || sum_ns == INT64_MIN;
}

bool gate_guards_sides_different_duration(struct gate_guard_check *check, double limit) {
    for (uint32_t side = 0; side < GATE_SIDES; side++)
        if (is_duration_cut(check, side))
            return gate_guard_check_warn(
                check, GATE_GUARD_DIFFERENT_DURATION,
                "the durations of the %s add up to more than 64 bits can hold, and are cut to "
                "292 years: do not trust amounts per second; set the profiles' durations right",
                gate_guard_check_side(side));
    double seconds[GATE_SIDES] = {mean_duration(check, GATE_BASELINE), mean_duration(check, GATE_CANARY)};
    if (seconds[0] <= 0.0 || seconds[1] <= 0.0 || ratio_between(seconds[0], seconds[1]) <= limit)
        return true;
    return gate_guard_check_warn(
        check, GATE_GUARD_DIFFERENT_DURATION,
        "the captures differ in length: %.3g s a run in the baseline, %.3g s in the canary (more than "
        "%.3gx); capture both sides for the same time",
        seconds[0], seconds[1], limit);
}

/* Types that Go and others count from the program's start, unless a window was asked for. */
static bool counts_from_start(struct gate_str type) {
    return gate_str_starts(type, GATE_STR("alloc_")) || gate_str_equal(type, GATE_STR("contentions")) ||
           gate_str_equal(type, GATE_STR("delay"));
}

bool gate_guards_sides_delta_profile(struct gate_guard_check *check, double limit) {
    uint32_t windows[GATE_SIDES] = {0, 0};
    (void)limit;
    for (uint32_t side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < check->pair->sides[side].run_count; i++) {
            const struct gate_profile *profile = run_at(check, side, i)->input.profile;
            if (profile->is_saved_diff || profile->has_negative_values)
                return gate_guard_check_warn(
                    check, GATE_GUARD_DELTA_PROFILE,
                    "a %s run is the difference of two profiles (%s): compare the profiles themselves",
                    gate_guard_check_side(side),
                    profile->is_saved_diff ? "it carries pprof's diff label" : "it has negative values");
            windows[side] += profile->duration_ns > 0;
        }
    bool mixed = (windows[0] == 0 && windows[1] == check->pair->sides[1].run_count) ||
                 (windows[1] == 0 && windows[0] == check->pair->sides[0].run_count);
    if (!counts_from_start(check->pair->type.type) || !mixed)
        return true;
    uint32_t window = windows[0] != 0 ? GATE_BASELINE : GATE_CANARY;
    return gate_guard_check_warn(
        check, GATE_GUARD_DELTA_PROFILE,
        "the %s covers a window (it has a duration), while the other side counts from the start of the "
        "program; take both with ?seconds=N, or neither",
        gate_guard_check_side(window));
}
