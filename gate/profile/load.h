/* SPDX-License-Identifier: Apache-2.0 */
/* From bytes of any kind to a checked profile: sniff the container, inflate, sniff the format, decode.
 * Pipeline: source (cli reads the bytes) -> profile/load.h -> profile/profile.h */
#ifndef GATE_PROFILE_LOAD_H
#define GATE_PROFILE_LOAD_H

#include "gate/profile/profile.h"

/** Caps on one input; 0 means the default, which gate_limits_default returns. */
struct gate_limits {
    size_t compressed_bytes; /* --max-compressed-size, 1 GiB */
    size_t inflated_bytes;   /* --max-size, 2 GiB */
    uint64_t samples;        /* --max-samples, 100 M */
    uint32_t depth;          /* --max-depth, 16 384 locations or frames a stack, inlined calls among them */
    uint32_t lines;          /* --max-lines, 4 096 lines a location */
    uint32_t strings;        /* --max-strings, 50 M */
    size_t memory_bytes;     /* --max-memory, 8 GiB: what is inflated and all tables, of this input and before it */
};

struct gate_limits gate_limits_default(void);

/**
 * Read a file, or standard input for "-", whole. The bytes are arena memory.
 *
 * err   GATE_ERR_IO missing, a directory, unreadable; GATE_ERR_LIMIT larger than limits->compressed_bytes
 */
GATE_MUST_CHECK
bool gate_source_read(struct gate_str *bytes, struct gate_str path, const struct gate_limits *limits,
                      struct gate_arena *arena, struct gate_error *err);

/**
 * Turn bytes into a profile. Plain pprof is read in place: then `bytes` must outlive the profile, and out->bytes.ptr is
 * bytes.ptr. Compressed bytes and other formats are copied: `bytes` may be freed at once.
 *
 * err   GATE_ERR_FORMAT not a profile, cut, a bad checksum, inconsistent references; a known format that is not
 *       supported is named, with the command that converts it; GATE_ERR_LIMIT names the option that lifts the cap.
 *       Messages do not hold the input's name: cli/ puts it in front.
 *
 * All memory is the arena's or a fork's of it, under its limit and limits->memory_bytes, whichever is lower. Not counted:
 * jansson's tree of a JSON format (bounded by the inflated size), windows of the decompressors, and what one message or
 * one sample needs. O(inflated bytes).
 */
GATE_MUST_CHECK
bool gate_profile_load(struct gate_profile *out, struct gate_str bytes, const struct gate_limits *limits,
                       struct gate_arena *arena, struct gate_error *err);

#endif
