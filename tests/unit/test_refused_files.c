/* SPDX-License-Identifier: Apache-2.0 */
/* formats/refused_files.c: each file that is not read is refused by its name. The first bytes are those that its
 * producer writes. */
#include "foreign_fixture.h"

#define BYTES(literal)                                                                                                 \
    { literal, sizeof(literal) - 1 }

static const struct {
    struct gate_str bytes;
    const char *part;
} rows[] = {
    {BYTES("memray\0"
           "\0"),
     "a memray capture"},
    {BYTES("\4\"M\x18"
           " "
           "memray"
           "\0"),
     "a memray capture"},
    {BYTES("\4\"M\x18"
           "\0"),
     "lz4 data"},
    {BYTES("\4\b{"
           "\0"),
     "a Ruby Marshal dump"},
    {BYTES("MOJ"
           "\0"),
     "a recording of austin"},
    {BYTES("SIMPLEPERF"
           "\0"),
     "a report of simpleperf"},
    {BYTES("gmon\1"
           "\0"),
     "gmon.out of gprof"},
    {BYTES("\201rforpl\377"
           "\0"),
     "counters of clang for its optimiser"},
    {BYTES("\377lprofr\201"
           "\0"),
     "counters of clang for its optimiser"},
    {BYTES("\377lprofi\201"
           "\0"),
     "counters of clang for its optimiser"},
    {BYTES("adcg"
           "\0"),
     "gcov's coverage data"},
    {BYTES("oncg"
           "\0"),
     "gcov's coverage notes"},
    {BYTES("JAVA PROFILE 1.0.1\0"
           "\0"),
     "a heap dump of the JVM"},
    {BYTES("JAVA PROFILE 1.0.2\0"
           "\0"),
     "a heap dump of the JVM"},
    {BYTES("XXXX"
           "!FastSerialization.1"
           "\0"),
     "a .NET heap dump"},
    {BYTES("\x5e\x97\xca\xfd"
           "\0"),
     "a capture of sysprof"},
    {BYTES("\xfd\xca\x97\x5e"
           "\0"),
     "a capture of sysprof"},
    {BYTES("tlZ\4"
           "\0"),
     "a capture of Tracy"},
    {BYTES("tZst"
           "\0"),
     "a capture of Tracy"},
    {BYTES("tr\375P"
           "\0"),
     "a capture of Tracy"},
    {BYTES("\xc1\xfc\x1f\xc1"
           "\0"),
     "a trace in the Common Trace Format"},
    {BYTES("\xc1\x1f\xfc\xc1"
           "\0"),
     "a trace in the Common Trace Format"},
    {BYTES("\x17\x08\x44tracing"
           "\0"),
     "a trace of trace-cmd"},
    {BYTES("\x10\0\4FxT\x16\0"
           "\0"),
     "a Fuchsia trace"},
    {BYTES("SLOW"
           "\0"),
     "a method trace of Android"},
    {BYTES("hdrbhetb"
           "\0"),
     "an eventlog of GHC"},
    {BYTES("bplist00"
           "\0"),
     "a property list of Apple"},
    {BYTES("SQLite format 3\0"
           "\0"),
     "an SQLite database"},
    {BYTES("\200\3}"
           "\0"),
     "a pickle of Python"},
    {BYTES("\200\3c"
           "\0"),
     "a pickle of Python"},
    {BYTES("\200\4\225"
           "\0"),
     "a pickle of Python"},
    {BYTES("\200\5\225"
           "\0"),
     "a pickle of Python"},
    {BYTES("\xd4\xc3\xb2\xa1"
           "\0"),
     "captured network packets"},
    {BYTES("\211PNG"
           "\0"),
     "a picture"},
    {BYTES("\xca\xfe\xba\xbe"
           "\0"),
     "a Java class or a program of macOS"},
    {BYTES("\xcf\xfa\xed\xfe"
           "\0"),
     "a program of macOS"},
    {BYTES("MZ"
           "\0"),
     "a program of Windows"},
    {BYTES("MDMP"
           "\0"),
     "a minidump of a crash"},
    {BYTES("7z\xbc\xaf\x27\x1c"
           "\0"),
     "a 7-Zip archive"},
    {BYTES("rbspy0"), "a recording of rbspy"},
    {BYTES("<"
           " "
           "memray"),
     "an HTML report of memray"},
    {BYTES("<"
           " "
           "<svg"),
     "a drawn graph"},
    {BYTES("<"
           " "
           "flamegraph"),
     "a drawn flame graph"},
    {BYTES("<"
           " "
           "trace-query-result"),
     "an export of Instruments"},
    {BYTES("{"
           " "
           "\"cost_centres\""),
     "a profile of GHC"},
    {BYTES("{"
           " "
           "\"traces\":[{"),
     "spans of a tracing system"},
    {BYTES("{"
           " "
           "\"resourceSpans\""),
     "spans of OpenTelemetry"},
    {BYTES("{"
           " "
           "\"resourceMetrics\""),
     "metrics of OpenTelemetry"},
    {BYTES("v8-version,"), "a log of node (--prof)"},
    {BYTES("JAVA PROFILE 1.0"), "text of hprof"},
    {BYTES("Full thread dump"), "a thread dump of the JVM"},
    {BYTES("2026-11-25 23:23:59\nFull thread dump"), "a thread dump of the JVM"},
    {BYTES("num     #instances"), "a class histogram of the JVM"},
    {BYTES("2633:\n num     #instances"), "a class histogram of the JVM"},
    {BYTES("meta_info:\n  event_type: cpu"), "a report of simpleperf"},
    {BYTES("sample:\n  event_count: 7"), "a report of simpleperf"},
    {BYTES("Cmdline: /bin/simpleperf record"), "a report of simpleperf"},
    {BYTES("{\"start_call_stack\":"), "a session of pyinstrument"},
    {BYTES("_     ._   __/__   _ _"), "a report of pyinstrument"},
    {BYTES("<html>pyinstrument"), "a report of pyinstrument"},
    {BYTES("{\"data\":[{\"traceID\":"), "spans of a tracing system"},
    {BYTES("{\"batches\":[{\"scopeSpans\":"), "spans of a tracing system"},
    {BYTES("[{\"traceId\":"), "spans of a tracing system"},
    {BYTES("*version"), "a method trace of Android"},
    {BYTES("Flat profile:"), "a report of gprof"},
    {BYTES("# tracer:"), "a trace of ftrace"},
    {BYTES("# To display the perf.data header"), "a report of perf"},
    {BYTES("Analysis of sampling "), "a report of sample (macOS)"},
    {BYTES("Date/Time:"
           " "
           "Data Source:"),
     "a report of spindump (macOS)"},
    {BYTES("desc: "
           " "
           "cache:"),
     "counts of cachegrind"},
    {BYTES("v 1"
           " "
           "\nX "),
     "a recording of heaptrack"},
    {BYTES("JOB \""
           " "
           "SAMPLE_UNIT"),
     "a heap profile of GHC over time"},
    {BYTES("sample.interval="), "Rprof of R"},
    {BYTES("memory profiling: "), "Rprof of R"},
    {BYTES("startup\ttime="), "a causal profile of Coz"},
    {BYTES("file-format: BlackfireProbe"), "a profile of Blackfire"},
    {BYTES("a:"
           " "
           "==>"),
     "a profile of XHProf"},
    {BYTES("TN:"), "coverage of lcov"},
    {BYTES("mode: "
           " "
           ".go:"),
     "coverage of Go"},
    {BYTES("goos: "), "results of Go benchmarks"},
    {BYTES("Timer unit: "), "a report of line_profiler"},
    {BYTES("version https://git-lfs.github.com/spec/v1"), "a pointer of Git LFS"},
    {BYTES("%PDF-"), "a PDF document"},
    {BYTES("-----BEGIN "), "a key or a certificate"},
};

enum { ROWS = sizeof rows / sizeof *rows };

TEST(each_file_is_refused_by_its_name) {
    for (size_t i = 0; i < ROWS; i++) {
        AT_END(gate_buf_free) struct gate_buf file = {0};
        gate_buf_str(&file, rows[i].bytes);
        gate_buf_text(&file, "rest");
        expect_error(gate_buf_view(&file), NULL, GATE_ERR_FORMAT, rows[i].part);
    }
    AT_END(gate_buf_free) struct gate_buf tar = {0};
    gate_buf_repeat(&tar, '\0', 257);
    gate_buf_text(&tar, "ustar");
    expect_error(gate_buf_view(&tar), NULL, GATE_ERR_FORMAT, "a tar archive");
}

/* Each row must have a test, because its message contains a command that must be right. */
TEST(each_row_is_tested) {
    struct gate_str source = read_fixture(GATE_SOURCE_DIR "/gate/formats/refused_files.c", &arena);
    const struct gate_str start = GATE_STR("{.magic = MAGIC(");
    size_t count = 0;
    for (size_t at = 0; (at = gate_str_find(source, start, at)) != SIZE_MAX; at += start.len)
        count++;
    assert_int_equal(count, ROWS + 1); /* the additional one is the tar archive */
}

/* Names of frames may be what another file begins with. */
TEST(stacks_are_not_taken_for_refused_files) {
    expect_stacks(GATE_STR("MZ;f 3\n"), GATE_FORMAT_COLLAPSED, "", "f<MZ 3\n");
    expect_stacks(GATE_STR("SLOW;f 3\n"), GATE_FORMAT_COLLAPSED, "", "f<SLOW 3\n");
    expect_stacks(GATE_STR("goos: linux;f 3\n"), GATE_FORMAT_COLLAPSED, "", "f<goos: linux 3\n");
    refused("{\"cost\":1}", "JSON, but neither");
    refused("a: nothing\n", "text, not a profile");
    refused("<p>", "XML, not a profile");
}
