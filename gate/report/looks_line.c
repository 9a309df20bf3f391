/* SPDX-License-Identifier: Apache-2.0 */
/* Looks as a line (see looks_line.h). */
#include "gate/report/looks_line.h"

#include "gate/base/figures.h"

void gate_looks_line(struct gate_buf *out, const struct gate_verdict_looks *looks) {
    if (looks->count == 0)
        return;
    gate_buf_printf(out, "look %u", (unsigned)looks->count);
    if (looks->planned > 0)
        gate_buf_printf(out, " of at most %u", (unsigned)looks->planned);
    gate_buf_printf(out, ", with %u run%s a side; one look would have taken %u; spent ", (unsigned)looks->runs,
                    looks->runs == 1 ? "" : "s", (unsigned)looks->one_look_runs);
    gate_figures_given(out, looks->fail_spent);
    gate_buf_text(out, " of ");
    gate_figures_given(out, looks->fail_total);
    gate_buf_text(out, " for a fail, ");
    gate_figures_given(out, looks->held_spent);
    gate_buf_text(out, " of ");
    gate_figures_given(out, looks->held_total);
    gate_buf_text(out, " for what holds");
}
