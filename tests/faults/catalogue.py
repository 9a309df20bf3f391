# SPDX-License-Identifier: Apache-2.0
"""All scenarios that faults.py and conditions.py break."""
import library
import live
import scenarios
import stores
import trials


def all_of(inputs):
    return [*scenarios.all_of(inputs), *stores.all_of(inputs), *live.all_of(inputs), *trials.all_of(inputs),
            *library.all_of(inputs)]
