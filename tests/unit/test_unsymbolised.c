/* SPDX-License-Identifier: Apache-2.0 */
/* What counts as a name, and how profiles without names are handled: refused, joined by mapping, never new. */
#include "profile_fixture.h"

#include "gate/budget/plan.h"
#include "gate/budget/verdict.h"
#include "gate/model/location.h"
#include "gate/rules/rules_parse.h"

TEST(addresses_are_not_names) {
    static const char *const addresses[] = {
        "0x55d1",           "0x0",        "0xdead",        "0X7F12A4B0C8D0", "00007f12a4b0c8d0",
        "7f12a4b0c8d0",     "sub_4A2F10", "sub_1139",      "FUN_00101189",   "fcn.00001139",
        "0000000000401136", "deadbee1",   "fun_140001000", "0x55d0c8a3f1b2",
    };
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
        if (!gate_address_name_is(gate_str_from(addresses[i])))
            fail_msg("'%s' passes for a name", addresses[i]);
}

TEST(words_count_as_names) {
    static const char *const words[] = {
        "",          "dead",    "facade_1", "added",       "deadbee",     "deadbeef",        "face",      "0x",
        "0xyz",      "sub_",    "sub_add",  "sub_facade",  "sub_12",      "FUN_CTION",       "fun_times", "main.f1",
        "12345",     "bad1dea", "0x55d1 ",  "0x55d1+0x10", "cafebabe1.x", "_Z3addii",        "abcdef1g",  "e2e",
        "fcn.added", "decade",  "sub_0x12", "f00",         "a1b2c3",      "subroutine_1234",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (gate_address_name_is(gate_str_from(words[i])))
            fail_msg("'%s' passes for an address", words[i]);
}

/* ---- profiles of a binary, /srv/shop, and of a library beside it ------------------------------------------------- */

struct stack {
    const char *leaf, *mapping; /* the root is "main" of the binary, or an address if `strips` */
    uint64_t value;
};

enum { NAMES_MAX = 64 };

struct writer {
    struct gate_buf out;
    const char *strings[NAMES_MAX];
    uint64_t string_count, locations;
};

static uint64_t text_index(struct writer *w, const char *text) {
    for (uint64_t i = 0; i < w->string_count; i++)
        if (strcmp(w->strings[i], text) == 0)
            return i;
    assert_true(w->string_count < NAMES_MAX);
    w->strings[w->string_count] = text;
    return w->string_count++;
}

/* Mappings 1, the binary, and 2. */
static uint64_t add_frame(struct writer *w, const char *name, const char *mapping) {
    uint64_t id = ++w->locations;
    uint64_t which = strcmp(mapping, "/srv/shop") == 0 ? 1 : 2;
    struct gate_buf location = {0};
    gate_wire_put_number(&location, 1, id);
    gate_wire_put_number(&location, 2, which);
    gate_wire_put_number(&location, 3, 0x1000 * id);
    PUT(&location, 4, {1, id}, {2, 1});
    put_message(&w->out, 4, &location);
    PUT(&w->out, 5, {1, id}, {2, text_index(w, name)});
    return id;
}

static void load(struct gate_profile *out, const struct stack *stacks, size_t count, const char *root,
                 struct gate_arena *arena) {
    struct writer w = {.strings = {""}, .string_count = 1};
    PUT(&w.out, 1, {1, text_index(&w, "samples")}, {2, text_index(&w, "count")});
    PUT(&w.out, 3, {1, 1}, {2, 0x1000}, {3, 0x800000}, {5, text_index(&w, "/srv/shop")});
    PUT(&w.out, 3, {1, 2}, {2, 0x900000}, {3, 0xa00000}, {5, text_index(&w, "/srv/libprice.so")});
    for (size_t i = 0; i < count; i++) {
        uint64_t leaf = add_frame(&w, stacks[i].leaf, stacks[i].mapping);
        uint64_t top = add_frame(&w, root, "/srv/shop");
        struct gate_buf sample = {0};
        PACKED(&sample, 1, leaf, top);
        PACKED(&sample, 2, stacks[i].value);
        put_message(&w.out, 2, &sample);
    }
    for (uint64_t i = 0; i < w.string_count; i++)
        gate_wire_put_bytes(&w.out, 6, gate_str_from(w.strings[i]));
    struct gate_str bytes = gate_str_copy(arena, gate_buf_view(&w.out));
    gate_buf_free(&w.out);
    if (!gate_profile_load(out, bytes, NULL, arena, &err))
        fail_msg("%s", err.message);
}

struct sides {
    struct gate_arena arena;
    struct gate_error err;
    struct gate_profile profiles[GATE_SIDES];
    struct gate_run_input runs[GATE_SIDES];
    struct gate_plan_input input;
    struct gate_rules rules;
    struct gate_plan plan;
    struct gate_verdict verdict;
};

static void sides_begin(struct sides *s, const struct stack *one, const struct stack *two, size_t count,
                        const char *roots[GATE_SIDES]) {
    *s = (struct sides){0};
    load(&s->profiles[GATE_BASELINE], one, count, roots[GATE_BASELINE], &s->arena);
    load(&s->profiles[GATE_CANARY], two, count, roots[GATE_CANARY], &s->arena);
    for (int side = 0; side < GATE_SIDES; side++) {
        s->runs[side] = (struct gate_run_input){.path = side == 0 ? GATE_STR("base") : GATE_STR("canary"),
                                                .profile = &s->profiles[side]};
        s->input.runs[side] = &s->runs[side];
        s->input.counts[side] = 1;
    }
}

static void sides_end(struct sides *s) {
    gate_rules_free(&s->rules);
    gate_arena_free(&s->arena);
}

/* Return whether the sides can be compared under these rules; `verdict` is the result. */
static bool sides_check(struct sides *s, const char *rules) {
    const struct gate_verdict_options nothing = {.command = GATE_STR("")};
    if (!gate_rules_parse(&s->rules, gate_str_from(rules), GATE_STR("rules.yml"), NULL, &s->arena, &s->err))
        fail_msg("%s", s->err.message);
    const struct gate_plan_options options = {.frames = s->rules.frames};
    return gate_plan_make(&s->plan, &s->rules, &s->input, 1, &options, &s->arena, &s->err) &&
           gate_verdict_reach(&s->verdict, &s->rules, s->plan.comparisons, s->plan.comparison_count, &nothing,
                              &s->arena, &s->err);
}

static const struct gate_frame *frame_of(const struct sides *s, const char *name, int64_t self[GATE_SIDES]) {
    const struct gate_comparison *c = &s->plan.comparisons[0];
    for (uint32_t i = 0; i < c->pair.frame_count; i++)
        if (gate_str_equal(c->pair.frames[i].name, gate_str_from(name))) {
            for (int side = 0; side < GATE_SIDES; side++)
                self[side] = c->deltas.items[i].value[GATE_SELF][side];
            return &c->pair.frames[i];
        }
    return NULL;
}

static const char by_function[] = "version: 1\nbudgets: [{name: new, limit: {new_frame: 1%}}]\n";
static const char by_mapping[] =
    "version: 1\nframes: {granularity: mapping}\nbudgets: [{name: new, limit: {new_frame: 1%}}]\n";

static const struct stack stripped[] = {{"0x55d1", "/srv/shop", 6000}, {"sub_4A2F10", "/srv/libprice.so", 4000}};
static const struct stack stripped_anew[] = {{"0x66e2", "/srv/shop", 5000}, {"sub_4B3010", "/srv/libprice.so", 5000}};
static const char *stripped_roots[GATE_SIDES] = {"00007f12a4b0c8d0", "00007f99a4b0c8d0"};

TEST(profiles_without_any_name_are_refused) {
    AT_END(sides_end) struct sides s;
    sides_begin(&s, stripped, stripped_anew, 2, stripped_roots);
    assert_false(sides_check(&s, by_function));
    assert_int_equal(s.err.code, GATE_ERR_INPUT);
    assert_non_null(strstr(s.err.message, "base: no function has a name on either side"));
    assert_non_null(strstr(s.err.message, "'--granularity mapping'"));
}

TEST(comparison_by_mapping_needs_no_names) {
    AT_END(sides_end) struct sides s;
    int64_t self[GATE_SIDES] = {0};
    sides_begin(&s, stripped, stripped_anew, 2, stripped_roots);
    if (!sides_check(&s, by_mapping))
        fail_msg("%s", s.err.message);
    assert_int_equal(s.plan.comparisons[0].pair.frame_count, 2);
    assert_non_null(frame_of(&s, "[libprice.so]", self));
    assert_int_equal(self[GATE_BASELINE], 4000);
    assert_int_equal(self[GATE_CANARY], 5000);
}

/* One named function is enough to compare. A guard reports how many lack a name. */
TEST(one_named_function_is_enough_to_compare) {
    AT_END(sides_end) struct sides s;
    int64_t self[GATE_SIDES] = {0};
    const char *roots[GATE_SIDES] = {"main", "main"};
    sides_begin(&s, stripped, stripped_anew, 2, roots);
    assert_true(sides_check(&s, by_function));
    const struct gate_frame *frame = frame_of(&s, "[shop]", self);
    assert_non_null(frame);
    assert_false(frame->is_symbolised);
    assert_true(frame->is_own); /* the program's own binary, although it is stripped */
    assert_int_equal(self[GATE_BASELINE], 6000);
    assert_int_equal(self[GATE_CANARY], 5000);
    assert_null(frame_of(&s, "0x55d1", self));
    assert_int_equal(s.plan.comparisons[0].pair.frame_count, 3);
    assert_int_equal(s.verdict.outcome, GATE_OUTCOME_PASS);
}

/* A function without a name on one side is missing its symbols. It is not new code. */
TEST(a_frame_without_a_name_is_never_new) {
    static const struct stack named[] = {{"price", "/srv/shop", 6000}, {"sum", "/srv/shop", 4000}};
    static const struct stack nameless[] = {{"0x66e2", "/srv/libprice.so", 5000}, {"sum", "/srv/shop", 5000}};
    const char *roots[GATE_SIDES] = {"main", "main"};
    AT_END(sides_end) struct sides s;
    int64_t self[GATE_SIDES] = {0};
    sides_begin(&s, named, nameless, 2, roots);
    assert_true(sides_check(&s, by_function));
    assert_non_null(frame_of(&s, "[libprice.so]", self));
    assert_int_equal(self[GATE_BASELINE], 0);
    assert_int_equal(self[GATE_CANARY], 5000);
    assert_int_equal(s.verdict.outcome,
                     GATE_OUTCOME_INCONCLUSIVE); /* no budget fails, but half of the cost is not judged */
}

/* The same frame with a name is new. A new library is new if frames are mappings. */
TEST(a_named_frame_or_library_can_be_new) {
    static const struct stack before[] = {{"price", "/srv/shop", 4000}, {"sum", "/srv/shop", 6000}};
    static const struct stack named[] = {{"discount", "/srv/libprice.so", 5000}, {"sum", "/srv/shop", 5000}};
    static const struct stack nameless[] = {{"0x66e2", "/srv/libprice.so", 5000}, {"sum", "/srv/shop", 5000}};
    const char *roots[GATE_SIDES] = {"main", "main"};
    AT_END(sides_end) struct sides s;
    sides_begin(&s, before, named, 2, roots);
    assert_true(sides_check(&s, by_function));
    assert_int_equal(s.verdict.outcome, GATE_OUTCOME_FAIL);
    sides_end(&s);
    sides_begin(&s, before, nameless, 2, roots);
    assert_true(sides_check(&s, by_mapping));
    assert_int_equal(s.verdict.outcome, GATE_OUTCOME_FAIL);
}
