/* SPDX-License-Identifier: Apache-2.0 */
/* Words for how frames are named. */
#include "gate/rules/naming.h"

#include "gate/compare/pair.h"

const char *const gate_naming_granularities[] = {
    [GATE_BY_FUNCTION] = "function", [GATE_BY_LINE] = "line",       [GATE_BY_FILE] = "file",
    [GATE_BY_PACKAGE] = "package",   [GATE_BY_MAPPING] = "mapping", [GATE_BY_MAPPING + 1] = NULL,
};

const char *const gate_naming_modes[] = {[false] = "stable", [true] = "exact", NULL};
