/* SPDX-License-Identifier: Apache-2.0 */
/* Whose code frames are (see frame_owners.h). */
#include "gate/compare/frame_owners.h"

#include "gate/base/parallel.h"
#include "gate/profile/name.h"

void gate_frame_owners_begin(struct gate_frame_owners *owners, const struct gate_own_options *options,
                             const struct gate_profile *profile, const struct gate_frame_texts *texts,
                             struct gate_arena *scratch) {
    *owners = (struct gate_frame_owners){.options = options, .profile = profile, .texts = texts, .scratch = scratch};
    gate_own_code_rows_of(&owners->rows, gate_own_code_language(profile));
}

bool gate_frame_owners_ask(struct gate_frame_owners *owners, const struct gate_frame_question *question,
                           struct gate_error *err) {
    struct gate_frame_question *questions =
        gate_arena_regrow(owners->scratch, owners->questions, owners->count, &owners->capacity, sizeof *questions);
    if (questions == NULL)
        return gate_arena_error(owners->scratch, err);
    owners->questions = questions;
    questions[owners->count++] = *question;
    return true;
}

/* As the profile has it. */
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
        question->code = (uint8_t)gate_own_code_by(&owners->rows, &place);
        if (question->is_new && question->function != GATE_NO_INDEX)
            owners->frames[question->frame].is_runtime = gate_name_is_runtime(owners->texts->names[question->function]);
    }
}

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
           gate_own_code_is_own(owners->rows.language, (enum gate_code)question->code);
}

bool gate_frame_owners_answer(struct gate_frame_owners *owners, struct gate_frame *frames, struct gate_error *err) {
    bool ok = true;
    owners->frames = frames;
    gate_parallel(questions_look, owners, owners->count, GATE_FRAME_OWNERS_WORTH_A_THREAD);
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
