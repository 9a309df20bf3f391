/* SPDX-License-Identifier: Apache-2.0 */
/* Giving up what is not needed (see sealing.h). */
#include "gate/cli/sealing.h"

void gate_sealing_narrow(struct gate_cli *cli, unsigned needs) {
    struct gate_cli_sealing *sealing = &cli->sealing;
    bool is_done = sealing->state == GATE_SANDBOX_SEALED && sealing->needs == needs;
    if (!sealing->is_wanted || is_done || sealing->state == GATE_SANDBOX_REFUSED)
        return;
    sealing->needs = needs;
    sealing->state = gate_sandbox_enter(needs, &sealing->reason);
    if (sealing->state == GATE_SANDBOX_REFUSED)
        gate_cli_tell(cli, "this run keeps the network and programs that it does not need: seccomp: %s",
                      strerror(sealing->reason));
}

struct gate_str gate_sealing_sentence(const struct gate_cli *cli) {
    switch (cli->sealing.state) {
    case GATE_SANDBOX_SEALED:
        return GATE_STR("yes (seccomp): what a run does not need of network and programs is denied to it");
    case GATE_SANDBOX_REFUSED:
        return gate_str_format(cli->arena, "no, the system refuses it (seccomp: %s)", strerror(cli->sealing.reason));
    case GATE_SANDBOX_UNBUILT:
        return GATE_STR("no, built with a sanitizer or for a system without seccomp");
    default:
        return GATE_STR("no, run inside of another program");
    }
}
