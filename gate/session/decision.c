/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands that end in a verdict have in common: options, rules, reports. */
#include "gate/session/decision.h"

#include "gate/base/escape.h"
#include "gate/budget/outcome.h"
#include "gate/session/judge.h"
#include "gate/session/manifest_dir.h"
#include "gate/session/reports.h"
#include "gate/session/rules_in_force.h"

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
    if (!gate_acceptance_apply(&accepted, &decision->acceptance, session, err) ||
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
