/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens and passwords for servers, and hiding them in messages. */
#ifndef GATE_CAPTURE_CREDENTIALS_H
#define GATE_CAPTURE_CREDENTIALS_H

#include "gate/base/buf.h"
#include "gate/capture/capture_url.h"

/** Sources of the credentials; at most one of the first three may be set. NULL: not set. */
struct gate_credentials_places {
    const char *token_env;  /* name of an environment variable that contains a bearer token */
    const char *token_file; /* file that contains a bearer token */
    const char *user_file;  /* file that contains USER:PASSWORD */
    const char *tenant;     /* the tenant itself, not a secret: selects the data on a server with several tenants */
};

/** Credentials. Zeroed: none. */
struct gate_credentials {
    const char *authorization; /* "Bearer ...", "Basic ..."; NULL: none */
    struct gate_str secret;    /* the token, or USER:PASSWORD */
    const char *tenant;        /* or NULL */
};

/**
 * Read the credentials. Messages name the source, never its content.
 *
 * err   GATE_ERR_USAGE more than one source is given, a variable is not set, the text is empty or has several lines, or
 *       the tenant has blanks; GATE_ERR_IO
 */
GATE_MUST_CHECK
bool gate_credentials_read(struct gate_credentials *out, const struct gate_credentials_places *places,
                           struct gate_arena *arena, struct gate_error *err);

/** Set the credentials to a bearer token; keep the tenant. */
GATE_MUST_CHECK
bool gate_credentials_of_token(struct gate_credentials *out, struct gate_str token, struct gate_arena *arena,
                               struct gate_error *err);

/**
 * Append the value of the header Authorization: from `credentials` (may be NULL), else basic authentication with the
 * address's user, percent-decoded. Append nothing if there is neither.
 */
void gate_credentials_put(struct gate_buf *out, const struct gate_credentials *credentials,
                          const struct gate_capture_url *url);

/**
 * Append the header "X-Scope-OrgID: TENANT" with a NUL at the end, by which Grafana's servers select the tenant. Append
 * nothing if there is no tenant.
 */
void gate_credentials_put_tenant(struct gate_buf *out, const struct gate_credentials *credentials);

/**
 * Append `text` with "***" in place of each secret of `credentials` (may be NULL) and of `url`, in every form in which
 * a server may repeat it: as sent, its parts, and as written in the address. Secrets of less than 3 bytes are not
 * hidden. `text` must be complete: a secret that is cut off is not recognised.
 */
void gate_credentials_hide_text(struct gate_buf *out, struct gate_str text, const struct gate_credentials *credentials,
                                const struct gate_capture_url *url);

/** Hide secrets in an error's message in the same way. */
void gate_credentials_hide(struct gate_error *err, const struct gate_credentials *credentials,
                           const struct gate_capture_url *url);

#endif
