/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of programs in a Kubernetes cluster, as those of the API server's proxy, and the pods that a selector
 * means. Pipeline: --baseline, --canary -> capture/kube_address.h -> capture/capture_url.h */
#ifndef GATE_CAPTURE_KUBE_ADDRESS_H
#define GATE_CAPTURE_KUBE_ADDRESS_H

#include "gate/capture/capture_url.h"

/** "k8s://NAMESPACE/SERVICE:PORT/PATH", or "k8s://NAMESPACE/pods:PORT/PATH?selector=LABELS". */
struct gate_kube_address {
    struct gate_str name_space, service, port;
    struct gate_str path;     /* "/debug/pprof" where nothing is said */
    struct gate_str selector; /* "app=shop,version=1.4": every running pod with these labels; empty: the service */
};

bool gate_kube_address_is(struct gate_str text);

/** Views of `text`. err: GATE_ERR_USAGE what is expected. */
GATE_MUST_CHECK
bool gate_kube_address_read(struct gate_kube_address *out, struct gate_str text, struct gate_error *err);

/**
 * The address by the proxy of `server`, of the service or of `pod`, with `path` behind it. `.ptr` is NULL when the
 * arena is full; else with a NUL behind it.
 */
struct gate_str gate_kube_address_proxy(const struct gate_kube_address *address, struct gate_str server,
                                        struct gate_str pod, struct gate_str path, struct gate_arena *arena);

enum { GATE_KUBE_PODS_MAX = 200, GATE_KUBE_PAGE_BYTES_MAX = 16 * 1024 * 1024 }; /* of pods, of an answer */

/** Names of pods. Zeroed: none. Arena memory. */
struct gate_kube_pods {
    struct gate_str *names; /* room for GATE_KUBE_PODS_MAX */
    uint32_t count;
};

/** What lists the pods of the selector, a page of it, behind the server's address; `more` is where the page before
 * ended, or empty. `.ptr` is NULL when the arena is full. */
struct gate_str gate_kube_address_list(const struct gate_kube_address *address, struct gate_str more,
                                       struct gate_arena *arena);

/**
 * Add the running pods of a page, by a PodList in JSON, which is not trusted.
 *
 * more  where the next page begins; empty: there is none
 * err   GATE_ERR_FORMAT it is no such list, or a pod has a name that is none; GATE_ERR_LIMIT more than
 *       GATE_KUBE_PODS_MAX pods
 */
GATE_MUST_CHECK
bool gate_kube_address_pods(struct gate_kube_pods *pods, struct gate_str *more, struct gate_str body,
                            struct gate_arena *arena, struct gate_error *err);

#endif
