/* SPDX-License-Identifier: Apache-2.0 */
/* Guards over what no budget can see (see guards_unseen.h). */
#include "gate/guards/guards_unseen.h"

#include "gate/base/buf.h"
#include "gate/base/figures.h"
#include "gate/compare/unseen.h"

#include <math.h>

/* One-sided, 1 %: what is not more than chance is not told. */
static const double SIGNIFICANT = 2.33;

/* What is said of each kind behind its share, and what to do about it. */
static const struct {
    const char *is, *advice;
} kinds[GATE_UNSEEN_KINDS] = {
    [GATE_UNSEEN_STACKLESS] = {"is samples with no stack", "find out why the profiler loses stacks"},
    [GATE_UNSEEN_VALUELESS] = {"of the events have no value of this type", "take the profile with one profiler"},
    [GATE_UNSEEN_NAMELESS] = {"has no function name", "profile a build with symbols"},
    [GATE_UNSEEN_DROPPED] = {"is in stacks that the profile's drop_frames cuts", "profile without drop_frames"},
    [GATE_UNSEEN_UNLABELLED] = {"is own code without the label compared, or with a value new to it",
                                "set labels as the baseline does"},
    [GATE_UNSEEN_RARE] = {"is under names that only the canary has, each too rare to be tested",
                          "rename what is generated under 'frames.rename'"},
};

/* Both guards look at the same numbers, for which labels take three walks over all samples. NULL: an error. */
static const struct gate_unseen *measured(struct gate_guard_check *check) {
    if (check->unseen != NULL)
        return check->unseen;
    struct gate_unseen *unseen = GATE_NEW_ARRAY(check->arena, struct gate_unseen, 1);
    if (unseen == NULL) {
        (void)gate_arena_error(check->arena, check->err);
        return NULL;
    }
    check->unseen = gate_unseen_measure(unseen, check->comparison, check->arena, check->err) ? unseen : NULL;
    return check->unseen;
}

bool gate_guards_unseen_hidden(struct gate_guard_check *check, double limit) {
    double sum = 0.0, largest = 0.0;
    int worst = 0;
    if (check->comparison->same_input)
        return true;
    const struct gate_unseen *unseen = measured(check);
    if (unseen == NULL)
        return false;
    struct gate_buf text = {0};
    for (int kind = 0; kind < GATE_UNSEEN_KINDS; kind++) {
        const struct gate_unseen_share *of = &unseen->kinds[kind];
        double more = of->share[GATE_CANARY] - of->share[GATE_BASELINE];
        if (of->z < SIGNIFICANT)
            continue;
        gate_buf_printf(&text, "%s%s %s (baseline: %s)", sum > 0.0 ? ", " : "",
                        gate_figures_share_text(of->share[GATE_CANARY]).text, kinds[kind].is,
                        gate_figures_share_text(of->share[GATE_BASELINE]).text);
        sum += more;
        worst = more > largest ? kind : worst;
        largest = fmax(largest, more);
    }
    bool ok = gate_buf_check(&text, check->err);
    if (ok && sum > limit)
        ok = gate_guard_check_warn(check, GATE_GUARD_UNSEEN,
                                   "%.*s: %s more of the canary than of the baseline is where no budget can see it "
                                   "(over %.3g %%): %.*s; %s, or raise this guard's limit",
                                   GATE_STR_ARG(check->comparison->name), gate_figures_share_text(sum).text,
                                   limit * 100, GATE_STR_ARG(gate_buf_view(&text)), kinds[worst].advice);
    gate_buf_free(&text);
    return ok;
}

/* What the canary is charged under a name that the baseline does not have, as gate_unseen_measure counts it; else 0. */
static double fresh_share(const struct gate_comparison *comparison, uint32_t frame) {
    const struct gate_pair *pair = &comparison->pair;
    const int64_t *value = comparison->deltas.items[frame].value[GATE_CHARGED];
    double share = gate_share(value[GATE_CANARY], pair->sides[GATE_CANARY].total);
    bool has_name = pair->frames[frame].is_symbolised || pair->granularity == GATE_BY_MAPPING;
    return has_name && value[GATE_BASELINE] <= 0 && share < GATE_UNSEEN_FRESH_MOST ? share : 0.0;
}

/* "main.a 4.1 %, main.b 3.9 %, main.c 2 % and 17 more": the costliest new functions first. */
static void fresh_names(struct gate_buf *out, const struct gate_comparison *comparison) {
    enum { NAMED = 3 };
    uint32_t top[NAMED] = {0}, count = 0;
    for (uint32_t i = 0; i < comparison->pair.frame_count; i++) {
        double share = fresh_share(comparison, i);
        if (!(share > 0.0))
            continue;
        uint32_t at = count < NAMED ? count : NAMED;
        count++;
        for (; at > 0 && share > fresh_share(comparison, top[at - 1]); at--)
            if (at < NAMED)
                top[at] = top[at - 1];
        if (at < NAMED)
            top[at] = i;
    }
    for (uint32_t i = 0; i < count && i < NAMED; i++) {
        gate_buf_text(out, i == 0 ? "" : ", ");
        gate_buf_str(out, comparison->pair.frames[top[i]].name);
        gate_buf_printf(out, " %s", gate_figures_share_text(fresh_share(comparison, top[i])).text);
    }
    if (count > NAMED)
        gate_buf_printf(out, " and %u more", (unsigned)(count - NAMED));
}

bool gate_guards_unseen_new_names(struct gate_guard_check *check, double limit) {
    if (check->comparison->same_input)
        return true;
    const struct gate_unseen *unseen = measured(check);
    if (unseen == NULL)
        return false;
    double net = unseen->fresh.share[GATE_CANARY] - unseen->lost;
    if (net <= limit || unseen->fresh.z < SIGNIFICANT)
        return true;
    struct gate_buf names = {0};
    fresh_names(&names, check->comparison);
    bool ok = gate_buf_check(&names, check->err) &&
              gate_guard_check_warn(
                  check, GATE_GUARD_NEW_NAMES,
                  "%.*s: functions that only the canary has cost %s of it together (%.*s), and no more than %s of that "
                  "was the cost of others before (over %.3g %%): each may be within its budget where all of them are "
                  "not; look at what is new (pprofgate diff), and if it is meant, raise this guard's limit",
                  GATE_STR_ARG(check->comparison->name), gate_figures_share_text(unseen->fresh.share[GATE_CANARY]).text,
                  GATE_STR_ARG(gate_buf_view(&names)),
                  gate_figures_share_text(fmin(unseen->lost, unseen->fresh.share[GATE_CANARY])).text, limit * 100);
    gate_buf_free(&names);
    return ok;
}
