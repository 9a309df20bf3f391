/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as a rules file: parse it, and show the place of an error. If the first byte is '<', the rest has
 * two parts, separated by "<<<\n": the file, and the text that `extends: PATH` reads and that the file is compared
 * with. Corpus: tests/fuzz/corpus/rules, tests/rules. */
#include "gate/rules/guard_rules.h"
#include "gate/rules/rules.h"
#include "gate/rules/rules_diff.h"
#include "gate/rules/rules_parse.h"
#include "gate/session/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* Read the second part (`context`) for a path of odd length. A path of even length is an error. */
static bool read_second(void *context, struct gate_str *out, struct gate_str path, struct gate_arena *arena,
                        struct gate_error *err) {
    const struct gate_str *second = context;
    (void)arena;
    if (path.len % 2 == 0)
        return gate_error_set(err, GATE_ERR_IO, "cannot open the file");
    *out = *second;
    return true;
}

/* Valid rules have budgets with limits and names. An expired waiver has sentences. The difference of rules to
 * themselves is empty. */
static void look(const struct gate_rules *rules, struct gate_str second, struct gate_arena *arena) {
    struct gate_error err = {0};
    struct gate_rules other = {0};
    GATE_ASSERT(rules->budget_count > 0);
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        const struct gate_budget *budget = &rules->budgets[i];
        GATE_ASSERT(budget->limit_count > 0 && budget->name.len > 0);
        if (gate_waiver_is_expired(budget, GATE_STR("2030-01-01")))
            GATE_ASSERT(gate_waiver_sentence(budget, arena).len > 0 && gate_waiver_advice(budget, arena).len > 0);
    }
    for (int i = 0; i < GATE_GUARD_NAMES; i++)
        GATE_ASSERT(gate_guard_limit(rules, (enum gate_guard)i) >= 0.0);
    GATE_ASSERT(gate_toothless_rules(rules, NULL, arena).ptr != NULL && gate_rules_diff(rules, rules, arena).len == 0);
    if (!gate_rules_parse(&other, second, GATE_STR("dir/second.yml"), NULL, arena, &err))
        return;
    GATE_ASSERT(gate_rules_diff(&other, rules, arena).ptr != NULL);
    gate_rules_free(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct gate_str text = {(const char *)bytes, len};
    struct gate_str second = GATE_STR("version: 1\n");
    struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_rules rules = {0};
    if (len > 0 && bytes[0] == '<') {
        size_t split = gate_str_find(text, GATE_STR("<<<\n"), 1);
        if (split != SIZE_MAX)
            second = gate_str_slice(text, split + 4, text.len);
        text = gate_str_slice(text, 1, split);
    }
    const struct gate_rules_reader reader = {read_second, &second};
    gate_arena_init(&arena, 64u << 20);
    if (gate_rules_parse(&rules, text, GATE_STR("dir/rules.yml"), &reader, &arena, &err)) {
        look(&rules, second, &arena);
        gate_rules_free(&rules);
    } else {
        struct gate_buf shown = {0};
        GATE_ASSERT(err.code != GATE_OK && err.message[0] != '\0');
        gate_caret_print(&shown, text, err.line, err.column);
        gate_buf_free(&shown);
    }
    gate_arena_free(&arena);
    return 0;
}
