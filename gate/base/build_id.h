/* SPDX-License-Identifier: Apache-2.0 */
/* The build id of this program, which reports contain. */
#ifndef GATE_BASE_BUILD_ID_H
#define GATE_BASE_BUILD_ID_H

/* Longest supported build id in bytes, and the size of its text with the final NUL. */
enum { GATE_OWN_BUILD_BYTES = 32, GATE_OWN_BUILD_TEXT = 2 * GATE_OWN_BUILD_BYTES + 1 };

/**
 * Write the build id of the program or shared library that contains this code to `out`, in hexadecimal digits.
 *
 * It is the ELF note NT_GNU_BUILD_ID, a digest of the linked file that stripping keeps; `readelf -n` and `file` show
 * it. `out` is empty if the linker wrote no build id or if programs are not ELF files. O(notes); opens no file.
 */
void gate_own_build_id(char out[GATE_OWN_BUILD_TEXT]);

#endif
