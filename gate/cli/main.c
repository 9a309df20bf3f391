/* SPDX-License-Identifier: Apache-2.0 */
/* The program's main function. */
#include "gate/base/heap.h"
#include "gate/cli/command.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>

/* Opens /dev/null for each standard stream that is closed. Otherwise the next opened file would get its descriptor, and
 * messages would be written into a report. Returns false if that fails. */
static bool streams_hold(void) {
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY) != stream)
            return false;
    return true;
}

int main(int argc, char **argv) {
    if (!streams_hold())
        return GATE_EXIT_ERROR;     /* there is nowhere to report it */
    (void)signal(SIGXFSZ, SIG_IGN); /* exceeding `ulimit -f` then makes write() fail, with a message */
    gate_heap_keep();
    return gate_run_alone(argc, (const char *const *)argv, stdin, stdout, stderr);
}
