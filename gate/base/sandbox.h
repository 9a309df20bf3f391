/* SPDX-License-Identifier: Apache-2.0 */
/* What this process gives up for good before it reads what somebody else wrote: the network, other programs.
 * Pipeline: base/sandbox.h -> symbols/asking.h, cli/sealing.h */
#ifndef GATE_BASE_SANDBOX_H
#define GATE_BASE_SANDBOX_H

/** What a process still needs beside files; 0: nothing. */
enum gate_sandbox_need { GATE_NEEDS_NETWORK = 1, GATE_NEEDS_PROGRAMS = 2 };

enum gate_sandbox {
    GATE_SANDBOX_OPEN,    /* nothing is denied: nobody asked, or programs are needed, which would inherit it */
    GATE_SANDBOX_SEALED,  /* what is not needed is denied */
    GATE_SANDBOX_REFUSED, /* the kernel takes no filter */
    GATE_SANDBOX_UNBUILT  /* no filter for this system, or in a program with a sanitizer, which traces itself */
};

/**
 * Deny this process, all its threads and all that they start what is in no `needs`: sockets; execve; and in any case
 * what reaches into other processes or into the kernel. What is denied answers EPERM; every other call is as it was, so
 * that no C library, whatever it calls, is in the way. Nothing that was opened before is closed. Needs no rights.
 *
 * needs  enum gate_sandbox_need, or-ed; with GATE_NEEDS_PROGRAMS nothing is denied, since they would inherit it
 * reason errno where it is GATE_SANDBOX_REFUSED
 *
 * Filters add up: a process that was sealed stays so.
 */
enum gate_sandbox gate_sandbox_enter(unsigned needs, int *reason);

#endif
