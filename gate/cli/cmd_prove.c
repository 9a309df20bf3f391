/* SPDX-License-Identifier: Apache-2.0 */
/* The command `prove`: measures which growth the rules would find, by planting known growth in drawn runs. */
#include "gate/base/buf.h"
#include "gate/budget/default_rules.h"
#include "gate/budget/outcome.h"
#include "gate/budget/prove.h"
#include "gate/cli/command.h"
#include "gate/cli/option_groups.h"
#include "gate/cli/options.h"
#include "gate/compare/hot_path.h"
#include "gate/formats/merge.h"
#include "gate/report/prove_report.h"
#include "gate/rules/limit.h"
#include "gate/rules/noise_file.h"
#include "gate/session/comparison_limit.h"
#include "gate/session/debuginfod.h"
#include "gate/session/input.h"
#include "gate/session/load_sides.h"
#include "gate/session/profile_options.h"
#include "gate/session/reports.h"
#include "gate/session/rules_in_force.h"
#include "gate/session/session.h"

/* Planted growth, as fractions of the total (0.01 is +1 pp). */
static const double ladder[] = {0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3};

enum { LADDER = sizeof ladder / sizeof *ladder, RUNS_MAX = 100, FRAMES_MAX = 100, CHOSEN = 6 };

static const double LEAST_SHARE = 0.005;

static const double LEAST_SHARE_REQUIRED = 0.01;

/* Options of `prove`, and the loaded runs. */
struct prove {
    struct gate_profile_options profiles;
    const char *rules_path, *noise_path, *json, *markdown;
    struct gate_paths frames;
    uint32_t runs, draws, seed;
    double at_least, least_share; /* 0: not given */
    bool is_work_given;
    struct gate_side_runs loaded;
    struct gate_run_input run; /* source of the drawn runs: the only profile, or the sum of all */
    struct gate_pair_options pairing;
    struct gate_plant_variation variation;
    struct gate_noise noise;
};

#define AT(field) .at = offsetof(struct prove, field)

/* Reads an amount such as "+5pp". */
static bool read_growth(const struct gate_option_use *use, struct gate_error *err) {
    struct gate_amount amount;
    if (!gate_amount_split(&amount, gate_str_from(use->value)) || !gate_amount_gain(use->out, &amount) ||
        !(*(double *)use->out > 0.0))
        return gate_error_set(err, GATE_ERR_USAGE, "option '--%s': expected points such as '+5pp', found '%s'",
                              use->option->name, use->value);
    return true;
}

static bool read_share(const struct gate_option_use *use, struct gate_error *err) {
    struct gate_amount amount;
    if (!gate_amount_split(&amount, gate_str_from(use->value)) || !gate_amount_level(use->out, &amount))
        return gate_error_set(err, GATE_ERR_USAGE, "option '--%s': expected a share such as '1%%', found '%s'",
                              use->option->name, use->value);
    return true;
}

static const struct gate_option prove_rows[] = {
    {"rules", 'r', "FILE", "the budgets: a file or a preset (default: as for check)", gate_option_value_text,
     AT(rules_path)},
    {"noise", 0, "FILE", "noise model from `pprofgate calibrate`: used to draw runs and to judge them",
     gate_option_value_text, AT(noise_path)},
    {"runs", 0, "N", "runs per side in each comparison (default: the number of BASELINEs)", gate_option_value_count32,
     AT(runs)},
    {"frame", 0, "NAME", "plant growth in this function; more than once for several (default: a choice by size)",
     gate_option_value_path, AT(frames)},
    {"at-least", 0, "+Npp",
     "fail unless this growth is found in 80% of draws in every function of your own above --min-share", read_growth,
     AT(at_least)},
    {"min-share", 0, "N%", "smaller functions are left out (default 0.5%, of --at-least 1%)", read_share,
     AT(least_share)},
    {"work", 0, NULL, "judge as if the work were given, equal on both sides", gate_option_value_flag,
     AT(is_work_given)},
    {"draws", 0, "N", "comparisons of each size (default 30, with --at-least 100)", gate_option_value_count32,
     AT(draws)},
    {"seed", 0, "N", "seed of the random draws (default 1)", gate_option_value_count32, AT(seed)},
    {"json", 0, "FILE", "every number, by docs/prove.schema.json", gate_option_value_text, AT(json),
     .output = GATE_OPTION_FILE},
    {"markdown", 0, "FILE", "the table as Markdown", gate_option_value_text, AT(markdown), .output = GATE_OPTION_FILE},
    {0},
};

static const struct gate_option_group prove_group = {.rows = prove_rows};

static const struct gate_option_binding options[] = {
    {&prove_group, 0},
    {&gate_profile_options_read, AT(profiles)},
    {&gate_symbol_options_group, AT(profiles.symbols)},
    {&gate_profile_options_limits, AT(profiles)},
    {NULL, 0},
};

static const char usage[] = "Usage: pprofgate prove [options] BASELINE...\n"
                            "\n"
                            "Plants known growth into runs drawn anew from your own baseline, judges them by\n"
                            "your rules as check would, and prints which growth is found, and which is not.\n"
                            "Several BASELINEs (runs of one build) show how much runs differ.\n"
                            "\n"
                            "Options:\n";

static const struct gate_example examples[] = {
    {"which growth of one function would be found, quickly",
     "pprofgate prove --frame main.priceRound --draws 5 baseline.pb.gz"},
    {"end with 1 unless twenty points more of it are found",
     "pprofgate prove --frame main.priceRound --draws 5 --at-least +20pp baseline.pb.gz"},
    {NULL, NULL}};

static const char tail[] = "\n"
                           "Exit status: 0; with --at-least: 0 found, 1 not found, 3 too few draws to decide;\n"
                           "2 usage, configuration or input error.\n";

static void prove_begin(void *wanted) {
    ((struct prove *)wanted)->seed = 1;
}

/* ---- source of the drawn runs ------------------------------------------------------------------------------------ */

static bool prove_merge(struct gate_profile *out, const struct prove *prove, struct gate_arena *arena,
                        struct gate_error *err) {
    struct gate_merge sum;
    struct gate_arena scratch;
    struct gate_buf bytes = {0};
    struct gate_str kept = {NULL, 0};
    gate_arena_fork(&scratch, arena);
    gate_merge_begin(&sum, &scratch);
    bool ok = true;
    for (uint32_t i = 0; ok && i < prove->loaded.count; i++)
        ok = gate_merge_add(&sum, prove->loaded.items[i].profile, &scratch, err);
    ok = ok && gate_merge_write(&bytes, &sum, GATE_CONTAINER_RAW, err) && gate_buf_keep_into(&kept, &bytes, arena, err);
    gate_buf_free(&bytes);
    gate_merge_end(&sum);
    gate_arena_free(&scratch);
    return ok && gate_profile_load(out, kept, &prove->profiles.limits, arena, err);
}

static bool prove_pair(struct gate_pair **pair, struct gate_delta_list *deltas, const struct gate_run_input *runs,
                       uint32_t count, const struct prove *prove, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_run_input *const sides[GATE_SIDES] = {runs, runs};
    const uint32_t counts[GATE_SIDES] = {count, 1};
    *pair = GATE_NEW_ARRAY(arena, struct gate_pair, 1);
    if (*pair == NULL)
        return gate_arena_error(arena, err);
    return gate_hot_path_costs(*pair, deltas, sides, counts, &prove->pairing, arena, err);
}

enum { USUAL_NAME_BYTES = 1000, LONG_NAME_STEPS = 2 };

/* Return the additional steps of a comparison for names that are longer than usual. Findings copy a name about twenty
 * times. */
static uint64_t long_name_steps(const struct gate_pair *pair) {
    uint64_t steps = 0;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        if (pair->frames[i].name.len > USUAL_NAME_BYTES)
            steps += LONG_NAME_STEPS * (uint64_t)(pair->frames[i].name.len - USUAL_NAME_BYTES);
    return steps;
}

static bool prove_noise(struct prove *prove, struct gate_session *session, struct gate_error *err) {
    struct gate_noise_naming naming;
    struct gate_str text;
    if (prove->noise_path == NULL)
        return true;
    const char *name = gate_input_name(prove->noise_path);
    if (!gate_input_read_small(&text, session, prove->noise_path, session->arena, err))
        return gate_error_prefix(err, "%s", name);
    if (!gate_noise_read(&prove->noise, &naming, text, session->arena, err))
        return gate_error_prefix_file(err, name);
    if (naming.granularity != prove->pairing.frames.granularity ||
        naming.exact_names != prove->pairing.frames.exact_names)
        return gate_error_set(err, GATE_ERR_CONFIG,
                              "%s: this noise model was made with another --granularity or --names; calibrate again "
                              "with those of this run",
                              name);
    prove->variation.noise = &prove->noise;
    return true;
}

/* Sets the base that runs are drawn from, and how much runs vary. */
static bool prove_base(struct gate_plant_base *base, struct prove *prove, struct gate_arena *arena,
                       struct gate_error *err) {
    struct gate_pair *pair = NULL, *runs = NULL;
    struct gate_delta_list *deltas = GATE_NEW_ARRAY(arena, struct gate_delta_list, 2);
    struct gate_profile *all = GATE_NEW_ARRAY(arena, struct gate_profile, 1);
    *base = (struct gate_plant_base){0};
    if (deltas == NULL || all == NULL) {
        (void)gate_arena_error(arena, err);
        return false; /* for static analysis of this file alone */
    }
    prove->run = prove->loaded.items[0];
    if (prove->loaded.count > 1) {
        if (!prove_pair(&runs, &deltas[1], prove->loaded.items, prove->loaded.count, prove, arena, err) ||
            !prove_merge(all, prove, arena, err))
            return false;
        prove->run.profile = all;
        prove->variation.replicates = runs;
        prove->variation.replicated = &deltas[1];
    }
    return prove_pair(&pair, &deltas[0], &prove->run, 1, prove, arena, err) &&
           gate_plant_prepare(base, pair, &deltas[0], &prove->variation, 1.0 / prove->loaded.count, arena, err);
}

/* ---- functions to plant growth in -------------------------------------------------------------------------------- */

static bool prove_named(struct gate_prove *proof, const struct prove *prove, const struct gate_plant_base *base,
                        struct gate_error *err) {
    for (uint32_t n = 0; n < prove->frames.count; n++) {
        struct gate_str name = gate_str_from(prove->frames.items[n]);
        uint32_t at = 0;
        while (at < base->pair->frame_count && !gate_str_equal(base->pair->frames[at].name, name))
            at++;
        if (at == base->pair->frame_count)
            return gate_error_set(err, GATE_ERR_INPUT,
                                  "no frame of the baseline is named '%s'; `pprofgate inspect --frames all` lists them",
                                  prove->frames.items[n]);
        double share = gate_plant_share(base, at);
        if (!(share > 0.0))
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "nothing is charged to '%s', since code of your own calls it or is called by it; "
                                  "name the function of your own that does the work",
                                  prove->frames.items[n]);
        proof->frames[proof->frame_count++] =
            (struct gate_prove_frame){.name = base->pair->frames[at].name, .plant = {.frame = at}, .share = share};
    }
    return true;
}

static bool prove_frames(struct gate_prove *proof, const struct prove *prove, const struct gate_plant_base *base,
                         struct gate_arena *arena, struct gate_error *err) {
    bool has_requirement = prove->at_least > 0.0;
    proof->least_share = prove->least_share > 0.0 ? prove->least_share
                         : has_requirement        ? LEAST_SHARE_REQUIRED
                                                  : LEAST_SHARE;
    proof->frames = GATE_NEW_ARRAY(arena, struct gate_prove_frame, (size_t)prove->frames.count + CHOSEN);
    if (proof->frames == NULL)
        return gate_arena_error(arena, err);
    if (prove->frames.count > 0)
        return prove_named(proof, prove, base, err);
    if (has_requirement)
        proof->frames = gate_prove_all(&proof->frame_count, base, proof->least_share, arena);
    else
        proof->frame_count = gate_prove_choose(proof->frames, base, proof->least_share, arena);
    if (proof->frames == NULL)
        return gate_arena_error(arena, err);
    proof->frame_count = proof->frame_count < FRAMES_MAX ? proof->frame_count : FRAMES_MAX;
    if (proof->frame_count > 0)
        return true;
    return gate_error_set(err, GATE_ERR_INPUT,
                          "no function of your own costs enough to plant growth in; lower --min-share, or list your "
                          "functions under 'own' in the rules");
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static bool prove_draw(struct gate_prove *proof, const struct prove *prove, const struct gate_plant_base *base,
                       const struct gate_rules *rules, struct gate_session *session, struct gate_error *err) {
    const struct gate_plan_options plan = {.sample_type = prove->pairing.sample_type,
                                           .where = prove->pairing.where,
                                           .frames = prove->pairing.frames,
                                           .counts = prove->pairing.counts};
    const struct gate_str today = gate_rulefile_today(session->arena);
    if (today.ptr == NULL) /* without a date no waiver would be expired */
        return gate_arena_error(session->arena, err);
    const struct gate_prove_options how = {.rules = rules,
                                           .plan = &plan,
                                           .run = &prove->run,
                                           .noise = prove->variation.noise,
                                           .today = today,
                                           .runs = proof->runs,
                                           .draws = proof->draws,
                                           .seed = proof->seed,
                                           .is_work_given = prove->is_work_given,
                                           .arena = session->arena};
    const double *sizes = prove->at_least > 0.0 ? &prove->at_least : ladder;
    uint32_t size_count = prove->at_least > 0.0 ? 1 : LADDER;
    gate_progress_stage(session->progress, "drawing and judging runs");
    if (!gate_prove_none(proof, base, &how, err))
        return false;
    for (uint32_t i = 0; i < proof->frame_count; i++)
        if (!gate_prove_frame(&proof->frames[i], sizes, size_count, base, &how, err))
            return false;
    return true;
}

static bool prove_write(const struct gate_prove *proof, const struct prove *prove, struct gate_session *session,
                        struct gate_error *err) {
    struct gate_buf json = {0}, markdown = {0}, text = {0};
    gate_prove_report_json(&json, proof);
    gate_prove_report_markdown(&markdown, proof);
    gate_prove_report_text(&text, proof, gate_session_columns(session->out, GATE_WRAP_COLUMNS), session->arena);
    bool is_taken = (prove->json != NULL && gate_paths_is_stream(prove->json)) ||
                    (prove->markdown != NULL && gate_paths_is_stream(prove->markdown));
    bool is_made = gate_buf_check(&json, err) && gate_buf_check(&markdown, err) && gate_buf_check(&text, err);
    const struct gate_output_file files[] = {{prove->json, gate_buf_view(&json)},
                                             {prove->markdown, gate_buf_view(&markdown)}};
    bool ok = is_made && gate_output_write_all(session, files, 2, err) &&
              (is_taken || gate_session_print(session, &text, err));
    gate_buf_free(&json);
    gate_buf_free(&markdown);
    gate_buf_free(&text);
    return ok;
}

static bool prove_work(struct prove *prove, struct gate_rules *rules, struct gate_session *session,
                       struct gate_error *err) {
    struct gate_plant_base base;
    struct gate_prove proof = {.rules = rules,
                               .runs = prove->runs > 0 ? prove->runs : prove->loaded.count,
                               .baseline_runs = prove->loaded.count,
                               .seed = prove->seed,
                               .at_least = prove->at_least};
    rules->on_inconclusive = GATE_ON_INCONCLUSIVE_INCONCLUSIVE; /* an undecided budget counts as not found */
    if (proof.runs > RUNS_MAX)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "%u runs per side are more than the %d that can be drawn; give --runs",
                              (unsigned)proof.runs, RUNS_MAX);
    if (!prove_base(&base, prove, session->arena, err) || !prove_frames(&proof, prove, &base, session->arena, err))
        return false;
    const uint32_t sizes = prove->at_least > 0.0 ? 1 : LADDER;
    const struct gate_comparison_limit_draws request = {
        .wanted = prove->draws,
        .usual = prove->at_least > 0.0 ? 100 : 30,
        .decides = prove->at_least > 0.0,
        .sizes = 1 + proof.frame_count * sizes,
        .each = gate_comparison_limit_steps(2 * (uint64_t)proof.runs * base.record_count, base.pair->frame_count) +
                long_name_steps(base.pair)};
    if (!gate_comparison_limit_draws(&proof.draws, &request, &prove->profiles.limits, session, err))
        return false;
    proof.sample_type = base.pair->type.type;
    proof.variation = gate_plant_variation_source(&prove->variation);
    proof.sd = base.sd[proof.frames[0].plant.frame];
    if (!prove_draw(&proof, prove, &base, rules, session, err) || !prove_write(&proof, prove, session, err))
        return false;
    session->status = gate_exit_code_of(gate_prove_outcome(&proof));
    return true;
}

static bool prove_finish(struct gate_file_roles *roles, const struct prove *prove, struct gate_session *session,
                         struct gate_error *err) {
    struct gate_arena *arena = session->arena;
    const char *rules = prove->rules_path == NULL ? GATE_RULEFILE_DEFAULT : prove->rules_path;
    if (prove->profiles.arguments.count == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "expected a BASELINE to plant growth in");
    return gate_file_roles_read(roles, "the rules", rules, arena, err) &&
           (prove->noise_path == NULL || gate_file_roles_read(roles, "a noise model", prove->noise_path, arena, err)) &&
           gate_profile_options_note(&prove->profiles, "a baseline", roles, arena, err) &&
           gate_file_roles_check(roles, err) &&
           gate_file_roles_write(roles, prove->json, GATE_OWN_JSON, session, err) &&
           gate_file_roles_write(roles, prove->markdown, GATE_OWN_MARKDOWN, session, err) && gate_file_roles_end(roles);
}

static bool prove_load(struct prove *prove, struct gate_rules *rules, struct gate_session *session,
                       struct gate_error *err) {
    prove->pairing = gate_profile_options_pairing(&prove->profiles, rules->frames, rules->counts);
    if (!gate_debuginfod_open(&prove->profiles.symbols, session, err) ||
        !gate_load_sides_one(&prove->loaded, session, &prove->profiles.arguments, &prove->profiles.limits, true, err) ||
        !gate_plan_count_cpu(&prove->loaded.items, &prove->loaded.count, 1, &prove->profiles.limits, session->arena,
                             err) ||
        !prove_noise(prove, session, err))
        return false;
    const struct gate_plan_input input = {.runs = {prove->loaded.items, prove->loaded.items}, .counts = {1, 1}};
    return !rules->is_default ||
           gate_default_rules_choose(rules, &input, 1, prove->pairing.sample_type, session->arena, err);
}

static bool prove_run(void *wanted, struct gate_session *session, struct gate_error *err) {
    struct prove *prove = wanted;
    struct gate_rules rules = {0};
    struct gate_file_roles roles = {0};
    bool ok = prove_finish(&roles, prove, session, err) &&
              gate_rulefile_load(&rules, session, prove->rules_path, err) && prove_load(prove, &rules, session, err) &&
              prove_work(prove, &rules, session, err);
    /* After an error, no report of this run or of an earlier one is left. An invalid command line removes nothing. */
    if (!ok && gate_file_roles_are_certain(&roles, err)) {
        gate_reports_remove_file(prove->json, GATE_OWN_JSON, &roles, session);
        gate_reports_remove_file(prove->markdown, GATE_OWN_MARKDOWN, &roles, session);
    }
    gate_rules_free(&rules);
    return ok;
}

const struct gate_command gate_command_prove = {
    .name = "prove",
    .summary = "plant known growth in a baseline: what would the rules find?",
    .usage = usage,
    .tail = tail,
    .examples = examples,
    .writes = true,
    .options = options,
    .size = sizeof(struct prove),
    .arguments = offsetof(struct prove, profiles.arguments),
    .begin = prove_begin,
    .run = prove_run,
};
