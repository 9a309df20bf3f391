/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of a metrics endpoint: both text formats, selectors, growth between two readings; queries of Prometheus. */
#include "gate/capture/metrics.h"
#include "tests/unit/unit.h"

#define HEAD "# HELP r_total a \\\"help\\\"\n# TYPE r_total counter\n"

static double sum_of(const struct gate_metrics *metrics) {
    double sum = 0;
    for (uint32_t i = 0; i < metrics->count; i++)
        sum += metrics->series[i].value;
    return sum;
}

/* A selector, a text, and the sum of the selected series. If `message` is not NULL, reading fails with a message that
 * contains it. */
static const struct {
    const char *selector, *text;
    double sum;
    const char *message;
} readings[] = {
    {"r_total", HEAD "r_total 5\n", 5, NULL},
    {"r_total", "r_total{} 5 1700000000000\n\n# a comment\nr_total{a=\"b\",} 1.5e3\r\n", 1505, NULL},
    {"r_total{code=\"200\"}", "r_total{code=\"200\"} 5\nr_total{code=\"500\"} 7\n", 5, NULL},
    {"r_total{code!=\"200\"}", "r_total{code=\"200\"} 5\nr_total{code=\"500\"} 7\nr_total 1\n", 8, NULL},
    {"r_total{code=~\"2..|301\"}", "r_total{code=\"200\"} 5\nr_total{code=\"2000\"} 7\nr_total{code=\"301\"} 1\n", 6,
     NULL},
    {"r_total{ code !~ \"2..\" , x=\"\"}", "r_total{code=\"200\"} 5\nr_total{code=\"500\"} 7\n", 7, NULL},
    {"r_total{p=\"a\\\"\\\\\\n\"}", "r_total{p=\"a\\\"\\\\\\n\"} 4\n", 4, NULL},
    {"r", "# TYPE r counter\nr_total 3\nr_created 1.7e9\n# EOF\n", 3, NULL},
    {"r_total", "r_total{a=\"x\"} 3 1.5 # {trace=\"y\"} 0.5 1.2\n", 3, NULL},
    {"a.b", "{\"a.b\",c=\"d\"} 3\n", 3, NULL},
    {"r_total", "other NaN\nother{a=\"}\"} +Inf\nr_total 2\n", 2, NULL},
    {"r_total", "other 1\n", 0, NULL},
    {"h_count", "# TYPE h histogram\nh_bucket{le=\"+Inf\"} 4\nh_sum 1\nh_count 4\n", 4, NULL},
    {"r_total", "", 0, "the answer is empty"},
    {"r_total", "<html>\n", 0, "line 1 is not a metric"},
    {"r_total", "a 1\nr_total{a=\"b} 1\n", 0, "line 2 is not a metric"},
    {"r_total", "r_total 1 2 3\n", 0, "line 1 is not a metric"},
    {"r_total", "r_total 0x10\n", 0, "line 1 is not a metric"},
    {"r_total", "r_total NaN\n", 0, "is nan"},
    {"r_total", "r_total -1\n", 0, "is -1"},
    {"r_total", "# TYPE r_total gauge\nr_total 1\n", 0, "is a gauge"},
    {"r_total", "\t r_total\t{ a = \"b\" , c=\"\" } \t5\t7 \t\n", 5, NULL},
    {"r_total", "r_total +Inf\n", 0, "is inf"},
    {"r:x_1", "r:x_1 2\n1r 3\n", 0, "line 2 is not a metric"},
    {"r_total", "r_total{a=\"b\" c=\"d\"} 1\n", 0, "line 1 is not a metric"},
    {"r_total", "r_total{a~\"b\"} 1\n", 0, "line 1 is not a metric"},
    {"r_total", "r_total{a=~\"b\"} 1\n", 0, "line 1 is not a metric"},
    {"r_total", "r_total{a!=~\"b\"} 1\n", 0, "line 1 is not a metric"},
    {"r_total", "r_total{a=b} 1\n", 0, "line 1 is not a metric"},
    {"r_total", "r_total{a=\"b\\\"} 1\n", 0, "line 1 is not a metric"},
    {"r_total", "r_total{a=\"b\"\n", 0, "line 1 is not a metric"},
    {"r_total", "r_total{\"a.b\"} 1\n", 0, "line 1 is not a metric"},
    {"r_total", "{} 1\n", 0, "line 1 is not a metric"},
    {"r_total", "r_total{ 1\n", 0, "line 1 is not a metric"},
    {"r_total", "r_total{a=\"b\" 1\n", 0, "line 1 is not a metric"},
    {"r_total", "r_total\n", 0, "line 1 is not a metric"},
    {"r_total", "r_total 1e\n", 0, "line 1 is not a metric"},
    {"r_total", "r_total 00000000000000000000000000000000000000000000000000000000000000000000000000000001\n", 0,
     "line 1 is not a metric"},
    {"r_total", "r_total 1 never\n", 0, "line 1 is not a metric"},
    {"r", "#\n# TYPE\n# TYPE r\nr_total 3", 3, NULL},
    {"h", "# TYPE h summary\nh{quantile=\"0.5\"} 1\n", 0, "such as its 'h_count'"},
};

TEST(counters_are_read) {
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        struct gate_error err = {0};
        struct gate_metrics metrics;
        AT_END(gate_metrics_selector_free) struct gate_metrics_selector selector;
        assert_true(gate_metrics_selector_read(&selector, gate_str_from(readings[i].selector), &arena, &err));
        bool ok = gate_metrics_read(&metrics, gate_str_from(readings[i].text), &selector, GATE_STR(""), &arena, &err);
        if (ok != (readings[i].message == NULL) || (ok && sum_of(&metrics) != readings[i].sum) ||
            (!ok && strstr(err.message, readings[i].message) == NULL))
            fail_msg("%s in %s: %s", readings[i].selector, readings[i].text, err.message);
    }
}

TEST(bad_selectors_are_refused) {
    static const char *const bad[] = {
        "",           "{}",           "a{b}",  "a{b=c}",     "a{b=\"c\"", "a{b=\"c\"}x", "a{b>\"c\"}", "a{b=~\"(\"}",
        "a{b!\"c\"}", "a{b!=~\"c\"}", "a{\"b", "a{\"b\",c}", "a{b=\"\\",  "a{b=\"c\",,}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct gate_error err = {0};
        struct gate_metrics_selector selector;
        if (gate_metrics_selector_read(&selector, gate_str_from(bad[i]), &arena, &err))
            fail_msg("'%s' was taken", bad[i]);
        assert_int_equal(err.code, GATE_ERR_USAGE);
    }
}

/* Texts at the start and end of a run, the work between them, and the work of series e="a". Work -1: the counter was
 * reset, so the process restarted. */
static const struct {
    const char *start, *end;
    double work, of_a;
} growths[] = {
    {"r_total{e=\"a\"} 1\nr_total{e=\"b\"} 2\n", "r_total{e=\"b\"} 12\nr_total{e=\"a\"} 4\n", 13, 3},
    {"r_total{e=\"a\"} 1\n", "r_total{e=\"b\"} 12\nr_total{e=\"a\"} 4\n", 15, 3},
    {"x 1\n", "r_total{e=\"a\"} 4\n", 4, 4},
    {"r_total{e=\"a\"} 4\n", "r_total{e=\"a\"} 4\n", 0, 0},
    {"r_total{e=\"a\"} 4\n", "r_total{e=\"a\"} 3\n", -1, 0},
    {"r_total{e=\"a\"} 4\nr_total{e=\"b\"} 1\n", "r_total{e=\"a\"} 8\n", -1, 0},
    {"r_total{e=\"a\"} 4\nr_total{e=\"b\"} 9\n", "r_total{e=\"a\"} 80\nr_total{e=\"b\"} 8\n", -1, 0},
    {"r_total{e=\"a\"} 4\nprocess_start_time_seconds 1\n", "r_total{e=\"a\"} 8\nprocess_start_time_seconds 2\n", -1, 0},
};

TEST(the_growth_of_a_counter_is_the_work) {
    for (size_t i = 0; i < sizeof growths / sizeof *growths; i++) {
        struct gate_metrics start, end;
        AT_END(gate_metrics_selector_free) struct gate_metrics_selector selector;
        struct gate_manifest_run run = {0};
        enum gate_metrics_growth growth;
        assert_true(gate_metrics_selector_read(&selector, GATE_STR("r_total"), &arena, &err));
        assert_true(gate_metrics_read(&start, gate_str_from(growths[i].start), &selector, GATE_STR("e"), &arena, &err));
        assert_true(gate_metrics_read(&end, gate_str_from(growths[i].end), &selector, GATE_STR("e"), &arena, &err));
        assert_true(gate_metrics_grow(&growth, &run, GATE_STR("e"), &start, &end, &arena, &err));
        assert_int_equal(growth, growths[i].work < 0    ? GATE_METRICS_RESTARTED
                                 : growths[i].work == 0 ? GATE_METRICS_STUCK
                                                        : GATE_METRICS_GREW);
        assert_true(run.work == (growths[i].work < 0 ? 0 : growths[i].work));
        for (uint32_t b = 0; b < run.by_count; b++)
            if (gate_str_equal(run.by[b].value, GATE_STR("a")))
                assert_true(run.by[b].number == growths[i].of_a);
        assert_true((run.by_count > 0) == (growths[i].work > 0));
    }
}

TEST(a_work_query_contains_the_length_of_the_slice) {
    static const struct {
        const char *path, *query;
        struct gate_window window;
        const char *asked, *sent;
    } rows[] = {
        {"", "r[{window}]", {1700000000000, 1700000030000}, "/api/v1/query", "query=r%5B30s%5D&time=1700000030.000"},
        {"/prom/", "a{window}b{window}", {0, 1500}, "/prom/api/v1/query", "query=a1500msb1500ms&time=1.500"},
        {"/api/v1/query", "r", {0, 1000}, "/api/v1/query", "query=r&time=1.000"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct gate_work_query query = {.url = {.path = gate_str_from(rows[i].path)},
                                              .texts = {GATE_STR("other"), gate_str_from(rows[i].query)}};
        struct gate_fetch fetch = {0};
        assert_true(gate_work_query_request(&fetch, &query, GATE_CANARY, &rows[i].window, &arena, &err));
        if (!gate_str_equal(fetch.url.path, gate_str_from(rows[i].asked)) ||
            !gate_str_equal(fetch.sent, gate_str_from(rows[i].sent)))
            fail_msg("row %zu: %.*s %.*s", i, GATE_STR_ARG(fetch.url.path), GATE_STR_ARG(fetch.sent));
    }
}
