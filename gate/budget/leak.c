/* SPDX-License-Identifier: Apache-2.0 */
/* Measure `leak`: whether what the canary holds grows from round to round more than the baseline's does. */
#include "gate/budget/leak.h"

#include "gate/base/figures.h"
#include "gate/budget/trend.h"
#include "gate/compare/noise.h"
#include "gate/model/unit.h"

#include <math.h>

/* The slope of the second half, as a part of the whole slope, with which growth is no cache that fills. */
static const double STEADY = 0.4;

/* The part of all growth that a function must hold to be named. */
static const double NAMED = 0.25;

/* The series of one budget. */
struct leak {
    const struct gate_leak_question *question;
    struct gate_trend_case judged;
    struct gate_trend_slope tail; /* of the second half */
    uint32_t rounds;
    double *x, *y; /* time since the first round, in the unit of the limit; what the canary holds beyond the baseline */
};

static int64_t time_of(const struct gate_side *side, uint32_t round) {
    return side->runs[round].input.profile->time_ns;
}

static bool is_same_round(const struct gate_side *side, uint32_t round) {
    uint32_t number = side->runs[round].input.round;
    return number > 0 && number == side->runs[round - 1].input.round;
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
                return 0; /* unknown, out of order, or of several instances */
    return rounds;
}

/* ---- the series -------------------------------------------------------------------------------------------------- */

static bool fill(struct leak *leak, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_pair *pair = &leak->question->comparison->pair;
    const struct gate_side *canary = &pair->sides[GATE_CANARY];
    double unit = gate_per_ns(leak->question->budget->per);
    leak->x = GATE_NEW_ARRAY(arena, double, leak->rounds);
    leak->y = GATE_NEW_ARRAY(arena, double, leak->rounds);
    if (leak->x == NULL || leak->y == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t r = 0; r < leak->rounds; r++) {
        leak->x[r] = ((double)time_of(canary, r) - (double)time_of(canary, 0)) / unit;
        leak->y[r] = (double)canary->runs[r].total - (double)pair->sides[GATE_BASELINE].runs[r].total;
    }
    return true;
}

static bool fit(struct leak *leak, struct gate_arena *arena, struct gate_error *err) {
    uint32_t half = leak->rounds / 2;
    struct gate_trend_fit second;
    double level = leak->question->rules->alpha_margin;
    if (!gate_trend_fit(&leak->judged.fit, leak->x, leak->y, leak->rounds, level, arena, err) ||
        !gate_trend_fit(&second, &leak->x[half], &leak->y[half], leak->rounds - half, level, arena, err))
        return false;
    leak->tail = second.whole;
    return true;
}

/* ---- who holds it ------------------------------------------------------------------------------------------------ */

/* Return the growth of a series from its first third to its last, by a difference of means. */
static double growth_of(const struct leak *leak, uint32_t frame) {
    const struct gate_comparison *comparison = leak->question->comparison;
    uint32_t third = leak->rounds / 3;
    double growth = 0.0;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < third; i++) {
            uint32_t first = gate_first_run(&comparison->pair, (enum gate_side_name)side);
            double sign = (side == GATE_CANARY ? 1.0 : -1.0) / third;
            growth +=
                sign *
                (double)gate_tally_at(&comparison->deltas, GATE_CHARGED, first + leak->rounds - 1 - i, frame)->value;
            growth -= sign * (double)gate_tally_at(&comparison->deltas, GATE_CHARGED, first + i, frame)->value;
        }
    return growth;
}

/* Return the function whose held amount grew most, or GATE_NO_INDEX if none explains the growth. */
static uint32_t holder_of(const struct leak *leak) {
    const struct gate_pair *pair = &leak->question->comparison->pair;
    uint32_t found = GATE_NO_INDEX;
    double most = 0.0, all = 0.0;
    for (uint32_t frame = 0; frame < pair->frame_count; frame++) {
        double growth = growth_of(leak, frame);
        all += growth;
        if (growth > most) {
            most = growth;
            found = frame;
        }
    }
    return most >= NAMED * all ? found : GATE_NO_INDEX;
}

/* ---- the finding ------------------------------------------------------------------------------------------------- */

static void put_amount(struct gate_buf *out, const struct leak *leak, double value) {
    gate_unit_print(out, llround(value), leak->question->comparison->pair.type.unit);
}

/* Append "+12MB of inuse in 6 rounds (25s), +1.2GB per hour (90% CI [1.1GB, 1.4GB]), more than the baseline". */
static void put_numbers(struct gate_buf *out, const struct leak *leak) {
    const struct gate_trend_slope *slope = &leak->judged.fit.whole;
    const struct gate_budget *budget = leak->question->budget;
    double span = leak->x[leak->rounds - 1];
    gate_buf_text(out, slope->slope >= 0.0 ? "+" : "");
    put_amount(out, leak, slope->slope * span);
    gate_buf_printf(out, " of %.*s in %u rounds (", GATE_STR_ARG(leak->question->comparison->name),
                    (unsigned)leak->rounds);
    gate_figures_seconds(out, span * gate_per_ns(budget->per) / 1e9);
    gate_buf_text(out, ") beyond the baseline's growth, ");
    put_amount(out, leak, slope->slope);
    gate_buf_printf(out, " per %s", gate_per_name(budget->per));
    if (isfinite(slope->low) && isfinite(slope->high)) {
        gate_buf_text(out, " (90% CI [");
        put_amount(out, leak, slope->low);
        gate_buf_text(out, ", ");
        put_amount(out, leak, slope->high);
        gate_buf_text(out, "])");
    }
}

static const char *relation_of(enum gate_outcome outcome, enum gate_reason reason) {
    if (reason == GATE_REASON_SLOWER)
        return ", but its growth slows down: over the ";
    return outcome == GATE_OUTCOME_INCONCLUSIVE ? ", perhaps over the " : ", over the ";
}

static bool add_finding(struct gate_budget_result *result, const struct leak *leak, enum gate_outcome outcome,
                        enum gate_reason reason, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_comparison *comparison = leak->question->comparison;
    uint32_t frame = holder_of(leak);
    struct gate_str name = frame == GATE_NO_INDEX ? GATE_STR("total") : comparison->pair.frames[frame].name;
    struct gate_buf why = {0};
    put_numbers(&why, leak);
    gate_buf_printf(&why, "%s%.*s per %s", relation_of(outcome, reason),
                    GATE_STR_ARG(leak->question->budget->limits[0].text), gate_per_name(leak->question->budget->per));
    struct gate_finding *finding = GATE_NEW_ARRAY(arena, struct gate_finding, 1);
    bool ok = finding != NULL && !why.failed;
    if (ok) {
        *finding = (struct gate_finding){
            .frame = frame,
            .function = name,
            .outcome = outcome,
            .reason = reason,
            .limit = &leak->question->budget->limits[0],
            .measure = GATE_CHARGED,
            .log_p_adjusted = leak->judged.log_p_adjusted,
            .detectable = NAN,
            .own_cost_ratio = NAN,
            .why = gate_str_copy(arena, gate_buf_view(&why)),
            .text = gate_str_format(arena, "%.*s: %.*s of \"%.*s\"", GATE_STR_ARG(name),
                                    GATE_STR_ARG(gate_buf_view(&why)), GATE_STR_ARG(result->budget->name)),
            .advice = outcome == GATE_OUTCOME_FAIL
                          ? GATE_STR("look at what keeps these objects reachable and what should release them")
                          : GATE_STR("take more rounds, over a longer time"),
        };
        if (frame != GATE_NO_INDEX)
            finding->evidence = *comparison->frames[frame].evidence[GATE_CHARGED];
        result->findings = finding;
        result->finding_count = 1;
        result->outcome = outcome;
        ok = finding->why.ptr != NULL && finding->text.ptr != NULL;
    }
    gate_buf_free(&why);
    return ok || gate_arena_error(arena, err);
}

/* Decide, and add a finding unless the budget holds. */
static bool decide(struct gate_budget_result *result, struct leak *leak, double least, struct gate_arena *arena,
                   struct gate_error *err) {
    struct gate_trend_case *judged = &leak->judged;
    double growth = judged->fit.whole.slope * leak->x[leak->rounds - 1];
    bool is_steady = leak->tail.slope >= fmax(judged->limit, STEADY * judged->fit.whole.slope);
    bool rises = judged->fit.log_p <= log(leak->question->rules->alpha_margin);
    gate_trend_decide(judged);
    if (judged->outcome <= GATE_OUTCOME_PASS || !rises || growth < least)
        return true;
    if (!is_steady)
        return add_finding(result, leak, GATE_OUTCOME_WARN, GATE_REASON_SLOWER, arena, err);
    switch (judged->outcome) {
    case GATE_OUTCOME_FAIL:
        return add_finding(result, leak, GATE_OUTCOME_FAIL, GATE_REASON_OVER, arena, err);
    case GATE_OUTCOME_WARN:
        return add_finding(result, leak, GATE_OUTCOME_WARN, GATE_REASON_SEVERITY_WARN, arena, err);
    default:
        return add_finding(result, leak, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_UNCONFIRMED, arena, err);
    }
}

/* Return whether rounds to come may make a series of this one. */
static bool is_awaited(const struct gate_leak_question *question) {
    const struct gate_pair *pair = &question->comparison->pair;
    return question->is_early && pair->sides[GATE_CANARY].run_count < GATE_LEAK_LEAST_ROUNDS &&
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
    struct leak leak = {.question = question, .rounds = rounds_of(question->comparison)};
    double least = 0.0;
    if (leak.rounds == 0 && is_awaited(question))
        return add_awaited(result, question, arena, err);
    if (leak.rounds == 0) {
        result->outcome = GATE_OUTCOME_PASS; /* not proven */
        result->detectable = NAN;
        result->hindrance = GATE_REASON_TOO_FEW_SAMPLES;
        return true;
    }
    if (!gate_unit_parse(&leak.judged.limit, gate_str_slice(limit->text, 1, limit->text.len), unit) ||
        (budget->min_growth.len > 0 && !gate_unit_parse(&least, budget->min_growth, unit)))
        return gate_error_set_at(err, GATE_ERR_CONFIG, limit->line, limit->column,
                                 "'%.*s' and 'min_growth' need units that convert to '%.*s'", GATE_STR_ARG(limit->text),
                                 GATE_STR_ARG(unit));
    if (!fill(&leak, arena, err) || !fit(&leak, arena, err))
        return false;
    leak.judged.log_p_adjusted = leak.judged.fit.log_p;
    leak.judged.alpha = question->rules->alpha;
    leak.judged.family = 1;
    leak.judged.warns_only = limit->severity < GATE_SEVERITY_ERROR || budget->severity < GATE_SEVERITY_ERROR;
    return decide(result, &leak, least, arena, err);
}
