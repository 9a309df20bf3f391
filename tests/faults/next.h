/* SPDX-License-Identifier: Apache-2.0 */
/* Macros with which calls.c and programs.c put functions in front of those of the C library. */
#ifndef GATE_TESTS_FAULTS_NEXT_H
#define GATE_TESTS_FAULTS_NEXT_H

#include <dlfcn.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* Set `real` to the next function of this name: the one that ours hides. */
#define NEXT(real, name)                                                                                               \
    do {                                                                                                               \
        static void *_Atomic found;                                                                                    \
        void *address = found;                                                                                         \
        if (address == NULL)                                                                                           \
            found = address = dlsym(RTLD_NEXT, name);                                                                  \
        memcpy(&(real), &address, sizeof(real));                                                                       \
    } while (0)

/* Give the function `name` a second name. */
#define ALSO(type, other, name) EXPORTED type other __attribute__((alias(#name)))

#endif
