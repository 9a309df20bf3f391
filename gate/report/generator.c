/* SPDX-License-Identifier: Apache-2.0 */
/* The program's name, version and build, as JSON reports have them (see generator.h). */
#include "gate/report/generator.h"

#include "gate/base/own_build.h"

void gate_generator_json(struct gate_json *json) {
    char build[GATE_OWN_BUILD_TEXT];
    gate_own_build_id(build);
    gate_json_key(json, "generator");
    gate_json_text(json, "pprofgate " GATE_VERSION);
    if (build[0] == '\0')
        return;
    gate_json_key(json, "generator_build");
    gate_json_text(json, build);
}
