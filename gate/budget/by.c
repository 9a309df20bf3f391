/* SPDX-License-Identifier: Apache-2.0 */
/* --by LABEL: makes each heavy value of a label an input with its own budgets. */
#include "gate/budget/by.h"

#include "gate/budget/plan.h"
#include "gate/compare/label_values.h"
#include "gate/compare/work.h"

#include <math.h>

/** Number of compared values if the command line gives none, and its maximum. */
enum { GATE_BY_VALUES = 8, GATE_BY_VALUES_MAX = 64 };

/* Minimum share of a value on either side; smaller values are judged only within the whole. */
static const double LEAST_SHARE = 0.01;

/* State of gate_by_spread: the lists that grow. */
struct spreading {
    const struct gate_by_options *options;
    struct gate_rules *rules;
    struct gate_plan_input *inputs;
    uint32_t input_count, given; /* number of inputs now; number before */
    struct gate_budget *budgets;
    uint32_t budget_count;
    struct gate_arena *arena;
    struct gate_error *err;
};

const char *gate_by_state_name(enum gate_by_state state) {
    static const char *const names[] = {
        [GATE_BY_COMPARED] = "compared",
        [GATE_BY_CANARY_ALONE] = "new",
        [GATE_BY_BASELINE_ALONE] = "gone",
        [GATE_BY_NO_BUDGET] = "unasked",
    };
    return names[state];
}

double gate_by_uncovered(const struct gate_by_list *list, const struct gate_by **worst) {
    double most = -1.0;
    *worst = NULL;
    for (uint32_t i = 0; i < list->count; i++) {
        const double *covered = list->items[i].covered;
        double open = 1.0 - fmin(covered[GATE_BASELINE], covered[GATE_CANARY]);
        if (open > most) {
            most = open;
            *worst = &list->items[i];
        }
    }
    return fmax(most, 0.0);
}

/* ---- choice of values -------------------------------------------------------------------------------------------- */

static enum gate_by_state state_of(const struct gate_label_value *value) {
    if (value->share[GATE_BASELINE] <= 0.0)
        return GATE_BY_CANARY_ALONE;
    return value->share[GATE_CANARY] <= 0.0 ? GATE_BY_BASELINE_ALONE : GATE_BY_COMPARED;
}

static uint32_t limit_of(const struct gate_by_options *options) {
    uint32_t limit = options->limit == 0 ? GATE_BY_VALUES : options->limit;
    return limit < GATE_BY_VALUES_MAX ? limit : GATE_BY_VALUES_MAX;
}

static bool choose(struct gate_by *by, const struct gate_label_values *values, const struct spreading *s) {
    uint32_t limit = limit_of(s->options);
    by->values = GATE_NEW_ARRAY(s->arena, struct gate_by_value, limit);
    if (by->values == NULL)
        return gate_arena_error(s->arena, s->err);
    for (uint32_t i = 0; i < values->count; i++) {
        const struct gate_label_value *value = &values->items[i];
        bool is_in = by->count < limit && fmax(value->share[GATE_BASELINE], value->share[GATE_CANARY]) >= LEAST_SHARE;
        if (is_in)
            by->values[by->count++] = (struct gate_by_value){*value, state_of(value), NULL, 0};
        by->left_out += !is_in;
        for (int side = 0; side < GATE_SIDES; side++) {
            by->left_out_cost[side] += is_in ? 0.0 : value->share[side];
            by->covered[side] += is_in && state_of(value) == GATE_BY_COMPARED ? value->share[side] : 0.0;
        }
    }
    memcpy(by->unlabelled, values->unlabelled, sizeof by->unlabelled);
    return true;
}

/* ---- a value as an input ----------------------------------------------------------------------------------------- */

/* Fill the runs of a side in which the value has cost, with the value's work only. */
static bool fill_side(struct gate_plan_input *out, enum gate_side_name side, const struct gate_plan_input *whole,
                      const struct spreading *s) {
    const struct gate_work *work = whole->given_work;
    uint32_t count = whole->counts[side];
    struct gate_run_input *runs = GATE_NEW_ARRAY(s->arena, struct gate_run_input, count);
    if (runs == NULL)
        return gate_arena_error(s->arena, s->err);
    out->runs[side] = runs;
    out->counts[side] = 0;
    out->work[side] = work == NULL ? 0.0 : gate_work_of_value(work, side, out->part, GATE_NO_INDEX, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!gate_label_values_has(&whole->runs[side][i], s->options->sample_type, s->options->where, out->part))
            continue;
        struct gate_run_input *run = &runs[out->counts[side]++];
        *run = whole->runs[side][i];
        run->mix = NULL;
        run->work = work == NULL ? 0.0 : gate_work_of_value(work, side, out->part, i, count);
    }
    return true;
}

static bool fill_input(struct gate_plan_input *out, const struct gate_plan_input *whole,
                       const struct gate_label_match *part, const struct spreading *s) {
    *out = *whole;
    out->part = part;
    for (int side = 0; side < GATE_SIDES; side++)
        if (!fill_side(out, (enum gate_side_name)side, whole, s))
            return false;
    if (out->work[GATE_BASELINE] > 0.0 && out->work[GATE_CANARY] > 0.0)
        return true;
    memset(out->work, 0, sizeof out->work); /* a ratio needs work on both sides */
    return true;
}

/* ---- budgets of a value ------------------------------------------------------------------------------------------ */

static bool fits(const struct gate_budget *budget, const struct gate_plan_input *input) {
    const struct gate_budget_measure_row *measure = gate_budget_measure_row(budget->measure);
    bool needs_work = measure->is_total || measure->needs_work || budget->requires != GATE_REQUIRES_NOTHING;
    if (budget->severity == GATE_SEVERITY_OFF || measure->is_trend || measure->is_leak || measure->is_path ||
        (needs_work && input->work[GATE_CANARY] <= 0.0))
        return false;
    if (budget->part != NULL || (budget->pair.len != 0 && !gate_str_equal(budget->pair, input->label)))
        return false;
    for (uint32_t i = 0; i < budget->where_count; i++)
        if (gate_str_equal(budget->where[i].key, input->part->key))
            return false;
    for (uint32_t i = 0; i < budget->limit_count; i++)
        if (gate_limit_bounds_growth(budget->limits[i].kind))
            return true;
    return false;
}

/* Add a copy of a budget for a value. `must_match` and `expires` are dropped, because they apply to the whole only. */
static bool add_budget(struct spreading *s, const struct gate_budget *budget, const struct gate_plan_input *input) {
    struct gate_budget *copy = &s->budgets[s->budget_count++];
    struct gate_str parts[] = {budget->name,  GATE_STR(" ("),     input->part->key,
                               GATE_STR("="), input->part->value, GATE_STR(")")};
    *copy = *budget;
    copy->name = gate_str_concat(s->arena, parts, sizeof parts / sizeof *parts);
    copy->part = input->part;
    copy->must_match = false;
    copy->expires = GATE_STR("");
    copy->limits = GATE_NEW_ARRAY(s->arena, struct gate_limit, budget->limit_count);
    if (copy->name.ptr == NULL || copy->limits == NULL)
        return gate_arena_error(s->arena, s->err);
    copy->limit_count = 0;
    for (uint32_t i = 0; i < budget->limit_count; i++)
        if (gate_limit_bounds_growth(budget->limits[i].kind))
            copy->limits[copy->limit_count++] = budget->limits[i];
    return true;
}

/* ---- missing sample types ---------------------------------------------------------------------------------------- */

/* Return "alloc_space" or "cpu{tenant=a}". */
static struct gate_str lack_name(const struct gate_budget *budget, const struct gate_plan_input *input,
                                 struct gate_str type, struct gate_arena *arena) {
    const struct gate_profile *profile = input->runs[GATE_BASELINE][0].profile;
    struct gate_error ignored = {0};
    struct gate_str name = budget->sample_type;
    uint32_t column = 0;
    if (name.len == 0 && gate_sample_type_find(&column, profile, type, &ignored))
        name = profile->sample_types[column].type;
    return gate_plan_name(name, budget->where, budget->where_count, NULL, arena);
}

/* Join the label filters of the command line and of the budget. */
static bool join_filters(struct gate_label_filter *out, const struct gate_label_filter *all,
                         const struct gate_budget *budget, const struct spreading *s) {
    uint32_t count = (all == NULL ? 0 : all->count) + budget->where_count;
    struct gate_label_match *items = GATE_NEW_ARRAY(s->arena, struct gate_label_match, count);
    if (items == NULL)
        return gate_arena_error(s->arena, s->err);
    for (uint32_t i = 0; i < count; i++)
        items[i] = i < budget->where_count ? budget->where[i] : all->items[i - budget->where_count];
    *out = (struct gate_label_filter){items, count};
    return true;
}

static bool find_lack(struct gate_by_lack *out, const struct gate_budget *budget, const struct gate_plan_input *input,
                      const struct spreading *s) {
    struct gate_label_filter where;
    struct gate_str type;
    *out = (struct gate_by_lack){.name = GATE_STR("")};
    if (!gate_plan_type(&type, s->rules, budget, input, s->options->sample_type))
        return true; /* the budget on the whole reports that */
    if (!join_filters(&where, s->options->where, budget, s))
        return false;
    for (int side = 0; side < GATE_SIDES; side++) {
        out->is_without[side] = true;
        for (uint32_t i = 0; out->is_without[side] && i < input->counts[side]; i++)
            out->is_without[side] = !gate_label_values_has(&input->runs[side][i], type, &where, input->part);
    }
    out->name = lack_name(budget, input, type, s->arena);
    return out->name.ptr != NULL || gate_arena_error(s->arena, s->err);
}

static bool add_lack(struct gate_by_value *value, const struct gate_by_lack *lack, const struct spreading *s) {
    for (uint32_t i = 0; i < value->lack_count; i++)
        if (gate_str_equal(value->lacks[i].name, lack->name))
            return true;
    if (value->lacks == NULL)
        value->lacks = GATE_NEW_ARRAY(s->arena, struct gate_by_lack, s->rules->budget_count);
    if (value->lacks == NULL)
        return gate_arena_error(s->arena, s->err);
    value->lacks[value->lack_count++] = *lack;
    return true;
}

static bool add_value(struct spreading *s, const struct gate_plan_input *whole, struct gate_by_value *value) {
    struct gate_plan_input *input = &s->inputs[s->input_count];
    const uint32_t before = s->budget_count;
    if (!fill_input(input, whole, &value->of.match, s))
        return false;
    if (input->counts[GATE_BASELINE] == 0 || input->counts[GATE_CANARY] == 0)
        return true;
    s->input_count++;
    for (uint32_t i = 0; i < s->rules->budget_count; i++) {
        const struct gate_budget *budget = &s->rules->budgets[i];
        struct gate_by_lack lack;
        if (!fits(budget, input))
            continue;
        if (!find_lack(&lack, budget, input, s))
            return false;
        bool lacks = lack.is_without[GATE_BASELINE] || lack.is_without[GATE_CANARY];
        if (lacks ? !add_lack(value, &lack, s) : !add_budget(s, budget, input))
            return false;
    }
    if (s->budget_count == before)
        value->state = GATE_BY_NO_BUDGET;
    return true;
}

/* ---- all inputs -------------------------------------------------------------------------------------------------- */

static bool by_one(struct gate_by_list *out, const struct gate_plan_input *input, struct spreading *s) {
    const struct gate_by_options *options = s->options;
    struct gate_by *by = &out->items[out->count];
    struct gate_label_values values;
    if (!gate_label_values_find(&values, input->runs, input->counts, options->key, options->sample_type, options->where,
                                s->arena, s->err))
        return false;
    if (values.count == 0)
        return true;
    *by = (struct gate_by){.key = options->key, .pair = input->label};
    out->count++;
    if (!choose(by, &values, s))
        return false;
    for (uint32_t i = 0; i < by->count; i++)
        if (by->values[i].state == GATE_BY_COMPARED && !add_value(s, input, &by->values[i]))
            return false;
    return true;
}

/* Allocate the lists at their maximum size. */
static bool make_room(struct spreading *s, struct gate_by_list *out, const struct gate_plan_input *inputs) {
    size_t values = limit_of(s->options);
    size_t input_room = (size_t)s->given * (values + 1) + 1;
    size_t budget_room = (size_t)s->rules->budget_count * ((size_t)s->given * values + 1) + 1;
    out->items = GATE_NEW_ARRAY(s->arena, struct gate_by, s->given);
    s->inputs = GATE_NEW_ARRAY(s->arena, struct gate_plan_input, input_room);
    s->budgets = GATE_NEW_ARRAY(s->arena, struct gate_budget, budget_room);
    if (out->items == NULL || s->inputs == NULL || s->budgets == NULL)
        return gate_arena_error(s->arena, s->err);
    memcpy(s->inputs, inputs, s->given * sizeof *inputs);
    if (s->rules->budget_count > 0)
        memcpy(s->budgets, s->rules->budgets, s->rules->budget_count * sizeof *s->budgets);
    s->input_count = s->given;
    s->budget_count = s->rules->budget_count;
    return true;
}

/* Refuse --by if no value could be compared. */
static bool refuse(const struct gate_by_list *list, const struct gate_plan_input *input, struct gate_str key,
                   struct gate_error *err) {
    struct gate_error why = {0};
    const struct gate_label_match match = {.key = key};
    const struct gate_label_filter filter = {&match, 1};
    if (list->count > 0)
        return gate_error_set(
            err, GATE_ERR_INPUT,
            "option '--by': no value of '%.*s' with 1%% of the cost is on both sides, the "
            "heaviest is '%.*s'; is it an identifier of single requests?",
            GATE_STR_ARG(key),
            GATE_STR_ARG(list->items[0].count > 0 ? list->items[0].values[0].of.match.value : GATE_STR("")));
    (void)gate_where_absent(input->runs[GATE_BASELINE][0].profile, &filter, &why);
    return gate_error_set(err, GATE_ERR_INPUT, "option '--by': %.*s: %s",
                          GATE_STR_ARG(input->runs[GATE_BASELINE][0].path), why.message);
}

bool gate_by_spread(struct gate_by_list *out, struct gate_rules *rules, struct gate_plan_input **inputs,
                    uint32_t *input_count, const struct gate_by_options *options, struct gate_arena *arena,
                    struct gate_error *err) {
    struct spreading s = {.options = options, .rules = rules, .given = *input_count, .arena = arena, .err = err};
    *out = (struct gate_by_list){0};
    if (!make_room(&s, out, *inputs))
        return false;
    for (uint32_t i = 0; i < s.given; i++)
        if (!by_one(out, &(*inputs)[i], &s))
            return false;
    if (s.input_count == s.given)
        return refuse(out, &(*inputs)[0], options->key, err);
    rules->budgets = s.budgets;
    rules->budget_count = s.budget_count;
    *inputs = s.inputs;
    *input_count = s.input_count;
    return true;
}
