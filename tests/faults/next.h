/* SPDX-License-Identifier: Apache-2.0 */
/* How a function stands in front of the C library's of the same name: what calls.c and programs.c are written with. */
#ifndef GATE_TESTS_FAULTS_NEXT_H
#define GATE_TESTS_FAULTS_NEXT_H

#include <dlfcn.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* `real` becomes the function of that name that ours stands in front of. */
#define NEXT(real, name)                                                                                               \
    do {                                                                                                               \
        static void *_Atomic found;                                                                                    \
        void *address = found;                                                                                         \
        if (address == NULL)                                                                                           \
            found = address = dlsym(RTLD_NEXT, name);                                                                  \
        memcpy(&(real), &address, sizeof(real));                                                                       \
    } while (0)

/* A function with another name of its own. */
#define ALSO(type, other, name) EXPORTED type other __attribute__((alias(#name)))

#endif
