/* SPDX-License-Identifier: Apache-2.0 */
/* Map file names in a profile to files of the checkout, for reports that mark lines of code. */
#ifndef GATE_REPORT_CHECKOUT_H
#define GATE_REPORT_CHECKOUT_H

#include "gate/base/buf.h"
#include "gate/budget/call_trees.h"
#include "gate/compare/comparison.h"

/* ---- mapping a file name ----------------------------------------------------------------------------------------- */

/** A Go module of the checkout. `go build -trimpath` writes the module's name in place of its folder. */
struct gate_checkout_module {
    struct gate_str name;   /* "example.com/shop" */
    struct gate_str folder; /* folder of its go.mod, relative to the root: "" or "services/shop/" */
};

struct gate_checkout_modules {
    const struct gate_checkout_module *items;
    uint32_t count;
};

enum { GATE_CHECKOUT_ROOTS = 4 };

struct gate_checkout {
    struct gate_str roots[GATE_CHECKOUT_ROOTS]; /* absolute, without a slash at the end; the first is for relative
                                                   paths */
    uint32_t root_count;
    struct gate_str here; /* working directory relative to the first root: "" or "services/shop/"; relative paths begin
                             there */
    struct gate_checkout_modules (*modules)(void *search); /* return the modules; called by any thread that needs them;
                                                              NULL: none */
    void *search;
    bool (*has)(struct gate_str root, struct gate_str path); /* return whether a file exists; NULL: cannot be checked */
};

/**
 * Return the part of an absolute path below the worktree of `try`, which has both sides at one path of its cache:
 * "shop/cart.go" of "/root/.cache/pprofgate/try/85610fbeec769b63/tree/shop/cart.go". Empty for other paths. O(length).
 */
struct gate_str gate_checkout_tried(struct gate_str path);

/**
 * Append the path, relative to the top of the checkout, of `file`, a file name in a profile. Returns false and appends
 * nothing if the file cannot be in the checkout: an absolute path elsewhere, a module of another repository or of Go's
 * cache, a path with "..", or a URL other than "file://".
 *
 * checkout  NULL: not known; relative paths are appended as they are
 */
bool gate_checkout_put(struct gate_buf *out, const struct gate_checkout *checkout, struct gate_str file);

/**
 * Return whether gate_checkout_put of `file` may need the modules of `checkout`. If so, they can be searched in the
 * background. `checkout` may be NULL.
 */
bool gate_checkout_may_contain(const struct gate_checkout *checkout, struct gate_str file);

/**
 * Append the path, relative to the top of the checkout, of an input file of this run, such as its rules. Returns false
 * and appends nothing for an absolute path elsewhere and for rules that are built in.
 *
 * checkout  NULL: not known; relative paths are appended as they are
 */
bool gate_checkout_put_own(struct gate_buf *out, const struct gate_checkout *checkout, struct gate_str file);

/**
 * Append `pattern` with the percent-encoded `path` for each "{path}" in it, and `line` for each "{line}".
 *
 * path  relative to the top of the checkout
 * line  0: not known, 1 is appended
 */
void gate_checkout_address(struct gate_buf *out, const char *pattern, struct gate_str path, int64_t line);

/* ---- finding the checkout and its Go modules --------------------------------------------------------------------- */

/**
 * Find the checkout: the nearest folder at or above the working directory that contains `.git`, and GITHUB_WORKSPACE
 * and CI_PROJECT_DIR; if there are none, the working directory. Modules are those with a go.mod at most 3 folders below
 * the root, outside of hidden folders, `vendor` and `node_modules`, and among the first 20,000 entries. They are only
 * searched when needed, because that takes longer than comparing small profiles.
 *
 * Files that cannot be read count as missing. End it with gate_checkout_end. err: GATE_ERR_LIMIT `arena` is full.
 */
GATE_MUST_CHECK bool gate_checkout_find(struct gate_checkout *out, struct gate_arena *arena, struct gate_error *err);

/** Return whether a frame of own code is in a file that may belong to a module. `checkout` may be NULL: false. */
bool gate_checkout_is_needed(const struct gate_checkout *checkout, const struct gate_comparison *comparisons,
                             uint32_t count);

/**
 * Return a background task that searches for the modules if they will be needed. `checkout` must be filled before it
 * runs.
 */
struct gate_background_task gate_checkout_task(struct gate_checkout *checkout);

/**
 * End all use of `checkout`. `arena` must be that of gate_checkout_find; it keeps what was found. Returns false if the
 * search ran out of memory; then paths that were appended may be wrong.
 */
GATE_MUST_CHECK bool gate_checkout_end(struct gate_checkout *checkout, struct gate_arena *arena,
                                       struct gate_error *err);

#endif
