/* SPDX-License-Identifier: Apache-2.0 */
/* The profile that a run wrote, found by PPROFGATE_PROFILE or by a glob: none, one, several, empty. The folder's name
 * contains glob characters, which must be taken literally. */

#include "gate/base/file.h"
#include "gate/session/try_run.h"
#include "gate/trial/worktree.h"
#include "tests/unit/unit.h"

static struct gate_interrupt interrupt;
static char root[] = "/tmp/gate[test]*.XXXXXX";

static int begin(void **state) {
    gate_interrupt_hold(&interrupt);
    return mkdtemp(root) != NULL && gate_folders_make(gate_str_format(&arena, "%s/run/deep", root).ptr, &err) &&
                   gate_folders_make(gate_str_format(&arena, "%s/out", root).ptr, &err)
               ? 0
               : -1;
}

static int end(void **state) {
    bool ok = gate_folder_remove(root, &interrupt, &arena, &err) && access(root, F_OK) != 0 &&
              gate_folder_remove(root, &interrupt, &arena, &err); /* removing a folder that does not exist succeeds */
    gate_interrupt_release(&interrupt);
    return ok ? 0 : -1;
}

static void put(const char *name, const char *text) {
    FILE *file = fopen(gate_str_format(&arena, "%s/%s", root, name).ptr, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static struct gate_made_profile_place place_of(const char *glob) {
    return (struct gate_made_profile_place){.directory = gate_str_format(&arena, "%s/run", root).ptr,
                                            .checkout = gate_str_format(&arena, "%s/run", root).ptr,
                                            .glob = glob,
                                            .folder = gate_str_format(&arena, "%s/out", root).ptr,
                                            .arena = &arena};
}

static void expect(const char *glob, const char *bytes, const char *told) {
    const struct gate_made_profile_place place = place_of(glob);
    struct gate_str found;
    struct gate_error err = {0};
    bool ok = gate_made_profile_read(&found, &place, &err);
    if (bytes != NULL && (!ok || !gate_str_equal(found, gate_str_from(bytes))))
        fail_msg("expected '%s': %s", bytes, err.message);
    if (bytes == NULL && (ok || strstr(err.message, told) == NULL))
        fail_msg("expected '%s', found '%s'", told, err.message);
}

TEST(exactly_one_profile_is_expected_at_the_given_path) {
    expect(NULL, NULL, "wrote no profile: it must write one to \"$PPROFGATE_PROFILE\"");
    put("out/profile.pb.gz", "");
    expect(NULL, NULL, "empty profile");
    put("out/profile.pb.gz", "bytes");
    expect(NULL, "bytes", NULL);
    put("out/other", "bytes");
    expect(NULL, NULL, "wrote 2 profiles");
}

TEST(a_glob_must_match_exactly_one_new_profile) {
    const struct gate_made_profile_place place = place_of("deep/*.pprof");
    expect("deep/*.pprof", NULL, "'try.profile' (deep/*.pprof)");
    put("run/deep/a.pprof", "old");
    put("run/deep/b.txt", "not meant");
    assert_true(gate_made_profile_clear(&place, &err));
    expect("deep/*.pprof", NULL, "wrote no profile");
    put("run/deep/c.pprof", "new");
    expect("deep/*.pprof", "new", NULL);
    expect("deep/b.txt", "not meant", NULL);
    put("run/deep/d.pprof", "more");
    expect("deep/*.pprof", NULL, "wrote 2 profiles");
    assert_int_equal(symlink("b.txt", gate_str_format(&arena, "%s/run/deep/link.trace", root).ptr), 0);
    expect("deep/*.trace", NULL, "wrote no profile"); /* links are not matched, since one may lead anywhere */
}

static void link_to(const char *to, const char *name) {
    assert_int_equal(symlink(to, gate_str_format(&arena, "%s/%s", root, name).ptr), 0);
}

/* A link in the checkout that leads outside of it: nothing there is removed or read. */
TEST(globs_that_lead_outside_the_checkout_are_refused) {
    static const char *const globs[] = {"prof/*.prof", "up/out*/*.prof", "*/*.prof", "../outside/*.prof"};
    assert_true(gate_folders_make(gate_str_format(&arena, "%s/outside", root).ptr, &err));
    put("outside/a.prof", "the user's");
    put("run/deep/mine.prof", "made");
    link_to("../outside", "run/prof");
    link_to("..", "run/up");
    for (size_t i = 0; i < sizeof globs / sizeof *globs; i++) {
        const struct gate_made_profile_place place = place_of(globs[i]);
        assert_false(gate_made_profile_clear(&place, &err));
        assert_int_equal(err.code, GATE_ERR_INPUT);
        assert_non_null(strstr(err.message, "outside of the checkout"));
        expect(globs[i], NULL, "outside of the checkout");
    }
    assert_int_equal(access(gate_str_format(&arena, "%s/outside/a.prof", root).ptr, F_OK), 0);
    assert_int_equal(access(gate_str_format(&arena, "%s/run/deep/mine.prof", root).ptr, F_OK), 0);
    link_to("deep", "run/inner"); /* a link that stays inside is allowed */
    expect("inner/*.prof", "made", NULL);
    const struct gate_made_profile_place inner = place_of("inner/*.prof");
    assert_true(gate_made_profile_clear(&inner, &err));
    expect("deep/*.prof", NULL, "wrote no profile");
}

TEST(folders_below_a_file_fail_but_copies_and_absolute_paths_work) {
    struct gate_str path;
    put("file", "x");
    assert_false(gate_folders_make(gate_str_format(&arena, "%s/file/below", root).ptr, &err));
    assert_int_equal(err.code, GATE_ERR_IO);
    assert_true(gate_folder_copy_file(gate_str_format(&arena, "%s/copy", root).ptr,
                                      gate_str_format(&arena, "%s/file", root).ptr, &arena, &err));
    assert_int_equal(access(gate_str_format(&arena, "%s/copy", root).ptr, F_OK), 0);
    assert_true(gate_folder_absolute(&path, "a/b", &arena, &err));
    assert_true(path.ptr[0] == '/' && gate_str_ends(path, GATE_STR("/a/b")));
}

BEFORE_AND_AFTER_ALL(begin, end)
