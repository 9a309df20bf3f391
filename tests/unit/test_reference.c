/* SPDX-License-Identifier: Apache-2.0 */
/* rules/README.md and schema.json against the parser. They document every key, word and guard, and no others. The
 * limits of guards and the sentences of presets match, and every example parses. */

#include "gate/base/embedded.h"
#include "gate/rules/guard_rules.h"
#include "gate/rules/limit.h"
#include "gate/rules/rules.h"
#include "gate/rules/rules_budget.h"
#include "gate/rules/rules_parse.h"
#include "tests/unit/unit.h"

static struct gate_arena kept; /* what all tests read */
static struct gate_str reference, schema;

static bool read_all(struct gate_str *out, const char *path) {
    FILE *file = fopen(path, "rb");
    char *bytes = gate_arena_alloc(&kept, 1 << 18);
    if (file == NULL || bytes == NULL)
        return false;
    *out = (struct gate_str){bytes, fread(bytes, 1, 1 << 18, file)};
    return fclose(file) == 0;
}

static int read_reference(void **state) {
    return read_all(&reference, GATE_SOURCE_DIR "/rules/README.md") &&
                   read_all(&schema, GATE_SOURCE_DIR "/rules/schema.json")
               ? 0
               : -1;
}

static int free_reference(void **state) {
    gate_arena_free(&kept);
    return 0;
}

/* Read the next line from `*at` on. Returns false at the end. */
static bool next_line(size_t *at, struct gate_str *line) {
    if (*at >= reference.len)
        return false;
    size_t end = gate_str_find(reference, GATE_STR("\n"), *at);
    *line = gate_str_slice(reference, *at, end);
    *at = end == SIZE_MAX ? reference.len : end + 1;
    return true;
}

/* Return cell `index` of a table row, trimmed; empty if there is none. */
static struct gate_str cell(struct gate_str line, unsigned index) {
    size_t from = 0;
    for (unsigned i = 0; i <= index; i++) {
        size_t bar = gate_str_find(line, GATE_STR("|"), from);
        if (bar == SIZE_MAX)
            return GATE_STR("");
        from = bar + 1;
    }
    return gate_str_trim(gate_str_slice(line, from, gate_str_find(line, GATE_STR("|"), from)));
}

/* Count the rows whose first cell is exactly `key`. `found` becomes the last of them. */
static unsigned rows_of(const char *key, struct gate_str *found) {
    struct gate_str line;
    struct gate_str wanted = gate_str_format(&arena, "`%s`", key);
    unsigned rows = 0;
    for (size_t at = 0; next_line(&at, &line);)
        if (gate_str_equal(cell(line, 0), wanted)) {
            *found = line;
            rows++;
        }
    return rows;
}

static const char *keys[128];
static unsigned key_count;

static void add_key(const char *section, const char *name) {
    assert_true(key_count < sizeof keys / sizeof *keys);
    keys[key_count++] = gate_str_format(&arena, "%s%s", section, name).ptr;
}

/* Add the keys of a section. What is for each item of a list has "[]", and what is for each of several names "*". */
static void add_keys(const char *section, const struct gate_rules_row *rows) {
    for (; rows->name != NULL; rows++) {
        const bool is_list = strcmp(rows->name, "budgets") == 0 || strcmp(rows->name, "rename") == 0;
        add_key(section, rows->name);
        if (rows->rows != NULL)
            add_keys(gate_str_format(&arena, "%s%s%s.", section, rows->name,
                                     is_list                             ? "[]"
                                     : strcmp(rows->name, "guards") == 0 ? ".*"
                                                                         : "")
                         .ptr,
                     rows->rows);
    }
}

static void list_keys(void) {
    key_count = 0;
    add_keys("", gate_rules_keys);
    for (int i = 0; i < GATE_LIMIT_KINDS; i++)
        add_key("budgets[].limit.", gate_limit_kind_name((enum gate_limit_kind)i));
    for (const char *const *level = gate_rules_limit_levels; *level != NULL; level++)
        add_key("budgets[].limit.*.", *level);
}

TEST(every_key_is_documented_once) {
    struct gate_str line;
    list_keys();
    for (unsigned i = 0; i < key_count; i++)
        if (rows_of(keys[i], &line) != 1)
            fail_msg("'%s' has %u rows in rules/README.md, expected 1", keys[i], rows_of(keys[i], &line));
    assert_true(key_count > 50);
}

static bool is_known(struct gate_str name) {
    for (unsigned i = 0; i < key_count; i++)
        if (gate_str_equal(name, gate_str_from(keys[i])))
            return true;
    for (uint32_t i = 0; i < GATE_GUARD_NAMES; i++)
        if (gate_str_equal(name, gate_str_format(&arena, "guards.%s", gate_guard_name((enum gate_guard)i))))
            return true;
    return false;
}

/* Tables of keys have "key" as their first heading. */
TEST(only_keys_of_the_parser_are_documented) {
    struct gate_str line;
    bool in_keys = false;
    unsigned seen = 0;
    list_keys();
    for (size_t at = 0; next_line(&at, &line);) {
        struct gate_str first = cell(line, 0);
        if (first.len == 0 || gate_str_starts(first, GATE_STR("---"))) {
            in_keys = in_keys && first.len != 0;
            continue;
        }
        if (gate_str_equal(first, GATE_STR("key")))
            in_keys = true;
        else if (in_keys && !is_known(gate_str_slice(first, 1, first.len - 1)))
            fail_msg("rules/README.md documents %.*s, which the parser does not know", GATE_STR_ARG(first));
        else
            seen += in_keys;
    }
    assert_true(seen > 60);
}

TEST(each_guard_is_documented_with_its_limit) {
    struct gate_rules none = {0};
    for (uint32_t i = 0; i < GATE_GUARD_NAMES; i++) {
        struct gate_str line = {0};
        const char *key = gate_str_format(&arena, "guards.%s", gate_guard_name((enum gate_guard)i)).ptr;
        const char *unit = gate_guard_unit((enum gate_guard)i);
        if (rows_of(key, &line) != 1)
            fail_msg("%s has no row of its own", key);
        struct gate_str expected = GATE_STR("");
        double limit = unit == NULL ? 0 : gate_guard_limit(&none, (enum gate_guard)i);
        if (unit != NULL)
            expected = gate_str_format(&arena, "`%g%s`", unit[0] == '%' ? limit * 100 : limit, unit);
        if (!gate_str_equal(cell(line, 1), expected))
            fail_msg("%s: the limit is %.*s, the reference says %.*s", key, GATE_STR_ARG(expected),
                     GATE_STR_ARG(cell(line, 1)));
    }
}

static void expect_word(const char *key, const char *word) {
    struct gate_str line = {0};
    assert_int_equal(rows_of(key, &line), 1);
    if (gate_str_find(line, gate_str_format(&arena, "`%s`", word), 0) == SIZE_MAX)
        fail_msg("the row of %s in rules/README.md lacks '%s'", key, word);
    if (gate_str_find(schema, gate_str_format(&arena, "\"%s\"", word), 0) == SIZE_MAX)
        fail_msg("rules/schema.json lacks '%s' of %s", word, key);
}

/* Each word of the tables beside the enums is in README.md and in the schema. */
TEST(words_are_documented_and_in_the_schema) {
    for (int i = 0; i < GATE_BUDGET_MEASURES; i++)
        expect_word("budgets[].measure", gate_budget_measure_name((enum gate_budget_measure)i));
    for (int i = 0; i < GATE_LIMIT_KINDS; i++) {
        struct gate_str line = {0};
        const char *name = gate_limit_kind_name((enum gate_limit_kind)i);
        assert_int_equal(rows_of(gate_str_format(&arena, "budgets[].limit.%s", name).ptr, &line), 1);
        bool is_of_all = !gate_limit_row((enum gate_limit_kind)i)->is_of_share && i != GATE_LIMIT_GROWTH;
        if (is_of_all != gate_str_equal(cell(line, 2), GATE_STR("all")))
            fail_msg("rules/README.md says of '%s' the wrong measures", name);
        if (gate_str_find(schema, gate_str_format(&arena, "\"%s\": {", name), 0) == SIZE_MAX)
            fail_msg("rules/schema.json lacks the limit '%s'", name);
    }
    for (int i = 0; gate_severity_words[i] != NULL; i++)
        expect_word("budgets[].severity", gate_severity_words[i]);
    for (int i = 0; gate_on_inconclusive_words[i] != NULL; i++)
        expect_word("defaults.on_inconclusive", gate_on_inconclusive_words[i]);
    for (int i = 0; gate_naming_granularities[i] != NULL; i++)
        expect_word("frames.granularity", gate_naming_granularities[i]);
    for (int i = 0; gate_naming_modes[i] != NULL; i++)
        expect_word("frames.names", gate_naming_modes[i]);
    for (int i = 0; i < GATE_GUARD_NAMES; i++)
        if (gate_str_find(schema, gate_str_format(&arena, "\"%s\": {", gate_guard_name((enum gate_guard)i)), 0) ==
            SIZE_MAX)
            fail_msg("rules/schema.json lacks the guard '%s'", gate_guard_name((enum gate_guard)i));
}

/* Each block fenced as yaml must parse as a whole rules file. */
TEST(each_example_in_the_reference_parses) {
    const struct gate_str fence = GATE_STR("```yaml\n");
    unsigned parsed = 0;
    for (size_t at = gate_str_find(reference, fence, 0); at != SIZE_MAX; at = gate_str_find(reference, fence, at)) {
        size_t from = at + fence.len;
        size_t to = gate_str_find(reference, GATE_STR("```"), from);
        struct gate_rules rules = {0};
        if (!gate_rules_parse(&rules, gate_str_slice(reference, from, to), GATE_STR("README.md"), NULL, &arena, &err))
            fail_msg("example %u: %u:%u: %s", parsed + 1, (unsigned)err.line, (unsigned)err.column, err.message);
        gate_rules_free(&rules);
        parsed++;
        at = to;
    }
    assert_true(parsed >= 5);
}

/* A preset's first line is its sentence. The reference repeats it. */
TEST(each_preset_is_documented_with_its_first_line) {
    unsigned presets = 0;
    for (const struct gate_embedded *file = gate_embedded_files; file->name != NULL; file++) {
        struct gate_str name = gate_str_from(file->name);
        if (!gate_str_ends(name, GATE_STR(".yml")))
            continue;
        struct gate_str sentence = gate_str_slice(file->bytes, 2, gate_str_find(file->bytes, GATE_STR("\n"), 0));
        struct gate_str row = gate_str_format(&arena, "| [`%.*s`](%s) | %.*s |", (int)name.len - 4, name.ptr,
                                              file->name, GATE_STR_ARG(sentence));
        if (gate_str_find(reference, row, 0) == SIZE_MAX)
            fail_msg("rules/README.md lacks the row: %.*s", GATE_STR_ARG(row));
        presets++;
    }
    assert_true(presets >= 8);
}

BEFORE_AND_AFTER_ALL(read_reference, free_reference)
