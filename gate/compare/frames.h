/* SPDX-License-Identifier: Apache-2.0 */
/* One table of frames for both sides: grouping, renaming, pruning, owners of library frames. */
#ifndef GATE_COMPARE_FRAMES_H
#define GATE_COMPARE_FRAMES_H

#include "gate/base/table.h"
#include "gate/compare/minified.h"
#include "gate/compare/moved_files.h"
#include "gate/compare/moved_functions.h"
#include "gate/compare/pair_types.h"
#include "gate/model/profile.h"

/* ---- names and files --------------------------------------------------------------------------------------------- */

/* Stable names and clean file paths of a profile's functions, computed once per function. */

/** One name and one file per function of the profile. */
struct gate_frame_texts {
    struct gate_str *names; /* before the renames of the rules; empty if the name is an address */
    struct gate_str *files; /* cleaned, so that two spellings of a path are one file */
    uint32_t *known; /* index of each name in the table of known names, or GATE_TABLE_NONE; NULL: no such table */
};

/**
 * Compute names and files of `profile`, in two threads if there are many functions.
 *
 * exact_names  true: do not make names stable
 * arena        holds the texts that are not the profile's
 * scratch      holds the lists
 *
 * O(bytes of names and files).
 */
GATE_MUST_CHECK
bool gate_frame_texts_make(struct gate_frame_texts *out, const struct gate_profile *profile, bool exact_names,
                           struct gate_arena *arena, struct gate_arena *scratch, struct gate_error *err);

/**
 * Like gate_frame_texts_make with stable names, for a further profile. Most of its names are already in `known`, which
 * contains stable names. A name found there is used as it is, because the stable form of a stable name is itself.
 */
GATE_MUST_CHECK
bool gate_frame_texts_make_more(struct gate_frame_texts *out, const struct gate_profile *profile,
                                const struct gate_table *known, struct gate_arena *arena, struct gate_arena *scratch,
                                struct gate_error *err);

/* ---- frame table ------------------------------------------------------------------------------------------------- */

/* From locations to rows of the frame table: names, granularity, renames, ignored frames. */

/** The growing frame table of a pair. */
struct gate_frame_table {
    enum gate_language language; /* of the run being added */
    struct gate_table names;
    struct gate_frame *frames;
    size_t capacity;
    uint32_t count;
    const struct gate_frame_options *options;
    const struct gate_minified *minified;         /* or NULL */
    const struct gate_moved_files *moved;         /* or NULL */
    const struct gate_moved_functions *functions; /* functions that moved; or NULL */
    struct gate_arena *arena;
    struct gate_arena scratch; /* memory that interning needs until gate_frame_table_end */
    struct gate_table ignored; /* names already found to be ignored, so that patterns match each name once */
};

/** Initialise an empty table; always call gate_frame_table_end. Its frames are a separate block in `arena`. */
void gate_frame_table_init(struct gate_frame_table *table, const struct gate_frame_options *options,
                           struct gate_arena *arena);

/** Free what adding runs needed; the frames stay. */
void gate_frame_table_end(struct gate_frame_table *table);

/**
 * Resolve every location of `run` to frames: fills frame_of, frame_lists and prune. Baseline runs must come first, so
 * that the table's order does not depend on threads. A canary's file and line replace the baseline's.
 *
 * err   GATE_ERR_INPUT drop_frames or keep_frames cannot be applied; GATE_ERR_CONFIG a pattern of the rules fails on a
 *       name; GATE_ERR_LIMIT
 *
 * O(lines + functions * patterns). Two threads make names stable and classify own code.
 */
GATE_MUST_CHECK
bool gate_frame_table_add(struct gate_frame_table *table, struct gate_run *run, struct gate_error *err);

/* ---- profiles without symbols ------------------------------------------------------------------------------------ */

/* Profiles without function names are refused. model/location.h defines which names do not count. */

/**
 * Return whether a frame is known only by its binary. It represents all code without names in that binary. If it is
 * new, symbols are missing, but the code need not be new. False with GATE_BY_MAPPING, where a frame is a binary.
 */
static inline bool gate_unsymbolised_is_frame(const struct gate_pair *pair, const struct gate_frame *frame) {
    return !frame->is_symbolised && pair->granularity != GATE_BY_MAPPING;
}

#endif
