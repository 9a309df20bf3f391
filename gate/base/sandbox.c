/* SPDX-License-Identifier: Apache-2.0 */
/* Enters the sandbox: Landlock first, because the seccomp filter denies signals only if Landlock does not. */
#define _DEFAULT_SOURCE
#include "gate/base/sandbox.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANDBOX_IS_LEFT_OUT
#endif
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__linux__)
#define SANDBOX_IS_LEFT_OUT /* sanitizers use ptrace and files of their own */
#endif

#ifndef SANDBOX_IS_LEFT_OUT

#include "gate/base/landlock.h"
#include "gate/base/seccomp_filter.h"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

static void files_limit(const struct gate_sandbox_files *files, struct gate_sandbox_state *state) {
    struct gate_landlock landlock;
    state->files_reason = gate_landlock_begin(&landlock, files->limits_reads);
    state->landlock = landlock.version;
    if (state->files_reason == 0) {
        for (size_t i = 0; i < files->count; i++)
            gate_landlock_allow(&landlock, files->items[i].path, files->items[i].access);
#ifdef GATE_WRITES_COUNTERS /* a coverage build writes its counters beside the objects */
        gate_landlock_allow(&landlock, "/", ~0U);
#endif
        state->files_reason = gate_landlock_enter(&landlock);
    }
    state->files = state->files_reason == 0 ? GATE_SANDBOX_ENTERED : GATE_SANDBOX_REFUSED;
}

void gate_sandbox_enter(unsigned needs, const struct gate_sandbox_files *files, struct gate_sandbox_state *state) {
    if ((needs & GATE_NEEDS_PROGRAMS) != 0)
        return;
    /* The kernel accepts both without privileges only if no started program can gain privileges. */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) != 0) {
        state->calls = state->files = GATE_SANDBOX_REFUSED;
        state->calls_reason = state->files_reason = errno;
        return;
    }
    (void)prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL);
    if (state->files != GATE_SANDBOX_ENTERED)
        files_limit(files, state);
    const bool is_scoped = state->files == GATE_SANDBOX_ENTERED && state->landlock >= GATE_LANDLOCK_SIGNALS;
    const struct gate_seccomp_choice choice = {
        .has_network = (needs & GATE_NEEDS_NETWORK) != 0, .denies_signals = !is_scoped, .process = (int)getpid()};
    state->calls_reason = gate_seccomp_filter_load(&choice);
    state->calls = state->calls_reason == 0        ? GATE_SANDBOX_ENTERED
                   : state->calls_reason == ENOSYS ? GATE_SANDBOX_LEFT_OUT
                                                   : GATE_SANDBOX_REFUSED;
}

#else

void gate_sandbox_enter(unsigned needs, const struct gate_sandbox_files *files, struct gate_sandbox_state *state) {
    (void)files;
    if ((needs & GATE_NEEDS_PROGRAMS) == 0)
        state->calls = state->files = GATE_SANDBOX_LEFT_OUT;
}

#endif
