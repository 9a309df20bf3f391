/* SPDX-License-Identifier: Apache-2.0 */
/* ExecCredential: the input of a kubeconfig's credential command, and which of its answers are accepted. tests/stores
 * runs commands. */
#include "gate/capture/kubernetes.h"
#include "tests/unit/unit.h"

#define V1 "client.authentication.k8s.io/v1"
#define ANSWER(status) "{\"apiVersion\": \"" V1 "\", \"kind\": \"ExecCredential\", \"status\": " status "}"

static const char *argv[] = {"helper", NULL};

static struct gate_kube_exec exec_of(const char *version) {
    return (struct gate_kube_exec){.argv = argv, .api_version = gate_str_from(version), .install_hint = GATE_STR("")};
}

TEST(only_known_versions_are_accepted) {
    struct gate_kube_exec exec = exec_of(V1);
    assert_true(gate_kube_exec_check(&exec, &err));
    exec.wants_person = true;
    assert_false(gate_kube_exec_check(&exec, &err));
    assert_non_null(strstr(err.message, "'helper' wants to ask a person"));
    exec = exec_of(V1 "beta1");
    assert_true(gate_kube_exec_check(&exec, &err));
    exec = exec_of(V1 "alpha1");
    assert_false(gate_kube_exec_check(&exec, &err));
    assert_non_null(strstr(err.message, "found '" V1 "alpha1'"));
}

TEST(the_command_gets_cluster_info_if_it_requests_it) {
    struct gate_kube_exec exec = exec_of(V1);
    const struct gate_kube_exec_cluster cluster = {GATE_STR("https://h:6443"), GATE_STR("ca\n"), false};
    assert_string_equal(gate_kube_exec_info(&exec, &cluster, &arena).ptr,
                        "KUBERNETES_EXEC_INFO={\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
                        "\",\"spec\":{\"interactive\":false}}");
    exec.wants_cluster = true;
    assert_non_null(strstr(gate_kube_exec_info(&exec, &cluster, &arena).ptr,
                           "\"cluster\":{\"server\":\"https://h:6443\",\"certificate-authority-data\":\"Y2EK\"}"));
}

static const struct {
    const char *text, *token, *message; /* a part of the message; or NULL */
} answers[] = {
    {ANSWER("{\"token\": \"s3cret\"}"), "s3cret", NULL},
    {ANSWER("{\"token\": \"s3cret\", \"expirationTimestamp\": \"1970-01-01T00:00:02Z\"}"), "s3cret", NULL},
    {ANSWER("{\"token\": \"s3cret\", \"expirationTimestamp\": \"1970-01-01T00:00:01Z\"}"), NULL,
     "expired at 1970-01-01"},
    {ANSWER("{\"clientCertificateData\": \"c\", \"clientKeyData\": \"s3cret\"}"), "", NULL},
    {ANSWER("{\"clientKeyData\": \"s3cret\", \"token\": \"t\"}"), NULL, "and not both"},
    {ANSWER("{\"token\": \"s3cret \"}"), NULL, "more than one word"},
    {ANSWER("{\"token\": \"s3cret\\r\\nX: y\"}"), NULL, "more than one word"},
    {ANSWER("{\"token\": 7}"), NULL, "expected a text in 'token'"},
    {ANSWER("{}"), NULL, "neither a token nor a certificate"},
    {ANSWER("null"), NULL, "expected a map in 'status'"},
    {"{\"apiVersion\": \"v1\", \"kind\": \"ExecCredential\", \"status\": {\"token\": \"s3cret\"}}", NULL,
     "not an ExecCredential of " V1},
    {"{\"apiVersion\": \"" V1 "\", \"kind\": \"Secret\", \"status\": {\"token\": \"s3cret\"}}", NULL,
     "not an ExecCredential"},
    {"[\"s3cret\"]", NULL, "ExecCredential"},
    {"s3cret", NULL, "is not JSON"},
    {"", NULL, "is not JSON"},
};

TEST(an_answer_is_accepted_or_refused_with_a_reason) {
    const struct gate_kube_exec exec = exec_of(V1);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct gate_kube_exec_answer answer;
        struct gate_error err = {0};
        bool ok = gate_kube_exec_answer(&answer, &exec, gate_str_from(answers[i].text), 1000, &arena, &err);
        if (ok != (answers[i].message == NULL))
            fail_msg("answer %zu: %s", i, err.message);
        if (ok)
            assert_true(gate_str_equal(answer.token, gate_str_from(answers[i].token)));
        else if (strstr(err.message, answers[i].message) == NULL || strstr(err.message, "s3cret") != NULL)
            fail_msg("answer %zu: %s", i, err.message);
    }
}

/* Each arena limit that is too small is an error. */
TEST(a_small_arena_is_an_error) {
    const struct gate_kube_exec exec = exec_of(V1);
    bool ok = false;
    for (size_t limit = 1; !ok; limit++) {
        struct gate_kube_exec_answer answer;
        struct gate_error err = {0};
        AT_END(gate_arena_free) struct gate_arena arena;
        gate_arena_init(&arena, limit);
        ok = gate_kube_exec_answer(&answer, &exec, gate_str_from(answers[1].text), 1000, &arena, &err);
        assert_true(ok || err.code == GATE_ERR_LIMIT || err.code == GATE_ERR_CONFIG);
    }
}
