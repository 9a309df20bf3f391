/* SPDX-License-Identifier: Apache-2.0 */
/* A call as V8's JSON files write it ('callFrame'), as a frame of the profile that is built.
 * Neighbours: profile/cpuprofile.h and profile/heapprofile.h, whose trees consist of such calls; profile/builder.h. */
#ifndef GATE_PROFILE_V8_FRAME_H
#define GATE_PROFILE_V8_FRAME_H

#include "gate/profile/builder.h"

#include <jansson.h>

/** The call's 'functionName', as long as `call` lives; empty where it has none. */
struct gate_str gate_v8_frame_name(const json_t *call);

/** A location of the call's name, '(anonymous)' for none, its file, and the line and column at which the function
 * begins. 0 where the builder is full. */
uint64_t gate_v8_frame_add(struct gate_builder *builder, const json_t *call);

#endif
