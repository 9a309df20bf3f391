/* SPDX-License-Identifier: Apache-2.0 */
/* The options of commands that use a store of baselines: where it is, whose baselines, of which revision and machine.
 * Pipeline: cli/options.h -> cli/store_options.h -> cli/accepting.h, cli/accepted.h, cli/cmd_baseline_*.c */
#ifndef GATE_CLI_STORE_OPTIONS_H
#define GATE_CLI_STORE_OPTIONS_H

#include "gate/cli/options.h"
#include "gate/store/record.h"

/** Zeroed: nothing told. */
struct gate_store_options {
    const char *store;              /* --store */
    const char *service;            /* --service */
    const char *environment;        /* --environment, or NULL: the default one */
    const char *revision;           /* --revision, or NULL: the checkout's */
    struct gate_record_fact *facts; /* --fact */
    uint32_t fact_count;
    size_t fact_capacity;
    bool is_elsewhere; /* --elsewhere: this machine is not that of the profiles */
};

/* Groups of rows; each fills a struct gate_store_options. */
extern const struct gate_option_group gate_store_options_place;   /* --store, --service, --environment */
extern const struct gate_option_group gate_store_options_service; /* --service, --environment: of a store that is named
                                                                     by the command */
extern const struct gate_option_group gate_store_options_change;  /* --revision, --fact, --elsewhere */

/** --store alone, for commands that look at all of it. */
extern const struct gate_option_group gate_store_options_folder;

/** GATE_ERR_USAGE no --store; with `needs_service` no --service; a name that cannot be one. */
GATE_MUST_CHECK
bool gate_store_options_check(const struct gate_store_options *options, bool needs_service, struct gate_error *err);

/** --service, --environment; empty where not told but for `gate_store_options_environment`'s default. */
struct gate_str gate_store_options_service_name(const struct gate_store_options *options);
struct gate_str gate_store_options_environment_name(const struct gate_store_options *options);

/**
 * The revision of the checkout or as told. Where git does not know it, `*commit` is empty and `*why` says so.
 *
 * version   what profiles of a store were asked for, where --revision says nothing; empty: nothing is known of it
 * revision  as told where git does not know it, else the commit; empty: none was told and there is no checkout
 * err       GATE_ERR_USAGE a --revision that cannot be one; GATE_ERR_LIMIT
 */
GATE_MUST_CHECK
bool gate_store_options_revision(struct gate_str *revision, struct gate_str *commit, struct gate_str *why,
                                 const struct gate_store_options *options, struct gate_str version,
                                 struct gate_arena *arena, struct gate_error *err);

/** Now in milliseconds of Unix time; SOURCE_DATE_EPOCH can only move it on, never back. */
int64_t gate_store_options_now(void);

#endif
