/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the package of a function from its name, recognises runtime functions and skid, and cleans file paths. */
#ifndef GATE_NAMES_FRAME_NAME_H
#define GATE_NAMES_FRAME_NAME_H

#include "gate/base/arena.h"
#include "gate/base/str.h"
#include "gate/model/profile.h"

/* ---- function names. For the part of a name that is equal across builds see names/stable_names.h ----------------- */

/** Return true for signal skid: samples of a leaf with this name belong to its caller (Go's runtime.asyncPreempt). */
bool gate_name_is_skid(struct gate_str name);

/**
 * Return the package, module or namespace of a function, as a slice of `name`. Empty if the name does not contain it.
 * `language` distinguishes names of the same form: "io.discard.ReadFrom" is in io (Go), "java.lang.Thread.run" in
 * java.lang. Source of Go's rule: debug/gosym, Sym.PackageName. In Python it is the folder of the file in the name,
 * "shop" of "price (shop/cart.py)", relative to the installed packages or the standard library.
 */
struct gate_str gate_name_package(struct gate_str name, enum gate_language language);

/** Position of the last part of a function's name. All fields are 0 if no part names a function. */
struct gate_name_part {
    size_t start;
    size_t named; /* end of the part, or of what precedes a closure in it: "total" of "total.func1" */
    size_t end;   /* with the closure */
};

/**
 * Return the part of a name without file, package, class, receiver, parameters and type arguments: "total" of
 * "shop/Cart.total", "shop.(*Cart).total", "Cart::total<int>(int)", "Cart.total (cart.py)" and "Cart#total - cart.rb";
 * "cart.js (anonymous)" of "shop/cart.js (anonymous)"; "operator<" of "Cart::operator<(int)"; "add:to:" of
 * "-[Cart add:to:]". O(length).
 */
struct gate_name_part gate_name_last_part(struct gate_str name);

/**
 * Return a JavaScript name with the package of its file, if that is a built-in module of Node or below node_modules:
 * "get (lodash)", "digest (node)". Without it, a library's "get" would have the same name as the program's own one.
 * Other names, and those that end with ')', are returned unchanged. `.ptr` is NULL if `arena` is full. O(length).
 */
struct gate_str gate_name_with_package(struct gate_arena *arena, struct gate_str name, struct gate_str file);

/** Return whether gate_name_with_package adds the package of `file` to names without brackets. */
bool gate_file_has_package(struct gate_str file);

/**
 * Return true for garbage collection, scheduler, allocator, JIT and interpreter internals. Code causes their cost
 * without containing it.
 */
bool gate_name_is_runtime(struct gate_str name);

/**
 * Return true for functions that only wait: those of Python's standard library and of its servers, such as
 * selectors.select and threading.wait, and the C library's calls that wait. Functions of Python are recognised by their
 * `file`. If it is empty, the file within the name is used, as in collapsed stacks. A function of the program that
 * calls time.sleep or socket.recv itself looks like one that computes, so it does not count.
 */
bool gate_name_waits(struct gate_str name, struct gate_str file);

/**
 * Return whether a frame runs code once in a process: the import of a Python module, `runtime.doInit` of Go, a class
 * initialiser of the JVM, `require` of Ruby and Clojure. O(length).
 */
bool gate_name_initialises(struct gate_str name, struct gate_str file);

/** Return whether a file is a script of JavaScript, which may be minified: .js, .mjs or .cjs, before a query. Files of
 * TypeScript are none: they are written by people. O(length). */
bool gate_name_is_script(struct gate_str file);

/** Return whether a name has one or two letters, as minifiers give: "t", or "t.(anonymous)". O(length). */
bool gate_name_is_short(struct gate_str name);

/* ---- file paths: one spelling per source file, so that a file is one frame --------------------------------------- */

/**
 * Return the shortest equivalent path, without file system access: "b" for "a/../b", "/srv/shop/a.go" for
 * "/srv//shop/./a.go". A scheme before "://" is kept. An empty path stays empty; other paths do not become empty.
 * The result is `path` if it is clean, else memory of `arena`; `.ptr` is NULL if the arena is full.
 *
 * Source: Go's filepath.Clean, which google/pprof applies (graph.go, nodeInfo). Unlike here, it changes "file:///a"
 * to "file:/a". O(length).
 */
struct gate_str gate_file_path_clean(struct gate_arena *arena, struct gate_str path);

/**
 * Return the end of a path that is enough to distinguish files: "shop.js", but "zod/index.js", because many packages
 * have a file "index.js".
 */
struct gate_str gate_file_distinct_end(struct gate_str path);

/** Return the file, or an empty view for a word that producers write for an unknown one, such as "Unknown" or "??". */
struct gate_str gate_file_known(struct gate_str file);

#endif
