/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/rules/rules_diff.h"

#include "gate/base/buf.h"
#include "gate/base/embedded.h"
#include "gate/base/hash.h"
#include "gate/rules/guard_rules.h"
#include "gate/rules/rules.h"

#include <stdio.h>

/* ---- digest ------------------------------------------------------------------------------------------------------ */

void gate_rules_digest_add(struct gate_rules_digest *digest, struct gate_str text) {
    const struct gate_str both = {(const char *)digest->sofar, sizeof digest->sofar};
    uint8_t whole[GATE_SHA256_BYTES];
    gate_sha256(digest->sofar + GATE_SHA256_BYTES, text);
    gate_sha256(whole, both);
    memcpy(digest->sofar, whole, sizeof whole);
}

struct gate_str gate_rules_digest_text(const struct gate_rules_digest *digest, struct gate_arena *arena) {
    char hex[2 * GATE_SHA256_BYTES + 1];
    gate_str_hex(hex, digest->sofar, GATE_SHA256_BYTES);
    return gate_str_copy(arena, gate_str_from(hex));
}

/* Return the digest of all presets in alphabetical order. */
static struct gate_str presets_digest(struct gate_arena *arena) {
    struct gate_rules_digest digest = {{0}};
    for (const struct gate_embedded *file = gate_embedded_files; file->name != NULL; file++) {
        struct gate_str name = gate_str_from(file->name);
        if (!gate_str_ends(name, GATE_STR(".yml")))
            continue;
        gate_rules_digest_add(&digest, name);
        gate_rules_digest_add(&digest, file->bytes);
    }
    return gate_rules_digest_text(&digest, arena);
}

struct gate_str gate_rules_digest(const struct gate_rules *rules, struct gate_arena *arena) {
    return rules->is_default ? presets_digest(arena) : gate_str_copy(arena, rules->digest);
}

/* ---- differences ------------------------------------------------------------------------------------------------- */

enum { GATE_RULES_DIFF_MAX = 12 };

/* Text of the differences, item by item. */
struct differences {
    struct gate_buf text;
    uint32_t count;
    bool is_open; /* the current item has text already */
};

/* Start an item, or continue the current one. Return false if the maximum number of items is exceeded. */
static bool item_begin(struct differences *to, const char *what, struct gate_str name) {
    if (to->is_open) {
        if (to->count <= GATE_RULES_DIFF_MAX)
            gate_buf_text(&to->text, ", ");
        return to->count <= GATE_RULES_DIFF_MAX;
    }
    to->is_open = true;
    if (++to->count > GATE_RULES_DIFF_MAX)
        return false;
    gate_buf_text(&to->text, to->count > 1 ? "; " : "");
    gate_buf_printf(&to->text, "%s '%.*s': ", what, GATE_STR_ARG(name));
    return true;
}

static void close_thing(struct differences *to) {
    to->is_open = false;
}

/* ---- budgets ----------------------------------------------------------------------------------------------------- */

static const struct gate_budget *find(const struct gate_rules *rules, struct gate_str name) {
    for (uint32_t i = 0; i < rules->budget_count; i++)
        if (gate_str_equal(rules->budgets[i].name, name))
            return &rules->budgets[i];
    return NULL;
}

/* Return the limit of `budget` that corresponds to `like`: it has the same text, else the same severity, else the same
 * kind. The severity of a limit already includes that of its budget. */
static const struct gate_limit *limit_like(const struct gate_budget *budget, const struct gate_limit *like) {
    const struct gate_limit *found = NULL;
    for (uint32_t i = 0; i < budget->limit_count; i++) {
        const struct gate_limit *limit = &budget->limits[i];
        if (limit->kind != like->kind)
            continue;
        if (gate_str_equal(limit->text, like->text))
            return limit;
        found = found == NULL || limit->severity == like->severity ? limit : found;
    }
    return found;
}

/* Describe the limits of `from` that `to` lacks or has with another text. With `is_new`, describe only those that `to`
 * lacks, as new limits. */
static void describe_limits(struct differences *out, const struct gate_budget *from, const struct gate_budget *to,
                            bool is_new) {
    for (uint32_t i = 0; i < from->limit_count; i++) {
        const struct gate_limit *limit = &from->limits[i], *other = limit_like(to, limit);
        bool is_same = other != NULL && (is_new || gate_str_equal(other->text, limit->text));
        if (is_same || !item_begin(out, "budget", from->name))
            continue;
        gate_buf_printf(&out->text, "limit %s %.*s", gate_limit_kind_name(limit->kind), GATE_STR_ARG(limit->text));
        if (other == NULL)
            gate_buf_text(&out->text, is_new ? " is new" : " is gone");
        else
            gate_buf_printf(&out->text, " → %.*s", GATE_STR_ARG(other->text));
    }
}

static bool same_pattern(const struct gate_pattern *a, const struct gate_pattern *b) {
    return gate_str_equal(a->text, b->text);
}

static bool same_select(const struct gate_select *a, const struct gate_select *b) {
    return same_pattern(&a->function, &b->function) && same_pattern(&a->package, &b->package) &&
           same_pattern(&a->file, &b->file) && same_pattern(&a->mapping, &b->mapping) &&
           same_pattern(&a->not_function, &b->not_function) && same_pattern(&a->not_package, &b->not_package) &&
           same_pattern(&a->not_file, &b->not_file) && same_pattern(&a->not_mapping, &b->not_mapping) &&
           same_pattern(&a->under, &b->under) && a->no_own_caller == b->no_own_caller && a->one_sided == b->one_sided;
}

static bool same_where(const struct gate_budget *a, const struct gate_budget *b) {
    for (uint32_t i = 0; a->where_count == b->where_count && i < a->where_count; i++)
        if (!gate_str_equal(a->where[i].key, b->where[i].key) || !gate_str_equal(a->where[i].value, b->where[i].value))
            return false;
    return a->where_count == b->where_count;
}

/* Name keys that changed, without their values. */
static void describe_keys(struct differences *out, const struct gate_budget *a, const struct gate_budget *b) {
    const struct {
        const char *key;
        bool is_same;
    } keys[] = {
        {"select", same_select(&a->select, &b->select)},
        {"where", same_where(a, b)},
        {"measure", a->measure == b->measure},
        {"per", a->per == b->per},
        {"as", a->as_group == b->as_group},
        {"sample_type", gate_str_equal(a->sample_type, b->sample_type)},
        {"min_share", a->min_share == b->min_share},
        {"max_mde", a->max_mde == b->max_mde},
        {"min_growth", gate_str_equal(a->min_growth, b->min_growth)},
        {"must_match", a->must_match == b->must_match},
        {"requires", a->requires == b->requires},
        {"shift", a->shift == b->shift},
        {"sustain", a->sustain_k == b->sustain_k && a->sustain_n == b->sustain_n},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!keys[i].is_same && item_begin(out, "budget", a->name))
            gate_buf_printf(&out->text, "'%s' changed", keys[i].key);
}

static void describe_severity(struct differences *out, const char *what, struct gate_str name,
                              enum gate_severity before, enum gate_severity after) {
    if (before != after && item_begin(out, what, name))
        gate_buf_printf(&out->text, "%s → %s", gate_severity_name(before), gate_severity_name(after));
}

static void describe_budget(struct differences *out, const struct gate_budget *before,
                            const struct gate_budget *after) {
    if (after == NULL) {
        if (before->severity != GATE_SEVERITY_OFF && item_begin(out, "budget", before->name))
            gate_buf_text(&out->text, "removed");
        return;
    }
    describe_severity(out, "budget", before->name, before->severity, after->severity);
    describe_limits(out, before, after, false);
    describe_limits(out, after, before, true);
    describe_keys(out, before, after);
    if (gate_str_equal(before->expires, after->expires) || !item_begin(out, "budget", before->name))
        return;
    if (after->expires.len == 0)
        gate_buf_text(&out->text, "a waiver no more");
    else
        gate_buf_printf(&out->text, "%s until %.*s", before->expires.len == 0 ? "a waiver" : "waived",
                        GATE_STR_ARG(after->expires));
}

/* ---- guards, defaults and sections ------------------------------------------------------------------------------- */

static void describe_guards(struct differences *out, const struct gate_rules *before, const struct gate_rules *after) {
    for (int i = 0; i < GATE_GUARD_NAMES; i++, close_thing(out)) {
        enum gate_guard guard = (enum gate_guard)i;
        struct gate_str name = gate_str_from(gate_guard_name(guard));
        describe_severity(out, "guard", name, gate_guard_severity(before, guard), gate_guard_severity(after, guard));
        double was = gate_guard_limit(before, guard), is = gate_guard_limit(after, guard);
        if (was != is && item_begin(out, "guard", name))
            gate_buf_printf(&out->text, "limit %.6g → %.6g", was, is);
    }
}

static void diff_number(struct differences *out, const char *key, double before, double after) {
    if (before != after && item_begin(out, "default", gate_str_from(key)))
        gate_buf_printf(&out->text, "%.9g → %.9g", before, after);
    close_thing(out);
}

static void describe_defaults(struct differences *out, const struct gate_rules *before,
                              const struct gate_rules *after) {
    diff_number(out, "alpha", before->alpha, after->alpha);
    diff_number(out, "alpha_margin", before->alpha_margin, after->alpha_margin);
    diff_number(out, "min_samples", before->min_samples, after->min_samples);
    if (before->on_inconclusive != after->on_inconclusive && item_begin(out, "default", GATE_STR("on_inconclusive")))
        gate_buf_printf(&out->text, "%s → %s", gate_on_inconclusive_name(before->on_inconclusive),
                        gate_on_inconclusive_name(after->on_inconclusive));
    close_thing(out);
    if (before->equal != after->equal && item_begin(out, "default", GATE_STR("equal")))
        gate_buf_printf(&out->text, "%s → %s", gate_equal_name(before->equal), gate_equal_name(after->equal));
    close_thing(out);
}

static void describe_sections(struct differences *out, const struct gate_rules *before,
                              const struct gate_rules *after) {
    for (int i = 0; i < GATE_RULES_SECTIONS; i++, close_thing(out))
        if (memcmp(before->sections[i], after->sections[i], sizeof before->sections[i]) != 0 &&
            item_begin(out, "section", gate_str_from(gate_rules_section_names[i])))
            gate_buf_text(&out->text, "changed");
}

struct gate_str gate_rules_diff(const struct gate_rules *before, const struct gate_rules *after,
                                struct gate_arena *arena) {
    struct differences out = {.count = 0};
    for (uint32_t i = 0; i < before->budget_count; i++, close_thing(&out))
        describe_budget(&out, &before->budgets[i], find(after, before->budgets[i].name));
    for (uint32_t i = 0; i < after->budget_count; i++, close_thing(&out))
        if (find(before, after->budgets[i].name) == NULL && item_begin(&out, "budget", after->budgets[i].name))
            gate_buf_printf(&out.text, "new, %s", gate_severity_name(after->budgets[i].severity));
    describe_guards(&out, before, after);
    describe_defaults(&out, before, after);
    describe_sections(&out, before, after);
    if (out.count > GATE_RULES_DIFF_MAX)
        gate_buf_printf(&out.text, "; and %u more", (unsigned)out.count - GATE_RULES_DIFF_MAX);
    return gate_buf_keep(&out.text, arena);
}
