/* SPDX-License-Identifier: Apache-2.0 */
/* Where this machine keeps the certificates of authorities: a static program's TLS has no distribution that knows.
 * Pipeline: capture/authorities.h -> capture/transfer.h */
#ifndef GATE_CAPTURE_AUTHORITIES_H
#define GATE_CAPTURE_AUTHORITIES_H

/** The first of `files` that can be read; NULL: none, or SSL_CERT_FILE or SSL_CERT_DIR says where, which TLS obeys. */
const char *gate_authorities_among(const char *const *files);

/** The machine's, among the places that distributions have; NULL as above. */
const char *gate_authorities_file(void);

#endif
