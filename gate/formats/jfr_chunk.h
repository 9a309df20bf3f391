/* SPDX-License-Identifier: Apache-2.0 */
/* One chunk of a JDK Flight Recorder file: its header, the classes that its metadata describes, their values,
 * and its constants. */
#ifndef GATE_FORMATS_JFR_CHUNK_H
#define GATE_FORMATS_JFR_CHUNK_H

#include "gate/base/str.h"
#include "gate/formats/builder.h"
#include "gate/model/limits.h"
#include "gate/model/profile.h"

/* ---- chunk header ------------------------------------------------------------------------------------------------ */

/* A file is a sequence of chunks. Each begins with a header of 68 bytes, big-endian, and is complete by itself: class
 * ids and constants of one chunk mean nothing in another. Positions in a chunk count from its first byte. */

struct gate_jfr_chunk {
    struct gate_str bytes; /* the whole chunk, header included */
    size_t start;          /* its offset in the file */
    uint32_t number;       /* counts from 1 */
    uint64_t constants_at, metadata_at;
    int64_t start_ns, duration_ns; /* wall-clock time of the start; a negative number is read as 0 */
    int64_t ticks_per_second;      /* at least 1 */
    bool is_compressed;            /* integers are varints, not words */
};

enum { GATE_JFR_HEADER_BYTES = 68 };

/** Read the header of the chunk at `at`. err: GATE_ERR_FORMAT: no chunk, another version, unfinished, or longer than
 * the file; names the chunk and the byte. */
GATE_MUST_CHECK
bool gate_jfr_chunk_read(struct gate_jfr_chunk *out, struct gate_str file, size_t at, uint32_t number,
                         struct gate_error *err);

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* A cursor keeps its first fault. After a fault, reads return 0 and do not advance, so callers check once at the
 * end. */

enum gate_jfr_fault {
    GATE_JFR_FINE,
    GATE_JFR_SHORT,         /* a value is longer than what contains it */
    GATE_JFR_SIZE_OF_EVENT, /* the size of an event is 0, negative, or more than there is */
    GATE_JFR_UNKNOWN,       /* a value of a class that is not described */
    GATE_JFR_STEPS,         /* the limit of steps is reached */
    GATE_JFR_NESTED,        /* a class contains itself, or classes are nested too deep */
    GATE_JFR_STRING         /* unknown encoding of a string */
};

struct gate_jfr_cursor {
    const uint8_t *bytes; /* of the chunk */
    size_t at, end;
    bool is_compressed;
    enum gate_jfr_fault fault;
    uint64_t *steps; /* steps left for the file: each value takes five */
};

/** Return a cursor for the bytes of a chunk from `at` to its end. */
struct gate_jfr_cursor gate_jfr_cursor_at(const struct gate_jfr_chunk *chunk, size_t at, uint64_t *steps);

int64_t gate_jfr_long(struct gate_jfr_cursor *cursor);

/**
 * Read the size of an event at the cursor, and narrow the cursor to the event. Returns false and sets the fault if
 * the size is impossible.
 */
GATE_MUST_CHECK bool gate_jfr_event_open(struct gate_jfr_cursor *cursor);

/**
 * Report the fault of a cursor. Always returns false.
 *
 * what  what was read, e.g. "the metadata"
 * at    where it starts in the chunk
 */
bool gate_jfr_fault_error(const struct gate_jfr_cursor *cursor, const struct gate_jfr_chunk *chunk, const char *what,
                          size_t at, struct gate_error *err);

/** How a string is stored. */
enum gate_jfr_encoding {
    GATE_JFR_NULL,
    GATE_JFR_EMPTY,
    GATE_JFR_CONSTANT, /* a key in the pool of java.lang.String */
    GATE_JFR_UTF8,
    GATE_JFR_CHARS, /* UTF-16 code units, each an integer */
    GATE_JFR_LATIN1
};

/** A string as it is stored. */
struct gate_jfr_text {
    enum gate_jfr_encoding encoding;
    int64_t key;         /* GATE_JFR_CONSTANT */
    struct gate_str raw; /* the other encodings: the stored bytes */
};

/* ---- classes ----------------------------------------------------------------------------------------------------- */

/** The fields that this program reads, by name, of whatever class. */
enum gate_jfr_slot {
    GATE_JFR_STACK,       /* stackTrace */
    GATE_JFR_THREAD,      /* sampledThread, eventThread */
    GATE_JFR_STATE,       /* state */
    GATE_JFR_SAMPLES,     /* samples */
    GATE_JFR_SIZE,        /* allocationSize, size */
    GATE_JFR_TLAB,        /* tlabSize */
    GATE_JFR_WEIGHT,      /* weight */
    GATE_JFR_DURATION,    /* duration */
    GATE_JFR_PARKED,      /* parkedClass */
    GATE_JFR_PERIOD,      /* samplingPeriod */
    GATE_JFR_FAILED,      /* failed */
    GATE_JFR_ID,          /* id */
    GATE_JFR_NAME,        /* name */
    GATE_JFR_VALUE,       /* value */
    GATE_JFR_TYPE,        /* type */
    GATE_JFR_STRING_OF,   /* string */
    GATE_JFR_DESCRIPTION, /* description */
    GATE_JFR_OS_NAME,     /* osName */
    GATE_JFR_JAVA_NAME,   /* javaName */
    GATE_JFR_FRAMES,      /* frames */
    GATE_JFR_METHOD,      /* method */
    GATE_JFR_LINE,        /* lineNumber */
    GATE_JFR_START,       /* startTime */
    GATE_JFR_LOAD_USER,   /* jvmUser */
    GATE_JFR_LOAD_SYSTEM, /* jvmSystem */
    GATE_JFR_THREADS,     /* hwThreads */
    GATE_JFR_TIME_USER,   /* userTime */
    GATE_JFR_TIME_SYSTEM, /* systemTime */
    GATE_JFR_SLOTS
};

/** How a value of a class is stored. */
enum gate_jfr_kind {
    GATE_JFR_FIELDS, /* its fields one after the other */
    GATE_JFR_BYTE,   /* byte, boolean */
    GATE_JFR_SHORT_INT,
    GATE_JFR_INT,
    GATE_JFR_LONG,
    GATE_JFR_FLOAT,
    GATE_JFR_DOUBLE,
    GATE_JFR_TEXT
};

struct gate_jfr_field {
    uint64_t class_id;
    uint32_t class_index; /* GATE_NO_INDEX: not described */
    uint8_t slot;         /* GATE_JFR_SLOTS: not one of those that are read */
    bool is_constant;     /* stored as a key in the pool of its class */
    bool is_array;        /* a number of elements, then these */
    int64_t per_second;   /* units per second of a time span; 0: ticks, or not a time span */
};

struct gate_jfr_class {
    uint64_t id;
    struct gate_str name;
    uint32_t first_field, field_count;
    enum gate_jfr_kind kind;
};

/** The classes of a chunk. */
struct gate_jfr_classes {
    struct gate_jfr_class *items;
    uint32_t count;
    size_t capacity;
    struct gate_jfr_field *fields;
    uint32_t field_count;
    size_t field_capacity;
    struct gate_id_index index; /* by id */
};

/**
 * Read the classes that the chunk's metadata describes, into `arena`. Names are views of the chunk or of `arena`.
 *
 * steps  steps left for the file
 * err    GATE_ERR_FORMAT: no or malformed metadata; GATE_ERR_LIMIT: too many steps, or `arena` is full
 *
 * O(bytes of the metadata).
 */
GATE_MUST_CHECK
bool gate_jfr_classes_read(struct gate_jfr_classes *out, const struct gate_jfr_chunk *chunk, uint64_t *steps,
                           struct gate_arena *arena, struct gate_error *err);

/** Return the index of the class with that id, or GATE_NO_INDEX. */
uint32_t gate_jfr_class_find(const struct gate_jfr_classes *classes, int64_t id);

/** The value of one field. */
struct gate_jfr_value {
    int64_t number; /* an integer; of a float: in billionths; of a constant: its key; of an array: the number of its
                       elements */
    size_t at;      /* of an array: position of the first element in the chunk */
    struct gate_jfr_text text;
    const struct gate_jfr_field *field;
};

/** The fields of a value that have a slot. */
struct gate_jfr_picks {
    uint32_t found; /* bit 1 << slot: `values[slot]` is set */
    struct gate_jfr_value values[GATE_JFR_SLOTS];
};

static inline bool gate_jfr_has(const struct gate_jfr_picks *picks, enum gate_jfr_slot slot) {
    return (picks->found >> slot & 1u) != 0;
}

/**
 * Read a value of a class and advance the cursor past it.
 *
 * picks  set to its fields that have a slot; of a string class, to GATE_JFR_STRING_OF. NULL: skip the value
 *
 * O(bytes of the value), and a step for each part of it.
 */
void gate_jfr_value_read(struct gate_jfr_picks *picks, struct gate_jfr_cursor *cursor,
                         const struct gate_jfr_classes *classes, uint32_t class_index);

/* ---- constant pools: strings, threads, methods and stack traces -------------------------------------------------- */

/** The classes whose constants are kept. */
enum gate_jfr_pool_kind {
    GATE_JFR_POOL_STRING,
    GATE_JFR_POOL_SYMBOL,
    GATE_JFR_POOL_CLASS,
    GATE_JFR_POOL_METHOD,
    GATE_JFR_POOL_STACK,
    GATE_JFR_POOL_FRAME_TYPE,
    GATE_JFR_POOL_THREAD,
    GATE_JFR_POOL_THREAD_STATE,
    GATE_JFR_POOLS
};

/** A constant. It is decoded at its first use, and the result is kept. */
struct gate_jfr_constant {
    int64_t key;
    size_t at;      /* position of its value in the chunk */
    uint32_t order; /* order of reading; of two constants with one key, the later one is used */
    uint32_t known; /* index + 1 of its text, method or stack; 0: not decoded */
};

struct gate_jfr_pool {
    uint32_t class_index;            /* GATE_NO_INDEX: the chunk has no such class */
    struct gate_jfr_constant *items; /* sorted by key */
    uint32_t count;
    size_t capacity;
};

/** A method: its function in the builder, and whether its native code waits for something outside the process. */
struct gate_jfr_method {
    uint64_t function;
    bool is_wait;
};

/** A stack trace: `depth` locations of the builder from `first`, leaf first. */
struct gate_jfr_stack {
    size_t first;
    uint32_t depth;
    bool is_wait;        /* the leaf is a native method that waits */
    bool is_interpreted; /* the leaf is a method that is not compiled yet */
};

/** The constants of one chunk. */
struct gate_jfr_pools {
    const struct gate_jfr_chunk *chunk;
    const struct gate_jfr_classes *classes;
    const struct gate_limits *limits;
    struct gate_arena *arena; /* of the chunk */
    struct gate_builder *builder;
    uint64_t *steps;
    struct gate_jfr_pool pools[GATE_JFR_POOLS];
    struct gate_str *texts;
    struct gate_jfr_method *methods;
    struct gate_jfr_stack *stacks;
    uint64_t *locations;
    struct gate_builder_line *lines; /* of the location that is being read */
    size_t line_count, line_capacity;
    size_t text_count, text_capacity, method_count, method_capacity, stack_count, stack_capacity;
    size_t location_count, location_capacity;
    bool has_native_code; /* the producer is async-profiler: frames of type Native are C functions */
    bool has_cpu_state;   /* it has the thread state STATE_DEFAULT, which async-profiler's CPU samples have */
};

/**
 * Index the constants of a chunk: follow the chain of its checkpoint events from the last to the first.
 *
 * out    `chunk`, `classes`, `limits`, `arena`, `builder` and `steps` are set by the caller and outlive it
 * err    GATE_ERR_FORMAT: a checkpoint is malformed, or the chain does not lead backwards; GATE_ERR_LIMIT
 *
 * O(bytes of the checkpoints + constants * log constants).
 */
GATE_MUST_CHECK bool gate_jfr_pools_read(struct gate_jfr_pools *out, struct gate_error *err);

/** Return the text of a field: a string, or a constant with a text such as a class, a symbol or a thread. Empty if the
 * constant is missing. err: GATE_ERR_FORMAT: malformed, or constants that refer to each other in a cycle;
 * GATE_ERR_LIMIT. */
GATE_MUST_CHECK
bool gate_jfr_text_of(struct gate_str *out, struct gate_jfr_pools *pools, const struct gate_jfr_value *value,
                      struct gate_error *err);

/** Return the stack trace with that key. A missing one is an empty stack. err: GATE_ERR_FORMAT: malformed;
 * GATE_ERR_LIMIT: deeper than limits->depth, or the arena is full. */
GATE_MUST_CHECK
bool gate_jfr_stack_of(struct gate_jfr_stack *out, struct gate_jfr_pools *pools, int64_t key, struct gate_error *err);

#endif
