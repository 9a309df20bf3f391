/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: what compare/hot_path.h says, done slowly. Bytes are decoded by protobuf-c's generated code, stacks are
 * lists of names, and sums are loops over all samples: nothing is shared, packed, joined or done in threads. Of the
 * program it takes how events of a record are counted (profile/counts.h) and whose code a frame is. */
#ifndef GATE_TESTS_PLAIN_REFERENCE_H
#define GATE_TESTS_PLAIN_REFERENCE_H

#include "gate/compare/hot_path.h"
#include "plain_profile.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { PLAIN_NAMES_MOST = 2000, PLAIN_RUNS_MOST = 6, PLAIN_DEPTH_MOST = 8192 };

/* The one name that options->frames.ignore may have. */
#define PLAIN_IGNORED "n4"

/* A sample that counts. */
struct plain_sample {
    uint32_t *frames; /* names, leaf first */
    uint32_t count;
    int64_t value; /* in the unit of all runs */
    double weight_sq;
};

struct plain_sums {
    int64_t value[GATE_MEASURES];
    double weight_sq[GATE_MEASURES];
    uint32_t samples[GATE_MEASURES];
};

struct plain_run {
    enum gate_side_name side;
    struct plain_sample *samples;
    uint32_t count;
    int64_t total;
    bool has_stack, has_negative;
    struct plain_sums sums[PLAIN_NAMES_MOST];
};

struct plain {
    struct gate_arena arena;
    const struct gate_pair_options *options;
    char *names[PLAIN_NAMES_MOST];
    bool is_own[PLAIN_NAMES_MOST];
    uint32_t name_count;
    struct plain_run *runs[PLAIN_RUNS_MOST]; /* the baseline's first */
    uint32_t run_count;
    int64_t totals[GATE_SIDES];
};

/* ---- names ------------------------------------------------------------------------------------------------------- */

static inline uint32_t plain_name(struct plain *p, const char *text) {
    for (uint32_t i = 0; i < p->name_count; i++)
        if (strcmp(p->names[i], text) == 0)
            return i;
    assert_true(p->name_count < PLAIN_NAMES_MOST);
    p->names[p->name_count] = gate_arena_alloc(&p->arena, strlen(text) + 1);
    memcpy(p->names[p->name_count], text, strlen(text) + 1);
    return p->name_count++;
}

static inline const char *plain_string(struct plain *p, const Plain__Profile *from, int64_t index) {
    assert_true(index >= 0 && (size_t)index < from->n_string_table);
    ProtobufCBinaryData text = from->string_table[index];
    char *copy = gate_arena_alloc(&p->arena, text.len + 1);
    for (size_t i = 0; i < text.len; i++)
        copy[i] = (char)text.data[i];
    copy[text.len] = '\0';
    return copy;
}

/* The name of a line, or of a location that has none. */
static inline uint32_t plain_frame(struct plain *p, const Plain__Profile *from, const Plain__Location *location,
                                   const Plain__Line *line) {
    const char *function = "", *file = "", *mapping = "";
    char text[200];
    for (size_t i = 0; line != NULL && i < from->n_function; i++)
        if (from->function[i]->id == line->function_id) {
            function = plain_string(p, from, from->function[i]->name);
            file = plain_string(p, from, from->function[i]->filename);
        }
    for (size_t i = 0; i < from->n_mapping; i++)
        if (from->mapping[i]->id == location->mapping_id)
            mapping = plain_string(p, from, from->mapping[i]->filename);
    if (strncmp(function, "0x", 2) == 0) /* an address is no name */
        function = "";
    if (p->options->frames.granularity == GATE_BY_FILE && file[0] != '\0')
        (void)snprintf(text, sizeof text, "%s", file);
    else if (p->options->frames.granularity == GATE_BY_LINE && function[0] != '\0' && line->line != 0)
        (void)snprintf(text, sizeof text, "%s %s:%lld", function, file, (long long)line->line);
    else if (p->options->frames.granularity != GATE_BY_FILE && function[0] != '\0')
        (void)snprintf(text, sizeof text, "%s", function);
    else if (mapping[0] != '\0')
        (void)snprintf(text, sizeof text, "[%s]", strrchr(mapping, '/') + 1);
    else
        (void)snprintf(text, sizeof text, "<unknown>");
    return plain_name(p, text);
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

enum plain_drop { PLAIN_KEPT, PLAIN_DROPPED, PLAIN_DROPPED_BENEATH };

/* Frames of one location, the innermost first, by its id. */
struct plain_location {
    uint64_t id;
    enum plain_drop drop;
    uint32_t *frames;
    uint32_t count;
};

static inline int plain_location_compare(const void *a, const void *b) {
    const struct plain_location *left = a, *right = b;
    return left->id < right->id ? -1 : left->id > right->id;
}

/* Whether `name` is one of those that stand in `list`, with a bar between them. */
static inline bool plain_is_listed(const char *list, const char *name) {
    size_t len = strlen(name);
    for (const char *at = list; len > 0 && at != NULL; at = strchr(at, '|'), at = at == NULL ? NULL : at + 1)
        if (strncmp(at, name, len) == 0 && (at[len] == '|' || at[len] == '\0'))
            return true;
    return false;
}

/* How many lines are gone of a location that drop_frames names, the innermost first. */
static inline size_t plain_lines_dropped(struct plain *p, const Plain__Profile *from, const Plain__Location *location) {
    const char *drop = plain_string(p, from, from->drop_frames), *keep = plain_string(p, from, from->keep_frames);
    for (size_t line = location->n_line; line > 0; line--)
        for (size_t i = 0; i < from->n_function; i++) {
            const Plain__Function *function = from->function[i];
            if (function->id != location->line[line - 1]->function_id)
                continue;
            const char *name = plain_string(p, from, function->name);
            if (plain_is_listed(drop, name) && !plain_is_listed(keep, name))
                return line;
        }
    return 0;
}

/* Where the frames of a stack begin that drop_frames leave: behind the outermost location of theirs, from the first
 * other one on. */
static inline size_t plain_first_kept(const struct plain_location *const *stack, size_t count) {
    bool is_inside = false;
    for (size_t i = count; i > 0; i--) {
        if (stack[i - 1]->drop == PLAIN_KEPT)
            is_inside = true;
        else if (is_inside)
            return stack[i - 1]->drop == PLAIN_DROPPED ? i : i - 1;
    }
    return 0;
}

static inline struct plain_location *plain_locations(struct plain *p, const Plain__Profile *from) {
    struct plain_location *all = gate_arena_alloc(&p->arena, (from->n_location + 1) * sizeof *all);
    for (size_t i = 0; i < from->n_location; i++) {
        const Plain__Location *location = from->location[i];
        size_t lines = location->n_line, gone = from->drop_frames == 0 ? 0 : plain_lines_dropped(p, from, location);
        all[i] = (struct plain_location){.id = location->id};
        all[i].frames = gate_arena_alloc(&p->arena, (lines + 1) * sizeof *all[i].frames);
        if (lines == 0)
            all[i].frames[all[i].count++] = plain_frame(p, from, location, NULL);
        if (gone > 0)
            all[i].drop = gone == lines ? PLAIN_DROPPED : PLAIN_DROPPED_BENEATH;
        for (size_t line = gone == lines ? 0 : gone; line < lines; line++)
            all[i].frames[all[i].count++] = plain_frame(p, from, location, location->line[line]);
    }
    qsort(all, from->n_location, sizeof *all, plain_location_compare);
    return all;
}

/* Into `out`; returns how many. */
static inline uint32_t plain_stack(uint32_t *out, const struct plain *p, const struct plain_location *locations,
                                   size_t location_count, const Plain__Sample *sample) {
    bool is_coarse = p->options->frames.granularity == GATE_BY_FILE;
    bool folds_skid = p->options->frames.granularity == GATE_BY_FUNCTION && !p->options->frames.exact_names;
    uint32_t count = 0, skid = 0;
    const struct plain_location *stack[256];
    assert_true(sample->n_location_id <= 256);
    for (size_t i = 0; i < sample->n_location_id; i++) {
        const struct plain_location wanted = {.id = sample->location_id[i]};
        stack[i] = bsearch(&wanted, locations, location_count, sizeof wanted, plain_location_compare);
        assert_non_null(stack[i]);
    }
    for (size_t i = plain_first_kept(stack, sample->n_location_id); i < sample->n_location_id; i++)
        for (uint32_t f = 0; f < stack[i]->count; f++) {
            uint32_t name = stack[i]->frames[f];
            bool is_ignored = p->options->frames.ignore_count > 0 && strcmp(p->names[name], PLAIN_IGNORED) == 0;
            assert_true(count < PLAIN_DEPTH_MOST);
            if (!is_ignored && (!is_coarse || count == 0 || out[count - 1] != name))
                out[count++] = name;
        }
    while (folds_skid && skid + 1 < count && strcmp(p->names[out[skid]], "runtime.asyncPreempt") == 0)
        skid++;
    memmove(out, out + skid, (count - skid) * sizeof *out);
    return count - skid;
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

static inline bool plain_passes(struct plain *p, const Plain__Profile *from, const Plain__Sample *sample) {
    const struct gate_label_filter *where = &p->options->where;
    for (uint32_t m = 0; m < where->count; m++) {
        bool is_there = false;
        for (size_t i = 0; i < sample->n_label; i++)
            is_there |=
                gate_str_equal(where->items[m].key, gate_str_from(plain_string(p, from, sample->label[i]->key))) &&
                gate_str_equal(where->items[m].value, gate_str_from(plain_string(p, from, sample->label[i]->str)));
        if (!is_there)
            return false;
    }
    return true;
}

static inline struct plain_sample plain_sample(struct plain *p, const struct gate_counts_model *counts, int64_t ratio,
                                               const Plain__Sample *sample, const uint32_t *frames, uint32_t count) {
    struct plain_sample made = {.count = count};
    double events = 0.0;
    made.value = sample->value[counts->value_column] * ratio;
    gate_counts_of(counts, sample->value, &events, &made.weight_sq);
    made.weight_sq *= (double)ratio * (double)ratio;
    made.frames = gate_arena_alloc(&p->arena, (count + 1) * sizeof *frames);
    memcpy(made.frames, frames, count * sizeof *frames);
    return made;
}

/** Add a run from its raw bytes. `ratio`: of its unit to that of all runs. */
static inline void plain_add(struct plain *p, enum gate_side_name side, struct gate_str bytes,
                             const struct gate_counts_model *counts, int64_t ratio) {
    static uint32_t frames[PLAIN_DEPTH_MOST];
    Plain__Profile *from = plain__profile__unpack(NULL, bytes.len, (const uint8_t *)bytes.ptr);
    assert_true(from != NULL && p->run_count < PLAIN_RUNS_MOST);
    const struct plain_location *locations = plain_locations(p, from);
    struct plain_run *run = gate_arena_calloc(&p->arena, 1, sizeof *run);
    run->side = side;
    run->samples = gate_arena_alloc(&p->arena, (from->n_sample + 1) * sizeof *run->samples);
    p->runs[p->run_count++] = run;
    for (size_t i = 0; i < from->n_sample; i++) {
        const Plain__Sample *sample = from->sample[i];
        if (!plain_passes(p, from, sample))
            continue;
        uint32_t count = plain_stack(frames, p, locations, from->n_location, sample);
        run->samples[run->count] = plain_sample(p, counts, ratio, sample, frames, count);
        run->total += run->samples[run->count].value;
        run->has_stack |= sample->n_location_id > 0;
        run->has_negative |= run->samples[run->count].value < 0;
        run->count++;
    }
    p->totals[side] += run->total;
    plain__profile__free_unpacked(from, NULL);
}

/** Events that a run's total is worth. */
static inline double plain_events(const struct plain_run *run) {
    double total = (double)run->total, weight_sq = 0.0;
    for (uint32_t i = 0; i < run->count; i++)
        weight_sq += run->samples[i].weight_sq;
    return weight_sq > 0.0 ? total * total / weight_sq : 0.0;
}

/** Whether there is anything to compare. */
static inline bool plain_is_comparable(const struct plain *p) {
    for (uint32_t r = 0; r < p->run_count; r++) {
        const struct plain_run *run = p->runs[r];
        if (run->count == 0 ? !p->options->is_part : run->has_negative || !run->has_stack)
            return false;
    }
    return p->totals[GATE_BASELINE] != 0 && p->totals[GATE_CANARY] != 0;
}

/* ---- costs ------------------------------------------------------------------------------------------------------- */

static inline void plain_count(struct plain_run *run, uint32_t name, enum gate_measure measure,
                               const struct plain_sample *sample) {
    run->sums[name].value[measure] += sample->value;
    run->sums[name].weight_sq[measure] += sample->weight_sq;
    run->sums[name].samples[measure]++;
}

/** What every name costs in every run; is_own is set. */
static inline void plain_sum(struct plain *p) {
    for (uint32_t r = 0; r < p->run_count; r++)
        for (uint32_t i = 0; i < p->runs[r]->count; i++) {
            const struct plain_sample *sample = &p->runs[r]->samples[i];
            uint32_t charged = 0;
            if (sample->count == 0)
                continue;
            while (charged + 1 < sample->count && !p->is_own[sample->frames[charged]])
                charged++;
            plain_count(p->runs[r], sample->frames[0], GATE_SELF, sample);
            plain_count(p->runs[r], sample->frames[charged], GATE_CHARGED, sample);
            for (uint32_t f = 0; f < sample->count; f++) {
                bool was_met = false;
                for (uint32_t before = 0; before < f; before++)
                    was_met |= sample->frames[before] == sample->frames[f];
                if (!was_met)
                    plain_count(p->runs[r], sample->frames[f], GATE_CUMULATIVE, sample);
            }
        }
}

/* ---- trees ------------------------------------------------------------------------------------------------------- */

struct plain_node {
    uint32_t name, parent, depth; /* GATE_NO_INDEX: the root's */
    int64_t self[GATE_SIDES], total[GATE_SIDES];
};

struct plain_tree {
    const struct plain *p;
    const struct gate_tree_options *options;
    struct plain_node *nodes;
    uint32_t count, room;
    uint32_t by_name[PLAIN_NAMES_MOST];
};

/* A stack in the order of the tree. */
struct plain_path {
    const struct plain_sample *sample;
    enum gate_side_name side;
};

static inline uint32_t plain_step(const struct plain_tree *tree, const struct plain_path *path, uint32_t depth) {
    uint32_t count = path->sample->count;
    if (depth >= count)
        return GATE_NO_INDEX;
    return path->sample->frames[tree->options->inverted ? depth : count - 1 - depth];
}

static inline bool plain_node_passes(const struct plain_tree *tree, const struct plain_node *node) {
    for (int side = 0; side < GATE_SIDES; side++)
        if (node->total[side] > 0 &&
            (double)node->total[side] / (double)tree->p->totals[side] >= tree->options->min_share)
            return true;
    return false;
}

/* A node of the paths that begin with it, if it passes, and all beneath it. */
static inline void plain_grow(struct plain_tree *tree, struct plain_node node, const struct plain_path *paths,
                              uint32_t count) {
    bool is_next[PLAIN_NAMES_MOST] = {false};
    uint32_t index = tree->count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t next = plain_step(tree, &paths[i], node.depth);
        node.total[paths[i].side] += paths[i].sample->value;
        if (next == GATE_NO_INDEX)
            node.self[paths[i].side] += paths[i].sample->value;
        else
            is_next[next] = true;
    }
    if (index != 0 && !plain_node_passes(tree, &node))
        return;
    assert_true(tree->count < tree->room);
    tree->nodes[tree->count++] = node;
    struct plain_path *some = malloc((count + 1) * sizeof *some);
    for (uint32_t n = 0; n < tree->p->name_count; n++) {
        uint32_t name = tree->by_name[n], some_count = 0;
        for (uint32_t i = 0; is_next[name] && i < count; i++)
            if (plain_step(tree, &paths[i], node.depth) == name)
                some[some_count++] = paths[i];
        if (some_count > 0)
            plain_grow(tree, (struct plain_node){.name = name, .parent = index, .depth = node.depth + 1}, some,
                       some_count);
    }
    free(some);
}

/** The tree with room for `room` nodes; its nodes are to be freed. */
static inline void plain_tree_make(struct plain_tree *tree, const struct plain *p,
                                   const struct gate_tree_options *options, uint32_t room) {
    struct plain_path *paths = NULL;
    uint32_t count = 0;
    *tree = (struct plain_tree){.p = p, .options = options, .room = room};
    tree->nodes = calloc(room, sizeof *tree->nodes);
    for (uint32_t i = 0; i < p->name_count; i++) { /* by their bytes */
        uint32_t at = i;
        for (; at > 0 && strcmp(p->names[i], p->names[tree->by_name[at - 1]]) < 0; at--)
            tree->by_name[at] = tree->by_name[at - 1];
        tree->by_name[at] = i;
    }
    for (uint32_t r = 0; r < p->run_count; r++)
        count += p->runs[r]->count;
    paths = malloc((count + 1) * sizeof *paths);
    assert_true(tree->nodes != NULL && paths != NULL);
    count = 0;
    for (uint32_t r = 0; r < p->run_count; r++)
        for (uint32_t i = 0; i < p->runs[r]->count; i++)
            paths[count++] = (struct plain_path){&p->runs[r]->samples[i], p->runs[r]->side};
    plain_grow(tree, (struct plain_node){.name = GATE_NO_INDEX, .parent = GATE_NO_INDEX}, paths, count);
    free(paths);
}

#endif
