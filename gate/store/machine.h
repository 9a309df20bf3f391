/* SPDX-License-Identifier: Apache-2.0 */
/* The machine that a command runs on, as facts of a record: processor, kernel, what the container may use.
 * Pipeline: the system -> store/machine.h -> store/record.h */
#ifndef GATE_STORE_MACHINE_H
#define GATE_STORE_MACHINE_H

#include "gate/capture/manifest.h"
#include "gate/store/record.h"

/** Add cpu_model, cpus, kernel and arch, and container_cpus and container_memory where a cgroup limits them. What the
 * system does not tell is left out. err: the arena is full. */
GATE_MUST_CHECK
bool gate_machine_add_here(struct gate_record *record, struct gate_arena *arena, struct gate_error *err);

/** The same of a manifest's host, which may be another. err: the arena is full. */
GATE_MUST_CHECK
bool gate_machine_add_host(struct gate_record *record, const struct gate_manifest_host *host, struct gate_arena *arena,
                           struct gate_error *err);

/** "2" or "1.5" of cgroup's cpu.max such as "150000 100000"; `.len` 0: no limit, or not such a text. */
struct gate_str gate_machine_cpu_limit(struct gate_str text, struct gate_arena *arena);

#endif
