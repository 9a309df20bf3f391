/* SPDX-License-Identifier: Apache-2.0 */
/* Exemplars of a cause: which labels are trace and span ids, which few exemplars are kept, and in which order. */
#include "gate/budget/exemplars.h"
#include "tests/unit/labelled_fixture.h"

struct exemplars_fixture {
    struct pair_fixture pair;
    struct gate_comparison comparison;
    struct gate_cause cause;
};

/* Find the exemplars of the only cause, whose frame is "f". */
static bool find(struct exemplars_fixture *f, struct gate_arena *arena) {
    struct gate_cause_list list = {&f->cause, 1};
    return gate_exemplars_find(&list, &f->comparison, 1, arena, &f->pair.err);
}

static void make(struct exemplars_fixture *f, const char *baseline, const char *canary) {
    fixture_begin(&f->pair);
    labelled_add(&f->pair, GATE_BASELINE, baseline, 0);
    labelled_add(&f->pair, GATE_CANARY, canary, 0);
    fixture_make(&f->pair, NULL);
    f->comparison = (struct gate_comparison){.pair = f->pair.pair};
    f->cause = (struct gate_cause){.frame = fixture_frame(&f->pair, "f")};
}

static void assert_canary(struct exemplars_fixture *f, const char *expected) {
    struct gate_buf text = {0};
    if (!find(f, &f->pair.arena))
        fail_msg("%s", f->pair.err.message);
    gate_exemplars_sentence(&text, &f->cause);
    if (!gate_str_equal(gate_buf_view(&text), gate_str_from(expected)))
        fail_msg("found '%.*s'", GATE_STR_ARG(gate_buf_view(&text)));
    gate_buf_free(&text);
    fixture_end(&f->pair);
}

TEST(only_samples_of_the_frame_count) {
    struct exemplars_fixture f;
    make(&f, "trace_id=aa m;f 1", "trace_id=bb m;f;g 1\ntrace_id=cc m;g 9\nendpoint=/x m;f 9");
    assert_canary(&f, "canary trace bb; baseline trace aa");
}

TEST(spans_are_listed_with_their_trace_or_alone) {
    struct exemplars_fixture f;
    make(&f, "- m;f 1", "trace_id=t,span_id=s m;f 2\nlocal+root+span+id=x m;f 1");
    /* Words separated by "+" are not recognised as the label of a span id. */
    assert_canary(&f, "canary trace t (span s)");
    make(&f, "- m;f 1", "otel.traceID=t m;f 2\nlocal_root_span_id#18446744073709551615 m;f 1");
    assert_canary(&f, "canary trace t, span 18446744073709551615");
}

TEST(the_newest_three_are_kept_each_trace_once) {
    struct exemplars_fixture f;
    make(&f, "- m;f 1",
         "trace_id=a,end_timestamp_ns#10 m;f 1\ntrace_id=b,end_timestamp_ns#40 m;f 1\n"
         "trace_id=c,end_timestamp_ns#20 m;f 1\ntrace_id=a,end_timestamp_ns#30 m;f 1\n"
         "trace_id=d,end_timestamp_ns#25 m;f 1\ntrace_id=b,end_timestamp_ns#5 m;f 9");
    assert_canary(&f, "canary trace b, trace a, trace d");
}

TEST(among_equals_the_heavier_then_the_smaller) {
    struct exemplars_fixture f;
    make(&f, "- m;f 1", "trace_id=z m;f 5\ntrace_id=c m;f 1\ntrace_id=b m;f 1\ntrace_id=a m;f 1");
    assert_canary(&f, "canary trace z, trace a, trace b");
}

TEST(a_newer_profile_goes_before_an_older_one) {
    struct exemplars_fixture f;
    fixture_begin(&f.pair);
    labelled_add(&f.pair, GATE_BASELINE, "- m;f 1", 0);
    labelled_add(&f.pair, GATE_CANARY, "trace_id=old m;f 9", 1000);
    labelled_add(&f.pair, GATE_CANARY, "trace_id=new m;f 1", 2000);
    fixture_make(&f.pair, NULL);
    f.comparison = (struct gate_comparison){.pair = f.pair.pair};
    f.cause = (struct gate_cause){.frame = fixture_frame(&f.pair, "f")};
    assert_true(find(&f, &f.pair.arena));
    assert_int_equal(f.cause.exemplars[GATE_CANARY].items[0].time_ns, 2000);
    f.cause = (struct gate_cause){.frame = f.cause.frame};
    assert_canary(&f, "canary trace new, trace old");
}

TEST(a_long_identifier_is_cut) {
    struct exemplars_fixture f;
    make(&f, "- m;f 1",
         "trace_id=aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggg m;f 1\ntrace_id= m;f 7");
    assert_true(find(&f, &f.pair.arena));
    assert_int_equal(f.cause.exemplars[GATE_CANARY].count, 1); /* an empty trace_id is ignored */
    assert_int_equal(f.cause.exemplars[GATE_CANARY].items[0].trace.len, 64);
    fixture_end(&f.pair);
}

TEST(a_full_arena_is_an_error_at_every_step) {
    struct exemplars_fixture f;
    bool done = false;
    make(&f, "- m;f 1", "trace_id#7 m;f 1");
    for (size_t limit = 1; !done; limit += 4) {
        AT_END(gate_arena_free) struct gate_arena arena;
        gate_arena_init(&arena, limit);
        f.pair.err = (struct gate_error){0};
        f.cause = (struct gate_cause){.frame = f.cause.frame};
        done = find(&f, &arena);
        assert_int_equal(f.pair.err.code, done ? GATE_OK : GATE_ERR_LIMIT);
    }
    fixture_end(&f.pair);
}
