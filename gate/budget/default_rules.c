/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses presets by sample type. */
#include "gate/budget/default_rules.h"

#include "gate/budget/plan.h"
#include "gate/rules/rules_parse.h"

#include <string.h>

/* Sample types as profilers spell them. In the comparison '-' matches '_'. */
static const struct {
    const char *type, *preset;
} presets[] = {
    {"alloc_space", "heap"},
    {"alloc_objects", "heap"},
    {"alloc_samples", "heap"},
    {"inuse_space", "heap"},
    {"inuse_objects", "heap"},
    {"heap_live_size", "heap"},
    {"heap_space", "heap"},
    {"peak_space", "heap"},
    {"peak_objects", "heap"},
    {"space", "heap"},
    {"objects", "heap"},
    {"delay", "contention"},
    {"contentions", "contention"},
    {"lock_time", "contention"},
    {"lock_count", "contention"},
    {"block_time", "contention"},
    {"goroutine", "goroutine"},
    {"goroutines", "goroutine"},
    {"wall", "wall"},
    {"wall_time", "wall"},
    {"wall_samples", "wall"},
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

/* Presets of the kinds of profile whose name (as in labels of pairs and in captures) is not a sample type. */
static const struct {
    const char *kind, *preset;
} kinds[] = {
    {"heap", "heap"}, {"allocs", "heap"}, {"mutex", "contention"}, {"block", "contention"}, {"wall", "wall"},
};

/* Return the preset of an input: by the sample type of the command line, else by the sample type or kind that the
 * input's label names, else by its default type (budget/plan.h). */
static const char *preset_of(const struct gate_plan_input *input, struct gate_str given_type) {
    const struct gate_profile *profile = input->runs[GATE_BASELINE][0].profile;
    struct gate_str named = given_type;
    if (given_type.len == 0 && input->label.len != 0 && gate_plan_holds(input, input->label))
        named = input->label;
    struct gate_error ignored = {0};
    uint32_t column = 0;
    for (size_t i = 0; named.len == 0 && i < sizeof kinds / sizeof *kinds; i++)
        if (gate_str_equal(input->kind, gate_str_from(kinds[i].kind)))
            return kinds[i].preset;
    if (!gate_sample_type_find(&column, profile, named, &ignored))
        return "recommended";
    return gate_default_rules_preset(profile->sample_types[column].type);
}

/* Return whether a side of an input has exactly this "type/unit". "space/bytes" must not match "inuse_space", which a
 * lookup by name would accept. One side is enough: a budget without data on the other side is undecided, not left
 * out. */
static bool is_held_as(const struct gate_plan_input *input, struct gate_str candidate) {
    bool is_held = false;
    for (int side = 0; side < GATE_SIDES; side++) {
        struct gate_value_type found;
        is_held = is_held || (gate_plan_side_holds(&found, input, (enum gate_side_name)side, candidate) &&
                              gate_str_starts(candidate, found.type));
    }
    return is_held;
}

/* Return whether two names select the same sample type of the input's baseline. */
static bool is_same_type(const struct gate_plan_input *input, struct gate_str a, struct gate_str b) {
    const struct gate_profile *profile = input->runs[GATE_BASELINE][0].profile;
    struct gate_error ignored = {0};
    uint32_t columns[2] = {0, 0};
    return gate_sample_type_find(&columns[0], profile, a, &ignored) &&
           gate_sample_type_find(&columns[1], profile, b, &ignored) && columns[0] == columns[1];
}

/* Return whether an input has the sample type of a preset's budget. If the command line gives a sample type, it must be
 * that one. Some heap profiles have no allocations. */
static bool has_type(const struct gate_rules *preset, const struct gate_budget *budget,
                     const struct gate_plan_input *input, struct gate_str given_type) {
    for (uint32_t i = 0; i < preset->sample_type_count; i++) {
        const struct gate_sample_type_alias *alias = &preset->sample_types[i];
        for (uint32_t c = 0; gate_str_equal(alias->key, budget->sample_type) && c < alias->candidate_count; c++)
            if (is_held_as(input, alias->candidates[c]))
                return given_type.len == 0 || is_same_type(input, given_type, alias->candidates[c]);
    }
    return budget->sample_type.len == 0;
}

/* Keep the budgets whose values the input has. Returns false if none is left. */
static bool keep_held(struct gate_rules *preset, const struct gate_plan_input *input, struct gate_str given_type) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < preset->budget_count; i++)
        if (has_type(preset, &preset->budgets[i], input, given_type))
            preset->budgets[kept++] = preset->budgets[i];
    preset->budget_count = kept;
    return kept != 0;
}

/* Parse the preset of one input; if none of its budgets fits, parse `recommended`. */
static bool part_make(struct gate_rules *out, const char **name, const struct gate_plan_input *input,
                      struct gate_str given_type, struct gate_arena *arena, struct gate_error *err) {
    *name = preset_of(input, given_type);
    if (!gate_rules_parse_preset(out, *name, arena, err))
        return false;
    if (keep_held(out, input, given_type))
        return true;
    gate_rules_free(out);
    *name = "recommended";
    return gate_rules_parse_preset(out, *name, arena, err);
}

/* Append a budget for one pair. */
static bool append_budget(struct gate_rules *rules, const struct gate_budget *budget, struct gate_str pair,
                          bool is_named, struct gate_arena *arena) {
    struct gate_budget *copy = &rules->budgets[rules->budget_count++];
    *copy = *budget;
    copy->pair = pair;
    if (is_named)
        copy->name = gate_str_format(arena, "%.*s (%.*s)", GATE_STR_ARG(budget->name), GATE_STR_ARG(pair));
    return copy->name.ptr != NULL;
}

/* Append the type aliases and regexes of other rules. */
static void append_rest(struct gate_rules *rules, const struct gate_rules *other) {
    for (uint32_t i = 0; i < other->sample_type_count; i++)
        rules->sample_types[rules->sample_type_count++] = other->sample_types[i];
    for (uint32_t i = 0; i < other->regex_count; i++)
        rules->regexes[rules->regex_count++] = other->regexes[i];
}

/* Append a preset for one pair. */
static bool append(struct gate_rules *rules, const struct gate_rules *preset, struct gate_str pair, bool is_named,
                   struct gate_arena *arena) {
    bool ok = true;
    for (uint32_t i = 0; ok && i < preset->budget_count; i++)
        ok = append_budget(rules, &preset->budgets[i], pair, is_named, arena);
    append_rest(rules, preset);
    return ok;
}

/* Make room for the budgets, type aliases and regexes of all `parts`, and `more` budgets. */
static bool allocate(struct gate_rules *out, const struct gate_rules *parts, uint32_t count, uint32_t more,
                     struct gate_arena *arena) {
    uint32_t budgets = 1 + more, types = 1, regexes = 1;
    for (uint32_t i = 0; i < count; i++) {
        budgets += parts[i].budget_count;
        types += parts[i].sample_type_count;
        regexes += parts[i].regex_count;
    }
    out->budgets = GATE_NEW_ARRAY(arena, struct gate_budget, budgets);
    out->sample_types = GATE_NEW_ARRAY(arena, struct gate_sample_type_alias, types);
    out->regexes = gate_arena_calloc(arena, regexes, sizeof *out->regexes);
    out->budget_count = out->sample_type_count = out->regex_count = 0;
    return out->budgets != NULL && out->sample_types != NULL && out->regexes != NULL;
}

/* Return "recommended, heap (built in)". */
static struct gate_str source_of(const char *const *names, uint32_t count, struct gate_arena *arena) {
    struct gate_str text = gate_str_from(names[0]);
    for (uint32_t i = 1; i < count && text.ptr != NULL; i++) {
        bool is_new = true;
        for (uint32_t before = 0; before < i; before++)
            is_new = is_new && strcmp(names[before], names[i]) != 0;
        if (is_new)
            text = gate_str_format(arena, "%.*s, %s", GATE_STR_ARG(text), names[i]);
    }
    return text.ptr == NULL ? text : gate_str_format(arena, "%.*s (built in)", GATE_STR_ARG(text));
}

/* Join the presets. They own their regexes until this succeeds. */
static bool join(struct gate_rules *out, const struct gate_rules *parts, const char *const *names,
                 const struct gate_plan_input *inputs, uint32_t count, struct gate_arena *arena) {
    out->source = source_of(names, count, arena);
    bool ok = out->source.ptr != NULL && allocate(out, parts, count, 0, arena);
    for (uint32_t i = 0; ok && i < count; i++)
        ok = append(out, &parts[i], inputs[i].label, count > 1, arena);
    return ok;
}

bool gate_default_rules_choose(struct gate_rules *rules, const struct gate_plan_input *inputs, uint32_t input_count,
                               struct gate_str given_type, struct gate_arena *arena, struct gate_error *err) {
    bool all_fit = true;
    for (uint32_t i = 0; i < input_count; i++)
        all_fit = all_fit && strcmp(preset_of(&inputs[i], given_type), "recommended") == 0;
    if (all_fit)
        return true;
    struct gate_rules *parts = GATE_NEW_ARRAY(arena, struct gate_rules, input_count);
    const char **names = gate_arena_calloc(arena, input_count, sizeof *names);
    struct gate_rules joined = *rules;
    bool ok = parts != NULL && names != NULL;
    if (!ok)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; ok && i < input_count; i++)
        ok = part_make(&parts[i], &names[i], &inputs[i], given_type, arena, err);
    if (ok && !join(&joined, parts, names, inputs, input_count, arena))
        ok = gate_arena_error(arena, err);
    for (uint32_t i = 0; !ok && i < input_count; i++)
        gate_rules_free(&parts[i]);
    if (!ok)
        return false;
    gate_rules_free(rules);
    *rules = joined;
    return true;
}

/* ---- rules that are or extend a preset --------------------------------------------------------------------------- */

/* Return whether a preset's budget applies to shares of any sample type. */
static bool is_of_any_type(const struct gate_budget *budget) {
    return budget->is_of_preset && budget->sample_type.len == 0 && budget->pair.len == 0;
}

/* Return whether a budget names the pair of an input, or one of its sample types. */
static bool names_input(const struct gate_rules *rules, const struct gate_budget *budget,
                        const struct gate_plan_input *input) {
    struct gate_str type;
    if (budget->pair.len != 0)
        return gate_str_equal(budget->pair, input->label);
    return budget->sample_type.len != 0 && gate_plan_type(&type, rules, budget, input, GATE_STR(""));
}

/* Return whether an input needs the preset of its type. */
static bool needs_preset(const struct gate_rules *rules, const struct gate_plan_input *input,
                         struct gate_str given_type) {
    static const char *const of_amounts[] = {"heap", "contention", "goroutine"};
    const char *preset = preset_of(input, given_type);
    bool is_of_amounts = false, is_extended = false;
    for (size_t i = 0; i < sizeof of_amounts / sizeof *of_amounts; i++)
        is_of_amounts = is_of_amounts || strcmp(preset, of_amounts[i]) == 0;
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        if (names_input(rules, &rules->budgets[i], input))
            return false;
        is_extended = is_extended || is_of_any_type(&rules->budgets[i]);
    }
    return is_of_amounts && is_extended;
}

/* Append the budgets of the file. Budgets for any sample type apply only to inputs that need no preset. */
static bool append_own(struct gate_rules *out, const struct gate_rules *rules, const struct gate_plan_input *inputs,
                       const bool *needs, uint32_t count, struct gate_arena *arena) {
    uint32_t others = 0;
    bool ok = true;
    for (uint32_t i = 0; i < count; i++)
        others += !needs[i];
    for (uint32_t b = 0; ok && b < rules->budget_count; b++)
        for (uint32_t i = 0; ok && i < count && is_of_any_type(&rules->budgets[b]); i++)
            ok = needs[i] || append_budget(out, &rules->budgets[b], inputs[i].label, others > 1, arena);
    for (uint32_t b = 0; ok && b < rules->budget_count; b++)
        if (!is_of_any_type(&rules->budgets[b]))
            out->budgets[out->budget_count++] = rules->budgets[b];
    append_rest(out, rules);
    return ok;
}

/* If the rules are a preset, add the names of the added presets to its name: "node, heap (built in)". These are
 * names[1] and so on; names[0] is set to the name of the rules. */
static bool complete_source(struct gate_str *source, const char **names, uint32_t count, struct gate_arena *arena) {
    if (!gate_str_ends(*source, GATE_RULES_BUILT_IN))
        return true;
    struct gate_str base = gate_str_slice(*source, 0, source->len - GATE_RULES_BUILT_IN.len);
    names[0] = gate_str_copy(arena, base).ptr;
    if (names[0] == NULL)
        return false;
    *source = source_of(names, count, arena);
    return source->ptr != NULL;
}

bool gate_default_rules_complete(struct gate_rules *rules, const struct gate_plan_input *inputs, uint32_t input_count,
                                 struct gate_str given_type, struct gate_arena *arena, struct gate_error *err) {
    struct gate_rules *parts = GATE_NEW_ARRAY(arena, struct gate_rules, (size_t)input_count + 1);
    bool *needs = GATE_NEW_ARRAY(arena, bool, input_count);
    const char **names = gate_arena_calloc(arena, (size_t)input_count + 1, sizeof *names);
    uint32_t name_count = 1;
    bool ok = true, is_complete = true;
    if (parts == NULL || needs == NULL || names == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < input_count; i++) {
        needs[i] = needs_preset(rules, &inputs[i], given_type);
        is_complete = is_complete && !needs[i];
    }
    if (is_complete)
        return true;
    for (uint32_t i = 0; ok && i < input_count; i++)
        ok = !needs[i] || part_make(&parts[i], &names[name_count++], &inputs[i], given_type, arena, err);
    struct gate_rules joined = parts[input_count] = *rules;
    if (ok && !(complete_source(&joined.source, names, name_count, arena) &&
                allocate(&joined, parts, input_count + 1, rules->budget_count * input_count, arena) &&
                append_own(&joined, rules, inputs, needs, input_count, arena)))
        ok = gate_arena_error(arena, err);
    for (uint32_t i = 0; ok && i < input_count; i++)
        ok = !needs[i] || append(&joined, &parts[i], inputs[i].label, input_count > 1, arena) ||
             gate_arena_error(arena, err);
    for (uint32_t i = 0; !ok && i < input_count; i++)
        gate_rules_free(&parts[i]);
    if (ok)
        *rules = joined;
    return ok;
}
