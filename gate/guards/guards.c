/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/guards/guards.h"

#include "gate/base/buf.h"
#include "gate/base/figures.h"
#include "gate/compare/comparison.h"
#include "gate/compare/cost.h"
#include "gate/compare/own_growth.h"
#include "gate/compare/waits.h"
#include "gate/formats/counted_cpu.h"
#include "gate/formats/format.h"
#include "gate/guards/build_facts.h"
#include "gate/guards/guard_check.h"
#include "gate/guards/guards_frames.h"
#include "gate/guards/guards_origin.h"
#include "gate/guards/guards_unseen.h"
#include "gate/model/unit.h"
#include "gate/rules/guard_rules.h"

#include <math.h>

/* ---- capture ----------------------------------------------------------------------------------------------------- */

/* Guards on what the files record about themselves: times, sample types, periods, durations. */

/* Sides taken within 10 minutes were measured together, in any order. A baseline from an earlier build is older. */
#define TAKEN_TOGETHER_NS INT64_C(600000000000)

static const struct gate_run *run_at(const struct gate_guard_check *check, uint32_t side, uint32_t index) {
    return &check->pair->sides[side].runs[index];
}

/* Find the earliest and latest start of a side's runs. Returns false if one is unknown. */
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

/* Order of the two sides' builds. */
enum build_order { ORDER_UNKNOWN, ORDER_RIGHT, ORDER_TURNED };

static enum build_order order_of(int least, int most) {
    /* `least` and `most` are signs over all pairs of a baseline and a canary run; positive: the canary's build is
     * newer. */
    return least > 0 ? ORDER_RIGHT : most < 0 ? ORDER_TURNED : ORDER_UNKNOWN;
}

/* Compare build times. `*ns` is how much older the canary's build is, at least. */
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

/* Compare versions. If the order is reversed, `versions` is an example of it. */
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

/* Compare capture times. This is the last resort, since sides may be captured in any order. */
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

static bool guards_sides_swapped(struct gate_guard_check *check, double limit) {
    struct gate_str versions[GATE_SIDES] = {{"", 0}, {"", 0}};
    int64_t ns = 0;
    (void)limit;
    enum build_order order = order_by_time(check, &ns);
    if (order == ORDER_TURNED)
        return gate_guard_check_warn(
            check, GATE_GUARD_SWAPPED,
            "the sides look swapped: the canary was built %.3g hours before the baseline; exchange the sides, "
            "unless you go back to an older build",
            (double)ns / 3600e9);
    if (order == ORDER_UNKNOWN)
        order = order_by_version(check, versions);
    if (order == ORDER_TURNED)
        return gate_guard_check_warn(
            check, GATE_GUARD_SWAPPED,
            "the sides look swapped: the canary is version %.*s, the baseline %.*s; exchange the sides, unless "
            "you go back to an older version",
            GATE_STR_ARG(gate_str_slice(versions[GATE_CANARY], 0, 60)),
            GATE_STR_ARG(gate_str_slice(versions[GATE_BASELINE], 0, 60)));
    return order == ORDER_RIGHT || swapped_by_capture(check);
}

static bool same_types(const struct gate_profile *a, const struct gate_profile *b) {
    bool same = a->sample_type_count == b->sample_type_count;
    for (uint32_t i = 0; same && i < a->sample_type_count; i++)
        same = gate_sample_type_column(b, a->sample_types[i].type, a->sample_types[i].unit) != GATE_NO_INDEX;
    return same;
}

static void print_types(struct gate_buf *out, const struct gate_profile *profile) {
    for (uint32_t i = 0; i < profile->sample_type_count; i++)
        gate_buf_printf(out, "%s%.*s/%.*s", i == 0 ? "" : ", ", GATE_STR_ARG(profile->sample_types[i].type),
                        GATE_STR_ARG(profile->sample_types[i].unit));
}

static bool guards_sides_different_types(struct gate_guard_check *check, double limit) {
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
    gate_buf_printf(&text, "; a %s run has ", gate_side_word(where));
    print_types(&text, other);
    bool ok = gate_buf_check(&text, check->err) &&
              gate_guard_check_warn(check, GATE_GUARD_DIFFERENT_TYPES,
                                    "the files have different sample types: the baseline has %.*s; capture both sides "
                                    "with the same profiler and the same options",
                                    GATE_STR_ARG(gate_buf_view(&text)));
    gate_buf_free(&text);
    return ok;
}

static double ratio_between(double a, double b) {
    return a > b ? a / b : b / a;
}

/* Return the mean period of a side's runs; 0 if one has none. */
static double mean_period(const struct gate_side *side) {
    double sum = 0.0;
    for (uint32_t i = 0; i < side->run_count; i++) {
        if (side->runs[i].input.profile->period <= 0)
            return 0.0;
        sum += (double)side->runs[i].input.profile->period;
    }
    return sum / side->run_count;
}

/* Some profilers record the measured period, which differs from run to run; hence a limit, and the mean of the runs. */
static bool guards_sides_different_period(struct gate_guard_check *check, double limit) {
    struct gate_value_type types[GATE_SIDES];
    double periods[GATE_SIDES];
    for (uint32_t side = 0; side < GATE_SIDES; side++) {
        periods[side] = mean_period(&check->pair->sides[side]);
        types[side] = run_at(check, side, 0)->input.profile->period_type;
    }
    bool same_type = gate_str_equal(types[GATE_BASELINE].type, types[GATE_CANARY].type) &&
                     gate_str_equal(types[GATE_BASELINE].unit, types[GATE_CANARY].unit);
    if (!(periods[GATE_BASELINE] > 0.0) || !(periods[GATE_CANARY] > 0.0) ||
        (same_type && ratio_between(periods[GATE_BASELINE], periods[GATE_CANARY]) <= limit))
        return true;
    return gate_guard_check_warn(check, GATE_GUARD_DIFFERENT_PERIOD,
                                 "the sampling period differs: %.0f %.*s/%.*s in the baseline, %.0f %.*s/%.*s in the "
                                 "canary; sample both sides at the same rate",
                                 periods[GATE_BASELINE], GATE_STR_ARG(types[GATE_BASELINE].type),
                                 GATE_STR_ARG(types[GATE_BASELINE].unit), periods[GATE_CANARY],
                                 GATE_STR_ARG(types[GATE_CANARY].type), GATE_STR_ARG(types[GATE_CANARY].unit));
}

/* Whether the pair's unit is a time. */
static bool is_time(const struct gate_pair *pair) {
    return gate_unit_ratio(GATE_STR("h"), pair->type.unit) > 0;
}

/* Return the value of one sample if samples are counted in a column and the unit is a time; else 0. What the system
 * counted has no rate. */
static double weight_of(const struct gate_guard_check *check, uint32_t side) {
    const struct gate_side *of = &check->pair->sides[side];
    for (uint32_t i = 0; i < of->run_count; i++)
        if (of->runs[i].counts.kind != GATE_COUNTS_COLUMN || gate_profile_is_counted(of->runs[i].input.profile))
            return 0.0;
    return of->events > 0.0 && is_time(check->pair) ? (double)of->total / of->events : 0.0;
}

/* Return an amount in the pair's unit as text, such as "10ms". `.ptr` is NULL if the arena is full. */
static struct gate_str amount_text(const struct gate_guard_check *check, double amount) {
    struct gate_buf text = {0};
    gate_unit_print(&text, llround(amount), check->pair->type.unit);
    return gate_buf_keep(&text, check->arena);
}

static bool guards_sides_different_rate(struct gate_guard_check *check, double limit) {
    double weight[GATE_SIDES] = {weight_of(check, GATE_BASELINE), weight_of(check, GATE_CANARY)};
    if (weight[0] <= 0.0 || weight[1] <= 0.0 || ratio_between(weight[0], weight[1]) <= limit)
        return true;
    struct gate_str baseline = amount_text(check, weight[0]), canary = amount_text(check, weight[1]);
    if (baseline.ptr == NULL || canary.ptr == NULL)
        return gate_arena_error(check->arena, check->err);
    return gate_guard_check_warn(check, GATE_GUARD_DIFFERENT_RATE,
                                 "the sampling rate differs: a sample represents %.*s in the baseline and %.*s in the "
                                 "canary; use the same rate for both, on a machine that is not overloaded",
                                 GATE_STR_ARG(baseline), GATE_STR_ARG(canary));
}

/* Return the mean duration in seconds of the runs that have one; 0: none has. */
static double mean_duration(const struct gate_guard_check *check, uint32_t side) {
    double sum = 0.0;
    uint32_t known = 0;
    for (uint32_t i = 0; i < check->pair->sides[side].run_count; i++) {
        int64_t duration_ns = run_at(check, side, i)->input.profile->duration_ns;
        if (duration_ns <= 0)
            continue;
        sum += (double)duration_ns / 1e9;
        known++;
    }
    return known == 0 ? 0.0 : sum / known;
}

/* Return whether a sum of durations was saturated, because some duration is wrong. */
static bool is_duration_cut(const struct gate_guard_check *check, uint32_t side) {
    int64_t sum_ns = check->pair->sides[side].duration_ns;
    return sum_ns == INT64_MAX || sum_ns == INT64_MIN;
}

static bool guards_sides_different_duration(struct gate_guard_check *check, double limit) {
    for (uint32_t side = 0; side < GATE_SIDES; side++)
        if (is_duration_cut(check, side))
            return gate_guard_check_warn(
                check, GATE_GUARD_DIFFERENT_DURATION,
                "the durations of the %s add up to more than 64 bits can hold, and are cut to "
                "292 years: do not trust amounts per second; set the profiles' durations right",
                gate_side_word(side));
    double seconds[GATE_SIDES] = {mean_duration(check, GATE_BASELINE), mean_duration(check, GATE_CANARY)};
    if (seconds[0] <= 0.0 || seconds[1] <= 0.0 || ratio_between(seconds[0], seconds[1]) <= limit)
        return true;
    const char *advice = "capture both sides for the same time";
    if (check->rules->equal == GATE_EQUAL_RUN)
        advice = "with --equal run each is one whole execution: check that none was cut short";
    else if (check->comparison->equal == GATE_EQUAL_WORK)
        advice = "costs are per unit of the work that was given: check that both sides had the same load";
    return gate_guard_check_warn(check, GATE_GUARD_DIFFERENT_DURATION,
                                 "the captures differ in length: %.3gs per run in the baseline, %.3gs in the canary "
                                 "(more than %.3gx); %s",
                                 seconds[0], seconds[1], limit, advice);
}

/* Return whether Go and others count this type from the program's start, unless ?seconds= was given. */
static bool counts_from_start(struct gate_str type) {
    return gate_str_starts(type, GATE_STR("alloc_")) || gate_str_equal(type, GATE_STR("contentions")) ||
           gate_str_equal(type, GATE_STR("delay"));
}

static bool guards_sides_delta_profile(struct gate_guard_check *check, double limit) {
    uint32_t windows[GATE_SIDES] = {0, 0};
    (void)limit;
    for (uint32_t side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < check->pair->sides[side].run_count; i++) {
            const struct gate_profile *profile = run_at(check, side, i)->input.profile;
            bool is_window = profile->duration_ns > 0 && counts_from_start(check->pair->type.type);
            if (profile->is_saved_diff || (profile->has_negative_values && !is_window))
                return gate_guard_check_warn(
                    check, GATE_GUARD_DELTA_PROFILE,
                    "a %s run is the difference of two profiles (%s): compare the profiles themselves",
                    gate_side_word(side),
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
        gate_side_word(window));
}

/* ---- idle programs ----------------------------------------------------------------------------------------------- */

static bool is_of(const struct gate_guard_check *check, const char *word) {
    return gate_str_find(check->pair->type.type, gate_str_from(word), 0) != SIZE_MAX;
}

/* Return a side's CPU time per second of wall time. Negative if a run has no duration, or if the values are not CPU
 * time. */
static double busy_cores(const struct gate_guard_check *check, uint32_t side) {
    double unit_ns = (double)gate_unit_ratio(check->pair->type.unit, GATE_STR("ns")), cpu_ns = 0.0, wall_ns = 0.0;
    if (!is_of(check, "cpu") || unit_ns <= 0.0)
        return -1.0;
    for (uint32_t i = 0; i < check->pair->sides[side].run_count; i++) {
        const struct gate_run *run = &check->pair->sides[side].runs[i];
        if (run->input.profile->duration_ns <= 0)
            return -1.0;
        cpu_ns += (double)run->total * unit_ns;
        wall_ns += (double)run->input.profile->duration_ns;
    }
    return cpu_ns / wall_ns;
}

/* Return the share of a side's cost that is charged to own code. */
static double own_share(const struct gate_guard_check *check, uint32_t side) {
    const struct gate_pair *pair = check->pair;
    int64_t own = 0;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        if (gate_frame_is_charged(&pair->frames[i]))
            own += check->comparison->deltas.items[i].value[GATE_CHARGED][side];
    return gate_share(own, pair->sides[side].total);
}

static double own_events(const struct gate_guard_check *check, uint32_t side) {
    return check->pair->sides[side].events * own_share(check, side);
}

/* Return whether the guards on CPU load apply: both sides have events of CPU time. They do not apply to a part of a
 * profile, because a single endpoint may be idle. */
static bool is_about_cpu(const struct gate_guard_check *check) {
    const struct gate_side *sides = check->pair->sides;
    return !check->comparison->is_filtered && !check->comparison->same_input && sides[GATE_BASELINE].events > 0.0 &&
           sides[GATE_CANARY].events > 0.0 && (is_of(check, "cpu") || is_of(check, "samples"));
}

static bool hardly_ran(const struct gate_guard_check *check, uint32_t side, double limit) {
    double cores = busy_cores(check, side);
    if (!is_about_cpu(check) || own_events(check, side) >= check->rules->min_samples)
        return false;
    if (cores >= 0.0)
        return cores < limit;
    return own_events(check, 1 - side) >= check->rules->min_samples &&
           own_share(check, side) < limit * own_share(check, 1 - side);
}

/* Return whether a pass on allocations would mean nothing, because the side may have had no load: its own code
 * allocated almost nothing compared with the other side's. If both sides have few samples, it is also true if neither
 * side's own code allocated anything, since no frame is tested then. False if the work is given, or if each run is one
 * whole task: the work was done then. */
static bool hardly_allocated(const struct gate_guard_check *check, uint32_t side, double limit) {
    const struct gate_comparison *comparison = check->comparison;
    const struct gate_side *sides = check->pair->sides;
    const double least = check->rules->min_samples;
    if (comparison->is_filtered || comparison->same_input || comparison->equal == GATE_EQUAL_WORK ||
        comparison->equal == GATE_EQUAL_RUN || check->pair->has_no_own || !is_of(check, "alloc") ||
        !(fmin(sides[GATE_BASELINE].events, sides[GATE_CANARY].events) > 0.0))
        return false;
    if (fmax(sides[GATE_BASELINE].events, sides[GATE_CANARY].events) < least)
        return own_share(check, side) <= limit * own_share(check, 1 - side);
    return own_events(check, side) < least && own_events(check, 1 - side) >= least &&
           own_share(check, side) < limit * own_share(check, 1 - side);
}

/* Warn of a side whose own code allocated almost nothing. */
static bool guards_judged_no_allocation(struct gate_guard_check *check, double limit) {
    for (uint32_t side = 0; side < GATE_SIDES; side++) {
        if (!hardly_allocated(check, side, limit))
            continue;
        if (own_events(check, 1 - side) > 0.0)
            return gate_guard_check_warn(
                check, GATE_GUARD_NO_LOAD,
                "%.*s: the %s was almost idle: %s effective samples of the program's own code, %s in the %s; a pass "
                "would mean nothing: take longer profiles, or give it more of the traffic, or give the work of both "
                "sides",
                GATE_STR_ARG(check->comparison->name), gate_side_word(side),
                gate_figures_count_text(own_events(check, side)).text,
                gate_figures_count_text(own_events(check, 1 - side)).text, gate_side_word(1 - side));
        return gate_guard_check_warn(
            check, GATE_GUARD_NO_LOAD,
            "%.*s: no sample of either side is of the program's own code, of %s effective samples in the baseline and "
            "%s in the canary; a pass would mean nothing: put both under load, or give the work of both sides",
            GATE_STR_ARG(check->comparison->name),
            gate_figures_count_text(check->pair->sides[GATE_BASELINE].events).text,
            gate_figures_count_text(check->pair->sides[GATE_CANARY].events).text);
    }
    return true;
}

/**
 * Warn if a side's CPU time per second is below the limit although it has enough samples: CPU profiles do not contain
 * waiting.
 */
static bool guards_idle(struct gate_guard_check *check, double limit) {
    for (uint32_t side = 0; !check->comparison->is_filtered && side < GATE_SIDES; side++) {
        double cores = busy_cores(check, side);
        if (cores >= 0.0 && cores < limit &&
            !hardly_ran(check, side, gate_guard_limit(check->rules, GATE_GUARD_NO_LOAD)))
            return gate_guard_check_warn(check, GATE_GUARD_IDLE,
                                         "the %s was almost idle: it used %s of one core; give it more load, or if "
                                         "it waits, take a wall, block or mutex profile (on a busy machine, it may "
                                         "have waited for a processor)",
                                         gate_side_word(side), gate_figures_share_text(cores).text);
    }
    return true;
}

/* Return the first run of a side that has almost no samples compared with the run `*most`, which has most of them.
 * Samples are compared per second, or in total if durations are missing. NULL: there is none. */
static const struct gate_run *idle_run(const struct gate_guard_check *check, uint32_t side,
                                       const struct gate_run **most) {
    static const double NEXT_TO_NONE = 0.05;
    const struct gate_side *of = &check->pair->sides[side];
    *most = &of->runs[0];
    for (uint32_t i = 1; i < of->run_count; i++)
        *most = of->runs[i].events > (*most)->events ? &of->runs[i] : *most;
    double longest = (double)(*most)->input.profile->duration_ns;
    for (uint32_t i = 0; i < of->run_count; i++) {
        double duration = (double)of->runs[i].input.profile->duration_ns;
        double part = duration > 0.0 && longest > 0.0 ? fmin(duration / longest, 1.0) : 1.0;
        if ((*most)->events >= check->rules->min_samples && of->runs[i].events < NEXT_TO_NONE * (*most)->events * part)
            return &of->runs[i];
    }
    return NULL;
}

/* Warn of a run without load on a side whose other runs had load. Its work is counted although its cost is missing. */
static bool warn_of_idle_run(struct gate_guard_check *check) {
    for (uint32_t side = 0; is_about_cpu(check) && side < GATE_SIDES; side++) {
        const struct gate_run *most, *run = idle_run(check, side, &most);
        if (run != NULL)
            return gate_guard_check_warn(
                check, GATE_GUARD_NO_LOAD,
                "%.*s has %s effective samples, and another run of the %s %s: it was idle, or was profiled before or "
                "after the load; leave it out, or take it again",
                GATE_STR_ARG(run->input.path), gate_figures_count_text(run->events).text, gate_side_word(side),
                gate_figures_count_text(most->events).text);
    }
    return true;
}

/**
 * Warn of a side without load, or of a run without it. A side has fewer effective samples charged to own code than
 * `min_samples`, and it was idle: CPU time per second is below the limit or, without durations, its share of own code
 * is below the limit times the other side's.
 */
static bool guards_idle_no_load(struct gate_guard_check *check, double limit) {
    for (uint32_t side = 0; side < GATE_SIDES; side++) {
        double cores = busy_cores(check, side);
        if (!hardly_ran(check, side, limit))
            continue;
        struct gate_str busy = GATE_STR("");
        if (cores >= 0.0)
            busy = gate_str_format(check->arena, "%s of one core and ", gate_figures_share_text(cores).text);
        return gate_guard_check_warn(
            check, GATE_GUARD_NO_LOAD,
            "the %s was almost idle: %.*s%s effective samples of the program's own code, %s in the %s; a pass would "
            "mean nothing: take longer profiles, or give it more of the traffic; if it waits, capture a wall, block or "
            "mutex profile",
            gate_side_word(side), GATE_STR_ARG(busy), gate_figures_count_text(own_events(check, side)).text,
            gate_figures_count_text(own_events(check, 1 - side)).text, gate_side_word(1 - side));
    }
    return warn_of_idle_run(check);
}

/* ---- judged comparisons ------------------------------------------------------------------------------------------ */

static const double TOTAL_HIGH = 1.2; /* totals of good runs differ by 10% */

static const double TOTAL_ODD = 20.0; /* --work is probably wrong */

/* Return whether the events of some run cannot be counted. Other guards then have nothing to add. */
static bool is_uncounted(const struct gate_pair *pair) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            if (pair->sides[side].runs[r].counts.kind == GATE_COUNTS_UNKNOWN)
                return true;
    return false;
}

static bool guards_judged_same_file(struct gate_guard_check *check, double limit) {
    (void)limit;
    if (!check->comparison->same_input)
        return true;
    return gate_guard_check_warn(check, GATE_GUARD_SAME_FILE,
                                 "%.*s: both sides are the same capture, so nothing was compared",
                                 GATE_STR_ARG(check->comparison->name));
}

static bool guards_judged_uncounted_events(struct gate_guard_check *check, double limit) {
    (void)limit;
    if (check->comparison->same_input)
        return true;
    if (check->pair->event_size > 0.0)
        return gate_guard_check_warn(
            check, GATE_GUARD_UNCOUNTED_EVENTS,
            "%.*s: the profiles have no event counts; the runs of a side differ from each other as if there were %s "
            "samples in the baseline and %s in the canary, and growth is tested with these numbers",
            GATE_STR_ARG(check->comparison->name),
            gate_figures_count_text(check->pair->sides[GATE_BASELINE].events).text,
            gate_figures_count_text(check->pair->sides[GATE_CANARY].events).text);
    if (!is_uncounted(check->pair))
        return true;
    return gate_guard_check_warn(check, GATE_GUARD_UNCOUNTED_EVENTS,
                                 "%.*s: the profile has no event counts, so nothing can be tested; compare three or "
                                 "more runs per side, give the sampling period (--period N), or record it with counts",
                                 GATE_STR_ARG(check->comparison->name));
}

static bool guards_judged_few_samples(struct gate_guard_check *check, double limit) {
    const struct gate_side *sides = check->pair->sides;
    double least = check->rules->min_samples;
    const struct gate_value_type type = check->pair->type;
    const char *advice = "measure longer";
    if (gate_sample_type_is_level(type.type)) /* more time gives no more samples of it */
        advice = gate_unit_ratio(type.unit, GATE_STR("bytes")) != 0.0
                     ? gate_pair_is_of_one_process(check->pair)
                           ? "sample memory more often (runtime.MemProfileRate in Go), or compare more processes"
                           : "take more runs, or sample memory more often (runtime.MemProfileRate in Go)"
                     : "take more runs";
    (void)limit;
    if (check->comparison->same_input || is_uncounted(check->pair))
        return true;
    if (fmax(sides[GATE_BASELINE].events, sides[GATE_CANARY].events) >= least)
        return !gate_pair_is_memory_held(check->pair) ||
               fmin(sides[GATE_BASELINE].events, sides[GATE_CANARY].events) >= GATE_SAMPLES_OF_ONE_SIDE * least ||
               gate_guard_check_warn(check, GATE_GUARD_FEW_SAMPLES,
                                     "%.*s: %s effective samples of what the baseline holds, %s of the canary: one of "
                                     "them may just have started; compare both at the same uptime, under load",
                                     GATE_STR_ARG(check->comparison->name),
                                     gate_figures_count_text(sides[GATE_BASELINE].events).text,
                                     gate_figures_count_text(sides[GATE_CANARY].events).text);
    return gate_guard_check_warn(
        check, GATE_GUARD_FEW_SAMPLES,
        "%.*s: %s effective samples in the baseline, %s in the canary: with fewer than %s on both sides nothing%s "
        "can fail (min_samples); %s",
        GATE_STR_ARG(check->comparison->name), gate_figures_count_text(sides[GATE_BASELINE].events).text,
        gate_figures_count_text(sides[GATE_CANARY].events).text, gate_figures_count_text(least).text,
        gate_sample_type_is_level(check->pair->type.type) ? " but a leak" : "", advice);
}

/* Return which part of the CPU time that the system counted on a side, without the collector's, is in samples; 1 if a
 * run has no counted CPU time. */
static double sampled_part(const struct gate_side *side) {
    struct gate_counted_cpu all = {0}, run;
    for (uint32_t i = 0; i < side->run_count; i++) {
        const struct gate_profile *profile = side->runs[i].input.profile;
        if (!gate_profile_is_counted(profile) || !gate_counted_cpu_read(&run, profile))
            return 1.0;
        all.all_ns += run.all_ns - run.collector_ns;
        all.sampled_ns += run.sampled_ns;
    }
    return all.all_ns > 0.0 ? all.sampled_ns / all.all_ns : 1.0;
}

static bool guards_judged_undersampled(struct gate_guard_check *check, double limit) {
    double part[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++)
        part[side] = sampled_part(&check->pair->sides[side]);
    if (check->comparison->same_input || !is_about_cpu(check) || fmin(part[0], part[1]) >= limit)
        return true;
    return gate_guard_check_warn(
        check, GATE_GUARD_UNDERSAMPLED,
        "the flight recorder sampled %s of the CPU time of the baseline, and %s of the canary's (as the system counted "
        "it, without the collector's; limit %.3g%%): functions are judged by these samples alone; leave the recorder a "
        "processor, warm the JVM up, or use async-profiler",
        gate_figures_share_text(part[0]).text, gate_figures_share_text(part[1]).text, limit * 100);
}

/* Return whether a budget covers the total cost per unit of work. */
static bool total_is_looked_at(const struct gate_rules *rules) {
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        const struct gate_budget_measure_row *measure = gate_budget_measure_row(rules->budgets[i].measure);
        if (measure->is_total && measure->needs_work && rules->budgets[i].severity != GATE_SEVERITY_OFF)
            return true;
    }
    return false;
}

/* With the work known, report a grown total cost that no budget covers. */
static bool guards_judged_total_cost(struct gate_guard_check *check, double limit) {
    const struct gate_comparison *comparison = check->comparison;
    const struct gate_side *sides = check->pair->sides;
    (void)limit;
    if (comparison->same_input || is_uncounted(check->pair) || !comparison->work_is_known || comparison->is_filtered ||
        total_is_looked_at(check->rules))
        return true;
    double ratio = (double)sides[GATE_CANARY].total / (double)sides[GATE_BASELINE].total / comparison->work_ratio;
    bool is_odd = ratio > TOTAL_ODD || ratio < 1.0 / TOTAL_ODD;
    if (ratio <= TOTAL_HIGH && !is_odd)
        return true;
    return gate_guard_check_warn(check, GATE_GUARD_TOTAL_COST,
                                 "%.*s: the whole program costs %s as much per unit of work as in the baseline: %s",
                                 GATE_STR_ARG(comparison->name), gate_figures_times_text(ratio).text,
                                 is_odd ? "check the numbers given to --work"
                                        : "no budget covers the total; add one with 'measure: total_cost'");
}

bool gate_guards_time_grew(const struct gate_total_cost *total, double limit) {
    return total->ratio > limit && total->ratio_bounds[0] > 1.0;
}

/*
 * Shares cannot show that the whole program became more expensive, nor that its cost moved to the collector or the
 * scheduler. If both sides ran at the same time, their cost per second can: without the work, more of it is either a
 * regression or more load.
 */
static bool guards_judged_cost_per_second(struct gate_guard_check *check, double limit) {
    static const double no_work[GATE_SIDES] = {0.0, 0.0};
    const struct gate_comparison *comparison = check->comparison;
    struct gate_total_cost total;
    if (!is_about_cpu(check) || is_uncounted(check->pair) || comparison->equal != GATE_EQUAL_UNKNOWN ||
        busy_cores(check, GATE_BASELINE) < 0.0 || busy_cores(check, GATE_CANARY) < 0.0 ||
        !gate_pair_is_simultaneous(check->pair) ||
        !gate_total_cost_measure(&total, check->pair, GATE_EQUAL_TIME, no_work) ||
        !gate_guards_time_grew(&total, limit))
        return true;
    double unit_s = (double)gate_unit_ratio(check->pair->type.unit, GATE_STR("ns")) / 1e9;
    return gate_guard_check_warn(
        check, GATE_GUARD_COST_PER_SECOND,
        "%.*s: in the same %s the canary used %.3gx the CPU time of the baseline (%.3gs against %.3gs); if both had "
        "the same load, set 'equal: time', which judges the total; else give %s",
        GATE_STR_ARG(comparison->name), gate_figures_seconds_text(round(total.units[GATE_CANARY])).text, total.ratio,
        total.value[GATE_CANARY] * unit_s, total.value[GATE_BASELINE] * unit_s, gate_pair_work_option(check->pair));
}

/* Result of find_less_load: the canary had less load, although `equal: time` states that both sides had the same. */
struct less_load {
    bool is_found;
    bool is_known;   /* derived from own functions, and not from the total alone */
    bool is_lasting; /* significant (one-sided, 5%): more rounds would not change it */
    double factor;   /* canary / baseline of the load or, if it is not `is_known`, of the cost per second */
};

/* Set `*out` to whether at least 3 own functions used the CPU on both sides, even with too few samples to estimate the
 * work. Only CPU time counts: fewer allocations, for example, do not show less load. */
static bool ran_too_little(bool *out, struct gate_guard_check *check) {
    enum { FUNCTIONS_LEAST = 3 };
    struct gate_own_growth growth;
    if (!gate_own_growth_collect(&growth, check->pair, &check->comparison->deltas, GATE_OWN_GROWTH_COUNTS, 1.0, false,
                                 check->arena, check->err))
        return false;
    *out = growth.count >= FUNCTIONS_LEAST && is_about_cpu(check);
    return true;
}

/* Find out whether the canary had less load: all but one of at least 3 own functions cost less per second, by a common
 * factor below 1/limit. A single function that became cheaper does not cause that, but a canary with a small part of
 * the traffic does. If these functions have too few samples, the total must be significantly below 1/limit (one-sided,
 * 5%). Never found for `try`, which makes the load itself. */
static bool find_less_load(struct less_load *out, struct gate_guard_check *check, double limit) {
    const struct gate_comparison *comparison = check->comparison;
    struct gate_estimated_cost cost;
    struct gate_total_cost total;
    *out = (struct less_load){.factor = 1.0};
    if (comparison->equal != GATE_EQUAL_TIME || comparison->same_input || is_uncounted(check->pair) ||
        check->rules->makes_load ||
        !gate_total_cost_measure(&total, check->pair, GATE_EQUAL_TIME, comparison->work_in_force))
        return true;
    if (!gate_own_growth_cost(&cost, &out->is_known, check->pair, &comparison->deltas, check->arena, check->err))
        return false;
    out->factor = out->is_known ? total.ratio / cost.ratio : total.ratio;
    out->is_found = (out->is_known ? out->factor : total.ratio_bounds[1]) * limit < 1.0;
    /* The factor is the total over the estimated cost, and as uncertain as the latter. */
    out->is_lasting = out->is_known && out->factor * limit * cost.ratio < cost.low;
    return out->is_known || !out->is_found || ran_too_little(&out->is_found, check);
}

/* Return whether a budget of the rules can fail on an amount per second. */
static bool judges_seconds(const struct gate_rules *rules) {
    for (uint32_t i = 0; i < rules->budget_count; i++)
        if (rules->budgets[i].per == GATE_PER_SECOND && rules->budgets[i].severity == GATE_SEVERITY_ERROR)
            return true;
    return false;
}

/* Waiting per second depends on the load. If nothing states it, the number of waits shows whether it was equal. */
static bool warn_uneven_waits(struct gate_guard_check *check) {
    const struct gate_pair *pair = check->pair;
    if (!gate_waits_are_uneven(check->comparison) || !judges_seconds(check->rules))
        return true;
    if (!gate_guard_check_warn(check, GATE_GUARD_UNEQUAL_LOAD,
                               "%.*s: nearly all functions of the canary waited %s as often per second as in the "
                               "baseline: the sides do not seem to have had the same load, on which waiting per second "
                               "depends; give %s, or --equal time if they had",
                               GATE_STR_ARG(check->comparison->name),
                               gate_figures_times_text(check->comparison->waits_ratio).text,
                               gate_pair_work_option(pair)))
        return false;
    check->items[check->count - 1].may_end = pair->sides[GATE_CANARY].run_count < 2;
    return true;
}

static bool guards_judged_unequal_load(struct gate_guard_check *check, double limit) {
    struct less_load less;
    if (!warn_uneven_waits(check) || !find_less_load(&less, check, limit))
        return false;
    if (!less.is_found)
        return true;
    if (!gate_guard_check_warn(
            check, GATE_GUARD_UNEQUAL_LOAD,
            "%.*s: the sides %s have had the same load, as 'equal: time' says: %s %s of the "
            "baseline per second%s; pass %s, which also compares a canary with a part of the traffic",
            GATE_STR_ARG(check->comparison->name), less.is_known ? "do not seem to" : "may not",
            less.is_known ? "nearly all functions of the canary cost about" : "the canary used",
            gate_figures_times_text(less.factor).text,
            less.is_known ? "" : ", and too few of its functions have enough samples to tell why",
            gate_pair_work_option(check->pair)))
        return false;
    check->items[check->count - 1].may_end = !less.is_lasting;
    return true;
}

/* If everything costs much less in the canary, ask whether the sides are swapped: a regression would then look like an
 * improvement. A side without load is reported by no_load. */
static bool guards_judged_total_shrank(struct gate_guard_check *check, double limit) {
    const struct gate_comparison *comparison = check->comparison;
    struct gate_total_cost total;
    bool is_known = gate_equal_is_of_cost(comparison->equal);
    bool is_level = gate_sample_type_is_level(check->pair->type.type);
    enum gate_equal equal = is_known ? comparison->equal : GATE_EQUAL_TIME;
    struct less_load less = {0}; /* unequal_load reports it, unless that guard is off */
    if (gate_guard_severity(check->rules, GATE_GUARD_UNEQUAL_LOAD) != GATE_SEVERITY_OFF &&
        !find_less_load(&less, check, gate_guard_limit(check->rules, GATE_GUARD_UNEQUAL_LOAD)))
        return false;
    if (less.is_found || comparison->same_input || comparison->is_filtered || is_uncounted(check->pair) ||
        hardly_ran(check, GATE_CANARY, gate_guard_limit(check->rules, GATE_GUARD_NO_LOAD)) ||
        !gate_total_cost_measure(&total, check->pair, equal, comparison->work_in_force) ||
        total.ratio_bounds[1] * limit >= 1.0)
        return true;
    return gate_guard_check_warn(check, GATE_GUARD_TOTAL_SHRANK,
                                 "%.*s: are the sides swapped? the canary %s only %s of the baseline %s (less than "
                                 "1/%.3g); if it is not meant to %s%s, exchange the sides",
                                 GATE_STR_ARG(comparison->name), is_level ? "holds" : "used",
                                 gate_figures_times_text(total.ratio).text, gate_equal_per(equal), limit,
                                 is_level ? "hold less" : "be cheaper", is_known ? "" : " and did not have less load");
}

/* Return the ratio of costs to print. The report also has a line of totals with another estimate of the same ratio. If
 * both estimates exceed the limit, that other one is returned, so that both lines agree. */
static double printed_ratio(const struct gate_comparison *comparison, const struct gate_estimated_cost *cost,
                            double limit) {
    const struct gate_side *sides = comparison->pair.sides;
    if (!gate_comparison_shows_work(comparison))
        return cost->ratio;
    double ratio = (double)sides[GATE_CANARY].total / (double)sides[GATE_BASELINE].total / comparison->work_ratio;
    return ratio > limit ? ratio : cost->ratio;
}

/* Warn if the canary costs more per unit of work, which is estimated from the functions that cost the same as
 * before. */
static bool guards_judged_estimated_cost(struct gate_guard_check *check, double limit) {
    const struct gate_comparison *comparison = check->comparison;
    struct gate_estimated_cost cost;
    bool is_known = false;
    if (comparison->same_input || is_uncounted(check->pair) || comparison->equal != GATE_EQUAL_UNKNOWN)
        return true;
    if (!gate_own_growth_cost(&cost, &is_known, check->pair, &comparison->deltas, check->arena, check->err))
        return false;
    if (!is_known || cost.low <= limit)
        return true;
    if (gate_sample_type_is_level(check->pair->type.type))
        return gate_guard_check_warn(
            check, GATE_GUARD_ESTIMATED_COST,
            "%.*s: the canary holds %s as much (limit %.3gx), as estimated from functions that did not change; set "
            "'equal: run' if both sides were measured after the same work",
            GATE_STR_ARG(check->comparison->name),
            gate_figures_times_text(printed_ratio(comparison, &cost, limit)).text, limit);
    return gate_guard_check_warn(
        check, GATE_GUARD_ESTIMATED_COST,
        "%.*s: the canary costs %s per unit of work (limit %.3gx), as estimated from functions that did not change; "
        "pass %s%s",
        GATE_STR_ARG(comparison->name), gate_figures_times_text(printed_ratio(comparison, &cost, limit)).text, limit,
        gate_pair_work_option(check->pair),
        check->rules->equal == GATE_EQUAL_TIME            ? ""
        : check->pair->sides[GATE_CANARY].duration_ns > 0 ? ", or set 'equal: time' if both sides had the same load"
                                                          : ", or set 'equal: run' if each profile is one whole task");
}

/* Warn if the work by label could not be used to weight the traffic mix. */
static bool guards_judged_mix(struct gate_guard_check *check, double limit) {
    const struct gate_pair *pair = check->pair;
    (void)limit;
    if (pair->mix_unused.len == 0 || check->comparison->same_input)
        return true;
    if (check->comparison->is_filtered)
        return gate_guard_check_warn(check, GATE_GUARD_MIX,
                                     "%.*s: the work was given by '%.*s' for whole runs, but only a part of them is "
                                     "compared ('where'): the traffic mix is treated as unknown",
                                     GATE_STR_ARG(check->comparison->name), GATE_STR_ARG(pair->mix_unused));
    return gate_guard_check_warn(
        check, GATE_GUARD_MIX,
        "%.*s: the work was given by '%.*s', but in one run only %s of the cost has a value that both sides have work "
        "for: the traffic mix is treated as unknown; give the work of every value",
        GATE_STR_ARG(check->comparison->name), GATE_STR_ARG(pair->mix_unused),
        gate_figures_share_text(pair->mix_share).text);
}

static bool guards_judged_one_pair(struct gate_guard_check *check, double limit) {
    const struct gate_side *sides = check->pair->sides;
    (void)limit;
    if (check->comparison->same_input || is_uncounted(check->pair) || check->comparison->noise != NULL ||
        sides[GATE_BASELINE].run_count + sides[GATE_CANARY].run_count > GATE_SIDES)
        return true;
    if (gate_pair_is_exact(check->pair))
        return gate_guard_check_warn(
            check, GATE_GUARD_ONE_PAIR,
            "%.*s: exact counts of one run per side: growth is compared exactly, without a test, which is correct if "
            "both sides did the same with the same input; compare more runs if they may differ",
            GATE_STR_ARG(check->comparison->name));
    return gate_guard_check_warn(
        check, GATE_GUARD_ONE_PAIR,
        "%.*s: one run per side and no noise model: the variation between runs is not known, and a high one is assumed "
        "for cumulative and runtime costs; compare more runs or use 'pprofgate calibrate'",
        GATE_STR_ARG(check->comparison->name));
}

/* ---- trend budgets in other commands ----------------------------------------------------------------------------- */

bool gate_guards_trends_check(struct gate_warning_list *out, const struct gate_rules *rules, bool *raised,
                              struct gate_arena *arena, struct gate_error *err) {
    uint32_t trends = 0, others = 0;
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        const struct gate_budget *budget = &rules->budgets[i];
        bool is_trend = gate_budget_measure_row(budget->measure)->is_trend;
        trends += is_trend && budget->severity != GATE_SEVERITY_OFF;
        others += !is_trend && budget->severity != GATE_SEVERITY_OFF;
    }
    if (trends == 0)
        return true;
    if (others == 0)
        return gate_error_set(err, GATE_ERR_CONFIG,
                              "%.*s: all budgets have the measure 'trend', which only 'pprofgate trend' judges: there "
                              "is nothing to check",
                              GATE_STR_ARG(rules->source));
    const struct gate_warning warning = {
        .guard = GATE_GUARD_TREND_BUDGETS,
        .message = gate_str_format(
            arena,
            "%u budget%s of measure 'trend' %s not looked at: 'pprofgate trend' judges %s over accepted "
            "builds",
            (unsigned)trends, trends == 1 ? "" : "s", trends == 1 ? "is" : "are", trends == 1 ? "it" : "them")};
    return gate_warning_add(out, rules, warning, raised, arena, err);
}

/* ---- the table of guards ----------------------------------------------------------------------------------------- */

/* In order of the enum, which is the order of the warnings. Guards without a row run with the budgets. */
static const struct {
    enum gate_guard_stage stage;
    gate_guard_check_fn *check;
} guards[GATE_GUARD_NAMES] = {
    [GATE_GUARD_SWAPPED] = {GATE_GUARDS_AS_MADE, guards_sides_swapped},
    [GATE_GUARD_DIFFERENT_TYPES] = {GATE_GUARDS_AS_MADE, guards_sides_different_types},
    [GATE_GUARD_DIFFERENT_PERIOD] = {GATE_GUARDS_AS_MADE, guards_sides_different_period},
    [GATE_GUARD_DIFFERENT_RATE] = {GATE_GUARDS_AS_MADE, guards_sides_different_rate},
    [GATE_GUARD_DIFFERENT_PRODUCER] = {GATE_GUARDS_AS_MADE, gate_guards_origin_different_producer},
    [GATE_GUARD_DIFFERENT_ARCHITECTURE] = {GATE_GUARDS_AS_MADE, gate_guards_origin_different_architecture},
    [GATE_GUARD_DIFFERENT_DURATION] = {GATE_GUARDS_AS_MADE, guards_sides_different_duration},
    [GATE_GUARD_IDLE] = {GATE_GUARDS_AS_MADE, guards_idle},
    [GATE_GUARD_NO_LOAD] = {GATE_GUARDS_AS_MADE, guards_idle_no_load},
    [GATE_GUARD_WAITING] = {GATE_GUARDS_AS_MADE, gate_guards_frames_waiting},
    [GATE_GUARD_MOSTLY_WAITING] = {GATE_GUARDS_AS_MADE, gate_guards_frames_mostly_waiting},
    [GATE_GUARD_UNSYMBOLISED] = {GATE_GUARDS_AS_MADE, gate_guards_frames_unsymbolised},
    [GATE_GUARD_MINIFIED] = {GATE_GUARDS_AS_MADE, gate_guards_frames_minified},
    [GATE_GUARD_INLINED_NAMES] = {GATE_GUARDS_AS_MADE, gate_guards_frames_inlined_names},
    [GATE_GUARD_OWN_CODE] = {GATE_GUARDS_AS_MADE, gate_guards_frames_own_code},
    [GATE_GUARD_TRUNCATED_STACKS] = {GATE_GUARDS_AS_MADE, gate_guards_frames_truncated_stacks},
    [GATE_GUARD_SHAPE_CHANGED] = {GATE_GUARDS_AS_MADE, gate_guards_frames_shape_changed},
    [GATE_GUARD_COLD_START] = {GATE_GUARDS_AS_MADE, gate_guards_frames_cold_start},
    [GATE_GUARD_MISPLACED_SAMPLES] = {GATE_GUARDS_AS_MADE, gate_guards_frames_misplaced_samples},
    [GATE_GUARD_PROFILER_OVERHEAD] = {GATE_GUARDS_AS_MADE, gate_guards_frames_profiler_overhead},
    [GATE_GUARD_DELTA_PROFILE] = {GATE_GUARDS_AS_MADE, guards_sides_delta_profile},
    [GATE_GUARD_DEBUG_BUILD] = {GATE_GUARDS_AS_MADE, gate_guards_origin_debug_build},
    [GATE_GUARD_SAME_FILE] = {GATE_GUARDS_AS_JUDGED, guards_judged_same_file},
    [GATE_GUARD_UNCOUNTED_EVENTS] = {GATE_GUARDS_AS_JUDGED, guards_judged_uncounted_events},
    [GATE_GUARD_FEW_SAMPLES] = {GATE_GUARDS_AS_JUDGED, guards_judged_few_samples},
    [GATE_GUARD_UNDERSAMPLED] = {GATE_GUARDS_AS_JUDGED, guards_judged_undersampled},
    [GATE_GUARD_TOTAL_COST] = {GATE_GUARDS_AS_JUDGED, guards_judged_total_cost},
    [GATE_GUARD_COST_PER_SECOND] = {GATE_GUARDS_AS_JUDGED, guards_judged_cost_per_second},
    [GATE_GUARD_ESTIMATED_COST] = {GATE_GUARDS_AS_JUDGED, guards_judged_estimated_cost},
    [GATE_GUARD_TOTAL_SHRANK] = {GATE_GUARDS_AS_JUDGED, guards_judged_total_shrank},
    [GATE_GUARD_UNEQUAL_LOAD] = {GATE_GUARDS_AS_JUDGED, guards_judged_unequal_load},
    [GATE_GUARD_MIX] = {GATE_GUARDS_AS_JUDGED, guards_judged_mix},
    [GATE_GUARD_UNSEEN] = {GATE_GUARDS_AS_JUDGED, gate_guards_unseen_hidden},
    [GATE_GUARD_NEW_NAMES] = {GATE_GUARDS_AS_JUDGED, gate_guards_unseen_new_names},
    [GATE_GUARD_ONE_PAIR] = {GATE_GUARDS_AS_JUDGED, guards_judged_one_pair},
};

bool gate_guards_check(struct gate_warning **out, uint32_t *count, enum gate_guard_stage stage,
                       const struct gate_comparison *comparison, const struct gate_rules *rules,
                       struct gate_arena *arena, struct gate_error *err) {
    struct gate_guard_check check = {
        .comparison = comparison, .pair = &comparison->pair, .rules = rules, .arena = arena, .err = err};
    check.items = GATE_NEW_ARRAY(arena, struct gate_warning, GATE_GUARD_NAMES);
    if (check.items == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; comparison->part == NULL && i < GATE_GUARD_NAMES;
         i++) { /* a part's warnings are raised for the whole comparison */
        enum gate_guard guard = (enum gate_guard)i;
        gate_guard_check_fn *run = guards[i].stage == stage ? guards[i].check : NULL;
        if (guard == GATE_GUARD_NO_LOAD && stage == GATE_GUARDS_AS_JUDGED)
            run = guards_judged_no_allocation; /* the check of this guard that needs the work */
        if (run == NULL || gate_guard_severity(rules, guard) == GATE_SEVERITY_OFF)
            continue;
        if (!run(&check, gate_guard_limit(rules, guard)))
            return false;
    }
    *out = check.items;
    *count = check.count;
    return true;
}
