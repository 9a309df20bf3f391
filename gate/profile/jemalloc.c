/* SPDX-License-Identifier: Apache-2.0 */
/* jemalloc's heap_v2 (see jemalloc.h). */
#include "gate/profile/jemalloc.h"

#include "gate/profile/builder_write.h"
#include "gate/profile/text_line.h"
#include "gate/profile/text_stacks.h"

struct reading {
    struct gate_text_stacks stacks;
    int64_t rate;
    bool has_alloc;
    bool has_total;
};

static bool unexpected(const struct reading *reading, const char *expected, struct gate_str line,
                       struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_FORMAT, "line %llu: expected %s, found '%.*s'",
                          (unsigned long long)reading->stacks.line_number, expected,
                          GATE_STR_ARG(gate_str_slice(line, 0, 60)));
}

/* "t*: 13: 6688 [20: 9000]": the sum of all threads. The first one is of all stacks, and says which columns there are.
 */
static bool total_read(struct reading *reading, struct gate_str line, struct gate_error *err) {
    const struct gate_str mark = GATE_STR("t*:");
    struct gate_text_heap heap = {0};
    struct gate_str rest = gate_str_slice(line, mark.len, line.len);
    if (!gate_text_heap_read(&heap, &rest) || rest.len != 0)
        return unexpected(reading, "'t*: OBJECTS: BYTES [OBJECTS: BYTES]'", line, err);
    if (!reading->has_total) {
        reading->has_total = true;
        reading->has_alloc = gate_text_heap_has_alloc(&heap);
        gate_text_heap_declare(&reading->stacks, reading->has_alloc, reading->rate);
        return true;
    }
    if (!reading->stacks.is_open)
        return unexpected(reading, "a stack, '@ ADDRESS …', before its values", line, err);
    return gate_text_heap_set(&reading->stacks, &heap, reading->has_alloc, reading->rate, err);
}

static bool line_read(struct reading *reading, struct gate_str line, struct gate_error *err) {
    struct gate_str rest = line;
    if (line.len == 0)
        return true;
    if (gate_str_starts(line, GATE_STR("t*:")))
        return total_read(reading, line, err);
    if (line.ptr[0] == 't')
        return true; /* one thread's part of it */
    if (!gate_text_mark(&rest, '@'))
        return unexpected(reading, "'@ ADDRESS …' or 't*: …'", line, err);
    if (!reading->has_total)
        return unexpected(reading, "the total, 't*: OBJECTS: BYTES [OBJECTS: BYTES]'", line, err);
    return gate_text_stacks_begin(&reading->stacks, err) && gate_text_stacks_addresses(&reading->stacks, rest, err);
}

static bool lines_read(struct reading *reading, struct gate_str text, struct gate_error *err) {
    const struct gate_str mark = GATE_STR("heap_v2/");
    struct gate_str line;
    if (!gate_text_stacks_line(&reading->stacks, &text, &line) || !gate_str_starts(line, mark))
        return unexpected(reading, "'heap_v2/RATE'", text, err);
    struct gate_str rest = gate_str_slice(line, mark.len, line.len);
    if (!gate_text_number(&rest, &reading->rate) || rest.len != 0 || reading->rate < 1)
        return unexpected(reading, "'heap_v2/RATE'", line, err);
    while (gate_text_stacks_line(&reading->stacks, &text, &line))
        if (!line_read(reading, line, err))
            return false;
    return (reading->has_total || unexpected(reading, "the total, 't*: …'", GATE_STR("the end"), err)) &&
           gate_text_stacks_end(&reading->stacks, err);
}

bool gate_jemalloc_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                           struct gate_arena *scratch, struct gate_error *err) {
    struct reading reading = {0};
    struct gate_str text;
    bool ok = gate_text_stacks_init(&reading.stacks, &text, bytes, limits, scratch, err);
    reading.stacks.allocator = GATE_STR("jemalloc");
    ok = ok && lines_read(&reading, text, err) && gate_builder_write(out, &reading.stacks.builder, err);
    gate_text_stacks_free(&reading.stacks);
    return ok;
}
