/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/report/trend_words.h"

#include "gate/base/figures.h"
#include "gate/model/unit.h"

#include <math.h>

void gate_trend_words_amount(struct gate_buf *out, double value, const struct gate_trend_result *result) {
    struct gate_str unit = result->comparison->pair.type.unit;
    bool is_count = gate_unit_ratio(unit, GATE_STR("count")) == 1;
    if (is_count && value < 10.0)
        gate_figures_count(out, value);
    else
        gate_unit_print(out, value < 9e18 ? llround(value) : INT64_MAX, unit);
}

static void put_tail(struct gate_buf *out, enum gate_series_scale scale) {
    gate_buf_text(out, scale == GATE_SERIES_PER_SECOND ? "/s"
                       : scale == GATE_SERIES_PER_WORK ? " per unit of work"
                                                       : "");
}

void gate_trend_words_level(struct gate_buf *out, double value, const struct gate_trend_result *result) {
    if (result->scale == GATE_SERIES_SHARE) {
        gate_figures_share(out, value);
        return;
    }
    gate_trend_words_amount(out, value, result);
    put_tail(out, result->scale);
}

/* Append a change with its sign, without "per …". */
static void put_change(struct gate_buf *out, double change, const struct gate_trend_result *result) {
    if (result->scale == GATE_SERIES_SHARE) {
        gate_figures_points(out, change);
        return;
    }
    gate_buf_text(out, change < 0.0 ? "-" : "+");
    gate_trend_words_amount(out, fabs(change), result);
    put_tail(out, result->scale);
}

static void put_per(struct gate_buf *out, const struct gate_trend_result *result) {
    gate_buf_printf(out, " per %s", gate_per_name(result->budget->per));
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
    gate_buf_text(out, "% CI [");
    put_end(out, slope->low, result);
    gate_buf_text(out, ", ");
    put_end(out, slope->high, result);
    gate_buf_text(out, "])");
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
        gate_buf_text(out, "one build is too few for a trend");
        return;
    }
    if (finding->since > 0)
        gate_buf_printf(out, "since %.*s ", GATE_STR_ARG(verdict->points[finding->since].title));
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
        if (judged->fit.whole.low > judged->limit) {
            gate_buf_printf(out, ": over the limit, but not significant among %u series (", (unsigned)judged->family);
            gate_figures_p(out, judged->log_p_adjusted);
            gate_buf_char(out, ')');
        } else {
            gate_buf_text(out, ": within the limit or over it");
        }
        if (judged->fit.serial > 0.0) {
            gate_buf_text(out, "; each build is like the one before (serial correlation ");
            gate_figures_given(out, round(judged->fit.serial * 100.0) / 100.0);
            gate_buf_char(out, ')');
        }
    } else if (judged->reason == GATE_TREND_TOO_FEW_POINTS) {
        gate_buf_printf(out, ": %u build%s are too few for a trend", (unsigned)judged->fit.count,
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
        gate_buf_text(out,
                      "more builds will hardly decide it: accept more runs of each, or give the budget a 'max_mde'");
    }
}
