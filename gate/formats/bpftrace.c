/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of what bpftrace prints of a map whose keys are stacks. */
#include "gate/base/str.h"
#include "gate/formats/builder.h"
#include "gate/formats/perf_script.h"
#include "gate/formats/reader.h"
#include "gate/formats/text_line.h"
#include "gate/model/limits.h"

enum { SNIFF_BYTES = 64 * 1024 };

struct reading {
    struct gate_builder *builder;
    uint64_t line_number;
    struct gate_str map; /* name of the map with stacks, with its '@'; empty: none yet */
    /* The key that is being read. */
    struct gate_str text; /* the part of it that is not a stack */
    bool is_open;
};

/* Split "@NAME[REST". Returns false for other lines. */
static bool key_begins(struct gate_str *name, struct gate_str *rest, struct gate_str line) {
    size_t open = gate_str_starts(line, GATE_STR("@")) ? gate_str_find(line, GATE_STR("["), 0) : SIZE_MAX;
    if (open == SIZE_MAX)
        return false;
    *name = gate_str_slice(line, 0, open);
    *rest = gate_str_slice(line, open + 1, line.len);
    return memchr(name->ptr, ' ', name->len) == NULL;
}

/* Split "REST]: 842", the end of a key. Returns false for other lines. */
static bool key_ends(struct gate_str *rest, int64_t *value, struct gate_str line) {
    const struct gate_str mark = GATE_STR("]: ");
    size_t at = line.len;
    while (at > 0 && (line.ptr[at - 1] == '-' || gate_is_digit(line.ptr[at - 1])))
        at--;
    *rest = gate_str_slice(line, 0, at);
    if (!gate_str_ends(*rest, mark) || !gate_text_is_number(gate_str_slice(line, at, line.len), value))
        return false;
    rest->len -= mark.len;
    return true;
}

/* Return true if `text` is such a file. */
static bool bpftrace_sniff(struct gate_str text) {
    struct gate_str rest = gate_str_slice(text, 0, SNIFF_BYTES), line, name, key;
    int64_t value = 0;
    bool is_open = false;
    while (gate_text_line_next(&rest, &line)) {
        if (is_open && key_ends(&key, &value, line))
            return true;
        if (key_begins(&name, &key, line))
            is_open = gate_str_trim(key).len == 0 || gate_str_ends(key, GATE_STR(","));
    }
    return false;
}

static struct gate_str without_offset(struct gate_str name) {
    size_t end = name.len;
    while (end > 0 && gate_is_digit(name.ptr[end - 1]))
        end--;
    return end > 1 && end < name.len && name.ptr[end - 1] == '+' ? gate_str_slice(name, 0, end - 1) : name;
}

/* Add the frame "leaf+20", "0x562ebb08713a", or of ustack(perf) "562ebb08713d leaf+20 (/usr/bin/shop)". */
static uint64_t frame_add(struct gate_builder *builder, struct gate_str line) {
    struct gate_perf_frame frame = {.name = line, .file = GATE_STR("")};
    struct gate_str rest = line;
    uint64_t address = 0;
    if (gate_str_starts(line, GATE_STR("0x")) && gate_text_hex(&rest, &address) && rest.len == 0)
        return gate_builder_location(builder, 0, address, NULL, 0);
    if (!gate_perf_frame_read(&frame, line))
        frame = (struct gate_perf_frame){.name = line, .file = GATE_STR("")};
    const struct gate_mapping mapping = {.file = frame.file, .build_id = GATE_STR("")};
    return gate_builder_frame_in(builder, &mapping, frame.address, without_offset(frame.name), GATE_STR(""), 0);
}

/* Read a part of a key: a frame, or with a comma before or behind it a text, such as comm. A number is left out, as
 * those of processes differ from run to run. */
static bool part_read(struct reading *reading, struct gate_str part, bool is_frame, struct gate_error *err) {
    int64_t ignored = 0;
    bool has_comma = gate_str_starts(part, GATE_STR(",")) || gate_str_ends(part, GATE_STR(","));
    if (gate_str_starts(part, GATE_STR(",")))
        part = gate_str_trim(gate_str_slice(part, 1, part.len));
    if (gate_str_ends(part, GATE_STR(",")))
        part = gate_str_trim(gate_str_slice(part, 0, part.len - 1));
    if (part.len == 0)
        return true;
    if (has_comma || !is_frame) {
        if (!gate_text_is_number(part, &ignored))
            reading->text = part;
        return true;
    }
    return gate_builder_push(reading->builder, frame_add(reading->builder, part), err);
}

static bool key_open(struct reading *reading, struct gate_str name, struct gate_error *err) {
    if (reading->map.len != 0 && !gate_str_equal(reading->map, name))
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "line %llu: a second map with stacks, '%.*s' beside '%.*s': print one",
                              (unsigned long long)reading->line_number, GATE_STR_ARG(gate_str_slice(name, 0, 60)),
                              GATE_STR_ARG(gate_str_slice(reading->map, 0, 60)));
    reading->map = name;
    reading->text = GATE_STR("");
    reading->builder->depth = 0;
    reading->is_open = true;
    return true;
}

static bool key_close(struct reading *reading, int64_t value, struct gate_error *err) {
    struct gate_label label = {.key = GATE_STR("key"), .text = reading->text, .unit = GATE_STR("")};
    struct gate_builder_sample sample = {.locations = reading->builder->stack,
                                         .depth = reading->builder->depth,
                                         .values = &value,
                                         .labels = &label,
                                         .label_count = reading->text.len != 0};
    reading->is_open = false;
    return gate_builder_sample(reading->builder, &sample, err);
}

static bool line_read(struct reading *reading, struct gate_str line, struct gate_error *err) {
    struct gate_str name, key;
    int64_t value = 0;
    if (reading->is_open) {
        if (!key_ends(&key, &value, line))
            return part_read(reading, line, true, err);
        return part_read(reading, key, false, err) && key_close(reading, value, err);
    }
    if (!key_begins(&name, &key, line))
        return true;                 /* what the program printed, or a map without keys */
    if (key_ends(&key, &value, key)) /* on one line: an empty stack, or a map without stacks */
        return key.len != 0 || (key_open(reading, name, err) && key_close(reading, value, err));
    return key_open(reading, name, err) && part_read(reading, gate_str_trim(key), false, err);
}

static bool lines_read(struct reading *reading, struct gate_str text, struct gate_error *err) {
    struct gate_str line;
    for (reading->line_number = 1; gate_text_line_next(&text, &line); reading->line_number++)
        if (!line_read(reading, line, err))
            return false;
    if (reading->is_open)
        return gate_error_set(err, GATE_ERR_FORMAT, "the text ends inside of a key: expected ']: VALUE'");
    return reading->builder->sample_count != 0 || gate_error_set(err, GATE_ERR_FORMAT, "no map has stacks");
}

/*
 * Convert "@[ustack] = count()" and the like to pprof: samples/count, the values of the map. Of two stacks in a
 * key the first is the inner one, so kstack comes before ustack. Text in a key is the label "key". Maps without stacks
 * are left out; two maps with stacks are refused.
 *
 * See gate_format_fill in formats/reader.h.
 */
static bool bpftrace_fill(struct gate_builder *builder, struct gate_str bytes, const struct gate_limits *limits,
                          struct gate_error *err) {
    struct reading reading = {.builder = builder, .map = GATE_STR(""), .text = GATE_STR("")};
    (void)limits;
    gate_builder_type(builder, GATE_STR("samples"), GATE_STR("count"));
    return lines_read(&reading, bytes, err);
}

const struct gate_reader gate_bpftrace_reader = {
    .name = "bpftrace stacks",
    .is_text = true,
    .sniff = bpftrace_sniff,
    .format = GATE_FORMAT_BPFTRACE,
    .fill = bpftrace_fill,
};
