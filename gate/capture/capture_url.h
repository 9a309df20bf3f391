/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses to take profiles from: read, made into those of one kind, and shown without what is secret in them.
 * Pipeline: --baseline, --canary -> capture/capture_url.h -> capture/fetch.h */
#ifndef GATE_CAPTURE_CAPTURE_URL_H
#define GATE_CAPTURE_CAPTURE_URL_H

#include "gate/capture/capture_kind.h"

/** "http://USER:PASSWORD@HOST:PORT/PATH?QUERY", or "unix://SOCKET:/PATH?QUERY". Views of the text; `path` may be empty.
 */
struct gate_capture_url {
    bool is_tls;
    struct gate_str user; /* USER:PASSWORD as written; empty: none */
    struct gate_str host; /* with the port, if any; empty: a unix socket */
    struct gate_str socket;
    struct gate_str path, query; /* "/debug/pprof", "seconds=3" */
};

/** err: GATE_ERR_USAGE what is expected; never says the user, the password or the query. */
GATE_MUST_CHECK
bool gate_capture_url_read(struct gate_capture_url *out, struct gate_str text, struct gate_error *err);

/** Whether it is no address of one profile but of a server or its /debug/pprof, where every kind has its place. */
bool gate_capture_url_is_base(const struct gate_capture_url *url);

/**
 * The address of one kind: of a base by the conventions of Go's net/http/pprof, of anything else as it is, with
 * `{seconds}` in it replaced. `user` stays apart.
 *
 * out  path and query are arena memory
 * err  GATE_ERR_USAGE an address of another kind, a heap with seconds
 */
GATE_MUST_CHECK
bool gate_capture_url_of_kind(struct gate_capture_url *out, const struct gate_capture_url *url,
                              enum gate_capture_kind kind, uint32_t seconds, struct gate_arena *arena,
                              struct gate_error *err);

/** The same server's other path, such as "/metrics", without a query. */
struct gate_capture_url gate_capture_url_beside(const struct gate_capture_url *url, struct gate_str path);

/** What `seconds=` says, or `otherwise`. */
double gate_capture_url_seconds(const struct gate_capture_url *url, double otherwise);

/** What goes over the wire, without the user; of a unix socket the host is "localhost". NUL-terminated; NULL: full. */
const char *gate_capture_url_wire(const struct gate_capture_url *url, struct gate_arena *arena);

/** For people and manifests: without user and password, and of the query only what is known to be harmless; of anything
 * else only the key. `.ptr` is NULL when the arena is full. */
struct gate_str gate_capture_url_show(const struct gate_capture_url *url, struct gate_arena *arena);

/** The same of any text, an address or not. */
struct gate_str gate_capture_url_show_text(struct gate_str text, struct gate_arena *arena);

#endif
