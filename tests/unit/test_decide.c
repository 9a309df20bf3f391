/* SPDX-License-Identifier: Apache-2.0 */
/* budget/decide.h as a table: one row per rule of docs/statistics.md, from "When a budget is broken" on.
 * test_decide_numbers.c tests the numbers behind the decisions. */
#include "tests/unit/decide_fixture.h"

#define FAIL GATE_OUTCOME_FAIL
#define WARN GATE_OUTCOME_WARN
#define OPEN GATE_OUTCOME_INCONCLUSIVE
#define PASS GATE_OUTCOME_PASS
#define PROVEN GATE_OUTCOME_PROVEN

/* Counts of a frame and of all, on both sides. GROWN: 5% to 15% of 10,000 samples, a clear fail at +5 pp. EQUAL: 5% on
 * both sides. BLIND: too few samples. OVER_UNSURE: +5.2 pp, over +5 pp but not significantly. */
#define GROWN                                                                                                          \
    { 500, 1e4, 1500, 1e4 }
#define EQUAL                                                                                                          \
    { 500, 1e4, 500, 1e4 }
#define BLIND                                                                                                          \
    { 3, 30, 3, 30 }
#define OVER_UNSURE                                                                                                    \
    { 500, 1e4, 1020, 1e4 }

static const struct decide_row rows[] = {
    /* A fail needs all of these: growth > 0 family-wise, growth > limit b, and both for the own cost. */
    {"over, significant, confirmed", .limit = .05, .counts = GROWN, .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"the growth equals its budget", .limit = .05, .counts = {500, 1e4, 1000, 1e4}, .outcome = PASS},
    {"the growth equals its budget, at any level", .limit = .05, .counts = {500, 1e4, 1000, 1e4}, .margin = .9,
     .outcome = PASS},
    {"condition 1 asks Holm's p", .limit = .05, .counts = {50, 1e3, 125, 1e3}, .family = 1e8, .outcome = OPEN,
     .reason = GATE_REASON_UNCONFIRMED},
    {"condition 1 with a family of one", .limit = .05, .counts = {50, 1e3, 125, 1e3}, .outcome = FAIL,
     .reason = GATE_REASON_OVER},
    {"condition 2 asks for more than b", .limit = .05, .counts = OVER_UNSURE, .outcome = OPEN,
     .reason = GATE_REASON_UNCONFIRMED},
    {"condition 2 at a level of its own", .limit = .05, .counts = OVER_UNSURE, .margin = .4, .outcome = FAIL,
     .reason = GATE_REASON_OVER},
    {"what no split could break fails nothing", .limit = .05, .counts = GROWN, .is_hopeless = true, .outcome = OPEN,
     .reason = GATE_REASON_UNCONFIRMED},
    {"growth over 0 where nothing grew", .limit = 0, .counts = {1000, 2e4, 1000, 2e4}, .outcome = PASS},

    /* Condition 3: the own cost. */
    {"own cost grew as well", .limit = .05, .counts = GROWN, .own = GROWN, .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"own cost did not grow", .limit = .05, .counts = GROWN, .own = EQUAL, .outcome = WARN,
     .reason = GATE_REASON_OTHERS_SHRANK},
    {"own cost that nobody can count", .limit = .05, .counts = GROWN, .own = EQUAL, .own_is_uncounted = true,
     .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"own cost over b at .16, work known", .limit = .05, .counts = GROWN, .own = {500, 1e4, 1037, 1e4}, .outcome = OPEN,
     .reason = GATE_REASON_OWN_COST_OPEN},
    {"own cost within b, and grown beyond doubt: no excuse", .limit = .05, .counts = GROWN, .own = {500, 1e4, 970, 1e4},
     .outcome = OPEN, .reason = GATE_REASON_OWN_COST_OPEN},
    {"known work: the same is held as a share would be", .limit = .05, .counts = GROWN, .own = {500, 1e4, 970, 1e4},
     .work_is_known = true, .outcome = WARN, .reason = GATE_REASON_OTHERS_SHRANK},
    {"known work: the same, and more could have hidden than max_mde", .limit = .05, .counts = GROWN,
     .own = {500, 1e4, 970, 1e4}, .max_mde = .05, .work_is_known = true, .outcome = OPEN,
     .reason = GATE_REASON_OWN_COST_OPEN},
    {"known work: the same, by a profiler that counts waiting for a processor", .limit = .05, .counts = GROWN,
     .own = {500, 1e4, 970, 1e4}, .work_is_known = true, .counts_preempted = true, .outcome = OPEN,
     .reason = GATE_REASON_OWN_COST_OPEN},
    {"known work: over b as measured", .limit = .05, .counts = GROWN, .own = {500, 1e4, 1010, 1e4},
     .work_is_known = true, .outcome = OPEN, .reason = GATE_REASON_OWN_COST_OPEN},
    {"own cost within b, and not grown to speak of", .limit = .05, .counts = GROWN, .own = {50, 200, 55, 200},
     .outcome = WARN, .reason = GATE_REASON_OTHERS_SHRANK},
    {"own cost open: a warning where the budget only warns", .limit = .05, .counts = GROWN,
     .own = {500, 1e4, 1037, 1e4}, .is_advisory = true, .outcome = WARN, .reason = GATE_REASON_SEVERITY_WARN},
    {"own cost over b at .16, work estimated", .limit = .05, .counts = GROWN, .own = {500, 1e4, 1037, 1e4},
     .own_margin = .25, .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"own cost significant in a family of one", .limit = .05, .counts = GROWN, .own = {5, 100, 20, 100},
     .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"own cost at the level of Holm's last step", .limit = .05, .counts = GROWN, .own = {5, 100, 20, 100},
     .family = 100, .outcome = OPEN, .reason = GATE_REASON_OWN_COST_OPEN},
    {"own cost excuses an advisory budget too", .limit = .05, .counts = GROWN, .own = EQUAL, .is_advisory = true,
     .outcome = WARN, .reason = GATE_REASON_OTHERS_SHRANK},
    {"over, not confirmed, own cost proven", .limit = .05, .counts = OVER_UNSURE, .own = EQUAL, .outcome = WARN,
     .reason = GATE_REASON_OTHERS_SHRANK},
    {"over, not confirmed, own cost within b and not grown to speak of", .limit = .05, .counts = OVER_UNSURE,
     .own = {50, 200, 55, 200}, .outcome = OPEN, .reason = GATE_REASON_UNCONFIRMED},
    {"the same by an estimate", .limit = .05, .counts = OVER_UNSURE, .own = {50, 200, 55, 200},
     .excuses_unconfirmed = true, .outcome = WARN, .reason = GATE_REASON_OTHERS_SHRANK},
    {"known work: over, not confirmed, own cost within b, not grown to speak of, and enough was seen", .limit = .05,
     .counts = OVER_UNSURE, .own = {500, 2e3, 520, 2e3}, .max_mde = .05, .work_is_known = true, .outcome = WARN,
     .reason = GATE_REASON_OTHERS_SHRANK},
    {"known work: the same, and more could have hidden", .limit = .05, .counts = OVER_UNSURE, .own = {25, 100, 27, 100},
     .work_is_known = true, .outcome = OPEN, .reason = GATE_REASON_UNCONFIRMED},
    {"known work: blind, own cost within b and enough was seen", .limit = .05, .counts = BLIND,
     .own = {500, 2e3, 520, 2e3}, .max_mde = .05, .work_is_known = true, .outcome = PASS},
    {"known work: blind, own cost over b", .limit = .05, .counts = BLIND, .own = {50, 1e3, 125, 1e3},
     .work_is_known = true, .outcome = OPEN, .reason = GATE_REASON_TOO_FEW_SAMPLES},
    {"over, not confirmed, own cost not proven", .limit = .05, .counts = OVER_UNSURE, .own = OVER_UNSURE,
     .outcome = OPEN, .reason = GATE_REASON_UNCONFIRMED},
    {"own cost just within b, and not grown to speak of", .limit = .05, .counts = GROWN, .own = {5, 100, 10, 100},
     .max_mde = .2, .outcome = WARN, .reason = GATE_REASON_OTHERS_SHRANK},
    {"the same, and more could have hidden", .limit = .05, .counts = GROWN, .own = {5, 100, 10, 100}, .max_mde = .1,
     .outcome = OPEN, .reason = GATE_REASON_OWN_COST_OPEN},
    {"by an estimate, over, not confirmed, and more could have hidden", .limit = .05, .counts = OVER_UNSURE,
     .own = {50, 200, 55, 200}, .excuses_unconfirmed = true, .max_mde = .05, .outcome = OPEN,
     .reason = GATE_REASON_UNCONFIRMED},
    {"own cost excuses only what is over", .limit = .05, .counts = BLIND, .own = EQUAL, .outcome = OPEN,
     .reason = GATE_REASON_TOO_FEW_SAMPLES},
    {"own cost excuses nothing at the limit", .limit = .05, .counts = {5, 100, 10, 100}, .own = EQUAL, .outcome = OPEN,
     .reason = GATE_REASON_TOO_FEW_SAMPLES},

    /* Severity. */
    {"advisory: broken", .limit = .05, .counts = GROWN, .is_advisory = true, .outcome = WARN,
     .reason = GATE_REASON_SEVERITY_WARN},
    {"advisory: over, not confirmed", .limit = .05, .counts = OVER_UNSURE, .is_advisory = true, .outcome = PASS,
     .reason = GATE_REASON_UNCONFIRMED},
    {"advisory: blind", .limit = .05, .counts = BLIND, .is_advisory = true, .outcome = PASS,
     .reason = GATE_REASON_TOO_FEW_SAMPLES},
    {"advisory: proven", .limit = .05, .counts = EQUAL, .is_advisory = true, .outcome = PROVEN},

    /* Not broken: proven, passed, or undecided. */
    {"proven", .limit = .05, .counts = EQUAL, .outcome = PROVEN},
    {"within, not proven, and enough was seen", .limit = .05, .counts = {500, 1e4, 980, 1e4}, .outcome = PASS},
    {"within, and more could have hidden", .limit = .05, .counts = BLIND, .outcome = OPEN,
     .reason = GATE_REASON_TOO_FEW_SAMPLES},
    {"max_mde says what may stay unseen", .limit = .05, .counts = BLIND, .max_mde = .3, .outcome = PASS},
    {"over b, not significant, and within max_mde by its bound", .limit = .05, .counts = {5, 100, 12, 100},
     .max_mde = .2, .outcome = PASS, .reason = GATE_REASON_TOLERATED},
    {"over b, not significant, and more could have hidden", .limit = .05, .counts = {5, 100, 12, 100}, .max_mde = .1,
     .outcome = OPEN, .reason = GATE_REASON_UNCONFIRMED},
    {"over b and significant is never within max_mde", .limit = .05, .counts = {50, 1e3, 110, 1e3}, .family = 1e8,
     .max_mde = .5, .outcome = OPEN, .reason = GATE_REASON_UNCONFIRMED},
    {"no counts: not comparable", .limit = .05, .counts = EQUAL, .is_uncounted = true, .outcome = OPEN,
     .reason = GATE_REASON_NOT_COMPARABLE},
    {"no counts, whatever may stay unseen", .limit = .05, .counts = EQUAL, .is_uncounted = true, .max_mde = INFINITY,
     .outcome = OPEN, .reason = GATE_REASON_NOT_COMPARABLE},
    {"no counts, advisory", .limit = .05, .counts = EQUAL, .is_uncounted = true, .is_advisory = true, .outcome = WARN,
     .reason = GATE_REASON_NOT_COMPARABLE},

    /* Ratios of small frames. */
    {"below max_mde and not significant", .kind = GATE_LIMIT_INCREASE, .limit = 2, .counts = {8, 8e3, 18, 8e3},
     .max_mde = .01, .outcome = PASS, .reason = GATE_REASON_TOLERATED},
    {"no max_mde, not significant", .kind = GATE_LIMIT_INCREASE, .limit = 2, .counts = {8, 8e3, 18, 8e3},
     .outcome = OPEN, .reason = GATE_REASON_UNCONFIRMED},
    {"below max_mde and significant", .kind = GATE_LIMIT_INCREASE, .limit = 2, .counts = {80, 8e4, 180, 8e4},
     .max_mde = .01, .outcome = OPEN, .reason = GATE_REASON_UNCONFIRMED},
    {"more than max_mde", .kind = GATE_LIMIT_INCREASE, .limit = 2, .counts = {8, 800, 18, 800}, .max_mde = .01,
     .outcome = OPEN, .reason = GATE_REASON_UNCONFIRMED},
    {"below max_mde, and that much was not seen", .kind = GATE_LIMIT_INCREASE, .limit = 2, .counts = {8, 8e3, 18, 8e3},
     .max_mde = .002, .outcome = OPEN, .reason = GATE_REASON_UNCONFIRMED},
    {"growth in points below max_mde and not significant", .kind = GATE_LIMIT_SHARE_INCREASE, .limit = .001,
     .counts = {8, 8e3, 18, 8e3}, .max_mde = .01, .outcome = PASS, .reason = GATE_REASON_TOLERATED},

    /* Every kind of limit: over, at, and within it. */
    {"ratio: over", .kind = GATE_LIMIT_INCREASE, .limit = 2, .counts = {500, 1e4, 1500, 1e4}, .outcome = FAIL,
     .reason = GATE_REASON_OVER},
    {"ratio: at", .kind = GATE_LIMIT_INCREASE, .limit = 2, .counts = {500, 1e4, 1000, 1e4}, .margin = .9,
     .outcome = PASS},
    {"ratio: within", .kind = GATE_LIMIT_INCREASE, .limit = 2, .counts = {500, 1e4, 700, 1e4}, .outcome = PROVEN},
    {"ratio: blind", .kind = GATE_LIMIT_INCREASE, .limit = 2, .counts = {5, 100, 10, 100}, .outcome = OPEN,
     .reason = GATE_REASON_TOO_FEW_SAMPLES},
    {"ratio: a frame that is new", .kind = GATE_LIMIT_INCREASE, .limit = 2, .counts = {0, 1e4, 300, 1e4},
     .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"ratio: fewer than 10 counts in the canary", .kind = GATE_LIMIT_INCREASE, .limit = 2, .counts = {0, 1e4, 9, 1e4},
     .margin = .5, .outcome = OPEN, .reason = GATE_REASON_UNCONFIRMED},
    {"share: over", .kind = GATE_LIMIT_SHARE, .limit = .1, .counts = {1000, 2e4, 1500, 1e4}, .outcome = FAIL,
     .reason = GATE_REASON_OVER},
    {"share: over family-wise or not at all", .kind = GATE_LIMIT_SHARE, .limit = .1, .counts = {500, 1e4, 1060, 1e4},
     .outcome = OPEN, .reason = GATE_REASON_UNCONFIRMED},
    {"share: at", .kind = GATE_LIMIT_SHARE, .limit = .1, .counts = {500, 1e4, 1000, 1e4}, .outcome = PASS},
    {"share: within", .kind = GATE_LIMIT_SHARE, .limit = .1, .counts = {250, 5e3, 900, 1e4}, .outcome = PROVEN},
    {"share: within, blind", .kind = GATE_LIMIT_SHARE, .limit = .1, .counts = {3, 30, 2.7, 30}, .outcome = OPEN,
     .reason = GATE_REASON_TOO_FEW_SAMPLES},
    {"share: broken without growth", .kind = GATE_LIMIT_SHARE, .limit = .1, .counts = {1500, 1e4, 1500, 1e4},
     .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"share: all is allowed", .kind = GATE_LIMIT_SHARE, .limit = 1, .counts = {9e3, 1e4, 1e4, 1e4}, .outcome = PROVEN},
    {"share: nothing is allowed, and nothing was seen", .kind = GATE_LIMIT_SHARE, .limit = 0,
     .counts = {500, 1e4, 0, 1e4}, .outcome = OPEN, .reason = GATE_REASON_TOO_FEW_SAMPLES},
    {"new frame: over", .kind = GATE_LIMIT_NEW_FRAME, .limit = .02, .counts = {0, 1e4, 400, 1e4}, .outcome = FAIL,
     .reason = GATE_REASON_OVER},
    {"new frame: at", .kind = GATE_LIMIT_NEW_FRAME, .limit = .02, .counts = {0, 1e4, 200, 1e4}, .outcome = PASS},
    {"new frame: within", .kind = GATE_LIMIT_NEW_FRAME, .limit = .02, .counts = {0, 1e4, 100, 1e4}, .outcome = PROVEN},
    {"decrease: lost", .kind = GATE_LIMIT_DECREASE, .limit = .9, .counts = {2000, 1e4, 2100, 1e4}, .outcome = FAIL,
     .reason = GATE_REASON_OVER},
    {"decrease: lost family-wise or not at all", .kind = GATE_LIMIT_DECREASE, .limit = .9,
     .counts = {2000, 1e4, 1880, 1e4}, .outcome = OPEN, .reason = GATE_REASON_UNCONFIRMED},
    {"decrease: at", .kind = GATE_LIMIT_DECREASE, .limit = .5, .counts = {2048, 1e4, 1024, 1e4}, .outcome = PASS},
    {"decrease: kept", .kind = GATE_LIMIT_DECREASE, .limit = .9, .counts = {2000, 1e4, 1500, 1e4}, .outcome = PROVEN},
    {"decrease: max_mde excuses no loss", .kind = GATE_LIMIT_DECREASE, .limit = .9, .counts = {8, 8e3, 9, 8e3},
     .max_mde = .01, .outcome = OPEN, .reason = GATE_REASON_UNCONFIRMED},
    {"absolute: over", .kind = GATE_LIMIT_ABSOLUTE, .limit = 1.2, .counts = {1e4, 1e8, 1.5e4, 1e8}, .dilution = RATES,
     .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"absolute: at", .kind = GATE_LIMIT_ABSOLUTE, .limit = 1.5, .counts = {1e4, 1e8, 1.5e4, 1e8}, .dilution = RATES,
     .outcome = PASS},
    {"absolute: within", .kind = GATE_LIMIT_ABSOLUTE, .limit = 1.6, .counts = {1e4, 1e8, 1.5e4, 1e8}, .dilution = RATES,
     .outcome = PROVEN},
    {"absolute: nothing is allowed", .kind = GATE_LIMIT_ABSOLUTE, .limit = 0, .counts = {1e4, 1e8, 1e4, 1e8},
     .dilution = RATES, .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"cost: ratio over", .kind = GATE_LIMIT_INCREASE, .limit = 1.2, .counts = {1e4, 1e8, 1.5e4, 1e8}, .dilution = RATES,
     .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"cost: ratio within", .kind = GATE_LIMIT_INCREASE, .limit = 1.2, .counts = {1e4, 1e8, 1.1e4, 1e8},
     .dilution = RATES, .outcome = PROVEN},
    {"cost: growth over", .kind = GATE_LIMIT_SHARE_INCREASE, .limit = .2, .counts = {1e4, 1e8, 1.5e4, 1e8},
     .dilution = RATES, .outcome = FAIL, .reason = GATE_REASON_OVER},

    {"delays of one pair: broken", .limit = .05, .counts = GROWN, .is_restrained = true, .outcome = OPEN,
     .reason = GATE_REASON_DELAY_REPLICATES},
    {"delays of one pair: advisory comes first", .limit = .05, .counts = GROWN, .is_restrained = true,
     .is_advisory = true, .outcome = WARN, .reason = GATE_REASON_SEVERITY_WARN},
    {"delays of one pair: others shrank comes first", .limit = .05, .counts = GROWN, .own = EQUAL,
     .is_restrained = true, .outcome = WARN, .reason = GATE_REASON_OTHERS_SHRANK},
    {"delays of one pair: over, not confirmed", .limit = .05, .counts = OVER_UNSURE, .is_restrained = true,
     .outcome = WARN, .reason = GATE_REASON_UNCONFIRMED},
    {"delays of one pair: blind", .limit = .05, .counts = BLIND, .is_restrained = true, .outcome = WARN,
     .reason = GATE_REASON_TOO_FEW_SAMPLES},
    {"delays of one pair: no counts", .limit = .05, .counts = EQUAL, .is_restrained = true, .is_uncounted = true,
     .outcome = WARN, .reason = GATE_REASON_NOT_COMPARABLE},
    {"clumps: not significant at twice the variation", .limit = .05, .counts = {50, 1e3, 125, 1e3}, .rho = .0025,
     .rho_of_fail = .005, .outcome = OPEN, .reason = GATE_REASON_PREEMPTED},
    {"clumps: not family-wise significant at twice the variation", .limit = .001, .counts = {50, 1e3, 80, 1e3},
     .rho = .0025, .rho_of_fail = .005, .outcome = OPEN, .reason = GATE_REASON_PREEMPTED},
    {"clumps: significant at twice the variation", .limit = .05, .counts = GROWN, .rho = .0025, .rho_of_fail = .005,
     .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"clumps: as much variation is assumed anyway", .limit = .05, .counts = {50, 1e3, 125, 1e3}, .rho = .005,
     .rho_of_fail = .005, .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"clumps: the variation was measured", .limit = .05, .counts = {50, 1e3, 125, 1e3}, .rho_of_fail = .005,
     .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"clumps: another profiler", .limit = .05, .counts = {50, 1e3, 125, 1e3}, .rho = .0025, .outcome = FAIL,
     .reason = GATE_REASON_OVER},
    {"bystander: broken", .limit = .05, .counts = GROWN, .is_bystander = true, .outcome = FAIL,
     .reason = GATE_REASON_OVER},
    {"bystander: over, not confirmed", .limit = .05, .counts = OVER_UNSURE, .is_bystander = true, .outcome = WARN,
     .reason = GATE_REASON_UNCONFIRMED},
    {"bystander: blind", .limit = .05, .counts = BLIND, .is_bystander = true, .outcome = PASS,
     .reason = GATE_REASON_TOO_FEW_SAMPLES},
    {"load: growth that it can explain", .limit = .02, .counts = {300, 10000, 580, 10000}, .is_load = true,
     .outcome = WARN, .reason = GATE_REASON_RUNTIME},
    {"load: more than twice, not shown to be", .limit = .02, .counts = {300, 10000, 620, 10000}, .is_load = true,
     .outcome = WARN, .reason = GATE_REASON_RUNTIME},
    {"load: far more than twice", .limit = .02, .counts = {300, 10000, 900, 10000}, .is_load = true, .outcome = FAIL,
     .reason = GATE_REASON_OVER},
    {"load: growth of a root without own code", .limit = .02, .counts = {300, 10000, 580, 10000}, .is_root = true,
     .outcome = WARN, .reason = GATE_REASON_RUNTIME},
    {"load: a root without own code, far more than twice", .limit = .02, .counts = {300, 10000, 900, 10000},
     .is_root = true, .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"load: self cost of a library is none", .limit = .02, .counts = {300, 10000, 580, 10000}, .is_bystander = true,
     .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"load: a ratio says nothing", .kind = GATE_LIMIT_INCREASE, .limit = 1.5, .counts = {300, 10000, 900, 10000},
     .is_load = true, .outcome = WARN, .reason = GATE_REASON_RUNTIME},
    {"load: advisory comes first", .limit = .02, .counts = {300, 10000, 580, 10000}, .is_load = true,
     .is_advisory = true, .outcome = WARN, .reason = GATE_REASON_SEVERITY_WARN},
    {"min_samples: enough, to the sample", .limit = .05, .counts = GROWN, .min_samples = 500, .samples = {500, 500},
     .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"min_samples: few on both sides", .limit = .05, .counts = GROWN, .min_samples = 500, .samples = {499, 499},
     .outcome = OPEN, .reason = GATE_REASON_MIN_SAMPLES},
    {"min_samples: few in the baseline widen the test alone", .limit = .05, .counts = GROWN, .min_samples = 500,
     .samples = {499, 500}, .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"min_samples: few in the canary widen the test alone", .limit = .05, .counts = GROWN, .min_samples = 500,
     .samples = {500, 499}, .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"min_samples: next to none in the baseline, which may have been idle", .limit = .05, .counts = GROWN,
     .min_samples = 500, .samples = {99, 500}, .may_idle = true, .outcome = OPEN, .reason = GATE_REASON_MIN_SAMPLES},
    {"min_samples: next to none in the canary, which may have been idle", .limit = .05, .counts = GROWN,
     .min_samples = 500, .samples = {500, 99}, .may_idle = true, .outcome = OPEN, .reason = GATE_REASON_MIN_SAMPLES},
    {"min_samples: a fifth is enough of one side", .limit = .05, .counts = GROWN, .min_samples = 500,
     .samples = {100, 500}, .may_idle = true, .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"min_samples: next to none of what cannot be idle", .limit = .05, .counts = GROWN, .min_samples = 500,
     .samples = {9, 500}, .outcome = FAIL, .reason = GATE_REASON_OVER},
    {"min_samples: what is proven stays proven", .limit = .05, .counts = EQUAL, .min_samples = 500, .samples = {9, 9},
     .outcome = PROVEN},
    {"min_samples: delays of one pair come first", .limit = .05, .counts = GROWN, .min_samples = 500, .samples = {9, 9},
     .is_restrained = true, .outcome = OPEN, .reason = GATE_REASON_DELAY_REPLICATES},
};

enum { ROWS = sizeof rows / sizeof *rows };

static void decides(void **state) {
    const struct decide_row *row = *state;
    struct decide_room room;
    struct gate_hypothesis h = decide_hypothesis(row, &room);
    struct gate_decision_rules rules = decide_rules(row);
    h.outcome = row->outcome == FAIL ? PASS : FAIL; /* left from an earlier decision */
    h.reason = GATE_REASON_EXPIRED;
    h.detectable = 1e9;
    gate_hypothesis_decide(&h, &rules);
    if (h.outcome != row->outcome || h.reason != row->reason)
        fail_msg("found %s (%s), expected %s (%s)", gate_outcome_name(h.outcome), gate_reason_name(h.reason),
                 gate_outcome_name(row->outcome), gate_reason_name(row->reason));
    double detectable = h.detectable;
    h.detectable = 0.0;
    assert_true(detectable == (h.outcome >= WARN ? gate_hypothesis_detectable(&h) : 0.0));
}

int main(void) {
    static struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        union {
            const struct decide_row *row;
            void *state;
        } at = {&rows[i]}; /* cmocka's state is not const */
        tests[i] = (struct CMUnitTest){rows[i].name, decides, NULL, NULL, at.state};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
