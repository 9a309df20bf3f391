/* SPDX-License-Identifier: Apache-2.0 */
/* Source files, packages and namespaces that moved between two builds: by their names, their functions would be other
 * functions. */
#ifndef GATE_COMPARE_MOVED_FILES_H
#define GATE_COMPARE_MOVED_FILES_H

#include "gate/base/table.h"
#include "gate/compare/pair_types.h"

/** A file, package or class that names of functions contain. */
struct gate_moved_file {
    uint64_t *groups; /* a bit per group of runs that has it; the last group is the newest */
    uint32_t group_count;
    bool is_kept;        /* it does not move: a package of Go that is not own code, or "main" */
    struct gate_str now; /* path of the same file in the newest group, if that lacks this one; else empty */
};

/** A namespace of C++ or a module of Rust, with "::" at the end, that moved with all that is in it. */
struct gate_moved_namespace {
    struct gate_str before, now;
};

enum { GATE_MOVED_FOLDERS_MOST = 8 }; /* more do not move at once */

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
 * Find the files of the baseline that have another path in the canary; in a series of builds, whose first run is the
 * canary, too, those of a run that have another path in the last run. Names contain files in Python
 * ("parse (shop/cart.py:12)") and Ruby ("run - /srv/shop.rb:4"), and those that JavaScript's functions without a name
 * are given ("blue/main.js (anonymous)"); elsewhere they contain a package or class: "acme/shop/Cart.price",
 * "acme::Cart::price", "example.com/shop/cart.(*Item).Price". A file, or package or class, has moved if
 *
 * - its module became a package, or the other way round: shop.py and shop/__init__.py;
 * - its folder has another name: /srv/blue/shop/cart.py and /srv/green/shop/cart.py. Of the files that have no place
 *   yet, at least two of a folder, and half of those in it, have to be in the other folder; or this file is the only
 *   one. Half of their functions have to be the same, too (of the folder with fewer): all parts of a program may have
 *   files of these names. A namespace that moved as a whole has its new name in the arguments of templates, too;
 * - it has another name in the same folder, in Python and Ruby: half of the functions are the same (of the file with
 *   fewer), one of them has a name that no other file has, and no other file is as good;
 * - it is a package of Go with another path: as in Python, in any folder if two functions are the same. What is charged
 *   to the functions that are the same has to be half of what is charged to the package, on each side.
 *
 * A path that the newest profiles have is not moved, and two paths that one side (or run) has are two files. Packages
 * of Go move if all of their functions are own code (names/own_code.h) and they are not "main". A module that is not
 * has another version (compare/upgrades.h). Sets pair->moved, too, if files have moved.
 *
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(bytes of names + files that the newest profiles lack * their files * runs / 64), and in Go O(samples * frames) if
 * packages of both sides may have moved.
 */
GATE_MUST_CHECK
bool gate_moved_files_find(struct gate_moved_files *out, struct gate_pair *pair, struct gate_arena *arena,
                           struct gate_error *err);

/**
 * Return the path that a file of the profiles has in the newest ones, stable; empty: it has not moved. `.ptr` NULL: the
 * arena is full. O(length).
 */
struct gate_str gate_moved_files_path(const struct gate_moved_files *files, struct gate_str path,
                                      struct gate_arena *arena);

/** The same for two lists of names of functions, such as those of a noise model and of the profiles that it is for. Of
 * Go they have no costs and no files, so that names alone decide. */
GATE_MUST_CHECK
bool gate_moved_files_since(struct gate_moved_files *out, enum gate_language language,
                            const struct gate_str *const lists[GATE_SIDES], const uint32_t counts[GATE_SIDES],
                            struct gate_arena *arena, struct gate_error *err);

/**
 * Return a stable name with the newest file, "parse (shop/__init__.py)" for "parse (shop.py)", if its file is one of
 * these; else the name. `.ptr` NULL: the arena is full. O(length).
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
 * Find which files are the same. A path that only one side has is one of another folder, such as that of a checkout or
 * a release, if the end of it from some folder on, the longer the better, is that of one path which only the other side
 * has. No names of functions are compared, unlike above: a source map may name them later, and a file whose functions
 * begin at other lines differs in any case.
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
