/* SPDX-License-Identifier: Apache-2.0 */
/* The options of commands that take profiles (see capture_options.h). */
#include "gate/cli/capture_options.h"

#include "gate/base/sandbox.h"
#include "gate/capture/kube_address.h"
#include "gate/cli/kube_sources.h"
#include "gate/cli/option_value.h"
#include "gate/cli/progress.h"
#include "gate/cli/store_options.h"
#include "gate/compare/pair.h"

#include <stdlib.h>

enum { MEBIBYTE = 1024 * 1024, MAX_MEBIBYTES = 256, SECONDS_MAX = 3600, RETRIES_MAX = 100 };

static const char *const redirect_words[] = {"same", "any", NULL};

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static bool read_seconds(const struct gate_option_use *use, struct gate_error *err) {
    uint64_t number = 0;
    if (!gate_option_value_whole(&number, use->value) || number == 0 || number > SECONDS_MAX)
        return gate_error_set(err, GATE_ERR_USAGE, "option '--%s': expected whole seconds from 1 to %d, found '%s'",
                              use->option->name, SECONDS_MAX, use->value);
    *(uint32_t *)use->out = (uint32_t)number;
    return true;
}

static bool read_retries(const struct gate_option_use *use, struct gate_error *err) {
    uint64_t number = 0;
    if (!gate_option_value_whole(&number, use->value) || number > RETRIES_MAX)
        return gate_error_set(err, GATE_ERR_USAGE, "option '--%s': expected a whole number from 0 to %d, found '%s'",
                              use->option->name, RETRIES_MAX, use->value);
    *(uint32_t *)use->out = (uint32_t)number;
    return true;
}

#define AT(field) offsetof(struct gate_capture_options, field)

static const struct gate_option what_rows[] = {
    {"baseline", 0, "URL",
     "the baseline: http://host:6060, https://..., unix:///run/app.sock, or the whole address of a profile; once for "
     "each replica, and each is a run",
     gate_option_value_path, AT(urls[GATE_BASELINE]), NULL},
    {"canary", 0, "URL", "the canary, likewise", gate_option_value_path, AT(urls[GATE_CANARY]), NULL},
    {"kind", 'k', "KIND,...",
     "cpu (default), heap, allocs, mutex, block, goroutine and wall, one after another, as Go's net/http/pprof and "
     "fgprof serve them",
     gate_option_value_text, AT(kinds), gate_capture_kind_words},
    {"seconds", 's', "N", "how long a profile takes (default 30)", read_seconds, AT(seconds), NULL},
    {"warm-up", 0, "SECONDS", "wait that long before the first one", gate_option_value_positive, AT(warm_up_seconds),
     NULL},
    {"kubeconfig", 0, "FILE",
     "the cluster of addresses such as k8s://prod/shop:6060 and k8s://prod/pods:6060?selector=app=shop (default: "
     "KUBECONFIG, the pod's own account, ~/.kube/config)",
     gate_option_value_text, AT(kubeconfig), NULL},
    {"kube-context", 0, "NAME", "which one of that file (default: its current one)", gate_option_value_text,
     AT(kube_context), NULL},
    {"work-metric", 0, "COUNTER",
     "work done in each run: how much a counter for Prometheus grew, such as 'http_requests_total{code=\"200\"}', "
     "summed over its series",
     gate_option_value_text, AT(work_metric), NULL},
    {"work-by", 0, "LABEL", "tell the work by the values of a label that samples have too, such as endpoint",
     gate_option_value_text, AT(work_by), NULL},
    {"work-url-baseline", 0, "URL", "where the baseline's counter is (default: /metrics beside its profile)",
     gate_option_value_path, AT(work_urls[GATE_BASELINE]), NULL},
    {"work-url-canary", 0, "URL", "where the canary's is", gate_option_value_path, AT(work_urls[GATE_CANARY]), NULL},
    {0},
};
const struct gate_option_group gate_capture_options_what = {.rows = what_rows};

static const struct gate_option how_rows[] = {
    {"timeout", 0, "SECONDS", "wait that much longer for an answer than its profile takes (default 30)",
     gate_option_value_positive, AT(timeout_seconds), NULL},
    {"connect-timeout", 0, "SECONDS", "and that long for a connection (default 5)", gate_option_value_positive,
     AT(connect_seconds), NULL},
    {"retries", 0, "N", "ask again that often where it may help (default 4)", read_retries, AT(retries), NULL},
    {"max-bytes", 0, "SIZE", "bytes of an answer (default 256M)", gate_option_value_size, AT(max_bytes), NULL},
    {"token-env", 0, "NAME", "send the bearer token that this variable of the environment holds",
     gate_option_value_text, AT(credentials.token_env), NULL},
    {"token-file", 0, "FILE", "or that this file holds", gate_option_value_text, AT(credentials.token_file), NULL},
    {"user-file", 0, "FILE", "or USER:PASSWORD of this file (basic authentication)", gate_option_value_text,
     AT(credentials.user_file), NULL},
    {"tenant", 0, "ID", "send it as X-Scope-OrgID, which stores of several tenants want", gate_option_value_text,
     AT(credentials.tenant), NULL},
    {"follow-redirects", 0, "WHERE", "same (default): to the same server alone; any: to others too, without a token",
     gate_option_value_word, AT(follow_redirects), redirect_words},
    {"ca-file", 0, "FILE", "the authorities that certificates are checked by (default: the system's)",
     gate_option_value_text, AT(ca_file), NULL},
    {"insecure", 0, NULL, "check no certificate", gate_option_value_flag, AT(is_insecure), NULL},
    {0},
};
const struct gate_option_group gate_capture_options_how = {"How they are asked for:", how_rows, NULL};

const struct gate_option_group gate_capture_options_stores = {"How stores of profiles are asked:", how_rows, NULL};

void gate_capture_options_begin(struct gate_capture_options *options) {
    *options = (struct gate_capture_options){.kinds = "cpu",
                                             .seconds = 30,
                                             .timeout_seconds = 30,
                                             .connect_seconds = 5,
                                             .retries = 4,
                                             .max_bytes = (size_t)MAX_MEBIBYTES * MEBIBYTE};
}

unsigned gate_capture_options_needs(const struct gate_capture_options *options) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < options->urls[side].count; i++)
            if (gate_kube_address_is(gate_str_from(options->urls[side].items[i])))
                return GATE_NEEDS_NETWORK | GATE_NEEDS_PROGRAMS;
    return GATE_NEEDS_NETWORK;
}

/* ---- to a plan --------------------------------------------------------------------------------------------------- */

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
    struct gate_error why = {0};
    if (!gate_backend_address_read(&source->store, gate_str_from(text), arena, &why))
        return gate_error_set(err, why.code, "option '--%s': %s", gate_side_word(source->side), why.message);
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
    source->metrics = gate_capture_url_beside(&source->url, GATE_STR("/metrics"));
    return at >= work_urls->count || url_read(&source->metrics, "work-url-", side, work_urls->items[at], arena, err);
}

static bool sources_read(struct gate_capture_plan *plan, const struct gate_capture_options *options,
                         struct gate_arena *arena, struct gate_error *err) {
    size_t count = (size_t)options->urls[GATE_BASELINE].count + options->urls[GATE_CANARY].count;
    plan->sources = GATE_NEW_ARRAY(arena, struct gate_capture_source, count + 1);
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

static bool work_read(struct gate_capture_plan *plan, const struct gate_capture_options *options,
                      struct gate_arena *arena, struct gate_error *err) {
    struct gate_error why = {0};
    plan->work_by = gate_str_from(options->work_by == NULL ? "" : options->work_by);
    if (options->work_metric == NULL)
        return options->work_by == NULL || options->windows.work_query != NULL ||
               gate_error_set(err, GATE_ERR_USAGE, "option '--work-by': it needs --work-metric COUNTER");
    struct gate_metrics_selector *selector = GATE_NEW_ARRAY(arena, struct gate_metrics_selector, 1);
    if (selector == NULL)
        return gate_arena_error(arena, err);
    plan->work = selector;
    return gate_metrics_selector_read(selector, gate_str_from(options->work_metric), arena, &why) ||
           gate_error_set(err, why.code, "option '--work-metric': %s", why.message);
}

/* Slices of what was stored cannot be taken in turn with what happens now. */
static bool stores_read(struct gate_capture_plan *plan, const struct gate_capture_options *options,
                        struct gate_error *err) {
    uint32_t stores = 0;
    for (uint32_t i = 0; i < plan->source_count; i++)
        stores += plan->sources[i].store.store != GATE_BACKEND_NONE;
    if (stores == 0)
        return gate_backend_windows_refuse(&options->windows, err);
    if (stores < plan->source_count)
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "some addresses are of stores and some of programs that are profiled now; both sides have "
            "to be taken in one way");
    if (options->work_metric != NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--work-metric': a counter is read while a profile is taken; of a store's window "
                              "take --work-query PROMQL");
    return gate_backend_windows_fill(plan, &options->windows, gate_store_options_now(), err);
}

/* ---- who is told ------------------------------------------------------------------------------------------------- */

static void tell_progress(void *context, const char *text) {
    const struct gate_cli *cli = context;
    gate_progress_tell(cli->progress, text);
}

static void tell_note(void *context, struct gate_str text) {
    struct gate_cli *cli = context;
    gate_cli_note(cli, text); /* which ends the progress */
    if (cli->progress != NULL && !cli->is_verbose)
        gate_progress_begin(cli->progress, cli->err, "taking profiles", GATE_PROGRESS_PATIENCE_MS);
}

/* Tests have no time to wait. */
static double backoff_seconds(void) {
    const char *told = getenv("PPROFGATE_BACKOFF_MS");
    double milliseconds = 0;
    return told != NULL && gate_option_value_number(&milliseconds, told) && milliseconds >= 0 ? milliseconds / 1e3
                                                                                              : 0.5;
}

bool gate_capture_options_ask(struct gate_capture_plan *out, const struct gate_capture_options *options,
                              struct gate_cli *cli, struct gate_error *err) {
    *out = (struct gate_capture_plan){.max_bytes = options->max_bytes, .limits = gate_limits_default()};
    out->fetch = (struct gate_fetch_options){.connect_seconds = options->connect_seconds,
                                             .slack_seconds = options->timeout_seconds,
                                             .retries = options->retries,
                                             .backoff_seconds = backoff_seconds(),
                                             .ca_file = options->ca_file,
                                             .is_insecure = options->is_insecure,
                                             .follows_any = options->follow_redirects == 1,
                                             .listener = {cli, tell_progress, tell_note}};
    return gate_credentials_read(&out->credentials, &options->credentials, cli->arena, err);
}

/* Pods and services of a cluster are asked by its API server. */
static bool cluster_read(struct gate_capture_options *options, struct gate_capture_plan *plan, struct gate_cli *cli,
                         struct gate_error *err) {
    struct gate_kube_sources sources;
    for (int side = 0; side < GATE_SIDES; side++) {
        sources.urls[side] = options->urls[side];
        sources.work_urls[side] = options->work_urls[side];
    }
    if (!gate_kube_sources_expand(&sources, plan, options->kubeconfig, options->kube_context, cli, err))
        return false;
    for (int side = 0; side < GATE_SIDES; side++) {
        options->urls[side] = sources.urls[side];
        if (options->work_metric != NULL)
            options->work_urls[side] = sources.work_urls[side];
    }
    return true;
}

bool gate_capture_options_finish(struct gate_capture_plan *out, const struct gate_capture_options *options,
                                 const char *dir, struct gate_cli *cli, struct gate_error *err) {
    struct gate_capture_options expanded = *options;
    if (!gate_capture_options_ask(out, options, cli, err))
        return false;
    out->dir = dir;
    out->seconds = options->seconds;
    out->warm_up_seconds = options->warm_up_seconds;
    out->goes_on_judged = options->goes_on_judged;
    return kinds_read(out, options->kinds, err) && cluster_read(&expanded, out, cli, err) &&
           sources_read(out, &expanded, cli->arena, err) && stores_read(out, &expanded, err) &&
           work_read(out, &expanded, cli->arena, err);
}

void gate_capture_options_end(struct gate_capture_plan *plan) {
    if (plan->work != NULL)
        gate_metrics_selector_free(plan->work);
    plan->work = NULL;
}
