/* SPDX-License-Identifier: Apache-2.0 */
/* A loaded profile: sample types, mappings, functions, and the ids that samples refer to. */
#ifndef GATE_MODEL_PROFILE_H
#define GATE_MODEL_PROFILE_H

#include "gate/base/str.h"

/* ---- kinds of code, languages, and the profile's data about a frame (see names/own_code.h) ----------------------- */

enum gate_code {
    GATE_CODE_OWN,         /* the program's own modules */
    GATE_CODE_THIRD_PARTY, /* vendored or installed modules, where the profile distinguishes them */
    GATE_CODE_LIBRARY,     /* the standard library, the runtime, the operating system */
    GATE_CODES
};

/** Language of most functions of a profile. It selects the rows of the own-code table that apply. */
enum gate_language {
    GATE_LANGUAGE_UNKNOWN,
    GATE_LANGUAGE_GO,
    GATE_LANGUAGE_JVM,
    GATE_LANGUAGE_NODE,
    GATE_LANGUAGE_PYTHON,
    GATE_LANGUAGE_RUST,
    GATE_LANGUAGE_NATIVE, /* C and C++ */
    GATE_LANGUAGE_RUBY,
    GATE_LANGUAGE_PHP,
    GATE_LANGUAGES
};

/** The profile's data about a frame. Any text may be empty. */
struct gate_code_place {
    struct gate_str function; /* as spelled in the profile */
    struct gate_str file;
    struct gate_str mapping;
    bool is_main_mapping; /* the mapping is the program's binary: the first of the profile */
};

/* ---- ids: map a file's 64-bit ids to dense indices; used for mappings, functions, locations, cpuprofile nodes ---- */

/** "None" for every uint32_t index of the model. */
#define GATE_NO_INDEX UINT32_MAX

/** Maps ids to indices. Ids that count from 1 need no table; small ids use a dense array; others use a hash table. */
struct gate_id_index {
    uint32_t in_order; /* ids from 1 to this one are index + 1 */
    uint32_t *dense;   /* dense_count entries; GATE_NO_INDEX: id is not used */
    size_t dense_count;
    uint64_t *hash_ids; /* open addressing; slot_count is a power of two; 0 is a free slot */
    uint32_t *hash_indices;
    size_t slot_count;
    uint64_t secret; /* hash key */
};

/** Result of gate_id_index_build. ZERO and TWICE: the id is 0 or a duplicate. MEMORY: the arena is full. */
enum gate_id_fault { GATE_ID_FINE, GATE_ID_ZERO, GATE_ID_TWICE, GATE_ID_MEMORY };

/**
 * Index `count` ids. Id number i is at `ids` + i * `stride` bytes. No table is built if the ids are 1, 2, 3, …; a
 * dense array if the largest id is below 2 * `count`; else a hash table. On a fault `id` is set to the offending id.
 * O(count) expected; at most 8 bytes (dense) or 24 to 48 bytes (hash) per id, from `arena`.
 */
enum gate_id_fault gate_id_index_build(struct gate_id_index *out, const void *ids, size_t stride, uint32_t count,
                                       struct gate_arena *arena, uint64_t *id);

/** Look up `id` in the hash table, for gate_id_index_find. Requires slot_count > 0. */
uint32_t gate_id_index_hashed(const struct gate_id_index *index, uint64_t id);

/** Return the index of `id`, or GATE_NO_INDEX. O(1) expected. */
static inline uint32_t gate_id_index_find(const struct gate_id_index *index, uint64_t id) {
    if (id - 1 < index->in_order)
        return (uint32_t)(id - 1);
    if (id < index->dense_count)
        return index->dense[id];
    return index->slot_count == 0 ? GATE_NO_INDEX : gate_id_index_hashed(index, id);
}

/* ---- profile --------------------------------------------------------------------------------------------------------
 *
 * One profile in memory. Parts refer to each other by index, not by pointer. Its decoder checks it once; it is const
 * afterwards. */

/** Name and unit of a sample type. */
struct gate_value_type {
    struct gate_str type; /* "cpu" */
    struct gate_str unit; /* "nanoseconds", as spelled in the file */
};

/** A mapped file: addresses `start` to `limit`, from byte `offset` of the file. Texts may be empty. */
struct gate_mapping {
    uint64_t start, limit, offset;
    struct gate_str file;
    struct gate_str build_id;
};

/**
 * Mapping of a file whose addresses are offsets in the file, plus GATE_FILE_BASE: it starts at GATE_FILE_BASE + offset.
 * If its limit is its start, the addresses may be those of the process instead, plus GATE_FILE_BASE: perf's text does
 * not show which (formats/perf_script.c).
 */
#define GATE_FILE_BASE UINT64_C(0x1000)
#define GATE_FILE_LIMIT (UINT64_C(1) << 48)

/** A function. `system_name` is the mangled name, `file` its source file; both may be empty. */
struct gate_function {
    struct gate_str name; /* valid UTF-8, may be empty */
    struct gate_str system_name;
    struct gate_str file;
    int64_t start_line;
};

/** One line of a location: a function, and the position in its source file. */
struct gate_line {
    uint32_t function; /* index, or GATE_NO_INDEX */
    uint32_t column;   /* counts from 1; 0: unknown */
    int64_t line;
};

/** Storage of the lines of a location. */
enum gate_lines_in {
    GATE_LINES_KEPT,   /* in the profile's `lines`, starting at `line_first` */
    GATE_LINES_HERE,   /* at most one line, in `line` */
    GATE_LINES_MESSAGE /* in the location's message, starting at `lines` */
};

/** One location. Read its lines with model/location.h: innermost inlined call first, the physical function last. */
struct gate_location {
    uint64_t address;
    uint32_t mapping;    /* index, or GATE_NO_INDEX */
    uint32_t line_count; /* 0: not symbolised */
    enum gate_lines_in lines_in;
    uint32_t line_first;
    const uint8_t *lines, *lines_end;
    struct gate_line line;
};

/** Distribution of the values of a profile's only column. It distinguishes weights from counts
 * (model/effective_samples.h). */
struct gate_value_spread {
    uint64_t divisor; /* greatest common divisor of all values; 0: all are zero */
    double total;
    uint32_t sizes[64]; /* number of records with values from 2^i to 2^(i + 1) - 1, saturated */
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
    GATE_FORMAT_CALLGRIND,
    GATE_FORMAT_JFR,
    GATE_FORMAT_PERF_DATA,
    GATE_FORMAT_STACKPROF,
    GATE_FORMAT_DHAT,
    GATE_FORMAT_PYINSTRUMENT,
    GATE_FORMAT_SCALENE,
    GATE_FORMAT_AUSTIN,
    GATE_FORMAT_BPFTRACE,
    GATE_FORMAT_MASSIF,
    GATE_FORMAT_DTRACE
};

enum { GATE_FORMATS = GATE_FORMAT_DTRACE + 1 };

enum gate_container { GATE_CONTAINER_RAW, GATE_CONTAINER_GZIP, GATE_CONTAINER_ZSTD };

/**
 * Samples of a profile that shares its stacks with others (model/shared_tables.h). `bytes` of the profile then contains
 * the stacks. A sample is varints:
 *
 *   offset of its stack in `bytes` << 2 | bit 1: it has labels | bit 0: all values follow
 *   its first value, of which the others are the multiples `ratios`; or all values
 *   number of labels, length of the label fields, and these as in pprof
 */
struct gate_packed_samples {
    const uint8_t *at, *end; /* `at` is NULL: the samples are in `bytes` as in pprof */
    const int64_t *ratios;   /* per column */
};

/** Bytes that one profile alone owns, so that they can be freed early (gate_own_bytes_spend). */
struct gate_own_bytes {
    uint8_t *bytes;
    bool are_spent; /* everything but the strings is freed */
};

/** Bytes per location in gate_profile.location_places. */
enum { GATE_LOCATION_PLACE_BYTES = 5 };

/** A profile. All memory is from the arena of the load. `bytes` is the inflated file, which contains the samples. */
struct gate_profile {
    enum gate_format format;
    enum gate_container container;
    struct gate_str bytes;
    size_t strings_from, strings_end; /* range in `bytes` that contains all strings */
    struct gate_own_bytes *own;       /* NULL: `bytes` have another owner or several */

    struct gate_value_type *sample_types;
    uint32_t sample_type_count;
    struct gate_str default_sample_type; /* empty: none */

    struct gate_mapping *mappings;
    uint32_t mapping_count;
    struct gate_function *functions;
    uint32_t function_count;
    struct gate_id_index mapping_index, function_index; /* by the file's ids */
    /* 5 bytes per location (model/location.h); NULL: all are in `locations` */
    uint8_t *location_places;
    uint32_t location_count;
    uint32_t most_lines;             /* largest number of lines of a location; at least 1 */
    struct gate_location *locations; /* locations that are not read in place from `bytes` */
    uint32_t held_count;
    struct gate_line *lines; /* lines of `locations` */
    uint32_t line_count;
    uint64_t line_name_bytes; /* bytes of function names, counted once per line that is read in place from `bytes` */
    struct gate_id_index location_index;

    struct gate_str *strings; /* string table, for labels; NULL if unused */
    uint32_t string_count;

    struct gate_value_type period_type;
    int64_t period;
    int64_t time_ns;     /* since the Unix epoch; 0: unknown */
    int64_t duration_ns; /* 0: unknown */
    struct gate_str drop_frames;
    struct gate_str keep_frames;
    struct gate_str *comments;
    uint32_t comment_count;

    uint64_t sample_count; /* records, before equal stacks are joined */
    struct gate_packed_samples packed;
    uint32_t max_depth;  /* locations of the deepest stack */
    uint32_t max_frames; /* upper bound of frames per stack, including inlined calls; exact if it is large */
    struct gate_value_spread spread; /* all zero if there is more than one column */
    bool has_negative_values;
    bool has_labels;
    uint32_t max_labels; /* largest number of labels per sample */
    bool is_saved_diff;  /* some sample has the label pprof::base=true */

    bool has_language; /* `language` is set (session/load_sides.c) */
    enum gate_language language;
};

/** Convert a file's column number. Returns 0 if it cannot be the column of a text. */
static inline uint32_t gate_column_of(int64_t column) {
    return column > 0 && column < INT32_MAX ? (uint32_t)column : 0;
}

/** Return whether a profile has a comment. O(comments). */
static inline bool gate_profile_has_comment(const struct gate_profile *profile, struct gate_str comment) {
    for (uint32_t i = 0; i < profile->comment_count; i++)
        if (gate_str_equal(profile->comments[i], comment))
            return true;
    return false;
}

/** Return a + b, saturated to int64_t. For metadata such as durations, not for sample values. */
static inline int64_t gate_profile_add_saturated(int64_t a, int64_t b) {
    int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

/** Return the build id of the program, which is the first mapping; empty if it is unknown. Points into the profile. */
static inline struct gate_str gate_profile_build_id(const struct gate_profile *profile) {
    return profile->mapping_count > 0 ? profile->mappings[0].build_id : GATE_STR("");
}

/** Return true if samples and locations are freed (gate_own_bytes_spend). */
static inline bool gate_profile_is_spent(const struct gate_profile *profile) {
    return profile->own != NULL && profile->own->are_spent;
}

/** Return the index of the location with `id`, or GATE_NO_INDEX. O(1) expected. */
static inline uint32_t gate_location_find(const struct gate_profile *profile, uint64_t id) {
    return gate_id_index_find(&profile->location_index, id);
}

/** Find the column that `wanted` names: an index, a type, `type/unit`, or a type without its `inuse_` prefix. If
 * `wanted` is empty, use the profile's default_sample_type if set, else the last column (google/pprof,
 * profile.SampleIndexByName). err: GATE_ERR_INPUT: no such column; lists the sample types and the nearest name. */
GATE_MUST_CHECK
bool gate_sample_type_find(uint32_t *column, const struct gate_profile *profile, struct gate_str wanted,
                           struct gate_error *err);

/** Return the first column with this type, and this unit unless `unit` is empty; GATE_NO_INDEX: none. */
uint32_t gate_sample_type_column(const struct gate_profile *profile, struct gate_str type, struct gate_str unit);

/** Return whether a sample type measures a state (memory in use, goroutines) and not an amount over a period. */
bool gate_sample_type_is_level(struct gate_str type);

/* ---- release of a profile's bytes -----------------------------------------------------------------------------------
 *
 * After the last walk over samples and locations, only strings and the tables outside the bytes are kept. */

/**
 * Record that `own`, the bytes of `profile`, have no other owner. Returns false if `arena` is full.
 */
GATE_MUST_CHECK
bool gate_own_bytes_note(struct gate_profile *profile, uint8_t *own, struct gate_arena *arena);

/**
 * Free everything but strings. No holder of `profile` may start a walk over samples or locations afterwards. Does
 * nothing if the bytes have another owner.
 */
void gate_own_bytes_spend(const struct gate_profile *profile);

#endif
