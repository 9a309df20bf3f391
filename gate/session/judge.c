/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/session/judge.h"

#include "gate/base/figures.h"
#include "gate/base/hash.h"
#include "gate/budget/by.h"
#include "gate/budget/default_rules.h"
#include "gate/budget/plan.h"
#include "gate/budget/verdict.h"
#include "gate/compare/allocator.h"
#include "gate/compare/comparison.h"
#include "gate/compare/cost.h"
#include "gate/compare/own_growth.h"
#include "gate/compare/waits.h"
#include "gate/formats/format.h"
#include "gate/formats/merge.h"
#include "gate/guards/guards.h"
#include "gate/model/unit.h"
#include "gate/names/own_code.h"
#include "gate/rules/noise_file.h"
#include "gate/rules/rules.h"
#include "gate/rules/rules_diff.h"
#include "gate/session/input.h"
#include "gate/session/judge_options.h"
#include "gate/session/load_sides.h"
#include "gate/session/profile_options.h"
#include "gate/session/rules_in_force.h"
#include "gate/session/session.h"
#include "gate/session/stored_baseline.h"

#include <math.h>

/* Write `later` minus `earlier` to `bytes`, over the time between them. */
static bool subtract(struct gate_buf *bytes, const struct gate_profile *later, const struct gate_profile *earlier,
                     struct gate_arena *arena, struct gate_error *err) {
    struct gate_merge merge;
    struct gate_arena scratch;
    gate_arena_fork(&scratch, arena);
    gate_merge_begin(&merge, &scratch);
    bool ok = gate_merge_add_scaled(&merge, later, 1, NULL, &scratch, err) &&
              gate_merge_add_scaled(&merge, earlier, -1, NULL, &scratch, err);
    if (ok) {
        int64_t between = later->time_ns - earlier->time_ns;
        merge.builder.header.time_ns = earlier->time_ns;
        merge.builder.header.duration_ns = earlier->time_ns > 0 && between > 0 ? between : 0;
        ok = gate_merge_write(bytes, &merge, GATE_CONTAINER_RAW, err);
    }
    gate_merge_end(&merge);
    gate_arena_free(&scratch);
    return ok;
}

/* Make the run of what was allocated between two rounds. */
static bool run_between(struct gate_run_input *out, const struct gate_run_input *earlier,
                        const struct gate_run_input *later, const struct gate_limits *limits, struct gate_arena *arena,
                        struct gate_error *err) {
    struct gate_buf bytes = {0};
    struct gate_str kept = {NULL, 0};
    struct gate_profile *profile = GATE_NEW_ARRAY(arena, struct gate_profile, 1);
    *out = *later;
    bool ok = profile != NULL || gate_arena_error(arena, err);
    ok = ok && subtract(&bytes, later->profile, earlier->profile, arena, err) &&
         gate_buf_keep_into(&kept, &bytes, arena, err);
    gate_buf_free(&bytes);
    if (!ok)
        return false;
    gate_hash_wide(out->content, kept.ptr, kept.len);
    out->profile = profile;
    return gate_profile_load(profile, kept, limits, arena, err);
}

/* What was allocated between two snapshots. */
enum between { NOTHING, SOMETHING, LESS /* an amount fell, so the snapshots are of several processes */ };

static bool find_between(enum between *out, const struct gate_profile *between, struct gate_error *err) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error none = {0};
    *out = NOTHING;
    gate_sample_begin(&cursor, between);
    while (gate_sample_next(&cursor, &sample, &none))
        for (uint32_t column = 0; column < between->sample_type_count; column++) {
            int64_t value = sample.values[column];
            if (value == 0 || !gate_str_starts(between->sample_types[column].type, GATE_STR("alloc_")))
                continue;
            *out = value < 0 || *out == LESS ? LESS : SOMETHING;
        }
    gate_sample_end(&cursor);
    if (none.code != GATE_OK)
        *err = none;
    return none.code == GATE_OK;
}

/* State of making the runs between snapshots. */
struct splitting {
    const struct gate_plan_input *heap;
    struct gate_run_input *runs[GATE_SIDES];
    uint32_t count, last; /* runs made; snapshot that the last of them ends with */
    const struct gate_limits *limits;
    struct gate_arena *arena;
    struct gate_error *err;
};

/* Make the runs from the last snapshot to snapshot `at` on both sides. If a side has no allocations in between, because
 * its collector did not run, no run is made, and the next run covers that time, too. */
static bool round_between(struct splitting *s, uint32_t at, bool *falls) {
    enum between found[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_run_input *runs = s->heap->runs[side];
        struct gate_run_input *out = &s->runs[side][s->count];
        if (!run_between(out, &runs[s->last], &runs[at], s->limits, s->arena, s->err) ||
            !find_between(&found[side], out->profile, s->err))
            return gate_error_prefix(s->err, "%.*s", GATE_STR_ARG(runs[at].path));
        for (uint32_t i = s->last + 1; out->work > 0.0 && i < at; i++)
            out->work += runs[i].work;
        *falls = *falls || found[side] == LESS;
    }
    if (found[GATE_BASELINE] == SOMETHING && found[GATE_CANARY] == SOMETHING) {
        s->count++;
        s->last = at;
    }
    return true;
}

/* Fill the runs of `allocs` from those of its heap. `*falls`: the snapshots are of several processes. */
static bool rounds_between(struct gate_plan_input *allocs, bool *falls, struct splitting *s) {
    uint32_t snapshots = s->heap->counts[GATE_BASELINE];
    for (int side = 0; side < GATE_SIDES; side++) {
        s->runs[side] = GATE_NEW_ARRAY(s->arena, struct gate_run_input, snapshots);
        if (s->runs[side] == NULL)
            return gate_arena_error(s->arena, s->err);
    }
    for (uint32_t at = 1; at < snapshots && !*falls; at++)
        if (!round_between(s, at, falls))
            return false;
    for (int side = 0; side < GATE_SIDES; side++) {
        allocs->runs[side] = s->runs[side];
        allocs->counts[side] = s->count;
        allocs->work[side] = 0.0;
        for (uint32_t i = 0; i < s->count; i++)
            allocs->work[side] += s->runs[side][i].work;
    }
    return true;
}

static bool is_of_kind(const struct gate_plan_input *input, const char *kind) {
    return gate_str_equal(input->kind, gate_str_from(kind));
}

/* Return whether each side has one run a round, so that they may be snapshots of one process. */
static bool is_one_a_round(const struct gate_plan_input *input) {
    for (uint32_t i = 0; i < input->counts[GATE_BASELINE]; i++)
        for (int side = 0; side < GATE_SIDES; side++)
            if (i > 0 && input->runs[side][i].round <= input->runs[side][i - 1].round)
                return false;
    return true;
}

/* Return whether the input has snapshots of heaps whose allocations are known. */
static bool is_series(const struct gate_plan_input *input) {
    struct gate_plan_input all = *input;
    all.void_types = GATE_STR("");
    return is_of_kind(input, "heap") && input->void_types.len > 0 && gate_plan_holds(&all, GATE_STR("alloc_space"));
}

/* Return whether this is the first round of a heap, and more may follow. Allocations are then not judged yet, because
 * several rounds show what was allocated between them. Allocations since the start may come mostly from start-up code,
 * whose share is smaller on a busier side. */
static bool awaits_rounds(const struct gate_plan_input *input, const struct gate_looks *looks) {
    bool is_first =
        input->counts[GATE_BASELINE] == 1 && input->counts[GATE_CANARY] == 1 && input->runs[GATE_CANARY][0].round > 0;
    return is_of_kind(input, "heap") && is_first && looks->count == 1 && looks->fractions[0] < 1.0;
}

/* Replace `*inputs` by a copy with one more input "allocs" for each input of kind "heap" with void_types "alloc_": its
 * allocations count from the start of the process in every round. The runs of "allocs" are the differences of
 * neighbouring rounds, so there is one run fewer. The "heap" input is labelled "heap" if it has no label.
 *
 * Nothing is added in the first round if more may follow (awaits_rounds), if the profiles have no allocations, or if
 * there is an input of kind "allocs" already. If allocations fall from round to round, the rounds are of several
 * processes, and are compared as they are. Call it when the runs have their work. A difference has the work of its
 * later round.
 *
 * err   errors of gate_merge_add and gate_profile_load
 *
 * O(bytes of all profiles). */
static bool snapshots_split(struct gate_plan_input **inputs, uint32_t *input_count,
                            const struct gate_judge_options *options, const struct gate_limits *limits,
                            struct gate_session *session, struct gate_error *err) {
    struct gate_arena *arena = session->arena;
    uint32_t count = *input_count;
    for (uint32_t i = 0; i < count; i++)
        if (is_of_kind(&(*inputs)[i], "allocs"))
            return true;
    struct gate_plan_input *items = GATE_NEW_ARRAY(arena, struct gate_plan_input, 2 * (size_t)count);
    if (items == NULL)
        return gate_arena_error(arena, err);
    memcpy(items, *inputs, count * sizeof *items);
    for (uint32_t i = 0; i < *input_count; i++) {
        if (awaits_rounds(&items[i], &options->looks))
            items[i].void_types = GATE_STR("alloc_");
        if (!is_series(&items[i]))
            continue;
        bool falls = items[i].counts[GATE_BASELINE] != items[i].counts[GATE_CANARY] || !is_one_a_round(&items[i]);
        struct gate_plan_input allocs = items[i];
        struct splitting splitting = {.heap = &items[i], .limits = limits, .arena = arena, .err = err};
        if (!falls && !rounds_between(&allocs, &falls, &splitting))
            return false;
        if (falls) {
            items[i].void_types = GATE_STR("");
            continue;
        }
        if (splitting.count == 0)
            continue;
        items[i].label = GATE_STR("heap");
        items[i].is_half = allocs.is_half = true;
        allocs.label = allocs.kind = GATE_STR("allocs");
        allocs.void_types = GATE_STR("inuse_");
        items[count++] = allocs;
    }
    *inputs = items;
    *input_count = count;
    return true;
}

/* ---- noise models of the command line ---------------------------------------------------------------------------- */

/** A noise model that was read. */
struct gate_judge_noise {
    struct gate_noise noise;
    struct gate_noise_naming naming;
    const char *name; /* of its file */
};

/** Read all noise models of `options`; `*out` gets one per file. err: names the file. */
static bool judge_noise_read(struct gate_judge_noise **out, const struct gate_judge_options *options,
                             const struct gate_session *session, struct gate_error *err) {
    struct gate_arena *arena = session->arena;
    uint32_t count = options->noise.count;
    *out = GATE_NEW_ARRAY(arena, struct gate_judge_noise, count);
    if (*out == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < count; i++) {
        struct gate_judge_noise *model = &(*out)[i];
        const char *path = options->noise.items[i];
        struct gate_str text;
        model->name = gate_input_name(path);
        if (!gate_rules_from_read(&text, options->from, session, path, arena, err))
            return gate_error_prefix(err, "%s", model->name);
        if (options->from != NULL && !gate_rules_from_compare(options->from, session, path, text, err))
            return false;
        if (!gate_noise_read(&model->noise, &model->naming, text, arena, err))
            return gate_error_prefix_file(err, model->name);
    }
    return true;
}

/**
 * Give a noise model to the comparisons that it describes.
 *
 * is_history  the canary is an earlier one; a model that depends on the traffic mix is then skipped, because the mix of
 *             that canary is not known
 * err         GATE_ERR_CONFIG if the model matches no comparison, or if it was made with other names, another traffic
 *             mix, another program or another sample type
 */
static bool judge_noise_apply(struct gate_plan *plan, const struct gate_judge_noise *model,
                              const struct gate_frame_options *frames, bool is_history, struct gate_arena *arena,
                              struct gate_error *err) {
    const struct gate_noise *noise = &model->noise;
    const char *path = model->name;
    uint32_t used = 0;
    GATE_ASSERT(plan->comparison_count > 0);
    if (model->naming.granularity != frames->granularity || model->naming.exact_names != frames->exact_names)
        return gate_error_set(err, GATE_ERR_CONFIG,
                              "%s: this noise model was made with another --granularity or --names; calibrate again "
                              "with those of this run",
                              path);
    for (uint32_t i = 0; i < plan->comparison_count; i++) {
        struct gate_comparison *comparison = &plan->comparisons[i];
        if (comparison->is_filtered || !gate_str_equal(comparison->pair.type.type, noise->type.type) ||
            !gate_str_equal(comparison->pair.type.unit, noise->type.unit))
            continue;
        bool is_same_mix = noise->mix_key.len == 0 || gate_str_equal(noise->mix_key, comparison->pair.mix_key);
        used += !is_same_mix && is_history; /* the traffic mix of an earlier canary is not known */
        if (!is_same_mix && is_history)
            continue;
        if (!is_same_mix)
            return gate_error_set(
                err, GATE_ERR_CONFIG,
                "%s: this noise model was made of runs whose work was given by '%.*s', so it does not contain how "
                "traffic varies; give the work of these runs by it too, for the values that their samples have",
                path, GATE_STR_ARG(noise->mix_key));
        const struct gate_noise *followed = noise;
        if (!frames->exact_names && !gate_noise_follow(&followed, noise, &comparison->pair, arena, err))
            return false;
        double coverage = gate_noise_coverage(followed, &comparison->pair, &comparison->deltas);
        if (coverage < GATE_NOISE_COVERAGE_LEAST)
            return gate_error_set(
                err, GATE_ERR_CONFIG,
                "%s: this noise model covers %.0f%% of the baseline's self cost and should cover %.0f%%; if it "
                "was made from another program, calibrate again on runs of this one",
                path, 100 * coverage, 100 * GATE_NOISE_COVERAGE_LEAST);
        comparison->noise = followed;
        used++;
    }
    if (used != 0)
        return true;
    if (plan->comparisons[0].is_filtered)
        return gate_error_set(
            err, GATE_ERR_CONFIG,
            "%s: a noise model describes whole profiles, but 'where' compares a part; leave out one of them", path);
    const struct gate_value_type *type = &plan->comparisons[0].pair.type;
    return gate_error_set(
        err, GATE_ERR_CONFIG,
        "%s: this noise model is for %.*s/%.*s, but this run compares %.*s/%.*s; calibrate on such profiles", path,
        GATE_STR_ARG(noise->type.type), GATE_STR_ARG(noise->type.unit), GATE_STR_ARG(type->type),
        GATE_STR_ARG(type->unit));
}

/* ---- compare, and decide with every guard ------------------------------------------------------------------------ */

/* ---- warnings ---------------------------------------------------------------------------------------------------- */

/* The comparisons to judge. */
struct comparisons_made {
    const struct gate_rules *loaded_rules; /* the loaded rules */
    const struct gate_rules *rules;        /* the loaded rules, expanded to the pairs (budget/plan.h) */
    struct gate_plan plan;
    struct gate_by_list by; /* filled with --by */
    struct gate_warning *warnings;
    uint32_t warning_count;
    size_t warning_capacity;
};

/* Other facts that guards check, in addition to profiles and rules. */
struct judge_facts {
    const struct gate_judge_options *options; /* rounds and kinds that are not compared, edited rules */
    const struct gate_work *work;             /* the work of all inputs, or NULL */
    const struct gate_warning_list *unused;   /* warnings about memory in use that is not judged */
    const struct gate_warning_list *store;    /* warnings about a baseline from a store, or NULL */
};

static bool has_warning(const struct comparisons_made *made, const struct gate_warning *warning) {
    for (uint32_t i = 0; i < made->warning_count; i++)
        if (made->warnings[i].guard == warning->guard && gate_str_equal(made->warnings[i].message, warning->message))
            return true;
    return false;
}

/* Add warnings, each one once: comparisons of the same files give the same warnings. */
static bool add_warnings(struct comparisons_made *made, const struct gate_warning *items, size_t count,
                         struct gate_arena *arena, struct gate_error *err) {
    for (size_t i = 0; i < count; i++) {
        if (items[i].message.len == 0 || has_warning(made, &items[i]))
            continue;
        if (!GATE_APPEND(arena, made->warnings, made->warning_count, made->warning_capacity, err, items[i]))
            return false;
    }
    return true;
}

/* Adds the message of a guard. An empty message adds nothing; `.ptr` NULL means that the arena is full. */
static bool warn(struct comparisons_made *made, enum gate_guard guard, struct gate_str message,
                 struct gate_arena *arena, struct gate_error *err) {
    const struct gate_warning warning = {.guard = guard, .message = message};
    return (message.ptr != NULL || gate_arena_error(arena, err)) && add_warnings(made, &warning, 1, arena, err);
}

/* ---- compare ----------------------------------------------------------------------------------------------------- */

static bool guard_comparisons(struct comparisons_made *made, const struct gate_rules *rules, struct gate_arena *arena,
                              struct gate_error *err) {
    for (uint32_t c = 0; c < made->plan.comparison_count; c++) {
        struct gate_warning *found = NULL;
        uint32_t count = 0;
        if (made->plan.comparisons[c].same_input)
            continue;
        if (!gate_guards_check(&found, &count, GATE_GUARDS_AS_MADE, &made->plan.comparisons[c], rules, arena, err) ||
            !add_warnings(made, found, count, arena, err))
            return false;
    }
    return true;
}

/* Warns of a sample type that budgets name and one side lacks: the budgets then use another type, or none. */
static bool guard_types(struct comparisons_made *made, const struct gate_judge_inputs *inputs,
                        struct gate_str given_type, struct gate_arena *arena, struct gate_error *err) {
    struct gate_plan_missing *missing = NULL;
    uint32_t count = 0;
    if (!gate_plan_find_missing(&missing, &count, made->rules, inputs->items, inputs->count, given_type, arena, err))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct gate_str label = missing[i].label;
        struct gate_str text = gate_str_format(
            arena,
            "%s%.*s%sthe %s has no sample type '%.*s', which the %s has and budgets name: its costs were not compared; "
            "take both sides with the same profiler and the same options",
            label.len == 0 ? "" : "pair '", GATE_STR_ARG(label),
            label.len == 0 ? "" : "': ", gate_side_word(missing[i].side), GATE_STR_ARG(missing[i].type),
            gate_side_word((enum gate_side_name)(1 - missing[i].side)));
        if (!warn(made, GATE_GUARD_MISSING_KIND, text, arena, err))
            return false;
    }
    return true;
}

/* Set `*out` to the inputs with the CPU time that the system counted (gate_plan_count_cpu). */
static bool cpu_count(struct gate_judge_inputs *out, const struct gate_judge_inputs *inputs,
                      const struct gate_limits *limits, struct gate_arena *arena, struct gate_error *err) {
    struct gate_plan_input *items = GATE_NEW_ARRAY(arena, struct gate_plan_input, inputs->count);
    if (items == NULL)
        return gate_arena_error(arena, err);
    *out = (struct gate_judge_inputs){items, inputs->count};
    for (uint32_t i = 0; i < inputs->count; i++) {
        items[i] = inputs->items[i];
        if (!gate_plan_count_cpu(items[i].runs, items[i].counts, GATE_SIDES, limits, arena, err))
            return false;
    }
    return true;
}

static bool allocators_find(struct gate_plan *plan, const struct gate_pair_options *options, struct gate_arena *arena,
                            struct gate_error *err) {
    for (uint32_t i = 0; i < plan->comparison_count; i++)
        if (!gate_allocator_find(&plan->comparisons[i], options, arena, err) ||
            !gate_waits_find(&plan->comparisons[i], options, arena, err))
            return false;
    return true;
}

/* Make the comparisons that `rules` need, and add the warnings of guards that check profiles. */
static bool judge_compare(struct comparisons_made *out, const struct gate_judge_inputs *inputs,
                          const struct gate_profile_options *profiles, const struct gate_rules *rules,
                          struct gate_arena *arena, struct gate_error *err) {
    const struct gate_pair_options pairing = gate_profile_options_pairing(profiles, rules->frames, rules->counts);
    const struct gate_plan_options options = {
        .sample_type = pairing.sample_type, .where = pairing.where, .frames = pairing.frames, .counts = pairing.counts};
    const struct gate_by_options by = {profiles->by, profiles->by_values, options.sample_type, &options.where};
    struct gate_judge_inputs all;
    struct gate_rules *spread = GATE_NEW_ARRAY(arena, struct gate_rules, 1);
    if (spread == NULL)
        return gate_arena_error(arena, err);
    if (!cpu_count(&all, inputs, &profiles->limits, arena, err))
        return false;
    *out = (struct comparisons_made){.loaded_rules = rules, .rules = spread};
    return gate_plan_spread(spread, rules, inputs->items, inputs->count, arena, err) &&
           guard_types(out, inputs, options.sample_type, arena, err) &&
           (by.key.len == 0 || gate_by_spread(&out->by, spread, &all.items, &all.count, &by, arena, err)) &&
           gate_plan_make(&out->plan, spread, all.items, all.count, &options, arena, err) &&
           allocators_find(&out->plan, &pairing, arena, err) && guard_comparisons(out, spread, arena, err);
}

/* ---- decide ------------------------------------------------------------------------------------------------------ */

/* Warn of a label value with work on one side only: it may be new, gone or misspelt. */
static bool guard_work(struct comparisons_made *made, const struct gate_work *work, struct gate_arena *arena,
                       struct gate_error *err) {
    const struct gate_work_count *one_sided = work == NULL ? NULL : gate_work_one_sided(work);
    if (one_sided == NULL)
        return true;
    return warn(made, GATE_GUARD_MIX,
                gate_str_format(
                    arena,
                    "the work by '%.*s' has '%.*s' for the %s only: its samples keep their weight; check the spelling",
                    GATE_STR_ARG(one_sided->key), GATE_STR_ARG(one_sided->value), gate_side_word(one_sided->side)),
                arena, err);
}

/* Warns if too little of the cost has a value of the label of --by. */
static bool guard_by(struct comparisons_made *made, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_by *worst = NULL;
    double open = gate_by_uncovered(&made->by, &worst);
    if (worst == NULL || open <= gate_guard_limit(made->loaded_rules, GATE_GUARD_BY_VALUES))
        return true;
    return warn(made, GATE_GUARD_BY_VALUES,
                gate_str_format(arena,
                                "%s of the cost is in no value of '%.*s' that was compared and is judged as part of "
                                "the whole alone; label more of the program, or raise --by-values",
                                gate_figures_share_text(open).text, GATE_STR_ARG(worst->key)),
                arena, err);
}

static bool guard_all_of(struct comparisons_made *made, enum gate_guard guard, const struct gate_str *texts,
                         uint32_t count, struct gate_arena *arena, struct gate_error *err) {
    for (uint32_t i = 0; i < count; i++)
        if (!warn(made, guard, texts[i], arena, err))
            return false;
    return true;
}

/* Return whether `total` is the CPU time per second of runs that both sides took at the same time. */
static bool has_time(struct gate_total_cost *total, const struct gate_comparison *comparison) {
    static const double no_work[GATE_SIDES] = {0.0, 0.0};
    const struct gate_pair *pair = &comparison->pair;
    return comparison->part == NULL && !comparison->is_filtered && !comparison->same_input &&
           gate_str_equal(pair->type.type, GATE_STR("cpu")) && gate_unit_ratio(pair->type.unit, GATE_STR("ns")) > 0 &&
           gate_pair_is_simultaneous(pair) && gate_total_cost_measure(total, pair, GATE_EQUAL_TIME, no_work);
}

/* Return "cpu: in the same 9s the canary used 1.46x the CPU time of the baseline (90% CI [1.19, 1.80])". */
static struct gate_str time_text(const struct gate_comparison *comparison, const struct gate_total_cost *total,
                                 struct gate_arena *arena) {
    return gate_str_format(
        arena, "%.*s: in the same %s the canary used %.3gx the CPU time of the baseline (90%% CI [%.2f, %.2f])",
        GATE_STR_ARG(comparison->name), gate_figures_seconds_text(round(total->units[GATE_CANARY])).text, total->ratio,
        total->ratio_bounds[0], total->ratio_bounds[1]);
}

/* Warn if the CPU time per second may still exceed the limit of the guard cost_per_second at the last look. If it
 * exceeds the limit already, that guard warns. */
static bool warn_uncertain_time(struct comparisons_made *made, const struct gate_comparison *comparison,
                                const struct gate_total_cost *total, const struct gate_looks_now *now,
                                struct gate_arena *arena, struct gate_error *err) {
    double limit = gate_guard_limit(made->loaded_rules, GATE_GUARD_COST_PER_SECOND);
    if (gate_guards_time_grew(total, limit) || gate_total_cost_log_p(total, limit) >= log(now->turn))
        return true;
    return warn(made, GATE_GUARD_COST_PER_SECOND,
                gate_str_format(arena,
                                "%.*s: it may be over %.3gx, and more rounds decide it; if both had the same load, set "
                                "'equal: time'; else give --work-metric",
                                GATE_STR_ARG(time_text(comparison, total, arena)), limit),
                arena, err);
}

/* With `equal: time`, warn if the canary used so much less CPU time that it may have had only a part of the load. Do so
 * only if it has too few samples for the guard unequal_load to judge its functions. That guard would end the looks, so
 * the warning has the code of cost_per_second. */
static bool warn_uncertain_load(struct comparisons_made *made, const struct gate_comparison *comparison,
                                const struct gate_total_cost *total, struct gate_arena *arena, struct gate_error *err) {
    struct gate_estimated_cost cost;
    bool is_known = false;
    if (total->ratio * gate_guard_limit(made->loaded_rules, GATE_GUARD_UNEQUAL_LOAD) >= 1.0)
        return true;
    if (!gate_own_growth_cost(&cost, &is_known, &comparison->pair, &comparison->deltas, arena, err))
        return false;
    return is_known || warn(made, GATE_GUARD_COST_PER_SECOND,
                            gate_str_format(arena,
                                            "%.*s: it may have had less load than 'equal: time' assumes, and more "
                                            "rounds decide it; give --work-metric, which also compares "
                                            "a canary with a part of the traffic",
                                            GATE_STR_ARG(time_text(comparison, total, arena))),
                            arena, err);
}

/* Before the last look, add a warning while the load or the CPU time per second is uncertain, so that nothing passes.
 * An early pass must be one that later rounds would hardly change, as for the growth of a function. */
static bool guard_early_pass(struct comparisons_made *made, const struct gate_looks *looks,
                             const double work[GATE_SIDES], struct gate_arena *arena, struct gate_error *err) {
    bool is_time = made->loaded_rules->equal == GATE_EQUAL_TIME && !made->loaded_rules->makes_load;
    bool has_work = work[GATE_BASELINE] > 0.0 && work[GATE_CANARY] > 0.0;
    struct gate_looks_now now;
    enum gate_guard guard = is_time ? GATE_GUARD_UNEQUAL_LOAD : GATE_GUARD_COST_PER_SECOND;
    if (!gate_looks_are_several(looks) || has_work || !(is_time || made->loaded_rules->equal == GATE_EQUAL_UNKNOWN) ||
        gate_guard_severity(made->loaded_rules, guard) == GATE_SEVERITY_OFF)
        return true;
    if (!gate_looks_begin(&now, looks, made->loaded_rules->alpha_margin, err))
        return false;
    for (uint32_t c = 0; gate_looks_are_early(&now) && c < made->plan.comparison_count; c++) {
        const struct gate_comparison *comparison = &made->plan.comparisons[c];
        struct gate_total_cost total;
        if (has_time(&total, comparison) &&
            !(is_time ? warn_uncertain_load(made, comparison, &total, arena, err)
                      : warn_uncertain_time(made, comparison, &total, &now, arena, err)))
            return false;
    }
    return true;
}

/* Check the facts, in the order of the warnings in reports. */
static bool guard_facts(struct comparisons_made *made, const struct judge_facts *facts, struct gate_arena *arena,
                        struct gate_error *err) {
    const struct gate_judge_options *options = facts->options;
    double work[GATE_SIDES];
    GATE_ASSERT(made->loaded_rules != NULL);
    for (int side = 0; side < GATE_SIDES; side++) {
        double given = facts->work == NULL ? 0.0 : gate_work_total(facts->work, (enum gate_side_name)side);
        work[side] = given > 0.0 ? given : made->loaded_rules->work[side];
    }
    return warn(made, GATE_GUARD_RULES_EDITED, gate_rules_from_sentence(options->from, arena), arena, err) &&
           warn(made, GATE_GUARD_TOOTHLESS, gate_toothless_rules(made->loaded_rules, work, arena), arena, err) &&
           guard_work(made, facts->work, arena, err) &&
           guard_all_of(made, GATE_GUARD_MISSING_KIND, options->missing, options->missing_count, arena, err) &&
           guard_all_of(made, GATE_GUARD_ROUNDS_LEFT_OUT, options->left_out, options->left_out_count, arena, err) &&
           add_warnings(made, options->taken.items, options->taken.count, arena, err) &&
           add_warnings(made, facts->unused->items, facts->unused->count, arena, err) && guard_by(made, arena, err) &&
           guard_early_pass(made, &options->looks, work, arena, err) &&
           (facts->store == NULL || add_warnings(made, facts->store->items, facts->store->count, arena, err));
}

/*
 * Raise the guards that check `facts`, unless options->is_history, then decide.
 *
 * options  `by`, `comparison_of`, `warnings` and `today` are set here; the caller sets the rest
 * err      errors of gate_verdict_reach
 */
static bool judge_decide(struct gate_verdict *out, struct comparisons_made *made, const struct judge_facts *facts,
                         struct gate_verdict_options *options, struct gate_arena *arena, struct gate_error *err) {
    if (!options->is_history && !guard_facts(made, facts, arena, err))
        return false;
    options->by = made->by;
    options->comparison_of = made->plan.budget_comparison;
    options->warnings = made->warnings;
    options->warning_count = made->warning_count;
    options->today = gate_rulefile_today(arena);
    if (options->today.ptr == NULL) /* without a date no waiver would be expired */
        return gate_arena_error(arena, err);
    return gate_verdict_reach(out, made->rules, made->plan.comparisons, made->plan.comparison_count, options, arena,
                              err);
}

/* ---- from a command line to a verdict ---------------------------------------------------------------------------- */

/* What the canary and the earlier canaries share. */
struct judge {
    struct gate_session *session;
    const struct gate_profile_options *profiles;
    const struct gate_rules *rules;
    const struct gate_judge_options *options;
    struct gate_judge_inputs inputs;
    struct gate_judge_noise *noise;
    const struct gate_work *work;    /* may be NULL */
    struct gate_warning_list unused; /* warnings about inputs whose memory in use is not judged */
    bool awaits_types;               /* an input lacks values of a heap that its later rounds may have */
};

/* ---- load -------------------------------------------------------------------------------------------------------- */

static void input_fill(struct gate_plan_input *input, const struct gate_side_runs sides[GATE_SIDES], bool is_same) {
    input->same = is_same;
    for (int side = 0; side < GATE_SIDES; side++) {
        input->runs[side] = sides[side].items;
        input->counts[side] = sides[side].count;
    }
}

/* Sets the round, the start and a missing duration of each run, from the manifest. Copies the runs, because they are
 * const. */
static bool rounds_apply(struct gate_side_runs sides[GATE_SIDES], const struct gate_profile_round *const *rounds,
                         struct gate_arena *arena, struct gate_error *err) {
    for (int side = 0; side < GATE_SIDES; side++) {
        if (rounds[side] == NULL)
            continue;
        struct gate_run_input *runs = GATE_NEW_ARRAY(arena, struct gate_run_input, sides[side].count);
        if (runs == NULL)
            return gate_arena_error(arena, err);
        memcpy(runs, sides[side].items, sides[side].count * sizeof *runs);
        for (uint32_t i = 0; i < sides[side].count; i++) {
            runs[i].round = rounds[side][i].number;
            runs[i].start_ms = rounds[side][i].start_ms;
            if (!gate_load_window(&runs[i], rounds[side][i].took_ms, arena, err))
                return false;
        }
        sides[side].items = runs;
    }
    return true;
}

/* Load every profile that `profiles` names. err: errors of gate_load_sides. */
static bool judge_load(struct gate_judge_inputs *out, struct gate_session *session,
                       const struct gate_profile_options *profiles, struct gate_error *err) {
    bool named = profiles->pairs.count != 0;
    out->count = named ? profiles->pairs.count : 1;
    out->items = GATE_NEW_ARRAY(session->arena, struct gate_plan_input, out->count);
    if (out->items == NULL)
        return gate_arena_error(session->arena, err);
    for (uint32_t i = 0; i < out->count; i++) {
        struct gate_side_runs sides[GATE_SIDES];
        bool is_same = false;
        const struct gate_paths *paths = named ? profiles->pairs.items[i].paths : profiles->paths;
        if (!gate_load_sides(sides, &is_same, session, paths, &profiles->limits, err))
            return false;
        const struct gate_profile_round *const *rounds = named ? profiles->pairs.items[i].rounds : profiles->rounds;
        out->items[i].label = named ? profiles->pairs.items[i].label : GATE_STR("");
        if (!rounds_apply(sides, rounds, session->arena, err))
            return false;
        input_fill(&out->items[i], sides, is_same);
        out->items[i].kind = named ? profiles->pairs.items[i].label : profiles->kind;
        out->items[i].void_types = named ? profiles->pairs.items[i].void_types : profiles->void_types;
    }
    return true;
}

/* ---- baselines from a store, and earlier canaries ---------------------------------------------------------------- */

/* Set the titles of accepted profiles, which reports show instead of digests. */
static void accepted_name(struct gate_comparison *comparison, const struct gate_stored_baseline *accepted) {
    struct gate_side *baseline = &comparison->pair.sides[GATE_BASELINE];
    for (uint32_t i = 0; i < baseline->run_count; i++)
        baseline->runs[i].input.title = gate_stored_baseline_title(accepted, baseline->runs[i].input.path);
}

/* Adds the warnings about a baseline from a store, and the noise model from other accepted runs. */
static bool accepted_apply(struct gate_warning_list *found, struct comparisons_made *made, const struct judge *judge,
                           bool is_history, struct gate_error *err) {
    const struct gate_stored_baseline *accepted = judge->options->accepted;
    const struct gate_pair_options pairing =
        gate_profile_options_pairing(judge->profiles, judge->rules->frames, judge->rules->counts);
    *found = (struct gate_warning_list){0};
    if (accepted == NULL || accepted->where.store == NULL)
        return true;
    for (uint32_t i = 0; i < made->plan.comparison_count; i++)
        accepted_name(&made->plan.comparisons[i], accepted);
    return (is_history || gate_stored_baseline_warnings_add(found, accepted, judge->rules, judge->session, err)) &&
           gate_stored_baseline_noise_apply(made->plan.comparisons, made->plan.comparison_count, accepted, &pairing,
                                            &judge->profiles->limits, is_history ? NULL : judge->session,
                                            judge->session->arena, err);
}

/* Judges one canary. For an earlier canary, the guards that check `facts` and the warnings about the baseline are
 * left out. */
static bool judge_one(struct gate_verdict *out, const struct judge *judge, const struct gate_judge_inputs *inputs,
                      struct gate_verdict_options options, struct gate_error *err) {
    struct comparisons_made made = {0};
    struct gate_warning_list store = {0};
    const struct gate_rules *rules = judge->rules;
    const struct gate_frame_options frames =
        gate_profile_options_pairing(judge->profiles, rules->frames, rules->counts).frames;
    gate_progress_stage(judge->session->progress, "comparing profiles");
    if (!judge_compare(&made, inputs, judge->profiles, rules, judge->session->arena, err))
        return false;
    for (uint32_t i = 0; i < judge->options->noise.count; i++)
        if (!judge_noise_apply(&made.plan, &judge->noise[i], &frames, options.is_history, judge->session->arena, err))
            return false;
    if (!accepted_apply(&store, &made, judge, options.is_history, err))
        return false;
    const struct judge_facts facts = {judge->options, judge->work, &judge->unused, &store};
    options.command = judge->options->command;
    gate_progress_stage(judge->session->progress, "deciding");
    return judge_decide(out, &made, &facts, &options, judge->session->arena, err);
}

/* Check that an earlier canary is not this canary, which must not confirm itself. A folder of earlier canaries may
 * contain it. */
static bool history_check(const struct judge *judge, const struct gate_run_input *earlier, struct gate_error *err) {
    const struct gate_plan_input *now = &judge->inputs.items[0];
    for (uint32_t i = 0; i < now->counts[GATE_CANARY]; i++)
        if (gate_load_sides_is_same(&now->runs[GATE_CANARY][i], earlier))
            return gate_error_set(err, GATE_ERR_INPUT,
                                  "%.*s: this is the canary itself, not an earlier one; take it out of the history",
                                  GATE_STR_ARG(earlier->path));
    return true;
}

/* Judges one earlier canary against the loaded baseline. */
static bool history_judge(struct gate_verdict *out, const struct judge *judge, const char *path,
                          struct gate_error *err) {
    const struct gate_plan_input *now = &judge->inputs.items[0];
    const struct gate_paths one = {.items = &path, .count = 1};
    const struct gate_verdict_options options = {.is_history = true};
    struct gate_side_runs sides[GATE_SIDES] = {
        [GATE_BASELINE] = {now->runs[GATE_BASELINE], now->counts[GATE_BASELINE]}};
    bool is_same = false;
    if (!gate_load_sides_one(&sides[GATE_CANARY], judge->session, &one, &judge->profiles->limits, true, err) ||
        !history_check(judge, &sides[GATE_CANARY].items[0], err) || !gate_load_sides_check(&is_same, sides, err))
        return false;
    struct gate_plan_input *input = GATE_NEW_ARRAY(judge->session->arena, struct gate_plan_input, 1);
    if (input == NULL)
        return gate_arena_error(judge->session->arena, err);
    input->label = now->label;
    input_fill(input, sides, is_same);
    return judge_one(out, judge, &(struct gate_judge_inputs){input, 1}, options, err);
}

static bool history_judge_all(const struct gate_verdict *const **out, const struct judge *judge,
                              struct gate_error *err) {
    const struct gate_paths *paths = &judge->options->history;
    struct gate_arena *arena = judge->session->arena;
    if (paths->count != 0 && judge->profiles->by.len != 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'--history' cannot be combined with '--by': the values of earlier canaries are others");
    if (paths->count != 0 && judge->profiles->pairs.count != 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'--history' cannot be combined with '--pair'; it needs one baseline and one canary");
    struct gate_verdict *verdicts = GATE_NEW_ARRAY(arena, struct gate_verdict, paths->count);
    const struct gate_verdict **list = gate_arena_calloc(arena, (size_t)paths->count + 1, sizeof *list);
    if (verdicts == NULL || list == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < paths->count; i++) {
        if (!history_judge(&verdicts[i], judge, paths->items[i], err))
            return false;
        list[i] = &verdicts[i];
    }
    *out = list;
    return true;
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

static bool work_read(struct gate_work *work, const struct judge *judge, struct gate_error *err) {
    const char *path = judge->options->work_file;
    *work = judge->options->work;
    if (path == NULL)
        return true;
    if (!gate_work_option_file(work, judge->session, path, err))
        return false;
    if ((gate_work_total(work, GATE_BASELINE) > 0) == (gate_work_total(work, GATE_CANARY) > 0))
        return true;
    return gate_error_set(err, GATE_ERR_CONFIG, "%s: it contains the work of one side only; give both",
                          gate_input_name(path));
}

/* Sets the work of each run. Copies the runs, because they are const. */
static bool work_apply_one(struct gate_plan_input *input, const struct gate_work *work, struct gate_arena *arena,
                           struct gate_error *err) {
    struct gate_run_input *runs[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++) {
        runs[side] = GATE_NEW_ARRAY(arena, struct gate_run_input, input->counts[side]);
        if (runs[side] == NULL)
            return gate_arena_error(arena, err);
        memcpy(runs[side], input->runs[side], input->counts[side] * sizeof *runs[side]);
        input->runs[side] = runs[side];
    }
    return gate_work_apply(work, runs, input->counts, arena, err);
}

/* Set the work of all runs. The work of a pair, from a manifest, is used if the command line gives none. */
static bool work_apply(struct judge *judge, struct gate_error *err) {
    const struct gate_profile_pairs *pairs = &judge->profiles->pairs;
    for (uint32_t i = 0; i < judge->inputs.count; i++) {
        struct gate_plan_input *input = &judge->inputs.items[i];
        const struct gate_work *own = pairs->count != 0 ? &pairs->items[i].work : NULL;
        bool has_own = own != NULL && own->count > 0 && judge->work->count == 0;
        for (int side = 0; has_own && side < GATE_SIDES; side++)
            input->work[side] = gate_work_total(own, (enum gate_side_name)side);
        const struct gate_work *work = has_own ? own : judge->work;
        input->given_work = work;
        if (work->count > 0 && !work_apply_one(input, work, judge->session->arena, err))
            return false;
    }
    return true;
}

bool gate_judge_diff(struct gate_verdict *out, struct gate_session *session,
                     const struct gate_profile_options *profiles, const struct gate_rules *rules,
                     struct gate_error *err) {
    static const double no_work[GATE_SIDES] = {0, 0};
    struct gate_judge_inputs inputs;
    struct comparisons_made made;
    if (!judge_load(&inputs, session, profiles, err) ||
        !judge_compare(&made, &inputs, profiles, rules, session->arena, err) ||
        !gate_comparison_judge(&made.plan.comparisons[0], no_work, session->arena, err))
        return false;
    *out = (struct gate_verdict){.rules = rules,
                                 .comparisons = made.plan.comparisons,
                                 .comparison_count = 1,
                                 .warnings = made.warnings,
                                 .warning_count = made.warning_count};
    return true;
}

bool gate_judge_reach(struct gate_verdict *out, struct gate_session *session,
                      const struct gate_profile_options *profiles, struct gate_rules *rules,
                      const struct gate_judge_options *options, struct gate_error *err) {
    struct gate_judge_inputs inputs;
    return judge_load(&inputs, session, profiles, err) &&
           gate_judge_reach_loaded(out, &inputs, session, profiles, rules, options, err);
}

/* Warn of an input whose memory in use is not judged. If the baseline has none and the canary has much, there may be a
 * leak, so the severity of that guard is error. */
static bool warn_nothing_in_use(struct judge *judge, const struct gate_plan_input *input, bool is_much,
                                struct gate_error *err) {
    struct gate_arena *arena = judge->session->arena;
    enum gate_guard guard = is_much ? GATE_GUARD_MISSING_KIND : GATE_GUARD_FEW_SAMPLES;
    const struct gate_run_input *run = &input->runs[GATE_CANARY][0];
    const bool is_go = gate_own_code_language(run->profile) == GATE_LANGUAGE_GO;
    struct gate_str text =
        gate_str_format(arena, "%.*s: inuse_space is not judged: %s%s", GATE_STR_ARG(run->path),
                        is_much ? "the baseline has no sample of memory in use, and the canary has ten or more"
                                : "a side has no sample of memory in use",
                        is_go ? ", as Go samples one object in 512 kB allocated; for a small heap set "
                                "runtime.MemProfileRate lower"
                              : "; a profile at the end of a program has what was not freed");
    bool raised = false;
    const struct gate_warning warning = {.guard = guard, .message = text, .may_end = true};
    return gate_warning_add(&judge->unused, judge->rules, warning, &raised, arena, err);
}

/* Warn of the inputs whose memory in use is not judged. Leave out those that have nothing else to judge: with several
 * rounds of `gate`, memory in use is an input of its own. One input always stays. */
static bool leave_nothing_in_use(struct judge *judge, struct gate_error *err) {
    uint32_t kept = 0, count = judge->inputs.count;
    struct gate_plan_input *items = GATE_NEW_ARRAY(judge->session->arena, struct gate_plan_input, count);
    if (items == NULL)
        return gate_arena_error(judge->session->arena, err);
    for (uint32_t i = 0; i < count; i++) {
        const struct gate_plan_input *input = &judge->inputs.items[i];
        bool is_much = false;
        bool is_out =
            !gate_str_equal(input->void_types, GATE_STR("inuse_")) && gate_plan_has_nothing_in_use(input, &is_much);
        bool is_spare = input->void_types.len != 0 && count - i + kept > 1;
        judge->awaits_types = judge->awaits_types || is_out || awaits_rounds(input, &judge->options->looks);
        if (is_out && !warn_nothing_in_use(judge, input, is_much, err))
            return false;
        if (!is_out || !is_spare)
            items[kept++] = *input;
    }
    judge->inputs.items = items;
    judge->inputs.count = kept;
    return true;
}

bool gate_judge_reach_loaded(struct gate_verdict *out, const struct gate_judge_inputs *inputs,
                             struct gate_session *session, const struct gate_profile_options *profiles,
                             struct gate_rules *rules, const struct gate_judge_options *options,
                             struct gate_error *err) {
    struct judge judge = {
        .session = session, .profiles = profiles, .rules = rules, .options = options, .inputs = *inputs};
    struct gate_verdict_options now = {.history_count = options->history.count,
                                       .looks = options->looks,
                                       .draws_trees = options->draws_trees,
                                       .is_last_walk = options->draws_trees && !options->walks_stacks,
                                       .task = options->task};
    struct gate_work work;
    judge.work = &work;
    rules->equal = options->equal == GATE_EQUAL_UNKNOWN ? rules->equal : options->equal;
    if (!work_read(&work, &judge, err) || !work_apply(&judge, err) ||
        !snapshots_split(&judge.inputs.items, &judge.inputs.count, options, &profiles->limits, session, err) ||
        !leave_nothing_in_use(&judge, err))
        return false;
    now.awaits_types = judge.awaits_types;
    now.work[GATE_BASELINE] = gate_work_total(&work, GATE_BASELINE);
    now.work[GATE_CANARY] = gate_work_total(&work, GATE_CANARY);
    if (rules->is_default && !gate_default_rules_choose(rules, judge.inputs.items, judge.inputs.count,
                                                        profiles->sample_type, session->arena, err))
        return false;
    struct gate_str named = rules->source;
    if (!gate_default_rules_complete(rules, judge.inputs.items, judge.inputs.count, profiles->sample_type,
                                     session->arena, err))
        return false;
    if (rules->is_default || !gate_str_equal(named, rules->source))
        gate_session_log(session, "rules: by the type of these profiles it is %.*s", GATE_STR_ARG(rules->source));
    return judge_noise_read(&judge.noise, options, session, err) && history_judge_all(&now.history, &judge, err) &&
           judge_one(out, &judge, &judge.inputs, now, err);
}

/* ---- digest of everything that decides --------------------------------------------------------------------------- */

static void add_number(struct gate_buf *text, double number) {
    gate_buf_printf(text, "%.17g\n", number);
}

static void add_text(struct gate_buf *text, struct gate_str part) {
    gate_buf_printf(text, "%zu:", part.len);
    gate_buf_str(text, part);
}

/* Append the effective values of the options, so that an explicit default does not change the digest. */
static void add_options(struct gate_buf *text, const struct gate_pair_options *options) {
    add_text(text, options->sample_type);
    add_number(text, options->where.count);
    for (uint32_t i = 0; i < options->where.count; i++) {
        add_text(text, options->where.items[i].key);
        add_text(text, options->where.items[i].value);
    }
    add_number(text, options->frames.granularity);
    add_number(text, options->frames.exact_names);
    add_number(text, options->counts.period);
    add_number(text, options->counts.mutex_fraction);
}

static bool add_noise(struct gate_rules_digest *digest, const struct gate_judge_options *judging,
                      const struct gate_session *session, struct gate_error *err) {
    const struct gate_paths *noise = &judging->noise;
    for (uint32_t i = 0; i < noise->count; i++) {
        struct gate_str bytes;
        if (gate_paths_is_stream(noise->items[i]))
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "'--noise -' is standard input, which a later run cannot verify; give a file");
        if (!gate_rules_from_read(&bytes, judging->from, session, noise->items[i], session->arena, err))
            return gate_error_prefix(err, "%s", noise->items[i]);
        gate_rules_digest_add(digest, bytes);
    }
    return true;
}

bool gate_judge_digest(struct gate_str *out, const struct gate_rules *rules,
                       const struct gate_profile_options *profiles, const struct gate_judge_options *judging,
                       const struct gate_session *session, struct gate_error *err) {
    const struct gate_pair_options options = gate_profile_options_pairing(profiles, rules->frames, rules->counts);
    struct gate_rules_digest digest = {{0}};
    struct gate_buf text = {0};
    struct gate_str rules_name = gate_rules_digest(rules, session->arena);
    if (rules_name.ptr == NULL)
        return gate_arena_error(session->arena, err);
    add_text(&text, rules_name);
    add_options(&text, &options);
    add_number(&text, judging->equal == GATE_EQUAL_UNKNOWN ? rules->equal : judging->equal);
    bool ok = gate_buf_check(&text, err);
    if (ok)
        gate_rules_digest_add(&digest, gate_buf_view(&text));
    gate_buf_free(&text);
    if (!ok || !add_noise(&digest, judging, session, err))
        return false;
    *out = gate_rules_digest_text(&digest, session->arena);
    return out->ptr != NULL || gate_arena_error(session->arena, err);
}
