/* SPDX-License-Identifier: Apache-2.0 */
/* guards/guards_unseen.h: cost that no budget can judge is measured, and what good runs also have is not blamed on the
 * canary. tests/evade tests whole profiles. */
#include "gate/guards/guards_unseen.h"
#include "tests/unit/guard_fixture.h"
#include "tests/unit/labelled_fixture.h"

#include <math.h>

/* Enough functions to estimate the work from, with 1000 samples */
#define BROAD                                                                                                          \
    "main;serve;parse 201\nmain;serve;encode 199\nmain;serve;sort 151\nmain;serve;hash 149\nmain;serve;send 101\n"     \
    "main;serve;read 99\nmain;serve;log 100\n"

/* Two sides of collapsed stacks, judged. */
struct judged {
    struct guard_fixture f;
    struct gate_comparison comparison;
};

static void judge(struct judged *judged, const char *baseline, const char *canary) {
    const double work[GATE_SIDES] = {0, 0};
    begin(&judged->f, baseline, canary);
    fixture_make(&judged->f.pair, NULL);
    judged->comparison =
        (struct gate_comparison){.name = GATE_STR("cpu"), .pair = judged->f.pair.pair, .deltas = judged->f.pair.deltas};
    assert_true(gate_comparison_judge(&judged->comparison, work, &judged->f.pair.arena, &judged->f.pair.err));
}

static struct gate_unseen measure(struct judged *judged, const char *baseline, const char *canary) {
    struct gate_unseen unseen;
    judge(judged, baseline, canary);
    assert_true(gate_unseen_measure(&unseen, &judged->comparison, &judged->f.pair.arena, &judged->f.pair.err));
    return unseen;
}

/* Return `text` followed by `count` stacks with a new name each, of `each` events. */
static char *with_names(const char *text, const char *name, unsigned count, unsigned each) {
    struct gate_buf out = {0};
    gate_buf_text(&out, text);
    for (unsigned i = 0; i < count; i++)
        gate_buf_printf(&out, "main;serve;%s%c%c %u\n", name, 'a' + (int)(i / 26), 'a' + (int)(i % 26), each);
    gate_buf_char(&out, '\0');
    assert_true(out.ptr != NULL);
    return out.ptr;
}

static void assert_near(double found, double expected) {
    if (!(fabs(found - expected) < 1e-9))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

TEST(cost_under_rare_new_names_is_counted) {
    struct judged judged;
    char *canary = with_names(BROAD, "step", 250, 1);
    struct gate_unseen found = measure(&judged, BROAD, canary);
    assert_near(found.kinds[GATE_UNSEEN_RARE].share[GATE_CANARY], 0.2);
    assert_near(found.kinds[GATE_UNSEEN_RARE].share[GATE_BASELINE], 0.0);
    assert_true(found.kinds[GATE_UNSEEN_RARE].z > 5.0);
    assert_near(found.fresh.share[GATE_CANARY], 0.2);
    assert_true(found.lost < 0.01); /* the other functions cost as much as before */
    fixture_end(&judged.f.pair);
    free(canary);
}

/* Cost that is charged to frames without a name. */
TEST(nameless_cost_is_counted_with_its_variance) {
    struct judged judged;
    struct gate_unseen found;
    judge(&judged, BROAD "one 250\n", BROAD "one 250\nother 750\n");
    for (uint32_t i = 0; i < judged.comparison.pair.frame_count; i++) {
        struct gate_frame *frame = &judged.comparison.pair.frames[i];
        frame->is_symbolised =
            !gate_str_equal(frame->name, GATE_STR("one")) && !gate_str_equal(frame->name, GATE_STR("other"));
    }
    assert_true(gate_unseen_measure(&found, &judged.comparison, &judged.f.pair.arena, &judged.f.pair.err));
    assert_near(found.kinds[GATE_UNSEEN_NAMELESS].share[GATE_BASELINE], 0.2);
    assert_near(found.kinds[GATE_UNSEEN_NAMELESS].share[GATE_CANARY], 0.5);
    /* Shares vary by sampling, and between runs like those of own functions. */
    double runs = GATE_ASSUMED_RHO_CHARGED;
    assert_near(found.kinds[GATE_UNSEEN_NAMELESS].z,
                0.3 / sqrt(0.2 * 0.8 * (1.0 / 1250 + runs) + 0.5 * 0.5 * (1.0 / 2000 + runs)));
    fixture_end(&judged.f.pair);
}

/* Make "lost" and "jit" addresses outside of all files, "plain" an unnamed frame of the program's own file, "fault" a
 * frame of the kernel, and all others named functions of the C library. */
static void place_frames(struct judged *judged, enum gate_language language) {
    static const struct {
        const char *name, *mapping;
        bool is_symbolised, is_own;
    } places[] = {{"lost", "", false, false},
                  {"plain", "/srv/shop", false, true},
                  {"malloc", "/usr/lib/libc.so.6", true, false},
                  {"__libc_start_call_main", "/usr/lib/libc.so.6", true, false},
                  {"clone3", "/usr/lib/libc.so.6", true, false},
                  {"fault", "[kernel.kallsyms]", true, false}};
    struct gate_pair *pair = &judged->comparison.pair;
    pair->language = language;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        for (size_t p = 0; p < sizeof places / sizeof *places; p++)
            if (gate_str_equal(pair->frames[i].name, gate_str_from(places[p].name))) {
                pair->frames[i].mapping = gate_str_from(places[p].mapping);
                pair->frames[i].is_symbolised = places[p].is_symbolised;
                pair->frames[i].is_own = places[p].is_own;
            }
}

/* Code of the C library whose callers are lost is not code without a name. */
TEST(library_code_that_lost_its_callers_is_not_nameless_code) {
    static const struct {
        const char *stack;
        enum gate_language language;
        double nameless, lost;
    } rows[] = {
        {"lost;malloc", GATE_LANGUAGE_NATIVE, 0.0, 0.2},
        {"lost;malloc", GATE_LANGUAGE_RUST, 0.0, 0.2},
        {"lost;malloc;fault", GATE_LANGUAGE_NATIVE, 0.0, 0.2},
        {"malloc", GATE_LANGUAGE_NATIVE, 0.0, 0.2}, /* it has a name at the place where the stack was cut */
        {"__libc_start_call_main;malloc", GATE_LANGUAGE_NATIVE, 0.0, 0.0},
        {"clone3;malloc", GATE_LANGUAGE_NATIVE, 0.0, 0.0},
        {"lost;fault", GATE_LANGUAGE_NATIVE, 0.2, 0.0},
        {"lost", GATE_LANGUAGE_NATIVE, 0.2, 0.0},
        {"lost;malloc", GATE_LANGUAGE_NODE, 0.2, 0.0}, /* code compiled at run time calls malloc */
        {"plain;malloc", GATE_LANGUAGE_NATIVE, 0.2, 0.0},
        {"plain;lost;malloc", GATE_LANGUAGE_NATIVE, 0.2, 0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct judged judged;
        struct gate_unseen found;
        struct gate_buf text = {0};
        gate_buf_printf(&text, BROAD "%s 250\n", rows[i].stack);
        gate_buf_char(&text, '\0');
        judge(&judged, text.ptr, text.ptr);
        place_frames(&judged, rows[i].language);
        struct gate_arena *arena = &judged.f.pair.arena;
        struct gate_pair *pair = &judged.comparison.pair;
        assert_true(gate_delta_fold(&judged.comparison.deltas, pair, NULL, arena, &judged.f.pair.err));
        assert_true(gate_unseen_measure(&found, &judged.comparison, arena, &judged.f.pair.err));
        if (fabs(found.kinds[GATE_UNSEEN_NAMELESS].share[GATE_CANARY] - rows[i].nameless) > 1e-9 ||
            fabs(found.kinds[GATE_UNSEEN_LOST_CALLERS].share[GATE_BASELINE] - rows[i].lost) > 1e-9)
            fail_msg("row %zu: nameless %g, lost callers %g", i, found.kinds[GATE_UNSEEN_NAMELESS].share[GATE_CANARY],
                     found.kinds[GATE_UNSEEN_LOST_CALLERS].share[GATE_BASELINE]);
        assert_true(gate_str_equal(found.library, rows[i].lost > 0.0 ? GATE_STR("libc.so.6") : GATE_STR("")));
        gate_buf_free(&text);
        fixture_end(&judged.f.pair);
    }
}

/* Such cost prevents a pass like other kinds: with known work above twice the guard's limit, with estimated work above
 * the limit. */
TEST(much_growth_of_code_without_callers_gets_a_warning) {
    static const struct {
        unsigned canary; /* samples of the canary beside 9,500 others; the baseline has 500 */
        double work;     /* 0: unknown; below 0: estimated */
        bool is_raised;
    } rows[] = {{900, 0.0, false}, {1200, 0.0, true},  {1200, 1.0, false},  {1200, 0.6, true},
                {2800, 1.0, true}, {1200, -1.0, true}, {1200, -1.25, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const char rest[] = "main;serve;parse 4000\nmain;serve;sort 3000\nmain;serve;hash 2500\n";
        struct judged judged;
        struct guard_fixture *f = &judged.f;
        struct gate_buf canary = {0};
        gate_buf_printf(&canary, "%slost;malloc %u\n", rest, rows[i].canary);
        gate_buf_char(&canary, '\0');
        judge(&judged, "main;serve;parse 4000\nmain;serve;sort 3000\nmain;serve;hash 2500\nlost;malloc 500\n",
              canary.ptr);
        place_frames(&judged, GATE_LANGUAGE_NATIVE);
        judged.comparison.work_is_known = rows[i].work > 0.0;
        judged.comparison.work_is_estimated = rows[i].work < 0.0;
        judged.comparison.work_ratio = rows[i].work != 0.0 ? fabs(rows[i].work) : 1.0;
        f->rules = (struct gate_rules){0};
        assert_true(gate_guards_check(&f->warnings, &f->count, GATE_GUARDS_AS_JUDGED, &judged.comparison, &f->rules,
                                      &f->pair.arena, &f->pair.err));
        const char *message = "";
        for (uint32_t w = 0; w < f->count; w++)
            if (f->warnings[w].guard == GATE_GUARD_UNSEEN)
                message = f->warnings[w].message.ptr;
        assert_int_equal(strstr(message, "ends in system libraries (most in libc.so.6) and has lost its callers") !=
                             NULL,
                         rows[i].is_raised);
        assert_int_equal(strstr(message, "--call-graph dwarf") != NULL, rows[i].is_raised);
        assert_null(strstr(message, "without a function name"));
        gate_buf_free(&canary);
        fixture_end(&f->pair);
    }
}

/* Names that appear and vanish by chance do so on both sides. A run with many rare names predicts how many new ones the
 * next run has. */
TEST(names_that_change_by_chance_count_on_both_sides) {
    struct judged judged;
    char *baseline = with_names(BROAD, "gone", 250, 1), *canary = with_names(BROAD, "step", 250, 1);
    struct gate_unseen found = measure(&judged, baseline, canary);
    /* Expected: as many as appear anew by chance, plus the vanished ones that a sample of this size would have
     * contained. */
    assert_near(found.kinds[GATE_UNSEEN_RARE].share[GATE_BASELINE], 0.2 + 0.2 * (1.0 - exp(-1.0)));
    assert_near(found.kinds[GATE_UNSEEN_RARE].z, 0.0);
    fixture_end(&judged.f.pair);
    char *both = with_names(canary, "more", 300, 1); /* the names of `canary`, each once, and more of their kind */
    found = measure(&judged, canary, both);
    assert_near(found.kinds[GATE_UNSEEN_RARE].share[GATE_CANARY], 300.0 / 1550.0);
    assert_near(found.kinds[GATE_UNSEEN_RARE].share[GATE_BASELINE], 0.2);
    fixture_end(&judged.f.pair);
    char *twice = with_names(BROAD, "gone", 125, 2); /* no name has a single event, so no new names are expected */
    found = measure(&judged, twice, canary);
    assert_near(found.kinds[GATE_UNSEEN_RARE].share[GATE_BASELINE], 0.2 * (1.0 - exp(-2.0)));
    fixture_end(&judged.f.pair);
    free(baseline);
    free(canary);
    free(both);
    free(twice);
}

/* A change of code is in every run. Rare new names count only if each run has at least a third of their share. */
TEST(rare_names_prove_nothing_unless_every_run_has_them) {
    static const struct {
        unsigned names[2]; /* of each run of the canary */
        bool is_lasting;
    } rows[] = {{{250, 0}, false}, {{0, 250}, false}, {{250, 40}, false}, {{250, 50}, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct judged judged;
        struct gate_unseen found;
        char *runs[] = {with_names(BROAD, "step", rows[i].names[0], 1), with_names(BROAD, "step", rows[i].names[1], 1)};
        begin(&judged.f, BROAD, runs[0]);
        fixture_add(&judged.f.pair, GATE_CANARY, runs[1]);
        fixture_make(&judged.f.pair, NULL);
        judged.comparison =
            (struct gate_comparison){.work_ratio = 1.0, .pair = judged.f.pair.pair, .deltas = judged.f.pair.deltas};
        assert_true(gate_unseen_measure(&found, &judged.comparison, &judged.f.pair.arena, &judged.f.pair.err));
        double names = rows[i].names[0] + rows[i].names[1];
        assert_near(found.kinds[GATE_UNSEEN_RARE].share[GATE_CANARY], names / (2000.0 + names));
        assert_int_equal(found.kinds[GATE_UNSEEN_RARE].z > 0.0, rows[i].is_lasting);
        fixture_end(&judged.f.pair);
        free(runs[0]);
        free(runs[1]);
    }
}

/* A few events of great weight make a large share, but prove nothing. */
TEST(new_names_are_rare_below_20_events_and_testable_above) {
    struct judged judged;
    struct gate_unseen found = measure(&judged, BROAD, BROAD "main;serve;once 20\n");
    assert_near(found.kinds[GATE_UNSEEN_RARE].share[GATE_CANARY], 0.0); /* 20 events are enough to be tested */
    assert_near(found.fresh.share[GATE_CANARY], 20.0 / 1020.0);
    fixture_end(&judged.f.pair);
    found = measure(&judged, BROAD, BROAD "main;serve;once 19\n");
    assert_near(found.kinds[GATE_UNSEEN_RARE].share[GATE_CANARY], 19.0 / 1019.0);
    fixture_end(&judged.f.pair);
    found = measure(&judged, BROAD, BROAD "main;serve;once 100\n"); /* 9 %: budgets see it */
    assert_near(found.fresh.share[GATE_CANARY], 0.0);
    fixture_end(&judged.f.pair);
}

TEST(cost_cut_by_drop_frames_is_counted) {
    struct judged judged;
    struct gate_unseen found;
    begin(&judged.f, BROAD, BROAD "main;serve;parse;hot 100\nmain;serve;sort;hot 150\n");
    profile_of(&judged.f, GATE_CANARY)->drop_frames = GATE_STR("hot");
    fixture_make(&judged.f.pair, NULL);
    judged.comparison =
        (struct gate_comparison){.work_ratio = 1.0, .pair = judged.f.pair.pair, .deltas = judged.f.pair.deltas};
    assert_true(gate_unseen_measure(&found, &judged.comparison, &judged.f.pair.arena, &judged.f.pair.err));
    assert_near(found.kinds[GATE_UNSEEN_DROPPED].share[GATE_CANARY], 0.2);
    assert_near(found.kinds[GATE_UNSEEN_DROPPED].share[GATE_BASELINE], 0.0);
    fixture_end(&judged.f.pair);
}

/* Two kinds at once: each has its own text, and the advice is about the larger one. The totals are 1350 and 1300
 * samples. */
TEST(each_kind_has_its_text_and_the_larger_gives_the_advice) {
    static const struct {
        const char *more, *part;
    } rows[] = {
        {"main;serve;parse;hot 250\nother 100\n",
         "no budget covers 25.9% more of the canary than of the baseline (over 5%): 7.4% is charged to code "
         "without a function name (baseline: 0%), 18.5% is in stacks that the profile's drop_frames cuts (baseline: "
         "0%); profile "
         "without drop_frames, or raise this guard's limit"},
        {"main;serve;parse;hot 100\nother 200\n",
         "15.4% is charged to code without a function name (baseline: 0%), 7.7% is in stacks that the profile's "
         "drop_frames cuts (baseline: 0%); profile a build with symbols, and with frame pointers if stacks end in "
         "[unknown], or raise"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct judged judged;
        struct guard_fixture *f = &judged.f;
        char canary[512];
        (void)snprintf(canary, sizeof canary, "%s%s", BROAD, rows[i].more);
        begin(f, BROAD, canary);
        profile_of(f, GATE_CANARY)->drop_frames = GATE_STR("hot");
        fixture_make(&f->pair, NULL);
        f->pair.pair.frames[fixture_frame(&f->pair, "other")].is_symbolised = false;
        judged.comparison = (struct gate_comparison){
            .name = GATE_STR("cpu"), .work_ratio = 1.0, .pair = f->pair.pair, .deltas = f->pair.deltas};
        assert_true(gate_guards_check(&f->warnings, &f->count, GATE_GUARDS_AS_JUDGED, &judged.comparison, &f->rules,
                                      &f->pair.arena, &f->pair.err));
        bool is_found = false;
        for (uint32_t w = 0; w < f->count; w++)
            is_found = is_found || gate_str_find(f->warnings[w].message, gate_str_from(rows[i].part), 0) != SIZE_MAX;
        if (!is_found)
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(f->warnings[0].message));
        fixture_end(&f->pair);
    }
}

/* With a filter, own code counts if it has no such label, or a value that the baseline does not have. */
TEST(own_code_with_a_missing_or_new_label_is_counted) {
    struct judged judged;
    struct gate_unseen found;
    const struct gate_label_match match = {.key = GATE_STR("endpoint"), .value = GATE_STR("/a")};
    const struct gate_pair_options options = {.where = {&match, 1}};
    judged.f = (struct guard_fixture){0};
    fixture_begin(&judged.f.pair);
    labelled_add(&judged.f.pair, GATE_BASELINE, "endpoint=/a main.main;main.a 600\nendpoint=/b main.main;main.b 400\n",
                 0);
    labelled_add(&judged.f.pair, GATE_CANARY,
                 "endpoint=/a main.main;main.a 500\nendpoint=/b main.main;main.b 200\nendpoint#7 main.main;main.b 50\n"
                 "endpoint=/new main.main;main.a 150\n- main.main;main.a 80\nother=/a main.main;main.a 20\n",
                 0);
    fixture_make(&judged.f.pair, &options);
    judged.comparison =
        (struct gate_comparison){.work_ratio = 1.0, .pair = judged.f.pair.pair, .deltas = judged.f.pair.deltas};
    assert_true(gate_unseen_measure(&found, &judged.comparison, &judged.f.pair.arena, &judged.f.pair.err));
    assert_near(found.kinds[GATE_UNSEEN_UNLABELLED].share[GATE_BASELINE], 0.0);
    assert_near(found.kinds[GATE_UNSEEN_UNLABELLED].share[GATE_CANARY], 0.25); /* 150 + 80 + 20 of 1000 */
    assert_true(found.kinds[GATE_UNSEEN_UNLABELLED].z > 5.0);
    fixture_end(&judged.f.pair);
}

/* The limits of the guards, just below and just above, and the text of each warning. */
TEST(new_names_get_a_warning_only_above_the_limits_of_guards) {
    static const struct {
        unsigned names, each; /* new ones */
        const char *code, *part;
    } rows[] = {
        {45, 1, NULL, NULL},
        {70, 1, "unseen", "6.5% is under names that only the canary has, each too rare to be tested (baseline: 0%)"},
        {10, 9, "unseen", "no budget covers 8.3% more of the canary than of the baseline (over 5%)"},
        {3, 35, NULL, NULL},
        {4, 40, "new_names",
         "functions that only the canary has cost 13.8% together (stepaa 3.4%, stepab 3.4%, stepac 3.4% and "
         "1 "
         "more)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct judged judged;
        struct guard_fixture *f = &judged.f;
        char *canary = with_names(BROAD, "step", rows[i].names, rows[i].each);
        judge(&judged, BROAD, canary);
        assert_true(gate_guards_check(&f->warnings, &f->count, GATE_GUARDS_AS_JUDGED, &judged.comparison, &f->rules,
                                      &f->pair.arena, &f->pair.err));
        assert_int_equal(f->count, rows[i].code == NULL ? 1 : 2); /* and one_pair */
        assert_true(gate_guard_severity(&f->rules, f->warnings[0].guard) ==
                    (rows[i].code == NULL ? GATE_SEVERITY_WARN : GATE_SEVERITY_ERROR));
        if (rows[i].code != NULL && (strcmp(gate_guard_name(f->warnings[0].guard), rows[i].code) != 0 ||
                                     gate_str_find(f->warnings[0].message, gate_str_from(rows[i].part), 0) == SIZE_MAX))
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(f->warnings[0].message));
        fixture_end(&f->pair);
        free(canary);
    }
}

TEST(new_names_are_listed_by_their_cost) {
    struct judged judged;
    struct guard_fixture *f = &judged.f;
    judge(&judged, BROAD,
          BROAD "main;serve;one 30\nmain;serve;two 40\nmain;serve;three 60\nmain;serve;four 35\nmain;serve;five 50\n");
    assert_true(gate_guards_check(&f->warnings, &f->count, GATE_GUARDS_AS_JUDGED, &judged.comparison, &f->rules,
                                  &f->pair.arena, &f->pair.err));
    assert_true(f->count > 0 && f->warnings[0].guard == GATE_GUARD_NEW_NAMES);
    assert_non_null(strstr(f->warnings[0].message.ptr, "(three 4.9%, five 4.1%, two 3.3% and 2 more)"));
    fixture_end(&f->pair);
}

/* An excess over the limit is reported if it is significant at 1%. In the baseline drop_frames removed 40 of 100
 * samples. */
TEST(an_excess_is_reported_only_if_it_is_significant) {
    for (int cut = 58; cut <= 59; cut++) {
        struct judged judged;
        char canary[64];
        bool is_reported = false;
        (void)snprintf(canary, sizeof canary, "main;serve;parse %d\nmain;serve;hot %d\n", 100 - cut, cut);
        begin(&judged.f, "main;serve;parse 60\nmain;serve;hot 40\n", canary);
        for (int side = 0; side < GATE_SIDES; side++)
            profile_of(&judged.f, (enum gate_side_name)side)->drop_frames = GATE_STR("hot");
        fixture_make(&judged.f.pair, NULL);
        judged.comparison =
            (struct gate_comparison){.work_ratio = 1.0, .pair = judged.f.pair.pair, .deltas = judged.f.pair.deltas};
        struct guard_fixture *f = &judged.f;
        assert_true(gate_guards_check(&f->warnings, &f->count, GATE_GUARDS_AS_JUDGED, &judged.comparison, &f->rules,
                                      &f->pair.arena, &f->pair.err));
        for (uint32_t i = 0; i < f->count; i++)
            is_reported =
                is_reported || (f->warnings[i].guard == GATE_GUARD_UNSEEN &&
                                gate_str_find(f->warnings[i].message, GATE_STR("covers 19.0% more"), 0) != SIZE_MAX);
        if (is_reported != (cut == 59))
            fail_msg("%d of 100 samples: reported %d", cut, is_reported);
        fixture_end(&f->pair);
    }
}

/* One function becomes four, at the same cost. */
TEST(cost_moved_to_new_helpers_raises_one_warning) {
    struct judged judged;
    struct guard_fixture *f = &judged.f;
    char *canary = with_names(
        "main;serve;parse 41\nmain;serve;encode 199\nmain;serve;sort 151\nmain;serve;hash 149\nmain;serve;send 101\n"
        "main;serve;read 99\nmain;serve;log 100\n",
        "step", 4, 40);
    judge(&judged, BROAD, canary);
    assert_true(gate_guards_check(&f->warnings, &f->count, GATE_GUARDS_AS_JUDGED, &judged.comparison, &f->rules,
                                  &f->pair.arena, &f->pair.err));
    assert_int_equal(f->count, 1);
    fixture_end(&f->pair);
    free(canary);
}

/* Each limit of memory that is too small gives a clean error. */
TEST(every_memory_limit_that_is_too_small_is_a_clean_error) {
    struct judged judged;
    bool ok = false;
    judge(&judged, BROAD, BROAD "main;serve;once 45\n");
    for (size_t limit = 1; !ok && limit < 65536; limit += 16) {
        struct gate_unseen found;
        AT_END(gate_arena_free) struct gate_arena arena;
        struct gate_error err = {0};
        gate_arena_init(&arena, limit);
        ok = gate_unseen_measure(&found, &judged.comparison, &arena, &err);
        assert_true(ok || err.code == GATE_ERR_LIMIT);
    }
    assert_true(ok);
    fixture_end(&judged.f.pair);
}
