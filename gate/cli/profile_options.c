/* SPDX-License-Identifier: Apache-2.0 */
/* The options of commands that load profiles (see profile_options.h). */
#include "gate/cli/profile_options.h"

#include "gate/cli/option_value.h"
#include "gate/rules/naming.h"

/* ---- readers of what only these options take --------------------------------------------------------------------- */

static bool read_where(const struct gate_option_use *use, struct gate_error *err) {
    struct gate_profile_where *where = use->out;
    struct gate_str text = gate_str_from(use->value);
    size_t equals = gate_str_find(text, GATE_STR("="), 0);
    if (equals == SIZE_MAX || equals == 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--where': expected KEY=VALUE such as endpoint=/checkout, found '%s'",
                              use->value);
    struct gate_label_match *items =
        gate_arena_grow(use->arena, where->items, where->count, &where->capacity, sizeof *items);
    if (items == NULL)
        return gate_arena_error(use->arena, err);
    where->items = items;
    where->items[where->count++] =
        (struct gate_label_match){gate_str_slice(text, 0, equals), gate_str_slice(text, equals + 1, text.len)};
    return true;
}

/* The path of `*text` up to its first bare comma, which is taken too; "\," is a comma of the path and "\\" a backslash.
 * Empty where there is none, NULL when the arena is full. */
static const char *pair_path(const char **text, bool *has_comma, struct gate_arena *arena) {
    char *path = gate_arena_alloc(arena, strlen(*text) + 1);
    size_t len = 0;
    const char *at = *text;
    if (path == NULL)
        return NULL;
    for (; *at != '\0' && *at != ','; at++) {
        if (at[0] == '\\' && (at[1] == ',' || at[1] == '\\'))
            at++;
        path[len++] = *at;
    }
    path[len] = '\0';
    *has_comma = *at == ',';
    *text = *has_comma ? at + 1 : at;
    return path;
}

static bool pair_sides(struct gate_profile_pair *pair, const char *text, const struct gate_option_use *use,
                       struct gate_error *err) {
    bool has_comma[GATE_SIDES] = {false, false};
    const char *paths[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++) {
        paths[side] = pair_path(&text, &has_comma[side], use->arena);
        if (paths[side] == NULL)
            return gate_arena_error(use->arena, err);
        if (!gate_paths_add(&pair->paths[side], paths[side], use->arena, err))
            return false;
    }
    if (has_comma[GATE_CANARY])
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "option '--pair': expected NAME=BASELINE,CANARY, found a second comma in '%s'; a comma in a "
            "path is written '\\,'",
            use->value);
    if (paths[GATE_BASELINE][0] == '\0' || paths[GATE_CANARY][0] == '\0')
        return gate_error_set(err, GATE_ERR_USAGE, "option '--pair': expected NAME=BASELINE,CANARY, found '%s'",
                              use->value);
    return true;
}

static bool read_pair(const struct gate_option_use *use, struct gate_error *err) {
    struct gate_profile_pairs *pairs = use->out;
    const char *equals = strchr(use->value, '=');
    if (equals == NULL || equals == use->value)
        return gate_error_set(err, GATE_ERR_USAGE, "option '--pair': expected NAME=BASELINE,CANARY, found '%s'",
                              use->value);
    struct gate_profile_pair pair = {.label = {use->value, (size_t)(equals - use->value)}};
    for (uint32_t i = 0; i < pairs->count; i++)
        if (gate_str_equal(pairs->items[i].label, pair.label))
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "option '--pair': two pairs are named '%.*s'; give every pair a name "
                                  "of its own",
                                  GATE_STR_ARG(pair.label));
    if (!pair_sides(&pair, equals + 1, use, err))
        return false;
    struct gate_profile_pair *items =
        gate_arena_grow(use->arena, pairs->items, pairs->count, &pairs->capacity, sizeof *items);
    if (items == NULL)
        return gate_arena_error(use->arena, err);
    pairs->items = items;
    pairs->items[pairs->count++] = pair;
    return true;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

#define AT(field) offsetof(struct gate_profile_options, field)

static const struct gate_option side_rows[] = {
    {"baseline", 0, "PATH...", "runs of the baseline, as many as there are; may be repeated", gate_option_value_path,
     AT(paths[GATE_BASELINE]), NULL},
    {"canary", 0, "PATH...", "runs of the canary, likewise", gate_option_value_path, AT(paths[GATE_CANARY]), NULL},
    {0},
};
const struct gate_option_group gate_profile_options_sides = {.rows = side_rows};

static const struct gate_option pair_rows[] = {
    {"pair", 0, "NAME=B,C",
     "baseline and canary of one kind of profile, such as cpu=base.pb.gz,canary.pb.gz (a comma in a path is written "
     "'\\,'); "
     "may be repeated",
     read_pair, AT(pairs), NULL},
    {0},
};
const struct gate_option_group gate_profile_options_pair = {.rows = pair_rows};

static const struct gate_option by_rows[] = {
    {"by", 0, "LABEL",
     "compare within each value of a label as well, such as endpoint: by the budgets that bound growth, the heaviest "
     "values, worst first",
     gate_option_value_view, AT(by), NULL},
    {"by-values", 0, "N", "values of it that are compared at most (default 8, 64 at most)", gate_option_value_count32,
     AT(by_values), NULL},
    {0},
};
const struct gate_option_group gate_profile_options_by = {.rows = by_rows};

#define COUNTS_ROWS                                                                                                    \
    {"period",                                                                                                         \
     0,                                                                                                                \
     "N",                                                                                                              \
     "the sampling period in the value's unit, where the profile does not say it or has it wrong",                     \
     gate_option_value_positive,                                                                                       \
     AT(counts.period),                                                                                                \
     NULL},                                                                                                            \
    {                                                                                                                  \
        "mutex-fraction", 0, "N", "Go's mutex profile fraction, which the profile does not record",                    \
            gate_option_value_positive, AT(counts.mutex_fraction), NULL                                                \
    }

static const struct gate_option read_rows[] = {
    {"sample-type", 0, "NAME",
     "which values to compare: a type, type/unit, or its number (default: the profile's own choice)",
     gate_option_value_view, AT(sample_type), NULL},
    {"where", 0, "KEY=VALUE", "only samples with this label; may be repeated", read_where, AT(where), NULL},
    {"granularity", 0, "WHAT", "what a frame is: function (default), line, file, package or mapping",
     gate_option_value_word, AT(granularity), gate_naming_granularities},
    {"names", 0, "HOW",
     "stable (default): names that each build numbers anew become one frame; exact: as the profile spells them",
     gate_option_value_word, AT(exact_names), gate_naming_modes},
    COUNTS_ROWS,
    {0},
};
const struct gate_option_group gate_profile_options_read = {"How profiles are read:", read_rows, NULL};

static const struct gate_option counts_rows[] = {COUNTS_ROWS, {0}};
const struct gate_option_group gate_profile_options_counts = {.rows = counts_rows};

static const struct gate_option limit_rows[] = {
    {"max-compressed-size", 0, "SIZE", "bytes of a file as it is stored (default 1G)", gate_option_value_size,
     AT(limits.compressed_bytes), NULL},
    {"max-size", 0, "SIZE", "bytes of a profile, inflated (default 2G)", gate_option_value_size,
     AT(limits.inflated_bytes), NULL},
    {"max-samples", 0, "N", "samples of a profile (default 100 million)", gate_option_value_count, AT(limits.samples),
     NULL},
    {"max-depth", 0, "N", "frames of a stack, inlined calls too (default 16384)", gate_option_value_count32,
     AT(limits.depth), NULL},
    {"max-lines", 0, "N", "inlined calls of a location (default 4096)", gate_option_value_count32, AT(limits.lines),
     NULL},
    {"max-labels", 0, "N", "labels of a sample (default 256)", gate_option_value_count32, AT(limits.labels), NULL},
    {"max-strings", 0, "N", "strings of a profile (default 50 million)", gate_option_value_count32, AT(limits.strings),
     NULL},
    {"max-memory", 0, "SIZE",
     "bytes of memory for profiles, tables and reports together (default: 256 times the inputs, 224M to 4G)",
     gate_option_value_size, AT(limits.memory_bytes), NULL},
    {"max-steps", 0, "N",
     "work that stacks and names of all profiles ask for: a frame of a stack is a step, a byte of a name eight "
     "(default: 128 a byte of the inputs, at least 128 million)",
     gate_option_value_count, AT(limits.steps), NULL},
    {0},
};
const struct gate_option_group gate_profile_options_limits = {
    "Caps on hostile input (k, M and G: of SIZE powers of 1024, of N of 1000):", limit_rows, NULL};

/* ---- after parsing ----------------------------------------------------------------------------------------------- */

void gate_profile_options_begin(struct gate_profile_options *options) {
    *options = (struct gate_profile_options){.granularity = -1, .exact_names = -1, .limits = gate_limits_default()};
    options->limits.memory_bytes = 0; /* by what comes in (cli/load_sides.h) */
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
