/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a recording of perf, and the columns that they become. Used by both readers of perf. */
#ifndef GATE_FORMATS_PERF_EVENTS_H
#define GATE_FORMATS_PERF_EVENTS_H

#include "gate/formats/builder.h"

enum { GATE_PERF_EVENTS_MAX = GATE_VALUES_MAX / 2 };

/** An event and its columns. */
struct gate_perf_event {
    struct gate_str name; /* without its modifiers; may be empty */
    uint32_t samples;     /* column of counts */
    uint32_t periods;     /* column of periods, or GATE_NO_INDEX if no sample has one */
    int64_t period;       /* period of all its samples; -1: they differ */
    uint64_t count;
    bool has_periods;
};

/** The events of one recording, in order of first use. Zero-initialise, but set both times to -1. */
struct gate_perf_events {
    struct gate_perf_event items[GATE_PERF_EVENTS_MAX];
    uint32_t count;
    int64_t first_ns, last_ns; /* times of the first and last sample; -1: unknown */
};

/** Return "cycles" for "cycles:u". In "sched:sched_switch" the first colon is part of the name. */
struct gate_str gate_perf_event_name(struct gate_str written);

/** Return the event of that name, or NULL. O(events). */
struct gate_perf_event *gate_perf_events_find(struct gate_perf_events *events, struct gate_str name);

/**
 * Count a sample of the event `name`, which must outlive `events`.
 *
 * period   0: unknown
 * time_ns  -1: unknown
 * err      GATE_ERR_LIMIT: more than GATE_PERF_EVENTS_MAX events
 */
GATE_MUST_CHECK
bool gate_perf_events_note(struct gate_perf_events *events, struct gate_str name, int64_t period, int64_t time_ns,
                           struct gate_error *err);

/** Add the columns of all events, the default sample type, the period and the duration to `builder`. cpu-clock and
 * task-clock become samples/count and cpu/nanoseconds. Any other event NAME becomes NAME_sample/count and, if samples
 * have periods, NAME_event/count. The default is the clock, else cycles, else the event with most samples; its periods
 * if it has them. There must be an event. */
GATE_MUST_CHECK
bool gate_perf_events_columns(struct gate_perf_events *events, struct gate_builder *builder, struct gate_error *err);

#endif
