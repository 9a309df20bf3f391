/* SPDX-License-Identifier: Apache-2.0 */
/* What `merge` and `summarize` have in common: they read profiles one after the other, and write one file. */
#include "gate/cli/joining.h"

#include "gate/session/file_roles.h"
#include "gate/session/input.h"
#include "gate/session/load_sides.h"
#include "gate/session/names_from.h"
#include "gate/session/reports.h"
#include "gate/session/sandboxing.h"

void gate_joining_begin(struct gate_joining *joining) {
    gate_profile_options_begin(&joining->profiles);
    gate_capture_options_begin(&joining->asking);
    joining->asking.limits = &joining->profiles.limits;
}

unsigned gate_joining_needs(const struct gate_joining *joining) {
    return gate_backend_inputs_needs(&joining->profiles.arguments, 1) |
           gate_symbol_options_needs(&joining->profiles.symbols);
}

bool gate_joining_check(const struct gate_joining *joining, const char *verb, enum gate_own_mark mark,
                        struct gate_session *session, struct gate_error *err) {
    struct gate_arena *arena = session->arena;
    struct gate_file_roles roles = {0};
    if (joining->profiles.arguments.count == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "expected a PROFILE to %s", verb);
    if (joining->output == NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "no output is named; add --output FILE, or --output - for standard output");
    return gate_output_spare_terminal(session, joining->output, "output", err) &&
           gate_profile_options_note(&joining->profiles, "a profile", &roles, arena, err) &&
           gate_capture_options_note(&joining->asking, &roles, arena, err) && gate_file_roles_check(&roles, err) &&
           gate_file_roles_write(&roles, joining->output, mark, session, err);
}

/* A profile that is being added. */
struct adding {
    gate_joining_add *add;
    void *sum;
    struct gate_joining_one one;
    struct gate_error err;
    bool ok;
};

static void adding_do(void *context) {
    struct adding *adding = context;
    adding->ok = adding->add(adding->sum, &adding->one, &adding->err);
}

/* Load, add and free the next profile. */
static bool next_add(struct adding *adding, struct gate_load_ahead *ahead, struct gate_session *session,
                     struct gate_error *err) {
    struct gate_load_ahead_one *loaded = NULL;
    struct gate_profile named;
    adding->ok = false;
    adding->err = (struct gate_error){0};
    adding->one = (struct gate_joining_one){.profile = &named, .path = ahead->paths->items[ahead->at]};
    bool ok = gate_load_ahead_next(&loaded, ahead, &adding->err);
    if (ok) {
        session->steps.asked += loaded->made_steps;
        gate_steps_add(&session->steps, &loaded->profile, loaded->file_bytes);
    }
    ok = ok && gate_steps_check(&session->steps, ahead->limits, &adding->err) &&
         gate_symbol_options_apply(&named, &loaded->profile, session, &loaded->arena, &adding->err);
    if (ok) {
        adding->one.arena = &loaded->arena;
        gate_load_ahead_do(ahead, adding_do, adding);
    }
    return (ok && adding->ok) ||
           gate_error_set(err, adding->err.code, "%s: %s", gate_input_name(adding->one.path), adding->err.message);
}

static bool load_all(struct gate_joining *joining, gate_joining_add *add, void *sum, struct gate_session *session,
                     struct gate_error *err) {
    struct gate_paths paths;
    struct gate_load_ahead ahead;
    struct adding adding = {.add = add, .sum = sum};
    bool ok = true;
    if (!gate_input_expand(&paths, &joining->profiles.arguments, session, &joining->profiles.limits, err))
        return false;
    gate_load_sides_limit(session, &paths, SIZE_MAX, &joining->profiles.limits);
    gate_load_ahead_begin(&ahead, session, &paths, &joining->profiles.limits);
    for (uint32_t i = 0; ok && i < paths.count; i++)
        ok = next_add(&adding, &ahead, session, err);
    gate_load_ahead_end(&ahead);
    return ok;
}

bool gate_joining_load(struct gate_joining *joining, gate_joining_add *add, void *sum, struct gate_session *session,
                       struct gate_error *err) {
    if (!gate_names_from_open(&joining->profiles.symbols, session, err) ||
        !gate_backend_inputs_take(&joining->profiles.arguments, 1, &joining->asking, session, err))
        return false;
    gate_sandboxing_narrow(session, gate_symbol_options_needs(&joining->profiles.symbols)); /* no store any more */
    return load_all(joining, add, sum, session, err);
}
