/* SPDX-License-Identifier: Apache-2.0 */
/* Options that name the store of baselines, the service, the environment and the revision. */
#ifndef GATE_SESSION_STORE_OPTIONS_H
#define GATE_SESSION_STORE_OPTIONS_H

#include "gate/store/record.h"
#include "gate/store/store.h"

/** All zero: no options. */
struct gate_store_options {
    const char *store;              /* --store */
    const char *service;            /* --service */
    const char *environment;        /* --environment, or NULL: the default one */
    const char *revision;           /* --revision, or NULL: that of the checkout */
    struct gate_record_fact *facts; /* --fact */
    uint32_t fact_count;
    size_t fact_capacity;
    bool is_elsewhere;   /* --elsewhere: the profiles were taken on another machine */
    bool may_be_tracked; /* --store-in-checkout: read the store even if git tracks files in it */
};

/** Check the options. err: GATE_ERR_USAGE if --store is missing, if `needs_service` and --service is missing, or if
 * a name is invalid. */
GATE_MUST_CHECK
bool gate_store_options_check(const struct gate_store_options *options, bool needs_service, struct gate_error *err);

/**
 * Open the store for reading, for a command that decides by its content. `options` must outlive the store.
 *
 * err   GATE_ERR_INPUT if git tracks files in the store and --store-in-checkout is not given; errors of
 *       gate_tracked_find and gate_store_open
 */
GATE_MUST_CHECK
bool gate_store_options_open(struct gate_store *out, const struct gate_store_options *options, struct gate_arena *arena,
                             struct gate_error *err);

/** Return the value of --service (empty if not given) or --environment ("default" if not given). */
struct gate_str gate_store_options_service_name(const struct gate_store_options *options);

struct gate_str gate_store_options_environment_name(const struct gate_store_options *options);

/**
 * Find the revision: --revision, else `version`, else the checkout's HEAD. If git does not have it, sets `*commit`
 * empty and `*why` to the reason.
 *
 * version   version in the query of a profile store; empty: none
 * revision  the commit, or the name as given if git does not have it; empty if none was given and there is no checkout
 * err       GATE_ERR_USAGE if the revision's name is invalid; GATE_ERR_LIMIT
 */
GATE_MUST_CHECK
bool gate_store_options_revision(struct gate_str *revision, struct gate_str *commit, struct gate_str *why,
                                 const struct gate_store_options *options, struct gate_str version,
                                 struct gate_arena *arena, struct gate_error *err);

/** Return the current Unix time in ms. SOURCE_DATE_EPOCH can only move it forward, at most to the year 9999; another
 * value is ignored. */
int64_t gate_store_options_now(void);

#endif
