/* SPDX-License-Identifier: Apache-2.0 */
/* Acceptance of an intended growth. */
#include "gate/session/acceptance.h"

#include "gate/base/escape.h"
#include "gate/rules/guard_rules.h"

#include <string.h>

enum { COMMIT_LEAST = 40, COMMIT_MOST = 64, WHO_MOST = 100, REASON_MOST = 500 };

static bool is_commit(struct gate_str text) {
    if (text.len < COMMIT_LEAST || text.len > COMMIT_MOST)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (strchr("0123456789abcdef", text.ptr[i]) == NULL || text.ptr[i] == '\0')
            return false;
    return true;
}

static bool is_line(struct gate_str text, size_t most) {
    if (text.len == 0 || text.len > most)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
            return false;
    return true;
}

bool gate_acceptance_read(struct gate_acceptance *out, const char *text, struct gate_error *err) {
    const struct gate_str all = gate_str_from(text), by = GATE_STR(" by "), colon = GATE_STR(": ");
    size_t commit_end = gate_str_find(all, by, 0);
    size_t who_end = commit_end == SIZE_MAX ? SIZE_MAX : gate_str_find(all, colon, commit_end + by.len);
    if (who_end != SIZE_MAX) {
        *out = (struct gate_acceptance){.commit = gate_str_slice(all, 0, commit_end),
                                        .by = gate_str_slice(all, commit_end + by.len, who_end),
                                        .reason = gate_str_trim(gate_str_slice(all, who_end + colon.len, all.len))};
        if (is_commit(out->commit) && is_line(out->by, WHO_MOST) &&
            gate_str_find(out->by, GATE_STR(" "), 0) == SIZE_MAX && is_line(out->reason, REASON_MOST))
            return true;
    }
    return gate_error_set(err, GATE_ERR_USAGE,
                          "option '--accepted': expected 'COMMIT by WHO: REASON' with all digits of the commit, a name "
                          "without blanks and a reason of at most %d bytes on one line",
                          (int)REASON_MOST);
}

bool gate_acceptance_check(const struct gate_acceptance_options *options, struct gate_error *err) {
    struct gate_acceptance acceptance = {0};
    if (options->accepted == NULL)
        return options->head == NULL ||
               gate_error_set(err, GATE_ERR_USAGE, "option '--head' is only used with '--accepted'");
    if (!gate_acceptance_read(&acceptance, options->accepted, err))
        return false;
    if (options->head == NULL || !is_commit(gate_str_from(options->head)))
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "option '--accepted' needs '--head COMMIT', the commit that is judged, with all its digits");
    return true;
}

/* Return the first raised guard that forbids the comparison; NULL if there is none. A guard of a higher cost does not:
 * that cost is what is accepted. */
static const struct gate_warning *forbidding(const struct gate_verdict *verdict) {
    for (uint32_t i = 0; i < verdict->warning_count; i++) {
        struct gate_str code = verdict->warnings[i].code;
        if (gate_guard_severity(verdict->rules, code) == GATE_SEVERITY_ERROR &&
            !gate_str_equal(code, gate_str_from(gate_guard_name(GATE_GUARD_COST_PER_SECOND))) &&
            !gate_str_equal(code, gate_str_from(gate_guard_name(GATE_GUARD_ESTIMATED_COST))))
            return &verdict->warnings[i];
    }
    return NULL;
}

static bool not_applied(struct gate_str why, struct gate_session *session, struct gate_error *err) {
    const struct gate_str parts[] = {GATE_STR("the acceptance is not applied: "), why};
    struct gate_str text = gate_str_concat(session->arena, parts, 2);
    if (text.ptr == NULL)
        return gate_arena_error(session->arena, err);
    gate_session_note(session, text);
    return true;
}

bool gate_acceptance_apply(struct gate_verdict *verdict, const struct gate_acceptance_options *options,
                           struct gate_session *session, struct gate_error *err) {
    struct gate_acceptance acceptance = {0};
    if (options->accepted == NULL)
        return true;
    if (!gate_acceptance_read(&acceptance, options->accepted, err))
        return false;
    if (!gate_str_equal(acceptance.commit, gate_str_from(options->head)))
        return not_applied(GATE_STR("it is for another commit than --head; accept this one again"), session, err);
    if (verdict->outcome == GATE_OUTCOME_INCONCLUSIVE)
        return not_applied(GATE_STR("only a fail can be accepted, and this verdict is inconclusive"), session, err);
    if (verdict->outcome != GATE_OUTCOME_FAIL)
        return true;
    const struct gate_warning *guard = forbidding(verdict);
    if (guard != NULL)
        return not_applied(
            gate_str_format(session->arena, "the sides are not comparable (%.*s)", GATE_STR_ARG(guard->code)), session,
            err);
    verdict->accepted = acceptance;
    verdict->outcome = GATE_OUTCOME_PASS;
    return true;
}
