/* SPDX-License-Identifier: Apache-2.0 */
/* What arrived (see arrival.h). */
#include "gate/capture/arrival.h"

#include "gate/guards/build_facts.h"

static bool has_type(const struct gate_profile *profile, const char *type) {
    for (uint32_t i = 0; i < profile->sample_type_count; i++)
        if (gate_str_equal(profile->sample_types[i].type, gate_str_from(type)))
            return true;
    return false;
}

/* Other runtimes have types of their own: only what is plainly of another kind is refused. */
static bool type_check(const struct gate_profile *profile, enum gate_capture_kind kind, struct gate_error *err) {
    const struct gate_capture_kind_row *row = gate_capture_kind_row(kind);
    for (size_t i = 0; row->types[i] != NULL; i++)
        if (has_type(profile, row->types[i]))
            return true;
    /* What it shows by itself says best what it is: heap and allocs have the same types. */
    uint32_t own = 0;
    struct gate_error ignored = {0};
    if (!gate_sample_type_find(&own, profile, GATE_STR(""), &ignored))
        own = 0;
    for (uint32_t i = 0; i < profile->sample_type_count; i++) {
        struct gate_str type = profile->sample_types[(own + i) % profile->sample_type_count].type;
        enum gate_capture_kind other = gate_capture_kind_of_type(type);
        if (other != GATE_CAPTURE_KINDS)
            return gate_error_set(err, GATE_ERR_INPUT,
                                  "this is a profile of the kind '%s' (it counts '%.*s'), and '%s' was asked for",
                                  gate_capture_kind_words[other], GATE_STR_ARG(type), row->name);
    }
    return true;
}

static bool values_check(const struct gate_profile *profile, enum gate_capture_kind kind, struct gate_error *err) {
    const struct gate_capture_kind_row *row = gate_capture_kind_row(kind);
    if (profile->sample_count == 0)
        return gate_error_set(err, GATE_ERR_INPUT, "the %s profile has no samples: %s", row->name, row->when_empty);
    if (profile->is_saved_diff)
        return gate_error_set(err, GATE_ERR_INPUT, "this is a difference of two profiles, which cannot be compared");
    if (profile->has_negative_values && kind == GATE_CAPTURE_HEAP)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "this heap has values below zero: it is a difference of two moments; ask for it without "
                              "'seconds'");
    return true;
}

static bool is_page(struct gate_str bytes) {
    struct gate_str start = gate_str_trim(gate_str_slice(bytes, 0, 64));
    return start.len > 0 && start.ptr[0] == '<';
}

static struct gate_str build_of(const struct gate_profile *profile, struct gate_arena *arena) {
    struct gate_build_facts facts = {0};
    if (profile->mapping_count > 0 && profile->mappings[0].build_id.len > 0)
        return gate_str_copy(arena, profile->mappings[0].build_id);
    gate_build_facts_read(&facts, profile);
    return gate_str_copy(arena, facts.version.len > 0 ? facts.version : GATE_STR(""));
}

static const char *extension_of(const struct gate_profile *profile) {
    static const char *const packed[] = {
        [GATE_CONTAINER_RAW] = ".pb", [GATE_CONTAINER_GZIP] = ".pb.gz", [GATE_CONTAINER_ZSTD] = ".pb.zst"};
    return profile->format == GATE_FORMAT_PPROF ? packed[profile->container] : ".profile";
}

bool gate_arrival_check(struct gate_arrival *out, struct gate_str bytes, enum gate_capture_kind kind,
                        const struct gate_limits *limits, struct gate_arena *arena, struct gate_error *err) {
    struct gate_arena scratch;
    struct gate_profile profile;
    if (bytes.len == 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "the answer is empty; is this the address of a profile?");
    if (is_page(bytes))
        return gate_error_set(
            err, GATE_ERR_FORMAT,
            "the answer is a web page and not a profile: is the path right, or does it want a login?");
    gate_arena_fork(&scratch, arena);
    bool ok = gate_profile_load(&profile, bytes, limits, &scratch, err) && type_check(&profile, kind, err) &&
              values_check(&profile, kind, err);
    if (ok) {
        *out = (struct gate_arrival){build_of(&profile, arena), extension_of(&profile)};
        ok = out->build.ptr != NULL || gate_arena_error(arena, err);
    }
    gate_arena_free(&scratch);
    return ok;
}
