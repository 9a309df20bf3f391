/* SPDX-License-Identifier: Apache-2.0 */
/* Which of V8's and Chrome's JSON files a text is (see devtools.h). It is not parsed: a file that ends too early is
 * still named, and its reader then says where it is broken. */
#include "gate/profile/devtools.h"

/* Behind the string that begins at `at`; the end of the text where it does not end. */
static size_t string_end(struct gate_str text, size_t at) {
    for (at++; at < text.len && text.ptr[at] != '"'; at++)
        at += text.ptr[at] == '\\';
    return at < text.len ? at + 1 : text.len;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Whether the object that `text` begins with has `key`, itself and not something within. */
static bool has_key(struct gate_str text, struct gate_str key) {
    size_t depth = 0;
    for (size_t at = 0; at < text.len;) {
        char c = text.ptr[at];
        if (c != '"') {
            depth += c == '{' || c == '[';
            if ((c == '}' || c == ']') && --depth == 0)
                return false;
            at++;
            continue;
        }
        size_t end = string_end(text, at);
        struct gate_str name = gate_str_slice(text, at + 1, end - 1);
        for (at = end; at < text.len && is_space(text.ptr[at]); at++)
            ;
        if (depth == 1 && at < text.len && text.ptr[at] == ':' && gate_str_equal(name, key))
            return true;
    }
    return false;
}

static bool is_object(struct gate_str text) {
    return gate_str_starts(text, GATE_STR("{"));
}

static bool holds(struct gate_str text, struct gate_str word) {
    return gate_str_find(text, word, 0) != SIZE_MAX;
}

bool gate_devtools_is_cpuprofile(struct gate_str text) {
    if (!is_object(text) || gate_devtools_is_heapsnapshot(text) || gate_devtools_is_trace(text))
        return false;
    return (holds(text, GATE_STR("\"callFrame\"")) && has_key(text, GATE_STR("nodes"))) ||
           (holds(text, GATE_STR("\"callUID\"")) && has_key(text, GATE_STR("head")));
}

bool gate_devtools_is_gecko(struct gate_str text) {
    return is_object(text) && holds(text, GATE_STR("\"stackTable\"")) && has_key(text, GATE_STR("meta")) &&
           has_key(text, GATE_STR("threads"));
}

bool gate_devtools_is_trace(struct gate_str text) {
    if (is_object(text))
        return holds(text, GATE_STR("\"traceEvents\"")) && has_key(text, GATE_STR("traceEvents"));
    size_t first = gate_str_find(text, GATE_STR("{"), 0);
    if (!gate_str_starts(text, GATE_STR("[")) || first == SIZE_MAX)
        return false;
    struct gate_str event = gate_str_slice(text, first, text.len);
    return has_key(event, GATE_STR("ph")) && has_key(event, GATE_STR("pid"));
}

bool gate_devtools_is_heapprofile(struct gate_str text) {
    return is_object(text) && holds(text, GATE_STR("\"selfSize\"")) && has_key(text, GATE_STR("head"));
}

bool gate_devtools_is_heapsnapshot(struct gate_str text) {
    return is_object(text) && holds(text, GATE_STR("\"snapshot\"")) && has_key(text, GATE_STR("snapshot")) &&
           has_key(text, GATE_STR("nodes"));
}

bool gate_devtools_is_flamebearer(struct gate_str text) {
    return is_object(text) && holds(text, GATE_STR("\"flamebearer\"")) && has_key(text, GATE_STR("flamebearer"));
}
