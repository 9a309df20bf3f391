/* SPDX-License-Identifier: Apache-2.0 */
/* Label filters, and the error message for a filter that matches no sample. */
#include "gate/model/labels.h"

#include "gate/base/buf.h"
#include "gate/model/sample.h"
#include "gate/model/unit.h"

#include <inttypes.h>
#include <stdio.h>

enum { SHOWN_MAX = 8, SHOWN_BYTES = 60 };

/* Return the label's unit. Go writes none; google/pprof derives "bytes" from some keys (profile, NumLabelUnits). */
static struct gate_str label_unit(const struct gate_label *label) {
    static const char *const keys[] = {"bytes", "alignment", "request"};
    for (size_t i = 0; label->unit.len == 0 && i < sizeof keys / sizeof *keys; i++)
        if (gate_str_equal(label->key, gate_str_from(keys[i])))
            return GATE_STR("bytes");
    return label->unit;
}

static bool label_matches(const struct gate_label *label, const struct gate_label_match *match) {
    double number = 0;
    if (!gate_str_equal(label->key, match->key))
        return false;
    if (label->text.ptr != NULL)
        return gate_str_equal(label->text, match->value);
    struct gate_str value = match->value;
    bool negative = value.len > 0 && value.ptr[0] == '-';
    if (!gate_unit_parse(&number, gate_str_slice(value, negative ? 1 : 0, value.len), label_unit(label)))
        return false;
    return (double)label->number == (negative ? -number : number);
}

bool gate_where_passes(const struct gate_label_filter *where, const struct gate_sample_cursor *cursor,
                       const struct gate_sample *sample) {
    if (where == NULL || where->count == 0)
        return true;
    if (sample->label_count == 0)
        return false;
    for (uint32_t i = 0; i < where->count; i++) {
        struct gate_label_walk walk = gate_labels_of(cursor);
        struct gate_label label;
        bool found = false;
        while (!found && gate_labels_next(&walk, &label))
            found = label_matches(&label, &where->items[i]);
        if (!found)
            return false;
    }
    return true;
}

/* ---- error message for a filter without matches ------------------------------------------------------------------ */

/* The first distinct values or keys, in the order of the samples. */
struct choices {
    struct gate_str items[SHOWN_MAX]; /* point into the profile or into `numbers` */
    char numbers[SHOWN_MAX][SHOWN_BYTES];
    uint32_t count;
    bool has_more;
};

static void choices_add(struct choices *choices, struct gate_str text) {
    for (uint32_t i = 0; i < choices->count; i++)
        if (gate_str_equal(choices->items[i], text))
            return;
    if (choices->count == SHOWN_MAX)
        choices->has_more = true;
    else
        choices->items[choices->count++] = text;
}

static void choices_add_value(struct choices *choices, const struct gate_label *label) {
    uint32_t count = choices->count;
    char number[SHOWN_BYTES];
    if (label->text.ptr != NULL) {
        choices_add(choices, label->text);
        return;
    }
    (void)snprintf(number, sizeof number, "%" PRId64 "%.*s", label->number, GATE_STR_ARG(label->unit));
    choices_add(choices, gate_str_from(number));
    if (choices->count == count)
        return;
    memcpy(choices->numbers[count], number, sizeof number);
    choices->items[count] = gate_str_from(choices->numbers[count]);
}

/* Collect all keys and the values of the filter's key. Returns false if a sample meets the condition `match`. */
static bool where_is_absent(struct choices *values, struct choices *keys, const struct gate_profile *profile,
                            const struct gate_label_match *match) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error ignored = {0};
    bool absent = true;
    gate_sample_begin(&cursor, profile);
    while (absent && gate_sample_next(&cursor, &sample, &ignored)) {
        struct gate_label_walk walk = gate_labels_of(&cursor);
        struct gate_label label;
        while (sample.label_count != 0 && gate_labels_next(&walk, &label)) {
            absent = absent && !label_matches(&label, match);
            choices_add(keys, label.key);
            if (gate_str_equal(label.key, match->key))
                choices_add_value(values, &label);
        }
    }
    gate_sample_end(&cursor);
    return absent;
}

static void choices_print(struct gate_buf *out, const struct choices *choices) {
    for (uint32_t i = 0; i < choices->count; i++)
        gate_buf_printf(out, "%s'%.*s'", i == 0 ? "" : ", ",
                        GATE_STR_ARG(gate_str_slice(choices->items[i], 0, SHOWN_BYTES)));
    gate_buf_text(out, choices->has_more ? ", ..." : "");
}

static bool where_say(const struct gate_profile *profile, const struct gate_label_match *match,
                      const struct choices *values, const struct choices *keys, struct gate_error *err) {
    struct gate_buf there = {0};
    if (values->count != 0)
        gate_buf_printf(&there, "; its values of '%.*s' are ", GATE_STR_ARG(match->key));
    else if (keys->count != 0)
        gate_buf_text(&there, "; its labels are ");
    else
        gate_buf_text(&there, "; it has no labels at all");
    choices_print(&there, values->count != 0 ? values : keys);
    (void)gate_error_set(err, GATE_ERR_INPUT, "none of its %" PRIu64 " samples has the label '%.*s%s%.*s'%.*s",
                         profile->sample_count, GATE_STR_ARG(match->key), match->value.ptr == NULL ? "" : "=",
                         GATE_STR_ARG(match->value), GATE_STR_ARG(gate_buf_view(&there)));
    gate_buf_free(&there);
    return false;
}

bool gate_where_absent(const struct gate_profile *profile, const struct gate_label_filter *where,
                       struct gate_error *err) {
    for (uint32_t i = 0; i < where->count; i++) {
        struct choices values = {0}, keys = {0};
        if (where_is_absent(&values, &keys, profile, &where->items[i]))
            return where_say(profile, &where->items[i], &values, &keys, err);
    }
    return gate_error_set(err, GATE_ERR_INPUT,
                          "none of its %" PRIu64 " samples has all %u labels of the option, though each of them occurs",
                          profile->sample_count, (unsigned)where->count);
}
