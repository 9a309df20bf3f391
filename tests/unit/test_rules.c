/* SPDX-License-Identifier: Apache-2.0 */
/* The rules parser on tests/rules/: each file in accept/ parses, and each file in reject/ fails with the error in its
 * first line. The rows of values.txt are the same for values of keys. Also presets and the fields of parsed rules.
 * test_limit.c and test_keys.c test the values of single keys. */

#include "gate/rules/rules_parse.h"
#include "tests/unit/unit.h"

#include <dirent.h>

#define RULES_DIR GATE_SOURCE_DIR "/tests/rules"

static bool read_path(struct gate_str *bytes, const char *path, struct gate_arena *arena) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    char *buffer = gate_arena_alloc(arena, 1 << 19);
    assert_non_null(buffer);
    bytes->ptr = buffer;
    bytes->len = fread(buffer, 1, 1 << 19, file);
    (void)fclose(file);
    return true;
}

/* Read a file that `extends:` names. The parser has resolved `path` against the file that contains the key. */
static bool read_for_rules(void *context, struct gate_str *bytes, struct gate_str path, struct gate_arena *arena,
                           struct gate_error *err) {
    char name[512];
    (void)context;
    (void)snprintf(name, sizeof name, "%.*s", GATE_STR_ARG(path));
    if (!read_path(bytes, name, arena))
        return gate_error_set(err, GATE_ERR_IO, "cannot open the file");
    return true;
}

static const struct gate_rules_reader reader = {read_for_rules, NULL};

static bool parse_text(struct gate_rules *rules, const char *text, struct gate_arena *arena, struct gate_error *err) {
    return gate_rules_parse(rules, gate_str_from(text), GATE_STR("rules.yml"), NULL, arena, err);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* List the .yml files of a directory, sorted, so that the first failure is always the same. */
static uint32_t list_files(char **names, uint32_t capacity, const char *directory) {
    DIR *dir = opendir(directory);
    uint32_t count = 0;
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        size_t len = strlen(entry->d_name);
        if (len < 4 || strcmp(entry->d_name + len - 4, ".yml") != 0)
            continue;
        assert_true(count < capacity);
        names[count] = malloc(len + 1);
        assert_non_null(names[count]);
        memcpy(names[count++], entry->d_name, len + 1);
    }
    (void)closedir(dir);
    qsort(names, count, sizeof *names, by_name);
    return count;
}

static void accept(const char *path, struct gate_str text) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    AT_END(gate_rules_free) struct gate_rules rules = {0};
    if (!gate_rules_parse(&rules, text, gate_str_from(path), &reader, &arena, &err))
        fail_msg("%s:%u:%u: %s", path, (unsigned)err.line, (unsigned)err.column, err.message);
    assert_true(rules.budget_count > 0);
}

static void reject(const char *path, struct gate_str text, struct gate_str expected) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_rules rules = {0};
    char got[1200];
    if (gate_rules_parse(&rules, text, gate_str_from(path), &reader, &arena, &err))
        fail_msg("%s: accepted, expected %.*s", path, GATE_STR_ARG(expected));
    assert_true(err.code == GATE_ERR_CONFIG || err.code == GATE_ERR_LIMIT || err.code == GATE_ERR_IO);
    /* remove the tests' directory from paths of extended files in the message */
    int at = snprintf(got, sizeof got, "%u:%u: ", (unsigned)err.line, (unsigned)err.column);
    for (const char *c = err.message; *c != '\0'; c++) {
        if (strncmp(c, RULES_DIR "/", sizeof RULES_DIR) == 0)
            c += sizeof RULES_DIR;
        got[at++] = *c;
    }
    got[at] = '\0';
    if (!gate_str_equal(expected, gate_str_from(got)))
        fail_msg("%s:\n expected %.*s\n      got %s", path, GATE_STR_ARG(expected), got);
}

static void accept_file(const char *path) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_str text = {0};
    assert_true(read_path(&text, path, &arena));
    accept(path, text);
}

static void reject_file(const char *path) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_str text = {0};
    const struct gate_str mark = GATE_STR("# expect: ");
    assert_true(read_path(&text, path, &arena));
    assert_true(gate_str_starts(text, mark));
    reject(path, text, gate_str_slice(text, mark.len, gate_str_find(text, GATE_STR("\n"), 0)));
}

static void each_file(const char *directory, uint32_t at_least, void (*check)(const char *path)) {
    static char *names[400];
    uint32_t count = list_files(names, 400, directory);
    assert_true(count >= at_least);
    for (uint32_t i = 0; i < count; i++) {
        char path[600];
        (void)snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        check(path);
        free(names[i]);
    }
}

TEST(each_file_in_accept_is_accepted) {
    each_file(RULES_DIR "/accept", 20, accept_file);
}

TEST(each_file_in_reject_is_refused_with_its_expected_error) {
    each_file(RULES_DIR "/reject", 40, reject_file);
}

static struct gate_str next_line(struct gate_str *rest) {
    size_t end = gate_str_find(*rest, GATE_STR("\n"), 0);
    struct gate_str line = gate_str_slice(*rest, 0, end);
    *rest = end == SIZE_MAX ? (struct gate_str){0} : gate_str_slice(*rest, end + 1, rest->len);
    return line;
}

/* Judge the rules file of a row. A row of what is rejected has the expected error behind the last "  # ". */
static void check_row(struct gate_str title, struct gate_str template, struct gate_str row, bool is_accepted) {
    size_t place = gate_str_find(template, GATE_STR("VALUE"), 0), mark = row.len;
    while (!is_accepted && mark > 0 && !gate_str_starts(gate_str_slice(row, mark, row.len), GATE_STR("  # ")))
        mark--;
    if (place == SIZE_MAX || mark == 0)
        fail_msg("values.txt: %.*s: %.*s: no VALUE, or no error", GATE_STR_ARG(title), GATE_STR_ARG(row));
    struct gate_str value = gate_str_slice(row, 0, mark);
    if (gate_str_equal(value, GATE_STR("(nothing)")))
        value = GATE_STR("");
    AT_END(gate_buf_free) struct gate_buf text = {0}, name = {0};
    gate_buf_str(&text, gate_str_slice(template, 0, place));
    gate_buf_str(&text, value);
    gate_buf_str(&text, gate_str_slice(template, place + strlen("VALUE"), template.len));
    gate_buf_printf(&name, "values.txt: %.*s: %.*s%c", GATE_STR_ARG(title), GATE_STR_ARG(row), '\0');
    if (is_accepted)
        accept(name.ptr, gate_buf_view(&text));
    else
        reject(name.ptr, gate_buf_view(&text), gate_str_slice(row, mark + strlen("  # "), row.len));
}

TEST(each_value_in_values_txt_is_accepted_or_refused_as_marked) {
    struct gate_str rest, title = {0}, template = {0};
    bool is_accepted = false;
    uint32_t counts[2] = {0};
    assert_true(read_path(&rest, RULES_DIR "/values.txt", &arena));
    for (struct gate_str line = next_line(&rest); rest.len > 0 || line.len > 0; line = next_line(&rest)) {
        if (gate_str_starts(line, GATE_STR("=== "))) {
            title = gate_str_slice(line, strlen("=== "), line.len);
            template = gate_str_slice(rest, 0, gate_str_find(rest, GATE_STR("--- "), 0));
            rest = gate_str_slice(rest, template.len, rest.len);
        } else if (gate_str_starts(line, GATE_STR("--- "))) {
            is_accepted = gate_str_equal(line, GATE_STR("--- accept"));
        } else if (title.len > 0 && line.len > 0) {
            check_row(title, template, line, is_accepted);
            counts[is_accepted]++;
        }
    }
    assert_true(counts[true] >= 100 && counts[false] >= 200);
}

TEST(each_preset_is_accepted) {
    each_file(GATE_SOURCE_DIR "/rules", 2, accept_file);
}

TEST(the_recommended_preset_has_the_expected_budgets_and_levels) {
    AT_END(gate_rules_free) struct gate_rules rules = {0};
    assert_true(gate_rules_parse_preset(&rules, "recommended", &arena, &err));
    assert_true(gate_str_equal(rules.source, GATE_STR("recommended (built in)")));
    assert_float_equal(rules.alpha, 0.01, 0);
    assert_float_equal(rules.alpha_margin, 0.05, 0);
    assert_float_equal(rules.min_samples, 100, 0);
    assert_int_equal(rules.on_inconclusive, GATE_ON_INCONCLUSIVE_INCONCLUSIVE);
    assert_int_equal(rules.budget_count, 8);

    const struct gate_budget *takes_over = &rules.budgets[0];
    assert_int_equal(takes_over->measure, GATE_MEASURE_CHARGED);
    assert_int_equal(takes_over->severity, GATE_SEVERITY_ERROR);
    assert_int_equal(takes_over->limit_count, 1);
    assert_int_equal(takes_over->limits[0].kind, GATE_LIMIT_SHARE_INCREASE);
    assert_int_equal(takes_over->limits[0].severity, GATE_SEVERITY_ERROR);
    assert_true(takes_over->limits[0].value == 0.05);

    const struct gate_budget *doubles = &rules.budgets[1];
    assert_int_equal(doubles->measure, GATE_MEASURE_CHARGED);
    assert_int_equal(doubles->limits[0].kind, GATE_LIMIT_INCREASE);
    assert_true(doubles->limits[0].value == 2.0);
    assert_float_equal(doubles->min_share, 0.04, 1e-12);

    const struct gate_budget *work = &rules.budgets[2];
    assert_int_equal(work->measure, GATE_MEASURE_TOTAL_COST);
    assert_int_equal(work->severity, GATE_SEVERITY_ERROR);
    assert_true(work->limits[0].value == 1.2);
    for (uint32_t i = 0; i < rules.budget_count; i++)
        assert_int_equal(rules.budgets[i].requires, i == 2 ? GATE_REQUIRES_EQUAL : GATE_REQUIRES_NOTHING);

    static const enum gate_budget_measure warnings[] = {GATE_MEASURE_SELF, GATE_MEASURE_CUMULATIVE};
    for (uint32_t i = 0; i < 2; i++) {
        const struct gate_budget *warning = &rules.budgets[3 + i];
        assert_int_equal(warning->measure, warnings[i]);
        assert_int_equal(warning->severity, GATE_SEVERITY_WARN);
        assert_int_equal(warning->limits[0].severity, GATE_SEVERITY_WARN);
    }
    const struct gate_budget *path = &rules.budgets[5];
    assert_int_equal(path->measure, GATE_MEASURE_PATH);
    assert_int_equal(path->severity, GATE_SEVERITY_ERROR);
    assert_true(path->limits[0].value == 0.05);
    const struct gate_budget *outside = &rules.budgets[6];
    assert_int_equal(outside->measure, GATE_MEASURE_SELF);
    assert_true(outside->select.no_own_caller);
    assert_true(outside->limits[0].value == 0.1);
}

TEST(an_unknown_preset_is_refused) {
    struct gate_rules rules = {0};
    assert_false(gate_rules_parse_preset(&rules, "lenient", &arena, &err));
    assert_int_equal(err.code, GATE_ERR_CONFIG);
    assert_string_equal(err.message, "unknown preset 'lenient'");
}

/* The preset strict replaces budgets of recommended by name, in the same order, and adds one. */
TEST(the_strict_preset_replaces_budgets_of_recommended_by_name) {
    AT_END(gate_rules_free) struct gate_rules rules = {0};
    assert_true(gate_rules_parse_preset(&rules, "strict", &arena, &err));
    assert_int_equal(rules.budget_count, 9);
    assert_true(gate_str_equal(rules.budgets[0].name, GATE_STR("no function takes over")));
    assert_int_equal(rules.budgets[0].limit_count, 2);
    assert_int_equal(rules.budgets[0].limits[0].severity, GATE_SEVERITY_WARN);
    assert_true(rules.budgets[0].limits[0].value == 0.01);
    assert_int_equal(rules.budgets[0].limits[1].severity, GATE_SEVERITY_ERROR);
    assert_true(rules.budgets[0].limits[1].value == 0.02);
    assert_int_equal(rules.budgets[0].measure, GATE_MEASURE_CHARGED);
    assert_true(rules.budgets[1].min_share == 0.005);
    assert_int_equal(rules.budgets[2].requires, GATE_REQUIRES_EQUAL);
    assert_int_equal(rules.budgets[3].severity, GATE_SEVERITY_WARN);
    assert_int_equal(rules.budgets[3].measure, GATE_MEASURE_SELF);
    assert_int_equal(rules.budgets[4].severity, GATE_SEVERITY_ERROR);
    assert_int_equal(rules.budgets[4].measure, GATE_MEASURE_CUMULATIVE);
    assert_int_equal(rules.budgets[5].severity, GATE_SEVERITY_OFF);
    assert_int_equal(rules.budgets[5].measure, GATE_MEASURE_PATH);
    assert_true(rules.budgets[6].select.no_own_caller);
    assert_true(rules.budgets[7].select.one_sided);
    assert_int_equal(rules.budgets[8].limits[0].kind, GATE_LIMIT_NEW_FRAME);
    assert_int_equal(rules.budgets[8].measure, GATE_MEASURE_CHARGED);
    assert_float_equal(rules.min_samples, 100, 0);
}

/* Presets: the number of budgets, of those that only warn, and of those that measure charged cost. */
TEST(each_preset_has_the_expected_number_of_budgets) {
    static const struct {
        const char *name;
        uint32_t budgets, warnings, charged;
    } presets[] = {
        {"recommended", 8, 2, 3}, {"strict", 9, 1, 4}, {"heap", 7, 1, 2},
        {"contention", 3, 1, 0},  {"wall", 4, 1, 2},   {"goroutine", 3, 0, 0},
    };
    for (size_t p = 0; p < sizeof presets / sizeof *presets; p++) {
        AT_END(gate_rules_free) struct gate_rules rules = {0};
        uint32_t warnings = 0, charged = 0;
        assert_true(gate_rules_parse_preset(&rules, presets[p].name, &arena, &err));
        for (uint32_t i = 0; i < rules.budget_count; i++) {
            warnings += rules.budgets[i].severity == GATE_SEVERITY_WARN;
            charged += rules.budgets[i].measure == GATE_MEASURE_CHARGED;
        }
        if (rules.budget_count != presets[p].budgets || warnings != presets[p].warnings ||
            charged != presets[p].charged)
            fail_msg("%s: %u budgets, %u warn, %u charged", presets[p].name, (unsigned)rules.budget_count,
                     (unsigned)warnings, (unsigned)charged);
    }
}

/* `own` has two lists of patterns, in the order of the file. `requires` belongs to one budget. */
TEST(own_patterns_and_requires_are_parsed) {
    AT_END(gate_rules_free) struct gate_rules rules = {0};
    const char *text = "version: 1\n"
                       "own: {include: ['^lib', '/shared/'], exclude: ['^main\\.log']}\n"
                       "budgets:\n"
                       "  - {name: a, requires: work, limit: +1pp}\n"
                       "  - {name: b, requires: nothing, limit: +1pp}\n"
                       "  - {name: c, limit: +1pp}\n";
    assert_true(parse_text(&rules, text, &arena, &err));
    const struct gate_own_options *own = &rules.frames.own;
    assert_int_equal(own->include_count, 2);
    assert_int_equal(own->exclude_count, 1);
    assert_int_equal(gate_regex_match(own->include[0], GATE_STR("libcart")), GATE_REGEX_YES);
    assert_int_equal(gate_regex_match(own->include[0], GATE_STR("a/shared/b")), GATE_REGEX_NO);
    assert_int_equal(gate_regex_match(own->include[1], GATE_STR("a/shared/b")), GATE_REGEX_YES);
    assert_int_equal(gate_regex_match(own->exclude[0], GATE_STR("main.logAll")), GATE_REGEX_YES);
    assert_int_equal(gate_regex_match(own->exclude[0], GATE_STR("mainXlog")), GATE_REGEX_NO);
    assert_int_equal(rules.budgets[0].requires, GATE_REQUIRES_WORK);
    assert_int_equal(rules.budgets[1].requires, GATE_REQUIRES_NOTHING);
    assert_int_equal(rules.budgets[2].requires, GATE_REQUIRES_NOTHING);
}

TEST(the_severity_of_a_budget_caps_that_of_its_limits) {
    AT_END(gate_rules_free) struct gate_rules rules = {0};
    const char *text =
        "version: 1\n"
        "defaults: {severity: warn}\n"
        "budgets:\n"
        "  - {name: a, limit: {share_increase: {warn: +1pp, error: +2pp}}}\n"
        "  - {name: b, severity: error, limit: {share_increase: {warn: +1pp, error: +2pp}, increase: 2x}}\n"
        "  - {name: c, severity: off, limit: +1pp}\n";
    assert_true(parse_text(&rules, text, &arena, &err));
    assert_int_equal(rules.budgets[0].severity, GATE_SEVERITY_WARN);
    assert_int_equal(rules.budgets[0].limits[1].severity, GATE_SEVERITY_WARN);
    assert_int_equal(rules.budgets[1].limits[0].severity, GATE_SEVERITY_WARN);
    assert_int_equal(rules.budgets[1].limits[1].severity, GATE_SEVERITY_ERROR);
    assert_int_equal(rules.budgets[1].limits[2].severity, GATE_SEVERITY_ERROR);
    assert_int_equal(rules.budgets[2].severity, GATE_SEVERITY_OFF);
}

/* Parse with a growing arena limit: a clean error each time, until the limit suffices. Nothing leaks. */
TEST(every_memory_limit_that_is_too_small_is_a_clean_error) {
    const char *text = "version: 1\nextends: recommended\nframes: {rename: [{match: '^(a)$', to: '$1'}]}\n"
                       "budgets:\n  - {name: a, select: {function: x}, where: {k: v}, limit: +1pp}\n";
    bool parsed = false;
    for (size_t limit = 1; limit < (1u << 22) && !parsed; limit += 1 + limit / 16) {
        struct gate_error err = {0};
        struct gate_rules rules = {0};
        gate_arena_free(&arena);
        gate_arena_init(&arena, limit);
        parsed = parse_text(&rules, text, &arena, &err);
        if (parsed)
            gate_rules_free(&rules);
        else
            assert_true(err.code == GATE_ERR_LIMIT || err.code == GATE_ERR_MEMORY);
    }
    assert_true(parsed);
}

/* rules.h: a pattern of `own` is searched for in the name and in the file. */
TEST(own_patterns_count_once_for_name_and_once_for_file) {
    const struct gate_rules rules = {
        .frames = {.ignore_count = 1000, .rename_count = 200, .own = {.include_count = 30, .exclude_count = 4}}};
    assert_int_equal(gate_rules_patterns(&rules), 1000 + 200 + 30 + 30 + 4 + 4);
}
