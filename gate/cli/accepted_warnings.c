/* SPDX-License-Identifier: Apache-2.0 */
/* What speaks against a baseline from a store (see accepted_warnings.h). */
#include "gate/cli/accepted_warnings.h"

#include "gate/rules/guard_rules.h"
#include "gate/store/fitness.h"
#include "gate/store/record_text.h"

static void tell(const struct gate_accepted *accepted, struct gate_cli *cli) {
    const struct gate_record *record = accepted->match.records[0];
    struct gate_buf text = {0};
    uint32_t runs = accepted->run_count;
    gate_buf_printf(&text, "the baseline is %u accepted run%s of revision ", (unsigned)runs, runs == 1 ? "" : "s");
    gate_buf_str(&text, gate_record_text_revision(record));
    gate_buf_text(&text, ", ");
    gate_buf_str(&text, gate_fitness_place(&accepted->match, cli->arena));
    if (record->reason.len > 0) {
        gate_buf_text(&text, "; accepted for a reason: ");
        gate_buf_str(&text, record->reason);
    }
    gate_cli_note(cli, gate_buf_view(&text));
    gate_buf_free(&text);
}

static bool warn(struct gate_warning_list *out, enum gate_guard guard, struct gate_str message,
                 const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_warning warning = {gate_str_from(gate_guard_name(guard)), message};
    bool raised = false; /* the verdict asks again */
    return (message.ptr != NULL || gate_arena_error(arena, err)) &&
           gate_warning_add(out, rules, warning, &raised, arena, err);
}

static bool warn_missing(struct gate_warning_list *out, const struct gate_accepted *accepted,
                         const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str revision = gate_record_text_revision(accepted->match.records[0]);
    for (uint32_t i = 0; i < accepted->missing_count; i++) {
        struct gate_str message = gate_str_format(
            arena,
            "the baseline of revision %.*s has no %.*s profiles, so those of the canary are not compared; accept those "
            "of a good build with 'pprofgate baseline accept'",
            GATE_STR_ARG(revision), GATE_STR_ARG(accepted->kinds[accepted->kind_count + i]));
        if (!warn(out, GATE_GUARD_BASELINE_MISSING, message, rules, arena, err))
            return false;
    }
    return true;
}

bool gate_accepted_warnings_add(struct gate_warning_list *out, const struct gate_accepted *accepted,
                                const struct gate_rules *rules, struct gate_cli *cli, struct gate_error *err) {
    const struct gate_fitness_input input = {&accepted->match, &accepted->change, accepted->why_unknown,
                                             gate_store_options_now()};
    *out = (struct gate_warning_list){0};
    for (uint32_t i = 0; i < accepted->damage_count; i++)
        if (!warn(out, GATE_GUARD_BASELINE_DAMAGED, accepted->damages[i], rules, cli->arena, err))
            return false;
    if (!warn_missing(out, accepted, rules, cli->arena, err))
        return false;
    tell(accepted, cli);
    return gate_fitness_judge(out, &input, rules, cli->arena, err);
}
