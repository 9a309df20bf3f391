/* SPDX-License-Identifier: Apache-2.0 */
/* From locations to frames (see frames.h). */
#include "gate/compare/frames.h"

#include "gate/base/parallel.h"
#include "gate/compare/frame_texts.h"
#include "gate/compare/prune.h"
#include "gate/profile/location.h"
#include "gate/profile/name.h"

#include <inttypes.h>

/* What a line tells, before granularity. */
struct frame_source {
    struct gate_code_place place; /* as the profile has it */
    struct gate_str function;     /* stable and renamed; empty when unsymbolised */
    struct gate_str file;
    struct gate_str mapping;
    int64_t line;
    int64_t start_line;
};

/* Whose code a frame is at one place: asked while locations are met, answered for all of them at a time. */
struct frame_question {
    struct frame_source source;
    uint32_t frame;
    enum gate_code code; /* the answer */
};

/* What a function's frame was, by function: all that a location's line says then is where it stands. */
struct frame_memo {
    uint32_t frame; /* or GATE_NO_INDEX: it is ignored */
    uint32_t mapping;
    bool is_known;
};

/* One run while it is resolved. */
struct resolving {
    struct gate_frame_table *table;
    struct gate_run *run;
    struct gate_frame_texts texts;
    struct gate_own_code_rows rows; /* of the run's language */
    struct frame_memo *memos;       /* one a function; NULL: a function is more than one frame */
    uint32_t *list;                 /* run->frame_lists while it grows */
    size_t list_count, list_capacity;
    struct frame_question *questions;
    size_t question_capacity;
    size_t question_count;
    struct gate_arena scratch;
};

enum { QUESTIONS_WORTH_A_THREAD = 512 };

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

static bool frame_fits_any(struct gate_frame_table *table, const struct gate_regex *const *patterns, uint32_t count,
                           const struct frame_source *source, bool *ok, struct gate_error *err) {
    for (uint32_t i = 0; i < count; i++) {
        enum gate_regex_result name = gate_regex_match(patterns[i], source->function);
        enum gate_regex_result file = gate_regex_match(patterns[i], source->file);
        if (name == GATE_REGEX_TOO_HARD || file == GATE_REGEX_TOO_HARD)
            *ok = gate_error_set(err, GATE_ERR_CONFIG, "pattern %u of 'own' takes too long on '%.*s'", (unsigned)i + 1,
                                 GATE_STR_ARG(frame_name(table, source)));
        if (name != GATE_REGEX_NO || file != GATE_REGEX_NO)
            return true;
    }
    return false;
}

static bool frame_is_own(struct gate_frame_table *table, enum gate_code code, const struct frame_source *source,
                         bool *ok, struct gate_error *err) {
    const struct gate_own_options *own = &table->options->own;
    if (frame_fits_any(table, own->exclude, own->exclude_count, source, ok, err))
        return false;
    return frame_fits_any(table, own->include, own->include_count, source, ok, err) ||
           gate_own_code_is_own(table->language, code);
}

static bool frame_ask(struct resolving *at, uint32_t frame, const struct frame_source *source, struct gate_error *err) {
    struct frame_question *questions =
        gate_arena_regrow(&at->scratch, at->questions, at->question_count, &at->question_capacity, sizeof *questions);
    if (questions == NULL)
        return gate_arena_error(&at->scratch, err);
    at->questions = questions;
    questions[at->question_count++] = (struct frame_question){.source = *source, .frame = frame};
    return true;
}

static void questions_look(void *context, size_t from, size_t to) {
    struct resolving *at = context;
    for (size_t i = from; i < to; i++)
        at->questions[i].code = gate_own_code_by(&at->rows, &at->questions[i].source.place);
}

/* A name that several files have, "<module>" or "run", is the program's own where one of them is: so it does not matter
 * which of them comes first. */
static bool questions_answer(struct resolving *at, struct gate_error *err) {
    bool ok = true;
    gate_parallel(questions_look, at, at->question_count, QUESTIONS_WORTH_A_THREAD);
    for (size_t i = 0; ok && i < at->question_count; i++) {
        const struct frame_question *question = &at->questions[i];
        struct gate_frame *frame = &at->table->frames[question->frame];
        frame->code = question->code < frame->code ? question->code : frame->code;
        frame->is_own = frame->is_own || frame_is_own(at->table, question->code, &question->source, &ok, err);
    }
    (void)gate_arena_resize(&at->scratch, at->questions, at->question_capacity * sizeof *at->questions, 0);
    at->questions = NULL;
    at->question_count = at->question_capacity = 0;
    return ok;
}

/* A frame that is met again says whose it is only at a place where it was not before. */
static bool frame_meet(struct resolving *at, uint32_t index, const struct frame_source *source,
                       struct gate_error *err) {
    const struct gate_frame *frame = &at->table->frames[index];
    bool is_settled = frame->is_own && frame->code == GATE_CODE_OWN;
    if (is_settled || (gate_str_equal(source->file, frame->file) && gate_str_equal(source->mapping, frame->mapping)))
        return true;
    return frame_ask(at, index, source, err);
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
        .is_runtime = source->function.len != 0 && gate_name_is_runtime(source->function),
        .is_symbolised = source->function.len != 0,
    };
    return ok && frame_ask(at, table->count - 1, source, err);
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
    uint32_t found = gate_table_intern(&table->names, name);
    if (found == GATE_TABLE_NONE)
        return gate_arena_error(&table->scratch, err);
    bool ignored = false;
    bool ok = found < table->count ? frame_meet(at, found, source, err) : frame_add(&ignored, at, name, source, err);
    *index = ignored ? GATE_NO_INDEX : found;
    /* Where a function is several frames, questions could be as many as lines: an answer makes the next one needless.
     */
    return ok && (at->memos != NULL || at->question_count < QUESTIONS_WORTH_A_THREAD || questions_answer(at, err));
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

/* A line of a function whose frame is known: most lines are. */
static bool frame_known(uint32_t *frame, struct resolving *at, const struct gate_location *location,
                        const struct gate_line *line) {
    if (line == NULL || line->function == GATE_NO_INDEX || at->memos == NULL)
        return false;
    const struct frame_memo *memo = &at->memos[line->function];
    if (!memo->is_known || memo->mapping != location->mapping)
        return false;
    *frame = memo->frame;
    if (memo->frame != GATE_NO_INDEX)
        frame_place(&at->table->frames[memo->frame], at->texts.files[line->function],
                    at->run->input.profile->functions[line->function].start_line, line->line);
    return true;
}

/* The frame of one line of a location; `line` NULL: of a location that has none. */
static bool frame_line(uint32_t *frame, struct resolving *at, const struct gate_location *location,
                       const struct gate_line *line, struct gate_error *err) {
    if (frame_known(frame, at, location, line))
        return true;
    const struct gate_profile *profile = at->run->input.profile;
    const struct gate_str none = GATE_STR(""), nowhere = {0};
    const struct gate_str mapping =
        location->mapping == GATE_NO_INDEX ? nowhere : profile->mappings[location->mapping].file;
    struct frame_source source = {.place = {.function = none, .file = none, .mapping = mapping},
                                  .function = none,
                                  .file = none,
                                  .mapping = mapping};
    struct frame_memo *memo = NULL;
    source.place.is_main_mapping = location->mapping == 0;
    if (line != NULL && line->function != GATE_NO_INDEX) {
        const struct gate_function *function = &profile->functions[line->function];
        source.function = at->texts.names[line->function];
        source.file = at->texts.files[line->function];
        source.place.function = function->name;
        source.place.file = function->file;
        source.line = line->line;
        source.start_line = function->start_line;
        memo = at->memos == NULL ? NULL : &at->memos[line->function];
    }
    if (!frame_intern(frame, at, &source, err))
        return false;
    if (memo != NULL)
        *memo = (struct frame_memo){.frame = *frame, .mapping = location->mapping, .is_known = true};
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
        if (!frame_line(&frame, at, &location, has_line ? &line : NULL, err) ||
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
    at->memos = GATE_NEW_ARRAY(&at->scratch, struct frame_memo, (size_t)profile->function_count + 1);
    return at->memos != NULL || gate_arena_error(&at->scratch, err);
}

static bool resolving_run(struct resolving *at, struct gate_error *err) {
    const struct gate_profile *profile = at->run->input.profile;
    struct gate_frame_table *table = at->table;
    struct gate_prune_plan plan = {0};
    if (!gate_prune_plan_make(&plan, profile, table->arena, err) || !texts_make(at, err) || !names_rename(at, err) ||
        !resolving_reserve(at, err))
        return false;
    table->language = gate_own_code_language(profile);
    gate_own_code_rows_of(&at->rows, table->language);
    at->run->prune = plan.action;
    for (uint32_t i = 0; i < profile->location_count; i++)
        if (!frame_location(at, i, plan.lines_gone == NULL ? 0 : plan.lines_gone[i], err))
            return false;
    at->run->frame_lists = gate_arena_resize(table->arena, at->list, at->list_capacity * sizeof *at->list,
                                             at->list_count * sizeof *at->list);
    return (at->run->frame_lists != NULL || at->list_count == 0) ? questions_answer(at, err)
                                                                 : gate_arena_error(table->arena, err);
}

bool gate_frame_table_add(struct gate_frame_table *table, struct gate_run *run, struct gate_error *err) {
    struct resolving at = {.table = table, .run = run};
    gate_arena_fork(&at.scratch, table->arena);
    bool ok = resolving_run(&at, err);
    gate_arena_free(&at.scratch);
    return ok;
}
