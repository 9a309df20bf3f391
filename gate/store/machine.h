/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a machine (processor, kernel, container limits), as facts of a record. */
#ifndef GATE_STORE_MACHINE_H
#define GATE_STORE_MACHINE_H

#include "gate/capture/manifest.h"
#include "gate/store/record.h"

/**
 * Add facts about this machine to `record`: cpu_model, cpus, kernel, arch, and, where a cgroup limits them,
 * container_cpus and container_memory. A fact that cannot be read is left out.
 * err  GATE_ERR_LIMIT `arena` is full
 */
GATE_MUST_CHECK
bool gate_machine_add_here(struct gate_record *record, struct gate_arena *arena, struct gate_error *err);

/**
 * Add cpu_model, cpus and kernel of `host`, the machine of a manifest, which may be another one.
 *
 * err   GATE_ERR_LIMIT
 */
GATE_MUST_CHECK
bool gate_machine_add_host(struct gate_record *record, const struct gate_manifest_host *host, struct gate_arena *arena,
                           struct gate_error *err);

/**
 * Return the CPU limit in `text`, the content of cgroup's cpu.max: "150000 100000" (µs per period) gives "1.5". `.len`
 * is 0 if there is no limit or `text` has another form.
 */
struct gate_str gate_machine_cpu_limit(struct gate_str text, struct gate_arena *arena);

#endif
