/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a function under each limit of memory until one is enough. */
#ifndef TESTS_SWEEP_H
#define TESTS_SWEEP_H

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "tests/unit/unit.h"

/** One call: it uses `arena` and `err`, and sets `done` if it succeeded. Zero-initialise. */
struct sweep {
    struct gate_arena arena;
    struct gate_error err;
    size_t limit;
    uint32_t refused; /* number of calls that a limit refused */
    bool done;
};

/**
 * Begin the next call, whose arena has one byte at first (0 is no limit) and `step` more each time. Fails the test if
 * the last call failed without GATE_ERR_LIMIT. Returns false after the first call that succeeded:
 *
 *     for (struct sweep s = {0}; sweep_next(&s, 16);)
 *         s.done = gate_noise_read(&noise, &naming, text, &s.arena, &s.err);
 */
static inline bool sweep_next(struct sweep *s, size_t step) {
    if (s->limit != 0) {
        assert_int_equal(s->err.code, s->done ? GATE_OK : GATE_ERR_LIMIT);
        gate_arena_free(&s->arena);
        s->refused += !s->done;
    }
    assert_true(!s->done || s->refused > 0);
    if (s->done)
        return false;
    s->limit = s->limit == 0 ? 1 : s->limit + step;
    assert_true(s->limit < (size_t)1 << 24);
    s->err = (struct gate_error){0};
    gate_arena_init(&s->arena, s->limit);
    return true;
}

#endif
