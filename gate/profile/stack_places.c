/* SPDX-License-Identifier: Apache-2.0 */
/* Entries by place (see stack_places.h). */
#include "gate/profile/stack_places.h"

bool gate_stack_places_begin(struct gate_stack_places *out, size_t bytes_len, struct gate_arena *arena) {
    *out = (struct gate_stack_places){.stretches = (bytes_len >> GATE_STACK_PLACES_BITS) + 1};
    out->first = gate_arena_resize(arena, NULL, 0, out->stretches * sizeof *out->first);
    return out->first != NULL;
}

void gate_stack_places_end(struct gate_stack_places *places, struct gate_arena *arena) {
    (void)gate_arena_resize(arena, places->first, places->stretches * sizeof *places->first, 0);
    *places = (struct gate_stack_places){0};
}
