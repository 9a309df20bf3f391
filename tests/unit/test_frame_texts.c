/* SPDX-License-Identifier: Apache-2.0 */
/* compare/frames.h: names and files that two threads compute for many functions equal those computed for each function
 * alone. */
#include "gate/compare/frames.h"

#include "gate/model/location.h"
#include "gate/names/frame_name.h"
#include "gate/names/stable_names.h"
#include "tests/unit/unit.h"

enum { FUNCTIONS = 5000 };

static struct gate_profile many_functions(struct gate_arena *arena) {
    static const char *const names[][2] = {{"main.run.func", ""}, {"0x", ""}, {"plain", "x"}, {"app::h", "::h"}};
    static const char *const files[][2] = {{"/src/./a", ".go"}, {"/src/a", ".go"}, {"b/../c", ".c"}};
    struct gate_profile profile = {.function_count = FUNCTIONS};
    profile.functions = GATE_NEW_ARRAY(arena, struct gate_function, FUNCTIONS);
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        const char *const *name = names[i % 4], *const *file = files[i % 3];
        profile.functions[i].name = gate_str_format(arena, "%s%u%s%016x", name[0], i, name[1], i);
        const char *none = i % 2 == 0 ? "" : "Unknown";
        profile.functions[i].file =
            i % 7 == 0 ? gate_str_from(none) : gate_str_format(arena, "%s%u%s", file[0], i, file[1]);
    }
    return profile;
}

static void texts_are_those_of_each_function(bool exact_names) {
    AT_END(gate_arena_free) struct gate_arena arena = {0}, scratch = {0};
    struct gate_frame_texts texts;
    struct gate_profile profile = many_functions(&arena);
    assert_true(gate_frame_texts_make(&texts, &profile, exact_names, &arena, &scratch, &err));
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        struct gate_str name = profile.functions[i].name;
        if (gate_address_name_is(name))
            name = GATE_STR("");
        if (!exact_names)
            name = gate_name_stable(&arena, name);
        struct gate_str file = gate_file_path_clean(&arena, profile.functions[i].file);
        assert_true(gate_str_equal(texts.names[i], name));
        assert_true(gate_str_equal(texts.files[i], i % 7 == 0 ? GATE_STR("") : file));
    }
}

TEST(stable_names_are_those_of_each_function) {
    texts_are_those_of_each_function(false);
}

TEST(exact_names_are_those_of_each_function) {
    texts_are_those_of_each_function(true);
}

/* Of JavaScript, a function of a package has the package in its name, also where the program has one of that name. */
TEST(a_known_name_is_not_that_of_a_package) {
    static struct gate_function functions[] = {
        {.name = GATE_STR("parse"), .file = GATE_STR("/srv/app/parse.js")},
        {.name = GATE_STR("parse"), .file = GATE_STR("/srv/app/node_modules/yaml/dist/index.js")},
        {.name = GATE_STR("parse"), .file = GATE_STR("node:internal/url")},
    };
    static const char *const expected[] = {"parse", "parse (yaml)", "parse (node)"};
    const struct gate_profile profile = {.functions = functions, .function_count = 3};
    AT_END(gate_arena_free) struct gate_arena arena = {0}, scratch = {0};
    struct gate_frame_texts texts;
    struct gate_table known;
    gate_table_init(&known, &arena);
    assert_int_equal(gate_table_intern(&known, GATE_STR("parse")), 0);
    assert_true(gate_frame_texts_make_more(&texts, &profile, &known, &arena, &scratch, &err));
    for (uint32_t i = 0; i < 3; i++)
        assert_true(gate_str_equal(texts.names[i], gate_str_from(expected[i])));
}

/* A second profile shares functions with the first. Stable names that are known already are reused unchanged. A
 * function that only looks like the known name of a mapping ("[…]") gets its own stable name. */
TEST(known_names_are_those_of_each_function) {
    static const char *const odd[] = {"[go.shape.int]", "<unknown>", "main.run.func1.2", "", "main.new.func7"};
    AT_END(gate_arena_free) struct gate_arena arena = {0}, scratch = {0};
    struct gate_frame_texts texts;
    struct gate_table known;
    gate_table_init(&known, &scratch);
    struct gate_profile profile = many_functions(&arena);
    assert_int_not_equal(gate_table_intern(&known, GATE_STR("[go.shape.int]")), GATE_TABLE_NONE);
    for (uint32_t i = 0; i < FUNCTIONS; i += 2)
        assert_int_not_equal(gate_table_intern(&known, gate_name_stable(&arena, profile.functions[i].name)),
                             GATE_TABLE_NONE);
    for (uint32_t i = 0; i < FUNCTIONS; i += 3)
        profile.functions[i].name = gate_name_stable(&arena, profile.functions[i].name);
    for (uint32_t i = 0; i < sizeof odd / sizeof *odd; i++)
        profile.functions[i].name = gate_str_from(odd[i]);
    assert_true(gate_frame_texts_make_more(&texts, &profile, &known, &arena, &scratch, &err));
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        struct gate_str name = profile.functions[i].name;
        name = gate_address_name_is(name) ? GATE_STR("") : gate_name_stable(&arena, name);
        assert_true(gate_str_equal(texts.names[i], name));
    }
}

TEST(a_full_arena_is_a_clean_error) {
    struct gate_profile profile = many_functions(&arena);
    bool is_made = false;
    size_t refused = 0;
    for (size_t limit = 1; !is_made && limit < (size_t)1 << 24; limit = limit * 3 / 2 + 1) {
        AT_END(gate_arena_free) struct gate_arena texts_arena, scratch;
        struct gate_error err = {0};
        struct gate_frame_texts texts;
        gate_arena_init(&texts_arena, limit);
        gate_arena_init(&scratch, limit);
        is_made = gate_frame_texts_make(&texts, &profile, false, &texts_arena, &scratch, &err);
        assert_int_equal(err.code, is_made ? GATE_OK : GATE_ERR_LIMIT);
        refused += !is_made;
    }
    assert_true(is_made && refused > 8);
}

/* Two files' functions without a name are two frames, also where a run before had one of them. */
TEST(anonymous_functions_are_distinguished_by_file) {
    static const char *const files[][2] = {{"file:///srv/app/shop.js", "shop.js (anonymous)"},
                                           {"/app/node_modules/zod/index.cjs", "zod/index.cjs (anonymous)"},
                                           {"index.js", "index.js (anonymous)"},
                                           {"", "(anonymous)"}};
    enum { COUNT = sizeof files / sizeof *files };
    AT_END(gate_arena_free) struct gate_arena arena = {0}, scratch = {0};
    struct gate_table known;
    gate_table_init(&known, &scratch);
    assert_int_not_equal(gate_table_intern(&known, GATE_STR("(anonymous)")), GATE_TABLE_NONE);
    struct gate_function functions[COUNT];
    struct gate_profile profile = {.function_count = COUNT, .functions = functions};
    for (int i = 0; i < COUNT; i++)
        functions[i] = (struct gate_function){.name = GATE_STR("(anonymous)"), .file = gate_str_from(files[i][0])};
    for (int is_later_run = 0; is_later_run < 2; is_later_run++) {
        struct gate_frame_texts texts;
        assert_true(is_later_run ? gate_frame_texts_make_more(&texts, &profile, &known, &arena, &scratch, &err)
                                 : gate_frame_texts_make(&texts, &profile, false, &arena, &scratch, &err));
        for (int i = 0; i < COUNT; i++)
            assert_true(gate_str_equal(texts.names[i], gate_str_from(files[i][1])));
    }
}
