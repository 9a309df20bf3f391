/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences on trends (see trend_words.h). */
#include "gate/report/trend_words.h"

#include "gate/base/figures.h"
#include "gate/profile/unit.h"

#include <math.h>

static void put_plain(struct gate_buf *out, double value, const struct gate_trend_result *result) {
    struct gate_str unit = result->comparison->pair.type.unit;
    bool is_count = gate_unit_ratio(unit, GATE_STR("count")) == 1;
    if (is_count && value < 10.0)
        gate_figures_count(out, value);
    else
        gate_unit_print(out, value < 9e18 ? llround(value) : INT64_MAX, unit);
}

static void put_tail(struct gate_buf *out, enum gate_series_scale scale) {
    gate_buf_text(out, scale == GATE_SERIES_PER_SECOND ? "/s" : scale == GATE_SERIES_PER_WORK ? " a unit of work" : "");
}

void gate_trend_words_level(struct gate_buf *out, double value, const struct gate_trend_result *result) {
    if (result->scale == GATE_SERIES_SHARE) {
        gate_figures_share(out, value);
        return;
    }
    put_plain(out, value, result);
    put_tail(out, result->scale);
}

/* With its sign, without what it is per. */
static void put_change(struct gate_buf *out, double change, const struct gate_trend_result *result) {
    if (result->scale == GATE_SERIES_SHARE) {
        gate_figures_points(out, change);
        return;
    }
    gate_buf_text(out, change < 0.0 ? "-" : "+");
    put_plain(out, fabs(change), result);
    put_tail(out, result->scale);
}

static void put_per(struct gate_buf *out, const struct gate_trend_result *result) {
    gate_buf_printf(out, " per %s", gate_trend_terms_per_name(result->budget->per));
}

void gate_trend_words_slope(struct gate_buf *out, double slope, const struct gate_trend_result *result) {
    put_change(out, slope, result);
    put_per(out, result);
}

static void put_end(struct gate_buf *out, double end, const struct gate_trend_result *result) {
    if (isfinite(end))
        put_change(out, end, result);
    else
        gate_buf_text(out, "no end");
}

void gate_trend_words_fit(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                          const struct gate_trend_result *result, const struct gate_trend_slope *slope) {
    gate_trend_words_slope(out, slope->slope, result);
    if (!isfinite(slope->low) && !isfinite(slope->high)) {
        gate_buf_text(out, " (no interval)");
        return;
    }
    gate_buf_text(out, " (");
    gate_figures_given(out, round((1.0 - 2.0 * verdict->rules->alpha_margin) * 1e4) / 1e2);
    gate_buf_text(out, " % CI ");
    put_end(out, slope->low, result);
    gate_buf_text(out, " \xE2\x80\xA6 ");
    put_end(out, slope->high, result);
    gate_buf_char(out, ')');
}

void gate_trend_words_limit(struct gate_buf *out, const struct gate_trend_result *result,
                            const struct gate_trend_finding *finding) {
    gate_limit_print(out, finding->limit);
    put_per(out, result);
}

static void put_step(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                     const struct gate_trend_result *result, const struct gate_trend_fit *fit) {
    put_change(out, fit->step, result);
    gate_buf_text(out, " at ");
    gate_buf_str(out, verdict->points[fit->step_at].title);
}

void gate_trend_words_sentence(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                               const struct gate_trend_result *result, const struct gate_trend_finding *finding) {
    const struct gate_trend_case *judged = &finding->judged;
    if (finding->limit == NULL) {
        gate_buf_str(out, finding->why);
        return;
    }
    if (judged->reason == GATE_TREND_STEP) {
        gate_buf_text(out, "grew at once, by ");
        put_step(out, verdict, result, &judged->fit);
        gate_buf_text(out, "; without that step ");
        gate_trend_words_fit(out, verdict, result, &judged->fit.within);
        return;
    }
    if (judged->fit.count < 2) {
        gate_buf_text(out, "one point tells no slope");
        return;
    }
    gate_trend_words_fit(out, verdict, result, &judged->fit.whole);
    if (judged->reason == GATE_TREND_OVER || judged->reason == GATE_TREND_SEVERITY_WARN) {
        if (finding->level > 0.0) {
            gate_buf_text(out, ", ");
            gate_figures_growth(out, judged->fit.whole.slope / finding->level, true);
            gate_buf_text(out, " of its level");
        }
        gate_buf_text(out, "; ");
        gate_figures_p(out, judged->log_p_adjusted);
    } else if (judged->reason == GATE_TREND_STEP_OR_SLOPE) {
        gate_buf_text(out, ", with a step of ");
        put_step(out, verdict, result, &judged->fit);
        gate_buf_text(out, ": a step or a slope");
    } else if (judged->reason == GATE_TREND_UNCERTAIN) {
        gate_buf_text(out, ": within the limit or over it");
        if (judged->fit.serial > 0.0) {
            gate_buf_text(out, "; each build is like the one before (serial correlation ");
            gate_figures_given(out, round(judged->fit.serial * 100.0) / 100.0);
            gate_buf_char(out, ')');
        }
    } else if (judged->reason == GATE_TREND_TOO_FEW_POINTS) {
        gate_buf_printf(out, ": %u point%s are too few to tell", (unsigned)judged->fit.count,
                        judged->fit.count == 1 ? "" : "s");
    }
}

void gate_trend_words_advice(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                             const struct gate_trend_result *result, const struct gate_trend_finding *finding) {
    const struct gate_trend_case *judged = &finding->judged;
    uint32_t more = judged->points_needed > judged->fit.count ? judged->points_needed - judged->fit.count : 0;
    if (judged->outcome == GATE_OUTCOME_FAIL && finding->limit != NULL) {
        gate_buf_text(out, "look at what this holds or does more of from build to build; as one step it would be ");
        put_step(out, verdict, result, &judged->fit);
    } else if (judged->reason == GATE_TREND_STEP) {
        gate_buf_text(out, "a change made it so, and 'pprofgate check' judges changes");
    } else if (judged->outcome == GATE_OUTCOME_INCONCLUSIVE && more > 0) {
        gate_buf_printf(out, "accept about %u more build%s", (unsigned)more, more == 1 ? "" : "s");
    } else if (judged->outcome == GATE_OUTCOME_INCONCLUSIVE && finding->limit != NULL) {
        gate_buf_text(out, "more builds will hardly tell: accept more runs of each, or give the budget a 'max_mde'");
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static const struct gate_trend_finding *worst_of(const struct gate_trend_verdict *verdict, enum gate_outcome outcome,
                                                 const struct gate_trend_result **result, uint32_t *budgets) {
    const struct gate_trend_finding *first = NULL;
    *budgets = 0;
    for (uint32_t i = 0; i < verdict->result_count; i++) {
        const struct gate_trend_result *at = &verdict->results[i];
        if (at->outcome != outcome || at->finding_count == 0)
            continue;
        ++*budgets;
        /* A function says more than the whole. */
        if (first == NULL || (first->frame == NULL && at->findings[0].frame != NULL)) {
            first = &at->findings[0];
            *result = at;
        }
    }
    return first;
}

static void put_budgets(struct gate_buf *out, uint32_t count, const struct gate_trend_verdict *verdict,
                        const char *what) {
    gate_buf_printf(out, "%u of %u budget%s %s", (unsigned)count, (unsigned)verdict->result_count,
                    verdict->result_count == 1 ? "" : "s", what);
}

void gate_trend_words_headline(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
    const struct gate_trend_result *result = NULL;
    uint32_t failed = 0, open = 0, warned = 0;
    const struct gate_trend_finding *first = worst_of(verdict, GATE_OUTCOME_WARN, &result, &warned);
    const struct gate_trend_finding *unclear = worst_of(verdict, GATE_OUTCOME_INCONCLUSIVE, &result, &open);
    if (unclear != NULL)
        first = unclear;
    const struct gate_trend_finding *worst = worst_of(verdict, GATE_OUTCOME_FAIL, &result, &failed);
    if (worst != NULL)
        first = worst;
    if (failed > 0)
        put_budgets(out, failed, verdict, "broken");
    else if (open > 0)
        put_budgets(out, open, verdict, "undecided");
    else if (warned > 0)
        put_budgets(out, warned, verdict, "warning");
    else
        put_budgets(out, verdict->result_count, verdict, verdict->result_count == 1 ? "holds" : "hold");
    if (first == NULL)
        return;
    gate_buf_text(out, ": ");
    gate_buf_str(out, first->name);
    if (first->limit == NULL || first->judged.fit.count < 2)
        return;
    gate_buf_char(out, ' ');
    gate_trend_words_slope(out, first->judged.fit.whole.slope, result);
}

void gate_trend_words_source(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
    gate_buf_printf(out, "%u build%s, ", (unsigned)verdict->point_count, verdict->point_count == 1 ? "" : "s");
    gate_buf_str(out, verdict->from);
    gate_buf_text(out, "; ");
    gate_buf_str(out, verdict->type.type);
}

void gate_trend_words_spark(struct gate_buf *out, const struct gate_series *series, uint32_t most) {
    static const char *const bars[] = {"\xE2\x96\x81", "\xE2\x96\x82", "\xE2\x96\x83", "\xE2\x96\x84",
                                       "\xE2\x96\x85", "\xE2\x96\x86", "\xE2\x96\x87", "\xE2\x96\x88"};
    uint32_t from = series->count > most ? series->count - most : 0;
    double low = INFINITY, high = 0.0;
    for (uint32_t i = from; i < series->count; i++) {
        low = fmin(low, series->y[i]);
        high = fmax(high, series->y[i]);
    }
    low = fmin(low, high / 2);
    for (uint32_t i = from; i < series->count; i++) {
        double at = high > low ? (series->y[i] - low) / (high - low) : 0.0;
        gate_buf_text(out, bars[(int)fmin(7.0, fmax(0.0, at * 8.0))]);
    }
}
