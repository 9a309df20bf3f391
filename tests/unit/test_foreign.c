/* SPDX-License-Identifier: Apache-2.0 */
/* Formats other than pprof: small files, written here, have the expected stacks and sums. */
#include "foreign_fixture.h"
#include "gate/formats/format.h"
#include "gate/model/effective_samples.h"
#include "gate/model/labels.h"

TEST(collapsed_stacks_are_read) {
    expect_stacks(GATE_STR("main;run;leaf 3\nmain;run 1\n"), GATE_FORMAT_COLLAPSED, "samples/count",
                  "leaf<run<main 3\nrun<main 1\n");
    expect_stacks(GATE_STR("# made by hand\r\n\r\nmain;a b (x.py:3) 3\r\nmain;a b (x.py:3)\t4\r\nalone 2"),
                  GATE_FORMAT_COLLAPSED, "", "a b (x.py)<main 7\nalone 2\n");
    expect_stacks(GATE_STR("\xEF\xBB\xBFmain;leaf 3\n"), GATE_FORMAT_COLLAPSED, "", "leaf<main 3\n");
    expect_stacks(GATE_STR("main;;leaf 3\n;x 1\n"), GATE_FORMAT_COLLAPSED, "", "leaf<<main 3\nx< 1\n");
    expect_stacks(GATE_STR("main; 3\nmain;  4\n; ;x 1\n 5\n"), GATE_FORMAT_COLLAPSED, "",
                  "<main 3\n <main 4\nx< < 1\n5\n");
    /* A script without functions, as py-spy writes it: no stack has two frames. */
    expect_stacks(GATE_STR("<module> (loop.py:3) 3\n 1\n<module> (loop.py:4) 141\n"), GATE_FORMAT_COLLAPSED, "",
                  "<module> (loop.py) 3\n1\n<module> (loop.py) 141\n");
}

/* py-spy writes file and line behind the name. The reader sets both, and keeps the file in the name, because functions
 * of the same name in different files are different functions. */
TEST(frames_of_python_have_a_file_and_a_line) {
    static const struct {
        const char *stack, *name, *file;
        int64_t line;
    } rows[] = {
        {"price (shop/cart.py:30) 2", "price (shop/cart.py)", "shop/cart.py", 30},
        {"Cart.price.<locals>.<lambda> (/srv/my shop (1)/cart.py:7) 2",
         "Cart.price.<locals>.<lambda> (/srv/my shop (1)/cart.py)", "/srv/my shop (1)/cart.py", 7},
        {"fast (cart.pyx:7) 2", "fast (cart.pyx)", "cart.pyx", 7},
        {"price (cart.py) 2", "price (cart.py)", "", 0},
        {"price (cart.py:) 2", "price (cart.py:)", "", 0},
        {"price (cart.rb:30) 2", "price (cart.rb:30)", "", 0},
        {" (cart.py:30) 2", " (cart.py:30)", "", 0},
        {"main [cart.py:30) 2", "main [cart.py:30)", "", 0},
        {"(cart.py:30) 2", "(cart.py:30)", "", 0},
        {"price (:30) 2", "price (:30)", "", 0},
    };
    const struct gate_limits limits = gate_limits_default();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_profile profile;
        struct gate_str text = gate_str_format(&arena, "main;%s\n", rows[i].stack);
        if (!gate_profile_load(&profile, text, &limits, &arena, &err))
            fail_msg("row %zu: %s", i, err.message);
        const struct gate_location leaf = gate_location_at(&profile, 0);
        struct gate_line_walk lines = gate_location_lines(&profile, &leaf);
        struct gate_line line;
        assert_true(gate_line_next(&lines, &line));
        const struct gate_function *function = &profile.functions[line.function];
        if (!gate_str_equal(function->name, gate_str_from(rows[i].name)) ||
            !gate_str_equal(function->file, gate_str_from(rows[i].file)) || line.line != rows[i].line)
            fail_msg("row %zu: %.*s, %.*s, %lld", i, GATE_STR_ARG(function->name), GATE_STR_ARG(function->file),
                     (long long)line.line);
    }
}

TEST(collapsed_errors_name_the_line) {
    AT_END(gate_buf_free) struct gate_buf deep = {0};
    refused(
        "main;a 1\nmain;b 1\nmain;c 1\nmain;c 1\nmain;c 1\nmain;c 1\nmain;c 1\nmain;c 1\nmain;c 1\nmain;c 1\nmain;d\n",
        "line 11: expected 'root;caller;leaf COUNT', found 'main;d'");
    refused("main;a 1\nmain;b\n", "line 2: expected 'root;caller;leaf COUNT', found 'main;b'");
    refused("# by hand\nmain;a 1\nmain;b -3\n", "line 3: expected 'root;caller;leaf COUNT', found 'main;b -3'");
    refused("main;a 1\n\nmain;b 1.5\n", "line 3: the count '1.5' is a fraction");
    refused("main;a 0.25\n", "line 1: the count '0.25' is a fraction");
    refused("main;a 1\n#solve#1;b 1.5\n", "line 2: the count '1.5' is a fraction");
    refused("main;a v1.2.3\n", "text, not a profile");
    refused("moved (by hand) 3\n", "text, not a profile");
    refused("<a (b:1)>c</a> 3\n", "XML, not a profile");
    refused("seen at (12) 3\n", "text, not a profile");
    refused("page(3:12) 3\n", "text, not a profile");
    refused("listening on port 80.5\n", "text, not a profile");
    refused("main;a 1 2\n", "line 1: two counts");
    refused("main;a 99999999999999999999\n", "text, not a profile");
    refused("listening on port 8080\n", "text, not a profile");
    for (int i = 0; i < 20000; i++)
        gate_buf_text(&deep, "f;");
    gate_buf_text(&deep, "leaf 1\n");
    expect_error(gate_buf_view(&deep), NULL, GATE_ERR_LIMIT, "--max-depth");
}

/* pyinstrument leaves out calls of less than 1% of the time. Their time is then that of a call, but in none of the
 * entries beneath it. A profile with a call of less than 1% has them all. */
TEST(a_profile_of_pyinstrument_that_lacks_calls_has_a_comment) {
    static const struct {
        const char *self, *callee;
        bool is_pruned;
    } rows[] = {
        {"0.97", "0.01", true}, {"0.97", "0.0099", false}, {"0.99", "0.01", false}, {"0.989998", "0.01", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_profile profile;
        struct gate_str text = gate_str_format(
            &arena,
            "{\"sample_count\":100,\"root_frame\":{\"function\":\"main\",\"file_path\":\"a.py\",\"line_no\":1,"
            "\"time\":1.0,\"children\":[{\"function\":\"[self]\",\"time\":%s,\"children\":[]},{\"function\":"
            "\"f\",\"file_path\":\"a.py\",\"line_no\":2,\"time\":%s,\"children\":[]}]}}",
            rows[i].self, rows[i].callee);
        if (!gate_profile_load(&profile, text, NULL, &arena, &err))
            fail_msg("%s", err.message);
        assert_int_equal(gate_profile_has_comment(&profile, GATE_STR(GATE_COMMENT_PRUNED)), rows[i].is_pruned);
    }
}

static const char cpuprofile[] =
    "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"url\":\"\",\"lineNumber\":-1},\"children\":[2,"
    "5,6]},"
    "{\"id\":2,\"callFrame\":{\"functionName\":\"main\",\"url\":\"app.js\",\"lineNumber\":0},\"children\":[3]},"
    "{\"id\":3,\"callFrame\":{\"functionName\":\"\",\"url\":\"app.js\",\"lineNumber\":9}},"
    "{\"id\":5,\"callFrame\":{\"functionName\":\"(idle)\",\"url\":\"\",\"lineNumber\":-1}},"
    "{\"id\":6,\"callFrame\":{\"functionName\":\"(garbage collector)\",\"url\":\"\",\"lineNumber\":-1}}],"
    "\"startTime\":1000,\"endTime\":1100,\"samples\":[3,2,5,6,3],\"timeDeltas\":[10,20,30,-5,15]}";

TEST(cpuprofile_samples_last_until_the_next) {
    struct gate_profile profile;
    /* Samples are at 10, 30, 60, 55 and 70 us of 100 us. The one at 55 us is read before the one at 60 us. */
    expect_stacks(gate_str_from(cpuprofile), GATE_FORMAT_CPUPROFILE, "cpu/nanoseconds",
                  "main 25000\nmain.(anonymous)<main 50000\n(garbage collector) 5000\n");
    expect_stacks(gate_str_from(cpuprofile), GATE_FORMAT_CPUPROFILE, "samples/count",
                  "main 1\nmain.(anonymous)<main 2\n(garbage collector) 1\n");
    assert_true(gate_profile_load(&profile, gate_str_from(cpuprofile), NULL, &arena, &err));
    assert_int_equal(profile.duration_ns, 100000);
    assert_int_equal(profile.comment_count, 1);
    assert_true(gate_str_equal(profile.comments[0], GATE_STR("1 idle samples left out")));
    assert_int_equal(profile.functions[1].start_line + profile.functions[0].start_line, 1 + 10);
}

/* A call without a name is called after the nearest caller of its file, through others (map), and not after one of
 * another file or one that is far away. */
/* `count` samples of 1 ms, of "a" and "b" in turn. The eleventh, of "a", lasts 100 ms more, and then (idle) 50 ms. */
static void expect_one_long(int count, const char *wanted) {
    AT_END(gate_buf_free) struct gate_buf text = {0};
    gate_buf_text(&text, "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"a\"}},"
                         "{\"id\":2,\"callFrame\":{\"functionName\":\"b\"}},"
                         "{\"id\":3,\"callFrame\":{\"functionName\":\"(idle)\"}}],\"samples\":[3");
    for (int i = 0; i < count; i++)
        gate_buf_text(&text, i % 2 == 0 ? ",1" : ",2");
    gate_buf_text(&text, "],\"timeDeltas\":[0,50000");
    for (int i = 1; i < count; i++)
        gate_buf_text(&text, i == 11 ? ",101000" : ",1000");
    gate_buf_printf(&text, "],\"startTime\":0,\"endTime\":%d}", 50000 + 100000 + count * 1000);
    expect_stacks(gate_buf_view(&text), GATE_FORMAT_CPUPROFILE, "cpu", wanted);
}

TEST(cpuprofile_leaves_out_time_without_a_processor) {
    expect_one_long(200, "a 100500000\nb 100000000\n"); /* the long one counts as 1.5 ms */
    expect_one_long(98, "a 149000000\nb 49000000\n");   /* too few to tell the interval */
}

TEST(cpuprofile_names_functions_without_a_name) {
    static const char calls[] =
#define CALL(id, name, url, children)                                                                                  \
    "{\"id\":" #id ",\"callFrame\":{\"functionName\":\"" name "\",\"url\":\"" url "\",\"lineNumber\":" #id             \
    "},\"children\":[" children "]}"
        "{\"nodes\":[" CALL(1, "(root)", "", "2,6") "," CALL(2, "find", "a.js", "3") "," CALL(
            3, "map", "",
            "4") "," CALL(4, "", "a.js",
                          "5") "," CALL(5, "", "a.js",
                                        "7") "," CALL(6, "", "a.js",
                                                      "") "," CALL(7, "", "b.js",
                                                                   "") "],\"startTime\":0,\"endTime\":40,\"samples\":["
                                                                       "4,5,6,7],\"timeDeltas\":[10,10,10,10]}";
    expect_stacks(gate_str_from(calls), GATE_FORMAT_CPUPROFILE, "samples/count",
                  "find.(anonymous)<map<find 1\nfind.(anonymous)<find.(anonymous)<map<find 1\n(anonymous) 1\n"
                  "(anonymous)<find.(anonymous)<find.(anonymous)<map<find 1\n");
}

/* What V8 wrote before 2017: nested calls, lines from 1, samples in microseconds, the profile in seconds. */
#define NESTED(end)                                                                                                    \
    "{\"typeId\":\"CPU\",\"head\":{\"id\":7,\"functionName\":\"(root)\",\"url\":\"\",\"lineNumber\":0,\"hitCount\":0," \
    "\"children\":[{\"id\":2,\"functionName\":\"main\",\"url\":\"app.js\",\"lineNumber\":1,\"columnNumber\":1,"        \
    "\"hitCount\":1,\"children\":[{\"id\":9,\"functionName\":\"leaf\",\"url\":\"app.js\",\"lineNumber\":8,"            \
    "\"hitCount\":2,"                                                                                                  \
    "\"children\":[]}]},{\"id\":4,\"functionName\":\"other\",\"url\":\"\",\"hitCount\":1,\"children\":[{\"id\":5,"     \
    "\"functionName\":\"leaf\",\"url\":\"app.js\",\"lineNumber\":8,\"hitCount\":1}]}]},\"startTime\":3,"               \
    "\"endTime\":" end ",\"samples\":[9,5,2,9],\"timestamps\":[3000100,3000400,3000200,3000700]}"

TEST(nested_cpuprofile_has_the_same_stacks) {
    struct gate_profile profile;
    expect_stacks(GATE_STR(NESTED("3.001")), GATE_FORMAT_CPUPROFILE, "samples", "main 1\nleaf<main 2\nleaf<other 1\n");
    expect_stacks(GATE_STR(NESTED("3.001")), GATE_FORMAT_CPUPROFILE, "cpu",
                  "main 200000\nleaf<main 400000\nleaf<other 300000\n");
    /* Whole seconds are rounded, so the last sample has no end. */
    expect_stacks(GATE_STR(NESTED("4")), GATE_FORMAT_CPUPROFILE, "cpu",
                  "main 200000\nleaf<main 100000\nleaf<other 300000\n");
    assert_true(gate_profile_load(&profile, GATE_STR(NESTED("3.001")), NULL, &arena, &err));
    assert_int_equal(profile.duration_ns, 900000);
    assert_int_equal(profile.functions[0].start_line, 1);
    assert_int_equal(profile.functions[1].start_line, 8);
    assert_true(gate_profile_load(&profile, GATE_STR(NESTED("4")), NULL, &arena, &err));
    assert_int_equal(profile.duration_ns, 600000);
    expect_clean_errors_within_memory(GATE_STR(NESTED("4")));
    expect_limit(NESTED("4"), &(struct gate_limits){.depth = 1}, "raise --max-depth");
}

/* v8-profiler writes a 'typeId' and counts lines from 1 in its list of calls, too. */
TEST(lines_count_from_one_with_a_type_id) {
    struct gate_profile profile;
    assert_true(
        gate_profile_load(&profile,
                          GATE_STR("{\"typeId\":\"CPU\",\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"f\","
                                   "\"url\":\"a.js\",\"lineNumber\":7}}],\"samples\":[1],\"timeDeltas\":[1]}"),
                          NULL, &arena, &err));
    assert_int_equal(profile.functions[0].start_line, 7);
}

#define NODE(id, rest) "{\"id\":" #id ",\"callFrame\":{\"functionName\":\"f\"}" rest "}"

/* Traces and heap snapshots of DevTools also contain the keys of a .cpuprofile, in names and sources. */
TEST(files_of_devtools_are_refused_by_name) {
    static const char chunk[] = "\"name\":\"ProfileChunk\",\"ph\":\"P\",\"pid\":7,\"args\":{\"data\":"
                                "{\"cpuProfile\":{\"nodes\":[" NODE(1, "") "]}}}";
    char text[1000];
    snprintf(text, sizeof text, "{\"metadata\":{\"nodes\":1},\"traceEvents\":[{%s}]}", chunk);
    refused(text, "a trace of events");
    snprintf(text, sizeof text, " [\n{%s}]", chunk);
    refused(text, "a trace of events");
    refused("{\"traceEvents\":[]}", "a trace of events");
    refused("{\"snapshot\":{\"meta\":{}},\"nodes\":[1,2],\"strings\":[\"\\\"callFrame\\\"\",\"\\\\\"]}",
            "heap snapshot");
    refused("{\"x\":{\"nodes\":[{\"callFrame\":{}}]}}", "JSON, but neither");
    refused("{\"x\":\"\\\"nodes\\\":\",\"y\":\"nodes\",\"callFrame\":1}", "JSON, but neither");
    refused("{\"callFrame\":\"\\", "JSON, but neither");
    refused("[1,{\"ph\":1}]", "JSON, but neither");
    refused("[\"traceEvents\"]", "JSON, but neither");
}

TEST(cpuprofile_errors_name_the_place) {
    refused("{\"nodes\":[" NODE(1, "") "],\"samples\":[9],\"timeDeltas\":[1]}", "samples[0] is not among the nodes");
    refused("{\"nodes\":[" NODE(1, "") "],\"samples\":[1,1],\"timeDeltas\":[1]}", "found 1 and 2");
    refused("{\"nodes\":[" NODE(1, "") "," NODE(1, "") "],\"samples\":[1],\"timeDeltas\":[1]}",
            "two nodes have the id 1");
    refused("{\"nodes\":[" NODE(1, ",\"children\":[2]") "],\"samples\":[1],\"timeDeltas\":[1]}",
            "child 0 is not among the nodes");
    refused("{\"nodes\":[{\"callFrame\":{}}],\"samples\":[],\"timeDeltas\":[]}", "nodes[0]: expected a number in 'id'");
    refused("{\"nodes\":[{\"id\":1,\"callFrame\":3}]}", "nodes[0]: expected an object in 'callFrame'");
    refused("{\"nodes\":[" NODE(1, "") "", "malformed JSON at line 1");
    refused("{\"head\":{\"functionName\":\"(root)\",\"hitCount\":1}}", "nodes[0]: expected a number in 'id'");
    refused("{\"head\":{\"id\":1,\"hitCount\":1,\"children\":[3]}}", "nodes[1]: expected a number in 'id'");
    refused("{\"head\":{\"id\":1,\"hitCount\":1,\"children\":[{\"id\":1}]}}", "two nodes have the id 1");
    refused("{\"head\":{\"id\":1,\"hitCount\":1},\"samples\":[1],\"timestamps\":[1,2]}",
            "expected as many 'timestamps' as 'samples', found 2 and 1");
    refused("{\"head\":{\"id\":1,\"hitCount\":1},\"samples\":[1,1],\"timestamps\":[1,1e16]}",
            "timestamps[1] is out of range");
    refused("{\"head\":{\"id\":1,\"hitCount\":1},\"samples\":[1]}", "expected as many 'timeDeltas' as 'samples'");
    refused("{\"nodes\":[3],\"x\":[{\"callFrame\":1}]}", "nodes[0]");
    expect_error(GATE_STR("{\"nodes\":[" NODE(1, ",\"children\":[2]") "," NODE(
                     2, ",\"children\":[1]") "],\"samples\":[1],\"timeDeltas\":[1]}"),
                 NULL, GATE_ERR_LIMIT, "its own ancestor");
}

#define SPEEDSCOPE(profiles)                                                                                           \
    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{\"frames\":[{\"name\":\"main\","  \
    "\"file\":\"a.c\",\"line\":3},{\"name\":\"leaf\"}]},\"profiles\":[" profiles "]}"
#define SAMPLED(rest) "{\"type\":\"sampled\",\"name\":\"t\",\"startValue\":0,\"endValue\":9," rest "}"
#define EVENTED(events)                                                                                                \
    "{\"type\":\"evented\",\"name\":\"t\",\"unit\":\"milliseconds\",\"startValue\":0,\"endValue\":9,\"events\":"       \
    "[" events "]}"

TEST(speedscope_profiles_are_added_up) {
    static const char sampled[] =
        SPEEDSCOPE(SAMPLED("\"unit\":\"microseconds\",\"samples\":[[0,1],[0],[]],\"weights\":[2,1.5,1]") "," SAMPLED(
            "\"unit\":\"microseconds\",\"samples\":[[0,1]],\"weights\":[4]"));
    static const char counted[] = SPEEDSCOPE(SAMPLED("\"unit\":\"none\",\"samples\":[[0,1],[0]],\"weights\":[2,1]"));
    expect_stacks(gate_str_from(sampled), GATE_FORMAT_SPEEDSCOPE, "wall", "leaf<main 6000\nmain 1500\n1000\n");
    expect_stacks(gate_str_from(sampled), GATE_FORMAT_SPEEDSCOPE, "samples", "leaf<main 2\nmain 1\n1\n");
    expect_stacks(gate_str_from(counted), GATE_FORMAT_SPEEDSCOPE, "samples", "leaf<main 2\nmain 1\n");
}

/* memray writes the bytes and the allocations of each stack as two profiles. */
TEST(speedscope_bytes_beside_numbers_are_a_heap) {
    static const char heap[] =
        SPEEDSCOPE(SAMPLED("\"unit\":\"bytes\",\"samples\":[[0,1],[0]],\"weights\":[200,50]") "," SAMPLED(
            "\"unit\":\"none\",\"samples\":[[0,1],[0]],\"weights\":[4,1]"));
    expect_stacks(gate_str_from(heap), GATE_FORMAT_SPEEDSCOPE, "", "leaf<main 200\nmain 50\n");
    expect_stacks(gate_str_from(heap), GATE_FORMAT_SPEEDSCOPE, "objects", "leaf<main 4\nmain 1\n");
    refused(SPEEDSCOPE(SAMPLED("\"unit\":\"bytes\",\"samples\":[],\"weights\":[]") "," SAMPLED(
                "\"unit\":\"none\",\"samples\":[],\"weights\":[]") "," EVENTED("")),
            "profiles[1] is in 'none'");
}

#define HEAP_BY(exporter)                                                                                              \
    "{\"exporter\":\"" exporter "\",\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{"   \
    "\"frames\":[{\"name\":\"main\"}]},\"profiles\":[" SAMPLED(                                                        \
        "\"unit\":\"bytes\",\"samples\":[[0]],\"weights\":[200]") "," SAMPLED("\"unit\":\"none\",\"samples\":[[0]],"   \
                                                                              "\"weights\":[1]") "]}"

TEST(only_the_bytes_of_memray_are_exact) {
    static const struct {
        const char *text;
        bool is_exact;
    } rows[] = {{HEAP_BY("memray@1.20.0"), true}, {HEAP_BY("heapview@2"), false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_profile profile;
        assert_true(gate_profile_load(&profile, gate_str_from(rows[i].text), NULL, &arena, &err));
        assert_int_equal(gate_counts_are_exact(&profile), rows[i].is_exact);
    }
}

TEST(speedscope_events_become_self_times) {
    static const char evented[] =
        SPEEDSCOPE(EVENTED("{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"O\",\"frame\":1,\"at\":1},"
                           "{\"type\":\"C\",\"frame\":1,\"at\":4},{\"type\":\"C\",\"frame\":0,\"at\":6},"
                           "{\"type\":\"O\",\"frame\":1,\"at\":7}"));
    expect_stacks(gate_str_from(evented), GATE_FORMAT_SPEEDSCOPE, "",
                  "main 3000000\nleaf<main 3000000\nleaf 2000000\n");
}

TEST(speedscope_errors_name_the_place) {
    refused(SPEEDSCOPE(""), "expected a list in 'profiles'");
    refused(SPEEDSCOPE(SAMPLED("\"unit\":\"parsecs\",\"samples\":[],\"weights\":[]")), "unknown unit 'parsecs'");
    refused(SPEEDSCOPE(SAMPLED("\"unit\":\"none\",\"samples\":[[0]],\"weights\":[]")), "found 0 and 1");
    refused(SPEEDSCOPE(SAMPLED("\"unit\":\"none\",\"samples\":[[7]],\"weights\":[1]")),
            "samples[0][0] is not in 'shared.frames'");
    refused(SPEEDSCOPE(SAMPLED("\"unit\":\"none\",\"samples\":[[0]],\"weights\":[\"x\"]")), "a list and a weight");
    refused(SPEEDSCOPE("{\"type\":\"odd\",\"unit\":\"none\"}"), "found 'odd'");
    refused(SPEEDSCOPE(SAMPLED("\"unit\":\"none\",\"samples\":[],\"weights\":[]") "," EVENTED("")),
            "profiles[1] is in 'milliseconds'");
    refused(SPEEDSCOPE(EVENTED("{\"type\":\"C\",\"frame\":0,\"at\":0}")), "profiles[0].events[0]: it closes");
    refused(SPEEDSCOPE(EVENTED("{\"type\":\"O\",\"frame\":0,\"at\":3},{\"type\":\"C\",\"frame\":0,\"at\":1}")),
            "does not go back");
}

static void put_word(struct gate_buf *out, uint64_t value, size_t size, bool big) {
    for (size_t i = 0; i < size; i++)
        gate_buf_char(out, (char)(value >> 8 * (big ? size - 1 - i : i)));
}

static void put_words(struct gate_buf *out, size_t size, bool big, const uint64_t *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        put_word(out, words[i], size, big);
}

static const uint64_t gperftools_words[] = {0,        3,        0,
                                            10000,    0, /* header: a sample every 10 ms */
                                            2,        2,        0x401000,
                                            0x402001,                     /* count 2: leaf, caller */
                                            1,        1,        0x401010, /* count 1: a leaf alone */
                                            5,        3,        0x401000,
                                            0x401000, 0x402001, /* count 5: the leaf twice, once as a return address */
                                            1,        2,        0x7f0000000010 & 0xffffffff,
                                            0x402001, /* count 1: outside of every mapping */
                                            0,        1,        0};

TEST(gperftools_is_read_in_every_word_size_and_order) {
    static const char maps[] = "00400000-00410000 r-xp 00000000 08:01 99   /usr/bin/app server\n"
                               "00410000-00420000 rw-p 00010000 08:01 99   /usr/bin/app server\n";
    for (int layout = 0; layout < 4; layout++) {
        AT_END(gate_buf_free) struct gate_buf bytes = {0};
        put_words(&bytes, layout < 2 ? 8 : 4, layout % 2 == 1, gperftools_words, sizeof gperftools_words / 8);
        gate_buf_text(&bytes, maps);
        expect_stacks(gate_buf_view(&bytes), GATE_FORMAT_GPERFTOOLS, "cpu",
                      "0x401000<0x402000 70000000\n0x401010 10000000\n0x10<0x402000 10000000\n");
        struct gate_profile profile;
        assert_true(gate_profile_load(&profile, gate_buf_view(&bytes), NULL, &arena, &err));
        assert_int_equal(profile.period, 10000000);
        assert_int_equal(profile.mapping_count, 1);
        assert_true(gate_str_equal(profile.mappings[0].file, GATE_STR("/usr/bin/app server")));
    }
}

TEST(gperftools_drops_the_frame_of_the_signal_handler) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    static const uint64_t words[] = {0, 3, 0, 10000, 0, 1, 3, 0x10, 0x501, 0x21, 1, 3, 0x11, 0x501, 0x21, 0, 1, 0};
    put_words(&bytes, 8, false, words, sizeof words / 8);
    /* 0x500 is second in every stack, so it is removed. Then 0x20 is second in every stack and removed too:
     * google/pprof also does two rounds. */
    expect_stacks(gate_buf_view(&bytes), GATE_FORMAT_GPERFTOOLS, "samples", "0x10 1\n0x11 1\n");
}

TEST(gperftools_cut_stacks_are_reported) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    put_words(&bytes, 8, false, gperftools_words, sizeof gperftools_words / 8);
    for (size_t len = 40; len < bytes.len; len += 8)
        expect_error(gate_str_slice(gate_buf_view(&bytes), 0, len), NULL, GATE_ERR_FORMAT, "is truncated");
    bytes.ptr[16] = 1;
    expect_error(gate_buf_view(&bytes), NULL, GATE_ERR_FORMAT, "Java");
}

TEST(every_format_has_one_row) {
    for (int format = GATE_FORMAT_PPROF; format < GATE_FORMATS; format++)
        assert_true(strlen(gate_format_name((enum gate_format)format)) > 0);
}
