/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate explain`: which budgets see a frame, with every number of the decision. */
#include "gate/cli/cli.h"
#include "gate/cli/inputs.h"
#include "gate/cli/request.h"
#include "gate/cli/rulefile.h"
#include "gate/report/explain.h"

enum explain_option { EXPLAIN_FRAME = GATE_REQUEST_OPTIONS_END };
enum { FRAMES_MAX = 10 };

static const struct gate_option options[] = {
    {EXPLAIN_FRAME, "frame", 0, "NAME", "the frame: its name, or a pattern that matches it (default: what moved most)"},
    GATE_REQUEST_SIDE_OPTIONS,
    GATE_REQUEST_PAIR_OPTION,
    GATE_JUDGING_OPTIONS,
    GATE_REQUEST_READ_OPTIONS,
    GATE_REQUEST_LIMIT_OPTIONS,
    {0, NULL, 0, NULL, NULL},
};

static const char usage[] =
    "Usage: pprofgate explain [options] RULES BASELINE CANARY\n"
    "\n"
    "Shows, for a frame, which budgets see it and every number of their decision.\n"
    "RULES is a file or a preset. Nothing is gated: the exit status is 0.\n"
    "\n"
    "Options:\n";

/* A command line of explain, parsed. */
struct explain_request {
    struct gate_request request;
    struct gate_judging judging;
    const char *rules;
    const char *frame;
};

static bool explain_take(void *context, int id, const char *value, struct gate_cli *cli, struct gate_error *err) {
    struct explain_request *wanted = context;
    switch (id) {
    case EXPLAIN_FRAME:
        wanted->frame = value;
        return true;
    case GATE_OPTION_ARGUMENT:
        if (wanted->rules == NULL) {
            wanted->rules = value;
            return true;
        }
        return gate_request_take(&wanted->request, id, value, cli->arena, err);
    default:
        if (id >= GATE_JUDGING_FIRST)
            return gate_judging_take(&wanted->judging, id, value, cli->arena, err);
        return gate_request_take(&wanted->request, id, value, cli->arena, err);
    }
}

/* One comparison's frames that are asked for: by name, by pattern, or the one that moved most. */
static bool explain_comparison(struct gate_buf *out, uint32_t *shown, const struct gate_verdict *verdict,
                               uint32_t index, const char *frame, const struct gate_regex *pattern,
                               struct gate_cli *cli, struct gate_error *err) {
    const struct gate_comparison *comparison = &verdict->comparisons[index];
    for (uint32_t i = 0; i < comparison->pair.frame_count && *shown < FRAMES_MAX; i++) {
        uint32_t at = comparison->by_self[i];
        struct gate_str name = comparison->pair.frames[at].name;
        bool wanted = frame == NULL || gate_str_equal(name, gate_str_from(frame)) ||
                      (pattern != NULL && gate_regex_match(pattern, name) == GATE_REGEX_YES);
        if (!wanted)
            continue;
        gate_buf_text(out, *shown == 0 ? "" : "\n");
        if (!gate_report_explain(out, verdict, index, at, cli->arena, err))
            return false;
        ++*shown;
        if (frame == NULL)
            break;
    }
    return true;
}

static bool explain_frames(struct gate_buf *out, const struct gate_verdict *verdict, const char *frame,
                           struct gate_cli *cli, struct gate_error *err) {
    struct gate_regex *pattern = NULL;
    struct gate_error ignored = {0};
    uint32_t shown = 0;
    if (frame != NULL && !gate_regex_compile(&pattern, gate_str_from(frame), &ignored))
        pattern = NULL; /* a name such as "main.(*T" is no pattern, and is compared as a name */
    bool ok = true;
    for (uint32_t c = 0; ok && c < verdict->comparison_count; c++)
        ok = explain_comparison(out, &shown, verdict, c, frame, pattern, cli, err);
    gate_regex_free(pattern);
    if (ok && shown == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "no frame of either side is or matches '%s'; `pprofgate diff` lists them",
                              frame == NULL ? "" : frame);
    if (ok && shown == FRAMES_MAX)
        gate_buf_printf(out, "\nThe first %d frames; name one exactly to see another.\n", FRAMES_MAX);
    return ok;
}

static int explain_run(const struct explain_request *wanted, struct gate_cli *cli) {
    struct gate_error err = {0};
    struct gate_rules rules = {0};
    struct gate_verdict verdict;
    struct gate_buf out = {0};
    if (!gate_rulefile_load(&rules, cli, wanted->rules))
        return GATE_EXIT_ERROR;
    bool ok = gate_inputs_judge(&verdict, cli, &wanted->request, &rules, &wanted->judging, &err) &&
              explain_frames(&out, &verdict, wanted->frame, cli, &err);
    if (ok && !gate_cli_write(cli->out, gate_buf_view(&out)))
        ok = gate_error_set(&err, GATE_ERR_IO, "cannot write to standard output");
    gate_buf_free(&out);
    gate_rules_free(&rules);
    return ok ? GATE_EXIT_PASS : gate_cli_fail(cli, &err);
}

static const struct gate_syntax syntax = {.usage = usage, .options = options, .take = explain_take};

int gate_explain_run(struct gate_cli *cli, int argc, const char *const *argv) {
    struct explain_request wanted = {0};
    struct gate_error err = {0};
    int status = GATE_EXIT_PASS;
    gate_request_init(&wanted.request);
    if (!gate_cli_read(&status, cli, &syntax, &wanted, argc, argv))
        return status;
    const struct gate_request *request = &wanted.request;
    bool is_short = wanted.rules == NULL || (request->arguments.count == 1 && request->pair_count == 0 &&
                                             request->paths[0].count == 0 && request->paths[1].count == 0);
    if (is_short)
        (void)gate_error_set(&err, GATE_ERR_USAGE, "expected RULES BASELINE CANARY");
    if (is_short || !gate_judging_finish(&wanted.judging, &err) ||
        !gate_request_finish(&wanted.request, cli->arena, &err))
        return gate_cli_fail(cli, &err);
    return explain_run(&wanted, cli);
}
