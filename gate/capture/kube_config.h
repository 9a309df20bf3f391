/* SPDX-License-Identifier: Apache-2.0 */
/* Which cluster, and who we are to it: from a kubeconfig file, or from what a pod is given.
 * Pipeline: --kubeconfig, KUBECONFIG, the pod -> capture/kube_config.h -> capture/fetch.h */
#ifndef GATE_CAPTURE_KUBE_CONFIG_H
#define GATE_CAPTURE_KUBE_CONFIG_H

#include "gate/capture/kube_exec.h"

/** Arena memory; empty: not said. */
struct gate_kube_config {
    struct gate_str server; /* "https://10.0.0.1:6443", without a slash at the end */
    struct gate_str ca_pem, client_pem, client_key_pem;
    struct gate_str token;
    bool is_insecure;
    struct gate_kube_exec exec;    /* the command that the user's credentials come from */
    struct gate_str auth_provider; /* the plugin that they come from, which kubectl itself has given up */
};

/**
 * Read a kubeconfig, a file of kubectl. Files that it names are read beside it.
 *
 * dir      of the file, for the names in it
 * context  NULL: the current one
 * err      GATE_ERR_CONFIG it is not one, or what it names is not in it; GATE_ERR_IO. Never says what is secret.
 */
GATE_MUST_CHECK
bool gate_kube_config_read(struct gate_kube_config *out, struct gate_str text, struct gate_str dir, const char *context,
                           struct gate_arena *arena, struct gate_error *err);

/** Where it is found. NULL: not there. */
struct gate_kube_config_places {
    const char *file, *context; /* as an option says */
    const char *environment;    /* KUBECONFIG: the first file of the list counts */
    const char *home;           /* HOME: .kube/config in it */
    const char *host, *port;    /* KUBERNETES_SERVICE_HOST and _PORT: of a pod */
    const char *account;        /* the folder of a pod's token and ca.crt */
};

/** The places of this process. */
struct gate_kube_config_places gate_kube_config_here(const char *file, const char *context);

/** By the option, else KUBECONFIG, else as a pod, else ~/.kube/config. err: as above, with the file's name. */
GATE_MUST_CHECK
bool gate_kube_config_find(struct gate_kube_config *out, const struct gate_kube_config_places *places,
                           struct gate_arena *arena, struct gate_error *err);

#endif
