/* SPDX-License-Identifier: Apache-2.0 */
/* Credentials: where they are read from, and that no message contains them. */
#define _POSIX_C_SOURCE 200809L

#include "gate/capture/capture.h"
#include "tests/unit/unit.h"

static const char *file_of(const char *text) {
    static char name[] = "/tmp/credentials.XXXXXX";
    (void)snprintf(name, sizeof name, "/tmp/credentials.XXXXXX");
    int descriptor = mkstemp(name);
    assert_true(descriptor >= 0 && write(descriptor, text, strlen(text)) == (ssize_t)strlen(text));
    (void)close(descriptor);
    return name;
}

TEST(credentials_come_from_a_variable_or_a_file) {
    struct gate_credentials who;
    assert_true(gate_credentials_read(&who, &(struct gate_credentials_places){0}, &arena, &err));
    assert_null(who.authorization);
    assert_int_equal(setenv("TEST_TOKEN", " abc \n", 1), 0);
    assert_true(
        gate_credentials_read(&who, &(struct gate_credentials_places){.token_env = "TEST_TOKEN"}, &arena, &err));
    assert_string_equal(who.authorization, "Bearer abc");
    const char *file = file_of("u:p\n");
    assert_true(gate_credentials_read(&who, &(struct gate_credentials_places){.token_file = file}, &arena, &err));
    assert_string_equal(who.authorization, "Bearer u:p");
    assert_true(gate_credentials_read(&who, &(struct gate_credentials_places){.user_file = file}, &arena, &err));
    assert_string_equal(who.authorization, "Basic dTpw");
    (void)unlink(file);
}

TEST(errors_do_not_contain_credentials) {
    static const char *const texts[] = {"", "secret\nsecret", "secret"};
    struct gate_credentials who;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct gate_error err = {0};
        const char *file = file_of(texts[i]);
        assert_false(gate_credentials_read(&who, &(struct gate_credentials_places){.user_file = file}, &arena, &err));
        assert_null(strstr(err.message, "secret"));
        assert_non_null(strstr(err.message, file));
        (void)unlink(file);
    }
    assert_false(
        gate_credentials_read(&who, &(struct gate_credentials_places){.token_env = "NOT_THERE"}, &arena, &err));
    assert_non_null(strstr(err.message, "'NOT_THERE' is not set"));
    const struct gate_credentials_places two = {.token_env = "A", .token_file = "B"};
    assert_false(gate_credentials_read(&who, &two, &arena, &err));
    assert_non_null(strstr(err.message, "found 2"));
}

TEST(a_tenant_is_one_word_of_a_header) {
    static const char *const bad[] = {"", "a b", "a\r\nX: y", "\xc3\xa4"};
    struct gate_credentials who;
    struct gate_buf line = {0};
    gate_credentials_put_tenant(&line, NULL);
    assert_int_equal(line.len, 0);
    assert_true(gate_credentials_read(&who, &(struct gate_credentials_places){.tenant = "a|b-1"}, &arena, &err));
    gate_credentials_put_tenant(&line, &who);
    assert_string_equal(line.ptr, "X-Scope-OrgID: a|b-1");
    gate_buf_free(&line);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(gate_credentials_read(&who, &(struct gate_credentials_places){.tenant = bad[i]}, &arena, &err));
    assert_true(gate_credentials_of_token(&who, GATE_STR("tok"), &arena, &err));
    assert_string_equal(who.authorization, "Bearer tok");
}

TEST(secrets_that_a_server_repeats_are_hidden) {
    struct gate_capture_url url;
    const struct gate_credentials who = {.authorization = "Basic dTpwYXNz", .secret = GATE_STR("u:pass")};
    assert_true(gate_capture_url_read(&url, GATE_STR("http://v:word@h/?k=query&seconds=3"), &err));
    (void)gate_error_set(&err, GATE_ERR_IO, "a dTpwYXNz b u:pass c pass d word e query f 3");
    gate_credentials_hide(&err, &who, &url);
    assert_string_equal(err.message, "a *** b *** c *** d *** e *** f 3");
}

TEST(sent_secrets_and_their_parts_are_hidden) {
    struct gate_capture_url url;
    AT_END(gate_buf_free) struct gate_buf sent = {0}, out = {0};
    assert_true(gate_capture_url_read(&url, GATE_STR("http://ada:pa%2Dss@h/?k=a%2Bb%2Bc"), &err));
    gate_credentials_put(&sent, NULL, &url);
    assert_true(gate_str_equal(gate_buf_view(&sent), GATE_STR("Basic YWRhOnBhLXNz")));
    const struct gate_str said = GATE_STR("1 YWRhOnBhLXNz 2 ada:pa-ss 3 pa-ss 4 pa%2Dss 5 a+b+c 6 a%2Bb%2Bc 7");
    gate_credentials_hide_text(&out, said, NULL, &url);
    assert_true(gate_str_equal(gate_buf_view(&out), GATE_STR("1 *** 2 *** 3 *** 4 *** 5 *** 6 *** 7")));
}

TEST(overlapping_secrets_are_hidden_completely) {
    struct gate_capture_url url;
    const struct gate_credentials who = {.authorization = "Bearer abcdef", .secret = GATE_STR("abcdef")};
    assert_true(gate_capture_url_read(&url, GATE_STR("http://h/?k=bcd&l=defgh"), &err));
    (void)gate_error_set(&err, GATE_ERR_IO, "x abcdefgh y bcd z aaaabcdef");
    assert_false(gate_capture_plan_blame(&(struct gate_capture_plan){.credentials = who}, &url, GATE_STR("h"), &err));
    assert_string_equal(err.message, "h: x *** y *** z aaa***");
    assert_int_equal(err.code, GATE_ERR_IO);
}
