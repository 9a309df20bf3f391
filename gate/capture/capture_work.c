/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a run (see capture_work.h). */
#include "gate/capture/capture_work.h"

#include "gate/capture/capture_kind.h"
#include "gate/capture/fetch.h"
#include "gate/compare/pair.h"

/* Work of so much more time is within what runs differ by. */
static const double APART_MS = 1000, APART_SHARE = 0.05;

/* What was read at one end. False: `why` says why nothing was. */
static bool reading(struct gate_metrics *out, const struct gate_capture_plan *plan, const struct gate_fetch *answer,
                    struct gate_arena *arena, struct gate_error *why) {
    *why = answer->err; /* why it is not well, if it is not */
    if (!answer->is_well)
        return false;
    return gate_metrics_read(out, gate_buf_view(&answer->body), plan->work, plan->work_by, arena, why);
}

/* "ADDRESS: SUBJECT of the SIDE is not known: WHAT" */
static void tell_unknown(const struct gate_capture_plan *plan, const struct gate_fetch *answer, const char *subject,
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

static void tell(const struct gate_capture_plan *plan, const struct gate_manifest_run *run,
                 const struct gate_fetch *answer, const char *what, struct gate_arena *arena) {
    tell_unknown(plan, answer, "the work of this run", run->side, what, arena);
}

static const char *no_series(const struct gate_capture_plan *plan, struct gate_arena *arena) {
    struct gate_str text = gate_str_format(
        arena, "there is no series of '%.*s'; is its name right, and are its labels?", GATE_STR_ARG(plan->work->name));
    return text.ptr == NULL ? "" : text.ptr;
}

/* How much longer than the profile the time between the readings may have been, in ms; 0: not enough to matter. */
static double apart(const struct gate_fetch *profile) {
    double took = (double)(profile->end_ms - profile->start_ms);
    double more =
        (double)(profile->start_ms - profile->before->start_ms) + (double)(profile->after->end_ms - profile->end_ms);
    return more > APART_MS && more > APART_SHARE * took ? more : 0;
}

bool gate_capture_work(struct gate_manifest_run *run, const struct gate_capture_plan *plan,
                       const struct gate_fetch *profile, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_fetch *before = profile->before, *after = profile->after;
    struct gate_metrics start, end;
    struct gate_error why = {0};
    enum gate_metrics_growth growth;
    if (!reading(&start, plan, before, arena, &why) || !reading(&end, plan, after, arena, &why)) {
        if (why.code == GATE_ERR_LIMIT || why.code == GATE_ERR_MEMORY)
            return gate_error_set(err, why.code, "%s", why.message);
        tell(plan, run, after, why.message, arena);
        return true;
    }
    double apart_ms = apart(profile);
    if (apart_ms > 0) {
        struct gate_str text =
            gate_str_format(arena, "the counter was read up to %.1f s before or after it was taken", apart_ms / 1e3);
        tell(plan, run, after, text.ptr == NULL ? "" : text.ptr, arena);
        return true;
    }
    if (start.count == 0 && end.count == 0) {
        tell(plan, run, after, no_series(plan, arena), arena);
        return true;
    }
    if (!gate_metrics_grow(&growth, run, plan->work_by, &start, &end, arena, err))
        return false;
    if (growth == GATE_METRICS_RESTARTED)
        tell(plan, run, after, "the counter restarted while the profile was taken", arena);
    if (growth == GATE_METRICS_STUCK)
        tell(plan, run, after, "the counter did not move while the profile was taken; did the program get load?",
             arena);
    if (growth == GATE_METRICS_GREW && plan->work_by.len > 0 && run->by_count == 0) {
        struct gate_str text =
            gate_str_format(arena, "of '%.*s', since not all series have that label", GATE_STR_ARG(plan->work_by));
        tell(plan, run, after, text.ptr == NULL ? "" : text.ptr, arena);
    }
    return true;
}

bool gate_capture_work_slice(struct gate_manifest_run *run, const struct gate_capture_plan *plan,
                             const struct gate_fetch *answer, struct gate_arena *arena, struct gate_error *err) {
    struct gate_error why = answer->err;
    if (plan->work_query.url.host.len == 0)
        return true;
    if (answer->is_well && gate_work_query_read(run, gate_buf_view(&answer->body), plan->work_by, arena, &why))
        return true;
    if (why.code == GATE_ERR_MEMORY || arena->is_refused)
        return gate_error_set(err, why.code, "%s", why.message);
    tell(plan, run, answer, why.message, arena);
    return true;
}

/* ---- before the first profile ------------------------------------------------------------------------------------ */

static bool look_at(const struct gate_capture_plan *plan, const struct gate_capture_source *source,
                    const struct gate_fetch *answer, struct gate_arena *arena, struct gate_error *err) {
    struct gate_metrics found;
    struct gate_error why = {0};
    const char *what = NULL;
    if (!reading(&found, plan, answer, arena, &why)) {
        if (why.code == GATE_ERR_LIMIT || why.code == GATE_ERR_MEMORY)
            return gate_error_set(err, why.code, "%s", why.message);
        what = why.message;
    } else if (found.count == 0) {
        what = no_series(plan, arena);
    }
    if (what != NULL)
        tell_unknown(plan, answer, "before the first profile, the work", source->side, what, arena);
    return true;
}

bool gate_capture_work_look(const struct gate_capture_plan *plan, struct gate_arena *arena, struct gate_error *err) {
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
