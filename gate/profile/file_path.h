/* SPDX-License-Identifier: Apache-2.0 */
/* One spelling for each source file, so that a file is one frame. Used by compare/frames.h. */
#ifndef GATE_PROFILE_FILE_PATH_H
#define GATE_PROFILE_FILE_PATH_H

#include "gate/base/arena.h"
#include "gate/base/str.h"

/**
 * The shortest path that is the same by its text alone: "a/../b" is "b", "/srv//shop/./a.go" is "/srv/shop/a.go". What
 * stands in front of "://" stays. Empty stays empty; no path becomes empty. A view of `path` where that is clean, else
 * arena memory; `.ptr` NULL: the arena is full. Source: Go's filepath.Clean, which google/pprof applies (graph.go,
 * nodeInfo), and which makes of "file:///a" a "file:/a".
 *
 * O(length).
 */
struct gate_str gate_file_path_clean(struct gate_arena *arena, struct gate_str path);

#endif
