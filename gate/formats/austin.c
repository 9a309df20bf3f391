/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of austin text (austin 3): collapsed stacks with a header and times. */
#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/formats/builder.h"
#include "gate/formats/collapsed.h"
#include "gate/formats/pprof_write.h"
#include "gate/formats/reader.h"
#include "gate/formats/text_line.h"
#include "gate/model/limits.h"

enum mode { MODE_WALL, MODE_CPU, MODE_FULL };

enum { NS_PER_US = 1000 };

struct reading {
    struct gate_builder builder;
    const struct gate_limits *limits;
    enum mode mode;
    uint64_t line_number, samples;
    uint64_t *stack;
};

static bool unexpected(const struct reading *reading, const char *expected, struct gate_str found,
                       struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_FORMAT, "line %llu: expected %s, found '%.*s'",
                          (unsigned long long)reading->line_number, expected,
                          GATE_STR_ARG(gate_str_slice(found, 0, 60)));
}

/* Read the line "# mode: wall", which decides the columns. Other lines of the header are ignored. */
static bool header_read(struct reading *reading, struct gate_str line, struct gate_error *err) {
    static const char *const names[] = {[MODE_WALL] = "wall", [MODE_CPU] = "cpu", [MODE_FULL] = "full"};
    struct gate_builder *builder = &reading->builder;
    const struct gate_str key = GATE_STR("# mode:");
    if (!gate_str_starts(line, key))
        return true;
    if (builder->type_count != 0)
        return unexpected(reading, "one mode: the file has several recordings", line, err);
    struct gate_str name = gate_str_trim(gate_str_slice(line, key.len, line.len));
    if (gate_str_equal(name, GATE_STR("memory")))
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "a memory profile of austin, which has what the process grew by between samples: record "
                              "without --memory");
    for (int mode = MODE_WALL; mode <= MODE_FULL; mode++) {
        if (!gate_str_equal(name, gate_str_from(names[mode])))
            continue;
        reading->mode = (enum mode)mode;
        gate_builder_type(builder, GATE_STR("samples"), GATE_STR("count"));
        if (mode != MODE_CPU)
            gate_builder_type(builder, GATE_STR("wall"), GATE_STR("nanoseconds"));
        if (mode != MODE_WALL)
            gate_builder_type(builder, GATE_STR("cpu"), GATE_STR("nanoseconds"));
        return true;
    }
    return unexpected(reading, "the mode wall, cpu or full", name, err);
}

/* Read "1893", or of a full profile "1893,0,-503808": microseconds, 1 if the thread was idle, and bytes. */
static bool times_read(struct reading *reading, struct gate_str text, int64_t *values, struct gate_error *err) {
    struct gate_str rest = text;
    int64_t time_us = 0, is_idle = 0, bytes = 0, time_ns = 0;
    bool ok = gate_text_number(&rest, &time_us) && time_us >= 0;
    if (ok && reading->mode == MODE_FULL)
        ok = gate_text_mark(&rest, ',') && gate_text_number(&rest, &is_idle) && gate_text_mark(&rest, ',') &&
             gate_text_number(&rest, &bytes);
    if (!ok || rest.len != 0)
        return unexpected(reading, reading->mode == MODE_FULL ? "'STACK TIME,IDLE,BYTES'" : "'STACK TIME'", text, err);
    if (__builtin_mul_overflow(time_us, NS_PER_US, &time_ns))
        return gate_error_set(err, GATE_ERR_OVERFLOW, "line %llu: its time does not fit in 64 bits",
                              (unsigned long long)reading->line_number);
    values[0] = 1;
    values[1] = time_ns;
    values[2] = is_idle != 0 ? 0 : time_ns;
    return true;
}

/* Add the frame "shop.py:encode:40", or one of austin's own, such as ":GC:". */
static uint64_t frame_add(struct gate_builder *builder, struct gate_str frame) {
    struct gate_str function = frame, file = GATE_STR("");
    int64_t line = 0;
    if (frame.len > 2 && gate_str_starts(frame, GATE_STR(":")) && gate_str_ends(frame, GATE_STR(":")))
        return gate_builder_frame(builder, gate_str_slice(frame, 1, frame.len - 1), file, 0);
    if (!gate_collapsed_origin_frame(&function, &file, &line, frame) || line < 0 || line > INT32_MAX)
        return gate_builder_frame(builder, gate_str_trim(frame), GATE_STR(""), 0);
    return gate_builder_frame(builder, function, file, line);
}

/* Remove "P15357;T0:15357" and the ';' behind it. The numbers differ in each run. */
static bool origin_cut(struct gate_str *stack) {
    size_t process = gate_str_find(*stack, GATE_STR(";T"), 0);
    if (!gate_str_starts(*stack, GATE_STR("P")) || process == SIZE_MAX)
        return false;
    size_t end = gate_str_find(*stack, GATE_STR(";"), process + 1);
    *stack = gate_str_slice(*stack, end == SIZE_MAX ? stack->len : end + 1, stack->len);
    return true;
}

/* Read "P15357;T0:15357;shop.py:main:11;shop.py:encode:40 1893". */
static bool sample_read(struct reading *reading, struct gate_str line, struct gate_error *err) {
    int64_t values[3] = {0};
    struct gate_builder_sample sample = {.locations = reading->stack, .values = values};
    size_t blank = line.len;
    while (blank > 0 && line.ptr[blank - 1] != ' ')
        blank--;
    struct gate_str stack = gate_str_slice(line, 0, blank == 0 ? 0 : blank - 1);
    if (reading->builder.type_count == 0)
        return unexpected(reading, "'# mode: …' before the first stack", line, err);
    if (!origin_cut(&stack))
        return unexpected(reading, "'PPROCESS;TTHREAD;STACK TIME'", line, err);
    if (++reading->samples > reading->limits->samples)
        return gate_error_set(err, GATE_ERR_LIMIT, "more than %llu stacks; raise --max-samples",
                              (unsigned long long)reading->limits->samples);
    if (!times_read(reading, gate_str_slice(line, blank, line.len), values, err))
        return false;
    if (reading->mode == MODE_CPU)
        values[2] = values[1];
    for (size_t end = stack.len; stack.len != 0 && end != SIZE_MAX;) { /* from the leaf, which is last */
        size_t start = end;
        while (start > 0 && stack.ptr[start - 1] != ';')
            start--;
        if (sample.depth == reading->limits->depth)
            return gate_error_set(err, GATE_ERR_LIMIT, "a stack has more than %u frames; raise --max-depth",
                                  reading->limits->depth);
        reading->stack[sample.depth++] = frame_add(&reading->builder, gate_str_slice(stack, start, end));
        end = start == 0 ? SIZE_MAX : start - 1;
    }
    return gate_builder_sample(&reading->builder, &sample, err);
}

static bool lines_read(struct reading *reading, struct gate_str text, struct gate_error *err) {
    struct gate_str line;
    for (reading->line_number = 1; gate_text_line_next(&text, &line); reading->line_number++) {
        bool is_header = line.len != 0 && line.ptr[0] == '#';
        if (line.len != 0 && !(is_header ? header_read(reading, line, err) : sample_read(reading, line, err)))
            return false;
    }
    return reading->samples != 0 || gate_error_set(err, GATE_ERR_FORMAT, "no line holds a stack");
}

/* Return true if `text` is such a file. */
static bool austin_sniff(struct gate_str text) {
    return gate_str_starts(text, GATE_STR("# austin:"));
}

/*
 * Convert to pprof bytes: samples/count, one per line, and by mode wall or cpu/nanoseconds, or both of a full profile.
 * Frames are FILE:FUNCTION:LINE. Process and thread numbers are left out. Memory profiles are refused.
 *
 * See gate_format_convert in formats/reader.h.
 */
static bool austin_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                           struct gate_arena *scratch, struct gate_error *err) {
    struct reading reading = {.limits = limits};
    reading.stack = gate_arena_alloc(scratch, ((size_t)limits->depth + 1) * sizeof *reading.stack);
    if (reading.stack == NULL)
        return gate_arena_error(scratch, err);
    gate_builder_init(&reading.builder, scratch);
    reading.builder.steps_most = limits->steps;
    bool ok = lines_read(&reading, bytes, err) && gate_builder_write(out, &reading.builder, err);
    gate_builder_free(&reading.builder);
    return ok;
}

const struct gate_reader gate_austin_reader = {
    .name = "austin",
    .is_text = true,
    .sniff = austin_sniff,
    .format = GATE_FORMAT_AUSTIN,
    .convert = austin_convert,
};
