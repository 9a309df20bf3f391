/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the findings of one budget, worst first. */
#include "gate/budget/finding.h"

#include "gate/base/parallel.h"
#include "gate/budget/decide.h"
#include "gate/budget/sentence.h"

#include <math.h>
#include <stdlib.h>

/* Each hypothesis can need two tests for its detectable growth. */
enum { HYPOTHESES_WORTH_A_THREAD = 2048 };

/* Return the measured value as a fraction of the limit. */
static double pressure(const struct gate_hypothesis *h) {
    double measured = gate_quantity_of(h->evidence, gate_limit_quantity(h->limit->kind));
    double limit = h->limit_value;
    if (gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_RATIO && limit > 1.0) {
        measured -= 1.0;
        limit -= 1.0;
    }
    return limit > 0.0 ? measured / limit : measured > 0.0 ? INFINITY : measured;
}

/* Order of the list; negative: `a` comes first. A total order, because frames differ in index. */
static int compare(const struct gate_hypothesis *a, const struct gate_hypothesis *b) {
    if (a->outcome != b->outcome)
        return a->outcome > b->outcome ? -1 : 1;
    if (a->evidence->delta != b->evidence->delta)
        return a->evidence->delta > b->evidence->delta ? -1 : 1;
    int names = gate_str_compare(a->name, b->name);
    if (names != 0)
        return names;
    return a->frame < b->frame ? -1 : a->frame > b->frame;
}

static int compare_pointers(const void *left, const void *right) {
    const struct gate_hypothesis *const *a = left, *const *b = right;
    return compare(*a, *b);
}

/* Of two limits on one frame: the worse outcome counts, then the stricter severity, then the first in the rules. */
static bool speaks_louder(const struct gate_hypothesis *a, const struct gate_hypothesis *b) {
    if (a->outcome != b->outcome)
        return a->outcome > b->outcome;
    return a->severity > b->severity;
}

/* NAN: no growth is detectable, however large. */
static double detectable(const struct gate_hypothesis *h, const struct gate_sentence *wording) {
    double growth = gate_sentence_hindrance(wording, h) == GATE_REASON_WITHIN ? gate_hypothesis_detectable(h) : NAN;
    return isfinite(growth) ? growth : NAN;
}

static bool fill(struct gate_finding *out, const struct gate_hypothesis *h, const struct gate_sentence *wording,
                 struct gate_arena *arena, struct gate_error *err) {
    *out = (struct gate_finding){
        .frame = h->frame,
        .function = h->name,
        .outcome = h->outcome,
        .reason = h->reason,
        .limit = h->limit,
        .measure = h->measure,
        .evidence = *h->evidence,
        .log_p_adjusted = h->log_p_adjusted,
        .detectable = detectable(h, wording),
        .own_cost_ratio = NAN,
        .samples_to_settle = h->settle_factor > 0.0 ? gate_sentence_samples(wording, h) : 0.0,
        .runs_to_settle = gate_sentence_runs(wording, h),
    };
    const struct gate_evidence *own = h->is_cost ? h->evidence : h->own;
    if (own != NULL && own->share[GATE_BASELINE] > 0.0)
        out->own_cost_ratio = own->share[GATE_CANARY] / own->share[GATE_BASELINE];
    out->why = gate_sentence_why(wording, h, arena);
    out->text = gate_sentence_text(wording, h, arena);
    out->advice = gate_sentence_advice(wording, h, arena);
    return (out->why.ptr != NULL && out->text.ptr != NULL && out->advice.ptr != NULL) || gate_arena_error(arena, err);
}

static void note_detectable(struct gate_budget_result *result, struct gate_decision_cache *known,
                            const struct gate_hypothesis *h, const struct gate_sentence *wording) {
    if (gate_decision_cache_lookup(known, h) != NULL) /* the earlier hypothesis has the same detectable growth */
        return;
    enum gate_reason hindrance = gate_sentence_hindrance(wording, h);
    if (hindrance != GATE_REASON_WITHIN) {
        result->hindrance = hindrance;
        return;
    }
    /* Only the largest is needed, and two tests rule out most frames. */
    if (!isnan(result->detectable) && gate_hypothesis_detects(h, result->detectable))
        return;
    double growth = gate_hypothesis_detectable(h);
    if (isfinite(growth) && !(growth <= result->detectable))
        result->detectable = growth;
}

/* A part of a budget's hypotheses; all limits of a frame are in the same part. */
struct speaking {
    const struct gate_hypothesis *hypotheses;
    size_t count;
    const struct gate_sentence *wording;
    const struct gate_hypothesis **loudest; /* room for one per hypothesis; one per frame is used */
    uint32_t frames;
    struct gate_budget_result said; /* result of this part alone */
    struct gate_decision_cache known;
};

/* Choose the worst hypothesis of the frame that begins at `first`, and update the counts. Returns its end. */
static size_t speak_frame(struct speaking *speaking, size_t first) {
    const struct gate_hypothesis *all = speaking->hypotheses, *worst = &all[first];
    struct gate_budget_result *said = &speaking->said;
    bool tested = false;
    size_t end = first;
    for (; end < speaking->count && all[end].frame == all[first].frame; end++) {
        const struct gate_hypothesis *h = &all[end];
        tested = tested || h->is_tested;
        if (speaks_louder(h, worst))
            worst = h;
        if (h->is_tested && !h->is_bystander)
            note_detectable(said, &speaking->known, h, speaking->wording);
    }
    said->tested += tested;
    said->proven += worst->outcome == GATE_OUTCOME_PROVEN;
    said->passed += worst->outcome == GATE_OUTCOME_PASS;
    said->outcome = worst->outcome > said->outcome || speaking->frames == 0 ? worst->outcome : said->outcome;
    speaking->loudest[speaking->frames++] = worst;
    return end;
}

static void speak(void *context) {
    struct speaking *speaking = context;
    speaking->said.detectable = NAN;
    for (size_t i = 0; i < speaking->count;)
        i = speak_frame(speaking, i);
}

/* Append the results of the second part to the first. */
static void join(struct speaking *first, const struct speaking *second) {
    struct gate_budget_result *said = &first->said;
    const struct gate_budget_result *more = &second->said;
    if (second->frames == 0)
        return;
    memmove(&first->loudest[first->frames], second->loudest, second->frames * sizeof *second->loudest);
    said->outcome = first->frames == 0 || more->outcome > said->outcome ? more->outcome : said->outcome;
    first->frames += second->frames;
    said->tested += more->tested;
    said->proven += more->proven;
    said->passed += more->passed;
    said->hindrance = more->hindrance != GATE_REASON_WITHIN ? more->hindrance : said->hindrance;
    said->detectable = fmax(said->detectable, more->detectable); /* of a number and NAN, fmax returns the number */
}

/* Write the worst hypothesis of each frame to `out`, and the counts to `result`. Returns the number of frames. */
static uint32_t loudest(const struct gate_hypothesis **out, struct gate_budget_result *result,
                        const struct gate_hypothesis *hypotheses, size_t count, const struct gate_sentence *wording) {
    size_t middle = count < HYPOTHESES_WORTH_A_THREAD ? count : count / 2;
    while (middle > 0 && middle < count && hypotheses[middle].frame == hypotheses[middle - 1].frame)
        middle++;
    struct speaking first = {hypotheses, middle, wording, out, 0, *result, {{NULL}}};
    struct speaking second = {
        middle < count ? &hypotheses[middle] : NULL, count - middle, wording, &out[middle], 0, *result, {{NULL}}};
    second.said.tested = second.said.proven = second.said.passed = 0;
    gate_parallel_both_if(second.count > 0, speak, &first, &second);
    join(&first, &second);
    *result = first.said;
    return first.frames;
}

/* Return the hypothesis nearest to its limit; of equal ones the first in the order of the list. NULL: there is none. */
static const struct gate_hypothesis *nearest_to_limit(const struct gate_hypothesis *const *frames, uint32_t count) {
    const struct gate_hypothesis *nearest = NULL;
    double most = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        double used = pressure(frames[i]);
        if (nearest == NULL || used > most || (used == most && compare(frames[i], nearest) < 0)) {
            nearest = frames[i];
            most = used;
        }
    }
    return nearest;
}

/* Keep and sort the hypotheses to be listed. Returns their number. */
static uint32_t keep_listed(const struct gate_hypothesis **frames, uint32_t count) {
    uint32_t listed = 0;
    for (uint32_t i = 0; i < count; i++)
        if (frames[i]->outcome >= GATE_OUTCOME_WARN)
            frames[listed++] = frames[i];
    qsort(frames, listed, sizeof *frames, compare_pointers);
    return listed;
}

static bool count_alike(struct gate_budget_result *result, uint32_t others, struct gate_arena *arena,
                        struct gate_error *err) {
    for (uint32_t i = 0; i < result->finding_count; i++) {
        struct gate_finding *finding = &result->findings[i];
        if (finding->outcome != GATE_OUTCOME_WARN || finding->reason != GATE_REASON_TOO_FEW_SAMPLES)
            continue;
        finding->text = gate_str_format(arena, "%.*s (%u more frame%s alike)", GATE_STR_ARG(finding->text), others,
                                        others == 1 ? "" : "s");
        return finding->text.ptr != NULL || gate_arena_error(arena, err);
    }
    return true;
}

/* Make the findings to be listed from `order`, which has room for all hypotheses. */
static bool make_told(struct gate_budget_result *result, const struct gate_hypothesis **order, uint32_t frames,
                      const struct gate_sentence *wording, struct gate_arena *arena, struct gate_error *err) {
    uint32_t listed = keep_listed(order, frames), kept = 0, alike = 0;
    /* Of the frames that only warn for lack of samples, list the first one only. */
    for (uint32_t i = 0; i < listed; i++) {
        bool is_blind = order[i]->outcome == GATE_OUTCOME_WARN && order[i]->reason == GATE_REASON_TOO_FEW_SAMPLES;
        if (!is_blind || alike++ == 0)
            order[kept++] = order[i];
    }
    if (kept == 0 && frames > 0)
        order[kept++] = nearest_to_limit(order, frames);
    struct gate_finding *room = GATE_NEW_ARRAY(arena, struct gate_finding, (size_t)kept + 1);
    if (room == NULL)
        return gate_arena_error(arena, err);
    result->findings = room;
    for (; result->finding_count < kept; result->finding_count++)
        if (!fill(&room[result->finding_count], order[result->finding_count], wording, arena, err))
            return false;
    return alike < 2 || count_alike(result, alike - 1, arena, err);
}

bool gate_finding_make(struct gate_budget_result *result, const struct gate_hypothesis *hypotheses, size_t count,
                       const struct gate_sentence *wording, struct gate_arena *arena, struct gate_error *err) {
    struct gate_arena scratch;
    result->outcome = GATE_OUTCOME_PASS;
    result->detectable = NAN;
    gate_arena_fork(&scratch, arena);
    const struct gate_hypothesis **order = gate_arena_alloc(&scratch, (count + 1) * sizeof *order);
    bool ok = order != NULL;
    if (ok) {
        uint32_t frames = loudest(order, result, hypotheses, count, wording);
        ok = make_told(result, order, frames, wording, arena, err);
    } else {
        (void)gate_arena_error(&scratch, err);
    }
    gate_arena_free(&scratch);
    return ok;
}

bool gate_finding_add_plain(struct gate_budget_result *result, enum gate_outcome outcome, enum gate_reason reason,
                            const char *text, const char *advice, struct gate_arena *arena, struct gate_error *err) {
    struct gate_finding *findings = GATE_NEW_ARRAY(arena, struct gate_finding, (size_t)result->finding_count + 1);
    if (findings == NULL)
        return gate_arena_error(arena, err);
    findings[0] = (struct gate_finding){
        .frame = GATE_NO_INDEX,
        .function = result->budget->name,
        .outcome = outcome,
        .reason = reason,
        .detectable = NAN,
        .own_cost_ratio = NAN,
        .text = gate_str_format(arena, "\"%.*s\": %s", GATE_STR_ARG(result->budget->name), text),
        .advice = gate_str_copy(arena, gate_str_from(advice)),
    };
    if (findings[0].text.ptr == NULL || findings[0].advice.ptr == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < result->finding_count; i++)
        findings[i + 1] = result->findings[i];
    /* A frame within its limit is not worth listing beside this finding. */
    bool only_nearest = result->finding_count == 1 && result->findings[0].outcome < GATE_OUTCOME_WARN;
    result->findings = findings;
    result->finding_count = only_nearest ? 1 : result->finding_count + 1;
    result->outcome = outcome > result->outcome ? outcome : result->outcome;
    return true;
}

bool gate_finding_wants_samples(const struct gate_budget_result *budgets, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t f = 0; f < budgets[i].finding_count; f++) {
            const struct gate_finding *finding = &budgets[i].findings[f];
            if (finding->outcome == GATE_OUTCOME_INCONCLUSIVE && finding->limit == NULL &&
                finding->reason != GATE_REASON_NO_MATCH)
                return false;
        }
    return true;
}
