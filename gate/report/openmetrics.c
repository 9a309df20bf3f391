/* SPDX-License-Identifier: Apache-2.0 */
/* OpenMetrics text. */
#include "gate/base/escape.h"
#include "gate/report/listing.h"
#include "gate/report/report.h"

#include <math.h>

enum { DEFAULT_FRAMES = 50 };

static void metric_family(struct gate_buf *out, const char *name, const char *type, const char *help) {
    gate_buf_printf(out, "# TYPE %s %s\n# HELP %s %s\n", name, type, name, help);
}

/* OpenMetrics has NaN; JSON's null, which gate_buf_number prints, is not valid. */
static void metric_value(struct gate_buf *out, double value) {
    gate_buf_text(out, "} ");
    if (isnan(value))
        gate_buf_text(out, "NaN");
    else
        gate_buf_number(out, value);
    gate_buf_char(out, '\n');
}

static void metric_states(struct gate_buf *out, const char *name, const char *budget_label, struct gate_str budget,
                          enum gate_outcome outcome) {
    for (int state = GATE_OUTCOME_PROVEN; state <= GATE_OUTCOME_FAIL; state++) {
        gate_buf_printf(out, "%s{", name);
        if (budget_label != NULL) {
            gate_buf_printf(out, "%s=", budget_label);
            gate_escape_openmetrics(out, budget);
            gate_buf_char(out, ',');
        }
        gate_buf_printf(out, "%s=\"%s\"} %d\n", name, gate_outcome_name((enum gate_outcome)state),
                        state == (int)outcome);
    }
}

static void metric_labels(struct gate_buf *out, const char *name, struct gate_str sample_type) {
    gate_buf_printf(out, "%s{sample_type=", name);
    gate_escape_openmetrics(out, sample_type);
}

/* Return whether no budget before `at` has its name. Readers reject a series that is given twice. */
static bool metric_is_first(const struct gate_verdict *verdict, uint32_t at) {
    for (uint32_t i = 0; i < at; i++)
        if (gate_str_equal(verdict->budgets[i].budget->name, verdict->budgets[at].budget->name))
            return false;
    return true;
}

static void metric_budgets(struct gate_buf *out, const struct gate_verdict *verdict) {
    metric_family(out, "pprofgate_budget", "stateset", "Outcome of a budget.");
    for (uint32_t i = 0; i < verdict->budget_count; i++)
        if (metric_is_first(verdict, i))
            metric_states(out, "pprofgate_budget", "budget", verdict->budgets[i].budget->name,
                          verdict->budgets[i].outcome);
    metric_family(out, "pprofgate_detectable_points", "gauge",
                  "Growth in points of the total that this comparison could detect with 80% power.");
    for (uint32_t i = 0; i < verdict->budget_count; i++) {
        if (!metric_is_first(verdict, i))
            continue;
        gate_buf_text(out, "pprofgate_detectable_points{budget=");
        gate_escape_openmetrics(out, verdict->budgets[i].budget->name);
        metric_value(out, verdict->budgets[i].detectable * 100);
    }
}

static void metric_samples(struct gate_buf *out, const struct gate_verdict *verdict) {
    metric_family(out, "pprofgate_effective_samples", "gauge", "Effective samples of a side.");
    for (uint32_t i = 0; i < verdict->comparison_count; i++) {
        for (size_t side = 0; side < GATE_SIDES; side++) {
            metric_labels(out, "pprofgate_effective_samples", verdict->comparisons[i].name);
            gate_buf_printf(out, ",side=\"%s\"", gate_side_word((enum gate_side_name)side));
            metric_value(out, verdict->comparisons[i].pair.sides[side].events);
        }
    }
}

static void metric_totals(struct gate_buf *out, const struct gate_verdict *verdict) {
    metric_family(out, "pprofgate_total_ratio", "gauge",
                  "Total cost of the canary over that of the baseline, per unit of what both sides have equal.");
    for (uint32_t i = 0; i < verdict->comparison_count; i++)
        for (int equal = GATE_EQUAL_WORK; equal <= GATE_EQUAL_RUN; equal++) {
            const struct gate_comparison *comparison = &verdict->comparisons[i];
            struct gate_total_cost cost;
            if (!gate_total_cost_measure(&cost, &comparison->pair, (enum gate_equal)equal, comparison->work_in_force))
                continue;
            metric_labels(out, "pprofgate_total_ratio", comparison->name);
            gate_buf_printf(out, ",equal=\"%s\"", gate_equal_name((enum gate_equal)equal));
            metric_value(out, cost.ratio);
        }
}

static void metric_frame(struct gate_buf *out, const struct gate_comparison *comparison, uint32_t frame,
                         enum gate_measure measure, int side) {
    metric_labels(out, side < 0 ? "pprofgate_share_change_points" : "pprofgate_share_ratio", comparison->name);
    gate_buf_text(out, ",function=");
    gate_escape_openmetrics(out, comparison->pair.frames[frame].name);
    gate_buf_printf(out, ",measure=\"%s\"", gate_measure_name(measure));
    if (side >= 0)
        gate_buf_printf(out, ",side=\"%s\"", gate_side_word((enum gate_side_name)side));
    const struct gate_evidence *evidence = comparison->frames[frame].evidence[measure];
    metric_value(out, side < 0 ? evidence->delta * 100 : evidence->share[side]);
}

static void metric_comparison(struct gate_buf *out, const struct gate_comparison *comparison, const uint32_t *frames,
                              uint32_t limit, bool change) {
    for (uint32_t i = 0; i < comparison->pair.frame_count && i < limit; i++)
        for (int measure = 0; measure < GATE_MEASURES; measure++)
            for (int side = change ? -1 : 0; side < (change ? 0 : GATE_SIDES); side++)
                metric_frame(out, comparison, frames[i], (enum gate_measure)measure, side);
}

/* Append both families for the functions that changed most. */
static bool metric_frames(struct gate_buf *out, const struct gate_verdict *verdict, uint32_t limit,
                          struct gate_arena *arena, struct gate_error *err) {
    static const char *const names[] = {"pprofgate_share_ratio", "pprofgate_share_change_points"};
    static const char *const helps[] = {"Share of a function in its side's total.",
                                        "Canary share less baseline share, in points."};
    for (int change = 0; change < 2; change++) {
        metric_family(out, names[change], "gauge", helps[change]);
        for (uint32_t i = 0; i < verdict->comparison_count; i++) {
            const struct gate_comparison *comparison = &verdict->comparisons[i];
            uint32_t *frames = GATE_NEW_ARRAY(arena, uint32_t, comparison->pair.frame_count);
            if (frames == NULL)
                return gate_arena_error(arena, err);
            gate_listing_frames(frames, comparison);
            metric_comparison(out, comparison, frames, limit, change == 1);
        }
    }
    return true;
}

static bool report_openmetrics(struct gate_buf *out, const struct gate_verdict *verdict,
                               const struct gate_report_options *options, struct gate_arena *arena,
                               struct gate_error *err) {
    uint32_t limit = options->frame_limit == 0 ? DEFAULT_FRAMES : gate_report_rows(options->frame_limit, UINT32_MAX);
    metric_family(out, "pprofgate_verdict", "stateset", "Verdict of the gate.");
    metric_states(out, "pprofgate_verdict", NULL, (struct gate_str){"", 0}, verdict->outcome);
    metric_budgets(out, verdict);
    metric_samples(out, verdict);
    metric_totals(out, verdict);
    if (!metric_frames(out, verdict, limit, arena, err))
        return false;
    gate_buf_text(out, "# EOF\n");
    return gate_buf_check(out, err);
}

const struct gate_report_format gate_report_openmetrics = {
    .name = "openmetrics",
    .is_rare = true,
    .mark = GATE_OWN_OPENMETRICS,
    .help = "shares and verdict as metrics",
    .write = report_openmetrics,
};
