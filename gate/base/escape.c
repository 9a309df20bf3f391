/* SPDX-License-Identifier: Apache-2.0 */
/* Escaping. Every function decodes UTF-8 in one pass; ill-formed bytes become U+FFFD. */
#include "gate/base/escape.h"

#include "gate/base/buf.h"

#define REPLACEMENT "\xEF\xBF\xBD"

#define ZERO_WIDTH_SPACE "\xE2\x80\x8B"

/* Decode the next code point of `text` and return its length. Each ill-formed byte counts as one U+FFFD. */
static size_t escape_next(struct gate_str text, size_t at, uint32_t *c) {
    size_t step = gate_utf8_decode(text, at, c);
    if (step == 0) {
        *c = 0xFFFD;
        return 1;
    }
    return step;
}

/* Append the character unchanged, or U+FFFD if it is ill-formed. */
static void escape_keep(struct gate_buf *out, struct gate_str text, size_t at, size_t step, uint32_t c) {
    if (c == 0xFFFD)
        gate_buf_text(out, REPLACEMENT);
    else
        gate_buf_bytes(out, text.ptr + at, step);
}

static bool is_control(uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

/* Return whether `c` reorders or hides text around it on a line. */
static bool is_deceptive(uint32_t c) {
    return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F || c == 0x2028 ||
           c == 0x2029;
}

/* Return whether `c` is valid Unicode that parsers of YAML or XML reject or drop. */
static bool is_unreadable(uint32_t c) {
    return c == 0xFEFF || c == 0xFFFE || c == 0xFFFF;
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

/* Append unescaped characters from `at` on. Return where they end. */
static inline size_t escape_plain(struct gate_buf *out, struct gate_str text, size_t at, unsigned char format) {
    size_t end = at;
    while (end < text.len && (plain_in[(unsigned char)text.ptr[end]] & format) != 0)
        end++;
    if (end > at)
        gate_buf_bytes(out, text.ptr + at, end - at);
    return end;
}

void gate_escape_json(struct gate_buf *out, struct gate_str text) {
    gate_buf_char(out, '"');
    for (size_t at = escape_plain(out, text, 0, PLAIN_JSON); at < text.len;) {
        uint32_t c = 0;
        size_t step = escape_next(text, at, &c);
        if (c == '"' || c == '\\')
            gate_buf_printf(out, "\\%c", (char)c);
        else if (c == '\n')
            gate_buf_text(out, "\\n");
        else if (c == '\t')
            gate_buf_text(out, "\\t");
        else if (is_control(c) || c == '<' || is_deceptive(c) || is_unreadable(c) || is_doubled(text, at, '#'))
            gate_buf_printf(out, "\\u%04x", (unsigned)c);
        else
            escape_keep(out, text, at, step, c);
        at = escape_plain(out, text, at + step, PLAIN_JSON);
    }
    gate_buf_char(out, '"');
}

void gate_escape_xml(struct gate_buf *out, struct gate_str text) {
    bool after_blank = true;
    for (size_t at = 0; at < text.len;) {
        uint32_t c = 0;
        size_t end = escape_plain(out, text, at, PLAIN_XML);
        after_blank = after_blank && end == at;
        at = end;
        if (at == text.len)
            return;
        size_t step = escape_next(text, at, &c);
        bool command = is_command(text, at, after_blank);
        after_blank = is_blank(c);
        if (c == '&')
            gate_buf_text(out, "&amp;");
        else if (c == '<')
            gate_buf_text(out, "&lt;");
        else if (c == '>')
            gate_buf_text(out, "&gt;");
        else if (c == '"')
            gate_buf_text(out, "&quot;");
        else if (c == '\'')
            gate_buf_text(out, "&#39;");
        else if (c == '\n')
            gate_buf_text(out, "&#10;");
        else if (command)
            gate_buf_printf(out, "&#%u;", (unsigned)c);
        else if (is_control(c) || is_deceptive(c) || c == 0xFFFE || c == 0xFFFF)
            gate_buf_text(out, REPLACEMENT);
        else
            escape_keep(out, text, at, step, c);
        at += step;
    }
}

void gate_escape_terminal(struct gate_buf *out, struct gate_str text) {
    bool after_blank = true;
    for (size_t at = 0; at < text.len;) {
        uint32_t c = 0;
        size_t step = escape_next(text, at, &c);
        bool command = is_command(text, at, after_blank);
        after_blank = is_blank(c);
        if (command) {
            gate_buf_bytes(out, text.ptr + at, step);
            gate_buf_text(out, ZERO_WIDTH_SPACE);
        } else if (is_control(c) || is_deceptive(c)) {
            gate_buf_text(out, REPLACEMENT);
        } else {
            escape_keep(out, text, at, step, c);
        }
        at += step;
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
    bool after_blank = true;
    for (size_t at = 0; at < text.len;) {
        uint32_t c = 0;
        size_t step = escape_next(text, at, &c);
        bool is_cut = is_command(text, at, after_blank) || is_reference(text, at);
        after_blank = is_blank(c);
        if (c < 0x80 && c != 0 && strchr("|`*_<>[]\\&#~$", (int)c) != NULL)
            gate_buf_printf(out, "&#%u;", (unsigned)c);
        else if (c == '@')
            gate_buf_text(out, "&#64;" ZERO_WIDTH_SPACE);
        else if (c == '\n' || c == '\r' || c == '\t')
            gate_buf_char(out, ' ');
        else if (is_control(c) || is_deceptive(c))
            gate_buf_text(out, REPLACEMENT);
        else
            escape_keep(out, text, at, step, c);
        gate_buf_text(out, is_cut ? ZERO_WIDTH_SPACE : "");
        at += step;
    }
}

void gate_escape_github(struct gate_buf *out, struct gate_str text, bool property) {
    for (size_t at = 0; at < text.len;) {
        uint32_t c = 0;
        size_t step = escape_next(text, at, &c);
        if (c == '%')
            gate_buf_text(out, "%25");
        else if (c == '\r')
            gate_buf_text(out, "%0D");
        else if (c == '\n')
            gate_buf_text(out, "%0A");
        else if (property && c == ':')
            gate_buf_text(out, "%3A");
        else if (property && c == ',')
            gate_buf_text(out, "%2C");
        else if (is_doubled(text, at, '#'))
            gate_buf_text(out, "#" ZERO_WIDTH_SPACE);
        else if (is_control(c) || is_deceptive(c))
            gate_buf_text(out, REPLACEMENT);
        else
            escape_keep(out, text, at, step, c);
        at += step;
    }
}

void gate_escape_collapsed(struct gate_buf *out, struct gate_str text) {
    bool after_blank = true;
    for (size_t at = 0; at < text.len;) {
        uint32_t c = 0;
        size_t step = escape_next(text, at, &c);
        bool command = is_command(text, at, after_blank);
        after_blank = is_blank(c);
        if (c == ';' || is_control(c) || is_deceptive(c) || command)
            gate_buf_char(out, '_');
        else
            escape_keep(out, text, at, step, c);
        at += step;
    }
}

void gate_escape_openmetrics(struct gate_buf *out, struct gate_str text) {
    gate_buf_char(out, '"');
    for (size_t at = 0; at < text.len;) {
        uint32_t c = 0;
        size_t step = escape_next(text, at, &c);
        if (c == '\\' || c == '"')
            gate_buf_printf(out, "\\%c", (char)c);
        else if (c == '\n')
            gate_buf_text(out, "\\n");
        else if (is_doubled(text, at, '#'))
            gate_buf_text(out, "#" ZERO_WIDTH_SPACE);
        else if (is_control(c))
            gate_buf_text(out, REPLACEMENT);
        else
            escape_keep(out, text, at, step, c);
        at += step;
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

/* Return whether `c` is not shown as it is in YAML. */
static bool is_hidden(uint32_t c) {
    return is_control(c) || is_deceptive(c) || is_unreadable(c);
}

void gate_escape_yaml(struct gate_buf *out, struct gate_str text) {
    for (size_t at = 0; at < text.len;) {
        uint32_t c = 0;
        size_t step = escape_next(text, at, &c);
        if (is_hidden(c))
            gate_buf_text(out, REPLACEMENT);
        else
            escape_keep(out, text, at, step, c);
        gate_buf_text(out, c == '\'' ? "'" : is_doubled(text, at, '#') ? ZERO_WIDTH_SPACE : "");
        at += step;
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
