/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of profile that can be captured. */
#ifndef GATE_CAPTURE_CAPTURE_KIND_H
#define GATE_CAPTURE_CAPTURE_KIND_H

#include "gate/base/str.h"

enum gate_capture_kind {
    GATE_CAPTURE_CPU,
    GATE_CAPTURE_HEAP,
    GATE_CAPTURE_ALLOCS,
    GATE_CAPTURE_MUTEX,
    GATE_CAPTURE_BLOCK,
    GATE_CAPTURE_GOROUTINE,
    GATE_CAPTURE_WALL,
    GATE_CAPTURE_KINDS
};

struct gate_capture_kind_row {
    const char *name;
    const char *folder;                      /* path below /debug/, such as "pprof" */
    const char *endpoint;                    /* path in `folder`, "/profile"; empty: the folder itself */
    bool takes_time;                         /* supports ?seconds=N, events during that time; else a snapshot of one
                                                moment */
    const char *query;                       /* appended to the request, "gc=1"; NULL: nothing */
    const char *collecting;                  /* endpoint in `folder` whose request runs the garbage collector, for a
                                                profile that only counts up to its last run; NULL: not needed */
    const char *types[3];                    /* sample types; a profile of this kind has at least one of them;
                                                NULL-terminated */
    const char *pyroscope_type, *parca_type; /* the type name that agents send to each store; NULL: the address must
                                                give it */
    const char *when_empty;                  /* hint why a profile may have no samples */
    bool window_may_be_empty;                /* a busy program may have no samples in a window: `gate` leaves it out */
    bool may_be_empty;                       /* no samples is not an error, because possibly nothing happened */
};

/** Return the static row of `kind`. */
const struct gate_capture_kind_row *gate_capture_kind_row(enum gate_capture_kind kind);

/** The names, NULL-terminated, in the order of the enum. */
extern const char *const gate_capture_kind_words[];

/** Return the kind whose main sample type this is, if only one kind has it; else GATE_CAPTURE_KINDS. */
enum gate_capture_kind gate_capture_kind_of_type(struct gate_str type);

#endif
