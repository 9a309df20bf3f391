/* SPDX-License-Identifier: Apache-2.0 */
/* The program's entry: hands streams and arguments to cli/run.h, which tests call as well. */
#include "gate/base/heap.h"
#include "gate/cli/run.h"

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

/* A stream that was closed by whoever started us stays useless, and its number is taken: else the next file that is
 * opened would be the standard output, and what is said would be written into a report. False: it cannot be taken. */
static bool streams_hold(void) {
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY) != stream)
            return false;
    return true;
}

int main(int argc, char **argv) {
    if (!streams_hold())
        return GATE_EXIT_ERROR; /* and there is nowhere to say so */
    gate_heap_keep();
    return gate_run_alone(argc, (const char *const *)argv, stdin, stdout, stderr);
}
