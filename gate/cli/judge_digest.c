/* SPDX-License-Identifier: Apache-2.0 */
/* A name for what decides (see judge_digest.h). */
#include "gate/cli/judge_digest.h"

#include "gate/cli/rules_from.h"
#include "gate/rules/rules_digest.h"

static void add_number(struct gate_buf *text, double number) {
    gate_buf_printf(text, "%.17g\n", number);
}

static void add_text(struct gate_buf *text, struct gate_str part) {
    gate_buf_printf(text, "%zu:", part.len);
    gate_buf_str(text, part);
}

/* What options say, as it applies: a default that is said is no other run. */
static void add_options(struct gate_buf *text, const struct gate_pair_options *options) {
    add_text(text, options->sample_type);
    add_number(text, options->where.count);
    for (uint32_t i = 0; i < options->where.count; i++) {
        add_text(text, options->where.items[i].key);
        add_text(text, options->where.items[i].value);
    }
    add_number(text, options->frames.granularity);
    add_number(text, options->frames.exact_names);
    add_number(text, options->counts.period);
    add_number(text, options->counts.mutex_fraction);
}

static bool add_noise(struct gate_rules_digest *digest, const struct gate_judge_options *judging,
                      const struct gate_cli *cli, struct gate_error *err) {
    const struct gate_paths *noise = &judging->noise;
    for (uint32_t i = 0; i < noise->count; i++) {
        struct gate_error why = {0};
        struct gate_str bytes;
        if (gate_paths_is_stream(noise->items[i]))
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "'--noise -' is standard input, which the next run cannot be told to have read; "
                                  "name a file");
        if (!gate_rules_from_read(&bytes, judging->from, cli, noise->items[i], cli->arena, &why))
            return gate_error_set(err, why.code, "%s: %s", noise->items[i], why.message);
        gate_rules_digest_add(digest, bytes);
    }
    return true;
}

bool gate_judge_digest(struct gate_str *out, const struct gate_rules *rules,
                       const struct gate_profile_options *profiles, const struct gate_judge_options *judging,
                       const struct gate_cli *cli, struct gate_error *err) {
    const struct gate_pair_options options = gate_profile_options_pairing(profiles, rules->frames, rules->counts);
    struct gate_rules_digest digest = {{0}};
    struct gate_buf text = {0};
    struct gate_str rules_name = gate_rules_digest(rules, cli->arena);
    if (rules_name.ptr == NULL)
        return gate_arena_error(cli->arena, err);
    add_text(&text, rules_name);
    add_options(&text, &options);
    bool ok = gate_buf_check(&text, err);
    if (ok)
        gate_rules_digest_add(&digest, gate_buf_view(&text));
    gate_buf_free(&text);
    if (!ok || !add_noise(&digest, judging, cli, err))
        return false;
    *out = gate_rules_digest_text(&digest, cli->arena);
    return out->ptr != NULL || gate_arena_error(cli->arena, err);
}
