/* SPDX-License-Identifier: Apache-2.0 */
/* What would decide a hypothesis that this run leaves open: how many runs, or how much longer ones.
 * Pipeline: budget/decide.h -> budget/settle.h -> budget/verdict.h. Reasons: docs/statistics.md, "What would decide".
 */
#ifndef GATE_BUDGET_SETTLE_H
#define GATE_BUDGET_SETTLE_H

#include "gate/budget/decide.h"

/** More runs a side than this are no advice. */
#define GATE_SETTLE_RUNS_MANY 20.0

/** Whether the samples leave a decided hypothesis open, so that more of them could decide it. */
bool gate_settle_is_open(const struct gate_hypothesis *hypothesis);

/** Whether a decided hypothesis is asked what would decide it: not code that nobody wrote here and nothing speaks of.
 */
bool gate_settle_is_asked(const struct gate_hypothesis *hypothesis);

/** More of a run are not asked: each is a search, a tenth of a millisecond, and a small file can leave 40 000 open. */
#define GATE_SETTLE_MOST 4096

/**
 * How many of `hypotheses`, from the first on, hold at most `*left` that gate_settle_find searches for; `*left` goes
 * down by those. O(count).
 */
size_t gate_settle_ration(const struct gate_hypothesis *hypotheses, size_t count, size_t *left);

/**
 * Fill settle_factor and longer_factor of a decided hypothesis: the least multiple of the runs, and of their length, at
 * which nine in ten repetitions would decide it, were the true shares those that were measured. 0 where nothing is open
 * or no multiple up to 10 000 does.
 *
 * runs   on each side of the comparison
 *
 * A multiple of the runs leaves what runs differ by as it is and adds degrees of freedom to it; of their length shrinks
 * sampling error alone. About 300 tests for an open hypothesis.
 */
void gate_settle_find(struct gate_hypothesis *hypothesis, const struct gate_decision_rules *rules,
                      const uint32_t runs[GATE_SIDES]);

/** Runs a side of `hypothesis`, where its comparison has that many now; 0: no number of them is known to decide it. */
double gate_settle_runs(const struct gate_hypothesis *hypothesis, const uint32_t runs[GATE_SIDES]);

/**
 * The largest of those over all hypotheses that make a run inconclusive: what decides one decides no run while another
 * is open. 0 where there is none, or where one cannot be decided by up to GATE_SETTLE_RUNS_MANY runs.
 */
double gate_settle_verdict_runs(const struct gate_hypothesis *hypotheses, size_t count,
                                const struct gate_comparison *comparisons);

#endif
