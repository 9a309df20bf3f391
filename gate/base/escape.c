/* SPDX-License-Identifier: Apache-2.0 */
/* Escaping. Every function decodes UTF-8 in one pass; ill-formed bytes become U+FFFD. */
#include "gate/base/escape.h"

#include "gate/base/buf.h"

#define REPLACEMENT "\xEF\xBF\xBD"

#define ZERO_WIDTH_SPACE "\xE2\x80\x8B"

static bool is_control(uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

/* Return whether `c` reorders or hides text around it on a line. */
static bool is_deceptive(uint32_t c) {
    return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F || c == 0x2028 ||
           c == 0x2029;
}

/* Return whether `c` may not be seen as it is: a control, a deceptive character, or one that parsers of YAML or XML
 * reject or drop. */
static bool is_hidden(uint32_t c) {
    return is_control(c) || is_deceptive(c) || c == 0xFEFF || c == 0xFFFE || c == 0xFFFF;
}

/* Return whether `c` is white space for a CI runner, which trims it before it looks for a command: white space of
 * .NET, and characters of zero width, which are invisible. */
static bool is_blank(uint32_t c) {
    return c == ' ' || (c >= 0x09 && c <= 0x0D) || c == 0x85 || c == 0xA0 || c == 0xAD || c == 0x1680 || c == 0x180E ||
           (c >= 0x2000 && c <= 0x200D) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x2060 ||
           c == 0x3000 || c == 0xFEFF;
}

static bool is_doubled(struct gate_str text, size_t at, char c) {
    return text.ptr[at] == c && at + 1 < text.len && text.ptr[at + 1] == c;
}

/* Return whether a CI runner may see a command at `at`: "##" anywhere, or "::" at the start of a line or after white
 * space. Any text may be placed at the start of a line, and lines may be broken at white space. A colon at the end
 * also counts, because another one may follow the text. */
static bool is_command(struct gate_str text, size_t at, bool after_blank) {
    return is_doubled(text, at, '#') ||
           (after_blank && text.ptr[at] == ':' && (at + 1 == text.len || is_doubled(text, at, ':')));
}

/* A walk over the characters of `text`. Zero-initialise the rest. */
struct walk {
    struct gate_str text;
    size_t at, end;  /* bytes of the character */
    uint32_t c;      /* its code point; U+FFFD for each ill-formed byte */
    bool is_command; /* a CI runner may see a command at `at` */
};

static inline bool walk_next(struct walk *walk) {
    bool after_blank = walk->end == 0 || is_blank(walk->c);
    uint32_t c = 0xFFFD;
    walk->at = walk->end;
    if (walk->at == walk->text.len)
        return false;
    size_t step = gate_utf8_decode(walk->text, walk->at, &c);
    walk->c = c;
    walk->end += step == 0 ? 1 : step;
    walk->is_command = is_command(walk->text, walk->at, after_blank);
    return true;
}

/* Append the character unchanged, or U+FFFD if it is ill-formed or `is_replaced`. */
static inline void walk_keep(struct gate_buf *out, const struct walk *walk, bool is_replaced) {
    if (is_replaced || walk->c == 0xFFFD)
        gate_buf_text(out, REPLACEMENT);
    else
        gate_buf_bytes(out, walk->text.ptr + walk->at, walk->end - walk->at);
}

/* Bits for characters that never need escaping in JSON (1) and in XML (2); most names consist of them. A blank needs
 * care in XML, because a colon after it may start a command. */
enum { PLAIN_JSON = 1, PLAIN_XML = 2 };

static const unsigned char plain_in[256] = {
    [' '] = 1, ['!'] = 3, ['"'] = 0, ['#'] = 0, ['$'] = 3, ['%'] = 3, ['&'] = 1, ['\''] = 1, ['('] = 3, [')'] = 3,
    ['*'] = 3, ['+'] = 3, [','] = 3, ['-'] = 3, ['.'] = 3, ['/'] = 3, ['0'] = 3, ['1'] = 3,  ['2'] = 3, ['3'] = 3,
    ['4'] = 3, ['5'] = 3, ['6'] = 3, ['7'] = 3, ['8'] = 3, ['9'] = 3, [':'] = 1, [';'] = 3,  ['<'] = 0, ['='] = 3,
    ['>'] = 1, ['?'] = 3, ['@'] = 3, ['A'] = 3, ['B'] = 3, ['C'] = 3, ['D'] = 3, ['E'] = 3,  ['F'] = 3, ['G'] = 3,
    ['H'] = 3, ['I'] = 3, ['J'] = 3, ['K'] = 3, ['L'] = 3, ['M'] = 3, ['N'] = 3, ['O'] = 3,  ['P'] = 3, ['Q'] = 3,
    ['R'] = 3, ['S'] = 3, ['T'] = 3, ['U'] = 3, ['V'] = 3, ['W'] = 3, ['X'] = 3, ['Y'] = 3,  ['Z'] = 3, ['['] = 3,
    [']'] = 3, ['^'] = 3, ['_'] = 3, ['`'] = 3, ['a'] = 3, ['b'] = 3, ['c'] = 3, ['d'] = 3,  ['e'] = 3, ['f'] = 3,
    ['g'] = 3, ['h'] = 3, ['i'] = 3, ['j'] = 3, ['k'] = 3, ['l'] = 3, ['m'] = 3, ['n'] = 3,  ['o'] = 3, ['p'] = 3,
    ['q'] = 3, ['r'] = 3, ['s'] = 3, ['t'] = 3, ['u'] = 3, ['v'] = 3, ['w'] = 3, ['x'] = 3,  ['y'] = 3, ['z'] = 3,
    ['{'] = 3, ['|'] = 3, ['}'] = 3, ['~'] = 3};

/* Append characters that never need escaping, then go to the next character. */
static inline bool walk_next_special(struct walk *walk, struct gate_buf *out, unsigned char format) {
    size_t from = walk->end;
    while (walk->end < walk->text.len && (plain_in[(unsigned char)walk->text.ptr[walk->end]] & format) != 0)
        walk->end++;
    if (walk->end > from) {
        gate_buf_bytes(out, walk->text.ptr + from, walk->end - from);
        walk->c = 0; /* not a blank */
    }
    return walk_next(walk);
}

void gate_escape_json(struct gate_buf *out, struct gate_str text) {
    gate_buf_char(out, '"');
    for (struct walk walk = {.text = text}; walk_next_special(&walk, out, PLAIN_JSON);) {
        uint32_t c = walk.c;
        if (c == '"' || c == '\\')
            gate_buf_printf(out, "\\%c", (char)c);
        else if (c == '\n')
            gate_buf_text(out, "\\n");
        else if (c == '\t')
            gate_buf_text(out, "\\t");
        else if (is_hidden(c) || c == '<' || is_doubled(text, walk.at, '#'))
            gate_buf_printf(out, "\\u%04x", (unsigned)c);
        else
            walk_keep(out, &walk, false);
    }
    gate_buf_char(out, '"');
}

void gate_escape_xml(struct gate_buf *out, struct gate_str text) {
    for (struct walk walk = {.text = text}; walk_next_special(&walk, out, PLAIN_XML);) {
        uint32_t c = walk.c;
        if (c == '&')
            gate_buf_text(out, "&amp;");
        else if (c == '<')
            gate_buf_text(out, "&lt;");
        else if (c == '>')
            gate_buf_text(out, "&gt;");
        else if (c == '"')
            gate_buf_text(out, "&quot;");
        else if (c == '\'' || c == '\n' || walk.is_command)
            gate_buf_printf(out, "&#%u;", (unsigned)c);
        else
            walk_keep(out, &walk, is_control(c) || is_deceptive(c) || c == 0xFFFE || c == 0xFFFF);
    }
}

void gate_escape_terminal(struct gate_buf *out, struct gate_str text) {
    for (struct walk walk = {.text = text}; walk_next_special(&walk, out, PLAIN_XML);) {
        walk_keep(out, &walk, is_control(walk.c) || is_deceptive(walk.c));
        gate_buf_text(out, walk.is_command ? ZERO_WIDTH_SPACE : "");
    }
}

static bool is_letter(struct gate_str text, size_t at, char lower) {
    return at < text.len && (text.ptr[at] | 0x20) == lower;
}

static bool is_word(struct gate_str text, size_t at) {
    unsigned char c = (unsigned char)text.ptr[at];
    return c == '_' || gate_str_is_digit(text, at) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Return whether to insert a zero-width space after the character at `at`, so that GitHub or GitLab make no link:
 * "#1", "GH-1", GitLab's "!1", "$1", "&1", "~1" and "%1", and a URL's "://". In "www." it is inserted before the
 * point. Entities do not help, because both systems decode them first. */
static bool is_reference(struct gate_str text, size_t at) {
    char c = text.ptr[at];
    if (c == ':')
        return gate_str_starts(gate_str_slice(text, at, text.len), GATE_STR("://"));
    if (c == '-')
        return at >= 2 && is_letter(text, at - 2, 'g') && is_letter(text, at - 1, 'h') &&
               gate_str_is_digit(text, at + 1);
    if (is_letter(text, at, 'w'))
        return at >= 2 && is_letter(text, at - 2, 'w') && is_letter(text, at - 1, 'w') && at + 1 < text.len &&
               text.ptr[at + 1] == '.';
    if (!gate_str_is_digit(text, at + 1))
        return false;
    return c == '#' || (c != '\0' && strchr("!$&~%", c) != NULL && (at == 0 || !is_word(text, at - 1)));
}

void gate_escape_markdown(struct gate_buf *out, struct gate_str text) {
    for (struct walk walk = {.text = text}; walk_next(&walk);) {
        uint32_t c = walk.c;
        if (c < 0x80 && c != 0 && strchr("|`*_<>[]\\&#~$", (int)c) != NULL)
            gate_buf_printf(out, "&#%u;", (unsigned)c);
        else if (c == '@')
            gate_buf_text(out, "&#64;" ZERO_WIDTH_SPACE);
        else if (c == '\n' || c == '\r' || c == '\t')
            gate_buf_char(out, ' ');
        else
            walk_keep(out, &walk, is_control(c) || is_deceptive(c));
        gate_buf_text(out, walk.is_command || is_reference(text, walk.at) ? ZERO_WIDTH_SPACE : "");
    }
}

void gate_escape_github(struct gate_buf *out, struct gate_str text, bool property) {
    for (struct walk walk = {.text = text}; walk_next(&walk);) {
        uint32_t c = walk.c;
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
            gate_buf_printf(out, "%%%02X", (unsigned)c);
        else
            walk_keep(out, &walk, is_control(c) || is_deceptive(c));
        gate_buf_text(out, is_doubled(text, walk.at, '#') ? ZERO_WIDTH_SPACE : "");
    }
}

void gate_escape_collapsed(struct gate_buf *out, struct gate_str text) {
    for (struct walk walk = {.text = text}; walk_next(&walk);)
        if (walk.c == ';' || is_control(walk.c) || is_deceptive(walk.c) || walk.is_command)
            gate_buf_char(out, '_');
        else
            walk_keep(out, &walk, false);
}

void gate_escape_openmetrics(struct gate_buf *out, struct gate_str text) {
    gate_buf_char(out, '"');
    for (struct walk walk = {.text = text}; walk_next(&walk);) {
        if (walk.c == '\\' || walk.c == '"')
            gate_buf_printf(out, "\\%c", (char)walk.c);
        else if (walk.c == '\n')
            gate_buf_text(out, "\\n");
        else
            walk_keep(out, &walk, is_control(walk.c));
        gate_buf_text(out, is_doubled(text, walk.at, '#') ? ZERO_WIDTH_SPACE : "");
    }
    gate_buf_char(out, '"');
}

void gate_escape_shell(struct gate_buf *out, struct gate_str text) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,=:+@%";
    bool is_plain = text.len > 0;
    for (size_t i = 0; i < text.len; i++)
        is_plain = is_plain && memchr(plain, text.ptr[i], sizeof plain - 1) != NULL;
    gate_buf_text(out, is_plain ? "" : "'");
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '\'')
            gate_buf_text(out, "'\\''");
        else
            gate_buf_char(out, text.ptr[i]);
    gate_buf_text(out, is_plain ? "" : "'");
}

void gate_escape_percent(struct gate_buf *out, struct gate_str text, const char *plain) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (gate_is_letter(c) || gate_is_digit(c) || (c != '\0' && strchr(plain, c) != NULL))
            gate_buf_char(out, c);
        else
            gate_buf_printf(out, "%%%02X", (unsigned)(unsigned char)c);
    }
}

void gate_escape_yaml(struct gate_buf *out, struct gate_str text) {
    for (struct walk walk = {.text = text}; walk_next_special(&walk, out, PLAIN_XML);) {
        walk_keep(out, &walk, is_hidden(walk.c));
        gate_buf_text(out, walk.c == '\'' ? "'" : is_doubled(text, walk.at, '#') ? ZERO_WIDTH_SPACE : "");
    }
}

void gate_escape_yaml_pattern(struct gate_buf *out, struct gate_str text) {
    gate_buf_text(out, "'^");
    for (size_t at = 0; at < text.len;) {
        uint32_t c = 0;
        size_t step = gate_utf8_decode(text, at, &c);
        if (c < 0x80 && c != 0 && strchr("\\^$.[]|()+*?{}#", (int)c) != NULL)
            gate_buf_printf(out, "\\%c", (char)c);
        else if (c == '\'')
            gate_buf_text(out, "''");
        else if (is_hidden(c))
            gate_buf_printf(out, "\\x{%X}", (unsigned)c);
        else
            gate_buf_bytes(out, text.ptr + at, step == 0 ? 1 : step);
        at += step == 0 ? 1 : step;
    }
    gate_buf_text(out, "$'");
}
