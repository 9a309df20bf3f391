/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the file of --work-file. */
#include "gate/rules/work_file.h"

#include "gate/compare/work.h"
#include "gate/rules/yaml.h"

#include <math.h>
#include <stdlib.h>

struct reading {
    struct gate_work *work;
    struct gate_arena *arena;
    struct gate_error *err;
};

static bool refuse(const struct reading *reading, const struct gate_yaml_node *node, const char *expected) {
    return gate_error_set_at(reading->err, GATE_ERR_CONFIG, node->line, node->column, "expected %s, found %s", expected,
                             gate_yaml_kind_name(node->kind));
}

static bool read_number(double *out, const struct gate_yaml_node *node, bool is_part, const struct reading *reading) {
    char text[64];
    if ((node->kind != GATE_YAML_INT && node->kind != GATE_YAML_FLOAT) || node->text.len >= sizeof text)
        return refuse(reading, node, "a number");
    memcpy(text, node->text.ptr, node->text.len);
    text[node->text.len] = '\0';
    *out = strtod(text, NULL);
    if (isfinite(*out) && (*out > 0 || (is_part && *out >= 0)))
        return true;
    return gate_error_set_at(reading->err, GATE_ERR_CONFIG, node->line, node->column,
                             "expected a number %s zero, found '%s'", is_part ? "not below" : "above", text);
}

/* Read a number, or a list of one number per run. */
static bool read_count(struct gate_work_count count, const struct gate_yaml_node *node, const struct reading *reading) {
    bool is_list = node->kind == GATE_YAML_LIST, is_part = count.key.len != 0;
    double *runs = GATE_NEW_ARRAY(reading->arena, double, (size_t)node->count + 1);
    if (runs == NULL)
        return gate_arena_error(reading->arena, reading->err);
    if (is_list && node->count == 0)
        return refuse(reading, node, "a number, or a list of one a run");
    for (const struct gate_yaml_node *at = is_list ? node->first : node; at != NULL; at = is_list ? at->next : NULL)
        if (!read_number(&runs[count.count++], at, is_part, reading))
            return false;
    count.runs = runs;
    return gate_work_add(reading->work, &count, reading->arena, reading->err);
}

static bool read_parts(enum gate_side_name side, const struct gate_yaml_node *map, const struct reading *reading) {
    if (map->kind != GATE_YAML_MAP)
        return refuse(reading, map, "a map of a label's values to numbers");
    for (const struct gate_yaml_node *at = map->first; at != NULL; at = at->next)
        if (!read_count((struct gate_work_count){.side = side, .key = map->key->text, .value = at->key->text}, at,
                        reading))
            return false;
    return true;
}

static bool read_side(enum gate_side_name side, const struct gate_yaml_node *node, const struct reading *reading) {
    const struct gate_work_count whole = {.side = side};
    if (node->kind != GATE_YAML_MAP)
        return read_count(whole, node, reading);
    for (const struct gate_yaml_node *at = node->first; at != NULL; at = at->next) {
        bool is_total = gate_str_equal(at->key->text, GATE_STR("total"));
        if (!(is_total ? read_count(whole, at, reading) : read_parts(side, at, reading)))
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
    const struct reading reading = {work, arena, err};
    struct gate_yaml_node *root = NULL;
    if (!gate_yaml_parse(&root, text, arena, err))
        return false;
    if (root->kind != GATE_YAML_MAP)
        return refuse(&reading, root, "a map of 'baseline' and 'canary', or of 'runs'");
    for (const struct gate_yaml_node *node = root->first; node != NULL; node = node->next) {
        size_t at = 0;
        while (at < sizeof keys / sizeof *keys && !gate_str_equal(node->key->text, gate_str_from(keys[at].key)))
            at++;
        if (at == sizeof keys / sizeof *keys)
            return gate_error_set_at(err, GATE_ERR_CONFIG, node->key->line, node->key->column,
                                     "unknown key '%.*s': expected 'baseline', 'canary' or 'runs'",
                                     GATE_STR_ARG(node->key->text));
        if (!read_side(keys[at].side, node, &reading))
            return false;
    }
    return true;
}
