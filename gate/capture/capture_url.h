/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of live endpoints: read them, derive the address of a kind, show them without secrets. */
#ifndef GATE_CAPTURE_CAPTURE_URL_H
#define GATE_CAPTURE_CAPTURE_URL_H

#include "gate/capture/capture_kind.h"

/**
 * "http://USER:PASSWORD@HOST:PORT/PATH?QUERY", or "unix://SOCKET:/PATH?QUERY". Fields are views of the text; `path` may
 * be empty.
 */
struct gate_capture_url {
    bool is_tls;
    struct gate_str user; /* USER:PASSWORD as written; empty: none */
    struct gate_str host; /* with the port, if any; empty: a unix socket is used */
    struct gate_str socket;
    struct gate_str path, query; /* "/debug/pprof", "seconds=3" */
};

/** Read an address. err: GATE_ERR_USAGE what is expected; never contains the user, the password or the query. */
GATE_MUST_CHECK
bool gate_capture_url_read(struct gate_capture_url *out, struct gate_str text, struct gate_error *err);

/** Return whether this is the address of a server or of its /debug/pprof, from which the address of each kind
 * follows. */
bool gate_capture_url_is_base(const struct gate_capture_url *url);

/**
 * Set `*out` to the address of one kind. A base address is extended by the conventions of Go's net/http/pprof. In
 * another address, "{seconds}" is replaced. `seconds` is appended to a known endpoint that takes time, unless the
 * address has it. `user` is kept.
 *
 * out  path and query are in `arena`
 * err  GATE_ERR_USAGE the address is of another kind, or is a heap with seconds
 */
GATE_MUST_CHECK
bool gate_capture_url_of_kind(struct gate_capture_url *out, const struct gate_capture_url *url,
                              enum gate_capture_kind kind, uint32_t seconds, struct gate_arena *arena,
                              struct gate_error *err);

/**
 * Set `*out` to the address of the same program whose request runs the garbage collector: for the address `url` of
 * `kind` "…/debug/pprof/allocs?seconds=5", it is "…/debug/pprof/heap?gc=1". Return false for other kinds and paths, if
 * the query has "gc=0", or if `arena` is full.
 */
bool gate_capture_url_collecting(struct gate_capture_url *out, const struct gate_capture_url *url,
                                 enum gate_capture_kind kind, struct gate_arena *arena);

/** Return the address of the same server's "/metrics". */
struct gate_capture_url gate_capture_url_metrics(const struct gate_capture_url *url);

/** Return the number in `seconds=` of the query; `otherwise` if there is none or it is not between 0 and 1e6. */
double gate_capture_url_seconds(const struct gate_capture_url *url, double otherwise);

/**
 * Return the URL as it is sent, without the user; for a unix socket the host is "localhost". NUL-terminated; NULL:
 * `arena` is full.
 */
const char *gate_capture_url_wire(const struct gate_capture_url *url, struct gate_arena *arena);

/**
 * Return the address for people and manifests: without user and password. Of the query only keys that are known to be
 * harmless show their values. `.ptr` is NULL if `arena` is full.
 */
struct gate_str gate_capture_url_show(const struct gate_capture_url *url, struct gate_arena *arena);

/** Like gate_capture_url_show, for any text. If it is not an address, drop all before the last '@' and after '?'. */
struct gate_str gate_capture_url_show_text(struct gate_str text, struct gate_arena *arena);

#endif
