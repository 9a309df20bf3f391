/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules apply (see rulefile.h). */
#include "gate/cli/rulefile.h"

#include "gate/base/embedded.h"
#include "gate/cli/input.h"
#include "gate/cli/paths.h"
#include "gate/rules/rules_parse.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PRESETS_MAX = 32 };

/* For `extends: PATH`; the context is the struct gate_cli. A file that is named "-" is not standard input. */
static bool rulefile_read(void *context, struct gate_str *bytes, struct gate_str path, struct gate_arena *arena,
                          struct gate_error *err) {
    const char *prefix = gate_str_equal(path, GATE_STR("-")) ? "./" : "";
    struct gate_str name = gate_str_format(arena, "%s%.*s", prefix, GATE_STR_ARG(path));
    if (name.ptr == NULL)
        return gate_arena_error(arena, err);
    return gate_input_read_small(bytes, context, name.ptr, arena, err);
}

struct gate_str gate_rulefile_today(struct gate_arena *arena) {
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL;
    long long told = epoch == NULL ? 0 : strtoll(epoch, &end, 10);
    bool is_told = end != NULL && end != epoch && *end == '\0'; /* junk is no date */
    time_t now = time(NULL);
    /* A date that a build froze long ago must not bring back what has expired since. */
    if (is_told && (time_t)told > now)
        now = (time_t)told;
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

static bool rulefile_default(struct gate_rules *out, struct gate_cli *cli, struct gate_error *err) {
    if (!gate_rules_parse_preset(out, "recommended", cli->arena, err))
        return false;
    out->is_default = true;
    return true;
}

bool gate_rulefile_load(struct gate_rules *out, struct gate_cli *cli, const char *wanted, struct gate_error *err) {
    if (wanted == NULL && access(GATE_RULEFILE_DEFAULT, F_OK) != 0)
        return rulefile_default(out, cli, err);
    const char *file = wanted == NULL ? GATE_RULEFILE_DEFAULT : wanted;
    if (rulefile_is_preset(file, cli))
        return gate_rules_parse_preset(out, file, cli->arena, err);
    const char *nearest = gate_paths_is_stream(file) ? NULL : rulefile_nearest(file, cli->arena);
    if (nearest != NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "no file and no preset is named '%s' (did you mean the preset '%s'?)", file, nearest);
    struct gate_str path = gate_str_from(gate_input_name(file));
    struct gate_str text = {NULL, 0};
    const struct gate_rules_reader reader = {.read = rulefile_read, .context = cli};
    if (gate_input_read_small(&text, cli, file, cli->arena, err) &&
        gate_rules_parse(out, text, path, &reader, cli->arena, err))
        return true;
    cli->blamed_path = path;
    cli->blamed_text = text;
    return false;
}
