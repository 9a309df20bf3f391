/* SPDX-License-Identifier: Apache-2.0 */
/* base/buf.h: numbers are printed as printf prints them, and buffers with a drain. */
#include "gate/base/buf.h"
#include "gate/base/table.h"
#include "tests/unit/unit.h"

#include <math.h>

static void assert_text(struct gate_str got, const char *wanted) {
    assert_int_equal(got.len, strlen(wanted));
    assert_memory_equal(got.ptr, wanted, got.len);
}

/* Return test value `i`: values of all magnitudes, rounding ties, and the nearest neighbours of ties. The fast paths of
 * the code under test must print all of them as printf does. */
static double number_of(uint64_t i) {
    uint64_t bits = gate_hash_mix(i + 1);
    double sign = bits & 1 ? -1 : 1;
    switch (i % 4) {
    case 0:
        return sign * ldexp((double)(bits >> 11), -20 - (int)(i % 60));
    case 1:
        return sign * (double)(bits % 2000001) / 1000;
    case 2:
        return sign * ((double)(bits % 100000) + 0.5) / pow(10, (double)(i % 7));
    default:
        return sign * nextafter(((double)(bits % 100000) + 0.5) / pow(10, (double)(i % 7)), i & 4 ? 1e9 : 0);
    }
}

TEST(buf_prints_what_printf_prints) {
    AT_END(gate_buf_free) struct gate_buf buf = {0};
    for (uint64_t i = 0; i < 200000; i++) {
        char wanted[400];
        double value = number_of(i);
        int decimals = (int)(i / 4 % 8);
        buf.len = 0;
        gate_buf_fixed(&buf, value, decimals);
        (void)snprintf(wanted, sizeof wanted, "%.*f", decimals, value);
        bool is_zero = strspn(wanted, "-0.") == strlen(wanted);
        assert_text(gate_buf_view(&buf), is_zero && wanted[0] == '-' ? wanted + 1 : wanted);
        buf.len = 0;
        gate_buf_number(&buf, value);
        (void)snprintf(wanted, sizeof wanted,
                       fabs(value) < 1e15 - 1 && (value == floor(value) || fabs(value) >= 1e10) ? "%.0f" : "%.10g",
                       value);
        assert_text(gate_buf_view(&buf), value == 0 ? "0" : wanted);
    }
    static const int64_t integers[] = {0, -1, 10, 99, 100, 9999, 10000, -12345, 1234567890123, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        char wanted[32];
        buf.len = 0;
        gate_buf_integer(&buf, integers[i]);
        (void)snprintf(wanted, sizeof wanted, "%lld", (long long)integers[i]);
        assert_text(gate_buf_view(&buf), wanted);
    }
}

TEST(buf_rounds_before_it_prints) {
    AT_END(gate_buf_free) struct gate_buf buf = {0}, wanted = {0};
    for (uint64_t i = 0; i < 200000; i++) {
        double value = number_of(i);
        int decimals = (int)(i / 4 % 5);
        double power = pow(10, decimals);
        buf.len = wanted.len = 0;
        gate_buf_rounded(&buf, value, decimals);
        gate_buf_number(&wanted, round(value * power) / power + 0.0);
        assert_true(gate_str_equal(gate_buf_view(&buf), gate_buf_view(&wanted)));
    }
    buf.len = 0;
    gate_buf_rounded(&buf, -2.5, 0);
    gate_buf_rounded(&buf, -0.004, 2);
    gate_buf_rounded(&buf, NAN, 2);
    assert_text(gate_buf_view(&buf), "-30null");
}

TEST(buf_fixed_rounds_and_has_no_negative_zero) {
    static const struct {
        double value;
        int decimals;
        const char *wanted;
    } rows[] = {{1.005, 1, "1.0"}, {-0.001, 2, "0.00"}, {-0.5, 1, "-0.5"}, {1e20, 0, "100000000000000000000"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        AT_END(gate_buf_free) struct gate_buf buf = {0};
        gate_buf_fixed(&buf, rows[i].value, rows[i].decimals);
        assert_text(gate_buf_view(&buf), rows[i].wanted);
    }
    AT_END(gate_buf_free) struct gate_buf buf = {0};
    gate_buf_number(&buf, NAN);
    gate_buf_char(&buf, ' ');
    gate_buf_number(&buf, 1234567890123.0);
    gate_buf_char(&buf, ' ');
    gate_buf_number(&buf, 100000000000002.4);
    gate_buf_char(&buf, ' ');
    gate_buf_number(&buf, 0.1);
    gate_buf_char(&buf, ' ');
    gate_buf_number(&buf, -0.0);
    assert_text(gate_buf_view(&buf), "null 1234567890123 100000000000002 0.1 0");
}

/* The bytes drained from a buffer, the number of drains, and how many may succeed. */
struct drain {
    struct gate_buf taken;
    int count, most;
};

static bool drain_take(void *taker, struct gate_str written) {
    struct drain *drain = taker;
    gate_buf_str(&drain->taken, written);
    return drain->count++ < drain->most;
}

static void write_much(struct gate_buf *buf) {
    static const char much[GATE_BUF_DRAIN_BYTES * 2 + 7];
    for (int i = 0; i < 30000; i++) {
        gate_buf_printf(buf, "%d,", i);
        gate_buf_integer(buf, i);
        gate_buf_fixed(buf, i / 7.0, 2);
        gate_buf_repeat(buf, ' ', (size_t)(i % 300 == 0 ? i : 3));
        gate_buf_bytes(buf, much, i == 17000 ? sizeof much : 1);
    }
}

TEST(drained_and_remaining_bytes_are_those_written) {
    struct drain drain = {.most = 1000000};
    AT_END(gate_buf_free) struct gate_buf buf = {.drain = drain_take, .taker = &drain}, whole = {0};
    write_much(&buf);
    write_much(&whole);
    assert_false(buf.failed);
    assert_true(drain.count > 10);
    assert_true(buf.len <= buf.capacity && buf.capacity <= 4 * GATE_BUF_DRAIN_BYTES);
    gate_buf_str(&drain.taken, gate_buf_view(&buf));
    assert_true(gate_str_equal(gate_buf_view(&drain.taken), gate_buf_view(&whole)));
    gate_buf_free(&drain.taken);
}

TEST(a_drain_that_fails_fails_the_buffer) {
    struct drain drain = {.most = 2};
    AT_END(gate_buf_free) struct gate_buf buf = {.drain = drain_take, .taker = &drain};
    write_much(&buf);
    assert_true(buf.failed);
    assert_int_equal(drain.count, 3);
    gate_buf_free(&drain.taken);
}

/* A text that would fit is not written behind one that did not: what is there is the beginning of what was to be. */
TEST(a_buffer_beyond_the_limit_of_its_pool_has_failed) {
    struct gate_arena_pool pool = {.limit_bytes = 4096};
    struct gate_buf buf = {.pool = &pool};
    gate_buf_text(&buf, "begin");
    gate_buf_repeat(&buf, ' ', 5000);
    gate_buf_text(&buf, "end");
    assert_true(gate_str_equal(gate_buf_view(&buf), GATE_STR("begin")));
    assert_false(gate_buf_check(&buf, &err));
    assert_int_equal(err.code, GATE_ERR_LIMIT);
    gate_buf_free(&buf);
    assert_int_equal(pool.used_bytes, 0);
}
