/* SPDX-License-Identifier: Apache-2.0 */
/* Limits that keep a hostile input harmless: bytes, memory, counts, and steps of work per run. */
#ifndef GATE_MODEL_LIMITS_H
#define GATE_MODEL_LIMITS_H

#include "gate/model/profile.h"

#include <stddef.h>
#include <stdint.h>

/* ---- limits on one input. The message of each error names the option that raises the limit ----------------------- */

/** Limits on one input. 0 means the default; see gate_limits_default. */
struct gate_limits {
    size_t compressed_bytes; /* --max-compressed-size, 1 GiB */
    size_t inflated_bytes;   /* --max-size, 2 GiB */
    uint64_t samples;        /* --max-samples, 100 M */
    uint32_t depth;          /* --max-depth, 16,384 locations or frames per stack, including inlined calls */
    uint32_t lines;          /* --max-lines, 4,096 lines per location */
    uint32_t labels;         /* --max-labels, 256 labels per sample */
    uint32_t strings;        /* --max-strings, 50 M */
    size_t memory_bytes;     /* --max-memory, 4 GiB: inputs and reports of the whole run */
    uint64_t steps;          /* --max-steps of a run; 0: derived from the size of the inputs */
};

/**
 * Default memory limit of a run: 112 times the stored size of its inputs, at least 224 MiB and at most 4 GiB. With the
 * program and its libraries, the minimum stays below 256 MiB; it holds for two files of 1 MB each. Usual profiles take
 * a quarter of the ratio.
 */
enum { GATE_LIMITS_MEMORY_RATIO = 112, GATE_LIMITS_MEMORY_LEAST = 224 * 1024 * 1024 };

/** Return the default memory limit of a run whose inputs have `stored_bytes` bytes. */
size_t gate_limits_memory_of(size_t stored_bytes);

/**
 * Default step limit of a run: 64 steps per stored byte of its inputs. Usual profiles take 3 to 20 steps per byte.
 * The minimum is about one second of work; it holds for two files of 1 MB each.
 */
enum { GATE_LIMITS_STEPS_RATIO = 64, GATE_LIMITS_STEPS_LEAST = 128 * 1000 * 1000 };

/** Return the defaults. `steps` is 0, as its default depends on the inputs. */
struct gate_limits gate_limits_default(void);

/** Return `given` with each 0 replaced by the default. Return the defaults if `given` is NULL. */
struct gate_limits gate_limits_fill(const struct gate_limits *given);

/* ---- steps ----------------------------------------------------------------------------------------------------------
 *
 * The estimated cost of a profile's stacks and names, computed before the work starts. A few bytes can put a
 * location with thousands of inlined calls into every sample, or a name of 1 MB into every function. */

/**
 * Estimate the steps that a profile needs. One step is about 10 ns of a comparison with all its reports. Frame of a
 * stack, including inlined calls: 1, and 10 from the 513th on. Sample: 8 more. Byte of a function name: 8. Byte of its
 * file name: 2. Line: 1 per 32 bytes of its function's name. Pattern of the rules that is searched for in each name: 16
 * a function, and 1 per 16 bytes of its name. Of a format other than pprof, a function is 120 more and a location 100,
 * because they were interned to convert it. Saturates at UINT64_MAX.
 *
 * roughly   if the upper bound (all stacks as deep as the deepest) is at most this, return the bound; else walk the
 *           stacks
 *
 * O(functions + lines), and O(stack entries) if the stacks are walked.
 */
uint64_t gate_steps_of(const struct gate_profile *profile, uint64_t roughly);

/** Total steps of the profiles of a run, and their stored bytes. Zero-initialise. */
struct gate_steps {
    uint64_t needed, stored_bytes;
    uint64_t patterns; /* patterns of the rules that are searched for in each name; set before profiles are added */
};

/** Add the cost of one profile that was read from `stored_bytes` bytes. Cost: as gate_steps_of. */
void gate_steps_add(struct gate_steps *steps, const struct gate_profile *profile, uint64_t stored_bytes);

/** Return the step limit of a run: `limits->steps`, or the default for the inputs if it is 0. */
uint64_t gate_steps_most(const struct gate_steps *steps, const struct gate_limits *limits);

/** Check the total steps against the limit. err: GATE_ERR_LIMIT: the inputs need more steps than the limit; the message
 * names --max-steps. */
GATE_MUST_CHECK bool gate_steps_check(const struct gate_steps *steps, const struct gate_limits *limits,
                                      struct gate_error *err);

/** Set GATE_ERR_LIMIT: a stack has more than `most` frames (limits->depth). Returns false. */
static inline bool gate_limits_too_deep(uint32_t most, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_LIMIT, "a stack has more than %u frames; raise --max-depth", most);
}

/** Set GATE_ERR_LIMIT: there are more than `most` of `what`, such as "samples" (limits->samples). Returns false. */
static inline bool gate_limits_too_many(uint64_t most, const char *what, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_LIMIT, "more than %llu %s; raise --max-samples", (unsigned long long)most,
                          what);
}

#endif
