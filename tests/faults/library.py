# SPDX-License-Identifier: Apache-2.0
"""A foreign program that compares by using the library (host.c)."""
import re

from scenarios import Scenario


class Library(Scenario):
    """It compares twice. A single fault must affect one comparison only; a lasting fault is an error of both."""
    varies = True
    spared = ("write",)

    def __init__(self, name, status, inputs):
        super().__init__(name, status, inputs.base, inputs.canary)
        self.program, self.whole = inputs.host, None

    def after(self, place, inputs, ended):
        verdicts = re.findall(rb"^(pass|fail|error|inconclusive)$", ended.out, re.M)
        right = {0: b"pass", 1: b"fail", 3: b"inconclusive"}[self.status]
        if ended.status not in (self.status, 2):
            return None  # it was killed, or the status is reported already
        if ended.touched == 1 and verdicts.count(b"error") > 1 or set(verdicts) - {right, b"error"}:
            return f"the verdicts are {verdicts}"
        if self.whole is None:
            clean = Scenario(self.name, self.status, *self.given)
            self.whole = inputs.run(self.program, *clean.words(inputs)).stdout
        if verdicts[0] == right and ended.out.splitlines()[:-1] != self.whole.splitlines()[:-1]:
            return "the JSON is not as without the fault"
        return None


def all_of(inputs):
    return [Library("library", 3, inputs)] if inputs.host else []
