/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of pprof's formats before protobuf: its text profiles (?debug=1), jemalloc's heap profiles, and CPU profiles
 * of gperftools. */
#include "gate/base/search.h"
#include "gate/formats/builder.h"
#include "gate/formats/reader.h"
#include "gate/formats/text_line.h"
#include "gate/model/limits.h"

#include <math.h>
#include <stdlib.h>

/* ---- memory map at the end of a profile, in the form of /proc/PID/maps ------------------------------------------- */

/* Executable mappings in order of their start, in arena memory. */
struct gate_memory_map {
    struct gate_mapping *items;
    size_t count, capacity;
};

/* Read a line such as "00400000-0040b000 r-xp 00000000 08:01 1234  /usr/bin/app". Only executable mappings are kept. */
static bool line_read(struct gate_memory_map *map, struct gate_str line, struct gate_arena *arena,
                      struct gate_error *err) {
    struct gate_mapping mapping = {.build_id = GATE_STR("")};
    if (!gate_text_hex(&line, &mapping.start) || !gate_text_mark(&line, '-') || !gate_text_hex(&line, &mapping.limit))
        return true;
    struct gate_str rights = gate_text_word(&line);
    if (mapping.limit <= mapping.start || rights.len < 3 || rights.ptr[2] != 'x' ||
        !gate_text_hex(&line, &mapping.offset))
        return true;
    (void)gate_text_word(&line); /* the device */
    (void)gate_text_word(&line); /* the inode */
    mapping.file = gate_str_repair_utf8(arena, gate_str_trim(line));
    if (mapping.file.ptr == NULL || !GATE_GROW(arena, map->items, map->count, map->capacity))
        return gate_arena_error(arena, err);
    map->items[map->count++] = mapping;
    return true;
}

static int start_order(const void *a, const void *b) {
    uint64_t left = ((const struct gate_mapping *)a)->start, right = ((const struct gate_mapping *)b)->start;
    return (left > right) - (left < right);
}

/*
 * Read the executable mappings of `text`. Other lines are ignored.
 *
 * err   GATE_ERR_LIMIT or GATE_ERR_MEMORY: `arena` is full
 *
 * O(bytes + mappings log mappings).
 */
static bool memory_map_read(struct gate_memory_map *out, struct gate_str text, struct gate_arena *arena,
                            struct gate_error *err) {
    struct gate_str line;
    *out = (struct gate_memory_map){0};
    while (gate_text_line_next(&text, &line))
        if (!line_read(out, line, arena, err))
            return false;
    if (out->count != 0)
        qsort(out->items, out->count, sizeof *out->items, start_order);
    return true;
}

/** Return the mapping that contains `address`, or NULL. O(log mappings). */
static const struct gate_mapping *memory_map_find(const struct gate_memory_map *map, uint64_t address) {
    size_t at = 0;
    GATE_SEARCH(at, map->count, map->items[at].start <= address);
    return at != 0 && address < map->items[at - 1].limit ? &map->items[at - 1] : NULL;
}

/*
 * Return the id of a location without lines at `address`, in its mapping or in none. The address is moved to where
 * the builder saw the mapping first. 0: the builder is full. O(log mappings).
 */
static uint64_t memory_map_location(struct gate_builder *builder, const struct gate_memory_map *map, uint64_t address) {
    const struct gate_mapping *mapping = memory_map_find(map, address);
    uint64_t start = 0;
    if (mapping == NULL)
        return gate_builder_location(builder, 0, address, NULL, 0);
    uint64_t id = gate_builder_mapping(builder, mapping, &start);
    return gate_builder_location(builder, id, address - mapping->start + start, NULL, 0);
}

/* ---- stacks of text profiles ------------------------------------------------------------------------------------- */

enum { GATE_TEXT_VALUES_MAX = 4 };

struct gate_text_stacks {
    struct gate_builder *builder;
    struct gate_memory_map map;
    struct gate_limits limits;
    struct gate_str allocator; /* leaf frames in files whose name contains this are left out; empty: none */
    uint64_t line_number;      /* current line, for messages */
    /* The current record. Addresses and names are added to it until the next record starts. */
    bool is_open;
    int64_t values[GATE_TEXT_VALUES_MAX];
    int64_t block_bytes;    /* size of one object, for the label "bytes" that Go's own profiles have; 0: no label */
    uint64_t *addresses;    /* leaf first */
    uint32_t address_count; /* the builder's stack has the names below the record, leaf first */
};

/** Counts and bytes of one stack, in use and allocated. */
struct gate_text_heap {
    int64_t objects, bytes, alloc_objects, alloc_bytes;
};

/* Regular expression of allocator functions, which are leaves of all heap stacks; for drop_frames. */
#define ALLOCATORS                                                                                                     \
    "(__libc_|je_|tc_|_rjem_|_rjem_je_|do_)?"                                                                          \
    "(malloc|calloc|realloc|memalign|aligned_alloc|posix_memalign|valloc|pvalloc|mallocx|rallocx)|"                    \
    "operator new(\\[\\])?(\\(.*)?|tc_new.*|tcmalloc::.*|(je_|_rjem_je_)?prof_.*|(je_|_rjem_je_)?malloc_default"

/* Return the start of the memory map, after its heading; the end of `bytes` if there is none. */
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

/**
 * Initialise. Reads the memory map of `bytes`, after a line "MAPPED_LIBRARIES:" or "--- Memory map: ---".
 *
 * text   set to the text before the map
 * err    GATE_ERR_LIMIT or GATE_ERR_MEMORY: the arena is full
 */
static bool text_stacks_init(struct gate_text_stacks *stacks, struct gate_str *text, struct gate_str bytes,
                             const struct gate_limits *limits, struct gate_builder *builder, struct gate_error *err) {
    struct gate_arena *scratch = builder->arena;
    *stacks = (struct gate_text_stacks){.builder = builder, .limits = *limits};
    stacks->addresses = gate_arena_alloc(scratch, ((size_t)limits->depth + 1) * sizeof *stacks->addresses);
    if (stacks->addresses == NULL)
        return gate_arena_error(scratch, err);
    size_t heading = 0;
    size_t map = map_find(bytes, &heading);
    *text = gate_str_slice(bytes, 0, heading);
    return memory_map_read(&stacks->map, gate_str_slice(bytes, map, bytes.len), scratch, err);
}

/** Read the next line before the map and count it. */
static bool text_stacks_line(struct gate_text_stacks *stacks, struct gate_str *rest, struct gate_str *line) {
    stacks->line_number++;
    return gate_text_line_next(rest, line);
}

/* Return how many addresses at the leaf are the allocator's. */
static uint32_t allocator_frames(const struct gate_text_stacks *stacks) {
    uint32_t count = 0;
    for (; stacks->allocator.len != 0 && count < stacks->address_count; count++) {
        const struct gate_mapping *mapping = memory_map_find(&stacks->map, stacks->addresses[count]);
        if (mapping == NULL || gate_str_find(gate_str_basename(mapping->file), stacks->allocator, 0) == SIZE_MAX)
            break;
    }
    return count;
}

/** Add the current record as a sample. Its stack is the names below it or, without names, its addresses. */
static bool text_stacks_end(struct gate_text_stacks *stacks, struct gate_error *err) {
    struct gate_builder *builder = stacks->builder;
    bool is_named = builder->depth != 0;
    struct gate_label label = {.key = GATE_STR("bytes"), .number = stacks->block_bytes, .unit = GATE_STR("")};
    uint32_t skipped = is_named ? 0 : allocator_frames(stacks);
    struct gate_builder_sample sample = {.locations = builder->stack,
                                         .depth = is_named ? builder->depth : stacks->address_count - skipped,
                                         .values = stacks->values,
                                         .labels = &label,
                                         .label_count = stacks->block_bytes != 0};
    if (!stacks->is_open)
        return true;
    stacks->is_open = false;
    for (uint32_t i = 0; !is_named && i < sample.depth; i++)
        builder->stack[i] = memory_map_location(builder, &stacks->map, stacks->addresses[skipped + i]);
    return gate_builder_sample(builder, &sample, err);
}

/** Add the current record as a sample and start a new one. The caller sets its values. */
static bool text_stacks_begin(struct gate_text_stacks *stacks, struct gate_error *err) {
    if (!text_stacks_end(stacks, err))
        return false;
    stacks->is_open = true;
    stacks->address_count = stacks->builder->depth = 0;
    stacks->block_bytes = 0;
    memset(stacks->values, 0, sizeof stacks->values);
    return true;
}

/** Add addresses, leaf first: "0x401000 0x402000". They are return addresses, so the call is one byte earlier. */
static bool text_stacks_addresses(struct gate_text_stacks *stacks, struct gate_str text, struct gate_error *err) {
    uint64_t address = 0;
    for (text = gate_str_trim(text); text.len != 0; text = gate_str_trim(text)) {
        if (!gate_text_hex(&text, &address))
            return gate_error_set(err, GATE_ERR_FORMAT, "line %llu: expected addresses, found '%.*s'",
                                  (unsigned long long)stacks->line_number, GATE_STR_ARG(gate_str_slice(text, 0, 40)));
        if (stacks->address_count == stacks->limits.depth) {
            (void)gate_limits_too_deep(stacks->limits.depth, err);
            return gate_error_prefix(err, "line %llu", (unsigned long long)stacks->line_number);
        }
        if (address != 0) /* Go writes 0 for threads that it did not start */
            stacks->addresses[stacks->address_count++] = address - 1;
    }
    return true;
}

/** Add a name below a record: "#\t0x401000\tmain.run+0x20\t/srv/main.go:7". Inlined calls have their own lines. */
static bool text_stacks_name(struct gate_text_stacks *stacks, struct gate_str line, struct gate_error *err) {
    uint64_t address = 0;
    int64_t number = 0;
    struct gate_str rest = line;
    if (!stacks->is_open || !gate_str_starts(line, GATE_STR("#\t0x")) || !gate_text_mark(&rest, '#') ||
        !gate_text_hex(&rest, &address) || rest.len == 0)
        return true; /* a comment, or an address without a name */
    /* A name may contain blanks; a tab ends it. */
    rest = gate_str_trim(rest);
    size_t end = gate_str_find(rest, GATE_STR("\t"), 0);
    struct gate_str name =
        gate_text_without_offset(gate_str_trim(gate_str_slice(rest, 0, end == SIZE_MAX ? rest.len : end)));
    struct gate_str file = end == SIZE_MAX ? GATE_STR("") : gate_str_trim(gate_str_slice(rest, end, rest.len));
    size_t colon = gate_str_behind_last(file, ':');
    if (colon > 0 && gate_text_is_number(gate_str_slice(file, colon, file.len), &number) && number >= 0)
        file = gate_str_slice(file, 0, colon - 1);
    else
        number = 0;
    uint64_t location = gate_builder_frame(stacks->builder, name, file, number);
    return gate_builder_push(stacks->builder, location, err) ||
           gate_error_prefix(err, "line %llu", (unsigned long long)stacks->line_number);
}

/** Read "13: 6688 [20: 9000]" from the front of `rest`. */
static bool text_heap_read(struct gate_text_heap *out, struct gate_str *rest) {
    struct gate_str at = *rest;
    bool ok = gate_text_number(&at, &out->objects) && gate_text_mark(&at, ':') && gate_text_number(&at, &out->bytes) &&
              gate_text_mark(&at, '[') && gate_text_number(&at, &out->alloc_objects) && gate_text_mark(&at, ':') &&
              gate_text_number(&at, &out->alloc_bytes) && gate_text_mark(&at, ']');
    if (ok)
        *rest = at;
    return ok;
}

/**
 * Return true if the totals contain allocated objects besides those in use, as Go, gperftools and jemalloc write
 * them.
 */
static bool text_heap_has_alloc(const struct gate_text_heap *total) {
    return (total->alloc_objects != total->objects && total->alloc_objects != 0) ||
           (total->alloc_bytes != total->bytes && total->alloc_bytes != 0);
}

/**
 * Declare the period in bytes and the columns, like google/pprof: alloc_objects, alloc_space, inuse_objects and
 * inuse_space, or only objects and space.
 */
static void text_heap_declare(struct gate_text_stacks *stacks, bool has_alloc, int64_t rate) {
    struct gate_builder *builder = stacks->builder;
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
    if (bytes == 0) /* objects of size 0 are never sampled */
        scaled[0] = scaled[1] = 0;
    for (int i = 0; i < 2; i++) {
        if (!(fabs(scaled[i]) < 9e18))
            return gate_error_set(err, GATE_ERR_OVERFLOW, "line %llu: its scaled values do not fit in 64 bits",
                                  (unsigned long long)stacks->line_number);
        values[i] = (int64_t)scaled[i];
    }
    return true;
}

/** Set the values of the current record. Objects of mean size S were sampled with probability 1 - exp(-S / rate);
 * values are divided by it. With a rate of 1 or less all objects were recorded (google/pprof,
 * profile/legacy_profile.go, scaleHeapSample). err: GATE_ERR_FORMAT: bytes without objects; GATE_ERR_OVERFLOW: a scaled
 * value exceeds int64_t. */
static bool text_heap_set(struct gate_text_stacks *stacks, const struct gate_text_heap *heap, bool has_alloc,
                          int64_t rate, struct gate_error *err) {
    int64_t *values = stacks->values;
    if (has_alloc && !pair_set(stacks, values, heap->alloc_objects, heap->alloc_bytes, rate, err))
        return false;
    return pair_set(stacks, values + (has_alloc ? 2 : 0), heap->objects, heap->bytes, rate, err);
}

/* ---- reader of pprof's text form --------------------------------------------------------------------------------- */

enum kind { KIND_HEAP, KIND_DELAY, KIND_COUNT, KIND_NONE };

struct reading {
    struct gate_text_stacks stacks;
    enum kind kind;
    bool has_alloc; /* heap profiles */
    int64_t rate;
    int64_t cycles_per_second, sampling_period; /* delay profiles */
    bool is_mutex;                              /* "--- mutex:", which only Go writes */
    bool has_records;                           /* a record was read */
    int64_t scale;                              /* what the cycles and contentions of a record are multiplied by */
    bool is_java;                               /* Java's contention profiles have their names in a separate list */
};

/* Return the name of "goroutine profile: total 12", or an empty text. */
static struct gate_str count_name(struct gate_str line) {
    const struct gate_str mark = GATE_STR(" profile: total ");
    size_t at = gate_str_find(line, mark, 0);
    int64_t total = 0;
    struct gate_str name = gate_str_slice(line, 0, at == SIZE_MAX ? 0 : at);
    struct gate_str rest = gate_str_slice(line, name.len + mark.len, line.len);
    bool is_word = name.len != 0 && memchr(name.ptr, ' ', name.len) == NULL;
    return is_word && gate_text_is_number(rest, &total) ? name : GATE_STR("");
}

static enum kind kind_of(struct gate_str line) {
    if (gate_str_starts(line, GATE_STR("heap profile:")))
        return KIND_HEAP;
    if (gate_str_starts(line, GATE_STR("--- mutex:")) || gate_str_starts(line, GATE_STR("--- contention")))
        return KIND_DELAY;
    return count_name(line).len != 0 ? KIND_COUNT : KIND_NONE;
}

/* Return true if the first line is a heading that debug_text_fill supports. */
static bool debug_text_sniff(struct gate_str text) {
    struct gate_str line;
    return gate_text_line_next(&text, &line) && kind_of(line) != KIND_NONE;
}

/* Read "heap profile: 385: 441456 [392: 1326208] @ heap/131072". Go writes twice its rate, gperftools' sampler the
 * rate. */
static bool heap_begin(struct reading *reading, struct gate_str line, struct gate_error *err) {
    static const char expected[] = "'heap profile: OBJECTS: BYTES [OBJECTS: BYTES] @ heap/RATE', heap_v2/RATE or "
                                   "heapprofile";
    struct gate_text_heap total = {0};
    struct gate_str rest = gate_str_slice(line, strlen("heap profile:"), line.len);
    if (!text_heap_read(&total, &rest) || !gate_text_mark(&rest, '@'))
        return gate_text_unexpected(reading->stacks.line_number, expected, line, err);
    struct gate_str tag = gate_text_word(&rest);
    size_t slash = gate_str_find(tag, GATE_STR("/"), 0);
    struct gate_str number = gate_str_slice(tag, slash == SIZE_MAX ? tag.len : slash + 1, tag.len);
    struct gate_str name = gate_str_slice(tag, 0, slash);
    if (slash != SIZE_MAX && (!gate_text_is_number(number, &reading->rate) || reading->rate < 0))
        return gate_text_unexpected(reading->stacks.line_number, expected, line, err);
    if (gate_str_equal(name, GATE_STR("heap")))
        reading->rate /= 2;
    else if (gate_str_equal(name, GATE_STR("heapprofile")) || gate_str_equal(name, GATE_STR("growthz")) ||
             gate_str_equal(name, GATE_STR("growth")))
        reading->rate = 1;
    else if (!gate_str_equal(name, GATE_STR("heap_v2")) && !gate_str_equal(name, GATE_STR("heapz_v2")))
        return gate_text_unexpected(reading->stacks.line_number, expected, line, err);
    reading->has_alloc = text_heap_has_alloc(&total);
    text_heap_declare(&reading->stacks, reading->has_alloc, reading->rate);
    return true;
}

static bool heading_read(struct reading *reading, struct gate_str line, struct gate_error *err) {
    struct gate_builder *builder = reading->stacks.builder;
    struct gate_str name = count_name(line);
    reading->kind = kind_of(line);
    reading->sampling_period = 1;
    reading->is_mutex = gate_str_starts(line, GATE_STR("--- mutex:"));
    switch (reading->kind) {
    case KIND_HEAP:
        return heap_begin(reading, line, err);
    case KIND_DELAY:
        gate_builder_type(builder, GATE_STR("contentions"), GATE_STR("count"));
        gate_builder_type(builder, GATE_STR("delay"), GATE_STR("nanoseconds"));
        builder->header.period_type = (struct gate_value_type){GATE_STR("contentions"), GATE_STR("count")};
        return true;
    case KIND_COUNT:
        gate_builder_type(builder, name, GATE_STR("count"));
        builder->header.period_type = (struct gate_value_type){name, GATE_STR("count")};
        builder->header.period = 1;
        return true;
    default:
        return gate_text_unexpected(reading->stacks.line_number, "the heading of a text profile", line, err);
    }
}

/* Read an attribute such as "cycles/second=2596095367". Returns false if the line is not an attribute. Unknown ones
 * are ignored. */
static bool attribute_read(struct reading *reading, struct gate_str line) {
    size_t at = gate_str_find(line, GATE_STR("="), 0);
    if (reading->kind != KIND_DELAY || at == SIZE_MAX || memchr(line.ptr, '@', line.len) != NULL)
        return false;
    struct gate_str key = gate_str_trim(gate_str_slice(line, 0, at));
    struct gate_str text = gate_str_trim(gate_str_slice(line, at + 1, line.len));
    int64_t value = 0;
    reading->is_java |= gate_str_equal(key, GATE_STR("format")) && gate_str_equal(text, GATE_STR("java"));
    if (!gate_text_number(&text, &value) || value < 0)
        return true;
    if (gate_str_equal(key, GATE_STR("cycles/second")))
        reading->cycles_per_second = value;
    else if (gate_str_equal(key, GATE_STR("sampling period")) && value > 0)
        reading->sampling_period = value;
    else if (gate_str_equal(key, GATE_STR("ms since reset")) && value < INT64_MAX / 1000000)
        reading->stacks.builder->header.duration_ns = value * 1000000;
    return true;
}

/* Convert recorded cycles and contentions to nanoseconds and total contentions, and set them. */
static bool delay_set(struct reading *reading, int64_t cycles, int64_t count, struct gate_error *err) {
    double ns = (double)cycles;
    int64_t contentions = 0;
    if (reading->cycles_per_second > 0)
        ns = ns * (double)reading->scale / ((double)reading->cycles_per_second / 1e9);
    if (!(fabs(ns) < 9e18) || __builtin_mul_overflow(count, reading->scale, &contentions))
        return gate_error_set(err, GATE_ERR_OVERFLOW, "line %llu: its scaled values do not fit in 64 bits",
                              (unsigned long long)reading->stacks.line_number);
    reading->stacks.values[0] = contentions;
    reading->stacks.values[1] = (int64_t)ns;
    return true;
}

/* Choose the scale of all records; the first one is `line`. Go before 1.20 recorded what it sampled, and later versions
 * multiply cycles and contentions by the sampling period before they write them (runtime/mprof.go,
 * saveBlockEventStack): then each contention count is a multiple of it. google/pprof multiplies them again.
 * O(bytes). */
static void scale_choose(struct reading *reading, struct gate_str line, struct gate_str rest) {
    bool is_scaled = reading->is_mutex;
    reading->scale = reading->sampling_period;
    reading->has_records = true;
    do {
        int64_t cycles = 0, count = 0;
        if (gate_str_starts(line, GATE_STR("---")))
            break;
        if (gate_text_number(&line, &cycles) && gate_text_number(&line, &count))
            is_scaled &= count % reading->sampling_period == 0;
    } while (gate_text_line_next(&rest, &line));
    if (is_scaled)
        reading->scale = 1;
}

static bool record_read(struct reading *reading, struct gate_str line, struct gate_error *err) {
    static const char *const expected[] = {
        [KIND_HEAP] = "'OBJECTS: BYTES [OBJECTS: BYTES] @ ADDRESS …'",
        [KIND_DELAY] = "'CYCLES COUNT @ ADDRESS …'",
        [KIND_COUNT] = "'COUNT @ ADDRESS …'",
    };
    struct gate_text_heap heap = {0};
    int64_t first = 0, second = 0;
    struct gate_str rest = line;
    GATE_ASSERT(reading->kind < KIND_NONE); /* heading_read refuses a text without a kind */
    bool ok = reading->kind == KIND_HEAP ? text_heap_read(&heap, &rest) : gate_text_number(&rest, &first);
    ok = ok && (reading->kind != KIND_DELAY || gate_text_number(&rest, &second));
    if (!ok || !gate_text_mark(&rest, '@'))
        return gate_text_unexpected(reading->stacks.line_number, expected[reading->kind], line, err);
    if (!text_stacks_begin(&reading->stacks, err) || !text_stacks_addresses(&reading->stacks, rest, err))
        return false;
    if (reading->kind == KIND_HEAP)
        return text_heap_set(&reading->stacks, &heap, reading->has_alloc, reading->rate, err);
    if (reading->kind == KIND_DELAY)
        return delay_set(reading, first, second, err);
    reading->stacks.values[0] = first;
    return true;
}

static bool lines_read(struct reading *reading, struct gate_str text, struct gate_error *err) {
    struct gate_str line;
    if (!text_stacks_line(&reading->stacks, &text, &line))
        return gate_text_unexpected(reading->stacks.line_number, "the heading of a text profile", text, err);
    if (!heading_read(reading, line, err))
        return false;
    while (text_stacks_line(&reading->stacks, &text, &line)) {
        bool ok = true;
        if (gate_str_starts(line, GATE_STR("---")))
            break; /* the next section */
        if (line.len != 0 && line.ptr[0] == '#') {
            ok = text_stacks_name(&reading->stacks, line, err);
        } else if (line.len != 0 && !attribute_read(reading, line)) {
            if (!reading->has_records)
                scale_choose(reading, line, text);
            ok = record_read(reading, line, err);
        }
        if (!ok)
            return false;
        if (reading->is_java)
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "a contention profile of a Java program: convert it with "
                                  "'go tool pprof -proto BINARY FILE > FILE.pb.gz'");
    }
    if (reading->kind == KIND_DELAY)
        reading->stacks.builder->header.period = reading->sampling_period;
    return text_stacks_end(&reading->stacks, err);
}

/*
 * Convert a text profile to pprof. The heading selects one of three kinds. Columns, periods and scaling follow
 * google/pprof (profile/legacy_profile.go):
 *
 * - "heap profile: … @ heap/RATE": objects and bytes in use, and allocated ones if the heading has them. Values are
 *   scaled up by the rate, except for gperftools' "@ heapprofile", which recorded all allocations.
 * - "--- mutex:", "--- contention:": contentions/count and delay/nanoseconds, converted from cycles. Unlike in
 *   google/pprof, a mutex profile of Go 1.20 or later is not scaled again by its sampling period.
 * - "NAME profile: total N": NAME/count, for example goroutine and threadcreate.
 *
 * Go writes names below a stack, which become its frames. It leaves out runtime frames at the leaf of heap and
 * goroutine profiles. Without names, frames are addresses in mappings. See gate_format_fill in formats/reader.h.
 */
static bool debug_text_fill(struct gate_builder *builder, struct gate_str bytes, const struct gate_limits *limits,
                            struct gate_error *err) {
    struct reading reading = {0};
    struct gate_str text;
    return text_stacks_init(&reading.stacks, &text, bytes, limits, builder, err) && lines_read(&reading, text, err);
}

/* ---- reader of jemalloc's heap_v2 -------------------------------------------------------------------------------- */

struct jemalloc_reading {
    struct gate_text_stacks stacks;
    int64_t rate;
    bool has_alloc;
    bool has_total;
};

/* Read "t*: 13: 6688 [20: 9000]", the sum of all threads. The first one is the total of all stacks, which decides
 * the columns. */
static bool total_read(struct jemalloc_reading *jemalloc_reading, struct gate_str line, struct gate_error *err) {
    const struct gate_str mark = GATE_STR("t*:");
    struct gate_text_heap heap = {0};
    struct gate_str rest = gate_str_slice(line, mark.len, line.len);
    if (!text_heap_read(&heap, &rest) || rest.len != 0)
        return gate_text_unexpected(jemalloc_reading->stacks.line_number, "'t*: OBJECTS: BYTES [OBJECTS: BYTES]'", line,
                                    err);
    if (!jemalloc_reading->has_total) {
        jemalloc_reading->has_total = true;
        jemalloc_reading->has_alloc = text_heap_has_alloc(&heap);
        text_heap_declare(&jemalloc_reading->stacks, jemalloc_reading->has_alloc, jemalloc_reading->rate);
        return true;
    }
    if (!jemalloc_reading->stacks.is_open)
        return gate_text_unexpected(jemalloc_reading->stacks.line_number, "a stack, '@ ADDRESS …', before its values",
                                    line, err);
    return text_heap_set(&jemalloc_reading->stacks, &heap, jemalloc_reading->has_alloc, jemalloc_reading->rate, err);
}

static bool jemalloc_line_read(struct jemalloc_reading *jemalloc_reading, struct gate_str line,
                               struct gate_error *err) {
    struct gate_str rest = line;
    if (line.len == 0)
        return true;
    if (gate_str_starts(line, GATE_STR("t*:")))
        return total_read(jemalloc_reading, line, err);
    if (line.ptr[0] == 't')
        return true; /* the values of one thread */
    if (!gate_text_mark(&rest, '@'))
        return gate_text_unexpected(jemalloc_reading->stacks.line_number, "'@ ADDRESS …' or 't*: …'", line, err);
    if (!jemalloc_reading->has_total)
        return gate_text_unexpected(jemalloc_reading->stacks.line_number,
                                    "the total, 't*: OBJECTS: BYTES [OBJECTS: BYTES]'", line, err);
    return text_stacks_begin(&jemalloc_reading->stacks, err) &&
           text_stacks_addresses(&jemalloc_reading->stacks, rest, err);
}

static bool jemalloc_lines_read(struct jemalloc_reading *jemalloc_reading, struct gate_str text,
                                struct gate_error *err) {
    const struct gate_str mark = GATE_STR("heap_v2/");
    struct gate_str line;
    if (!text_stacks_line(&jemalloc_reading->stacks, &text, &line) || !gate_str_starts(line, mark))
        return gate_text_unexpected(jemalloc_reading->stacks.line_number, "'heap_v2/RATE'", text, err);
    if (!gate_text_is_number(gate_str_slice(line, mark.len, line.len), &jemalloc_reading->rate) ||
        jemalloc_reading->rate < 1)
        return gate_text_unexpected(jemalloc_reading->stacks.line_number, "'heap_v2/RATE'", line, err);
    while (text_stacks_line(&jemalloc_reading->stacks, &text, &line))
        if (!jemalloc_line_read(jemalloc_reading, line, err))
            return false;
    return (jemalloc_reading->has_total || gate_text_unexpected(jemalloc_reading->stacks.line_number,
                                                                "the total, 't*: …'", GATE_STR("the end"), err)) &&
           text_stacks_end(&jemalloc_reading->stacks, err);
}

/*
 * Convert a jemalloc heap profile to pprof. It has a heading "heap_v2/RATE", the totals, and for each stack "@
 * ADDRESS …" followed by the counts of its threads; the line 't*' is their sum. Values are scaled up by the rate, as
 * in jeprof. With prof_accum, allocated objects and bytes are included. Frames are addresses in mappings. See
 * gate_format_fill in formats/reader.h.
 */
static bool jemalloc_fill(struct gate_builder *builder, struct gate_str bytes, const struct gate_limits *limits,
                          struct gate_error *err) {
    struct jemalloc_reading jemalloc_reading = {0};
    struct gate_str text;
    if (!text_stacks_init(&jemalloc_reading.stacks, &text, bytes, limits, builder, err))
        return false;
    jemalloc_reading.stacks.allocator = GATE_STR("jemalloc");
    return jemalloc_lines_read(&jemalloc_reading, text, err);
}

const struct gate_reader gate_debug_text_reader = {
    .name = "pprof's text form (debug=1)",
    .is_text = true,
    .sniff = debug_text_sniff,
    .format = GATE_FORMAT_DEBUG_TEXT,
    .fill = debug_text_fill,
};

const struct gate_reader gate_jemalloc_reader = {
    .name = "jemalloc heap_v2",
    .is_text = true,
    .magic = GATE_READER_MAGIC("heap_v2/"),
    .format = GATE_FORMAT_JEMALLOC,
    .fill = jemalloc_fill,
};

/* ---- reader of CPU profiles of gperftools --------------------------------------------------------------------------
 *
 * A header, records of count, depth and program counters, an end record, then the process's memory map as text. Layout
 * and corrections follow google/pprof (profile/legacy_profile.go). */

enum { HEADER_SLOTS = 3, NS_PER_US = 1000, ARTEFACT_ROUNDS = 2, ARTEFACT_SHARE = 32 };

/* Reader of the file's words. */
struct words {
    struct gate_str bytes;
    size_t at;
    size_t size; /* 4 or 8 */
    bool big;
};

/* One record. Its program counters are a slice of `pcs`. */
struct record {
    uint64_t count;
    size_t first;
    uint32_t depth;
};

struct gperftools_reading {
    struct gate_arena *scratch;
    struct record *records;
    size_t record_count, record_capacity;
    uint64_t *pcs;
    size_t pc_count, pc_capacity;
    struct gate_memory_map map;
    int64_t period_ns;
};

static bool word_next(struct words *words, uint64_t *value) {
    if (words->bytes.len - words->at < words->size)
        return false;
    *value = 0;
    for (size_t i = 0; i < words->size; i++) {
        size_t from = words->big ? i : words->size - 1 - i;
        *value = *value << 8 | (unsigned char)words->bytes.ptr[words->at + from];
    }
    words->at += words->size;
    return true;
}

/* Find the word size and byte order for which the header is 0, slots >= 3, 0 or 1, period > 0. */
static bool header_read(struct words *words, uint64_t header[5]) {
    static const struct {
        size_t size;
        bool big;
    } layouts[] = {{8, false}, {8, true}, {4, false}, {4, true}};
    for (size_t i = 0; i < 4; i++) {
        struct words candidate = {words->bytes, 0, layouts[i].size, layouts[i].big};
        bool whole = true;
        for (size_t j = 0; j < 5; j++)
            whole = whole && word_next(&candidate, &header[j]);
        if (!whole || header[0] != 0 || header[1] < HEADER_SLOTS || header[1] > 1024 || header[2] > 1 ||
            header[3] == 0 || header[3] > 1000000000)
            continue;
        *words = candidate;
        return true;
    }
    return false;
}

/* Return true if the first five words are a gperftools header. */
static bool gperftools_sniff(struct gate_str bytes) {
    struct words words = {.bytes = bytes};
    uint64_t header[5];
    return header_read(&words, header);
}

static bool record_add(struct gperftools_reading *reading, struct words *words, uint64_t count, uint64_t depth,
                       struct gate_error *err) {
    if (!GATE_GROW(reading->scratch, reading->records, reading->record_count, reading->record_capacity))
        return gate_arena_error(reading->scratch, err);
    reading->records[reading->record_count++] = (struct record){count, reading->pc_count, (uint32_t)depth};
    for (uint64_t i = 0; i < depth; i++) {
        if (!GATE_GROW(reading->scratch, reading->pcs, reading->pc_count, reading->pc_capacity))
            return gate_arena_error(reading->scratch, err);
        if (!word_next(words, &reading->pcs[reading->pc_count]))
            return gate_error_set(err, GATE_ERR_FORMAT, "the gperftools profile is truncated at byte %zu", words->at);
        /* A return address belongs to the call before it. The leaf is exact, as it was read from the signal frame. */
        reading->pcs[reading->pc_count] -= i > 0 && reading->pcs[reading->pc_count] > 0;
        reading->pc_count++;
    }
    return true;
}

static bool records_read(struct gperftools_reading *reading, struct words *words, const struct gate_limits *limits,
                         struct gate_error *err) {
    uint64_t count = 0, depth = 0;
    for (;;) {
        size_t start = words->at;
        if (!word_next(words, &count) || !word_next(words, &depth))
            return gate_error_set(
                err, GATE_ERR_FORMAT,
                "the gperftools profile is truncated at byte %zu: it has no end record; did the program exit?", start);
        if (depth > (words->bytes.len - words->at) / words->size)
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "the gperftools profile is truncated: the record at byte %zu has %llu frames", start,
                                  (unsigned long long)depth);
        if (depth > limits->depth)
            return gate_error_set(err, GATE_ERR_LIMIT, "the record at byte %zu is %llu frames deep; raise --max-depth",
                                  start, (unsigned long long)depth);
        uint64_t pc = 1;
        struct words ahead = *words;
        if (count == 0 && depth == 1 && word_next(&ahead, &pc) && pc == 0) {
            *words = ahead;
            return true;
        }
        if (count > INT64_MAX / 2 || reading->record_count >= limits->samples)
            return gate_error_set(err, GATE_ERR_FORMAT, "the record at byte %zu has an impossible count", start);
        if (!record_add(reading, words, count, depth, err))
            return false;
    }
}

static void second_drop(struct gperftools_reading *reading, struct record *record) {
    uint64_t *pcs = reading->pcs + record->first;
    memmove(pcs + 1, pcs + 2, (record->depth - 2) * sizeof *pcs);
    record->depth--;
}

/* Find the most frequent second program counter (Boyer-Moore majority vote) and count it. */
static size_t second_common(const struct gperftools_reading *reading, uint64_t *pc) {
    size_t votes = 0, count = 0;
    for (size_t i = 0; i < reading->record_count; i++) {
        const struct record *record = &reading->records[i];
        if (record->depth < 2)
            continue;
        uint64_t second = reading->pcs[record->first + 1];
        if (votes == 0)
            *pc = second;
        votes = second == *pc ? votes + 1 : votes - 1;
    }
    for (size_t i = 0; i < reading->record_count; i++)
        count += reading->records[i].depth >= 2 && reading->pcs[reading->records[i].first + 1] == *pc;
    return count;
}

/* Remove two artefacts of the unwinder: the signal handler's frame, which is second in nearly every stack, and a
 * leaf that is repeated as a return address. */
static void artefacts_drop(struct gperftools_reading *reading) {
    uint64_t pc = 0;
    size_t tolerated = reading->record_count / ARTEFACT_SHARE;
    for (int round = 0; round < ARTEFACT_ROUNDS; round++) {
        size_t count = second_common(reading, &pc);
        if (count == 0 || count < reading->record_count - tolerated)
            break;
        for (size_t i = 0; i < reading->record_count; i++)
            if (reading->records[i].depth >= 2 && reading->pcs[reading->records[i].first + 1] == pc)
                second_drop(reading, &reading->records[i]);
    }
    for (size_t i = 0; i < reading->record_count; i++) {
        struct record *record = &reading->records[i];
        if (record->depth >= 2 && reading->pcs[record->first] == reading->pcs[record->first + 1] + 1)
            second_drop(reading, record);
    }
}

static bool records_add(struct gate_builder *builder, const struct gperftools_reading *reading,
                        struct gate_error *err) {
    for (size_t i = 0; i < reading->record_count; i++) {
        const struct record *record = &reading->records[i];
        int64_t values[2] = {(int64_t)record->count, 0};
        if (__builtin_mul_overflow(values[0], reading->period_ns, &values[1]))
            return gate_error_set(err, GATE_ERR_OVERFLOW, "a count times the period does not fit in 64 bits");
        for (uint32_t j = 0; j < record->depth; j++)
            builder->stack[j] = memory_map_location(builder, &reading->map, reading->pcs[record->first + j]);
        struct gate_builder_sample sample = {.locations = builder->stack, .depth = record->depth, .values = values};
        if (!gate_builder_sample(builder, &sample, err))
            return false;
    }
    return true;
}

/*
 * Convert a CPU profile of gperftools (CPUPROFILE) to pprof. It has words of 32 or 64 bits of either byte
 * order, then /proc/self/maps as text. See gate_format_fill in formats/reader.h.
 */
static bool gperftools_fill(struct gate_builder *builder, struct gate_str bytes, const struct gate_limits *limits,
                            struct gate_error *err) {
    struct words words = {.bytes = bytes};
    struct gperftools_reading reading = {.scratch = builder->arena};
    uint64_t header[5], ignored = 0;
    if (!header_read(&words, header))
        return gate_error_set(err, GATE_ERR_FORMAT, "it has no gperftools header");
    if (header[2] == 1)
        return gate_error_set(
            err, GATE_ERR_FORMAT,
            "a gperftools profile of a Java program: convert it with 'go tool pprof -proto BINARY FILE > FILE.pb.gz'");
    for (uint64_t slot = HEADER_SLOTS; slot < header[1]; slot++)
        if (!word_next(&words, &ignored))
            return gate_error_set(err, GATE_ERR_FORMAT, "the gperftools profile is truncated in its header");
    reading.period_ns = (int64_t)header[3] * NS_PER_US;
    if (!records_read(&reading, &words, limits, err) ||
        !memory_map_read(&reading.map, gate_str_slice(bytes, words.at, bytes.len), builder->arena, err))
        return false;
    artefacts_drop(&reading);
    gate_builder_type(builder, GATE_STR("samples"), GATE_STR("count"));
    gate_builder_type(builder, GATE_STR("cpu"), GATE_STR("nanoseconds"));
    builder->header.period_type = (struct gate_value_type){GATE_STR("cpu"), GATE_STR("nanoseconds")};
    builder->header.period = reading.period_ns;
    return records_add(builder, &reading, err);
}

const struct gate_reader gate_gperftools_reader = {
    .name = "gperftools CPU profile",
    .sniff = gperftools_sniff,
    .format = GATE_FORMAT_GPERFTOOLS,
    .fill = gperftools_fill,
};
