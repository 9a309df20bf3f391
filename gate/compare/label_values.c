/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a label and the cost of each. */
#include "gate/compare/label_values.h"

#include "gate/base/table.h"
#include "gate/compare/pair_types.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* State of a walk over the runs. */
struct counting {
    struct gate_str key;
    const struct gate_label_filter *where;
    struct gate_table table;
    double *cost; /* per value, in the current run */
    struct gate_label_value *items;
    size_t cost_capacity, item_capacity;
    double total, unlabelled; /* of the current run */
    struct gate_arena *arena;
};

/* Return the value of a label in the syntax of --where. */
static struct gate_str text_of(const struct gate_label *label, char *number, size_t size) {
    if (label->text.ptr != NULL)
        return label->text;
    (void)snprintf(number, size, "%" PRId64 "%.*s", label->number, GATE_STR_ARG(gate_str_slice(label->unit, 0, 40)));
    return gate_str_from(number);
}

static bool has_cost(const struct gate_sample *sample, uint32_t column) {
    return sample->stack.len > 0 && column < sample->value_count && sample->values[column] > 0;
}

static bool counting_add(struct counting *c, const struct gate_label *label, double cost, struct gate_error *err) {
    char number[64];
    uint32_t before = c->table.count;
    uint32_t at = gate_table_intern_copy(&c->table, text_of(label, number, sizeof number));
    if (at == GATE_TABLE_NONE)
        return gate_arena_error(c->arena, err);
    if (at == before) {
        if (!GATE_GROW(c->arena, c->cost, at, c->cost_capacity) || !GATE_GROW(c->arena, c->items, at, c->item_capacity))
            return gate_arena_error(c->arena, err);
        c->cost[at] = 0.0;
        c->items[at] = (struct gate_label_value){.match = {c->key, c->table.keys[at]}};
    }
    c->cost[at] += cost;
    return true;
}

static bool counting_sample(struct counting *c, const struct gate_sample_cursor *cursor,
                            const struct gate_sample *sample, double cost, struct gate_error *err) {
    struct gate_label_walk walk = gate_labels_of(cursor);
    struct gate_label label;
    bool found = false;
    while (sample->label_count != 0 && gate_labels_next(&walk, &label)) {
        if (!gate_str_equal(label.key, c->key))
            continue;
        found = true;
        if (!counting_add(c, &label, cost, err))
            return false;
    }
    c->total += cost;
    c->unlabelled += found ? 0.0 : cost;
    return true;
}

static bool counting_walk(struct counting *c, const struct gate_profile *profile, uint32_t column,
                          struct gate_error *err) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error end = {0};
    bool ok = true;
    gate_sample_begin(&cursor, profile);
    while (ok && gate_sample_next(&cursor, &sample, &end))
        if (has_cost(&sample, column) && gate_where_passes(c->where, &cursor, &sample))
            ok = counting_sample(c, &cursor, &sample, (double)sample.values[column], err);
    gate_sample_end(&cursor);
    if (ok && end.code != GATE_OK)
        *err = end;
    return ok && end.code == GATE_OK;
}

/* Add one run to the mean over its side's runs; `part` is 1 / number of runs. */
static bool counting_run(struct counting *c, const struct gate_run_input *run, struct gate_str sample_type, int side,
                         double part, double *unlabelled, struct gate_error *err) {
    uint32_t column = 0;
    c->total = c->unlabelled = 0.0;
    for (uint32_t i = 0; i < c->table.count; i++)
        c->cost[i] = 0.0;
    if (!gate_sample_type_find(&column, run->profile, sample_type, err) || !counting_walk(c, run->profile, column, err))
        return false;
    if (c->total <= 0.0)
        return true;
    for (uint32_t i = 0; i < c->table.count; i++)
        c->items[i].share[side] += part * c->cost[i] / c->total;
    *unlabelled += part * c->unlabelled / c->total;
    return true;
}

static int value_compare(const void *left, const void *right) {
    const struct gate_label_value *a = left, *b = right;
    double of_a = fmax(a->share[GATE_BASELINE], a->share[GATE_CANARY]);
    double of_b = fmax(b->share[GATE_BASELINE], b->share[GATE_CANARY]);
    if (of_a != of_b)
        return of_a > of_b ? -1 : 1;
    return gate_str_compare(a->match.value, b->match.value);
}

bool gate_label_values_find(struct gate_label_values *out, const struct gate_run_input *const runs[GATE_SIDES],
                            const uint32_t counts[GATE_SIDES], struct gate_str key, struct gate_str sample_type,
                            const struct gate_label_filter *where, struct gate_arena *arena, struct gate_error *err) {
    struct counting c = {.key = key, .where = where, .arena = arena};
    *out = (struct gate_label_values){0};
    gate_table_init(&c.table, arena);
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < counts[side]; i++)
            if (!counting_run(&c, &runs[side][i], sample_type, side, 1.0 / counts[side], &out->unlabelled[side], err))
                return false;
    out->items = c.items;
    out->count = c.table.count;
    if (out->count > 1)
        qsort(out->items, out->count, sizeof *out->items, value_compare);
    return true;
}

bool gate_label_values_has(const struct gate_run_input *run, struct gate_str sample_type,
                           const struct gate_label_filter *where, const struct gate_label_match *match) {
    const struct gate_label_filter one = {match, 1};
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error ignored = {0};
    uint32_t column = 0;
    bool found = false;
    if (!gate_sample_type_find(&column, run->profile, sample_type, &ignored))
        return false;
    gate_sample_begin(&cursor, run->profile);
    while (!found && gate_sample_next(&cursor, &sample, &ignored))
        found = has_cost(&sample, column) && gate_where_passes(where, &cursor, &sample) &&
                gate_where_passes(&one, &cursor, &sample);
    gate_sample_end(&cursor);
    return found;
}
