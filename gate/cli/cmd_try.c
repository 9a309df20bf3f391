/* SPDX-License-Identifier: Apache-2.0 */
/* The command `try`: builds a revision and the working tree, measures both in turn, and decides. */
#include "gate/base/file.h"
#include "gate/budget/outcome.h"
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/cli/options.h"
#include "gate/session/debuginfod.h"
#include "gate/session/session.h"
#include "gate/session/try_run.h"
#include "gate/trial/worktree.h"

/* Options of `try`. */
struct try_command {
    struct gate_decision decision;
    struct gate_paths revisions; /* its arguments */
    const char *folder, *cache, *canary, *bench;
    bool bisect;
    uint32_t rounds;
    double seconds, max_seconds;
};

#define AT(field) .at = offsetof(struct try_command, field)

static const struct gate_option try_rows[] = {
    {"canary", 0, "REV", "try this revision instead of the working tree", gate_option_value_text, AT(canary)},
    {"bisect", 0, NULL, "REVs are GOOD and BAD: find the first commit after GOOD that fails against it",
     gate_option_value_flag, AT(bisect)},
    {"rounds", 0, "N", "maximum number of runs of each side (default: try.rounds, else 10)", gate_option_value_count32,
     AT(rounds)},
    {"seconds", 0, "TIME", "duration of one profile or benchmark (default: try.seconds)", gate_option_value_duration,
     AT(seconds)},
    {"max-time", 't', "TIME", "start no further round that would end later than this, such as 90s or 10m; builds count",
     gate_option_value_duration, AT(max_seconds)},
    {"bench", 0, "PATTERN", "benchmarks of the preset go-bench (default: try.bench, else all)", gate_option_value_text,
     AT(bench)},
    {"output", 'o', "DIR", "keep the profiles here, with their manifest (default: in the cache, until the next try)",
     gate_option_value_text, AT(folder), .output = GATE_OPTION_FOLDER},
    {"cache", 0, "DIR", "folder for checkouts and builds (default: ~/.cache/pprofgate/try)", gate_option_value_text,
     AT(cache)},
    {0},
};

static const struct gate_option_group try_group = {.rows = try_rows};

static const struct gate_option_binding options[] = {
    {&try_group, 0},
    {&gate_decision_rules, AT(decision)},
    {&gate_rules_from_options, AT(decision.from)},
    {&gate_judge_options_equal, AT(decision.judging)},
    {&gate_judge_options_noise, AT(decision.judging)},
    {&gate_decision_inconclusive, AT(decision)},
    {&gate_acceptance_group, AT(decision.acceptance)},
    {&gate_reports_files, AT(decision.reports)},
    {&gate_reports_details, AT(decision.reports)},
    {&gate_reports_more_files, AT(decision.reports)},
    {&gate_profile_options_read, AT(decision.profiles)},
    {&gate_symbol_options_group, AT(decision.profiles.symbols)},
    {&gate_profile_options_limits, AT(decision.profiles)},
    {NULL, 0},
};

static const char usage[] = "Usage: pprofgate try [options] REV\n"
                            "       pprofgate try [options] --bisect GOOD BAD\n"
                            "\n"
                            "Builds the revision REV (the baseline) and the working tree as it is, with its\n"
                            "uncommitted changes (the canary), runs both in turn, and decides by the rules.\n"
                            "The section `try` of .pprofgate.yml contains the build and run commands:\n"
                            "docs/try.md. They run in separate checkouts; your working tree is not touched.\n"
                            "The commands come from your working tree and run as your user: read somebody\n"
                            "else's change before you try it.\n"
                            "\n"
                            "Options:\n";

static const char tail[] = "\n"
                           "Exit status: 0 pass, 1 fail: a budget is broken, 2 usage, configuration,\n"
                           "build or input error, 3 inconclusive. With --bisect: 0 the first bad commit is\n"
                           "found, 3 it is one of several candidates. With 2, reports of an\n"
                           "earlier run are removed.\n";

static const struct gate_example examples[] = {
    {"what you changed since main", "pprofgate try main"},
    {"the last commit against the one before it", "pprofgate try --canary HEAD HEAD~1"},
    {"which commit made it slow", "pprofgate try --bisect HEAD~2 HEAD"},
    {NULL, NULL}};

/* ---- the command line -------------------------------------------------------------------------------------------- */

static bool try_check(const struct try_command *command, struct gate_error *err) {
    uint32_t count = command->revisions.count, wanted = command->bisect ? 2 : 1;
    if (!gate_acceptance_check(&command->decision.acceptance, err))
        return false;
    if (command->bisect && command->decision.acceptance.accepted != NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'--accepted' cannot be combined with '--bisect', which finds a fail");
    if (count == wanted && (!command->bisect || command->canary == NULL))
        return true;
    if (command->bisect && command->canary != NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'--canary' cannot be combined with '--bisect', which tries them all");
    if (command->bisect)
        return gate_error_set(err, GATE_ERR_USAGE, "'--bisect' expects two revisions, GOOD and BAD; found %u",
                              (unsigned)count);
    if (count > wanted)
        return gate_error_set(err, GATE_ERR_USAGE, "unexpected '%s': expected one revision, such as HEAD or main",
                              command->revisions.items[wanted]);
    return gate_error_set(
        err, GATE_ERR_USAGE,
        "the revision is missing: expected one to compare the working tree with, such as HEAD or main");
}

/* Stores the command line "pprofgate check DIR ...", which judges the same profiles again. */
static bool try_reproduce(struct try_command *command, struct gate_session *session, const char *dir,
                          struct gate_error *err) {
    static const struct gate_option_group *const groups[] = {&try_group, NULL};
    const struct gate_decision_without without = {groups, &command->revisions};
    return gate_decision_command(&command->decision, dir, &without, session, err);
}

/* ---- measure and judge ------------------------------------------------------------------------------------------- */

/* Sets the commits of both sides. The canary is --canary, or a snapshot of the working tree. */
static bool try_commits(struct gate_try_pair *pair, const struct try_command *command,
                        const struct gate_worktree *worktree, struct gate_session *session, struct gate_error *err) {
    struct gate_snapshot snapshot = {0};
    if (!gate_worktree_resolve(worktree, &pair->commits[GATE_BASELINE], command->revisions.items[0], err))
        return false;
    bool ok = command->canary != NULL
                  ? gate_worktree_resolve(worktree, &pair->commits[GATE_CANARY], command->canary, err)
                  : gate_snapshot_take(&snapshot, worktree, err);
    if (ok && command->canary == NULL)
        pair->commits[GATE_CANARY] = snapshot.commit;
    if (ok && gate_str_equal(pair->commits[GATE_BASELINE], pair->commits[GATE_CANARY]))
        gate_session_note(session, GATE_STR("both sides are the same commit, without changes: nothing can have grown"));
    return ok;
}

/* Sets the folder for the profiles. The cache's own folder is emptied first. */
static bool try_folder(const char **out, const struct try_command *command, const struct gate_worktree *worktree,
                       struct gate_error *err) {
    *out = command->folder != NULL ? command->folder : gate_worktree_path(worktree, "profiles");
    if (*out == NULL)
        return gate_arena_error(worktree->arena, err);
    return command->folder != NULL || gate_folder_remove(*out, worktree->interrupt, worktree->arena, err);
}

static bool try_once(struct try_command *command, const struct gate_try_run *run, struct gate_error *err) {
    struct gate_try_pair pair = {0};
    struct gate_verdict verdict = {0};
    int failed;
    struct gate_session *session = run->session;
    if (!try_commits(&pair, command, run->worktree, session, err) ||
        !try_folder(&pair.dir, command, run->worktree, err) || !try_reproduce(command, session, pair.dir, err) ||
        !gate_try_run_pair(&verdict, &failed, run, &pair, err))
        return false;
    return gate_decision_report(&command->decision, run->rules, &verdict, session, err);
}

static bool try_bisect(struct try_command *command, const struct gate_try_run *run, struct gate_error *err) {
    struct gate_try_bisect found = {0};
    const char *const *revisions = command->revisions.items;
    const char *dir;
    if (!try_folder(&dir, command, run->worktree, err) ||
        !gate_try_bisect_find(&found, run, revisions[0], revisions[1], dir, err))
        return false;
    bool ok = try_reproduce(command, run->session, found.dir, err);
    if (ok && found.commit.len != 0) {
        found.verdict->command = command->decision.judging.command;
        ok = gate_decision_report(&command->decision, run->rules, found.verdict, run->session, err);
    }
    run->session->status = found.commit.len != 0 ? GATE_EXIT_PASS : GATE_EXIT_INCONCLUSIVE;
    return ok;
}

/* Fails because there are no rules, here or in the revision of --rules-from, and prints the shortest file that
 * works. */
static bool try_start(const struct gate_rules_from *from, struct gate_session *session, struct gate_error *err) {
    const struct gate_str file =
        GATE_STR("Such a file, for a Go package with benchmarks (docs/try.md has the others):\n"
                 "\n"
                 "version: 1\n"
                 "extends: recommended\n"
                 "try: {preset: go-bench}\n");
    if (from->lacks_rules)
        (void)gate_error_set(err, GATE_ERR_CONFIG,
                             "'%s' has no " GATE_RULEFILE_DEFAULT
                             ", which defines what is built and run, and the change's own is not used: merge that file "
                             "first, or run without '--rules-from'",
                             from->revision);
    else
        (void)gate_error_set(err, GATE_ERR_CONFIG,
                             "there is no " GATE_RULEFILE_DEFAULT
                             " here with the build and run commands, and no --rules");
    gate_session_fail(session, err);
    *err = (struct gate_error){0}; /* printed already */
    bool is_written = gate_stream_write(session->err, file);
    (void)is_written; /* there is nowhere left to report it */
    return false;
}

/* Opens the worktrees and runs the trial. Signals are blocked meanwhile. */
static bool try_work(struct try_command *command, struct gate_rules *rules, struct gate_interrupt *interrupt,
                     struct gate_session *session, struct gate_error *err) {
    struct gate_worktree worktree;
    struct gate_try_plan plan;
    const struct gate_try_plan_options plan_options = {
        .bench = command->bench, .seconds = command->seconds, .rounds = command->rounds, .rules_name = rules->source};
    if (!rules->trial.is_given && rules->is_default)
        return try_start(&command->decision.from, session, err);
    if (!gate_try_plan_make(&plan, &rules->trial, &plan_options, session->arena, err))
        return false;
    /* `try` makes the load itself: a server's profiles cover equal times, and other runs do the same task. It is stored
     * in the manifest, so that `check` of the folder uses it, too. */
    if (rules->equal == GATE_EQUAL_UNKNOWN && command->decision.judging.equal == GATE_EQUAL_UNKNOWN)
        command->decision.judging.equal = plan.profile_url != NULL ? GATE_EQUAL_TIME : GATE_EQUAL_RUN;
    rules->makes_load = true;
    const struct gate_try_run run = {.session = session,
                                     .decision = &command->decision,
                                     .rules = rules,
                                     .plan = &plan,
                                     .worktree = &worktree,
                                     .max_seconds = command->max_seconds};
    gate_progress_stage(session->progress, "checking the revisions out");
    bool ok = gate_worktree_open(&worktree, command->cache, interrupt, session->arena, err) &&
              (command->bisect ? try_bisect(command, &run, err) : try_once(command, &run, err));
    gate_worktree_close(&worktree);
    return ok;
}

static bool try_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct try_command *command = wanted;
    struct gate_interrupt interrupt;
    struct gate_rules rules = {0};
    struct gate_file_roles roles = {0};
    if (!gate_decision_note(&command->decision, &roles, session->arena, err) ||
        !gate_file_roles_read_folder(&roles, command->folder, session->arena, err))
        return false; /* the files to remove are not known */
    gate_interrupt_hold(&interrupt);
    bool ok = try_check(command, err) && gate_file_roles_check(&roles, err) &&
              gate_reports_note(&command->decision.reports, &roles, session, err) &&
              gate_decision_load_rules(&rules, &command->decision, session, err) &&
              gate_debuginfod_open(&command->decision.profiles.symbols, session, err) &&
              try_work(command, &rules, &interrupt, session, err);
    if (!ok)
        gate_reports_remove_failed(&command->decision.reports, &roles, session, err);
    gate_rules_free(&rules);
    if (!ok && interrupt.caught != 0) {
        gate_session_fail(session, err); /* nothing can be printed after the signal is raised */
        *err = (struct gate_error){0};
    }
    gate_interrupt_release(&interrupt);
    return ok;
}

/* Returns all needs, because `try` runs arbitrary commands. */
static unsigned try_needs(const void *wanted) {
    (void)wanted;
    return GATE_NEEDS_NETWORK | GATE_NEEDS_PROGRAMS;
}

const struct gate_command gate_command_try = {
    .name = "try",
    .needs_processes = true,
    .summary = "build a revision and the working tree, run both in turn, and decide",
    .usage = usage,
    .tail = tail,
    .examples = examples,
    .takes = GATE_TAKES_REVISIONS,
    .decides = true,
    .writes = true,
    .options = options,
    .size = sizeof(struct try_command),
    .arguments = offsetof(struct try_command, revisions),
    .needs = try_needs,
    .run = try_run,
};
