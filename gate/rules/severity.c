/* SPDX-License-Identifier: Apache-2.0 */
/* The words of severities (see severity.h). */
#include "gate/rules/severity.h"

#include <stddef.h>

const char *const gate_severity_words[] = {
    [GATE_SEVERITY_OFF] = "off",
    [GATE_SEVERITY_WARN] = "warn",
    [GATE_SEVERITY_ERROR] = "error",
    [GATE_SEVERITY_ERROR + 1] = NULL,
};

const char *gate_severity_name(enum gate_severity severity) {
    return gate_severity_words[severity];
}
