/* SPDX-License-Identifier: Apache-2.0 */
/* Names of one binary (see binary_names.h). No server is asked: libdwfl's own search for debug information does that
 * where DEBUGINFOD_URLS is set, so it is not used. */
#include "gate/symbols/binary_names.h"

bool gate_binary_names_is_built(void) {
    return GATE_HAS_DW;
}

#if GATE_HAS_DW
#include "gate/base/stream.h"
#include "gate/symbols/code_index.h"
#include "gate/symbols/demangle.h"
#include "gate/symbols/go_table.h"
#include "gate/symbols/symbol_table.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What is open of one binary. */
struct binary {
    struct gate_arena arena;
    struct gate_arena_pool pool; /* knows whether memory was short: names that lack for that are no answer */
    Dwfl *dwfl;
    Dwfl_Module *module;
    GElf_Addr elf_bias;
    Dwarf_Addr dwarf_bias;
    struct gate_code_index code;
    struct gate_go_table go;
    struct gate_symbol_table symbols;
    bool has_dwarf, has_go;
};

/* To libdw and libelf a list ends where no memory is left to go on, and names would be missing without a word. That it
 * was memory is told by errno alone, which is to be 0 before. */
static bool memory_lasted(struct gate_error *err) {
    return errno != ENOMEM || gate_error_set(err, GATE_ERR_MEMORY, "no memory is left to look its names up");
}

/* ---- debug information that lies elsewhere ----------------------------------------------------------------------- */

static int file_open(char **name, const char *path) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0)
        *name = strdup(path);
    return descriptor;
}

/* A file of this build id that --symbols names and that is not the binary itself. */
static int open_by_id(char **name, const struct gate_symbol_question *question, Dwfl_Module *module) {
    const unsigned char *bits = NULL;
    GElf_Addr address = 0;
    char id[2 * GATE_ELF_ID_BYTES + 1] = "";
    int len = dwfl_module_build_id(module, &bits, &address);
    for (int i = 0; i < len && i < GATE_ELF_ID_BYTES; i++)
        (void)snprintf(id + 2 * (size_t)i, 3, "%02x", bits[i]);
    for (size_t i = 0; id[0] != '\0' && i < question->files->count; i++) {
        const struct gate_symbol_file *file = &question->files->items[i];
        if (strcmp(file->head.build_id, id) != 0 || strcmp(file->path.ptr, question->path) == 0)
            continue;
        int descriptor = file_open(name, file->path.ptr);
        if (descriptor >= 0)
            return descriptor;
    }
    return -1;
}

/* The file that .gnu_debuglink names: beside the binary, in .debug there, or anywhere in --symbols. libdwfl checks
 * nothing of it, so that its checksum is checked here. */
static uint32_t checksum_step(uint32_t sum, const unsigned char *bytes, size_t len) {
    for (size_t i = 0; i < len; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (0xEDB88320u & (0u - (sum & 1)));
    }
    return sum;
}

static bool checksum_fits(int descriptor, GElf_Word wanted) {
    unsigned char bytes[65536];
    uint32_t sum = UINT32_MAX;
    uint64_t at = 0;
    for (size_t got; (got = gate_stream_read_at(bytes, sizeof bytes, descriptor, at)) > 0; at += got)
        sum = checksum_step(sum, bytes, got);
    return ~sum == wanted;
}

static int open_fitting(char **name, const char *path, GElf_Word checksum) {
    int descriptor = file_open(name, path);
    if (descriptor < 0 || checksum == 0 || checksum_fits(descriptor, checksum))
        return descriptor;
    (void)close(descriptor);
    free(*name);
    *name = NULL;
    return -1;
}

static int open_by_link(char **name, const struct gate_symbol_question *question, const char *link,
                        GElf_Word checksum) {
    static const char *const folders[] = {"", ".debug/"};
    struct gate_str base = gate_str_basename(gate_str_from(link));
    char path[PATH_MAX];
    int descriptor = -1;
    size_t len = strlen(question->path) - gate_str_basename(gate_str_from(question->path)).len;
    for (size_t i = 0; descriptor < 0 && i < sizeof folders / sizeof *folders; i++) {
        int put = snprintf(path, sizeof path, "%.*s%s%.*s", (int)len, question->path, folders[i], GATE_STR_ARG(base));
        if (put > 0 && (size_t)put < sizeof path && strcmp(path, question->path) != 0)
            descriptor = open_fitting(name, path, checksum);
    }
    for (size_t i = 0; descriptor < 0 && i < question->files->count; i++) {
        const struct gate_symbol_file *file = &question->files->items[i];
        if (gate_str_equal(gate_str_basename(file->path), base) && strcmp(file->path.ptr, question->path) != 0)
            descriptor = open_fitting(name, file->path.ptr, checksum);
    }
    return descriptor;
}

static int debug_find(Dwfl_Module *module, void **userdata, const char *module_name, Dwarf_Addr base,
                      const char *file_name, const char *link, GElf_Word checksum, char **name) {
    const struct gate_symbol_question *question = *userdata;
    (void)module_name;
    (void)base;
    (void)file_name;
    int descriptor = open_by_id(name, question, module);
    if (descriptor < 0 && link != NULL)
        descriptor = open_by_link(name, question, link, checksum);
    return descriptor;
}

static const Dwfl_Callbacks callbacks = {.find_debuginfo = debug_find, .section_address = dwfl_offline_section_address};

/* ---- Go ---------------------------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
    return text != NULL && gate_str_ends(gate_str_from(text), gate_str_from(end));
}

/* Sections are looked for by name. `runtime.text` is the start of .text but where C code was linked in; there the
 * runtime's own table, a section since Go 1.26, says it. */
static void go_open(struct binary *binary) {
    enum { MODULE_TEXT = 176 };
    Elf *elf = dwfl_module_getelf(binary->module, &binary->elf_bias);
    struct gate_str table = GATE_STR("");
    uint64_t text = 0, told = 0;
    size_t names = 0;
    if (elf == NULL || elf_getshdrstrndx(elf, &names) != 0)
        return;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL; section = elf_nextscn(elf, section)) {
        GElf_Shdr head;
        if (gelf_getshdr(section, &head) == NULL || head.sh_type != SHT_PROGBITS)
            continue;
        const char *name = elf_strptr(elf, names, head.sh_name);
        const Elf_Data *data =
            ends_with(name, "go.module") || ends_with(name, ".gopclntab") ? elf_rawdata(section, NULL) : NULL;
        if (name != NULL && strcmp(name, ".text") == 0)
            text = head.sh_addr;
        else if (data != NULL && data->d_buf != NULL && ends_with(name, ".gopclntab"))
            table = (struct gate_str){data->d_buf, data->d_size};
        else if (data != NULL && data->d_buf != NULL && data->d_size >= MODULE_TEXT + sizeof told)
            memcpy(&told, (const char *)data->d_buf + MODULE_TEXT, sizeof told);
    }
    binary->has_go = gate_go_table_open(&binary->go, table, told != 0 ? told : text);
}

static uint32_t go_find(struct gate_symbol_line *line, const struct binary *binary, uint64_t address) {
    struct gate_go_place place;
    if (!binary->has_go || !gate_go_table_find(&place, &binary->go, address))
        return 0;
    *line = (struct gate_symbol_line){place.name, place.name, place.file, place.line, place.start_line, 0};
    return 1;
}

/* ---- one binary -------------------------------------------------------------------------------------------------- */

static bool binary_open(struct binary *binary, const struct gate_symbol_question *question, struct gate_error *err) {
    gate_arena_init(&binary->arena, 0);
    binary->arena.pool = &binary->pool;
    binary->dwfl = dwfl_begin(&callbacks);
    if (binary->dwfl == NULL)
        return gate_error_set(err, GATE_ERR_MEMORY, "libdw has no memory");
    dwfl_report_begin(binary->dwfl);
    binary->module = dwfl_report_elf(binary->dwfl, question->path, question->path, -1, 0, false);
    void **userdata = NULL;
    if (binary->module == NULL || dwfl_report_end(binary->dwfl, NULL, NULL) != 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "not an ELF file that libdw reads: %s", dwfl_errmsg(-1));
    (void)dwfl_module_info(binary->module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
    if (userdata != NULL)
        memcpy(userdata, &question, sizeof question);
    if (dwfl_module_getelf(binary->module, &binary->elf_bias) == NULL)
        return gate_error_set(err, GATE_ERR_FORMAT, "not an ELF file that libdw reads: %s", dwfl_errmsg(-1));
    Dwarf *dwarf = dwfl_module_getdwarf(binary->module, &binary->dwarf_bias);
    binary->has_dwarf = dwarf != NULL && gate_code_index_open(&binary->code, dwarf, &binary->arena);
    go_open(binary);
    return gate_symbol_table_open(&binary->symbols, binary->module, &binary->arena) ||
           gate_arena_error(&binary->arena, err);
}

static uint32_t symbol_find(struct gate_symbol_line *line, struct binary *binary, uint64_t address) {
    struct gate_str system = gate_symbol_table_find(&binary->symbols, address + binary->elf_bias);
    if (system.len == 0)
        return 0;
    *line = (struct gate_symbol_line){gate_demangle(&binary->arena, system), system, GATE_STR(""), 0, 0, 0};
    return line->name.ptr != NULL;
}

/* The calls at an address, by whatever says most of it. */
static uint32_t calls_find(struct gate_symbol_line *lines, struct binary *binary, uint64_t address) {
    struct gate_symbol_line symbol;
    uint32_t count = 0;
    if (binary->has_dwarf)
        count = gate_code_index_find(lines, GATE_SYMBOL_LINES_MAX, &binary->code,
                                     address + binary->elf_bias - binary->dwarf_bias);
    if (count == 0)
        count = go_find(lines, binary, address);
    if (count == 0)
        return symbol_find(lines, binary, address);
    /* Of a function that is local to its file the symbol table alone has the whole name. */
    struct gate_symbol_line *outermost = &lines[count - 1];
    if (!gate_demangle_is_mangled(outermost->system_name) && symbol_find(&symbol, binary, address) != 0 &&
        gate_demangle_is_mangled(symbol.system_name) && !gate_demangle_is_mangled(symbol.name)) {
        outermost->system_name = symbol.system_name;
        outermost->name = symbol.name;
    }
    return count;
}

bool gate_binary_names_write(struct gate_buf *out, const void *asked, struct gate_error *err) {
    const struct gate_symbol_question *question = asked;
    struct binary binary = {0};
    struct gate_symbol_line lines[GATE_SYMBOL_LINES_MAX];
    errno = 0;
    bool ok = binary_open(&binary, question, err) && memory_lasted(err);
    for (size_t i = 0; ok && i < question->count; i++) {
        uint32_t count = calls_find(lines, &binary, question->addresses[i]);
        gate_symbol_lines_write(out, lines, count);
        ok = memory_lasted(err);
    }
    ok = ok && gate_arena_check(&binary.arena, err);
    if (binary.dwfl != NULL)
        dwfl_end(binary.dwfl);
    gate_arena_free(&binary.arena);
    return ok;
}
#else
bool gate_binary_names_write(struct gate_buf *out, const void *question, struct gate_error *err) {
    (void)out;
    (void)question;
    return gate_error_set(err, GATE_ERR_USAGE, "this program was built without libdw, which reads binaries");
}
#endif
