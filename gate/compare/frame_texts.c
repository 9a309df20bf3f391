/* SPDX-License-Identifier: Apache-2.0 */
/* Names and files of functions (see frame_texts.h). */
#include "gate/compare/frame_texts.h"

#include "gate/base/parallel.h"
#include "gate/profile/address_name.h"
#include "gate/profile/file_path.h"
#include "gate/profile/name_stable.h"

enum { FUNCTIONS_WORTH_A_THREAD = 2048 };

/* Some of the functions, in an arena of its own. */
struct texts_part {
    const struct gate_frame_texts *out;
    const struct gate_profile *profile;
    uint32_t from, to;
    bool exact_names;
    const struct gate_table *known; /* stable names; or NULL */
    struct gate_arena arena;
    bool ok;
};

static uint32_t known_find(const struct gate_table *known, struct gate_str name) {
    bool is_stable = name.len != 0 && name.ptr[0] != '[' && name.ptr[0] != '<';
    return is_stable ? gate_table_find(known, name) : GATE_TABLE_NONE;
}

static bool texts_of(struct texts_part *part, uint32_t i) {
    const struct gate_function *function = &part->profile->functions[i];
    struct gate_str name = function->name;
    if (gate_address_name_is(name)) /* the same code has another one in the next build */
        name = GATE_STR("");
    bool is_final = part->exact_names;
    if (part->known != NULL) {
        part->out->known[i] = known_find(part->known, name);
        is_final |= part->out->known[i] != GATE_TABLE_NONE;
    }
    part->out->names[i] = is_final ? name : gate_name_stable(&part->arena, name);
    part->out->files[i] = function->file.len == 0 ? GATE_STR("") : gate_file_path_clean(&part->arena, function->file);
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
    out->names = GATE_NEW_ARRAY(scratch, struct gate_str, (size_t)count + 1);
    out->files = GATE_NEW_ARRAY(scratch, struct gate_str, (size_t)count + 1);
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
