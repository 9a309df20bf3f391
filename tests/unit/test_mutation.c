/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles split into fields and put together differently. A mutated profile is refused or consistent, and the order of
 * fields does not matter. The mutations follow a fixed sequence, so a failure can be reproduced. */
#include "gate/formats/format.h"
#include "gate/formats/inflate.h"
#include "gate/formats/merge.h"
#include "gate/model/stacks.h"
#include "gate/model/wire.h"
#include "profile_fixture.h"

enum { FIELDS_MAX = 4096, MUTATIONS = 400, INFLATED_MAX = 1 << 18 };

struct parts {
    struct gate_str fields[FIELDS_MAX];
    size_t count;
};

static uint64_t next_random(uint64_t *state) {
    *state = gate_hash_mix(*state);
    return *state;
}

static bool parts_split(struct parts *parts, struct gate_str bytes) {
    struct gate_wire wire = gate_wire_of(bytes);
    struct gate_wire_field field;
    parts->count = 0;
    while (wire.at < wire.end) {
        const uint8_t *start = wire.at;
        if (!gate_wire_next(&wire, &field) || parts->count == FIELDS_MAX)
            return false;
        parts->fields[parts->count++] = (struct gate_str){(const char *)start, (size_t)(wire.at - start)};
    }
    return parts->count != 0;
}

/* Write the total of each column to `sums`, and check that the joined stacks add up to it. Returns false if the profile
 * does not decode. */
static bool sums_of(int64_t *sums, struct gate_str bytes) {
    struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_profile profile;
    /* an exact allocation, so that ASan reports reads past the end */
    char *exact = malloc(bytes.len == 0 ? 1 : bytes.len);
    if (bytes.len != 0)
        memcpy(exact, bytes.ptr, bytes.len);
    memset(sums, 0, GATE_VALUES_MAX * sizeof *sums);
    bool ok = gate_profile_load(&profile, (struct gate_str){exact, bytes.len}, NULL, &arena, &err);
    assert_true(ok || (err.code != GATE_OK && err.message[0] != '\0'));
    for (uint32_t i = 0; ok && i < profile.sample_type_count; i++) {
        struct gate_counts_model model = gate_counts_choose(&profile, i, NULL);
        struct gate_stacks stacks;
        int64_t joined = 0;
        if (!gate_stacks_collect(&stacks, &profile, &model, NULL, NULL, NULL, &arena, &err)) {
            assert_int_equal(err.code, GATE_ERR_OVERFLOW);
            continue;
        }
        for (uint32_t j = 0; j < stacks.count; j++)
            joined += gate_stacks_at(&stacks, j).value;
        assert_int_equal(joined, stacks.total);
        assert_int_equal(stacks.record_count, profile.sample_count);
        sums[i] = joined;
    }
    gate_arena_free(&arena);
    free(exact);
    return ok;
}

/* One change: a field left out, duplicated or swapped with another, one byte of it changed, or its length one too
 * large. */
static void mutate(struct gate_buf *out, const struct parts *parts, uint64_t *random) {
    size_t a = next_random(random) % parts->count, b = next_random(random) % parts->count;
    uint64_t kind = next_random(random) % 6;
    for (size_t i = 0; i < parts->count; i++) {
        if (kind == 0 && i == a)
            continue;
        if (kind == 1 && i == a)
            gate_buf_str(out, parts->fields[b]);
        size_t from = kind == 2 && i == a ? b : kind == 2 && i == b ? a : i;
        size_t at = out->len;
        gate_buf_str(out, parts->fields[from]);
        if (kind >= 3 && i == a)
            out->ptr[at + next_random(random) % parts->fields[from].len] =
                (char)(kind == 3 ? 0xFF : next_random(random));
        if (kind == 5 && i == a && parts->fields[from].len > 2)
            out->ptr[at + 1] = (char)(out->ptr[at + 1] + 1);
    }
}

static void mutations_check(struct gate_str bytes, size_t *decoded, size_t *refused) {
    struct parts *parts = malloc(sizeof *parts);
    int64_t sums[GATE_VALUES_MAX];
    uint64_t random = bytes.len;
    if (parts_split(parts, bytes))
        for (int i = 0; i < MUTATIONS; i++) {
            AT_END(gate_buf_free) struct gate_buf changed = {0};
            mutate(&changed, parts, &random);
            size_t *outcome = sums_of(sums, gate_buf_view(&changed)) ? decoded : refused;
            ++*outcome;
        }
    free(parts);
}

/* Strings (field 6) and sample types (field 1) are identified by their order. All other fields may be in any order. */
static bool is_ordered(struct gate_str field) {
    unsigned number = (unsigned char)field.ptr[0] >> 3;
    return number == 1 || number == 6;
}

static void shuffle_check(struct gate_str bytes) {
    struct parts *parts = malloc(sizeof *parts);
    int64_t before[GATE_VALUES_MAX], after[GATE_VALUES_MAX];
    uint64_t random = 1;
    if (parts_split(parts, bytes) && sums_of(before, bytes)) {
        for (size_t i = parts->count - 1; i > 0; i--) {
            size_t other = next_random(&random) % (i + 1);
            if (is_ordered(parts->fields[i]) || is_ordered(parts->fields[other]))
                continue;
            struct gate_str field = parts->fields[i];
            parts->fields[i] = parts->fields[other];
            parts->fields[other] = field;
        }
        AT_END(gate_buf_free) struct gate_buf shuffled = {0};
        for (size_t i = 0; i < parts->count; i++)
            gate_buf_str(&shuffled, parts->fields[i]);
        assert_true(sums_of(after, gate_buf_view(&shuffled)));
        assert_memory_equal(before, after, sizeof before);
    }
    free(parts);
}

static const char *const fixtures[] = {"bad/good.pb.gz", "bad/inlined.pb.gz", "bad/saved-diff.pb.gz",
                                       "bad/good.pb.zst"};

/* Return the decompressed bytes of a fixture. */
static struct gate_str fixture_read(const char *name, struct gate_arena *arena) {
    char path[1024];
    struct gate_str bytes = {NULL, 0}, plain = {NULL, 0};
    (void)snprintf(path, sizeof path, GATE_SOURCE_DIR "/fixtures/%s", name);
    if (!gate_source_read(&bytes, gate_str_from(path), NULL, arena, &err) ||
        !gate_inflate(&plain, bytes, INFLATED_MAX, arena, &err))
        fail_msg("%s: %s", path, err.message);
    return plain;
}

TEST(every_mutation_is_refused_or_consistent) {
    size_t decoded = 0, refused = 0;
    for (size_t i = 0; i < sizeof fixtures / sizeof *fixtures; i++) {
        mutations_check(fixture_read(fixtures[i], &arena), &decoded, &refused);
    }
    print_message("%zu decoded, %zu refused\n", decoded, refused);
    assert_true(decoded > 100 && refused > 100);
}

TEST(the_order_of_fields_does_not_matter) {
    for (size_t i = 0; i < sizeof fixtures / sizeof *fixtures; i++) {
        shuffle_check(fixture_read(fixtures[i], &arena));
    }
}

static void merged_bytes(struct gate_buf *out, const struct gate_str *inputs, size_t count) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    AT_END(gate_merge_end) struct gate_merge merge;
    gate_merge_begin(&merge, &arena);
    for (size_t i = 0; i < count; i++) {
        struct gate_profile profile;
        if (!gate_profile_load(&profile, inputs[i], NULL, &arena, &err) ||
            !gate_merge_add(&merge, &profile, &arena, &err))
            fail_msg("%s", err.message);
    }
    if (!gate_merge_write(out, &merge, GATE_CONTAINER_RAW, &err))
        fail_msg("%s", err.message);
}

TEST(merging_is_associative) {
    AT_END(gate_buf_free) struct gate_buf at_once = {0}, first = {0}, stepwise = {0};
    struct gate_str inputs[3];
    inputs[0] = fixture_read("bad/good.pb.gz", &arena);
    inputs[1] = fixture_read("bad/good-canary.pb.gz", &arena);
    inputs[2] = inputs[0];
    merged_bytes(&at_once, inputs, 3);
    merged_bytes(&first, inputs, 2);
    inputs[0] = gate_buf_view(&first);
    inputs[1] = inputs[2];
    merged_bytes(&stepwise, inputs, 2);
    assert_int_equal(at_once.len, stepwise.len);
    assert_memory_equal(at_once.ptr, stepwise.ptr, at_once.len);
}

/* Load the same profile with a growing memory limit: a clean error each time, until the limit suffices. */
TEST(any_limit_on_memory_is_a_clean_error) {
    struct gate_str bytes = fixture_read("bad/good.pb.gz", &arena);
    bool done = false;
    for (size_t limit = 1; limit < 100000 && !done; limit += 97) {
        AT_END(gate_arena_free) struct gate_arena small;
        struct gate_error err = {0};
        struct gate_profile profile;
        struct gate_limits limits = {.memory_bytes = limit};
        gate_arena_init(&small, limit);
        done = gate_profile_load(&profile, bytes, &limits, &small, &err);
        assert_true(done || err.code == GATE_ERR_LIMIT || err.code == GATE_ERR_MEMORY);
    }
    assert_true(done);
}
