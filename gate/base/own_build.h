/* SPDX-License-Identifier: Apache-2.0 */
/* Which build of this program runs: its linker's build id. Used by report/generator.h and cli/cmd_version.c. */
#ifndef GATE_BASE_OWN_BUILD_H
#define GATE_BASE_OWN_BUILD_H

/* The longest id that is told, in bytes, and its text with a NUL. */
enum { GATE_OWN_BUILD_BYTES = 32, GATE_OWN_BUILD_TEXT = 2 * GATE_OWN_BUILD_BYTES + 1 };

/**
 * The build id of the program (or shared library) that this code was linked into, in hexadecimal digits: the note
 * NT_GNU_BUILD_ID, a digest of what was linked, which stripping leaves and `readelf -n` and `file` show. Empty where
 * the linker was not asked for one, or where programs are not ELF files. O(notes); opens no file.
 */
void gate_own_build_id(char out[GATE_OWN_BUILD_TEXT]);

#endif
