/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the self cost of each function in a file of any format. Tests compare the readers with each other and with the
 * report of the tool that wrote the file. */
#ifndef TESTS_SELF_SUMS_H
#define TESTS_SELF_SUMS_H

#include "gate/base/table.h"
#include "gate/formats/format.h"
#include "gate/model/location.h"
#include "gate/model/sample.h"
#include "profile_fixture.h"

/* A function and its self cost. */
struct self_sum {
    struct gate_str name;
    int64_t value;
};

static int self_sum_compare(const void *a, const void *b) {
    return gate_str_compare(((const struct self_sum *)a)->name, ((const struct self_sum *)b)->name);
}

static inline struct gate_str self_name(const struct gate_profile *profile, const struct gate_sample *sample) {
    uint64_t id = 0;
    uint32_t at = 0;
    if (!gate_stack_next(sample->stack, &at, &id))
        return GATE_STR("(none)");
    const struct gate_location location = gate_location_at(profile, gate_location_find(profile, id));
    if (location.line_count != 0)
        return profile->functions[gate_location_leaf(profile, &location)].name;
    return location.mapping == GATE_NO_INDEX ? GATE_STR("(unknown)")
                                             : gate_str_basename(profile->mappings[location.mapping].file);
}

/* Return one line "NAME VALUE" per function, sorted by name. */
static inline struct gate_str self_sums_print(const struct gate_profile *profile, uint32_t column,
                                              struct gate_arena *arena) {
    struct gate_table names;
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error err = {0};
    struct gate_buf out = {0};
    struct self_sum *sums = GATE_NEW_ARRAY(arena, struct self_sum, profile->sample_count + 1);
    gate_table_init(&names, arena);
    gate_sample_begin(&cursor, profile);
    while (gate_sample_next(&cursor, &sample, &err)) {
        struct gate_str name = self_name(profile, &sample);
        uint32_t index = gate_table_intern(&names, name);
        sums[index].name = name;
        sums[index].value += sample.values[column];
    }
    gate_sample_end(&cursor);
    assert_int_equal(err.code, GATE_OK);
    qsort(sums, names.count, sizeof *sums, self_sum_compare);
    for (uint32_t i = 0; i < names.count; i++)
        gate_buf_printf(&out, "%.*s %lld\n", GATE_STR_ARG(sums[i].name), (long long)sums[i].value);
    struct gate_str text = gate_str_copy(arena, gate_buf_view(&out));
    gate_buf_free(&out);
    return text;
}

static inline struct gate_str fixture_read(const char *name, struct gate_arena *arena) {
    struct gate_str bytes;
    struct gate_error err = {0};
    struct gate_str path = gate_str_format(arena, "%s/fixtures/%s", GATE_SOURCE_DIR, name);
    if (!gate_source_read(&bytes, path, NULL, arena, &err))
        fail_msg("%s: %s", name, err.message);
    return bytes;
}

static inline void fixture_load(struct gate_profile *out, const char *name, struct gate_arena *arena) {
    struct gate_error err = {0};
    if (!gate_profile_load(out, fixture_read(name, arena), NULL, arena, &err))
        fail_msg("%s: %s", name, err.message);
}

/* Return self_sums_print of sample type `type` of a file in fixtures/. */
static inline struct gate_str self_sums(const char *name, const char *type, struct gate_arena *arena) {
    struct gate_profile profile;
    struct gate_error err = {0};
    uint32_t column = 0;
    fixture_load(&profile, name, arena);
    if (!gate_sample_type_find(&column, &profile, gate_str_from(type), &err))
        fail_msg("%s: %s", name, err.message);
    return self_sums_print(&profile, column, arena);
}

/* Return the output of `perf report -t '|' -F sample,sym` (or dso) in the format of self_sums. The marks "[k] "
 * (kernel) and "[.] " (user code) before a name are removed. */
static inline struct gate_str report_sums(const char *name, struct gate_arena *arena) {
    struct gate_str rest = fixture_read(name, arena);
    struct self_sum *sums = GATE_NEW_ARRAY(arena, struct self_sum, rest.len + 1);
    struct gate_table names;
    struct gate_buf out = {0};
    gate_table_init(&names, arena);
    while (rest.len != 0) {
        size_t end = gate_str_find(rest, GATE_STR("\n"), 0), bar = gate_str_find(rest, GATE_STR("|"), 0);
        struct gate_str text = gate_str_trim(gate_str_slice(rest, bar + 1, end));
        if (gate_str_starts(text, GATE_STR("[.] ")) || gate_str_starts(text, GATE_STR("[k] ")))
            text = gate_str_slice(text, 4, text.len);
        uint32_t index = gate_table_intern(&names, text);
        sums[index].name = text;
        sums[index].value += strtoll(rest.ptr, NULL, 10);
        rest = gate_str_slice(rest, end + 1, rest.len);
    }
    qsort(sums, names.count, sizeof *sums, self_sum_compare);
    for (uint32_t i = 0; i < names.count; i++)
        gate_buf_printf(&out, "%.*s %lld\n", GATE_STR_ARG(sums[i].name), (long long)sums[i].value);
    struct gate_str text = gate_str_copy(arena, gate_buf_view(&out));
    gate_buf_free(&out);
    return text;
}

static inline void expect_text(struct gate_str got, struct gate_str wanted) {
    if (!gate_str_equal(got, wanted))
        fail_msg("got\n%.*s\nexpected\n%.*s", GATE_STR_ARG(got), GATE_STR_ARG(wanted));
}

/* Expect the self_sums_print of sample type `type` of a text in this format. */
static inline void expect_self_sums(enum gate_format format, const char *text, const char *type, const char *wanted) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_profile profile;
    uint32_t column = 0;
    if (!gate_profile_load(&profile, gate_str_from(text), NULL, &arena, &err) ||
        !gate_sample_type_find(&column, &profile, gate_str_from(type), &err))
        fail_msg("%s", err.message);
    assert_int_equal(profile.format, format);
    expect_text(self_sums_print(&profile, column, &arena), gate_str_from(wanted));
}

#endif
