/* SPDX-License-Identifier: Apache-2.0 */
/* What a pair is: its frames, its sides, their runs. Types alone; compare/pair.h makes them.
 * Used by compare/frames.h, compare/prune.h and compare/walk.h, which make and walk a pair's runs. */
#ifndef GATE_COMPARE_PAIR_TYPES_H
#define GATE_COMPARE_PAIR_TYPES_H

#include "gate/base/regex.h"
#include "gate/profile/own_code.h"
#include "gate/profile/stacks.h"

/** Direction is sacred: growth means more in the canary. */
enum gate_side_name { GATE_BASELINE = 0, GATE_CANARY = 1, GATE_SIDES = 2 };

enum gate_granularity {
    GATE_BY_FUNCTION, /* the function's name alone */
    GATE_BY_LINE,     /* name file:line */
    GATE_BY_FILE,
    GATE_BY_PACKAGE,
    GATE_BY_MAPPING
};

struct gate_rename {
    const struct gate_regex *match;
    struct gate_str to;
};

/** What the rules say of whose code a frame is: patterns on its name or its file. What neither names, the language
 * decides. */
struct gate_own_options {
    const struct gate_regex *const *include; /* the program's own, whatever the language says */
    const struct gate_regex *const *exclude; /* a library, also where `include` fits */
    uint32_t include_count, exclude_count;
};

/** How locations become frames. Zero-initialised: functions, stable names, skid folded, nothing ignored. */
struct gate_frame_options {
    enum gate_granularity granularity;
    bool exact_names; /* --names exact: no stable forms, no skid folding */
    const struct gate_rename *renames;
    uint32_t rename_count;
    const struct gate_regex *const *ignore; /* frames taken out of every stack; their cost goes to the caller */
    uint32_t ignore_count;
    struct gate_own_options own;
};

/** A row of the frame table. Names are valid UTF-8. */
struct gate_frame {
    struct gate_str name;
    struct gate_str file; /* of the canary where it has one; may be empty */
    struct gate_str mapping;
    int64_t start_line; /* 0: unknown */
    bool is_runtime;    /* GC, scheduler, allocator, interpreter */
    bool is_own;        /* the program's own code: what libraries beneath it cost is charged to it */
    enum gate_code code;
    bool is_symbolised;
};

/** One loaded profile, before the pair: what cli/ read, in the order of the command line. */
struct gate_run_input {
    struct gate_str path;
    struct gate_str title; /* how people call it, where its path says nothing; else empty */
    const struct gate_profile *profile;
    struct gate_str digest;               /* hex of a hash of the file's bytes, for the reports */
    struct gate_str sha256;               /* hex, of the same bytes: for who keeps a report as a proof; or empty */
    uint64_t content[2];                  /* hash of the inflated profile: equal captures, however they are packed */
    double work;                          /* done while it was captured; 0: not told of each run */
    uint32_t round;                       /* equal ones of both sides were taken at the same time; 0: not told */
    const struct gate_resample *resample; /* its counts are drawn anew; NULL: as they are */
    const struct gate_mix *mix;           /* of its traffic, to that of the baseline; NULL: not told */
};

/** How reports call a run. */
static inline struct gate_str gate_run_input_title(const struct gate_run_input *run) {
    return run->title.len > 0 ? run->title : run->path;
}

/** In a run's tables of frames: not a frame, but where there are several or none. */
#define GATE_FRAME_LIST UINT32_C(0x80000000)

/** What drop_frames says of a location (google/pprof, profile.Prune). */
enum gate_prune { GATE_PRUNE_KEEP = 0, GATE_PRUNE_WHOLE, GATE_PRUNE_BENEATH };

/** One profile of a side with its frames resolved. */
struct gate_run {
    struct gate_run_input input;
    struct gate_counts_model counts;
    struct gate_stacks stacks;
    int64_t unit_ratio;    /* value * unit_ratio is in the pair's unit */
    int64_t total;         /* in the pair's unit */
    double events;         /* effective events of the whole run: total^2 / sum of squared weights */
    uint32_t *frame_of;    /* the one frame of a location, or GATE_FRAME_LIST and a place in frame_lists */
    uint32_t *frame_lists; /* a length, and that many frames, leaf first: inlined calls, and locations without frames */
    uint32_t *frame_of_id; /* the same by location id (compare/walk.h); NULL: ids are looked up */
    uint8_t *prune;        /* an enum gate_prune a location, or NULL: nothing to prune */
    const uint8_t *skid;   /* a byte a frame of the pair, or NULL: nothing to fold */
    bool joins_equal;      /* coarse granularity: equal neighbours of a stack are one frame */
};

struct gate_side {
    struct gate_run *runs;
    uint32_t run_count;
    int64_t total;
    double events;
    uint64_t record_count;
    int64_t duration_ns; /* sum, saturated */
};

struct gate_pair {
    struct gate_value_type type; /* the unit is the finer one of all runs */
    struct gate_frame *frames;
    uint32_t frame_count;
    struct gate_side sides[GATE_SIDES];
    enum gate_granularity granularity; /* of the frames: by package, a frame's name is its package */
    enum gate_language language;       /* of the baseline's first run */
    struct gate_label_filter where;    /* of all samples those that are compared */
    bool has_no_own;                   /* no frame is the program's own: all count as if they were (compare/frames.h) */
    struct gate_str mix_key;           /* the label by which every run is weighed as the baseline's traffic; or empty */
    struct gate_str mix_told;          /* the label that was told, where it could not be used; else empty */
    double mix_share;                  /* then: the part of the cost that has a label it was told for */
    bool is_interleaved;               /* run i of both sides in turn or at once (compare/drift.h), or of one round */
    uint32_t max_frames;               /* no stack has more: the size of a walk's scratch */
    bool is_spent;                     /* no stack may be walked any more (compare/pair.h) */
};

/** Frames of what is GATE_FRAME_LIST and a place, leaf first: `*count` of them. */
static inline const uint32_t *gate_run_frame_list(uint32_t *count, const struct gate_run *run, uint32_t list) {
    const uint32_t *frames = &run->frame_lists[list & ~GATE_FRAME_LIST];
    *count = *frames;
    return frames + 1;
}

/** Frames of a location, leaf first: `*count` of them. */
static inline const uint32_t *gate_run_frames(uint32_t *count, const struct gate_run *run, uint32_t location) {
    const uint32_t *frame = &run->frame_of[location];
    *count = 1;
    return *frame < GATE_FRAME_LIST ? frame : gate_run_frame_list(count, run, *frame);
}

/** Share of a side's total; 0 <= share <= 1. */
static inline double gate_share(int64_t value, int64_t total) {
    return total == 0 ? 0.0 : (double)value / (double)total;
}

#endif
