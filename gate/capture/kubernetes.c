/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/capture/kubernetes.h"

#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/base/hash.h"
#include "gate/base/json_io.h"
#include "gate/base/process.h"
#include "gate/base/system.h"
#include "gate/capture/capture.h"
#include "gate/capture/capture_url.h"
#include "gate/capture/http.h"
#include "gate/capture/window.h"
#include "gate/formats/format.h"
#include "gate/formats/json_tree.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yaml.h>

/* ---- addresses of pods: k8s:// ----------------------------------------------------------------------------------- */

enum { PAGE_PODS = 100, NAME_BYTES_MAX = 253, MORE_BYTES_MAX = 4096 };

static const struct gate_str scheme = {"k8s://", 6};

bool gate_kube_address_is(struct gate_str text) {
    return gate_str_starts(text, scheme);
}

/* Return whether `name` is a valid Kubernetes name. Such a name has no special characters of a URL. */
static bool is_name(struct gate_str name) {
    bool ok = name.len > 0 && name.len <= NAME_BYTES_MAX && name.ptr[0] != '.' && name.ptr[0] != '-';
    for (size_t i = 0; ok && i < name.len; i++) {
        char c = name.ptr[i];
        ok = gate_is_lower(c) || gate_is_digit(c) || c == '-' || c == '.';
    }
    return ok;
}

/* Return whether `text` can be a label selector. '=', '!', ',' and blanks are encoded when sent; '#' and '&', which end
 * the query, are not allowed. */
static bool is_selector(struct gate_str text) {
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < ' ' || (unsigned char)text.ptr[i] > 126 || memchr("#&%\"'\\", text.ptr[i], 6))
            return false;
    return text.len > 0;
}

bool gate_kube_address_read(struct gate_kube_address *out, struct gate_str text, struct gate_error *err) {
    struct gate_str rest = gate_str_slice(text, scheme.len, text.len);
    static const struct gate_str key = {"selector=", 9};
    size_t question = gate_str_find(rest, GATE_STR("?"), 0);
    struct gate_str query = gate_str_slice(rest, question == SIZE_MAX ? rest.len : question + 1, rest.len);
    rest = gate_str_slice(rest, 0, question);
    size_t slash = gate_str_find(rest, GATE_STR("/"), 0), from = slash == SIZE_MAX ? rest.len : slash + 1;
    size_t second = gate_str_find(rest, GATE_STR("/"), from);
    struct gate_str target = gate_str_slice(rest, from, second);
    size_t colon = gate_str_find(target, GATE_STR(":"), 0);
    *out = (struct gate_kube_address){
        .name_space = gate_str_slice(rest, 0, slash),
        .service = gate_str_slice(target, 0, colon),
        .port = gate_str_slice(target, colon == SIZE_MAX ? target.len : colon + 1, target.len),
        .path = second == SIZE_MAX ? GATE_STR("/debug/pprof") : gate_str_slice(rest, second, rest.len),
        .selector = gate_str_slice(query, gate_str_starts(query, key) ? key.len : query.len, query.len)};
    bool is_of_pods = gate_str_equal(out->service, GATE_STR("pods")) && query.len > 0;
    if (!gate_kube_address_is(text) || !is_name(out->name_space) || !is_name(out->service) || !is_name(out->port) ||
        (query.len > 0 && !is_of_pods) || (is_of_pods && !is_selector(out->selector)))
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "expected k8s://NAMESPACE/SERVICE:PORT, or k8s://NAMESPACE/pods:PORT?selector=LABELS such "
            "as k8s://prod/pods:6060?selector=app=shop,version=1.4, found '%.*s'",
            GATE_STR_ARG(gate_str_slice(text, 0, 200)));
    return true;
}

struct gate_str gate_kube_address_proxy(const struct gate_kube_address *address, struct gate_str server,
                                        struct gate_str pod, struct gate_str path, struct gate_arena *arena) {
    const bool is_pod = pod.len > 0;
    const struct gate_str parts[] = {server,
                                     GATE_STR("/api/v1/namespaces/"),
                                     address->name_space,
                                     is_pod ? GATE_STR("/pods/") : GATE_STR("/services/"),
                                     is_pod ? pod : address->service,
                                     GATE_STR(":"),
                                     address->port,
                                     GATE_STR("/proxy"),
                                     path};
    return gate_str_concat(arena, parts, sizeof parts / sizeof *parts);
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

struct gate_str gate_kube_address_list(const struct gate_kube_address *address, struct gate_str more,
                                       struct gate_arena *arena) {
    struct gate_buf out = {0};
    gate_buf_printf(&out, "/api/v1/namespaces/%.*s/pods?limit=%d&labelSelector=", GATE_STR_ARG(address->name_space),
                    PAGE_PODS);
    gate_escape_percent(&out, address->selector, "-.");
    if (more.len > 0)
        gate_buf_text(&out, "&continue=");
    gate_escape_percent(&out, more, "-.");
    return gate_buf_keep(&out, arena);
}

static bool pod_add(struct gate_kube_pods *pods, const json_t *pod, struct gate_arena *arena, struct gate_error *err) {
    const json_t *metadata = json_object_get(pod, "metadata"), *name = json_object_get(metadata, "name");
    const char *phase = json_string_value(json_object_get(json_object_get(pod, "status"), "phase"));
    struct gate_str text = {json_string_value(name), json_string_length(name)};
    if (!is_name(text))
        return gate_error_set(err, GATE_ERR_FORMAT, "this is not a list of pods; is it the API server of a cluster?");
    if (phase == NULL || strcmp(phase, "Running") != 0 || json_object_get(metadata, "deletionTimestamp") != NULL)
        return true;
    if (pods->count == GATE_KUBE_PODS_MAX)
        return gate_error_set(err, GATE_ERR_LIMIT, "the selector means more than %d pods; choose fewer by more labels",
                              GATE_KUBE_PODS_MAX);
    pods->names[pods->count] = gate_str_copy(arena, text);
    return pods->names[pods->count++].ptr != NULL || gate_arena_error(arena, err);
}

bool gate_kube_address_pods(struct gate_kube_pods *pods, struct gate_str *more, struct gate_str body,
                            struct gate_arena *arena, struct gate_error *err) {
    struct gate_json_tree tree;
    if (pods->names == NULL)
        pods->names = GATE_NEW_ARRAY(arena, struct gate_str, GATE_KUBE_PODS_MAX);
    if (pods->names == NULL)
        return gate_arena_error(arena, err);
    if (!gate_json_tree_load(&tree, body, arena, err))
        return false;
    const json_t *items = json_object_get(tree.root, "items");
    const json_t *next = json_object_get(json_object_get(tree.root, "metadata"), "continue");
    bool ok = json_is_array(items) && json_string_length(next) <= MORE_BYTES_MAX;
    if (!ok)
        (void)gate_error_set(err, GATE_ERR_FORMAT, "this is not a list of pods; is it the API server of a cluster?");
    for (size_t i = 0; ok && i < json_array_size(items); i++)
        ok = pod_add(pods, json_array_get(items, i), arena, err);
    if (ok) {
        struct gate_str text = {json_string_value(next), json_string_length(next)};
        *more = gate_str_copy(arena, text.ptr == NULL ? GATE_STR("") : text);
        ok = more->ptr != NULL || gate_arena_error(arena, err);
    }
    gate_json_tree_free(&tree, arena);
    return ok;
}

/* ---- exec plugins ------------------------------------------------------------------------------------------------ */

static const char *const versions[] = {"client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"};

bool gate_kube_exec_check(const struct gate_kube_exec *exec, struct gate_error *err) {
    if (!gate_str_is_among(exec->api_version, versions, sizeof versions / sizeof *versions))
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

/* ---- input of the command ---------------------------------------------------------------------------------------- */

static void put_cluster(struct gate_json *json, const struct gate_kube_exec_cluster *cluster) {
    struct gate_buf ca = {0};
    gate_json_put_open(json, "cluster", '{');
    gate_json_put_string(json, "server", cluster->server);
    if (cluster->is_insecure) {
        gate_json_put_bool(json, "insecure-skip-tls-verify", true);
    }
    if (cluster->ca_pem.len > 0) {
        gate_base64(&ca, (const uint8_t *)cluster->ca_pem.ptr, cluster->ca_pem.len);
        gate_json_put_string(json, "certificate-authority-data", gate_buf_view(&ca));
    }
    gate_json_close(json, '}');
    gate_buf_free_part(json->out, &ca);
}

struct gate_str gate_kube_exec_info(const struct gate_kube_exec *exec, const struct gate_kube_exec_cluster *cluster,
                                    struct gate_arena *arena) {
    struct gate_buf out = {0};
    struct gate_json json = {.out = &out};
    gate_buf_text(&out, "KUBERNETES_EXEC_INFO=");
    gate_json_open(&json, '{');
    gate_json_put_text(&json, "kind", "ExecCredential");
    gate_json_put_string(&json, "apiVersion", exec->api_version);
    gate_json_put_open(&json, "spec", '{');
    gate_json_put_bool(&json, "interactive", false);
    if (exec->wants_cluster)
        put_cluster(&json, cluster);
    gate_json_close_all(&json, "}}");
    return gate_buf_keep(&out, arena);
}

/* ---- output of the command --------------------------------------------------------------------------------------- */

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

/* ---- the cluster ------------------------------------------------------------------------------------------------- */

enum { FILE_BYTES_MAX = 1024 * 1024, BASE64_BITS = 6, BYTE_BITS = 8 };

/* ---- YAML -------------------------------------------------------------------------------------------------------- */

static const yaml_node_t *value_of(yaml_document_t *document, const yaml_node_t *map, const char *key) {
    if (map == NULL || map->type != YAML_MAPPING_NODE)
        return NULL;
    for (const yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top; pair++) {
        const yaml_node_t *name = yaml_document_get_node(document, pair->key);
        if (name != NULL && name->type == YAML_SCALAR_NODE && name->data.scalar.length == strlen(key) &&
            memcmp(name->data.scalar.value, key, strlen(key)) == 0)
            return yaml_document_get_node(document, pair->value);
    }
    return NULL;
}

static struct gate_str text_of(yaml_document_t *document, const yaml_node_t *map, const char *key) {
    const yaml_node_t *node = value_of(document, map, key);
    if (node == NULL || node->type != YAML_SCALAR_NODE)
        return GATE_STR("");
    return (struct gate_str){(const char *)node->data.scalar.value, node->data.scalar.length};
}

/* Find the item with this name in the list `list`, and return its value of the key `what`. */
static const yaml_node_t *named(yaml_document_t *document, const yaml_node_t *root, const char *list,
                                struct gate_str name, const char *what) {
    const yaml_node_t *items = value_of(document, root, list);
    if (items == NULL || items->type != YAML_SEQUENCE_NODE)
        return NULL;
    for (const yaml_node_item_t *item = items->data.sequence.items.start; item < items->data.sequence.items.top;
         item++) {
        const yaml_node_t *node = yaml_document_get_node(document, *item);
        if (gate_str_equal(text_of(document, node, "name"), name))
            return value_of(document, node, what);
    }
    return NULL;
}

/* ---- values that are in the file, or in a file that it names ----------------------------------------------------- */

static int base64_value(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c == '\0' ? NULL : strchr(digits, c);
    return at == NULL ? -1 : (int)(at - digits);
}

static bool base64_read(struct gate_str *out, struct gate_str text, const char *key, struct gate_arena *arena,
                        struct gate_error *err) {
    char *bytes = gate_arena_alloc(arena, text.len + 1);
    size_t len = 0;
    unsigned bits = 0, kept = 0;
    if (bytes == NULL)
        return gate_arena_error(arena, err);
    text = gate_str_trim(text);
    while (gate_str_ends(text, GATE_STR("=")))
        text.len--;
    for (size_t i = 0; i < text.len; i++) {
        int value = base64_value(text.ptr[i]);
        if (value < 0)
            return gate_error_set(err, GATE_ERR_CONFIG, "'%s' is not base64", key);
        bits = (bits << BASE64_BITS | (unsigned)value) & 0xFFFF;
        kept += BASE64_BITS;
        if (kept >= BYTE_BITS) {
            kept -= BYTE_BITS;
            bytes[len++] = (char)(bits >> kept & 0xFF);
        }
    }
    *out = (struct gate_str){bytes, len};
    return true;
}

static bool file_read(struct gate_str *out, const char *path, struct gate_arena *arena, struct gate_error *err) {
    struct gate_limits limits = gate_limits_default();
    limits.compressed_bytes = FILE_BYTES_MAX;
    return gate_source_read(out, gate_str_from(path), &limits, arena, err) || gate_error_prefix(err, "%s", path);
}

/* Read the file that `key` names, or the base64 text in `key`-data; empty if both are missing. */
static bool pem_read(struct gate_str *out, yaml_document_t *document, const yaml_node_t *map, const char *key,
                     struct gate_str dir, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str file = text_of(document, map, key);
    struct gate_str name = gate_str_format(arena, "%s-data", key);
    if (name.ptr == NULL)
        return gate_arena_error(arena, err);
    struct gate_str data = text_of(document, map, name.ptr);
    *out = GATE_STR("");
    if (data.len > 0)
        return base64_read(out, data, name.ptr, arena, err);
    if (file.len == 0)
        return true;
    const bool is_whole = file.ptr[0] == '/';
    struct gate_str path =
        gate_str_format(arena, "%.*s%.*s", GATE_STR_ARG(is_whole ? GATE_STR("") : dir), GATE_STR_ARG(file));
    return path.ptr == NULL ? gate_arena_error(arena, err) : file_read(out, path.ptr, arena, err);
}

/* ---- a kubeconfig ------------------------------------------------------------------------------------------------ */

static bool token_check(const struct gate_kube_config *config, struct gate_error *err) {
    for (size_t i = 0; i < config->token.len; i++)
        if ((unsigned char)config->token.ptr[i] <= ' ' || (unsigned char)config->token.ptr[i] > 126)
            return gate_error_set(err, GATE_ERR_CONFIG, "the token holds more than one word of text");
    return true;
}

static bool argv_read(struct gate_kube_exec *out, yaml_document_t *document, const yaml_node_t *exec,
                      struct gate_str dir, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str command = text_of(document, exec, "command");
    const yaml_node_t *args = value_of(document, exec, "args");
    const bool has_args = args != NULL && args->type == YAML_SEQUENCE_NODE;
    const bool is_beside = command.len > 0 && command.ptr[0] != '/' && memchr(command.ptr, '/', command.len) != NULL;
    size_t count = has_args ? (size_t)(args->data.sequence.items.top - args->data.sequence.items.start) : 0;
    if (command.len == 0)
        return gate_error_set(err, GATE_ERR_CONFIG, "'exec' of the user has no command");
    out->argv = gate_arena_calloc(arena, count + 2, sizeof *out->argv);
    if (out->argv == NULL)
        return gate_arena_error(arena, err);
    out->argv[0] =
        gate_str_format(arena, "%.*s%.*s", GATE_STR_ARG(is_beside ? dir : GATE_STR("")), GATE_STR_ARG(command)).ptr;
    for (size_t i = 0; i < count && out->argv[i] != NULL; i++) {
        const yaml_node_t *node = yaml_document_get_node(document, args->data.sequence.items.start[i]);
        if (node == NULL || node->type != YAML_SCALAR_NODE)
            return gate_error_set(err, GATE_ERR_CONFIG, "'exec' of the user: expected texts in 'args'");
        out->argv[i + 1] =
            gate_str_copy(arena, (struct gate_str){(const char *)node->data.scalar.value, node->data.scalar.length})
                .ptr;
    }
    for (size_t i = 0; i < count + 1; i++)
        if (out->argv[i] == NULL)
            return gate_arena_error(arena, err);
    return true;
}

static bool environment_read(struct gate_kube_exec *out, yaml_document_t *document, const yaml_node_t *exec,
                             struct gate_arena *arena, struct gate_error *err) {
    const yaml_node_t *list = value_of(document, exec, "env");
    const bool has_list = list != NULL && list->type == YAML_SEQUENCE_NODE;
    size_t count = has_list ? (size_t)(list->data.sequence.items.top - list->data.sequence.items.start) : 0;
    out->environment = gate_arena_calloc(arena, count + 2, sizeof *out->environment);
    if (out->environment == NULL)
        return gate_arena_error(arena, err);
    for (size_t i = 0; i < count; i++) {
        const yaml_node_t *node = yaml_document_get_node(document, list->data.sequence.items.start[i]);
        struct gate_str name = text_of(document, node, "name"), value = text_of(document, node, "value");
        if (name.len == 0 || memchr(name.ptr, '=', name.len) != NULL)
            return gate_error_set(err, GATE_ERR_CONFIG, "'exec' of the user: expected names and values in 'env'");
        const char *text = gate_str_format(arena, "%.*s=%.*s", GATE_STR_ARG(name), GATE_STR_ARG(value)).ptr;
        if (text == NULL)
            return gate_arena_error(arena, err);
        out->environment[out->environment_count++] = text;
    }
    return true;
}

static bool exec_read(struct gate_kube_exec *out, yaml_document_t *document, const yaml_node_t *exec,
                      struct gate_str dir, struct gate_arena *arena, struct gate_error *err) {
    if (exec == NULL || exec->type != YAML_MAPPING_NODE)
        return true;
    out->api_version = gate_str_copy(arena, text_of(document, exec, "apiVersion"));
    out->install_hint = gate_str_copy(arena, gate_str_trim(text_of(document, exec, "installHint")));
    out->wants_cluster = gate_str_equal(text_of(document, exec, "provideClusterInfo"), GATE_STR("true"));
    out->wants_person = gate_str_equal(text_of(document, exec, "interactiveMode"), GATE_STR("Always"));
    if (out->api_version.ptr == NULL || out->install_hint.ptr == NULL)
        return gate_arena_error(arena, err);
    return argv_read(out, document, exec, dir, arena, err) && environment_read(out, document, exec, arena, err);
}

static bool user_read(struct gate_kube_config *out, yaml_document_t *document, const yaml_node_t *user,
                      struct gate_str dir, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str plain = text_of(document, user, "token");
    const yaml_node_t *provider = value_of(document, user, "auth-provider");
    struct gate_str name = text_of(document, provider, "name");
    out->auth_provider =
        gate_str_copy(arena, provider != NULL && name.len == 0 ? GATE_STR("?") : gate_str_slice(name, 0, 60));
    if (out->auth_provider.ptr == NULL)
        return gate_arena_error(arena, err);
    if (!exec_read(&out->exec, document, value_of(document, user, "exec"), dir, arena, err) ||
        !pem_read(&out->client_pem, document, user, "client-certificate", dir, arena, err) ||
        !pem_read(&out->client_key_pem, document, user, "client-key", dir, arena, err))
        return false;
    out->token = gate_str_copy(arena, plain);
    if (out->token.ptr == NULL)
        return gate_arena_error(arena, err);
    if (plain.len == 0 && !pem_read(&out->token, document, user, "tokenFile", dir, arena, err))
        return false;
    out->token = gate_str_trim(out->token);
    return token_check(out, err);
}

static bool document_read(struct gate_kube_config *out, yaml_document_t *document, struct gate_str dir,
                          const char *context, struct gate_arena *arena, struct gate_error *err) {
    const yaml_node_t *root = yaml_document_get_root_node(document);
    struct gate_str name = context != NULL ? gate_str_from(context) : text_of(document, root, "current-context");
    const yaml_node_t *chosen = named(document, root, "contexts", name, "context");
    const yaml_node_t *cluster = named(document, root, "clusters", text_of(document, chosen, "cluster"), "cluster");
    const yaml_node_t *user = named(document, root, "users", text_of(document, chosen, "user"), "user");
    struct gate_str server = text_of(document, cluster, "server");
    if (chosen == NULL || server.len == 0)
        return gate_error_set(err, GATE_ERR_CONFIG, "the context '%.*s' is not in it, or has no cluster with a server",
                              GATE_STR_ARG(gate_str_slice(name, 0, 100)));
    while (gate_str_ends(server, GATE_STR("/")))
        server.len--;
    out->server = gate_str_copy(arena, server);
    if (out->server.ptr == NULL)
        return gate_arena_error(arena, err);
    out->is_insecure = gate_str_equal(text_of(document, cluster, "insecure-skip-tls-verify"), GATE_STR("true"));
    return pem_read(&out->ca_pem, document, cluster, "certificate-authority", dir, arena, err) &&
           user_read(out, document, user, dir, arena, err);
}

bool gate_kube_config_read(struct gate_kube_config *out, struct gate_str text, struct gate_str dir, const char *context,
                           struct gate_arena *arena, struct gate_error *err) {
    yaml_parser_t parser;
    yaml_document_t document;
    *out = (struct gate_kube_config){.token = GATE_STR("")};
    if (!yaml_parser_initialize(&parser))
        return gate_error_set(err, GATE_ERR_MEMORY, "no memory to read it");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.ptr, text.len);
    bool ok = yaml_parser_load(&parser, &document) != 0;
    if (ok) {
        ok = document_read(out, &document, dir, context, arena, err);
        yaml_document_delete(&document);
    } else {
        (void)gate_error_set(err, GATE_ERR_CONFIG, "it is not YAML: line %zu: %s", parser.problem_mark.line + 1,
                             parser.problem == NULL ? "" : parser.problem);
    }
    yaml_parser_delete(&parser);
    return ok;
}

/* ---- finding a configuration ------------------------------------------------------------------------------------- */

/* Return the places where this process finds its configuration: a file, KUBECONFIG, the home folder, or the service
 * account of its pod. */
static struct gate_kube_config_places kube_config_here(const char *file, const char *context) {
    return (struct gate_kube_config_places){.file = file,
                                            .context = context,
                                            .environment = getenv("KUBECONFIG"),
                                            .home = getenv("HOME"),
                                            .host = getenv("KUBERNETES_SERVICE_HOST"),
                                            .port = getenv("KUBERNETES_SERVICE_PORT"),
                                            .account = "/var/run/secrets/kubernetes.io/serviceaccount"};
}

static bool pod_read(struct gate_kube_config *out, const struct gate_kube_config_places *places,
                     struct gate_arena *arena, struct gate_error *err) {
    const bool is_v6 = strchr(places->host, ':') != NULL;
    struct gate_str token = gate_str_format(arena, "%s/token", places->account);
    struct gate_str ca = gate_str_format(arena, "%s/ca.crt", places->account);
    *out = (struct gate_kube_config){.server = gate_str_format(arena, "https://%s%s%s:%s", is_v6 ? "[" : "",
                                                               places->host, is_v6 ? "]" : "",
                                                               places->port == NULL ? "443" : places->port)};
    if (token.ptr == NULL || ca.ptr == NULL || out->server.ptr == NULL)
        return gate_arena_error(arena, err);
    if (!file_read(&out->token, token.ptr, arena, err) || !file_read(&out->ca_pem, ca.ptr, arena, err))
        return false;
    out->token = gate_str_trim(out->token);
    return token_check(out, err);
}

bool gate_kube_config_find(struct gate_kube_config *out, const struct gate_kube_config_places *places,
                           struct gate_arena *arena, struct gate_error *err) {
    struct gate_str path = {NULL, 0}, bytes;
    const char *list = places->environment;
    if (places->file != NULL)
        path = gate_str_copy(arena, gate_str_from(places->file));
    else if (list != NULL && list[0] != '\0')
        path = gate_str_copy(arena, gate_str_slice(gate_str_from(list), 0, strcspn(list, ":")));
    else if (places->host != NULL && places->host[0] != '\0')
        return pod_read(out, places, arena, err);
    else if (places->home != NULL)
        path = gate_str_format(arena, "%s/.kube/config", places->home);
    else
        return gate_error_set(err, GATE_ERR_USAGE, "no cluster is known; --kubeconfig FILE names one");
    if (path.ptr == NULL)
        return gate_arena_error(arena, err);
    if (!file_read(&bytes, path.ptr, arena, err))
        return false;
    struct gate_str dir = gate_str_slice(path, 0, path.len - gate_str_basename(path).len);
    return gate_kube_config_read(out, bytes, dir, places->context, arena, err) ||
           gate_error_prefix(err, "%s", path.ptr);
}

/* ---- running an exec plugin -------------------------------------------------------------------------------------- */

static const double COMMAND_SECONDS = 60;

static const double GRACE_SECONDS = 2;

enum { NOT_FOUND = 127 };

/* PPROFGATE_EXEC_SECONDS shortens the timeout in tests. */
static double seconds_of(void) {
    const char *value = getenv("PPROFGATE_EXEC_SECONDS");
    double seconds = value == NULL ? 0 : strtod(value, NULL);
    return seconds > 0 && seconds < COMMAND_SECONDS ? seconds : COMMAND_SECONDS;
}

static bool end_check(const struct gate_child *child, enum gate_child_wait end, const struct gate_kube_exec *exec,
                      struct gate_arena *arena, struct gate_error *err) {
    int status = child->status; /* macOS's macros cast const away */
    if (end == GATE_CHILD_LATE)
        return gate_error_set(err, GATE_ERR_CONFIG, "it did not end within %.0f s; does it wait for somebody?",
                              seconds_of());
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        return gate_error_set(err, GATE_ERR_CONFIG, "it is not there%s%.*s", exec->install_hint.len > 0 ? ": " : "",
                              GATE_STR_ARG(gate_str_slice(exec->install_hint, 0, 200)));
    return gate_child_is_well(child) || gate_error_set(err, GATE_ERR_CONFIG, "it %.*s; log in again, as for kubectl",
                                                       GATE_STR_ARG(gate_child_end(child, arena)));
}

static bool run(struct gate_str *out, const struct gate_kube_exec *exec, char *const *environment,
                const struct gate_child_output *file, struct gate_arena *arena, struct gate_error *err) {
    struct gate_child child = {0};
    struct gate_interrupt interrupt;
    const struct gate_child_options options = {
        .argv = exec->argv, .environment = environment, .out = file->descriptor, .log = STDERR_FILENO};
    gate_interrupt_hold(&interrupt);
    bool ok = gate_child_start(&child, &options, &interrupt, err);
    if (ok) {
        enum gate_child_wait end = gate_child_wait(&child, seconds_of(), &interrupt);
        gate_child_stop(&child, GRACE_SECONDS);
        ok = end == GATE_CHILD_INTERRUPTED ? gate_interrupt_error(&interrupt, err)
                                           : end_check(&child, end, exec, arena, err);
    }
    gate_interrupt_release(&interrupt);
    return ok && gate_child_output_read(file, out, arena, err);
}

/* ---- running an exec plugin: as kubectl does, without a shell, with empty standard input, for at most 60 s ------- */

/* Run the command. Its standard error goes to that of this process.
 *
 * err   GATE_ERR_CONFIG, with the command's name: it is missing, fails or exceeds 60 s, or as gate_kube_exec_check and
 *       gate_kube_exec_answer; GATE_ERR_IO */
static bool kube_command_run(struct gate_kube_exec_answer *out, const struct gate_kube_exec *exec,
                             const struct gate_kube_exec_cluster *cluster, struct gate_arena *arena,
                             struct gate_error *err) {
    struct gate_child_output file = {.descriptor = -1};
    struct gate_str text;
    char *const *environment;
    if (!gate_kube_exec_check(exec, err))
        return false;
    exec->environment[exec->environment_count] = gate_kube_exec_info(exec, cluster, arena).ptr;
    if (exec->environment[exec->environment_count] == NULL)
        return gate_arena_error(arena, err);
    bool ok = gate_child_environment(&environment, exec->environment, arena, err) &&
              gate_child_output_open(&file, NULL, arena, err) && run(&text, exec, environment, &file, arena, err) &&
              gate_kube_exec_answer(out, exec, text, gate_clock_ms(CLOCK_REALTIME), arena, err);
    gate_child_output_close(&file);
    return ok || gate_error_prefix(err, "the command '%s' of the cluster's configuration", exec->argv[0]);
}

/* ---- addresses as URLs of the cluster's API server --------------------------------------------------------------- */

struct expanding {
    struct gate_kube_sources *sources;
    struct gate_capture_plan *plan;
    struct gate_kube_config config;
    struct gate_arena *arena;
};

/* ---- credentials of the cluster ---------------------------------------------------------------------------------- */

static bool command_ask(struct expanding *expanding, struct gate_error *err) {
    const struct gate_kube_config *config = &expanding->config;
    const struct gate_kube_exec_cluster cluster = {config->server, config->ca_pem, config->is_insecure};
    struct gate_kube_exec_answer answer = {0};
    if (!kube_command_run(&answer, &config->exec, &cluster, expanding->arena, err))
        return false;
    expanding->plan->fetch.client_pem = answer.client_pem;
    expanding->plan->fetch.client_key_pem = answer.client_key_pem;
    return answer.token.len == 0 ||
           gate_credentials_of_token(&expanding->plan->credentials, answer.token, expanding->arena, err);
}

static bool credentials_fill(struct expanding *expanding, struct gate_error *err) {
    const struct gate_kube_config *config = &expanding->config;
    struct gate_capture_plan *plan = expanding->plan;
    const bool is_authorized = plan->credentials.authorization != NULL;
    plan->fetch.ca_pem = plan->fetch.ca_file == NULL ? config->ca_pem : GATE_STR("");
    plan->fetch.is_insecure = plan->fetch.is_insecure || config->is_insecure;
    if (is_authorized)
        return true;
    plan->fetch.client_pem = config->client_pem;
    plan->fetch.client_key_pem = config->client_key_pem;
    if (config->token.len > 0)
        return gate_credentials_of_token(&plan->credentials, config->token, expanding->arena, err);
    if (config->client_pem.len > 0)
        return true;
    if (config->exec.argv != NULL)
        return command_ask(expanding, err);
    return config->auth_provider.len == 0 ||
           gate_error_set(err, GATE_ERR_USAGE,
                          "the cluster's configuration names the auth-provider '%.*s', which is not known here and not "
                          "to kubectl since 1.26; let the cluster's own tool write the file anew, or give the token "
                          "with --token-env",
                          GATE_STR_ARG(config->auth_provider));
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static bool page_ask(struct gate_kube_pods *pods, struct gate_str *more, const struct gate_kube_address *address,
                     struct expanding *expanding, struct gate_error *err) {
    const struct gate_capture_plan *plan = expanding->plan;
    struct gate_str list = gate_kube_address_list(address, *more, expanding->arena);
    const struct gate_str parts[] = {expanding->config.server, list};
    struct gate_str text = gate_str_concat(expanding->arena, parts, 2);
    struct gate_fetch fetch = {
        .credentials = &plan->credentials, .max_bytes = GATE_KUBE_PAGE_BYTES_MAX, .is_of_store = true};
    struct gate_fetch *request = &fetch;
    struct gate_fetch_options options = plan->fetch;
    options.what = "the pods of the cluster";
    if (list.ptr == NULL || text.ptr == NULL)
        return gate_arena_error(expanding->arena, err);
    if (!gate_capture_url_read(&fetch.url, text, err) || !gate_fetch_all(&request, 1, &options, expanding->arena, err))
        return false;
    *err = fetch.err;
    bool ok = fetch.is_well && gate_kube_address_pods(pods, more, gate_buf_view(&fetch.body), expanding->arena, err);
    gate_buf_free(&fetch.body);
    gate_buf_free(&fetch.grpc_lines);
    return ok || gate_capture_plan_blame(plan, &fetch.url, gate_capture_url_show(&fetch.url, expanding->arena), err);
}

static bool pods_list(struct gate_kube_pods *pods, const struct gate_kube_address *address, struct expanding *expanding,
                      struct gate_error *err) {
    struct gate_str more = GATE_STR("");
    for (uint32_t page = 0; page == 0 || more.len > 0; page++) {
        if (page > GATE_KUBE_PODS_MAX)
            return gate_error_set(err, GATE_ERR_LIMIT, "the list of pods has no end");
        if (!page_ask(pods, &more, address, expanding, err))
            return false;
    }
    return pods->count > 0 ||
           gate_error_set(err, GATE_ERR_INPUT, "no running pod in the namespace '%.*s' has the labels '%.*s'",
                          GATE_STR_ARG(address->name_space), GATE_STR_ARG(address->selector));
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static bool proxy_add(const struct gate_kube_address *address, enum gate_side_name side, struct gate_str pod,
                      struct expanding *expanding, struct gate_error *err) {
    struct gate_kube_sources *sources = expanding->sources;
    struct gate_str server = expanding->config.server;
    struct gate_str url = gate_kube_address_proxy(address, server, pod, address->path, expanding->arena);
    struct gate_str work = gate_kube_address_proxy(address, server, pod, GATE_STR("/metrics"), expanding->arena);
    if (url.ptr == NULL || work.ptr == NULL)
        return gate_arena_error(expanding->arena, err);
    return gate_paths_add(&sources->urls[side], url.ptr, expanding->arena, err) &&
           gate_paths_add(&sources->work_urls[side], work.ptr, expanding->arena, err);
}

static bool address_expand(const char *text, enum gate_side_name side, struct expanding *expanding,
                           struct gate_error *err) {
    struct gate_kube_address address;
    struct gate_kube_pods pods = {0};
    if (!gate_kube_address_read(&address, gate_str_from(text), err))
        return false;
    if (address.selector.len == 0)
        return proxy_add(&address, side, GATE_STR(""), expanding, err);
    if (!pods_list(&pods, &address, expanding, err))
        return false;
    for (uint32_t i = 0; i < pods.count; i++)
        if (!proxy_add(&address, side, pods.names[i], expanding, err))
            return false;
    return true;
}

/* Return the number of Kubernetes addresses, or UINT32_MAX if there are other addresses, too. */
static uint32_t count_of_cluster(const struct gate_paths *urls) {
    uint32_t found = 0, all = 0;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < urls[side].count; i++, all++)
            found += gate_kube_address_is(gate_str_from(urls[side].items[i]));
    return found == 0 || found == all ? found : UINT32_MAX;
}

bool gate_kube_sources_expand(struct gate_kube_sources *sources, struct gate_capture_plan *plan, const char *kubeconfig,
                              const char *context, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_kube_sources given = *sources;
    struct expanding expanding = {.sources = sources, .plan = plan, .arena = arena};
    const struct gate_kube_config_places places = kube_config_here(kubeconfig, context);
    const uint32_t count = count_of_cluster(given.urls);
    if (count == 0)
        return (kubeconfig == NULL && context == NULL) ||
               gate_error_set(err, GATE_ERR_USAGE,
                              "options '--kubeconfig' and '--kube-context': they are for addresses that begin with "
                              "k8s://");
    if (count == UINT32_MAX || given.work_urls[GATE_BASELINE].count + given.work_urls[GATE_CANARY].count > 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "addresses that begin with k8s:// cannot be combined with others: the cluster's "
                              "credentials are sent to no other server");
    for (int side = 0; side < GATE_SIDES; side++) /* check all addresses before the first request */
        for (uint32_t i = 0; i < given.urls[side].count; i++) {
            struct gate_kube_address address;
            if (!gate_kube_address_read(&address, gate_str_from(given.urls[side].items[i]), err))
                return false;
        }
    if (!gate_kube_config_find(&expanding.config, &places, arena, err))
        return gate_error_prefix(err, "the cluster's configuration");
    if (!credentials_fill(&expanding, err))
        return false;
    *sources = (struct gate_kube_sources){0};
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < given.urls[side].count; i++)
            if (!address_expand(given.urls[side].items[i], (enum gate_side_name)side, &expanding, err))
                return false;
    return true;
}
