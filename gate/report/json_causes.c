/* SPDX-License-Identifier: Apache-2.0 */
/* The causes of a verdict in its JSON (see json_causes.h). */
#include "gate/report/json_causes.h"

#include "gate/budget/cause_sentence.h"
#include "gate/budget/off_cpu.h"
#include "gate/report/json_parts.h"

#include <math.h>

/* Its budgets, once each with the worst of what the cause does to them; `findings` are in that order. */
static void json_cause_budgets(struct gate_json *json, const struct gate_cause *cause) {
    gate_json_key(json, "budgets");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < cause->finding_count; i++) {
        const struct gate_cause_finding *member = &cause->findings[i];
        bool is_known = false;
        for (uint32_t before = 0; before < i; before++)
            is_known = is_known || cause->findings[before].result == member->result;
        if (is_known)
            continue;
        gate_json_open_flat(json, '{');
        gate_json_key(json, "name");
        gate_json_string(json, member->result->budget->name);
        gate_json_key(json, "outcome");
        gate_json_text(json, gate_outcome_name(member->finding->outcome));
        gate_json_key(json, "limit");
        gate_json_string(json, member->finding->limit->text);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
    gate_json_key(json, "findings");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < cause->finding_count; i++) {
        const struct gate_cause_finding *member = &cause->findings[i];
        gate_json_open_flat(json, '{');
        gate_json_key(json, "budget");
        gate_json_string(json, member->result->budget->name);
        gate_json_key(json, "function");
        gate_json_string(json, member->finding->function);
        gate_json_key(json, "measure");
        gate_json_text(json, gate_budget_measure_name(member->result->budget->measure));
        gate_json_parts_points(json, "delta_pp", member->finding->evidence.delta);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void json_cause_words(struct gate_json *json, const struct gate_verdict *verdict,
                             const struct gate_cause *cause) {
    struct gate_buf text = {0};
    gate_cause_sentence_text(&text, verdict, cause);
    gate_json_key(json, "text");
    gate_json_string(json, gate_buf_view(&text));
    text.len = 0;
    gate_cause_sentence_advice(&text, cause);
    gate_json_key(json, "advice");
    gate_json_string(json, gate_buf_view(&text));
    json->out->failed = json->out->failed || text.failed;
    gate_buf_free(&text);
}

static void json_cause_place(struct gate_json *json, const struct gate_comparison *comparison,
                             const struct gate_cause *cause) {
    const struct gate_frame *frame = cause->frame == GATE_NO_INDEX ? NULL : &comparison->pair.frames[cause->frame];
    gate_json_key(json, "function");
    gate_json_string(json, cause->function);
    gate_json_key(json, "file");
    gate_json_string(json, frame == NULL ? GATE_STR("") : frame->file);
    gate_json_key(json, "line");
    gate_json_integer(json, frame == NULL ? 0 : frame->start_line);
    gate_json_key(json, "comparison");
    gate_json_string(json, comparison->name);
    gate_json_key(json, "is_own");
    gate_json_bool(json, cause->is_own);
}

static void json_cause_numbers(struct gate_json *json, const struct gate_comparison *comparison,
                               const struct gate_cause *cause) {
    const struct gate_evidence *evidence = &cause->evidence;
    bool is_charged = cause->measure == GATE_MEASURE_CHARGED; /* both ratios are of what is charged */
    gate_json_key(json, "measure");
    gate_json_text(json, gate_budget_measure_name(cause->measure));
    gate_json_key(json, "baseline_share");
    gate_json_number(json, evidence->share[GATE_BASELINE]);
    gate_json_key(json, "canary_share");
    gate_json_number(json, evidence->share[GATE_CANARY]);
    gate_json_parts_points(json, "delta_pp", evidence->delta);
    gate_json_parts_interval(json, gate_evidence_ci95(evidence).bounds);
    gate_json_key(json, "p");
    gate_json_number(json, exp(evidence->log_p));
    gate_json_key(json, "cost_ratio");
    gate_json_number(json, is_charged ? cause->cost_ratio : NAN);
    gate_json_key(json, "is_work_known");
    gate_json_bool(json, comparison->work_is_known);
    gate_json_key(json, "explains");
    gate_json_number(json, is_charged ? cause->explains : NAN);
}

/* Absent where it is no growth of time. */
static void json_cause_clock(struct gate_json *json, const struct gate_comparison *comparison,
                             const struct gate_cause *cause) {
    enum gate_off_cpu_where where = gate_off_cpu_where(cause, comparison);
    if (where == GATE_OFF_CPU_NOT_ASKED)
        return;
    gate_json_key(json, "off_cpu");
    gate_json_open_flat(json, '{');
    gate_json_key(json, "where");
    gate_json_text(json, gate_off_cpu_where_name(where));
    gate_json_key(json, "on_cpu");
    gate_json_number(json, cause->on_cpu);
    gate_json_key(json, "ci95");
    gate_json_open_flat(json, '[');
    gate_json_number(json, cause->on_cpu_bounds[0]);
    gate_json_number(json, cause->on_cpu_bounds[1]);
    gate_json_close(json, ']');
    gate_json_key(json, "next");
    gate_json_string(json, gate_off_cpu_next(cause, comparison));
    gate_json_close(json, '}');
}

/* Absent where no label names a trace or a span. */
static void json_cause_exemplars(struct gate_json *json, const struct gate_cause *cause) {
    if (cause->exemplars[GATE_BASELINE].count == 0 && cause->exemplars[GATE_CANARY].count == 0)
        return;
    gate_json_key(json, "exemplars");
    gate_json_open(json, '{');
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_exemplars *list = &cause->exemplars[side];
        gate_json_key(json, gate_side_word((enum gate_side_name)side));
        gate_json_open(json, '[');
        for (uint32_t i = 0; i < list->count; i++) {
            gate_json_open_flat(json, '{');
            gate_json_key(json, "trace_id");
            gate_json_string(json, list->items[i].trace);
            gate_json_key(json, "span_id");
            gate_json_string(json, list->items[i].span);
            gate_json_key(json, "time_ns");
            gate_json_integer(json, list->items[i].time_ns);
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
    gate_json_key(json, "outcome");
    gate_json_text(json, gate_outcome_name(cause->outcome));
    gate_json_key(json, "reason");
    gate_json_text(json, gate_reason_name(cause->reason));
    json_cause_numbers(json, comparison, cause);
    json_cause_clock(json, comparison, cause);
    json_cause_exemplars(json, cause);
    gate_json_key(json, "path");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < cause->path_count; i++)
        gate_json_string(json, comparison->pair.frames[cause->path[i]].name);
    gate_json_close(json, ']');
    json_cause_budgets(json, cause);
    json_cause_words(json, verdict, cause);
    gate_json_close(json, '}');
}

void gate_json_causes(struct gate_json *json, const struct gate_verdict *verdict) {
    gate_json_key(json, "causes");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < verdict->causes.count; i++)
        json_cause(json, verdict, &verdict->causes.items[i]);
    gate_json_close(json, ']');
}
