/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles in a store, each named by the SHA-256 of its bytes: what is read is what was accepted, or an error.
 * Pipeline: store/store.h -> store/objects.h -> cli/cmd_baseline_accept.c, cli/accepted.h */
#ifndef GATE_STORE_OBJECTS_H
#define GATE_STORE_OBJECTS_H

#include "gate/store/store.h"

enum { GATE_OBJECTS_DIGITS = 64 };

/** Where the object of this digest is, with a NUL behind it; NULL when the arena is full. */
const char *gate_objects_path(const struct gate_store *store, struct gate_str digest, struct gate_arena *arena);

/**
 * Store `bytes`. What is there already stays, what is there and damaged is replaced.
 *
 * digest   64 hexadecimal digits in the arena
 * err      GATE_ERR_IO. O(bytes)
 */
GATE_MUST_CHECK
bool gate_objects_put(struct gate_str *digest, const struct gate_store *store, struct gate_str bytes,
                      struct gate_arena *arena, struct gate_error *err);

/**
 * Whether the object is there, and is what was accepted.
 *
 * err   names its file: GATE_ERR_FORMAT it is missing, or its bytes are others; GATE_ERR_IO, GATE_ERR_MEMORY it is
 *       there, and cannot be read now. O(bytes)
 */
GATE_MUST_CHECK
bool gate_objects_check(const struct gate_store *store, struct gate_str digest, struct gate_arena *arena,
                        struct gate_error *err);

#endif
