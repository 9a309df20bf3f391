/* SPDX-License-Identifier: Apache-2.0 */
/* Take rounds of profiles of both sides from live endpoints or profile stores. */
#include "gate/capture/capture.h"

#include "gate/base/hash.h"
#include "gate/base/system.h"
#include "gate/capture/backend.h"
#include "gate/capture/credentials.h"
#include "gate/capture/http.h"
#include "gate/capture/metrics.h"
#include "gate/compare/pair.h"
#include "gate/guards/build_facts.h"
#include "gate/model/limits.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

/* Pass a note for the user to the listener. */
static void capture_plan_note(const struct gate_capture_plan *plan, const char *text) {
    if (plan->fetch.listener.note != NULL)
        plan->fetch.listener.note(plan->fetch.listener.context, gate_str_from(text));
}

bool gate_capture_plan_blame(const struct gate_capture_plan *plan, const struct gate_capture_url *url,
                             struct gate_str shown, struct gate_error *err) {
    (void)gate_error_set(err, err->code, "%.*s: %s", GATE_STR_ARG(shown), err->message);
    gate_credentials_hide(err, &plan->credentials, url);
    return false;
}

/* Set `*out` to the address of a source for a kind, and `*shown` to that address without secrets. `shown->ptr` is not
 * NULL on success. */
static bool capture_plan_address(struct gate_capture_url *out, struct gate_str *shown,
                                 const struct gate_capture_plan *plan, const struct gate_capture_source *source,
                                 enum gate_capture_kind kind, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str own = gate_capture_url_show(&source->url, arena);
    if (own.ptr == NULL)
        return gate_arena_error(arena, err);
    if (!gate_capture_url_of_kind(out, &source->url, kind, plan->seconds, arena, err))
        return gate_capture_plan_blame(plan, &source->url, own, err);
    *shown = gate_capture_url_show(out, arena);
    return shown->ptr != NULL || gate_arena_error(arena, err);
}

bool gate_capture_plan_query(struct gate_backend_query *out, struct gate_str *shown,
                             const struct gate_capture_plan *plan, const struct gate_capture_source *source,
                             enum gate_capture_kind kind, uint32_t round, struct gate_arena *arena,
                             struct gate_error *err) {
    GATE_ASSERT(round >= 1 && round <= plan->slices);
    *out = (struct gate_backend_query){.address = &source->store,
                                       .window = gate_window_slice(&source->window, round - 1, plan->slices)};
    if (!gate_backend_address_type(&out->type, &source->store, kind, err))
        return gate_capture_plan_blame(plan, &source->url, gate_capture_url_show(&source->url, arena), err);
    *shown = gate_backend_address_show(&source->store, out->type, &out->window, arena);
    return shown->ptr != NULL || gate_arena_error(arena, err);
}

/* Refuse the same profiles on both sides, or twice on one side: their comparison would always pass. */
static bool plan_check_stores(const struct gate_capture_plan *plan, struct gate_arena *arena, struct gate_error *err) {
    for (uint32_t i = 0; i < plan->source_count; i++) {
        const struct gate_capture_source *a = &plan->sources[i];
        if (!gate_window_check_slices(&a->window, plan->slices, err))
            return false;
        for (uint32_t j = i + 1; j < plan->source_count; j++) {
            const struct gate_capture_source *b = &plan->sources[j];
            struct gate_str one = gate_backend_address_show(&a->store, a->store.type, NULL, arena);
            struct gate_str two = gate_backend_address_show(&b->store, b->store.type, NULL, arena);
            if (one.ptr == NULL || two.ptr == NULL)
                return gate_arena_error(arena, err);
            if (gate_str_equal(one, two) && gate_window_overlaps(&a->window, &b->window))
                return gate_error_set(err, GATE_ERR_USAGE,
                                      "%.*s: both sides select the same profiles, in windows that overlap; separate "
                                      "the sides by a label such as version, or by windows such as --baseline-ago 1w",
                                      GATE_STR_ARG(one));
        }
    }
    return true;
}

static bool plan_check_twice(const struct gate_capture_plan *plan, struct gate_arena *arena, struct gate_error *err) {
    for (uint32_t i = 0; i < plan->source_count; i++)
        for (uint32_t j = 0; j < i; j++) {
            const struct gate_capture_url *a = &plan->sources[i].url, *b = &plan->sources[j].url;
            const char *one = gate_capture_url_wire(a, arena), *two = gate_capture_url_wire(b, arena);
            if (one == NULL || two == NULL)
                return gate_arena_error(arena, err);
            if (strcmp(one, two) == 0 && gate_str_equal(a->socket, b->socket))
                return gate_error_set(err, GATE_ERR_USAGE,
                                      "%.*s: this address is named twice; every run wants a process of its own",
                                      GATE_STR_ARG(gate_capture_url_show(a, arena)));
        }
    return true;
}

/* Set `*has` if the manifest's run has the address, kind and slice of one of the plan's requests. */
static bool capture_plan_has(bool *has, const struct gate_capture_plan *plan, const struct gate_manifest_run *run,
                             struct gate_arena *arena, struct gate_error *err) {
    *has = false;
    if (plan->slices > 0 && run->round > plan->slices)
        return true;
    for (uint32_t s = 0; s < plan->source_count; s++)
        for (uint32_t k = 0; k < plan->kind_count && !*has; k++) {
            const struct gate_capture_source *source = &plan->sources[s];
            struct gate_capture_url url;
            struct gate_backend_query query;
            struct gate_str shown = {NULL, 0};
            if (!(plan->slices > 0
                      ? gate_capture_plan_query(&query, &shown, plan, source, plan->kinds[k], run->round, arena, err)
                      : capture_plan_address(&url, &shown, plan, source, plan->kinds[k], arena, err)))
                return false;
            *has = run->side == plan->sources[s].side && gate_str_equal(run->source, shown) &&
                   gate_str_equal(run->kind, gate_str_from(gate_capture_kind_words[plan->kinds[k]]));
        }
    return true;
}

static bool plan_check_kinds(const struct gate_capture_plan *plan, struct gate_arena *arena, struct gate_error *err) {
    for (uint32_t s = 0; s < plan->source_count; s++) {
        const struct gate_capture_source *source = &plan->sources[s];
        const struct gate_capture_url *url = &source->url;
        struct gate_capture_url of_kind;
        struct gate_backend_query query;
        struct gate_str shown = {NULL, 0};
        if (plan->kind_count > 1 && (plan->slices > 0 ? source->store.type.len > 0 : !gate_capture_url_is_base(url)))
            return gate_error_set(
                err, GATE_ERR_USAGE,
                "%.*s: this is the address of one profile, but --kind has %u kinds; give %s, or one --kind",
                GATE_STR_ARG(gate_capture_url_show(url, arena)), (unsigned)plan->kind_count,
                plan->slices > 0 ? "the labels without a type" : "the server's address alone");
        for (uint32_t k = 0; k < plan->kind_count; k++)
            if (!(plan->slices > 0
                      ? gate_capture_plan_query(&query, &shown, plan, source, plan->kinds[k], 1, arena, err)
                      : capture_plan_address(&of_kind, &shown, plan, source, plan->kinds[k], arena, err)))
                return false;
    }
    return true;
}

static bool is_this_host(struct gate_str host) {
    return gate_str_starts(host, GATE_STR("127.")) || gate_str_starts(host, GATE_STR("localhost")) ||
           gate_str_starts(host, GATE_STR("[::1]"));
}

/* Note that a store adds up all uploaded snapshots of a heap or goroutine profile, so amounts depend on how often
 * programs upload. */
static void plan_warn_levels(const struct gate_capture_plan *plan) {
    for (uint32_t k = 0; k < plan->kind_count && plan->slices > 0; k++)
        if (plan->kinds[k] == GATE_CAPTURE_HEAP || plan->kinds[k] == GATE_CAPTURE_GOROUTINE)
            capture_plan_note(plan, "a store adds up what it was sent of what is in use: shares can be compared, "
                                    "and amounts only where both sides sent equally often");
}

static void plan_warn(const struct gate_capture_plan *plan) {
    plan_warn_levels(plan);
    if (plan->fetch.is_insecure)
        capture_plan_note(
            plan, "--insecure: no certificate is checked; whoever is between can read the token and change profiles");
    for (uint32_t s = 0; s < plan->source_count; s++) {
        const struct gate_capture_url *url = &plan->sources[s].url;
        bool has_secret = plan->credentials.authorization != NULL || url->user.len > 0;
        if (has_secret && !url->is_tls && url->host.len > 0 && !is_this_host(url->host)) {
            capture_plan_note(plan,
                              "the token or password goes over http://, which anybody between can read; use https://");
            return;
        }
    }
}

bool gate_capture_plan_check(const struct gate_capture_plan *plan, struct gate_arena *arena, struct gate_error *err) {
    const bool is_of_stores = plan->slices > 0;
    if (is_of_stores ? !plan_check_stores(plan, arena, err) || !plan_check_kinds(plan, arena, err)
                     : !plan_check_kinds(plan, arena, err) || !plan_check_twice(plan, arena, err))
        return false;
    plan_warn(plan);
    return true;
}

/* ---- arrivals ---------------------------------------------------------------------------------------------------- */

/* Check the sample types. Runtimes differ in their types, so refuse only a type of another kind. */
static bool type_check(const struct gate_profile *profile, enum gate_capture_kind kind, struct gate_error *err) {
    const struct gate_capture_kind_row *row = gate_capture_kind_row(kind);
    for (size_t i = 0; row->types[i] != NULL; i++)
        if (gate_sample_type_column(profile, gate_str_from(row->types[i]), GATE_STR("")) != GATE_NO_INDEX)
            return true;
    /* Prefer the default sample type: heap and allocs have the same types but different defaults. */
    uint32_t own = 0;
    struct gate_error ignored = {0};
    if (!gate_sample_type_find(&own, profile, GATE_STR(""), &ignored))
        own = 0;
    for (uint32_t i = 0; i < profile->sample_type_count; i++) {
        struct gate_str type = profile->sample_types[(own + i) % profile->sample_type_count].type;
        enum gate_capture_kind other = gate_capture_kind_of_type(type);
        if (other != GATE_CAPTURE_KINDS)
            return gate_error_set(err, GATE_ERR_INPUT,
                                  "this is a profile of the kind '%s' (it counts '%.*s'), expected '%s'",
                                  gate_capture_kind_words[other], GATE_STR_ARG(type), row->name);
    }
    return true;
}

static bool values_check(const struct gate_profile *profile, enum gate_capture_kind kind, struct gate_error *err) {
    const struct gate_capture_kind_row *row = gate_capture_kind_row(kind);
    if (profile->sample_count == 0 && !row->may_be_empty)
        return gate_error_set(err, GATE_ERR_INPUT, "the %s profile has no samples: %s", row->name, row->when_empty);
    if (profile->is_saved_diff)
        return gate_error_set(err, GATE_ERR_INPUT, "this is a difference of two profiles, which cannot be compared");
    if (profile->has_negative_values && kind == GATE_CAPTURE_HEAP)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "this heap has values below zero: it is a difference of two moments; ask for it without "
                              "'seconds'");
    return true;
}

static bool is_page(struct gate_str bytes) {
    struct gate_str start = gate_str_trim(gate_str_slice(bytes, 0, 64));
    return start.len > 0 && start.ptr[0] == '<';
}

static struct gate_str build_of(const struct gate_profile *profile, struct gate_arena *arena) {
    struct gate_build_facts facts = {0};
    if (gate_profile_build_id(profile).len > 0)
        return gate_str_copy(arena, gate_profile_build_id(profile));
    gate_build_facts_read(&facts, profile);
    return gate_str_copy(arena, facts.version.len > 0 ? facts.version : GATE_STR(""));
}

static const char *extension_of(const struct gate_profile *profile) {
    static const char *const packed[] = {
        [GATE_CONTAINER_RAW] = ".pb", [GATE_CONTAINER_GZIP] = ".pb.gz", [GATE_CONTAINER_ZSTD] = ".pb.zst"};
    return profile->format == GATE_FORMAT_PPROF ? packed[profile->container] : ".profile";
}

bool gate_arrival_check(struct gate_arrival *out, struct gate_str bytes, enum gate_capture_kind kind,
                        const struct gate_limits *limits, struct gate_arena *arena, struct gate_error *err) {
    struct gate_arena scratch;
    struct gate_profile profile;
    *out = (struct gate_arrival){0};
    if (bytes.len == 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "the answer is empty; is this the address of a profile?");
    if (is_page(bytes))
        return gate_error_set(
            err, GATE_ERR_FORMAT,
            "the answer is a web page and not a profile: is the path right, or does it want a login?");
    gate_arena_fork(&scratch, arena);
    bool ok = gate_profile_load_alone(&profile, bytes, limits, &scratch, err) && type_check(&profile, kind, err);
    out->is_empty = ok && profile.sample_count == 0;
    ok = ok && values_check(&profile, kind, err);
    if (ok) {
        *out = (struct gate_arrival){build_of(&profile, arena), extension_of(&profile), profile.sample_count == 0};
        ok = out->build.ptr != NULL || gate_arena_error(arena, err);
    }
    gate_arena_free(&scratch);
    return ok;
}

/* Return the sample type in the type of a query: "cpu" in "process_cpu:cpu:nanoseconds:cpu:nanoseconds". */
static struct gate_str sample_type_of(struct gate_str type) {
    size_t from = gate_str_find(type, GATE_STR(":"), 0);
    return from == SIZE_MAX ? GATE_STR("")
                            : gate_str_slice(type, from + 1, gate_str_find(type, GATE_STR(":"), from + 1));
}

bool gate_arrival_check_type(struct gate_str bytes, struct gate_str type, const struct gate_limits *limits,
                             struct gate_arena *arena, struct gate_error *err) {
    struct gate_arena scratch;
    struct gate_profile profile;
    struct gate_str wanted = sample_type_of(type);
    gate_arena_fork(&scratch, arena);
    bool ok = gate_profile_load_alone(&profile, bytes, limits, &scratch, err);
    if (ok && profile.format != GATE_FORMAT_PPROF)
        ok = gate_error_set(err, GATE_ERR_FORMAT, "the store sent a profile of another format, expected pprof");
    if (ok && gate_sample_type_column(&profile, wanted, GATE_STR("")) == GATE_NO_INDEX)
        ok = gate_error_set(err, GATE_ERR_INPUT,
                            "the store sent a profile that counts '%.*s', expected '%.*s' as in the query",
                            GATE_STR_ARG(profile.sample_type_count > 0 ? profile.sample_types[0].type : GATE_STR("")),
                            GATE_STR_ARG(wanted));
    gate_arena_free(&scratch);
    return ok;
}

/* ---- work of a run ----------------------------------------------------------------------------------------------- */

/* Maximum by which the time between the two readings of the counter may exceed the profile's duration: 1 s, or 5% of
 * the duration if that is more. The error of the work is then below the variation between runs. */
static const double EXCESS_MS = 1000, EXCESS_SHARE = 0.05;

/* Read the counter from an answer. Returns false and sets `why` if that is not possible. */
static bool read_counter(struct gate_metrics *out, const struct gate_capture_plan *plan,
                         const struct gate_fetch *answer, struct gate_arena *arena, struct gate_error *why) {
    *why = answer->err; /* kept if the request failed */
    if (!answer->is_well)
        return false;
    return gate_metrics_read(out, gate_buf_view(&answer->body), plan->work, plan->work_by, arena, why);
}

/* Note "ADDRESS: SUBJECT of the SIDE is not known: WHAT". */
static void note_unknown(const struct gate_capture_plan *plan, const struct gate_fetch *answer, const char *subject,
                         enum gate_side_name side, const char *what, struct gate_arena *arena) {
    const struct gate_capture_listener *listener = &plan->fetch.listener;
    struct gate_str shown = gate_capture_url_show(&answer->url, arena);
    struct gate_error why = {0};
    (void)gate_error_set(&why, GATE_ERR_INPUT, "%.*s: %s of the %s is not known: %s", GATE_STR_ARG(shown), subject,
                         gate_side_word(side), what);
    gate_credentials_hide(&why, &plan->credentials, &answer->url);
    if (listener->note != NULL)
        listener->note(listener->context, gate_str_from(why.message));
}

static void note_unknown_work(const struct gate_capture_plan *plan, const struct gate_manifest_run *run,
                              const struct gate_fetch *answer, const char *what, struct gate_arena *arena) {
    note_unknown(plan, answer, "the work of this run", run->side, what, arena);
}

static const char *no_series(const struct gate_capture_plan *plan, struct gate_arena *arena) {
    struct gate_str text = gate_str_format(
        arena, "there is no series of '%.*s'; is its name right, and are its labels?", GATE_STR_ARG(plan->work->name));
    return text.ptr == NULL ? "" : text.ptr;
}

/* Return by how many ms the time between the readings exceeds the profile's duration; 0 if that is negligible. */
static double excess_ms_of(const struct gate_fetch *profile) {
    double took = (double)(profile->end_ms - profile->start_ms);
    double more =
        (double)(profile->start_ms - profile->before->start_ms) + (double)(profile->after->end_ms - profile->end_ms);
    return more > EXCESS_MS && more > EXCESS_SHARE * took ? more : 0;
}

/** Set `work` and `by` of `run` from the counter before and after its profile. Otherwise leave them and note why: a
 * request failed, or the counter is missing, restarted, did not change, or was read too long before or after the
 * profile. err: GATE_ERR_LIMIT. */
static bool capture_work(struct gate_manifest_run *run, const struct gate_capture_plan *plan,
                         const struct gate_fetch *profile, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_fetch *before = profile->before, *after = profile->after;
    struct gate_metrics start, end;
    struct gate_error why = {0};
    enum gate_metrics_growth growth;
    if (!read_counter(&start, plan, before, arena, &why) || !read_counter(&end, plan, after, arena, &why)) {
        if (why.code == GATE_ERR_LIMIT || why.code == GATE_ERR_MEMORY)
            return gate_error_set(err, why.code, "%s", why.message);
        note_unknown_work(plan, run, after, why.message, arena);
        return true;
    }
    double excess_ms = excess_ms_of(profile);
    if (excess_ms > 0) {
        struct gate_str text =
            gate_str_format(arena, "the counter was read up to %.1f s before or after it was taken", excess_ms / 1e3);
        note_unknown_work(plan, run, after, text.ptr == NULL ? "" : text.ptr, arena);
        return true;
    }
    if (start.count == 0 && end.count == 0) {
        note_unknown_work(plan, run, after, no_series(plan, arena), arena);
        return true;
    }
    if (!gate_metrics_grow(&growth, run, plan->work_by, &start, &end, arena, err))
        return false;
    if (growth == GATE_METRICS_RESTARTED)
        note_unknown_work(plan, run, after, "the counter restarted while the profile was taken", arena);
    if (growth == GATE_METRICS_STUCK)
        note_unknown_work(plan, run, after,
                          "the counter did not move while the profile was taken; did the program get load?", arena);
    if (growth == GATE_METRICS_GREW && plan->work_by.len > 0 && run->by_count == 0) {
        struct gate_str text =
            gate_str_format(arena, "of '%.*s', since not all series have that label", GATE_STR_ARG(plan->work_by));
        note_unknown_work(plan, run, after, text.ptr == NULL ? "" : text.ptr, arena);
    }
    return true;
}

/** Set `work` and `by` of `run`, a slice of a store, from the answer to the plan's work query, or note why they are not
 * known. Does nothing if the plan has no such query. err: GATE_ERR_LIMIT. */
static bool capture_work_slice(struct gate_manifest_run *run, const struct gate_capture_plan *plan,
                               const struct gate_fetch *answer, struct gate_arena *arena, struct gate_error *err) {
    struct gate_error why = answer->err;
    if (plan->work_query.url.host.len == 0)
        return true;
    if (answer->is_well && gate_work_query_read(run, gate_buf_view(&answer->body), plan->work_by, arena, &why))
        return true;
    if (why.code == GATE_ERR_MEMORY || arena->is_refused)
        return gate_error_set(err, why.code, "%s", why.message);
    note_unknown_work(plan, run, answer, why.message, arena);
    return true;
}

/* ---- the first look at the counter ------------------------------------------------------------------------------- */

static bool look_at(const struct gate_capture_plan *plan, const struct gate_capture_source *source,
                    const struct gate_fetch *answer, struct gate_arena *arena, struct gate_error *err) {
    struct gate_metrics found;
    struct gate_error why = {0};
    const char *what = NULL;
    if (!read_counter(&found, plan, answer, arena, &why)) {
        if (why.code == GATE_ERR_LIMIT || why.code == GATE_ERR_MEMORY)
            return gate_error_set(err, why.code, "%s", why.message);
        what = why.message;
    } else if (found.count == 0) {
        what = no_series(plan, arena);
    }
    if (what != NULL)
        note_unknown(plan, answer, "before the first profile, the work", source->side, what, arena);
    return true;
}

/** Query every metrics endpoint once before the first profile. Note where the counter cannot be read or is missing, so
 * that a misspelt name shows at once. Does nothing if the plan has no counter. err: GATE_ERR_LIMIT. */
static bool capture_work_look(const struct gate_capture_plan *plan, struct gate_arena *arena, struct gate_error *err) {
    struct gate_fetch *answers = GATE_NEW_ARRAY(arena, struct gate_fetch, plan->source_count);
    struct gate_fetch **requests = gate_arena_calloc(arena, plan->source_count, sizeof *requests);
    struct gate_fetch_options options = plan->fetch;
    bool takes_time = false;
    for (uint32_t k = 0; k < plan->kind_count; k++)
        takes_time = takes_time || gate_capture_kind_row(plan->kinds[k])->takes_time;
    if (plan->work == NULL || !takes_time)
        return true;
    if (answers == NULL || requests == NULL)
        return gate_arena_error(arena, err);
    options.retries = 0;
    options.what = "the counter of work";
    for (uint32_t i = 0; i < plan->source_count; i++) {
        answers[i] = (struct gate_fetch){
            .url = plan->sources[i].metrics, .credentials = &plan->credentials, .max_bytes = plan->max_bytes};
        requests[i] = &answers[i];
    }
    bool ok = gate_fetch_all(requests, plan->source_count, &options, arena, err);
    for (uint32_t i = 0; i < plan->source_count; i++) {
        ok = ok && look_at(plan, &plan->sources[i], &answers[i], arena, err);
        gate_buf_free(&answers[i].body);
    }
    return ok;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

/* After this many slices in a row without samples, the capture ends. */
enum { EMPTY_SLICES_MAX = 3 };

/* A garbage collection is requested this long, plus its duration, before it must have ended, because requests start up
 * to 0.2 s late. Its timeout is at least the second number. */
static const double COLLECTION_MARGIN_S = 0.5, COLLECTION_MOST_S = 5;

/* The requests to one address for one kind. */
struct source_request {
    const struct gate_capture_source *source;
    struct gate_str shown;
    struct gate_fetch profile, before, after; /* the profile, and its counter before and after */
    struct gate_fetch collection;             /* runs the program's collector, if the profile's kind needs that */
    struct gate_backend_request store;        /* instead of `profile`, if the source is a store */
    bool is_captured;                         /* in the folder already */
    bool is_empty;                            /* refused, because it has no samples */
};

/* ---- begin and end ----------------------------------------------------------------------------------------------- */

/* Check that every run in the folder came from an address of the plan; only then can it be continued. */
static bool folder_check(const struct gate_capture *capture, struct gate_error *err) {
    if (capture->manifest.looks.planned > 0 && !capture->plan->resumes_judged)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%s: the folder was judged while it was taken, and more runs would undo its verdict; "
                              "give another folder, or continue with gate",
                              capture->plan->dir);
    for (uint32_t r = 0; r < capture->manifest.count; r++) {
        const struct gate_manifest_run *run = &capture->manifest.runs[r];
        bool is_known = false;
        if (!capture_plan_has(&is_known, capture->plan, run, capture->arena, err))
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

/* Show that `left_ms` are left, and wait one second, or `left_ms` if that is less. Returns the milliseconds waited. */
static int64_t wait_second(const struct gate_capture_plan *plan, const char *what, int64_t left_ms) {
    const struct gate_capture_listener *listener = &plan->fetch.listener;
    int64_t part_ms = left_ms < 1000 ? left_ms : 1000;
    const struct timespec wait = {(time_t)(part_ms / 1000), (long)(part_ms % 1000) * 1000000};
    char text[64];
    (void)snprintf(text, sizeof text, "%s, %lld s left", what, (long long)(left_ms + 999) / 1000);
    if (listener->progress != NULL)
        listener->progress(listener->context, text);
    (void)nanosleep(&wait, NULL);
    return part_ms;
}

static void wait_for(const struct gate_capture_plan *plan, const char *what, int64_t left_ms) {
    while (left_ms > 0)
        left_ms -= wait_second(plan, what, left_ms);
}

bool gate_capture_begin(struct gate_capture *out, const struct gate_capture_plan *plan, struct gate_arena *arena,
                        struct gate_error *err) {
    *out = (struct gate_capture){.plan = plan, .arena = arena};
    gate_manifest_begin(&out->manifest);
    if (!gate_fetch_check(err) || !gate_capture_plan_check(plan, arena, err) ||
        !gate_manifest_file_begin(&out->manifest, plan->dir, plan->is_forced, arena, err))
        return false;
    if (!folder_check(out, err)) {
        gate_capture_end(out);
        return false;
    }
    out->manifest.interleaved = true;
    out->is_older = GATE_NEW_ARRAY(arena, bool, plan->source_count);
    out->is_left_out = GATE_NEW_ARRAY(arena, bool, plan->slices);
    if (out->is_older == NULL || out->is_left_out == NULL) {
        gate_capture_end(out);
        return gate_arena_error(arena, err);
    }
    for (uint32_t i = 0; i < out->manifest.count; i++)
        if (out->manifest.runs[i].revision.len > 0)
            out->builds[out->manifest.runs[i].side] = out->manifest.runs[i].revision;
    if (!capture_work_look(plan, arena, err)) {
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

static bool is_captured(const struct gate_capture *capture, const struct source_request *source_request,
                        enum gate_capture_kind kind, uint32_t round) {
    for (uint32_t i = 0; i < capture->manifest.count; i++) {
        const struct gate_manifest_run *run = &capture->manifest.runs[i];
        if (run->round == round && run->side == source_request->source->side &&
            gate_str_equal(run->source, source_request->shown) &&
            gate_str_equal(run->kind, gate_str_from(gate_capture_kind_words[kind])))
            return true;
    }
    return false;
}

static bool make_store_request(struct source_request *out, const struct gate_capture *capture,
                               const struct gate_capture_source *source, enum gate_capture_kind kind, uint32_t round,
                               struct gate_error *err) {
    const struct gate_capture_plan *plan = capture->plan;
    *out = (struct source_request){.source = source};
    if (!gate_capture_plan_query(&out->store.query, &out->shown, plan, source, kind, round, capture->arena, err))
        return false;
    out->store.query.is_older = capture->is_older[source - plan->sources];
    out->is_captured = is_captured(capture, out, kind, round);
    return true;
}

static bool make_live_request(struct source_request *out, const struct gate_capture *capture,
                              const struct gate_capture_source *source, enum gate_capture_kind kind,
                              struct gate_arena *arena, struct gate_error *err) {
    const struct gate_capture_plan *plan = capture->plan;
    bool takes_time = gate_capture_kind_row(kind)->takes_time;
    *out = (struct source_request){.source = source};
    if (!capture_plan_address(&out->profile.url, &out->shown, plan, source, kind, arena, err))
        return false;
    out->profile.credentials = &plan->credentials;
    out->profile.max_bytes = plan->max_bytes;
    out->profile.seconds = gate_capture_url_seconds(&out->profile.url, takes_time ? plan->seconds : 0);
    out->before =
        (struct gate_fetch){.url = source->metrics, .credentials = &plan->credentials, .max_bytes = plan->max_bytes};
    out->after = out->collection = out->before;
    if (plan->work == NULL || !takes_time) /* a snapshot of one moment has no work */
        return true;
    out->profile.before = &out->before;
    out->profile.after = &out->after;
    return true;
}

/* Check that a side has one build. Note if the canary's build is the baseline's. */
static bool build_check(struct gate_capture *capture, enum gate_side_name side, struct gate_str build,
                        struct gate_error *err) {
    struct gate_str *known = &capture->builds[side], other = capture->builds[1 - (int)side];
    if (build.len == 0)
        return true;
    if (known->len > 0 && !gate_str_equal(*known, build)) {
        capture->is_other_build = true;
        return gate_error_set(err, GATE_ERR_INPUT,
                              "this is build '%.*s', but other runs of the %s are of '%.*s': all runs of a side must "
                              "be of one build; was there a deployment in between? Then name a new folder",
                              GATE_STR_ARG(build), gate_side_word(side), GATE_STR_ARG(*known));
    }
    *known = build;
    if (gate_str_equal(build, other) && !capture->has_noted_build) {
        capture_plan_note(capture->plan,
                          "baseline and canary are of the same build: is one of the addresses the other's?");
        capture->has_noted_build = true;
    }
    return true;
}

static struct gate_str file_name(const struct gate_capture *capture, const struct source_request *source_request,
                                 const struct gate_manifest_run *run, const char *extension) {
    uint32_t same = 0, number = 0;
    for (uint32_t i = 0; i < capture->plan->source_count; i++) {
        const struct gate_capture_source *source = &capture->plan->sources[i];
        same += source->side == run->side;
        number = source == source_request->source ? same : number;
    }
    if (same == 1)
        return gate_str_format(capture->arena, "%.*s-%03u-%s%s", GATE_STR_ARG(run->kind), (unsigned)run->round,
                               gate_side_word(run->side), extension);
    return gate_str_format(capture->arena, "%.*s-%03u-%s-%u%s", GATE_STR_ARG(run->kind), (unsigned)run->round,
                           gate_side_word(run->side), (unsigned)number, extension);
}

/* Check that a store's answer has the requested type and differs from all earlier answers. Windows do not share
 * samples, so equal bytes come from a cache, or from a store that ignores the window or the labels. */
static bool store_check(const struct gate_capture *capture, const struct source_request *source_request,
                        enum gate_capture_kind kind, struct gate_error *err) {
    struct gate_str bytes = source_request->store.profile;
    if (!gate_arrival_check_type(bytes, source_request->store.query.type, &capture->plan->limits, capture->arena, err))
        return false;
    struct gate_str digest = gate_sha256_hex(bytes, capture->arena);
    if (digest.ptr == NULL)
        return gate_arena_error(capture->arena, err);
    for (uint32_t i = 0; i < capture->manifest.count; i++) {
        const struct gate_manifest_run *run = &capture->manifest.runs[i];
        if (gate_str_equal(run->kind, gate_str_from(gate_capture_kind_words[kind])) &&
            gate_str_equal(run->digest, digest))
            return gate_error_set(
                err, GATE_ERR_INPUT,
                "the store sent the same bytes as for round %u of the %s; does a cache answer, or does "
                "the store ignore the labels or the window?",
                (unsigned)run->round, gate_side_word(run->side));
    }
    return true;
}

/* Note that a profile has no samples. The profiler may be off, so note it before all rounds are taken. */
static void note_empty(const struct gate_capture_plan *plan, enum gate_side_name side, enum gate_capture_kind kind) {
    char text[160];
    (void)snprintf(text, sizeof text, "the first %s profile of the %s has no samples: %s",
                   gate_capture_kind_words[kind], gate_side_word(side), gate_capture_kind_row(kind)->when_empty);
    capture_plan_note(plan, text);
}

/* Add the profile to the folder if it is the requested one. */
static bool add_profile(struct gate_capture *capture, struct source_request *source_request,
                        enum gate_capture_kind kind, uint32_t round, struct gate_error *err) {
    const struct gate_fetch *profile = &source_request->profile;
    const struct gate_capture_source *source = source_request->source;
    const bool is_of_store = capture->plan->slices > 0;
    struct gate_str bytes = is_of_store ? source_request->store.profile : gate_buf_view(&profile->body);
    struct gate_arrival arrival = {0};
    *err = is_of_store ? source_request->store.err : profile->err;
    if (!(is_of_store ? source_request->store.is_well : profile->is_well) ||
        (is_of_store && !store_check(capture, source_request, kind, err)) ||
        !gate_arrival_check(&arrival, bytes, kind, &capture->plan->limits, capture->arena, err)) {
        source_request->is_empty = arrival.is_empty;
        return false;
    }
    if (arrival.is_empty && round == 1)
        note_empty(capture->plan, source->side, kind);
    struct gate_manifest_run run = {.round = round,
                                    .side = source->side,
                                    .kind = gate_str_from(gate_capture_kind_words[kind]),
                                    .source = source_request->shown,
                                    .instance = source->url.socket.len > 0 ? source->url.socket : source->url.host,
                                    .start_ms = profile->start_ms,
                                    .end_ms = profile->end_ms,
                                    .retried = profile->retried,
                                    .revision = arrival.build};
    if (is_of_store) {
        const struct gate_window *window = &source_request->store.query.window;
        run.start_ms = window->from_ms;
        run.end_ms = window->to_ms;
        run.revision = GATE_STR(""); /* in a merged profile the first build id is arbitrary */
        if (!capture_work_slice(&run, capture->plan, &source_request->after, capture->arena, err))
            return false;
    }
    if (profile->before != NULL && !capture_work(&run, capture->plan, profile, capture->arena, err))
        return false;
    run.file = file_name(capture, source_request, &run, arrival.extension);
    if (run.file.ptr == NULL)
        return gate_arena_error(capture->arena, err);
    return build_check(capture, source->side, run.revision, err) &&
           gate_manifest_file_take(&capture->manifest, capture->plan->dir, &run, bytes, capture->arena, err);
}

/* Return whether a live profile without samples may be left out. */
static bool may_leave_out(const struct gate_capture *capture, const struct source_request *source_request,
                          enum gate_capture_kind kind) {
    return source_request->is_empty && capture->plan->slices == 0 && capture->plan->leaves_out_empty &&
           gate_capture_kind_row(kind)->window_may_be_empty;
}

/* Add all profiles that arrived, and report the first failure. */
static bool kind_finish(struct gate_capture *capture, struct source_request *source_requests,
                        enum gate_capture_kind kind, uint32_t round, struct gate_error *err) {
    bool ok = true;
    capture->is_empty = true;
    for (uint32_t i = 0; i < capture->plan->source_count; i++) {
        struct gate_error why = {0};
        if (source_requests[i].is_captured || add_profile(capture, &source_requests[i], kind, round, &why))
            continue;
        capture->is_empty = capture->is_empty &&
                            (source_requests[i].store.is_empty || may_leave_out(capture, &source_requests[i], kind));
        capture->is_over =
            capture->is_over || source_requests[i].profile.is_over || source_requests[i].store.fetch.is_over;
        (void)gate_capture_plan_blame(capture->plan, &source_requests[i].source->url, source_requests[i].shown, &why);
        if (ok)
            *err = why;
        else
            capture_plan_note(capture->plan, why.message);
        ok = false;
    }
    capture->is_empty = capture->is_empty && !ok;
    return ok;
}

/* Query the work of the slices whose profiles arrived. */
static bool query_work(struct source_request *source_requests, const struct gate_capture *capture,
                       const struct gate_fetch_options *options, struct gate_fetch **requests, struct gate_error *err) {
    const struct gate_capture_plan *plan = capture->plan;
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->source_count; i++) {
        struct source_request *source_request = &source_requests[i];
        source_request->after =
            (struct gate_fetch){.credentials = &plan->credentials, .max_bytes = GATE_WORK_QUERY_BYTES_MAX};
        if (plan->work_query.url.host.len == 0 || !source_request->store.is_well)
            continue;
        if (!gate_work_query_request(&source_request->after, &plan->work_query, source_request->source->side,
                                     &source_request->store.query.window, capture->arena, err))
            return false;
        requests[count++] = &source_request->after;
    }
    return gate_fetch_all(requests, count, options, capture->arena, err);
}

static bool query_stores(struct source_request *source_requests, const struct gate_capture *capture,
                         enum gate_capture_kind kind, uint32_t round, const struct gate_fetch_options *options,
                         struct gate_fetch **requests, struct gate_error *err) {
    const struct gate_capture_plan *plan = capture->plan;
    struct gate_backend_request **questions = gate_arena_calloc(capture->arena, plan->source_count, sizeof *questions);
    uint32_t count = 0;
    if (questions == NULL)
        return gate_arena_error(capture->arena, err);
    for (uint32_t i = 0; i < plan->source_count; i++) {
        if (!make_store_request(&source_requests[i], capture, &plan->sources[i], kind, round, err))
            return false;
        if (!source_requests[i].is_captured)
            questions[count++] = &source_requests[i].store;
    }
    if (!gate_backend_send_all(questions, count, options, &plan->credentials, plan->max_bytes, capture->arena, err))
        return false;
    for (uint32_t i = 0; i < plan->source_count; i++)
        capture->is_older[i] = source_requests[i].store.query.is_older;
    return query_work(source_requests, capture, options, requests, err);
}

static void note_uncollected(struct gate_capture *capture, const struct gate_fetch *request) {
    struct gate_str shown = gate_capture_url_show(&request->url, capture->arena);
    struct gate_str text =
        gate_str_format(capture->arena, "%.*s: %s; allocations are counted up to each program's own collections",
                        GATE_STR_ARG(shown), request->err.message);
    capture_plan_note(capture->plan, text.ptr == NULL ? "" : text.ptr);
    capture->is_uncollected = true;
}

/* Run the garbage collectors of all programs at once, and prepare requests that run them again right before the end of
 * profiles that begin now. A profile of allocations only counts up to the last collection, so without this its time
 * does not match. If one program refuses, none is asked again, because both sides must be counted in the same way.
 * `*count` is set to the number of requests in `collections`. */
static bool collect(uint32_t *count, struct gate_fetch **collections, struct source_request *sources,
                    enum gate_capture_kind kind, const struct gate_fetch_options *options, struct gate_capture *capture,
                    struct gate_error *err) {
    const uint32_t programs = capture->plan->source_count;
    struct gate_fetch_options once = *options;
    double took_s = 0;
    *count = 0;
    for (uint32_t i = 0; i < programs && !capture->is_uncollected; i++)
        if (gate_capture_url_collecting(&sources[i].collection.url, &sources[i].profile.url, kind, capture->arena))
            collections[(*count)++] = &sources[i].collection;
    if (*count < programs) {
        *count = 0;
        return true;
    }
    once.retries = 0;
    once.slack_seconds = fmin(once.slack_seconds, fmax(COLLECTION_MOST_S, sources[0].profile.seconds));
    bool ok = gate_fetch_all(collections, *count, &once, capture->arena, err);
    for (uint32_t i = 0; i < programs; i++) {
        gate_buf_free(&collections[i]->body);
        took_s = fmax(took_s, (double)(collections[i]->end_ms - collections[i]->start_ms) / 1e3);
        if (ok && !collections[i]->is_well && !capture->is_uncollected)
            note_uncollected(capture, collections[i]);
    }
    for (uint32_t i = 0; i < programs; i++) {
        const double seconds = sources[i].profile.seconds;
        *collections[i] =
            (struct gate_fetch){.url = collections[i]->url,
                                .credentials = collections[i]->credentials,
                                .max_bytes = collections[i]->max_bytes,
                                .delay_seconds = seconds - fmin(took_s + COLLECTION_MARGIN_S, seconds / 2)};
    }
    *count = capture->is_uncollected ? 0 : programs;
    return ok;
}

static bool query_programs(struct source_request *source_requests, struct gate_capture *capture,
                           enum gate_capture_kind kind, uint32_t round, const struct gate_fetch_options *options,
                           struct gate_fetch **requests, struct gate_error *err) {
    const struct gate_capture_plan *plan = capture->plan;
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->source_count; i++)
        if (!make_live_request(&source_requests[i], capture, &plan->sources[i], kind, capture->arena, err))
            return false;
    /* The side that starts first has the machine to itself for a moment, so the sides alternate. */
    for (int turn = 0; turn < GATE_SIDES; turn++)
        for (uint32_t i = 0; i < plan->source_count; i++)
            if ((int)plan->sources[i].side == (turn + (int)round + 1) % GATE_SIDES)
                requests[count++] = &source_requests[i].profile;
    uint32_t collections = 0;
    if (!collect(&collections, requests + count, source_requests, kind, options, capture, err))
        return false;
    return gate_fetch_all(requests, count + collections, options, capture->arena, err);
}

static bool kind_round(struct gate_capture *capture, enum gate_capture_kind kind, uint32_t round,
                       struct gate_error *err) {
    const struct gate_capture_plan *plan = capture->plan;
    struct source_request *source_requests = GATE_NEW_ARRAY(capture->arena, struct source_request, plan->source_count);
    struct gate_fetch **requests = gate_arena_calloc(capture->arena, 2 * (size_t)plan->source_count, sizeof *requests);
    struct gate_fetch_options options = plan->fetch;
    options.deadline = capture->deadline;
    options.what =
        gate_str_format(capture->arena, "round %u of %s", (unsigned)round, gate_capture_kind_words[kind]).ptr;
    if (source_requests == NULL || requests == NULL)
        return gate_arena_error(capture->arena, err);
    bool ok = (plan->slices > 0 ? query_stores(source_requests, capture, kind, round, &options, requests, err)
                                : query_programs(source_requests, capture, kind, round, &options, requests, err)) &&
              kind_finish(capture, source_requests, kind, round, err);
    for (uint32_t i = 0; i < plan->source_count; i++) {
        gate_backend_request_free(&source_requests[i].store);
        gate_buf_free(&source_requests[i].profile.body);
        gate_buf_free(&source_requests[i].before.body);
        gate_buf_free(&source_requests[i].after.body);
        gate_buf_free(&source_requests[i].collection.body);
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
    if (capture->plan->slices == 0) {
        const uint32_t last = gate_manifest_last_round(&capture->manifest);
        return (last > capture->tried ? last : capture->tried) + 1;
    }
    while (round <= capture->plan->slices && (capture->is_left_out[round - 1] || round_is_whole(capture, round)))
        round++;
    return round;
}

/* Return the milliseconds from now to a Unix time. */
static int64_t left_until(int64_t moment_ms) {
    return moment_ms - gate_clock_ms(CLOCK_REALTIME);
}

/* Maximum adjustment of the system clock, while waiting for a slice, that is not an error. */
enum { CLOCK_STEP_MS = 5000 };

/* With stores: wait until the slice is over on both sides, plus the time that agents take to send. If the clock was set
 * back meanwhile, fail: the query would cover a slice that is not over yet. If it was set forward, the wait ends early.
 */
static bool slice_wait(const struct gate_capture *capture, uint32_t round, struct gate_error *err) {
    const struct gate_capture_plan *plan = capture->plan;
    int64_t end_ms = 0;
    for (uint32_t i = 0; plan->slices != 0 && i < plan->source_count; i++) {
        struct gate_window slice = gate_window_slice(&plan->sources[i].window, round - 1, plan->slices);
        end_ms = slice.to_ms > end_ms ? slice.to_ms : end_ms;
    }
    if (end_ms == 0)
        return true;
    end_ms += (int64_t)(plan->settle_seconds * 1e3);
    int64_t left_ms = left_until(end_ms);
    while (left_ms > 0) {
        const int64_t expected_ms = left_ms - wait_second(plan, "waiting for the next slice", left_ms);
        left_ms = left_until(end_ms);
        if (left_ms > expected_ms + CLOCK_STEP_MS)
            return gate_error_set(err, GATE_ERR_INPUT,
                                  "the system's clock was set back while the next slice was waited for: its end was to "
                                  "come, and is %.1f s away; run the command again",
                                  (double)left_ms / 1e3);
    }
    return true;
}

static bool round_take(struct gate_capture *capture, uint32_t round, struct gate_error *err) {
    struct gate_error why = {0};
    bool is_empty = false; /* a kind has no samples */
    capture->is_empty = false;
    if (!slice_wait(capture, round, err))
        return false;
    for (uint32_t k = 0; k < capture->plan->kind_count; k++) {
        capture->is_empty = false;
        if (kind_round(capture, capture->plan->kinds[k], round, &why))
            continue;
        if (!is_empty || !capture->is_empty)
            *err = why; /* the first failure, or one that ends the capture */
        if (!capture->is_empty || capture->plan->slices > 0)
            return false;
        is_empty = true;
        capture->tried = round;
    }
    capture->is_empty = is_empty;
    return !is_empty;
}

/* Return whether a failed slice is skipped, so that the next one is taken instead. */
static bool slice_leave_out(struct gate_capture *capture, uint32_t round, uint32_t *in_a_row, struct gate_error *err) {
    const struct gate_capture_plan *plan = capture->plan;
    if (plan->slices == 0 || plan->settle_seconds <= 0 || !capture->is_empty)
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
    capture_plan_note(plan, err->message);
    capture_plan_note(plan, "the slice is left out, and the next one is taken");
    *err = (struct gate_error){0};
    return true;
}

bool gate_capture_round(struct gate_capture *capture, struct gate_error *err) {
    GATE_ASSERT(gate_capture_rounds_left(capture) > 0);
    for (uint32_t in_a_row = 0;;) {
        uint32_t round = next_round(capture);
        if (round > 1)
            wait_for(capture->plan, "waiting for the next round", (int64_t)(capture->plan->pause_seconds * 1e3));
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
