/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/session/input.h"

#include "gate/base/file.h"
#include "gate/capture/backend.h"
#include "gate/capture/paths.h"
#include "gate/formats/format.h"
#include "gate/formats/summary.h"
#include "gate/session/session.h"

#include <errno.h>

enum { SMALL_BYTES_MAX = 1024 * 1024 };

/* A summary may take as much memory as other inputs of its size. Each byte beyond SUMMARY_USUAL_BYTES counts
 * SUMMARY_LARGE_RATIO times, because runs compress well. */
enum { SUMMARY_USUAL_BYTES = 1024 * 1024, SUMMARY_LARGE_RATIO = 4 };

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
    ok = ok && gate_buf_keep_into(bytes, &buf, arena, err);
    gate_buf_free(&buf);
    return ok;
}

const struct gate_session_kept *gate_input_kept(const struct gate_session *session, const char *path) {
    uint32_t index =
        session->kept_names.count == 0 ? GATE_TABLE_NONE : gate_table_find(&session->kept_names, gate_str_from(path));
    return index == GATE_TABLE_NONE ? NULL : &session->kept[index];
}

bool gate_input_is_summary(const char *path) {
    return gate_str_ends(gate_str_from(path), GATE_STR(GATE_SUMMARY_ENDING));
}

bool gate_input_keep(struct gate_session *session, struct gate_session_kept kept, struct gate_error *err) {
    struct gate_arena *arena = session->arena;
    uint32_t count = session->kept_names.count;
    if (count == 0)
        gate_table_init(&session->kept_names, arena);
    if (!GATE_GROW(arena, session->kept, count, session->kept_capacity))
        return gate_arena_error(arena, err);
    uint32_t index = gate_table_intern(&session->kept_names, gate_str_from(kept.path));
    if (index == GATE_TABLE_NONE)
        return gate_arena_error(arena, err);
    if (index == count)
        session->kept[index] = kept;
    return true;
}

bool gate_input_kept_bytes(struct gate_str *bytes, const struct gate_session_kept *kept, struct gate_arena *arena,
                           struct gate_error *err) {
    *bytes = kept->bytes;
    return kept->run == NULL || gate_summary_run_profile(bytes, kept->run, arena, err);
}

size_t gate_input_kept_size(const struct gate_session_kept *kept, struct gate_str bytes) {
    return kept != NULL && kept->run != NULL ? kept->run->stored_bytes : bytes.len;
}

uint64_t gate_input_kept_steps(const struct gate_session_kept *kept, struct gate_str bytes) {
    return kept != NULL && kept->run != NULL ? gate_summary_run_steps(bytes.len) : 0;
}

void gate_input_allow_memory(struct gate_session *session, size_t bytes, const struct gate_limits *limits) {
    const size_t most = gate_limits_default().memory_bytes;
    bytes = bytes > most / GATE_LIMITS_MEMORY_RATIO ? most : bytes * GATE_LIMITS_MEMORY_RATIO;
    if (limits->memory_bytes == 0)
        gate_arena_allow(session->arena, bytes, GATE_LIMITS_MEMORY_LEAST, most);
    else
        gate_arena_cap(session->arena, limits->memory_bytes);
}

/* ---- summaries --------------------------------------------------------------------------------------------------- */

/* Return the path of a run. Runs with one name get a number. `*number` is the largest number of this name so far, or 0.
 * `.ptr` NULL: the arena is full. */
static struct gate_str run_path(const struct gate_session *session, const char *file, struct gate_str name,
                                uint32_t *number) {
    struct gate_str path;
    do {
        path = ++*number == 1
                   ? gate_str_format(session->arena, "%s/%.*s", file, GATE_STR_ARG(name))
                   : gate_str_format(session->arena, "%s/%.*s#%u", file, GATE_STR_ARG(name), (unsigned)*number);
    } while (path.ptr != NULL && gate_input_kept(session, path.ptr) != NULL);
    return path;
}

bool gate_input_keep_summary(struct gate_session_summary *out, const char *file, struct gate_str bytes,
                             struct gate_session *session, const struct gate_limits *limits, struct gate_error *err) {
    struct gate_arena *arena = session->arena;
    struct gate_summary summary;
    size_t large = bytes.len > SUMMARY_USUAL_BYTES ? bytes.len - SUMMARY_USUAL_BYTES : 0;
    struct gate_table names;
    gate_input_allow_memory(session, bytes.len - large + large * SUMMARY_LARGE_RATIO, limits);
    if (!gate_summary_read(&summary, bytes, limits, arena, err))
        return false;
    *out = (struct gate_session_summary){file, session->kept_names.count, summary.count};
    gate_table_init(&names, arena);
    uint32_t *numbers = GATE_NEW_ARRAY(arena, uint32_t, summary.count);
    if (numbers == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < summary.count; i++) {
        uint32_t name = gate_table_intern(&names, summary.runs[i].name);
        struct gate_str path = {0};
        if (name != GATE_TABLE_NONE)
            path = run_path(session, file, summary.runs[i].name, &numbers[name]);
        if (path.ptr == NULL)
            return gate_arena_error(arena, err);
        if (!gate_input_keep(session, (struct gate_session_kept){.path = path.ptr, .run = &summary.runs[i]}, err))
            return false;
    }
    return true;
}

/* Keep the runs of a file. */
static bool summary_keep(struct gate_session_summary *out, const char *file, struct gate_session *session,
                         const struct gate_limits *limits, struct gate_error *err) {
    struct gate_str bytes;
    return gate_source_read(&bytes, gate_str_from(file), limits, session->arena, err) &&
           gate_input_keep_summary(out, file, bytes, session, limits, err);
}

/* Return the runs of a file, which is read once. NULL: `err` is set. */
static const struct gate_session_summary *summary_find(const char *file, struct gate_session *session,
                                                       const struct gate_limits *limits, struct gate_error *err) {
    uint32_t count = session->summary_count;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(session->summaries[i].path, file) == 0)
            return &session->summaries[i];
    if (!GATE_GROW(session->arena, session->summaries, count, session->summary_capacity)) {
        (void)gate_arena_error(session->arena, err);
        return NULL;
    }
    if (!summary_keep(&session->summaries[count], file, session, limits, err)) {
        (void)gate_error_prefix(err, "%s", file);
        return NULL;
    }
    session->summary_count++;
    return &session->summaries[count];
}

/* Add a file, or the runs of a summary. */
static bool file_add(struct gate_paths *out, const char *file, struct gate_session *session,
                     const struct gate_limits *limits, struct gate_error *err) {
    if (gate_input_kept(session, file) != NULL || !gate_input_is_summary(file))
        return gate_paths_add(out, file, session->arena, err);
    const struct gate_session_summary *summary = summary_find(file, session, limits, err);
    if (summary == NULL)
        return false;
    GATE_ASSERT(session->kept != NULL || summary->count == 0);
    for (uint32_t i = 0; i < summary->count; i++)
        if (!gate_paths_add(out, session->kept[summary->first + i].path, session->arena, err))
            return false;
    return true;
}

bool gate_input_expand(struct gate_paths *out, const struct gate_paths *paths, struct gate_session *session,
                       const struct gate_limits *limits, struct gate_error *err) {
    struct gate_limits caps = gate_limits_fill(limits);
    caps.memory_bytes = limits == NULL ? 0 : limits->memory_bytes; /* 0: the limit depends on the size of the inputs */
    *out = (struct gate_paths){0};
    for (uint32_t i = 0; i < paths->count; i++) {
        const struct gate_paths one = {.items = &paths->items[i], .count = 1};
        struct gate_paths files = one; /* the name of an input that is kept is not a pattern */
        if (gate_input_kept(session, one.items[0]) == NULL && !gate_paths_expand(&files, &one, session->arena, err))
            return false;
        for (uint32_t f = 0; f < files.count; f++)
            if (!file_add(out, files.items[f], session, &caps, err))
                return false;
    }
    return true;
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
    if (kept != NULL)
        return gate_input_kept_bytes(bytes, kept, arena, err);
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
