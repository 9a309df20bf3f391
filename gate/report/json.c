/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON report. */
#include "gate/base/buf.h"
#include "gate/base/json_io.h"
#include "gate/budget/cause.h"
#include "gate/budget/finding.h"
#include "gate/budget/off_cpu.h"
#include "gate/budget/verdict.h"
#include "gate/compare/comparison.h"
#include "gate/compare/cost.h"
#include "gate/compare/delta.h"
#include "gate/report/cause_sentence.h"
#include "gate/report/listing.h"
#include "gate/report/report.h"
#include "gate/rules/guard_rules.h"
#include "gate/rules/rules_diff.h"

#include <math.h>

/* Return "not_asked", "no_profile", "open", "on" or "off": stable in JSON. Static text. */
static const char *off_cpu_where_name(enum gate_off_cpu_where where) {
    static const char *const names[] = {[GATE_OFF_CPU_NOT_APPLICABLE] = "not_asked",
                                        [GATE_OFF_CPU_NO_PROFILE] = "no_profile",
                                        [GATE_OFF_CPU_OPEN] = "open",
                                        [GATE_OFF_CPU_ON] = "on",
                                        [GATE_OFF_CPU_OFF] = "off"};
    return names[where];
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/** Append a fraction of the total as percentage points. */
static void json_parts_points(struct gate_json *json, const char *key, double fraction) {
    gate_json_put_number(json, key, fraction * 100);
}

/** Append "ci95_pp": [low, high]. */
static void json_parts_interval(struct gate_json *json, const double bounds[2]) {
    gate_json_put_open_flat(json, "ci95_pp", '[');
    gate_json_number(json, bounds[0] * 100);
    gate_json_number(json, bounds[1] * 100);
    gate_json_close(json, ']');
}

/**
 * Append a probability and its decimal logarithm, because it can be too small for a double. `log_p` is a natural
 * logarithm.
 */
static void json_parts_probability(struct gate_json *json, const char *key, const char *log_key, double log_p) {
    gate_json_put_number(json, key, exp(log_p));
    gate_json_put_number(json, log_key, log_p / log(10));
}

/* ---- values of a label (--by) ------------------------------------------------------------------------------------ */

static void by_shares(struct gate_json *json, const char *key, const double share[GATE_SIDES]) {
    gate_json_put_open_flat(json, key, '{');
    for (int side = 0; side < GATE_SIDES; side++) {
        gate_json_put_number(json, gate_side_word((enum gate_side_name)side), share[side]);
    }
    gate_json_close(json, '}');
}

static void by_lacks(struct gate_json *json, const struct gate_by_value *value) {
    if (value->lack_count == 0)
        return;
    gate_json_put_open(json, "without", '[');
    for (uint32_t i = 0; i < value->lack_count; i++) {
        const bool *is_without = value->lacks[i].is_without;
        gate_json_open_flat(json, '{');
        gate_json_put_string(json, "name", value->lacks[i].name);
        gate_json_put_text(json, "side",
                           is_without[GATE_BASELINE] && is_without[GATE_CANARY]
                               ? "both"
                               : gate_side_word(is_without[GATE_CANARY] ? GATE_CANARY : GATE_BASELINE));
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void by_row(struct gate_json *json, const struct gate_by_row *row, const struct gate_verdict *verdict) {
    gate_json_open(json, '{');
    gate_json_put_string(json, "value", row->value->of.match.value);
    gate_json_put_text(json, "state", gate_by_state_name(row->value->state));
    by_shares(json, "share", row->value->of.share);
    if (row->comparison != GATE_NO_INDEX) {
        gate_json_put_string(json, "comparison", verdict->comparisons[row->comparison].name);
        gate_json_put_text(json, "outcome", gate_outcome_name(row->outcome));
    }
    if (row->worst != NULL) {
        gate_json_put_string(json, "function", row->worst->function);
        json_parts_points(json, "delta_pp", row->worst->evidence.delta);
    }
    by_lacks(json, row->value);
    gate_json_close(json, '}');
}

static bool by_one(struct gate_json *json, const struct gate_by *by, const struct gate_verdict *verdict,
                   struct gate_arena *arena, struct gate_error *err) {
    struct gate_by_row *rows = GATE_NEW_ARRAY(arena, struct gate_by_row, by->count);
    if (rows == NULL)
        return gate_arena_error(arena, err);
    gate_by_rows_make(rows, by, verdict);
    gate_json_open(json, '{');
    gate_json_put_string(json, "label", by->key);
    gate_json_put_string(json, "pair", by->pair);
    gate_json_put_open(json, "values", '[');
    for (uint32_t i = 0; i < by->count; i++)
        by_row(json, &rows[i], verdict);
    gate_json_close(json, ']');
    gate_json_put_integer(json, "left_out", by->left_out);
    by_shares(json, "left_out_share", by->left_out_cost);
    by_shares(json, "unlabelled_share", by->unlabelled);
    gate_json_close(json, '}');
    return true;
}

/** Append the key "by" and its array; nothing if --by was not given. */
static bool json_by(struct gate_json *json, const struct gate_verdict *verdict, struct gate_arena *arena,
                    struct gate_error *err) {
    if (verdict->by.count == 0)
        return true;
    gate_json_put_open(json, "by", '[');
    for (uint32_t i = 0; i < verdict->by.count; i++)
        if (!by_one(json, &verdict->by.items[i], verdict, arena, err))
            return false;
    gate_json_close(json, ']');
    return true;
}

/* ---- causes ------------------------------------------------------------------------------------------------------ */

/* Append the cause's budgets, each once with its worst outcome, then its findings. `findings` is sorted worst first. */
static void json_cause_budgets(struct gate_json *json, const struct gate_verdict *verdict,
                               const struct gate_cause *cause) {
    gate_json_put_open(json, "budgets", '[');
    for (uint32_t i = 0; i < cause->finding_count; i++) {
        const struct gate_cause_finding *member = &cause->findings[i];
        bool is_known = false;
        for (uint32_t before = 0; before < i; before++)
            is_known = is_known || cause->findings[before].result == member->result;
        if (is_known)
            continue;
        gate_json_open_flat(json, '{');
        gate_json_put_string(json, "name", member->result->budget->name);
        gate_json_put_text(json, "outcome", gate_outcome_name(member->finding->outcome));
        gate_json_put_string(json, "limit", member->finding->limit->text);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
    gate_json_put_open(json, "findings", '[');
    for (uint32_t i = 0; i < cause->finding_count; i++) {
        const struct gate_cause_finding *member = &cause->findings[i];
        gate_json_open_flat(json, '{');
        gate_json_put_string(json, "budget", member->result->budget->name);
        gate_json_put_string(json, "function", member->finding->function);
        gate_json_put_text(json, "measure", gate_budget_measure_name(member->result->budget->measure));
        json_parts_points(json, "delta_pp", member->finding->evidence.delta);
        if (!gate_cause_has_here(cause, member))
            gate_json_put_string(json, "comparison", verdict->comparisons[member->result->comparison].name);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void json_cause_words(struct gate_json *json, const struct gate_verdict *verdict,
                             const struct gate_cause *cause) {
    struct gate_buf text = {0};
    gate_cause_sentence_text(&text, verdict, cause);
    gate_json_put_string(json, "text", gate_buf_view(&text));
    text.len = 0;
    gate_cause_sentence_advice(&text, cause);
    gate_json_put_string(json, "advice", gate_buf_view(&text));
    gate_buf_free_part(json->out, &text);
}

static void json_cause_place(struct gate_json *json, const struct gate_comparison *comparison,
                             const struct gate_cause *cause) {
    const struct gate_frame *frame = cause->frame == GATE_NO_INDEX ? NULL : &comparison->pair.frames[cause->frame];
    gate_json_put_string(json, "function", cause->function);
    gate_json_put_string(json, "file", frame == NULL ? GATE_STR("") : frame->file);
    gate_json_put_integer(json, "line", frame == NULL ? 0 : frame->start_line);
    gate_json_put_string(json, "comparison", comparison->name);
    gate_json_put_bool(json, "is_own", cause->is_own);
    if (frame != NULL && cause->new_frame != GATE_NO_INDEX)
        gate_json_put_string(json, "new_function", comparison->pair.frames[cause->new_frame].name);
    if (frame != NULL && frame->old_name.len > 0)
        gate_json_put_string(json, "baseline_function", frame->old_name);
}

static void json_cause_numbers(struct gate_json *json, const struct gate_comparison *comparison,
                               const struct gate_cause *cause) {
    const struct gate_evidence *evidence = &cause->evidence;
    bool is_charged = cause->measure == GATE_MEASURE_CHARGED ||
                      cause->measure == GATE_MEASURE_CHARGED_COST; /* both ratios are those of charged cost */
    gate_json_put_text(json, "measure", gate_budget_measure_name(cause->measure));
    gate_json_put_number(json, "baseline_share", evidence->share[GATE_BASELINE]);
    gate_json_put_number(json, "canary_share", evidence->share[GATE_CANARY]);
    json_parts_points(json, "delta_pp", evidence->delta);
    json_parts_interval(json, gate_evidence_ci95(evidence).bounds);
    gate_json_put_number(json, "p", exp(evidence->log_p));
    gate_json_put_number(json, "cost_ratio", is_charged ? cause->cost_ratio : NAN);
    gate_json_put_bool(json, "is_work_known", comparison->work_is_known);
    gate_json_put_number(json, "explains", is_charged ? cause->explains : NAN);
}

/* Append "others"; nothing without --by. */
static void json_cause_others(struct gate_json *json, const struct gate_verdict *verdict,
                              const struct gate_cause *cause) {
    if (cause->other_count == 0)
        return;
    gate_json_put_open(json, "others", '[');
    for (uint32_t i = 0; i < cause->other_count; i++) {
        const struct gate_cause *other = &cause->others[i];
        gate_json_open_flat(json, '{');
        gate_json_put_string(json, "comparison", verdict->comparisons[other->comparison].name);
        gate_json_put_text(json, "outcome", gate_outcome_name(other->outcome));
        gate_json_put_number(json, "baseline_share", other->evidence.share[GATE_BASELINE]);
        gate_json_put_number(json, "canary_share", other->evidence.share[GATE_CANARY]);
        json_parts_points(json, "delta_pp", other->evidence.delta);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

/* Append "off_cpu"; nothing if the cause is not a growth of wall time. */
static void json_cause_clock(struct gate_json *json, const struct gate_comparison *comparison,
                             const struct gate_cause *cause) {
    enum gate_off_cpu_where where = gate_off_cpu_where(cause, comparison);
    if (where == GATE_OFF_CPU_NOT_APPLICABLE)
        return;
    gate_json_put_open_flat(json, "off_cpu", '{');
    gate_json_put_text(json, "where", off_cpu_where_name(where));
    gate_json_put_number(json, "on_cpu", cause->on_cpu);
    gate_json_put_open_flat(json, "ci95", '[');
    gate_json_number(json, cause->on_cpu_bounds[0]);
    gate_json_number(json, cause->on_cpu_bounds[1]);
    gate_json_close(json, ']');
    gate_json_put_string(json, "next", gate_off_cpu_next(cause, comparison));
    gate_json_close(json, '}');
}

/* Append "exemplars"; nothing if no label names a trace or span. */
static void json_cause_exemplars(struct gate_json *json, const struct gate_cause *cause) {
    if (cause->exemplars[GATE_BASELINE].count == 0 && cause->exemplars[GATE_CANARY].count == 0)
        return;
    gate_json_put_open(json, "exemplars", '{');
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_exemplars *list = &cause->exemplars[side];
        gate_json_put_open(json, gate_side_word((enum gate_side_name)side), '[');
        for (uint32_t i = 0; i < list->count; i++) {
            gate_json_open_flat(json, '{');
            gate_json_put_string(json, "trace_id", list->items[i].trace);
            gate_json_put_string(json, "span_id", list->items[i].span);
            gate_json_put_integer(json, "time_ns", list->items[i].time_ns);
            gate_json_close(json, '}');
        }
        gate_json_close(json, ']');
    }
    gate_json_close(json, '}');
}

static void json_cause(struct gate_json *json, const struct gate_verdict *verdict, const struct gate_cause *cause) {
    const struct gate_comparison *comparison = &verdict->comparisons[cause->comparison];
    gate_json_open(json, '{');
    json_cause_place(json, comparison, cause);
    gate_json_put_text(json, "outcome", gate_outcome_name(cause->outcome));
    gate_json_put_text(json, "reason", gate_reason_name(cause->reason));
    json_cause_numbers(json, comparison, cause);
    json_cause_others(json, verdict, cause);
    json_cause_clock(json, comparison, cause);
    json_cause_exemplars(json, cause);
    gate_json_put_open(json, "path", '[');
    for (uint32_t i = 0; i < cause->path_count; i++)
        gate_json_string(json, comparison->pair.frames[cause->path[i]].name);
    gate_json_close(json, ']');
    json_cause_budgets(json, verdict, cause);
    json_cause_words(json, verdict, cause);
    gate_json_close(json, '}');
}

/** Append the key "causes" and its array, in the order of verdict->causes; empty if nothing is over a limit. */
static void json_causes(struct gate_json *json, const struct gate_verdict *verdict) {
    gate_json_put_open(json, "causes", '[');
    for (uint32_t i = 0; i < verdict->causes.count; i++)
        json_cause(json, verdict, &verdict->causes.items[i]);
    gate_json_close(json, ']');
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

/* Keys are stable (docs/report.schema.json): new ones may be added, but none is renamed. Shares are fractions of a
 * side's total; keys that end in _pp are percentage points of it. */

enum { SCHEMA_VERSION = 1, ROWS_AT_A_TIME = 100 };

static void json_sample_type(struct gate_json *json, const struct gate_value_type *type) {
    gate_json_put_open_flat(json, "sample_type", '{');
    gate_json_put_string(json, "type", type->type);
    gate_json_put_string(json, "unit", type->unit);
    gate_json_close(json, '}');
}

static void json_run(struct gate_json *json, const struct gate_run *run) {
    gate_json_open_flat(json, '{');
    gate_json_put_string(json, "path", run->input.path);
    if (run->input.title.len > 0) {
        gate_json_put_string(json, "title", run->input.title);
    }
    gate_json_put_integer(json, "samples", (int64_t)run->stacks.record_count);
    gate_json_put_integer(json, "total", run->total);
    gate_json_put_integer(json, "duration_ns", run->input.profile == NULL ? 0 : run->input.profile->duration_ns);
    gate_json_put_number(json, "samples_effective", run->events);
    gate_json_put_string(json, "digest", run->input.digest);
    if (run->input.sha256.len > 0) {
        gate_json_put_string(json, "sha256", run->input.sha256);
    }
    gate_json_close(json, '}');
}

static void json_side(struct gate_json *json, const char *key, const struct gate_side *side, double unnamed) {
    gate_json_put_open(json, key, '{');
    gate_json_put_open(json, "runs", '[');
    for (uint32_t i = 0; i < side->run_count; i++)
        json_run(json, &side->runs[i]);
    gate_json_close(json, ']');
    gate_json_put_number(json, "samples_effective", side->events);
    gate_json_put_integer(json, "total", side->total);
    gate_json_put_number(json, "unsymbolised_share", unnamed);
    gate_json_close(json, '}');
}

static void json_side_value(struct gate_json *json, const char *key, int64_t value, double share) {
    gate_json_put_open_flat(json, key, '{');
    gate_json_put_integer(json, "value", value);
    gate_json_put_number(json, "share", share);
    gate_json_close(json, '}');
}

static void json_measure(struct gate_json *json, const struct gate_frame_judgement *frame, enum gate_measure measure,
                         const struct gate_interval *ci95) {
    const struct gate_evidence *evidence = frame->evidence[measure];
    gate_json_put_open_flat(json, gate_measure_name(measure), '{');
    for (int side = 0; side < GATE_SIDES; side++)
        json_side_value(json, gate_side_word((enum gate_side_name)side), evidence->value[side], evidence->share[side]);
    json_parts_points(json, "delta_pp", evidence->delta);
    gate_json_put_number(json, "z", evidence->z);
    gate_json_put_number(json, "p", exp(evidence->log_p));
    json_parts_interval(json, ci95->bounds);
    gate_json_put_bool(json, "is_tested", evidence->is_tested);
    gate_json_put_bool(json, "is_significant", frame->is_suspect[measure]);
    gate_json_close(json, '}');
}

static void json_frame(struct gate_json *json, const struct gate_comparison *comparison, uint32_t frame,
                       const struct gate_row_intervals *ci95) {
    const struct gate_frame *of = &comparison->pair.frames[frame];
    gate_json_open(json, '{');
    gate_json_put_string(json, "function", of->name);
    gate_json_put_string(json, "file", of->file);
    gate_json_put_text(json, "code", gate_own_code_name(of->code));
    gate_json_put_bool(json, "is_own", of->is_own);
    for (int measure = 0; measure < GATE_MEASURES; measure++)
        json_measure(json, &comparison->frames[frame], (enum gate_measure)measure, &ci95->of[measure]);
    gate_json_close(json, '}');
}

static void json_frames(struct gate_json *json, const struct gate_comparison *comparison, uint32_t limit) {
    uint32_t count = gate_report_rows(limit, comparison->pair.frame_count);
    struct gate_row_intervals ci95[ROWS_AT_A_TIME];
    gate_json_put_open(json, "frames", '[');
    for (uint32_t from = 0; from < count; from += ROWS_AT_A_TIME) {
        uint32_t some = count - from < ROWS_AT_A_TIME ? count - from : ROWS_AT_A_TIME;
        const uint32_t *rows = comparison->by_self + from;
        gate_row_intervals_fill(ci95, comparison->frames, rows, some);
        for (uint32_t i = 0; i < some; i++)
            json_frame(json, comparison, rows[i], &ci95[i]);
    }
    gate_json_close(json, ']');
    gate_json_put_integer(json, "frames_total", comparison->pair.frame_count);
}

static void json_limit(struct gate_json *json, const struct gate_limit *limit) {
    gate_json_key(json, "limit");
    if (limit == NULL) {
        gate_json_number(json, NAN); /* null */
        return;
    }
    gate_json_open_flat(json, '{');
    gate_json_put_text(json, "kind", gate_limit_kind_name(limit->kind));
    gate_json_put_string(json, "text", limit->text);
    gate_json_put_text(json, "severity", gate_severity_name(limit->severity));
    gate_json_close(json, '}');
}

static void json_finding(struct gate_json *json, const struct gate_budget_result *result,
                         const struct gate_finding *finding) {
    const struct gate_evidence *evidence = &finding->evidence;
    gate_json_open(json, '{');
    gate_json_put_string(json, "function", finding->function);
    gate_json_put_text(json, "measure", gate_budget_measure_name(result->budget->measure));
    gate_json_put_text(json, "outcome", gate_outcome_name(finding->outcome));
    gate_json_put_text(json, "reason", gate_reason_name(finding->reason));
    gate_json_put_number(json, "baseline_share", evidence->share[GATE_BASELINE]);
    gate_json_put_number(json, "canary_share", evidence->share[GATE_CANARY]);
    gate_json_put_integer(json, "baseline_value", evidence->value[GATE_BASELINE]);
    gate_json_put_integer(json, "canary_value", evidence->value[GATE_CANARY]);
    json_parts_points(json, "delta_pp", evidence->delta);
    json_parts_interval(json, gate_evidence_ci95(evidence).bounds);
    gate_json_put_number(json, "z", evidence->z);
    json_parts_probability(json, "p", "log10_p", evidence->log_p);
    json_parts_probability(json, "p_adjusted", "log10_p_adjusted", finding->log_p_adjusted);
    json_parts_points(json, "detectable_pp", finding->detectable);
    gate_json_put_number(json, "own_cost_ratio", finding->own_cost_ratio);
    gate_json_put_number(json, "samples_to_settle", finding->samples_to_settle);
    json_limit(json, finding->limit);
    gate_json_put_string(json, "text", finding->text);
    gate_json_put_string(json, "advice", finding->advice);
    gate_json_close(json, '}');
}

static void json_budget(struct gate_json *json, const struct gate_verdict *verdict,
                        const struct gate_budget_result *result) {
    gate_json_open(json, '{');
    gate_json_put_string(json, "name", result->budget->name);
    gate_json_put_text(json, "severity", gate_severity_name(result->budget->severity));
    gate_json_put_text(json, "outcome", gate_outcome_name(result->outcome));
    gate_json_key(json, "comparison");
    if (result->comparison < verdict->comparison_count)
        gate_json_string(json, verdict->comparisons[result->comparison].name);
    else
        gate_json_text(json, "");
    gate_json_put_string(json, "owner", result->budget->owner);
    gate_json_put_open_flat(json, "frames", '{');
    const char *keys[] = {"matched", "tested", "proven", "passed"};
    const uint32_t counts[] = {result->matched, result->tested, result->proven, result->passed};
    for (size_t i = 0; i < 4; i++) {
        gate_json_put_integer(json, keys[i], counts[i]);
    }
    gate_json_close(json, '}');
    json_parts_points(json, "detectable_pp", result->detectable);
    gate_json_put_open(json, "findings", '[');
    for (uint32_t i = 0; i < result->finding_count; i++)
        json_finding(json, result, &result->findings[i]);
    gate_json_close_all(json, "]}");
}

/* Return the part of a side's cost that is charged to own code. The rest has no own code on its stacks. */
static double json_own_share(const struct gate_comparison *comparison, enum gate_side_name side) {
    int64_t own = 0;
    for (uint32_t i = 0; i < comparison->pair.frame_count; i++)
        if (gate_frame_is_charged(&comparison->pair.frames[i]))
            own += comparison->deltas.items[i].value[GATE_CHARGED][side];
    return gate_share(own, comparison->pair.sides[side].total);
}

static void json_code(struct gate_json *json, const struct gate_comparison *comparison) {
    gate_json_put_text(json, "language", gate_own_code_language_name(comparison->pair.language));
    gate_json_put_open_flat(json, "own_share", '{');
    for (int side = 0; side < GATE_SIDES; side++) {
        gate_json_put_number(json, gate_side_word((enum gate_side_name)side),
                             json_own_share(comparison, (enum gate_side_name)side));
    }
    gate_json_close(json, '}');
}

/* Append the total cost by each fact that the profiles and options give. `equal` is the fact that the verdict rests
 * on. */
static void json_total_cost(struct gate_json *json, const struct gate_comparison *comparison) {
    gate_json_put_open(json, "total_cost", '{');
    gate_json_put_text(json, "equal", gate_equal_name(comparison->equal));
    gate_json_put_open(json, "readings", '[');
    for (int equal = GATE_EQUAL_WORK; equal <= GATE_EQUAL_RUN; equal++) {
        struct gate_total_cost cost;
        if (!gate_total_cost_measure(&cost, &comparison->pair, (enum gate_equal)equal, comparison->work_in_force))
            continue;
        gate_json_open_flat(json, '{');
        gate_json_put_text(json, "equal", gate_equal_name((enum gate_equal)equal));
        gate_json_put_number(json, "ratio", cost.ratio);
        gate_json_put_open_flat(json, "ci90", '[');
        gate_json_number(json, cost.ratio_bounds[0]);
        gate_json_number(json, cost.ratio_bounds[1]);
        gate_json_close(json, ']');
        gate_json_put_number(json, "p", exp(cost.log_p));
        gate_json_close(json, '}');
    }
    gate_json_close_all(json, "]}");
}

/* Append the keys of a comparison. Those of the first one are at the top level, for readers that support one sample
 * type. */
static void json_comparison(struct gate_json *json, const struct gate_comparison *comparison, uint32_t limit) {
    double unnamed[GATE_SIDES];
    json_sample_type(json, &comparison->pair.type);
    gate_delta_unnamed(unnamed, &comparison->pair, &comparison->deltas);
    for (int side = 0; side < GATE_SIDES; side++)
        json_side(json, gate_side_word((enum gate_side_name)side), &comparison->pair.sides[side], unnamed[side]);
    gate_json_put_open_flat(json, "work", '{');
    gate_json_put_number(json, "ratio", comparison->work_ratio);
    gate_json_put_bool(json, "is_known", comparison->work_is_known);
    if (comparison->pair.mix_key.len > 0) {
        gate_json_put_string(json, "mix", comparison->pair.mix_key);
    }
    gate_json_close(json, '}');
    json_total_cost(json, comparison);
    if (comparison->noise != NULL) {
        gate_json_put_number(json, "noise_model_runs", comparison->noise->run_count);
    }
    json_code(json, comparison);
    json_frames(json, comparison, limit);
}

static void json_looks(struct gate_json *json, const struct gate_verdict_looks *looks) {
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"count", looks->count},
                   {"planned", looks->planned},
                   {"fraction", looks->fraction},
                   {"fail_total", looks->fail_total},
                   {"fail_spent", looks->fail_spent},
                   {"held_total", looks->held_total},
                   {"held_spent", looks->held_spent},
                   {"runs", looks->runs},
                   {"one_look_runs", looks->one_look_runs}};
    if (looks->count == 0)
        return;
    gate_json_put_open(json, "looks", '{');
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        gate_json_put_number(json, numbers[i].key, numbers[i].value);
    }
    gate_json_put_string(json, "stands", looks->stands);
    gate_json_close(json, '}');
}

static void json_accepted(struct gate_json *json, const struct gate_acceptance *accepted) {
    if (accepted->commit.len == 0)
        return;
    gate_json_put_open_flat(json, "accepted", '{');
    gate_json_put_string(json, "commit", accepted->commit);
    gate_json_put_string(json, "by", accepted->by);
    gate_json_put_string(json, "reason", accepted->reason);
    gate_json_close(json, '}');
}

static void json_warnings(struct gate_json *json, const struct gate_verdict *verdict) {
    gate_json_put_open(json, "warnings", '[');
    for (uint32_t i = 0; i < verdict->warning_count; i++) {
        gate_json_open_flat(json, '{');
        gate_json_put_text(json, "code", gate_guard_name(verdict->warnings[i].guard));
        gate_json_put_text(json, "severity",
                           gate_severity_name(gate_guard_severity(verdict->rules, verdict->warnings[i].guard)));
        gate_json_put_string(json, "message", verdict->warnings[i].message);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static bool json_replaced(struct gate_json *json, const struct gate_verdict *verdict, struct gate_arena *arena,
                          struct gate_error *err) {
    static const char *const keys[GATE_SIDES] = {"baseline_share", "canary_share"};
    struct gate_renames renames;
    if (verdict->replaced.count == 0)
        return true;
    if (!gate_replaced_renames(&renames, &verdict->replaced, verdict->comparisons, arena))
        return gate_arena_error(arena, err);
    gate_json_put_open(json, "replaced", '[');
    for (uint32_t i = 0; i < verdict->replaced.count; i++) {
        gate_json_open(json, '{');
        gate_replaced_json(json, &verdict->replaced.items[i], verdict->comparisons, &renames, keys);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
    return true;
}

static bool report_json(struct gate_buf *out, const struct gate_verdict *verdict,
                        const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    struct gate_json json = {.out = out, .indent = 2};
    struct gate_str rules = gate_rules_digest(verdict->rules, arena);
    if (rules.ptr == NULL)
        return gate_arena_error(arena, err);
    gate_json_open(&json, '{');
    gate_json_put_integer(&json, "schema_version", SCHEMA_VERSION);
    gate_json_put_text(&json, "verdict", gate_outcome_name(verdict->outcome));
    gate_json_put_number(&json, "runs_to_settle", verdict->settle_runs);
    json_accepted(&json, &verdict->accepted);
    json_looks(&json, &verdict->looks);
    gate_generator_json(&json);
    gate_json_put_string(&json, "rules", verdict->rules->source);
    if (rules.len > 0) {
        gate_json_put_string(&json, "rules_sha256", rules);
    }
    gate_json_put_string(&json, "command", verdict->command);
    json_causes(&json, verdict);
    if (!json_by(&json, verdict, arena, err))
        return false;
    gate_json_put_open(&json, "budgets", '[');
    for (uint32_t i = 0; i < verdict->budget_count; i++)
        json_budget(&json, verdict, &verdict->budgets[i]);
    gate_json_close(&json, ']');
    json_warnings(&json, verdict);
    if (!json_replaced(&json, verdict, arena, err))
        return false;
    if (verdict->comparison_count > 0)
        json_comparison(&json, &verdict->comparisons[0], options->frame_limit);
    if (verdict->comparison_count > 1) {
        gate_json_put_open(&json, "comparisons", '[');
        for (uint32_t i = 1; i < verdict->comparison_count; i++) {
            gate_json_open(&json, '{');
            gate_json_put_string(&json, "name", verdict->comparisons[i].name);
            json_comparison(&json, &verdict->comparisons[i], options->frame_limit);
            gate_json_close(&json, '}');
        }
        gate_json_close(&json, ']');
    }
    gate_json_close(&json, '}');
    return gate_buf_check(out, err);
}

static bool report_diff_json(struct gate_buf *out, const struct gate_verdict *verdict,
                             const struct gate_report_options *options, struct gate_arena *arena,
                             struct gate_error *err) {
    (void)arena;
    struct gate_json json = {.out = out, .indent = 2};
    gate_json_open(&json, '{');
    gate_json_put_integer(&json, "schema_version", SCHEMA_VERSION);
    gate_generator_json(&json);
    json_warnings(&json, verdict);
    json_comparison(&json, &verdict->comparisons[0], options->frame_limit);
    gate_json_close(&json, '}');
    return gate_buf_check(out, err);
}

static bool nothing_compared(struct gate_buf *out, const struct gate_nothing_compared *nothing) {
    struct gate_json json = {.out = out, .indent = 2};
    gate_json_open(&json, '{');
    gate_json_put_integer(&json, "schema_version", SCHEMA_VERSION);
    gate_json_put_text(&json, "verdict", nothing->word);
    gate_generator_json(&json);
    gate_json_put_open(&json, "warnings", '[');
    gate_json_open_flat(&json, '{');
    gate_json_put_text(&json, "code", "baseline_missing");
    gate_json_put_text(&json, "severity", nothing->severity);
    gate_json_put_string(&json, "message", nothing->message);
    gate_json_close_all(&json, "}]}");
    return !out->failed;
}

const struct gate_report_format gate_report_json = {
    .name = "json",
    .mark = GATE_OWN_JSON,
    .file = "report.json",
    .help = "the verdict and every number behind it",
    .write = report_json,
    .write_nothing = nothing_compared,
    .is_large = true,
};

const struct gate_report_format gate_report_diff_json = {
    .name = "json",
    .mark = GATE_OWN_JSON,
    .write = report_diff_json,
};
