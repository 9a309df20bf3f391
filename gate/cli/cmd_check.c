/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate check`: load both sides, compare, judge by the rules, report. The command that everything is for. */
#include "gate/cli/backend_inputs.h"
#include "gate/cli/command.h"
#include "gate/cli/decision.h"
#include "gate/cli/ledger_file.h"
#include "gate/cli/names_from.h"
#include "gate/cli/no_baseline.h"
#include "gate/cli/progress.h"
#include "gate/cli/sealing.h"

/* A command line of check, parsed. */
struct check {
    struct gate_decision decision;
    struct gate_ledger_options ledger;
    struct gate_accepted accepted;
    struct gate_capture_options asking;
};

#define AT(field) offsetof(struct check, field)

static const struct gate_option_binding options[] = {
    {&gate_decision_rules, AT(decision)},
    {&gate_rules_from_options, AT(decision.from)},
    {&gate_profile_options_sides, AT(decision.profiles)},
    {&gate_profile_options_pair, AT(decision.profiles)},
    {&gate_judge_options_work, AT(decision.judging)},
    {&gate_judge_options_noise, AT(decision.judging)},
    {&gate_judge_options_history, AT(decision.judging)},
    {&gate_decision_inconclusive, AT(decision)},
    {&gate_ledger_file_options, AT(ledger)},
    {&gate_accepted_group, AT(accepted)},
    {&gate_store_options_place, AT(accepted.where)},
    {&gate_store_options_change, AT(accepted.where)},
    {&gate_reports_files, AT(decision.reports)},
    {&gate_reports_details, AT(decision.reports)},
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
                            "`pprofgate capture` wrote: its manifest.json says which run is of which side.\n"
                            "A side may also be the address of a store, such as\n"
                            "pyroscope+https://HOST?query={...}&from=-1h&runs=6: six slices, each a run.\n"
                            "\n"
                            "Options:\n";

static const char tail[] = "\nExit status: 0 pass, 1 a failing budget is broken, 2 usage, configuration or\n"
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
    gate_decision_begin(&check->decision);
    gate_capture_options_begin(&check->asking);
}

static bool check_judge(struct check *check, struct gate_ledger_file *ledger, struct gate_rules *rules,
                        struct gate_cli *cli, struct gate_error *err) {
    struct gate_decision *decision = &check->decision;
    struct gate_verdict verdict = {0};
    gate_progress_stage(cli->progress, "reading profiles");
    bool ok = gate_ledger_file_open(ledger, &check->ledger, rules, &decision->profiles, &decision->judging, cli, err) &&
              gate_reports_look_ahead(&decision->reports, &decision->judging.errand, cli, err) &&
              gate_judge_reach(&verdict, cli, &decision->profiles, rules, &decision->judging, err) &&
              gate_ledger_file_apply(ledger, &verdict, cli->arena, err) &&
              gate_ledger_file_save(ledger, &verdict, cli->arena, err) && /* who reads a report has looked */
              gate_decision_report(decision, rules, &verdict, cli, err);
    gate_reports_look_end(&decision->reports, cli->arena);
    return ok;
}

/* From here on it is files, what servers know of names, and what git has of noise models. */
static bool check_narrow(const struct check *check, struct gate_cli *cli) {
    const struct gate_decision *decision = &check->decision;
    gate_sealing_narrow(cli, gate_symbol_options_needs(&decision->profiles.symbols) |
                                 (decision->judging.noise.count == 0 ? 0 : gate_rules_from_needs(&decision->from)));
    return true;
}

/* The rest of a check whose sides are known. */
static bool check_decide(struct check *check, struct gate_rules *rules, struct gate_file_roles *roles,
                         struct gate_cli *cli, struct gate_error *err) {
    struct gate_decision *decision = &check->decision;
    struct gate_ledger_file ledger = {0};
    bool ok = gate_decision_deal(decision, cli, err) && gate_decision_finish(decision, roles, cli, err) &&
              gate_decision_command(decision, NULL, NULL, cli, err) &&
              gate_decision_load_rules(rules, decision, cli, err) &&
              gate_names_from_open(&decision->profiles.symbols, cli, err) && check_narrow(check, cli) &&
              check_judge(check, &ledger, rules, cli, err);
    gate_ledger_file_close(&ledger);
    return ok;
}

/* The end of one that has nothing to compare with: what cannot say so is removed, as it would be of an earlier run. */
static bool check_without(struct check *check, struct gate_rules *rules, struct gate_file_roles *roles,
                          struct gate_cli *cli, struct gate_error *err) {
    const struct gate_reports *reports = &check->decision.reports;
    struct gate_nothing_compared nothing;
    if (!gate_file_roles_check(roles, err) || !gate_reports_note(reports, roles, cli, err) ||
        !gate_decision_load_rules(rules, &check->decision, cli, err) ||
        !gate_no_baseline_end(&nothing, &check->accepted, rules, &check->decision.profiles.limits, cli, err))
        return false;
    gate_reports_remove(reports, roles, cli);
    cli->told.report = reports->folder;
    return gate_reports_write_nothing(reports, &nothing, cli, err);
}

static bool check_run(void *wanted, struct gate_cli *cli, struct gate_error *err) {
    struct check *check = wanted;
    struct gate_decision *decision = &check->decision;
    struct gate_rules rules = {0};
    struct gate_file_roles roles = {0};
    bool ok =
        gate_backend_inputs_sides(&decision->profiles, check->accepted.where.store != NULL, &check->asking, cli, err) &&
        gate_accepted_find(&check->accepted, &decision->profiles, &decision->judging, cli, err);
    if (!gate_decision_note(decision, &roles, cli->arena, err) ||
        !gate_file_roles_read(&roles, "the ledger", check->ledger.path, cli->arena, err))
        return false; /* and what may be removed is not known; the store closes with the process */
    if (ok && check->accepted.is_missing)
        ok = check_without(check, &rules, &roles, cli, err);
    else
        ok = ok && check_decide(check, &rules, &roles, cli, err);
    if (!ok)
        gate_reports_remove(&decision->reports, &roles, cli);
    gate_accepted_close(&check->accepted);
    gate_rules_free(&rules);
    return ok;
}

static unsigned check_needs(const void *wanted) {
    const struct check *check = wanted;
    const struct gate_profile_options *profiles = &check->decision.profiles;
    const struct gate_paths lists[] = {profiles->arguments, profiles->paths[GATE_BASELINE],
                                       profiles->paths[GATE_CANARY]};
    return gate_backend_inputs_needs(lists, sizeof lists / sizeof *lists) |
           gate_symbol_options_needs(&profiles->symbols) | gate_rules_from_needs(&check->decision.from) |
           (check->accepted.where.store == NULL ? 0 : GATE_NEEDS_PROGRAMS); /* git tells which revision fits */
}

const struct gate_command gate_command_check = {
    .name = "check",
    .summary = "compare canary and baseline and decide: pass, fail or inconclusive",
    .usage = usage,
    .tail = tail,
    .examples = examples,
    .decides = true,
    .options = options,
    .size = sizeof(struct check),
    .arguments = AT(decision.profiles.arguments),
    .begin = check_begin,
    .needs = check_needs,
    .run = check_run,
};
