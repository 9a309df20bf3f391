/* SPDX-License-Identifier: Apache-2.0 */
/* A large gzip file that is inflated in the block that it is read into: it never needs memory for its packed bytes
 * beside the inflated ones. Nothing is told of what does not go well: it is to be read and loaded the usual way.
 * Pipeline: the command line -> profile/packed_file.h (inflate.h, load.h) -> profile/profile.h */
#ifndef GATE_PROFILE_PACKED_FILE_H
#define GATE_PROFILE_PACKED_FILE_H

#include "gate/profile/limits.h"
#include "gate/profile/profile.h"

struct gate_packed_file {
    struct gate_str packed; /* the file as it is, until it is loaded */
    uint8_t *block;         /* of the arena it was read with; the packed bytes are its last ones */
    size_t block_size, size;
    uint64_t content[2]; /* gate_hash_wide of the profile's bytes as they were, when it is loaded */
};

/** False: not a gzip file of a size that is worth it, or one that cannot be read like this; the arena holds nothing of
 * it. O(packed bytes). */
GATE_MUST_CHECK
bool gate_packed_file_read(struct gate_packed_file *out, struct gate_str path, const struct gate_limits *limits,
                           struct gate_arena *arena);

/**
 * Inflate the file over itself and load it as gate_profile_load does, tables into `arena`. `block_arena` is the one it
 * was read with: the profile may lie in it. False: `block_arena` holds what is of no use. O(inflated bytes).
 */
GATE_MUST_CHECK
bool gate_packed_file_load(struct gate_profile *out, struct gate_packed_file *file, const struct gate_limits *limits,
                           struct gate_arena *block_arena, struct gate_arena *arena);

#endif
