/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules apply (see rulefile.h). */
#define _XOPEN_SOURCE 700 /* realpath */
#include "gate/cli/rulefile.h"

#include "gate/base/embedded.h"
#include "gate/cli/input.h"
#include "gate/cli/paths.h"
#include "gate/rules/rules_diff.h"
#include "gate/rules/rules_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PRESETS_MAX = 32 };

/* Where the files of rules are read. */
struct reading {
    const struct gate_cli *cli;
    const struct gate_rules_from *from; /* or NULL: as they lie */
    struct gate_str folder; /* of the first file, as the file system has it, with a '/'; .ptr NULL: not known */
};

/* The real path of a file's folder, with a '/' behind it. */
static struct gate_str rulefile_folder(const char *path, struct gate_arena *arena) {
    struct gate_str text = gate_str_from(path);
    struct gate_str folder = gate_str_slice(text, 0, text.len - gate_str_basename(text).len);
    struct gate_str name = gate_str_format(arena, "%s%.*s", folder.len == 0 ? "." : "", GATE_STR_ARG(folder));
    char *real = name.ptr == NULL ? NULL : realpath(name.ptr, NULL);
    struct gate_str out = {NULL, 0};
    if (real != NULL)
        out = gate_str_format(arena, "%s/", strcmp(real, "/") == 0 ? "" : real);
    free(real);
    return out;
}

/* A link may not lead out of the folder: what a change puts there is not to read what lies elsewhere. */
static bool rulefile_is_beside(const struct reading *reading, const char *path) {
    char *real = realpath(path, NULL);
    bool is_absent = real == NULL && (errno == ENOENT || errno == ENOTDIR); /* reading says so */
    bool is_beside = is_absent || (real != NULL && reading->folder.ptr != NULL &&
                                   gate_str_starts(gate_str_from(real), reading->folder));
    free(real);
    return is_beside;
}

/* For `extends: PATH`. A file that is named "-" is not standard input. */
static bool rulefile_read(void *context, struct gate_str *bytes, struct gate_str path, struct gate_arena *arena,
                          struct gate_error *err) {
    const struct reading *reading = context;
    const char *prefix = gate_str_equal(path, GATE_STR("-")) ? "./" : "";
    struct gate_str name = gate_str_format(arena, "%s%.*s", prefix, GATE_STR_ARG(path));
    if (name.ptr == NULL)
        return gate_arena_error(arena, err);
    if (!gate_rules_from_has(reading->from, name.ptr, arena) && !rulefile_is_beside(reading, name.ptr))
        return gate_error_set(err, GATE_ERR_CONFIG,
                              "it is a link that leads out of the folder of the rules file, or cannot be followed");
    return gate_rules_from_read(bytes, reading->from, reading->cli, name.ptr, arena, err);
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

/* A preset's name is never a file's: whoever may put files into the folder would else choose the rules. */
static bool rulefile_is_preset(const char *wanted, struct gate_cli *cli) {
    struct gate_str file = gate_str_format(cli->arena, "%s.yml", wanted);
    return file.ptr != NULL && strchr(wanted, '/') == NULL && gate_embedded_find(file.ptr).ptr != NULL;
}

static bool rulefile_preset(struct gate_rules *out, struct gate_cli *cli, const char *name, struct gate_error *err) {
    if (access(name, F_OK) == 0)
        gate_cli_note(cli,
                      gate_str_format(cli->arena, "'%s' is the preset; the file of that name is './%s'", name, name));
    return gate_rules_parse_preset(out, name, cli->arena, err);
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

/* Whether nobody named rules and there are none. A file that cannot be read, or a link to nowhere, is an error: other
 * rules than those meant would decide. */
static bool rulefile_is_absent(const struct gate_rules_from *from, const char *wanted, struct gate_cli *cli) {
    struct stat status;
    if (wanted != NULL)
        return false;
    if (gate_rules_from_has(from, GATE_RULEFILE_DEFAULT, cli->arena))
        return !gate_rules_from_is_there(from, GATE_RULEFILE_DEFAULT, cli->arena);
    return lstat(GATE_RULEFILE_DEFAULT, &status) != 0 && errno == ENOENT;
}

static bool rulefile_load(struct gate_rules *out, const struct gate_rules_from *from, struct gate_cli *cli,
                          const char *wanted, struct gate_error *err) {
    if (rulefile_is_absent(from, wanted, cli)) {
        gate_cli_tell(cli, "rules: a built-in preset by the type of profile, as there is no " GATE_RULEFILE_DEFAULT
                           " here and no --rules");
        return rulefile_default(out, cli, err);
    }
    const char *file = wanted == NULL ? GATE_RULEFILE_DEFAULT : wanted;
    bool is_preset = rulefile_is_preset(file, cli);
    gate_cli_tell(cli, "rules: %s%s", is_preset ? "the built-in preset " : "",
                  gate_paths_is_stream(file) ? "standard input" : file);
    if (is_preset)
        return rulefile_preset(out, cli, file, err);
    bool is_of_revision = gate_rules_from_has(from, file, cli->arena);
    const char *nearest = gate_paths_is_stream(file) || is_of_revision ? NULL : rulefile_nearest(file, cli->arena);
    if (nearest != NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "no file and no preset is named '%s' (did you mean the preset '%s'?)", file, nearest);
    struct gate_str path = gate_str_from(gate_input_name(file));
    struct gate_str text = {NULL, 0};
    struct reading reading = {cli, from,
                              rulefile_folder(gate_paths_is_stream(file) ? GATE_RULEFILE_DEFAULT : file, cli->arena)};
    const struct gate_rules_reader reader = {.read = rulefile_read, .context = &reading};
    if (gate_rules_from_read(&text, from, cli, file, cli->arena, err) &&
        gate_rules_parse(out, text, path, &reader, cli->arena, err))
        return true;
    cli->blamed_path = path;
    cli->blamed_text = text;
    return false;
}

bool gate_rulefile_load(struct gate_rules *out, struct gate_cli *cli, const char *wanted, struct gate_error *err) {
    return rulefile_load(out, NULL, cli, wanted, err);
}

/* What the working tree's rules say otherwise than the revision's, which are `rules`. */
static bool rulefile_compare(struct gate_rules_from *from, const struct gate_rules *rules, struct gate_cli *cli,
                             const char *wanted, struct gate_error *err) {
    struct gate_rules now = {0};
    struct gate_error why = {0};
    const char *file = wanted == NULL ? GATE_RULEFILE_DEFAULT : wanted;
    if (rulefile_is_preset(file, cli) || !gate_rules_from_has(from, file, cli->arena))
        return true;
    bool is_read = rulefile_load(&now, NULL, cli, wanted, &why);
    cli->blamed_path = cli->blamed_text = (struct gate_str){NULL, 0};
    if (!is_read) {
        struct gate_str text = gate_str_format(cli->arena, "its '%s' cannot be read (%s)", file, why.message);
        return text.ptr == NULL ? gate_arena_error(cli->arena, err) : gate_rules_from_add(from, text, cli->arena, err);
    }
    struct gate_str text = gate_rules_diff(rules, &now, cli->arena);
    bool is_same = rules->is_default == now.is_default && gate_str_equal(rules->digest, now.digest);
    if (text.ptr != NULL && text.len == 0 && !is_same)
        text = GATE_STR("nothing that decides (comments, layout, texts)");
    gate_rules_free(&now);
    return text.ptr == NULL ? gate_arena_error(cli->arena, err) : gate_rules_from_add(from, text, cli->arena, err);
}

bool gate_rulefile_load_from(struct gate_rules *out, struct gate_rules_from *from, struct gate_cli *cli,
                             const char *wanted, struct gate_error *err) {
    from->edits = GATE_STR("");
    return gate_rules_from_begin(from, cli->arena, err) && rulefile_load(out, from, cli, wanted, err) &&
           (from->revision == NULL || rulefile_compare(from, out, cli, wanted, err));
}
