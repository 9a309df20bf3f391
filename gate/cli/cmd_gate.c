/* SPDX-License-Identifier: Apache-2.0 */
/* The command `gate`: captures rounds from live endpoints and judges after each, until there is a decision. */
#include "gate/base/system.h"
#include "gate/capture/capture.h"
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/cli/options.h"
#include "gate/cli/signals.h"
#include "gate/session/capture_options.h"
#include "gate/session/debuginfod.h"
#include "gate/session/gate_loop.h"
#include "gate/session/session.h"

#include <math.h>

/* Options of `gate`. */
struct gate {
    struct gate_decision decision;
    struct gate_capture_options capture;
    double max_seconds;
    const char *output;
    bool is_refused; /* the folder is decided, or was judged by other rules: the reports on it stay */
};

/* Time of a round besides its profiles: connections, responses, judging. */
static const double ROUND_OVERHEAD_S = 2.0;

/* How much later than planned a round may end. */
static const double LATE_S = 5.0;

/* Time of a profile that is a snapshot, such as a heap profile. */
static const double MOMENT_S = 1.0;

/* Wait after a slice of a profile store: agents upload every 10 to 15 s. */
static const double SETTLE_S = 20.0;

#define AT(field) .at = offsetof(struct gate, field)

static const struct gate_option gate_rows[] = {
    {"output", 'o', "DIR",
     "the output folder, with manifest.json; an unfinished folder is resumed, a decided one keeps its verdict; "
     "required",
     gate_option_value_text, AT(output), .output = GATE_OPTION_FOLDER},
    {"max-time", 't', "TIME", "maximum time for all rounds, such as 90s or 10m (default 5m)",
     gate_option_value_duration, AT(max_seconds)},
    {0},
};

static const struct gate_option_group gate_group = {.rows = gate_rows};

static const struct gate_option_binding options[] = {
    {&gate_group, 0},
    {&gate_capture_options_what, AT(capture)},
    {&gate_decision_rules, AT(decision)},
    {&gate_rules_from_options, AT(decision.from)},
    {&gate_judge_options_equal, AT(decision.judging)},
    {&gate_judge_options_noise, AT(decision.judging)},
    {&gate_decision_inconclusive, AT(decision)},
    {&gate_acceptance_group, AT(decision.acceptance)},
    {&gate_reports_files, AT(decision.reports)},
    {&gate_reports_details, AT(decision.reports)},
    {&gate_reports_more_files, AT(decision.reports)},
    {&gate_backend_windows_coming, AT(capture.windows)},
    {&gate_backend_windows_work, AT(capture.windows)},
    {&gate_capture_options_how, AT(capture)},
    {&gate_profile_options_by, AT(decision.profiles)},
    {&gate_profile_options_read, AT(decision.profiles)},
    {&gate_symbol_options_group, AT(decision.profiles.symbols)},
    {&gate_profile_options_limits, AT(decision.profiles)},
    {NULL, 0},
};

/* Options that concern capturing only; the command line that repeats the decision leaves them out. */
static const struct gate_option_group *const taking_groups[] = {&gate_group,
                                                                &gate_capture_options_what,
                                                                &gate_backend_windows_coming,
                                                                &gate_backend_windows_work,
                                                                &gate_capture_options_how,
                                                                NULL};

static const struct gate_decision_without taking = {taking_groups, NULL};

static const char usage[] = "Usage: pprofgate gate [options] --baseline URL --canary URL -o DIR\n"
                            "\n"
                            "Captures profiles of both sides at the same time, in rounds, and judges after each\n"
                            "round until the verdict is decided or the time is over. Judging several times does\n"
                            "not raise the rate of false fails. From a profile store, such as\n"
                            "pyroscope+https://HOST?query={...}, it reads profiles from now on.\n"
                            "\n"
                            "Options:\n";

static const char tail[] = "\nExit status: 0 pass, 1 fail: a budget is broken, 2 usage, configuration, network\n"
                           "or input error, 3 inconclusive when the time was over. What was taken stays in DIR;\n"
                           "`pprofgate check DIR` judges it again.\n";

static const struct gate_example examples[] = {
    {"CPU profiles of both sides until it is decided, ten minutes at most",
     "pprofgate gate --baseline http://10.0.0.1:6060 --canary http://10.0.0.2:6060 -t 10m -o profiles"},
    {"CPU and heap, with the requests that were served",
     "pprofgate gate --baseline http://10.0.0.1:6060 --canary http://10.0.0.2:6060 -k cpu,heap "
     "--work-metric http_requests_total -o profiles"},
    {"what a store gets of both versions from now on, in slices of two minutes, half an hour at most",
     "pprofgate gate --baseline 'pyroscope+http://pyroscope:4040?query={service_name=\"shop\",version=\"1.4\"}' "
     "--canary 'pyroscope+http://pyroscope:4040?query={service_name=\"shop\",version=\"1.5\"}' --seconds 120 -t 30m "
     "-o profiles"},
    {NULL, NULL}};

static void gate_begin(void *wanted) {
    struct gate *gate = wanted;
    gate->capture.limits = &gate->decision.profiles.limits;
    gate->capture.resumes_judged = true;
    gate->capture.leaves_out_empty = true;
    gate->capture.windows.settle_seconds = SETTLE_S;
    gate->max_seconds = 300;
}

static bool output_check(const struct gate *gate, struct gate_error *err) {
    if (gate->decision.profiles.arguments.count > 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "unexpected argument: addresses are given with --baseline URL and --canary URL; profiles "
                              "that were taken already are compared by 'pprofgate check'");
    if (gate->output == NULL)
        return gate_error_set(err, GATE_ERR_USAGE, "no folder is named; add --output DIR, such as -o profiles");
    return true;
}

/* Refuses a folder whose rounds `gate` did not capture: it is unknown whether they were judged before. */
static bool folder_check(const struct gate *gate, struct gate_arena *arena, struct gate_error *err) {
    struct gate_manifest manifest;
    if (!gate_manifest_file_exists(gate->output, arena))
        return true;
    if (!gate_manifest_file_read(&manifest, gate->output, arena, err))
        return false;
    return manifest.count == 0 || manifest.looks.planned > 0 ||
           gate_error_set(err, GATE_ERR_USAGE,
                          "option '--output': '%s' has profiles that no gate took, which check judges; name another "
                          "folder",
                          gate->output);
}

/* Return the pause between rounds that take snapshots only: the duration of other profiles. In less time, little is
 * allocated, and no leak shows. */
static double pause(const struct gate_capture_plan *plan) {
    for (uint32_t i = 0; i < plan->kind_count; i++)
        if (gate_capture_kind_row(plan->kinds[i])->takes_time)
            return 0.0;
    return plan->slices > 0 ? 0.0 : plan->seconds;
}

/* Sets the number of rounds that fit into the time limit. For profile stores (`plan` is NULL), a round takes --seconds,
 * and the last one is queried settle_seconds later. */
static bool plan_rounds(uint32_t *planned, const struct gate *gate, const struct gate_capture_plan *plan,
                        struct gate_error *err) {
    double round = ROUND_OVERHEAD_S, time = gate->max_seconds - gate->capture.warm_up_seconds;
    for (uint32_t i = 0; plan != NULL && i < plan->kind_count; i++)
        round += gate_capture_kind_row(plan->kinds[i])->takes_time ? plan->seconds : MOMENT_S;
    round += plan == NULL ? 0.0 : plan->pause_seconds;
    if (plan == NULL) {
        round = gate->capture.seconds;
        time -= gate->capture.windows.settle_seconds;
    }
    double rounds = floor(time / round);
    if (!(rounds >= 1))
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "option '--max-time': a round takes about %.0f s, which does not fit in %.0f s; give more "
            "time, or take shorter profiles with --seconds",
            round, time);
    *planned = rounds < GATE_SPENDING_LOOKS_MAX ? (uint32_t)rounds : GATE_SPENDING_LOOKS_MAX;
    return true;
}

static bool take(void *context, uint32_t round, struct gate_error *err) {
    (void)round; /* the folder's manifest counts the rounds */
    return gate_capture_round(context, err);
}

/* Returns the time (CLOCK_MONOTONIC, in s) after which waiting ends. A round that began in time may end a little
 * late. */
static double gate_deadline(double seconds) {
    return gate_clock_s(CLOCK_MONOTONIC) + seconds + LATE_S;
}

static bool run_rounds(struct gate *gate, const struct gate_capture_plan *plan, struct gate_rules *rules,
                       const struct gate_file_roles *roles, struct gate_session *session, struct gate_error *err) {
    struct gate_capture capture;
    struct gate_verdict verdict = {0};
    struct gate_rounds rounds = {.dir = gate->output,
                                 .manifest = &capture.manifest,
                                 .planned_by = "--max-time",
                                 .is_resumable = true,
                                 .max_seconds = gate->max_seconds - plan->warm_up_seconds,
                                 .take = take,
                                 .context = &capture,
                                 .kinds = plan->kinds,
                                 .kind_count = plan->kind_count,
                                 .roles = roles,
                                 .is_refused = &gate->is_refused,
                                 .is_over = &capture.is_over,
                                 .is_other_build = &capture.is_other_build,
                                 .is_empty = &capture.is_empty};
    if (plan->slices > 0) { /* the number of slices is fixed, and each has its time */
        rounds.planned = plan->slices;
        rounds.max_seconds = 0;
        rounds.is_empty = NULL; /* capture itself leaves out slices, and counts them */
    } else if (!plan_rounds(&rounds.planned, gate, plan, err)) {
        return false;
    }
    bool ok = gate_capture_begin(&capture, plan, session->arena, err);
    capture.deadline = gate_deadline(gate->max_seconds - plan->warm_up_seconds);
    struct gate_signals signals;
    gate_signals_begin(&signals, session, gate->output, &capture.manifest);
    ok = ok && gate_rounds_run(&verdict, &rounds, &gate->decision, rules, session, err);
    gate_signals_end(&signals);
    gate_capture_end(&capture);
    return ok && gate_decision_report(&gate->decision, rules, &verdict, session, err);
}

static bool is_of_stores(const struct gate *gate) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < gate->capture.urls[side].count; i++)
            if (gate_backend_address_is(gate_str_from(gate->capture.urls[side].items[i])))
                return true;
    return false;
}

/* Returns when the first slice of a folder began, from any of its runs; 0 if it has none. */
static int64_t folder_begin_ms(const struct gate_manifest *manifest) {
    for (uint32_t i = 0; i < manifest->count; i++) {
        const struct gate_manifest_run *run = &manifest->runs[i];
        if (run->side == GATE_CANARY && run->round > 0)
            return run->start_ms - (int64_t)(run->round - 1) * (run->end_ms - run->start_ms);
    }
    return 0;
}

/* For profile stores, sets the slices: each is --seconds long, from now on, or from the begin of the folder's first
 * slice. */
static bool stores_plan(struct gate *gate, struct gate_arena *arena, struct gate_error *err) {
    struct gate_backend_windows *windows = &gate->capture.windows;
    struct gate_manifest manifest = {0};
    if (!is_of_stores(gate))
        return true;
    if (gate->capture.warm_up_seconds > 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--warm-up': a store has what programs did; begin when they are warm");
    if (gate_manifest_file_exists(gate->output, arena) && !gate_manifest_file_read(&manifest, gate->output, arena, err))
        return false;
    windows->coming_ms = (int64_t)gate->capture.seconds * 1000;
    windows->begin_ms = folder_begin_ms(&manifest);
    windows->coming = manifest.looks.planned;
    return windows->coming > 0 || plan_rounds(&windows->coming, gate, NULL, err);
}

/* Checks everything before the first request. */
static bool prepare(struct gate *gate, struct gate_capture_plan *plan, struct gate_rules *rules,
                    struct gate_file_roles *roles, struct gate_session *session, struct gate_error *err) {
    return gate_debuginfod_open(&gate->decision.profiles.symbols, session, err) && output_check(gate, err) &&
           gate_acceptance_check(&gate->decision.acceptance, err) && folder_check(gate, session->arena, err) &&
           stores_plan(gate, session->arena, err) &&
           gate_capture_options_finish(plan, &gate->capture, gate->output, session, err) &&
           gate_decision_finish(&gate->decision, roles, session, err) &&
           gate_decision_command(&gate->decision, gate->output, &taking, session, err) &&
           gate_decision_load_rules(rules, &gate->decision, session, err);
}

static bool run_command(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct gate *gate = wanted;
    struct gate_rules rules = {0};
    struct gate_file_roles roles = {0};
    struct gate_capture_plan plan = {0};
    if (!gate_decision_note(&gate->decision, &roles, session->arena, err) ||
        !gate_capture_options_note(&gate->capture, &roles, session->arena, err) ||
        !gate_file_roles_read_folder(&roles, gate->output, session->arena, err))
        return false; /* the files to remove are not known */
    bool ok = prepare(gate, &plan, &rules, &roles, session, err);
    if (ok && gate->decision.judging.noise.count == 0) /* git is needed for rules and noise models only */
        gate_sandboxing_narrow(session, GATE_NEEDS_NETWORK);
    plan.pause_seconds = pause(&plan);
    ok = ok && run_rounds(gate, &plan, &rules, &roles, session, err);
    if (!ok && !gate->is_refused) /* the existing reports contain the verdict on a decided folder */
        gate_reports_remove_failed(&gate->decision.reports, &roles, session, err);
    gate_capture_options_end(&plan);
    gate_rules_free(&rules);
    return ok;
}

const struct gate_command gate_command_gate = {
    .name = "gate",
    .needs_processes = true,
    .summary = "take profiles of both sides from live endpoints until it is decided",
    .usage = usage,
    .tail = tail,
    .examples = examples,
    .takes = GATE_TAKES_NOTHING,
    .decides = true,
    .writes = true,
    .options = options,
    .size = sizeof(struct gate),
    .arguments = offsetof(struct gate, decision.profiles.arguments),
    .begin = gate_begin,
    .run = run_command,
};
