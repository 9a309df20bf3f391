/* SPDX-License-Identifier: Apache-2.0 */
/* Line breaking for terminal text. */
#include "gate/base/wrap.h"

#include "gate/base/buf.h"

#define ZERO_WIDTH_SPACE "\xE2\x80\x8B"

/* Return the end of the run of characters at `at` that are neither blank nor newline. */
static size_t wrap_letters_end(struct gate_str text, size_t at) {
    while (at < text.len && text.ptr[at] != ' ' && text.ptr[at] != '\n')
        at++;
    return at;
}

/* Return whether `word` is "pp", alone or with punctuation after it. It stays with the number before it. */
static bool wrap_is_unit(struct gate_str word) {
    return gate_str_starts(word, GATE_STR("pp")) && (word.len == 2 || strchr(",.;:)", word.ptr[2]) != NULL);
}

/* Return whether `word` is the first half of an interval, such as "[+4.9,". It stays with the second half. */
static bool wrap_is_half_interval(struct gate_str word) {
    return word.len >= 3 && word.ptr[0] == '[' && strchr("+-0123456789", word.ptr[1]) != NULL &&
           word.ptr[word.len - 1] == ',';
}

/* Return where the word at `at` ends and a line may break. A number includes its unit, and an interval both its
 * ends. */
static size_t wrap_word_end(struct gate_str text, size_t at) {
    size_t from = at, end = wrap_letters_end(text, at);
    while (end + 1 < text.len && text.ptr[end] == ' ') {
        size_t next = wrap_letters_end(text, end + 1);
        if (!wrap_is_unit(gate_str_slice(text, end + 1, next)) &&
            !wrap_is_half_interval(gate_str_slice(text, from, end)))
            break;
        from = end + 1;
        end = next;
    }
    return end;
}

/* Append `text` to `buf` with line breaks. The last line of `buf` starts at offset `line`. */
static void wrap_words(struct gate_buf *buf, size_t line, struct gate_str text, size_t indent, size_t columns) {
    bool is_empty = true;
    for (size_t at = 0; at < text.len;) {
        size_t from = at;
        while (from < text.len && text.ptr[from] == ' ')
            from++;
        size_t end = wrap_word_end(text, from);
        struct gate_str word = gate_str_slice(text, from, end);
        size_t used = gate_str_columns(gate_str_slice(gate_buf_view(buf), line, buf->len));
        bool fits = used + (from - at) + gate_str_columns(word) <= columns;
        if (!fits && !is_empty && word.len > 0) {
            gate_buf_char(buf, '\n');
            line = buf->len;
            gate_buf_repeat(buf, ' ', indent);
            gate_buf_text(buf, gate_str_starts(word, GATE_STR("::")) ? ZERO_WIDTH_SPACE : "");
        } else {
            gate_buf_repeat(buf, ' ', from - at);
        }
        gate_buf_str(buf, word);
        is_empty = is_empty && word.len == 0;
        at = end;
        if (at < text.len && text.ptr[at] == '\n') {
            gate_buf_char(buf, '\n');
            line = buf->len;
            is_empty = true;
            at++;
        }
    }
}

void gate_wrap_since(struct gate_buf *buf, size_t from, size_t indent, size_t columns) {
    struct gate_buf copy = {0};
    if (columns == 0 || buf->failed)
        return;
    gate_buf_str(&copy, gate_str_slice(gate_buf_view(buf), from, buf->len));
    buf->failed = copy.failed;
    if (!copy.failed) {
        buf->len = from;
        wrap_words(buf, from, gate_buf_view(&copy), indent, columns);
    }
    gate_buf_free(&copy);
}
