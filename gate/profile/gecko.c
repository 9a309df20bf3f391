/* SPDX-License-Identifier: Apache-2.0 */
/* The Firefox profiler's JSON to pprof (see gecko.h): what the samples of each stack add up to, then the stacks. */
#include "gate/profile/gecko.h"

#include "gate/profile/builder_write.h"
#include "gate/profile/gecko_frames.h"
#include "gate/profile/json_tree.h"

#include <math.h>

enum { PROCESSES_DEEP = 4 }; /* Firefox nests its content processes once */
enum { SAMPLES, CPU_SAMPLES, CPU_TIME, COLUMNS };

/* What the samples of one stack add up to. */
struct sums {
    int64_t values[COLUMNS];
};

struct document {
    struct gate_builder builder;
    struct gate_arena *scratch;
    const struct gate_limits *limits;
    const json_t *root;
    uint64_t *stack;
    double ns_a_delta;        /* of threadCPUDelta; 0: not told in time */
    double first_ms, last_ms; /* of all samples */
    uint64_t samples;
};

static struct gate_str text_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) ? (struct gate_str){json_string_value(value), json_string_length(value)}
                                 : GATE_STR("");
}

static bool failed(const json_t *thread, const char *table, size_t row, struct gate_error *err) {
    struct gate_str name = gate_str_slice(text_of(thread, "name"), 0, 60);
    return gate_error_set(err, GATE_ERR_FORMAT, "thread '%.*s': %s[%zu] refers to what is not there",
                          GATE_STR_ARG(name), table, row);
}

/* How many samples one counts for: its weight, where it has one. */
static bool weight_read(int64_t *out, const struct gate_gecko_table *samples, size_t row, struct gate_error *err) {
    const json_t *weight = gate_gecko_cell(samples, "weight", row);
    *out = json_is_integer(weight) ? json_integer_value(weight) : 1;
    if (weight == NULL || json_is_integer(weight) || json_is_null(weight))
        return true;
    return gate_error_set(err, GATE_ERR_FORMAT, "samples.weight[%zu]: expected a whole number of samples", row);
}

/* CPU time since the sample before, which is this one's as far as anybody can tell. */
static int64_t cpu_read(const struct document *document, const struct gate_gecko_table *samples, size_t row) {
    const json_t *delta = gate_gecko_cell(samples, "threadCPUDelta", row);
    double time = json_number_value(delta) * document->ns_a_delta;
    return time > 0 && time < 9e18 ? llround(time) : 0;
}

static void time_note(struct document *document, const json_t *time) {
    double now = json_number_value(time);
    if (!json_is_number(time))
        return;
    bool is_first = document->last_ms < document->first_ms;
    document->first_ms = is_first || now < document->first_ms ? now : document->first_ms;
    document->last_ms = is_first || now > document->last_ms ? now : document->last_ms;
}

static bool sums_read(struct sums *sums, struct document *document, const json_t *thread,
                      const struct gate_gecko_thread *tables, struct gate_error *err) {
    size_t count = gate_gecko_rows(&tables->samples, "stack"), stacks = gate_gecko_rows(&tables->stacks, "frame");
    document->samples += count;
    if (document->samples > document->limits->samples)
        return gate_error_set(err, GATE_ERR_LIMIT, "more than %llu samples; raise --max-samples",
                              (unsigned long long)document->limits->samples);
    for (size_t i = 0; i < count; i++) {
        const json_t *stack = gate_gecko_cell(&tables->samples, "stack", i);
        int64_t added[COLUMNS] = {0};
        time_note(document, gate_gecko_cell(&tables->samples, "time", i));
        if (stack == NULL || json_is_null(stack))
            continue; /* nothing ran that has a stack */
        if (!json_is_integer(stack) || json_integer_value(stack) < 0 || (size_t)json_integer_value(stack) >= stacks)
            return failed(thread, "samples.stack", i, err);
        if (!weight_read(&added[SAMPLES], &tables->samples, i, err))
            return false;
        added[CPU_TIME] = cpu_read(document, &tables->samples, i);
        added[CPU_SAMPLES] = added[CPU_TIME] != 0 ? added[SAMPLES] : 0;
        int64_t *values = sums[json_integer_value(stack)].values;
        for (int j = 0; j < COLUMNS; j++)
            if (__builtin_add_overflow(values[j], added[j], &values[j]))
                return gate_error_set(err, GATE_ERR_OVERFLOW, "the samples add up to more than 64 bits can hold");
    }
    return true;
}

/* From the leaf by prefixes to the root. */
static bool stack_read(struct document *document, struct gate_gecko_thread *tables, const json_t *thread, size_t row,
                       uint32_t *depth, struct gate_error *err) {
    size_t at = row, stacks = gate_gecko_rows(&tables->stacks, "frame");
    for (*depth = 0;;) {
        const json_t *prefix = gate_gecko_cell(&tables->stacks, "prefix", at);
        if (*depth == document->limits->depth)
            return gate_error_set(err, GATE_ERR_LIMIT,
                                  "a stack has more than %u frames, or is its own prefix; raise --max-depth",
                                  document->limits->depth);
        if (!gate_gecko_location(&document->stack[(*depth)++], tables, &document->builder,
                                 gate_gecko_cell(&tables->stacks, "frame", at)))
            return failed(thread, "stackTable.frame", at, err);
        if (prefix == NULL || json_is_null(prefix) || json_integer_value(prefix) == -1) {
            *depth -= *depth > 1 && gate_gecko_is_root(tables, gate_gecko_cell(&tables->stacks, "frame", at));
            return true;
        }
        if (!json_is_integer(prefix) || json_integer_value(prefix) < 0 || (size_t)json_integer_value(prefix) >= stacks)
            return failed(thread, "stackTable.prefix", at, err);
        at = (size_t)json_integer_value(prefix);
    }
}

static bool stacks_add(struct document *document, struct gate_gecko_thread *tables, const json_t *thread,
                       const struct sums *sums, struct gate_error *err) {
    size_t stacks = gate_gecko_rows(&tables->stacks, "frame");
    struct gate_label label = {.key = GATE_STR("thread"), .text = text_of(thread, "name")};
    for (size_t i = 0; i < stacks; i++) {
        struct gate_builder_sample sample = {.locations = document->stack,
                                             .values = sums[i].values,
                                             .labels = &label,
                                             .label_count = label.text.len != 0};
        if (sums[i].values[SAMPLES] == 0)
            continue;
        if (!stack_read(document, tables, thread, i, &sample.depth, err) ||
            !gate_builder_sample(&document->builder, &sample, err))
            return false;
    }
    return true;
}

static bool thread_add(struct document *document, const json_t *thread, const json_t *libs, struct gate_error *err) {
    const json_t *shared = json_object_get(document->root, "shared");
    struct gate_gecko_thread tables = {
        .libs = libs,
        .sources = json_object_get(shared, "sources"),
        .frames = gate_gecko_table_of(thread, shared, "frameTable"),
        .functions = gate_gecko_table_of(thread, shared, "funcTable"),
        .resources = gate_gecko_table_of(thread, shared, "resourceTable"),
        .stacks = gate_gecko_table_of(thread, shared, "stackTable"),
        .samples = gate_gecko_table_of(thread, NULL, "samples"),
    };
    static const char *const names[] = {"stringArray", "stringTable"};
    for (int i = 0; tables.strings == NULL && i < 2; i++)
        tables.strings = json_object_get(thread, names[i]);
    if (tables.strings == NULL)
        tables.strings = json_object_get(shared, "stringArray");
    struct gate_str weights = text_of(tables.samples.columns, "weightType");
    if (weights.len != 0 && !gate_str_equal(weights, GATE_STR("samples")))
        return gate_error_set(err, GATE_ERR_FORMAT, "the weights of its samples are '%.*s', expected 'samples'",
                              GATE_STR_ARG(gate_str_slice(weights, 0, 40)));
    bool is_processed = tables.frames.rows == NULL;
    tables.frame_count = gate_gecko_rows(&tables.frames, is_processed ? "func" : "location");
    tables.locations = GATE_NEW_ARRAY(document->scratch, uint64_t, tables.frame_count + 1);
    struct sums *sums = GATE_NEW_ARRAY(document->scratch, struct sums, gate_gecko_rows(&tables.stacks, "frame") + 1);
    if (tables.locations == NULL || sums == NULL)
        return gate_arena_error(document->scratch, err);
    return sums_read(sums, document, thread, &tables, err) && stacks_add(document, &tables, thread, sums, err);
}

static bool process_add(struct document *document, const json_t *process, uint32_t level, struct gate_error *err) {
    const json_t *threads = json_object_get(process, "threads");
    const json_t *processes = json_object_get(process, "processes");
    const json_t *libs = json_object_get(process, "libs");
    if (level == PROCESSES_DEEP)
        return gate_error_set(err, GATE_ERR_LIMIT, "'processes' within each other more than %d deep", PROCESSES_DEEP);
    for (size_t i = 0; i < json_array_size(threads); i++) {
        const json_t *thread = json_array_get(threads, i);
        const json_t *own = json_object_get(thread, "libs"); /* until version 40 */
        if (!thread_add(document, thread, own != NULL ? own : libs, err))
            return false;
    }
    for (size_t i = 0; i < json_array_size(processes); i++)
        if (!process_add(document, json_array_get(processes, i), level + 1, err))
            return false;
    return true;
}

/* Nanoseconds of one unit of threadCPUDelta, 0 where they are cycles or not told. */
static double delta_unit(const json_t *meta) {
    struct gate_str unit = text_of(json_object_get(meta, "sampleUnits"), "threadCPUDelta");
    if (gate_str_equal(unit, GATE_STR("ns")))
        return 1;
    return gate_str_equal(unit, GATE_STR("µs")) ? 1e3 : 0;
}

static void columns_add(struct document *document, const json_t *meta) {
    struct gate_builder *builder = &document->builder;
    double interval = json_number_value(json_object_get(meta, "interval")); /* milliseconds */
    const struct gate_value_type wall = {GATE_STR("wall"), GATE_STR("nanoseconds")};
    document->ns_a_delta = delta_unit(meta);
    gate_builder_type(builder, GATE_STR("samples"), GATE_STR("count"));
    gate_builder_type(builder, GATE_STR("cpu-samples"), GATE_STR("count"));
    gate_builder_type(builder, GATE_STR("cpu-time"), GATE_STR("nanoseconds"));
    if (document->ns_a_delta == 0)
        builder->type_dropped[CPU_SAMPLES] = builder->type_dropped[CPU_TIME] = true;
    builder->header.default_sample_type = document->ns_a_delta == 0 ? GATE_STR("samples") : GATE_STR("cpu-time");
    if (interval > 0 && interval < 1e9) {
        builder->header.period_type = wall;
        builder->header.period = llround(interval * 1e6);
    }
}

bool gate_gecko_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                        struct gate_arena *scratch, struct gate_error *err) {
    struct document document = {.scratch = scratch, .limits = limits, .first_ms = 1}; /* last before first: none yet */
    struct gate_json_tree tree;
    document.stack = gate_arena_alloc(scratch, ((size_t)limits->depth + 1) * sizeof *document.stack);
    if (document.stack == NULL)
        return gate_arena_error(scratch, err);
    if (!gate_json_tree_load(&tree, bytes, scratch, err))
        return false;
    document.root = tree.root;
    gate_builder_init(&document.builder, scratch);
    columns_add(&document, json_object_get(tree.root, "meta"));
    bool ok = process_add(&document, tree.root, 0, err);
    double lasted = (document.last_ms - document.first_ms) * 1e6;
    document.builder.header.duration_ns = lasted > 0 && lasted < 9e18 ? llround(lasted) : 0;
    ok = ok && gate_builder_write(out, &document.builder, err);
    gate_builder_free(&document.builder);
    gate_json_tree_free(&tree, scratch);
    return ok;
}
