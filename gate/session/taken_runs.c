/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/session/taken_runs.h"

enum { ADDRESSES_MAX = 16, LISTED_MAX = 8 };

/* Append a warning. `message.ptr` NULL means that the arena is full. */
static bool append(struct gate_warning_list *out, struct gate_warning warning, struct gate_arena *arena,
                   struct gate_error *err) {
    if (warning.message.ptr == NULL || !GATE_GROW(arena, out->items, out->count, out->capacity))
        return gate_arena_error(arena, err);
    out->items[out->count++] = warning;
    return true;
}

/* ---- one process under two addresses ----------------------------------------------------------------------------- */

/* A program that ends one profile may begin the next one while it sends the first, so two windows of one process may
 * overlap by this part of the shorter one. */
static const double OVERLAP_MOST = 0.10;

static bool are_apart(const struct gate_manifest_run *a, const struct gate_manifest_run *b) {
    int64_t from = a->start_ms > b->start_ms ? a->start_ms : b->start_ms;
    int64_t to = a->end_ms < b->end_ms ? a->end_ms : b->end_ms;
    int64_t one = a->end_ms - a->start_ms, two = b->end_ms - b->start_ms;
    return (double)to - (double)from <= OVERLAP_MOST * (double)(one < two ? one : two);
}

/* Return whether two runs of a round may be profiles of one process. */
static bool may_be_one(const struct gate_manifest_run *a, const struct gate_manifest_run *b) {
    bool is_busy = a->retried == GATE_RETRIED_BUSY || b->retried == GATE_RETRIED_BUSY;
    bool is_build = a->revision.len == 0 || b->revision.len == 0 || gate_str_equal(a->revision, b->revision);
    return are_apart(a, b) && is_busy && is_build;
}

/* Return the number of rounds in which the addresses of `a` and `b` have runs, or 0 if one of these rounds shows that
 * they are two processes. */
static uint32_t rounds_as_one(const struct gate_taken_kind *of, const struct gate_manifest_run *a,
                              const struct gate_manifest_run *b) {
    const struct gate_manifest_run *const *canary = of->runs[GATE_CANARY];
    uint32_t rounds = 0, from = 0, counted = 0;
    for (uint32_t i = 0; i < of->counts[GATE_BASELINE]; i++) {
        const struct gate_manifest_run *run = of->runs[GATE_BASELINE][i];
        if (!gate_str_equal(run->source, a->source))
            continue;
        while (from < of->counts[GATE_CANARY] && canary[from]->round < run->round)
            from++;
        for (uint32_t j = from; j < of->counts[GATE_CANARY] && canary[j]->round == run->round; j++) {
            if (!gate_str_equal(canary[j]->source, b->source))
                continue;
            if (!may_be_one(run, canary[j]))
                return 0;
            rounds += run->round != counted; /* one round may have several runs of an address */
            counted = run->round;
        }
    }
    return rounds;
}

static struct gate_str one_process(const struct gate_taken_kind *of, const struct gate_manifest_run *a,
                                   const struct gate_manifest_run *b, uint32_t rounds, struct gate_arena *arena) {
    struct gate_str when =
        rounds == 1 ? GATE_STR("in its only round") : gate_str_format(arena, "in each of %u rounds", (unsigned)rounds);
    return when.ptr == NULL
               ? when
               : gate_str_format(arena,
                                 "%.*s: both sides seem to be one process under two addresses (%.*s and %.*s): %.*s "
                                 "the program was busy with the profile of one side when that of the other was "
                                 "requested; give the address of each side's own process, and stop other profilers",
                                 GATE_STR_ARG(of->kind), GATE_STR_ARG(a->instance), GATE_STR_ARG(b->instance),
                                 GATE_STR_ARG(when));
}

static uint32_t addresses_of(const struct gate_taken_kind *of, enum gate_side_name side) {
    uint32_t count = 0;
    while (count < of->counts[side] && count < ADDRESSES_MAX &&
           of->runs[side][count]->round == of->runs[side][0]->round)
        count++;
    return count;
}

static bool warn_one_process(struct gate_warning_list *out, const struct gate_taken_kind *of, struct gate_arena *arena,
                             struct gate_error *err) {
    const uint32_t counts[] = {addresses_of(of, GATE_BASELINE), addresses_of(of, GATE_CANARY)};
    for (uint32_t i = 0; i < counts[GATE_BASELINE]; i++)
        for (uint32_t j = 0; j < counts[GATE_CANARY]; j++) {
            const struct gate_manifest_run *a = of->runs[GATE_BASELINE][i], *b = of->runs[GATE_CANARY][j];
            uint32_t rounds = rounds_as_one(of, a, b);
            if (rounds == 0)
                continue;
            const struct gate_warning warning = {GATE_GUARD_ONE_PROCESS, one_process(of, a, b, rounds, arena),
                                                 rounds == 1};
            return append(out, warning, arena, err);
        }
    return true;
}

/* ---- programs that broke off a profile --------------------------------------------------------------------------- */

/* Return whether the run shows that its program was restarted or down. In the first round it may just have started. */
static bool was_interrupted(const struct gate_manifest_run *run, enum gate_retried why) {
    return run->retried == why && (why == GATE_RETRIED_CUT || run->round > 1);
}

/* Append the warning about the runs of a side that were repeated for this reason. */
static bool warn_retried(struct gate_warning_list *out, const struct gate_taken_kind *of, enum gate_side_name side,
                         enum gate_retried why, uint32_t last, struct gate_arena *arena, struct gate_error *err) {
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

bool gate_taken_runs_warn(struct gate_warning_list *out, const struct gate_taken_kind *of, uint32_t last,
                          struct gate_arena *arena, struct gate_error *err) {
    if (!warn_one_process(out, of, arena, err))
        return false;
    for (int side = 0; side < GATE_SIDES; side++)
        if (!warn_retried(out, of, (enum gate_side_name)side, GATE_RETRIED_CUT, last, arena, err) ||
            !warn_retried(out, of, (enum gate_side_name)side, GATE_RETRIED_DOWN, last, arena, err))
            return false;
    return true;
}
