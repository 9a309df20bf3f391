/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/moved_functions.h"

#include "gate/compare/walk.h"
#include "gate/names/frame_name.h"

#include <math.h>

/* Limits on the work. If more functions with a name end or begin, these are left out. If more functions in all may have
 * moved, none is found. Further callers are ignored, and further rounds of matching are not made. */
enum { SAME_NAME_MOST = 8, FUNCTIONS_MOST = 20000, CALLERS_MOST = 16, ROUNDS_MOST = 32 };

/* Builds of a series lack a function if this many of its events would be expected in them. */
#define EVENTS_LEAST 20.0

/* The same for functions of C with another prefix: functions of each side, and prefixes that are found. */
enum { PREFIXED_MOST = 500, PREFIXES_MOST = 8 };

/* A frame above a function, and the cost of the stacks in which it is. */
struct caller {
    uint32_t frame;
    double cost;
};

struct callers {
    struct caller *items;
    uint32_t count;
    size_t capacity;
};

/* A function that some builds lack, and that has the name of one that others lack. The baseline is build 0 and the
 * canary build 1. In a series, each run is a build. */
struct function {
    uint32_t frame;
    uint32_t first, last;     /* builds that have it */
    uint32_t next;            /* next function with the same name, or GATE_NO_INDEX */
    uint32_t earlier, later;  /* the same function before `first` and after `last`, or GATE_NO_INDEX */
    struct callers callers;   /* the nearest own frames above it */
    struct callers ancestors; /* the nearest that all builds have */
    double cost;              /* of all its callers */
    double share;             /* in a series: of the cost of builds `first` to `last` */
};

/* The functions with one name in common. */
struct namesakes {
    uint32_t first;        /* GATE_NO_INDEX: none */
    uint32_t ended, begun; /* number of those that the last build lacks, and of those that the first one lacks */
};

/* The builds of a frame. */
struct life {
    uint32_t first, last;
    bool is_any; /* some build has it */
};

struct search {
    const struct gate_pair *pair;
    bool is_series;
    uint32_t build_count;
    double *total, *events;       /* in a series, of the builds before each one, and of all; else NULL */
    bool *is_partial;             /* by frame: own code that some builds lack */
    bool *is_caller;              /* by frame: own code, but no class of lambdas */
    struct gate_table last_parts; /* of names: gate_name_last_part */
    struct namesakes *namesakes;  /* by index in `last_parts` */
    size_t namesakes_capacity;
    struct function *functions;
    uint32_t count;
    size_t capacity;
    uint32_t *function_of; /* by frame, or GATE_NO_INDEX */
    struct gate_arena scratch;
};

/* ---- functions that some builds lack, and their callers ---------------------------------------------------------- */

/* Add the function of a frame. */
static bool function_add(struct search *search, uint32_t frame, const struct life *life) {
    struct gate_str whole = search->pair->frames[frame].name;
    const struct gate_name_part part = gate_name_last_part(whole);
    struct gate_str name = gate_str_slice(whole, part.start, part.end);
    uint32_t known = search->last_parts.count, at, function = search->count;
    if (name.len == 0)
        return true;
    at = gate_table_intern(&search->last_parts, name);
    if (at == GATE_TABLE_NONE || !GATE_GROW(&search->scratch, search->namesakes, known, search->namesakes_capacity) ||
        !GATE_GROW(&search->scratch, search->functions, function, search->capacity))
        return false;
    if (at == known)
        search->namesakes[at] = (struct namesakes){.first = GATE_NO_INDEX};
    struct namesakes *same = &search->namesakes[at];
    search->functions[search->count++] = (struct function){.frame = frame,
                                                           .first = life->first,
                                                           .last = life->last,
                                                           .next = same->first,
                                                           .earlier = GATE_NO_INDEX,
                                                           .later = GATE_NO_INDEX};
    same->first = function;
    same->ended += life->last + 1 < search->build_count;
    same->begun += life->first > 0;
    return true;
}

/* Return whether one function of the name may be another one, and there are not too many. */
static bool is_shared(const struct namesakes *same) {
    return same->ended > 0 && same->begun > 0 && same->ended <= SAME_NAME_MOST && same->begun <= SAME_NAME_MOST;
}

/* Find which builds have each frame. */
static void lives_find(struct life *lives, const struct search *search) {
    for (int side = 0; side < (search->is_series ? 1 : GATE_SIDES); side++)
        for (uint32_t r = 0; r < search->pair->sides[side].run_count; r++) {
            const struct gate_run *run = &search->pair->sides[side].runs[r];
            const uint32_t build = search->is_series ? r : (uint32_t)side;
            for (uint32_t i = 0; i < run->input.profile->location_count; i++) {
                uint32_t count = 0;
                const uint32_t *frames = gate_run_frames(&count, run, i);
                for (uint32_t f = 0; f < count; f++) {
                    struct life *life = &lives[frames[f]];
                    life->first = life->is_any ? life->first : build;
                    life->last = build;
                    life->is_any = true;
                }
            }
        }
}

/* Return whether a frame is a class of lambdas of the JVM: "shop/Cart$$Lambda$*.run". All lambdas of a class are one
 * such frame. If a function with a lambda moves to another class, the frame stays for the other lambdas. So it is not
 * the caller of the lambda: that is the function above it. */
static bool is_lambda_class(struct gate_str name) {
    return gate_str_find(name, GATE_STR("$$Lambda$*."), 0) != SIZE_MAX;
}

/* Find the own functions that some builds lack. */
static bool list_partial(struct search *search, const struct life *lives) {
    const struct gate_frame *frames = search->pair->frames;
    for (uint32_t i = 0; i < search->pair->frame_count; i++) {
        bool is_whole = lives[i].first == 0 && lives[i].last + 1 == search->build_count;
        search->function_of[i] = GATE_NO_INDEX;
        search->is_caller[i] = frames[i].is_own && !is_lambda_class(frames[i].name);
        search->is_partial[i] =
            search->is_series ? frames[i].is_own && lives[i].is_any && !is_whole : frames[i].is_folded;
        if (search->is_partial[i] && !frames[i].is_runtime && !function_add(search, i, &lives[i]))
            return false;
    }
    return true;
}

/* List the functions that some builds lack. Sets `*found` to the number of those that may have moved. */
static bool list_functions(uint32_t *found, struct search *search) {
    const struct gate_pair *pair = search->pair;
    struct life *lives = GATE_NEW_ARRAY(&search->scratch, struct life, pair->frame_count);
    search->function_of = GATE_NEW_ARRAY(&search->scratch, uint32_t, pair->frame_count);
    search->is_partial = GATE_NEW_ARRAY(&search->scratch, bool, pair->frame_count);
    search->is_caller = GATE_NEW_ARRAY(&search->scratch, bool, pair->frame_count);
    if (lives == NULL || search->function_of == NULL || search->is_partial == NULL || search->is_caller == NULL)
        return false;
    lives_find(lives, search);
    if (!list_partial(search, lives))
        return false;
    for (uint32_t i = 0; i < search->last_parts.count; i++)
        for (uint32_t f = search->namesakes[i].first; is_shared(&search->namesakes[i]) && f != GATE_NO_INDEX;
             f = search->functions[f].next) {
            search->function_of[search->functions[f].frame] = f;
            ++*found;
        }
    return true;
}

static bool caller_add(struct callers *callers, uint32_t frame, double cost, struct gate_arena *arena) {
    uint32_t at = 0;
    while (at < callers->count && callers->items[at].frame != frame)
        at++;
    if (at == CALLERS_MOST)
        return true;
    if (at == callers->count) {
        if (!GATE_GROW(arena, callers->items, callers->count, callers->capacity))
            return false;
        callers->items[callers->count++] = (struct caller){.frame = frame};
    }
    callers->items[at].cost += cost;
    return true;
}

/* Add the callers in a stack, `frames` from the leaf. Without an own caller, the function above is one. */
static bool callers_add(struct search *search, const uint32_t *frames, uint32_t count, double cost) {
    for (uint32_t i = 0; i < count; i++) {
        if (search->function_of[frames[i]] == GATE_NO_INDEX)
            continue;
        struct function *function = &search->functions[search->function_of[frames[i]]];
        uint32_t caller = i + 1 < count ? frames[i + 1] : GATE_NO_INDEX, ancestor = search->pair->one_sided,
                 own = i + 1;
        while (own < count && (!search->is_caller[frames[own]] || frames[own] == frames[i]))
            own++;
        caller = own < count ? frames[own] : caller;
        while (own < count && (!search->is_caller[frames[own]] || search->is_partial[frames[own]]))
            own++;
        ancestor = own < count ? frames[own] : ancestor;
        function->cost += cost;
        if (!caller_add(&function->callers, caller, cost, &search->scratch) ||
            !caller_add(&function->ancestors, ancestor, cost, &search->scratch))
            return false;
    }
    return true;
}

static bool find_callers(struct search *search) {
    const struct gate_pair *pair = search->pair;
    uint32_t *frames = GATE_NEW_ARRAY(&search->scratch, uint32_t, pair->max_frames);
    bool ok = frames != NULL;
    for (int side = 0; side < (search->is_series ? 1 : GATE_SIDES); side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++) {
            const struct gate_run *run = &pair->sides[side].runs[r];
            struct gate_stacks_walk walk = gate_stacks_begin(&run->stacks);
            struct gate_stack stack;
            while (ok && gate_stacks_next(&stack, &walk))
                ok = callers_add(search, frames, gate_walk_frames(run, &stack, frames),
                                 (double)stack.value * (double)run->unit_ratio);
        }
    return ok;
}

/* In a series: add up totals and events of the builds, and find the share of each function. */
static bool find_shares(struct search *search) {
    const struct gate_run *runs = search->pair->sides[GATE_BASELINE].runs;
    search->total = GATE_NEW_ARRAY(&search->scratch, double, (size_t)search->build_count + 1);
    search->events = GATE_NEW_ARRAY(&search->scratch, double, (size_t)search->build_count + 1);
    if (search->total == NULL || search->events == NULL)
        return false;
    for (uint32_t i = 0; i < search->build_count; i++) {
        search->total[i + 1] = search->total[i] + (double)runs[i].total;
        search->events[i + 1] = search->events[i] + runs[i].events;
    }
    for (uint32_t i = 0; i < search->count; i++) {
        struct function *function = &search->functions[i];
        const double total = search->total[function->last + 1] - search->total[function->first];
        function->share = total > 0.0 ? function->cost / total : 0.0;
    }
    return true;
}

/* ---- functions of C with another prefix -------------------------------------------------------------------------- */

/* A prefix of functions of the baseline and one of the canary, such as "md_" and "doc_". */
struct prefixes {
    struct gate_str before, after;
    uint32_t functions; /* number of functions that have the same name but for the prefix */
};

struct prefixes_list {
    struct gate_table keys; /* both prefixes with a space between them */
    struct prefixes *items;
    size_t capacity;
};

/* Return whether functions of a pair's language have names such as "md_parse", in which "md_" stands for a library.
 * Rust programs contain C, and Perl counts as an unknown language. */
static bool has_prefixed_names(const struct gate_pair *pair) {
    return pair->language == GATE_LANGUAGE_NATIVE || pair->language == GATE_LANGUAGE_RUST ||
           pair->language == GATE_LANGUAGE_PHP || pair->language == GATE_LANGUAGE_UNKNOWN;
}

/* Return whether a name is an identifier, without namespace, class, file or parameters. */
static bool is_identifier(struct gate_str name) {
    for (size_t i = 0; i < name.len; i++)
        if (!gate_is_word(name.ptr[i]))
            return false;
    return true;
}

/* Return whether a word of an identifier begins at `at`: "parse" of "md_parse", "Parse" of "mdParse". */
static bool is_word_start(struct gate_str name, size_t at) {
    bool is_after_underscore = name.ptr[at - 1] == '_' && name.ptr[at] != '_';
    return is_after_underscore || (gate_is_lower(name.ptr[at - 1]) && gate_is_upper(name.ptr[at]));
}

/* Split two names before the longest end that they have in common, at the start of a word. Returns false if there is
 * none. */
static bool split_prefixes(struct prefixes *out, struct gate_str before, struct gate_str after) {
    size_t common = 0;
    for (size_t n = 1; n < before.len && n < after.len; n++) {
        if (before.ptr[before.len - n] != after.ptr[after.len - n])
            break;
        if (is_word_start(before, before.len - n) && is_word_start(after, after.len - n))
            common = n;
    }
    *out = (struct prefixes){.before = gate_str_slice(before, 0, before.len - common),
                             .after = gate_str_slice(after, 0, after.len - common)};
    return common > 0;
}

static bool is_of_baseline(const struct function *function) {
    return function->first == 0;
}

static bool has_partner(const struct function *function) {
    return function->later != GATE_NO_INDEX || function->earlier != GATE_NO_INDEX;
}

/* Return whether a function of `side` has the prefix, and no partner yet. */
static bool has_prefix(const struct search *search, uint32_t function, int side, struct gate_str prefix) {
    const struct function *one = &search->functions[function];
    return is_of_baseline(one) == (side == GATE_BASELINE) && !has_partner(one) &&
           gate_str_starts(search->pair->frames[one->frame].name, prefix);
}

/* Return whether the prefixes were replaced as a whole. No own function of both sides may begin with either of them,
 * and no function of one side with the prefix of the other side. */
static bool are_replaced(const struct search *search, const struct prefixes *prefixes) {
    const struct gate_frame *frames = search->pair->frames;
    for (uint32_t i = 0; i < search->pair->frame_count; i++)
        if (frames[i].is_own && !frames[i].is_folded &&
            (gate_str_starts(frames[i].name, prefixes->before) || gate_str_starts(frames[i].name, prefixes->after)))
            return false;
    for (uint32_t i = 0; i < search->count; i++)
        if (has_prefix(search, i, GATE_BASELINE, prefixes->after) ||
            has_prefix(search, i, GATE_CANARY, prefixes->before))
            return false;
    return true;
}

/* Return whether functions of two prefixes are the same: at least two, and half of those of the side with fewer. */
static bool are_prefixes_of_one(const struct search *search, const struct prefixes *prefixes) {
    uint32_t before = 0, after = 0;
    if (prefixes->functions < 2)
        return false;
    for (uint32_t i = 0; i < search->count; i++) {
        before += has_prefix(search, i, GATE_BASELINE, prefixes->before);
        after += has_prefix(search, i, GATE_CANARY, prefixes->after);
    }
    return 2 * prefixes->functions >= (before < after ? before : after) && are_replaced(search, prefixes);
}

static bool prefixes_add(struct prefixes_list *out, const struct prefixes *prefixes, struct gate_arena *scratch) {
    struct gate_str key =
        gate_str_format(scratch, "%.*s %.*s", GATE_STR_ARG(prefixes->before), GATE_STR_ARG(prefixes->after));
    uint32_t known = out->keys.count, at = key.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&out->keys, key);
    if (at == GATE_TABLE_NONE || !GATE_GROW(scratch, out->items, known, out->capacity))
        return false;
    if (at == known)
        out->items[at] = *prefixes;
    out->items[at].functions++;
    return true;
}

/* List the prefixes of all pairs of functions whose names end alike. */
static bool list_prefixes(struct prefixes_list *out, struct search *search) {
    const struct gate_frame *frames = search->pair->frames;
    struct prefixes prefixes;
    gate_table_init(&out->keys, &search->scratch);
    for (uint32_t b = 0; b < search->count; b++)
        for (uint32_t c = 0; is_of_baseline(&search->functions[b]) && c < search->count; c++) {
            struct gate_str before = frames[search->functions[b].frame].name;
            struct gate_str after = frames[search->functions[c].frame].name;
            if (is_of_baseline(&search->functions[c]) || !is_identifier(before) || !is_identifier(after) ||
                !split_prefixes(&prefixes, before, after))
                continue;
            if (!prefixes_add(out, &prefixes, &search->scratch))
                return false;
        }
    return true;
}

/* Match the functions whose names differ by these prefixes only. Returns the number of matches. */
static uint32_t match_prefixed(struct search *search, const struct prefixes *prefixes) {
    const struct gate_frame *frames = search->pair->frames;
    uint32_t found = 0;
    for (uint32_t b = 0; b < search->count; b++)
        for (uint32_t c = 0; has_prefix(search, b, GATE_BASELINE, prefixes->before) && c < search->count; c++) {
            struct gate_str before = frames[search->functions[b].frame].name;
            struct gate_str after = frames[search->functions[c].frame].name;
            if (!has_prefix(search, c, GATE_CANARY, prefixes->after) ||
                !gate_str_equal(gate_str_slice(before, prefixes->before.len, before.len),
                                gate_str_slice(after, prefixes->after.len, after.len)))
                continue;
            search->functions[b].later = c;
            search->functions[c].earlier = b;
            search->function_of[search->functions[b].frame] = b;
            search->function_of[search->functions[c].frame] = c;
            found++;
        }
    return found;
}

/* Match functions by their prefixes, the prefixes of most functions first. Sets `*found` to the number of
 * matches. */
static bool match_prefixes(uint32_t *found, struct search *search) {
    struct prefixes_list list = {0};
    uint32_t of_baseline = 0;
    for (uint32_t i = 0; i < search->count; i++)
        of_baseline += is_of_baseline(&search->functions[i]);
    *found = 0;
    if (!has_prefixed_names(search->pair) || of_baseline > PREFIXED_MOST || search->count - of_baseline > PREFIXED_MOST)
        return true;
    if (!list_prefixes(&list, search))
        return false;
    for (int n = 0; n < PREFIXES_MOST; n++) {
        struct prefixes *most = NULL;
        for (uint32_t i = 0; i < list.keys.count; i++) {
            if (most != NULL && list.items[i].functions <= most->functions)
                continue;
            if (are_prefixes_of_one(search, &list.items[i]))
                most = &list.items[i];
            else
                list.items[i].functions = 0;
        }
        if (most == NULL)
            break;
        *found += match_prefixed(search, most);
        most->functions = 0;
    }
    return true;
}

/* ---- matches ----------------------------------------------------------------------------------------------------- */

/* Return the number of events that a share would have in builds `from` to `to` - 1. */
static double events_expected(const struct search *search, double share, uint32_t from, uint32_t to) {
    return from < to ? share * (search->events[to] - search->events[from]) : 0.0;
}

/* Return whether a function ends where another one begins. In a series, the builds that lack it must be such that they
 * lack it hardly by chance, and those between the two must be few. */
static bool may_be_later(const struct search *search, const struct function *before, const struct function *after) {
    if (before->last >= after->first)
        return false;
    return !search->is_series ||
           (events_expected(search, before->share, before->last + 1, search->build_count) >= EVENTS_LEAST &&
            events_expected(search, after->share, 0, after->first) >= EVENTS_LEAST &&
            events_expected(search, fmax(before->share, after->share), before->last + 1, after->first) < EVENTS_LEAST);
}

/* Return the frame that a caller has in the newest build. */
static uint32_t caller_now(const struct search *search, uint32_t frame) {
    uint32_t index = frame == GATE_NO_INDEX ? GATE_NO_INDEX : search->function_of[frame];
    if (index == GATE_NO_INDEX)
        return frame;
    while (search->functions[index].later != GATE_NO_INDEX)
        index = search->functions[index].later;
    return search->functions[index].frame;
}

/* Return the cost that `callers` of a function has in those that are also among `others`. Callers that moved
 * have their place in the newest build. */
static double cost_in_common(const struct search *search, const struct callers *callers, const struct callers *others) {
    double cost = 0.0;
    for (uint32_t i = 0; i < callers->count; i++) {
        bool is_common = false;
        for (uint32_t k = 0; k < others->count; k++)
            is_common =
                is_common || caller_now(search, callers->items[i].frame) == caller_now(search, others->items[k].frame);
        cost += is_common ? callers->items[i].cost : 0.0;
    }
    return cost;
}

/* Return whether a function and a later one have callers in common, or ancestors, which have at least half of the cost
 * of each. One cheap caller is not enough: others would lose what the function costs there, or gain it. */
static bool have_common(const struct search *search, uint32_t before, uint32_t after, bool is_by_ancestor) {
    const struct function *a = &search->functions[before], *b = &search->functions[after];
    const struct callers *of_a = is_by_ancestor ? &a->ancestors : &a->callers;
    const struct callers *of_b = is_by_ancestor ? &b->ancestors : &b->callers;
    return 2.0 * cost_in_common(search, of_a, of_b) >= a->cost && 2.0 * cost_in_common(search, of_b, of_a) >= b->cost;
}

/* Return the only later (or earlier) function of this name that is not matched yet and has a caller or an ancestor in
 * common with `function`; GATE_NO_INDEX: there is none, or there are several. */
static uint32_t only_match(const struct search *search, const struct namesakes *same, uint32_t function, bool is_later,
                           bool is_by_ancestor) {
    uint32_t found = GATE_NO_INDEX, count = 0;
    for (uint32_t f = same->first; f != GATE_NO_INDEX; f = search->functions[f].next) {
        uint32_t before = is_later ? function : f, after = is_later ? f : function;
        uint32_t partner = is_later ? search->functions[f].earlier : search->functions[f].later;
        if (partner != GATE_NO_INDEX || !may_be_later(search, &search->functions[before], &search->functions[after]) ||
            !have_common(search, before, after, is_by_ancestor))
            continue;
        found = f;
        count++;
    }
    return count == 1 ? found : GATE_NO_INDEX;
}

/* Match functions of one name. Returns the number of matches. */
static uint32_t match_namesakes(struct search *search, const struct namesakes *same, bool is_by_ancestor) {
    uint32_t found = 0;
    for (uint32_t f = same->first; f != GATE_NO_INDEX; f = search->functions[f].next) {
        struct function *before = &search->functions[f];
        uint32_t to =
            before->later != GATE_NO_INDEX ? GATE_NO_INDEX : only_match(search, same, f, true, is_by_ancestor);
        if (to == GATE_NO_INDEX || only_match(search, same, to, false, is_by_ancestor) != f)
            continue;
        before->later = to;
        search->functions[to].earlier = f;
        found++;
    }
    return found;
}

/* Match functions by their callers, as long as that finds some; then by ancestors, and so on. Each match may identify a
 * caller of others. */
static uint32_t match_all(struct search *search) {
    uint32_t all = 0;
    bool is_by_ancestor = false;
    for (int round = 0; round < ROUNDS_MOST; round++) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < search->last_parts.count; i++)
            if (is_shared(&search->namesakes[i]))
                found += match_namesakes(search, &search->namesakes[i], is_by_ancestor);
        all += found;
        if (found == 0 && is_by_ancestor)
            break;
        is_by_ancestor = found == 0;
    }
    return all;
}

/* Record the matches. */
static bool keep_matches(struct gate_moved_functions *out, const struct search *search, uint32_t count,
                         struct gate_arena *arena) {
    const struct gate_frame *frames = search->pair->frames;
    gate_table_init(&out->names, arena);
    out->now = GATE_NEW_ARRAY(arena, struct gate_str, count);
    for (uint32_t i = 0; out->now != NULL && i < search->count; i++) {
        const struct function *function = &search->functions[i];
        if (function->later == GATE_NO_INDEX)
            continue;
        uint32_t at = gate_table_intern(&out->names, frames[function->frame].name);
        if (at == GATE_TABLE_NONE)
            return false;
        out->now[at] = frames[caller_now(search, function->frame)].name;
    }
    return out->now != NULL;
}

bool gate_moved_functions_find(struct gate_moved_functions *out, const struct gate_pair *pair, struct gate_arena *arena,
                               struct gate_error *err) {
    struct search search = {.pair = pair, .is_series = gate_pair_is_series(pair)};
    uint32_t found = 0;
    search.build_count = search.is_series ? pair->sides[GATE_BASELINE].run_count : GATE_SIDES;
    *out = (struct gate_moved_functions){0};
    gate_arena_fork(&search.scratch, arena);
    gate_table_init(&search.last_parts, &search.scratch);
    bool ok = list_functions(&found, &search);
    bool is_possible = ok && found > 0 && found <= FUNCTIONS_MOST;
    uint32_t count = 0;
    ok = ok && (search.is_series || match_prefixes(&count, &search)) &&
         (!is_possible || (find_callers(&search) && (!search.is_series || find_shares(&search))));
    count += ok && is_possible ? match_all(&search) : 0;
    ok = ok && (count == 0 || keep_matches(out, &search, count, arena));
    if (!ok)
        (void)gate_arena_error(search.scratch.is_refused ? &search.scratch : arena, err);
    gate_arena_free(&search.scratch);
    return ok;
}

struct gate_str gate_moved_functions_name(const struct gate_moved_functions *functions, struct gate_str name) {
    uint32_t at = functions->names.count == 0 ? GATE_TABLE_NONE : gate_table_find(&functions->names, name);
    return at == GATE_TABLE_NONE ? name : functions->now[at];
}

struct gate_str gate_moved_functions_list(const struct gate_moved_functions *functions, struct gate_arena *arena) {
    struct gate_str one =
        gate_str_format(arena, "%.*s is %.*s", GATE_STR_ARG(functions->names.keys[0]), GATE_STR_ARG(functions->now[0]));
    return functions->names.count == 1 || one.ptr == NULL
               ? one
               : gate_str_format(arena, "%.*s, and %u more", GATE_STR_ARG(one), (unsigned)functions->names.count - 1);
}
