/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/formats/builder.h"

#include "gate/base/buf.h"
#include "gate/base/figures.h"
#include "gate/base/own_mark.h"
#include "gate/base/table.h"
#include "gate/model/sample.h"
#include "gate/model/wire.h"

/* ---- samples as leaves of a radix tree --------------------------------------------------------------------------- */

enum {
    WORD_BYTES = GATE_STACK_WORD_BYTES,
    FIRST_BUCKETS = 4,
    AHEAD = 16, /* buckets prefetched ahead */
    FIRST_BYTES = 4096,
    GROWN_MAX = 4 << 20, /* most bytes by which the records' buffer grows at a time */
    VARINT_MAX = 10,     /* longest varint in bytes */
    FULLEST_TENTHS = 8   /* load factor of the hash table, in tenths */
};

/* A decoded record. */
struct record {
    uint32_t parent;
    uint32_t shared; /* how many of the parent's own bytes it shares */
    uint32_t len;    /* number of own bytes */
    const uint8_t *own;
};

void gate_stack_tree_init(struct gate_stack_tree *tree, struct gate_arena *arena) {
    *tree = (struct gate_stack_tree){.arena = arena, .secret = gate_hash_secret(), .len = 1};
}

void gate_stack_tree_free(struct gate_stack_tree *tree) {
    for (uint32_t i = 0; i < GATE_STACK_WALKS; i++)
        gate_buf_free(&tree->walks[i].key);
}

static uint32_t word_at(const uint8_t *at) {
    uint32_t word = 0;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Read a varint written by this file: never truncated, at most 32 bits. */
static uint32_t varint_at(const uint8_t **at) {
    uint32_t value = *(*at) & 0x7Fu;
    for (unsigned shift = 7; *(*at)++ & 0x80u; shift += 7)
        value |= (uint32_t)(**at & 0x7Fu) << shift;
    return value;
}

static uint8_t *varint_put(uint8_t *at, uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at = (uint8_t)value;
    return at + 1;
}

static struct record record_at(const struct gate_stack_tree *tree, uint32_t place) {
    const uint8_t *at = tree->bytes + place;
    struct record record = {.parent = word_at(at)};
    at += WORD_BYTES + (size_t)WORD_BYTES * tree->value_count;
    record.shared = varint_at(&at);
    record.len = varint_at(&at);
    record.own = at;
    return record;
}

/* Return the length of the id at `at`. A key always has a byte below 0x80 after it. */
static uint32_t id_len(const uint8_t *at) {
    uint32_t len = 1;
    while (at[len - 1] & 0x80u)
        len++;
    return len;
}

static uint64_t id_hash(const struct gate_stack_tree *tree, uint32_t parent, uint32_t shared, const uint8_t *id) {
    uint64_t value = 0;
    for (uint32_t i = 0, len = id_len(id); i < len; i++)
        value = value << 7 | (id[i] & 0x7Fu);
    return gate_hash_mix(gate_hash_mix(((uint64_t)parent << 32 | shared) ^ tree->secret) + value);
}

static uint8_t tag_of(uint64_t hash) {
    return (uint8_t)(hash & 0xFF) == 0 ? 1 : (uint8_t)(hash & 0xFF);
}

static uint32_t bucket_of(const struct gate_stack_tree *tree, uint64_t hash) {
    return (uint32_t)((hash >> 32) * tree->bucket_count >> 32);
}

static uint32_t bucket_behind(const struct gate_stack_tree *tree, uint32_t bucket) {
    return bucket + 1 == tree->bucket_count ? 0 : bucket + 1;
}

static void slot_fill(struct gate_stack_tree *tree, uint64_t hash, uint32_t place) {
    for (uint32_t at = bucket_of(tree, hash);; at = bucket_behind(tree, at)) {
        struct gate_stack_bucket *bucket = &tree->buckets[at];
        for (uint32_t i = 0; i < GATE_STACK_BUCKET_SLOTS; i++) {
            if (bucket->tags[i] != 0)
                continue;
            bucket->tags[i] = tag_of(hash);
            bucket->places[i] = place;
            return;
        }
    }
}

/* The place at which a child record branches off. */
struct child {
    uint32_t parent, shared;
    const uint8_t *id;
    uint32_t id_len;
};

static bool is_child(struct record *record, const struct gate_stack_tree *tree, uint32_t place,
                     const struct child *wanted) {
    if (word_at(tree->bytes + place) != wanted->parent)
        return false;
    *record = record_at(tree, place);
    return record->shared == wanted->shared && record->len >= wanted->id_len &&
           memcmp(record->own, wanted->id, wanted->id_len) == 0;
}

/* Return the record that branches off `parent` after `shared` bytes with that id; 0: none. */
static uint32_t child_find(struct record *record, const struct gate_stack_tree *tree, const struct child *wanted,
                           uint64_t hash) {
    uint8_t tag = tag_of(hash);
    if (tree->bucket_count == 0)
        return 0;
    for (uint32_t at = bucket_of(tree, hash);; at = bucket_behind(tree, at)) {
        const struct gate_stack_bucket *bucket = &tree->buckets[at];
        for (uint32_t i = 0; i < GATE_STACK_BUCKET_SLOTS; i++) {
            if (bucket->tags[i] == 0)
                return 0;
            if (bucket->tags[i] == tag && is_child(record, tree, bucket->places[i], wanted))
                return bucket->places[i];
        }
    }
}

/* Fill the hash table from the records, which contain all parts of its keys. Prefetches buckets. */
static void slots_fill(struct gate_stack_tree *tree) {
    uint64_t hashes[AHEAD];
    uint32_t places[AHEAD], count = 0;
    for (uint32_t place = gate_stack_tree_first(tree); place != 0; place = gate_stack_tree_next(tree, place)) {
        struct record record = record_at(tree, place);
        uint32_t at = count++ % AHEAD;
        if (count > AHEAD)
            slot_fill(tree, hashes[at], places[at]);
        hashes[at] = id_hash(tree, record.parent, record.shared, record.own);
        places[at] = place;
        __builtin_prefetch(&tree->buckets[bucket_of(tree, hashes[at])], 1);
    }
    for (uint32_t i = 0; i < AHEAD && i < count; i++)
        slot_fill(tree, hashes[i], places[i]);
}

static bool buckets_widen(struct gate_stack_tree *tree) {
    uint64_t before = tree->bucket_count, wanted = before == 0 ? FIRST_BUCKETS : before + before / 2;
    size_t size = sizeof *tree->buckets;
    if (wanted > UINT32_MAX)
        return false;
    struct gate_stack_bucket *buckets =
        gate_arena_resize(tree->arena, tree->buckets, (size_t)before * size, (size_t)wanted * size);
    if (buckets == NULL)
        return false;
    memset(buckets, 0, (size_t)wanted * size);
    tree->buckets = buckets;
    tree->bucket_count = (uint32_t)wanted;
    slots_fill(tree);
    return true;
}

static bool bytes_reserve(struct gate_stack_tree *tree, size_t more) {
    if (tree->capacity != 0 && tree->capacity - tree->len >= more)
        return true;
    size_t step = tree->capacity < GROWN_MAX ? tree->capacity : GROWN_MAX;
    size_t wanted = tree->capacity + (step < FIRST_BYTES ? FIRST_BYTES : step);
    if (wanted - tree->len < more)
        wanted = tree->len + more;
    tree->is_at_end = wanted > UINT32_MAX;
    if (tree->is_at_end)
        return false;
    uint8_t *grown = gate_arena_resize(tree->arena, tree->bytes, tree->capacity, wanted);
    if (grown == NULL)
        return false;
    tree->bytes = grown;
    tree->capacity = wanted;
    return true;
}

/* Add a record for the rest of a key. */
static uint32_t record_add(struct gate_stack_tree *tree, const struct record *record, uint64_t hash) {
    bool is_wide = tree->count < (uint64_t)tree->bucket_count * GATE_STACK_BUCKET_SLOTS * FULLEST_TENTHS / 10;
    size_t words = WORD_BYTES + (size_t)WORD_BYTES * tree->value_count;
    size_t most = words + (size_t)2 * VARINT_MAX + record->len;
    if (!(is_wide || buckets_widen(tree)) || !bytes_reserve(tree, most))
        return 0;
    uint32_t place = (uint32_t)tree->len;
    uint8_t *at = tree->bytes + place;
    memset(at, 0, words);
    memcpy(at, &record->parent, sizeof record->parent);
    at = varint_put(at + words, record->shared);
    at = varint_put(at, record->len);
    memcpy(at, record->own, record->len);
    tree->len = (size_t)(at - tree->bytes) + record->len;
    tree->count++;
    slot_fill(tree, hash, place);
    return place;
}

/* Return the length of the whole ids that two keys have in common at the start. */
static uint32_t common_len(const uint8_t *a, uint32_t a_len, const uint8_t *b, uint32_t b_len) {
    uint32_t most = a_len < b_len ? a_len : b_len, len = 0;
    for (uint64_t x = 0, y = 0; len + sizeof x <= most; len += sizeof x) {
        memcpy(&x, a + len, sizeof x);
        memcpy(&y, b + len, sizeof y);
        if (x != y)
            break;
    }
    while (len < most && a[len] == b[len])
        len++;
    while (len > 0 && a[len - 1] & 0x80u)
        len--;
    return len;
}

/* Build a key. Returns false if memory is exhausted. */
static bool key_make(struct gate_buf *key, const uint64_t *locations, uint32_t depth, struct gate_str labels) {
    key->len = 0;
    if (!gate_buf_reserve(key, (size_t)depth * VARINT_MAX + labels.len + 2))
        return false;
    uint8_t *at = (uint8_t *)key->ptr;
    for (uint32_t i = depth; i > 0; i--) {
        GATE_ASSERT(locations[i - 1] != 0);
        at = varint_put(at, locations[i - 1]);
    }
    *at++ = 0;
    if (labels.len != 0)
        memcpy(at, labels.ptr, labels.len);
    at[labels.len] = 0;
    key->len = (size_t)(at + labels.len + 1 - (uint8_t *)key->ptr);
    return key->len <= UINT32_MAX;
}

bool gate_stack_tree_queue(struct gate_stack_tree *tree, const uint64_t *locations, uint32_t depth,
                           struct gate_str labels, uint32_t value_count) {
    GATE_ASSERT(tree->walk_count < GATE_STACK_WALKS && (tree->count == 0 || tree->value_count == value_count));
    struct gate_stack_walk *walk = &tree->walks[tree->walk_count];
    tree->value_count = value_count;
    if (!key_make(&walk->key, locations, depth, labels))
        return false;
    tree->walk_count++;
    walk->at = (const uint8_t *)walk->key.ptr;
    walk->left = (uint32_t)walk->key.len;
    walk->place = walk->shared = 0;
    walk->hash = id_hash(tree, 0, 0, walk->at);
    walk->is_fetched = false;
    return true;
}

/* Go to the next record. Returns false if there is none. */
static bool walk_go(struct gate_stack_walk *walk, const struct gate_stack_tree *tree) {
    struct record record;
    struct child wanted = {walk->place, walk->shared, walk->at, id_len(walk->at)};
    uint32_t child = child_find(&record, tree, &wanted, walk->hash);
    if (child == 0)
        return false;
    walk->place = child;
    walk->shared = common_len(record.own, record.len, walk->at, walk->left);
    walk->at += walk->shared;
    walk->left -= walk->shared;
    if (walk->left != 0)
        walk->hash = id_hash(tree, walk->place, walk->shared, walk->at);
    return true;
}

/* Prefetch the first record with the tag of the next one. Returns false if there is none. */
static bool walk_fetch(struct gate_stack_walk *walk, const struct gate_stack_tree *tree) {
    const struct gate_stack_bucket *bucket = &tree->buckets[bucket_of(tree, walk->hash)];
    uint8_t tag = tag_of(walk->hash);
    uint32_t i = 0;
    while (i < GATE_STACK_BUCKET_SLOTS && bucket->tags[i] != 0 && bucket->tags[i] != tag)
        i++;
    walk->is_fetched = i < GATE_STACK_BUCKET_SLOTS && bucket->tags[i] == tag;
    if (walk->is_fetched)
        __builtin_prefetch(tree->bytes + bucket->places[i]);
    return walk->is_fetched;
}

/* Do one step of a lookup whose record or bucket was prefetched. Returns false if the lookup is at its end or leaves
 * the tree. */
static bool walk_step(struct gate_stack_walk *walk, const struct gate_stack_tree *tree) {
    if (!walk->is_fetched)
        return walk_fetch(walk, tree);
    walk->is_fetched = false;
    if (!walk_go(walk, tree) || walk->left == 0)
        return false;
    __builtin_prefetch(&tree->buckets[bucket_of(tree, walk->hash)]);
    return true;
}

void gate_stack_tree_meet(struct gate_stack_tree *tree) {
    uint32_t open[GATE_STACK_WALKS], count = tree->bucket_count == 0 ? 0 : tree->walk_count;
    for (uint32_t i = 0; i < count; i++)
        open[i] = i;
    while (count != 0) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < count; i++)
            if (walk_step(&tree->walks[open[i]], tree))
                open[kept++] = open[i];
        count = kept;
    }
}

uint32_t gate_stack_tree_take(struct gate_stack_tree *tree, uint32_t index) {
    struct gate_stack_walk *walk = &tree->walks[index];
    GATE_ASSERT(index < tree->walk_count);
    if (index + 1 == tree->walk_count)
        tree->walk_count = 0;
    while (walk->left != 0 && walk_go(walk, tree))
        continue;
    if (walk->left == 0)
        return walk->place;
    const struct record record = {walk->place, walk->shared, walk->left, walk->at};
    return record_add(tree, &record, walk->hash);
}

uint32_t gate_stack_tree_first(const struct gate_stack_tree *tree) {
    return tree->count == 0 ? 0 : 1;
}

uint32_t gate_stack_tree_next(const struct gate_stack_tree *tree, uint32_t place) {
    struct record record = record_at(tree, place);
    size_t next = (size_t)(record.own - tree->bytes) + record.len;
    return next < tree->len ? (uint32_t)next : 0;
}

/* Append ids leaf first; the key has them root first. Ids of up to 4 bytes, nearly all, are copied as 4 bytes. */
static void reversed_put(struct gate_buf *out, const char *ids, size_t len) {
    if (!gate_buf_reserve(out, len + WORD_BYTES))
        return;
    char *at = out->ptr + out->len;
    for (size_t end = len; end > 0;) {
        size_t start = end - 1;
        while (start > 0 && (uint8_t)ids[start - 1] & 0x80u)
            start--;
        if (end - start <= WORD_BYTES)
            memcpy(at, ids + start, WORD_BYTES);
        else
            memcpy(at, ids + start, end - start);
        at += end - start;
        end = start;
    }
    out->len += len;
}

/* Read the whole key by following the parents from the leaf. */
static bool key_read(struct gate_buf *key, const struct gate_stack_tree *tree, uint32_t place) {
    size_t len = 0;
    struct record record = record_at(tree, place);
    for (uint32_t shared = record.len, at = place; at != 0;) {
        struct record step = record_at(tree, at);
        len += shared;
        shared = step.shared;
        at = step.parent;
    }
    key->len = 0;
    if (!gate_buf_reserve(key, len + WORD_BYTES)) /* reversed_put reads up to WORD_BYTES after the start of an id */
        return false;
    key->len = len;
    for (uint32_t shared = record.len, at = place; at != 0;) {
        struct record step = record_at(tree, at);
        len -= shared;
        memcpy(key->ptr + len, step.own, shared);
        shared = step.shared;
        at = step.parent;
    }
    return true;
}

void gate_stack_tree_put(struct gate_buf *out, struct gate_buf *key, const struct gate_stack_tree *tree,
                         uint32_t place) {
    if (!key_read(key, tree, place)) {
        out->failed = true;
        return;
    }
    const char *end = memchr(key->ptr, 0, key->len); /* ids are minimal varints above 0, so they contain no 0 byte */
    size_t len = (size_t)(end - key->ptr);
    if (len != 0) {
        gate_wire_put_varint(out, 1 << 3 | GATE_WIRE_BYTES);
        gate_wire_put_varint(out, len);
        reversed_put(out, key->ptr, len);
    }
    gate_buf_bytes(out, end + 1, key->len - len - 2);
}

/* ---- values as words of 4 bytes ---------------------------------------------------------------------------------- */

enum {
    UNIT_SAMPLES = 1024, /* a column's unit may change while there are at most this many samples */
    SMALL_MAX = 1 << 30  /* multiples of the unit below this fit into a word */
};

static int64_t word_value(const struct gate_stack_tree *tree, uint32_t word, uint32_t column) {
    if (word & 1u)
        return tree->wide[word >> 1];
    return (int32_t)word / 2 * tree->units[column];
}

static uint8_t *word_of(const struct gate_stack_tree *tree, uint32_t place, uint32_t column) {
    return tree->bytes + place + GATE_STACK_WORD_BYTES + (size_t)GATE_STACK_WORD_BYTES * column;
}

int64_t gate_stack_tree_value(const struct gate_stack_tree *tree, uint32_t place, uint32_t column) {
    return word_value(tree, word_at(word_of(tree, place, column)), column);
}

/* Store the value in `wide`, in its existing entry if it has one. */
static bool wide_set(struct gate_stack_tree *tree, uint8_t *at, int64_t value) {
    uint32_t word = word_at(at);
    if (!(word & 1u)) {
        if (!GATE_REGROW(tree->arena, tree->wide, tree->wide_count, tree->wide_capacity) ||
            tree->wide_count >= UINT32_MAX / 2)
            return false;
        word = (uint32_t)tree->wide_count++ << 1 | 1u;
        memcpy(at, &word, sizeof word);
    }
    tree->wide[word >> 1] = value;
    return true;
}

static bool value_set(struct gate_stack_tree *tree, uint8_t *at, uint32_t column, int64_t value) {
    int64_t unit = tree->units[column];
    int64_t times = unit == 0 ? 0 : value / unit;
    if (times * unit != value || times >= SMALL_MAX || times < -SMALL_MAX || word_at(at) & 1u)
        return wide_set(tree, at, value);
    uint32_t word = (uint32_t)(int32_t)times << 1;
    memcpy(at, &word, sizeof word);
    return true;
}

/* Convert a column to a smaller unit that divides `value`, too. */
static bool unit_refine(struct gate_stack_tree *tree, uint32_t column, int64_t value) {
    int64_t before = tree->units[column];
    uint64_t unit = gate_divisor_common(gate_divisor_size(value), (uint64_t)before);
    if (unit > INT64_MAX)
        return true;
    bool ok = true;
    for (uint32_t place = gate_stack_tree_first(tree); ok && place != 0; place = gate_stack_tree_next(tree, place)) {
        uint8_t *at = word_of(tree, place, column);
        int64_t kept = word_value(tree, word_at(at), column);
        tree->units[column] = (int64_t)unit;
        ok = value_set(tree, at, column, kept);
        tree->units[column] = before;
    }
    tree->units[column] = (int64_t)unit;
    return ok;
}

bool gate_stack_tree_set(struct gate_stack_tree *tree, uint32_t place, uint32_t column, int64_t value) {
    int64_t unit = tree->units[column];
    bool is_multiple = value == 0 || (unit != 0 && value % unit == 0);
    if (!is_multiple && (unit == 0 || tree->count <= UNIT_SAMPLES) && !unit_refine(tree, column, value))
        return false;
    return value_set(tree, word_of(tree, place, column), column, value);
}

/* Multiply the column's unit. Only values in `wide` are rewritten. */
bool gate_stack_tree_scale(struct gate_stack_tree *tree, uint32_t column, int64_t ratio) {
    int64_t unit = tree->units[column];
    if (__builtin_mul_overflow(unit, ratio, &unit))
        return false;
    for (uint32_t place = gate_stack_tree_first(tree); place != 0; place = gate_stack_tree_next(tree, place)) {
        uint32_t word = word_at(word_of(tree, place, column));
        int64_t value = word_value(tree, word, column);
        if (__builtin_mul_overflow(value, ratio, &value))
            return false;
        if (word & 1u)
            tree->wide[word >> 1] = value;
    }
    tree->units[column] = unit;
    return true;
}

/* ---- building a profile ------------------------------------------------------------------------------------------ */

enum { PAGE_BYTES = 0x1000 };

/* One frame takes about 80 ns to add, write and read again, and up to 160 ns in stacks that are in no cache. A step is
 * about 10 ns (model/limits.h). Both sides of a comparison are converted, each within the whole limit. */
enum { FRAME_STEPS = 24, SAMPLE_STEPS = 8, LABEL_STEPS = 24, LABELS_SORTED_PER_STEP = 8 };

/* Labels are interned and sorted by insertion. */
static uint64_t sample_steps(const struct gate_builder_sample *sample) {
    uint64_t labels = sample->label_count;
    return SAMPLE_STEPS + (uint64_t)FRAME_STEPS * sample->depth +
           labels * (LABEL_STEPS + labels / LABELS_SORTED_PER_STEP);
}

void gate_builder_init(struct gate_builder *builder, struct gate_arena *arena, const struct gate_limits *limits) {
    *builder = (struct gate_builder){.arena = arena};
    if (limits != NULL) {
        builder->depth_most = limits->depth;
        builder->samples_most = limits->samples;
        builder->steps_most = limits->steps;
    }
    gate_table_init(&builder->strings, arena);
    gate_table_init(&builder->mapping_keys, arena);
    gate_table_init(&builder->functions, arena);
    gate_table_init(&builder->locations, arena);
    gate_stack_tree_init(&builder->samples, arena);
    gate_table_init(&builder->comments, arena);
    builder->is_full = gate_table_intern(&builder->strings, GATE_STR("")) == GATE_TABLE_NONE;
}

void gate_builder_free(struct gate_builder *builder) {
    gate_buf_free(&builder->scratch);
    gate_stack_tree_free(&builder->samples);
}

/* Return the index of the interned bytes. Sets is_full if memory is exhausted. */
static uint32_t builder_intern(struct gate_builder *builder, struct gate_table *table, struct gate_str key) {
    uint32_t index = builder->is_full ? GATE_TABLE_NONE : gate_table_intern_copy(table, key);
    builder->is_full |= index == GATE_TABLE_NONE;
    return index;
}

static uint64_t builder_string(struct gate_builder *builder, struct gate_str text) {
    uint32_t index = builder_intern(builder, &builder->strings, text);
    return index == GATE_TABLE_NONE ? 0 : index;
}

/* Like builder_string, for file names. Compares with the file of the previous function first, because it is usually
 * equal. */
static uint64_t builder_file(struct gate_builder *builder, struct gate_str file) {
    const struct gate_table *strings = &builder->strings;
    if (builder->last_file >= strings->count || !gate_str_equal(strings->keys[builder->last_file], file))
        builder->last_file = builder_string(builder, file);
    return builder->last_file;
}

/* Intern the contents of the scratch buffer. Returns index + 1 as the id, or 0 if memory is exhausted. */
static uint64_t scratch_intern(struct gate_builder *builder, struct gate_table *table) {
    builder->is_full |= builder->scratch.failed;
    uint32_t index = builder_intern(builder, table, gate_buf_view(&builder->scratch));
    return index == GATE_TABLE_NONE ? 0 : (uint64_t)index + 1;
}

void gate_builder_type(struct gate_builder *builder, struct gate_str type, struct gate_str unit) {
    GATE_ASSERT(builder->type_count < GATE_VALUES_MAX && builder->samples.count == 0);
    struct gate_str copies[2] = {gate_str_copy(builder->arena, type), gate_str_copy(builder->arena, unit)};
    builder->is_full |= copies[0].ptr == NULL || copies[1].ptr == NULL;
    if (!builder->is_full)
        builder->types[builder->type_count++] = (struct gate_value_type){copies[0], copies[1]};
}

void gate_builder_mark(struct gate_builder *builder) {
    const struct gate_str mark = GATE_STR(GATE_OWN_MARK_PPROF);
    GATE_ASSERT(builder->strings.count <= 1);
    builder->header.is_marked = true;
    gate_builder_comment(builder, mark);
    (void)builder_string(builder, mark); /* second string of the table, after the empty one */
}

uint64_t gate_builder_string_index(const struct gate_builder *builder, struct gate_table *added, struct gate_str text,
                                   bool *failed) {
    uint32_t known = gate_table_find(&builder->strings, text);
    if (known != GATE_TABLE_NONE)
        return known;
    uint32_t index = gate_table_intern(added, text);
    *failed |= index == GATE_TABLE_NONE;
    return (uint64_t)builder->strings.count + index;
}

void gate_builder_comment(struct gate_builder *builder, struct gate_str text) {
    (void)builder_intern(builder, &builder->comments, text);
}

uint64_t gate_builder_mapping(struct gate_builder *builder, const struct gate_mapping *mapping, uint64_t *start) {
    uint64_t size = mapping->limit - mapping->start;
    struct gate_buf *key = &builder->scratch;
    key->len = 0;
    gate_wire_put_number(key, 1, (size + PAGE_BYTES - 1) / PAGE_BYTES);
    gate_wire_put_number(key, 2, mapping->offset);
    gate_wire_put_bytes(key, 3, mapping->build_id.len != 0 ? mapping->build_id : mapping->file);
    uint32_t known = builder->mapping_keys.count;
    uint64_t id = scratch_intern(builder, &builder->mapping_keys);
    *start = mapping->start;
    if (id == 0)
        return 0;
    if (id <= known) {
        *start = builder->mappings[id - 1].mapping.start;
        return id;
    }
    struct gate_builder_mapping added = {.mapping = *mapping};
    added.mapping.file = gate_str_copy(builder->arena, mapping->file);
    added.mapping.build_id = gate_str_copy(builder->arena, mapping->build_id);
    builder->is_full |= added.mapping.file.ptr == NULL || added.mapping.build_id.ptr == NULL ||
                        !GATE_GROW(builder->arena, builder->mappings, known, builder->mapping_capacity);
    if (builder->is_full)
        return 0;
    builder->mappings[known] = added;
    return id;
}

uint64_t gate_builder_function(struct gate_builder *builder, const struct gate_function *function) {
    const struct gate_str text = function->name, system_text = function->system_name;
    uint64_t name = builder_string(builder, text);
    bool is_one_name = system_text.ptr == text.ptr && system_text.len == text.len;
    uint64_t system_name = is_one_name ? name : builder_string(builder, system_text);
    uint64_t file = builder_file(builder, function->file);
    struct gate_buf *body = &builder->scratch;
    body->len = 0;
    gate_wire_put_number(body, 2, name);
    gate_wire_put_number(body, 3, system_name);
    gate_wire_put_number(body, 4, file);
    gate_wire_put_number(body, 5, (uint64_t)function->start_line);
    return scratch_intern(builder, &builder->functions);
}

static size_t varint_len(uint64_t value) {
    size_t len = 1;
    while (value >= 0x80) {
        value >>= 7;
        len++;
    }
    return len;
}

/* Return the number of bytes that gate_wire_put_number writes for a field number below 16. */
static size_t number_len(uint64_t value) {
    return value == 0 ? 0 : 1 + varint_len(value);
}

uint64_t gate_builder_location(struct gate_builder *builder, uint64_t mapping, uint64_t address,
                               const struct gate_builder_line *lines, uint32_t line_count) {
    struct gate_buf *body = &builder->scratch;
    body->len = 0;
    gate_wire_put_number(body, 2, mapping);
    gate_wire_put_number(body, 3, address);
    for (uint32_t i = 0; i < line_count; i++) {
        size_t len = number_len(lines[i].function) + number_len((uint64_t)lines[i].line) + number_len(lines[i].column);
        gate_wire_put_varint(body, 4 << 3 | GATE_WIRE_BYTES);
        gate_wire_put_varint(body, len);
        gate_wire_put_number(body, 1, lines[i].function);
        gate_wire_put_number(body, 2, (uint64_t)lines[i].line);
        gate_wire_put_number(body, 3, lines[i].column);
    }
    if (mapping != 0 && mapping <= builder->mapping_keys.count && !builder->is_full)
        builder->mappings[mapping - 1].has_lines |= line_count != 0;
    return scratch_intern(builder, &builder->locations);
}

uint64_t gate_builder_frame(struct gate_builder *builder, struct gate_str name, struct gate_str file, int64_t line) {
    struct gate_function function = {.name = name, .system_name = name, .file = file};
    bool is_line = line > 0 && line < INT32_MAX;
    struct gate_builder_line at = {gate_builder_function(builder, &function), is_line ? line : 0, 0};
    return at.function == 0 ? 0 : gate_builder_location(builder, 0, 0, &at, 1);
}

uint64_t gate_builder_frame_in(struct gate_builder *builder, const struct gate_mapping *mapping, uint64_t address,
                               struct gate_str name, struct gate_str file, int64_t line) {
    struct gate_function function = {.name = name, .system_name = name, .file = file};
    struct gate_builder_line at = {.line = line};
    uint64_t start = 0, id = mapping->file.len == 0 ? 0 : gate_builder_mapping(builder, mapping, &start);
    if (name.len == 0)
        return gate_builder_location(builder, id, address, NULL, 0);
    at.function = gate_builder_function(builder, &function);
    return at.function == 0 ? 0 : gate_builder_location(builder, id, 0, &at, 1);
}

/* Sort a sample's labels by the first use of their keys. Returns NULL if memory is exhausted. */
static struct gate_builder_order *labels_order(struct gate_builder *builder, const struct gate_builder_sample *sample) {
    while (builder->order_capacity < sample->label_count) {
        if (!GATE_GROW(builder->arena, builder->order, builder->order_capacity, builder->order_capacity)) {
            builder->is_full = true;
            return NULL;
        }
    }
    for (uint32_t i = 0; i < sample->label_count; i++) {
        uint64_t key = builder_string(builder, sample->labels[i].key);
        uint32_t at = i;
        for (; at > 0 && builder->order[at - 1].key > key; at--)
            builder->order[at] = builder->order[at - 1];
        builder->order[at] = (struct gate_builder_order){key, i};
    }
    return builder->order;
}

/* Encode the labels in a fixed order, so that equal sets give equal bytes. */
static void labels_put(struct gate_builder *builder, const struct gate_builder_sample *sample) {
    const struct gate_builder_order *order = labels_order(builder, sample);
    for (uint32_t i = 0; order != NULL && i < sample->label_count; i++) {
        const struct gate_label *label = &sample->labels[order[i].label];
        bool is_text = label->text.ptr != NULL;
        uint64_t text = is_text ? builder_string(builder, label->text) : 0;
        uint64_t unit = is_text ? 0 : builder_string(builder, label->unit);
        uint64_t number = is_text ? 0 : (uint64_t)label->number;
        size_t len = number_len(order[i].key) + number_len(text) + number_len(number) + number_len(unit);
        gate_wire_put_varint(&builder->scratch, 3 << 3 | GATE_WIRE_BYTES);
        gate_wire_put_varint(&builder->scratch, len);
        gate_wire_put_number(&builder->scratch, 1, order[i].key);
        gate_wire_put_number(&builder->scratch, 2, text);
        gate_wire_put_number(&builder->scratch, 3, number);
        gate_wire_put_number(&builder->scratch, 4, unit);
    }
}

static bool builder_full(const struct gate_builder *builder, struct gate_error *err) {
    if (builder->samples.is_at_end)
        return gate_error_set(err, GATE_ERR_LIMIT,
                              "the sum has more distinct stacks than 4 GiB hold; add up fewer profiles at a time");
    return gate_arena_error(builder->arena, err);
}

static bool values_add(struct gate_builder *builder, uint32_t place, const int64_t *values, struct gate_error *err) {
    struct gate_stack_tree *samples = &builder->samples;
    for (uint32_t i = 0; i < builder->type_count; i++) {
        int64_t value = 0;
        if (__builtin_add_overflow(gate_stack_tree_value(samples, place, i), values[i], &value))
            return gate_error_set(err, GATE_ERR_OVERFLOW,
                                  "the values of sample type '%.*s' add up to more than 64 bits can hold",
                                  GATE_STR_ARG(builder->types[i].type));
        builder->is_full = !gate_stack_tree_set(samples, place, i, value);
        if (builder->is_full)
            return builder_full(builder, err);
    }
    return true;
}

bool gate_builder_settle(struct gate_builder *builder, struct gate_error *err) {
    struct gate_stack_tree *samples = &builder->samples;
    uint32_t count = samples->walk_count;
    if (count > 1)
        gate_stack_tree_meet(samples);
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++) {
        uint32_t place = gate_stack_tree_take(samples, i);
        builder->is_full = place == 0;
        ok = builder->is_full ? builder_full(builder, err) : values_add(builder, place, builder->queued[i], err);
    }
    samples->walk_count = 0;
    return ok;
}

bool gate_builder_charge(struct gate_builder *builder, uint64_t steps, struct gate_error *err) {
    builder->steps += steps;
    if (builder->steps_most == 0 || builder->steps <= builder->steps_most)
        return true;
    return gate_error_set(err, GATE_ERR_LIMIT,
                          "the stacks ask for more than %llu steps of work to convert; raise --max-steps if the input "
                          "is trusted",
                          (unsigned long long)builder->steps_most);
}

bool gate_builder_queue(struct gate_builder *builder, const struct gate_builder_sample *sample,
                        struct gate_error *err) {
    struct gate_stack_tree *samples = &builder->samples;
    /* Charge the steps before the sample is encoded: a format with parent links describes stacks of quadratic size in
     * few bytes. */
    if (!gate_builder_charge(builder, sample_steps(sample), err))
        return false;
    builder->scratch.len = 0;
    labels_put(builder, sample);
    builder->is_full |= builder->scratch.failed;
    struct gate_str labels = gate_buf_view(&builder->scratch);
    int64_t *values = builder->queued[samples->walk_count];
    builder->is_full = builder->is_full ||
                       !gate_stack_tree_queue(samples, sample->locations, sample->depth, labels, builder->type_count);
    if (builder->is_full)
        return builder_full(builder, err);
    for (uint32_t i = 0; i < builder->type_count; i++)
        values[i] = sample->values[i];
    return samples->walk_count < GATE_STACK_WALKS || gate_builder_settle(builder, err);
}

bool gate_builder_push(struct gate_builder *builder, uint64_t location, struct gate_error *err) {
    if (builder->depth == builder->depth_most)
        return gate_limits_too_deep(builder->depth_most, err);
    builder->stack[builder->depth++] = location;
    return true;
}

bool gate_builder_sample(struct gate_builder *builder, const struct gate_builder_sample *sample,
                         struct gate_error *err) {
    if (++builder->sample_count > builder->samples_most && builder->samples_most != 0)
        return gate_limits_too_many(builder->samples_most, "samples", err);
    return gate_builder_queue(builder, sample, err) && gate_builder_settle(builder, err);
}
