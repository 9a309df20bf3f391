/* SPDX-License-Identifier: Apache-2.0 */
/* Labels asked for and labels that there are (see where.h). */
#include "gate/compare/where.h"

#include "gate/base/buf.h"

#include <inttypes.h>
#include <stdio.h>

enum { SHOWN_MAX = 8, SHOWN_BYTES = 60 };

/* The first few distinct texts, in the order of the samples. */
struct choices {
    struct gate_arena arena;
    struct gate_str items[SHOWN_MAX];
    uint32_t count;
    bool has_more;
};

static void choices_add(struct choices *choices, struct gate_str text) {
    for (uint32_t i = 0; i < choices->count; i++)
        if (gate_str_equal(choices->items[i], text))
            return;
    struct gate_str copy = choices->count < SHOWN_MAX ? gate_str_copy(&choices->arena, text) : GATE_STR("");
    if (choices->count == SHOWN_MAX || copy.ptr == NULL)
        choices->has_more = true;
    else
        choices->items[choices->count++] = copy;
}

static void choices_add_value(struct choices *choices, const struct gate_label *label) {
    char number[32];
    if (label->text.ptr != NULL) {
        choices_add(choices, label->text);
        return;
    }
    (void)snprintf(number, sizeof number, "%" PRId64, label->number);
    const struct gate_str parts[] = {gate_str_from(number), label->unit};
    choices_add(choices, gate_str_concat(&choices->arena, parts, 2));
}

/* Walk the samples for `match`: false when one of them has it; else the values of its key, and all keys. */
static bool where_is_absent(struct choices *values, struct choices *keys, const struct gate_profile *profile,
                            const struct gate_label_match *match) {
    struct gate_label labels[GATE_LABELS_MAX];
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error ignored = {0};
    bool absent = true;
    gate_sample_begin(&cursor, profile);
    while (absent && gate_sample_next(&cursor, &sample, &ignored)) {
        uint32_t count = sample.label_count == 0 ? 0 : gate_sample_labels(&cursor, labels);
        for (uint32_t i = 0; i < count; i++) {
            absent = absent && !gate_label_matches(&labels[i], match);
            choices_add(keys, labels[i].key);
            if (gate_str_equal(labels[i].key, match->key))
                choices_add_value(values, &labels[i]);
        }
    }
    gate_sample_end(&cursor);
    return absent;
}

static void choices_print(struct gate_buf *out, const struct choices *choices) {
    for (uint32_t i = 0; i < choices->count; i++)
        gate_buf_printf(out, "%s'%.*s'", i == 0 ? "" : ", ", GATE_STR_ARG(gate_str_slice(choices->items[i], 0, SHOWN_BYTES)));
    gate_buf_text(out, choices->has_more ? ", ..." : "");
}

static bool where_say(const struct gate_run_input *input, const struct gate_label_match *match,
                      const struct choices *values, const struct choices *keys, struct gate_error *err) {
    struct gate_buf there = {0};
    if (values->count != 0)
        gate_buf_printf(&there, "; its values of '%.*s' are ", GATE_STR_ARG(match->key));
    else if (keys->count != 0)
        gate_buf_text(&there, "; its labels are ");
    else
        gate_buf_text(&there, "; it has no labels at all");
    choices_print(&there, values->count != 0 ? values : keys);
    (void)gate_error_set(err, GATE_ERR_INPUT, "%.*s: none of its %" PRIu64 " samples has the label '%.*s=%.*s'%.*s",
                         GATE_STR_ARG(input->path), input->profile->sample_count, GATE_STR_ARG(match->key),
                         GATE_STR_ARG(match->value), GATE_STR_ARG(gate_buf_view(&there)));
    gate_buf_free(&there);
    return false;
}

bool gate_where_absent(const struct gate_run_input *input, const struct gate_label_filter *where, struct gate_error *err) {
    for (uint32_t i = 0; i < where->count; i++) {
        struct choices values = {0}, keys = {0};
        bool absent = where_is_absent(&values, &keys, input->profile, &where->items[i]);
        if (absent)
            (void)where_say(input, &where->items[i], &values, &keys, err);
        gate_arena_free(&values.arena);
        gate_arena_free(&keys.arena);
        if (absent)
            return false;
    }
    return gate_error_set(err, GATE_ERR_INPUT,
                          "%.*s: none of its %" PRIu64 " samples has all %u labels asked for, though some has each of them",
                          GATE_STR_ARG(input->path), input->profile->sample_count, (unsigned)where->count);
}
