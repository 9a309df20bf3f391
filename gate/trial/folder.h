/* SPDX-License-Identifier: Apache-2.0 */
/* Remove folders, copy files and make paths absolute, for the cache of `try`. */
#ifndef GATE_TRIAL_FOLDER_H
#define GATE_TRIAL_FOLDER_H

#include "gate/base/process.h"
#include "gate/base/str.h"

/** Remove `path` with all that is in it; follow no link. A path that does not exist is fine. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_folder_remove(const char *path, struct gate_interrupt *interrupt, struct gate_arena *arena,
                        struct gate_error *err);

/** Set `*out` to `path` as an absolute path, with a NUL at the end. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_folder_absolute(struct gate_str *out, const char *path, struct gate_arena *arena, struct gate_error *err);

/** Copy the file `from` to `to`. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_folder_copy_file(const char *to, const char *from, struct gate_arena *arena, struct gate_error *err);

#endif
