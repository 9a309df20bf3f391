/* SPDX-License-Identifier: Apache-2.0 */
/* The page's Content-Security-Policy (see csp.h). */
#include "gate/report/csp.h"

#include "gate/base/sha256.h"

static void csp_source(struct gate_buf *out, const char *directive, struct gate_str digest) {
    GATE_ASSERT(digest.len == GATE_SHA256_BYTES);
    gate_buf_printf(out, "; %s 'sha256-", directive);
    gate_base64(out, (const uint8_t *)digest.ptr, digest.len);
    gate_buf_char(out, '\'');
}

void gate_csp_print_known(struct gate_buf *out, struct gate_str style, struct gate_str script) {
    gate_buf_text(out, "default-src 'none'");
    csp_source(out, "style-src", style);
    csp_source(out, "script-src", script);
    gate_buf_text(out, "; base-uri 'none'; form-action 'none'");
}

void gate_csp_print(struct gate_buf *out, struct gate_str style, struct gate_str script) {
    uint8_t digests[2][GATE_SHA256_BYTES];
    gate_sha256(digests[0], style);
    gate_sha256(digests[1], script);
    gate_csp_print_known(out, (struct gate_str){(const char *)digests[0], sizeof digests[0]},
                         (struct gate_str){(const char *)digests[1], sizeof digests[1]});
}
