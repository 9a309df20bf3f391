/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/hypotheses.h"

#include "gate/base/parallel.h"
#include "gate/budget/decide.h"
#include "gate/compare/comparison.h"
#include "gate/compare/cost.h"
#include "gate/compare/frames.h"
#include "gate/model/unit.h"
#include "gate/names/frame_name.h"
#include "gate/rules/rules.h"

#include <math.h>

/* ---- frame selection --------------------------------------------------------------------------------------------- */

/* The texts of one frame that patterns match. */
struct select_subject {
    struct gate_str function, package, file, mapping;
};

/* Return the texts of a frame. The package is derived from the name only if a pattern needs it, because that is slow.
 */
static struct select_subject subject_of(const struct gate_select *select, const struct gate_frame *frame,
                                        const struct gate_pair *pair) {
    struct select_subject subject = {
        .function = frame->name, .package = frame->name, .file = frame->file, .mapping = frame->mapping};
    bool has_package_pattern = select->package.regex != NULL || select->not_package.regex != NULL;
    if (has_package_pattern && pair->granularity != GATE_BY_PACKAGE)
        subject.package = gate_name_package(frame->name, pair->language);
    return subject;
}

static bool pattern_matches(bool *matches, const struct gate_pattern *pattern, struct gate_str text,
                            const struct gate_frame *frame, struct gate_error *err) {
    enum gate_regex_result result = gate_regex_match(pattern->regex, text);
    if (result == GATE_REGEX_TOO_HARD)
        return gate_error_set(err, GATE_ERR_CONFIG,
                              "pattern '%.*s' gave up on frame '%.*s': too much backtracking; make it more specific",
                              GATE_STR_ARG(pattern->text), GATE_STR_ARG(frame->name));
    *matches = result == GATE_REGEX_YES;
    return true;
}

/* Set `*matches` to whether a pattern matches a text of the frame, or the same text of its name in the baseline. */
static bool either_matches(bool *matches, const struct gate_pattern *pattern, struct gate_str text,
                           struct gate_str old_text, const struct gate_frame *frame, struct gate_error *err) {
    return pattern_matches(matches, pattern, text, frame, err) &&
           (*matches || old_text.len == 0 || pattern_matches(matches, pattern, old_text, frame, err));
}

/* Set `*meant` to whether every pattern of `select` accepts the frame. A function that moved is meant by either name,
 * and by the package of either. */
static bool frame_is_meant(bool *meant, const struct gate_select *select, const struct gate_pair *pair,
                           const struct gate_frame *frame, struct gate_error *err) {
    const struct select_subject subject = subject_of(select, frame, pair);
    const struct gate_str none = GATE_STR(""), old_name = frame->old_name;
    const struct gate_str old_package = old_name.len == 0 ? none : gate_name_package(old_name, pair->language);
    const struct {
        const struct gate_pattern *pattern;
        struct gate_str text, old_text;
        bool wanted;
    } tests[] = {
        {&select->function, subject.function, old_name, true},
        {&select->package, subject.package, old_package, true},
        {&select->file, subject.file, none, true},
        {&select->mapping, subject.mapping, none, true},
        {&select->not_function, subject.function, old_name, false},
        {&select->not_package, subject.package, old_package, false},
        {&select->not_file, subject.file, none, false},
        {&select->not_mapping, subject.mapping, none, false},
    };
    *meant = true;
    for (size_t i = 0; i < sizeof tests / sizeof *tests && *meant; i++) {
        bool matches = false;
        if (tests[i].pattern->regex == NULL)
            continue;
        if (!either_matches(&matches, tests[i].pattern, tests[i].text, tests[i].old_text, frame, err))
            return false;
        *meant = matches == tests[i].wanted;
    }
    return true;
}

static bool has_patterns(const struct gate_select *select) {
    return select->function.regex != NULL || select->package.regex != NULL || select->file.regex != NULL ||
           select->mapping.regex != NULL || select->not_function.regex != NULL || select->not_package.regex != NULL ||
           select->not_file.regex != NULL || select->not_mapping.regex != NULL;
}

/* Return whether `no_own_caller` leaves a frame out. If the profile has no own code, all its frames are charged. */
static bool is_charged(const struct gate_select *select, const struct gate_pair *pair, const struct gate_frame *frame) {
    return select->no_own_caller && (pair->has_no_own || frame->is_own);
}

bool gate_select_frames(uint8_t **marks, uint32_t *matched, const struct gate_select *select,
                        const struct gate_pair *pair, struct gate_arena *arena, struct gate_error *err) {
    uint8_t *out = GATE_NEW_ARRAY(arena, uint8_t, pair->frame_count);
    uint32_t count = 0;
    bool is_any = !has_patterns(select);
    if (out == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        bool meant = is_any && !is_charged(select, pair, &pair->frames[i]);
        if (!is_any && !is_charged(select, pair, &pair->frames[i]) &&
            !frame_is_meant(&meant, select, pair, &pair->frames[i], err))
            return false;
        out[i] = meant;
        count += meant;
    }
    *marks = out;
    *matched = count;
    return true;
}

bool gate_select_under(uint8_t **marks, const struct gate_select *select, const struct gate_pair *pair,
                       struct gate_arena *arena, struct gate_error *err) {
    *marks = NULL;
    if (select->under.regex == NULL)
        return true;
    uint8_t *out = GATE_NEW_ARRAY(arena, uint8_t, pair->frame_count);
    if (out == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        bool matches = false;
        const struct gate_frame *frame = &pair->frames[i];
        if (!either_matches(&matches, &select->under, frame->name, frame->old_name, frame, err))
            return false;
        out[i] = matches;
    }
    *marks = out;
    return true;
}

/* ---- a budget on a comparison ------------------------------------------------------------------------------------ */

static const double no_work[GATE_SIDES] = {0.0, 0.0};

static bool divide_by(struct gate_exposure *out, const struct gate_comparison *comparison, enum gate_equal equal) {
    double ratio = 0.0;
    if (!gate_equal_ratio(&ratio, &comparison->pair, equal, no_work))
        return false;
    out->ratio = ratio;
    out->equal = equal;
    return true;
}

/* Find the divisor of a cost per second: the work if it is known, else the time, else the number of profiles. */
static void divide_by_second(struct gate_budget_scope *scope) {
    const struct gate_comparison *comparison = scope->comparison;
    struct gate_exposure *out = &scope->exposure;
    if (comparison->equal == GATE_EQUAL_WORK && comparison->work_is_known) {
        out->equal = GATE_EQUAL_WORK;
        out->ratio = comparison->work_ratio;
        return;
    }
    if (comparison->equal != GATE_EQUAL_RUN && divide_by(out, comparison, GATE_EQUAL_TIME))
        return;
    scope->is_untimed = comparison->equal != GATE_EQUAL_RUN;
    (void)divide_by(out, comparison, GATE_EQUAL_RUN); /* a side has at least one run */
}

/* Find the divisor of costs. Returns false if there is none. */
static bool find_exposure(struct gate_budget_scope *scope, const struct gate_budget *budget) {
    const struct gate_comparison *comparison = scope->comparison;
    struct gate_exposure *out = &scope->exposure;
    *out = (struct gate_exposure){.ratio = 1.0, .noise = comparison->noise, .equal = GATE_EQUAL_RUN};
    if (budget->per == GATE_PER_RUN)
        return divide_by(out, comparison, GATE_EQUAL_RUN);
    if (budget->per == GATE_PER_SECOND) {
        divide_by_second(scope);
        return true;
    }
    if (comparison->work_is_known) {
        out->ratio = comparison->work_ratio;
        out->equal = comparison->equal;
        return true;
    }
    const struct gate_budget_measure_row *measure = gate_budget_measure_row(budget->measure);
    if (measure->needs_work)
        return false;
    if (!measure->is_total)
        return true;
    bool absolute_only = budget->limit_count > 0;
    for (uint32_t i = 0; i < budget->limit_count; i++)
        absolute_only = absolute_only && budget->limits[i].kind == GATE_LIMIT_ABSOLUTE;
    if (absolute_only)
        return true;
    return divide_by(out, comparison, GATE_EQUAL_TIME);
}

/* Set min_growth and its divisor (`amount_units`). Returns false if its unit does not convert. */
static bool set_min_growth(struct gate_budget_scope *scope, const struct gate_budget *budget) {
    const struct gate_pair *pair = &scope->comparison->pair;
    double ratio = 0.0;
    bool is_timed = budget->per != GATE_PER_RUN && gate_equal_ratio(&ratio, pair, GATE_EQUAL_TIME, no_work);
    for (int side = 0; side < GATE_SIDES; side++)
        scope->amount_units[side] =
            gate_equal_units(&pair->sides[side], is_timed ? GATE_EQUAL_TIME : GATE_EQUAL_RUN, 0.0);
    return budget->min_growth.len == 0 || gate_unit_parse(&scope->min_growth, budget->min_growth, pair->type.unit);
}

const char *gate_budget_scope_fill(struct gate_budget_scope *scope, const struct gate_comparison *comparisons) {
    const struct gate_budget *budget = &scope->rules->budgets[scope->budget];
    if (scope->comparison_index == GATE_NO_INDEX)
        return "the profiles have no such sample type, or nothing of it";
    scope->comparison = &comparisons[scope->comparison_index];
    if (gate_comparison_no_waits(scope->comparison) != NULL)
        return gate_comparison_no_waits(scope->comparison);
    if (find_exposure(scope, budget))
        return set_min_growth(scope, budget) ? NULL : "its min_growth has another unit than the sample type";
    if (!gate_budget_measure_row(budget->measure)->needs_work)
        return "totals are compared per unit of work or per second, and both are unknown here";
    return scope->comparison->equal_given == GATE_EQUAL_TIME ? "a cost per second needs the duration of every profile"
                                                             : "a cost needs the work done on both sides";
}

/* ---- hypotheses -------------------------------------------------------------------------------------------------- */

/* The hypotheses of one frame take 0.5 µs. */
enum { FRAMES_WORTH_A_THREAD = 2048 };

/* Properties shared by all hypotheses of one budget. */
struct collection {
    const struct gate_budget_scope *scope;
    const struct gate_budget *budget;
    const struct gate_comparison *comparison;
    const struct gate_delta_list *deltas; /* NULL: the total */
    bool is_plain;                        /* `deltas` is the comparison's, so its evidence exists already */
    bool is_cost;
    bool names_frames;
    bool group_is_runtime;
    enum gate_measure measure;
    struct gate_hypothesis blank; /* template with the fields that all of them share */
    struct gate_evidence_options options;
    struct gate_exposure absolute; /* for absolute limits: per unit of work if known, else per run */
    double baseline_cost;          /* the baseline's total per unit of `absolute` */
};

/* Return whether this is a delay profile with one run on a side: neither its counts nor its variation are known. */
static bool is_restrained(const struct gate_pair *pair) {
    bool replicated = pair->sides[GATE_BASELINE].run_count >= 2 && pair->sides[GATE_CANARY].run_count >= 2;
    return !replicated && gate_pair_has_delays(pair);
}

static bool applies(const struct gate_hypothesis *h, const struct gate_budget *budget) {
    const struct gate_evidence *e = h->evidence;
    switch (h->limit->kind) {
    case GATE_LIMIT_NEW_FRAME:
        return e->value[GATE_BASELINE] == 0 && e->value[GATE_CANARY] > 0;
    case GATE_LIMIT_INCREASE:
        return budget->min_share > 0.0 || e->share[GATE_CANARY] >= h->least_share;
    default:
        return true;
    }
}

/* Scale the limit to the tested quantity: an absolute one becomes a share of the baseline's cost. */
static bool scale_limit(struct gate_hypothesis *h, const struct collection *c, struct gate_error *err) {
    h->limit_value = h->limit->value;
    if (h->limit->kind != GATE_LIMIT_ABSOLUTE)
        return true;
    double value = 0.0;
    struct gate_str unit = c->comparison->pair.type.unit;
    if (!gate_unit_parse(&value, h->limit->text, unit))
        return gate_error_set_at(err, GATE_ERR_CONFIG, h->limit->line, h->limit->column,
                                 "'%.*s' cannot be compared with '%.*s': give a unit that converts to '%.*s'",
                                 GATE_STR_ARG(h->limit->text), GATE_STR_ARG(c->comparison->name), GATE_STR_ARG(unit));
    h->limit_value = c->baseline_cost > 0.0 ? value / c->baseline_cost : 0.0;
    return true;
}

/* Copy evidence to the arena. It is large, so hypotheses only point to it. NULL if the arena is full. */
static const struct gate_evidence *keep(const struct gate_evidence *evidence, struct gate_arena *arena) {
    struct gate_evidence *kept = gate_arena_alloc(arena, sizeof *kept);
    if (kept != NULL)
        *kept = *evidence;
    return kept;
}

static const struct gate_evidence *item_evidence(const struct collection *c, uint32_t item, struct gate_str name,
                                                 struct gate_arena *arena) {
    GATE_ASSERT(c->comparison != NULL);
    const struct gate_pair *pair = &c->comparison->pair;
    if (!c->is_cost && c->is_plain && c->comparison->frames != NULL)
        return c->comparison->frames[item].evidence[c->measure];
    const struct gate_evidence made =
        c->is_cost ? gate_cost_evidence_of(pair, c->deltas, item, c->measure, &c->scope->exposure)
                   : gate_evidence_of(pair, c->deltas, item, c->measure, name, &c->options);
    return keep(&made, arena);
}

static bool add_own_cost(struct gate_hypothesis *h, const struct collection *c, uint32_t item,
                         struct gate_arena *arena) {
    enum gate_quantity quantity = gate_limit_quantity(h->limit->kind);
    bool is_over = gate_quantity_of(h->evidence, quantity) > h->limit_value;
    if (h->is_cost || quantity == GATE_QUANTITY_LEVEL || !is_over || !(c->comparison->work_ratio > 0.0))
        return true;
    struct gate_evidence_options options = c->options;
    options.work_ratio = c->comparison->work_ratio;
    const struct gate_evidence own =
        gate_evidence_of(&c->comparison->pair, c->deltas, item, c->measure, h->name, &options);
    h->own = keep(&own, arena);
    return h->own != NULL;
}

static bool append(struct gate_hypothesis **items, size_t *count, size_t *capacity, const struct gate_hypothesis *h,
                   struct gate_arena *arena, struct gate_error *err) {
    if (!GATE_REGROW(arena, *items, *count, *capacity))
        return gate_arena_error(arena, err);
    (*items)[(*count)++] = *h;
    return true;
}

/* Reserve room for all hypotheses at once, so that the list is not copied repeatedly. */
static bool reserve(struct gate_hypothesis_list *list, const struct collection *c, size_t items,
                    struct gate_arena *arena, struct gate_error *err) {
    size_t wanted = list->count + items * c->budget->limit_count, more = list->capacity + list->capacity / 2;
    if (wanted <= list->capacity)
        return true;
    wanted = wanted > more ? wanted : more;
    struct gate_hypothesis *grown =
        gate_arena_resize(arena, list->items, list->capacity * sizeof *grown, wanted * sizeof *grown);
    if (grown == NULL)
        return gate_arena_error(arena, err);
    list->items = grown;
    list->capacity = wanted;
    return true;
}

/* Return whether a frame with these shares reaches the budget's min_share on a side. */
static bool is_seen(const struct gate_budget *budget, double one, double two) {
    return one >= budget->min_share || two >= budget->min_share;
}

/* Return the canary share below which the limit ignores a frame that grew. */
static double least_share(const struct gate_hypothesis *h, const struct collection *c) {
    bool is_time = gate_unit_ratio(c->comparison->pair.type.unit, GATE_STR("nanoseconds")) != 0;
    bool is_any_ratio = h->limit->kind == GATE_LIMIT_INCREASE && h->frame != GATE_NO_INDEX &&
                        !c->budget->has_min_share && c->budget->min_share <= 0.0 && !c->names_frames &&
                        !(is_time && c->budget->min_growth.len != 0);
    return is_any_ratio ? GATE_RATIO_MIN_SHARE : c->budget->min_share;
}

/* Append a hypothesis to the unseen ones. For growth limits only: a frame that is too small for a level limit does not
 * reach the level either. */
static bool append_unseen(struct gate_hypothesis_list *list, const struct gate_hypothesis *h, struct gate_arena *arena,
                          struct gate_error *err) {
    return !h->is_in_family || !gate_hypothesis_bounds_growth(h) ||
           append(&list->unseen, &list->unseen_count, &list->unseen_capacity, h, arena, err);
}

/* Return whether a frame is runtime or library code, whose cost depends on its callers or on the collector. */
static bool is_bystander(const struct gate_frame *frame, enum gate_measure measure) {
    return frame->is_runtime || (measure == GATE_CHARGED && !frame->is_own);
}

/* Add one limit on an item whose other fields are set. */
static bool collect_limit(struct gate_hypothesis_list *list, struct gate_hypothesis *h, const struct collection *c,
                          uint32_t item, struct gate_arena *arena, struct gate_error *err) {
    const double *share = h->evidence->share;
    bool is_seen_so = is_seen(c->budget, share[GATE_BASELINE], share[GATE_CANARY]);
    h->severity = h->limit->severity < c->budget->severity ? h->limit->severity : c->budget->severity;
    h->is_cost = c->is_cost || h->limit->kind == GATE_LIMIT_ABSOLUTE;
    if (h->severity == GATE_SEVERITY_OFF)
        return true;
    if (h->limit->kind == GATE_LIMIT_ABSOLUTE) {
        const struct gate_evidence cost =
            gate_cost_evidence_of(&c->comparison->pair, c->deltas, item, c->measure, &c->absolute);
        h->evidence = keep(&cost, arena);
    }
    if (h->evidence == NULL)
        return gate_arena_error(arena, err);
    h->least_share = least_share(h, c);
    bool looked_at = is_seen_so && applies(h, c->budget);
    if (!scale_limit(h, c, err))
        return false;
    if (looked_at && !add_own_cost(h, c, item, arena))
        return gate_arena_error(arena, err);
    /* If the canary's total is much lower, a small cost is a large share of it. */
    if (looked_at && h->own != NULL && gate_hypothesis_bounds_growth(h))
        looked_at = is_seen(c->budget, h->own->share[GATE_BASELINE], h->own->share[GATE_CANARY]);
    gate_hypothesis_test(h, c->scope->now.margin);
    return looked_at ? append(&list->items, &list->count, &list->capacity, h, arena, err)
                     : append_unseen(list, h, arena, err);
}

static struct gate_str name_of(const struct collection *c, uint32_t frame) {
    if (frame != GATE_NO_INDEX)
        return c->comparison->pair.frames[frame].name;
    return c->deltas == NULL ? GATE_STR("total") : c->budget->name;
}

/* Set the fields that are the same for all limits on an item. */
static void hypothesis_begin(struct gate_hypothesis *h, const struct collection *c, uint32_t item, uint32_t frame,
                             const struct gate_evidence *evidence) {
    const struct gate_pair *pair = &c->comparison->pair;
    bool single = frame != GATE_NO_INDEX;
    *h = c->blank;
    h->frame = frame;
    h->name = name_of(c, frame);
    h->is_total = c->deltas == NULL;
    h->evidence = evidence;
    h->set_id = c->deltas == NULL ? 0 : c->deltas->items[item].set_id[c->measure];
    h->is_runtime = single ? pair->frames[frame].is_runtime : c->group_is_runtime;
    h->is_named = c->deltas != NULL && (!single || c->names_frames);
    h->is_callerless = c->budget->select.no_own_caller;
    h->is_new_code = c->budget->select.one_sided;
    h->is_path = gate_budget_measure_row(c->budget->measure)->is_path;
    h->is_bystander = single && !c->names_frames && !h->is_callerless && !pair->has_no_own &&
                      is_bystander(&pair->frames[frame], c->measure);
}

static bool collect_item(struct gate_hypothesis_list *list, const struct collection *c, uint32_t item, uint32_t frame,
                         struct gate_arena *arena, struct gate_error *err) {
    const struct gate_pair *pair = &c->comparison->pair;
    const struct gate_evidence *evidence = item_evidence(c, item, name_of(c, frame), arena);
    if (evidence == NULL)
        return gate_arena_error(arena, err);
    if (evidence->value[GATE_BASELINE] == 0 && evidence->value[GATE_CANARY] == 0)
        return true;
    bool is_nameless = frame != GATE_NO_INDEX && gate_unsymbolised_is_frame(pair, &pair->frames[frame]);
    /* Growth of a function that only one side has is judged in its nearest caller that both sides have. */
    bool is_folded =
        frame != GATE_NO_INDEX && !c->names_frames &&
        (pair->frames[frame].is_folded || (pair->frames[frame].is_one_sided && c->measure == GATE_CUMULATIVE));
    for (uint32_t i = 0; i < c->budget->limit_count; i++) {
        struct gate_hypothesis h;
        if (is_nameless && c->budget->limits[i].kind == GATE_LIMIT_NEW_FRAME)
            continue;
        if (is_folded && gate_limit_bounds_growth(c->budget->limits[i].kind) &&
            c->budget->limits[i].kind != GATE_LIMIT_NEW_FRAME)
            continue;
        hypothesis_begin(&h, c, item, frame, evidence);
        h.limit = &c->budget->limits[i];
        if (!collect_limit(list, &h, c, item, arena, err))
            return false;
    }
    return true;
}

/* Return the probability that the side that lacks a folded function would have a sample of it at the same share. */
static double seen_elsewhere(const struct gate_comparison *comparison, const struct gate_delta *delta) {
    const struct gate_side *sides = comparison->pair.sides;
    int here = delta->value[GATE_CHARGED][GATE_CANARY] > 0 ? GATE_CANARY : GATE_BASELINE;
    return -expm1(-gate_share(delta->value[GATE_CHARGED][here], sides[here].total) * sides[1 - here].events);
}

/* Add up the charged cost of the own functions that only one side has. Each is weighted by the probability that the
 * other side does not lack it by chance. Each stack is charged to at most one of them. */
static bool sum_one_sided(struct gate_delta_list *out, const struct gate_comparison *comparison,
                          struct gate_arena *arena, struct gate_error *err) {
    const struct gate_delta_list *deltas = &comparison->deltas;
    *out = (struct gate_delta_list){
        .count = 1, .run_count = deltas->run_count, .is_own_sum = !gate_pair_inlines_at_run_time(&comparison->pair)};
    out->items = GATE_NEW_ARRAY(arena, struct gate_delta, 1);
    for (int measure = 0; measure < GATE_MEASURES; measure++)
        out->tallies[measure] = GATE_NEW_ARRAY(arena, struct gate_tally, deltas->run_count);
    if (out->items == NULL || out->tallies[GATE_SELF] == NULL || out->tallies[GATE_CUMULATIVE] == NULL ||
        out->tallies[GATE_CHARGED] == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < deltas->count; i++) {
        if (!comparison->pair.frames[i].is_folded)
            continue;
        double seen = seen_elsewhere(comparison, &deltas->items[i]);
        out->items->set_id[GATE_CHARGED] += deltas->items[i].set_id[GATE_CHARGED];
        for (int side = 0; side < GATE_SIDES; side++)
            out->items->value[GATE_CHARGED][side] +=
                (int64_t)llround(seen * (double)deltas->items[i].value[GATE_CHARGED][side]);
        for (uint32_t r = 0; r < deltas->run_count; r++) {
            const struct gate_tally *tally = gate_tally_at(deltas, GATE_CHARGED, r, i);
            out->tallies[GATE_CHARGED][r].value += (int64_t)llround(seen * (double)tally->value);
            out->tallies[GATE_CHARGED][r].weight_sq += seen * tally->weight_sq;
        }
    }
    return true;
}

/* Fold the samples that the budget measures, unless they are those of the comparison's deltas. */
static bool fold(struct collection *c, struct gate_delta_list *folded, const uint8_t *marks, struct gate_arena *arena,
                 struct gate_error *err) {
    const struct gate_pair *pair = &c->comparison->pair;
    struct gate_delta_filter filter = {0};
    uint8_t *under = NULL;
    if (!gate_select_under(&under, &c->budget->select, pair, arena, err))
        return false;
    filter.under = under;
    c->deltas = &c->comparison->deltas;
    c->is_plain = under == NULL && !c->budget->as_group;
    if (c->is_plain)
        return true;
    c->deltas = folded;
    if (c->budget->as_group) {
        for (uint32_t i = 0; i < pair->frame_count; i++)
            c->group_is_runtime = c->group_is_runtime || (marks[i] && pair->frames[i].is_runtime);
        return gate_delta_group(folded, pair, marks, &filter, arena, err);
    }
    return gate_delta_fold(folded, pair, &filter, arena, err);
}

static void set_absolute(struct collection *c) {
    const struct gate_side *sides = c->comparison->pair.sides;
    const double *work = c->scope->work;
    bool known = work[GATE_BASELINE] > 0.0 && work[GATE_CANARY] > 0.0;
    double units[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++)
        units[side] = known ? work[side] : sides[side].run_count;
    c->absolute.ratio = units[GATE_CANARY] / units[GATE_BASELINE];
    c->absolute.noise = known ? c->comparison->noise : NULL;
    c->absolute.equal = known ? GATE_EQUAL_WORK : GATE_EQUAL_RUN;
    c->baseline_cost = (double)sides[GATE_BASELINE].total / units[GATE_BASELINE];
}

/* A part of a budget's frames, for one thread. */
struct part {
    const struct collection *c;
    const uint8_t *marks;
    uint32_t from, to;
    struct gate_hypothesis_list list; /* `items` is room for this part inside the whole list */
    struct gate_arena arena;
    struct gate_error err;
    bool ok;
};

static void part_run(void *context) {
    struct part *part = context;
    part->ok = true;
    for (uint32_t frame = part->from; part->ok && frame < part->to; frame++)
        part->ok = !part->marks[frame] || collect_item(&part->list, part->c, frame, frame, &part->arena, &part->err);
}

/* Append a part's results to the list, and free its own list of unseen hypotheses. */
static bool part_join(struct gate_hypothesis_list *list, struct part *part, struct gate_arena *arena,
                      struct gate_error *err) {
    struct gate_hypothesis_list *found = &part->list;
    size_t unseen = list->unseen_count + found->unseen_count, size = sizeof *found->unseen;
    if (found->count > 0)
        memmove(&list->items[list->count], found->items, found->count * sizeof *found->items);
    list->count += found->count;
    if (unseen > list->unseen_capacity) {
        struct gate_hypothesis *grown =
            gate_arena_resize(arena, list->unseen, list->unseen_capacity * size, unseen * size);
        if (grown == NULL)
            return gate_arena_error(arena, err);
        list->unseen = grown;
        list->unseen_capacity = unseen;
    }
    if (found->unseen_count > 0)
        memcpy(&list->unseen[list->unseen_count], found->unseen, found->unseen_count * size);
    list->unseen_count = unseen;
    (void)gate_arena_resize(&part->arena, found->unseen, found->unseen_capacity * size, 0);
    return true;
}

/* Collect the marked frames in two halves. Each half writes to its own reserved room in the list, so the list never
 * grows. */
static bool collect_frames(struct gate_hypothesis_list *list, const struct collection *c, const uint8_t *marks,
                           struct gate_arena *arena, struct gate_error *err) {
    uint32_t frames = c->comparison->pair.frame_count, limits = c->budget->limit_count, middle = frames;
    struct part parts[2];
    bool ok = true;
    size_t marked[2] = {0, 0};
    if (frames >= FRAMES_WORTH_A_THREAD)
        middle = frames / 2;
    for (uint32_t i = 0; i < frames; i++)
        marked[i >= middle] += marks[i];
    GATE_ASSERT(list->count + (marked[0] + marked[1]) * limits <= list->capacity);
    for (int i = 0; i < 2; i++) {
        struct gate_hypothesis *room = &list->items[list->count + (i == 0 ? 0 : marked[0] * limits)];
        parts[i] = (struct part){.c = c, .marks = marks, .list = {.items = room, .capacity = marked[i] * limits}};
        parts[i].from = i == 0 ? 0 : middle;
        parts[i].to = i == 0 ? middle : frames;
        gate_arena_fork(&parts[i].arena, arena);
    }
    gate_parallel_both_if(marked[1] > 0, part_run, &parts[0], &parts[1]);
    for (int i = 0; i < 2; i++) {
        if (ok && !parts[i].ok)
            *err = parts[i].err;
        ok = ok && parts[i].ok && part_join(list, &parts[i], arena, err);
        gate_arena_absorb(arena, &parts[i].arena);
    }
    return ok;
}

/* Leave only own functions in `marks`. Returns their number. */
static uint32_t keep_own(uint8_t *marks, const struct gate_pair *pair) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        marks[i] = marks[i] && pair->frames[i].is_own && !pair->has_no_own;
        count += marks[i];
    }
    return count;
}

bool gate_hypotheses_collect(struct gate_hypothesis_list *list, uint32_t *matched,
                             const struct gate_budget_scope *scope, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_budget *budget = &scope->rules->budgets[scope->budget];
    GATE_ASSERT(scope->comparison != NULL);
    struct collection c = {.scope = scope, .budget = budget, .comparison = scope->comparison};
    const struct gate_pair *pair = &c.comparison->pair;
    const struct gate_budget_measure_row *measure = gate_budget_measure_row(budget->measure);
    c.is_cost = measure->is_cost;
    c.measure = measure->of;
    c.names_frames = gate_select_names_frames(&budget->select);
    c.options.noise = c.comparison->noise;
    c.blank = (struct gate_hypothesis){.budget = scope->budget,
                                       .comparison = scope->comparison_index,
                                       .measure = c.measure,
                                       .is_restrained = is_restrained(pair)};
    set_absolute(&c);
    *matched = 1;
    if (measure->is_total)
        return collect_item(list, &c, 0, GATE_NO_INDEX, arena, err);
    if (!gate_evidence_prior(&c.options, pair, &c.comparison->deltas, arena, err))
        return false;
    uint8_t *marks = NULL;
    struct gate_delta_list folded = {0};
    if (budget->select.one_sided) {
        c.deltas = &folded;
        return sum_one_sided(&folded, c.comparison, arena, err) && collect_item(list, &c, 0, GATE_NO_INDEX, arena, err);
    }
    if (!gate_select_frames(&marks, matched, &budget->select, pair, arena, err))
        return false;
    GATE_ASSERT(marks != NULL);
    if (measure->is_path)
        *matched = keep_own(marks, pair);
    if (*matched == 0)
        return true;
    if (!fold(&c, &folded, marks, arena, err))
        return false;
    if (budget->as_group) {
        *matched = 1;
        return collect_item(list, &c, 0, GATE_NO_INDEX, arena, err);
    }
    return reserve(list, &c, *matched, arena, err) && collect_frames(list, &c, marks, arena, err);
}
