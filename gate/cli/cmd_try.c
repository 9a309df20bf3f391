/* SPDX-License-Identifier: Apache-2.0 */
/* The command `try`: builds a revision and the working tree, measures both in turn, and decides. With --bisect it does
 * so with one commit after the other. */
#include "gate/base/escape.h"
#include "gate/base/file.h"
#include "gate/base/git.h"
#include "gate/budget/outcome.h"
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/cli/options.h"
#include "gate/session/names_from.h"
#include "gate/session/session.h"
#include "gate/session/try_run.h"
#include "gate/trial/worktree.h"

#include <dirent.h>
#include <unistd.h>

/* ---- git bisect in the private repository: a bisection of the user in their own repository is not touched -------- */

/* Verdict on a commit; the exit statuses 0, 1 and 125 of `git bisect run`. */
enum bisect_word { BISECT_GOOD, BISECT_BAD, BISECT_SKIP };

/* State of a bisection. Texts are in the worktree's arena. */
struct bisect {
    const struct gate_worktree *worktree;
    bool is_over;
    struct gate_str commit;     /* while not over: the commit to try next; then the first bad one, or empty if it was
                                   not found */
    struct gate_str candidates; /* one per line: the commits that can be the first bad one, if skipped commits hide
                                   it */
};

static const char *const bisect_words[] = {[BISECT_GOOD] = "good", [BISECT_BAD] = "bad", [BISECT_SKIP] = "skip"};

/* Return the hexadecimal digits at the start of `text`; empty if there are fewer than 40. */
static struct gate_str leading_commit(struct gate_str text) {
    size_t len = gate_str_hex_digits(text);
    return gate_str_slice(text, 0, len >= 40 ? len : 0);
}

/* Read git's output: the first bad commit, the candidates if it cannot be found, or the next commit to try. */
static bool bisect_read(struct bisect *bisect, struct gate_str said, int status, struct gate_error *err) {
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
static void bisect_end(struct bisect *bisect) {
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
static bool bisect_begin(struct bisect *out, const struct gate_worktree *worktree, struct gate_str good,
                         struct gate_str bad, struct gate_error *err) {
    const struct gate_git *git = &worktree->own;
    struct gate_str said;
    int status = 0;
    *out = (struct bisect){.worktree = worktree};
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
static bool bisect_tell(struct bisect *bisect, enum bisect_word word, struct gate_error *err) {
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

/* Result of a bisection. */
struct bisect_result {
    struct gate_str commit;       /* first bad commit; empty: it is one of `candidates` */
    struct gate_str candidates;   /* one per line */
    struct gate_verdict *verdict; /* verdict on the last bad commit that was tried */
    const char *dir;              /* folder of that verdict's profiles */
    uint32_t tried;               /* number of commits tried */
};

/* State of a bisection. */
struct search {
    struct bisect_result *found;
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
static enum bisect_word word_of(const struct gate_verdict *verdict) {
    switch (verdict->outcome) {
    case GATE_OUTCOME_FAIL:
        return BISECT_BAD;
    case GATE_OUTCOME_INCONCLUSIVE:
        return BISECT_SKIP;
    case GATE_OUTCOME_PROVEN:
    case GATE_OUTCOME_PASS:
    case GATE_OUTCOME_WARN:
        break;
    }
    return BISECT_GOOD;
}

/* Handles a pair that could not be measured. If the commit itself failed, it is skipped, unless `may_skip` is false
 * (it is BAD). If GOOD or the environment failed, the search ends, because every commit would fail. */
static bool search_failed(const struct search *search, enum bisect_word *word, struct gate_str commit, bool may_skip,
                          int failed, const struct gate_error *why, struct gate_error *err) {
    bool is_of_a_side = why->code == GATE_ERR_INPUT || why->code == GATE_ERR_FORMAT;
    if (is_of_a_side && failed == GATE_BASELINE)
        return gate_error_set(err, why->code, "GOOD (%.*s) fails itself, with %.*s beside it: %s", SHORT_COMMIT,
                              search->good.ptr, SHORT_COMMIT, commit.ptr, why->message);
    if (!is_of_a_side || failed != GATE_CANARY || !may_skip)
        return gate_error_set(err, why->code, "%.*s: %s", SHORT_COMMIT, commit.ptr, why->message);
    *word = BISECT_SKIP;
    search_note(search, commit, "skipped", why->message);
    search->found->tried++;
    return true;
}

/* Tries one commit against the good one. */
static bool search_try(const struct search *search, enum bisect_word *word, struct gate_str commit, bool may_skip,
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
    *word = word_of(verdict);
    search_note(search, commit, words[*word], *word == BISECT_SKIP ? "inconclusive" : "");
    search->found->tried++;
    if (*word != BISECT_BAD)
        return true;
    search->found->verdict = verdict;
    search->found->dir = pair.dir;
    return true;
}

/* Tries BAD first, so that a wrong BAD is found before many builds. */
static bool search_begin(const struct search *search, struct gate_str bad, struct gate_error *err) {
    enum bisect_word word = BISECT_SKIP;
    if (!search_try(search, &word, bad, false, err))
        return false;
    if (word == BISECT_GOOD)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "BAD (%.*s) does not fail against GOOD, so there is nothing to find; tighten the budget, "
                              "or name other revisions",
                              SHORT_COMMIT, bad.ptr);
    if (word == BISECT_SKIP)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "it cannot be decided whether BAD (%.*s) fails against GOOD: give more '--rounds' or "
                              "'--seconds'",
                              SHORT_COMMIT, bad.ptr);
    return true;
}

/* Print the first bad commit, or the candidates, on standard output. */
static bool bisect_print(const struct bisect_result *found, const struct gate_try_run *run, struct gate_error *err) {
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

/*
 * Try `bad`, which must fail, then the commits between `good` and it. A commit is good if it passes, bad if it fails,
 * and skipped if it is inconclusive or does not build or run. The search ends if `good` does not run or the environment
 * fails (another program listens on the server's port, say), since every commit would fail then. Prints the result.
 *
 * dir   profiles of each commit go to DIR/COMMIT
 * err   GATE_ERR_INPUT if `bad` does not fail or `good` does not run; errors of gate_try_run_pair and git
 */
static bool bisect_find(struct bisect_result *out, const struct gate_try_run *run, const char *good, const char *bad,
                        const char *dir, struct gate_error *err) {
    struct search search = {.found = out, .run = run, .dir = dir};
    struct bisect bisect;
    struct gate_str bad_commit;
    *out = (struct bisect_result){0};
    if (!gate_worktree_resolve(run->worktree, &search.good, good, err) ||
        !gate_worktree_resolve(run->worktree, &bad_commit, bad, err) || !gate_folders_make(dir, err) ||
        !search_begin(&search, bad_commit, err))
        return false;
    bool ok = bisect_begin(&bisect, run->worktree, search.good, bad_commit, err);
    while (ok && !bisect.is_over) {
        enum bisect_word word = BISECT_SKIP;
        ok = search_try(&search, &word, bisect.commit, true, err) && bisect_tell(&bisect, word, err);
    }
    bisect_end(&bisect);
    out->commit = bisect.commit;
    out->candidates = bisect.candidates;
    return ok && bisect_print(out, run, err);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* Options of `try`. */
struct try_command {
    struct gate_decision decision;
    struct gate_paths revisions; /* its arguments */
    const char *folder, *cache, *canary, *bench;
    bool bisect;
    uint32_t rounds;
    double seconds, max_seconds;
};

#define AT(field) offsetof(struct try_command, field)

static const struct gate_option try_rows[] = {
    {"canary", 0, "REV", "try this revision instead of the working tree", gate_option_value_text, AT(canary), NULL},
    {"bisect", 0, NULL, "REVs are GOOD and BAD: find the first commit after GOOD that fails against it",
     gate_option_value_flag, AT(bisect), NULL},
    {"rounds", 0, "N", "maximum number of runs of each side (default: try.rounds, else 10)", gate_option_value_count32,
     AT(rounds), NULL},
    {"seconds", 0, "TIME", "duration of one profile or benchmark (default: try.seconds)", gate_option_value_duration,
     AT(seconds), NULL},
    {"max-time", 't', "TIME", "start no round that would end later than this, such as 90s or 10m",
     gate_option_value_duration, AT(max_seconds), NULL},
    {"bench", 0, "PATTERN", "benchmarks of the preset go-bench (default: try.bench, else all)", gate_option_value_text,
     AT(bench), NULL},
    {"output", 'o', "DIR", "keep the profiles here, with their manifest (default: in the cache, until the next try)",
     gate_option_value_output_folder, AT(folder), NULL},
    {"cache", 0, "DIR", "folder for checkouts and builds (default: ~/.cache/pprofgate/try)", gate_option_value_text,
     AT(cache), NULL},
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

static void try_begin(void *wanted) {
    gate_decision_begin(&((struct try_command *)wanted)->decision);
}

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
    struct bisect_result found = {0};
    const char *const *revisions = command->revisions.items;
    const char *dir;
    if (!try_folder(&dir, command, run->worktree, err) ||
        !bisect_find(&found, run, revisions[0], revisions[1], dir, err))
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
    const struct gate_try_plan_options told = {
        .bench = command->bench, .seconds = command->seconds, .rounds = command->rounds, .rules_name = rules->source};
    if (!rules->trial.is_given && rules->is_default)
        return try_start(&command->decision.from, session, err);
    if (!gate_try_plan_make(&plan, &rules->trial, &told, session->arena, err))
        return false;
    /* `try` makes the load itself: a server's profiles cover equal times, and other runs do the same task. */
    if (rules->equal == GATE_EQUAL_UNKNOWN)
        rules->equal = plan.profile_url != NULL ? GATE_EQUAL_TIME : GATE_EQUAL_RUN;
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
              gate_names_from_open(&command->decision.profiles.symbols, session, err) &&
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

/* Needs everything, because it runs arbitrary commands. */
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
    .arguments = AT(revisions),
    .begin = try_begin,
    .needs = try_needs,
    .run = try_run,
};
