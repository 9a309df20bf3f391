/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/report/headline.h"

#include "gate/base/buf.h"
#include "gate/base/figures.h"
#include "gate/budget/samples_needed.h"
#include "gate/budget/verdict.h"
#include "gate/compare/comparison.h"
#include "gate/compare/cost.h"
#include "gate/compare/delta.h"
#include "gate/compare/student.h"
#include "gate/formats/format.h"
#include "gate/model/unit.h"
#include "gate/report/cause_sentence.h"
#include "gate/report/checkout.h"
#include "gate/report/listing.h"
#include "gate/report/shorten.h"
#include "gate/rules/guard_rules.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

/* ---- looks ------------------------------------------------------------------------------------------------------- */

void gate_looks_line(struct gate_buf *out, const struct gate_verdict_looks *looks) {
    if (looks->count == 0)
        return;
    gate_buf_printf(out, "look %u", (unsigned)looks->count);
    if (looks->planned > 0) { /* if all runs exist, this look is the last */
        bool is_last = looks->count < looks->planned && looks->runs >= looks->one_look_runs;
        gate_buf_printf(out, "%s of at most %u", is_last ? ", the last" : "", (unsigned)looks->planned);
    }
    gate_buf_printf(out, ", %u of %u planned run%s per side; error budget used: ", (unsigned)looks->runs,
                    (unsigned)looks->one_look_runs, looks->one_look_runs == 1 ? "" : "s");
    gate_figures_given(out, looks->fail_spent);
    gate_buf_text(out, " of ");
    gate_figures_given(out, looks->fail_total);
    gate_buf_text(out, " for a fail, ");
    gate_figures_given(out, looks->held_spent);
    gate_buf_text(out, " of ");
    gate_figures_given(out, looks->held_total);
    gate_buf_text(out, " for a pass");
}

/* ---- the verdict in one line ------------------------------------------------------------------------------------- */

enum { NAME_COLUMNS = 60, REASON_COLUMNS = 200 };

/* State of one line. */
struct headline {
    struct gate_buf *out;
    const struct gate_verdict *verdict;
    struct gate_arena *arena;
    uint32_t failed, undecided, warned; /* numbers of budgets */
};

/** Return how many budgets have this outcome. */
static uint32_t headline_tally(const struct gate_verdict *verdict, enum gate_outcome outcome) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < verdict->budget_count; i++)
        count += verdict->budgets[i].outcome == outcome;
    return count;
}

/* Return whether a cause has this outcome and more than a larger share because others shrank. */
static bool headline_is_of(const struct gate_cause *cause, enum gate_outcome outcome) {
    return cause->outcome == outcome && !gate_cause_is_share_only(cause);
}

static uint32_t headline_causes(const struct gate_verdict *verdict, enum gate_outcome outcome) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < verdict->causes.count; i++)
        count += headline_is_of(&verdict->causes.items[i], outcome);
    return count;
}

static const struct gate_cause *headline_first_cause(const struct gate_verdict *verdict, enum gate_outcome outcome) {
    for (uint32_t i = 0; i < verdict->causes.count; i++)
        if (headline_is_of(&verdict->causes.items[i], outcome))
            return &verdict->causes.items[i];
    return NULL;
}

/* Return the first finding of `outcome` that belongs to no cause; NULL if there is none. */
static const struct gate_finding *headline_first_plain(const struct gate_verdict *verdict, enum gate_outcome outcome,
                                                       bool also_blind) {
    uint32_t budget = 0, at = 0;
    const struct gate_finding *finding;
    while ((finding = gate_listing_next(verdict, outcome, &budget, &at)) != NULL)
        if (!gate_cause_includes(finding) && (also_blind || gate_listing_is_over(finding)))
            return finding;
    return NULL;
}

static void put_short(const struct headline *h, struct gate_str function) {
    struct gate_str name = gate_shorten_name(h->arena, function, NAME_COLUMNS);
    if (name.ptr == NULL)
        h->out->failed = true;
    else
        gate_buf_str(h->out, name);
}

static void headline_name(const struct headline *h, const struct gate_cause *cause) {
    put_short(h, cause->function);
    const struct gate_pair *pair = &h->verdict->comparisons[cause->comparison].pair;
    if (cause->frame == GATE_NO_INDEX || cause->frame != pair->one_sided || cause->new_frame == GATE_NO_INDEX)
        return;
    gate_buf_text(h->out, ", such as ");
    put_short(h, pair->frames[cause->new_frame].name);
    gate_buf_char(h->out, ',');
}

/* Append a sentence. A long one is cut after a word, with "…". */
static void headline_reason(struct gate_buf *out, struct gate_str text) {
    struct gate_str start = gate_shorten_to_start(text, REASON_COLUMNS);
    size_t word = start.len;
    while (start.len < text.len && word > 0 && start.ptr[word - 1] != ' ')
        word--;
    start.len = word > 0 ? word : start.len;
    gate_buf_str(out, start);
    gate_buf_text(out, start.len < text.len ? "\xE2\x80\xA6" : "");
}

/* Append "2 of 5 budgets", or if the line has such a part already, "2". */
static void headline_budgets(const struct headline *h, uint32_t count, bool is_first) {
    if (h->verdict->budget_count == 1)
        gate_buf_text(h->out, is_first ? "the only budget" : "it");
    else if (is_first)
        gate_buf_printf(h->out, "%u of %u budgets", count, h->verdict->budget_count);
    else
        gate_buf_printf(h->out, "%u", count);
}

/* Return the first warning that the rules raise to an error, or NULL. */
static const struct gate_warning *headline_raised(const struct gate_verdict *verdict) {
    for (uint32_t i = 0; i < verdict->warning_count; i++)
        if (gate_guard_severity(verdict->rules, verdict->warnings[i].guard) == GATE_SEVERITY_ERROR)
            return &verdict->warnings[i];
    return NULL;
}

void gate_headline_guard(struct gate_buf *out, const struct gate_verdict *verdict) {
    const struct gate_warning *raised = headline_raised(verdict);
    if (raised == NULL) {
        gate_buf_text(out, "a guard of severity error was raised");
        return;
    }
    struct gate_str reason = gate_str_slice(raised->message, 0, gate_str_find(raised->message, GATE_STR(";"), 0));
    headline_reason(out, reason);
    gate_buf_text(out, " (");
    gate_buf_text(out, gate_guard_name(raised->guard));
    gate_buf_char(out, ')');
}

/* Return whether the first raised guard is about a higher cost of the canary. The sides can then be compared. */
static bool headline_guard_is_of_cost(const struct gate_verdict *verdict) {
    const struct gate_warning *raised = headline_raised(verdict);
    return raised != NULL &&
           (raised->guard == GATE_GUARD_COST_PER_SECOND || raised->guard == GATE_GUARD_ESTIMATED_COST);
}

/* Return how many budgets are broken by a failing cause. */
static uint32_t headline_broken_by_causes(const struct gate_verdict *verdict) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < verdict->budget_count; b++) {
        bool breaks = false;
        for (uint32_t c = 0; c < verdict->causes.count; c++)
            breaks = breaks || gate_cause_is_of(&verdict->causes.items[c], &verdict->budgets[b], GATE_OUTCOME_FAIL);
        count += breaks;
    }
    return count;
}

/* Return whether a folder is a Go module's major version, "v3" or "v3@v3.4.0". The folder above it has the name. */
static bool is_major_version(struct gate_str folder) {
    size_t end = 1;
    while (end < folder.len && gate_is_digit(folder.ptr[end]))
        end++;
    return folder.len > 1 && folder.ptr[0] == 'v' && end > 1 && (end == folder.len || folder.ptr[end] == '@');
}

/* Return the file with its last folder: "shop/main.go", "semver/v3@v3.4.0/constraints.go". */
static struct gate_str headline_file(struct gate_str file) {
    struct gate_str tried = gate_checkout_tried(file);
    file = tried.len > 0 ? tried : file;
    size_t len = gate_str_basename(file).len;
    bool is_version = true;
    for (int folders = 0; folders < 2 && is_version && len + 1 < file.len; folders++) {
        struct gate_str folder = gate_str_basename(gate_str_slice(file, 0, file.len - len - 1));
        len = folder.len == 0 ? len : folder.len + 1 + len;
        is_version = is_major_version(folder);
    }
    return gate_str_slice(file, file.len - len, file.len);
}

/* Append "  shop/main.go:41": the file with its last folder, and the function's first line. */
static void headline_place(const struct headline *h, const struct gate_cause *cause) {
    if (cause->frame == GATE_NO_INDEX)
        return;
    const struct gate_frame *frame = &h->verdict->comparisons[cause->comparison].pair.frames[cause->frame];
    struct gate_str file = headline_file(frame->file);
    if (gate_str_find(gate_str_basename(file), GATE_STR("."), 0) == SIZE_MAX) /* not a file name */
        return;
    gate_buf_text(h->out, "  ");
    gate_buf_str(h->out, gate_shorten_to_start(file, NAME_COLUMNS));
    if (frame->start_line > 0)
        gate_buf_printf(h->out, ":%lld", (long long)frame->start_line);
}

/* Append " (3.6% → 14.9% of cpu)". */
static void headline_shares(const struct headline *h, const struct gate_cause *cause) {
    gate_buf_text(h->out, " (");
    gate_cause_sentence_amounts(h->out, h->verdict, cause);
    gate_buf_char(h->out, ')');
}

/* Append the unit of a ratio of costs: " per request", " per second". */
static void headline_per(const struct headline *h, const struct gate_cause *cause) {
    const struct gate_comparison *comparison = &h->verdict->comparisons[cause->comparison];
    if (!gate_equal_is_of_cost(comparison->equal))
        return;
    gate_buf_char(h->out, ' ');
    if (gate_cause_is_per_run(cause))
        gate_buf_text(h->out, "per run");
    else
        gate_equal_put_per(h->out, comparison->equal, h->verdict->rules->work_unit);
}

/* A cost that grew by less than this ratio need not be growth of the function. */
static const double LARGER_SHARE = 1.1;

/* Append " costs 4.7x per request (3.6% → 14.9% of cpu)", " costs about 4.7x" if the work is estimated, " keeps 4.7x as
 * much" of an amount held, " is new in the profile (…)", or, without a ratio, " grew from 3.6% to 14.9% of cpu". */
static void headline_change(const struct headline *h, const struct gate_cause *cause) {
    const struct gate_comparison *comparison = &h->verdict->comparisons[cause->comparison];
    const struct gate_evidence *e = &cause->evidence;
    const struct gate_budget_measure_row *measure = gate_budget_measure_row(cause->measure);
    bool is_charged = cause->measure == GATE_MEASURE_CHARGED || cause->measure == GATE_MEASURE_CHARGED_COST;
    double ratio = measure->is_cost ? e->share[GATE_CANARY] / e->share[GATE_BASELINE] : cause->cost_ratio;
    /* A ratio misleads if the cost may have belonged to another function before, because it is inlined or misplaced. */
    bool has_ratio = (measure->is_cost || is_charged) && isfinite(ratio) && !gate_cause_may_be_of_another(cause) &&
                     !gate_cause_is_at_start(h->verdict, cause);
    if (!(e->share[GATE_BASELINE] > 0.0)) {
        gate_buf_text(h->out,
                      gate_cause_ran_before(h->verdict, cause) ? " has cost of its own now" : " is new in the profile");
        headline_shares(h, cause);
    } else if (has_ratio && gate_cause_is_nearly_new(h->verdict, cause)) {
        gate_buf_text(h->out, " is nearly new in the profile");
        headline_shares(h, cause);
    } else if (has_ratio && !gate_cause_lacks_ratio(h->verdict, cause)) {
        bool is_exact = measure->is_cost || comparison->work_is_known;
        bool is_level = gate_sample_type_is_level(comparison->pair.type.type);
        /* If others became cheaper, the function itself need not cost more. */
        gate_buf_text(h->out, e->delta > 0.0 && ratio < LARGER_SHARE ? " has a larger share and" : "");
        gate_buf_text(h->out, is_level ? " keeps" : " costs");
        gate_buf_text(h->out, is_exact || ratio > GATE_TIMES_MOST ? " " : " about ");
        gate_figures_times(h->out, ratio);
        gate_buf_text(h->out, is_level ? " as much" : "");
        headline_per(h, cause);
        headline_shares(h, cause);
    } else {
        gate_buf_text(h->out, e->delta > 0.0 ? " grew from " : " went from ");
        gate_figures_share(h->out, e->share[GATE_BASELINE]);
        gate_buf_text(h->out, " to ");
        gate_figures_share(h->out, e->share[GATE_CANARY]);
        gate_buf_text(h->out, " of ");
        gate_buf_str(h->out, comparison->name);
    }
}

/* Append "total cpu per request is 9.2x the baseline's, most of the increase in main.price". */
static void headline_total(const struct headline *h, const struct gate_cause *cause,
                           const struct gate_evidence *total) {
    const struct gate_comparison *comparison = &h->verdict->comparisons[cause->comparison];
    gate_buf_text(h->out, "total ");
    gate_buf_str(h->out, comparison->name);
    headline_per(h, cause);
    gate_buf_text(h->out, " is ");
    gate_figures_times(h->out, total->share[GATE_CANARY] / total->share[GATE_BASELINE]);
    gate_buf_text(h->out, " the baseline's, ");
    gate_buf_text(h->out, cause->explains <= 0.5 ? "the largest part" : "most");
    gate_buf_text(h->out, " of the increase in ");
    headline_name(h, cause);
}

/* Append the functions that cost may have moved from: "main.total (-11.2 pp)". */
static void headline_sources(const struct headline *h, const struct gate_cause *cause) {
    const struct gate_frame *frames = h->verdict->comparisons[cause->comparison].pair.frames;
    const struct gate_shift *shift = cause->findings[0].finding->shift;
    put_short(h, frames[shift->sources[0]].name);
    gate_buf_text(h->out, shift->source_count > 1 ? " and others (" : " (");
    gate_figures_points(h->out, -shift->moved);
    gate_buf_char(h->out, ')');
}

/* Append "cost may have moved from main.total (-11.2 pp) to main.price (3.6% → 14.9% of cpu)", without a ratio, which
 * would read as growth. For a part of the growth, append "a part of the growth of … may have moved from …". If a system
 * library may lack its caller, append "the growth of … may be that of …: it ends in libc.so.6 and may lack its caller".
 */
static void headline_moved(const struct headline *h, const struct gate_cause *cause) {
    const struct gate_frame *frames = h->verdict->comparisons[cause->comparison].pair.frames;
    const struct gate_shift *shift = cause->findings[0].finding->shift;
    if (shift->library != GATE_NO_INDEX && shift->source_count > 0) {
        gate_buf_text(h->out, "the growth of ");
        headline_name(h, cause);
        headline_shares(h, cause);
        gate_buf_text(h->out, " may be that of ");
        headline_sources(h, cause);
        gate_buf_text(h->out, ": it ends in ");
        gate_buf_str(h->out, gate_str_basename(frames[shift->library].mapping));
        gate_buf_text(h->out, " and may lack its caller");
        return;
    }
    if (shift->within == GATE_NO_INDEX && !shift->is_pause && shift->source_count > 0) {
        gate_buf_text(h->out, "a part of the growth of ");
        headline_name(h, cause);
        headline_shares(h, cause);
        gate_buf_text(h->out, " may have moved from ");
        headline_sources(h, cause);
        return;
    }
    gate_buf_text(h->out, "cost may have moved");
    if (shift->source_count > 0) {
        gate_buf_text(h->out, " from ");
        headline_sources(h, cause);
    }
    gate_buf_text(h->out, " to ");
    headline_name(h, cause);
    headline_shares(h, cause);
}

/* Append ", perhaps in f" if a system library may lack its caller, or ", called for f" for third-party code. */
static void headline_neighbour(const struct headline *h, const struct gate_cause *cause) {
    const struct gate_frame *frames = h->verdict->comparisons[cause->comparison].pair.frames;
    uint32_t caller = gate_cause_grown_caller(h->verdict, cause);
    if (cause->callee == GATE_NO_INDEX && caller == GATE_NO_INDEX)
        return;
    gate_buf_text(h->out, cause->callee != GATE_NO_INDEX ? ", perhaps in " : ", called for ");
    put_short(h, frames[cause->callee != GATE_NO_INDEX ? cause->callee : caller].name);
}

/* Append a cause: "main.price costs 4.7x per request (3.6% → 14.9% of cpu)  shop/main.go:41". */
static void headline_culprit(const struct headline *h, const struct gate_cause *cause) {
    const struct gate_evidence *total = gate_cause_grown_total(cause);
    struct gate_str leak = gate_cause_leak(cause);
    if (leak.len > 0 && cause->frame != GATE_NO_INDEX) {
        headline_name(h, cause);
        gate_buf_text(h->out, cause->outcome == GATE_OUTCOME_FAIL ? " leaks: " : " may leak: ");
        gate_buf_str(h->out, leak);
    } else if (cause->findings[0].finding->shift != NULL && cause->frame != GATE_NO_INDEX) {
        headline_moved(h, cause);
    } else if (total != NULL && total->share[GATE_BASELINE] > 0.0) {
        headline_total(h, cause, total);
    } else {
        headline_name(h, cause);
        headline_change(h, cause);
        headline_neighbour(h, cause);
    }
    headline_place(h, cause);
}

static void headline_failed(const struct headline *h) {
    uint32_t causes = headline_causes(h->verdict, GATE_OUTCOME_FAIL);
    uint32_t broken = causes == 0 ? 0 : headline_broken_by_causes(h->verdict);
    const struct gate_finding *plain = headline_first_plain(h->verdict, GATE_OUTCOME_FAIL, true);
    if (causes > 0)
        headline_culprit(h, headline_first_cause(h->verdict, GATE_OUTCOME_FAIL));
    if (causes > 1)
        gate_buf_printf(h->out, "; %u more cause%s", causes - 1, causes == 2 ? "" : "s");
    if (broken == h->failed)
        return;
    gate_buf_text(h->out, causes > 0 ? "; " : "");
    headline_budgets(h, h->failed - broken, causes == 0);
    gate_buf_text(h->out, causes == 0 ? "" : h->failed - broken == 1 ? " more budget" : " more budgets");
    gate_buf_text(h->out, h->failed - broken == 1 ? " is broken" : " are broken");
    if (plain != NULL) {
        gate_buf_text(h->out, ": ");
        headline_reason(h->out, plain->text);
    }
}

/* Append ": about 13 runs per side would decide it": verdict->settle_runs or, if that is 0, `runs`, unless 0, too. */
static void headline_runs(const struct headline *h, double runs) {
    double all = h->verdict->settle_runs > 0.0 ? h->verdict->settle_runs : runs;
    if (!(all > 0.0))
        return;
    bool is_many = all > GATE_SAMPLES_NEEDED_RUNS_MANY;
    gate_buf_text(h->out, is_many ? ": more than " : ": about ");
    gate_figures_count(h->out, fmin(all, GATE_SAMPLES_NEEDED_RUNS_MANY));
    gate_buf_text(h->out, is_many      ? " runs per side would be needed"
                          : all == 1.0 ? " run per side would decide it"
                                       : " runs per side would decide it");
}

/* Append why a cause over its limit is undecided, and what would decide it. */
static void headline_hindrance(const struct headline *h, const struct gate_cause *cause) {
    bool is_unconfirmed = cause->reason == GATE_REASON_MIN_SAMPLES || cause->reason == GATE_REASON_UNCONFIRMED;
    if (!is_unconfirmed && cause->reason != GATE_REASON_OWN_COST_OPEN) {
        const char *obstacle = gate_reason_row(cause->reason)->obstacle;
        gate_buf_text(h->out, obstacle != NULL ? obstacle : "over the limit, and more samples would not decide it");
        return;
    }
    if (!is_unconfirmed) {
        gate_buf_text(h->out, "not enough samples to decide whether it grew or the others shrank");
    } else {
        /* The line names the function that grew most, but the path or total that contains it may be undecided. */
        const struct gate_finding *open = cause->findings[0].finding;
        bool is_of_path = open->frame != cause->frame && open->frame != GATE_NO_INDEX;
        gate_buf_text(h->out, "not enough samples to confirm that ");
        if (is_of_path)
            put_short(h, open->function);
        gate_buf_text(h->out, is_of_path                     ? ", with all that it calls, is over the limit"
                              : open->frame == GATE_NO_INDEX ? "the total is over the limit"
                                                             : "it is over the limit");
    }
    headline_runs(h, cause->findings[0].finding->runs_to_settle);
}

/* Append the first undecided cause or finding, and what would decide it. Returns false if there is neither. */
static bool headline_open(const struct headline *h) {
    const struct gate_cause *cause = headline_first_cause(h->verdict, GATE_OUTCOME_INCONCLUSIVE);
    const struct gate_finding *plain = headline_first_plain(h->verdict, GATE_OUTCOME_INCONCLUSIVE, true);
    if (cause != NULL) {
        headline_culprit(h, cause);
        gate_buf_text(h->out, "; ");
        headline_hindrance(h, cause);
    } else if (plain != NULL && plain->reason == GATE_REASON_TOO_FEW_SAMPLES) {
        gate_buf_text(h->out, "not enough samples to detect growth over the limit");
        headline_runs(h, plain->runs_to_settle);
    } else if (plain != NULL) {
        headline_reason(h->out, plain->text);
    }
    return cause != NULL || plain != NULL;
}

/* Append ", 1 by an expired waiver" to the first line, because some readers only see that line. */
static void headline_expired(const struct headline *h) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < h->verdict->budget_count; b++)
        for (uint32_t f = 0; f < h->verdict->budgets[b].finding_count; f++)
            count += h->verdict->budgets[b].findings[f].reason == GATE_REASON_EXPIRED;
    if (count > 0)
        gate_buf_printf(h->out, ", %u by an expired waiver", count);
}

static void headline_undecided(const struct headline *h, bool is_first) {
    bool follows_failures = h->failed > 0;
    bool follows = is_first ? headline_open(h) : true;
    gate_buf_text(h->out, follows ? "; " : "");
    headline_budgets(h, h->undecided, !follows_failures);
    if (follows_failures && h->verdict->budget_count > 1)
        gate_buf_text(h->out, h->undecided == 1 ? " budget" : " budgets");
    gate_buf_text(h->out, h->undecided == 1 ? " is undecided" : " are undecided");
    headline_expired(h);
    if (h->verdict->outcome != GATE_OUTCOME_INCONCLUSIVE && h->failed == 0)
        gate_buf_printf(h->out, " (on_inconclusive: %s)",
                        gate_on_inconclusive_name(h->verdict->rules->on_inconclusive));
}

/* Append what a passing run warns about: the first cause or, if there is none, the first finding. */
static void headline_warned(const struct headline *h) {
    uint32_t causes = headline_causes(h->verdict, GATE_OUTCOME_WARN);
    const struct gate_cause *cause = headline_first_cause(h->verdict, GATE_OUTCOME_WARN);
    const struct gate_finding *plain = headline_first_plain(h->verdict, GATE_OUTCOME_WARN, false);
    if (cause == NULL) {
        headline_reason(h->out, plain->text);
        return;
    }
    headline_name(h, cause);
    gate_buf_text(h->out, " is over \"");
    gate_buf_str(h->out, gate_shorten_to_start(cause->findings[0].result->budget->name, NAME_COLUMNS));
    gate_buf_text(h->out, "\" (warning only)");
    if (causes > 1)
        gate_buf_printf(h->out, "; %u more cause%s", causes - 1, causes == 2 ? "" : "s");
}

/* Return how many budgets select no function. */
static uint32_t headline_idle(const struct gate_verdict *verdict) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < verdict->warning_count; i++)
        count += verdict->warnings[i].guard == GATE_GUARD_NO_MATCH;
    return count;
}

static bool headline_is_same(const struct gate_verdict *verdict) {
    for (uint32_t i = 0; i < verdict->comparison_count; i++)
        if (!verdict->comparisons[i].same_input)
            return false;
    return verdict->comparison_count > 0;
}

/* Return whether a budget only warns because others shrank. The costs are then within its limits. */
static bool headline_holds_for_costs(const struct gate_budget_result *result) {
    bool any = false;
    for (uint32_t f = 0; f < result->finding_count; f++) {
        const struct gate_finding *finding = &result->findings[f];
        if (finding->outcome >= GATE_OUTCOME_WARN && finding->reason != GATE_REASON_OTHERS_SHRANK)
            return false;
        any = any || finding->outcome >= GATE_OUTCOME_WARN;
    }
    return any;
}

static uint32_t headline_warned_budgets(const struct gate_verdict *verdict) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < verdict->budget_count; i++)
        count += verdict->budgets[i].outcome == GATE_OUTCOME_WARN && !headline_holds_for_costs(&verdict->budgets[i]);
    return count;
}

/* Append "; 6 functions have a larger share because others shrank". */
static void headline_share_only(const struct headline *h) {
    uint32_t count = gate_share_only_count(h->verdict);
    if (count > 0)
        gate_buf_printf(h->out, "; %u function%s a larger share because others shrank", count,
                        count == 1 ? " has" : "s have");
}

/* Append the number of functions that pass over their limits, because some readers only see this line. */
static void headline_tolerated(const struct headline *h) {
    unsigned count = gate_tolerated_count(h->verdict);
    if (count == 1)
        gate_buf_text(h->out, "; 1 function is over its limit as measured");
    else if (count > 1)
        gate_buf_printf(h->out, "; %u functions are over their limits as measured", count);
}

/* Append the budgets that only warn because there are too few samples, such as delay budgets with one run per side. */
static void headline_blind(const struct headline *h) {
    const struct gate_budget_result *first = h->verdict->budgets;
    while (first->outcome != GATE_OUTCOME_WARN || headline_holds_for_costs(first))
        first++;
    gate_buf_char(h->out, '"');
    gate_buf_str(h->out, gate_shorten_to_start(first->budget->name, NAME_COLUMNS));
    gate_buf_char(h->out, '"');
    if (h->warned > 1)
        gate_buf_printf(h->out, " and %u more", h->warned - 1);
    gate_buf_printf(h->out, " %s undecided (warning only): not enough samples to detect growth over the limit",
                    h->warned == 1 ? "is" : "are");
}

static void headline_held(const struct headline *h) {
    uint32_t all = h->verdict->budget_count, idle = headline_idle(h->verdict);
    uint32_t unjudged = gate_listing_unjudged(h->verdict), held = all - idle - h->warned - unjudged;
    if (all == 1 && h->warned == 0)
        gate_buf_text(h->out, idle > 0       ? "the only budget selects no function"
                              : unjudged > 0 ? "the only budget was not judged"
                                             : "the only budget holds");
    else if (all == 1)
        gate_buf_text(h->out, "the only budget, ");
    else if (held == all)
        gate_buf_printf(h->out, "all %u budgets hold", all);
    else if (unjudged == all)
        gate_buf_printf(h->out, "none of the %u budgets was judged", all);
    else
        gate_buf_printf(h->out, "%u of %u budgets hold", held, all);
    if (h->warned > 0) {
        gate_buf_text(h->out, all > 1 ? "; " : "");
        headline_blind(h);
    }
    if (idle > 0 && all > 1)
        gate_buf_printf(h->out, ", %u %s no function", idle, idle == 1 ? "selects" : "select");
    if (unjudged > 0 && unjudged < all)
        gate_buf_printf(h->out, ", %u %s not judged", unjudged, unjudged == 1 ? "was" : "were");
    gate_listing_put_hindrances(h->out, h->verdict);
    headline_share_only(h);
    headline_tolerated(h);
    if (h->warned == 0 && !h->verdict->guard_raised && headline_is_same(h->verdict))
        gate_buf_text(h->out, ", but both sides are the same capture");
}

static bool headline_has_warnings(const struct gate_verdict *verdict) {
    if (verdict->outcome != GATE_OUTCOME_PASS || verdict->looks.stands.len > 0)
        return false;
    return headline_first_cause(verdict, GATE_OUTCOME_WARN) != NULL ||
           headline_first_plain(verdict, GATE_OUTCOME_WARN, false) != NULL ||
           (verdict->rules->on_inconclusive == GATE_ON_INCONCLUSIVE_WARN &&
            headline_tally(verdict, GATE_OUTCOME_INCONCLUSIVE) > 0);
}

static void headline_write(const struct headline *h, bool has_warnings) {
    bool is_first = h->failed == 0;
    if (h->failed > 0)
        headline_failed(h);
    /* After a fail, the line already names the function that costs more, so a guard on cost is left out. */
    if (h->verdict->guard_raised && (is_first || !headline_guard_is_of_cost(h->verdict))) {
        gate_buf_text(h->out, is_first ? "" : "; ");
        if (!headline_guard_is_of_cost(h->verdict))
            gate_buf_text(h->out, is_first ? "the sides are not comparable: " : "the rest is not comparable: ");
        gate_headline_guard(h->out, h->verdict);
        is_first = false;
    }
    if (h->undecided > 0) {
        headline_undecided(h, is_first);
        is_first = false;
    }
    if (!is_first)
        return;
    if (h->verdict->budget_count == 0)
        gate_buf_text(h->out, "no budget applies");
    else if (has_warnings)
        headline_warned(h);
    else
        headline_held(h);
}

bool gate_headline_make(struct gate_headline *out, const struct gate_verdict *verdict, struct gate_arena *arena,
                        struct gate_error *err) {
    bool is_accepted = verdict->accepted.commit.len > 0;
    bool has_warnings = !is_accepted && headline_has_warnings(verdict);
    struct gate_buf text = {0};
    if (is_accepted) {
        gate_buf_text(&text, "by ");
        gate_buf_str(&text, verdict->accepted.by);
        gate_buf_text(&text, ": \"");
        gate_buf_str(&text, verdict->accepted.reason);
        gate_buf_text(&text, "\"; ");
    }
    const struct headline h = {.out = &text,
                               .verdict = verdict,
                               .arena = arena,
                               .failed = headline_tally(verdict, GATE_OUTCOME_FAIL),
                               .undecided = headline_tally(verdict, GATE_OUTCOME_INCONCLUSIVE),
                               .warned = headline_warned_budgets(verdict)};
    if (verdict->looks.stands.len > 0)
        gate_buf_str(&text, verdict->looks.stands);
    else
        headline_write(&h, has_warnings);
    *out = (struct gate_headline){.word = is_accepted    ? "PASS, accepted"
                                          : has_warnings ? "PASS with warnings"
                                                         : gate_outcome_capitals(verdict->outcome),
                                  .tone = is_accepted || has_warnings ? GATE_OUTCOME_WARN : verdict->outcome};
    return gate_buf_keep_into(&out->text, &text, arena, err);
}

void gate_headline_flow(struct gate_buf *out, const struct gate_headline *headline,
                        void (*escape)(struct gate_buf *out, struct gate_str text)) {
    struct gate_str text = headline->text;
    size_t place = gate_str_find(text, GATE_STR("  "), 0);
    escape(out, gate_str_slice(text, 0, place < text.len ? place : text.len));
    if (place >= text.len)
        return;
    gate_buf_text(out, " at ");
    escape(out, gate_str_slice(text, place + 2, text.len));
}

/* ---- improvements ------------------------------------------------------------------------------------------------ */

/* Minimum decrease of a cheaper function's cost, as a fraction of the decrease of its share. */
static const double CHEAPER_PART = 0.5;

/* Functions below this share are not listed as cheaper, because a run-time compiler can inline as much. */
static const double CHEAPER_LEAST = 0.01;

/* Maximum fraction of cost left in a cheaper function if the work is estimated, with an error of up to a third. */
static const double CHEAPER_ESTIMATED_MOST = 0.5;

/* Significance level of a decrease of cost, two-sided, as for shares. */
static const double CHEAPER_LEVEL = 0.01;

/* Return whether the cost fell significantly or, if the work is estimated, to CHEAPER_ESTIMATED_MOST or less. */
static bool is_certainly_cheaper(const struct gate_comparison *comparison, uint32_t frame) {
    const struct gate_exposure exposure = {comparison->work_ratio, comparison->noise, comparison->equal};
    if (!comparison->work_is_known) {
        double before = (double)comparison->deltas.items[frame].value[GATE_CHARGED][GATE_BASELINE];
        return gate_comparison_growth(comparison, frame) <= (CHEAPER_ESTIMATED_MOST - 1.0) * before;
    }
    const struct gate_evidence cost =
        gate_cost_evidence_of(&comparison->pair, &comparison->deltas, frame, GATE_CHARGED, &exposure);
    return cost.is_tested && cost.delta < 0.0 && gate_evidence_two_sided(&cost) <= log(CHEAPER_LEVEL);
}

/* Return whether a cause lists a function as a possible source of moved cost. */
static bool is_source(const struct gate_verdict *verdict, uint32_t comparison, uint32_t frame) {
    for (uint32_t i = 0; i < verdict->causes.count; i++) {
        const struct gate_cause *cause = &verdict->causes.items[i];
        for (uint32_t f = 0; f < cause->finding_count; f++) {
            const struct gate_shift *shift = cause->findings[f].finding->shift;
            if (cause->findings[f].result->comparison != comparison)
                continue;
            for (uint32_t s = 0; shift != NULL && s < shift->source_count; s++)
                if (shift->sources[s] == frame)
                    return true;
        }
    }
    return false;
}

/* Return whether an own function costs less: its share fell significantly, its cost by at least half as much, and
 * is_certainly_cheaper. A function that is gone does not count, because it may have been renamed. */
static bool is_cheaper(const struct gate_comparison *comparison, uint32_t frame) {
    const struct gate_evidence *charged = comparison->frames[frame].evidence[GATE_CHARGED];
    double total = (double)comparison->pair.sides[GATE_BASELINE].total;
    bool is_own = comparison->pair.frames[frame].is_own || comparison->pair.has_no_own;
    return is_own && charged->delta < 0.0 && charged->value[GATE_CANARY] > 0 &&
           charged->share[GATE_BASELINE] >= CHEAPER_LEAST && comparison->frames[frame].is_suspect[GATE_CHARGED] &&
           gate_comparison_growth(comparison, frame) < CHEAPER_PART * charged->delta * total &&
           is_certainly_cheaper(comparison, frame);
}

static void put_cheaper(struct gate_buf *out, const struct gate_verdict *verdict, uint32_t index) {
    const struct gate_comparison *comparison = &verdict->comparisons[index];
    uint32_t count = 0, most = 0;
    for (uint32_t i = 0; i < comparison->pair.frame_count; i++) {
        if (!is_cheaper(comparison, i) || is_source(verdict, index, i))
            continue;
        bool is_more = count == 0 || comparison->frames[i].evidence[GATE_CHARGED]->delta <
                                         comparison->frames[most].evidence[GATE_CHARGED]->delta;
        most = is_more ? i : most;
        count++;
    }
    if (count == 0)
        return;
    gate_buf_text(out, out->len > 0 ? "; " : "");
    if (count > 1)
        gate_buf_printf(out, "%u functions got cheaper, the largest ", (unsigned)count);
    gate_buf_str(out, comparison->pair.frames[most].name);
    gate_buf_text(out, count > 1 ? ": " : " got cheaper: ");
    gate_figures_shares(out, comparison->frames[most].evidence[GATE_CHARGED]->share);
    gate_buf_text(out, " of ");
    gate_buf_str(out, comparison->name);
}

/* Return whether a guard found that the costs of both sides cannot be compared. */
static bool is_not_comparable(const struct gate_verdict *verdict) {
    return verdict->guard_raised && !headline_guard_is_of_cost(verdict);
}

void gate_cheaper_print(struct gate_buf *out, const struct gate_verdict *verdict) {
    for (uint32_t i = 0; !is_not_comparable(verdict) && i < verdict->comparison_count; i++) {
        const struct gate_comparison *comparison = &verdict->comparisons[i];
        bool has_work = gate_comparison_shows_work(comparison);
        if (comparison->part == NULL && comparison->frames != NULL && has_work)
            put_cheaper(out, verdict, i);
    }
}

/* ---- larger shares ----------------------------------------------------------------------------------------------- */

uint32_t gate_share_only_count(const struct gate_verdict *verdict) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < verdict->causes.count; i++)
        count += gate_cause_is_share_only(&verdict->causes.items[i]);
    return count;
}

void gate_share_only_print(struct gate_buf *out, const struct gate_verdict *verdict) {
    enum { NAMED_MOST = 3 };
    uint32_t count = gate_share_only_count(verdict), first = verdict->causes.count - count;
    if (count == 0 || is_not_comparable(verdict))
        return;
    gate_buf_text(out, "a larger share because others shrank, at a cost within the limits: ");
    for (uint32_t i = 0; i < count && i < NAMED_MOST; i++) {
        const struct gate_cause *cause = &verdict->causes.items[first + i];
        gate_buf_text(out, i > 0 ? ", " : "");
        gate_buf_str(out, cause->function);
        gate_buf_char(out, ' ');
        gate_figures_shares(out, cause->evidence.share);
    }
    if (count > NAMED_MOST)
        gate_buf_printf(out, " and %u more", count - NAMED_MOST);
}

/* ---- over a limit as measured ------------------------------------------------------------------------------------ */

/* Return whether gate_share_only_print lists the function of a hypothesis, so that it is not noise, too. */
static bool is_share_only(const struct gate_verdict *verdict, const struct gate_hypothesis *h) {
    for (uint32_t i = 0; !is_not_comparable(verdict) && i < verdict->causes.count; i++) {
        const struct gate_cause *cause = &verdict->causes.items[i];
        if (gate_cause_in(cause, h->comparison) != NULL && gate_cause_is_share_only(cause) &&
            gate_str_equal(cause->function, h->name))
            return true;
    }
    return false;
}

/* Return whether noise may explain that a hypothesis, the first of its function, is over a limit that can fail. */
static bool is_tolerated(const struct gate_verdict *verdict, size_t index) {
    const struct gate_hypothesis *h = &verdict->hypotheses[index];
    if (h->outcome != GATE_OUTCOME_PASS || h->reason != GATE_REASON_TOLERATED || h->severity != GATE_SEVERITY_ERROR ||
        h->is_path || is_share_only(verdict, h) || gate_budget_is_unjudged(&verdict->budgets[h->budget]))
        return false;
    for (const struct gate_hypothesis *other = verdict->hypotheses; other < h; other++)
        if (other->outcome == GATE_OUTCOME_PASS && other->reason == GATE_REASON_TOLERATED && !other->is_path &&
            other->comparison == h->comparison && gate_str_equal(other->name, h->name))
            return false;
    return true;
}

unsigned gate_tolerated_count(const struct gate_verdict *verdict) {
    unsigned count = 0;
    for (size_t i = 0; i < verdict->hypothesis_count; i++)
        count += is_tolerated(verdict, i);
    return count;
}

static void tolerated_put(struct gate_buf *out, const struct gate_verdict *verdict, const struct gate_hypothesis *h,
                          const char *before) {
    gate_buf_text(out, before);
    gate_listing_put_name(out, verdict, h);
    gate_buf_char(out, ' ');
    gate_figures_shares(out, h->evidence->share);
    gate_buf_text(out, " (limit ");
    gate_limit_print(out, h->limit);
    gate_buf_char(out, ')');
}

/* Return the path with the largest unconfirmed growth that passes, because its functions are judged; or NULL. */
static const struct gate_hypothesis *largest_open_path(const struct gate_verdict *verdict) {
    const struct gate_hypothesis *found = NULL;
    for (size_t i = 0; i < verdict->hypothesis_count; i++) {
        const struct gate_hypothesis *h = &verdict->hypotheses[i];
        if (h->is_path && h->outcome == GATE_OUTCOME_PASS && h->reason == GATE_REASON_UNCONFIRMED &&
            (found == NULL || h->evidence->delta > found->evidence->delta))
            found = h;
    }
    return found;
}

/* Return the function with the largest significant growth below its budget's min_growth, or NULL. */
static const struct gate_hypothesis *largest_small(const struct gate_verdict *verdict) {
    const struct gate_hypothesis *found = NULL;
    for (size_t i = 0; i < verdict->hypothesis_count; i++) {
        const struct gate_hypothesis *h = &verdict->hypotheses[i];
        if (h->outcome == GATE_OUTCOME_PASS && h->reason == GATE_REASON_SMALL && h->severity == GATE_SEVERITY_ERROR &&
            h->evidence->log_p <= log(verdict->rules->alpha) &&
            (found == NULL || h->evidence->delta > found->evidence->delta))
            found = h;
    }
    return found;
}

/* Append the function with significant growth below its budget's min_growth. */
static void small_print(struct gate_buf *out, const struct gate_verdict *verdict) {
    const struct gate_hypothesis *small = verdict->outcome <= GATE_OUTCOME_WARN ? largest_small(verdict) : NULL;
    if (small == NULL)
        return;
    gate_buf_text(out, out->len == 0 ? "" : "; ");
    const struct gate_budget *budget = &verdict->rules->budgets[small->budget];
    const struct gate_pair *pair = &verdict->comparisons[small->comparison].pair;
    gate_buf_printf(out, "grew by less than the min_growth of %.*s: ", GATE_STR_ARG(budget->min_growth));
    if (!small->is_cost) {
        tolerated_put(out, verdict, small, "");
        return;
    }
    double run = (double)pair->sides[GATE_BASELINE].total / pair->sides[GATE_BASELINE].run_count;
    gate_buf_printf(out, "%.*s ", GATE_STR_ARG(small->name)); /* shares are fractions of the baseline's total */
    gate_unit_print(out, llround(small->evidence->share[GATE_BASELINE] * run), pair->type.unit);
    gate_buf_text(out, " \xE2\x86\x92 ");
    gate_unit_print(out, llround(small->evidence->share[GATE_CANARY] * run), pair->type.unit);
}

void gate_tolerated_print(struct gate_buf *out, const struct gate_verdict *verdict) {
    enum { NAMED_MOST = 3 };
    unsigned count = 0;
    for (size_t i = 0; verdict->outcome != GATE_OUTCOME_FAIL && i < verdict->hypothesis_count; i++) {
        const struct gate_hypothesis *h = &verdict->hypotheses[i];
        if (!is_tolerated(verdict, i) || ++count > NAMED_MOST)
            continue;
        tolerated_put(out, verdict, h, count == 1 ? "over a limit as measured, which noise may explain: " : ", ");
    }
    const struct gate_hypothesis *path = count == 0 ? largest_open_path(verdict) : NULL;
    if (path != NULL && verdict->outcome <= GATE_OUTCOME_WARN)
        tolerated_put(out, verdict, path, "over a limit as measured, which noise may explain: the path through ");
    if (count > NAMED_MOST)
        gate_buf_printf(out, " and %u more", count - NAMED_MOST);
    small_print(out, verdict);
}

/* ---- totals of a comparison -------------------------------------------------------------------------------------- */

bool gate_totals_has_work(const struct gate_comparison *comparison) {
    return comparison->work_ratio > 0 && gate_comparison_shows_work(comparison);
}

double gate_totals_error(const struct gate_comparison *comparison) {
    const struct gate_exposure as_it_is = {.ratio = 1};
    struct gate_evidence total = gate_cost_evidence_of(&comparison->pair, NULL, 0, GATE_SELF, &as_it_is);
    if (!total.is_tested || !(total.counts.k1 > 0) || !(total.counts.k2 > 0))
        return NAN;
    return sqrt(total.phi * (1 / total.counts.k1 + 1 / total.counts.k2)) * gate_student_t(0.025, total.df) /
           gate_student_t(0.025, INFINITY);
}

/* Append the totals: means per run for amounts held, or if the sides have different numbers of runs. */
static void totals_values(struct gate_buf *out, const struct gate_pair *pair) {
    uint32_t runs = pair->sides[GATE_BASELINE].run_count;
    bool is_mean =
        runs != pair->sides[GATE_CANARY].run_count || (runs > 1 && gate_sample_type_is_level(pair->type.type));
    gate_buf_text(out, is_mean ? "total of a run " : "total ");
    for (int side = 0; side < GATE_SIDES; side++) {
        gate_buf_text(out, side == GATE_BASELINE ? "" : " \xE2\x86\x92 ");
        gate_unit_print(out, pair->sides[side].total / (is_mean ? pair->sides[side].run_count : 1), pair->type.unit);
    }
    if (gate_profile_is_counted(pair->sides[GATE_BASELINE].runs[0].input.profile) &&
        gate_str_equal(pair->type.type, GATE_STR("cpu")) && pair->where.count == 0)
        gate_buf_text(out, " (counted by the system)");
}

/* Both sides were measured for the same time if their durations differ by at most this fraction. */
static const double SAME_TIME = 0.01;

static bool is_same_time(const struct gate_pair *pair) {
    double base = (double)pair->sides[GATE_BASELINE].duration_ns / 1e9;
    double canary = (double)pair->sides[GATE_CANARY].duration_ns / 1e9;
    return base >= 1 && fabs(canary - base) <= SAME_TIME * base;
}

/* Append "in the same 1m30s" if both sides were measured for the same time, "in 1m30s each" if they were not measured
 * at the same time, else "per second". */
static void totals_second(struct gate_buf *out, const struct gate_pair *pair) {
    if (!is_same_time(pair)) {
        gate_buf_text(out, gate_equal_per(GATE_EQUAL_TIME));
        return;
    }
    bool is_apart = gate_pair_is_apart(pair);
    gate_buf_text(out, is_apart ? "in " : "in the same ");
    gate_figures_seconds(out, round((double)pair->sides[GATE_BASELINE].duration_ns / 1e9));
    gate_buf_text(out, is_apart ? " each" : "");
}

/* Append "; canary used 1.13x in the same 1m30s (90% CI [1.05, 1.21])". Return false if `equal` does not apply. */
static bool totals_reading(struct gate_buf *out, const struct gate_comparison *comparison, enum gate_equal equal,
                           bool is_first, struct gate_str work_unit) {
    struct gate_total_cost cost;
    if (!gate_total_cost_measure(&cost, &comparison->pair, equal, comparison->work_in_force))
        return false;
    gate_buf_text(out, is_first ? "; canary used " : "; ");
    gate_figures_times(out, cost.ratio);
    gate_buf_char(out, ' ');
    if (equal == GATE_EQUAL_TIME)
        totals_second(out, &comparison->pair);
    else
        gate_equal_put_per(out, equal, work_unit);
    gate_buf_printf(out, " (90%% CI [%.2f, %.2f])", cost.ratio_bounds[0], cost.ratio_bounds[1]);
    return true;
}

/* Append "; without a function name: 4.1% → 3.8%", unless both are 0. */
static void totals_unnamed(struct gate_buf *out, const struct gate_comparison *comparison) {
    double share[GATE_SIDES];
    gate_delta_unnamed(share, &comparison->pair, &comparison->deltas);
    if (!(share[GATE_BASELINE] > 0) && !(share[GATE_CANARY] > 0))
        return;
    gate_buf_text(out, "; without a function name: ");
    gate_figures_shares(out, share);
}

/* Runs of both sides did the same work if it differs by less than this fraction. */
static const double SAME_WORK = 0.005;

/* Return whether the cost per run would repeat a ratio that is already printed. */
static bool is_run_a_unit(const struct gate_comparison *comparison) {
    const struct gate_side *sides = comparison->pair.sides;
    double runs = (double)sides[GATE_CANARY].run_count / fmax(1.0, sides[GATE_BASELINE].run_count);
    return comparison->equal == GATE_EQUAL_RUN ||
           (comparison->equal == GATE_EQUAL_WORK && fabs(comparison->work_ratio / runs - 1.0) < SAME_WORK);
}

/* Return whether Go's benchmark loop is most of both sides. Shares do not show that all of it became slower. */
static bool are_benchmarks(const struct gate_comparison *comparison) {
    const struct gate_pair *pair = &comparison->pair;
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        const int64_t *value = comparison->deltas.items[i].value[GATE_CUMULATIVE];
        if (gate_str_starts(pair->frames[i].name, GATE_STR("testing.(*B).")) &&
            gate_share(value[GATE_BASELINE], pair->sides[GATE_BASELINE].total) > 0.5 &&
            gate_share(value[GATE_CANARY], pair->sides[GATE_CANARY].total) > 0.5)
            return true;
    }
    return false;
}

void gate_totals_print(struct gate_buf *out, const struct gate_comparison *comparison, struct gate_str work_unit) {
    const struct gate_pair *pair = &comparison->pair;
    totals_values(out, pair);
    /* Amounts held do not depend on earlier work and are judged per run. */
    bool is_held = gate_sample_type_is_level(pair->type.type) && comparison->equal == GATE_EQUAL_WORK;
    enum gate_equal equal = is_held ? GATE_EQUAL_RUN : comparison->equal;
    bool is_fact = gate_equal_is_of_cost(equal) && totals_reading(out, comparison, equal, true, work_unit);
    /* A whole execution takes as long as it costs, so its cost per second shows load, not growth. */
    bool is_enough =
        is_fact && (is_held || equal == GATE_EQUAL_TIME || (equal == GATE_EQUAL_RUN && !is_same_time(pair)));
    if (!is_enough && !totals_reading(out, comparison, GATE_EQUAL_TIME, !is_fact, work_unit) &&
        !(is_fact && is_run_a_unit(comparison)))
        (void)totals_reading(out, comparison, GATE_EQUAL_RUN, !is_fact, work_unit);
    if (!is_fact && gate_totals_has_work(comparison)) {
        gate_buf_text(out, "; ");
        gate_figures_times(out, (double)pair->sides[GATE_CANARY].total / (double)pair->sides[GATE_BASELINE].total /
                                    comparison->work_ratio);
        gate_buf_text(out, " per unit of work (estimated)");
    }
    if (comparison->equal == GATE_EQUAL_UNKNOWN && are_benchmarks(comparison))
        gate_buf_text(out, "; these are benchmarks: with -benchtime Nx on both sides, --equal run judges their cost");
    totals_unnamed(out, comparison);
}
