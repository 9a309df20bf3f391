/* SPDX-License-Identifier: Apache-2.0 */
/* The first commit that fails against a good one: each commit that `git bisect` asks for is tried and judged.
 * Pipeline: trial/bisect.h + cli/try_run.h -> cli/try_bisect.h -> cli/cmd_try.c */
#ifndef GATE_CLI_TRY_BISECT_H
#define GATE_CLI_TRY_BISECT_H

#include "gate/cli/try_run.h"
#include "gate/trial/bisect.h"

/** What was found. */
struct gate_try_bisect {
    struct gate_str commit;       /* the first bad one; empty: it is among `candidates` */
    struct gate_str candidates;   /* one a line */
    struct gate_verdict *verdict; /* on the last bad one that was tried */
    const char *dir;              /* of its profiles */
    uint32_t tried;               /* how many were */
};

/**
 * Try BAD, which has to fail, then what lies between. A commit is good when it passes, bad when it fails, and skipped
 * when it is inconclusive, does not build or does not run. Where GOOD does not run, or the surroundings fail (something
 * else answers at the server's address, say), the search ends: they would fail with every commit.
 *
 * dir   each commit's profiles go to DIR/COMMIT
 * err   GATE_ERR_INPUT BAD does not fail, or GOOD does not run; what gate_try_run_pair and git say
 */
GATE_MUST_CHECK
bool gate_try_bisect_find(struct gate_try_bisect *out, const struct gate_try_run *run, const char *good,
                          const char *bad, const char *dir, struct gate_error *err);

/** Say on standard output which commit it is. */
GATE_MUST_CHECK
bool gate_try_bisect_tell(const struct gate_try_bisect *found, const struct gate_try_run *run, struct gate_error *err);

#endif
