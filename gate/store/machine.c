/* SPDX-License-Identifier: Apache-2.0 */
/* Read facts about this machine. */
#include "gate/store/machine.h"

#include "gate/base/file.h"
#include "gate/capture/manifest.h"
#include "gate/store/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

enum { FACT_BYTES = 256 };

/* Return the text of the file `path`, trimmed; empty if it cannot be read. */
static struct gate_str line_of(const char *path, struct gate_arena *arena) {
    char text[FACT_BYTES];
    FILE *file = fopen(path, "r");
    size_t len = file == NULL ? 0 : gate_stream_read(text, sizeof text, file);
    if (file != NULL)
        (void)fclose(file);
    struct gate_str copy = gate_str_copy(arena, gate_str_trim((struct gate_str){text, len}));
    return copy.ptr == NULL ? GATE_STR("") : copy;
}

static bool add(struct gate_record *record, const char *key, struct gate_str value, struct gate_arena *arena,
                struct gate_error *err) {
    if (value.ptr == NULL)
        return gate_arena_error(arena, err);
    return value.len == 0 || gate_record_add_fact(record, gate_str_from(key), value, arena, err);
}

struct gate_str gate_machine_cpu_limit(struct gate_str text, struct gate_arena *arena) {
    char number[64];
    char *end = number;
    if (text.len == 0 || text.len >= sizeof number)
        return GATE_STR("");
    memcpy(number, text.ptr, text.len);
    number[text.len] = '\0';
    double quota = strtod(number, &end); /* "max" (no limit) gives 0 */
    double period = end == number || *end != ' ' ? 0 : strtod(end, NULL);
    if (!(quota > 0) || !(period > 0))
        return GATE_STR("");
    return gate_str_format(arena, "%.3g", quota / period);
}

/* The files of cgroup v2 as a container sees them, else those of cgroup v1. */
static bool add_container(struct gate_record *record, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str cpus = line_of("/sys/fs/cgroup/cpu.max", arena);
    if (cpus.len == 0) {
        struct gate_str quota = line_of("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", arena);
        struct gate_str period = line_of("/sys/fs/cgroup/cpu/cpu.cfs_period_us", arena);
        cpus = gate_str_format(arena, "%.*s %.*s", GATE_STR_ARG(quota), GATE_STR_ARG(period));
        if (cpus.ptr == NULL)
            return gate_arena_error(arena, err);
    }
    struct gate_str memory = line_of("/sys/fs/cgroup/memory.max", arena);
    if (memory.len == 0)
        memory = line_of("/sys/fs/cgroup/memory/memory.limit_in_bytes", arena);
    if (gate_str_equal(memory, GATE_STR("max")) || memory.len > 15) /* cgroup v1 writes "no limit" as a number near
                                                                       2^63 */
        memory = GATE_STR("");
    return add(record, "container_cpus", gate_machine_cpu_limit(cpus, arena), arena, err) &&
           add(record, "container_memory", memory, arena, err);
}

bool gate_machine_add_host(struct gate_record *record, const struct gate_manifest_host *host, struct gate_arena *arena,
                           struct gate_error *err) {
    struct gate_str cpus = host->cpus == 0 ? GATE_STR("") : gate_str_format(arena, "%u", (unsigned)host->cpus);
    return add(record, "cpu_model", host->cpu_model.len == 0 ? GATE_STR("") : host->cpu_model, arena, err) &&
           add(record, "cpus", cpus, arena, err) &&
           add(record, "kernel", host->kernel.len == 0 ? GATE_STR("") : host->kernel, arena, err);
}

bool gate_machine_add_here(struct gate_record *record, struct gate_arena *arena, struct gate_error *err) {
    struct gate_manifest_host host;
    struct utsname name;
    gate_manifest_file_host(&host, arena);
    struct gate_str arch = uname(&name) == 0 ? gate_str_format(arena, "%s", name.machine) : GATE_STR("");
    return gate_machine_add_host(record, &host, arena, err) && add(record, "arch", arch, arena, err) &&
           add_container(record, arena, err);
}
