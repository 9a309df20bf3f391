/* SPDX-License-Identifier: Apache-2.0 */
/* base/buf.h: where lines may be broken, and where not. */
#include "gate/base/buf.h"
#include "tests/unit/unit.h"

static void expect_wrapped(const char *from, const char *wanted, size_t columns) {
    AT_END(gate_buf_free) struct gate_buf buf = {0};
    gate_buf_text(&buf, "before\n");
    size_t line = buf.len;
    gate_buf_text(&buf, from);
    gate_wrap_since(&buf, line, 4, columns);
    struct gate_str got = gate_str_slice(gate_buf_view(&buf), line, buf.len);
    if (!gate_str_equal(got, gate_str_from(wanted)))
        fail_msg("'%s' became '%.*s'", from, GATE_STR_ARG(got));
}

TEST(lines_end_at_the_last_word_that_fits) {
    static const struct {
        const char *from, *wanted;
    } rows[] = {
        {"short line\n", "short line\n"},
        {"  0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0 2\n",
         "  0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0\n    2\n"},
        {"    0123456789012345678901234567890123456789012345678901234567890123456789012345678901 b\n",
         "    0123456789012345678901234567890123456789012345678901234567890123456789012345678901\n    b\n"},
        {"a\nb  c", "a\nb  c"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_wrapped(rows[i].from, rows[i].wanted, GATE_WRAP_COLUMNS);
}

TEST(names_longer_than_a_line_are_broken) {
    static const struct {
        const char *from, *wanted;
    } rows[] = {
        {"in ns::internal::Local<ns::Stream<ns::UTF8> >::Local is",
         "in\n    ns::internal::Local<ns::\n    Stream<ns::UTF8> >::Local is"},
        {"ns::alpha::beta::gamma::delta::epsilon::zeta::eta",
         "ns::alpha::beta::gamma::delta::\n    epsilon::zeta::eta"},
        {"ns::Pair<int,long,short,char,double>::run", "ns::Pair<int,long,short,char,\n    double>::run"},
        {"'ns::alpha::beta::gamma::delta::epsilon::zeta'", "'ns::alpha::beta::gamma::delta::epsilon::zeta'"},
        {"https://example.com/alpha,beta,gamma,delta", "https://example.com/alpha,beta,gamma,delta"},
        {"::::::::::::::::::::::::::::::::::::::", "::::::::::::::::::::::::::::::::::::::"},
        {"a b\nhttps://example.com/alpha,beta,gamma,delta", "a b\nhttps://example.com/alpha,beta,gamma,delta"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_wrapped(rows[i].from, rows[i].wanted, 32);
}

TEST(numbers_keep_their_units) {
    static const struct {
        const char *from, *wanted;
        size_t columns;
    } rows[] = {
        {"it is 10.3%, more", "it is\n    10.3%,\n    more", 11},
        {"it is +6.2 pp (so)", "it is\n    +6.2 pp\n    (so)", 11},
        {"from [+4.9, +7.6] on", "from\n    [+4.9, +7.6]\n    on", 15},
        {"run pprofgate now", "run\n    pprofgate\n    now", 12},
        {"it is 10.3%, more", "it is 10.3%, more", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_wrapped(rows[i].from, rows[i].wanted, rows[i].columns);
}

TEST(no_line_becomes_a_command) {
    expect_wrapped("a name ::error::x", "a name\n    \xE2\x80\x8B::error::x", 12);
}
