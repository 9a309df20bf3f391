/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/formats/perf_script.h"

#include "gate/base/str.h"
#include "gate/formats/perf_events.h"
#include "gate/formats/reader.h"
#include "gate/formats/text_line.h"
#include "gate/model/limits.h"

/* ---- one line of `perf script` --------------------------------------------------------------------------------------
 *
 * Its fields depend on -F and on the kind of event; they are recognised by the time and the colons. */

static bool is_space(char c) {
    return c == ' ' || c == '\t';
}

/* Return the next word of `text` from `*at` on; empty at the end. */
static struct gate_str word_next(struct gate_str text, size_t *at) {
    while (*at < text.len && is_space(text.ptr[*at]))
        ++*at;
    size_t start = *at;
    while (*at < text.len && !is_space(text.ptr[*at]))
        ++*at;
    return gate_str_slice(text, start, *at);
}

/* Parse a number of 1 to 18 digits. */
static bool number_read(int64_t *out, struct gate_str text) {
    *out = 0;
    if (text.len == 0 || text.len > 18)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (!gate_is_digit(text.ptr[i]))
            return false;
        *out = *out * 10 + (text.ptr[i] - '0');
    }
    return true;
}

/* Parse "2100.095570:", with up to 9 decimals. */
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

static bool is_event(struct gate_str word) {
    return word.len > 1 && gate_str_ends(word, GATE_STR(":"));
}

/* Return true for a field between the name and the time: "13768", "13768/13770" or "[001]". */
static bool is_id(struct gate_str word) {
    size_t digits = 0;
    for (size_t i = 0; i < word.len; i++) {
        if (!gate_is_digit(word.ptr[i]) && strchr("/[]", word.ptr[i]) == NULL)
            return false;
        digits += gate_is_digit(word.ptr[i]);
    }
    return digits != 0;
}

/* Return the thread name: the text before the ids. */
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

static bool named_head_read(struct gate_perf_head *out, struct gate_str line) {
    size_t at = 0, before = 0;
    *out = (struct gate_perf_head){.time_ns = -1, .event = GATE_STR(""), .rest = GATE_STR("")};
    struct gate_str word = word_next(line, &at); /* the first word is always part of the name */
    if (word.len == 0)
        return false;
    for (before = at; (word = word_next(line, &at)).len != 0; before = at) {
        if (time_read(&out->time_ns, word))
            break;
        if (is_event(word)) { /* the header has no time */
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
        out->event = gate_perf_event_name(gate_str_slice(word, 0, word.len - 1));
        back = at;
    }
    out->rest = gate_str_trim(gate_str_slice(line, back, line.len));
    return true;
}

static bool address_read(uint64_t *out, struct gate_str word) {
    *out = 0;
    for (size_t i = 0; i < word.len; i++) {
        char c = word.ptr[i];
        int digit = gate_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return false;
        *out = *out << 4 | (uint64_t)digit;
    }
    return word.len != 0 && word.len <= 16;
}

/* Return the start of the file in parentheses at the end of the text, or the length if there is none. Paths may
 * contain parentheses: "(/usr/lib/libc.so.6 (deleted))". */
static size_t file_start(struct gate_str text) {
    size_t open = gate_text_parenthesis(text);
    return open == 0 || is_space(text.ptr[open - 1]) ? open : text.len;
}

bool gate_perf_frame_read(struct gate_perf_frame *out, struct gate_str line) {
    size_t at = 0;
    const struct gate_str unknown = GATE_STR("[unknown]"), empty = GATE_STR("");
    if (!address_read(&out->address, word_next(line, &at)))
        return false;
    struct gate_str text = gate_str_trim(gate_str_slice(line, at, line.len));
    size_t start = file_start(text);
    struct gate_str name = gate_text_without_offset(gate_str_trim(gate_str_slice(text, 0, start)));
    struct gate_str file =
        start == text.len ? empty : gate_str_slice(text, start + 1, text.len - 1); /* without its parentheses */
    bool is_file = !gate_str_equal(file, unknown) && !gate_str_equal(file, GATE_STR("inlined"));
    out->name = gate_str_equal(name, unknown) ? empty : name;
    out->file = is_file ? file : empty;
    return text.len != 0;
}

/* Read "cycles:u:" and perhaps a frame, which is a header without a name (-F event,ip,sym). */
static bool event_head_read(struct gate_perf_head *out, struct gate_str line) {
    size_t at = 0;
    struct gate_perf_frame frame;
    struct gate_str word = word_next(line, &at);
    struct gate_str rest = gate_str_trim(gate_str_slice(line, at, line.len));
    if (!is_event(word) || (rest.len != 0 && !gate_perf_frame_read(&frame, rest)))
        return false;
    *out = (struct gate_perf_head){.time_ns = -1,
                                   .comm = GATE_STR(""),
                                   .event = gate_perf_event_name(gate_str_slice(word, 0, word.len - 1)),
                                   .rest = rest};
    return true;
}

bool gate_perf_head_read(struct gate_perf_head *out, struct gate_str line) {
    return named_head_read(out, line) || event_head_read(out, line);
}

/* ---- conversion to pprof: the first pass over the lines finds the events, the second one adds the samples -------- */

enum { SNIFF_BYTES = 64 * 1024 };

struct script {
    struct gate_builder *builder;
    struct gate_perf_events events;
    bool is_flat;       /* frames are not indented */
    bool has_offsets;   /* addresses of frames in files are offsets in these files: perf 6.1 */
    bool has_addresses; /* they are addresses of the process: other versions */
    /* The sample whose frames are being read. */
    struct gate_perf_head head;
    bool is_open;
};

/* Read the next line without its line end, but with leading white space. Returns false at the end. */
static bool line_next(struct gate_str *rest, struct gate_str *line) {
    if (!gate_str_line_next(rest, line))
        return false;
    while (line->len != 0 && strchr("\r \t", line->ptr[line->len - 1]) != NULL)
        line->len--;
    return true;
}

static bool is_indented(struct gate_str line) {
    return line.len != 0 && (line.ptr[0] == ' ' || line.ptr[0] == '\t');
}

static bool is_comment(struct gate_str line) {
    return line.len != 0 && line.ptr[0] == '#';
}

/* Return true for a header with a time and an event, which no frame has. */
static bool is_sure_head(struct gate_perf_head *head, struct gate_str line) {
    return gate_perf_head_read(head, line) && head->time_ns >= 0 && head->event.len != 0;
}

/* Return true if the frames of `text` are not indented, as where a log or an editor removed white space. O(bytes). */
static bool is_flat_text(struct gate_str text) {
    struct gate_str line;
    struct gate_perf_head head;
    struct gate_perf_frame frame;
    bool has_head = false;
    while (line_next(&text, &line)) {
        if (line.len == 0 || is_comment(line))
            continue;
        if (has_head && is_indented(line) && gate_perf_frame_read(&frame, line))
            return false;
        if (has_head && gate_perf_frame_read(&frame, line) && !is_sure_head(&head, line))
            return true;
        has_head = gate_perf_head_read(&head, line);
    }
    return false;
}

/*
 * Return true if `text` contains the header of a sample and a frame. The header has a time or an event. The frame is
 * an address with a symbol, in the same or the next line. Comments may come first. O(first 64 KiB).
 */
static bool perf_script_sniff(struct gate_str text) {
    struct gate_str rest = gate_str_slice(text, 0, SNIFF_BYTES), line;
    bool is_flat = is_flat_text(rest);
    struct gate_perf_head head;
    struct gate_perf_frame frame;
    bool has_head = false;
    while (line_next(&rest, &line)) {
        if (line.len == 0 || is_comment(line))
            continue;
        if (has_head && (is_flat || is_indented(line)) && gate_perf_frame_read(&frame, line) &&
            (!is_flat || frame.name.len != 0))
            return true;
        if (!gate_perf_head_read(&head, line) || head.event.len == 0)
            return false;
        if (head.time_ns >= 0 && gate_perf_frame_read(&frame, head.rest) && frame.file.len != 0)
            return true;
        has_head = true; /* the stack may be empty, and text after a tracepoint is not a frame */
    }
    return false;
}

/* Detect whether frames have offsets or addresses. An address below 256 MiB in a library can only be an offset, and an
 * address from 1 TiB on cannot be an offset, since no file is that large. The addresses of a program show nothing,
 * because it may be loaded at a low address. */
static void address_note(struct script *script, const struct gate_perf_frame *frame) {
    const uint64_t low = UINT64_C(1) << 28, high = UINT64_C(1) << 40;
    bool is_library =
        gate_str_ends(frame->file, GATE_STR(".so")) || gate_str_find(frame->file, GATE_STR(".so."), 0) != SIZE_MAX;
    if (frame->file.len == 0 || frame->file.ptr[0] != '/' || gate_str_starts(frame->file, GATE_STR("//anon")))
        return;
    script->has_addresses |= frame->address >= high;
    script->has_offsets |= is_library && frame->address < low;
}

/* Return the mapping of a frame, and change `*address` to one in that mapping. In a header, the address is one of the
 * process. In a stack, it is too, unless this version of perf printed offsets in files. */
static struct gate_mapping mapping_of(uint64_t *address, const struct script *script, struct gate_str file,
                                      bool is_header) {
    struct gate_mapping mapping = {.file = file, .build_id = GATE_STR("")};
    if (is_header || script->has_addresses || file.len == 0 || file.ptr[0] != '/' || *address > INT64_MAX / 2)
        return mapping;
    *address += GATE_FILE_BASE;
    mapping.start = GATE_FILE_BASE;
    mapping.limit = script->has_offsets ? GATE_FILE_LIMIT : GATE_FILE_BASE;
    return mapping;
}

static bool frame_push(struct script *script, const struct gate_perf_frame *frame, bool is_header,
                       struct gate_error *err) {
    struct gate_builder *builder = script->builder;
    uint64_t address = frame->address;
    struct gate_mapping mapping = mapping_of(&address, script, frame->file, is_header);
    uint64_t location = gate_builder_frame_in(builder, &mapping, address, frame->name, GATE_STR(""), 0);
    return gate_builder_push(builder, location, err) && (!builder->is_full || gate_arena_error(builder->arena, err));
}

static bool sample_close(struct script *script, struct gate_error *err) {
    int64_t values[GATE_VALUES_MAX] = {0};
    struct gate_label label = {.key = GATE_STR("comm"), .text = script->head.comm};
    struct gate_builder_sample sample = {.locations = script->builder->stack,
                                         .depth = script->builder->depth,
                                         .values = values,
                                         .labels = &label,
                                         .label_count = script->head.comm.len != 0};
    if (!script->is_open)
        return true;
    const struct gate_perf_event *event = gate_perf_events_find(&script->events, script->head.event);
    script->is_open = false;
    script->builder->depth = 0;
    values[event->samples] = 1;
    if (event->has_periods)
        values[event->periods] = script->head.period;
    return gate_builder_sample(script->builder, &sample, err);
}

/* Handle the header of a sample. If no stacks were recorded, it contains one frame. */
static bool head_add(struct script *script, bool is_first, struct gate_error *err) {
    struct gate_perf_frame frame;
    if (is_first)
        return gate_perf_events_note(&script->events, script->head.event, script->head.period, script->head.time_ns,
                                     err);
    script->is_open = true;
    if (!gate_perf_frame_read(&frame, script->head.rest) || (frame.file.len == 0 && frame.name.len == 0))
        return true;
    return frame_push(script, &frame, true, err);
}

/* Return true for the header of a sample. A line that may be a frame is one only if it has a time and an event. */
static bool is_head(struct gate_perf_head *head, struct gate_str line, bool in_stack, bool is_flat) {
    struct gate_perf_frame frame;
    bool may_be_frame = in_stack && (is_flat ? gate_perf_frame_read(&frame, line) : is_indented(line));
    return may_be_frame ? is_sure_head(head, line) : gate_perf_head_read(head, line);
}

/* Handle a line that is not empty. Indented lines that are not frames are ignored: source lines (-F +srcline), or
 * other output below a frame. */
static bool line_add(struct script *script, struct gate_str line, bool is_first, bool *in_stack,
                     struct gate_error *err) {
    struct gate_perf_head head;
    struct gate_perf_frame frame;
    if (is_head(&head, line, *in_stack, script->is_flat)) {
        if (!is_first && !sample_close(script, err))
            return false;
        script->head = head;
        *in_stack = true;
        return head_add(script, is_first, err);
    }
    if (!*in_stack || (!script->is_flat && !is_indented(line)))
        return gate_error_set(err, GATE_ERR_FORMAT, "expected 'NAME PID TIME: PERIOD EVENT:', found '%.*s'",
                              (int)(line.len > 80 ? 80 : line.len), line.ptr);
    if (!gate_perf_frame_read(&frame, line))
        return true;
    if (is_first)
        address_note(script, &frame);
    return is_first || frame_push(script, &frame, false, err);
}

/* Read all lines: the first pass notes the events, the second one adds samples. */
static bool lines_read(struct script *script, struct gate_str rest, bool is_first, struct gate_error *err) {
    struct gate_str line;
    bool in_stack = false;
    for (uint64_t number = 1; line_next(&rest, &line); number++) {
        if (is_comment(line))
            continue;
        in_stack &= line.len != 0;
        if (line.len == 0 ? !is_first && !sample_close(script, err) : !line_add(script, line, is_first, &in_stack, err))
            return gate_error_prefix(err, "line %llu", (unsigned long long)number);
    }
    return is_first || sample_close(script, err);
}

/*
 * Convert to pprof. gate_perf_events_columns documents the columns. The thread's name becomes the label "comm"; a
 * frame's file becomes its mapping. `limits` has no zeros (gate_limits_fill).
 *
 * err   GATE_ERR_FORMAT: with the line, what was expected and what was found; GATE_ERR_LIMIT; GATE_ERR_OVERFLOW
 *
 * O(bytes).
 */
static bool perf_script_fill(struct gate_builder *builder, struct gate_str bytes, const struct gate_limits *limits,
                             struct gate_error *err) {
    struct script *script = GATE_NEW_ARRAY(builder->arena, struct script, 1);
    (void)limits;
    if (script == NULL)
        return gate_arena_error(builder->arena, err);
    *script =
        (struct script){.builder = builder, .events = {.first_ns = -1, .last_ns = -1}, .is_flat = is_flat_text(bytes)};
    if (!lines_read(script, bytes, true, err))
        return false;
    if (script->events.count == 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "text of perf script, but no line of it names a sample");
    return gate_perf_events_columns(&script->events, builder, err) && lines_read(script, bytes, false, err);
}

const struct gate_reader gate_perf_script_reader = {
    .name = "perf script text",
    .is_text = true,
    .sniff = perf_script_sniff,
    .format = GATE_FORMAT_PERF_SCRIPT,
    .fill = perf_script_fill,
};
