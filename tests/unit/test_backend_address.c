/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of profile stores: reading them, refusing bad ones, and showing them without secrets. */
#include "gate/capture/backend.h"
#include "tests/unit/unit.h"

#define CPU "process_cpu:cpu:nanoseconds:cpu:nanoseconds"

/* An address, and either how it is shown for CPU profiles or a part of the error message. */
static const struct {
    const char *text, *shown, *message;
} addresses[] = {
    {"pyroscope+http://h:4040?query={service_name=\"shop\"}",
     "pyroscope+http://h:4040?query=" CPU "{service_name=\"shop\"}", NULL},
    {"pyroscope+https://ada:pa55@h/base/?query={}", "pyroscope+https://h/base?query=" CPU "{}", NULL},
    {"parca+http://h:7070?query={job=\"a\"}", "parca+http://h:7070?query=" CPU ":delta{job=\"a\"}", NULL},
    {"parca+http://h?query=parca_agent:samples:count:cpu:nanoseconds:delta{comm=\"a b\"}",
     "parca+http://h?query=parca_agent:samples:count:cpu:nanoseconds:delta{comm=\"a%20b\"}", NULL},
    {"pyroscope+http://h?query={a=\"x&y\",b=~\"v1.+\"}", "pyroscope+http://h?query=" CPU "{a=\"x%26y\",b=~\"v1.+\"}",
     NULL},
    {"pyroscope+http://h?query=%7Ba%3D%22%2525%23%22%7D", "pyroscope+http://h?query=" CPU "{a=\"%2525%23\"}", NULL},
    {"pyroscope+http://h?query={a=\"\\\"&\"}&max_nodes=9",
     "pyroscope+http://h?query=" CPU "{a=\"\\\"%26\"}&max_nodes=9", NULL},
    {"pyroscope+http://h?from=-1h&to=now&runs=6&query={}", "pyroscope+http://h?query=" CPU "{}", NULL},
    {"pyroscope+http://h", NULL, "selects no profiles"},
    {"pyroscope+http://h?", NULL, "selects no profiles"},
    {"pyroscope+http://h?query=", NULL, "expected labels in braces"},
    {"pyroscope+http://h?query=shop", NULL, "expected labels in braces"},
    {"pyroscope+http://h?query={a=\"b\"", NULL, "expected labels in braces"},
    {"pyroscope+http://h?query=cpu{}", NULL, "expected a type such as process_cpu:"},
    {"pyroscope+http://h?query={}&runs=0", NULL, "a whole number above zero, found '0'"},
    {"pyroscope+http://h?query={}&runs=12345678", NULL, "a whole number"},
    {"pyroscope+http://h?query={}&runs=-1", NULL, "a whole number"},
    {"pyroscope+http://h?query={}&token=secret", NULL, "found another key; a token is sent by --token-env"},
    {"pyroscope+http://h?query={}%", NULL, "without two hexadecimal digits"},
    {"pyroscope+http://h?query={}%2", NULL, "without two hexadecimal digits"},
    {"pyroscope+http://h?query={%0a}", NULL, "a control character"},
    {"pyroscope+http://h?query={\n}", NULL, "a control character"},
    {"pyroscope+http://h/a b?query={}", NULL, "a blank"},
    {"pyroscope+http://?query={}", NULL, "expected a host"},
    {"pyroscope+unix:///run/a.sock?query={}", NULL, "the address of a store"},
    {"pyroscope+ftp://h?query={}", NULL, "the address of a store"},
    {"http://h?query={}", NULL, "the address of a store"},
};

TEST(an_address_that_is_shown_can_be_read_again) {
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        struct gate_error err = {0};
        struct gate_backend_address address, again;
        struct gate_str type = {NULL, 0};
        bool ok = gate_backend_address_read(&address, gate_str_from(addresses[i].text), &arena, &err) &&
                  gate_backend_address_type(&type, &address, GATE_CAPTURE_CPU, &err);
        if (ok != (addresses[i].shown != NULL))
            fail_msg("%s: %s", addresses[i].text, err.message);
        if (ok) {
            struct gate_str shown = gate_backend_address_show(&address, type, NULL, &arena);
            assert_string_equal(shown.ptr, addresses[i].shown);
            assert_true(gate_backend_address_read(&again, shown, &arena, &err)); /* it reads as the same */
            assert_true(gate_str_equal(again.selector, address.selector) && gate_str_equal(again.type, type));
        } else {
            assert_non_null(strstr(err.message, addresses[i].message));
            assert_null(strstr(err.message, "secret"));
        }
    }
}

TEST(the_parts_of_a_query_are_kept) {
    struct gate_backend_address address;
    assert_true(gate_backend_address_read(
        &address, GATE_STR("pyroscope+http://h?query={}&from=-1w-1h&to=now-1w&runs=6&max_nodes=7"), &arena, &err));
    assert_int_equal(address.store, GATE_BACKEND_PYROSCOPE);
    assert_true(gate_str_equal(address.from, GATE_STR("-1w-1h")) && gate_str_equal(address.to, GATE_STR("now-1w")));
    assert_int_equal(address.runs, 6);
    assert_int_equal(address.max_nodes, 7);
    const struct gate_window window = {0, 60000};
    assert_string_equal(gate_backend_address_show(&address, GATE_STR("t"), &window, &arena).ptr,
                        "pyroscope+http://h?query=t{}&max_nodes=7&from=1970-01-01T00:00:00Z&to=1970-01-01T00:01:00Z");
}

TEST(each_kind_has_a_type_in_each_store) {
    struct gate_str type = {NULL, 0};
    for (int kind = 0; kind < GATE_CAPTURE_KINDS; kind++)
        for (int store = GATE_BACKEND_PYROSCOPE; store < GATE_BACKENDS; store++) {
            const struct gate_backend_address address = {.store = (enum gate_backend)store};
            assert_true(gate_backend_address_type(&type, &address, (enum gate_capture_kind)kind, &err));
        }
    /* The last type of the loop was that of GATE_CAPTURE_WALL in Parca. */
    assert_true(gate_str_equal(type, GATE_STR("fgprof:samples:count:wallclock:nanoseconds:delta")));
    const struct gate_backend_address said = {.store = GATE_BACKEND_PARCA, .type = GATE_STR("a:b:c:d:e")};
    assert_true(gate_backend_address_type(&type, &said, GATE_CAPTURE_CPU, &err));
    assert_true(gate_str_equal(type, said.type));
}

/* With growing arena limits, reading and showing an address fails cleanly until it succeeds. */
TEST(a_small_arena_is_an_error) {
    bool ok = false;
    for (size_t limit = 1; !ok; limit += 8) {
        struct gate_arena arena;
        struct gate_error err = {0};
        struct gate_backend_address address;
        gate_arena_init(&arena, limit);
        ok = gate_backend_address_read(&address, GATE_STR("parca+http://h?query={a=\"b\"}&from=-1h"), &arena, &err) &&
             gate_backend_address_show(&address, GATE_STR("t"), NULL, &arena).ptr != NULL;
        assert_true(ok || err.code == GATE_ERR_LIMIT || err.code == GATE_OK);
        gate_arena_free(&arena);
        assert_true(limit < 100000);
    }
}

TEST(labels_give_the_version) {
    static const char *const rows[][2] = {
        {"{service_name=\"shop\",version=\"1.4\"}", "1.4"},
        {"{version=\"1.4\",service_git_ref = \"9f3c1e\"}", "9f3c1e"}, /* the first known key, not the first label */
        {"{build_id=\"a,b\"}", "a,b"},
        {"{my_version=\"1\"}", ""},
        {"{version!=\"1\"}", ""},
        {"{version=~\"1.*\"}", ""},
        {"{note=\"version=\\\"7\\\"\"}", ""},
        {"{version=\"a\\\"b\"}", ""},
        {"{version=\"1", ""},
        {"{version=", ""},
        {"{}", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct gate_backend_address address = {.selector = gate_str_from(rows[i][0])};
        struct gate_str found = gate_backend_address_version(&address);
        if (!gate_str_equal(found, gate_str_from(rows[i][1])))
            fail_msg("%s: found '%.*s'", rows[i][0], GATE_STR_ARG(found));
    }
}
