/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a server accepts connections: at an IP address, at a host name, at a port without a listener, and at
 * strings that are no address. tests/trial tests servers that answer at a URL. */

#include "gate/trial/trial_command.h"
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* Bind a socket on loopback. Return its descriptor, or -1 if the system lacks the address family. */
static int bound(sa_family_t family, int *port) {
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    bool is_six = family == AF_INET6;
    struct sockaddr *address = is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four;
    socklen_t len = is_six ? sizeof six : sizeof four;
    int descriptor = socket(family, SOCK_STREAM, 0);
    if (descriptor >= 0 && (bind(descriptor, address, len) != 0 || getsockname(descriptor, address, &len) != 0)) {
        (void)close(descriptor);
        descriptor = -1;
    }
    *port = ntohs(is_six ? six.sin6_port : four.sin_port);
    return descriptor;
}

static void expect_answer(const char *host, int port) {
    if (!gate_reachable_try(gate_str_format(&arena, "%s:%d", host, port).ptr, &arena, &err))
        fail_msg("%s: %s", host, err.message);
}

static void expect_none(const char *place, enum gate_error_code code, const char *told) {
    struct gate_error err = {0};
    assert_false(gate_reachable_try(place, &arena, &err));
    assert_int_equal(err.code, code);
    if (strstr(err.message, told) == NULL)
        fail_msg("expected '%s', found '%s'", told, err.message);
}

/* A socket that is bound, but does not listen, is not reachable. */
TEST(a_bound_port_is_reachable_only_if_it_listens) {
    int port, descriptor = bound(AF_INET, &port);
    assert_true(descriptor >= 0);
    expect_none(gate_str_format(&arena, "127.0.0.1:%d", port).ptr, GATE_ERR_IO, "nobody listens");
    assert_int_equal(listen(descriptor, 1), 0);
    expect_answer("127.0.0.1", port);
    (void)close(descriptor);
}

TEST(an_ipv6_address_is_given_in_brackets) {
    int port, descriptor = bound(AF_INET6, &port);
    if (descriptor < 0)
        skip();
    assert_int_equal(listen(descriptor, 1), 0);
    expect_answer("[::1]", port);
    (void)close(descriptor);
    expect_none("[::]:1", GATE_ERR_IO, "nobody listens");
    expect_none("[]:1", GATE_ERR_IO, "");
}

TEST(unknown_hosts_and_urls_that_cannot_be_reached_are_errors) {
    expect_none("nowhere.invalid:80", GATE_ERR_IO, ""); /* the text of the reason is the system's */
    expect_none("http://127.0.0.1:1/", GATE_ERR_IO, "");
    expect_none("http://", GATE_ERR_USAGE, "");
}

TEST(an_address_without_a_host_or_a_port_number_is_refused) {
    const char *const expected = "'try.ready' expects HOST:PORT, such as 127.0.0.1:8080, or a URL; found";
    expect_none("localhost", GATE_ERR_USAGE, expected);
    expect_none(":8080", GATE_ERR_USAGE, expected);
    expect_none("localhost:", GATE_ERR_USAGE, expected);
    expect_none("localhost:http", GATE_ERR_USAGE, expected);
    expect_none("ada:pa55@localhost:port", GATE_ERR_USAGE, "found 'localhost:port'");
}
