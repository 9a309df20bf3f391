/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of a cache (base/folders.h makes them): emptied, and their files copied.
 * Pipeline: trial/child.h -> trial/folder.h -> trial/worktree.h, trial/trial.h */
#ifndef GATE_TRIAL_FOLDER_H
#define GATE_TRIAL_FOLDER_H

#include "gate/trial/interrupt.h"

#include "gate/base/str.h"

/** Remove what is there with all in it, following no link; nothing there is fine. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_folder_remove(const char *path, struct gate_interrupt *interrupt, struct gate_arena *arena,
                        struct gate_error *err);

/** The same path from the root, with a NUL behind it. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_folder_absolute(struct gate_str *out, const char *path, struct gate_arena *arena, struct gate_error *err);

/** A file's copy in another place. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_folder_copy_file(const char *to, const char *from, struct gate_arena *arena, struct gate_error *err);

#endif
