/* SPDX-License-Identifier: Apache-2.0 */
/* What frames take of a profile's functions, worked out once a function: stable names and clean files.
 * Pipeline: profile/name_stable.h + profile/file_path.h -> compare/frame_texts.h -> compare/frames.h */
#ifndef GATE_COMPARE_FRAME_TEXTS_H
#define GATE_COMPARE_FRAME_TEXTS_H

#include "gate/base/table.h"
#include "gate/profile/profile.h"

/** One a function of the profile each. */
struct gate_frame_texts {
    struct gate_str *names; /* not renamed by rules yet; empty where the name is an address */
    struct gate_str *files; /* a file that two units spell differently is one */
    uint32_t *known;        /* of each name its index in the table of known ones, or GATE_TABLE_NONE; NULL: of none */
};

/**
 * Names and files of `profile`, in two threads where there are many. `exact_names`: no stable forms.
 *
 * arena    holds the texts that are not the profile's
 * scratch  holds the lists
 * err      GATE_ERR_LIMIT, GATE_ERR_MEMORY
 *
 * O(bytes of names and files).
 */
GATE_MUST_CHECK
bool gate_frame_texts_make(struct gate_frame_texts *out, const struct gate_profile *profile, bool exact_names,
                           struct gate_arena *arena, struct gate_arena *scratch, struct gate_error *err);

/**
 * The same with stable names, of one more profile: most of its names are among those `known`, stable forms and what
 * begins with '[' or '<' alone, and a stable form is its own.
 */
GATE_MUST_CHECK
bool gate_frame_texts_make_more(struct gate_frame_texts *out, const struct gate_profile *profile,
                                const struct gate_table *known, struct gate_arena *arena, struct gate_arena *scratch,
                                struct gate_error *err);

#endif
