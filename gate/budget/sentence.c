/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as sentences (see wording.h). */
#include "gate/budget/sentence.h"

#include "gate/profile/unit.h"

#include "gate/base/buf.h"

#include <math.h>

/* Two decimals where one would show nothing. */
static int decimals_for(double points) {
    return fabs(points) < 1.0 ? 2 : 1;
}

static void put_signed(struct gate_buf *out, double value, int decimals) {
    double half = 0.5 * pow(10.0, -decimals);
    if (fabs(value) < half)
        value = 0.0;
    gate_buf_text(out, value < 0.0 ? "" : "+");
    gate_buf_fixed(out, value, decimals);
}

static void put_percent(struct gate_buf *out, double fraction) {
    gate_buf_fixed(out, 100.0 * fraction, decimals_for(100.0 * fraction));
    gate_buf_text(out, " %");
}

static void put_number(struct gate_buf *out, double value) {
    gate_buf_number(out, round(value * 1e6) / 1e6);
}

static const char *const measure_words[GATE_MEASURES] = {
    [GATE_SELF] = "self ", [GATE_CUMULATIVE] = "cumulative ", [GATE_CHARGED] = "charged "};

/* What a cost is of. An absolute limit is never per second. */
static void put_per(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    if (h->limit->kind == GATE_LIMIT_ABSOLUTE && !w->comparison->work_is_known) {
        gate_buf_text(out, "a run");
    } else if (w->per_second) {
        gate_buf_text(out, "per second");
    } else {
        gate_buf_text(out, "per ");
        gate_buf_str(out, w->rules->work_unit.len > 0 ? w->rules->work_unit : GATE_STR("unit of work"));
    }
}

static void put_subject(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    gate_buf_str(out, h->name);
    gate_buf_text(out, ": ");
    if (!gate_budget_measure_row(w->budget->measure)->is_total)
        gate_buf_text(out, measure_words[h->measure]);
    if (!h->is_cost)
        return;
    gate_buf_text(out, "cost ");
    put_per(out, w, h);
    gate_buf_char(out, ' ');
}

/* What the limit is about, where points do not say it: how many times the baseline. */
static void put_ratio(struct gate_buf *out, const struct gate_hypothesis *h) {
    const struct gate_evidence *e = &h->evidence;
    if (gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_RATIO && e->share[GATE_BASELINE] > 0.0)
        gate_buf_printf(out, "%.*f times the baseline, ", e->share[GATE_CANARY] < 2.0 * e->share[GATE_BASELINE] ? 2 : 1,
                        e->share[GATE_CANARY] / e->share[GATE_BASELINE]);
}

/* "4.1 % → 10.3 % of cpu, +6.2 pp (95 % CI +4.9 … +7.6)" */
static void put_numbers(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    const struct gate_evidence *e = &h->evidence;
    put_percent(out, e->share[GATE_BASELINE]);
    gate_buf_text(out, " → ");
    put_percent(out, e->share[GATE_CANARY]);
    gate_buf_text(out, h->is_cost ? " of the baseline's " : " of ");
    gate_buf_str(out, w->comparison->name);
    gate_buf_text(out, ", ");
    put_ratio(out, h);
    int decimals = decimals_for(100.0 * e->delta);
    put_signed(out, 100.0 * e->delta, decimals);
    gate_buf_text(out, " pp (");
    if (!gate_evidence_is_counted(e)) {
        gate_buf_text(out, "no interval)");
        return;
    }
    struct gate_interval ci95 = gate_evidence_ci95(e);
    gate_buf_text(out, "95 % CI ");
    put_signed(out, 100.0 * ci95.bounds[0], decimals);
    gate_buf_text(out, " … ");
    put_signed(out, 100.0 * ci95.bounds[1], decimals);
    gate_buf_text(out, ")");
}

static void put_own_cost(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    struct gate_interval ci95 = gate_evidence_ci95(&h->own);
    gate_buf_text(out, "; its own cost went ");
    put_percent(out, h->own.share[GATE_BASELINE]);
    gate_buf_text(out, " → ");
    put_percent(out, h->own.share[GATE_CANARY]);
    gate_buf_text(out, " of the baseline's total (95 % CI of the growth ");
    put_signed(out, 100.0 * ci95.bounds[0], 1);
    gate_buf_text(out, " … ");
    put_signed(out, 100.0 * ci95.bounds[1], 1);
    gate_buf_text(out, w->comparison->work_is_known ? " pp per unit of work)" : " pp, work estimated)");
}

static void put_shift(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    const struct gate_frame *frames = w->comparison->pair.frames;
    gate_buf_text(out, "; the cost moved: ");
    for (uint32_t i = 0; i < h->shift.source_count; i++) {
        gate_buf_text(out, i == 0 ? "" : ", ");
        gate_buf_str(out, frames[h->shift.sources[i]].name);
    }
    gate_buf_text(out, " lost ");
    gate_buf_fixed(out, 100.0 * h->shift.moved, 1);
    gate_buf_text(out, " pp within ");
    gate_buf_str(out, frames[h->shift.within].name);
    gate_buf_text(out, ", which did not grow");
}

/* What follows "over the +5 pp of "budget"". */
static void put_reason(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    switch (h->reason) {
    case GATE_REASON_SEVERITY_WARN:
        gate_buf_text(out, ", which only warns");
        break;
    case GATE_REASON_UNCONFIRMED:
        gate_buf_text(out, ", not confirmed by this many samples");
        break;
    case GATE_REASON_TOO_FEW_SAMPLES:
        gate_buf_text(out, ", but only growth from ");
        put_signed(out, 100.0 * h->detectable, 1);
        gate_buf_text(out, " pp on would have been seen");
        break;
    case GATE_REASON_OTHERS_SHRANK:
        put_own_cost(out, w, h);
        gate_buf_text(out, ": others shrank");
        break;
    case GATE_REASON_OWN_COST_OPEN:
        put_own_cost(out, w, h);
        gate_buf_text(out, ": whether it grew, or others shrank, is open");
        break;
    case GATE_REASON_SHIFT:
        put_shift(out, w, h);
        break;
    case GATE_REASON_DELAY_REPLICATES:
        gate_buf_text(out, "; delays need two runs a side to fail");
        break;
    case GATE_REASON_MIN_SAMPLES:
        gate_buf_printf(out, "; fewer than %.0f effective samples on either side", w->rules->min_samples);
        break;
    case GATE_REASON_NOT_COMPARABLE:
        gate_buf_text(out, " cannot be told: the profile does not say how many events it holds");
        break;
    case GATE_REASON_TOLERATED:
        gate_buf_text(out, ", but not significant, and less than the ");
        put_signed(out, 100.0 * w->budget->max_mde, 1);
        gate_buf_text(out, " pp that may go unseen");
        break;
    case GATE_REASON_NOT_SUSTAINED:
        gate_buf_printf(out, "; fewer than %u of the last %u runs agree", w->budget->sustain_k, w->budget->sustain_n);
        break;
    default:
        break;
    }
}

/* The interval has two sides and the decision one: where the one holds the limit, the other says why it is broken. */
static void put_bound(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    if (h->outcome != GATE_OUTCOME_FAIL || gate_limit_quantity(h->limit->kind) != GATE_QUANTITY_GROWTH ||
        gate_evidence_ci95(&h->evidence).bounds[0] > h->limit_value)
        return;
    gate_buf_text(out, " (at least ");
    put_signed(out, 100.0 * gate_evidence_lower(&h->evidence, w->rules->alpha_margin), 2);
    gate_buf_text(out, " pp with ");
    put_number(out, 100.0 * (1.0 - w->rules->alpha_margin));
    gate_buf_text(out, " % confidence)");
}

/* ", found 310ms": the amount that an absolute limit bounds. The limit's own scale says what a share of it is. */
static void put_found(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    struct gate_str unit = w->comparison->pair.type.unit;
    double limit = 0.0;
    if (h->limit->kind != GATE_LIMIT_ABSOLUTE || h->reason == GATE_REASON_NOT_COMPARABLE || !(h->limit_value > 0.0) ||
        !gate_unit_parse(&limit, h->limit->text, unit))
        return;
    gate_buf_text(out, ", found ");
    gate_unit_print(out, llround(limit * h->evidence.share[GATE_CANARY] / h->limit_value), unit);
}

static void put_verdict(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    double measured = gate_quantity_of(&h->evidence, gate_limit_quantity(h->limit->kind));
    const char *relation = measured > h->limit_value ? "over the " : "within the ";
    if (h->outcome == GATE_OUTCOME_PROVEN)
        relation = "proven within the ";
    if (h->reason == GATE_REASON_NOT_COMPARABLE)
        relation = "whether it is over the ";
    gate_buf_text(out, relation);
    gate_limit_print(out, h->limit);
    if (h->limit->kind == GATE_LIMIT_ABSOLUTE) {
        gate_buf_char(out, ' ');
        put_per(out, w, h);
    }
    gate_buf_text(out, " of \"");
    gate_buf_str(out, w->budget->name);
    gate_buf_text(out, "\"");
    put_found(out, w, h);
    put_bound(out, w, h);
    put_reason(out, w, h);
}

static struct gate_str finish(struct gate_buf *buf, struct gate_arena *arena) {
    struct gate_str text = {NULL, 0};
    if (!buf->failed)
        text = gate_str_copy(arena, gate_buf_view(buf));
    gate_buf_free(buf);
    return text;
}

struct gate_str gate_sentence_text(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis,
                                  struct gate_arena *arena) {
    struct gate_buf buf = {0};
    put_subject(&buf, wording, hypothesis);
    put_numbers(&buf, wording, hypothesis);
    gate_buf_text(&buf, ", ");
    put_verdict(&buf, wording, hypothesis);
    return finish(&buf, arena);
}

double gate_sentence_samples(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis) {
    const struct gate_side *sides = wording->comparison->pair.sides;
    double fewest = fmin(sides[GATE_BASELINE].events, sides[GATE_CANARY].events);
    return ceil(hypothesis->settle_factor * fewest);
}

/* Who needs more than this to tell growth from its limit has growth of the limit. */
enum { SAMPLES_TOO_MANY = 50000 };

/* "about 5200 effective samples a side (62 s at this rate, or 3 runs like these)" */
static void put_settle(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    const struct gate_side *sides = w->comparison->pair.sides;
    uint32_t runs = sides[GATE_BASELINE].run_count > sides[GATE_CANARY].run_count ? sides[GATE_BASELINE].run_count
                                                                                    : sides[GATE_CANARY].run_count;
    double wanted_runs = ceil(h->settle_factor * runs);
    if (h->reason == GATE_REASON_UNCONFIRMED && gate_sentence_samples(w, h) > SAMPLES_TOO_MANY) {
        gate_buf_text(out, "it is too close to the limit for any number of runs that one would take: say in the rules, by another "
                           "limit, whether this much may pass");
        return;
    }
    if (h->evidence.variation == GATE_VARIATION_ASSUMED && h->reason != GATE_REASON_MIN_SAMPLES) {
        gate_buf_printf(out, "about %.0f runs a side would decide: one run counts for at most %.0f samples here", wanted_runs,
                        1.0 / gate_evidence_assumed_rho(&w->comparison->pair, h->evidence.is_wide));
        return;
    }
    gate_buf_printf(out, "about %.0f effective samples a side would decide", gate_sentence_samples(w, h));
    int64_t shortest = sides[GATE_BASELINE].duration_ns < sides[GATE_CANARY].duration_ns ? sides[GATE_BASELINE].duration_ns
                                                                                         : sides[GATE_CANARY].duration_ns;
    if (shortest > 0)
        gate_buf_printf(out, " (%.0f s of this load", ceil(h->settle_factor * (double)shortest / 1e9));
    gate_buf_printf(out, "%s%.0f runs like these)", shortest > 0 ? ", or " : " (", wanted_runs);
}

/* What the authors of a budget want its readers to know. */
static void put_people(struct gate_buf *buf, const struct gate_budget *budget) {
    const struct gate_str parts[] = {budget->message, budget->reason, budget->owner};
    static const char *const names[] = {"", "known: ", "owner: "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].len == 0)
            continue;
        gate_buf_text(buf, buf->len == 0 ? "" : "; ");
        gate_buf_text(buf, names[i]);
        gate_buf_str(buf, parts[i]);
    }
}

struct gate_str gate_sentence_advice(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis,
                                    struct gate_arena *arena) {
    struct gate_buf buf = {0};
    bool decided = hypothesis->outcome < GATE_OUTCOME_WARN;
    switch (hypothesis->reason) {
    case GATE_REASON_OVER:
        gate_buf_text(&buf, gate_hypothesis_bounds_growth(hypothesis)
                                ? "look at what this frame does more often or at higher cost; if the growth is meant, "
                                  "raise the limit and say why"
                                : "look at what this frame does; if the cost is meant, change the limit and say why");
        break;
    case GATE_REASON_DELAY_REPLICATES:
        gate_buf_text(&buf, "compare two or more runs a side");
        break;
    case GATE_REASON_SHIFT:
        gate_buf_text(&buf, "check that the work was moved on purpose (inlining, a rename, a split function)");
        break;
    case GATE_REASON_OTHERS_SHRANK:
    case GATE_REASON_OWN_COST_OPEN:
        gate_buf_text(&buf, wording->comparison->work_is_known
                                ? ""
                                : "tell the work done on each side (--work baseline=N --work canary=N) to be sure");
        break;
    case GATE_REASON_NOT_SUSTAINED:
        gate_buf_text(&buf, "take another canary, and give this one with --history");
        break;
    case GATE_REASON_NOT_COMPARABLE:
        gate_buf_text(&buf, "record the profile with a count column, or tell the sampling period in the rules");
        break;
    default:
        if (!decided && hypothesis->settle_factor > 0.0)
            put_settle(&buf, wording, hypothesis);
        else if (hypothesis->outcome == GATE_OUTCOME_INCONCLUSIVE)
            gate_buf_text(&buf, "too close to the limit to be decided by measuring longer: move the limit, or compare "
                                "more runs");
        break;
    }
    if (!decided)
        put_people(&buf, wording->budget);
    return finish(&buf, arena);
}
