/* SPDX-License-Identifier: Apache-2.0 */
/* Load libcurl, and find the certificate authorities of this machine. */
#ifndef GATE_CAPTURE_LIBCURL_H
#define GATE_CAPTURE_LIBCURL_H

#include "gate/base/error.h"

/* ---- libcurl ----------------------------------------------------------------------------------------------------- */

/* A dynamic program loads libcurl when the first HTTP request is made. The library loads about 30 others, which would
 * take most of the time of a small check. Without libcurl this part is empty. */

#if GATE_HAS_CURL

#include <curl/curl.h>

/** The functions in use, without their prefix "curl_". */
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

/** Load the library that this program was built with, or set its functions if the program is linked with it. The
 * library is never unloaded, because threads that it started may still run. err: GATE_ERR_USAGE it is not installed,
 * with the package's name, or is too old; GATE_ERR_MEMORY. */
GATE_MUST_CHECK bool gate_libcurl_load(struct gate_libcurl *out, struct gate_error *err);

/** Load the library from the file `name`, which the system searches for unless it is a path. err: as
 * gate_libcurl_load. */
GATE_MUST_CHECK bool gate_libcurl_open(struct gate_libcurl *out, const char *name, struct gate_error *err);

#endif

/* ---- certificate authorities: the TLS library of a static program has no distribution's default ------------------ */

/**
 * Return the first of `files` that can be read. NULL: none, or SSL_CERT_FILE or SSL_CERT_DIR is set, which the TLS
 * library reads itself.
 */
const char *gate_authorities_among(const char *const *files);

/** Return the first readable file of those that known distributions have; NULL as above. */
const char *gate_authorities_file(void);

#endif
