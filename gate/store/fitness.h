/* SPDX-License-Identifier: Apache-2.0 */
/* What speaks against a baseline of a store, as warnings that the rules' guards silence or raise.
 * Pipeline: store/match.h + rules/guard_rules.h -> store/fitness.h -> cli/accepted.h */
#ifndef GATE_STORE_FITNESS_H
#define GATE_STORE_FITNESS_H

#include "gate/guards/warnings.h"
#include "gate/store/match.h"

/** What there is to look at. */
struct gate_fitness_input {
    const struct gate_match *match; /* with a record or more */
    const struct gate_match_change *change;
    struct gate_str why_unknown; /* why git does not know the change's revision; may be empty */
    int64_t now_ms;              /* Unix time */
};

/**
 * Append a warning for each guard that speaks: baseline_age, baseline_ancestor, baseline_machine. Guards that are off
 * are silent.
 *
 * err   GATE_ERR_LIMIT the arena is full
 */
GATE_MUST_CHECK
bool gate_fitness_judge(struct gate_warning_list *out, const struct gate_fitness_input *input,
                        const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err);

/** "4 commits before this change", "of this very revision", ...: where the match stands. */
struct gate_str gate_fitness_place(const struct gate_match *match, struct gate_arena *arena);

/** Whole days between two times, 0 where the first is the later. */
int64_t gate_fitness_days(int64_t from_ms, int64_t to_ms);

#endif
