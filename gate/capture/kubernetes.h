/* SPDX-License-Identifier: Apache-2.0 */
/* Kubernetes: addresses of pods, and the cluster and credentials of a kubeconfig or of the pod that the program runs
 * in. */
#ifndef GATE_CAPTURE_KUBERNETES_H
#define GATE_CAPTURE_KUBERNETES_H

#include "gate/base/str.h"
#include "gate/capture/paths.h"
#include "gate/compare/pair_types.h"

/* ---- exec plugins ------------------------------------------------------------------------------------------------ */

/* The "exec" command of a kubeconfig, as in client-go: the program runs it to get credentials, and it prints an
 * ExecCredential of client.authentication.k8s.io. */

/** The section "exec" of a user, in an arena. `argv[0]` NULL: there is none. */
struct gate_kube_exec {
    const char **argv;        /* NULL-terminated */
    const char **environment; /* "NAME=VALUE", NULL-terminated, with room for one more */
    uint32_t environment_count;
    struct gate_str api_version, install_hint;
    bool wants_cluster; /* provideClusterInfo */
    bool wants_person;  /* interactiveMode: Always */
};

/** The cluster, for a command with provideClusterInfo. */
struct gate_kube_exec_cluster {
    struct gate_str server, ca_pem;
    bool is_insecure;
};

/** The credentials that a command printed, in an arena. Empty: not given. */
struct gate_kube_exec_answer {
    struct gate_str token, client_pem, client_key_pem;
};

/** Check that the command can be run. err: GATE_ERR_CONFIG the protocol's version is not v1 or v1beta1, or the command
 * needs a terminal. */
GATE_MUST_CHECK bool gate_kube_exec_check(const struct gate_kube_exec *exec, struct gate_error *err);

/** Return "KUBERNETES_EXEC_INFO={...}", the command's input. `.ptr` is NULL if `arena` is full. */
struct gate_str gate_kube_exec_info(const struct gate_kube_exec *exec, const struct gate_kube_exec_cluster *cluster,
                                    struct gate_arena *arena);

/**
 * Read the command's output.
 *
 * now_ms  Unix time: credentials that expired before it are refused
 * err     GATE_ERR_CONFIG not an ExecCredential of that version, without credentials, or expired. Never contains
 *         secrets.
 */
GATE_MUST_CHECK
bool gate_kube_exec_answer(struct gate_kube_exec_answer *out, const struct gate_kube_exec *exec, struct gate_str text,
                           int64_t now_ms, struct gate_arena *arena, struct gate_error *err);

/* ---- the cluster ------------------------------------------------------------------------------------------------- */

/** Cluster and credentials, in an arena; empty: not given. */
struct gate_kube_config {
    struct gate_str server; /* "https://10.0.0.1:6443", without a slash at the end */
    struct gate_str ca_pem, client_pem, client_key_pem;
    struct gate_str token;
    bool is_insecure;
    struct gate_kube_exec exec;    /* command that prints the user's credentials */
    struct gate_str auth_provider; /* legacy plugin for the credentials, which kubectl no longer supports */
};

/**
 * Read a kubeconfig file. Certificates and keys that it names are read, too.
 *
 * dir      folder of the file, for relative names in it
 * context  NULL: the current context
 * err      GATE_ERR_CONFIG not a kubeconfig, or an entry that it refers to is missing; GATE_ERR_IO. Never contains
 *          secrets.
 */
GATE_MUST_CHECK
bool gate_kube_config_read(struct gate_kube_config *out, struct gate_str text, struct gate_str dir, const char *context,
                           struct gate_arena *arena, struct gate_error *err);

/** Where a configuration may be. NULL: not set. */
struct gate_kube_config_places {
    const char *file, *context; /* values of the options */
    const char *environment;    /* KUBECONFIG: only the first file of the list is used */
    const char *home;           /* HOME, for .kube/config */
    const char *host, *port;    /* KUBERNETES_SERVICE_HOST and _PORT, set in a pod */
    const char *account;        /* folder with a pod's token and ca.crt */
};

/** Find the configuration: file of the option, else KUBECONFIG, else that of a pod, else ~/.kube/config. err: as
 * gate_kube_config_read, with the file's name; GATE_ERR_USAGE there is none. */
GATE_MUST_CHECK
bool gate_kube_config_find(struct gate_kube_config *out, const struct gate_kube_config_places *places,
                           struct gate_arena *arena, struct gate_error *err);

/* ---- addresses of pods: k8s:// ----------------------------------------------------------------------------------- */

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
 * Return the path and query that list a page of the selector's pods. `more` is the token of the page from the one
 * before, or empty. `.ptr` is NULL if `arena` is full.
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

/* ---- addresses as URLs of the cluster's API server --------------------------------------------------------------- */

struct gate_capture_plan;

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
                              const char *context, struct gate_arena *arena, struct gate_error *err);

#endif
