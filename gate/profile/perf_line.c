/* SPDX-License-Identifier: Apache-2.0 */
/* One line of `perf script` (see perf_line.h). Which fields there are depends on -F and on the kind of event: the time
 * and the colons tell. */
#include "gate/profile/perf_line.h"

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_space(char c) {
    return c == ' ' || c == '\t';
}

/* The next word of `text` from `*at` on; empty at the end. */
static struct gate_str word_next(struct gate_str text, size_t *at) {
    while (*at < text.len && is_space(text.ptr[*at]))
        ++*at;
    size_t start = *at;
    while (*at < text.len && !is_space(text.ptr[*at]))
        ++*at;
    return gate_str_slice(text, start, *at);
}

/* All digits, and not more than 18 of them. */
static bool number_read(int64_t *out, struct gate_str text) {
    *out = 0;
    if (text.len == 0 || text.len > 18)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (!is_digit(text.ptr[i]))
            return false;
        *out = *out * 10 + (text.ptr[i] - '0');
    }
    return true;
}

/* "2100.095570:", with micro- or nanoseconds. */
static bool time_read(int64_t *out, struct gate_str word) {
    size_t point = gate_str_find(word, GATE_STR("."), 0);
    int64_t seconds = 0, fraction = 0;
    if (point == SIZE_MAX || !gate_str_ends(word, GATE_STR(":")))
        return false;
    struct gate_str digits = gate_str_slice(word, point + 1, word.len - 1);
    if (point > 9 || digits.len > 9 || !number_read(&seconds, gate_str_slice(word, 0, point)) ||
        !number_read(&fraction, digits))
        return false;
    for (size_t i = digits.len; i < 9; i++)
        fraction *= 10;
    *out = seconds * 1000000000 + fraction;
    return true;
}

/* "cycles:u:" to "cycles"; "sched:sched_switch:" keeps its colon. */
static struct gate_str event_of(struct gate_str word) {
    struct gate_str name = gate_str_slice(word, 0, word.len - 1);
    size_t end = name.len;
    while (end > 0 && strchr("ukhGHpPSDIWeb", name.ptr[end - 1]) != NULL)
        end--;
    bool has_modifiers = end > 1 && end < name.len && name.ptr[end - 1] == ':';
    return has_modifiers ? gate_str_slice(name, 0, end - 1) : name;
}

static bool is_event(struct gate_str word) {
    return word.len > 1 && gate_str_ends(word, GATE_STR(":"));
}

/* "13768", "13768/13770" or "[001]": what stands between the name and the time. */
static bool is_id(struct gate_str word) {
    size_t digits = 0;
    for (size_t i = 0; i < word.len; i++) {
        if (!is_digit(word.ptr[i]) && strchr("/[]", word.ptr[i]) == NULL)
            return false;
        digits += is_digit(word.ptr[i]);
    }
    return digits != 0;
}

/* The name: all before the ids. */
static struct gate_str comm_of(struct gate_str before) {
    struct gate_str text = gate_str_trim(before);
    for (;;) {
        size_t start = text.len;
        while (start > 0 && !is_space(text.ptr[start - 1]))
            start--;
        if (start == 0 || !is_id(gate_str_slice(text, start, text.len)))
            return text;
        text = gate_str_trim(gate_str_slice(text, 0, start));
    }
}

bool gate_perf_head_read(struct gate_perf_head *out, struct gate_str line) {
    size_t at = 0, before = 0;
    *out = (struct gate_perf_head){.time_ns = -1, .event = GATE_STR(""), .rest = GATE_STR("")};
    struct gate_str word = word_next(line, &at); /* a name at least, whatever it looks like */
    if (word.len == 0)
        return false;
    for (before = at; (word = word_next(line, &at)).len != 0; before = at) {
        if (time_read(&out->time_ns, word))
            break;
        if (is_event(word)) { /* without a time */
            at = before;
            break;
        }
    }
    if (word.len == 0)
        return false;
    out->comm = comm_of(gate_str_slice(line, 0, before));
    size_t back = at;
    word = word_next(line, &at);
    if (number_read(&out->period, word)) {
        back = at;
        word = word_next(line, &at);
    } else {
        out->period = 0;
    }
    if (is_event(word)) {
        out->event = event_of(word);
        back = at;
    }
    out->rest = gate_str_trim(gate_str_slice(line, back, line.len));
    return true;
}

static bool address_read(uint64_t *out, struct gate_str word) {
    *out = 0;
    for (size_t i = 0; i < word.len; i++) {
        char c = word.ptr[i];
        int digit = is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return false;
        *out = *out << 4 | (uint64_t)digit;
    }
    return word.len != 0 && word.len <= 16;
}

/* Where the parenthesis opens that the text ends with, if it stands alone; else the length. Paths hold some, too:
 * "(/usr/lib/libc.so.6 (deleted))". */
static size_t file_start(struct gate_str text) {
    size_t depth = 0;
    if (!gate_str_ends(text, GATE_STR(")")))
        return text.len;
    for (size_t i = text.len; i > 0; i--) {
        depth += text.ptr[i - 1] == ')';
        depth -= text.ptr[i - 1] == '(';
        if (depth == 0)
            return i == 1 || is_space(text.ptr[i - 2]) ? i - 1 : text.len;
    }
    return text.len;
}

/* "isalnum+0x12" to "isalnum". */
static struct gate_str without_offset(struct gate_str name) {
    size_t end = name.len;
    while (end > 0 && (is_digit(name.ptr[end - 1]) || (name.ptr[end - 1] >= 'a' && name.ptr[end - 1] <= 'f')))
        end--;
    bool has_offset = end < name.len && end > 3 && memcmp(name.ptr + end - 3, "+0x", 3) == 0;
    return has_offset ? gate_str_slice(name, 0, end - 3) : name;
}

bool gate_perf_frame_read(struct gate_perf_frame *out, struct gate_str line) {
    size_t at = 0;
    const struct gate_str unknown = GATE_STR("[unknown]"), empty = GATE_STR("");
    if (!address_read(&out->address, word_next(line, &at)))
        return false;
    struct gate_str text = gate_str_trim(gate_str_slice(line, at, line.len));
    size_t start = file_start(text);
    struct gate_str name = without_offset(gate_str_trim(gate_str_slice(text, 0, start)));
    struct gate_str file =
        start == text.len ? empty : gate_str_slice(text, start + 1, text.len - 1); /* without its parentheses */
    bool is_file = !gate_str_equal(file, unknown) && !gate_str_equal(file, GATE_STR("inlined"));
    out->name = gate_str_equal(name, unknown) ? empty : name;
    out->file = is_file ? file : empty;
    return text.len != 0;
}
