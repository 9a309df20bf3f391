/* SPDX-License-Identifier: Apache-2.0 */
/* perf.data: files written here field by field, in both byte orders. Real recordings: tests/symbols/test_perf.py. */
#include "profile_fixture.h"

#include "gate/formats/format.h"
#include "gate/formats/reader.h"
#include "gate/model/location.h"
#include "gate/model/sample.h"

enum { HAS_ALL = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 5 | 1 << 8 /* IP, TID, TIME, CALLCHAIN, PERIOD */ };

enum { SAMPLE = 9, MMAP = 1, COMM = 3, FORK = 7, MMAP2 = 10, KERNEL = 1, USER = 2 };

static const uint64_t user_mark = -(uint64_t)512, kernel_mark = -(uint64_t)128, hypervisor_mark = -(uint64_t)32;

/* A file under construction. */
struct made {
    struct gate_buf attrs, data, features;
    uint64_t flags; /* features */
    bool is_big;
    uint64_t type;       /* sample type of each event */
    uint32_t attr_count; /* their ids are 100, 101, … */
    uint64_t branch_type, read_format, period;
};

static void put(const struct made *made, struct gate_buf *out, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++)
        gate_buf_char(out, (char)(value >> 8 * (made->is_big ? size - 1 - i : i)));
}

static void put_text(struct gate_buf *out, const char *text, size_t size) {
    for (size_t i = 0; i < size; i++)
        gate_buf_char(out, i < strlen(text) ? text[i] : '\0');
}

/* Append a record with `body`. */
static void record(struct made *made, uint32_t type, uint32_t misc, struct gate_buf *body) {
    put(made, &made->data, type, 4);
    put(made, &made->data, misc, 2);
    put(made, &made->data, body->len + 8, 2);
    gate_buf_str(&made->data, gate_buf_view(body));
    gate_buf_free(body);
}

/* Append the id of a record that is not a sample: TID, TIME, and IDENTIFIER if the events have it. */
static void id_put(const struct made *made, struct gate_buf *body, uint64_t time) {
    put(made, body, 0, 8);
    put(made, body, time, 8);
    if ((made->type & 1 << 16) != 0)
        put(made, body, 100, 8);
}

static void map_as(struct made *made, uint32_t misc, uint32_t pid, const uint64_t place[3], const char *file,
                   uint64_t time) {
    struct gate_buf body = {0};
    put(made, &body, pid, 4);
    put(made, &body, pid, 4);
    for (int i = 0; i < 3; i++)
        put(made, &body, place[i], 8);
    put_text(&body, file, (strlen(file) + 8) & ~(size_t)7);
    id_put(made, &body, time);
    record(made, MMAP, misc, &body);
}
#define MAP(made, pid, time, file, ...) map_as(made, USER, pid, (const uint64_t[]){__VA_ARGS__}, file, time)

static void comm(struct made *made, uint32_t pid, uint32_t tid, const char *name, uint64_t time) {
    struct gate_buf body = {0};
    put(made, &body, pid, 4);
    put(made, &body, tid, 4);
    put_text(&body, name, (strlen(name) + 8) & ~(size_t)7);
    id_put(made, &body, time);
    record(made, COMM, 0, &body);
}

static void fork_put(struct made *made, const uint32_t numbers[4], uint64_t time) {
    struct gate_buf body = {0};
    for (int i = 0; i < 4; i++)
        put(made, &body, numbers[i], 4);
    put(made, &body, time, 8);
    id_put(made, &body, time);
    record(made, FORK, 0, &body);
}

static void sample_put(struct made *made, uint32_t pid, uint32_t tid, uint64_t time, const uint64_t *chain,
                       uint32_t depth) {
    struct gate_buf body = {0};
    if ((made->type & 1 << 16) != 0)
        put(made, &body, 100 + time % made->attr_count, 8);
    put(made, &body, depth > 1 ? chain[1] : 0x777, 8);
    put(made, &body, pid, 4);
    put(made, &body, tid, 4);
    put(made, &body, time, 8);
    if ((made->type & 1 << 6) != 0)
        put(made, &body, 100 + time % made->attr_count, 8);
    if ((made->type & 1 << 8) != 0)
        put(made, &body, 10 + time, 8);
    put(made, &body, depth, 8);
    for (uint32_t i = 0; i < depth; i++)
        put(made, &body, chain[i], 8);
    record(made, SAMPLE, USER, &body);
}
#define SAMPLE_AT(made, pid, tid, time, ...)                                                                           \
    sample_put(made, pid, tid, time, (const uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / 8)

/* Append an event of `software` number `config`. */
static void event(struct made *made, uint64_t config) {
    struct gate_buf *out = &made->attrs;
    put(made, out, 1, 4);
    put(made, out, 128, 4);
    put(made, out, config, 8);
    put(made, out, made->period, 8);
    put(made, out, made->type, 8);
    put(made, out, made->read_format, 8);
    put(made, out, UINT64_C(1) << (made->is_big ? 63 - 18 : 18), 8); /* sample_id_all */
    for (int i = 0; i < 3; i++)
        put(made, out, 0, 8);
    put(made, out, made->branch_type, 8);
    for (int i = 0; i < 6; i++)
        put(made, out, 0, 8);
    made->attr_count++;
}

/* Return the bytes of the file: header, events, ids, records, features. */
static struct gate_buf file_make(const struct made *made) {
    struct gate_buf out = {0};
    uint64_t attrs = 104 + 8 * (uint64_t)made->attr_count, count = 0, data = attrs + 144 * (uint64_t)made->attr_count;
    gate_buf_text(&out, made->is_big ? "2ELIFREP" : "PERFILE2");
    const uint64_t numbers[] = {
        104, 144, attrs, 144 * (uint64_t)made->attr_count, data, made->data.len, 0, 0, made->flags, 0, 0, 0};
    for (size_t i = 0; i < 12; i++)
        put(made, &out, numbers[i], 8);
    for (uint64_t i = 0; i < made->attr_count; i++)
        put(made, &out, 100 + i, 8);
    for (uint64_t i = 0; i < made->attr_count; i++) {
        gate_buf_bytes(&out, made->attrs.ptr + 128 * i, 128);
        put(made, &out, 104 + 8 * i, 8);
        put(made, &out, 8, 8);
    }
    gate_buf_str(&out, gate_buf_view(&made->data));
    for (uint64_t left = made->flags; left != 0; left &= left - 1)
        count++;
    if (count == 1) {
        put(made, &out, data + made->data.len + 16, 8);
        put(made, &out, made->features.len, 8);
        gate_buf_str(&out, gate_buf_view(&made->features));
    }
    return out;
}

static void made_free(struct made *made) {
    gate_buf_free(&made->attrs);
    gate_buf_free(&made->data);
    gate_buf_free(&made->features);
}

static void sample_print(struct gate_buf *out, const struct gate_profile *profile, const struct gate_sample *sample) {
    uint64_t id = 0;
    for (uint32_t i = 0; i < profile->sample_type_count; i++)
        gate_buf_printf(out, "%lld ", (long long)sample->values[i]);
    for (uint32_t at = 0; gate_stack_next(sample->stack, &at, &id);) {
        struct gate_location location = gate_location_at(profile, gate_location_find(profile, id));
        if (location.mapping == GATE_NO_INDEX) {
            gate_buf_printf(out, "%llx;", (unsigned long long)location.address);
            continue;
        }
        const struct gate_mapping *mapping = &profile->mappings[location.mapping];
        gate_buf_printf(out, "%.*s+%llx;", GATE_STR_ARG(mapping->file),
                        (unsigned long long)(location.address - mapping->start + mapping->offset));
    }
    gate_buf_char(out, '\n');
}

/* Load the file and compare its samples with `wanted`: values, then frames with their offsets in files. */
static void expect_samples(struct made *made, const char *wanted) {
    struct gate_arena arena = {0};
    struct gate_buf bytes = file_make(made), text = {0};
    struct gate_profile profile;
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    if (!gate_profile_load(&profile, gate_buf_view(&bytes), NULL, &arena, &err))
        fail_msg("not read: %s", err.message);
    assert_int_equal(profile.format, GATE_FORMAT_PERF_DATA);
    gate_sample_begin(&cursor, &profile);
    while (gate_sample_next(&cursor, &sample, &err))
        sample_print(&text, &profile, &sample);
    gate_sample_end(&cursor);
    gate_buf_char(&text, '\0');
    assert_string_equal(text.ptr, wanted);
    gate_buf_free(&text);
    gate_buf_free(&bytes);
    gate_arena_free(&arena);
    made_free(made);
}

static void expect_refusal(struct made *made, const char *wanted) {
    struct gate_arena arena = {0};
    struct gate_buf bytes = file_make(made);
    struct gate_profile profile;
    struct gate_error err = {0};
    assert_false(gate_profile_load(&profile, gate_buf_view(&bytes), NULL, &arena, &err));
    if (strstr(err.message, wanted) == NULL)
        fail_msg("'%s' lacks '%s'", err.message, wanted);
    gate_buf_free(&bytes);
    gate_arena_free(&arena);
    made_free(made);
}

static struct made made_new(bool is_big, uint64_t type) {
    struct made made = {.is_big = is_big, .type = type};
    event(&made, 0);
    return made;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

TEST(frames_are_offsets_in_files_in_both_byte_orders) {
    for (int is_big = 0; is_big < 2; is_big++) {
        struct made made = made_new(is_big != 0, HAS_ALL);
        MAP(&made, 7, 1, "/srv/shop", 0x400000, 0x3000, 0x1000);
        SAMPLE_AT(&made, 7, 7, 2, user_mark, 0x400123, 0x401008, 0x900000);
        expect_samples(&made, "1 12 /srv/shop+1123;/srv/shop+2007;8fffff;\n");
    }
}

TEST(the_first_address_after_a_context_marker_is_exact) {
    struct made made = made_new(false, HAS_ALL);
    map_as(&made, KERNEL, UINT32_MAX, (const uint64_t[]){0xffffffff81000000, 0x1000000, 0xffffffff81000000},
           "[kernel.kallsyms]_text", 0);
    map_as(&made, KERNEL, UINT32_MAX, (const uint64_t[]){0xffffffffc0000000, 0x10000, 0},
           "/lib/modules/6.1/kernel/fs/nfs-core.ko.xz", 0);
    MAP(&made, 7, 1, "/srv/shop", 0x400000, 0x3000, 0);
    SAMPLE_AT(&made, 7, 7, 2, kernel_mark, 0xffffffff81000010, 0xffffffffc0000021, 0xffffffffe0000001, user_mark,
              0x400123, 0x401008, hypervisor_mark, 0x55);
    expect_samples(&made, "1 12 [kernel.kallsyms]+10;[nfs_core]+20;[kernel.kallsyms]+ffffffffe0000000;/srv/shop+123;"
                          "/srv/shop+1007;55;\n");
}

TEST(records_are_read_in_the_order_of_time) {
    struct made made = made_new(false, HAS_ALL);
    SAMPLE_AT(&made, 7, 7, 9, user_mark, 0x400001);
    SAMPLE_AT(&made, 7, 7, 3, user_mark, 0x400001);
    MAP(&made, 7, 5, "/new", 0x400000, 0x1000, 0x5000);
    MAP(&made, 7, 1, "/old", 0x400000, 0x1000, 0);
    expect_samples(&made, "1 13 /old+1;\n1 19 /new+5001;\n");
}

TEST(a_mapping_replaces_what_it_covers) {
    struct made made = made_new(false, HAS_ALL);
    MAP(&made, 7, 1, "/wide", 0x10000, 0x9000, 0);
    MAP(&made, 7, 2, "/inner", 0x12000, 0x1000, 0x100000);
    MAP(&made, 7, 3, "/across", 0x12800, 0x2000, 0x200000);
    MAP(&made, 7, 4, "/empty", 0x10000, 0, 0);
    MAP(&made, 7, 5, "/end", 0x18000, 0xfffffffffffff000, 0);
    SAMPLE_AT(&made, 7, 7, 9, user_mark, 0x10000, 0x12001, 0x12801, 0x14801, 0x18001, 0xffffffff00000001, 0x10);
    expect_samples(&made, "1 19 /wide+0;/inner+100000;/across+200000;/wide+4800;/end+0;/end+fffffffefffe8000;f;\n");
}

TEST(a_child_has_its_parents_mappings) {
    struct made made = made_new(false, HAS_ALL);
    MAP(&made, 7, 1, "/srv/shop", 0x400000, 0x1000, 0);
    fork_put(&made, (const uint32_t[]){8, 7, 8, 7}, 2);
    MAP(&made, 8, 3, "/srv/other", 0x400000, 0x1000, 0);
    fork_put(&made, (const uint32_t[]){9, 7, 9, 7}, 4);
    SAMPLE_AT(&made, 7, 7, 5, user_mark, 0x400001);
    SAMPLE_AT(&made, 8, 8, 6, user_mark, 0x400001);
    SAMPLE_AT(&made, 9, 9, 7, user_mark, 0x400002);
    SAMPLE_AT(&made, 10, 10, 8, user_mark, 0x400002);
    expect_samples(&made, "1 15 /srv/shop+1;\n1 16 /srv/other+1;\n1 17 /srv/shop+2;\n1 18 400002;\n");
}

/* Read the label "comm" of each sample. */
TEST(samples_are_labelled_with_their_threads_name) {
    AT_END(made_free) struct made made = made_new(false, HAS_ALL);
    struct gate_profile profile;
    static const char *const wanted[] = {"shop", "shop", "baker", ":12", "swapper"};
    comm(&made, 7, 7, "shop", 1);
    fork_put(&made, (const uint32_t[]){7, 7, 8, 7}, 2); /* a thread has the name of the one that started it */
    SAMPLE_AT(&made, 7, 7, 3, user_mark, 0x1);
    SAMPLE_AT(&made, 7, 8, 4, user_mark, 0x2);
    comm(&made, 7, 8, "baker", 5);
    SAMPLE_AT(&made, 7, 8, 6, user_mark, 0x3);
    SAMPLE_AT(&made, 12, 12, 7, user_mark, 0x4);
    SAMPLE_AT(&made, 0, 0, 8, user_mark, 0x5);
    AT_END(gate_buf_free) struct gate_buf bytes = file_make(&made);
    if (!gate_profile_load(&profile, gate_buf_view(&bytes), NULL, &arena, &err))
        fail_msg("not read: %s", err.message);
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    uint32_t count = 0;
    gate_sample_begin(&cursor, &profile);
    for (; gate_sample_next(&cursor, &sample, &err); count++) {
        struct gate_label_walk walk = gate_labels_of(&cursor);
        struct gate_label label;
        assert_true(gate_labels_next(&walk, &label));
        assert_true(gate_str_equal(label.key, GATE_STR("comm")));
        assert_true(count < 5 && gate_str_equal(label.text, gate_str_from(wanted[count])));
    }
    gate_sample_end(&cursor);
    assert_int_equal(count, 5);
}

TEST(events_are_distinguished_by_their_ids) {
    static const uint64_t id_bits[] = {1 << 16, 1 << 6};
    for (size_t i = 0; i < 2; i++) {
        struct made made = made_new(false, HAS_ALL | id_bits[i]);
        event(&made, 2);
        SAMPLE_AT(&made, 7, 7, 2, user_mark, 0x10);
        SAMPLE_AT(&made, 7, 7, 3, user_mark, 0x20);
        SAMPLE_AT(&made, 7, 7, 4, user_mark, 0x10);
        expect_samples(&made, "2 26 0 0 10;\n0 0 1 13 20;\n");
    }
    struct made made = made_new(false, HAS_ALL | 1 << 16);
    event(&made, 2);
    made.attr_count = 5; /* its samples have ids of events that the file does not have */
    SAMPLE_AT(&made, 7, 7, 4, user_mark, 0x10);
    made.attr_count = 2;
    expect_refusal(&made, "is of no event");
}

TEST(a_fixed_period_is_that_of_each_sample) {
    struct made made = {.type = HAS_ALL & ~(1 << 8), .period = 500};
    event(&made, 0);
    SAMPLE_AT(&made, 7, 7, 2, user_mark, 0x10);
    SAMPLE_AT(&made, 7, 7, 3, user_mark, 0x10);
    expect_samples(&made, "2 1000 10;\n");
    made = (struct made){.type = HAS_ALL & ~(1 << 8), .period = 1};
    event(&made, 2);
    SAMPLE_AT(&made, 7, 7, 2, user_mark, 0x10);
    expect_samples(&made, "1 10;\n"); /* page-faults, each of them */
}

TEST(a_sample_without_a_stack_is_its_address) {
    struct made made = made_new(false, HAS_ALL);
    MAP(&made, 7, 1, "/srv/shop", 0, 0x1000, 0);
    sample_put(&made, 7, 7, 2, NULL, 0);
    expect_samples(&made, "1 12 /srv/shop+777;\n");
}

static void expect_build_id(struct made *made, const char *file, const char *wanted) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    AT_END(gate_buf_free) struct gate_buf bytes = file_make(made);
    struct gate_profile profile;
    uint32_t found = 0;
    if (!gate_profile_load(&profile, gate_buf_view(&bytes), NULL, &arena, &err))
        fail_msg("not read: %s", err.message);
    for (uint32_t i = 0; i < profile.mapping_count; i++) {
        if (!gate_str_equal(profile.mappings[i].file, gate_str_from(file)))
            continue;
        assert_true(gate_str_equal(profile.mappings[i].build_id, gate_str_from(wanted)));
        found++;
    }
    assert_int_equal(found, 1);
}

TEST(build_ids_come_from_their_feature) {
    struct gate_buf id = {0};
    AT_END(made_free) struct made made = made_new(false, HAS_ALL);
    MAP(&made, 7, 1, "/srv/shop", 0x400000, 0x1000, 0);
    MAP(&made, 7, 1, "/srv/other", 0x500000, 0x1000, 0);
    SAMPLE_AT(&made, 7, 7, 2, user_mark, 0x400010, 0x500010);
    put(&made, &id, 7, 4);
    put_text(&id, "\x01\x02\xab\xcd\x05\x06\x07\x08", 20);
    put(&made, &id, 8, 1); /* its length */
    put(&made, &id, 0, 3);
    put_text(&id, "/srv/shop", 16);
    struct gate_buf records = made.data;
    made.data = (struct gate_buf){0};
    record(&made, 67, 1 << 15, &id);
    made.features = made.data;
    made.data = records;
    made.flags = 1 << 2;
    expect_build_id(&made, "/srv/shop", "0102abcd05060708");
    expect_build_id(&made, "/srv/other", "");
}

TEST(event_names_are_read_from_the_event_desc_feature) {
    struct gate_profile profile;
    AT_END(made_free) struct made made = made_new(false, HAS_ALL);
    SAMPLE_AT(&made, 7, 7, 2, user_mark, 0x10);
    put(&made, &made.features, 1, 4);
    put(&made, &made.features, 128, 4);
    gate_buf_bytes(&made.features, made.attrs.ptr, 128);
    put(&made, &made.features, 1, 4);
    put(&made, &made.features, 16, 4);
    put_text(&made.features, "sched:wake:u", 16);
    put(&made, &made.features, 100, 8);
    made.flags = 1 << 12;
    AT_END(gate_buf_free) struct gate_buf bytes = file_make(&made);
    if (!gate_profile_load(&profile, gate_buf_view(&bytes), NULL, &arena, &err))
        fail_msg("not read: %s", err.message);
    assert_true(gate_str_equal(profile.sample_types[0].type, GATE_STR("sched:wake_sample")));
}

TEST(what_only_perf_reads_is_refused) {
    static const struct {
        uint32_t type;
        const char *wanted;
    } records[] = {{81, "compressed records (-z)"},
                   {83, "compressed records (-z)"},
                   {70, "hardware trace"},
                   {71, "hardware trace"},
                   {22, "deferred stacks"}};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        struct made made = made_new(false, HAS_ALL);
        struct gate_buf body = {0};
        put_text(&body, "", 16);
        SAMPLE_AT(&made, 7, 7, 2, user_mark, 0x10);
        record(&made, records[i].type, 0, &body);
        expect_refusal(&made, records[i].wanted);
    }
    struct made stack = made_new(false, HAS_ALL | 1 << 13);
    SAMPLE_AT(&stack, 7, 7, 2, user_mark, 0x10);
    expect_refusal(&stack, "--call-graph dwarf");
    struct made branches = {.type = HAS_ALL, .branch_type = 1 << 11};
    event(&branches, 0);
    SAMPLE_AT(&branches, 7, 7, 2, user_mark, 0x10);
    expect_refusal(&branches, "--call-graph lbr");
    struct made group = {.type = HAS_ALL | 1 << 4, .read_format = 8};
    event(&group, 0);
    SAMPLE_AT(&group, 7, 7, 2, user_mark, 0x10);
    expect_refusal(&group, "group of events");
    struct made none = made_new(false, HAS_ALL);
    comm(&none, 7, 7, "shop", 1);
    expect_refusal(&none, "no samples");
    struct made killed = made_new(false, HAS_ALL);
    expect_refusal(&killed, "no records");
}

/* Every prefix of a file is refused or read, and so is a file with any byte changed. */
TEST(cut_and_damaged_files_are_survived) {
    const struct gate_limits limits = gate_limits_default();
    AT_END(made_free) struct made made = made_new(false, HAS_ALL);
    MAP(&made, 7, 1, "/srv/shop", 0x400000, 0x3000, 0x1000);
    comm(&made, 7, 7, "shop", 1);
    SAMPLE_AT(&made, 7, 7, 2, user_mark, 0x400123, 0x401008);
    AT_END(gate_buf_free) struct gate_buf bytes = file_make(&made);
    uint32_t read = 0;
    for (size_t i = 0; i < 2 * bytes.len; i++) {
        AT_END(gate_buf_free) struct gate_buf out = {0};
        struct gate_error err = {0};
        size_t at = i % bytes.len, len = i < bytes.len ? at : bytes.len;
        char *copy = gate_arena_alloc(&arena, len + 1); /* exactly as long, so that a sanitizer sees reads behind it */
        memcpy(copy, bytes.ptr, len);
        if (i >= bytes.len)
            copy[at] = (char)(copy[at] ^ 0xff);
        bool ok =
            gate_reader_convert(&out, &gate_perf_data_reader, (struct gate_str){copy, len}, &limits, &arena, &err);
        read += ok;
        assert_true(ok || err.message[0] != '\0');
    }
    assert_true(read > 20 && read < bytes.len);
}

/* Mappings before all others move these: their number is bounded by steps. */
TEST(many_mappings_cost_steps) {
    struct gate_limits limits = gate_limits_default();
    AT_END(gate_buf_free) struct gate_buf out = {0};
    limits.steps = 100000;
    AT_END(made_free) struct made made = made_new(false, HAS_ALL);
    for (uint64_t i = 3000; i > 0; i--)
        MAP(&made, 7, 1, "/a", i * 0x1000, 0x1000, 0);
    SAMPLE_AT(&made, 7, 7, 2, user_mark, 0x1123);
    AT_END(gate_buf_free) struct gate_buf bytes = file_make(&made);
    assert_false(gate_reader_convert(&out, &gate_perf_data_reader, gate_buf_view(&bytes), &limits, &arena, &err));
    assert_int_equal(err.code, GATE_ERR_LIMIT);
    limits.steps = 10000000;
    assert_true(gate_reader_convert(&out, &gate_perf_data_reader, gate_buf_view(&bytes), &limits, &arena, &err));
}

TEST(an_exceeded_limit_names_its_option) {
    static const struct {
        struct gate_limits limits;
        const char *wanted;
    } rows[] = {{{.depth = 2}, "--max-depth"}, {{.samples = 1}, "--max-samples"}};
    for (size_t i = 0; i < 2; i++) {
        AT_END(gate_buf_free) struct gate_buf out = {0};
        struct gate_error err = {0};
        AT_END(made_free) struct made made = made_new(false, HAS_ALL);
        SAMPLE_AT(&made, 7, 7, 2, user_mark, 1, 2, 3);
        SAMPLE_AT(&made, 7, 7, 2, user_mark, 1, 2, 3);
        AT_END(gate_buf_free) struct gate_buf bytes = file_make(&made);
        struct gate_limits limits = gate_limits_fill(&rows[i].limits);
        assert_false(gate_reader_convert(&out, &gate_perf_data_reader, gate_buf_view(&bytes), &limits, &arena, &err));
        assert_true(err.code == GATE_ERR_LIMIT && strstr(err.message, rows[i].wanted) != NULL);
    }
}

TEST(a_full_arena_is_an_error) {
    const struct gate_limits limits = gate_limits_default();
    bool ok = false;
    AT_END(made_free) struct made made = made_new(false, HAS_ALL);
    MAP(&made, 7, 1, "/srv/shop", 0x400000, 0x3000, 0x1000);
    fork_put(&made, (const uint32_t[]){8, 7, 8, 7}, 1);
    comm(&made, 7, 7, "shop", 1);
    SAMPLE_AT(&made, 7, 7, 2, user_mark, 0x400123, 0x401008);
    SAMPLE_AT(&made, 8, 9, 2, kernel_mark, 0x400123, 0x401008);
    AT_END(gate_buf_free) struct gate_buf bytes = file_make(&made);
    for (size_t limit = 1; !ok && limit < 4000000; limit += 512) {
        AT_END(gate_arena_free) struct gate_arena arena;
        AT_END(gate_buf_free) struct gate_buf out = {0};
        struct gate_error err = {0};
        gate_arena_init(&arena, limit);
        ok = gate_reader_convert(&out, &gate_perf_data_reader, gate_buf_view(&bytes), &limits, &arena, &err);
        assert_true(ok || err.code == GATE_ERR_LIMIT);
    }
    assert_true(ok);
}
