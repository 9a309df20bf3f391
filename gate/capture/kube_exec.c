/* SPDX-License-Identifier: Apache-2.0 */
/* ExecCredential, asked and answered (see kube_exec.h). */
#include "gate/capture/kube_exec.h"

#include "gate/base/buf.h"
#include "gate/base/json_reader.h"
#include "gate/base/json_writer.h"
#include "gate/base/sha256.h"
#include "gate/capture/window.h"

static const char *const versions[] = {"client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"};

bool gate_kube_exec_check(const struct gate_kube_exec *exec, struct gate_error *err) {
    bool is_known = false;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        is_known = is_known || gate_str_equal(exec->api_version, gate_str_from(versions[i]));
    if (!is_known)
        return gate_error_set(err, GATE_ERR_CONFIG,
                              "'exec' of the user: expected apiVersion %s or v1beta1, found '%.*s'; a newer "
                              "'%s' writes the file anew",
                              versions[0], GATE_STR_ARG(gate_str_slice(exec->api_version, 0, 100)), exec->argv[0]);
    return !exec->wants_person ||
           gate_error_set(err, GATE_ERR_CONFIG,
                          "'exec' of the user: '%s' wants to ask a person (interactiveMode: Always), and nobody is "
                          "there; give a token with --token-env",
                          exec->argv[0]);
}

/* ---- what it is told --------------------------------------------------------------------------------------------- */

static void put_cluster(struct gate_json *json, const struct gate_kube_exec_cluster *cluster) {
    struct gate_buf ca = {0};
    gate_json_key(json, "cluster");
    gate_json_open(json, '{');
    gate_json_key(json, "server");
    gate_json_string(json, cluster->server);
    if (cluster->is_insecure) {
        gate_json_key(json, "insecure-skip-tls-verify");
        gate_json_bool(json, true);
    }
    if (cluster->ca_pem.len > 0) {
        gate_base64(&ca, (const uint8_t *)cluster->ca_pem.ptr, cluster->ca_pem.len);
        gate_json_key(json, "certificate-authority-data");
        gate_json_string(json, gate_buf_view(&ca));
    }
    gate_json_close(json, '}');
    json->out->failed = json->out->failed || ca.failed;
    gate_buf_free(&ca);
}

struct gate_str gate_kube_exec_info(const struct gate_kube_exec *exec, const struct gate_kube_exec_cluster *cluster,
                                    struct gate_arena *arena) {
    struct gate_buf out = {0};
    struct gate_json json = {.out = &out};
    gate_buf_text(&out, "KUBERNETES_EXEC_INFO=");
    gate_json_open(&json, '{');
    gate_json_key(&json, "kind");
    gate_json_text(&json, "ExecCredential");
    gate_json_key(&json, "apiVersion");
    gate_json_string(&json, exec->api_version);
    gate_json_key(&json, "spec");
    gate_json_open(&json, '{');
    gate_json_key(&json, "interactive");
    gate_json_bool(&json, false);
    if (exec->wants_cluster)
        put_cluster(&json, cluster);
    gate_json_close(&json, '}');
    gate_json_close(&json, '}');
    struct gate_str text = out.failed ? (struct gate_str){NULL, 0} : gate_str_copy(arena, gate_buf_view(&out));
    gate_buf_free(&out);
    return text;
}

/* ---- what it answers --------------------------------------------------------------------------------------------- */

static bool status_check(const struct gate_kube_exec_answer *answer, struct gate_str expires, int64_t now_ms,
                         struct gate_error *err) {
    int64_t moment = 0;
    struct gate_error ignored = {0};
    bool has_certificate = answer->client_pem.len > 0;
    for (size_t i = 0; i < answer->token.len; i++)
        if ((unsigned char)answer->token.ptr[i] <= ' ' || (unsigned char)answer->token.ptr[i] > 126)
            return gate_error_set(err, GATE_ERR_CONFIG, "its token holds more than one word of text");
    if (answer->token.len == 0 && !has_certificate)
        return gate_error_set(err, GATE_ERR_CONFIG, "its answer has neither a token nor a certificate");
    if (has_certificate != (answer->client_key_pem.len > 0))
        return gate_error_set(err, GATE_ERR_CONFIG, "its answer has a certificate or a key, and not both");
    if (expires.len > 0 && gate_window_moment(&moment, expires, now_ms, &ignored) && moment <= now_ms)
        return gate_error_set(err, GATE_ERR_CONFIG,
                              "what it answered expired at %.*s; log in to the cluster again, as for kubectl",
                              GATE_STR_ARG(gate_str_slice(expires, 0, 40)));
    return true;
}

static bool status_read(struct gate_kube_exec_answer *out, struct gate_str *expires,
                        const struct gate_json_reader *root) {
    struct gate_json_reader status = *root;
    status.map = json_object_get(root->map, "status");
    status.place = "status";
    if (!json_is_object(status.map))
        return gate_json_reader_refuse(root, "status", "a map");
    return gate_json_reader_text(&out->token, &status, "token", GATE_JSON_READER_MAY) &&
           gate_json_reader_text(&out->client_pem, &status, "clientCertificateData", GATE_JSON_READER_MAY) &&
           gate_json_reader_text(&out->client_key_pem, &status, "clientKeyData", GATE_JSON_READER_MAY) &&
           gate_json_reader_text(expires, &status, "expirationTimestamp", GATE_JSON_READER_MAY);
}

bool gate_kube_exec_answer(struct gate_kube_exec_answer *out, const struct gate_kube_exec *exec, struct gate_str text,
                           int64_t now_ms, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str kind, version, expires = GATE_STR("");
    *out = (struct gate_kube_exec_answer){GATE_STR(""), GATE_STR(""), GATE_STR("")};
    json_t *root = gate_json_reader_parse(text, "an ExecCredential", GATE_ERR_CONFIG, err);
    if (root == NULL)
        return gate_error_set(err, GATE_ERR_CONFIG, "its answer is not JSON; expected an ExecCredential");
    const struct gate_json_reader reader = {root, "its answer", GATE_ERR_CONFIG, arena, err};
    bool ok = json_is_object(root) && gate_json_reader_text(&kind, &reader, "kind", GATE_JSON_READER_MAY) &&
              gate_json_reader_text(&version, &reader, "apiVersion", GATE_JSON_READER_MAY);
    if (!ok || !gate_str_equal(kind, GATE_STR("ExecCredential")) || !gate_str_equal(version, exec->api_version))
        ok = gate_error_set(err, GATE_ERR_CONFIG, "its answer is not an ExecCredential of %.*s",
                            GATE_STR_ARG(gate_str_slice(exec->api_version, 0, 100)));
    ok = ok && status_read(out, &expires, &reader) && status_check(out, expires, now_ms, err);
    json_decref(root);
    return ok;
}
