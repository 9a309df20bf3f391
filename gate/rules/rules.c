/* SPDX-License-Identifier: Apache-2.0 */
/* Words and tables of a rules file, its waivers, presets, and freeing its patterns. */
#include "gate/rules/rules.h"

#include "gate/base/arena.h"
#include "gate/base/buf.h"
#include "gate/base/embedded.h"

/* ---- presets built into the program ------------------------------------------------------------------------------ */

const char *const *gate_preset_names(struct gate_arena *arena) {
    const struct gate_str suffix = GATE_STR(".yml");
    uint32_t count = 0;
    for (const struct gate_embedded *file = gate_embedded_files; file->name != NULL; file++)
        count++;
    const char **names = GATE_NEW_ARRAY(arena, const char *, count + 1);
    if (names == NULL)
        return NULL;
    count = 0;
    for (const struct gate_embedded *file = gate_embedded_files; file->name != NULL; file++) {
        struct gate_str name = gate_str_from(file->name);
        if (!gate_str_ends(name, suffix))
            continue;
        struct gate_str copy = gate_str_copy(arena, gate_str_slice(name, 0, name.len - suffix.len));
        if (copy.ptr == NULL)
            return NULL;
        names[count++] = copy.ptr;
    }
    return names;
}

/* ---- budgets with an expiry date (waivers) ----------------------------------------------------------------------- */

static unsigned two_digits(struct gate_str text, size_t at) {
    return (unsigned)(text.ptr[at] - '0') * 10 + (unsigned)(text.ptr[at + 1] - '0');
}

bool gate_waiver_date_is_valid(struct gate_str text) {
    static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (text.len != 10 || text.ptr[4] != '-' || text.ptr[7] != '-')
        return false;
    for (size_t i = 0; i < 10; i++)
        if (i != 4 && i != 7 && (text.ptr[i] < '0' || text.ptr[i] > '9'))
            return false;
    unsigned year = two_digits(text, 0) * 100 + two_digits(text, 2);
    unsigned month = two_digits(text, 5);
    unsigned day = two_digits(text, 8);
    if (year < 1970 || month < 1 || month > 12 || day < 1)
        return false;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return day <= days[month - 1] + (month == 2 && leap ? 1 : 0);
}

bool gate_waiver_is_expired(const struct gate_budget *budget, struct gate_str today) {
    return budget->expires.len != 0 && today.len != 0 && gate_str_compare(budget->expires, today) < 0;
}

struct gate_str gate_waiver_sentence(const struct gate_budget *budget, struct gate_arena *arena) {
    bool has_reason = budget->reason.len != 0;
    return gate_str_format(arena, "this waiver expired on %.*s%s%.*s%s", GATE_STR_ARG(budget->expires),
                           has_reason ? " (" : "", GATE_STR_ARG(budget->reason), has_reason ? ")" : "");
}

struct gate_str gate_waiver_advice(const struct gate_budget *budget, struct gate_arena *arena) {
    return gate_str_format(arena, "renew it with a reason, or remove it%s%.*s",
                           budget->owner.len == 0 ? "" : "; owner: ", GATE_STR_ARG(budget->owner));
}

/* ---- words for how frames are named, shared by rules files and noise models -------------------------------------- */

const char *const gate_naming_granularities[] = {
    [GATE_BY_FUNCTION] = "function", [GATE_BY_LINE] = "line",       [GATE_BY_FILE] = "file",
    [GATE_BY_PACKAGE] = "package",   [GATE_BY_MAPPING] = "mapping", [GATE_BY_MAPPING + 1] = NULL,
};

const char *const gate_naming_modes[] = {[false] = "stable", [true] = "exact", NULL};

/* ---- section `try` ----------------------------------------------------------------------------------------------- */

const char *const gate_try_preset_words[] = {
    [GATE_TRY_COMMAND] = "command", [GATE_TRY_GO_BENCH] = "go-bench", [GATE_TRY_GO_SERVER] = "go-server",
    [GATE_TRY_NODE] = "node",       [GATE_TRY_PY_SPY] = "py-spy",     NULL};

bool gate_try_rules_is_url(struct gate_str profile) {
    return gate_str_starts(profile, GATE_STR("http://")) || gate_str_starts(profile, GATE_STR("https://"));
}

/* ---- measure `trend` --------------------------------------------------------------------------------------------- */

const char *const gate_trend_terms_of_words[] = {"charged", "self", "cumulative", "total", NULL};

const char *const gate_per_words[] = {"accept", "hour", "day", "week", "second", "run", NULL};

const char *gate_trend_terms_of_name(enum gate_trend_of of) {
    return gate_trend_terms_of_words[of == GATE_TREND_OF_UNSET ? 0 : of - GATE_TREND_OF_CHARGED];
}

const char *gate_per_name(enum gate_per per) {
    return gate_per_words[per == GATE_PER_UNSET ? 0 : per - GATE_PER_ACCEPT];
}

double gate_per_ns(enum gate_per per) {
    switch (per) {
    case GATE_PER_HOUR:
        return 3600e9;
    case GATE_PER_DAY:
        return 86400e9;
    case GATE_PER_WEEK:
        return 604800e9;
    default:
        return 0.0;
    }
}

/* ---- measures of a budget ---------------------------------------------------------------------------------------- */

static const struct gate_budget_measure_row rows[GATE_BUDGET_MEASURES] = {
    [GATE_MEASURE_SELF] = {.word = "self", .of = GATE_SELF},
    [GATE_MEASURE_CUMULATIVE] = {.word = "cumulative", .of = GATE_CUMULATIVE},
    [GATE_MEASURE_CHARGED] = {.word = "charged", .of = GATE_CHARGED},
    [GATE_MEASURE_TOTAL] = {.word = "total", .of = GATE_CUMULATIVE, .is_total = true, .is_cost = true},
    [GATE_MEASURE_SELF_COST] = {.word = "self_cost", .of = GATE_SELF, .is_cost = true, .needs_work = true},
    [GATE_MEASURE_CUMULATIVE_COST] = {.word = "cumulative_cost",
                                      .of = GATE_CUMULATIVE,
                                      .is_cost = true,
                                      .needs_work = true},
    [GATE_MEASURE_CHARGED_COST] = {.word = "charged_cost", .of = GATE_CHARGED, .is_cost = true, .needs_work = true},
    [GATE_MEASURE_TOTAL_COST] =
        {.word = "total_cost", .of = GATE_CUMULATIVE, .is_total = true, .is_cost = true, .needs_work = true},
    /* The budget's `of:` determines which cost it follows (rules/rules.h). */
    [GATE_MEASURE_TREND] = {.word = "trend", .of = GATE_CHARGED, .is_trend = true},
    [GATE_MEASURE_LEAK] = {.word = "leak", .of = GATE_CHARGED, .is_leak = true},
    [GATE_MEASURE_PATH] = {.word = "path", .of = GATE_CUMULATIVE, .is_path = true},
};

const struct gate_budget_measure_row *gate_budget_measure_row(enum gate_budget_measure measure) {
    GATE_ASSERT((unsigned)measure < GATE_BUDGET_MEASURES);
    return &rows[measure];
}

const char *gate_budget_measure_name(enum gate_budget_measure measure) {
    return gate_budget_measure_row(measure)->word;
}

uint64_t gate_rules_patterns(const struct gate_rules *rules) {
    const struct gate_frame_options *frames = &rules->frames;
    uint64_t own = (uint64_t)frames->own.include_count + frames->own.exclude_count;
    return (uint64_t)frames->ignore_count + frames->rename_count + own * 2;
}

/* ---- freeing ----------------------------------------------------------------------------------------------------- */

void gate_rules_free(struct gate_rules *rules) {
    for (uint32_t i = 0; i < rules->regex_count; i++)
        gate_regex_free(rules->regexes[i]);
    rules->regexes = NULL;
    rules->regex_count = 0;
}

/* ---- on_inconclusive --------------------------------------------------------------------------------------------- */

const char *const gate_on_inconclusive_words[] = {
    [GATE_ON_INCONCLUSIVE_INCONCLUSIVE] = "inconclusive",
    [GATE_ON_INCONCLUSIVE_PASS] = "pass",
    [GATE_ON_INCONCLUSIVE_WARN] = "warn",
    [GATE_ON_INCONCLUSIVE_FAIL] = "fail",
    [GATE_ON_INCONCLUSIVE_FAIL + 1] = NULL,
};

const char *gate_on_inconclusive_name(enum gate_on_inconclusive what) {
    return gate_on_inconclusive_words[what];
}

/* ---- rules that can fail nothing --------------------------------------------------------------------------------- */

/** Largest plausible ratio of the two sides' work. */
#define GATE_TOOTHLESS_WORK 10.0

static bool can_be_broken(const struct gate_limit *limit) {
    double most = gate_limit_row(limit->kind)->most;
    return most <= 0.0 || limit->value < most;
}

static bool can_fail(const struct gate_budget *budget) {
    for (uint32_t i = 0; budget->severity == GATE_SEVERITY_ERROR && i < budget->limit_count; i++)
        if (budget->limits[i].severity == GATE_SEVERITY_ERROR && can_be_broken(&budget->limits[i]))
            return true;
    return false;
}

/* Return whether a pattern matches several unrelated names, so that it presumably matches any name. */
static bool matches_all(const struct gate_regex *pattern) {
    static const char *const names[] = {"main.(*shop).price",     "std::vector<int>::push_back",
                                        "com.example.Cart.total", "handle_request",
                                        "node:internal/fs",       "Q"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (gate_regex_match(pattern, gate_str_from(names[i])) != GATE_REGEX_YES)
            return false;
    return true;
}

static bool any_matches_all(const struct gate_regex *const *patterns, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (matches_all(patterns[i]))
            return true;
    return false;
}

/* Return whether a rename gives all frames one name. A replacement that keeps a group ("$") keeps names distinct. */
static bool renames_all(const struct gate_frame_options *frames) {
    for (uint32_t i = 0; i < frames->rename_count; i++)
        if (gate_str_find(frames->renames[i].to, GATE_STR("$"), 0) == SIZE_MAX && frames->renames[i].to.len > 0 &&
            matches_all(frames->renames[i].match))
            return true;
    return false;
}

static void add(struct gate_buf *out, const char *text) {
    gate_buf_text(out, out->len > 0 ? "; " : "");
    gate_buf_text(out, text);
}

static void describe_budgets(struct gate_buf *out, const struct gate_rules *rules) {
    bool has_error = false, is_outside = false;
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        const struct gate_budget *budget = &rules->budgets[i];
        bool is_path = gate_budget_measure_row(budget->measure)->is_path; /* a path is skipped with few runs per side */
        if (can_fail(budget) && !budget->select.no_own_caller && !budget->select.one_sided && !is_path)
            return;
        has_error = has_error || budget->severity == GATE_SEVERITY_ERROR;
        is_outside = is_outside || can_fail(budget);
    }
    add(out, is_outside  ? "no function of yours can fail a run: budgets on them only warn, or cannot be broken"
             : has_error ? "no run can fail: no budget of severity error has a limit that a cost could pass"
                         : "no run can fail: every budget only warns");
}

static void describe_frames(struct gate_buf *out, const struct gate_frame_options *frames) {
    if (frames->granularity == GATE_BY_MAPPING)
        add(out, "a frame is a whole binary ('granularity: mapping'), so what one function costs is not seen");
    if (renames_all(frames))
        add(out, "'frames.rename' gives every function one name");
    if (any_matches_all(frames->ignore, frames->ignore_count))
        add(out, "'frames.ignore' takes out every frame");
    if (any_matches_all(frames->own.exclude, frames->own.exclude_count))
        add(out, "'own.exclude' makes everything a library");
}

struct gate_str gate_toothless_rules(const struct gate_rules *rules, const double work[GATE_SIDES],
                                     struct gate_arena *arena) {
    struct gate_buf out = {0};
    struct gate_error err = {0};
    struct gate_str text = {NULL, 0};
    const double *given = work == NULL ? rules->work : work;
    double base = given[GATE_BASELINE], canary = given[GATE_CANARY];
    describe_budgets(&out, rules);
    describe_frames(&out, &rules->frames);
    if (base > 0.0 && canary > 0.0 && (canary > base * GATE_TOOTHLESS_WORK || base > canary * GATE_TOOTHLESS_WORK))
        add(&out,
            "the work given for the sides differs by more than ten times, so that what grew may seem to have done "
            "more");
    if (gate_buf_check(&out, &err)) {
        struct gate_str found = gate_buf_view(&out);
        text = found.len == 0 ? GATE_STR("") : gate_str_format(arena, "by these rules %.*s", GATE_STR_ARG(found));
    }
    gate_buf_free(&out);
    return text;
}
