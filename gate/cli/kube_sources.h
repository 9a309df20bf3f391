/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses in a Kubernetes cluster on a command line, as those of the API server's proxy: one a service, or one a pod
 * of a selector.
 * Pipeline: cli/options.h -> cli/kube_sources.h -> cli/capture_options.h */
#ifndef GATE_CLI_KUBE_SOURCES_H
#define GATE_CLI_KUBE_SOURCES_H

#include "gate/capture/capture_plan.h"
#include "gate/cli/cli.h"
#include "gate/cli/paths.h"

/** Addresses by side, and where the counters of work are beside them. */
struct gate_kube_sources {
    struct gate_paths urls[GATE_SIDES];
    struct gate_paths work_urls[GATE_SIDES]; /* set where addresses are of a cluster */
};

/**
 * Replace addresses that begin with k8s://, all or none: find the cluster, ask it for the pods of selectors, and set
 * what `plan` needs to be let in. Who we are is what the plan has already, else what the cluster's configuration says.
 *
 * err  GATE_ERR_USAGE an address that is none, beside others, or a user whose token comes from a command;
 * GATE_ERR_INPUT a selector without a running pod; what gate_kube_config_find and the API server say
 */
GATE_MUST_CHECK
bool gate_kube_sources_expand(struct gate_kube_sources *sources, struct gate_capture_plan *plan, const char *kubeconfig,
                              const char *context, struct gate_cli *cli, struct gate_error *err);

#endif
