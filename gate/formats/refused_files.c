/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of profilers and other tools that are not read: how to recognise each, and what to do instead.
 *
 * The first bytes of each format are those in its writer's source or specification. For the producers that run here,
 * tests/profilers/refused.py lets them write the files.
 */
#include "gate/base/str.h"
#include "gate/formats/reader.h"

/* One kind of file. All texts that are not NULL have to match. No text comes from the input. */
struct refused_row {
    struct gate_str magic; /* the bytes at `offset` */
    size_t offset;
    const char *word;    /* occurs in the first HEAD_BYTES */
    const char *refusal; /* what the file is, and what to do instead */
};

enum { HEAD_BYTES = 4096 };

#define MAGIC(literal)                                                                                                 \
    { literal, sizeof(literal) - 1 }

#define MEMRAY "a memray capture: convert it with 'memray transform speedscope -o FILE.json FILE'"

#define HEAP_DUMP                                                                                                      \
    "a heap dump of the JVM: it has the objects that there are, not the code that allocated them; record a flight "    \
    "recording ('java -XX:StartFlightRecording:filename=FILE.jfr,settings=profile -jar PROGRAM')"

#define TRACY "a capture of Tracy: convert it with 'tracy-csvexport', which has no stacks, or record with 'perf'"

#define SYSPROF "a capture of sysprof: record with perf (--call-graph) instead"

#define LLVM_COUNTERS "counters of clang for its optimiser, which have no stacks: record with perf (--call-graph)"

#define SIMPLEPERF                                                                                                     \
    "a report of simpleperf: give the recording that it was made of (perf.data), with --symbols for names"

#define SPANS "spans of a tracing system (Jaeger, Tempo, Zipkin), not a profile"

#define THREAD_DUMP "a thread dump of the JVM, one moment of it: record a flight recording instead"

#define CLASS_HISTOGRAM                                                                                                \
    "a class histogram of the JVM: it has the objects that there are, not the code that allocated them; record a "     \
    "flight recording ('java -XX:StartFlightRecording:filename=FILE.jfr,settings=profile -jar PROGRAM')"

#define PYINSTRUMENT                                                                                                   \
    "a report of pyinstrument: write JSON with 'pyinstrument -r json -p processor_options.filter_threshold=0 -o "      \
    "FILE.json SCRIPT'"

#define DOTNET_HEAP                                                                                                    \
    "a .NET heap dump (gcdump or a file of PerfView), which has objects and no stacks: record with 'dotnet-trace'"

#define CTF "a trace in the Common Trace Format (LTTng, memtrace): print it with 'babeltrace2', or record with 'perf'"

static const struct refused_row binaries[] = {
    {.magic = MAGIC("memray\0"), .refusal = MEMRAY},
    {.magic = MAGIC("\4\"M\x18"), .word = "memray", .refusal = MEMRAY},
    {.magic = MAGIC("\4\"M\x18"), .refusal = "lz4 data: decompress it first ('lz4 -d FILE')"},
    {.magic = MAGIC("\4\b{"),
     .refusal = "a Ruby Marshal dump, as stackprof writes it: convert it with 'stackprof --json FILE > FILE.json'"},
    {.magic = MAGIC("MOJ"),
     .refusal = "a recording of austin in binary form (MOJO): convert it with 'mojo2austin FILE FILE.austin'"},
    {.magic = MAGIC("SIMPLEPERF"), .refusal = SIMPLEPERF},
    {.magic = MAGIC("gmon\1"),
     .refusal = "gmon.out of gprof, which has callers without stacks: record with perf (--call-graph)"},
    {.magic = MAGIC("\201rforpl\377"), .refusal = LLVM_COUNTERS},
    {.magic = MAGIC("\377lprofr\201"), .refusal = LLVM_COUNTERS},
    {.magic = MAGIC("\377lprofi\201"), .refusal = LLVM_COUNTERS},
    {.magic = MAGIC("adcg"), .refusal = "gcov's coverage data, not a profile of time"},
    {.magic = MAGIC("oncg"), .refusal = "gcov's coverage notes, not a profile of time"},
    {.magic = MAGIC("JAVA PROFILE 1.0.1\0"), .refusal = HEAP_DUMP},
    {.magic = MAGIC("JAVA PROFILE 1.0.2\0"), .refusal = HEAP_DUMP},
    {.magic = MAGIC("!FastSerialization.1"), .offset = 4, .refusal = DOTNET_HEAP},
    {.magic = MAGIC("\x5e\x97\xca\xfd"), .refusal = SYSPROF},
    {.magic = MAGIC("\xfd\xca\x97\x5e"), .refusal = SYSPROF},
    {.magic = MAGIC("tlZ\4"), .refusal = TRACY},
    {.magic = MAGIC("tZst"), .refusal = TRACY},
    {.magic = MAGIC("tr\375P"), .refusal = TRACY},
    {.magic = MAGIC("\xc1\xfc\x1f\xc1"), .refusal = CTF},
    {.magic = MAGIC("\xc1\x1f\xfc\xc1"), .refusal = CTF},
    {.magic = MAGIC("\x17\x08\x44tracing"), .refusal = "a trace of trace-cmd: record samples with perf instead"},
    {.magic = MAGIC("\x10\0\4FxT\x16\0"),
     .refusal = "a Fuchsia trace, as magic-trace writes it: record samples with perf instead"},
    {.magic = MAGIC("SLOW"), .refusal = "a method trace of Android: record with simpleperf instead"},
    {.magic = MAGIC("hdrbhetb"),
     .refusal = "an eventlog of GHC: convert it with 'hs-speedscope FILE' (programs run with '+RTS -p -l-au')"},
    {.magic = MAGIC("bplist00"),
     .refusal = "a property list of Apple, as Instruments writes it: record with samply instead"},
    {.magic = MAGIC("SQLite format 3\0"),
     .refusal = "an SQLite database, as Nsight Systems exports it: record with perf (--call-graph) instead"},
    {.magic = MAGIC("\200\3}"), .refusal = "a pickle of Python: line_profiler's and tracemalloc's have no call stacks"},
    {.magic = MAGIC("\200\3c"), .refusal = "a pickle of Python: line_profiler's and tracemalloc's have no call stacks"},
    {.magic = MAGIC("\200\4\225"),
     .refusal = "a pickle of Python: line_profiler's and tracemalloc's have no call stacks"},
    {.magic = MAGIC("\200\5\225"),
     .refusal = "a pickle of Python: line_profiler's and tracemalloc's have no call stacks"},
    {.magic = MAGIC("\xd4\xc3\xb2\xa1"), .refusal = "captured network packets (pcap), not a profile"},
    {.magic = MAGIC("\211PNG"), .refusal = "a picture (PNG), not a profile"},
    {.magic = MAGIC("\xca\xfe\xba\xbe"), .refusal = "a Java class or a program of macOS, not a profile of it"},
    {.magic = MAGIC("\xcf\xfa\xed\xfe"), .refusal = "a program of macOS, not a profile of it"},
    {.magic = MAGIC("MZ"), .refusal = "a program of Windows, not a profile of it"},
    {.magic = MAGIC("MDMP"), .refusal = "a minidump of a crash, not a profile"},
    {.magic = MAGIC("7z\xbc\xaf\x27\x1c"), .refusal = "a 7-Zip archive: unpack it first"},
    {.magic = MAGIC("ustar"), .offset = 257, .refusal = "a tar archive: unpack it first ('tar xf FILE')"},
};

static const struct refused_row texts[] = {
    {.magic = MAGIC("rbspy0"),
     .refusal = "a recording of rbspy: convert it with 'rbspy report --format collapsed --input FILE --output "
                "FILE.collapsed'"},
    {.magic = MAGIC("<"),
     .word = "memray",
     .refusal = "an HTML report of memray: convert its capture with 'memray transform speedscope -o FILE.json FILE'"},
    {.magic = MAGIC("<"), .word = "pyinstrument", .refusal = PYINSTRUMENT},
    {.magic = MAGIC("<"),
     .word = "<svg",
     .refusal = "a drawn graph (SVG), which has rounded values: give the collapsed stacks that it was made of"},
    {.magic = MAGIC("<"),
     .word = "flamegraph",
     .refusal = "a drawn flame graph (HTML): give the collapsed stacks that it was made of"},
    {.magic = MAGIC("<"),
     .word = "trace-query-result",
     .refusal = "an export of Instruments (XML): record with samply instead"},
    {.magic = MAGIC("{"),
     .word = "\"cost_centres\"",
     .refusal = "a profile of GHC (JSON): run with '+RTS -p -l-au' and convert the eventlog with 'hs-speedscope FILE'"},
    {.magic = MAGIC("{"), .word = "\"traces\":[{", .refusal = SPANS},
    {.magic = MAGIC("{"),
     .word = "\"resourceSpans\"",
     .refusal = "spans of OpenTelemetry (OTLP traces), not profiles ('resourceProfiles')"},
    {.magic = MAGIC("{"), .word = "\"data\":[{\"traceID\"", .refusal = SPANS}, /* Jaeger's API */
    {.magic = MAGIC("{"), .word = "\"scopeSpans\"", .refusal = SPANS},         /* Tempo's API: 'batches' */
    {.magic = MAGIC("["), .word = "\"traceId\"", .refusal = SPANS},            /* Zipkin's API */
    {.magic = MAGIC("{"),
     .word = "\"resourceMetrics\"",
     .refusal = "metrics of OpenTelemetry (OTLP metrics), not profiles ('resourceProfiles')"},
    {.magic = MAGIC("v8-version,"), .refusal = "a log of node (--prof): record with 'node --cpu-prof SCRIPT' instead"},
    {.magic = MAGIC("JAVA PROFILE 1.0"),
     .refusal = "text of hprof: record a flight recording ('java "
                "-XX:StartFlightRecording:filename=FILE.jfr,settings=profile -jar PROGRAM')"},
    {.magic = MAGIC("Full thread dump"), .refusal = THREAD_DUMP},
    {.magic = MAGIC("20"), .word = "\nFull thread dump", .refusal = THREAD_DUMP}, /* jstack writes the date first */
    {.magic = MAGIC("num     #instances"), .refusal = CLASS_HISTOGRAM},
    {.magic = MAGIC(""),
     .word = "\n num     #instances",
     .refusal = CLASS_HISTOGRAM}, /* jcmd writes the process first */
    {.magic = MAGIC("meta_info:"), .word = "\n  event_type:", .refusal = SIMPLEPERF},
    {.magic = MAGIC("sample:"), .word = "\n  event_count:", .refusal = SIMPLEPERF},
    {.magic = MAGIC("Cmdline: "), .word = "simpleperf", .refusal = SIMPLEPERF},
    {.magic = MAGIC("{"),
     .word = "\"start_call_stack\"",
     .refusal = "a session of pyinstrument: convert it with 'pyinstrument --load FILE -r json -o FILE.json'"},
    {.magic = MAGIC("_     ._   __/__"), .refusal = PYINSTRUMENT},
    {.magic = MAGIC("*version"), .refusal = "a method trace of Android: record with simpleperf instead"},
    {.magic = MAGIC("Flat profile:"),
     .refusal = "a report of gprof, which has callers without stacks: record with perf (--call-graph)"},
    {.magic = MAGIC("# tracer:"), .refusal = "a trace of ftrace: record samples with perf instead"},
    {.magic = MAGIC("# To display the perf.data header"),
     .refusal = "a report of perf: convert the recording with 'perf script -i FILE > FILE.txt' instead"},
    {.magic = MAGIC("Analysis of sampling "), .refusal = "a report of sample (macOS): record with samply instead"},
    {.magic = MAGIC("Date/Time:"),
     .word = "Data Source:",
     .refusal = "a report of spindump (macOS): record with samply instead"},
    {.magic = MAGIC("desc: "),
     .word = "cache:",
     .refusal =
         "counts of cachegrind, which have no stacks: run 'valgrind --tool=callgrind --separate-callers=30 PROGRAM'"},
    {.magic = MAGIC("v 1"),
     .word = "\nX ",
     .refusal = "a recording of heaptrack: convert it with 'heaptrack_print -f FILE -F FILE.collapsed'"},
    {.magic = MAGIC("JOB \""),
     .word = "SAMPLE_UNIT",
     .refusal = "a heap profile of GHC over time, which has no stacks: run with '+RTS -p' instead"},
    {.magic = MAGIC("sample.interval="), .refusal = "Rprof of R: convert it with 'proffer::to_pprof(FILE)' in R"},
    {.magic = MAGIC("memory profiling: "), .refusal = "Rprof of R: convert it with 'proffer::to_pprof(FILE)' in R"},
    {.magic = MAGIC("startup\ttime="), .refusal = "a causal profile of Coz, which has experiments and no stacks"},
    {.magic = MAGIC("file-format: BlackfireProbe"),
     .refusal = "a profile of Blackfire: record with Xdebug ('xdebug.mode=profile') or Excimer instead"},
    {.magic = MAGIC("a:"),
     .word = "==>",
     .refusal = "a profile of XHProf, which has pairs of callers and no stacks: record with Excimer instead"},
    {.magic = MAGIC("TN:"), .refusal = "coverage of lcov, not a profile of time"},
    {.magic = MAGIC("mode: "), .word = ".go:", .refusal = "coverage of Go, not a profile of time"},
    {.magic = MAGIC("goos: "), .refusal = "results of Go benchmarks, not a profile: run them with -cpuprofile"},
    {.magic = MAGIC("Timer unit: "), .refusal = "a report of line_profiler, which has no stacks: record with 'py-spy'"},
    {.magic = MAGIC("version https://git-lfs.github.com/spec/v1"),
     .refusal = "a pointer of Git LFS: fetch the file itself with 'git lfs pull'"},
    {.magic = MAGIC("%PDF-"), .refusal = "a PDF document, not a profile"},
    {.magic = MAGIC("-----BEGIN "), .refusal = "a key or a certificate, not a profile"},
};

static bool row_matches(const struct refused_row *row, struct gate_str bytes) {
    if (!gate_str_starts(gate_str_slice(bytes, row->offset, bytes.len), row->magic) || bytes.len < row->offset)
        return false;
    return row->word == NULL ||
           gate_str_find(gate_str_slice(bytes, 0, HEAD_BYTES), gate_str_from(row->word), 0) != SIZE_MAX;
}

static const char *refusal_of(const struct refused_row *rows, size_t count, struct gate_str bytes) {
    for (size_t i = 0; i < count; i++)
        if (row_matches(&rows[i], bytes))
            return rows[i].refusal;
    return NULL;
}

/* Return the refusal for a binary file: what it is, and the command that makes a profile of it. Returns NULL if its
 * first bytes are not known. No supported format begins with these bytes. O(rows). */
static const char *refused_binary(struct gate_str bytes) {
    return refusal_of(binaries, sizeof binaries / sizeof *binaries, bytes);
}

/*
 * The same for text and JSON that no reader recognised. `text` has no byte order mark and no white space before it.
 * O(first 4 KiB).
 */
static const char *refused_text(struct gate_str text) {
    return refusal_of(texts, sizeof texts / sizeof *texts, text);
}

const struct gate_reader gate_refused_binary_reader = {
    .refusal_of = refused_binary,
};

const struct gate_reader gate_refused_text_reader = {
    .is_text = true,
    .refusal_of = refused_text,
};
