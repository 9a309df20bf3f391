/* SPDX-License-Identifier: Apache-2.0 */
/* The hot path, and its whole contract: from the bytes of two sides' profiles to what every frame costs, and to the
 * call trees that are drawn. What is fast about it stands in the modules that docs/performance.md lists; none of them
 * may say anything else than what stands here. tests/unit/plain_reference.h does the same slowly. Pipeline:
 * profile/load.h, profile/packed_file.h -> compare/hot_path.h -> compare/evidence.h, budget/, report/ */
#ifndef GATE_COMPARE_HOT_PATH_H
#define GATE_COMPARE_HOT_PATH_H

#include "gate/compare/pair.h"
#include "gate/compare/tree.h"

/**
 * What every frame costs, by run and by side, in one sample type.
 *
 * A sample is a stack of locations, leaf first; a location is its lines, the innermost call first, each a frame by the
 * name that `options->frames` give it, and one frame of its mapping where it has none. Taken out are what drop_frames
 * of the profile name (compare/prune.h), frames of `options->frames.ignore`, and names at the leaf that are skid
 * (profile/name.h) but the last. Neighbours of one name are one frame where frames are files, packages or mappings. A
 * sample's value is that of the sample type, in the finer unit of all runs. Samples count that pass `options->where`,
 * those of value 0 and those without a stack among them. Of a frame then:
 *
 *   self        the sum of values of samples whose leaf it is
 *   cumulative  of samples that hold it anywhere, each once
 *   charged     of samples whose leafmost frame of the program's own it is, or whose root it is where there is none
 *
 * How the bytes are written changes nothing: order of fields and tables, ids, packed or not, equal stacks written once
 * or often, the file packed or not, read in place or rewritten (gate_profile_load, gate_profile_load_own,
 * gate_packed_file_load). Neither does the number of threads, nor the order of samples, but for weight_sq in its last
 * digits.
 *
 * pair            frames in the order in which the runs' locations name them first, the baseline's before the canary's;
 *                 total and samples of each run and side
 * deltas          an item a frame: sums of each side, each run's sum and sum of squared weights (profile/counts.h), and
 *                 set_id, equal where the same samples count
 * inputs, counts  runs of each side, one at least. Their profiles are not changed, and outlive what is made
 * err             GATE_ERR_INPUT what is no profile to compare (compare/pair.h), GATE_ERR_CONFIG what patterns of the
 *                 rules make of names, GATE_ERR_OVERFLOW a sum that leaves int64_t, GATE_ERR_LIMIT the arena is full;
 *                 then neither output is of use
 *
 * O(bytes of samples + lines + frames * runs). Memory: 12 bytes a distinct stack of a run, 32 where its value is no
 * small multiple of a unit; 4 a location; 48 a frame and run.
 */
GATE_MUST_CHECK
bool gate_hot_path_costs(struct gate_pair *pair, struct gate_delta_list *deltas,
                         const struct gate_run_input *const inputs[GATE_SIDES], const uint32_t counts[GATE_SIDES],
                         const struct gate_pair_options *options, struct gate_arena *arena, struct gate_error *err);

/**
 * The call tree of the same samples, both sides in one: a node is what stacks begin with, at the root, or at the leaf
 * where `options->inverted`.
 *
 * total  of a node, the sum of values of the stacks that begin with it; the root's is the side's
 * self   of those that are over with it
 *
 * There is every node whose total is at least `options->min_share` of its side's, and not 0, on one side or the other;
 * nothing else but the root. Nodes stand depth first, children by the bytes of their names.
 *
 * pair, deltas  of gate_hot_path_costs; the pair's stacks are not given back yet (gate_pair_spend)
 * err           GATE_ERR_LIMIT the arena is full
 *
 * O(slots of stacks in nodes that are there + stacks); memory 40 bytes a stack and 72 a node at most.
 */
GATE_MUST_CHECK static inline bool gate_hot_path_tree(struct gate_tree *out, const struct gate_pair *pair,
                                                      const struct gate_delta_list *deltas,
                                                      const struct gate_tree_options *options, struct gate_arena *arena,
                                                      struct gate_error *err) {
    return gate_tree_merge(out, pair, deltas, options, arena, err);
}

#endif
