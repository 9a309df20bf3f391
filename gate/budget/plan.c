/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/plan.h"

#include "gate/compare/comparison.h"
#include "gate/compare/hot_path.h"
#include "gate/compare/pair_types.h"
#include "gate/formats/counted_cpu.h"
#include "gate/model/profile.h"
#include "gate/rules/rules.h"

/* ---- CPU time that the system counted ---------------------------------------------------------------------------- */

/* Replace the profiles of `count` runs. */
static bool list_count(const struct gate_run_input **runs, uint32_t count, const struct gate_limits *limits,
                       struct gate_arena *arena, struct gate_error *err) {
    struct gate_run_input *counted = GATE_NEW_ARRAY(arena, struct gate_run_input, count);
    struct gate_profile *profiles = GATE_NEW_ARRAY(arena, struct gate_profile, count);
    if (counted == NULL || profiles == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < count; i++) {
        counted[i] = (*runs)[i];
        if (!gate_counted_cpu_apply(&profiles[i], counted[i].profile, limits, arena, err))
            return gate_error_prefix(err, "%.*s", GATE_STR_ARG(counted[i].path));
        counted[i].profile = &profiles[i];
    }
    *runs = counted;
    return true;
}

bool gate_plan_count_cpu(const struct gate_run_input *runs[], const uint32_t counts[], int lists,
                         const struct gate_limits *limits, struct gate_arena *arena, struct gate_error *err) {
    struct gate_counted_cpu counted;
    for (int list = 0; list < lists; list++)
        for (uint32_t i = 0; i < counts[list]; i++)
            if (!gate_counted_cpu_find(&counted, runs[list][i].profile))
                return true;
    for (int list = 0; list < lists; list++)
        if (!list_count(&runs[list], counts[list], limits, arena, err))
            return false;
    return true;
}

/* ---- profiles without symbols ------------------------------------------------------------------------------------ */

static bool unsymbolised_refuse(const struct gate_pair *pair, struct gate_error *err) {
    if (pair->granularity == GATE_BY_MAPPING || pair->frame_count == 0)
        return true;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        if (pair->frames[i].is_symbolised)
            return true;
    return gate_error_set(
        err, GATE_ERR_INPUT,
        "%.*s: no function has a name on either side, so functions cannot be compared: profile binaries with symbols, "
        "give their symbols with --symbols, or compare whole binaries with '--granularity mapping'",
        GATE_STR_ARG(pair->sides[GATE_BASELINE].runs[0].input.path));
}

/* One comparison before it is made. */
struct plan_step {
    const struct gate_plan_input *input;
    struct gate_str type; /* sample type to look up in the profiles; empty: their default */
    struct gate_str name;
    const struct gate_label_match *where;
    uint32_t where_count;
};

/* Return whether a profile of allocations has no sample with more bytes in use than it has allocated. The memory in use
 * is then the difference over a window of time, because everything it counts was allocated in the window. Otherwise
 * start-up code would hold memory that it allocated earlier. A profile whose default type is memory in use, such as
 * Go's `heap`, is assumed to count all of it. */
static bool holds_only_what_it_allocated(const struct gate_profile *profile) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error ignored = {0};
    uint32_t in_use = gate_sample_type_column(profile, GATE_STR("inuse_space"), GATE_STR(""));
    uint32_t allocated = gate_sample_type_column(profile, GATE_STR("alloc_space"), GATE_STR(""));
    bool is_less = in_use != GATE_NO_INDEX && allocated != GATE_NO_INDEX &&
                   gate_str_equal(profile->default_sample_type, GATE_STR("alloc_space"));
    if (!is_less || profile->bytes.ptr == NULL) /* it has no samples */
        return is_less;
    gate_sample_begin(&cursor, profile);
    while (is_less && gate_sample_next(&cursor, &sample, &ignored))
        is_less = sample.values[in_use] <= sample.values[allocated];
    gate_sample_end(&cursor);
    return is_less;
}

/* Return whether all runs are allocations of a window (`allocs?seconds=N`). Memory in use is then a difference between
 * two moments, which is negative if more was freed, and cannot be compared. */
static bool are_windows_of_allocation(const struct gate_plan_input *input) {
    bool has_negative = false, is_difference = true;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < input->counts[side]; r++) {
            const struct gate_profile *profile = input->runs[side][r].profile;
            if (profile->duration_ns <= 0 || profile->is_saved_diff)
                return false;
            has_negative = has_negative || profile->has_negative_values;
            is_difference = is_difference && holds_only_what_it_allocated(profile);
        }
    return has_negative || is_difference;
}

/* Return the sum of a column, or the partial sum as soon as it reaches `enough`. */
static double sum_values(const struct gate_profile *profile, uint32_t column, double enough) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error ignored = {0};
    double sum = 0.0;
    if (profile->bytes.ptr == NULL) /* it has no samples */
        return 0.0;
    gate_sample_begin(&cursor, profile);
    while (sum < enough && gate_sample_next(&cursor, &sample, &ignored))
        sum += (double)sample.values[column];
    gate_sample_end(&cursor);
    return sum;
}

bool gate_plan_has_nothing_in_use(const struct gate_plan_input *input, bool *is_much) {
    const double much = 10.0; /* samples */
    double samples[GATE_SIDES] = {0.0}, allocated = 0.0;
    if (are_windows_of_allocation(input))
        return false;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < input->counts[side] && samples[side] < much; r++) {
            const struct gate_profile *profile = input->runs[side][r].profile;
            double bytes_each = profile->period > 0 ? (double)profile->period : 1.0;
            uint32_t column = gate_sample_type_column(profile, GATE_STR("inuse_space"), GATE_STR(""));
            uint32_t of_all = gate_sample_type_column(profile, GATE_STR("alloc_space"), GATE_STR(""));
            if (column == GATE_NO_INDEX || of_all == GATE_NO_INDEX)
                return false;
            allocated += sum_values(profile, of_all, 1.0);
            samples[side] += sum_values(profile, column, much * bytes_each) / bytes_each;
        }
    if (is_much != NULL)
        *is_much = samples[GATE_BASELINE] == 0.0 && samples[GATE_CANARY] >= much;
    return allocated > 0.0 && (samples[GATE_BASELINE] == 0.0 || samples[GATE_CANARY] == 0.0);
}

bool gate_plan_side_holds(struct gate_value_type *found, const struct gate_plan_input *input, enum gate_side_name side,
                          struct gate_str type) {
    const struct gate_profile *profile = input->runs[side][0].profile;
    struct gate_error ignored = {0};
    uint32_t column = 0;
    if (!gate_sample_type_find(&column, profile, type, &ignored))
        return false;
    *found = profile->sample_types[column];
    if (gate_str_starts(found->type, GATE_STR("inuse_")) &&
        gate_sample_type_find(&column, profile, GATE_STR("alloc_space"), &ignored) &&
        (are_windows_of_allocation(input) || gate_plan_has_nothing_in_use(input, NULL)))
        return false;
    return input->void_types.len == 0 || !gate_str_starts(found->type, input->void_types);
}

bool gate_plan_holds(const struct gate_plan_input *input, struct gate_str type) {
    struct gate_value_type found;
    return gate_plan_side_holds(&found, input, GATE_BASELINE, type) &&
           gate_plan_side_holds(&found, input, GATE_CANARY, type);
}

/* Return whether a side has the sample type that a candidate of an alias names. "space" is not "inuse_space" here, as
 * it is on a command line. */
static bool plan_side_has(struct gate_value_type *found, const struct gate_plan_input *input, enum gate_side_name side,
                          struct gate_str candidate) {
    struct gate_str type = gate_str_slice(candidate, 0, gate_str_find(candidate, GATE_STR("/"), 0));
    return gate_plan_side_holds(found, input, side, candidate) && gate_str_equal(found->type, type);
}

static bool plan_has(const struct gate_plan_input *input, struct gate_str candidate) {
    struct gate_value_type found;
    return plan_side_has(&found, input, GATE_BASELINE, candidate) &&
           plan_side_has(&found, input, GATE_CANARY, candidate);
}

/* Return the first candidate of an alias that `input` has; a type that is not an alias is its own candidate. */
static struct gate_str plan_resolve(const struct gate_rules *rules, const struct gate_plan_input *input,
                                    struct gate_str wanted) {
    for (uint32_t i = 0; i < rules->sample_type_count; i++) {
        const struct gate_sample_type_alias *alias = &rules->sample_types[i];
        if (!gate_str_equal(alias->key, wanted))
            continue;
        for (uint32_t c = 0; c < alias->candidate_count; c++)
            if (plan_has(input, alias->candidates[c]))
                return alias->candidates[c];
        return GATE_STR("");
    }
    return gate_plan_holds(input, wanted) ? wanted : GATE_STR("");
}

/* If the default sample type of a Go heap cannot be compared (`void_types`), return one that can, or an empty text. */
static struct gate_str type_beside(const struct gate_plan_input *input) {
    struct gate_str in_use = GATE_STR("inuse_space"), allocated = GATE_STR("alloc_space");
    return gate_plan_holds(input, in_use) ? in_use : gate_plan_holds(input, allocated) ? allocated : GATE_STR("");
}

/* A budget without a type uses the type of the command line, else the one that the input's label names, else the
 * profiles' default. */
bool gate_plan_type(struct gate_str *out, const struct gate_rules *rules, const struct gate_budget *budget,
                    const struct gate_plan_input *input, struct gate_str given_type) {
    bool is_free = budget->sample_type.len == 0 || gate_str_equal(budget->sample_type, input->label);
    if (!is_free)
        *out = plan_resolve(rules, input, budget->sample_type);
    else
        *out = input->label.len == 0 || given_type.len != 0 ? given_type : plan_resolve(rules, input, input->label);
    if (out->len == 0 && is_free && input->void_types.len != 0)
        *out = type_beside(input);
    return is_free || out->len != 0;
}

/* Find the input of a budget. Returns false if no input has its sample type. */
static bool plan_place(struct plan_step *step, const struct gate_rules *rules, const struct gate_budget *budget,
                       const struct gate_plan_input *inputs, uint32_t input_count,
                       const struct gate_plan_options *options) {
    *step = (struct plan_step){.where = budget->where, .where_count = budget->where_count};
    for (uint32_t i = 0; i < input_count; i++) {
        const struct gate_plan_input *input = &inputs[i];
        if (budget->part != input->part || (budget->pair.len != 0 && !gate_str_equal(budget->pair, input->label)))
            continue;
        step->input = input;
        step->name = input->label.len != 0 ? GATE_STR("") : budget->sample_type;
        if (gate_plan_type(&step->type, rules, budget, input, options->sample_type))
            return true;
    }
    return false;
}

static bool plan_same_where(const struct plan_step *a, const struct plan_step *b) {
    if (a->where_count != b->where_count)
        return false;
    for (uint32_t i = 0; i < a->where_count; i++)
        if (!gate_str_equal(a->where[i].key, b->where[i].key) || !gate_str_equal(a->where[i].value, b->where[i].value))
            return false;
    return true;
}

/* Return the step's index in `steps`, appending it if it is new. Two spellings of one column are the same step. */
static uint32_t plan_enter(struct plan_step *steps, uint32_t *count, const struct plan_step *step) {
    struct gate_error ignored = {0};
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t columns[2] = {0, 0};
        const struct gate_profile *profile = step->input->runs[GATE_BASELINE][0].profile;
        bool known = gate_sample_type_find(&columns[0], profile, steps[i].type, &ignored) &&
                     gate_sample_type_find(&columns[1], profile, step->type, &ignored);
        if (steps[i].input != step->input || !known || columns[0] != columns[1] || !plan_same_where(&steps[i], step))
            continue;
        if (!gate_str_equal(steps[i].name,
                            step->name)) /* "alloc" and "inuse" can name one column: use the column's own name */
            steps[i].name = GATE_STR("");
        return i;
    }
    steps[*count] = *step;
    return (*count)++;
}

struct gate_str gate_plan_name(struct gate_str name, const struct gate_label_match *where, uint32_t count,
                               const struct gate_label_match *part, struct gate_arena *arena) {
    for (uint32_t i = 0; i < count + (part != NULL) && name.ptr != NULL; i++) {
        const struct gate_label_match *match = i < count ? &where[i] : part;
        struct gate_str parts[] = {i == 0 ? name : gate_str_slice(name, 0, name.len - 1),
                                   i == 0 ? GATE_STR("{") : GATE_STR(","),
                                   match->key,
                                   GATE_STR("="),
                                   match->value,
                                   GATE_STR("}")};
        name = gate_str_concat(arena, parts, sizeof parts / sizeof parts[0]);
    }
    return name;
}

/* Return "cpu", "alloc_space (worker)" for the pair worker, or "cpu{endpoint=/checkout}". */
static struct gate_str plan_name(const struct plan_step *step, const struct gate_pair *pair, struct gate_arena *arena) {
    const struct gate_label_match *part = step->input->part;
    struct gate_str name = step->name.len != 0 ? step->name : pair->type.type;
    struct gate_str label = step->input->label;
    if (label.len != 0 && !gate_str_equal(label, name))
        name = gate_str_concat(arena, (const struct gate_str[]){name, GATE_STR(" ("), label, GATE_STR(")")}, 4);
    return gate_plan_name(name, step->where, step->where_count, part, arena);
}

static bool plan_filter(struct gate_label_filter *out, const struct plan_step *step,
                        const struct gate_label_filter *general, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_label_match *part = step->input->part;
    size_t total = (size_t)general->count + step->where_count + (part != NULL);
    struct gate_label_match *items = GATE_NEW_ARRAY(arena, struct gate_label_match, total);
    if (items == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < general->count; i++)
        items[i] = general->items[i];
    for (uint32_t i = 0; i < step->where_count; i++)
        items[general->count + i] = step->where[i];
    if (part != NULL)
        items[total - 1] = *part;
    *out = (struct gate_label_filter){items, (uint32_t)total};
    return true;
}

/* Compute the costs. If the profiles do not count events, compute them again with the size of an event that the
 * variation between the runs shows. */
static bool plan_costs(struct gate_comparison *out, const struct plan_step *step, struct gate_pair_options *options,
                       struct gate_arena *arena, struct gate_error *err) {
    double size = 0.0;
    const struct gate_plan_input *input = step->input;
    if (!gate_hot_path_costs(&out->pair, &out->deltas, input->runs, input->counts, options, arena, err) ||
        !gate_dispersion_event_size(&size, &out->pair, &out->deltas, arena, err))
        return false;
    if (!(size > 0.0))
        return true;
    options->counts.period = size;
    bool ok = gate_hot_path_costs(&out->pair, &out->deltas, input->runs, input->counts, options, arena, err);
    out->pair.event_size = size;
    return ok;
}

static bool plan_compare(struct gate_comparison *out, const struct plan_step *step,
                         const struct gate_plan_options *options, struct gate_arena *arena, struct gate_error *err) {
    struct gate_pair_options pair_options = {.sample_type = step->type,
                                             .frames = options->frames,
                                             .counts = options->counts,
                                             .is_part = step->input->part != NULL,
                                             .folds = !options->is_series};
    if (!plan_filter(&pair_options.where, step, &options->where, arena, err) ||
        !plan_costs(out, step, &pair_options, arena, err) ||
        (step->input->part == NULL && !unsymbolised_refuse(&out->pair, err)))
        return false;
    out->name = plan_name(step, &out->pair, arena);
    out->part = step->input->part;
    out->same_input = step->input->same;
    out->is_filtered = pair_options.where.count != 0;
    out->work_ratio = 1;
    memcpy(out->work, step->input->work, sizeof out->work);
    return out->name.ptr != NULL || gate_arena_error(arena, err);
}

bool gate_plan_make(struct gate_plan *out, const struct gate_rules *rules, const struct gate_plan_input *inputs,
                    uint32_t input_count, const struct gate_plan_options *options, struct gate_arena *arena,
                    struct gate_error *err) {
    GATE_ASSERT(input_count > 0);
    struct plan_step *steps = GATE_NEW_ARRAY(arena, struct plan_step, (size_t)rules->budget_count + 1);
    uint32_t *budget_comparison = GATE_NEW_ARRAY(arena, uint32_t, rules->budget_count);
    if (steps == NULL || budget_comparison == NULL)
        return gate_arena_error(arena, err);
    uint32_t count = 0;
    struct plan_step step;
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        budget_comparison[i] = GATE_NO_INDEX;
        if (rules->budgets[i].severity != GATE_SEVERITY_OFF &&
            plan_place(&step, rules, &rules->budgets[i], inputs, input_count, options))
            budget_comparison[i] = plan_enter(steps, &count, &step);
    }
    if (count == 0)
        steps[count++] =
            (struct plan_step){.input = &inputs[0], .type = options->sample_type, .name = options->sample_type};
    *out = (struct gate_plan){.comparisons = GATE_NEW_ARRAY(arena, struct gate_comparison, count),
                              .comparison_count = count,
                              .budget_comparison = budget_comparison};
    if (out->comparisons == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < count; i++)
        if (!plan_compare(&out->comparisons[i], &steps[i], options, arena, err))
            return false;
    return true;
}

/* Return whether a budget applies to a labelled pair. */
static bool plan_concerns(const struct gate_rules *rules, const struct gate_budget *budget,
                          const struct gate_plan_input *inputs, uint32_t input_count, uint32_t index) {
    if (budget->sample_type.len == 0 || gate_str_equal(budget->sample_type, inputs[index].label))
        return true;
    for (uint32_t i = 0; i < input_count; i++)
        if (gate_str_equal(budget->sample_type, inputs[i].label)) /* the type is another pair's label */
            return false;
    return plan_resolve(rules, &inputs[index], budget->sample_type).len != 0;
}

/* Copy a budget for each pair it applies to. If there is none, keep it; it is reported as not comparable. */
static bool plan_spread_budget(struct gate_rules *out, const struct gate_rules *rules, const struct gate_budget *budget,
                               const struct gate_plan_input *inputs, uint32_t input_count, bool *seen,
                               struct gate_arena *arena) {
    uint32_t first = out->budget_count;
    for (uint32_t i = 0; i < input_count; i++) {
        bool is_elsewhere = budget->pair.len != 0 && !gate_str_equal(budget->pair, inputs[i].label);
        if (is_elsewhere || !plan_concerns(rules, budget, inputs, input_count, i))
            continue;
        struct gate_budget *copy = &out->budgets[out->budget_count++];
        *copy = *budget;
        copy->pair = inputs[i].label;
        seen[i] = seen[i] || budget->severity != GATE_SEVERITY_OFF;
    }
    if (out->budget_count == first)
        out->budgets[out->budget_count++] = *budget;
    for (uint32_t i = first; out->budget_count - first > 1 && i < out->budget_count; i++) {
        struct gate_str parts[] = {budget->name, GATE_STR(" ("), out->budgets[i].pair, GATE_STR(")")};
        out->budgets[i].name = gate_str_concat(arena, parts, sizeof parts / sizeof *parts);
        if (out->budgets[i].name.ptr == NULL)
            return false;
    }
    return true;
}

/* Return whether a side of an input has a type that a budget may name. One side is enough: a budget on a type that the
 * other side lacks is undecided. */
static bool is_of_an_input(const struct gate_rules *rules, const struct gate_budget *budget,
                           const struct gate_plan_input *inputs, uint32_t input_count) {
    for (uint32_t i = 0; i < input_count; i++)
        for (int side = 0; side < GATE_SIDES; side++) {
            struct gate_plan_input half = inputs[i];
            half.runs[1 - side] = half.runs[side];
            half.counts[1 - side] = half.counts[side];
            if (plan_concerns(rules, budget, &half, 1, 0))
                return true;
        }
    return false;
}

/* Return "heap, without "a" and 2 more whose values the profiles lack (built in)". */
static struct gate_str source_without(struct gate_str source, struct gate_str first, uint32_t more,
                                      struct gate_arena *arena) {
    struct gate_str name = gate_str_slice(source, 0, source.len - GATE_RULES_BUILT_IN.len);
    struct gate_str others = more == 0 ? GATE_STR("") : gate_str_format(arena, " and %u more", (unsigned)more);
    return others.ptr == NULL ? others
                              : gate_str_format(arena, "%.*s, without \"%.*s\"%.*s whose values the profiles lack%.*s",
                                                GATE_STR_ARG(name), GATE_STR_ARG(first), GATE_STR_ARG(others),
                                                GATE_STR_ARG(GATE_RULES_BUILT_IN));
}

/* Leave out the budgets of a built-in preset whose values the inputs lack, unless none would remain. Flight recordings
 * have no memory in use, for example, and a user cannot remove a budget from a preset. The name of the rules lists
 * them. */
static bool leave_out(struct gate_rules *out, const struct gate_plan_input *inputs, uint32_t input_count,
                      struct gate_arena *arena) {
    struct gate_budget *kept = GATE_NEW_ARRAY(arena, struct gate_budget, out->budget_count);
    uint32_t count = 0, lacking = 0;
    struct gate_str first = {0};
    if (kept == NULL)
        return false;
    for (uint32_t i = 0; i < out->budget_count; i++)
        if (is_of_an_input(out, &out->budgets[i], inputs, input_count))
            kept[count++] = out->budgets[i];
        else if (out->budgets[i].severity != GATE_SEVERITY_OFF)
            first = lacking++ == 0 ? out->budgets[i].name : first;
    if (count == 0)
        return true;
    out->budgets = kept;
    out->budget_count = count;
    if (lacking > 0)
        out->source = source_without(out->source, first, lacking - 1, arena);
    return out->source.ptr != NULL;
}

bool gate_plan_spread(struct gate_rules *out, const struct gate_rules *all, const struct gate_plan_input *inputs,
                      uint32_t input_count, struct gate_arena *arena, struct gate_error *err) {
    struct gate_rules fitting = *all;
    const struct gate_rules *rules = &fitting;
    if (gate_str_ends(all->source, GATE_RULES_BUILT_IN) && !leave_out(&fitting, inputs, input_count, arena))
        return gate_arena_error(arena, err);
    *out = *rules;
    if (inputs[0].label.len == 0)
        return true;
    bool *seen = GATE_NEW_ARRAY(arena, bool, input_count);
    out->budgets = GATE_NEW_ARRAY(arena, struct gate_budget, (size_t)rules->budget_count * input_count);
    if (seen == NULL || out->budgets == NULL)
        return gate_arena_error(arena, err);
    out->budget_count = 0;
    for (uint32_t i = 0; i < rules->budget_count; i++)
        if (!plan_spread_budget(out, rules, &rules->budgets[i], inputs, input_count, seen, arena))
            return gate_arena_error(arena, err);
    bool has_half = false;
    for (uint32_t i = 0; i < input_count; i++)
        has_half = has_half || (inputs[i].is_half && seen[i]);
    for (uint32_t i = 0; rules->budget_count > 0 && i < input_count; i++)
        if (!seen[i] && !(inputs[i].is_half && has_half))
            return gate_error_set(err, GATE_ERR_CONFIG,
                                  "no budget applies to the pair '%.*s': add a budget with that name as its "
                                  "sample_type, or check it in a separate run",
                                  GATE_STR_ARG(inputs[i].label));
    return true;
}

/* ---- sample types on one side only ------------------------------------------------------------------------------- */

/* Return the candidates if `wanted` is an alias, else `wanted` itself. */
static const struct gate_str *plan_candidates(uint32_t *count, const struct gate_rules *rules,
                                              const struct gate_str *wanted) {
    for (uint32_t i = 0; i < rules->sample_type_count; i++)
        if (gate_str_equal(rules->sample_types[i].key, *wanted)) {
            *count = rules->sample_types[i].candidate_count;
            return rules->sample_types[i].candidates;
        }
    *count = 1;
    return wanted;
}

/* Find the first candidate of `budget` that one side only has; false if a candidate on both sides comes first. */
static bool plan_lacks(struct gate_plan_missing *out, const struct gate_rules *rules, const struct gate_budget *budget,
                       const struct gate_plan_input *input) {
    uint32_t count = 0;
    const struct gate_str *candidates = plan_candidates(&count, rules, &budget->sample_type);
    bool is_alias = candidates != &budget->sample_type;
    for (uint32_t c = 0; c < count; c++) {
        struct gate_value_type types[GATE_SIDES];
        bool has[GATE_SIDES];
        for (int side = 0; side < GATE_SIDES; side++)
            has[side] = (is_alias ? plan_side_has : gate_plan_side_holds)(&types[side], input,
                                                                          (enum gate_side_name)side, candidates[c]);
        if (has[GATE_BASELINE] && has[GATE_CANARY])
            return false;
        if (!has[GATE_BASELINE] && !has[GATE_CANARY])
            continue;
        enum gate_side_name side = has[GATE_BASELINE] ? GATE_CANARY : GATE_BASELINE;
        *out = (struct gate_plan_missing){input->label, types[1 - side].type, side};
        return true;
    }
    return false;
}

bool gate_plan_find_missing(struct gate_plan_missing **out, uint32_t *count, const struct gate_rules *rules,
                            const struct gate_plan_input *inputs, uint32_t input_count, struct gate_str given_type,
                            struct gate_arena *arena, struct gate_error *err) {
    struct gate_plan_missing *items =
        GATE_NEW_ARRAY(arena, struct gate_plan_missing, (size_t)rules->budget_count * input_count);
    if (items == NULL)
        return gate_arena_error(arena, err);
    *count = 0;
    for (uint32_t b = 0; b < rules->budget_count; b++)
        for (uint32_t i = 0; i < input_count; i++) {
            const struct gate_budget *budget = &rules->budgets[b];
            bool is_asked = given_type.len != 0 && gate_str_equal(budget->sample_type, inputs[i].label);
            if (budget->sample_type.len != 0 && !is_asked && budget->severity != GATE_SEVERITY_OFF &&
                (budget->pair.len == 0 || gate_str_equal(budget->pair, inputs[i].label)) &&
                plan_lacks(&items[*count], rules, budget, &inputs[i]))
                ++*count;
        }
    *out = items;
    return true;
}
