/* SPDX-License-Identifier: Apache-2.0 */
/* Bisection by verdict (see try_bisect.h). */
#include "gate/cli/try_bisect.h"

#include "gate/base/escape.h"
#include "gate/base/folders.h"
#include "gate/trial/folder.h"

enum { SHORT_COMMIT = 12 };

/* One bisection. */
struct search {
    struct gate_try_bisect *found;
    const struct gate_try_run *run;
    struct gate_str good;
    const char *dir;
};

static void search_note(const struct search *search, struct gate_str commit, const char *word, const char *why) {
    struct gate_cli *cli = search->run->cli;
    struct gate_error ignored = {0};
    struct gate_str name;
    if (!gate_bisect_describe(&name, search->run->worktree, commit, &ignored))
        name = commit;
    struct gate_str text =
        gate_str_format(cli->arena, "%s: %.*s%s%s", word, GATE_STR_ARG(name), why[0] == '\0' ? "" : ": ", why);
    if (text.ptr != NULL)
        gate_cli_note(cli, text);
}

/* What a commit's verdict says of it. */
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

/* A pair that could not be tried: of the commit's own failure it is skipped, unless it is the one that is said to be
 * bad. What GOOD or the surroundings do would go on doing it to every commit, so it ends the search. */
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

/* Try one commit against the good one. */
static bool search_try(const struct search *search, enum gate_bisect_word *word, struct gate_str commit, bool may_skip,
                       struct gate_error *err) {
    struct gate_arena *arena = search->run->cli->arena;
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

/* BAD itself: whoever is wrong about it learns so before ten builds. */
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
        gate_buf_text(&out, "the first bad commit is one of these, which cannot be told apart:\n\n");
        for (size_t at = 0; at < found->candidates.len; at++) {
            size_t end = gate_str_find(found->candidates, GATE_STR("\n"), at);
            gate_buf_text(&out, "  ");
            gate_escape_terminal(&out, gate_str_slice(found->candidates, at, end));
            gate_buf_char(&out, '\n');
            at = end == SIZE_MAX ? found->candidates.len : end;
        }
    }
    ok = ok && gate_cli_print(run->cli, &out, err);
    gate_buf_free(&out);
    return ok;
}
