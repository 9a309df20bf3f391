/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of collapsed stacks ("a;b;c 12"), as written by stackcollapse scripts, and of austin text: collapsed stacks
 * with a header and times. */
#include "gate/formats/collapsed.h"

#include "gate/base/str.h"
#include "gate/formats/builder.h"
#include "gate/formats/reader.h"
#include "gate/formats/text_line.h"

/* ---- processes and threads before a collapsed stack -------------------------------------------------------------- */

static size_t segment_end(struct gate_str stack, size_t from) {
    size_t end = gate_str_find(stack, GATE_STR(";"), from);
    return end == SIZE_MAX ? stack.len : end;
}

/* Remove the text before `end`, and the ';' after it, from the stack and add it as a label. */
static void origin_take(struct gate_collapsed_origin *origin, struct gate_str *stack, size_t end, struct gate_str key,
                        struct gate_str text) {
    origin->labels[origin->label_count++] = (struct gate_label){.key = key, .text = text, .unit = GATE_STR("")};
    *stack = gate_str_slice(*stack, end < stack->len ? end + 1 : end, stack->len);
}

static bool digits_only(struct gate_str text) {
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
    return text.len != 0;
}

/* process 12:"python shop.py" */
static void process_cut(struct gate_collapsed_origin *origin, struct gate_str *stack) {
    const struct gate_str mark = GATE_STR("process "), quote = GATE_STR(":\"");
    size_t colon = gate_str_find(*stack, quote, 0);
    if (!gate_str_starts(*stack, mark) || colon == SIZE_MAX || !digits_only(gate_str_slice(*stack, mark.len, colon)))
        return;
    size_t first = colon + quote.len; /* a command may contain ';' and quotes, but rarely a quote directly before ';' */
    size_t end = gate_str_find(*stack, GATE_STR("\";"), first);
    if (end == SIZE_MAX && gate_str_ends(*stack, GATE_STR("\"")) && stack->len > first)
        end = stack->len - 1;
    if (end != SIZE_MAX)
        origin_take(origin, stack, end + 1, GATE_STR("process"), gate_str_slice(*stack, first, end));
}

/* thread (7): Name, thread (0x7F12) */
static void thread_cut(struct gate_collapsed_origin *origin, struct gate_str *stack) {
    const struct gate_str mark = GATE_STR("thread (");
    uint64_t number = 0;
    struct gate_str rest = gate_str_slice(*stack, mark.len, stack->len);
    if (!gate_str_starts(*stack, mark) || !gate_text_hex(&rest, &number) || !gate_text_mark(&rest, ')'))
        return;
    size_t behind = stack->len - rest.len;
    size_t end = segment_end(*stack, behind);
    if (!gate_str_starts(rest, GATE_STR(":"))) {
        if (end == behind)
            origin_take(origin, stack, end, GATE_STR("thread"), gate_str_slice(*stack, mark.len, behind - 1));
        return;
    }
    while (end < stack->len) { /* the name continues after ';' unless a frame follows */
        size_t next = segment_end(*stack, end + 1);
        if (next == stack->len || stack->ptr[next - 1] == ')')
            break;
        end = next;
    }
    origin_take(origin, stack, end, GATE_STR("thread"), gate_str_trim(gate_str_slice(*stack, behind + 1, end)));
}

/* [Name tid=7] */
static void bracket_cut(struct gate_collapsed_origin *origin, struct gate_str *stack) {
    const struct gate_str mark = GATE_STR(" tid=");
    size_t at = gate_str_starts(*stack, GATE_STR("[")) ? gate_str_find(*stack, mark, 1) : SIZE_MAX;
    if (at == SIZE_MAX)
        return;
    size_t end = segment_end(*stack, at);
    if (end < at + mark.len + 2 || stack->ptr[end - 1] != ']' ||
        !digits_only(gate_str_slice(*stack, at + mark.len, end - 1)))
        return;
    origin_take(origin, stack, end, GATE_STR("thread"), gate_str_slice(*stack, 1, at));
}

/* tid:7 */
static void tid_cut(struct gate_collapsed_origin *origin, struct gate_str *stack) {
    const struct gate_str mark = GATE_STR("tid:");
    size_t end = segment_end(*stack, 0);
    struct gate_str number = gate_str_slice(*stack, mark.len, end);
    if (!gate_str_starts(*stack, mark) || !digits_only(number))
        return;
    origin->is_cpython = true;
    origin_take(origin, stack, end, GATE_STR("thread"), number);
}

struct gate_collapsed_origin gate_collapsed_origin_cut(struct gate_str *stack) {
    struct gate_collapsed_origin origin = {0};
    process_cut(&origin, stack);
    uint32_t processes = origin.label_count;
    thread_cut(&origin, stack);
    if (origin.label_count == processes)
        bracket_cut(&origin, stack);
    if (origin.label_count == processes)
        tid_cut(&origin, stack);
    return origin;
}

/* Return the position of the last ':' before `end`, or SIZE_MAX. */
static size_t colon_before(struct gate_str text, size_t end) {
    while (end > 0 && text.ptr[end - 1] != ':')
        end--;
    return end == 0 ? SIZE_MAX : end - 1;
}

bool gate_collapsed_origin_frame(struct gate_str *function, struct gate_str *file, int64_t *line,
                                 struct gate_str frame) {
    size_t last = colon_before(frame, frame.len);
    size_t first = last == SIZE_MAX ? SIZE_MAX : colon_before(frame, last);
    struct gate_str number = gate_str_slice(frame, last == SIZE_MAX ? frame.len : last + 1, frame.len);
    if (first == SIZE_MAX || first == 0 || first + 1 == last || !gate_text_is_number(number, line))
        return false;
    *file = gate_str_slice(frame, 0, first);
    *function = gate_str_slice(frame, first + 1, last);
    return true;
}

/* ---- reader ------------------------------------------------------------------------------------------------------ */

enum { SNIFF_LINES = 10, SNIFF_BYTES = 64 * 1024 };

/* Split "a;b;c 42" into stack and count. The stack may be empty, because py-spy writes only a count for an empty stack.
 * The leaf may have an empty or blank name. Returns false for other lines. */
static bool line_split(struct gate_str line, struct gate_str *stack, int64_t *count) {
    size_t at = line.len;
    *count = 0;
    while (at > 0 && gate_is_digit(line.ptr[at - 1]))
        at--;
    if (at == line.len || (at > 0 && line.ptr[at - 1] != ' ' && line.ptr[at - 1] != '\t'))
        return false;
    for (size_t i = at; i < line.len; i++)
        if (__builtin_mul_overflow(*count, 10, count) || __builtin_add_overflow(*count, line.ptr[i] - '0', count))
            return false;
    struct gate_str whole = gate_str_slice(line, 0, at == 0 ? 0 : at - 1); /* without the space before the count */
    *stack = gate_str_trim(whole);
    if (gate_str_ends(*stack, GATE_STR(";")))
        *stack = gate_str_slice(whole, (size_t)(stack->ptr - whole.ptr), whole.len);
    return true;
}

/* Return the count of "a;b;c 1.5", or an empty text if the line does not end with a fraction. */
static struct gate_str line_fraction(struct gate_str line) {
    size_t at = line.len;
    uint32_t points = 0;
    while (at > 0 && (gate_is_digit(line.ptr[at - 1]) || line.ptr[at - 1] == '.'))
        points += line.ptr[--at] == '.';
    bool is_word = at > 0 && (line.ptr[at - 1] == ' ' || line.ptr[at - 1] == '\t');
    return gate_str_slice(line, points == 1 && is_word && line.len - at > 1 ? at : line.len, line.len);
}

/* Return true if the line is certainly a stack: at least two frames and a count. The reader reports errors in later
 * lines. */
static bool is_sure(struct gate_str line) {
    struct gate_str stack;
    int64_t count = 0;
    return memchr(line.ptr, ';', line.len) != NULL &&
           (line_split(line, &stack, &count) || line_fraction(line).len != 0);
}

/* Return true for empty lines and comments. A line that starts with '#' may be a stack: Julia's closures do. */
static bool is_skipped(struct gate_str line) {
    struct gate_str stack;
    int64_t count = 0;
    return line.len == 0 || (line.ptr[0] == '#' && !line_split(line, &stack, &count) && !is_sure(line));
}

/* Return whether a stack without ';' is a frame as py-spy writes it: "<module> (loop.py:3)". */
static bool is_script_frame(struct gate_str stack) {
    size_t at = stack.len;
    if (!gate_str_ends(stack, GATE_STR(")")))
        return false;
    for (at--; at > 0 && gate_is_digit(stack.ptr[at - 1]); at--)
        ;
    return at > 0 && at + 1 < stack.len && stack.ptr[at - 1] == ':' &&
           gate_str_find(stack, GATE_STR(" ("), 0) != SIZE_MAX;
}

/* Return true if the first lines all end with a count, and one of them contains ';' or is a frame of a script. */
static bool collapsed_sniff(struct gate_str bytes) {
    struct gate_str rest = gate_str_slice(bytes, 0, SNIFF_BYTES);
    struct gate_str line, stack;
    bool is_cut = rest.len < bytes.len;
    bool found = false;
    int64_t count = 0;
    for (uint32_t seen = 0; gate_text_line_next(&rest, &line);) {
        if (is_skipped(line) || (is_cut && rest.len == 0))
            continue;
        if (seen == 0 && is_sure(line))
            return true;
        if (seen++ < SNIFF_LINES && !line_split(line, &stack, &count))
            return false;
        found |=
            memchr(line.ptr, ';', line.len) != NULL || (line_split(line, &stack, &count) && is_script_frame(stack));
    }
    return found;
}

/* Split a frame of py-spy: "price (shop/cart.py:30)". */
static bool pyspy_split(struct gate_str *function, struct gate_str *file, int64_t *line, struct gate_str frame) {
    size_t open = gate_str_find(frame, GATE_STR(" ("), 0), colon = colon_before(frame, frame.len);
    if (open == 0 || open == SIZE_MAX || colon == SIZE_MAX || colon < open + 3 || frame.ptr[frame.len - 1] != ')' ||
        !gate_text_is_number(gate_str_slice(frame, colon + 1, frame.len - 1), line))
        return false;
    *function = gate_str_slice(frame, 0, open);
    *file = gate_str_slice(frame, open + 2, colon);
    return gate_str_ends(*file, GATE_STR(".py")) || gate_str_ends(*file, GATE_STR(".pyx"));
}

/* Add a frame. A function of Python is called "price (shop/cart.py)": in another file, `price` is another function. */
static uint64_t frame_add(struct gate_builder *builder, struct gate_str frame, bool is_cpython) {
    struct gate_str function, file;
    int64_t line = 0;
    if (!(is_cpython && gate_collapsed_origin_frame(&function, &file, &line, frame)) &&
        !pyspy_split(&function, &file, &line, frame))
        return gate_builder_frame(builder, frame, GATE_STR(""), 0);
    const struct gate_str parts[] = {function, GATE_STR(" ("), file, GATE_STR(")")};
    struct gate_str name = gate_str_concat(builder->arena, parts, sizeof parts / sizeof *parts);
    builder->is_full |= name.ptr == NULL;
    return builder->is_full ? 0 : gate_builder_frame(builder, name, file, line);
}

static bool stack_add(struct gate_builder *builder, struct gate_str stack, int64_t count, struct gate_error *err) {
    struct gate_collapsed_origin origin = gate_collapsed_origin_cut(&stack);
    size_t end = stack.len == 0 ? SIZE_MAX : stack.len;
    builder->depth = 0;
    while (end != SIZE_MAX) { /* from the leaf, which is last, to the root */
        size_t start = gate_str_behind_last(gate_str_slice(stack, 0, end), ';');
        struct gate_str frame = gate_str_slice(stack, start, end);
        if (!gate_builder_push(builder, frame_add(builder, frame, origin.is_cpython), err))
            return false;
        end = start == 0 ? SIZE_MAX : start - 1;
    }
    struct gate_builder_sample sample = {.locations = builder->stack,
                                         .depth = builder->depth,
                                         .values = &count,
                                         .labels = origin.labels,
                                         .label_count = origin.label_count};
    return gate_builder_sample(builder, &sample, err);
}

/*
 * Convert collapsed stacks to pprof: lines of "root;caller;leaf 42", as samples/count. Lines that start with
 * '#' are comments. A process and a thread before the root become labels. See gate_format_fill in
 * formats/reader.h.
 */
static bool collapsed_fill(struct gate_builder *builder, struct gate_str bytes, const struct gate_limits *limits,
                           struct gate_error *err) {
    struct gate_str line, stack;
    int64_t count = 0, ignored = 0;
    (void)limits;
    gate_builder_type(builder, GATE_STR("samples"), GATE_STR("count"));
    for (uint64_t number = 1; gate_text_line_next(&bytes, &line); number++) {
        if (is_skipped(line))
            continue;
        if (line_fraction(line).len != 0)
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "line %llu: the count '%.*s' is a fraction; counts are whole numbers: "
                                  "write them in a smaller unit",
                                  (unsigned long long)number, GATE_STR_ARG(gate_str_slice(line_fraction(line), 0, 40)));
        if (!line_split(line, &stack, &count))
            return gate_error_set(err, GATE_ERR_FORMAT, "line %llu: expected 'root;caller;leaf COUNT', found '%.*s'",
                                  (unsigned long long)number, (int)(line.len > 80 ? 80 : line.len), line.ptr);
        if (line_split(stack, &stack, &ignored))
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "line %llu: two counts, as difffolded.pl writes them: give both inputs separately",
                                  (unsigned long long)number);
        if (!stack_add(builder, stack, count, err))
            return false;
    }
    return builder->sample_count != 0 || gate_error_set(err, GATE_ERR_FORMAT, "no line holds a stack");
}

const struct gate_reader gate_collapsed_reader = {
    .name = "collapsed stacks",
    .is_text = true,
    .sniff = collapsed_sniff,
    .format = GATE_FORMAT_COLLAPSED,
    .preempted_languages = 1u << GATE_LANGUAGE_PYTHON,
    .fill = collapsed_fill,
};

/* ---- reader of austin text (austin 3) ---------------------------------------------------------------------------- */

enum mode { MODE_WALL, MODE_CPU, MODE_FULL };

enum { NS_PER_US = 1000 };

struct reading {
    struct gate_builder *builder;
    enum mode mode;
    uint64_t line_number;
};

/* Read the line "# mode: wall", which decides the columns. Other lines of the header are ignored. */
static bool header_read(struct reading *reading, struct gate_str line, struct gate_error *err) {
    static const char *const names[] = {[MODE_WALL] = "wall", [MODE_CPU] = "cpu", [MODE_FULL] = "full"};
    struct gate_builder *builder = reading->builder;
    const struct gate_str key = GATE_STR("# mode:");
    if (!gate_str_starts(line, key))
        return true;
    if (builder->type_count != 0)
        return gate_text_unexpected(reading->line_number, "one mode: the file has several recordings", line, err);
    struct gate_str name = gate_str_trim(gate_str_slice(line, key.len, line.len));
    if (gate_str_equal(name, GATE_STR("memory")))
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "a memory profile of austin, which has what the process grew by between samples: record "
                              "without --memory");
    for (int mode = MODE_WALL; mode <= MODE_FULL; mode++) {
        if (!gate_str_equal(name, gate_str_from(names[mode])))
            continue;
        reading->mode = (enum mode)mode;
        gate_builder_type(builder, GATE_STR("samples"), GATE_STR("count"));
        if (mode != MODE_CPU)
            gate_builder_type(builder, GATE_STR("wall"), GATE_STR("nanoseconds"));
        if (mode != MODE_WALL)
            gate_builder_type(builder, GATE_STR("cpu"), GATE_STR("nanoseconds"));
        return true;
    }
    return gate_text_unexpected(reading->line_number, "the mode wall, cpu or full", name, err);
}

/* Read the metrics at the end of a line. Usually one number: "1893" microseconds. A full profile has three,
 * "1893,0,-503808": microseconds, 1 if the thread was idle, and bytes. */
static bool times_read(struct reading *reading, struct gate_str text, int64_t *values, struct gate_error *err) {
    struct gate_str rest = text;
    int64_t time_us = 0, is_idle = 0, bytes = 0, time_ns = 0;
    bool ok = gate_text_number(&rest, &time_us) && time_us >= 0;
    if (ok && reading->mode == MODE_FULL)
        ok = gate_text_mark(&rest, ',') && gate_text_number(&rest, &is_idle) && gate_text_mark(&rest, ',') &&
             gate_text_number(&rest, &bytes);
    if (!ok || rest.len != 0)
        return gate_text_unexpected(reading->line_number,
                                    reading->mode == MODE_FULL ? "'STACK TIME,IDLE,BYTES'" : "'STACK TIME'", text, err);
    if (__builtin_mul_overflow(time_us, NS_PER_US, &time_ns))
        return gate_error_set(err, GATE_ERR_OVERFLOW, "line %llu: its time does not fit in 64 bits",
                              (unsigned long long)reading->line_number);
    values[0] = 1;
    values[1] = time_ns;
    values[2] = is_idle != 0 ? 0 : time_ns;
    return true;
}

/* Add the frame "shop.py:encode:40", or one of austin's own, such as ":GC:". */
static uint64_t austin_frame_add(struct gate_builder *builder, struct gate_str frame) {
    struct gate_str function = frame, file = GATE_STR("");
    int64_t line = 0;
    if (frame.len > 2 && gate_str_starts(frame, GATE_STR(":")) && gate_str_ends(frame, GATE_STR(":")))
        return gate_builder_frame(builder, gate_str_slice(frame, 1, frame.len - 1), file, 0);
    if (!gate_collapsed_origin_frame(&function, &file, &line, frame) || line < 0 || line > INT32_MAX)
        return gate_builder_frame(builder, gate_str_trim(frame), GATE_STR(""), 0);
    return gate_builder_frame(builder, function, file, line);
}

/* Remove "P15357;T0:15357" and the ';' after it. The numbers differ in each run. */
static bool origin_cut(struct gate_str *stack) {
    size_t process = gate_str_find(*stack, GATE_STR(";T"), 0);
    if (!gate_str_starts(*stack, GATE_STR("P")) || process == SIZE_MAX)
        return false;
    size_t end = gate_str_find(*stack, GATE_STR(";"), process + 1);
    *stack = gate_str_slice(*stack, end == SIZE_MAX ? stack->len : end + 1, stack->len);
    return true;
}

/* Read "P15357;T0:15357;shop.py:main:11;shop.py:encode:40 1893". */
static bool sample_read(struct reading *reading, struct gate_str line, struct gate_error *err) {
    int64_t values[3] = {0};
    struct gate_builder *builder = reading->builder;
    size_t blank = gate_str_behind_last(line, ' ');
    struct gate_str stack = gate_str_slice(line, 0, blank == 0 ? 0 : blank - 1);
    if (builder->type_count == 0)
        return gate_text_unexpected(reading->line_number, "'# mode: …' before the first stack", line, err);
    if (!origin_cut(&stack))
        return gate_text_unexpected(reading->line_number, "'PPROCESS;TTHREAD;STACK TIME'", line, err);
    if (!times_read(reading, gate_str_slice(line, blank, line.len), values, err))
        return false;
    if (reading->mode == MODE_CPU)
        values[2] = values[1];
    builder->depth = 0;
    for (size_t end = stack.len; stack.len != 0 && end != SIZE_MAX;) { /* from the leaf, which is last */
        size_t start = gate_str_behind_last(gate_str_slice(stack, 0, end), ';');
        if (!gate_builder_push(builder, austin_frame_add(builder, gate_str_slice(stack, start, end)), err))
            return false;
        end = start == 0 ? SIZE_MAX : start - 1;
    }
    struct gate_builder_sample sample = {.locations = builder->stack, .depth = builder->depth, .values = values};
    return gate_builder_sample(builder, &sample, err);
}

static bool lines_read(struct reading *reading, struct gate_str text, struct gate_error *err) {
    struct gate_str line;
    for (reading->line_number = 1; gate_text_line_next(&text, &line); reading->line_number++) {
        bool is_header = line.len != 0 && line.ptr[0] == '#';
        if (line.len != 0 && !(is_header ? header_read(reading, line, err) : sample_read(reading, line, err)))
            return false;
    }
    return reading->builder->sample_count != 0 || gate_error_set(err, GATE_ERR_FORMAT, "no line holds a stack");
}

/* Return true if `text` is an austin file: it begins with its header. */
static bool austin_sniff(struct gate_str text) {
    return gate_str_starts(text, GATE_STR("# austin:"));
}

/*
 * Convert an austin file to pprof. Each line is a sample of samples/count. The mode in the header decides the other
 * column: wall/nanoseconds or cpu/nanoseconds; a full profile has both. Frames are FILE:FUNCTION:LINE. Process and
 * thread numbers are left out. Memory profiles are refused.
 *
 * See gate_format_fill in formats/reader.h.
 */
static bool austin_fill(struct gate_builder *builder, struct gate_str bytes, const struct gate_limits *limits,
                        struct gate_error *err) {
    struct reading reading = {.builder = builder};
    (void)limits;
    return lines_read(&reading, bytes, err);
}

const struct gate_reader gate_austin_reader = {
    .name = "austin",
    .is_text = true,
    .sniff = austin_sniff,
    .format = GATE_FORMAT_AUSTIN,
    .preempted_languages = 1u << GATE_LANGUAGE_PYTHON,
    .fill = austin_fill,
};
