/* SPDX-License-Identifier: Apache-2.0 */
/* How a row of own_code_table.h is tried on a frame: the parts of the frame that rows look at, and the match itself.
 * Private to gate/profile/own_code*.c. No part is a copy; each costs one walk over the name. */
#ifndef GATE_PROFILE_OWN_CODE_LOOK_H
#define GATE_PROFILE_OWN_CODE_LOOK_H

#include "gate/profile/own_code_table.h"

/** The parts of one frame, views into its place. A part that the frame does not have is empty. */
struct gate_own_code_look {
    struct gate_str on[GATE_OWN_CODE_ONS];
    bool is_windows; /* the file holds a '\\' */
};

/** The parts of `place` as `language` spells its names. O(length of the texts). */
void gate_own_code_look_at(struct gate_own_code_look *out, enum gate_language language,
                           const struct gate_code_place *place);

/** The file alone of a place without a name. */
void gate_own_code_look_at_file(struct gate_own_code_look *out, struct gate_str file);

/** Where the letter of a word stands that is likely to be met least often. O(length). */
size_t gate_own_code_look_rarest(struct gate_str word);

/** Whether a row's test fits. Nothing but LACKS fits an empty part. O(length of the part * length of the text). */
bool gate_own_code_look_fits(const struct gate_own_code_look *look, const struct gate_own_code_test *test);

#endif
