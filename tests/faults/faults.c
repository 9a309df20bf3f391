/* SPDX-License-Identifier: Apache-2.0 */
/* Counting calls, and choosing the one that fails (see faults.h). */
#include "tests/faults/faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What to do in this process. Written before main begins, while there is only one thread. */
static struct {
    struct faults_sheet *sheet; /* NULL: nothing is counted */
    enum faults_call call;
    enum faults_manner manner;
    uint64_t number; /* the first call is 1 */
    int signal;
} plan;

/* Read "CALL MANNER NUMBER SIGNAL", all of them numbers. */
static void plan_read(const char *text) {
    char *end = NULL;
    plan.call = (enum faults_call)strtoul(text, &end, 10);
    plan.manner = (enum faults_manner)strtoul(end, &end, 10);
    plan.number = strtoull(end, &end, 10);
    plan.signal = (int)strtol(end, &end, 10);
}

/* Programs that the program starts are not affected: the variables are removed from the environment. */
static void plan_begin(void) {
    const char *path = getenv("GATE_FAULTS_SHEET"), *text = getenv("GATE_FAULTS_PLAN");
    if (path == NULL || text == NULL)
        return;
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    void *sheet = mmap(NULL, sizeof *plan.sheet, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    (void)close(descriptor);
    if (sheet == MAP_FAILED)
        abort();
    plan_read(text);
    (void)unsetenv("LD_PRELOAD");
    (void)unsetenv("GATE_FAULTS_SHEET");
    (void)unsetenv("GATE_FAULTS_PLAN");
    plan.sheet = sheet;
}

static bool is_memory(enum faults_call call) {
    return call == FAULTS_MALLOC || call == FAULTS_CALLOC || call == FAULTS_REALLOC;
}

static bool is_planned(enum faults_call call) {
    uint64_t number = ++plan.sheet->counts[call];
    return plan.call == call && (plan.manner == FAULTS_LASTING ? number >= plan.number : number == plan.number);
}

enum faults_manner faults_meet(enum faults_call call, int descriptor) {
    if (plan.sheet == NULL)
        return FAULTS_NEVER;
    bool planned = is_planned(call);
    if (is_memory(call))
        planned = is_planned(FAULTS_MEMORY) || planned;
    if (!planned || plan.manner == FAULTS_NEVER)
        return FAULTS_NEVER;
    plan.sheet->touched++;
    plan.sheet->descriptor = descriptor;
    if (plan.manner != FAULTS_SIGNAL)
        return plan.manner;
    (void)kill(getpid(), plan.signal);
    return FAULTS_NEVER;
}

bool faults_fail(enum faults_call call, int descriptor, int reason) {
    size_t len = 0;
    return faults_fail_bytes(call, descriptor, reason, &len);
}

bool faults_fail_bytes(enum faults_call call, int descriptor, int reason, size_t *len) {
    enum faults_manner manner = faults_meet(call, descriptor);
    if (manner == FAULTS_SHORT)
        *len = (*len + 1) / 2;
    if (manner == FAULTS_NEVER || manner == FAULTS_SHORT)
        return false;
    errno = manner == FAULTS_INTERRUPT ? EINTR : manner == FAULTS_AGAIN ? EAGAIN : reason;
    return true;
}

/* ---- main -------------------------------------------------------------------------------------------------------- */

typedef int program_main(int argc, char **argv, char **environment);
typedef int program_start(program_main *begin, int argc, char **argv, void (*init)(void), void (*fini)(void),
                          void (*linker_fini)(void), void *stack_end);

static program_main *real_main;

static int main_planned(int argc, char **argv, char **environment) {
    plan_begin();
    return real_main(argc, argv, environment);
}

/* Before main the loader and the libraries allocate memory, which is not tested. */
program_start __libc_start_main;

int __libc_start_main(program_main *begin, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*linker_fini)(void), void *stack_end) {
    program_start *start;
    void *found = dlsym(RTLD_NEXT, "__libc_start_main");
    if (found == NULL)
        abort();
    memcpy(&start, &found, sizeof start);
    real_main = begin;
    return start(main_planned, argc, argv, init, fini, linker_fini, stack_end);
}
