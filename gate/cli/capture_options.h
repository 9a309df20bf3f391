/* SPDX-License-Identifier: Apache-2.0 */
/* The options of commands that take profiles from live endpoints.
 * Pipeline: cli/options.h -> cli/capture_options.h -> capture/capture.h */
#ifndef GATE_CLI_CAPTURE_OPTIONS_H
#define GATE_CLI_CAPTURE_OPTIONS_H

#include "gate/capture/capture_plan.h"
#include "gate/cli/backend_windows.h"
#include "gate/cli/cli.h"
#include "gate/cli/options.h"

/** What a command line says of where profiles come from; begin with gate_capture_options_begin. */
struct gate_capture_options {
    struct gate_paths urls[GATE_SIDES];
    const char *kinds; /* "cpu,heap" */
    uint32_t seconds;
    double warm_up_seconds;
    const char *work_metric, *work_by; /* or NULL */
    struct gate_paths work_urls[GATE_SIDES];
    double timeout_seconds, connect_seconds;
    uint32_t retries;
    size_t max_bytes;
    int follow_redirects; /* 0: to the same server, 1: any */
    const char *ca_file;
    const char *kubeconfig, *kube_context; /* or NULL */
    bool is_insecure;
    struct gate_credentials_places credentials;
    struct gate_backend_windows windows; /* of stores: rows of their own (cli/backend_windows.h) */
    bool goes_on_judged;                 /* no option: see capture/capture_plan.h */
};

/* Groups of rows; each fills a struct gate_capture_options. */
extern const struct gate_option_group gate_capture_options_what; /* whom, which kinds, how long, work */
extern const struct gate_option_group gate_capture_options_how;  /* "How they are asked for:" */

void gate_capture_options_begin(struct gate_capture_options *options);

/** What asking them needs beside files (base/sandbox.h): the network, and to begin with other programs where the
 * configuration of a cluster may name one that tells who we are; gate_capture_options_finish has run it then. */
unsigned gate_capture_options_needs(const struct gate_capture_options *options);

/** The same as gate_capture_options_how, for commands that ask nobody but stores. */
extern const struct gate_option_group gate_capture_options_stores;

/** The part of a plan that says how is asked: limits, who is told, credentials. err: what gate_credentials_read says.
 */
GATE_MUST_CHECK
bool gate_capture_options_ask(struct gate_capture_plan *out, const struct gate_capture_options *options,
                              struct gate_cli *cli, struct gate_error *err);

/**
 * The plan of the options, which tells its notes and progress to `cli`. Free with gate_capture_options_end.
 *
 * err   GATE_ERR_USAGE an address that is missing or not one, an unknown kind, a label without a metric; what
 *       gate_credentials_read and gate_metrics_selector_read say. No message holds a secret.
 */
GATE_MUST_CHECK
bool gate_capture_options_finish(struct gate_capture_plan *out, const struct gate_capture_options *options,
                                 const char *dir, struct gate_cli *cli, struct gate_error *err);

void gate_capture_options_end(struct gate_capture_plan *plan);

#endif
