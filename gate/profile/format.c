/* SPDX-License-Identifier: Apache-2.0 */
/* The formats, one row each (see format.h). */
#include "gate/profile/format.h"

#include "gate/profile/callgrind.h"
#include "gate/profile/collapsed.h"
#include "gate/profile/cpuprofile.h"
#include "gate/profile/debug_text.h"
#include "gate/profile/devtools.h"
#include "gate/profile/flamebearer.h"
#include "gate/profile/gecko.h"
#include "gate/profile/gperftools.h"
#include "gate/profile/heapprofile.h"
#include "gate/profile/jemalloc.h"
#include "gate/profile/otlp.h"
#include "gate/profile/otlp_json.h"
#include "gate/profile/perf_script.h"
#include "gate/profile/speedscope.h"
#include "gate/profile/trace_events.h"
#include "gate/profile/wire.h"

/* How a format is known and what becomes of it: `refusal`, or a profile by way of `convert`. Every text is our own
 * wording. */
struct format_row {
    const char *name;                     /* of a format that is read */
    struct gate_str magic;                /* it begins with these bytes, */
    bool (*sniff)(struct gate_str bytes); /* or this knows it; neither: whatever nothing else is */
    bool is_text;                         /* `sniff` sees text, without a byte order mark and white space around it */
    enum gate_format format;
    gate_format_convert *convert; /* NULL: pprof, or refused */
    const char *refusal;          /* what it is, and the command that converts it */
};

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

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool starts_nocase(struct gate_str text, const char *prefix) {
    size_t len = strlen(prefix);
    if (text.len < len)
        return false;
    for (size_t i = 0; i < len; i++)
        if (lower(text.ptr[i]) != prefix[i])
            return false;
    return true;
}

static bool is_html(struct gate_str text) {
    return starts_nocase(text, "<!doctype html") || starts_nocase(text, "<html") || starts_nocase(text, "<head");
}

static bool is_json(struct gate_str text) {
    return gate_str_starts(text, GATE_STR("{")) || gate_str_starts(text, GATE_STR("["));
}

/* A mapping of tuples of three, as Python's marshal writes it; the highest bits say what is referred to later. */
static bool is_pstats(struct gate_str bytes) {
    return bytes.len > 3 && (bytes.ptr[0] & 0x7f) == '{' && (bytes.ptr[1] & 0x7f) == ')' && bytes.ptr[2] == 3;
}

#define MAGIC(literal)                                                                                                 \
    { literal, sizeof(literal) - 1 }
#define OTHER_TEXT                                                                                                     \
    "a text profile of another kind: convert it with 'go tool pprof -proto BINARY FILE > FILE.pb.gz' (BINARY: the "    \
    "program, which has the names)"
#define PERF                                                                                                           \
    "a perf.data file: convert it with 'perf script -i FILE > FILE.txt' or "                                           \
    "'perf_to_profile -i FILE -o FILE.pb'"

/* In the order in which they are tried. */
static const struct format_row rows[] = {
    {.magic = MAGIC("\177ELF"), .refusal = "an ELF program, not a profile of it"},
    {.magic = MAGIC("FLR\0"),
     .refusal = "a Java Flight Recorder file: convert it with 'jfrconv FILE.jfr FILE.pb.gz' (async-profiler)"},
    {.magic = MAGIC("PERFILE2"), .refusal = PERF},
    {.magic = MAGIC("PERFFILE"), .refusal = PERF},
    {.magic = MAGIC("Nettrace"),
     .refusal = "a .NET trace: convert it with 'dotnet-trace convert --format Speedscope FILE'"},
    {.magic = MAGIC("go 1."),
     .refusal = "a Go execution trace: extract a profile with 'go tool trace -pprof=TYPE FILE > FILE.pb' "
                "(TYPE: net, sync, syscall or sched), or record /debug/pprof/profile"},
    {.magic = MAGIC("HCAT\1"),
     .refusal =
         "samples of CPython as they came: convert them with 'python3.15 -m profiling.sampling replay --gecko -o "
         "FILE.json FILE'"},
    {.sniff = is_pstats,
     .refusal = "pstats of Python (cProfile, profiling.sampling), which has no stacks: record with 'python3.15 -m "
                "profiling.sampling run --gecko -o FILE.json SCRIPT', or with py-spy"},
    {.magic = MAGIC("PK\x03\x04"), .refusal = "a zip archive: unpack it first"},
    {.magic = MAGIC("BZh"), .refusal = "bzip2 data: decompress it first ('bunzip2 FILE')"},
    {.magic = MAGIC("\3757zXZ"), .refusal = "xz data: decompress it first ('unxz FILE')"},
    {.magic = MAGIC("\x1f\x8b"), .refusal = "compressed twice: run 'gunzip FILE' once"},
    {.magic = MAGIC("\x28\xb5\x2f\xfd"), .refusal = "compressed twice: run 'zstd -d FILE' once"},
    {.name = "pprof's text form (debug=1)",
     .is_text = true,
     .sniff = gate_debug_text_sniff,
     .format = GATE_FORMAT_DEBUG_TEXT,
     .convert = gate_debug_text_convert},
    {.name = "jemalloc heap_v2",
     .is_text = true,
     .magic = MAGIC("heap_v2/"),
     .format = GATE_FORMAT_JEMALLOC,
     .convert = gate_jemalloc_convert},
    {.magic = MAGIC("goroutine "),
     .refusal = "a dump of goroutine stacks (debug=2): fetch /debug/pprof/goroutine without debug=2"},
    {.magic = MAGIC("--- "), .refusal = OTHER_TEXT},
    {.magic = MAGIC("PeakRSS"), .refusal = OTHER_TEXT},
    {.name = "speedscope JSON",
     .is_text = true,
     .sniff = gate_speedscope_sniff,
     .format = GATE_FORMAT_SPEEDSCOPE,
     .convert = gate_speedscope_convert},
    {.name = "Firefox profiler JSON",
     .is_text = true,
     .sniff = gate_devtools_is_gecko,
     .format = GATE_FORMAT_GECKO,
     .convert = gate_gecko_convert},
    {.name = "Chrome trace",
     .is_text = true,
     .sniff = gate_devtools_is_trace,
     .format = GATE_FORMAT_TRACE_EVENTS,
     .convert = gate_trace_events_convert},
    {.is_text = true,
     .sniff = gate_devtools_is_heapsnapshot,
     .refusal = "a V8 heap snapshot: it has the objects that there are, not the code that allocated them; record a "
                ".heapprofile ('node --heap-prof SCRIPT')"},
    {.name = "V8 .heapprofile",
     .is_text = true,
     .sniff = gate_devtools_is_heapprofile,
     .format = GATE_FORMAT_HEAPPROFILE,
     .convert = gate_heapprofile_convert},
    {.name = "Pyroscope flamebearer JSON",
     .is_text = true,
     .sniff = gate_devtools_is_flamebearer,
     .format = GATE_FORMAT_FLAMEBEARER,
     .convert = gate_flamebearer_convert},
    {.name = "V8 .cpuprofile",
     .is_text = true,
     .sniff = gate_devtools_is_cpuprofile,
     .format = GATE_FORMAT_CPUPROFILE,
     .convert = gate_cpuprofile_convert},
    {.name = "perf script text",
     .is_text = true,
     .sniff = gate_perf_script_sniff,
     .format = GATE_FORMAT_PERF_SCRIPT,
     .convert = gate_perf_script_convert},
    {.name = "callgrind counts",
     .is_text = true,
     .sniff = gate_callgrind_sniff,
     .format = GATE_FORMAT_CALLGRIND,
     .convert = gate_callgrind_convert},
    {.name = "collapsed stacks",
     .is_text = true,
     .sniff = gate_collapsed_sniff,
     .format = GATE_FORMAT_COLLAPSED,
     .convert = gate_collapsed_convert},
    {.is_text = true,
     .sniff = is_html,
     .refusal = "an HTML page, not a profile: the address may need a login, or '?debug=0' or '/debug/pprof/profile' in "
                "its path"},
    {.is_text = true, .magic = MAGIC("<"), .refusal = "XML, not a profile"},
    {.name = "OTLP profiles JSON",
     .is_text = true,
     .sniff = gate_otlp_json_sniff,
     .format = GATE_FORMAT_OTLP_JSON,
     .convert = gate_otlp_json_convert},
    {.is_text = true,
     .magic = MAGIC("{\"type\":\"meta\",\"v\":0,\"run_id\":"),
     .refusal =
         "lines of JSON of CPython: record with 'python3.15 -m profiling.sampling run --gecko -o FILE.json SCRIPT'"},
    {.is_text = true,
     .sniff = is_json,
     .refusal = "JSON, but neither a .cpuprofile ('nodes', 'samples'), a .heapprofile ('head', 'selfSize'), a "
                "flamebearer ('flamebearer'), OTLP profiles ('resourceProfiles') nor a speedscope file ('$schema')"},
    {.name = "gperftools CPU profile",
     .sniff = gate_gperftools_sniff,
     .format = GATE_FORMAT_GPERFTOOLS,
     .convert = gate_gperftools_convert},
    {.name = "OTLP profiles", .sniff = gate_otlp_sniff, .format = GATE_FORMAT_OTLP, .convert = gate_otlp_convert},
    {.name = "pprof", .format = GATE_FORMAT_PPROF},
};
enum { PPROF_FIELDS = 64 }; /* it has 15; what comes may have more */
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static struct gate_str first_line(struct gate_str text) {
    size_t end = gate_str_find(text, GATE_STR("\n"), 0);
    struct gate_str line = gate_str_trim(gate_str_slice(text, 0, end == SIZE_MAX ? text.len : end));
    return gate_str_slice(line, 0, 60);
}

static bool row_is(const struct format_row *row, struct gate_str bytes) {
    return row->magic.len != 0 ? gate_str_starts(bytes, row->magic) : row->sniff == NULL || row->sniff(bytes);
}

static struct gate_str text_of(struct gate_str bytes) {
    const struct gate_str mark = GATE_STR("\xEF\xBB\xBF"); /* Windows tools begin a text with it */
    return gate_str_trim(gate_str_starts(bytes, mark) ? gate_str_slice(bytes, mark.len, bytes.len) : bytes);
}

bool gate_format_sniff(enum gate_format *out, struct gate_str bytes, struct gate_error *err) {
    if (bytes.len == 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "the file is empty: was the profile still being written?");
    bool is_text = looks_like_text(bytes);
    struct gate_str text = is_text ? text_of(bytes) : GATE_STR("");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct format_row *row = &rows[i];
        bool is_tried = row->is_text ? is_text : !is_text || row->magic.len != 0;
        if (!is_tried || !row_is(row, row->is_text ? text : bytes))
            continue;
        *out = row->format;
        return row->refusal == NULL || gate_error_set(err, GATE_ERR_FORMAT, "%s", row->refusal);
    }
    return gate_error_set(err, GATE_ERR_FORMAT, "text, not a profile; it begins with '%.*s'",
                          GATE_STR_ARG(first_line(text)));
}

/* What the beginning of a pprof file can be: fields of its message, the last one cut. */
static bool begins_pprof(struct gate_str head, struct gate_error *err) {
    struct gate_wire wire = gate_wire_of(head);
    struct gate_wire_field field;
    while (gate_wire_next(&wire, &field))
        ;
    /* What is left is one field that goes on behind the head: a long text, or a list of samples in one. */
    uint64_t tag = 0, len = 0;
    size_t at = head.len - gate_wire_left(&wire);
    if (gate_wire_left(&wire) <= 20 ||
        (gate_wire_varint(&wire, &tag) && tag >> 3 != 0 && tag >> 3 <= PPROF_FIELDS && (tag & 7) == GATE_WIRE_BYTES &&
         gate_wire_varint(&wire, &len) && len > gate_wire_left(&wire)))
        return true;
    return gate_error_set(err, GATE_ERR_FORMAT, "not a pprof profile: malformed protobuf at byte %zu", at);
}

bool gate_format_check_head(struct gate_str head, struct gate_error *err) {
    enum gate_format format = GATE_FORMAT_PPROF;
    if (looks_like_text(head) && is_json(text_of(head)))
        return true; /* which JSON may be said at its end */
    if (!gate_format_sniff(&format, head, err))
        return false;
    return format != GATE_FORMAT_PPROF || begins_pprof(head, err);
}

/* The row of a format that is read: there is one for each. */
static const struct format_row *row_of(enum gate_format format) {
    size_t i = 0;
    while (i < ROW_COUNT && (rows[i].name == NULL || rows[i].format != format))
        i++;
    GATE_ASSERT(i < ROW_COUNT);
    return &rows[i];
}

gate_format_convert *gate_format_converter(enum gate_format format) {
    return row_of(format)->convert;
}

const char *gate_format_name(enum gate_format format) {
    return row_of(format)->name;
}
