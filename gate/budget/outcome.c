/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/outcome.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *capitals, *budget;
} outcomes[] = {
    [GATE_OUTCOME_PROVEN] = {"proven", "PROVEN", "holds"},
    [GATE_OUTCOME_PASS] = {"pass", "PASS", "holds"},
    [GATE_OUTCOME_WARN] = {"warn", "WARN", "warns"},
    [GATE_OUTCOME_INCONCLUSIVE] = {"inconclusive", "INCONCLUSIVE", "undecided"},
    [GATE_OUTCOME_FAIL] = {"fail", "FAIL", "broken"},
};

/* Conjunction before a reason that excuses the growth or leaves it undecided. */
#define BUT ", but "
#define SAME_WORK "over the limit if both sides did the same work: give the work or --equal to decide it"

static const struct gate_reason_row reasons[] = {
    [GATE_REASON_WITHIN] = {.name = "within_budget"},
    [GATE_REASON_OVER] = {.name = "over_budget"},
    [GATE_REASON_SEVERITY_WARN] = {.name = "severity_warn", .joint = ", which only warns"},
    [GATE_REASON_UNCONFIRMED] = {"unconfirmed", BUT, .is_open = true, .needs_samples = true,
                                 .why = "not enough samples to confirm it"},
    [GATE_REASON_TOO_FEW_SAMPLES] = {"too_few_samples", BUT, .is_open = true, .needs_samples = true},
    [GATE_REASON_OTHERS_SHRANK] = {.name = "others_shrank", .joint = "; "},
    [GATE_REASON_OWN_COST_OPEN] = {"own_cost_open", "; ", .is_open = true, .needs_samples = true},
    [GATE_REASON_SHIFT] = {.name = "cost_shift", .joint = "; "},
    [GATE_REASON_DELAY_REPLICATES] = {"delay_replicates", "; ", .is_open = true,
                                      .why = "a delay profile needs two runs per side to fail, its total three",
                                      .obstacle = "over the limit, but a delay profile needs two runs per side to "
                                                  "fail, its total three",
                                      .advice = "compare three or more runs per side"},
    [GATE_REASON_MIN_SAMPLES] = {"min_samples", "; ", .is_open = true},
    [GATE_REASON_NO_MATCH] = {.name = "no_match"},
    [GATE_REASON_NOT_COMPARABLE] = {"not_comparable", " is unknown: ", .is_open = true,
                                    .why = "the profile has no event counts",
                                    .advice = "compare three or more runs per side, give the sampling period (--period "
                                              "N, or 'counts' in the rules), or record "
                                              "the profile with counts"},
    [GATE_REASON_EXPIRED] = {.name = "expired"},
    [GATE_REASON_NOT_SUSTAINED] = {"not_sustained", "; ",
                                   .advice = "capture another canary profile, and give this one with --history"},
    [GATE_REASON_RUNTIME] = {.name = "runtime_load", .joint = "; "},
    [GATE_REASON_TOLERATED] = {.name = "below_max_mde", .joint = BUT},
    [GATE_REASON_SMALL] = {.name = "below_min_growth", .joint = BUT},
    [GATE_REASON_OWN_CALLERS] = {.name = "own_callers", .joint = BUT},
    [GATE_REASON_FILLS] = {.name = "fills_up", .joint = "; "},
    [GATE_REASON_SLOWER] = {.name = "grows_more_slowly", .joint = "; "},
    [GATE_REASON_UNTIMED] =
        {"untimed", BUT, .why = "the profiles have no duration, and their durations may differ",
         .advice = "capture profiles with a duration (?seconds=N in Go), give the work done on each side, or use "
                   "'--equal run' if all of them cover the same time"},
    [GATE_REASON_OTHERS_CHEAPER] = {"others_cheaper", BUT, .obstacle = SAME_WORK},
    [GATE_REASON_TOTAL_FELL] = {"total_fell", BUT, .obstacle = SAME_WORK},
    [GATE_REASON_TOTAL_GREW] = {"total_grew", BUT, .obstacle = SAME_WORK},
    [GATE_REASON_WAITING_MOVED] =
        {"waiting_moved", BUT,
         .obstacle = "over the limit, but all waiting together fell, and what waited elsewhere may wait here now",
         .advice = "look at what it waits for: if it is an idle receiver, or the next lock after one that was fixed, "
                   "raise the limit and give a reason"},
    [GATE_REASON_SINCE_START] =
        {"since_start", BUT,
         .obstacle = "over the limit if both sides were up for the same time under the same load: a window "
                     "(allocs?seconds=N in Go) or --equal run decides it",
         .advice = "capture what is allocated within a window (allocs?seconds=N in Go), or use --equal run if both "
                   "sides were up for the same time under the same load"},
    [GATE_REASON_START_UP] =
        {"start_up", BUT,
         .why = "it grew at the start of the program only: that part depends on how long the profile is",
         .obstacle = "over the limit, but only at the start of the program: several whole runs per side (--equal run), "
                     "or profiles that begin later, decide it"},
    [GATE_REASON_ONE_START] =
        {"one_start", BUT,
         .why = "it grew at the start of the program only, and one run per side does not show how much that varies",
         .obstacle = "over the limit, but only at the start of the program: three runs per side show whether that "
                     "varies",
         .advice = "compare three runs per side"},
    [GATE_REASON_SMALL_START] =
        {"small_start", BUT,
         .why = "not confirmed, at the start of the program only, and within the limit in points: start-up code varies "
                "with caches on disk, and its part with how long the profile is",
         .advice = "to be sure, begin the profile after the start, or compare more runs per side"},
    [GATE_REASON_REPLACED] =
        {"replaced", "; ",
         .obstacle = "it may be over the limit, or do the work of functions that are gone or cost less now",
         .advice = "check that the new function does the work of the old one; 'frames.rename' in the rules joins them"},
    [GATE_REASON_SLOWED] = {"moved_or_slowed", "; ", .obstacle = SAME_WORK},
    [GATE_REASON_OTHER_WAY] =
        {"other_way", "; ", .obstacle = SAME_WORK,
         .why = "its functions cost no more than before, all paths together: they are called another way"},
    [GATE_REASON_ONE_FUNCTION] =
        {"one_function", "; ",
         .obstacle = "over the limit, but most of it is one function's, which differs from run to run: more runs per "
                     "side decide it",
         .advice = "compare more runs per side"},
    [GATE_REASON_INTERPRETED] =
        {"interpreted", BUT,
         .why = "in compiled code alone it is within the limit: the JVM interpreted it in one run more than in the "
                "other",
         .obstacle = "over the limit, but not in compiled code alone: warm the JVM up, and compare three runs per side",
         .advice = "warm the JVM up before the capture, and compare three runs per side"},
    [GATE_REASON_INLINED] =
        {"inlined", BUT,
         .why = "the compiler at run time may have inlined it in one run and not in the other; three runs per side "
                "show it",
         .obstacle = "over the limit, but the compiler at run time may have inlined it in one run only: three runs per "
                     "side show it",
         .advice = "compare three runs per side"},
    [GATE_REASON_INLINED_TOGETHER] =
        {"inlined_together", BUT,
         .obstacle = "over the limit, but the functions that it is inlined into in some runs may not cost more",
         .advice = "compare more runs per side"},
    [GATE_REASON_MISPLACED] =
        {"misplaced", BUT,
         .why = "it may be the cost of another function that the JVM compiled into the same method, which did not grow "
                "as much: samples may confuse them",
         .obstacle = "over the limit, but it may be the cost of another function in the same compiled method"},
    [GATE_REASON_UPGRADED] =
        {"upgraded", BUT,
         .obstacle = "over the limit, but the library has another version, and as a whole may not cost more",
         .advice = "benchmark what the program calls of the library with both versions, or compare more runs per side"},
    [GATE_REASON_UNEQUAL_LOAD] = {"unequal_load", BUT,
                                  .why = "the two sides had different loads, which changes the cost of the same code",
                                  .advice = "put both sides under the same load and compare again"},
    [GATE_REASON_PREEMPTED] =
        {"preempted", BUT,
         .why = "this profiler also counts time in which other programs had the processor, and so few runs do not show "
                "how much",
         .obstacle = "over the limit, but this profiler also counts time in which other programs had the processor: "
                     "five runs per side decide it",
         .advice = "compare five runs per side, best taken in turn as 'capture', 'gate' and 'try' do"},
    [GATE_REASON_SLOWER_MACHINE] =
        {"slower_machine", BUT,
         .obstacle = "over the limit, but the other functions cost more, too: more runs per side in turn show whether "
                     "the canary's machine was slower",
         .advice = "compare more runs per side, taken in turn as 'capture', 'gate' and 'try' do"},
    [GATE_REASON_BUSIER_MACHINE] =
        {"busier_machine", BUT,
         .obstacle = "over the limit if the baseline's machine was the busier one: three runs per side in turn, or any "
                     "five, decide it",
         .advice = "compare three runs per side, taken in turn as 'capture', 'gate' and 'try' do, or any five"},
    [GATE_REASON_INLINED_NAMES] =
        {"inlined_names", BUT,
         .why = "with line tables the crate pprof names it, or another function inlined into the same caller, by "
                "chance",
         .obstacle = "over the limit, but with line tables the crate pprof names one of the functions inlined into a "
                     "caller by chance",
         .advice = "build with debug = 0, or profile with perf"},
    [GATE_REASON_OTHER_NAMES] =
        {"other_names", BUT,
         .why = "not enough samples to confirm it, and functions that it calls have other names now, so that none of "
                "these could be judged by itself",
         .obstacle = "over the limit as measured, in functions that have other names now and could not be judged by "
                     "themselves: 'frames.rename' in the rules joins the names",
         .advice = "join the names by 'frames.rename' (beneath \"Replaced names\"), or compare more runs per side"},
    [GATE_REASON_GONE] =
        {"gone", BUT, .obstacle = "it is gone, and new functions of its callers cost more than its limit allows",
         .advice = "if one of the new functions is this one, join the names by 'frames.rename' (beneath \"Replaced "
                   "names\"), or let the budget select it, too; if this one was removed, remove its budget"},
    [GATE_REASON_FEW_RUNS] = {"few_runs", BUT, .obstacle = "over the limit, but not in most runs of the canary",
                              .advice = "compare more runs per side, on a machine that has a processor free"},
    [GATE_REASON_ONE_MOMENT] =
        {"one_moment", "; ",
         .why = "goroutines that wait in a queue are many at one moment and few at the next, and one or two snapshots "
                "per side do not show which they are",
         .obstacle = "over the limit, but a queue may just have been that much longer at that moment: compare three "
                     "snapshots per side",
         .advice = "compare three or more snapshots per side, some seconds apart"},
    [GATE_REASON_CUT_STACKS] =
        {"cut_stacks", BUT,
         .obstacle = "over the limit with all that it calls, but the profiler cut the ends of deep stacks, in which it "
                     "may be missing",
         .advice =
             "raise the profiler's stack depth, if it has a setting; 'measure: charged', and totals with the work "
             "given, do not depend on it"},
    [GATE_REASON_UNEQUAL_WINDOWS] =
        {"unequal_windows", "; ",
         .why =
             "the profiles of both sides did not last equally long, and per run it is on the other side of the limit",
         .obstacle = "per second and per run it is on different sides of the limit: the profiles of both sides did not "
                     "last equally long",
         .advice = "leave more of the machine's processors free, so that profiles end in time, or count the work "
                   "(--work-metric)"},
    [GATE_REASON_MINIFIED] =
        {"minified_names", BUT,
         .why = "minified functions lost at least half as much, and in the baseline it may have been one of them",
         .obstacle = "over the limit, but it may have been one of the minified functions: name both sides by their "
                     "source maps",
         .advice = "name each side by its source maps (pprofgate merge --symbols)"},
    [GATE_REASON_NAMELESS] =
        {"no_names", BUT,
         .why = "part of it has no function name in the canary, and may be code that the baseline has under its names",
         .obstacle = "over the limit, but part of it has no function name, and may be code that the baseline names",
         .advice = "give the symbols of the canary (--symbols), or profile a binary that is not stripped"},
    [GATE_REASON_THREADS] =
        {"threads", BUT,
         .why =
             "as a part of the threads that it runs in, it is within the limit: on a busy machine this profiler sees "
             "more of a thread in one run than in the next",
         .obstacle = "over the limit, but not as a part of its threads, of which this profiler sees more in one run "
                     "than in the next: three runs per side decide it",
         .advice = "compare three runs per side"},
};

const char *gate_outcome_name(enum gate_outcome outcome) {
    return outcomes[outcome].name;
}

const char *gate_outcome_capitals(enum gate_outcome outcome) {
    return outcomes[outcome].capitals;
}

const char *gate_outcome_of_budget(enum gate_outcome outcome) {
    return outcomes[outcome].budget;
}

const struct gate_reason_row *gate_reason_row(enum gate_reason reason) {
    return &reasons[reason];
}

const char *gate_reason_name(enum gate_reason reason) {
    return reasons[reason].name;
}

/* ---- exit codes -------------------------------------------------------------------------------------------------- */

enum gate_exit gate_exit_code_of(enum gate_outcome outcome) {
    switch (outcome) {
    case GATE_OUTCOME_FAIL:
        return GATE_EXIT_FAIL;
    case GATE_OUTCOME_INCONCLUSIVE:
        return GATE_EXIT_INCONCLUSIVE;
    case GATE_OUTCOME_PROVEN:
    case GATE_OUTCOME_PASS:
    case GATE_OUTCOME_WARN:
        return GATE_EXIT_PASS;
    }
    return GATE_EXIT_BUG;
}
