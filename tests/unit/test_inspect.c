/* SPDX-License-Identifier: Apache-2.0 */
/* report/inspect.h: how many rows of a long list the text and the JSON have. */
#include "gate/report/inspect.h"
#include "tests/unit/unit.h"

enum { ROWS_MAX = 101 };

static int occurrences(const struct gate_buf *out, struct gate_str word) {
    struct gate_str text = gate_buf_view(out);
    int count = 0;
    for (size_t at = gate_str_find(text, word, 0); at < text.len; at = gate_str_find(text, word, at + 1))
        count++;
    return count;
}

/* Inspect a profile of so many binaries without names, and places with short ones. */
static void inspect(struct gate_buf *out, uint32_t rows, bool as_json) {
    static struct gate_mapping_named mappings[ROWS_MAX];
    static struct gate_short_named shorts[ROWS_MAX];
    for (uint32_t i = 0; i < rows; i++) {
        mappings[i] = (struct gate_mapping_named){.file = GATE_STR("libshop.so"), .locations = 1, .unnamed = 1};
        shorts[i] = (struct gate_short_named){.place = GATE_STR("shop.js"), .functions = 4, .short_count = 3};
    }
    const struct gate_profile profile = {.duration_ns = 0};
    const struct gate_run_input run = {.path = GATE_STR("a.pb.gz"), .profile = &profile};
    const struct gate_inspection facts = {.mappings = {mappings, rows, true}, .shorts = {shorts, rows}};
    const struct gate_inspect_own own = {.why = GATE_STR("it has no samples"), .columns = 80};
    *out = (struct gate_buf){0};
    (as_json ? gate_inspect_json : gate_inspect_text)(out, &run, &facts, &own);
}

TEST(text_has_ten_rows_and_the_number_of_the_others) {
    for (uint32_t rows = 9; rows <= 12; rows++) {
        AT_END(gate_buf_free) struct gate_buf out, more = {0};
        inspect(&out, rows, false);
        gate_buf_printf(&more, "    ... %u more\n", (unsigned)rows - 10);
        assert_int_equal(occurrences(&out, GATE_STR("libshop.so")), rows < 10 ? rows : 10);
        assert_int_equal(occurrences(&out, GATE_STR("shop.js")), rows < 10 ? rows : 10);
        assert_int_equal(occurrences(&out, GATE_STR(" more\n")), rows > 10 ? 2 : 0);
        assert_int_equal(occurrences(&out, gate_buf_view(&more)), rows > 10 ? 2 : 0);
    }
}

TEST(json_has_a_hundred_rows_and_the_total) {
    for (uint32_t rows = 99; rows <= 101; rows++) {
        AT_END(gate_buf_free) struct gate_buf out, total = {0};
        inspect(&out, rows, true);
        gate_buf_printf(&total, "s_total\":%u,", (unsigned)rows);
        assert_int_equal(occurrences(&out, GATE_STR("libshop.so")), rows < 100 ? rows : 100);
        assert_int_equal(occurrences(&out, GATE_STR("shop.js")), rows < 100 ? rows : 100);
        assert_int_equal(occurrences(&out, gate_buf_view(&total)), 2);
    }
}
