/* SPDX-License-Identifier: Apache-2.0 */
/* Building and running both sides (see trial.h). */
#include "gate/trial/trial.h"

#include "gate/base/folders.h"
#include "gate/compare/pair.h"
#include "gate/trial/folder.h"
#include "gate/trial/made_profile.h"
#include "gate/trial/server_run.h"
#include "gate/trial/work_found.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

static void trial_stage(const struct gate_trial *trial, const char *text) {
    if (trial->listener.stage != NULL)
        trial->listener.stage(trial->listener.context, text);
}

static bool trial_note(const struct gate_trial *trial, struct gate_str text, struct gate_error *err) {
    if (text.ptr == NULL)
        return gate_arena_error(trial->worktree->arena, err);
    if (trial->listener.note != NULL)
        trial->listener.note(trial->listener.context, text);
    return true;
}

bool gate_trial_begin(struct gate_trial *trial, struct gate_error *err) {
    const struct gate_worktree *worktree = trial->worktree;
    trial->failed = -1;
    trial->shell = (struct gate_shell){.interrupt = worktree->interrupt,
                                       .arena = worktree->arena,
                                       .cache = worktree->cache,
                                       .env = trial->plan->env,
                                       .seconds = trial->plan->seconds,
                                       .timeout = trial->plan->timeout_seconds};
    if (!gate_manifest_file_begin(&trial->manifest, trial->dir, worktree->arena, err))
        return false;
    if (trial->manifest.count != 0)
        return gate_error_set(
            err, GATE_ERR_INPUT,
            "%s: it has profiles already, and those of another try cannot be added up with them; name "
            "a new folder",
            trial->dir);
    trial->manifest.interleaved = true;
    return true;
}

void gate_trial_end(struct gate_trial *trial) {
    gate_manifest_file_end(&trial->manifest);
}

bool gate_trial_build(struct gate_trial *trial, enum gate_side_name side, struct gate_error *err) {
    const char *directory;
    trial->failed = side;
    trial_stage(trial, side == GATE_BASELINE ? "building the baseline" : "building the canary");
    if (!gate_worktree_checkout(trial->worktree, side, trial->commits[side], err) ||
        !gate_worktree_enter(trial->worktree, side, &directory, err))
        return false;
    const struct gate_shell_command command = {
        .name = "build", .text = trial->plan->build, .directory = directory, .side = side};
    return trial->plan->build == NULL || gate_shell_do(&trial->shell, &command, NULL, err);
}

/* ---- what is run ------------------------------------------------------------------------------------------------- */

static struct gate_go_bench *bench_find(const struct gate_go_bench_list *list, struct gate_str name) {
    for (uint32_t i = 0; i < list->count; i++)
        if (gate_str_equal(list->items[i].name, name))
            return &list->items[i];
    return NULL;
}

/* Of `list` those that `other` has too; the rest is noted. */
static bool bench_intersect(const struct gate_trial *trial, struct gate_go_bench_list *list,
                            const struct gate_go_bench_list *other, const char *side, struct gate_error *err) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct gate_go_bench *bench = &list->items[i];
        if (bench_find(other, bench->name) != NULL)
            list->items[kept++] = *bench;
        else if (!trial_note(trial,
                             gate_str_format(trial->worktree->arena, "%.*s is in the %s alone, and is left out",
                                             GATE_STR_ARG(bench->name), side),
                             err))
            return false;
    }
    list->count = kept;
    return true;
}

/* How often each of them runs, and so its commands; one that prints no result (it skips itself) is left out. */
static bool bench_loads(struct gate_trial *trial, struct gate_go_bench_list lists[GATE_SIDES], struct gate_error *err) {
    struct gate_arena *arena = trial->worktree->arena;
    const char *pattern = trial->plan->bench;
    double seconds = trial->plan->seconds;
    trial->failed = GATE_BASELINE; /* unless one of its benchmarks ran */
    trial->loads = GATE_NEW_ARRAY(arena, struct gate_trial_load, (size_t)lists[GATE_BASELINE].count + 1);
    if (trial->loads == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < lists[GATE_BASELINE].count; i++) {
        struct gate_go_bench *baseline = &lists[GATE_BASELINE].items[i];
        struct gate_go_bench *canary = bench_find(&lists[GATE_CANARY], baseline->name);
        if (baseline->seconds > 0)
            trial->failed = GATE_CANARY;
        if (baseline->seconds <= 0 || canary == NULL || canary->seconds <= 0)
            continue;
        baseline->times = gate_go_bench_times(seconds, baseline->seconds);
        canary->times = gate_go_bench_canary_times(baseline->times, seconds, canary->seconds);
        if (!gate_go_bench_command(baseline, pattern, arena, err) ||
            !gate_go_bench_command(canary, pattern, arena, err))
            return false;
        trial->loads[trial->load_count++] =
            (struct gate_trial_load){baseline->name, {baseline->command, canary->command}};
    }
    return trial->load_count > 0 || gate_error_set(err, GATE_ERR_INPUT,
                                                   "both sides have no benchmark that '%s' matches and that runs; "
                                                   "'try.package' says of which package, 'try.bench' which ones",
                                                   pattern);
}

/* Benchmarks of both sides, in the baseline's order. */
static bool loads_of_benchmarks(struct gate_trial *trial, struct gate_error *err) {
    struct gate_go_bench_list lists[GATE_SIDES];
    const char *directory, *pattern = trial->plan->bench;
    for (int side = GATE_CANARY; side >= GATE_BASELINE; side--) {
        trial->failed = side;
        if (!gate_worktree_enter(trial->worktree, (enum gate_side_name)side, &directory, err) ||
            !gate_go_bench_find(&lists[side], &trial->shell, pattern, directory, (enum gate_side_name)side, err))
            return false;
    }
    bool baseline_has_any = lists[GATE_BASELINE].count > 0;
    trial_stage(trial, "running each benchmark once");
    if (!bench_intersect(trial, &lists[GATE_CANARY], &lists[GATE_BASELINE], "canary", err) ||
        !bench_intersect(trial, &lists[GATE_BASELINE], &lists[GATE_CANARY], "baseline", err))
        return false;
    for (int side = GATE_BASELINE; side < GATE_SIDES; side++) {
        trial->failed = side;
        if (!gate_worktree_enter(trial->worktree, (enum gate_side_name)side, &directory, err) ||
            !gate_go_bench_measure(&lists[side], &trial->shell, pattern, directory, (enum gate_side_name)side, err))
            return false;
    }
    if (bench_loads(trial, lists, err))
        return true;
    if (lists[GATE_BASELINE].count == 0 && baseline_has_any)
        trial->failed = GATE_CANARY; /* it has none of them */
    return false;
}

bool gate_trial_find_loads(struct gate_trial *trial, struct gate_error *err) {
    trial->load_count = 0;
    if (trial->plan->preset == GATE_TRY_GO_BENCH)
        return loads_of_benchmarks(trial, err);
    trial->loads = GATE_NEW_ARRAY(trial->worktree->arena, struct gate_trial_load, 1);
    if (trial->loads == NULL)
        return gate_arena_error(trial->worktree->arena, err);
    struct gate_str kind = trial->plan->preset == GATE_TRY_COMMAND ? GATE_STR("profile") : GATE_STR("cpu");
    trial->loads[trial->load_count++] = (struct gate_trial_load){kind, {trial->plan->run, trial->plan->run}};
    return true;
}

/* ---- a round ----------------------------------------------------------------------------------------------------- */

static int64_t now_ms(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* What the run did: told, or found in what it printed; of benchmarks all iterations. */
static bool run_work(double *out, const struct gate_trial *trial, struct gate_str printed, struct gate_error *err) {
    const struct gate_try_plan *plan = trial->plan;
    if (plan->preset == GATE_TRY_GO_BENCH) {
        *out = gate_go_bench_read(printed).iterations;
        return *out > 0 || gate_error_set(err, GATE_ERR_INPUT, "the benchmark printed no result");
    }
    *out = plan->work;
    return plan->work_regex == NULL || gate_work_found_add(out, plan->work_regex, printed, err);
}

/* Run it to its end; the profile is in a file that it wrote. */
static bool run_program(struct gate_str *bytes, struct gate_str *printed, const struct gate_trial *trial,
                        const struct gate_shell_command *command, struct gate_error *err) {
    const struct gate_made_profile_place place = {.directory = command->directory,
                                                  .checkout = gate_worktree_path(trial->worktree, "tree"),
                                                  .glob = trial->plan->profile_glob,
                                                  .folder = gate_shell_out_folder(&trial->shell),
                                                  .arena = trial->worktree->arena};
    if (place.checkout == NULL || place.folder == NULL)
        return gate_arena_error(trial->worktree->arena, err);
    return gate_made_profile_clear(&place, err) && gate_shell_do(&trial->shell, command, printed, err) &&
           gate_made_profile_read(bytes, &place, err);
}

/* "cpu-3-canary.pb.gz" */
static struct gate_str run_file(const struct gate_trial *trial, const struct gate_trial_load *load,
                                enum gate_side_name side, uint32_t round) {
    struct gate_str name = gate_str_format(trial->worktree->arena, "%.*s-%u-%s%s", GATE_STR_ARG(load->kind),
                                           (unsigned)round, gate_side_word(side), trial->plan->suffix);
    for (size_t i = 0; name.ptr != NULL && i < name.len; i++)
        if (!((name.ptr[i] >= '0' && name.ptr[i] <= '9') || (name.ptr[i] >= 'A' && name.ptr[i] <= 'Z') ||
              (name.ptr[i] >= 'a' && name.ptr[i] <= 'z') || name.ptr[i] == '.' || name.ptr[i] == '-'))
            ((char *)(uintptr_t)name.ptr)[i] = '_';
    return name;
}

static bool run_take(struct gate_trial *trial, const struct gate_trial_load *load, enum gate_side_name side,
                     uint32_t round, struct gate_error *err) {
    struct gate_arena *arena = trial->worktree->arena;
    const char *folder = gate_shell_out_folder(&trial->shell), *directory;
    struct gate_str profile = gate_str_format(arena, "%s/profile%s", folder == NULL ? "" : folder, trial->plan->suffix);
    struct gate_manifest_run run = {.round = round,
                                    .side = side,
                                    .kind = load->kind,
                                    .file = run_file(trial, load, side, round),
                                    .source = gate_str_from(load->commands[side]),
                                    .revision = trial->commits[side]};
    struct gate_str bytes = GATE_STR(""), printed = GATE_STR("");
    struct gate_error why = {0};
    trial->failed = side;
    if (folder == NULL || profile.ptr == NULL || run.file.ptr == NULL)
        return gate_arena_error(arena, err);
    if (!gate_folder_remove(folder, trial->worktree->interrupt, arena, err) || !gate_folders_make(folder, err) ||
        !gate_worktree_enter(trial->worktree, side, &directory, err))
        return false;
    const struct gate_shell_command command = {.name = "run",
                                               .text = load->commands[side],
                                               .directory = directory,
                                               .side = side,
                                               .round = round,
                                               .profile = profile.ptr};
    run.start_ms = now_ms();
    bool ok = trial->plan->profile_url == NULL
                  ? run_program(&bytes, &printed, trial, &command, &why)
                  : gate_server_run_take(&bytes, &printed, &trial->shell, trial->plan, &command, &why);
    run.end_ms = now_ms();
    if (run.end_ms < run.start_ms) /* the clock was set back */
        run.end_ms = run.start_ms;
    ok = ok && run_work(&run.work, trial, printed, &why) &&
         gate_manifest_file_take(&trial->manifest, trial->dir, &run, bytes, arena, &why);
    return ok || gate_error_set(err, why.code, "round %u: %s", (unsigned)round, why.message);
}

bool gate_trial_round(struct gate_trial *trial, uint32_t round, struct gate_error *err) {
    for (uint32_t i = 0; i < trial->load_count; i++)
        for (int turn = 0; turn < GATE_SIDES; turn++) {
            int side = round % 2 == 1 ? turn : GATE_CANARY - turn;
            trial_stage(trial, side == GATE_BASELINE ? "running the baseline" : "running the canary");
            if (!run_take(trial, &trial->loads[i], (enum gate_side_name)side, round, err))
                return false;
        }
    trial->failed = GATE_CANARY;
    return true;
}
