/* SPDX-License-Identifier: Apache-2.0 */
/* One reader per input format: how a file of the format is recognised, and what converts it to pprof. The file that is
 * named for the format defines its reader; format.c has them in the order of recognition. */
#ifndef GATE_FORMATS_READER_H
#define GATE_FORMATS_READER_H

#include "gate/base/error.h"
#include "gate/base/str.h"
#include "gate/formats/builder.h"
#include "gate/model/limits.h"
#include "gate/model/profile.h"

#include <jansson.h>

/**
 * Add the samples of `bytes` to `builder`, which is empty. Memory that the builder needs later comes from
 * `builder->arena`. `limits` has no zeros (gate_limits_fill).
 *
 * err   GATE_ERR_FORMAT: with the line, byte or JSON path, what was expected and what was found; GATE_ERR_LIMIT;
 *       GATE_ERR_OVERFLOW
 *
 * O(bytes + stack entries).
 */
typedef bool gate_format_fill(struct gate_builder *builder, struct gate_str bytes, const struct gate_limits *limits,
                              struct gate_error *err);

/** The same for a format of JSON: `root` is the parsed file, which outlives the builder. */
typedef bool gate_format_fill_json(struct gate_builder *builder, json_t *root, const struct gate_limits *limits,
                                   struct gate_error *err);

/** One format, or one kind of file that is refused. No text comes from the input. */
struct gate_reader {
    const char *name;                     /* name of a supported format */
    struct gate_str magic;                /* the first bytes of the file; if empty, `sniff` is used */
    bool (*sniff)(struct gate_str bytes); /* recognises the file; if this is NULL too, the reader matches everything */
    bool is_text;                         /* only text is tried, without byte order mark and surrounding white space */
    enum gate_format format;
    uint32_t preempted_languages; /* for gate_profile_counts_preempted: bit 1 << enum gate_language */
    gate_format_fill *fill;       /* a supported format has `fill` or `fill_json`, except pprof */
    gate_format_fill_json *fill_json;
    const char *refusal; /* if not supported: what the file is, and the command that converts it */
    const char *(*refusal_of)(
        struct gate_str bytes); /* alternative to `refusal`: returns it, or NULL for other files */
};

/** Initialiser of `magic`. */
#define GATE_READER_MAGIC(literal)                                                                                     \
    { literal, sizeof(literal) - 1 }

extern const struct gate_reader gate_austin_reader;
extern const struct gate_reader gate_bpftrace_reader;
extern const struct gate_reader gate_callgrind_reader;
extern const struct gate_reader gate_collapsed_reader;
extern const struct gate_reader gate_cpuprofile_reader;
extern const struct gate_reader gate_debug_text_reader;
extern const struct gate_reader gate_dhat_reader;
extern const struct gate_reader gate_dtrace_reader;
extern const struct gate_reader gate_flamebearer_reader;
extern const struct gate_reader gate_gecko_reader;
extern const struct gate_reader gate_gperftools_reader;
extern const struct gate_reader gate_heapprofile_reader;
extern const struct gate_reader gate_heapsnapshot_reader;
extern const struct gate_reader gate_jemalloc_reader;
extern const struct gate_reader gate_jfr_reader;
extern const struct gate_reader gate_massif_reader;
extern const struct gate_reader gate_otlp_json_reader;
extern const struct gate_reader gate_otlp_reader;
extern const struct gate_reader gate_perf_data_reader;
extern const struct gate_reader gate_perf_data_reader_swapped;
extern const struct gate_reader gate_perf_script_reader;
extern const struct gate_reader gate_pyinstrument_reader;
extern const struct gate_reader gate_refused_binary_reader;
extern const struct gate_reader gate_refused_text_reader;
extern const struct gate_reader gate_scalene_reader;
extern const struct gate_reader gate_speedscope_reader;
extern const struct gate_reader gate_stackprof_reader;
extern const struct gate_reader gate_trace_events_reader;

#endif
