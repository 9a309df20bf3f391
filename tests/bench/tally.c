/* SPDX-License-Identifier: Apache-2.0 */
/* Prints rates with their confidence intervals, as text and as a table (see tally.h). */
#include "tally.h"

#include "gate/compare/evidence.h"

#include <math.h>
#include <stdio.h>

static void put_rate(const char *label, uint32_t hits, uint32_t draws) {
    double low = 0.0, high = 0.0;
    gate_wilson_interval(hits, draws, 1.959963984540054, &low, &high);
    (void)printf("    %-34s %5.1f %%  (%.1f … %.1f)\n", label, 100.0 * hits / draws, 100.0 * low, 100.0 * high);
}

static void put_cell(uint32_t hits, uint32_t draws) {
    double low = 0.0, high = 0.0;
    gate_wilson_interval(hits, draws, 1.959963984540054, &low, &high);
    (void)printf(" %.1f %% (%.1f–%.1f) |", 100.0 * hits / draws, 100.0 * low, 100.0 * high);
}

void tally_head(void) {
    (void)printf(
        "| canary | runs | model | compared | fails | inconclusive | passes | innocent fails | intervals hold: own, "
        "libraries, runtime | `delta > 2 pp` | `ratio > 2` |\n"
        "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
}

void tally_row(const struct tally *tally, const char *variant, const char *planted, uint32_t runs, bool has_model) {
    uint32_t draws = tally->draws;
    (void)printf("| %s%s%s | %u | %s | %u |", variant, *planted != '\0' ? ", " : "", planted, runs,
                 has_model ? "yes" : "no", draws);
    put_cell(tally->fail, draws);
    put_cell(tally->inconclusive, draws);
    put_cell(draws - tally->fail - tally->inconclusive, draws);
    if (*planted != '\0')
        put_cell(tally->innocent, draws);
    else
        (void)printf(" |");
    for (int class = 0; class < CLASSES; class ++)
        if (tally->intervals[class] > 0)
            (void)printf(" %.1f %%", 100.0 * tally->covered[class] / tally->intervals[class]);
    (void)printf(" | %.0f %% | %.0f %% |\n", 100.0 * tally->naive_delta / draws, 100.0 * tally->naive_ratio / draws);
}

void tally_text(const struct tally *tally, const struct gate_rules *rules, bool planted) {
    char label[128];
    put_rate(planted ? "verdict fails" : "verdict fails (false)", tally->fail, tally->draws);
    put_rate("verdict inconclusive", tally->inconclusive, tally->draws);
    for (uint32_t i = 0; i < rules->budget_count && i < BUDGETS_MAX; i++) {
        const struct gate_budget *budget = &rules->budgets[i];
        (void)snprintf(label, sizeof label, "%.*s: %s", GATE_STR_ARG(budget->name), planted ? "found" : "false fail");
        put_rate(label, tally->budget_fail[i], tally->draws);
        if (planted && tally->budget_innocent[i] > 0) {
            (void)snprintf(label, sizeof label, "%.*s: innocent fails", GATE_STR_ARG(budget->name));
            put_rate(label, tally->budget_innocent[i], tally->draws);
        }
        (void)snprintf(label, sizeof label, "%.*s: undecided", GATE_STR_ARG(budget->name));
        if (tally->budget_open[i] > 0)
            put_rate(label, tally->budget_open[i], tally->draws);
    }
    for (int class = 0; class < CLASSES; class ++) {
        static const char *const labels[CLASSES] = {"intervals of own code hold", "intervals of libraries hold",
                                                    "intervals of the runtime hold"};
        if (tally->intervals[class] > 0)
            put_rate(labels[class], tally->covered[class], tally->intervals[class]);
    }
    if (tally->advised + tally->unadvised > 0)
        (void)printf("    of %u inconclusive: %u say how many runs decide; followed %u, %.1f runs in the mean\n",
                     tally->inconclusive, tally->advised, tally->followed, tally->wanted / fmax(1.0, tally->followed));
    if (tally->followed > 0)
        put_rate("advice followed: decided", tally->decided, tally->followed);
    put_rate("naive: delta > 2 pp", tally->naive_delta, tally->draws);
    put_rate("naive: ratio > 2", tally->naive_ratio, tally->draws);
}
