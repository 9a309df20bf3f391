/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as a name, through every escape function: the output must not contain what its format forbids.
 * Corpus: tests/fuzz/corpus/escape. */
#include "gate/base/escape.h"
#include "gate/report/shorten.h"

#include <jansson.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

typedef void (*escaper)(struct gate_buf *out, struct gate_str text);

static void escape_github_data(struct gate_buf *out, struct gate_str text) {
    gate_escape_github(out, text, false);
}

static void escape_github_property(struct gate_buf *out, struct gate_str text) {
    gate_escape_github(out, text, true);
}

/* What the output of each escape function must never contain. */
static const struct {
    escaper escape;
    const char *bytes; /* forbidden single bytes */
    const char *text;  /* a forbidden sequence, or NULL */
    bool is_line;      /* the output may be at the start of a line */
} rules[] = {
    {gate_escape_json, "<", "\xE2\x80\xA8", false},
    {gate_escape_xml, "<>\"'", "]]>", true},
    {gate_escape_terminal, "\x7F", NULL, true},
    {gate_escape_markdown, "|`*_<>[]\\@", "://", true},
    {escape_github_data, "\r\n", NULL, false},
    {escape_github_property, "\r\n:,", NULL, false},
    {gate_escape_collapsed, ";\r\n", "\xE2\x80\xAE", true},
    {gate_escape_openmetrics, "\r\n", NULL, false},
};

/* Return whether CI runners trim `c`: Unicode white space and, to be safe, characters of zero width. tests/hostile
 * has the list of Python. */
static bool is_trimmed(uint32_t c) {
    static const uint32_t blanks[] = {0x20,   0x85,   0xA0,   0xAD,   0x1680, 0x180E, 0x2028,
                                      0x2029, 0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF};
    for (size_t i = 0; i < sizeof blanks / sizeof *blanks; i++)
        if (c == blanks[i])
            return true;
    return (c >= 0x09 && c <= 0x0D) || (c >= 0x2000 && c <= 0x200D);
}

/* No line that starts with `text`, or with the rest of `text` after a trimmed character, may be a runner's command,
 * whatever follows it. */
static void check_commands(struct gate_str text, bool is_line) {
    GATE_ASSERT(gate_str_find(text, GATE_STR("##"), 0) == SIZE_MAX);
    bool is_start = is_line;
    for (size_t at = 0; at < text.len;) {
        uint32_t c = 0;
        size_t step = gate_utf8_decode(text, at, &c);
        GATE_ASSERT(!is_start || c != ':' || (at + 1 < text.len && text.ptr[at + 1] != ':'));
        /* U+200B is the character that the escape functions insert. It has no width, but runners do not trim it. */
        is_start = is_line && is_trimmed(c) && c != 0x200B;
        at += step;
    }
}

static void check_utf8(struct gate_str text) {
    for (size_t at = 0; at < text.len;) {
        uint32_t c = 0;
        size_t step = gate_utf8_decode(text, at, &c);
        GATE_ASSERT(step > 0);
        GATE_ASSERT(c >= 0x20);
        at += step;
    }
}

static void check_rule(size_t rule, struct gate_str in) {
    struct gate_buf out = {0};
    rules[rule].escape(&out, in);
    struct gate_str text = gate_buf_view(&out);
    check_utf8(text);
    for (const char *byte = rules[rule].bytes; *byte != '\0'; byte++)
        GATE_ASSERT(memchr(text.ptr, *byte, text.len) == NULL);
    if (rules[rule].text != NULL)
        GATE_ASSERT(gate_str_find(text, gate_str_from(rules[rule].text), 0) == SIZE_MAX);
    check_commands(text, rules[rule].is_line);
    gate_buf_free(&out);
}

/* Another JSON parser must be able to read the escaped string. */
static void check_json(struct gate_str in) {
    struct gate_buf out = {0};
    json_error_t error;
    gate_escape_json(&out, in);
    json_t *value = json_loadb(out.ptr, out.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    GATE_ASSERT(json_is_string(value));
    json_decref(value);
    gate_buf_free(&out);
}

/* Every quote inside a label value must be escaped. */
static void check_label(struct gate_str in) {
    struct gate_buf out = {0};
    gate_escape_openmetrics(&out, in);
    GATE_ASSERT(out.len >= 2 && out.ptr[0] == '"' && out.ptr[out.len - 1] == '"');
    size_t i = 1;
    while (i < out.len - 1) {
        GATE_ASSERT(out.ptr[i] != '"');
        i += out.ptr[i] == '\\' ? 2 : 1;
    }
    GATE_ASSERT(i == out.len - 1);
    gate_buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct gate_str in = {len == 0 ? "" : (const char *)bytes, len};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        check_rule(i, in);
    check_json(in);
    check_label(in);
    struct gate_arena arena;
    gate_arena_init(&arena, 0);
    for (size_t columns = 8; columns < 120; columns += 13)
        GATE_ASSERT(gate_str_columns(gate_shorten_name(&arena, in, columns)) <= columns || len == 0);
    gate_arena_free(&arena);
    return 0;
}
