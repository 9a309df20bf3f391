/* SPDX-License-Identifier: Apache-2.0 */
/* Presets by sample type (see default_rules.h). */
#include "gate/budget/default_rules.h"

#include "gate/rules/rules_parse.h"

#include <string.h>

/* Types as producers spell them; '-' and '_' are one. */
static const struct {
    const char *type, *preset;
} presets[] = {
    {"alloc_space", "heap"},     {"alloc_objects", "heap"},   {"alloc_samples", "heap"}, {"inuse_space", "heap"},
    {"inuse_objects", "heap"},   {"heap_live_size", "heap"},  {"heap_space", "heap"},    {"space", "heap"},
    {"objects", "heap"},         {"delay", "contention"},     {"contentions", "contention"},
    {"lock_time", "contention"}, {"lock_count", "contention"}, {"block_time", "contention"},
    {"wall", "wall"},            {"wall_time", "wall"},       {"wall_samples", "wall"},
};

static bool is_type(struct gate_str type, const char *known) {
    if (type.len != strlen(known))
        return false;
    for (size_t i = 0; i < type.len; i++)
        if ((type.ptr[i] == '-' ? '_' : type.ptr[i]) != known[i])
            return false;
    return true;
}

const char *gate_default_rules_preset(struct gate_str sample_type) {
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (is_type(sample_type, presets[i].type))
            return presets[i].preset;
    return "recommended";
}

static const char *preset_of(const struct gate_plan_input *input) {
    const struct gate_profile *profile = input->runs[GATE_BASELINE][0].profile;
    struct gate_error ignored = {0};
    uint32_t column = 0;
    if (!gate_sample_type_find(&column, profile, GATE_STR(""), &ignored))
        return "recommended";
    return gate_default_rules_preset(profile->sample_types[column].type);
}

/* Append a preset's budgets for one pair, and what else it brings. */
static bool append(struct gate_rules *rules, const struct gate_rules *preset, struct gate_str pair, bool is_named,
                   struct gate_arena *arena) {
    for (uint32_t i = 0; i < preset->budget_count; i++) {
        struct gate_budget *budget = &rules->budgets[rules->budget_count++];
        *budget = preset->budgets[i];
        budget->pair = pair;
        if (is_named)
            budget->name = gate_str_format(arena, "%.*s (%.*s)", GATE_STR_ARG(budget->name), GATE_STR_ARG(pair));
        if (budget->name.ptr == NULL)
            return false;
    }
    for (uint32_t i = 0; i < preset->sample_type_count; i++)
        rules->sample_types[rules->sample_type_count++] = preset->sample_types[i];
    for (uint32_t i = 0; i < preset->regex_count; i++)
        rules->regexes[rules->regex_count++] = preset->regexes[i];
    return true;
}

static bool allocate(struct gate_rules *out, const struct gate_rules *presets_of, uint32_t count,
                     struct gate_arena *arena) {
    uint32_t budgets = 1, types = 1, regexes = 1;
    for (uint32_t i = 0; i < count; i++) {
        budgets += presets_of[i].budget_count;
        types += presets_of[i].sample_type_count;
        regexes += presets_of[i].regex_count;
    }
    out->budgets = GATE_NEW_ARRAY(arena, struct gate_budget, budgets);
    out->sample_types = GATE_NEW_ARRAY(arena, struct gate_sample_type_alias, types);
    out->regexes = gate_arena_calloc(arena, regexes, sizeof *out->regexes);
    out->budget_count = out->sample_type_count = out->regex_count = 0;
    return out->budgets != NULL && out->sample_types != NULL && out->regexes != NULL;
}

/* "recommended, heap (built in)" */
static struct gate_str source_of(const struct gate_plan_input *inputs, uint32_t count, struct gate_arena *arena) {
    struct gate_str text = gate_str_from(preset_of(&inputs[0]));
    for (uint32_t i = 1; i < count && text.ptr != NULL; i++) {
        bool is_new = true;
        for (uint32_t before = 0; before < i; before++)
            is_new = is_new && strcmp(preset_of(&inputs[before]), preset_of(&inputs[i])) != 0;
        if (is_new)
            text = gate_str_format(arena, "%.*s, %s", GATE_STR_ARG(text), preset_of(&inputs[i]));
    }
    return text.ptr == NULL ? text : gate_str_format(arena, "%.*s (built in)", GATE_STR_ARG(text));
}

bool gate_default_rules_choose(struct gate_rules *rules, const struct gate_plan_input *inputs, uint32_t input_count,
                               struct gate_arena *arena, struct gate_error *err) {
    bool all_fit = true;
    for (uint32_t i = 0; i < input_count; i++)
        all_fit = all_fit && strcmp(preset_of(&inputs[i]), "recommended") == 0;
    if (all_fit)
        return true;
    struct gate_rules *parts = GATE_NEW_ARRAY(arena, struct gate_rules, input_count);
    struct gate_rules joined = *rules;
    bool ok = parts != NULL;
    for (uint32_t i = 0; ok && i < input_count; i++)
        ok = gate_rules_parse_preset(&parts[i], preset_of(&inputs[i]), arena, err);
    if (!ok) {
        for (uint32_t i = 0; parts != NULL && i < input_count; i++)
            gate_rules_free(&parts[i]);
        return parts != NULL ? false : gate_arena_error(arena, err);
    }
    joined.source = source_of(inputs, input_count, arena);
    if (joined.source.ptr == NULL || !allocate(&joined, parts, input_count, arena))
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < input_count; i++)
        if (!append(&joined, &parts[i], inputs[i].label, input_count > 1, arena))
            return gate_arena_error(arena, err);
    gate_rules_free(rules);
    *rules = joined;
    return true;
}
