/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/cli/option_groups.h"

#include "gate/base/escape.h"
#include "gate/base/sandbox.h"
#include "gate/capture/kubernetes.h"
#include "gate/capture/paths.h"
#include "gate/cli/options.h"
#include "gate/report/report.h"
#include "gate/rules/rules.h"
#include "gate/session/capture_options.h"
#include "gate/session/judge_options.h"
#include "gate/session/ledger.h"
#include "gate/session/profile_options.h"
#include "gate/session/reports.h"
#include "gate/session/rules_in_force.h"
#include "gate/session/session.h"
#include "gate/session/store_options.h"
#include "gate/session/stored_baseline.h"
#include "gate/store/record.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define AT(field) .at = offsetof(struct gate_symbol_options, field)

static const struct gate_option symbol_rows[] = {
    {"symbols", 0, "PATH",
     "a binary, its debug information or a perf map, for profiles of bare addresses; a script's source map, ProGuard's "
     "or R8's mapping.txt; or a folder of them; may be repeated",
     gate_option_value_path, AT(paths)},
    {"debuginfod", 0, NULL, "download missing debug information from the servers in DEBUGINFOD_URLS",
     gate_option_value_flag, AT(asks_servers)},
    {"debuginfod-cache", 0, "DIR",
     "cache of that debug information (default: pprofgate/debuginfod in the user's cache)", gate_option_value_text,
     AT(cache), .output = GATE_OPTION_FOLDER},
    {0},
};

static unsigned symbols_need(const void *options) {
    return gate_symbol_options_needs(options);
}

const struct gate_option_group gate_symbol_options_group = {
    .heading = "Names for frames without one:", .rows = symbol_rows, .needs = symbols_need};

static const char *option_name(const struct gate_option_use *use) {
    struct gate_str name = gate_str_format(use->arena, "option '--%s'", use->option->name);
    return name.ptr == NULL ? "an option" : name.ptr;
}

/** Read "baseline=N", "canary=N1,N2,N3" (one per run) or "canary:LABEL=VALUE:N" into a struct gate_work. */
static bool work_option_side(const struct gate_option_use *use, struct gate_error *err) {
    return gate_work_option_sides(use->out, option_name(use), use->value, use->arena, err);
}

bool gate_work_option_runs(const struct gate_option_use *use, struct gate_error *err) {
    return gate_work_option_good_runs(use->out, option_name(use), use->value, use->arena, err);
}

static bool read_where(const struct gate_option_use *use, struct gate_error *err) {
    struct gate_profile_where *where = use->out;
    struct gate_str text = gate_str_from(use->value);
    size_t equals = gate_str_find(text, GATE_STR("="), 0);
    if (equals == SIZE_MAX || equals == 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--where': expected KEY=VALUE such as endpoint=/checkout, found '%s'",
                              use->value);
    return GATE_APPEND(
        use->arena, where->items, where->count, where->capacity, err,
        (struct gate_label_match){gate_str_slice(text, 0, equals), gate_str_slice(text, equals + 1, text.len)});
}

/* Returns the path up to the first comma that is not escaped, and advances `*text` past the comma. "\," stands for a
 * comma, "\\" for a backslash. The path may be empty; NULL means that the arena is full. */
static const char *pair_path(const char **text, bool *has_comma, struct gate_arena *arena) {
    char *path = gate_arena_alloc(arena, strlen(*text) + 1);
    size_t len = 0;
    const char *at = *text;
    if (path == NULL)
        return NULL;
    for (; *at != '\0' && *at != ','; at++) {
        if (at[0] == '\\' && (at[1] == ',' || at[1] == '\\'))
            at++;
        path[len++] = *at;
    }
    path[len] = '\0';
    *has_comma = *at == ',';
    *text = *has_comma ? at + 1 : at;
    return path;
}

static bool pair_sides(struct gate_profile_pair *pair, const char *text, const struct gate_option_use *use,
                       struct gate_error *err) {
    bool has_comma[GATE_SIDES] = {false, false};
    const char *paths[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++) {
        paths[side] = pair_path(&text, &has_comma[side], use->arena);
        if (paths[side] == NULL)
            return gate_arena_error(use->arena, err);
        if (!gate_paths_add(&pair->paths[side], paths[side], use->arena, err))
            return false;
    }
    if (has_comma[GATE_CANARY])
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "option '--pair': expected NAME=BASELINE,CANARY, found a second comma in '%s'; a comma in a "
            "path is written '\\,'",
            use->value);
    if (paths[GATE_BASELINE][0] == '\0' || paths[GATE_CANARY][0] == '\0')
        return gate_error_set(err, GATE_ERR_USAGE, "option '--pair': expected NAME=BASELINE,CANARY, found '%s'",
                              use->value);
    return true;
}

static bool read_pair(const struct gate_option_use *use, struct gate_error *err) {
    struct gate_profile_pairs *pairs = use->out;
    const char *equals = strchr(use->value, '=');
    if (equals == NULL || equals == use->value)
        return gate_error_set(err, GATE_ERR_USAGE, "option '--pair': expected NAME=BASELINE,CANARY, found '%s'",
                              use->value);
    struct gate_profile_pair pair = {.label = {use->value, (size_t)(equals - use->value)}};
    for (uint32_t i = 0; i < pairs->count; i++)
        if (gate_str_equal(pairs->items[i].label, pair.label))
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "option '--pair': two pairs are named '%.*s'; give every pair a name "
                                  "of its own",
                                  GATE_STR_ARG(pair.label));
    if (!pair_sides(&pair, equals + 1, use, err))
        return false;
    return GATE_APPEND(use->arena, pairs->items, pairs->count, pairs->capacity, err, pair);
}

#define PROFILE_AT(field) .at = offsetof(struct gate_profile_options, field)

static const struct gate_option side_rows[] = {
    {"baseline", 0, "PATH...", "all runs of the baseline; may be repeated", gate_option_value_path,
     PROFILE_AT(paths[GATE_BASELINE])},
    {"canary", 0, "PATH...", "all runs of the canary; may be repeated", gate_option_value_path,
     PROFILE_AT(paths[GATE_CANARY])},
    {0},
};

const struct gate_option_group gate_profile_options_sides = {.rows = side_rows};

static const struct gate_option pair_rows[] = {
    {"pair", 0, "NAME=B,C",
     "baseline and canary of one kind of profile, such as cpu=base.pb.gz,canary.pb.gz (a comma in a path is written "
     "'\\,'); "
     "may be repeated",
     read_pair, PROFILE_AT(pairs)},
    {0},
};

const struct gate_option_group gate_profile_options_pair = {.rows = pair_rows};

static const struct gate_option by_rows[] = {
    {"by", 0, "LABEL",
     "also compare within each value of a label such as endpoint, by the budgets that bound growth, for the most "
     "expensive values",
     gate_option_value_view, PROFILE_AT(by)},
    {"by-values", 0, "N", "maximum number of values (default 8, at most 64)", gate_option_value_count32,
     PROFILE_AT(by_values)},
    {0},
};

const struct gate_option_group gate_profile_options_by = {.rows = by_rows};

enum { COUNTS_ROW = 4 }; /* first of the rows that are also the group gate_profile_options_counts */

static const struct gate_option read_rows[] = {
    {"sample-type", 0, "NAME",
     "sample type to compare: a type, type/unit, or its number (default: the profile's own default)",
     gate_option_value_view, PROFILE_AT(sample_type)},
    {"where", 0, "KEY=VALUE", "only samples with this label; may be repeated", read_where, PROFILE_AT(where)},
    {"granularity", 0, "WHAT", "what a frame is: function (default), line, file, package or mapping",
     gate_option_value_word, PROFILE_AT(granularity), gate_naming_granularities},
    {"names", 0, "HOW",
     "stable (default): names with numbers that change with every build become one frame; exact: as in the profile",
     gate_option_value_word, PROFILE_AT(exact_names), gate_naming_modes},
    [COUNTS_ROW] = {"period", 0, "N", "sampling period in the value's unit, if the profile has none or a wrong one",
                    gate_option_value_positive, PROFILE_AT(counts.period)},
    {"mutex-fraction", 0, "N", "Go's mutex profile fraction, which the profile does not record",
     gate_option_value_positive, PROFILE_AT(counts.mutex_fraction)},
    {0},
};

const struct gate_option_group gate_profile_options_read = {.heading = "How profiles are read:", .rows = read_rows};

const struct gate_option_group gate_profile_options_counts = {.rows = &read_rows[COUNTS_ROW]};

static const struct gate_option limit_rows[] = {
    {"max-compressed-size", 0, "SIZE", "bytes of a file as it is stored (default 1G)", gate_option_value_size,
     PROFILE_AT(limits.compressed_bytes)},
    {"max-size", 0, "SIZE", "bytes of a profile, inflated (default 2G)", gate_option_value_size,
     PROFILE_AT(limits.inflated_bytes)},
    {"max-samples", 0, "N", "samples of a profile (default 100 million)", gate_option_value_count,
     PROFILE_AT(limits.samples)},
    {"max-depth", 0, "N", "frames of a stack, inlined calls too (default 16384)", gate_option_value_count32,
     PROFILE_AT(limits.depth)},
    {"max-lines", 0, "N", "inlined calls of a location (default 4096)", gate_option_value_count32,
     PROFILE_AT(limits.lines)},
    {"max-labels", 0, "N", "labels of a sample (default 256)", gate_option_value_count32, PROFILE_AT(limits.labels)},
    {"max-strings", 0, "N", "strings of a profile (default 50 million)", gate_option_value_count32,
     PROFILE_AT(limits.strings)},
    {"max-memory", 0, "SIZE",
     "bytes of memory for profiles, tables and reports together (default: 112 times the inputs, 224M to 4G)",
     gate_option_value_size, PROFILE_AT(limits.memory_bytes)},
    {"max-steps", 0, "N",
     "work that stacks and names of all profiles ask for: a frame of a stack is a step, a byte of a name eight "
     "(default: 64 a byte of the inputs, at least 128 million)",
     gate_option_value_count, PROFILE_AT(limits.steps)},
    {0},
};

static void profiles_begin(void *options) {
    gate_profile_options_begin(options);
}

/* Every command with profiles has this group. */
const struct gate_option_group gate_profile_options_limits = {
    .heading = "Input limits (k, M and G: of SIZE powers of 1024, of N of 1000):",
    .rows = limit_rows,
    .is_rare = true,
    .begin = profiles_begin};

#define JUDGE_AT(field) .at = offsetof(struct gate_judge_options, field)

static const struct gate_option work_rows[] = {
    {"work", 0, "SIDE=N",
     "work done while a side was captured (requests, iterations), such as baseline=39752; canary=N1,N2 gives it for "
     "each run, and canary:endpoint=/search:N for one value of a label; once for each side (default: "
     "$PPROFGATE_WORK_BASELINE and $PPROFGATE_WORK_CANARY)",
     work_option_side, JUDGE_AT(work)},
    {"work-file", 0, "FILE", "the same as YAML or JSON: {baseline: {endpoint: {/search: 1200}}, canary: ...}",
     gate_option_value_text, JUDGE_AT(work_file)},
    {0},
};

const struct gate_option_group gate_judge_options_work = {.rows = work_rows};

static bool read_equal(const struct gate_option_use *use, struct gate_error *err) {
    int index = 0;
    struct gate_option_use word = *use;
    word.out = &index;
    if (!gate_option_value_word(&word, err))
        return false;
    *(enum gate_equal *)use->out = (enum gate_equal)(GATE_EQUAL_WORK + index);
    return true;
}

static const struct gate_option equal_rows[] = {
    {"equal", 0, "WHAT",
     "what is equal on both sides, so that costs are compared and not only shares: time (the same load), run (each "
     "profile is one whole execution of the same task), work (--work), or share (nothing; only shares are compared). "
     "Default: as in the rules, else the work if it is given",
     read_equal, JUDGE_AT(equal), gate_equal_words + GATE_EQUAL_WORK},
    {0},
};

const struct gate_option_group gate_judge_options_equal = {.rows = equal_rows};

static const struct gate_option noise_rows[] = {
    {"noise", 0, "FILE", "noise model of runs of one build, from `pprofgate calibrate`; one file per sample type",
     gate_option_value_path, JUDGE_AT(noise)},
    {0},
};

const struct gate_option_group gate_judge_options_noise = {.rows = noise_rows};

static const struct gate_option history_rows[] = {
    {"history", 0, "PATH",
     "an earlier canary of this change, or a folder of them by name, oldest first: for budgets that `sustain`",
     gate_option_value_path, JUDGE_AT(history)},
    {0},
};

const struct gate_option_group gate_judge_options_history = {.rows = history_rows};

#define STORE_AT(field) .at = offsetof(struct gate_store_options, field)

static bool read_fact(const struct gate_option_use *use, struct gate_error *err) {
    struct gate_store_options *options = use->out;
    struct gate_str text = gate_str_from(use->value);
    size_t equals = gate_str_find(text, GATE_STR("="), 0);
    if (equals == SIZE_MAX || equals == 0 || equals > GATE_RECORD_NAME_MAX)
        return gate_error_set(err, GATE_ERR_USAGE, "option '--fact': expected KEY=VALUE such as go=1.26, found '%s'",
                              use->value);
    return GATE_APPEND(
        use->arena, options->facts, options->fact_count, options->fact_capacity, err,
        (struct gate_record_fact){gate_str_slice(text, 0, equals), gate_str_slice(text, equals + 1, text.len)});
}

static const struct gate_option place_rows[] = {
    {"store", 0, "DIR", "the folder of accepted baselines", gate_option_value_text, STORE_AT(store),
     .output = GATE_OPTION_STORE},
    {"service", 0, "NAME", "service name of the baselines", gate_option_value_text, STORE_AT(service)},
    {"environment", 0, "NAME", "environment, such as ci or staging (default: default)", gate_option_value_text,
     STORE_AT(environment)},
    {0},
};

const struct gate_option_group gate_store_options_place = {.rows = place_rows};

static const struct gate_option folder_rows[] = {{"store", 0, "DIR", "the folder of accepted baselines",
                                                  gate_option_value_text, STORE_AT(store), .output = GATE_OPTION_STORE},
                                                 {0}};

const struct gate_option_group gate_store_options_folder = {.rows = folder_rows};

static const struct gate_option reading_rows[] = {
    {"store-in-checkout", 0, NULL, "read the store even if git tracks files in it, which a change could edit",
     gate_option_value_flag, STORE_AT(may_be_tracked)},
    {0},
};

/* Returns the need for programs: reading a store runs git. */
static unsigned reading_needs(const void *options) {
    return ((const struct gate_store_options *)options)->store == NULL ? 0 : GATE_NEEDS_PROGRAMS;
}

const struct gate_option_group gate_store_options_reading = {.rows = reading_rows, .needs = reading_needs};

static const struct gate_option change_rows[] = {
    {"revision", 0, "REV", "revision of the profiles (default: the commit of this checkout)", gate_option_value_text,
     STORE_AT(revision)},
    {"fact", 0, "KEY=VALUE", "fact about the build or the machine, such as go=1.26 or cpu_model=...; may be repeated",
     read_fact, .at = 0},
    {"elsewhere", 0, NULL, "the profiles come from another machine: record no facts of this one",
     gate_option_value_flag, STORE_AT(is_elsewhere)},
    {0},
};

const struct gate_option_group gate_store_options_change = {.rows = change_rows};

#define WINDOW_AT(field) .at = offsetof(struct gate_backend_windows, field)

static const struct gate_option when_rows[] = {
    {"window", 0, "WINDOW",
     "time window of the profiles in a store, pyroscope+http://host:4040?query={service_name=\"shop\"} or parca+...: "
     "'last 30m', -1h..now, 2026-11-22T06:00:00Z..now",
     gate_option_value_text, WINDOW_AT(window)},
    {"from", 0, "TIME",
     "or its beginning: -30m, now-1w, 2026-11-22T06:00:00Z or Unix seconds; an address may have its own, &from=TIME",
     gate_option_value_text, WINDOW_AT(from)},
    {"to", 0, "TIME", "and its end (default: now)", gate_option_value_text, WINDOW_AT(to)},
    {0},
};

const struct gate_option_group gate_backend_windows_options = {.heading = "Profiles from a store:", .rows = when_rows};

static const struct gate_option query_rows[] = {
    {"baseline-ago", 0, "TIME", "shift the baseline's window back in time: 1w is a week earlier",
     gate_option_value_text, WINDOW_AT(baseline_ago)},
    {"work-query", 0, "PROMQL",
     "work done in each slice of the window, from Prometheus, such as "
     "'sum(increase(http_requests_total{version=\"1.4\"}[{window}]))'",
     gate_option_value_text, WINDOW_AT(work_query)},
    {"work-query-canary", 0, "PROMQL", "query of the canary, if it differs", gate_option_value_text,
     WINDOW_AT(work_query_canary)},
    {"work-query-url", 0, "URL", "URL of Prometheus, such as http://prometheus:9090", gate_option_value_text,
     WINDOW_AT(work_url)},
    {0},
};

const struct gate_option_group gate_backend_windows_work = {.rows = query_rows};

static const struct gate_option settle_rows[] = {
    {"settle", 0, "SECONDS",
     "wait after the end of each round, so that agents have sent their profiles to the store (default 20)",
     gate_option_value_positive, WINDOW_AT(settle_seconds)},
    {0},
};

const struct gate_option_group gate_backend_windows_coming = {.heading = "Profiles from a store:", .rows = settle_rows};

enum { SECONDS_MAX = 3600, RETRIES_MAX = 100, ANSWER_BYTES = 256 * 1024 * 1024 };

static const char *const redirect_words[] = {"same", "any", NULL};

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

#define CAPTURE_AT(field) .at = offsetof(struct gate_capture_options, field)

static const struct gate_option what_rows[] = {
    {"baseline", 0, "URL",
     "the baseline: http://host:6060, https://..., unix:///run/app.sock, or the whole address of a profile; once for "
     "each replica, and each is a run",
     gate_option_value_path, CAPTURE_AT(urls[GATE_BASELINE])},
    {"canary", 0, "URL", "the canary, likewise", gate_option_value_path, CAPTURE_AT(urls[GATE_CANARY])},
    {"kind", 'k', "KIND,...",
     "cpu (default), heap, allocs, mutex, block, goroutine and wall, one after another, as Go's net/http/pprof and "
     "fgprof serve them",
     gate_option_value_text, CAPTURE_AT(kinds), gate_capture_kind_words},
    {"seconds", 's', "N", "duration of each profile (default 30)", read_seconds, CAPTURE_AT(seconds)},
    {"warm-up", 0, "SECONDS", "wait before the first profile", gate_option_value_positive, CAPTURE_AT(warm_up_seconds)},
    {"kubeconfig", 0, "FILE",
     "the cluster of addresses such as k8s://prod/shop:6060 and k8s://prod/pods:6060?selector=app=shop (default: "
     "KUBECONFIG, the pod's own account, ~/.kube/config)",
     gate_option_value_text, CAPTURE_AT(kubeconfig)},
    {"kube-context", 0, "NAME", "context in that file (default: its current one)", gate_option_value_text,
     CAPTURE_AT(kube_context)},
    {"work-metric", 0, "COUNTER",
     "work done in each run: the increase of a Prometheus counter, such as 'http_requests_total{code=\"200\"}', summed "
     "over its series",
     gate_option_value_text, CAPTURE_AT(work_metric)},
    {"work-by", 0, "LABEL", "read the work by the values of a label that the samples have, such as endpoint",
     gate_option_value_text, CAPTURE_AT(work_by)},
    {"work-url-baseline", 0, "URL", "URL of the baseline's counter (default: /metrics beside its profile)",
     gate_option_value_path, CAPTURE_AT(work_urls[GATE_BASELINE])},
    {"work-url-canary", 0, "URL", "URL of the canary's counter", gate_option_value_path,
     CAPTURE_AT(work_urls[GATE_CANARY])},
    {0},
};

/* Return what capturing needs besides files (base/sandbox.h): always the network. For a Kubernetes address also
 * programs, because the cluster's configuration may name a command that prints credentials. Programs are needed only
 * until gate_capture_options_finish returns. */
static unsigned capture_needs(const void *given) {
    const struct gate_capture_options *options = given;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < options->urls[side].count; i++)
            if (gate_kube_address_is(gate_str_from(options->urls[side].items[i])))
                return GATE_NEEDS_NETWORK | GATE_NEEDS_PROGRAMS;
    return GATE_NEEDS_NETWORK;
}

const struct gate_option_group gate_capture_options_what = {.rows = what_rows, .needs = capture_needs};

static const struct gate_option how_rows[] = {
    {"timeout", 0, "SECONDS", "timeout of an answer, in addition to the time its profile takes (default 30)",
     gate_option_value_positive, CAPTURE_AT(timeout_seconds)},
    {"connect-timeout", 0, "SECONDS", "connection timeout (default 5)", gate_option_value_positive,
     CAPTURE_AT(connect_seconds)},
    {"retries", 0, "N", "retries of a request that failed for a moment (default 4)", read_retries, CAPTURE_AT(retries)},
    {"max-bytes", 0, "SIZE", "largest answer (default 256M)", gate_option_value_size, CAPTURE_AT(max_bytes)},
    {"token-env", 0, "NAME", "bearer token: environment variable that contains it", gate_option_value_text,
     CAPTURE_AT(credentials.token_env)},
    {"token-file", 0, "FILE", "bearer token: file that contains it", gate_option_value_text,
     CAPTURE_AT(credentials.token_file)},
    {"user-file", 0, "FILE", "basic authentication: file that contains USER:PASSWORD", gate_option_value_text,
     CAPTURE_AT(credentials.user_file)},
    {"tenant", 0, "ID", "tenant, sent as X-Scope-OrgID", gate_option_value_text, CAPTURE_AT(credentials.tenant)},
    {"follow-redirects", 0, "WHERE", "same (default): only to the same server; any: also to others, without the token",
     gate_option_value_word, CAPTURE_AT(follow_redirects), redirect_words},
    {"ca-file", 0, "FILE", "CA certificates (default: the system's)", gate_option_value_text, CAPTURE_AT(ca_file)},
    {"insecure", 0, NULL, "do not verify certificates", gate_option_value_flag, CAPTURE_AT(is_insecure)},
    {0},
};

static void capture_begin(void *options) {
    *(struct gate_capture_options *)options = (struct gate_capture_options){.kinds = "cpu",
                                                                            .seconds = 30,
                                                                            .timeout_seconds = 30,
                                                                            .connect_seconds = 5,
                                                                            .retries = 4,
                                                                            .max_bytes = ANSWER_BYTES};
}

const struct gate_option_group gate_capture_options_how = {
    .heading = "Connection:", .rows = how_rows, .begin = capture_begin};

const struct gate_option_group gate_capture_options_stores = {
    .heading = "Profile store connection:", .rows = how_rows, .is_rare = true, .begin = capture_begin};

/* GitHub rejects comments above 65,536 characters; GitLab accepts more. */
enum { MARKDOWN_BYTES = 60000 };

#define REPORT_AT(field) .at = offsetof(struct gate_reports, field)

/* Read --frames: N, 0 for none, or `all`. Writes uint32_t frame_limit. */
static bool read_frames(const struct gate_option_use *use, struct gate_error *err) {
    uint32_t *limit = use->out;
    uint64_t number = 0;
    *limit = 0;
    if (strcmp(use->value, "all") == 0)
        return true;
    if (!gate_option_value_whole(&number, use->value))
        return gate_error_set(err, GATE_ERR_USAGE, "option '--%s': expected a number of rows or 'all', found '%s'",
                              use->option->name, use->value);
    if (number < GATE_REPORT_NO_FRAMES) /* a larger number means all frames */
        *limit = number == 0 ? GATE_REPORT_NO_FRAMES : (uint32_t)number;
    return true;
}

bool gate_reports_read_row_limit(const struct gate_option_use *use, struct gate_error *err) {
    struct gate_row_limit *limit = use->out;
    struct gate_option_use rows = *use;
    limit->is_given = true;
    rows.out = &limit->rows;
    return read_frames(&rows, err);
}

/* Accepts web addresses only, so that the links of a page are safe. */
bool gate_reports_read_source_url(const struct gate_option_use *use, struct gate_error *err) {
    const char **url = use->out;
    bool is_web = strncmp(use->value, "https://", 8) == 0 || strncmp(use->value, "http://", 7) == 0;
    if (!is_web || strstr(use->value, "{path}") == NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--%s': expected an http or https address with {path} in it, and {line} for the "
                              "line, found '%s'",
                              use->option->name, use->value);
    *url = use->value;
    return true;
}

/* Returns "the usual set: report.json, junit.xml, ..." */
static struct gate_str folder_help(struct gate_arena *arena) {
    struct gate_str help = GATE_STR("the usual set");
    const char *between = ": ";
    for (size_t i = 0; gate_report_formats[i] != NULL && help.ptr != NULL; i++) {
        if (gate_report_formats[i]->file == NULL)
            continue;
        help = gate_str_format(arena, "%.*s%s%s", GATE_STR_ARG(help), between, gate_report_formats[i]->file);
        between = ", ";
    }
    return help;
}

/* Read a path that may be given once. Writes const char *. */
static bool read_report_path(const struct gate_option_use *use, struct gate_error *err) {
    const char **path = use->out;
    if (*path != NULL)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--%s' is given twice ('%s' and '%s'); a report goes to one file",
                              use->option->name, *path, use->value);
    *path = use->value;
    return true;
}

/* Makes the row of the format at `index` among the rare ones, or among the others; the row is empty past the end. */
static void format_row(struct gate_option *out, size_t index, bool is_rare) {
    size_t at = 0;
    for (; gate_report_formats[at] != NULL; at++)
        if (gate_report_formats[at]->is_rare == is_rare && index-- == 0)
            break;
    *out = (struct gate_option){0};
    if (gate_report_formats[at] == NULL)
        return;
    *out = gate_option_of_file(gate_report_formats[at]->name, gate_report_formats[at]->help,
                               offsetof(struct gate_reports, paths) + at * sizeof(const char *));
    out->read = read_report_path;
}

/* Makes the row of --report (index 0), or of the option of a format. */
static bool file_row(struct gate_option *out, size_t index, struct gate_arena *arena) {
    if (index > 0) {
        format_row(out, index - 1, false);
        return true;
    }
    *out = (struct gate_option){"report",
                                0,
                                "DIR",
                                folder_help(arena).ptr,
                                gate_option_value_text,
                                REPORT_AT(folder),
                                .output = GATE_OPTION_FOLDER};
    return out->help != NULL;
}

static bool rare_file_row(struct gate_option *out, size_t index, struct gate_arena *arena) {
    (void)arena;
    format_row(out, index, true);
    return true;
}

const struct gate_option_group gate_reports_files = {.heading = "Reports (FILE may be -, standard output):",
                                                     .row = file_row};

const struct gate_option_group gate_reports_more_files = {
    .heading = "More reports:", .row = rare_file_row, .is_rare = true};

static const char *const flavor_words[] = {[GATE_JUNIT_RICH] = "rich", [GATE_JUNIT_STRICT] = "strict", NULL};

static const char *const inconclusive_words[] = {
    [GATE_JUNIT_BY_RULES] = "auto", [GATE_JUNIT_SKIPPED] = "skipped", [GATE_JUNIT_ERROR] = "error", NULL};

static const char *const annotation_words[] = {
    [GATE_ANNOTATIONS_AUTO] = "auto", [GATE_ANNOTATIONS_ALWAYS] = "always", [GATE_ANNOTATIONS_NEVER] = "never", NULL};

/* Accepts only addresses that are safe in a Markdown link between < and >: nothing that ends the link or has another
 * scheme. */
static bool read_report_url(const struct gate_option_use *use, struct gate_error *err) {
    const char **url = use->out;
    if (!gate_reports_is_link(use->value))
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--%s': expected a link that begins with https:// or http://, with no spaces, "
                              "found '%s'",
                              use->option->name, use->value);
    *url = use->value;
    return true;
}

static const struct gate_option detail_rows[] = {
    {"junit-flavor", 0, "HOW", "rich (default), or strict: only what Jenkins' schema accepts", gate_option_value_word,
     REPORT_AT(junit_flavor), flavor_words},
    {"junit-inconclusive", 0, "HOW",
     "undecided budgets: skipped or error (default: skipped if on_inconclusive lets it pass, else error)",
     gate_option_value_word, REPORT_AT(junit_inconclusive), inconclusive_words},
    {"report-url", 0, "URL",
     "URL of the published report, for the link in the Markdown (default: the run, in GitHub Actions and GitLab CI)",
     read_report_url, REPORT_AT(url)},
    {"github-annotations", 0, "WHEN", "workflow commands on standard output: auto (in GitHub Actions), always or never",
     gate_option_value_word, REPORT_AT(annotations), annotation_words},
    {"frames", 0, "N|all", "rows of the frame tables (default 100; 0: none)", read_frames,
     REPORT_AT(options.frame_limit)},
    {"min-share", 0, "PERCENT", "smallest box of a flame graph (default 0.1; 0: all)", gate_option_value_percent,
     REPORT_AT(options.min_share)},
    {"source-url", 0, "URL",
     "URL of the sources, for links of the HTML page and the Markdown, such as https://HOST/.../{path}#L{line} "
     "(default of the Markdown: this commit, in GitHub Actions and GitLab CI)",
     gate_reports_read_source_url, REPORT_AT(options.source_url)},
    {"quiet", 'q', NULL, "only the verdict and the broken budgets", gate_option_value_flag, REPORT_AT(options.quiet)},
    {0},
};

static void reports_begin(void *options) {
    *(struct gate_reports *)options = (struct gate_reports){
        .options = {
            .frame_limit = 100, .min_share = GATE_COMPARISON_TREE_SHARE, .columns = 80, .byte_limit = MARKDOWN_BYTES}};
}

const struct gate_option_group gate_reports_details = {.rows = detail_rows, .begin = reports_begin};

static const struct gate_option rules_from_rows[] = {
    {"rules-from", 0, "REV",
     "read the rules and noise models of the checkout from revision REV, such as the base of a change; edits of them "
     "by the change are reported",
     gate_option_value_text, .at = offsetof(struct gate_rules_from, revision)},
    {0},
};

static unsigned rules_from_needs(const void *options) {
    return gate_rules_from_needs(options);
}

const struct gate_option_group gate_rules_from_options = {.rows = rules_from_rows, .needs = rules_from_needs};

static const struct gate_option acceptance_rows[] = {
    {"accepted", 0, "TEXT",
     "pass although a budget is broken, since somebody accepts the growth of this commit: 'COMMIT by WHO: REASON'; "
     "only for the commit of --head, and never if the sides cannot be compared",
     gate_option_value_text, .at = offsetof(struct gate_acceptance_options, accepted)},
    {"head", 0, "COMMIT", "the commit that is judged, with all its digits, for --accepted", gate_option_value_text,
     .at = offsetof(struct gate_acceptance_options, head)},
    {0},
};

const struct gate_option_group gate_acceptance_group = {.heading = "Accepting an intended growth (docs/trust.md):",
                                                        .rows = acceptance_rows};

static const struct gate_option ledger_rows[] = {
    {"ledger", 0, "FILE",
     "file that counts the looks at this change: a rerun with the same FILE is the next look, at all runs together, "
     "within one error budget",
     gate_option_value_text, .at = offsetof(struct gate_ledger_options, path), .output = GATE_OPTION_FILE},
    {"looks", 0, "N", "maximum number of looks at a change (default 2)", gate_option_value_count32,
     .at = offsetof(struct gate_ledger_options, looks)},
    {"change", 0, "NAME",
     "name of the change, such as a revision; another name starts a new ledger (default: build ids)",
     gate_option_value_text, .at = offsetof(struct gate_ledger_options, change)},
    {0},
};

const struct gate_option_group gate_ledger_file_options = {.heading = "Looking more than once:", .rows = ledger_rows};

static const struct gate_option accepted_rows[] = {
    {"accept-first", 0, NULL, "if no baseline is accepted yet, accept the canary as the first one, without judging it",
     gate_option_value_flag, .at = offsetof(struct gate_stored_baseline, accept_first)},
    {0},
};

const struct gate_option_group gate_stored_baseline_group = {.heading = "A baseline from a store (docs/baselines.md):",
                                                             .rows = accepted_rows};

#define DECISION_AT(field) .at = offsetof(struct gate_decision, field)

static const struct gate_option rules_rows[] = {
    {"rules", 'r', "FILE",
     "the budgets: a file, or a preset such as recommended or strict (default: .pprofgate.yml, else recommended)",
     gate_option_value_text, DECISION_AT(rules)},
    {0},
};

const struct gate_option_group gate_decision_rules = {.rows = rules_rows};

static const struct gate_option inconclusive_rows[] = {
    {"on-inconclusive", 0, "WHAT",
     "outcome of an inconclusive run: pass, warn, fail or inconclusive (default: as in the rules)",
     gate_option_value_word, DECISION_AT(on_inconclusive), gate_on_inconclusive_words},
    {0},
};

static void inconclusive_begin(void *options) {
    ((struct gate_decision *)options)->on_inconclusive = -1;
}

const struct gate_option_group gate_decision_inconclusive = {.rows = inconclusive_rows, .begin = inconclusive_begin};

/* ---- the command line that repeats a decision -------------------------------------------------------------------- */

static void command_word(struct gate_buf *text, const char *word) {
    gate_buf_char(text, ' ');
    gate_escape_shell(text, gate_str_from(word));
}

/* Returns the row of the option in `word`, which may contain its value. */
static const struct gate_option *row_of(const struct gate_option_group *group, const char *word) {
    for (const struct gate_option *row = group->rows; row->name != NULL; row++) {
        size_t len = strlen(row->name);
        bool is_long = strncmp(word, "--", 2) == 0 && strncmp(word + 2, row->name, len) == 0 &&
                       (word[2 + len] == '\0' || word[2 + len] == '=');
        if (is_long || (row->letter != 0 && word[0] == '-' && word[1] == row->letter))
            return row;
    }
    return NULL;
}

/* Returns the number of words to leave out, starting with `word`; 0: keep `word`. */
static int words_of(const struct gate_decision_without *without, const char *word) {
    for (uint32_t i = 0; without->arguments != NULL && i < without->arguments->count; i++)
        if (without->arguments->items[i] == word)
            return 1;
    for (size_t g = 0; without->groups[g] != NULL; g++) {
        const struct gate_option *row = row_of(without->groups[g], word);
        if (row == NULL)
            continue;
        bool holds_value = word[1] == '-' ? strchr(word, '=') != NULL : word[2] != '\0';
        return row->value_name == NULL || holds_value ? 1 : 2;
    }
    return strcmp(word, "--") == 0 ? 1 : 0;
}

bool gate_decision_command(struct gate_decision *decision, const char *dir, const struct gate_decision_without *without,
                           struct gate_session *session, struct gate_error *err) {
    struct gate_buf text = {0};
    gate_buf_text(&text, "pprofgate check");
    if (dir != NULL)
        command_word(&text, dir);
    for (int i = 0; i < session->argc;) {
        int words = without == NULL ? 0 : words_of(without, session->argv[i]);
        if (words == 0)
            command_word(&text, session->argv[i]);
        i += words == 0 ? 1 : words;
    }
    return gate_buf_keep_into(&decision->judging.command, &text, session->arena, err);
}
