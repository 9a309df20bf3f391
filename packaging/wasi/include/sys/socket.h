/* SPDX-License-Identifier: Apache-2.0 */
/* Connections, which WASI lacks. packaging/wasi/posix.c defines them; each fails. */
#ifndef PACKAGING_WASI_SYS_SOCKET_H
#define PACKAGING_WASI_SYS_SOCKET_H

#include_next <sys/socket.h>

int connect(int descriptor, const struct sockaddr *address, socklen_t len);

#endif
