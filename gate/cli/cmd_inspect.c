/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate inspect`: what each profile is, before anything is compared. report/inspect.h says it. */
#include "gate/cli/cli.h"
#include "gate/cli/options.h"
#include "gate/cli/request.h"
#include "gate/cli/sides.h"
#include "gate/profile/inspection.h"
#include "gate/report/inspect.h"

enum inspect_option { INSPECT_JSON = GATE_REQUEST_OPTIONS_END, INSPECT_NAME_RULES };

static const struct gate_option options[] = {
    {INSPECT_JSON, "json", 0, NULL, "the same as JSON, an array with an object a profile"},
    {INSPECT_NAME_RULES, "name-rules", 0, NULL, "list the rules by which names of two builds become one frame"},
    {GATE_REQUEST_PERIOD, "period", 0, "N", "the sampling period, in the value's unit, where the profile is wrong"},
    {GATE_REQUEST_MUTEX_FRACTION, "mutex-fraction", 0, "N", "Go's mutex profile fraction, which the profile lacks"},
    GATE_REQUEST_LIMIT_OPTIONS,
    {0, NULL, 0, NULL, NULL},
};

static const char usage[] =
    "Usage: pprofgate inspect [options] PROFILE...\n"
    "\n"
    "Says what profiles are: who wrote them, what they measure, how their events are\n"
    "counted, and what about them is odd.\n"
    "\n"
    "Options:\n";

/* One file. What is said of it stands behind what is in `out`, which stays as it is on an error. */
static bool inspect_one(struct gate_buf *out, const char *path, const struct gate_request *request, bool json,
                        struct gate_cli *cli, struct gate_error *err) {
    const struct gate_paths one = {.items = &path, .count = 1};
    struct gate_run_input *run = NULL;
    struct gate_inspection facts;
    uint32_t count = 0;
    if (!gate_sides_load_one(&run, &count, cli, &one, &request->limits, false, err) ||
        !gate_profile_inspect(&facts, run->profile, &request->counts, cli->arena, err))
        return false;
    gate_buf_text(out, out->len == 0 ? (json ? "[" : "") : (json ? ",\n" : "\n"));
    if (json)
        gate_inspect_json(out, run, &facts);
    else
        gate_inspect_text(out, run, &facts);
    return gate_buf_check(out, err);
}

static int inspect_finish(struct gate_cli *cli, struct gate_buf *out, bool ok, struct gate_error *err) {
    if (ok && !gate_cli_write(cli->out, gate_buf_view(out)))
        ok = gate_error_set(err, GATE_ERR_IO, "cannot write to standard output");
    gate_buf_free(out);
    return ok ? GATE_EXIT_PASS : gate_cli_fail(cli, err);
}

/* Every file, also those behind one that is no profile: which of a folder's files is bad is what one wants to know. */
static int inspect_all(const struct gate_request *request, bool json, struct gate_cli *cli) {
    struct gate_buf out = {0};
    struct gate_error err = {0};
    struct gate_paths paths;
    int status = GATE_EXIT_PASS;
    uint32_t inputs = 0;
    for (uint32_t i = 0; i < request->arguments.count; i++)
        inputs += strcmp(request->arguments.items[i], "-") == 0;
    if (inputs > 1)
        (void)gate_error_set(&err, GATE_ERR_USAGE, "'-' stands for standard input and can be given once");
    if (inputs > 1 || !gate_paths_expand(&paths, &request->arguments, cli->arena, &err))
        return gate_cli_fail(cli, &err);
    for (uint32_t i = 0; i < paths.count; i++) {
        struct gate_error why = {0};
        if (!inspect_one(&out, paths.items[i], request, json, cli, &why))
            status = gate_cli_fail(cli, &why);
    }
    gate_buf_text(&out, json && out.len != 0 ? "]\n" : "");
    int written = inspect_finish(cli, &out, gate_buf_check(&out, &err), &err);
    return written == GATE_EXIT_PASS ? status : written;
}

/* A command line of inspect, parsed. */
struct inspect {
    struct gate_request request;
    bool json, name_rules;
};

static bool inspect_take(void *context, int id, const char *value, struct gate_cli *cli, struct gate_error *err) {
    struct inspect *inspect = context;
    if (id == INSPECT_JSON)
        inspect->json = true;
    else if (id == INSPECT_NAME_RULES)
        inspect->name_rules = true;
    else
        return gate_request_take(&inspect->request, id, value, cli->arena, err);
    return true;
}

static const struct gate_syntax syntax = {.usage = usage, .options = options, .take = inspect_take};

int gate_inspect_run(struct gate_cli *cli, int argc, const char *const *argv) {
    struct inspect inspect = {0};
    struct gate_error err = {0};
    struct gate_buf out = {0};
    int status = GATE_EXIT_PASS;
    gate_request_init(&inspect.request);
    if (!gate_cli_read(&status, cli, &syntax, &inspect, argc, argv))
        return status;
    if (inspect.name_rules) {
        gate_inspect_name_rules(&out);
        return inspect_finish(cli, &out, true, &err);
    }
    if (inspect.request.arguments.count > 0)
        return inspect_all(&inspect.request, inspect.json, cli);
    (void)gate_error_set(&err, GATE_ERR_USAGE, "expected a PROFILE to inspect");
    return gate_cli_fail(cli, &err);
}
