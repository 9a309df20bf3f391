/* SPDX-License-Identifier: Apache-2.0 */
/* Applying the rules for stable names, or for clean paths, a second time changes nothing. A package is a part of its
 * name. The rows of the own-code table read no byte outside of a frame's texts. */
#include "fuzz.h"

#include "gate/names/frame_name.h"
#include "gate/names/own_code.h"
#include "gate/names/stable_names.h"

static void own_code_reads(struct gate_str name) {
    const struct gate_str none = GATE_STR("");
    const struct gate_code_place places[] = {{.function = name, .file = none, .mapping = none},
                                             {.function = none, .file = name, .mapping = none},
                                             {.function = name, .file = name, .mapping = name}};
    for (int language = 0; language < GATE_LANGUAGES; language++)
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            FUZZ_CHECK(gate_own_code_of((enum gate_language)language, &places[i]) < GATE_CODES);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct gate_arena arena = {0};
    struct gate_str name = fuzz_view(bytes, len);
    struct gate_str stable = gate_name_stable(&arena, name);
    FUZZ_CHECK(stable.ptr != NULL && gate_str_equal(stable, gate_name_stable(&arena, stable)));
    for (int language = 0; language < GATE_LANGUAGES; language++) {
        struct gate_str package = gate_name_package(name, (enum gate_language)language);
        FUZZ_CHECK(package.len == 0 || (package.ptr >= name.ptr && package.ptr + package.len <= name.ptr + name.len));
    }
    struct gate_str path = gate_file_path_clean(&arena, name);
    FUZZ_CHECK((name.len == 0 || path.ptr != NULL) && path.len <= name.len + 1);
    FUZZ_CHECK(gate_str_equal(path, gate_file_path_clean(&arena, path)));
    (void)gate_name_is_runtime(name);
    own_code_reads(name);
    gate_arena_free(&arena);
    return 0;
}
