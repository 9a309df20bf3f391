/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/report/explain.h"

#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/budget/decide.h"
#include "gate/budget/hypotheses.h"
#include "gate/budget/machine.h"
#include "gate/budget/replaced.h"
#include "gate/budget/verdict.h"
#include "gate/compare/own_growth.h"
#include "gate/compare/tree_judge.h"
#include "gate/report/cause_sentence.h"
#include "gate/report/headline.h"
#include "gate/report/listing.h"
#include "gate/report/shorten.h"

#include <math.h>
#include <stdlib.h>

enum { CALLEES_SHOWN = 5 };

static const double CALLEE_MIN_SHARE = 0.002;

/* State of one call. */
struct explain {
    struct gate_buf *out;
    const struct gate_verdict *verdict;
    const struct gate_comparison *comparison;
    uint32_t comparison_index;
    uint32_t frame;
    uint32_t columns;
    uint32_t owner;  /* function that most of the growth is charged to; `frame` if it is own code or did not grow */
    uint32_t judge;  /* if only one side has the frame: the function that is judged with most of its cost; else
                        GATE_NO_INDEX */
    bool has_judges; /* several functions are judged with its cost */
    struct gate_arena *arena;
};

static const char *yes_no(bool value) {
    return value ? "yes" : "no";
}

static void explain_variation(struct gate_buf *out, const struct gate_evidence *evidence, uint32_t columns) {
    static const char *const sources[] = {
        [GATE_VARIATION_ASSUMED] = "assumed, since there is one run per side and no model",
        [GATE_VARIATION_MODEL] = "from the noise model",
        [GATE_VARIATION_REPLICATES] = "from the runs of each side",
        [GATE_VARIATION_BOTH] = "from the model and the runs",
    };
    size_t line = out->len;
    bool has_rounds = evidence->is_paired && evidence->variation >= GATE_VARIATION_REPLICATES;
    gate_buf_printf(out, "      run to run: %s%s", sources[evidence->variation],
                    has_rounds ? ", taken at the same time: pair by pair" : "");
    if (isfinite(evidence->sigma) && evidence->sigma > 0) {
        gate_buf_text(out, ", sd ");
        gate_figures_size(out, evidence->sigma);
    }
    if (evidence->phi > 1) {
        gate_buf_text(out, ", dispersion ");
        gate_figures_times(out, evidence->phi);
    }
    if (isfinite(evidence->df))
        gate_buf_printf(out, ", Student t with %.0f degrees of freedom", evidence->df);
    gate_buf_char(out, '\n');
    gate_wrap_since(out, line, 8, columns);
}

/* Append "12 of 340 → 34 of 333". */
static void explain_counts(struct gate_buf *out, double k1, double n1, double k2, double n2) {
    gate_figures_count(out, k1);
    gate_buf_text(out, " of ");
    gate_figures_count(out, n1);
    gate_buf_text(out, " → ");
    gate_figures_count(out, k2);
    gate_buf_text(out, " of ");
    gate_figures_count(out, n2);
    gate_buf_char(out, '\n');
}

/* Append the evidence of a measure, before any rule is applied. */
static void explain_measure(struct gate_buf *out, const struct gate_evidence *evidence, enum gate_measure measure,
                            uint32_t columns) {
    gate_buf_printf(out, "  %s  ", gate_measure_name(measure));
    gate_figures_shares(out, evidence->share);
    gate_buf_text(out, ", ");
    gate_figures_change(out, evidence->delta, gate_evidence_ci95(evidence).bounds);
    const struct gate_counts2 *c = &evidence->counts;
    double n1 = evidence->sample_n[GATE_BASELINE], n2 = evidence->sample_n[GATE_CANARY];
    gate_buf_text(out, "\n      effective samples: ");
    explain_counts(out, n1 * evidence->share[GATE_BASELINE], n1, n2 * evidence->share[GATE_CANARY], n2);
    gate_buf_text(out, "      with run-to-run variation worth: ");
    explain_counts(out, c->k1, c->n1, c->k2, c->n2);
    explain_variation(out, evidence, columns);
    gate_buf_printf(out, "      growth > 0: z = %.2f, ", evidence->z);
    gate_figures_p(out, evidence->log_p);
    if (!evidence->is_tested)
        gate_buf_printf(out, " (fewer than %.0f counts: not tested)", GATE_MIN_COUNTS);
    gate_buf_char(out, '\n');
}

static void explain_condition(struct gate_buf *out, const char *what, double log_p, double level) {
    gate_buf_printf(out, "      %s: ", what);
    gate_figures_p(out, log_p);
    gate_buf_text(out, ", needs <= ");
    gate_figures_given(out, level);
    gate_buf_printf(out, ": %s\n", yes_no(log_p <= log(level)));
}

/* Return the significance level for growth over the limit: that of the current look, or the rules' alpha_margin. */
static double margin_level(const struct explain *x) {
    return x->verdict->looks.count > 0 ? x->verdict->looks.margin : x->verdict->rules->alpha_margin;
}

static void explain_own_cost(const struct explain *x, const struct gate_hypothesis *h) {
    if (h->own == NULL) {
        gate_buf_text(x->out, "      own cost: does not apply\n");
        return;
    }
    bool family = gate_hypothesis_family_log_p(h, h->own) <= h->log_level;
    double level = gate_own_cost_margin(margin_level(x), x->comparison->work_is_known);
    bool margin = gate_hypothesis_margin_log_p(h, h->own) <= log(level);
    gate_buf_text(x->out, "      own cost, same way (work ");
    gate_figures_times(x->out, x->comparison->work_ratio);
    gate_buf_printf(x->out, " the baseline's, %s): %s\n",
                    x->comparison->work_is_known ? gate_equal_name(x->comparison->equal) : "estimated",
                    family && margin ? "confirmed" : "not confirmed");
}

/* Append the upper bound in the scale of the limit. */
static void explain_upper(const struct explain *x, const struct gate_hypothesis *h) {
    struct gate_buf *out = x->out;
    const struct gate_verdict_looks *looks = &x->verdict->looks;
    double upper = gate_hypothesis_upper(h, looks->count > 0 ? looks->proof : GATE_LOOKS_PROOF);
    gate_buf_text(out, "      95% upper bound: ");
    if (gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_RATIO)
        gate_figures_times(out, upper);
    else if (gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_GROWTH)
        gate_figures_points(out, upper);
    else
        gate_figures_share(out, upper);
    if (gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_RATIO) {
        gate_buf_text(out, " (");
        gate_figures_points(out, gate_evidence_upper(h->evidence, looks->count > 0 ? looks->proof : GATE_LOOKS_PROOF));
        gate_buf_char(out, ')');
    }
    gate_buf_printf(out, "; proven within: %s\n", yes_no(upper <= h->limit_value));
}

/* Append the upper bound below which growth passes without proof. If undecided growth passes anyway, append the
 * reason. */
static void explain_open(const struct explain *x, const struct gate_hypothesis *h) {
    const struct gate_rules *rules = x->verdict->rules;
    if (h->outcome == GATE_OUTCOME_PASS &&
        (h->reason == GATE_REASON_UNCONFIRMED || h->reason == GATE_REASON_TOO_FEW_SAMPLES)) {
        gate_buf_printf(x->out, "\n      undecided, which passes: %s",
                        h->is_path                          ? "the functions of a path are judged themselves"
                        : h->severity < GATE_SEVERITY_ERROR ? "this limit only warns"
                                                            : "code of others that the budget does not name");
        return;
    }
    gate_buf_text(x->out, "\n      a pass that is not proven needs an upper bound of at most ");
    gate_figures_points(x->out, gate_hypothesis_mde_ceiling(h, rules->budgets[h->budget].max_mde));
    if (h->reason == GATE_REASON_TOLERATED) {
        gate_buf_text(x->out, "\n      a pass over the limit needs more than ");
        gate_figures_p(x->out, log(gate_hypothesis_tolerance(h, rules->alpha, rules->alpha_margin)));
        gate_buf_text(x->out, " before the correction");
    }
}

static void explain_hypothesis(const struct explain *x, const struct gate_hypothesis *h) {
    const struct gate_rules *rules = x->verdict->rules;
    gate_buf_printf(x->out, "    %s ", gate_limit_kind_name(h->limit->kind));
    gate_escape_terminal(x->out, h->limit->text);
    gate_buf_printf(x->out, " (%s)\n", gate_severity_name(h->severity));
    if (!h->is_tested)
        gate_buf_text(x->out, "      not tested: too few counts for this limit\n");
    else if (!h->is_in_family)
        gate_buf_text(x->out, "      could not break this limit, even with all its counts in the canary\n");
    gate_buf_printf(x->out, "      with %u hypothes%s in its family, ", (unsigned)h->family,
                    h->family == 1 ? "is" : "es");
    gate_buf_text(x->out, "before the correction ");
    gate_figures_p(x->out, h->log_p);
    gate_buf_char(x->out, '\n');
    explain_condition(x->out, "growth, corrected (Holm)", h->log_p_adjusted, rules->alpha);
    explain_condition(x->out, "growth over the limit", gate_hypothesis_margin_log_p(h, h->evidence), margin_level(x));
    explain_own_cost(x, h);
    explain_upper(x, h);
    gate_buf_text(x->out, "      detectable growth: ");
    gate_figures_points(x->out, gate_machine_detectable(h, &x->comparison->pair));
    explain_open(x, h);
    gate_buf_printf(x->out, "\n      outcome: %s (%s)\n", gate_outcome_name(h->outcome), gate_reason_name(h->reason));
}

/* Append the limits of a budget on a slope over builds, which one comparison cannot judge, and the command that judges
 * it. */
static void explain_trend(const struct explain *x, const struct gate_budget *budget) {
    bool is_total = budget->of == GATE_TREND_OF_TOTAL;
    for (uint32_t i = 0; i < budget->limit_count; i++) {
        const struct gate_limit *limit = &budget->limits[i];
        gate_buf_printf(x->out, "    %s ", gate_limit_kind_name(limit->kind));
        gate_escape_terminal(x->out, limit->text);
        gate_buf_printf(x->out, " per %s of %s%s%s (%s)\n", gate_per_name(budget->per), is_total ? "the whole" : "its ",
                        is_total ? "" : gate_trend_terms_of_name(budget->of), is_total ? "" : " cost",
                        gate_severity_name(limit->severity));
    }
    gate_buf_text(x->out, "      not judged here: `pprofgate trend` looks at it, over accepted builds\n");
}

/* Append the decision of a budget on all own code that only one side has, including the frame. */
static void explain_one_sided(const struct explain *x, uint32_t budget) {
    gate_buf_text(x->out, x->frame == x->comparison->pair.one_sided
                              ? "    judges all own functions that only one side has\n"
                              : "    judges it with all other own functions that only one side has\n");
    for (size_t i = 0; i < x->verdict->hypothesis_count; i++) {
        const struct gate_hypothesis *h = &x->verdict->hypotheses[i];
        if (h->budget != budget || h->frame != GATE_NO_INDEX || h->comparison != x->comparison_index)
            continue;
        gate_buf_text(x->out, "    together: ");
        gate_figures_shares(x->out, h->evidence->share);
        gate_buf_text(x->out, ", ");
        gate_figures_change(x->out, h->evidence->delta, gate_evidence_ci95(h->evidence).bounds);
        gate_buf_char(x->out, '\n');
        explain_hypothesis(x, h);
    }
}

/* Return whether a budget applies to the explained comparison. */
static bool is_judged_here(const struct explain *x, const struct gate_budget *budget) {
    for (uint32_t i = 0; i < x->verdict->budget_count; i++)
        if (x->verdict->budgets[i].budget == budget && x->verdict->budgets[i].comparison == x->comparison_index)
            return true;
    return false;
}

/* Return whether a budget belongs to another pair, such as another benchmark, and not to this frame. */
static bool is_of_another_pair(const struct explain *x, const struct gate_budget *budget) {
    for (uint32_t i = 0; i < x->verdict->budget_count; i++)
        if (x->verdict->budgets[i].comparison == x->comparison_index)
            return !gate_str_equal(x->verdict->budgets[i].budget->pair, budget->pair);
    return false;
}

/* Return whether a budget on single functions leaves the frame out, because only one side has it
 * (budget/hypotheses.c). */
static bool is_left_out(const struct explain *x, const struct gate_budget *budget) {
    const struct gate_frame *frame = &x->comparison->pair.frames[x->frame];
    bool is_cumulative = gate_budget_measure_row(budget->measure)->of == GATE_CUMULATIVE;
    return (frame->is_folded || (frame->is_one_sided && is_cumulative)) && is_judged_here(x, budget);
}

/* Append which function is judged with the cost of a frame that only one side has. */
static void explain_left_out(const struct explain *x, const struct gate_evidence *seen) {
    size_t line = x->out->len;
    gate_buf_printf(x->out,
                    "    selects it, but only the %s has it: its cost is judged in its nearest caller of your own that "
                    "both sides have",
                    gate_side_word(seen->value[GATE_BASELINE] == 0 ? GATE_CANARY : GATE_BASELINE));
    if (x->judge != GATE_NO_INDEX) {
        gate_buf_text(x->out, x->has_judges ? ", mostly " : ", ");
        gate_escape_terminal(x->out, x->comparison->pair.frames[x->judge].name);
    }
    gate_wrap_since(x->out, line, 4, x->columns);
    gate_buf_char(x->out, '\n');
}

static bool has_ratio_limit(const struct gate_budget *budget) {
    for (uint32_t i = 0; i < budget->limit_count; i++)
        if (budget->limits[i].kind == GATE_LIMIT_INCREASE)
            return true;
    return false;
}

/* Append why a budget has no hypothesis about the frame. */
static bool explain_absence(const struct explain *x, uint32_t index, struct gate_error *err) {
    const struct gate_budget *budget = &x->verdict->rules->budgets[index];
    uint8_t *marks = NULL;
    uint32_t matched = 0;
    const struct gate_frame_judgement *judged = &x->comparison->frames[x->frame];
    const struct gate_evidence *seen = judged->evidence[gate_budget_measure_row(budget->measure)->of];
    if (budget->severity == GATE_SEVERITY_OFF) {
        gate_buf_text(x->out, "    off\n");
        return true;
    }
    if (!gate_select_frames(&marks, &matched, &budget->select, &x->comparison->pair, x->arena, err))
        return false;
    if (!marks[x->frame])
        gate_buf_text(x->out, "    does not select this frame\n");
    else if (gate_budget_measure_row(budget->measure)->is_trend)
        explain_trend(x, budget);
    else if (budget->select.one_sided && is_left_out(x, budget))
        explain_one_sided(x, index);
    else if (budget->as_group || budget->select.one_sided || gate_budget_measure_row(budget->measure)->is_total)
        gate_buf_text(x->out, "    sees it as part of a whole, not on its own\n");
    else if (is_left_out(x, budget))
        explain_left_out(x, seen);
    else if (budget->min_share > 0 && seen->share[GATE_BASELINE] < budget->min_share &&
             seen->share[GATE_CANARY] < budget->min_share) {
        gate_buf_text(x->out, "    selects it, but it stays below min_share (");
        gate_figures_share(x->out, budget->min_share);
        gate_buf_text(x->out, ") on both sides\n");
    } else if (is_judged_here(x, budget) && !budget->has_min_share && has_ratio_limit(budget) &&
               seen->value[GATE_CANARY] != 0 && seen->share[GATE_CANARY] < GATE_RATIO_MIN_SHARE)
        gate_buf_text(x->out, "    selects it, but a limit on a ratio begins at 0.5% of the canary (min_share sets\n"
                              "    another minimum)\n");
    else if (seen->value[GATE_BASELINE] == 0 && seen->value[GATE_CANARY] == 0)
        gate_buf_text(x->out, "    selects it, but neither side has any of its cost\n");
    else if (gate_budget_measure_row(budget->measure)->is_path)
        gate_buf_text(x->out, "    judges own functions, from three runs per side on\n");
    else
        gate_buf_text(x->out, "    selects it, but looks at another sample type, or has no limit that\n"
                              "    applies to it\n");
    return true;
}

static void explain_budget_name(const struct explain *x, const struct gate_budget *budget) {
    gate_buf_text(x->out, "  budget \"");
    gate_escape_terminal(x->out, budget->name);
    gate_buf_printf(x->out, "\" (%s, %s)\n", gate_severity_name(budget->severity),
                    gate_budget_measure_name(budget->measure));
}

static bool explain_budget(const struct explain *x, uint32_t index, struct gate_error *err) {
    const struct gate_budget *budget = &x->verdict->rules->budgets[index];
    bool seen = false;
    explain_budget_name(x, budget);
    for (size_t i = 0; i < x->verdict->hypothesis_count; i++) {
        const struct gate_hypothesis *h = &x->verdict->hypotheses[i];
        if (h->budget != index || h->frame != x->frame || h->comparison != x->comparison_index)
            continue;
        explain_hypothesis(x, h);
        seen = true;
    }
    return seen || explain_absence(x, index, err);
}

/* A callee, and its cost that is charged to the explained frame. */
struct explain_callee {
    uint32_t frame;
    double share[GATE_SIDES];
};

static int explain_callee_compare(const void *left, const void *right) {
    const struct explain_callee *a = left, *b = right;
    double x = fmax(a->share[GATE_BASELINE], a->share[GATE_CANARY]);
    double y = fmax(b->share[GATE_BASELINE], b->share[GATE_CANARY]);
    if (x != y)
        return x > y ? -1 : 1;
    return a->frame < b->frame ? -1 : a->frame > b->frame;
}

static void explain_print_callees(const struct explain *x, const struct explain_callee *callees, uint32_t count) {
    if (count > 0)
        gate_buf_text(x->out, "      of it, at the leaf:\n");
    for (uint32_t i = 0; i < count && i < CALLEES_SHOWN; i++) {
        gate_buf_text(x->out, "        ");
        gate_escape_terminal(x->out, x->comparison->pair.frames[callees[i].frame].name);
        gate_buf_char(x->out, ' ');
        gate_figures_shares(x->out, callees[i].share);
        gate_buf_char(x->out, '\n');
    }
}

/* For a frame that only one side has, find the function that is judged with its cost: the nearest own caller that both
 * sides have. Of several, take the one with most of the cost. */
static bool explain_judge(struct explain *x, const struct gate_tree *tree, struct gate_error *err) {
    const struct gate_pair *pair = &x->comparison->pair;
    struct gate_folded folded;
    double *costs = GATE_NEW_ARRAY(x->arena, double, pair->frame_count);
    if (!pair->frames[x->frame].is_folded)
        return true;
    if (costs == NULL)
        return gate_arena_error(x->arena, err);
    if (!gate_folded_make(&folded, x->comparison, tree, x->arena, err))
        return false;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        costs[i] = 0.0;
    for (uint32_t i = 1; i < tree->count; i++) {
        uint32_t owner = folded.owner[i];
        if (folded.charged[i] != x->frame || owner == GATE_NO_INDEX)
            continue;
        costs[owner] += gate_tree_own_cost(tree, i, GATE_BASELINE) + gate_tree_own_cost(tree, i, GATE_CANARY);
        x->has_judges = x->has_judges || (x->judge != GATE_NO_INDEX && x->judge != owner);
        x->judge = x->judge == GATE_NO_INDEX || costs[owner] > costs[x->judge] ? owner : x->judge;
    }
    return true;
}

/* Append the functions at the leaf that make up the charged cost; nothing if that is only the frame itself. */
static bool explain_charged(struct explain *x, struct gate_error *err) {
    const struct gate_pair *pair = &x->comparison->pair;
    const struct gate_tree_options options = {.min_share = CALLEE_MIN_SHARE};
    struct gate_tree tree;
    struct gate_charge_tree charge;
    struct explain_callee *callees = GATE_NEW_ARRAY(x->arena, struct explain_callee, pair->frame_count);
    if (callees == NULL)
        return gate_arena_error(x->arena, err);
    if (!gate_tree_merge(&tree, pair, &x->comparison->deltas, &options, x->arena, err) ||
        !gate_charge_tree_make(&charge, &tree, pair, x->arena, err) || !explain_judge(x, &tree, err))
        return false;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        callees[i].frame = i;
    for (uint32_t i = 1; i < tree.count; i++)
        for (int side = 0; side < GATE_SIDES && tree.nodes[charge.owner[i]].frame == x->frame; side++)
            callees[tree.nodes[i].frame].share[side] += gate_share(tree.nodes[i].self[side], pair->sides[side].total);
    callees[x->frame] = callees[pair->frame_count - 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i + 1 < pair->frame_count; i++)
        if (callees[i].share[GATE_BASELINE] >= CALLEE_MIN_SHARE || callees[i].share[GATE_CANARY] >= CALLEE_MIN_SHARE)
            callees[count++] = callees[i];
    qsort(callees, count, sizeof *callees, explain_callee_compare);
    explain_print_callees(x, callees, count);
    if (!pair->frames[x->frame].is_own)
        x->owner = gate_charge_tree_owner(&charge, x->frame, GATE_CUMULATIVE);
    if (x->owner == x->frame)
        return true;
    gate_buf_text(x->out, "      most of its growth is charged to ");
    gate_escape_terminal(x->out, pair->frames[x->owner].name);
    gate_buf_char(x->out, '\n');
    return true;
}

static bool explain_is_in(const struct gate_cause *cause, uint32_t frame) {
    bool is_in = cause->frame == frame;
    for (uint32_t i = 0; i < cause->finding_count; i++)
        is_in =
            is_in || (gate_cause_has_here(cause, &cause->findings[i]) && cause->findings[i].finding->frame == frame);
    return is_in;
}

/* Append the causes that the frame belongs to: as their frame, in one of their findings, or through its owner. */
static void explain_causes(const struct explain *x) {
    for (uint32_t i = 0; i < x->verdict->causes.count; i++) {
        const struct gate_cause *cause = gate_cause_in(&x->verdict->causes.items[i], x->comparison_index);
        if (cause == NULL || (!explain_is_in(cause, x->frame) && cause->frame != x->owner))
            continue;
        struct gate_buf text = {0};
        size_t line = x->out->len;
        gate_cause_sentence_text(&text, x->verdict, cause);
        gate_buf_printf(x->out, "  cause (%s): ", gate_outcome_name(cause->outcome));
        gate_escape_terminal(x->out, gate_buf_view(&text));
        gate_wrap_since(x->out, line, 6, x->columns);
        gate_buf_char(x->out, '\n');
        gate_buf_free_part(x->out, &text);
    }
}

static void explain_title(const struct explain *x) {
    gate_escape_terminal(x->out, x->comparison->pair.frames[x->frame].name);
    gate_buf_text(x->out, "  (");
    gate_escape_terminal(x->out, x->comparison->name);
    gate_buf_text(x->out, ")\n");
}

static void explain_head(const struct explain *x) {
    const struct gate_frame *frame = &x->comparison->pair.frames[x->frame];
    explain_title(x);
    gate_buf_printf(x->out, "  code: %s, of %s%s\n", gate_own_code_name(frame->code),
                    gate_own_code_language_name(x->comparison->pair.language),
                    frame->is_own ? "; what libraries do for it is charged to it"
                                  : "; what it costs is charged to the code of your own that calls it");
    if (x->comparison->pair.mix_key.len == 0)
        return;
    gate_buf_text(x->out, "  every run is weighed as the baseline's traffic, by '");
    gate_escape_terminal(x->out, x->comparison->pair.mix_key);
    gate_buf_text(x->out, "'\n");
}

/* Append one own function: its growth, and the common factor of all others. */
static void explain_own_function(const struct explain *x, const struct gate_own_growth *growth, uint32_t at) {
    enum { BEFORE = 43, NAME_LEAST = 24 }; /* columns before the name, and minimum columns of the name */
    size_t room = x->columns > BEFORE + NAME_LEAST ? x->columns - BEFORE : NAME_LEAST;
    struct gate_str name = x->comparison->pair.frames[growth->items[at].frame].name;
    const struct gate_own_growth_item *item = &growth->items[at];
    struct gate_common_factor others = gate_own_growth_factor(growth, at);
    gate_buf_printf(x->out, "  %6.2fx %5.2f", exp(item->x), sqrt(item->v));
    if (others.count > 0)
        gate_buf_printf(x->out, " %7.2fx %5.2f %10.1f", exp(others.m), 1.0 / sqrt(others.weight), others.q);
    gate_buf_text(x->out, "  ");
    gate_escape_terminal(x->out, x->columns == 0 ? name : gate_shorten_name(x->arena, name, room));
    gate_buf_char(x->out, '\n');
}

bool gate_report_explain_readings(struct gate_buf *out, const struct gate_verdict *verdict, uint32_t comparison,
                                  uint32_t columns, struct gate_arena *arena, struct gate_error *err) {
    const struct explain x = {
        .out = out, .comparison = &verdict->comparisons[comparison], .columns = columns, .arena = arena};
    struct gate_own_growth growth;
    if (!gate_own_growth_collect(&growth, &x.comparison->pair, &x.comparison->deltas, GATE_OWN_GROWTH_COUNTS, 0.0, true,
                                 arena, err))
        return false;
    size_t line = out->len;
    gate_escape_terminal(out, x.comparison->name);
    gate_buf_text(out, ": ");
    gate_totals_print(out, x.comparison, verdict->rules->work_unit);
    gate_wrap_since(out, line, 2, columns);
    gate_buf_printf(out, "\n  what both sides have equal: %s\n", gate_equal_name(x.comparison->equal));
    if (growth.count == 1)
        gate_buf_text(out, "  growth of the samples of the only own function, with its standard deviation:\n");
    if (growth.count > 1)
        gate_buf_printf(out,
                        "  growth of the samples of each own function, and of the %u others together:\n"
                        "   growth    sd   others    sd chi-square\n",
                        (unsigned)growth.count - 1);
    for (uint32_t i = 0; i < growth.count; i++)
        explain_own_function(&x, &growth, i);
    return gate_buf_check(out, err);
}

/* Return whether the frame is "(own code of one side only)", and nothing is charged to it. */
static bool is_nothing_of_one_side(const struct explain *x) {
    const int64_t *value = x->comparison->deltas.items[x->frame].value[GATE_CHARGED];
    return x->frame == x->comparison->pair.one_sided && value[GATE_BASELINE] == 0 && value[GATE_CANARY] == 0;
}

/* Append that nothing is charged to that frame, and the budgets that judge code which only one side has. */
static void explain_nothing_of_one_side(const struct explain *x) {
    size_t line = x->out->len;
    gate_buf_text(
        x->out,
        "  nothing is charged to it: each function of your own that only one side has is called by one "
        "that both sides have, and its cost is judged there; the explanation of such a function names the caller");
    gate_wrap_since(x->out, line, 2, x->columns);
    gate_buf_char(x->out, '\n');
    for (uint32_t i = 0; i < x->verdict->rules->budget_count; i++) {
        const struct gate_budget *budget = &x->verdict->rules->budgets[i];
        if (!budget->select.one_sided || is_of_another_pair(x, budget) || !is_judged_here(x, budget))
            continue;
        explain_budget_name(x, budget);
        explain_one_sided(x, i);
    }
}

bool gate_report_explain(struct gate_buf *out, const struct gate_verdict *verdict,
                         const struct gate_explain_frame *what, struct gate_arena *arena, struct gate_error *err) {
    struct explain x = {.out = out,
                        .verdict = verdict,
                        .comparison = &verdict->comparisons[what->comparison],
                        .comparison_index = what->comparison,
                        .frame = what->frame,
                        .columns = what->columns,
                        .owner = what->frame,
                        .judge = GATE_NO_INDEX,
                        .arena = arena};
    if (is_nothing_of_one_side(&x)) {
        explain_title(&x);
        explain_nothing_of_one_side(&x);
        return gate_buf_check(out, err);
    }
    explain_head(&x);
    for (int i = 0; i < GATE_MEASURES; i++) {
        enum gate_measure measure = gate_listing_measures[i];
        explain_measure(out, x.comparison->frames[what->frame].evidence[measure], measure, what->columns);
        if (measure == GATE_CHARGED && !explain_charged(&x, err))
            return false;
    }
    explain_causes(&x);
    for (uint32_t i = 0; i < verdict->rules->budget_count; i++)
        if (!is_of_another_pair(&x, &verdict->rules->budgets[i]) && !explain_budget(&x, i, err))
            return false;
    return gate_buf_check(out, err);
}
