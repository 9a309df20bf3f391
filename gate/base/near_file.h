/* SPDX-License-Identifier: Apache-2.0 */
/* The file that somebody perhaps meant who named one that is not there. Used by profile/source.h. */
#ifndef GATE_BASE_NEAR_FILE_H
#define GATE_BASE_NEAR_FILE_H

#include "gate/base/error.h"

enum { GATE_NEAR_FILE_BYTES = 256 };

/**
 * The name in the folder of `path` that is nearest to the last part of it (gate_str_nearest), into `out`, but not
 * one that differs by a whole word. False: none is near, or there is no such folder. Equal folders give equal names.
 * O(names).
 */
bool gate_near_file_find(char out[GATE_NEAR_FILE_BYTES], const char *path);

#endif
