/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of what DTrace prints of an aggregation whose keys are stacks. Source of the format: the DTrace guide,
 * "stack()" and "ustack()". */
#include "gate/base/str.h"
#include "gate/formats/builder.h"
#include "gate/formats/reader.h"
#include "gate/formats/text_line.h"
#include "gate/model/limits.h"

enum {
    SNIFF_BYTES = 64 * 1024,
    KEY_INDENT_MAX = 8 /* texts of a key are indented by 2, frames by 14 unless the option stackindent says less */
};

struct line {
    struct gate_str text; /* without surrounding white space */
    size_t indent;
};

struct reading {
    struct gate_builder *builder;
    struct gate_str rest; /* lines that are not read yet */
    uint64_t line_number;
    struct gate_str text; /* the part of the key that is not a stack */
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

static bool is_address(struct gate_str text, uint64_t *address) {
    return gate_str_starts(text, GATE_STR("0x")) && gate_text_hex(&text, address) && text.len == 0;
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
static uint64_t frame_add(struct gate_builder *builder, struct gate_str line) {
    struct gate_mapping mapping = {.file = GATE_STR(""), .build_id = GATE_STR("")};
    struct gate_str name = line;
    uint64_t address = 0;
    if (!frame_split(&mapping.file, &name, line))
        mapping.file = GATE_STR("");
    name = is_address(name, &address) ? GATE_STR("") : gate_text_without_offset(name);
    return gate_builder_frame_in(builder, &mapping, address, name, GATE_STR(""), 0);
}

static bool frame_read(struct reading *reading, struct gate_str line, struct gate_error *err) {
    return gate_builder_push(reading->builder, frame_add(reading->builder, line), err) ||
           gate_error_prefix(err, "line %llu", (unsigned long long)reading->line_number);
}

static bool count_read(struct reading *reading, int64_t value, struct gate_error *err) {
    struct gate_label label = {.key = GATE_STR("key"), .text = reading->text, .unit = GATE_STR("")};
    struct gate_builder_sample sample = {.locations = reading->builder->stack,
                                         .depth = reading->builder->depth,
                                         .values = &value,
                                         .labels = &label,
                                         .label_count = reading->text.len != 0};
    bool ok = gate_builder_sample(reading->builder, &sample, err);
    reading->builder->depth = 0;
    reading->text = GATE_STR("");
    return ok;
}

static bool frame_follows(const struct reading *reading) {
    struct gate_str rest = reading->rest;
    struct line next;
    return line_next(&rest, &next) && is_frame(next.text);
}

static bool line_read(struct reading *reading, const struct line *line, struct gate_error *err) {
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

static bool lines_read(struct reading *reading, struct gate_error *err) {
    struct line line;
    for (reading->line_number = 1; line_next(&reading->rest, &line); reading->line_number++)
        if (!line_read(reading, &line, err))
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
    struct reading reading = {.builder = builder, .rest = bytes, .text = GATE_STR("")};
    (void)limits;
    gate_builder_type(builder, GATE_STR("samples"), GATE_STR("count"));
    return lines_read(&reading, err);
}

const struct gate_reader gate_dtrace_reader = {
    .name = "DTrace stacks",
    .is_text = true,
    .sniff = dtrace_sniff,
    .format = GATE_FORMAT_DTRACE,
    .fill = dtrace_fill,
};
