/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of Chrome traces that contain V8 CPU profiles: DevTools exports and trace events. */
#include "gate/formats/chrome_trace.h"

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/base/table.h"
#include "gate/formats/cpuprofile.h"
#include "gate/formats/json_tree.h"
#include "gate/model/limits.h"

/* ---- recognition of JSON files of V8, Chrome and others -------------------------------------------------------------
 *
 * The text is not parsed, so a truncated file is still recognised, and its reader reports where it is broken. */

static bool is_object(struct gate_str text) {
    return gate_str_starts(text, GATE_STR("{"));
}

static bool holds(struct gate_str text, struct gate_str word) {
    return gate_str_find(text, word, 0) != SIZE_MAX;
}

bool gate_devtools_is_cpuprofile(struct gate_str text) {
    if (!is_object(text) || gate_devtools_is_heapsnapshot(text) || gate_devtools_is_trace(text))
        return false;
    return (holds(text, GATE_STR("\"callFrame\"")) && gate_json_text_has_key(text, GATE_STR("nodes"))) ||
           (holds(text, GATE_STR("\"hitCount\"")) && gate_json_text_has_key(text, GATE_STR("head")));
}

bool gate_devtools_is_gecko(struct gate_str text) {
    return is_object(text) && holds(text, GATE_STR("\"stackTable\"")) &&
           gate_json_text_has_key(text, GATE_STR("meta")) && gate_json_text_has_key(text, GATE_STR("threads"));
}

bool gate_devtools_is_trace(struct gate_str text) {
    if (is_object(text))
        return holds(text, GATE_STR("\"traceEvents\"")) && gate_json_text_has_key(text, GATE_STR("traceEvents"));
    size_t first = gate_str_find(text, GATE_STR("{"), 0);
    if (!gate_str_starts(text, GATE_STR("[")) || first == SIZE_MAX)
        return false;
    struct gate_str event = gate_str_slice(text, first, text.len);
    return gate_json_text_has_key(event, GATE_STR("ph")) && gate_json_text_has_key(event, GATE_STR("pid"));
}

bool gate_devtools_is_heapprofile(struct gate_str text) {
    return is_object(text) && holds(text, GATE_STR("\"selfSize\"")) && gate_json_text_has_key(text, GATE_STR("head"));
}

bool gate_devtools_is_heapsnapshot(struct gate_str text) {
    return is_object(text) && holds(text, GATE_STR("\"snapshot\"")) &&
           gate_json_text_has_key(text, GATE_STR("snapshot")) && gate_json_text_has_key(text, GATE_STR("nodes"));
}

bool gate_devtools_is_flamebearer(struct gate_str text) {
    return is_object(text) && holds(text, GATE_STR("\"flamebearer\"")) &&
           gate_json_text_has_key(text, GATE_STR("flamebearer"));
}

/* ---- trace events: chunks of V8's CPU profiler are joined into documents with the form of a .cpuprofile ---------- */

enum { ITEM_BYTES = 2 * sizeof(void *) }; /* memory per item of a growing list */

/* One profile of the trace. `document` is owned. */
struct part {
    json_t *document;
    json_t *nodes, *samples, *deltas; /* borrowed from `document` */
    double start_us, end_us, lasted_us;
    struct gate_str thread; /* key in `threads` */
};

struct trace {
    struct gate_arena *scratch;
    struct gate_table keys; /* keys of `parts`: process and id */
    struct part *parts;
    size_t part_capacity;
    struct gate_table threads; /* keys of `names`: process and thread */
    struct gate_str *names;    /* thread names */
    size_t name_capacity;
    size_t reserved_bytes;
};

static struct gate_str text_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) ? (struct gate_str){json_string_value(value), json_string_length(value)}
                                 : GATE_STR("");
}

static bool is_named(const json_t *event, const char *name) {
    return gate_str_equal(text_of(event, "name"), gate_str_from(name));
}

/* Return "PID/ID" for an id of any type. */
static struct gate_str key_of(struct gate_arena *arena, const json_t *event, const char *id) {
    const json_t *value = json_object_get(event, id);
    long long pid = json_integer_value(json_object_get(event, "pid"));
    if (json_is_string(value))
        return gate_str_format(arena, "%lld/%.*s", pid, GATE_STR_ARG(text_of(event, id)));
    return gate_str_format(arena, "%lld/%lld", pid, (long long)json_integer_value(value));
}

static bool part_init(struct part *part) {
    *part = (struct part){.document = json_object(), .nodes = json_array(), .samples = json_array()};
    part->deltas = json_array();
    /* json_object_set_new takes ownership of the value, even if it fails. */
    bool ok = json_object_set_new(part->document, "nodes", part->nodes) == 0;
    ok = json_object_set_new(part->document, "samples", part->samples) == 0 && ok;
    return json_object_set_new(part->document, "timeDeltas", part->deltas) == 0 && ok;
}

/* Return the profile with `key`, added if it is new. Returns NULL and sets `err` if memory is exhausted. */
static struct part *part_of(struct trace *trace, struct gate_str key, struct gate_error *err) {
    uint32_t known = trace->keys.count;
    uint32_t index = key.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&trace->keys, key);
    if (index == GATE_TABLE_NONE) {
        (void)gate_arena_error(trace->scratch, err);
        return NULL;
    }
    if (index < known)
        return &trace->parts[index];
    struct part *grown = gate_arena_grow(trace->scratch, trace->parts, known, &trace->part_capacity, sizeof *grown);
    if (grown == NULL) {
        trace->keys.count = known; /* remove the key again, because it has no value */
        (void)gate_arena_error(trace->scratch, err);
        return NULL;
    }
    trace->parts = grown;
    if (part_init(&grown[index]))
        return &grown[index];
    (void)gate_error_set(err, GATE_ERR_MEMORY, "out of memory");
    return NULL;
}

static bool list_extend(struct trace *trace, json_t *list, json_t *more, struct gate_error *err) {
    size_t bytes = json_array_size(more) * ITEM_BYTES;
    if (bytes == 0)
        return true;
    if (!gate_arena_reserve(trace->scratch, bytes))
        return gate_arena_error(trace->scratch, err);
    trace->reserved_bytes += bytes;
    return json_array_extend(list, more) == 0 || gate_error_set(err, GATE_ERR_MEMORY, "out of memory");
}

static bool chunk_add(struct trace *trace, const json_t *event, struct gate_error *err) {
    const json_t *args = json_object_get(json_object_get(event, "args"), "data");
    const json_t *profile = json_object_get(args, "cpuProfile");
    json_t *deltas = json_object_get(args, "timeDeltas");
    struct part *part = part_of(trace, key_of(trace->scratch, event, "id"), err);
    if (part == NULL)
        return false;
    if (deltas == NULL)
        deltas = json_object_get(profile, "timeDeltas");
    for (size_t i = 0; i < json_array_size(deltas); i++)
        part->lasted_us += json_number_value(json_array_get(deltas, i));
    const json_t *end = json_object_get(args, "endTime");
    part->end_us = json_is_number(end) ? json_number_value(end) : part->end_us;
    return list_extend(trace, part->nodes, json_object_get(profile, "nodes"), err) &&
           list_extend(trace, part->samples, json_object_get(profile, "samples"), err) &&
           list_extend(trace, part->deltas, deltas, err);
}

/* Record the start time and the thread from a profile's first event. */
static bool start_note(struct trace *trace, const json_t *event, struct gate_error *err) {
    const json_t *start = json_object_get(json_object_get(json_object_get(event, "args"), "data"), "startTime");
    struct part *part = part_of(trace, key_of(trace->scratch, event, "id"), err);
    if (part == NULL)
        return false;
    part->start_us = json_number_value(start);
    part->thread = key_of(trace->scratch, event, "tid");
    return part->thread.ptr != NULL || gate_arena_error(trace->scratch, err);
}

/* Add the profile of a CpuProfile event, which DevTools of Chrome 65 and 66 wrote: one per thread, as a whole. */
static bool whole_add(struct trace *trace, const json_t *event, struct gate_error *err) {
    const json_t *args = json_object_get(json_object_get(event, "args"), "data");
    const json_t *profile = json_object_get(args, "cpuProfile");
    struct gate_str key = gate_str_format(trace->scratch, "whole/%u", trace->keys.count);
    struct part *part = part_of(trace, key, err);
    if (part == NULL)
        return false;
    part->start_us = json_number_value(json_object_get(profile, "startTime"));
    part->end_us = json_number_value(json_object_get(profile, "endTime"));
    part->thread = key_of(trace->scratch, event, "tid");
    if (part->thread.ptr == NULL)
        return gate_arena_error(trace->scratch, err);
    return list_extend(trace, part->nodes, json_object_get(profile, "nodes"), err) &&
           list_extend(trace, part->samples, json_object_get(profile, "samples"), err) &&
           list_extend(trace, part->deltas, json_object_get(profile, "timeDeltas"), err);
}

static bool thread_note(struct trace *trace, const json_t *event, struct gate_error *err) {
    struct gate_str key = key_of(trace->scratch, event, "tid");
    uint32_t known = trace->threads.count;
    uint32_t index = key.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&trace->threads, key);
    if (index == GATE_TABLE_NONE)
        return gate_arena_error(trace->scratch, err);
    if (index < known)
        return true;
    struct gate_str *grown = gate_arena_grow(trace->scratch, trace->names, known, &trace->name_capacity, sizeof *grown);
    if (grown == NULL)
        return gate_arena_error(trace->scratch, err);
    trace->names = grown;
    grown[index] = text_of(json_object_get(event, "args"), "name");
    return true;
}

static bool events_read(struct trace *trace, const json_t *events, struct gate_error *err) {
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        bool ok = true;
        if (is_named(event, "ProfileChunk"))
            ok = chunk_add(trace, event, err);
        else if (is_named(event, "Profile"))
            ok = start_note(trace, event, err);
        else if (is_named(event, "CpuProfile"))
            ok = whole_add(trace, event, err);
        else if (is_named(event, "thread_name"))
            ok = thread_note(trace, event, err);
        if (!ok)
            return false;
    }
    return true;
}

static bool part_add(struct gate_cpuprofile_sum *sum, const struct trace *trace, struct part *part,
                     struct gate_error *err) {
    struct gate_label label = {.key = GATE_STR("thread"), .text = GATE_STR("")};
    uint32_t thread = gate_table_find(&trace->threads, part->thread);
    double end = part->end_us > part->start_us ? part->end_us : part->start_us + part->lasted_us;
    if (json_array_size(part->samples) == 0)
        return true; /* the trace ended before the first sample */
    if (json_array_size(part->nodes) == 0) {
        sum->lost_count += (int64_t)json_array_size(part->samples);
        return true;
    }
    if (thread != GATE_TABLE_NONE)
        label.text = trace->names[thread];
    if (json_object_set_new(part->document, "startTime", json_real(part->start_us)) != 0 ||
        json_object_set_new(part->document, "endTime", json_real(end)) != 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "a profile of the trace ends at no time");
    return gate_cpuprofile_add(sum, part->document, label.text.len == 0 ? NULL : &label, err);
}

/* The text that refuses a trace without a profile of V8. */
static const char *refusal_of(const json_t *root) {
    const json_t *events = json_is_array(root) ? root : json_object_get(root, "traceEvents");
    if (json_object_get(root, "viztracer_metadata") != NULL)
        return "a trace of VizTracer, which has every call and no samples: record with 'py-spy record --format raw -o "
               "FILE.collapsed -- python SCRIPT'";
    if (gate_str_equal(text_of(json_array_get(events, 0), "cat"), GATE_STR("py-spy")))
        return "a trace of py-spy, which does not have its samples: record with 'py-spy record --format raw -o "
               "FILE.collapsed -- python SCRIPT'";
    return "a trace of events without a CPU profile: record it with the category "
           "'disabled-by-default-v8.cpu_profiler', or take a .cpuprofile ('node --cpu-prof SCRIPT')";
}

static bool parts_add(struct gate_buf *out, const struct trace *trace, const json_t *root,
                      const struct gate_limits *limits, struct gate_error *err) {
    struct gate_builder builder;
    struct gate_cpuprofile_sum sum = {.builder = &builder, .limits = limits, .is_trimmed = true};
    size_t samples = 0;
    for (uint32_t i = 0; i < trace->keys.count; i++)
        samples += json_array_size(trace->parts[i].nodes) == 0 ? 0 : json_array_size(trace->parts[i].samples);
    if (samples == 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "%s", refusal_of(root));
    gate_cpuprofile_begin(&builder, trace->scratch);
    bool ok = true;
    for (uint32_t i = 0; ok && i < trace->keys.count; i++)
        ok = part_add(&sum, trace, &trace->parts[i], err);
    ok = ok && gate_cpuprofile_end(out, &sum, err);
    gate_builder_free(&builder);
    return ok;
}

bool gate_trace_events_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                               struct gate_arena *scratch, struct gate_error *err) {
    struct trace trace = {.scratch = scratch};
    struct gate_json_tree tree;
    if (!gate_json_tree_load(&tree, bytes, scratch, err))
        return false;
    const json_t *events = json_is_array(tree.root) ? tree.root : json_object_get(tree.root, "traceEvents");
    gate_table_init(&trace.keys, scratch);
    gate_table_init(&trace.threads, scratch);
    bool ok = events_read(&trace, events, err) && parts_add(out, &trace, tree.root, limits, err);
    for (uint32_t i = 0; i < trace.keys.count; i++)
        json_decref(trace.parts[i].document);
    gate_arena_release(scratch, trace.reserved_bytes);
    gate_json_tree_free(&tree, scratch);
    return ok;
}
