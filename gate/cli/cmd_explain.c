/* SPDX-License-Identifier: Apache-2.0 */
/* The command `explain`: shows every number of the decision on a frame. */
#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/capture/manifest.h"
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/cli/options.h"
#include "gate/report/explain.h"
#include "gate/rules/rules.h"
#include "gate/session/debuginfod.h"
#include "gate/session/judge.h"
#include "gate/session/manifest_dir.h"
#include "gate/session/rules_in_force.h"
#include "gate/session/session.h"

enum { FRAMES_MAX = 10 };

/* Options of `explain`. */
struct explain {
    struct gate_profile_options profiles;
    struct gate_judge_options judging;
    struct gate_rules_from from;
    const char *rules; /* --rules, or the first argument; NULL: as for check */
    const char *frame; /* --frame, or the first argument; NULL: the worst */
};

#define AT(field) .at = offsetof(struct explain, field)

static const struct gate_option frame_rows[] = {
    {"frame", 0, "NAME",
     "the frame: its name, or a pattern that matches it (default: what broke a budget, or moved most)",
     gate_option_value_text, AT(frame)},
    {"rules", 'r', "FILE", "the rules: a file or a preset (default: as for check)", gate_option_value_text, AT(rules)},
    {0},
};

static const struct gate_option_group frame_group = {.rows = frame_rows};

static const struct gate_option_binding options[] = {
    {&frame_group, 0},
    {&gate_rules_from_options, AT(from)},
    {&gate_profile_options_sides, AT(profiles)},
    {&gate_profile_options_pair, AT(profiles)},
    {&gate_judge_options_equal, AT(judging)},
    {&gate_judge_options_work, AT(judging)},
    {&gate_judge_options_noise, AT(judging)},
    {&gate_judge_options_history, AT(judging)},
    {&gate_profile_options_by, AT(profiles)},
    {&gate_profile_options_read, AT(profiles)},
    {&gate_symbol_options_group, AT(profiles.symbols)},
    {&gate_profile_options_limits, AT(profiles)},
    {NULL, 0},
};

static const char usage[] = "Usage: pprofgate explain [options] [FRAME] BASELINE CANARY\n"
                            "       pprofgate explain [options] [FRAME] DIR\n"
                            "\n"
                            "Shows, for a frame, which budgets see it and every number of their decision.\n"
                            "FRAME is its name, or a pattern that matches it; DIR is what `pprofgate\n"
                            "capture` wrote. A rules file or a preset in place of FRAME is read as --rules.\n"
                            "Nothing is gated: the exit status is 0.\n"
                            "\n"
                            "Options:\n";

static const struct gate_example examples[] = {
    {"the worst frame", "pprofgate explain baseline.pb.gz canary.pb.gz"},
    {"one function, by another preset", "pprofgate explain -r strict main.priceRound baseline.pb.gz canary.pb.gz"},
    {NULL, NULL}};

/* Returns the default frame: that of the worst cause, else the one that changed most. GATE_NO_INDEX: there are no
 * frames. */
static uint32_t explain_unnamed(const struct gate_verdict *verdict, uint32_t index) {
    for (uint32_t i = 0; i < verdict->causes.count; i++) {
        const struct gate_cause *cause = gate_cause_in(&verdict->causes.items[i], index);
        if (cause != NULL && cause->frame != GATE_NO_INDEX)
            return cause->frame;
    }
    const struct gate_comparison *comparison = &verdict->comparisons[index];
    return comparison->pair.frame_count > 0 ? comparison->order[GATE_CHARGED][0] : GATE_NO_INDEX;
}

static bool is_name(struct gate_str name, const char *word, const struct gate_regex *pattern) {
    return gate_str_equal(name, gate_str_from(word)) ||
           (pattern != NULL && gate_regex_match(pattern, name) == GATE_REGEX_YES);
}

/* Return whether a word is a frame's name or matches it; also its name in the baseline, if it moved. */
static bool is_named(const struct gate_frame *frame, const char *word, const struct gate_regex *pattern) {
    return is_name(frame->name, word, pattern) || (frame->old_name.len > 0 && is_name(frame->old_name, word, pattern));
}

/* Explains the frames of one comparison that match by name or pattern, or the default frame. */
static bool explain_comparison(struct gate_buf *out, uint32_t *shown, const struct gate_verdict *verdict,
                               uint32_t index, const char *frame, const struct gate_regex *pattern,
                               struct gate_session *session, struct gate_error *err) {
    const struct gate_comparison *comparison = &verdict->comparisons[index];
    uint32_t unnamed = explain_unnamed(verdict, index);
    for (uint32_t i = 0; i < comparison->pair.frame_count && *shown < FRAMES_MAX; i++) {
        uint32_t at = comparison->order[GATE_CHARGED][i];
        bool wanted = frame == NULL ? at == unnamed : is_named(&comparison->pair.frames[at], frame, pattern);
        if (!wanted)
            continue;
        gate_buf_text(out, *shown == 0 ? "" : "\n");
        const struct gate_explain_frame what = {index, at, gate_session_columns(session->out, GATE_WRAP_COLUMNS)};
        if (!gate_report_explain(out, verdict, &what, session->arena, err))
            return false;
        ++*shown;
    }
    return true;
}

/* Append the other inputs of the verdict on a comparison: the totals and the growth of all own functions. */
static bool explain_readings(struct gate_buf *out, const struct gate_verdict *verdict, uint32_t index,
                             struct gate_session *session, struct gate_error *err) {
    gate_buf_char(out, '\n');
    return gate_report_explain_readings(out, verdict, index, gate_session_columns(session->out, GATE_WRAP_COLUMNS),
                                        session->arena, err);
}

/* Explains the frames in each comparison that has them. The readings of these comparisons follow. */
static bool explain_frames(struct gate_buf *out, const struct gate_verdict *verdict, const char *frame,
                           struct gate_session *session, struct gate_error *err) {
    struct gate_regex *pattern = NULL;
    struct gate_error ignored = {0};
    struct gate_buf readings = {0};
    uint32_t shown = 0;
    if (frame != NULL && !gate_regex_compile(&pattern, gate_str_from(frame), &ignored))
        pattern = NULL; /* a name such as "main.(*T" is not a pattern, and is compared as a name */
    bool ok = true;
    for (uint32_t c = 0; ok && c < verdict->comparison_count; c++) {
        uint32_t before = shown;
        ok = explain_comparison(out, &shown, verdict, c, frame, pattern, session, err) &&
             (shown == before || explain_readings(&readings, verdict, c, session, err));
    }
    gate_regex_free(pattern);
    if (ok && shown == 0)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "no frame on either side matches '%s'; `pprofgate diff` lists the frames",
                              frame == NULL ? "" : frame);
    if (ok && shown == FRAMES_MAX)
        gate_buf_printf(out, "\nThe first %d frames; name one exactly to see another.\n", FRAMES_MAX);
    gate_buf_str(out, gate_buf_view(&readings));
    gate_buf_free_part(out, &readings);
    return ok;
}

/* Return whether a word names rules: a preset, a YAML file, or standard input. */
static bool is_rules(const char *word, struct gate_arena *arena) {
    const char *const *presets = gate_preset_names(arena);
    for (size_t i = 0; presets != NULL && presets[i] != NULL; i++)
        if (strcmp(presets[i], word) == 0)
            return true;
    struct gate_str name = gate_str_from(word);
    return gate_str_ends(name, GATE_STR(".yml")) || gate_str_ends(name, GATE_STR(".yaml")) || strcmp(word, "-") == 0;
}

/* Return how many of the arguments are profiles. */
static size_t profile_arguments(const struct gate_profile_options *profiles, struct gate_arena *arena) {
    const struct gate_paths *arguments = &profiles->arguments;
    if (profiles->pairs.count != 0 || profiles->paths[GATE_BASELINE].count != 0 ||
        profiles->paths[GATE_CANARY].count != 0)
        return 0;
    bool has_folder = arguments->count > 0 && gate_manifest_file_exists(arguments->items[arguments->count - 1], arena);
    return has_folder ? 1 : 2;
}

/* Take the words before the profiles: rules unless --rules is given, and a frame unless --frame is. */
static bool explain_take_words(struct explain *explain, struct gate_arena *arena, struct gate_error *err) {
    struct gate_paths *arguments = &explain->profiles.arguments;
    size_t wanted = profile_arguments(&explain->profiles, arena), at = 0;
    size_t words = arguments->count > wanted ? arguments->count - wanted : 0;
    if (at < words && explain->rules == NULL && is_rules(arguments->items[at], arena))
        explain->rules = arguments->items[at++];
    if (at < words && explain->frame == NULL)
        explain->frame = arguments->items[at++];
    if (at < words)
        return gate_error_set(err, GATE_ERR_USAGE, "unexpected '%s': expected [FRAME] BASELINE CANARY",
                              arguments->items[at]);
    if (arguments->count < wanted)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "the profiles are missing: expected [FRAME] BASELINE CANARY, or [FRAME] DIR for a folder "
                              "that capture wrote");
    *arguments = (struct gate_paths){.items = arguments->items + at, .count = arguments->count - at};
    return true;
}

static bool explain_finish(struct explain *explain, struct gate_session *session, struct gate_error *err) {
    struct gate_arena *arena = session->arena;
    struct gate_profile_options *profiles = &explain->profiles;
    struct gate_file_roles roles = {0};
    if (!explain_take_words(explain, arena, err))
        return false;
    return (explain->rules == NULL || gate_file_roles_read(&roles, "the rules", explain->rules, arena, err)) &&
           gate_profile_options_note(profiles, NULL, &roles, arena, err) &&
           gate_judge_options_note(&explain->judging, &roles, arena, err) &&
           gate_manifest_dir_expand(profiles, &explain->judging, session, err) &&
           gate_judge_options_finish(&explain->judging, arena, err) &&
           gate_profile_options_deal(profiles, arena, err) && gate_file_roles_check(&roles, err);
}

/* Appends what the change edits. Reports have this as a warning, but `explain` prints no warnings. */
static bool explain_edits(struct gate_buf *out, const struct gate_rules_from *from, const struct gate_session *session,
                          struct gate_error *err) {
    size_t line = out->len;
    struct gate_str text = gate_rules_from_sentence(from, session->arena);
    if (text.ptr == NULL)
        return gate_arena_error(session->arena, err);
    if (text.len == 0)
        return true;
    gate_buf_char(out, '\n');
    gate_escape_terminal(out, text);
    gate_buf_char(out, '\n');
    gate_wrap_since(out, line + 1, 2, GATE_WRAP_COLUMNS);
    return true;
}

/* Prints notes on rounds and kinds that are left out, because `explain` prints no warnings. */
static bool explain_left_out(const struct explain *explain, struct gate_session *session) {
    for (uint32_t i = 0; i < explain->judging.missing_count; i++)
        gate_session_note(session, explain->judging.missing[i]);
    for (uint32_t i = 0; i < explain->judging.left_out_count; i++)
        gate_session_note(session, explain->judging.left_out[i]);
    return true;
}

/* Narrows the sandbox: from here on only files, debuginfod servers, and git for noise models are needed. */
static bool explain_narrow(const struct explain *explain, struct gate_session *session) {
    gate_sandboxing_narrow(session,
                           gate_symbol_options_needs(&explain->profiles.symbols) |
                               (explain->judging.noise.count == 0 ? 0 : gate_rules_from_needs(&explain->from)));
    return true;
}

static bool explain_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct explain *explain = wanted;
    struct gate_rules rules = {0};
    struct gate_verdict verdict;
    struct gate_buf out = {0};
    explain->judging.from = &explain->from;
    bool ok = explain_finish(explain, session, err) && explain_left_out(explain, session) &&
              gate_debuginfod_open(&explain->profiles.symbols, session, err) &&
              gate_rulefile_load_from(&rules, &explain->from, session, explain->rules, err) &&
              explain_narrow(explain, session) &&
              gate_judge_reach(&verdict, session, &explain->profiles, &rules, &explain->judging, err) &&
              explain_frames(&out, &verdict, explain->frame, session, err) &&
              explain_edits(&out, &explain->from, session, err) && gate_session_print(session, &out, err);
    gate_buf_free(&out);
    gate_rules_free(&rules);
    return ok;
}

const struct gate_command gate_command_explain = {
    .name = "explain",
    .summary = "show every number of the decision on a frame",
    .usage = usage,
    .examples = examples,
    .takes = GATE_TAKES_RULES,
    .options = options,
    .size = sizeof(struct explain),
    .arguments = offsetof(struct explain, profiles.arguments),
    .run = explain_run,
};
