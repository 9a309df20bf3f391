/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/v8_inlined_lines.h"

#include "gate/base/table.h"
#include "gate/compare/moved_files.h"
#include "gate/model/location.h"
#include "gate/model/sample.h"
#include "gate/model/shared_tables.h"

#include <math.h>
#include <stdlib.h>

/* Maximum levels between a function and one inlined into it; maximum functions beneath it; number of its main lines,
 * those with most samples. */
enum { LEVELS_MOST = 3, CALLEES_MOST = 1000, MAIN_LINES = 4 };

#define NOWHERE INT64_MAX
#define SEVERAL (GATE_NO_INDEX - 1)

struct main_line {
    int64_t line;
    double samples;
};

/* A function of all runs, in the files that ran: bundles, where source maps are used. */
struct function {
    const struct gate_function *source;
    const struct gate_profile *named; /* of a run that has it */
    uint32_t location;                /* location in that run with this function alone */
    uint32_t file;                /* index in `files`, times 3, plus the side, or 2 if the sides have the same file */
    uint32_t column;              /* where it begins; 0: unknown */
    bool has_name;                /* the source gives it a name */
    bool has_foreign;             /* has samples at foreign lines */
    bool is_on[GATE_SIDES];       /* a run of the side has it */
    bool is_replaced[GATE_SIDES]; /* the side has another name at its place */
    int64_t line;                 /* where it begins; 0: unknown */
    int64_t next;                 /* where the next function with a name in its file begins */
    int64_t end;                  /* where the next function on its level begins */
    int64_t last;                 /* last line before `next` that it has samples at */
    struct main_line main[MAIN_LINES]; /* its lines with most samples, without those of `is_of_other` cells; unused
                                          entries have 0 samples */
};

/* How well a function fits the samples of a caller on one side. Only lines in the function's range count, if they may
 * be those of an inlined function. All fields are numbers of samples. */
struct fit {
    double all;    /* samples of the caller at these lines */
    double shared; /* samples of the function itself at lines with many samples of the caller */
    double own;    /* part of `all` at lines at which the function itself has samples */
    double unlike; /* part of `all` at lines at which the function itself has too few samples */
};

/* A function that is called by another, directly or a few levels beneath it. */
struct callee {
    uint32_t caller, function;
    uint32_t between[LEVELS_MOST - 1]; /* functions between caller and callee, innermost first */
    uint32_t level;                    /* 1: it is called directly */
    struct fit fits[GATE_SIDES];
};

/* Samples of a function at a line. Parts are fractions of a run's samples. */
struct cell {
    int64_t line;
    uint32_t function, number; /* `number`: index of the line among those of all functions */
    double most, least;        /* largest and smallest part in a run */
    double beside_most;        /* part of the run with `most` that is at this line in any function */
    double beside_least;
    double samples[GATE_SIDES];
    bool is_of_other; /* may be of an inlined function: the line is foreign to `function`, or travels */
};

/* A cell among those of its function. */
struct cell_place {
    int64_t line;
    uint32_t function, cell;
};

struct restoring {
    struct gate_arena *arena; /* scratch */
    struct gate_script_files files;
    struct gate_table keys;
    struct function *functions;
    size_t function_capacity;
    struct gate_table cell_keys, lines; /* function and line; line */
    struct cell *cells;
    size_t cell_capacity;
    struct cell_place *places;    /* cells by function and line */
    uint32_t *first_place;        /* by function, and one more: index of its first cell in `places` */
    uint32_t *owners[GATE_SIDES]; /* by line: the function that contains it, GATE_NO_INDEX or SEVERAL */
    struct gate_table pairs;      /* keys of `callees`: caller and function */
    struct callee *callees;       /* sorted by caller once complete */
    size_t callee_capacity;
    uint32_t *first; /* by function, and one more: index of its first callee */
};

/* One run's profile: as it is compared, and as it was before source maps were used. Both have the same locations. */
struct run {
    const struct gate_profile **named;
    const struct gate_profile *profile;
    int side;
    uint32_t *function_of; /* maps a function of the profile to its index in `functions` */
};

/* Return whether `line` is the line of a sample, and not the function's first line. */
static bool is_line_of_sample(const struct gate_profile *profile, const struct gate_line *line) {
    if (line->function == GATE_NO_INDEX || line->line <= 0)
        return false;
    const struct gate_function *function = &profile->functions[line->function];
    return function->start_line > 0 && function->file.len != 0 && line->line != function->start_line;
}

/* Return whether a profile has lines of samples. */
static bool has_lines(const struct gate_profile *profile) {
    for (uint32_t i = 0; i < profile->location_count; i++) {
        const struct gate_location location = gate_location_at(profile, i);
        struct gate_line_walk lines = gate_location_lines(profile, &location);
        for (struct gate_line line; gate_line_next(&lines, &line);)
            if (is_line_of_sample(profile, &line))
                return true;
    }
    return false;
}

/* ---- the functions of all runs ----------------------------------------------------------------------------------- */

static bool find_files(struct restoring *r, const struct run *runs, uint32_t count) {
    const struct gate_profile **profiles = gate_arena_calloc(r->arena, count, sizeof *profiles);
    int *sides = GATE_NEW_ARRAY(r->arena, int, count);
    for (uint32_t i = 0; profiles != NULL && sides != NULL && i < count; i++) {
        profiles[i] = runs[i].profile;
        sides[i] = runs[i].side;
    }
    return profiles != NULL && sides != NULL && gate_script_files_find(&r->files, profiles, sides, count, r->arena);
}

/* Find the functions of a run among all, and where they begin. */
static bool add_functions(struct restoring *r, struct run *run) {
    const struct gate_profile *profile = run->profile;
    run->function_of = GATE_NEW_ARRAY(r->arena, uint32_t, profile->function_count);
    if (run->function_of == NULL)
        return false;
    for (uint32_t i = 0; i < profile->function_count; i++) {
        const struct gate_function *source = &profile->functions[i];
        uint32_t file = gate_script_files_at(&r->files, source->file), known = r->keys.count;
        file = 3 * file + (r->files.differs[file] ? (uint32_t)run->side : 2);
        struct gate_str key =
            gate_str_format(r->arena, "%u:%lld:%.*s", file, (long long)source->start_line, GATE_STR_ARG(source->name));
        uint32_t at = key.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&r->keys, key);
        if (at == GATE_TABLE_NONE || !GATE_GROW(r->arena, r->functions, known, r->function_capacity))
            return false;
        if (at == known)
            r->functions[at] = (struct function){.source = source,
                                                 .file = file,
                                                 .has_name = gate_script_has_name(source),
                                                 .line = source->file.len != 0 ? source->start_line : 0,
                                                 .next = NOWHERE,
                                                 .end = NOWHERE};
        r->functions[at].is_on[run->side] = true;
        run->function_of[i] = at;
    }
    return true;
}

/* Set the function and the line of a location with one line. Return NULL if it has several, or none. */
static struct function *function_at(struct gate_line *line, const struct restoring *r, const struct run *run,
                                    uint32_t index) {
    const struct gate_location location = gate_location_at(run->profile, index);
    if (location.line_count != 1)
        return NULL;
    *line = gate_location_line(run->profile, &location, 0);
    return line->function == GATE_NO_INDEX ? NULL : &r->functions[run->function_of[line->function]];
}

/* Store a location of each function: if possible, the one where the function begins. Store its column, too. */
static void note_locations(const struct restoring *r, const struct run *run) {
    for (uint32_t i = 0; i < run->profile->location_count; i++) {
        struct gate_line line;
        struct function *function = function_at(&line, r, run, i);
        if (function == NULL || (function->named != NULL && line.line != function->line))
            continue;
        function->named = *run->named;
        function->location = i;
        function->column = line.column;
    }
}

/* Return whether a function is that of a whole file, which contains all other functions of the file. */
static bool is_module(const struct function *function) {
    return function->line == 1 && function->column <= 1 && !function->has_name;
}

/* Return whether a line is foreign to a function: it belongs to another function. */
static bool is_foreign(const struct function *function, int64_t line) {
    return function->line > 0 && line > 0 &&
           (line < function->line || line >= function->end || (is_module(function) && line != function->line));
}

static void note_lines(const struct restoring *r, const struct run *run) {
    for (uint32_t i = 0; i < run->profile->location_count; i++) {
        struct gate_line line;
        struct function *function = function_at(&line, r, run, i);
        if (function == NULL)
            continue;
        function->has_foreign |= is_foreign(function, line.line);
        if (line.line < function->next && line.line > function->last)
            function->last = line.line;
    }
}

/* ---- where functions end ----------------------------------------------------------------------------------------- */

/* A function, to be sorted by file, style and line. */
struct place {
    uint32_t file, function;
    int64_t style, line;
};

static int place_order(const void *a, const void *b) {
    const struct place *left = a, *right = b;
    if (left->file != right->file)
        return left->file < right->file ? -1 : 1;
    if (left->style != right->style)
        return left->style < right->style ? -1 : 1;
    return (left->line > right->line) - (left->line < right->line);
}

/* Return a number that is equal for functions that are on one level and are written alike. */
static int64_t style_of(const struct function *function) {
    return (int64_t)function->column - (int64_t)function->source->name.len;
}

/* If two functions begin at one place and each side has only one of them, set `is_replaced`: they are one function with
 * two names. */
static void note_replaced(struct function *left, struct function *right) {
    for (int side = 0; side < GATE_SIDES; side++)
        if (left->is_on[side] == left->is_on[!side] || right->is_on[side] == left->is_on[side] ||
            right->is_on[!side] == right->is_on[side])
            return;
    left->is_replaced[right->is_on[GATE_CANARY]] = true;
    right->is_replaced[left->is_on[GATE_CANARY]] = true;
}

/* For each function, find where the next one in its file (if `on_level`, on its level) begins. */
static bool find_next(struct restoring *r, bool on_level) {
    uint32_t count = 0;
    struct place *places = GATE_NEW_ARRAY(r->arena, struct place, r->keys.count);
    if (places == NULL)
        return false;
    for (uint32_t i = 0; i < r->keys.count; i++) {
        const struct function *function = &r->functions[i];
        if (function->has_name && (!on_level || function->column != 0))
            places[count++] = (struct place){function->file, i, on_level ? style_of(function) : 0, function->line};
    }
    if (count != 0)
        qsort(places, count, sizeof *places, place_order);
    for (uint32_t i = count; i-- > 0;) {
        const struct place *at = &places[i], *after = at + 1;
        int64_t line = NOWHERE;
        if (i + 1 < count && after->file == at->file && after->style == at->style) {
            struct function *next = &r->functions[after->function];
            if (on_level && after->line == at->line)
                note_replaced(&r->functions[at->function], next);
            line = after->line > at->line ? after->line : on_level ? next->end : next->next;
        }
        *(on_level ? &r->functions[at->function].end : &r->functions[at->function].next) = line;
    }
    return true;
}

/* ---- lines that travel ------------------------------------------------------------------------------------------- */

/* Return the cell of a function and a line, or GATE_NO_INDEX. */
static uint32_t cell_of(const struct restoring *r, const struct function *function, int64_t line) {
    const int64_t key[2] = {function - r->functions, line};
    return gate_table_find(&r->cell_keys, (struct gate_str){(const char *)key, sizeof key});
}

static bool add_cells(struct restoring *r, const struct run *run) {
    for (uint32_t i = 0; i < run->profile->location_count; i++) {
        struct gate_line line;
        const struct function *function = function_at(&line, r, run, i);
        if (function == NULL || function->line == 0 || line.line <= 0)
            continue;
        const int64_t key[2] = {function - r->functions, line.line};
        uint32_t known = r->cell_keys.count;
        uint32_t at = gate_table_intern_copy(&r->cell_keys, (struct gate_str){(const char *)key, sizeof key});
        uint32_t number = gate_table_intern_copy(&r->lines, (struct gate_str){(const char *)&key[1], sizeof key[1]});
        if (at == GATE_TABLE_NONE || number == GATE_TABLE_NONE ||
            !GATE_GROW(r->arena, r->cells, known, r->cell_capacity))
            return false;
        if (at == known)
            r->cells[at] = (struct cell){.line = key[1], .function = (uint32_t)key[0], .number = number, .least = 1.0};
    }
    return true;
}

/* Return whether a side has the file of a function, and the function has this name there. */
static bool is_of_side(const struct function *function, int side) {
    return !function->is_replaced[side] && (function->file % 3 == 2 || function->file % 3 == (uint32_t)side);
}

/* Sums of the samples of a run: per cell, per line, and all. */
struct sums {
    double *cells, *lines;
    double all;
};

/* Update the cells with the parts of a run. If a cell's file differs between the sides, use only runs of its side. */
static void note_parts(struct restoring *r, const struct run *run, const struct sums *sums) {
    for (uint32_t i = 0; i < r->cell_keys.count && sums->all > 0.0; i++) {
        struct cell *cell = &r->cells[i];
        double part = sums->cells[i] / sums->all, beside = sums->lines[cell->number] / sums->all;
        if (!is_of_side(&r->functions[cell->function], run->side))
            continue;
        cell->samples[run->side] += sums->cells[i];
        if (part > cell->most) {
            cell->most = part;
            cell->beside_most = beside;
        }
        if (part < cell->least) {
            cell->least = part;
            cell->beside_least = beside;
        }
    }
}

/* Add up the samples of a run. `sums` has room for all cells and lines. */
static bool add_samples(struct restoring *r, const struct run *run, struct sums *sums, struct gate_error *err) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    memset(sums->cells, 0, r->cell_keys.count * sizeof *sums->cells);
    memset(sums->lines, 0, r->lines.count * sizeof *sums->lines);
    sums->all = 0.0;
    gate_sample_begin(&cursor, run->profile);
    while (gate_sample_next(&cursor, &sample, err)) {
        uint32_t at = 0;
        uint64_t id = 0;
        struct gate_line line;
        const struct function *function = gate_stack_next(sample.stack, &at, &id)
                                              ? function_at(&line, r, run, gate_location_find(run->profile, id))
                                              : NULL;
        uint32_t cell = function == NULL ? GATE_NO_INDEX : cell_of(r, function, line.line);
        sums->all += (double)sample.values[0];
        if (cell == GATE_NO_INDEX)
            continue;
        sums->cells[cell] += (double)sample.values[0];
        sums->lines[r->cells[cell].number] += (double)sample.values[0];
    }
    gate_sample_end(&cursor);
    if (err->code == GATE_OK)
        note_parts(r, run, sums);
    return err->code == GATE_OK;
}

/* A line of a function travels if its part of a run's samples is at least PART_LEAST in one run, and at most
 * TRAVELS_MOST times that in another. There, all functions together must have BESIDE_LEAST of its samples. */
static const double TRAVELS_MOST = 0.1, PART_LEAST = 0.005, BESIDE_LEAST = 0.6;

/* Minimum ratio between the largest parts in a run of a callee and of its caller, for samples at a line to be the
 * callee's. */
static const double SHARED_LEAST = 0.5;

/* Return whether a line of a function travels: its samples belong to this function in some runs, and to others in other
 * runs. The first line of a function does not travel, because it is also the line of its calls. */
static bool travels(const struct restoring *r, const struct function *function, int64_t line) {
    uint32_t at = line == function->line ? GATE_NO_INDEX : cell_of(r, function, line);
    const struct cell *cell = at == GATE_NO_INDEX ? NULL : &r->cells[at];
    return cell != NULL && cell->most >= PART_LEAST && cell->least <= TRAVELS_MOST * cell->most &&
           cell->beside_least >= BESIDE_LEAST * cell->beside_most;
}

/* Find the functions with lines that travel. */
static bool find_travelling(struct restoring *r, const struct run *runs, uint32_t count, struct gate_error *err) {
    struct sums sums = {GATE_NEW_ARRAY(r->arena, double, r->cell_keys.count),
                        GATE_NEW_ARRAY(r->arena, double, r->lines.count), 0.0};
    if (sums.cells == NULL || sums.lines == NULL)
        return gate_arena_error(r->arena, err);
    for (uint32_t i = 0; i < count; i++)
        if (!add_samples(r, &runs[i], &sums, err))
            return false;
    for (uint32_t i = 0; i < r->cell_keys.count; i++) {
        struct function *function = &r->functions[r->cells[i].function];
        function->has_foreign |= travels(r, function, r->cells[i].line);
    }
    return true;
}

/* ---- what calls what --------------------------------------------------------------------------------------------- */

static bool add_callee(struct restoring *r, const struct callee *callee) {
    const uint32_t names[2] = {callee->caller, callee->function};
    uint32_t known = r->pairs.count;
    uint32_t at = gate_table_intern_copy(&r->pairs, (struct gate_str){(const char *)names, sizeof names});
    if (at == GATE_TABLE_NONE || !GATE_GROW(r->arena, r->callees, known, r->callee_capacity))
        return false;
    if (at == known || callee->level < r->callees[at].level)
        r->callees[at] = *callee;
    return true;
}

/* The functions of a stack, the innermost first. */
struct calls {
    uint32_t *functions;
    uint32_t count;
};

/* Add the callees of functions with foreign lines. Outer frames that the stack `before` has, too, are already added. */
static bool add_stack(struct restoring *r, const struct calls *stack, const struct calls *before) {
    const uint32_t *calls = stack->functions;
    uint32_t left = stack->count, same = before->count;
    while (left > 0 && same > 0 && calls[left - 1] == before->functions[same - 1]) {
        left--;
        same--;
    }
    for (uint32_t i = 0; i < left; i++) {
        struct callee callee = {.function = calls[i]};
        for (uint32_t level = 1; r->functions[calls[i]].has_name && level <= LEVELS_MOST && i + level < stack->count;
             level++) {
            callee.caller = calls[i + level];
            callee.level = level;
            if (callee.caller != callee.function && r->functions[callee.caller].has_foreign && !add_callee(r, &callee))
                return false;
            if (level < LEVELS_MOST)
                callee.between[level - 1] = callee.caller;
        }
    }
    return true;
}

/* Set the functions of a stack. */
static void read_stack(struct calls *out, const struct run *run, struct gate_stack_ref stack) {
    uint64_t id = 0;
    out->count = 0;
    for (uint32_t at = 0; gate_stack_next(stack, &at, &id);) {
        const struct gate_location location = gate_location_at(run->profile, gate_location_find(run->profile, id));
        struct gate_line_walk lines = gate_location_lines(run->profile, &location);
        for (struct gate_line line; gate_line_next(&lines, &line);)
            if (line.function != GATE_NO_INDEX && out->count < run->profile->max_frames)
                out->functions[out->count++] = run->function_of[line.function];
    }
}

static bool add_stacks(struct restoring *r, const struct run *run, struct gate_error *err) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    const size_t bytes = ((size_t)run->profile->max_frames + 1) * sizeof(uint32_t);
    struct calls stack = {gate_arena_alloc(r->arena, bytes), 0}, before = {gate_arena_alloc(r->arena, bytes), 0};
    bool ok = stack.functions != NULL && before.functions != NULL;
    gate_sample_begin(&cursor, run->profile);
    while (ok && gate_sample_next(&cursor, &sample, err)) {
        read_stack(&stack, run, sample.stack);
        ok = add_stack(r, &stack, &before);
        const struct calls last = stack;
        stack = before;
        before = last;
    }
    gate_sample_end(&cursor);
    return err->code == GATE_OK && (ok || gate_arena_error(r->arena, err));
}

static int callee_order(const void *a, const void *b) {
    const struct callee *left = a, *right = b;
    if (left->caller != right->caller)
        return left->caller < right->caller ? -1 : 1;
    return (left->function > right->function) - (left->function < right->function);
}

static bool find_callees(struct restoring *r, const struct run *runs, uint32_t count, struct gate_error *err) {
    gate_table_init(&r->pairs, r->arena);
    for (uint32_t i = 0; i < count; i++)
        if (!add_stacks(r, &runs[i], err))
            return false;
    r->first = GATE_NEW_ARRAY(r->arena, uint32_t, (size_t)r->keys.count + 1);
    if (r->first == NULL)
        return gate_arena_error(r->arena, err);
    if (r->pairs.count != 0)
        qsort(r->callees, r->pairs.count, sizeof *r->callees, callee_order);
    for (uint32_t i = 0; i < r->pairs.count; i++)
        r->first[r->callees[i].caller + 1]++;
    for (uint32_t i = 0; i < r->keys.count; i++)
        r->first[i + 1] += r->first[i];
    return true;
}

/* Whether a line may be in a function. IS_NEAR: it is behind the function's last samples, but at most twice as far from
 * the first line as they are. IS_WITHIN: it is not behind them. */
enum { IS_NOT, IS_NEAR, IS_WITHIN };

static int is_line_of(const struct function *function, int64_t line) {
    if (function->last == 0 || line < function->line || line >= function->next)
        return IS_NOT;
    return line <= function->last ? IS_WITHIN : line <= 2 * function->last - function->line ? IS_NEAR : IS_NOT;
}

/* Return whether samples at a line of a function belong to an inlined function. The line then travels, and it is
 * foreign to the function, or also travels in a function beneath. */
static bool is_inlined(const struct restoring *r, const struct function *function, int64_t line) {
    const uint32_t caller = (uint32_t)(function - r->functions), first = r->first[caller];
    if (!travels(r, function, line))
        return false;
    if (is_foreign(function, line))
        return true;
    const double most = r->cells[cell_of(r, function, line)].most;
    for (uint32_t i = first; i < r->first[caller + 1] && i - first < CALLEES_MOST; i++) {
        const struct function *callee = &r->functions[r->callees[i].function];
        uint32_t cell = cell_of(r, callee, line);
        if (cell != GATE_NO_INDEX && travels(r, callee, line) && r->cells[cell].most >= SHARED_LEAST * most)
            return true;
    }
    return false;
}

/* Return the entry of `function` as a callee of `caller`, or NULL. */
static const struct callee *callee_of(const struct restoring *r, uint32_t caller, uint32_t function) {
    const struct callee key = {.caller = caller, .function = function};
    return r->pairs.count == 0 ? NULL : bsearch(&key, r->callees, r->pairs.count, sizeof *r->callees, callee_order);
}

/* ---- whose line it is -------------------------------------------------------------------------------------------- */

static int cell_place_order(const void *a, const void *b) {
    const struct cell_place *left = a, *right = b;
    if (left->function != right->function)
        return left->function < right->function ? -1 : 1;
    return (left->line > right->line) - (left->line < right->line);
}

/* Insert a line into the main lines of a function, if it has enough samples. */
static void note_main_line(struct function *function, struct main_line at) {
    for (int i = 0; i < MAIN_LINES; i++)
        if (at.samples > function->main[i].samples) {
            const struct main_line less = function->main[i];
            function->main[i] = at;
            at = less;
        }
}

static double all_samples(const struct cell *cell) {
    return cell->samples[GATE_BASELINE] + cell->samples[GATE_CANARY];
}

/* Sort the cells of each function by line, and find its foreign lines and its main lines. */
static bool sort_cells(struct restoring *r) {
    const uint32_t count = r->cell_keys.count;
    r->places = GATE_NEW_ARRAY(r->arena, struct cell_place, count);
    r->first_place = GATE_NEW_ARRAY(r->arena, uint32_t, (size_t)r->keys.count + 1);
    if (r->places == NULL || r->first_place == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct cell *cell = &r->cells[i];
        struct function *function = &r->functions[cell->function];
        cell->is_of_other = is_foreign(function, cell->line) || is_inlined(r, function, cell->line);
        note_main_line(function, (struct main_line){cell->line, cell->is_of_other ? 0.0 : all_samples(cell)});
        r->places[i] = (struct cell_place){cell->line, cell->function, i};
        r->first_place[cell->function + 1]++;
    }
    if (count != 0)
        qsort(r->places, count, sizeof *r->places, cell_place_order);
    for (uint32_t i = 0; i < r->keys.count; i++)
        r->first_place[i + 1] += r->first_place[i];
    return true;
}

/* Samples at a line are too few if they are less than LIKE_LEAST of those that are expected, by more than CHANCE_ERRORS
 * standard errors. */
static const double LIKE_LEAST = 1.0 / 3.0, CHANCE_ERRORS = 2.0;

static bool are_too_few(double samples, double expected) {
    const double least = LIKE_LEAST * expected;
    return samples < least - CHANCE_ERRORS * sqrt(least);
}

/* A line that a caller and a function share counts if it has at least this part of the caller's samples. */
static const double SHARED_LINE_LEAST = 0.05;

/* Minimum part of a caller's samples that a candidate must fit. Minimum samples beneath the caller at the line, as a
 * part of the caller's, for a candidate to be preferred by them. */
static const double LINES_LEAST = 0.9, SAME_LINE_LEAST = 0.1;

/* Return the samples that a function has at a line of its own. */
static double own_samples(const struct restoring *r, const struct function *function, int64_t line) {
    uint32_t at = cell_of(r, function, line);
    const struct cell *cell = at == GATE_NO_INDEX ? NULL : &r->cells[at];
    return cell == NULL || cell->is_of_other ? 0.0 : all_samples(cell);
}

/* Return the samples at a caller's line that may belong to a function on one side. If both sides have the same files of
 * caller and function, their samples are added up, so that both sides find the same function. */
static double caller_samples(const struct restoring *r, const struct cell *cell, const struct function *function,
                             int side) {
    bool is_same = is_of_side(function, GATE_BASELINE) && is_of_side(function, GATE_CANARY) &&
                   is_of_side(&r->functions[cell->function], !side);
    return cell->samples[side] + (is_same ? cell->samples[!side] : 0.0);
}

/* Return the index in `places` of the first cell of `caller` from a line on. */
static uint32_t place_from(const struct restoring *r, uint32_t caller, int64_t line) {
    uint32_t low = r->first_place[caller], high = r->first_place[caller + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (r->places[middle].line < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Return whether a function itself has too few samples at a caller's line, by the caller's samples at common lines. */
static bool is_unlike(const struct restoring *r, const struct function *function, const struct fit *fit,
                      const struct cell *cell, int side) {
    const double expected = fit->all > 0.0 ? fit->shared * caller_samples(r, cell, function, side) / fit->all : 0.0;
    return are_too_few(0.0, expected) && are_too_few(own_samples(r, function, cell->line), expected);
}

/* Return whether a caller has too few samples at a function's main lines, if those in `at` were the function's. */
static bool lacks_main_lines(const struct restoring *r, const struct function *function, const struct cell *at,
                             int side) {
    const double samples = caller_samples(r, at, function, side);
    if (!are_too_few(0.0, samples * function->main[0].samples))
        return false;
    const double scale = samples / (1.0 + own_samples(r, function, at->line));
    double all = 0.0, lacking = 0.0;
    for (int i = 0; i < MAIN_LINES; i++) {
        const struct main_line *main = &function->main[i];
        const uint32_t there = cell_of(r, &r->functions[at->function], main->line);
        const struct cell *cell = there == GATE_NO_INDEX ? NULL : &r->cells[there];
        bool is_unknown = cell != NULL && !cell->is_of_other;
        all += main->samples;
        const double found = cell == NULL ? 0.0 : caller_samples(r, cell, function, side);
        if (!is_unknown && are_too_few(found, scale * main->samples))
            lacking += main->samples;
    }
    return lacking > all / 2.0;
}

/* Set the fit of a callee to its caller on one side. */
static void find_fit(struct restoring *r, struct callee *callee, int side) {
    const struct function *function = &r->functions[callee->function];
    struct fit *fit = &callee->fits[side];
    const uint32_t first = place_from(r, callee->caller, function->line), end = r->first_place[callee->caller + 1];
    uint32_t last = first;
    for (; last < end && is_line_of(function, r->places[last].line) != IS_NOT; last++) {
        const struct cell *cell = &r->cells[r->places[last].cell];
        fit->all += cell->is_of_other ? caller_samples(r, cell, function, side) : 0.0;
    }
    for (uint32_t i = first; i < last; i++) {
        const struct cell *cell = &r->cells[r->places[i].cell];
        if (cell->is_of_other && caller_samples(r, cell, function, side) >= SHARED_LINE_LEAST * fit->all)
            fit->shared += own_samples(r, function, cell->line);
    }
    for (uint32_t i = first; i < last; i++) {
        const struct cell *cell = &r->cells[r->places[i].cell];
        if (cell->is_of_other && is_unlike(r, function, fit, cell, side))
            fit->unlike += caller_samples(r, cell, function, side);
    }
    for (uint32_t i = r->first_place[callee->function]; i < r->first_place[callee->function + 1]; i++) {
        const struct cell *own = &r->cells[r->places[i].cell];
        const uint32_t at = cell_of(r, &r->functions[callee->caller], own->line);
        const struct cell *cell = at == GATE_NO_INDEX ? NULL : &r->cells[at];
        if (cell != NULL && cell->is_of_other && own_samples(r, function, own->line) > 0.0 &&
            is_line_of(function, own->line) != IS_NOT)
            fit->own += caller_samples(r, cell, function, side);
    }
}

/* Set the fit of each callee to its caller, for at most CALLEES_MOST callees per caller. */
static void find_fits(struct restoring *r) {
    for (uint32_t i = 0; i < r->pairs.count; i++)
        for (int side = 0; side < GATE_SIDES && i - r->first[r->callees[i].caller] < CALLEES_MOST; side++)
            find_fit(r, &r->callees[i], side);
}

/* Fit of a candidate to a line. IS_UNLIKE_OTHERS: it does not fit the caller's other lines in its range, or the caller
 * lacks its main lines. IS_POSSIBLE: it fits these lines. IS_COVERING: it also has samples at nine tenths of them. */
enum { IS_UNLIKE, IS_UNLIKE_OTHERS, IS_POSSIBLE, IS_COVERING, CLEARNESS_COUNT };

/* Return how well a candidate fits a line. `is_agreed`: functions beneath the caller to which the line is foreign, too,
 * call it (nine tenths of their samples). */
static int clearness_of(const struct restoring *r, const struct callee *callee, const struct cell *cell, int side,
                        bool is_agreed) {
    const struct function *function = &r->functions[callee->function];
    const struct fit *fit = &callee->fits[side];
    bool lacks_main = lacks_main_lines(r, function, cell, side);
    bool may_lack = own_samples(r, function, cell->line) > 0.0 && (callee->level == 1 || is_agreed);
    if (is_unlike(r, function, fit, cell, side) || (lacks_main && !may_lack))
        return IS_UNLIKE;
    if (lacks_main || fit->unlike > (1.0 - LINES_LEAST) * fit->all)
        return IS_UNLIKE_OTHERS;
    return fit->own > 0.0 && fit->own >= LINES_LEAST * fit->all ? IS_COVERING : IS_POSSIBLE;
}

/* Return the samples, at a line, of functions beneath a caller to which the line is foreign, too. If `function` is not
 * NULL, count only those that call it, directly or not. */
static double samples_beneath(const struct restoring *r, uint32_t caller, const struct cell *at,
                              const struct function *function) {
    double sum = 0.0;
    for (uint32_t i = r->first[caller]; i < r->first[caller + 1] && i - r->first[caller] < CALLEES_MOST; i++) {
        const uint32_t middle = r->callees[i].function;
        const uint32_t place = cell_of(r, &r->functions[middle], at->line);
        if (place == GATE_NO_INDEX || !is_foreign(&r->functions[middle], at->line))
            continue;
        if (function == NULL || callee_of(r, middle, (uint32_t)(function - r->functions)) != NULL)
            sum += all_samples(&r->cells[place]);
    }
    return sum;
}

/* The candidates for a line that fit best. */
struct choice {
    int clearness;
    uint32_t count;                        /* number of candidates with this clearness */
    const struct callee *callee, *in_file; /* one of these candidates; the one in the caller's file */
    bool in_file_has_own, others_have_own; /* whether these candidates have samples themselves at the caller's lines */
};

static void choose(struct choice *choice, const struct callee *callee, int clearness, int side, bool is_in_file) {
    bool has_own = callee->fits[side].own > 0.0;
    if (clearness > choice->clearness)
        *choice = (struct choice){.clearness = clearness};
    if (clearness < choice->clearness || clearness == IS_UNLIKE)
        return;
    choice->count++;
    choice->callee = callee;
    if (is_in_file) {
        choice->in_file = callee;
        choice->in_file_has_own = has_own;
    } else {
        choice->others_have_own |= has_own;
    }
}

/* Return the callee of `caller` that a line belongs to, among those with this `sureness`. NULL: not clear. */
static const struct callee *clearest_callee(const struct restoring *r, uint32_t caller, int64_t line, int side,
                                            int sureness) {
    const struct function *above = &r->functions[caller];
    const struct cell *cell = &r->cells[cell_of(r, above, line)];
    struct choice choice = {.clearness = IS_UNLIKE};
    const double beneath = samples_beneath(r, caller, cell, NULL);
    bool is_same_line = beneath > 0.0 && beneath >= SAME_LINE_LEAST * all_samples(cell);
    for (uint32_t i = r->first[caller]; i < r->first[caller + 1] && i - r->first[caller] < CALLEES_MOST; i++) {
        const struct function *function = &r->functions[r->callees[i].function];
        if (!is_of_side(function, side) || is_line_of(function, line) != sureness)
            continue;
        bool is_agreed = is_same_line && samples_beneath(r, caller, cell, function) >= LINES_LEAST * beneath;
        int clearness = clearness_of(r, &r->callees[i], cell, side, is_agreed);
        clearness +=
            is_agreed && clearness > IS_UNLIKE ? CLEARNESS_COUNT : 0; /* preferred to any candidate without agreement */
        choose(&choice, &r->callees[i], clearness, side, function->file == above->file && is_foreign(above, line));
    }
    if (choice.count <= 1)
        return choice.callee;
    bool is_file_clear =
        choice.clearness % CLEARNESS_COUNT >= IS_POSSIBLE && (choice.in_file_has_own || !choice.others_have_own);
    return is_file_clear ? choice.in_file : NULL;
}

/* Return the callee of `caller` that a line belongs to on a side, or NULL if that is not clear. If the caller is the
 * function of a whole file and the line does not travel, the line is in that file. */
static const struct callee *callee_at(const struct restoring *r, uint32_t caller, int64_t line, int side) {
    const struct function *above = &r->functions[caller];
    uint32_t counts[IS_WITHIN + 1] = {0}, first = r->first[caller];
    bool is_anywhere = !is_module(above) || travels(r, above, line);
    for (uint32_t i = first; i < r->first[caller + 1] && i - first < CALLEES_MOST; i++) {
        const struct function *function = &r->functions[r->callees[i].function];
        int how = is_of_side(function, side) ? is_line_of(function, line) : IS_NOT;
        if (how == IS_WITHIN && !is_anywhere && function->file == above->file)
            return &r->callees[i];
        counts[how]++;
    }
    const int sureness = counts[IS_WITHIN] != 0 ? IS_WITHIN : IS_NEAR;
    if (!is_anywhere || counts[sureness] == 0)
        return NULL;
    return clearest_callee(r, caller, line, side, sureness);
}

/* If the function that a line belongs to is found, store it in `owners`, which is indexed by line. */
static void note_owner(const struct restoring *r, const struct cell *cell, int side, uint32_t *owners) {
    const struct callee *callee = callee_at(r, cell->function, cell->line, side);
    uint32_t *owner = &owners[cell->number];
    if (callee != NULL)
        *owner = *owner == GATE_NO_INDEX || *owner == callee->function ? callee->function : SEVERAL;
}

/* Find the function of each line that travels, on one side. All callers to which the line is foreign must agree. */
static bool find_owners(struct restoring *r, int side) {
    uint32_t *within = GATE_NEW_ARRAY(r->arena, uint32_t, r->lines.count); /* by callers that may contain the line */
    uint32_t *owners = GATE_NEW_ARRAY(r->arena, uint32_t, r->lines.count);
    if (owners == NULL || within == NULL)
        return false;
    memset(owners, 0xff, r->lines.count * sizeof *owners);
    memset(within, 0xff, r->lines.count * sizeof *within);
    for (uint32_t i = 0; i < r->cell_keys.count; i++) {
        const struct function *function = &r->functions[r->cells[i].function];
        if (is_of_side(function, side) && is_inlined(r, function, r->cells[i].line))
            note_owner(r, &r->cells[i], side, is_foreign(function, r->cells[i].line) ? owners : within);
    }
    for (uint32_t i = 0; i < r->lines.count; i++)
        owners[i] = owners[i] == GATE_NO_INDEX ? within[i] : owners[i];
    for (uint32_t i = 0; i < r->cell_keys.count; i++) {
        const struct cell *cell = &r->cells[i];
        const struct function *function = &r->functions[cell->function];
        uint32_t *owner = &owners[cell->number];
        if (*owner < SEVERAL && is_of_side(function, side) && is_inlined(r, function, cell->line) &&
            is_foreign(function, cell->line) && callee_of(r, cell->function, *owner) == NULL)
            *owner = SEVERAL;
    }
    r->owners[side] = owners;
    return true;
}

/* ---- new profiles ------------------------------------------------------------------------------------------------ */

/* A copy of a run's profile in which locations get more lines. */
struct copy {
    struct gate_profile *profile;
    struct gate_location_edit edit;
    uint32_t *index_of;      /* per function: its index in the profile, or GATE_NO_INDEX */
    uint32_t *index_of_line; /* per line without a known function: index of its stand-in function, or GATE_NO_INDEX */
};

static bool begin_copy(struct copy *copy, const struct restoring *r, const struct run *run, struct gate_arena *arena) {
    copy->profile = GATE_NEW_ARRAY(arena, struct gate_profile, 1);
    copy->index_of = GATE_NEW_ARRAY(r->arena, uint32_t, r->keys.count);
    copy->index_of_line = GATE_NEW_ARRAY(r->arena, uint32_t, r->lines.count);
    if (copy->profile == NULL || copy->index_of == NULL || copy->index_of_line == NULL)
        return false;
    memset(copy->index_of_line, 0xff, r->lines.count * sizeof *copy->index_of_line);
    *copy->profile = **run->named;
    memset(copy->index_of, 0xff, r->keys.count * sizeof *copy->index_of);
    return gate_location_edit_init(&copy->edit, copy->profile, arena);
}

/* Add a call of a function, by the names that source maps give it. */
static bool add_call(struct copy *copy, const struct restoring *r, const struct run *run, uint32_t function) {
    const struct function *call = &r->functions[function];
    const struct gate_location location = gate_location_at(call->named, call->location);
    struct gate_line_walk lines = gate_location_lines(call->named, &location);
    for (struct gate_line line; gate_line_next(&lines, &line);) {
        uint32_t *index = &copy->index_of[function];
        if (line.function != GATE_NO_INDEX && call->named != *run->named) {
            struct gate_function named = call->named->functions[line.function];
            const struct gate_str *on = r->files.on[call->file / 3];
            if (on[run->side].len != 0 && gate_str_equal(named.file, on[!run->side])) /* not that of a source map */
                named.file = on[run->side];
            if (*index == GATE_NO_INDEX)
                *index = gate_location_edit_function(&copy->edit, &named);
            if (*index == GATE_NO_INDEX)
                return false;
            line.function = *index;
        }
        if (!gate_location_edit_line(&copy->edit, &line))
            return false;
    }
    return true;
}

/* Add a call of an unknown inlined function at a line. It gets the caller's file, although the line may be in another
 * one, so that it is own code if the caller is. */
static bool add_line(struct copy *copy, const struct restoring *r, const struct function *caller, int64_t line) {
    uint32_t *index = &copy->index_of_line[r->cells[cell_of(r, caller, line)].number];
    if (*index == GATE_NO_INDEX) {
        struct gate_str name = gate_str_format(copy->edit.arena, "line %lld" GATE_INLINED_LINE, (long long)line);
        if (name.ptr == NULL)
            return false;
        *index = gate_location_edit_function(
            &copy->edit, &(struct gate_function){.name = name, .system_name = name, .file = caller->source->file});
    }
    return *index != GATE_NO_INDEX && gate_location_edit_line(&copy->edit, &(struct gate_line){*index, 0, 0});
}

/* Return whether samples of a run's function at a line are of an inlined one. `*callee` is its call; NULL: unknown. */
static bool find_inlined(const struct callee **callee, const struct restoring *r, const struct run *run,
                         const struct function *function, int64_t line) {
    const uint32_t caller = (uint32_t)(function - r->functions);
    *callee = NULL;
    if (!is_inlined(r, function, line)) {
        *callee = is_foreign(function, line) ? callee_at(r, caller, line, run->side) : NULL;
        return *callee != NULL;
    }
    const uint32_t owner = r->owners[run->side][r->cells[cell_of(r, function, line)].number];
    *callee = owner < SEVERAL ? callee_of(r, caller, owner) : NULL;
    return *callee != NULL || owner >= SEVERAL;
}

/* Put the inlined call, and the calls between, in front of the function of a location. */
static bool add_calls(struct copy *copy, const struct restoring *r, const struct run *run, const struct callee *callee,
                      uint32_t caller) {
    bool ok = add_call(copy, r, run, callee->function);
    for (uint32_t level = 1; ok && level < callee->level; level++)
        ok = add_call(copy, r, run, callee->between[level - 1]);
    return ok && add_call(copy, r, run, caller);
}

/* Replace the profile of a run by one in which inlined functions have frames. */
static bool restore_run(const struct restoring *r, const struct run *run, struct gate_arena *arena) {
    struct copy copy = {.profile = NULL};
    for (uint32_t i = 0; i < run->profile->location_count; i++) {
        struct gate_line line;
        const struct callee *callee = NULL;
        const struct function *function = function_at(&line, r, run, i);
        if (function == NULL || !find_inlined(&callee, r, run, function, line.line))
            continue;
        const uint32_t caller = (uint32_t)(function - r->functions);
        if (copy.profile == NULL && !begin_copy(&copy, r, run, arena))
            return false;
        gate_location_edit_begin(&copy.edit, i);
        if (callee != NULL ? !add_calls(&copy, r, run, callee, caller)
                           : !add_line(&copy, r, function, line.line) || !add_call(&copy, r, run, caller))
            return false;
    }
    if (copy.profile != NULL) {
        copy.profile->max_frames += copy.profile->max_frames < UINT32_MAX / 2 ? LEVELS_MOST : 0;
        *run->named = copy.profile;
    }
    return true;
}

static bool restore_runs(const struct restoring *r, struct run *runs, uint32_t count, struct gate_arena *arena) {
    const struct gate_profile *before = NULL; /* profile of the run before, without new calls */
    for (uint32_t i = 0; i < count; i++) {
        const struct gate_profile *profile = *runs[i].named;
        if (i == 0 || !gate_shared_tables_are_same(profile, before)) {
            if (!restore_run(r, &runs[i], arena))
                return false;
        } else if (*runs[i - 1].named != before) {
            struct gate_profile *copy = GATE_NEW_ARRAY(arena, struct gate_profile, 1);
            const struct gate_profile *like = *runs[i - 1].named;
            if (copy == NULL)
                return false;
            *copy = *profile;
            copy->locations = like->locations;
            copy->functions = like->functions;
            copy->function_count = like->function_count;
            copy->lines = like->lines;
            copy->line_count = like->line_count;
            copy->most_lines = like->most_lines;
            copy->max_frames += copy->max_frames < UINT32_MAX / 2 ? LEVELS_MOST : 0;
            *runs[i].named = copy;
        }
        before = profile;
    }
    return true;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static bool restore(struct restoring *r, struct run *runs, uint32_t count, struct gate_arena *arena,
                    struct gate_error *err) {
    gate_table_init(&r->keys, r->arena);
    gate_table_init(&r->cell_keys, r->arena);
    gate_table_init(&r->lines, r->arena);
    bool ok = find_files(r, runs, count), is_any = false;
    for (uint32_t i = 0; ok && i < count; i++)
        ok = add_functions(r, &runs[i]);
    for (uint32_t i = 0; ok && i < count; i++)
        note_locations(r, &runs[i]);
    ok = ok && find_next(r, false) && find_next(r, true);
    for (uint32_t i = 0; ok && i < count; i++) {
        note_lines(r, &runs[i]);
        ok = add_cells(r, &runs[i]);
    }
    if (!ok)
        return gate_arena_error(r->arena, err);
    if (!find_travelling(r, runs, count, err))
        return false;
    for (uint32_t i = 0; i < r->keys.count; i++)
        is_any |= r->functions[i].has_foreign;
    if (!is_any)
        return true;
    if (!find_callees(r, runs, count, err))
        return false;
    if (!sort_cells(r))
        return gate_arena_error(r->arena, err);
    find_fits(r);
    if (!find_owners(r, GATE_BASELINE) || !find_owners(r, GATE_CANARY))
        return gate_arena_error(r->arena, err);
    return restore_runs(r, runs, count, arena) || gate_arena_error(arena, err);
}

bool gate_inlined_lines_restore(struct gate_side sides[GATE_SIDES], struct gate_arena *arena, struct gate_error *err) {
    struct gate_arena scratch;
    struct restoring r = {.arena = &scratch};
    uint32_t count = 0;
    gate_arena_fork(&scratch, arena);
    struct run *runs =
        GATE_NEW_ARRAY(&scratch, struct run, (size_t)sides[GATE_BASELINE].run_count + sides[GATE_CANARY].run_count);
    bool ok = runs != NULL || gate_arena_error(&scratch, err);
    for (int side = 0; ok && side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < sides[side].run_count; i++) {
            struct gate_run_input *input = &sides[side].runs[i].input;
            const struct gate_profile *profile = input->unnamed == NULL ? input->profile : input->unnamed;
            bool is_js = input->profile->has_language && input->profile->language == GATE_LANGUAGE_NODE;
            if (is_js && has_lines(profile))
                runs[count++] = (struct run){&input->profile, profile, side, NULL};
        }
    ok = ok && (count == 0 || restore(&r, runs, count, arena, err));
    gate_arena_free(&scratch);
    return ok;
}
