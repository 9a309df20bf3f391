/* SPDX-License-Identifier: Apache-2.0 */
/* Processes, pipes and timers, which WASI lacks. packaging/wasi/posix.c defines them; each fails. */
#ifndef PACKAGING_WASI_UNISTD_H
#define PACKAGING_WASI_UNISTD_H

#include_next <unistd.h>

unsigned alarm(unsigned seconds);
int dup2(int from, int to);
int execvp(const char *file, char *const *words);
pid_t fork(void);
pid_t getppid(void);
int pipe(int *ends);
int setpgid(pid_t process, pid_t group);
uid_t getuid(void);
uid_t geteuid(void);

#endif
