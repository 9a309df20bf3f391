/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as the answer of a profile store or Prometheus. The first byte selects the reader: P and O are
 * Pyroscope's methods, A is Parca, H is Parca with the bytes in the response headers, W is Prometheus's answer to a
 * work query, U the address of a store and T a time window. */
#include "fuzz.h"

#include "gate/capture/backend.h"
#include "gate/capture/metrics.h"

static void fuzz_answer(char who, struct gate_str bytes) {
    const bool is_parca = who == 'A' || who == 'H';
    const struct gate_backend_address address = {.store = is_parca ? GATE_BACKEND_PARCA : GATE_BACKEND_PYROSCOPE};
    const struct gate_backend_query query = {.address = &address, .is_older = who == 'O'};
    struct gate_fetch answer = {.is_well = true, .status = 200};
    struct gate_error err = {0};
    struct gate_str profile = {NULL, 0};
    gate_buf_str(who == 'H' ? &answer.grpc_lines : &answer.body, bytes);
    enum gate_backend_outcome outcome = gate_backend_query_answer(&profile, &query, &answer, &err);
    FUZZ_CHECK(outcome == GATE_BACKEND_CAME || err.message[0] != '\0');
    FUZZ_CHECK(outcome != GATE_BACKEND_OLDER || (!is_parca && !query.is_older));
    if (outcome == GATE_BACKEND_CAME) { /* the profile is a view into the answer */
        FUZZ_CHECK(profile.len > 0 && profile.ptr >= answer.body.ptr &&
                   profile.ptr + profile.len <= answer.body.ptr + answer.body.len);
    }
    gate_buf_free(&answer.body);
    gate_buf_free(&answer.grpc_lines);
}

static void fuzz_work(struct gate_str bytes, struct gate_arena *arena) {
    struct gate_manifest_run run = {0};
    struct gate_error err = {0};
    if (gate_work_query_read(&run, bytes, GATE_STR("e"), arena, &err))
        FUZZ_CHECK(run.work > 0);
    else
        FUZZ_CHECK(err.message[0] != '\0' && run.work == 0 && run.by_count == 0);
}

static void fuzz_address(struct gate_str bytes, struct gate_arena *arena) {
    struct gate_backend_address address, again;
    struct gate_error err = {0};
    if (!gate_backend_address_read(&address, bytes, arena, &err)) {
        FUZZ_CHECK(err.message[0] != '\0');
        return;
    }
    struct gate_str shown = gate_backend_address_show(&address, address.type, NULL, arena);
    if (shown.ptr == NULL)
        return;
    FUZZ_CHECK(gate_backend_address_read(&again, shown, arena, &err) || err.code == GATE_ERR_LIMIT);
    FUZZ_CHECK(err.code != GATE_OK || gate_str_equal(again.selector, address.selector));
}

static void fuzz_window(struct gate_str bytes, struct gate_arena *arena) {
    static const int64_t now_ms = INT64_C(1795329000000);
    struct gate_window window, again;
    struct gate_error err = {0};
    if (!gate_window_read(&window, bytes, now_ms, &err)) {
        FUZZ_CHECK(err.message[0] != '\0');
        return;
    }
    FUZZ_CHECK(window.from_ms >= 0 && window.from_ms < window.to_ms && window.to_ms <= now_ms);
    struct gate_str from = gate_window_show(window.from_ms, arena), to = gate_window_show(window.to_ms, arena);
    struct gate_str text = gate_str_format(arena, "%.*s..%.*s", GATE_STR_ARG(from), GATE_STR_ARG(to));
    FUZZ_CHECK(text.ptr == NULL || (gate_window_read(&again, text, now_ms, &err) && again.from_ms == window.from_ms &&
                                    again.to_ms == window.to_ms));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct gate_str text = fuzz_view(bytes, len), rest = gate_str_slice(text, 1, text.len);
    struct gate_arena arena;
    if (len == 0)
        return 0;
    gate_arena_init(&arena, fuzz_limits.memory_bytes);
    if (text.ptr[0] == 'W')
        fuzz_work(rest, &arena);
    else if (text.ptr[0] == 'U')
        fuzz_address(rest, &arena);
    else if (text.ptr[0] == 'T')
        fuzz_window(rest, &arena);
    else
        fuzz_answer(text.ptr[0], rest);
    gate_arena_free(&arena);
    return 0;
}
