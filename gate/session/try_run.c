/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `try`: builds two revisions, runs them in turn with commands of the rules or with Go benchmarks, judges them,
 * and bisects to find the commit that fails. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "gate/session/try_run.h"

#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/base/file.h"
#include "gate/base/str.h"
#include "gate/base/system.h"
#include "gate/compare/pair.h"
#include "gate/formats/format.h"
#include "gate/session/gate_loop.h"
#include "gate/session/session.h"
#include "gate/trial/trial_command.h"
#include "gate/trial/worktree.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the profile that a run wrote -------------------------------------------------------------------------------- */

/* Return `path` with the characters escaped that are special in a glob. */
static const char *escaped(const char *path, struct gate_arena *arena) {
    size_t len = strlen(path), at = 0;
    char *out = gate_arena_alloc(arena, 2 * len + 1);
    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < len; i++) {
        if (strchr("*?[\\", path[i]) != NULL)
            out[at++] = '\\';
        out[at++] = path[i];
    }
    out[at] = '\0';
    return out;
}

/* Paths of the files found, with links resolved. */
struct place_list {
    const char **paths;
    size_t count;
};

/* Add a match that is a regular file. A link can lead out of the checkout. A file there is not the run's profile and
 * must not be removed. */
static bool place_add(struct place_list *out, const struct gate_made_profile_place *place, const char *root,
                      const char *match, struct gate_error *err) {
    struct stat status;
    if (lstat(match, &status) != 0 || !S_ISREG(status.st_mode))
        return true;
    char *found = realpath(match, NULL);
    if (found == NULL)
        return errno == ENOENT || gate_error_set(err, GATE_ERR_IO, "%s: cannot be found: %s", match, strerror(errno));
    const char *path = gate_str_copy(place->arena, (struct gate_str){found, strlen(found) + 1}).ptr;
    free(found);
    if (path == NULL)
        return gate_arena_error(place->arena, err);
    size_t len = strlen(root);
    if (strncmp(path, root, len) != 0 || path[len] != '/')
        return gate_error_set(err, GATE_ERR_INPUT,
                              "'try.profile' (%s) leads to %s, which is outside of the checkout: name profiles inside "
                              "of it, through no link that leads out",
                              place->glob == NULL ? "$PPROFGATE_PROFILE" : place->glob, path);
    out->paths[out->count++] = path;
    return true;
}

static bool place_add_all(struct place_list *out, const struct gate_made_profile_place *place, const glob_t *matches,
                          struct gate_error *err) {
    const char *inside = place->glob == NULL ? place->folder : place->checkout;
    char *root = realpath(inside, NULL);
    if (root == NULL)
        return gate_error_set(err, GATE_ERR_IO, "%s: cannot be found: %s", inside, strerror(errno));
    out->paths = GATE_NEW_ARRAY(place->arena, const char *, matches->gl_pathc);
    bool ok = out->paths != NULL || gate_arena_error(place->arena, err);
    for (size_t i = 0; ok && i < matches->gl_pathc; i++)
        ok = place_add(out, place, root, matches->gl_pathv[i], err);
    free(root);
    return ok;
}

/* List the regular files that match. */
static bool place_list(struct place_list *out, const struct gate_made_profile_place *place, struct gate_error *err) {
    const char *folder = escaped(place->glob == NULL ? place->folder : place->directory, place->arena);
    const char *pattern =
        folder == NULL ? NULL
                       : gate_str_format(place->arena, "%s/%s", folder, place->glob == NULL ? "*" : place->glob).ptr;
    glob_t matches = {0};
    *out = (struct place_list){0};
    if (pattern == NULL)
        return gate_arena_error(place->arena, err);
    int reason = glob(pattern, GLOB_NOSORT, NULL, &matches);
    bool ok = reason == 0 || reason == GLOB_NOMATCH ||
              gate_error_set(err, GATE_ERR_IO, "%s: cannot be looked through", pattern);
    ok = ok && (matches.gl_pathc == 0 || place_add_all(out, place, &matches, err));
    globfree(&matches);
    return ok;
}

bool gate_made_profile_clear(const struct gate_made_profile_place *place, struct gate_error *err) {
    struct place_list list;
    bool ok = place_list(&list, place, err);
    for (size_t i = 0; ok && i < list.count; i++)
        ok = unlink(list.paths[i]) == 0 ||
             errno == ENOENT || /* ENOENT: two links inside of the checkout pointed to it */
             gate_error_set(err, GATE_ERR_IO, "%s: an earlier run's profile cannot be removed: %s", list.paths[i],
                            strerror(errno));
    return ok;
}

static bool profile_read(struct gate_str *bytes, const char *path, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_limits limits = gate_limits_default();
    if (!gate_source_read(bytes, gate_str_from(path), &limits, arena, err))
        return gate_error_prefix(err, "%s", path);
    return bytes->len != 0 || gate_error_set(err, GATE_ERR_INPUT, "the run left an empty profile");
}

bool gate_made_profile_read(struct gate_str *bytes, const struct gate_made_profile_place *place,
                            struct gate_error *err) {
    struct place_list list;
    bool ok = place_list(&list, place, err);
    size_t count = list.count;
    if (ok && count == 1)
        ok = profile_read(bytes, list.paths[0], place->arena, err);
    else if (ok && count == 0 && place->glob == NULL)
        ok = gate_error_set(
            err, GATE_ERR_INPUT,
            "the run wrote no profile: it must write one to \"$PPROFGATE_PROFILE\" or to the path in 'try.profile'");
    else if (ok && count == 0)
        ok = gate_error_set(err, GATE_ERR_INPUT, "the run wrote no profile that 'try.profile' (%s) matches",
                            place->glob);
    else if (ok)
        ok = gate_error_set(err, GATE_ERR_INPUT,
                            "the run wrote %zu profiles, such as %s and %s; one run is one profile: choose it with "
                            "'try.profile', or merge them with 'pprofgate merge' in 'try.run'",
                            count, list.paths[0], list.paths[1]);
    return ok;
}

/* ---- the work of a run, found in its output ---------------------------------------------------------------------- */

enum { SHOWN_BYTES = 200 };

enum { NUMBER_BYTES = 40 }; /* room for a number as text */

/* Read "1234", "12.5" or "1,234"; commas separate thousands, as Go programs and wrk print them. */
static bool found_number(double *out, struct gate_str text) {
    char number[NUMBER_BYTES];
    size_t len = 0;
    for (size_t i = 0; i < text.len && len + 1 < sizeof number; i++)
        if (text.ptr[i] != ',')
            number[len++] = text.ptr[i];
    char *end = number;
    number[len] = '\0';
    bool is_digit = gate_is_digit(number[0]);
    *out = strtod(number, &end);
    return is_digit && *end == '\0' && len + 1 < sizeof number && isfinite(*out);
}

bool gate_work_found_add(double *out, const struct gate_regex *regex, struct gate_str printed, struct gate_error *err) {
    size_t from = 0;
    uint32_t matches = 0;
    struct gate_str group;
    double sum = 0, number = 0;
    enum gate_regex_result found;
    while ((found = gate_regex_next(regex, printed, &from, &group)) == GATE_REGEX_YES) {
        if (!found_number(&number, group))
            return gate_error_set(err, GATE_ERR_INPUT, "'try.work' found '%.*s' where a number should be",
                                  group.len > SHOWN_BYTES ? SHOWN_BYTES : (int)group.len, group.ptr);
        sum += number;
        matches++;
    }
    if (found == GATE_REGEX_TOO_HARD)
        return gate_error_set(err, GATE_ERR_INPUT, "'try.work' is too hard to match, or the run printed no UTF-8");
    if (matches == 0 || sum <= 0) {
        struct gate_str end = gate_str_trim(printed);
        end = gate_str_slice(end, end.len > SHOWN_BYTES ? end.len - SHOWN_BYTES : 0, end.len);
        return gate_error_set(err, GATE_ERR_INPUT, "'try.work' %s in what the run printed, which ends with '%.*s'",
                              matches == 0 ? "matches nothing" : "adds up to nothing", GATE_STR_ARG(end));
    }
    *out = sum;
    return true;
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

/* Each round adds one profile per side and kind to a folder with a manifest; sides alternate in going first. */

/* What one round runs on each side. */
struct trial_load {
    struct gate_str kind; /* "cpu"; "profile" if only the command determines it; or the benchmark's name */
    const char *commands[GATE_SIDES];
};

/* A trial of two revisions. */
struct trial {
    const struct gate_try_plan *plan;
    struct gate_worktree *worktree;
    struct gate_str commits[GATE_SIDES];
    double began;                 /* CLOCK_MONOTONIC, in seconds */
    const char *dir;              /* folder of the profiles and their manifest */
    struct gate_session *session; /* for progress and notes */
    struct gate_shell shell;
    struct gate_manifest manifest;
    struct trial_load *loads;
    uint32_t load_count;
    /* Side that a GATE_ERR_INPUT or GATE_ERR_FORMAT is about: enum gate_side_name, or -1 for neither. After a round it
     * is the canary, because a later comparison that fails does so on the canary. */
    int failed;
};

static void trial_stage(const struct trial *trial, const char *text) {
    gate_progress_stage(trial->session->progress, text);
}

/* Set up the shell's settings and the folder's manifest. err: as gate_manifest_file_begin. */
static bool trial_begin(struct trial *trial, struct gate_error *err) {
    const struct gate_worktree *worktree = trial->worktree;
    trial->failed = -1;
    trial->shell = (struct gate_shell){.interrupt = worktree->interrupt,
                                       .arena = worktree->arena,
                                       .cache = worktree->cache,
                                       .env = trial->plan->env,
                                       .seconds = trial->plan->seconds,
                                       .timeout = trial->plan->timeout_seconds};
    if (!gate_manifest_file_begin(&trial->manifest, trial->dir, trial->session->is_forced, worktree->arena, err))
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

/* Release the lock on the folder. May be called after trial_begin failed. */
static void trial_end(struct trial *trial) {
    gate_manifest_file_end(&trial->manifest);
}

/* Check out a side and build it.
 *
 * err   GATE_ERR_INPUT the build fails, with its last output; GATE_ERR_IO an interrupt */
static bool trial_build(struct trial *trial, enum gate_side_name side, struct gate_error *err) {
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

/* ---- loads ------------------------------------------------------------------------------------------------------- */

static struct gate_go_bench *bench_find(const struct gate_go_bench_list *list, struct gate_str name) {
    for (uint32_t i = 0; i < list->count; i++)
        if (gate_str_equal(list->items[i].name, name))
            return &list->items[i];
    return NULL;
}

/* Note "NAME is in the canary alone, and is left out". */
static bool note_left_out(const struct trial *trial, struct gate_str name, const char *why, struct gate_error *err) {
    struct gate_str text = gate_str_format(trial->worktree->arena, "%.*s %s, and is left out", GATE_STR_ARG(name), why);
    if (text.ptr == NULL)
        return gate_arena_error(trial->worktree->arena, err);
    gate_session_note(trial->session, text);
    return true;
}

/* Keep the benchmarks of `list` that `other` has too; note each one that is left out. */
static bool bench_intersect(const struct trial *trial, struct gate_go_bench_list *list,
                            const struct gate_go_bench_list *other, const char *why, struct gate_error *err) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct gate_go_bench *bench = &list->items[i];
        if (bench_find(other, bench->name) != NULL) {
            list->items[kept++] = *bench;
            continue;
        }
        if (!note_left_out(trial, bench->name, why, err))
            return false;
    }
    list->count = kept;
    return true;
}

/* Put the benchmarks of `list`, which are those of `other`, into its order. */
static void bench_sort(struct gate_go_bench_list *list, const struct gate_go_bench_list *other) {
    for (uint32_t i = 0; i < list->count; i++) {
        struct gate_go_bench *found = bench_find(list, other->items[i].name), moved = *found;
        *found = list->items[i];
        list->items[i] = moved;
    }
}

/* Note each result of `own` that `other` lacks. */
static bool note_alone(const struct trial *trial, const struct gate_go_bench *own, const struct gate_go_bench *other,
                       const char *why, struct gate_error *err) {
    for (uint32_t i = 0; i < own->result_count; i++)
        if (!gate_go_bench_has(other, own->results[i]) && !note_left_out(trial, own->results[i], why, err))
            return false;
    return true;
}

/* Measure the benchmarks of both sides: all, or those that are marked in `again`, one mark per benchmark. */
static bool bench_measure(struct trial *trial, struct gate_go_bench_list lists[GATE_SIDES], bool *again,
                          struct gate_error *err) {
    const char *directory;
    for (int side = GATE_BASELINE; side < GATE_SIDES; side++) {
        trial->failed = side;
        if (!gate_worktree_enter(trial->worktree, (enum gate_side_name)side, &directory, err))
            return false;
        for (uint32_t i = 0; i < lists[side].count; i++)
            if ((again == NULL || again[i]) &&
                !gate_go_bench_measure(&lists[side].items[i], &trial->shell, trial->plan->bench, directory,
                                       (enum gate_side_name)side, err))
                return false;
    }
    return true;
}

/* Return whether both have results of the same names. */
static bool bench_has_all(const struct gate_go_bench *a, const struct gate_go_bench *b) {
    for (uint32_t i = 0; i < a->result_count; i++)
        if (!gate_go_bench_has(b, a->results[i]))
            return false;
    return a->result_count == b->result_count; /* the names in `results` are unique */
}

/* If the sub-benchmarks of a benchmark differ, run those that both sides have again, because iterations of different
 * sub-benchmarks cannot be compared. With several levels of sub-benchmarks this may be impossible; such a benchmark
 * counts as one without a result. */
static bool bench_align(struct trial *trial, struct gate_go_bench_list lists[GATE_SIDES], struct gate_error *err) {
    struct gate_arena *arena = trial->worktree->arena;
    struct gate_go_bench *items = lists[GATE_BASELINE].items, *others = lists[GATE_CANARY].items;
    bool *again = GATE_NEW_ARRAY(arena, bool, lists[GATE_BASELINE].count), any = false;
    if (again == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < lists[GATE_BASELINE].count; i++) {
        again[i] = items[i].result_count > 0 && others[i].result_count > 0 && !bench_has_all(&items[i], &others[i]);
        any = any || again[i];
        if (again[i] && !(note_alone(trial, &items[i], &others[i], "is in the baseline alone", err) &&
                          note_alone(trial, &others[i], &items[i], "is in the canary alone", err) &&
                          gate_go_bench_narrow(&items[i], &others[i], arena, err)))
            return false;
    }
    if (any && !bench_measure(trial, lists, again, err))
        return false;
    for (uint32_t i = 0; any && i < lists[GATE_BASELINE].count; i++) {
        if (!again[i] || (items[i].below.len > 0 && bench_has_all(&items[i], &others[i])))
            continue;
        items[i].seconds = others[i].seconds = 0.0;
        if (!note_left_out(trial, items[i].name, "has sub-benchmarks of which those of both sides cannot be selected",
                           err))
            return false;
    }
    return true;
}

/* Set iteration counts and commands. A benchmark without a result, such as one that skips itself, is left out. */
static bool bench_loads(struct trial *trial, struct gate_go_bench_list lists[GATE_SIDES], struct gate_error *err) {
    struct gate_arena *arena = trial->worktree->arena;
    const char *pattern = trial->plan->bench;
    double seconds = trial->plan->seconds;
    trial->failed = GATE_BASELINE; /* the baseline failed unless one of its benchmarks has a result */
    trial->loads = GATE_NEW_ARRAY(arena, struct trial_load, lists[GATE_BASELINE].count);
    if (trial->loads == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < lists[GATE_BASELINE].count; i++) {
        struct gate_go_bench *baseline = &lists[GATE_BASELINE].items[i];
        struct gate_go_bench *canary = &lists[GATE_CANARY].items[i];
        if (baseline->seconds > 0)
            trial->failed = GATE_CANARY;
        if (baseline->seconds <= 0 || canary->seconds <= 0)
            continue;
        baseline->times = gate_go_bench_times(seconds, baseline->seconds);
        canary->times = gate_go_bench_canary_times(baseline->times, seconds, canary->seconds);
        if (!gate_go_bench_command(baseline, pattern, arena, err) ||
            !gate_go_bench_command(canary, pattern, arena, err))
            return false;
        trial->loads[trial->load_count++] = (struct trial_load){baseline->name, {baseline->command, canary->command}};
    }
    return trial->load_count > 0 || gate_error_set(err, GATE_ERR_INPUT,
                                                   "no benchmark that matches '%s' runs on both sides; "
                                                   "'try.package' sets the package, 'try.bench' the benchmarks",
                                                   pattern);
}

/* Find the benchmarks that both sides have, in the baseline's order. */
static bool loads_of_benchmarks(struct trial *trial, struct gate_error *err) {
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
    if (!bench_intersect(trial, &lists[GATE_CANARY], &lists[GATE_BASELINE], "is in the canary alone", err) ||
        !bench_intersect(trial, &lists[GATE_BASELINE], &lists[GATE_CANARY], "is in the baseline alone", err))
        return false;
    bench_sort(&lists[GATE_CANARY], &lists[GATE_BASELINE]);
    if (!bench_measure(trial, lists, NULL, err) || !bench_align(trial, lists, err))
        return false;
    if (bench_loads(trial, lists, err))
        return true;
    if (lists[GATE_BASELINE].count == 0 && baseline_has_any)
        trial->failed = GATE_CANARY; /* the canary has none of the baseline's benchmarks */
    return false;
}

/* Determine what each round runs, after both sides are built. err: GATE_ERR_INPUT the sides have nothing in common. */
static bool trial_find_loads(struct trial *trial, struct gate_error *err) {
    trial->load_count = 0;
    if (trial->plan->preset == GATE_TRY_GO_BENCH)
        return loads_of_benchmarks(trial, err);
    trial->loads = GATE_NEW_ARRAY(trial->worktree->arena, struct trial_load, 1);
    if (trial->loads == NULL)
        return gate_arena_error(trial->worktree->arena, err);
    struct gate_str kind = trial->plan->preset == GATE_TRY_COMMAND ? GATE_STR("profile") : GATE_STR("cpu");
    trial->loads[trial->load_count++] = (struct trial_load){kind, {trial->plan->run, trial->plan->run}};
    return true;
}

/* ---- a round ----------------------------------------------------------------------------------------------------- */

/* Set `*out` to the work of a run: given by the rules, or found in its output; for a benchmark, the iterations. */
static bool run_work(double *out, const struct trial *trial, struct gate_str printed, struct gate_error *err) {
    const struct gate_try_plan *plan = trial->plan;
    if (plan->preset == GATE_TRY_GO_BENCH) {
        *out = gate_go_bench_read(printed).iterations;
        return *out > 0 || gate_error_set(err, GATE_ERR_INPUT, "the benchmark printed no result");
    }
    *out = plan->work;
    return plan->work_regex == NULL || gate_work_found_add(out, plan->work_regex, printed, err);
}

/* Run the command to its end, then read the profile that it wrote to a file. */
static bool run_program(struct gate_str *bytes, struct gate_str *printed, const struct trial *trial,
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

/* Return a name such as "cpu-3-canary.pb.gz". */
static struct gate_str run_file(const struct trial *trial, const struct trial_load *load, enum gate_side_name side,
                                uint32_t round) {
    struct gate_str name = gate_str_format(trial->worktree->arena, "%.*s-%u-%s%s", GATE_STR_ARG(load->kind),
                                           (unsigned)round, gate_side_word(side), trial->plan->suffix);
    for (size_t i = 0; name.ptr != NULL && i < name.len; i++)
        if (!(gate_is_digit(name.ptr[i]) || gate_is_letter(name.ptr[i]) || name.ptr[i] == '.' || name.ptr[i] == '-'))
            ((char *)(uintptr_t)name.ptr)[i] = '_';
    return name;
}

static bool run_take(struct trial *trial, const struct trial_load *load, enum gate_side_name side, uint32_t round,
                     struct gate_error *err) {
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
    run.start_ms = gate_clock_ms(CLOCK_REALTIME);
    bool ok = trial->plan->profile_url == NULL
                  ? run_program(&bytes, &printed, trial, &command, err)
                  : gate_server_run_take(&bytes, &printed, &trial->shell, trial->plan, &command, err);
    run.end_ms = gate_clock_ms(CLOCK_REALTIME);
    if (run.end_ms < run.start_ms) /* the system clock was set back */
        run.end_ms = run.start_ms;
    ok = ok && run_work(&run.work, trial, printed, err) &&
         gate_manifest_file_take(&trial->manifest, trial->dir, &run, bytes, arena, err);
    return ok || gate_error_prefix(err, "round %u", (unsigned)round);
}

/* Run every load once on both sides, and add the profiles to the folder.
 *
 * round  1, 2, ...
 * err    GATE_ERR_INPUT a command fails or writes no profile; GATE_ERR_IO. Profiles taken before stay in the folder. */
static bool trial_round(void *context, uint32_t round, struct gate_error *err) {
    struct trial *trial = context;
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

/* ---- one pair of revisions --------------------------------------------------------------------------------------- */

/* Measures one round at a time, and judges after each. The unit of work of a benchmark is an iteration, unless the
 * rules give another name. */
static bool run_rounds(struct gate_verdict *out, const struct gate_try_run *run, struct trial *trial,
                       struct gate_error *err) {
    const struct gate_rounds rounds = {.dir = trial->dir,
                                       .manifest = &trial->manifest,
                                       .planned = run->plan->rounds,
                                       .planned_by = "--rounds",
                                       .began = trial->began,
                                       .max_seconds = run->max_seconds,
                                       .take = trial_round,
                                       .context = trial};
    if (run->plan->preset == GATE_TRY_GO_BENCH && gate_str_equal(run->rules->work_unit, GATE_STR(GATE_RULES_WORK_UNIT)))
        run->rules->work_unit = GATE_STR("iteration");
    return gate_rounds_run(out, &rounds, run->decision, run->rules, run->session, err);
}

bool gate_try_run_pair(struct gate_verdict *out, int *failed, const struct gate_try_run *run,
                       const struct gate_try_pair *pair, struct gate_error *err) {
    struct trial *trial = GATE_NEW_ARRAY(run->session->arena, struct trial, 1);
    *failed = -1;
    if (trial == NULL)
        return gate_arena_error(run->session->arena, err);
    *trial = (struct trial){.began = gate_clock_s(CLOCK_MONOTONIC),
                            .plan = run->plan,
                            .worktree = run->worktree,
                            .dir = pair->dir,
                            .session = run->session,
                            .failed = -1};
    memcpy(trial->commits, pair->commits, sizeof trial->commits);
    bool ok = trial_begin(trial, err) && (pair->baseline_is_built || trial_build(trial, GATE_BASELINE, err)) &&
              trial_build(trial, GATE_CANARY, err) && trial_find_loads(trial, err) && run_rounds(out, run, trial, err);
    trial_end(trial);
    *failed = trial->failed;
    return ok;
}

/* ---- git bisect in the private repository: a bisection of the user in their own repository is not touched -------- */

/* Verdict on a commit; the exit statuses 0, 1 and 125 of `git bisect run`. */
enum gate_bisect_word { GATE_BISECT_GOOD, GATE_BISECT_BAD, GATE_BISECT_SKIP };

/* State of a bisection. Texts are in the worktree's arena. */
struct gate_bisect {
    const struct gate_worktree *worktree;
    bool is_over;
    struct gate_str commit;     /* while not over: the commit to try next; then the first bad one, or empty if it was
                                   not found */
    struct gate_str candidates; /* one per line: the commits that can be the first bad one, if skipped commits hide
                                   it */
};

static const char *const bisect_words[] = {
    [GATE_BISECT_GOOD] = "good", [GATE_BISECT_BAD] = "bad", [GATE_BISECT_SKIP] = "skip"};

/* Return the hexadecimal digits at the start of `text`; empty if there are fewer than 40. */
static struct gate_str leading_commit(struct gate_str text) {
    size_t len = gate_str_hex_digits(text);
    return gate_str_slice(text, 0, len >= 40 ? len : 0);
}

/* Read git's output into `bisect`: the first bad commit, the candidates if it cannot be found, or the next commit to
 * try. */
static bool bisect_read(struct gate_bisect *bisect, struct gate_str said, int status, struct gate_error *err) {
    const struct gate_worktree *worktree = bisect->worktree;
    const struct gate_str found = GATE_STR(" is the first bad commit");
    const struct gate_str open = GATE_STR("The first bad commit could be any of:\n");
    size_t at = gate_str_find(said, found, 0);
    if (at != SIZE_MAX) {
        bisect->commit =
            leading_commit(gate_str_slice(said, gate_str_behind_last(gate_str_slice(said, 0, at), '\n'), at));
        bisect->is_over = true;
        return bisect->commit.len != 0 || gate_error_set(err, GATE_ERR_INPUT, "unexpected output of git bisect");
    }
    at = gate_str_find(said, open, 0);
    if (at != SIZE_MAX) {
        size_t end = gate_str_find(said, GATE_STR("We cannot bisect more!"), at);
        bisect->candidates = gate_str_trim(gate_str_slice(said, at + open.len, end));
        bisect->commit = GATE_STR("");
        bisect->is_over = true;
        return true;
    }
    if (status != 0)
        return gate_error_set(err, GATE_ERR_INPUT, "git cannot bisect further: %.*s",
                              GATE_STR_ARG(gate_str_trim(said)));
    return GATE_GIT(&worktree->own, &bisect->commit, err, "rev-parse", "--verify", "BISECT_HEAD");
}

/* End the bisection and discard its state. */
static void bisect_end(struct gate_bisect *bisect) {
    struct gate_error ignored = {0};
    struct gate_str said;
    int status = 0;
    const char *const reset[] = {"bisect", "reset", NULL};
    if (!gate_git_query(&bisect->worktree->own, &said, &status, reset, &ignored))
        bisect->is_over = true; /* bisect_begin resets it */
}

/* Remove lock files that a killed git left and the next git would wait for. No other process uses the private
 * repository. */
static bool locks_remove(const struct gate_worktree *worktree, const char *folder, struct gate_error *err) {
    const char *path = gate_worktree_path(worktree, folder);
    if (path == NULL)
        return gate_arena_error(worktree->arena, err);
    DIR *open = opendir(path);
    for (const struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;)
        if (gate_str_ends(gate_str_from(entry->d_name), GATE_STR(".lock")))
            (void)unlinkat(dirfd(open), entry->d_name, 0); /* git reports a lock that stays */
    if (open != NULL)
        (void)closedir(open);
    return true;
}

/* Start a bisection. err: GATE_ERR_INPUT git's message, such as that the two commits have no common history. */
static bool bisect_begin(struct gate_bisect *out, const struct gate_worktree *worktree, struct gate_str good,
                         struct gate_str bad, struct gate_error *err) {
    const struct gate_git *git = &worktree->own;
    struct gate_str said;
    int status = 0;
    *out = (struct gate_bisect){.worktree = worktree};
    if (!locks_remove(worktree, "repository.git", err) || !locks_remove(worktree, "repository.git/refs/bisect", err))
        return false;
    bisect_end(out); /* end a bisection of a try that was killed */
    out->is_over = false;
    const char *const start[] = {"bisect", "start", "--no-checkout", bad.ptr, good.ptr, NULL};
    /* git bisect needs a HEAD to return to. */
    return GATE_GIT(git, NULL, err, "update-ref", "--no-deref", "HEAD", bad.ptr) &&
           gate_git_query(git, &said, &status, start, err) && bisect_read(out, said, status, err);
}

/* Record the verdict on `bisect->commit` and choose the next commit. err: GATE_ERR_INPUT git's message. */
static bool bisect_record(struct gate_bisect *bisect, enum gate_bisect_word word, struct gate_error *err) {
    struct gate_str said;
    int status = 0;
    const char *const tell[] = {"bisect", bisect_words[word], bisect->commit.ptr, NULL};
    return gate_git_query(&bisect->worktree->own, &said, &status, tell, err) && bisect_read(bisect, said, status, err);
}

/* Set `*out` to "1a2b3c4d5e6f the subject (author, date)". err: git's message. */
static bool bisect_describe(struct gate_str *out, const struct gate_worktree *worktree, struct gate_str commit,
                            struct gate_error *err) {
    struct gate_str name = gate_str_copy(worktree->arena, commit);
    return name.ptr == NULL ? gate_arena_error(worktree->arena, err)
                            : GATE_GIT(&worktree->own, out, err, "log", "-1", "--no-show-signature",
                                       "--format=%h %s (%an, %ad)", "--date=short", "--abbrev=12", name.ptr);
}

/* ---- bisection --------------------------------------------------------------------------------------------------- */

enum { SHORT_COMMIT = 12 };

/* State of a bisection. */
struct search {
    struct gate_try_bisect *found;
    const struct gate_try_run *run;
    struct gate_str good;
    const char *dir;
};

static void search_note(const struct search *search, struct gate_str commit, const char *word, const char *why) {
    struct gate_session *session = search->run->session;
    struct gate_error ignored = {0};
    struct gate_str name;
    if (!bisect_describe(&name, search->run->worktree, commit, &ignored))
        name = commit;
    struct gate_str text =
        gate_str_format(session->arena, "%s: %.*s%s%s", word, GATE_STR_ARG(name), why[0] == '\0' ? "" : ": ", why);
    if (text.ptr != NULL)
        gate_session_note(session, text);
}

/* Maps the verdict on a commit to a word for `git bisect`. */
static enum gate_bisect_word bisect_word_of(const struct gate_verdict *verdict) {
    switch (verdict->outcome) {
    case GATE_OUTCOME_FAIL:
        return GATE_BISECT_BAD;
    case GATE_OUTCOME_INCONCLUSIVE:
        return GATE_BISECT_SKIP;
    case GATE_OUTCOME_PROVEN:
    case GATE_OUTCOME_PASS:
    case GATE_OUTCOME_WARN:
        break;
    }
    return GATE_BISECT_GOOD;
}

/* Handles a pair that could not be measured. If the commit itself failed, it is skipped, unless `may_skip` is false
 * (it is BAD). If GOOD or the environment failed, the search ends, because every commit would fail. */
static bool search_failed(const struct search *search, enum gate_bisect_word *word, struct gate_str commit,
                          bool may_skip, int failed, const struct gate_error *why, struct gate_error *err) {
    bool is_of_a_side = why->code == GATE_ERR_INPUT || why->code == GATE_ERR_FORMAT;
    if (is_of_a_side && failed == GATE_BASELINE)
        return gate_error_set(err, why->code, "GOOD (%.*s) fails itself, with %.*s beside it: %s", SHORT_COMMIT,
                              search->good.ptr, SHORT_COMMIT, commit.ptr, why->message);
    if (!is_of_a_side || failed != GATE_CANARY || !may_skip)
        return gate_error_set(err, why->code, "%.*s: %s", SHORT_COMMIT, commit.ptr, why->message);
    *word = GATE_BISECT_SKIP;
    search_note(search, commit, "skipped", why->message);
    search->found->tried++;
    return true;
}

/* Tries one commit against the good one. */
static bool try_commit(const struct search *search, enum gate_bisect_word *word, struct gate_str commit, bool may_skip,
                       struct gate_error *err) {
    struct gate_arena *arena = search->run->session->arena;
    struct gate_try_pair pair = {.baseline_is_built = search->found->tried > 0};
    struct gate_verdict *verdict = GATE_NEW_ARRAY(arena, struct gate_verdict, 1);
    struct gate_error why = {0};
    int failed;
    search->run->rules->on_inconclusive = GATE_ON_INCONCLUSIVE_INCONCLUSIVE; /* neither good nor bad */
    pair.dir = gate_str_format(arena, "%s/%.*s", search->dir, SHORT_COMMIT, commit.ptr).ptr;
    if (verdict == NULL || pair.dir == NULL)
        return gate_arena_error(arena, err);
    pair.commits[GATE_BASELINE] = search->good;
    pair.commits[GATE_CANARY] = commit;
    if (!gate_try_run_pair(verdict, &failed, search->run, &pair, &why))
        return search_failed(search, word, commit, may_skip, failed, &why, err);
    static const char *const words[] = {"good", "bad", "skipped"};
    *word = bisect_word_of(verdict);
    search_note(search, commit, words[*word], *word == GATE_BISECT_SKIP ? "inconclusive" : "");
    search->found->tried++;
    if (*word != GATE_BISECT_BAD)
        return true;
    search->found->verdict = verdict;
    search->found->dir = pair.dir;
    return true;
}

/* Tries BAD first, so that a wrong BAD is found before many builds. */
static bool search_begin(const struct search *search, struct gate_str bad, struct gate_error *err) {
    enum gate_bisect_word word = GATE_BISECT_SKIP;
    if (!try_commit(search, &word, bad, false, err))
        return false;
    if (word == GATE_BISECT_GOOD)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "BAD (%.*s) does not fail against GOOD, so there is nothing to find; tighten the budget, "
                              "or name other revisions",
                              SHORT_COMMIT, bad.ptr);
    if (word == GATE_BISECT_SKIP)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "it cannot be decided whether BAD (%.*s) fails against GOOD: give more '--rounds' or "
                              "'--seconds'",
                              SHORT_COMMIT, bad.ptr);
    return true;
}

/* Print the first bad commit, or the candidates, on standard output. */
static bool bisect_print(const struct gate_try_bisect *found, const struct gate_try_run *run, struct gate_error *err) {
    struct gate_buf out = {0};
    struct gate_str name;
    bool ok = true;
    if (found->commit.len != 0) {
        ok = bisect_describe(&name, run->worktree, found->commit, err);
        gate_buf_printf(&out, "first bad commit, after %u tried:\n\n  ", (unsigned)found->tried);
        if (ok)
            gate_escape_terminal(&out, name);
        gate_buf_text(&out, "\n\n");
    } else {
        gate_buf_text(&out, "the first bad commit is one of these:\n"
                            "\n");
        for (size_t at = 0; at < found->candidates.len; at++) {
            size_t end = gate_str_find(found->candidates, GATE_STR("\n"), at);
            gate_buf_text(&out, "  ");
            gate_escape_terminal(&out, gate_str_slice(found->candidates, at, end));
            gate_buf_char(&out, '\n');
            at = end == SIZE_MAX ? found->candidates.len : end;
        }
    }
    ok = ok && gate_session_print(run->session, &out, err);
    gate_buf_free(&out);
    return ok;
}

bool gate_try_bisect_find(struct gate_try_bisect *out, const struct gate_try_run *run, const char *good,
                          const char *bad, const char *dir, struct gate_error *err) {
    struct search search = {.found = out, .run = run, .dir = dir};
    struct gate_bisect bisect;
    struct gate_str bad_commit;
    *out = (struct gate_try_bisect){0};
    if (!gate_worktree_resolve(run->worktree, &search.good, good, err) ||
        !gate_worktree_resolve(run->worktree, &bad_commit, bad, err) || !gate_folders_make(dir, err) ||
        !search_begin(&search, bad_commit, err))
        return false;
    bool ok = bisect_begin(&bisect, run->worktree, search.good, bad_commit, err);
    while (ok && !bisect.is_over) {
        enum gate_bisect_word word = GATE_BISECT_SKIP;
        ok = try_commit(&search, &word, bisect.commit, true, err) && bisect_record(&bisect, word, err);
    }
    bisect_end(&bisect);
    out->commit = bisect.commit;
    out->candidates = bisect.candidates;
    return ok && bisect_print(out, run, err);
}
