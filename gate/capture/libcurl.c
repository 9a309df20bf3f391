/* SPDX-License-Identifier: Apache-2.0 */
/* Loading libcurl (see libcurl.h). */
#include "gate/capture/libcurl.h"

#if GATE_HAS_CURL

#include <dlfcn.h>
#include <string.h>

/* One function, which is not a pointer to data for the standard. */
static bool take(void *out, void *library, const char *function) {
    void *found = dlsym(library, function);
    memcpy(out, &found, sizeof found);
    return found != NULL;
}

bool gate_libcurl_open(struct gate_libcurl *out, const char *name, struct gate_error *err) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "what asks over HTTP needs libcurl, which cannot be loaded (%s); it is in the package "
                              "libcurl4 of Debian and Ubuntu, and libcurl of Fedora and Alpine",
                              dlerror());
#define GATE_LIBCURL_TAKE(function)                                                                                    \
    if (!take(&out->function, library, "curl_" #function))                                                             \
        return gate_error_set(err, GATE_ERR_USAGE, "libcurl 7.66 or newer is needed: '%s' has no 'curl_%s'", name,     \
                              #function);
    GATE_LIBCURL_FUNCTIONS(GATE_LIBCURL_TAKE)
#undef GATE_LIBCURL_TAKE
    return true;
}

#ifdef GATE_LIBCURL_NAME

bool gate_libcurl_load(struct gate_libcurl *out, struct gate_error *err) {
    return gate_libcurl_open(out, GATE_LIBCURL_NAME, err);
}

#else

bool gate_libcurl_load(struct gate_libcurl *out, struct gate_error *err) {
    (void)err;
#define GATE_LIBCURL_LINKED(function) .function = curl_##function,
    *out = (struct gate_libcurl){GATE_LIBCURL_FUNCTIONS(GATE_LIBCURL_LINKED)};
#undef GATE_LIBCURL_LINKED
    return true;
}

#endif
#endif
