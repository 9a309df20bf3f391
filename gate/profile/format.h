/* SPDX-License-Identifier: Apache-2.0 */
/* The table of formats: what plain bytes are, from how they begin; who reads them, or why they are refused by name.
 * A format that is to be read needs a value of enum gate_format (profile/profile.h), a converter, and a row in
 * format.c. Pipeline: profile/inflate.h -> profile/format.h -> the converter of the format -> profile/pprof.h */
#ifndef GATE_PROFILE_FORMAT_H
#define GATE_PROFILE_FORMAT_H

#include "gate/base/buf.h"
#include "gate/profile/limits.h"
#include "gate/profile/profile.h"

/**
 * Append the pprof bytes of `bytes` to `out`. `scratch` may be emptied afterwards.
 *
 * err   GATE_ERR_FORMAT with the line, byte or JSON path, what was expected and what was found; GATE_ERR_LIMIT
 *
 * O(bytes + stack slots).
 */
typedef bool gate_format_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                                 struct gate_arena *scratch, struct gate_error *err);

/**
 * Choose the format of plain (inflated) bytes. Anything that is not text and not a known binary format is taken for
 * pprof, whose decoder then says what is wrong with it.
 *
 * err   GATE_ERR_FORMAT empty; a known foreign format, with the command that converts it; text, with its first line
 */
GATE_MUST_CHECK
bool gate_format_sniff(enum gate_format *out, struct gate_str bytes, struct gate_error *err);

/**
 * Whether plain bytes that begin with `head`, 64 KiB or more, may be a profile. Errors are those that gate_format_sniff
 * and the decoder would find in the whole; what is JSON passes, since its keys may stand in any order.
 */
GATE_MUST_CHECK
bool gate_format_check_head(struct gate_str head, struct gate_error *err);

/** What turns the format into pprof bytes; NULL for pprof itself. */
gate_format_convert *gate_format_converter(enum gate_format format);

/** "pprof", "collapsed stacks", ...: static text, one for every value of the enumeration. */
const char *gate_format_name(enum gate_format format);

#endif
