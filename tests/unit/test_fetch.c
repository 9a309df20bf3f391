/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines of requests to servers that do not answer. tests/capture covers everything else about requests. */
#define _POSIX_C_SOURCE 200809L

#include "gate/capture/http.h"
#include "tests/unit/unit.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>

static const double PATIENCE_S = 20; /* much less than the wait without a deadline */

static double now_s(void) {
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Open a socket on loopback that accepts connections but never answers. If `listens` is false, it refuses
 * connections. */
static int silent_server(char *address, size_t size, bool listens) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof name;
    int server = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(server >= 0 && bind(server, (struct sockaddr *)&name, sizeof name) == 0);
    assert_true((!listens || listen(server, 4) == 0) && getsockname(server, (struct sockaddr *)&name, &len) == 0);
    (void)snprintf(address, size, "http://127.0.0.1:%u/x", (unsigned)ntohs(name.sin_port));
    return server;
}

/* Send a request whose answer takes `seconds`, `left_s` seconds before the deadline. Expect that it fails because of
 * the deadline, with `message`. If `left_s` is negative, the deadline has passed, and the request has a `before`
 * request. */
static void expect_over(bool listens, double seconds, double left_s, const char *message) {
    char address[64];
    struct gate_arena arena = {0};
    struct gate_fetch before = {.max_bytes = 1000}, request = {.max_bytes = 1000, .seconds = seconds};
    struct gate_fetch *const requests[] = {&request};
    int server = silent_server(address, sizeof address, listens);
    double begun = now_s();
    const struct gate_fetch_options options = {
        .connect_seconds = 60, .slack_seconds = 60, .retries = 4, .backoff_seconds = 60, .deadline = begun + left_s};
    assert_true(gate_capture_url_read(&request.url, gate_str_from(address), &err));
    before.url = request.url;
    request.before = left_s < 0 ? &before : NULL;
    assert_true(gate_fetch_all(requests, 1, &options, &arena, &err));
    if (request.is_well || !request.is_over)
        fail_msg("%s: %s", request.is_well ? "well" : "not over", request.err.message);
    assert_true(now_s() - begun < PATIENCE_S);
    if (strstr(request.err.message, message) == NULL)
        fail_msg("%s", request.err.message);
    gate_buf_free(&request.body);
    gate_buf_free(&before.body);
    gate_arena_free(&arena);
    (void)close(server);
}

TEST(no_request_waits_past_the_deadline) {
    if (!gate_fetch_is_built())
        skip();
    assert_true(gate_fetch_check(&err)); /* loading libcurl takes longer than the first deadlines leave */
    for (int i = 0; i < 8; i++) /* timeouts are whole milliseconds, so they end up to 1 ms before the deadline */
        expect_over(true, 0, 0.3 + 0.0003 * i, "the time is over: no whole answer within");
    expect_over(true, 30, 5, "the time is over: an answer takes 30 s, and 5 s are left");
    expect_over(true, 0, -1, "timeout before the request was sent");
    expect_over(false, 0, 5, "and the next retry would be in");
}
