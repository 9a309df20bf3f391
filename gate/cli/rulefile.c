/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules apply (see rulefile.h). */
#include "gate/cli/rulefile.h"

#include "gate/base/embedded.h"
#include "gate/profile/source.h"
#include "gate/rules/rules.h"
#include "gate/rules/waiver.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { RULES_BYTES_MAX = 1024 * 1024, PRESETS_MAX = 32 };

bool gate_rulefile_read(struct gate_str *bytes, struct gate_str path, struct gate_arena *arena, struct gate_error *err) {
    struct gate_limits limits = gate_limits_default();
    limits.compressed_bytes = RULES_BYTES_MAX;
    return gate_source_read(bytes, path, &limits, arena, err);
}

/* For `extends: PATH`. */
static bool rulefile_read(void *context, struct gate_str *bytes, struct gate_str path, struct gate_arena *arena,
                          struct gate_error *err) {
    (void)context;
    return gate_rulefile_read(bytes, path, arena, err);
}

struct gate_str gate_rulefile_today(struct gate_arena *arena) {
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL;
    long long told = epoch == NULL ? 0 : strtoll(epoch, &end, 10);
    time_t now = end == NULL || end == epoch || *end != '\0' ? time(NULL) : (time_t)told; /* junk is no date */
    struct tm day;
    char text[16] = "";
    if (gmtime_r(&now, &day) == NULL || strftime(text, sizeof text, "%Y-%m-%d", &day) == 0)
        return GATE_STR("");
    return gate_str_copy(arena, gate_str_from(text));
}

/* A word without a slash or an ending that no file has is a preset's name. */
static bool rulefile_is_preset(const char *wanted, struct gate_cli *cli) {
    struct gate_str file = gate_str_format(cli->arena, "%s.yml", wanted);
    return file.ptr != NULL && strchr(wanted, '/') == NULL && access(wanted, F_OK) != 0 &&
           gate_embedded_find(file.ptr).ptr != NULL;
}

static bool rulefile_preset(struct gate_rules *out, struct gate_cli *cli, const char *name) {
    struct gate_error err = {0};
    if (gate_rules_preset(out, name, cli->arena, &err))
        return true;
    (void)gate_cli_fail(cli, &err);
    return false;
}

/* The preset that a word which names no file was perhaps meant to be, or NULL. */
static const char *rulefile_nearest(const char *wanted, struct gate_arena *arena) {
    const char *words[PRESETS_MAX + 1];
    size_t count = 0;
    if (strchr(wanted, '/') != NULL || access(wanted, F_OK) == 0)
        return NULL;
    for (const struct gate_embedded *file = gate_embedded_files; file->name != NULL && count < PRESETS_MAX; file++) {
        struct gate_str name = gate_str_from(file->name);
        if (!gate_str_ends(name, GATE_STR(".yml")))
            continue;
        words[count] = gate_str_copy(arena, gate_str_slice(name, 0, name.len - 4)).ptr;
        if (words[count] == NULL)
            return NULL;
        count++;
    }
    words[count] = NULL;
    return gate_str_nearest(gate_str_from(wanted), words);
}

bool gate_rulefile_load(struct gate_rules *out, struct gate_cli *cli, const char *wanted) {
    struct gate_error err = {0};
    if (wanted == NULL && access(GATE_RULEFILE_DEFAULT, F_OK) != 0)
        return rulefile_preset(out, cli, "recommended");
    if (wanted != NULL && rulefile_is_preset(wanted, cli))
        return rulefile_preset(out, cli, wanted);
    const char *nearest = wanted == NULL ? NULL : rulefile_nearest(wanted, cli->arena);
    if (nearest != NULL) {
        (void)gate_error_set(&err, GATE_ERR_USAGE, "no file and no preset is named '%s' (did you mean the preset '%s'?)",
                             wanted, nearest);
        (void)gate_cli_fail(cli, &err);
        return false;
    }
    struct gate_str path = gate_str_from(wanted == NULL ? GATE_RULEFILE_DEFAULT : wanted);
    struct gate_str text = {NULL, 0};
    const struct gate_rules_reader reader = {.read = rulefile_read};
    if (rulefile_read(NULL, &text, path, cli->arena, &err) &&
        gate_rules_parse(out, text, path, &reader, cli->arena, &err)) {
        if (gate_waiver_check(out, gate_rulefile_today(cli->arena), &err))
            return true;
        gate_rules_free(out);
    }
    (void)gate_cli_fail_at(cli, &err, path, text);
    return false;
}
