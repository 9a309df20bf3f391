/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/session/merge_inputs.h"

#include "gate/base/parallel.h"
#include "gate/formats/format.h"
#include "gate/session/debuginfod.h"
#include "gate/session/file_roles.h"
#include "gate/session/input.h"
#include "gate/session/load_sides.h"
#include "gate/session/reports.h"
#include "gate/session/session.h"

#include <sys/stat.h>

void gate_merge_inputs_begin(void *options) {
    struct gate_merge_inputs *inputs = options;
    inputs->asking.limits = &inputs->profiles.limits;
}

unsigned gate_merge_inputs_needs(const void *options) {
    return gate_backend_inputs_needs(&((const struct gate_merge_inputs *)options)->profiles.arguments, 1);
}

bool gate_merge_inputs_check(const struct gate_merge_inputs *inputs, const char *verb, enum gate_own_mark mark,
                             struct gate_session *session, struct gate_error *err) {
    struct gate_arena *arena = session->arena;
    struct gate_file_roles roles = {0};
    if (inputs->profiles.arguments.count == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "expected a PROFILE to %s", verb);
    if (inputs->output == NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "no output is named; add --output FILE, or --output - for standard output");
    return gate_output_spare_terminal(session, inputs->output, "output", err) &&
           gate_profile_options_note(&inputs->profiles, "a profile", &roles, arena, err) &&
           gate_capture_options_note(&inputs->asking, &roles, arena, err) && gate_file_roles_check(&roles, err) &&
           gate_file_roles_write(&roles, inputs->output, mark, session, err);
}

/* ---- load the next profile in parallel; if that fails, it is loaded again in its turn, with the same result ------ */

/* One loaded profile, and the arena that holds it. */
struct loaded {
    struct gate_arena arena;
    struct gate_profile profile;
    size_t file_bytes;   /* of a summary's run, its share of the file */
    uint64_t made_steps; /* of making the profile of a summary's run; else 0 */
    bool is_loaded;
};

/* The current profile and the next one. */
struct load_ahead {
    const struct gate_session *session;
    const struct gate_paths *paths;
    const struct gate_limits *limits;
    struct loaded ones[2];
    uint32_t at;
};

/* Processes the current profile. It must not allocate from the run's arenas, except from forks of them. */
typedef void load_ahead_work(void *context);

/* Size of files for which a second thread is worthwhile and memory stays small, and the limit of their inflated
 * size. */
enum { LEAST_BYTES = 16 << 10, MOST_BYTES = 4 << 20, INFLATED_MOST = 32 << 20 };

/* Start before the first path. */
static void load_ahead_begin(struct load_ahead *ahead, const struct gate_session *session,
                             const struct gate_paths *paths, const struct gate_limits *limits) {
    *ahead = (struct load_ahead){.session = session, .paths = paths, .limits = limits};
}

static bool one_load(struct loaded *one, const struct load_ahead *ahead, uint32_t index,
                     const struct gate_limits *limits, struct gate_error *err) {
    struct gate_str bytes;
    one->is_loaded = gate_input_read(&bytes, ahead->session, ahead->paths->items[index], limits, &one->arena, err) &&
                     gate_profile_load(&one->profile, bytes, limits, &one->arena, err);
    const struct gate_session_kept *kept = gate_input_kept(ahead->session, ahead->paths->items[index]);
    one->file_bytes = one->is_loaded ? gate_input_kept_size(kept, bytes) : 0;
    one->made_steps = one->is_loaded ? gate_input_kept_steps(kept, bytes) : 0;
    if (!one->is_loaded)
        gate_arena_free(&one->arena);
    return one->is_loaded;
}

static struct loaded *one_of(struct load_ahead *ahead, uint32_t index) {
    return &ahead->ones[index % 2];
}

/* Get the next profile. It is valid until load_ahead_do. Returns false at the end, or with `err` set. Errors
 * are reported in the order of the paths, whichever thread found them. */
static bool load_ahead_next(struct loaded **out, struct load_ahead *ahead, struct gate_error *err) {
    if (ahead->at == ahead->paths->count)
        return false;
    *out = one_of(ahead, ahead->at);
    if ((*out)->is_loaded)
        return true;
    gate_arena_fork(&(*out)->arena, ahead->session->arena);
    return one_load(*out, ahead, ahead->at, ahead->limits, err);
}

/* Return whether to load a path ahead: it is a regular file, and the run has used less than half of its memory. */
static bool is_worth(const struct load_ahead *ahead, uint32_t index) {
    struct stat status;
    const struct gate_arena_pool *pool = ahead->session->arena->pool;
    const char *path = index < ahead->paths->count ? ahead->paths->items[index] : "-";
    if (gate_paths_is_stream(path) || gate_input_kept(ahead->session, path) != NULL || stat(path, &status) != 0 ||
        !S_ISREG(status.st_mode) || status.st_size < LEAST_BYTES || status.st_size > MOST_BYTES)
        return false;
    return pool == NULL || pool->limit_bytes == 0 || pool->used_bytes < pool->limit_bytes / 2;
}

/* One of two parallel tasks: the caller's work, or loading the next profile. */
struct half {
    load_ahead_work *work; /* NULL: load the next profile */
    void *context;
    struct load_ahead *ahead;
};

static void half_do(void *context) {
    const struct half *half = context;
    if (half->work != NULL) {
        half->work(half->context);
        return;
    }
    struct gate_error ignored = {0};
    struct gate_limits limits = gate_limits_fill(half->ahead->limits);
    uint32_t index = half->ahead->at + 1;
    if (limits.inflated_bytes > INFLATED_MOST)
        limits.inflated_bytes = INFLATED_MOST;
    (void)one_load(one_of(half->ahead, index), half->ahead, index, &limits, &ignored);
}

/* Call work(context), and load the next path in parallel if that is worthwhile. Then free the current profile. */
static void load_ahead_do(struct load_ahead *ahead, load_ahead_work *work, void *context) {
    struct half first = {.work = work, .context = context}, second = {.ahead = ahead};
    if (is_worth(ahead, ahead->at + 1)) {
        gate_arena_fork(&one_of(ahead, ahead->at + 1)->arena, ahead->session->arena);
        gate_parallel_both(half_do, &first, &second);
    } else {
        work(context);
    }
    struct loaded *done = one_of(ahead, ahead->at++);
    gate_arena_free(&done->arena);
    done->is_loaded = false;
}

/* Free all remaining profiles. */
static void load_ahead_end(struct load_ahead *ahead) {
    for (int i = 0; i < 2; i++)
        gate_arena_free(&ahead->ones[i].arena);
}

/* ---- adding ----------------------------------------------------------------------------------------------------- */

/* A profile that is being added. */
struct adding {
    gate_merge_inputs_add *add;
    void *sum;
    struct gate_merge_inputs_one one;
    struct gate_error err;
    bool ok;
};

static void adding_do(void *context) {
    struct adding *adding = context;
    adding->ok = adding->add(adding->sum, &adding->one, &adding->err);
}

/* Load, add and free the next profile. */
static bool next_add(struct adding *adding, struct load_ahead *ahead, struct gate_session *session,
                     struct gate_error *err) {
    struct loaded *loaded = NULL;
    struct gate_profile named;
    adding->ok = false;
    adding->err = (struct gate_error){0};
    adding->one = (struct gate_merge_inputs_one){.profile = &named, .path = ahead->paths->items[ahead->at]};
    bool ok = load_ahead_next(&loaded, ahead, &adding->err);
    if (ok) {
        session->steps.needed += loaded->made_steps;
        gate_steps_add(&session->steps, &loaded->profile, loaded->file_bytes);
    }
    ok = ok && gate_steps_check(&session->steps, ahead->limits, &adding->err) &&
         gate_symbol_options_apply(&named, &loaded->profile, session, &loaded->arena, &adding->err);
    if (ok) {
        adding->one.arena = &loaded->arena;
        load_ahead_do(ahead, adding_do, adding);
    }
    return (ok && adding->ok) ||
           gate_error_set(err, adding->err.code, "%s: %s", gate_input_name(adding->one.path), adding->err.message);
}

static bool load_all(struct gate_merge_inputs *inputs, gate_merge_inputs_add *add, void *sum,
                     struct gate_session *session, struct gate_error *err) {
    struct gate_paths paths;
    struct load_ahead ahead;
    struct adding adding = {.add = add, .sum = sum};
    bool ok = true;
    if (!gate_input_expand(&paths, &inputs->profiles.arguments, session, &inputs->profiles.limits, err))
        return false;
    gate_load_sides_limit(session, &paths, SIZE_MAX, &inputs->profiles.limits);
    load_ahead_begin(&ahead, session, &paths, &inputs->profiles.limits);
    for (uint32_t i = 0; ok && i < paths.count; i++)
        ok = next_add(&adding, &ahead, session, err);
    load_ahead_end(&ahead);
    return ok;
}

bool gate_merge_inputs_load(struct gate_merge_inputs *inputs, gate_merge_inputs_add *add, void *sum,
                            struct gate_session *session, struct gate_error *err) {
    if (!gate_debuginfod_open(&inputs->profiles.symbols, session, err) ||
        !gate_backend_inputs_take(&inputs->profiles.arguments, 1, &inputs->asking, session, err))
        return false;
    /* Stores were queried already. */
    gate_sandboxing_narrow(session, gate_symbol_options_needs(&inputs->profiles.symbols));
    return load_all(inputs, add, sum, session, err);
}
