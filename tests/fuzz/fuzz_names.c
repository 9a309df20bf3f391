/* SPDX-License-Identifier: Apache-2.0 */
/* Stable names and clean paths are fixed points, and a package is a part of its name. */
#include "fuzz.h"

#include "gate/profile/file_path.h"
#include "gate/profile/name.h"
#include "gate/profile/name_stable.h"

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
    gate_arena_free(&arena);
    return 0;
}
