/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of OTLP profiles in JSON: a table of names, types and field numbers, and a converter that follows it. */
#include "gate/formats/otlp_json.h"

#include "gate/base/buf.h"
#include "gate/formats/json_tree.h"
#include "gate/formats/reader.h"
#include "gate/model/limits.h"
#include "gate/model/wire.h"

#include <errno.h>
#include <stdlib.h>

enum { HEAD_BYTES = 256, DEPTH_MAX = 24, DIGITS_MAX = 24, LENGTH_BYTES = 4 };

enum kind { TEXT, HEX, BASE64, NUMBER, FIXED, BOOL, DOUBLE, MESSAGE };

struct field {
    const char *name, *other; /* alternative name: the spelling of the .proto file, or of an older version */
    uint32_t number;
    enum kind kind;
    bool is_list; /* lists of numbers are packed */
    const struct field *of;
};

/* ---- protocol ---------------------------------------------------------------------------------------------------- */

static const struct field any_value[];

static const struct field array_value[] = {{"values", NULL, 1, MESSAGE, true, any_value}, {0}};

static const struct field any_value[] = {{"stringValue", "string_value", 1, TEXT, false, NULL},
                                         {"boolValue", "bool_value", 2, BOOL, false, NULL},
                                         {"intValue", "int_value", 3, NUMBER, false, NULL},
                                         {"doubleValue", "double_value", 4, DOUBLE, false, NULL},
                                         {"arrayValue", "array_value", 5, MESSAGE, false, array_value},
                                         {"bytesValue", "bytes_value", 7, BASE64, false, NULL},
                                         {"stringValueStrindex", "string_value_strindex", 8, NUMBER, false, NULL},
                                         {0}};

static const struct field key_value[] = {{"key", NULL, 1, TEXT, false, NULL},
                                         {"value", NULL, 2, MESSAGE, false, any_value},
                                         {"keyStrindex", "key_strindex", 3, NUMBER, false, NULL},
                                         {0}};

static const struct field resource[] = {{"attributes", NULL, 1, MESSAGE, true, key_value}, {0}};

static const struct field scope[] = {{"name", NULL, 1, TEXT, false, NULL},
                                     {"version", NULL, 2, TEXT, false, NULL},
                                     {"attributes", NULL, 3, MESSAGE, true, key_value},
                                     {0}};

static const struct field value_type[] = {{"typeStrindex", "type_strindex", 1, NUMBER, false, NULL},
                                          {"unitStrindex", "unit_strindex", 2, NUMBER, false, NULL},
                                          {0}};

static const struct field sample[] = {{"stackIndex", "stack_index", 1, NUMBER, false, NULL},
                                      {"attributeIndices", "attribute_indices", 2, NUMBER, true, NULL},
                                      {"linkIndex", "link_index", 3, NUMBER, false, NULL},
                                      {"values", NULL, 4, NUMBER, true, NULL},
                                      {"timestampsUnixNano", "timestamps_unix_nano", 5, FIXED, true, NULL},
                                      {0}};

static const struct field profile[] = {{"sampleType", "sample_type", 1, MESSAGE, false, value_type},
                                       {"samples", "sample", 2, MESSAGE, true, sample},
                                       {"timeUnixNano", "time_unix_nano", 3, FIXED, false, NULL},
                                       {"durationNano", "duration_nano", 4, NUMBER, false, NULL},
                                       {"periodType", "period_type", 5, MESSAGE, false, value_type},
                                       {"period", NULL, 6, NUMBER, false, NULL},
                                       {"profileId", "profile_id", 7, HEX, false, NULL},
                                       {"attributeIndices", "attribute_indices", 11, NUMBER, true, NULL},
                                       {0}};

static const struct field scope_profiles[] = {
    {"scope", NULL, 1, MESSAGE, false, scope}, {"profiles", NULL, 2, MESSAGE, true, profile}, {0}};

static const struct field resource_profiles[] = {{"resource", NULL, 1, MESSAGE, false, resource},
                                                 {"scopeProfiles", "scope_profiles", 2, MESSAGE, true, scope_profiles},
                                                 {0}};

static const struct field mapping[] = {{"memoryStart", "memory_start", 1, NUMBER, false, NULL},
                                       {"memoryLimit", "memory_limit", 2, NUMBER, false, NULL},
                                       {"fileOffset", "file_offset", 3, NUMBER, false, NULL},
                                       {"filenameStrindex", "filename_strindex", 4, NUMBER, false, NULL},
                                       {"attributeIndices", "attribute_indices", 5, NUMBER, true, NULL},
                                       {0}};

static const struct field line[] = {{"functionIndex", "function_index", 1, NUMBER, false, NULL},
                                    {"line", NULL, 2, NUMBER, false, NULL},
                                    {"column", NULL, 3, NUMBER, false, NULL},
                                    {0}};

static const struct field location[] = {{"mappingIndex", "mapping_index", 1, NUMBER, false, NULL},
                                        {"address", NULL, 2, NUMBER, false, NULL},
                                        {"lines", "line", 3, MESSAGE, true, line},
                                        {"attributeIndices", "attribute_indices", 4, NUMBER, true, NULL},
                                        {0}};

static const struct field function[] = {{"nameStrindex", "name_strindex", 1, NUMBER, false, NULL},
                                        {"systemNameStrindex", "system_name_strindex", 2, NUMBER, false, NULL},
                                        {"filenameStrindex", "filename_strindex", 3, NUMBER, false, NULL},
                                        {"startLine", "start_line", 4, NUMBER, false, NULL},
                                        {0}};

static const struct field span_link[] = {
    {"traceId", "trace_id", 1, HEX, false, NULL}, {"spanId", "span_id", 2, HEX, false, NULL}, {0}};

static const struct field attribute[] = {{"keyStrindex", "key_strindex", 1, NUMBER, false, NULL},
                                         {"value", NULL, 2, MESSAGE, false, any_value},
                                         {"unitStrindex", "unit_strindex", 3, NUMBER, false, NULL},
                                         {0}};

static const struct field stack[] = {{"locationIndices", "location_indices", 1, NUMBER, true, NULL}, {0}};

static const struct field dictionary[] = {{"mappingTable", "mapping_table", 1, MESSAGE, true, mapping},
                                          {"locationTable", "location_table", 2, MESSAGE, true, location},
                                          {"functionTable", "function_table", 3, MESSAGE, true, function},
                                          {"linkTable", "link_table", 4, MESSAGE, true, span_link},
                                          {"stringTable", "string_table", 5, TEXT, true, NULL},
                                          {"attributeTable", "attribute_table", 6, MESSAGE, true, attribute},
                                          {"stackTable", "stack_table", 7, MESSAGE, true, stack},
                                          {0}};

static const struct field profiles_data[] = {
    {"resourceProfiles", "resource_profiles", 1, MESSAGE, true, resource_profiles},
    {"dictionary", NULL, 2, MESSAGE, false, dictionary},
    {0}};

/* ---- values ------------------------------------------------------------------------------------------------------ */

static bool refuse(const struct field *field, const char *expected, struct gate_error *err) {
    return gate_error_set(
        err, GATE_ERR_FORMAT,
        "OTLP profiles as JSON: expected %s in '%s'; of protocols before 1.8 only protobuf is read (the "
        "collector's file exporter: 'format: proto')",
        expected, field->name);
}

/* Read an integer, or its digits as a string, which is how JSON encodes 64-bit integers. */
static bool number_read(uint64_t *out, const json_t *value) {
    const char *text = json_string_value(value);
    char *end = NULL;
    if (json_is_integer(value)) {
        *out = (uint64_t)json_integer_value(value);
        return true;
    }
    size_t len = json_string_length(value);
    if (text == NULL || len == 0 || len > DIGITS_MAX ||
        strspn(text + (text[0] == '-'), "0123456789") != len - (text[0] == '-'))
        return false;
    errno = 0;
    *out = text[0] == '-' ? (uint64_t)strtoll(text, &end, 10) : strtoull(text, &end, 10);
    return errno == 0 && end != text + (text[0] == '-') && *end == '\0';
}

static void put_fixed(struct gate_buf *out, uint64_t value) {
    for (int i = 0; i < 8; i++)
        gate_buf_char(out, (char)(value >> 8 * i & 0xFF));
}

static bool hex_put(struct gate_buf *out, const json_t *value) {
    const char *text = json_string_value(value);
    size_t len = json_string_length(value);
    if (text == NULL || len % 2 != 0)
        return false;
    for (size_t i = 0; i < len; i += 2) {
        int high = gate_hex_value(text[i]), low = gate_hex_value(text[i + 1]);
        if (high < 0 || low < 0)
            return false;
        gate_buf_char(out, (char)(high << 4 | low));
    }
    return true;
}

static bool base64_put(struct gate_buf *out, const json_t *value) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_";
    struct gate_str text = {json_string_value(value), json_string_length(value)};
    uint32_t bits = 0;
    for (size_t i = 0, kept = 0; i < text.len && text.ptr[i] != '='; i++) {
        const char *at = text.ptr[i] == '\0' ? NULL : strchr(digits, text.ptr[i]);
        if (at == NULL)
            return false;
        size_t digit = (size_t)(at - digits); /* '-' and '_' are the digits 62 and 63 of URL-safe base64 */
        bits = (bits << 6 | (uint32_t)(digit < 64 ? digit : digit - 2)) & 0xFFFF;
        kept += 6;
        if (kept >= 8) {
            kept -= 8;
            gate_buf_char(out, (char)(bits >> kept & 0xFF));
        }
    }
    return text.ptr != NULL;
}

/* Append a number without a tag: after the field's tag, or as an element of a packed list. */
static bool number_put(struct gate_buf *out, const struct field *field, const json_t *value, struct gate_error *err) {
    uint64_t number = 0;
    double real = json_number_value(value);
    switch (field->kind) {
    case BOOL:
        gate_wire_put_varint(out, json_is_true(value));
        return json_is_boolean(value) || refuse(field, "true or false", err);
    case DOUBLE:
        memcpy(&number, &real, sizeof number);
        put_fixed(out, number);
        return json_is_number(value) || refuse(field, "a number", err);
    case FIXED:
        if (!number_read(&number, value))
            return refuse(field, "a whole number", err);
        put_fixed(out, number);
        return true;
    default:
        if (!number_read(&number, value))
            return refuse(field, "a whole number", err);
        gate_wire_put_varint(out, number);
        return true;
    }
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static bool message_put(struct gate_buf *out, const json_t *map, const struct field *fields, int depth,
                        struct gate_error *err);

static bool bytes_put(struct gate_buf *out, const struct field *field, const json_t *value, int depth,
                      struct gate_error *err) {
    struct gate_buf inner = {0};
    bool ok = true;
    if (field->kind == TEXT) {
        ok = json_is_string(value) || refuse(field, "a text", err);
        gate_buf_str(&inner, (struct gate_str){ok ? json_string_value(value) : "", json_string_length(value)});
    } else if (field->kind == HEX) {
        ok = hex_put(&inner, value) || refuse(field, "hexadecimal digits", err);
    } else if (field->kind == BASE64) {
        ok = base64_put(&inner, value) || refuse(field, "base64", err);
    } else {
        ok = json_is_object(value) || refuse(field, "a map", err);
        ok = ok && message_put(&inner, value, field->of, depth + 1, err);
    }
    if (ok)
        gate_wire_put_bytes(out, field->number, gate_buf_view(&inner));
    gate_buf_free_part(out, &inner);
    return ok;
}

static bool is_bytes(const struct field *field) {
    return field->kind == TEXT || field->kind == HEX || field->kind == BASE64 || field->kind == MESSAGE;
}

static bool list_put(struct gate_buf *out, const struct field *field, const json_t *list, int depth,
                     struct gate_error *err) {
    struct gate_buf packed = {0};
    bool ok = json_is_array(list) || refuse(field, "a list", err);
    for (size_t i = 0; ok && i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        ok = is_bytes(field) ? bytes_put(out, field, item, depth, err) : number_put(&packed, field, item, err);
    }
    if (ok && packed.len > 0)
        gate_wire_put_bytes(out, field->number, gate_buf_view(&packed));
    gate_buf_free_part(out, &packed);
    return ok;
}

static bool field_put(struct gate_buf *out, const struct field *field, const json_t *value, int depth,
                      struct gate_error *err) {
    bool is_fixed = field->kind == FIXED || field->kind == DOUBLE;
    if (value == NULL || json_is_null(value))
        return true;
    if (field->is_list)
        return list_put(out, field, value, depth, err);
    if (is_bytes(field))
        return bytes_put(out, field, value, depth, err);
    gate_wire_put_varint(out, (uint64_t)field->number << 3 | (is_fixed ? GATE_WIRE_FIXED64 : GATE_WIRE_VARINT));
    return number_put(out, field, value, err);
}

static bool message_put(struct gate_buf *out, const json_t *map, const struct field *fields, int depth,
                        struct gate_error *err) {
    if (depth > DEPTH_MAX)
        return gate_error_set(err, GATE_ERR_FORMAT, "OTLP profiles as JSON: values in values, more than %d deep",
                              DEPTH_MAX);
    for (; fields->name != NULL; fields++) {
        const json_t *value = json_object_get(map, fields->name);
        if (value == NULL && fields->other != NULL)
            value = json_object_get(map, fields->other);
        if (!field_put(out, fields, value, depth, err))
            return false;
    }
    return !out->failed || gate_buf_check(out, err);
}

/* ---- documents --------------------------------------------------------------------------------------------------- */

/* Return the end of the JSON object that `text` begins with, or the end of the text. */
static size_t document_end(struct gate_str text) {
    size_t at = 0, depth = 0;
    bool is_quoted = false;
    for (; at < text.len; at++) {
        char c = text.ptr[at];
        if (is_quoted && c == '\\')
            at++;
        else if (c == '"')
            is_quoted = !is_quoted;
        else if (!is_quoted && (c == '{' || c == '['))
            depth++;
        else if (!is_quoted && (c == '}' || c == ']') && --depth == 0)
            return at + 1;
        else if (!is_quoted && depth == 0)
            return at + 1; /* not an object */
    }
    return text.len;
}

static bool document_put(struct gate_buf *out, struct gate_str text, struct gate_arena *scratch,
                         struct gate_error *err) {
    struct gate_json_tree tree;
    struct gate_buf message = {0};
    if (!gate_json_tree_load(&tree, text, scratch, err))
        return false;
    bool ok = (json_is_object(tree.root) ||
               gate_error_set(err, GATE_ERR_FORMAT, "OTLP profiles as JSON: expected a map with 'resourceProfiles'")) &&
              message_put(&message, tree.root, profiles_data, 0, err);
    gate_json_tree_free(&tree, scratch);
    if (ok && message.len > UINT32_MAX)
        ok = gate_error_set(err, GATE_ERR_LIMIT, "OTLP profiles as JSON: a message of more than 4 GiB");
    for (int i = LENGTH_BYTES; ok && i-- > 0;)
        gate_buf_char(out, (char)(message.len >> 8 * i & 0xFF));
    gate_buf_str(out, ok ? gate_buf_view(&message) : GATE_STR(""));
    gate_buf_free_part(out, &message);
    return ok && gate_buf_check(out, err);
}

/* Return true for JSON with resource profiles, at the start or after a dictionary. O(bytes). */
static bool otlp_json_sniff(struct gate_str text) {
    static const char *const names[] = {"\"resourceProfiles\"", "\"resource_profiles\""};
    bool is_behind = gate_str_find(gate_str_slice(text, 0, HEAD_BYTES), GATE_STR("\"dictionary\""), 0) != SIZE_MAX;
    for (size_t i = 0; gate_str_starts(text, GATE_STR("{")) && i < sizeof names / sizeof *names; i++)
        if (gate_str_find(gate_str_slice(text, 0, is_behind ? text.len : HEAD_BYTES), gate_str_from(names[i]), 0) !=
            SIZE_MAX)
            return true;
    return false;
}

bool gate_otlp_json_write(struct gate_buf *out, struct gate_str text, struct gate_arena *scratch,
                          struct gate_error *err) {
    struct gate_str rest = gate_str_trim(text);
    while (rest.len > 0) {
        size_t end = document_end(rest);
        if (!document_put(out, gate_str_slice(rest, 0, end), scratch, err))
            return false;
        rest = gate_str_trim(gate_str_slice(rest, end, rest.len));
    }
    return true;
}

/* Add the samples as otlp_fill does. */
static bool otlp_json_fill(struct gate_builder *builder, struct gate_str bytes, const struct gate_limits *limits,
                           struct gate_error *err) {
    struct gate_buf messages = {0};
    bool ok = gate_otlp_json_write(&messages, bytes, builder->arena, err) &&
              gate_otlp_reader.fill(builder, gate_buf_view(&messages), limits, err);
    gate_buf_free(&messages);
    return ok;
}

const struct gate_reader gate_otlp_json_reader = {
    .name = "OTLP profiles JSON",
    .is_text = true,
    .sniff = otlp_json_sniff,
    .format = GATE_FORMAT_OTLP_JSON,
    .fill = otlp_json_fill,
};
