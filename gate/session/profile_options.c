/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/session/profile_options.h"

#include "gate/base/sandbox.h"
#include "gate/model/profile.h"
#include "gate/session/file_roles.h"
#include "gate/session/session.h"
#include "gate/symbols/symbolise.h"

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

unsigned gate_symbol_options_needs(const struct gate_symbol_options *options) {
    return options->asks_servers ? GATE_NEEDS_NETWORK : 0;
}

bool gate_symbol_options_apply(struct gate_profile *out, const struct gate_profile *profile,
                               struct gate_session *session, struct gate_arena *arena, struct gate_error *err) {
    struct gate_symbol_source none;
    gate_symbol_source_init(&none, session->arena);
    return gate_symbolise(out, profile, session->symbols == NULL ? &none : session->symbols, arena, err);
}

/* ---- profiles ---------------------------------------------------------------------------------------------------- */

void gate_profile_options_begin(struct gate_profile_options *options) {
    *options = (struct gate_profile_options){.granularity = -1, .exact_names = -1, .limits = gate_limits_default()};
    options->limits.memory_bytes = 0; /* derived from the size of the inputs (session/load_sides.h) */
}

static const char *const side_roles[GATE_SIDES] = {"the baseline", "the canary"};

static bool options_note_pair(const struct gate_profile_pair *pair, struct gate_file_roles *roles,
                              struct gate_arena *arena, struct gate_error *err) {
    for (int side = 0; side < GATE_SIDES; side++) {
        struct gate_str role =
            gate_str_format(arena, "%s of the pair '%.*s'", side_roles[side], GATE_STR_ARG(pair->label));
        if (role.ptr == NULL)
            return gate_arena_error(arena, err);
        if (!gate_file_roles_read_all(roles, role.ptr, &pair->paths[side], arena, err))
            return false;
    }
    return true;
}

bool gate_profile_options_note(const struct gate_profile_options *options, const char *argument_role,
                               struct gate_file_roles *roles, struct gate_arena *arena, struct gate_error *err) {
    for (uint32_t i = 0; i < options->arguments.count; i++) {
        const char *role = argument_role != NULL ? argument_role : i < GATE_SIDES ? side_roles[i] : "a profile";
        if (!gate_file_roles_read(roles, role, options->arguments.items[i], arena, err))
            return false;
    }
    for (int side = 0; side < GATE_SIDES; side++)
        if (!gate_file_roles_read_all(roles, side_roles[side], &options->paths[side], arena, err))
            return false;
    for (uint32_t i = 0; i < options->pairs.count; i++)
        if (!options_note_pair(&options->pairs.items[i], roles, arena, err))
            return false;
    for (uint32_t i = 0; i < options->symbols.paths.count; i++)
        if (!gate_file_roles_read_file(roles, options->symbols.paths.items[i], arena, err))
            return false;
    return true;
}

bool gate_profile_options_deal(struct gate_profile_options *options, struct gate_arena *arena, struct gate_error *err) {
    const char **arguments = options->arguments.items;
    uint32_t count = options->arguments.count;
    bool named = options->paths[GATE_BASELINE].count != 0 || options->paths[GATE_CANARY].count != 0;
    if (options->pairs.count != 0 && (named || count != 0))
        return gate_error_set(err, GATE_ERR_USAGE,
                              "--pair cannot be combined with other profiles; give every profile with --pair, or none");
    if (options->pairs.count != 0)
        return true;
    if (named && count != 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'%s' is given beside --baseline and --canary, so its side is not clear; put one of "
                              "these in front of it, or "
                              "it right behind their files",
                              arguments[0]);
    if (!named && count > 2)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "unexpected '%s': expected BASELINE CANARY; for several runs of a side write --baseline "
                              "A B ... --canary C D "
                              "..., or a pattern in quotes, such as 'base-*.pb.gz'",
                              arguments[2]);
    if (count == 2 && gate_paths_is_address(arguments[0]) && gate_paths_is_address(arguments[1]))
        return gate_paths_refuse_addresses(arguments[0], arguments[1], err);
    for (uint32_t i = 0; i < count; i++)
        if (!gate_paths_add(&options->paths[i], arguments[i], arena, err))
            return false;
    if (options->paths[GATE_BASELINE].count == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "the baseline is missing: expected BASELINE CANARY");
    if (options->paths[GATE_CANARY].count == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "the canary is missing: expected BASELINE CANARY");
    return true;
}

struct gate_pair_options gate_profile_options_pairing(const struct gate_profile_options *options,
                                                      struct gate_frame_options frames,
                                                      struct gate_counts_options counts) {
    if (options->granularity >= 0)
        frames.granularity = (enum gate_granularity)options->granularity;
    if (options->exact_names >= 0)
        frames.exact_names = options->exact_names == 1;
    if (options->counts.period > 0)
        counts.period = options->counts.period;
    if (options->counts.mutex_fraction > 0)
        counts.mutex_fraction = options->counts.mutex_fraction;
    return (struct gate_pair_options){.sample_type = options->sample_type,
                                      .where = {options->where.items, options->where.count},
                                      .frames = frames,
                                      .counts = counts};
}
