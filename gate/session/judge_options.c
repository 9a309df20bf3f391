/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/session/judge_options.h"

#include "gate/base/figures.h"
#include "gate/compare/work.h"
#include "gate/rules/yaml.h"
#include "gate/session/file_roles.h"
#include "gate/session/input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values of --work -------------------------------------------------------------------------------------------- */

enum { NUMBER_BYTES = 64 };

/* The option that is being read, for messages. */
struct reading {
    const char *name, *value; /* "option '--work'", and its whole value */
    struct gate_arena *arena;
    struct gate_error *err;
};

static bool refuse(const struct reading *reading, const char *expected) {
    return gate_error_set(reading->err, GATE_ERR_USAGE, "%s: expected %s, found '%s'", reading->name, expected,
                          reading->value);
}

/* Reads numbers separated by commas. The work of a label value may be 0, a total may not. */
static bool read_numbers(struct gate_work_count *out, struct gate_str text, const struct reading *reading) {
    double *runs = GATE_NEW_ARRAY(reading->arena, double, text.len);
    if (runs == NULL)
        return gate_arena_error(reading->arena, reading->err);
    for (size_t from = 0; from <= text.len;) {
        size_t comma = gate_str_find(text, GATE_STR(","), from), end = comma == SIZE_MAX ? text.len : comma;
        struct gate_str one = gate_str_slice(text, from, end);
        char number[NUMBER_BYTES];
        double *at = &runs[out->count++];
        if (one.len == 0 || one.len >= sizeof number)
            return refuse(reading, "a number, or one a run with commas between them");
        memcpy(number, one.ptr, one.len);
        number[one.len] = '\0';
        if (!gate_option_value_number(at, number) || *at < 0 || (*at <= 0 && out->key.len == 0))
            return refuse(reading, out->key.len == 0 ? "numbers above zero" : "numbers of zero or more");
        from = end + 1;
    }
    out->runs = runs;
    return true;
}

/* Reads "LABEL=VALUE:N". The value may contain colons, so the last colon ends it. */
static bool read_label(struct gate_work_count *out, struct gate_str text, const struct reading *reading) {
    size_t equals = gate_str_find(text, GATE_STR("="), 0), colon = gate_str_behind_last(text, ':');
    if (equals == SIZE_MAX || equals == 0 || colon < equals + 3)
        return refuse(reading, "LABEL=VALUE:N, such as endpoint=/search:1200");
    out->key = gate_str_slice(text, 0, equals);
    out->value = gate_str_slice(text, equals + 1, colon - 1);
    return read_numbers(out, gate_str_slice(text, colon, text.len), reading);
}

bool gate_work_option_text(struct gate_work *work, enum gate_side_name side, const char *name, const char *text,
                           struct gate_arena *arena, struct gate_error *err) {
    const struct reading reading = {name, text, arena, err};
    struct gate_work_count count = {.side = side};
    return read_numbers(&count, gate_str_from(text), &reading) && gate_work_add(work, &count, arena, err);
}

bool gate_work_option_sides(struct gate_work *work, const char *name, const char *text, struct gate_arena *arena,
                            struct gate_error *err) {
    const struct reading reading = {name, text, arena, err};
    struct gate_str value = gate_str_from(text);
    for (int side = 0; side < GATE_SIDES; side++) {
        struct gate_str word = gate_str_from(gate_side_word((enum gate_side_name)side));
        struct gate_work_count count = {.side = (enum gate_side_name)side};
        if (!gate_str_starts(value, word) || value.len == word.len)
            continue;
        struct gate_str rest = gate_str_slice(value, word.len + 1, value.len);
        if (value.ptr[word.len] == '=')
            return read_numbers(&count, rest, &reading) && gate_work_add(work, &count, arena, err);
        if (value.ptr[word.len] == ':')
            return read_label(&count, rest, &reading) && gate_work_add(work, &count, arena, err);
    }
    return refuse(&reading, "baseline=N, canary=N, or canary:LABEL=VALUE:N");
}

bool gate_work_option_good_runs(struct gate_work *work, const char *name, const char *text, struct gate_arena *arena,
                                struct gate_error *err) {
    const struct reading reading = {name, text, arena, err};
    struct gate_str value = gate_str_from(text);
    struct gate_work_count count = {.side = GATE_BASELINE};
    bool has_label = gate_str_find(value, GATE_STR("="), 0) != SIZE_MAX;
    if (gate_str_starts(value, GATE_STR("baseline")) || gate_str_starts(value, GATE_STR("canary")))
        return refuse(&reading, "N1,N2,... or LABEL=VALUE:N1,N2,..., since good runs have no sides");
    return (has_label ? read_label(&count, value, &reading) : read_numbers(&count, value, &reading)) &&
           gate_work_add(work, &count, arena, err);
}

/* ---- the file of --work-file ------------------------------------------------------------------------------------- */

struct file_reading {
    struct gate_work *work;
    struct gate_arena *arena;
    struct gate_error *err;
};

static bool file_refuse(const struct file_reading *reading, const struct gate_yaml_node *node, const char *expected) {
    return gate_error_set_at(reading->err, GATE_ERR_CONFIG, node->line, node->column, "expected %s, found %s", expected,
                             gate_yaml_kind_name(node->kind));
}

static bool file_number(double *out, const struct gate_yaml_node *node, bool is_part,
                        const struct file_reading *reading) {
    char text[64];
    if ((node->kind != GATE_YAML_INT && node->kind != GATE_YAML_FLOAT) || node->text.len >= sizeof text)
        return file_refuse(reading, node, "a number");
    memcpy(text, node->text.ptr, node->text.len);
    text[node->text.len] = '\0';
    *out = strtod(text, NULL);
    if (isfinite(*out) && (*out > 0 || (is_part && *out >= 0)))
        return true;
    return gate_error_set_at(reading->err, GATE_ERR_CONFIG, node->line, node->column,
                             "expected a number %s zero, found '%s'", is_part ? "not below" : "above", text);
}

/* Read a number, or a list of one number per run. */
static bool file_count(struct gate_work_count count, const struct gate_yaml_node *node,
                       const struct file_reading *reading) {
    bool is_list = node->kind == GATE_YAML_LIST, is_part = count.key.len != 0;
    double *runs = GATE_NEW_ARRAY(reading->arena, double, (size_t)node->count + 1);
    if (runs == NULL)
        return gate_arena_error(reading->arena, reading->err);
    if (is_list && node->count == 0)
        return file_refuse(reading, node, "a number, or a list of one a run");
    for (const struct gate_yaml_node *at = is_list ? node->first : node; at != NULL; at = is_list ? at->next : NULL)
        if (!file_number(&runs[count.count++], at, is_part, reading))
            return false;
    count.runs = runs;
    return gate_work_add(reading->work, &count, reading->arena, reading->err);
}

static bool file_parts(enum gate_side_name side, const struct gate_yaml_node *map, const struct file_reading *reading) {
    if (map->kind != GATE_YAML_MAP)
        return file_refuse(reading, map, "a map of a label's values to numbers");
    for (const struct gate_yaml_node *at = map->first; at != NULL; at = at->next)
        if (!file_count((struct gate_work_count){.side = side, .key = map->key->text, .value = at->key->text}, at,
                        reading))
            return false;
    return true;
}

static bool file_side(enum gate_side_name side, const struct gate_yaml_node *node, const struct file_reading *reading) {
    const struct gate_work_count whole = {.side = side};
    if (node->kind != GATE_YAML_MAP)
        return file_count(whole, node, reading);
    for (const struct gate_yaml_node *at = node->first; at != NULL; at = at->next) {
        bool is_total = gate_str_equal(at->key->text, GATE_STR("total"));
        if (!(is_total ? file_count(whole, at, reading) : file_parts(side, at, reading)))
            return false;
    }
    return true;
}

bool gate_work_file_read(struct gate_work *work, struct gate_str text, struct gate_arena *arena,
                         struct gate_error *err) {
    static const struct {
        const char *key;
        enum gate_side_name side;
    } keys[] = {{"baseline", GATE_BASELINE}, {"canary", GATE_CANARY}, {"runs", GATE_BASELINE}};
    const struct file_reading reading = {work, arena, err};
    struct gate_yaml_node *root = NULL;
    if (!gate_yaml_parse(&root, text, arena, err))
        return false;
    if (root->kind != GATE_YAML_MAP)
        return file_refuse(&reading, root, "a map of 'baseline' and 'canary', or of 'runs'");
    for (const struct gate_yaml_node *node = root->first; node != NULL; node = node->next) {
        size_t at = 0;
        while (at < sizeof keys / sizeof *keys && !gate_str_equal(node->key->text, gate_str_from(keys[at].key)))
            at++;
        if (at == sizeof keys / sizeof *keys)
            return gate_error_set_at(err, GATE_ERR_CONFIG, node->key->line, node->key->column,
                                     "unknown key '%.*s': expected 'baseline', 'canary' or 'runs'",
                                     GATE_STR_ARG(node->key->text));
        if (!file_side(keys[at].side, node, &reading))
            return false;
    }
    return true;
}

bool gate_work_option_file(struct gate_work *work, struct gate_session *session, const char *path,
                           struct gate_error *err) {
    const char *name = gate_input_name(path);
    struct gate_str text;
    if (!gate_input_read_small(&text, session, path, session->arena, err))
        return gate_error_prefix(err, "%s", name);
    struct gate_work from_options = *work;
    *work = (struct gate_work){0};
    if (!gate_work_file_read(work, text, session->arena, err))
        return gate_error_prefix_file(err, name);
    for (uint32_t i = 0; i < from_options.count; i++)
        if (!gate_work_add(work, &from_options.items[i], session->arena, err))
            return false;
    return true;
}

/* ---- the options ------------------------------------------------------------------------------------------------- */

bool gate_judge_options_note(const struct gate_judge_options *options, struct gate_file_roles *roles,
                             struct gate_arena *arena, struct gate_error *err) {
    return (options->work_file == NULL || gate_file_roles_read(roles, "the work", options->work_file, arena, err)) &&
           gate_file_roles_read_all(roles, "a noise model", &options->noise, arena, err) &&
           gate_file_roles_read_all(roles, "an earlier canary (--history)", &options->history, arena, err);
}

static const char *const work_variables[GATE_SIDES] = {"PPROFGATE_WORK_BASELINE", "PPROFGATE_WORK_CANARY"};

/* Reads work that an earlier CI step put into the environment. An empty variable counts as unset, as CI systems set
 * it. */
static bool judge_options_environment(struct gate_judge_options *options, struct gate_arena *arena,
                                      struct gate_error *err) {
    for (int side = 0; side < GATE_SIDES; side++) {
        const char *value = getenv(work_variables[side]);
        if (value != NULL && value[0] != '\0' &&
            !gate_work_option_text(&options->work, (enum gate_side_name)side, work_variables[side], value, arena, err))
            return false;
    }
    return true;
}

static bool judge_options_work(struct gate_judge_options *options, struct gate_arena *arena, struct gate_error *err) {
    bool is_option = options->work.count > 0;
    if (!is_option && !judge_options_environment(options, arena, err))
        return false;
    if (options->work_file != NULL)
        return true; /* the file may give the other side */
    bool has_baseline = gate_work_total(&options->work, GATE_BASELINE) > 0;
    if (has_baseline == (gate_work_total(&options->work, GATE_CANARY) > 0))
        return true;
    int missing = has_baseline ? GATE_CANARY : GATE_BASELINE;
    const char *word = gate_side_word((enum gate_side_name)missing);
    if (!is_option)
        return gate_error_set(err, GATE_ERR_USAGE, "the work of the %s is missing: set %s beside %s, or neither", word,
                              work_variables[missing], work_variables[1 - missing]);
    return gate_error_set(err, GATE_ERR_USAGE,
                          "the work of the %s is missing: give both '--work baseline=N' and '--work canary=N'", word);
}

bool gate_judge_options_canary_work(struct gate_work *out, const struct gate_judge_options *options, uint32_t files,
                                    double runs, struct gate_session *session, struct gate_error *err) {
    struct gate_judge_options all = *options;
    *out = (struct gate_work){0};
    if ((all.work.count == 0 && !judge_options_environment(&all, session->arena, err)) ||
        (all.work_file != NULL && !gate_work_option_file(&all.work, session, all.work_file, err)))
        return false;
    for (uint32_t i = 0; i < all.work.count; i++) {
        struct gate_work_count count = all.work.items[i];
        if (count.side != GATE_CANARY)
            continue;
        double *each = GATE_NEW_ARRAY(session->arena, double, files);
        if (each == NULL)
            return gate_arena_error(session->arena, err);
        for (uint32_t f = 0; f < files; f++)
            each[f] = count.runs[0] / runs;
        if (count.count == 1)
            count = (struct gate_work_count){count.side, count.key, count.value, each, files};
        if (!gate_work_add(out, &count, session->arena, err))
            return false;
    }
    return true;
}

bool gate_judge_options_finish(struct gate_judge_options *options, struct gate_arena *arena, struct gate_error *err) {
    struct gate_paths files;
    if (!judge_options_work(options, arena, err) || !gate_paths_expand(&files, &options->history, arena, err))
        return false;
    options->history = files;
    return true;
}
