/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of pods and services in a Kubernetes cluster, reached through the API server's proxy. */
#ifndef GATE_CAPTURE_KUBE_ADDRESS_H
#define GATE_CAPTURE_KUBE_ADDRESS_H

#include "gate/capture/capture_url.h"

/** "k8s://NAMESPACE/SERVICE:PORT/PATH", or "k8s://NAMESPACE/pods:PORT/PATH?selector=LABELS". */
struct gate_kube_address {
    struct gate_str name_space, service, port;
    struct gate_str path;     /* "/debug/pprof" if the address has none */
    struct gate_str selector; /* "app=shop,version=1.4": all running pods with these labels; empty: the service */
};

/** Return whether `text` begins with "k8s://". */
bool gate_kube_address_is(struct gate_str text);

/** Read an address; `out` has views of `text`. err: GATE_ERR_USAGE what is expected. */
GATE_MUST_CHECK
bool gate_kube_address_read(struct gate_kube_address *out, struct gate_str text, struct gate_error *err);

/**
 * Return the URL of the proxy of API server `server` for `pod`, or for the service if `pod` is empty, with `path`
 * appended. It has a NUL at the end; `.ptr` is NULL if `arena` is full.
 */
struct gate_str gate_kube_address_proxy(const struct gate_kube_address *address, struct gate_str server,
                                        struct gate_str pod, struct gate_str path, struct gate_arena *arena);

enum {
    GATE_KUBE_PODS_MAX = 200,
    GATE_KUBE_PAGE_BYTES_MAX = 16 * 1024 * 1024
}; /* pods of a selector; bytes of an
      answer */

/** Names of pods, in an arena. Zeroed: none. */
struct gate_kube_pods {
    struct gate_str *names; /* has room for GATE_KUBE_PODS_MAX */
    uint32_t count;
};

/**
 * Return the path and query that list a page of the selector's pods. `more` is where the last page ended, or empty.
 * `.ptr` is NULL if `arena` is full.
 */
struct gate_str gate_kube_address_list(const struct gate_kube_address *address, struct gate_str more,
                                       struct gate_arena *arena);

/**
 * Add the running pods of a page, a PodList in JSON, which is not trusted.
 *
 * more  token of the next page; empty: this is the last one
 * err   GATE_ERR_FORMAT not such a list, or a pod's name is invalid; GATE_ERR_LIMIT more than GATE_KUBE_PODS_MAX pods
 */
GATE_MUST_CHECK
bool gate_kube_address_pods(struct gate_kube_pods *pods, struct gate_str *more, struct gate_str body,
                            struct gate_arena *arena, struct gate_error *err);

#endif
