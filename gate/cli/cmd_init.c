/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate init`: a first rules file, commented, from a baseline's hot functions. */
#include "gate/budget/plan.h"
#include "gate/rules/starter.h"
#include "gate/cli/cli.h"
#include "gate/cli/outfile.h"
#include "gate/cli/request.h"
#include "gate/cli/sides.h"

#include <unistd.h>

enum init_option { INIT_OUTPUT = GATE_REQUEST_OPTIONS_END, INIT_FUNCTIONS, INIT_FORCE };

static const struct gate_option options[] = {
    {INIT_OUTPUT, "output", 'o', "FILE", "where the rules go (default .pprofgate.yml; - is standard output)"},
    {INIT_FUNCTIONS, "functions", 0, "N", "how many hot functions get a budget of their own (default 5)"},
    {INIT_FORCE, "force", 0, NULL, "overwrite FILE"},
    {GATE_REQUEST_SAMPLE_TYPE, "sample-type", 0, "NAME",
     "which values the rules are about: a type, type/unit, or its number (default: the profile's own choice)"},
    GATE_REQUEST_LIMIT_OPTIONS,
    {0, NULL, 0, NULL, NULL},
};

static const char usage[] =
    "Usage: pprofgate init [options] BASELINE...\n"
    "\n"
    "Writes a commented rules file to start from: general budgets, and one for each\n"
    "of the baseline's hot functions with a limit that such profiles can decide.\n"
    "\n"
    "Options:\n";

/* A command line of init, parsed. */
struct init {
    struct gate_request request;
    const char *output;
    size_t functions;
    bool force;
};

static bool init_take(void *context, int id, const char *value, struct gate_cli *cli, struct gate_error *err) {
    struct init *init = context;
    switch (id) {
    case INIT_OUTPUT: init->output = value; return true;
    case INIT_FORCE: init->force = true; return true;
    case INIT_FUNCTIONS:
        return gate_option_size(&init->functions, value, "functions", err) &&
               (init->functions > 0 || gate_error_set(err, GATE_ERR_USAGE, "option '--functions': expected a number above zero"));
    default: return gate_request_take(&init->request, id, value, cli->arena, err);
    }
}

/* The baseline against itself: what is proposed is what such a comparison could decide. */
static bool init_write(struct gate_buf *out, const struct init *init, struct gate_cli *cli, struct gate_error *err) {
    struct gate_run_input *runs = NULL;
    uint32_t count = 0;
    struct gate_pair pair;
    struct gate_delta_list deltas;
    if (!gate_sides_load_one(&runs, &count, cli, &init->request.arguments, &init->request.limits, true, err))
        return false;
    const struct gate_run_input *const sides[GATE_SIDES] = {runs, runs};
    const uint32_t counts[GATE_SIDES] = {count, count};
    const struct gate_pair_options pair_options = {
        .sample_type = init->request.sample_type,
        .where = {init->request.where, init->request.where_count},
        .frames = gate_request_frames(&init->request, (struct gate_frame_options){0}),
        .counts = init->request.counts,
    };
    const struct gate_starter_options starter = {
        .source = runs[0].path,
        .function_limit = init->functions > UINT32_MAX ? UINT32_MAX : (uint32_t)init->functions};
    return gate_pair_make(&pair, sides, counts, &pair_options, cli->arena, err) &&
           gate_delta_fold(&deltas, &pair, NULL, cli->arena, err) &&
           gate_starter_write(out, &pair, &deltas, &starter, cli->arena, err) && gate_buf_check(out, err);
}

static bool init_place(const struct init *init, struct gate_str text, struct gate_cli *cli, struct gate_error *err) {
    bool to_stdout = strcmp(init->output, "-") == 0;
    if (!to_stdout && !init->force && access(init->output, F_OK) == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "%s: exists already; --force overwrites it, --output names another",
                              init->output);
    if (!gate_outfile_write(cli, init->output, text, err))
        return false;
    if (to_stdout)
        return true;
    struct gate_str note = gate_str_format(cli->arena, "wrote %s; now run: pprofgate check -r %s BASELINE CANARY\n",
                                           init->output, init->output);
    return gate_cli_write(cli->out, note) || gate_error_set(err, GATE_ERR_IO, "cannot write to standard output");
}

static const struct gate_syntax syntax = {.usage = usage, .options = options, .take = init_take};

int gate_init_run(struct gate_cli *cli, int argc, const char *const *argv) {
    struct init init = {.output = ".pprofgate.yml"};
    struct gate_error err = {0};
    struct gate_buf out = {0};
    int status = GATE_EXIT_PASS;
    gate_request_init(&init.request);
    if (!gate_cli_read(&status, cli, &syntax, &init, argc, argv))
        return status;
    bool ok = init.request.arguments.count > 0 || gate_error_set(&err, GATE_ERR_USAGE, "expected a BASELINE to start from");
    ok = ok && init_write(&out, &init, cli, &err) && init_place(&init, gate_buf_view(&out), cli, &err);
    gate_buf_free(&out);
    return ok ? GATE_EXIT_PASS : gate_cli_fail(cli, &err);
}
