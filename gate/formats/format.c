/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a file, and loads any of the input formats into a profile; the table of formats. */
#include "gate/formats/format.h"

#include "gate/base/buf.h"
#include "gate/base/file.h"
#include "gate/base/own_mark.h"
#include "gate/base/str.h"
#include "gate/formats/builder.h"
#include "gate/formats/inflate.h"
#include "gate/formats/json_tree.h"
#include "gate/formats/pprof.h"
#include "gate/formats/reader.h"
#include "gate/model/labels.h"
#include "gate/model/limits.h"
#include "gate/model/profile.h"
#include "gate/model/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GATE_INFLATE_HEAD_BYTES = 68 * 1024 }; /* more than any format needs for recognition */

/* ---- reading the bytes of a file or of standard input ------------------------------------------------------------ */

enum { READ_PIECE_BYTES = 256 * 1024 };

/* The bytes read so far: a separate block of the arena. */
struct reading {
    struct gate_arena *arena;
    char *ptr;
    size_t len, capacity;
};

static bool reading_widen(struct reading *reading, size_t capacity, struct gate_error *err) {
    char *grown = gate_arena_resize(reading->arena, reading->ptr, reading->capacity, capacity);
    if (grown == NULL)
        return gate_arena_error(reading->arena, err);
    reading->ptr = grown;
    reading->capacity = capacity;
    return true;
}

/* Read to the end. `hint` is the expected size; 0: unknown, as for a pipe. */
static bool stream_read(struct reading *reading, FILE *file, size_t hint, size_t cap, struct gate_error *err) {
    size_t capacity = hint + 1 > READ_PIECE_BYTES && hint < cap ? hint + 1 : READ_PIECE_BYTES;
    bool ok = reading_widen(reading, capacity, err);
    while (ok) {
        size_t got = gate_stream_read(reading->ptr + reading->len, reading->capacity - reading->len, file);
        reading->len += got;
        if (reading->len > cap)
            return gate_error_set(err, GATE_ERR_LIMIT,
                                  "larger than %zu bytes; raise --max-compressed-size if the input is trusted", cap);
        if (got == 0 && ferror(file))
            return gate_error_set(err, GATE_ERR_IO, "cannot be read: %s", strerror(errno));
        if (got == 0 && feof(file))
            return true;
        if (reading->len == reading->capacity)
            ok = reading_widen(reading, reading->capacity * 2, err);
    }
    return false;
}

/* Set the error for a missing file, with the nearest existing name. */
static bool file_missing(const char *path, int reason, struct gate_error *err) {
    char near[GATE_NEAR_FILE_BYTES];
    if (reason == ENOENT && gate_near_file_find(near, path))
        return gate_error_set(err, GATE_ERR_IO, "cannot be opened: %s (did you mean '%s'?)", strerror(reason), near);
    return gate_error_set(err, GATE_ERR_IO, "cannot be opened: %s", gate_stream_open_reason(reason));
}

static bool file_open(FILE **file, size_t *hint, struct gate_str path, struct gate_error *err) {
    char name[4096];
    struct stat status;
    if (path.len >= sizeof name || memchr(path.ptr, '\0', path.len) != NULL)
        return gate_error_set(err, GATE_ERR_IO, "the path is not a file name");
    memcpy(name, path.ptr, path.len);
    name[path.len] = '\0';
    *file = gate_stream_open(name);
    if (*file == NULL)
        return file_missing(name, errno, err);
    if (fstat(fileno(*file), &status) != 0)
        return gate_error_set(err, GATE_ERR_IO, "cannot be read: %s", strerror(errno));
    if (S_ISDIR(status.st_mode))
        return gate_error_set(err, GATE_ERR_IO, "a directory: name the profile in it");
    if (S_ISREG(status.st_mode) && status.st_size > 0)
        *hint = (size_t)status.st_size;
    return true;
}

bool gate_source_read(struct gate_str *bytes, struct gate_str path, const struct gate_limits *limits,
                      struct gate_arena *arena, struct gate_error *err) {
    struct gate_limits caps = gate_limits_fill(limits);
    struct reading reading = {.arena = arena};
    FILE *file = stdin;
    size_t hint = 0;
    bool is_stdin = gate_str_equal(path, GATE_STR("-"));
    bool ok = path.len != 0 || gate_error_set(err, GATE_ERR_IO, "the path is empty");
    if (ok && !is_stdin) {
        file = NULL;
        ok = file_open(&file, &hint, path, err);
    }
    if (ok && hint > caps.compressed_bytes)
        ok = gate_error_set(err, GATE_ERR_LIMIT,
                            "%zu bytes, more than %zu; raise --max-compressed-size if the input is trusted", hint,
                            caps.compressed_bytes);
    ok = ok && stream_read(&reading, file, hint, caps.compressed_bytes, err);
    if (file != NULL && !is_stdin)
        (void)fclose(file);
    if (!ok)
        return false;
    void *fitted = gate_arena_resize(arena, reading.ptr, reading.capacity, reading.len);
    *bytes = (struct gate_str){reading.len == 0 ? "" : fitted == NULL ? reading.ptr : fitted, reading.len};
    return true;
}

/* ---- table of formats -------------------------------------------------------------------------------------------- */

static bool looks_like_text(struct gate_str bytes) {
    size_t len = bytes.len < 512 ? bytes.len : 512;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)bytes.ptr[i];
        if (c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x1B)
            return false;
        if (c == 0x7F)
            return false;
    }
    return true;
}

static bool is_html(struct gate_str text) {
    return gate_str_starts_nocase(text, GATE_STR("<!doctype html")) ||
           gate_str_starts_nocase(text, GATE_STR("<html")) || gate_str_starts_nocase(text, GATE_STR("<head"));
}

static bool is_json(struct gate_str text) {
    return gate_str_starts(text, GATE_STR("{")) || gate_str_starts(text, GATE_STR("["));
}

/* Return true for a mapping of tuples in Python's marshal format. The high bit of a byte marks references. */
static bool is_pstats(struct gate_str bytes) {
    return bytes.len > 3 && (bytes.ptr[0] & 0x7f) == '{' && (bytes.ptr[1] & 0x7f) == ')' && bytes.ptr[2] == 3;
}

#define OTHER_TEXT                                                                                                     \
    "a text profile of another kind: convert it with 'go tool pprof -proto BINARY FILE > FILE.pb.gz' (BINARY: the "    \
    "program, which has the names)"

#define PERF                                                                                                           \
    "a perf.data file of perf before 3.0: convert it with 'perf script -i FILE > FILE.txt' or "                        \
    "'perf_to_profile -i FILE -o FILE.pb'"

/* A kind of file that has no reader of its own. */
#define ROW(...)                                                                                                       \
    &(const struct gate_reader) {                                                                                      \
        __VA_ARGS__                                                                                                    \
    }

/* In the order of recognition. */
static const struct gate_reader *const readers[] = {
    &gate_refused_binary_reader,
    ROW(.magic = GATE_READER_MAGIC("\177ELF"), .refusal = "an ELF program, not a profile of it"),
    &gate_jfr_reader,
    &gate_perf_data_reader,
    &gate_perf_data_reader_swapped,
    ROW(.magic = GATE_READER_MAGIC("PERFFILE"), .refusal = PERF),
    ROW(.magic = GATE_READER_MAGIC("Nettrace"),
        .refusal = "a .NET trace: convert it with 'dotnet-trace convert --format Speedscope FILE'"),
    ROW(.magic = GATE_READER_MAGIC("go 1."),
        .refusal = "a Go execution trace: extract a profile with 'go tool trace -pprof=TYPE FILE > FILE.pb' "
                   "(TYPE: net, sync, syscall or sched), or record /debug/pprof/profile"),
    ROW(.magic = GATE_READER_MAGIC("HCAT\1"),
        .refusal =
            "samples of CPython as they came: convert them with 'python3.15 -m profiling.sampling replay --gecko -o "
            "FILE.json FILE'"),
    ROW(.sniff = is_pstats,
        .refusal = "pstats of Python (cProfile, profiling.sampling), which has no stacks: record with 'python3.15 -m "
                   "profiling.sampling run --gecko -o FILE.json SCRIPT', or with py-spy"),
    ROW(.magic = GATE_READER_MAGIC("PK\x03\x04"), .refusal = "a zip archive: unpack it first"),
    ROW(.magic = GATE_READER_MAGIC("BZh"), .refusal = "bzip2 data: decompress it first ('bunzip2 FILE')"),
    ROW(.magic = GATE_READER_MAGIC("\3757zXZ"), .refusal = "xz data: decompress it first ('unxz FILE')"),
    ROW(.magic = GATE_READER_MAGIC("\x1f\x8b"), .refusal = "compressed twice: run 'gunzip FILE' once"),
    ROW(.magic = GATE_READER_MAGIC("\x28\xb5\x2f\xfd"), .refusal = "compressed twice: run 'zstd -d FILE' once"),
    &gate_debug_text_reader,
    &gate_jemalloc_reader,
    ROW(.magic = GATE_READER_MAGIC("goroutine "),
        .refusal = "a dump of goroutine stacks (debug=2): fetch /debug/pprof/goroutine without debug=2"),
    ROW(.magic = GATE_READER_MAGIC("--- "), .refusal = OTHER_TEXT),
    ROW(.magic = GATE_READER_MAGIC("PeakRSS"), .refusal = OTHER_TEXT),
    &gate_speedscope_reader,
    &gate_gecko_reader,
    &gate_trace_events_reader,
    &gate_heapsnapshot_reader,
    &gate_heapprofile_reader,
    &gate_flamebearer_reader,
    &gate_cpuprofile_reader,
    &gate_stackprof_reader,
    &gate_dhat_reader,
    &gate_massif_reader,
    &gate_pyinstrument_reader,
    &gate_scalene_reader,
    &gate_austin_reader,
    &gate_bpftrace_reader,
    &gate_dtrace_reader,
    &gate_perf_script_reader,
    &gate_callgrind_reader,
    &gate_collapsed_reader,
    &gate_refused_text_reader,
    ROW(.is_text = true, .sniff = is_html,
        .refusal =
            "an HTML page, not a profile: the address may need a login, or '?debug=0' or '/debug/pprof/profile' in "
            "its path"),
    ROW(.is_text = true, .magic = GATE_READER_MAGIC("<"), .refusal = "XML, not a profile"),
    &gate_otlp_json_reader,
    ROW(.is_text = true, .magic = GATE_READER_MAGIC("{\"type\":\"meta\",\"v\":0,\"run_id\":"),
        .refusal =
            "lines of JSON of CPython: record with 'python3.15 -m profiling.sampling run --gecko -o FILE.json SCRIPT'"),
    ROW(.is_text = true, .sniff = is_json,
        .refusal = "JSON, but neither a .cpuprofile ('nodes', 'samples'), a .heapprofile ('head', 'selfSize'), a "
                   "flamebearer ('flamebearer'), OTLP profiles ('resourceProfiles') nor a speedscope file ('$schema')"),
    &gate_gperftools_reader,
    ROW(.magic = GATE_READER_MAGIC("\x72\x17" GATE_OWN_MARK_SUMMARY),
        .refusal = "a summary of runs; its file name has to end in .pgsum, by which it is recognised"),
    &gate_otlp_reader,
    ROW(.name = "pprof", .format = GATE_FORMAT_PPROF),
};

enum { PPROF_FIELDS = 64 }; /* largest field number accepted for pprof, which has 15 fields today */

enum { READER_COUNT = sizeof readers / sizeof *readers };

static struct gate_str first_line(struct gate_str text) {
    size_t end = gate_str_find(text, GATE_STR("\n"), 0);
    struct gate_str line = gate_str_trim(gate_str_slice(text, 0, end == SIZE_MAX ? text.len : end));
    return gate_str_slice(line, 0, 60);
}

/* Return true if the reader recognises `bytes`. `*refusal` is NULL if they are supported. */
static bool row_is(const char **refusal, const struct gate_reader *row, struct gate_str bytes) {
    *refusal = row->refusal_of != NULL ? row->refusal_of(bytes) : row->refusal;
    if (row->refusal_of != NULL)
        return *refusal != NULL;
    return row->magic.len != 0 ? gate_str_starts(bytes, row->magic) : row->sniff == NULL || row->sniff(bytes);
}

static struct gate_str text_of(struct gate_str bytes) {
    const struct gate_str mark = GATE_STR("\xEF\xBB\xBF"); /* byte order mark, which Windows tools write */
    return gate_str_trim(gate_str_starts(bytes, mark) ? gate_str_slice(bytes, mark.len, bytes.len) : bytes);
}

/**
 * Recognise the format of plain (decompressed) bytes. Unknown binary data is treated as pprof, whose decoder then
 * reports what is wrong.
 *
 * err   GATE_ERR_FORMAT: empty; a known but unsupported format, with the command that converts it; unknown text,
 *       with its first line
 */
static bool format_sniff(enum gate_format *out, struct gate_str bytes, struct gate_error *err) {
    if (bytes.len == 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "the file is empty: was the profile still being written?");
    bool is_text = looks_like_text(bytes);
    struct gate_str text = is_text ? text_of(bytes) : GATE_STR("");
    for (size_t i = 0; i < READER_COUNT; i++) {
        const struct gate_reader *row = readers[i];
        bool is_tried = row->is_text ? is_text : !is_text || row->magic.len != 0;
        const char *refusal = NULL;
        if (!is_tried || !row_is(&refusal, row, row->is_text ? text : bytes))
            continue;
        *out = row->format;
        return refusal == NULL || gate_error_set(err, GATE_ERR_FORMAT, "%s", refusal);
    }
    return gate_error_set(err, GATE_ERR_FORMAT, "text, not a profile; it begins with '%.*s'",
                          GATE_STR_ARG(first_line(text)));
}

/* Return true if `head` may be the start of a pprof file: fields of its message, the last one truncated. */
static bool begins_pprof(struct gate_str head, struct gate_error *err) {
    struct gate_wire wire = gate_wire_of(head);
    struct gate_wire_field field;
    while (gate_wire_next(&wire, &field))
        ;
    /* The rest is one field that continues after the head, such as a long text. */
    uint64_t tag = 0, len = 0;
    size_t at = head.len - gate_wire_left(&wire);
    if (gate_wire_left(&wire) <= 20 ||
        (gate_wire_varint(&wire, &tag) && tag >> 3 != 0 && tag >> 3 <= PPROF_FIELDS && (tag & 7) == GATE_WIRE_BYTES &&
         gate_wire_varint(&wire, &len) && len > gate_wire_left(&wire)))
        return true;
    return gate_error_set(err, GATE_ERR_FORMAT, "not a pprof profile: malformed protobuf at byte %zu", at);
}

/**
 * Return true if plain bytes that start with `head` (at least 64 KiB) may be a profile. Errors are those that
 * format_sniff and the decoder would report for the whole. All JSON passes, as its keys may be in any order.
 */
static bool format_check_head(struct gate_str head, struct gate_error *err) {
    enum gate_format format = GATE_FORMAT_PPROF;
    if (looks_like_text(head) && is_json(text_of(head)))
        return true; /* the keys that identify a JSON format may be at the end */
    if (!format_sniff(&format, head, err))
        return false;
    return format != GATE_FORMAT_PPROF || begins_pprof(head, err);
}

/* Return the row of a supported format; each has one. */
static const struct gate_reader *row_of(enum gate_format format) {
    const struct gate_reader *found = NULL;
    for (size_t i = 0; i < READER_COUNT && found == NULL; i++)
        if (readers[i]->name != NULL && readers[i]->format == format)
            found = readers[i];
    GATE_ASSERT(found != NULL);
    return found;
}

const char *gate_format_name(enum gate_format format) {
    return row_of(format)->name;
}

/* ---- the sampler of a profile, by its format --------------------------------------------------------------------- */

/* Start of a comment that names the format of a profile. `go tool pprof` hides comments that start with '#'. */
#define FROM_FORMAT "# converted by pprofgate from "

bool gate_profile_note_format(struct gate_profile *profile, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_reader *row = row_of(profile->format);
    size_t count = profile->comment_count;
    if (row->preempted_languages == 0)
        return true;
    struct gate_str *comments = GATE_NEW_ARRAY(arena, struct gate_str, count + 1);
    struct gate_str text = gate_str_format(arena, FROM_FORMAT "%s", row->name);
    if (comments == NULL || text.ptr == NULL)
        return gate_arena_error(arena, err);
    if (count > 0)
        memcpy(comments, profile->comments, count * sizeof *comments);
    comments[count] = text;
    profile->comments = comments;
    profile->comment_count++;
    return true;
}

bool gate_profile_is_counted(const struct gate_profile *profile) {
    return gate_profile_has_comment(profile, GATE_STR(GATE_COMMENT_COUNTED));
}

bool gate_profile_counts_preempted(const struct gate_profile *profile, enum gate_language language) {
    const struct gate_str start = GATE_STR(FROM_FORMAT);
    if (gate_profile_is_counted(profile))
        return false;
    if ((row_of(profile->format)->preempted_languages & (1u << language)) != 0)
        return true;
    for (uint32_t c = 0; c < profile->comment_count; c++) {
        if (language == GATE_LANGUAGE_JVM && gate_str_equal(profile->comments[c], GATE_STR(GATE_COMMENT_PREEMPTED)))
            return true;
        if (!gate_str_starts(profile->comments[c], start))
            continue;
        struct gate_str name = gate_str_slice(profile->comments[c], start.len, profile->comments[c].len);
        for (size_t i = 0; i < READER_COUNT; i++)
            if (readers[i]->name != NULL && gate_str_equal(name, gate_str_from(readers[i]->name)) &&
                (readers[i]->preempted_languages & (1u << language)) != 0)
                return true;
    }
    return false;
}

/* ---- loading a profile ------------------------------------------------------------------------------------------- */

enum { PACKED_WORTH_A_LOOK = 4096 }; /* smaller files decompress to at most 4 MiB */

bool gate_reader_convert(struct gate_buf *out, const struct gate_reader *reader, struct gate_str bytes,
                         const struct gate_limits *limits, struct gate_arena *scratch, struct gate_error *err) {
    struct gate_json_tree tree;
    struct gate_builder builder;
    const bool is_json = reader->fill_json != NULL;
    if (is_json && !gate_json_tree_load(&tree, bytes, scratch, err))
        return false;
    gate_builder_init(&builder, scratch, limits);
    builder.stack = gate_arena_alloc(scratch, ((size_t)limits->depth + 1) * sizeof *builder.stack);
    bool ok =
        (builder.stack != NULL || gate_arena_error(scratch, err)) &&
        (is_json ? reader->fill_json(&builder, tree.root, limits, err) : reader->fill(&builder, bytes, limits, err)) &&
        gate_builder_write(out, &builder, err);
    gate_builder_free(&builder);
    if (is_json)
        gate_json_tree_free(&tree, scratch);
    return ok;
}

/* Convert another format to pprof in `arena`. `stored_bytes` is the size of the file as it is stored. */
static bool convert_into(struct gate_str *plain, enum gate_format format, uint64_t stored_bytes,
                         const struct gate_limits *limits, struct gate_arena *arena, struct gate_error *err) {
    struct gate_buf buf = {.pool = arena->pool};
    struct gate_arena scratch;
    struct gate_limits caps = *limits;
    caps.steps = gate_steps_most(&(struct gate_steps){.stored_bytes = stored_bytes}, limits);
    const struct gate_str mark = GATE_STR("\xEF\xBB\xBF"); /* byte order mark, which Windows tools write */
    if (gate_str_starts(*plain, mark))
        *plain = gate_str_slice(*plain, mark.len, plain->len);
    gate_arena_fork(&scratch, arena);
    bool ok = gate_reader_convert(&buf, row_of(format), *plain, &caps, &scratch, err);
    gate_arena_free(&scratch);
    /* The arena counts the bytes from here on. */
    gate_arena_pool_give(buf.pool, buf.capacity);
    buf.pool = NULL;
    if (ok && !gate_arena_adopt(arena, buf.ptr, buf.len))
        ok = gate_arena_error(arena, err);
    if (!ok) {
        gate_buf_free(&buf);
        return false;
    }
    *plain = gate_buf_view(&buf);
    return true;
}

/**
 * Return true if the first decompressed bytes may be those of a profile. The rest is not decompressed. Also returns
 * true for uncompressed bytes and for small files.
 */
/* This rejects a small file that decompresses to gigabytes, if its start is not that of a profile. */
static bool profile_check_head(struct gate_str bytes, struct gate_arena *arena, struct gate_error *err) {
    if (gate_container_sniff(bytes) == GATE_CONTAINER_RAW || bytes.len < PACKED_WORTH_A_LOOK)
        return true;
    char *head = gate_arena_resize(arena, NULL, 0, GATE_INFLATE_HEAD_BYTES);
    if (head == NULL)
        return gate_arena_error(arena, err);
    size_t len = gate_inflate_head(head, GATE_INFLATE_HEAD_BYTES, bytes);
    bool ok = len < GATE_INFLATE_HEAD_BYTES || format_check_head((struct gate_str){head, len}, err);
    (void)gate_arena_resize(arena, head, GATE_INFLATE_HEAD_BYTES, 0);
    return ok;
}

/* Small files are decompressed at once, as checking their start would cost as much. */
static bool profile_inflate(struct gate_str *plain, struct gate_str bytes, const struct gate_limits *limits,
                            struct gate_arena *arena, struct gate_error *err) {
    return gate_inflate_small(plain, bytes, limits->inflated_bytes, arena) ||
           (profile_check_head(bytes, arena, err) && gate_inflate(plain, bytes, limits->inflated_bytes, arena, err));
}

static bool profile_read(struct gate_profile *out, struct gate_str bytes, const struct gate_limits *limits,
                         struct gate_arena *arena, struct gate_error *err) {
    enum gate_format format = GATE_FORMAT_PPROF;
    struct gate_str plain = bytes;
    if (!profile_inflate(&plain, bytes, limits, arena, err) || !format_sniff(&format, plain, err))
        return false;
    if (format != GATE_FORMAT_PPROF && !convert_into(&plain, format, bytes.len, limits, arena, err))
        return false;
    if (!gate_pprof_decode(out, plain, limits, arena, err))
        return false;
    out->container = gate_container_sniff(bytes);
    out->format = format;
    return true;
}

bool gate_profile_load(struct gate_profile *out, struct gate_str bytes, const struct gate_limits *limits,
                       struct gate_arena *arena, struct gate_error *err) {
    struct gate_limits caps = gate_limits_fill(limits);
    struct gate_arena held;
    gate_arena_fork(&held, arena);
    gate_arena_cap(&held, caps.memory_bytes);
    bool ok = profile_read(out, bytes, &caps, &held, err);
    if (ok)
        gate_arena_absorb(arena, &held);
    gate_arena_free(&held);
    return ok;
}

bool gate_profile_load_alone(struct gate_profile *out, struct gate_str bytes, const struct gate_limits *limits,
                             struct gate_arena *arena, struct gate_error *err) {
    struct gate_arena_pool *pool = arena->pool;
    struct gate_limits alone = {0};
    struct gate_steps steps = {0};
    size_t limit_before = pool == NULL ? 0 : pool->limit_bytes;
    if (limits != NULL)
        alone = *limits;
    if (alone.memory_bytes == 0)
        alone.memory_bytes = gate_limits_memory_of(bytes.len);
    if (pool != NULL) {
        size_t most = pool->used_bytes + alone.memory_bytes; /* memory of earlier profiles does not count */
        pool->limit_bytes = limit_before == 0 || most < limit_before ? most : limit_before;
        alone.memory_bytes = most;
    }
    bool ok = gate_profile_load(out, bytes, &alone, arena, err);
    if (pool != NULL)
        pool->limit_bytes = limit_before; /* the next profile may be larger */
    if (!ok)
        return false;
    gate_steps_add(&steps, out, bytes.len);
    return gate_steps_check(&steps, &alone, err);
}

/* ---- files decompressed over themselves -------------------------------------------------------------------------- */

enum { FILE_WORTH_BYTES = 1024 * 1024, TAIL_BYTES = 4 };

/* Return the decompressed size that the file declares; 0: it cannot be decompressed over itself. */
static size_t declared_size(int descriptor, size_t len, const struct gate_limits *limits) {
    uint8_t tail[TAIL_BYTES];
    char head[2];
    if (len < FILE_WORTH_BYTES || len > limits->compressed_bytes ||
        gate_stream_read_at(head, sizeof head, descriptor, 0) != sizeof head ||
        gate_container_sniff((struct gate_str){head, sizeof head}) != GATE_CONTAINER_GZIP ||
        gate_stream_read_at(tail, sizeof tail, descriptor, len - sizeof tail) != sizeof tail)
        return 0;
    size_t size = gate_inflate_stated_size(tail, len, limits->inflated_bytes);
    return size < len ? 0 : size; /* with several members, only the last one's size is declared */
}

/* Read the file. Returns false if its size changed. */
static bool bytes_read(char *to, size_t len, int descriptor) {
    char more;
    return gate_stream_read_at(to, len, descriptor, 0) == len &&
           gate_stream_read_at(&more, sizeof more, descriptor, len) == 0;
}

static bool file_read(struct gate_packed_file *out, int descriptor, const struct gate_limits *limits,
                      struct gate_arena *arena) {
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0)
        return false;
    size_t len = (size_t)status.st_size, size = declared_size(descriptor, len, limits);
    size_t block_size = size + gate_inflate_margin(len);
    uint8_t *block = size == 0 ? NULL : gate_arena_resize(arena, NULL, 0, block_size);
    if (block == NULL)
        return false;
    char *packed = (char *)block + block_size - len;
    *out = (struct gate_packed_file){.packed = {packed, len}, .block = block, .block_size = block_size, .size = size};
    if (bytes_read(packed, len, descriptor))
        return true;
    (void)gate_arena_resize(arena, block, block_size, 0);
    return false;
}

bool gate_packed_file_read(struct gate_packed_file *out, struct gate_str path, const struct gate_limits *limits,
                           struct gate_arena *arena) {
    struct gate_limits caps = gate_limits_fill(limits);
    char name[4096];
    if (path.len == 0 || path.len >= sizeof name || memchr(path.ptr, '\0', path.len) != NULL)
        return false;
    memcpy(name, path.ptr, path.len);
    name[path.len] = '\0';
    /* Do not open a pipe: its writer would see a reader, and fail when it is closed again. */
    struct stat status;
    if (stat(name, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    int descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    bool ok = file_read(out, descriptor, &caps, arena);
    (void)close(descriptor);
    return ok;
}

bool gate_packed_file_load(struct gate_profile *out, struct gate_packed_file *file, const struct gate_limits *limits,
                           struct gate_arena *block_arena, struct gate_arena *arena) {
    struct gate_error ignored = {0};
    if (!profile_check_head(file->packed, arena, &ignored) || !gate_inflate_over(file->block, file->size, file->packed))
        return false;
    uint8_t *fitted = gate_arena_resize(block_arena, file->block, file->block_size, file->size);
    file->block = fitted == NULL ? file->block : fitted;
    struct gate_str plain = {(const char *)file->block, file->size};
    file->packed = GATE_STR("");
    /* Data that is compressed twice must not be accepted here. */
    if (gate_container_sniff(plain) != GATE_CONTAINER_RAW)
        return false;
    if (!gate_profile_load(out, plain, limits, arena, &ignored))
        return false;
    if (out->bytes.ptr == plain.ptr && !gate_own_bytes_note(out, file->block, arena))
        return false;
    out->container = GATE_CONTAINER_GZIP;
    return true;
}
