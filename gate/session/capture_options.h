/* SPDX-License-Identifier: Apache-2.0 */
/* Options that define where profiles are captured: live endpoints, time windows of profile stores, requests. */
#ifndef GATE_SESSION_CAPTURE_OPTIONS_H
#define GATE_SESSION_CAPTURE_OPTIONS_H

#include "gate/capture/capture.h"
#include "gate/session/file_roles.h"
#include "gate/session/profile_options.h"
#include "gate/session/session.h"

/* ---- time windows of profile stores ------------------------------------------------------------------------------ */

/** Options of the command line; NULL: not given. */
struct gate_backend_windows {
    const char *window, *from, *to; /* window of both sides, used if an address has none */
    const char *baseline_ago;       /* duration by which the baseline's window is earlier */
    const char *work_url, *work_query, *work_query_canary;
    uint32_t runs; /* number of slices, used if no address has one */
    double settle_seconds;
    /* Not options. Set by commands that capture slices live: number of slices, length of a slice, and begin of the
     * first slice in Unix time (0: now). */
    uint32_t coming;
    int64_t coming_ms, begin_ms;
};

/* ---- options of commands that capture from live endpoints -------------------------------------------------------- */

/** Options of the command line; gate_capture_options_how sets the defaults. */
struct gate_capture_options {
    struct gate_paths urls[GATE_SIDES];
    const char *kinds; /* comma-separated list, such as "cpu,heap" */
    uint32_t seconds;
    double warm_up_seconds;
    const char *work_metric, *work_by; /* or NULL */
    struct gate_paths work_urls[GATE_SIDES];
    double timeout_seconds, connect_seconds;
    uint32_t retries;
    size_t max_bytes;
    int follow_redirects; /* 0: follow redirects to the same server only, 1: to any server */
    const char *ca_file;
    const char *kubeconfig, *kube_context; /* or NULL */
    bool is_insecure;
    struct gate_credentials_places credentials;
    struct gate_backend_windows windows; /* for profile stores */
    const struct gate_limits *limits;    /* not an option: limits of each profile that is captured; never NULL */
    bool resumes_judged;                 /* not an option; see `struct gate_capture_plan` */
    bool leaves_out_empty;               /* not an option; see `struct gate_capture_plan` */
};

/**
 * Make the capture plan from the options. Notes and progress go to `session`. Free with gate_capture_options_end.
 *
 * err   GATE_ERR_USAGE if an address is missing or invalid, a kind is unknown, or --work-by has no --work-metric;
 *       errors of gate_credentials_read and gate_metrics_selector_read. No message contains a secret.
 */
GATE_MUST_CHECK
bool gate_capture_options_finish(struct gate_capture_plan *out, const struct gate_capture_options *options,
                                 const char *dir, struct gate_session *session, struct gate_error *err);

/** Add the files that the options read to `roles`: tokens, certificates, the cluster's configuration. */
GATE_MUST_CHECK
bool gate_capture_options_note(const struct gate_capture_options *options, struct gate_file_roles *roles,
                               struct gate_arena *arena, struct gate_error *err);

/** Free what gate_capture_options_finish allocated. May be called after it failed. */
void gate_capture_options_end(struct gate_capture_plan *plan);

/* ---- addresses of profile stores among the profiles of a command line -------------------------------------------- */

/**
 * Query the store for each address in `lists`, and replace the address by the names of its slices. The slices stay in
 * memory, where gate_input_read finds them by name. Does nothing if `lists` has no address of a store.
 *
 * lists  one per side, or a single one
 * err    GATE_ERR_USAGE if an address or a window is invalid, or if profiles are named twice; errors of the store, with
 *        the address
 */
GATE_MUST_CHECK
bool gate_backend_inputs_take(struct gate_paths *lists, uint32_t count, const struct gate_capture_options *options,
                              struct gate_session *session, struct gate_error *err);

/** Return what `lists` need besides files (base/sandbox.h): the network if they have an address of a store. */
unsigned gate_backend_inputs_needs(const struct gate_paths *lists, uint32_t count);

/**
 * Like gate_backend_inputs_take, for both sides of `profiles`: its arguments, --baseline and --canary. If each side is
 * one address, slices of the same number are paired.
 *
 * has_baseline  the baseline is accepted in a store, so all arguments are canaries
 */
GATE_MUST_CHECK
bool gate_backend_inputs_sides(struct gate_profile_options *profiles, bool has_baseline,
                               const struct gate_capture_options *options, struct gate_session *session,
                               struct gate_error *err);

#endif
