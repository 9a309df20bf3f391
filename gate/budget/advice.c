/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/advice.h"

#include "gate/base/figures.h"
#include "gate/budget/reading_state.h"
#include "gate/budget/samples_needed.h"
#include "gate/compare/allocator.h"
#include "gate/compare/cost.h"
#include "gate/compare/minified.h"
#include "gate/compare/misplaced.h"
#include "gate/compare/upgrades.h"
#include "gate/compare/v8_inlined_lines.h"
#include "gate/formats/counted_cpu.h"
#include "gate/model/unit.h"

#include <math.h>

/* Return the samples of the side with the fewest that would decide `h`. */
static double fewest_then(const struct gate_sentence *w, const struct gate_hypothesis *h) {
    const struct gate_side *sides = w->comparison->pair.sides;
    return ceil(h->settle_factor * fmin(sides[GATE_BASELINE].events, sides[GATE_CANARY].events));
}

/* Return whether nothing can fail now, and gate_advice_samples are those that one side needs for a fail. The other
 * side may then have fewer than min_samples. */
static bool is_of_one_side(const struct gate_sentence *w, const struct gate_hypothesis *h) {
    const struct gate_side *sides = w->comparison->pair.sides;
    double least = w->rules->min_samples;
    return fmax(sides[GATE_BASELINE].events, sides[GATE_CANARY].events) < least && fewest_then(w, h) < least;
}

double gate_advice_samples(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis) {
    const struct gate_side *sides = wording->comparison->pair.sides;
    if (!is_of_one_side(wording, hypothesis))
        return fewest_then(wording, hypothesis);
    return fmax(ceil(hypothesis->settle_factor * fmax(sides[GATE_BASELINE].events, sides[GATE_CANARY].events)),
                wording->rules->min_samples);
}

/* Append "about 5,200 effective samples per side would decide it". */
static void put_samples_alone(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    gate_buf_text(out, "about ");
    gate_figures_count(out, gate_advice_samples(w, h));
    gate_buf_printf(out, " effective samples %s side would decide it", is_of_one_side(w, h) ? "on one" : "per");
}

double gate_advice_runs(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis) {
    const struct gate_side *sides = wording->comparison->pair.sides;
    const uint32_t runs[GATE_SIDES] = {sides[GATE_BASELINE].run_count, sides[GATE_CANARY].run_count};
    return gate_pair_is_of_one_process(&wording->comparison->pair) ? 0.0 : gate_samples_needed_runs(hypothesis, runs);
}

/* Append "; to decide all findings, about 7 runs per side" if that is more than this finding needs: the run is decided
 * only when all findings are. */
static void put_settle_all(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    if (h->outcome != GATE_OUTCOME_INCONCLUSIVE || w->settle_runs <= gate_advice_runs(w, h))
        return;
    gate_buf_text(out, "; to decide all findings, about ");
    gate_figures_count(out, w->settle_runs);
    gate_buf_text(out, " runs per side");
}

/* Append why longer runs would not help: the runs contain more samples than the number that the tests use. */
static void put_cap(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    const struct gate_side *sides = w->comparison->pair.sides;
    double most = fmax(sides[GATE_BASELINE].events, sides[GATE_CANARY].events), cap = 1.0 / h->evidence->rho;
    if (most <= cap)
        return;
    gate_buf_text(out, "; without a noise model one run counts as at most ");
    gate_figures_count(out, cap);
    gate_buf_text(out, " samples");
}

/* Return whether the profiles show a state at one moment, so that neither more time nor more work gives more
 * samples. */
static bool is_level(const struct gate_sentence *w) {
    return gate_sample_type_is_level(w->comparison->pair.type.type);
}

/* Return the duration of a run of the side whose runs are shorter, in seconds; 0 if it is not known. */
static double run_seconds(const struct gate_sentence *w) {
    const struct gate_side *sides = w->comparison->pair.sides;
    double shortest = INFINITY;
    for (int side = 0; side < GATE_SIDES; side++)
        shortest = fmin(shortest, (double)sides[side].duration_ns / 1e9 / fmax(sides[side].run_count, 1.0));
    return isfinite(shortest) ? fmax(shortest, 0.0) : 0.0;
}

/* Maximum factor on the length of profiles that is recommended: it turns one minute into 100. */
static const double LONGER_MOST = 100.0;

/* Append ", or as many runs as now that are 4.2x as long (2m6s each) or have 4.2x the load". Both multiply the samples
 * of a run. */
static void put_longer(struct gate_buf *out, const struct gate_sentence *w, double factor) {
    double seconds = run_seconds(w);
    gate_buf_text(out, ", or as many runs as now that are ");
    gate_figures_times(out, factor);
    gate_buf_text(out, " as long");
    if (seconds > 0.0) {
        gate_buf_text(out, " (");
        gate_figures_seconds(out, factor * seconds);
        gate_buf_text(out, " each)");
    }
    gate_buf_text(out, " or have ");
    gate_figures_times(out, factor);
    gate_buf_text(out, " the load");
}

/* Append "more than 20 runs per side like these would be needed", without a number: more than 20 is impractical. */
static void put_too_many(struct gate_buf *out) {
    gate_buf_text(out, "more than ");
    gate_figures_count(out, GATE_SAMPLES_NEEDED_RUNS_MANY);
    gate_buf_text(out, " runs per side like these would be needed");
}

/* Append what decides a growth that differs so little from its limit, or so much between runs, that many runs are
 * needed; 0 runs: the number is unknown. */
static void put_many_runs(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h,
                          double runs) {
    gate_buf_text(out, "these samples cannot separate the growth from the limit: ");
    if (runs > GATE_SAMPLES_NEEDED_RUNS_MANY)
        put_too_many(out);
    else
        gate_buf_text(out, "no number of runs like these would decide it");
    if (h->longer_factor > 0.0 && h->longer_factor <= LONGER_MOST && !is_level(w))
        put_longer(out, w, h->longer_factor);
    if (!w->comparison->work_is_known && !is_level(w))
        gate_buf_printf(out, "; with the work done on each side (%s) fewer may suffice",
                        gate_pair_work_option(&w->comparison->pair));
    gate_buf_text(out, "; otherwise raise the limit if this much may pass, or lower it if not");
}

/* Append "about 13 runs like these per side would decide it, longer runs would not". */
static void put_runs_alone(struct gate_buf *out, double runs) {
    if (runs > GATE_SAMPLES_NEEDED_RUNS_MANY) {
        put_too_many(out);
        gate_buf_text(out, ", and longer runs would not decide it");
        return;
    }
    gate_buf_text(out, "about ");
    gate_figures_count(out, runs);
    gate_buf_text(out, " runs like these per side would decide it, longer runs would not");
}

/* Above this ratio, longer runs need more samples than a larger number of runs, because they do not show how runs
 * differ. */
static const double LONGER_IS_MORE = 1.25;

/* Append "about 5,200 effective samples per side would decide it (1m2s of this load, or 3 runs like these)"; if longer
 * runs would need more samples than more runs, "about 19 runs like these per side would decide it (4,600 effective
 * samples), or as many runs as now that are 65.2x as long (7m36s each)". The number of samples then belongs to the runs
 * only. */
static void put_samples(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h,
                        double runs, double longer) {
    const struct gate_side *sides = w->comparison->pair.sides;
    const int64_t durations[GATE_SIDES] = {sides[GATE_BASELINE].duration_ns, sides[GATE_CANARY].duration_ns};
    int64_t shortest = durations[durations[GATE_CANARY] <= durations[GATE_BASELINE] ? GATE_CANARY : GATE_BASELINE];
    bool is_more = h->settle_factor >= 1.0 && longer > LONGER_IS_MORE * h->settle_factor;
    if (is_more && runs <= GATE_SAMPLES_NEEDED_RUNS_MANY) {
        gate_buf_text(out, "about ");
        gate_figures_count(out, runs);
        gate_buf_text(out, " runs like these per side would decide it (");
        gate_figures_count(out, gate_advice_samples(w, h));
        gate_buf_text(out, " effective samples)");
        if (longer <= LONGER_MOST)
            put_longer(out, w, longer);
        return;
    }
    put_samples_alone(out, w, h);
    gate_buf_text(out, " (");
    if (shortest > 0) {
        gate_figures_seconds(out, longer * (double)shortest / 1e9);
        gate_buf_text(out, " of this load, or ");
    }
    if (runs > GATE_SAMPLES_NEEDED_RUNS_MANY)
        gate_buf_text(out, "more than ");
    gate_figures_count(out, fmin(runs, GATE_SAMPLES_NEEDED_RUNS_MANY));
    gate_buf_text(out, runs == 1.0 ? " run like these)" : " runs like these)");
}

/* Append how many samples, or runs, decide an open hypothesis. */
static void put_settle(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    double runs = gate_advice_runs(w, h);
    double longer = is_level(w) ? 0.0 : h->reason == GATE_REASON_MIN_SAMPLES ? h->settle_factor : h->longer_factor;
    if (gate_pair_is_of_one_process(&w->comparison->pair)) {
        put_samples_alone(out, w, h);
        gate_buf_text(out, ", and more rounds of one process have no more: "
                           "sample memory more often (in Go runtime.MemProfileRate), or compare more processes");
        return;
    }
    if (runs <= 0.0 && h->reason == GATE_REASON_MIN_SAMPLES) {
        gate_buf_text(out, "take both sides under the same load, at the same time since their start");
        return;
    }
    if (runs <= 0.0 || (h->reason == GATE_REASON_UNCONFIRMED && runs > GATE_SAMPLES_NEEDED_RUNS_MANY)) {
        put_many_runs(out, w, h, runs);
        return;
    }
    bool is_assumed = h->evidence->variation == GATE_VARIATION_ASSUMED && h->reason != GATE_REASON_MIN_SAMPLES;
    if (is_assumed && runs > GATE_SAMPLES_NEEDED_RUNS_MANY) {
        put_too_many(out);
        put_cap(out, w, h);
        return;
    }
    if (is_assumed) {
        gate_buf_text(out, "about ");
        gate_figures_count(out, runs);
        gate_buf_text(out, " runs per side would decide it");
    } else if (longer > 0.0) {
        put_samples(out, w, h, runs, longer);
    } else {
        put_runs_alone(out, runs);
    }
    put_settle_all(out, w, h);
    if (is_assumed)
        put_cap(out, w, h);
}

const char gate_advice_new_function[] =
    "look at why it runs now: it is new code, or what kept it from running (a cache, a condition) is gone; if that is "
    "intended, raise the limit and give a reason";

void gate_advice_put_allocations(struct gate_buf *out, const double collector[GATE_SIDES]) {
    gate_buf_text(out, "the collector takes more than before, ");
    gate_figures_share(out, collector[GATE_BASELINE]);
    gate_buf_text(out, " \xE2\x86\x92 ");
    gate_figures_share(out, collector[GATE_CANARY]);
    gate_buf_text(out,
                  ": profile the allocations of both sides (--kind allocs), which name the function that allocates "
                  "more; else ");
}

void gate_sentence_people(struct gate_buf *buf, const struct gate_budget *budget) {
    const struct gate_str parts[] = {budget->message, budget->reason, budget->owner};
    static const char *const names[] = {"", "known: ", "owner: "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].len == 0)
            continue;
        gate_buf_text(buf, buf->len == 0 ? "" : "; ");
        gate_buf_text(buf, names[i]);
        gate_buf_str(buf, parts[i]);
    }
}

/* Settings of each language's runtime and of builds that change the total cost of all functions. */
static const char *const total_settings[GATE_LANGUAGES] = {
    [GATE_LANGUAGE_UNKNOWN] = "limits of processors and memory, and build flags",
    [GATE_LANGUAGE_GO] = "GOGC, GOMAXPROCS, memory limits and build flags",
    [GATE_LANGUAGE_JVM] = "the collector, -Xmx, -XX:ActiveProcessorCount and the JDK's version",
    [GATE_LANGUAGE_NODE] = "--max-old-space-size, UV_THREADPOOL_SIZE and the version of Node",
    [GATE_LANGUAGE_PYTHON] = "PYTHONMALLOC, the collector's thresholds and the interpreter's version",
    [GATE_LANGUAGE_RUST] = "the allocator, the number of threads and build flags",
    [GATE_LANGUAGE_NATIVE] = "the allocator, the number of threads and build flags",
    [GATE_LANGUAGE_RUBY] = "RUBY_GC_... variables, YJIT and the interpreter's version",
    [GATE_LANGUAGE_PHP] = "OPcache, its JIT and the interpreter's version",
};

/* Append the advice for a total that grew. */
static void put_total_advice(struct gate_buf *out, const struct gate_comparison *comparison) {
    uint32_t frame = gate_comparison_most_grown(comparison);
    if (frame == GATE_NO_INDEX && gate_comparison_clock(comparison) != GATE_CLOCK_CPU) {
        gate_buf_text(out, "look at what costs more; if the growth is intended, raise the limit and give a reason");
        return;
    }
    double collector[GATE_SIDES];
    if (frame == GATE_NO_INDEX && gate_allocator_go_collector(collector, comparison))
        gate_advice_put_allocations(out, collector);
    if (frame == GATE_NO_INDEX) {
        gate_buf_printf(out,
                        "no single function of yours explains it: compare the load and the machines of both sides, and "
                        "settings such as %s",
                        total_settings[comparison->pair.language]);
        return;
    }
    gate_buf_text(out, "look at what ");
    gate_buf_str(out, comparison->pair.frames[frame].name);
    gate_buf_text(out, " does more often or at higher cost: it grew most; if the growth is intended, raise the limit "
                       "and give a reason");
}

/* Append what would decide a hypothesis that another reading contradicts (budget/readings.h). */
static void put_work_advice(struct gate_buf *out, const struct gate_sentence *w) {
    gate_buf_printf(out,
                    "give the work done on each side (%s); or use --equal time if both sides had the same load, or "
                    "--equal run if each profile is one whole execution of the same task",
                    gate_pair_work_option(&w->comparison->pair));
}

/* Append the advice for a cost that may have moved. */
static void put_shift_advice(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    if (h->shift->library != GATE_NO_INDEX) {
        gate_buf_text(out,
                      "record both sides by perf with --call-graph dwarf, which keeps the callers of the library's "
                      "functions (docs/symbols.md)");
        return;
    }
    if (h->shift->is_pause) {
        gate_buf_text(out, "profile both sides with gc.disable(), for as long as the memory lasts: if it still grows, "
                           "the growth is the function's own");
        return;
    }
    gate_buf_text(out, "check that the work was moved on purpose (inlining, a rename, a split function)");
    if (h->outcome == GATE_OUTCOME_INCONCLUSIVE && !w->comparison->work_is_known && !is_level(w))
        gate_buf_printf(out,
                        "; the work done on each side (%s), or --equal time if both sides had the same load, may "
                        "decide it",
                        gate_pair_work_option(&w->comparison->pair));
}

/* Append what to compare if the frame is an entry point of Go's scheduler or collector. No function of the program
 * calls these, and a setting or the load moves their cost. Returns false for other frames. */
static bool put_setting(struct gate_buf *out, struct gate_str name) {
    static const char *const scheduler[] = {"runtime.mcall",        "runtime.mstart", "runtime.schedule",
                                            "runtime.findRunnable", "runtime.park_m", "runtime.sysmon"};
    static const char *const collector[] = {"runtime.gcBgMarkWorker", "runtime.bgsweep", "runtime.bgscavenge"};
    const char *setting = "";
    if (gate_str_is_among(name, scheduler, sizeof scheduler / sizeof *scheduler))
        setting = "scheduler: compare GOMAXPROCS and the load of both sides";
    if (gate_str_is_among(name, collector, sizeof collector / sizeof *collector))
        setting = "collector: compare GOGC, GOMEMLIMIT and the load of both sides";
    gate_buf_text(out, setting);
    return setting[0] != '\0';
}

/* Append what to do if the frame is the JVM's collector: the function that allocates more, or settings. Returns false
 * for other frames. */
static bool put_collector(struct gate_buf *out, const struct gate_comparison *comparison, struct gate_str name) {
    const struct gate_allocator *allocator = comparison->allocator;
    const struct gate_str unit = GATE_STR("bytes");
    if (!gate_str_equal(name, GATE_STR(GATE_COLLECTOR_FRAME)))
        return false;
    if (allocator != NULL) {
        gate_buf_text(out, "look at ");
        gate_buf_str(out, allocator->function);
        gate_buf_text(out, ", which allocates more: ");
        gate_unit_print(out, allocator->bytes[GATE_BASELINE], unit);
        gate_buf_text(out, " \xE2\x86\x92 ");
        gate_unit_print(out, allocator->bytes[GATE_CANARY], unit);
        gate_buf_text(out, " (--rules heap judges allocations); else ");
    }
    gate_buf_text(out, "compare -Xmx, the collector (-XX:+Use...GC), the processors and the load of both sides");
    return true;
}

/* Return whether the cost is that of a library on stacks without a function of the user's own. */
static bool is_of_no_own_function(const struct gate_sentence *w, const struct gate_hypothesis *h) {
    const struct gate_pair *pair = &w->comparison->pair;
    bool is_uncalled = h->measure == GATE_CHARGED || h->is_callerless; /* no own function is above it */
    return is_uncalled && gate_hypothesis_bounds_growth(h) && h->frame != GATE_NO_INDEX && !pair->has_no_own &&
           !pair->frames[h->frame].is_own;
}

/* Return whether the growth of a function comes from code that did not run before: the function itself, or functions
 * that only the canary has. The earlier cost of its own callees is not new code. */
static bool is_new_code(const struct gate_comparison *comparison, const struct gate_hypothesis *h) {
    if (h->frame == GATE_NO_INDEX || h->evidence->share[GATE_BASELINE] > 0.0)
        return false;
    const struct gate_delta *delta = &comparison->deltas.items[h->frame];
    return delta->value[GATE_CUMULATIVE][GATE_BASELINE] == 0 ||
           2 * delta->folded[GATE_CANARY] > delta->value[GATE_CHARGED][GATE_CANARY];
}

/* Append what to do about a limit that is broken. */
static void put_over_advice(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    if (h->is_total && w->comparison->work_is_known)
        put_total_advice(out, w->comparison);
    else if (put_setting(out, h->name) || put_collector(out, w->comparison, h->name))
        return;
    else if (h->is_runtime && !h->is_named)
        gate_buf_text(out, "compare the load and settings of both sides (requests per second, processors, heap and "
                           "memory limits): this is work of the runtime that no function of yours causes alone");
    else if (h->is_path && !h->has_one_function)
        gate_buf_text(
            out, "no single function that was there before has most of this growth: look at those beneath it that "
                 "grew together (the flame graph of --html shows them); if the growth is intended, raise the limit "
                 "and give a reason");
    else if (is_of_no_own_function(w, h))
        gate_buf_text(out, "compare the load, the settings and the versions of libraries of both sides, and find its "
                           "callers in the flame graph of --html; if the growth is intended, raise the limit and give "
                           "a reason");
    else if (gate_pair_has_delays(&w->comparison->pair) && h->is_cost && !w->comparison->work_is_known)
        gate_buf_printf(
            out,
            "look at what makes it wait longer, and compare the load of both sides (requests per second), or "
            "give %s: waiting grows faster than the load; if the growth is intended, raise the limit and "
            "give a reason",
            gate_pair_work_option(&w->comparison->pair));
    else if (is_level(w) && gate_hypothesis_bounds_growth(h))
        gate_buf_text(out, gate_str_starts(w->comparison->pair.type.type, GATE_STR("goroutine"))
                               ? "look at what these goroutines wait for, and what should end them; if the growth is "
                                 "intended, raise the limit and give a reason"
                               : "look at what holds on to what this function allocates (a cache without a limit, a "
                                 "list that only grows); if the growth is intended, raise the limit and give a reason");
    else if (is_new_code(w->comparison, h))
        gate_buf_text(out, gate_advice_new_function);
    else
        gate_buf_text(out, gate_hypothesis_bounds_growth(h)
                               ? "look at what this function does more often or at higher cost; if the growth is "
                                 "intended, raise the limit and give a reason"
                               : "look at what this function does; if the cost is intended, change the limit and give "
                                 "a reason");
}

/* Append what would decide growth of start-up code. Whole runs judge it like other code. But one run per side cannot
 * fail, and unconfirmed growth stays unconfirmed. */
static void put_start_advice(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    const struct gate_side *sides = w->comparison->pair.sides;
    bool is_single = sides[GATE_BASELINE].run_count == 1 && sides[GATE_CANARY].run_count == 1;
    const char *way = is_single       ? "compare three runs per side, with"
                      : !h->is_broken ? "compare more runs per side, with"
                                      : "use";
    gate_buf_printf(out,
                    "begin the profile after the start, or %s --equal run if each profile is one whole execution of "
                    "the same task",
                    way);
}

/* Append the advice for reasons that need no numbers. Returns false for all other reasons. */
static bool put_plain_advice(struct gate_buf *out, const struct gate_sentence *w, const struct gate_hypothesis *h) {
    /* A path passes if one function has most of its growth; that function has findings of its own. */
    bool passes_for_one = h->reason == GATE_REASON_ONE_FUNCTION && h->outcome == GATE_OUTCOME_PASS;
    const char *advice = passes_for_one ? "" : gate_reason_row(h->reason)->advice;
    if (advice != NULL) {
        gate_buf_text(out, advice);
        return true;
    }
    switch (h->reason) {
    case GATE_REASON_MISPLACED:
        gate_buf_text(out, w->comparison->pair.lacks_debug_flag
                               ? "start both sides with -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints, and "
                                 "record them again"
                               : "judge a function that calls it, or benchmark it alone");
        return true;
    case GATE_REASON_OTHER_WAY:
        if (h->outcome == GATE_OUTCOME_INCONCLUSIVE)
            put_work_advice(out, w);
        else
            gate_buf_text(out, "check that the calls were meant to take another way");
        return true;
    case GATE_REASON_SHIFT:
        put_shift_advice(out, w, h);
        return true;
    case GATE_REASON_START_UP:
        put_start_advice(out, w, h);
        return true;
    case GATE_REASON_OTHERS_CHEAPER:
    case GATE_REASON_TOTAL_FELL:
    case GATE_REASON_TOTAL_GREW:
    case GATE_REASON_SLOWED:
        put_work_advice(out, w);
        return true;
    case GATE_REASON_OWN_CALLERS:
        if (h->outcome >= GATE_OUTCOME_INCONCLUSIVE)
            gate_buf_text(out, "look at why so many functions call it; if that is intended, raise this budget's limit "
                               "and give a reason");
        return true;
    default:
        return false;
    }
}

/* Append that a busy machine may have raised the total, if the profiler counts time without a processor. Several runs
 * do not rule this out: all runs of one side may have been taken at a busy time. */
static void put_preempted(struct gate_buf *out, const struct gate_sentence *wording, const struct gate_hypothesis *h) {
    if (!h->is_total || h->outcome < GATE_OUTCOME_INCONCLUSIVE || !(h->evidence->delta > 0.0) ||
        h->reason == GATE_REASON_PREEMPTED || !gate_pair_counts_preempted(&wording->comparison->pair))
        return;
    gate_buf_text(out, out->len > 0 ? "; " : "");
    gate_buf_text(out,
                  "this profiler also counts time without a processor, so that a busy machine can raise the total: "
                  "capture on an idle one, or both sides in turn");
}

/* Append that the function that grew may be another one, which the JVM compiled together with the failing function. */
static void put_misplaced(struct gate_buf *out, const struct gate_sentence *wording, const struct gate_hypothesis *h) {
    const struct gate_pair *pair = &wording->comparison->pair;
    bool is_any = false;
    for (uint32_t i = 0; i < pair->misplaced_count; i++)
        is_any = is_any || pair->misplaced[i].frame == h->frame;
    if (!is_any || h->outcome != GATE_OUTCOME_FAIL)
        return;
    gate_buf_text(out, out->len > 0 ? "; " : "");
    gate_buf_text(out, "it may also be a function that the JVM compiled into the same method");
}

/* Append the versions of the library that a failing or undecided function belongs to, if they differ. */
static void put_versions(struct gate_buf *out, const struct gate_sentence *wording, const struct gate_hypothesis *h) {
    const struct gate_pair *pair = &wording->comparison->pair;
    uint32_t library = h->outcome < GATE_OUTCOME_INCONCLUSIVE || h->frame == GATE_NO_INDEX
                           ? GATE_NO_INDEX
                           : gate_upgrade_of(pair, h->frame);
    if (library == GATE_NO_INDEX)
        return;
    gate_buf_text(out, out->len > 0 ? "; " : "");
    gate_buf_text(out, "the sides have different versions of its library: ");
    gate_upgrade_put(out, &pair->upgrades[library]);
}

/* Append how to find the function of a frame such as "line 18 (inlined)". */
static void put_inlined(struct gate_buf *out, const struct gate_sentence *wording, const struct gate_hypothesis *h) {
    const struct gate_pair *pair = &wording->comparison->pair;
    if (h->frame == GATE_NO_INDEX || pair->language != GATE_LANGUAGE_NODE ||
        !gate_is_inlined_line(pair->frames[h->frame].name))
        return;
    gate_buf_text(out, out->len > 0 ? "; " : "");
    gate_buf_text(out,
                  "V8 inlined this code in all runs, so that its function is not known: look for one at this line, of "
                  "any file, that its callers call");
}

struct gate_str gate_advice_on(const struct gate_sentence *wording, const struct gate_hypothesis *hypothesis,
                               struct gate_arena *arena) {
    struct gate_buf buf = {0};
    bool decided = hypothesis->outcome < GATE_OUTCOME_WARN;
    switch (hypothesis->reason) {
    case GATE_REASON_OVER:
        put_over_advice(&buf, wording, hypothesis);
        break;
    case GATE_REASON_OTHERS_SHRANK:
    case GATE_REASON_OWN_COST_OPEN:
        if (!wording->comparison->work_is_known)
            gate_buf_printf(&buf, "to be sure, give the work done on each side (%s)",
                            gate_pair_work_option(&wording->comparison->pair));
        if (hypothesis->settle_factor > 0.0) {
            gate_buf_text(&buf, buf.len > 0 ? "; " : "");
            put_settle(&buf, wording, hypothesis);
        }
        break;
    case GATE_REASON_REPLACED:
        if (hypothesis->reading->is_of_one_caller || hypothesis->reading->is_moved_out) {
            gate_buf_text(&buf, hypothesis->reading->is_moved_out
                                    ? "check that the code was moved on purpose (a function that was split)"
                                    : "compare more runs per side");
            break;
        }
        bool is_minified = hypothesis->is_callerless && gate_minified_name_is(hypothesis->name);
        gate_buf_text(&buf, gate_reason_row(is_minified ? GATE_REASON_MINIFIED : hypothesis->reason)->advice);
        if (hypothesis->outcome == GATE_OUTCOME_INCONCLUSIVE && !wording->comparison->work_is_known)
            gate_buf_printf(&buf, "; or give the work done on each side (%s)",
                            gate_pair_work_option(&wording->comparison->pair));
        break;
    case GATE_REASON_RUNTIME:
        if (!put_setting(&buf, hypothesis->name))
            gate_buf_text(&buf, "compare runs under the same load");
        gate_buf_text(&buf, "; only a budget that names this function can fail on it");
        break;
    default:
        if (put_plain_advice(&buf, wording, hypothesis) || decided ||
            (hypothesis->settle_factor <= 0.0 && hypothesis->outcome != GATE_OUTCOME_INCONCLUSIVE))
            break;
        if (put_setting(&buf, hypothesis->name))
            gate_buf_text(&buf, "; ");
        put_settle(&buf, wording, hypothesis);
        break;
    }
    put_preempted(&buf, wording, hypothesis);
    put_misplaced(&buf, wording, hypothesis);
    put_versions(&buf, wording, hypothesis);
    put_inlined(&buf, wording, hypothesis);
    if (!decided)
        gate_sentence_people(&buf, wording->budget);
    return gate_buf_keep(&buf, arena);
}
