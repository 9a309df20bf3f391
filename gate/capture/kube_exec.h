/* SPDX-License-Identifier: Apache-2.0 */
/* The command that a kubeconfig names for who we are to a cluster (client-go's "exec"): what it is told, and what it
 * answers, an ExecCredential of client.authentication.k8s.io. It is run by cli/kube_command.h.
 * Pipeline: capture/kube_config.h -> capture/kube_exec.h -> cli/kube_command.h -> cli/kube_sources.h */
#ifndef GATE_CAPTURE_KUBE_EXEC_H
#define GATE_CAPTURE_KUBE_EXEC_H

#include "gate/base/str.h"

/** As it stands in the file. Arena memory; `argv[0]` NULL: there is none. */
struct gate_kube_exec {
    const char **argv;        /* NULL-terminated */
    const char **environment; /* "NAME=VALUE", NULL-terminated, with room for one more */
    uint32_t environment_count;
    struct gate_str api_version, install_hint;
    bool wants_cluster; /* provideClusterInfo */
    bool wants_person;  /* interactiveMode: Always */
};

/** Of the cluster, for a command that wants to know. */
struct gate_kube_exec_cluster {
    struct gate_str server, ca_pem;
    bool is_insecure;
};

/** What a command answered. Arena memory; empty: not there. */
struct gate_kube_exec_answer {
    struct gate_str token, client_pem, client_key_pem;
};

/** err: GATE_ERR_CONFIG a version of the protocol that is not v1 or v1beta1, or a command that wants a person. */
GATE_MUST_CHECK bool gate_kube_exec_check(const struct gate_kube_exec *exec, struct gate_error *err);

/** "KUBERNETES_EXEC_INFO={...}". `.ptr` is NULL when the arena is full. */
struct gate_str gate_kube_exec_info(const struct gate_kube_exec *exec, const struct gate_kube_exec_cluster *cluster,
                                    struct gate_arena *arena);

/**
 * Read what the command wrote.
 *
 * now_ms  Unix milliseconds: what has expired by then is no answer
 * err     GATE_ERR_CONFIG it is no ExecCredential of that version, has nothing in it, or has expired. Never says what
 * is secret.
 */
GATE_MUST_CHECK
bool gate_kube_exec_answer(struct gate_kube_exec_answer *out, const struct gate_kube_exec *exec, struct gate_str text,
                           int64_t now_ms, struct gate_arena *arena, struct gate_error *err);

#endif
