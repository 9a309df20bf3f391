/* SPDX-License-Identifier: Apache-2.0 */
/* --symbols and --debuginfod: opens symbol files and queries debuginfod servers, for frames without a name. */
#ifndef GATE_SESSION_DEBUGINFOD_H
#define GATE_SESSION_DEBUGINFOD_H

#include "gate/session/profile_options.h"

/**
 * Make the symbol source of `session` from `options`. Only the first call of a run has an effect.
 *
 * Servers are queried later, once per build id, and only with --debuginfod: those of DEBUGINFOD_URLS in turn, first for
 * debug information, then for the executable. Downloads are cached as ID/debuginfo and ID/executable in
 * --debuginfod-cache, else in pprofgate/debuginfod of the user's cache folder. A failed download becomes a note.
 *
 * err   GATE_ERR_USAGE if --debuginfod has no server or no cache folder, or if the program was built without libcurl;
 *       errors of symbols/symbolise.h for a path
 */
GATE_MUST_CHECK
bool gate_debuginfod_open(const struct gate_symbol_options *options, struct gate_session *session,
                          struct gate_error *err);

/** Return the folder of downloads without --debuginfod-cache, or NULL if the user has no cache folder or the arena is
 * full. */
const char *gate_debuginfod_cache(struct gate_arena *arena);

#endif
