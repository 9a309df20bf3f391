/* SPDX-License-Identifier: Apache-2.0 */
/* From a path to a profile: real files, if they are present, and other kinds of files that users pass by mistake. */
#include "gate/base/hash.h"
#include "gate/formats/deflate.h"
#include "gate/formats/format.h"
#include "tests/unit/profile_fixture.h"

static bool load_file(struct gate_profile *out, const char *path, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str bytes;
    return gate_source_read(&bytes, gate_str_from(path), NULL, arena, err) &&
           gate_profile_load(out, bytes, NULL, arena, err);
}

/* One line of the corpus' MANIFEST.csv: file in column 0, samples in 6, locations in 12, functions in 13. */
static void check_corpus_file(char *line) {
    char *columns[20] = {0};
    size_t count = 0;
    for (char *at = line; at != NULL && count < 20; count++) {
        columns[count] = at;
        if (*at == '"') { /* only label keys are quoted; they follow the columns used here */
            break;
        }
        at = strchr(at, ',');
        if (at != NULL)
            *at++ = '\0';
    }
    char path[1024];
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_profile profile;
    bool is_of_java = strstr(columns[0], "java.contention") != NULL; /* a text format that lists frames at its end */
    (void)snprintf(path, sizeof path, "%s/corpus/%s", GATE_SHARED_DIR, columns[0]);
    bool ok = load_file(&profile, path, &arena, &err);
    if (ok == is_of_java)
        fail_msg("%s: %s", columns[0], ok ? "was read" : err.message);
    if (ok) {
        assert_int_equal(profile.sample_count, strtoull(columns[6], NULL, 10));
        assert_int_equal(profile.location_count, strtoull(columns[12], NULL, 10));
        assert_int_equal(profile.function_count, strtoull(columns[13], NULL, 10));
    } else {
        assert_non_null(strstr(err.message, "go tool pprof -proto"));
    }
}

TEST(real_profiles_load_with_the_counts_of_their_manifest) {
    skip_without_reference_profiles();
    char line[4096];
    size_t rows = 0;
    FILE *manifest = fopen(GATE_SHARED_DIR "/corpus/MANIFEST.csv", "r");
    assert_non_null(manifest);
    assert_non_null(fgets(line, sizeof line, manifest));
    while (fgets(line, sizeof line, manifest) != NULL) {
        check_corpus_file(line);
        rows++;
    }
    (void)fclose(manifest);
    assert_int_equal(rows, 30);
}

TEST(other_files_are_refused_by_name) {
    static const struct {
        struct gate_str bytes;
        const char *part;
    } rows[] = {
        {{"", 0}, "empty"},
        {{"<!DOCTYPE html>\n<html>", 22}, "an HTML page"},
        {{"\n  <html><body>", 15}, "an HTML page"},
        {{"404 page not found\n", 19}, "'404 page not found'"},
        {{"{\"error\": \"no such job\"}", 24}, "JSON"},
        {{"--- threadz 1 ---\n", 18}, "go tool pprof -proto"},
        {{"PeakRSS: 1\n", 11}, "go tool pprof -proto"},
        {{"goroutine 1 [running]:\n", 23}, "without debug=2"},
        {{"{\"type\":\"meta\",\"v\":0,\"run_id\":\"7\"}\n", 35}, "profiling.sampling run --gecko"},
        {{"HCAT\1\0\0\0\3\17", 10}, "profiling.sampling replay --gecko"},
        {{"{\xa9\3\xda\1~", 6}, "pstats"},
        {{"\xfb)\3\xfa\10<", 6}, "pstats"},
        {{"FLR\0\0\2", 6}, "the recording is truncated in the header of its chunk 1"},
        {{"PERFILE2\0\0", 10}, "perf script"},
        {{"go 1.25 trace\0\0\0", 16}, "go tool trace"},
        {{"Nettrace\x14\0\0\0", 12}, "dotnet-trace"},
        {{"\x7f"
          "ELF\2\1\1",
          7},
         "ELF"},
        {{"PK\3\4\0\0", 6}, "zip"},
        {{"\x0a\x06\x0a\x02\x0a\x00\x12\x00", 8}, "an OTLP message without a profile"},
        {{"\0\0\0\0", 4}, "malformed protobuf at byte 0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_error(rows[i].bytes, NULL, GATE_ERR_FORMAT, rows[i].part);
}

/* A compressed file that inflates to more than --max-size is refused by its first bytes if these are not the start of a
 * profile. Otherwise it is refused for its size. Fields of pprof are length-delimited (type 2) and have small
 * numbers. */
TEST(the_start_of_a_large_file_is_checked_first) {
    enum { HEAD_BYTES = 68 * 1024, PLAIN_BYTES = 100 * 1024 };
    static const struct {
        struct gate_str head;
        size_t zero_at; /* where a field has the number 0, which ends what can be read; or 0 */
        const char *part;
    } rows[] = {
        {{"\x32\xff\xff\x7f", 4}, 0, "--max-size"},                       /* field 6, 2 MiB */
        {{"\x82\x04\xff\xff\x7f", 5}, 0, "--max-size"},                   /* field 64 */
        {{"\x8a\x04\xff\xff\x7f", 5}, 0, "malformed protobuf at byte 0"}, /* field 65 */
        {{"\x02\xff\xff\x7f", 4}, 0, "malformed protobuf at byte 0"},     /* field 0 */
        {{"\x33\xff\xff\x7f", 4}, 0, "malformed protobuf at byte 0"},     /* a group */
        {{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11}, 0, "malformed protobuf at byte 0"},
        {{"\x32\x03gap\x02\xff\xff\x7f", 9}, 0, "malformed protobuf at byte 5"},
        {{"\x32\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12}, 0, "malformed protobuf at byte 0"},
        {{"\x32\xe8\x9f\x04", 4}, HEAD_BYTES - 20, "--max-size"}, /* 69608 bytes: the rest may be a truncated field */
        {{"\x32\xe7\x9f\x04", 4}, HEAD_BYTES - 21, "malformed protobuf at byte 69611"},
    };
    const struct gate_limits limits = {.inflated_bytes = 80 * 1024};
    char *plain = malloc(PLAIN_BYTES);
    assert_non_null(plain);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int container = GATE_CONTAINER_GZIP; container <= GATE_CONTAINER_ZSTD; container++) {
            AT_END(gate_buf_free) struct gate_buf packed = {0};
            for (uint32_t at = 0; at < PLAIN_BYTES; at++) /* not compressible */
                plain[at] = (char)gate_hash_mix(at);
            memcpy(plain, rows[i].head.ptr, rows[i].head.len);
            if (rows[i].zero_at != 0)
                plain[rows[i].zero_at] = '\0';
            assert_true(gate_container_write(&packed, (struct gate_str){plain, PLAIN_BYTES},
                                             (enum gate_container)container, &err));
            expect_error(gate_buf_view(&packed), &limits,
                         strcmp(rows[i].part, "--max-size") == 0 ? GATE_ERR_LIMIT : GATE_ERR_FORMAT, rows[i].part);
        }
    free(plain);
}

/* The default limits are those of the help and of docs/formats.md. */
TEST(the_caps_are_those_of_the_help) {
    const struct gate_limits limits = gate_limits_default();
    assert_true(limits.compressed_bytes == (size_t)1 << 30);
    assert_true(limits.inflated_bytes == (size_t)2 << 30);
    assert_true(limits.memory_bytes == (size_t)4 << 30);
    assert_int_equal(limits.samples, 100000000);
    assert_int_equal(limits.depth, 16384);
    assert_int_equal(limits.lines, 4096);
    assert_int_equal(limits.labels, 256);
    assert_int_equal(limits.strings, 50000000);
}

TEST(errors_of_unreadable_files_have_a_cause) {
    struct gate_str bytes;
    struct gate_limits limits = {.compressed_bytes = 10};
    assert_false(gate_source_read(&bytes, GATE_STR("no/such/file.pb.gz"), NULL, &arena, &err));
    assert_int_equal(err.code, GATE_ERR_IO);
    assert_false(gate_source_read(&bytes, GATE_STR("/"), NULL, &arena, &err));
    assert_non_null(strstr(err.message, "a directory"));
    assert_false(gate_source_read(&bytes, GATE_STR(""), NULL, &arena, &err));
    assert_false(gate_source_read(&bytes, (struct gate_str){"a\0b", 3}, NULL, &arena, &err));
    assert_false(gate_source_read(&bytes, GATE_STR(GATE_SOURCE_DIR "/CMakeLists.txt"), &limits, &arena, &err));
    assert_int_equal(err.code, GATE_ERR_LIMIT);
    assert_non_null(strstr(err.message, "--max-compressed-size"));
    assert_true(gate_source_read(&bytes, GATE_STR("/dev/null"), NULL, &arena, &err));
    assert_int_equal(bytes.len, 0);
}
