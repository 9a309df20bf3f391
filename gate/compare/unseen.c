/* SPDX-License-Identifier: Apache-2.0 */
/* What no budget can see (see unseen.h). */
#include "gate/compare/unseen.h"

#include "gate/base/table.h"
#include "gate/compare/walk.h"

#include <math.h>

/* budget/hypotheses.c tests no frame with fewer events on both sides together. */
static const double RARE_EVENTS = 20.0;
/* A name of one event, weights included. */
static const double ONE_EVENT = 1.5;
/* What good runs of one build differ by in what is charged, docs/statistics.md. */
static const double BETWEEN_RUNS = 0.0025;

/* How much of what is rare and new each run of the canary has to show. */
static const double LASTING = 1.0 / 3.0;

/* One measuring. */
struct measuring {
    struct gate_unseen *out;
    const struct gate_comparison *comparison;
    const struct gate_pair *pair;
    uint32_t *scratch; /* the frames of a stack */
    double *rare_in;   /* one of each run of the canary */
    struct gate_arena *arena;
    struct gate_error *err;
};

static double variance(double share, const struct gate_side *side, double events) {
    double runs = BETWEEN_RUNS / side->run_count;
    return events > 0.0 ? share * (1.0 - share) * (1.0 / events + runs) : INFINITY;
}

/* By how many standard errors the canary's share is above the baseline's. `scale`: events of the whole, in those of
 * what is compared; `sum`: variance that is known beside that of events of the mean size. */
static void excess(struct gate_unseen_share *of, const struct gate_pair *pair, const double scale[GATE_SIDES],
                   double sum) {
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_side *from = &pair->sides[side];
        sum += variance(fmin(of->share[side], 1.0), from, from->events * scale[side]);
    }
    double more = of->share[GATE_CANARY] - of->share[GATE_BASELINE];
    of->z = more <= 0.0 || sum <= 0.0 ? 0.0 : more / sqrt(sum);
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

static void measure_stacks(const struct measuring *m, int side) {
    const struct gate_side *from = &m->pair->sides[side];
    double stackless = 0.0, dropped = 0.0, valueless = 0.0, events = 0.0;
    for (uint32_t r = 0; r < from->run_count; r++) {
        const struct gate_run *run = &from->runs[r];
        for (uint32_t i = 0; i < run->stacks.count; i++) {
            const struct gate_stack stack = gate_stacks_at(&run->stacks, i);
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
    m->out->kinds[GATE_UNSEEN_STACKLESS].share[side] = total > 0.0 ? stackless / total : 0.0;
    m->out->kinds[GATE_UNSEEN_DROPPED].share[side] = total > 0.0 ? dropped / total : 0.0;
    m->out->kinds[GATE_UNSEEN_VALUELESS].share[side] = valueless > 0.0 ? valueless / (events + valueless) : 0.0;
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

/* Samples of a run, beside the filter. */
struct label_walk {
    const struct measuring *m;
    const struct gate_run *run;
    struct gate_table *known; /* values of the baseline, as "key=value" would be: of one key after the other */
    double all, lost, passed;
};

/* The value of a label of a sample as text; false: it has none, or a number. */
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

/* Whether a sample has no label of the filter, or one with a value that the baseline does not know. */
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
    for (uint32_t pass = 0; pass <= GATE_SIDES; pass++) { /* the baseline's values first */
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

/* Shares that are charged to names, by what is known of them. */
struct names {
    double fresh[GATE_SIDES], rare[GATE_SIDES]; /* of this side alone */
    double squares[GATE_SIDES];                 /* of the rare ones: the variance of their sum, by their own events */
    double *rare_in;                            /* of each run of the canary, the share of rare names */
    double missed;                              /* what of the baseline's rare names the canary is to miss by chance */
    double once;                                /* names of one event in the baseline */
    double nameless[GATE_SIDES];
    double lost;
};

/* What a frame is charged on one side: its share, the variance of that, and how many events it is worth. */
struct charged {
    double share, square, events;
};

static struct charged charged_of(const struct measuring *m, uint32_t frame, int side) {
    const struct gate_delta_list *deltas = &m->comparison->deltas;
    const struct gate_side *sides = m->pair->sides;
    uint32_t first = side == GATE_BASELINE ? 0 : sides[GATE_BASELINE].run_count;
    double value = (double)deltas->items[frame].value[GATE_CHARGED][side], total = (double)sides[side].total, sum = 0.0;
    for (uint32_t r = first; r < first + sides[side].run_count; r++)
        sum += gate_tally_at(deltas, GATE_CHARGED, r, frame)->weight_sq;
    return (struct charged){.share = total > 0.0 ? value / total : 0.0,
                            .square = total > 0.0 ? sum / (total * total) : 0.0,
                            .events = sum > 0.0 ? value * value / sum : 0.0};
}

/* The canary's part of a rare name, run by run. */
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
        return; /* nothing is charged to it, and nothing is added */
    if (!pair->frames[index].is_symbolised && pair->granularity != GATE_BY_MAPPING) {
        for (int side = 0; side < GATE_SIDES; side++)
            names->nameless[side] += of[side].share;
        return;
    }
    if (of[GATE_BASELINE].events < ONE_EVENT)
        names->once += of[GATE_BASELINE].share;
    if (of[GATE_BASELINE].events < RARE_EVENTS && of[GATE_BASELINE].share != 0.0)
        names->missed += of[GATE_BASELINE].share * exp(-of[GATE_BASELINE].share * pair->sides[GATE_CANARY].events);
    for (int side = 0; side < GATE_SIDES; side++) {
        bool is_fresh = of[1 - side].share <= 0.0;
        bool is_rare = is_fresh && of[side].events < RARE_EVENTS;
        names->fresh[side] += is_fresh && of[side].share < GATE_UNSEEN_FRESH_MOST ? of[side].share : 0.0;
        names->rare[side] += is_rare ? of[side].share : 0.0;
        names->squares[side] += is_rare ? of[side].square : 0.0;
        if (is_rare && side == GATE_CANARY)
            add_runs(names, m, index);
    }
    /* In the canary's own terms: what it would have cost there, had it cost what it did. */
    double before = gate_share(m->comparison->deltas.items[index].value[GATE_CHARGED][GATE_BASELINE],
                               pair->sides[GATE_CANARY].total) *
                    m->comparison->work_ratio;
    names->lost += fmax(0.0, before - of[GATE_CANARY].share);
}

/* Returns the variance of the share of rare names, by the weights of their own events; infinite where not every run of
 * the canary has them. */
static double measure_names(const struct measuring *m) {
    struct names names = {.rare_in = m->rare_in};
    struct gate_unseen *out = m->out;
    for (uint32_t i = 0; i < m->pair->frame_count; i++)
        measure_frame(&names, m, i);
    out->lost = names.lost;
    for (int side = 0; side < GATE_SIDES; side++) {
        out->kinds[GATE_UNSEEN_NAMELESS].share[side] = names.nameless[side];
        out->kinds[GATE_UNSEEN_RARE].share[side] = names.rare[side];
        out->fresh.share[side] = names.fresh[side];
    }
    double *expected = &out->kinds[GATE_UNSEEN_RARE].share[GATE_BASELINE];
    *expected = names.once + fmax(0.0, *expected - names.missed);
    /* What a change brings is in every run; what one run met by chance is not. */
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
    double squares = measure_names(&m);
    for (int kind = 0; kind < GATE_UNSEEN_KINDS; kind++)
        excess(&out->kinds[kind], m.pair, whole, kind == GATE_UNSEEN_RARE ? squares : 0.0);
    excess(&out->fresh, m.pair, whole, 0.0);
    return measure_labels(&m);
}
