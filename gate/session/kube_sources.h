/* SPDX-License-Identifier: Apache-2.0 */
/* Expands Kubernetes addresses to URLs of the cluster's API server. */
#ifndef GATE_SESSION_KUBE_SOURCES_H
#define GATE_SESSION_KUBE_SOURCES_H

#include "gate/capture/capture_plan.h"
#include "gate/session/paths.h"
#include "gate/session/session.h"

/** Addresses of each side, and of the metrics next to them. */
struct gate_kube_sources {
    struct gate_paths urls[GATE_SIDES];
    struct gate_paths work_urls[GATE_SIDES]; /* written if the addresses are Kubernetes addresses */
};

/**
 * Replace addresses that begin with k8s:// by proxy URLs of the API server; a label selector becomes one URL per
 * running pod. Does nothing if there is no such address. Reads the cluster's configuration, and adds its certificates
 * to `plan`, and its credentials unless `plan` has some already.
 *
 * err  GATE_ERR_USAGE if an address is invalid, if only some addresses begin with k8s://, or if the configuration uses
 *      an unsupported auth-provider; GATE_ERR_INPUT if no running pod matches a selector; errors of
 *      gate_kube_config_find and of the API server
 */
GATE_MUST_CHECK
bool gate_kube_sources_expand(struct gate_kube_sources *sources, struct gate_capture_plan *plan, const char *kubeconfig,
                              const char *context, struct gate_session *session, struct gate_error *err);

#endif
