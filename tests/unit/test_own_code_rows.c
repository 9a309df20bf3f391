/* SPDX-License-Identifier: Apache-2.0 */
/* names/own_code.h: gate_own_code_rows_code, which skips rows quickly, agrees with testing each row of the table in
 * order. Names, files and mappings are composed of the table's own texts. */
#include "gate/base/hash.h"
#include "gate/names/own_code.h"
#include "tests/unit/unit.h"

// clang-format off
// clang-format on

enum { TRIES = 4000, PARTS = 4, LONGEST = 400 };

static uint32_t draw(uint64_t *seed, uint32_t below) {
    *seed = gate_hash_mix(*seed + 1);
    return (uint32_t)(*seed >> 33) % below;
}

/* Return a row's text, one word of its list, or other text. */
static struct gate_str piece(uint64_t *seed) {
    static const char *const others[] = {"x", ".", "/", "::", "\\", " ", "@", "(", "shop", "C:\\Lib\\", "1", ""};
    const struct gate_own_code_test *test =
        &gate_own_code_table_rows[draw(seed, (uint32_t)gate_own_code_table_row_count)].test;
    if (test->text == NULL || draw(seed, 3) == 0)
        return gate_str_from(others[draw(seed, sizeof others / sizeof *others)]);
    struct gate_str text = {test->text, test->len};
    if (test->how != GATE_OWN_CODE_HOW_IN)
        return text;
    size_t from = gate_str_find(text, GATE_STR(" "), draw(seed, (uint32_t)text.len - 2));
    from = from + 1 < text.len ? from + 1 : 1;
    return gate_str_slice(text, from, gate_str_find(text, GATE_STR(" "), from));
}

static struct gate_str made(char out[LONGEST], uint64_t *seed) {
    size_t len = 0;
    for (uint32_t i = draw(seed, PARTS + 1); i > 0; i--) {
        struct gate_str next = piece(seed);
        if (len + next.len > LONGEST)
            break;
        memcpy(out + len, next.ptr, next.len);
        len += next.len;
    }
    return (struct gate_str){out, len};
}

static enum gate_code plainly(enum gate_language language, const struct gate_own_code_lookup *look) {
    for (size_t i = 0; i < gate_own_code_table_row_count; i++)
        if ((gate_own_code_table_rows[i].languages & 1u << language) != 0 &&
            gate_own_code_lookup_fits(look, &gate_own_code_table_rows[i].test))
            return gate_own_code_table_rows[i].code;
    return GATE_CODES;
}

TEST(rows_say_what_the_table_says) {
    uint64_t seed = 1;
    uint32_t said[GATE_CODES + 1] = {0};
    for (enum gate_language language = GATE_LANGUAGE_UNKNOWN; language < GATE_LANGUAGES; language++) {
        struct gate_own_code_rows rows;
        gate_own_code_rows_of(&rows, language);
        assert_int_equal(rows.language, language);
        for (int i = 0; i < TRIES; i++) {
            char name[LONGEST], file[LONGEST], mapping[LONGEST];
            const struct gate_code_place place = {made(name, &seed), made(file, &seed), made(mapping, &seed),
                                                  draw(&seed, 2) == 0};
            struct gate_own_code_lookup look;
            gate_own_code_lookup_at(&look, language, &place);
            enum gate_code expected = plainly(language, &look), found = gate_own_code_rows_code(&rows, &look);
            if (found != expected)
                fail_msg("'%.*s' in '%.*s' of '%.*s', language %d: %d, not %d", GATE_STR_ARG(place.function),
                         GATE_STR_ARG(place.file), GATE_STR_ARG(place.mapping), (int)language, (int)found,
                         (int)expected);
            said[found]++;
        }
    }
    assert_true(said[GATE_CODE_OWN] > TRIES / 20 && said[GATE_CODE_THIRD_PARTY] > TRIES / 20);
    assert_true(said[GATE_CODE_LIBRARY] > TRIES / 20);
}

TEST(a_word_for_an_unknown_file_is_no_file) {
    static const char *const files[] = {"Unknown", "unknown", "<unknown>", "[unknown]", "??", "nothing", "x.c"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const struct gate_code_place place = {GATE_STR("run"), gate_str_from(files[i]), GATE_STR(""), true};
        struct gate_own_code_lookup look;
        gate_own_code_lookup_at(&look, GATE_LANGUAGE_NATIVE, &place);
        assert_int_equal(look.on[GATE_OWN_CODE_ON_FILE].len, strcmp(files[i], "x.c") == 0 ? 3 : 0);
    }
}

/* Also at its very end, and not the beginning of a text. */
TEST(a_windows_path_contains_a_text_with_either_slash) {
    static const struct gate_own_code_test has = {GATE_OWN_CODE_ON_FILE, GATE_OWN_CODE_HOW_CONTAINS, 8, "/vendor/"},
                                           lacks = {GATE_OWN_CODE_ON_FILE, GATE_OWN_CODE_HOW_LACKS, 8, "/vendor/"};
    struct gate_own_code_lookup look = {.is_windows = true};
    look.on[GATE_OWN_CODE_ON_FILE] = GATE_STR("C:\\shop\\vendor\\");
    assert_true(gate_own_code_lookup_fits(&look, &has) && !gate_own_code_lookup_fits(&look, &lacks));
    look.on[GATE_OWN_CODE_ON_FILE] = GATE_STR("C:\\shop\\vendor");
    assert_true(!gate_own_code_lookup_fits(&look, &has) && gate_own_code_lookup_fits(&look, &lacks));
}
