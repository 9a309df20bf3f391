/* SPDX-License-Identifier: Apache-2.0 */
/* Records as people read them: one a line, or all that is known of one.
 * Pipeline: store/record.h -> store/record_text.h -> cli/cmd_baseline_list.c, cli/cmd_baseline_show.c */
#ifndef GATE_STORE_RECORD_TEXT_H
#define GATE_STORE_RECORD_TEXT_H

#include "gate/store/records.h"

/** A table of records: a head, and a line each. */
void gate_record_text_list(struct gate_buf *out, const struct gate_records *records);

/** All of one record, over several lines. `damage` of a run: what is wrong with its object, `.len` 0: nothing. */
void gate_record_text_show(struct gate_buf *out, const struct gate_record *record, const struct gate_str *damage);

/** "cpu, inuse_space": each kind once, in the order of the runs. */
void gate_record_text_kinds(struct gate_buf *out, const struct gate_record *record);

/** Of a commit its first 12 digits, else all of it. */
struct gate_str gate_record_text_revision(const struct gate_record *record);

/** "2026-11-21 20:15" (UTC). */
void gate_record_text_time(struct gate_buf *out, int64_t ms);

/** "pass", "unchecked", "fail, accepted with a reason". */
void gate_record_text_verdict(struct gate_buf *out, const struct gate_record *record);

#endif
