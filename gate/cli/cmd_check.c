/* SPDX-License-Identifier: Apache-2.0 */
/* The command `check`: compares a canary with a baseline and decides. */
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/session/accept_runs.h"
#include "gate/session/capture_options.h"
#include "gate/session/debuginfod.h"
#include "gate/session/ledger.h"
#include "gate/session/reports.h"
#include "gate/session/session.h"

/* Options of `check`. */
struct check {
    struct gate_decision decision;
    struct gate_ledger_options ledger;
    struct gate_stored_baseline accepted;
    struct gate_capture_options asking;
};

#define AT(field) .at = offsetof(struct check, field)

static const struct gate_option_binding options[] = {
    {&gate_decision_rules, AT(decision)},
    {&gate_rules_from_options, AT(decision.from)},
    {&gate_profile_options_sides, AT(decision.profiles)},
    {&gate_profile_options_pair, AT(decision.profiles)},
    {&gate_judge_options_equal, AT(decision.judging)},
    {&gate_judge_options_work, AT(decision.judging)},
    {&gate_judge_options_noise, AT(decision.judging)},
    {&gate_judge_options_history, AT(decision.judging)},
    {&gate_decision_inconclusive, AT(decision)},
    {&gate_acceptance_group, AT(decision.acceptance)},
    {&gate_ledger_file_options, AT(ledger)},
    {&gate_stored_baseline_group, AT(accepted)},
    {&gate_store_options_place, AT(accepted.where)},
    {&gate_store_options_change, AT(accepted.where)},
    {&gate_store_options_reading, AT(accepted.where)},
    {&gate_reports_files, AT(decision.reports)},
    {&gate_reports_details, AT(decision.reports)},
    {&gate_reports_more_files, AT(decision.reports)},
    {&gate_profile_options_by, AT(decision.profiles)},
    {&gate_profile_options_read, AT(decision.profiles)},
    {&gate_symbol_options_group, AT(decision.profiles.symbols)},
    {&gate_profile_options_limits, AT(decision.profiles)},
    {&gate_capture_options_stores, AT(asking)},
    {NULL, 0},
};

static const char usage[] = "Usage: pprofgate check [options] BASELINE CANARY\n"
                            "       pprofgate check [options] DIR\n"
                            "       pprofgate check [options] --store DIR --service NAME CANARY...\n"
                            "\n"
                            "Compares a canary with a baseline and decides by the budgets of a rules file.\n"
                            "Growth means more in the canary. A side is a file, - for standard input, or a\n"
                            "directory: every profile in it is one run of that side. DIR is what\n"
                            "`pprofgate capture` wrote: its manifest.json records the side of each run.\n"
                            "A side may also be the address of a store, such as\n"
                            "pyroscope+https://HOST?query={...}&from=-1h&runs=6: six slices, each a run.\n"
                            "\n"
                            "Options:\n";

static const char tail[] = "\nExit status: 0 pass, 1 fail: a budget is broken, 2 usage, configuration or\n"
                           "input error, 3 inconclusive. With 2, reports of an earlier run are removed.\n";

static const struct gate_example examples[] = {
    {"one profile of each side", "pprofgate check baseline.pb.gz canary.pb.gz"},
    {"several runs of each, and every usual report",
     "pprofgate check --report out/pprofgate --baseline base-*.pb.gz --canary canary-*.pb.gz"},
    {"what capture took, by rules of your own", "pprofgate check -r rules.yml profiles/"},
    {"against what was accepted", "pprofgate check --store baselines --service shop --accept-first canary.pb.gz"},
    {NULL, NULL}};

static void check_begin(void *wanted) {
    struct check *check = wanted;
    check->asking.limits = &check->decision.profiles.limits;
}

/* Finish the search of gate_reports_look_ahead. Its errors are ignored. */
static void look_end(const struct gate_reports *reports, struct gate_arena *arena) {
    struct gate_error unused = {0};
    (void)(reports->checkout == NULL || gate_checkout_end(reports->checkout, arena, &unused));
}

static bool check_judge(struct check *check, struct gate_rules *rules, struct gate_session *session,
                        struct gate_error *err) {
    struct gate_decision *decision = &check->decision;
    struct gate_verdict verdict = {0};
    gate_progress_stage(session->progress, "reading profiles");
    bool ok =
        gate_reports_look_ahead(&decision->reports, &decision->judging.task, session, err) &&
        gate_ledger_judge(&verdict, &check->ledger, rules, &decision->profiles, &decision->judging, session, err) &&
        gate_decision_report(decision, rules, &verdict, session, err);
    look_end(&decision->reports, session->arena);
    return ok;
}

/* Narrows the sandbox: from here on only files, debuginfod servers, and git for noise models are needed. */
static bool check_narrow(const struct check *check, struct gate_session *session) {
    const struct gate_decision *decision = &check->decision;
    gate_sandboxing_narrow(session,
                           gate_symbol_options_needs(&decision->profiles.symbols) |
                               (decision->judging.noise.count == 0 ? 0 : gate_rules_from_needs(&decision->from)));
    return true;
}

/* Notes that `gate` judged a captured folder by other rules than this check does. */
static bool check_note_rules(const struct gate_decision *decision, const struct gate_rules *rules,
                             struct gate_session *session, struct gate_error *err) {
    const struct gate_judge_options *judging = &decision->judging;
    struct gate_str digest;
    if (judging->judged_by.len == 0)
        return true;
    if (!gate_judge_digest(&digest, rules, &decision->profiles, judging, session, err))
        return false;
    if (!gate_str_equal(digest, judging->judged_by))
        gate_session_note(session,
                          GATE_STR("these profiles were judged by other rules or options while they were taken, "
                                   "and this verdict is not that of the gate"));
    return true;
}

/* Runs the check after both sides are known. */
static bool check_decide(struct check *check, struct gate_rules *rules, struct gate_file_roles *roles,
                         struct gate_session *session, struct gate_error *err) {
    struct gate_decision *decision = &check->decision;
    return gate_decision_deal(decision, session, err) && gate_decision_finish(decision, roles, session, err) &&
           gate_decision_command(decision, NULL, NULL, session, err) &&
           gate_decision_load_rules(rules, decision, session, err) && check_note_rules(decision, rules, session, err) &&
           gate_rules_from_refuse_tracked(&decision->from, "--ledger", check->ledger.path, session->arena, err) &&
           gate_debuginfod_open(&decision->profiles.symbols, session, err) && check_narrow(check, session) &&
           check_judge(check, rules, session, err);
}

/* Ends a check without a baseline. Reports in formats that cannot express this are removed, because they belong to an
 * earlier run. */
static bool check_without(struct check *check, struct gate_rules *rules, struct gate_file_roles *roles,
                          struct gate_session *session, struct gate_error *err) {
    const struct gate_reports *reports = &check->decision.reports;
    struct gate_nothing_compared nothing;
    struct gate_work work;
    const uint32_t files = check->accepted.canary.count, kinds = check->accepted.kind_count;
    if (!gate_file_roles_check(roles, err) || !gate_reports_note(reports, roles, session, err) ||
        !gate_decision_load_rules(rules, &check->decision, session, err) ||
        !gate_decision_note_edits(&check->decision, session, err) ||
        !gate_judge_options_canary_work(&work, &check->decision.judging, files, (double)files / kinds, session, err) ||
        !gate_no_baseline_end(&nothing, &check->accepted, &work, rules, &check->decision.profiles.limits, session, err))
        return false;
    gate_reports_remove(reports, roles, session);
    session->github_outputs.report = reports->folder;
    return gate_reports_write_nothing(reports, &nothing, session, err);
}

static bool check_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct check *check = wanted;
    struct gate_decision *decision = &check->decision;
    struct gate_rules rules = {0};
    struct gate_file_roles roles = {0};
    check->accepted.rules_from = decision->from.revision;
    bool ok = gate_acceptance_check(&decision->acceptance, err) &&
              gate_backend_inputs_sides(&decision->profiles, check->accepted.where.store != NULL, &check->asking,
                                        session, err) &&
              gate_stored_baseline_find(&check->accepted, &decision->profiles, &decision->judging, session, err);
    if (!gate_decision_note(decision, &roles, session->arena, err) ||
        !gate_file_roles_read(&roles, "the ledger", check->ledger.path, session->arena, err) ||
        !gate_capture_options_note(&check->asking, &roles, session->arena, err))
        return false; /* the files to remove are not known; the store closes with the process */
    if (ok && check->accepted.is_missing)
        ok = check_without(check, &rules, &roles, session, err);
    else
        ok = ok && check_decide(check, &rules, &roles, session, err);
    if (!ok)
        gate_reports_remove_failed(&decision->reports, &roles, session, err);
    gate_stored_baseline_close(&check->accepted);
    gate_rules_free(&rules);
    return ok;
}

static unsigned check_needs(const void *wanted) {
    const struct check *check = wanted;
    const struct gate_profile_options *profiles = &check->decision.profiles;
    const struct gate_paths lists[] = {profiles->arguments, profiles->paths[GATE_BASELINE],
                                       profiles->paths[GATE_CANARY]};
    return gate_backend_inputs_needs(lists, sizeof lists / sizeof *lists);
}

const struct gate_command gate_command_check = {
    .name = "check",
    .summary = "compare canary and baseline and decide: pass, fail or inconclusive",
    .usage = usage,
    .tail = tail,
    .examples = examples,
    .decides = true,
    .writes = true,
    .options = options,
    .size = sizeof(struct check),
    .arguments = offsetof(struct check, decision.profiles.arguments),
    .begin = check_begin,
    .needs = check_needs,
    .run = check_run,
};
