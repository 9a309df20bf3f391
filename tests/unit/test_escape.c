/* SPDX-License-Identifier: Apache-2.0 */
/* base/escape.h: names from profiles cannot inject markup, terminal sequences or CI commands into any output format. */
#include "gate/base/escape.h"
#include "tests/unit/unit.h"

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
    AT_END(gate_buf_free) struct gate_buf out = {0};
    row->apply(&out, gate_str_from(row->text));
    assert_int_equal(out.len, strlen(row->wanted));
    assert_memory_equal(out.ptr == NULL ? "" : out.ptr, row->wanted, out.len);
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
    {"terminal command behind a space", gate_escape_terminal, " ::stop-commands::x", " :\xe2\x80\x8b:stop-commands::x"},
    {"terminal command behind a no-break space", gate_escape_terminal, "\xc2\xa0::x", "\xc2\xa0:\xe2\x80\x8b:x"},
    {"terminal command behind an ogham space", gate_escape_terminal, "\xe1\x9a\x80::x", "\xe1\x9a\x80:\xe2\x80\x8b:x"},
    {"terminal command behind an em space", gate_escape_terminal, "\xe2\x80\x83::x", "\xe2\x80\x83:\xe2\x80\x8b:x"},
    {"terminal command behind an ideographic space", gate_escape_terminal, "\xe3\x80\x80::x",
     "\xe3\x80\x80:\xe2\x80\x8b:x"},
    {"terminal command behind a mark of byte order", gate_escape_terminal, "\xef\xbb\xbf::x",
     "\xef\xbb\xbf:\xe2\x80\x8b:x"},
    {"terminal command where a line is broken", gate_escape_terminal, "a ::x", "a :\xe2\x80\x8b:x"},
    {"terminal half a command", gate_escape_terminal, ":", ":\xe2\x80\x8b"},
    {"terminal Azure's command", gate_escape_terminal, "##vso[x]", "#\xe2\x80\x8b#vso[x]"},
    {"github Azure's command", github_property, "##vso[x]", "#\xe2\x80\x8b#vso[x]"},
    {"json what YAML refuses", gate_escape_json, "\xef\xbb\xbf\xef\xbf\xbe\xef\xbf\xbf", "\"\\ufeff\\ufffe\\uffff\""},
    {"json command", gate_escape_json, "##vso[#", "\"\\u0023#vso[#\""},
    {"xml command", gate_escape_xml, "##[x", "&#35;#[x"},
    {"xml command at a line's start", gate_escape_xml, "::x", "&#58;:x"},
    {"openmetrics command", gate_escape_openmetrics, "##[x", "\"#\xe2\x80\x8b#[x\""},
    {"collapsed command", gate_escape_collapsed, " ::x::y ##[", " _:x::y _#["},
    {"terminal bidi override", gate_escape_terminal,
     "a\xe2\x80\xae"
     "b",
     "a\xef\xbf\xbd"
     "b"},
    {"terminal plain name", gate_escape_terminal, "std::vec", "std::vec"},
    {"markdown table", gate_escape_markdown, "a|b`c*", "a&#124;b&#96;c&#42;"},
    {"markdown mention", gate_escape_markdown, "@team\n", "&#64;\xe2\x80\x8bteam "},
    {"markdown link and tag", gate_escape_markdown, "[x](y)<b>", "&#91;x&#93;(y)&#60;b&#62;"},
    {"markdown command", gate_escape_markdown, "::x", ":\xe2\x80\x8b:x"},
    {"markdown address", gate_escape_markdown, "https://x www.x", "https:\xe2\x80\x8b//x www\xe2\x80\x8b.x"},
    {"markdown issue", gate_escape_markdown, "a/b#1 GH-2 !3 a!4",
     "a/b&#35;\xe2\x80\x8b"
     "1 GH-\xe2\x80\x8b"
     "2 !\xe2\x80\x8b"
     "3 a!4"},
    {"markdown dollar in a name", gate_escape_markdown, "A$1", "A&#36;1"},
    {"github property", github_property, "50%:a,b\r\n", "50%25%3Aa%2Cb%0D%0A"},
    {"collapsed separators", gate_escape_collapsed, "a;b\nc", "a_b_c"},
    {"shell plain word", gate_escape_shell, "--limit=+5%:a/b_c.d,e@f", "--limit=+5%:a/b_c.d,e@f"},
    {"shell empty word", gate_escape_shell, "", "''"},
    {"shell blank", gate_escape_shell, "a b", "'a b'"},
    {"shell quote", gate_escape_shell, "it's", "'it'\\''s'"},
    {"shell command", gate_escape_shell, "$(rm -r ~);`x`\n#", "'$(rm -r ~);`x`\n#'"},
    {"shell beyond ascii", gate_escape_shell, "h\xc3\xa4", "'h\xc3\xa4'"},
    {"openmetrics label", gate_escape_openmetrics, "a\"b\\\n", "\"a\\\"b\\\\\\n\""},
};

int main(void) {
    struct CMUnitTest tests[sizeof rows / sizeof rows[0]];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        tests[i] = (struct CMUnitTest){rows[i].name, row_holds, NULL, NULL, &rows[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
