/* SPDX-License-Identifier: Apache-2.0 */
/* What commands that load profiles have in common on their command lines: which profiles, how they are read. */
#ifndef GATE_CLI_REQUEST_H
#define GATE_CLI_REQUEST_H

#include "gate/cli/options.h"
#include "gate/cli/sides.h"
#include "gate/compare/pair.h"

enum { GATE_REQUEST_WHERE_MAX = 32, GATE_REQUEST_PAIRS_MAX = 16 };

/** `--pair LABEL=BASELINE,CANARY`. */
struct gate_request_pair {
    struct gate_str label;
    struct gate_paths paths[GATE_SIDES];
};

struct gate_request {
    struct gate_paths paths[GATE_SIDES]; /* --baseline, --canary, and positional arguments */
    struct gate_paths arguments;         /* positional, until gate_request_finish deals them out */
    size_t capacity[GATE_SIDES + 1];
    struct gate_request_pair pairs[GATE_REQUEST_PAIRS_MAX];
    uint32_t pair_count;
    struct gate_str sample_type;
    struct gate_label_match where[GATE_REQUEST_WHERE_MAX];
    uint32_t where_count;
    int granularity;  /* enum gate_granularity, or -1: the rules' */
    int exact_names;  /* 1, 0, or -1: the rules' */
    struct gate_limits limits;
    struct gate_counts_options counts; /* 0: the rules' */
};

/* Ids of the shared options; a command's own begin at GATE_REQUEST_OPTIONS_END. */
enum gate_request_option {
    GATE_REQUEST_BASELINE = 1,
    GATE_REQUEST_CANARY,
    GATE_REQUEST_PAIR,
    GATE_REQUEST_SAMPLE_TYPE,
    GATE_REQUEST_WHERE,
    GATE_REQUEST_GRANULARITY,
    GATE_REQUEST_NAMES,
    GATE_REQUEST_PERIOD,
    GATE_REQUEST_MUTEX_FRACTION,
    GATE_REQUEST_MAX_COMPRESSED,
    GATE_REQUEST_MAX_SIZE,
    GATE_REQUEST_MAX_SAMPLES,
    GATE_REQUEST_MAX_DEPTH,
    GATE_REQUEST_MAX_LINES,
    GATE_REQUEST_MAX_STRINGS,
    GATE_REQUEST_MAX_MEMORY,
    GATE_REQUEST_OPTIONS_END
};

/* Rows for a command's option table. */
#define GATE_REQUEST_SIDE_OPTIONS                                                                                      \
    {GATE_REQUEST_BASELINE, "baseline", 0, "PATH", "a run of the baseline; may be repeated"},                          \
        {GATE_REQUEST_CANARY, "canary", 0, "PATH", "a run of the canary; may be repeated"}

#define GATE_REQUEST_PAIR_OPTION                                                                                       \
    {GATE_REQUEST_PAIR, "pair", 0, "NAME=B,C",                                                                         \
     "baseline and canary of one kind of profile, as cpu=base.pb.gz,canary.pb.gz; may be repeated"}

#define GATE_REQUEST_READ_OPTIONS                                                                                      \
    {0, "", 0, NULL, "How profiles are read:"},                                                                        \
        {GATE_REQUEST_SAMPLE_TYPE, "sample-type", 0, "NAME",                                                           \
         "which values to compare: a type, type/unit, or its number (default: the profile's own choice)"},             \
        {GATE_REQUEST_WHERE, "where", 0, "KEY=VALUE", "only samples with this label; may be repeated"},                \
        {GATE_REQUEST_GRANULARITY, "granularity", 0, "WHAT",                                                           \
         "what a frame is: function (default), line, file, package or mapping"},                                       \
        {GATE_REQUEST_NAMES, "names", 0, "HOW",                                                                        \
         "stable (default): names that builds number anew are one frame; exact: as the profile spells them"},          \
        {GATE_REQUEST_PERIOD, "period", 0, "N", "the sampling period, in the value's unit, where the profile is wrong"}, \
        {GATE_REQUEST_MUTEX_FRACTION, "mutex-fraction", 0, "N", "Go's mutex profile fraction, which the profile lacks"}

#define GATE_REQUEST_LIMIT_OPTIONS                                                                                     \
    {0, "", 0, NULL, "Caps on hostile input:"},                                                                        \
        {GATE_REQUEST_MAX_COMPRESSED, "max-compressed-size", 0, "SIZE", "bytes of a file as it is stored (default 1G)"}, \
        {GATE_REQUEST_MAX_SIZE, "max-size", 0, "SIZE", "bytes of a profile, inflated (default 2G)"},                   \
        {GATE_REQUEST_MAX_SAMPLES, "max-samples", 0, "N", "samples of a profile (default 100 million)"},               \
        {GATE_REQUEST_MAX_DEPTH, "max-depth", 0, "N", "frames of a stack, inlined calls too (default 16384)"},         \
        {GATE_REQUEST_MAX_LINES, "max-lines", 0, "N", "inlined calls of a location (default 4096)"},                   \
        {GATE_REQUEST_MAX_STRINGS, "max-strings", 0, "N", "strings of a profile (default 50 million)"},                \
        {GATE_REQUEST_MAX_MEMORY, "max-memory", 0, "SIZE", "bytes for a profile's tables (default 8G)"}

/** Words that --granularity takes, in the order of enum gate_granularity; NULL-terminated. */
extern const char *const gate_granularity_words[];

void gate_request_init(struct gate_request *request);

/** Take one shared option, or a positional argument (GATE_OPTION_ARGUMENT). */
GATE_MUST_CHECK
bool gate_request_take(struct gate_request *request, int id, const char *value, struct gate_arena *arena,
                       struct gate_error *err);

/**
 * Deal the positional arguments out as BASELINE CANARY. With --baseline and --canary, or with --pair, none may be left.
 *
 * err   GATE_ERR_USAGE what is missing or too much
 */
GATE_MUST_CHECK bool gate_request_finish(struct gate_request *request, struct gate_arena *arena, struct gate_error *err);

/** The frame options of a request on top of `base`. */
struct gate_frame_options gate_request_frames(const struct gate_request *request, struct gate_frame_options base);

/** The counts options of a request on top of `base`. */
struct gate_counts_options gate_request_counts(const struct gate_request *request, struct gate_counts_options base);

#endif
