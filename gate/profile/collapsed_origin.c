/* SPDX-License-Identifier: Apache-2.0 */
/* Processes and threads before a collapsed stack (see collapsed_origin.h). */
#include "gate/profile/collapsed_origin.h"

#include "gate/profile/text_line.h"

static size_t segment_end(struct gate_str stack, size_t from) {
    size_t end = gate_str_find(stack, GATE_STR(";"), from);
    return end == SIZE_MAX ? stack.len : end;
}

/* Take what is before `end` off the stack, and the ';' behind it. */
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
    size_t first = colon + quote.len; /* a command may hold both ';' and quotes, but seldom a quote before a ';' */
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
    while (end < stack->len) { /* a part of the name, unless it is a frame */
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

/* Where the last ':' before `end` is; SIZE_MAX: nowhere. */
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
    if (first == SIZE_MAX || first == 0 || first + 1 == last || !gate_text_number(&number, line) || number.len != 0)
        return false;
    *file = gate_str_slice(frame, 0, first);
    *function = gate_str_slice(frame, first + 1, last);
    return true;
}
