/* SPDX-License-Identifier: Apache-2.0 */
/* In front of every source of a coverage build: a child that ends by _exit writes down what it has executed, too. */
#ifndef CI_COVERAGE_H
#define CI_COVERAGE_H

void __gcov_dump(void);
_Noreturn void _Exit(int status);

static inline _Noreturn void counted_exit(int status) {
    __gcov_dump();
    _Exit(status);
}

/* As does a program that ends itself by a signal. */
void __gcov_reset(void);
int getpid(void);
int kill(int process, int signal);

static inline int counted_kill(int process, int signal) {
    if (process != getpid())
        return kill(process, signal);
    __gcov_dump();
    __gcov_reset();
    return kill(process, signal);
}

#define _exit counted_exit
#define kill counted_kill

#endif
