/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a recording of perf, and the columns that they become. */
#include "gate/formats/perf_events.h"

struct gate_str gate_perf_event_name(struct gate_str written) {
    size_t end = written.len;
    while (end > 0 && strchr("ukhGHpPSDIWeb", written.ptr[end - 1]) != NULL && written.ptr[end - 1] != '\0')
        end--;
    bool has_modifiers = end > 1 && end < written.len && written.ptr[end - 1] == ':';
    return has_modifiers ? gate_str_slice(written, 0, end - 1) : written;
}

struct gate_perf_event *gate_perf_events_find(struct gate_perf_events *events, struct gate_str name) {
    for (uint32_t i = 0; i < events->count; i++)
        if (gate_str_equal(events->items[i].name, name))
            return &events->items[i];
    return NULL;
}

bool gate_perf_events_note(struct gate_perf_events *events, struct gate_str name, int64_t period, int64_t time_ns,
                           struct gate_error *err) {
    struct gate_perf_event *event = gate_perf_events_find(events, name);
    if (event == NULL && events->count == GATE_PERF_EVENTS_MAX)
        return gate_error_set(err, GATE_ERR_LIMIT, "more than %d events in one file: record fewer of them at a time",
                              GATE_PERF_EVENTS_MAX);
    if (event == NULL) {
        event = &events->items[events->count++];
        *event = (struct gate_perf_event){.name = name, .period = period, .periods = GATE_NO_INDEX};
    }
    event->has_periods |= period != 0;
    event->count++;
    if (event->period != period)
        event->period = -1;
    if (time_ns < 0)
        return true;
    events->first_ns = events->first_ns < 0 || time_ns < events->first_ns ? time_ns : events->first_ns;
    events->last_ns = time_ns > events->last_ns ? time_ns : events->last_ns;
    return true;
}

static bool is_clock(struct gate_str event) {
    return gate_str_equal(event, GATE_STR("cpu-clock")) || gate_str_equal(event, GATE_STR("task-clock"));
}

static void column_add(struct gate_builder *builder, uint32_t *column, struct gate_str name, const char *suffix,
                       const char *unit) {
    const struct gate_str parts[] = {name, gate_str_from(suffix)};
    *column = builder->type_count;
    struct gate_str type = gate_str_concat(builder->arena, parts, 2);
    builder->is_full |= type.ptr == NULL;
    if (type.ptr != NULL)
        gate_builder_type(builder, type, gate_str_from(unit));
}

/* Return the default event: the CPU clock, else cycles, else the event with most samples. */
static const struct gate_perf_event *default_find(const struct gate_perf_events *events) {
    const struct gate_perf_event *best = &events->items[0];
    for (int wanted = 0; wanted < 2; wanted++)
        for (uint32_t i = 0; i < events->count; i++)
            if (wanted == 0 ? is_clock(events->items[i].name)
                            : gate_str_equal(events->items[i].name, GATE_STR("cycles")))
                return &events->items[i];
    for (uint32_t i = 0; i < events->count; i++)
        if (events->items[i].count > best->count)
            best = &events->items[i];
    return best;
}

bool gate_perf_events_columns(struct gate_perf_events *events, struct gate_builder *builder, struct gate_error *err) {
    bool has_cpu = false;
    for (uint32_t i = 0; i < events->count; i++) {
        struct gate_perf_event *event = &events->items[i];
        bool is_cpu = is_clock(event->name) && !has_cpu;
        struct gate_str name = event->name.len == 0 || is_cpu ? GATE_STR("") : event->name;
        has_cpu |= is_cpu;
        column_add(builder, &event->samples, name, name.len == 0 ? "samples" : "_sample", "count");
        if (event->has_periods)
            column_add(builder, &event->periods, name,
                       is_cpu          ? "cpu"
                       : name.len == 0 ? "event"
                                       : "_event",
                       is_clock(event->name) ? "nanoseconds" : "count");
    }
    if (builder->is_full)
        return gate_arena_error(builder->arena, err);
    const struct gate_perf_event *first = default_find(events);
    uint32_t column = first->has_periods ? first->periods : first->samples;
    builder->header.default_sample_type = builder->types[column].type;
    if (events->count == 1 && first->has_periods && first->period > 0) {
        builder->header.period = first->period;
        builder->header.period_type = builder->types[first->periods];
    }
    if (events->first_ns >= 0)
        builder->header.duration_ns = events->last_ns - events->first_ns;
    return true;
}
