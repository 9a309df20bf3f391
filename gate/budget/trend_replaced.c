/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/trend_replaced.h"

#include "gate/base/figures.h"
#include "gate/base/table.h"
#include "gate/compare/walk.h"

#include <math.h>
#include <stdlib.h>

/* A point of the series at which a function begins or ends. */
struct edge {
    uint32_t at; /* first point that has it, or first one that lacks it */
    bool begins;
};

/* The part of the series that has a function. */
struct life {
    double share; /* of the points that have it, with its callees */
    double total; /* of these points */
    uint32_t first_edge, edge_count;
};

/* One function beneath one caller. */
struct entry {
    uint32_t caller, frame;
    double charged; /* cost charged to it */
    double whole;   /* with its callees; 0 beneath another function that begins or ends */
};

/* A group, and the first point that has its new names. */
struct found {
    struct gate_replaced group;
    uint32_t since;
};

/* State of gate_trend_replaced_fold for one comparison. */
struct series_fold {
    struct gate_comparison *comparison;
    const struct gate_series_point *points;
    uint32_t point_count;
    double *total, *events; /* per point */
    struct life *lives;     /* per frame; without edges: all points have it, or it is small */
    struct edge *edges;
    uint32_t edge_count;
    size_t edge_capacity;
    uint64_t *counted_in;   /* per caller, the last for none: the last stack whose cost was added beneath it */
    uint64_t stack;         /* number of the stack that is read, from 1 */
    struct gate_table keys; /* caller and frame of each entry, until they are sorted */
    struct entry *entries;
    uint32_t entry_count;
    size_t entry_capacity;
    struct found *found;
    uint32_t found_count;
    size_t found_capacity;
    struct gate_arena scratch;
};

/* ---- where functions begin and end ------------------------------------------------------------------------------- */

static double events_between(const struct series_fold *fold, uint32_t from, uint32_t to) {
    double sum = 0.0;
    for (uint32_t p = from; p < to; p++)
        sum += fold->events[p];
    return sum;
}

static double cost_at(const struct series_fold *fold, uint32_t frame, uint32_t point) {
    double sum = 0.0;
    for (uint32_t r = fold->points[point].first; r < fold->points[point].first + fold->points[point].count; r++)
        sum += (double)gate_tally_at(&fold->comparison->deltas, GATE_CUMULATIVE, r, frame)->value;
    return sum;
}

static bool edge_add(struct series_fold *fold, struct life *life, uint32_t at, bool begins) {
    if (!GATE_GROW(&fold->scratch, fold->edges, fold->edge_count, fold->edge_capacity))
        return false;
    fold->edges[fold->edge_count++] = (struct edge){at, begins};
    life->edge_count++;
    return true;
}

/* Find where a function begins and ends. Returns false if the arena is full. */
static bool life_find(struct series_fold *fold, uint32_t frame) {
    struct life *life = &fold->lives[frame];
    double cost = 0.0, events = 0.0;
    life->first_edge = fold->edge_count;
    for (uint32_t p = 0; p < fold->point_count; p++) {
        double here = cost_at(fold, frame, p);
        cost += here;
        life->total += here > 0.0 ? fold->total[p] : 0.0;
        events += here > 0.0 ? fold->events[p] : 0.0;
    }
    life->share = life->total > 0.0 ? cost / life->total : 0.0;
    if (life->share < GATE_REPLACED_MIN_SHARE || life->share * events < GATE_REPLACED_MIN_EVENTS)
        return true;
    for (uint32_t from = 0, to = 0; from < fold->point_count; from = to + 1) {
        for (to = from; to < fold->point_count && !(cost_at(fold, frame, to) > 0.0);)
            to++;
        if (life->share * events_between(fold, from, to) < GATE_REPLACED_MIN_EVENTS)
            continue;
        if ((from > 0 && !edge_add(fold, life, from, false)) ||
            (to < fold->point_count && !edge_add(fold, life, to, true)))
            return false;
    }
    return true;
}

static bool lives_find(struct series_fold *fold) {
    const struct gate_pair *pair = &fold->comparison->pair;
    const struct gate_run *runs = pair->sides[GATE_BASELINE].runs;
    fold->total = GATE_NEW_ARRAY(&fold->scratch, double, fold->point_count);
    fold->events = GATE_NEW_ARRAY(&fold->scratch, double, fold->point_count);
    fold->lives = GATE_NEW_ARRAY(&fold->scratch, struct life, pair->frame_count);
    if (fold->total == NULL || fold->events == NULL || fold->lives == NULL)
        return false;
    for (uint32_t p = 0; p < fold->point_count; p++)
        for (uint32_t r = fold->points[p].first; r < fold->points[p].first + fold->points[p].count; r++) {
            fold->total[p] += (double)runs[r].total;
            fold->events[p] += runs[r].events;
        }
    for (uint32_t i = 0; i < pair->frame_count; i++)
        if (pair->frames[i].is_own && !life_find(fold, i))
            return false;
    return true;
}

/* ---- functions by caller ----------------------------------------------------------------------------------------- */

static bool is_partial(const struct series_fold *fold, uint32_t frame) {
    return fold->lives[frame].edge_count > 0;
}

/* Return the entry of a function beneath a caller; NULL if the arena is full. */
static struct entry *entry_of(struct series_fold *fold, uint32_t caller, uint32_t frame) {
    const uint32_t key[] = {caller, frame};
    const uint32_t known = fold->entry_count;
    uint32_t at = gate_table_intern_copy(&fold->keys, (struct gate_str){(const char *)key, sizeof key});
    if (at == GATE_TABLE_NONE || !GATE_GROW(&fold->scratch, fold->entries, known, fold->entry_capacity))
        return NULL;
    if (at == known)
        fold->entries[fold->entry_count++] = (struct entry){.caller = caller, .frame = frame};
    return &fold->entries[at];
}

/* Add the value of a stack, leaf first, to the entries of its functions. Beneath one caller it counts once, in the
 * outermost function that begins or ends. Returns false if the arena is full. */
static bool stack_add(struct series_fold *fold, const uint32_t *frames, uint32_t count, double value) {
    const struct gate_frame *all = fold->comparison->pair.frames;
    uint32_t owner = GATE_NO_INDEX, charged = 0;
    fold->stack++;
    while (charged < count && !all[frames[charged]].is_own)
        charged++;
    for (uint32_t i = count; i-- > 0;) {
        if (!is_partial(fold, frames[i])) {
            owner = all[frames[i]].is_own ? frames[i] : owner;
            continue;
        }
        struct entry *entry = entry_of(fold, owner, frames[i]);
        if (entry == NULL)
            return false;
        entry->charged += i == charged ? value : 0.0;
        uint64_t *counted_in = &fold->counted_in[owner == GATE_NO_INDEX ? fold->comparison->pair.frame_count : owner];
        entry->whole += *counted_in == fold->stack ? 0.0 : value;
        *counted_in = fold->stack;
    }
    return true;
}

static bool entries_find(struct series_fold *fold) {
    const struct gate_pair *pair = &fold->comparison->pair;
    uint32_t *frames = GATE_NEW_ARRAY(&fold->scratch, uint32_t, pair->max_frames);
    fold->counted_in = GATE_NEW_ARRAY(&fold->scratch, uint64_t, (size_t)pair->frame_count + 1);
    gate_table_init(&fold->keys, &fold->scratch);
    if (frames == NULL || fold->counted_in == NULL)
        return false;
    for (uint32_t r = 0; r < pair->sides[GATE_BASELINE].run_count; r++) {
        const struct gate_run *run = &pair->sides[GATE_BASELINE].runs[r];
        struct gate_stacks_walk walk = gate_stacks_begin(&run->stacks);
        struct gate_stack stack;
        while (gate_stacks_next(&stack, &walk))
            if (!stack_add(fold, frames, gate_walk_frames(run, &stack, frames),
                           (double)stack.value * (double)run->unit_ratio))
                return false;
    }
    return true;
}

/* Order by caller, then the costliest first. */
static int entry_compare(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    if (a->charged != b->charged)
        return a->charged > b->charged ? -1 : 1;
    return a->frame < b->frame ? -1 : a->frame > b->frame;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Return whether a function begins at a point. */
static bool begins_at(const struct series_fold *fold, uint32_t frame, uint32_t point) {
    const struct life *life = &fold->lives[frame];
    for (uint32_t i = life->first_edge; i < life->first_edge + life->edge_count; i++)
        if (fold->edges[i].begins && fold->edges[i].at == point)
            return true;
    return false;
}

/* Return whether a function ends at `point`, where another one begins, and does not begin there itself. It may also end
 * so shortly before that either function may be missing in between by chance. */
static bool is_ended(const struct series_fold *fold, uint32_t frame, uint32_t point, double share_of_other) {
    const struct life *life = &fold->lives[frame];
    double share = fmax(life->share, share_of_other);
    if (begins_at(fold, frame, point))
        return false;
    for (uint32_t i = life->first_edge; i < life->first_edge + life->edge_count; i++)
        if (!fold->edges[i].begins && fold->edges[i].at <= point &&
            share * events_between(fold, fold->edges[i].at, point) < GATE_REPLACED_MIN_EVENTS)
            return true;
    return false;
}

static void name_add(struct gate_replaced *group, const struct series_fold *fold, const struct entry *entry, int side) {
    double total = fold->lives[entry->frame].total;
    group->names[group->gone_count + group->new_count] =
        (struct gate_replaced_name){entry->frame, entry->charged / total};
    group->share[side] += entry->whole / total;
    *(side == GATE_BASELINE ? &group->gone_count : &group->new_count) += 1;
}

/* Set the shares of a group to at least the sum of its functions: one beneath a function of another change counts with
 * its own charged cost. */
static void group_sum(struct gate_replaced *group) {
    double charged[GATE_SIDES] = {0.0, 0.0};
    for (uint32_t i = 0; i < group->gone_count + group->new_count; i++)
        charged[i < group->gone_count ? GATE_BASELINE : GATE_CANARY] += group->names[i].share;
    for (int side = 0; side < GATE_SIDES; side++)
        group->share[side] = fmax(group->share[side], charged[side]);
}

/* Make the group of a caller's entries that begin at a point, and those that end there. It stays empty if one kind is
 * missing. */
static bool group_make(struct gate_replaced *out, const struct series_fold *fold, uint32_t from, uint32_t to,
                       uint32_t point, struct gate_arena *arena) {
    double share = 0.0;
    uint32_t begun = 0, ended = 0;
    *out = (struct gate_replaced){.caller = fold->entries[from].caller};
    for (uint32_t i = from; i < to; i++)
        if (begins_at(fold, fold->entries[i].frame, point)) {
            begun++;
            share = fmax(share, fold->lives[fold->entries[i].frame].share);
        }
    for (uint32_t i = from; begun > 0 && i < to; i++)
        ended += is_ended(fold, fold->entries[i].frame, point, share);
    if (ended == 0)
        return true;
    out->names = GATE_NEW_ARRAY(arena, struct gate_replaced_name, (size_t)begun + ended);
    if (out->names == NULL)
        return false;
    for (uint32_t i = from; i < to; i++)
        if (is_ended(fold, fold->entries[i].frame, point, share))
            name_add(out, fold, &fold->entries[i], GATE_BASELINE);
    for (uint32_t i = from; i < to; i++)
        if (begins_at(fold, fold->entries[i].frame, point))
            name_add(out, fold, &fold->entries[i], GATE_CANARY);
    group_sum(out);
    return true;
}

/* Keep only the costliest names of each kind. */
static void group_cut(struct gate_replaced *group) {
    uint32_t gone = group->gone_count < GATE_REPLACED_NAMES_MOST / 2 ? group->gone_count : GATE_REPLACED_NAMES_MOST / 2;
    uint32_t added = group->new_count < GATE_REPLACED_NAMES_MOST / 2 ? group->new_count : GATE_REPLACED_NAMES_MOST / 2;
    memmove(group->names + gone, group->names + group->gone_count, added * sizeof *group->names);
    group->gone_count = gone;
    group->new_count = added;
}

/* Add the groups of a caller's entries. `*has_any` is set if there are some. Returns false if the arena is full. */
static bool caller_groups(bool *has_any, struct series_fold *fold, uint32_t from, uint32_t to,
                          struct gate_arena *arena) {
    *has_any = false;
    for (uint32_t point = 1; point < fold->point_count; point++) {
        struct gate_replaced group;
        if (!group_make(&group, fold, from, to, point, arena))
            return false;
        if (group.new_count == 0)
            continue;
        *has_any = true;
        group_cut(&group);
        if (!GATE_GROW(&fold->scratch, fold->found, fold->found_count, fold->found_capacity))
            return false;
        fold->found[fold->found_count++] = (struct found){group, point};
    }
    return true;
}

static double most_share(const struct gate_replaced *group) {
    return fmax(group->share[GATE_BASELINE], group->share[GATE_CANARY]);
}

/* Order the costliest first. */
static int found_compare_cost(const void *left, const void *right) {
    const struct found *a = left, *b = right;
    if (most_share(&a->group) != most_share(&b->group))
        return most_share(&a->group) > most_share(&b->group) ? -1 : 1;
    if (a->since != b->since)
        return a->since < b->since ? -1 : 1;
    return a->group.caller < b->group.caller ? -1 : a->group.caller > b->group.caller;
}

/* Order the earliest first, then the costliest. */
static int found_compare_time(const void *left, const void *right) {
    const struct found *a = left, *b = right;
    return a->since != b->since ? (a->since < b->since ? -1 : 1) : found_compare_cost(left, right);
}

/* Append the costliest groups of a comparison, in the order of the builds. */
static void groups_append(struct gate_trend_replaced *out, struct series_fold *fold, uint32_t comparison) {
    uint32_t count = fold->found_count < GATE_REPLACED_GROUPS_MOST ? fold->found_count : GATE_REPLACED_GROUPS_MOST;
    if (count == 0)
        return;
    qsort(fold->found, fold->found_count, sizeof *fold->found, found_compare_cost);
    qsort(fold->found, count, sizeof *fold->found, found_compare_time);
    for (uint32_t i = 0; i < count; i++) {
        out->since[out->list.count] = fold->found[i].since;
        out->list.items[out->list.count] = fold->found[i].group;
        out->list.items[out->list.count++].comparison = comparison;
    }
}

/* ---- folding ----------------------------------------------------------------------------------------------------- */

/* Append the frame for folded functions without an own caller that is not folded. */
static bool frame_append(struct gate_pair *pair, struct gate_arena *arena) {
    struct gate_frame *frames = GATE_NEW_ARRAY(arena, struct gate_frame, (size_t)pair->frame_count + 1);
    if (frames == NULL)
        return false;
    memcpy(frames, pair->frames, pair->frame_count * sizeof *frames);
    frames[pair->frame_count] = gate_frame_of_folded(GATE_STR(GATE_SOME_BUILDS_NAME));
    pair->frames = frames;
    pair->one_sided = pair->frame_count++;
    return true;
}

/* Return the last point at which a function of a caller's entries begins or ends. */
static uint32_t last_edge(const struct series_fold *fold, uint32_t from, uint32_t to) {
    uint32_t last = 0;
    for (uint32_t i = from; i < to; i++) {
        const struct life *life = &fold->lives[fold->entries[i].frame];
        uint32_t at = fold->edges[life->first_edge + life->edge_count - 1].at;
        last = at > last ? at : last;
    }
    return last;
}

/* Set the point at which each folded function began, or 0. It is 0 if the function ended or begins with the series, or
 * if a function of the same caller begins or ends later, because one may have replaced the other. */
static bool began_find(uint32_t **out, const struct series_fold *fold, struct gate_arena *arena) {
    const struct gate_pair *pair = &fold->comparison->pair;
    *out = GATE_NEW_ARRAY(arena, uint32_t, (size_t)pair->frame_count + 1); /* one more for frame_append */
    for (uint32_t i = 0; *out != NULL && i < pair->frame_count; i++) {
        const struct life *life = &fold->lives[i];
        if (!pair->frames[i].is_folded)
            continue;
        const struct edge *last = &fold->edges[life->first_edge + life->edge_count - 1];
        (*out)[i] = last->begins ? last->at : 0;
    }
    for (uint32_t from = 0, to = 0; *out != NULL && from < fold->entry_count; from = to) {
        while (to < fold->entry_count && fold->entries[to].caller == fold->entries[from].caller)
            to++;
        uint32_t last = last_edge(fold, from, to);
        for (uint32_t i = from; i < to; i++)
            if ((*out)[fold->entries[i].frame] < last)
                (*out)[fold->entries[i].frame] = 0;
    }
    return *out != NULL;
}

/* Find the groups of one comparison, and mark the functions to fold. Returns false if the arena is full. */
static bool comparison_mark(struct series_fold *fold, struct gate_arena *arena) {
    if (!lives_find(fold))
        return false;
    if (fold->edge_count < 2)
        return true;
    if (!entries_find(fold))
        return false;
    qsort(fold->entries, fold->entry_count, sizeof *fold->entries, entry_compare);
    for (uint32_t from = 0, to = 0; from < fold->entry_count; from = to) {
        bool has_any;
        while (to < fold->entry_count && fold->entries[to].caller == fold->entries[from].caller)
            to++;
        if (!caller_groups(&has_any, fold, from, to, arena))
            return false;
        for (uint32_t i = from; has_any && i < to; i++)
            fold->comparison->pair.frames[fold->entries[i].frame].is_folded = true;
    }
    return true;
}

/* Fold the functions of one comparison, and append its groups. */
static bool comparison_fold(struct gate_trend_replaced *out, struct gate_comparison *comparison, uint32_t index,
                            const struct gate_series_point *points, uint32_t count, struct gate_arena *arena,
                            struct gate_error *err) {
    struct series_fold fold = {.comparison = comparison, .points = points, .point_count = count};
    gate_arena_fork(&fold.scratch, arena);
    bool ok = comparison_mark(&fold, arena) && (fold.found_count == 0 || began_find(&out->began[index], &fold, arena));
    if (ok)
        groups_append(out, &fold, index);
    else
        gate_arena_error_set(fold.scratch.is_refused ? &fold.scratch : arena, err);
    bool folds = fold.found_count > 0;
    gate_arena_free(&fold.scratch);
    if (!ok || !folds)
        return ok;
    if (!frame_append(&comparison->pair, arena))
        return gate_arena_error(arena, err);
    return gate_delta_fold(&comparison->deltas, &comparison->pair, NULL, arena, err);
}

bool gate_trend_replaced_fold(struct gate_trend_replaced *out, const struct gate_plan *plan,
                              const struct gate_series_point *points, uint32_t count, struct gate_arena *arena,
                              struct gate_error *err) {
    const size_t most = (size_t)plan->comparison_count * GATE_REPLACED_GROUPS_MOST;
    *out = (struct gate_trend_replaced){.since = GATE_NEW_ARRAY(arena, uint32_t, most)};
    out->list.items = GATE_NEW_ARRAY(arena, struct gate_replaced, most);
    out->began = GATE_NEW_ARRAY(arena, uint32_t *, plan->comparison_count);
    if (out->since == NULL || out->list.items == NULL || out->began == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t c = 0; c < plan->comparison_count; c++)
        if (plan->comparisons[c].pair.granularity != GATE_BY_MAPPING &&
            !comparison_fold(out, &plan->comparisons[c], c, points, count, arena, err))
            return false;
    return gate_replaced_renames(&out->renames, &out->list, plan->comparisons, arena) || gate_arena_error(arena, err);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void put_names(struct gate_buf *out, const struct gate_replaced_name *names, uint32_t count,
                      const struct gate_pair *pair, double share) {
    gate_buf_str(out, pair->frames[names->frame].name);
    if (count > 1)
        gate_buf_printf(out, " and %u more", (unsigned)(count - 1));
    gate_buf_text(out, " (");
    gate_figures_share(out, share);
    gate_buf_char(out, ')');
}

struct gate_str gate_trend_replaced_sentence(const struct gate_trend_replaced *replaced, const struct gate_plan *plan,
                                             const struct gate_series_point *points, struct gate_arena *arena) {
    struct gate_buf buf = {0};
    if (replaced->list.count == 0)
        return GATE_STR("");
    const struct gate_replaced *group = &replaced->list.items[0];
    const struct gate_comparison *comparison = &plan->comparisons[group->comparison];
    const struct gate_pair *pair = &comparison->pair;
    gate_buf_str(&buf, comparison->name);
    gate_buf_text(&buf, ": ");
    if (group->caller != GATE_NO_INDEX) {
        gate_buf_text(&buf, "in ");
        gate_buf_str(&buf, pair->frames[group->caller].name);
        gate_buf_text(&buf, ", ");
    }
    put_names(&buf, group->names + group->gone_count, group->new_count, pair, group->share[GATE_CANARY]);
    gate_buf_text(&buf, group->new_count > 1 ? " replace " : " replaces ");
    put_names(&buf, group->names, group->gone_count, pair, group->share[GATE_BASELINE]);
    gate_buf_text(&buf, " from ");
    gate_buf_str(&buf, points[replaced->since[0]].title);
    gate_buf_text(&buf, " on");
    if (replaced->list.count > 1)
        gate_buf_printf(&buf, ", and %u more such change%s", (unsigned)(replaced->list.count - 1),
                        replaced->list.count > 2 ? "s" : "");
    gate_buf_text(&buf, ": their cost is part of their caller's in all builds; if they do the same work, frames.rename "
                        "in the rules makes one series of them");
    return gate_buf_keep(&buf, arena);
}
