/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of JDK Flight Recorder files, as the JDK and async-profiler write them. */
#ifndef GATE_FORMATS_JFR_H
#define GATE_FORMATS_JFR_H

#include "gate/base/buf.h"
#include "gate/model/limits.h"

/**
 * Convert a JDK Flight Recorder file of one or more chunks to pprof bytes. Each kind of event that it contains, or that
 * its settings enable, gives two columns, a number of events and a value:
 *
 * samples, cpu                jdk.ExecutionSample and jdk.NativeMethodSample; instead of both jdk.CPUTimeSample, if
 *                             there is one. `cpu` only if the recording contains its interval.
 * wall_samples, wall          profiler.WallClockSample; in files of async-profiler before 3.0, jdk.ExecutionSample
 *                             with another state than STATE_DEFAULT
 * alloc_samples, alloc_space  jdk.ObjectAllocationInNewTLAB and OutsideTLAB; only without both,
 *                             jdk.ObjectAllocationSample
 * inuse_samples, inuse_space  profiler.LiveObject
 * malloc_samples, malloc_space  profiler.Malloc
 * contentions, delay          jdk.JavaMonitorEnter, and jdk.ThreadPark of a lock or semaphore
 *
 * Comments count the events that are left out: native methods that wait, and threads that park for other reasons. The
 * thread's name is the label `thread`; the state of a wall-clock sample is the label `state`; samples of the processor
 * and of the wall clock in a method that is not compiled have the label `code` with the value `interpreted`. Frames are
 * spelled as async-profiler's converter does. See gate_format_convert in formats/format.h.
 */
GATE_MUST_CHECK bool gate_jfr_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                                      struct gate_arena *scratch, struct gate_error *err);

#endif
