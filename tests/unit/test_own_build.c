/* SPDX-License-Identifier: Apache-2.0 */
/* The build id of the running program equals the one in its executable. */

#include "gate/base/build_id.h"
#include "gate/report/report.h"
#include "gate/symbols/elf_head.h"
#include "tests/unit/unit.h"

#include <fcntl.h>

TEST(the_build_id_is_that_of_the_file) {
    char id[GATE_OWN_BUILD_TEXT];
    struct gate_elf_head head;
    int descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        skip();
    assert_true(gate_elf_head_read(&head, descriptor));
    assert_int_equal(close(descriptor), 0);
    gate_own_build_id(id);
    assert_string_equal(id, head.build_id);
    assert_true(strlen(id) < GATE_OWN_BUILD_TEXT);
}

TEST(reports_contain_the_build_id_if_there_is_one) {
    char id[GATE_OWN_BUILD_TEXT];
    AT_END(gate_buf_free) struct gate_buf out = {0}, wanted = {0};
    struct gate_json json = {.out = &out, .indent = 2};
    gate_own_build_id(id);
    gate_json_open_flat(&json, '{');
    gate_generator_json(&json);
    gate_json_close(&json, '}');
    gate_buf_text(&wanted, "{\"generator\": \"pprofgate " GATE_VERSION "\"");
    if (id[0] != '\0')
        gate_buf_printf(&wanted, ", \"generator_build\": \"%s\"", id);
    gate_buf_text(&wanted, "}\n");
    assert_int_equal(out.len, wanted.len);
    assert_memory_equal(out.ptr, wanted.ptr, wanted.len);
}
