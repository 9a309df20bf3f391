/* SPDX-License-Identifier: Apache-2.0 */
/* Records as text (see record_text.h). */
#include "gate/store/record_text.h"

#include "gate/base/escape.h"

#include <inttypes.h>
#include <time.h>

enum { COLUMNS = 7, SHORT_REVISION = 12, LABEL_COLUMNS = 14, GAP = 2 };

struct gate_str gate_record_text_revision(const struct gate_record *record) {
    size_t digits = 0;
    while (digits < record->revision.len && record->revision.ptr[digits] != '\0' &&
           strchr("0123456789abcdef", record->revision.ptr[digits]) != NULL)
        digits++;
    bool is_commit = digits == record->revision.len && digits >= 40;
    return is_commit ? gate_str_slice(record->revision, 0, SHORT_REVISION) : record->revision;
}

void gate_record_text_time(struct gate_buf *out, int64_t ms) {
    time_t seconds = (time_t)(ms / 1000);
    struct tm day;
    char text[32];
    bool ok = gmtime_r(&seconds, &day) != NULL && strftime(text, sizeof text, "%Y-%m-%d %H:%M", &day) > 0;
    gate_buf_text(out, ok ? text : "?");
}

static bool is_first_of_kind(const struct gate_record *record, uint32_t run) {
    for (uint32_t i = 0; i < run; i++)
        if (gate_str_equal(record->runs[i].kind, record->runs[run].kind))
            return false;
    return true;
}

void gate_record_text_kinds(struct gate_buf *out, const struct gate_record *record) {
    for (uint32_t i = 0; i < record->run_count; i++) {
        if (!is_first_of_kind(record, i))
            continue;
        gate_buf_text(out, i == 0 ? "" : ", ");
        gate_escape_terminal(out, record->runs[i].kind);
    }
}

void gate_record_text_verdict(struct gate_buf *out, const struct gate_record *record) {
    gate_escape_terminal(out, record->verdict.len == 0 ? GATE_STR("unchecked") : record->verdict);
    if (gate_str_equal(record->verdict, GATE_STR("fail")))
        gate_buf_text(out, ", accepted with a reason");
}

/* ---- a table ----------------------------------------------------------------------------------------------------- */

static void put_cell(struct gate_buf *out, const struct gate_record *record, int column) {
    switch (column) {
    case 0:
        gate_escape_terminal(out, record->service);
        break;
    case 1:
        gate_escape_terminal(out, record->environment);
        break;
    case 2:
        gate_escape_terminal(out, gate_record_text_revision(record));
        break;
    case 3:
        gate_buf_printf(out, "%u", (unsigned)record->run_count);
        break;
    case 4:
        gate_record_text_kinds(out, record);
        break;
    case 5:
        gate_record_text_time(out, record->accepted_ms);
        break;
    default:
        gate_record_text_verdict(out, record);
        break;
    }
}

static const char *const heads[COLUMNS] = {"service", "environment", "revision", "runs", "kinds", "accepted", "check"};

static size_t columns_since(const struct gate_buf *out, size_t start) {
    return gate_str_columns((struct gate_str){out->failed ? "" : out->ptr + start, out->failed ? 0 : out->len - start});
}

void gate_record_text_list(struct gate_buf *out, const struct gate_records *records) {
    size_t widths[COLUMNS];
    for (int column = 0; column < COLUMNS; column++) {
        widths[column] = strlen(heads[column]);
        for (uint32_t i = 0; i < records->count; i++) {
            struct gate_buf cell = {0};
            put_cell(&cell, &records->items[i], column);
            size_t width = columns_since(&cell, 0);
            widths[column] = width > widths[column] ? width : widths[column];
            gate_buf_free_part(out, &cell);
        }
    }
    for (uint32_t line = 0; line <= records->count; line++) {
        for (int column = 0; column < COLUMNS; column++) {
            size_t start = out->len;
            if (line == 0)
                gate_buf_text(out, heads[column]);
            else
                put_cell(out, &records->items[line - 1], column);
            if (column + 1 < COLUMNS)
                gate_buf_repeat(out, ' ', widths[column] + GAP - columns_since(out, start));
        }
        gate_buf_char(out, '\n');
    }
}

/* ---- one record -------------------------------------------------------------------------------------------------- */

static void put_label(struct gate_buf *out, unsigned indent, const char *label) {
    size_t width = strlen(label);
    gate_buf_repeat(out, ' ', indent);
    gate_buf_text(out, label);
    gate_buf_repeat(out, ' ', width < LABEL_COLUMNS ? LABEL_COLUMNS - width : 1);
}

static void put_line(struct gate_buf *out, unsigned indent, const char *label, struct gate_str text) {
    if (text.len == 0)
        return;
    put_label(out, indent, label);
    gate_escape_terminal(out, text);
    gate_buf_char(out, '\n');
}

static void put_run_numbers(struct gate_buf *out, const struct gate_record_run *run) {
    put_label(out, 4, "measured");
    gate_buf_printf(out, "%" PRId64 " records", run->samples);
    if (run->duration_ns > 0)
        gate_buf_printf(out, " in %.3g s", (double)run->duration_ns / 1e9);
    if (run->period > 0) {
        gate_buf_printf(out, ", period %" PRId64 " ", run->period);
        gate_escape_terminal(out, run->period_type);
    }
    gate_buf_char(out, '\n');
    if (run->taken_ns > 0) {
        put_label(out, 4, "taken");
        gate_record_text_time(out, run->taken_ns / 1000000);
        gate_buf_char(out, '\n');
    }
    if (run->work > 0) {
        put_label(out, 4, "work");
        gate_buf_number(out, run->work);
        gate_buf_char(out, '\n');
    }
    for (uint32_t i = 0; i < run->by_count; i++) {
        put_label(out, 4, i == 0 ? "work by" : "");
        gate_escape_terminal(out, run->by[i].key);
        gate_buf_char(out, '=');
        gate_escape_terminal(out, run->by[i].value);
        gate_buf_text(out, ": ");
        gate_buf_number(out, run->by[i].number);
        gate_buf_char(out, '\n');
    }
}

static void put_run(struct gate_buf *out, const struct gate_record_run *run, struct gate_str damage) {
    gate_buf_text(out, "  run ");
    gate_escape_terminal(out, run->name);
    gate_buf_char(out, '\n');
    put_line(out, 4, "kind", run->kind);
    put_line(out, 4, "types", run->types);
    put_run_numbers(out, run);
    put_line(out, 4, "language", run->language);
    put_line(out, 4, "build", run->build_id);
    put_line(out, 4, "version", run->version);
    put_line(out, 4, "source", run->source);
    put_line(out, 4, "instance", run->instance);
    put_line(out, 4, "sha256", run->object);
    put_line(out, 4, "damaged", damage);
}

void gate_record_text_show(struct gate_buf *out, const struct gate_record *record, const struct gate_str *damage) {
    gate_escape_terminal(out, record->id);
    gate_buf_char(out, '\n');
    put_line(out, 2, "service", record->service);
    put_line(out, 2, "environment", record->environment);
    put_line(out, 2, "revision", record->revision);
    put_label(out, 2, "accepted");
    gate_record_text_time(out, record->accepted_ms);
    gate_buf_text(out, " UTC");
    if (record->tool.len > 0) {
        gate_buf_text(out, " by ");
        gate_escape_terminal(out, record->tool);
    }
    gate_buf_char(out, '\n');
    put_label(out, 2, "check");
    gate_record_text_verdict(out, record);
    gate_buf_char(out, '\n');
    put_line(out, 2, "reason", record->reason);
    for (uint32_t i = 0; i < record->fact_count; i++) {
        put_label(out, 2, i == 0 ? "facts" : "");
        gate_escape_terminal(out, record->facts[i].key);
        gate_buf_text(out, ": ");
        gate_escape_terminal(out, record->facts[i].value);
        gate_buf_char(out, '\n');
    }
    for (uint32_t i = 0; i < record->run_count; i++)
        put_run(out, &record->runs[i], damage == NULL ? GATE_STR("") : damage[i]);
}
