/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/report/listing.h"

#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/base/hash.h"
#include "gate/base/parallel.h"
#include "gate/compare/comparison.h"
#include "gate/report/shorten.h"

#include <math.h>
#include <stdlib.h>

/* ---- 95% confidence intervals for the rows of a table of frames ----------------------------------------------------
 *
 * They take most of the time of a page with many functions. */

/* Other reports are made at the same time, so fewer rows are not worth another thread. */
enum { ROWS_WORTH_A_THREAD = 1000 };

struct rows {
    struct gate_row_intervals *out;
    const struct gate_frame_judgement *frames;
    const uint32_t *rows;
};

/* Number of slots, selected by a hash, that cache the last evidence and its intervals. Most functions have few samples,
 * and many of them have equal counts. */
enum { ROWS_KNOWN = 512 };

struct known {
    const struct gate_evidence *evidence;
    const struct gate_interval *interval;
};

static struct known *known_slot(struct known *known, const struct gate_evidence *evidence) {
    const struct gate_counts2 *counts = &evidence->counts;
    return &known[gate_hash_bytes(counts, sizeof *counts, 0) % ROWS_KNOWN];
}

static void fill_some(void *context, size_t from, size_t to) {
    const struct rows *all = context;
    struct known known[ROWS_KNOWN] = {{0}};
    for (size_t i = from; i < to; i++) {
        const struct gate_evidence *const *evidence = all->frames[all->rows[i]].evidence;
        struct gate_interval *of = all->out[i].of;
        for (int m = 0; m < GATE_MEASURES; m++) {
            struct known *slot = known_slot(known, evidence[m]);
            bool is_known = slot->evidence != NULL && gate_evidence_is_alike(slot->evidence, evidence[m]);
            of[m] = is_known ? *slot->interval : gate_evidence_ci95(evidence[m]);
            *slot = (struct known){evidence[m], &of[m]};
        }
    }
}

void gate_row_intervals_fill(struct gate_row_intervals *out, const struct gate_frame_judgement *frames,
                             const uint32_t *rows, uint32_t count) {
    struct rows all = {out, frames, rows};
    gate_parallel(fill_some, &all, count, ROWS_WORTH_A_THREAD);
}

/* ---- what a pass could have detected ----------------------------------------------------------------------------- */

static bool prints_detectable(const struct gate_budget_result *result, bool is_verbose) {
    return (!isnan(result->detectable) || result->hindrance != GATE_REASON_WITHIN) && result->budget->part == NULL &&
           (is_verbose || result->budget->severity >= GATE_SEVERITY_ERROR);
}

/* Return "no function doubles" of "no function doubles (heap)", the budget of one of several pairs. */
static struct gate_str name_without_pair(const struct gate_budget *budget) {
    struct gate_str name = budget->name, pair = budget->pair;
    size_t end = name.len - pair.len - strlen(" ()");
    bool has_pair = pair.len > 0 && name.len > pair.len + strlen(" ()") && name.ptr[name.len - 1] == ')' &&
                    gate_str_equal(gate_str_slice(name, end + strlen(" ("), name.len - 1), pair);
    return has_pair ? gate_str_slice(name, 0, end) : name;
}

bool gate_listing_detectable(struct gate_listing_detectable *out, const struct gate_verdict *verdict, uint32_t at,
                             bool is_verbose) {
    enum { PAIRS_LISTED = 2 };
    const struct gate_budget_result *one = &verdict->budgets[at], *first = NULL;
    *out = (struct gate_listing_detectable){.name = one->budget->name, .least = one, .most = one};
    if (!prints_detectable(one, is_verbose))
        return false;
    if (is_verbose || isnan(one->detectable))
        return true;
    struct gate_listing_detectable all = {.name = name_without_pair(one->budget), .least = one, .most = one};
    uint32_t count = 0;
    for (uint32_t b = 0; b < verdict->budget_count; b++) {
        const struct gate_budget_result *result = &verdict->budgets[b];
        if (isnan(result->detectable) || !prints_detectable(result, is_verbose) ||
            !gate_str_equal(name_without_pair(result->budget), all.name))
            continue;
        first = count++ == 0 ? result : first;
        all.least = result->detectable < all.least->detectable ? result : all.least;
        all.most = result->detectable > all.most->detectable ? result : all.most;
    }
    if (count <= PAIRS_LISTED)
        return true;
    *out = all;
    return one == first;
}

/* Parts of the code of one side that a function must have to be named for it, and to count as all of it. */
static const double MOST_OF_NEW = 0.5, ALL_OF_NEW = 0.999;

void gate_listing_put_name(struct gate_buf *out, const struct gate_verdict *verdict, const struct gate_hypothesis *h) {
    const struct gate_comparison *comparison = &verdict->comparisons[h->comparison];
    bool is_sum = h->is_new_code || (h->frame != GATE_NO_INDEX && h->frame == comparison->pair.one_sided);
    uint32_t largest = is_sum ? gate_cause_largest_new(comparison) : GATE_NO_INDEX;
    if (largest == GATE_NO_INDEX ||
        comparison->frames[largest].evidence[GATE_CHARGED]->delta < MOST_OF_NEW * h->evidence->share[GATE_CANARY]) {
        gate_buf_str(out, h->name);
        return;
    }
    gate_buf_str(out, comparison->pair.frames[largest].name);
    if (comparison->frames[largest].evidence[GATE_CHARGED]->delta < ALL_OF_NEW * h->evidence->share[GATE_CANARY])
        gate_buf_text(out, ", which has most of the own code of one side only,");
}

uint32_t gate_listing_unjudged(const struct gate_verdict *verdict) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < verdict->budget_count; b++)
        count += gate_budget_is_unjudged(&verdict->budgets[b]);
    return count;
}

void gate_listing_put_hindrances(struct gate_buf *out, const struct gate_verdict *verdict) {
    static const struct {
        enum gate_reason reason;
        const char *text;
    } rows[] = {{GATE_REASON_MIN_SAMPLES, "too few samples"},
                {GATE_REASON_DELAY_REPLICATES, "one run per side"},
                {GATE_REASON_TOO_FEW_SAMPLES, "too few rounds for a leak"}};
    const char *joint = " (";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool is_any = false;
        for (uint32_t b = 0; b < verdict->budget_count; b++)
            is_any = is_any ||
                     (gate_budget_is_unjudged(&verdict->budgets[b]) && verdict->budgets[b].hindrance == rows[i].reason);
        if (!is_any)
            continue;
        gate_buf_printf(out, "%s%s", joint, rows[i].text);
        joint = ", ";
    }
    gate_buf_text(out, joint[0] == ',' ? ")" : "");
}

void gate_listing_put_detectable(struct gate_buf *out, const struct gate_budget_result *result) {
    const struct gate_budget_measure_row *row = gate_budget_measure_row(result->budget->measure);
    gate_figures_growth(out, result->detectable, row->is_cost || row->is_leak);
}

static bool is_judged(const struct gate_verdict *verdict, const struct gate_budget *budget) {
    for (uint32_t i = 0; i < verdict->budget_count; i++)
        if (verdict->budgets[i].budget == budget)
            return true;
    return false;
}

void gate_listing_put_without_fact(struct gate_buf *out, const struct gate_verdict *verdict) {
    const struct gate_rules *rules = verdict->rules;
    const struct gate_budget *first = NULL;
    unsigned count = 0;
    for (uint32_t i = 0; rules->equal != GATE_EQUAL_SHARE && i < rules->budget_count; i++) {
        const struct gate_budget *budget = &rules->budgets[i];
        if (budget->requires != GATE_REQUIRES_NOTHING && budget->severity != GATE_SEVERITY_OFF &&
            !is_judged(verdict, budget))
            first = count++ == 0 ? budget : first;
    }
    if (first == NULL)
        return;
    gate_buf_printf(out, "\"%.*s\"", GATE_STR_ARG(first->name));
    if (count > 1)
        gate_buf_printf(out, " and %u more", count - 1);
    gate_buf_printf(out, ": not judged without %s",
                    first->requires == GATE_REQUIRES_WORK ? "--work" : "--equal or --work");
}

/* ---- how certain the change of a frame is, in one word ----------------------------------------------------------- */

enum gate_frame_state gate_frame_state_of(const struct gate_frame_judgement *frame, enum gate_measure measure) {
    if (!frame->evidence[measure]->is_tested)
        return GATE_FRAME_NOT_TESTED;
    return frame->is_suspect[measure] ? GATE_FRAME_SIGNIFICANT : GATE_FRAME_WITHIN_NOISE;
}

bool gate_frame_state_words(struct gate_frame_words *out, const struct gate_verdict *verdict, uint32_t comparison,
                            struct gate_arena *arena, struct gate_error *err) {
    uint32_t count = verdict->comparisons[comparison].pair.frame_count;
    for (int measure = 0; measure < GATE_MEASURES; measure++) {
        out->of[measure] = gate_arena_calloc(arena, (size_t)count + 1, 1);
        if (out->of[measure] == NULL)
            return gate_arena_error(arena, err);
    }
    for (uint32_t b = 0; b < verdict->budget_count; b++) {
        const struct gate_budget_result *result = &verdict->budgets[b];
        for (uint32_t i = 0; i < result->finding_count && result->comparison == comparison; i++) {
            const struct gate_finding *finding = &result->findings[i];
            uint8_t state = finding->outcome == GATE_OUTCOME_FAIL           ? GATE_FRAME_BROKEN
                            : finding->outcome == GATE_OUTCOME_INCONCLUSIVE ? GATE_FRAME_UNDECIDED
                                                                            : 0;
            if (finding->frame == GATE_NO_INDEX || !gate_cause_includes(finding))
                continue;
            uint8_t *word = &out->of[finding->measure][finding->frame];
            *word = state > *word ? state : *word;
        }
    }
    return true;
}

enum gate_frame_state gate_frame_state_shown(const struct gate_frame_words *words,
                                             const struct gate_comparison *comparison, uint32_t frame,
                                             enum gate_measure measure) {
    enum gate_frame_state state = gate_frame_state_of(&comparison->frames[frame], measure);
    uint8_t word = words->of[measure][frame];
    bool has_finding = word == GATE_FRAME_BROKEN || (word != 0 && state != GATE_FRAME_NOT_TESTED);
    return has_finding ? (enum gate_frame_state)word : state;
}

const char *gate_frame_state_name(enum gate_frame_state state) {
    static const char *const names[GATE_FRAME_STATES] = {
        [GATE_FRAME_NOT_TESTED] = "too few samples", [GATE_FRAME_WITHIN_NOISE] = "within noise",
        [GATE_FRAME_SIGNIFICANT] = "significant",    [GATE_FRAME_UNDECIDED] = "not decided",
        [GATE_FRAME_BROKEN] = "breaks a budget",
    };
    return names[state];
}

/* ---- rows of --by ------------------------------------------------------------------------------------------------ */

static bool is_listed(const struct gate_finding *finding) {
    return finding->frame != GATE_NO_INDEX || finding->evidence.is_tested;
}

static bool is_worse(const struct gate_finding *a, const struct gate_finding *b) {
    if (b == NULL || a->outcome != b->outcome)
        return b == NULL || a->outcome > b->outcome;
    /* A function is more useful to a reader than the total that grew because of it. */
    if ((a->frame == GATE_NO_INDEX) != (b->frame == GATE_NO_INDEX))
        return a->frame != GATE_NO_INDEX;
    return a->evidence.delta > b->evidence.delta;
}

static bool is_of(const struct gate_by_row *row, uint32_t comparison, const struct gate_verdict *verdict) {
    return comparison != GATE_NO_INDEX && verdict->comparisons[comparison].part == &row->value->of.match;
}

/* Set outcome, worst finding and comparison of a row. The comparison is that of its worst finding or budget, else its
 * first one. */
static void find_worst(struct gate_by_row *row, const struct gate_verdict *verdict) {
    for (uint32_t b = 0; b < verdict->budget_count; b++) {
        const struct gate_budget_result *result = &verdict->budgets[b];
        if (!is_of(row, result->comparison, verdict))
            continue;
        if (result->outcome > row->outcome)
            row->comparison = result->comparison;
        row->outcome = result->outcome > row->outcome ? result->outcome : row->outcome;
        for (uint32_t f = 0; f < result->finding_count; f++)
            if (is_listed(&result->findings[f]) && is_worse(&result->findings[f], row->worst)) {
                row->worst = &result->findings[f];
                row->comparison = result->comparison;
            }
    }
}

static int row_compare(const void *left, const void *right) {
    const struct gate_by_row *a = left, *b = right;
    bool a_is = a->comparison != GATE_NO_INDEX, b_is = b->comparison != GATE_NO_INDEX;
    double grown_a = a->worst == NULL ? 0.0 : a->worst->evidence.delta;
    double grown_b = b->worst == NULL ? 0.0 : b->worst->evidence.delta;
    if (a_is != b_is)
        return a_is ? -1 : 1;
    if (a->outcome != b->outcome)
        return a->outcome > b->outcome ? -1 : 1;
    if (grown_a != grown_b)
        return grown_a > grown_b ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value; /* values are sorted by weight */
}

void gate_by_rows_make(struct gate_by_row *rows, const struct gate_by *by, const struct gate_verdict *verdict) {
    for (uint32_t i = 0; i < by->count; i++) {
        rows[i] = (struct gate_by_row){&by->values[i], GATE_NO_INDEX, GATE_OUTCOME_PROVEN, NULL};
        for (uint32_t c = verdict->comparison_count; c-- > 0;)
            if (is_of(&rows[i], c, verdict))
                rows[i].comparison = c;
        find_worst(&rows[i], verdict);
    }
    if (by->count > 1)
        qsort(rows, by->count, sizeof *rows, row_compare);
}

const char *gate_by_rows_word(const struct gate_by_row *row) {
    return row->comparison == GATE_NO_INDEX ? gate_by_state_name(row->value->state)
                                            : gate_outcome_of_budget(row->outcome);
}

/* Append "; no alloc_space on the canary: judged as part of the whole". */
static void rows_lacks(struct gate_buf *out, const struct gate_by_value *value) {
    for (uint32_t i = 0; i < value->lack_count; i++) {
        const struct gate_by_lack *lack = &value->lacks[i];
        bool is_both = lack->is_without[GATE_BASELINE] && lack->is_without[GATE_CANARY];
        gate_buf_text(out, i == 0 ? "; no " : ", no ");
        gate_buf_str(out, lack->name);
        gate_buf_printf(out, " on %s",
                        is_both                           ? "either side"
                        : lack->is_without[GATE_BASELINE] ? "the baseline"
                                                          : "the canary");
    }
    if (value->lack_count > 0)
        gate_buf_text(out, ": judged as part of the whole");
}

static void rows_uncompared(struct gate_buf *out, const struct gate_by_value *value) {
    if (value->state == GATE_BY_CANARY_ALONE || value->state == GATE_BY_BASELINE_ALONE)
        gate_buf_printf(out, "; on the %s alone: judged as part of the whole",
                        gate_side_word(value->state == GATE_BY_CANARY_ALONE ? GATE_CANARY : GATE_BASELINE));
    else if (value->lack_count == 0)
        gate_buf_text(out, "; no budget looks within it: judged as part of the whole");
    else
        rows_lacks(out, value);
}

void gate_by_rows_text(struct gate_buf *out, const struct gate_by_row *row, const struct gate_verdict *verdict) {
    gate_figures_shares(out, row->value->of.share);
    gate_buf_text(out, " of the cost");
    if (row->comparison == GATE_NO_INDEX) {
        rows_uncompared(out, row->value);
        return;
    }
    const struct gate_side *sides = verdict->comparisons[row->comparison].pair.sides;
    gate_buf_text(out, ", ");
    gate_figures_count(out, sides[GATE_BASELINE].events);
    gate_buf_text(out, " and ");
    gate_figures_count(out, sides[GATE_CANARY].events);
    gate_buf_text(out, " effective samples");
    if (fmax(sides[GATE_BASELINE].events, sides[GATE_CANARY].events) < verdict->rules->min_samples)
        gate_buf_text(out, ", too few to fail");
    if (row->worst != NULL && row->worst->outcome >= GATE_OUTCOME_WARN) {
        gate_buf_text(out, "; ");
        gate_buf_str(out, row->worst->function);
        gate_buf_char(out, ' ');
        gate_figures_points(out, row->worst->evidence.delta);
    }
    rows_lacks(out, row->value);
}

void gate_by_rows_rest(struct gate_buf *out, const struct gate_by *by) {
    bool has_unlabelled = by->unlabelled[GATE_BASELINE] > 0.0 || by->unlabelled[GATE_CANARY] > 0.0;
    if (by->left_out > 0) {
        gate_buf_printf(out, "%u lighter value%s (", by->left_out, by->left_out == 1 ? "" : "s");
        gate_figures_shares(out, by->left_out_cost);
        gate_buf_char(out, ')');
    }
    if (by->left_out > 0 && has_unlabelled)
        gate_buf_text(out, " and ");
    if (has_unlabelled) {
        gate_buf_text(out, "samples without the label (");
        gate_figures_shares(out, by->unlabelled);
        gate_buf_char(out, ')');
    }
    if (by->left_out > 0 || has_unlabelled)
        gate_buf_text(out, " are judged as part of the whole");
}

/* ---- findings and frames ----------------------------------------------------------------------------------------- */

enum { SHOWN_OF_A_BUDGET = 3 };

const enum gate_outcome gate_listing_outcomes[GATE_LISTING_OUTCOMES] = {GATE_OUTCOME_FAIL, GATE_OUTCOME_INCONCLUSIVE,
                                                                        GATE_OUTCOME_WARN};

const enum gate_measure gate_listing_measures[GATE_MEASURES] = {GATE_CHARGED, GATE_SELF, GATE_CUMULATIVE};

void gate_listing_frames(uint32_t *out, const struct gate_comparison *comparison) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < comparison->pair.frame_count; i++)
        if (comparison->frames[comparison->order[GATE_CHARGED][i]].evidence[GATE_CHARGED]->delta != 0.0)
            out[count++] = comparison->order[GATE_CHARGED][i];
    for (uint32_t i = 0; i < comparison->pair.frame_count; i++)
        if (comparison->frames[comparison->by_self[i]].evidence[GATE_CHARGED]->delta == 0.0)
            out[count++] = comparison->by_self[i];
}

const struct gate_finding *gate_listing_next(const struct gate_verdict *verdict, enum gate_outcome outcome,
                                             uint32_t *budget, uint32_t *at) {
    for (; *budget < verdict->budget_count; (*budget)++, *at = 0) {
        const struct gate_budget_result *result = &verdict->budgets[*budget];
        while (*at < result->finding_count) {
            const struct gate_finding *finding = &result->findings[(*at)++];
            if (finding->outcome == outcome)
                return finding;
        }
    }
    return NULL;
}

bool gate_listing_has(const struct gate_budget_result *result, uint32_t at) {
    if (gate_cause_includes(&result->findings[at]))
        return false;
    if (at < SHOWN_OF_A_BUDGET && gate_listing_is_over(&result->findings[at]))
        return true;
    return at == 0 && (result->outcome == GATE_OUTCOME_INCONCLUSIVE || result->outcome == GATE_OUTCOME_WARN);
}

bool gate_listing_leads(const struct gate_verdict *verdict, const struct gate_warning *warning) {
    return (verdict->outcome == GATE_OUTCOME_FAIL || verdict->outcome == GATE_OUTCOME_INCONCLUSIVE) &&
           gate_guard_is_setup(warning->guard) &&
           gate_guard_severity(verdict->rules, warning->guard) != GATE_SEVERITY_ERROR;
}

uint32_t gate_listing_left_out(const struct gate_verdict *verdict) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < verdict->budget_count; b++)
        for (uint32_t f = 0; f < verdict->budgets[b].finding_count; f++)
            count += verdict->budgets[b].findings[f].outcome >= GATE_OUTCOME_WARN &&
                     !gate_cause_includes(&verdict->budgets[b].findings[f]) &&
                     !gate_listing_has(&verdict->budgets[b], f);
    return count;
}

bool gate_listing_is_over(const struct gate_finding *finding) {
    bool is_uncounted = finding->reason == GATE_REASON_NOT_COMPARABLE && finding->limit != NULL;
    return finding->reason != GATE_REASON_TOO_FEW_SAMPLES && finding->reason != GATE_REASON_WITHIN && !is_uncounted;
}

bool gate_listing_is_blind(const struct gate_finding *finding) {
    return finding->outcome == GATE_OUTCOME_WARN && !gate_listing_is_over(finding);
}

const struct gate_frame *gate_listing_cause_frame(const struct gate_verdict *verdict, const struct gate_cause *cause) {
    if (cause->frame == GATE_NO_INDEX)
        return NULL;
    return &verdict->comparisons[cause->comparison].pair.frames[cause->frame];
}

const struct gate_frame *gate_listing_frame(const struct gate_verdict *verdict, const struct gate_budget_result *result,
                                            const struct gate_finding *finding) {
    if (finding->frame == GATE_NO_INDEX || result->comparison >= verdict->comparison_count)
        return NULL;
    return &verdict->comparisons[result->comparison].pair.frames[finding->frame];
}

/* ---- functions that are gone and new ----------------------------------------------------------------------------- */

enum { NAME_COLUMNS = 58, SHARE_COLUMNS = 9, NAMES_MOST = 12 }; /* NAME_COLUMNS includes the word before the name */

struct table {
    struct gate_buf *out;
    struct gate_arena *arena;
    const struct gate_replaced *group;
    const struct gate_pair *pair;
    const uint32_t *since; /* of a series, per group: the first point with the new names; else NULL */
    const struct gate_series_point *points;
};

/* Append a share, right-aligned. A negative share is a blank cell. */
static void put_cell(const struct table *t, double share) {
    struct gate_buf cell = {0};
    if (share >= 0.0)
        gate_figures_share(&cell, share);
    size_t columns = gate_str_columns(gate_buf_view(&cell));
    gate_buf_repeat(t->out, ' ', columns < SHARE_COLUMNS ? SHARE_COLUMNS - columns : 0);
    gate_buf_str(t->out, gate_buf_view(&cell));
    gate_buf_free_part(t->out, &cell);
}

/* Append one line: a word, a name, and the cost on either side. */
static void put_line(const struct table *t, const char *word, struct gate_str name, double before, double after) {
    size_t start = t->out->len;
    gate_buf_text(t->out, word);
    gate_escape_terminal(t->out, gate_shorten_name(t->arena, name, NAME_COLUMNS - strlen(word)));
    size_t columns = gate_str_columns(gate_str_slice(gate_buf_view(t->out), start, t->out->len));
    gate_buf_repeat(t->out, ' ', columns < NAME_COLUMNS ? NAME_COLUMNS - columns : 0);
    put_cell(t, before);
    put_cell(t, after);
    while (t->out->len > start && t->out->ptr[t->out->len - 1] == ' ')
        t->out->len--;
    gate_buf_char(t->out, '\n');
}

static void put_names(const struct table *t, uint32_t from, uint32_t count, int side) {
    for (uint32_t i = from; i < from + count && i < from + NAMES_MOST; i++) {
        const struct gate_replaced_name *name = &t->group->names[i];
        bool is_gone = side == GATE_BASELINE;
        put_line(t, is_gone ? "  gone  " : "  new   ", t->pair->frames[name->frame].name, is_gone ? name->share : -1.0,
                 is_gone ? -1.0 : name->share);
    }
    if (count > NAMES_MOST)
        gate_buf_printf(t->out, "  and %u more\n", (unsigned)(count - NAMES_MOST));
}

/* Append the build that first has a group's new names, unless it is the same as that of the group before. */
static void put_since(const struct table *t, uint32_t index) {
    if (t->since == NULL || (index > 0 && t->since[index] == t->since[index - 1]))
        return;
    gate_buf_text(t->out, "from ");
    gate_escape_terminal(t->out, t->points[t->since[index]].title);
    gate_buf_text(t->out, " on\n");
}

static void put_group(const struct table *t) {
    struct gate_str title =
        t->group->caller == GATE_NO_INDEX
            ? gate_str_from(t->since == NULL ? "under no function that both sides have"
                                             : "under no function that all builds have")
            : gate_str_format(t->arena, "in %.*s", GATE_STR_ARG(t->pair->frames[t->group->caller].name));
    t->out->failed |= title.ptr == NULL; /* the arena is full */
    put_line(t, "", title, t->group->share[GATE_BASELINE], t->group->share[GATE_CANARY]);
    put_names(t, 0, t->group->gone_count, GATE_BASELINE);
    put_names(t, t->group->gone_count, t->group->new_count, GATE_CANARY);
}

/* Append a name as a replacement in frames.rename. A dollar is doubled, because "$1" refers to a group. */
static void put_target(const struct table *t, struct gate_str name) {
    struct gate_buf doubled = {0};
    for (size_t i = 0; i < name.len; i++) {
        gate_buf_char(&doubled, name.ptr[i]);
        if (name.ptr[i] == '$')
            gate_buf_char(&doubled, '$');
    }
    gate_escape_yaml(t->out, gate_buf_view(&doubled));
    gate_buf_free_part(t->out, &doubled);
}

/* Return whether a name is neither the source nor the target of a rename. */
static bool has_no_rename(const struct gate_renames *renames, struct gate_str name) {
    bool has_one = !gate_str_equal(gate_renamed(renames, name), name);
    for (uint32_t i = 0; i < renames->count && !has_one; i++)
        has_one = gate_str_equal(renames->to[i], name);
    return !has_one;
}

/* Append the renames of all groups. `out` fails if the arena is full. */
static void put_renames(const struct table *t, const struct gate_renames *renames) {
    gate_buf_text(t->out, "\n"
                          "If they do the same work, this in the rules treats them as one function:\n"
                          "\n"
                          "frames:\n"
                          "  rename:\n");
    for (uint32_t i = 0; i < renames->count; i++) {
        gate_buf_text(t->out, "    - {match: ");
        gate_escape_yaml_pattern(t->out, renames->from[i]);
        gate_buf_text(t->out, ", to: '");
        put_target(t, renames->to[i]);
        gate_buf_text(t->out, "'}\n");
    }
}

/* Append the table of a list; nothing if the list is empty. */
static void put_table(struct table *t, const struct gate_replaced_list *list, const struct gate_comparison *comparisons,
                      const struct gate_renames *renames) {
    bool is_partial = false;
    for (uint32_t i = 0; i < list->count; i++) {
        t->group = &list->items[i];
        t->pair = &comparisons[t->group->comparison].pair;
        put_since(t, i);
        put_group(t);
        for (uint32_t k = 0; k < t->group->gone_count + t->group->new_count; k++)
            is_partial = is_partial || has_no_rename(renames, t->pair->frames[t->group->names[k].frame].name);
    }
    if (renames->count > 0)
        put_renames(t, renames);
    if (is_partial)
        gate_buf_printf(t->out,
                        "\n"
                        "The profiles do not show which of the %s belong together. A line such as\n"
                        "    - {match: '^new name$', to: 'gone name'}\n"
                        "beneath 'frames: rename:' in the rules joins two.\n",
                        renames->count > 0 ? "others" : "names");
}

void gate_replaced_table(struct gate_buf *out, const struct gate_verdict *verdict, struct gate_arena *arena) {
    struct table t = {.out = out, .arena = arena};
    struct gate_renames renames;
    if (verdict->replaced.count == 0)
        return;
    if (!gate_replaced_renames(&renames, &verdict->replaced, verdict->comparisons, arena)) {
        out->failed = true;
        return;
    }
    put_table(&t, &verdict->replaced, verdict->comparisons, &renames);
}

/* The fence is longer than those in names. If a name contains it, nothing is appended. */
void gate_replaced_markdown(struct gate_buf *out, struct gate_str table) {
    static const char fence[] = "``````````";
    if (gate_str_find(table, gate_str_from(fence), 0) != SIZE_MAX)
        return;
    gate_buf_printf(out, "\n<details><summary>Replaced names</summary>\n\n%stext\n", fence);
    gate_buf_str(out, table); /* printf cuts long texts, but the fence must begin a line */
    gate_buf_printf(out, "%s\n\n</details>\n", fence);
}

void gate_replaced_html(struct gate_buf *out, uint32_t level, struct gate_str table) {
    gate_buf_printf(out,
                    "<h%u id=\"replaced-title\">Replaced names, charged</h%u>\n"
                    "<pre class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"replaced-title\">",
                    (unsigned)level, (unsigned)level);
    gate_escape_xml(out, table);
    gate_buf_text(out, "</pre>\n");
}

/* Append the list of the gone or the new names of a group. */
static void json_names(struct gate_json *json, const char *key, const struct gate_replaced *group, uint32_t from,
                       uint32_t to, const struct gate_pair *pair, const struct gate_renames *renames) {
    gate_json_put_open(json, key, '[');
    for (uint32_t i = from; i < to; i++) {
        struct gate_str name = pair->frames[group->names[i].frame].name, renamed = gate_renamed(renames, name);
        gate_json_open_flat(json, '{');
        gate_json_put_string(json, "function", name);
        gate_json_put_number(json, "share", group->names[i].share);
        if (!gate_str_equal(renamed, name))
            gate_json_put_string(json, "rename_to", renamed);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

void gate_replaced_json(struct gate_json *json, const struct gate_replaced *group,
                        const struct gate_comparison *comparisons, const struct gate_renames *renames,
                        const char *const share_keys[GATE_SIDES]) {
    const struct gate_comparison *comparison = &comparisons[group->comparison];
    const struct gate_pair *pair = &comparison->pair;
    gate_json_put_string(json, "comparison", comparison->name);
    if (group->caller != GATE_NO_INDEX)
        gate_json_put_string(json, "caller", pair->frames[group->caller].name);
    gate_json_put_number(json, share_keys[GATE_BASELINE], group->share[GATE_BASELINE]);
    gate_json_put_number(json, share_keys[GATE_CANARY], group->share[GATE_CANARY]);
    json_names(json, "gone", group, 0, group->gone_count, pair, renames);
    json_names(json, "new", group, group->gone_count, group->gone_count + group->new_count, pair, renames);
}

/* ---- functions that replaced others in a series ------------------------------------------------------------------ */

/* Append the table of a series. Nothing if no names were replaced. */
static void put_series(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
    struct table t = {.out = out, .arena = verdict->arena, .since = verdict->replaced.since, .points = verdict->points};
    put_table(&t, &verdict->replaced.list, verdict->comparisons, &verdict->replaced.renames);
}

void gate_trend_replaced_text(struct gate_buf *out, const struct gate_trend_verdict *verdict, bool verbose) {
    if (verdict->replaced.list.count == 0 || (verdict->outcome == GATE_OUTCOME_PASS && !verbose))
        return;
    gate_buf_text(out, "\nReplaced names, charged\n");
    put_series(out, verdict);
}

void gate_trend_replaced_markdown(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
    struct gate_buf table = {0};
    put_series(&table, verdict);
    if (table.len > 0)
        gate_replaced_markdown(out, gate_buf_view(&table));
    gate_buf_free_part(out, &table);
}

void gate_trend_replaced_html(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
    struct gate_buf table = {0};
    put_series(&table, verdict);
    if (table.len > 0)
        gate_replaced_html(out, 2, gate_buf_view(&table));
    gate_buf_free_part(out, &table);
}

void gate_trend_replaced_json(struct gate_json *json, const struct gate_trend_verdict *verdict) {
    static const char *const keys[GATE_SIDES] = {"gone_share", "new_share"};
    const struct gate_trend_replaced *replaced = &verdict->replaced;
    if (replaced->list.count == 0)
        return;
    gate_json_put_open(json, "replaced", '[');
    for (uint32_t i = 0; i < replaced->list.count; i++) {
        gate_json_open(json, '{');
        gate_json_put_integer(json, "since", replaced->since[i]);
        gate_json_put_string(json, "title", verdict->points[replaced->since[i]].title);
        gate_replaced_json(json, &replaced->list.items[i], verdict->comparisons, &replaced->renames, keys);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}
