/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules a name selects, depending on the files present, and the current day for waivers. Each test runs in its
 * own folder. */
#include "gate/session/rules_in_force.h"
#include "tests/unit/unit.h"

#include <sys/stat.h>

#define LAX "version: 1\nbudgets:\n  - {name: lax, select: '.', measure: self, limit: '+90pp', severity: warn}\n"

struct place {
    char folder[32];
    struct gate_arena arena;
    struct gate_session session;
    struct gate_rules rules;
    struct gate_error err;
};

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int enter(void **state) {
    static struct place place;
    place = (struct place){.folder = "/tmp/pprofgate.XXXXXX"};
    assert_non_null(mkdtemp(place.folder));
    assert_int_equal(chdir(place.folder), 0);
    place.session = (struct gate_session){.arena = &place.arena, .err = tmpfile()};
    *state = &place;
    return 0;
}

static int leave(void **state) {
    struct place *place = *state;
    static const char *const files[] = {"recommended", "recommended.yml", "mine.yml", GATE_RULEFILE_DEFAULT};
    gate_rules_free(&place->rules);
    gate_arena_free(&place->arena);
    (void)fclose(place->session.err);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        (void)unlink(files[i]);
    (void)rmdir("strict");
    assert_int_equal(chdir("/"), 0);
    return rmdir(place->folder);
}

static bool load(struct place *place, const char *wanted) {
    gate_rules_free(&place->rules);
    place->rules = (struct gate_rules){0};
    return gate_rulefile_load(&place->rules, &place->session, wanted, &place->err);
}

static bool is_lax(const struct place *place) {
    return place->rules.budget_count == 1 && gate_str_equal(place->rules.budgets[0].name, GATE_STR("lax"));
}

static void a_preset_is_never_a_file(void **state) {
    struct place *place = *state;
    write_text("recommended", LAX);
    write_text("recommended.yml", LAX);
    assert_int_equal(mkdir("strict", 0755), 0);
    assert_true(load(place, "recommended"));
    assert_false(is_lax(place));
    assert_true(gate_str_equal(place->rules.source, GATE_STR("recommended (built in)")));
    assert_true(load(place, "strict"));
    assert_true(load(place, "./recommended"));
    assert_true(is_lax(place));
    write_text("mine.yml", "version: 1\nextends: recommended\n");
    assert_true(load(place, "mine.yml"));
    assert_false(is_lax(place));
}

static void what_stands_beside_a_preset_is_said(void **state) {
    struct place *place = *state;
    char said[256] = "";
    write_text("recommended", LAX);
    assert_true(load(place, "recommended"));
    rewind(place->session.err);
    assert_true(fread(said, 1, sizeof said - 1, place->session.err) > 0);
    assert_non_null(strstr(said, "'./recommended'"));
}

static void a_default_that_leads_nowhere_is_an_error(void **state) {
    struct place *place = *state;
    assert_true(load(place, NULL));
    assert_true(place->rules.is_default);
    assert_int_equal(symlink("nowhere", GATE_RULEFILE_DEFAULT), 0);
    assert_false(load(place, NULL));
    assert_int_equal(place->err.code, GATE_ERR_IO);
}

/* Waivers expire by the clock. A SOURCE_DATE_EPOCH in the past does not revive them, nor does one after the year 9999,
 * which is before today as text; one in the future expires them earlier. */
static void no_epoch_sets_the_clock_back(void **state) {
    struct place *place = *state;
    static const char *const ignored[] = {"0", "1", "946684800", "-1", "junk", "", "253402300800", "99999999999999999"};
    assert_int_equal(unsetenv("SOURCE_DATE_EPOCH"), 0);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        struct gate_str before = gate_rulefile_today(&place->arena);
        assert_int_equal(setenv("SOURCE_DATE_EPOCH", ignored[i], 1), 0);
        struct gate_str day = gate_rulefile_today(&place->arena);
        assert_int_equal(unsetenv("SOURCE_DATE_EPOCH"), 0);
        struct gate_str after = gate_rulefile_today(&place->arena);
        assert_true(gate_str_compare(before, day) <= 0 && gate_str_compare(day, after) <= 0);
    }
    assert_int_equal(setenv("SOURCE_DATE_EPOCH", "253402300799", 1), 0);
    assert_true(gate_str_equal(gate_rulefile_today(&place->arena), GATE_STR("9999-12-31")));
    assert_int_equal(unsetenv("SOURCE_DATE_EPOCH"), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_preset_is_never_a_file),
        IN_FOLDER(what_stands_beside_a_preset_is_said),
        IN_FOLDER(a_default_that_leads_nowhere_is_an_error),
        IN_FOLDER(no_epoch_sets_the_clock_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
