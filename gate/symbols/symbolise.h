/* SPDX-License-Identifier: Apache-2.0 */
/* Names for what has none: a profile in, the same profile with more functions and lines out.
 * Pipeline: profile/load.h -> symbols/symbolise.h -> compare/pair.h */
#ifndef GATE_SYMBOLS_SYMBOLISE_H
#define GATE_SYMBOLS_SYMBOLISE_H

#include "gate/symbols/symbol_source.h"

/**
 * `profile` with a name for each location that had none and whose binary or perf map is known, its inlined calls too;
 * and with C++ and Rust names demangled. What has a name keeps it. `out` shares with `profile` what is as it was, the
 * samples among it; the rest is memory of `arena`, and what was looked up for the next profile also of the source's.
 *
 * err   GATE_ERR_FORMAT, GATE_ERR_LIMIT, GATE_ERR_IO a file of symbols is damaged or too much work, with its path;
 *       GATE_ERR_LIMIT the arena is full
 *
 * Not while other threads run: processes are forked (symbols/asking.h). O(locations + samples), and what it takes to
 * look up the addresses that were not asked for before.
 */
GATE_MUST_CHECK
bool gate_symbolise(struct gate_profile *out, const struct gate_profile *profile, struct gate_symbol_source *source,
                    struct gate_arena *arena, struct gate_error *err);

#endif
