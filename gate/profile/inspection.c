/* SPDX-License-Identifier: Apache-2.0 */
/* What one profile is (see inspection.h). */
#include "gate/profile/inspection.h"

#include "gate/profile/cut_stacks.h"
#include "gate/profile/format.h"
#include "gate/profile/location.h"
#include "gate/profile/location_name.h"
#include "gate/profile/name_stable.h"
#include "gate/profile/sample.h"
#include "gate/profile/unwinding.h"

/* How often something odd was met; the order is that of the report. */
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
    ODD_NO_MAPPING,
    ODD_NO_ADDRESS,
    ODD_DROP_FRAMES,
    ODD_NO_PERIOD,
    ODD_NO_DURATION,
    ODD_COUNT
};

enum { DEPTH_OF_CALLERS = 3, ALONE_RATIO = 10 }; /* stacks of one frame are odd where a tenth is, beside deep ones */

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
    [ODD_RECURSIVE] = {"recursive", 0, "samples whose stack holds a location twice: cumulative counts it once"},
    [ODD_UNSYMBOLISED] = {"unsymbolised", 0,
                          "locations without a function's name: they show as their mapping, or --symbols names them"},
    [ODD_STACKS_LOST] = {"stacks-end-nowhere", 0,
                         "samples whose stack ends in code of no file ([unknown]): their callers are lost, and symbols "
                         "do not bring them back; build with -fno-omit-frame-pointer, or record by DWARF"},
    [ODD_STACKS_ALONE] = {"stacks-of-one", 0,
                          "samples of a single frame, where others have callers: the profiler could not walk them; "
                          "build with -fno-omit-frame-pointer, or record by DWARF"},
    [ODD_NO_MAPPING] = {"no-mapping", 0, "locations without a mapping"},
    [ODD_NO_ADDRESS] = {"no-address", 0, "locations without an address, as interpreters write them"},
    [ODD_DROP_FRAMES] = {"drop-frames", 0, "the profile asks for frames to be dropped (drop_frames)"},
    [ODD_NO_PERIOD] = {"no-period", 0, "no sampling period"},
    [ODD_NO_DURATION] = {"no-duration", 0, "no duration"},
};

/* State of one look. */
struct inspect {
    struct gate_inspection *out;
    const struct gate_profile *profile;
    struct gate_arena *arena;
    uint64_t odd[ODD_COUNT];
    struct gate_table label_keys;
    size_t label_capacity;
    double *symbolised; /* a sum of |value| per type */
    double *absolute;
    struct gate_cut_stacks cut;
    uint32_t *seen; /* a stamp a location */
    uint32_t stamp;
};

/* ---- who wrote it ------------------------------------------------------------------------------------------------ */

struct inspect_language {
    const char *name;
    const char *endings[8];
};

/* By the endings of source files; the language with the most functions wins, the earlier row where equal. */
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
}

static bool has_type(const struct gate_profile *profile, const char *type, const char *unit) {
    for (uint32_t i = 0; i < profile->sample_type_count; i++)
        if (gate_str_equal(profile->sample_types[i].type, gate_str_from(type)) &&
            gate_str_equal(profile->sample_types[i].unit, gate_str_from(unit)))
            return true;
    return false;
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
        guess = go ? "Go runtime, CPU" : "a CPU sampler with Go's columns";
    else if (has_type(profile, "sample", "count") && has_type(profile, "wall", "nanoseconds"))
        guess = "Node.js wall sampler";
    else if (has_type(profile, "cpu-time", "nanoseconds") || has_type(profile, "wall-time", "nanoseconds"))
        guess = "libdatadog";
    look->out->producer = gate_str_from(guess);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

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
    struct gate_inspected_label *labels =
        gate_arena_grow(look->arena, out->labels, out->label_count, &look->label_capacity, sizeof *labels);
    if (index == GATE_TABLE_NONE || labels == NULL)
        return gate_arena_error(look->arena, err);
    out->labels = labels;
    if (index == out->label_count) {
        labels[out->label_count++] =
            (struct gate_inspected_label){.key = label->key, .is_number = label->text.ptr == NULL};
        gate_table_init(&labels[index].values, look->arena);
    }
    struct gate_inspected_label *known = &labels[index];
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

/* Recursion is a location met twice. Returns whether the leaf has a name. */
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
    gate_cut_stacks_add(&look->cut, sample->stack, gate_stack_depth(sample->stack), 0.0);
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

static void inspect_oddities(struct inspect *look) {
    const struct gate_profile *profile = look->profile;
    double value = 0.0;
    look->odd[oddity_of_cut(look->cut.depth)] = gate_cut_stacks_count(&look->cut, &value);
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
        look->odd[ODD_STACKS_ALONE] = 0; /* some stacks are one frame deep */
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
    look.seen = GATE_NEW_ARRAY(arena, uint32_t, (size_t)profile->location_count + 1);
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
        !gate_cut_stacks_begin(&look.cut, profile, arena, err) || !inspect_names(&look, err) ||
        !inspect_samples(&look, err))
        return false;
    for (uint32_t i = 0; i < profile->sample_type_count; i++)
        out->types[i].symbolised = look.absolute[i] > 0 ? look.symbolised[i] / look.absolute[i] : 0;
    inspect_oddities(&look);
    return true;
}
