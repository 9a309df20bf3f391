/* SPDX-License-Identifier: Apache-2.0 */
/* Wording that all reports share (see phrase.h). */
#include "gate/report/phrase.h"

#include "gate/base/escape.h"
#include "gate/profile/unit.h"

#include <math.h>
#include <stdio.h>

enum { SHOWN_OF_A_BUDGET = 3 };

#define ELLIPSIS "\xE2\x80\xA6"

void gate_phrase_share(struct gate_buf *out, double share) {
    double percent = share * 100;
    if (isnan(share))
        gate_buf_text(out, "n/a");
    else if (percent == 0)
        gate_buf_text(out, "0 %");
    else if (percent > 0 && percent < 0.005)
        gate_buf_text(out, "<0.01 %");
    else {
        gate_buf_fixed(out, percent, fabs(percent) < 0.995 ? 2 : 1);
        gate_buf_text(out, " %");
    }
}

static void phrase_signed(struct gate_buf *out, double points) {
    if (points == 0) {
        gate_buf_char(out, '0');
        return;
    }
    int decimals = fabs(points) < 0.995 ? 2 : 1;
    /* What rounds to nothing has no direction to show. */
    if (points > 0 && points >= 0.005)
        gate_buf_char(out, '+');
    gate_buf_fixed(out, points, decimals);
}

void gate_phrase_points(struct gate_buf *out, double delta) {
    if (isnan(delta)) {
        gate_buf_text(out, "n/a");
        return;
    }
    phrase_signed(out, delta * 100);
    gate_buf_text(out, " pp");
}

void gate_phrase_interval(struct gate_buf *out, const double bounds[GATE_SIDES]) {
    phrase_signed(out, bounds[0] * 100);
    gate_buf_text(out, " " ELLIPSIS " ");
    phrase_signed(out, bounds[1] * 100);
}

void gate_phrase_count(struct gate_buf *out, double count) {
    if (!isfinite(count)) {
        gate_buf_text(out, "n/a");
        return;
    }
    char digits[400];
    int len = snprintf(digits, sizeof digits, "%.0f", count);
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0 && digits[i - 1] != '-')
            gate_buf_text(out, "\xC2\xA0");
        gate_buf_char(out, digits[i]);
    }
}

void gate_phrase_quantity_xml(struct gate_buf *out, int64_t value, struct gate_str unit) {
    struct gate_buf text = {0};
    gate_unit_print(&text, value, unit);
    gate_escape_xml(out, gate_buf_view(&text));
    out->failed = out->failed || text.failed;
    gate_buf_free(&text);
}

void gate_phrase_p(struct gate_buf *out, double log_p) {
    double p = exp(log_p);
    if (isnan(log_p))
        gate_buf_text(out, "p n/a");
    else if (p >= 0.001)
        gate_buf_printf(out, "p = %.2g", p);
    else if (p > 1e-300)
        gate_buf_printf(out, "p = %.0e", p);
    else
        gate_buf_text(out, "p < 1e-300");
}

uint32_t gate_phrase_tally(const struct gate_verdict *verdict, enum gate_outcome outcome) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < verdict->budget_count; i++)
        count += verdict->budgets[i].outcome == outcome;
    return count;
}

/* "2 of 5 budgets VERB"; behind the first part only "2 VERB". */
static void phrase_part_of(struct gate_buf *out, uint32_t count, uint32_t all, bool first, const char *verb) {
    if (all == 1)
        gate_buf_printf(out, "the only budget %s", verb);
    else if (first)
        gate_buf_printf(out, "%u of %u budgets %s", count, all, verb);
    else
        gate_buf_printf(out, ", %u %s", count, verb);
}

/* Budgets that somebody wrote for functions that are not there. */
static uint32_t phrase_idle(const struct gate_verdict *verdict) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < verdict->warning_count; i++)
        count += gate_str_equal(verdict->warnings[i].code, GATE_STR("no_match"));
    return count;
}

static bool phrase_is_same(const struct gate_verdict *verdict) {
    for (uint32_t i = 0; i < verdict->comparison_count; i++)
        if (!verdict->comparisons[i].same_input)
            return false;
    return verdict->comparison_count > 0;
}

void gate_phrase_summary(struct gate_buf *out, const struct gate_verdict *verdict) {
    uint32_t all = verdict->budget_count;
    uint32_t failed = gate_phrase_tally(verdict, GATE_OUTCOME_FAIL);
    uint32_t undecided = gate_phrase_tally(verdict, GATE_OUTCOME_INCONCLUSIVE);
    uint32_t warned = gate_phrase_tally(verdict, GATE_OUTCOME_WARN);
    if (all == 0) {
        gate_buf_text(out, "no budget applies");
        return;
    }
    if (failed > 0)
        phrase_part_of(out, failed, all, true, failed == 1 ? "is broken" : "are broken");
    if (undecided > 0) {
        phrase_part_of(out, undecided, all, failed == 0, "cannot be decided");
        if (verdict->outcome != GATE_OUTCOME_INCONCLUSIVE && failed == 0)
            gate_buf_printf(out, " (on_inconclusive: %s)", gate_on_inconclusive_name(verdict->rules->on_inconclusive));
    }
    if (warned > 0)
        phrase_part_of(out, warned, all, failed + undecided == 0, warned == 1 ? "warns" : "warn");
    uint32_t idle = phrase_idle(verdict);
    bool all_hold = failed + undecided + warned == 0;
    if (all_hold && all == 1)
        gate_buf_text(out, idle > 0 ? "the only budget selects nothing" : "the only budget holds");
    else if (all_hold && idle > 0)
        gate_buf_printf(out, "%u of %u budgets hold", all - idle, all);
    else if (all_hold)
        gate_buf_printf(out, "all %u budgets hold", all);
    if (idle > 0 && all > 1)
        gate_buf_printf(out, ", %u %s nothing", idle, idle == 1 ? "selects" : "select");
    if (all_hold && phrase_is_same(verdict))
        gate_buf_text(out, ", but both sides are the same capture");
    if (verdict->guard_raised)
        gate_buf_text(out, ", but the sides are not comparable (a guard of severity error)");
}

const char *gate_phrase_verdict(enum gate_outcome outcome) {
    static const char *const words[] = {"PROVEN", "PASS", "WARN", "INCONCLUSIVE", "FAIL"};
    return words[outcome];
}

const char *gate_phrase_measure(enum gate_measure measure) {
    static const char *const words[GATE_MEASURES] = {
        [GATE_SELF] = "self", [GATE_CUMULATIVE] = "cumulative", [GATE_CHARGED] = "charged"};
    return words[measure];
}

struct gate_str gate_phrase_head(struct gate_str text, size_t columns) {
    size_t at = 0;
    size_t used = 0;
    while (at < text.len) {
        uint32_t c = 0;
        size_t step = gate_utf8_decode(text, at, &c);
        if (step == 0)
            step = 1;
        used += gate_str_columns(gate_str_slice(text, at, at + step));
        if (used > columns)
            break;
        at += step;
    }
    return gate_str_slice(text, 0, at);
}

/* The longest end of `text` within `columns`. */
static struct gate_str phrase_tail(struct gate_str text, size_t columns) {
    size_t all = gate_str_columns(text);
    size_t at = 0;
    while (at < text.len && all > columns) {
        uint32_t c = 0;
        size_t step = gate_utf8_decode(text, at, &c);
        if (step == 0)
            step = 1;
        all -= gate_str_columns(gate_str_slice(text, at, at + step));
        at += step;
    }
    return gate_str_slice(text, at, text.len);
}

/*
 * Offset of the first part of a qualified name that, with all behind it, fits `columns`; 0 when only the last part
 * does, or not even that. Separators are '/', '.' and "::" outside of brackets, where type arguments stand.
 */
static size_t phrase_part(struct gate_str name, size_t columns) {
    int depth = 0;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '(' || c == '<' || c == '[' || c == '{')
            depth++;
        else if (c == ')' || c == '>' || c == ']' || c == '}')
            depth -= depth > 0;
        bool pair = c == ':' && i + 1 < name.len && name.ptr[i + 1] == ':';
        if (depth > 0 || (c != '/' && c != '.' && !pair))
            continue;
        size_t from = i + (pair ? 2 : 1);
        struct gate_str rest = gate_str_slice(name, from, name.len);
        bool qualified = memchr(rest.ptr, '.', rest.len) != NULL || gate_str_find(rest, GATE_STR("::"), 0) != SIZE_MAX;
        if (rest.len > 0 && qualified && gate_str_columns(rest) <= columns)
            return from;
        i = from - 1;
    }
    return 0;
}

struct gate_str gate_phrase_shorten(struct gate_arena *arena, struct gate_str name, size_t columns) {
    if (name.len == 0)
        return GATE_STR("(no name)");
    if (gate_str_columns(name) <= columns)
        return name;
    size_t from = phrase_part(name, columns - 1);
    struct gate_str head = {"", 0};
    struct gate_str tail = gate_str_slice(name, from, name.len);
    if (from == 0) {
        /* The end names the function: it keeps two thirds. */
        head = gate_phrase_head(name, (columns - 1) / 3);
        tail = phrase_tail(name, columns - 1 - gate_str_columns(head));
    }
    size_t len = head.len + strlen(ELLIPSIS) + tail.len;
    char *copy = gate_arena_alloc(arena, len + 1);
    if (copy == NULL)
        return (struct gate_str){NULL, 0};
    memcpy(copy, head.ptr, head.len);
    memcpy(copy + head.len, ELLIPSIS, strlen(ELLIPSIS));
    memcpy(copy + head.len + strlen(ELLIPSIS), tail.ptr, tail.len);
    copy[len] = '\0';
    return (struct gate_str){copy, len};
}

const struct gate_finding *gate_phrase_next(const struct gate_verdict *verdict, enum gate_outcome outcome,
                                            uint32_t *budget, uint32_t *at) {
    for (; *budget < verdict->budget_count; (*budget)++, *at = 0) {
        const struct gate_budget_result *result = &verdict->budgets[*budget];
        while (*at < result->finding_count) {
            const struct gate_finding *finding = &result->findings[(*at)++];
            if (finding->outcome == outcome)
                return finding;
        }
    }
    return NULL;
}

bool gate_phrase_is_shown(const struct gate_budget_result *result, uint32_t at) {
    if (at < SHOWN_OF_A_BUDGET && gate_phrase_is_over(&result->findings[at]))
        return true;
    return at == 0 && result->outcome == GATE_OUTCOME_INCONCLUSIVE;
}

uint32_t gate_phrase_left_out(const struct gate_verdict *verdict) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < verdict->budget_count; b++)
        for (uint32_t f = 0; f < verdict->budgets[b].finding_count; f++)
            count += verdict->budgets[b].findings[f].outcome >= GATE_OUTCOME_WARN &&
                     !gate_phrase_is_shown(&verdict->budgets[b], f);
    return count;
}

bool gate_phrase_is_over(const struct gate_finding *finding) {
    return finding->reason != GATE_REASON_TOO_FEW_SAMPLES && finding->reason != GATE_REASON_WITHIN;
}

const struct gate_frame *gate_phrase_frame(const struct gate_verdict *verdict, const struct gate_budget_result *result,
                                           const struct gate_finding *finding) {
    if (finding->frame == GATE_NO_INDEX || result->comparison >= verdict->comparison_count)
        return NULL;
    return &verdict->comparisons[result->comparison].pair.frames[finding->frame];
}
