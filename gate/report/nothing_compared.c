/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of nothing (see nothing_compared.h). */
#include "gate/report/nothing_compared.h"

#include "gate/base/json_writer.h"
#include "gate/base/wrap.h"
#include "gate/report/generator.h"

enum { SCHEMA_VERSION = 1, INDENT = 4 };

bool gate_nothing_compared_terminal(struct gate_buf *out, const struct gate_nothing_compared *nothing) {
    size_t line = out->len;
    gate_buf_printf(out, "%s  ", nothing->capitals);
    gate_escape_terminal(out, nothing->message);
    gate_buf_char(out, '\n');
    gate_wrap_since(out, line, INDENT, GATE_WRAP_COLUMNS);
    if (nothing->next.len == 0)
        return !out->failed;
    line = out->len;
    gate_buf_text(out, "  next: ");
    gate_escape_terminal(out, nothing->next);
    gate_buf_char(out, '\n');
    gate_wrap_since(out, line, INDENT, GATE_WRAP_COLUMNS);
    return !out->failed;
}

bool gate_nothing_compared_json(struct gate_buf *out, const struct gate_nothing_compared *nothing) {
    struct gate_json json = {.out = out, .indent = 2};
    gate_json_open(&json, '{');
    gate_json_key(&json, "schema_version");
    gate_json_integer(&json, SCHEMA_VERSION);
    gate_json_key(&json, "verdict");
    gate_json_text(&json, nothing->word);
    gate_generator_json(&json);
    gate_json_key(&json, "warnings");
    gate_json_open(&json, '[');
    gate_json_open_flat(&json, '{');
    gate_json_key(&json, "code");
    gate_json_text(&json, "baseline_missing");
    gate_json_key(&json, "severity");
    gate_json_text(&json, nothing->severity);
    gate_json_key(&json, "message");
    gate_json_string(&json, nothing->message);
    gate_json_close(&json, '}');
    gate_json_close(&json, ']');
    gate_json_close(&json, '}');
    return !out->failed;
}

bool gate_nothing_compared_junit(struct gate_buf *out, const struct gate_nothing_compared *nothing) {
    static const char *const elements[] = {"skipped", "error", "failure"};
    bool is_error = nothing->state == GATE_NOTHING_ERROR, is_failure = nothing->state == GATE_NOTHING_FAILURE;
    gate_buf_printf(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"pprofgate\" tests=\"1\" failures=\"%d\" errors=\"%d\" time=\"0\">\n"
        "  <testsuite name=\"pprofgate\" tests=\"1\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"0\">\n"
        "    <testcase name=\"there is a baseline\" classname=\"pprofgate\" time=\"0\">\n"
        "      <%s%s message=\"",
        is_failure, is_error, is_failure, is_error, nothing->state == GATE_NOTHING_SKIPPED, elements[nothing->state],
        nothing->state == GATE_NOTHING_SKIPPED ? "" : " type=\"NoBaseline\"");
    gate_escape_xml(out, nothing->message);
    gate_buf_text(out, "\"/>\n    </testcase>\n");
    gate_buf_printf(out, "    <system-out>%s: ", nothing->capitals);
    gate_escape_xml(out, nothing->message);
    gate_buf_text(out, "</system-out>\n  </testsuite>\n</testsuites>\n");
    return !out->failed;
}

bool gate_nothing_compared_markdown(struct gate_buf *out, const struct gate_nothing_compared *nothing) {
    gate_buf_printf(out, "## pprofgate: %s\n\n", nothing->capitals);
    gate_escape_markdown(out, nothing->message);
    gate_buf_text(out, "\n");
    if (nothing->next.len > 0) {
        gate_buf_text(out, "\nNext: ");
        gate_escape_markdown(out, nothing->next);
        gate_buf_text(out, "\n");
    }
    return !out->failed;
}
