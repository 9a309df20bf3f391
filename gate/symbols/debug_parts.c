/* SPDX-License-Identifier: Apache-2.0 */
/* Debug information in several files: the file that `dwz -m` shares, and parts that libdw does not read. */
#include "gate/symbols/debug_parts.h"

#if GATE_HAS_DW
#include "gate/base/str.h"
#include "gate/symbols/byte_order.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { COMPRESSED_BY_ZSTD = 2 /* ELFCOMPRESS_ZSTD, which older headers lack */ };

/* Set `id` to the build id of the shared file. Return false if there is none. */
static bool shared_id(char id[2 * GATE_ELF_ID_BYTES + 1], Dwarf *dwarf) {
    const char *name = NULL;
    const void *bits = NULL;
    ssize_t len = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &bits);
    for (ssize_t i = 0; i < len && i < GATE_ELF_ID_BYTES; i++)
        (void)snprintf(id + 2 * i, 3, "%02x", ((const unsigned char *)bits)[i]);
    return len > 0;
}

Dwarf *gate_debug_shared_open(Dwarf *dwarf, const struct gate_symbol_files *files) {
    char id[2 * GATE_ELF_ID_BYTES + 1] = "";
    if (!shared_id(id, dwarf) || dwarf_getalt(dwarf) != NULL)
        return NULL;
    for (size_t i = 0; i < files->count; i++) {
        if (strcmp(files->items[i].head.build_id, id) != 0)
            continue;
        int descriptor = open(files->items[i].path.ptr, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        Dwarf *shared = descriptor < 0 ? NULL : dwarf_begin(descriptor, DWARF_C_READ);
        if (descriptor >= 0)
            (void)close(descriptor); /* libdw has mapped the file */
        if (shared != NULL) {
            dwarf_setalt(dwarf, shared);
            return shared;
        }
    }
    return NULL;
}

void gate_debug_shared_close(Dwarf *shared) {
    if (shared != NULL)
        (void)dwarf_end(shared);
}

/* Return true if a debug section is compressed with zstd, and libelf does not know that. */
static bool has_unread_zstd(Elf *elf) {
    size_t names = 0;
    if (elf == NULL || elf_getshdrstrndx(elf, &names) != 0)
        return false;
    const char *ident = elf_getident(elf, NULL);
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL; section = elf_nextscn(elf, section)) {
        GElf_Shdr head;
        if (gelf_getshdr(section, &head) == NULL || (head.sh_flags & SHF_COMPRESSED) == 0)
            continue;
        const char *name = elf_strptr(elf, names, head.sh_name);
        const Elf_Data *data = elf_rawdata(section, NULL);
        if (name == NULL || strncmp(name, ".debug_", 7) != 0 || data == NULL || data->d_size < sizeof(Elf32_Word))
            continue;
        uint64_t type = gate_number_at(data->d_buf, sizeof(Elf32_Word), ident[EI_DATA] == ELFDATA2MSB);
        GElf_Chdr known;
        if (type == COMPRESSED_BY_ZSTD && (gelf_getchdr(section, &known) == NULL || elf_compress(section, 0, 0) < 0))
            return true;
    }
    return false;
}

/* Return true if the file that dwfl found for the debug information has sections that libelf cannot decompress. */
static bool file_has_unread_zstd(const char *path) {
    int descriptor = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    Elf *elf = elf_begin(descriptor, ELF_C_READ, NULL);
    bool has = has_unread_zstd(elf);
    (void)elf_end(elf);
    (void)close(descriptor);
    return has;
}

/* Return the number of units whose functions are in another file (-gsplit-dwarf) that libdw did not find. */
static size_t split_missing(Dwarf *dwarf) {
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, split;
    uint8_t type = 0;
    size_t count = 0;
    while (dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &split) == 0)
        count += type == DW_UT_skeleton && dwarf_tag(&split) != DW_TAG_compile_unit;
    return count;
}

/* Find the .dwp of a binary: beside it or its debug file, or in `files` under the binary's name. Return an empty text
 * if there is none; `ptr` is NULL if the arena is full. */
static struct gate_str package_find(const char *const paths[2], const struct gate_symbol_files *files,
                                    struct gate_arena *arena) {
    for (int i = 0; i < 2; i++) {
        if (paths[i] == NULL)
            continue;
        struct gate_str package = gate_str_format(arena, "%s.dwp", paths[i]);
        if (package.ptr == NULL || access(package.ptr, F_OK) == 0)
            return package;
        for (size_t j = 0; j < files->count; j++)
            if (gate_str_equal(gate_str_basename(files->items[j].path), gate_str_basename(package)))
                return files->items[j].path;
    }
    return GATE_STR("");
}

static struct gate_str split_describe(size_t missing, struct gate_str package, struct gate_arena *arena) {
    if (package.ptr == NULL)
        return package;
    if (package.len != 0)
        return gate_str_format(arena,
                               "the functions of %zu of its units are in '%.*s', which this program's libdw (%s) does "
                               "not read (0.191 does, beside the binary); inlined calls are missing: keep the .dwo "
                               "files where they were compiled, or compile without -gsplit-dwarf",
                               missing, GATE_STR_ARG(package), dwfl_version(NULL));
    return gate_str_format(arena,
                           "the functions of %zu of its units are in .dwo files that are not there; inlined calls are "
                           "missing: keep the .dwo files where they were compiled, or compile without -gsplit-dwarf",
                           missing);
}

struct gate_str gate_debug_unused(Dwfl_Module *module, Dwarf *dwarf, const struct gate_symbol_files *files,
                                  struct gate_arena *arena) {
    const char *paths[2] = {NULL, NULL}; /* the binary and the file of its debug information */
    char id[2 * GATE_ELF_ID_BYTES + 1] = "";
    (void)dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &paths[0], &paths[1]);
    for (int i = 0; i < 2; i++)
        if (file_has_unread_zstd(paths[i]))
            return gate_str_format(arena,
                                   "the debug sections of '%s' are compressed with zstd, which this program's libelf "
                                   "does not read, so inlined calls are missing: 'objcopy "
                                   "--decompress-debug-sections FILE'",
                                   paths[i]);
    if (dwarf == NULL)
        return GATE_STR("");
    size_t missing = split_missing(dwarf);
    if (missing != 0)
        return split_describe(missing, package_find(paths, files, arena), arena);
    if (shared_id(id, dwarf) && dwarf_getalt(dwarf) == NULL)
        return gate_str_format(arena,
                               "its debug information shares a file of build id %s (dwz), which is not in --symbols; "
                               "inlined calls are missing",
                               id);
    return GATE_STR("");
}
#endif
