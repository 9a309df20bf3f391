/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the bytes of an input: a file, standard input, or a slice that a profile store returned. */
#include "gate/session/input.h"

#include "gate/base/file.h"
#include "gate/capture/backend.h"
#include "gate/formats/format.h"
#include "gate/formats/source.h"
#include "gate/session/paths.h"
#include "gate/session/session.h"

#include <errno.h>

enum { SMALL_BYTES_MAX = 1024 * 1024 };

const char *gate_input_name(const char *path) {
    return gate_paths_is_stream(path) ? "standard input" : path;
}

static bool input_read_stream(struct gate_str *bytes, FILE *stream, const struct gate_limits *limits,
                              struct gate_arena *arena, struct gate_error *err) {
    struct gate_buf buf = {0};
    char chunk[65536];
    bool ok = true;
    for (size_t got; ok && (got = gate_stream_read(chunk, sizeof chunk, stream)) > 0;) {
        gate_buf_bytes(&buf, chunk, got);
        if (buf.len > limits->compressed_bytes)
            ok = gate_error_set(err, GATE_ERR_LIMIT,
                                "larger than %zu bytes; raise --max-compressed-size if the input is trusted",
                                limits->compressed_bytes);
    }
    ok = ok && gate_buf_check(&buf, err);
    if (ok && ferror(stream))
        ok = gate_error_set(err, GATE_ERR_IO, "cannot be read: %s", strerror(errno));
    if (ok) {
        *bytes = gate_str_copy(arena, gate_buf_view(&buf));
        ok = bytes->ptr != NULL || gate_arena_error(arena, err);
    }
    gate_buf_free(&buf);
    return ok;
}

const struct gate_session_kept *gate_input_kept(const struct gate_session *session, const char *path) {
    for (uint32_t i = 0; i < session->kept_count; i++)
        if (strcmp(session->kept[i].path, path) == 0)
            return &session->kept[i];
    return NULL;
}

bool gate_input_check(const char *path, struct gate_error *err) {
    return !gate_backend_address_is(gate_str_from(path)) ||
           gate_error_set(err, GATE_ERR_INPUT,
                          "this is the address of a store, which check, capture and merge ask; make it a file first, "
                          "with `pprofgate merge -o profile.pb.gz ADDRESS`");
}

bool gate_input_read(struct gate_str *bytes, const struct gate_session *session, const char *path,
                     const struct gate_limits *limits, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_session_kept *kept = gate_input_kept(session, path);
    if (gate_paths_is_stream(path))
        return input_read_stream(bytes, session->in, limits, arena, err);
    if (kept != NULL) {
        *bytes = kept->bytes;
        return true;
    }
    return gate_input_check(path, err) && gate_source_read(bytes, gate_str_from(path), limits, arena, err);
}

bool gate_input_read_small(struct gate_str *bytes, const struct gate_session *session, const char *path,
                           struct gate_arena *arena, struct gate_error *err) {
    struct gate_limits limits = gate_limits_default();
    limits.compressed_bytes = SMALL_BYTES_MAX;
    if (gate_input_read(bytes, session, path, &limits, arena, err))
        return true;
    if (err->code == GATE_ERR_LIMIT) /* no option raises this limit */
        return gate_error_set(err, GATE_ERR_LIMIT, "larger than %d bytes: is it the right file?", SMALL_BYTES_MAX);
    return false;
}
