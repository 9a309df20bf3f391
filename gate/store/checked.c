/* SPDX-License-Identifier: Apache-2.0 */
/* Read the JSON report of a check. */
#include "gate/store/checked.h"

#include "gate/base/hash.h"
#include "gate/base/json_io.h"
#include "gate/base/str.h"

#include <stdio.h>

enum { DIGEST_DIGITS = 32 };

static bool add_side(struct gate_checked *out, const json_t *comparison, struct gate_arena *arena,
                     struct gate_error *err) {
    const json_t *runs = json_object_get(json_object_get(comparison, "canary"), "runs");
    size_t count = json_array_size(runs);
    struct gate_str *all = GATE_NEW_ARRAY(arena, struct gate_str, out->digest_count + count + 1);
    if (all == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < out->digest_count; i++)
        all[i] = out->digests[i];
    out->digests = all;
    for (size_t i = 0; i < count; i++) {
        const json_t *digest = json_object_get(json_array_get(runs, i), "digest");
        if (!json_is_string(digest))
            return gate_error_set(err, GATE_ERR_FORMAT, "expected a 'digest' of each run of the canary");
        all[out->digest_count] = gate_str_copy(arena, gate_str_from(json_string_value(digest)));
        if (all[out->digest_count++].ptr == NULL)
            return gate_arena_error(arena, err);
    }
    return true;
}

static bool read_report(struct gate_checked *out, const json_t *root, struct gate_arena *arena,
                        struct gate_error *err) {
    static const char *const verdicts[] = {"pass", "inconclusive", "fail", NULL};
    const char *verdict = json_string_value(json_object_get(root, "verdict"));
    int known = 0;
    while (verdict != NULL && verdicts[known] != NULL && strcmp(verdict, verdicts[known]) != 0)
        known++;
    if (verdict == NULL || verdicts[known] == NULL)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "expected the JSON report of a check, with a 'verdict' of pass, inconclusive or fail");
    out->verdict = gate_str_from(verdicts[known]);
    const json_t *accepted = json_object_get(root, "accepted");
    if (accepted != NULL) {
        const char *by = json_string_value(json_object_get(accepted, "by"));
        const char *reason = json_string_value(json_object_get(accepted, "reason"));
        if (by == NULL || reason == NULL)
            return gate_error_set(err, GATE_ERR_FORMAT, "expected 'by' and 'reason' in 'accepted'");
        out->accepted = gate_str_format(arena, "accepted by %s: %s", by, reason);
        if (out->accepted.ptr == NULL)
            return gate_arena_error(arena, err);
    }
    const json_t *more = json_object_get(root, "comparisons");
    if (!add_side(out, root, arena, err))
        return false;
    for (size_t i = 0; i < json_array_size(more); i++)
        if (!add_side(out, json_array_get(more, i), arena, err))
            return false;
    return out->digest_count > 0 || gate_error_set(err, GATE_ERR_FORMAT, "expected the runs of a canary, found none");
}

bool gate_checked_read(struct gate_checked *out, struct gate_str text, struct gate_arena *arena,
                       struct gate_error *err) {
    *out = (struct gate_checked){.verdict = {"", 0}, .accepted = {"", 0}};
    json_t *root = gate_json_reader_parse(text, "the report of a check", GATE_ERR_FORMAT, err);
    if (root == NULL)
        return false;
    bool ok = read_report(out, root, arena, err);
    json_decref(root);
    return ok;
}

bool gate_checked_has(const struct gate_checked *checked, struct gate_str bytes) {
    char digest[DIGEST_DIGITS + 1];
    (void)snprintf(digest, sizeof digest, "%016llx%016llx",
                   (unsigned long long)gate_hash_bytes(bytes.ptr, bytes.len, 1),
                   (unsigned long long)gate_hash_bytes(bytes.ptr, bytes.len, 2));
    for (uint32_t i = 0; i < checked->digest_count; i++)
        if (gate_str_equal(checked->digests[i], gate_str_from(digest)))
            return true;
    return false;
}
