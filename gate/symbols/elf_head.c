/* SPDX-License-Identifier: Apache-2.0 */
/* Read headers of ELF files (System V ABI, chapters 4 and 5), and convert addresses of mappings by them. */
#include "gate/symbols/elf_head.h"

#include "gate/base/file.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/* ---- the format: not every system has <elf.h> -------------------------------------------------------------------- */

#define ELFMAG "\177ELF"

enum { SELFMAG = 4, EI_CLASS = 4, EI_DATA = 5, EI_NIDENT = 16 };
enum { ELFCLASS32 = 1, ELFCLASS64 = 2, ELFDATA2LSB = 1, ELFDATA2MSB = 2, ET_EXEC = 2 };
enum { PT_LOAD = 1, PT_NOTE = 4, PF_X = 1, SHT_SYMTAB = 2, SHT_NOTE = 7, SHT_NOBITS = 8, SHF_EXECINSTR = 4 };
enum { NT_GNU_BUILD_ID = 3 };

/* The widths differ in the types of addresses and sizes, and in where a program header has its flags. */
typedef struct {
    unsigned char e_ident[EI_NIDENT];
    uint16_t e_type, e_machine;
    uint32_t e_version, e_entry, e_phoff, e_shoff, e_flags;
    uint16_t e_ehsize, e_phentsize, e_phnum, e_shentsize, e_shnum, e_shstrndx;
} Elf32_Ehdr;

typedef struct {
    unsigned char e_ident[EI_NIDENT];
    uint16_t e_type, e_machine;
    uint32_t e_version;
    uint64_t e_entry, e_phoff, e_shoff;
    uint32_t e_flags;
    uint16_t e_ehsize, e_phentsize, e_phnum, e_shentsize, e_shnum, e_shstrndx;
} Elf64_Ehdr;

typedef struct {
    uint32_t p_type, p_offset, p_vaddr, p_paddr, p_filesz, p_memsz, p_flags, p_align;
} Elf32_Phdr;

typedef struct {
    uint32_t p_type, p_flags;
    uint64_t p_offset, p_vaddr, p_paddr, p_filesz, p_memsz, p_align;
} Elf64_Phdr;

typedef struct {
    uint32_t sh_name, sh_type, sh_flags, sh_addr, sh_offset, sh_size, sh_link, sh_info, sh_addralign, sh_entsize;
} Elf32_Shdr;

typedef struct {
    uint32_t sh_name, sh_type;
    uint64_t sh_flags, sh_addr, sh_offset, sh_size;
    uint32_t sh_link, sh_info;
    uint64_t sh_addralign, sh_entsize;
} Elf64_Shdr;

typedef struct {
    uint32_t n_namesz, n_descsz, n_type;
} Elf32_Nhdr;

_Static_assert(sizeof(Elf32_Ehdr) == 52 && sizeof(Elf64_Ehdr) == 64, "file headers have no padding");
_Static_assert(sizeof(Elf32_Phdr) == 32 && sizeof(Elf64_Phdr) == 56, "program headers have no padding");
_Static_assert(sizeof(Elf32_Shdr) == 40 && sizeof(Elf64_Shdr) == 64, "section headers have no padding");

/* ---- headers ----------------------------------------------------------------------------------------------------- */

enum { TABLE_BYTES_MAX = 64 * 1024, NOTE_BYTES_MAX = 4096, PAGE_BYTES = 4096 };

/* An ELF file, and the locations of its header tables. */
struct elf_file {
    int descriptor;
    bool is_wide; /* 64-bit file */
    uint64_t program_at, section_at;
    uint32_t program_size, program_count, section_size, section_count;
};

/* A program or section header, of either width. */
struct elf_row {
    uint32_t type;
    uint64_t flags, address, offset, file_bytes, memory_bytes;
};

static bool elf_bytes(const struct elf_file *file, void *out, size_t size, uint64_t at) {
    return gate_stream_read_at(out, size, file->descriptor, at) == size;
}

bool gate_elf_head_sniff(const void *bytes, size_t len) {
    return len >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

static bool elf_open(struct elf_file *file, bool *is_fixed) {
    unsigned char ident[EI_NIDENT];
    Elf64_Ehdr wide = {0};
    Elf32_Ehdr narrow = {0};
    const uint16_t one = 1;
    unsigned char order = *(const unsigned char *)&one == 1 ? ELFDATA2LSB : ELFDATA2MSB;
    if (!elf_bytes(file, ident, sizeof ident, 0) || !gate_elf_head_sniff(ident, sizeof ident) ||
        ident[EI_DATA] != order || (ident[EI_CLASS] != ELFCLASS64 && ident[EI_CLASS] != ELFCLASS32))
        return false;
    file->is_wide = ident[EI_CLASS] == ELFCLASS64;
    if (file->is_wide ? !elf_bytes(file, &wide, sizeof wide, 0) : !elf_bytes(file, &narrow, sizeof narrow, 0))
        return false;
#define EITHER(field) (file->is_wide ? wide.field : narrow.field)
    file->program_at = EITHER(e_phoff);
    file->program_size = EITHER(e_phentsize);
    file->program_count = EITHER(e_phnum);
    file->section_at = EITHER(e_shoff);
    file->section_size = EITHER(e_shentsize);
    file->section_count = EITHER(e_shnum);
    *is_fixed = EITHER(e_type) == ET_EXEC;
#undef EITHER
    return file->program_size == (file->is_wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)) || file->program_count == 0;
}

/* Headers of both widths have the same fields. The caller has compared the entry size with the size of the type. */
#define PROGRAM_ROW(header)                                                                                            \
    (struct elf_row) {                                                                                                 \
        (header).p_type, (header).p_flags, (header).p_vaddr, (header).p_offset, (header).p_filesz, (header).p_memsz    \
    }

#define SECTION_ROW(header)                                                                                            \
    (struct elf_row) {                                                                                                 \
        (header).sh_type, (header).sh_flags, (header).sh_addr, (header).sh_offset, (header).sh_size, (header).sh_size  \
    }

static bool elf_program(const struct elf_file *file, struct elf_row *row, uint32_t index) {
    union {
        Elf64_Phdr wide;
        Elf32_Phdr narrow;
    } header;
    if (!elf_bytes(file, &header, file->program_size, file->program_at + (uint64_t)index * file->program_size))
        return false;
    *row = file->is_wide ? PROGRAM_ROW(header.wide) : PROGRAM_ROW(header.narrow);
    return true;
}

static bool elf_section(const struct elf_file *file, struct elf_row *row, uint32_t index) {
    union {
        Elf64_Shdr wide;
        Elf32_Shdr narrow;
    } header;
    if (!elf_bytes(file, &header, file->section_size, file->section_at + (uint64_t)index * file->section_size))
        return false;
    *row = file->is_wide ? SECTION_ROW(header.wide) : SECTION_ROW(header.narrow);
    return true;
}

/* Read the notes of one segment or section. A note with owner "GNU" and type 3 is the linker's build id; Go's own
 * build id has another owner. */
static void notes_read(struct gate_elf_head *out, const struct elf_file *file, const struct elf_row *row) {
    unsigned char bytes[NOTE_BYTES_MAX];
    size_t len = row->file_bytes > sizeof bytes ? sizeof bytes : (size_t)row->file_bytes;
    if (out->build_id[0] != '\0' || !elf_bytes(file, bytes, len, row->offset))
        return;
    for (size_t at = 0; len - at >= sizeof(Elf32_Nhdr);) {
        Elf32_Nhdr note; /* the same layout in both widths */
        memcpy(&note, bytes + at, sizeof note);
        at += sizeof note;
        size_t name = ((size_t)note.n_namesz + 3) & ~(size_t)3, value = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        if (name > len - at || value > len - at - name)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(bytes + at, "GNU", 4) == 0 &&
            note.n_descsz != 0 && note.n_descsz <= GATE_ELF_ID_BYTES) {
            gate_str_hex(out->build_id, bytes + at + name, note.n_descsz);
            return;
        }
        at += name + value;
    }
}

static bool programs_read(struct gate_elf_head *out, const struct elf_file *file) {
    for (uint32_t i = 0; i < file->program_count && i * file->program_size < TABLE_BYTES_MAX; i++) {
        struct elf_row row;
        if (!elf_program(file, &row, i))
            return false;
        if (row.type == PT_NOTE)
            notes_read(out, file, &row);
        if (row.type == PT_LOAD && (row.flags & PF_X) != 0 && out->load_count < GATE_ELF_LOADS)
            out->loads[out->load_count++] =
                (struct gate_elf_load){row.address, row.offset, row.file_bytes, row.memory_bytes};
    }
    return true;
}

/* Read the section headers. They may be stripped, so errors are ignored. */
static void sections_read(struct gate_elf_head *out, const struct elf_file *file) {
    if (file->section_size != (file->is_wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
        return;
    for (uint32_t i = 1; i < file->section_count && i * file->section_size < TABLE_BYTES_MAX; i++) {
        struct elf_row row;
        if (!elf_section(file, &row, i)) {
            out->is_cut = true;
            return;
        }
        if (row.type == SHT_NOTE)
            notes_read(out, file, &row);
        out->has_symbols |= row.type == SHT_SYMTAB;
        out->is_debug_only |= row.type == SHT_NOBITS && (row.flags & SHF_EXECINSTR) != 0;
    }
}

bool gate_elf_head_read(struct gate_elf_head *out, int descriptor) {
    struct elf_file file = {.descriptor = descriptor};
    *out = (struct gate_elf_head){0};
    if (!elf_open(&file, &out->is_fixed) || !programs_read(out, &file))
        return false;
    sections_read(out, &file);
    return true;
}

static bool is_loaded(const struct gate_elf_head *head, uint64_t address) {
    for (uint32_t i = 0; i < head->load_count; i++)
        if (address >= head->loads[i].address && address - head->loads[i].address < head->loads[i].memory_bytes)
            return true;
    return false;
}

bool gate_elf_head_address(uint64_t *out, const struct gate_elf_head *head, uint64_t address,
                           const uint64_t mapping[3]) {
    uint64_t start = mapping[0], limit = mapping[1], offset = address - start + mapping[2];
    bool is_own = (start == 0 && mapping[2] == 0) || address < start || (limit > start && address >= limit);
    *out = address;
    if (is_own)
        return is_loaded(head, address);
    for (uint32_t i = 0; i < head->load_count; i++) {
        const struct gate_elf_load *load = &head->loads[i];
        /* A file with only debug information has other offsets than the binary. If it has a single executable segment,
         * assume that the mapping starts at the page of that segment's start. */
        uint64_t from = head->is_debug_only ? mapping[2] + load->address % PAGE_BYTES : load->offset;
        *out = offset - from + load->address;
        if (head->is_debug_only ? head->load_count == 1 && is_loaded(head, *out)
                                : offset >= load->offset && offset - load->offset < load->file_bytes)
            return true;
    }
    return false;
}
