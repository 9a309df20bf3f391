/* SPDX-License-Identifier: Apache-2.0 */
/* Marks of the files that pprofgate writes. */
#include "gate/base/own_mark.h"

#include "gate/base/str.h"

#include <stdbool.h>

#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

#define BYTES(text)                                                                                                    \
    { (text), sizeof(text) - 1 }

struct mark {
    const char *name;
    struct gate_str begins[3]; /* the file must start with one of these; an empty one ends the list */
    struct gate_str holds;     /* the first `within` bytes must also contain this, unless it is empty */
    size_t within;
    bool is_second_line;     /* `holds` must start at the first line break */
    struct gate_str nothing; /* or the whole file is this: an empty report, which has no room for a mark */
};

static const struct mark marks[GATE_OWN_MARKS] = {
    [GATE_OWN_RULES] = {.name = "the rules", .begins = {BYTES("")}},
    /* The line break before two blanks makes it a key of the outermost object; a string cannot contain it. */
    [GATE_OWN_JSON] = {.name = "the JSON report",
                       .begins = {BYTES("{\n  \"schema_version\": "), BYTES("")},
                       .holds = BYTES("\n  \"generator\": \"pprofgate "),
                       .within = GATE_OWN_MARK_HEAD_BYTES},
    [GATE_OWN_JUNIT] = {.name = "the JUnit report",
                        .begins = {BYTES(XML "<testsuites name=\"pprofgate\" tests="),
                                   BYTES(XML "<testsuites name=\"pprofgate trend\" tests="), BYTES("")}},
    [GATE_OWN_HTML] = {.name = "the HTML report",
                       .begins = {BYTES("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"), BYTES("")},
                       .holds = BYTES("\n" GATE_OWN_MARK_HTML),
                       .within = 256},
    [GATE_OWN_SVG] = {.name = "the SVG report", .begins = {BYTES(XML GATE_OWN_MARK_SVG), BYTES("")}},
    [GATE_OWN_MARKDOWN] = {.name = "the Markdown report",
                           .begins = {BYTES("## "), BYTES("")},
                           .holds = BYTES("\n" GATE_OWN_MARK_MARKDOWN),
                           .within = 128,
                           .is_second_line = true},
    [GATE_OWN_CODEQUALITY] = {.name = "the report for GitLab",
                              .begins = {BYTES("[\n  {\n    \"engine_name\": \"" GATE_OWN_MARK_ENGINE "\","),
                                         BYTES("")},
                              .nothing = BYTES("[]\n")},
    [GATE_OWN_SARIF] = {.name = "the SARIF report",
                        .begins = {BYTES("{\n  \"$schema\": \"" GATE_OWN_MARK_SARIF "\",\n"), BYTES("")},
                        .holds = BYTES("\n        \"driver\": {\n          \"name\": \"pprofgate\","),
                        .within = 512},
    [GATE_OWN_OPENMETRICS] = {.name = "the metrics",
                              .begins = {BYTES("# TYPE pprofgate_verdict stateset\n"), BYTES("")}},
    [GATE_OWN_FOLDED] = {.name = "the folded stacks", .begins = {BYTES(GATE_OWN_MARK_FOLDED), BYTES("")}},
    [GATE_OWN_SPEEDSCOPE] =
        {.name = "the speedscope report",
         .begins = {BYTES("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":"
                          "\"pprofgate "),
                    BYTES("")}},
    /* The first two entries of the string table (field number 6): the empty string and the comment. */
    [GATE_OWN_PPROF] = {.name = "the profile", .begins = {BYTES("\x32\x00\x32\x16" GATE_OWN_MARK_PPROF), BYTES("")}},
    /* The scope's name is field 1 of a message that is itself field 1 of a message; both lengths are in between. */
    [GATE_OWN_OTLP] = {.name = "the OTLP profile",
                       .begins = {BYTES("\x0A"), BYTES("")},
                       .holds = BYTES("\x0A\x09pprofgate"),
                       .within = 64},
    /* Field number 14, and its length. */
    [GATE_OWN_SUMMARY] = {.name = "the summary of runs",
                          .begins = {BYTES("\x72\x17" GATE_OWN_MARK_SUMMARY), BYTES("")}},
    [GATE_OWN_NOISE] = {.name = "the noise model",
                        .begins = {BYTES("# How much runs of one build differ, written by pprofgate calibrate;"),
                                   BYTES("# Left out, not like the others: "), BYTES("")},
                        .holds = BYTES("# How much runs of one build differ, written by pprofgate calibrate;"),
                        .within = GATE_OWN_MARK_HEAD_BYTES},
    [GATE_OWN_MANUAL] = {.name = "the manual page",
                         .begins = {BYTES(".TH PPROFGATE"), BYTES("")},
                         .holds = BYTES("\" \"pprofgate "),
                         .within = 256},
};

const char *gate_own_mark_name(enum gate_own_mark mark) {
    return marks[mark].name;
}

bool gate_own_mark_is_in(enum gate_own_mark mark, struct gate_str head) {
    const struct mark *row = &marks[mark];
    bool is_begun = false;
    if (row->nothing.len != 0 && gate_str_equal(head, row->nothing))
        return true;
    for (size_t i = 0; row->begins[i].len != 0; i++)
        is_begun = is_begun || gate_str_starts(head, row->begins[i]);
    if (!is_begun || row->holds.len == 0)
        return is_begun;
    size_t at = gate_str_find(gate_str_slice(head, 0, row->within), row->holds, 0);
    return at != SIZE_MAX && (!row->is_second_line || at == gate_str_find(head, GATE_STR("\n"), 0));
}
