/* SPDX-License-Identifier: Apache-2.0 */
/* Remove old records and unnamed objects from a store. */
#include "gate/store/retention.h"

#include "gate/base/file.h"
#include "gate/base/table.h"
#include "gate/store/store.h"

enum { TEMPORARY_LETTERS = 6 }; /* random letters that mkstemp puts at the end of a name */

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* Return how many newer records of the same service and environment have a kind of this record: the minimum over its
 * kinds. */
static uint32_t newer_of(const struct gate_records *records, uint32_t index) {
    const struct gate_record *record = &records->items[index];
    uint32_t fewest = UINT32_MAX;
    for (uint32_t r = 0; r < record->run_count; r++) {
        uint32_t newer = 0;
        for (uint32_t i = 0; i < index; i++)
            newer += gate_str_equal(records->items[i].service, record->service) &&
                     gate_str_equal(records->items[i].environment, record->environment) &&
                     gate_record_has_kind(&records->items[i], record->runs[r].kind);
        fewest = newer < fewest ? newer : fewest;
    }
    return fewest;
}

bool gate_keep_last(struct gate_keep_counts *counts, struct gate_records *records, const struct gate_store *store,
                    uint32_t keep, struct gate_arena *arena, struct gate_error *err) {
    bool *stays = GATE_NEW_ARRAY(arena, bool, (size_t)records->count + 1);
    uint32_t count = 0;
    if (stays == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < records->count; i++)
        stays[i] = newer_of(records, i) < keep;
    for (uint32_t i = 0; i < records->count; i++) {
        if (stays[i]) {
            records->items[count++] = records->items[i];
            continue;
        }
        if (!gate_records_remove(&records->items[i], store, arena, err))
            return false;
        counts->records++;
    }
    records->count = count;
    return true;
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

/* State of a walk over the files of a store. */
struct collecting {
    struct gate_keep_counts *counts;
    const struct gate_store *store;
    struct gate_table named; /* digests of the objects that records name */
    struct gate_arena *arena;
    struct gate_error *err;
};

static bool remove_file(const struct collecting *collecting, struct gate_str folder, struct gate_str name) {
    const struct gate_str parts[] = {folder, GATE_STR("/"), name};
    struct gate_str relative = gate_str_concat(collecting->arena, parts, 3);
    return relative.ptr == NULL ? gate_arena_error(collecting->arena, collecting->err)
                                : gate_store_remove(collecting->store, relative, collecting->arena, collecting->err);
}

/* Return whether `name` is that of an unfinished file, such as "NAME.pprofgate-Ab12Cd", where NAME has `len` bytes. No
 * other program writes such names. */
static bool is_leftover(struct gate_str name, size_t len) {
    struct gate_str behind = gate_str_slice(name, len, name.len);
    return name.len > len && gate_str_starts(behind, GATE_STR(GATE_OUTFILE_UNFINISHED)) &&
           behind.len == sizeof GATE_OUTFILE_UNFINISHED - 1 + TEMPORARY_LETTERS;
}

static bool collect_objects(struct collecting *collecting, struct gate_str folder) {
    struct gate_store_names files;
    if (!gate_store_names(&files, collecting->store, folder, collecting->arena, collecting->err))
        return false;
    for (uint32_t i = 0; i < files.count; i++) {
        bool leftover = is_leftover(files.items[i], GATE_OBJECTS_DIGITS);
        bool unnamed = files.items[i].len == GATE_OBJECTS_DIGITS && !collecting->counts->is_spared &&
                       gate_table_find(&collecting->named, files.items[i]) == GATE_TABLE_NONE;
        if (!leftover && !unnamed)
            continue;
        if (!remove_file(collecting, folder, files.items[i]))
            return false;
        collecting->counts->leftovers += leftover;
        collecting->counts->objects += unnamed;
    }
    return true;
}

static bool collect_leftovers(struct collecting *collecting, struct gate_str folder) {
    struct gate_store_names files;
    if (!gate_store_names(&files, collecting->store, folder, collecting->arena, collecting->err))
        return false;
    for (uint32_t i = 0; i < files.count; i++) {
        size_t ending = gate_str_find(files.items[i], GATE_STR(".json."), 0);
        if (ending == SIZE_MAX || !is_leftover(files.items[i], ending + sizeof ".json" - 1))
            continue;
        if (!remove_file(collecting, folder, files.items[i]))
            return false;
        collecting->counts->leftovers++;
    }
    return true;
}

typedef bool collect_fn(struct collecting *collecting, struct gate_str folder);

/* Call `visit` for each folder that is `depth` levels below `folder`. */
static bool collect_below(struct collecting *collecting, struct gate_str folder, int depth, collect_fn *visit) {
    struct gate_store_names names;
    if (depth == 0)
        return visit(collecting, folder);
    if (!gate_store_names(&names, collecting->store, folder, collecting->arena, collecting->err))
        return false;
    for (uint32_t i = 0; i < names.count; i++) {
        const struct gate_str parts[] = {folder, GATE_STR("/"), names.items[i]};
        struct gate_str inner = gate_str_concat(collecting->arena, parts, 3);
        if (inner.ptr == NULL)
            return gate_arena_error(collecting->arena, collecting->err);
        if (!collect_below(collecting, inner, depth - 1, visit))
            return false;
    }
    return true;
}

bool gate_keep_collect(struct gate_keep_counts *counts, const struct gate_records *records,
                       const struct gate_store *store, struct gate_arena *arena, struct gate_error *err) {
    struct collecting collecting = {.counts = counts, .store = store, .arena = arena, .err = err};
    gate_table_init(&collecting.named, arena);
    for (uint32_t i = 0; i < records->count; i++)
        for (uint32_t r = 0; r < records->items[i].run_count; r++)
            if (gate_table_intern(&collecting.named, records->items[i].runs[r].object) == GATE_TABLE_NONE)
                return gate_arena_error(arena, err);
    counts->is_spared = records->damaged_count > 0;
    return collect_below(&collecting, GATE_STR("objects"), 1, collect_objects) &&
           collect_below(&collecting, GATE_STR("records"), 2, collect_leftovers);
}
