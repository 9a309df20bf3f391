/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/finding.h"

#include "gate/base/buf.h"
#include "gate/base/figures.h"
#include "gate/base/parallel.h"
#include "gate/budget/decide.h"
#include "gate/budget/machine.h"
#include "gate/budget/readings.h"
#include "gate/compare/minified.h"
#include "gate/compare/upgrades.h"
#include "gate/model/unit.h"

#include <math.h>
#include <stdlib.h>

/* ---- sentences --------------------------------------------------------------------------------------------------- */

static void put_percent(struct gate_buf *out, const char *sign, double fraction, const char *unit) {
    gate_buf_text(out, sign);
    gate_figures_given(out, 100.0 * fraction);
    gate_buf_text(out, unit);
}

/* Append the unit of a cost. An absolute limit is never per second. */
static void put_per(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    bool is_absolute = h->limit->kind == GATE_LIMIT_ABSOLUTE;
    if (is_absolute && w->comparison->equal != GATE_EQUAL_WORK) {
        gate_buf_text(out, "per run");
    } else {
        gate_equal_put_per(out, w->equal, w->rules->work_unit);
    }
}

static void put_subject(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    gate_buf_str(out, h->name);
    gate_buf_text(out, ": ");
    if (!gate_budget_measure_row(w->budget->measure)->is_total)
        gate_buf_printf(out, "%s ", gate_measure_name(h->measure));
    if (!h->is_cost)
        return;
    gate_buf_text(out, "cost ");
    put_per(out, w, h);
    gate_buf_char(out, ' ');
}

/* Append the ratio to the baseline if the limit bounds a ratio. */
static void put_ratio(struct gate_buf *out, const struct gate_hypothesis *h) {
    const struct gate_evidence *e = h->evidence;
    if (gate_limit_quantity(h->limit->kind) != GATE_QUANTITY_RATIO || !(e->share[GATE_BASELINE] > 0.0))
        return;
    gate_figures_times(out, e->share[GATE_CANARY] / e->share[GATE_BASELINE]);
    gate_buf_text(out, " the baseline, ");
}

/* Append "4.1% → 10.3% of cpu, +6.2 pp (95% CI [+4.9, +7.6])". */
static void put_numbers(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    const struct gate_evidence *e = h->evidence;
    struct gate_interval ci95 = gate_evidence_ci95(e);
    gate_figures_shares(out, e->share);
    gate_buf_text(out, h->is_cost ? " of the baseline's " : " of ");
    gate_buf_str(out, w->comparison->name);
    gate_buf_text(out, ", ");
    put_ratio(out, h);
    gate_figures_change(out, e->delta, gate_evidence_is_counted(e) ? ci95.bounds : NULL);
}

static void put_own_cost(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    struct gate_interval ci95 = gate_evidence_ci95(h->own);
    if (w->comparison->work_is_known)
        gate_equal_put_per(out, w->comparison->equal, w->rules->work_unit);
    else
        gate_buf_text(out, "per unit of work (estimated)");
    gate_buf_text(out, h->measure == GATE_CUMULATIVE ? ", its cost with all that it calls went from "
                                                     : ", its own cost went from ");
    gate_figures_share(out, h->own->share[GATE_BASELINE]);
    gate_buf_text(out, " to ");
    gate_figures_share(out, h->own->share[GATE_CANARY]);
    gate_buf_text(out, " of the baseline's total, ");
    gate_figures_change(out, h->own->delta, ci95.bounds);
}

static void put_shift(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    const struct gate_frame *frames = w->comparison->pair.frames;
    gate_buf_text(out, h->outcome == GATE_OUTCOME_INCONCLUSIVE ? "the cost may have moved: " : "the cost moved: ");
    for (uint32_t i = 0; i < h->shift->source_count; i++) {
        gate_buf_text(out, i == 0 ? "" : ", ");
        gate_buf_str(out, frames[h->shift->sources[i]].name);
    }
    gate_buf_text(out, " lost ");
    gate_figures_size(out, h->shift->moved);
    if (h->shift->is_pause) {
        gate_buf_text(out,
                      ", and Python's garbage collector, which no frame shows, runs in whichever function allocates");
        return;
    }
    if (h->shift->within == GATE_NO_INDEX) {
        gate_buf_text(out, ", and the growth of both together is not surely over the limit");
        return;
    }
    if (h->shift->within == h->shift->sources[0] && h->shift->source_count == 1) {
        gate_buf_text(out, ", and did not grow with all that it calls");
        return;
    }
    bool is_by_shares = !w->comparison->work_is_known && !w->comparison->work_is_estimated;
    gate_buf_text(out, " within ");
    gate_buf_str(out, frames[h->shift->within].name);
    gate_buf_text(out, is_by_shares ? ", whose share did not grow" : ", which did not grow");
}

/* Append the ratio of the totals per unit of work, second or run, as the contradicting reading counts it. */
static void put_total_reading(struct gate_buf *out, enum gate_reason reason, const struct gate_reading *reading) {
    const char *per = gate_equal_per(reading->equal);
    if (reason == GATE_REASON_TOTAL_FELL)
        gate_buf_printf(out, "%s it is within the limit: the canary's total %s is ", per, per);
    else if (reason == GATE_REASON_TOTAL_GREW)
        gate_buf_printf(out, "within the limit by the work that other functions indicate, but the total %s is ", per);
    else
        gate_buf_printf(out, "all waiting together %s is ", per);
    gate_figures_times(out, reading->total);
    gate_buf_text(out, " the baseline's");
    if (reason == GATE_REASON_TOTAL_GREW)
        gate_buf_text(out, ", so that they may cost more instead of doing more");
    else if (reason == GATE_REASON_WAITING_MOVED)
        gate_buf_text(out, ": what waited elsewhere before may wait here now");
}

/* Append what new code may have replaced: a part of a function that still exists, or functions that are gone. */
static void put_replaced_reading(struct gate_buf *out, const struct gate_hypothesis *h, struct gate_str name) {
    if (h->reading->is_of_one_caller) {
        gate_buf_text(out, "nearly all of it is charged to ");
        gate_buf_str(out, name);
        gate_buf_text(out, ", and there are not enough samples to confirm that this function grew over its limit");
        return;
    }
    if (h->is_callerless && gate_minified_name_is(h->name)) {
        gate_buf_text(out, "functions that are gone (the largest: ");
        gate_buf_str(out, name);
        gate_buf_text(out, ") cost about as much, and they may have been minified in the canary alone");
        return;
    }
    if (h->is_new_code || h->reading->is_moved_out) {
        gate_buf_text(out, "the code may have moved out of ");
        gate_buf_str(out, name);
        gate_buf_text(out, ", whose own part costs less now");
        return;
    }
    /* The costs are sums over the whole program: `name` is the largest function that is gone, and need not be the one
     * that this function replaced. */
    gate_buf_text(out, "it may be a new name: functions that are gone (the largest: ");
    gate_buf_str(out, name);
    gate_buf_text(out, ") cost about as much as all new ones");
    if (h->outcome == GATE_OUTCOME_WARN)
        return;
    gate_buf_printf(out, ", but the total %s is ", gate_equal_per(h->reading->equal));
    gate_figures_times(out, h->reading->total);
    gate_buf_text(out, " the baseline's");
}

/* Append the group that contains the function and that grew less: a library with another version, or functions some of
 * which a run-time compiler inlines. */
static void put_whole_reading(struct gate_buf *out, enum gate_reason reason, const struct gate_reading *reading) {
    if (reason == GATE_REASON_MISPLACED) {
        gate_buf_text(out,
                      "samples of it may be those of others that the JVM compiled into the same methods: it and all "
                      "of these went from ");
    } else if (reading->upgrade != NULL) {
        gate_upgrade_put(out, reading->upgrade);
        gate_buf_text(out, " has other functions, and all of it went from ");
    } else {
        gate_buf_text(out, "the compiler at run time inlines it, or others into it, in some runs only: it and all that "
                           "may have its cost then went from ");
    }
    gate_figures_share(out, reading->whole[GATE_BASELINE]);
    gate_buf_text(out, " to ");
    gate_figures_share(out, reading->whole[GATE_CANARY]);
}

/* Append the function's own cost, and why other functions may explain or excuse its growth. */
static void put_own_cost_why(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    bool has_grown = gate_evidence_ci95(h->own).bounds[0] > 0.0, is_open = h->reason == GATE_REASON_OWN_COST_OPEN;
    put_own_cost(out, w, h);
    if (is_open)
        gate_buf_text(out, has_grown ? ": it grew, but it is undecided whether by more than the limit"
                                     : ": it is undecided whether it grew or other functions shrank");
    else
        gate_buf_text(out, has_grown
                               ? ": it grew, but within this limit; its share grew more because other functions shrank"
                               : ": its share grew because other functions shrank");
}

/* Append that all other functions became slower or faster by one factor, as they would on another machine. */
static void put_machine(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    bool is_slower = h->reason == GATE_REASON_SLOWER_MACHINE;
    bool is_beside = is_slower && h->reading->frame != GATE_NO_INDEX; /* reading->frame became cheaper */
    const char *then = ": measured by them it is over the limit. This profiler also counts time in which other "
                       "programs had the processor: the baseline's machine may have been busier";
    if (is_beside)
        then = ", too: without that it is not surely over the limit, so the canary's machine may have been slower";
    else if (is_slower && h->is_path)
        then = ": without that it is within the limit, so the canary's machine may have been slower";
    else if (is_slower)
        then = ", too: without that it is within the limit, so the canary's machine may have been slower";
    gate_buf_text(out, h->is_path ? "all functions" : is_slower ? "the other functions" : "all other functions");
    if (is_beside) {
        gate_buf_text(out, " but ");
        gate_buf_str(out, w->comparison->pair.frames[h->reading->frame].name);
    }
    gate_buf_text(out, " cost ");
    gate_figures_times(out, h->reading->ratio / w->comparison->work_ratio);
    gate_buf_text(out, " as much ");
    gate_equal_put_per(out, h->reading->equal, w->rules->work_unit);
    gate_buf_text(out, then);
}

/* Append the reading that contradicts the decision (budget/readings.h), if it names a function or a number. */
/* Append the shares of the two sides that a reading compares, with what is said of them. */
static void put_reading_shares(struct gate_buf *out, enum gate_reason reason, const struct gate_reading *reading) {
    bool is_gone = reason == GATE_REASON_GONE;
    if (is_gone)
        gate_buf_text(out, "the canary does not have it, and new functions of its callers have ");
    gate_figures_share(out, reading->whole[is_gone ? GATE_CANARY : GATE_BASELINE]);
    gate_buf_text(out, is_gone ? " where those that are gone had " : " of the baseline and ");
    gate_figures_share(out, reading->whole[is_gone ? GATE_BASELINE : GATE_CANARY]);
    gate_buf_text(out, is_gone ? ": it may be one of them, under another name"
                               : " of the canary are in stacks that the profiler cut: it may be missing in them");
}

static void put_reading(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    const struct gate_reading *reading = h->reading;
    struct gate_str name = GATE_STR("");
    if (reading->frame != GATE_NO_INDEX)
        name = w->comparison->pair.frames[reading->frame].name;
    switch (h->reason) {
    case GATE_REASON_OTHERS_CHEAPER:
        gate_buf_str(out, name);
        gate_buf_text(out, " may only have become cheaper: all other functions grew by the same factor");
        break;
    case GATE_REASON_TOTAL_FELL:
    case GATE_REASON_TOTAL_GREW:
    case GATE_REASON_WAITING_MOVED:
        put_total_reading(out, h->reason, reading);
        break;
    case GATE_REASON_SINCE_START:
        gate_buf_text(out, "these allocations count from the start of the process: ");
        gate_buf_text(out, reading->frame == GATE_NO_INDEX ? "per run it is within the limit" : "beside those of ");
        gate_buf_str(out, name);
        gate_buf_text(out, reading->frame == GATE_NO_INDEX ? "" : " it is not sure to be over the limit");
        break;
    case GATE_REASON_REPLACED:
        put_replaced_reading(out, h, name);
        break;
    case GATE_REASON_GONE:
    case GATE_REASON_CUT_STACKS:
        put_reading_shares(out, h->reason, reading);
        break;
    case GATE_REASON_BUSIER_MACHINE:
    case GATE_REASON_SLOWER_MACHINE:
        put_machine(out, w, h);
        break;
    case GATE_REASON_FEW_RUNS:
        gate_buf_printf(
            out,
            "in %u of the canary's %u runs only: it may not wait so in each run, or the holder of a lock had no "
            "processor in one, and all others waited",
            (unsigned)reading->over, (unsigned)reading->runs);
        break;
    case GATE_REASON_ONE_FUNCTION:
        gate_buf_text(out, "most of it is the growth of ");
        gate_buf_str(out, name);
        gate_buf_text(out, h->outcome == GATE_OUTCOME_INCONCLUSIVE
                               ? " alone, which by itself differs so much from run to run that it may be noise"
                               : " alone, which is judged by itself");
        break;
    default: /* GATE_REASON_SLOWED */
        gate_buf_text(out, "the other functions in ");
        gate_buf_str(out, name);
        gate_buf_text(out,
                      " fell by the same factor: the cost moved, or a worker that is always busy completes less work");
        break;
    }
}

static void put_few_samples(struct gate_buf *out, const struct gate_sentence *w) {
    const struct gate_side *sides = w->comparison->pair.sides;
    bool is_both = fmax(sides[GATE_BASELINE].events, sides[GATE_CANARY].events) < w->rules->min_samples;
    gate_buf_text(out, "fewer than ");
    gate_figures_count(out, is_both ? w->rules->min_samples : w->rules->min_samples * GATE_SAMPLES_OF_ONE_SIDE);
    gate_buf_text(
        out, is_both
                 ? " effective samples on both sides (min_samples)"
                 : " effective samples on one side (a fifth of min_samples), which may have been idle or just started");
}

/*
 * Return why no growth on this hypothesis, however large, could fail the run: GATE_REASON_MIN_SAMPLES or
 * GATE_REASON_DELAY_REPLICATES. GATE_REASON_WITHIN: it could fail, or its severity only allows a warning.
 */
static enum gate_reason sentence_hindrance(const struct gate_sentence *wording,
                                           const struct gate_hypothesis *hypothesis) {
    const struct gate_side *sides = wording->comparison->pair.sides;
    if (hypothesis->severity < GATE_SEVERITY_ERROR)
        return GATE_REASON_WITHIN;
    if (fmax(sides[GATE_BASELINE].events, sides[GATE_CANARY].events) < wording->rules->min_samples)
        return GATE_REASON_MIN_SAMPLES;
    return hypothesis->is_restrained ? GATE_REASON_DELAY_REPLICATES : GATE_REASON_WITHIN;
}

void gate_sentence_put_hindrance(struct gate_buf *out, const struct gate_rules *rules, enum gate_reason hindrance) {
    if (hindrance == GATE_REASON_DELAY_REPLICATES) {
        gate_buf_text(out, "a delay profile with one run per side cannot fail");
        return;
    }
    if (hindrance == GATE_REASON_TOO_FEW_SAMPLES) {
        gate_buf_printf(out, "a leak shows in %d rounds or more of one process", GATE_LEAK_LEAST_ROUNDS);
        return;
    }
    gate_buf_text(out, "fewer than ");
    gate_figures_count(out, rules->min_samples);
    gate_buf_text(out, " effective samples on both sides (min_samples), so nothing can fail");
}

/* Append the growth that an undecided limit would have detected. */
static void put_detectable(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    enum gate_reason hindrance = sentence_hindrance(w, h);
    if (hindrance != GATE_REASON_WITHIN) {
        gate_sentence_put_hindrance(out, w->rules, hindrance);
        return;
    }
    gate_buf_text(out, "this comparison can only detect growth of ");
    if (h->is_cost)
        gate_figures_growth(out, gate_machine_detectable(h, &w->comparison->pair), true);
    else
        gate_figures_size(out, gate_machine_detectable(h, &w->comparison->pair));
    gate_buf_text(out, " or more");
}

static const char *host_load_why(const struct gate_hypothesis *h) {
    return h->is_runtime
               ? "this is the runtime's own work, which can double with the load of the host; its stacks show no "
                 "function that causes it"
               : "no function of yours is on these stacks: what a framework does by itself can double with "
                 "the load of the host";
}

/* Append why a budget with no_own_caller passes or does not pass. `subject` is the function's name, or "it" if the
 * sentence already contains the name. */
static void put_own_callers(struct gate_buf *out, const struct gate_hypothesis *h, struct gate_str subject) {
    gate_buf_str(out, subject);
    gate_buf_text(out, h->outcome >= GATE_OUTCOME_INCONCLUSIVE
                           ? " is new, and your own functions that call it grew together by more than this limit"
                           : " is called by your own functions, which are charged with its cost");
}

static const char *other_way_why(const struct gate_hypothesis *h) {
    return h->outcome == GATE_OUTCOME_INCONCLUSIVE
               ? "its functions have the same share as before, all paths together, of a total that grew: they are "
                 "called another way, or the whole costs more"
               : gate_reason_row(h->reason)->why;
}

/* Append that samples may be misplaced. For a warning, append the growth of all functions that may have them. */
static void put_misplaced(struct gate_buf *out, const struct gate_hypothesis *h) {
    if (h->outcome == GATE_OUTCOME_WARN)
        put_whole_reading(out, h->reason, h->reading);
    else
        gate_buf_text(out, gate_reason_row(h->reason)->why);
}

/* Append the reason as a clause; nothing if the limit is reason enough. `subject` is the word for the function in
 * clauses that are also printed below the name of another function. */
static void put_why(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h,
                    struct gate_str subject) {
    switch (h->reason) {
    case GATE_REASON_TOO_FEW_SAMPLES:
        put_detectable(out, w, h);
        break;
    case GATE_REASON_OTHERS_SHRANK:
    case GATE_REASON_OWN_COST_OPEN:
        put_own_cost_why(out, w, h);
        break;
    case GATE_REASON_SHIFT:
        put_shift(out, w, h);
        break;
    case GATE_REASON_MIN_SAMPLES:
        put_few_samples(out, w);
        break;
    case GATE_REASON_RUNTIME:
    case GATE_REASON_OTHER_WAY:
        gate_buf_text(out, h->reason == GATE_REASON_RUNTIME ? host_load_why(h) : other_way_why(h));
        break;
    case GATE_REASON_TOLERATED:
        put_percent(out, "not significant, and less than the ", w->budget->max_mde,
                    " pp that the rules tolerate (max_mde)");
        break;
    case GATE_REASON_SMALL:
        gate_buf_printf(out, "by less than the budget's min_growth of %.*s", GATE_STR_ARG(w->budget->min_growth));
        break;
    case GATE_REASON_OWN_CALLERS:
        put_own_callers(out, h, subject);
        break;
    case GATE_REASON_UPGRADED:
    case GATE_REASON_INLINED_TOGETHER:
        put_whole_reading(out, h->reason, h->reading);
        break;
    case GATE_REASON_MISPLACED:
        put_misplaced(out, h);
        break;
    case GATE_REASON_BUSIER_MACHINE:
    case GATE_REASON_SLOWER_MACHINE:
    case GATE_REASON_OTHERS_CHEAPER:
    case GATE_REASON_TOTAL_FELL:
    case GATE_REASON_TOTAL_GREW:
    case GATE_REASON_WAITING_MOVED:
    case GATE_REASON_SINCE_START:
    case GATE_REASON_REPLACED:
    case GATE_REASON_GONE:
    case GATE_REASON_SLOWED:
    case GATE_REASON_ONE_FUNCTION:
    case GATE_REASON_FEW_RUNS:
    case GATE_REASON_CUT_STACKS:
        put_reading(out, w, h);
        break;
    case GATE_REASON_NOT_SUSTAINED:
        gate_buf_printf(out, "fewer than %u of the last %u runs agree", w->budget->sustain_k, w->budget->sustain_n);
        break;
    default:
        gate_buf_text(out, gate_reason_row(h->reason)->why == NULL ? "" : gate_reason_row(h->reason)->why);
        break;
    }
}

/* Append the reason after "over the +5 pp of "budget"". */
static void put_reason(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    bool is_refuted = h->reason == GATE_REASON_OWN_CALLERS && h->outcome == GATE_OUTCOME_FAIL;
    const char *joint = is_refuted ? "; " : gate_reason_row(h->reason)->joint;
    if (joint == NULL)
        return;
    gate_buf_text(out, joint);
    put_why(out, w, h, GATE_STR("it"));
}

/* Append the one-sided bound if the two-sided interval contains the limit. It shows why the limit is broken, because
 * the decision is one-sided. */
static void put_bound(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    if (h->outcome != GATE_OUTCOME_FAIL || gate_limit_quantity(h->limit->kind) != GATE_QUANTITY_GROWTH ||
        gate_evidence_ci95(h->evidence).bounds[0] > h->limit_value)
        return;
    gate_buf_text(out, " (at least ");
    gate_figures_bound(out, gate_evidence_lower(h->evidence, w->margin), h->limit_value);
    put_percent(out, " with ", 1.0 - w->rules->alpha_margin, "% confidence)");
}

/* Append "found 310ms": the amount that an absolute limit bounds, from the limit and its share. */
static void put_found(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h,
                      const char *joint) {
    struct gate_str unit = w->comparison->pair.type.unit;
    double limit = 0.0;
    if (h->limit->kind != GATE_LIMIT_ABSOLUTE || h->reason == GATE_REASON_NOT_COMPARABLE || !(h->limit_value > 0.0) ||
        !gate_unit_parse(&limit, h->limit->text, unit))
        return;
    gate_buf_printf(out, "%sfound ", joint);
    gate_unit_print(out, llround(limit * h->evidence->share[GATE_CANARY] / h->limit_value), unit);
}

static void put_verdict(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    double measured = gate_quantity_of(h->evidence, gate_limit_quantity(h->limit->kind));
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
    put_found(out, w, h, ", ");
    put_bound(out, w, h);
    put_reason(out, w, h);
}

/*
 * Return "NAME: self 4.1% → 10.3% of cpu, +6.2 pp (95% CI [+4.9, +7.6]), over the +5 pp of "BUDGET"".
 * `.ptr` NULL: the arena is full.
 */
static struct gate_str sentence_text(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis,
                                     struct gate_arena *arena) {
    struct gate_buf buf = {0};
    put_subject(&buf, wording, hypothesis);
    put_numbers(&buf, wording, hypothesis);
    gate_buf_text(&buf, ", ");
    put_verdict(&buf, wording, hypothesis);
    return gate_buf_keep(&buf, arena);
}

/*
 * Return the reason as a clause, such as "not enough samples to confirm it"; empty if the limit suffices. `.ptr`
 * NULL: the arena is full.
 */
static struct gate_str sentence_why(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis,
                                    struct gate_arena *arena) {
    struct gate_buf buf = {0}, why = {0};
    put_found(&buf, wording, hypothesis, "");
    put_why(&why, wording, hypothesis, hypothesis->name);
    gate_buf_text(&buf, buf.len > 0 && why.len > 0 ? "; " : "");
    gate_buf_str(&buf, gate_buf_view(&why));
    gate_buf_free_part(&buf, &why);
    return gate_buf_keep(&buf, arena);
}

/* ---- the findings of one budget, worst first --------------------------------------------------------------------- */

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

/* Return whether `a` replaces `b` as the finding of a frame: it has a worse outcome, or the same outcome and a stricter
 * severity. Otherwise the first limit in the rules stays. */
static bool is_worse(const struct gate_hypothesis *a, const struct gate_hypothesis *b) {
    if (a->outcome != b->outcome)
        return a->outcome > b->outcome;
    return a->severity > b->severity;
}

/* Return the growth that the hypothesis would detect; NAN if no growth is detectable, however large. */
static double detectable(const struct gate_hypothesis *h, const struct gate_sentence *wording) {
    double growth = sentence_hindrance(wording, h) == GATE_REASON_WITHIN
                        ? gate_machine_detectable(h, &wording->comparison->pair)
                        : NAN;
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
        .samples_to_settle = h->settle_factor > 0.0 ? gate_advice_samples(wording, h) : 0.0,
        .runs_to_settle = gate_advice_runs(wording, h),
        .shift = h->reason == GATE_REASON_SHIFT ? h->shift : NULL,
    };
    const struct gate_evidence *own = h->is_cost ? h->evidence : h->own;
    if (own != NULL && own->share[GATE_BASELINE] > 0.0)
        out->own_cost_ratio = own->share[GATE_CANARY] / own->share[GATE_BASELINE];
    out->why = sentence_why(wording, h, arena);
    out->text = sentence_text(wording, h, arena);
    out->advice = gate_advice_on(wording, h, arena);
    return (out->why.ptr != NULL && out->text.ptr != NULL && out->advice.ptr != NULL) || gate_arena_error(arena, err);
}

static void note_detectable(struct gate_budget_result *result, const struct gate_hypothesis *h,
                            const struct gate_sentence *wording) {
    enum gate_reason hindrance = sentence_hindrance(wording, h);
    if (hindrance != GATE_REASON_WITHIN) {
        result->hindrance = hindrance;
        return;
    }
    /* Only the largest is needed, and two tests rule out most frames. */
    if (!isnan(result->detectable) && gate_hypothesis_detects(h, result->detectable) &&
        gate_machine_moment_growth(h, &wording->comparison->pair) <= result->detectable)
        return;
    double growth = gate_machine_detectable(h, &wording->comparison->pair);
    if (isfinite(growth) && !(growth <= result->detectable))
        result->detectable = growth;
}

/* A part of a budget's hypotheses; all limits of a frame are in the same part. */
struct part {
    const struct gate_hypothesis *hypotheses;
    size_t count;
    const struct gate_sentence *wording;
    const struct gate_hypothesis **worst_per_frame; /* room for one per hypothesis; one per frame is used */
    uint32_t frames;
    struct gate_budget_result totals; /* result of this part alone */
};

/* Choose the worst hypothesis of the frame that begins at `first`, and update the counts. Returns its end. */
static size_t part_add_frame(struct part *part, size_t first) {
    const struct gate_hypothesis *all = part->hypotheses, *worst = &all[first];
    struct gate_budget_result *totals = &part->totals;
    bool tested = false;
    size_t end = first;
    for (; end < part->count && all[end].frame == all[first].frame; end++) {
        const struct gate_hypothesis *h = &all[end];
        tested = tested || h->is_tested;
        if (is_worse(h, worst))
            worst = h;
        if (h->is_tested && !h->is_bystander)
            note_detectable(totals, h, part->wording);
    }
    totals->tested += tested;
    totals->proven += worst->outcome == GATE_OUTCOME_PROVEN;
    totals->passed += worst->outcome == GATE_OUTCOME_PASS;
    totals->outcome = worst->outcome > totals->outcome || part->frames == 0 ? worst->outcome : totals->outcome;
    part->worst_per_frame[part->frames++] = worst;
    return end;
}

static void part_fill(void *context) {
    struct part *part = context;
    part->totals.detectable = NAN;
    for (size_t i = 0; i < part->count;)
        i = part_add_frame(part, i);
}

/* Append the results of the second part to the first. */
static void join(struct part *first, const struct part *second) {
    struct gate_budget_result *totals = &first->totals;
    const struct gate_budget_result *more = &second->totals;
    if (second->frames == 0)
        return;
    memmove(&first->worst_per_frame[first->frames], second->worst_per_frame,
            second->frames * sizeof *second->worst_per_frame);
    totals->outcome = first->frames == 0 || more->outcome > totals->outcome ? more->outcome : totals->outcome;
    first->frames += second->frames;
    totals->tested += more->tested;
    totals->proven += more->proven;
    totals->passed += more->passed;
    totals->hindrance = more->hindrance != GATE_REASON_WITHIN ? more->hindrance : totals->hindrance;
    totals->detectable = fmax(totals->detectable, more->detectable); /* of a number and NAN, fmax returns the number */
}

/* Write the worst hypothesis of each frame to `out`, and the counts to `result`. Returns the number of frames. */
static uint32_t worst_per_frame(const struct gate_hypothesis **out, struct gate_budget_result *result,
                                const struct gate_hypothesis *hypotheses, size_t count,
                                const struct gate_sentence *wording) {
    size_t middle = count < HYPOTHESES_WORTH_A_THREAD ? count : count / 2;
    while (middle > 0 && middle < count && hypotheses[middle].frame == hypotheses[middle - 1].frame)
        middle++;
    struct part first = {hypotheses, middle, wording, out, 0, *result};
    struct part second = {
        middle < count ? &hypotheses[middle] : NULL, count - middle, wording, &out[middle], 0, *result};
    second.totals.tested = second.totals.proven = second.totals.passed = 0;
    gate_parallel_both_if(second.count > 0, part_fill, &first, &second);
    join(&first, &second);
    *result = first.totals;
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

/* Make the findings to be listed. `order` holds the worst hypothesis of each frame. */
static bool make_findings(struct gate_budget_result *result, const struct gate_hypothesis **order, uint32_t frames,
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
    struct gate_finding *room = GATE_NEW_ARRAY(arena, struct gate_finding, kept);
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
        uint32_t frames = worst_per_frame(order, result, hypotheses, count, wording);
        ok = make_findings(result, order, frames, wording, arena, err);
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

bool gate_budget_is_unjudged(const struct gate_budget_result *result) {
    return result->outcome == GATE_OUTCOME_PASS && isnan(result->detectable) && result->hindrance != GATE_REASON_WITHIN;
}

/* Return whether an inconclusive finding lacks more than samples. `counts_coming`: events that may come are samples. */
static bool has_obstacle(const struct gate_budget_result *budgets, uint32_t count, bool counts_coming) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t f = 0; f < budgets[i].finding_count; f++) {
            const struct gate_finding *finding = &budgets[i].findings[f];
            if (finding->outcome == GATE_OUTCOME_INCONCLUSIVE && finding->limit == NULL &&
                finding->reason != GATE_REASON_NO_MATCH && !(counts_coming && finding->may_come))
                return true;
        }
    return false;
}

bool gate_finding_lacks_only_samples(const struct gate_budget_result *budgets, uint32_t count) {
    return !has_obstacle(budgets, count, false);
}

bool gate_finding_may_be_decided(const struct gate_budget_result *budgets, uint32_t count) {
    return !has_obstacle(budgets, count, true);
}
