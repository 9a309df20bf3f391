/* SPDX-License-Identifier: Apache-2.0 */
/* What plain bytes are, from how they begin: a format that is read, or one that is known and refused by name.
 * Pipeline: profile/inflate.h -> profile/sniff.h -> the decoder of the format */
#ifndef GATE_PROFILE_SNIFF_H
#define GATE_PROFILE_SNIFF_H

#include "gate/profile/profile.h"

/**
 * Choose the format of plain (inflated) bytes. Anything that is not text and not a known binary format is taken for
 * pprof, whose decoder then says what is wrong with it.
 *
 * err   GATE_ERR_FORMAT empty; a known foreign format, with the command that converts it; text, with its first line
 */
GATE_MUST_CHECK
bool gate_format_sniff(enum gate_format *out, struct gate_str bytes, struct gate_error *err);

#endif
