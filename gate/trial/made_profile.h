/* SPDX-License-Identifier: Apache-2.0 */
/* The profile that a run wrote: found, and read.
 * Pipeline: trial/shell.h -> trial/made_profile.h -> trial/trial.h */
#ifndef GATE_TRIAL_MADE_PROFILE_H
#define GATE_TRIAL_MADE_PROFILE_H

#include "gate/base/str.h"

/** Where it is looked for. */
struct gate_made_profile_place {
    const char *directory; /* that the run runs in */
    const char *checkout;  /* what `glob` matches has to be inside of, links followed; at or above `directory` */
    const char *glob;      /* below it; NULL: `folder` alone, which holds the file that the run is told to write */
    const char *folder;    /* empty before the run */
    struct gate_arena *arena;
};

/**
 * Remove files that `glob` matches: those of an earlier run.
 *
 * err   GATE_ERR_INPUT one of them is outside of the checkout, and none is removed; GATE_ERR_IO
 */
GATE_MUST_CHECK bool gate_made_profile_clear(const struct gate_made_profile_place *place, struct gate_error *err);

/** Read the one that is there. err: GATE_ERR_INPUT none, several, or outside; GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_made_profile_read(struct gate_str *bytes, const struct gate_made_profile_place *place,
                            struct gate_error *err);

#endif
