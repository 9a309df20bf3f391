/* SPDX-License-Identifier: Apache-2.0 */
/* libpprofgate: compare the profiles of a canary with those of a baseline, as `pprofgate check` does, in a program of
 * your own. See docs/library.md.
 *
 * Threads: no function keeps anything between calls or changes anything of the process; any number of threads may call
 * at the same time, each with results of its own. A comparison may use one more thread while it lasts.
 *
 * Ownership: what a request points to stays the caller's and is needed until the call returns. A result is the
 * caller's, with every text in it, until pprofgate_result_free.
 *
 * Stability: within one soname, functions and fields stay as they are; new fields come at the end, and `size` says
 * which a caller knows. What is decided, and the JSON, are those of the program of the same version. */
#ifndef PPROFGATE_H
#define PPROFGATE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PPROFGATE_API __attribute__((visibility("default")))
#else
#define PPROFGATE_API
#endif

/** The program's exit statuses. */
enum pprofgate_verdict {
    PPROFGATE_PASS = 0,
    PPROFGATE_FAIL = 1,
    PPROFGATE_ERROR = 2, /* nothing was decided: pprofgate_result_error says why */
    PPROFGATE_INCONCLUSIVE = 3
};

/** One run: a profile in memory, or a file. */
struct pprofgate_run {
    const char *name;  /* how reports call it; with NULL `bytes` the path of the file */
    const void *bytes; /* a profile in any format that the program reads, packed or not; NULL: read the file */
    size_t length;
};

/** What is asked for. Zero it, set `size` to sizeof(struct pprofgate_request), then what you need. */
struct pprofgate_request {
    size_t size;
    const struct pprofgate_run *baseline; /* one or more runs */
    size_t baseline_count;
    const struct pprofgate_run *canary;
    size_t canary_count;
    const char *rules;      /* the text of a rules file, which may extend presets; NULL: the preset for such profiles */
    const char *rules_name; /* how messages call it; NULL: "rules" */
    double baseline_work;   /* work done on each side, for costs per unit of it; 0 for both: not told */
    double canary_work;
    size_t max_memory; /* bytes; 0: the program's default */
};

struct pprofgate_result;

/** What pprofgate_result_count counts. */
enum pprofgate_count {
    PPROFGATE_BUDGETS_FAILED,
    PPROFGATE_BUDGETS_INCONCLUSIVE,
    PPROFGATE_BUDGETS_WARNED,
    PPROFGATE_CAUSES /* what the findings come down to */
};

/** "0.1.0": of the library at hand, which may be newer than this header. */
PPROFGATE_API const char *pprofgate_version(void);

/** Compare and decide. NULL only where not even a result could be allocated; every other failure is in the result. */
PPROFGATE_API struct pprofgate_result *pprofgate_compare(const struct pprofgate_request *request);

PPROFGATE_API enum pprofgate_verdict pprofgate_result_verdict(const struct pprofgate_result *result);

/** One line; "" unless the verdict is PPROFGATE_ERROR. It may quote a profile or the rules: escape it where you show
 * it. */
PPROFGATE_API const char *pprofgate_result_error(const struct pprofgate_result *result);

/** 0 after an error. */
PPROFGATE_API unsigned pprofgate_result_count(const struct pprofgate_result *result, enum pprofgate_count what);

/** The report as JSON (docs/report.schema.json), UTF-8 with a NUL behind it; "" after an error. `length` may be NULL.
 */
PPROFGATE_API const char *pprofgate_result_json(const struct pprofgate_result *result, size_t *length);

/** The same for people: what the program prints, in 80 columns without colour. */
PPROFGATE_API const char *pprofgate_result_text(const struct pprofgate_result *result, size_t *length);

/** NULL is fine. */
PPROFGATE_API void pprofgate_result_free(struct pprofgate_result *result);

#ifdef __cplusplus
}
#endif

#endif
