/* SPDX-License-Identifier: Apache-2.0 */
/* The hot path: from the bytes of both sides' profiles to the cost of each frame and to call trees. */
/* Its contract is here and at gate_tree_merge. Optimisations are in the modules listed in docs/performance.md and must
 * not change any result. tests/unit/plain_reference.h is a slow reference implementation. */
#ifndef GATE_COMPARE_HOT_PATH_H
#define GATE_COMPARE_HOT_PATH_H

#include "gate/compare/pair.h"
#include "gate/compare/tree.h"

/**
 * Compute the cost of every frame in one sample type, by run and by side.
 *
 * A sample is a stack of locations, leaf first. A location is its lines, innermost call first. Each line is one frame,
 * named according to `options->frames`; a location without lines is one frame of its mapping. Removed are the frames
 * that the profile's drop_frames match (compare/frames.h), frames of `options->frames.ignore`, and skid frames at the
 * leaf (names/frame_name.h) unless only one frame is left. With frames by file, package or mapping, equal neighbours
 * are joined. A sample's value is in the finest unit of all runs. Samples that pass `options->where` count, including
 * those with value 0 and those without a stack. Costs of a frame:
 *
 *   self        sum of values of samples whose leaf it is
 *   cumulative  sum of values of samples that contain it, each once
 *   charged     sum of values of samples whose leafmost own-code frame it is; without own code, whose root it is
 *
 * The result does not depend on the encoding: order of fields and tables, ids, packing, repeated or merged stacks,
 * compression, and how the file is read (gate_profile_load, gate_packed_file_load).
 * It does not depend on the number of threads or on the order of samples, except for the last digits of weight_sq.
 *
 * pair            frames in order of first appearance in the runs' locations, baseline first; total and samples of each
 *                 run and side
 * deltas          one item per frame: sums per side, each run's sum and sum of squared weights
 *                 (model/effective_samples.h), and set_id, equal if the same samples count
 * inputs, counts  runs of each side, at least one. Their profiles are not changed and must outlive the outputs
 * err             GATE_ERR_INPUT a profile cannot be compared (compare/pair.h); GATE_ERR_CONFIG a pattern of the rules
 *                 fails on a name; GATE_ERR_OVERFLOW a sum exceeds int64_t. On error neither output may be used
 *
 * O(bytes of samples + lines + frames * runs). Memory: 12 bytes per distinct stack of a run, 32 if its value is not a
 * small multiple of a unit; 4 per location; 48 per frame and run.
 */
GATE_MUST_CHECK static inline bool gate_hot_path_costs(struct gate_pair *pair, struct gate_delta_list *deltas,
                                                       const struct gate_run_input *const inputs[GATE_SIDES],
                                                       const uint32_t counts[GATE_SIDES],
                                                       const struct gate_pair_options *options,
                                                       struct gate_arena *arena, struct gate_error *err) {
    return gate_pair_make(pair, inputs, counts, options, arena, err) && gate_delta_fold(deltas, pair, NULL, arena, err);
}

#endif
