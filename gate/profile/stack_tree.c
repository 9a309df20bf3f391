/* SPDX-License-Identifier: Apache-2.0 */
/* Samples as leaves of a radix tree (see stack_tree.h). */
#include "gate/profile/stack_tree.h"

#include "gate/profile/wire.h"

enum {
    WORD_BYTES = GATE_STACK_WORD_BYTES,
    FIRST_BUCKETS = 4,
    AHEAD = 16, /* buckets that are fetched */
    FIRST_BYTES = 4096,
    GROWN_MAX = 4 << 20, /* bytes of records are asked for at a time, at most */
    VARINT_MAX = 10,     /* bytes */
    FULLEST_TENTHS = 8   /* of the slots */
};

/* A record, read. */
struct record {
    uint32_t parent;
    uint32_t shared; /* bytes of the parent's own */
    uint32_t len;    /* of its own */
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

/* Of the tree's own making: whole, and of 32 bits at most. */
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

/* Bytes of the id that begins at `at`, up to the first that has no high bit; within a key there is one. */
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

/* Where a child may be. */
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

/* The record that leaves `parent` behind `shared` bytes with that id; 0: none does. */
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

/* The records stand in order, and say all that a slot is found by. Buckets are fetched ahead. */
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

/* A key's last `len` bytes, which no record has at that place. */
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

/* How many whole ids two keys begin with alike. */
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

/* The key from the root; false: no memory. */
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

/* To the next record; false: there is none. */
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

/* The first record that has the tag of the next one is fetched; false: there is none. */
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

/* A step of one that has a record or a bucket under way. False: it is at its end, or leaves the tree. */
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

/* From the leaf on: what was put from the root. Ids of up to four bytes, as nearly all are, are moved as four. */
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

/* The whole key: its end is the sample's own, and what is before it others' beginnings. */
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
    if (!gate_buf_reserve(key, len + WORD_BYTES)) /* reversed_put reads so much behind an id */
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
    const char *end = memchr(key->ptr, 0, key->len); /* ids are not 0, so no byte of theirs is */
    size_t len = (size_t)(end - key->ptr);
    if (len != 0) {
        gate_wire_put_varint(out, 1 << 3 | GATE_WIRE_BYTES);
        gate_wire_put_varint(out, len);
        reversed_put(out, key->ptr, len);
    }
    gate_buf_bytes(out, end + 1, key->len - len - 2);
}
