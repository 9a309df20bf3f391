/* SPDX-License-Identifier: Apache-2.0 */
/* The command `capture`: takes profiles of both sides from live endpoints or profile stores. */
#include "gate/capture/capture.h"
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/cli/options.h"
#include "gate/cli/signals.h"
#include "gate/session/capture_options.h"
#include "gate/session/profile_options.h"
#include "gate/session/session.h"

/* Options of `capture`. */
struct capture {
    struct gate_capture_options options;
    struct gate_profile_options profiles; /* only the limits of a profile */
    uint32_t runs;
    const char *output;
    struct gate_paths arguments;
};

#define AT(field) .at = offsetof(struct capture, field)

static const struct gate_option runs_rows[] = {
    {"output", 'o', "DIR",
     "the output folder, with manifest.json; an unfinished folder of the same addresses is resumed; required",
     gate_option_value_text, AT(output), .output = GATE_OPTION_FOLDER},
    {"runs", 'n', "N",
     "rounds in the folder in the end, each of all addresses and kinds; of stores, slices of the window (default 3)",
     gate_option_value_count32, AT(runs)},
    {0},
};

static const struct gate_option_group runs_group = {.rows = runs_rows};

static const struct gate_option_binding options[] = {
    {&runs_group, 0},
    {&gate_capture_options_what, AT(options)},
    {&gate_backend_windows_options, AT(options.windows)},
    {&gate_backend_windows_work, AT(options.windows)},
    {&gate_capture_options_how, AT(options)},
    {&gate_profile_options_limits, AT(profiles)},
    {NULL, 0},
};

static const char usage[] = "Usage: pprofgate capture [options] --baseline URL --canary URL -o DIR\n"
                            "\n"
                            "Captures profiles from live endpoints, of both sides at the same time and in\n"
                            "rounds, so that host and traffic affect both alike. `pprofgate check DIR` compares\n"
                            "them.\n"
                            "\n"
                            "Options:\n";

static const struct gate_example examples[] = {
    {"three rounds of both sides",
     "pprofgate capture --baseline http://10.0.0.1:6060 --canary http://10.0.0.2:6060 -o profiles"},
    {"heaps, with a token, five rounds", "pprofgate capture --baseline https://a.example --canary https://b.example -k "
                                         "heap -n 5 --token-env TOKEN -o heaps"},
    {NULL, NULL}};

static const char tail[] = "\n"
                           "Exit status: 0 all profiles were captured, 2 some failed: the others stay in DIR,\n"
                           "and the same command resumes. No token or password is shown or stored.\n";

static void capture_begin(void *wanted) {
    struct capture *capture = wanted;
    capture->options.limits = &capture->profiles.limits;
    capture->runs = 3;
}

static bool capture_finish(const struct capture *capture, struct gate_error *err) {
    if (capture->arguments.count > 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "unexpected argument: addresses are given with --baseline URL and --canary URL");
    return capture->output != NULL ||
           gate_error_set(err, GATE_ERR_USAGE, "no folder is named; add --output DIR, such as -o profiles");
}

/* After a failure, notes what was captured and how to resume. For a relative window, prints its absolute times. */
static void note_rest(const struct gate_capture *taken, struct gate_session *session) {
    const struct gate_capture_plan *plan = taken->plan;
    uint32_t count = taken->manifest.count, whole = gate_capture_whole_rounds(taken);
    struct gate_buf text = {0};
    if (count == 0)
        return;
    gate_buf_printf(&text, "%s: %u run%s %s there and stay%s, in %u complete round%s%s", plan->dir, (unsigned)count,
                    count == 1 ? "" : "s", count == 1 ? "is" : "are", count == 1 ? "s" : "", (unsigned)whole,
                    whole == 1 ? "" : "s", taken->is_other_build ? "" : "; the same command resumes");
    if (plan->slices > 0) {
        const struct gate_window *window = &plan->sources[plan->source_count - 1].window; /* the canary's */
        struct gate_str from = gate_window_show(window->from_ms, session->arena);
        struct gate_str to = gate_window_show(window->to_ms, session->arena);
        gate_buf_printf(&text, ", of the same window: --from %.*s --to %.*s", GATE_STR_ARG(from), GATE_STR_ARG(to));
    }
    gate_session_note(session, gate_buf_view(&text));
    gate_buf_free(&text);
}

/* Returns the number of requested rounds that the folder lacks. */
static uint32_t rounds_missing(const struct gate_capture *taken, uint32_t runs) {
    uint32_t whole = gate_capture_whole_rounds(taken);
    return taken->plan->slices > 0 ? gate_capture_rounds_left(taken) : runs > whole ? runs - whole : 0;
}

static void note_complete(const struct gate_capture_plan *plan, uint32_t whole, struct gate_session *session) {
    struct gate_buf text = {0};
    gate_buf_printf(&text, "%s has %u complete round%s already, and nothing was taken; ", plan->dir, (unsigned)whole,
                    whole == 1 ? "" : "s");
    gate_buf_text(&text, plan->slices > 0 ? "name another folder for another window"
                                          : "for more, raise --runs; for another canary, name another folder");
    gate_session_note(session, gate_buf_view(&text));
    gate_buf_free(&text);
}

static bool capture_take(const struct gate_capture_plan *plan, uint32_t runs, struct gate_session *session,
                         struct gate_error *err) {
    struct gate_capture taken;
    struct gate_buf out = {0};
    bool ok = true;
    gate_progress_stage(session->progress, "taking profiles");
    if (!gate_capture_begin(&taken, plan, session->arena, err))
        return false;
    struct gate_signals signals;
    gate_signals_begin(&signals, session, plan->dir, &taken.manifest);
    const uint32_t left = rounds_missing(&taken, runs);
    if (left == 0)
        note_complete(plan, gate_capture_whole_rounds(&taken), session);
    for (uint32_t i = 0; i < left && ok; i++)
        ok = gate_capture_round(&taken, err);
    gate_signals_end(&signals);
    gate_capture_end(&taken);
    if (!ok) {
        note_rest(&taken, session);
        return false;
    }
    uint32_t whole = gate_capture_whole_rounds(&taken);
    gate_buf_printf(&out, "%u runs in %u complete round%s; compare them: pprofgate check %s\n",
                    (unsigned)taken.manifest.count, (unsigned)whole, whole == 1 ? "" : "s", plan->dir);
    ok = gate_session_print(session, &out, err);
    gate_buf_free(&out);
    return ok;
}

static bool capture_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct capture *capture = wanted;
    struct gate_capture_plan plan = {0};
    capture->options.windows.runs = capture->runs;
    bool ok = capture_finish(capture, err) &&
              gate_capture_options_finish(&plan, &capture->options, capture->output, session, err);
    if (ok)
        gate_sandboxing_narrow(session, GATE_NEEDS_NETWORK);
    ok = ok && capture_take(&plan, capture->runs, session, err);
    gate_capture_options_end(&plan);
    return ok;
}

const struct gate_command gate_command_capture = {
    .name = "capture",
    .needs_processes = true,
    .summary = "take profiles of both sides from live endpoints, for check DIR",
    .usage = usage,
    .tail = tail,
    .examples = examples,
    .takes = GATE_TAKES_NOTHING,
    .writes = true,
    .options = options,
    .size = sizeof(struct capture),
    .arguments = offsetof(struct capture, arguments),
    .begin = capture_begin,
    .run = capture_run,
};
