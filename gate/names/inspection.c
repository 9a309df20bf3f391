/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/names/inspection.h"

#include "gate/base/table.h"
#include "gate/formats/format.h"
#include "gate/model/effective_samples.h"
#include "gate/model/incomplete_stacks.h"
#include "gate/model/location.h"
#include "gate/model/profile.h"
#include "gate/model/sample.h"
#include "gate/names/frame_name.h"
#include "gate/names/own_code.h"
#include "gate/names/stable_names.h"

#include <stdlib.h>

/* ---- values of leaves -------------------------------------------------------------------------------------------- */

/** Called with the leaf of a sample and the absolute value of the sample. */
typedef void gate_leaf_visit(void *context, const struct gate_location *leaf, double value);

/**
 * Call `visit` for the leaf of each sample that has a stack, in order, with the absolute value in `column`.
 *
 * total  set to the sum of the absolute values of all samples, including those without a stack
 * err    an error of gate_sample_next
 *
 * O(samples).
 */
static bool leaf_values(double *total, const struct gate_profile *profile, uint32_t column, gate_leaf_visit *visit,
                        void *context, struct gate_error *err) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error why = {0};
    *total = 0;
    gate_sample_begin(&cursor, profile);
    while (gate_sample_next(&cursor, &sample, &why)) {
        uint64_t id = 0;
        uint32_t at = 0;
        double value = column < sample.value_count ? (double)sample.values[column] : 0;
        value = value < 0 ? -value : value;
        *total += value;
        if (!gate_stack_next(sample.stack, &at, &id))
            continue;
        struct gate_location leaf = gate_location_at(profile, gate_location_find(profile, id));
        visit(context, &leaf, value);
    }
    gate_sample_end(&cursor);
    if (why.code != GATE_OK)
        *err = why;
    return why.code == GATE_OK;
}

/* ---- names per mapping ------------------------------------------------------------------------------------------- */

/* State of collecting the files. */
struct mapping_look {
    struct gate_mapping_names *out;
    const struct gate_profile *profile;
    struct gate_arena *arena;
    struct gate_table keys;
    size_t capacity;
    uint32_t *rows; /* index of the file of each mapping; the last entry is for "no mapping" */
};

static uint32_t row_of(struct mapping_look *look, struct gate_str file, struct gate_str build_id) {
    const struct gate_str parts[] = {file, GATE_STR("\n"), build_id};
    struct gate_str key = gate_str_concat(look->arena, parts, 3);
    uint32_t row = key.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&look->keys, key);
    if (row == GATE_TABLE_NONE || row < look->out->count)
        return row;
    if (!GATE_GROW(look->arena, look->out->items, look->out->count, look->capacity))
        return GATE_TABLE_NONE;
    look->out->items[look->out->count++] = (struct gate_mapping_named){.file = file, .build_id = build_id};
    return row;
}

static bool rows_make(struct mapping_look *look) {
    uint32_t count = look->profile->mapping_count;
    look->rows = GATE_NEW_ARRAY(look->arena, uint32_t, (size_t)count + 1);
    if (look->rows == NULL)
        return false;
    for (uint32_t i = 0; i <= count; i++) {
        struct gate_str file = i == count ? GATE_STR("") : look->profile->mappings[i].file;
        struct gate_str build_id = i == count ? GATE_STR("") : look->profile->mappings[i].build_id;
        look->rows[i] = row_of(look, file, build_id);
        if (look->rows[i] == GATE_TABLE_NONE)
            return false;
    }
    return true;
}

static struct gate_mapping_named *named_of(struct mapping_look *look, const struct gate_location *location) {
    uint32_t mapping = location->mapping == GATE_NO_INDEX ? look->profile->mapping_count : location->mapping;
    return &look->out->items[look->rows[mapping]];
}

static void locations_count(struct mapping_look *look) {
    for (uint32_t i = 0; i < look->profile->location_count; i++) {
        struct gate_location location = gate_location_at(look->profile, i);
        struct gate_mapping_named *named = named_of(look, &location);
        bool is_unnamed = location.address != 0 && !gate_location_name_is_known(look->profile, &location);
        named->locations += location.address != 0;
        named->unnamed += is_unnamed;
        look->out->has_unnamed |= is_unnamed;
    }
}

static void leaf_add(void *context, const struct gate_location *leaf, double value) {
    struct mapping_look *look = context;
    struct gate_mapping_named *named = named_of(look, leaf);
    named->share += value;
    named->named += gate_location_name_is_known(look->profile, leaf) ? value : 0;
}

static bool values_add(struct mapping_look *look, uint32_t column, struct gate_error *err) {
    double total = 0;
    bool ok = leaf_values(&total, look->profile, column, leaf_add, look, err);
    for (uint32_t i = 0; i < look->out->count; i++) {
        struct gate_mapping_named *named = &look->out->items[i];
        named->named = named->share > 0 ? named->named / named->share : 0;
        named->share = total > 0 ? named->share / total : 0;
    }
    return ok;
}

static int named_compare(const void *a, const void *b) {
    const struct gate_mapping_named *left = a, *right = b;
    if (left->share != right->share)
        return left->share > right->share ? -1 : 1;
    int order = gate_str_compare(left->file, right->file);
    return order != 0 ? order : gate_str_compare(left->build_id, right->build_id);
}

bool gate_mapping_names_look(struct gate_mapping_names *out, const struct gate_profile *profile, uint32_t column,
                             struct gate_arena *arena, struct gate_error *err) {
    struct mapping_look look = {.out = out, .profile = profile, .arena = arena};
    uint32_t kept = 0;
    *out = (struct gate_mapping_names){0};
    gate_table_init(&look.keys, arena);
    if (!rows_make(&look))
        return gate_arena_error(arena, err);
    locations_count(&look);
    if (!values_add(&look, column, err))
        return false;
    for (uint32_t i = 0; i < out->count; i++)
        if (out->items[i].locations != 0)
            out->items[kept++] = out->items[i];
    out->count = kept;
    if (kept > 1)
        qsort(out->items, kept, sizeof *out->items, named_compare);
    return true;
}

/* ---- short names per script and package -------------------------------------------------------------------------- */

enum { SHORT_BYTES = 2, SHORT_MIN = 3, CALLED = 0 };

#define SHORT_SHARE_MIN 0.1 /* the default limit of the guard 'minified' */

/* State of collecting the places. */
struct short_look {
    struct gate_short_names *out;
    const struct gate_profile *profile;
    struct gate_arena *arena;
    struct gate_table keys;
    size_t capacity;
    uint32_t *rows; /* index of the place of each function; GATE_NO_INDEX: none */
    bool is_jvm;
};

/* Place of a function, and the parts of its name. */
struct short_name {
    struct gate_str place, class_name, name; /* class_name is empty if there is no class */
};

static bool is_letter(char c) {
    return gate_is_letter(c) || c == '_' || c == '$';
}

/* Split "a/b.c_[j]" into package, class and method. */
static bool jvm_split(struct short_name *out, struct gate_str name) {
    size_t end =
        name.len > 4 && name.ptr[name.len - 1] == ']' && name.ptr[name.len - 4] == '_' ? name.len - 4 : name.len;
    size_t dot = end, start;
    while (dot > 0 && name.ptr[dot - 1] != '.')
        dot--;
    for (start = dot == 0 ? 0 : dot - 1; start > 0; start--)
        if (name.ptr[start - 1] == '.' || name.ptr[start - 1] == '/')
            break;
    if (dot < 2)
        return false;
    out->place = gate_str_slice(name, 0, start == 0 ? 0 : start - 1);
    out->class_name = gate_str_slice(name, start, dot - 1);
    out->name = gate_str_slice(name, dot, end);
    return out->class_name.len != 0 && out->name.len != 0 && is_letter(out->class_name.ptr[0]);
}

static bool name_split(struct short_name *out, const struct gate_function *function, bool is_jvm) {
    *out = (struct short_name){function->file, GATE_STR(""), function->name};
    if (function->name.len == 0)
        return false;
    return is_jvm ? jvm_split(out, function->name)
                  : is_letter(function->name.ptr[0]) && gate_name_is_script(function->file);
}

static bool is_short(const struct short_name *name) {
    if (name->class_name.len == 0)
        return gate_name_is_short(name->name);
    bool is_constructor = gate_str_equal(name->name, GATE_STR("<init>"));
    return name->class_name.len <= SHORT_BYTES && (name->name.len <= SHORT_BYTES || is_constructor);
}

static void functions_mark(struct short_look *look) {
    const struct gate_profile *profile = look->profile;
    for (uint32_t i = 0; i < profile->function_count; i++)
        look->rows[i] = GATE_NO_INDEX;
    /* Functions that no location uses are left out, because renaming leaves such functions behind. */
    for (uint32_t i = 0; i < profile->location_count; i++) {
        struct gate_location location = gate_location_at(profile, i);
        struct gate_line_walk lines = gate_location_lines(profile, &location);
        for (struct gate_line line; gate_line_next(&lines, &line);)
            if (line.function != GATE_NO_INDEX)
                look->rows[line.function] = CALLED;
    }
}

static bool functions_count(struct short_look *look) {
    const struct gate_profile *profile = look->profile;
    functions_mark(look);
    for (uint32_t i = 0; i < profile->function_count; i++) {
        struct short_name name;
        if (look->rows[i] != CALLED)
            continue;
        look->rows[i] = GATE_NO_INDEX;
        if (!name_split(&name, &profile->functions[i], look->is_jvm))
            continue;
        uint32_t known = look->keys.count, row = gate_table_intern(&look->keys, name.place);
        if (row == GATE_TABLE_NONE)
            return false;
        if (row == known) {
            if (!GATE_GROW(look->arena, look->out->items, known, look->capacity))
                return false;
            look->out->items[known] = (struct gate_short_named){.place = name.place};
            look->out->count = known + 1;
        }
        look->rows[i] = row;
        look->out->items[row].functions++;
        look->out->items[row].short_count += is_short(&name);
    }
    return true;
}

static void short_names_leaf_add(void *context, const struct gate_location *leaf, double value) {
    struct short_look *look = context;
    uint32_t function = gate_location_leaf(look->profile, leaf);
    if (function == GATE_NO_INDEX || look->rows[function] == GATE_NO_INDEX)
        return;
    struct gate_short_named *place = &look->out->items[look->rows[function]];
    struct short_name name;
    place->share += value;
    if (name_split(&name, &look->profile->functions[function], look->is_jvm) && is_short(&name))
        place->short_share += value;
}

static bool short_names_values_add(struct short_look *look, uint32_t column, struct gate_error *err) {
    double total = 0;
    bool ok = leaf_values(&total, look->profile, column, short_names_leaf_add, look, err);
    for (uint32_t i = 0; i < look->out->count; i++) {
        struct gate_short_named *place = &look->out->items[i];
        place->share = total > 0 ? place->share / total : 0;
        place->short_share = total > 0 ? place->short_share / total : 0;
    }
    return ok;
}

/* Return whether a build shortened the names of a place. In a bundle, methods keep their names, and may be most of the
 * functions. */
static bool is_shortened(const struct gate_short_named *place) {
    bool is_half = place->short_count >= place->functions / 2;
    return place->short_count >= SHORT_MIN && (is_half || place->short_share >= SHORT_SHARE_MIN);
}

static int short_names_named_compare(const void *a, const void *b) {
    const struct gate_short_named *left = a, *right = b;
    if (left->share != right->share)
        return left->share > right->share ? -1 : 1;
    return gate_str_compare(left->place, right->place);
}

bool gate_short_names_look(struct gate_short_names *out, const struct gate_profile *profile, uint32_t column,
                           struct gate_arena *arena, struct gate_error *err) {
    struct short_look look = {
        .out = out, .profile = profile, .arena = arena, .is_jvm = gate_own_code_language(profile) == GATE_LANGUAGE_JVM};
    uint32_t kept = 0;
    *out = (struct gate_short_names){0};
    gate_table_init(&look.keys, arena);
    look.rows = GATE_NEW_ARRAY(arena, uint32_t, profile->function_count);
    if (look.rows == NULL || !functions_count(&look))
        return gate_arena_error(arena, err);
    if (!short_names_values_add(&look, column, err))
        return false;
    for (uint32_t i = 0; i < out->count; i++)
        if (is_shortened(&out->items[i]))
            out->items[kept++] = out->items[i];
    out->count = kept;
    if (kept > 1)
        qsort(out->items, kept, sizeof *out->items, short_names_named_compare);
    return true;
}

/* ---- inspection -------------------------------------------------------------------------------------------------- */

/* Oddities in the order of the report. */
enum oddity {
    ODD_NO_SAMPLES,
    ODD_SAVED_DIFF,
    ODD_NEGATIVE,
    ODD_ZERO,
    ODD_EMPTY_STACK,
    ODD_CUT_32,
    ODD_CUT_64,
    ODD_CUT_127,
    ODD_CUT_128,
    ODD_RECURSIVE,
    ODD_UNSYMBOLISED,
    ODD_STACKS_LOST,
    ODD_STACKS_ALONE,
    ODD_FRAME_POINTERS,
    ODD_WAITING,
    ODD_NO_MAPPING,
    ODD_NO_ADDRESS,
    ODD_DROP_FRAMES,
    ODD_BOTH_CODES,
    ODD_PACKAGE_FILES,
    ODD_NO_PERIOD,
    ODD_NO_DURATION,
    ODD_COUNT
};

/* stacks of one frame are an oddity if they are at least 1 in ALONE_RATIO and some stack is at least
 * DEPTH_OF_CALLERS deep */
enum { DEPTH_OF_CALLERS = 3, ALONE_RATIO = 10 };

#define CUT_TEXT "stacks as deep as the deepest that begin where no shorter one does: cut there, so roots misalign"

static const struct gate_oddity oddity_texts[ODD_COUNT] = {
    [ODD_NO_SAMPLES] = {"no-samples", 0, "it holds no samples"},
    [ODD_SAVED_DIFF] = {"saved-diff", 0, "it is a saved diff: give check the two profiles it was made from"},
    [ODD_NEGATIVE] = {"negative-values", 0, "samples with a negative value, as diffs and delta profiles have"},
    [ODD_ZERO] = {"zero-values", 0, "samples whose values are all zero"},
    [ODD_EMPTY_STACK] = {"empty-stacks", 0, "samples without a stack: they count in totals and have no frame"},
    [ODD_CUT_32] = {"cut-at-32", 0, CUT_TEXT},
    [ODD_CUT_64] = {"cut-at-64", 0, CUT_TEXT},
    [ODD_CUT_127] = {"cut-at-127", 0, CUT_TEXT},
    [ODD_CUT_128] = {"cut-at-128", 0, CUT_TEXT},
    [ODD_RECURSIVE] = {"recursive", 0, "samples whose stack contains a location twice: cumulative counts it once"},
    [ODD_UNSYMBOLISED] = {"unsymbolised", 0,
                          "locations without a function's name: they show as their mapping, or --symbols names them"},
    [ODD_STACKS_LOST] = {"stacks-end-nowhere", 0,
                         "samples whose stack ends in code of no file ([unknown]): their callers are lost, and symbols "
                         "cannot restore them; build with -fno-omit-frame-pointer, or record by DWARF"},
    [ODD_STACKS_ALONE] = {"stacks-of-one", 0,
                          "samples of a single frame, where others have callers: the profiler could not walk them; "
                          "build with -fno-omit-frame-pointer, or record by DWARF"},
    [ODD_FRAME_POINTERS] = {"frame-pointers", 0,
                            "per cent of the profile are leaves in shared libraries. Stacks by frame pointers lack the "
                            "caller of a function that keeps none, as memset, so a caller further up may be blamed: "
                            "record with --call-graph dwarf or lbr, and give what `perf script` prints"},
    [ODD_NO_MAPPING] = {"no-mapping", 0, "locations without a mapping"},
    [ODD_NO_ADDRESS] = {"no-address", 0, "locations without an address, as interpreters write them"},
    [ODD_DROP_FRAMES] = {"drop-frames", 0, "the profile wants frames to be dropped (drop_frames)"},
    [ODD_WAITING] = {"waiting", 0,
                     "per cent of the profile are threads that wait (select, accept, threading.wait) and count as cost "
                     "of what waits: record with py-spy record --gil"},
    [ODD_BOTH_CODES] = {"own-and-library", 0,
                        "names of your own code in one file and of a library in another: each counts as own, unless "
                        "'own' in the rules decides otherwise"},
    [ODD_PACKAGE_FILES] = {"package-files", 0,
                           "functions of third-party packages of Go by files of other folders (an inlined closure, "
                           "<autogenerated>): most functions of their packages decide, so each counts as third-party"},
    [ODD_NO_PERIOD] = {"no-period", 0, "no sampling period"},
    [ODD_NO_DURATION] = {"no-duration", 0, "no duration"},
};

/* State of an inspection. */
struct inspect {
    struct gate_inspection *out;
    const struct gate_profile *profile;
    struct gate_arena *arena;
    uint64_t odd[ODD_COUNT];
    struct gate_table label_keys;
    size_t label_capacity;
    double *symbolised; /* sum of |value| per sample type */
    double *absolute;
    struct gate_cut_stacks cut;
    uint32_t *seen; /* per location: the last sample that contains it */
    uint32_t stamp;
};

/* ---- producer ---------------------------------------------------------------------------------------------------- */

struct inspect_language {
    const char *name;
    const char *endings[8];
};

/* Endings of source files. The language with most functions wins; with equal counts, the earlier row. */
static const struct inspect_language languages[] = {
    {"Go", {".go", NULL}},
    {"Rust", {".rs", NULL}},
    {"JVM", {".java", ".kt", ".scala", ".groovy", NULL}},
    {"JavaScript", {".js", ".mjs", ".cjs", ".ts", ".tsx", NULL}},
    {"Python", {".py", ".pyx", NULL}},
    {"C++", {".cc", ".cpp", ".cxx", ".hpp", ".hh", NULL}},
    {"C", {".c", ".h", NULL}},
    {"Ruby", {".rb", NULL}},
    {"PHP", {".php", NULL}},
    {".NET", {".cs", ".fs", ".vb", NULL}},
    {"Julia", {".jl", NULL}},
};

enum { LANGUAGE_COUNT = sizeof languages / sizeof languages[0] };

static bool language_has(const struct inspect_language *language, struct gate_str file) {
    for (int i = 0; language->endings[i] != NULL; i++)
        if (gate_str_ends(file, gate_str_from(language->endings[i])))
            return true;
    return false;
}

static void inspect_language(struct inspect *look) {
    uint32_t counts[LANGUAGE_COUNT] = {0};
    for (uint32_t i = 0; i < look->profile->function_count; i++)
        for (int l = 0; l < LANGUAGE_COUNT; l++)
            if (language_has(&languages[l], look->profile->functions[i].file)) {
                counts[l]++;
                break;
            }
    int best = 0;
    for (int l = 1; l < LANGUAGE_COUNT; l++)
        if (counts[l] > counts[best])
            best = l;
    if (counts[best] != 0)
        look->out->language = gate_str_from(languages[best].name);
    /* In a Rust program without line tables, only functions of the C library have files. */
    if (gate_own_code_language(look->profile) == GATE_LANGUAGE_RUST)
        look->out->language = GATE_STR("Rust");
}

static bool has_type(const struct gate_profile *profile, const char *type, const char *unit) {
    return gate_sample_type_column(profile, gate_str_from(type), gate_str_from(unit)) != GATE_NO_INDEX;
}

static void inspect_producer(struct inspect *look) {
    const struct gate_profile *profile = look->profile;
    bool go = gate_str_equal(look->out->language, GATE_STR("Go"));
    const char *guess = "";
    if (profile->format != GATE_FORMAT_PPROF)
        guess = gate_format_name(profile->format);
    else if (has_type(profile, "inuse_space", "bytes") && (go || profile->function_count == 0))
        guess = "Go runtime, heap";
    else if (has_type(profile, "contentions", "count") && go)
        guess = "Go runtime, mutex or block";
    else if (has_type(profile, "goroutine", "count"))
        guess = "Go runtime, goroutines";
    else if (has_type(profile, "samples", "count") && has_type(profile, "cpu", "nanoseconds"))
        guess = go ? "Go runtime, CPU" : "unknown (CPU samples in pprof's format)";
    else if (has_type(profile, "sample", "count") && has_type(profile, "wall", "nanoseconds"))
        guess = "Node.js wall sampler";
    else if (has_type(profile, "cpu-time", "nanoseconds") || has_type(profile, "wall-time", "nanoseconds"))
        guess = "libdatadog";
    look->out->producer = gate_str_from(guess);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Count the names that own and library functions share. A comparison, which matches by name, counts these as own. */
static bool inspect_codes(struct inspect *look, struct gate_error *err) {
    enum { OWN = 1, LIBRARY = 2 };
    const struct gate_profile *profile = look->profile;
    enum gate_language language = gate_own_code_language(profile);
    struct gate_table names;
    uint8_t *codes = GATE_NEW_ARRAY(look->arena, uint8_t, profile->function_count);
    if (codes == NULL)
        return gate_arena_error(look->arena, err);
    gate_table_init(&names, look->arena);
    for (uint32_t i = 0; i < profile->function_count; i++) {
        const struct gate_function *function = &profile->functions[i];
        const struct gate_code_place place = {.function = function->name, .file = function->file};
        struct gate_str stable = gate_name_stable(look->arena, function->name);
        struct gate_str name =
            stable.ptr == NULL ? stable : gate_name_with_package(look->arena, stable, function->file);
        uint32_t at = name.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&names, name);
        if (at == GATE_TABLE_NONE)
            return gate_arena_error(look->arena, err);
        if (function->name.len == 0 ||
            function->file.len == 0) /* without a file, own and library code of one name cannot be distinguished */
            continue;
        codes[at] |= gate_own_code_is_own(language, gate_own_code_of(language, &place)) ? OWN : LIBRARY;
    }
    for (uint32_t i = 0; i < profile->function_count; i++)
        look->odd[ODD_BOTH_CODES] += codes[i] == (OWN | LIBRARY);
    return true;
}

/* Count the functions of Go that are third-party because most of their package is, although their file is not. */
static bool inspect_packages(struct inspect *look, struct gate_error *err) {
    const struct gate_profile *profile = look->profile;
    struct gate_package_votes votes;
    if (gate_own_code_language(profile) != GATE_LANGUAGE_GO)
        return true;
    uint8_t *codes = GATE_NEW_ARRAY(look->arena, uint8_t, profile->function_count);
    if (codes == NULL)
        return gate_arena_error(look->arena, err);
    gate_package_votes_init(&votes, look->arena);
    for (uint32_t i = 0; i < profile->function_count; i++) {
        const struct gate_function *function = &profile->functions[i];
        const struct gate_code_place place = {.function = function->name, .file = function->file};
        codes[i] = (uint8_t)gate_own_code_of(GATE_LANGUAGE_GO, &place);
        if (!gate_package_votes_add(&votes, function, (enum gate_code)codes[i]))
            return gate_arena_error(look->arena, err);
    }
    for (uint32_t i = 0; i < profile->function_count; i++)
        look->odd[ODD_PACKAGE_FILES] +=
            gate_package_votes_overrule(&votes, &profile->functions[i], (enum gate_code)codes[i]);
    return true;
}

static bool inspect_names(struct inspect *look, struct gate_error *err) {
    for (uint32_t i = 0; i < look->profile->function_count; i++) {
        struct gate_str name = look->profile->functions[i].name;
        struct gate_str stable = gate_name_stable(look->arena, name);
        if (stable.ptr == NULL)
            return gate_arena_error(look->arena, err);
        if (gate_str_equal(name, stable))
            continue;
        if (look->out->renamed < GATE_INSPECTION_EXAMPLES)
            look->out->names[look->out->renamed] = (struct gate_inspected_name){name, stable};
        look->out->renamed++;
    }
    return true;
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static bool inspect_label(struct inspect *look, const struct gate_label *label, struct gate_error *err) {
    struct gate_inspection *out = look->out;
    uint32_t index = gate_table_intern(&look->label_keys, label->key);
    if (index == GATE_TABLE_NONE || !GATE_GROW(look->arena, out->labels, out->label_count, look->label_capacity))
        return gate_arena_error(look->arena, err);
    if (index == out->label_count) {
        out->labels[out->label_count++] =
            (struct gate_inspected_label){.key = label->key, .is_number = label->text.ptr == NULL};
        gate_table_init(&out->labels[index].values, look->arena);
    }
    struct gate_inspected_label *known = &out->labels[index];
    known->sample_count++;
    struct gate_str value = label->text;
    if (value.ptr == NULL)
        value = gate_str_format(look->arena, "%lld%s%.*s", (long long)label->number, label->unit.len == 0 ? "" : " ",
                                GATE_STR_ARG(label->unit));
    if (value.ptr == NULL)
        return gate_arena_error(look->arena, err);
    if (gate_table_find(&known->values, value) != GATE_TABLE_NONE)
        return true;
    if (known->values.count == GATE_INSPECTION_VALUES) {
        known->has_more = true;
        return true;
    }
    return gate_table_intern(&known->values, value) != GATE_TABLE_NONE || gate_arena_error(look->arena, err);
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

static bool is_named(const struct gate_profile *profile, uint32_t index) {
    struct gate_location location = gate_location_at(profile, index);
    return gate_location_name_is_known(profile, &location);
}

/* Inspect a stack. A stack is recursive if it contains a location twice. Returns true if the leaf has a name. */
static bool inspect_stack(struct inspect *look, const struct gate_sample *sample) {
    uint32_t at = 0;
    uint64_t id = 0;
    bool symbolised = false;
    bool recursive = false;
    look->stamp++;
    for (uint32_t i = 0; gate_stack_next(sample->stack, &at, &id); i++) {
        uint32_t index = gate_location_find(look->profile, id);
        if (i == 0)
            symbolised = is_named(look->profile, index);
        recursive = recursive || look->seen[index] == look->stamp;
        look->seen[index] = look->stamp;
    }
    look->odd[ODD_RECURSIVE] += recursive;
    look->odd[ODD_EMPTY_STACK] += sample->stack.len == 0;
    enum gate_unwinding unwinding = gate_unwinding_look(look->profile, sample->stack);
    look->odd[ODD_STACKS_LOST] += unwinding == GATE_UNWINDING_LOST;
    look->odd[ODD_STACKS_ALONE] += unwinding == GATE_UNWINDING_ALONE;
    gate_cut_stacks_add(&look->cut, sample->stack, 0.0);
    return symbolised;
}

static void inspect_values(struct inspect *look, const struct gate_sample *sample, bool symbolised) {
    bool negative = false;
    bool zero = true;
    for (uint32_t i = 0; i < look->profile->sample_type_count; i++) {
        struct gate_inspected_type *type = &look->out->types[i];
        int64_t value = sample->values[i];
        double absolute = value < 0 ? -(double)value : (double)value;
        double events = 0;
        double weight_sq = 0;
        type->total = gate_profile_add_saturated(type->total, value);
        type->non_zero += value != 0;
        negative = negative || value < 0;
        zero = zero && value == 0;
        look->absolute[i] += absolute;
        if (symbolised)
            look->symbolised[i] += absolute;
        gate_counts_of(&type->counts, sample->values, &events, &weight_sq);
        type->events += events;
    }
    look->odd[ODD_NEGATIVE] += negative;
    look->odd[ODD_ZERO] += zero;
}

static bool inspect_samples(struct inspect *look, struct gate_error *err) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    bool ok = true;
    gate_sample_begin(&cursor, look->profile);
    while (ok && gate_sample_next(&cursor, &sample, err)) {
        inspect_values(look, &sample, inspect_stack(look, &sample));
        struct gate_label_walk walk = gate_labels_of(&cursor);
        struct gate_label label;
        while (ok && sample.label_count != 0 && gate_labels_next(&walk, &label))
            ok = inspect_label(look, &label, err);
    }
    gate_sample_end(&cursor);
    return ok && err->code == GATE_OK;
}

static enum oddity oddity_of_cut(uint32_t depth) {
    return depth == 32 ? ODD_CUT_32 : depth == 64 ? ODD_CUT_64 : depth == 127 ? ODD_CUT_127 : ODD_CUT_128;
}

/* State of adding up the values of leaves of one kind. */
struct share_look {
    const struct gate_profile *profile;
    double value;
};

/* Return the value in per cent of the total, or 0 if it is at most 10%. That is also the limit of the guard
 * `waiting`. */
static uint64_t per_cent_if_much(double value, double total) {
    return total > 0.0 && value / total > 0.1 ? (uint64_t)(value / total * 100.0 + 0.5) : 0;
}

static void library_leaf_add(void *context, const struct gate_location *leaf, double value) {
    struct share_look *look = context;
    if (leaf->mapping != GATE_NO_INDEX && gate_is_shared_library(look->profile->mappings[leaf->mapping].file))
        look->value += value;
}

/* Set the share of cost at leaves in shared libraries, whose callers may be missing from stacks by frame pointers.
 * perf.data files are only read if their stacks are by frame pointers. The text of `perf script` does not contain the
 * method. */
static bool inspect_frame_pointers(struct inspect *look, struct gate_error *err) {
    struct share_look library = {.profile = look->profile};
    double total = 0.0;
    if (look->profile->format != GATE_FORMAT_PERF_DATA || look->profile->max_depth < DEPTH_OF_CALLERS)
        return true;
    if (!leaf_values(&total, look->profile, look->out->default_type, library_leaf_add, &library, err))
        return false;
    look->odd[ODD_FRAME_POINTERS] = per_cent_if_much(library.value, total);
    return true;
}

static void waiting_leaf_add(void *context, const struct gate_location *leaf, double value) {
    struct share_look *look = context;
    uint32_t function = gate_location_leaf(look->profile, leaf);
    if (function != GATE_NO_INDEX &&
        gate_name_waits(look->profile->functions[function].name, look->profile->functions[function].file))
        look->value += value;
}

static bool inspect_waiting(struct inspect *look, struct gate_error *err) {
    struct share_look waiting = {.profile = look->profile};
    double total = 0.0;
    if (!gate_profile_counts_preempted(look->profile, GATE_LANGUAGE_PYTHON) ||
        gate_own_code_language(look->profile) != GATE_LANGUAGE_PYTHON)
        return true;
    if (!leaf_values(&total, look->profile, look->out->default_type, waiting_leaf_add, &waiting, err))
        return false;
    look->odd[ODD_WAITING] = per_cent_if_much(waiting.value, total);
    return true;
}

static void inspect_oddities(struct inspect *look) {
    const struct gate_profile *profile = look->profile;
    double value = 0.0;
    uint32_t depth = 0, cut = gate_cut_stacks_count(&look->cut, &value, &depth);
    look->odd[oddity_of_cut(depth)] = cut;
    for (uint32_t i = 0; i < profile->location_count; i++) {
        struct gate_location location = gate_location_at(profile, i);
        look->odd[ODD_UNSYMBOLISED] += !gate_location_name_is_known(profile, &location);
        look->odd[ODD_NO_MAPPING] += location.mapping == GATE_NO_INDEX;
        look->odd[ODD_NO_ADDRESS] += location.address == 0;
    }
    look->odd[ODD_NO_SAMPLES] = profile->sample_count == 0;
    look->odd[ODD_SAVED_DIFF] = profile->is_saved_diff;
    look->odd[ODD_DROP_FRAMES] = profile->drop_frames.len != 0;
    look->odd[ODD_NO_PERIOD] = profile->period == 0;
    look->odd[ODD_NO_DURATION] = profile->duration_ns == 0;
    if (profile->max_depth < DEPTH_OF_CALLERS || look->odd[ODD_STACKS_ALONE] * ALONE_RATIO < profile->sample_count)
        look->odd[ODD_STACKS_ALONE] = 0; /* a few stacks with one frame are normal */
    for (int i = 0; i < ODD_COUNT; i++) {
        if (look->odd[i] == 0)
            continue;
        struct gate_oddity *odd = &look->out->oddities[look->out->oddity_count++];
        *odd = oddity_texts[i];
        odd->count = look->odd[i];
    }
}

bool gate_profile_inspect(struct gate_inspection *out, const struct gate_profile *profile,
                          const struct gate_counts_options *options, struct gate_arena *arena, struct gate_error *err) {
    struct inspect look = {.out = out, .profile = profile, .arena = arena};
    size_t types = (size_t)profile->sample_type_count + 1;
    *out = (struct gate_inspection){.types = GATE_NEW_ARRAY(arena, struct gate_inspected_type, types)};
    look.symbolised = GATE_NEW_ARRAY(arena, double, types);
    look.absolute = GATE_NEW_ARRAY(arena, double, types);
    look.seen = GATE_NEW_ARRAY(arena, uint32_t, profile->location_count);
    if (out->types == NULL || look.symbolised == NULL || look.absolute == NULL || look.seen == NULL)
        return gate_arena_error(arena, err);
    gate_table_init(&look.label_keys, arena);
    for (uint32_t i = 0; i < profile->sample_type_count; i++) {
        out->types[i].type = profile->sample_types[i];
        out->types[i].counts = gate_counts_choose(profile, i, options);
    }
    struct gate_error ignored = {0};
    if (!gate_sample_type_find(&out->default_type, profile, GATE_STR(""), &ignored))
        out->default_type = 0;
    inspect_language(&look);
    inspect_producer(&look);
    if (!gate_mapping_names_look(&out->mappings, profile, out->default_type, arena, err) ||
        !gate_short_names_look(&out->shorts, profile, out->default_type, arena, err) ||
        !gate_cut_stacks_begin(&look.cut, profile, gate_own_code_language(profile) == GATE_LANGUAGE_GO, arena, err) ||
        !inspect_names(&look, err) || !inspect_waiting(&look, err) || !inspect_frame_pointers(&look, err) ||
        !inspect_codes(&look, err) || !inspect_packages(&look, err) || !inspect_samples(&look, err))
        return false;
    for (uint32_t i = 0; i < profile->sample_type_count; i++)
        out->types[i].symbolised = look.absolute[i] > 0 ? look.symbolised[i] / look.absolute[i] : 0;
    inspect_oddities(&look);
    return true;
}
