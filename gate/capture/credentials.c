/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/capture/credentials.h"

#include "gate/base/buf.h"
#include "gate/base/hash.h"
#include "gate/capture/capture_url.h"
#include "gate/formats/format.h"

#include <stdio.h>
#include <stdlib.h>

enum { SECRET_BYTES_MAX = 16384, HIDDEN_BYTES_MIN = 3, HEX = 16, TENANT_BYTES_MAX = 512 };

static bool secret_check(struct gate_str secret, const char *place, struct gate_error *err) {
    if (secret.len == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "%s is empty; expected a token or USER:PASSWORD in it", place);
    for (size_t i = 0; i < secret.len; i++)
        if ((unsigned char)secret.ptr[i] < ' ' || secret.ptr[i] == 127)
            return gate_error_set(err, GATE_ERR_USAGE, "%s holds more than one line of text", place);
    return true;
}

static bool secret_of_file(struct gate_str *out, const char *path, struct gate_arena *arena, struct gate_error *err) {
    struct gate_limits limits = gate_limits_default();
    limits.compressed_bytes = SECRET_BYTES_MAX;
    if (!gate_source_read(out, gate_str_from(path), &limits, arena, err))
        return gate_error_prefix(err, "%s", path);
    *out = gate_str_trim(*out);
    return secret_check(*out, path, err);
}

static bool secret_of_environment(struct gate_str *out, const char *name, struct gate_error *err) {
    const char *value = getenv(name);
    if (value == NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "the environment variable '%s' is not set; --token-env names the "
                              "variable that holds the token",
                              name);
    *out = gate_str_trim(gate_str_from(value));
    return secret_check(*out, "the variable", err) || gate_error_prefix(err, "the environment variable '%s'", name);
}

/* Set `authorization` to "Bearer TOKEN" or "Basic BASE64". */
static bool authorization_make(struct gate_credentials *out, bool is_user, struct gate_arena *arena,
                               struct gate_error *err) {
    struct gate_buf text = {0};
    gate_buf_text(&text, is_user ? "Basic " : "Bearer ");
    if (is_user)
        gate_base64(&text, (const uint8_t *)out->secret.ptr, out->secret.len);
    else
        gate_buf_str(&text, out->secret);
    out->authorization = gate_buf_keep(&text, arena).ptr;
    return out->authorization != NULL || gate_arena_error(arena, err);
}

/* A tenant must be valid in a header; '|' may separate several tenants. */
static bool tenant_check(const char *tenant, struct gate_error *err) {
    bool ok = tenant == NULL || tenant[0] != '\0';
    for (size_t i = 0; ok && tenant != NULL && tenant[i] != '\0'; i++)
        ok = tenant[i] > ' ' && tenant[i] < 127 && i < TENANT_BYTES_MAX;
    return ok ||
           gate_error_set(err, GATE_ERR_USAGE, "expected a tenant of 1 to %d letters, digits and signs without blanks",
                          TENANT_BYTES_MAX);
}

bool gate_credentials_read(struct gate_credentials *out, const struct gate_credentials_places *places,
                           struct gate_arena *arena, struct gate_error *err) {
    *out = (struct gate_credentials){.tenant = places->tenant};
    if (!tenant_check(places->tenant, err))
        return false;
    int count = (places->token_env != NULL) + (places->token_file != NULL) + (places->user_file != NULL);
    if (count > 1)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "expected one of --token-env, --token-file and --user-file, found %d", count);
    if (count == 0)
        return true;
    bool ok = places->token_env != NULL
                  ? secret_of_environment(&out->secret, places->token_env, err)
                  : secret_of_file(&out->secret, places->token_file != NULL ? places->token_file : places->user_file,
                                   arena, err);
    if (ok && places->user_file != NULL && gate_str_find(out->secret, GATE_STR(":"), 0) == SIZE_MAX)
        return gate_error_set(err, GATE_ERR_USAGE, "%s: expected USER:PASSWORD, found no colon", places->user_file);
    return ok && authorization_make(out, places->user_file != NULL, arena, err);
}

bool gate_credentials_of_token(struct gate_credentials *out, struct gate_str token, struct gate_arena *arena,
                               struct gate_error *err) {
    out->secret = token;
    return authorization_make(out, false, arena, err);
}

/* ---- sending ----------------------------------------------------------------------------------------------------- */

static void put_decoded(struct gate_buf *out, struct gate_str text) {
    for (size_t i = 0; i < text.len; i++) {
        bool is_coded = text.ptr[i] == '%' && i + 2 < text.len && gate_hex_value(text.ptr[i + 1]) >= 0 &&
                        gate_hex_value(text.ptr[i + 2]) >= 0;
        gate_buf_char(out, is_coded ? (char)(gate_hex_value(text.ptr[i + 1]) * HEX + gate_hex_value(text.ptr[i + 2]))
                                    : text.ptr[i]);
        i += is_coded ? 2 : 0;
    }
}

/* Append BASE64 of the address's user, percent-decoded. */
static void put_basic(struct gate_buf *out, struct gate_str user) {
    struct gate_buf plain = {0};
    put_decoded(&plain, user);
    gate_base64(out, (const uint8_t *)gate_buf_view(&plain).ptr, plain.len);
    gate_buf_free_part(out, &plain);
}

void gate_credentials_put(struct gate_buf *out, const struct gate_credentials *credentials,
                          const struct gate_capture_url *url) {
    if (credentials != NULL && credentials->authorization != NULL) {
        gate_buf_text(out, credentials->authorization);
    } else if (url->user.len > 0) {
        gate_buf_text(out, "Basic ");
        put_basic(out, url->user);
    }
}

void gate_credentials_put_tenant(struct gate_buf *out, const struct gate_credentials *credentials) {
    if (credentials == NULL || credentials->tenant == NULL)
        return;
    gate_buf_text(out, "X-Scope-OrgID: ");
    gate_buf_text(out, credentials->tenant);
    gate_buf_char(out, '\0');
}

/* ---- hiding ------------------------------------------------------------------------------------------------------ */

/* A text, and for each of its bytes whether it belongs to a secret. Secrets may overlap. */
struct hiding {
    struct gate_str text;
    struct gate_buf marks;
};

static void mark(struct hiding *hiding, struct gate_str secret) {
    if (secret.len < HIDDEN_BYTES_MIN || hiding->marks.failed)
        return;
    for (size_t at = gate_str_find(hiding->text, secret, 0); at != SIZE_MAX;
         at = gate_str_find(hiding->text, secret, at + 1))
        memset(hiding->marks.ptr + at, 1, secret.len);
}

/* Mark a secret as written, and percent-decoded. */
static void mark_both(struct hiding *hiding, struct gate_str secret) {
    struct gate_buf plain = {0};
    mark(hiding, secret);
    put_decoded(&plain, secret);
    mark(hiding, gate_buf_view(&plain));
    gate_buf_free_part(&hiding->marks, &plain);
}

/* Mark USER:PASSWORD, the password alone, and their base64 form. */
static void mark_user(struct hiding *hiding, struct gate_str user) {
    size_t colon = gate_str_find(user, GATE_STR(":"), 0);
    struct gate_buf basic = {0};
    mark_both(hiding, user);
    if (colon != SIZE_MAX)
        mark_both(hiding, gate_str_slice(user, colon + 1, user.len));
    put_basic(&basic, user);
    mark(hiding, gate_buf_view(&basic));
    gate_buf_free_part(&hiding->marks, &basic);
}

static void mark_query(struct hiding *hiding, struct gate_str query) {
    for (size_t from = 0; from < query.len;) {
        size_t end = gate_str_find(query, GATE_STR("&"), from);
        struct gate_str part = gate_str_slice(query, from, end);
        size_t equals = gate_str_find(part, GATE_STR("="), 0);
        if (!gate_str_starts(part, GATE_STR("seconds=")))
            mark_both(hiding, gate_str_slice(part, equals == SIZE_MAX ? 0 : equals + 1, part.len));
        from = end == SIZE_MAX ? query.len : end + 1;
    }
}

static void mark_credentials(struct hiding *hiding, const struct gate_credentials *credentials) {
    struct gate_str whole = gate_str_from(credentials->authorization), secret = credentials->secret;
    size_t blank = gate_str_find(whole, GATE_STR(" "), 0), colon = gate_str_find(secret, GATE_STR(":"), 0);
    mark(hiding, gate_str_slice(whole, blank + 1, whole.len));
    mark(hiding, secret);
    if (colon != SIZE_MAX)
        mark(hiding, gate_str_slice(secret, colon + 1, secret.len));
}

void gate_credentials_hide_text(struct gate_buf *out, struct gate_str text, const struct gate_credentials *credentials,
                                const struct gate_capture_url *url) {
    struct hiding hiding = {.text = text};
    gate_buf_repeat(&hiding.marks, '\0', text.len);
    if (credentials != NULL && credentials->authorization != NULL)
        mark_credentials(&hiding, credentials);
    mark_user(&hiding, url->user);
    mark_query(&hiding, url->query);
    out->failed = out->failed || hiding.marks.failed;
    for (size_t i = 0; i < text.len && !out->failed; i++)
        if (hiding.marks.ptr[i] == '\0')
            gate_buf_char(out, text.ptr[i]);
        else if (i == 0 || hiding.marks.ptr[i - 1] == '\0')
            gate_buf_text(out, "***");
    gate_buf_free(&hiding.marks);
}

void gate_credentials_hide(struct gate_error *err, const struct gate_credentials *credentials,
                           const struct gate_capture_url *url) {
    struct gate_buf text = {0};
    gate_credentials_hide_text(&text, gate_str_from(err->message), credentials, url);
    if (text.failed)
        (void)gate_error_set(err, GATE_ERR_MEMORY, "out of memory while reporting an error");
    else
        (void)snprintf(err->message, sizeof err->message, "%.*s", GATE_STR_ARG(gate_buf_view(&text)));
    gate_buf_free(&text);
}
