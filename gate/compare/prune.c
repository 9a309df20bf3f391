/* SPDX-License-Identifier: Apache-2.0 */
/* drop_frames and keep_frames (see prune.h). */
#include "gate/compare/prune.h"

#include "gate/profile/location.h"
/* The name that drop_frames sees: without a leading '.', cut at the first '(' that is not part of a C++ name. */
static struct gate_str simplify(struct gate_str name) {
    const struct gate_str reserved[] = {GATE_STR("(anonymous namespace)"), GATE_STR("operator()")};
    if (gate_str_starts(name, GATE_STR(".")))
        name = gate_str_slice(name, 1, name.len);
    for (size_t at = 0; at < name.len;) {
        size_t skip = 0;
        for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
            if (gate_str_starts(gate_str_slice(name, at, name.len), reserved[i]))
                skip = reserved[i].len;
        if (skip == 0 && name.ptr[at] == '(')
            return gate_str_slice(name, 0, at);
        at += skip == 0 ? 1 : skip;
    }
    return name;
}

static bool prune_compile(struct gate_regex **out, struct gate_str pattern, struct gate_arena *arena,
                          struct gate_error *err) {
    *out = NULL;
    if (pattern.len == 0)
        return true;
    struct gate_str anchored =
        gate_str_concat(arena, (const struct gate_str[]){GATE_STR("^("), pattern, GATE_STR(")$")}, 3);
    if (anchored.ptr == NULL)
        return gate_arena_error(arena, err);
    if (gate_regex_compile(out, anchored, err))
        return true;
    err->code = GATE_ERR_INPUT;
    return false;
}

/* Which functions are dropped: a byte each. */
static bool prune_functions(uint8_t *dropped, const struct gate_profile *profile, const struct gate_regex *drop,
                            const struct gate_regex *keep, struct gate_error *err) {
    for (uint32_t i = 0; i < profile->function_count; i++) {
        struct gate_str name = simplify(profile->functions[i].name);
        if (profile->functions[i].name.len == 0)
            continue;
        enum gate_regex_result found = gate_regex_match(drop, name);
        enum gate_regex_result kept =
            found == GATE_REGEX_YES && keep != NULL ? gate_regex_match(keep, name) : GATE_REGEX_NO;
        if (found == GATE_REGEX_TOO_HARD || kept == GATE_REGEX_TOO_HARD)
            return gate_error_set(err, GATE_ERR_INPUT, "its drop_frames or keep_frames takes too long on '%.*s'",
                                  GATE_STR_ARG(name));
        dropped[i] = found == GATE_REGEX_YES && kept == GATE_REGEX_NO;
    }
    return true;
}

static void prune_location(struct gate_prune_plan *plan, const struct gate_profile *profile, const uint8_t *dropped,
                           uint32_t index) {
    struct gate_location location = gate_location_at(profile, index);
    struct gate_line_walk lines = gate_location_lines(profile, &location);
    struct gate_line line;
    uint32_t gone = 0;
    for (uint32_t i = 1; gate_line_next(&lines, &line); i++)
        gone = line.function != GATE_NO_INDEX && dropped[line.function] ? i : gone;
    if (gone == 0)
        return;
    bool outermost = gone == location.line_count;
    plan->action[index] = outermost ? GATE_PRUNE_WHOLE : GATE_PRUNE_BENEATH;
    /* A location that goes whole keeps its lines: nothing may be pruned before the first frame that stays. */
    plan->lines_gone[index] = outermost ? 0 : gone;
}

bool gate_prune_plan_make(struct gate_prune_plan *out, const struct gate_profile *profile, struct gate_arena *arena,
                          struct gate_error *err) {
    *out = (struct gate_prune_plan){0};
    if (profile->drop_frames.len == 0 || profile->location_count == 0)
        return true;
    struct gate_regex *drop = NULL;
    struct gate_regex *keep = NULL;
    struct gate_prune_plan plan = {
        .action = GATE_NEW_ARRAY(arena, uint8_t, profile->location_count),
        .lines_gone = GATE_NEW_ARRAY(arena, uint32_t, profile->location_count),
    };
    uint8_t *dropped = GATE_NEW_ARRAY(arena, uint8_t, profile->function_count + 1);
    bool ok = plan.action != NULL && plan.lines_gone != NULL && dropped != NULL;
    if (!ok)
        (void)gate_arena_error(arena, err);
    ok = ok && prune_compile(&drop, profile->drop_frames, arena, err) &&
         prune_compile(&keep, profile->keep_frames, arena, err) && prune_functions(dropped, profile, drop, keep, err);
    gate_regex_free(drop);
    gate_regex_free(keep);
    for (uint32_t i = 0; ok && i < profile->location_count; i++)
        prune_location(&plan, profile, dropped, i);
    if (ok)
        *out = plan;
    return ok;
}
