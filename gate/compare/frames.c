/* SPDX-License-Identifier: Apache-2.0 */
/* From locations to frames (see frames.h). */
#include "gate/compare/frames.h"

#include "gate/base/parallel.h"
#include "gate/compare/frame_owners.h"
#include "gate/compare/prune.h"
#include "gate/profile/location.h"
#include "gate/profile/name.h"

#include <inttypes.h>

/* What a line tells, before granularity. */
struct frame_source {
    uint32_t function_index, mapping_index; /* or GATE_NO_INDEX */
    struct gate_str function;               /* stable and renamed; empty when unsymbolised */
    struct gate_str file;
    struct gate_str mapping;
    int64_t line;
    int64_t start_line;
};

/* What a function's frame was, by function: all that a location's line says then is where it stands. */
struct frame_memo {
    uint32_t frame; /* or GATE_NO_INDEX: it is ignored */
    uint32_t mapping;
    bool is_known;
    bool is_shared;  /* its frame is another function's, too */
    bool is_settled; /* the frame is no other's, and no line of the function says more of where it stands */
};

/* One run while it is resolved. */
struct resolving {
    struct gate_frame_table *table;
    struct gate_run *run;
    struct gate_frame_texts texts;
    struct gate_frame_owners owners;
    struct frame_memo *memos; /* one a function; NULL: a function is more than one frame */
    uint32_t *functions;      /* of the first frames the function that was met last, + 1; 0: none of this run */
    uint32_t functions_count;
    bool is_read_ahead; /* frame_of has functions (locations_read) */
    uint32_t *list;     /* run->frame_lists while it grows */
    size_t list_count, list_capacity;
    struct gate_arena scratch;
};

enum { LOCATIONS_WORTH_A_THREAD = 32 * 1024 };

void gate_frame_table_init(struct gate_frame_table *table, const struct gate_frame_options *options,
                           struct gate_arena *arena) {
    *table = (struct gate_frame_table){.options = options, .arena = arena};
    gate_arena_fork(&table->scratch, arena);
    gate_table_init(&table->names, &table->scratch);
    gate_table_init(&table->ignored, &table->scratch);
}

void gate_frame_table_end(struct gate_frame_table *table) {
    size_t size = table->count * sizeof *table->frames;
    void *fitted = gate_arena_resize(table->arena, table->frames, table->capacity * sizeof *table->frames, size);
    table->frames = fitted == NULL && size != 0 ? table->frames : fitted;
    gate_arena_free(&table->scratch);
}

/* google/pprof, NodeInfo.NameComponents: no name falls back to the mapping's file. */
static struct gate_str frame_mapping_name(struct gate_frame_table *table, struct gate_str mapping) {
    struct gate_str base = gate_str_basename(mapping);
    if (base.len == 0)
        return GATE_STR("<unknown>");
    return gate_str_concat(table->arena, (const struct gate_str[]){GATE_STR("["), base, GATE_STR("]")}, 3);
}

static struct gate_str frame_name(struct gate_frame_table *table, const struct frame_source *source) {
    struct gate_str name = source->function;
    switch (table->options->granularity) {
    case GATE_BY_LINE:
        if (source->function.len != 0 && source->line != 0) {
            struct gate_str line = gate_str_format(table->arena, ":%" PRId64, source->line);
            return gate_str_concat(table->arena,
                                   (const struct gate_str[]){source->function, GATE_STR(" "), source->file, line}, 4);
        }
        break;
    case GATE_BY_FILE:
        name = source->file;
        break;
    case GATE_BY_PACKAGE:
        name = gate_name_package(source->function, table->language);
        break;
    case GATE_BY_MAPPING:
        return frame_mapping_name(table, source->mapping);
    case GATE_BY_FUNCTION:
        break;
    }
    return name.len != 0 ? name : frame_mapping_name(table, source->mapping);
}

/* Whether a name is to be taken out of stacks; false in `*ok` when a pattern is too hard. */
static bool frame_is_ignored(struct gate_frame_table *table, struct gate_str name, bool *ok, struct gate_error *err) {
    for (uint32_t i = 0; i < table->options->ignore_count; i++) {
        enum gate_regex_result found = gate_regex_match(table->options->ignore[i], name);
        if (found == GATE_REGEX_TOO_HARD)
            *ok = gate_error_set(err, GATE_ERR_CONFIG, "pattern %u of frames.ignore takes too long on '%.*s'",
                                 (unsigned)i + 1, GATE_STR_ARG(name));
        if (found != GATE_REGEX_NO)
            return true;
    }
    return false;
}

static bool frame_ask(struct resolving *at, uint32_t frame, const struct frame_source *source, bool is_new,
                      struct gate_error *err) {
    const struct gate_frame_question question = {
        .frame = frame, .function = source->function_index, .mapping = source->mapping_index, .is_new = is_new};
    return gate_frame_owners_ask(&at->owners, &question, err);
}

/* A frame that is met again says whose it is only at a place where it was not before. */
static bool frame_meet(struct resolving *at, uint32_t index, const struct frame_source *source,
                       struct gate_error *err) {
    const struct gate_frame *frame = &at->table->frames[index];
    bool is_settled = frame->is_own && frame->code == GATE_CODE_OWN;
    if (is_settled || (gate_str_equal(source->file, frame->file) && gate_str_equal(source->mapping, frame->mapping)))
        return true;
    return frame_ask(at, index, source, false, err);
}

/* A frame of a new name, the table's last. */
static bool frame_add(bool *ignored, struct resolving *at, struct gate_str name, const struct frame_source *source,
                      struct gate_error *err) {
    struct gate_frame_table *table = at->table;
    bool ok = true;
    struct gate_frame *frames =
        gate_arena_regrow(table->arena, table->frames, table->count, &table->capacity, sizeof *frames);
    if (frames == NULL)
        return gate_arena_error(table->arena, err);
    table->frames = frames;
    GATE_ASSERT(table->count < GATE_FRAME_LIST);
    *ignored = frame_is_ignored(table, name, &ok, err);
    if (*ignored && gate_table_intern(&table->ignored, name) == GATE_TABLE_NONE)
        return gate_arena_error(&table->scratch, err);
    table->frames[table->count++] = (struct gate_frame){
        .name = name,
        .code = GATE_CODE_LIBRARY,
        .mapping = source->mapping,
        .is_symbolised = source->function.len != 0,
    };
    return ok && frame_ask(at, table->count - 1, source, true, err);
}

/* Index of the frame of `source`, or GATE_NO_INDEX for an ignored one. */
static bool frame_intern(uint32_t *index, struct resolving *at, const struct frame_source *source,
                         struct gate_error *err) {
    struct gate_frame_table *table = at->table;
    struct gate_str name = frame_name(table, source);
    if (name.ptr == NULL)
        return gate_arena_error(table->arena, err);
    *index = GATE_NO_INDEX;
    if (gate_table_find(&table->ignored, name) != GATE_TABLE_NONE)
        return true;
    bool is_looked_up = at->texts.known != NULL && source->function_index != GATE_NO_INDEX;
    uint32_t found = is_looked_up ? at->texts.known[source->function_index] : GATE_TABLE_NONE;
    if (found == GATE_TABLE_NONE)
        found = gate_table_intern(&table->names, name);
    if (found == GATE_TABLE_NONE)
        return gate_arena_error(&table->scratch, err);
    bool ignored = false;
    bool ok = found < table->count ? frame_meet(at, found, source, err) : frame_add(&ignored, at, name, source, err);
    *index = ignored ? GATE_NO_INDEX : found;
    /* Where a function is several frames, questions could be as many as lines: an answer makes the next one needless.
     */
    return ok && (at->memos != NULL || at->owners.count < GATE_FRAME_OWNERS_WORTH_A_THREAD ||
                  gate_frame_owners_answer(&at->owners, at->table->frames, err));
}

/* The names of earlier runs are stable forms, unless rules or what a frame stands for made others of them. */
static bool texts_make(struct resolving *at, struct gate_error *err) {
    struct gate_frame_table *table = at->table;
    const struct gate_frame_options *options = table->options;
    const struct gate_profile *profile = at->run->input.profile;
    bool are_stable = !options->exact_names && options->granularity == GATE_BY_FUNCTION && options->rename_count == 0;
    return are_stable && table->count > 0
               ? gate_frame_texts_make_more(&at->texts, profile, &table->names, table->arena, &at->scratch, err)
               : gate_frame_texts_make(&at->texts, profile, options->exact_names, table->arena, &at->scratch, err);
}

static bool names_rename(struct resolving *at, struct gate_error *err) {
    const struct gate_frame_options *options = at->table->options;
    const struct gate_profile *profile = at->run->input.profile;
    for (uint32_t i = 0; options->rename_count != 0 && i < profile->function_count; i++) {
        struct gate_str name = at->texts.names[i];
        for (uint32_t r = 0; name.ptr != NULL && name.len != 0 && r < options->rename_count; r++)
            name = gate_regex_replace(options->renames[r].match, name, options->renames[r].to, at->table->arena);
        if (name.ptr == NULL)
            return gate_error_set(err, GATE_ERR_CONFIG, "a rule of frames.rename fails on '%.*s'",
                                  GATE_STR_ARG(profile->functions[i].name));
        at->texts.names[i] = name;
    }
    return true;
}

/* The canary is added last, and its place in the source is the one that a reader can go to. */
static void frame_place(struct gate_frame *frame, struct gate_str file, int64_t start_line, int64_t line) {
    if (file.len != 0)
        frame->file = file;
    if (start_line != 0)
        frame->start_line = start_line;
    else if (frame->start_line == 0)
        frame->start_line = line;
}

/* The file and the line of a function's frame; where no other line of it can say more, nobody looks again. */
static void frame_stand(struct resolving *at, struct frame_memo *memo, uint32_t function, int64_t line) {
    struct gate_frame *frame = &at->table->frames[memo->frame];
    frame_place(frame, at->texts.files[function], at->run->input.profile->functions[function].start_line, line);
    memo->is_settled = !memo->is_shared && memo->frame < at->functions_count && frame->start_line != 0;
}

/* A function whose frame is known, or is in another mapping than before. */
static void frame_note(struct resolving *at, uint32_t frame, const struct frame_source *source) {
    struct frame_memo *memo = &at->memos[source->function_index];
    *memo = (struct frame_memo){
        .frame = frame, .mapping = source->mapping_index, .is_known = true, .is_shared = memo->is_shared};
    if (frame >= at->functions_count)
        return;
    uint32_t *function = &at->functions[frame];
    if (*function != 0 && *function - 1 != source->function_index) {
        at->memos[*function - 1].is_shared = memo->is_shared = true;
        at->memos[*function - 1].is_settled = false;
    }
    *function = source->function_index + 1;
}

/* A line of a function whose frame is known: most lines are. */
static inline bool frame_known(uint32_t *frame, struct resolving *at, uint32_t mapping, const struct gate_line *line) {
    if (line->function == GATE_NO_INDEX || at->memos == NULL)
        return false;
    struct frame_memo *memo = &at->memos[line->function];
    if (!memo->is_known || memo->mapping != mapping)
        return false;
    *frame = memo->frame;
    if (!memo->is_settled && memo->frame != GATE_NO_INDEX)
        frame_stand(at, memo, line->function, line->line);
    return true;
}

/* The frame of one line of a location; `line` NULL: of a location that has none. */
static bool frame_line(uint32_t *frame, struct resolving *at, uint32_t mapping, const struct gate_line *line,
                       struct gate_error *err) {
    if (line != NULL && frame_known(frame, at, mapping, line))
        return true;
    const struct gate_profile *profile = at->run->input.profile;
    const struct gate_str none = GATE_STR(""), nowhere = {0};
    struct frame_source source = {.function_index = line == NULL ? GATE_NO_INDEX : line->function,
                                  .mapping_index = mapping,
                                  .function = none,
                                  .file = none,
                                  .mapping = mapping == GATE_NO_INDEX ? nowhere : profile->mappings[mapping].file};
    bool has_function = source.function_index != GATE_NO_INDEX;
    if (has_function) {
        source.function = at->texts.names[line->function];
        source.file = at->texts.files[line->function];
        source.line = line->line;
        source.start_line = profile->functions[line->function].start_line;
    }
    if (!frame_intern(frame, at, &source, err))
        return false;
    if (has_function && at->memos != NULL)
        frame_note(at, *frame, &source);
    if (*frame != GATE_NO_INDEX)
        frame_place(&at->table->frames[*frame], source.file, source.start_line, source.line);
    return true;
}

static bool list_add(struct resolving *at, uint32_t number, struct gate_error *err) {
    uint32_t *list = gate_arena_regrow(at->table->arena, at->list, at->list_count, &at->list_capacity, sizeof *list);
    if (list == NULL)
        return gate_arena_error(at->table->arena, err);
    at->list = list;
    list[at->list_count++] = number;
    return true;
}

/* The functions of locations of one line, where their frames will stand: read ahead in two threads. Of others, and of
 * those in another mapping than the first one, which are few, GATE_NO_INDEX. */
static void locations_read(void *context, size_t from, size_t to) {
    struct resolving *at = context;
    for (size_t i = from; i < to; i++) {
        struct gate_line line;
        uint32_t mapping = 0;
        bool is_one = gate_location_one(&mapping, &line, at->run->input.profile, (uint32_t)i) && mapping == 0;
        at->run->frame_of[i] = is_one ? line.function : GATE_NO_INDEX;
    }
}

/* A location whose function has a frame that nobody has to look at again. */
static inline bool location_settled(struct resolving *at, uint32_t index) {
    uint32_t *frame = &at->run->frame_of[index];
    if (!at->is_read_ahead || *frame == GATE_NO_INDEX || !at->memos[*frame].is_settled ||
        at->memos[*frame].mapping != 0)
        return false;
    *frame = at->memos[*frame].frame;
    return true;
}

/* A location of one line, whose frame is known. */
static inline bool location_known(struct resolving *at, uint32_t index) {
    struct gate_line line;
    uint32_t mapping = 0, frame = 0;
    if (location_settled(at, index))
        return true;
    if (!gate_location_one(&mapping, &line, at->run->input.profile, index) ||
        !frame_known(&frame, at, mapping, &line) || frame == GATE_NO_INDEX)
        return false;
    at->run->frame_of[index] = frame;
    return true;
}

/* Frames of one location; lines before `skip` are pruned. They are listed until it is known how many there are. */
static bool frame_location(struct resolving *at, uint32_t index, uint32_t skip, struct gate_error *err) {
    const struct gate_location location = gate_location_at(at->run->input.profile, index);
    struct gate_line_walk walk = gate_location_lines(at->run->input.profile, &location);
    uint32_t lines = location.line_count == 0 ? 1 : location.line_count;
    size_t first = at->list_count;
    if (first >= GATE_FRAME_LIST)
        return gate_error_set(err, GATE_ERR_LIMIT, "more than %u inlined calls", GATE_FRAME_LIST);
    if (!list_add(at, 0, err))
        return false;
    for (uint32_t i = 0; i < lines; i++) {
        struct gate_line line;
        bool has_line = gate_line_next(&walk, &line);
        uint32_t frame = GATE_NO_INDEX;
        if (i < skip)
            continue;
        if (!frame_line(&frame, at, location.mapping, has_line ? &line : NULL, err) ||
            (frame != GATE_NO_INDEX && !list_add(at, frame, err)))
            return false;
    }
    uint32_t count = (uint32_t)(at->list_count - first - 1);
    at->list[first] = count;
    at->run->frame_of[index] = count == 1 ? at->list[first + 1] : GATE_FRAME_LIST | (uint32_t)first;
    at->list_count = count == 1 ? first : at->list_count;
    return true;
}

/* Room for the frames of all locations. Behind one slot that is nobody's, so that ids which count from 1 find them. */
static bool resolving_reserve(struct resolving *at, struct gate_error *err) {
    const struct gate_profile *profile = at->run->input.profile;
    struct gate_frame_table *table = at->table;
    uint32_t *slots = gate_arena_alloc(table->arena, ((size_t)profile->location_count + 1) * sizeof *slots);
    if (slots == NULL)
        return gate_arena_error(table->arena, err);
    slots[0] = GATE_FRAME_LIST;
    at->run->frame_of = slots + 1;
    if (table->options->granularity != GATE_BY_FUNCTION)
        return true;
    at->functions_count = table->count + profile->function_count;
    at->functions = GATE_NEW_ARRAY(&at->scratch, uint32_t, (size_t)at->functions_count + 1);
    at->memos = GATE_NEW_ARRAY(&at->scratch, struct frame_memo, (size_t)profile->function_count + 1);
    return (at->functions != NULL && at->memos != NULL) || gate_arena_error(&at->scratch, err);
}

static bool resolving_run(struct resolving *at, struct gate_error *err) {
    const struct gate_profile *profile = at->run->input.profile;
    struct gate_frame_table *table = at->table;
    struct gate_prune_plan plan = {0};
    if (!gate_prune_plan_make(&plan, profile, table->arena, err) || !texts_make(at, err) || !names_rename(at, err) ||
        !resolving_reserve(at, err))
        return false;
    table->language = gate_own_code_language(profile);
    gate_frame_owners_begin(&at->owners, &table->options->own, profile, &at->texts, &at->scratch);
    at->run->prune = plan.action;
    at->is_read_ahead = at->memos != NULL && profile->location_count >= LOCATIONS_WORTH_A_THREAD;
    if (at->is_read_ahead)
        gate_parallel(locations_read, at, profile->location_count, LOCATIONS_WORTH_A_THREAD);
    for (uint32_t i = 0; i < profile->location_count; i++) {
        uint32_t skip = plan.lines_gone == NULL ? 0 : plan.lines_gone[i];
        if ((skip != 0 || !location_known(at, i)) && !frame_location(at, i, skip, err))
            return false;
    }
    at->run->frame_lists = gate_arena_resize(table->arena, at->list, at->list_capacity * sizeof *at->list,
                                             at->list_count * sizeof *at->list);
    return (at->run->frame_lists != NULL || at->list_count == 0)
               ? gate_frame_owners_answer(&at->owners, at->table->frames, err)
               : gate_arena_error(table->arena, err);
}

bool gate_frame_table_add(struct gate_frame_table *table, struct gate_run *run, struct gate_error *err) {
    struct resolving at = {.table = table, .run = run};
    gate_arena_fork(&at.scratch, table->arena);
    bool ok = resolving_run(&at, err);
    gate_arena_free(&at.scratch);
    return ok;
}
