/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the build id from this program's ELF notes, as the loader has mapped them. */
#include "gate/base/build_id.h"

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for dl_iterate_phdr */
#endif

#ifdef __linux__
#include "gate/base/str.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* alignment of the parts of a note, and size of its header */
enum { NOTE_STEP = 4, HEAD_BYTES = sizeof(ElfW(Nhdr)) };

static size_t padded(size_t size) {
    return (size + NOTE_STEP - 1) & ~(size_t)(NOTE_STEP - 1);
}

static void notes_read(char *out, const unsigned char *notes, size_t size) {
    for (size_t at = 0; size - at >= HEAD_BYTES;) {
        ElfW(Nhdr) note;
        memcpy(&note, notes + at, HEAD_BYTES);
        at += HEAD_BYTES;
        size_t name = padded(note.n_namesz), value = padded(note.n_descsz);
        if (name > size - at || value > size - at - name)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof "GNU" &&
            memcmp(notes + at, "GNU", sizeof "GNU") == 0 && note.n_descsz <= GATE_OWN_BUILD_BYTES) {
            gate_str_hex(out, notes + at + name, note.n_descsz);
            return;
        }
        at += name + value;
    }
}

/* Return whether the loader's entry is for the program or library that contains this code: its segments contain one
 * of our variables. */
static bool is_ours(const struct dl_phdr_info *object) {
    static const char here = 0;
    uintptr_t at = (uintptr_t)&here;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t begin = (uintptr_t)object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && at >= begin && at - begin < part->p_memsz)
            return true;
    }
    return false;
}

static int object_read(struct dl_phdr_info *object, size_t size, void *out) {
    (void)size;
    if (!is_ours(object))
        return 0;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        /* The loader gives addresses as integers. */
        const unsigned char *notes = (const unsigned char *)((uintptr_t)object->dlpi_addr + part->p_vaddr);
        if (part->p_type == PT_NOTE && *(const char *)out == '\0')
            notes_read(out, notes, part->p_memsz);
    }
    return 1;
}

void gate_own_build_id(char out[GATE_OWN_BUILD_TEXT]) {
    out[0] = '\0';
    (void)dl_iterate_phdr(object_read, out);
}
#else
void gate_own_build_id(char out[GATE_OWN_BUILD_TEXT]) {
    out[0] = '\0';
}
#endif
