/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of any kind to a checked profile (see load.h). */
#include "gate/profile/load.h"

#include "gate/profile/container.h"
#include "gate/profile/format.h"
#include "gate/profile/inflate.h"
#include "gate/profile/pprof.h"

enum { PACKED_WORTH_A_LOOK = 4096 }; /* what is smaller inflates to four megabytes at most */

/* Another format becomes pprof bytes in `arena`. */
static bool convert_into(struct gate_str *plain, gate_format_convert *convert, const struct gate_limits *limits,
                         struct gate_arena *arena, struct gate_error *err) {
    struct gate_buf buf = {0};
    struct gate_arena scratch;
    const struct gate_str mark = GATE_STR("\xEF\xBB\xBF"); /* Windows tools begin a text with it */
    if (gate_str_starts(*plain, mark))
        *plain = gate_str_slice(*plain, mark.len, plain->len);
    gate_arena_fork(&scratch, arena);
    bool ok = convert(&buf, *plain, limits, &scratch, err);
    gate_arena_free(&scratch);
    if (ok && !gate_arena_adopt(arena, buf.ptr, buf.len))
        ok = gate_arena_error(arena, err);
    if (!ok) {
        gate_buf_free(&buf);
        return false;
    }
    *plain = gate_buf_view(&buf);
    return true;
}

/* A small file that inflates to gigabytes is refused by its beginning, where that is no profile's. */
bool gate_profile_check_head(struct gate_str bytes, struct gate_arena *arena, struct gate_error *err) {
    if (gate_container_sniff(bytes) == GATE_CONTAINER_RAW || bytes.len < PACKED_WORTH_A_LOOK)
        return true;
    char *head = gate_arena_resize(arena, NULL, 0, GATE_INFLATE_HEAD_BYTES);
    if (head == NULL)
        return gate_arena_error(arena, err);
    size_t len = gate_inflate_head(head, GATE_INFLATE_HEAD_BYTES, bytes);
    bool ok = len < GATE_INFLATE_HEAD_BYTES || gate_format_check_head((struct gate_str){head, len}, err);
    (void)gate_arena_resize(arena, head, GATE_INFLATE_HEAD_BYTES, 0);
    return ok;
}

/* What is small costs as little as a look at its beginning would. */
static bool profile_inflate(struct gate_str *plain, struct gate_str bytes, const struct gate_limits *limits,
                            struct gate_arena *arena, struct gate_error *err) {
    return gate_inflate_small(plain, bytes, limits->inflated_bytes, arena) ||
           (gate_profile_check_head(bytes, arena, err) &&
            gate_inflate(plain, bytes, limits->inflated_bytes, arena, err));
}

/* `own`: `bytes`, where they may be rewritten, or NULL. */
static bool profile_read(struct gate_profile *out, struct gate_str bytes, uint8_t *own,
                         const struct gate_limits *limits, struct gate_arena *arena, struct gate_error *err) {
    enum gate_format format = GATE_FORMAT_PPROF;
    struct gate_str plain = bytes;
    if (!profile_inflate(&plain, bytes, limits, arena, err) || !gate_format_sniff(&format, plain, err))
        return false;
    gate_format_convert *convert = gate_format_converter(format);
    if (convert != NULL && !convert_into(&plain, convert, limits, arena, err))
        return false;
    bool is_own = own != NULL && plain.ptr == (const char *)own;
    if (!(is_own ? gate_pprof_decode_own(out, own, plain.len, limits, arena, err)
                 : gate_pprof_decode(out, plain, limits, arena, err)))
        return false;
    out->container = gate_container_sniff(bytes);
    out->format = format;
    return true;
}

static bool load(struct gate_profile *out, struct gate_str bytes, uint8_t *own, const struct gate_limits *limits,
                 struct gate_arena *arena, struct gate_error *err) {
    struct gate_limits caps = gate_limits_fill(limits);
    struct gate_arena held;
    gate_arena_fork(&held, arena);
    gate_arena_cap(&held, caps.memory_bytes);
    bool ok = profile_read(out, bytes, own, &caps, &held, err);
    if (ok)
        gate_arena_absorb(arena, &held);
    gate_arena_free(&held);
    return ok;
}

bool gate_profile_load(struct gate_profile *out, struct gate_str bytes, const struct gate_limits *limits,
                       struct gate_arena *arena, struct gate_error *err) {
    return load(out, bytes, NULL, limits, arena, err);
}

bool gate_profile_load_own(struct gate_profile *out, uint8_t *bytes, size_t len, const struct gate_limits *limits,
                           struct gate_arena *arena, struct gate_error *err) {
    return load(out, (struct gate_str){(const char *)bytes, len}, bytes, limits, arena, err);
}
