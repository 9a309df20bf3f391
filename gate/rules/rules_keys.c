/* SPDX-License-Identifier: Apache-2.0 */
/* All keys of the rules file, section by section (see rules_keys.h). */
#include "gate/rules/rules_keys.h"

#include "gate/rules/rules_budget.h"
#include "gate/rules/rules_limit.h"
#include "gate/rules/rules_parse.h"
#include "gate/rules/rules_sections.h"
#include "gate/rules/rules_select.h"
#include "gate/rules/rules_try.h"

static const char *limit_key(uint32_t index) {
    return index < GATE_LIMIT_KINDS ? gate_limit_kind_name((enum gate_limit_kind)index) : NULL;
}

static const char *level_key(uint32_t index) {
    return gate_rules_limit_levels[index];
}

/* A section is a table of rows, or a list of names that are not read one by one. */
static const struct {
    const char *path;
    const struct gate_rules_row *rows;
    const char *(*name_at)(uint32_t index); /* NULL past the last */
} sections[] = {
    {"", gate_rules_parse_keys, NULL},
    {"defaults", gate_rules_sections_defaults, NULL},
    {"frames", gate_rules_sections_frames, NULL},
    {"frames.rename[]", gate_rules_sections_rename, NULL},
    {"own", gate_rules_sections_own, NULL},
    {"work", gate_rules_sections_work, NULL},
    {"counts", gate_rules_sections_counts, NULL},
    {"guards.*", gate_rules_sections_guard, NULL},
    {"budgets[]", gate_rules_budget_keys, NULL},
    {"budgets[].select", gate_rules_select_keys, NULL},
    {"budgets[].select.not", gate_rules_select_not_keys, NULL},
    {"budgets[].limit", NULL, limit_key},
    {"budgets[].limit.*", NULL, level_key},
    {"try", gate_rules_try_keys, NULL},
};

bool gate_rules_keys_at(uint32_t index, struct gate_rules_key *out) {
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        for (uint32_t at = 0;; at++) {
            const char *name = sections[i].rows != NULL ? sections[i].rows[at].name : sections[i].name_at(at);
            if (name == NULL)
                break;
            if (index-- == 0) {
                *out = (struct gate_rules_key){sections[i].path, name};
                return true;
            }
        }
    return false;
}
