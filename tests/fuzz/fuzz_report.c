/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary lines as stacks, with frames separated by ';', through every report. Even lines weigh more in the canary.
 * JSON reports stay valid, and no name opens an element. Corpus: tests/fuzz/corpus/report. */
#include "gate/base/hash.h"
#include "gate/report/report.h"
#include "tests/unit/verdict_fixture.h"

#include <jansson.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static const struct gate_report_format *const json_reports[] = {&gate_report_json, &gate_report_codequality,
                                                                &gate_report_sarif, &gate_report_speedscope};
static const struct gate_report_format *const other_reports[] = {&gate_report_terminal, &gate_report_junit,
                                                                 &gate_report_markdown, &gate_report_openmetrics,
                                                                 &gate_report_folded,   &gate_report_github};

static size_t count_of(struct gate_str text, const char *needle) {
    size_t count = 0;
    for (size_t at = 0; (at = gate_str_find(text, gate_str_from(needle), at)) != SIZE_MAX; at++)
        count++;
    return count;
}

static void stack_of_line(struct fixture *f, struct gate_str line, int64_t baseline, int64_t canary) {
    struct gate_str names[64];
    uint32_t count = 0;
    while (count < 64) {
        size_t end = gate_str_find(line, GATE_STR(";"), 0);
        names[count] = gate_str_repair_utf8(&f->arena, gate_str_slice(line, 0, end));
        if (names[count++].ptr == NULL || end == SIZE_MAX)
            break;
        line = gate_str_slice(line, end + 1, line.len);
    }
    fixture_stack_of(f, names, count, baseline, canary);
}

static struct gate_buf written(const struct gate_report_format *report, struct fixture *f) {
    struct gate_report_options options = {.min_share = 0.001, .columns = 80, .byte_limit = 4096, .frame_limit = 20};
    struct gate_buf out = {0};
    struct gate_error err = {0};
    GATE_ASSERT(report->write(&out, &f->verdict, &options, &f->arena, &err));
    return out;
}

enum {
    JSON_REPORTS = sizeof json_reports / sizeof *json_reports,
    OTHER_REPORTS = sizeof other_reports / sizeof *other_reports,
    REPORTS = JSON_REPORTS + OTHER_REPORTS + 1
};

/* Fuzzing writes one report of each input, which the input's bytes select: all of them take 6 ms. */
static bool is_written(size_t report, struct gate_str input) {
#ifdef FUZZ_REPLAY
    (void)report;
    (void)input;
    return true;
#else
    return report == gate_hash_bytes(input.ptr, input.len, 0) % REPORTS;
#endif
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    if (len > 16384)
        return 0;
    struct fixture *f = calloc(1, sizeof *f);
    const struct gate_str input = {len == 0 ? "" : (const char *)bytes, len};
    struct gate_str rest = input;
    fixture_init(f);
    fixture_stack(f, "main;work", 200, 100);
    for (int line = 0; rest.len > 0 && line < 200; line++) {
        size_t end = gate_str_find(rest, GATE_STR("\n"), 0);
        stack_of_line(f, gate_str_slice(rest, 0, end), line % 2 ? 300 : 40, line % 2 ? 40 : 300);
        rest = end == SIZE_MAX ? GATE_STR("") : gate_str_slice(rest, end + 1, rest.len);
    }
    fixture_seal(f);
    f->comparison.name = f->comparison.pair.frames[f->frames.count - 1].name;
    fixture_budget(f, "main", GATE_OUTCOME_FAIL, "work", GATE_SELF);
    fixture_causes(f);
    f->findings[0].function = f->findings[0].text = f->budgets[0].name = f->comparison.name;
    for (size_t i = 0; i < JSON_REPORTS; i++) {
        if (!is_written(i, input))
            continue;
        struct gate_buf out = written(json_reports[i], f);
        json_error_t error;
        json_t *root = json_loadb(out.ptr, out.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
        GATE_ASSERT(root != NULL);
        json_decref(root);
        gate_buf_free(&out);
    }
    for (size_t i = 0; i < OTHER_REPORTS; i++) {
        if (!is_written(JSON_REPORTS + i, input))
            continue;
        struct gate_buf out = written(other_reports[i], f);
        gate_buf_free(&out);
    }
    if (is_written(REPORTS - 1, input)) {
        struct gate_buf page = written(&gate_report_html, f);
        GATE_ASSERT(count_of(gate_buf_view(&page), "<script") == 2 && count_of(gate_buf_view(&page), "</script") == 2);
        gate_buf_free(&page);
    }
    gate_arena_free(&f->arena);
    free(f);
    return 0;
}
