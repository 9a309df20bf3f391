/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libpprofgate (include/pprofgate.h). */
#include "gate/base/hash.h"
#include "gate/budget/default_rules.h"
#include "gate/budget/outcome.h"
#include "gate/formats/source.h"
#include "gate/model/limits.h"
#include "gate/report/github_output.h"
#include "gate/report/report.h"
#include "gate/rules/rules_parse.h"
#include "gate/session/judge.h"
#include "gate/session/load_sides.h"
#include "gate/symbols/symbolise.h"
#include "include/pprofgate.h"

#include <math.h>
#include <stdlib.h>

struct pprofgate_result {
    enum pprofgate_verdict verdict;
    struct gate_github_output counts;
    struct gate_error error;
    struct gate_buf json, text;
};

/* State of one call. */
struct comparing {
    const struct pprofgate_request *request;
    struct pprofgate_result *result;
    struct gate_arena arena;
    struct gate_profile_options options;
    struct gate_steps steps;
    struct gate_rules rules;
};

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

static bool comparing_check(const struct comparing *c, struct gate_error *err) {
    const struct pprofgate_request *request = c->request;
    if (request == NULL)
        return gate_error_set(err, GATE_ERR_USAGE, "the request is NULL");
    if (request->size < sizeof *request)
        return gate_error_set(err, GATE_ERR_USAGE, "the request's size is %zu, expected %zu at least; set it",
                              request->size, sizeof *request);
    if (request->baseline_count == 0 || request->canary_count == 0 || request->baseline_count > UINT32_MAX - 1 ||
        request->canary_count > UINT32_MAX - 1)
        return gate_error_set(err, GATE_ERR_USAGE, "a side has no run, or too many");
    if (request->baseline == NULL || request->canary == NULL)
        return gate_error_set(err, GATE_ERR_USAGE, "the runs of a side are NULL");
    bool has_work[GATE_SIDES] = {request->baseline_work > 0, request->canary_work > 0};
    if (!isfinite(request->baseline_work) || !isfinite(request->canary_work) || request->baseline_work < 0 ||
        request->canary_work < 0 || has_work[GATE_BASELINE] != has_work[GATE_CANARY])
        return gate_error_set(err, GATE_ERR_USAGE, "the work of both sides is a number above zero, or 0 for both");
    return true;
}

static bool run_load(struct gate_run_input *out, const struct pprofgate_run *run, struct comparing *c,
                     struct gate_error *err) {
    struct gate_str bytes = {run->bytes, run->length};
    struct gate_profile *profile = GATE_NEW_ARRAY(&c->arena, struct gate_profile, 1);
    if (profile == NULL)
        return gate_arena_error(&c->arena, err);
    if (run->bytes == NULL && !gate_source_read(&bytes, gate_str_from(run->name), &c->options.limits, &c->arena, err))
        return false;
    struct gate_symbol_source nowhere;
    struct gate_profile named;
    gate_symbol_source_init(&nowhere, &c->arena);
    if (!gate_profile_load(profile, bytes, &c->options.limits, &c->arena, err) ||
        !gate_symbolise(&named, profile, &nowhere, &c->arena, err))
        return false;
    *profile = named;
    gate_steps_add(&c->steps, profile, bytes.len);
    *out = (struct gate_run_input){.path = gate_str_from(run->name),
                                   .profile = profile,
                                   .digest = gate_load_sides_digest(bytes, &c->arena),
                                   .sha256 = gate_sha256_hex(bytes, &c->arena),
                                   .content = {gate_hash_bytes(profile->bytes.ptr, profile->bytes.len, 1),
                                               gate_hash_bytes(profile->bytes.ptr, profile->bytes.len, 2)}};
    return (out->digest.ptr != NULL && out->sha256.ptr != NULL) || gate_arena_error(&c->arena, err);
}

static bool side_load(struct gate_side_runs *out, const struct pprofgate_run *runs, size_t count, struct comparing *c,
                      struct gate_error *err) {
    struct gate_run_input *items = GATE_NEW_ARRAY(&c->arena, struct gate_run_input, count + 1);
    if (items == NULL)
        return gate_arena_error(&c->arena, err);
    for (size_t i = 0; i < count; i++) {
        struct gate_error why = {0};
        if (runs[i].name == NULL)
            return gate_error_set(err, GATE_ERR_USAGE, "a run has no name; give each one");
        if (runs[i].bytes == NULL && strcmp(runs[i].name, "-") == 0)
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "a run is named '-' and has no bytes; the library does not read standard input");
        if (!run_load(&items[i], &runs[i], c, &why))
            return gate_error_set(err, why.code, "%s: %s", runs[i].name, why.message);
    }
    *out = (struct gate_side_runs){items, (uint32_t)count};
    return true;
}

static bool inputs_load(struct gate_judge_inputs *out, struct comparing *c, struct gate_error *err) {
    const struct pprofgate_request *request = c->request;
    struct gate_side_runs sides[GATE_SIDES] = {{NULL, 0}, {NULL, 0}};
    struct gate_plan_input *input = GATE_NEW_ARRAY(&c->arena, struct gate_plan_input, 1);
    if (input == NULL)
        return gate_arena_error(&c->arena, err);
    *out = (struct gate_judge_inputs){input, 1};
    if (!side_load(&sides[GATE_BASELINE], request->baseline, request->baseline_count, c, err) ||
        !side_load(&sides[GATE_CANARY], request->canary, request->canary_count, c, err) ||
        !gate_steps_check(&c->steps, &c->options.limits, err) || !gate_load_sides_check(&input->same, sides, err))
        return false;
    input->label = GATE_STR("");
    for (int side = 0; side < GATE_SIDES; side++) {
        input->runs[side] = sides[side].items;
        input->counts[side] = sides[side].count;
        if (!gate_load_sides_distinct(&sides[side], err))
            return false;
    }
    return true;
}

static bool rules_load(struct comparing *c, const struct gate_judge_inputs *inputs, struct gate_error *err) {
    static const struct gate_rules_reader presets_alone = {NULL, NULL};
    struct gate_error why = {0};
    const char *name = c->request->rules_name == NULL ? "rules" : c->request->rules_name;
    if (c->request->rules == NULL) {
        if (!gate_rules_parse_preset(&c->rules, "recommended", &c->arena, err))
            return false;
        c->rules.is_default = true;
        return gate_default_rules_choose(&c->rules, inputs->items, inputs->count, &c->arena, err);
    }
    if (gate_rules_parse(&c->rules, gate_str_from(c->request->rules), gate_str_from(name), &presets_alone, &c->arena,
                         &why))
        return true;
    return why.line == 0 ? gate_error_set(err, why.code, "%s: %s", name, why.message)
                         : gate_error_set(err, why.code, "%s:%u:%u: %s", name, (unsigned)why.line, (unsigned)why.column,
                                          why.message);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static bool result_fill(struct pprofgate_result *result, const struct gate_verdict *verdict, struct gate_arena *arena,
                        struct gate_error *err) {
    struct gate_trees trees = {0};
    const struct gate_report_options options = {.frame_limit = 100, .min_share = 0.001, .columns = 80, .trees = &trees};
    if (!gate_report_json(&result->json, verdict, &options, arena, err) || !gate_buf_check(&result->json, err) ||
        !gate_report_terminal(&result->text, verdict, &options, arena, err))
        return false;
    gate_buf_char(&result->json, '\0');
    gate_buf_char(&result->text, '\0');
    if (!gate_buf_check(&result->json, err) || !gate_buf_check(&result->text, err))
        return false;
    gate_github_output_count(&result->counts, verdict);
    result->verdict = (enum pprofgate_verdict)gate_exit_code_of(verdict->outcome);
    return true;
}

static bool compare(struct comparing *c, struct gate_error *err) {
    struct gate_judge_inputs inputs = {NULL, 0};
    struct gate_judge_comparisons made;
    struct gate_verdict verdict = {0};
    const struct gate_judge_options nothing = {.command = GATE_STR("")};
    const struct gate_judge_facts facts = {.options = &nothing};
    struct gate_verdict_options options = {.command = GATE_STR("")};
    if (!comparing_check(c, err) || !inputs_load(&inputs, c, err) || !rules_load(c, &inputs, err) ||
        !gate_judge_compare(&made, &inputs, &c->options, &c->rules, &c->arena, err))
        return false;
    options.work[GATE_BASELINE] = c->request->baseline_work;
    options.work[GATE_CANARY] = c->request->canary_work;
    return gate_judge_decide(&verdict, &made, &facts, &options, &c->arena, err) &&
           result_fill(c->result, &verdict, &c->arena, err);
}

/* ---- exported functions ------------------------------------------------------------------------------------------ */

const char *pprofgate_version(void) {
    return GATE_VERSION;
}

/* A message may quote a name with line breaks, and pprofgate.h promises one line. */
static void one_line_make(char *message) {
    for (char *at = message; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == '\x7F')
            *at = '?';
}

struct pprofgate_result *pprofgate_compare(const struct pprofgate_request *request) {
    struct pprofgate_result *result = calloc(1, sizeof *result);
    if (result == NULL)
        return NULL;
    struct comparing c = {.request = request, .result = result};
    gate_profile_options_begin(&c.options);
    if (request != NULL && request->size >= sizeof *request && request->max_memory > 0)
        c.options.limits.memory_bytes = request->max_memory;
    gate_arena_init(&c.arena, c.options.limits.memory_bytes);
    if (!compare(&c, &result->error)) {
        result->verdict = PPROFGATE_ERROR;
        one_line_make(result->error.message);
    }
    gate_rules_free(&c.rules);
    gate_arena_free(&c.arena);
    return result;
}

enum pprofgate_verdict pprofgate_result_verdict(const struct pprofgate_result *result) {
    return result == NULL ? PPROFGATE_ERROR : result->verdict;
}

const char *pprofgate_result_error(const struct pprofgate_result *result) {
    if (result == NULL)
        return "no memory for a result";
    return result->verdict == PPROFGATE_ERROR ? result->error.message : "";
}

unsigned pprofgate_result_count(const struct pprofgate_result *result, enum pprofgate_count what) {
    if (result == NULL)
        return 0;
    switch (what) {
    case PPROFGATE_BUDGETS_FAILED:
        return (unsigned)result->counts.failed;
    case PPROFGATE_BUDGETS_INCONCLUSIVE:
        return (unsigned)result->counts.inconclusive;
    case PPROFGATE_BUDGETS_WARNED:
        return (unsigned)result->counts.warned;
    case PPROFGATE_CAUSES:
        return (unsigned)result->counts.causes;
    }
    return 0;
}

/* Returns the text, and its length without the terminating NUL. */
static const char *result_text(const struct pprofgate_result *result, const struct gate_buf *buf, size_t *length) {
    bool is_there = result != NULL && result->verdict != PPROFGATE_ERROR && buf->len > 0;
    if (length != NULL)
        *length = is_there ? buf->len - 1 : 0;
    return is_there ? buf->ptr : "";
}

const char *pprofgate_result_json(const struct pprofgate_result *result, size_t *length) {
    return result_text(result, result == NULL ? NULL : &result->json, length);
}

const char *pprofgate_result_text(const struct pprofgate_result *result, size_t *length) {
    return result_text(result, result == NULL ? NULL : &result->text, length);
}

void pprofgate_result_free(struct pprofgate_result *result) {
    if (result == NULL)
        return;
    gate_buf_free(&result->json);
    gate_buf_free(&result->text);
    free(result);
}
