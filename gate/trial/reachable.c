/* SPDX-License-Identifier: Apache-2.0 */
/* Whether somebody answers (see reachable.h). */
#include "gate/trial/reachable.h"

#include "gate/capture/fetch.h"
#include "gate/rules/try_rules.h"

#include <errno.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_BYTES_MAX = 1024 * 1024, ANSWER_SECONDS = 5 };

static bool try_url(const char *place, struct gate_arena *arena, struct gate_error *err) {
    struct gate_fetch request = {.seconds = ANSWER_SECONDS, .max_bytes = ANSWER_BYTES_MAX};
    struct gate_fetch *const requests[] = {&request};
    const struct gate_fetch_options options = {.connect_seconds = 1};
    bool ok = gate_capture_url_read(&request.url, gate_str_from(place), err) &&
              gate_fetch_all(requests, 1, &options, arena, err);
    if (ok && !request.is_well)
        ok = gate_error_set(err, GATE_ERR_IO, "%s", request.err.message);
    gate_buf_free(&request.body);
    return ok;
}

/* HOST and PORT of "HOST:PORT"; both arena memory. */
static bool split(const char **host, const char **port, const char *place, struct gate_arena *arena,
                  struct gate_error *err) {
    const char *colon = strrchr(place, ':');
    struct gate_str name = {place, colon == NULL ? 0 : (size_t)(colon - place)};
    if (name.len > 2 && name.ptr[0] == '[' && name.ptr[name.len - 1] == ']')
        name = gate_str_slice(name, 1, name.len - 1);
    struct gate_str shown = gate_capture_url_show_text(gate_str_from(place), arena);
    if (name.len == 0 || colon[1] == '\0' || strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'try.ready' expects HOST:PORT, such as 127.0.0.1:8080, or a URL; found '%.*s'",
                              GATE_STR_ARG(shown));
    *host = gate_str_copy(arena, name).ptr;
    *port = colon + 1;
    return *host != NULL || gate_arena_error(arena, err);
}

bool gate_reachable_try(const char *place, struct gate_arena *arena, struct gate_error *err) {
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    const char *host = NULL, *port = NULL;
    if (gate_try_rules_is_url(gate_str_from(place)))
        return try_url(place, arena, err);
    if (!split(&host, &port, place, arena, err))
        return false;
    int reason = getaddrinfo(host, port, &hints, &found);
    if (reason != 0)
        return gate_error_set(err, GATE_ERR_IO, "%s", gai_strerror(reason));
    bool is_there = false;
    for (const struct addrinfo *at = found; at != NULL && !is_there; at = at->ai_next) {
        int descriptor = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
        is_there = descriptor >= 0 && connect(descriptor, at->ai_addr, at->ai_addrlen) == 0;
        if (descriptor >= 0)
            (void)close(descriptor);
    }
    freeaddrinfo(found);
    return is_there || gate_error_set(err, GATE_ERR_IO, "nobody listens");
}
