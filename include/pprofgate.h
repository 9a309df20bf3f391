/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libpprofgate: compares the profiles of a canary with those of a baseline, as `pprofgate check` does, and merges,
 * summarizes and describes profiles. See docs/library.md.
 *
 * Threads: functions keep no state between calls and change nothing of the process. Any number of threads may call at
 * the same time, each with its own results. A comparison may start one more thread until it returns.
 *
 * Ownership: the caller keeps everything that a request points to, and must not free it before the call returns. The
 * caller owns a result, with every text in it, until pprofgate_result_free.
 *
 * Stability: within one soname, functions and fields do not change. New functions are added, new fields are appended,
 * and `size` tells the library which fields the caller has. A library that is older than the header refuses a request
 * that sets a field it does not have. Verdicts and JSON are those of the program of the same version.
 */
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

/** Verdicts; the values are the program's exit statuses. */
enum pprofgate_verdict {
    PPROFGATE_PASS = 0, /* also of a merge or a description that succeeded */
    PPROFGATE_FAIL = 1,
    PPROFGATE_ERROR = 2, /* nothing was decided; pprofgate_result_error returns the reason */
    PPROFGATE_INCONCLUSIVE = 3
};

/** One run: a profile in memory, or a file. If `name` ends in ".pgsum", it is a summary, and every
 * request reads each of its runs. The run cpu.pb.gz of v1.pgsum has the name v1.pgsum/cpu.pb.gz in reports. */
struct pprofgate_run {
    const char *name;  /* name in reports; if `bytes` is NULL, the path of the file, and not "-" */
    const void *bytes; /* a profile in any supported format, or a summary, compressed or not; NULL: read the file */
    size_t length;
};

/** Arguments of a comparison. Set all to zero, then set `size` to sizeof(struct pprofgate_request), then the fields. */
struct pprofgate_request {
    size_t size;
    const struct pprofgate_run *baseline; /* one or more runs */
    size_t baseline_count;
    const struct pprofgate_run *canary;
    size_t canary_count;
    const char *rules;      /* content of a rules file, which may extend presets; NULL: `rules_path`, or if that is NULL
                               too, the preset for these profiles */
    const char *rules_name; /* name of the rules in messages; NULL: "rules" */
    double baseline_work;   /* work done on each side, to compare costs per unit of work; 0 for both: not known */
    double canary_work;
    size_t max_memory;      /* bytes; 0: the program's default */
    const char *rules_path; /* a rules file, which may extend presets and files beside it, or the name of a preset */
    const char *equal;      /* what both sides have equal: "work", "time", "run" or "share"; NULL: as in the rules */
    const double *baseline_run_work; /* work of each run, as many numbers as runs; then `baseline_work` is not read.
                                        A side with a summary has no work of each run */
    const double *canary_run_work;
};

/**
 * Arguments of a merge. Set all to zero, then set `size` to sizeof(struct pprofgate_merge_request), then the fields.
 */
struct pprofgate_merge_request {
    size_t size;
    const struct pprofgate_run *runs; /* one or more */
    size_t count;
    const char *format;    /* "pprof" or "otlp"; NULL: pprof */
    const char *container; /* "gzip", "zstd" or "raw"; NULL: gzip, of OTLP raw */
    size_t max_memory;     /* bytes; 0: the program's default */
};

/** Arguments of a summary. Set all to zero, then set `size` to sizeof(struct pprofgate_summarize_request), then the
 * fields. */
struct pprofgate_summarize_request {
    size_t size;
    const struct pprofgate_run *runs; /* one or more; their names in the summary are the part behind the last "/" */
    size_t count;
    size_t max_memory; /* bytes; 0: the program's default */
};

/** Arguments of a description. Set all to zero, then set `size` to sizeof(struct pprofgate_inspect_request), then the
 * fields. */
struct pprofgate_inspect_request {
    size_t size;
    const struct pprofgate_run *run;             /* the profile, or a summary */
    const char *rules, *rules_name, *rules_path; /* as in struct pprofgate_request; they decide what is own code */
    size_t max_memory;                           /* bytes; 0: the program's default */
};

struct pprofgate_result;

/** What pprofgate_result_count counts. */
enum pprofgate_count {
    PPROFGATE_BUDGETS_FAILED,
    PPROFGATE_BUDGETS_INCONCLUSIVE,
    PPROFGATE_BUDGETS_WARNED,
    PPROFGATE_CAUSES /* root causes of the findings */
};

/** Return the version of the library in use, such as "0.1.0". It may be newer than this header. */
PPROFGATE_API const char *pprofgate_version(void);

/** Compare and decide. Returns NULL only if no result could be allocated; every other error is in the result, also
 * that `request` or a side is NULL. Free the result with pprofgate_result_free. The functions below take a NULL result
 * as one with the verdict PPROFGATE_ERROR. */
PPROFGATE_API struct pprofgate_result *pprofgate_compare(const struct pprofgate_request *request);

/** Add profiles up into one, as `pprofgate merge` does. pprofgate_result_bytes returns it. Errors as above. */
PPROFGATE_API struct pprofgate_result *pprofgate_merge(const struct pprofgate_merge_request *request);

/** Put runs into one summary, as `pprofgate summarize` does. pprofgate_result_bytes returns it, compressed with gzip.
 * Summaries may be concatenated. Errors as above. */
PPROFGATE_API struct pprofgate_result *pprofgate_summarize(const struct pprofgate_summarize_request *request);

/** Describe a profile, as `pprofgate inspect --json` does. pprofgate_result_json returns one JSON object
 * (docs/own-code.md); for a summary, an array with one object per run. Errors as above. */
PPROFGATE_API struct pprofgate_result *pprofgate_inspect(const struct pprofgate_inspect_request *request);

/** Return the verdict; PPROFGATE_ERROR after an error. */
PPROFGATE_API enum pprofgate_verdict pprofgate_result_verdict(const struct pprofgate_result *result);

/** Return the error message, one line without control characters; "" unless the verdict is PPROFGATE_ERROR. It may
 * quote a profile or the rules, so escape it for display. */
PPROFGATE_API const char *pprofgate_result_error(const struct pprofgate_result *result);

/** Return the kind of the error: "usage" (of the request), "rules", "file" (it cannot be read), "profile" (it is
 * damaged, or cannot be compared) or "limit" (of memory or size); "" unless the verdict is PPROFGATE_ERROR. */
PPROFGATE_API const char *pprofgate_result_error_kind(const struct pprofgate_result *result);

/** Return a count of the verdict; 0 after an error. */
PPROFGATE_API unsigned pprofgate_result_count(const struct pprofgate_result *result, enum pprofgate_count what);

/** Return the report as JSON (docs/report.schema.json), UTF-8 and NUL-terminated; "" after an error. `length` may be
 * NULL. */
PPROFGATE_API const char *pprofgate_result_json(const struct pprofgate_result *result, size_t *length);

/** Return the report as text, as the program prints it in 80 columns without colour; "" after an error. `length` may
 * be NULL. */
PPROFGATE_API const char *pprofgate_result_text(const struct pprofgate_result *result, size_t *length);

/**
 * Return the merged profile or the summary; "" after an error and for a result of another kind. `length` may be NULL.
 */
PPROFGATE_API const void *pprofgate_result_bytes(const struct pprofgate_result *result, size_t *length);

/** Free a result. `result` may be NULL. */
PPROFGATE_API void pprofgate_result_free(struct pprofgate_result *result);

#ifdef __cplusplus
}
#endif

#endif
