/* SPDX-License-Identifier: Apache-2.0 */
/* The charged costs of gate_delta_fold, against a slow reference that reads the samples and charges them itself. */
#include "charged_reference.h"

#include "gate/base/buf.h"
#include "gate/formats/format.h"

/* ---- fixtures ---------------------------------------------------------------------------------------------------- */

static const struct capture {
    const char *baseline, *canary, *type;
} captures[] = {
    {"go-service/cpu/baseline-1.pb.gz", "go-service/cpu/regression-1.pb.gz", "cpu"},
    {"go-service/heap/baseline-1.pb.gz", "go-service/heap/alloc-1.pb.gz", "alloc_space"},
    {"go-service/heap/baseline-1.pb.gz", "go-service/heap/alloc-1.pb.gz", "inuse_space"},
    {"go-service/mutex/baseline-1.pb.gz", "go-service/mutex/lock-1.pb.gz", "delay"},
    {"producers/node-pprof/baseline.pb.gz", "producers/node-pprof/canary.pb.gz", "wall"},
    {"producers/node-cpu-prof/baseline.cpuprofile", "producers/node-cpu-prof/canary.cpuprofile", "cpu"},
    {"producers/py-spy/baseline.collapsed", "producers/py-spy/canary.collapsed", ""},
    {"producers/py-spy/baseline.speedscope.json", "producers/py-spy/canary.speedscope.json", ""},
    {"producers/perf/baseline.collapsed", "producers/perf/canary.collapsed", ""},
    {"producers/pprof-rs/baseline.pb", "producers/pprof-rs/canary.pb", "cpu"},
    {"producers/async-profiler/baseline.pb", "producers/async-profiler/canary.pb", ""},
    {"producers/async-profiler/baseline.collapsed", "producers/async-profiler/canary.collapsed", ""},
    {"producers/gperftools/baseline.prof", "producers/gperftools/canary.prof", "cpu"},
};
enum { CAPTURES = sizeof captures / sizeof *captures };

static void load_run(struct pair_fixture *f, enum gate_side_name side, const char *name) {
    struct gate_str path = gate_str_format(&f->arena, "%s/fixtures/%s", GATE_SOURCE_DIR, name);
    struct gate_str bytes;
    uint32_t index = f->counts[side]++;
    if (!gate_source_read(&bytes, path, NULL, &f->arena, &f->err) ||
        !gate_profile_load(&f->profiles[side][index], bytes, NULL, &f->arena, &f->err))
        fail_msg("%s: %s", name, f->err.message);
    f->inputs[side][index] = (struct gate_run_input){.path = path, .profile = &f->profiles[side][index]};
}

static void load_capture(struct pair_fixture *f, const struct capture *capture) {
    const struct gate_pair_options options = {.sample_type = gate_str_from(capture->type),
                                              .frames = {.exact_names = true}};
    fixture_begin(f);
    load_run(f, GATE_BASELINE, capture->baseline);
    load_run(f, GATE_CANARY, capture->canary);
    assert_int_equal(f->profiles[0][0].drop_frames.len, 0); /* the reference does not apply it */
    fixture_make(f, &options);
}

static void reference_of(struct reference *r, const struct pair_fixture *f, const char *type, const char *under) {
    reference_begin(r, 1u << 16);
    r->under = under;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < f->counts[side]; i++)
            reference_names(r, &f->profiles[side][i]);
    reference_own(r);
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < f->counts[side]; i++) {
            uint32_t column = 0;
            assert_true(gate_sample_type_find(&column, &f->profiles[side][i], gate_str_from(type), &err));
            reference_add(r, (enum gate_side_name)side, &f->profiles[side][i], column);
        }
}

/* Expect equal charged costs of every frame on both sides. Return the number of frames that are charged anything. */
static uint32_t expect_same(const struct reference *r, const struct gate_pair *pair,
                            const struct gate_delta_list *deltas) {
    uint32_t charged = 0;
    assert_int_equal(r->names.count, pair->frame_count);
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        uint32_t name = gate_table_find(&r->names, pair->frames[i].name);
        const int64_t *found = deltas->items[i].value[GATE_CHARGED];
        if (name == GATE_TABLE_NONE || r->is_own[name] != pair->frames[i].is_own)
            fail_msg("%.*s: own or not?", GATE_STR_ARG(pair->frames[i].name));
        for (int side = 0; side < GATE_SIDES; side++)
            if (r->charged[name][side] != found[side])
                fail_msg("%.*s: charged %lld, the reference says %lld", GATE_STR_ARG(pair->frames[i].name),
                         (long long)found[side], (long long)r->charged[name][side]);
        charged += found[0] != 0 || found[1] != 0;
    }
    return charged;
}

TEST(captures_agree_with_the_reference) {
    for (size_t i = 0; i < CAPTURES; i++) {
        AT_END(fixture_end) struct pair_fixture f;
        AT_END(reference_end) struct reference r;
        load_capture(&f, &captures[i]);
        reference_of(&r, &f, captures[i].type, NULL);
        print_message("%s\n", captures[i].baseline);
        assert_true(expect_same(&r, &f.pair, &f.deltas) > 0);
    }
}

/* Charged costs add up to the samples that have a stack, per side and per run, as self costs do. */
TEST(charged_adds_up_to_the_total) {
    for (size_t i = 0; i < CAPTURES; i++) {
        AT_END(fixture_end) struct pair_fixture f;
        AT_END(reference_end) struct reference r;
        load_capture(&f, &captures[i]);
        reference_of(&r, &f, captures[i].type, NULL);
        for (int side = 0; side < GATE_SIDES; side++) {
            int64_t sum = 0, tallies = 0;
            for (uint32_t frame = 0; frame < f.pair.frame_count; frame++) {
                sum += f.deltas.items[frame].value[GATE_CHARGED][side];
                tallies += gate_tally_at(&f.deltas, GATE_CHARGED, (uint32_t)side, frame)->value;
            }
            assert_true(sum == r.with_stack[side]);
            assert_true(tallies == sum);
            assert_true(sum <= f.pair.sides[side].total);
        }
    }
}

/* Each stack is charged to one frame only, so a group's charged cost is the sum over its frames. */
TEST(groups_are_the_sum_of_their_frames) {
    for (size_t i = 0; i < CAPTURES; i++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            AT_END(fixture_end) struct pair_fixture f;
            struct gate_delta_list group;
            load_capture(&f, &captures[i]);
            uint8_t *marks = GATE_NEW_ARRAY(&f.arena, uint8_t, f.pair.frame_count);
            int64_t sum[GATE_SIDES] = {0};
            for (uint32_t frame = 0; frame < f.pair.frame_count; frame++) {
                marks[frame] = seed == 3 || (gate_hash_mix(frame * seed) & 1) != 0;
                for (int side = 0; side < GATE_SIDES && marks[frame]; side++)
                    sum[side] += f.deltas.items[frame].value[GATE_CHARGED][side];
            }
            assert_true(gate_delta_group(&group, &f.pair, marks, NULL, &f.arena, &f.err));
            for (int side = 0; side < GATE_SIDES; side++)
                assert_true(group.items[0].value[GATE_CHARGED][side] == sum[side]);
        }
}

/* With `under`, only samples charged to the given frames or to frames that they call count. */
TEST(under_agrees_with_the_reference) {
    static const struct {
        uint32_t capture;
        const char *under;
    } rows[] = {{0, "main.searchProducts"}, {0, "net/http"},   {1, "main."},           {4, "handle"},
                {6, "handle_request"},      {9, "shop::main"}, {10, "Shop.lambda"},    {8, "count_words"},
                {6, "json/encoder.py"},     {0, "runtime."},   {0, "no such function"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct capture *capture = &captures[rows[i].capture];
        AT_END(fixture_end) struct pair_fixture f;
        AT_END(reference_end) struct reference r;
        struct gate_delta_list beneath;
        load_capture(&f, capture);
        reference_of(&r, &f, capture->type, rows[i].under);
        uint8_t *under = GATE_NEW_ARRAY(&f.arena, uint8_t, f.pair.frame_count);
        for (uint32_t frame = 0; frame < f.pair.frame_count; frame++)
            under[frame] = gate_str_find(f.pair.frames[frame].name, gate_str_from(rows[i].under), 0) != SIZE_MAX;
        const struct gate_delta_filter filter = {.under = under};
        assert_true(gate_delta_fold(&beneath, &f.pair, &filter, &f.arena, &f.err));
        (void)expect_same(&r, &f.pair, &beneath);
    }
}

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

static void expect_cost(const struct pair_fixture *f, const char *name, int64_t expected) {
    int64_t found = fixture_value(f, name, GATE_CHARGED, GATE_BASELINE);
    if (found != expected)
        fail_msg("%s: charged %lld, expected %lld", name, (long long)found, (long long)expected);
}

TEST(charged_costs_match_costs_computed_by_hand) {
    static const char stacks[] = "main.main;main.work 1\n"                              /* self cost */
                                 "main.main;main.work;fmt.Sprintf 2\n"                  /* of a library it calls */
                                 "main.main;main.work;fmt.Sprintf;runtime.mallocgc 4\n" /* of that library's callee */
                                 "main.main;sort.Sort;main.less;strings.Compare 8\n"    /* called by a library */
                                 "main.main;main.less;sort.Sort;main.less 16\n"         /* twice in a stack */
                                 "runtime.gcBgMarkWorker;runtime.scanobject 32\n"       /* no own code: the root */
                                 "runtime.mstart 64\n"                                  /* only a root */
                                 "main.main 128\n"
                                 "net/http.serve;main.main;runtime.gopark 256\n"; /* a library calls own code */
    static const struct {
        const char *name;
        int64_t charged;
    } rows[] = {{"main.main", 128 + 256}, {"main.work", 1 + 2 + 4},       {"main.less", 8 + 16},
                {"fmt.Sprintf", 0},       {"runtime.mallocgc", 0},        {"sort.Sort", 0},
                {"strings.Compare", 0},   {"runtime.gcBgMarkWorker", 32}, {"runtime.scanobject", 0},
                {"runtime.mstart", 64},   {"net/http.serve", 0},          {"runtime.gopark", 0}};
    AT_END(fixture_end) struct pair_fixture f = {0};
    fixture_add(&f, GATE_BASELINE, stacks);
    fixture_add(&f, GATE_CANARY, "main.main;main.work;fmt.Sprintf 5\n");
    fixture_make(&f, NULL);
    assert_int_equal(f.pair.language, GATE_LANGUAGE_GO);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_cost(&f, rows[i].name, rows[i].charged);
    assert_int_equal(fixture_value(&f, "main.work", GATE_CHARGED, GATE_CANARY), 5);
}

/* Append the lines of `text` in reverse order, NUL-terminated. */
static void reversed(struct gate_buf *out, struct gate_str text) {
    size_t end = text.len;
    while (end > 0) {
        size_t begin = end - 1;
        while (begin > 0 && text.ptr[begin - 1] != '\n')
            begin--;
        gate_buf_bytes(out, text.ptr + begin, end - begin);
        end = begin;
    }
    gate_buf_char(out, '\0');
}

TEST(the_order_of_samples_does_not_matter) {
    static const char *const files[] = {"producers/perf/baseline.collapsed", "producers/py-spy/baseline.collapsed",
                                        "producers/async-profiler/baseline.collapsed"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        AT_END(gate_buf_free) struct gate_buf other = {0};
        struct gate_str text;
        AT_END(fixture_end) struct pair_fixture f = {0};
        struct gate_str path = gate_str_format(&f.arena, "%s/fixtures/%s", GATE_SOURCE_DIR, files[i]);
        assert_true(gate_source_read(&text, path, NULL, &f.arena, &f.err));
        reversed(&other, text);
        load_run(&f, GATE_BASELINE, files[i]);
        fixture_add(&f, GATE_CANARY, other.ptr);
        fixture_make(&f, NULL);
        for (uint32_t frame = 0; frame < f.pair.frame_count; frame++)
            for (int measure = 0; measure < GATE_MEASURES; measure++) {
                const int64_t *value = f.deltas.items[frame].value[measure];
                assert_true(value[GATE_BASELINE] == value[GATE_CANARY]);
            }
    }
}

/* Exchanging the two sides exchanges the charged costs. */
TEST(swapped_sides_swap_the_charged_costs) {
    for (size_t i = 0; i < CAPTURES; i++) {
        const struct capture turned = {captures[i].canary, captures[i].baseline, captures[i].type};
        AT_END(fixture_end) struct pair_fixture f, g;
        load_capture(&f, &captures[i]);
        load_capture(&g, &turned);
        for (uint32_t frame = 0; frame < f.pair.frame_count; frame++) {
            struct gate_str name = f.pair.frames[frame].name;
            const int64_t *one = f.deltas.items[frame].value[GATE_CHARGED];
            const char *text = gate_str_copy(&g.arena, name).ptr;
            for (int side = 0; side < GATE_SIDES; side++) {
                int64_t other = fixture_value(&g, text, GATE_CHARGED, (enum gate_side_name) !side);
                if (other != one[side])
                    fail_msg("%s: %s: charged %lld, with the sides exchanged %lld", captures[i].baseline, text,
                             (long long)one[side], (long long)other);
            }
        }
    }
}

/* ---- own.include, own.exclude, and no own code ------------------------------------------------------------------- */

static const char shop[] = "main.main;main.work;fmt.Sprintf;runtime.mallocgc 10\n"
                           "main.main;main.logAll;fmt.Sprintf 20\n"
                           "runtime.gcBgMarkWorker 40\n";

static void expect_charged(const struct gate_own_options *own, const char *const names[], const int64_t values[],
                           size_t count) {
    const struct gate_pair_options options = {.frames = {.own = *own}};
    AT_END(fixture_end) struct pair_fixture f = {0};
    fixture_add(&f, GATE_BASELINE, shop);
    fixture_add(&f, GATE_CANARY, shop);
    fixture_make(&f, &options);
    for (size_t i = 0; i < count; i++)
        expect_cost(&f, names[i], values[i]);
}

static struct gate_regex *pattern(const char *text) {
    struct gate_regex *regex = NULL;
    if (!gate_regex_compile(&regex, gate_str_from(text), &err))
        fail_msg("%s: %s", text, err.message);
    return regex;
}

TEST(rules_define_own_code) {
    static const char *const names[] = {"main.main", "main.work", "main.logAll", "fmt.Sprintf",
                                        "runtime.gcBgMarkWorker"};
    struct gate_regex *fmt = pattern("^fmt\\."), *log = pattern("^main\\.log");
    struct gate_regex *all = pattern("."), *sprintf_only = pattern("Sprintf$");
    const struct gate_regex *includes[] = {fmt}, *excludes[] = {log}, *everything[] = {all}, *one[] = {sprintf_only};
    const struct {
        struct gate_own_options own;
        int64_t values[5];
    } rows[] = {
        {{0}, {0, 10, 20, 0, 40}},
        {{.include = includes, .include_count = 1}, {0, 0, 0, 30, 40}},
        {{.exclude = excludes, .exclude_count = 1}, {20, 10, 0, 0, 40}},
        {{.include = everything, .include_count = 1, .exclude = excludes, .exclude_count = 1}, {0, 0, 0, 20, 40}},
        {{.include = includes, .include_count = 1, .exclude = one, .exclude_count = 1}, {0, 10, 20, 0, 40}},
        {{.exclude = everything, .exclude_count = 1}, {0, 0, 0, 20, 40}}, /* no own code is left: self costs */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_charged(&rows[i].own, names, rows[i].values, sizeof names / sizeof *names);
    gate_regex_free(fmt);
    gate_regex_free(log);
    gate_regex_free(all);
    gate_regex_free(sprintf_only);
}

/* Without own code in any run, charged costs are self costs. One own-code frame in any run changes that. */
TEST(without_own_code_charged_is_self) {
    static const char nobodys[] = "runtime.mcall;runtime.schedule 60\nruntime.gcBgMarkWorker;runtime.scanobject 40\n";
    for (int has_own = 0; has_own < 2; has_own++) {
        AT_END(fixture_end) struct pair_fixture f = {0};
        fixture_add(&f, GATE_BASELINE, nobodys);
        fixture_add(&f, GATE_CANARY, nobodys);
        if (has_own)
            fixture_add(&f, GATE_CANARY, "main.main 1\nruntime.mcall;runtime.schedule 1\n");
        fixture_make(&f, NULL);
        assert_int_equal(f.pair.has_no_own, !has_own);
        for (uint32_t frame = 0; frame < f.pair.frame_count && !has_own; frame++)
            for (int side = 0; side < GATE_SIDES; side++)
                assert_true(f.deltas.items[frame].value[GATE_CHARGED][side] ==
                            f.deltas.items[frame].value[GATE_SELF][side]);
        assert_int_equal(fixture_value(&f, "runtime.schedule", GATE_CHARGED, GATE_BASELINE), has_own ? 0 : 60);
        assert_int_equal(fixture_value(&f, "runtime.mcall", GATE_CHARGED, GATE_BASELINE), has_own ? 60 : 0);
    }
}
