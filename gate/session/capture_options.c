/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/session/capture_options.h"

#include "gate/base/figures.h"
#include "gate/capture/capture.h"
#include "gate/capture/http.h"
#include "gate/capture/kubernetes.h"
#include "gate/capture/paths.h"
#include "gate/compare/pair.h"
#include "gate/model/limits.h"
#include "gate/session/input.h"
#include "gate/session/store_options.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Like gate_progress_stage, but copies `text`, for texts that change, such as the remaining time. */
static void progress_show(struct gate_progress *progress, const char *text) {
    if (progress == NULL || !progress->is_running || strcmp(progress->text, text) == 0)
        return;
    (void)pthread_mutex_lock(&progress->lock);
    (void)snprintf(progress->text, sizeof progress->text, "%s", text);
    progress->stage = progress->text;
    (void)pthread_cond_signal(&progress->changed);
    (void)pthread_mutex_unlock(&progress->lock);
}

/* ---- time windows of profile stores ------------------------------------------------------------------------------ */

static bool moment_read(int64_t *out_ms, const char *place, struct gate_str text, int64_t now_ms,
                        struct gate_error *err) {
    return gate_window_moment(out_ms, text, now_ms, err) || gate_error_prefix(err, "%s", place);
}

/* Reads the window of --window, or of --from and --to. */
static bool common_read(struct gate_window *out, const struct gate_backend_windows *windows, int64_t now_ms,
                        struct gate_error *err) {
    if (windows->window != NULL && (windows->from != NULL || windows->to != NULL))
        return gate_error_set(err, GATE_ERR_USAGE, "option '--window': cannot be combined with --from and --to");
    if (windows->window != NULL)
        return gate_window_read(out, gate_str_from(windows->window), now_ms, err) ||
               gate_error_prefix(err, "option '--window'");
    if (windows->from == NULL)
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "a store needs a time window: expected --window 'last 30m', --from TIME, or &from=TIME in its address");
    *out = (struct gate_window){.to_ms = now_ms};
    return moment_read(&out->from_ms, "option '--from'", gate_str_from(windows->from), now_ms, err) &&
           (windows->to == NULL ||
            moment_read(&out->to_ms, "option '--to'", gate_str_from(windows->to), now_ms, err)) &&
           (gate_window_check(out, now_ms, err) || gate_error_prefix(err, "options '--from' and '--to'"));
}

/* Sets the window of slices that are captured live, from now or from the begin of the first slice. */
static bool coming_read(struct gate_capture_source *source, const struct gate_backend_windows *windows, int64_t ago_ms,
                        int64_t now_ms, struct gate_error *err) {
    const struct gate_backend_address *address = &source->store;
    int64_t begin_ms =
        (windows->begin_ms != 0 ? windows->begin_ms : now_ms) - (source->side == GATE_BASELINE ? ago_ms : 0);
    if (address->from.len > 0 || address->to.len > 0 || address->runs > 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'from', 'to' and 'runs' in the address: slices are taken as they come; what is stored "
                              "already is judged by 'pprofgate check BASELINE CANARY'");
    source->window = (struct gate_window){begin_ms, begin_ms + windows->coming_ms * windows->coming};
    return begin_ms >= 0 || gate_error_set(err, GATE_ERR_USAGE, "option '--baseline-ago': that is before 1970");
}

static bool window_read(struct gate_capture_source *source, const struct gate_backend_windows *windows, int64_t ago_ms,
                        int64_t now_ms, struct gate_error *err) {
    const struct gate_backend_address *address = &source->store;
    struct gate_window *window = &source->window;
    if (windows->coming > 0)
        return coming_read(source, windows, ago_ms, now_ms, err);
    if (address->from.len == 0 && address->to.len > 0)
        return gate_error_set(err, GATE_ERR_USAGE, "'to' in the address: it needs from=TIME beside it");
    if (address->from.len > 0) {
        *window = (struct gate_window){.to_ms = now_ms};
        return moment_read(&window->from_ms, "'from' in the address", address->from, now_ms, err) &&
               (address->to.len == 0 || moment_read(&window->to_ms, "'to' in the address", address->to, now_ms, err)) &&
               (gate_window_check(window, now_ms, err) || gate_error_prefix(err, "'from' and 'to' in the address"));
    }
    if (!common_read(window, windows, now_ms, err))
        return false;
    if (source->side != GATE_BASELINE)
        return true;
    window->from_ms -= ago_ms;
    window->to_ms -= ago_ms;
    return window->from_ms >= 0 || gate_error_set(err, GATE_ERR_USAGE, "option '--baseline-ago': that is before 1970");
}

static bool slices_read(struct gate_capture_plan *plan, uint32_t otherwise, struct gate_error *err) {
    for (uint32_t i = 0; i < plan->source_count; i++) {
        uint32_t runs = plan->sources[i].store.runs;
        if (plan->slices > 0 && runs > 0 && runs != plan->slices)
            return gate_error_set(
                err, GATE_ERR_USAGE,
                "'runs' in the addresses: one has %u and another %u; every window must have the same number",
                (unsigned)plan->slices, (unsigned)runs);
        plan->slices = runs > 0 ? runs : plan->slices;
    }
    plan->slices = plan->slices > 0 ? plan->slices : otherwise;
    return true;
}

/* ---- work from Prometheus ---------------------------------------------------------------------------------------- */

static bool work_read(struct gate_capture_plan *plan, const struct gate_backend_windows *windows,
                      struct gate_error *err) {
    struct gate_work_query *query = &plan->work_query;
    const char *canary = windows->work_query_canary != NULL ? windows->work_query_canary : windows->work_query;
    if (windows->work_query == NULL && windows->work_query_canary == NULL && windows->work_url == NULL)
        return true;
    if (windows->work_query == NULL || windows->work_url == NULL)
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "option '--work-query': expected it with --work-query-url URL, where Prometheus is; one of "
            "them is missing");
    query->texts[GATE_BASELINE] = gate_str_from(windows->work_query);
    query->texts[GATE_CANARY] = gate_str_from(canary);
    if (!gate_capture_url_read(&query->url, gate_str_from(windows->work_url), err))
        return gate_error_prefix(err, "option '--work-query-url'");
    if (query->url.query.len > 0 || query->url.host.len == 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--work-query-url': expected the address of a server such as "
                              "http://prometheus:9090, without a query");
    return gate_work_query_check(query, err) || gate_error_prefix(err, "option '--work-query'");
}

/** Set the windows, slices and work query of a plan whose sources are all profile stores. Relative times refer to
 * `now_ms`, rounded down to 1 s. Live slices begin there, or at windows->begin_ms. err: GATE_ERR_USAGE if something is
 * missing, given twice, or not a window; names the option. */
static bool backend_windows_fill(struct gate_capture_plan *plan, const struct gate_backend_windows *windows,
                                 int64_t now_ms, struct gate_error *err) {
    int64_t ago_ms = 0;
    now_ms -= now_ms % 1000;
    if (windows->baseline_ago != NULL && !gate_window_length(&ago_ms, gate_str_from(windows->baseline_ago), err))
        return gate_error_prefix(err, "option '--baseline-ago'");
    for (uint32_t i = 0; i < plan->source_count; i++)
        if (!window_read(&plan->sources[i], windows, ago_ms, now_ms, err))
            return false;
    plan->settle_seconds = windows->settle_seconds;
    return slices_read(plan, windows->coming > 0 ? windows->coming : windows->runs, err) &&
           work_read(plan, windows, err);
}

/** Refuse options that only profile stores use. err: GATE_ERR_USAGE. */
static bool backend_windows_refuse(const struct gate_backend_windows *windows, struct gate_error *err) {
    const struct {
        const char *option, *value;
    } given[] = {{"window", windows->window},
                 {"from", windows->from},
                 {"to", windows->to},
                 {"baseline-ago", windows->baseline_ago},
                 {"work-query-url", windows->work_url},
                 {"work-query", windows->work_query},
                 {"work-query-canary", windows->work_query_canary}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].value != NULL)
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "option '--%s': it is for stores, and the addresses are of programs that are "
                                  "profiled now",
                                  given[i].option);
    return true;
}

/* ---- from options to a plan -------------------------------------------------------------------------------------- */

static bool kind_add(struct gate_capture_plan *plan, struct gate_str word, struct gate_error *err) {
    int kind = 0;
    char name[32];
    while (kind < GATE_CAPTURE_KINDS && !gate_str_equal(word, gate_str_from(gate_capture_kind_words[kind])))
        kind++;
    (void)snprintf(name, sizeof name, "%.*s", GATE_STR_ARG(gate_str_slice(word, 0, sizeof name - 1)));
    if (kind == GATE_CAPTURE_KINDS) {
        const char *nearest = gate_str_nearest(word, gate_capture_kind_words);
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--kind': expected cpu, heap, allocs, mutex, block, goroutine or wall, found "
                              "'%s'%s%s%s",
                              name, nearest == NULL ? "" : " (did you mean '", nearest == NULL ? "" : nearest,
                              nearest == NULL ? "" : "'?)");
    }
    for (uint32_t i = 0; i < plan->kind_count; i++)
        if ((int)plan->kinds[i] == kind)
            return gate_error_set(err, GATE_ERR_USAGE, "option '--kind': '%s' is named twice", name);
    plan->kinds[plan->kind_count++] = (enum gate_capture_kind)kind;
    return true;
}

static bool kinds_read(struct gate_capture_plan *plan, const char *text, struct gate_error *err) {
    struct gate_str all = gate_str_from(text);
    for (size_t from = 0; from <= all.len;) {
        size_t comma = gate_str_find(all, GATE_STR(","), from), end = comma == SIZE_MAX ? all.len : comma;
        if (!kind_add(plan, gate_str_slice(all, from, end), err))
            return false;
        from = end + 1;
    }
    return true;
}

static bool url_read(struct gate_capture_url *out, const char *option, enum gate_side_name side, const char *text,
                     struct gate_arena *arena, struct gate_error *err) {
    struct gate_error why = {0};
    if (gate_capture_url_read(out, gate_str_from(text), &why))
        return true;
    struct gate_str shown = gate_capture_url_show_text(gate_str_from(text), arena);
    return gate_error_set(err, why.code, "option '--%s%s': %s, found '%.*s'", option, gate_side_word(side), why.message,
                          GATE_STR_ARG(shown));
}

static bool store_read(struct gate_capture_source *source, const char *text, struct gate_arena *arena,
                       struct gate_error *err) {
    if (!gate_backend_address_read(&source->store, gate_str_from(text), arena, err))
        return gate_error_prefix(err, "option '--%s'", gate_side_word(source->side));
    source->url = source->store.server;
    return true;
}

static bool source_add(struct gate_capture_plan *plan, const struct gate_capture_options *options,
                       enum gate_side_name side, uint32_t at, struct gate_arena *arena, struct gate_error *err) {
    struct gate_capture_source *source = &plan->sources[plan->source_count++];
    const struct gate_paths *work_urls = &options->work_urls[side];
    source->side = side;
    if (gate_backend_address_is(gate_str_from(options->urls[side].items[at])))
        return store_read(source, options->urls[side].items[at], arena, err);
    if (!url_read(&source->url, "", side, options->urls[side].items[at], arena, err))
        return false;
    source->metrics = gate_capture_url_metrics(&source->url);
    return at >= work_urls->count || url_read(&source->metrics, "work-url-", side, work_urls->items[at], arena, err);
}

static bool sources_read(struct gate_capture_plan *plan, const struct gate_capture_options *options,
                         struct gate_arena *arena, struct gate_error *err) {
    size_t count = (size_t)options->urls[GATE_BASELINE].count + options->urls[GATE_CANARY].count;
    plan->sources = GATE_NEW_ARRAY(arena, struct gate_capture_source, count);
    if (plan->sources == NULL)
        return gate_arena_error(arena, err);
    for (int side = 0; side < GATE_SIDES; side++) {
        const char *word = gate_side_word((enum gate_side_name)side);
        uint32_t urls = options->urls[side].count, metrics = options->work_urls[side].count;
        if (urls == 0)
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "the %s is missing: expected --%s URL, such as http://127.0.0.1:6060", word, word);
        if (metrics != 0 && metrics != urls)
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "option '--work-url-%s': expected one for each --%s, found %u for %u", word, word,
                                  (unsigned)metrics, (unsigned)urls);
        if (metrics != 0 && options->work_metric == NULL)
            return gate_error_set(err, GATE_ERR_USAGE, "option '--work-url-%s': it needs --work-metric COUNTER", word);
        for (uint32_t i = 0; i < urls; i++)
            if (!source_add(plan, options, (enum gate_side_name)side, i, arena, err))
                return false;
    }
    return true;
}

static bool capture_options_work_read(struct gate_capture_plan *plan, const struct gate_capture_options *options,
                                      struct gate_arena *arena, struct gate_error *err) {
    plan->work_by = gate_str_from(options->work_by == NULL ? "" : options->work_by);
    if (options->work_metric == NULL)
        return options->work_by == NULL || options->windows.work_query != NULL ||
               gate_error_set(err, GATE_ERR_USAGE, "option '--work-by': it needs --work-metric COUNTER");
    struct gate_metrics_selector *selector = GATE_NEW_ARRAY(arena, struct gate_metrics_selector, 1);
    if (selector == NULL)
        return gate_arena_error(arena, err);
    plan->work = selector;
    return gate_metrics_selector_read(selector, gate_str_from(options->work_metric), arena, err) ||
           gate_error_prefix(err, "option '--work-metric'");
}

/* Set the windows if the addresses are profile stores. Their slices cannot be combined with live captures. */
static bool stores_read(struct gate_capture_plan *plan, const struct gate_capture_options *options,
                        struct gate_error *err) {
    uint32_t stores = 0;
    for (uint32_t i = 0; i < plan->source_count; i++)
        stores += plan->sources[i].store.store != GATE_BACKEND_NONE;
    if (stores == 0)
        return backend_windows_refuse(&options->windows, err);
    if (stores < plan->source_count)
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "some addresses are of stores and some of programs that are profiled now; both sides have "
            "to be taken in one way");
    if (options->work_metric != NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--work-metric': a counter is read while a profile is taken; of a store's window "
                              "take --work-query PROMQL");
    return backend_windows_fill(plan, &options->windows, gate_store_options_now(), err);
}

/* ---- progress, notes and requests -------------------------------------------------------------------------------- */

static void on_progress(void *context, const char *text) {
    const struct gate_session *session = context;
    progress_show(session->progress, text);
}

static void on_note(void *context, struct gate_str text) {
    struct gate_session *session = context;
    gate_session_note(session, text); /* ends the progress display */
    if (session->progress != NULL && !session->is_verbose)
        gate_progress_begin(session->progress, session->err, "taking profiles");
}

/* Return the wait before a retry. Tests set PPROFGATE_BACKOFF_MS, so that retries do not slow them down. */
static double backoff_seconds(void) {
    const char *variable = getenv("PPROFGATE_BACKOFF_MS");
    double milliseconds = 0;
    return variable != NULL && gate_option_value_number(&milliseconds, variable) && milliseconds >= 0
               ? milliseconds / 1e3
               : 0.5;
}

/** Set the part of a plan that concerns requests: limits, listeners, credentials. err: errors of
 * gate_credentials_read. */
static bool capture_options_requests(struct gate_capture_plan *out, const struct gate_capture_options *options,
                                     struct gate_session *session, struct gate_error *err) {
    *out = (struct gate_capture_plan){.max_bytes = options->max_bytes, .limits = gate_limits_fill(options->limits)};
    out->limits.memory_bytes = options->limits->memory_bytes; /* 0: by the answer's size */
    out->fetch = (struct gate_fetch_options){.connect_seconds = options->connect_seconds,
                                             .slack_seconds = options->timeout_seconds,
                                             .retries = options->retries,
                                             .backoff_seconds = backoff_seconds(),
                                             .ca_file = options->ca_file,
                                             .is_insecure = options->is_insecure,
                                             .follows_any = options->follow_redirects == 1,
                                             .listener = {session, on_progress, on_note}};
    return gate_credentials_read(&out->credentials, &options->credentials, session->arena, err);
}

/* Replaces Kubernetes addresses by URLs of the cluster's API server. */
static bool cluster_read(struct gate_capture_options *options, struct gate_capture_plan *plan,
                         struct gate_session *session, struct gate_error *err) {
    struct gate_kube_sources sources;
    for (int side = 0; side < GATE_SIDES; side++) {
        sources.urls[side] = options->urls[side];
        sources.work_urls[side] = options->work_urls[side];
    }
    if (!gate_kube_sources_expand(&sources, plan, options->kubeconfig, options->kube_context, session->arena, err))
        return false;
    for (int side = 0; side < GATE_SIDES; side++) {
        options->urls[side] = sources.urls[side];
        if (options->work_metric != NULL)
            options->work_urls[side] = sources.work_urls[side];
    }
    return true;
}

bool gate_capture_options_finish(struct gate_capture_plan *out, const struct gate_capture_options *options,
                                 const char *dir, struct gate_session *session, struct gate_error *err) {
    struct gate_capture_options expanded = *options;
    if (!capture_options_requests(out, options, session, err))
        return false;
    out->dir = dir;
    out->seconds = options->seconds;
    out->warm_up_seconds = options->warm_up_seconds;
    out->resumes_judged = options->resumes_judged;
    out->leaves_out_empty = options->leaves_out_empty;
    out->is_forced = session->is_forced;
    return kinds_read(out, options->kinds, err) && cluster_read(&expanded, out, session, err) &&
           sources_read(out, &expanded, session->arena, err) && stores_read(out, &expanded, err) &&
           capture_options_work_read(out, &expanded, session->arena, err);
}

bool gate_capture_options_note(const struct gate_capture_options *options, struct gate_file_roles *roles,
                               struct gate_arena *arena, struct gate_error *err) {
    return gate_file_roles_read_file(roles, options->credentials.token_file, arena, err) &&
           gate_file_roles_read_file(roles, options->credentials.user_file, arena, err) &&
           gate_file_roles_read_file(roles, options->ca_file, arena, err) &&
           gate_file_roles_read_file(roles, options->kubeconfig, arena, err);
}

void gate_capture_options_end(struct gate_capture_plan *plan) {
    if (plan->work != NULL)
        gate_metrics_selector_free(plan->work);
}

/* ---- addresses of profile stores as inputs ----------------------------------------------------------------------- */

/* The queries of all addresses, and the slices that they return. */
struct taking {
    struct gate_capture_plan plan;
    struct gate_backend_request *slice_requests; /* for each source, the requests of the current slice */
    struct gate_str *shown;
    struct gate_session_kept *kept; /* all slices of the first source, then those of the second, and so on */
    size_t kept_bytes;
    struct gate_session *session;
};

static bool is_address(const char *path) {
    return gate_backend_address_is(gate_str_from(path));
}

unsigned gate_backend_inputs_needs(const struct gate_paths *lists, uint32_t count) {
    for (uint32_t l = 0; l < count; l++)
        for (uint32_t i = 0; i < lists[l].count; i++)
            if (is_address(lists[l].items[i]))
                return GATE_NEEDS_NETWORK;
    return 0;
}

static uint32_t addresses_count(const struct gate_paths *lists, uint32_t count) {
    uint32_t found = 0;
    for (uint32_t l = 0; l < count; l++)
        for (uint32_t i = 0; i < lists[l].count; i++)
            found += is_address(lists[l].items[i]);
    return found;
}

/* ---- the queries ------------------------------------------------------------------------------------------------- */

static bool backend_inputs_sources_read(struct taking *taking, const struct gate_paths *lists, uint32_t count,
                                        struct gate_error *err) {
    struct gate_capture_plan *plan = &taking->plan;
    for (uint32_t l = 0; l < count; l++)
        for (uint32_t i = 0; i < lists[l].count; i++) {
            struct gate_capture_source *source = &plan->sources[plan->source_count];
            if (!is_address(lists[l].items[i]))
                continue;
            source->side = l == 0 ? GATE_BASELINE : GATE_CANARY;
            if (!gate_backend_address_read(&source->store, gate_str_from(lists[l].items[i]), taking->session->arena,
                                           err))
                return gate_error_prefix(err, "the address of a store");
            if (source->store.from.len == 0)
                return gate_error_set(err, GATE_ERR_USAGE,
                                      "the address of a store: expected &from=TIME in it, such as &from=-30m, and "
                                      "&runs=N for so many slices");
            source->url = source->store.server;
            plan->source_count++;
        }
    return true;
}

static bool taking_make(struct taking *taking, const struct gate_paths *lists, uint32_t count,
                        const struct gate_capture_options *options, struct gate_error *err) {
    struct gate_capture_plan *plan = &taking->plan;
    struct gate_arena *arena = taking->session->arena;
    const size_t room = (size_t)addresses_count(lists, count) + 1;
    const struct gate_backend_windows one = {.runs = 1};
    if (!capture_options_requests(plan, options, taking->session, err))
        return false;
    plan->sources = GATE_NEW_ARRAY(arena, struct gate_capture_source, room);
    plan->kinds[plan->kind_count++] = GATE_CAPTURE_CPU; /* kind of an address that names none */
    if (plan->sources == NULL)
        return gate_arena_error(arena, err);
    if (!backend_inputs_sources_read(taking, lists, count, err) ||
        !backend_windows_fill(plan, &one, gate_store_options_now(), err) || !gate_capture_plan_check(plan, arena, err))
        return false;
    taking->slice_requests = GATE_NEW_ARRAY(arena, struct gate_backend_request, room);
    taking->shown = GATE_NEW_ARRAY(arena, struct gate_str, room);
    taking->kept = GATE_NEW_ARRAY(arena, struct gate_session_kept, room * plan->slices);
    return (taking->slice_requests != NULL && taking->shown != NULL && taking->kept != NULL) ||
           gate_arena_error(arena, err);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static bool slice_keep(struct taking *taking, uint32_t source, uint32_t slice, struct gate_error *err) {
    const struct gate_capture_plan *plan = &taking->plan;
    const struct gate_backend_request *request = &taking->slice_requests[source];
    struct gate_arena *arena = taking->session->arena;
    if (!request->is_well) {
        *err = request->err;
        return gate_capture_plan_blame(plan, &plan->sources[source].url, taking->shown[source], err);
    }
    const size_t most = gate_limits_default().memory_bytes;
    if (!gate_arrival_check_type(request->profile, request->query.type, &plan->limits, arena, err))
        return gate_capture_plan_blame(plan, &plan->sources[source].url, taking->shown[source], err);
    if (request->profile.len > most - taking->kept_bytes)
        return gate_error_set(err, GATE_ERR_LIMIT,
                              "the slices are larger than %zu bytes together; take them into a folder with `pprofgate "
                              "capture`",
                              most);
    taking->kept_bytes += request->profile.len;
    struct gate_str bytes = gate_str_copy(arena, request->profile);
    taking->kept[source * plan->slices + slice] =
        (struct gate_session_kept){.path = taking->shown[source].ptr, .bytes = bytes};
    return bytes.ptr != NULL || gate_arena_error(arena, err);
}

static bool slice_take(struct taking *taking, uint32_t slice, struct gate_error *err) {
    const struct gate_capture_plan *plan = &taking->plan;
    struct gate_arena *arena = taking->session->arena;
    struct gate_backend_request **requests = gate_arena_calloc(arena, plan->source_count, sizeof *requests);
    struct gate_fetch_options options = plan->fetch;
    options.what = gate_str_format(arena, "slice %u", (unsigned)slice + 1).ptr;
    if (requests == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < plan->source_count; i++) {
        requests[i] = &taking->slice_requests[i];
        const bool is_older = requests[i]->query.is_older;
        if (!gate_capture_plan_query(&requests[i]->query, &taking->shown[i], plan, &plan->sources[i], plan->kinds[0],
                                     slice + 1, arena, err))
            return false;
        requests[i]->query.is_older = is_older;
    }
    bool ok =
        gate_backend_send_all(requests, plan->source_count, &options, &plan->credentials, plan->max_bytes, arena, err);
    for (uint32_t i = 0; i < plan->source_count; i++) {
        ok = ok && slice_keep(taking, i, slice, err);
        gate_backend_request_free(requests[i]);
    }
    return ok;
}

/* Replaces each address by the names of its slices. */
static bool lists_fill(struct gate_paths *lists, uint32_t count, const struct taking *taking, struct gate_error *err) {
    const uint32_t slices = taking->plan.slices;
    uint32_t source = 0;
    for (uint32_t l = 0; l < count; l++) {
        const struct gate_paths before = lists[l];
        lists[l] = (struct gate_paths){0};
        for (uint32_t i = 0; i < before.count; i++) {
            bool is_query = is_address(before.items[i]);
            for (uint32_t s = 0; s < (is_query ? slices : 1); s++)
                if (!gate_paths_add(&lists[l], is_query ? taking->kept[source * slices + s].path : before.items[i],
                                    taking->session->arena, err))
                    return false;
            source += is_query;
        }
    }
    return true;
}

bool gate_backend_inputs_take(struct gate_paths *lists, uint32_t count, const struct gate_capture_options *options,
                              struct gate_session *session, struct gate_error *err) {
    struct taking taking = {.session = session};
    if (addresses_count(lists, count) == 0)
        return true;
    if (!taking_make(&taking, lists, count, options, err))
        return false;
    gate_progress_stage(session->progress, "asking for profiles");
    for (uint32_t slice = 0; slice < taking.plan.slices; slice++)
        if (!slice_take(&taking, slice, err))
            return false;
    for (uint32_t i = 0; i < taking.plan.source_count * taking.plan.slices; i++)
        if (taking.kept[i].path != NULL && !gate_input_keep(session, taking.kept[i], err))
            return false;
    return lists_fill(lists, count, &taking, err);
}

/* ---- both sides -------------------------------------------------------------------------------------------------- */

bool gate_backend_inputs_sides(struct gate_profile_options *profiles, bool has_baseline,
                               const struct gate_capture_options *options, struct gate_session *session,
                               struct gate_error *err) {
    struct gate_paths *arguments = &profiles->arguments;
    bool are_two = !has_baseline && arguments->count == 2 && profiles->paths[GATE_BASELINE].count == 0 &&
                   profiles->paths[GATE_CANARY].count == 0 && addresses_count(arguments, 1) > 0;
    for (int side = 0; are_two && side < GATE_SIDES; side++)
        if (!gate_paths_add(&profiles->paths[side], arguments->items[side], session->arena, err))
            return false;
    arguments->count = are_two ? 0 : arguments->count;
    if (has_baseline && profiles->paths[GATE_BASELINE].count == 0) {
        for (uint32_t i = 0; i < arguments->count; i++)
            if (!gate_paths_add(&profiles->paths[GATE_CANARY], arguments->items[i], session->arena, err))
                return false;
        arguments->count = 0;
    }
    if (addresses_count(arguments, 1) > 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "the address of a store is a side: expected BASELINE CANARY, or --store DIR");
    bool are_pairs = profiles->paths[GATE_BASELINE].count == 1 && profiles->paths[GATE_CANARY].count == 1 &&
                     addresses_count(profiles->paths, GATE_SIDES) == 2;
    if (!gate_backend_inputs_take(profiles->paths, GATE_SIDES, options, session, err))
        return false;
    if (!are_pairs)
        return true;
    uint32_t slices = profiles->paths[GATE_BASELINE].count;
    struct gate_profile_round *rounds = GATE_NEW_ARRAY(session->arena, struct gate_profile_round, slices);
    if (rounds == NULL)
        return gate_arena_error(session->arena, err);
    for (uint32_t i = 0; i < slices; i++)
        rounds[i] = (struct gate_profile_round){.number = i + 1};
    profiles->rounds[GATE_BASELINE] = profiles->rounds[GATE_CANARY] = rounds;
    return true;
}
