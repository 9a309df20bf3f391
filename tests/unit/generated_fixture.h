/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles as if one service was profiled many times. Stacks are walks down one random call graph. A few are common and
 * many are rare, so each profile has stacks that no other one has. */
#ifndef GATE_TESTS_GENERATED_FIXTURE_H
#define GATE_TESTS_GENERATED_FIXTURE_H

#include "gate/base/hash.h"
#include "gate/model/wire.h"

enum { GENERATED_DEPTH_MAX = 64 };

struct generated {
    uint32_t samples, locations;
    uint32_t labels; /* number of values of the label; 0: no label */
    uint64_t seed;
};

static inline uint64_t generated_next(uint64_t *state) {
    *state += UINT64_C(0x9E3779B97F4A7C15);
    return gate_hash_mix(*state);
}

static inline void generated_message(struct gate_buf *out, uint32_t field, struct gate_buf *message) {
    gate_wire_put_bytes(out, field, gate_buf_view(message));
    message->len = 0;
}

static inline void generated_sample(struct gate_buf *out, const struct generated *g, uint64_t *state) {
    uint32_t stack[GENERATED_DEPTH_MAX], at = 1;
    uint32_t depth = 12 + (uint32_t)(generated_next(state) % (GENERATED_DEPTH_MAX - 12));
    struct gate_buf sample = {0}, part = {0};
    for (uint32_t i = 0; i < depth; i++) {
        stack[i] = at;
        uint64_t choice = generated_next(state) % 16, callee = choice < 13 ? 0 : choice - 12;
        at = 1 + (uint32_t)(gate_hash_mix((uint64_t)at * 4 + callee) % g->locations);
    }
    for (uint32_t i = depth; i > 0; i--)
        gate_wire_put_varint(&part, stack[i - 1]);
    generated_message(&sample, 1, &part);
    uint64_t count = 1 + generated_next(state) % 3;
    gate_wire_put_varint(&part, count);
    gate_wire_put_varint(&part, count * 10000000);
    generated_message(&sample, 2, &part);
    if (g->labels != 0) {
        gate_wire_put_number(&part, 1, 6);
        gate_wire_put_number(&part, 3, 1 + generated_next(state) % g->labels);
        generated_message(&sample, 3, &part);
    }
    generated_message(out, 2, &sample);
    gate_buf_free(&sample);
    gate_buf_free(&part);
}

/* Append one function per location, and the string table. */
static inline void generated_tables(struct gate_buf *out, const struct generated *g) {
    static const char *const fixed[] = {"", "samples", "count", "cpu", "nanoseconds", "main.go", "request"};
    enum { FIXED = sizeof fixed / sizeof *fixed };
    struct gate_buf message = {0}, line = {0};
    for (uint32_t i = 1; i <= g->locations; i++) {
        gate_wire_put_number(&line, 1, i);
        gate_wire_put_number(&line, 2, i % 100 + 1);
        gate_wire_put_number(&message, 1, i);
        gate_wire_put_number(&message, 3, 4096 + (uint64_t)i * 16);
        generated_message(&message, 4, &line);
        generated_message(out, 4, &message);
        gate_wire_put_number(&message, 1, i);
        gate_wire_put_number(&message, 2, FIXED + i - 1);
        gate_wire_put_number(&message, 4, 5);
        generated_message(out, 5, &message);
    }
    for (uint32_t i = 0; i < FIXED; i++)
        gate_wire_put_bytes(out, 6, gate_str_from(fixed[i]));
    for (uint32_t i = 1; i <= g->locations; i++) {
        gate_buf_printf(&message, "service/package%u.(*Type).Method%u", i % 40, i);
        generated_message(out, 6, &message);
    }
    gate_buf_free(&message);
    gate_buf_free(&line);
}

/** Append a raw pprof profile of samples/count and cpu/nanoseconds. */
static inline void generated_put(struct gate_buf *out, const struct generated *g) {
    uint64_t state = g->seed;
    struct gate_buf type = {0};
    for (uint64_t i = 1; i <= 3; i += 2) {
        gate_wire_put_number(&type, 1, i);
        gate_wire_put_number(&type, 2, i + 1);
        generated_message(out, 1, &type);
    }
    gate_buf_free(&type);
    for (uint32_t i = 0; i < g->samples; i++)
        generated_sample(out, g, &state);
    generated_tables(out, g);
}

#endif
