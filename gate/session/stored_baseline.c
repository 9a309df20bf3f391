/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the baseline of a canary in a store, with the work, the noise model and the warnings that belong to it. */
#include "gate/session/stored_baseline.h"

#include "gate/base/str.h"
#include "gate/budget/plan.h"
#include "gate/compare/comparison.h"
#include "gate/compare/hot_path.h"
#include "gate/compare/odd_run.h"
#include "gate/guards/guard_check.h"
#include "gate/model/sample.h"
#include "gate/rules/guard_rules.h"
#include "gate/session/judge_options.h"
#include "gate/session/load_sides.h"
#include "gate/session/profile_options.h"
#include "gate/session/session.h"
#include "gate/session/store_options.h"
#include "gate/store/match.h"
#include "gate/store/record.h"
#include "gate/store/store.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- fitness ----------------------------------------------------------------------------------------------------- */

static const int64_t DAY_MS = INT64_C(86400000);

enum { SHORT_REVISION = 12 };

struct gate_str gate_fitness_place(const struct gate_match *match, struct gate_arena *arena) {
    switch (match->relation) {
    case GATE_ANCESTRY_ANCESTOR:
        return gate_str_format(arena, "%" PRIu64 " commit%s before this change", match->distance,
                               match->distance == 1 ? "" : "s");
    case GATE_ANCESTRY_SAME:
        return GATE_STR("of this very revision");
    case GATE_ANCESTRY_UNRELATED:
        return GATE_STR("not an ancestor of this change");
    case GATE_ANCESTRY_UNKNOWN:
        break;
    }
    return GATE_STR("not known to be an ancestor of this change");
}

static bool warn(struct gate_warning_list *out, enum gate_guard guard, struct gate_str message,
                 const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_warning warning = {.guard = guard, .message = message};
    bool raised = false; /* unused: the verdict evaluates the severity again */
    return gate_warning_add(out, rules, warning, &raised, arena, err);
}

static bool judge_age(struct gate_warning_list *out, const struct gate_fitness_input *input,
                      const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_record *record = input->match->records[0];
    double days = (double)(input->now_ms - record->accepted_ms) / (double)DAY_MS;
    double limit = gate_guard_limit(rules, GATE_GUARD_BASELINE_AGE);
    if (days <= limit)
        return true;
    return warn(out, GATE_GUARD_BASELINE_AGE,
                gate_str_format(arena,
                                "the baseline of revision %.*s was accepted %.0f days ago, more than %g: accept a "
                                "newer one",
                                GATE_STR_ARG(gate_str_slice(record->revision, 0, SHORT_REVISION)), days, limit),
                rules, arena, err);
}

static bool judge_ancestor(struct gate_warning_list *out, const struct gate_fitness_input *input,
                           const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_match *match = input->match;
    struct gate_str shown = gate_str_slice(match->records[0]->revision, 0, SHORT_REVISION);
    struct gate_str message = {NULL, 0};
    if (match->relation == GATE_ANCESTRY_ANCESTOR)
        return true;
    if (match->relation == GATE_ANCESTRY_SAME)
        message = gate_str_format(arena,
                                  "the baseline is of this very revision, %.*s, and no ancestor of it was accepted: "
                                  "what it changed is not seen",
                                  GATE_STR_ARG(shown));
    else if (match->relation == GATE_ANCESTRY_UNRELATED)
        message = gate_str_format(arena,
                                  "the baseline's revision %.*s is not an ancestor of this change, and none of those "
                                  "that are was accepted: the comparison holds changes of others",
                                  GATE_STR_ARG(shown));
    else
        message = gate_str_format(arena,
                                  "whether the baseline's revision %.*s is an ancestor of this change is "
                                  "unknown%s%.*s: run in a checkout with the history of both, or give --revision",
                                  GATE_STR_ARG(shown), input->why_unknown.len > 0 ? ", " : "",
                                  GATE_STR_ARG(input->why_unknown));
    return warn(out, GATE_GUARD_BASELINE_ANCESTOR, message, rules, arena, err);
}

static bool judge_machine(struct gate_warning_list *out, const struct gate_fitness_input *input,
                          const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_record *record = input->match->records[0], *machine = input->change->machine;
    const char *fact = NULL;
    if (machine == NULL || !gate_match_machines_differ(record, machine, &fact))
        return true;
    return warn(out, GATE_GUARD_BASELINE_MACHINE,
                gate_str_format(arena,
                                "the baseline was taken on another machine: %s '%.*s' there, '%.*s' here; accept runs "
                                "of this one, or compare where those were taken",
                                fact, GATE_STR_ARG(gate_record_fact(record, fact)),
                                GATE_STR_ARG(gate_record_fact(machine, fact))),
                rules, arena, err);
}

bool gate_fitness_judge(struct gate_warning_list *out, const struct gate_fitness_input *input,
                        const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    GATE_ASSERT(input->match->count > 0);
    return judge_age(out, input, rules, arena, err) && judge_ancestor(out, input, rules, arena, err) &&
           judge_machine(out, input, rules, arena, err);
}

/* ---- noise model from accepted runs ------------------------------------------------------------------------------ */

/** With fewer runs an outlier cannot be identified, so no model is made. */
enum { GATE_STORED_BASELINE_NOISE_LEAST = GATE_ODD_RUN_LEAST };

/* A noise model that is being made. */
struct making {
    const struct gate_comparison *comparison;
    const struct gate_stored_baseline *accepted;
    struct gate_pair_options pairing;
    struct gate_run_input *runs;
    uint32_t count;
    struct gate_session *session;
    bool prints_notes;
    struct gate_error *err;
};

static void print_note(const struct making *making, struct gate_str text) {
    if (making->prints_notes && text.ptr != NULL)
        gate_session_note(making->session, text);
}

/* Return whether a run is compared. Earlier looks may have added runs of another baseline, which also count. */
static bool is_compared(const struct making *making, const struct gate_run_input *run) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < making->comparison->pair.sides[side].run_count; i++)
            if (gate_load_sides_is_same(&making->comparison->pair.sides[side].runs[i].input, run))
                return true;
    return false;
}

/* Sets `*has_any` to whether a run has a value of the comparison's sample type: without one it has no shares that could
 * vary. */
static bool has_values(bool *has_any, const struct making *making, const struct gate_profile *profile) {
    const uint32_t column = gate_sample_type_column(profile, making->comparison->pair.type.type, GATE_STR(""));
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    *has_any = false;
    if (column == GATE_NO_INDEX)
        return true;
    *making->err = (struct gate_error){0};
    gate_sample_begin(&cursor, profile);
    while (!*has_any && gate_sample_next(&cursor, &sample, making->err))
        *has_any = sample.values[column] != 0;
    gate_sample_end(&cursor);
    return making->err->code == GATE_OK;
}

/* Loads the runs that have values of the comparison's sample type and are not compared. */
static bool load(struct making *making, const struct gate_paths *files, const struct gate_limits *limits) {
    struct gate_side_runs side;
    struct gate_arena *arena = making->session->arena;
    const struct gate_profile *compared = making->comparison->pair.sides[GATE_BASELINE].runs[0].input.profile;
    if (!gate_load_sides_one(&side, making->session, files, limits, false, making->err) ||
        (gate_profile_is_counted(compared) &&
         !gate_plan_count_cpu(&side.items, &side.count, 1, limits, arena, making->err)))
        return false;
    making->runs = GATE_NEW_ARRAY(arena, struct gate_run_input, side.count);
    if (making->runs == NULL)
        return gate_arena_error(arena, making->err);
    for (uint32_t i = 0; i < side.count; i++) {
        bool has_any;
        if (!has_values(&has_any, making, side.items[i].profile))
            return false;
        if (has_any && !is_compared(making, &side.items[i]))
            making->runs[making->count++] = side.items[i];
    }
    return true;
}

static bool fold(struct gate_pair *pair, struct gate_delta_list *deltas, const struct making *making) {
    const struct gate_run_input *const sides[GATE_SIDES] = {making->runs, making->runs};
    const uint32_t counts[GATE_SIDES] = {making->count, 1};
    return gate_hot_path_costs(pair, deltas, sides, counts, &making->pairing, making->session->arena, making->err);
}

/* Removes outlier runs; all of them, with a note, if the events of some cannot be counted. Sets `*is_split` if the runs
 * form groups, so that no outlier can be identified. */
static bool leave_out(struct making *making, bool *is_split) {
    struct gate_pair pair;
    struct gate_delta_list deltas;
    struct gate_odd_run_list odd;
    uint32_t count = 0, next = 0;
    if (!fold(&pair, &deltas, making) || !gate_odd_run_find(&odd, &pair, &deltas, making->session->arena, making->err))
        return false;
    *is_split = odd.is_split;
    for (uint32_t i = 0; i < making->count; i++)
        if (pair.sides[GATE_BASELINE].runs[i].counts.kind == GATE_COUNTS_UNKNOWN) {
            print_note(making,
                       GATE_STR("no noise model is made of the accepted runs: one of them has no event counts"));
            making->count = 0;
            return true;
        }
    for (uint32_t i = 0; i < making->count && !odd.is_split; i++) {
        if (next < odd.count && odd.items[next].run == i) {
            print_note(making, gate_str_format(
                                   making->session->arena, "left out of the noise model, by %.*s: %.*s",
                                   GATE_STR_ARG(pair.frames[odd.items[next].frame].name),
                                   GATE_STR_ARG(gate_stored_baseline_title(making->accepted, making->runs[i].path))));
            next++;
            continue;
        }
        making->runs[count++] = making->runs[i];
    }
    making->count = odd.is_split ? making->count : count;
    return true;
}

/* Returns the build of each run: runs of one revision that follow each other. The files are those of the newest record
 * first. NULL: the arena is full. */
static const uint32_t *builds_of(const struct making *making) {
    uint32_t *builds = GATE_NEW_ARRAY(making->session->arena, uint32_t, making->count);
    struct gate_str last = GATE_STR("");
    for (uint32_t i = 0; builds != NULL && i < making->count; i++) {
        const struct gate_str title = gate_stored_baseline_title(making->accepted, making->runs[i].path);
        const struct gate_str revision = {title.ptr, gate_str_behind_last(title, '/')};
        builds[i] = i == 0 ? 0 : builds[i - 1] + !gate_str_equal(revision, last);
        last = revision;
    }
    return builds;
}

/* Sets `*out` to the model, or to NULL if none can be made. */
static bool make(const struct gate_noise **out, struct making *making) {
    struct gate_pair pair;
    struct gate_delta_list deltas;
    struct gate_arena *arena = making->session->arena;
    bool is_split = false;
    *out = NULL;
    if (making->count < GATE_STORED_BASELINE_NOISE_LEAST)
        return true;
    if (!leave_out(making, &is_split))
        return false;
    if (making->count == 0)
        return true;
    if (is_split || making->count < GATE_STORED_BASELINE_NOISE_LEAST) {
        print_note(making, GATE_STR("no noise model is made of the accepted runs: too few of them are alike"));
        return true;
    }
    struct gate_noise *noise = GATE_NEW_ARRAY(arena, struct gate_noise, 1);
    if (noise == NULL)
        return gate_arena_error(arena, making->err);
    const struct gate_noise *followed = noise;
    const uint32_t *builds = builds_of(making);
    if (builds == NULL)
        return gate_arena_error(arena, making->err);
    if (!fold(&pair, &deltas, making) || !gate_noise_estimate(noise, &pair, &deltas, builds, arena, making->err) ||
        (!making->pairing.frames.exact_names &&
         !gate_noise_follow(&followed, noise, &making->comparison->pair, arena, making->err)))
        return false;
    if (gate_noise_coverage(followed, &making->comparison->pair, &making->comparison->deltas) <
        GATE_NOISE_COVERAGE_LEAST) {
        print_note(making,
                   GATE_STR("no noise model is made of the accepted runs: they hold too little of this profile"));
        return true;
    }
    print_note(making, gate_str_format(arena, "the noise model is of %u other accepted runs", (unsigned)making->count));
    *out = followed;
    return true;
}

/* Return the accepted runs of a comparison's kind: that of its pair, or the only kind. */
static const struct gate_paths *others_of(const struct gate_stored_baseline *accepted,
                                          const struct gate_comparison *comparison) {
    if (accepted->kind_count == 1)
        return &accepted->others[0].files;
    for (uint32_t i = 0; i < accepted->kind_count; i++)
        for (uint32_t t = 0; t < comparison->pair.sides[GATE_BASELINE].runs[0].input.profile->sample_type_count; t++)
            if (gate_str_equal(accepted->others[i].kind,
                               comparison->pair.sides[GATE_BASELINE].runs[0].input.profile->sample_types[t].type))
                return &accepted->others[i].files;
    return NULL;
}

bool gate_stored_baseline_noise_apply(struct gate_comparison *comparisons, uint32_t count,
                                      const struct gate_stored_baseline *accepted,
                                      const struct gate_pair_options *pairing, const struct gate_limits *limits,
                                      struct gate_session *note_session, struct gate_arena *arena,
                                      struct gate_error *err) {
    struct gate_session quiet = {.arena = arena};
    for (uint32_t i = 0; i < count; i++) {
        struct gate_comparison *comparison = &comparisons[i];
        const struct gate_paths *files = others_of(accepted, comparison);
        struct making making = {.comparison = comparison,
                                .accepted = accepted,
                                .pairing = *pairing,
                                .session = note_session == NULL ? &quiet : note_session,
                                .prints_notes = note_session != NULL,
                                .err = err};
        if (comparison->noise != NULL || comparison->is_filtered || comparison->same_input || files == NULL ||
            files->count < GATE_STORED_BASELINE_NOISE_LEAST)
            continue;
        making.pairing.sample_type = comparison->pair.type.type;
        if (!load(&making, files, limits) || !make(&comparison->noise, &making))
            return false;
    }
    return true;
}

/* ---- warnings about a baseline from a store ---------------------------------------------------------------------- */

static void note_baseline(const struct gate_stored_baseline *accepted, struct gate_session *session) {
    const struct gate_record *record = accepted->match.records[0];
    struct gate_buf text = {0};
    uint32_t runs = accepted->run_count;
    gate_buf_printf(&text, "the baseline is %u accepted run%s of revision ", (unsigned)runs, runs == 1 ? "" : "s");
    gate_buf_str(&text, gate_record_text_revision(record));
    gate_buf_text(&text, ", ");
    gate_buf_str(&text, gate_fitness_place(&accepted->match, session->arena));
    if (record->reason.len > 0) {
        gate_buf_text(&text, "; accepted for a reason: ");
        gate_buf_str(&text, record->reason);
    }
    gate_session_note(session, gate_buf_view(&text));
    gate_buf_free(&text);
}

static bool warn_missing(struct gate_warning_list *out, const struct gate_stored_baseline *accepted,
                         const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str revision = gate_record_text_revision(accepted->match.records[0]);
    for (uint32_t i = 0; i < accepted->missing_count; i++) {
        struct gate_str message = gate_str_format(
            arena,
            "the baseline of revision %.*s has no %.*s profiles, so those of the canary are not compared; accept those "
            "of a good build with 'pprofgate baseline accept'",
            GATE_STR_ARG(revision), GATE_STR_ARG(accepted->kinds[accepted->kind_count + i]));
        if (!warn(out, GATE_GUARD_BASELINE_MISSING, message, rules, arena, err))
            return false;
    }
    return true;
}

static bool warn_lacking(struct gate_warning_list *out, const struct gate_stored_baseline *accepted,
                         const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str revision = gate_record_text_revision(accepted->match.records[0]);
    for (uint32_t i = 0; i < accepted->lacking_count; i++) {
        struct gate_str message = gate_str_format(
            arena,
            "the canary has no %.*s profiles, while the baseline of revision %.*s has some: nothing of that kind was "
            "compared; give those of the canary too",
            GATE_STR_ARG(accepted->lacking[i]), GATE_STR_ARG(revision));
        if (!warn(out, GATE_GUARD_MISSING_KIND, message, rules, arena, err))
            return false;
    }
    return true;
}

bool gate_stored_baseline_warnings_add(struct gate_warning_list *out, const struct gate_stored_baseline *accepted,
                                       const struct gate_rules *rules, struct gate_session *session,
                                       struct gate_error *err) {
    const struct gate_fitness_input input = {&accepted->match, &accepted->change, accepted->why_unknown,
                                             gate_store_options_now()};
    *out = (struct gate_warning_list){0};
    for (uint32_t i = 0; i < accepted->damage_count; i++)
        if (!warn(out, GATE_GUARD_BASELINE_DAMAGED, accepted->damages[i], rules, session->arena, err))
            return false;
    if (!warn_missing(out, accepted, rules, session->arena, err) ||
        !warn_lacking(out, accepted, rules, session->arena, err))
        return false;
    note_baseline(accepted, session);
    return gate_fitness_judge(out, &input, rules, session->arena, err);
}

/* ---- work that was accepted with the baseline -------------------------------------------------------------------- */

/* The runs of a side whose work is added. */
struct side_work {
    const struct gate_record_run **runs;
    uint32_t count;
    enum gate_side_name side;
    struct gate_arena *arena;
    struct gate_error *err;
};

/* Return the work of a run: the total if it is known, else the sum over the values of a label. */
static double total_of(const struct gate_record_run *run) {
    double sum = 0;
    for (uint32_t i = 0; i < run->by_count; i++)
        sum += run->by[i].number;
    return run->work > 0 ? run->work : sum;
}

/* Adds one number per run: the total, or the work of one label value if `key` is not empty. */
static bool add(struct gate_work *work, const struct side_work *side_work, struct gate_str key, struct gate_str value) {
    double *numbers = GATE_NEW_ARRAY(side_work->arena, double, side_work->count);
    if (numbers == NULL)
        return gate_arena_error(side_work->arena, side_work->err);
    for (uint32_t i = 0; i < side_work->count; i++) {
        const struct gate_record_run *run = side_work->runs[i];
        numbers[i] = key.len == 0 ? total_of(run) : gate_manifest_work_of(run->by, run->by_count, key, value);
    }
    const struct gate_work_count count = {side_work->side, key, value, numbers, side_work->count};
    return gate_work_add(work, &count, side_work->arena, side_work->err);
}

static bool has_labels(const struct side_work *side_work) {
    for (uint32_t i = 0; i < side_work->count; i++)
        if (side_work->runs[i]->by_count == 0)
            return false;
    return side_work->count > 0;
}

/* Adds the work of each run. A total is added only if every run has one. */
static bool add_side_work(struct gate_work *work, const struct side_work *side_work, bool by_label) {
    bool has_total = side_work->count > 0;
    for (uint32_t i = 0; i < side_work->count; i++)
        has_total = has_total && total_of(side_work->runs[i]) > 0;
    if (has_total && !add(work, side_work, GATE_STR(""), GATE_STR("")))
        return false;
    for (uint32_t i = 0; by_label && i < side_work->count; i++)
        for (uint32_t b = 0; b < side_work->runs[i]->by_count; b++)
            if (!add(work, side_work, side_work->runs[i]->by[b].key, side_work->runs[i]->by[b].value))
                return false;
    return true;
}

static bool has_side(const struct gate_work *work, enum gate_side_name side, bool by_label) {
    for (uint32_t i = 0; i < work->count; i++)
        if (work->items[i].side == side && (!by_label || work->items[i].key.len > 0))
            return true;
    return false;
}

/* Takes the canary's work from the environment, where an earlier CI step may have put it, if no option gives it. */
static bool take_environment_work(struct gate_work *work, struct gate_arena *arena, struct gate_error *err) {
    static const char name[] = "PPROFGATE_WORK_CANARY";
    const char *value = getenv(name);
    if (work->count > 0 || value == NULL || value[0] == '\0')
        return true;
    return gate_work_option_text(work, GATE_CANARY, name, value, arena, err);
}

/* Return whether a profile is already in the list: one that was accepted twice is compared once. */
static bool has_run(const struct side_work *side_work, struct gate_str object) {
    for (uint32_t i = 0; i < side_work->count; i++)
        if (gate_str_equal(side_work->runs[i]->object, object))
            return true;
    return false;
}

static bool collect(struct side_work *side_work, const struct gate_match *match, struct gate_str kind) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < match->count; i++)
        count += match->records[i]->run_count;
    side_work->runs = gate_arena_calloc(side_work->arena, (size_t)count + 1, sizeof *side_work->runs);
    if (side_work->runs == NULL)
        return gate_arena_error(side_work->arena, side_work->err);
    for (uint32_t i = 0; i < match->count; i++)
        for (uint32_t r = 0; r < match->records[i]->run_count; r++)
            if (gate_str_equal(match->records[i]->runs[r].kind, kind) &&
                !has_run(side_work, match->records[i]->runs[r].object))
                side_work->runs[side_work->count++] = &match->records[i]->runs[r];
    return true;
}

static bool collect_canary(struct side_work *side_work, const struct gate_record_run *canary, uint32_t count,
                           struct gate_str kind) {
    side_work->runs = gate_arena_calloc(side_work->arena, (size_t)count + 1, sizeof *side_work->runs);
    if (side_work->runs == NULL)
        return gate_arena_error(side_work->arena, side_work->err);
    for (uint32_t i = 0; i < count; i++)
        if (gate_str_equal(canary[i].kind, kind))
            side_work->runs[side_work->count++] = &canary[i];
    return true;
}

/* Adds the work of both sides, or nothing if one side has none. */
static bool add_both(struct gate_work *work, const struct gate_work *both, const struct side_work *side_work) {
    if (!has_side(both, GATE_BASELINE, false) || !has_side(both, GATE_CANARY, false))
        return true;
    for (uint32_t i = 0; i < both->count; i++)
        if (!gate_work_add(work, &both->items[i], side_work->arena, side_work->err))
            return false;
    return true;
}

/** Add the work of the runs of `kind` on both sides, if every run has it. err: GATE_ERR_LIMIT. */
static bool add_pair_work(struct gate_work *work, const struct gate_match *match, const struct gate_record_run *canary,
                          uint32_t count, struct gate_str kind, struct gate_arena *arena, struct gate_error *err) {
    struct side_work baseline = {.side = GATE_BASELINE, .arena = arena, .err = err};
    struct side_work canary_work = {.side = GATE_CANARY, .arena = arena, .err = err};
    struct gate_work both = {0};
    if (!collect(&baseline, match, kind) || !collect_canary(&canary_work, canary, count, kind))
        return false;
    bool by_label = has_labels(&baseline) && has_labels(&canary_work);
    return add_side_work(&both, &baseline, by_label) && add_side_work(&both, &canary_work, by_label) &&
           add_both(work, &both, &baseline);
}

/* Adds the baseline's work, for the case that the options give the canary's work. */
static bool add_baseline_work(struct gate_judge_options *judging, const struct side_work *baseline,
                              const struct gate_match *match) {
    uint32_t count = judging->work.count;
    bool by_label = has_labels(baseline) && has_side(&judging->work, GATE_CANARY, true);
    if (!add_side_work(&judging->work, baseline, by_label))
        return false;
    return judging->work.count > count ||
           gate_error_set(baseline->err, GATE_ERR_USAGE,
                          "the work of the canary is given, but the accepted runs of revision '%.*s' have none; accept "
                          "with --work, or give '--work baseline=N' too",
                          GATE_STR_ARG(match->records[0]->revision));
}

/**
 * Add the work of the runs of `match` as the baseline's. Add the work of `canary` (from a manifest) as the canary's, if
 * the options do not give it. Nothing is added unless both sides have work. Work of the baseline from options is kept.
 *
 * match    its runs are of one kind, in the order in which they are compared
 * canary   `count` runs in the order in which they are compared
 * err      GATE_ERR_USAGE if the options give the canary's work and the accepted runs have none; GATE_ERR_LIMIT
 */
static bool add_accepted_work(struct gate_judge_options *judging, const struct gate_match *match,
                              const struct gate_record_run *canary, uint32_t count, struct gate_arena *arena,
                              struct gate_error *err) {
    struct side_work baseline = {.side = GATE_BASELINE, .arena = arena, .err = err};
    if (!take_environment_work(&judging->work, arena, err))
        return false;
    if (has_side(&judging->work, GATE_BASELINE, false) || judging->work_file != NULL)
        return true;
    if (!has_side(&judging->work, GATE_CANARY, false))
        return add_pair_work(&judging->work, match, canary, count, canary[0].kind, arena, err);
    return collect(&baseline, match, canary[0].kind) && add_baseline_work(judging, &baseline, match);
}

/* ---- find the baseline ------------------------------------------------------------------------------------------- */

enum { OTHERS_MAX = 20 };

/* State of a search. */
struct finding {
    struct gate_stored_baseline *accepted;
    struct gate_profile_options *profiles;
    struct gate_record_run *canary; /* one per file */
    struct gate_store store;
    struct gate_records records;
    struct gate_session *session;
    struct gate_arena *arena;
    struct gate_error *err;
};

/* ---- the canary -------------------------------------------------------------------------------------------------- */

static bool check_usage(const struct finding *finding) {
    const struct gate_profile_options *profiles = finding->profiles;
    if (!gate_store_options_check(&finding->accepted->where, true, finding->err))
        return false;
    if (profiles->paths[GATE_BASELINE].count > 0 || profiles->pairs.count > 0)
        return gate_error_set(finding->err, GATE_ERR_USAGE,
                              "'%s' cannot be combined with '--store', which has the baseline; give canaries alone",
                              profiles->pairs.count > 0 ? "--pair" : "--baseline");
    if (profiles->paths[GATE_CANARY].count == 0 && profiles->arguments.count == 0)
        return gate_error_set(finding->err, GATE_ERR_USAGE, "the canary is missing: expected CANARY files");
    return true;
}

static bool add_kind(struct finding *finding, struct gate_str kind) {
    struct gate_stored_baseline *accepted = finding->accepted;
    for (uint32_t i = 0; i < accepted->kind_count; i++)
        if (gate_str_equal(accepted->kinds[i], kind))
            return true;
    accepted->kinds[accepted->kind_count++] = kind; /* allocated for one kind per file */
    return true;
}

/* Finds the canary's files, their records and their kinds. */
static bool find_canary(struct finding *finding) {
    struct gate_stored_baseline *accepted = finding->accepted;
    struct gate_profile_options *profiles = finding->profiles;
    struct gate_paths *paths = &profiles->paths[GATE_CANARY];
    for (uint32_t i = 0; i < profiles->arguments.count; i++)
        if (!gate_paths_add(paths, profiles->arguments.items[i], finding->arena, finding->err))
            return false;
    profiles->arguments.count = 0;
    if (!gate_run_files_find(&accepted->canary, paths, -1, finding->session, finding->err))
        return false;
    uint32_t count = accepted->canary.count;
    accepted->kinds = GATE_NEW_ARRAY(finding->arena, struct gate_str, count);
    finding->canary = GATE_NEW_ARRAY(finding->arena, struct gate_record_run, count);
    if (accepted->kinds == NULL || finding->canary == NULL)
        return gate_arena_error(finding->arena, finding->err);
    for (uint32_t i = 0; i < count; i++) {
        struct gate_arena scratch;
        struct gate_str bytes;
        gate_arena_fork(&scratch, finding->arena);
        bool ok = gate_run_files_load(&finding->canary[i], &bytes, &accepted->canary.items[i], &profiles->limits,
                                      &scratch, finding->arena, finding->err) &&
                  add_kind(finding, finding->canary[i].kind);
        gate_arena_free(&scratch);
        if (!ok)
            return false;
    }
    return true;
}

/* Finds the canary's revision, and the machine on which it was captured. */
static bool find_change(struct finding *finding) {
    struct gate_stored_baseline *accepted = finding->accepted;
    struct gate_match_change *change = &accepted->change;
    const struct gate_store_options *where = &accepted->where;
    const struct gate_manifest *manifest = accepted->canary.manifest;
    *change = (struct gate_match_change){.kinds = accepted->kinds, .kind_count = accepted->kind_count};
    if (!gate_store_options_revision(&change->revision, &change->commit, &accepted->why_unknown, where,
                                     accepted->canary.version, finding->arena, finding->err) ||
        (accepted->rules_from != NULL &&
         !gate_ancestry_commit(&change->base, gate_str_from(accepted->rules_from), finding->arena, finding->err)))
        return false;
    gate_record_begin(&accepted->machine);
    const bool is_unknown = where->is_elsewhere || accepted->canary.is_of_stores;
    bool ok = true;
    if (manifest != NULL && !accepted->canary.is_of_stores)
        ok = gate_machine_add_host(&accepted->machine, &manifest->host, finding->arena, finding->err);
    else if (!is_unknown)
        ok = gate_machine_add_here(&accepted->machine, finding->arena, finding->err);
    for (uint32_t i = 0; ok && i < where->fact_count; i++)
        ok = gate_record_add_fact(&accepted->machine, where->facts[i].key, where->facts[i].value, finding->arena,
                                  finding->err);
    change->machine = &accepted->machine;
    return ok;
}

/* ---- accepted records -------------------------------------------------------------------------------------------- */

static bool add_damage(struct finding *finding, struct gate_str message) {
    struct gate_stored_baseline *accepted = finding->accepted;
    struct gate_str copy = gate_str_copy(finding->arena, message);
    if (copy.ptr == NULL ||
        !GATE_GROW(finding->arena, accepted->damages, accepted->damage_count, accepted->damage_capacity))
        return gate_arena_error(finding->arena, finding->err);
    accepted->damages[accepted->damage_count++] = copy;
    return true;
}

/* Removes the runs whose profiles are damaged from a record. */
static bool drop_damaged(struct finding *finding, struct gate_record *record, bool *dropped) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < record->run_count; i++) {
        struct gate_error why = {0};
        if (gate_objects_check(&finding->store, record->runs[i].object, finding->arena, &why))
            record->runs[count++] = record->runs[i];
        else if (why.code != GATE_ERR_FORMAT) /* not damage: do not fall back to an older baseline */
            return gate_error_set(finding->err, why.code, "%s", why.message);
        else if (!add_damage(finding, gate_str_from(why.message)))
            return false;
    }
    *dropped = *dropped || count < record->run_count;
    record->run_count = count;
    return true;
}

/* Finds the best match whose profiles are intact. */
static bool find_intact(struct finding *finding) {
    struct gate_stored_baseline *accepted = finding->accepted;
    for (bool dropped = true; dropped;) {
        dropped = false;
        if (!gate_match_find(&accepted->match, &finding->records, &accepted->change, finding->arena, finding->err))
            return false;
        for (uint32_t i = 0; i < accepted->match.count; i++) {
            struct gate_record *record = &finding->records.items[accepted->match.records[i] - finding->records.items];
            if (!drop_damaged(finding, record, &dropped))
                return false;
        }
    }
    return true;
}

/* Finds the best match that has all accepted kinds of the canary, or else as many kinds as one revision has. A kind
 * whose profiles are all damaged is not dropped to get a match. */
static bool find_match(struct finding *finding) {
    struct gate_stored_baseline *accepted = finding->accepted;
    const uint32_t all = accepted->kind_count;
    uint32_t known = gate_match_known_kinds(accepted->kinds, all, &finding->records);
    accepted->is_first = finding->records.count == 0 && finding->records.damaged_count == 0;
    for (bool is_whole = true; known > 0 && is_whole; known--) {
        accepted->change.kind_count = known;
        if (!find_intact(finding))
            return false;
        if (accepted->match.count > 0)
            break;
        is_whole = gate_match_known_kinds(accepted->kinds, known, &finding->records) == known;
    }
    accepted->is_missing = accepted->match.count == 0;
    accepted->kind_count = accepted->is_missing ? all : known;
    accepted->missing_count = all - accepted->kind_count;
    if (!accepted->is_missing || accepted->damage_count == 0)
        return true;
    return gate_error_set(finding->err, GATE_ERR_FORMAT, "%.*s; nothing else that was accepted fits this canary",
                          GATE_STR_ARG(accepted->damages[0]));
}

static bool is_matched(const struct gate_match *match, const struct gate_record *record) {
    for (uint32_t i = 0; i < match->count; i++)
        if (match->records[i] == record)
            return true;
    return false;
}

/* Adds the title of a profile for reports, because the name of the object is a digest. */
static bool add_title(const struct finding *finding, const char *path, const struct gate_record *record,
                      const struct gate_record_run *run) {
    struct gate_stored_baseline *accepted = finding->accepted;
    const struct gate_str parts[] = {record->service, GATE_STR("@"), gate_record_text_revision(record), GATE_STR("/"),
                                     run->name};
    struct gate_str title = gate_str_concat(finding->arena, parts, 5);
    if (title.ptr == NULL ||
        !GATE_GROW(finding->arena, accepted->titles, accepted->title_count, accepted->title_capacity))
        return gate_arena_error(finding->arena, finding->err);
    accepted->titles[accepted->title_count++] = (struct gate_stored_baseline_title){path, title};
    return true;
}

struct gate_str gate_stored_baseline_title(const struct gate_stored_baseline *accepted, struct gate_str path) {
    for (uint32_t i = 0; i < accepted->title_count; i++)
        if (gate_str_equal(path, gate_str_from(accepted->titles[i].path)))
            return accepted->titles[i].title;
    return path;
}

/* Return whether a file is already in the list: a job that runs twice accepts the same capture twice. */
static bool has_path(const struct gate_paths *paths, const char *path) {
    for (uint32_t i = 0; i < paths->count; i++)
        if (strcmp(paths->items[i], path) == 0)
            return true;
    return false;
}

static bool add_object(struct gate_paths *paths, const struct finding *finding, const struct gate_record *record,
                       const struct gate_record_run *run) {
    const char *path = gate_objects_path(&finding->store, run->object, finding->arena);
    if (path == NULL)
        return gate_arena_error(finding->arena, finding->err);
    return has_path(paths, path) ||
           (add_title(finding, path, record, run) && gate_paths_add(paths, path, finding->arena, finding->err));
}

/* Return whether a profile is compared: it belongs to the baseline, or to a canary that was accepted before. */
static bool accepted_is_compared(const struct finding *finding, struct gate_str object) {
    const struct gate_match *match = &finding->accepted->match;
    for (uint32_t i = 0; i < match->count; i++)
        for (uint32_t r = 0; r < match->records[i]->run_count; r++)
            if (gate_str_equal(match->records[i]->runs[r].object, object))
                return true;
    for (uint32_t i = 0; i < finding->accepted->canary.count; i++)
        if (gate_str_equal(finding->canary[i].object, object))
            return true;
    return false;
}

/* Finds runs of the baseline's machine that are not compared, for the noise model. */
static bool find_others(struct finding *finding, struct gate_stored_baseline_others *others) {
    const struct gate_match *match = &finding->accepted->match;
    const char *fact = NULL;
    for (uint32_t i = 0; i < finding->records.count; i++) {
        const struct gate_record *record = &finding->records.items[i];
        if (is_matched(match, record) || gate_match_machines_differ(record, match->records[0], &fact))
            continue;
        for (uint32_t r = 0; r < record->run_count && others->files.count < OTHERS_MAX; r++) {
            struct gate_error why = {0};
            if (!gate_str_equal(record->runs[r].kind, others->kind) ||
                accepted_is_compared(finding, record->runs[r].object))
                continue;
            bool is_intact = gate_objects_check(&finding->store, record->runs[r].object, finding->arena, &why);
            if (!is_intact && why.code != GATE_ERR_FORMAT)
                return gate_error_set(finding->err, why.code, "%s", why.message);
            if (is_intact && !add_object(&others->files, finding, record, &record->runs[r]))
                return false;
        }
    }
    return true;
}

/* ---- baseline and canary as sides -------------------------------------------------------------------------------- */

static bool fill_sides(struct gate_paths sides[GATE_SIDES], const struct finding *finding, struct gate_str kind) {
    struct gate_stored_baseline *accepted = finding->accepted;
    sides[GATE_BASELINE] = sides[GATE_CANARY] = (struct gate_paths){0};
    for (uint32_t i = 0; i < accepted->match.count; i++)
        for (uint32_t r = 0; r < accepted->match.records[i]->run_count; r++)
            if (gate_str_equal(accepted->match.records[i]->runs[r].kind, kind) &&
                !add_object(&sides[GATE_BASELINE], finding, accepted->match.records[i],
                            &accepted->match.records[i]->runs[r]))
                return false;
    for (uint32_t i = 0; i < accepted->canary.count; i++)
        if (gate_str_equal(finding->canary[i].kind, kind) &&
            !gate_paths_add(&sides[GATE_CANARY], accepted->canary.items[i].path, finding->arena, finding->err))
            return false;
    accepted->run_count += sides[GATE_BASELINE].count;
    return true;
}

/* Return whether each kind is a pair of its own. True even if only one of several kinds is left, because rules refer to
 * pairs by the name of the kind. */
static bool is_paired(const struct gate_stored_baseline *accepted) {
    return accepted->kind_count + accepted->missing_count > 1;
}

static bool fill_profiles(struct finding *finding) {
    const struct gate_stored_baseline *accepted = finding->accepted;
    struct gate_profile_options *profiles = finding->profiles;
    if (!is_paired(accepted))
        return fill_sides(profiles->paths, finding, accepted->kinds[0]);
    profiles->paths[GATE_CANARY] = (struct gate_paths){0};
    profiles->pairs.items = GATE_NEW_ARRAY(finding->arena, struct gate_profile_pair, accepted->kind_count);
    if (profiles->pairs.items == NULL)
        return gate_arena_error(finding->arena, finding->err);
    for (uint32_t i = 0; i < accepted->kind_count; i++) {
        struct gate_profile_pair *pair = &profiles->pairs.items[profiles->pairs.count++];
        pair->label = accepted->kinds[i];
        if (!fill_sides(pair->paths, finding, accepted->kinds[i]))
            return false;
    }
    return true;
}

/* Lists the services in the store, for a message: "'cart', 'shop'". The service given may be misspelt. */
static bool find_services(struct finding *finding) {
    enum { SHOWN = 8 };
    struct gate_records all = {0};
    struct gate_str seen[SHOWN];
    size_t count = 0;
    struct gate_buf text = {0};
    if (!gate_records_list(&all, &finding->store, GATE_STR(""), GATE_STR(""), finding->arena, finding->err))
        return false;
    for (uint32_t i = 0; i < all.count && count < SHOWN; i++) {
        bool is_known = false;
        for (size_t s = 0; s < count; s++)
            is_known = is_known || gate_str_equal(seen[s], all.items[i].service);
        if (is_known)
            continue;
        gate_buf_printf(&text, "%s'%.*s'", count == 0 ? "" : ", ", GATE_STR_ARG(all.items[i].service));
        seen[count++] = all.items[i].service;
    }
    return gate_buf_keep_into(&finding->accepted->services, &text, finding->arena, finding->err);
}

static bool find_in_store(struct finding *finding) {
    struct gate_stored_baseline *accepted = finding->accepted;
    if (!gate_records_list(&finding->records, &finding->store, gate_store_options_service_name(&accepted->where),
                           gate_store_options_environment_name(&accepted->where), finding->arena, finding->err))
        return false;
    for (uint32_t i = 0; i < finding->records.damaged_count; i++)
        if (!add_damage(finding, finding->records.damaged[i]))
            return false;
    if (!find_match(finding) || accepted->is_missing)
        return accepted->is_missing && finding->err->code == GATE_OK && (!accepted->is_first || find_services(finding));
    accepted->others = GATE_NEW_ARRAY(finding->arena, struct gate_stored_baseline_others, accepted->kind_count);
    if (accepted->others == NULL)
        return gate_arena_error(finding->arena, finding->err);
    for (uint32_t i = 0; i < accepted->kind_count; i++) {
        accepted->others[i].kind = accepted->kinds[i];
        if (!find_others(finding, &accepted->others[i]))
            return false;
    }
    return gate_match_other_kinds(&accepted->lacking, &accepted->lacking_count, &accepted->match, &finding->records,
                                  accepted->kinds, accepted->kind_count + accepted->missing_count, finding->arena,
                                  finding->err) &&
           fill_profiles(finding);
}

/* Adds work: with one kind for both sides, with several kinds to each pair whose runs all have it. */
static bool add_work(struct finding *finding, struct gate_judge_options *judging) {
    const struct gate_stored_baseline *accepted = finding->accepted;
    struct gate_profile_pairs *pairs = &finding->profiles->pairs;
    if (!is_paired(accepted))
        return add_accepted_work(judging, &accepted->match, finding->canary, accepted->canary.count, finding->arena,
                                 finding->err);
    for (uint32_t i = 0; i < pairs->count; i++)
        if (!add_pair_work(&pairs->items[i].work, &accepted->match, finding->canary, accepted->canary.count,
                           pairs->items[i].label, finding->arena, finding->err))
            return false;
    return true;
}

void gate_stored_baseline_close(struct gate_stored_baseline *accepted) {
    if (accepted->holds_store)
        gate_store_close(&accepted->store);
    accepted->holds_store = false;
}

bool gate_stored_baseline_find(struct gate_stored_baseline *accepted, struct gate_profile_options *profiles,
                               struct gate_judge_options *judging, struct gate_session *session,
                               struct gate_error *err) {
    struct gate_error why = {0};
    struct finding finding = {
        .accepted = accepted, .profiles = profiles, .session = session, .arena = session->arena, .err = &why};
    if (accepted->where.store == NULL)
        return (!accepted->accept_first && accepted->where.service == NULL) ||
               gate_error_set(err, GATE_ERR_USAGE, "'%s' is for baselines of a store; add --store DIR",
                              accepted->accept_first ? "--accept-first" : "--service");
    bool ok = check_usage(&finding) && find_canary(&finding) && find_change(&finding) &&
              gate_store_options_open(&finding.store, &accepted->where, session->arena, &why);
    if (ok) {
        ok = find_in_store(&finding) && (accepted->is_missing || add_work(&finding, judging));
        accepted->store = finding.store;
        accepted->holds_store = true;
    }
    if (!ok || accepted->is_missing)
        gate_stored_baseline_close(accepted);
    judging->accepted = accepted;
    if (!ok)
        *err = why;
    return ok;
}
