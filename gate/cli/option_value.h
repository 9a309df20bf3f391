/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of option values: one a kind of value, named in the rows of cli/options.h. What `use->out` points to stands
 * behind each. */
#ifndef GATE_CLI_OPTION_VALUE_H
#define GATE_CLI_OPTION_VALUE_H

#include "gate/cli/options.h"

gate_option_reader gate_option_value_flag; /* bool: true */
gate_option_reader gate_option_value_text; /* const char *: the value itself; the last one counts */
gate_option_reader gate_option_value_view; /* struct gate_str: the same */
gate_option_reader gate_option_value_path; /* struct gate_paths: one more */

/** size_t above zero: bytes, with an optional k, M or G for powers of 1024. */
gate_option_reader gate_option_value_size;

/** uint64_t or uint32_t above zero: how many, with an optional k, M or G for thousands, millions and billions. */
gate_option_reader gate_option_value_count;
gate_option_reader gate_option_value_count32; /* what is more than UINT32_MAX is UINT32_MAX */

gate_option_reader gate_option_value_positive; /* double: finite, above zero */
gate_option_reader gate_option_value_duration; /* double: seconds above zero, "90", "90s", "5m", "1.5h" */
gate_option_reader gate_option_value_percent;  /* double: a fraction, from a finite percentage of zero or more */
gate_option_reader gate_option_value_word;     /* int: the index in `option->words` */

/** A finite number, all of `text`. */
GATE_MUST_CHECK bool gate_option_value_number(double *out, const char *text);

/** A count as gate_option_value_count takes it, zero too. */
GATE_MUST_CHECK bool gate_option_value_whole(uint64_t *out, const char *text);

#endif
