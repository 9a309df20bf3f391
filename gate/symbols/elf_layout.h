/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the ELF format that elf_head.c reads (System V ABI, chapters 4 and 5). Not every system has <elf.h>. */
#ifndef GATE_SYMBOLS_ELF_LAYOUT_H
#define GATE_SYMBOLS_ELF_LAYOUT_H

#include <stdint.h>

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

#endif
