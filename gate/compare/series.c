/* SPDX-License-Identifier: Apache-2.0 */
/* Levels of frames at each accepted build (see series.h). */
#include "gate/compare/series.h"

#include "gate/compare/trend.h"

#include <math.h>

/* Types whose names begin so; what counts from the start or for a while is not among them. */
static const char *const level_types[] = {"inuse_", "inuse-", "heap-live", "heap_live",
                                          "live_",  "live-",  "goroutine", "threadcreate"};
/* Of profilers that have no other name for what is in use. */
static const char *const level_names[] = {"space", "objects"};

bool gate_series_is_level(struct gate_str type) {
    for (size_t i = 0; i < sizeof level_types / sizeof *level_types; i++)
        if (gate_str_starts(type, gate_str_from(level_types[i])))
            return true;
    for (size_t i = 0; i < sizeof level_names / sizeof *level_names; i++)
        if (gate_str_equal(type, gate_str_from(level_names[i])))
            return true;
    return false;
}

enum gate_series_scale gate_series_scale_of(const struct gate_pair *pair, bool is_total) {
    const struct gate_side *side = &pair->sides[GATE_BASELINE];
    bool has_work = true, has_length = true;
    if (gate_series_is_level(pair->type.type))
        return GATE_SERIES_LEVEL;
    for (uint32_t i = 0; i < side->run_count; i++) {
        has_work = has_work && side->runs[i].input.work > 0.0;
        has_length = has_length && side->runs[i].input.profile->duration_ns > 0;
    }
    if (has_work)
        return GATE_SERIES_PER_WORK;
    if (!is_total)
        return GATE_SERIES_SHARE;
    return has_length ? GATE_SERIES_PER_SECOND : GATE_SERIES_NONE;
}

const char *gate_series_scale_name(enum gate_series_scale scale) {
    static const char *const names[] = {[GATE_SERIES_LEVEL] = "level",
                                        [GATE_SERIES_PER_WORK] = "per_work",
                                        [GATE_SERIES_PER_SECOND] = "per_second",
                                        [GATE_SERIES_SHARE] = "share",
                                        [GATE_SERIES_NONE] = "none"};
    return names[scale];
}

static double divisor(const struct gate_run *run, enum gate_series_scale scale) {
    switch (scale) {
    case GATE_SERIES_PER_WORK:
        return run->input.work;
    case GATE_SERIES_PER_SECOND:
        return (double)run->input.profile->duration_ns / 1e9;
    case GATE_SERIES_SHARE:
        return (double)run->total;
    default:
        return 1.0;
    }
}

bool gate_series_make(struct gate_series *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                      enum gate_measure measure, uint32_t item, enum gate_series_scale scale,
                      const struct gate_series_point *points, uint32_t count, struct gate_arena *arena,
                      struct gate_error *err) {
    double *scratch = GATE_NEW_ARRAY(arena, double, (size_t)count + 1);
    *out = (struct gate_series){.count = count};
    out->y = GATE_NEW_ARRAY(arena, double, (size_t)count + 1);
    out->low = GATE_NEW_ARRAY(arena, double, (size_t)count + 1);
    out->high = GATE_NEW_ARRAY(arena, double, (size_t)count + 1);
    if (scratch == NULL || out->y == NULL || out->low == NULL || out->high == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t p = 0; p < count; p++) {
        out->low[p] = INFINITY;
        out->high[p] = -INFINITY;
        for (uint32_t r = points[p].first; r < points[p].first + points[p].count; r++) {
            const struct gate_run *run = &pair->sides[GATE_BASELINE].runs[r];
            int64_t cost = item == GATE_NO_INDEX ? run->total : gate_tally_at(deltas, measure, r, item)->value;
            double value = (double)cost / divisor(run, scale);
            out->y[p] += value / points[p].count;
            out->low[p] = fmin(out->low[p], value);
            out->high[p] = fmax(out->high[p], value);
        }
        scratch[p] = out->y[p];
    }
    out->median = count > 0 ? gate_trend_median(scratch, count) : 0.0;
    return true;
}
