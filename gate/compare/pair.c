/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the runs of both sides on one frame table. */
#include "gate/compare/pair.h"

#include "gate/base/heap.h"
#include "gate/base/parallel.h"
#include "gate/compare/drift.h"
#include "gate/compare/frames.h"
#include "gate/compare/label_values.h"
#include "gate/compare/misplaced.h"
#include "gate/compare/moved_functions.h"
#include "gate/compare/pair_types.h"
#include "gate/compare/upgrades.h"
#include "gate/compare/v8_inlined_lines.h"
#include "gate/compare/walk.h"
#include "gate/formats/format.h"
#include "gate/model/labels.h"
#include "gate/model/location.h"
#include "gate/model/profile.h"
#include "gate/model/shared_tables.h"
#include "gate/model/unit.h"
#include "gate/names/frame_name.h"

#include <math.h>

/* ---- alternative sample type ------------------------------------------------------------------------------------- */

/* The candidates are the columns of the baseline's first run. */
struct candidates {
    const struct gate_profile *first;
    bool is_out[GATE_VALUES_MAX];
    bool has_values[GATE_VALUES_MAX][GATE_SIDES];
};

static void run_look(struct candidates *all, const struct gate_profile *profile, int side,
                     const struct gate_label_filter *where) {
    uint32_t columns[GATE_VALUES_MAX] = {0};
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error ignored = {0};
    for (uint32_t i = 0; i < all->first->sample_type_count; i++) {
        struct gate_error missing = {0};
        all->is_out[i] =
            all->is_out[i] || !gate_sample_type_find(&columns[i], profile, all->first->sample_types[i].type, &missing);
    }
    gate_sample_begin(&cursor, profile);
    while (gate_sample_next(&cursor, &sample, &ignored)) {
        if (!gate_where_passes(where, &cursor, &sample))
            continue;
        for (uint32_t i = 0; i < all->first->sample_type_count; i++) {
            int64_t value = sample.values[columns[i]];
            all->is_out[i] = all->is_out[i] || value < 0;
            all->has_values[i][side] = all->has_values[i][side] || value > 0;
        }
    }
    gate_sample_end(&cursor);
}

/**
 * Find a sample type that every run of both sides has, without negative values and with a positive sum on each side.
 * Prefers a type in the pair's unit, else returns the first; empty if there is none. Reads only the pair's type and the
 * inputs of its runs, because other threads may be filling the rest.
 *
 * O(sample types of the first run * samples of all).
 */
static struct gate_str other_type_find(const struct gate_pair *pair, const struct gate_label_filter *where) {
    struct candidates all = {.first = pair->sides[GATE_BASELINE].runs[0].input.profile};
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < pair->sides[side].run_count; i++)
            run_look(&all, pair->sides[side].runs[i].input.profile, side, where);
    struct gate_str found = GATE_STR("");
    for (uint32_t i = 0; i < all.first->sample_type_count; i++) {
        struct gate_value_type type = all.first->sample_types[i];
        bool is_alike = gate_unit_ratio(type.unit, pair->type.unit) != 0 || gate_unit_ratio(pair->type.unit, type.unit);
        if (all.is_out[i] || !all.has_values[i][GATE_BASELINE] || !all.has_values[i][GATE_CANARY] ||
            (found.len != 0 && !is_alike))
            continue;
        found = type.type;
        if (is_alike)
            break;
    }
    return found;
}

/* ---- collecting samples ------------------------------------------------------------------------------------------ */

struct gate_pair_collecting {
    struct gate_label_filter where;
    bool is_part;    /* only a part of the samples is compared, so a run without any is not an error */
    bool in_threads; /* one thread per side */
};

/* Minimum share of a run's cost with a known label value; below it the traffic mix counts as unknown. */
static const double MIXED_LEAST = 0.5;

struct pair_collect {
    struct gate_side *side;
    const struct gate_pair *pair;
    const struct gate_pair_collecting *how;
    struct gate_arena arena;
    struct gate_error err;
    bool ok;
};

static bool pair_has_stacks(const struct gate_stacks *stacks) {
    struct gate_stacks_walk walk = gate_stacks_begin(stacks);
    struct gate_stack stack;
    while (gate_stacks_next(&stack, &walk))
        if (stack.ref.len != 0)
            return true;
    return false;
}

static bool pair_refuse_absent(const struct gate_run *run, const struct gate_label_filter *where,
                               struct gate_error *err) {
    (void)gate_where_absent(run->input.profile, where, err);
    return gate_error_prefix(err, "%.*s", GATE_STR_ARG(run->input.path));
}

/* Refuse the values of a sample type, and suggest another type that is valid. */
static bool pair_refuse_values(const struct pair_collect *work, struct gate_str path, const char *what,
                               const char *otherwise, struct gate_error *err) {
    struct gate_str type = work->pair->type.type, other = other_type_find(work->pair, &work->how->where);
    if (other.len == 0)
        return gate_error_set(err, GATE_ERR_INPUT, "%.*s: the values of '%.*s' %s%s", GATE_STR_ARG(path),
                              GATE_STR_ARG(type), what, otherwise);
    return gate_error_set(err, GATE_ERR_INPUT,
                          "%.*s: the values of '%.*s' %s%s, or compare '%.*s', whose values can be (--sample-type, or "
                          "'sample_type' of the budgets)",
                          GATE_STR_ARG(path), GATE_STR_ARG(type), what, otherwise, GATE_STR_ARG(other));
}

static bool pair_check_run(const struct gate_run *run, const struct pair_collect *work, struct gate_error *err) {
    const struct gate_stacks *stacks = &run->stacks;
    const struct gate_label_filter *where = &work->how->where;
    struct gate_str path = run->input.path;
    if (stacks->record_count == 0 && work->how->is_part)
        return true;
    if (stacks->record_count == 0 && where->count != 0 && run->input.profile->sample_count != 0)
        return pair_refuse_absent(run, where, err);
    if (stacks->record_count == 0 && run->counts.kind == GATE_COUNTS_DELAY)
        return true; /* nothing waited */
    if (stacks->record_count == 0)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%.*s: it holds no samples; was the program idle, or the profile taken too early?",
                              GATE_STR_ARG(path));
    if (run->input.profile->is_saved_diff)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%.*s: it is a saved diff (its samples are labelled pprof::base); give the two profiles "
                              "that it was made from",
                              GATE_STR_ARG(path));
    if (stacks->has_negative)
        return pair_refuse_values(work, path,
                                  "are negative in places, as those of a saved diff or a delta profile (?seconds=) are",
                                  "; give the two profiles that it was made from", err);
    if (!pair_has_stacks(stacks))
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%.*s: none of its samples has a stack, so there are no frames to compare",
                              GATE_STR_ARG(path));
    return true;
}

static bool pair_collect_run(struct gate_run *run, struct pair_collect *work) {
    if (run->counts.kind == GATE_COUNTS_DELAY &&
        !gate_location_find_waits(&run->counts.waits, run->input.profile, &work->arena, &work->err))
        return false;
    if (!gate_stacks_collect(&run->stacks, run->input.profile, &run->counts, &work->how->where, run->input.mix,
                             run->input.resample, &work->arena, &work->err))
        return gate_error_prefix(&work->err, "%.*s", GATE_STR_ARG(run->input.path));
    if (!pair_check_run(run, work, &work->err))
        return false;
    struct gate_str unit = run->input.profile->sample_types[run->counts.value_column].unit;
    run->unit_ratio = gate_unit_ratio(unit, work->pair->type.unit);
    GATE_ASSERT(run->unit_ratio > 0);
    if (__builtin_mul_overflow(run->stacks.total, run->unit_ratio, &run->total))
        return gate_error_set(&work->err, GATE_ERR_OVERFLOW, "%.*s: its total does not fit in 64 bits",
                              GATE_STR_ARG(run->input.path));
    double total = (double)run->stacks.total;
    run->events = run->stacks.weight_sq > 0 ? total * total / run->stacks.weight_sq : 0;
    return true;
}

static void pair_collect_side(void *context) {
    struct pair_collect *work = context;
    struct gate_side *side = work->side;
    for (uint32_t i = 0; i < side->run_count; i++) {
        struct gate_run *run = &side->runs[i];
        if (!pair_collect_run(run, work))
            return;
        side->duration_ns = gate_profile_add_saturated(side->duration_ns, run->input.profile->duration_ns);
        if (__builtin_add_overflow(side->total, run->total, &side->total)) {
            (void)gate_error_set(&work->err, GATE_ERR_OVERFLOW, "%.*s: the sum of its side does not fit in 64 bits",
                                 GATE_STR_ARG(run->input.path));
            return;
        }
        side->events += run->events;
    }
    if (side->total == 0 && side->runs[0].counts.kind != GATE_COUNTS_DELAY) {
        (void)pair_refuse_values(work, side->runs[0].input.path, "add up to zero, so there are no shares to compare",
                                 "; take a profile while the program works", &work->err);
        return;
    }
    work->ok = true;
}

static bool pair_collect(struct gate_pair *pair, const struct gate_pair_collecting *how, struct gate_arena *arena,
                         struct gate_error *err) {
    struct pair_collect work[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++) {
        work[side] = (struct pair_collect){.side = &pair->sides[side], .pair = pair, .how = how};
        gate_arena_fork(&work[side].arena, arena);
    }
    gate_parallel_both_if(how->in_threads, pair_collect_side, &work[GATE_BASELINE], &work[GATE_CANARY]);
    bool ok = true;
    for (int side = GATE_SIDES; side-- > 0;) {
        gate_arena_absorb(arena, &work[side].arena);
        if (!work[side].ok)
            *err = work[side].err; /* the baseline's error if both failed */
        ok = ok && work[side].ok;
    }
    return ok;
}

/* ---- traffic mix ------------------------------------------------------------------------------------------------- */

/* Return the label by which every run's work is given; empty if some run lacks it. */
static struct gate_str pair_mix_label(const struct gate_pair *pair) {
    struct gate_str key = GATE_STR("");
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < pair->sides[side].run_count; i++) {
            const struct gate_mix *mix = pair->sides[side].runs[i].input.mix;
            if (mix == NULL)
                return GATE_STR("");
            key = mix->key;
        }
    return key;
}

/* Return the smallest share, over all runs, of the cost that the mix covers. */
static double pair_mix_share(const struct gate_pair *pair) {
    double least = 1.0;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < pair->sides[side].run_count; i++) {
            const struct gate_stacks *stacks = &pair->sides[side].runs[i].stacks;
            double share = stacks->total > 0 ? stacks->mixed / (double)stacks->total : 0.0;
            least = share < least ? share : least;
        }
    return least;
}

static void pair_forget_mix(struct gate_pair *pair) {
    for (int side = 0; side < GATE_SIDES; side++) {
        struct gate_side *from = &pair->sides[side]; /* reset field by field, because another thread reads its runs */
        from->total = from->duration_ns = 0;
        from->events = 0.0;
        for (uint32_t i = 0; i < from->run_count; i++)
            from->runs[i].input.mix = NULL;
    }
}

/** Collect the stacks of every run of `pair`, whose type and counts are chosen. Sets stacks, ratio, total and events of
 * the runs, the sums of the sides, and the mix fields of the pair. The mix is applied if every run has one, all samples
 * are compared, and it covers at least half of each run's cost. Neither reads nor writes frames. O(bytes of samples).
 * err: errors of gate_pair_make on samples and values; GATE_ERR_OVERFLOW, GATE_ERR_LIMIT. */
static bool gate_pair_collect(struct gate_pair *pair, const struct gate_pair_collecting *how, struct gate_arena *arena,
                              struct gate_error *err) {
    struct gate_str label = pair_mix_label(pair);
    bool is_part = how->where.count > 0;
    if (label.len == 0 || is_part)
        pair_forget_mix(pair);
    if (!pair_collect(pair, how, arena, err))
        return false;
    if (label.len == 0)
        return true;
    pair->mix_share = is_part ? 0.0 : pair_mix_share(pair);
    if (pair->mix_share >= MIXED_LEAST) {
        pair->mix_key = label;
        return true;
    }
    pair->mix_unused = label;
    if (is_part)
        return true;
    pair_forget_mix(pair);
    return pair_collect(pair, how, arena, err);
}

/* ---- the pair ---------------------------------------------------------------------------------------------------- */

/* Sides with fewer samples are not worth a thread: both take less than 0.5 ms. */
static const uint64_t SAMPLES_WORTH_A_THREAD = 8192;

/* Return whether samples are collected in two threads. With many locations the thread that resolves frames finishes
 * last, and another thread would slow it down. */
static bool pair_has_many_samples(const struct gate_pair *pair) {
    uint64_t samples = 0, locations = 0;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < pair->sides[side].run_count; i++) {
            samples += pair->sides[side].runs[i].input.profile->sample_count;
            locations += pair->sides[side].runs[i].input.profile->location_count;
        }
    return samples >= SAMPLES_WORTH_A_THREAD && samples >= locations / 2;
}

bool gate_pair_is_large(const struct gate_pair *pair) {
    uint64_t samples = 0;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < pair->sides[side].run_count; i++)
            samples += pair->sides[side].runs[i].input.profile->sample_count;
    return samples >= SAMPLES_WORTH_A_THREAD;
}

const char *gate_side_word(enum gate_side_name side) {
    static const char *const words[] = {[GATE_BASELINE] = "baseline", [GATE_CANARY] = "canary"};
    return words[side];
}

/* ---- sample type, unit, period ----------------------------------------------------------------------------------- */

static bool pair_find_column(uint32_t *column, const struct gate_run_input *input, struct gate_str type,
                             const struct gate_run_input *first, struct gate_error *err) {
    struct gate_error ignored = {0};
    *column = gate_sample_type_column(input->profile, type, GATE_STR(""));
    if (*column != GATE_NO_INDEX || gate_sample_type_find(column, input->profile, type, &ignored))
        return true;
    struct gate_str has =
        input->profile->sample_type_count == 0 ? GATE_STR("none") : input->profile->sample_types[0].type;
    return gate_error_set(err, GATE_ERR_INPUT,
                          "%.*s: it has no sample type '%.*s', which %.*s has (its own first one is '%.*s'); "
                          "compare profiles of one kind, or name a common type with --sample-type",
                          GATE_STR_ARG(input->path), GATE_STR_ARG(type), GATE_STR_ARG(first->path), GATE_STR_ARG(has));
}

static bool pair_check_period(const struct gate_run_input *input, const struct gate_run_input *first,
                              struct gate_error *err) {
    struct gate_value_type a = first->profile->period_type;
    struct gate_value_type b = input->profile->period_type;
    if (a.type.len == 0 || b.type.len == 0 || gate_str_equal(a.type, b.type))
        return true;
    return gate_error_set(err, GATE_ERR_INPUT,
                          "%.*s: its period type is '%.*s', that of %.*s is '%.*s': they were sampled by different "
                          "clocks; compare profiles of one kind",
                          GATE_STR_ARG(input->path), GATE_STR_ARG(b.type), GATE_STR_ARG(first->path),
                          GATE_STR_ARG(a.type));
}

/* Choose the finer of two units, or report an error. */
static bool pair_finer_unit(struct gate_str *unit, const struct gate_run_input *input, uint32_t column,
                            struct gate_error *err) {
    struct gate_str other = input->profile->sample_types[column].unit;
    if (gate_unit_ratio(other, *unit) != 0)
        return true;
    if (gate_unit_ratio(*unit, other) != 0) {
        *unit = other;
        return true;
    }
    return gate_error_set(err, GATE_ERR_INPUT, "%.*s: its unit is '%.*s', which does not convert to the others' '%.*s'",
                          GATE_STR_ARG(input->path), GATE_STR_ARG(other), GATE_STR_ARG(*unit));
}

/* Return the number of runs of a side that are snapshots of one process: the rounds of `gate` and `capture`. A sampled
 * object occurs in every round while it lives, so more rounds do not have more samples. */
static double repeats_of(const struct gate_side *side, struct gate_value_type type) {
    uint32_t rounds = 0;
    if (!gate_sample_type_is_level(type.type) || gate_unit_ratio(type.unit, GATE_STR("bytes")) == 0.0)
        return 0.0; /* goroutines are counted, not sampled */
    for (uint32_t i = 0; i < side->run_count; i++)
        rounds += side->runs[i].input.round != 0;
    return rounds;
}

/* Choose one column in every run, and the pair's type and unit. */
static bool pair_choose_type(struct gate_pair *pair, const struct gate_pair_options *options, struct gate_error *err) {
    const struct gate_run_input *first = &pair->sides[GATE_BASELINE].runs[0].input;
    uint32_t column = 0;
    if (!gate_sample_type_find(&column, first->profile, options->sample_type, err))
        return gate_error_prefix(err, "%.*s", GATE_STR_ARG(first->path));
    pair->type = first->profile->sample_types[column];
    for (int side = 0; side < GATE_SIDES; side++) {
        for (uint32_t i = 0; i < pair->sides[side].run_count; i++) {
            struct gate_run *run = &pair->sides[side].runs[i];
            if (!pair_find_column(&column, &run->input, pair->type.type, first, err) ||
                !pair_check_period(&run->input, first, err) ||
                !pair_finer_unit(&pair->type.unit, &run->input, column, err))
                return false;
            run->counts = gate_counts_choose(run->input.profile, column, &options->counts);
            run->counts.repeats = repeats_of(&pair->sides[side], run->input.profile->sample_types[column]);
        }
    }
    return true;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

/* If no frame is own code, all count as own code. Otherwise all cost would be charged to the common root. */
static void pair_own(struct gate_pair *pair, struct gate_frame_table *table) {
    for (uint32_t i = 0; i < table->count; i++)
        if (table->frames[i].is_own)
            return;
    pair->has_no_own = true;
    for (uint32_t i = 0; i < table->count; i++)
        table->frames[i].is_own = true;
}

/* ---- own code of one side ---------------------------------------------------------------------------------------- */

static void mark_frames(uint8_t *sides, uint8_t side, const struct gate_run *run) {
    for (uint32_t i = 0; i < run->input.profile->location_count; i++) {
        uint32_t count = 0;
        const uint32_t *frames = gate_run_frames(&count, run, i);
        for (uint32_t f = 0; f < count; f++)
            sides[frames[f]] |= side;
    }
}

/*
 * Append the frame that is charged with own code of one side that has no own caller on both sides. `*out` is its index.
 * err: GATE_ERR_LIMIT. O(1).
 */
static bool frame_one_sided(uint32_t *out, struct gate_frame_table *table, struct gate_error *err) {
    if (!GATE_REGROW(table->arena, table->frames, table->count, table->capacity))
        return gate_arena_error(table->arena, err);
    *out = table->count++;
    table->frames[*out] = gate_frame_of_folded(GATE_STR(GATE_ONE_SIDED_NAME));
    return true;
}

/* Return whether one of the patterns matches a name. One that gives up does not: budgets report it. */
static bool any_matches(const struct gate_regex *const *patterns, uint32_t count, struct gate_str name) {
    bool matches = false;
    for (uint32_t i = 0; i < count && !matches; i++)
        matches = gate_regex_match(patterns[i], name) == GATE_REGEX_YES;
    return matches;
}

/* Return whether the rules give a function a limit of its own instead of the usual ones. */
static bool has_own_limit(const struct gate_frame_options *options, struct gate_str name) {
    return any_matches(options->left_out, options->left_out_count, name) &&
           any_matches(options->selected, options->selected_count, name);
}

/* Fold the own functions that no stack of one side has, in any of its runs. If there are some, append the frame that is
 * charged with those without an own caller on both sides. */
static bool pair_fold(struct gate_pair *pair, struct gate_frame_table *table, struct gate_arena *arena,
                      struct gate_error *err) {
    struct gate_arena scratch;
    uint32_t folded = 0;
    gate_arena_fork(&scratch, arena);
    uint8_t *sides = GATE_NEW_ARRAY(&scratch, uint8_t, table->count);
    bool ok = sides != NULL || gate_arena_error(&scratch, err);
    for (int side = 0; ok && side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            mark_frames(sides, (uint8_t)(1 << side), &pair->sides[side].runs[r]);
    for (uint32_t i = 0; ok && i < table->count; i++) {
        struct gate_frame *frame = &table->frames[i];
        frame->is_one_sided = sides[i] == 1 << GATE_BASELINE || sides[i] == 1 << GATE_CANARY;
        frame->is_folded = frame->is_own && frame->is_one_sided &&
                           !(sides[i] == 1 << GATE_CANARY && has_own_limit(table->options, frame->name));
        folded += frame->is_folded;
    }
    gate_arena_free(&scratch);
    return ok && (folded == 0 || frame_one_sided(&pair->one_sided, table, err));
}

/* Return whether the frames of `run` are those of `like`, an earlier run of its side: they have the same tables
 * (model/shared_tables.h) and would be resolved in the same way. */
static bool pair_is_alike(const struct gate_run *run, const struct gate_run *like) {
    const struct gate_profile *a = run->input.profile, *b = like->input.profile;
    return gate_shared_tables_are_same(a, b) && gate_own_code_language(a) == gate_own_code_language(b) &&
           gate_str_equal(a->drop_frames, b->drop_frames) && gate_str_equal(a->keep_frames, b->keep_frames);
}

static bool pair_add_run(struct gate_run *run, struct gate_frame_table *table, const struct gate_run *before,
                         struct gate_arena *arena, struct gate_error *err) {
    run->joins_equal = table->options->granularity >= GATE_BY_FILE;
    if (before == NULL || !pair_is_alike(run, before))
        return gate_frame_table_add(table, run, err) && gate_walk_prepare(run, arena, err);
    run->frame_of = before->frame_of;
    run->frame_lists = before->frame_lists;
    run->frame_of_id = before->frame_of_id;
    run->prune = before->prune;
    return true;
}

static bool pair_add_runs(struct gate_pair *pair, struct gate_frame_table *table, struct gate_arena *arena,
                          struct gate_error *err) {
    for (int side = 0; side < GATE_SIDES; side++) {
        for (uint32_t i = 0; i < pair->sides[side].run_count; i++) {
            struct gate_run *run = &pair->sides[side].runs[i];
            if (!pair_add_run(run, table, i == 0 ? NULL : run - 1, arena, err))
                return gate_error_prefix(err, "%.*s", GATE_STR_ARG(run->input.path));
            if (run->input.profile->max_frames > pair->max_frames)
                pair->max_frames = run->input.profile->max_frames;
        }
    }
    /* Without frames no budget could fail, and a pass would mean nothing. */
    if (table->count != 0 && table->ignored.count == table->count)
        return gate_error_set(err, GATE_ERR_CONFIG,
                              "frames.ignore takes out every frame, which leaves nothing to compare");
    return true;
}

/* Return the language of the first run that has samples. */
static enum gate_language pair_language(const struct gate_side *sides) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < sides[side].run_count; r++)
            if (sides[side].runs[r].input.profile->sample_count != 0)
                return gate_own_code_language(sides[side].runs[r].input.profile);
    return GATE_LANGUAGE_UNKNOWN;
}

/* Return whether functions are named alike across builds. */
static bool has_stable_names(const struct gate_pair_options *how) {
    return !how->frames.exact_names && how->frames.granularity == GATE_BY_FUNCTION;
}

/* Resolve the frames of all runs. `functions`: those that are known to have moved, or NULL. */
static bool pair_resolve(struct gate_pair *pair, const struct gate_pair_options *how,
                         const struct gate_moved_functions *functions, struct gate_arena *arena,
                         struct gate_error *err) {
    const struct gate_frame_options *options = &how->frames;
    struct gate_frame_table table;
    bool has_names = has_stable_names(how);
    struct gate_minified minified = {0};
    struct gate_moved_files moved = {0};
    pair->minified = pair->moved = GATE_STR("");
    if (has_names &&
        (!gate_minified_find(&minified, pair, arena, err) || !gate_moved_files_find(&moved, pair, arena, err)))
        return false;
    gate_frame_table_init(&table, options, arena);
    table.minified = &minified;
    table.moved = &moved;
    table.functions = functions;
    bool ok = pair_add_runs(pair, &table, arena, err);
    if (ok) {
        pair_own(pair, &table);
        ok = !how->folds || options->granularity == GATE_BY_MAPPING || pair_fold(pair, &table, arena, err);
    }
    gate_frame_table_end(&table);
    if (!ok)
        return false;
    pair->frames = table.frames;
    pair->frame_count = table.count;
    pair->language = pair_language(pair->sides);
    if (!has_names)
        return true;
    uint8_t *skid = GATE_NEW_ARRAY(arena, uint8_t, pair->frame_count);
    if (skid == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < pair->frame_count; i++)
        skid[i] = gate_name_is_skid(pair->frames[i].name);
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < pair->sides[side].run_count; i++)
            pair->sides[side].runs[i].skid = skid;
    return true;
}

/* ---- samples and frames in parallel ------------------------------------------------------------------------------ */

/* Collecting samples by stack ids and resolving locations to frames are independent. */
struct pair_part {
    bool (*work)(struct pair_part *part);
    struct gate_pair *pair;
    const struct gate_pair_options *options;
    struct gate_arena arena;
    struct gate_error err;
    bool ok;
};

static bool part_collect(struct pair_part *part) {
    const struct gate_pair_collecting how = {.where = part->options->where,
                                             .is_part = part->options->is_part,
                                             .in_threads = pair_has_many_samples(part->pair)};
    return gate_pair_collect(part->pair, &how, &part->arena, &part->err);
}

static bool part_resolve(struct pair_part *part) {
    return pair_resolve(part->pair, part->options, NULL, &part->arena, &part->err);
}

static void part_run(void *context) {
    struct pair_part *part = context;
    part->ok = part->work(part);
}

static bool pair_fill(struct gate_pair *pair, const struct gate_pair_options *options, struct gate_arena *arena,
                      struct gate_error *err) {
    struct pair_part parts[] = {{.work = part_collect}, {.work = part_resolve}};
    for (int i = 0; i < 2; i++) {
        parts[i].pair = pair;
        parts[i].options = options;
        gate_arena_fork(&parts[i].arena, arena);
    }
    gate_parallel_both_if(gate_pair_is_large(pair), part_run, &parts[0], &parts[1]);
    for (int i = 1; i >= 0; i--) {
        gate_arena_absorb(arena, &parts[i].arena);
        if (!parts[i].ok)
            *err = parts[i].err; /* the error on samples, if both failed */
    }
    return parts[0].ok && parts[1].ok;
}

/* Find functions that moved, and if there are some, resolve the frames again with their names in the canary. */
static bool pair_join_moved(struct gate_pair *pair, const struct gate_pair_options *options, struct gate_arena *arena,
                            struct gate_error *err) {
    struct gate_moved_functions functions;
    struct gate_str files = pair->moved;
    const bool is_series = !options->folds && gate_pair_is_series(pair);
    if ((pair->one_sided == GATE_NO_INDEX && !is_series) || !has_stable_names(options))
        return true;
    if (!gate_moved_functions_find(&functions, pair, arena, err))
        return false;
    if (functions.names.count == 0)
        return true;
    pair->one_sided = GATE_NO_INDEX;
    if (!pair_resolve(pair, options, &functions, arena, err))
        return false;
    struct gate_str moved = gate_moved_functions_list(&functions, arena);
    pair->moved =
        files.len == 0 ? moved : gate_str_format(arena, "%.*s; %.*s", GATE_STR_ARG(files), GATE_STR_ARG(moved));
    return (moved.ptr != NULL && pair->moved.ptr != NULL) || gate_arena_error(arena, err);
}

/* Find the share of interpreted methods, of a profile whose samples have the label. */
static bool pair_interpreted(struct gate_pair *pair, const struct gate_run_input *const inputs[GATE_SIDES],
                             const uint32_t counts[GATE_SIDES], const struct gate_pair_options *options,
                             struct gate_arena *arena, struct gate_error *err) {
    struct gate_label_values values;
    if (pair->language != GATE_LANGUAGE_JVM ||
        !(inputs[GATE_BASELINE][0].profile->has_labels || inputs[GATE_CANARY][0].profile->has_labels))
        return true;
    if (!gate_label_values_find(&values, inputs, counts, GATE_STR(GATE_CODE_LABEL), pair->type.type, &options->where,
                                arena, err))
        return false;
    for (uint32_t i = 0; i < values.count; i++)
        if (gate_str_equal(values.items[i].match.value, GATE_STR(GATE_CODE_INTERPRETED)))
            memcpy(pair->interpreted, values.items[i].share, sizeof pair->interpreted);
    return true;
}

/* Return the frame that a stack is charged to, as gate_delta_fold does. Sets `*is_new` to whether its leafmost own
 * frame is on one side only. */
static uint32_t charged_frame(bool *is_new, const struct gate_pair *pair, const uint32_t *frames, uint32_t count) {
    *is_new = false;
    for (uint32_t i = 0; i < count; i++) {
        if (gate_frame_is_charged(&pair->frames[frames[i]]))
            return frames[i];
        *is_new = *is_new || pair->frames[frames[i]].is_own;
    }
    return *is_new ? pair->one_sided : frames[count - 1];
}

/* Add up the cost charged to each frame in interpreted methods, over the only run of a side. */
static bool interpreted_add(int64_t *costs, const struct gate_pair *pair, const struct gate_run *run,
                            struct gate_arena *scratch, struct gate_error *err) {
    const struct gate_label_match is_interpreted = {GATE_STR(GATE_CODE_LABEL), GATE_STR(GATE_CODE_INTERPRETED)};
    const struct gate_label_filter interpreted = {&is_interpreted, 1};
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error why = {0};
    uint32_t *frames = GATE_NEW_ARRAY(scratch, uint32_t, pair->max_frames);
    if (frames == NULL)
        return gate_arena_error(scratch, err);
    gate_sample_begin(&cursor, run->input.profile);
    while (gate_sample_next(&cursor, &sample, &why)) {
        const struct gate_stack stack = {.ref = sample.stack};
        if (!gate_where_passes(&interpreted, &cursor, &sample) || !gate_where_passes(&pair->where, &cursor, &sample))
            continue;
        uint32_t count = sample.stack.len == 0 ? 0 : gate_walk_frames(run, &stack, frames);
        if (count == 0)
            continue;
        bool is_new = false;
        int64_t value = sample.values[run->counts.value_column] * run->unit_ratio;
        costs[charged_frame(&is_new, pair, frames, count)] += value;
        costs[pair->frame_count] += is_new ? value : 0;
    }
    gate_sample_end(&cursor);
    if (why.code != GATE_OK)
        *err = why;
    return why.code == GATE_OK;
}

/* With one run per side, find the cost of each frame in interpreted methods. A method may be interpreted in some runs
 * only, and one run does not show how much its share varies. So readings also use its cost in compiled code. */
static bool pair_interpreted_costs(struct gate_pair *pair, struct gate_arena *arena, struct gate_error *err) {
    if (!gate_pair_is_blind_to_inlining(pair) ||
        (pair->interpreted[GATE_BASELINE] <= 0.0 && pair->interpreted[GATE_CANARY] <= 0.0))
        return true;
    for (int side = 0; side < GATE_SIDES; side++) {
        struct gate_arena scratch;
        pair->interpreted_cost[side] = GATE_NEW_ARRAY(arena, int64_t, (size_t)pair->frame_count + 1);
        if (pair->interpreted_cost[side] == NULL)
            return gate_arena_error(arena, err);
        gate_arena_fork(&scratch, arena);
        bool ok = interpreted_add(pair->interpreted_cost[side], pair, &pair->sides[side].runs[0], &scratch, err);
        gate_arena_free(&scratch);
        if (!ok)
            return false;
    }
    return true;
}

/* ---- places of frames that several functions share --------------------------------------------------------------- */

struct place_cost {
    int64_t charged;    /* cost of stacks in which no own function is nearer to the leaf */
    int64_t cumulative; /* of all stacks */
};

/* State of a search for the place (file and line) of each frame that costs the canary most. */
struct placing {
    struct gate_pair *pair;
    const struct gate_run *run;
    struct gate_arena *arena; /* of the pair */
    struct place_cost *costs; /* per function of the run */
    struct place_cost *most;  /* per frame: cost of its place */
    uint32_t *stack_of;       /* per frame: number of the last stack that contains it, from 1 */
};

/* Order places by charged cost, because their callees have places of their own. */
static bool costs_more(const struct place_cost *a, const struct place_cost *b) {
    return a->charged != b->charged ? a->charged > b->charged : a->cumulative > b->cumulative;
}

/* Add the value of a stack to the innermost function of each frame that has several places. A location with inlined
 * calls is left out. */
static void placing_add(struct placing *at, const struct gate_stack *stack, uint32_t number) {
    const struct gate_profile *profile = at->run->input.profile;
    bool is_charged = true;
    uint32_t from = 0;
    uint64_t id = 0;
    while (gate_stack_next(stack->ref, &from, &id)) {
        uint32_t index = gate_location_find(profile, id);
        uint32_t frame = index == GATE_NO_INDEX ? GATE_FRAME_LIST : at->run->frame_of[index];
        if (frame >= GATE_FRAME_LIST)
            continue;
        bool may_be_charged = is_charged;
        is_charged = is_charged && !at->pair->frames[frame].is_own;
        if (!at->pair->frames[frame].has_places || at->stack_of[frame] == number)
            continue;
        at->stack_of[frame] = number;
        const struct gate_location location = gate_location_at(profile, index);
        uint32_t function = gate_location_leaf(profile, &location);
        if (function == GATE_NO_INDEX)
            continue;
        struct place_cost *cost = &at->costs[function];
        cost->cumulative = gate_profile_add_saturated(cost->cumulative, stack->value);
        if (may_be_charged)
            cost->charged = gate_profile_add_saturated(cost->charged, stack->value);
    }
}

/* Set the places of frames whose functions in this run cost more than any before. Returns false if the arena is
 * full. */
static bool placing_settle(struct placing *at) {
    const struct gate_profile *profile = at->run->input.profile;
    for (uint32_t i = 0; i < profile->location_count; i++) {
        uint32_t frame = at->run->frame_of[i];
        if (frame >= GATE_FRAME_LIST || !at->pair->frames[frame].has_places)
            continue;
        const struct gate_location location = gate_location_at(profile, i);
        uint32_t function = gate_location_leaf(profile, &location);
        if (function == GATE_NO_INDEX || !costs_more(&at->costs[function], &at->most[frame]) ||
            profile->functions[function].start_line == 0)
            continue;
        at->most[frame] = at->costs[function];
        at->pair->frames[frame].start_line = profile->functions[function].start_line;
        if (profile->functions[function].file.len == 0)
            continue;
        struct gate_str file = gate_file_path_clean(at->arena, profile->functions[function].file);
        if (file.ptr == NULL)
            return false;
        at->pair->frames[frame].file = file;
    }
    return true;
}

/* Give a frame that functions of different lines share the file and line of the one that costs the canary most. */
static bool pair_place(struct gate_pair *pair, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_side *canary = &pair->sides[GATE_CANARY];
    struct gate_arena scratch;
    bool has_places = false, ok = true;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        has_places = has_places || pair->frames[i].has_places;
    if (!has_places)
        return true;
    gate_arena_fork(&scratch, arena);
    struct placing at = {
        .pair = pair, .arena = arena, .most = GATE_NEW_ARRAY(&scratch, struct place_cost, pair->frame_count)};
    for (uint32_t r = 0; ok && r < canary->run_count; r++) {
        uint32_t number = 0;
        struct gate_stack stack;
        at.run = &canary->runs[r];
        at.costs = GATE_NEW_ARRAY(&scratch, struct place_cost, at.run->input.profile->function_count);
        at.stack_of = GATE_NEW_ARRAY(&scratch, uint32_t, pair->frame_count);
        ok = (at.most != NULL && at.costs != NULL && at.stack_of != NULL) || gate_arena_error(&scratch, err);
        struct gate_stacks_walk walk = gate_stacks_begin(&at.run->stacks);
        while (ok && gate_stacks_next(&stack, &walk))
            placing_add(&at, &stack, ++number);
        ok = ok && (placing_settle(&at) || gate_arena_error(arena, err));
    }
    gate_arena_free(&scratch);
    return ok;
}

bool gate_pair_make(struct gate_pair *out, const struct gate_run_input *const inputs[GATE_SIDES],
                    const uint32_t counts[GATE_SIDES], const struct gate_pair_options *options,
                    struct gate_arena *arena, struct gate_error *err) {
    *out = (struct gate_pair){.max_frames = 1,
                              .granularity = options->frames.granularity,
                              .where = options->where,
                              .one_sided = GATE_NO_INDEX};
    for (int side = 0; side < GATE_SIDES; side++) {
        GATE_ASSERT(counts[side] > 0);
        struct gate_run *runs = GATE_NEW_ARRAY(arena, struct gate_run, counts[side]);
        if (runs == NULL)
            return gate_arena_error(arena, err);
        for (uint32_t i = 0; i < counts[side]; i++)
            runs[i].input = inputs[side][i];
        out->sides[side] = (struct gate_side){.runs = runs, .run_count = counts[side]};
    }
    /* Sort rounds before anything is collected, because tallies are by run. */
    bool has_rounds = gate_drift_has_rounds(out->sides);
    out->is_interleaved = gate_drift_sort_rounds(out->sides);
    if (!gate_inlined_lines_restore(out->sides, arena, err) || !pair_choose_type(out, options, err) ||
        !pair_fill(out, options, arena, err) || !pair_join_moved(out, options, arena, err) ||
        !pair_place(out, arena, err) || !pair_interpreted(out, inputs, counts, options, arena, err) ||
        !pair_interpreted_costs(out, arena, err) || !gate_misplaced_find(out, arena, err) ||
        !gate_upgrades_find(out, arena, err))
        return false;
    if (!has_rounds)
        out->is_interleaved = gate_drift_is_interleaved(out->sides);
    return true;
}

bool gate_pair_is_exact(const struct gate_pair *pair) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            if (pair->sides[side].runs[r].counts.kind != GATE_COUNTS_EXACT)
                return false;
    return true;
}

bool gate_pair_is_memory_held(const struct gate_pair *pair) {
    return gate_sample_type_is_level(pair->type.type) &&
           pair->sides[GATE_CANARY].runs[0].counts.kind == GATE_COUNTS_HEAP;
}

bool gate_pair_is_of_one_process(const struct gate_pair *pair) {
    return pair->sides[GATE_CANARY].runs[0].counts.repeats > 1.0;
}

bool gate_pair_has_delays(const struct gate_pair *pair) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            if (pair->sides[side].runs[r].counts.kind == GATE_COUNTS_DELAY)
                return true;
    return false;
}

bool gate_pair_is_of_amounts(const struct gate_pair *pair) {
    return gate_pair_has_delays(pair) || gate_sample_type_is_level(pair->type.type) ||
           gate_str_starts(pair->type.type, GATE_STR("alloc"));
}

static void run_spend(struct gate_run *run) {
    const struct gate_profile *profile = run->input.profile;
    struct gate_stacks *stacks = &run->stacks;
    gate_own_bytes_spend(profile);
    if (stacks->small != NULL)
        gate_heap_forget(stacks->small, stacks->count * sizeof *stacks->small);
    if (stacks->items != NULL)
        gate_heap_forget(stacks->items, stacks->count * sizeof *stacks->items);
    gate_heap_forget(run->frame_of, profile->location_count * sizeof *run->frame_of);
    stacks->small = NULL;
    stacks->items = NULL;
    stacks->packed = NULL;
    run->frame_of = run->frame_of_id = NULL;
}

void gate_pair_spend(struct gate_pair *pair) {
    for (int side = 0; side < GATE_SIDES && !pair->is_spent; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            run_spend(&pair->sides[side].runs[r]);
    pair->is_spent = true;
}

bool gate_pair_inlines_at_run_time(const struct gate_pair *pair) {
    return pair->language == GATE_LANGUAGE_JVM || pair->language == GATE_LANGUAGE_NODE;
}

bool gate_pair_is_blind_to_inlining(const struct gate_pair *pair) {
    return gate_pair_inlines_at_run_time(pair) && pair->sides[GATE_BASELINE].run_count == 1 &&
           pair->sides[GATE_CANARY].run_count == 1;
}

bool gate_pair_counts_preempted(const struct gate_pair *pair) {
    /* A recording of the JVM has allocations and locks beside its samples of CPU. */
    if (pair->language == GATE_LANGUAGE_JVM && !gate_str_equal(pair->type.type, GATE_STR("cpu")) &&
        !gate_str_equal(pair->type.type, GATE_STR("samples")))
        return false;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            if (gate_profile_counts_preempted(pair->sides[side].runs[r].input.profile, pair->language))
                return true;
    return false;
}

bool gate_pair_is_blind_to_preemption(const struct gate_pair *pair) {
    return (pair->sides[GATE_BASELINE].run_count == 1 || pair->sides[GATE_CANARY].run_count == 1) &&
           gate_pair_counts_preempted(pair);
}
