/* SPDX-License-Identifier: Apache-2.0 */
/* Collapsed stacks (see collapsed.h), the text that flame graph scripts, py-spy, stackprof and others write. */
#include "gate/profile/collapsed.h"

#include "gate/profile/builder_write.h"
#include "gate/profile/collapsed_origin.h"
#include "gate/profile/text_line.h"

enum { SNIFF_LINES = 10, SNIFF_BYTES = 64 * 1024 };

/* "a;b;c 42" to its stack and its count; py-spy writes a count alone for an empty stack. False when it is not such a
 * line. */
static bool line_split(struct gate_str line, struct gate_str *stack, int64_t *count) {
    size_t at = line.len;
    *count = 0;
    while (at > 0 && line.ptr[at - 1] >= '0' && line.ptr[at - 1] <= '9')
        at--;
    if (at == line.len || (at > 0 && line.ptr[at - 1] != ' ' && line.ptr[at - 1] != '\t'))
        return false;
    for (size_t i = at; i < line.len; i++)
        if (__builtin_mul_overflow(*count, 10, count) || __builtin_add_overflow(*count, line.ptr[i] - '0', count))
            return false;
    *stack = gate_str_trim(gate_str_slice(line, 0, at));
    return true;
}

/* The count of "a;b;c 1.5", or an empty text when the line ends otherwise. */
static struct gate_str line_fraction(struct gate_str line) {
    size_t at = line.len;
    uint32_t points = 0;
    while (at > 0 && ((line.ptr[at - 1] >= '0' && line.ptr[at - 1] <= '9') || line.ptr[at - 1] == '.'))
        points += line.ptr[--at] == '.';
    bool is_word = at > 0 && (line.ptr[at - 1] == ' ' || line.ptr[at - 1] == '\t');
    return gate_str_slice(line, points == 1 && is_word && line.len - at > 1 ? at : line.len, line.len);
}

/* Not a plain line of a log: a stack of two frames, counted. What is wrong behind it is for the reader to name. */
static bool is_sure(struct gate_str line) {
    struct gate_str stack;
    int64_t count = 0;
    return memchr(line.ptr, ';', line.len) != NULL &&
           (line_split(line, &stack, &count) || line_fraction(line).len != 0);
}

/* A comment, unless it reads as a stack: Julia's closures begin with '#' too. */
static bool is_skipped(struct gate_str line) {
    struct gate_str stack;
    int64_t count = 0;
    return line.len == 0 || (line.ptr[0] == '#' && !line_split(line, &stack, &count) && !is_sure(line));
}

bool gate_collapsed_sniff(struct gate_str bytes) {
    struct gate_str rest = gate_str_slice(bytes, 0, SNIFF_BYTES);
    struct gate_str line, stack;
    bool is_cut = rest.len < bytes.len;
    bool found = false;
    int64_t count = 0;
    for (uint32_t seen = 0; gate_text_line_next(&rest, &line);) {
        if (is_skipped(line) || (is_cut && rest.len == 0))
            continue;
        if (seen == 0 && is_sure(line))
            return true;
        if (seen++ < SNIFF_LINES && !line_split(line, &stack, &count))
            return false;
        found |= memchr(line.ptr, ';', line.len) != NULL;
    }
    return found;
}

/* CPython's frames become what py-spy writes of them, which the rules for names and own code know. */
static uint64_t frame_add(struct gate_builder *builder, struct gate_str frame, bool is_cpython) {
    struct gate_str function, file;
    int64_t line = 0;
    if (!is_cpython || !gate_collapsed_origin_frame(&function, &file, &line, frame))
        return gate_builder_frame(builder, frame, GATE_STR(""), 0);
    struct gate_arena *arena = builder->arena;
    struct gate_str name =
        gate_str_format(arena, "%.*s (%.*s:%lld)", GATE_STR_ARG(function), GATE_STR_ARG(file), (long long)line);
    builder->is_full |= name.ptr == NULL;
    return builder->is_full ? 0 : gate_builder_frame(builder, name, GATE_STR(""), 0);
}

static bool stack_add(struct gate_builder *builder, struct gate_str stack, int64_t count, uint64_t *locations,
                      uint32_t depth_max, struct gate_error *err) {
    uint32_t depth = 0;
    struct gate_collapsed_origin origin = gate_collapsed_origin_cut(&stack);
    size_t end = stack.len;
    while (end != SIZE_MAX) { /* from the leaf, which stands last, to the root */
        size_t start = end;
        while (start > 0 && stack.ptr[start - 1] != ';')
            start--;
        struct gate_str frame = gate_str_slice(stack, start, end);
        if (frame.len != 0) {
            if (depth == depth_max)
                return gate_error_set(err, GATE_ERR_LIMIT, "a stack has more than %u frames; raise --max-depth",
                                      depth_max);
            locations[depth++] = frame_add(builder, frame, origin.is_cpython);
        }
        end = start == 0 ? SIZE_MAX : start - 1;
    }
    struct gate_builder_sample sample = {.locations = locations,
                                         .depth = depth,
                                         .values = &count,
                                         .labels = origin.labels,
                                         .label_count = origin.label_count};
    return gate_builder_sample(builder, &sample, err);
}

static bool lines_add(struct gate_builder *builder, struct gate_str rest, const struct gate_limits *limits,
                      uint64_t *locations, struct gate_error *err) {
    struct gate_str line, stack;
    int64_t count = 0, ignored = 0;
    uint64_t samples = 0;
    for (uint64_t number = 1; gate_text_line_next(&rest, &line); number++) {
        if (is_skipped(line))
            continue;
        if (line_fraction(line).len != 0)
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "line %llu: the count '%.*s' is a fraction; counts are whole numbers: "
                                  "write them in a smaller unit",
                                  (unsigned long long)number, GATE_STR_ARG(gate_str_slice(line_fraction(line), 0, 40)));
        if (!line_split(line, &stack, &count))
            return gate_error_set(err, GATE_ERR_FORMAT, "line %llu: expected 'root;caller;leaf COUNT', found '%.*s'",
                                  (unsigned long long)number, (int)(line.len > 80 ? 80 : line.len), line.ptr);
        if (line_split(stack, &stack, &ignored))
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "line %llu: two counts, as difffolded.pl writes them: give both inputs separately",
                                  (unsigned long long)number);
        if (++samples > limits->samples)
            return gate_error_set(err, GATE_ERR_LIMIT, "more than %llu stacks; raise --max-samples",
                                  (unsigned long long)limits->samples);
        if (!stack_add(builder, stack, count, locations, limits->depth, err))
            return false;
    }
    return samples != 0 || gate_error_set(err, GATE_ERR_FORMAT, "no line holds a stack");
}

bool gate_collapsed_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                            struct gate_arena *scratch, struct gate_error *err) {
    struct gate_builder builder;
    uint64_t *locations = gate_arena_alloc(scratch, ((size_t)limits->depth + 1) * sizeof *locations);
    if (locations == NULL)
        return gate_arena_error(scratch, err);
    gate_builder_init(&builder, scratch);
    gate_builder_type(&builder, GATE_STR("samples"), GATE_STR("count"));
    bool ok = lines_add(&builder, bytes, limits, locations, err) && gate_builder_write(out, &builder, err);
    gate_builder_free(&builder);
    return ok;
}
