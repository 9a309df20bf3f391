/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be taken from whom, and whether that can be.
 * Pipeline: cli/capture_options.h -> capture/capture_plan.h -> capture/capture.h */
#ifndef GATE_CAPTURE_CAPTURE_PLAN_H
#define GATE_CAPTURE_CAPTURE_PLAN_H

#include "gate/capture/backend_query.h"
#include "gate/capture/credentials.h"
#include "gate/capture/fetch_types.h"
#include "gate/capture/metrics.h"
#include "gate/capture/work_query.h"
#include "gate/profile/limits.h"

/** One address of a side: several are replicas, and each is a run of every round. */
struct gate_capture_source {
    enum gate_side_name side;
    struct gate_capture_url url;
    struct gate_capture_url metrics;   /* where its counter is */
    struct gate_backend_address store; /* of a store: where `url` is its server; else GATE_BACKEND_NONE */
    struct gate_window window;         /* of a store: what is asked for, in the plan's slices */
};

/** What is to be taken. */
struct gate_capture_plan {
    const char *dir;
    bool goes_on_judged; /* in a folder whose rounds were looked at while they were taken: who does so judges them by
                            the same plan, and more rounds than it foresees would undo its levels */
    struct gate_capture_source *sources; /* at least one a side */
    uint32_t source_count;
    enum gate_capture_kind kinds[GATE_CAPTURE_KINDS]; /* one after another */
    uint32_t kind_count;
    uint32_t seconds;
    double warm_up_seconds;
    size_t max_bytes; /* of one answer */
    struct gate_limits limits;
    struct gate_fetch_options fetch;
    struct gate_credentials credentials;
    struct gate_metrics_selector *work; /* NULL: no work is read */
    struct gate_str work_by;            /* a label; empty: none */
    struct gate_work_query work_query;  /* of slices of a store; zeroed: none */
    uint32_t slices;       /* of each source's window: round N is slice N, and there are no more; 0: live endpoints */
    double settle_seconds; /* a slice is asked for so long after its end: agents send what they have a little later; and
                              one without samples is left out. 0: slices of a window that is over */
};

/**
 * Before anything is asked: every address has its kind, and none is named twice. Notes what is not safe.
 *
 * err   GATE_ERR_USAGE
 */
GATE_MUST_CHECK
bool gate_capture_plan_check(const struct gate_capture_plan *plan, struct gate_arena *arena, struct gate_error *err);

/** The address of a source for a kind, to ask and as it is shown. `shown->ptr` is not NULL on success. */
GATE_MUST_CHECK
bool gate_capture_plan_address(struct gate_capture_url *out, struct gate_str *shown,
                               const struct gate_capture_plan *plan, const struct gate_capture_source *source,
                               enum gate_capture_kind kind, struct gate_arena *arena, struct gate_error *err);

/** The same of a store, of which round `round` asks for a slice: what is asked, and as it is shown. */
GATE_MUST_CHECK
bool gate_capture_plan_query(struct gate_backend_query *out, struct gate_str *shown,
                             const struct gate_capture_plan *plan, const struct gate_capture_source *source,
                             enum gate_capture_kind kind, uint32_t round, struct gate_arena *arena,
                             struct gate_error *err);

/** Whether a run that is there already came from an address, kind and time of the plan. */
GATE_MUST_CHECK
bool gate_capture_plan_has(bool *has, const struct gate_capture_plan *plan, const struct gate_manifest_run *run,
                           struct gate_arena *arena, struct gate_error *err);

/** Put the address in front of what went wrong there, and nothing secret anywhere. Returns false. */
bool gate_capture_plan_blame(const struct gate_capture_plan *plan, const struct gate_capture_url *url,
                             struct gate_str shown, struct gate_error *err);

/** Tell the user. */
void gate_capture_plan_note(const struct gate_capture_plan *plan, const char *text);

#endif
