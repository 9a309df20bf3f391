/* SPDX-License-Identifier: Apache-2.0 */
/* compare/minified.h: scripts of two builds, whose functions with names of one or two letters are one frame. */
#include "tests/unit/pair_fixture.h"
#include "tests/unit/sweep.h"

#include "gate/base/buf.h"
#include "gate/compare/minified.h"

/* A script of a build: its functions, each a root with 10 samples, one behind the other in its only line. */
struct script {
    const char *file;
    const char *names;    /* with blanks between them */
    unsigned first, step; /* column of the first function, and from one to the next */
    bool has_lines;
};

static void add_script(struct pair_fixture *pair, enum gate_side_name side, const struct script *script) {
    AT_END(gate_buf_free) struct gate_buf text = {0}, ids = {0}, samples = {0};
    struct gate_str rest = gate_str_from(script->names);
    unsigned id = 1;
    while (rest.len != 0) {
        struct gate_str name = gate_str_slice(rest, 0, gate_str_find(rest, GATE_STR(" "), 0));
        rest = gate_str_slice(rest, name.len + 1, rest.len);
        id++;
        gate_buf_printf(&ids, "%s%u", id == 2 ? "" : ",", id);
        gate_buf_printf(&text,
                        ",{\"id\":%u,\"callFrame\":{\"functionName\":\"%.*s\",\"url\":\"file://%s\",\"lineNumber\":%d,"
                        "\"columnNumber\":%d}}",
                        id, GATE_STR_ARG(name), script->file, script->has_lines ? 0 : -1,
                        script->has_lines ? (int)(script->first + id * script->step) : -1);
        for (int i = 0; i < 10; i++)
            gate_buf_printf(&samples, "%s%u", samples.len == 0 ? "" : ",", id);
    }
    struct gate_str profile = gate_str_format(
        &pair->arena,
        "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"url\":\"\",\"lineNumber\":-1,"
        "\"columnNumber\":-1},\"children\":[%.*s]}%.*s],\"startTime\":0,\"endTime\":%u,\"samples\":[%.*s],"
        "\"timeDeltas\":[",
        GATE_STR_ARG(gate_buf_view(&ids)), GATE_STR_ARG(gate_buf_view(&text)), 10000 * (id - 1),
        GATE_STR_ARG(gate_buf_view(&samples)));
    text.len = 0;
    gate_buf_str(&text, profile);
    for (unsigned i = 0; i < 10 * (id - 1); i++)
        gate_buf_printf(&text, "%s1000", i == 0 ? "" : ",");
    gate_buf_text(&text, "]}");
    fixture_add(pair, side, gate_str_copy(&pair->arena, gate_buf_view(&text)).ptr);
}

/* Compare two builds. `joined` is the name of the joined frame, or NULL: none; `kept` is a name that stays. */
static void assert_joined(const struct script *baseline, const struct script *canary, const char *joined,
                          const char *kept, const char *list) {
    bool is_joined = false, is_kept = false;
    AT_END(fixture_end) struct pair_fixture pair = {0};
    add_script(&pair, GATE_BASELINE, baseline);
    add_script(&pair, GATE_CANARY, canary);
    fixture_make(&pair, NULL);
    for (uint32_t i = 0; i < pair.pair.frame_count; i++) {
        struct gate_str name = pair.pair.frames[i].name;
        is_kept = is_kept || gate_str_equal(name, gate_str_from(kept));
        if (!gate_minified_name_is(name))
            continue;
        assert_non_null(joined);
        assert_string_equal(gate_str_copy(&pair.arena, name).ptr, joined);
        is_joined = true;
    }
    assert_int_equal(is_joined, joined != NULL);
    assert_true(is_kept);
    assert_string_equal(gate_str_copy(&pair.arena, pair.pair.minified).ptr, list);
}

static const struct script shop = {"/srv/7/dist/shop.js", "a b c describe", 100, 10, true};

TEST(functions_of_two_builds_are_one) {
    const struct script next = {"/srv/8/dist/shop.js", "b c d describe", 300, 10, true};
    const struct script asked = {"/srv/8/dist/shop.js?v=8", "b c d describe", 300, 10, true};
    const struct script inner = {"/srv/8/dist/shop.js", "b.(anonymous) c d describe", 300, 10, true};
    assert_joined(&shop, &next, "(minified) dist/shop.js", "describe", "dist/shop.js");
    assert_joined(&shop, &asked, "(minified) dist/shop.js", "describe", "dist/shop.js");
    assert_joined(&shop, &inner, "(minified) dist/shop.js", "describe", "dist/shop.js");
}

TEST(a_script_that_one_side_has_is_joined_with_others) {
    const struct script hashed = {"/srv/8/dist/shop-X3.js", "a b c describe", 100, 10, true};
    assert_joined(&shop, &hashed, "(minified code)", "describe", "dist/shop.js and 1 more");
}

TEST(functions_of_one_build_keep_their_names) {
    const struct script moved = {"/srv/8/dist/shop.js", "a b c describe", 100, 10, true};
    const struct script other = {"/srv/8/dist/shop.js", "b a c describe", 100, 10, true}; /* c is where it was */
    assert_joined(&shop, &shop, NULL, "b", "");
    assert_joined(&shop, &moved, NULL, "b", "");
    assert_joined(&shop, &other, "(minified) dist/shop.js", "describe", "dist/shop.js");
}

TEST(names_that_no_minifier_gave_are_kept) {
    const struct script few = {"/srv/7/shop.js", "id ok describe", 100, 10, true};
    const struct script few_moved = {"/srv/7/shop.js", "id ok describe", 300, 10, true};
    const struct script some = {"/srv/7/shop.js", "a b c one two three four five", 100, 10, true}; /* 3 of 8 */
    const struct script some_moved = {"/srv/7/shop.js", "a b c one two three four five", 300, 10, true};
    const struct script many = {"/srv/7/shop.js", "a b c d e f g h i1 one two three four five six seven eight nine ten",
                                9, 10, true};
    const struct script many_moved = {
        "/srv/7/shop.js", "a b c d e f g h i1 one two three four five six seven eight nine ten", 300, 10, true};
    const struct script typed = {"/srv/7/shop.ts", "a b c describe", 100, 10, true};
    const struct script typed_moved = {"/srv/7/shop.ts", "a b c describe", 300, 10, true};
    const struct script nowhere = {"/srv/7/shop.js", "a b c describe", 0, 0, false};
    assert_joined(&few, &few_moved, NULL, "id", "");
    assert_joined(&some, &some_moved, NULL, "a", "");
    assert_joined(&many, &many_moved, "(minified) 7/shop.js", "one", "7/shop.js");
    assert_joined(&typed, &typed_moved, NULL, "a", "");
    assert_joined(&nowhere, &nowhere, NULL, "a", "");
}

TEST(find_ends_within_any_memory) {
    const struct script next = {"/srv/8/dist/shop.js", "b c d describe", 300, 10, true};
    const struct gate_pair_options options = {.frames = {.exact_names = true}};
    AT_END(fixture_end) struct pair_fixture pair = {0};
    add_script(&pair, GATE_BASELINE, &shop);
    add_script(&pair, GATE_CANARY, &next);
    fixture_make(&pair, &options); /* exact names: nothing is joined yet */
    for (struct sweep s = {0}; sweep_next(&s, 8);) {
        struct gate_minified scripts;
        s.done = gate_minified_find(&scripts, &pair.pair, &s.arena, &s.err);
        assert_true(!s.done || scripts.paths.count > 0);
    }
}
