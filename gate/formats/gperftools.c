/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of gperftools' legacy CPU profile: a header, records of count, depth and program counters, an end record,
 * then the process's memory map as text. Layout and corrections follow google/pprof (profile/legacy_profile.go). */
#include "gate/base/buf.h"
#include "gate/formats/debug_text.h"
#include "gate/formats/pprof_write.h"
#include "gate/formats/reader.h"
#include "gate/model/limits.h"

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

struct reading {
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

static bool record_add(struct reading *reading, struct words *words, uint64_t count, uint64_t depth,
                       struct gate_error *err) {
    struct record *grown = gate_arena_grow(reading->scratch, reading->records, reading->record_count,
                                           &reading->record_capacity, sizeof *grown);
    if (grown == NULL)
        return gate_arena_error(reading->scratch, err);
    reading->records = grown;
    reading->records[reading->record_count++] = (struct record){count, reading->pc_count, (uint32_t)depth};
    for (uint64_t i = 0; i < depth; i++) {
        uint64_t *pcs =
            gate_arena_grow(reading->scratch, reading->pcs, reading->pc_count, &reading->pc_capacity, sizeof *pcs);
        if (pcs == NULL)
            return gate_arena_error(reading->scratch, err);
        reading->pcs = pcs;
        if (!word_next(words, &pcs[reading->pc_count]))
            return gate_error_set(err, GATE_ERR_FORMAT, "the gperftools profile is truncated at byte %zu", words->at);
        /* A return address belongs to the call before it. The leaf is exact, as it was read from the signal frame. */
        pcs[reading->pc_count] -= i > 0 && pcs[reading->pc_count] > 0;
        reading->pc_count++;
    }
    return true;
}

static bool records_read(struct reading *reading, struct words *words, const struct gate_limits *limits,
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

static void second_drop(struct reading *reading, struct record *record) {
    uint64_t *pcs = reading->pcs + record->first;
    memmove(pcs + 1, pcs + 2, (record->depth - 2) * sizeof *pcs);
    record->depth--;
}

/* Find the most frequent second program counter (Boyer-Moore majority vote) and count it. */
static size_t second_common(const struct reading *reading, uint64_t *pc) {
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
static void artefacts_drop(struct reading *reading) {
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

static bool records_add(struct gate_builder *builder, const struct reading *reading, uint32_t depth_max,
                        struct gate_error *err) {
    uint64_t *locations = gate_arena_alloc(reading->scratch, ((size_t)depth_max + 1) * sizeof *locations);
    if (locations == NULL)
        return gate_arena_error(reading->scratch, err);
    for (size_t i = 0; i < reading->record_count; i++) {
        const struct record *record = &reading->records[i];
        int64_t values[2] = {(int64_t)record->count, 0};
        if (__builtin_mul_overflow(values[0], reading->period_ns, &values[1]))
            return gate_error_set(err, GATE_ERR_OVERFLOW, "a count times the period does not fit in 64 bits");
        for (uint32_t j = 0; j < record->depth; j++)
            locations[j] = gate_memory_map_location(builder, &reading->map, reading->pcs[record->first + j]);
        struct gate_builder_sample sample = {.locations = locations, .depth = record->depth, .values = values};
        if (!gate_builder_sample(builder, &sample, err))
            return false;
    }
    return true;
}

/*
 * Convert a CPU profile of gperftools (CPUPROFILE) to pprof bytes. It has words of 32 or 64 bits of either byte
 * order, then /proc/self/maps as text. See gate_format_convert in formats/reader.h.
 */
static bool gperftools_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                               struct gate_arena *scratch, struct gate_error *err) {
    struct words words = {.bytes = bytes};
    struct reading reading = {.scratch = scratch};
    struct gate_builder builder;
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
        !gate_memory_map_read(&reading.map, gate_str_slice(bytes, words.at, bytes.len), scratch, err))
        return false;
    artefacts_drop(&reading);
    gate_builder_init(&builder, scratch);
    builder.steps_most = limits->steps;
    gate_builder_type(&builder, GATE_STR("samples"), GATE_STR("count"));
    gate_builder_type(&builder, GATE_STR("cpu"), GATE_STR("nanoseconds"));
    builder.header.period_type = (struct gate_value_type){GATE_STR("cpu"), GATE_STR("nanoseconds")};
    builder.header.period = reading.period_ns;
    bool ok = records_add(&builder, &reading, limits->depth, err) && gate_builder_write(out, &builder, err);
    gate_builder_free(&builder);
    return ok;
}

const struct gate_reader gate_gperftools_reader = {
    .name = "gperftools CPU profile",
    .sniff = gperftools_sniff,
    .format = GATE_FORMAT_GPERFTOOLS,
    .convert = gperftools_convert,
};
