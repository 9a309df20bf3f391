/* SPDX-License-Identifier: Apache-2.0 */
/* Folders made with those above them, as `mkdir -p` does. Used by every room that writes files where a user says. */
#ifndef GATE_BASE_FOLDERS_H
#define GATE_BASE_FOLDERS_H

#include "gate/base/error.h"

/** Make the folder and those above it; one that is there is fine. err: GATE_ERR_IO with the part that cannot be. */
GATE_MUST_CHECK bool gate_folders_make(const char *path, struct gate_error *err);

/** Make the folders above the file `path`. err: GATE_ERR_IO. */
GATE_MUST_CHECK bool gate_folders_make_above(const char *path, struct gate_error *err);

#endif
