/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of stores of profiles ("backends" in names: gate/store is that of baselines): which server, whose profiles,
 * which window. Pipeline: --baseline, --canary, arguments of check and merge -> capture/backend_address.h ->
 * capture/backend_query.h
 */
#ifndef GATE_CAPTURE_BACKEND_ADDRESS_H
#define GATE_CAPTURE_BACKEND_ADDRESS_H

#include "gate/capture/capture_url.h"
#include "gate/capture/window.h"

enum gate_backend {
    GATE_BACKEND_NONE, /* no store: a program that is profiled now */
    GATE_BACKEND_PYROSCOPE,
    GATE_BACKEND_PARCA,
    GATE_BACKENDS
};

/** "pyroscope+https://USER:PASSWORD@HOST/PATH?query=TYPE{LABELS}&from=MOMENT&to=MOMENT&runs=N". */
struct gate_backend_address {
    enum gate_backend store;
    struct gate_capture_url server; /* without a query */
    struct gate_str type;           /* "process_cpu:cpu:nanoseconds:cpu:nanoseconds"; empty: that of the kind */
    struct gate_str selector;       /* "{service_name=\"shop\"}" */
    struct gate_str from, to;       /* as written; empty: not said */
    uint32_t runs;                  /* slices of the window; 0: not said */
    uint32_t max_nodes;             /* that a merged profile of Pyroscope may have; 0: not said */
};

/** Whether `text` begins with a store's scheme, such as "pyroscope+http://". */
bool gate_backend_address_is(struct gate_str text);

/**
 * Read one. Values of the query are percent-decoded ('+' stays); quotes and blanks may stand as they are.
 *
 * out  texts are views of `text`, or arena memory
 * err  GATE_ERR_USAGE what is expected; never says the user or the password
 */
GATE_MUST_CHECK
bool gate_backend_address_read(struct gate_backend_address *out, struct gate_str text, struct gate_arena *arena,
                               struct gate_error *err);

/** The type of profile that is asked for, said or of the kind. err: GATE_ERR_USAGE the store has none for this kind. */
GATE_MUST_CHECK
bool gate_backend_address_type(struct gate_str *out, const struct gate_backend_address *address,
                               enum gate_capture_kind kind, struct gate_error *err);

/** For people and manifests, and as it may be read again: without user and password, with this type and window.
 * `window` NULL: without one. `.ptr` is NULL when the arena is full. */
struct gate_str gate_backend_address_show(const struct gate_backend_address *address, struct gate_str type,
                                          const struct gate_window *window, struct gate_arena *arena);

/** Which build the labels ask for: the value of the first of service_git_ref, git_ref, commit, service_version, version
 * and build_id that is asked for as equal; empty: none is. A view of the selector. */
struct gate_str gate_backend_address_version(const struct gate_backend_address *address);

/** How the store is called in messages: "Pyroscope". */
const char *gate_backend_name(enum gate_backend store);

#endif
