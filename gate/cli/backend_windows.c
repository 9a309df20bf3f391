/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of stores (see backend_windows.h). */
#include "gate/cli/backend_windows.h"

#include "gate/cli/option_value.h"

#define AT(field) offsetof(struct gate_backend_windows, field)

static const struct gate_option rows[] = {
    {"window", 0, "WINDOW",
     "of what time a store, pyroscope+http://host:4040?query={service_name=\"shop\"} or parca+..., is asked for "
     "profiles: 'last 30m', -1h..now, 2026-11-22T06:00:00Z..now",
     gate_option_value_text, AT(window), NULL},
    {"from", 0, "TIME",
     "or its beginning: -30m, now-1w, 2026-11-22T06:00:00Z or Unix seconds; an address may have its own, &from=TIME",
     gate_option_value_text, AT(from), NULL},
    {"to", 0, "TIME", "and its end (default: now)", gate_option_value_text, AT(to), NULL},
    {0},
};
const struct gate_option_group gate_backend_windows_options = {"Profiles from a store:", rows, NULL};

static const struct gate_option work_rows[] = {
    {"baseline-ago", 0, "TIME", "the baseline's window is that much earlier: 1w is the same one a week ago",
     gate_option_value_text, AT(baseline_ago), NULL},
    {"work-query", 0, "PROMQL",
     "work done in each slice of the window, from Prometheus, such as "
     "'sum(increase(http_requests_total{version=\"1.4\"}[{window}]))'",
     gate_option_value_text, AT(work_query), NULL},
    {"work-query-canary", 0, "PROMQL", "the canary's, where it is another one", gate_option_value_text,
     AT(work_query_canary), NULL},
    {"work-query-url", 0, "URL", "where Prometheus is, such as http://prometheus:9090", gate_option_value_text,
     AT(work_url), NULL},
    {0},
};
const struct gate_option_group gate_backend_windows_work = {.rows = work_rows};

static const struct gate_option settle_rows[] = {
    {"settle", 0, "SECONDS",
     "a round is a slice of --seconds as it comes from a store; ask so long after its end, when agents have sent what "
     "they have of it (default 20)",
     gate_option_value_positive, AT(settle_seconds), NULL},
    {0},
};
const struct gate_option_group gate_backend_windows_coming = {"Profiles from a store:", settle_rows, NULL};

/* ---- windows ----------------------------------------------------------------------------------------------------- */

static bool moment_read(int64_t *out_ms, const char *place, struct gate_str text, int64_t now_ms,
                        struct gate_error *err) {
    struct gate_error why = {0};
    return gate_window_moment(out_ms, text, now_ms, &why) ||
           gate_error_set(err, why.code, "%s: %s", place, why.message);
}

/* By --window, or by --from and --to. */
static bool common_read(struct gate_window *out, const struct gate_backend_windows *windows, int64_t now_ms,
                        struct gate_error *err) {
    struct gate_error why = {0};
    if (windows->window != NULL && (windows->from != NULL || windows->to != NULL))
        return gate_error_set(err, GATE_ERR_USAGE, "option '--window': it says what --from and --to say; give one");
    if (windows->window != NULL)
        return gate_window_read(out, gate_str_from(windows->window), now_ms, &why) ||
               gate_error_set(err, why.code, "option '--window': %s", why.message);
    if (windows->from == NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "a store has to be told which time: expected --window 'last 30m', --from TIME, or "
                              "&from=TIME in its address");
    *out = (struct gate_window){.to_ms = now_ms};
    return moment_read(&out->from_ms, "option '--from'", gate_str_from(windows->from), now_ms, err) &&
           (windows->to == NULL ||
            moment_read(&out->to_ms, "option '--to'", gate_str_from(windows->to), now_ms, err)) &&
           (gate_window_check(out, now_ms, &why) ||
            gate_error_set(err, why.code, "options '--from' and '--to': %s", why.message));
}

/* From now on, or from when they began. */
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
    struct gate_error why = {0};
    if (windows->coming > 0)
        return coming_read(source, windows, ago_ms, now_ms, err);
    if (address->from.len == 0 && address->to.len > 0)
        return gate_error_set(err, GATE_ERR_USAGE, "'to' in the address: it needs from=TIME beside it");
    if (address->from.len > 0) {
        *window = (struct gate_window){.to_ms = now_ms};
        return moment_read(&window->from_ms, "'from' in the address", address->from, now_ms, err) &&
               (address->to.len == 0 || moment_read(&window->to_ms, "'to' in the address", address->to, now_ms, err)) &&
               (gate_window_check(window, now_ms, &why) ||
                gate_error_set(err, why.code, "'from' and 'to' in the address: %s", why.message));
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
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "'runs' in the addresses: one says %u and another %u; every window is cut into as "
                                  "many",
                                  (unsigned)plan->slices, (unsigned)runs);
        plan->slices = runs > 0 ? runs : plan->slices;
    }
    plan->slices = plan->slices > 0 ? plan->slices : otherwise;
    return true;
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

static bool work_read(struct gate_capture_plan *plan, const struct gate_backend_windows *windows,
                      struct gate_error *err) {
    struct gate_work_query *query = &plan->work_query;
    struct gate_error why = {0};
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
    if (!gate_capture_url_read(&query->url, gate_str_from(windows->work_url), &why))
        return gate_error_set(err, why.code, "option '--work-query-url': %s", why.message);
    if (query->url.query.len > 0 || query->url.host.len == 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--work-query-url': expected the address of a server such as "
                              "http://prometheus:9090, without a query");
    return gate_work_query_check(query, &why) ||
           gate_error_set(err, why.code, "option '--work-query': %s", why.message);
}

bool gate_backend_windows_fill(struct gate_capture_plan *plan, const struct gate_backend_windows *windows,
                               int64_t now_ms, struct gate_error *err) {
    struct gate_error why = {0};
    int64_t ago_ms = 0;
    now_ms -= now_ms % 1000;
    if (windows->baseline_ago != NULL && !gate_window_length(&ago_ms, gate_str_from(windows->baseline_ago), &why))
        return gate_error_set(err, why.code, "option '--baseline-ago': %s", why.message);
    for (uint32_t i = 0; i < plan->source_count; i++)
        if (!window_read(&plan->sources[i], windows, ago_ms, now_ms, err))
            return false;
    plan->settle_seconds = windows->settle_seconds;
    return slices_read(plan, windows->coming > 0 ? windows->coming : windows->runs, err) &&
           work_read(plan, windows, err);
}

static const char *row_name(size_t at) {
    const struct gate_option *const all[] = {rows, work_rows};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (const struct gate_option *row = all[i]; row->name != NULL; row++)
            if (row->at == at)
                return row->name;
    return "";
}

bool gate_backend_windows_refuse(const struct gate_backend_windows *windows, struct gate_error *err) {
    const char *const said[] = {windows->window,           windows->from,     windows->to,
                                windows->baseline_ago,     windows->work_url, windows->work_query,
                                windows->work_query_canary};
    static const size_t at[] = {AT(window),           AT(from), AT(to), AT(baseline_ago), AT(work_url), AT(work_query),
                                AT(work_query_canary)};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (said[i] != NULL)
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "option '--%s': it is for stores, and the addresses are of programs that are "
                                  "profiled now",
                                  row_name(at[i]));
    return true;
}
