/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/report/trend_json.h"

#include "gate/base/json_io.h"
#include "gate/report/listing.h"
#include "gate/report/report.h"
#include "gate/report/trend_words.h"

#include <math.h>

static const char *scale_name(enum gate_series_scale scale) {
    static const char *const names[] = {[GATE_SERIES_LEVEL] = "level",
                                        [GATE_SERIES_PER_WORK] = "per_work",
                                        [GATE_SERIES_PER_SECOND] = "per_second",
                                        [GATE_SERIES_SHARE] = "share",
                                        [GATE_SERIES_NONE] = "none"};
    return names[scale];
}

static const char *reason_name(enum gate_trend_reason reason) {
    static const char *const names[] = {[GATE_TREND_WITHIN] = "within",
                                        [GATE_TREND_UNSEEN] = "below_max_mde",
                                        [GATE_TREND_OVER] = "over_budget",
                                        [GATE_TREND_SEVERITY_WARN] = "severity_warn",
                                        [GATE_TREND_STEP] = "step",
                                        [GATE_TREND_STEP_OR_SLOPE] = "step_or_slope",
                                        [GATE_TREND_TOO_FEW_POINTS] = "too_few_points",
                                        [GATE_TREND_UNCERTAIN] = "uncertain",
                                        [GATE_TREND_NOT_COMPARABLE] = "not_comparable",
                                        [GATE_TREND_NO_MATCH] = "no_match",
                                        [GATE_TREND_EXPIRED] = "expired",
                                        [GATE_TREND_REPLACED] = "replaced_code"};
    return names[reason];
}

static void json_numbers(struct gate_json *json, const char *key, const double *values, uint32_t count) {
    gate_json_put_open_flat(json, key, '[');
    for (uint32_t i = 0; values != NULL && i < count; i++)
        gate_json_number(json, values[i]);
    gate_json_close(json, ']');
}

static void json_slope(struct gate_json *json, const char *key, const struct gate_trend_slope *slope) {
    gate_json_put_open_flat(json, key, '{');
    gate_json_put_number(json, "slope", slope->slope);
    gate_json_put_number(json, "low", slope->low);
    gate_json_put_number(json, "high", slope->high);
    gate_json_close(json, '}');
}

static void json_fit(struct gate_json *json, const struct gate_trend_verdict *verdict,
                     const struct gate_trend_case *judged) {
    const struct gate_trend_fit *fit = &judged->fit;
    json_slope(json, "fit", &fit->whole);
    json_slope(json, "without_step", &fit->within);
    gate_json_put_number(json, "intercept", fit->intercept);
    gate_json_put_open_flat(json, "step", '{');
    gate_json_put_integer(json, "at", fit->step_at);
    gate_json_put_string(json, "title", verdict->points[fit->step_at].title);
    gate_json_put_number(json, "size", fit->step);
    gate_json_close(json, '}');
    gate_json_put_number(json, "serial_correlation", fit->serial);
    gate_json_put_bool(json, "is_exact", fit->is_exact);
    gate_json_put_number(json, "log10_p", fit->log_p / log(10.0));
    gate_json_put_number(json, "log10_p_adjusted", judged->log_p_adjusted / log(10.0));
}

static void json_finding(struct gate_json *json, const struct gate_trend_verdict *verdict,
                         const struct gate_trend_result *result, const struct gate_trend_finding *finding) {
    const struct gate_trend_case *judged = &finding->judged;
    struct gate_buf text = {0};
    gate_json_open(json, '{');
    gate_json_put_string(json, "name", finding->name);
    if (finding->frame != NULL)
        gate_json_put_string(json, "file", finding->frame->file);
    gate_json_put_text(json, "outcome", gate_outcome_name(judged->outcome));
    gate_json_put_text(json, "reason", reason_name(judged->reason));
    gate_trend_words_sentence(&text, verdict, result, finding);
    gate_json_put_string(json, "text", gate_buf_view(&text));
    text.len = 0;
    gate_trend_words_advice(&text, verdict, result, finding);
    gate_json_put_string(json, "advice", gate_buf_view(&text));
    gate_buf_free_part(json->out, &text);
    gate_json_put_integer(json, "points_needed", judged->points_needed);
    if (finding->since > 0)
        gate_json_put_integer(json, "since", finding->since);
    if (finding->limit != NULL) {
        gate_json_put_text(json, "limit_kind", gate_limit_kind_name(finding->limit->kind));
        gate_json_put_string(json, "limit", finding->limit->text);
        gate_json_put_number(json, "limit_slope", judged->limit);
        gate_json_put_number(json, "level", finding->level);
        json_numbers(json, "y", finding->series.y, finding->series.count);
        json_numbers(json, "y_low", finding->series.low, finding->series.count);
        json_numbers(json, "y_high", finding->series.high, finding->series.count);
    }
    if (finding->limit != NULL && judged->fit.count >= 2)
        json_fit(json, verdict, judged);
    gate_json_close(json, '}');
}

static void json_result(struct gate_json *json, const struct gate_trend_verdict *verdict,
                        const struct gate_trend_result *result) {
    gate_json_open(json, '{');
    gate_json_put_string(json, "name", result->budget->name);
    gate_json_put_text(json, "severity", gate_severity_name(result->budget->severity));
    gate_json_put_text(json, "of", gate_trend_terms_of_name(result->budget->of));
    gate_json_put_text(json, "per", gate_per_name(result->budget->per));
    gate_json_put_text(json, "outcome", gate_outcome_name(result->outcome));
    gate_json_put_text(json, "scale", scale_name(result->scale));
    if (result->comparison != NULL) {
        gate_json_put_string(json, "type", result->comparison->pair.type.type);
        gate_json_put_string(json, "unit", result->comparison->pair.type.unit);
    }
    if (result->budget->owner.len > 0)
        gate_json_put_string(json, "owner", result->budget->owner);
    if (result->budget->message.len > 0)
        gate_json_put_string(json, "message", result->budget->message);
    gate_json_put_number(json, "whole", result->whole);
    json_numbers(json, "x", result->x, verdict->point_count);
    gate_json_put_integer(json, "failed", result->failed);
    gate_json_put_integer(json, "inconclusive", result->open);
    gate_json_put_integer(json, "warned", result->warned);
    gate_json_put_integer(json, "held", result->held);
    gate_json_put_open(json, "series", '[');
    for (uint32_t i = 0; i < result->finding_count; i++)
        json_finding(json, verdict, result, &result->findings[i]);
    gate_json_close_all(json, "]}");
}

static void json_points(struct gate_json *json, const struct gate_trend_verdict *verdict) {
    gate_json_put_open(json, "points", '[');
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
    json_points(&json, verdict);
    gate_json_put_open(&json, "budgets", '[');
    for (uint32_t i = 0; i < verdict->result_count; i++)
        json_result(&json, verdict, &verdict->results[i]);
    gate_json_close(&json, ']');
    gate_trend_replaced_json(&json, verdict);
    gate_json_put_open(&json, "notes", '[');
    for (uint32_t i = 0; i < verdict->note_count; i++)
        gate_json_string(&json, verdict->notes[i]);
    gate_json_close_all(&json, "]}");
    gate_buf_char(out, '\n');
}
