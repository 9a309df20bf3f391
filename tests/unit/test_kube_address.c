/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses in a Kubernetes cluster: how they are read, their address at the API server's proxy, and lists of pods,
 * which are untrusted input. */
#include "gate/capture/kubernetes.h"
#include "tests/unit/unit.h"

/* Address, its proxy address (for pod "p-1" if it has a selector), and its pod list. `proxy` is NULL if the address is
 * invalid. */
static const struct {
    const char *text, *proxy, *list;
} addresses[] = {
    {"k8s://prod/shop:6060", "S/api/v1/namespaces/prod/services/shop:6060/proxy/debug/pprof", NULL},
    {"k8s://prod/shop:http/x/debug/pprof", "S/api/v1/namespaces/prod/services/shop:http/proxy/x/debug/pprof", NULL},
    {"k8s://prod/pods:6060?selector=app=shop,version=1.4", "S/api/v1/namespaces/prod/pods/p-1:6060/proxy/debug/pprof",
     "/api/v1/namespaces/prod/pods?limit=100&labelSelector=app%3Dshop%2Cversion%3D1.4"},
    {"k8s://prod/pods:6060/prof?selector=app in (a, b)", "S/api/v1/namespaces/prod/pods/p-1:6060/proxy/prof",
     "/api/v1/namespaces/prod/pods?limit=100&labelSelector=app%20in%20%28a%2C%20b%29"},
    {"k8s://prod/pods:6060", "S/api/v1/namespaces/prod/services/pods:6060/proxy/debug/pprof", NULL},
    {"k8s://prod", NULL, NULL},
    {"k8s://prod/shop", NULL, NULL},
    {"k8s://prod/shop:", NULL, NULL},
    {"k8s:///shop:1", NULL, NULL},
    {"k8s://../shop:1", NULL, NULL},
    {"k8s://prod/sh op:1", NULL, NULL},
    {"k8s://prod/Shop:1", NULL, NULL},
    {"k8s://prod/shop:1?selector=a", NULL, NULL},
    {"k8s://prod/pods:1?selector=", NULL, NULL},
    {"k8s://prod/pods:1?labels=a", NULL, NULL},
    {"k8s://prod/pods:1?selector=a&b=c", NULL, NULL},
    {"http://prod/shop:1", NULL, NULL},
};

TEST(kubernetes_addresses_become_proxy_urls) {
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        struct gate_error err = {0};
        struct gate_kube_address address;
        bool ok = gate_kube_address_read(&address, gate_str_from(addresses[i].text), &err);
        if (ok != (addresses[i].proxy != NULL))
            fail_msg("%s: %s", addresses[i].text, err.message);
        if (ok) {
            struct gate_str pod = address.selector.len > 0 ? GATE_STR("p-1") : GATE_STR("");
            assert_string_equal(gate_kube_address_proxy(&address, GATE_STR("S"), pod, address.path, &arena).ptr,
                                addresses[i].proxy);
            if (addresses[i].list != NULL)
                assert_string_equal(gate_kube_address_list(&address, GATE_STR(""), &arena).ptr, addresses[i].list);
            assert_non_null(strstr(gate_kube_address_list(&address, GATE_STR("a&b"), &arena).ptr, "&continue=a%26b"));
        } else {
            assert_non_null(strstr(err.message, "expected k8s://NAMESPACE/SERVICE:PORT"));
        }
    }
}

#define POD(name, phase) "{\"metadata\":{\"name\":\"" name "\"},\"status\":{\"phase\":\"" phase "\"}}"

/* Body of a pod list, the number of pods taken from it, and the token of the next page. `more` is NULL if the body is
 * invalid. */
static const struct {
    const char *body;
    uint32_t count;
    const char *more;
} lists[] = {
    {"{\"items\":[]}", 0, ""},
    {"{\"items\":[" POD("a", "Running") "," POD("b-2", "Running") "],\"metadata\":{\"continue\":\"x=\"}}", 2, "x="},
    {"{\"items\":[" POD("a", "Pending") "," POD("b", "Succeeded") ",{\"metadata\":{\"name\":\"c\"}}]}", 0, ""},
    {"{\"items\":[{\"metadata\":{\"name\":\"c\",\"deletionTimestamp\":\"t\"},\"status\":{\"phase\":\"Running\"}}]}", 0,
     ""},
    {"{\"items\":[" POD("../../secrets/x", "Running") "]}", 0, NULL},
    {"{\"items\":[" POD("", "Running") "]}", 0, NULL},
    {"{\"items\":[7]}", 0, NULL},
    {"{\"items\":{}}", 0, NULL},
    {"{}", 0, NULL},
    {"[]", 0, NULL},
    {"<html>", 0, NULL},
};

TEST(malformed_lists_of_pods_are_refused) {
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct gate_error err = {0};
        struct gate_kube_pods pods = {0};
        struct gate_str more = GATE_STR("");
        bool ok = gate_kube_address_pods(&pods, &more, gate_str_from(lists[i].body), &arena, &err);
        if (ok != (lists[i].more != NULL) || (!ok && err.message[0] == '\0'))
            fail_msg("list %zu: %s", i, err.message);
        if (ok) {
            assert_int_equal(pods.count, lists[i].count);
            assert_true(gate_str_equal(more, gate_str_from(lists[i].more)));
        }
    }
}

TEST(too_many_pods_are_refused) {
    struct gate_kube_pods pods = {0};
    struct gate_str more = GATE_STR("");
    for (uint32_t i = 0; i < GATE_KUBE_PODS_MAX; i++)
        assert_true(
            gate_kube_address_pods(&pods, &more, GATE_STR("{\"items\":[" POD("a", "Running") "]}"), &arena, &err));
    assert_false(gate_kube_address_pods(&pods, &more, GATE_STR("{\"items\":[" POD("a", "Running") "]}"), &arena, &err));
    assert_int_equal(err.code, GATE_ERR_LIMIT);
}
