/* SPDX-License-Identifier: Apache-2.0 */
/* Which paths of the two sides are the same file, and which files differ between the sides. */
#include "foreign_fixture.h"
#include "gate/compare/moved_files.h"

enum { FUNCTIONS_MOST = 4 };

/* Functions named "price" in the files of one side, and the lines where they begin. The first row without a path ends
 * the list. */
struct place {
    const char *path;
    int64_t line;
};

static void fill(struct gate_profile *profile, struct gate_function *functions, const struct place *places) {
    *profile = (struct gate_profile){.functions = functions};
    for (; profile->function_count < FUNCTIONS_MOST && places[profile->function_count].path != NULL;
         profile->function_count++) {
        const struct place *place = &places[profile->function_count];
        functions[profile->function_count] = (struct gate_function){
            .name = GATE_STR("price"), .file = gate_str_from(place->path), .start_line = place->line};
    }
}

/* The first file of each side: whether both are the same file, and whether that file differs between the sides. */
TEST(files_in_two_folders_are_matched_by_the_end_of_their_paths) {
    static const struct {
        struct place baseline[FUNCTIONS_MOST], canary[FUNCTIONS_MOST];
        bool is_same, differs;
    } rows[] = {
        {{{"/srv/a.js", 3}}, {{"/srv/a.js", 3}}, true, false},
        {{{"/srv/a.js", 3}}, {{"/srv/a.js", 4}}, true, true},
        {{{"/srv/old/a.js", 3}}, {{"/srv/new/a.js", 3}}, true, false},
        {{{"file:///srv/1/lib/a.js", 3}}, {{"file:///opt/2/lib/a.js", 4}}, true, true},
        {{{"/srv/old/a.js", 3}}, {{"/srv/new/b.js", 3}}, false, true},
        {{{"/srv/old/a.js", 3}}, {{"a.js", 3}}, false, true}, /* no folder of it is known */
        /* Two files have the name: the one in the folder of the same name is the same file. */
        {{{"/1/lib/a.js", 3}, {"/1/app/a.js", 3}}, {{"/2/lib/a.js", 3}, {"/2/app/a.js", 3}}, true, false},
        {{{"/1/lib/a.js", 3}}, {{"/2/lib/a.js", 3}, {"/2/app/a.js", 3}}, true, false},
        {{{"/1/lib/a.js", 3}}, {{"/2/x/a.js", 3}, {"/2/y/a.js", 3}}, false, true},
        /* The other side has a file with exactly this path. */
        {{{"/1/a.js", 3}, {"/2/a.js", 3}}, {{"/2/a.js", 3}}, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_arena_free) struct gate_arena arena = {0};
        struct gate_function functions[GATE_SIDES][FUNCTIONS_MOST];
        struct gate_profile profiles[GATE_SIDES];
        const struct gate_profile *both[] = {&profiles[0], &profiles[1]};
        const int sides[] = {GATE_BASELINE, GATE_CANARY};
        struct gate_script_files files;
        fill(&profiles[0], functions[0], rows[i].baseline);
        fill(&profiles[1], functions[1], rows[i].canary);
        assert_true(gate_script_files_find(&files, both, sides, 2, &arena));
        uint32_t one = gate_script_files_at(&files, functions[0][0].file);
        uint32_t two = gate_script_files_at(&files, functions[1][0].file);
        if ((one == two) != rows[i].is_same || files.differs[two] != rows[i].differs)
            fail_msg("row %zu: files %u and %u, differs %d", i, one, two, files.differs[two]);
        if (one == two)
            assert_true(gate_str_equal(files.on[one][GATE_CANARY], functions[1][0].file));
    }
}
