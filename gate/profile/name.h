/* SPDX-License-Identifier: Apache-2.0 */
/* What a function's name tells of it: its package, whether it is the language's runtime, whether it is skid.
 * Used by compare/frames.h and whoever selects frames. What of a name stays the same: profile/name_stable.h. */
#ifndef GATE_PROFILE_NAME_H
#define GATE_PROFILE_NAME_H

#include "gate/profile/code_kind.h"

/** Whether a leaf of this name is signal skid, whose samples belong to its caller (Go's runtime.asyncPreempt). */
bool gate_name_is_skid(struct gate_str name);

/**
 * The package, module or namespace of a function, a part of `name`; empty when the name does not tell. Go's names are
 * told apart by `language` alone: "io.discard.ReadFrom" is in io, "java.lang.Thread.run" in java.lang.
 * Source of Go's rule: debug/gosym, Sym.PackageName.
 */
struct gate_str gate_name_package(struct gate_str name, enum gate_language language);

/** Garbage collection, scheduler, allocator, JIT and interpreter internals: a cost the code causes but does not
 * contain. */
bool gate_name_is_runtime(struct gate_str name);

#endif
