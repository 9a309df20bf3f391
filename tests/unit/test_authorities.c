/* SPDX-License-Identifier: Apache-2.0 */
/* Which file of CA certificates a statically linked program uses. */
#include "gate/capture/libcurl.h"
#include "tests/unit/unit.h"

static const char *const first[] = {"/no/such/file", GATE_SOURCE_DIR "/LICENSE", GATE_SOURCE_DIR "/README.md", NULL};
static const char *const none[] = {"/no/such/file", NULL};

static int forget(void **state) {
    return unsetenv("SSL_CERT_FILE") == 0 && unsetenv("SSL_CERT_DIR") == 0 ? 0 : -1;
}

static void test_the_first_readable_file_is_used(void **state) {
    assert_string_equal(gate_authorities_among(first), GATE_SOURCE_DIR "/LICENSE");
    assert_null(gate_authorities_among(none));
}

static void test_variables_override_the_known_files(void **state) {
    assert_int_equal(setenv("SSL_CERT_FILE", "/mine.pem", 1), 0);
    assert_null(gate_authorities_among(first));
    assert_int_equal(setenv("SSL_CERT_FILE", "", 1), 0);
    assert_non_null(gate_authorities_among(first));
    assert_int_equal(setenv("SSL_CERT_DIR", "/mine", 1), 0);
    assert_null(gate_authorities_among(first));
}

static void test_this_machine_has_authorities(void **state) {
    const char *file = gate_authorities_file();
    assert_true(file == NULL || access(file, R_OK) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_the_first_readable_file_is_used, forget),
        cmocka_unit_test_setup_teardown(test_variables_override_the_known_files, forget, forget),
        cmocka_unit_test_setup(test_this_machine_has_authorities, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
