/* SPDX-License-Identifier: Apache-2.0 */
/* A proof as JSON (see proof_json.h). */
#include "gate/report/proof_json.h"

#include "gate/base/json_writer.h"
#include "gate/compare/stats.h"
#include "gate/report/generator.h"

#include <math.h>

static const double Z95 = 1.959963984540054;

static void put_count(struct gate_json *json, const char *key, uint32_t value) {
    gate_json_key(json, key);
    gate_json_integer(json, value);
}

static void put_number(struct gate_json *json, const char *key, double value) {
    gate_json_key(json, key);
    gate_json_number(json, value);
}

static void put_cell(struct gate_json *json, const struct gate_prove_cell *cell, double times) {
    double low = 0.0, high = 1.0;
    gate_wilson_interval(cell->failed, (double)cell->failed + cell->open + cell->passed, Z95, &low, &high);
    gate_json_open_flat(json, '{');
    put_number(json, "growth_pp", cell->growth * 100.0);
    put_number(json, "times", times);
    put_count(json, "fail", cell->failed);
    put_count(json, "inconclusive", cell->open);
    put_count(json, "pass", cell->passed);
    put_count(json, "named_first", cell->named);
    put_number(json, "fail_low", low);
    put_number(json, "fail_high", high);
    gate_json_close(json, '}');
}

static void put_size(struct gate_json *json, const char *key, const struct gate_prove_cell *cell) {
    put_number(json, key, cell == NULL ? NAN : cell->growth * 100.0);
}

static void put_budgets(struct gate_json *json, const char *key, const uint32_t counts[GATE_PROVE_BUDGETS_MAX],
                        const struct gate_rules *rules) {
    gate_json_key(json, key);
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < GATE_PROVE_BUDGETS_MAX && i < rules->budget_count; i++) {
        if (counts[i] == 0)
            continue;
        gate_json_open_flat(json, '{');
        gate_json_key(json, "budget");
        gate_json_string(json, rules->budgets[i].name);
        put_count(json, "draws", counts[i]);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void put_frame(struct gate_json *json, const struct gate_prove_frame *frame, const struct gate_rules *rules) {
    gate_json_open(json, '{');
    gate_json_key(json, "function");
    gate_json_string(json, frame->name);
    put_number(json, "share", frame->share);
    gate_json_key(json, "is_new");
    gate_json_bool(json, frame->plant.is_new);
    gate_json_key(json, "is_looked_at");
    gate_json_bool(json, frame->is_looked_at);
    put_size(json, "found_80_pp", gate_prove_found(frame, GATE_PROVE_FOUND));
    put_size(json, "found_50_pp", gate_prove_found(frame, GATE_PROVE_HALF));
    put_size(json, "unseen_pp", gate_prove_unseen(frame));
    put_budgets(json, "caught_by", frame->caught, rules);
    put_budgets(json, "warned_by", frame->warned, rules);
    gate_json_key(json, "sizes");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < frame->cell_count; i++)
        put_cell(json, &frame->cells[i], gate_plant_times(frame->share, frame->cells[i].growth, frame->plant.is_new));
    gate_json_close(json, ']');
    gate_json_close(json, '}');
}

void gate_proof_json(struct gate_buf *out, const struct gate_prove *proof) {
    static const char *const sources[] = {[GATE_VARIATION_ASSUMED] = "assumed",
                                          [GATE_VARIATION_MODEL] = "model",
                                          [GATE_VARIATION_REPLICATES] = "runs",
                                          [GATE_VARIATION_BOTH] = "model"};
    struct gate_json json = {.out = out, .indent = 2};
    gate_json_open(&json, '{');
    put_count(&json, "schema_version", 1);
    gate_generator_json(&json);
    gate_json_key(&json, "rules");
    gate_json_string(&json, proof->rules->source);
    gate_json_key(&json, "sample_type");
    gate_json_string(&json, proof->sample_type);
    put_count(&json, "runs", proof->runs);
    put_count(&json, "draws", proof->draws);
    put_count(&json, "baseline_runs", proof->baseline_runs);
    gate_json_key(&json, "seed");
    gate_json_integer(&json, (int64_t)proof->seed);
    gate_json_key(&json, "variation");
    gate_json_text(&json, sources[proof->variation]);
    put_number(&json, "largest_sd", proof->sd);
    gate_json_key(&json, "outcome");
    gate_json_text(&json, proof->at_least > 0.0 ? gate_outcome_name(gate_prove_outcome(proof)) : "none");
    put_number(&json, "at_least_pp", proof->at_least > 0.0 ? proof->at_least * 100.0 : NAN);
    gate_json_key(&json, "no_growth");
    put_cell(&json, &proof->none, 1.0);
    gate_json_key(&json, "functions");
    gate_json_open(&json, '[');
    for (uint32_t i = 0; i < proof->frame_count; i++)
        put_frame(&json, &proof->frames[i], proof->rules);
    gate_json_close(&json, ']');
    gate_json_close(&json, '}');
    gate_buf_char(out, '\n');
}
