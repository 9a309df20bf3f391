/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands that end in a verdict have in common: options, acceptance of an intended growth, rules, reports. */
#include "gate/session/decision.h"

#include "gate/base/escape.h"
#include "gate/budget/outcome.h"
#include "gate/budget/verdict.h"
#include "gate/rules/guard_rules.h"
#include "gate/session/manifest_dir.h"
#include "gate/session/session.h"

#include <string.h>

/* ---- acceptance of an intended growth ------------------------------------------------------------------------------
 *
 * Somebody with the right to do so accepts what one commit breaks. */

enum { COMMIT_LEAST = 40, COMMIT_MOST = 64, WHO_MOST = 100, REASON_MOST = 500 };

static bool is_commit(struct gate_str text) {
    if (text.len < COMMIT_LEAST || text.len > COMMIT_MOST)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (strchr("0123456789abcdef", text.ptr[i]) == NULL || text.ptr[i] == '\0')
            return false;
    return true;
}

static bool is_line(struct gate_str text, size_t most) {
    if (text.len == 0 || text.len > most)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
            return false;
    return true;
}

/*
 * Parse "COMMIT by WHO: REASON". COMMIT has 40 to 64 hexadecimal digits: a shorter prefix can be forged. WHO has no
 * blank and at most 100 bytes, REASON 1 to 500 bytes; both are one line of UTF-8 without control characters.
 *
 * out  refers to `text`
 * err  GATE_ERR_USAGE
 */
static bool acceptance_read(struct gate_acceptance *out, const char *text, struct gate_error *err) {
    const struct gate_str all = gate_str_from(text), by = GATE_STR(" by "), colon = GATE_STR(": ");
    size_t commit_end = gate_str_find(all, by, 0);
    size_t who_end = commit_end == SIZE_MAX ? SIZE_MAX : gate_str_find(all, colon, commit_end + by.len);
    if (who_end != SIZE_MAX) {
        *out = (struct gate_acceptance){.commit = gate_str_slice(all, 0, commit_end),
                                        .by = gate_str_slice(all, commit_end + by.len, who_end),
                                        .reason = gate_str_trim(gate_str_slice(all, who_end + colon.len, all.len))};
        if (is_commit(out->commit) && is_line(out->by, WHO_MOST) &&
            gate_str_find(out->by, GATE_STR(" "), 0) == SIZE_MAX && is_line(out->reason, REASON_MOST))
            return true;
    }
    return gate_error_set(err, GATE_ERR_USAGE,
                          "option '--accepted': expected 'COMMIT by WHO: REASON' with all digits of the commit, a name "
                          "without blanks and a reason of at most %d bytes on one line",
                          (int)REASON_MOST);
}

bool gate_acceptance_check(const struct gate_acceptance_options *options, struct gate_error *err) {
    struct gate_acceptance acceptance = {0};
    if (options->accepted == NULL)
        return options->head == NULL ||
               gate_error_set(err, GATE_ERR_USAGE, "option '--head' is only used with '--accepted'");
    if (!acceptance_read(&acceptance, options->accepted, err))
        return false;
    if (options->head == NULL || !is_commit(gate_str_from(options->head)))
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "option '--accepted' needs '--head COMMIT', the commit that is judged, with all its digits");
    return true;
}

/* Return the first raised guard that forbids the comparison; NULL if there is none. A guard of a higher cost does not:
 * that cost is what is accepted. */
static const struct gate_warning *forbidding(const struct gate_verdict *verdict) {
    for (uint32_t i = 0; i < verdict->warning_count; i++) {
        struct gate_str code = verdict->warnings[i].code;
        if (gate_guard_severity(verdict->rules, code) == GATE_SEVERITY_ERROR &&
            !gate_str_equal(code, gate_str_from(gate_guard_name(GATE_GUARD_COST_PER_SECOND))) &&
            !gate_str_equal(code, gate_str_from(gate_guard_name(GATE_GUARD_ESTIMATED_COST))))
            return &verdict->warnings[i];
    }
    return NULL;
}

static bool not_applied(struct gate_str why, struct gate_session *session, struct gate_error *err) {
    const struct gate_str parts[] = {GATE_STR("the acceptance is not applied: "), why};
    struct gate_str text = gate_str_concat(session->arena, parts, 2);
    if (text.ptr == NULL)
        return gate_arena_error(session->arena, err);
    gate_session_note(session, text);
    return true;
}

/*
 * If --accepted names the commit of --head and `verdict` is a fail, set verdict->accepted and its outcome to pass. Its
 * budgets and causes stay as they are. Not applied, with a note on standard error that says why: to another commit, to
 * an inconclusive verdict, and if a guard of severity error other than those of a higher cost forbids the comparison.
 */
static bool acceptance_apply(struct gate_verdict *verdict, const struct gate_acceptance_options *options,
                             struct gate_session *session, struct gate_error *err) {
    struct gate_acceptance acceptance = {0};
    if (options->accepted == NULL)
        return true;
    if (!acceptance_read(&acceptance, options->accepted, err))
        return false;
    if (!gate_str_equal(acceptance.commit, gate_str_from(options->head)))
        return not_applied(GATE_STR("it is for another commit than --head; accept this one again"), session, err);
    if (verdict->outcome == GATE_OUTCOME_INCONCLUSIVE)
        return not_applied(GATE_STR("only a fail can be accepted, and this verdict is inconclusive"), session, err);
    if (verdict->outcome != GATE_OUTCOME_FAIL)
        return true;
    const struct gate_warning *guard = forbidding(verdict);
    if (guard != NULL)
        return not_applied(
            gate_str_format(session->arena, "the sides are not comparable (%.*s)", GATE_STR_ARG(guard->code)), session,
            err);
    verdict->accepted = acceptance;
    verdict->outcome = GATE_OUTCOME_PASS;
    return true;
}

void gate_decision_begin(struct gate_decision *decision) {
    gate_profile_options_begin(&decision->profiles);
    gate_reports_begin(&decision->reports);
    decision->on_inconclusive = -1;
}

bool gate_decision_note(const struct gate_decision *decision, struct gate_file_roles *roles, struct gate_arena *arena,
                        struct gate_error *err) {
    return gate_file_roles_read(roles, "the rules", decision->rules == NULL ? GATE_RULEFILE_DEFAULT : decision->rules,
                                arena, err) &&
           gate_profile_options_note(&decision->profiles, NULL, roles, arena, err) &&
           gate_judge_options_note(&decision->judging, roles, arena, err);
}

bool gate_decision_deal(struct gate_decision *decision, struct gate_session *session, struct gate_error *err) {
    return gate_reports_folder_check(&decision->reports, err) &&
           gate_manifest_dir_expand(&decision->profiles, &decision->judging, session, err) &&
           gate_profile_options_deal(&decision->profiles, session->arena, err);
}

bool gate_decision_finish(struct gate_decision *decision, struct gate_file_roles *roles, struct gate_session *session,
                          struct gate_error *err) {
    decision->judging.draws_trees = gate_reports_draw_views(&decision->reports) &&
                                    decision->reports.options.min_share >= GATE_COMPARISON_TREE_SHARE;
    decision->judging.walks_stacks = gate_reports_walk_stacks(&decision->reports);
    return gate_judge_options_finish(&decision->judging, session->arena, err) && gate_file_roles_check(roles, err) &&
           gate_reports_note(&decision->reports, roles, session, err);
}

/* ---- rules and reports ------------------------------------------------------------------------------------------- */

/* With --rules-from: no file that steers the decision may be one that the change can edit. */
static bool decision_refuse_tracked(const struct gate_decision *decision, struct gate_arena *arena,
                                    struct gate_error *err) {
    const struct gate_rules_from *from = &decision->from;
    const struct gate_symbol_options *symbols = &decision->profiles.symbols;
    const struct gate_paths *history = &decision->judging.history;
    if (!gate_rules_from_refuse_tracked(from, "--work-file", decision->judging.work_file, arena, err))
        return false;
    for (uint32_t i = 0; i < history->count; i++)
        if (!gate_rules_from_refuse_tracked(from, "--history", history->items[i], arena, err))
            return false;
    for (uint32_t i = 0; i < symbols->paths.count; i++)
        if (!gate_rules_from_refuse_tracked(from, "--symbols", symbols->paths.items[i], arena, err))
            return false;
    return !symbols->asks_servers || symbols->cache == NULL ||
           gate_rules_from_refuse_tracked(from, "--debuginfod-cache", symbols->cache, arena, err);
}

bool gate_decision_load_rules(struct gate_rules *out, struct gate_decision *decision, struct gate_session *session,
                              struct gate_error *err) {
    if (!gate_rulefile_load_from(out, &decision->from, session, decision->rules, err))
        return false;
    decision->judging.from = &decision->from;
    if (!decision_refuse_tracked(decision, session->arena, err))
        return false;
    if (decision->on_inconclusive >= 0)
        out->on_inconclusive = (enum gate_on_inconclusive)decision->on_inconclusive;
    return true;
}

/* Notes budgets that need more runs than there are: they cannot fail, which their author may not expect. */
static void decision_tell_sustain(const struct gate_rules *rules, uint32_t known, struct gate_session *session) {
    const struct gate_budget *first = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        const struct gate_budget *budget = &rules->budgets[i];
        if (budget->severity != GATE_SEVERITY_ERROR || budget->sustain_n <= known)
            continue;
        first = count++ == 0 ? budget : first;
    }
    if (first == NULL)
        return;
    struct gate_buf text = {0};
    gate_buf_printf(&text, "budget '%.*s'", GATE_STR_ARG(first->name));
    if (count > 1)
        gate_buf_printf(&text, " and %u more", (unsigned)count - 1);
    gate_buf_printf(&text, " %s to fail only when %u of %u runs agree, and %u %s known", count > 1 ? "ask" : "asks",
                    (unsigned)first->sustain_k, (unsigned)first->sustain_n, (unsigned)known, known == 1 ? "is" : "are");
    if (known < first->sustain_k)
        gate_buf_text(&text, ", so it can only warn");
    gate_buf_text(&text, "; --history names earlier canaries");
    gate_session_note(session, gate_buf_view(&text));
    gate_buf_free(&text);
}

bool gate_decision_note_edits(const struct gate_decision *decision, struct gate_session *session,
                              struct gate_error *err) {
    struct gate_str sentence = gate_rules_from_sentence(&decision->from, session->arena);
    if (sentence.ptr == NULL)
        return gate_arena_error(session->arena, err);
    if (sentence.len > 0)
        gate_session_note(session, sentence);
    return true;
}

bool gate_decision_report(const struct gate_decision *decision, const struct gate_rules *rules,
                          const struct gate_verdict *verdict, struct gate_session *session, struct gate_error *err) {
    struct gate_verdict accepted = *verdict;
    if (!acceptance_apply(&accepted, &decision->acceptance, session, err) ||
        !gate_reports_write(&decision->reports, &accepted, session, err))
        return false;
    if (decision->reports.options.quiet && !gate_decision_note_edits(decision, session, err))
        return false;
    decision_tell_sustain(rules, decision->judging.history.count + 1, session);
    session->status = gate_exit_code_of(accepted.outcome);
    gate_github_output_count(&session->told, &accepted);
    session->told.report = decision->reports.folder;
    return true;
}
