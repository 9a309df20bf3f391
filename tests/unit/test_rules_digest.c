/* SPDX-License-Identifier: Apache-2.0 */
/* rules/rules_diff.h: the digest changes with the text of the rules and of the files that they extend. */
#include "gate/rules/rules_diff.h"

#include "gate/rules/rules_parse.h"
#include "tests/unit/unit.h"

struct gate_arena arena;

/* Read `context` as the extended file, whatever its path. */
static bool read_base(void *context, struct gate_str *bytes, struct gate_str path, struct gate_arena *into,
                      struct gate_error *err) {
    const char *base = context;
    (void)path;
    (void)into;
    (void)err;
    *bytes = gate_str_from(base);
    return true;
}

static struct gate_str digest_of(const char *text, const char *base) {
    struct gate_rules rules = {0};
    struct gate_error err = {0};
    char copy[512];
    (void)snprintf(copy, sizeof copy, "%s", base);
    const struct gate_rules_reader reader = {read_base, copy};
    if (!gate_rules_parse(&rules, gate_str_from(text), GATE_STR("r.yml"), &reader, &arena, &err))
        fail_msg("%s", err.message);
    struct gate_str digest = gate_rules_digest(&rules, &arena);
    gate_rules_free(&rules);
    assert_int_equal(digest.len, 64);
    return digest;
}

#define BUDGET(words) "version: 1\nbudgets:\n  - {name: b, measure: self, " words "limit: {share_increase: '+5pp'}}\n"

static void other_text_has_another_digest(void **state) {
    static const char *const others[] = {
        BUDGET("sustain: 2 of 3, "),
        BUDGET("requires: work, "),
        BUDGET("reason: r, expires: 2999-01-01, "),
        BUDGET("max_mde: 3pp, "),
        BUDGET("select: {under: x}, "),
        "# why\n" BUDGET(""),
        "extends: none\n" BUDGET(""),
        "extends: recommended\n" BUDGET(""),
        "guards: {few_samples: error}\n" BUDGET(""),
        "frames: {granularity: file}\n" BUDGET(""),
        "counts: {period: 2}\n" BUDGET(""),
        "sample_types: {cpu: [cpu/nanoseconds]}\n" BUDGET(""),
    };
    struct gate_str first = digest_of(BUDGET(""), "");
    assert_true(gate_str_equal(first, digest_of(BUDGET(""), "")));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (gate_str_equal(first, digest_of(others[i], "")))
            fail_msg("the same digest as of: %s", others[i]);
}

static void what_is_extended_counts(void **state) {
    static const char text[] = "version: 1\nextends: base.yml\n";
    struct gate_str first = digest_of(text, BUDGET(""));
    assert_true(gate_str_equal(first, digest_of(text, BUDGET(""))));
    assert_false(gate_str_equal(first, digest_of(text, BUDGET("max_mde: 3pp, "))));
    /* moving a line from one file to the other changes the digest */
    assert_false(gate_str_equal(digest_of("version: 1\nextends: base.yml\n#1\n", BUDGET("")),
                                digest_of("version: 1\nextends: base.yml\n", BUDGET("") "#1\n")));
}

/* If no rules are named, the profiles choose a preset, and other profiles may choose another. The digest covers all
 * presets then. */
static void of_the_default_it_is_of_all_presets(void **state) {
    AT_END(gate_rules_free) struct gate_rules rules = {0};
    struct gate_error err = {0};
    if (!gate_rules_parse_preset(&rules, "recommended", &arena, &err))
        fail_msg("%s", err.message);
    struct gate_str named = gate_rules_digest(&rules, &arena);
    rules.is_default = true;
    struct gate_str all = gate_rules_digest(&rules, &arena);
    assert_int_equal(all.len, 64);
    assert_false(gate_str_equal(named, all));
    rules.digest = GATE_STR("another choice");
    assert_true(gate_str_equal(all, gate_rules_digest(&rules, &arena)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_text_has_another_digest),
        cmocka_unit_test(what_is_extended_counts),
        cmocka_unit_test(of_the_default_it_is_of_all_presets),
    };
    gate_arena_init(&arena, 0);
    int failed = cmocka_run_group_tests_name("rules_digest", tests, NULL, NULL);
    gate_arena_free(&arena);
    return failed;
}
