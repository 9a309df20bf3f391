/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/symbols/binary_names.h"

#include "gate/base/file.h"
#include "gate/base/sandbox.h"
#include "gate/base/search.h"
#include "gate/symbols/demangle.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Return the unsigned number of `size` bytes, at most 8, at `at`, in the byte order of the machine that the binary is
 * for. */
static uint64_t number_at(const void *at, size_t size, bool is_big_endian) {
    const unsigned char *bytes = at;
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | bytes[is_big_endian ? i : size - 1 - i];
    return value;
}

/* ---- Go's function table (pclntab) ---------------------------------------------------------------------------------
 *
 * Go's runtime uses this table for its traces. It survives stripping and contains functions, files and lines.
 * Layout: Go's runtime/symtab.go and internal/abi, Go 1.18 and later.
 * Every offset is checked, because a binary may be damaged. */

enum { HEAD_BYTES = 8, ENTRY_BYTES = 8, NAME_BYTES_MAX = 64 * 1024, STEPS_MAX = 1 << 20 };

enum { FUNCTION_NAME = 4, FUNCTION_FILES = 20, FUNCTION_LINES = 24, FUNCTION_UNIT = 32, FUNCTION_START = 36 };

static const uint32_t MAGIC_118 = 0xFFFFFFF0u, MAGIC_120 = 0xFFFFFFF1u;

static bool word_at(const struct gate_go_table *table, struct gate_str part, size_t at, size_t size, uint64_t *value) {
    if (part.len < size || at > part.len - size)
        return false;
    *value = number_at(part.ptr + at, size, table->is_big_endian);
    return true;
}

static uint64_t word_or_zero(const struct gate_go_table *table, struct gate_str part, size_t at) {
    uint64_t value = 0;
    return word_at(table, part, at, 4, &value) ? value : 0;
}

/* Read word `index` after the first eight bytes of the table. */
static bool head_word(const struct gate_go_table *table, uint32_t index, uint64_t *value) {
    return word_at(table, table->bytes, HEAD_BYTES + (size_t)index * table->pointer_bytes, table->pointer_bytes, value);
}

bool gate_go_table_open(struct gate_go_table *out, struct gate_str bytes, uint64_t text) {
    uint64_t count = 0, offsets[5], magic = 0;
    struct gate_str *const parts[] = {&out->names, &out->units, &out->files, &out->values, &out->functions};
    *out = (struct gate_go_table){.bytes = bytes};
    out->is_big_endian = bytes.len != 0 && (unsigned char)bytes.ptr[0] == 0xFF; /* the magic numbers end with F0, F1 */
    if (!word_at(out, bytes, 0, 4, &magic) || (magic != MAGIC_118 && magic != MAGIC_120) || bytes.len < HEAD_BYTES)
        return false;
    out->has_start_lines = magic == MAGIC_120;
    out->quantum = (uint8_t)bytes.ptr[6];
    out->pointer_bytes = (uint8_t)bytes.ptr[7];
    if ((out->pointer_bytes != 4 && out->pointer_bytes != 8) || out->quantum == 0 || !head_word(out, 0, &count) ||
        !head_word(out, 2, &out->text))
        return false;
    for (uint32_t i = 0; i < 5; i++) {
        if (!head_word(out, 3 + i, &offsets[i]) || offsets[i] >= bytes.len)
            return false;
        *parts[i] = gate_str_slice(bytes, (size_t)offsets[i], bytes.len);
    }
    if (out->text == 0) /* set by the loader: position-independent programs, and Go 1.26 */
        out->text = text;
    if (count > out->functions.len / ENTRY_BYTES)
        return false;
    out->function_count = (uint32_t)count;
    return true;
}

/* Read a number with seven bits per byte. */
static bool varint_next(struct gate_str *bytes, uint32_t *value) {
    *value = 0;
    for (uint32_t shift = 0; shift < 32 && bytes->len != 0; shift += 7) {
        uint32_t byte = (unsigned char)bytes->ptr[0];
        *bytes = gate_str_slice(*bytes, 1, bytes->len);
        *value |= (byte & 0x7F) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* Return the value for the code `distance` bytes after the function's entry, from the pc-value list at `offset`; -1 if
 * there is none. */
static int32_t value_at(const struct gate_go_table *table, uint64_t offset, uint64_t distance) {
    struct gate_str bytes =
        offset == 0 || offset > table->values.len ? GATE_STR("") : gate_str_slice(table->values, offset, SIZE_MAX);
    uint32_t value = UINT32_MAX, step = 0, length = 0;
    uint64_t reached = 0;
    for (uint32_t i = 0; i < STEPS_MAX; i++) {
        if (!varint_next(&bytes, &step) || (step == 0 && i != 0) || !varint_next(&bytes, &length))
            return -1;
        value += (step & 1) != 0 ? ~(step >> 1) : step >> 1;
        reached += (uint64_t)length * table->quantum;
        if (distance < reached)
            return (int32_t)value;
    }
    return -1;
}

static struct gate_str text_at(struct gate_str part, uint64_t offset) {
    if (offset >= part.len)
        return GATE_STR("");
    struct gate_str text = gate_str_slice(part, (size_t)offset, (size_t)offset + NAME_BYTES_MAX);
    const char *end = memchr(text.ptr, '\0', text.len);
    return end == NULL ? GATE_STR("") : gate_str_slice(text, 0, (size_t)(end - text.ptr));
}

static struct gate_str file_at(const struct gate_go_table *table, const struct gate_str *function, int32_t number) {
    uint64_t offset = 0;
    size_t unit = (size_t)word_or_zero(table, *function, FUNCTION_UNIT);
    if (number < 0 || !word_at(table, table->units, (unit + (size_t)number) * 4, 4, &offset) || offset == UINT32_MAX)
        return GATE_STR("");
    return text_at(table->files, offset);
}

/* Find the last function that starts at or before `distance`. The entry after the last function is the end of the
 * code. */
static bool row_find(const struct gate_go_table *table, uint64_t distance, uint32_t *row) {
    size_t at = 0;
    GATE_SEARCH(at, table->function_count, word_or_zero(table, table->functions, at * ENTRY_BYTES) <= distance);
    *row = (uint32_t)at - 1;
    return at != 0 && distance < word_or_zero(table, table->functions, at * ENTRY_BYTES);
}

bool gate_go_table_find(struct gate_go_place *out, const struct gate_go_table *table, uint64_t address) {
    uint32_t row = 0;
    uint64_t distance =
        address - table->text; /* for an address before the text, this wraps to a distance beyond every function */
    if (!row_find(table, distance, &row))
        return false;
    uint64_t entry = word_or_zero(table, table->functions, (size_t)row * ENTRY_BYTES);
    uint64_t offset = word_or_zero(table, table->functions, (size_t)row * ENTRY_BYTES + 4);
    struct gate_str function = gate_str_slice(table->functions, (size_t)offset, SIZE_MAX);
    *out = (struct gate_go_place){.name = text_at(table->names, word_or_zero(table, function, FUNCTION_NAME))};
    uint64_t files = word_or_zero(table, function, FUNCTION_FILES);
    int32_t own = value_at(table, files, 0), here = value_at(table, files, distance - entry);
    int32_t line = value_at(table, word_or_zero(table, function, FUNCTION_LINES), distance - entry);
    out->file = file_at(table, &function, own);
    out->line = here == own && line > 0 ? line : 0;
    out->start_line = table->has_start_lines ? (int64_t)word_or_zero(table, function, FUNCTION_START) : 0;
    return out->name.len != 0;
}

/* ---- a child process with limits, which parses the untrusted binary ------------------------------------------------
 *
 * It writes one byte, an enum gate_error_code, and then its result or the message of the error. */

/* Address sanitizers map terabytes of unused address space, so RLIMIT_AS cannot be set with them. */
#if defined(__SANITIZE_ADDRESS__)
#define HAS_SHADOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SHADOW 1
#endif
#endif

#ifndef HAS_SHADOW
#define HAS_SHADOW 0
#endif

enum { READ_PIECE_BYTES = 65536 };

/* Return the size of this process's address space in bytes; 0 if unknown. */
static size_t addresses_used(void) {
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return 0;
    int got = fscanf(file, "%llu", &pages);
    (void)fclose(file);
    long page = sysconf(_SC_PAGESIZE);
    return got == 1 && page > 0 ? (size_t)pages * (size_t)page : 0;
}

static void caps_set(const struct gate_subprocess_caps *caps, size_t used) {
    const struct rlimit core = {0, 0}, cpu = {caps->cpu_seconds, (rlim_t)caps->cpu_seconds + 1};
    const struct rlimit memory = {used + caps->memory_bytes, used + caps->memory_bytes};
    (void)alarm(caps->wall_seconds); /* wall time, because waiting for a file uses no CPU time */
    (void)setrlimit(RLIMIT_CORE, &core);
    (void)setrlimit(RLIMIT_CPU, &cpu);
    if (used != 0 && !HAS_SHADOW)
        (void)setrlimit(RLIMIT_AS, &memory);
}

static bool all_written(int descriptor, struct gate_str bytes) {
    while (bytes.len != 0) {
        ssize_t put = write(descriptor, bytes.ptr, bytes.len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        bytes = gate_str_slice(bytes, (size_t)put, bytes.len);
    }
    return true;
}

static _Noreturn void child_run(int descriptor, gate_subprocess_work *work, const void *question) {
    struct gate_buf out = {0};
    struct gate_error err = {0};
    static const int signals[] = {SIGINT, SIGTERM, SIGALRM, SIGPIPE, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        (void)signal(signals[i], SIG_DFL); /* handlers of the calling program must not run here */
    static const struct gate_sandbox_files nothing_written = {NULL, 0, false};
    struct gate_sandbox_state state = {0}; /* without a sandbox, the resource limits still apply */
    gate_sandbox_enter(0, &nothing_written, &state);
    bool ok = work(&out, question, &err) && gate_buf_check(&out, &err);
    struct gate_str answer = ok ? gate_buf_view(&out) : gate_str_from(err.message);
    char code = (char)(ok ? GATE_OK : err.code);
    ok = all_written(descriptor, (struct gate_str){&code, 1}) && all_written(descriptor, answer);
    _exit(ok ? 0 : 1);
}

/* Read everything that the child writes. */
static bool answer_read(struct gate_buf *out, int descriptor, size_t cap, struct gate_error *err) {
    char piece[READ_PIECE_BYTES];
    for (;;) {
        ssize_t got = read(descriptor, piece, sizeof piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return gate_error_set(err, GATE_ERR_IO, "its names cannot be read: %s", strerror(errno));
        if (got == 0)
            return true;
        gate_buf_bytes(out, piece, (size_t)got);
        if (out->failed)
            return gate_error_set(err, GATE_ERR_MEMORY, "out of memory while its names were read");
        if (out->len > cap)
            return gate_error_set(err, GATE_ERR_LIMIT, "its names take more than %zu bytes", cap);
    }
}

static bool end_explain(int status, const struct gate_subprocess_caps *caps, struct gate_error *err) {
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
        return gate_error_set(err, GATE_ERR_LIMIT,
                              "to look its names up takes more than %u seconds; name smaller files, or fewer",
                              (unsigned)caps->cpu_seconds);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        return gate_error_set(err, GATE_ERR_LIMIT,
                              "to look its names up took more than %u seconds, most of them of waiting; copy the file "
                              "to a disk of this machine",
                              (unsigned)caps->wall_seconds);
    if (WIFSIGNALED(status))
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "to look its names up crashed (signal %d): the file seems to be damaged; take it out",
                              WTERMSIG(status));
    return gate_error_set(err, GATE_ERR_FORMAT,
                          "its names could not be looked up: it seems to be damaged; take it out");
}

static bool answer_take(struct gate_buf *out, int status, const struct gate_subprocess_caps *caps,
                        struct gate_error *err) {
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || out->len == 0)
        return end_explain(status, caps, err);
    int code = out->ptr[0];
    if (code != GATE_OK)
        return gate_error_set(err, code > 0 && code <= GATE_ERR_MEMORY ? (enum gate_error_code)code : GATE_ERR_FORMAT,
                              "%.*s", (int)(out->len - 1 > 900 ? 900 : out->len - 1), out->ptr + 1);
    memmove(out->ptr, out->ptr + 1, --out->len);
    return true;
}

bool gate_subprocess_do(struct gate_buf *out, gate_subprocess_work *work, const void *question,
                        const struct gate_subprocess_caps *caps, struct gate_error *err) {
    int ends[2], status = 0;
    size_t used = addresses_used();
    if (pipe(ends) != 0)
        return gate_error_set(err, GATE_ERR_IO, "its names cannot be looked up: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        caps_set(caps, used);
        child_run(ends[1], work, question);
    }
    (void)close(ends[1]);
    bool is_whole = child > 0 && answer_read(out, ends[0], caps->answer_bytes, err);
    (void)close(ends[0]);
    if (child < 0)
        return gate_error_set(err, GATE_ERR_IO, "its names cannot be looked up: %s", strerror(errno));
    if (!is_whole)
        (void)kill(child, SIGTERM);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return is_whole && answer_take(out, status, caps, err);
}

/* ---- symbol table ------------------------------------------------------------------------------------------------ */

/* Sorted by address, because libdwfl's own search examines every symbol for each address. */

#if GATE_HAS_DW
#include "gate/symbols/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>

/* Functions by address, from .symtab, .dynsym and .gnu_debugdata, which libdwfl merges. */

/* A function of the symbol table. */
struct gate_symbol_row {
    GElf_Addr start, end; /* addresses as libdwfl loads the file */
    const char *name;     /* view of the file's string table */
    uint32_t rank;        /* 0: global, 1: weak, 2: local; orders symbols of the same address */
};

/* Functions by address. Of several at one address, the first one is used. Arena memory. */
struct gate_symbol_table {
    struct gate_symbol_row *rows;
    size_t count, capacity;
};

enum { OVERLAPS_MAX = 16 };

static bool is_function(const GElf_Sym *symbol, const char *name) {
    int type = GELF_ST_TYPE(symbol->st_info);
    if (symbol->st_shndx == SHN_UNDEF || name == NULL || name[0] == '\0' || name[0] == '$') /* "$x" on ARM */
        return false;
    return type == STT_FUNC || type == STT_GNU_IFUNC || (type == STT_NOTYPE && symbol->st_size != 0);
}

static uint32_t rank_of(const GElf_Sym *symbol) {
    int binding = GELF_ST_BIND(symbol->st_info);
    return binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
}

static int row_compare(const void *a, const void *b) {
    const struct gate_symbol_row *left = a, *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    bool has_size[2] = {left->end > left->start, right->end > right->start};
    if (has_size[0] != has_size[1])
        return has_size[0] ? -1 : 1;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* Extend each symbol without a size to the next symbol. */
static void ends_fill(struct gate_symbol_table *table) {
    GElf_Addr next = 0;
    for (size_t i = table->count; i-- > 0;) {
        struct gate_symbol_row *row = &table->rows[i];
        if (row->end <= row->start)
            row->end = next > row->start ? next : row->start + 1;
        if (i > 0 && table->rows[i - 1].start != row->start)
            next = row->start;
    }
}

/* Read the functions of `module`. Returns false if the arena is full. O(symbols log symbols). */
static bool symbol_table_open(struct gate_symbol_table *out, Dwfl_Module *module, struct gate_arena *arena) {
    int count = dwfl_module_getsymtab(module);
    *out = (struct gate_symbol_table){0};
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address = 0;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (name == NULL || !is_function(&symbol, name))
            continue;
        if (!GATE_REGROW(arena, out->rows, out->count, out->capacity))
            return false;
        GElf_Addr size = symbol.st_size <= UINT64_MAX - address ? symbol.st_size : 0;
        out->rows[out->count++] = (struct gate_symbol_row){address, address + size, name, rank_of(&symbol)};
    }
    if (out->count > 1)
        qsort(out->rows, out->count, sizeof *out->rows, row_compare);
    ends_fill(out);
    return true;
}

/*
 * Return the function at `address` without its version ("memcpy@@GLIBC_2.14" becomes "memcpy"), or an empty view. A
 * symbol without a size extends to the next symbol. O(log symbols).
 */
static struct gate_str symbol_table_find(const struct gate_symbol_table *table, GElf_Addr address) {
    size_t at = 0;
    const struct gate_symbol_row *best = NULL;
    GATE_SEARCH(at, table->count, table->rows[at].start <= address);
    for (size_t back = 0; at > 0 && back < OVERLAPS_MAX; back++) {
        const struct gate_symbol_row *row = &table->rows[--at];
        if (best != NULL && row->start != best->start)
            break;
        if (address < row->end)
            best = row; /* of several at one address the first row is used, which this loop reaches last */
    }
    if (best == NULL)
        return GATE_STR("");
    const char *version = strchr(best->name, '@');
    size_t len = version == NULL || version == best->name ? strlen(best->name) : (size_t)(version - best->name);
    return (struct gate_str){best->name, len};
}
#endif

/* ---- names of one binary ----------------------------------------------------------------------------------------- */

/* libdwfl's default search for debug information contacts debuginfod servers if DEBUGINFOD_URLS is set, so it is not
 * used. */

/* The addresses to look up. */
struct gate_symbol_question {
    const char *path;                      /* path of the binary */
    const struct gate_symbol_files *files; /* files that may contain its debug information */
    const uint64_t *addresses;             /* addresses in the file, ascending */
    size_t count;
};

bool gate_binary_names_is_built(void) {
    return GATE_HAS_DW;
}

#if GATE_HAS_DW

/* An open binary. */
struct binary {
    struct gate_arena arena;
    struct gate_arena_pool pool; /* its pool records whether memory ran out: names would then be missing */
    Dwfl *dwfl;
    Dwfl_Module *module;
    GElf_Addr elf_bias;
    Dwarf_Addr dwarf_bias;
    struct gate_code_index code;
    struct gate_go_table go;
    struct gate_symbol_table symbols;
    Dwarf *shared;          /* file that `dwz -m` shares; may be NULL */
    struct gate_str unused; /* note about debug information that cannot be used */
    bool has_dwarf, has_go;
};

/* Return false if memory ran out: libdw and libelf then end a list early, and only errno shows it. The caller sets
 * errno to 0 first. */
static bool memory_lasted(struct gate_error *err) {
    return errno != ENOMEM || gate_error_set(err, GATE_ERR_MEMORY, "no memory is left to look its names up");
}

/* ---- separate debug information ---------------------------------------------------------------------------------- */

static int file_open(char **name, const char *path) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor >= 0)
        *name = strdup(path);
    return descriptor;
}

/* Open a file of --symbols with the build id of `module`, other than the binary itself. */
static int open_by_id(char **name, const struct gate_symbol_question *question, Dwfl_Module *module) {
    const unsigned char *bits = NULL;
    GElf_Addr address = 0;
    char id[2 * GATE_ELF_ID_BYTES + 1] = "";
    int len = dwfl_module_build_id(module, &bits, &address);
    if (len > 0)
        gate_str_hex(id, bits, len < GATE_ELF_ID_BYTES ? (size_t)len : GATE_ELF_ID_BYTES);
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

/* Update the CRC-32 of the file that .gnu_debuglink names. libdwfl does not verify it. open_by_link searches the file
 * beside the binary, in .debug there, and in --symbols. */
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
    if (descriptor < 0 || checksum_fits(descriptor, checksum))
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
    /* libdwfl also asks for the file that `dwz -m` shares, but passes neither its checksum nor its build id. Do not
     * answer with the debug information itself; shared_open finds the file. */
    if (link != NULL && checksum == 0)
        return -1;
    int descriptor = open_by_id(name, question, module);
    if (descriptor < 0 && link != NULL)
        descriptor = open_by_link(name, question, link, checksum);
    return descriptor;
}

static const Dwfl_Callbacks callbacks = {.find_debuginfo = debug_find, .section_address = dwfl_offline_section_address};

/* ---- debug information in several files: the file that `dwz -m` shares, and parts that libdw does not read ------- */

enum { COMPRESSED_BY_ZSTD = 2 /* ELFCOMPRESS_ZSTD, which older headers lack */ };

/* Set `id` to the build id of the shared file. Return false if there is none. */
static bool shared_id(char id[2 * GATE_ELF_ID_BYTES + 1], Dwarf *dwarf) {
    const char *name = NULL;
    const void *bits = NULL;
    ssize_t len = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &bits);
    if (len > 0)
        gate_str_hex(id, bits, len < GATE_ELF_ID_BYTES ? (size_t)len : GATE_ELF_ID_BYTES);
    return len > 0;
}

/* Open the file that `dwarf` shares with others (`dwz -m`, .gnu_debugaltlink), unless libdw has found it: the one of
 * `files` with its build id. Return NULL if there is none or it was found. */
static Dwarf *shared_open(Dwarf *dwarf, const struct gate_symbol_files *files) {
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

/* Return true if a section is compressed with zstd, and libelf does not know that. Only debug sections are
 * compressed. */
static bool has_unread_zstd(Elf *elf) {
    if (elf == NULL)
        return false;
    const char *ident = elf_getident(elf, NULL);
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL; section = elf_nextscn(elf, section)) {
        GElf_Shdr head;
        if (gelf_getshdr(section, &head) == NULL || (head.sh_flags & SHF_COMPRESSED) == 0)
            continue;
        const Elf_Data *data = elf_rawdata(section, NULL);
        if (data == NULL || data->d_size < sizeof(Elf32_Word))
            continue;
        uint64_t type = number_at(data->d_buf, sizeof(Elf32_Word), ident[EI_DATA] == ELFDATA2MSB);
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

/* Return why part of the debug information is not used, as the end of a sentence that begins with the file's name.
 * Returns an empty text if all is used; its `ptr` is NULL if the arena is full. `dwarf` may be NULL. A .dwp is searched
 * beside the binary and in `files`. */
static struct gate_str debug_unused(Dwfl_Module *module, Dwarf *dwarf, const struct gate_symbol_files *files,
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

/* ---- Go ---------------------------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
    return text != NULL && gate_str_ends(gate_str_from(text), gate_str_from(end));
}

/* Find Go's function table by the names of sections. Functions are relative to `runtime.text`. That is the start of
 * .text unless C code was linked in; then go.module, the runtime's own table (a section since Go 1.26), gives the
 * address. */
static void go_open(struct binary *binary) {
    enum { MODULE_TEXT = 176 };
    Elf *elf = dwfl_module_getelf(binary->module, &binary->elf_bias);
    struct gate_str table = GATE_STR("");
    uint64_t text = 0, module_text = 0;
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
        else if (data != NULL && data->d_buf != NULL && data->d_size >= MODULE_TEXT + sizeof module_text)
            module_text = number_at((const char *)data->d_buf + MODULE_TEXT, sizeof module_text,
                                    elf_getident(elf, NULL)[EI_DATA] == ELFDATA2MSB);
    }
    binary->has_go = gate_go_table_open(&binary->go, table, module_text != 0 ? module_text : text);
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
    binary->has_dwarf = dwarf != NULL;
    binary->shared = dwarf == NULL ? NULL : shared_open(dwarf, question->files);
    binary->unused = debug_unused(binary->module, dwarf, question->files, &binary->arena);
    if (binary->unused.ptr == NULL)
        return gate_arena_error(&binary->arena, err);
    if (binary->has_dwarf && !gate_code_index_open(&binary->code, dwarf, &binary->arena))
        return gate_arena_error(&binary->arena, err);
    go_open(binary);
    return symbol_table_open(&binary->symbols, binary->module, &binary->arena) || gate_arena_error(&binary->arena, err);
}

static uint32_t symbol_find(struct gate_symbol_line *line, struct binary *binary, uint64_t address) {
    struct gate_str system = symbol_table_find(&binary->symbols, address + binary->elf_bias);
    if (system.len == 0)
        return 0;
    *line = (struct gate_symbol_line){gate_demangle(&binary->arena, system), system, GATE_STR(""), 0, 0, 0};
    return line->name.ptr != NULL;
}

/* Find the calls at an address in the first source that has it: DWARF, Go's table, the symbol table. */
static uint32_t calls_find(struct gate_symbol_line *lines, struct binary *binary, uint64_t address) {
    struct gate_symbol_line symbol;
    uint32_t count = 0;
    if (binary->has_dwarf)
        count = gate_code_index_find(lines, &binary->code, address + binary->elf_bias - binary->dwarf_bias);
    if (count == 0)
        count = go_find(lines, binary, address);
    if (count == 0)
        return symbol_find(lines, binary, address);
    /* For a function that is local to its file, only the symbol table has the complete mangled name. */
    struct gate_symbol_line *outermost = &lines[count - 1];
    if (!gate_demangle_is_mangled(outermost->system_name) && symbol_find(&symbol, binary, address) != 0 &&
        gate_demangle_is_mangled(symbol.system_name) && !gate_demangle_is_mangled(symbol.name)) {
        outermost->system_name = symbol.system_name;
        outermost->name = symbol.name;
    }
    return count;
}

/**
 * Work of the child process (gate_subprocess_do). `data` is a struct gate_symbol_question. Writes one answer per
 * address (symbols/symbol_lines.h), and one more whose name is the reason why part of the debug information is not
 * used. err: GATE_ERR_FORMAT if it is not an ELF file that libdw reads; GATE_ERR_MEMORY.
 */
static bool binary_names_write(struct gate_buf *out, const void *data, struct gate_error *err) {
    const struct gate_symbol_question *question = data;
    struct binary binary = {0};
    struct gate_symbol_line lines[GATE_SYMBOL_LINES_MAX];
    errno = 0;
    bool ok = binary_open(&binary, question, err) && memory_lasted(err);
    for (size_t i = 0; ok && i < question->count; i++) {
        uint32_t count = calls_find(lines, &binary, question->addresses[i]);
        gate_symbol_lines_write(out, lines, count);
        ok = memory_lasted(err);
    }
    lines[0] = (struct gate_symbol_line){binary.unused, GATE_STR(""), GATE_STR(""), 0, 0, 0};
    gate_symbol_lines_write(out, lines, ok ? 1 : 0);
    ok = ok && gate_arena_check(&binary.arena, err);
    if (binary.dwfl != NULL)
        dwfl_end(binary.dwfl);
    if (binary.shared != NULL)
        (void)dwarf_end(binary.shared);
    gate_arena_free(&binary.arena);
    return ok;
}
#else
/** Stand-in if built without libdw. err: GATE_ERR_USAGE. */
static bool binary_names_write(struct gate_buf *out, const void *question, struct gate_error *err) {
    (void)out;
    (void)question;
    return gate_error_set(err, GATE_ERR_USAGE, "this program was built without libdw, which reads binaries");
}
#endif

/* ---- cache of one binary's names --------------------------------------------------------------------------------- */

/* Limits for one binary and one profile, in proportion to the size of its files: a section of 1 MB may declare that it
 * decompresses to gigabytes. For the binaries of large browsers, libdw needs a tenth of the largest limits. */
enum { BYTES_A_SECOND = 1 << 20, SECONDS_LEAST = 5, SECONDS_MOST = 300, MEMORY_RATIO = 48 };

static const uint64_t memory_least = (uint64_t)160 << 20, memory_most = (uint64_t)8 << 30;

static uint64_t file_bytes(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && status.st_size > 0 ? (uint64_t)status.st_size : 0;
}

static struct gate_subprocess_caps caps_for(const struct gate_symbol_question *question) {
    uint64_t bytes = file_bytes(question->path);
    for (size_t i = 0; question->files != NULL && i < question->files->count; i++) {
        const struct gate_symbol_file *file = &question->files->items[i];
        if (file->kind == GATE_SYMBOLS_ELF && file->head.is_debug_only)
            bytes += file_bytes(file->path.ptr);
    }
    uint64_t seconds = SECONDS_LEAST + bytes / BYTES_A_SECOND, memory = memory_least + bytes * MEMORY_RATIO;
    return (struct gate_subprocess_caps){.cpu_seconds = (uint32_t)(seconds < SECONDS_MOST ? seconds : SECONDS_MOST),
                                         .wall_seconds = 900,
                                         .memory_bytes = (size_t)(memory < memory_most ? memory : memory_most),
                                         .answer_bytes = (size_t)1 << 30};
}

static struct gate_str address_key(const uint64_t *address) {
    return (struct gate_str){(const char *)address, sizeof *address};
}

static int number_compare(const void *a, const void *b) {
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

/* Register `count` addresses and reserve room for their answers. */
static bool answers_reserve(struct gate_symbol_binary *binary, const uint64_t *addresses, size_t count,
                            struct gate_arena *arena) {
    for (size_t i = 0; i < count; i++) {
        uint32_t known = binary->addresses.count;
        if (!GATE_REGROW(arena, binary->answers, known, binary->answer_capacity))
            return false;
        binary->answers[known] = (struct gate_symbol_answer){0};
        if (gate_table_intern_copy(&binary->addresses, address_key(&addresses[i])) == GATE_TABLE_NONE)
            return false;
    }
    return true;
}

static bool binary_ask(struct gate_symbol_binary *binary, const struct gate_symbol_question *question,
                       struct gate_arena *arena, struct gate_error *err) {
    struct gate_buf bytes = {0};
    const struct gate_subprocess_caps caps = caps_for(question);
    size_t known = binary->addresses.count;
    if (!answers_reserve(binary, question->addresses, question->count, arena))
        return gate_arena_error(arena, err);
    struct gate_symbol_answer *read = GATE_NEW_ARRAY(arena, struct gate_symbol_answer, question->count + 1);
    if (read == NULL)
        return gate_arena_error(arena, err);
    bool ok = gate_subprocess_do(&bytes, binary_names_write, question, &caps, err);
    if (ok && !gate_arena_adopt(arena, bytes.ptr, bytes.len))
        ok = gate_arena_error(arena, err);
    if (!ok)
        gate_buf_free(&bytes);
    if (!ok || !gate_symbol_lines_read(read, question->count + 1, gate_buf_view(&bytes), arena, err))
        return gate_error_prefix(err, "%s", binary->path);
    memcpy(binary->answers + known, read, question->count * sizeof *read);
    if (read[question->count].count != 0)
        binary->unused = read[question->count].lines[0].name;
    return true;
}

bool gate_symbol_binary_learn(struct gate_symbol_binary *binary, const struct gate_symbol_files *files,
                              uint64_t *addresses, size_t count, struct gate_arena *arena, struct gate_error *err) {
    size_t kept = 0;
    if (count > 1)
        qsort(addresses, count, sizeof *addresses, number_compare);
    for (size_t i = 0; i < count; i++)
        if ((kept == 0 || addresses[kept - 1] != addresses[i]) &&
            gate_table_find(&binary->addresses, address_key(&addresses[i])) == GATE_TABLE_NONE)
            addresses[kept++] = addresses[i];
    const struct gate_symbol_question question = {binary->path, files, addresses, kept};
    return kept == 0 || binary_ask(binary, &question, arena, err);
}

const struct gate_symbol_answer *gate_symbol_binary_find(const struct gate_symbol_binary *binary, uint64_t address) {
    uint32_t index = gate_table_find(&binary->addresses, address_key(&address));
    return index == GATE_TABLE_NONE || binary->answers[index].count == 0 ? NULL : &binary->answers[index];
}
