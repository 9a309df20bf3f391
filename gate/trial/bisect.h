/* SPDX-License-Identifier: Apache-2.0 */
/* `git bisect` in the private repository: which commit to try next, and which one is to blame. The user's own
 * bisection, if one goes on, is not touched. Pipeline: trial/worktree.h -> trial/bisect.h -> cli/try_bisect.h */
#ifndef GATE_TRIAL_BISECT_H
#define GATE_TRIAL_BISECT_H

#include "gate/trial/worktree.h"

/** What is said of a commit; the exit statuses 0, 1 and 125 of `git bisect run`. */
enum gate_bisect_word { GATE_BISECT_GOOD, GATE_BISECT_BAD, GATE_BISECT_SKIP };

/** Where a bisection stands. Texts are the worktree's arena's. */
struct gate_bisect {
    const struct gate_worktree *worktree;
    bool is_over;
    struct gate_str commit;     /* to try next, while it is not over; the first bad one, when it is found; else empty */
    struct gate_str candidates; /* one a line: where the first bad one is among commits that were skipped */
};

/** Begin. err: GATE_ERR_INPUT what git says, such as that the two have nothing in common. */
GATE_MUST_CHECK
bool gate_bisect_begin(struct gate_bisect *out, const struct gate_worktree *worktree, struct gate_str good,
                       struct gate_str bad, struct gate_error *err);

/** Say of `bisect->commit` what it is, and go on to the next. err: GATE_ERR_INPUT what git says. */
GATE_MUST_CHECK
bool gate_bisect_tell(struct gate_bisect *bisect, enum gate_bisect_word word, struct gate_error *err);

/** Forget all that was said. */
void gate_bisect_end(struct gate_bisect *bisect);

/** "1a2b3c4d5e6f the subject (author, date)", for people. err: what git says. */
GATE_MUST_CHECK
bool gate_bisect_describe(struct gate_str *out, const struct gate_worktree *worktree, struct gate_str commit,
                          struct gate_error *err);

#endif
