/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libpprofgate (include/pprofgate.h). */
#include "gate/budget/outcome.h"
#include "gate/formats/format.h"
#include "gate/formats/inflate.h"
#include "gate/formats/merge.h"
#include "gate/formats/summary.h"
#include "gate/model/limits.h"
#include "gate/report/github.h"
#include "gate/report/inspect.h"
#include "gate/report/report.h"
#include "gate/rules/rules_parse.h"
#include "gate/session/input.h"
#include "gate/session/judge.h"
#include "gate/session/load_sides.h"
#include "gate/session/rules_in_force.h"
#include "gate/symbols/symbolise.h"
#include "include/pprofgate.h"

#include <math.h>
#include <stdlib.h>

struct pprofgate_result {
    enum pprofgate_verdict verdict;
    struct gate_github_output counts;
    struct gate_error error;
    struct gate_buf json, text, bytes;
};

/* State of one call. */
struct call {
    struct pprofgate_result *result;
    struct gate_arena_pool pool;
    struct gate_arena arena;
    struct gate_profile_options options;
    struct gate_session session; /* without streams */
    struct gate_rules rules;
};

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* Returns false if no result can be allocated. */
static bool call_begin(struct call *c) {
    *c = (struct call){.result = calloc(1, sizeof *c->result)};
    gate_profile_options_begin(&c->options);
    gate_arena_init(&c->arena, 0);
    c->arena.pool = &c->pool;
    c->session.arena = &c->arena;
    return c->result != NULL;
}

/* A message may quote a name with line breaks, and pprofgate.h promises one line. */
static void one_line_make(char *message) {
    for (char *at = message; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == '\x7F')
            *at = '?';
}

static struct pprofgate_result *call_end(struct call *c, bool ok) {
    if (!ok) {
        c->result->verdict = PPROFGATE_ERROR;
        one_line_make(c->result->error.message);
    }
    gate_rules_free(&c->rules);
    gate_arena_free(&c->arena);
    return c->result;
}

/* A caller's request. It begins with its size: a caller with an older header passes a smaller struct, a newer one a
 * larger struct. */
struct request_view {
    const void *request;
    size_t least; /* size of the struct in version 1 */
};

/* Copies a request to `out`, which is zeroed. A request of an older header has fewer fields; the others stay 0. */
static bool request_copy(void *out, size_t size, struct request_view from, struct gate_error *err) {
    size_t given = 0;
    if (from.request == NULL)
        return gate_error_set(err, GATE_ERR_USAGE, "the request is NULL");
    memcpy(&given, from.request, sizeof given);
    if (given < from.least)
        return gate_error_set(err, GATE_ERR_USAGE, "the request's size is %zu, expected %zu at least; set it", given,
                              from.least);
    for (size_t at = size; at < given; at++)
        if (((const char *)from.request)[at] != '\0')
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "the request sets a field that this library does not have; it is version %s, use a "
                                  "newer one",
                                  GATE_VERSION);
    memcpy(out, from.request, given < size ? given : size);
    return true;
}

/* ---- profiles ---------------------------------------------------------------------------------------------------- */

static bool run_check(const struct pprofgate_run *run, struct gate_error *err) {
    if (run->name == NULL)
        return gate_error_set(err, GATE_ERR_USAGE, "a run has no name; give each one");
    if (run->bytes == NULL && strcmp(run->name, "-") == 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "a run is named '-' and has no bytes; the library does not read standard input");
    return true;
}

/* The inputs of a request, with the runs of its summaries. */
struct inputs {
    struct gate_session_kept *items; /* those without bytes and without a run are files */
    size_t capacity;
    uint32_t count;
    bool has_summary;
};

static bool inputs_add(struct inputs *inputs, const struct gate_session_kept *items, uint32_t count, struct call *c,
                       struct gate_error *err) {
    for (uint32_t i = 0; i < count; i++) {
        if (!GATE_GROW(&c->arena, inputs->items, inputs->count, inputs->capacity) || inputs->count == UINT32_MAX - 1)
            return gate_arena_error(&c->arena, err);
        inputs->items[inputs->count++] = items[i];
    }
    return true;
}

/* Adds the runs of a summary. */
static bool inputs_add_summary(struct inputs *inputs, const struct pprofgate_run *run, struct call *c,
                               struct gate_error *err) {
    struct gate_str bytes = {run->bytes, run->length};
    struct gate_session_summary summary;
    if ((run->bytes == NULL &&
         !gate_source_read(&bytes, gate_str_from(run->name), &c->options.limits, &c->arena, err)) ||
        !gate_input_keep_summary(&summary, run->name, bytes, &c->session, &c->options.limits, err))
        return gate_error_prefix(err, "%s", run->name);
    inputs->has_summary = true;
    return inputs_add(inputs, &c->session.kept[summary.first], summary.count, c, err);
}

/* Finds the inputs of `runs`. */
static bool inputs_find(struct inputs *inputs, const struct pprofgate_run *runs, size_t count, struct call *c,
                        struct gate_error *err) {
    *inputs = (struct inputs){0};
    gate_arena_cap(&c->arena, c->options.limits.memory_bytes);
    for (size_t i = 0; i < count; i++) {
        const struct gate_session_kept plain = {.path = runs[i].name, .bytes = {runs[i].bytes, runs[i].length}};
        if (!run_check(&runs[i], err))
            return false;
        bool is_summary = gate_input_is_summary(runs[i].name);
        if (!(is_summary ? inputs_add_summary(inputs, &runs[i], c, err) : inputs_add(inputs, &plain, 1, c, err)))
            return false;
    }
    return true;
}

/* What a call does with one input. */
typedef bool input_work(void *context, const struct gate_session_kept *input, const struct gate_profile *profile,
                        struct gate_arena *arena, struct gate_error *err);

/* Reads and decodes an input, and adds names. */
static bool input_decode(struct gate_profile *named, const struct gate_session_kept *input, struct call *c,
                         struct gate_arena *arena, struct gate_error *err) {
    struct gate_symbol_source nowhere;
    struct gate_str bytes;
    struct gate_profile *stored = GATE_NEW_ARRAY(arena, struct gate_profile, 1);
    bool is_file = input->bytes.ptr == NULL && input->run == NULL;
    if (stored == NULL)
        return gate_arena_error(arena, err);
    gate_symbol_source_init(&nowhere, arena);
    if (!(is_file ? gate_source_read(&bytes, gate_str_from(input->path), &c->options.limits, arena, err)
                  : gate_input_kept_bytes(&bytes, input, arena, err)) ||
        !gate_profile_load(stored, bytes, &c->options.limits, arena, err))
        return false;
    c->session.steps.needed += gate_input_kept_steps(input, bytes);
    gate_steps_add(&c->session.steps, stored, gate_input_kept_size(input, bytes));
    return gate_steps_check(&c->session.steps, &c->options.limits, err) &&
           gate_symbolise(named, stored, &nowhere, arena, err);
}

/* Loads one input after the other and calls `work` with each. Only what `work` keeps stays in memory. */
static bool inputs_each(const struct inputs *inputs, input_work *work, void *context, struct call *c,
                        struct gate_error *err) {
    bool ok = true;
    gate_load_sides_limit_inputs(&c->session, &(struct gate_side_inputs){inputs->items, inputs->count},
                                 &c->options.limits);
    for (uint32_t i = 0; ok && i < inputs->count; i++) {
        struct gate_arena arena;
        struct gate_profile named;
        gate_arena_fork(&arena, &c->arena);
        ok = (input_decode(&named, &inputs->items[i], c, &arena, err) &&
              work(context, &inputs->items[i], &named, &arena, err)) ||
             gate_error_prefix(err, "%s", inputs->items[i].path);
        gate_arena_free(&arena);
    }
    return ok;
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

/* The rules of a request. All NULL: the library chooses. */
struct rules_view {
    const char *text, *name, *path;
};

static bool rules_load_path(struct call *c, const char *path, struct gate_error *err) {
    struct gate_session *session = &c->session;
    if (strcmp(path, "-") == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "the rules are named '-'; the library does not read standard input");
    if (gate_rulefile_load(&c->rules, session, path, err))
        return true;
    struct gate_str blamed = gate_str_format(session->arena, "%.*s", GATE_STR_ARG(session->blamed_path));
    return blamed.len != 0 && gate_error_prefix_file(err, blamed.ptr);
}

static bool rules_load_text(struct call *c, const char *text, const char *name, struct gate_error *err) {
    static const struct gate_rules_reader presets_alone = {NULL, NULL};
    return gate_rules_parse(&c->rules, gate_str_from(text), gate_str_from(name), &presets_alone, &c->arena, err) ||
           gate_error_prefix_file(err, name);
}

static bool rules_load(struct call *c, struct rules_view from, struct gate_error *err) {
    bool ok = true;
    if (from.text != NULL && from.path != NULL)
        return gate_error_set(err, GATE_ERR_USAGE, "both 'rules' and 'rules_path' are set; set one of them");
    if (from.text != NULL) {
        ok = rules_load_text(c, from.text, from.name == NULL ? "rules" : from.name, err);
    } else if (from.path != NULL) {
        ok = rules_load_path(c, from.path, err);
    } else {
        ok = gate_rules_parse_preset(&c->rules, "recommended", &c->arena, err);
        c->rules.is_default = true;
    }
    if (ok)
        c->session.steps.patterns = gate_rules_patterns(&c->rules);
    return ok;
}

/* ---- compare ----------------------------------------------------------------------------------------------------- */

static bool compare_check(const struct pprofgate_request *request, struct gate_error *err) {
    if (request->baseline_count == 0 || request->canary_count == 0 || request->baseline_count > UINT32_MAX - 1 ||
        request->canary_count > UINT32_MAX - 1)
        return gate_error_set(err, GATE_ERR_USAGE, "a side has no run, or too many");
    if (request->baseline == NULL || request->canary == NULL)
        return gate_error_set(err, GATE_ERR_USAGE, "the runs of a side are NULL");
    return true;
}

/* Adds the work of one side: one number, or one per run. */
static bool work_add(struct gate_work *work, enum gate_side_name side, const struct pprofgate_request *request,
                     struct call *c, struct gate_error *err) {
    const double *given = side == GATE_BASELINE ? request->baseline_run_work : request->canary_run_work;
    double total = side == GATE_BASELINE ? request->baseline_work : request->canary_work;
    size_t count = side == GATE_BASELINE ? request->baseline_count : request->canary_count;
    const double *from = given == NULL ? &total : given;
    count = given == NULL ? 1 : count;
    double *numbers = GATE_NEW_ARRAY(&c->arena, double, count);
    if (numbers == NULL)
        return gate_arena_error(&c->arena, err);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = from[i];
        if (!isfinite(numbers[i]) || numbers[i] <= 0)
            return gate_error_set(err, GATE_ERR_USAGE, "the work of the %s is %g, expected a number above zero",
                                  gate_side_word(side), numbers[i]);
    }
    const struct gate_work_count added = {.side = side, .runs = numbers, .count = (uint32_t)count};
    return gate_work_add(work, &added, &c->arena, err);
}

static bool work_load(struct gate_work *work, const struct pprofgate_request *request, struct call *c,
                      struct gate_error *err) {
    const bool has[GATE_SIDES] = {request->baseline_run_work != NULL || request->baseline_work != 0,
                                  request->canary_run_work != NULL || request->canary_work != 0};
    if (has[GATE_BASELINE] != has[GATE_CANARY])
        return gate_error_set(err, GATE_ERR_USAGE, "the work of the %s is missing; give that of both sides, or neither",
                              gate_side_word(has[GATE_BASELINE] ? GATE_CANARY : GATE_BASELINE));
    return !has[GATE_BASELINE] ||
           (work_add(work, GATE_BASELINE, request, c, err) && work_add(work, GATE_CANARY, request, c, err));
}

static bool equal_load(enum gate_equal *equal, const char *word, struct gate_error *err) {
    if (word == NULL)
        return true;
    for (int i = GATE_EQUAL_WORK; gate_equal_words[i] != NULL; i++)
        if (strcmp(gate_equal_words[i], word) == 0) {
            *equal = (enum gate_equal)i;
            return true;
        }
    return gate_error_set(err, GATE_ERR_USAGE, "'equal' is '%s', expected work, time, run or share", word);
}

/* Finds the inputs of both sides. The work of each run cannot be given for runs that the request does not list. */
static bool sides_find(struct gate_side_inputs out[GATE_SIDES], const struct pprofgate_request *request, struct call *c,
                       struct gate_error *err) {
    const struct pprofgate_run *runs[GATE_SIDES] = {request->baseline, request->canary};
    const size_t counts[GATE_SIDES] = {request->baseline_count, request->canary_count};
    const double *work[GATE_SIDES] = {request->baseline_run_work, request->canary_run_work};
    for (int side = 0; side < GATE_SIDES; side++) {
        struct inputs inputs;
        if (!inputs_find(&inputs, runs[side], counts[side], c, err))
            return false;
        if (inputs.has_summary && work[side] != NULL)
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "the %s has a summary and the work of each run; give the work of the whole side",
                                  gate_side_word((enum gate_side_name)side));
        out[side] = (struct gate_side_inputs){inputs.items, inputs.count};
    }
    return true;
}

static bool inputs_load(struct gate_plan_input *input, const struct pprofgate_request *request, struct call *c,
                        struct gate_error *err) {
    struct gate_side_runs sides[GATE_SIDES] = {{NULL, 0}, {NULL, 0}};
    struct gate_side_inputs inputs[GATE_SIDES];
    if (!sides_find(inputs, request, c, err) ||
        !gate_load_sides_inputs(sides, &input->same, &c->session, inputs, &c->options.limits, err))
        return false;
    input->label = GATE_STR("");
    for (int side = 0; side < GATE_SIDES; side++) {
        input->runs[side] = sides[side].items;
        input->counts[side] = sides[side].count;
    }
    return true;
}

static bool result_fill(struct pprofgate_result *result, const struct gate_verdict *verdict, struct gate_arena *arena,
                        struct gate_error *err) {
    struct gate_trees trees = {0};
    const struct gate_report_options options = {.frame_limit = 100, .min_share = 0.001, .columns = 80, .trees = &trees};
    if (!gate_report_json.write(&result->json, verdict, &options, arena, err) || !gate_buf_check(&result->json, err) ||
        !gate_report_terminal.write(&result->text, verdict, &options, arena, err))
        return false;
    gate_buf_char(&result->json, '\0');
    gate_buf_char(&result->text, '\0');
    if (!gate_buf_check(&result->json, err) || !gate_buf_check(&result->text, err))
        return false;
    gate_github_output_count(&result->counts, verdict);
    result->verdict = (enum pprofgate_verdict)gate_exit_code_of(verdict->outcome);
    return true;
}

static bool compare(const void *given, struct call *c, struct gate_error *err) {
    const struct pprofgate_request *request = given;
    struct gate_plan_input *input = GATE_NEW_ARRAY(&c->arena, struct gate_plan_input, 1);
    struct gate_judge_options judging = {.command = GATE_STR("")};
    const struct rules_view rules = {request->rules, request->rules_name, request->rules_path};
    struct gate_verdict verdict = {0};
    if (input == NULL)
        return gate_arena_error(&c->arena, err);
    const struct gate_judge_inputs inputs = {input, 1};
    return compare_check(request, err) && equal_load(&judging.equal, request->equal, err) &&
           work_load(&judging.work, request, c, err) && rules_load(c, rules, err) &&
           inputs_load(input, request, c, err) &&
           gate_judge_reach_loaded(&verdict, &inputs, &c->session, &c->options, &c->rules, &judging, err) &&
           result_fill(c->result, &verdict, &c->arena, err);
}

/* ---- merge ------------------------------------------------------------------------------------------------------- */

static bool container_find(enum gate_container *out, const char *word, struct gate_error *err) {
    static const enum gate_container all[] = {GATE_CONTAINER_RAW, GATE_CONTAINER_GZIP, GATE_CONTAINER_ZSTD};
    for (size_t i = 0; word != NULL && i < sizeof all / sizeof *all; i++)
        if (strcmp(gate_container_name(all[i]), word) == 0) {
            *out = all[i];
            return true;
        }
    return word == NULL || gate_error_set(err, GATE_ERR_USAGE, "'container' is '%s', expected gzip, zstd or raw", word);
}

static bool merge_add(void *sum, const struct gate_session_kept *input, const struct gate_profile *profile,
                      struct gate_arena *arena, struct gate_error *err) {
    (void)input;
    return gate_merge_add(sum, profile, arena, err);
}

static bool merge(const void *given, struct call *c, struct gate_error *err) {
    const struct pprofgate_merge_request *request = given;
    const char *format = request->format == NULL ? "pprof" : request->format;
    bool is_otlp = strcmp(format, "otlp") == 0;
    enum gate_container container = is_otlp ? GATE_CONTAINER_RAW : GATE_CONTAINER_GZIP;
    struct inputs inputs;
    struct gate_arena arena;
    struct gate_merge sum;
    if (!is_otlp && strcmp(format, "pprof") != 0)
        return gate_error_set(err, GATE_ERR_USAGE, "'format' is '%s', expected pprof or otlp", format);
    if (request->count == 0 || request->runs == NULL)
        return gate_error_set(err, GATE_ERR_USAGE, "expected a profile to merge, found none");
    if (!container_find(&container, request->container, err) ||
        !inputs_find(&inputs, request->runs, request->count, c, err))
        return false;
    gate_arena_fork(&arena, &c->arena);
    gate_merge_begin(&sum, &arena);
    bool ok = inputs_each(&inputs, merge_add, &sum, c, err);
    struct gate_sink sink = gate_sink_of_buf(&c->result->bytes);
    ok = ok &&
         (is_otlp ? gate_merge_pack_otlp(sink, &sum, container, err) : gate_merge_pack(sink, &sum, container, err)) &&
         gate_buf_check(&c->result->bytes, err);
    gate_merge_end(&sum);
    gate_arena_free(&arena);
    return ok;
}

/* ---- summarize --------------------------------------------------------------------------------------------------- */

static bool summarize_add(void *parts, const struct gate_session_kept *input, const struct gate_profile *profile,
                          struct gate_arena *arena, struct gate_error *err) {
    (void)arena;
    return gate_summary_parts_add(parts, gate_str_basename(gate_str_from(input->path)), profile, err);
}

static bool summarize(const void *given, struct call *c, struct gate_error *err) {
    const struct pprofgate_summarize_request *request = given;
    struct inputs inputs;
    struct gate_summary_parts parts;
    if (request->count == 0 || request->runs == NULL)
        return gate_error_set(err, GATE_ERR_USAGE, "expected a profile to summarize, found none");
    if (!inputs_find(&inputs, request->runs, request->count, c, err))
        return false;
    gate_summary_parts_begin(&parts, &c->arena);
    bool ok = inputs_each(&inputs, summarize_add, &parts, c, err) &&
              gate_summary_parts_pack(gate_sink_of_buf(&c->result->bytes), &parts, err) &&
              gate_buf_check(&c->result->bytes, err);
    gate_summary_parts_end(&parts);
    return ok;
}

/* ---- inspect ----------------------------------------------------------------------------------------------------- */

/* State of a description. */
struct describing {
    struct call *call;
    struct gate_pair_options pairing;
    uint32_t count;
};

static bool inspect_add(void *context, const struct gate_session_kept *input, const struct gate_profile *profile,
                        struct gate_arena *arena, struct gate_error *err) {
    struct describing *describing = context;
    struct gate_buf *json = &describing->call->result->json;
    struct gate_run_input run = {.path = gate_str_from(input->path), .profile = profile};
    struct gate_inspection facts;
    struct gate_inspect_own own;
    if (!gate_profile_inspect(&facts, profile, &describing->pairing.counts, arena, err) ||
        !gate_inspect_own_make(&own, &run, &describing->pairing, arena, err))
        return false;
    gate_buf_text(json, describing->count++ == 0 ? "" : ",\n");
    gate_inspect_json(json, &run, &facts, &own);
    return gate_buf_check(json, err);
}

static bool inspect(const void *given, struct call *c, struct gate_error *err) {
    const struct pprofgate_inspect_request *request = given;
    const struct rules_view rules = {request->rules, request->rules_name, request->rules_path};
    struct gate_buf *json = &c->result->json;
    struct inputs inputs;
    if (request->run == NULL)
        return gate_error_set(err, GATE_ERR_USAGE, "the run is NULL");
    if (!inputs_find(&inputs, request->run, 1, c, err) || !rules_load(c, rules, err))
        return false;
    struct describing describing = {
        .call = c, .pairing = gate_profile_options_pairing(&c->options, c->rules.frames, c->rules.counts)};
    gate_buf_text(json, inputs.has_summary ? "[" : "");
    if (!inputs_each(&inputs, inspect_add, &describing, c, err))
        return false;
    gate_buf_text(json, inputs.has_summary ? "]" : "");
    gate_buf_char(json, '\0');
    return gate_buf_check(json, err);
}

/* ---- exported functions ------------------------------------------------------------------------------------------ */

/* A kind of call: its request, and what it does. */
struct call_kind {
    size_t size;      /* of the request */
    size_t least;     /* its size in the first version */
    size_t memory_at; /* offset of its `max_memory` */
    bool (*run)(const void *request, struct call *c, struct gate_error *err);
};

#define CALL_KIND(type, function)                                                                                      \
    { sizeof(type), offsetof(type, max_memory) + sizeof(size_t), offsetof(type, max_memory), function }

static struct pprofgate_result *call(const void *given, const struct call_kind *kind) {
    union {
        struct pprofgate_request compare;
        struct pprofgate_merge_request merge;
        struct pprofgate_summarize_request summarize;
        struct pprofgate_inspect_request inspect;
    } request;
    struct call c;
    if (!call_begin(&c))
        return NULL;
    memset(&request, 0, sizeof request);
    bool ok = request_copy(&request, kind->size, (struct request_view){given, kind->least}, &c.result->error);
    if (ok)
        memcpy(&c.options.limits.memory_bytes, (const char *)&request + kind->memory_at, sizeof(size_t));
    return call_end(&c, ok && kind->run(&request, &c, &c.result->error));
}

const char *pprofgate_version(void) {
    return GATE_VERSION;
}

struct pprofgate_result *pprofgate_compare(const struct pprofgate_request *request) {
    static const struct call_kind kind = CALL_KIND(struct pprofgate_request, compare);
    return call(request, &kind);
}

struct pprofgate_result *pprofgate_merge(const struct pprofgate_merge_request *request) {
    static const struct call_kind kind = CALL_KIND(struct pprofgate_merge_request, merge);
    return call(request, &kind);
}

struct pprofgate_result *pprofgate_summarize(const struct pprofgate_summarize_request *request) {
    static const struct call_kind kind = CALL_KIND(struct pprofgate_summarize_request, summarize);
    return call(request, &kind);
}

struct pprofgate_result *pprofgate_inspect(const struct pprofgate_inspect_request *request) {
    static const struct call_kind kind = CALL_KIND(struct pprofgate_inspect_request, inspect);
    return call(request, &kind);
}

enum pprofgate_verdict pprofgate_result_verdict(const struct pprofgate_result *result) {
    return result == NULL ? PPROFGATE_ERROR : result->verdict;
}

const char *pprofgate_result_error(const struct pprofgate_result *result) {
    if (result == NULL)
        return "no memory for a result";
    return result->verdict == PPROFGATE_ERROR ? result->error.message : "";
}

const char *pprofgate_result_error_kind(const struct pprofgate_result *result) {
    if (result == NULL)
        return gate_error_kind(GATE_ERR_MEMORY);
    return result->verdict == PPROFGATE_ERROR ? gate_error_kind(result->error.code) : "";
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

const void *pprofgate_result_bytes(const struct pprofgate_result *result, size_t *length) {
    bool is_there = result != NULL && result->verdict != PPROFGATE_ERROR && result->bytes.len > 0;
    if (length != NULL)
        *length = is_there ? result->bytes.len : 0;
    return is_there ? result->bytes.ptr : "";
}

void pprofgate_result_free(struct pprofgate_result *result) {
    if (result == NULL)
        return;
    gate_buf_free(&result->json);
    gate_buf_free(&result->text);
    gate_buf_free(&result->bytes);
    free(result);
}
