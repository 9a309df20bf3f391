/* SPDX-License-Identifier: Apache-2.0 */
/* The places of distributions, in the order in which they are tried (see authorities.h). */
#include "gate/capture/authorities.h"

#include <stdlib.h>
#include <unistd.h>

static const char *const places[] = {
    "/etc/ssl/certs/ca-certificates.crt",                /* Debian, Ubuntu, Alpine, Arch */
    "/etc/pki/tls/certs/ca-bundle.crt",                  /* Fedora, RHEL */
    "/etc/ssl/ca-bundle.pem",                            /* openSUSE */
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", /* newer Fedora */
    "/etc/ssl/cert.pem",                                 /* Alpine without the bundle */
    NULL,
};

static int is_told(const char *variable) {
    const char *value = getenv(variable);
    return value != NULL && value[0] != '\0';
}

const char *gate_authorities_among(const char *const *files) {
    if (is_told("SSL_CERT_FILE") || is_told("SSL_CERT_DIR"))
        return NULL;
    for (; *files != NULL; files++) {
        if (access(*files, R_OK) == 0)
            return *files;
    }
    return NULL;
}

const char *gate_authorities_file(void) {
    return gate_authorities_among(places);
}
