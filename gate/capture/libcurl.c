/* SPDX-License-Identifier: Apache-2.0 */
/* Loading libcurl (see libcurl.h). */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "gate/capture/libcurl.h"

#if GATE_HAS_CURL

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* One function, which is not a pointer to data for the standard. */
static bool take(void *out, void *library, const char *function) {
    void *found = dlsym(library, function);
    memcpy(out, &found, sizeof found);
    return found != NULL;
}

#if defined(__GLIBC__) && defined(GATE_LIBCURL_NAME)

/* Thread-local data of libraries that came with it, which this thread has none of yet. */
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
extern void *__tls_get_addr(struct place_of_thread *place); /* of the processors' ABIs */

/* The C library ends a program where it has no memory for them at the first use. It is had now, where its want can be
 * told: enough is asked for and given back. */
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
                              "what asks over HTTP needs libcurl, which cannot be loaded (%s); it is in the package "
                              "libcurl4 of Debian and Ubuntu, and libcurl of Fedora and Alpine",
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
