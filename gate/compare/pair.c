/* SPDX-License-Identifier: Apache-2.0 */
/* Two sides on one frame table (see pair.h). */
#include "gate/compare/pair.h"

#include "gate/base/heap.h"
#include "gate/base/parallel.h"
#include "gate/compare/drift.h"
#include "gate/compare/frames.h"
#include "gate/compare/pair_collect.h"
#include "gate/compare/walk.h"
#include "gate/profile/name.h"
#include "gate/profile/own_bytes.h"
#include "gate/profile/unit.h"

/* Both sides of fewer samples are done within half a millisecond. */
static const uint64_t SAMPLES_WORTH_A_THREAD = 8192;

/* Where locations are many, the thread that makes frames of them is the last to be done: a third one would only keep it
 * from its work. */
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

/* ---- sample type, unit, period ---------------------------------------------------------------------------------- */

static bool pair_find_column(uint32_t *column, const struct gate_run_input *input, struct gate_str type,
                             const struct gate_run_input *first, struct gate_error *err) {
    for (uint32_t i = 0; i < input->profile->sample_type_count; i++)
        if (gate_str_equal(input->profile->sample_types[i].type, type)) {
            *column = i;
            return true;
        }
    struct gate_error ignored = {0};
    if (gate_sample_type_find(column, input->profile, type, &ignored))
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

/* The finer of two units, or an error. */
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

/* Choose one column in every run, the pair's type and its unit. */
static bool pair_choose_type(struct gate_pair *pair, const struct gate_pair_options *options, struct gate_error *err) {
    const struct gate_run_input *first = &pair->sides[GATE_BASELINE].runs[0].input;
    uint32_t column = 0;
    struct gate_error why = {0};
    if (!gate_sample_type_find(&column, first->profile, options->sample_type, &why))
        return gate_error_set(err, why.code, "%.*s: %s", GATE_STR_ARG(first->path), why.message);
    pair->type = first->profile->sample_types[column];
    for (int side = 0; side < GATE_SIDES; side++) {
        for (uint32_t i = 0; i < pair->sides[side].run_count; i++) {
            struct gate_run *run = &pair->sides[side].runs[i];
            if (!pair_find_column(&column, &run->input, pair->type.type, first, err) ||
                !pair_check_period(&run->input, first, err) ||
                !pair_finer_unit(&pair->type.unit, &run->input, column, err))
                return false;
            run->counts = gate_counts_choose(run->input.profile, column, &options->counts);
        }
    }
    return true;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

/* With nothing of its own in it, a profile is charged frame by frame: to a root that all stacks share would say
 * nothing. */
static void pair_own(struct gate_pair *pair) {
    for (uint32_t i = 0; i < pair->frame_count; i++)
        if (pair->frames[i].is_own)
            return;
    pair->has_no_own = true;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        pair->frames[i].is_own = true;
}

static bool pair_add_runs(struct gate_pair *pair, struct gate_frame_table *table, struct gate_arena *arena,
                          struct gate_error *err) {
    for (int side = 0; side < GATE_SIDES; side++) {
        for (uint32_t i = 0; i < pair->sides[side].run_count; i++) {
            struct gate_run *run = &pair->sides[side].runs[i];
            struct gate_error why = {0};
            if (!gate_frame_table_add(table, run, &why))
                return gate_error_set(err, why.code, "%.*s: %s", GATE_STR_ARG(run->input.path), why.message);
            if (run->input.profile->max_frames > pair->max_frames)
                pair->max_frames = run->input.profile->max_frames;
            run->joins_equal = table->options->granularity >= GATE_BY_FILE;
            if (!gate_walk_prepare(run, arena, err))
                return false;
        }
    }
    /* With no frame left no budget could fail, and a pass would say nothing. */
    if (table->count != 0 && table->ignored.count == table->count)
        return gate_error_set(err, GATE_ERR_CONFIG,
                              "frames.ignore takes out every frame, which leaves nothing to compare");
    return true;
}

static bool pair_resolve(struct gate_pair *pair, const struct gate_frame_options *options, struct gate_arena *arena,
                         struct gate_error *err) {
    struct gate_frame_table table;
    gate_frame_table_init(&table, options, arena);
    bool ok = pair_add_runs(pair, &table, arena, err);
    gate_frame_table_end(&table);
    if (!ok)
        return false;
    pair->frames = table.frames;
    pair->frame_count = table.count;
    pair->language = gate_own_code_language(pair->sides[GATE_BASELINE].runs[0].input.profile);
    pair_own(pair);
    if (options->exact_names || options->granularity != GATE_BY_FUNCTION)
        return true;
    uint8_t *skid = GATE_NEW_ARRAY(arena, uint8_t, (size_t)pair->frame_count + 1);
    if (skid == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < pair->frame_count; i++)
        skid[i] = gate_name_is_skid(pair->frames[i].name);
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < pair->sides[side].run_count; i++)
            pair->sides[side].runs[i].skid = skid;
    return true;
}

/* ---- both at a time ---------------------------------------------------------------------------------------------- */

/* Samples are joined by the ids of their stacks, and locations become frames: neither has to know of the other. */
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
    return pair_resolve(part->pair, &part->options->frames, &part->arena, &part->err);
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
            *err = parts[i].err; /* of samples, where neither is right */
    }
    return parts[0].ok && parts[1].ok;
}

bool gate_pair_make(struct gate_pair *out, const struct gate_run_input *const inputs[GATE_SIDES],
                    const uint32_t counts[GATE_SIDES], const struct gate_pair_options *options,
                    struct gate_arena *arena, struct gate_error *err) {
    *out = (struct gate_pair){.max_frames = 1, .granularity = options->frames.granularity, .where = options->where};
    for (int side = 0; side < GATE_SIDES; side++) {
        GATE_ASSERT(counts[side] > 0);
        struct gate_run *runs = GATE_NEW_ARRAY(arena, struct gate_run, counts[side]);
        if (runs == NULL)
            return gate_arena_error(arena, err);
        for (uint32_t i = 0; i < counts[side]; i++)
            runs[i].input = inputs[side][i];
        out->sides[side] = (struct gate_side){.runs = runs, .run_count = counts[side]};
    }
    /* Before anything is collected: tallies are by run. */
    bool has_rounds = gate_drift_tells_rounds(out->sides);
    out->is_interleaved = gate_drift_sort_rounds(out->sides);
    if (!pair_choose_type(out, options, err) || !pair_fill(out, options, arena, err))
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
    run->frame_of = run->frame_of_id = NULL;
}

void gate_pair_spend(struct gate_pair *pair) {
    for (int side = 0; side < GATE_SIDES && !pair->is_spent; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            run_spend(&pair->sides[side].runs[r]);
    pair->is_spent = true;
}
