/* SPDX-License-Identifier: Apache-2.0 */
/* Frames as valgrind's tools write them. */
#ifndef GATE_FORMATS_VALGRIND_FRAME_H
#define GATE_FORMATS_VALGRIND_FRAME_H

#include "gate/base/str.h"
#include "gate/formats/builder.h"

/**
 * Add the frame "0x48417B4: malloc (in /usr/lib/x.so)", "0x49021FA: f(int) (a.c:65)", "main (src/m.rs:3:9)" or
 * "0x10: ???". Returns the id of its location, or 0 if memory is exhausted.
 */
uint64_t gate_valgrind_frame_add(struct gate_builder *builder, struct gate_str text);

#endif
