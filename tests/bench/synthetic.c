/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a synthetic CPU profile of any size to standard output, for measuring speed:
 *   synthetic SAMPLES [DEPTH [LOCATIONS [SEED [HOT [LABELS]]]]]
 * Stacks are random walks over one call graph, which is the same for every seed. HOT percent of the samples have
 * main.planted as their leaf. Each sample has LABELS labels, first a text and then numbers. As in Go's profiles,
 * location ids are packed, the columns are count and cpu, and the file is compressed with gzip level 1. */
#include "gate/base/hash.h"
#include "gate/formats/deflate.h"
#include "gate/model/wire.h"

#include <stdio.h>
#include <stdlib.h>

enum { CALLEES = 4, DEPTH_LIMIT = 128 };

struct synthetic {
    uint32_t samples, depth, locations, hot, labels;
    uint64_t state;
    struct gate_buf out;
};

static uint64_t next(struct synthetic *s) {
    s->state += UINT64_C(0x9E3779B97F4A7C15);
    return gate_hash_mix(s->state);
}

static void put_message(struct gate_buf *out, uint32_t field, struct gate_buf *message) {
    gate_wire_put_bytes(out, field, gate_buf_view(message));
    message->len = 0;
}

static void put_types(struct synthetic *s, struct gate_buf *m) {
    static const int types[2][2] = {{1, 2}, {3, 4}};
    for (int i = 0; i < 2; i++) {
        gate_wire_put_number(m, 1, (uint64_t)types[i][0]);
        gate_wire_put_number(m, 2, (uint64_t)types[i][1]);
        put_message(&s->out, 1, m);
    }
}

/* The strings are the fixed ones, the name of each function but the last, and the key of labels. */
static const char *const fixed[] = {"", "samples", "count", "cpu", "nanoseconds", "main.go", "main.planted"};
enum { FIXED = sizeof fixed / sizeof *fixed, LABEL_VALUES = 16 };

static uint32_t functions_of(const struct synthetic *s) {
    return s->locations / 8 + 1;
}

static void put_labels(struct synthetic *s, struct gate_buf *m) {
    struct gate_buf label = {0};
    for (uint32_t i = 0; i < s->labels; i++) {
        uint64_t value = next(s) % LABEL_VALUES;
        gate_wire_put_number(&label, 1, FIXED + functions_of(s) - 1);
        gate_wire_put_number(&label, i == 0 ? 2 : 3, i == 0 ? FIXED + value % (functions_of(s) - 1) : 1 + value);
        put_message(m, 3, &label);
    }
    gate_buf_free(&label);
}

/* Location ids, leaf first. Few callees are possible for a location, so stacks share prefixes as in real profiles. */
static void put_sample(struct synthetic *s, struct gate_buf *m) {
    uint32_t stack[DEPTH_LIMIT];
    uint32_t depth = s->depth / 2 + (uint32_t)(next(s) % s->depth);
    uint32_t at = 1;
    depth = depth < 2 ? 2 : depth > DEPTH_LIMIT ? DEPTH_LIMIT : depth;
    for (uint32_t i = 0; i < depth; i++) {
        stack[i] = at;
        uint64_t choice = next(s) % 32;
        uint32_t callee = choice < 29 ? 0 : choice < 31 ? 1 : 2 + (uint32_t)(next(s) % 2);
        at = 2 + (uint32_t)(gate_hash_mix((uint64_t)at * CALLEES + callee) % (s->locations - 2));
    }
    if (next(s) % 100 < s->hot)
        stack[depth - 1] = s->locations;
    struct gate_buf ids = {0};
    for (uint32_t i = depth; i > 0; i--)
        gate_wire_put_varint(&ids, stack[i - 1]);
    put_message(m, 1, &ids);
    uint64_t count = 1 + (next(s) % 8 == 0);
    gate_wire_put_varint(&ids, count);
    gate_wire_put_varint(&ids, count * 10000000);
    put_message(m, 2, &ids);
    gate_buf_free(&ids);
    put_labels(s, m);
    put_message(&s->out, 2, m);
}

static void put_tables(struct synthetic *s, struct gate_buf *m) {
    uint32_t functions = functions_of(s);
    struct gate_buf line = {0};
    for (uint32_t i = 1; i <= s->locations; i++) {
        gate_wire_put_number(m, 1, i);
        gate_wire_put_number(m, 3, 0x400000 + (uint64_t)i * 16);
        gate_wire_put_number(&line, 1, i == s->locations ? functions : 1 + i % (functions - 1));
        gate_wire_put_number(&line, 2, 10 + i % 500);
        put_message(m, 4, &line);
        put_message(&s->out, 4, m);
    }
    gate_buf_free(&line);
    for (uint32_t i = 1; i <= functions; i++) {
        gate_wire_put_number(m, 1, i);
        gate_wire_put_number(m, 2, i == functions ? FIXED - 1 : FIXED - 1 + i);
        gate_wire_put_number(m, 4, 5);
        put_message(&s->out, 5, m);
    }
    for (int i = 0; i < FIXED; i++)
        gate_wire_put_bytes(&s->out, 6, gate_str_from(fixed[i]));
    for (uint32_t i = 1; i < functions; i++) {
        char name[96];
        int len = snprintf(name, sizeof name, "example.com/shop/internal/pkg%u.(*Service).method%uHandler",
                           (unsigned)i % 97, (unsigned)i);
        gate_wire_put_bytes(&s->out, 6, (struct gate_str){name, (size_t)len});
    }
    gate_wire_put_bytes(&s->out, 6, GATE_STR("endpoint"));
}

int main(int argc, char **argv) {
    uint32_t numbers[6] = {100000, 42, 200000, 1, 0, 0};
    for (int i = 1; i < argc && i <= 6; i++)
        numbers[i - 1] = (uint32_t)strtoul(argv[i], NULL, 10);
    struct synthetic s = {.samples = numbers[0],
                          .depth = numbers[1],
                          .locations = numbers[2],
                          .state = numbers[3],
                          .hot = numbers[4],
                          .labels = numbers[5]};
    struct gate_buf message = {0};
    struct gate_buf packed = {0};
    struct gate_error err = {0};
    if (s.depth < 2 || s.locations < 16) {
        (void)fprintf(stderr, "synthetic: a depth of 2 and 16 locations at least\n");
        return 2;
    }
    put_types(&s, &message);
    for (uint32_t i = 0; i < s.samples; i++)
        put_sample(&s, &message);
    put_tables(&s, &message);
    gate_wire_put_number(&s.out, 9, UINT64_C(1700000000000000000));
    gate_wire_put_number(&s.out, 10, (uint64_t)s.samples * 10000000);
    gate_wire_put_number(&message, 1, 3);
    gate_wire_put_number(&message, 2, 4);
    put_message(&s.out, 11, &message);
    gate_wire_put_number(&s.out, 12, 10000000);
    bool ok = gate_buf_check(&s.out, &err) &&
              gate_container_write(&packed, gate_buf_view(&s.out), GATE_CONTAINER_GZIP, &err) &&
              fwrite(packed.ptr, 1, packed.len, stdout) == packed.len;
    gate_buf_free(&message);
    gate_buf_free(&packed);
    gate_buf_free(&s.out);
    return ok && fflush(stdout) == 0 ? 0 : 1;
}
