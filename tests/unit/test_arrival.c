/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of captured answers: real profiles of each kind, and answers that are not profiles. */
#include "gate/capture/capture.h"

#include "gate/formats/format.h"
#include "tests/unit/unit.h"

#define GO GATE_SOURCE_DIR "/fixtures/go-service/"
#define BAD GATE_SOURCE_DIR "/fixtures/bad/"

static bool check(struct gate_arrival *out, struct gate_str bytes, enum gate_capture_kind kind,
                  struct gate_arena *arena, struct gate_error *err) {
    const struct gate_limits limits = gate_limits_default();
    return gate_arrival_check(out, bytes, kind, &limits, arena, err);
}

static bool check_file(const char *path, enum gate_capture_kind kind, struct gate_arrival *out,
                       struct gate_arena *arena, struct gate_error *err) {
    const struct gate_limits limits = gate_limits_default();
    struct gate_str bytes;
    assert_true(gate_source_read(&bytes, gate_str_from(path), &limits, arena, err));
    return check(out, bytes, kind, arena, err);
}

TEST(profiles_are_accepted_only_as_their_kind) {
    static const struct {
        const char *path;
        enum gate_capture_kind kind;
        const char *message; /* part of the error message; NULL: accepted */
    } rows[] = {
        {GO "cpu/baseline-1.pb.gz", GATE_CAPTURE_CPU, NULL},
        {GO "heap/baseline-1.pb.gz", GATE_CAPTURE_HEAP, NULL},
        {GO "heap/baseline-1.pb.gz", GATE_CAPTURE_ALLOCS, NULL},
        {GO "mutex/baseline-1.pb.gz", GATE_CAPTURE_MUTEX, NULL},
        {GO "block/baseline-1.pb.gz", GATE_CAPTURE_BLOCK, NULL},
        {BAD "no-samples.pb.gz", GATE_CAPTURE_CPU, "the cpu profile has no samples: was the program idle?"},
        {GO "cpu/baseline-1.pb.gz", GATE_CAPTURE_HEAP, "of the kind 'cpu' (it counts 'cpu'), expected 'heap'"},
        {GO "cpu/baseline-1.pb.gz", GATE_CAPTURE_GOROUTINE, "of the kind 'cpu'"},
        {GO "heap/baseline-1.pb.gz", GATE_CAPTURE_WALL, "of the kind 'heap'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_error err = {0};
        struct gate_arrival arrival;
        bool ok = check_file(rows[i].path, rows[i].kind, &arrival, &arena, &err);
        if (ok != (rows[i].message == NULL) || (!ok && strstr(err.message, rows[i].message) == NULL))
            fail_msg("%s: %s", rows[i].path, err.message);
        if (ok)
            assert_string_equal(arrival.extension, ".pb.gz");
        if (ok)
            assert_true(arrival.build.len == 40);
    }
}

TEST(a_profile_of_waits_may_be_empty) {
    struct gate_arrival arrival;
    assert_true(check_file(BAD "block-empty.pb.gz", GATE_CAPTURE_BLOCK, &arrival, &arena, &err) && arrival.is_empty);
    assert_true(check_file(GO "block/baseline-1.pb.gz", GATE_CAPTURE_BLOCK, &arrival, &arena, &err));
    assert_false(arrival.is_empty);
}

TEST(an_answer_that_is_not_a_profile_is_described) {
    static const char *const texts[][2] = {
        {"", "the answer is empty"},
        {" \n<!DOCTYPE html>", "a web page and not a profile"},
        {"\x1f\x8b\x08", ""},
        {"goroutine 1 [running]:\n", ""},
        {"<", ""},
        {" ", ""},
        {"<html", "a web page and not a profile"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct gate_error err = {0};
        struct gate_arrival arrival;
        assert_false(check(&arrival, gate_str_from(texts[i][0]), GATE_CAPTURE_CPU, &arena, &err));
        assert_non_null(strstr(err.message, texts[i][1]));
        assert_true(err.message[0] != '\0');
    }
}
