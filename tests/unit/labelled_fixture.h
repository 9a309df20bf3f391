/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: pprof profiles whose samples have labels. Each line is one sample, such as
 * "endpoint=/a,bytes#4096 main;serve;leaf 3". */
#ifndef GATE_TESTS_LABELLED_FIXTURE_H
#define GATE_TESTS_LABELLED_FIXTURE_H

#include "gate/base/buf.h"
#include "gate/base/table.h"
#include "gate/model/wire.h"
#include "tests/unit/pair_fixture.h"

/* A profile under construction. A string's index is its index in `strings`; a function's id is its index plus 1. */
struct labelled {
    struct gate_arena arena;
    struct gate_table strings, functions;
    struct gate_buf samples;
};

static inline uint64_t labelled_string(struct labelled *l, struct gate_str text) {
    return gate_table_intern_copy(&l->strings, text);
}

static inline void labelled_message(struct gate_buf *out, uint32_t field, struct gate_buf *message) {
    gate_wire_put_bytes(out, field, gate_buf_view(message));
    gate_buf_free(message);
}

/* Append one label, "key=text" or "key#number". */
static inline void labelled_label(struct labelled *l, struct gate_buf *sample, struct gate_str text) {
    struct gate_buf message = {0};
    size_t equals = gate_str_find(text, GATE_STR("="), 0), hash = gate_str_find(text, GATE_STR("#"), 0);
    size_t at = equals != SIZE_MAX ? equals : hash;
    assert_true(at != SIZE_MAX);
    gate_wire_put_number(&message, 1, labelled_string(l, gate_str_slice(text, 0, at)));
    if (equals != SIZE_MAX)
        gate_wire_put_number(&message, 2, labelled_string(l, gate_str_slice(text, at + 1, text.len)));
    else
        gate_wire_put_number(&message, 3, strtoull(text.ptr + at + 1, NULL, 10));
    labelled_message(sample, 3, &message);
}

/* Append the sample of one line. Labels "-" mean none. */
static inline void labelled_line(struct labelled *l, struct gate_str line) {
    size_t space = gate_str_find(line, GATE_STR(" "), 0), last = line.len;
    while (line.ptr[last - 1] != ' ')
        last--;
    struct gate_str labels = gate_str_slice(line, 0, space), stack = gate_str_slice(line, space + 1, last - 1);
    struct gate_buf sample = {0}, ids = {0}, values = {0};
    for (size_t end = stack.len; end > 0;) { /* leaf first */
        size_t from = end;
        while (from > 0 && stack.ptr[from - 1] != ';')
            from--;
        gate_wire_put_varint(&ids, gate_table_intern_copy(&l->functions, gate_str_slice(stack, from, end)) + 1u);
        end = from > 0 ? from - 1 : 0;
    }
    gate_wire_put_varint(&values, strtoull(line.ptr + last, NULL, 10));
    labelled_message(&sample, 1, &ids);
    labelled_message(&sample, 2, &values);
    for (size_t from = 0; from < labels.len && !gate_str_equal(labels, GATE_STR("-"));) {
        size_t comma = gate_str_find(labels, GATE_STR(","), from);
        size_t end = comma == SIZE_MAX ? labels.len : comma;
        labelled_label(l, &sample, gate_str_slice(labels, from, end));
        from = end + 1;
    }
    labelled_message(&l->samples, 2, &sample);
}

static inline void labelled_finish(struct labelled *l, struct gate_buf *out, int64_t time_ns) {
    struct gate_buf type = {0};
    gate_wire_put_number(&type, 1, labelled_string(l, GATE_STR("samples")));
    gate_wire_put_number(&type, 2, labelled_string(l, GATE_STR("count")));
    labelled_message(out, 1, &type);
    gate_buf_str(out, gate_buf_view(&l->samples));
    for (uint32_t i = 0; i < l->functions.count; i++) {
        struct gate_buf line = {0}, location = {0}, function = {0};
        gate_wire_put_number(&line, 1, i + 1u);
        gate_wire_put_number(&location, 1, i + 1u);
        labelled_message(&location, 4, &line);
        labelled_message(out, 4, &location);
        gate_wire_put_number(&function, 1, i + 1u);
        gate_wire_put_number(&function, 2, labelled_string(l, l->functions.keys[i]));
        labelled_message(out, 5, &function);
    }
    for (uint32_t i = 0; i < l->strings.count; i++)
        gate_wire_put_bytes(out, 6, l->strings.keys[i]);
    if (time_ns != 0)
        gate_wire_put_number(out, 9, (uint64_t)time_ns);
}

/** Add a run to `side`, profiled at `time_ns`; 0 means that the profile has no time. */
static inline void labelled_add(struct pair_fixture *fixture, enum gate_side_name side, const char *lines,
                                int64_t time_ns) {
    struct labelled l = {0};
    struct gate_buf out = {0};
    struct gate_str rest = gate_str_from(lines);
    gate_table_init(&l.strings, &l.arena);
    gate_table_init(&l.functions, &l.arena);
    (void)labelled_string(&l, GATE_STR(""));
    for (size_t from = 0; from < rest.len;) {
        size_t newline = gate_str_find(rest, GATE_STR("\n"), from);
        size_t end = newline == SIZE_MAX ? rest.len : newline;
        labelled_line(&l, gate_str_slice(rest, from, end));
        from = end + 1;
    }
    labelled_finish(&l, &out, time_ns);
    struct gate_str kept = gate_str_copy(&fixture->arena, gate_buf_view(&out));
    const struct gate_limits limits = gate_limits_default();
    uint32_t index = fixture->counts[side]++;
    assert_true(index < FIXTURE_RUNS_MAX && kept.ptr != NULL);
    if (!gate_profile_load(&fixture->profiles[side][index], kept, &limits, &fixture->arena, &fixture->err))
        fail_msg("%s", fixture->err.message);
    fixture->inputs[side][index] =
        (struct gate_run_input){.path = side == GATE_BASELINE ? GATE_STR("base") : GATE_STR("canary"),
                                .profile = &fixture->profiles[side][index]};
    gate_buf_free(&l.samples);
    gate_buf_free(&out);
    gate_arena_free(&l.arena);
}

#endif
