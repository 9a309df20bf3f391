/* SPDX-License-Identifier: Apache-2.0 */
/* Descending (see tree_descent.h). Sixteen bytes of ids are looked up as they stand, but for those that belong to an id
 * that begins in front of them. What leads out of the tree is not remembered: it is of many kinds. */
#include "gate/compare/tree_descent.h"

enum { FEWEST_SLOTS = 64, FRAMES_AT_A_TIME = 8, STRETCHES = 4096, STRETCH_BYTES = 16, WORD_BYTES = 8 };

bool gate_tree_descent_make(struct gate_tree_descent *out, const struct gate_tree *tree, bool from_leaf,
                            struct gate_arena *arena) {
    uint32_t slots = FEWEST_SLOTS;
    while (slots / 2 < tree->count && slots < UINT32_MAX / 2)
        slots *= 2;
    *out = (struct gate_tree_descent){.from_leaf = from_leaf, .secret = gate_hash_secret(), .mask = slots - 1};
    out->slots = GATE_NEW_ARRAY(arena, struct gate_tree_slot, slots);
    out->hot = gate_arena_alloc(arena, tree->count * sizeof *out->hot);
    if (out->slots == NULL || out->hot == NULL)
        return false;
    memset(out->hot, 0xFF, tree->count * sizeof *out->hot);
    for (uint32_t i = 1; i < tree->count; i++) {
        const struct gate_tree_node *node = &tree->nodes[i];
        struct gate_tree_hot *hot = &out->hot[node->parent];
        if (hot->child == GATE_NO_INDEX || node->total[GATE_BASELINE] > tree->nodes[hot->child].total[GATE_BASELINE])
            *hot = (struct gate_tree_hot){node->frame, i};
        uint32_t at = gate_tree_descent_hash(out, node->parent, node->frame) & out->mask;
        while (out->slots[at].child != 0)
            at = (at + 1) & out->mask;
        out->slots[at] = (struct gate_tree_slot){node->parent, node->frame, i};
    }
    return true;
}

bool gate_tree_memo_make(struct gate_tree_memo *out, struct gate_arena *arena) {
    *out = (struct gate_tree_memo){.stretches = gate_arena_alloc(arena, STRETCHES * sizeof *out->stretches)};
    return out->stretches != NULL;
}

/* 0, the root, where there is no such child. */
static inline uint32_t child_of(const struct gate_tree_descent *descent, uint32_t node, uint32_t frame) {
    if (descent->hot[node].frame == frame)
        return descent->hot[node].child;
    for (uint32_t at = gate_tree_descent_hash(descent, node, frame) & descent->mask;; at = (at + 1) & descent->mask) {
        const struct gate_tree_slot *slot = &descent->slots[at];
        if (slot->child == 0 || (slot->node == node && slot->frame == frame))
            return slot->child;
    }
}

/* One frame further; false where that leads out of the tree. */
static inline bool step(struct gate_tree_leave *at, const struct gate_tree_descent *descent, uint32_t frame) {
    uint32_t child = child_of(descent, at->node, frame);
    at->frame = frame;
    if (child == 0)
        return false;
    at->node = child;
    at->depth++;
    return true;
}

/* ---- stretches --------------------------------------------------------------------------------------------------- */

/* Eight bytes, the first one lowest. */
static inline uint64_t word_at(const uint8_t *at) {
    uint64_t word = 0;
    for (int i = 0; i < WORD_BYTES; i++)
        word |= (uint64_t)at[i] << 8 * i;
    return word;
}

/* The stretch that ends at `end`, which has more than STRETCH_BYTES bytes of ids in front of it. Its `bytes` are 0
 * where an id is too long for it. */
static inline struct gate_tree_stretch stretch_at(const uint8_t *end, uint32_t node) {
    const uint8_t *at = end - STRETCH_BYTES;
    uint64_t first = word_at(at), ends = ~first & UINT64_C(0x8080808080808080);
    uint32_t others = at[-1] < 0x80 ? 0 : (uint32_t)__builtin_ctzll(ends | UINT64_C(1) << 63) / 8 + 1;
    uint64_t own = others == WORD_BYTES ? 0 : first >> 8 * others << 8 * others;
    bool is_cut = others == WORD_BYTES && ends >> 63 == 0;
    return (struct gate_tree_stretch){
        {own, word_at(end - WORD_BYTES)}, .from = node, .bytes = is_cut ? 0 : (uint16_t)(STRETCH_BYTES - others)};
}

static struct gate_tree_stretch *memo_at(const struct gate_tree_memo *memo, const struct gate_tree_stretch *stretch) {
    uint64_t hash = (stretch->ids[0] ^ stretch->from) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 32 ^ stretch->ids[1]) * UINT64_C(0xBF58476D1CE4E5B9);
    return &memo->stretches[hash >> 32 & (STRETCHES - 1)];
}

/* By the frames of ids; false where one leads out of the tree. */
static bool stretch_walk(struct gate_tree_leave *at, const struct gate_tree_descent *descent,
                         const struct gate_run *run, const uint8_t *end, uint32_t bytes) {
    const uint8_t *from = end - bytes;
    while (end > from) {
        uint32_t frame = run->frame_of_id[gate_walk_id_before(&end, from)];
        if (frame < GATE_FRAME_LIST) {
            if (!step(at, descent, frame))
                return false;
            continue;
        }
        uint32_t count = 0;
        const uint32_t *frames = gate_run_frame_list(&count, run, frame);
        for (uint32_t f = count; f > 0; f--)
            if (!step(at, descent, frames[f - 1]))
                return false;
    }
    return true;
}

/* As far as there are whole stretches; false where one of them leads out of the tree. The leaf's id, of which frames
 * may be folded, is in none. */
static bool descend_stretches(struct gate_tree_leave *at, const struct gate_tree_descent *descent,
                              struct gate_tree_memo *memo, const struct gate_run *run, struct gate_walk_rest *rest) {
    if (memo->run != run)
        memset(memo->stretches, 0, STRETCHES * sizeof *memo->stretches);
    memo->run = run;
    while (rest->len > STRETCH_BYTES) {
        struct gate_tree_stretch stretch = stretch_at(rest->ids, at->node);
        struct gate_tree_stretch *known = memo_at(memo, &stretch);
        if (stretch.bytes == 0)
            return true;
        if (known->ids[0] == stretch.ids[0] && known->ids[1] == stretch.ids[1] && known->from == stretch.from &&
            known->bytes == stretch.bytes) {
            at->node = known->to;
            at->depth += known->frames;
        } else {
            uint32_t depth = at->depth;
            if (!stretch_walk(at, descent, run, rest->ids, stretch.bytes))
                return false;
            stretch.to = at->node;
            stretch.frames = (uint16_t)(at->depth - depth);
            if (at->depth - depth <= UINT16_MAX)
                *known = stretch;
        }
        rest->ids -= stretch.bytes;
        rest->len -= stretch.bytes;
    }
    return true;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

struct gate_tree_leave gate_tree_descend(const struct gate_tree_descent *descent, struct gate_tree_memo *memo,
                                         const struct gate_run *run, struct gate_walk_rest rest) {
    struct gate_tree_leave at = {.frame = GATE_NO_INDEX};
    bool from_leaf = descent->from_leaf; /* then most stacks have no part in the tree */
    uint32_t frames[FRAMES_AT_A_TIME], most = from_leaf ? 1 : FRAMES_AT_A_TIME;
    bool is_plain = memo != NULL && !from_leaf && run->frame_of_id != NULL && rest.taken == 0;
    if (is_plain && !descend_stretches(&at, descent, memo, run, &rest))
        return at;
    for (;; most = FRAMES_AT_A_TIME) {
        uint32_t count = gate_walk_take_some(&rest, run, from_leaf, at.frame, frames, most);
        for (uint32_t i = 0; i < count; i++)
            if (!step(&at, descent, frames[i]))
                return at;
        if (count < most)
            break;
    }
    at.frame = GATE_NO_INDEX;
    return at;
}
