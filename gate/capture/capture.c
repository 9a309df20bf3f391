/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of profiles (see capture.h). */
#include "gate/capture/capture.h"

#include "gate/capture/arrival.h"
#include "gate/capture/backend_asking.h"
#include "gate/capture/capture_work.h"
#include "gate/capture/fetch.h"
#include "gate/compare/pair.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

/* A store that has nothing for so long is not going to have it soon. */
enum { EMPTY_SLICES_MAX = 3 };

/* What is asked of one address for one kind. */
struct asking {
    const struct gate_capture_source *source;
    struct gate_str shown;
    struct gate_fetch profile, before, after; /* and its counter at both ends */
    struct gate_backend_asking store;         /* instead of `profile` */
    bool is_there;                            /* in the folder already */
};

/* ---- beginning --------------------------------------------------------------------------------------------------- */

/* A folder may be gone on with where all that it holds came from the addresses of now. */
static bool folder_check(const struct gate_capture *capture, struct gate_error *err) {
    if (capture->manifest.looks.planned > 0 && !capture->plan->goes_on_judged)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%s: the folder was judged while it was taken, and more runs would undo its verdict; "
                              "name another folder, or go on with gate",
                              capture->plan->dir);
    for (uint32_t r = 0; r < capture->manifest.count; r++) {
        const struct gate_manifest_run *run = &capture->manifest.runs[r];
        bool is_known = false;
        if (!gate_capture_plan_has(&is_known, capture->plan, run, capture->arena, err))
            return false;
        if (!is_known)
            return gate_error_set(err, GATE_ERR_INPUT,
                                  "%s: the folder holds a run of the %s from '%.*s', which is none of the addresses, "
                                  "kinds and seconds%s of now; name another folder",
                                  capture->plan->dir, gate_side_word(run->side), GATE_STR_ARG(run->source),
                                  capture->plan->slices > 0 ? ", windows and runs" : "");
    }
    return true;
}

static void wait_for(const struct gate_capture_plan *plan, const char *what, int64_t left_ms) {
    const struct gate_capture_listener *listener = &plan->fetch.listener;
    for (; left_ms > 0; left_ms -= 1000) {
        int64_t part_ms = left_ms < 1000 ? left_ms : 1000;
        const struct timespec wait = {(time_t)(part_ms / 1000), (long)(part_ms % 1000) * 1000000};
        char text[64];
        (void)snprintf(text, sizeof text, "%s, %lld s left", what, (long long)(left_ms + 999) / 1000);
        if (listener->progress != NULL)
            listener->progress(listener->context, text);
        (void)nanosleep(&wait, NULL);
    }
}

bool gate_capture_begin(struct gate_capture *out, const struct gate_capture_plan *plan, struct gate_arena *arena,
                        struct gate_error *err) {
    *out = (struct gate_capture){.plan = plan, .arena = arena};
    gate_manifest_begin(&out->manifest);
    if (!gate_fetch_check(err) || !gate_capture_plan_check(plan, arena, err) ||
        !gate_manifest_file_begin(&out->manifest, plan->dir, arena, err))
        return false;
    if (!folder_check(out, err)) {
        gate_capture_end(out);
        return false;
    }
    out->manifest.interleaved = true;
    out->is_older = GATE_NEW_ARRAY(arena, bool, plan->source_count);
    out->is_left_out = GATE_NEW_ARRAY(arena, bool, (size_t)plan->slices + 1);
    if (out->is_older == NULL || out->is_left_out == NULL) {
        gate_capture_end(out);
        return gate_arena_error(arena, err);
    }
    for (uint32_t i = 0; i < out->manifest.count; i++)
        if (out->manifest.runs[i].revision.len > 0)
            out->builds[out->manifest.runs[i].side] = out->manifest.runs[i].revision;
    if (!gate_capture_work_look(plan, arena, err)) {
        gate_capture_end(out);
        return false;
    }
    wait_for(plan, "warming up", (int64_t)(plan->warm_up_seconds * 1e3));
    return true;
}

void gate_capture_end(struct gate_capture *capture) {
    gate_manifest_file_end(&capture->manifest);
}

/* ---- a round ----------------------------------------------------------------------------------------------------- */

static bool is_there(const struct gate_capture *capture, const struct asking *asking, enum gate_capture_kind kind,
                     uint32_t round) {
    for (uint32_t i = 0; i < capture->manifest.count; i++) {
        const struct gate_manifest_run *run = &capture->manifest.runs[i];
        if (run->round == round && run->side == asking->source->side && gate_str_equal(run->source, asking->shown) &&
            gate_str_equal(run->kind, gate_str_from(gate_capture_kind_words[kind])))
            return true;
    }
    return false;
}

static bool asking_make_of_store(struct asking *out, const struct gate_capture *capture,
                                 const struct gate_capture_source *source, enum gate_capture_kind kind, uint32_t round,
                                 struct gate_error *err) {
    const struct gate_capture_plan *plan = capture->plan;
    *out = (struct asking){.source = source};
    if (!gate_capture_plan_query(&out->store.query, &out->shown, plan, source, kind, round, capture->arena, err))
        return false;
    out->store.query.is_older = capture->is_older[source - plan->sources];
    out->is_there = is_there(capture, out, kind, round);
    return true;
}

static bool asking_make(struct asking *out, const struct gate_capture *capture,
                        const struct gate_capture_source *source, enum gate_capture_kind kind, struct gate_arena *arena,
                        struct gate_error *err) {
    const struct gate_capture_plan *plan = capture->plan;
    bool takes_time = gate_capture_kind_row(kind)->takes_time;
    *out = (struct asking){.source = source};
    if (!gate_capture_plan_address(&out->profile.url, &out->shown, plan, source, kind, arena, err))
        return false;
    out->profile.credentials = &plan->credentials;
    out->profile.max_bytes = plan->max_bytes;
    out->profile.seconds = gate_capture_url_seconds(&out->profile.url, takes_time ? plan->seconds : 0);
    out->before =
        (struct gate_fetch){.url = source->metrics, .credentials = &plan->credentials, .max_bytes = plan->max_bytes};
    out->after = out->before;
    if (plan->work == NULL || !takes_time) /* what there is at one moment took no work */
        return true;
    out->profile.before = &out->before;
    out->profile.after = &out->after;
    return true;
}

/* One build a side, and a canary that is none of the baseline's. */
static bool build_check(struct gate_capture *capture, enum gate_side_name side, struct gate_str build,
                        struct gate_error *err) {
    struct gate_str *known = &capture->builds[side], other = capture->builds[1 - (int)side];
    if (build.len == 0)
        return true;
    if (known->len > 0 && !gate_str_equal(*known, build))
        return gate_error_set(err, GATE_ERR_INPUT,
                              "this is build '%.*s', and other runs of the %s are of '%.*s': a side has to be one "
                              "build; was it deployed in between?",
                              GATE_STR_ARG(build), gate_side_word(side), GATE_STR_ARG(*known));
    *known = build;
    if (gate_str_equal(build, other) && !capture->told_same_build) {
        gate_capture_plan_note(capture->plan,
                               "baseline and canary are of the same build: is one of the addresses the other's?");
        capture->told_same_build = true;
    }
    return true;
}

static struct gate_str file_name(const struct gate_capture *capture, const struct asking *asking,
                                 const struct gate_manifest_run *run, const char *extension) {
    uint32_t same = 0, number = 0;
    for (uint32_t i = 0; i < capture->plan->source_count; i++) {
        const struct gate_capture_source *source = &capture->plan->sources[i];
        same += source->side == run->side;
        number = source == asking->source ? same : number;
    }
    if (same == 1)
        return gate_str_format(capture->arena, "%.*s-%03u-%s%s", GATE_STR_ARG(run->kind), (unsigned)run->round,
                               gate_side_word(run->side), extension);
    return gate_str_format(capture->arena, "%.*s-%03u-%s-%u%s", GATE_STR_ARG(run->kind), (unsigned)run->round,
                           gate_side_word(run->side), (unsigned)number, extension);
}

/* Into the folder, if it is what was asked for. */
static bool asking_take(struct gate_capture *capture, const struct asking *asking, enum gate_capture_kind kind,
                        uint32_t round, struct gate_error *err) {
    const struct gate_fetch *profile = &asking->profile;
    const struct gate_capture_source *source = asking->source;
    const bool is_of_store = capture->plan->slices > 0;
    struct gate_str bytes = is_of_store ? asking->store.profile : gate_buf_view(&profile->body);
    struct gate_arrival arrival;
    *err = is_of_store ? asking->store.err : profile->err;
    if (!(is_of_store ? asking->store.is_well : profile->is_well) ||
        !gate_arrival_check(&arrival, bytes, kind, &capture->plan->limits, capture->arena, err))
        return false;
    struct gate_manifest_run run = {.round = round,
                                    .side = source->side,
                                    .kind = gate_str_from(gate_capture_kind_words[kind]),
                                    .source = asking->shown,
                                    .instance = source->url.socket.len > 0 ? source->url.socket : source->url.host,
                                    .start_ms = profile->start_ms,
                                    .end_ms = profile->end_ms,
                                    .revision = arrival.build};
    if (is_of_store) {
        const struct gate_window *window = &asking->store.query.window;
        run.start_ms = window->from_ms;
        run.end_ms = window->to_ms;
        run.revision = GATE_STR(""); /* of a merge, whatever stands first */
        if (!gate_capture_work_slice(&run, capture->plan, &asking->after, capture->arena, err))
            return false;
    }
    if (profile->before != NULL && !gate_capture_work(&run, capture->plan, profile, capture->arena, err))
        return false;
    run.file = file_name(capture, asking, &run, arrival.extension);
    if (run.file.ptr == NULL)
        return gate_arena_error(capture->arena, err);
    return build_check(capture, source->side, run.revision, err) &&
           gate_manifest_file_take(&capture->manifest, capture->plan->dir, &run, bytes, capture->arena, err);
}

/* Keep all that came, and tell the first thing that did not. */
static bool kind_finish(struct gate_capture *capture, struct asking *askings, enum gate_capture_kind kind,
                        uint32_t round, struct gate_error *err) {
    bool ok = true;
    capture->is_empty = true;
    for (uint32_t i = 0; i < capture->plan->source_count; i++) {
        struct gate_error why = {0};
        if (askings[i].is_there || asking_take(capture, &askings[i], kind, round, &why))
            continue;
        capture->is_empty = capture->is_empty && askings[i].store.is_empty;
        capture->is_over = capture->is_over || askings[i].profile.is_over || askings[i].store.fetch.is_over;
        (void)gate_capture_plan_blame(capture->plan, &askings[i].source->url, askings[i].shown, &why);
        if (ok)
            *err = why;
        else
            gate_capture_plan_note(capture->plan, why.message);
        ok = false;
    }
    return ok;
}

/* Of slices that came, what was done in them. */
static bool ask_work(struct asking *askings, const struct gate_capture *capture,
                     const struct gate_fetch_options *options, struct gate_fetch **requests, struct gate_error *err) {
    const struct gate_capture_plan *plan = capture->plan;
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->source_count; i++) {
        struct asking *asking = &askings[i];
        asking->after = (struct gate_fetch){.credentials = &plan->credentials, .max_bytes = GATE_WORK_QUERY_BYTES_MAX};
        if (plan->work_query.url.host.len == 0 || !asking->store.is_well)
            continue;
        if (!gate_work_query_ask(&asking->after, &plan->work_query, asking->source->side, &asking->store.query.window,
                                 capture->arena, err))
            return false;
        requests[count++] = &asking->after;
    }
    return gate_fetch_all(requests, count, options, capture->arena, err);
}

static bool ask_stores(struct asking *askings, const struct gate_capture *capture, enum gate_capture_kind kind,
                       uint32_t round, const struct gate_fetch_options *options, struct gate_fetch **requests,
                       struct gate_error *err) {
    const struct gate_capture_plan *plan = capture->plan;
    struct gate_backend_asking **questions = gate_arena_calloc(capture->arena, plan->source_count, sizeof *questions);
    uint32_t count = 0;
    if (questions == NULL)
        return gate_arena_error(capture->arena, err);
    for (uint32_t i = 0; i < plan->source_count; i++) {
        if (!asking_make_of_store(&askings[i], capture, &plan->sources[i], kind, round, err))
            return false;
        if (!askings[i].is_there)
            questions[count++] = &askings[i].store;
    }
    if (!gate_backend_asking_all(questions, count, options, &plan->credentials, plan->max_bytes, capture->arena, err))
        return false;
    for (uint32_t i = 0; i < plan->source_count; i++)
        capture->is_older[i] = askings[i].store.query.is_older;
    return ask_work(askings, capture, options, requests, err);
}

static bool ask_programs(struct asking *askings, const struct gate_capture *capture, enum gate_capture_kind kind,
                         uint32_t round, const struct gate_fetch_options *options, struct gate_fetch **requests,
                         struct gate_error *err) {
    const struct gate_capture_plan *plan = capture->plan;
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->source_count; i++)
        if (!asking_make(&askings[i], capture, &plan->sources[i], kind, capture->arena, err))
            return false;
    for (int turn = 0; turn < GATE_SIDES; turn++) /* whoever begins has the machine for itself for a moment */
        for (uint32_t i = 0; i < plan->source_count; i++)
            if ((int)plan->sources[i].side == (turn + (int)round + 1) % GATE_SIDES)
                requests[count++] = &askings[i].profile;
    return gate_fetch_all(requests, count, options, capture->arena, err);
}

static bool kind_round(struct gate_capture *capture, enum gate_capture_kind kind, uint32_t round,
                       struct gate_error *err) {
    const struct gate_capture_plan *plan = capture->plan;
    struct asking *askings = GATE_NEW_ARRAY(capture->arena, struct asking, plan->source_count);
    struct gate_fetch **requests = gate_arena_calloc(capture->arena, plan->source_count, sizeof *requests);
    struct gate_fetch_options options = plan->fetch;
    options.deadline = capture->deadline;
    options.what =
        gate_str_format(capture->arena, "round %u of %s", (unsigned)round, gate_capture_kind_words[kind]).ptr;
    if (askings == NULL || requests == NULL)
        return gate_arena_error(capture->arena, err);
    bool ok = (plan->slices > 0 ? ask_stores(askings, capture, kind, round, &options, requests, err)
                                : ask_programs(askings, capture, kind, round, &options, requests, err)) &&
              kind_finish(capture, askings, kind, round, err);
    for (uint32_t i = 0; i < plan->source_count; i++) {
        gate_backend_asking_free(&askings[i].store);
        gate_buf_free(&askings[i].profile.body);
        gate_buf_free(&askings[i].before.body);
        gate_buf_free(&askings[i].after.body);
    }
    return ok;
}

static bool round_is_whole(const struct gate_capture *capture, uint32_t round) {
    uint32_t runs = 0;
    for (uint32_t i = 0; i < capture->manifest.count; i++)
        runs += capture->manifest.runs[i].round == round;
    return runs == capture->plan->source_count * capture->plan->kind_count;
}

static uint32_t next_round(const struct gate_capture *capture) {
    uint32_t round = 1;
    if (capture->plan->slices == 0)
        return gate_manifest_last_round(&capture->manifest) + 1;
    while (round <= capture->plan->slices && (capture->is_left_out[round - 1] || round_is_whole(capture, round)))
        round++;
    return round;
}

/* Of stores: until the slice is over on both sides, and what was sent of it has arrived. */
static bool slice_wait(const struct gate_capture *capture, uint32_t round, struct gate_error *err) {
    const struct gate_capture_plan *plan = capture->plan;
    struct timespec now = {0};
    int64_t end_ms = 0;
    for (uint32_t i = 0; plan->slices != 0 && i < plan->source_count; i++) {
        struct gate_window slice = gate_window_slice(&plan->sources[i].window, round - 1, plan->slices);
        end_ms = slice.to_ms > end_ms ? slice.to_ms : end_ms;
    }
    if (end_ms == 0)
        return true;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return gate_error_set(err, GATE_ERR_IO, "what time it is cannot be told: %s", strerror(errno));
    wait_for(plan, "waiting for the next slice",
             end_ms + (int64_t)(plan->settle_seconds * 1e3) - (int64_t)now.tv_sec * 1000 - now.tv_nsec / 1000000);
    return true;
}

static bool round_take(struct gate_capture *capture, uint32_t round, struct gate_error *err) {
    capture->is_empty = false;
    if (!slice_wait(capture, round, err))
        return false;
    for (uint32_t k = 0; k < capture->plan->kind_count; k++)
        if (!kind_round(capture, capture->plan->kinds[k], round, err))
            return false;
    return true;
}

/* A slice that failed: whether the next one is taken in its place. */
static bool slice_leave_out(struct gate_capture *capture, uint32_t round, uint32_t *in_a_row, struct gate_error *err) {
    const struct gate_capture_plan *plan = capture->plan;
    if (plan->settle_seconds <= 0 || !capture->is_empty)
        return false;
    capture->is_left_out[round - 1] = true;
    capture->is_over = ++*in_a_row == EMPTY_SLICES_MAX || next_round(capture) > plan->slices;
    if (capture->is_over && *in_a_row > 1) {
        struct gate_error last = *err;
        return gate_error_set(err, last.code, "%s (%s slices in a row)", last.message,
                              *in_a_row == 2 ? "two" : "three");
    }
    if (capture->is_over)
        return false;
    gate_capture_plan_note(plan, err->message);
    gate_capture_plan_note(plan, "the slice is left out, and the next one is taken");
    *err = (struct gate_error){0};
    return true;
}

bool gate_capture_round(struct gate_capture *capture, struct gate_error *err) {
    GATE_ASSERT(gate_capture_rounds_left(capture) > 0);
    for (uint32_t in_a_row = 0;;) {
        uint32_t round = next_round(capture);
        if (round_take(capture, round, err))
            return true;
        if (!slice_leave_out(capture, round, &in_a_row, err))
            return false;
    }
}

uint32_t gate_capture_whole_rounds(const struct gate_capture *capture) {
    const uint32_t last = gate_manifest_last_round(&capture->manifest);
    uint32_t whole = 0;
    for (uint32_t round = 1; round <= last; round++)
        whole += round_is_whole(capture, round);
    return whole;
}

uint32_t gate_capture_rounds_left(const struct gate_capture *capture) {
    const uint32_t slices = capture->plan->slices;
    return slices == 0 ? UINT32_MAX : slices - gate_capture_whole_rounds(capture);
}
