/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a manifest that says how often its runs were looked at while they were taken (compare/looks.h): who
 * judges them again does so at the same levels.
 * Pipeline: cli/rounds.h -> capture/manifest_looks.h -> capture/manifest.h */
#ifndef GATE_CAPTURE_MANIFEST_LOOKS_H
#define GATE_CAPTURE_MANIFEST_LOOKS_H

#include "gate/base/json_writer.h"

#include <jansson.h>

/** Zeroed: nobody has looked, nor planned to. */
struct gate_manifest_looks {
    struct gate_str rules; /* digest of what they were judged by */
    uint32_t planned;      /* at most */
    uint32_t round;        /* the last one was at the rounds up to this; 0: there was none yet */
    double *fractions; /* of the information there can be, growing; 1: there was to be no other. Room for all planned */
    uint32_t count;
};

/** "looks": {...}; nothing where there is no plan. */
void gate_manifest_looks_write(struct gate_json *json, const struct gate_manifest_looks *looks);

/** Read what `value`, of the key "looks", says; NULL: there is no plan. err: GATE_ERR_CONFIG. */
GATE_MUST_CHECK
bool gate_manifest_looks_read(struct gate_manifest_looks *out, const json_t *value, struct gate_arena *arena,
                              struct gate_error *err);

#endif
