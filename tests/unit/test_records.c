/* SPDX-License-Identifier: Apache-2.0 */
/* store/store.h on a folder: records that were put are listed, damage is reported by file, and old records are
 * removed. */
#include "gate/store/store.h"
#include "tests/unit/unit.h"

struct folder {
    char name[64];
    struct gate_arena arena;
    struct gate_error err;
    struct gate_store store;
};

static void folder_open(struct folder *f) {
    *f = (struct folder){.name = "/tmp/pprofgate_records.XXXXXX"};
    assert_non_null(mkdtemp(f->name));
    assert_true(gate_store_open(&f->store, f->name, GATE_STORE_WRITE, &f->arena, &f->err));
}

static void folder_close(struct folder *f) {
    char command[128];
    gate_store_close(&f->store);
    (void)snprintf(command, sizeof command, "rm -r %s", f->name);
    assert_int_equal(system(command), 0);
    gate_arena_free(&f->arena);
}

static struct gate_record put(struct folder *f, const char *service, const char *kinds, int64_t ms, const char *bytes) {
    struct gate_record record;
    struct gate_record_run run = {0};
    gate_record_begin(&record);
    record.service = gate_str_from(service);
    record.environment = GATE_STR("ci");
    record.revision = gate_str_from(bytes);
    record.accepted_ms = ms;
    assert_true(gate_objects_put(&run.object, &f->store, gate_str_from(bytes), &f->arena, &f->err));
    for (const char *kind = kinds; *kind != '\0'; kind++) {
        run.kind = (struct gate_str){kind, 1};
        assert_true(gate_record_add_run(&record, &run, &f->arena, &f->err));
    }
    assert_true(gate_records_put(&record, &f->store, &f->arena, &f->err));
    return record;
}

static struct gate_records list(struct folder *f, const char *service) {
    struct gate_records records;
    assert_true(gate_records_list(&records, &f->store, gate_str_from(service), GATE_STR(""), &f->arena, &f->err));
    return records;
}

static const char *path_of(struct folder *f, const struct gate_record *record) {
    struct gate_str folder = gate_records_folder(record->service, record->environment, &f->arena);
    struct gate_str relative =
        gate_str_format(&f->arena, "%.*s/%.*s.json", GATE_STR_ARG(folder), GATE_STR_ARG(record->id));
    return gate_store_path(&f->store, relative, &f->arena);
}

static void overwrite(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

TEST(records_are_listed_newest_first) {
    struct folder f;
    folder_open(&f);
    (void)put(&f, "shop", "c", 5, "a");
    (void)put(&f, "shop", "c", 9, "b");
    (void)put(&f, "a/..", "c", 7, "c");
    (void)put(&f, "shop", "c", 9, "b"); /* an equal record is stored once */
    struct gate_records all = list(&f, "");
    assert_int_equal(all.count, 3);
    assert_true(all.items[0].accepted_ms == 9 && all.items[1].accepted_ms == 7 && all.items[2].accepted_ms == 5);
    assert_true(gate_str_equal(all.items[1].service, GATE_STR("a/..")));
    assert_int_equal(list(&f, "shop").count, 2);
    assert_int_equal(list(&f, "a/..").count, 1);
    assert_int_equal(list(&f, "sho").count, 0);
    folder_close(&f);
}

TEST(damage_is_named_and_keeps_nothing_from_being_read) {
    struct folder f;
    folder_open(&f);
    struct gate_record broken = put(&f, "shop", "c", 5, "a");
    (void)put(&f, "shop", "c", 9, "b");
    overwrite(path_of(&f, &broken), "{}");
    struct gate_records all = list(&f, "");
    assert_int_equal(all.count, 1);
    assert_int_equal(all.damaged_count, 1);
    assert_true(gate_str_starts(all.damaged[0], gate_str_from(path_of(&f, &broken))));
    assert_int_equal(truncate(path_of(&f, &broken), (off_t)64 << 20), 0); /* larger than any record may be */
    assert_int_equal(list(&f, "").damaged_count, 1);
    assert_true(gate_objects_check(&f.store, broken.runs[0].object, &f.arena, &f.err));
    overwrite(gate_objects_path(&f.store, broken.runs[0].object, &f.arena), "other");
    assert_false(gate_objects_check(&f.store, broken.runs[0].object, &f.arena, &f.err));
    assert_int_equal(f.err.code, GATE_ERR_FORMAT);
    assert_non_null(strstr(f.err.message, gate_objects_path(&f.store, broken.runs[0].object, &f.arena)));
    (void)put(&f, "shop", "c", 11, "a"); /* putting the same bytes repairs the object */
    assert_true(gate_objects_check(&f.store, broken.runs[0].object, &f.arena, &f.err));
    folder_close(&f);
}

/* The system lists the files of a folder in any order. */
TEST(damaged_records_are_listed_by_name) {
    struct folder f;
    folder_open(&f);
    for (int i = 0; i < 16; i++) {
        struct gate_record broken = put(&f, "shop", "c", 10 + (7 * i) % 16, "a");
        overwrite(path_of(&f, &broken), "{}");
    }
    struct gate_records all = list(&f, "");
    assert_int_equal(all.damaged_count, 16);
    for (uint32_t i = 1; i < all.damaged_count; i++)
        assert_true(gate_str_compare(all.damaged[i - 1], all.damaged[i]) < 0);
    folder_close(&f);
}

/* A record of two kinds is kept while it is among the last of either kind. */
TEST(the_last_of_each_kind_stay) {
    struct folder f;
    struct gate_keep_counts counts = {0};
    folder_open(&f);
    (void)put(&f, "shop", "c", 1, "gone");
    (void)put(&f, "shop", "ch", 2, "stays-for-h");
    (void)put(&f, "shop", "c", 3, "c1");
    (void)put(&f, "shop", "c", 4, "c2");
    (void)put(&f, "other", "c", 0, "stays-for-other");
    struct gate_records all = list(&f, "");
    assert_true(gate_keep_last(&counts, &all, &f.store, 2, &f.arena, &f.err));
    assert_int_equal(counts.records, 1);
    assert_int_equal(all.count, 4);
    assert_int_equal(list(&f, "").count, 4);
    assert_true(gate_keep_collect(&counts, &all, &f.store, &f.arena, &f.err));
    assert_int_equal(counts.objects, 1);
    for (uint32_t i = 0; i < all.count; i++)
        assert_true(gate_objects_check(&f.store, all.items[i].runs[0].object, &f.arena, &f.err));
    overwrite(path_of(&f, &all.items[0]), "");
    all = list(&f, "");
    counts = (struct gate_keep_counts){0};
    assert_true(gate_keep_collect(&counts, &all, &f.store, &f.arena, &f.err));
    assert_true(counts.is_spared && counts.objects == 0);
    folder_close(&f);
}

TEST(a_store_is_distinguished_from_other_folders) {
    struct folder f;
    struct gate_store store;
    folder_open(&f);
    gate_store_close(&f.store);
    assert_true(gate_store_open(&store, f.name, GATE_STORE_READ, &f.arena, &f.err));
    assert_true(store.is_there);
    struct gate_store reader;
    assert_true(gate_store_open(&reader, f.name, GATE_STORE_READ, &f.arena, &f.err)); /* readers share the lock */
    gate_store_close(&reader);
    gate_store_close(&store);
    overwrite(gate_store_path(&f.store, GATE_STR("store.json"), &f.arena), "{\"schema\": \"pprofgate-store/2\"}");
    assert_false(gate_store_open(&store, f.name, GATE_STORE_WRITE, &f.arena, &f.err));
    assert_non_null(strstr(f.err.message, "store.json: expected the layout"));
    assert_true(gate_store_open(&store, "/nowhere/at/all", GATE_STORE_READ, &f.arena, &f.err));
    assert_false(store.is_there);
    assert_false(gate_store_open(&store, "/dev/null/at/all", GATE_STORE_WRITE, &f.arena, &f.err));
    assert_false(gate_store_open(&store, "/dev/null", GATE_STORE_READ, &f.arena, &f.err));
    folder_close(&f);
}
