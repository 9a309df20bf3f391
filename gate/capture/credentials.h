/* SPDX-License-Identifier: Apache-2.0 */
/* Who we are to a server, from the environment or a file, and keeping that out of whatever is shown.
 * Pipeline: cli/capture_options.h -> capture/credentials.h -> capture/fetch.h */
#ifndef GATE_CAPTURE_CREDENTIALS_H
#define GATE_CAPTURE_CREDENTIALS_H

#include "gate/base/buf.h"
#include "gate/capture/capture_url.h"

/** Where they are; at most one of the first three. NULL: not there. */
struct gate_credentials_places {
    const char *token_env;  /* name of a variable */
    const char *token_file; /* a bearer token */
    const char *user_file;  /* USER:PASSWORD */
    const char *tenant;     /* itself, which is no secret: whose data of a server with several tenants */
};

/** Zeroed: none. */
struct gate_credentials {
    const char *authorization; /* "Bearer ...", "Basic ..."; NULL: none */
    struct gate_str secret;    /* the token, or USER:PASSWORD */
    const char *tenant;        /* or NULL */
};

/** err: GATE_ERR_USAGE more than one, not set, empty, more than a line, a tenant that is not a word; GATE_ERR_IO. Names
 * the place, never what is there. */
GATE_MUST_CHECK
bool gate_credentials_read(struct gate_credentials *out, const struct gate_credentials_places *places,
                           struct gate_arena *arena, struct gate_error *err);

/** Those of a bearer token, beside the tenant that is there. err: the arena is full. */
GATE_MUST_CHECK
bool gate_credentials_of_token(struct gate_credentials *out, struct gate_str token, struct gate_arena *arena,
                               struct gate_error *err);

/** The value of the header Authorization: of `credentials` (may be NULL), else of the address' user, percent-decoded,
 * as basic authentication; nothing where there is neither. */
void gate_credentials_put(struct gate_buf *out, const struct gate_credentials *credentials,
                          const struct gate_capture_url *url);

/** The line "X-Scope-OrgID: TENANT" with a NUL behind it, which Grafana's servers tell tenants by; nothing where there
 * is no tenant. */
void gate_credentials_put_tenant(struct gate_buf *out, const struct gate_credentials *credentials);

/**
 * Append `text` with *** for each secret of `credentials` (may be NULL) and of `url`, such as a server repeats it: what
 * is sent, what it is made of, and that as it was written. Texts of less than three bytes are no secrets. `text` has to
 * be whole: of a secret that is cut nothing is hidden.
 */
void gate_credentials_hide_text(struct gate_buf *out, struct gate_str text, const struct gate_credentials *credentials,
                                const struct gate_capture_url *url);

/** The same of an error's message. */
void gate_credentials_hide(struct gate_error *err, const struct gate_credentials *credentials,
                           const struct gate_capture_url *url);

#endif
