/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of ELF files: this program's own, truncated and damaged ones, and the conversion of a mapping's addresses to
 * file addresses. */
#include "profile_fixture.h"

#include "gate/base/hash.h"
#include "gate/symbols/elf_head.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

TEST(the_headers_of_this_program_are_read) {
    struct gate_elf_head head;
    int descriptor = open("/proc/self/exe", O_RDONLY);
    if (descriptor < 0)
        skip(); /* /proc exists only on Linux */
    assert_true(gate_elf_head_read(&head, descriptor));
    (void)close(descriptor);
    assert_true(head.load_count >= 1 && head.load_count <= GATE_ELF_LOADS);
    assert_true(head.loads[0].memory_bytes > 1000);
    assert_false(head.is_debug_only);
    assert_true(strlen(head.build_id) % 2 == 0 && strspn(head.build_id, "0123456789abcdef") == strlen(head.build_id));
}

/* The first bytes of this program, truncated or damaged, are refused or read. `load_count` never exceeds
 * GATE_ELF_LOADS. */
TEST(cut_and_damaged_files_are_survived) {
    static char bytes[4096];
    char path[] = "/tmp/gate-elf-XXXXXX";
    int own = open("/proc/self/exe", O_RDONLY), descriptor = mkstemp(path);
    struct gate_elf_head head;
    uint64_t random = 1;
    if (own < 0 || descriptor < 0)
        skip();
    assert_int_equal(read(own, bytes, sizeof bytes), sizeof bytes);
    (void)close(own);
    for (size_t turn = 0; turn < 600; turn++) {
        size_t len = turn < 300 ? turn * 4 : sizeof bytes;
        assert_int_equal(ftruncate(descriptor, 0), 0);
        assert_int_equal(pwrite(descriptor, bytes, len, 0), len);
        for (int i = 0; turn >= 300 && i < 8; i++) {
            random = gate_hash_mix(random);
            char byte = (char)(random >> 32);
            assert_int_equal(pwrite(descriptor, &byte, 1, 4 + (off_t)(random % 800)), 1);
        }
        bool is_read = gate_elf_head_read(&head, descriptor);
        assert_true(len >= 64 || !is_read);
        assert_true(head.load_count <= GATE_ELF_LOADS);
    }
    (void)close(descriptor);
    (void)unlink(path);
}

/* ---- 32-bit files, made here ------------------------------------------------------------------------------------- */

struct note {
    Elf32_Nhdr head;
    char owner[4];
    unsigned char value[4];
};

/* Headers first, then the notes that they point to. */
struct narrow_file {
    Elf32_Ehdr head;
    Elf32_Phdr programs[2];
    Elf32_Shdr sections[4];
    struct note notes[2];
};

static struct narrow_file narrow_file(void) {
    const uint16_t one = 1;
    struct narrow_file file = {
        .head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32,
                             *(const unsigned char *)&one == 1 ? ELFDATA2LSB : ELFDATA2MSB},
                 .e_type = ET_EXEC,
                 .e_phoff = offsetof(struct narrow_file, programs),
                 .e_phentsize = sizeof(Elf32_Phdr),
                 .e_phnum = 2,
                 .e_shoff = offsetof(struct narrow_file, sections),
                 .e_shentsize = sizeof(Elf32_Shdr),
                 .e_shnum = 4},
        .programs = {{.p_type = PT_LOAD, .p_flags = PF_X, .p_vaddr = 0x8000, .p_filesz = 64, .p_memsz = 96},
                     {.p_type = PT_LOAD, .p_vaddr = 0x9000, .p_filesz = 64, .p_memsz = 96}},
        .sections = {[1] = {.sh_type = SHT_NOTE,
                            .sh_offset = offsetof(struct narrow_file, notes),
                            .sh_size = sizeof file.notes},
                     [2] = {.sh_type = SHT_SYMTAB}},
        .notes = {{{4, 4, NT_GNU_BUILD_ID}, "Go", {9, 9, 9, 9}},
                  {{4, 4, NT_GNU_BUILD_ID}, "GNU", {0x01, 0x23, 0xab, 0xcd}}}};
    return file;
}

static bool narrow_read(struct gate_elf_head *out, const struct narrow_file *file) {
    char path[] = "/tmp/gate-elf-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    (void)unlink(path);
    assert_int_equal(pwrite(descriptor, file, sizeof *file, 0), sizeof *file);
    bool is_read = gate_elf_head_read(out, descriptor);
    (void)close(descriptor);
    return is_read;
}

TEST(files_of_32_bits_are_read) {
    struct gate_elf_head head;
    struct narrow_file file = narrow_file();
    assert_true(narrow_read(&head, &file));
    assert_int_equal(head.load_count, 1);
    assert_int_equal(head.loads[0].address, 0x8000);
    assert_string_equal(head.build_id, "0123abcd"); /* the note of owner GNU, not of owner Go */
    assert_true(head.is_fixed && head.has_symbols && !head.is_debug_only);
    file.sections[3] = (Elf32_Shdr){.sh_type = SHT_NOBITS, .sh_flags = SHF_EXECINSTR};
    file.head.e_type = ET_DYN;
    assert_true(narrow_read(&head, &file));
    assert_true(head.is_debug_only && !head.is_fixed);
    file.programs[1].p_type = PT_NOTE; /* the program header's note is read first and is enough */
    file.programs[1].p_offset = offsetof(struct narrow_file, notes[1]);
    file.programs[1].p_filesz = sizeof file.notes[1];
    file.sections[1].sh_size = sizeof file.notes[0];
    assert_true(narrow_read(&head, &file));
    assert_string_equal(head.build_id, "0123abcd");
}

/* Odd notes give no build id. The loaded code is still found. */
TEST(malformed_notes_and_sections_are_ignored) {
    static const Elf32_Nhdr odd[] = {{4, 0, NT_GNU_BUILD_ID},
                                     {5, 4, NT_GNU_BUILD_ID},
                                     {4, 4, 1},
                                     {4, 900, NT_GNU_BUILD_ID},
                                     {900, 4, NT_GNU_BUILD_ID}};
    struct gate_elf_head head;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct narrow_file file = narrow_file();
        file.notes[1].head = odd[i];
        assert_true(narrow_read(&head, &file));
        assert_string_equal(head.build_id, "");
        assert_int_equal(head.load_count, 1);
    }
    struct narrow_file file = narrow_file();
    file.notes[1].head.n_descsz = 1; /* short, but a build id */
    assert_true(narrow_read(&head, &file));
    assert_string_equal(head.build_id, "01");
    file = narrow_file();
    file.head.e_shentsize--;
    assert_true(narrow_read(&head, &file));
    assert_true(!head.has_symbols && head.build_id[0] == '\0');
    file = narrow_file();
    file.sections[1].sh_offset = 1 << 20; /* past the end of the file */
    file.head.e_shnum = 100;
    assert_true(narrow_read(&head, &file));
    assert_true(head.has_symbols && head.build_id[0] == '\0');
}

TEST(other_machines_are_refused) {
    struct gate_elf_head head;
    struct narrow_file file = narrow_file();
    file.head.e_ident[EI_DATA] ^= ELFDATA2LSB ^ ELFDATA2MSB;
    assert_false(narrow_read(&head, &file));
    file = narrow_file();
    file.head.e_ident[EI_CLASS] = 3;
    assert_false(narrow_read(&head, &file));
    file = narrow_file();
    file.head.e_phentsize--;
    assert_false(narrow_read(&head, &file));
    file.head.e_phnum = 0; /* without program headers their wrong size does not matter */
    assert_true(narrow_read(&head, &file));
    file = narrow_file();
    file.head.e_phoff = 1 << 20;
    assert_false(narrow_read(&head, &file));
}

/* A program linked at 0x1000 whose code lies at 0x400 of the file. */
static const struct gate_elf_head moved = {.loads = {{0x1400, 0x400, 0x800, 0x800}}, .load_count = 1};

static uint64_t address_of(const struct gate_elf_head *head, uint64_t address, uint64_t start, uint64_t limit,
                           uint64_t offset) {
    const uint64_t mapping[3] = {start, limit, offset};
    uint64_t found = 0;
    return gate_elf_head_address(&found, head, address, mapping) ? found : 0;
}

TEST(addresses_are_the_files_own) {
    assert_int_equal(address_of(&moved, 0x7f0000000410, 0x7f0000000000, 0x7f0000001000, 0), 0x1410);
    assert_int_equal(address_of(&moved, 0x7f0000000410, 0x7f0000000400, 0x7f0000001000, 0x400), 0x1410);
    assert_int_equal(address_of(&moved, 0x7f0000000010, 0x7f0000000000, 0x7f0000001000, 0), 0); /* before the code */
    assert_int_equal(address_of(&moved, 0x7f0000000c00, 0x7f0000000000, 0x7f0000001000, 0), 0); /* after the code */
    /* Addresses that the profiling agent has normalised: the mapping is all zeros, or the address is outside of it. */
    assert_int_equal(address_of(&moved, 0x1410, 0, 0, 0), 0x1410);
    assert_int_equal(address_of(&moved, 0x1410, 0x7f0000000000, 0x7f0000001000, 0x400), 0x1410);
    assert_int_equal(address_of(&moved, 0x410, 0, 0, 0), 0);
}

TEST(debug_files_have_no_offsets) {
    struct gate_elf_head debug = {.loads = {{0x1410, 0x40, 0, 0x800}}, .load_count = 1, .is_debug_only = true};
    /* The segment is mapped from the start of its page: address 0x1000, file offset 0. */
    assert_int_equal(address_of(&debug, 0x7f0000000420, 0x7f0000000000, 0x7f0000001000, 0), 0x1420);
    assert_int_equal(address_of(&debug, 0x7f0000000420, 0x7f0000000000, 0x7f0000001000, 0x3000), 0x1420);
    debug.load_count = 2; /* it is unknown which of the two was mapped */
    assert_int_equal(address_of(&debug, 0x7f0000000420, 0x7f0000000000, 0x7f0000001000, 0), 0);
}
