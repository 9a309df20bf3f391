/* SPDX-License-Identifier: Apache-2.0 */
/* Which file of a checkout a file of a profile is: reports that mark lines of code name it as the repository does.
 * Pipeline: cli/checkout_find.h -> report/checkout.h -> report/annotations.c, codequality.c, junit.c */
#ifndef GATE_REPORT_CHECKOUT_H
#define GATE_REPORT_CHECKOUT_H

#include "gate/base/buf.h"

/** A Go module of the checkout, which `go build -trimpath` puts in front of its files in place of their folder. */
struct gate_checkout_module {
    struct gate_str name;   /* "example.com/shop" */
    struct gate_str folder; /* of its go.mod, below the root: "" or "services/shop/" */
};

struct gate_checkout_modules {
    const struct gate_checkout_module *items;
    uint32_t count;
};

enum { GATE_CHECKOUT_ROOTS = 4 };

struct gate_checkout {
    struct gate_str roots[GATE_CHECKOUT_ROOTS]; /* absolute, without a slash at the end; the first is this run's */
    uint32_t root_count;
    struct gate_str here; /* where this run's own relative paths begin, below the root: "" or "services/shop/" */
    struct gate_checkout_modules (*modules)(void *search); /* asked by any thread, where it matters; NULL: none */
    void *search;
    bool (*has)(struct gate_str root, struct gate_str path); /* whether there is such a file; NULL: nobody can tell */
};

/**
 * Append the path, from the top of the checkout, of `file` of a profile. False, and nothing is appended, where it
 * cannot be in the checkout: an absolute path elsewhere, a module of another repository or of the Go cache, one with
 * "..", a URL but "file://".
 *
 * checkout  NULL: not known; relative paths are taken as they are
 */
bool gate_checkout_put(struct gate_buf *out, const struct gate_checkout *checkout, struct gate_str file);

/** Whether gate_checkout_put of `file` may ask for the modules of `checkout`, which may be NULL: to have them looked
 * for while nobody waits. */
bool gate_checkout_may_ask(const struct gate_checkout *checkout, struct gate_str file);

/** Append the path, from the top of the checkout, of a file that this run was given, such as its rules. */
void gate_checkout_put_own(struct gate_buf *out, const struct gate_checkout *checkout, struct gate_str file);

#endif
