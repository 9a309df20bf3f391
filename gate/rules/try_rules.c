/* SPDX-License-Identifier: Apache-2.0 */
/* Words of the section `try` (see try_rules.h). */
#include "gate/rules/try_rules.h"

const char *const gate_try_preset_words[] = {
    [GATE_TRY_COMMAND] = "command", [GATE_TRY_GO_BENCH] = "go-bench", [GATE_TRY_GO_SERVER] = "go-server",
    [GATE_TRY_NODE] = "node",       [GATE_TRY_PY_SPY] = "py-spy",     NULL};

bool gate_try_rules_is_url(struct gate_str profile) {
    return gate_str_starts(profile, GATE_STR("http://")) || gate_str_starts(profile, GATE_STR("https://"));
}
