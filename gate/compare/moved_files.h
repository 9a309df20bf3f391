/* SPDX-License-Identifier: Apache-2.0 */
/* Source files, packages and namespaces that moved between two builds. Names of functions contain them, so each
 * function of a moved file would have another name on each side. */
#ifndef GATE_COMPARE_MOVED_FILES_H
#define GATE_COMPARE_MOVED_FILES_H

#include "gate/base/table.h"
#include "gate/compare/pair_types.h"

/** A file, package or class that names of functions contain. */
struct gate_moved_file {
    uint64_t *groups; /* a bit per group of runs that has it; the last group is the newest */
    uint32_t group_count;
    bool is_kept;        /* it cannot move: a package of Go that is not own code, or "main" */
    struct gate_str now; /* path of the same file in the newest group, if that lacks this one; else empty */
};

/** A namespace of C++ or a module of Rust, with "::" at the end, that moved with all that is in it. */
struct gate_moved_namespace {
    struct gate_str before, now;
};

enum { GATE_MOVED_FOLDERS_MOST = 8 }; /* maximum number of folders that are found to have moved */

/** The files in the names of a pair's functions. Zeroed: none. */
struct gate_moved_files {
    struct gate_table paths; /* stable: without the versions of folders, and without lines */
    struct gate_moved_file *items;
    size_t capacity;
    uint32_t count; /* files with another path in the newest group */
    struct gate_moved_namespace namespaces[GATE_MOVED_FOLDERS_MOST];
    uint32_t namespace_count;
};

/**
 * Find the files of the baseline that have another path in the canary. In a series of builds, find the files of every
 * run that have another path in the last run. (The first run of a series is also its canary.)
 *
 * In Python and Ruby the name of a function contains its file: "parse (shop/cart.py:12)", "run - /srv/shop.rb:4". So do
 * the names that JavaScript's functions without a name get: "blue/main.js (anonymous)". In other languages the name
 * contains a package or class: "acme/shop/Cart.price", "acme::Cart::price", "example.com/shop/cart.(*Item).Price". A
 * file, package or class has moved if one of these holds:
 *
 * - Its module became a package, or the other way round: shop.py and shop/__init__.py.
 * - Its folder has another name: /srv/blue/shop/cart.py and /srv/green/shop/cart.py. The other folder must have at
 *   least two of the folder's files, and half of those that are not placed yet. One file is enough if no other file is
 *   missing. Half of the functions (of the folder with fewer) must be the same, because all parts of a program may have
 *   files of these names. A namespace that moved as a whole gets its new name in the arguments of templates, too.
 * - In Python and Ruby: it has another name in the same folder. Half of the functions (of the file with fewer) are the
 *   same. One of them has a name that no other file has. No other file fits as well. Its folder may have moved, too.
 * - In C++, Rust and on the JVM: the class or module has another name in the same package or namespace. The rules of
 *   Python apply, and at least two functions must be the same.
 * - In Go: the package has another path. The rules of Python apply, in any folder if two functions are the same. On
 *   each side, the functions that are the same must have half of the package's charged cost.
 *
 * A path that the newest profiles have has not moved. Two paths that one side (or run) has are two files. Packages of
 * Go move if all of their functions are own code (names/own_code.h) and they are not "main". A Go module that is not
 * own code has another version instead (compare/upgrades.h). Sets pair->moved if files have moved.
 *
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(bytes of names + files that the newest profiles lack * their files * runs / 64), and in Go O(samples * frames) if
 * packages of both sides may have moved.
 */
GATE_MUST_CHECK
bool gate_moved_files_find(struct gate_moved_files *out, struct gate_pair *pair, struct gate_arena *arena,
                           struct gate_error *err);

/** Like gate_moved_files_find, for two lists of function names, such as those of a noise model and of the profiles that
 * it is used for. Go names in such lists have no costs and no files, so names alone decide. */
GATE_MUST_CHECK
bool gate_moved_files_since(struct gate_moved_files *out, enum gate_language language,
                            const struct gate_str *const lists[GATE_SIDES], const uint32_t counts[GATE_SIDES],
                            struct gate_arena *arena, struct gate_error *err);

/**
 * Return a stable name with the newest path of its file, "parse (shop/__init__.py)" for "parse (shop.py)". If the file
 * has not moved, return `name`. `.ptr` is NULL if the arena is full. O(length).
 */
struct gate_str gate_moved_files_name(const struct gate_moved_files *files, struct gate_str name,
                                      struct gate_arena *arena);

/* ---- files of scripts, by their paths alone ---------------------------------------------------------------------- */

/** The files of the functions of all runs. Valid as long as the arena and the profiles are. */
struct gate_script_files {
    struct gate_table paths;
    uint32_t *file_of;                 /* by path: the file; two paths may be those of one file in two folders */
    struct gate_str (*on)[GATE_SIDES]; /* by file: its path on each side; empty: it is not there */
    bool *differs;                     /* by file: the other side lacks it, or functions begin at other lines there */
};

/** Return whether a function of JavaScript has a name of its own, and begins at a known line. O(1). */
bool gate_script_has_name(const struct gate_function *function);

/**
 * Find which files are the same on both sides. Two paths, each of which only one side has, are the same file in two
 * folders (checkouts or releases) if they end alike from some folder on. No other path may do so for as many folders.
 * Unlike above, no function names are compared: a source map may name functions later, and a file whose functions begin
 * at other lines differs in any case.
 *
 * profiles  of `count` runs, each of the side in `sides`
 *
 * O(functions + paths * folders). Returns false if the arena is full.
 */
GATE_MUST_CHECK
bool gate_script_files_find(struct gate_script_files *out, const struct gate_profile *const *profiles, const int *sides,
                            uint32_t count, struct gate_arena *arena);

/** Return the file of a path that some run has. O(1). */
uint32_t gate_script_files_at(const struct gate_script_files *files, struct gate_str path);

#endif
