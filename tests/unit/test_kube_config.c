/* SPDX-License-Identifier: Apache-2.0 */
/* Kubeconfig files: which context is used, what is read from it, and where the files are found. */
#include "gate/capture/kubernetes.h"
#include "tests/unit/unit.h"

#define CLUSTER "clusters: [{name: c, cluster: {server: 'https://h:6443/', certificate-authority-data: Y0AK}}]\n"
#define CONTEXT "contexts: [{name: x, context: {cluster: c, user: u}}, {name: y, context: {cluster: c, user: v}}]\n"
#define USERS "users: [{name: u, user: {token: tok}}, {name: v, user: {exec: {command: aws}}}]\n"

static const struct {
    const char *text, *context;
    const char *token, *message; /* a part of the message; or NULL */
    bool has_command;
} configs[] = {
    {"current-context: x\n" CLUSTER CONTEXT USERS, NULL, "tok", NULL, false},
    {"current-context: x\n" CLUSTER CONTEXT USERS, "y", "", NULL, true},
    {"{\"current-context\": \"x\", \"clusters\": [{\"name\": \"c\", \"cluster\": {\"server\": \"https://h:6443\", "
     "\"certificate-authority-data\": \"Y0AK\"}}], \"contexts\": [{\"name\": \"x\", \"context\": {\"cluster\": "
     "\"c\"}}]}",
     NULL, "", NULL, false},
    {"current-context: z\n" CLUSTER CONTEXT USERS, NULL, NULL, "the context 'z' is not in it", false},
    {CLUSTER CONTEXT USERS, NULL, NULL, "the context '' is not in it", false},
    {"current-context: x\n" CONTEXT USERS, NULL, NULL, "has no cluster with a server", false},
    {"current-context: x\ncontexts: {x: 1}\n", NULL, NULL, "is not in it", false},
    {"current-context: x\n" CLUSTER CONTEXT "users: [{name: u, user: {token: \"s3cret a\\nb\"}}]\n", NULL, NULL,
     "more than one word", false},
    {"current-context: x\n" CLUSTER CONTEXT "users: [{name: u, user: {client-key-data: 's3cret!'}}]\n", NULL, NULL,
     "'client-key-data' is not base64", false},
    {"current-context: x\n" CLUSTER CONTEXT "users: [{name: u, user: {client-key: /nowhere/key}}]\n", NULL, NULL,
     "/nowhere/key: ", false},
    {"a: [s3cret", NULL, NULL, "it is not YAML: line", false},
    {"", NULL, NULL, "is not in it", false},
    {"- 1\n", NULL, NULL, "is not in it", false},
};

TEST(a_context_gives_cluster_and_user) {
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        struct gate_error err = {0};
        struct gate_kube_config config;
        bool ok = gate_kube_config_read(&config, gate_str_from(configs[i].text), GATE_STR("/d/"), configs[i].context,
                                        &arena, &err);
        if (ok != (configs[i].message == NULL))
            fail_msg("config %zu: %s", i, err.message);
        if (ok) {
            assert_true(gate_str_equal(config.server, GATE_STR("https://h:6443")));
            assert_true(gate_str_equal(config.ca_pem, GATE_STR("c@\n")));
            assert_true(gate_str_equal(config.token, gate_str_from(configs[i].token)));
            assert_int_equal(config.exec.argv != NULL, configs[i].has_command);
        } else {
            assert_non_null(strstr(err.message, configs[i].message));
            assert_null(strstr(err.message, "s3cret"));
        }
    }
}

static void write_file(const char *dir, const char *name, const char *text) {
    char path[200];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Order: the option, KUBECONFIG, the pod's service account, the home folder. */
TEST(the_configuration_is_found_where_kubectl_finds_it) {
    char dir[] = "/tmp/kube_config.XXXXXX", config[100], list[200];
    struct gate_kube_config found;
    assert_non_null(mkdtemp(dir));
    write_file(dir, "token", " podtoken\n");
    write_file(dir, "ca.crt", "podca\n");
    write_file(
        dir, "config",
        "current-context: x\nclusters: [{name: c, cluster: {server: 'http://f', certificate-authority: ca.crt}}]\n"
        "users: [{name: u, user: {tokenFile: token}}]\n"
        "contexts: [{name: x, context: {cluster: c, user: u}}]\n");
    (void)snprintf(config, sizeof config, "%s/config", dir);
    (void)snprintf(list, sizeof list, "%s/config:/nowhere", dir);
    const struct gate_kube_config_places pod = {.host = "10.0.0.1", .port = "443", .account = dir, .home = "/nowhere"};
    assert_true(gate_kube_config_find(&found, &pod, &arena, &err));
    assert_true(gate_str_equal(found.server, GATE_STR("https://10.0.0.1:443")));
    assert_true(gate_str_equal(found.token, GATE_STR("podtoken")) && gate_str_equal(found.ca_pem, GATE_STR("podca\n")));
    const struct gate_kube_config_places v6 = {.host = "fd00::1", .account = dir};
    assert_true(gate_kube_config_find(&found, &v6, &arena, &err));
    assert_true(gate_str_equal(found.server, GATE_STR("https://[fd00::1]:443")));
    const struct gate_kube_config_places files[] = {{.file = config, .environment = "/nowhere"},
                                                    {.environment = list, .host = "10.0.0.1", .account = dir}};
    for (int i = 0; i < 2; i++) {
        assert_true(gate_kube_config_find(&found, &files[i], &arena, &err));
        assert_true(gate_str_equal(found.server, GATE_STR("http://f")));
        assert_true(gate_str_equal(found.token, GATE_STR("podtoken")));
        assert_true(gate_str_equal(found.ca_pem, GATE_STR("podca\n")));
    }
    const struct gate_kube_config_places home = {.home = "/nowhere"}, none = {.file = NULL};
    assert_false(gate_kube_config_find(&found, &home, &arena, &err));
    assert_non_null(strstr(err.message, "/nowhere/.kube/config"));
    assert_false(gate_kube_config_find(&found, &none, &arena, &err));
    assert_non_null(strstr(err.message, "--kubeconfig FILE"));
    static const char *const names[] = {"token", "ca.crt", "config"};
    for (int i = 0; i < 3; i++) {
        (void)snprintf(list, sizeof list, "%s/%s", dir, names[i]);
        (void)unlink(list);
    }
    (void)rmdir(dir);
}
