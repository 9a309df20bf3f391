/* SPDX-License-Identifier: Apache-2.0 */
/* The program's entry: hands streams and arguments to cli/run.h, which tests call as well. */
#include "gate/cli/run.h"

int main(int argc, char **argv) {
    return gate_run(argc, (const char *const *)argv, stdin, stdout, stderr);
}
