/* SPDX-License-Identifier: Apache-2.0 */
/* Words for the values of `on_inconclusive`. */
#include "gate/rules/on_inconclusive.h"

#include <stddef.h>

const char *const gate_on_inconclusive_words[] = {
    [GATE_ON_INCONCLUSIVE_INCONCLUSIVE] = "inconclusive",
    [GATE_ON_INCONCLUSIVE_PASS] = "pass",
    [GATE_ON_INCONCLUSIVE_WARN] = "warn",
    [GATE_ON_INCONCLUSIVE_FAIL] = "fail",
    [GATE_ON_INCONCLUSIVE_FAIL + 1] = NULL,
};

const char *gate_on_inconclusive_name(enum gate_on_inconclusive what) {
    return gate_on_inconclusive_words[what];
}
