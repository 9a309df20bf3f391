/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/report/calibration.h"

#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/budget/samples_needed.h"
#include "gate/budget/verdict.h"
#include "gate/compare/evidence.h"
#include "gate/compare/odd_run.h"

#include <math.h>

static const double Z95 = 1.959963984540054;

/* If a smaller fraction of the pairs decides a budget, the text gives advice. */
static const double DECIDED_WANTED = 0.9;

static void put_share(struct gate_buf *out, uint32_t count, uint32_t all, double *high) {
    double low = 0;
    gate_wilson_interval(count, all, Z95, &low, high);
    gate_figures_share(out, (double)count / all);
    gate_buf_printf(out, ", 95%% CI [%s, %s]", gate_figures_share_text(low).text, gate_figures_share_text(*high).text);
}

/* Runs that are longer by more than this factor are not advised. */
static const double LONGER_MANY = 20.0;

/* Append "runs 3.1 times as long, or 4 runs per side". */
static void put_samples(struct gate_buf *out, const struct gate_decidability *budget, double factor) {
    double longer = gate_decidability_most(budget->longer, budget->longer_count);
    bool has_longer = budget->longer_count * 10 >= budget->undecided * 9 && longer <= LONGER_MANY;
    if (has_longer)
        gate_buf_printf(out, "runs %s as long, or ", gate_figures_times_text(longer).text);
    double runs = ceil(factor);
    gate_figures_count(out, runs < 2.0 ? 2.0 : runs);
    gate_buf_text(out, " runs per side");
    if (!has_longer)
        gate_buf_text(out, " (longer runs do not help where runs differ by more than their samples do)");
}

/* Append what would have decided 90% of the undecided pairs, if that is known for half of them or more. */
static void put_help(struct gate_buf *out, struct gate_decidability *budget) {
    double factor = gate_decidability_most(budget->factor, budget->factor_count);
    bool has_factor = budget->factor_count * 2 >= budget->undecided && factor <= GATE_SAMPLES_NEEDED_RUNS_MANY;
    bool has_mde = budget->mde_count * 2 >= budget->undecided;
    if (budget->reason == GATE_REASON_DELAY_REPLICATES) {
        gate_buf_text(out, "; a delay profile needs two or more runs per side");
        return;
    }
    if (budget->reason == GATE_REASON_NOT_COMPARABLE) {
        gate_buf_text(
            out, "; these runs lack what it compares: give the work done on both sides, or profiles with event counts");
        return;
    }
    gate_buf_text(out, has_factor || has_mde ? "; what would help: " : "; what would help: a larger limit");
    if (has_factor)
        put_samples(out, budget, factor);
    if (!has_mde)
        return;
    double points = ceil(gate_decidability_most(budget->mde, budget->mde_count) * 100.0);
    gate_buf_printf(out, "%smax_mde: \"%.0fpp\"", has_factor ? ", or " : "", points);
}

/* Append why no pair was judged by a budget. */
static void put_unchecked(struct gate_buf *out, const struct gate_decidability *at, const struct gate_budget *budget) {
    const struct gate_budget_measure_row *measure = gate_budget_measure_row(budget->measure);
    if (budget->severity == GATE_SEVERITY_OFF) {
        gate_buf_text(out, "off");
    } else if (at->lacks_type) {
        gate_buf_text(out, "not checked, since these profiles have no sample type '");
        gate_escape_terminal(out, budget->sample_type);
        gate_buf_text(out, "': calibrate with profiles that have it, too");
    } else if (measure->is_leak) {
        gate_buf_printf(out, "not checked, since a leak shows in %d rounds or more of one process",
                        GATE_LEAK_LEAST_ROUNDS);
    } else if (measure->is_path) {
        gate_buf_text(out, "not checked, since it is judged from three runs per side on");
    } else {
        gate_buf_text(out, "not checked, since the work done on each side is not given");
    }
}

static void put_budget(struct gate_buf *out, struct gate_decidability *at, const struct gate_budget *budget) {
    uint32_t decided = at->pairs - at->undecided;
    double high = 1;
    size_t line = out->len;
    gate_buf_text(out, "  ");
    gate_escape_terminal(out, budget->name);
    gate_buf_text(out, ": ");
    if (at->pairs == 0)
        put_unchecked(out, at, budget);
    else if (decided == 0)
        gate_buf_printf(out, "no pair decides it%s",
                        budget->severity == GATE_SEVERITY_ERROR ? ": it would always be inconclusive" : "");
    else
        put_share(out, decided, at->pairs, &high);
    if (at->pairs > 0 && !at->has_model && at->reason != GATE_REASON_NOT_COMPARABLE)
        gate_buf_text(out, " (the model is about other values)");
    if (at->pairs > 0 && decided < DECIDED_WANTED * at->pairs)
        put_help(out, at);
    gate_buf_char(out, '\n');
    gate_wrap_since(out, line, 4, GATE_WRAP_COLUMNS);
}

static void put_check(struct gate_buf *out, const struct gate_noise *noise, struct gate_self_check *check,
                      const struct gate_rules *rules, double *high) {
    size_t line = out->len;
    gate_buf_text(out, "self-check by ");
    gate_escape_terminal(out, rules->source);
    gate_buf_printf(out, ", each pair with a model of the other %u: %u of %u pairs of these runs failed (",
                    (unsigned)noise->run_count - 2, (unsigned)check->failed, (unsigned)check->pairs);
    put_share(out, check->failed, check->pairs, high);
    gate_buf_printf(out, "; nominal %s), %u inconclusive\n", gate_figures_share_text(rules->alpha).text,
                    (unsigned)check->inconclusive);
    gate_wrap_since(out, line, 0, GATE_WRAP_COLUMNS);
    gate_buf_text(out, "pairs that decide a budget, with one run per side and such a model\n");
    for (uint32_t i = 0; i < rules->budget_count; i++)
        put_budget(out, &check->budgets[i], &rules->budgets[i]);
}

void gate_calibration_text(struct gate_buf *out, const struct gate_noise *noise, struct gate_self_check *check,
                           const struct gate_rules *rules) {
    double high = 1;
    size_t line = out->len;
    gate_buf_printf(out, "learnt from %u runs of ", (unsigned)noise->run_count);
    gate_escape_terminal(out, noise->type.type);
    gate_buf_printf(out,
                    ", %s effective samples a run; runs vary %s as much as samples (self), %s (charged), %s "
                    "(cumulative)\n",
                    gate_figures_count_text(noise->mean_events).text,
                    gate_figures_times_text(noise->s0[GATE_SELF]).text,
                    gate_figures_times_text(noise->s0[GATE_CHARGED]).text,
                    gate_figures_times_text(noise->s0[GATE_CUMULATIVE]).text);
    gate_wrap_since(out, line, 0, GATE_WRAP_COLUMNS);
    if (check->pairs > 0)
        put_check(out, noise, check, rules, &high);
    if (noise->run_count >= GATE_CALIBRATION_RUNS)
        return;
    line = out->len;
    gate_buf_printf(out,
                    "warning: %u runs are few: with %d or more the false-fail rate is held at %s; here expect up "
                    "to ",
                    (unsigned)noise->run_count, GATE_CALIBRATION_RUNS, gate_figures_share_text(rules->alpha).text);
    if (check->pairs > 0)
        gate_buf_printf(out, "%s, the upper bound of the self-check\n", gate_figures_share_text(high).text);
    else
        gate_buf_printf(out, "what one pair without a model gives; %d runs are the least for a self-check\n",
                        GATE_CALIBRATION_RUNS_TO_CHECK);
    gate_wrap_since(out, line, 0, GATE_WRAP_COLUMNS);
}

bool gate_calibration_leaves_out(const struct gate_odd_report *report) {
    return report->list.count > 0 && !report->list.is_split && !report->is_kept;
}

static struct gate_str odd_path(const struct gate_odd_report *report, uint32_t i) {
    return report->pair->sides[GATE_BASELINE].runs[report->list.items[i].run].input.path;
}

/* Append "main.round is charged 13.9% of it, and 3.1% to 5.0% of the others". */
static void put_odd(struct gate_buf *out, const struct gate_odd_report *report, const struct gate_odd_run *odd) {
    gate_escape_terminal(out, report->pair->frames[odd->frame].name);
    gate_buf_printf(out, " is charged %s of it, and %s to %s of the others", gate_figures_share_text(odd->share).text,
                    gate_figures_share_text(odd->low).text, gate_figures_share_text(odd->high).text);
}

void gate_calibration_odd_text(struct gate_buf *out, const struct gate_odd_report *report) {
    uint32_t count = report->list.count;
    bool leaves_out = gate_calibration_leaves_out(report);
    for (uint32_t i = 0; i < count; i++) {
        size_t line = out->len;
        gate_buf_text(out, leaves_out ? "warning: left out " : "warning: ");
        gate_escape_terminal(out, odd_path(report, i));
        gate_buf_text(out, leaves_out ? ", which is not like the other runs: " : " is not like the other runs: ");
        put_odd(out, report, &report->list.items[i]);
        gate_buf_char(out, '\n');
        gate_wrap_since(out, line, 2, GATE_WRAP_COLUMNS);
    }
    if (count == 0)
        return;
    size_t line = out->len;
    if (leaves_out)
        gate_buf_text(out, "find out what was different there; if such runs are good too, learn from all of them with "
                           "--keep-odd\n");
    else if (report->list.is_split)
        gate_buf_printf(out,
                        "warning: %u of %u runs are too many to be odd, so none was left out: learn from runs of one "
                        "build under one load\n",
                        (unsigned)count, (unsigned)report->pair->sides[GATE_BASELINE].run_count);
    else
        gate_buf_text(out, "a model with such a run takes what it did for noise, and finds less\n");
    gate_wrap_since(out, line, 0, GATE_WRAP_COLUMNS);
}

void gate_calibration_odd_comment(struct gate_buf *out, const struct gate_odd_report *report) {
    for (uint32_t i = 0; gate_calibration_leaves_out(report) && i < report->list.count; i++) {
        const struct gate_odd_run *odd = &report->list.items[i];
        gate_buf_text(out, "# Left out, not like the others: ");
        gate_escape_json(out, odd_path(report, i));
        gate_buf_text(out, ", of which ");
        gate_escape_json(out, report->pair->frames[odd->frame].name);
        gate_buf_printf(out, " is charged %s, of the others %s to %s.\n", gate_figures_share_text(odd->share).text,
                        gate_figures_share_text(odd->low).text, gate_figures_share_text(odd->high).text);
    }
}
