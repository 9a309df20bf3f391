/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/session/taken_runs.h"

enum { LISTED_MAX = 8 };

/* Append a warning. `message.ptr` NULL means that the arena is full. */
static bool append(struct gate_warning_list *out, struct gate_warning warning, struct gate_arena *arena,
                   struct gate_error *err) {
    if (warning.message.ptr == NULL || !GATE_GROW(arena, out->items, out->count, out->capacity))
        return gate_arena_error(arena, err);
    out->items[out->count++] = warning;
    return true;
}

/* ---- programs that broke off a profile --------------------------------------------------------------------------- */

/* Return whether the run shows that its program was restarted or down. In the first round it may just have started. */
static bool was_interrupted(const struct gate_manifest_run *run, enum gate_retried why) {
    return run->retried == why && (why == GATE_RETRIED_CUT || run->round > 1);
}

/* Append the warning about the runs of a side that were repeated for this reason. */
static bool warn_retried(struct gate_warning_list *out, const struct gate_skipped_rounds_kind *of,
                         enum gate_side_name side, enum gate_retried why, uint32_t last, struct gate_arena *arena,
                         struct gate_error *err) {
    struct gate_buf list = {0};
    uint32_t count = 0, before = 0;
    struct gate_str instance = {0};
    for (uint32_t i = 0; i < of->counts[side]; i++) {
        const struct gate_manifest_run *run = of->runs[side][i];
        if (!was_interrupted(run, why) || run->round == before)
            continue;
        instance = count == 0 ? run->instance : instance;
        before = run->round;
        if (count++ < LISTED_MAX)
            gate_buf_printf(&list, "%s%u", count == 1 ? "" : ", ", (unsigned)run->round);
    }
    bool is_one = count == 1, is_cut = why == GATE_RETRIED_CUT, failed = list.failed;
    struct gate_str text = gate_str_format(
        arena, "round%s %.*s%s of %u: the %s (%.*s) %s its %.*s profile%s%s %s taken %s: did it crash or restart?",
        is_one ? "" : "s", GATE_STR_ARG(gate_buf_view(&list)), count > LISTED_MAX ? ", ..." : "", (unsigned)last,
        gate_side_word(side), GATE_STR_ARG(instance), is_cut ? "broke off" : "could not be reached at first, and",
        GATE_STR_ARG(of->kind), is_one ? "" : "s", is_cut ? ", which" : "", is_one ? "was" : "were",
        is_cut ? "again" : "later");
    gate_buf_free(&list);
    if (failed)
        return gate_error_set(err, GATE_ERR_MEMORY, "out of memory");
    return count == 0 || append(out, (struct gate_warning){GATE_GUARD_RETRIED, text, false}, arena, err);
}

bool gate_taken_runs_warn(struct gate_warning_list *out, const struct gate_skipped_rounds_kind *of, uint32_t last,
                          struct gate_arena *arena, struct gate_error *err) {
    for (int side = 0; side < GATE_SIDES; side++)
        if (!warn_retried(out, of, (enum gate_side_name)side, GATE_RETRIED_CUT, last, arena, err) ||
            !warn_retried(out, of, (enum gate_side_name)side, GATE_RETRIED_DOWN, last, arena, err))
            return false;
    return true;
}
