/* SPDX-License-Identifier: Apache-2.0 */
/* Guards (see guards.h). */
#include "gate/budget/guards.h"

const char *const gate_guard_names[] = {"swapped",
                                        "different_types",
                                        "different_period",
                                        "different_rate",
                                        "different_producer",
                                        "different_architecture",
                                        "different_duration",
                                        "idle",
                                        "unsymbolised",
                                        "hex_names",
                                        "truncated_stacks",
                                        "shape_changed",
                                        "cold_start",
                                        "profiler_overhead",
                                        "delta_profile",
                                        "debug_build",
                                        NULL};
