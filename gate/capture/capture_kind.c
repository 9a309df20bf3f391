/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/capture/capture_kind.h"

#include "gate/base/str.h"

/* Mutex, block and allocs profiles count from the start of the process. With `seconds` they have the events of that
 * time, and no value is negative. A difference of heap in use can be negative, so a heap is taken without `seconds`. */
static const struct gate_capture_kind_row rows[GATE_CAPTURE_KINDS] = {
    [GATE_CAPTURE_CPU] = {.name = "cpu",
                          .folder = "pprof",
                          .endpoint = "/profile",
                          .takes_time = true,
                          .types = {"cpu", "samples"},
                          .pyroscope_type = "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
                          .parca_type = "process_cpu:cpu:nanoseconds:cpu:nanoseconds:delta",
                          .when_empty = "was the program idle? Give it load, or take longer with --seconds"},
    [GATE_CAPTURE_HEAP] =
        {.name = "heap",
         .folder = "pprof",
         .endpoint = "/heap",
         .query = "gc=1", /* without it, the profile shows Go's heap at its last garbage collection, which may be old */
         .types = {"inuse_space", "alloc_space"},
         .pyroscope_type = "memory:inuse_space:bytes:space:bytes",
         .parca_type = "memory:inuse_space:bytes:space:bytes",
         .when_empty = "is runtime.MemProfileRate 0?"},
    [GATE_CAPTURE_ALLOCS] = {.name = "allocs",
                             .folder = "pprof",
                             .endpoint = "/allocs",
                             .takes_time = true,
                             .collecting = "/heap",
                             .types = {"alloc_space", "inuse_space"},
                             .pyroscope_type = "memory:alloc_space:bytes:space:bytes",
                             .parca_type = "memory:alloc_space:bytes:space:bytes",
                             .when_empty = "Go counts allocations when its collector has run, and it may not have; "
                                           "serve /debug/pprof/heap, by which it is run, or take longer with "
                                           "--seconds (or is runtime.MemProfileRate 0?)",
                             .window_may_be_empty = true},
    [GATE_CAPTURE_MUTEX] =
        {.name = "mutex",
         .folder = "pprof",
         .endpoint = "/mutex",
         .takes_time = true,
         .types = {"contentions", "delay"},
         .pyroscope_type = "mutex:delay:nanoseconds:contentions:count",
         .parca_type = "mutex:delay:nanoseconds:contentions:count",
         .when_empty =
             "nothing waited, or its profiler is off (the program has to call runtime.SetMutexProfileFraction)",
         .may_be_empty = true},
    [GATE_CAPTURE_BLOCK] =
        {.name = "block",
         .folder = "pprof",
         .endpoint = "/block",
         .takes_time = true,
         .types = {"contentions", "delay"},
         .pyroscope_type = "block:delay:nanoseconds:contentions:count",
         .parca_type = "block:delay:nanoseconds:contentions:count",
         .when_empty = "nothing waited, or its profiler is off (the program has to call runtime.SetBlockProfileRate)",
         .may_be_empty = true},
    [GATE_CAPTURE_GOROUTINE] = {.name = "goroutine",
                                .folder = "pprof",
                                .endpoint = "/goroutine",
                                .types = {"goroutine"},
                                .pyroscope_type = "goroutine:goroutine:count:goroutine:count",
                                .parca_type = "goroutine:goroutine:count:goroutine:count",
                                .when_empty = "is this a Go program?"},
    [GATE_CAPTURE_WALL] = {.name = "wall",
                           .folder = "fgprof",
                           .endpoint = "",
                           .takes_time = true,
                           .types = {"time", "wall"},
                           .pyroscope_type = "wall:wall:nanoseconds:wall:nanoseconds",
                           .parca_type = "fgprof:samples:count:wallclock:nanoseconds:delta",
                           .when_empty = "was the program idle?"},
};

const char *const gate_capture_kind_words[] = {"cpu", "heap", "allocs", "mutex", "block", "goroutine", "wall", NULL};

const struct gate_capture_kind_row *gate_capture_kind_row(enum gate_capture_kind kind) {
    GATE_ASSERT(kind < GATE_CAPTURE_KINDS);
    return &rows[kind];
}

enum gate_capture_kind gate_capture_kind_of_type(struct gate_str type) {
    enum gate_capture_kind found = GATE_CAPTURE_KINDS;
    for (int kind = 0; kind < GATE_CAPTURE_KINDS; kind++)
        if (gate_str_equal(type, gate_str_from(rows[kind].types[0]))) {
            if (found != GATE_CAPTURE_KINDS)
                return GATE_CAPTURE_KINDS;
            found = (enum gate_capture_kind)kind;
        }
    return found;
}
