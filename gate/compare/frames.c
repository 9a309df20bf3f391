/* SPDX-License-Identifier: Apache-2.0 */
/* From locations to frames (see frames.h). */
#include "gate/compare/frames.h"

#include "gate/compare/prune.h"
#include "gate/profile/address_name.h"
#include "gate/profile/file_path.h"
#include "gate/profile/name.h"
#include "gate/profile/name_stable.h"

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

void gate_frame_table_init(struct gate_frame_table *table, const struct gate_frame_options *options,
                           struct gate_arena *arena) {
    *table = (struct gate_frame_table){.options = options, .arena = arena};
    gate_table_init(&table->names, arena);
    gate_table_init(&table->ignored, arena);
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

/* A name that several files have, "<module>" or "run", is the program's own where one of them is: so it does not matter
 * which of them comes first. */
static bool frame_whose(struct gate_frame_table *table, struct gate_frame *frame, const struct frame_source *source,
                        struct gate_error *err) {
    bool ok = true;
    enum gate_code code = gate_own_code_of(table->language, &source->place);
    frame->code = code < frame->code ? code : frame->code;
    frame->is_own = frame->is_own || frame_is_own(table, code, source, &ok, err);
    return ok;
}

/* A frame that is met again says whose it is only at a place where it was not before. */
static bool frame_meet(struct gate_frame_table *table, struct gate_frame *frame, const struct frame_source *source,
                       struct gate_error *err) {
    bool is_settled = frame->is_own && frame->code == GATE_CODE_OWN;
    if (is_settled || (gate_str_equal(source->file, frame->file) && gate_str_equal(source->mapping, frame->mapping)))
        return true;
    return frame_whose(table, frame, source, err);
}

/* A frame of a new name, the table's last. */
static bool frame_add(bool *ignored, struct gate_frame_table *table, struct gate_str name,
                      const struct frame_source *source, struct gate_error *err) {
    bool ok = true;
    struct gate_frame *frames =
        gate_arena_grow(table->arena, table->frames, table->count, &table->capacity, sizeof *frames);
    if (frames == NULL)
        return gate_arena_error(table->arena, err);
    table->frames = frames;
    *ignored = frame_is_ignored(table, name, &ok, err);
    if (*ignored && gate_table_intern(&table->ignored, name) == GATE_TABLE_NONE)
        return gate_arena_error(table->arena, err);
    struct gate_frame *frame = &table->frames[table->count++];
    *frame = (struct gate_frame){
        .name = name,
        .code = GATE_CODE_LIBRARY,
        .mapping = source->mapping,
        .is_runtime = source->function.len != 0 && gate_name_is_runtime(source->function),
        .is_symbolised = source->function.len != 0,
    };
    return ok && frame_whose(table, frame, source, err);
}

/* Index of the frame of `source`, or GATE_NO_INDEX for an ignored one. */
static bool frame_intern(uint32_t *index, struct gate_frame_table *table, const struct frame_source *source,
                         struct gate_error *err) {
    struct gate_str name = frame_name(table, source);
    if (name.ptr == NULL)
        return gate_arena_error(table->arena, err);
    *index = GATE_NO_INDEX;
    if (gate_table_find(&table->ignored, name) != GATE_TABLE_NONE)
        return true;
    uint32_t found = gate_table_intern(&table->names, name);
    if (found == GATE_TABLE_NONE)
        return gate_arena_error(table->arena, err);
    bool ignored = false;
    bool ok = found < table->count ? frame_meet(table, &table->frames[found], source, err)
                                   : frame_add(&ignored, table, name, source, err);
    *index = ignored ? GATE_NO_INDEX : found;
    return ok;
}

/* What frames take of a profile's functions, worked out once for each. */
struct function_texts {
    struct gate_str *names; /* stable and renamed */
    struct gate_str *files; /* clean: a file that two units spell differently is one */
};

static bool function_files(struct gate_str **out, struct gate_frame_table *table, const struct gate_profile *profile,
                           struct gate_error *err) {
    struct gate_str *files = GATE_NEW_ARRAY(table->arena, struct gate_str, profile->function_count + 1);
    for (uint32_t i = 0; files != NULL && i < profile->function_count; i++) {
        struct gate_str file = profile->functions[i].file;
        files[i] = file.len == 0 ? GATE_STR("") : gate_file_path_clean(table->arena, file);
        if (files[i].ptr == NULL)
            return gate_arena_error(table->arena, err);
    }
    *out = files;
    return files != NULL || gate_arena_error(table->arena, err);
}

static bool function_names(struct gate_str **out, struct gate_frame_table *table, const struct gate_profile *profile,
                           struct gate_error *err) {
    struct gate_str *names = GATE_NEW_ARRAY(table->arena, struct gate_str, profile->function_count + 1);
    if (names == NULL)
        return gate_arena_error(table->arena, err);
    for (uint32_t i = 0; i < profile->function_count; i++) {
        struct gate_str name = profile->functions[i].name;
        if (gate_address_name_is(name)) /* the same code has another one in the next build */
            name = GATE_STR("");
        if (!table->options->exact_names)
            name = gate_name_stable(table->arena, name);
        for (uint32_t r = 0; name.ptr != NULL && name.len != 0 && r < table->options->rename_count; r++)
            name =
                gate_regex_replace(table->options->renames[r].match, name, table->options->renames[r].to, table->arena);
        if (name.ptr == NULL)
            return gate_error_set(err, GATE_ERR_CONFIG, "a rule of frames.rename fails on '%.*s'",
                                  GATE_STR_ARG(profile->functions[i].name));
        names[i] = name;
    }
    *out = names;
    return true;
}

/* The canary is added last, and its place in the source is the one that a reader can go to. */
static void frame_place(struct gate_frame *frame, const struct frame_source *source) {
    if (source->file.len != 0)
        frame->file = source->file;
    if (source->start_line != 0)
        frame->start_line = source->start_line;
    else if (frame->start_line == 0)
        frame->start_line = source->line;
}

/* Frames of one location, appended at `*count`; lines before `skip` are pruned. */
static bool frame_location(struct gate_frame_table *table, struct gate_run *run, const struct function_texts *texts,
                           uint32_t index, uint32_t skip, uint32_t *count, struct gate_error *err) {
    const struct gate_profile *profile = run->input.profile;
    const struct gate_location *location = &profile->locations[index];
    struct frame_source source = {0};
    if (location->mapping != GATE_NO_INDEX)
        source.mapping = profile->mappings[location->mapping].file;
    source.place = (struct gate_code_place){.mapping = source.mapping, .is_main_mapping = location->mapping == 0};
    uint32_t lines = location->line_count == 0 ? 1 : location->line_count;
    for (uint32_t i = skip; i < lines; i++) {
        source.function = source.file = source.place.function = source.place.file = GATE_STR("");
        source.line = source.start_line = 0;
        const struct gate_line *line = location->line_count == 0 ? NULL : &profile->lines[location->line_first + i];
        if (line != NULL && line->function != GATE_NO_INDEX) {
            const struct gate_function *function = &profile->functions[line->function];
            source.function = texts->names[line->function];
            source.file = texts->files[line->function];
            source.place.function = function->name;
            source.place.file = function->file;
            source.line = line->line;
            source.start_line = function->start_line;
        }
        uint32_t frame = GATE_NO_INDEX;
        if (!frame_intern(&frame, table, &source, err))
            return false;
        if (frame == GATE_NO_INDEX)
            continue;
        frame_place(&table->frames[frame], &source);
        run->frames[(*count)++] = frame;
    }
    return true;
}

bool gate_frame_table_add(struct gate_frame_table *table, struct gate_run *run, struct gate_error *err) {
    const struct gate_profile *profile = run->input.profile;
    struct gate_prune_plan plan = {0};
    struct function_texts texts = {0};
    if (!gate_prune_plan_make(&plan, profile, table->arena, err) ||
        !function_names(&texts.names, table, profile, err) || !function_files(&texts.files, table, profile, err))
        return false;
    GATE_ASSERT(texts.names != NULL && texts.files != NULL);
    table->language = gate_own_code_language(profile);
    size_t slots = (size_t)profile->line_count + profile->location_count;
    run->frame_first = GATE_NEW_ARRAY(table->arena, uint32_t, (size_t)profile->location_count + 1);
    run->frames = GATE_NEW_ARRAY(table->arena, uint32_t, slots + 1);
    if (run->frame_first == NULL || run->frames == NULL)
        return gate_arena_error(table->arena, err);
    run->prune = plan.action;
    uint32_t count = 0;
    for (uint32_t i = 0; i < profile->location_count; i++) {
        run->frame_first[i] = count;
        if (!frame_location(table, run, &texts, i, plan.lines_gone == NULL ? 0 : plan.lines_gone[i], &count, err))
            return false;
    }
    run->frame_first[profile->location_count] = count;
    return true;
}
