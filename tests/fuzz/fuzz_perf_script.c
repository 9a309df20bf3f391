/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_reader.h"

#include "gate/formats/perf_script.h"

FUZZ_READER(gate_perf_script_reader)
