/* SPDX-License-Identifier: Apache-2.0 */
/* store/record.h: reading a report's verdict and digests, and refusing other JSON. */
#include "gate/store/record.h"

#include "gate/base/hash.h"
#include "tests/unit/unit.h"

TEST(a_report_is_read) {
    struct gate_checked checked;
    struct gate_str text = gate_str_format(
        &arena,
        "{\"verdict\": \"fail\", \"canary\": {\"runs\": [{\"digest\": \"%016llx%016llx\"}]}, \"comparisons\": "
        "[{\"canary\": {\"runs\": [{\"digest\": \"ff\"}, {\"digest\": \"ee\"}]}}]}",
        (unsigned long long)gate_hash_bytes("one", 3, 1), (unsigned long long)gate_hash_bytes("one", 3, 2));
    assert_true(gate_checked_read(&checked, text, &arena, &err));
    assert_true(gate_str_equal(checked.verdict, GATE_STR("fail")));
    assert_int_equal(checked.digest_count, 3);
    assert_true(gate_checked_has(&checked, GATE_STR("one")));
    assert_false(gate_checked_has(&checked, GATE_STR("two")));
}

TEST(other_json_is_refused) {
    static const char *const texts[] = {"",
                                        "[]",
                                        "{}",
                                        "{\"verdict\": 3}",
                                        "{\"verdict\": \"passed\", \"canary\": {\"runs\": [{\"digest\": \"ff\"}]}}",
                                        ("{\"verdict\": \"pass\", \"canary\": {\"runs\": [{\"digest\": \"ff\"}]}, "
                                         "\"comparisons\": [{\"canary\": {\"runs\": [{}]}}]}"),
                                        "{\"verdict\": \"pass\"}",
                                        "{\"verdict\": \"pass\", \"canary\": {\"runs\": [{}]}}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct gate_error err = {0};
        struct gate_checked checked;
        assert_false(gate_checked_read(&checked, gate_str_from(texts[i]), &arena, &err));
        assert_int_equal(err.code, GATE_ERR_FORMAT);
    }
}
