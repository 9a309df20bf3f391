/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/report/cause_sentence.h"

#include "gate/base/buf.h"
#include "gate/base/figures.h"
#include "gate/budget/cause.h"
#include "gate/budget/finding.h"
#include "gate/budget/off_cpu.h"
#include "gate/budget/verdict.h"
#include "gate/compare/comparison.h"
#include "gate/compare/cost.h"
#include "gate/model/unit.h"

#include <float.h>
#include <math.h>

/* Append "off the CPU, it waits: of what grew, 3% is CPU time (95% CI 0 … 9)"; nothing if it does not apply. */
static void off_cpu_sentence(struct gate_buf *out, const struct gate_cause *cause,
                             const struct gate_comparison *comparison) {
    static const char *const words[] = {[GATE_OFF_CPU_OPEN] = "partly on the CPU",
                                        [GATE_OFF_CPU_ON] = "on the CPU",
                                        [GATE_OFF_CPU_OFF] =
                                            "off the CPU (waiting)"}; /* it may wait for a processor, on a busy host */
    enum gate_off_cpu_where where = gate_off_cpu_where(cause, comparison);
    enum gate_clock clock = gate_comparison_clock(comparison);
    if (where == GATE_OFF_CPU_NOT_APPLICABLE)
        return;
    if (where == GATE_OFF_CPU_NO_PROFILE) {
        gate_buf_text(out, "unknown whether on or off the CPU");
        return;
    }
    gate_buf_text(out, words[where]);
    if (clock == GATE_CLOCK_WALL)
        gate_buf_printf(out, ": of what grew, %.0f%% is CPU time (95%% CI [%.0f, %.0f])", 100.0 * cause->on_cpu,
                        100.0 * cause->on_cpu_bounds[0], 100.0 * cause->on_cpu_bounds[1]);
}

#define ARROW " \xE2\x86\x92 "

/* Maximum number of frames named per budget, besides the cause's own; and, with --by, of other values of the label and
 * of their budgets. */
enum { FRAMES_NAMED = 2, VALUES_NAMED = 3, BUDGETS_ELSEWHERE = 4 };

static const struct gate_comparison *comparison_of(const struct gate_verdict *verdict, const struct gate_cause *cause) {
    return &verdict->comparisons[cause->comparison];
}

static bool is_charged(const struct gate_cause *cause) {
    return cause->measure == GATE_MEASURE_CHARGED || cause->measure == GATE_MEASURE_CHARGED_COST;
}

/* Return "charged", "self" or "cost": the quantity of the two numbers. */
static const char *subject_of(const struct gate_cause *cause) {
    const struct gate_budget_measure_row *row = gate_budget_measure_row(cause->measure);
    if (row->is_total)
        return row->is_cost ? "cost" : "total";
    return row->is_cost ? "cost" : gate_measure_name(row->of);
}

/* Return the amount by which a cost of the cause is multiplied to print it: the baseline's mean per run of amounts
 * held, its total of delays. Return 0 if the cause is not a cost, or is printed as shares. */
static double amount_of_baseline(const struct gate_comparison *comparison, const struct gate_cause *cause) {
    const struct gate_side *baseline = &comparison->pair.sides[GATE_BASELINE];
    if (!gate_budget_measure_row(cause->measure)->is_cost)
        return 0.0;
    if (gate_sample_type_is_level(comparison->pair.type.type))
        return (double)baseline->total / baseline->run_count;
    return gate_pair_has_delays(&comparison->pair) ? (double)baseline->total : 0.0;
}

void gate_cause_sentence_amounts(struct gate_buf *out, const struct gate_verdict *verdict,
                                 const struct gate_cause *cause) {
    const struct gate_comparison *comparison = comparison_of(verdict, cause);
    const struct gate_evidence *e = &cause->evidence;
    double amount = amount_of_baseline(comparison, cause);
    if (amount > 0.0) {
        gate_unit_print(out, llround(e->share[GATE_BASELINE] * amount), comparison->pair.type.unit);
        gate_buf_text(out, " \xE2\x86\x92 ");
        gate_unit_print(out, llround(e->share[GATE_CANARY] * amount), comparison->pair.type.unit);
        gate_buf_text(out, " of ");
    } else {
        gate_figures_shares(out, e->share);
        gate_buf_text(out, gate_budget_measure_row(cause->measure)->is_cost ? " of the baseline's " : " of ");
    }
    gate_buf_str(out, comparison->name);
}

static void put_more(struct gate_buf *out, double amount, struct gate_str unit) {
    gate_buf_char(out, amount < 0.0 ? '-' : '+');
    gate_unit_print(out, llround(fabs(amount)), unit);
}

/* Append "+137MB (95% CI [+94MB, +186MB])". */
static void put_change(struct gate_buf *out, const struct gate_evidence *e, double amount, struct gate_str unit) {
    struct gate_interval ci95 = gate_evidence_ci95(e);
    put_more(out, e->delta * amount, unit);
    if (!gate_evidence_is_counted(e))
        return;
    gate_buf_text(out, " (95% CI [");
    put_more(out, ci95.bounds[0] * amount, unit);
    gate_buf_text(out, ", ");
    put_more(out, ci95.bounds[1] * amount, unit);
    gate_buf_text(out, "])");
}

void gate_cause_sentence_change(struct gate_buf *out, const struct gate_verdict *verdict,
                                const struct gate_cause *cause) {
    const struct gate_comparison *comparison = comparison_of(verdict, cause);
    const struct gate_evidence *e = &cause->evidence;
    double amount = amount_of_baseline(comparison, cause);
    gate_buf_printf(out, "%s ", subject_of(cause));
    gate_cause_sentence_amounts(out, verdict, cause);
    gate_buf_text(out, ", ");
    if (amount > 0.0)
        put_change(out, e, amount, comparison->pair.type.unit);
    else if (gate_evidence_is_counted(e) && cause->findings[0].result->budget->measure != GATE_MEASURE_LEAK)
        gate_figures_change(out, e->delta, gate_evidence_ci95(e).bounds);
    else
        gate_figures_points(out, e->delta);
}

bool gate_cause_ran_before(const struct gate_verdict *verdict, const struct gate_cause *cause) {
    return cause->frame != GATE_NO_INDEX &&
           comparison_of(verdict, cause)->deltas.items[cause->frame].value[GATE_CUMULATIVE][GATE_BASELINE] > 0;
}

/* A ratio is left out if the baseline has fewer samples of the function than this and its cost grew by at least this
 * ratio. */
static const double RATIO_COUNTS = 5.0, RATIO_MOST = 5.0;

/* Such a function is nearly new if it had less than this share of the baseline. Of a few dozen samples, fewer than five
 * are a large share. No pass has to rule out growth by less than one point (MDE_FLOOR_SHARE in budget/decide.c), so a
 * smaller share hardly counts. */
static const double NEARLY_NEW_SHARE = 0.01;

/* Return the share of the baseline in which a function or its callees ran. */
static double share_before(const struct gate_verdict *verdict, const struct gate_cause *cause) {
    const struct gate_comparison *comparison = comparison_of(verdict, cause);
    return gate_share(comparison->deltas.items[cause->frame].value[GATE_CUMULATIVE][GATE_BASELINE],
                      comparison->pair.sides[GATE_BASELINE].total);
}

bool gate_cause_is_nearly_new(const struct gate_verdict *verdict, const struct gate_cause *cause) {
    return gate_cause_lacks_ratio(verdict, cause) && share_before(verdict, cause) < NEARLY_NEW_SHARE;
}

bool gate_cause_lacks_ratio(const struct gate_verdict *verdict, const struct gate_cause *cause) {
    const struct gate_comparison *comparison = comparison_of(verdict, cause);
    const struct gate_side *baseline = &comparison->pair.sides[GATE_BASELINE];
    if (!is_charged(cause) || cause->frame == GATE_NO_INDEX || !(baseline->events > 0.0) || isinf(cause->cost_ratio))
        return false;
    const struct gate_delta *delta =
        &comparison->deltas.items[cause->frame]; /* a frame with much cost in its callees before is not new */
    return delta->value[GATE_CHARGED][GATE_BASELINE] > 0 &&
           share_before(verdict, cause) * baseline->events < RATIO_COUNTS && cause->cost_ratio >= RATIO_MOST;
}

bool gate_cause_is_at_start(const struct gate_verdict *verdict, const struct gate_cause *cause) {
    return comparison_of(verdict, cause)->equal != GATE_EQUAL_RUN &&
           !gate_budget_measure_row(cause->measure)->is_cost &&
           (cause->reason == GATE_REASON_START_UP || cause->reason == GATE_REASON_ONE_START ||
            cause->reason == GATE_REASON_SMALL_START);
}

bool gate_cause_is_per_run(const struct gate_cause *cause) {
    return gate_budget_measure_row(cause->measure)->is_cost && cause->findings[0].result->budget->per == GATE_PER_RUN &&
           cause->evidence.share[GATE_BASELINE] > 0.0;
}

bool gate_cause_may_be_of_another(const struct gate_cause *cause) {
    bool may_be = false;
    for (uint32_t f = 0; f < cause->finding_count && !may_be; f++) {
        const struct gate_finding *finding = cause->findings[f].finding;
        may_be = finding->frame == cause->frame && gate_cause_has_here(cause, &cause->findings[f]) &&
                 (finding->reason == GATE_REASON_INLINED || finding->reason == GATE_REASON_INLINED_TOGETHER ||
                  finding->reason == GATE_REASON_MISPLACED);
    }
    return may_be;
}

struct gate_str gate_cause_leak(const struct gate_cause *cause) {
    for (uint32_t f = 0; f < cause->finding_count; f++) {
        const struct gate_finding *finding = cause->findings[f].finding;
        if (finding->outcome == cause->outcome &&
            gate_budget_measure_row(cause->findings[f].result->budget->measure)->is_leak)
            return gate_str_slice(finding->why, 0, gate_str_find(finding->why, GATE_STR(", "), 0));
    }
    return GATE_STR("");
}

static void put_ratio(struct gate_buf *out, const struct gate_verdict *verdict, const struct gate_cause *cause) {
    const struct gate_str unit = verdict->rules->work_unit;
    enum gate_equal equal = comparison_of(verdict, cause)->equal;
    bool is_known = comparison_of(verdict, cause)->work_is_known;
    if (isinf(cause->cost_ratio)) {
        gate_buf_text(out, gate_cause_ran_before(verdict, cause) ? "no cost of its own in the baseline"
                                                                 : "no sample of it in the baseline");
        return;
    }
    if (gate_cause_lacks_ratio(verdict, cause)) {
        gate_buf_text(out, gate_cause_is_nearly_new(verdict, cause)
                               ? "hardly a sample of it in the baseline"
                               : "too few samples of it in the baseline for a ratio");
        return;
    }
    if (gate_cause_is_per_run(cause)) {
        gate_figures_times(out, cause->evidence.share[GATE_CANARY] / cause->evidence.share[GATE_BASELINE]);
        gate_buf_text(out, " the cost per run");
        return;
    }
    gate_figures_times(out, cause->cost_ratio);
    gate_buf_text(out, " the cost ");
    if (is_known)
        gate_equal_put_per(out, equal, unit);
    else
        gate_buf_text(out, "per unit of work (estimated)");
}

/* Return whether the path of a cause ends in the garbage collector, whose cost also depends on settings. */
static bool ends_in_collector(const struct gate_verdict *verdict, const struct gate_cause *cause) {
    static const char *const collector[] = {"runtime.gcAssistAlloc", "runtime.gcDrain",    "runtime.gcDrainN",
                                            "runtime.scanobject",    "runtime.scanObject", "runtime.gcStart"};
    for (uint32_t i = cause->path_count; i > 0 && cause->path[i - 1] != cause->frame; i--)
        for (size_t c = 0; c < sizeof collector / sizeof *collector; c++)
            if (gate_str_equal(comparison_of(verdict, cause)->pair.frames[cause->path[i - 1]].name,
                               gate_str_from(collector[c])))
                return true;
    return false;
}

/* Return the name of the sum that the cause is given as a percentage of. If work is neither known nor estimated, only
 * shares can be compared, and a share also grows when others shrink. */
static const char *increase_of(const struct gate_comparison *comparison) {
    const struct gate_side *sides = comparison->pair.sides;
    if (!gate_comparison_shows_work(comparison))
        return "all increases of shares";
    double total = (double)sides[GATE_CANARY].total / comparison->work_ratio / (double)sides[GATE_BASELINE].total;
    if (total >= 1.0)
        return total < 1.02 ? "all increases, while the total hardly grew" : "the total increase";
    return comparison->work_is_known ? "all increases, while the total did not grow"
                                     : "all increases, while the total did not grow by the estimate";
}

/* Append the largest function that only the canary has: "the largest new function is main.scan (6.6%)". */
static void put_largest_new(struct gate_buf *out, const struct gate_comparison *comparison, uint32_t frame) {
    gate_buf_text(out, "the largest new function is ");
    gate_buf_str(out, comparison->pair.frames[frame].name);
    gate_buf_text(out, " (");
    gate_figures_share(out, comparison->frames[frame].evidence[GATE_CHARGED]->share[GATE_CANARY]);
    gate_buf_char(out, ')');
}

/* Append that the growth may belong to a callee that is missing from the stacks. */
static void put_missing_caller(struct gate_buf *out, const struct gate_comparison *comparison,
                               const struct gate_cause *cause) {
    if (cause->library == GATE_NO_INDEX)
        return;
    gate_buf_text(out, out->len > 0 ? "; most" : "most");
    gate_buf_text(out, " of its growth ends in ");
    gate_buf_str(out, gate_str_basename(comparison->pair.frames[cause->library].mapping));
    gate_buf_text(out, ", whose caller may be missing from stacks by frame pointers (docs/symbols.md): look at ");
    if (cause->callee == GATE_NO_INDEX) {
        gate_buf_text(out, "what the function calls, too");
        return;
    }
    gate_buf_str(out, comparison->pair.frames[cause->callee].name);
    gate_buf_text(out, " first, the only callee whose self cost grew");
}

/* Return the prefix of the names of the program's own functions: in Rust the crate of `main`, on the JVM the first two
 * parts of the package of `main`. Empty in other languages, whose profiles have the paths of installed packages. Also
 * empty if there is no `main`, or if prefixes differ, as with a launcher beside the program. */
static struct gate_str own_prefix(const struct gate_pair *pair) {
    bool is_jvm = pair->language == GATE_LANGUAGE_JVM;
    struct gate_str end = is_jvm ? GATE_STR(".main") : GATE_STR("::main");
    struct gate_str separator = is_jvm ? GATE_STR("/") : GATE_STR("::"), found = GATE_STR("");
    for (uint32_t i = 0; (is_jvm || pair->language == GATE_LANGUAGE_RUST) && i < pair->frame_count; i++) {
        struct gate_str name = pair->frames[i].name;
        size_t at = gate_str_ends(name, end) && pair->frames[i].is_own ? gate_str_find(name, separator, 0) : SIZE_MAX;
        if (is_jvm && at != SIZE_MAX)
            at = gate_str_find(name, separator, at + 1);
        if (at == SIZE_MAX)
            continue;
        struct gate_str prefix = gate_str_slice(name, 0, at + separator.len);
        if (found.len > 0 && !gate_str_equal(found, prefix))
            return GATE_STR("");
        found = prefix;
    }
    return found;
}

/* Return whether a frame that counts as own code is the program's own. `prefix` comes from own_prefix. */
static bool is_the_programs(const struct gate_frame *frame, struct gate_str prefix) {
    struct gate_str name = frame->name;
    if (name.len > 0 && name.ptr[0] == '<') /* "<shop::Cart as core::fmt::Display>::fmt" */
        name = gate_str_slice(name, 1, name.len);
    return frame->is_own && frame->code != GATE_CODE_THIRD_PARTY && (prefix.len == 0 || gate_str_starts(name, prefix));
}

uint32_t gate_cause_grown_caller(const struct gate_verdict *verdict, const struct gate_cause *cause) {
    static const double GROWN_Z = 1.645; /* one-sided, 5% */
    const struct gate_comparison *comparison = comparison_of(verdict, cause);
    const struct gate_frame *frames = comparison->pair.frames;
    struct gate_str prefix = own_prefix(&comparison->pair);
    uint32_t best = GATE_NO_INDEX;
    double most = 1.0,
           nearly = 0.9; /* an outer caller grows as much as an inner one, except for noise; prefer the inner one */
    if (cause->frame == GATE_NO_INDEX || !frames[cause->frame].is_own || is_the_programs(&frames[cause->frame], prefix))
        return GATE_NO_INDEX;
    for (uint32_t i = 0; i < cause->path_count && cause->path[i] != cause->frame; i++) {
        const struct gate_evidence *e = comparison->frames[cause->path[i]].evidence[GATE_CUMULATIVE];
        double times = e->share[GATE_CANARY] / fmax(e->share[GATE_BASELINE], DBL_MIN);
        if (!is_the_programs(&frames[cause->path[i]], prefix) || e->z < GROWN_Z || times < fmax(1.0, nearly * most))
            continue;
        most = fmax(most, times);
        best = cause->path[i];
    }
    return best;
}

/* Append "; called for main.related (cumulative 1.7% → 22.3%)", the program's own caller that grew most. */
static void put_grown_caller(struct gate_buf *out, const struct gate_verdict *verdict, const struct gate_cause *cause) {
    uint32_t caller = gate_cause_grown_caller(verdict, cause);
    if (caller == GATE_NO_INDEX)
        return;
    gate_buf_text(out, out->len > 0 ? "; called for " : "called for ");
    gate_buf_str(out, comparison_of(verdict, cause)->pair.frames[caller].name);
    gate_buf_text(out, " (cumulative ");
    gate_figures_shares(out, comparison_of(verdict, cause)->frames[caller].evidence[GATE_CUMULATIVE]->share);
    gate_buf_char(out, ')');
}

static void put_cost(struct gate_buf *out, const struct gate_verdict *verdict, const struct gate_cause *cause) {
    const struct gate_comparison *comparison = comparison_of(verdict, cause);
    bool has_ratio = is_charged(cause) && !isnan(cause->cost_ratio) && !gate_cause_is_at_start(verdict, cause) &&
                     !gate_cause_may_be_of_another(cause);
    if (cause->frame != GATE_NO_INDEX && cause->frame == comparison->pair.one_sided &&
        cause->new_frame != GATE_NO_INDEX) {
        put_largest_new(out, comparison, cause->new_frame);
        return;
    }
    if (!is_charged(cause))
        return;
    if (has_ratio)
        put_ratio(out, verdict, cause);
    if (isnan(cause->explains) || cause->explains < 0.005 ||
        cause->explains >= 1.005) { /* over 100%: its callers became cheaper at the same time */
        put_grown_caller(out, verdict, cause);
        put_missing_caller(out, comparison, cause);
        return;
    }
    gate_buf_printf(out, "%s%.0f%% of %s", has_ratio ? ", " : "", 100.0 * cause->explains,
                    increase_of(comparison_of(verdict, cause)));
    if (cause->new_frame != GATE_NO_INDEX) {
        gate_buf_text(out, ", most of it in ");
        gate_buf_str(out, comparison_of(verdict, cause)->pair.frames[cause->new_frame].name);
        gate_buf_text(out, ", of which the baseline has no sample");
    }
    if (ends_in_collector(verdict, cause))
        gate_buf_text(out,
                      "; part of it is garbage collection: compare GOGC, GOMEMLIMIT and what the function allocates");
    put_grown_caller(out, verdict, cause);
    put_missing_caller(out, comparison, cause);
}

void gate_cause_sentence_cost(struct gate_buf *out, const struct gate_verdict *verdict,
                              const struct gate_cause *cause) {
    put_cost(out, verdict, cause);
    for (uint32_t i = 0; i < cause->other_count && i < VALUES_NAMED; i++) {
        gate_buf_text(out, i > 0 ? ", " : out->len > 0 ? "; also " : "also ");
        gate_cause_sentence_amounts(out, verdict, &cause->others[i]);
    }
    if (cause->other_count > VALUES_NAMED)
        gate_buf_printf(out, " and %u more", cause->other_count - VALUES_NAMED);
    if (cause->frame == GATE_NO_INDEX || comparison_of(verdict, cause)->pair.frames[cause->frame].old_name.len == 0)
        return;
    gate_buf_text(out, out->len > 0 ? "; it is " : "it is ");
    gate_buf_str(out, comparison_of(verdict, cause)->pair.frames[cause->frame].old_name);
    gate_buf_text(out, " in the baseline");
}

void gate_cause_sentence_clock(struct gate_buf *out, const struct gate_verdict *verdict,
                               const struct gate_cause *cause) {
    const struct gate_comparison *comparison = comparison_of(verdict, cause);
    struct gate_str next = gate_off_cpu_next(cause, comparison);
    off_cpu_sentence(out, cause, comparison);
    gate_buf_text(out, next.len > 0 ? "; " : "");
    gate_buf_str(out, next);
}

/** Append "main.handler → … → main.text → runtime.memmove"; nothing if the path has only the cause's frame. */
static void cause_sentence_path(struct gate_buf *out, const struct gate_verdict *verdict,
                                const struct gate_cause *cause) {
    uint32_t steps[GATE_CAUSE_STEPS_MAX];
    uint32_t count = gate_cause_steps(steps, cause);
    for (uint32_t i = 0; count > 1 && i < count; i++) {
        gate_buf_text(out, i == 0 ? "" : ARROW);
        gate_buf_str(out, steps[i] == GATE_NO_INDEX ? GATE_STR("\xE2\x80\xA6")
                                                    : comparison_of(verdict, cause)->pair.frames[steps[i]].name);
    }
}

struct gate_str gate_cause_sentence_not_own(const struct gate_cause *cause) {
    if (!is_charged(cause) || cause->frame == GATE_NO_INDEX || cause->is_own)
        return GATE_STR("");
    if (cause->reason == GATE_REASON_OWN_CALLERS)
        return GATE_STR("runtime or library code that functions of yours call");
    return GATE_STR("runtime or library code; none of your functions is on these stacks");
}

const char *gate_cause_sentence_verb(enum gate_outcome outcome) {
    return outcome == GATE_OUTCOME_FAIL           ? "breaks"
           : outcome == GATE_OUTCOME_INCONCLUSIVE ? "undecided:"
                                                  : "over the limit (warning only):";
}

static bool is_its_own(const struct gate_cause *cause, const struct gate_cause_finding *member) {
    return (member->finding->frame == cause->frame || !gate_cause_has_here(cause, member)) &&
           gate_str_equal(member->finding->function, cause->function);
}

/* Append the text in brackets after a budget, for one finding. */
static void put_member(struct gate_buf *out, const struct gate_cause *cause, const struct gate_cause_finding *member) {
    const struct gate_finding *finding = member->finding;
    bool own = is_its_own(cause, member);
    bool is_all_new =
        !member->result->budget->select.one_sided && gate_str_equal(finding->function, GATE_STR(GATE_ONE_SIDED_NAME));
    bool same = own && member->result->budget->measure == cause->measure;
    const struct gate_budget_measure_row *row = gate_budget_measure_row(member->result->budget->measure);
    if (is_all_new)
        gate_buf_text(out, "all new functions together, ");
    if (same || is_all_new || gate_limit_quantity(finding->limit->kind) == GATE_QUANTITY_LEVEL || row->is_total ||
        row->is_leak) {
        gate_buf_text(out, "limit ");
        gate_limit_print(out, finding->limit);
        if (row->is_leak)
            gate_buf_printf(out, " per %s", gate_per_name(member->result->budget->per));
        if (same || is_all_new || !row->is_total)
            return;
        gate_buf_text(out, ", the total ");
        gate_figures_growth(out, finding->evidence.delta, row->is_cost);
        if (finding->reason == GATE_REASON_PREEMPTED) /* without the reason, the growth would look certain */
            gate_buf_text(out, ", maybe by a busy machine");
        else if (finding->reason == GATE_REASON_UNEQUAL_LOAD)
            gate_buf_text(out, ", under another load");
        return;
    }
    if (!own && !gate_str_equal(finding->function, member->result->budget->name)) {
        gate_buf_str(out, finding->function);
        gate_buf_char(out, ' ');
    }
    bool is_new_code = member->result->budget->select.one_sided;
    gate_buf_text(out, is_new_code    ? "new code less what is gone"
                       : row->is_cost ? gate_measure_name(row->of)
                                      : row->word);
    gate_buf_text(out, !is_new_code && row->is_cost ? " cost " : " ");
    if (gate_limit_quantity(finding->limit->kind) == GATE_QUANTITY_RATIO)
        gate_figures_shares(out, finding->evidence.share);
    else
        gate_figures_points(out, finding->evidence.delta);
    if (row->is_cost)
        gate_buf_text(out, " of the baseline's total");
}

/* Append one budget with its findings of this outcome, first that of the cause's own frame. */
static void put_budget(struct gate_buf *out, const struct gate_cause *cause, uint32_t first,
                       enum gate_outcome outcome) {
    const struct gate_budget_result *result = cause->findings[first].result;
    uint32_t named = 0, others = 0;
    gate_buf_char(out, '"');
    gate_buf_str(out, result->budget->name);
    gate_buf_text(out, "\" (");
    for (int own = 1; own >= 0; own--)
        for (uint32_t i = first; i < cause->finding_count; i++) {
            const struct gate_cause_finding *member = &cause->findings[i];
            if (member->result != result || member->finding->outcome != outcome ||
                is_its_own(cause, member) != (own == 1))
                continue;
            if (named >= FRAMES_NAMED) {
                others++;
                continue;
            }
            gate_buf_text(out, named++ == 0 ? "" : ", ");
            put_member(out, cause, member);
        }
    if (others > 0)
        gate_buf_printf(out, " and %u more", others);
    gate_buf_char(out, ')');
}

static bool is_first_of_its_budget(const struct gate_cause *cause, uint32_t at) {
    for (uint32_t i = 0; i < at; i++)
        if (cause->findings[i].result == cause->findings[at].result &&
            cause->findings[i].finding->outcome == cause->findings[at].finding->outcome)
            return false;
    return true;
}

/* Return whether a budget is named: those of the cause's comparison are, and the first few of others, which `elsewhere`
 * counts. */
static bool names_budget(uint32_t *elsewhere, const struct gate_cause *cause, const struct gate_cause_finding *member) {
    return gate_cause_has_here(cause, member) || (*elsewhere)++ < BUDGETS_ELSEWHERE;
}

/* Append the number of budgets that are not named. */
static void put_unnamed(struct gate_buf *out, uint32_t elsewhere) {
    if (elsewhere > BUDGETS_ELSEWHERE)
        gate_buf_printf(out, " and %u more", elsewhere - BUDGETS_ELSEWHERE);
}

void gate_cause_sentence_budgets(struct gate_buf *out, const struct gate_cause *cause, enum gate_outcome outcome) {
    bool any = false;
    uint32_t elsewhere = 0;
    for (uint32_t i = 0; i < cause->finding_count; i++) {
        if (cause->findings[i].finding->outcome != outcome || !is_first_of_its_budget(cause, i) ||
            !names_budget(&elsewhere, cause, &cause->findings[i]))
            continue;
        gate_buf_text(out, any ? ", " : "");
        put_budget(out, cause, i, outcome);
        any = true;
    }
    put_unnamed(out, elsewhere);
}

/* Return whether the cause lists a budget under another outcome, because it has a finding with that outcome. */
static bool is_listed_elsewhere(const struct gate_cause *cause, const struct gate_budget_result *result,
                                enum gate_outcome outcome) {
    for (uint32_t i = 0; i < cause->finding_count; i++)
        if (cause->findings[i].result == result && cause->findings[i].finding->outcome != outcome)
            return true;
    return false;
}

void gate_cause_sentence_budget_names(struct gate_buf *out, const struct gate_cause *cause, enum gate_outcome outcome) {
    bool any = false;
    uint32_t elsewhere = 0;
    for (uint32_t i = 0; i < cause->finding_count; i++) {
        if (cause->findings[i].finding->outcome != outcome || !is_first_of_its_budget(cause, i) ||
            is_listed_elsewhere(cause, cause->findings[i].result, outcome) ||
            !names_budget(&elsewhere, cause, &cause->findings[i]))
            continue;
        gate_buf_text(out, any ? ", \"" : "\"");
        gate_buf_str(out, cause->findings[i].result->budget->name);
        gate_buf_char(out, '"');
        any = true;
    }
    put_unnamed(out, elsewhere);
}

struct gate_str gate_cause_sentence_why(const struct gate_cause *cause) {
    for (uint32_t i = 0; i < cause->finding_count; i++)
        if (cause->findings[i].finding->outcome == cause->outcome && cause->findings[i].finding->why.len > 0)
            return cause->findings[i].finding->why;
    return GATE_STR("");
}

/* Return whether the finding only warns although its severity is error. */
static bool is_excused(const struct gate_cause_finding *member) {
    return member->finding->outcome == GATE_OUTCOME_WARN && member->finding->why.len > 0 &&
           member->result->budget->severity == GATE_SEVERITY_ERROR &&
           member->finding->limit->severity == GATE_SEVERITY_ERROR;
}

void gate_cause_sentence_excuses(struct gate_buf *out, const struct gate_cause *cause) {
    struct gate_str common_why = gate_cause_sentence_why(cause);
    bool any = false;
    uint32_t elsewhere = 0;
    for (uint32_t i = 0; i < cause->finding_count; i++) {
        const struct gate_cause_finding *member = &cause->findings[i];
        if (!is_excused(member) || !is_first_of_its_budget(cause, i) ||
            gate_str_equal(member->finding->why, common_why) || !names_budget(&elsewhere, cause, member))
            continue;
        gate_buf_text(out, any ? "; \"" : "\"");
        gate_buf_str(out, member->result->budget->name);
        gate_buf_text(out, "\" only warns");
        if (!is_its_own(cause, member) && !gate_str_equal(member->finding->function, member->result->budget->name)) {
            gate_buf_text(out, " about ");
            gate_buf_str(out, member->finding->function);
        }
        gate_buf_text(out, ": ");
        gate_buf_str(out, member->finding->why);
        any = true;
    }
    put_unnamed(out, elsewhere);
}

/* Return whether the cause is all new code together, because no single new function explains the finding. */
static bool is_all_new_code(const struct gate_cause *cause) {
    return cause->findings[0].finding->reason == GATE_REASON_OVER &&
           cause->findings[0].result->budget->select.one_sided &&
           (cause->frame == GATE_NO_INDEX || gate_str_equal(cause->function, GATE_STR(GATE_ONE_SIDED_NAME)));
}

/* Return whether the cause is a function without samples in the baseline that is named for a finding on its caller. */
static bool is_new_callee(const struct gate_cause *cause) {
    return cause->findings[0].finding->reason == GATE_REASON_OVER && isinf(cause->cost_ratio) &&
           cause->frame != GATE_NO_INDEX && cause->frame != cause->findings[0].finding->frame;
}

/* Append the advice on the worst finding. */
static void put_first_advice(struct gate_buf *out, const struct gate_cause *cause) {
    const struct gate_cause_finding *first = &cause->findings[0];
    if (is_all_new_code(cause)) {
        gate_buf_text(out, "look at the new functions that cost most ('pprofgate diff' lists them); if they are old "
                           "ones under new names, 'frames.rename' in the rules joins them; if they are intended, raise "
                           "the limit and give a reason");
        gate_sentence_people(out, first->result->budget);
        return;
    }
    if (!gate_cause_is_decided_by_total(cause) && is_new_callee(cause)) {
        gate_buf_text(out, gate_advice_new_function);
        gate_sentence_people(out, first->result->budget);
        return;
    }
    if (!gate_cause_is_decided_by_total(cause)) {
        gate_buf_str(out, first->finding->advice);
        return;
    }
    const char *whose = cause->is_own ? "no single function" : "no function of your own";
    if (!cause->is_own && cause->collector[GATE_CANARY] > 0.0)
        gate_advice_put_allocations(out, cause->collector);
    gate_buf_text(out, "look at what ");
    gate_buf_str(out, cause->function);
    gate_buf_text(out, " does more often or at higher cost, and compare the load and the machines of both sides: ");
    if (isnan(cause->explains))
        gate_buf_printf(out, "%s has most of the growth", whose);
    else
        gate_buf_printf(out, "it has %.0f%% of the growth", 100.0 * cause->explains);
    if (!isnan(cause->explains) && !(cause->is_own && cause->explains > 0.5))
        gate_buf_printf(out, ", and %s has most of it", whose);
    gate_buf_text(out, "; if the growth is intended, raise the limit and give a reason");
    gate_sentence_people(out, first->result->budget);
}

void gate_cause_sentence_advice(struct gate_buf *out, const struct gate_cause *cause) {
    struct gate_buf advice = {0};
    const struct gate_budget_result *first = cause->findings[0].result;
    put_first_advice(&advice, cause);
    for (uint32_t i = 1; i < cause->finding_count; i++)
        if (cause->findings[i].finding->outcome == cause->outcome && cause->findings[i].result != first &&
            is_first_of_its_budget(cause, i))
            gate_sentence_people(&advice, cause->findings[i].result->budget);
    gate_buf_str(out, gate_buf_view(&advice));
    gate_buf_free_part(out, &advice);
}

static void put_part(struct gate_buf *out, const char *joint, const struct gate_buf *part) {
    if (part->len > 0)
        gate_buf_text(out, joint);
    gate_buf_str(out, gate_buf_view(part));
    out->failed = out->failed || part->failed;
}

void gate_cause_sentence_text(struct gate_buf *out, const struct gate_verdict *verdict,
                              const struct gate_cause *cause) {
    static const enum gate_outcome outcomes[] = {GATE_OUTCOME_FAIL, GATE_OUTCOME_INCONCLUSIVE, GATE_OUTCOME_WARN};
    struct gate_buf part = {0};
    gate_buf_str(out, cause->function);
    gate_buf_text(out, ": ");
    gate_cause_sentence_change(out, verdict, cause);
    gate_cause_sentence_cost(&part, verdict, cause);
    put_part(out, ", ", &part);
    part.len = 0;
    gate_cause_sentence_clock(&part, verdict, cause);
    put_part(out, "; ", &part);
    for (size_t o = 0; o < sizeof outcomes / sizeof *outcomes; o++) {
        part.len = 0;
        gate_cause_sentence_budgets(&part, cause, outcomes[o]);
        if (part.len > 0)
            gate_buf_printf(out, "; %s ", gate_cause_sentence_verb(outcomes[o]));
        put_part(out, "", &part);
    }
    if (gate_cause_sentence_why(cause).len > 0)
        gate_buf_text(out, "; ");
    gate_buf_str(out, gate_cause_sentence_why(cause));
    part.len = 0;
    gate_cause_sentence_excuses(&part, cause);
    put_part(out, "; ", &part);
    part.len = 0;
    cause_sentence_path(&part, verdict, cause);
    put_part(out, "; by way of ", &part);
    gate_buf_free_part(out, &part);
}

const char *gate_sentence_charged(void) {
    return "charged = its own cost plus the library and runtime cost that it causes";
}
