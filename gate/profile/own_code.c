/* SPDX-License-Identifier: Apache-2.0 */
/* Whose code a frame is (see own_code.h): the rows of own_code_table.c, tried in order. */
#include "gate/profile/own_code.h"

#include "gate/profile/own_code_look.h"

/* C and C++ are inside every other language's profiles, as its runtime: they are the program's language only where the
 * votes for the next best are fewer than one in so many. */
enum { MINORITY = 10 };

static const char *const language_names[GATE_LANGUAGES] = {
    [GATE_LANGUAGE_UNKNOWN] = "an unknown language",
    [GATE_LANGUAGE_GO] = "Go",
    [GATE_LANGUAGE_JVM] = "the JVM",
    [GATE_LANGUAGE_NODE] = "JavaScript",
    [GATE_LANGUAGE_PYTHON] = "Python",
    [GATE_LANGUAGE_RUST] = "Rust",
    [GATE_LANGUAGE_NATIVE] = "C or C++",
};

static const char *const code_names[GATE_CODES] = {
    [GATE_CODE_OWN] = "own",
    [GATE_CODE_THIRD_PARTY] = "third-party",
    [GATE_CODE_LIBRARY] = "library",
};

const char *gate_own_code_language_name(enum gate_language language) {
    return language_names[language];
}

const char *gate_own_code_name(enum gate_code code) {
    return code_names[code];
}

/* The language that a look speaks for, or GATE_LANGUAGES where it speaks for none. `files_only`: names have no say. */
static enum gate_language look_vote(const struct gate_own_code_look *look, bool files_only) {
    for (size_t i = 0; i < gate_own_code_table_vote_count; i++) {
        const struct gate_own_code_vote *vote = &gate_own_code_table_votes[i];
        if (files_only && vote->test.on != GATE_OWN_CODE_ON_FILE)
            break;
        if (gate_own_code_look_fits(look, &vote->test))
            return vote->language;
    }
    return GATE_LANGUAGES;
}

static enum gate_language place_vote(const struct gate_code_place *place) {
    struct gate_own_code_look look;
    gate_own_code_look_at(&look, GATE_LANGUAGE_UNKNOWN, place);
    return look_vote(&look, false);
}

static enum gate_language votes_winner(const uint32_t votes[GATE_LANGUAGES]) {
    enum gate_language best = GATE_LANGUAGE_UNKNOWN;
    uint64_t total = 0;
    for (enum gate_language i = GATE_LANGUAGE_UNKNOWN; i < GATE_LANGUAGES; i++) {
        total += votes[i];
        if (i != GATE_LANGUAGE_NATIVE && votes[i] > votes[best])
            best = i;
    }
    return (uint64_t)votes[best] * MINORITY < total ? GATE_LANGUAGE_NATIVE : best;
}

static enum gate_language profile_language(const struct gate_profile *profile) {
    uint32_t votes[GATE_LANGUAGES + 1] = {0};
    for (uint32_t i = 0; i < profile->function_count; i++) {
        const struct gate_function *function = &profile->functions[i];
        struct gate_code_place place = {.function = function->name, .file = function->file};
        votes[place_vote(&place)]++;
    }
    bool has_voted = votes[GATE_LANGUAGES] < profile->function_count;
    for (uint32_t i = 0; !has_voted && i < profile->mapping_count; i++) {
        struct gate_code_place place = {.mapping = profile->mappings[i].file};
        votes[place_vote(&place)]++;
    }
    return votes_winner(votes);
}

enum gate_language gate_own_code_language(const struct gate_profile *profile) {
    return profile->has_language ? profile->language : profile_language(profile);
}

void gate_own_code_note(struct gate_profile *profile) {
    profile->language = profile_language(profile);
    profile->has_language = true;
}

/* A frame whose file is of another language is judged by that one's rows: Rust in a Python process. Files in C do not
 * change the language, since in the others C is the runtime. */
static enum gate_language place_language(enum gate_language language, const struct gate_code_place *place) {
    struct gate_own_code_look look;
    if (place->file.len == 0)
        return language;
    gate_own_code_look_at_file(&look, place->file);
    enum gate_language own = look_vote(&look, true);
    return own == GATE_LANGUAGES || own == GATE_LANGUAGE_UNKNOWN || own == GATE_LANGUAGE_NATIVE ? language : own;
}

static enum gate_code code_of(enum gate_language language, const struct gate_code_place *place) {
    struct gate_own_code_look look;
    gate_own_code_look_at(&look, language, place);
    for (size_t i = 0; i < gate_own_code_table_row_count; i++) {
        const struct gate_own_code_row *row = &gate_own_code_table_rows[i];
        if ((row->languages & 1u << language) != 0 && gate_own_code_look_fits(&look, &row->test))
            return row->code;
    }
    return GATE_CODE_LIBRARY; /* not reached: the last row of each language fits every frame that has a name */
}

enum gate_code gate_own_code_by(const struct gate_own_code_rows *rows, const struct gate_code_place *place) {
    enum gate_language language = place_language(rows->language, place);
    struct gate_own_code_look look;
    if (language != rows->language)
        return code_of(language, place);
    gate_own_code_look_at(&look, language, place);
    return gate_own_code_rows_code(rows, &look);
}

enum gate_code gate_own_code_of(enum gate_language language, const struct gate_code_place *place) {
    return code_of(place_language(language, place), place);
}

bool gate_own_code_is_own(enum gate_language language, enum gate_code code) {
    return code == GATE_CODE_OWN ||
           (code == GATE_CODE_THIRD_PARTY && (language == GATE_LANGUAGE_GO || language == GATE_LANGUAGE_JVM));
}
