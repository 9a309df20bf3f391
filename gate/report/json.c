/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict as JSON, for programs. Keys are a promise: docs/report.schema.json; new ones may come, none is renamed.
 * Shares are fractions of a side's total; what ends in _pp is points of it. */
#include "gate/report/report.h"

#include "gate/base/json_writer.h"
#include "gate/guards/guards.h"
#include "gate/report/generator.h"
#include "gate/report/json_by.h"
#include "gate/report/json_causes.h"
#include "gate/report/json_parts.h"
#include "gate/report/row_intervals.h"
#include "gate/rules/guard_rules.h"
#include "gate/rules/rules_digest.h"

#include <math.h>

enum { SCHEMA_VERSION = 1, ROWS_AT_A_TIME = 100 };

static void json_type(struct gate_json *json, const struct gate_value_type *type) {
    gate_json_key(json, "sample_type");
    gate_json_open_flat(json, '{');
    gate_json_key(json, "type");
    gate_json_string(json, type->type);
    gate_json_key(json, "unit");
    gate_json_string(json, type->unit);
    gate_json_close(json, '}');
}

static void json_run(struct gate_json *json, const struct gate_run *run) {
    gate_json_open_flat(json, '{');
    gate_json_key(json, "path");
    gate_json_string(json, run->input.path);
    if (run->input.title.len > 0) {
        gate_json_key(json, "title");
        gate_json_string(json, run->input.title);
    }
    gate_json_key(json, "samples");
    gate_json_integer(json, (int64_t)run->stacks.record_count);
    gate_json_key(json, "total");
    gate_json_integer(json, run->total);
    gate_json_key(json, "duration_ns");
    gate_json_integer(json, run->input.profile == NULL ? 0 : run->input.profile->duration_ns);
    gate_json_key(json, "samples_effective");
    gate_json_number(json, run->events);
    gate_json_key(json, "digest");
    gate_json_string(json, run->input.digest);
    if (run->input.sha256.len > 0) {
        gate_json_key(json, "sha256");
        gate_json_string(json, run->input.sha256);
    }
    gate_json_close(json, '}');
}

static void json_side(struct gate_json *json, const char *key, const struct gate_side *side) {
    gate_json_key(json, key);
    gate_json_open(json, '{');
    gate_json_key(json, "runs");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < side->run_count; i++)
        json_run(json, &side->runs[i]);
    gate_json_close(json, ']');
    gate_json_key(json, "samples_effective");
    gate_json_number(json, side->events);
    gate_json_key(json, "total");
    gate_json_integer(json, side->total);
    gate_json_close(json, '}');
}

static void json_side_value(struct gate_json *json, const char *key, int64_t value, double share) {
    gate_json_key(json, key);
    gate_json_open_flat(json, '{');
    gate_json_key(json, "value");
    gate_json_integer(json, value);
    gate_json_key(json, "share");
    gate_json_number(json, share);
    gate_json_close(json, '}');
}

static void json_measure(struct gate_json *json, const struct gate_frame_judgement *frame, enum gate_measure measure,
                         const struct gate_interval *ci95) {
    const struct gate_evidence *evidence = frame->evidence[measure];
    gate_json_key(json, gate_measure_name(measure));
    gate_json_open_flat(json, '{');
    for (int side = 0; side < GATE_SIDES; side++)
        json_side_value(json, gate_side_word((enum gate_side_name)side), evidence->value[side], evidence->share[side]);
    gate_json_parts_points(json, "delta_pp", evidence->delta);
    gate_json_key(json, "z");
    gate_json_number(json, evidence->z);
    gate_json_key(json, "p");
    gate_json_number(json, exp(evidence->log_p));
    gate_json_parts_interval(json, ci95->bounds);
    gate_json_key(json, "is_tested");
    gate_json_bool(json, evidence->is_tested);
    gate_json_key(json, "is_significant");
    gate_json_bool(json, frame->is_suspect[measure]);
    gate_json_close(json, '}');
}

static void json_frame(struct gate_json *json, const struct gate_comparison *comparison, uint32_t frame,
                       const struct gate_row_intervals *ci95) {
    const struct gate_frame *of = &comparison->pair.frames[frame];
    gate_json_open(json, '{');
    gate_json_key(json, "function");
    gate_json_string(json, of->name);
    gate_json_key(json, "file");
    gate_json_string(json, of->file);
    gate_json_key(json, "code");
    gate_json_text(json, gate_own_code_name(of->code));
    gate_json_key(json, "is_own");
    gate_json_bool(json, of->is_own);
    for (int measure = 0; measure < GATE_MEASURES; measure++)
        json_measure(json, &comparison->frames[frame], (enum gate_measure)measure, &ci95->of[measure]);
    gate_json_close(json, '}');
}

static void json_frames(struct gate_json *json, const struct gate_comparison *comparison, uint32_t limit) {
    uint32_t count = gate_report_rows(limit, comparison->pair.frame_count);
    struct gate_row_intervals ci95[ROWS_AT_A_TIME];
    gate_json_key(json, "frames");
    gate_json_open(json, '[');
    for (uint32_t from = 0; from < count; from += ROWS_AT_A_TIME) {
        uint32_t some = count - from < ROWS_AT_A_TIME ? count - from : ROWS_AT_A_TIME;
        const uint32_t *rows = comparison->by_self + from;
        gate_row_intervals_fill(ci95, comparison->frames, rows, some, gate_evidence_ci95);
        for (uint32_t i = 0; i < some; i++)
            json_frame(json, comparison, rows[i], &ci95[i]);
    }
    gate_json_close(json, ']');
    gate_json_key(json, "frames_total");
    gate_json_integer(json, comparison->pair.frame_count);
}

static void json_limit(struct gate_json *json, const struct gate_limit *limit) {
    gate_json_key(json, "limit");
    if (limit == NULL) {
        gate_json_number(json, NAN); /* null */
        return;
    }
    gate_json_open_flat(json, '{');
    gate_json_key(json, "kind");
    gate_json_text(json, gate_limit_kind_name(limit->kind));
    gate_json_key(json, "text");
    gate_json_string(json, limit->text);
    gate_json_key(json, "severity");
    gate_json_text(json, gate_severity_name(limit->severity));
    gate_json_close(json, '}');
}

static void json_finding(struct gate_json *json, const struct gate_budget_result *result,
                         const struct gate_finding *finding) {
    const struct gate_evidence *evidence = &finding->evidence;
    gate_json_open(json, '{');
    gate_json_key(json, "function");
    gate_json_string(json, finding->function);
    gate_json_key(json, "measure");
    gate_json_text(json, gate_budget_measure_name(result->budget->measure));
    gate_json_key(json, "outcome");
    gate_json_text(json, gate_outcome_name(finding->outcome));
    gate_json_key(json, "reason");
    gate_json_text(json, gate_reason_name(finding->reason));
    gate_json_key(json, "baseline_share");
    gate_json_number(json, evidence->share[GATE_BASELINE]);
    gate_json_key(json, "canary_share");
    gate_json_number(json, evidence->share[GATE_CANARY]);
    gate_json_key(json, "baseline_value");
    gate_json_integer(json, evidence->value[GATE_BASELINE]);
    gate_json_key(json, "canary_value");
    gate_json_integer(json, evidence->value[GATE_CANARY]);
    gate_json_parts_points(json, "delta_pp", evidence->delta);
    gate_json_parts_interval(json, gate_evidence_ci95(evidence).bounds);
    gate_json_key(json, "z");
    gate_json_number(json, evidence->z);
    gate_json_parts_probability(json, "p", "log10_p", evidence->log_p);
    gate_json_parts_probability(json, "p_adjusted", "log10_p_adjusted", finding->log_p_adjusted);
    gate_json_parts_points(json, "detectable_pp", finding->detectable);
    gate_json_key(json, "own_cost_ratio");
    gate_json_number(json, finding->own_cost_ratio);
    gate_json_key(json, "samples_to_settle");
    gate_json_number(json, finding->samples_to_settle);
    json_limit(json, finding->limit);
    gate_json_key(json, "text");
    gate_json_string(json, finding->text);
    gate_json_key(json, "advice");
    gate_json_string(json, finding->advice);
    gate_json_close(json, '}');
}

static void json_budget(struct gate_json *json, const struct gate_verdict *verdict,
                        const struct gate_budget_result *result) {
    gate_json_open(json, '{');
    gate_json_key(json, "name");
    gate_json_string(json, result->budget->name);
    gate_json_key(json, "severity");
    gate_json_text(json, gate_severity_name(result->budget->severity));
    gate_json_key(json, "outcome");
    gate_json_text(json, gate_outcome_name(result->outcome));
    gate_json_key(json, "comparison");
    if (result->comparison < verdict->comparison_count)
        gate_json_string(json, verdict->comparisons[result->comparison].name);
    else
        gate_json_text(json, "");
    gate_json_key(json, "owner");
    gate_json_string(json, result->budget->owner);
    gate_json_key(json, "frames");
    gate_json_open_flat(json, '{');
    const char *keys[] = {"matched", "tested", "proven", "passed"};
    const uint32_t counts[] = {result->matched, result->tested, result->proven, result->passed};
    for (size_t i = 0; i < 4; i++) {
        gate_json_key(json, keys[i]);
        gate_json_integer(json, counts[i]);
    }
    gate_json_close(json, '}');
    gate_json_parts_points(json, "detectable_pp", result->detectable);
    gate_json_key(json, "findings");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < result->finding_count; i++)
        json_finding(json, result, &result->findings[i]);
    gate_json_close(json, ']');
    gate_json_close(json, '}');
}

/* Of a side's cost, what is charged to the program's own frames; the rest has none above it. */
static double json_own_share(const struct gate_comparison *comparison, enum gate_side_name side) {
    int64_t own = 0;
    for (uint32_t i = 0; i < comparison->pair.frame_count; i++)
        if (comparison->pair.frames[i].is_own)
            own += comparison->deltas.items[i].value[GATE_CHARGED][side];
    return gate_share(own, comparison->pair.sides[side].total);
}

static void json_code(struct gate_json *json, const struct gate_comparison *comparison) {
    gate_json_key(json, "language");
    gate_json_text(json, gate_own_code_language_name(comparison->pair.language));
    gate_json_key(json, "own_share");
    gate_json_open_flat(json, '{');
    for (int side = 0; side < GATE_SIDES; side++) {
        gate_json_key(json, gate_side_word((enum gate_side_name)side));
        gate_json_number(json, json_own_share(comparison, (enum gate_side_name)side));
    }
    gate_json_close(json, '}');
}

/* The first comparison's keys stand at the top, where a gate with one sample type looks for them. */
static void json_comparison(struct gate_json *json, const struct gate_comparison *comparison, uint32_t limit) {
    json_type(json, &comparison->pair.type);
    for (int side = 0; side < GATE_SIDES; side++)
        json_side(json, gate_side_word((enum gate_side_name)side), &comparison->pair.sides[side]);
    gate_json_key(json, "work");
    gate_json_open_flat(json, '{');
    gate_json_key(json, "ratio");
    gate_json_number(json, comparison->work_ratio);
    gate_json_key(json, "is_known");
    gate_json_bool(json, comparison->work_is_known);
    if (comparison->pair.mix_key.len > 0) {
        gate_json_key(json, "mix");
        gate_json_string(json, comparison->pair.mix_key);
    }
    gate_json_close(json, '}');
    if (comparison->noise != NULL) {
        gate_json_key(json, "noise_model_runs");
        gate_json_number(json, comparison->noise->run_count);
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
    gate_json_key(json, "looks");
    gate_json_open(json, '{');
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        gate_json_key(json, numbers[i].key);
        gate_json_number(json, numbers[i].value);
    }
    gate_json_key(json, "stands");
    gate_json_string(json, looks->stands);
    gate_json_close(json, '}');
}

static void json_warnings(struct gate_json *json, const struct gate_verdict *verdict) {
    gate_json_key(json, "warnings");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < verdict->warning_count; i++) {
        gate_json_open_flat(json, '{');
        gate_json_key(json, "code");
        gate_json_string(json, verdict->warnings[i].code);
        gate_json_key(json, "severity");
        gate_json_text(json, gate_severity_name(gate_guard_severity(verdict->rules, verdict->warnings[i].code)));
        gate_json_key(json, "message");
        gate_json_string(json, verdict->warnings[i].message);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

bool gate_report_json(struct gate_buf *out, const struct gate_verdict *verdict,
                      const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    struct gate_json json = {.out = out, .indent = 2};
    struct gate_str rules = gate_rules_digest(verdict->rules, arena);
    if (rules.ptr == NULL)
        return gate_arena_error(arena, err);
    gate_json_open(&json, '{');
    gate_json_key(&json, "schema_version");
    gate_json_integer(&json, SCHEMA_VERSION);
    gate_json_key(&json, "verdict");
    gate_json_text(&json, gate_outcome_name(verdict->outcome));
    gate_json_key(&json, "runs_to_settle");
    gate_json_number(&json, verdict->settle_runs);
    json_looks(&json, &verdict->looks);
    gate_generator_json(&json);
    gate_json_key(&json, "rules");
    gate_json_string(&json, verdict->rules->source);
    if (rules.len > 0) {
        gate_json_key(&json, "rules_sha256");
        gate_json_string(&json, rules);
    }
    gate_json_key(&json, "command");
    gate_json_string(&json, verdict->command);
    gate_json_causes(&json, verdict);
    if (!gate_json_by(&json, verdict, arena, err))
        return false;
    gate_json_key(&json, "budgets");
    gate_json_open(&json, '[');
    for (uint32_t i = 0; i < verdict->budget_count; i++)
        json_budget(&json, verdict, &verdict->budgets[i]);
    gate_json_close(&json, ']');
    json_warnings(&json, verdict);
    if (verdict->comparison_count > 0)
        json_comparison(&json, &verdict->comparisons[0], options->frame_limit);
    if (verdict->comparison_count > 1) {
        gate_json_key(&json, "comparisons");
        gate_json_open(&json, '[');
        for (uint32_t i = 1; i < verdict->comparison_count; i++) {
            gate_json_open(&json, '{');
            gate_json_key(&json, "name");
            gate_json_string(&json, verdict->comparisons[i].name);
            json_comparison(&json, &verdict->comparisons[i], options->frame_limit);
            gate_json_close(&json, '}');
        }
        gate_json_close(&json, ']');
    }
    gate_json_close(&json, '}');
    return gate_buf_check(out, err);
}

bool gate_report_diff_json(struct gate_buf *out, const struct gate_verdict *verdict,
                           const struct gate_report_options *options, struct gate_arena *arena,
                           struct gate_error *err) {
    (void)arena;
    struct gate_json json = {.out = out, .indent = 2};
    gate_json_open(&json, '{');
    gate_json_key(&json, "schema_version");
    gate_json_integer(&json, SCHEMA_VERSION);
    gate_generator_json(&json);
    json_warnings(&json, verdict);
    json_comparison(&json, &verdict->comparisons[0], options->frame_limit);
    gate_json_close(&json, '}');
    return gate_buf_check(out, err);
}
