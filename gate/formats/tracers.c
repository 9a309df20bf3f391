/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of the output of tracers for tables whose keys are stacks: maps of bpftrace and aggregations of DTrace.
 * Source of DTrace's format: its guide, "stack()" and "ustack()". */
#include "gate/base/str.h"
#include "gate/formats/builder.h"
#include "gate/formats/perf_script.h"
#include "gate/formats/reader.h"
#include "gate/formats/text_line.h"
#include "gate/model/limits.h"

enum {
    SNIFF_BYTES = 64 * 1024,
    KEY_INDENT_MAX =
        8 /* DTrace indents texts of a key by 2 columns, and frames by 14 unless the option stackindent is smaller */
};

struct reading {
    struct gate_builder *builder;
    struct gate_str rest; /* lines that are not read yet */
    uint64_t line_number;
    struct gate_str text; /* the part of the key that is not a stack */
    struct gate_str map;  /* bpftrace: name of the map with stacks, including '@'; empty: none yet */
    bool is_open;         /* bpftrace: the key continues on the next line */
};

static bool is_address(struct gate_str text, uint64_t *address) {
    return gate_str_starts(text, GATE_STR("0x")) && gate_text_hex(&text, address) && text.len == 0;
}

static bool key_add(struct reading *reading, int64_t value, struct gate_error *err) {
    struct gate_label label = {.key = GATE_STR("key"), .text = reading->text, .unit = GATE_STR("")};
    struct gate_builder_sample sample = {.locations = reading->builder->stack,
                                         .depth = reading->builder->depth,
                                         .values = &value,
                                         .labels = &label,
                                         .label_count = reading->text.len != 0};
    return gate_builder_sample(reading->builder, &sample, err);
}

/* Begin to read samples/count. */
static struct reading begin(struct gate_builder *builder, struct gate_str bytes) {
    gate_builder_type(builder, GATE_STR("samples"), GATE_STR("count"));
    return (struct reading){.builder = builder, .rest = bytes, .text = GATE_STR(""), .map = GATE_STR("")};
}

/* ---- bpftrace ---------------------------------------------------------------------------------------------------- */

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
static uint64_t bpftrace_frame_add(struct gate_builder *builder, struct gate_str line) {
    struct gate_perf_frame frame = {.name = line, .file = GATE_STR("")};
    uint64_t address = 0;
    if (is_address(line, &address))
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
    return gate_builder_push(reading->builder, bpftrace_frame_add(reading->builder, part), err);
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
    reading->is_open = false;
    return key_add(reading, value, err);
}

static bool bpftrace_line_read(struct reading *reading, struct gate_str line, struct gate_error *err) {
    struct gate_str name, key;
    int64_t value = 0;
    if (reading->is_open) {
        if (!key_ends(&key, &value, line))
            return part_read(reading, line, true, err);
        return part_read(reading, key, false, err) && key_close(reading, value, err);
    }
    if (!key_begins(&name, &key, line))
        return true;                 /* output of the traced program, or a map without keys */
    if (key_ends(&key, &value, key)) /* a key on one line is an empty stack, or of a map without stacks */
        return key.len != 0 || (key_open(reading, name, err) && key_close(reading, value, err));
    return key_open(reading, name, err) && part_read(reading, gate_str_trim(key), false, err);
}

static bool bpftrace_read(struct reading *reading, struct gate_error *err) {
    struct gate_str line;
    for (reading->line_number = 1; gate_text_line_next(&reading->rest, &line); reading->line_number++)
        if (!bpftrace_line_read(reading, line, err))
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
    struct reading reading = begin(builder, bytes);
    (void)limits;
    return bpftrace_read(&reading, err);
}

const struct gate_reader gate_bpftrace_reader = {
    .name = "bpftrace stacks",
    .is_text = true,
    .sniff = bpftrace_sniff,
    .format = GATE_FORMAT_BPFTRACE,
    .fill = bpftrace_fill,
};

/* ---- DTrace ------------------------------------------------------------------------------------------------------ */

struct line {
    struct gate_str text; /* without surrounding white space */
    size_t indent;
};

static bool line_next(struct gate_str *rest, struct line *out) {
    const char *from = rest->ptr;
    if (!gate_text_line_next(rest, &out->text))
        return false;
    out->indent = out->text.len == 0 ? 0 : (size_t)(out->text.ptr - from);
    return true;
}

/* Split "MODULE`FUNCTION+0x1f", "MODULE`FUNCTION" or "MODULE`0x1f". Returns false for other lines. */
static bool frame_split(struct gate_str *module, struct gate_str *function, struct gate_str line) {
    size_t tick = gate_str_find(line, GATE_STR("`"), 0);
    if (tick == SIZE_MAX || tick == 0 || tick + 1 == line.len)
        return false;
    *module = gate_str_slice(line, 0, tick);
    *function = gate_str_slice(line, tick + 1, line.len);
    return memchr(module->ptr, ' ', module->len) == NULL;
}

static bool is_frame(struct gate_str line) {
    struct gate_str module, function;
    uint64_t address = 0;
    return frame_split(&module, &function, line) || is_address(line, &address);
}

/* Return true if `text` has a stack of frames such as "libc.so.1`read+0xa", and a count on a line of its own below. */
static bool dtrace_sniff(struct gate_str text) {
    struct gate_str rest = gate_str_slice(text, 0, SNIFF_BYTES), module, function;
    struct line line;
    bool has_frame = false;
    int64_t value = 0;
    while (line_next(&rest, &line)) {
        if (has_frame && gate_text_is_number(line.text, &value))
            return true;
        if (frame_split(&module, &function, line.text))
            has_frame = true;
        else if (line.text.len != 0 && line.indent <= KEY_INDENT_MAX && !is_frame(line.text))
            has_frame = false;
    }
    return false;
}

/* Add a frame of DTrace, or one that a language's ustack helper has, which may be any text. */
static uint64_t dtrace_frame_add(struct gate_builder *builder, struct gate_str line) {
    struct gate_mapping mapping = {.file = GATE_STR(""), .build_id = GATE_STR("")};
    struct gate_str name = line;
    uint64_t address = 0;
    if (!frame_split(&mapping.file, &name, line))
        mapping.file = GATE_STR("");
    name = is_address(name, &address) ? GATE_STR("") : gate_text_without_offset(name);
    return gate_builder_frame_in(builder, &mapping, address, name, GATE_STR(""), 0);
}

static bool frame_read(struct reading *reading, struct gate_str line, struct gate_error *err) {
    return gate_builder_push(reading->builder, dtrace_frame_add(reading->builder, line), err) ||
           gate_error_prefix(err, "line %llu", (unsigned long long)reading->line_number);
}

static bool count_read(struct reading *reading, int64_t value, struct gate_error *err) {
    bool ok = key_add(reading, value, err);
    reading->builder->depth = 0;
    reading->text = GATE_STR("");
    return ok;
}

static bool frame_follows(const struct reading *reading) {
    struct gate_str rest = reading->rest;
    struct line next;
    return line_next(&rest, &next) && is_frame(next.text);
}

static bool dtrace_line_read(struct reading *reading, const struct line *line, struct gate_error *err) {
    int64_t value = 0;
    if (line->text.len == 0) { /* between two stacks of a key, or two keys */
        if (reading->builder->depth == 0)
            reading->text = GATE_STR("");
        return true;
    }
    if (gate_text_is_number(line->text, &value)) {
        bool is_of_key = reading->builder->depth == 0 && frame_follows(reading);
        return is_of_key || count_read(reading, value, err);
    }
    if (reading->builder->depth != 0 || is_frame(line->text) || line->indent > KEY_INDENT_MAX)
        return frame_read(reading, line->text, err);
    reading->text = line->text;
    return true;
}

static bool dtrace_read(struct reading *reading, struct gate_error *err) {
    struct line line;
    for (reading->line_number = 1; line_next(&reading->rest, &line); reading->line_number++)
        if (!dtrace_line_read(reading, &line, err))
            return false;
    return reading->builder->depth == 0 ||
           gate_error_set(err, GATE_ERR_FORMAT, "the last stack has no count: the text is cut");
}

/*
 * Convert to pprof: samples/count. A text before a stack, such as execname, is the label `key`; a number there,
 * such as pid, is left out.
 *
 * See gate_format_fill in formats/reader.h.
 */
static bool dtrace_fill(struct gate_builder *builder, struct gate_str bytes, const struct gate_limits *limits,
                        struct gate_error *err) {
    struct reading reading = begin(builder, bytes);
    (void)limits;
    return dtrace_read(&reading, err);
}

const struct gate_reader gate_dtrace_reader = {
    .name = "DTrace stacks",
    .is_text = true,
    .sniff = dtrace_sniff,
    .format = GATE_FORMAT_DTRACE,
    .fill = dtrace_fill,
};
