/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the guards share. Private to gate/budget/guards*.c; the outside sees guards/guards.h. */
#ifndef GATE_GUARDS_GUARDS_PARTS_H
#define GATE_GUARDS_GUARDS_PARTS_H

#include "gate/guards/guards.h"

struct guard_check {
    const struct gate_comparison *comparison;
    const struct gate_pair *pair;
    const struct gate_rules *rules;
    struct gate_arena *arena;
    struct gate_error *err;
    struct gate_warning *items; /* room for GATE_GUARDS */
    uint32_t count;
};

/** Record a warning; false when the arena is full. */
GATE_MUST_CHECK bool guard_warn(struct guard_check *check, enum gate_guard guard, const char *format, ...)
    GATE_PRINTF(3, 4);

/** "baseline" or "canary". */
const char *guard_side_name(uint32_t side);

/* Each returns false only on an error; what it finds it records with guard_warn. */
typedef bool guard_fn(struct guard_check *check, double limit);

/* guards_sides.c: what the files say about themselves */
bool guard_swapped(struct guard_check *check, double limit);
bool guard_different_types(struct guard_check *check, double limit);
bool guard_different_period(struct guard_check *check, double limit);
bool guard_different_rate(struct guard_check *check, double limit);
bool guard_different_duration(struct guard_check *check, double limit);
bool guard_idle(struct guard_check *check, double limit);
bool guard_delta_profile(struct guard_check *check, double limit);

/* guards_origin.c: where they come from, by the names in them */
bool guard_different_producer(struct guard_check *check, double limit);
bool guard_different_architecture(struct guard_check *check, double limit);
bool guard_debug_build(struct guard_check *check, double limit);

/* guards_frames.c: what their stacks and frames look like */
bool guard_unsymbolised(struct guard_check *check, double limit);
bool guard_hex_names(struct guard_check *check, double limit);
bool guard_truncated_stacks(struct guard_check *check, double limit);
bool guard_shape_changed(struct guard_check *check, double limit);
bool guard_cold_start(struct guard_check *check, double limit);
bool guard_profiler_overhead(struct guard_check *check, double limit);

#endif
