/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of Markdown to man(7): the result for each kind of line. */

#include "gate/help/manual.h"
#include "tests/unit/unit.h"

static void becomes(const char *markdown, const char *wanted) {
    AT_END(gate_buf_free) struct gate_buf out = {0};
    gate_manual_rules_markdown(&out, gate_str_from(markdown));
    gate_buf_char(&out, '\0');
    assert_false(out.failed);
    assert_string_equal(out.ptr, wanted);
}

static void headings_are_sections(void **state) {
    becomes("# Title\n\nFirst.\n\n## A part\n\n### of it\n\nText.\n", "First.\n.SH A PART\n.SS of it\nText.\n");
    becomes("<!-- a comment -->\n<a id=\"x\"></a>\nText.\n", "Text.\n");
}

static void a_paragraph_is_one_line(void **state) {
    becomes("One `pprofgate\ncheck` two.\n\nNext.", "One \\fBpprofgate check\\fR two.\n.PP\nNext.\n");
    becomes("- a\n  b\n- c\n\nd\n", ".IP \\(bu 2\na b\n.IP \\(bu 2\nc\n.PP\nd\n");
}

static void marks_are_fonts_and_links_their_text(void **state) {
    becomes("**a** and *b* of [the `page`](x.md), [c](#c), [`d`](d.yml), 2 * 3, [0], `x*y`",
            "\\fBa\\fR and \\fIb\\fR of the \\(gapage\\(ga, c, \\fBd\\fR, 2 * 3, [0], \\fBx*y\\fR\n");
    becomes("open `end", "open \\(gaend\n");
}

static void nothing_is_a_request_or_an_escape(void **state) {
    becomes(".TH x\n\n'x\n\na\\fB\xe2\x80\xa6\xff", "\\&.TH x\n.PP\n\\&\\(aqx\n.PP\na\\efB\\[u2026]\n");
}

static void code_is_as_it_stands(void **state) {
    becomes("```yaml\n# *a*\n\n| b |\n```\nText.\n", ".RS 4\n.EX\n# *a*\n\n| b |\n.EE\n.RE\n.PP\nText.\n");
}

static void rows_are_tagged_paragraphs(void **state) {
    becomes("| key | type | meaning |\n| --- | --- | --- |\n| `a` | `x|y` | all |\n| b | | |\n\nText.\n",
            ".TP\n\\fBa\\fR\ntype: \\fBx|y\\fR\n.br\nall\n.TP\nb\n.PP\nText.\n");
    becomes("| written | means | in |\n| --- | --- | --- |\n| `+5pp` | points | `increase` |\n",
            ".TP\n\\fB+5pp\\fR\nin: \\fBincrease\\fR\n.br\npoints\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headings_are_sections),
        cmocka_unit_test(a_paragraph_is_one_line),
        cmocka_unit_test(marks_are_fonts_and_links_their_text),
        cmocka_unit_test(nothing_is_a_request_or_an_escape),
        cmocka_unit_test(code_is_as_it_stands),
        cmocka_unit_test(rows_are_tagged_paragraphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
