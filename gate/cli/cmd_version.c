/* SPDX-License-Identifier: Apache-2.0 */
/* The command `version`: prints the version and the features of this build. */
#include "gate/base/build_id.h"
#include "gate/capture/http.h"
#include "gate/cli/command.h"
#include "gate/formats/format.h"
#include "gate/report/report.h"
#include "gate/rules/rules.h"
#include "gate/session/session.h"
#include "gate/symbols/binary_names.h"
#include "gate/symbols/demangle.h"

/* Options of `version`. */
struct version {
    struct gate_paths arguments;
};

static const struct gate_option_binding options[] = {{NULL, 0}};

static const char usage[] = "Usage: pprofgate version\n"
                            "\n"
                            "Prints the version, whether this build can capture profiles and look up symbols,\n"
                            "whether its sandbox works on this system, and which formats it reads and writes.\n"
                            "`pprofgate --version` prints only the version.\n";

static const struct gate_example examples[] = {{"what a bug report should contain", "pprofgate version"},
                                               {"the number alone", "pprofgate --version"},
                                               {NULL, NULL}};

static void version_build(struct gate_buf *out) {
    char build[GATE_OWN_BUILD_TEXT];
    gate_own_build_id(build);
    gate_buf_printf(out, "build:    %s\n", build[0] == '\0' ? "no build id" : build);
}

static void version_reads(struct gate_buf *out) {
    for (int i = 0; i < GATE_FORMATS; i++)
        gate_buf_printf(out, "%s%s", i == 0 ? "reads:    " : ", ", gate_format_name((enum gate_format)i));
    gate_buf_char(out, '\n');
}

static void version_writes(struct gate_buf *out) {
    for (size_t i = 0; gate_report_formats[i] != NULL; i++)
        gate_buf_printf(out, "%s%s", i == 0 ? "writes:   " : ", ", gate_report_formats[i]->name);
    gate_buf_char(out, '\n');
}

static bool version_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    const struct version *version = wanted;
    if (version->arguments.count > 0)
        return gate_error_set(err, GATE_ERR_USAGE, "unexpected '%s': version takes no argument",
                              version->arguments.items[0]);
    const char *const *presets = gate_preset_names(session->arena);
    const struct gate_str sandbox = gate_sandboxing_sentence(session);
    if (presets == NULL || sandbox.ptr == NULL)
        return gate_arena_error(session->arena, err);
    struct gate_buf out = {0};
    gate_buf_text(&out, "pprofgate " GATE_VERSION "\n");
    version_build(&out);
    gate_buf_printf(&out, "captures: %s\n",
                    gate_fetch_is_built() ? "yes (http, https, unix sockets)" : "no, built without libcurl");
    gate_buf_printf(&out, "names:    %s, %s\n",
                    gate_binary_names_is_built() ? "of binaries (libdw)" : "of perf maps alone, built without libdw",
                    gate_demangle_is_built() ? "demangled (libiberty)" : "not demangled, built without libiberty");
    gate_buf_printf(&out, "sandbox:  %.*s\n", GATE_STR_ARG(sandbox));
    version_reads(&out);
    version_writes(&out);
    for (size_t i = 0; presets[i] != NULL; i++)
        gate_buf_printf(&out, "%s%s", i == 0 ? "presets:  " : ", ", presets[i]);
    gate_buf_char(&out, '\n');
    bool ok = gate_session_print(session, &out, err);
    gate_buf_free(&out);
    return ok;
}

const struct gate_command gate_command_version = {
    .name = "version",
    .summary = "the version, and what it was built with",
    .usage = usage,
    .examples = examples,
    .takes = GATE_TAKES_NOTHING,
    .options = options,
    .size = sizeof(struct version),
    .arguments = offsetof(struct version, arguments),
    .run = version_run,
};
