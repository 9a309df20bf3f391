/* SPDX-License-Identifier: Apache-2.0 */
/* Values as words of four bytes (see stack_tree_values.h). */
#include "gate/profile/stack_tree_values.h"

#include "gate/base/divisor.h"

enum {
    UNIT_SAMPLES = 1024, /* a column's unit is found among so many */
    SMALL_MAX = 1 << 30  /* multiples of the unit below this fit a word */
};

static uint32_t word_at(const uint8_t *at) {
    uint32_t word = 0;
    memcpy(&word, at, sizeof word);
    return word;
}

static int64_t word_value(const struct gate_stack_tree *tree, uint32_t word, uint32_t column) {
    if (word & 1u)
        return tree->wide[word >> 1];
    return (int32_t)word / 2 * tree->units[column];
}

static uint8_t *word_of(const struct gate_stack_tree *tree, uint32_t place, uint32_t column) {
    return tree->bytes + place + GATE_STACK_WORD_BYTES + (size_t)GATE_STACK_WORD_BYTES * column;
}

int64_t gate_stack_tree_value(const struct gate_stack_tree *tree, uint32_t place, uint32_t column) {
    return word_value(tree, word_at(word_of(tree, place, column)), column);
}

/* In `wide`, where it may be already. */
static bool wide_set(struct gate_stack_tree *tree, uint8_t *at, int64_t value) {
    uint32_t word = word_at(at);
    if (!(word & 1u)) {
        int64_t *grown =
            gate_arena_regrow(tree->arena, tree->wide, tree->wide_count, &tree->wide_capacity, sizeof *grown);
        if (grown == NULL || tree->wide_count >= UINT32_MAX / 2)
            return false;
        tree->wide = grown;
        word = (uint32_t)tree->wide_count++ << 1 | 1u;
        memcpy(at, &word, sizeof word);
    }
    tree->wide[word >> 1] = value;
    return true;
}

static bool value_set(struct gate_stack_tree *tree, uint8_t *at, uint32_t column, int64_t value) {
    int64_t unit = tree->units[column];
    int64_t times = unit == 0 ? 0 : value / unit;
    if (times * unit != value || times >= SMALL_MAX || times < -SMALL_MAX || word_at(at) & 1u)
        return wide_set(tree, at, value);
    uint32_t word = (uint32_t)(int32_t)times << 1;
    memcpy(at, &word, sizeof word);
    return true;
}

/* All so far in a unit that divides `value`, too. */
static bool unit_refine(struct gate_stack_tree *tree, uint32_t column, int64_t value) {
    int64_t before = tree->units[column];
    uint64_t unit = gate_divisor_common(gate_divisor_size(value), (uint64_t)before);
    if (unit > INT64_MAX)
        return true;
    bool ok = true;
    for (uint32_t place = gate_stack_tree_first(tree); ok && place != 0; place = gate_stack_tree_next(tree, place)) {
        uint8_t *at = word_of(tree, place, column);
        int64_t kept = word_value(tree, word_at(at), column);
        tree->units[column] = (int64_t)unit;
        ok = value_set(tree, at, column, kept);
        tree->units[column] = before;
    }
    tree->units[column] = (int64_t)unit;
    return ok;
}

bool gate_stack_tree_set(struct gate_stack_tree *tree, uint32_t place, uint32_t column, int64_t value) {
    int64_t unit = tree->units[column];
    bool is_multiple = value == 0 || (unit != 0 && value % unit == 0);
    if (!is_multiple && (unit == 0 || tree->count <= UNIT_SAMPLES) && !unit_refine(tree, column, value))
        return false;
    return value_set(tree, word_of(tree, place, column), column, value);
}

/* The unit alone changes, but where that does not fit. */
bool gate_stack_tree_scale(struct gate_stack_tree *tree, uint32_t column, int64_t ratio) {
    int64_t unit = tree->units[column];
    if (__builtin_mul_overflow(unit, ratio, &unit))
        return false;
    for (uint32_t place = gate_stack_tree_first(tree); place != 0; place = gate_stack_tree_next(tree, place)) {
        uint32_t word = word_at(word_of(tree, place, column));
        int64_t value = word_value(tree, word, column);
        if (__builtin_mul_overflow(value, ratio, &value))
            return false;
        if (word & 1u)
            tree->wide[word >> 1] = value;
    }
    tree->units[column] = unit;
    return true;
}
