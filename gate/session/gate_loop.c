/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/session/gate_loop.h"

#include "gate/base/figures.h"
#include "gate/base/system.h"
#include "gate/capture/manifest.h"
#include "gate/rules/guard_rules.h"
#include "gate/session/judge.h"
#include "gate/session/manifest_dir.h"
#include "gate/session/reports.h"
#include "gate/session/session.h"

/* What is undecided after a look. */
struct open {
    uint32_t findings;
    bool is_lasting;       /* more rounds would not change it */
    struct gate_str first; /* function of the first undecided finding; allocated from the run's arena */
    struct gate_str guard; /* name of the first guard that is raised; from the run's arena */
};

/* State of the loop. */
struct loop_state {
    const struct gate_rounds *rounds;
    struct gate_decision *decision;
    struct gate_rules *rules;
    struct gate_session *session;
    enum gate_on_inconclusive wanted; /* the final handling of an inconclusive verdict */
    struct gate_manifest_looks looks;
    double began, longest; /* CLOCK_MONOTONIC at the begin; duration of the longest round; both in s */
    uint32_t taken;
    struct gate_verdict *verdict; /* verdict of the last look */
    struct open open;             /* set if the last look is undecided */
};

/* ---- one look ---------------------------------------------------------------------------------------------------- */

/* Judges all rounds so far. Everything that it loads and computes is allocated from `arena`. */
static bool look_judge(const struct loop_state *loop_state, struct gate_arena *arena, struct gate_error *err) {
    struct gate_session session = *loop_state->session;
    struct gate_profile_options profiles = loop_state->decision->profiles;
    struct gate_judge_options judging = loop_state->decision->judging;
    struct gate_buf notes = {0}; /* discarded: the capture reported incomplete rounds already */
    session.arena = arena;
    judging.looks = (struct gate_looks){.fractions = loop_state->looks.fractions,
                                        .count = loop_state->looks.count,
                                        .planned = loop_state->looks.planned};
    bool ok = gate_manifest_dir_fill(&profiles, &judging, &notes, loop_state->rounds->dir, arena, err) &&
              gate_judge_reach(loop_state->verdict, &session, &profiles, loop_state->rules, &judging, err);
    gate_buf_free(&notes);
    return ok;
}

/* Reloads default rules, because a look may have replaced them by the type of the profiles (budget/default_rules.h). */
static bool rules_renew(const struct loop_state *loop_state, struct gate_error *err) {
    if (!loop_state->rules->is_default)
        return true;
    gate_rules_free(loop_state->rules);
    return gate_decision_load_rules(loop_state->rules, loop_state->decision, loop_state->session, err);
}

/* Removes presets that an undecided look added to the rules for kinds of profile that the file's rules do not cover
 * (gate_default_rules_complete). They are allocated from the look's arena. `before`: the rules before the look. */
static void rules_restore(struct gate_rules *rules, const struct gate_rules *before) {
    if (rules->is_default) {
        gate_rules_free(rules); /* rules_renew loads them again */
        return;
    }
    for (uint32_t i = before->regex_count; i < rules->regex_count; i++) /* the regexes of the file come first */
        gate_regex_free(rules->regexes[i]);
    *rules = *before;
}

static struct open open_of(const struct gate_verdict *verdict, struct gate_arena *arena) {
    struct open open = {.is_lasting = !gate_finding_may_be_decided(verdict->budgets, verdict->budget_count)};
    for (uint32_t i = 0; i < verdict->warning_count; i++) {
        enum gate_guard guard = verdict->warnings[i].guard;
        bool is_raised = gate_guard_severity(verdict->rules, guard) == GATE_SEVERITY_ERROR;
        open.is_lasting = open.is_lasting || (is_raised && !gate_guard_passes(guard) && !verdict->warnings[i].may_end);
        if (is_raised && open.guard.len == 0)
            open.guard = gate_str_from(gate_guard_name(guard));
    }
    for (uint32_t b = 0; b < verdict->budget_count; b++)
        for (uint32_t f = 0; f < verdict->budgets[b].finding_count; f++) {
            const struct gate_finding *finding = &verdict->budgets[b].findings[f];
            if (finding->outcome != GATE_OUTCOME_INCONCLUSIVE)
                continue;
            if (open.findings++ == 0)
                open.first = gate_str_copy(arena, finding->function);
        }
    return open;
}

static bool is_last_look(const struct loop_state *loop_state) {
    return loop_state->looks.fractions[loop_state->looks.count - 1] >= 1.0;
}

static bool is_decided(const struct loop_state *loop_state) {
    return is_last_look(loop_state) || loop_state->verdict->outcome != GATE_OUTCOME_INCONCLUSIVE;
}

/* Judges all rounds so far, at the level of the last entry of `looks`. Frees an undecided verdict. */
static bool look(struct loop_state *loop_state, struct gate_error *err) {
    struct gate_arena arena;
    if (!rules_renew(loop_state, err))
        return false;
    loop_state->rules->on_inconclusive =
        is_last_look(loop_state) ? loop_state->wanted : GATE_ON_INCONCLUSIVE_INCONCLUSIVE;
    const struct gate_rules before = *loop_state->rules;
    gate_arena_fork(&arena, loop_state->session->arena);
    gate_progress_stage(loop_state->session->progress, "reading profiles");
    bool ok = look_judge(loop_state, &arena, err);
    if (ok && !is_decided(loop_state)) {
        loop_state->open = open_of(loop_state->verdict, loop_state->session->arena);
        rules_restore(loop_state->rules, &before);
        gate_arena_free(&arena);
        return true;
    }
    gate_arena_absorb(loop_state->session->arena, &arena); /* an error's message may point into the arena */
    return ok;
}

/* Writes the looks to the folder's manifest. */
static bool looks_keep(const struct loop_state *loop_state, struct gate_error *err) {
    loop_state->rounds->manifest->looks = loop_state->looks;
    return gate_manifest_file_write(loop_state->rounds->manifest, loop_state->rounds->dir, loop_state->session->arena,
                                    err);
}

/* Adds a look at all rounds so far, and judges it. */
static bool look_next(struct loop_state *loop_state, bool is_last, struct gate_error *err) {
    struct gate_manifest_looks *looks = &loop_state->looks;
    double before = looks->count == 0 ? 0.0 : looks->fractions[looks->count - 1];
    double now = is_last || loop_state->taken >= looks->planned ? 1.0 : (double)loop_state->taken / looks->planned;
    if (now > before) {
        looks->count += looks->count < looks->planned;
        looks->fractions[looks->count - 1] = now;
    }
    looks->round = loop_state->taken;
    if (!look(loop_state, err))
        return false;
    if (!is_decided(loop_state) &&
        loop_state->open.is_lasting) { /* more rounds would not help: this look is the last */
        looks->fractions[looks->count - 1] = 1.0;
        if (!look(loop_state, err))
            return false;
    }
    return looks_keep(loop_state, err);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static void note_undecided(const struct loop_state *loop_state) {
    const struct open *open = &loop_state->open;
    struct gate_buf text = {0};
    gate_buf_printf(&text, "round %u of at most %u: undecided, ", (unsigned)loop_state->taken,
                    (unsigned)loop_state->looks.planned);
    if (open->first.len > 0)
        gate_buf_printf(&text, "'%.*s'", GATE_STR_ARG(open->first));
    if (open->first.len > 0 && open->findings > 1)
        gate_buf_printf(&text, " and %u more ", (unsigned)open->findings - 1);
    if (open->first.len == 0 && open->guard.len > 0)
        gate_buf_printf(&text, "guard '%.*s' is raised", GATE_STR_ARG(open->guard));
    else
        gate_buf_text(&text, open->first.len == 0  ? "more runs are taken"
                             : open->findings == 1 ? " is open"
                                                   : "are open");
    gate_session_note(loop_state->session, gate_buf_view(&text));
    gate_buf_free(&text);
}

/* Return whether the round that failed is left out. */
static bool is_left_out(const struct gate_rounds *rounds) {
    return rounds->is_empty != NULL && *rounds->is_empty;
}

/* Return whether the same command resumes the folder after a round that failed. */
static bool is_resumable(const struct loop_state *loop_state) {
    const struct gate_rounds *rounds = loop_state->rounds;
    bool is_other_build = rounds->is_other_build != NULL && *rounds->is_other_build;
    return loop_state->taken > 0 && rounds->is_resumable && !is_left_out(rounds) && !is_other_build;
}

/* Captures one more round. */
static bool round_take(struct loop_state *loop_state, struct gate_error *err) {
    const struct gate_rounds *rounds = loop_state->rounds;
    struct gate_error why = {0};
    gate_progress_stage(loop_state->session->progress, "taking profiles");
    if (!rounds->take(rounds->context, loop_state->taken + 1, &why))
        return gate_error_set(err, why.code, "%s%s", why.message,
                              is_resumable(loop_state) ? " (the same command resumes)" : "");
    uint32_t last =
        gate_manifest_last_round(rounds->manifest); /* `take` may have completed a round that had one side only */
    loop_state->taken = last > loop_state->taken ? last : loop_state->taken + 1;
    return true;
}

/* Prints a note why an undecided verdict has fewer rounds than planned. `took`: duration so far, in s; a round takes up
 * to `longest`. */
static void note_late(const struct loop_state *loop_state, double took, double longest) {
    struct gate_buf text = {0};
    gate_buf_printf(&text, "round %u of at most %u is the last: after ", (unsigned)loop_state->taken,
                    (unsigned)loop_state->looks.planned);
    gate_figures_seconds(&text, took);
    gate_buf_text(&text, ", another one of up to ");
    gate_figures_seconds(&text, longest);
    gate_buf_text(&text, " does not fit into --max-time (");
    gate_figures_seconds(&text, loop_state->rounds->max_seconds);
    gate_buf_text(&text, ")");
    gate_session_note(loop_state->session, gate_buf_view(&text));
    gate_buf_free(&text);
}

/* Print a note on how to take more rounds than planned. */
static void note_all_taken(const struct loop_state *loop_state) {
    struct gate_buf text = {0};
    gate_buf_printf(&text, "round %u is the last of the plan, and the verdict is open: ", (unsigned)loop_state->taken);
    if (loop_state->looks.planned < GATE_SPENDING_LOOKS_MAX)
        gate_buf_printf(&text, "a larger %s takes more rounds", loop_state->rounds->planned_by);
    else
        gate_buf_text(&text, "larger --seconds take longer profiles");
    if (loop_state->rounds->is_resumable)
        gate_buf_text(&text, ", in a new folder"); /* this one would resume its own plan */
    gate_session_note(loop_state->session, gate_buf_view(&text));
    gate_buf_free(&text);
}

/* Return whether the last look is undecided, and more rounds could have decided it. */
static bool is_left_open(const struct loop_state *loop_state) {
    return loop_state->verdict->outcome == GATE_OUTCOME_INCONCLUSIVE &&
           !open_of(loop_state->verdict, loop_state->session->arena).is_lasting;
}

/* Return whether `round` has profiles of both sides, of kind `kind`, or of any kind if it is empty. */
static bool has_both_sides(const struct gate_manifest *manifest, uint32_t round, struct gate_str kind) {
    for (uint32_t i = 0; i < manifest->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (manifest->runs[i].round == round && manifest->runs[j].round == round &&
                manifest->runs[i].side != manifest->runs[j].side &&
                gate_str_equal(manifest->runs[i].kind, manifest->runs[j].kind) &&
                (kind.len == 0 || gate_str_equal(manifest->runs[i].kind, kind)))
                return true;
    return false;
}

/* Return whether every kind has a round with profiles of both sides. */
static bool has_all_kinds(const struct gate_rounds *rounds) {
    const uint32_t last = gate_manifest_last_round(rounds->manifest);
    bool has_all = true;
    for (uint32_t k = 0; has_all && k < rounds->kind_count; k++) {
        bool has_kind = false;
        for (uint32_t round = 1; !has_kind && round <= last; round++)
            has_kind =
                has_both_sides(rounds->manifest, round, gate_str_from(gate_capture_kind_words[rounds->kinds[k]]));
        has_all = has_kind;
    }
    return has_all;
}

/* Leaves out a round in which a profile has no samples. If no further round fits, judges the other rounds, as the last
 * look. If there are none, returns false with `err` unchanged. Each kind uses its rounds that have samples of both
 * sides. */
static bool round_leave_out(struct loop_state *loop_state, double from, struct gate_error *err) {
    const struct gate_rounds *rounds = loop_state->rounds;
    double now = gate_clock_s(CLOCK_MONOTONIC),
           took = now - from > loop_state->longest ? now - from : loop_state->longest;
    bool is_late = rounds->max_seconds > 0.0 && now - loop_state->began + took > rounds->max_seconds;
    uint32_t last = gate_manifest_last_round(rounds->manifest);
    loop_state->taken = last > loop_state->taken ? last : loop_state->taken + 1;
    loop_state->longest = took;
    bool is_last = is_late || loop_state->taken >= loop_state->looks.planned;
    if (is_last && !has_all_kinds(rounds))
        return false;
    gate_session_note(loop_state->session, gate_str_from(err->message));
    gate_session_note(loop_state->session, is_last ? GATE_STR("the round is left out, and no further one fits")
                                                   : GATE_STR("the round is left out, and the next one is taken"));
    *err = (struct gate_error){0};
    return !is_last || look_next(loop_state, true, err);
}

/* Captures a round and judges, and makes it the last one if no further round fits into the time limit. */
static bool round_and_look(struct loop_state *loop_state, struct gate_error *err) {
    double most = loop_state->rounds->max_seconds, from = gate_clock_s(CLOCK_MONOTONIC);
    if (!round_take(loop_state, err)) {
        const bool *is_over = loop_state->rounds->is_over;
        if (is_left_out(loop_state->rounds))
            return round_leave_out(loop_state, from, err);
        if (is_over == NULL || !*is_over || loop_state->looks.count == 0)
            return false;
        gate_session_note(loop_state->session,
                          gate_str_from(err->message)); /* rounds captured earlier are judged, as the last look */
        *err = (struct gate_error){0};
        loop_state->taken =
            gate_manifest_last_round(loop_state->rounds->manifest); /* counts rounds with one side only, too */
        return look_next(loop_state, true, err);
    }
    double now = gate_clock_s(CLOCK_MONOTONIC),
           took = now - from > loop_state->longest ? now - from : loop_state->longest;
    bool is_late = most > 0.0 && now - loop_state->began + took > most;
    if (!look_next(loop_state, loop_state->taken >= loop_state->looks.planned || is_late, err))
        return false;
    if (is_late && loop_state->taken < loop_state->looks.planned &&
        loop_state->verdict->outcome == GATE_OUTCOME_INCONCLUSIVE)
        note_late(loop_state, now - loop_state->began, took);
    else if (loop_state->taken >= loop_state->looks.planned && loop_state->rounds->planned_by != NULL &&
             is_left_open(loop_state))
        note_all_taken(loop_state);
    took = gate_clock_s(CLOCK_MONOTONIC) - from;
    loop_state->longest = took > loop_state->longest ? took : loop_state->longest;
    if (!is_decided(loop_state))
        note_undecided(loop_state);
    return true;
}

/* Return the last round that is whole, or 0. A process that was killed may have left one side or one kind of a
 * round. */
static uint32_t last_whole_round(const struct gate_rounds *rounds) {
    const struct gate_manifest *manifest = rounds->manifest;
    uint32_t last = 0;
    for (uint32_t i = 0; i < manifest->count; i++) {
        uint32_t round = manifest->runs[i].round;
        bool is_whole = round > last && has_both_sides(manifest, round, GATE_STR(""));
        for (uint32_t k = 0; is_whole && k < rounds->kind_count; k++)
            is_whole = has_both_sides(manifest, round, gate_str_from(gate_capture_kind_words[rounds->kinds[k]]));
        last = is_whole ? round : last;
    }
    return last;
}

/* Resumes a folder by its plan. Judges the rounds that no look covers yet. If there are none, repeats the last look.
 * Fails if the last look decided. */
static bool resume(struct loop_state *loop_state, struct gate_error *err) {
    const struct gate_manifest *manifest = loop_state->rounds->manifest;
    const char *dir = loop_state->rounds->dir;
    struct gate_buf text = {0};
    if (!gate_str_equal(manifest->looks.rules, loop_state->looks.rules))
        return gate_error_set(err, GATE_ERR_USAGE,
                              "%s: these profiles were judged by other rules or options while they were taken; judge "
                              "them anew with check, or name another folder",
                              dir);
    memcpy(loop_state->looks.fractions, manifest->looks.fractions, manifest->looks.count * sizeof(double));
    loop_state->looks.count = manifest->looks.count;
    loop_state->looks.planned = manifest->looks.planned;
    loop_state->looks.round = manifest->looks.round;
    loop_state->taken = last_whole_round(loop_state->rounds);
    if (loop_state->taken == 0)
        return true; /* there is a plan but no complete round */
    bool is_new =
        loop_state->taken > manifest->looks.round && (loop_state->looks.count == 0 || !is_last_look(loop_state));
    if (!(is_new ? look_next(loop_state, false, err) : look(loop_state, err)))
        return false;
    if (is_decided(loop_state) && is_new)
        return true;
    if (is_decided(loop_state))
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "%s: this folder is decided, and check prints its verdict again; give another folder for another canary",
            dir);
    gate_buf_printf(&text, "%s was looked at before: its undecided gate resumes by the same plan", dir);
    gate_session_note(loop_state->session, gate_buf_view(&text));
    gate_buf_free(&text);
    return true;
}

bool gate_rounds_run(struct gate_verdict *out, const struct gate_rounds *rounds, struct gate_decision *decision,
                     struct gate_rules *rules, struct gate_session *session, struct gate_error *err) {
    struct loop_state loop_state = {.rounds = rounds,
                                    .decision = decision,
                                    .rules = rules,
                                    .session = session,
                                    .wanted = rules->on_inconclusive,
                                    .looks = {.planned = rounds->planned, .equal = decision->judging.equal},
                                    .began = rounds->began > 0.0 ? rounds->began : gate_clock_s(CLOCK_MONOTONIC),
                                    .verdict = out};
    loop_state.looks.fractions = GATE_NEW_ARRAY(session->arena, double, GATE_SPENDING_LOOKS_MAX);
    if (loop_state.looks.fractions == NULL)
        return gate_arena_error(session->arena, err);
    if (!gate_judge_digest(&loop_state.looks.rules, rules, &decision->profiles, &decision->judging, session, err))
        return false;
    bool is_resumed = rounds->manifest->looks.planned > 0;
    if (!(is_resumed ? resume(&loop_state, err) : looks_keep(&loop_state, err))) {
        if (rounds->is_refused != NULL)
            *rounds->is_refused = is_resumed && err->code == GATE_ERR_USAGE;
        return false;
    }
    if (rounds->roles != NULL)
        gate_reports_remove(&decision->reports, rounds->roles, session);
    while (loop_state.looks.count == 0 || !is_decided(&loop_state))
        if (!round_and_look(&loop_state, err))
            return false;
    return true;
}
