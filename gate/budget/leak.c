/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/leak.h"

#include "gate/base/figures.h"
#include "gate/budget/trend.h"
#include "gate/compare/holm.h"
#include "gate/compare/noise.h"
#include "gate/compare/student.h"
#include "gate/model/unit.h"

#include <math.h>
#include <string.h>

/* Minimum slope of the second half, as a fraction of the whole slope. Below it, the growth may be a cache that fills
 * up. */
static const double STEADY = 0.4;

/* Minimum fraction of all growth that a function must hold to be named. */
static const double NAMED = 0.25;

/* A series of a budget: the amount in the canary minus that in the baseline, per round. */
struct leak {
    uint32_t frame; /* the function that the amount is charged to; GATE_NO_INDEX: the total */
    double *y;
    struct gate_trend_case judged;
    struct gate_trend_slope tail; /* of the second half */
    double growth;  /* over all rounds: the smaller of the growth of the difference between the sides, and the canary's
                       growth */
    bool is_steady; /* also grows in the second half */
    double log_p;   /* p value of a rise: the larger of those by the order of rounds and by the samples */
    enum gate_outcome outcome;
    enum gate_reason reason;
};

/* All series of a budget; the first is that of the total. */
struct leaks {
    const struct gate_leak_question *question;
    uint32_t rounds;
    double *x;    /* time since the first round, in the unit of the limit */
    double limit; /* per unit of the limit */
    double least; /* minimum growth over all planned rounds for a leak */
    struct leak *items;
    size_t count, capacity;
};

/* Return when a profile of a side was taken, Unix time in nanoseconds, or 0. Some formats, such as V8's heap profiles,
 * have no time, but the manifest of a captured folder has. */
static int64_t time_of(const struct gate_side *side, uint32_t round) {
    const struct gate_run_input *input = &side->runs[round].input;
    return input->profile->time_ns > 0 ? input->profile->time_ns : input->start_ms * 1000000;
}

static bool is_same_round(const struct gate_side *side, uint32_t round) {
    uint32_t number = side->runs[round].input.round;
    return number > 0 && number == side->runs[round - 1].input.round;
}

/* Return the fraction of the planned rounds that exist so far; 1 if no more follow. */
static double part_of(const struct leaks *leaks) {
    const struct gate_looks_now *now = leaks->question->now;
    return gate_looks_are_early(now) ? now->spending.t : 1.0;
}

/* Return the number of rounds that a leak can be judged by; 0 if it cannot. */
static uint32_t rounds_of(const struct gate_comparison *comparison) {
    const struct gate_pair *pair = &comparison->pair;
    uint32_t rounds = pair->sides[GATE_CANARY].run_count;
    if (!gate_sample_type_is_level(pair->type.type) || rounds < GATE_LEAK_LEAST_ROUNDS ||
        pair->sides[GATE_BASELINE].run_count != rounds)
        return 0;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < rounds; r++)
            if (time_of(&pair->sides[side], r) <= (r == 0 ? 0 : time_of(&pair->sides[side], r - 1)) ||
                (r > 0 && is_same_round(&pair->sides[side], r)))
                return 0; /* times are unknown or not in order, or runs are of several instances */
    return rounds;
}

/* ---- the series -------------------------------------------------------------------------------------------------- */

static bool fill_times(struct leaks *leaks, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_side *canary = &leaks->question->comparison->pair.sides[GATE_CANARY];
    double unit = gate_per_ns(leaks->question->budget->per);
    leaks->x = GATE_NEW_ARRAY(arena, double, leaks->rounds);
    if (leaks->x == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t r = 0; r < leaks->rounds; r++)
        leaks->x[r] = ((double)time_of(canary, r) - (double)time_of(canary, 0)) / unit;
    return true;
}

/* Return the amount that a frame held in a round of a side; GATE_NO_INDEX: all frames together. */
static double held(const struct gate_comparison *comparison, enum gate_side_name side, uint32_t round, uint32_t frame) {
    const struct gate_pair *pair = &comparison->pair;
    uint32_t run = gate_first_run(pair, side) + round;
    return frame == GATE_NO_INDEX ? (double)pair->sides[side].runs[round].total
                                  : (double)gate_tally_at(&comparison->deltas, GATE_CHARGED, run, frame)->value;
}

/* Write the series of a frame to `y`. Returns its range. */
static double write_series(double *y, const struct leaks *leaks, uint32_t frame) {
    const struct gate_comparison *comparison = leaks->question->comparison;
    double least = INFINITY, most = -INFINITY;
    for (uint32_t r = 0; r < leaks->rounds; r++) {
        y[r] = held(comparison, GATE_CANARY, r, frame) - held(comparison, GATE_BASELINE, r, frame);
        least = fmin(least, y[r]);
        most = fmax(most, y[r]);
    }
    return most - least;
}

/* Return the sampling variance of the amount that a frame, or all frames, held in a round of a side. It is that of all
 * samples of the round; the pair gives each round only a part of them (gate_counts_model.repeats). */
static double variance(const struct gate_comparison *comparison, enum gate_side_name side, uint32_t round,
                       uint32_t frame) {
    const struct gate_run *of = &comparison->pair.sides[side].runs[round];
    uint32_t run = gate_first_run(&comparison->pair, side) + round;
    double weight_sq = frame == GATE_NO_INDEX ? gate_run_weight_sq(of)
                                              : gate_tally_at(&comparison->deltas, GATE_CHARGED, run, frame)->weight_sq;
    return weight_sq / fmax(of->counts.repeats, 1.0);
}

/* Return the sampling variance of the growth from the first to the last round; 0 for amounts that are not sampled, such
 * as goroutines or an exact heap. */
static double sampling_variance(const struct leaks *leaks, uint32_t frame) {
    const struct gate_comparison *comparison = leaks->question->comparison;
    double sum = 0.0;
    if (gate_unit_ratio(comparison->pair.type.unit, GATE_STR("bytes")) == 0.0 || gate_pair_is_exact(&comparison->pair))
        return 0.0;
    for (int side = 0; side < GATE_SIDES; side++)
        sum += variance(comparison, (enum gate_side_name)side, 0, frame) +
               variance(comparison, (enum gate_side_name)side, leaks->rounds - 1, frame);
    return sum;
}

/* Return the log of the p value of growth from the samples of the first and the last round. The order of rounds alone
 * does not prove growth: a sampled object lives for several rounds, so neighbouring rounds are correlated, and chance
 * makes series drift. Amounts that are not sampled give -INFINITY. */
static double sampling_log_p(const struct leaks *leaks, const struct leak *leak) {
    double sum = sampling_variance(leaks, leak->frame);
    return sum > 0.0 ? gate_normal_log_p(leak->growth / sqrt(sum)) : -INFINITY;
}

/* Return the growth of the amount that the canary alone holds. If only the baseline fell, nothing leaks. */
static bool find_own_growth(double *growth, const struct leaks *leaks, uint32_t frame, struct gate_arena *arena,
                            struct gate_error *err) {
    struct gate_trend_fit fit;
    double *y = GATE_NEW_ARRAY(arena, double, leaks->rounds);
    if (y == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t r = 0; r < leaks->rounds; r++)
        y[r] = held(leaks->question->comparison, GATE_CANARY, r, frame);
    if (!gate_trend_fit(&fit, leaks->x, y, leaks->rounds, leaks->question->rules->alpha_margin, arena, err))
        return false;
    *growth = fit.whole.slope * leaks->x[leaks->rounds - 1];
    return true;
}

static bool add_series(struct leaks *leaks, uint32_t frame, const double *y, struct gate_arena *arena,
                       struct gate_error *err) {
    uint32_t half = leaks->rounds / 2;
    double level = leaks->question->rules->alpha_margin;
    struct gate_trend_fit second;
    struct leak leak = {.frame = frame, .y = GATE_NEW_ARRAY(arena, double, leaks->rounds)};
    if (leak.y == NULL || !GATE_GROW(arena, leaks->items, leaks->count, leaks->capacity))
        return gate_arena_error(arena, err);
    memcpy(leak.y, y, leaks->rounds * sizeof *y);
    if (!gate_trend_fit(&leak.judged.fit, leaks->x, leak.y, leaks->rounds, level, arena, err) ||
        !gate_trend_fit(&second, &leaks->x[half], &leak.y[half], leaks->rounds - half, level, arena, err))
        return false;
    if (!find_own_growth(&leak.growth, leaks, frame, arena, err))
        return false;
    leak.tail = second.whole;
    leak.judged.limit = leaks->limit;
    leak.growth = fmin(leak.growth, leak.judged.fit.whole.slope * leaks->x[leaks->rounds - 1]);
    leak.log_p = fmax(leak.judged.fit.log_p, sampling_log_p(leaks, &leak));
    leaks->items[leaks->count++] = leak;
    return true;
}

/* Make the series of the total, and of each function whose series has a range (maximum - minimum) of `least` or more. A
 * series with a smaller range cannot have grown by `least`. The range does not depend on the order of the rounds, so
 * this choice does not bias the test, which is about the order. Before the last look, `least` is the part of the
 * minimum growth that belongs to the rounds so far. */
static bool make_series(struct leaks *leaks, struct gate_arena *arena, struct gate_error *err) {
    double least = fmax(leaks->least * part_of(leaks), leaks->limit * leaks->x[leaks->rounds - 1]);
    double *y = GATE_NEW_ARRAY(arena, double, leaks->rounds);
    if (y == NULL)
        return gate_arena_error(arena, err);
    (void)write_series(y, leaks, GATE_NO_INDEX);
    if (!add_series(leaks, GATE_NO_INDEX, y, arena, err))
        return false;
    for (uint32_t frame = 0; frame < leaks->question->comparison->pair.frame_count; frame++)
        if (write_series(y, leaks, frame) >= least && !add_series(leaks, frame, y, arena, err))
            return false;
    return true;
}

/* Correct all tests for earlier looks, and the tests of functions also for their number. The total is not corrected for
 * the number of functions. */
static bool adjust(struct leaks *leaks, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_spending *spending = &leaks->question->now->spending;
    const struct gate_budget *budget = leaks->question->budget;
    const struct gate_limit *limit = &budget->limits[0];
    uint32_t functions = (uint32_t)leaks->count - 1;
    double *log_p = GATE_NEW_ARRAY(arena, double, 3 * (size_t)leaks->count);
    struct gate_ranked *scratch = GATE_NEW_ARRAY(arena, struct gate_ranked, 2 * leaks->count);
    if (log_p == NULL || scratch == NULL)
        return gate_arena_error(arena, err);
    double *attainable = &log_p[leaks->count], *adjusted = &attainable[leaks->count];
    for (uint32_t i = 0; i < functions; i++)
        log_p[i] = gate_spending_total(spending, leaks->items[i + 1].log_p);
    gate_holm_adjust(log_p, attainable, adjusted, scratch, functions);
    for (uint32_t i = 0; i < leaks->count; i++) {
        struct gate_trend_case *judged = &leaks->items[i].judged;
        judged->log_p_adjusted = i == 0 ? gate_spending_total(spending, leaks->items[0].log_p) : adjusted[i - 1];
        judged->alpha = leaks->question->rules->alpha;
        judged->family = i == 0 ? 1 : functions;
        judged->warns_only = limit->severity < GATE_SEVERITY_ERROR || budget->severity < GATE_SEVERITY_ERROR;
    }
    return true;
}

/* ---- who holds it ------------------------------------------------------------------------------------------------ */

/* Return the growth of a series from its first third to its last, by a difference of means. */
static double growth_of(const struct leaks *leaks, uint32_t frame) {
    const struct gate_comparison *comparison = leaks->question->comparison;
    uint32_t third = leaks->rounds / 3;
    double growth = 0.0;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < third; i++) {
            double sign = (side == GATE_CANARY ? 1.0 : -1.0) / third;
            growth += sign * (held(comparison, (enum gate_side_name)side, leaks->rounds - 1 - i, frame) -
                              held(comparison, (enum gate_side_name)side, i, frame));
        }
    return growth;
}

/* Return the function whose held amount grew most, or GATE_NO_INDEX if none explains the growth. */
static uint32_t holder_of(const struct leaks *leaks) {
    const struct gate_pair *pair = &leaks->question->comparison->pair;
    uint32_t found = GATE_NO_INDEX;
    double most = 0.0, all = 0.0;
    for (uint32_t frame = 0; frame < pair->frame_count; frame++) {
        double growth = growth_of(leaks, frame);
        all += growth;
        if (growth > most) {
            most = growth;
            found = frame;
        }
    }
    return most >= NAMED * all ? found : GATE_NO_INDEX;
}

/* ---- the finding ------------------------------------------------------------------------------------------------- */

static void put_amount(struct gate_buf *out, const struct leaks *leaks, double value) {
    gate_unit_print(out, llround(value), leaks->question->comparison->pair.type.unit);
}

/* Append "+12MB of inuse in 6 rounds (25s), +1.2GB per hour (90% CI [1.1GB, 1.4GB]), more than the baseline". */
static void put_numbers(struct gate_buf *out, const struct leaks *leaks, const struct leak *leak) {
    const struct gate_trend_slope *slope = &leak->judged.fit.whole;
    const struct gate_budget *budget = leaks->question->budget;
    double span = leaks->x[leaks->rounds - 1];
    gate_buf_text(out, slope->slope >= 0.0 ? "+" : "");
    put_amount(out, leaks, slope->slope * span);
    gate_buf_printf(out, " of %.*s in %u rounds (", GATE_STR_ARG(leaks->question->comparison->name),
                    (unsigned)leaks->rounds);
    gate_figures_seconds(out, span * gate_per_ns(budget->per) / 1e9);
    gate_buf_text(out, ") beyond the baseline's growth, ");
    put_amount(out, leaks, slope->slope);
    gate_buf_printf(out, " per %s", gate_per_name(budget->per));
    if (isfinite(slope->low) && isfinite(slope->high)) {
        gate_buf_text(out, " (90% CI [");
        put_amount(out, leaks, slope->low);
        gate_buf_text(out, ", ");
        put_amount(out, leaks, slope->high);
        gate_buf_text(out, "])");
    }
}

/* Return the words between the numbers of a series and its limit. */
static const char *relation_of(const struct leak *leak) {
    if (leak->reason == GATE_REASON_FILLS)
        return ", but it holds less than the baseline, whose caches may be full: perhaps over the ";
    if (leak->reason == GATE_REASON_SLOWER)
        return ", but its growth slows down: over the ";
    if (leak->reason == GATE_REASON_SMALL)
        return ", but by less than min_growth so far: over the ";
    if (leak->outcome != GATE_OUTCOME_INCONCLUSIVE)
        return ", over the ";
    return leak->judged.fit.whole.low > leak->judged.limit
               ? ", which may be chance with so few rounds or samples: perhaps over the "
               : ", perhaps over the ";
}

static bool add_finding(struct gate_budget_result *result, const struct leaks *leaks, const struct leak *leak,
                        struct gate_arena *arena, struct gate_error *err) {
    const struct gate_comparison *comparison = leaks->question->comparison;
    const struct gate_limit *limit = &leaks->question->budget->limits[0];
    uint32_t frame = leak->frame != GATE_NO_INDEX ? leak->frame : holder_of(leaks);
    struct gate_str name = frame == GATE_NO_INDEX ? GATE_STR("total") : comparison->pair.frames[frame].name;
    struct gate_buf why = {0};
    put_numbers(&why, leaks, leak);
    gate_buf_printf(&why, "%s%.*s per %s", relation_of(leak), GATE_STR_ARG(limit->text),
                    gate_per_name(leaks->question->budget->per));
    struct gate_finding *finding = GATE_NEW_ARRAY(arena, struct gate_finding, 1);
    bool ok = finding != NULL && !why.failed;
    if (ok) {
        *finding = (struct gate_finding){
            .frame = frame,
            .function = name,
            .outcome = leak->outcome,
            .reason = leak->reason,
            .limit = limit,
            .measure = GATE_CHARGED,
            .log_p_adjusted = leak->judged.log_p_adjusted,
            .detectable = NAN,
            .own_cost_ratio = NAN,
            .why = gate_str_copy(arena, gate_buf_view(&why)),
            .text = gate_str_format(arena, "%.*s: %.*s of \"%.*s\"", GATE_STR_ARG(name),
                                    GATE_STR_ARG(gate_buf_view(&why)), GATE_STR_ARG(result->budget->name)),
            .advice = leak->outcome == GATE_OUTCOME_FAIL
                          ? GATE_STR("look at what keeps these objects reachable and what should release them")
                          : GATE_STR("take more rounds, over a longer time"),
        };
        if (frame != GATE_NO_INDEX)
            finding->evidence = *comparison->frames[frame].evidence[GATE_CHARGED];
        result->findings = finding;
        result->finding_count = 1;
        result->outcome = leak->outcome;
        ok = finding->why.ptr != NULL && finding->text.ptr != NULL;
    }
    gate_buf_free(&why);
    return ok || gate_arena_error(arena, err);
}

/* ---- the decision ------------------------------------------------------------------------------------------------ */

static void set(struct leak *leak, enum gate_outcome outcome, enum gate_reason reason) {
    leak->outcome = outcome;
    leak->reason = reason;
}

/* Return whether a series significantly rises by more than its limit and is not a single step. With so few rounds, the
 * interval of the slope without the largest step is wide. So it is enough that a line fits better than the step, if the
 * rounds beside the step rise as well. */
static bool is_over(const struct leak *leak) {
    const struct gate_trend_fit *fit = &leak->judged.fit;
    double least = fmax(leak->judged.limit, STEADY * fit->whole.slope);
    return leak->judged.outcome == GATE_OUTCOME_FAIL ||
           (leak->judged.reason == GATE_TREND_STEP_OR_SLOPE && !leak->judged.warns_only &&
            fit->residual < fit->step_residual && fit->within.slope >= least);
}

/* Return whether a leak is ruled out: the interval of the slope is below the limit, or below the growth that counts. */
static bool is_proven(const struct leak *leak, const struct leaks *leaks) {
    double planned = leaks->x[leaks->rounds - 1] / part_of(leaks);
    return leak->judged.outcome == GATE_OUTCOME_PROVEN || leak->judged.fit.whole.high * planned < leaks->least;
}

/* Decide a series while more looks follow: it holds only if the leak is ruled out. The variance of the slope falls with
 * the cube of the number of rounds, so the first rounds hardly show the leaks that the last look finds. */
static void decide_early(struct leak *leak, const struct leaks *leaks) {
    const struct gate_trend_case *judged = &leak->judged;
    if (is_over(leak) && leak->growth >= leaks->least && leak->is_steady)
        set(leak, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    else if (judged->warns_only || is_proven(leak, leaks))
        set(leak, GATE_OUTCOME_PASS, GATE_REASON_WITHIN);
    else
        set(leak, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_UNCONFIRMED);
}

static void decide_at_last(struct leak *leak, const struct leaks *leaks) {
    const struct gate_trend_case *judged = &leak->judged;
    bool rises = judged->log_p_adjusted <= log(leaks->question->rules->alpha_margin);
    set(leak, GATE_OUTCOME_PASS, GATE_REASON_WITHIN);
    if (judged->outcome <= GATE_OUTCOME_PASS || !rises)
        return;
    if (leak->growth < leaks->least) {
        /* The canary grew; it is not only that the baseline fell. */
        bool is_own = leak->growth > leaks->limit * leaks->x[leaks->rounds - 1];
        if (leak->is_steady && is_own && is_over(leak)) /* the leak would become large in a longer time */
            set(leak, GATE_OUTCOME_WARN, GATE_REASON_SMALL);
        return;
    }
    if (!leak->is_steady)
        set(leak, GATE_OUTCOME_WARN, GATE_REASON_SLOWER);
    else if (is_over(leak))
        set(leak, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    else if (judged->outcome == GATE_OUTCOME_WARN)
        set(leak, GATE_OUTCOME_WARN, GATE_REASON_SEVERITY_WARN);
    else
        set(leak, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_UNCONFIRMED);
}

/* Return the amount that a function, or all functions, held in the last round of a side. */
static double held_at_last(const struct leaks *leaks, const struct leak *leak, enum gate_side_name side) {
    const struct gate_comparison *c = leaks->question->comparison;
    uint32_t last = leaks->rounds - 1, run = gate_first_run(&c->pair, side) + last;
    return leak->frame == GATE_NO_INDEX ? (double)c->pair.sides[side].runs[last].total
                                        : (double)gate_tally_at(&c->deltas, GATE_CHARGED, run, leak->frame)->value;
}

static void decide_series(struct leak *leak, const struct leaks *leaks) {
    struct gate_trend_case *judged = &leak->judged;
    leak->is_steady = leak->tail.slope >= fmax(judged->limit, STEADY * judged->fit.whole.slope);
    gate_trend_decide(judged);
    if (gate_looks_are_early(leaks->question->now))
        decide_early(leak, leaks);
    else
        decide_at_last(leak, leaks);
    if (leak->outcome == GATE_OUTCOME_FAIL &&
        held_at_last(leaks, leak, GATE_CANARY) < held_at_last(leaks, leak, GATE_BASELINE))
        set(leak, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_FILLS);
}

/* Decide each series, and add a finding on the worst one unless all hold. Among equally bad ones, choose the function
 * that grew most. Choose the total only if no function has its outcome and at least NAMED of its growth. */
static bool decide(struct gate_budget_result *result, struct leaks *leaks, struct gate_arena *arena,
                   struct gate_error *err) {
    struct leak *worst = &leaks->items[0];
    for (size_t i = 0; i < leaks->count; i++) {
        struct leak *leak = &leaks->items[i];
        decide_series(leak, leaks);
        double part = worst->frame == GATE_NO_INDEX ? NAMED : 1.0;
        if (leak->outcome > worst->outcome ||
            (leak->outcome == worst->outcome && leak->judged.fit.whole.slope > part * worst->judged.fit.whole.slope))
            worst = leak;
    }
    return worst->outcome <= GATE_OUTCOME_PASS || add_finding(result, leaks, worst, arena, err);
}

/* Return the growth of the total over all rounds that would have failed with 80% power, as a fraction of the amount
 * that the baseline holds. It follows from the interval of the slope and the samples. NAN: unknown. */
static double detectable(const struct leaks *leaks) {
    static const double POWER_Z = 0.8416; /* of 80% */
    const struct gate_side *baseline = &leaks->question->comparison->pair.sides[GATE_BASELINE];
    const struct gate_rules *rules = leaks->question->rules;
    const struct gate_trend_slope *slope = &leaks->items[0].judged.fit.whole;
    double span = leaks->x[leaks->rounds - 1], held = 0.0;
    for (uint32_t r = 0; r < leaks->rounds; r++)
        held += (double)baseline->runs[r].total / leaks->rounds;
    double error = (slope->high - slope->low) / 2.0 * span / gate_normal_z(rules->alpha_margin);
    double variation = fmax(error, sqrt(sampling_variance(leaks, GATE_NO_INDEX)));
    double growth = fmax(leaks->limit * span + (gate_normal_z(rules->alpha_margin) + POWER_Z) * error,
                         (gate_normal_z(rules->alpha) + POWER_Z) * variation);
    return held > 0.0 && isfinite(growth) ? fmax(growth, leaks->least) / held : NAN;
}

/* Return whether there are too few rounds yet, more may follow, and this budget can fail. */
static bool is_awaited(const struct gate_leak_question *question) {
    const struct gate_pair *pair = &question->comparison->pair;
    return gate_looks_are_early(question->now) && pair->sides[GATE_CANARY].run_count < GATE_LEAK_LEAST_ROUNDS &&
           gate_sample_type_is_level(pair->type.type) && question->budget->severity == GATE_SEVERITY_ERROR &&
           question->budget->limits[0].severity == GATE_SEVERITY_ERROR;
}

static bool add_awaited(struct gate_budget_result *result, const struct gate_leak_question *question,
                        struct gate_arena *arena, struct gate_error *err) {
    unsigned rounds = question->comparison->pair.sides[GATE_CANARY].run_count;
    struct gate_finding *finding = GATE_NEW_ARRAY(arena, struct gate_finding, 1);
    if (finding == NULL)
        return gate_arena_error(arena, err);
    *finding = (struct gate_finding){
        .frame = GATE_NO_INDEX,
        .function = result->budget->name,
        .outcome = GATE_OUTCOME_INCONCLUSIVE,
        .reason = GATE_REASON_TOO_FEW_SAMPLES,
        .limit = &question->budget->limits[0],
        .measure = GATE_CHARGED,
        .detectable = NAN,
        .own_cost_ratio = NAN,
        .text = gate_str_format(arena, "a leak shows in %d rounds or more, and there %s %u so far",
                                GATE_LEAK_LEAST_ROUNDS, rounds == 1 ? "is" : "are", rounds),
    };
    result->findings = finding;
    result->finding_count = 1;
    result->outcome = GATE_OUTCOME_INCONCLUSIVE;
    return finding->text.ptr != NULL || gate_arena_error(arena, err);
}

bool gate_leak_judge(struct gate_budget_result *result, const struct gate_leak_question *question,
                     struct gate_arena *arena, struct gate_error *err) {
    const struct gate_budget *budget = question->budget;
    const struct gate_limit *limit = &budget->limits[0];
    struct gate_str unit = question->comparison->pair.type.unit;
    struct leaks leaks = {.question = question, .rounds = rounds_of(question->comparison)};
    if (leaks.rounds == 0 && is_awaited(question))
        return add_awaited(result, question, arena, err);
    if (leaks.rounds == 0) {
        result->outcome = GATE_OUTCOME_PASS; /* not proven */
        result->detectable = NAN;
        result->hindrance = GATE_REASON_TOO_FEW_SAMPLES;
        return true;
    }
    if (!gate_unit_parse(&leaks.limit, gate_str_slice(limit->text, 1, limit->text.len), unit) ||
        (budget->min_growth.len > 0 && !gate_unit_parse(&leaks.least, budget->min_growth, unit)))
        return gate_error_set_at(err, GATE_ERR_CONFIG, limit->line, limit->column,
                                 "'%.*s' and 'min_growth' need units that convert to '%.*s'", GATE_STR_ARG(limit->text),
                                 GATE_STR_ARG(unit));
    if (!fill_times(&leaks, arena, err) || !make_series(&leaks, arena, err) || !adjust(&leaks, arena, err))
        return false;
    result->detectable = detectable(&leaks);
    return decide(result, &leaks, arena, err);
}
