/* SPDX-License-Identifier: Apache-2.0 */
/* The words of profile/own_code.h: kinds of code, languages, and what a profile says of a frame. Types alone. */
#ifndef GATE_PROFILE_CODE_KIND_H
#define GATE_PROFILE_CODE_KIND_H

#include "gate/base/str.h"

enum gate_code {
    GATE_CODE_OWN,         /* the program's own modules */
    GATE_CODE_THIRD_PARTY, /* vendored or installed modules, where the profile tells them apart */
    GATE_CODE_LIBRARY,     /* the standard library, the runtime, the operating system */
    GATE_CODES
};

/** The language that most functions of a profile are written in: it decides which rows of the table are asked. */
enum gate_language {
    GATE_LANGUAGE_UNKNOWN,
    GATE_LANGUAGE_GO,
    GATE_LANGUAGE_JVM,
    GATE_LANGUAGE_NODE,
    GATE_LANGUAGE_PYTHON,
    GATE_LANGUAGE_RUST,
    GATE_LANGUAGE_NATIVE, /* C and C++ */
    GATE_LANGUAGES
};

/** What a profile says of a frame. Any text may be empty. */
struct gate_code_place {
    struct gate_str function; /* as the profile spells it */
    struct gate_str file;
    struct gate_str mapping;
    bool is_main_mapping; /* the mapping is the program's binary: the profile's first */
};

#endif
