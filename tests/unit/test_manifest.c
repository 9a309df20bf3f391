/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests: a written manifest reads back unchanged, and the message of a bad one names the mistake. */
#include "gate/base/hash.h"
#include "gate/capture/manifest.h"
#include "sweep.h"
#include "tests/unit/unit.h"

#include <math.h>

#define DIGEST "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define RUN(more)                                                                                                      \
    "{\"round\": 1, \"side\": \"canary\", \"kind\": \"cpu\", \"file\": \"a.pb.gz\", " more                             \
    "\"start_ms\": 5, \"end_ms\": 9, \"digest\": \"" DIGEST "\"}"
#define MANIFEST(runs) "{\"schema\": \"pprofgate-manifest/1\", \"runs\": [" runs "]}"

static struct gate_manifest_work by_label[] = {{{"endpoint", 8}, {"/a \"b\"", 6}, 12.5}, {{"endpoint", 8}, {"", 0}, 0}};

static struct gate_manifest_run sample_run(const char *file) {
    return (struct gate_manifest_run){.round = 3,
                                      .side = GATE_CANARY,
                                      .kind = GATE_STR("cpu"),
                                      .file = gate_str_from(file),
                                      .source = GATE_STR("http://h:1/debug/pprof/profile?seconds=30"),
                                      .instance = GATE_STR("h:1"),
                                      .start_ms = 1700000000123,
                                      .end_ms = 1700000030456,
                                      .work = 39752,
                                      .by = by_label,
                                      .by_count = 2,
                                      .digest = GATE_STR(DIGEST),
                                      .revision = GATE_STR("abc")};
}

TEST(what_is_written_is_read) {
    struct gate_manifest manifest, again;
    AT_END(gate_buf_free) struct gate_buf text = {0}, second = {0};
    gate_manifest_begin(&manifest);
    manifest.host = (struct gate_manifest_host){4, GATE_STR("a cpu"), GATE_STR("Linux 6"), 0.25};
    manifest.interleaved = true;
    struct gate_manifest_run run = sample_run("one.pb.gz");
    assert_true(gate_manifest_add(&manifest, &run, &arena, &err));
    run = (struct gate_manifest_run){
        .round = 1, .kind = GATE_STR("heap"), .file = GATE_STR("d/two"), .digest = GATE_STR(DIGEST)};
    assert_true(gate_manifest_add(&manifest, &run, &arena, &err));
    assert_true(gate_manifest_write(&text, &manifest));
    assert_true(gate_manifest_read(&again, gate_buf_view(&text), &arena, &err));
    assert_int_equal(again.count, 2);
    assert_true(again.interleaved);
    assert_int_equal(again.host.cpus, 4);
    assert_true(again.runs[0].by_count == 2 && again.runs[0].by[0].number == 12.5);
    assert_true(gate_str_equal(again.runs[0].by[0].value, GATE_STR("/a \"b\"")));
    assert_true(again.runs[0].end_ms == 1700000030456 && again.runs[0].work == 39752);
    assert_int_equal(again.runs[1].side, GATE_BASELINE);
    assert_int_equal(gate_manifest_last_round(&again), 3);
    assert_true(gate_manifest_write(&second, &again));
    assert_true(gate_str_equal(gate_buf_view(&text), gate_buf_view(&second)));
}

TEST(the_digest_of_no_bytes_is_the_standards) {
    assert_true(gate_str_equal(gate_sha256_hex(GATE_STR(""), &arena), GATE_STR(DIGEST)));
}

/* A manifest and a part of its error message. If `message` is NULL, reading succeeds. */
static const struct refusal {
    const char *text, *message;
} refusals[] = {
    {MANIFEST(""), NULL},
    {MANIFEST(RUN("")), NULL},
    {MANIFEST(RUN("\"work\": 3, \"source\": \"\", ")), NULL},
    {"", "expected a manifest in JSON, found in line 1: "},
    {"[]", "the manifest: expected a map with 'schema'"},
    {"{\"runs\": []}", "expected a text in 'schema'"},
    {"{\"schema\": \"pprofgate-manifest/2\", \"runs\": []}", "found 'pprofgate-manifest/2'"},
    {"{\"schema\": \"pprofgate-manifest/1\"}", "expected a list in 'runs'"},
    {"{\"schema\": \"pprofgate-manifest/1\", \"runs\": [], \"x\": 1}", "unknown key 'x'"},
    {"{\"schema\": \"pprofgate-manifest/1\", \"schema\": \"pprofgate-manifest/1\", \"runs\": []}",
     "in JSON, found in line 1: duplicate"},
    {"{\"schema\": \"pprofgate-manifest/1\", \"runs\": [], \"host\": {\"cpus\": 0}}", "host: expected a whole number"},
    {"{\"schema\": \"pprofgate-manifest/1\", \"runs\": [], \"interleaved\": 1}", "true or false"},
    {MANIFEST("1"), "runs[0]: expected a map"},
    {MANIFEST("{\"round\": 1, \"side\": \"left\"}"), "baseline or canary, found 'left'"},
    {MANIFEST("{\"round\": 0}"), "runs[0]: expected a whole number from 1"},
    {MANIFEST("{\"round\": 1, \"side\": \"canary\"}"), "a text in 'kind'"},
    {MANIFEST(RUN("\"work\": -1, ")), "zero or more in 'work'"},
    {MANIFEST(RUN("\"work\": \"3\", ")), "zero or more in 'work'"},
    {MANIFEST(RUN("\"work_by\": 1, ")), "a list in 'work_by'"},
    {MANIFEST(RUN("\"work_by\": [{\"label\": \"a\", \"value\": \"b\"}], ")), "zero or more in 'work'"},
    {MANIFEST(RUN("\"tries\": 1, ")), "unknown key 'tries'"},
    {MANIFEST(RUN("") ", " RUN("")), "that of runs[0] too"},
};

TEST(errors_name_the_mistake) {
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct gate_manifest manifest;
        struct gate_error err = {0};
        bool ok = gate_manifest_read(&manifest, gate_str_from(refusals[i].text), &arena, &err);
        if (ok != (refusals[i].message == NULL) || (!ok && strstr(err.message, refusals[i].message) == NULL))
            fail_msg("%s: %s", refusals[i].text, err.message);
        assert_true(ok || err.code == GATE_ERR_CONFIG);
    }
}

TEST(a_path_that_leaves_the_folder_is_refused) {
    static const char *const outside[] = {"/etc/passwd", "../a", "a/../../b", "..", ".", "a//b", "a/", "", "./a"};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        struct gate_manifest manifest;
        struct gate_error err = {0};
        gate_manifest_begin(&manifest);
        const struct gate_manifest_run run = sample_run(outside[i]);
        assert_false(gate_manifest_add(&manifest, &run, &arena, &err));
        assert_non_null(strstr(err.message, "inside the folder"));
    }
}

/* gate_manifest_add refuses runs that gate_manifest_read would refuse as well. Row `i` makes one field of a good run
 * wrong. */
TEST(a_bad_run_is_not_added) {
    static char long_kind[4096];
    static struct gate_manifest_work no_label[] = {{{"", 0}, {"/a", 2}, 1}}, no_number[] = {{{"e", 1}, {"/a", 2}, NAN}},
                                     less[] = {{{"e", 1}, {"/a", 2}, -1}};
    memset(long_kind, 'k', sizeof long_kind - 1);
    for (int i = 0; i < 11; i++) {
        static const char *const told[] = {"a 'round' of 1 or more",
                                           "a 'kind'",
                                           "a 'kind'",
                                           "64 hexadecimal digits",
                                           "64 hexadecimal digits",
                                           "is before 'start_ms'",
                                           "of zero or more, found",
                                           "of zero or more, found",
                                           "'work_by'",
                                           "'work_by'",
                                           "'work_by'"};
        struct gate_manifest_run run = sample_run("a.pb.gz");
        struct gate_manifest manifest;
        struct gate_error err = {0};
        gate_manifest_begin(&manifest);
        run.round = i == 0 ? 0 : run.round;
        run.kind = i == 1 ? GATE_STR("") : i == 2 ? gate_str_from(long_kind) : run.kind;
        run.digest = i == 3 ? GATE_STR("abc") : i == 4 ? gate_str_from(long_kind) : run.digest;
        run.end_ms = i == 5 ? run.start_ms - 1 : run.end_ms;
        run.work = i == 6 ? INFINITY : i == 7 ? -1 : run.work;
        run.by = i == 8 ? no_label : i == 9 ? no_number : i == 10 ? less : run.by;
        run.by_count = i >= 8 ? 1 : run.by_count;
        assert_false(gate_manifest_add(&manifest, &run, &arena, &err));
        if (err.code != GATE_ERR_CONFIG || strstr(err.message, told[i]) == NULL)
            fail_msg("expected '%s', found '%s'", told[i], err.message);
        assert_int_equal(manifest.count, 0);
    }
}

TEST(a_full_arena_is_a_clean_error) {
    const struct gate_str text = GATE_STR(MANIFEST(RUN("\"source\": \"http://h/\", ")));
    struct gate_manifest manifest;
    for (struct sweep s = {0}; sweep_next(&s, 16);)
        s.done = gate_manifest_read(&manifest, text, &s.arena, &s.err);
}
