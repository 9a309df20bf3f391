/* SPDX-License-Identifier: Apache-2.0 */
/* Debug information in several files: the file that `dwz -m` shares, and parts that libdw does not read. Uses libdw. */
#ifndef GATE_SYMBOLS_DEBUG_PARTS_H
#define GATE_SYMBOLS_DEBUG_PARTS_H

#include "gate/base/arena.h"
#include "gate/symbols/symbol_files.h"

#if GATE_HAS_DW
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

/**
 * Open the file that `dwarf` shares with others (`dwz -m`, .gnu_debugaltlink), if libdw has not found it itself: the
 * one of `files` with its build id. Returns it, for gate_debug_shared_close; NULL if there is none or it was found.
 * O(files).
 */
Dwarf *gate_debug_shared_open(Dwarf *dwarf, const struct gate_symbol_files *files);

/** Close the result of gate_debug_shared_open, which may be NULL. `dwarf` must not be used afterwards. */
void gate_debug_shared_close(Dwarf *shared);

/**
 * Return what of the debug information is not used and why, as the end of a sentence that begins with the file's name;
 * an empty text if all is used. `dwarf` may be NULL. A .dwp is looked for beside the binary and in `files`. The
 * result's `ptr` is NULL if the arena is full. O(sections + units + files).
 */
struct gate_str gate_debug_unused(Dwfl_Module *module, Dwarf *dwarf, const struct gate_symbol_files *files,
                                  struct gate_arena *arena);
#endif

#endif
