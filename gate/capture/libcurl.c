/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "gate/capture/libcurl.h"

#include "gate/base/error.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- libcurl ----------------------------------------------------------------------------------------------------- */

#if GATE_HAS_CURL

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Look up one function. memcpy copies it, because C does not convert object pointers to function pointers. */
static bool take(void *out, void *library, const char *function) {
    void *found = dlsym(library, function);
    memcpy(out, &found, sizeof found);
    return found != NULL;
}

/* s390x has __tls_get_offset instead, which cannot be called from C. */
#if defined(__GLIBC__) && defined(GATE_LIBCURL_NAME) && !defined(__s390__)

#include <link.h>

/* State of a search for loaded libraries whose thread-local data this thread has not allocated yet. */
struct untouched {
    struct {
        size_t module, bytes;
    } items[32];
    size_t count;
};

static int untouched_add(struct dl_phdr_info *library, size_t size, void *context) {
    struct untouched *untouched = context;
    (void)size;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type != PT_TLS || library->dlpi_tls_data != NULL ||
            untouched->count == sizeof untouched->items / sizeof *untouched->items)
            continue;
        untouched->items[untouched->count].module = library->dlpi_tls_modid;
        untouched->items[untouched->count++].bytes = part->p_memsz + part->p_align;
    }
    return 0;
}

struct place_of_thread {
    unsigned long module, offset;
};
extern void *__tls_get_addr(struct place_of_thread *place); /* part of the processors' ABIs */

/* Allocate the thread-local data of the loaded libraries. The C library aborts the program if it cannot allocate them
 * at first use. So test with malloc and free whether there is enough memory, and report if not. */
static bool touch_thread_data(struct gate_error *err) {
    enum { BESIDE_BYTES = 4096 };
    struct untouched untouched = {.count = 0};
    (void)dl_iterate_phdr(untouched_add, &untouched);
    for (size_t i = 0; i < untouched.count; i++) {
        void *volatile room = malloc(untouched.items[i].bytes + BESIDE_BYTES);
        if (room == NULL)
            return gate_error_set(err, GATE_ERR_MEMORY, "no memory to load libcurl");
        free(room);
        (void)__tls_get_addr(&(struct place_of_thread){untouched.items[i].module, 0});
    }
    return true;
}

#else

static bool touch_thread_data(struct gate_error *err) {
    (void)err;
    return true;
}

#endif

bool gate_libcurl_open(struct gate_libcurl *out, const char *name, struct gate_error *err) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "HTTP requests need libcurl, which cannot be loaded (%s); install the package libcurl4 "
                              "on Debian and Ubuntu, libcurl on Fedora and Alpine",
                              dlerror());
#define GATE_LIBCURL_TAKE(function)                                                                                    \
    if (!take(&out->function, library, "curl_" #function))                                                             \
        return gate_error_set(err, GATE_ERR_USAGE, "libcurl 7.66 or newer is needed: '%s' has no 'curl_%s'", name,     \
                              #function);
    GATE_LIBCURL_FUNCTIONS(GATE_LIBCURL_TAKE)
#undef GATE_LIBCURL_TAKE
    return touch_thread_data(err);
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

/* The files of known distributions, in the order in which they are tried. */

static const char *const places[] = {
    "/etc/ssl/certs/ca-certificates.crt",                /* Debian, Ubuntu, Alpine, Arch */
    "/etc/pki/tls/certs/ca-bundle.crt",                  /* Fedora, RHEL */
    "/etc/ssl/ca-bundle.pem",                            /* openSUSE */
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", /* newer Fedora */
    "/etc/ssl/cert.pem",                                 /* Alpine without the bundle */
    NULL,
};

static int is_set(const char *variable) {
    const char *value = getenv(variable);
    return value != NULL && value[0] != '\0';
}

const char *gate_authorities_among(const char *const *files) {
    if (is_set("SSL_CERT_FILE") || is_set("SSL_CERT_DIR"))
        return NULL;
    for (; *files != NULL; files++) {
        if (access(*files, R_OK) == 0)
            return *files;
    }
    return NULL;
}

const char *gate_authorities_file(void) {
    return gate_authorities_among(places);
}
