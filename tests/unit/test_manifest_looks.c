/* SPDX-License-Identifier: Apache-2.0 */
/* The looks of a manifest: written looks read back unchanged, and anything else is refused. */
#include "gate/capture/manifest.h"
#include "tests/unit/unit.h"

static bool read_text(struct gate_manifest_looks *out, const char *text, struct gate_arena *arena,
                      struct gate_error *err) {
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    bool ok = gate_manifest_looks_read(out, json_object_get(root, "looks"), arena, err);
    json_decref(root);
    return ok;
}

TEST(looks_survive_writing) {
    double fractions[] = {0.125, 0.25, 1};
    struct gate_manifest_looks looks = {GATE_STR("abc"), GATE_EQUAL_TIME, 8, 4, fractions, 3}, again;
    AT_END(gate_buf_free) struct gate_buf text = {0};
    struct gate_json json = {.out = &text, .indent = 2};
    gate_json_open(&json, '{');
    gate_manifest_looks_write(&json, &looks);
    gate_json_close(&json, '}');
    gate_buf_text(&text, "\n");
    gate_buf_char(&text, '\0');
    assert_true(read_text(&again, gate_buf_view(&text).ptr, &arena, &err));
    assert_int_equal(again.equal, GATE_EQUAL_TIME);
    assert_int_equal(again.planned, 8);
    assert_int_equal(again.round, 4);
    assert_true(gate_str_equal(again.rules, GATE_STR("abc")));
    assert_int_equal(again.count, 3);
    assert_memory_equal(again.fractions, fractions, sizeof fractions);
}

TEST(a_manifest_without_looks_is_read) {
    struct gate_manifest_looks looks = {0}, again;
    struct gate_buf text = {0};
    struct gate_json json = {.out = &text};
    gate_manifest_looks_write(&json, &looks);
    assert_int_equal(gate_buf_view(&text).len, 0);
    assert_true(read_text(&again, "{}", &arena, &err));
    assert_int_equal(again.count, 0);
}

TEST(a_plan_may_have_no_look_yet) {
    struct gate_manifest_looks again;
    assert_true(read_text(&again, "{\"looks\": {\"rules\": \"\", \"planned\": 2, \"round\": 0, \"fractions\": []}}",
                          &arena, &err));
    assert_int_equal(again.equal, GATE_EQUAL_UNKNOWN);
    assert_int_equal(again.planned, 2);
    assert_int_equal(again.count, 0);
}

TEST(invalid_looks_are_refused) {
    static const char *const rows[] = {
        "{\"looks\": 3}",
        "{\"looks\": {}}",
        "{\"looks\": {\"rules\": \"\", \"equal\": \"speed\", \"planned\": 2, \"round\": 0, \"fractions\": []}}",
        "{\"looks\": {\"rules\": \"\", \"equal\": 2, \"planned\": 2, \"round\": 0, \"fractions\": []}}",
        "{\"looks\": {\"rules\": \"\", \"equals\": \"time\", \"planned\": 2, \"round\": 0, \"fractions\": []}}",
        "{\"looks\": {\"rules\": \"a\", \"planned\": 2}}",
        "{\"looks\": {\"rules\": \"a\", \"planned\": 0, \"round\": 1, \"fractions\": [1]}}",
        "{\"looks\": {\"rules\": \"a\", \"planned\": 65, \"round\": 1, \"fractions\": [1]}}",
        "{\"looks\": {\"rules\": \"a\", \"planned\": 2.5, \"round\": 1, \"fractions\": [1]}}",
        "{\"looks\": {\"rules\": \"a\", \"planned\": 1, \"round\": 1, \"fractions\": [0.5, 1]}}",
        "{\"looks\": {\"rules\": \"a\", \"planned\": 3, \"round\": 1, \"fractions\": [0.5, 0.5]}}",
        "{\"looks\": {\"rules\": \"a\", \"planned\": 3, \"round\": 1, \"fractions\": [0, 0.5]}}",
        "{\"looks\": {\"rules\": \"a\", \"planned\": 3, \"round\": 1, \"fractions\": [0.5, 1.5]}}",
        "{\"looks\": {\"rules\": \"a\", \"planned\": 3, \"round\": 1, \"fractions\": [\"a\"]}}",
        "{\"looks\": {\"rules\": \"a\", \"planned\": 3, \"round\": 0, \"fractions\": [1]}}",
        "{\"looks\": {\"rules\": \"a\", \"planned\": 3, \"fractions\": [1]}}",
        "{\"looks\": {\"planned\": 3, \"round\": 1, \"fractions\": [1]}}",
        "{\"looks\": {\"rules\": \"a\", \"planned\": 3, \"round\": 1, \"fractions\": [1], \"more\": 1}}",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_manifest_looks looks;
        struct gate_error err = {0};
        if (read_text(&looks, rows[i], &arena, &err) || err.code != GATE_ERR_CONFIG)
            fail_msg("%s: taken", rows[i]);
    }
}
