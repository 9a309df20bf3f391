/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of JDK Flight Recorder files: events become samples. */
#include "gate/base/table.h"
#include "gate/formats/builder.h"
#include "gate/formats/counted_cpu.h"
#include "gate/formats/jfr_chunk.h"
#include "gate/formats/reader.h"
#include "gate/model/labels.h"
#include "gate/model/limits.h"

/* ---- kinds of event and their columns ---------------------------------------------------------------------------- */

enum column { CPU, WALL, ALLOC, LIVE, MALLOC, LOCK, COLUMNS };

/* Columns of each kind: the number of events, and their value. rules/ and model/effective_samples.c use the same
 * names. */
static const struct {
    struct gate_value_type count, value;
} columns[] = {
    [CPU] = {{{"samples", 7}, {"count", 5}}, {{"cpu", 3}, {"nanoseconds", 11}}},
    [WALL] = {{{"wall_samples", 12}, {"count", 5}}, {{"wall", 4}, {"nanoseconds", 11}}},
    [ALLOC] = {{{"alloc_samples", 13}, {"count", 5}}, {{"alloc_space", 11}, {"bytes", 5}}},
    [LIVE] = {{{"inuse_samples", 13}, {"count", 5}}, {{"inuse_space", 11}, {"bytes", 5}}},
    [MALLOC] = {{{"malloc_samples", 14}, {"count", 5}}, {{"malloc_space", 12}, {"bytes", 5}}},
    [LOCK] = {{{"contentions", 11}, {"count", 5}}, {{"delay", 5}, {"nanoseconds", 11}}},
};

enum event {
    EXECUTION,
    NATIVE,
    CPU_TIME,
    WALL_CLOCK,
    IN_NEW_TLAB,
    OUTSIDE_TLAB,
    ALLOCATION,
    LIVE_OBJECT,
    MALLOC_CALL,
    MONITOR_ENTER,
    PARK,
    SETTING,
    FLAG,
    LOAD,
    PROCESSOR,
    COLLECTION,
    COLLECTOR_TIME,
    EVENTS
};

static const struct {
    const char *name;
    enum column column;
} events[] = {
    [EXECUTION] = {"jdk.ExecutionSample", CPU},
    [NATIVE] = {"jdk.NativeMethodSample", CPU},
    [CPU_TIME] = {"jdk.CPUTimeSample", CPU},
    [WALL_CLOCK] = {"profiler.WallClockSample", WALL},
    [IN_NEW_TLAB] = {"jdk.ObjectAllocationInNewTLAB", ALLOC},
    [OUTSIDE_TLAB] = {"jdk.ObjectAllocationOutsideTLAB", ALLOC},
    [ALLOCATION] = {"jdk.ObjectAllocationSample", ALLOC},
    [LIVE_OBJECT] = {"profiler.LiveObject", LIVE},
    [MALLOC_CALL] = {"profiler.Malloc", MALLOC},
    [MONITOR_ENTER] = {"jdk.JavaMonitorEnter", LOCK},
    [PARK] = {"jdk.ThreadPark", LOCK},
    [SETTING] = {"jdk.ActiveSetting", COLUMNS},
    [FLAG] = {"jdk.BooleanFlag", COLUMNS},
    [LOAD] = {"jdk.CPULoad", COLUMNS},
    [PROCESSOR] = {"jdk.CPUInformation", COLUMNS},
    [COLLECTION] = {"jdk.GarbageCollection", COLUMNS},
    [COLLECTOR_TIME] = {"jdk.GCCPUTime", COLUMNS},
};

/* The sampling intervals of a chunk, from its jdk.ActiveSetting events. 0: unknown. */
struct intervals {
    int64_t execution_ns, native_ns, wall_ns;
};

/* What async-profiler's settings contain. Its interval is a time only for some events. */
struct agent_settings {
    bool is_agent; /* async-profiler wrote the chunk */
    bool is_time, is_wall;
    int64_t interval, wall; /* 0: its default */
};

enum { AGENT_INTERVAL_NS = 10000000, AGENT_WALL_INTERVAL_NS = 50000000 };

/* Limits on cutting the first jdk.ObjectAllocationSample of a thread. The weight of a sample is the bytes that its
 * thread allocated since its previous sample. The weight of the first one also contains the bytes from before the
 * recording. It is cut to the largest weight of the later samples so far, if there are at least LATER_LEAST of these
 * and it is more than FIRST_MOST times as large. */
enum { LATER_LEAST = 10, FIRST_MOST = 2 };

/* ---- state ------------------------------------------------------------------------------------------------------- */

/* The first allocation sample of a thread. */
struct first_sample {
    int64_t at, weight;
    bool is_used; /* the second pass has already added it */
};

/* The whole file. */
struct recording {
    struct gate_str bytes;
    const struct gate_limits *limits;
    struct gate_arena *scratch;
    struct gate_builder *builder;
    uint64_t steps; /* steps left for the file */
    uint64_t added[COLUMNS];
    bool is_watched[COLUMNS];                           /* such events were enabled, even if none occurred */
    uint64_t waiting_count, parked_count, failed_count; /* events left out */
    uint64_t twice_count[EVENTS];                       /* events left out because another kind counts the same */
    struct gate_table threads;                          /* threads with an allocation sample */
    struct first_sample *firsts;                        /* first sample of each of these threads */
    size_t first_capacity;
    uint64_t later_count;         /* number of allocation samples that are not the first of their thread */
    int64_t later_most;           /* largest weight of these */
    uint64_t cut_count;           /* number of first samples that were cut */
    bool lacks_interval[COLUMNS]; /* some events have a count, but no value */
    bool has_mixed_periods;
    bool counts_preempted;            /* some CPU samples are the JDK's own, taken by the wall clock */
    bool has_own_samples;             /* some CPU samples are the JDK's own */
    bool places_inlined;              /* the JVM ran with -XX:+DebugNonSafepoints */
    double duration_ns;               /* of all chunks */
    double loaded_ns, loaded_span_ns; /* CPU time from jdk.CPULoad events, and the time that these cover */
    struct gate_counted_cpu counted;  /* `all_ns` is not set */
    uint64_t collection_count, collector_time_count;
    int64_t start_ns, end_ns;
    struct agent_settings agent; /* settings of the last chunk that contains async-profiler's */
};

/* A jdk.CPULoad event: the part of the machine's time that the JVM used since the last one, in billionths. */
struct load {
    int64_t at, part;
};

/* The chunk that is being read. */
struct current {
    struct gate_jfr_chunk chunk;
    struct gate_jfr_classes classes;
    struct gate_jfr_pools pools;
    uint32_t class_of[EVENTS]; /* class of each event; GATE_NO_INDEX: not in this chunk */
    uint8_t *event_of;         /* event of each class; EVENTS: not read */
    uint64_t counts[EVENTS];
    struct intervals intervals;
    struct agent_settings agent;
    struct load *loads; /* sorted by time after the first pass */
    size_t load_count, load_capacity;
    int64_t processors; /* 0: unknown */
    struct gate_arena arena;
};

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

static bool current_open(struct current *current, struct recording *recording, size_t at, uint32_t number,
                         struct gate_error *err) {
    if (!gate_jfr_chunk_read(&current->chunk, recording->bytes, at, number, err) ||
        !gate_jfr_classes_read(&current->classes, &current->chunk, &recording->steps, &current->arena, err))
        return false;
    current->event_of = gate_arena_alloc(&current->arena, current->classes.count);
    if (current->event_of == NULL)
        return gate_arena_error(&current->arena, err);
    memset(current->event_of, EVENTS, current->classes.count);
    for (int event = 0; event < EVENTS; event++) {
        current->class_of[event] = GATE_NO_INDEX;
        for (uint32_t i = 0; i < current->classes.count; i++)
            if (gate_str_equal(current->classes.items[i].name, gate_str_from(events[event].name)))
                current->class_of[event] = i;
        if (current->class_of[event] != GATE_NO_INDEX)
            current->event_of[current->class_of[event]] = (uint8_t)event;
    }
    return true;
}

typedef bool event_use(struct recording *recording, struct current *current, enum event event,
                       const struct gate_jfr_picks *picks, struct gate_error *err);

/* Read the event at the cursor, and use it if it is of a kind that is read. The cursor ends with the event. */
static bool event_read(struct recording *recording, struct current *current, struct gate_jfr_cursor *cursor,
                       event_use *use, struct gate_error *err) {
    size_t at = cursor->at;
    struct gate_jfr_picks picks;
    int64_t id = gate_jfr_event_open(cursor) ? gate_jfr_long(cursor) : 0;
    uint32_t class_index = gate_jfr_class_find(&current->classes, id);
    enum event event = class_index == GATE_NO_INDEX ? EVENTS : (enum event)current->event_of[class_index];
    if (event != EVENTS)
        gate_jfr_value_read(&picks, cursor, &current->classes, class_index);
    if (cursor->fault != GATE_JFR_FINE)
        return gate_jfr_fault_error(cursor, &current->chunk, event == EVENTS ? "an event" : events[event].name, at,
                                    err);
    return event == EVENTS || use(recording, current, event, &picks, err);
}

static bool events_read(struct recording *recording, struct current *current, event_use *use, struct gate_error *err) {
    size_t at = GATE_JFR_HEADER_BYTES;
    while (at < current->chunk.bytes.len) {
        struct gate_jfr_cursor cursor = gate_jfr_cursor_at(&current->chunk, at, &recording->steps);
        if (!event_read(recording, current, &cursor, use, err))
            return false;
        at = cursor.end;
    }
    return true;
}

static int64_t number_of(const struct gate_jfr_picks *picks, enum gate_jfr_slot slot) {
    return gate_jfr_has(picks, slot) ? picks->values[slot].number : 0;
}

/* Convert a time span to nanoseconds. INT64_MAX if it does not fit. */
static int64_t ticks_ns(int64_t ticks, int64_t ticks_per_second) {
    const int64_t ns_per_second = 1000000000;
    __int128 ns = (__int128)ticks * ns_per_second / ticks_per_second;
    return ns > INT64_MAX || ns < INT64_MIN ? INT64_MAX : (int64_t)ns;
}

static int64_t span_ns(const struct gate_jfr_picks *picks, enum gate_jfr_slot slot, int64_t ticks_per_second) {
    if (!gate_jfr_has(picks, slot))
        return 0;
    const struct gate_jfr_value *value = &picks->values[slot];
    return ticks_ns(value->number, value->field->per_second != 0 ? value->field->per_second : ticks_per_second);
}

/* ---- CPU time that the system counted ---------------------------------------------------------------------------- */

/* First pass: record a jdk.CPULoad event. */
static bool load_note(struct current *current, const struct gate_jfr_picks *picks, struct gate_error *err) {
    struct gate_arena *arena = &current->arena;
    if (!GATE_REGROW(arena, current->loads, current->load_count, current->load_capacity))
        return gate_arena_error(arena, err);
    current->loads[current->load_count++] =
        (struct load){.at = number_of(picks, GATE_JFR_START),
                      .part = number_of(picks, GATE_JFR_LOAD_USER) + number_of(picks, GATE_JFR_LOAD_SYSTEM)};
    return true;
}

static int load_compare(const void *a, const void *b) {
    int64_t one = ((const struct load *)a)->at, two = ((const struct load *)b)->at;
    return (one > two) - (one < two);
}

/* After the first pass: add up the CPU time from the first jdk.CPULoad event to the last one. */
static void loads_settle(struct recording *recording, struct current *current) {
    const double billion = 1e9;
    if (current->agent.is_agent || current->processors <= 0 || current->load_count < 2)
        return;
    qsort(current->loads, current->load_count, sizeof *current->loads, load_compare);
    for (size_t i = 1; i < current->load_count; i++) {
        const struct load *load = &current->loads[i];
        double span = (double)ticks_ns(load->at - load[-1].at, current->chunk.ticks_per_second);
        recording->loaded_ns += span * (double)load->part / billion * (double)current->processors;
        recording->loaded_span_ns += span;
    }
}

/* Add the CPU time of one garbage collection, from its jdk.GCCPUTime event. */
static void collector_note(struct recording *recording, const struct current *current,
                           const struct gate_jfr_picks *picks) {
    int64_t per_second = current->chunk.ticks_per_second;
    recording->counted.collector_ns += (double)span_ns(picks, GATE_JFR_TIME_USER, per_second) +
                                       (double)span_ns(picks, GATE_JFR_TIME_SYSTEM, per_second);
}

/* ---- settings ---------------------------------------------------------------------------------------------------- */

/* Parse a time such as "20 ms" or "20000000", in nanoseconds. 0: not a time. */
static int64_t time_parse(struct gate_str text) {
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    int64_t value = 0;
    size_t at = 0;
    for (; at < text.len && gate_is_digit(text.ptr[at]); at++)
        if (__builtin_mul_overflow(value, (int64_t)10, &value) ||
            __builtin_add_overflow(value, (int64_t)(text.ptr[at] - '0'), &value))
            return 0;
    struct gate_str unit = gate_str_trim(gate_str_slice(text, at, text.len));
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (gate_str_equal(unit, gate_str_from(units[i].name)))
            return __builtin_mul_overflow(value, units[i].ns, &value) ? 0 : value;
    return 0;
}

static bool is_time_event(struct gate_str event) {
    static const char *const names[] = {"cpu", "itimer", "ctimer", "cpu-clock", "task-clock", "wall"};
    return gate_str_is_among(event, names, sizeof names / sizeof *names);
}

/* Record that an event is enabled. A recording without lock contention then has the column, too. */
static void watched_note(struct recording *recording, const struct current *current, uint32_t class_index) {
    enum event event = class_index == GATE_NO_INDEX ? EVENTS : (enum event)current->event_of[class_index];
    if (event != EVENTS && events[event].column != COLUMNS)
        recording->is_watched[events[event].column] = true;
}

static void setting_use(struct current *current, uint32_t class_index, struct gate_str name, struct gate_str value) {
    struct agent_settings *agent = &current->agent;
    if (gate_str_equal(name, GATE_STR("period"))) {
        if (class_index == current->class_of[EXECUTION])
            current->intervals.execution_ns = time_parse(value);
        else if (class_index == current->class_of[NATIVE])
            current->intervals.native_ns = time_parse(value);
    } else if (gate_str_equal(name, GATE_STR("interval"))) {
        agent->is_agent = true;
        agent->interval = time_parse(value);
    } else if (gate_str_equal(name, GATE_STR("wall"))) {
        agent->wall = time_parse(value);
    } else if (gate_str_equal(name, GATE_STR("event"))) {
        agent->is_time = is_time_event(value);
        agent->is_wall = gate_str_equal(value, GATE_STR("wall"));
    }
}

/* Record a flag of the JVM. Flags that need -XX:+UnlockDiagnosticVMOptions are missing without it. */
static bool flag_note(struct recording *recording, struct current *current, const struct gate_jfr_picks *picks,
                      struct gate_error *err) {
    struct gate_str name = GATE_STR("");
    if (!gate_jfr_has(picks, GATE_JFR_NAME) || !gate_jfr_has(picks, GATE_JFR_VALUE))
        return true;
    if (!gate_jfr_text_of(&name, &current->pools, &picks->values[GATE_JFR_NAME], err))
        return false;
    recording->places_inlined |=
        picks->values[GATE_JFR_VALUE].number != 0 && gate_str_equal(name, GATE_STR("DebugNonSafepoints"));
    return true;
}

/* Set `*out` to the first allocation sample of an event's thread. If the thread is new, that is the event itself. A
 * thread has the same constant in the whole recording. */
static bool first_of(struct first_sample **out, struct recording *recording, const struct gate_jfr_picks *picks,
                     struct gate_error *err) {
    int64_t thread = number_of(picks, GATE_JFR_THREAD);
    struct gate_table *threads = &recording->threads;
    uint32_t known = threads->count;
    uint32_t index = gate_table_intern_copy(threads, (struct gate_str){(const char *)&thread, sizeof thread});
    if (index == GATE_TABLE_NONE ||
        !GATE_REGROW(recording->scratch, recording->firsts, known, recording->first_capacity))
        return gate_arena_error(recording->scratch, err);
    *out = &recording->firsts[index];
    if (threads->count > known)
        **out = (struct first_sample){number_of(picks, GATE_JFR_START), number_of(picks, GATE_JFR_WEIGHT), false};
    return true;
}

/* First pass: record the weight of an allocation sample, and find the first sample of each thread. A chunk has them in
 * any order. */
static bool weight_note(struct recording *recording, const struct gate_jfr_picks *picks, struct gate_error *err) {
    uint32_t known = recording->threads.count;
    int64_t at = number_of(picks, GATE_JFR_START), weight = number_of(picks, GATE_JFR_WEIGHT);
    struct first_sample *first = NULL;
    if (!first_of(&first, recording, picks, err))
        return false;
    if (recording->threads.count > known)
        return true;
    int64_t later = at < first->at ? first->weight : weight;
    if (at < first->at)
        *first = (struct first_sample){at, weight, false};
    recording->later_count++;
    if (later > recording->later_most)
        recording->later_most = later;
    return true;
}

/* Second pass: cut the weight of a sample that counts what its thread allocated before the recording. */
static bool weight_cut(int64_t *weight, struct recording *recording, const struct gate_jfr_picks *picks,
                       struct gate_error *err) {
    struct first_sample *first = NULL;
    if (!first_of(&first, recording, picks, err))
        return false;
    bool is_first = !first->is_used && first->at == number_of(picks, GATE_JFR_START) && first->weight == *weight;
    first->is_used |= is_first;
    if (!is_first || recording->later_count < LATER_LEAST || *weight / FIRST_MOST <= recording->later_most)
        return true;
    *weight = recording->later_most;
    recording->cut_count++;
    return true;
}

/* First pass over a chunk: count the events of each kind, and read the settings, which may come after samples. */
static bool event_count(struct recording *recording, struct current *current, enum event event,
                        const struct gate_jfr_picks *picks, struct gate_error *err) {
    struct gate_str name = GATE_STR(""), value = GATE_STR("");
    current->counts[event]++;
    if (event == ALLOCATION && !weight_note(recording, picks, err))
        return false;
    if (event == FLAG)
        return flag_note(recording, current, picks, err);
    if (event == LOAD)
        return load_note(current, picks, err);
    if (event == COLLECTOR_TIME)
        collector_note(recording, current, picks);
    if (event == PROCESSOR)
        current->processors = number_of(picks, GATE_JFR_THREADS);
    if (event != SETTING || !gate_jfr_has(picks, GATE_JFR_ID) || !gate_jfr_has(picks, GATE_JFR_NAME) ||
        !gate_jfr_has(picks, GATE_JFR_VALUE))
        return true;
    if (!gate_jfr_text_of(&name, &current->pools, &picks->values[GATE_JFR_NAME], err) ||
        !gate_jfr_text_of(&value, &current->pools, &picks->values[GATE_JFR_VALUE], err))
        return false;
    uint32_t class_index = gate_jfr_class_find(&current->classes, picks->values[GATE_JFR_ID].number);
    setting_use(current, class_index, name, value);
    if (gate_str_equal(name, GATE_STR("enabled")) && gate_str_equal(value, GATE_STR("true")))
        watched_note(recording, current, class_index);
    return true;
}

/* Return true if async-profiler wrote the chunk: it declares events of its own in each. */
static bool is_of_agent(const struct gate_jfr_classes *classes) {
    for (uint32_t i = 0; i < classes->count; i++)
        if (gate_str_starts(classes->items[i].name, GATE_STR("profiler.")))
            return true;
    return false;
}

/* async-profiler writes its settings into the first chunk of a recording only. They apply to the chunks behind it. */
static void agent_continue(struct recording *recording, struct current *current) {
    if (current->counts[SETTING] == 0 && is_of_agent(&current->classes))
        current->agent = recording->agent;
    else if (current->agent.is_agent)
        recording->agent = current->agent;
}

static void intervals_settle(struct current *current) {
    const struct agent_settings *agent = &current->agent;
    struct intervals *intervals = &current->intervals;
    if (!agent->is_agent)
        return;
    int64_t interval_ns = agent->interval > 0 ? agent->interval : AGENT_INTERVAL_NS;
    int64_t wall_ns = agent->is_wall && agent->interval > 0 ? agent->interval : AGENT_WALL_INTERVAL_NS;
    intervals->execution_ns = agent->is_time ? interval_ns : 0;
    intervals->wall_ns = agent->wall > 0 ? agent->wall : wall_ns;
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* Return true if a thread parked for a lock or a semaphore: the rule of async-profiler. Other threads wait for work. */
static bool is_lock(struct gate_str parked) {
    return gate_str_starts(parked, GATE_STR("java/util/concurrent/locks/ReentrantLock")) ||
           gate_str_starts(parked, GATE_STR("java/util/concurrent/locks/ReentrantReadWriteLock")) ||
           gate_str_starts(parked, GATE_STR("java/util/concurrent/Semaphore"));
}

/* An event as a sample. */
struct sample {
    enum column column;
    int64_t count, value;
    struct gate_jfr_stack stack;
    struct gate_str thread, state;
};

static bool sample_add(struct recording *recording, const struct gate_jfr_pools *pools, const struct sample *sample,
                       struct gate_error *err) {
    int64_t values[GATE_VALUES_MAX] = {0};
    struct gate_label labels[3];
    uint32_t label_count = 0;
    const char *event = columns[sample->column].value.type.ptr;
    if (sample->count < 0 || sample->value < 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "malformed recording: a negative value of '%s' in chunk %u", event,
                              pools->chunk->number);
    values[2 * sample->column] = sample->count;
    values[2 * sample->column + 1] = sample->value;
    recording->added[sample->column]++;
    /* async-profiler names a thread without a name by its number, which is another one in each run. */
    if (sample->thread.len != 0 && !gate_str_starts(sample->thread, GATE_STR("[tid=")))
        labels[label_count++] = (struct gate_label){.key = GATE_STR("thread"), .text = sample->thread};
    if (sample->column == WALL && sample->state.len != 0)
        labels[label_count++] = (struct gate_label){.key = GATE_STR("state"), .text = sample->state};
    if (sample->stack.is_interpreted && (sample->column == CPU || sample->column == WALL))
        labels[label_count++] =
            (struct gate_label){.key = GATE_STR(GATE_CODE_LABEL), .text = GATE_STR(GATE_CODE_INTERPRETED)};
    const uint64_t *locations = sample->stack.depth == 0 ? NULL : pools->locations + sample->stack.first;
    struct gate_builder_sample added = {.locations = locations,
                                        .depth = sample->stack.depth,
                                        .values = values,
                                        .labels = labels,
                                        .label_count = label_count};
    return gate_builder_sample(recording->builder, &added, err);
}

/* Record the interval of a jdk.ExecutionSample. The profile has a period if all of these samples have the same one. */
static void period_note(struct recording *recording, int64_t interval_ns) {
    struct gate_builder_header *header = &recording->builder->header;
    if (header->period == 0)
        header->period = interval_ns;
    recording->has_mixed_periods |= header->period != interval_ns;
}

/* Return true for a wall-clock sample. async-profiler before 3.0 wrote these as jdk.ExecutionSample. Version 2 did so
 * if its event was `wall`. Later versions mix them with CPU samples, which have the state STATE_DEFAULT. */
static bool is_wall_clock(const struct current *current, enum event event, struct gate_str state) {
    if (event != EXECUTION)
        return event == WALL_CLOCK;
    return current->agent.is_wall || gate_str_equal(state, GATE_STR("STATE_SLEEPING")) ||
           (current->pools.has_cpu_state && !gate_str_equal(state, GATE_STR("STATE_DEFAULT")));
}

/* Set column, count and value of a sample of time. */
static void time_sample(struct sample *sample, struct recording *recording, const struct current *current,
                        enum event event, const struct gate_jfr_picks *picks) {
    const struct intervals *intervals = &current->intervals;
    int64_t interval_ns = event == NATIVE ? intervals->native_ns : intervals->execution_ns;
    if (is_wall_clock(current, event, sample->state)) {
        sample->column = WALL;
        interval_ns = intervals->wall_ns;
    }
    if (event == WALL_CLOCK && gate_jfr_has(picks, GATE_JFR_SAMPLES))
        sample->count = number_of(picks, GATE_JFR_SAMPLES);
    if (event == CPU_TIME)
        interval_ns = span_ns(picks, GATE_JFR_PERIOD, current->chunk.ticks_per_second);
    recording->lacks_interval[sample->column] |= interval_ns <= 0;
    if (__builtin_mul_overflow(sample->count, interval_ns, &sample->value))
        sample->value = INT64_MAX; /* the sum of the column overflows */
    if (event == EXECUTION && sample->column == CPU)
        period_note(recording, interval_ns);
    recording->has_own_samples |= sample->column == CPU && !current->agent.is_agent;
    recording->counts_preempted |= sample->column == CPU && event != CPU_TIME && !current->agent.is_agent;
}

static int64_t bytes_of(enum event event, const struct gate_jfr_picks *picks) {
    if (event == ALLOCATION)
        return number_of(picks, GATE_JFR_WEIGHT);
    return event == IN_NEW_TLAB ? number_of(picks, GATE_JFR_TLAB) : number_of(picks, GATE_JFR_SIZE);
}

/* Return true if another kind of event of the chunk counts the same. */
static bool is_counted_twice(const struct current *current, enum event event) {
    if (event == EXECUTION || event == NATIVE)
        return current->counts[CPU_TIME] != 0;
    return event == ALLOCATION && current->counts[IN_NEW_TLAB] + current->counts[OUTSIDE_TLAB] != 0;
}

/* Set `*out` to whether the event is left out, and count the reason: another kind of event counts the same, a native
 * method waits, the sample failed, or the thread parked for no lock. */
static bool is_left_out(bool *out, struct recording *recording, struct current *current, enum event event,
                        const struct gate_jfr_picks *picks, const struct sample *sample, struct gate_error *err) {
    struct gate_str parked = GATE_STR("");
    *out = is_counted_twice(current, event);
    recording->twice_count[event] += *out;
    if (event == NATIVE && !*out && sample->stack.is_wait) {
        recording->waiting_count++;
        *out = true;
    }
    if (event == CPU_TIME && number_of(picks, GATE_JFR_FAILED) != 0) {
        recording->failed_count++;
        *out = true;
    }
    if (event != PARK)
        return true;
    if (gate_jfr_has(picks, GATE_JFR_PARKED) &&
        !gate_jfr_text_of(&parked, &current->pools, &picks->values[GATE_JFR_PARKED], err))
        return false;
    *out = !is_lock(parked);
    recording->parked_count += *out;
    return true;
}

/* Second pass over a chunk: add an event as a sample. */
static bool event_add(struct recording *recording, struct current *current, enum event event,
                      const struct gate_jfr_picks *picks, struct gate_error *err) {
    struct sample sample = {.column = events[event].column, .count = 1, .thread = GATE_STR(""), .state = GATE_STR("")};
    bool left_out = false;
    if (events[event].column == COLUMNS)
        return true;
    if (!gate_jfr_stack_of(&sample.stack, &current->pools, number_of(picks, GATE_JFR_STACK), err) ||
        !is_left_out(&left_out, recording, current, event, picks, &sample, err))
        return false;
    if (left_out)
        return true;
    if (gate_jfr_has(picks, GATE_JFR_THREAD) &&
        !gate_jfr_text_of(&sample.thread, &current->pools, &picks->values[GATE_JFR_THREAD], err))
        return false;
    if (gate_jfr_has(picks, GATE_JFR_STATE) &&
        !gate_jfr_text_of(&sample.state, &current->pools, &picks->values[GATE_JFR_STATE], err))
        return false;
    if (sample.column == CPU || sample.column == WALL)
        time_sample(&sample, recording, current, event, picks);
    else if (sample.column == LOCK)
        sample.value = span_ns(picks, GATE_JFR_DURATION, current->chunk.ticks_per_second);
    else
        sample.value = bytes_of(event, picks);
    if (event == ALLOCATION && !weight_cut(&sample.value, recording, picks, err))
        return false;
    if (sample.column == CPU)
        recording->counted.sampled_ns += (double)sample.value;
    return sample_add(recording, &current->pools, &sample, err);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static bool chunk_use(struct recording *recording, struct current *current, struct gate_error *err) {
    current->pools = (struct gate_jfr_pools){.chunk = &current->chunk,
                                             .classes = &current->classes,
                                             .limits = recording->limits,
                                             .arena = &current->arena,
                                             .builder = recording->builder,
                                             .steps = &recording->steps};
    if (!gate_jfr_pools_read(&current->pools, err) || !events_read(recording, current, event_count, err))
        return false;
    agent_continue(recording, current);
    intervals_settle(current);
    loads_settle(recording, current);
    recording->duration_ns += (double)current->chunk.duration_ns;
    recording->collection_count += current->counts[COLLECTION];
    recording->collector_time_count += current->counts[COLLECTOR_TIME];
    int64_t end_ns = gate_profile_add_saturated(current->chunk.start_ns, current->chunk.duration_ns);
    if (recording->start_ns == 0 || current->chunk.start_ns < recording->start_ns)
        recording->start_ns = current->chunk.start_ns;
    recording->end_ns = end_ns > recording->end_ns ? end_ns : recording->end_ns;
    return events_read(recording, current, event_add, err);
}

static bool chunks_read(struct recording *recording, struct gate_error *err) {
    bool ok = true;
    uint32_t number = 0;
    for (size_t at = 0; ok && at < recording->bytes.len;) {
        struct current current = {.classes = {0}};
        gate_arena_fork(&current.arena, recording->scratch);
        ok = current_open(&current, recording, at, ++number, err) && chunk_use(recording, &current, err);
        at += current.chunk.bytes.len;
        gate_arena_free(&current.arena);
    }
    return ok;
}

static bool comment_add(struct recording *recording, uint64_t count, const char *text, struct gate_error *err) {
    if (count == 0)
        return true;
    struct gate_str comment = gate_str_format(recording->scratch, "%llu %s", (unsigned long long)count, text);
    if (comment.ptr == NULL)
        return gate_arena_error(recording->scratch, err);
    gate_builder_comment(recording->builder, comment);
    return true;
}

/* Estimate the CPU time of the whole recording. Loads are known from about a second after the start until the end.
 * Older JDKs do not record the collector's CPU time, so it cannot be separated. */
static bool counted_add(struct recording *recording, struct gate_error *err) {
    struct gate_counted_cpu *counted = &recording->counted;
    if (recording->loaded_span_ns <= 0.0 || (recording->collection_count > 0 && recording->collector_time_count == 0))
        return true;
    counted->all_ns = recording->loaded_ns * recording->duration_ns / recording->loaded_span_ns;
    return gate_counted_cpu_note(recording->builder, counted, recording->scratch, err);
}

static bool comments_add(struct recording *recording, struct gate_error *err) {
    const uint64_t *twice = recording->twice_count;
    if (recording->counts_preempted)
        gate_builder_comment(recording->builder, GATE_STR(GATE_COMMENT_PREEMPTED));
    if (recording->has_own_samples && !recording->places_inlined)
        gate_builder_comment(recording->builder, GATE_STR(GATE_COMMENT_MISPLACED));
    if (!counted_add(recording, err))
        return false;
    return comment_add(recording, recording->waiting_count,
                       "samples of native methods that wait left out (jdk.NativeMethodSample)", err) &&
           comment_add(recording, recording->parked_count,
                       "parks for other reasons than a lock left out (jdk.ThreadPark)", err) &&
           comment_add(recording, recording->failed_count, "samples without a stack left out (jdk.CPUTimeSample)",
                       err) &&
           comment_add(recording, twice[EXECUTION] + twice[NATIVE],
                       "samples left out, as jdk.CPUTimeSample counts the same time (jdk.ExecutionSample, "
                       "jdk.NativeMethodSample)",
                       err) &&
           comment_add(recording, recording->cut_count,
                       "samples cut, as they also count what their threads allocated before the recording "
                       "(jdk.ObjectAllocationSample)",
                       err) &&
           comment_add(recording, twice[ALLOCATION],
                       "samples left out, as jdk.ObjectAllocationInNewTLAB counts the same bytes "
                       "(jdk.ObjectAllocationSample)",
                       err);
}

/* Leave out the columns of events that were not recorded, and values whose interval is unknown. The first column that
 * has samples is the default. */
static bool columns_choose(struct recording *recording, struct gate_error *err) {
    struct gate_builder *builder = recording->builder;
    for (int column = COLUMNS - 1; column >= 0; column--) {
        bool has_events = recording->added[column] != 0;
        bool is_kept = has_events || recording->is_watched[column];
        bool has_value = is_kept && !recording->lacks_interval[column];
        builder->type_dropped[2 * column] = !is_kept;
        builder->type_dropped[2 * column + 1] = !has_value;
        if (has_events)
            builder->header.default_sample_type = has_value ? columns[column].value.type : columns[column].count.type;
    }
    if (builder->header.default_sample_type.len != 0)
        return true;
    return gate_error_set(err, GATE_ERR_FORMAT,
                          "a Java Flight Recorder file without samples of CPU time, allocations or locks: record with "
                          "'-XX:StartFlightRecording:settings=profile' while the program has work");
}

/*
 * Convert a JDK Flight Recorder file of one or more chunks to pprof. Each kind of event that it contains, or that
 * its settings enable, gives two columns, a number of events and a value:
 *
 * samples, cpu                jdk.ExecutionSample and jdk.NativeMethodSample; instead of both jdk.CPUTimeSample, if
 *                             there is one. `cpu` only if the recording contains its interval.
 * wall_samples, wall          profiler.WallClockSample; in files of async-profiler before 3.0, jdk.ExecutionSample
 *                             with another state than STATE_DEFAULT
 * alloc_samples, alloc_space  jdk.ObjectAllocationInNewTLAB and OutsideTLAB; only without both,
 *                             jdk.ObjectAllocationSample
 * inuse_samples, inuse_space  profiler.LiveObject
 * malloc_samples, malloc_space  profiler.Malloc
 * contentions, delay          jdk.JavaMonitorEnter, and jdk.ThreadPark of a lock or semaphore
 *
 * The first jdk.ObjectAllocationSample of a thread, which counts what it allocated before the recording, is cut.
 * Comments count such samples, and the events that are left out: native methods that wait, and threads that park for
 * other reasons. The thread's name is the label `thread`; the state of a wall-clock sample is the label `state`;
 * samples of the processor and of the wall clock in a method that is not compiled have the label `code` with the value
 * `interpreted`. Frames are spelled as async-profiler's converter does. See gate_format_fill in formats/reader.h.
 */
static bool jfr_fill(struct gate_builder *builder, struct gate_str bytes, const struct gate_limits *limits,
                     struct gate_error *err) {
    struct recording recording = {.builder = builder,
                                  .bytes = bytes,
                                  .limits = limits,
                                  .scratch = builder->arena,
                                  .steps = limits->steps == 0 ? UINT64_MAX : limits->steps};
    gate_table_init(&recording.threads, builder->arena);
    for (int column = 0; column < COLUMNS; column++) {
        gate_builder_type(builder, columns[column].count.type, columns[column].count.unit);
        gate_builder_type(builder, columns[column].value.type, columns[column].value.unit);
    }
    if (builder->is_full)
        return gate_arena_error(builder->arena, err);
    if (!chunks_read(&recording, err) || !comments_add(&recording, err) || !columns_choose(&recording, err))
        return false;
    builder->header.time_ns = recording.start_ns;
    builder->header.duration_ns = recording.end_ns - recording.start_ns;
    if (recording.has_mixed_periods || recording.lacks_interval[CPU])
        builder->header.period = 0;
    if (builder->header.period != 0)
        builder->header.period_type = columns[CPU].value;
    return true;
}

const struct gate_reader gate_jfr_reader = {
    .name = "Java Flight Recorder",
    .magic = GATE_READER_MAGIC("FLR\0"),
    .format = GATE_FORMAT_JFR,
    .fill = jfr_fill,
};
