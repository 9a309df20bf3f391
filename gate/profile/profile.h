/* SPDX-License-Identifier: Apache-2.0 */
/* One profile in memory: indices, never pointers between parts; checked once by its decoder, const from then on.
 * Pipeline: profile/inflate.h -> profile/pprof.h (and the other formats) -> profile/profile.h -> profile/stacks.h */
#ifndef GATE_PROFILE_PROFILE_H
#define GATE_PROFILE_PROFILE_H

#include "gate/profile/code_kind.h"
#include "gate/profile/id_index.h"

struct gate_value_type {
    struct gate_str type; /* "cpu" */
    struct gate_str unit; /* "nanoseconds", as the file spells it */
};

struct gate_mapping {
    uint64_t start, limit, offset;
    struct gate_str file;
    struct gate_str build_id;
};

struct gate_function {
    struct gate_str name; /* valid UTF-8, may be empty */
    struct gate_str system_name;
    struct gate_str file;
    int64_t start_line;
};

struct gate_line {
    uint32_t function; /* index, or GATE_NO_INDEX */
    uint32_t column;   /* counts from 1; 0: not known */
    int64_t line;
};

/** Where the lines of a location are. */
enum gate_lines_in {
    GATE_LINES_KEPT,   /* in the profile's `lines`, from `line_first` on */
    GATE_LINES_HERE,   /* it has one at most, which is `line` */
    GATE_LINES_MESSAGE /* in its message, from `lines` on */
};

/** Its lines are read by profile/location.h, the innermost inlined call first; the last one is the physical function.
 */
struct gate_location {
    uint64_t id;
    uint64_t address;
    uint32_t mapping;    /* index, or GATE_NO_INDEX */
    uint32_t line_count; /* 0: not symbolised */
    enum gate_lines_in lines_in;
    uint32_t line_first;
    const uint8_t *lines, *lines_end;
    struct gate_line line;
};

/** How the values of a lone column are made up: what tells weights from counts (profile/counts.h). */
struct gate_value_spread {
    uint64_t divisor; /* the greatest that all values have in common; 0: all are zero */
    double total;
    uint32_t sizes[64]; /* records of 2^i to 2^(i + 1) - 1, saturated */
};

enum gate_format {
    GATE_FORMAT_PPROF,
    GATE_FORMAT_GPERFTOOLS,
    GATE_FORMAT_COLLAPSED,
    GATE_FORMAT_CPUPROFILE,
    GATE_FORMAT_SPEEDSCOPE,
    GATE_FORMAT_OTLP,
    GATE_FORMAT_OTLP_JSON,
    GATE_FORMAT_PERF_SCRIPT,
    GATE_FORMAT_GECKO,
    GATE_FORMAT_TRACE_EVENTS,
    GATE_FORMAT_HEAPPROFILE,
    GATE_FORMAT_DEBUG_TEXT,
    GATE_FORMAT_JEMALLOC,
    GATE_FORMAT_FLAMEBEARER,
    GATE_FORMAT_CALLGRIND
};
enum { GATE_FORMATS = GATE_FORMAT_CALLGRIND + 1 };

enum gate_container { GATE_CONTAINER_RAW, GATE_CONTAINER_GZIP, GATE_CONTAINER_ZSTD };

/** The bytes of a profile that nobody else has, of which strings are somewhere between two places. */
struct gate_own_bytes {
    uint8_t *bytes;
    size_t len, strings_from, strings_end;
    bool are_spent; /* the others are given back (profile/own_bytes.h) */
};

/** All of it is arena memory of the load; `bytes` is the inflated file, in which the samples stay. */
struct gate_profile {
    enum gate_format format;
    enum gate_container container;
    struct gate_str bytes;
    struct gate_own_bytes *own; /* NULL: `bytes` are somebody else's too */

    struct gate_value_type *sample_types;
    uint32_t sample_type_count;
    struct gate_str default_sample_type; /* empty: none named */

    struct gate_mapping *mappings;
    uint32_t mapping_count;
    struct gate_function *functions;
    uint32_t function_count;
    struct gate_id_index mapping_index, function_index; /* of the file's ids */
    uint8_t *location_places;                           /* of each location (profile/location.h); NULL: `locations` */
    uint32_t location_count;
    uint32_t most_lines;             /* no location has more; 1 at least */
    struct gate_location *locations; /* those that are not read in `bytes` */
    uint32_t held_count;
    struct gate_line *lines; /* of those */
    uint32_t line_count;
    uint64_t line_name_bytes; /* of the functions of all lines that stand in `bytes` */
    struct gate_id_index location_index;

    struct gate_str *strings; /* the string table, for labels; none where there are none */
    uint32_t string_count;

    struct gate_value_type period_type;
    int64_t period;
    int64_t time_ns;     /* since the epoch, 0 when unknown */
    int64_t duration_ns; /* 0 when unknown */
    struct gate_str drop_frames;
    struct gate_str keep_frames;
    struct gate_str *comments;
    uint32_t comment_count;

    uint64_t sample_count; /* records, before equal stacks are joined */
    uint32_t max_depth;    /* locations of the deepest stack */
    uint32_t max_frames;   /* no stack has more frames, inlined calls among them; exact where that is more than a few */
    struct gate_value_spread spread; /* all zero where there are several columns */
    bool has_shared_stacks;          /* samples may name the stack of another one (profile/stack_sharing.h) */
    bool has_unique_stacks;          /* and all that can do: equal stacks of a size stand at one place */
    bool has_negative_values;
    bool has_labels;
    uint32_t max_labels; /* of a sample */
    bool is_saved_diff;  /* some sample carries the label pprof::base=true */

    bool has_language; /* gate_own_code_note was called: the functions are looked at once, however often it is asked */
    enum gate_language language;
};

/** A column as files write it; one that no text has is none. */
static inline uint32_t gate_column_of(int64_t column) {
    return column > 0 && column < INT32_MAX ? (uint32_t)column : 0;
}

/** a + b, or the nearest to it that 64 bits hold: for what is told beside the values, such as durations. */
static inline int64_t gate_profile_add_saturated(int64_t a, int64_t b) {
    int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

/** Whether its samples and locations are given back. */
static inline bool gate_profile_is_spent(const struct gate_profile *profile) {
    return profile->own != NULL && profile->own->are_spent;
}

/** Index of a location by id, or GATE_NO_INDEX. O(1) expected. */
static inline uint32_t gate_location_find(const struct gate_profile *profile, uint64_t id) {
    return gate_id_index_find(&profile->location_index, id);
}

/**
 * Which column `wanted` names: an index, a type, `type/unit`, or a type without its `inuse_`; with `wanted` empty, the
 * profile's default_sample_type if it names one, else the last (google/pprof, profile.SampleIndexByName).
 *
 * err   GATE_ERR_INPUT with the types that there are and the nearest name
 */
GATE_MUST_CHECK
bool gate_sample_type_find(uint32_t *column, const struct gate_profile *profile, struct gate_str wanted,
                           struct gate_error *err);

#endif
