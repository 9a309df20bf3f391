/* SPDX-License-Identifier: Apache-2.0 */
/* Two sides on one frame table (see pair.h). */
#include "gate/compare/pair.h"

#include "gate/base/parallel.h"
#include "gate/compare/drift.h"
#include "gate/compare/frames.h"
#include "gate/compare/other_type.h"
#include "gate/compare/walk.h"
#include "gate/profile/name.h"
#include "gate/profile/unit.h"

/* Of a run's cost: with less of it labelled, its traffic's mix is still unknown. */
static const double MIXED_LEAST = 0.5;

/* Both sides of fewer samples are done within half a millisecond. */
static const uint64_t SAMPLES_WORTH_A_THREAD = 8192;

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

/* ---- collecting, one thread a side ------------------------------------------------------------------------------ */

struct pair_collect {
    struct gate_side *side;
    const struct gate_pair *pair;
    const struct gate_pair_options *options;
    struct gate_arena arena;
    struct gate_error err;
    bool ok;
};

static bool pair_has_stacks(const struct gate_stacks *stacks) {
    for (uint32_t i = 0; i < stacks->count; i++)
        if (gate_stacks_ref_at(stacks, i).len != 0)
            return true;
    return false;
}

static bool pair_refuse_absent(const struct gate_run *run, const struct gate_label_filter *where,
                               struct gate_error *err) {
    struct gate_error why = {0};
    (void)gate_where_absent(run->input.profile, where, &why);
    return gate_error_set(err, why.code, "%.*s: %s", GATE_STR_ARG(run->input.path), why.message);
}

/* What is wrong with the values of the sample type, and which other one has none of it. */
static bool pair_refuse_values(const struct pair_collect *work, struct gate_str path, const char *what,
                               const char *otherwise, struct gate_error *err) {
    struct gate_str type = work->pair->type.type;
    struct gate_str other = gate_other_type_find(work->pair, &work->options->where);
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
    const struct gate_label_filter *where = &work->options->where;
    struct gate_str path = run->input.path;
    if (stacks->record_count == 0 && work->options->is_part)
        return true;
    if (stacks->record_count == 0 && where->count != 0 && run->input.profile->sample_count != 0)
        return pair_refuse_absent(run, where, err);
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
    struct gate_error why = {0};
    if (!gate_stacks_collect(&run->stacks, run->input.profile, &run->counts, &work->options->where, run->input.mix,
                             run->input.resample, &work->arena, &why))
        return gate_error_set(&work->err, why.code, "%.*s: %s", GATE_STR_ARG(run->input.path), why.message);
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
        side->record_count += run->stacks.record_count;
    }
    if (side->total == 0) {
        (void)pair_refuse_values(work, side->runs[0].input.path, "add up to zero, so there are no shares to compare",
                                 "; take a profile while the program works", &work->err);
        return;
    }
    work->ok = true;
}

static bool pair_collect(struct gate_pair *pair, const struct gate_pair_options *options, struct gate_arena *arena,
                         struct gate_error *err) {
    struct pair_collect work[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++) {
        work[side] = (struct pair_collect){.side = &pair->sides[side], .pair = pair, .options = options};
        gate_arena_fork(&work[side].arena, arena);
    }
    gate_parallel_both_if(gate_pair_is_large(pair), pair_collect_side, &work[GATE_BASELINE], &work[GATE_CANARY]);
    bool ok = true;
    for (int side = GATE_SIDES; side-- > 0;) {
        gate_arena_absorb(arena, &work[side].arena);
        if (!work[side].ok)
            *err = work[side].err; /* the baseline's, when both failed */
        ok = ok && work[side].ok;
    }
    return ok;
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

/* The label that the work of every run was told by; empty: not of every run. */
static struct gate_str pair_mix_told(const struct gate_pair *pair) {
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

/* The part of the cost that the mix has a part for, in the run where that is least. */
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
        struct gate_side *from = &pair->sides[side];
        *from = (struct gate_side){.runs = from->runs, .run_count = from->run_count};
        for (uint32_t i = 0; i < from->run_count; i++)
            from->runs[i].input.mix = NULL;
    }
}

/* Collect, with the mix where it was told of every run, of all samples, and covers most of what each run costs. */
static bool pair_collect_mixed(struct gate_pair *pair, const struct gate_pair_options *options,
                               struct gate_arena *arena, struct gate_error *err) {
    struct gate_str told = pair_mix_told(pair);
    bool is_part = options->where.count > 0;
    if (told.len == 0 || is_part)
        pair_forget_mix(pair);
    if (!pair_collect(pair, options, arena, err))
        return false;
    if (told.len == 0)
        return true;
    pair->mix_share = is_part ? 0.0 : pair_mix_share(pair);
    if (pair->mix_share >= MIXED_LEAST) {
        pair->mix_key = told;
        return true;
    }
    pair->mix_told = told;
    if (is_part)
        return true;
    pair_forget_mix(pair);
    return pair_collect(pair, options, arena, err);
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
    if (!pair_choose_type(out, options, err) || !pair_collect_mixed(out, options, arena, err))
        return false;
    if (!has_rounds)
        out->is_interleaved = gate_drift_is_interleaved(out->sides);
    return pair_resolve(out, &options->frames, arena, err);
}

bool gate_pair_is_exact(const struct gate_pair *pair) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            if (pair->sides[side].runs[r].counts.kind != GATE_COUNTS_EXACT)
                return false;
    return true;
}
