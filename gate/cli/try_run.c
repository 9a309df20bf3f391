/* SPDX-License-Identifier: Apache-2.0 */
/* Trying one pair (see try_run.h). */
#include "gate/cli/try_run.h"

#include "gate/cli/progress.h"

static void run_stage(void *context, const char *text) {
    gate_progress_stage(((struct gate_cli *)context)->progress, text);
}

static void run_note(void *context, struct gate_str text) {
    gate_cli_note(context, text);
}

static bool run_take(void *context, uint32_t round, struct gate_error *err) {
    return gate_trial_round(context, round, err);
}

/* A round at a time, with a look after each. */
static bool run_rounds(struct gate_verdict *out, const struct gate_try_run *run, struct gate_trial *trial,
                       struct gate_error *err) {
    const struct gate_rounds rounds = {.dir = trial->dir,
                                       .manifest = &trial->manifest,
                                       .planned = run->plan->rounds,
                                       .max_seconds = run->max_seconds,
                                       .take = run_take,
                                       .context = trial};
    return gate_rounds_run(out, &rounds, run->decision, run->rules, run->cli, err);
}

bool gate_try_run_pair(struct gate_verdict *out, int *failed, const struct gate_try_run *run,
                       const struct gate_try_pair *pair, struct gate_error *err) {
    struct gate_trial *trial = GATE_NEW_ARRAY(run->cli->arena, struct gate_trial, 1);
    *failed = -1;
    if (trial == NULL)
        return gate_arena_error(run->cli->arena, err);
    *trial = (struct gate_trial){.plan = run->plan,
                                 .worktree = run->worktree,
                                 .dir = pair->dir,
                                 .listener = {run->cli, run_stage, run_note},
                                 .failed = -1};
    memcpy(trial->commits, pair->commits, sizeof trial->commits);
    bool ok = gate_trial_begin(trial, err) &&
              (pair->baseline_is_built || gate_trial_build(trial, GATE_BASELINE, err)) &&
              gate_trial_build(trial, GATE_CANARY, err) && gate_trial_find_loads(trial, err) &&
              run_rounds(out, run, trial, err);
    gate_trial_end(trial);
    *failed = trial->failed;
    return ok;
}
