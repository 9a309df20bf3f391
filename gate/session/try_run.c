/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `try`: measures a pair of revisions, and bisects to find the commit that fails. */
#include "gate/session/try_run.h"

#include "gate/base/escape.h"
#include "gate/base/file.h"
#include "gate/session/gate_loop.h"
#include "gate/session/session.h"
#include "gate/trial/trial.h"
#include "gate/trial/worktree.h"

/* ---- one pair of revisions --------------------------------------------------------------------------------------- */

static void run_stage(void *context, const char *text) {
    gate_progress_stage(((struct gate_session *)context)->progress, text);
}

static void run_note(void *context, struct gate_str text) {
    gate_session_note(context, text);
}

static bool run_take(void *context, uint32_t round, struct gate_error *err) {
    return gate_trial_round(context, round, err);
}

/* Measures one round at a time, and judges after each. */
static bool run_rounds(struct gate_verdict *out, const struct gate_try_run *run, struct gate_trial *trial,
                       struct gate_error *err) {
    const struct gate_rounds rounds = {.dir = trial->dir,
                                       .manifest = &trial->manifest,
                                       .planned = run->plan->rounds,
                                       .max_seconds = run->max_seconds,
                                       .take = run_take,
                                       .context = trial};
    return gate_rounds_run(out, &rounds, run->decision, run->rules, run->session, err);
}

bool gate_try_run_pair(struct gate_verdict *out, int *failed, const struct gate_try_run *run,
                       const struct gate_try_pair *pair, struct gate_error *err) {
    struct gate_trial *trial = GATE_NEW_ARRAY(run->session->arena, struct gate_trial, 1);
    *failed = -1;
    if (trial == NULL)
        return gate_arena_error(run->session->arena, err);
    *trial = (struct gate_trial){.plan = run->plan,
                                 .worktree = run->worktree,
                                 .dir = pair->dir,
                                 .is_forced = run->session->is_forced,
                                 .listener = {run->session, run_stage, run_note},
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
    if (!gate_bisect_describe(&name, search->run->worktree, commit, &ignored))
        name = commit;
    struct gate_str text =
        gate_str_format(session->arena, "%s: %.*s%s%s", word, GATE_STR_ARG(name), why[0] == '\0' ? "" : ": ", why);
    if (text.ptr != NULL)
        gate_session_note(session, text);
}

/* Maps the verdict on a commit to a word for `git bisect`. */
static enum gate_bisect_word word_of(const struct gate_verdict *verdict) {
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
static bool search_try(const struct search *search, enum gate_bisect_word *word, struct gate_str commit, bool may_skip,
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
    if (!search_try(search, &word, bad, false, err))
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
    bool ok = gate_bisect_begin(&bisect, run->worktree, search.good, bad_commit, err);
    while (ok && !bisect.is_over) {
        enum gate_bisect_word word = GATE_BISECT_SKIP;
        ok = search_try(&search, &word, bisect.commit, true, err) && gate_bisect_tell(&bisect, word, err);
    }
    gate_bisect_end(&bisect);
    out->commit = bisect.commit;
    out->candidates = bisect.candidates;
    return ok;
}

bool gate_try_bisect_tell(const struct gate_try_bisect *found, const struct gate_try_run *run, struct gate_error *err) {
    struct gate_buf out = {0};
    struct gate_str name;
    bool ok = true;
    if (found->commit.len != 0) {
        ok = gate_bisect_describe(&name, run->worktree, found->commit, err);
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
