/* SPDX-License-Identifier: Apache-2.0 */
/* Endpoint addresses: reading them, deriving the URL of a kind of profile, and showing them without secrets. */
#include "gate/capture/capture_url.h"
#include "tests/unit/unit.h"

/* An address and a kind, and either the URL that is requested or a part of the error message. */
static const struct {
    const char *text;
    enum gate_capture_kind kind;
    const char *wire, *message;
} asked[] = {
    {"http://h:6060", GATE_CAPTURE_CPU, "http://h:6060/debug/pprof/profile?seconds=7", NULL},
    {"http://h:6060/", GATE_CAPTURE_CPU, "http://h:6060/debug/pprof/profile?seconds=7", NULL},
    {"https://h/app/debug/pprof/", GATE_CAPTURE_MUTEX, "https://h/app/debug/pprof/mutex?seconds=7", NULL},
    {"http://h/debug/pprof", GATE_CAPTURE_HEAP, "http://h/debug/pprof/heap?gc=1", NULL},
    {"http://h/debug/pprof", GATE_CAPTURE_ALLOCS, "http://h/debug/pprof/allocs?seconds=7", NULL},
    {"http://h", GATE_CAPTURE_BLOCK, "http://h/debug/pprof/block?seconds=7", NULL},
    {"http://h", GATE_CAPTURE_GOROUTINE, "http://h/debug/pprof/goroutine", NULL},
    {"http://h/x/debug/pprof", GATE_CAPTURE_WALL, "http://h/x/debug/fgprof?seconds=7", NULL},
    {"http://h?token=a", GATE_CAPTURE_CPU, "http://h/debug/pprof/profile?token=a&seconds=7", NULL},
    {"http://u:p@h:1", GATE_CAPTURE_CPU, "http://h:1/debug/pprof/profile?seconds=7", NULL},
    {"http://[::1]:6060", GATE_CAPTURE_CPU, "http://[::1]:6060/debug/pprof/profile?seconds=7", NULL},
    {"http://h/debug/pprof/profile", GATE_CAPTURE_CPU, "http://h/debug/pprof/profile?seconds=7", NULL},
    {"http://h/debug/pprof/profile?seconds=3", GATE_CAPTURE_CPU, "http://h/debug/pprof/profile?seconds=3", NULL},
    {"http://h/prof/{seconds}", GATE_CAPTURE_CPU, "http://h/prof/7", NULL},
    {"http://h/prof?s={seconds}#x", GATE_CAPTURE_WALL, "http://h/prof?s=7", NULL},
    {"http://h/debug/pprof/heap?gc=1", GATE_CAPTURE_HEAP, "http://h/debug/pprof/heap?gc=1", NULL},
    {"http://h/debug/pprof/heap?a=b", GATE_CAPTURE_HEAP, "http://h/debug/pprof/heap?a=b&gc=1", NULL},
    {"http://h/debug/pprof/heap?gc=0", GATE_CAPTURE_HEAP, "http://h/debug/pprof/heap?gc=0", NULL},
    {"http://h/prof/mine", GATE_CAPTURE_HEAP, "http://h/prof/mine", NULL},
    {"unix:///run/a.sock", GATE_CAPTURE_CPU, "http://localhost/debug/pprof/profile?seconds=7", NULL},
    {"unix:///run/a:b.sock:/x/debug/pprof", GATE_CAPTURE_HEAP, "http://localhost/x/debug/pprof/heap?gc=1", NULL},
    {"http://h/debug/pprof/heap?seconds=3", GATE_CAPTURE_HEAP, NULL, "take the kind 'allocs'"},
    {"http://h/debug/pprof?seconds=3", GATE_CAPTURE_HEAP, NULL, "take the kind 'allocs'"},
    {"http://h/debug/pprof/heap", GATE_CAPTURE_CPU, NULL, "add --kind heap"},
    {"http://h/debug/fgprof", GATE_CAPTURE_CPU, NULL, "add --kind wall"},
    {"h:6060", GATE_CAPTURE_CPU, NULL, "begins with http://"},
    {"file:///etc/passwd", GATE_CAPTURE_CPU, NULL, "begins with http://"},
    {"http://", GATE_CAPTURE_CPU, NULL, "expected a host"},
    {"http://u:p@", GATE_CAPTURE_CPU, NULL, "expected a host"},
    {"http://u:p@/q@h", GATE_CAPTURE_CPU, NULL, "more than one '@'"},
    {"http://h/a b", GATE_CAPTURE_CPU, NULL, "a blank"},
    {"http://h/\r\nX: y", GATE_CAPTURE_CPU, NULL, "a blank"},
    {"unix://run/app.sock", GATE_CAPTURE_CPU, NULL, "absolute path of a socket"},
};

TEST(an_address_is_converted_to_its_kind_or_refused) {
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct gate_error err = {0};
        struct gate_capture_url url, of_kind;
        bool ok = gate_capture_url_read(&url, gate_str_from(asked[i].text), &err) &&
                  gate_capture_url_of_kind(&of_kind, &url, asked[i].kind, 7, &arena, &err);
        if (ok != (asked[i].wire != NULL))
            fail_msg("%s: %s", asked[i].text, err.message);
        if (ok)
            assert_string_equal(gate_capture_url_wire(&of_kind, &arena), asked[i].wire);
        else if (strstr(err.message, asked[i].message) == NULL)
            fail_msg("%s: %s", asked[i].text, err.message);
    }
}

TEST(collecting_address_of_allocs_is_its_heap_with_gc) {
    static const struct {
        const char *text;
        enum gate_capture_kind kind;
        const char *wire; /* NULL: there is no such address */
    } asked[] = {
        {"http://h:1", GATE_CAPTURE_ALLOCS, "http://h:1/debug/pprof/heap?gc=1"},
        {"http://h/x/debug/pprof/allocs/?seconds=3", GATE_CAPTURE_ALLOCS, "http://h/x/debug/pprof/heap?gc=1"},
        {"http://h/debug/pprof/allocs?gc=0", GATE_CAPTURE_ALLOCS, NULL},
        {"http://h/my/allocs", GATE_CAPTURE_ALLOCS, NULL},
        {"http://h", GATE_CAPTURE_HEAP, NULL},
        {"http://h", GATE_CAPTURE_MUTEX, NULL},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct gate_error err = {0};
        struct gate_capture_url url, of_kind, collecting;
        assert_true(gate_capture_url_read(&url, gate_str_from(asked[i].text), &err));
        assert_true(gate_capture_url_of_kind(&of_kind, &url, asked[i].kind, 7, &arena, &err));
        bool has = gate_capture_url_collecting(&collecting, &of_kind, asked[i].kind, &arena);
        assert_int_equal(has, asked[i].wire != NULL);
        if (has)
            assert_string_equal(gate_capture_url_wire(&collecting, &arena), asked[i].wire);
    }
}

TEST(shown_addresses_hide_user_password_and_unknown_keys) {
    static const char *const shown[][2] = {
        {"http://u:secret@h:1/p?seconds=3&token=secret&secret", "http://h:1/p?seconds=3&token=***&***"},
        {"unix:///s:/p?a=secret", "unix:///s:/p?a=***"},
        {"ftp://u:secret@h/p?a=secret", "h/p"},
        {"u:secret@h", "h"},
        {"http://h", "http://h"},
    };
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        assert_string_equal(gate_capture_url_show_text(gate_str_from(shown[i][0]), &arena).ptr, shown[i][1]);
    }
}

TEST(seconds_are_those_of_the_address) {
    struct gate_capture_url url;
    assert_true(gate_capture_url_read(&url, GATE_STR("http://h/p?x=1&seconds=2.5"), &err));
    assert_true(gate_capture_url_seconds(&url, 9) == 2.5);
    assert_true(gate_capture_url_read(&url, GATE_STR("http://h/p?seconds=1e99"), &err));
    assert_true(gate_capture_url_seconds(&url, 9) == 9);
    url = gate_capture_url_metrics(&url);
    assert_true(url.query.len == 0 && gate_str_equal(url.path, GATE_STR("/metrics")));
}
