/* SPDX-License-Identifier: Apache-2.0 */
/* A check without a baseline (see no_baseline.h). */
#include "gate/cli/no_baseline.h"

#include "gate/cli/accepting.h"
#include "gate/cli/exit_code.h"
#include "gate/rules/guard_rules.h"

/* The buffer's text in the arena. */
static bool keep(struct gate_str *out, struct gate_buf *text, struct gate_cli *cli, struct gate_error *err) {
    bool ok = gate_buf_check(text, err);
    if (ok) {
        *out = gate_str_copy(cli->arena, gate_buf_view(text));
        ok = out->ptr != NULL || gate_arena_error(cli->arena, err);
    }
    gate_buf_free(text);
    return ok;
}

static bool accept_first(struct gate_nothing_compared *out, const struct gate_accepted *accepted,
                         const struct gate_limits *limits, struct gate_cli *cli, struct gate_error *err) {
    struct gate_record record;
    struct gate_keep_counts removed;
    struct gate_buf text = {0};
    const struct gate_accepting accepting = {.where = &accepted->where,
                                             .files = &accepted->canary,
                                             .verdict = GATE_STR("first"),
                                             .reason = GATE_STR(""),
                                             .keep = GATE_ACCEPTING_KEEP,
                                             .limits = limits};
    if (!gate_accepting_do(&record, &removed, &accepting, cli, err))
        return false;
    out->word = "first";
    out->capitals = "FIRST";
    gate_buf_text(&text, "accepted as the first baseline, nothing was compared: ");
    gate_accepting_print(&text, &record);
    return keep(&out->message, &text, cli, err);
}

static bool tell_missing(struct gate_nothing_compared *out, const struct gate_accepted *accepted, struct gate_cli *cli,
                         struct gate_error *err) {
    struct gate_buf text = {0};
    out->word = "no_baseline";
    out->capitals = "NO BASELINE";
    out->next = accepted->is_first ? GATE_STR("accept those of a good build with 'pprofgate baseline accept', or let "
                                              "this canary be the first with --accept-first")
                                   : GATE_STR("accept those of a good build with 'pprofgate baseline accept'");
    gate_buf_text(&text, "nothing was compared: no ");
    for (uint32_t i = 0; i < accepted->kind_count; i++) {
        gate_buf_text(&text, i == 0 ? "" : " and ");
        gate_buf_str(&text, accepted->kinds[i]);
    }
    gate_buf_text(&text, " profiles are accepted of ");
    gate_buf_str(&text, gate_store_options_service_name(&accepted->where));
    gate_buf_text(&text, " in ");
    gate_buf_str(&text, gate_store_options_environment_name(&accepted->where));
    if (accepted->services.len > 0) {
        gate_buf_text(&text, "; the store has baselines of ");
        gate_buf_str(&text, accepted->services);
    }
    return keep(&out->message, &text, cli, err);
}

bool gate_no_baseline_end(struct gate_nothing_compared *out, const struct gate_accepted *accepted,
                          const struct gate_rules *rules, const struct gate_limits *limits, struct gate_cli *cli,
                          struct gate_error *err) {
    const struct gate_str code = gate_str_from(gate_guard_name(GATE_GUARD_BASELINE_MISSING));
    enum gate_severity severity = gate_guard_severity(rules, code);
    bool accepts = accepted->accept_first && accepted->is_first;
    bool is_open = !accepts && severity == GATE_SEVERITY_ERROR;
    bool fails = is_open && rules->on_inconclusive == GATE_ON_INCONCLUSIVE_FAIL;
    *out = (struct gate_nothing_compared){.message = {"", 0}, .next = {"", 0}};
    out->severity = gate_severity_name(accepts ? GATE_SEVERITY_WARN : severity);
    out->state = fails ? GATE_NOTHING_FAILURE : is_open ? GATE_NOTHING_ERROR : GATE_NOTHING_SKIPPED;
    cli->status = fails ? GATE_EXIT_FAIL : is_open ? GATE_EXIT_INCONCLUSIVE : GATE_EXIT_PASS;
    cli->told.word = accepts ? "first" : "no_baseline";
    return accepts ? accept_first(out, accepted, limits, cli, err) : tell_missing(out, accepted, cli, err);
}
