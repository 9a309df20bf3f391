/* SPDX-License-Identifier: Apache-2.0 */
/* Frames as valgrind's tools write them: address, function, and file and line or the binary. */
#include "gate/formats/valgrind_frame.h"

#include "gate/base/str.h"
#include "gate/formats/builder.h"
#include "gate/formats/text_line.h"

/* Split "FILE:LINE" or "FILE:LINE:COLUMN". */
static struct gate_str place_split(struct gate_str place, int64_t *line) {
    *line = 0;
    for (size_t at = place.len; at > 0; at--) {
        struct gate_str digits = gate_str_slice(place, at, place.len);
        int64_t number = 0;
        if (place.ptr[at - 1] != ':')
            continue;
        if (!gate_text_number(&digits, &number) || digits.len != 0 || number < 0 || number > INT32_MAX)
            return place;
        *line = number;
        place = gate_str_slice(place, 0, at - 1);
    }
    return place;
}

/* Return the start of the place in parentheses at the end, or the length if there is none. It may contain parentheses:
 * "f (in /lib/x.so (deleted))". */
static size_t place_start(struct gate_str text) {
    size_t depth = 0;
    if (!gate_str_ends(text, GATE_STR(")")))
        return text.len;
    for (size_t i = text.len; i > 1; i--) {
        depth += text.ptr[i - 1] == ')';
        depth -= text.ptr[i - 1] == '(';
        if (depth == 0)
            return text.ptr[i - 2] == ' ' ? i - 1 : text.len;
    }
    return text.len;
}

uint64_t gate_valgrind_frame_add(struct gate_builder *builder, struct gate_str text) {
    struct gate_function function = {.file = GATE_STR("")};
    struct gate_mapping mapping = {.file = GATE_STR(""), .build_id = GATE_STR("")};
    struct gate_builder_line line = {0};
    uint64_t address = 0, start = 0, id = 0;
    struct gate_str rest = text;
    if (gate_str_starts(text, GATE_STR("0x")) && gate_text_hex(&rest, &address) && gate_text_mark(&rest, ':'))
        text = gate_str_trim(rest);
    size_t open = place_start(text);
    if (open != text.len) {
        struct gate_str place = gate_str_slice(text, open + 1, text.len - 1);
        text = gate_str_trim(gate_str_slice(text, 0, open));
        if (gate_str_starts(place, GATE_STR("in ")))
            mapping.file = gate_str_slice(place, 3, place.len);
        else
            function.file = place_split(place, &line.line);
    }
    if (mapping.file.len != 0)
        id = gate_builder_mapping(builder, &mapping, &start);
    if (gate_str_equal(text, GATE_STR("???")))
        return gate_builder_location(builder, id, address, NULL, 0);
    function.name = function.system_name = text;
    line.function = gate_builder_function(builder, &function);
    return line.function == 0 ? 0 : gate_builder_location(builder, id, 0, &line, 1);
}
