/* SPDX-License-Identifier: Apache-2.0 */
/* What --by found, a row a value, the worst first: every report lists the same rows with the same words.
 * Pipeline: budget/by.h + budget/verdict.h -> report/by_rows.h -> the reports */
#ifndef GATE_REPORT_BY_ROWS_H
#define GATE_REPORT_BY_ROWS_H

#include "gate/budget/verdict.h"

struct gate_by_row {
    const struct gate_by_value *value;
    uint32_t comparison;              /* that of the worst budget; GATE_NO_INDEX: it was not compared */
    enum gate_outcome outcome;        /* the worst of its budgets; PROVEN where it has none */
    const struct gate_finding *worst; /* of that outcome the one that grew most; NULL: nothing to tell */
};

/**
 * The rows of one entry of verdict->by: by outcome, the worst first, then by growth, then as they weigh; values that
 * were not compared stand last.
 *
 * rows  room for by->count
 *
 * O(values * findings).
 */
void gate_by_rows_make(struct gate_by_row *rows, const struct gate_by *by, const struct gate_verdict *verdict);

/** "broken", "undecided", "warns", "holds", or for one that was not compared "new", "gone" or "unasked". */
const char *gate_by_rows_word(const struct gate_by_row *row);

/** "8.1 % -> 16.7 % of cpu; main.round +35.3 pp" with a real arrow; names are not escaped. */
void gate_by_rows_text(struct gate_buf *out, const struct gate_by_row *row, const struct gate_verdict *verdict);

/** What is in no value that was compared, a sentence without full stop; nothing where all is. */
void gate_by_rows_rest(struct gate_buf *out, const struct gate_by *by);

#endif
