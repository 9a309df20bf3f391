/* SPDX-License-Identifier: Apache-2.0 */
/* One table of frames for both sides: grouping, renaming, pruning, own code. */
#include "gate/compare/frames.h"

#include "gate/base/parallel.h"
#include "gate/base/table.h"
#include "gate/compare/pair_types.h"
#include "gate/model/location.h"
#include "gate/model/profile.h"
#include "gate/names/frame_name.h"
#include "gate/names/own_code.h"
#include "gate/names/stable_names.h"

#include <inttypes.h>

/* ---- drop_frames and keep_frames --------------------------------------------------------------------------------- */

/**
 * Per location: the effect on stacks through it, and how many of its inner lines are removed. NULL arrays: no pruning.
 */
struct gate_prune_plan {
    uint8_t *action;      /* enum gate_prune */
    uint32_t *lines_gone; /* lines [0, lines_gone) are removed; line 0 is the innermost */
};

/* Return the name that drop_frames matches: no leading '.', cut at the first '(' that is not part of a C++ name. */
static struct gate_str simplify(struct gate_str name) {
    const struct gate_str reserved[] = {GATE_STR("(anonymous namespace)"), GATE_STR("operator()")};
    if (gate_str_starts(name, GATE_STR(".")))
        name = gate_str_slice(name, 1, name.len);
    for (size_t at = 0; at < name.len;) {
        size_t skip = 0;
        for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
            if (gate_str_starts(gate_str_slice(name, at, name.len), reserved[i]))
                skip = reserved[i].len;
        if (skip == 0 && name.ptr[at] == '(')
            return gate_str_slice(name, 0, at);
        at += skip == 0 ? 1 : skip;
    }
    return name;
}

static bool prune_compile(struct gate_regex **out, struct gate_str pattern, struct gate_arena *arena,
                          struct gate_error *err) {
    *out = NULL;
    if (pattern.len == 0)
        return true;
    struct gate_str anchored =
        gate_str_concat(arena, (const struct gate_str[]){GATE_STR("^("), pattern, GATE_STR(")$")}, 3);
    if (anchored.ptr == NULL)
        return gate_arena_error(arena, err);
    if (gate_regex_compile(out, anchored, err))
        return true;
    err->code = GATE_ERR_INPUT;
    return false;
}

/* Mark the functions to drop: one byte each. */
static bool prune_functions(uint8_t *dropped, const struct gate_profile *profile, const struct gate_regex *drop,
                            const struct gate_regex *keep, struct gate_error *err) {
    for (uint32_t i = 0; i < profile->function_count; i++) {
        struct gate_str name = simplify(profile->functions[i].name);
        if (profile->functions[i].name.len == 0)
            continue;
        enum gate_regex_result found = gate_regex_match(drop, name);
        enum gate_regex_result kept =
            found == GATE_REGEX_YES && keep != NULL ? gate_regex_match(keep, name) : GATE_REGEX_NO;
        if (found == GATE_REGEX_TOO_HARD || kept == GATE_REGEX_TOO_HARD)
            return gate_error_set(err, GATE_ERR_INPUT, "its drop_frames or keep_frames takes too long on '%.*s'",
                                  GATE_STR_ARG(name));
        dropped[i] = found == GATE_REGEX_YES && kept == GATE_REGEX_NO;
    }
    return true;
}

static void prune_location(struct gate_prune_plan *plan, const struct gate_profile *profile, const uint8_t *dropped,
                           uint32_t index) {
    struct gate_location location = gate_location_at(profile, index);
    struct gate_line_walk lines = gate_location_lines(profile, &location);
    struct gate_line line;
    uint32_t gone = 0;
    for (uint32_t i = 1; gate_line_next(&lines, &line); i++)
        gone = line.function != GATE_NO_INDEX && dropped[line.function] ? i : gone;
    if (gone == 0)
        return;
    bool outermost = gone == location.line_count;
    plan->action[index] = outermost ? GATE_PRUNE_WHOLE : GATE_PRUNE_BENEATH;
    /* A location that is removed entirely keeps its lines, because it stays if no kept frame is above it. */
    plan->lines_gone[index] = outermost ? 0 : gone;
}

/** Read the profile's drop_frames and keep_frames like google/pprof (profile/prune.go): anchored at both ends, matched
 * against the simplified name; the outermost matching line of a location decides. O(functions + lines). err:
 * GATE_ERR_INPUT a pattern does not compile or takes too long. */
static bool prune_plan_make(struct gate_prune_plan *out, const struct gate_profile *profile, struct gate_arena *arena,
                            struct gate_error *err) {
    *out = (struct gate_prune_plan){0};
    if (profile->drop_frames.len == 0 || profile->location_count == 0)
        return true;
    struct gate_regex *drop = NULL;
    struct gate_regex *keep = NULL;
    struct gate_prune_plan plan = {
        .action = GATE_NEW_ARRAY(arena, uint8_t, profile->location_count),
        .lines_gone = GATE_NEW_ARRAY(arena, uint32_t, profile->location_count),
    };
    uint8_t *dropped = GATE_NEW_ARRAY(arena, uint8_t, profile->function_count);
    bool ok = plan.action != NULL && plan.lines_gone != NULL && dropped != NULL;
    if (!ok)
        (void)gate_arena_error(arena, err);
    ok = ok && prune_compile(&drop, profile->drop_frames, arena, err) &&
         prune_compile(&keep, profile->keep_frames, arena, err) && prune_functions(dropped, profile, drop, keep, err);
    gate_regex_free(drop);
    gate_regex_free(keep);
    for (uint32_t i = 0; ok && i < profile->location_count; i++)
        prune_location(&plan, profile, dropped, i);
    if (ok)
        *out = plan;
    return ok;
}

/* ---- names and files --------------------------------------------------------------------------------------------- */

enum { FUNCTIONS_WORTH_A_THREAD = 2048 };

/* The part of the functions that one thread names, with an arena of its own. */
struct texts_part {
    const struct gate_frame_texts *out;
    const struct gate_profile *profile;
    uint32_t from, to;
    bool exact_names;
    const struct gate_table *known; /* table of stable names; or NULL */
    struct gate_arena arena;
    bool ok;
};

/* The name that JavaScript engines give a function without a name. */
static const struct gate_str anonymous = {"(anonymous)", sizeof "(anonymous)" - 1};

static uint32_t known_find(const struct gate_table *known, struct gate_str name) {
    bool is_stable = name.len != 0 && name.ptr[0] != '[' && name.ptr[0] != '<' && !gate_str_equal(name, anonymous);
    return is_stable ? gate_table_find(known, name) : GATE_TABLE_NONE;
}

/* Return the name of a JavaScript function without a name: its file, as in "shop.js (anonymous)". Versions in folders'
 * names are left out, as in other names with folders. */
static struct gate_str anonymous_name(struct gate_arena *arena, struct gate_str file) {
    struct gate_str stable = gate_file_path_stable(arena, file);
    if (stable.ptr == NULL)
        return stable;
    const struct gate_str parts[] = {gate_file_distinct_end(stable), GATE_STR(" (anonymous)")};
    return gate_str_concat(arena, parts, 2);
}

static bool texts_of(struct texts_part *part, uint32_t i) {
    const struct gate_function *function = &part->profile->functions[i];
    struct gate_str name = function->name;
    if (gate_address_name_is(name)) /* an address changes with every build */
        name = GATE_STR("");
    bool is_final = part->exact_names;
    struct gate_str file = gate_file_known(function->file);
    part->out->files[i] = file.len == 0 ? GATE_STR("") : gate_file_path_clean(&part->arena, file);
    if (part->known != NULL) {
        /* "parse" of a package is not "parse" of the program. */
        bool has_package = gate_file_has_package(part->out->files[i]);
        part->out->known[i] = has_package ? GATE_TABLE_NONE : known_find(part->known, name);
        is_final |= part->out->known[i] != GATE_TABLE_NONE;
    }
    part->out->names[i] = is_final ? name : gate_name_stable(&part->arena, name);
    if (!is_final && part->out->files[i].len != 0 && gate_str_equal(part->out->names[i], anonymous))
        part->out->names[i] = anonymous_name(&part->arena, part->out->files[i]);
    else if (!is_final && part->out->names[i].ptr != NULL && part->out->files[i].ptr != NULL)
        part->out->names[i] = gate_name_with_package(&part->arena, part->out->names[i], part->out->files[i]);
    return part->out->files[i].ptr != NULL && part->out->names[i].ptr != NULL;
}

static void texts_run(void *context) {
    struct texts_part *part = context;
    part->ok = true;
    for (uint32_t i = part->from; part->ok && i < part->to; i++)
        part->ok = texts_of(part, i);
}

static bool texts_make(struct gate_frame_texts *out, const struct texts_part *whole, struct gate_arena *arena,
                       struct gate_arena *scratch, struct gate_error *err) {
    const struct gate_profile *profile = whole->profile;
    uint32_t count = profile->function_count;
    uint32_t half = count < FUNCTIONS_WORTH_A_THREAD ? count : count / 2;
    struct texts_part parts[2];
    out->names = GATE_NEW_ARRAY(scratch, struct gate_str, count);
    out->files = GATE_NEW_ARRAY(scratch, struct gate_str, count);
    out->known = whole->known == NULL ? NULL : gate_arena_alloc(scratch, ((size_t)count + 1) * sizeof *out->known);
    if (out->names == NULL || out->files == NULL || (whole->known != NULL && out->known == NULL))
        return gate_arena_error(scratch, err);
    for (int i = 0; i < 2; i++) {
        parts[i] = *whole;
        parts[i].out = out;
        parts[i].from = i == 0 ? 0 : half;
        parts[i].to = i == 0 ? half : count;
        gate_arena_fork(&parts[i].arena, arena);
    }
    if (half < count)
        gate_parallel_both(texts_run, &parts[0], &parts[1]);
    else
        texts_run(&parts[0]);
    bool ok = parts[0].ok && (half == count || parts[1].ok);
    for (int i = 0; i < 2; i++)
        gate_arena_absorb(arena, &parts[i].arena);
    return ok || gate_arena_error(arena, err);
}

bool gate_frame_texts_make(struct gate_frame_texts *out, const struct gate_profile *profile, bool exact_names,
                           struct gate_arena *arena, struct gate_arena *scratch, struct gate_error *err) {
    const struct texts_part whole = {.profile = profile, .exact_names = exact_names};
    return texts_make(out, &whole, arena, scratch, err);
}

bool gate_frame_texts_make_more(struct gate_frame_texts *out, const struct gate_profile *profile,
                                const struct gate_table *known, struct gate_arena *arena, struct gate_arena *scratch,
                                struct gate_error *err) {
    const struct texts_part whole = {.profile = profile, .known = known};
    return texts_make(out, &whole, arena, scratch, err);
}

/* ---- own code ---------------------------------------------------------------------------------------------------- */

/** A frame of the profile that is to be classified as own code or not. */
struct gate_frame_question {
    uint32_t frame;
    uint32_t function, mapping; /* indices in the profile, or GATE_NO_INDEX */
    bool is_new;                /* the frame was just added */
    uint8_t code;               /* result: an enum gate_code */
};

/** The frames of one run to classify; `scratch` holds the list. */
struct gate_frame_owners {
    const struct gate_own_options *options;
    const struct gate_profile *profile;
    const struct gate_frame_texts *texts; /* names after the renames of the rules */
    struct gate_arena *scratch;
    enum gate_language language; /* of the run */
    struct gate_frame *frames;   /* the frame table, while the list is processed */
    struct gate_frame_question *questions;
    size_t count, capacity;
};

/** Fewer than this are handled by one thread. */
enum { GATE_FRAME_OWNERS_WORTH_A_THREAD = 512 };

static void frame_owners_begin(struct gate_frame_owners *owners, const struct gate_own_options *options,
                               const struct gate_profile *profile, const struct gate_frame_texts *texts,
                               struct gate_arena *scratch) {
    *owners = (struct gate_frame_owners){.options = options,
                                         .profile = profile,
                                         .language = gate_own_code_language(profile),
                                         .texts = texts,
                                         .scratch = scratch};
}

/** Append `question` to the list, without its `code`. */
static bool frame_owners_add(struct gate_frame_owners *owners, const struct gate_frame_question *question,
                             struct gate_error *err) {
    if (!GATE_REGROW(owners->scratch, owners->questions, owners->count, owners->capacity))
        return gate_arena_error(owners->scratch, err);
    owners->questions[owners->count++] = *question;
    return true;
}

/* Return the function, file and mapping as in the profile. */
static struct gate_code_place place_of(const struct gate_profile *profile, const struct gate_frame_question *question) {
    struct gate_code_place place = {.function = GATE_STR(""), .file = GATE_STR("")};
    if (question->function != GATE_NO_INDEX) {
        place.function = profile->functions[question->function].name;
        place.file = profile->functions[question->function].file;
    }
    if (question->mapping != GATE_NO_INDEX)
        place.mapping = profile->mappings[question->mapping].file;
    place.is_main_mapping = question->mapping == 0;
    return place;
}

static void questions_look(void *context, size_t from, size_t to) {
    const struct gate_frame_owners *owners = context;
    for (size_t i = from; i < to; i++) {
        struct gate_frame_question *question = &owners->questions[i];
        const struct gate_code_place place = place_of(owners->profile, question);
        question->code = (uint8_t)gate_own_code_of(owners->language, &place);
        if (question->is_new && question->function != GATE_NO_INDEX)
            owners->frames[question->frame].is_runtime = gate_name_is_runtime(owners->texts->names[question->function]);
    }
}

/* ---- packages of Go whose functions disagree --------------------------------------------------------------------- */

/* If most functions of a Go package are third-party, make those third-party, too, whose files are in other folders. */
static bool packages_agree(struct gate_frame_owners *owners, struct gate_error *err) {
    struct gate_package_votes votes;
    const struct gate_function *functions = owners->profile->functions;
    bool has_third_party = false, is_any = false;
    for (size_t i = 0; owners->language == GATE_LANGUAGE_GO && i < owners->count; i++)
        has_third_party |= owners->questions[i].code == GATE_CODE_THIRD_PARTY;
    for (size_t i = 0; has_third_party && !is_any && i < owners->count; i++) {
        const struct gate_frame_question *question = &owners->questions[i];
        is_any = question->function != GATE_NO_INDEX &&
                 gate_package_votes_is_open(&functions[question->function], (enum gate_code)question->code);
    }
    if (!is_any)
        return true;
    gate_package_votes_init(&votes, owners->scratch);
    for (size_t i = 0; i < owners->count; i++) {
        const struct gate_frame_question *question = &owners->questions[i];
        if (question->function != GATE_NO_INDEX &&
            !gate_package_votes_add(&votes, &functions[question->function], (enum gate_code)question->code))
            return gate_arena_error(owners->scratch, err);
    }
    for (size_t i = 0; i < owners->count; i++) {
        struct gate_frame_question *question = &owners->questions[i];
        if (question->function != GATE_NO_INDEX &&
            gate_package_votes_overrule(&votes, &functions[question->function], (enum gate_code)question->code))
            question->code = GATE_CODE_THIRD_PARTY;
    }
    return true;
}

/* ---- whose code it is -------------------------------------------------------------------------------------------- */

static bool fits_any(const struct gate_frame_owners *owners, const struct gate_regex *const *patterns, uint32_t count,
                     const struct gate_frame_question *question, bool *ok, struct gate_error *err) {
    bool has_function = question->function != GATE_NO_INDEX;
    struct gate_str function = has_function ? owners->texts->names[question->function] : GATE_STR("");
    struct gate_str path = has_function ? owners->texts->files[question->function] : GATE_STR("");
    for (uint32_t i = 0; i < count; i++) {
        enum gate_regex_result name = gate_regex_match(patterns[i], function);
        enum gate_regex_result file = gate_regex_match(patterns[i], path);
        if (name == GATE_REGEX_TOO_HARD || file == GATE_REGEX_TOO_HARD)
            *ok = gate_error_set(err, GATE_ERR_CONFIG, "pattern %u of 'own' takes too long on '%.*s'", (unsigned)i + 1,
                                 GATE_STR_ARG(owners->frames[question->frame].name));
        if (name != GATE_REGEX_NO || file != GATE_REGEX_NO)
            return true;
    }
    return false;
}

static bool is_own(const struct gate_frame_owners *owners, const struct gate_frame_question *question, bool *ok,
                   struct gate_error *err) {
    const struct gate_own_options *own = owners->options;
    if (fits_any(owners, own->exclude, own->exclude_count, question, ok, err))
        return false;
    return fits_any(owners, own->include, own->include_count, question, ok, err) ||
           gate_own_code_is_own(owners->language, (enum gate_code)question->code);
}

/** Process the list: set is_own and code of `frames`, and is_runtime of the new ones. A name in several files
 * ("<module>", "run") is own code if any of them is, so the order does not matter. O(list * (rows + patterns)); two
 * threads if the list is long. err: GATE_ERR_CONFIG a pattern of the rules takes too long. */
static bool frame_owners_classify(struct gate_frame_owners *owners, struct gate_frame *frames, struct gate_error *err) {
    bool ok = true;
    owners->frames = frames;
    gate_parallel(questions_look, owners, owners->count, GATE_FRAME_OWNERS_WORTH_A_THREAD);
    if (!packages_agree(owners, err))
        return false;
    for (size_t i = 0; ok && i < owners->count; i++) {
        const struct gate_frame_question *question = &owners->questions[i];
        struct gate_frame *frame = &owners->frames[question->frame];
        frame->code = question->code < frame->code ? (enum gate_code)question->code : frame->code;
        frame->is_own = frame->is_own || is_own(owners, question, &ok, err);
    }
    (void)gate_arena_resize(owners->scratch, owners->questions, owners->capacity * sizeof *owners->questions, 0);
    owners->questions = NULL;
    owners->count = owners->capacity = 0;
    return ok;
}

/* ---- locations to frames ----------------------------------------------------------------------------------------- */

/* The data of a line from which its frame is made, before granularity applies. */
struct frame_source {
    uint32_t function_index, mapping_index; /* or GATE_NO_INDEX */
    struct gate_str function;               /* stable and renamed; empty if unsymbolised */
    struct gate_str file;
    struct gate_str mapping;
    int64_t line;
    int64_t start_line;
};

/* The frame that was found for a function. Later lines of the function can only add its file and line. */
struct frame_memo {
    uint32_t frame; /* or GATE_NO_INDEX: ignored */
    uint32_t mapping;
    bool is_known;
    bool is_shared;  /* another function has the same frame */
    bool is_settled; /* no other function has the frame, and no line can change its file and line */
};

/* State while one run is resolved. */
struct resolving {
    struct gate_frame_table *table;
    struct gate_run *run;
    struct gate_frame_texts texts;
    struct gate_frame_owners owners;
    struct frame_memo *memos; /* one per function; NULL: a function can be several frames */
    uint32_t *functions;      /* per frame: last function of this run with it, + 1; 0: none */
    uint32_t functions_count;
    struct gate_str *old_names; /* per function: its name before those that moved got the canary's; NULL: none moved */
    bool is_read_ahead;         /* frame_of already holds function indices (locations_read) */
    uint32_t *list;             /* becomes run->frame_lists */
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

/* Return the name of a frame without a function: the mapping's file in brackets, like google/pprof
 * (NodeInfo.NameComponents). The kernel's file has brackets already. */
static struct gate_str frame_mapping_name(struct gate_frame_table *table, struct gate_str mapping) {
    struct gate_str base = gate_str_basename(mapping);
    if (base.len == 0)
        return GATE_STR("<unknown>");
    if (gate_str_starts(base, GATE_STR("[")) && gate_str_ends(base, GATE_STR("]")))
        return base;
    return gate_str_concat(table->arena, (const struct gate_str[]){GATE_STR("["), base, GATE_STR("]")}, 3);
}

static struct gate_str frame_name(struct gate_frame_table *table, const struct frame_source *source) {
    struct gate_str name = source->function;
    switch (table->options->granularity) {
    case GATE_BY_LINE:
        if (source->function.len != 0 && source->line != 0) {
            struct gate_str line = gate_str_format(table->arena, ":%" PRId64, source->line);
            if (line.ptr == NULL)
                return line;
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

/* Return whether a name is ignored; sets `*ok` to false if a pattern takes too long. */
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
    return frame_owners_add(&at->owners, &question, err);
}

/* Classify a known frame again only if the file or mapping is new and the result can still change. */
static bool frame_meet(struct resolving *at, uint32_t index, const struct frame_source *source,
                       struct gate_error *err) {
    const struct gate_frame *frame = &at->table->frames[index];
    bool is_settled = frame->is_own && frame->code == GATE_CODE_OWN;
    if (is_settled || (gate_str_equal(source->file, frame->file) && gate_str_equal(source->mapping, frame->mapping)))
        return true;
    return frame_ask(at, index, source, false, err);
}

/* Append a frame with a new name to the table. */
static bool frame_add(bool *ignored, struct resolving *at, struct gate_str name, const struct frame_source *source,
                      struct gate_error *err) {
    struct gate_frame_table *table = at->table;
    bool ok = true;
    if (!GATE_REGROW(table->arena, table->frames, table->count, table->capacity))
        return gate_arena_error(table->arena, err);
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

/* Set `*index` to the frame of `source`, or to GATE_NO_INDEX if it is ignored. */
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
    /* If a function can be several frames, the list could grow to the number of lines. Processing it early makes later
     * entries unnecessary. */
    return ok && (at->memos != NULL || at->owners.count < GATE_FRAME_OWNERS_WORTH_A_THREAD ||
                  frame_owners_classify(&at->owners, at->table->frames, err));
}

/* Make the names and files of the run. Names of earlier runs are stable names, unless renames or the granularity
 * changed them. */
static bool frames_texts_make(struct resolving *at, struct gate_error *err) {
    struct gate_frame_table *table = at->table;
    const struct gate_frame_options *options = table->options;
    const struct gate_profile *profile = at->run->input.profile;
    bool are_stable = !options->exact_names && options->granularity == GATE_BY_FUNCTION && options->rename_count == 0;
    return are_stable && table->count > 0
               ? gate_frame_texts_make_more(&at->texts, profile, &table->names, table->arena, &at->scratch, err)
               : gate_frame_texts_make(&at->texts, profile, options->exact_names, table->arena, &at->scratch, err);
}

/* Return the stable path that a file has in the newest profiles; empty if it has not moved. `.ptr` is NULL if the arena
 * is full. */
static struct gate_str moved_path(const struct gate_moved_files *files, struct gate_str path,
                                  struct gate_arena *arena) {
    struct gate_str stable = gate_file_path_stable(arena, path);
    if (stable.ptr == NULL)
        return stable;
    uint32_t index = gate_table_find(&files->paths, stable);
    bool is_moved = index != GATE_TABLE_NONE && files->items[index].now.len != 0;
    return is_moved ? files->items[index].now : GATE_STR("");
}

/* Set the name of function `i` of a file that moved to the one that it has in the canary. */
static bool moved_name(struct resolving *at, uint32_t i) {
    const struct gate_moved_files *moved = at->table->moved;
    struct gate_str *name = &at->texts.names[i], raw = at->run->input.profile->functions[i].name;
    struct gate_arena *arena = at->table->arena;
    if (!gate_str_equal(raw, anonymous)) {
        *name = gate_moved_files_name(moved, *name, arena);
        return name->ptr != NULL;
    }
    struct gate_str file = moved_path(moved, at->texts.files[i], arena);
    if (file.len != 0)
        *name = anonymous_name(arena, file);
    return file.ptr != NULL && name->ptr != NULL;
}

/* Set names that both sides share: one name for all functions of a minified script of two builds, and the canary's name
 * for a function of a file that moved. */
static bool names_join(struct resolving *at, struct gate_error *err) {
    const struct gate_profile *profile = at->run->input.profile;
    const struct gate_minified *minified = at->table->minified;
    const struct gate_moved_files *moved = at->table->moved;
    for (uint32_t i = 0; moved != NULL && moved->count != 0 && i < profile->function_count; i++)
        if (!moved_name(at, i))
            return gate_arena_error(at->table->arena, err);
    for (uint32_t i = 0; minified != NULL && minified->count != 0 && i < profile->function_count; i++) {
        struct gate_str name = gate_minified_name(minified, &profile->functions[i]);
        if (name.len != 0)
            at->texts.names[i] = name;
    }
    return true;
}

/* Apply the rules of frames.rename to the name of function `i`. */
static bool rename_by_rules(struct gate_str *name, struct resolving *at, uint32_t i, struct gate_error *err) {
    const struct gate_frame_options *options = at->table->options;
    for (uint32_t r = 0; name->ptr != NULL && name->len != 0 && r < options->rename_count; r++)
        *name = gate_regex_replace(options->renames[r].match, *name, options->renames[r].to, at->table->arena);
    return name->ptr != NULL || gate_error_set(err, GATE_ERR_CONFIG, "a rule of frames.rename fails on '%.*s'",
                                               GATE_STR_ARG(at->run->input.profile->functions[i].name));
}

/* Keep the names that this run has, before those of functions, files and packages that moved are replaced. */
static bool names_keep(struct resolving *at, struct gate_error *err) {
    const struct gate_moved_files *moved = at->table->moved;
    const uint32_t count = at->run->input.profile->function_count;
    if ((moved == NULL || moved->count == 0) && at->table->functions == NULL)
        return true;
    at->old_names = GATE_NEW_ARRAY(&at->scratch, struct gate_str, count);
    if (at->old_names == NULL)
        return gate_arena_error(&at->scratch, err);
    for (uint32_t i = 0; i < count; i++) {
        at->old_names[i] = at->texts.names[i];
        if (!rename_by_rules(&at->old_names[i], at, i, err))
            return false;
    }
    return true;
}

/* Rename function `i` by the rules: by its own name if a rule matches that, else by the one that it has in the canary.
 */
static bool rename_either(struct resolving *at, uint32_t i, struct gate_str own, struct gate_error *err) {
    struct gate_str *name = &at->texts.names[i];
    if (at->old_names != NULL && !gate_str_equal(at->old_names[i], own)) {
        *name = at->old_names[i];
        return true;
    }
    return rename_by_rules(name, at, i, err);
}

static bool names_rename(struct resolving *at, struct gate_error *err) {
    const struct gate_profile *profile = at->run->input.profile;
    const struct gate_moved_functions *functions = at->table->functions;
    const uint32_t count = at->table->options->rename_count == 0 ? 0 : profile->function_count;
    struct gate_str *own = GATE_NEW_ARRAY(&at->scratch, struct gate_str, count);
    if (own == NULL && count > 0)
        return gate_arena_error(&at->scratch, err);
    for (uint32_t i = 0; i < count; i++)
        own[i] = at->texts.names[i];
    if (!names_keep(at, err) || !names_join(at, err))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!rename_either(at, i, own[i], err))
            return false;
    for (uint32_t i = 0; functions != NULL && i < profile->function_count; i++)
        at->texts.names[i] = gate_moved_functions_name(functions, at->texts.names[i]);
    return true;
}

/* Give each frame the name that this run has for it, if that was replaced. */
static void frames_set_old_names(struct resolving *at) {
    struct gate_frame_table *table = at->table;
    const struct gate_minified *minified = table->minified;
    for (uint32_t i = 0; at->old_names != NULL && i < at->run->input.profile->function_count; i++) {
        if (gate_str_equal(at->old_names[i], at->texts.names[i]) ||
            (minified != NULL && gate_minified_name(minified, &at->run->input.profile->functions[i]).len != 0))
            continue;
        const uint32_t frame = gate_table_find(&table->names, at->texts.names[i]);
        if (frame != GATE_TABLE_NONE && frame < table->count)
            table->frames[frame].old_name = at->old_names[i];
    }
}

/* Set the file and line of a frame. The canary is added last, so its place is used. If a frame has several places in
 * one run, pair.c uses the one that costs most. */
static void frame_place(struct gate_frame *frame, struct gate_str file, int64_t start_line, int64_t line) {
    if (file.len != 0)
        frame->file = file;
    if (start_line != 0)
        frame->start_line = start_line;
    else if (frame->start_line == 0)
        frame->start_line = line;
}

/* Set the file and line of a function's frame. `is_settled` is set if no other line can add to them. */
static void frame_set_place(struct resolving *at, struct frame_memo *memo, uint32_t function, int64_t line) {
    struct gate_frame *frame = &at->table->frames[memo->frame];
    frame_place(frame, at->texts.files[function], at->run->input.profile->functions[function].start_line, line);
    memo->is_settled = !memo->is_shared && memo->frame < at->functions_count && frame->start_line != 0;
}

/* Store the frame of a function, and the mapping it was found in. */
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
        const struct gate_function *functions = at->run->input.profile->functions;
        if (functions[*function - 1].start_line != functions[source->function_index].start_line)
            at->table->frames[frame].has_places = true;
    }
    *function = source->function_index + 1;
}

/* Find the frame of a line whose function is known. This is the usual case. */
static inline bool frame_known(uint32_t *frame, struct resolving *at, uint32_t mapping, const struct gate_line *line) {
    if (line->function == GATE_NO_INDEX || at->memos == NULL)
        return false;
    struct frame_memo *memo = &at->memos[line->function];
    if (!memo->is_known || memo->mapping != mapping)
        return false;
    *frame = memo->frame;
    if (!memo->is_settled && memo->frame != GATE_NO_INDEX)
        frame_set_place(at, memo, line->function, line->line);
    return true;
}

/* Find or add the frame of one line; `line` NULL: the location has no lines. */
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
    if (!GATE_REGROW(at->table->arena, at->list, at->list_count, at->list_capacity))
        return gate_arena_error(at->table->arena, err);
    at->list[at->list_count++] = number;
    return true;
}

/* Read ahead the functions of locations with one line, in two threads, and store them in frame_of. Locations with
 * several lines, and those outside the first mapping, are rare and get GATE_NO_INDEX. */
static void locations_read(void *context, size_t from, size_t to) {
    struct resolving *at = context;
    for (size_t i = from; i < to; i++) {
        struct gate_line line;
        uint32_t mapping = 0;
        bool is_one = gate_location_one(&mapping, &line, at->run->input.profile, (uint32_t)i) && mapping == 0;
        at->run->frame_of[i] = is_one ? line.function : GATE_NO_INDEX;
    }
}

/* Replace a function that was read ahead by its frame, if the frame is settled. */
static inline bool location_settled(struct resolving *at, uint32_t index) {
    uint32_t *frame = &at->run->frame_of[index];
    if (!at->is_read_ahead || *frame == GATE_NO_INDEX || !at->memos[*frame].is_settled ||
        at->memos[*frame].mapping != 0)
        return false;
    *frame = at->memos[*frame].frame;
    return true;
}

/* Set the frame of a location with one line, if the frame is known. */
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

/* Find the frames of one location, without the first `skip` lines. They are kept as a list if there is not exactly
 * one. */
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

/* Allocate frame_of, behind one unused slot, so that ids which count from 1 can index it directly. */
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
    at->functions = GATE_NEW_ARRAY(&at->scratch, uint32_t, at->functions_count);
    at->memos = GATE_NEW_ARRAY(&at->scratch, struct frame_memo, profile->function_count);
    return (at->functions != NULL && at->memos != NULL) || gate_arena_error(&at->scratch, err);
}

static bool resolving_run(struct resolving *at, struct gate_error *err) {
    const struct gate_profile *profile = at->run->input.profile;
    struct gate_frame_table *table = at->table;
    struct gate_prune_plan plan = {0};
    if (!prune_plan_make(&plan, profile, table->arena, err) || !frames_texts_make(at, err) || !names_rename(at, err) ||
        !resolving_reserve(at, err))
        return false;
    table->language = gate_own_code_language(profile);
    frame_owners_begin(&at->owners, &table->options->own, profile, &at->texts, &at->scratch);
    at->run->prune = plan.action;
    at->is_read_ahead = at->memos != NULL && profile->location_count >= LOCATIONS_WORTH_A_THREAD;
    if (at->is_read_ahead)
        gate_parallel(locations_read, at, profile->location_count, LOCATIONS_WORTH_A_THREAD);
    for (uint32_t i = 0; i < profile->location_count; i++) {
        uint32_t skip = plan.lines_gone == NULL ? 0 : plan.lines_gone[i];
        if ((skip != 0 || !location_known(at, i)) && !frame_location(at, i, skip, err))
            return false;
    }
    frames_set_old_names(at);
    at->run->frame_lists = gate_arena_resize(table->arena, at->list, at->list_capacity * sizeof *at->list,
                                             at->list_count * sizeof *at->list);
    return (at->run->frame_lists != NULL || at->list_count == 0)
               ? frame_owners_classify(&at->owners, at->table->frames, err)
               : gate_arena_error(table->arena, err);
}

bool gate_frame_table_add(struct gate_frame_table *table, struct gate_run *run, struct gate_error *err) {
    struct resolving at = {.table = table, .run = run};
    gate_arena_fork(&at.scratch, table->arena);
    bool ok = resolving_run(&at, err);
    gate_arena_free(&at.scratch);
    return ok;
}
