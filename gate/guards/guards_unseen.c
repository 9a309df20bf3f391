/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/guards/guards_unseen.h"

#include "gate/base/buf.h"
#include "gate/base/figures.h"
#include "gate/base/table.h"
#include "gate/compare/comparison.h"
#include "gate/compare/walk.h"
#include "gate/guards/guard_check.h"
#include "gate/guards/guards_frames.h"
#include "gate/names/own_code.h"

#include <math.h>

/* ---- cost that no budget sees ------------------------------------------------------------------------------------ */

/** Names with a larger share on one side only are not counted here, because budgets can judge them. */
#define GATE_UNSEEN_FRESH_MOST 0.05

/* A name with fewer effective events than this counts as a name with one event. It is above 1 because of weights. */
static const double ONE_EVENT = 1.5;

/* Minimum part of the new cost under rare names that each canary run must have. */
static const double LASTING = 1.0 / 3.0;

/* State of one measurement. */
struct measuring {
    struct gate_unseen *out;
    const struct gate_comparison *comparison;
    const struct gate_pair *pair;
    uint32_t *scratch; /* room for the frames of a stack */
    double *rare_in;   /* one per run of the canary */
    struct gate_arena *arena;
    struct gate_error *err;
};

static double variance(double share, const struct gate_side *side, double events) {
    double runs = GATE_ASSUMED_RHO_CHARGED / side->run_count;
    return events > 0.0 ? share * (1.0 - share) * (1.0 / events + runs) : INFINITY;
}

/* Set `of->z` to the number of standard errors by which the canary's share exceeds the baseline's. `scale` is the
 * number of all events divided by those compared. `sum` is additional variance. */
static void excess(struct gate_unseen_share *of, const struct gate_pair *pair, const double scale[GATE_SIDES],
                   double sum) {
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_side *from = &pair->sides[side];
        sum += variance(fmin(of->share[side], 1.0), from, from->events * scale[side]);
    }
    double more = of->share[GATE_CANARY] - of->share[GATE_BASELINE];
    of->z = more <= 0.0 || sum <= 0.0 ? 0.0 : more / sqrt(sum);
}

static double part_of(double part, double whole) {
    return whole > 0.0 ? part / whole : 0.0;
}

/* ---- callers that are lost --------------------------------------------------------------------------------------- */

/* Return whether a function of the C library begins a thread: _start, __libc_start_call_main, clone3, start_thread. */
static bool begins_thread(const struct gate_frame *frame) {
    return frame->is_symbolised && (gate_str_find(frame->name, GATE_STR("start"), 0) != SIZE_MAX ||
                                    gate_str_find(frame->name, GATE_STR("clone"), 0) != SIZE_MAX);
}

/* Return whether a stack has lost its callers. From the leaf on, it has only frames of system libraries and addresses
 * outside of all files, and it does not end where a thread begins. The leaf may also be in the kernel. This happens
 * below functions that use the frame pointer's register for something else, such as malloc of glibc. Sets `library` to
 * the first frame outside of the kernel. */
static bool has_lost_callers(uint32_t *library, const struct gate_pair *pair, const uint32_t *frames, uint32_t count) {
    uint32_t first = 0;
    while (first < count && gate_str_starts(pair->frames[frames[first]].mapping, GATE_STR("[kernel")))
        first++;
    if (first == count || !gate_is_system_library(pair->frames[frames[first]].mapping) ||
        begins_thread(&pair->frames[frames[count - 1]]))
        return false;
    *library = frames[first];
    for (uint32_t i = first; i < count; i++) {
        const struct gate_frame *frame = &pair->frames[frames[i]];
        bool is_lost = !frame->is_symbolised && frame->mapping.len == 0;
        if (frame->is_own || !(is_lost || gate_is_system_library(frame->mapping)))
            return false;
    }
    return true;
}

/* Measure the cost whose callers are lost, and the library with most of it. Only for native programs: in others, an
 * address outside of all files is in code that was compiled at run time. */
static bool measure_callers(const struct measuring *m) {
    const struct gate_pair *pair = m->pair;
    if ((pair->language != GATE_LANGUAGE_NATIVE && pair->language != GATE_LANGUAGE_RUST) ||
        pair->granularity == GATE_BY_MAPPING)
        return true;
    double *cost = gate_arena_calloc(m->arena, (size_t)pair->frame_count + 1, sizeof *cost), most = 0.0;
    if (cost == NULL)
        return gate_arena_error(m->arena, m->err);
    for (int side = 0; side < GATE_SIDES; side++) {
        double sum = 0.0;
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++) {
            const struct gate_run *run = &pair->sides[side].runs[r];
            struct gate_stacks_walk walk = gate_stacks_begin(&run->stacks);
            struct gate_stack stack;
            while (gate_stacks_next(&stack, &walk)) {
                uint32_t library, count = gate_walk_frames(run, &stack, m->scratch);
                if (!has_lost_callers(&library, pair, m->scratch, count))
                    continue;
                double value = (double)stack.value * (double)run->unit_ratio;
                sum += value;
                cost[library] += value;
            }
        }
        m->out->kinds[GATE_UNSEEN_LOST_CALLERS].share[side] = part_of(sum, (double)pair->sides[side].total);
    }
    for (uint32_t i = 0; i < pair->frame_count; i++)
        if (cost[i] > most) {
            most = cost[i];
            m->out->library = gate_str_basename(pair->frames[i].mapping);
        }
    return true;
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

static void measure_stacks(const struct measuring *m, int side) {
    const struct gate_side *from = &m->pair->sides[side];
    double stackless = 0.0, dropped = 0.0, valueless = 0.0, events = 0.0;
    for (uint32_t r = 0; r < from->run_count; r++) {
        const struct gate_run *run = &from->runs[r];
        struct gate_stacks_walk walk = gate_stacks_begin(&run->stacks);
        struct gate_stack stack;
        while (gate_stacks_next(&stack, &walk)) {
            double value = (double)stack.value * (double)run->unit_ratio;
            if (stack.ref.len == 0)
                stackless += value;
            else if (gate_walk_is_pruned(run, stack.ref, m->scratch))
                dropped += value;
        }
        valueless += run->stacks.valueless;
        events += run->stacks.events;
    }
    double total = (double)from->total;
    m->out->kinds[GATE_UNSEEN_STACKLESS].share[side] = part_of(stackless, total);
    m->out->kinds[GATE_UNSEEN_DROPPED].share[side] = part_of(dropped, total);
    m->out->kinds[GATE_UNSEEN_VALUELESS].share[side] = part_of(valueless, events + valueless);
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

/* A walk over all samples of a run, including those that the filter leaves out. */
struct label_walk {
    const struct measuring *m;
    const struct gate_run *run;
    struct gate_table *known; /* per filter key: the label values of the baseline */
    double all, lost, passed;
};

/* Find the value of a label as text; `ptr` is NULL for a number. Returns false if the sample has no such label. */
static bool label_of(struct gate_str *text, const struct gate_sample_cursor *cursor, struct gate_str key) {
    struct gate_label_walk walk = gate_labels_of(cursor);
    struct gate_label label;
    while (gate_labels_next(&walk, &label))
        if (gate_str_equal(label.key, key)) {
            *text = label.text;
            return true;
        }
    return false;
}

static bool is_own(const struct label_walk *walk, struct gate_stack_ref ref) {
    const struct gate_stack stack = {.ref = ref};
    const struct gate_pair *pair = walk->m->pair;
    uint32_t count = gate_walk_frames(walk->run, &stack, walk->m->scratch);
    return count > 0 && pair->frames[walk->m->scratch[gate_delta_charged(pair, walk->m->scratch, count)]].is_own;
}

/* Return whether a sample lacks a label of the filter, or has a value that the baseline does not have. */
static bool is_lost(const struct label_walk *walk, const struct gate_sample_cursor *cursor) {
    const struct gate_label_filter *where = &walk->m->pair->where;
    for (uint32_t i = 0; i < where->count; i++) {
        struct gate_str text = {NULL, 0};
        if (!label_of(&text, cursor, where->items[i].key))
            return true;
        if (text.ptr != NULL && gate_table_find(&walk->known[i], text) == GATE_TABLE_NONE)
            return true;
    }
    return false;
}

static bool learn(const struct label_walk *walk, const struct gate_sample_cursor *cursor) {
    const struct gate_label_filter *where = &walk->m->pair->where;
    for (uint32_t i = 0; i < where->count; i++) {
        struct gate_str text = {NULL, 0};
        if (label_of(&text, cursor, where->items[i].key) && text.ptr != NULL &&
            gate_table_intern(&walk->known[i], text) == GATE_TABLE_NONE)
            return gate_arena_error(walk->m->arena, walk->m->err);
    }
    return true;
}

static bool walk_labels(struct label_walk *walk, bool is_learning) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    bool ok = true;
    gate_sample_begin(&cursor, walk->run->input.profile);
    while (ok && gate_sample_next(&cursor, &sample, walk->m->err)) {
        double value = (double)sample.values[walk->run->counts.value_column] * (double)walk->run->unit_ratio;
        if (is_learning) {
            ok = learn(walk, &cursor);
            continue;
        }
        walk->all += value;
        if (gate_where_passes(&walk->m->pair->where, &cursor, &sample))
            walk->passed += value;
        else if (is_lost(walk, &cursor) && is_own(walk, sample.stack))
            walk->lost += value;
    }
    gate_sample_end(&cursor);
    return ok && walk->m->err->code == GATE_OK;
}

static bool measure_labels(const struct measuring *m) {
    uint32_t keys = m->pair->where.count;
    struct gate_unseen_share *out = &m->out->kinds[GATE_UNSEEN_UNLABELLED];
    double scale[GATE_SIDES] = {1.0, 1.0};
    if (keys == 0)
        return true;
    struct gate_table *known = GATE_NEW_ARRAY(m->arena, struct gate_table, keys);
    if (known == NULL)
        return gate_arena_error(m->arena, m->err);
    for (uint32_t i = 0; i < keys; i++)
        gate_table_init(&known[i], m->arena);
    for (uint32_t pass = 0; pass <= GATE_SIDES; pass++) { /* pass 0 collects the baseline's values */
        const struct gate_side *from = &m->pair->sides[pass == 0 ? GATE_BASELINE : pass - 1];
        struct label_walk walk = {.m = m, .known = known};
        for (uint32_t r = 0; r < from->run_count; r++) {
            walk.run = &from->runs[r];
            if (!walk_labels(&walk, pass == 0))
                return false;
        }
        if (pass == 0 || walk.all <= 0.0 || walk.passed <= 0.0)
            continue;
        out->share[pass - 1] = walk.lost / walk.all;
        scale[pass - 1] = walk.all / walk.passed;
    }
    excess(out, m->pair, scale, 0.0);
    return true;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Charged shares, by kind of name. */
struct names {
    double fresh[GATE_SIDES], rare[GATE_SIDES]; /* share of names that only this side has */
    double squares[GATE_SIDES]; /* sum of the squared weights of the rare ones: variance of their share */
    double *rare_in;            /* per canary run: share of rare names */
    double missed;              /* expected share of the baseline's rare names that the canary misses by chance */
    double once;                /* share of the baseline in names with one event */
    double nameless[GATE_SIDES];
    double lost;
};

/* The cost charged to a frame on one side, without the cost of frames that are folded into it: its share, the variance
 * of that, and effective events. */
struct charged {
    double share, square, events;
};

static struct charged charged_of(const struct measuring *m, uint32_t frame, int side) {
    const struct gate_delta_list *deltas = &m->comparison->deltas;
    const struct gate_side *sides = m->pair->sides;
    uint32_t first = side == GATE_BASELINE ? 0 : sides[GATE_BASELINE].run_count;
    const struct gate_delta *delta = &deltas->items[frame];
    double value = (double)gate_delta_unfolded(delta, side), total = (double)sides[side].total, sum = 0.0;
    for (uint32_t r = first; r < first + sides[side].run_count; r++)
        sum += gate_tally_at(deltas, GATE_CHARGED, r, frame)->weight_sq;
    sum *= gate_share(gate_delta_unfolded(delta, side), delta->value[GATE_CHARGED][side]);
    return (struct charged){
        .share = part_of(value, total), .square = part_of(sum, total * total), .events = part_of(value * value, sum)};
}

/* Add the canary's share of a rare name, run by run. */
static void add_runs(const struct names *names, const struct measuring *m, uint32_t frame) {
    const struct gate_side *sides = m->pair->sides;
    for (uint32_t r = 0; r < sides[GATE_CANARY].run_count; r++)
        names->rare_in[r] += gate_share(
            gate_tally_at(&m->comparison->deltas, GATE_CHARGED, sides[GATE_BASELINE].run_count + r, frame)->value,
            sides[GATE_CANARY].runs[r].total);
}

static void measure_frame(struct names *names, const struct measuring *m, uint32_t index) {
    const struct gate_pair *pair = m->pair;
    const struct charged of[GATE_SIDES] = {charged_of(m, index, GATE_BASELINE), charged_of(m, index, GATE_CANARY)};
    if (of[GATE_BASELINE].square == 0.0 && of[GATE_CANARY].square == 0.0 && of[GATE_BASELINE].share == 0.0 &&
        of[GATE_CANARY].share == 0.0)
        return; /* nothing is charged to it */
    if (!pair->frames[index].is_symbolised && pair->granularity != GATE_BY_MAPPING) {
        for (int side = 0; side < GATE_SIDES; side++)
            names->nameless[side] += of[side].share;
        return;
    }
    bool is_folded = pair->frames[index].is_folded; /* budgets judge its cost in its caller */
    if (of[GATE_BASELINE].events < ONE_EVENT && !is_folded)
        names->once += of[GATE_BASELINE].share;
    if (of[GATE_BASELINE].events < GATE_MIN_COUNTS && of[GATE_BASELINE].share != 0.0 && !is_folded)
        names->missed += of[GATE_BASELINE].share * exp(-of[GATE_BASELINE].share * pair->sides[GATE_CANARY].events);
    for (int side = 0; side < GATE_SIDES; side++) {
        bool is_fresh = of[1 - side].share <= 0.0;
        bool is_rare = is_fresh && !is_folded && of[side].events < GATE_MIN_COUNTS;
        names->fresh[side] += is_fresh && !is_folded && of[side].share < GATE_UNSEEN_FRESH_MOST ? of[side].share : 0.0;
        names->rare[side] += is_rare ? of[side].share : 0.0;
        names->squares[side] += is_rare ? of[side].square : 0.0;
        if (is_rare && side == GATE_CANARY)
            add_runs(names, m, index);
    }
    /* The share in the canary if the cost per unit of work had not changed. */
    double before = gate_share(gate_delta_unfolded(&m->comparison->deltas.items[index], GATE_BASELINE),
                               pair->sides[GATE_CANARY].total) *
                    m->comparison->work_ratio;
    names->lost += fmax(0.0, before - of[GATE_CANARY].share);
}

/* Return the variance of the share of rare names, from the weights of their events; INFINITY if some canary run does
 * not show them. */
static double measure_names(const struct measuring *m) {
    struct names names = {.rare_in = m->rare_in};
    struct gate_unseen *out = m->out;
    for (uint32_t i = 0; i < m->pair->frame_count; i++)
        measure_frame(&names, m, i);
    out->lost = names.lost;
    for (int side = 0; side < GATE_SIDES; side++) {
        double lost = out->kinds[GATE_UNSEEN_LOST_CALLERS].share[side];
        out->kinds[GATE_UNSEEN_NAMELESS].share[side] = fmax(0.0, names.nameless[side] - lost);
        out->kinds[GATE_UNSEEN_RARE].share[side] = names.rare[side];
        out->fresh.share[side] = names.fresh[side];
    }
    double *expected = &out->kinds[GATE_UNSEEN_RARE].share[GATE_BASELINE];
    *expected = names.once + fmax(0.0, *expected - names.missed);
    /* Changed code has cost in every run; a rare name in only one run is chance. */
    double least = INFINITY, share = names.rare[GATE_CANARY];
    for (uint32_t r = 0; r < m->pair->sides[GATE_CANARY].run_count; r++)
        least = fmin(least, names.rare_in[r]);
    bool is_lasting = least - *expected >= LASTING * (share - *expected);
    return is_lasting ? names.squares[GATE_BASELINE] + names.squares[GATE_CANARY] : INFINITY;
}

bool gate_unseen_measure(struct gate_unseen *out, const struct gate_comparison *comparison, struct gate_arena *arena,
                         struct gate_error *err) {
    static const double whole[GATE_SIDES] = {1.0, 1.0};
    struct measuring m = {.out = out, .comparison = comparison, .pair = &comparison->pair, .arena = arena, .err = err};
    *out = (struct gate_unseen){.lost = 0.0};
    m.scratch = GATE_NEW_ARRAY(arena, uint32_t, m.pair->max_frames + 1u);
    m.rare_in = GATE_NEW_ARRAY(arena, double, m.pair->sides[GATE_CANARY].run_count);
    if (m.scratch == NULL || m.rare_in == NULL)
        return gate_arena_error(arena, err);
    for (int side = 0; side < GATE_SIDES; side++)
        measure_stacks(&m, side);
    if (!measure_callers(&m))
        return false;
    double squares = measure_names(&m);
    for (int kind = 0; kind < GATE_UNSEEN_KINDS; kind++)
        excess(&out->kinds[kind], m.pair, whole, kind == GATE_UNSEEN_RARE ? squares : 0.0);
    excess(&out->fresh, m.pair, whole, 0.0);
    return measure_labels(&m);
}

/* ---- guards ------------------------------------------------------------------------------------------------------ */

/* One-sided 1%: a smaller excess is not reported. */
static const double SIGNIFICANT = 2.33;

/* Per kind: the text after its share in a message, and the advice. */
static const struct {
    const char *is, *advice;
} kinds[GATE_UNSEEN_KINDS] = {
    [GATE_UNSEEN_STACKLESS] = {"is samples with no stack", "find out why the profiler loses stacks"},
    [GATE_UNSEEN_VALUELESS] = {"of the events have no value of this type", "take the profile with one profiler"},
    [GATE_UNSEEN_NAMELESS] = {"is charged to code without a function name",
                              "profile a build with symbols, and with frame pointers if stacks end in [unknown]"},
    [GATE_UNSEEN_LOST_CALLERS] = {"has lost its callers",
                                  "its functions use the frame pointer's register: record with 'perf record "
                                  "--call-graph dwarf', or with an allocator and C library that keep frame pointers"},
    [GATE_UNSEEN_DROPPED] = {"is in stacks that the profile's drop_frames cuts", "profile without drop_frames"},
    [GATE_UNSEEN_UNLABELLED] = {"is own code without the label compared, or with a value new to it",
                                "set labels as the baseline does"},
    [GATE_UNSEEN_RARE] = {"is under names that only the canary has, each too rare to be tested",
                          "rename what is generated under 'frames.rename'"},
};

/* Factor on the limit for cost whose callers are lost. The presets let library code without an own caller grow by twice
 * as much as an own function ("no outside code takes over"), and such cost is of that kind. */
static const double LOST_CALLERS_LIMITS = 2.0;

/* Return whether the growth of cost whose callers are lost is over the limit, per unit of known or estimated work, as a
 * share of the baseline's total. If the work is known, a budget judges the total, so this cost may grow by more than
 * other kinds. */
static bool matters_without_callers(const struct gate_unseen_share *of, const struct gate_comparison *comparison,
                                    double limit) {
    const struct gate_side *sides = comparison->pair.sides;
    if (!comparison->work_is_known && !comparison->work_is_estimated)
        return true;
    double total = (double)sides[GATE_CANARY].total / (double)sides[GATE_BASELINE].total / comparison->work_ratio;
    double limits = comparison->work_is_known ? LOST_CALLERS_LIMITS : 1.0;
    return of->share[GATE_CANARY] * total - of->share[GATE_BASELINE] > limits * limit;
}

/* Append "11.0% is charged to code without a function name (baseline: 3.2%)". */
static void put_kind(struct gate_buf *out, const struct gate_unseen *unseen, int kind) {
    const struct gate_unseen_share *of = &unseen->kinds[kind];
    gate_buf_printf(out, "%s%s ", out->len > 0 ? ", " : "", gate_figures_share_text(of->share[GATE_CANARY]).text);
    if (kind == GATE_UNSEEN_LOST_CALLERS) {
        gate_buf_text(out, "ends in system libraries (most in ");
        gate_buf_str(out, unseen->library);
        gate_buf_text(out, ") and ");
    }
    gate_buf_printf(out, "%s (baseline: %s)", kinds[kind].is, gate_figures_share_text(of->share[GATE_BASELINE]).text);
}

/* Measure once for both guards; labels take three walks over all samples. NULL: an error. */
static const struct gate_unseen *measured(struct gate_guard_check *check) {
    if (check->unseen != NULL)
        return check->unseen;
    struct gate_unseen *unseen = GATE_NEW_ARRAY(check->arena, struct gate_unseen, 1);
    if (unseen == NULL) {
        (void)gate_arena_error(check->arena, check->err);
        return NULL;
    }
    check->unseen = gate_unseen_measure(unseen, check->comparison, check->arena, check->err) ? unseen : NULL;
    return check->unseen;
}

bool gate_guards_unseen_hidden(struct gate_guard_check *check, double limit) {
    double sum = 0.0, largest = 0.0;
    int worst = 0;
    if (check->comparison->same_input)
        return true;
    const struct gate_unseen *unseen = measured(check);
    if (unseen == NULL)
        return false;
    struct gate_buf text = {0};
    for (int kind = 0; kind < GATE_UNSEEN_KINDS; kind++) {
        const struct gate_unseen_share *of = &unseen->kinds[kind];
        double more = of->share[GATE_CANARY] - of->share[GATE_BASELINE];
        bool is_known = kind == GATE_UNSEEN_NAMELESS && gate_guards_names_are_missing(check->comparison, check->rules);
        bool is_small = kind == GATE_UNSEEN_LOST_CALLERS && !matters_without_callers(of, check->comparison, limit);
        if (of->z < SIGNIFICANT || is_known || is_small)
            continue;
        put_kind(&text, unseen, kind);
        sum += more;
        worst = more > largest ? kind : worst;
        largest = fmax(largest, more);
    }
    bool ok = gate_buf_check(&text, check->err);
    if (ok && sum > limit)
        ok = gate_guard_check_warn(check, GATE_GUARD_UNSEEN,
                                   "%.*s: no budget covers %s more of the canary than of the baseline (over %.3g%%): "
                                   "%.*s; %s, or raise this guard's limit",
                                   GATE_STR_ARG(check->comparison->name), gate_figures_share_text(sum).text,
                                   limit * 100, GATE_STR_ARG(gate_buf_view(&text)), kinds[worst].advice);
    gate_buf_free(&text);
    return ok;
}

/* Return the canary's charged share of a name that the baseline lacks, as in gate_unseen_measure; else 0. */
static double fresh_share(const struct gate_comparison *comparison, uint32_t frame) {
    const struct gate_pair *pair = &comparison->pair;
    const int64_t *value = comparison->deltas.items[frame].value[GATE_CHARGED];
    double share = gate_share(value[GATE_CANARY], pair->sides[GATE_CANARY].total);
    bool has_name = pair->frames[frame].is_symbolised || pair->granularity == GATE_BY_MAPPING;
    bool is_left = has_name && !pair->frames[frame].is_folded && frame != pair->one_sided;
    return is_left && value[GATE_BASELINE] <= 0 && share < GATE_UNSEEN_FRESH_MOST ? share : 0.0;
}

/* Append "main.a 4.1%, main.b 3.9%, main.c 2% and 17 more": the new functions with the highest cost. */
static void fresh_names(struct gate_buf *out, const struct gate_comparison *comparison) {
    enum { NAMED = 3 };
    uint32_t top[NAMED] = {0}, count = 0;
    for (uint32_t i = 0; i < comparison->pair.frame_count; i++) {
        double share = fresh_share(comparison, i);
        if (!(share > 0.0))
            continue;
        uint32_t at = count < NAMED ? count : NAMED;
        count++;
        for (; at > 0 && share > fresh_share(comparison, top[at - 1]); at--)
            if (at < NAMED)
                top[at] = top[at - 1];
        if (at < NAMED)
            top[at] = i;
    }
    for (uint32_t i = 0; i < count && i < NAMED; i++) {
        gate_buf_text(out, i == 0 ? "" : ", ");
        gate_buf_str(out, comparison->pair.frames[top[i]].name);
        gate_buf_printf(out, " %s", gate_figures_share_text(fresh_share(comparison, top[i])).text);
    }
    if (count > NAMED)
        gate_buf_printf(out, " and %u more", (unsigned)(count - NAMED));
}

bool gate_guards_unseen_new_names(struct gate_guard_check *check, double limit) {
    if (check->comparison->same_input)
        return true;
    const struct gate_unseen *unseen = measured(check);
    if (unseen == NULL)
        return false;
    double net = unseen->fresh.share[GATE_CANARY] - unseen->lost;
    if (net <= limit || unseen->fresh.z < SIGNIFICANT)
        return true;
    struct gate_buf names = {0};
    fresh_names(&names, check->comparison);
    bool ok = gate_buf_check(&names, check->err) &&
              gate_guard_check_warn(
                  check, GATE_GUARD_NEW_NAMES,
                  "%.*s: functions that only the canary has cost %s together (%.*s), of which at most %s replaces "
                  "other functions (over %.3g%%): each may be within its budget although their sum is large; look at "
                  "them with 'pprofgate diff', and if they are intended, raise this guard's limit",
                  GATE_STR_ARG(check->comparison->name), gate_figures_share_text(unseen->fresh.share[GATE_CANARY]).text,
                  GATE_STR_ARG(gate_buf_view(&names)),
                  gate_figures_share_text(fmin(unseen->lost, unseen->fresh.share[GATE_CANARY])).text, limit * 100);
    gate_buf_free(&names);
    return ok;
}
