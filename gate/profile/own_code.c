/* SPDX-License-Identifier: Apache-2.0 */
/* Whose code a frame is (see own_code.h). */
#include "gate/profile/own_code.h"

static const char *const language_names[GATE_LANGUAGES] = {
    [GATE_LANGUAGE_UNKNOWN] = "an unknown language", [GATE_LANGUAGE_GO] = "Go",
    [GATE_LANGUAGE_JVM] = "the JVM",                 [GATE_LANGUAGE_NODE] = "JavaScript",
    [GATE_LANGUAGE_PYTHON] = "Python",               [GATE_LANGUAGE_RUST] = "Rust",
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

enum gate_language gate_own_code_language(const struct gate_profile *profile) {
    for (uint32_t i = 0; i < profile->function_count; i++)
        if (gate_str_ends(profile->functions[i].file, GATE_STR(".go")))
            return GATE_LANGUAGE_GO;
    return GATE_LANGUAGE_UNKNOWN;
}

static enum gate_code go_code(struct gate_str function) {
    if (gate_str_starts(function, GATE_STR("main.")))
        return GATE_CODE_OWN;
    size_t slash = gate_str_find(function, GATE_STR("/"), 0);
    struct gate_str first = gate_str_slice(function, 0, slash == SIZE_MAX ? 0 : slash);
    return gate_str_find(first, GATE_STR("."), 0) != SIZE_MAX ? GATE_CODE_OWN : GATE_CODE_LIBRARY;
}

enum gate_code gate_own_code_of(enum gate_language language, const struct gate_code_place *place) {
    if (place->function.len == 0)
        return GATE_CODE_LIBRARY;
    return language == GATE_LANGUAGE_GO ? go_code(place->function) : GATE_CODE_OWN;
}

bool gate_own_code_is_own(enum gate_language language, enum gate_code code) {
    return code == GATE_CODE_OWN ||
           (code == GATE_CODE_THIRD_PARTY && (language == GATE_LANGUAGE_GO || language == GATE_LANGUAGE_JVM));
}
