/* SPDX-License-Identifier: Apache-2.0 */
/* The values of samples under construction: a word each in the sample's record, which holds a multiple of the column's
 * unit, or says where the value is that is none.
 * Pipeline: profile/stack_tree.h -> profile/stack_tree_values.h -> profile/builder.h, profile/builder_write.h */
#ifndef GATE_PROFILE_STACK_TREE_VALUES_H
#define GATE_PROFILE_STACK_TREE_VALUES_H

#include "gate/profile/stack_tree.h"

int64_t gate_stack_tree_value(const struct gate_stack_tree *tree, uint32_t place, uint32_t column);

/** False where there is no room. */
GATE_MUST_CHECK
bool gate_stack_tree_set(struct gate_stack_tree *tree, uint32_t place, uint32_t column, int64_t value);

/** All values of a column times `ratio`, above 0; false where one does not fit in 64 bits: then nothing holds. */
GATE_MUST_CHECK
bool gate_stack_tree_scale(struct gate_stack_tree *tree, uint32_t column, int64_t ratio);

#endif
