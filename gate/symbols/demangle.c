/* SPDX-License-Identifier: Apache-2.0 */
/* Demangling with libiberty. A short name can expand to gigabytes, and the library offers no way to stop. The
 * callback therefore leaves with longjmp, which is safe because the library's frames own nothing but their stack. */
#include "gate/symbols/demangle.h"

#include "gate/base/str.h"

#if GATE_HAS_DEMANGLER
#include <libiberty/demangle.h>
#include <setjmp.h>
#endif

bool gate_demangle_is_mangled(struct gate_str name) {
    return gate_str_starts(name, GATE_STR("_Z")) || gate_str_starts(name, GATE_STR("_R")) ||
           gate_str_starts(name, GATE_STR("__Z"));
}

bool gate_demangle_is_built(void) {
    return GATE_HAS_DEMANGLER;
}

#if GATE_HAS_DEMANGLER
/* The result so far. */
struct demangling {
    char text[GATE_DEMANGLE_BYTES];
    size_t len;
    jmp_buf enough;
};

static void piece_take(const char *text, size_t len, void *context) {
    struct demangling *out = context;
    if (len > sizeof out->text - out->len)
        longjmp(out->enough, 1);
    if (len == 0) /* libiberty passes no valid pointer for zero bytes */
        return;
    memcpy(out->text + out->len, text, len);
    out->len += len;
}

/* Return false if the name is not mangled or the result is too long. */
static bool demangle_into(struct demangling *out, const char *name) {
    out->len = 0;
    if (setjmp(out->enough) != 0)
        return false;
    if (rust_demangle_callback(name, DMGL_NO_OPTS, piece_take, out) != 0 && out->len != 0)
        return true;
    out->len = 0;
    return cplus_demangle_v3_callback(name, DMGL_NO_OPTS, piece_take, out) != 0 && out->len != 0;
}
#endif

struct gate_str gate_demangle(struct gate_arena *arena, struct gate_str name) {
    if (!gate_demangle_is_mangled(name) || name.len >= GATE_DEMANGLE_BYTES)
        return name;
#if GATE_HAS_DEMANGLER
    struct gate_str mangled = name;
    if (gate_str_starts(name, GATE_STR("__Z"))) /* Mach-O adds an underscore */
        mangled = gate_str_slice(name, 1, name.len);
    char text[GATE_DEMANGLE_BYTES];
    struct demangling out;
    memcpy(text, mangled.ptr, mangled.len);
    text[mangled.len] = '\0';
    if (memchr(text, '\0', mangled.len) == NULL && demangle_into(&out, text))
        return gate_str_copy(arena, (struct gate_str){out.text, out.len});
#else
    (void)arena;
#endif
    return name;
}
