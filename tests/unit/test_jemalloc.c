/* SPDX-License-Identifier: Apache-2.0 */
/* Heap profiles of native allocators. Small ones are written here. The sums of real ones by address are those that
 * jeprof and google-pprof print (fixtures/producers). */
#include "foreign_fixture.h"
#include "gate/formats/text_line.h"
#include "gate/model/location.h"

#include <math.h>

static const char heap[] = "heap_v2/1000\n"
                           "  t*: 3: 3000 [5: 5500]\n"
                           "  t0: 3: 3000 [5: 5500]\n"
                           "@ 0x401011 0x402001\n"
                           "  t*: 2: 2000 [3: 3000]\n"
                           "  t0: 1: 1000 [2: 2000]\n"
                           "  t1: 1: 1000 [1: 1000]\n"
                           "@ 0x401021\n"
                           "  t*: 1: 1000 [2: 2500]\n"
                           "\n"
                           "MAPPED_LIBRARIES:\n"
                           "00500000-00600000 rw-p 00000000 08:01 99   /usr/bin/data\n"
                           "00400000-00410000 r-xp 00000000 08:01 99   /usr/bin/shop\n";

/* At a sampling rate of 1000 bytes, an object of 1000 bytes is seen with probability 1 - 1/e. One seen object stands
 * for 1.58 objects. */
TEST(sampled_objects_are_scaled_up) {
    expect_stacks(gate_str_from(heap), GATE_FORMAT_JEMALLOC, "", "0x401010<0x402000 3163\n0x401020 1581\n");
    expect_stacks(gate_str_from(heap), GATE_FORMAT_JEMALLOC, "inuse_objects", "0x401010<0x402000 3\n0x401020 1\n");
    expect_stacks(gate_str_from(heap), GATE_FORMAT_JEMALLOC, "alloc_space", "0x401010<0x402000 4745\n0x401020 3503\n");
    expect_stacks(GATE_STR("heap_v2/1\nt*: 1: 7 [0: 0]\n@ 0x9\nt*: 1: 7 [0: 0]\n"), GATE_FORMAT_JEMALLOC, "space/bytes",
                  "0x8 7\n");
}

/* Frames of libjemalloc at the leaf are left out, or it would hold all memory. */
TEST(its_own_frames_at_a_leaf_are_left_out) {
    expect_stacks(GATE_STR("heap_v2/1\nt*: 1: 7 [0: 0]\n@ 0x1011 0x1021 0x9011 0x1021\nt*: 1: 7 [0: 0]\n"
                           "MAPPED_LIBRARIES:\n9000-a000 r-xp 0 0:0 1 /usr/bin/shop\n"
                           "1000-2000 r-xp 0 0:0 1 /usr/lib/libjemalloc.so.2\n"),
                  GATE_FORMAT_JEMALLOC, "", "0x9010<0x1020 7\n");
}

TEST(events_are_the_sampled_objects) {
    struct gate_profile profile;
    struct gate_stacks stacks;
    assert_true(gate_profile_load(&profile, gate_str_from(heap), NULL, &arena, &err));
    assert_int_equal(profile.mapping_count, 1);
    assert_true(gate_str_equal(profile.mappings[0].file, GATE_STR("/usr/bin/shop")));
    struct gate_counts_model model = gate_counts_choose(&profile, 3, NULL);
    assert_int_equal(model.kind, GATE_COUNTS_HEAP);
    assert_true(gate_stacks_collect(&stacks, &profile, &model, NULL, NULL, NULL, &arena, &err));
    assert_true(fabs(stacks.events - 3) < 0.6); /* scaled values are whole numbers: 1 object for 1.58 */
}

TEST(errors_name_the_line) {
    refused("heap_v2/0\n", "line 1: expected 'heap_v2/RATE', found 'heap_v2/0'");
    refused("heap_v2/x\n", "line 1: expected 'heap_v2/RATE'");
    refused("heap_v2/9\n", "expected the total, 't*: …', found 'the end'");
    refused("heap_v2/9\n@ 0x9\n", "line 2: expected the total");
    refused("heap_v2/9\nt*: 1: 2 [3: 4\n", "line 2: expected 't*: OBJECTS");
    refused("heap_v2/9\nt*: 1: 2 [3: 4]\nt*: 1: 2 [3: 4]\n",
            "line 3: expected a stack, '@ ADDRESS …', before its values");
    refused("heap_v2/9\nt*: 1: 2 [3: 4]\n@ 0x9 zz\n", "line 3: expected addresses, found 'zz'");
    refused("heap_v2/9\nt*: 1: 2 [3: 4]\n@ 0x9\nt*: 0: 2 [3: 4]\n", "line 4: 2 bytes of no objects");
    refused("heap_v2/9\nt*: 1: 2 [3: 4]\nsomething else\n", "line 3: expected '@ ADDRESS …' or 't*: …'");
    expect_error(GATE_STR("heap_v2/9223372036854775807\nt*: 1: 2 [0: 0]\n@ 0x9\nt*: 9: 9 [0: 0]\n"), NULL,
                 GATE_ERR_OVERFLOW, "line 4: its scaled values do not fit in 64 bits");
}

TEST(every_memory_limit_is_a_clean_error) {
    expect_clean_errors_within_memory(gate_str_from(heap));
}

/* Add the self and cumulative bytes of an address. The address that a tool prints for a leaf may be 1 higher than the
 * leaf's. */
static void sums_of(const struct gate_profile *profile, const struct gate_stacks *stacks, uint64_t address,
                    double *self, double *cumulative) {
    for (uint32_t i = 0; i < stacks->count; i++) {
        bool is_in = false;
        uint64_t id = 0;
        uint32_t place = 0;
        for (uint32_t at = 0; gate_stack_next(gate_stacks_at(stacks, i).ref, &at, &id); place++) {
            uint64_t is = gate_location_at(profile, gate_location_find(profile, id)).address;
            bool is_it = is == address || (place == 0 && is == address - 1);
            *self += place == 0 && is_it ? (double)gate_stacks_at(stacks, i).value : 0;
            is_in |= is_it;
        }
        *cumulative += is_in ? (double)gate_stacks_at(stacks, i).value : 0;
    }
}

/* Compare each line "SELF x% x% CUMULATIVE x% ADDRESS NAME …" below "Total: N B". jeprof removes the allocator's frames
 * at the leaf by name, so its self values are not compared. */
static void expect_sums(const char *folder, const char *side, const char *type) {
    char path[300], wanted_path[300];
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_profile profile;
    struct gate_stacks stacks;
    uint32_t column = 0, lines = 0;
    snprintf(path, sizeof path, GATE_SOURCE_DIR "/fixtures/producers/%s/%s.heap", folder, side);
    snprintf(wanted_path, sizeof wanted_path, GATE_SOURCE_DIR "/fixtures/producers/%s/%s.%s.txt", folder, side, type);
    assert_true(gate_profile_load(&profile, read_fixture(path, &arena), NULL, &arena, &err));
    assert_true(gate_sample_type_find(&column, &profile, gate_str_from(type), &err));
    struct gate_counts_model model = {GATE_COUNTS_VALUE, column, GATE_NO_INDEX, GATE_NO_INDEX, 0, 1, 0, NULL};
    assert_true(gate_stacks_collect(&stacks, &profile, &model, NULL, NULL, NULL, &arena, &err));
    struct gate_str rest = read_fixture(wanted_path, &arena), line;
    while (gate_text_line_next(&rest, &line)) {
        int64_t wanted[2] = {0, 0};
        uint64_t address = 0;
        double got[2] = {0, 0};
        if (!gate_text_number(&line, &wanted[0])) {
            assert_true(gate_str_starts(line, GATE_STR("Total: ")));
            line = gate_str_slice(line, 7, line.len);
            assert_true(gate_text_number(&line, &wanted[0]));
            assert_true(fabs((double)(wanted[0] - stacks.total)) <= stacks.count);
            continue;
        }
        (void)gate_text_word(&line);
        (void)gate_text_word(&line);
        assert_true(gate_text_number(&line, &wanted[1]));
        (void)gate_text_word(&line);
        assert_true(gate_text_hex(&line, &address));
        sums_of(&profile, &stacks, address, &got[0], &got[1]);
        if (gate_str_find(line, GATE_STR("malloc_usable_size"), 0) != SIZE_MAX)
            continue;
        if (strcmp(folder, "jemalloc") == 0)
            got[0] = (double)wanted[0];
        if (fabs(got[0] - (double)wanted[0]) > stacks.count || fabs(got[1] - (double)wanted[1]) > stacks.count)
            fail_msg("%s: %#llx is %.0f and %.0f, expected %lld and %lld", path, (unsigned long long)address, got[0],
                     got[1], (long long)wanted[0], (long long)wanted[1]);
        lines++;
    }
    assert_true(lines > 15);
}

TEST(sums_are_those_of_the_producers_own_tools) {
    static const char *const folders[] = {"jemalloc", "gperftools-heap"}, *const sides[] = {"baseline", "canary"};
    for (int i = 0; i < 4; i++) {
        expect_sums(folders[i / 2], sides[i % 2], "inuse_space");
        expect_sums(folders[i / 2], sides[i % 2], "alloc_space");
    }
}
