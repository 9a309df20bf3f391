/* SPDX-License-Identifier: Apache-2.0 */
/* A parsed rules file, its waivers, and the presets. */
#ifndef GATE_RULES_RULES_H
#define GATE_RULES_RULES_H

#include "gate/base/arena.h"
#include "gate/base/str.h"
#include "gate/compare/cost.h"
#include "gate/compare/delta.h"
#include "gate/rules/limit.h"

/** Values of `on_inconclusive`: the outcome that an inconclusive verdict becomes. */
enum gate_on_inconclusive {
    GATE_ON_INCONCLUSIVE_INCONCLUSIVE,
    GATE_ON_INCONCLUSIVE_PASS,
    GATE_ON_INCONCLUSIVE_WARN,
    GATE_ON_INCONCLUSIVE_FAIL
};

/** "inconclusive", "pass", "warn", "fail": in the order of the enum, NULL-terminated. */
extern const char *const gate_on_inconclusive_words[];

const char *gate_on_inconclusive_name(enum gate_on_inconclusive what);

/* ---- section `try`: how to build, run and profile a revision ----------------------------------------------------- */

struct gate_regex;

/** Preset of a `try` section: it provides the commands that the section does not give. */
enum gate_try_preset {
    GATE_TRY_COMMAND, /* no preset: the section gives the commands */
    GATE_TRY_GO_BENCH,
    GATE_TRY_GO_SERVER,
    GATE_TRY_NODE,
    GATE_TRY_PY_SPY
};

/** Names of the presets, in the order of the enum, NULL-terminated. */
extern const char *const gate_try_preset_words[];

/** Defaults of a `try` section, and the maximum of its `rounds`. */
enum { GATE_TRY_ROUNDS = 10, GATE_TRY_ROUNDS_MAX = 64, GATE_TRY_TIMEOUT_SECONDS = 600 };

/** One variable of `try.env`. */
struct gate_try_variable {
    struct gate_str name, value;
};

/** The `try` section. Zeroed: not given. A text is empty and a number 0 if its key is not given. */
struct gate_try_rules {
    bool is_given;
    uint32_t line, column;            /* of the section, in the last file that has one */
    uint32_t preset;                  /* enum gate_try_preset */
    struct gate_str build, run, load; /* commands for `sh -c` */
    struct gate_str profile; /* path or glob of a file that `run` writes, or a URL to fetch while `run` is running */
    struct gate_str ready;   /* URL or HOST:PORT to wait for */
    struct gate_str bench;   /* go-bench: pattern of the benchmarks, as for `go test -bench` */
    struct gate_str package; /* go-bench, go-server: package to build */
    struct gate_str script;  /* node, py-spy: script and its arguments */
    double work;             /* work of one run, if it is constant */
    const struct gate_regex *work_regex; /* its one group finds the work in the run's output; freed with the rules */
    double seconds;                      /* duration of one profile */
    double rounds;                       /* maximum number of rounds; whole */
    double timeout;                      /* timeout of one command in seconds */
    struct gate_try_variable *env;
    uint32_t env_count;
};

/** Return whether `profile` must be fetched from a server: "http://..." or "https://...". */
bool gate_try_rules_is_url(struct gate_str profile);

/* ---- measure `trend`: which cost it follows, and the unit of growth ---------------------------------------------- */

/* Named as in rules files and reports. */

/** Value of `of:`. GATE_TREND_OF_UNSET means that it is not given, and counts as charged. */
enum gate_trend_of {
    GATE_TREND_OF_UNSET,
    GATE_TREND_OF_CHARGED,
    GATE_TREND_OF_SELF,
    GATE_TREND_OF_CUMULATIVE,
    GATE_TREND_OF_TOTAL
};

/**
 * Value of `per:`. Accept to week are the units of growth of a trend. A cost is divided by seconds or runs.
 *
 * GATE_PER_UNSET means that it is not given. For a trend it means per accepted revision, or per profile of a list,
 * regardless of the time between them. For a leak it means per hour. For a cost it means by the fact that makes costs
 * comparable (compare/cost.h).
 */
enum gate_per {
    GATE_PER_UNSET,
    GATE_PER_ACCEPT,
    GATE_PER_HOUR,
    GATE_PER_DAY,
    GATE_PER_WEEK,
    GATE_PER_SECOND, /* per unit of work if that is known, else per second */
    GATE_PER_RUN     /* per profile */
};

/**
 * "charged", "self", "cumulative", "total", in the order of the enum from GATE_TREND_OF_CHARGED on; NULL-terminated.
 */
extern const char *const gate_trend_terms_of_words[];

/** "accept", "hour", ..., "run", in the order of the enum from GATE_PER_ACCEPT on; NULL-terminated. */
extern const char *const gate_per_words[];

const char *gate_trend_terms_of_name(enum gate_trend_of of);

const char *gate_per_name(enum gate_per per);

/** Return the unit of time of a trend in nanoseconds, or 0 for an accepted revision. */
double gate_per_ns(enum gate_per per);

/* ---- measures of a budget ---------------------------------------------------------------------------------------- */

/* One row describes each measure of a frame or of the whole profile. */

/** Fact that a budget requires; without it the budget is skipped. */
enum GATE_ONE_BYTE gate_requires {
    GATE_REQUIRES_NOTHING,
    GATE_REQUIRES_WORK, /* the work of both sides */
    GATE_REQUIRES_EQUAL /* a fact that makes costs comparable: the work, or `equal` */
};

/** Measures. `_COST`: cost per unit of work instead of a share. A new one needs a row in rules.c. */
enum gate_budget_measure {
    GATE_MEASURE_SELF,
    GATE_MEASURE_CUMULATIVE,
    GATE_MEASURE_CHARGED,
    GATE_MEASURE_TOTAL,
    GATE_MEASURE_SELF_COST,
    GATE_MEASURE_CUMULATIVE_COST,
    GATE_MEASURE_CHARGED_COST,
    GATE_MEASURE_TOTAL_COST,
    GATE_MEASURE_TREND,
    GATE_MEASURE_LEAK,
    GATE_MEASURE_PATH,
    GATE_BUDGET_MEASURES
};

struct gate_budget_measure_row {
    const char *word;     /* value of `measure:`, also in reports */
    enum gate_measure of; /* measure of a frame; GATE_CUMULATIVE for a total */
    bool is_total;        /* measures the whole profile, so no frame is selected */
    bool is_cost;    /* costs are relative to the baseline's total, not to each side's total, so limits on shares do not
                        apply */
    bool is_trend;   /* over successive accepted runs; only `pprofgate trend` judges it */
    bool is_leak;    /* over the rounds of one capture; a limit of growth */
    bool is_path;    /* own functions with everything that they call; skipped with fewer than 3 runs per side */
    bool needs_work; /* not comparable if the work is unknown; measure total then uses cost per second */
};

/** Return the row of a measure. Never NULL. */
const struct gate_budget_measure_row *gate_budget_measure_row(enum gate_budget_measure measure);

const char *gate_budget_measure_name(enum gate_budget_measure measure); /* "self", ... */

/* ---- rules file -------------------------------------------------------------------------------------------------- */

/** Default of `defaults.min_samples`. */
enum { GATE_RULES_MIN_SAMPLES = 100 };

/** Default of `work.unit`. */
#define GATE_RULES_WORK_UNIT "unit of work"

struct gate_pattern {
    struct gate_str text;
    struct gate_regex *regex;
};

/** Selects frames: every given pattern must match, and no `not_` pattern may match. A NULL regex is not given. */
struct gate_select {
    struct gate_pattern function, package, file, mapping;
    struct gate_pattern not_function, not_package, not_file, not_mapping;
    struct gate_pattern under; /* select only stacks that contain a frame whose name matches */
    bool no_own_caller;        /* measure self: library and runtime code, and only stacks without own code */
    bool one_sided;            /* measure charged: all own functions that only one side has, together */
};

/** Return whether a budget names its frames: a pattern that they must match is given. */
static inline bool gate_select_names_frames(const struct gate_select *select) {
    return select->function.regex != NULL || select->package.regex != NULL || select->file.regex != NULL ||
           select->mapping.regex != NULL;
}

struct gate_budget {
    struct gate_str name;
    enum gate_severity severity;
    enum gate_budget_measure measure;
    enum gate_trend_of of; /* measure trend: the cost */
    enum gate_per per;     /* measure trend: the unit of growth; costs: what they are divided by */
    bool as_group;
    struct gate_str pair;        /* label of the pair that the budget applies to (budget/plan.h); empty: any */
    struct gate_str sample_type; /* key of sample_types, or name of a type; empty: the run's default */
    struct gate_select select;
    struct gate_label_match *where;
    uint32_t where_count;
    const struct gate_label_match *part; /* label value of --by (budget/by.h); NULL: all samples */
    struct gate_limit *limits;
    uint32_t limit_count;
    double min_share;   /* ignore a frame whose share is below this on both sides */
    bool has_min_share; /* it is given, and may be 0 */
    double max_mde; /* growth of a share that may stay undetected; 0: twice the limit. For ratio limits, the larger of
                       both applies. Growth below it that is not significant passes */
    struct gate_str min_growth; /* growth below which no limit is broken, such as "10ms": per second, or per profile */
    bool must_match;
    enum gate_requires requires;   /* skip the budget if this is not known */
    enum gate_severity shift;      /* severity of a cost shift; default: warn */
    uint32_t sustain_k, sustain_n; /* fail only if K of the last N runs agree; 0: not set */
    struct gate_str owner, message, reason;
    struct gate_str expires; /* YYYY-MM-DD, or empty */
    struct gate_str source;  /* file of `line` and `column`; another file than `gate_rules.source` if it was extended */
    uint32_t line, column;
    uint32_t extends_line; /* line of the `extends` in the first file that added this budget; 0: none */
    bool is_of_preset;     /* a built-in preset added it; other files may have changed it */
};

struct gate_sample_type_alias {
    struct gate_str key;
    struct gate_str *candidates; /* "type/unit"; the first one that a profile has is used */
    uint32_t candidate_count;
};

struct gate_guard_rule {
    uint32_t guard; /* enum gate_guard */
    enum gate_severity severity;
    bool limit_is_given;
    double limit; /* in the unit of the guard (guard_rules.h): a fraction, a ratio or days */
};

/** Sections that rules_diff.h compares as text. */
enum { GATE_RULES_SECTIONS = 6, GATE_RULES_SECTION_BYTES = 32 };

/** Names of these sections, in order. */
extern const char *const gate_rules_section_names[GATE_RULES_SECTIONS];

/** End of the source of a built-in preset: "recommended (built in)". */
#define GATE_RULES_BUILT_IN GATE_STR(" (built in)")

struct gate_rules {
    bool is_default;        /* no rules file was given: budget/default_rules.h may choose other presets */
    struct gate_str source; /* path, or "recommended (built in)" */
    struct gate_str digest; /* SHA-256 in hex over all files read, in the order in which they were applied; empty:
                               nothing was read (gate_rules_digest) */
    uint8_t sections[GATE_RULES_SECTIONS][GATE_RULES_SECTION_BYTES]; /* digests; zero: section not given */
    double alpha;                                                    /* family-wise significance level, default 0.01 */
    double alpha_margin;                                             /* significance level for margins, default 0.05 */
    double min_samples;                                              /* default GATE_RULES_MIN_SAMPLES */
    enum gate_severity severity;
    enum gate_on_inconclusive on_inconclusive;
    enum gate_equal equal; /* what both sides have equal; GATE_EQUAL_UNKNOWN: not given */
    struct gate_frame_options frames;
    struct gate_counts_options counts;
    struct gate_str work_unit; /* what one unit of work is called; GATE_RULES_WORK_UNIT unless given */
    double work[GATE_SIDES];   /* 0: not given */
    struct gate_sample_type_alias *sample_types;
    uint32_t sample_type_count;
    bool makes_load; /* `try` made the load, so both sides had the same load */
    struct gate_guard_rule *guards;
    uint32_t guard_count;
    struct gate_budget *budgets;
    uint32_t budget_count;
    struct gate_try_rules trial; /* section `try` */
    struct gate_regex **regexes; /* every compiled pattern; only gate_rules_free uses them */
    uint32_t regex_count;
};

/** Return how many patterns are searched for in each function name. Those of `own` count twice: name and file. */
uint64_t gate_rules_patterns(const struct gate_rules *rules);

/** Free the compiled patterns. Everything else is arena memory. */
void gate_rules_free(struct gate_rules *rules);

/* ---- words for how frames are named, shared by rules files and noise models -------------------------------------- */

/** "function", "line", ...: in the order of enum gate_granularity, NULL-terminated. */
extern const char *const gate_naming_granularities[];

/** "stable", "exact", NULL-terminated. The index is `exact_names`. */
extern const char *const gate_naming_modes[];

/* ---- budgets with an expiry date (waivers) ----------------------------------------------------------------------- */

/**
 * Return whether `text` is a date of the Gregorian calendar from 1970 on, as YYYY-MM-DD. Such dates can be compared as
 * text.
 */
bool gate_waiver_date_is_valid(struct gate_str text);

/**
 * Return whether the budget's expiry date is before `today` (YYYY-MM-DD). It is still valid on the date itself. A
 * budget with severity off, the usual waiver, can expire too.
 *
 * An expired budget is reported, and no run passes until it is renewed or removed, whatever its severity and
 * `on_inconclusive`.
 *
 * today  passed by the caller, so that results do not depend on a clock; empty: unknown, nothing expires
 */
bool gate_waiver_is_expired(const struct gate_budget *budget, struct gate_str today);

/**
 * Return the message about an expired waiver, and the advice what to do, in arena memory. `.ptr` is NULL if the arena
 * is full.
 */
struct gate_str gate_waiver_sentence(const struct gate_budget *budget, struct gate_arena *arena);

struct gate_str gate_waiver_advice(const struct gate_budget *budget, struct gate_arena *arena);

/* ---- presets built into the program ------------------------------------------------------------------------------ */

/**
 * Return the names of all presets in alphabetical order, NULL-terminated, in arena memory. Returns NULL if the arena is
 * full.
 */
const char *const *gate_preset_names(struct gate_arena *arena);

/* ---- rules that can fail nothing --------------------------------------------------------------------------------- */

/**
 * Describe why the rules cannot fail or ignore much of the cost: "by these rules no run can fail: every budget only
 * warns".
 *
 * Reasons:
 * - no budget of severity error has a limit of that severity that a cost could exceed;
 * - patterns rename or ignore every frame, or exclude all own code;
 * - a frame is a whole binary;
 * - the work of the sides differs by more than a factor of 10 (GATE_TOOTHLESS_WORK).
 *
 * work  of both sides, as given to the run, or NULL: as in the rules
 *
 * Returns arena memory; empty if there is no reason. `.ptr` is NULL if the arena is full.
 */
struct gate_str gate_toothless_rules(const struct gate_rules *rules, const double work[GATE_SIDES],
                                     struct gate_arena *arena);

#endif
