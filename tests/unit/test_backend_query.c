/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to profile stores, byte by byte, and how their answers are read. */
#include "gate/capture/backend.h"

#include "gate/model/wire.h"
#include "tests/unit/unit.h"

static struct gate_wire_field field_of(struct gate_str message, uint32_t number) {
    struct gate_wire wire = gate_wire_of(message);
    struct gate_wire_field field = {0}, found = {0};
    while (gate_wire_left(&wire) > 0) {
        assert_true(gate_wire_next(&wire, &field));
        found = field.number == number ? field : found;
    }
    return found;
}

static struct gate_str bytes_of(struct gate_str message, uint32_t number) {
    return gate_wire_view(field_of(message, number).bytes);
}

static const struct gate_window window = {1795168800250, 1795168860250};

TEST(a_query_to_pyroscope_requests_pprof) {
    for (int is_older = 0; is_older < 2; is_older++) {
        struct gate_backend_address address;
        struct gate_fetch fetch = {0};
        assert_true(
            gate_backend_address_read(&address, GATE_STR("pyroscope+http://h/p?query={a=\"b\"}"), &arena, &err));
        const struct gate_backend_query query = {&address, GATE_STR("t"), window, is_older == 1};
        assert_true(gate_backend_query_request(&fetch, &query, &arena, &err));
        assert_true(
            gate_str_equal(fetch.url.path, is_older ? GATE_STR("/p/querier.v1.QuerierService/SelectMergeProfile")
                                                    : GATE_STR("/p/querier.v1.QuerierService/SelectMergeStacktraces")));
        assert_true(gate_str_equal(bytes_of(fetch.sent, 1), GATE_STR("t")));
        assert_true(gate_str_equal(bytes_of(fetch.sent, 2), GATE_STR("{a=\"b\"}")));
        assert_int_equal(field_of(fetch.sent, 3).value, 1795168800250);
        assert_int_equal(field_of(fetch.sent, 4).value, 1795168860249); /* its end is inclusive */
        assert_int_equal(field_of(fetch.sent, 6).value, is_older ? 0 : 4);
        assert_string_equal(fetch.headers[0], "Content-Type: application/proto");
    }
}

TEST(a_query_to_parca_is_one_grpc_web_frame) {
    struct gate_backend_address address;
    struct gate_fetch fetch = {0};
    assert_true(gate_backend_address_read(&address, GATE_STR("parca+https://h?query={a=\"b\"}"), &arena, &err));
    const struct gate_backend_query query = {&address, GATE_STR("t"), window, false};
    assert_true(gate_backend_query_request(&fetch, &query, &arena, &err));
    assert_true(fetch.url.is_tls &&
                gate_str_equal(fetch.url.path, GATE_STR("/parca.query.v1alpha1.QueryService/Query")));
    assert_memory_equal(fetch.sent.ptr, "\0\0\0\0", 4);
    assert_int_equal((unsigned char)fetch.sent.ptr[4], fetch.sent.len - 5);
    struct gate_str message = gate_str_slice(fetch.sent, 5, fetch.sent.len), merge = bytes_of(message, 3);
    assert_int_equal(field_of(message, 1).value, 2);
    assert_int_equal(field_of(message, 5).value, 1);
    assert_true(gate_str_equal(bytes_of(merge, 1), GATE_STR("t{a=\"b\"}")));
    assert_int_equal(field_of(bytes_of(merge, 2), 1).value, 1795168800);
    assert_int_equal(field_of(bytes_of(merge, 2), 2).value, 250000000);
    assert_int_equal(field_of(bytes_of(merge, 3), 2).value, 249000000);
}

#define PROFILE "\x12\x02\x10\x05\x32\x00"
/* The answer of Parca 0.20.0 if there are no samples: a gzipped profile that contains only sample types. */
#define PACKED_NOTHING                                                                                                 \
    "\x1f\x8b\x08\0\0\0\0\0\x02\x03\xe3\x62\xe1\x60\x14\x60\x32\x62\x30\x62\x4e\x2e\x28\x35\x62\xca\x2b\x06"           \
    "\0\x50\xdc\x9c\x30\x11\0\0\0"
#define OK_FRAME "\x80\0\0\0\x10grpc-status: 0\r\n"
#define BYTES(literal)                                                                                                 \
    { literal, sizeof(literal) - 1 }

/* The body of an answer, and the expected result: the profile PROFILE, or a part of the error message. */
static const struct {
    char who; /* P: Pyroscope, O: its older method, A: Parca, H: Parca's gRPC headers; as in fuzz_backend_answer.c */
    struct gate_str body;
    enum gate_backend_outcome outcome;
    const char *message; /* NULL: PROFILE is taken */
} answers[] = {
    {'P', BYTES("\x2a\x08\x0a\x06" PROFILE), GATE_BACKEND_CAME, NULL},
    {'P', BYTES("\x22\x01x\x2a\x08\x0a\x06" PROFILE), GATE_BACKEND_CAME, NULL},
    {'P', BYTES(""), GATE_BACKEND_OLDER, "does not support the format"},
    {'P', BYTES("\x0a\x01x"), GATE_BACKEND_OLDER, "does not support the format"},
    {'P', BYTES("\x2a\x00"), GATE_BACKEND_EMPTY, "has no samples"},
    {'P', BYTES("\x2a\x04\x0a\x02\x32\x00"), GATE_BACKEND_EMPTY, "has no samples"},
    {'P', BYTES("\x2a\x09\x0a\x06" PROFILE), GATE_BACKEND_REFUSED, "not an answer of Pyroscope"},
    {'P', BYTES("\x2a\x03\x0a\x06\x12"), GATE_BACKEND_REFUSED, "not an answer of Pyroscope"},
    {'P', BYTES("<html>"), GATE_BACKEND_REFUSED, "not an answer of Pyroscope"},
    {'O', BYTES(PROFILE), GATE_BACKEND_CAME, NULL},
    {'O', BYTES(""), GATE_BACKEND_EMPTY, "has no samples"},
    {'O', BYTES("\x12\x05"), GATE_BACKEND_REFUSED, "not an answer of Pyroscope"},
    {'A', BYTES("\0\0\0\0\x08\x32\x06" PROFILE OK_FRAME), GATE_BACKEND_CAME, NULL},
    {'A', BYTES("\0\0\0\0\0" OK_FRAME), GATE_BACKEND_EMPTY, "has no samples"},
    {'A', BYTES("\0\0\0\0\x27\x32\x25" PACKED_NOTHING OK_FRAME), GATE_BACKEND_EMPTY, "has no samples"},
    {'A', BYTES(OK_FRAME), GATE_BACKEND_REFUSED, "not an answer of Parca"},
    {'A', BYTES(""), GATE_BACKEND_REFUSED, "not an answer of Parca"},
    {'A', BYTES("\0\0\0\0"), GATE_BACKEND_REFUSED, "not an answer of Parca"},
    {'A', BYTES("\0\xff\xff\xff\xff\x32"), GATE_BACKEND_REFUSED, "not an answer of Parca"},
    {'A', BYTES("\x01\0\0\0\x01x" OK_FRAME), GATE_BACKEND_REFUSED, "not an answer of Parca"},
    {'A', BYTES("\0\0\0\0\x08\x32\x06" PROFILE), GATE_BACKEND_REFUSED, "not an answer of Parca"},
    {'A', BYTES("\0\0\0\0\x08\x32\x06" PROFILE "\x80\0\0\0\0"), GATE_BACKEND_REFUSED, "not an answer of Parca"},
    {'A', BYTES("\0\0\0\0\x08\x32\x06" PROFILE OK_FRAME "x"), GATE_BACKEND_REFUSED, "not an answer of Parca"},
    {'A', BYTES("\0\0\0\0\x08\x32\x06" PROFILE "\x80\0\0\0\x10Grpc-Status: 0\r\n"), GATE_BACKEND_CAME, NULL},
    {'A', BYTES("\x80\0\0\0\x11GRPC-STATUS: 14\r\n"), GATE_BACKEND_BUSY, "(gRPC status 14)"},
    {'A', BYTES("\x80\0\0\0\x0fgrpc-status: 5\n"), GATE_BACKEND_EMPTY, "(gRPC status 5)"},
    {'A', BYTES("\x80\0\0\0\x11grpc-status: 14\r\n"), GATE_BACKEND_BUSY, "(gRPC status 14)"},
    {'H', BYTES("grpc-status: 16\r\ngrpc-message: who?\r\n"), GATE_BACKEND_REFUSED, "(gRPC status 16): \"who?\""},
    {'H', BYTES("grpc-message: x\r\ngrpc-status: 8\r\n"), GATE_BACKEND_BUSY, "(gRPC status 8): \"x\""},
    {'H', BYTES("grpc-status: 0\r\n"), GATE_BACKEND_REFUSED, "not an answer of Parca"},
};

TEST(an_answer_is_a_profile_or_an_error_with_a_reason) {
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        const bool is_parca = answers[i].who == 'A' || answers[i].who == 'H';
        const struct gate_backend_address address = {.store = is_parca ? GATE_BACKEND_PARCA : GATE_BACKEND_PYROSCOPE};
        const struct gate_backend_query query = {.address = &address, .is_older = answers[i].who == 'O'};
        struct gate_fetch answer = {.is_well = true, .status = 200};
        struct gate_error err = {0};
        struct gate_str profile = {NULL, 0};
        gate_buf_str(answers[i].who == 'H' ? &answer.grpc_lines : &answer.body, answers[i].body);
        enum gate_backend_outcome outcome = gate_backend_query_answer(&profile, &query, &answer, &err);
        if (outcome != answers[i].outcome)
            fail_msg("answer %zu: outcome %d, %s", i, (int)outcome, err.message);
        if (answers[i].message == NULL)
            assert_true(gate_str_equal(profile, GATE_STR(PROFILE)));
        else if (strstr(err.message, answers[i].message) == NULL)
            fail_msg("answer %zu: %s", i, err.message);
        gate_buf_free(&answer.body);
        gate_buf_free(&answer.grpc_lines);
    }
}

/* A missing method leads to the older one only for Pyroscope, and only if the older one was not already tried. */
TEST(an_unknown_method_leads_to_the_older_one) {
    static const struct {
        enum gate_backend store;
        bool is_older;
        long status;
        enum gate_backend_outcome outcome;
    } rows[] = {
        {GATE_BACKEND_PYROSCOPE, false, 404, GATE_BACKEND_OLDER},
        {GATE_BACKEND_PYROSCOPE, false, 501, GATE_BACKEND_OLDER},
        {GATE_BACKEND_PYROSCOPE, false, 400, GATE_BACKEND_REFUSED},
        {GATE_BACKEND_PYROSCOPE, false, 0, GATE_BACKEND_REFUSED},
        {GATE_BACKEND_PYROSCOPE, true, 404, GATE_BACKEND_REFUSED},
        {GATE_BACKEND_PARCA, false, 404, GATE_BACKEND_REFUSED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct gate_backend_address address = {.store = rows[i].store};
        const struct gate_backend_query query = {.address = &address, .is_older = rows[i].is_older};
        struct gate_fetch answer = {.status = rows[i].status};
        struct gate_error err = {0};
        struct gate_str profile = {NULL, 0};
        (void)gate_error_set(&answer.err, GATE_ERR_INPUT, "HTTP");
        assert_int_equal(gate_backend_query_answer(&profile, &query, &answer, &err), rows[i].outcome);
        assert_string_equal(err.message, "HTTP");
    }
}
