/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of Firefox profiles (processed and raw Gecko JSON). */
#include "gate/formats/builder.h"
#include "gate/formats/json_tree.h"
#include "gate/formats/reader.h"
#include "gate/model/limits.h"
#include "gate/model/location.h"

#include <jansson.h>
#include <math.h>

/* ---- frames of the Firefox profiler's JSON ----------------------------------------------------------------------- */

/** A table: either columns, or rows with a schema that maps column names to positions. */
struct gate_gecko_table {
    const json_t *columns;
    const json_t *schema;
    const json_t *rows;
};

/** The tables of a thread. */
struct gate_gecko_thread {
    const json_t *strings;
    const json_t *libs; /* libraries of the process */
    const json_t *sources;
    struct gate_gecko_table frames, functions, resources, stacks, samples;
    uint64_t *locations; /* the builder's location of each frame; 0: not added yet */
    size_t frame_count;
};

/* A decoded frame. */
struct frame {
    struct gate_str name, file;
    int64_t line;
    struct gate_mapping mapping; /* file is empty: no mapping */
    uint64_t address;
};

/** Return the number of rows. */
static size_t gecko_rows(const struct gate_gecko_table *table, const char *column) {
    return table->rows != NULL ? json_array_size(table->rows)
                               : json_array_size(json_object_get(table->columns, column));
}

/** Return a cell, or NULL if there is none. O(1) expected. */
static const json_t *gecko_cell(const struct gate_gecko_table *table, const char *column, size_t row) {
    if (table->rows == NULL)
        return json_array_get(json_object_get(table->columns, column), row);
    const json_t *at = json_object_get(table->schema, column);
    json_int_t place = json_is_integer(at) ? json_integer_value(at) : -1;
    return place < 0 ? NULL : json_array_get(json_array_get(table->rows, row), (size_t)place);
}

/** Return the table `name` of the thread or, if it has none, the one shared by all threads. */
static struct gate_gecko_table gecko_table_of(const json_t *thread, const json_t *shared, const char *name) {
    const json_t *table = json_object_get(thread, name);
    if (table == NULL)
        table = json_object_get(shared, name);
    const json_t *rows = json_object_get(table, "data");
    return (struct gate_gecko_table){
        .columns = table, .schema = json_object_get(table, "schema"), .rows = json_is_array(rows) ? rows : NULL};
}

static const json_t *item_of(const json_t *list, const json_t *index) {
    json_int_t i = json_is_integer(index) ? json_integer_value(index) : -1;
    return i < 0 ? NULL : json_array_get(list, (size_t)i);
}

static uint64_t address_of(const json_t *value) {
    json_int_t address = json_is_integer(value) ? json_integer_value(value) : -1;
    return address < 0 ? 0 : (uint64_t)address;
}

static void library_use(struct frame *out, const json_t *lib) {
    struct gate_str path = gate_json_text_of(lib, "path");
    out->mapping.file = path.len != 0 ? path : gate_json_text_of(lib, "name");
    out->mapping.build_id = gate_json_text_of(lib, "codeId");
}

/* Find the place of a function in a processed profile: its file, or the library of its resource. */
static void place_find(struct frame *out, const struct gate_gecko_thread *thread, size_t function) {
    const json_t *file = gecko_cell(&thread->functions, "fileName", function);
    const json_t *source = gecko_cell(&thread->functions, "source", function);
    const json_t *resource = gecko_cell(&thread->functions, "resource", function);
    if (json_is_integer(source)) /* later versions store files in a separate table */
        file = item_of(json_object_get(thread->sources, "filename"), source);
    out->file = gate_json_tree_text(item_of(thread->strings, file));
    if (json_is_integer(resource) && json_integer_value(resource) >= 0) {
        const json_t *lib = gecko_cell(&thread->resources, "lib", (size_t)json_integer_value(resource));
        library_use(out, item_of(thread->libs, lib));
    }
}

static bool processed_read(struct frame *out, const struct gate_gecko_thread *thread, size_t row) {
    const json_t *function = gecko_cell(&thread->frames, "func", row);
    const json_t *line = gecko_cell(&thread->frames, "line", row);
    if (!json_is_integer(function) || json_integer_value(function) < 0)
        return false;
    size_t index = (size_t)json_integer_value(function);
    const json_t *name = gecko_cell(&thread->functions, "name", index);
    if (item_of(thread->strings, name) == NULL)
        return false;
    out->name = gate_json_tree_text(item_of(thread->strings, name));
    out->address = address_of(gecko_cell(&thread->frames, "address", row));
    out->line = json_is_integer(line) ? json_integer_value(line) : 0;
    place_find(out, thread, index);
    return true;
}

/* Remove the number of the source in brackets, which later versions append. */
static struct gate_str without_source(struct gate_str text) {
    size_t end = text.len;
    if (end < 3 || !gate_str_ends(text, GATE_STR("]")))
        return text;
    for (end--; end > 0 && gate_is_digit(text.ptr[end - 1]);)
        end--;
    bool is_source = end > 1 && end + 1 < text.len && text.ptr[end - 1] == '[' && text.ptr[end - 2] == ')';
    return is_source ? gate_str_slice(text, 0, end - 1) : text;
}

/* Split "f (https://host/a.js:12:3)[5]" into name, file and line. */
static void script_split(struct frame *out) {
    struct gate_str text = without_source(out->name);
    size_t start = text.len;
    if (!gate_str_ends(text, GATE_STR(")")))
        return;
    while (start > 0 && !(text.ptr[start - 1] == '(' && start > 1 && text.ptr[start - 2] == ' '))
        start--;
    struct gate_str file = gate_str_slice(text, start, text.len - 1);
    int64_t numbers[2] = {0};
    int count = 0;
    for (; start != 0 && count < 2; count++) {
        size_t colon = file.len;
        int64_t number = 0;
        while (colon > 0 && gate_is_digit(file.ptr[colon - 1]))
            colon--;
        if (colon == file.len || colon == 0 || file.ptr[colon - 1] != ':' || file.len - colon > 9)
            break;
        for (size_t i = colon; i < file.len; i++)
            number = number * 10 + (file.ptr[i] - '0');
        numbers[count] = number;
        file = gate_str_slice(file, 0, colon - 1);
    }
    if (count == 0)
        return; /* not a script but a label, such as "Load (main)" */
    out->name = gate_str_trim(gate_str_slice(text, 0, start - 2));
    out->file = file;
    out->line = numbers[count - 1];
}

/* Find the library that contains the address. Libraries are few, so a linear search is enough. */
static void address_place(struct frame *out, const json_t *libs) {
    uint64_t address = 0;
    for (size_t i = 2; i < out->name.len && i < 18; i++) {
        char c = out->name.ptr[i];
        address = address << 4 | (uint64_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    out->address = address;
    for (size_t i = 0; i < json_array_size(libs); i++) {
        const json_t *lib = json_array_get(libs, i);
        uint64_t start = address_of(json_object_get(lib, "start")), end = address_of(json_object_get(lib, "end"));
        if (address < start || address >= end)
            continue;
        library_use(out, lib);
        out->address = address - start + address_of(json_object_get(lib, "offset"));
        return;
    }
}

static bool gecko_read(struct frame *out, const struct gate_gecko_thread *thread, size_t row) {
    const json_t *name = item_of(thread->strings, gecko_cell(&thread->frames, "location", row));
    const json_t *line = gecko_cell(&thread->frames, "line", row);
    if (name == NULL)
        return false;
    out->name = gate_json_tree_text(name);
    out->line = json_is_integer(line) ? json_integer_value(line) : 0;
    if (gate_address_name_is(out->name) && gate_str_starts(out->name, GATE_STR("0x")))
        address_place(out, thread->libs);
    else
        script_split(out);
    return true;
}

static uint64_t location_add(struct gate_builder *builder, const struct frame *frame) {
    int64_t line = frame->line > 0 && frame->line < INT32_MAX ? frame->line : 0;
    struct gate_str name = gate_address_name_is(frame->name) ? GATE_STR("") : frame->name;
    return gate_builder_frame_in(builder, &frame->mapping, frame->address, name, frame->file, line);
}

/**
 * Get the builder's location of a frame: function, file and line or, if the name is only an address, the library and
 * the address in it. Returns false if `frame` is not in the table. O(1) expected after the first time.
 */
static bool gecko_location(uint64_t *location, struct gate_gecko_thread *thread, struct gate_builder *builder,
                           const json_t *frame) {
    struct frame read = {.file = GATE_STR(""), .mapping = {.file = GATE_STR(""), .build_id = GATE_STR("")}};
    json_int_t row = json_is_integer(frame) ? json_integer_value(frame) : -1;
    if (row < 0 || (uint64_t)row >= thread->frame_count)
        return false;
    if (thread->locations[row] == 0) {
        bool is_processed = gecko_cell(&thread->frames, "func", (size_t)row) != NULL;
        if (!(is_processed ? processed_read(&read, thread, (size_t)row) : gecko_read(&read, thread, (size_t)row)))
            return false;
        thread->locations[row] = location_add(builder, &read);
    }
    *location = thread->locations[row];
    return true;
}

/** Return true if the frame is "(root)", which Firefox adds to each stack. */
static bool gecko_is_root(const struct gate_gecko_thread *thread, const json_t *frame) {
    json_int_t row = json_is_integer(frame) ? json_integer_value(frame) : -1;
    const json_t *name = row < 0 ? NULL : gecko_cell(&thread->frames, "location", (size_t)row);
    return gate_str_equal(gate_json_tree_text(item_of(thread->strings, name)), GATE_STR("(root)"));
}

/* ---- conversion to pprof: add up the samples per stack, then add the stacks -------------------------------------- */

enum { PROCESSES_DEEP = 4 }; /* largest nesting of processes; Firefox nests its content processes once */

enum { SAMPLES, CPU_SAMPLES, CPU_TIME, COLUMNS };

/* Sums of the samples of one stack. */
struct sums {
    int64_t values[COLUMNS];
};

struct document {
    struct gate_builder *builder;
    struct gate_arena *scratch;
    const struct gate_limits *limits;
    const json_t *root;
    uint64_t *stack;
    double ns_a_delta;        /* nanoseconds per unit of threadCPUDelta; 0: not a time */
    double first_ms, last_ms; /* first and last time of all samples */
    uint64_t samples;
};

static bool failed(const json_t *thread, const char *table, size_t row, struct gate_error *err) {
    struct gate_str name = gate_str_slice(gate_json_text_of(thread, "name"), 0, 60);
    return gate_error_set(err, GATE_ERR_FORMAT, "thread '%.*s': %s[%zu] refers to what is not there",
                          GATE_STR_ARG(name), table, row);
}

/* Get the number of samples that one sample counts for: its weight, or 1. */
static bool weight_read(int64_t *out, const struct gate_gecko_table *samples, size_t row, struct gate_error *err) {
    const json_t *weight = gecko_cell(samples, "weight", row);
    *out = json_is_integer(weight) ? json_integer_value(weight) : 1;
    if (weight == NULL || json_is_integer(weight) || json_is_null(weight))
        return true;
    return gate_error_set(err, GATE_ERR_FORMAT, "samples.weight[%zu]: expected a whole number of samples", row);
}

/* Return the CPU time since the previous sample, which is attributed to this sample. */
static int64_t cpu_read(const struct document *document, const struct gate_gecko_table *samples, size_t row) {
    const json_t *delta = gecko_cell(samples, "threadCPUDelta", row);
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
    size_t count = gecko_rows(&tables->samples, "stack"), stacks = gecko_rows(&tables->stacks, "frame");
    document->samples += count;
    if (document->samples > document->limits->samples)
        return gate_limits_too_many(document->limits->samples, "samples", err);
    for (size_t i = 0; i < count; i++) {
        const json_t *stack = gecko_cell(&tables->samples, "stack", i);
        int64_t added[COLUMNS] = {0};
        time_note(document, gecko_cell(&tables->samples, "time", i));
        if (stack == NULL || json_is_null(stack))
            continue; /* no code with a stack was running */
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

/* A row of the stack table. Each row is read once, because reading JSON costs more than following a link. */
struct link {
    uint64_t location; /* 0: not read yet */
    size_t prefix;     /* SIZE_MAX: the outermost frame */
    bool is_root;      /* the outermost frame is "(root)" */
};

static bool link_read(struct link *link, struct document *document, struct gate_gecko_thread *tables,
                      const json_t *thread, size_t row, struct gate_error *err) {
    const json_t *prefix = gecko_cell(&tables->stacks, "prefix", row);
    const json_t *frame = gecko_cell(&tables->stacks, "frame", row);
    if (!gecko_location(&link->location, tables, document->builder, frame))
        return failed(thread, "stackTable.frame", row, err);
    link->prefix = SIZE_MAX;
    if (prefix == NULL || json_is_null(prefix) || json_integer_value(prefix) == -1) {
        link->is_root = gecko_is_root(tables, frame);
        return true;
    }
    if (!json_is_integer(prefix) || json_integer_value(prefix) < 0 ||
        (size_t)json_integer_value(prefix) >= gecko_rows(&tables->stacks, "frame"))
        return failed(thread, "stackTable.prefix", row, err);
    link->prefix = (size_t)json_integer_value(prefix);
    return true;
}

/* Read a stack from the leaf to the root, following the prefixes. */
static bool stack_read(struct document *document, struct link *links, struct gate_gecko_thread *tables,
                       const json_t *thread, size_t row, uint32_t *depth, struct gate_error *err) {
    *depth = 0;
    for (size_t at = row; at != SIZE_MAX; at = links[at].prefix) {
        if (*depth == document->limits->depth)
            return gate_error_set(err, GATE_ERR_LIMIT,
                                  "a stack has more than %u frames, or is its own prefix; raise --max-depth",
                                  document->limits->depth);
        if (links[at].location == 0 && !link_read(&links[at], document, tables, thread, at, err))
            return false;
        document->stack[(*depth)++] = links[at].location;
        *depth -= *depth > 1 && links[at].is_root;
    }
    return true;
}

static bool stacks_add(struct document *document, struct gate_gecko_thread *tables, const json_t *thread,
                       const struct sums *sums, struct gate_error *err) {
    size_t stacks = gecko_rows(&tables->stacks, "frame");
    struct gate_label label = {.key = GATE_STR("thread"), .text = gate_json_text_of(thread, "name")};
    struct link *links = GATE_NEW_ARRAY(document->builder->arena, struct link, stacks);
    if (links == NULL)
        return gate_arena_error(document->builder->arena, err);
    for (size_t i = 0; i < stacks; i++) {
        struct gate_builder_sample sample = {.locations = document->stack,
                                             .values = sums[i].values,
                                             .labels = &label,
                                             .label_count = label.text.len != 0};
        if (sums[i].values[SAMPLES] == 0)
            continue;
        if (!stack_read(document, links, tables, thread, i, &sample.depth, err) ||
            !gate_builder_sample(document->builder, &sample, err))
            return false;
    }
    return true;
}

static bool thread_add(struct document *document, const json_t *thread, const json_t *libs, struct gate_error *err) {
    const json_t *shared = json_object_get(document->root, "shared");
    struct gate_gecko_thread tables = {
        .libs = libs,
        .sources = json_object_get(shared, "sources"),
        .frames = gecko_table_of(thread, shared, "frameTable"),
        .functions = gecko_table_of(thread, shared, "funcTable"),
        .resources = gecko_table_of(thread, shared, "resourceTable"),
        .stacks = gecko_table_of(thread, shared, "stackTable"),
        .samples = gecko_table_of(thread, NULL, "samples"),
    };
    static const char *const names[] = {"stringArray", "stringTable"};
    for (int i = 0; tables.strings == NULL && i < 2; i++)
        tables.strings = json_object_get(thread, names[i]);
    if (tables.strings == NULL)
        tables.strings = json_object_get(shared, "stringArray");
    struct gate_str weights = gate_json_text_of(tables.samples.columns, "weightType");
    if (weights.len != 0 && !gate_str_equal(weights, GATE_STR("samples")))
        return gate_error_set(err, GATE_ERR_FORMAT, "the weights of its samples are '%.*s', expected 'samples'",
                              GATE_STR_ARG(gate_str_slice(weights, 0, 40)));
    bool is_processed = tables.frames.rows == NULL;
    tables.frame_count = gecko_rows(&tables.frames, is_processed ? "func" : "location");
    tables.locations = GATE_NEW_ARRAY(document->scratch, uint64_t, tables.frame_count);
    struct sums *sums = GATE_NEW_ARRAY(document->scratch, struct sums, gecko_rows(&tables.stacks, "frame"));
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
        const json_t *own = json_object_get(thread, "libs"); /* until version 40 of the format */
        if (!thread_add(document, thread, own != NULL ? own : libs, err))
            return false;
    }
    for (size_t i = 0; i < json_array_size(processes); i++)
        if (!process_add(document, json_array_get(processes, i), level + 1, err))
            return false;
    return true;
}

/* Return the nanoseconds per unit of threadCPUDelta; 0 if it is in cycles or unknown. */
static double delta_unit(const json_t *meta) {
    struct gate_str unit = gate_json_text_of(json_object_get(meta, "sampleUnits"), "threadCPUDelta");
    if (gate_str_equal(unit, GATE_STR("ns")))
        return 1;
    return gate_str_equal(unit, GATE_STR("µs")) ? 1e3 : 0;
}

static void columns_add(struct document *document, const json_t *meta) {
    struct gate_builder *builder = document->builder;
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

/*
 * Convert a Firefox profile to pprof: the samples of all threads of all processes as samples/count. The
 * thread's name is the label "thread". If samples have CPU time (threadCPUDelta), cpu-time/nanoseconds is the
 * default, and cpu-samples/count has the samples with CPU time. A sample with a weight counts that many times.
 * `limits` has no zeros (gate_limits_fill).
 *
 * err   GATE_ERR_FORMAT: malformed JSON, an index outside its table (names the thread), or weights that are not
 *       sample counts; GATE_ERR_LIMIT; GATE_ERR_OVERFLOW
 *
 * O(bytes + stacks * depth).
 */
static bool gecko_fill(struct gate_builder *builder, json_t *root, const struct gate_limits *limits,
                       struct gate_error *err) {
    /* last before first: no sample yet */
    struct document document = {.builder = builder,
                                .scratch = builder->arena,
                                .limits = limits,
                                .stack = builder->stack,
                                .root = root,
                                .first_ms = 1};
    columns_add(&document, json_object_get(root, "meta"));
    bool ok = process_add(&document, root, 0, err);
    double lasted = (document.last_ms - document.first_ms) * 1e6;
    builder->header.duration_ns = lasted > 0 && lasted < 9e18 ? llround(lasted) : 0;
    return ok;
}

/* Return true for a Firefox profile: 'meta', and 'threads' with stack tables. O(bytes). */
static bool is_gecko(struct gate_str text) {
    return gate_str_starts(text, GATE_STR("{")) && gate_str_find(text, GATE_STR("\"stackTable\""), 0) != SIZE_MAX &&
           gate_json_text_has_key(text, GATE_STR("meta")) && gate_json_text_has_key(text, GATE_STR("threads"));
}

const struct gate_reader gate_gecko_reader = {
    .name = "Firefox profiler JSON",
    .is_text = true,
    .sniff = is_gecko,
    .format = GATE_FORMAT_GECKO,
    .fill_json = gecko_fill,
};
