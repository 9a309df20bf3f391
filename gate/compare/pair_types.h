/* SPDX-License-Identifier: Apache-2.0 */
/* Types of a pair: sides, runs, frames, and how locations become frames. */
#ifndef GATE_COMPARE_PAIR_TYPES_H
#define GATE_COMPARE_PAIR_TYPES_H

#include "gate/base/regex.h"
#include "gate/model/stacks.h"
#include "gate/names/own_code.h"

/** Growth always means more in the canary. */
enum gate_side_name { GATE_BASELINE = 0, GATE_CANARY = 1, GATE_SIDES = 2 };

enum gate_granularity {
    GATE_BY_FUNCTION, /* by the function's name alone */
    GATE_BY_LINE,     /* by "name file:line" */
    GATE_BY_FILE,
    GATE_BY_PACKAGE,
    GATE_BY_MAPPING
};

struct gate_rename {
    const struct gate_regex *match;
    struct gate_str to;
};

/**
 * Which frames the rules declare own code or library code: patterns on name or file. If none matches, the frame's
 * language decides.
 */
struct gate_own_options {
    const struct gate_regex *const *include; /* own code, overriding the language's rule */
    const struct gate_regex *const *exclude; /* library code, even if `include` matches */
    uint32_t include_count, exclude_count;
};

/** How locations become frames. Zeroed: by function, stable names, skid folded, nothing ignored. */
struct gate_frame_options {
    enum gate_granularity granularity;
    bool exact_names; /* --names exact: names unchanged and skid kept */
    const struct gate_rename *renames;
    uint32_t rename_count;
    const struct gate_regex *const *ignore; /* frames removed from every stack; their cost goes to the caller */
    uint32_t ignore_count;
    /* Functions with a limit of their own instead of the usual ones: a budget selects them, and another leaves them
     * out. If new, they are not charged to their callers. */
    const struct gate_regex *const *selected, *const *left_out;
    uint32_t selected_count, left_out_count;
    struct gate_own_options own;
};

/** Name of the frame for own code that only one side has (struct gate_pair, one_sided). */
#define GATE_ONE_SIDED_NAME "(own code of one side only)"

/** A row of the frame table. Names are valid UTF-8. */
struct gate_frame {
    struct gate_str name;
    struct gate_str file; /* the canary's if it has one; may be empty */
    struct gate_str mapping;
    struct gate_str old_name; /* name in the baseline if the function, its file or its package moved; or empty */
    int64_t start_line;       /* 0: unknown */
    bool is_runtime;          /* GC, scheduler, allocator, interpreter */
    bool is_own;              /* own code, which library cost beneath it is charged to */
    bool is_one_sided;        /* no stack of the other side contains it, in any of its runs */
    bool is_folded; /* own code of one side or of some builds of a series; it is charged to an own caller of all */
    enum gate_code code;
    bool is_symbolised;
    bool has_places; /* functions of one run that begin at different lines share it: JavaScript's anonymous ones */
};

/** Return whether cost is charged to a frame: it is own code that both sides have. */
static inline bool gate_frame_is_charged(const struct gate_frame *frame) {
    return frame->is_own && !frame->is_folded;
}

/** Return the frame that is charged with folded functions without such a caller. */
static inline struct gate_frame gate_frame_of_folded(struct gate_str name) {
    return (struct gate_frame){.name = name, .is_own = true, .code = GATE_CODE_OWN, .is_symbolised = true};
}

/** Return whether functions of JavaScript without a name share a frame. */
static inline bool gate_frame_is_unnamed(const struct gate_frame *frame) {
    return frame->has_places && gate_str_ends(frame->name, GATE_STR("(anonymous)"));
}

/** One loaded profile before pairing, in the order of the command line. */
struct gate_run_input {
    struct gate_str path;
    struct gate_str title; /* name for reports if the path is not meaningful; else empty */
    const struct gate_profile *profile;
    const struct gate_profile *unnamed; /* the profile before it got names of source maps; NULL: the same */
    struct gate_str digest;             /* hex of a hash of the file's bytes, for the reports */
    struct gate_str sha256;             /* SHA-256 of the same bytes in hex, for reports kept as proof; or empty */
    uint64_t content[2];                /* hash of the inflated profile; equal for equal captures in any compression */
    double work;                        /* work done during the capture; 0: not given per run */
    int64_t start_ms;                   /* when its capture began, Unix time; 0: not given */
    uint32_t round;                     /* equal numbers on both sides were captured at the same time; 0: not given */
    const struct gate_resample *resample; /* counts are drawn at random from these; NULL: use the profile's counts */
    const struct gate_mix *mix;           /* weights that turn its traffic into the baseline's; NULL: not given */
};

/** Return the name of a run in reports. */
static inline struct gate_str gate_run_input_title(const struct gate_run_input *run) {
    return run->title.len > 0 ? run->title : run->path;
}

/** Flag in a run's frame tables: the location has no frame, or several. */
#define GATE_FRAME_LIST UINT32_C(0x80000000)

/** Effect of drop_frames on stacks through a location (google/pprof, profile.Prune). */
enum gate_prune { GATE_PRUNE_KEEP = 0, GATE_PRUNE_WHOLE, GATE_PRUNE_BENEATH };

/** One profile of a side with its frames resolved. */
struct gate_run {
    struct gate_run_input input;
    struct gate_counts_model counts;
    struct gate_stacks stacks;
    int64_t unit_ratio;    /* value * unit_ratio is in the pair's unit */
    int64_t total;         /* in the pair's unit */
    double events;         /* effective events of the whole run: total^2 / sum of squared weights */
    uint32_t *frame_of;    /* per location: its only frame, or GATE_FRAME_LIST | index in frame_lists */
    uint32_t *frame_lists; /* a length followed by that many frames, leaf first: inlined calls, and locations without
                              frames */
    uint32_t *frame_of_id; /* frame_of by location id (compare/walk.h); NULL: ids are looked up */
    uint8_t *prune;        /* an enum gate_prune per location, or NULL: nothing to prune */
    const uint8_t *skid;   /* per frame of the pair, 1 if it is skid; NULL: nothing to fold */
    bool joins_equal;      /* coarse granularity: equal neighbours in a stack are one frame */
};

struct gate_side {
    struct gate_run *runs;
    uint32_t run_count;
    int64_t total;
    double events;
    int64_t duration_ns; /* sum over the runs, saturated */
};

struct gate_pair {
    struct gate_value_type type; /* unit: the finest of all runs */
    struct gate_frame *frames;
    uint32_t frame_count;
    struct gate_side sides[GATE_SIDES];
    enum gate_granularity granularity; /* with GATE_BY_PACKAGE a frame's name is its package */
    enum gate_language language;       /* of the baseline's first run */
    struct gate_label_filter where;    /* only samples that pass it are compared */
    bool has_no_own;                   /* no frame is own code, so all count as own code */
    uint32_t one_sided;                /* frame charged with own code that has no own caller on both sides;
                                          GATE_NO_INDEX: no frame is folded */
    struct gate_str minified;          /* scripts of two builds whose short names are joined (compare/minified.h):
                                          "plugins/estree.mjs and 2 more"; empty: none */
    struct gate_str moved;             /* files and functions that moved (compare/moved_files.h, moved_functions.h):
                                          "shop.py is shop/__init__.py, and 2 more"; empty: none */
    struct gate_str mix_key;           /* label by which every run is weighted to the baseline's traffic; or empty */
    struct gate_str mix_unused;        /* label given with --work that could not be used; else empty */
    double mix_share;    /* share of the cost covered by the given label values, in the run where it is least */
    bool is_interleaved; /* run i of both sides were taken in turn or at once (compare/pair.h), or in one round */
    double interpreted[GATE_SIDES];        /* share of the cost in methods that the JVM interprets; 0: not recorded */
    int64_t *interpreted_cost[GATE_SIDES]; /* with one run per side: per frame, the part of its charged cost that is in
                                              such methods, in the pair's unit; after the last frame, the part of own
                                              code that only one side has; NULL: none is recorded */
    struct gate_misplaced_cost *misplaced; /* costs that the JVM may have misplaced (compare/misplaced.h), or NULL */
    uint32_t misplaced_count;
    struct gate_upgrade *upgrades; /* libraries with another version in the canary (compare/upgrades.h), or NULL */
    uint32_t upgrade_count;
    bool lacks_debug_flag; /* `misplaced` is set, and the JVM lacked -XX:+DebugNonSafepoints (GATE_COMMENT_MISPLACED) */
    double event_size;   /* of events that the profiles do not count, from the variation between the runs, in the pair's
                            unit (gate_dispersion_event_size); or 0 */
    uint32_t max_frames; /* maximum frames of a stack: the size of a walk's scratch */
    bool is_spent;       /* gate_pair_spend was called: no stack may be walked */
};

/** Return whether the pair is a series of builds: all runs are on the baseline's side, in the order of their builds,
 * and the first is also the canary. */
static inline bool gate_pair_is_series(const struct gate_pair *pair) {
    const struct gate_side *canary = &pair->sides[GATE_CANARY];
    return canary->run_count == 1 && canary->runs[0].input.profile == pair->sides[GATE_BASELINE].runs[0].input.profile;
}

/** Return the frames of `list` (GATE_FRAME_LIST | index), leaf first; `*count` is their number. */
static inline const uint32_t *gate_run_frame_list(uint32_t *count, const struct gate_run *run, uint32_t list) {
    const uint32_t *frames = &run->frame_lists[list & ~GATE_FRAME_LIST];
    *count = *frames;
    return frames + 1;
}

/** Return the frames of a location, leaf first; `*count` is their number. */
static inline const uint32_t *gate_run_frames(uint32_t *count, const struct gate_run *run, uint32_t location) {
    const uint32_t *frame = &run->frame_of[location];
    *count = 1;
    return *frame < GATE_FRAME_LIST ? frame : gate_run_frame_list(count, run, *frame);
}

/** Return value / total, between 0 and 1; 0 if `total` is 0. */
static inline double gate_share(int64_t value, int64_t total) {
    return total == 0 ? 0.0 : (double)value / (double)total;
}

#endif
