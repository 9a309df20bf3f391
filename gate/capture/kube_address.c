/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of pods and services in a Kubernetes cluster. */
#include "gate/capture/kube_address.h"

#include "gate/base/buf.h"
#include "gate/capture/capture_url.h"
#include "gate/formats/json_tree.h"

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
        ok = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
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

static void put_encoded(struct gate_buf *out, struct gate_str text) {
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '.')
            gate_buf_char(out, (char)c);
        else
            gate_buf_printf(out, "%%%02X", (unsigned)c);
    }
}

struct gate_str gate_kube_address_list(const struct gate_kube_address *address, struct gate_str more,
                                       struct gate_arena *arena) {
    struct gate_buf out = {0};
    gate_buf_printf(&out, "/api/v1/namespaces/%.*s/pods?limit=%d&labelSelector=", GATE_STR_ARG(address->name_space),
                    PAGE_PODS);
    put_encoded(&out, address->selector);
    if (more.len > 0)
        gate_buf_text(&out, "&continue=");
    put_encoded(&out, more);
    struct gate_str text = out.failed ? (struct gate_str){NULL, 0} : gate_str_copy(arena, gate_buf_view(&out));
    gate_buf_free(&out);
    return text;
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
