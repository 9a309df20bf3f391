/* SPDX-License-Identifier: Apache-2.0 */
/* What speaks against a baseline (see fitness.h). */
#include "gate/store/fitness.h"

#include "gate/rules/guard_rules.h"

#include <inttypes.h>

static const int64_t DAY_MS = INT64_C(86400000);

enum { SHORT_REVISION = 12 };

int64_t gate_fitness_days(int64_t from_ms, int64_t to_ms) {
    return to_ms <= from_ms ? 0 : (to_ms - from_ms) / DAY_MS;
}

struct gate_str gate_fitness_place(const struct gate_match *match, struct gate_arena *arena) {
    switch (match->relation) {
    case GATE_ANCESTRY_ANCESTOR:
        return gate_str_format(arena, "%" PRIu64 " commit%s before this change", match->distance,
                               match->distance == 1 ? "" : "s");
    case GATE_ANCESTRY_SAME:
        return GATE_STR("of this very revision");
    case GATE_ANCESTRY_UNRELATED:
        return GATE_STR("not an ancestor of this change");
    case GATE_ANCESTRY_UNKNOWN:
        break;
    }
    return GATE_STR("not known to be an ancestor of this change");
}

static bool warn(struct gate_warning_list *out, enum gate_guard guard, struct gate_str message,
                 const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_warning warning = {gate_str_from(gate_guard_name(guard)), message};
    bool raised = false; /* the verdict asks again */
    return gate_warning_add(out, rules, warning, &raised, arena, err);
}

static bool judge_age(struct gate_warning_list *out, const struct gate_fitness_input *input,
                      const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_record *record = input->match->records[0];
    double days = (double)(input->now_ms - record->accepted_ms) / (double)DAY_MS;
    double limit = gate_guard_limit(rules, GATE_GUARD_BASELINE_AGE);
    if (days <= limit)
        return true;
    return warn(out, GATE_GUARD_BASELINE_AGE,
                gate_str_format(arena,
                                "the baseline of revision %.*s was accepted %.0f days ago, more than %g: accept a "
                                "newer one",
                                GATE_STR_ARG(gate_str_slice(record->revision, 0, SHORT_REVISION)), days, limit),
                rules, arena, err);
}

static bool judge_ancestor(struct gate_warning_list *out, const struct gate_fitness_input *input,
                           const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_match *match = input->match;
    struct gate_str shown = gate_str_slice(match->records[0]->revision, 0, SHORT_REVISION);
    struct gate_str message = {NULL, 0};
    if (match->relation == GATE_ANCESTRY_ANCESTOR)
        return true;
    if (match->relation == GATE_ANCESTRY_SAME)
        message = gate_str_format(arena,
                                  "the baseline is of this very revision, %.*s, and no ancestor of it was accepted: "
                                  "what it changed is not seen",
                                  GATE_STR_ARG(shown));
    else if (match->relation == GATE_ANCESTRY_UNRELATED)
        message = gate_str_format(arena,
                                  "the baseline's revision %.*s is not an ancestor of this change, and none of those "
                                  "that are was accepted: the comparison holds changes of others",
                                  GATE_STR_ARG(shown));
    else
        message = gate_str_format(
            arena,
            "whether the baseline's revision %.*s is an ancestor of this change is not known%s%.*s: run in a "
            "checkout with the history of both, or tell --revision",
            GATE_STR_ARG(shown), input->why_unknown.len > 0 ? ", " : "", GATE_STR_ARG(input->why_unknown));
    return warn(out, GATE_GUARD_BASELINE_ANCESTOR, message, rules, arena, err);
}

static bool judge_machine(struct gate_warning_list *out, const struct gate_fitness_input *input,
                          const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_record *record = input->match->records[0], *machine = input->change->machine;
    const char *fact = NULL;
    if (machine == NULL || !gate_match_machines_differ(record, machine, &fact))
        return true;
    return warn(out, GATE_GUARD_BASELINE_MACHINE,
                gate_str_format(arena,
                                "the baseline was taken on another machine: %s '%.*s' there, '%.*s' here; accept runs "
                                "of this one, or compare where those were taken",
                                fact, GATE_STR_ARG(gate_record_fact(record, fact)),
                                GATE_STR_ARG(gate_record_fact(machine, fact))),
                rules, arena, err);
}

bool gate_fitness_judge(struct gate_warning_list *out, const struct gate_fitness_input *input,
                        const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    GATE_ASSERT(input->match->count > 0);
    return judge_age(out, input, rules, arena, err) && judge_ancestor(out, input, rules, arena, err) &&
           judge_machine(out, input, rules, arena, err);
}
