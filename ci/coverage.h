/* SPDX-License-Identifier: Apache-2.0 */
/* In front of every source of a coverage build: a child that ends by _exit, or becomes another program, writes down
 * what it has executed, too. */
#ifndef CI_COVERAGE_H
#define CI_COVERAGE_H

#define GATE_WRITES_COUNTERS 1

void __gcov_dump(void);
void __gcov_reset(void);
_Noreturn void _Exit(int status);
int execvp(const char *program, char *const words[]);
int fork(void);
int getpid(void);
int kill(int process, int signal);

static inline _Noreturn void counted_exit(int status) {
    __gcov_dump();
    _Exit(status);
}

/* As does a program that ends itself by a signal. */
static inline int counted_kill(int process, int signal) {
    if (process != getpid())
        return kill(process, signal);
    __gcov_dump();
    __gcov_reset();
    return kill(process, signal);
}

int raise(int signal);

static inline int counted_raise(int signal) {
    __gcov_dump();
    __gcov_reset();
    return raise(signal);
}

/* Of the first children alone: those behind them do the same, and a try has hundreds. */
enum { COUNTED_CHILDREN = 8 };
static int counted_children;

static inline int counted_fork(void) {
    counted_children++;
    return fork();
}

static inline int counted_execvp(const char *program, char *const words[]) {
    if (counted_children <= COUNTED_CHILDREN) {
        __gcov_dump();
        __gcov_reset();
    }
    return execvp(program, words);
}

#define _exit counted_exit
#define execvp counted_execvp
#define fork counted_fork
#define kill counted_kill
#define raise counted_raise

#endif
