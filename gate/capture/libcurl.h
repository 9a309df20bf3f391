/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libcurl. A dynamic program loads the library when it is first asked over HTTP: some thirty others
 * come with it, which would be most of what a small check costs. Empty where there is no libcurl.
 * Pipeline: capture/fetch.h -> capture/transfer.h -> capture/libcurl.h -> libcurl */
#ifndef GATE_CAPTURE_LIBCURL_H
#define GATE_CAPTURE_LIBCURL_H

#include "gate/base/error.h"

#if GATE_HAS_CURL

#include <curl/curl.h>

/** What is called of it, each by its own name without "curl_". */
#define GATE_LIBCURL_FUNCTIONS(EACH)                                                                                   \
    EACH(easy_cleanup)                                                                                                 \
    EACH(easy_getinfo)                                                                                                 \
    EACH(easy_init)                                                                                                    \
    EACH(easy_setopt)                                                                                                  \
    EACH(easy_strerror)                                                                                                \
    EACH(global_cleanup)                                                                                               \
    EACH(global_init)                                                                                                  \
    EACH(multi_add_handle)                                                                                             \
    EACH(multi_cleanup)                                                                                                \
    EACH(multi_info_read)                                                                                              \
    EACH(multi_init)                                                                                                   \
    EACH(multi_perform)                                                                                                \
    EACH(multi_poll)                                                                                                   \
    EACH(multi_remove_handle)                                                                                          \
    EACH(slist_append)                                                                                                 \
    EACH(slist_free_all)

struct gate_libcurl {
#define GATE_LIBCURL_MEMBER(name) __typeof__(curl_##name) *name;
    GATE_LIBCURL_FUNCTIONS(GATE_LIBCURL_MEMBER)
#undef GATE_LIBCURL_MEMBER
};

/**
 * The functions of the library that this program was built with: of its file `name`, where it is loaded late, or of the
 * program itself. The library stays until the program ends, as what it started may still be on its way.
 *
 * err   GATE_ERR_USAGE it is not installed, or too old: names the package
 */
GATE_MUST_CHECK bool gate_libcurl_load(struct gate_libcurl *out, struct gate_error *err);

/** The same of the library in the file `name`, which the system looks for unless it is a path. */
GATE_MUST_CHECK bool gate_libcurl_open(struct gate_libcurl *out, const char *name, struct gate_error *err);

#endif
#endif
