/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `trend` as JSON. */
#include "gate/report/trend_json.h"

#include "gate/base/buf.h"
#include "gate/base/json_io.h"
#include "gate/budget/trend.h"
#include "gate/report/report.h"
#include "gate/report/trend_report.h"

#include <math.h>

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
    gate_json_put_number(json, "slope", slope->slope);
    gate_json_put_number(json, "low", slope->low);
    gate_json_put_number(json, "high", slope->high);
    gate_json_close(json, '}');
}

static void put_fit(struct gate_json *json, const struct gate_trend_verdict *verdict,
                    const struct gate_trend_case *judged) {
    const struct gate_trend_fit *fit = &judged->fit;
    put_slope(json, "fit", &fit->whole);
    put_slope(json, "without_step", &fit->within);
    gate_json_put_number(json, "intercept", fit->intercept);
    gate_json_key(json, "step");
    gate_json_open_flat(json, '{');
    gate_json_put_integer(json, "at", fit->step_at);
    gate_json_put_string(json, "title", verdict->points[fit->step_at].title);
    gate_json_put_number(json, "size", fit->step);
    gate_json_close(json, '}');
    gate_json_put_number(json, "serial_correlation", fit->serial);
    gate_json_put_bool(json, "is_exact", fit->is_exact);
    gate_json_put_number(json, "log10_p", fit->log_p / log(10.0));
    gate_json_put_number(json, "log10_p_adjusted", judged->log_p_adjusted / log(10.0));
}

static void put_finding(struct gate_json *json, const struct gate_trend_verdict *verdict,
                        const struct gate_trend_result *result, const struct gate_trend_finding *finding) {
    const struct gate_trend_case *judged = &finding->judged;
    struct gate_buf text = {0};
    gate_json_open(json, '{');
    gate_json_put_string(json, "name", finding->name);
    if (finding->frame != NULL)
        gate_json_put_string(json, "file", finding->frame->file);
    gate_json_put_text(json, "outcome", gate_outcome_name(judged->outcome));
    gate_json_put_text(json, "reason", gate_trend_decide_reason(judged->reason));
    gate_trend_words_sentence(&text, verdict, result, finding);
    gate_json_put_string(json, "text", gate_buf_view(&text));
    text.len = 0;
    gate_trend_words_advice(&text, verdict, result, finding);
    gate_json_put_string(json, "advice", gate_buf_view(&text));
    json->out->failed = json->out->failed || text.failed;
    gate_buf_free(&text);
    gate_json_put_integer(json, "points_needed", judged->points_needed);
    if (finding->limit != NULL) {
        gate_json_put_text(json, "limit_kind", gate_limit_kind_name(finding->limit->kind));
        gate_json_put_string(json, "limit", finding->limit->text);
        gate_json_put_number(json, "limit_slope", judged->limit);
        gate_json_put_number(json, "level", finding->level);
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
    gate_json_put_string(json, "name", result->budget->name);
    gate_json_put_text(json, "severity", gate_severity_name(result->budget->severity));
    gate_json_put_text(json, "of", gate_trend_terms_of_name(result->budget->of));
    gate_json_put_text(json, "per", gate_per_name(result->budget->per));
    gate_json_put_text(json, "outcome", gate_outcome_name(result->outcome));
    gate_json_put_text(json, "scale", gate_series_scale_name(result->scale));
    if (result->comparison != NULL) {
        gate_json_put_string(json, "type", result->comparison->pair.type.type);
        gate_json_put_string(json, "unit", result->comparison->pair.type.unit);
    }
    if (result->budget->owner.len > 0)
        gate_json_put_string(json, "owner", result->budget->owner);
    if (result->budget->message.len > 0)
        gate_json_put_string(json, "message", result->budget->message);
    gate_json_put_number(json, "whole", result->whole);
    put_numbers(json, "x", result->x, verdict->point_count);
    gate_json_put_integer(json, "failed", result->failed);
    gate_json_put_integer(json, "inconclusive", result->open);
    gate_json_put_integer(json, "warned", result->warned);
    gate_json_put_integer(json, "held", result->held);
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
        gate_json_put_string(json, "title", point->title);
        gate_json_put_integer(json, "runs", point->count);
        gate_json_put_integer(json, "time_ns", point->time_ns);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

void gate_trend_json(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
    struct gate_json json = {.out = out, .indent = 2};
    gate_json_open(&json, '{');
    gate_json_put_integer(&json, "schema_version", 1);
    gate_generator_json(&json);
    gate_json_put_text(&json, "verdict", gate_outcome_name(verdict->outcome));
    gate_json_put_string(&json, "rules", verdict->rules->source);
    gate_json_put_string(&json, "rules_digest", verdict->rules->digest);
    gate_json_put_string(&json, "from", verdict->from);
    gate_json_put_number(&json, "alpha", verdict->rules->alpha);
    gate_json_put_number(&json, "alpha_margin", verdict->rules->alpha_margin);
    gate_json_put_integer(&json, "family", verdict->family);
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
