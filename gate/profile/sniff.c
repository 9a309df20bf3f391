/* SPDX-License-Identifier: Apache-2.0 */
/* Formats by their first bytes (see sniff.h). */
#include "gate/profile/sniff.h"

#include "gate/profile/foreign.h"
#include "gate/profile/wire.h"

/* Formats that begin with fixed bytes, and what to do with them. Every text is our own wording. */
static const struct {
    struct gate_str magic;
    const char *message;
} foreign[] = {
    {{"\x7f" "ELF", 4}, "an ELF program, not a profile of it"},
    {{"FLR\0", 4}, "a Java Flight Recorder file: convert it with 'jfrconv --pprof FILE.jfr FILE.pb.gz' (async-profiler)"},
    {{"PERFILE2", 8}, "a perf.data file: convert it with 'perf script -i FILE | stackcollapse-perf.pl > FILE.collapsed' or "
                      "'perf_to_profile -i FILE -o FILE.pb'"},
    {{"PERFFILE", 8}, "a perf.data file: convert it with 'perf script -i FILE | stackcollapse-perf.pl > FILE.collapsed' or "
                      "'perf_to_profile -i FILE -o FILE.pb'"},
    {{"Nettrace", 8}, "a .NET trace: convert it with 'dotnet-trace convert --format Speedscope FILE'"},
    {{"go 1.", 5}, "a Go execution trace: extract a profile with 'go tool trace -pprof=TYPE FILE > FILE.pb' "
                   "(TYPE: net, sync, syscall or sched), or record /debug/pprof/profile"},
    {{"PK\x03\x04", 4}, "a zip archive: unpack it first"},
    {{"BZh", 3}, "bzip2 data: decompress it first ('bunzip2 FILE')"},
    {{"\xfd" "7zXZ", 5}, "xz data: decompress it first ('unxz FILE')"},
    {{"\x1f\x8b", 2}, "compressed twice: run 'gunzip' on it once"},
    {{"\x28\xb5\x2f\xfd", 4}, "compressed twice: run 'zstd -d' on it once"},
    {{"heap profile:", 13}, "a text profile (debug=1): convert it with 'go tool pprof -proto FILE > FILE.pb.gz', or fetch it without debug=1"},
    {{"goroutine profile:", 18}, "a text profile (debug=1): convert it with 'go tool pprof -proto FILE > FILE.pb.gz', or fetch it without debug=1"},
    {{"threadcreate profile:", 21}, "a text profile (debug=1): convert it with 'go tool pprof -proto FILE > FILE.pb.gz', or fetch it without debug=1"},
    {{"--- ", 4}, "a text profile (debug=1): convert it with 'go tool pprof -proto FILE > FILE.pb.gz', or fetch it without debug=1"},
    {{"goroutine ", 10}, "a dump of goroutine stacks (debug=2): fetch /debug/pprof/goroutine without debug=2"},
    {{"PeakRSS", 7}, "a text profile: convert it with 'go tool pprof -proto FILE > FILE.pb.gz'"},
};

static bool is_text(struct gate_str bytes) {
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

static struct gate_str first_line(struct gate_str text) {
    size_t end = gate_str_find(text, GATE_STR("\n"), 0);
    struct gate_str line = gate_str_trim(gate_str_slice(text, 0, end == SIZE_MAX ? text.len : end));
    return gate_str_slice(line, 0, 60);
}

static bool text_refused(struct gate_str text, struct gate_error *err) {
    if (starts_nocase(text, "<!doctype html") || starts_nocase(text, "<html") || starts_nocase(text, "<head"))
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "an HTML page, not a profile: the address may need a login, or '?debug=0' or "
                              "'/debug/pprof/profile' in its path");
    if (gate_str_starts(text, GATE_STR("<")))
        return gate_error_set(err, GATE_ERR_FORMAT, "XML, not a profile");
    if (gate_str_starts(text, GATE_STR("{")) || gate_str_starts(text, GATE_STR("[")))
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "JSON, but neither a .cpuprofile ('nodes', 'samples') nor a speedscope file ('$schema')");
    return gate_error_set(err, GATE_ERR_FORMAT, "text, not a profile; it begins with '%.*s'",
                          GATE_STR_ARG(first_line(text)));
}

/* OTLP's first field holds a message whose first field is a message; pprof's holds a ValueType, two plain numbers. */
static bool is_otlp(struct gate_str bytes) {
    struct gate_wire wire = gate_wire_of(bytes);
    struct gate_wire_field field, inner;
    if (!gate_wire_next(&wire, &field) || field.number > 2 || field.type != GATE_WIRE_BYTES)
        return false;
    if (field.bytes.at == field.bytes.end || !gate_wire_next(&field.bytes, &inner))
        return false;
    return field.number == 1 && inner.type == GATE_WIRE_BYTES && inner.number <= 3;
}

/* JSON is told apart by keys that stand near its beginning; V8 writes "nodes" first, speedscope anywhere. */
static bool json_sniff(enum gate_format *out, struct gate_str text) {
    if (text.len == 0 || text.ptr[0] != '{')
        return false;
    bool speedscope = gate_str_find(text, GATE_STR("speedscope.app/file-format-schema"), 0) != SIZE_MAX;
    bool cpuprofile = gate_str_find(text, GATE_STR("\"nodes\""), 0) != SIZE_MAX &&
                      gate_str_find(text, GATE_STR("\"callFrame\""), 0) != SIZE_MAX;
    bool before_2017 = gate_str_find(text, GATE_STR("\"head\""), 0) != SIZE_MAX &&
                       gate_str_find(text, GATE_STR("\"callUID\""), 0) != SIZE_MAX;
    *out = speedscope ? GATE_FORMAT_SPEEDSCOPE : GATE_FORMAT_CPUPROFILE;
    return speedscope || cpuprofile || before_2017;
}

static bool text_sniff(enum gate_format *out, struct gate_str bytes, struct gate_error *err) {
    const struct gate_str mark = GATE_STR("\xEF\xBB\xBF"); /* Windows tools begin a text with it */
    struct gate_str text = gate_str_trim(gate_str_starts(bytes, mark) ? gate_str_slice(bytes, mark.len, bytes.len) : bytes);
    if (json_sniff(out, text))
        return true;
    *out = GATE_FORMAT_COLLAPSED;
    return gate_collapsed_sniff(text) || text_refused(text, err);
}

bool gate_format_sniff(enum gate_format *out, struct gate_str bytes, struct gate_error *err) {
    if (bytes.len == 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "the file is empty: was the profile still being written?");
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (gate_str_starts(bytes, foreign[i].magic))
            return gate_error_set(err, GATE_ERR_FORMAT, "%s", foreign[i].message);
    if (is_text(bytes))
        return text_sniff(out, bytes, err);
    if (gate_gperftools_sniff(bytes)) {
        *out = GATE_FORMAT_GPERFTOOLS;
        return true;
    }
    if (is_otlp(bytes))
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "an OpenTelemetry (OTLP) profile, which is another format: let the collector's pprof exporter "
                              "write it");
    *out = GATE_FORMAT_PPROF;
    return true;
}
