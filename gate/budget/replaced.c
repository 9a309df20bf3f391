/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/replaced.h"

#include "gate/base/figures.h"
#include "gate/compare/frames.h"
#include "gate/compare/v8_inlined_lines.h"
#include "gate/names/frame_name.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- owners of nodes --------------------------------------------------------------------------------------------- */

double gate_tree_own_cost(const struct gate_tree *tree, uint32_t node, int side) {
    double cost = (double)tree->nodes[node].total[side];
    for (uint32_t child = tree->nodes[node].first_child; child != GATE_NO_INDEX;
         child = tree->nodes[child].next_sibling)
        cost -= (double)tree->nodes[child].total[side];
    return cost;
}

bool gate_folded_make(struct gate_folded *out, const struct gate_comparison *comparison, const struct gate_tree *tree,
                      struct gate_arena *arena, struct gate_error *err) {
    const struct gate_pair *pair = &comparison->pair;
    out->owner = GATE_NEW_ARRAY(arena, uint32_t, tree->count);
    out->charged = GATE_NEW_ARRAY(arena, uint32_t, tree->count);
    if (out->owner == NULL || out->charged == NULL)
        return gate_arena_error(arena, err);
    out->owner[0] = out->charged[0] = GATE_NO_INDEX;
    for (uint32_t node = 1; node < tree->count; node++) { /* parents come before their children */
        uint32_t frame = tree->nodes[node].frame, parent = tree->nodes[node].parent;
        bool is_own = pair->frames[frame].is_own || pair->has_no_own;
        out->charged[node] = is_own ? frame : out->charged[parent];
        out->owner[node] = is_own && !pair->frames[frame].is_folded ? frame : out->owner[parent];
    }
    return true;
}

/* ---- functions of one side --------------------------------------------------------------------------------------- */

/* Return whether a function has no cost on `absent` and too much on the other side for chance. A line of JavaScript may
 * be on both sides, although only one side has the name of its function. */
static bool is_one_sided(const struct gate_comparison *comparison, uint32_t frame, int absent) {
    const struct gate_pair *pair = &comparison->pair;
    const int64_t *value = comparison->deltas.items[frame].value[GATE_CUMULATIVE];
    if (value[absent] != 0 || gate_is_inlined_line(pair->frames[frame].name))
        return false;
    double share = gate_share(value[1 - absent], pair->sides[1 - absent].total);
    return share >= GATE_REPLACED_MIN_SHARE && share * pair->sides[1 - absent].events >= GATE_REPLACED_MIN_EVENTS &&
           share * pair->sides[absent].events >= GATE_REPLACED_MIN_EVENTS;
}

static bool is_own(const struct gate_comparison *comparison, uint32_t frame) {
    return comparison->pair.frames[frame].is_own || comparison->pair.has_no_own;
}

bool gate_replaced_is_wanted(const struct gate_comparison *comparison) {
    bool only[GATE_SIDES] = {false, false};
    for (uint32_t i = 0; i < comparison->deltas.count; i++)
        for (int side = 0; side < GATE_SIDES; side++)
            only[side] = only[side] || (is_own(comparison, i) && is_one_sided(comparison, i, 1 - side));
    return only[GATE_BASELINE] && only[GATE_CANARY];
}

/* One function of one side beneath one caller. */
struct entry {
    uint32_t caller, frame;
    int side;       /* the side that has it */
    double charged; /* cost charged to it */
    double whole;   /* cost with its callees, except beneath another function that only one side has */
};

/* State of gate_replaced_find. */
struct search {
    const struct gate_comparison *comparison;
    const struct gate_tree *tree;
    struct gate_folded folded;
    struct entry *entries;
    uint32_t count;
};

/* Return the side that alone has a frame, or -1. Also returns -1 for a frame such as "[shop]", which is not a function:
 * it represents all code of a binary without symbols. */
static int only_side(const struct search *search, uint32_t frame) {
    const struct gate_pair *pair = &search->comparison->pair;
    if (frame == GATE_NO_INDEX || gate_unsymbolised_is_frame(pair, &pair->frames[frame]))
        return -1;
    for (int side = 0; side < GATE_SIDES; side++)
        if (is_one_sided(search->comparison, frame, 1 - side))
            return side;
    return -1;
}

/* Return the entry of a frame beneath a caller; NULL if there are too many. */
static struct entry *entry_of(struct search *search, uint32_t caller, uint32_t frame, int side) {
    for (uint32_t i = 0; i < search->count; i++)
        if (search->entries[i].caller == caller && search->entries[i].frame == frame)
            return &search->entries[i];
    if (search->count == GATE_REPLACED_NAMES_MOST)
        return NULL;
    search->entries[search->count] = (struct entry){.caller = caller, .frame = frame, .side = side};
    return &search->entries[search->count++];
}

/* Return whether a node is beneath another one-sided function of the same caller. Its cost is then already counted. */
static bool is_counted_above(const struct search *search, uint32_t node) {
    const struct gate_tree_node *nodes = search->tree->nodes;
    uint32_t caller = search->folded.owner[node];
    for (uint32_t up = nodes[node].parent; up != 0; up = nodes[up].parent)
        if (search->folded.owner[up] == caller && only_side(search, search->folded.charged[up]) >= 0)
            return true;
    return false;
}

static void collect(struct search *search) {
    const struct gate_tree *tree = search->tree;
    for (uint32_t node = 1; node < tree->count; node++) {
        uint32_t charged = search->folded.charged[node], parent = tree->nodes[node].parent;
        int side = only_side(search, charged);
        struct entry *entry = side < 0 ? NULL : entry_of(search, search->folded.owner[node], charged, side);
        if (entry == NULL)
            continue;
        entry->charged += gate_tree_own_cost(tree, node, side);
        if (charged == tree->nodes[node].frame && only_side(search, search->folded.charged[parent]) < 0 &&
            !is_counted_above(search, node))
            entry->whole += (double)tree->nodes[node].total[side];
    }
}

/* Order by caller, then the baseline's functions first, then the costliest first. */
static int entry_compare(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    if (a->side != b->side)
        return a->side < b->side ? -1 : 1;
    if (a->charged != b->charged)
        return a->charged > b->charged ? -1 : 1;
    return a->frame < b->frame ? -1 : a->frame > b->frame;
}

/* Make the group of the entries from `from` to `to`, which have one caller. */
static bool group_make(struct gate_replaced *out, const struct search *search, uint32_t from, uint32_t to,
                       struct gate_arena *arena, struct gate_error *err) {
    const struct gate_side *sides = search->comparison->pair.sides;
    *out = (struct gate_replaced){.caller = search->entries[from].caller};
    out->names = GATE_NEW_ARRAY(arena, struct gate_replaced_name, (size_t)(to - from));
    if (out->names == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = from; i < to; i++) {
        const struct entry *entry = &search->entries[i];
        double total = (double)sides[entry->side].total;
        out->names[i - from] = (struct gate_replaced_name){entry->frame, entry->charged / total};
        out->share[entry->side] += entry->whole / total;
        *(entry->side == GATE_BASELINE ? &out->gone_count : &out->new_count) += 1;
    }
    return true;
}

static int group_compare(const void *left, const void *right) {
    const struct gate_replaced *a = left, *b = right;
    if (a->comparison != b->comparison)
        return a->comparison < b->comparison ? -1 : 1;
    if (a->share[GATE_CANARY] != b->share[GATE_CANARY])
        return a->share[GATE_CANARY] > b->share[GATE_CANARY] ? -1 : 1;
    return a->caller < b->caller ? -1 : a->caller > b->caller;
}

bool gate_replaced_find(struct gate_replaced_list *list, const struct gate_comparison *comparison, uint32_t index,
                        const struct gate_tree *tree, struct gate_arena *arena, struct gate_error *err) {
    struct search search = {.comparison = comparison, .tree = tree};
    search.entries = GATE_NEW_ARRAY(arena, struct entry, GATE_REPLACED_NAMES_MOST);
    struct gate_replaced *items =
        GATE_NEW_ARRAY(arena, struct gate_replaced, (size_t)list->count + GATE_REPLACED_NAMES_MOST);
    if (search.entries == NULL || items == NULL)
        return gate_arena_error(arena, err);
    if (!gate_folded_make(&search.folded, comparison, tree, arena, err))
        return false;
    if (list->count > 0)
        memcpy(items, list->items, list->count * sizeof *items);
    collect(&search);
    qsort(search.entries, search.count, sizeof *search.entries, entry_compare);
    uint32_t found = list->count;
    for (uint32_t from = 0, to = 0; from < search.count; from = to) {
        while (to < search.count && search.entries[to].caller == search.entries[from].caller)
            to++;
        if (!group_make(&items[found], &search, from, to, arena, err))
            return false;
        items[found].comparison = index;
        found += items[found].gone_count > 0 && items[found].new_count > 0 &&
                 items[found].share[GATE_BASELINE] >= GATE_REPLACED_MIN_SHARE &&
                 items[found].share[GATE_CANARY] >= GATE_REPLACED_MIN_SHARE;
    }
    qsort(items, found, sizeof *items, group_compare);
    list->items = items;
    list->count = found - list->count > GATE_REPLACED_GROUPS_MOST ? list->count + GATE_REPLACED_GROUPS_MOST : found;
    return true;
}

/* ---- renames that make them meet --------------------------------------------------------------------------------- */

/* Return the last part of a name, with the closure in it. Empty if there is none. */
static struct gate_str last_part(struct gate_str name) {
    struct gate_name_part part = gate_name_last_part(name);
    return gate_str_slice(name, part.start, part.end);
}

/* Return the last part of a name without the closure in it: its words are compared. */
static struct gate_str with_words(struct gate_str name) {
    struct gate_name_part part = gate_name_last_part(name);
    return gate_str_slice(name, part.start, part.named);
}

/* Return whether `closure` is the name of a closure in the function `name`: "total.func1" in "total". */
static bool is_closure_in(struct gate_str closure, struct gate_str name) {
    size_t named = gate_name_last_part(closure).named, place = gate_str_find(closure, GATE_STR(" ("), 0);
    struct gate_str behind = gate_str_slice(closure, place == SIZE_MAX ? closure.len : place, closure.len);
    return named > 0 && named < closure.len && name.len == named + behind.len && name.len < closure.len &&
           gate_str_starts(closure, gate_str_slice(name, 0, named)) && gate_str_ends(name, behind);
}

/* Return the index of the name of the other list with the same last part, or GATE_NO_INDEX. */
static uint32_t namesake(const struct gate_replaced *replaced, uint32_t i, const struct gate_pair *pair) {
    bool is_new = i >= replaced->gone_count;
    uint32_t from = is_new ? 0 : replaced->gone_count;
    uint32_t to = is_new ? replaced->gone_count : replaced->gone_count + replaced->new_count;
    struct gate_str wanted = last_part(pair->frames[replaced->names[i].frame].name);
    for (uint32_t k = from; k < to && wanted.len > 0; k++)
        if (gate_str_equal(last_part(pair->frames[replaced->names[k].frame].name), wanted))
            return k;
    return GATE_NO_INDEX;
}

struct gate_str gate_renamed(const struct gate_renames *renames, struct gate_str name) {
    for (uint32_t i = 0; i < renames->count; i++)
        if (gate_str_equal(renames->from[i], name))
            return renames->to[i];
    return name;
}

static bool is_target(const struct gate_renames *renames, struct gate_str name) {
    for (uint32_t i = 0; i < renames->count; i++)
        if (gate_str_equal(renames->to[i], name))
            return true;
    return false;
}

/* Return whether a name of a group has no namesake in the other list. */
static bool is_single(const struct gate_replaced *group, uint32_t i, const struct gate_pair *pair) {
    return namesake(group, i, pair) == GATE_NO_INDEX;
}

/* Return whether a name already belongs to another rename. */
static bool is_decided(const struct gate_renames *renames, struct gate_str name) {
    return is_target(renames, name) || !gate_str_equal(gate_renamed(renames, name), name);
}

static void rename_frame(struct gate_renames *renames, const struct gate_pair *pair, uint32_t frame, uint32_t target) {
    struct gate_str name = pair->frames[frame].name, to = gate_renamed(renames, pair->frames[target].name);
    if (gate_str_equal(to, name) || is_decided(renames, name))
        return;
    renames->from[renames->count] = name;
    renames->to[renames->count++] = to;
}

/* Return the index of the group's function that contains a closure of the group, on the same side; or GATE_NO_INDEX. */
static uint32_t function_of(const struct gate_replaced *group, uint32_t closure, const struct gate_pair *pair) {
    bool is_gone = closure < group->gone_count;
    uint32_t from = is_gone ? 0 : group->gone_count;
    uint32_t to = is_gone ? group->gone_count : group->gone_count + group->new_count;
    for (uint32_t i = from; i < to; i++)
        if (is_closure_in(pair->frames[group->names[closure].frame].name, pair->frames[group->names[i].frame].name))
            return i;
    return GATE_NO_INDEX;
}

/* The gone and the new names of a group that have no namesake and no rename yet, as indices of its names. Closures in a
 * function of the group are left out. */
struct left {
    const struct gate_replaced *group;
    const struct gate_pair *pair;
    uint32_t gone[GATE_REPLACED_NAMES_MOST], added[GATE_REPLACED_NAMES_MOST];
    uint32_t gone_count, added_count;
};

static void left_collect(struct left *left, const struct gate_renames *renames, const struct gate_replaced *group,
                         const struct gate_pair *pair) {
    left->group = group;
    left->pair = pair;
    left->gone_count = left->added_count = 0;
    for (uint32_t i = 0; i < group->gone_count + group->new_count; i++) {
        if (!is_single(group, i, pair) || is_decided(renames, pair->frames[group->names[i].frame].name) ||
            function_of(group, i, pair) != GATE_NO_INDEX)
            continue;
        if (i < group->gone_count)
            left->gone[left->gone_count++] = i;
        else
            left->added[left->added_count++] = i;
    }
}

static const struct gate_frame *left_frame(const struct left *left, uint32_t i) {
    return &left->pair->frames[left->group->names[i].frame];
}

/* Return whether the files of two functions have the same base name: the folder of a checkout differs between
 * builds. */
static bool is_same_file(const struct gate_frame *a, const struct gate_frame *b) {
    return gate_str_equal(gate_str_basename(a->file), gate_str_basename(b->file));
}

/* Return the number of functions in a list that are in the file of `name` and begin before its line. */
static uint32_t count_before(const struct left *left, const uint32_t *list, uint32_t count,
                             const struct gate_frame *function, int64_t line) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct gate_frame *frame = left_frame(left, list[i]);
        found += is_same_file(frame, function) && frame->start_line < line;
    }
    return found;
}

/* Return whether all names of a list are at known lines, their files have as many gone as new functions, and no two of
 * these files have the same name. */
static bool has_lines(const struct left *left, const uint32_t *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const struct gate_frame *frame = left_frame(left, list[i]);
        if (frame->start_line <= 0 || frame->file.len == 0 ||
            count_before(left, left->gone, left->gone_count, frame, INT64_MAX) !=
                count_before(left, left->added, left->added_count, frame, INT64_MAX))
            return false;
        for (uint32_t k = 0; k < i; k++)
            if (is_same_file(frame, left_frame(left, list[k])) &&
                !gate_str_equal(frame->file, left_frame(left, list[k])->file))
                return false;
    }
    return count > 0;
}

/* Rename each new function to the gone one at the same position in its file, because a rename does not change the order
 * of functions. Ranks by cost are not used, because the function that grew has another rank. */
static void rename_by_lines(struct gate_renames *renames, const struct left *left) {
    if (!has_lines(left, left->gone, left->gone_count) || !has_lines(left, left->added, left->added_count))
        return;
    for (uint32_t i = 0; i < left->added_count; i++) {
        const struct gate_frame *added = left_frame(left, left->added[i]);
        uint32_t rank = count_before(left, left->added, left->added_count, added, added->start_line);
        for (uint32_t k = 0; k < left->gone_count; k++) {
            const struct gate_frame *gone = left_frame(left, left->gone[k]);
            if (is_same_file(gone, added) &&
                count_before(left, left->gone, left->gone_count, gone, gone->start_line) == rank)
                rename_frame(renames, left->pair, left->group->names[left->added[i]].frame,
                             left->group->names[left->gone[k]].frame);
        }
    }
}

/* Return whether a word of a name begins at a position: "Cart" in "checkCart", "total" in "order_total". */
static bool is_word_start(struct gate_str name, size_t i) {
    return i == 0 || (isupper((unsigned char)name.ptr[i]) && !isupper((unsigned char)name.ptr[i - 1])) ||
           !isalnum((unsigned char)name.ptr[i - 1]);
}

static struct gate_str word_at(struct gate_str name, size_t start) {
    size_t end = start;
    while (end < name.len && isalnum((unsigned char)name.ptr[end]) && (end == start || !is_word_start(name, end)))
        end++;
    return gate_str_slice(name, start, end);
}

static bool is_same_word(struct gate_str a, struct gate_str b) {
    bool is_same = a.len == b.len;
    for (size_t i = 0; is_same && i < a.len; i++)
        is_same = tolower((unsigned char)a.ptr[i]) == tolower((unsigned char)b.ptr[i]);
    return is_same;
}

/* Return whether two names have a word in common, in upper or lower case. */
static bool shares_word(struct gate_str a, struct gate_str b) {
    enum { WORD_LEAST = 3 };
    for (size_t i = 0; i < a.len; i++) {
        struct gate_str word = is_word_start(a, i) ? word_at(a, i) : GATE_STR("");
        for (size_t k = 0; word.len >= WORD_LEAST && k < b.len; k++)
            if (is_word_start(b, k) && is_same_word(word, word_at(b, k)))
                return true;
    }
    return false;
}

/* Return the only entry of a list whose name shares a word with `name`; GATE_NO_INDEX: none, or several. */
static uint32_t only_relative(const struct left *left, const uint32_t *list, uint32_t count, struct gate_str name) {
    uint32_t found = GATE_NO_INDEX;
    for (uint32_t i = 0; i < count; i++)
        if (shares_word(with_words(left_frame(left, list[i])->name), with_words(name))) {
            if (found != GATE_NO_INDEX)
                return GATE_NO_INDEX;
            found = list[i];
        }
    return found;
}

/* Maximum ratio of the costs of two functions for a word in common, such as "render", to make one a rename of the
 * other.
 */
static const double WORD_COST_MOST = 4.0;

static bool costs_alike(const struct gate_replaced *group, uint32_t a, uint32_t b) {
    double one = group->names[a].share, other = group->names[b].share;
    return one <= WORD_COST_MOST * other && other <= WORD_COST_MOST * one;
}

/* Rename each new function to the gone one with a word in common, if both have no other such relative and cost about
 * the same. */
static void rename_by_words(struct gate_renames *renames, const struct left *left) {
    for (uint32_t i = 0; i < left->added_count; i++) {
        const struct gate_frame *added = left_frame(left, left->added[i]);
        uint32_t gone = only_relative(left, left->gone, left->gone_count, added->name);
        if (gone != GATE_NO_INDEX && costs_alike(left->group, left->added[i], gone) &&
            only_relative(left, left->added, left->added_count, left_frame(left, gone)->name) == left->added[i])
            rename_frame(renames, left->pair, left->group->names[left->added[i]].frame, left->group->names[gone].frame);
    }
}

/* Return the gone function that new ones may be parts of: the costliest without a rename. If all have renames from
 * another group, return the function that they were renamed to, or GATE_NO_INDEX if there are several such functions.
 */
static uint32_t joined_with(const struct gate_renames *renames, const struct left *left) {
    uint32_t found = GATE_NO_INDEX;
    if (left->gone_count > 0)
        return left->gone[0];
    for (uint32_t i = 0; i < left->group->gone_count; i++) {
        if (!is_single(left->group, i, left->pair) || function_of(left->group, i, left->pair) != GATE_NO_INDEX)
            continue;
        if (found != GATE_NO_INDEX && !gate_str_equal(gate_renamed(renames, left_frame(left, i)->name),
                                                      gate_renamed(renames, left_frame(left, found)->name)))
            return GATE_NO_INDEX;
        found = i;
    }
    return found;
}

/* Return the first part of a name, which functions of one owner share. In Go it is the host and the owner
 * ("github.com/rivo" of "github.com/rivo/uniseg.Next"), in Rust the crate ("toml_edit" of "<&mut toml_edit::Item as
 * Clone>::clone"). */
static struct gate_str owner_of(struct gate_str name) {
    size_t start = 0;
    while (start < name.len && (name.ptr[start] == '<' || name.ptr[start] == '&'))
        start++;
    name = gate_str_slice(name, start, name.len);
    name = gate_str_slice(name, gate_str_starts(name, GATE_STR("mut ")) ? 4 : 0, name.len);
    size_t end = 0;
    bool is_host = false; /* the first folder of a path: "github.com" */
    while (end < name.len && name.ptr[end] != ':' && name.ptr[end] != ' ' && name.ptr[end] != '(' &&
           (name.ptr[end] != '/' || (!is_host && memchr(name.ptr, '.', end) != NULL))) {
        is_host = is_host || name.ptr[end] == '/';
        end++;
    }
    return gate_str_slice(name, 0, end);
}

/* Return whether two functions may be parts of one function: both are of the program itself, or of one third-party
 * package. A function of another package may be called by the parts, but is not a part. For Rust the crate in the names
 * is compared, because often no file shows the package. */
static bool may_be_parts(const struct left *left, uint32_t a, uint32_t b) {
    const struct gate_frame *one = left_frame(left, a), *other = left_frame(left, b);
    bool is_own = one->code == GATE_CODE_OWN && other->code == GATE_CODE_OWN;
    return (is_own && left->pair->language != GATE_LANGUAGE_RUST) ||
           (one->code == other->code && gate_str_equal(owner_of(one->name), owner_of(other->name)));
}

/* Return whether each function of a list shares a word with the function `one`. */
static bool share_word_with(const struct left *left, const uint32_t *list, uint32_t count, uint32_t one) {
    for (uint32_t i = 0; i < count; i++)
        if (!shares_word(with_words(left_frame(left, list[i])->name), with_words(left_frame(left, one)->name)))
            return false;
    return true;
}

/* Return whether names allow that one function became several, or several became one. In C and C++ another compiler or
 * another option inlines other functions, so that some vanish and others appear that have nothing to do with them. */
static bool may_be_split(const struct left *left, uint32_t target) {
    return left->pair->language != GATE_LANGUAGE_NATIVE ||
           (left->gone_count > 1 ? share_word_with(left, left->gone, left->gone_count, left->added[0])
                                 : share_word_with(left, left->added, left->added_count, target));
}

/* If one function became several, or several became one, rename all of them to one gone function. */
static void rename_to_one(struct gate_renames *renames, const struct left *left) {
    uint32_t target = joined_with(renames, left);
    if (target == GATE_NO_INDEX || left->added_count == 0 || (left->gone_count > 1 && left->added_count > 1))
        return;
    bool is_join = left->gone_count > 1 || left->added_count > 1, fits = true;
    for (uint32_t i = 0; i < left->gone_count; i++)
        fits = fits && may_be_parts(left, left->gone[i], target);
    for (uint32_t i = 0; i < left->added_count; i++)
        fits = fits && may_be_parts(left, left->added[i], target);
    if (is_join && (!fits || !may_be_split(left, target)))
        return;
    for (uint32_t i = 1; i < left->gone_count; i++)
        rename_frame(renames, left->pair, left->group->names[left->gone[i]].frame, left->group->names[target].frame);
    for (uint32_t i = 0; i < left->added_count; i++)
        rename_frame(renames, left->pair, left->group->names[left->added[i]].frame, left->group->names[target].frame);
}

/* Rename each new closure to a gone one, if the function around it was renamed to the function around the gone one. */
static void rename_closures(struct gate_renames *renames, const struct gate_replaced *group,
                            const struct gate_pair *pair) {
    for (uint32_t i = group->gone_count; i < group->gone_count + group->new_count; i++) {
        uint32_t function = function_of(group, i, pair);
        if (function == GATE_NO_INDEX)
            continue;
        struct gate_str to = gate_renamed(renames, pair->frames[group->names[function].frame].name);
        for (uint32_t k = 0; k < group->gone_count; k++)
            if (is_closure_in(pair->frames[group->names[k].frame].name, to))
                rename_frame(renames, pair, group->names[i].frame, group->names[k].frame);
    }
}

static void add_renames(struct gate_renames *renames, const struct gate_replaced *group, const struct gate_pair *pair) {
    for (uint32_t i = group->gone_count; i < group->gone_count + group->new_count; i++)
        if (!is_single(group, i, pair))
            rename_frame(renames, pair, group->names[i].frame, group->names[namesake(group, i, pair)].frame);
    static void (*const ways[])(struct gate_renames *, const struct left *) = {rename_by_lines, rename_by_words,
                                                                               rename_to_one};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct left left;
        left_collect(&left, renames, group, pair);
        ways[i](renames, &left);
    }
    rename_closures(renames, group, pair);
}

bool gate_replaced_renames(struct gate_renames *out, const struct gate_replaced_list *list,
                           const struct gate_comparison *comparisons, struct gate_arena *arena) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < list->count; i++)
        most += list->items[i].gone_count + list->items[i].new_count;
    *out = (struct gate_renames){.from = GATE_NEW_ARRAY(arena, struct gate_str, most),
                                 .to = GATE_NEW_ARRAY(arena, struct gate_str, most)};
    if (out->from == NULL || out->to == NULL)
        return false;
    for (int pass = 0; pass < 2; pass++) /* first the groups of one gone and one new function, which are certain */
        for (uint32_t i = 0; i < list->count; i++) {
            const struct gate_replaced *group = &list->items[i];
            bool is_certain = group->gone_count == 1 && group->new_count == 1;
            if (is_certain == (pass == 0))
                add_renames(out, group, &comparisons[group->comparison].pair);
        }
    return true;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* Append the costliest of `count` names, and how many others there are. */
static void put_names(struct gate_buf *out, const struct gate_replaced_name *names, uint32_t count,
                      const struct gate_pair *pair) {
    gate_buf_str(out, pair->frames[names->frame].name);
    if (count > 1)
        gate_buf_printf(out, " and %u more", (unsigned)(count - 1));
    gate_buf_text(out, count > 1 ? " are " : " is ");
}

struct gate_str gate_replaced_sentence(const struct gate_replaced *replaced, const struct gate_comparison *comparison,
                                       bool has_advice, struct gate_arena *arena) {
    struct gate_buf buf = {0};
    const struct gate_pair *pair = &comparison->pair;
    gate_buf_str(&buf, comparison->name);
    gate_buf_text(&buf, ": ");
    if (replaced->caller != GATE_NO_INDEX) {
        gate_buf_text(&buf, "in ");
        gate_buf_str(&buf, pair->frames[replaced->caller].name);
        gate_buf_text(&buf, ", ");
    }
    put_names(&buf, replaced->names, replaced->gone_count, pair);
    gate_buf_text(&buf, "gone (");
    gate_figures_share(&buf, replaced->share[GATE_BASELINE]);
    gate_buf_text(&buf, ") and ");
    put_names(&buf, replaced->names + replaced->gone_count, replaced->new_count, pair);
    gate_buf_text(&buf, "new (");
    gate_figures_share(&buf, replaced->share[GATE_CANARY]);
    gate_buf_char(&buf, ')');
    if (has_advice)
        gate_buf_text(&buf, ": if they do the same work, frames.rename in the rules treats them as one function");
    return gate_buf_keep(&buf, arena);
}

/* ---- all functions of one side ----------------------------------------------------------------------------------- */

/* Maximum share of a caller: growth by a tenth of the profile changes a larger share by less than 5 points. */
static const double CALLER_MOST = 0.5;

static double charged_share(const struct gate_comparison *comparison, uint32_t frame, int side) {
    return gate_share(comparison->deltas.items[frame].value[GATE_CHARGED][side], comparison->pair.sides[side].total);
}

void gate_replaced_hidden(double out[GATE_SIDES], const struct gate_comparison *comparison) {
    out[GATE_BASELINE] = out[GATE_CANARY] = 0.0;
    for (uint32_t i = 0; i < comparison->deltas.count; i++) {
        bool is_large = charged_share(comparison, i, GATE_BASELINE) > CALLER_MOST ||
                        charged_share(comparison, i, GATE_CANARY) > CALLER_MOST;
        for (int side = 0; side < GATE_SIDES && (is_large || i == comparison->pair.one_sided); side++)
            out[side] += gate_share(comparison->deltas.items[i].folded[side], comparison->pair.sides[side].total);
    }
}

/* Return whether a function is among the new ones of a caller that lost others. */
static bool has_replaced(const struct gate_replaced_list *list, uint32_t comparison, uint32_t frame) {
    for (uint32_t i = 0; i < list->count; i++) {
        const struct gate_replaced *group = &list->items[i];
        for (uint32_t k = group->gone_count; k < group->gone_count + group->new_count; k++)
            if (group->comparison == comparison && group->names[k].frame == frame)
                return true;
    }
    return false;
}

/* Append where the cost of new functions is judged: in callers, in the frame of those without one, or both. */
static void put_where_judged(struct gate_buf *out, const struct gate_comparison *comparison) {
    uint32_t one_sided = comparison->pair.one_sided;
    int64_t callers = 0, alone = 0;
    for (uint32_t i = 0; i < comparison->deltas.count; i++)
        *(i == one_sided ? &alone : &callers) += comparison->deltas.items[i].folded[GATE_CANARY];
    if (callers > 0 || alone == 0)
        gate_buf_text(out, "; the cost of a new function is judged in its nearest caller that both sides have");
    if (callers > 0 && alone > 0)
        gate_buf_text(out, "; without one, all new functions are judged together");
    if (callers == 0 && alone > 0)
        gate_buf_text(out, "; no caller of theirs is on both sides, so all new functions are judged together");
}

struct gate_str gate_replaced_new_functions(const struct gate_replaced_list *list,
                                            const struct gate_comparison *comparison, uint32_t index, double least,
                                            struct gate_arena *arena) {
    enum { NAMED = 3 };
    uint32_t top[NAMED] = {0}, count = 0;
    for (uint32_t i = 0; i < comparison->deltas.count; i++) {
        double share = charged_share(comparison, i, GATE_CANARY);
        if (!comparison->pair.frames[i].is_folded || share < least || !is_one_sided(comparison, i, GATE_BASELINE) ||
            gate_unsymbolised_is_frame(&comparison->pair, &comparison->pair.frames[i]) || has_replaced(list, index, i))
            continue;
        uint32_t at = count < NAMED ? count : NAMED;
        count++;
        for (; at > 0 && share > charged_share(comparison, top[at - 1], GATE_CANARY); at--)
            if (at < NAMED)
                top[at] = top[at - 1];
        if (at < NAMED)
            top[at] = i;
    }
    if (count == 0)
        return GATE_STR("");
    struct gate_buf buf = {0};
    gate_buf_str(&buf, comparison->name);
    gate_buf_text(&buf, ": new in the profile");
    for (uint32_t i = 0; i < count && i < NAMED; i++) {
        gate_buf_text(&buf, i == 0 ? ": " : ", ");
        gate_buf_str(&buf, comparison->pair.frames[top[i]].name);
        gate_buf_char(&buf, ' ');
        gate_figures_share(&buf, charged_share(comparison, top[i], GATE_CANARY));
    }
    if (count > NAMED)
        gate_buf_printf(&buf, " and %u more", (unsigned)(count - NAMED));
    put_where_judged(&buf, comparison);
    return gate_buf_keep(&buf, arena);
}

/* Return the library or runtime frame with the largest share that only `side` has; GATE_NO_INDEX: there is none. */
static uint32_t largest_outside(const struct gate_comparison *comparison, int side) {
    uint32_t best = GATE_NO_INDEX;
    for (uint32_t i = 0; i < comparison->deltas.count; i++)
        if (!is_own(comparison, i) && is_one_sided(comparison, i, 1 - side) &&
            (best == GATE_NO_INDEX || comparison->deltas.items[i].value[GATE_CUMULATIVE][side] >
                                          comparison->deltas.items[best].value[GATE_CUMULATIVE][side]))
            best = i;
    return best;
}

struct gate_str gate_replaced_files(const struct gate_comparison *comparison, const char *canary,
                                    struct gate_arena *arena) {
    struct gate_str moved = comparison->pair.moved;
    return moved.len == 0 ? GATE_STR("")
                          : gate_str_format(arena,
                                            "%.*s: code has another file, package, class or prefix in %s, and its "
                                            "functions are taken for the same: "
                                            "%.*s; --names exact compares them as they are named",
                                            GATE_STR_ARG(comparison->name), canary, GATE_STR_ARG(moved));
}

struct gate_str gate_replaced_versions(const struct gate_comparison *comparison, struct gate_arena *arena) {
    const struct gate_frame *frames = comparison->pair.frames;
    uint32_t gone = largest_outside(comparison, GATE_BASELINE), fresh = largest_outside(comparison, GATE_CANARY);
    if (gone == GATE_NO_INDEX || fresh == GATE_NO_INDEX)
        return GATE_STR("");
    return gate_str_format(
        arena,
        "%.*s: functions of the runtime or of libraries are gone (%.*s) and others are new (%.*s): your code may call "
        "others now, or the sides have other versions of the compiler, the runtime or a library",
        GATE_STR_ARG(comparison->name), GATE_STR_ARG(frames[gone].name), GATE_STR_ARG(frames[fresh].name));
}
