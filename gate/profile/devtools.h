/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON files that browsers', Node's and Pyroscope's tools write, told apart by the keys of the outermost object:
 * names and sources inside of them may spell anything. Neighbours: profile/format.h, whose table refuses those that are
 * not read by name; profile/cpuprofile.h, profile/heapprofile.h and profile/flamebearer.h, which read. */
#ifndef GATE_PROFILE_DEVTOOLS_H
#define GATE_PROFILE_DEVTOOLS_H

#include "gate/base/str.h"

/** V8's CPU profile of any age: 'nodes' with call frames in them, or a 'head' that has 'callUID's. O(bytes). */
bool gate_devtools_is_cpuprofile(struct gate_str text);

/** The Firefox profiler's: 'meta' and 'threads' with tables of stacks. O(bytes). */
bool gate_devtools_is_gecko(struct gate_str text);

/** A trace of events ('traceEvents', or a bare list of events), as Chrome's Performance panel saves it. O(bytes). */
bool gate_devtools_is_trace(struct gate_str text);

/** V8's sampled heap profile, .heapprofile. O(bytes). */
bool gate_devtools_is_heapprofile(struct gate_str text);

/** V8's heap snapshot or timeline: the objects that are there, .heapsnapshot. O(bytes). */
bool gate_devtools_is_heapsnapshot(struct gate_str text);

/** Pyroscope's drawing of a profile, or of two. O(bytes). */
bool gate_devtools_is_flamebearer(struct gate_str text);

#endif
