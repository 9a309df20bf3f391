/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/guards/guards_frames.h"

#include "gate/base/figures.h"
#include "gate/base/str.h"
#include "gate/compare/delta.h"
#include "gate/compare/minified.h"
#include "gate/formats/format.h"
#include "gate/guards/guard_check.h"
#include "gate/model/incomplete_stacks.h"
#include "gate/model/location.h"
#include "gate/names/frame_name.h"

#include <math.h>

/* ---- words in names ---------------------------------------------------------------------------------------------- */

/* A word of two letters or more, and where it must occur in a name. */
struct word {
    enum { AT_START, ANYWHERE, AT_END } place;
    const char *text;
};

enum { PAIRS = 1 << 12 };

/* Return a hash of two letters. */
static size_t pair_of(const char *at) {
    return ((size_t)(unsigned char)at[0] * 37 + (unsigned char)at[1]) % PAIRS;
}

static bool is_word_at(const struct word *word, struct gate_str name, size_t at) {
    if (name.ptr[at] != word->text[0]) /* as for nearly all words */
        return false;
    size_t len = strlen(word->text), left = name.len - at;
    return left >= len && memcmp(name.ptr + at, word->text, len) == 0 && (word->place != AT_START || at == 0) &&
           (word->place != AT_END || left == len);
}

/* Return whether one of the words occurs in `name` at its place. `begins` has by pair_of whether a word begins with two
 * letters, which rules out most positions. */
static bool has_word(struct gate_str name, const struct word *words, size_t count, const bool begins[PAIRS]) {
    for (size_t at = 0; at + 1 < name.len; at++)
        for (size_t i = 0; begins[pair_of(name.ptr + at)] && i < count; i++)
            if (is_word_at(&words[i], name, at))
                return true;
    return false;
}

/* ---- guards ------------------------------------------------------------------------------------------------------ */

/* Names of start-up work: class loading, compiling, importing, package initialisation. Garbage collection is not
 * included, because it grows with allocations, which is as often a regression. */
static const struct word cold_words[] = {
    {AT_START, "runtime.doInit"},
    {AT_END, ".init"},
    {ANYWHERE, ".init.func"},
    {ANYWHERE, "CompileBroker::"},
    {ANYWHERE, "C2Compiler::"},
    {ANYWHERE, "ClassLoader.loadClass"},
    {ANYWHERE, "SystemDictionary::"},
    {ANYWHERE, "ClassLoader.defineClass"},
    {AT_START, "v8::internal::Compiler"},
    {ANYWHERE, "Builtins_CompileLazy"},

    {ANYWHERE, "Module._compile"},
    {ANYWHERE, "Module._load"},
    {ANYWHERE, "node:internal/bootstrap"},
    {ANYWHERE, "importlib._bootstrap"},
    {AT_END, "_find_and_load"},
    {AT_END, "exec_module"},
    {ANYWHERE, "Kernel#require"},
};

/* Not all of runtime/pprof: a request that runs under pprof.Do, which sets labels, is no overhead. */
static const struct word profiler_words[] = {
    {AT_START, "runtime/pprof.profileWriter"},
    {AT_START, "runtime/pprof.(*profileBuilder)"},
    {AT_START, "runtime/pprof.newProfileBuilder"},
    {AT_START, "runtime/pprof.write"},
    {AT_START, "runtime/pprof.(*Profile)"},
    {AT_START, "net/http/pprof."},
    {AT_START, "runtime.sigprof"},
    {AT_START, "runtime.(*cpuProfile)"},
    {AT_START, "runtime.(*profBuf)"},
    {AT_START, "runtime.profilealloc"},
    {AT_START, "runtime.mProf_"},
    {AT_START, "runtime.saveblockevent"},
    {ANYWHERE, "dd-trace-go.v1/profiler"},
    {ANYWHERE, "dd-trace-go/v2/profiler"},
    {ANYWHERE, "pyroscope-go"},
    {ANYWHERE, "felixge/fgprof"},
    {ANYWHERE, "Profiler::recordSample"},
    {ANYWHERE, "one/profiler/"},
    {ANYWHERE, "ddtrace.profiling"},
    {ANYWHERE, "ddtrace/profiling"},
    {ANYWHERE, "@datadog/pprof"},
    {ANYWHERE, "v8::internal::CpuProfiler"},
    {ANYWHERE, "pprof::profiler"},
};

/* Return whether stacks with a marked frame may have more than `limit` of a side's cost. This adds up the frames'
 * cumulative costs, an upper bound. Usually it is small enough, so that no stack needs to be walked. */
static bool may_exceed(const struct gate_guard_check *check, const uint8_t *marks, double limit) {
    const double slack = 1e-9; /* far more than the rounding error of the sums */
    double sum[GATE_SIDES] = {0.0, 0.0};
    for (uint32_t i = 0; i < check->pair->frame_count; i++)
        for (int side = 0; marks[i] && side < GATE_SIDES; side++)
            sum[side] += (double)check->comparison->deltas.items[i].value[GATE_CUMULATIVE][side];
    for (int side = 0; side < GATE_SIDES; side++)
        if (sum[side] * (1.0 + slack) > limit * (double)check->pair->sides[side].total)
            return true;
    return false;
}

/* Compute the share of each side in stacks with a frame whose name contains one of the words. Both are 0 if neither can
 * exceed `limit`. */
static bool share_of_words(struct gate_guard_check *check, const struct word *words, size_t count, double limit,
                           double share[GATE_SIDES]) {
    const struct gate_pair *pair = check->pair;
    struct gate_delta_list list = {0};
    bool begins[PAIRS] = {false};
    uint8_t *marks = GATE_NEW_ARRAY(check->arena, uint8_t, pair->frame_count);
    bool any = false;
    if (marks == NULL)
        return gate_arena_error(check->arena, check->err);
    for (size_t i = 0; i < count; i++)
        begins[pair_of(words[i].text)] = true;
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        marks[i] = has_word(pair->frames[i].name, words, count, begins);
        any = any || marks[i];
    }
    share[0] = share[1] = 0.0;
    if (!any || !may_exceed(check, marks, limit))
        return true;
    if (!gate_delta_group(&list, pair, marks, NULL, check->arena, check->err))
        return false;
    for (uint32_t side = 0; side < GATE_SIDES; side++)
        share[side] = gate_share(list.items[0].value[GATE_CUMULATIVE][side], pair->sides[side].total);
    return true;
}

/* Share of nameless cost by which one side must exceed the other to be the side without names. */
static const double NAMELESS_SIDE = 0.5;

bool gate_guards_names_are_missing(const struct gate_comparison *comparison, const struct gate_rules *rules) {
    double share[GATE_SIDES];
    if (comparison->part != NULL || gate_guard_severity(rules, GATE_GUARD_UNSYMBOLISED) != GATE_SEVERITY_ERROR)
        return false;
    gate_delta_hidden(share, &comparison->pair, &comparison->deltas);
    return fmax(share[0], share[1]) > gate_guard_limit(rules, GATE_GUARD_UNSYMBOLISED) &&
           fabs(share[GATE_CANARY] - share[GATE_BASELINE]) > NAMELESS_SIDE;
}

bool gate_guards_frames_unsymbolised(struct gate_guard_check *check, double limit) {
    double share[GATE_SIDES], all[GATE_SIDES];
    struct gate_buf others = {0};
    gate_delta_hidden(share, check->pair, &check->comparison->deltas);
    if (fmax(share[0], share[1]) <= limit)
        return true;
    /* Reports show the share of all code without a name beside the totals. */
    gate_delta_unnamed(all, check->pair, &check->comparison->deltas);
    if (all[GATE_BASELINE] > share[GATE_BASELINE] || all[GATE_CANARY] > share[GATE_CANARY])
        gate_buf_printf(&others, " (without the kernel and the system's libraries: %s and %s)",
                        gate_figures_share_text(share[0]).text, gate_figures_share_text(share[1]).text);
    bool ok = gate_buf_check(&others, check->err) &&
              gate_guard_check_warn(check, GATE_GUARD_UNSYMBOLISED,
                                    "%s of the baseline and %s of the canary have no function name%.*s, so these "
                                    "functions cannot be compared; give the profiler symbols, give a binary or perf "
                                    "map with --symbols, or raise this guard's limit",
                                    gate_figures_share_text(all[0]).text, gate_figures_share_text(all[1]).text,
                                    GATE_STR_ARG(gate_buf_view(&others)));
    gate_buf_free(&others);
    return ok;
}

bool gate_guards_frames_minified(struct gate_guard_check *check, double limit) {
    const struct gate_pair *pair = check->pair;
    double share[GATE_SIDES] = {0, 0};
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; pair->minified.len != 0 && i < pair->frame_count; i++)
            if (gate_minified_name_is(pair->frames[i].name))
                share[side] +=
                    gate_share(check->comparison->deltas.items[i].value[GATE_CHARGED][side], pair->sides[side].total);
    if (fmax(share[0], share[1]) <= limit)
        return true;
    return gate_guard_check_warn(
        check, GATE_GUARD_MINIFIED,
        "%s of the baseline and %s of the canary are minified functions of two builds (%.*s), whose short names mean "
        "others on each side, so they are compared as one; name each side by its source maps (pprofgate merge "
        "--symbols), or raise this guard's limit",
        gate_figures_share_text(share[0]).text, gate_figures_share_text(share[1]).text, GATE_STR_ARG(pair->minified));
}

/* Return whether a profile is of Rust's crate pprof: it writes a location without an address for each function, and a
 * mapping without a file. */
static bool is_of_crate_pprof(const struct gate_profile *profile) {
    for (uint32_t i = 0; i < profile->mapping_count; i++)
        if (profile->mappings[i].file.len > 0)
            return false;
    return profile->format == GATE_FORMAT_PPROF && profile->location_count > 0 &&
           gate_location_at(profile, 0).address == 0;
}

bool gate_guards_names_are_random(const struct gate_pair *pair) {
    bool is_so = pair->language == GATE_LANGUAGE_RUST, has_lines = false;
    for (int side = 0; side < GATE_SIDES; side++)
        is_so = is_so && is_of_crate_pprof(pair->sides[side].runs[0].input.profile);
    for (uint32_t i = 0; is_so && !has_lines && i < pair->frame_count; i++)
        has_lines = pair->frames[i].is_own && gate_str_ends(pair->frames[i].file, GATE_STR(".rs"));
    return has_lines;
}

bool gate_guards_frames_inlined_names(struct gate_guard_check *check, double limit) {
    (void)limit;
    return !gate_guards_names_are_random(check->pair) ||
           gate_guard_check_warn(check, GATE_GUARD_INLINED_NAMES,
                                 "of a function with line tables the crate pprof gives all samples to one of those "
                                 "inlined there, in each run to another: build with debug = 0, or profile with perf");
}

/* Return whether any budget uses charged cost. */
static bool charged_is_looked_at(const struct gate_rules *rules) {
    for (uint32_t i = 0; i < rules->budget_count; i++)
        if (gate_budget_measure_row(rules->budgets[i].measure)->of == GATE_CHARGED &&
            rules->budgets[i].severity != GATE_SEVERITY_OFF)
            return true;
    return false;
}

/* If own code has less than this share on both sides, the program's code was probably not recognised. An installed
 * tool, for example, has all of its code in libraries, except for a regular expression in the program's name. */
static const double OWN_LITTLE = 0.05;

/* Compute the part of each side that is charged to own code. */
static void share_of_own(const struct gate_guard_check *check, double share[GATE_SIDES]) {
    for (uint32_t side = 0; side < GATE_SIDES; side++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < check->pair->frame_count; i++)
            if (check->pair->frames[i].is_own)
                sum += check->comparison->deltas.items[i].value[GATE_CHARGED][side];
        share[side] = gate_share(sum, check->pair->sides[side].total);
    }
}

/* Return whether some stack has a frame that is not own code. */
static bool has_library(const struct gate_guard_check *check) {
    for (uint32_t i = 0; i < check->pair->frame_count; i++) {
        const int64_t *value = check->comparison->deltas.items[i].value[GATE_CUMULATIVE];
        if (!check->pair->frames[i].is_own && (value[GATE_BASELINE] > 0 || value[GATE_CANARY] > 0))
            return true;
    }
    return false;
}

bool gate_guards_frames_own_code(struct gate_guard_check *check, double limit) {
    const struct gate_pair *pair = check->pair;
    const char *language = gate_own_code_language_name(pair->language);
    double share[GATE_SIDES] = {0, 0};
    (void)limit;
    if (!charged_is_looked_at(check->rules) || pair->granularity == GATE_BY_MAPPING ||
        (pair->sides[GATE_BASELINE].total == 0 && pair->sides[GATE_CANARY].total == 0))
        return true;
    if (pair->has_no_own)
        return gate_guard_check_warn(check, GATE_GUARD_OWN_CODE,
                                     "no frame is recognised as the program's own code (the language looks like %s), "
                                     "so no cost is charged to callers: list your code under 'own' in the rules",
                                     language);
    share_of_own(check, share);
    if (fmax(share[GATE_BASELINE], share[GATE_CANARY]) < OWN_LITTLE)
        return gate_guard_check_warn(
            check, GATE_GUARD_OWN_CODE,
            "only %s of the baseline and %s of the canary is charged to code that is recognised as the program's own "
            "(the language looks like %s): if the rest is yours, too, list it under 'own' in the rules",
            gate_figures_share_text(share[GATE_BASELINE]).text, gate_figures_share_text(share[GATE_CANARY]).text,
            language);
    if (has_library(check))
        return true;
    return gate_guard_check_warn(check, GATE_GUARD_OWN_CODE,
                                 "every frame counts as the program's own code (the language looks like %s), so no "
                                 "cost is charged to callers: list library code under 'own' in the rules",
                                 language);
}

bool gate_guards_frames_find_cut(struct gate_cut_stacks *out, double *share, uint32_t *depth,
                                 const struct gate_pair *pair, const struct gate_run *run, struct gate_arena *arena,
                                 struct gate_error *err) {
    double value = 0.0;
    if (!gate_cut_stacks_begin(out, run->input.profile, pair->language == GATE_LANGUAGE_GO, arena, err))
        return false;
    struct gate_stacks_walk walk = gate_stacks_begin(&run->stacks);
    struct gate_stack stack;
    while (out->is_wanted && gate_stacks_next(&stack, &walk))
        gate_cut_stacks_add(out, stack.ref, (double)stack.value);
    (void)gate_cut_stacks_count(out, &value, depth);
    *share = run->stacks.total > 0 ? value / (double)run->stacks.total : 0.0;
    return true;
}

bool gate_guards_frames_truncated_stacks(struct gate_guard_check *check, double limit) {
    for (uint32_t side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < check->pair->sides[side].run_count; i++) {
            const struct gate_run *run = &check->pair->sides[side].runs[i];
            if (gate_profile_has_comment(run->input.profile, GATE_STR(GATE_COMMENT_PRUNED)))
                return gate_guard_check_warn(
                    check, GATE_GUARD_TRUNCATED_STACKS,
                    "calls of less than 1%% of the time are left out of the %s, so that a function near that is in one "
                    "run and not in another: let pyinstrument keep them, with -p processor_options.filter_threshold=0",
                    gate_side_word(side));
            struct gate_cut_stacks cut;
            double share = 0.0;
            uint32_t depth = 0;
            if (!gate_guards_frames_find_cut(&cut, &share, &depth, check->pair, run, check->arena, check->err))
                return false;
            if (share > limit)
                return gate_guard_check_warn(
                    check, GATE_GUARD_TRUNCATED_STACKS,
                    "stacks of the %s seem cut at %u frames (%s of the cost is that deep, with roots that no "
                    "shorter stack has): cumulative costs are too low; raise the profiler's stack depth, if it has a "
                    "setting",
                    gate_side_word(side), (unsigned)depth, gate_figures_share_text(share).text);
        }
    return true;
}

bool gate_guards_frames_shape_changed(struct gate_guard_check *check, double limit) {
    const struct gate_pair *pair = check->pair;
    double overlap = 0.0;
    double noise = 0.0;
    if (pair->sides[0].events <= 0.0 || pair->sides[1].events <= 0.0 ||
        gate_guards_names_are_missing(check->comparison, check->rules))
        return true;
    double per_event = 1.0 / pair->sides[0].events + 1.0 / pair->sides[1].events;
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        const int64_t *value = check->comparison->deltas.items[i].value[GATE_SELF];
        double p[GATE_SIDES] = {gate_share(value[0], pair->sides[0].total), gate_share(value[1], pair->sides[1].total)};
        double pooled = (p[0] + p[1]) / 2;
        overlap += fmin(p[0], p[1]);
        /* The overlap that two samples of one distribution lose by chance: E|X| of a normal X is sqrt(2/pi) sigma. */
        noise += 0.5 * sqrt(2.0 / 3.14159265358979323846 * pooled * (1.0 - pooled) * per_event);
    }
    if (overlap + noise >= limit)
        return true;
    return gate_guard_check_warn(
        check, GATE_GUARD_SHAPE_CHANGED,
        "the two profiles share only %s of their self cost: different traffic, a different program, or a large change "
        "of code; unless that is intended, compare both sides under the same load",
        gate_figures_share_text(overlap).text);
}

/* Warn of a JVM's compiler threads with a large share on some side, even if both sides agree. All other shares are then
 * smaller, so limits in points allow more growth. */
static bool warn_of_compilers(bool *warned, struct gate_guard_check *check, double limit) {
    static const struct word words[] = {{AT_START, "CompileBroker::compiler_thread_loop"}};
    double share[GATE_SIDES] = {0, 0};
    if (!share_of_words(check, words, sizeof words / sizeof *words, limit, share))
        return false;
    *warned = fmax(share[GATE_BASELINE], share[GATE_CANARY]) > limit;
    return !*warned || gate_guard_check_warn(check, GATE_GUARD_COLD_START,
                                             "the JVM was not warmed up: its compilers took %s of the baseline and %s "
                                             "of the canary, so the shares of your functions are small, and more "
                                             "growth stays below the limits; warm it up before capturing, or record "
                                             "longer",
                                             gate_figures_share_text(share[GATE_BASELINE]).text,
                                             gate_figures_share_text(share[GATE_CANARY]).text);
}

bool gate_guards_frames_cold_start(struct gate_guard_check *check, double limit) {
    double share[GATE_SIDES] = {0, 0};
    const double *interpreted = check->pair->interpreted;
    if (fmax(interpreted[GATE_BASELINE], interpreted[GATE_CANARY]) > limit)
        return gate_guard_check_warn(
            check, GATE_GUARD_COLD_START,
            "the JVM was not warmed up: it interpreted %s of the baseline and %s of the canary; until it has compiled "
            "what is used much, runs of one build differ, and one run per side decides little: warm it up before "
            "capturing, or compare several runs",
            gate_figures_share_text(interpreted[GATE_BASELINE]).text,
            gate_figures_share_text(interpreted[GATE_CANARY]).text);
    if (!share_of_words(check, cold_words, sizeof cold_words / sizeof *cold_words, limit, share))
        return false;
    bool warned = false;
    if (!warn_of_compilers(&warned, check, limit) || warned)
        return warned;
    uint32_t side = share[GATE_CANARY] > share[GATE_BASELINE] ? GATE_CANARY : GATE_BASELINE;
    if (share[side] <= limit || share[side] < 2.0 * share[1 - side] ||
        share[side] * check->pair->sides[side].events < GATE_MIN_COUNTS)
        return true;
    return gate_guard_check_warn(check, GATE_GUARD_COLD_START,
                                 "the %s was not warmed up: %s of it is initialisation or compiling, on the other side "
                                 "%s; warm it up before capturing",
                                 gate_side_word(side), gate_figures_share_text(share[side]).text,
                                 gate_figures_share_text(share[1 - side]).text);
}

bool gate_guards_frames_misplaced_samples(struct gate_guard_check *check, double limit) {
    (void)limit;
    return !check->pair->lacks_debug_flag ||
           gate_guard_check_warn(check, GATE_GUARD_MISPLACED_SAMPLES,
                                 "a side was recorded without -XX:+DebugNonSafepoints, or without the jdk.BooleanFlag "
                                 "events that show it; samples of an inlined function may be those of another one in "
                                 "the same compiled method, and runs of one build differ: start the JVM with "
                                 "-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints");
}

/* Return whether the profiler itself has no cost in this kind of profile: it only sleeps between samples, or is the
 * goroutine that writes the profile. */
static bool costs_nothing(const struct gate_pair *pair) {
    return pair->sides[GATE_BASELINE].runs[0].counts.kind == GATE_COUNTS_DELAY ||
           gate_sample_type_is_level(pair->type.type);
}

bool gate_guards_frames_profiler_overhead(struct gate_guard_check *check, double limit) {
    double share[GATE_SIDES] = {0, 0};
    if (costs_nothing(check->pair))
        return true;
    if (!share_of_words(check, profiler_words, sizeof profiler_words / sizeof *profiler_words, limit, share))
        return false;
    if (fmax(share[0], share[1]) <= limit)
        return true;
    /* Writing a profile allocates, whatever the sampling rate is. */
    bool is_of_writing = check->pair->sides[GATE_BASELINE].runs[0].counts.kind == GATE_COUNTS_HEAP;
    return gate_guard_check_warn(check, GATE_GUARD_PROFILER_OVERHEAD,
                                 "the profiler itself takes %s of the baseline and %s of the canary (over %.3g%%): %s",
                                 gate_figures_share_text(share[0]).text, gate_figures_share_text(share[1]).text,
                                 limit * 100, is_of_writing ? "take fewer and longer profiles" : "lower its rate");
}

/* Set `share` to the part of each side in threads of Python that wait: a sampler that reads the process from outside
 * counts them as running. */
static void waiting_shares(double share[GATE_SIDES], const struct gate_guard_check *check) {
    const struct gate_pair *pair = check->pair;
    for (uint32_t side = 0; side < GATE_SIDES; side++) {
        bool is_sampled_outside = pair->language == GATE_LANGUAGE_PYTHON;
        share[side] = 0.0;
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            is_sampled_outside = is_sampled_outside &&
                                 gate_profile_counts_preempted(pair->sides[side].runs[r].input.profile, pair->language);
        for (uint32_t i = 0; is_sampled_outside && i < pair->frame_count; i++)
            if (gate_name_waits(pair->frames[i].name, pair->frames[i].file))
                share[side] +=
                    gate_share(check->comparison->deltas.items[i].value[GATE_SELF][side], pair->sides[side].total);
    }
}

/** Warn of threads of Python that wait, unless gate_guards_frames_mostly_waiting does. */
bool gate_guards_frames_waiting(struct gate_guard_check *check, double limit) {
    bool has_more = gate_guard_severity(check->rules, GATE_GUARD_MOSTLY_WAITING) != GATE_SEVERITY_OFF;
    double most = has_more ? gate_guard_limit(check->rules, GATE_GUARD_MOSTLY_WAITING) : 1.0, share[GATE_SIDES];
    waiting_shares(share, check);
    double larger = fmax(share[GATE_BASELINE], share[GATE_CANARY]);
    if (larger <= limit || larger > most)
        return true;
    return gate_guard_check_warn(
        check, GATE_GUARD_WAITING,
        "%s of the baseline and %s of the canary are threads that wait (select, accept, threading.wait), which count "
        "as cost of what waits: record with `py-spy record --gil`; for waiting itself, judge by the preset wall",
        gate_figures_share_text(share[GATE_BASELINE]).text, gate_figures_share_text(share[GATE_CANARY]).text);
}

/** Raise a doubt if most of a side are threads of Python that wait: what runs has too small a share to show growth. */
bool gate_guards_frames_mostly_waiting(struct gate_guard_check *check, double limit) {
    double share[GATE_SIDES];
    waiting_shares(share, check);
    if (fmax(share[GATE_BASELINE], share[GATE_CANARY]) <= limit)
        return true;
    return gate_guard_check_warn(
        check, GATE_GUARD_MOSTLY_WAITING,
        "%s of the baseline and %s of the canary are threads that wait (select, accept, threading.wait), so that the "
        "shares of what runs hardly show growth (over %.3g%%): record with `py-spy record --gil`; for waiting itself, "
        "judge by the preset wall",
        gate_figures_share_text(share[GATE_BASELINE]).text, gate_figures_share_text(share[GATE_CANARY]).text,
        limit * 100);
}
