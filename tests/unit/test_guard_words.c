/* SPDX-License-Identifier: Apache-2.0 */
/* Words in names: matches at each place, and the same answers as a search for one word at a time. */
#include "gate/guards/guards_frames.h"
#include "tests/unit/unit.h"

// clang-format off
// clang-format on

static const struct gate_guard_word words[] = {
    {GATE_GUARD_AT_START, "runtime.doInit"}, {GATE_GUARD_AT_END, ".init"},       {GATE_GUARD_ANYWHERE, "ab"},
    {GATE_GUARD_ANYWHERE, "abba"},           {GATE_GUARD_ANYWHERE, "\xc3\xa9t"},
};
enum { WORDS = sizeof words / sizeof *words };

static bool fits(const char *name) {
    struct gate_guard_words index;
    gate_guard_words_begin(&index, words, WORDS);
    return gate_guard_words_fit(&index, gate_str_from(name));
}

TEST(a_word_matches_only_at_its_place) {
    assert_true(fits("runtime.doInit1"));
    assert_false(fits("my.runtime.doInit"));
    assert_true(fits("net.init"));
    assert_false(fits("net.init.func1"));
    assert_true(fits(".init"));
    assert_true(fits("ab"));
    assert_true(fits("xxab"));
    assert_true(fits("\xc3\xa9t\xc3\xa9"));
    assert_false(fits("ba"));
    assert_false(fits("a"));
    assert_false(fits(""));
    assert_false(fits("\xc3\xa9"));
}

/* Match one word by plain string functions. */
static bool fits_one(const struct gate_guard_word *word, struct gate_str name) {
    struct gate_str text = gate_str_from(word->text);
    if (word->place == GATE_GUARD_AT_START)
        return gate_str_starts(name, text);
    return word->place == GATE_GUARD_AT_END ? gate_str_ends(name, text) : gate_str_find(name, text, 0) != SIZE_MAX;
}

/* Names of up to 9 letters a, b and c. */
TEST(the_index_matches_like_a_search_for_each_word) {
    static const struct gate_guard_word small[] = {{GATE_GUARD_AT_START, "ba"},
                                                   {GATE_GUARD_ANYWHERE, "abb"},
                                                   {GATE_GUARD_ANYWHERE, "cc"},
                                                   {GATE_GUARD_AT_END, "bc"}};
    struct gate_guard_words index;
    gate_guard_words_begin(&index, small, sizeof small / sizeof *small);
    for (uint32_t code = 0, all = 19683; code < all; code++) {
        char letters[9];
        for (uint32_t i = 0, rest = code; i < sizeof letters; i++, rest /= 3)
            letters[i] = (char)('a' + (char)(rest % 3));
        struct gate_str name = {letters, code % (sizeof letters + 1)};
        bool expected = false;
        for (size_t w = 0; w < sizeof small / sizeof *small; w++)
            expected = expected || fits_one(&small[w], name);
        assert_int_equal(gate_guard_words_fit(&index, name), expected);
    }
}

/* Words of 7 letters and more are searched at every fourth letter. They must be found at any offset, and a part of a
 * word must not match. */
TEST(long_words_match_at_any_offset_but_not_in_part) {
    static const struct gate_guard_word some[] = {
        {GATE_GUARD_ANYWHERE, "pyrosco"}, {GATE_GUARD_ANYWHERE, "felixge/fgprof"}, {GATE_GUARD_AT_END, ".init"}};
    static const char *const parts[] = {"pyrosco",       "pyrosc",         "yroscope", "felixge/fgprof",
                                        "felixge/fgpro", "fgprof/felixge", ".init"};
    struct gate_guard_words index;
    gate_guard_words_begin(&index, some, sizeof some / sizeof *some);
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
        for (size_t before = 0; before < 9; before++)
            for (size_t behind = 0; behind < 9; behind++) {
                char text[64];
                int len = snprintf(text, sizeof text, "%.*s%s%.*s", (int)before, "xxxxxxxxx", parts[part], (int)behind,
                                   "xxxxxxxxx");
                struct gate_str name = {text, (size_t)len};
                bool expected = false;
                for (size_t w = 0; w < sizeof some / sizeof *some; w++)
                    expected = expected || fits_one(&some[w], name);
                assert_int_equal(gate_guard_words_fit(&index, name), expected);
            }
}
