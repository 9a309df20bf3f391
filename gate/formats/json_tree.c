/* SPDX-License-Identifier: Apache-2.0 */
/* Parses JSON within an arena's limit. jansson's allocator is global, and both sides are read in parallel, so its
 * memory cannot be counted directly. Instead an upper bound is computed from the text: the memory that jansson 2.14
 * and malloc's headers take per kind of value. */
#include "gate/formats/json_tree.h"

#include "gate/base/json_io.h"
#include "gate/base/str.h"

#include <jansson.h>

enum {
    OBJECT_BYTES = 80 + 144, /* with its first 8 hash buckets */
    /* with its share of the buckets, old and new ones while they grow; the key counts as a string */
    PAIR_BYTES = 128,
    ARRAY_BYTES = 48 + 80, /* with its first 8 slots */
    ITEM_BYTES = 24 + 32,  /* its share of the slots, and a number */
    STRING_BYTES = 80
};

/* Return the position after the string at `at`, or the end of the text if it is not closed. */
static size_t string_end(struct gate_str text, size_t at) {
    for (at++; at < text.len && text.ptr[at] != '"'; at++)
        at += text.ptr[at] == '\\';
    return at < text.len ? at + 1 : text.len;
}

size_t gate_json_tree_bytes(struct gate_str text) {
    size_t bytes = ITEM_BYTES;
    for (size_t at = 0; at < text.len; at++) {
        switch (text.ptr[at]) {
        case '{':
            bytes += OBJECT_BYTES;
            break;
        case ':':
            bytes += PAIR_BYTES;
            break;
        case '[':
            bytes += ARRAY_BYTES + ITEM_BYTES;
            break;
        case ',':
            bytes += ITEM_BYTES;
            break;
        case '"': {
            size_t end = string_end(text, at);
            bytes += STRING_BYTES + (end - at);
            at = end - 1;
            break;
        }
        default:
            break;
        }
    }
    return bytes;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool gate_json_text_has_key(struct gate_str text, struct gate_str key) {
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

struct gate_str gate_json_tree_text(const json_t *value) {
    return json_is_string(value) ? (struct gate_str){json_string_value(value), json_string_length(value)}
                                 : GATE_STR("");
}

struct gate_str gate_json_text_of(const json_t *object, const char *key) {
    return gate_json_tree_text(json_object_get(object, key));
}

bool gate_json_tree_load(struct gate_json_tree *out, struct gate_str text, struct gate_arena *arena,
                         struct gate_error *err) {
    struct gate_json_fault fault;
    *out = (struct gate_json_tree){.reserved_bytes = gate_json_tree_bytes(text)};
    if (!gate_arena_reserve(arena, out->reserved_bytes))
        return gate_arena_error(arena, err);
    out->root = gate_json_text_read(&fault, text, GATE_JSON_TEXT_ZEROS | GATE_JSON_TEXT_WIDE);
    if (out->root != NULL)
        return true;
    gate_arena_release(arena, out->reserved_bytes);
    if (fault.what == NULL)
        return gate_error_set(err, GATE_ERR_MEMORY, "out of memory");
    return gate_error_set(err, GATE_ERR_FORMAT, "malformed JSON at line %zu, column %zu: %s", fault.line, fault.column,
                          fault.what);
}

void gate_json_tree_free(struct gate_json_tree *tree, struct gate_arena *arena) {
    json_decref(tree->root);
    gate_arena_release(arena, tree->reserved_bytes);
}
