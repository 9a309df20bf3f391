/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of profile that are taken, and how Go's net/http/pprof and fgprof serve them: one row a kind.
 * Pipeline: capture/capture_kind.h -> capture/capture_url.h, capture/arrival.h */
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
    const char *folder;                      /* below /debug/: "pprof" */
    const char *endpoint;                    /* in it, "/profile"; empty: the folder itself */
    bool takes_time;                         /* ?seconds=N: what happened in these; else what there is at one moment */
    const char *types[3];                    /* sample types, of which such a profile has one; NULL-terminated */
    const char *pyroscope_type, *parca_type; /* how stores call it, as agents send it; NULL: it has to be said */
    const char *when_empty;                  /* what may be the matter with a profile without samples */
};

/** Static rows. */
const struct gate_capture_kind_row *gate_capture_kind_row(enum gate_capture_kind kind);

/** The words, NULL-terminated, in the order of the enum. */
extern const char *const gate_capture_kind_words[];

/** Whose endpoint of net/http/pprof this is ("/profile"); GATE_CAPTURE_KINDS: of none that is known. */
enum gate_capture_kind gate_capture_kind_of_endpoint(struct gate_str folder, struct gate_str endpoint);

/** Whose sample type this is, where only one kind has it; else GATE_CAPTURE_KINDS. */
enum gate_capture_kind gate_capture_kind_of_type(struct gate_str type);

#endif
