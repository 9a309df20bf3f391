/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `trend` as JSON. */
#include "gate/report/trend_json.h"

#include "gate/base/buf.h"
#include "gate/base/json_io.h"
#include "gate/budget/trend.h"
#include "gate/report/report.h"
#include "gate/report/trend_report.h"

#include <math.h>

static void put_number(struct gate_json *json, const char *key, double value) {
    gate_json_key(json, key);
    gate_json_number(json, value);
}

static void put_count(struct gate_json *json, const char *key, uint32_t value) {
    gate_json_key(json, key);
    gate_json_integer(json, value);
}

static void put_text(struct gate_json *json, const char *key, const char *text) {
    gate_json_key(json, key);
    gate_json_text(json, text);
}

static void put_string(struct gate_json *json, const char *key, struct gate_str text) {
    gate_json_key(json, key);
    gate_json_string(json, text);
}

static void put_numbers(struct gate_json *json, const char *key, const double *values, uint32_t count) {
    gate_json_key(json, key);
    gate_json_open_flat(json, '[');
    for (uint32_t i = 0; values != NULL && i < count; i++)
        gate_json_number(json, values[i]);
    gate_json_close(json, ']');
}

static void put_slope(struct gate_json *json, const char *key, const struct gate_trend_slope *slope) {
    gate_json_key(json, key);
    gate_json_open_flat(json, '{');
    put_number(json, "slope", slope->slope);
    put_number(json, "low", slope->low);
    put_number(json, "high", slope->high);
    gate_json_close(json, '}');
}

static void put_fit(struct gate_json *json, const struct gate_trend_verdict *verdict,
                    const struct gate_trend_case *judged) {
    const struct gate_trend_fit *fit = &judged->fit;
    put_slope(json, "fit", &fit->whole);
    put_slope(json, "without_step", &fit->within);
    put_number(json, "intercept", fit->intercept);
    gate_json_key(json, "step");
    gate_json_open_flat(json, '{');
    put_count(json, "at", fit->step_at);
    put_string(json, "title", verdict->points[fit->step_at].title);
    put_number(json, "size", fit->step);
    gate_json_close(json, '}');
    put_number(json, "serial_correlation", fit->serial);
    gate_json_key(json, "is_exact");
    gate_json_bool(json, fit->is_exact);
    put_number(json, "log10_p", fit->log_p / log(10.0));
    put_number(json, "log10_p_adjusted", judged->log_p_adjusted / log(10.0));
}

static void put_finding(struct gate_json *json, const struct gate_trend_verdict *verdict,
                        const struct gate_trend_result *result, const struct gate_trend_finding *finding) {
    const struct gate_trend_case *judged = &finding->judged;
    struct gate_buf text = {0};
    gate_json_open(json, '{');
    put_string(json, "name", finding->name);
    if (finding->frame != NULL)
        put_string(json, "file", finding->frame->file);
    put_text(json, "outcome", gate_outcome_name(judged->outcome));
    put_text(json, "reason", gate_trend_decide_reason(judged->reason));
    gate_trend_words_sentence(&text, verdict, result, finding);
    put_string(json, "text", gate_buf_view(&text));
    text.len = 0;
    gate_trend_words_advice(&text, verdict, result, finding);
    put_string(json, "advice", gate_buf_view(&text));
    json->out->failed = json->out->failed || text.failed;
    gate_buf_free(&text);
    put_count(json, "points_needed", judged->points_needed);
    if (finding->limit != NULL) {
        put_text(json, "limit_kind", gate_limit_kind_name(finding->limit->kind));
        put_string(json, "limit", finding->limit->text);
        put_number(json, "limit_slope", judged->limit);
        put_number(json, "level", finding->level);
        put_numbers(json, "y", finding->series.y, finding->series.count);
        put_numbers(json, "y_low", finding->series.low, finding->series.count);
        put_numbers(json, "y_high", finding->series.high, finding->series.count);
    }
    if (finding->limit != NULL && judged->fit.count >= 2)
        put_fit(json, verdict, judged);
    gate_json_close(json, '}');
}

static void put_result(struct gate_json *json, const struct gate_trend_verdict *verdict,
                       const struct gate_trend_result *result) {
    gate_json_open(json, '{');
    put_string(json, "name", result->budget->name);
    put_text(json, "severity", gate_severity_name(result->budget->severity));
    put_text(json, "of", gate_trend_terms_of_name(result->budget->of));
    put_text(json, "per", gate_per_name(result->budget->per));
    put_text(json, "outcome", gate_outcome_name(result->outcome));
    put_text(json, "scale", gate_series_scale_name(result->scale));
    if (result->comparison != NULL) {
        put_string(json, "type", result->comparison->pair.type.type);
        put_string(json, "unit", result->comparison->pair.type.unit);
    }
    if (result->budget->owner.len > 0)
        put_string(json, "owner", result->budget->owner);
    if (result->budget->message.len > 0)
        put_string(json, "message", result->budget->message);
    put_number(json, "whole", result->whole);
    put_numbers(json, "x", result->x, verdict->point_count);
    put_count(json, "failed", result->failed);
    put_count(json, "inconclusive", result->open);
    put_count(json, "warned", result->warned);
    put_count(json, "held", result->held);
    gate_json_key(json, "series");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < result->finding_count; i++)
        put_finding(json, verdict, result, &result->findings[i]);
    gate_json_close(json, ']');
    gate_json_close(json, '}');
}

static void put_points(struct gate_json *json, const struct gate_trend_verdict *verdict) {
    gate_json_key(json, "points");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < verdict->point_count; i++) {
        const struct gate_series_point *point = &verdict->points[i];
        gate_json_open_flat(json, '{');
        put_string(json, "title", point->title);
        put_count(json, "runs", point->count);
        gate_json_key(json, "time_ns");
        gate_json_integer(json, point->time_ns);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

void gate_trend_json(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
    struct gate_json json = {.out = out, .indent = 2};
    gate_json_open(&json, '{');
    put_count(&json, "schema_version", 1);
    gate_generator_json(&json);
    put_text(&json, "verdict", gate_outcome_name(verdict->outcome));
    put_string(&json, "rules", verdict->rules->source);
    put_string(&json, "rules_digest", verdict->rules->digest);
    put_string(&json, "from", verdict->from);
    put_number(&json, "alpha", verdict->rules->alpha);
    put_number(&json, "alpha_margin", verdict->rules->alpha_margin);
    put_count(&json, "family", verdict->family);
    put_points(&json, verdict);
    gate_json_key(&json, "budgets");
    gate_json_open(&json, '[');
    for (uint32_t i = 0; i < verdict->result_count; i++)
        put_result(&json, verdict, &verdict->results[i]);
    gate_json_close(&json, ']');
    gate_json_key(&json, "notes");
    gate_json_open(&json, '[');
    for (uint32_t i = 0; i < verdict->note_count; i++)
        gate_json_string(&json, verdict->notes[i]);
    gate_json_close(&json, ']');
    gate_json_close(&json, '}');
    gate_buf_char(out, '\n');
}
