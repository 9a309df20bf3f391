/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of text profiles (see text_stacks.h). */
#include "gate/profile/text_stacks.h"

#include "gate/profile/text_line.h"

#include <math.h>

/* Functions that stand at the leaf of whatever allocates, as far as a file has names or gets them. */
#define ALLOCATORS                                                                                                     \
    "(__libc_|je_|tc_|_rjem_|_rjem_je_|do_)?"                                                                          \
    "(malloc|calloc|realloc|memalign|aligned_alloc|posix_memalign|valloc|pvalloc|mallocx|rallocx)|"                    \
    "operator new(\\[\\])?(\\(.*)?|tc_new.*|tcmalloc::.*|(je_|_rjem_je_)?prof_.*|(je_|_rjem_je_)?malloc_default"

/* Where the memory map begins, behind its heading; the end of `bytes` where there is none. */
static size_t map_find(struct gate_str bytes, size_t *heading) {
    static const char *const headings[] = {"\nMAPPED_LIBRARIES:", "\n--- Memory map: ---"};
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
        *heading = gate_str_find(bytes, gate_str_from(headings[i]), 0);
        if (*heading != SIZE_MAX)
            return *heading + strlen(headings[i]);
    }
    *heading = bytes.len;
    return bytes.len;
}

bool gate_text_stacks_init(struct gate_text_stacks *stacks, struct gate_str *text, struct gate_str bytes,
                           const struct gate_limits *limits, struct gate_arena *scratch, struct gate_error *err) {
    *stacks = (struct gate_text_stacks){.scratch = scratch, .limits = *limits};
    gate_builder_init(&stacks->builder, scratch);
    stacks->addresses = gate_arena_alloc(scratch, ((size_t)limits->depth + 1) * sizeof *stacks->addresses);
    stacks->named = gate_arena_alloc(scratch, ((size_t)limits->depth + 1) * sizeof *stacks->named);
    if (stacks->addresses == NULL || stacks->named == NULL)
        return gate_arena_error(scratch, err);
    size_t heading = 0;
    size_t map = map_find(bytes, &heading);
    *text = gate_str_slice(bytes, 0, heading);
    return gate_memory_map_read(&stacks->map, gate_str_slice(bytes, map, bytes.len), scratch, err);
}

void gate_text_stacks_free(struct gate_text_stacks *stacks) {
    gate_builder_free(&stacks->builder);
}

bool gate_text_stacks_line(struct gate_text_stacks *stacks, struct gate_str *rest, struct gate_str *line) {
    stacks->line_number++;
    return gate_text_line_next(rest, line);
}

/* How many addresses at the leaf are the allocator's own. */
static uint32_t allocator_frames(const struct gate_text_stacks *stacks) {
    uint32_t count = 0;
    for (; stacks->allocator.len != 0 && count < stacks->address_count; count++) {
        const struct gate_mapping *mapping = gate_memory_map_find(&stacks->map, stacks->addresses[count]);
        if (mapping == NULL || gate_str_find(gate_str_basename(mapping->file), stacks->allocator, 0) == SIZE_MAX)
            break;
    }
    return count;
}

bool gate_text_stacks_end(struct gate_text_stacks *stacks, struct gate_error *err) {
    bool is_named = stacks->named_count != 0;
    struct gate_label label = {.key = GATE_STR("bytes"), .number = stacks->block_bytes, .unit = GATE_STR("")};
    uint32_t skipped = is_named ? 0 : allocator_frames(stacks);
    struct gate_builder_sample sample = {.locations = stacks->named,
                                         .depth = is_named ? stacks->named_count : stacks->address_count - skipped,
                                         .values = stacks->values,
                                         .labels = &label,
                                         .label_count = stacks->block_bytes != 0};
    if (!stacks->is_open)
        return true;
    stacks->is_open = false;
    for (uint32_t i = 0; !is_named && i < sample.depth; i++)
        stacks->named[i] = gate_memory_map_location(&stacks->builder, &stacks->map, stacks->addresses[skipped + i]);
    return gate_builder_sample(&stacks->builder, &sample, err);
}

bool gate_text_stacks_begin(struct gate_text_stacks *stacks, struct gate_error *err) {
    if (!gate_text_stacks_end(stacks, err))
        return false;
    if (++stacks->record_count > stacks->limits.samples)
        return gate_error_set(err, GATE_ERR_LIMIT, "more than %llu stacks; raise --max-samples",
                              (unsigned long long)stacks->limits.samples);
    stacks->is_open = true;
    stacks->address_count = stacks->named_count = 0;
    stacks->block_bytes = 0;
    memset(stacks->values, 0, sizeof stacks->values);
    return true;
}

static bool too_deep(const struct gate_text_stacks *stacks, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_LIMIT, "line %llu: a stack has more than %u frames; raise --max-depth",
                          (unsigned long long)stacks->line_number, stacks->limits.depth);
}

bool gate_text_stacks_addresses(struct gate_text_stacks *stacks, struct gate_str text, struct gate_error *err) {
    uint64_t address = 0;
    for (text = gate_str_trim(text); text.len != 0; text = gate_str_trim(text)) {
        if (!gate_text_hex(&text, &address))
            return gate_error_set(err, GATE_ERR_FORMAT, "line %llu: expected addresses, found '%.*s'",
                                  (unsigned long long)stacks->line_number, GATE_STR_ARG(gate_str_slice(text, 0, 40)));
        if (stacks->address_count == stacks->limits.depth)
            return too_deep(stacks, err);
        if (address != 0) /* what Go has of threads that it did not start */
            stacks->addresses[stacks->address_count++] = address - 1;
    }
    return true;
}

/* "main.run+0x20" without its offset. */
static struct gate_str without_offset(struct gate_str name) {
    size_t at = name.len;
    while (at > 0 && name.ptr[at - 1] != '+')
        at--;
    struct gate_str offset = gate_str_slice(name, at, name.len);
    return at > 1 && gate_str_starts(offset, GATE_STR("0x")) ? gate_str_slice(name, 0, at - 1) : name;
}

bool gate_text_stacks_name(struct gate_text_stacks *stacks, struct gate_str line, struct gate_error *err) {
    uint64_t address = 0;
    int64_t number = 0;
    struct gate_str rest = line;
    if (!stacks->is_open || !gate_str_starts(line, GATE_STR("#\t0x")) || !gate_text_mark(&rest, '#') ||
        !gate_text_hex(&rest, &address) || rest.len == 0)
        return true; /* a comment; or an address without a name, which the record has */
    /* A name may hold blanks, a tab ends it. */
    rest = gate_str_trim(rest);
    size_t end = gate_str_find(rest, GATE_STR("\t"), 0);
    struct gate_str name = without_offset(gate_str_trim(gate_str_slice(rest, 0, end == SIZE_MAX ? rest.len : end)));
    struct gate_str file = end == SIZE_MAX ? GATE_STR("") : gate_str_trim(gate_str_slice(rest, end, rest.len));
    size_t colon = file.len;
    while (colon > 0 && file.ptr[colon - 1] != ':')
        colon--;
    struct gate_str digits = gate_str_slice(file, colon, file.len);
    if (colon > 0 && gate_text_number(&digits, &number) && digits.len == 0 && number >= 0)
        file = gate_str_slice(file, 0, colon - 1);
    else
        number = 0;
    if (stacks->named_count == stacks->limits.depth)
        return too_deep(stacks, err);
    stacks->named[stacks->named_count++] = gate_builder_frame(&stacks->builder, name, file, number);
    return true;
}

bool gate_text_heap_read(struct gate_text_heap *out, struct gate_str *rest) {
    struct gate_str at = *rest;
    bool ok = gate_text_number(&at, &out->objects) && gate_text_mark(&at, ':') && gate_text_number(&at, &out->bytes) &&
              gate_text_mark(&at, '[') && gate_text_number(&at, &out->alloc_objects) && gate_text_mark(&at, ':') &&
              gate_text_number(&at, &out->alloc_bytes) && gate_text_mark(&at, ']');
    if (ok)
        *rest = at;
    return ok;
}

bool gate_text_heap_has_alloc(const struct gate_text_heap *total) {
    return (total->alloc_objects != total->objects && total->alloc_objects != 0) ||
           (total->alloc_bytes != total->bytes && total->alloc_bytes != 0);
}

void gate_text_heap_declare(struct gate_text_stacks *stacks, bool has_alloc, int64_t rate) {
    struct gate_builder *builder = &stacks->builder;
    if (has_alloc) {
        gate_builder_type(builder, GATE_STR("alloc_objects"), GATE_STR("count"));
        gate_builder_type(builder, GATE_STR("alloc_space"), GATE_STR("bytes"));
    }
    gate_builder_type(builder, has_alloc ? GATE_STR("inuse_objects") : GATE_STR("objects"), GATE_STR("count"));
    gate_builder_type(builder, has_alloc ? GATE_STR("inuse_space") : GATE_STR("space"), GATE_STR("bytes"));
    builder->header.period_type = (struct gate_value_type){GATE_STR("space"), GATE_STR("bytes")};
    builder->header.period = rate > 1 ? rate : 1;
    builder->header.drop_frames = GATE_STR(ALLOCATORS);
}

static bool pair_set(struct gate_text_stacks *stacks, int64_t values[2], int64_t objects, int64_t bytes, int64_t rate,
                     struct gate_error *err) {
    if (objects == 0 && bytes != 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "line %llu: %lld bytes of no objects",
                              (unsigned long long)stacks->line_number, (long long)bytes);
    values[0] = objects;
    values[1] = bytes;
    if (objects == 0)
        return true;
    stacks->block_bytes = bytes / objects;
    if (rate <= 1)
        return true;
    double kept = -expm1(-((double)bytes / (double)objects) / (double)rate);
    double scaled[2] = {(double)objects / kept, (double)bytes / kept};
    if (bytes == 0) /* objects of no size are never sampled */
        scaled[0] = scaled[1] = 0;
    for (int i = 0; i < 2; i++) {
        if (!(fabs(scaled[i]) < 9e18))
            return gate_error_set(err, GATE_ERR_OVERFLOW, "line %llu: its scaled values do not fit in 64 bits",
                                  (unsigned long long)stacks->line_number);
        values[i] = (int64_t)scaled[i];
    }
    return true;
}

bool gate_text_heap_set(struct gate_text_stacks *stacks, const struct gate_text_heap *heap, bool has_alloc,
                        int64_t rate, struct gate_error *err) {
    int64_t *values = stacks->values;
    if (has_alloc && !pair_set(stacks, values, heap->alloc_objects, heap->alloc_bytes, rate, err))
        return false;
    return pair_set(stacks, values + (has_alloc ? 2 : 0), heap->objects, heap->bytes, rate, err);
}
