/* SPDX-License-Identifier: Apache-2.0 */
/* pprof's text form (see debug_text.h). */
#include "gate/profile/debug_text.h"

#include "gate/profile/builder_write.h"
#include "gate/profile/text_line.h"
#include "gate/profile/text_stacks.h"

#include <math.h>

enum kind { KIND_HEAP, KIND_DELAY, KIND_COUNT, KIND_NONE };

struct reading {
    struct gate_text_stacks stacks;
    enum kind kind;
    bool has_alloc; /* heap */
    int64_t rate;
    int64_t cycles_per_second, sampling_period; /* delays */
    bool is_java;                               /* whose names stand in a list of their own */
};

static bool unexpected(const struct reading *reading, const char *expected, struct gate_str line,
                       struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_FORMAT, "line %llu: expected %s, found '%.*s'",
                          (unsigned long long)reading->stacks.line_number, expected,
                          GATE_STR_ARG(gate_str_slice(line, 0, 60)));
}

/* "goroutine profile: total 12": the name, or nothing. */
static struct gate_str count_name(struct gate_str line) {
    const struct gate_str mark = GATE_STR(" profile: total ");
    size_t at = gate_str_find(line, mark, 0);
    int64_t total = 0;
    struct gate_str name = gate_str_slice(line, 0, at == SIZE_MAX ? 0 : at);
    struct gate_str rest = gate_str_slice(line, name.len + mark.len, line.len);
    bool is_word = name.len != 0 && memchr(name.ptr, ' ', name.len) == NULL;
    return is_word && gate_text_number(&rest, &total) && rest.len == 0 ? name : GATE_STR("");
}

static enum kind kind_of(struct gate_str line) {
    if (gate_str_starts(line, GATE_STR("heap profile:")))
        return KIND_HEAP;
    if (gate_str_starts(line, GATE_STR("--- mutex:")) || gate_str_starts(line, GATE_STR("--- contention")))
        return KIND_DELAY;
    return count_name(line).len != 0 ? KIND_COUNT : KIND_NONE;
}

bool gate_debug_text_sniff(struct gate_str text) {
    struct gate_str line;
    return gate_text_line_next(&text, &line) && kind_of(line) != KIND_NONE;
}

/* "heap profile: 385: 441456 [392: 1326208] @ heap/131072". Go writes twice its rate; gperftools' sampler the rate. */
static bool heap_begin(struct reading *reading, struct gate_str line, struct gate_error *err) {
    static const char expected[] = "'heap profile: OBJECTS: BYTES [OBJECTS: BYTES] @ heap/RATE', heap_v2/RATE or "
                                   "heapprofile";
    struct gate_text_heap total = {0};
    struct gate_str rest = gate_str_slice(line, strlen("heap profile:"), line.len);
    if (!gate_text_heap_read(&total, &rest) || !gate_text_mark(&rest, '@'))
        return unexpected(reading, expected, line, err);
    struct gate_str tag = gate_text_word(&rest);
    size_t slash = gate_str_find(tag, GATE_STR("/"), 0);
    struct gate_str number = gate_str_slice(tag, slash == SIZE_MAX ? tag.len : slash + 1, tag.len);
    struct gate_str name = gate_str_slice(tag, 0, slash);
    if (slash != SIZE_MAX && (!gate_text_number(&number, &reading->rate) || number.len != 0 || reading->rate < 0))
        return unexpected(reading, expected, line, err);
    if (gate_str_equal(name, GATE_STR("heap")))
        reading->rate /= 2;
    else if (gate_str_equal(name, GATE_STR("heapprofile")) || gate_str_equal(name, GATE_STR("growthz")) ||
             gate_str_equal(name, GATE_STR("growth")))
        reading->rate = 1;
    else if (!gate_str_equal(name, GATE_STR("heap_v2")) && !gate_str_equal(name, GATE_STR("heapz_v2")))
        return unexpected(reading, expected, line, err);
    reading->has_alloc = gate_text_heap_has_alloc(&total);
    gate_text_heap_declare(&reading->stacks, reading->has_alloc, reading->rate);
    return true;
}

static bool heading_read(struct reading *reading, struct gate_str line, struct gate_error *err) {
    struct gate_builder *builder = &reading->stacks.builder;
    struct gate_str name = count_name(line);
    reading->kind = kind_of(line);
    reading->sampling_period = 1;
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
        return unexpected(reading, "the heading of a text profile", line, err);
    }
}

/* "cycles/second=2596095367": false when the line is none. What is not known says nothing of the values. */
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
        reading->stacks.builder.header.duration_ns = value * 1000000;
    return true;
}

/* Cycles and contentions that were seen, to nanoseconds and contentions that there were. */
static bool delay_set(struct reading *reading, int64_t cycles, int64_t count, struct gate_error *err) {
    double ns = (double)cycles;
    int64_t contentions = 0;
    if (reading->cycles_per_second > 0)
        ns = ns * (double)reading->sampling_period / ((double)reading->cycles_per_second / 1e9);
    if (!(fabs(ns) < 9e18) || __builtin_mul_overflow(count, reading->sampling_period, &contentions))
        return gate_error_set(err, GATE_ERR_OVERFLOW, "line %llu: its scaled values do not fit in 64 bits",
                              (unsigned long long)reading->stacks.line_number);
    reading->stacks.values[0] = contentions;
    reading->stacks.values[1] = (int64_t)ns;
    return true;
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
    bool ok = reading->kind == KIND_HEAP ? gate_text_heap_read(&heap, &rest) : gate_text_number(&rest, &first);
    ok = ok && (reading->kind != KIND_DELAY || gate_text_number(&rest, &second));
    if (!ok || !gate_text_mark(&rest, '@'))
        return unexpected(reading, expected[reading->kind], line, err);
    if (!gate_text_stacks_begin(&reading->stacks, err) || !gate_text_stacks_addresses(&reading->stacks, rest, err))
        return false;
    if (reading->kind == KIND_HEAP)
        return gate_text_heap_set(&reading->stacks, &heap, reading->has_alloc, reading->rate, err);
    if (reading->kind == KIND_DELAY)
        return delay_set(reading, first, second, err);
    reading->stacks.values[0] = first;
    return true;
}

static bool lines_read(struct reading *reading, struct gate_str text, struct gate_error *err) {
    struct gate_str line;
    if (!gate_text_stacks_line(&reading->stacks, &text, &line))
        return unexpected(reading, "the heading of a text profile", text, err);
    if (!heading_read(reading, line, err))
        return false;
    while (gate_text_stacks_line(&reading->stacks, &text, &line)) {
        bool ok = true;
        if (gate_str_starts(line, GATE_STR("---")))
            break; /* another section */
        if (line.len != 0 && line.ptr[0] == '#')
            ok = gate_text_stacks_name(&reading->stacks, line, err);
        else if (line.len != 0 && !attribute_read(reading, line))
            ok = record_read(reading, line, err);
        if (!ok)
            return false;
        if (reading->is_java)
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "a contention profile of a Java program: convert it with "
                                  "'go tool pprof -proto BINARY FILE > FILE.pb.gz'");
    }
    if (reading->kind == KIND_DELAY)
        reading->stacks.builder.header.period = reading->sampling_period;
    return gate_text_stacks_end(&reading->stacks, err);
}

bool gate_debug_text_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                             struct gate_arena *scratch, struct gate_error *err) {
    struct reading reading = {0};
    struct gate_str text;
    bool ok = gate_text_stacks_init(&reading.stacks, &text, bytes, limits, scratch, err) &&
              lines_read(&reading, text, err) && gate_builder_write(out, &reading.stacks.builder, err);
    gate_text_stacks_free(&reading.stacks);
    return ok;
}
