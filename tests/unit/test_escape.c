/* SPDX-License-Identifier: Apache-2.0 */
/* One escaping place per format: hostile names come out harmless. */
#include "gate/base/escape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

typedef void escape(struct gate_buf *out, struct gate_str text);

static void github_property(struct gate_buf *out, struct gate_str text) {
    gate_escape_github(out, text, true);
}

struct row {
    const char *name;
    escape *apply;
    const char *text;
    const char *wanted;
};

static void row_holds(void **state) {
    const struct row *row = *state;
    struct gate_buf out = {0};
    row->apply(&out, gate_str_from(row->text));
    assert_int_equal(out.len, strlen(row->wanted));
    assert_memory_equal(out.ptr == NULL ? "" : out.ptr, row->wanted, out.len);
    gate_buf_free(&out);
}

static struct row rows[] = {
    {"json quotes and controls", gate_escape_json, "a\"b\\c\n\x01", "\"a\\\"b\\\\c\\n\\u0001\""},
    {"json in a script", gate_escape_json, "</script>\xe2\x80\xa8", "\"\\u003c/script>\\u2028\""},
    {"json ill-formed", gate_escape_json, "\xff", "\"\xef\xbf\xbd\""},
    {"xml entities", gate_escape_xml, "<a href=\"x\">&'", "&lt;a href=&quot;x&quot;&gt;&amp;&#39;"},
    {"xml controls", gate_escape_xml, "\x1b[31m\x08", "\xef\xbf\xbd[31m\xef\xbf\xbd"},
    {"xml noncharacter", gate_escape_xml, "\xef\xbf\xbf", "\xef\xbf\xbd"},
    {"terminal escape sequence", gate_escape_terminal, "\x1b[31mred", "\xef\xbf\xbd[31mred"},
    {"terminal workflow command", gate_escape_terminal, "::error::x", ":\xe2\x80\x8b:error::x"},
    {"terminal log command", gate_escape_terminal, "a ##[error]x", "a #\xe2\x80\x8b#[error]x"},
    {"terminal bidi override", gate_escape_terminal,
     "a\xe2\x80\xae"
     "b",
     "a\xef\xbf\xbd"
     "b"},
    {"terminal plain name", gate_escape_terminal, "std::vec", "std::vec"},
    {"markdown table", gate_escape_markdown, "a|b`c*", "a&#124;b&#96;c&#42;"},
    {"markdown mention", gate_escape_markdown, "@team\n", "&#64;\xe2\x80\x8bteam "},
    {"markdown link and tag", gate_escape_markdown, "[x](y)<b>", "&#91;x&#93;(y)&#60;b&#62;"},
    {"github property", github_property, "50%:a,b\r\n", "50%25%3Aa%2Cb%0D%0A"},
    {"collapsed separators", gate_escape_collapsed, "a;b\nc", "a_b_c"},
    {"openmetrics label", gate_escape_openmetrics, "a\"b\\\n", "\"a\\\"b\\\\\\n\""},
};

int main(void) {
    struct CMUnitTest tests[sizeof rows / sizeof rows[0]];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        tests[i] = (struct CMUnitTest){rows[i].name, row_holds, NULL, NULL, &rows[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
