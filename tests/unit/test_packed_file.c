/* SPDX-License-Identifier: Apache-2.0 */
/* Files decompressed over themselves: the profile equals that of the usual reader, and files that cannot be read this
 * way are left to it. */
#include "gate/formats/format.h"
#include "gate/formats/inflate.h"
#include "profile_fixture.h"

#include "gate/base/hash.h"
#include "gate/formats/deflate.h"

#include <unistd.h>

enum { NAMES = 4000, NAME_DIGITS = 1024 };

struct file {
    char path[40];
    struct gate_buf packed;
};

/* A profile without samples. Its strings are random hexadecimal digits, which gzip compresses to about half. */
static void profile_write(struct gate_buf *out, uint64_t seed) {
    gate_wire_put_bytes(out, 1, GATE_STR("\x08\x01\x10\x02"));
    gate_wire_put_bytes(out, 6, GATE_STR(""));
    gate_wire_put_bytes(out, 6, GATE_STR("cpu"));
    gate_wire_put_bytes(out, 6, GATE_STR("nanoseconds"));
    for (uint64_t i = 0; i < NAMES; i++) {
        char name[NAME_DIGITS + 1];
        for (uint64_t part = 0; part < NAME_DIGITS / 16; part++)
            (void)snprintf(name + part * 16, 17, "%016llx", (unsigned long long)gate_hash_mix(seed + i * 64 + part));
        gate_wire_put_bytes(out, 6, (struct gate_str){name, NAME_DIGITS});
    }
}

static void pack(struct gate_buf *packed, struct gate_str plain, enum gate_container container) {
    assert_true(gate_container_write(packed, plain, container, &err));
}

static void profile_pack(struct gate_buf *packed, enum gate_container container) {
    AT_END(gate_buf_free) struct gate_buf plain = {0};
    profile_write(&plain, packed->len);
    pack(packed, gate_buf_view(&plain), container);
}

static void file_write(struct file *file) {
    (void)snprintf(file->path, sizeof file->path, "/tmp/pprofgate-packed-XXXXXX");
    int descriptor = mkstemp(file->path);
    assert_true(descriptor >= 0);
    FILE *stream = fdopen(descriptor, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(file->packed.ptr, 1, file->packed.len, stream), file->packed.len);
    assert_int_equal(fclose(stream), 0);
}

static void file_end(struct file *file) {
    (void)unlink(file->path);
    gate_buf_free(&file->packed);
}

enum outcome { IS_LEFT, FAILS, LOADS };

static enum outcome outcome_of(struct gate_profile *out, const struct file *file, const struct gate_limits *limits,
                               struct gate_arena *arena) {
    struct gate_packed_file packed;
    size_t used = arena->used_bytes;
    if (!gate_packed_file_read(&packed, gate_str_from(file->path), limits, arena)) {
        assert_int_equal(arena->used_bytes, used);
        return IS_LEFT;
    }
    assert_int_equal(packed.packed.len, file->packed.len);
    assert_memory_equal(packed.packed.ptr, file->packed.ptr, file->packed.len);
    return gate_packed_file_load(out, &packed, limits, arena, arena) ? LOADS : FAILS;
}

static void expect(enum outcome wanted, struct file *file, const struct gate_limits *limits) {
    struct gate_arena arena = {0};
    struct gate_profile profile;
    file_write(file);
    assert_int_equal(outcome_of(&profile, file, limits, &arena), wanted);
    gate_arena_free(&arena);
    file_end(file);
}

TEST(a_large_packed_file_is_the_profile_that_it_is) {
    AT_END(file_end) struct file file = {.path = ""};
    struct gate_profile profile, usual;
    profile_pack(&file.packed, GATE_CONTAINER_GZIP);
    file_write(&file);
    assert_int_equal(outcome_of(&profile, &file, NULL, &arena), LOADS);
    assert_true(gate_profile_load(&usual, gate_buf_view(&file.packed), NULL, &arena, &err));
    assert_int_equal(profile.container, GATE_CONTAINER_GZIP);
    assert_int_equal(profile.format, GATE_FORMAT_PPROF);
    assert_int_equal(profile.sample_type_count, 1);
    assert_true(gate_str_equal(profile.sample_types[0].type, GATE_STR("cpu")));
    assert_int_equal(profile.bytes.len, usual.bytes.len);
    assert_memory_equal(profile.bytes.ptr, usual.bytes.ptr, usual.bytes.len);
}

/* Loading takes memory for the decompressed bytes, the margin and the tables, but not for the compressed bytes. */
TEST(loading_takes_no_memory_for_the_compressed_bytes) {
    AT_END(file_end) struct file file = {.path = ""};
    struct gate_arena_pool pool = {0};
    struct gate_arena arena = {.pool = &pool};
    struct gate_profile profile;
    profile_pack(&file.packed, GATE_CONTAINER_GZIP);
    file_write(&file);
    size_t plain = NAMES * (NAME_DIGITS + 3) + 26, margin = gate_inflate_margin(file.packed.len);
    pool.limit_bytes = plain + margin + (NAMES + 4) * sizeof(struct gate_str) + 512 * 1024;
    assert_true(pool.limit_bytes < plain + file.packed.len);
    assert_int_equal(outcome_of(&profile, &file, NULL, &arena), LOADS);
    assert_int_equal(profile.bytes.len, plain);
    gate_arena_free(&arena);
    pool.limit_bytes = plain;
    assert_int_equal(outcome_of(&profile, &file, NULL, &arena), IS_LEFT);
    gate_arena_free(&arena);
}

TEST(only_large_gzip_files_are_inflated_in_place) {
    struct file file = {.path = ""};
    struct gate_arena arena = {0};
    struct gate_profile profile;
    profile_write(&file.packed, 0);
    expect(IS_LEFT, &file, NULL);
    profile_pack(&file.packed, GATE_CONTAINER_ZSTD);
    expect(IS_LEFT, &file, NULL);
    pack(&file.packed, GATE_STR("small"), GATE_CONTAINER_GZIP);
    expect(IS_LEFT, &file, NULL);
    (void)snprintf(file.path, sizeof file.path, "/tmp");
    assert_int_equal(outcome_of(&profile, &file, NULL, &arena), IS_LEFT);
    (void)snprintf(file.path, sizeof file.path, "/nowhere/to/be/found");
    assert_int_equal(outcome_of(&profile, &file, NULL, &arena), IS_LEFT);
}

TEST(files_over_a_size_limit_are_left_to_the_usual_reader) {
    const struct gate_limits limits[] = {{.inflated_bytes = 1024 * 1024}, {.compressed_bytes = 1024 * 1024}};
    for (size_t i = 0; i < 2; i++) {
        struct file file = {.path = ""};
        profile_pack(&file.packed, GATE_CONTAINER_GZIP);
        expect(IS_LEFT, &file, &limits[i]);
    }
}

TEST(several_members_fail) {
    struct file file = {.path = ""};
    pack(&file.packed, GATE_STR(""), GATE_CONTAINER_GZIP);
    profile_pack(&file.packed, GATE_CONTAINER_GZIP);
    expect(FAILS, &file, NULL);
}

TEST(damaged_files_fail) {
    for (size_t part = 1; part < 8; part++) {
        struct file file = {.path = ""};
        profile_pack(&file.packed, GATE_CONTAINER_GZIP);
        file.packed.ptr[file.packed.len / 8 * part] ^= 4;
        expect(FAILS, &file, NULL);
    }
}

TEST(files_compressed_twice_fail) {
    struct file file = {.path = ""};
    struct gate_buf once = {0};
    profile_pack(&once, GATE_CONTAINER_GZIP);
    for (int i = 0; i < 1024 * 1024; i++)
        gate_buf_char(&once, '\0');
    pack(&file.packed, gate_buf_view(&once), GATE_CONTAINER_GZIP);
    gate_buf_free(&once);
    expect(FAILS, &file, NULL);
}

TEST(files_that_are_not_profiles_fail_at_their_beginning) {
    struct file file = {.path = ""};
    struct gate_buf plain = {0};
    for (int i = 0; i < 70 * 1024; i++)
        gate_buf_char(&plain, '\0');
    profile_write(&plain, 0);
    pack(&file.packed, gate_buf_view(&plain), GATE_CONTAINER_GZIP);
    gate_buf_free(&plain);
    expect(FAILS, &file, NULL);
}
