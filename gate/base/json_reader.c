/* SPDX-License-Identifier: Apache-2.0 */
/* Strict reading of our own JSON (see json_reader.h). */
#include "gate/base/json_reader.h"

#include "gate/base/json_text.h"

#include <inttypes.h>
#include <string.h>

json_t *gate_json_reader_parse(struct gate_str text, const char *what, enum gate_error_code code,
                               struct gate_error *err) {
    struct gate_json_fault fault;
    json_t *root = gate_json_text_read(&fault, text, GATE_JSON_TEXT_UNIQUE);
    if (root == NULL && fault.what == NULL)
        (void)gate_error_set(err, GATE_ERR_MEMORY, "out of memory");
    else if (root == NULL)
        (void)gate_error_set(err, code, "expected %s in JSON, found in line %zu: %s", what, fault.line, fault.what);
    return root;
}

bool gate_json_reader_refuse(const struct gate_json_reader *reader, const char *key, const char *expected) {
    return gate_error_set(reader->err, reader->code, "%s: expected %s in '%s'", reader->place, expected, key);
}

bool gate_json_reader_keys(const struct gate_json_reader *reader, const char *const *known) {
    const char *key;
    json_t *value;
    if (!json_is_object(reader->map))
        return gate_error_set(reader->err, reader->code, "%s: expected a map", reader->place);
    json_object_foreach(reader->map, key, value) {
        size_t at = 0;
        while (known[at] != NULL && strcmp(known[at], key) != 0)
            at++;
        if (known[at] == NULL)
            return gate_error_set(reader->err, reader->code, "%s: unknown key '%.100s'", reader->place, key);
    }
    return true;
}

bool gate_json_reader_text(struct gate_str *out, const struct gate_json_reader *reader, const char *key,
                           enum gate_json_reader_need need) {
    const json_t *value = json_object_get(reader->map, key);
    *out = GATE_STR("");
    if (value == NULL && need == GATE_JSON_READER_MAY)
        return true;
    if (!json_is_string(value) || (need == GATE_JSON_READER_FILLED && json_string_length(value) == 0))
        return gate_json_reader_refuse(reader, key, "a text");
    *out = gate_str_copy(reader->arena, (struct gate_str){json_string_value(value), json_string_length(value)});
    return out->ptr != NULL || gate_arena_error(reader->arena, reader->err);
}

bool gate_json_reader_integer(int64_t *out, const struct gate_json_reader *reader, const char *key, int64_t least,
                              int64_t most, enum gate_json_reader_need need) {
    const json_t *value = json_object_get(reader->map, key);
    int64_t found = json_integer_value(value);
    if (value == NULL && need == GATE_JSON_READER_MAY)
        return true;
    if (json_is_integer(value) && found >= least && found <= most) {
        *out = found;
        return true;
    }
    if (least == 0 && most == INT64_MAX)
        return gate_json_reader_refuse(reader, key, "a whole number of zero or more");
    return gate_error_set(reader->err, reader->code,
                          "%s: expected a whole number from %" PRId64 " to %" PRId64 " in '%s'", reader->place, least,
                          most, key);
}

bool gate_json_reader_number(double *out, const struct gate_json_reader *reader, const char *key,
                             enum gate_json_reader_need need) {
    const json_t *value = json_object_get(reader->map, key);
    if (value == NULL && need == GATE_JSON_READER_MAY)
        return true;
    if (!json_is_number(value) || !(json_number_value(value) >= 0))
        return gate_json_reader_refuse(reader, key, "a number of zero or more");
    *out = json_number_value(value);
    return true;
}

bool gate_json_reader_list(const json_t **out, const struct gate_json_reader *reader, const char *key, size_t most,
                           enum gate_json_reader_need need) {
    *out = json_object_get(reader->map, key);
    if (*out == NULL && need == GATE_JSON_READER_MAY)
        return true;
    if (!json_is_array(*out))
        return gate_json_reader_refuse(reader, key, "a list");
    return json_array_size(*out) <= most ||
           gate_error_set(reader->err, reader->code, "%s: expected a list of at most %zu in '%s', found %zu",
                          reader->place, most, key, json_array_size(*out));
}

struct gate_json_reader gate_json_reader_item(const struct gate_json_reader *reader, const json_t *list, size_t index,
                                              const char *place) {
    struct gate_json_reader item = *reader;
    item.map = json_array_get(list, index);
    item.place = place;
    return item;
}

bool gate_json_reader_schema(const struct gate_json_reader *reader, const char *schema, const char *advice) {
    const json_t *found = json_object_get(reader->map, "schema");
    if (!json_is_object(reader->map))
        return gate_error_set(reader->err, reader->code, "%s: expected a map with 'schema'", reader->place);
    if (!json_is_string(found))
        return gate_json_reader_refuse(reader, "schema", "a text");
    return strcmp(json_string_value(found), schema) == 0 ||
           gate_error_set(reader->err, reader->code, "expected the schema '%s', found '%.100s'; %s", schema,
                          json_string_value(found), advice);
}
