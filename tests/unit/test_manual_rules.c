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

TEST(headings_become_sections) {
    becomes("# Title\n\nFirst.\n\n## A part\n\n### of it\n\nText.\n", "First.\n.SH A PART\n.SS of it\nText.\n");
    becomes("<!-- a comment -->\n<a id=\"x\"></a>\nText.\n", "Text.\n");
}

TEST(a_paragraph_is_one_line) {
    becomes("One `pprofgate\ncheck` two.\n\nNext.", "One \\fBpprofgate check\\fR two.\n.PP\nNext.\n");
    becomes("- a\n  b\n- c\n\nd\n", ".IP \\(bu 2\na b\n.IP \\(bu 2\nc\n.PP\nd\n");
}

TEST(marks_are_fonts_and_links_their_text) {
    becomes("**a** and *b* of [the `page`](x.md), [c](#c), [`d`](d.yml), 2 * 3, [0], `x*y`",
            "\\fBa\\fR and \\fIb\\fR of the \\(gapage\\(ga, c, \\fBd\\fR, 2 * 3, [0], \\fBx*y\\fR\n");
    becomes("open `end", "open \\(gaend\n");
}

TEST(text_never_becomes_a_request_or_an_escape) {
    becomes(".TH x\n\n'x\n\na\\fB\xe2\x80\xa6\xff", "\\&.TH x\n.PP\n\\&\\(aqx\n.PP\na\\efB\\[u2026]\n");
}

TEST(code_blocks_stay_unchanged) {
    becomes("```yaml\n# *a*\n\n| b |\n```\nText.\n", ".RS 4\n.EX\n# *a*\n\n| b |\n.EE\n.RE\n.PP\nText.\n");
}

TEST(rows_are_tagged_paragraphs) {
    becomes("| key | type | meaning |\n| --- | --- | --- |\n| `a` | `x|y` | all |\n| b | | |\n\nText.\n",
            ".TP\n\\fBa\\fR\ntype: \\fBx|y\\fR\n.br\nall\n.TP\nb\n.PP\nText.\n");
    becomes("| written | means | in |\n| --- | --- | --- |\n| `+5pp` | points | `increase` |\n",
            ".TP\n\\fB+5pp\\fR\nin: \\fBincrease\\fR\n.br\npoints\n");
}
