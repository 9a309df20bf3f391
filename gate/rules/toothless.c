/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/rules/toothless.h"

#include "gate/base/buf.h"
#include "gate/rules/rules.h"

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

static void tell_budgets(struct gate_buf *out, const struct gate_rules *rules) {
    bool has_error = false, is_outside = false;
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        const struct gate_budget *budget = &rules->budgets[i];
        bool is_path = gate_budget_measure_row(budget->measure)->is_path; /* of several runs alone */
        if (can_fail(budget) && !budget->select.no_own_caller && !budget->select.one_sided && !is_path)
            return;
        has_error = has_error || budget->severity == GATE_SEVERITY_ERROR;
        is_outside = is_outside || can_fail(budget);
    }
    add(out, is_outside  ? "no function of yours can fail a run: budgets on them only warn, or cannot be broken"
             : has_error ? "no run can fail: no budget of severity error has a limit that a cost could pass"
                         : "no run can fail: every budget only warns");
}

static void tell_frames(struct gate_buf *out, const struct gate_frame_options *frames) {
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
    const double *told = work == NULL ? rules->work : work;
    double base = told[GATE_BASELINE], canary = told[GATE_CANARY];
    tell_budgets(&out, rules);
    tell_frames(&out, &rules->frames);
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
