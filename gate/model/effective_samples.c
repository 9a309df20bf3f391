/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates the events behind a value. The choice of the model follows what profilers write: docs/formats.md,
 * docs/statistics.md. */
#include "gate/model/effective_samples.h"

#include "gate/model/profile.h"
#include "gate/model/sample.h"
#include "gate/model/unit.h"

#include <math.h>

static const double DELAY_CV = 2.0;

static const int64_t NS_PER_S = 1000000000;

static bool is(struct gate_str text, const char *wanted) {
    return gate_str_equal(text, gate_str_from(wanted));
}

static bool is_count(struct gate_value_type type) {
    return is(type.unit, "count") || is(type.unit, "counts") || is(type.unit, "samples") || is(type.unit, "objects");
}

static bool is_bytes(struct gate_str unit) {
    return gate_unit_ratio(unit, GATE_STR("bytes")) != 0;
}

/* Return the column with type `prefix` + `suffix` and a count unit, or GATE_NO_INDEX. */
static uint32_t count_find(const struct gate_profile *profile, struct gate_str prefix, const char *suffix) {
    for (uint32_t i = 0; i < profile->sample_type_count; i++) {
        struct gate_str type = profile->sample_types[i].type;
        if (gate_str_starts(type, prefix) && is(gate_str_slice(type, prefix.len, type.len), suffix) &&
            is_count(profile->sample_types[i]))
            return i;
    }
    return GATE_NO_INDEX;
}

/* Return the name up to and including its last '-' or '_': "alloc_" for "alloc_space". Empty if there is
 * none. */
static struct gate_str prefix_of(struct gate_str type) {
    size_t end = type.len;
    while (end > 0 && type.ptr[end - 1] != '-' && type.ptr[end - 1] != '_')
        end--;
    return gate_str_slice(type, 0, end);
}

static uint32_t first_of(uint32_t a, uint32_t b) {
    return a != GATE_NO_INDEX ? a : b;
}

/* Return the count column for a value column: "wall_samples" for "wall", "cpu-samples" for "cpu-time", "x_sample" for
 * "x_event", "alloc-samples" for "alloc-space", else the profile's own "samples". */
static uint32_t count_beside(const struct gate_profile *profile, uint32_t column) {
    struct gate_str type = profile->sample_types[column].type;
    struct gate_str prefix = prefix_of(type);
    uint32_t found = count_find(profile, type, "_samples");
    if (found == GATE_NO_INDEX && prefix.len != 0) {
        found = first_of(count_find(profile, prefix, "samples"), count_find(profile, prefix, "sample"));
        found = first_of(found, count_find(profile, prefix, "objects"));
    }
    const struct gate_str none = GATE_STR("");
    static const char *const names[] = {"samples", "sample", "events", "allocs", "objects", "contentions"};
    for (size_t i = 0; found == GATE_NO_INDEX && i < sizeof names / sizeof *names; i++)
        found = count_find(profile, none, names[i]);
    return found == column ? GATE_NO_INDEX : found;
}

/* Find the objects and the bytes of a heap profile: "alloc_objects" and "alloc_space", "objects" and "space". */
static bool heap_pair(const struct gate_profile *profile, uint32_t column, uint32_t *objects, uint32_t *bytes) {
    struct gate_str prefix = prefix_of(profile->sample_types[column].type);
    static const char *const sizes[] = {"space", "bytes", "size"};
    static const char *const counts[] = {"objects", "samples", "allocations"};
    *objects = *bytes = GATE_NO_INDEX;
    for (size_t i = 0; i < 3; i++)
        *objects = first_of(*objects, count_find(profile, prefix, counts[i]));
    for (uint32_t i = 0; i < profile->sample_type_count; i++) {
        struct gate_str type = profile->sample_types[i].type;
        struct gate_str rest = gate_str_slice(type, prefix.len, type.len);
        if (gate_str_starts(type, prefix) && is_bytes(profile->sample_types[i].unit) &&
            (is(rest, sizes[0]) || is(rest, sizes[1]) || is(rest, sizes[2])))
            *bytes = i;
    }
    return *objects != GATE_NO_INDEX && *bytes != GATE_NO_INDEX && (column == *objects || column == *bytes);
}

/* Return true for a time that a clock samples, also beside contentions: its events are not of one length each. */
static bool is_sampled_time(struct gate_str type) {
    return is(type, "cpu") || is(type, "wall") || is(type, "cpu-time") || is(type, "wall-time");
}

static bool is_delay(const struct gate_profile *profile, uint32_t column, uint32_t *contentions) {
    struct gate_str type = profile->sample_types[column].type;
    if (is_sampled_time(type))
        return false;
    *contentions =
        first_of(count_find(profile, GATE_STR(""), "contentions"), count_find(profile, GATE_STR(""), "lock-acquire"));
    *contentions = first_of(*contentions, count_find(profile, GATE_STR(""), "lock_count"));
    return *contentions != GATE_NO_INDEX && *contentions != column && !is_count(profile->sample_types[column]) &&
           type.len != 0;
}

/* Return true if each unit of the value is one event. Hardware counters are excluded: a sample represents thousands. */
static bool is_event_count(struct gate_value_type type) {
    static const char *const names[] = {
        "samples",    "sample", "events", "event",  "contentions", "goroutine",  "goroutines",        "threadcreate",
        "threads",    "cpu",    "wall",   "allocs", "objects",     "exceptions", "exception-samples", "timeline",
        "lock_count", "itimer", "ctimer", "locks",  "allocations", "malloc"};
    static const char *const suffixes[] = {"_sample", "-samples", "_samples", "_objects", "-count", "_count"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is(type.type, names[i]))
            return is_count(type);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (gate_str_ends(type.type, gate_str_from(suffixes[i])))
            return is_count(type);
    return false;
}

/* Return the period in the value's unit, or 0 if there is none or it has another kind of unit. */
static double period_of(const struct gate_profile *profile, struct gate_value_type type) {
    int64_t finer = gate_unit_ratio(profile->period_type.unit, type.unit);
    int64_t coarser = gate_unit_ratio(type.unit, profile->period_type.unit);
    if (profile->period <= 0)
        return 0;
    if (is_count(type) && !gate_str_equal(profile->period_type.type, type.type))
        return 0; /* "cycles/count" and "instructions/count" are both counts, but neither is the other's period */
    if (finer != 0)
        return (double)profile->period * (double)finer;
    return coarser != 0 ? (double)profile->period / (double)coarser : 0;
}

/* Count the records with a value from 1 to below `limit`, which is rounded down to a power of two. */
static double records_below(const struct gate_value_spread *spread, double limit) {
    double records = 0;
    for (int i = 0; i < 64 && ldexp(1.0, i + 1) <= limit; i++)
        records += spread->sizes[i];
    return records;
}

/* Thresholds that separate counts from weights. The profiles that were examined are far from them. */
static const double FEW_STACKS = 20; /* with fewer stacks, the fraction of rare ones means nothing */

static const double MANY_OF_FEW = 1e5; /* with few stacks, the values are counts if their sum is below this */

static const double MANY = 1e8; /* upper bound of a sum of counts: a day at 1,000 samples per second */

static const double RARE = 16; /* a stack is rare if it has fewer events than this */

static const double RARE_PART = 0.125; /* least fraction of rare stacks in counts; in real profiles it is about half */

/* Return true if values in units of `unit` are counts. In profiles of weights that vary, such as perf's periods of
 * "cycles", only the light first samples look rare. Times in clock ticks have no rare stacks either; counting each
 * tick as an event would make any difference significant. */
static bool are_counts(const struct gate_value_spread *spread, double unit) {
    double records = records_below(spread, INFINITY);
    double units = spread->total / unit;
    if (records < FEW_STACKS)
        return units < MANY_OF_FEW;
    return units < MANY && records_below(spread, RARE * unit) >= RARE_PART * records;
}

/* Return true if the common divisor is not chance: it is at least 1,000, or shared by at least 10 stacks. A large
 * divisor also needs at least 50 samples, unless the sum is too large for counts. */
static bool is_period(const struct gate_value_spread *spread) {
    double divisor = (double)spread->divisor, records = records_below(spread, INFINITY);
    if (divisor < 1000)
        return divisor > 1 && records >= 10;
    return records > 1 && (spread->total >= MANY_OF_FEW || spread->total / divisor >= 50);
}

/* Choose between counts and weights for a lone column when the profile has no period. */
static void weights_choose(struct gate_counts_model *model, const struct gate_value_spread *spread) {
    bool divided = is_period(spread);
    double unit = divided ? (double)spread->divisor : 1;
    if (!are_counts(spread, unit))
        return;
    model->kind = divided ? GATE_COUNTS_WEIGHT : GATE_COUNTS_VALUE;
    model->period = unit;
}

/* Return true if a profile store may have invented the period. Stores merge one column and lose the samples' period.
 * Parca writes none; Pyroscope writes 1 s for process_cpu and 1 for unknown types (pprof.SetProfileMetadata). No
 * profiler samples at these periods. */
static bool has_store_period(const struct gate_profile *profile, bool is_time) {
    int64_t unit = gate_unit_ratio(profile->period_type.unit, GATE_STR("nanoseconds"));
    bool is_second = unit > 0 && profile->period == NS_PER_S / unit;
    return is_time && unit > 0 && (profile->period == 0 || profile->period == 1 || is_second);
}

/* Choose the model of a profile's only column if it has no period. Returns false if the column's name decides.
 *
 * Collapsed stacks, and files made from them, name it samples/count even if it holds nanoseconds or perf's periods.
 * jfrconv --total writes cpu/nanoseconds (samples in some versions), allocations/bytes, malloc/bytes and
 * locks/nanoseconds without counts. Each record is then at least one event. */
static bool lone_model(struct gate_counts_model *model, const struct gate_profile *profile, double given_period) {
    struct gate_value_type type = profile->sample_types[model->value_column];
    bool is_time = gate_unit_ratio(type.unit, GATE_STR("nanoseconds")) != 0;
    if (profile->sample_type_count != 1)
        return false;
    if (has_store_period(profile, is_time))
        model->period = given_period;
    else if (profile->period != 0 || profile->period_type.type.len != 0)
        return false;
    if (model->period > 0 && is(type.type, "samples"))
        model->kind = GATE_COUNTS_PERIOD;
    else if (model->period > 0)
        return false;
    else if ((is(type.type, "samples") && is_count(type)) || (is(type.type, "cpu") && is_time))
        weights_choose(model, &profile->spread);
    else if (is(type.type, "locks") && is_time)
        model->kind = GATE_COUNTS_DELAY;
    else if ((is(type.type, "allocations") || is(type.type, "malloc")) && is_bytes(type.unit))
        model->kind = GATE_COUNTS_RECORD;
    else
        return false;
    return true;
}

/* Return 1 / the fraction of contentions that was recorded. The option has precedence. Else the text form of a mutex
 * profile contains it; its values are scaled up by it. Go's pprof files always contain 1. */
static double fraction_of(const struct gate_profile *profile, const struct gate_counts_options *options) {
    if (options != NULL && options->mutex_fraction > 0)
        return options->mutex_fraction;
    return is(profile->period_type.type, "contentions") && profile->period > 1 ? (double)profile->period : 1;
}

static struct gate_counts_model heap_model(const struct gate_profile *profile, struct gate_counts_model model,
                                           double period) {
    struct gate_value_type bytes = profile->sample_types[model.size_column];
    if (period == 0 && is_bytes(profile->period_type.unit))
        period = period_of(profile, bytes);
    struct gate_str name = profile->sample_types[model.count_column].type;
    if (period > 0)
        model.kind = GATE_COUNTS_HEAP;
    else if (is(name, "alloc-samples") || gate_str_starts(name, GATE_STR("heap-")))
        model.kind = GATE_COUNTS_UNKNOWN; /* these profilers scale their counts by a rate that they do not record */
    else
        model.kind = model.value_column == model.count_column ? GATE_COUNTS_VALUE : GATE_COUNTS_COLUMN;
    model.period = period;
    return model;
}

bool gate_counts_are_exact(const struct gate_profile *profile) {
    return is(profile->period_type.type, "exact");
}

struct gate_counts_model gate_counts_choose(const struct gate_profile *profile, uint32_t value_column,
                                            const struct gate_counts_options *options) {
    struct gate_counts_model model = {.kind = GATE_COUNTS_UNKNOWN,
                                      .value_column = value_column,
                                      .count_column = GATE_NO_INDEX,
                                      .size_column = GATE_NO_INDEX,
                                      .fraction = 1};
    double period = options == NULL ? 0 : options->period;
    GATE_ASSERT(value_column < profile->sample_type_count && profile->sample_type_count <= GATE_VALUES_MAX);
    struct gate_value_type type = profile->sample_types[value_column];
    if (gate_counts_are_exact(profile) && gate_str_equal(profile->period_type.unit, type.unit)) {
        model.kind = GATE_COUNTS_EXACT;
        return model;
    }
    if (heap_pair(profile, value_column, &model.count_column, &model.size_column))
        return heap_model(profile, model, period);
    model.size_column = GATE_NO_INDEX;
    if (is(type.type, "contentions"))
        model.fraction = fraction_of(profile, options);
    if (is_delay(profile, value_column, &model.count_column)) {
        model.fraction = fraction_of(profile, options);
        model.kind = GATE_COUNTS_DELAY;
        return model;
    }
    model.period = period > 0 ? period : period_of(profile, type);
    model.count_column = GATE_NO_INDEX;
    if (lone_model(&model, profile, period))
        return model;
    if (is_event_count(type)) {
        model.kind = GATE_COUNTS_VALUE;
        return model;
    }
    model.count_column = count_beside(profile, value_column);
    if (model.count_column != GATE_NO_INDEX)
        model.kind = GATE_COUNTS_COLUMN;
    else if (model.period > 0)
        model.kind = GATE_COUNTS_PERIOD;
    return model;
}

/* The mean size here is S = bytes / objects. An allocation was sampled with probability pi = 1 - exp(-S / rate).
 * Each of the c = objects * pi sampled events represents S / pi bytes or 1 / pi objects. */
static void heap_events(const struct gate_counts_model *model, const int64_t *values, double *events,
                        double *weight_sq) {
    double objects = fabs((double)values[model->count_column]);
    double bytes = fabs((double)values[model->size_column]);
    if (objects == 0 || bytes == 0)
        return;
    double size = bytes / objects;
    double kept = -expm1(-size / model->period);
    double weight = (model->value_column == model->size_column ? size : 1.0) / kept;
    *events = objects * kept;
    *weight_sq = *events * weight * weight;
}

static void events_of(const struct gate_counts_model *model, const int64_t *values, double *events, double *weight_sq) {
    double value = fabs((double)values[model->value_column]);
    double count = model->count_column == GATE_NO_INDEX ? 0 : fabs((double)values[model->count_column]);
    *events = *weight_sq = 0;
    if (value == 0 || model->kind == GATE_COUNTS_UNKNOWN)
        return;
    if (count == 0)
        count = 1; /* a value without a count is one event, the cautious choice */
    switch (model->kind) {
    case GATE_COUNTS_HEAP:
        heap_events(model, values, events, weight_sq);
        return;
    case GATE_COUNTS_EXACT: /* fraction is 1 for this kind */
    case GATE_COUNTS_VALUE:
        *events = value / model->fraction;
        *weight_sq = value * model->fraction;
        return;
    case GATE_COUNTS_PERIOD:
    case GATE_COUNTS_WEIGHT:
        *events = value / model->period;
        *weight_sq = value * model->period;
        return;
    case GATE_COUNTS_DELAY:
        *events = count / model->fraction;
        *weight_sq = (1 + DELAY_CV * DELAY_CV) * value * value / *events;
        return;
    default:
        *events = count;
        *weight_sq =
            value / count * value; /* exact for whole values per event, unlike value^2, which may exceed 2^53 */
    }
}

void gate_counts_of(const struct gate_counts_model *model, const int64_t *values, double *events, double *weight_sq) {
    events_of(model, values, events, weight_sq);
    if (model->repeats > 1.0 && model->kind != GATE_COUNTS_EXACT) {
        *events /= model->repeats;
        *weight_sq *= model->repeats;
    }
}

const char *gate_counts_kind_name(enum gate_counts_kind kind) {
    switch (kind) {
    case GATE_COUNTS_COLUMN:
        return "count column";
    case GATE_COUNTS_VALUE:
        return "the value is a count";
    case GATE_COUNTS_PERIOD:
        return "value / period (assumed)";
    case GATE_COUNTS_WEIGHT:
        return "weights, divided by what all have in common";
    case GATE_COUNTS_RECORD:
        return "at least one a stack";
    case GATE_COUNTS_HEAP:
        return "heap samples, unscaled by their rate";
    case GATE_COUNTS_DELAY:
        return "contentions, delays with CV 2 (assumed)";
    case GATE_COUNTS_EXACT:
        return "each one counted, none sampled";
    default:
        return "unknown";
    }
}
