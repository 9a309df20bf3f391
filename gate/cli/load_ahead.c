/* SPDX-License-Identifier: Apache-2.0 */
/* Loading the next profile meanwhile (see load_ahead.h). What does not go well meanwhile is done again when its turn
 * comes, as if nobody had tried: outcomes do not depend on it. */
#include "gate/cli/load_ahead.h"

#include "gate/base/parallel.h"
#include "gate/cli/input.h"

#include <sys/stat.h>

/* Files that are worth a thread, and that hold little; what such a file inflates to at most. */
enum { LEAST_BYTES = 16 << 10, MOST_BYTES = 4 << 20, INFLATED_MOST = 32 << 20 };

void gate_load_ahead_begin(struct gate_load_ahead *ahead, const struct gate_cli *cli, const struct gate_paths *paths,
                           const struct gate_limits *limits) {
    *ahead = (struct gate_load_ahead){.cli = cli, .paths = paths, .limits = limits};
}

static bool one_load(struct gate_load_ahead_one *one, const struct gate_load_ahead *ahead, uint32_t index,
                     const struct gate_limits *limits, struct gate_error *err) {
    struct gate_str bytes;
    one->is_loaded = gate_input_read(&bytes, ahead->cli, ahead->paths->items[index], limits, &one->arena, err) &&
                     gate_profile_load(&one->profile, bytes, limits, &one->arena, err);
    one->file_bytes = one->is_loaded ? bytes.len : 0;
    if (!one->is_loaded)
        gate_arena_free(&one->arena);
    return one->is_loaded;
}

static struct gate_load_ahead_one *one_of(struct gate_load_ahead *ahead, uint32_t index) {
    return &ahead->ones[index % 2];
}

bool gate_load_ahead_next(struct gate_load_ahead_one **out, struct gate_load_ahead *ahead, struct gate_error *err) {
    if (ahead->at == ahead->paths->count)
        return false;
    *out = one_of(ahead, ahead->at);
    if ((*out)->is_loaded)
        return true;
    gate_arena_fork(&(*out)->arena, ahead->cli->arena);
    return one_load(*out, ahead, ahead->at, ahead->limits, err);
}

/* A file that can be read twice, while half of what the run may take is left. */
static bool is_worth(const struct gate_load_ahead *ahead, uint32_t index) {
    struct stat status;
    const struct gate_arena_pool *pool = ahead->cli->arena->pool;
    const char *path = index < ahead->paths->count ? ahead->paths->items[index] : "-";
    if (gate_paths_is_stream(path) || gate_input_kept(ahead->cli, path) != NULL || stat(path, &status) != 0 ||
        !S_ISREG(status.st_mode) || status.st_size < LEAST_BYTES || status.st_size > MOST_BYTES)
        return false;
    return pool == NULL || pool->limit_bytes == 0 || pool->used_bytes < pool->limit_bytes / 2;
}

/* One of two things that are done at a time: the caller's, or loading. */
struct half {
    gate_load_ahead_work *work; /* NULL: loading */
    void *context;
    struct gate_load_ahead *ahead;
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

void gate_load_ahead_do(struct gate_load_ahead *ahead, gate_load_ahead_work *work, void *context) {
    struct half first = {.work = work, .context = context}, second = {.ahead = ahead};
    if (is_worth(ahead, ahead->at + 1)) {
        gate_arena_fork(&one_of(ahead, ahead->at + 1)->arena, ahead->cli->arena);
        gate_parallel_both(half_do, &first, &second);
    } else {
        work(context);
    }
    struct gate_load_ahead_one *done = one_of(ahead, ahead->at++);
    gate_arena_free(&done->arena);
    done->is_loaded = false;
}

void gate_load_ahead_end(struct gate_load_ahead *ahead) {
    for (int i = 0; i < 2; i++)
        gate_arena_free(&ahead->ones[i].arena);
}
