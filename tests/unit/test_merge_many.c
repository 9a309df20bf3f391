/* SPDX-License-Identifier: Apache-2.0 */
/* Merging many profiles. The values equal those of a simple reference sum, in any order and grouping, and the memory
 * taken is below the size of the merged profile. */
#include "gate/formats/format.h"
#include "gate/formats/merge.h"
#include "gate/model/location.h"
#include "generated_fixture.h"
#include "tests/unit/unit.h"

static void merge_bytes(struct gate_buf *out, const struct gate_str *inputs, size_t count) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    AT_END(gate_merge_end) struct gate_merge merge;
    gate_merge_begin(&merge, &arena);
    for (size_t i = 0; i < count; i++) {
        AT_END(gate_arena_free) struct gate_arena each = {0};
        struct gate_profile profile;
        if (!gate_profile_load(&profile, inputs[i], NULL, &each, &err) ||
            !gate_merge_add(&merge, &profile, &each, &err))
            fail_msg("%s", err.message);
    }
    if (!gate_merge_write(out, &merge, GATE_CONTAINER_RAW, &err))
        fail_msg("%s", err.message);
}

/* ---- reference sum: one line of text per sample, sorted, equal lines added up ------------------------------------ */

struct line {
    char *text; /* names of the stack's frames, and labels */
    int64_t values[2];
};

struct lines {
    struct line *items;
    size_t count;
};

static char *sample_text(const struct gate_sample_cursor *cursor, const struct gate_sample *sample) {
    const struct gate_profile *profile = cursor->profile;
    struct gate_buf text = {0};
    uint64_t id = 0;
    for (uint32_t at = 0; gate_stack_next(sample->stack, &at, &id);) {
        const struct gate_location location = gate_location_at(profile, gate_location_find(profile, id));
        const struct gate_line line = gate_location_line(profile, &location, 0);
        gate_buf_str(&text, profile->functions[line.function].name);
        gate_buf_printf(&text, ":%d@%x;", (int)line.line, (unsigned)location.address);
    }
    struct gate_label_walk walk = gate_labels_of(cursor);
    for (struct gate_label label; gate_labels_next(&walk, &label);)
        gate_buf_printf(&text, " %.*s=%d", GATE_STR_ARG(label.key), (int)label.number);
    gate_buf_char(&text, '\0');
    assert_false(text.failed);
    return text.ptr;
}

static void lines_add(struct lines *lines, struct gate_str bytes) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_profile profile;
    AT_END(gate_sample_end) struct gate_sample_cursor cursor;
    struct gate_sample sample;
    assert_true(gate_profile_load(&profile, bytes, NULL, &arena, &err));
    lines->items = realloc(lines->items, (lines->count + profile.sample_count) * sizeof *lines->items);
    assert_non_null(lines->items);
    gate_sample_begin(&cursor, &profile);
    while (gate_sample_next(&cursor, &sample, &err))
        lines->items[lines->count++] =
            (struct line){sample_text(&cursor, &sample), {sample.values[0], sample.values[1]}};
}

static int line_compare(const void *a, const void *b) {
    const struct line *one = a, *other = b;
    return strcmp(one->text, other->text);
}

static void lines_sum(struct lines *lines) {
    size_t kept = 0;
    qsort(lines->items, lines->count, sizeof *lines->items, line_compare);
    for (size_t i = 0; i < lines->count; i++) {
        struct line *last = kept == 0 ? NULL : &lines->items[kept - 1];
        if (last == NULL || strcmp(last->text, lines->items[i].text) != 0) {
            lines->items[kept++] = lines->items[i];
            continue;
        }
        last->values[0] += lines->items[i].values[0];
        last->values[1] += lines->items[i].values[1];
        free(lines->items[i].text);
    }
    lines->count = kept;
}

static void lines_free(struct lines *lines) {
    for (size_t i = 0; i < lines->count; i++)
        free(lines->items[i].text);
    free(lines->items);
}

static void expect_sum(struct gate_str merged, const struct gate_str *inputs, size_t count) {
    AT_END(lines_free) struct lines wanted = {0}, found = {0};
    for (size_t i = 0; i < count; i++)
        lines_add(&wanted, inputs[i]);
    lines_sum(&wanted);
    lines_add(&found, merged);
    size_t records = found.count;
    lines_sum(&found);
    assert_int_equal(found.count, records); /* no sample occurs twice */
    assert_int_equal(found.count, wanted.count);
    for (size_t i = 0; i < found.count; i++) {
        assert_string_equal(found.items[i].text, wanted.items[i].text);
        assert_memory_equal(found.items[i].values, wanted.items[i].values, sizeof wanted.items[i].values);
    }
}

TEST(a_merge_equals_the_reference_sum) {
    enum { PROFILES = 6 };
    for (uint32_t labels = 0; labels <= 5; labels += 5) {
        struct gate_buf inputs[PROFILES] = {{0}}, all = {0}, first = {0}, last = {0}, grouped = {0};
        struct gate_str views[PROFILES];
        for (uint32_t i = 0; i < PROFILES; i++) {
            generated_put(&inputs[i],
                          &(struct generated){.samples = 400, .locations = 50, .labels = labels, .seed = i});
            views[i] = gate_buf_view(&inputs[i]);
        }
        merge_bytes(&all, views, PROFILES);
        merge_bytes(&first, views, 2);
        merge_bytes(&last, views + 2, PROFILES - 2);
        merge_bytes(&grouped, (const struct gate_str[]){gate_buf_view(&first), gate_buf_view(&last)}, 2);
        expect_sum(gate_buf_view(&all), views, PROFILES);
        assert_true(gate_str_equal(gate_buf_view(&all), gate_buf_view(&grouped)));
        struct gate_buf *bufs[] = {&all, &first, &last, &grouped};
        for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
            gate_buf_free(bufs[i]);
        for (uint32_t i = 0; i < PROFILES; i++)
            gate_buf_free(&inputs[i]);
    }
}

/* The pool counts the blocks that arenas take from the system, whether or not their bytes are in use. */
TEST(a_merge_takes_less_than_its_bytes) {
    enum { PROFILES = 300, LEAST_BYTES = 8 << 20 };
    struct gate_arena_pool pool = {0};
    AT_END(gate_arena_free) struct gate_arena arena = {.pool = &pool};
    AT_END(gate_merge_end) struct gate_merge merge;
    AT_END(gate_buf_free) struct gate_buf merged = {0};
    size_t most = 0;
    gate_merge_begin(&merge, &arena);
    for (uint32_t i = 0; i < PROFILES; i++) {
        AT_END(gate_arena_free) struct gate_arena each = {0};
        struct gate_profile profile;
        AT_END(gate_buf_free) struct gate_buf bytes = {0};
        generated_put(&bytes, &(struct generated){.samples = 800, .locations = 2000, .seed = i});
        assert_true(gate_profile_load(&profile, gate_buf_view(&bytes), NULL, &each, &err));
        assert_true(gate_merge_add(&merge, &profile, &each, &err));
        most = pool.used_bytes > most ? pool.used_bytes : most;
    }
    assert_true(gate_merge_write(&merged, &merge, GATE_CONTAINER_RAW, &err));
    print_message("%zu bytes took %zu\n", merged.len, most);
    assert_true(merged.len > LEAST_BYTES); /* a small profile would prove little */
    assert_true(most <= merged.len);
}
