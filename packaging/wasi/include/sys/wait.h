/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes, which WASI lacks. packaging/wasi/posix.c defines them; each fails. */
#ifndef PACKAGING_WASI_SYS_WAIT_H
#define PACKAGING_WASI_SYS_WAIT_H

#include <signal.h>
#include <sys/types.h>

enum { P_PID = 1 };
enum { WNOHANG = 1, WEXITED = 4, WNOWAIT = 0x1000000 };

#define WIFEXITED(status) (((status)&0x7F) == 0)
#define WEXITSTATUS(status) ((status) >> 8 & 0xFF)
#define WIFSIGNALED(status) (!WIFEXITED(status))
#define WTERMSIG(status) ((status)&0x7F)

int waitid(int kind, id_t id, siginfo_t *info, int options);
pid_t waitpid(pid_t process, int *status, int options);

#endif
