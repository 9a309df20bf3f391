/* SPDX-License-Identifier: Apache-2.0 */
/* V8's calls as frames (see v8_frame.h). */
#include "gate/profile/v8_frame.h"

static struct gate_str text_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) ? (struct gate_str){json_string_value(value), json_string_length(value)}
                                 : GATE_STR("");
}

struct gate_str gate_v8_frame_name(const json_t *call) {
    return text_of(call, "functionName");
}

uint64_t gate_v8_frame_add(struct gate_builder *builder, const json_t *call) {
    struct gate_str name = gate_v8_frame_name(call);
    struct gate_str file = text_of(call, "url");
    json_int_t line = json_integer_value(json_object_get(call, "lineNumber")); /* counts from 0; -1: none */
    struct gate_function function = {.name = name.len == 0 ? GATE_STR("(anonymous)") : name, .file = file};
    function.system_name = function.name;
    json_int_t column = json_integer_value(json_object_get(call, "columnNumber")); /* the same */
    function.start_line = line >= 0 && line < INT32_MAX && file.len != 0 ? line + 1 : 0;
    struct gate_builder_line at = {gate_builder_function(builder, &function), function.start_line, 0};
    if (function.start_line != 0 && column >= 0 && column < INT32_MAX)
        at.column = gate_column_of(column + 1);
    return at.function == 0 ? 0 : gate_builder_location(builder, 0, 0, &at, 1);
}
