/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of `merge` and `summarize`, which read profiles one after the other and write one file. */
#ifndef GATE_SESSION_MERGE_INPUTS_H
#define GATE_SESSION_MERGE_INPUTS_H

#include "gate/base/own_mark.h"
#include "gate/session/capture_options.h"
#include "gate/session/profile_options.h"
#include "gate/session/session.h"

/** Options that `merge` and `summarize` share. */
struct gate_merge_inputs {
    struct gate_profile_options profiles;
    struct gate_capture_options asking;
    const char *output;
};

/** A loaded profile, with the names of its symbols. All of it is freed after it was added to the output. */
struct gate_merge_inputs_one {
    const struct gate_profile *profile;
    const char *path;
    struct gate_arena *arena;
};

/** Add a profile to `sum`. `err` gets no path. */
typedef bool gate_merge_inputs_add(void *sum, const struct gate_merge_inputs_one *one, struct gate_error *err);

/** `begin` and `needs` of struct gate_command. `options` is a struct gate_merge_inputs. */
void gate_merge_inputs_begin(void *options);
unsigned gate_merge_inputs_needs(const void *options);

/**
 * Check that profiles and an output are given, and that the output replaces no other file.
 *
 * verb  such as "merge", for messages
 * mark  format of files that may be replaced
 * err   GATE_ERR_USAGE, GATE_ERR_INPUT
 */
GATE_MUST_CHECK
bool gate_merge_inputs_check(const struct gate_merge_inputs *inputs, const char *verb, enum gate_own_mark mark,
                             struct gate_session *session, struct gate_error *err);

/**
 * Query profile stores, then load the profiles and add each to `sum`, in the order of the command line. Only one or two
 * of them are in memory at a time. err: errors of loading and of `add`, with the path in front.
 */
GATE_MUST_CHECK
bool gate_merge_inputs_load(struct gate_merge_inputs *inputs, gate_merge_inputs_add *add, void *sum,
                            struct gate_session *session, struct gate_error *err);

#endif
