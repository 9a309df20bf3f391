/* SPDX-License-Identifier: Apache-2.0 */
/* Names of hosts, which WASI lacks. packaging/wasi/posix.c defines them; each fails. */
#ifndef PACKAGING_WASI_NETDB_H
#define PACKAGING_WASI_NETDB_H

#include <sys/socket.h>

struct addrinfo {
    int ai_flags, ai_family, ai_socktype, ai_protocol;
    socklen_t ai_addrlen;
    struct sockaddr *ai_addr;
    struct addrinfo *ai_next;
};

void freeaddrinfo(struct addrinfo *list);
const char *gai_strerror(int code);
int getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **out);

#endif
