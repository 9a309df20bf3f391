/* SPDX-License-Identifier: Apache-2.0 */
/* Escaping (see escape.h). Every function walks UTF-8 once; ill-formed bytes become U+FFFD. */
#include "gate/base/escape.h"

#define REPLACEMENT "\xEF\xBF\xBD"
#define ZERO_WIDTH_SPACE "\xE2\x80\x8B"

/* Next code point of `text`; ill-formed bytes count as one U+FFFD each. */
static size_t escape_next(struct gate_str text, size_t at, uint32_t *c) {
    size_t step = gate_utf8_decode(text, at, c);
    if (step == 0) {
        *c = 0xFFFD;
        return 1;
    }
    return step;
}

/* As it stood, or U+FFFD when it was ill-formed. */
static void escape_keep(struct gate_buf *out, struct gate_str text, size_t at, size_t step, uint32_t c) {
    if (c == 0xFFFD)
        gate_buf_text(out, REPLACEMENT);
    else
        gate_buf_bytes(out, text.ptr + at, step);
}

static bool is_control(uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

/* Marks that reorder or hide what is around them on a line. */
static bool is_deceptive(uint32_t c) {
    return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F || c == 0x2028 ||
           c == 0x2029;
}

void gate_escape_json(struct gate_buf *out, struct gate_str text) {
    gate_buf_char(out, '"');
    for (size_t at = 0; at < text.len;) {
        uint32_t c = 0;
        size_t step = escape_next(text, at, &c);
        if (c == '"' || c == '\\')
            gate_buf_printf(out, "\\%c", (char)c);
        else if (c == '\n')
            gate_buf_text(out, "\\n");
        else if (c == '\t')
            gate_buf_text(out, "\\t");
        else if (is_control(c) || c == '<' || is_deceptive(c))
            gate_buf_printf(out, "\\u%04x", (unsigned)c);
        else
            escape_keep(out, text, at, step, c);
        at += step;
    }
    gate_buf_char(out, '"');
}

void gate_escape_xml(struct gate_buf *out, struct gate_str text) {
    for (size_t at = 0; at < text.len;) {
        uint32_t c = 0;
        size_t step = escape_next(text, at, &c);
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
        else if (is_control(c) || is_deceptive(c) || c == 0xFFFE || c == 0xFFFF)
            gate_buf_text(out, REPLACEMENT);
        else
            escape_keep(out, text, at, step, c);
        at += step;
    }
}

void gate_escape_terminal(struct gate_buf *out, struct gate_str text) {
    for (size_t at = 0; at < text.len;) {
        uint32_t c = 0;
        size_t step = escape_next(text, at, &c);
        bool command = (at == 0 && gate_str_starts(text, GATE_STR("::"))) ||
                       (c == '#' && gate_str_starts(gate_str_slice(text, at, text.len), GATE_STR("##")));
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

void gate_escape_markdown(struct gate_buf *out, struct gate_str text) {
    for (size_t at = 0; at < text.len;) {
        uint32_t c = 0;
        size_t step = escape_next(text, at, &c);
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
        else if (c == '#' && gate_str_starts(gate_str_slice(text, at, text.len), GATE_STR("##[")))
            gate_buf_text(out, "#" ZERO_WIDTH_SPACE);
        else if (is_control(c) || is_deceptive(c))
            gate_buf_text(out, REPLACEMENT);
        else
            escape_keep(out, text, at, step, c);
        at += step;
    }
}

void gate_escape_collapsed(struct gate_buf *out, struct gate_str text) {
    for (size_t at = 0; at < text.len;) {
        uint32_t c = 0;
        size_t step = escape_next(text, at, &c);
        if (c == ';' || is_control(c) || is_deceptive(c))
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
        else if (is_control(c))
            gate_buf_text(out, REPLACEMENT);
        else
            escape_keep(out, text, at, step, c);
        at += step;
    }
    gate_buf_char(out, '"');
}
