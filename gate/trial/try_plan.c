/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of a trial. */
#include "gate/trial/try_plan.h"

#include "gate/base/str.h"
#include "gate/rules/rules.h"

#include <stdio.h>

/* Commands of a preset; NULL: none. "{}" is replaced by the package or the script. It is not quoted, so the shell
 * interprets it. */
struct preset {
    const char *build, *run, *profile_url, *suffix;
    double seconds;
    const char *argument; /* replaces "{}" if the section names no package or script */
};

static const struct preset presets[] = {
    [GATE_TRY_COMMAND] = {.seconds = 10},
    /* A benchmark runs in its package's folder, as `go test` does it. */
    [GATE_TRY_GO_BENCH] = {.build = "go test -c -o \"$PPROFGATE_BUILD/bench.test\" {} && "
                                    "go list -f '{{.Dir}}' {} >\"$PPROFGATE_BUILD/directory\"",
                           .suffix = ".pb.gz",
                           .seconds = 2,
                           .argument = "."},
    [GATE_TRY_GO_SERVER] = {.build = "go build -o \"$PPROFGATE_BUILD/server\" {}",
                            .run = "exec \"$PPROFGATE_BUILD/server\"",
                            .profile_url = "http://127.0.0.1:6060/debug/pprof/profile",
                            .suffix = ".pb.gz",
                            .seconds = 10,
                            .argument = "."},
    [GATE_TRY_NODE] = {.run = "exec node --cpu-prof --cpu-prof-dir=\"$PPROFGATE_OUT\" "
                              "--cpu-prof-name=\"${PPROFGATE_PROFILE##*/}\" {}",
                       .suffix = ".cpuprofile",
                       .seconds = 10},
    [GATE_TRY_PY_SPY] = {.run = "exec py-spy record --format raw -o \"$PPROFGATE_PROFILE\" -- python3 {}",
                         .suffix = ".collapsed",
                         .seconds = 10},
};

/* Return a copy of `text` with a NUL at the end; NULL if `text` is empty. If the arena is full, return NULL and clear
 * `*ok`. */
static const char *plan_text(struct gate_str text, bool *ok, struct gate_arena *arena) {
    if (text.len == 0)
        return NULL;
    struct gate_str copy = gate_str_copy(arena, text);
    *ok = *ok && copy.ptr != NULL;
    return copy.ptr;
}

/* Return `given`; if it is empty, the preset's command with `argument` in place of "{}". */
static const char *plan_command(struct gate_str given, const char *preset, struct gate_str argument, bool *ok,
                                struct gate_arena *arena) {
    if (given.len != 0 || preset == NULL)
        return plan_text(given, ok, arena);
    struct gate_str text = gate_str_from(preset);
    for (size_t at = 0; (at = gate_str_find(text, GATE_STR("{}"), at)) != SIZE_MAX; at += argument.len) {
        const struct gate_str parts[] = {gate_str_slice(text, 0, at), argument, gate_str_slice(text, at + 2, text.len)};
        text = gate_str_concat(arena, parts, 3);
        if (text.ptr == NULL) {
            *ok = false;
            return NULL;
        }
    }
    return text.ptr;
}

/* Return HOST:PORT of a URL. */
static const char *plan_host(const char *url, bool *ok, struct gate_arena *arena) {
    struct gate_str text = gate_str_from(url);
    bool is_secure = gate_str_starts(text, GATE_STR("https:"));
    struct gate_str rest = gate_str_slice(text, gate_str_find(text, GATE_STR("://"), 0) + 3, text.len);
    size_t end = 0, at = SIZE_MAX;
    while (end < rest.len && strchr("/?#", rest.ptr[end]) == NULL)
        end++;
    for (size_t i = 0; i < end; i++)
        at = rest.ptr[i] == '@' ? i : at;
    struct gate_str host = gate_str_slice(rest, at == SIZE_MAX ? 0 : at + 1, end);
    bool has_port = false;
    for (size_t i = host.len; i > 0 && host.ptr[i - 1] != ']' && !has_port; i--)
        has_port = host.ptr[i - 1] == ':';
    struct gate_str whole = gate_str_format(arena, "%.*s%s", GATE_STR_ARG(host),
                                            has_port    ? ""
                                            : is_secure ? ":443"
                                                        : ":80");
    *ok = *ok && whole.ptr != NULL;
    return whole.ptr;
}

static bool plan_env(struct gate_try_plan *out, const struct gate_try_rules *section, struct gate_arena *arena) {
    const char **env = GATE_NEW_ARRAY(arena, const char *, (size_t)section->env_count + 1);
    for (uint32_t i = 0; env != NULL && i < section->env_count; i++) {
        const struct gate_try_variable *variable = &section->env[i];
        const struct gate_str parts[] = {variable->name, GATE_STR("="), variable->value};
        env[i] = gate_str_concat(arena, parts, 3).ptr;
        if (env[i] == NULL)
            return false;
    }
    out->env = env;
    return env != NULL;
}

/* Set the source of the profile: a URL, a glob for a file, or PPROFGATE_PROFILE. */
static void plan_profile(struct gate_try_plan *out, const struct gate_try_rules *section, const struct preset *preset,
                         bool *ok, struct gate_arena *arena) {
    const char *profile = plan_text(section->profile, ok, arena);
    bool is_url = gate_try_rules_is_url(section->profile);
    out->profile_url = is_url ? profile : profile == NULL ? preset->profile_url : NULL;
    out->profile_glob = is_url ? NULL : profile;
    if (out->profile_url == NULL)
        return;
    out->ready = plan_text(section->ready, ok, arena);
    if (out->ready == NULL)
        out->ready = plan_host(out->profile_url, ok, arena);
}

bool gate_try_plan_make(struct gate_try_plan *out, const struct gate_try_rules *section,
                        const struct gate_try_plan_options *options, struct gate_arena *arena, struct gate_error *err) {
    const struct preset *preset = &presets[section->preset];
    bool ok = true;
    *out = (struct gate_try_plan){.preset = (enum gate_try_preset)section->preset, .suffix = preset->suffix};
    if (out->suffix == NULL)
        out->suffix = "";
    if (!section->is_given)
        return gate_error_set(err, GATE_ERR_CONFIG,
                              "%.*s has no section 'try' with the build and run commands; for a Go package with "
                              "benchmarks it is: 'try: {preset: go-bench}'",
                              GATE_STR_ARG(options->rules_name));
    if (options->bench != NULL && section->preset != GATE_TRY_GO_BENCH)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--bench' is for the preset 'go-bench', and this one is '%s'",
                              gate_try_preset_words[section->preset]);
    if (options->rounds > GATE_TRY_ROUNDS_MAX)
        return gate_error_set(err, GATE_ERR_USAGE, "option '--rounds': expected at most %d, found %u",
                              (int)GATE_TRY_ROUNDS_MAX, (unsigned)options->rounds);
    struct gate_str argument = section->package.len != 0 ? section->package : section->script;
    if (argument.len == 0 && preset->argument != NULL)
        argument = gate_str_from(preset->argument);
    out->build = plan_command(section->build, preset->build, argument, &ok, arena);
    out->run = plan_command(section->run, preset->run, argument, &ok, arena);
    out->load = plan_text(section->load, &ok, arena);
    out->bench = options->bench != NULL ? options->bench : plan_text(section->bench, &ok, arena);
    if (out->bench == NULL)
        out->bench = ".";
    plan_profile(out, section, preset, &ok, arena);
    out->work = section->work;
    out->work_regex = section->work_regex;
    out->seconds = options->seconds > 0 ? options->seconds : section->seconds > 0 ? section->seconds : preset->seconds;
    out->timeout_seconds = section->timeout > 0 ? section->timeout : GATE_TRY_TIMEOUT_SECONDS;
    out->rounds = options->rounds > 0 ? options->rounds : section->rounds > 0 ? (uint32_t)section->rounds : 0;
    if (out->rounds == 0)
        out->rounds = GATE_TRY_ROUNDS;
    return (ok && plan_env(out, section, arena)) || gate_arena_error(arena, err);
}
