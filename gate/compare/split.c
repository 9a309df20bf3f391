/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the cost of one side into own code, third parties, libraries and the rest. */
#include "gate/compare/split.h"

#include "gate/compare/delta.h"
#include "gate/compare/frames.h"

#include <stdlib.h>

/* A row with its name for sorting, because qsort has no context argument. */
struct split_item {
    struct gate_split_row row;
    struct gate_str name;
};

const char *gate_split_name(enum gate_split_part part) {
    static const char *const names[GATE_SPLIT_PARTS] = {[GATE_SPLIT_OWN] = "own",
                                                        [GATE_SPLIT_THIRD_PARTY] = "third_party",
                                                        [GATE_SPLIT_REMAINDER] = "remainder",
                                                        [GATE_SPLIT_LIBRARY] = "library"};
    return names[part];
}

static int by_value(const void *left, const void *right) {
    const struct split_item *a = left, *b = right;
    if (a->row.value != b->row.value)
        return a->row.value < b->row.value ? 1 : -1;
    return gate_str_compare(a->name, b->name);
}

/* Return the list of an own-code frame. Third-party code that the rules made own counts as own. */
static enum gate_split_part part_of(const struct gate_pair *pair, const struct gate_frame *frame) {
    bool is_third = frame->code == GATE_CODE_THIRD_PARTY && gate_own_code_is_own(pair->language, frame->code);
    return is_third ? GATE_SPLIT_THIRD_PARTY : GATE_SPLIT_OWN;
}

/* Return whether a frame is in a list, and set its value. */
static bool row_of(struct gate_split_row *out, const struct gate_pair *pair, const struct gate_delta *delta,
                   enum gate_side_name side, enum gate_split_part part) {
    const struct gate_frame *frame = &pair->frames[out->frame];
    bool is_own = frame->is_own && !pair->has_no_own;
    int64_t charged = delta->value[GATE_CHARGED][side];
    out->value = part == GATE_SPLIT_LIBRARY ? delta->value[GATE_SELF][side] : charged;
    if (part == GATE_SPLIT_LIBRARY)
        return !is_own;
    if (part == GATE_SPLIT_REMAINDER)
        return !is_own && charged != 0 && !pair->has_no_own;
    return is_own && part_of(pair, frame) == part;
}

static bool list_make(struct gate_split_list *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                      enum gate_side_name side, enum gate_split_part part, struct split_item *items,
                      struct gate_arena *arena) {
    *out = (struct gate_split_list){0};
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        struct gate_split_row row = {.frame = i};
        if (!row_of(&row, pair, &deltas->items[i], side, part))
            continue;
        items[out->count++] = (struct split_item){row, pair->frames[i].name};
        out->total += row.value; /* cannot overflow: each part is at most the side's total */
    }
    qsort(items, out->count, sizeof *items, by_value);
    out->rows = GATE_NEW_ARRAY(arena, struct gate_split_row, (size_t)out->count + 1);
    for (uint32_t i = 0; out->rows != NULL && i < out->count; i++)
        out->rows[i] = items[i].row;
    return out->rows != NULL;
}

bool gate_split_make(struct gate_split *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                     enum gate_side_name side, struct gate_arena *arena, struct gate_error *err) {
    struct split_item *items = GATE_NEW_ARRAY(arena, struct split_item, (size_t)pair->frame_count + 1);
    *out = (struct gate_split){0};
    if (items == NULL)
        return gate_arena_error(arena, err);
    for (int part = 0; part < GATE_SPLIT_PARTS; part++)
        if (!list_make(&out->parts[part], pair, deltas, side, (enum gate_split_part)part, items, arena))
            return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < pair->frame_count; i++)
        if (!pair->frames[i].is_symbolised)
            out->unsymbolised += deltas->items[i].value[GATE_SELF][side];
    out->is_all_own = !pair->has_no_own && out->parts[GATE_SPLIT_LIBRARY].total == 0;
    return true;
}

void gate_split_unnamed(double share[GATE_SIDES], const struct gate_pair *pair, const struct gate_delta_list *deltas) {
    for (uint32_t side = 0; side < GATE_SIDES; side++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < pair->frame_count; i++)
            if (gate_unsymbolised_is_frame(pair, &pair->frames[i]))
                sum += deltas->items[i].value[GATE_SELF][side];
        share[side] = gate_share(sum, pair->sides[side].total);
    }
}
