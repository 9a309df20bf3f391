/* SPDX-License-Identifier: Apache-2.0 */
/* store/record.h: a written record reads back unchanged, the message of a bad one names the mistake, and little
 * memory is an error. */
#include "gate/store/record.h"
#include "sweep.h"
#include "tests/unit/unit.h"

#define DIGEST "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define RUN "{\"object\": \"" DIGEST "\", \"kind\": \"cpu\"}"
#define HEAD "\"schema\": \"pprofgate-baseline/1\", \"service\": \"shop\", \"environment\": \"ci\""
#define WITH(more) "{" HEAD ", \"revision\": \"abc\", \"accepted_ms\": 5, \"facts\": [], \"runs\": [" RUN "]" more "}"

static struct gate_manifest_work by_label[] = {{{"endpoint", 8}, {"/a \"b\"", 6}, 12.5}, {{"endpoint", 8}, {"", 0}, 0}};

static bool fill(struct gate_record *record, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_record_run run = {.object = GATE_STR(DIGEST),
                                        .name = GATE_STR("run-1.pb.gz"),
                                        .kind = GATE_STR("cpu"),
                                        .types = GATE_STR("samples/count cpu/nanoseconds"),
                                        .language = GATE_STR("Go"),
                                        .build_id = GATE_STR("b1"),
                                        .version = GATE_STR("v1.2"),
                                        .source = GATE_STR("http://h:1/"),
                                        .instance = GATE_STR("h:1"),
                                        .period_type = GATE_STR("cpu/nanoseconds"),
                                        .bytes = 7,
                                        .period = 10000000,
                                        .taken_ns = INT64_C(1700000000123456789),
                                        .duration_ns = INT64_C(30000000000),
                                        .samples = 2346,
                                        .work = 39752.5,
                                        .by = by_label,
                                        .by_count = 2};
    const struct gate_record_run bare = {.object = GATE_STR(DIGEST), .kind = GATE_STR("heap")};
    gate_record_begin(record);
    record->service = GATE_STR("späte <Läden>");
    record->environment = GATE_STR("ci");
    record->revision = GATE_STR("abc");
    record->accepted_ms = INT64_C(1790000000123);
    record->verdict = GATE_STR("fail");
    record->reason = GATE_STR("the law\nwants it");
    record->tool = GATE_STR("pprofgate 0.1.0");
    return gate_record_add_fact(record, GATE_STR("go"), GATE_STR("1.25"), arena, err) &&
           gate_record_add_fact(record, GATE_STR("cpus"), GATE_STR("2"), arena, err) &&
           gate_record_add_fact(record, GATE_STR("go"), GATE_STR("1.26"), arena, err) &&
           gate_record_add_run(record, &run, arena, err) && gate_record_add_run(record, &bare, arena, err);
}

TEST(what_is_written_is_read) {
    struct gate_record record, again;
    AT_END(gate_buf_free) struct gate_buf text = {0}, second = {0};
    assert_true(fill(&record, &arena, &err));
    assert_true(gate_record_write(&text, &record));
    assert_true(gate_record_read(&again, gate_buf_view(&text), &arena, &err));
    assert_int_equal(again.fact_count, 2);
    /* the last fact of a name counts */
    assert_true(gate_str_equal(gate_record_fact(&again, "go"), GATE_STR("1.26")));
    assert_int_equal(gate_record_fact(&again, "jdk").len, 0);
    assert_true(gate_record_has_kind(&again, GATE_STR("heap")));
    assert_false(gate_record_has_kind(&again, GATE_STR("mutex")));
    assert_int_equal(again.run_count, 2);
    assert_true(again.runs[0].taken_ns == INT64_C(1700000000123456789) && again.runs[0].work == 39752.5);
    assert_true(again.runs[0].by_count == 2 && again.runs[0].by[0].number == 12.5);
    assert_true(gate_str_equal(again.runs[0].by[0].value, GATE_STR("/a \"b\"")));
    assert_true(gate_str_equal(again.reason, record.reason) && gate_str_equal(again.service, record.service));
    assert_true(gate_record_write(&second, &again));
    assert_true(gate_str_equal(gate_buf_view(&text), gate_buf_view(&second)));
}

TEST(errors_name_the_mistake) {
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "expected a record in JSON"},
        {"{", "in line 1: "},
        {"[]", "expected a map"},
        {"{}", "expected a text in 'schema'"},
        {"{\"schema\": \"pprofgate-baseline/2\"}", "found 'pprofgate-baseline/2'"},
        {WITH(", \"more\": 1"), "the record: unknown key 'more'"},
        {WITH(", \"reason\": 1"), "expected a text in 'reason'"},
        {WITH(", \"service\": \"x\""), "in line 1: duplicate"},
        {"{" HEAD ", \"accepted_ms\": 5, \"facts\": [], \"runs\": [" RUN "]}", "expected a text in 'revision'"},
        {"{" HEAD ", \"revision\": \"-a\", \"accepted_ms\": 5, \"facts\": [], \"runs\": [" RUN "]}",
         "expected a revision"},
        {"{" HEAD ", \"revision\": \"a b\", \"accepted_ms\": 5, \"facts\": [], \"runs\": [" RUN "]}",
         "expected a revision"},
        {"{" HEAD ", \"revision\": \"a\", \"accepted_ms\": -5, \"facts\": [], \"runs\": [" RUN "]}",
         "expected a whole number of zero or more in 'accepted_ms'"},
        {"{" HEAD ", \"revision\": \"a\", \"accepted_ms\": 5, \"facts\": [], \"runs\": []}", "a run or more in 'runs'"},
        {"{" HEAD ", \"revision\": \"a\", \"accepted_ms\": 5, \"facts\": [], \"runs\": 7}", "a list in 'runs'"},
        {"{" HEAD ", \"revision\": \"a\", \"accepted_ms\": 5, \"facts\": 7, \"runs\": [" RUN "]}", "a list in 'facts'"},
        {"{" HEAD ", \"revision\": \"a\", \"accepted_ms\": 5, \"facts\": [{\"key\": \"a\"}, 3], \"runs\": [" RUN "]}",
         "facts: expected a map"},
        {"{" HEAD ", \"revision\": \"a\", \"accepted_ms\": 5, \"facts\": [], \"runs\": [{\"kind\": \"cpu\"}]}",
         "runs[0]: expected a text in 'object'"},
        {"{" HEAD ", \"revision\": \"a\", \"accepted_ms\": 5, \"facts\": [], \"runs\": [{\"kind\": \"cpu\", "
         "\"object\": \"../x\"}]}",
         "runs[0]: expected 64 hexadecimal digits in 'object'"},
        {"{" HEAD ", \"revision\": \"a\", \"accepted_ms\": 5, \"facts\": [], \"runs\": [" RUN ", {\"kind\": \"cpu\", "
         "\"object\": \"" DIGEST "\", \"work\": -1}]}",
         "runs[1]: expected a number of zero or more in 'work'"},
        {"{" HEAD ", \"revision\": \"a\", \"accepted_ms\": 5, \"facts\": [], \"runs\": [{\"kind\": \"cpu\", "
         "\"object\": \"" DIGEST "\", \"work_by\": [{\"label\": \"e\", \"value\": \"v\"}]}]}",
         "expected a number of zero or more in 'work'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_error err = {0};
        struct gate_record record;
        assert_false(gate_record_read(&record, gate_str_from(rows[i].text), &arena, &err));
        assert_int_equal(err.code, GATE_ERR_FORMAT);
        if (strstr(err.message, rows[i].message) == NULL)
            fail_msg("row %zu: expected '%s', found '%s'", i, rows[i].message, err.message);
    }
}

TEST(little_memory_is_an_error) {
    AT_END(gate_buf_free) struct gate_buf text = {0};
    AT_END(gate_arena_free) struct gate_arena whole = {0};
    struct gate_record record;
    assert_true(fill(&record, &whole, &err));
    assert_true(gate_record_write(&text, &record));
    for (struct sweep s = {0}; sweep_next(&s, 7);)
        s.done = gate_record_read(&record, gate_buf_view(&text), &s.arena, &s.err);
}

TEST(names_are_one_line) {
    char longest[GATE_RECORD_NAME_MAX + 1];
    memset(longest, 'a', sizeof longest);
    assert_true(gate_record_check_name("service", GATE_STR("a b/../c"), &err));
    assert_true(gate_record_check_name("service", (struct gate_str){longest, GATE_RECORD_NAME_MAX}, &err));
    assert_false(gate_record_check_name("service", (struct gate_str){longest, sizeof longest}, &err));
    assert_false(gate_record_check_name("service", GATE_STR(""), &err));
    assert_false(gate_record_check_name("service", GATE_STR("a\nb"), &err));
    assert_false(gate_record_check_name("service", GATE_STR("a\0b"), &err));
    assert_true(gate_record_check_name("revision", GATE_STR("HEAD~1"), &err));
    assert_false(gate_record_check_name("revision", GATE_STR("--exec=x"), &err));
    assert_false(gate_record_check_name("revision", GATE_STR("a b"), &err));
    assert_int_equal(err.code, GATE_ERR_USAGE);
}
