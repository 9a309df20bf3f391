/* SPDX-License-Identifier: Apache-2.0 */
/* Accepted work (see accepted_work.h). */
#include "gate/cli/accepted_work.h"

#include "gate/cli/work_option.h"

#include <stdlib.h>

/* The runs of a side, and where what is told of them goes. */
struct telling {
    const struct gate_record_run **runs;
    uint32_t count;
    enum gate_side_name side;
    struct gate_arena *arena;
    struct gate_error *err;
};

static double number_of(const struct gate_record_run *run, struct gate_str key, struct gate_str value) {
    for (uint32_t i = 0; i < run->by_count; i++)
        if (gate_str_equal(run->by[i].key, key) && gate_str_equal(run->by[i].value, value))
            return run->by[i].number;
    return 0;
}

/* All that a run did: as told, else the sum over a label. */
static double total_of(const struct gate_record_run *run) {
    double sum = 0;
    for (uint32_t i = 0; i < run->by_count; i++)
        sum += run->by[i].number;
    return run->work > 0 ? run->work : sum;
}

/* One number a run: of all, or of a label's value. */
static bool add(struct gate_work *work, const struct telling *telling, struct gate_str key, struct gate_str value) {
    double *numbers = GATE_NEW_ARRAY(telling->arena, double, (size_t)telling->count + 1);
    if (numbers == NULL)
        return gate_arena_error(telling->arena, telling->err);
    for (uint32_t i = 0; i < telling->count; i++)
        numbers[i] = key.len == 0 ? total_of(telling->runs[i]) : number_of(telling->runs[i], key, value);
    const struct gate_work_count count = {telling->side, key, value, numbers, telling->count};
    return gate_work_add(work, &count, telling->arena, telling->err);
}

static bool has_labels(const struct telling *telling) {
    for (uint32_t i = 0; i < telling->count; i++)
        if (telling->runs[i]->by_count == 0)
            return false;
    return telling->count > 0;
}

/* What each of the runs tells: where one of them lacks it, nothing. */
static bool tell_side(struct gate_work *work, const struct telling *telling, bool by_label) {
    bool has_total = telling->count > 0;
    for (uint32_t i = 0; i < telling->count; i++)
        has_total = has_total && total_of(telling->runs[i]) > 0;
    if (has_total && !add(work, telling, GATE_STR(""), GATE_STR("")))
        return false;
    for (uint32_t i = 0; by_label && i < telling->count; i++)
        for (uint32_t b = 0; b < telling->runs[i]->by_count; b++)
            if (!add(work, telling, telling->runs[i]->by[b].key, telling->runs[i]->by[b].value))
                return false;
    return true;
}

static bool has_side(const struct gate_work *work, enum gate_side_name side, bool by_label) {
    for (uint32_t i = 0; i < work->count; i++)
        if (work->items[i].side == side && (!by_label || work->items[i].key.len > 0))
            return true;
    return false;
}

/* As an earlier CI step left it, where no option tells it. */
static bool tell_environment(struct gate_work *work, struct gate_arena *arena, struct gate_error *err) {
    static const char name[] = "PPROFGATE_WORK_CANARY";
    const char *value = getenv(name);
    if (work->count > 0 || value == NULL || value[0] == '\0')
        return true;
    return gate_work_option_text(work, GATE_CANARY, name, value, arena, err);
}

/* What was accepted twice is compared once. */
static bool has_run(const struct telling *telling, struct gate_str object) {
    for (uint32_t i = 0; i < telling->count; i++)
        if (gate_str_equal(telling->runs[i]->object, object))
            return true;
    return false;
}

static bool collect(struct telling *telling, const struct gate_match *match, struct gate_str kind) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < match->count; i++)
        count += match->records[i]->run_count;
    telling->runs = gate_arena_calloc(telling->arena, (size_t)count + 1, sizeof *telling->runs);
    if (telling->runs == NULL)
        return gate_arena_error(telling->arena, telling->err);
    for (uint32_t i = 0; i < match->count; i++)
        for (uint32_t r = 0; r < match->records[i]->run_count; r++)
            if (gate_str_equal(match->records[i]->runs[r].kind, kind) &&
                !has_run(telling, match->records[i]->runs[r].object))
                telling->runs[telling->count++] = &match->records[i]->runs[r];
    return true;
}

static bool collect_canary(struct telling *telling, const struct gate_record_run *canary, uint32_t count,
                           struct gate_str kind) {
    telling->runs = gate_arena_calloc(telling->arena, (size_t)count + 1, sizeof *telling->runs);
    if (telling->runs == NULL)
        return gate_arena_error(telling->arena, telling->err);
    for (uint32_t i = 0; i < count; i++)
        if (gate_str_equal(canary[i].kind, kind))
            telling->runs[telling->count++] = &canary[i];
    return true;
}

/* Both sides, or neither. */
static bool add_both(struct gate_work *work, const struct gate_work *both, const struct telling *telling) {
    if (!has_side(both, GATE_BASELINE, false) || !has_side(both, GATE_CANARY, false))
        return true;
    for (uint32_t i = 0; i < both->count; i++)
        if (!gate_work_add(work, &both->items[i], telling->arena, telling->err))
            return false;
    return true;
}

bool gate_accepted_work_tell_pair(struct gate_work *work, const struct gate_match *match,
                                  const struct gate_record_run *canary, uint32_t count, struct gate_str kind,
                                  struct gate_arena *arena, struct gate_error *err) {
    struct telling baseline = {.side = GATE_BASELINE, .arena = arena, .err = err};
    struct telling told = {.side = GATE_CANARY, .arena = arena, .err = err};
    struct gate_work both = {0};
    if (!collect(&baseline, match, kind) || !collect_canary(&told, canary, count, kind))
        return false;
    bool by_label = has_labels(&baseline) && has_labels(&told);
    return tell_side(&both, &baseline, by_label) && tell_side(&both, &told, by_label) &&
           add_both(work, &both, &baseline);
}

/* The canary's work is what the options tell: the baseline's has to be there too. */
static bool tell_asked(struct gate_judge_options *judging, const struct telling *baseline,
                       const struct gate_match *match) {
    uint32_t count = judging->work.count;
    bool by_label = has_labels(baseline) && has_side(&judging->work, GATE_CANARY, true);
    if (!tell_side(&judging->work, baseline, by_label))
        return false;
    return judging->work.count > count ||
           gate_error_set(baseline->err, GATE_ERR_USAGE,
                          "the work of the canary is told, and the accepted runs of revision '%.*s' have none; "
                          "accept with --work, or give '--work baseline=N' too",
                          GATE_STR_ARG(match->records[0]->revision));
}

bool gate_accepted_work_tell(struct gate_judge_options *judging, const struct gate_match *match,
                             const struct gate_record_run *canary, uint32_t count, struct gate_arena *arena,
                             struct gate_error *err) {
    struct telling baseline = {.side = GATE_BASELINE, .arena = arena, .err = err};
    if (!tell_environment(&judging->work, arena, err))
        return false;
    if (has_side(&judging->work, GATE_BASELINE, false) || judging->work_file != NULL)
        return true;
    if (!has_side(&judging->work, GATE_CANARY, false))
        return gate_accepted_work_tell_pair(&judging->work, match, canary, count, canary[0].kind, arena, err);
    return collect(&baseline, match, canary[0].kind) && tell_asked(judging, &baseline, match);
}
