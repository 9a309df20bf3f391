/* SPDX-License-Identifier: Apache-2.0 */
/* capture/libcurl.h: loading the installed library, a missing one, and a wrong one. tests/capture tests its use. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "gate/capture/libcurl.h"
#include "tests/unit/unit.h"

#include <link.h>

#if GATE_HAS_CURL

static void every_function_is_there(void **state) {
    struct gate_libcurl curl;
    struct gate_error err = {0};
    memset(&curl, 0, sizeof curl);
    if (!gate_libcurl_load(&curl, &err))
        fail_msg("%s", err.message);
#define EXPECT_THERE(function) assert_true(curl.function != NULL);
    GATE_LIBCURL_FUNCTIONS(EXPECT_THERE)
    assert_string_equal(curl.easy_strerror(CURLE_OK), "No error");
}

static int count_missing(struct dl_phdr_info *library, size_t size, void *missing) {
    (void)size;
    for (int i = 0; i < library->dlpi_phnum; i++)
        *(int *)missing += library->dlpi_phdr[i].p_type == PT_TLS && library->dlpi_tls_data == NULL;
    return 0;
}

/* Thread-local data must be allocated at load: the C library ends the program if it has no memory for them later. */
static void thread_data_are_there_from_the_beginning(void **state) {
    struct gate_libcurl curl;
    struct gate_error err = {0};
    int missing = 0;
    if (!gate_libcurl_load(&curl, &err))
        fail_msg("%s", err.message);
    (void)dl_iterate_phdr(count_missing, &missing);
    assert_int_equal(missing, 0);
}

static void expect_refused(const char *name, const char *text) {
    struct gate_libcurl curl;
    struct gate_error err = {0};
    assert_false(gate_libcurl_open(&curl, name, &err));
    assert_int_equal(err.code, GATE_ERR_USAGE);
    if (strstr(err.message, text) == NULL)
        fail_msg("expected '%s' in: %s", text, err.message);
}

static void a_missing_library_gives_its_package(void **state) {
    expect_refused("libnothing-of-this-name.so.4", "libnothing-of-this-name.so.4");
    expect_refused("libnothing-of-this-name.so.4", "install the package libcurl4 on Debian and Ubuntu");
}

static void a_library_that_is_not_libcurl_is_an_error(void **state) {
    struct gate_libcurl curl;
    struct gate_error err = {0};
    if (!gate_libcurl_open(&curl, "libm.so.6", &err) && strstr(err.message, "cannot be loaded") != NULL)
        skip(); /* the math library has another name here */
    expect_refused("libm.so.6", "libcurl 7.66 or newer is needed: 'libm.so.6' has no 'curl_easy_cleanup'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_is_there),
        cmocka_unit_test(thread_data_are_there_from_the_beginning),
        cmocka_unit_test(a_missing_library_gives_its_package),
        cmocka_unit_test(a_library_that_is_not_libcurl_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 0;
}

#endif
