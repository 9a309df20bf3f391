/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring until it is decided (see rounds.h). */
#include "gate/cli/rounds.h"

#include "gate/capture/manifest_file.h"
#include "gate/cli/judge_digest.h"
#include "gate/cli/manifest_dir.h"
#include "gate/cli/progress.h"
#include "gate/rules/guard_rules.h"

#include <time.h>

/* What a look that decided nothing left open. */
struct open {
    uint32_t findings;
    bool is_lasting;       /* no number of rounds would change it */
    struct gate_str first; /* what its finding is about; arena memory of the run */
};

/* The rounds so far. */
struct going {
    const struct gate_rounds *rounds;
    struct gate_decision *decision;
    struct gate_rules *rules;
    struct gate_cli *cli;
    enum gate_on_inconclusive wanted; /* what the user makes of an inconclusive verdict, in the end */
    struct gate_manifest_looks looks;
    double began, longest; /* seconds: of the clock, and of a round */
    uint32_t taken;
    struct gate_verdict *verdict; /* of the last look */
    struct open open;             /* where it decided nothing */
};

static double clock_seconds(void) {
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- one look ---------------------------------------------------------------------------------------------------- */

/* Judge what is there. Whatever was loaded and made for it is `arena`'s. */
static bool look_judge(const struct going *going, struct gate_arena *arena, struct gate_error *err) {
    struct gate_cli cli = *going->cli;
    struct gate_profile_options profiles = going->decision->profiles;
    struct gate_judge_options judging = going->decision->judging;
    struct gate_buf notes = {0}; /* of rounds that are not whole: those who took them have said so */
    cli.arena = arena;
    judging.looks = (struct gate_looks){
        .fractions = going->looks.fractions, .count = going->looks.count, .planned = going->looks.planned};
    bool ok = gate_manifest_dir_fill(&profiles, &judging, &notes, going->rounds->dir, arena, err) &&
              gate_judge_reach(going->verdict, &cli, &profiles, going->rules, &judging, err);
    gate_buf_free(&notes);
    return ok;
}

/* The rules as they were loaded: a look may have chosen others by what it found (budget/default_rules.h). */
static bool rules_renew(const struct going *going, struct gate_error *err) {
    if (!going->rules->is_default)
        return true;
    gate_rules_free(going->rules);
    return gate_decision_load_rules(going->rules, going->decision, going->cli, err);
}

static struct open open_of(const struct gate_verdict *verdict, struct gate_arena *arena) {
    struct open open = {.is_lasting = !gate_finding_wants_samples(verdict->budgets, verdict->budget_count)};
    for (uint32_t i = 0; i < verdict->warning_count; i++) {
        struct gate_str code = verdict->warnings[i].code;
        bool is_raised = gate_guard_severity(verdict->rules, code) == GATE_SEVERITY_ERROR;
        open.is_lasting = open.is_lasting || (is_raised && !gate_guard_passes(code));
    }
    for (uint32_t b = 0; b < verdict->budget_count; b++)
        for (uint32_t f = 0; f < verdict->budgets[b].finding_count; f++) {
            const struct gate_finding *finding = &verdict->budgets[b].findings[f];
            if (finding->outcome != GATE_OUTCOME_INCONCLUSIVE)
                continue;
            if (open.findings++ == 0)
                open.first = gate_str_copy(arena, finding->function);
        }
    return open;
}

static bool is_last_look(const struct going *going) {
    return going->looks.fractions[going->looks.count - 1] >= 1.0;
}

static bool is_decided(const struct going *going) {
    return is_last_look(going) || going->verdict->outcome != GATE_OUTCOME_INCONCLUSIVE;
}

/* Look at what was taken, at the last of the levels. A verdict that decides nothing is not kept. */
static bool look(struct going *going, struct gate_error *err) {
    struct gate_arena arena;
    if (!rules_renew(going, err))
        return false;
    going->rules->on_inconclusive = is_last_look(going) ? going->wanted : GATE_ON_INCONCLUSIVE_INCONCLUSIVE;
    gate_arena_fork(&arena, going->cli->arena);
    gate_progress_stage(going->cli->progress, "reading profiles");
    bool ok = look_judge(going, &arena, err);
    if (ok && !is_decided(going)) {
        going->open = open_of(going->verdict, going->cli->arena);
        gate_arena_free(&arena);
        return true;
    }
    gate_arena_absorb(going->cli->arena, &arena); /* after an error too: it may be told with texts of it */
    return ok;
}

/* What the folder's manifest says of the looks, from now on. */
static bool looks_keep(const struct going *going, struct gate_error *err) {
    going->rounds->manifest->looks = going->looks;
    return gate_manifest_file_write(going->rounds->manifest, going->rounds->dir, going->cli->arena, err);
}

/* A look of its own at all rounds so far. */
static bool look_next(struct going *going, bool is_last, struct gate_error *err) {
    struct gate_manifest_looks *looks = &going->looks;
    double before = looks->count == 0 ? 0.0 : looks->fractions[looks->count - 1];
    double now = is_last || going->taken >= looks->planned ? 1.0 : (double)going->taken / looks->planned;
    if (now > before) {
        looks->count += looks->count < looks->planned;
        looks->fractions[looks->count - 1] = now;
    }
    looks->round = going->taken;
    if (!look(going, err))
        return false;
    if (!is_decided(going) && going->open.is_lasting) { /* what was found is all there is to say */
        looks->fractions[looks->count - 1] = 1.0;
        if (!look(going, err))
            return false;
    }
    return looks_keep(going, err);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static void tell_open(const struct going *going) {
    const struct open *open = &going->open;
    struct gate_buf text = {0};
    gate_buf_printf(&text, "round %u of at most %u: undecided, ", (unsigned)going->taken,
                    (unsigned)going->looks.planned);
    if (open->first.len > 0)
        gate_buf_printf(&text, "'%.*s'", GATE_STR_ARG(open->first));
    if (open->first.len > 0 && open->findings > 1)
        gate_buf_printf(&text, " and %u more ", (unsigned)open->findings - 1);
    gate_buf_text(&text, open->first.len == 0 ? "more runs are taken" : open->findings == 1 ? " is open" : "are open");
    gate_cli_note(going->cli, gate_buf_view(&text));
    gate_buf_free(&text);
}

/* Take one more round. */
static bool round_take(struct going *going, struct gate_error *err) {
    const struct gate_rounds *rounds = going->rounds;
    struct gate_error why = {0};
    gate_progress_stage(going->cli->progress, "taking profiles");
    if (!rounds->take(rounds->context, going->taken + 1, &why))
        return gate_error_set(err, why.code, "%s%s", why.message,
                              going->taken > 0 && rounds->goes_on ? " (the same command goes on)" : "");
    uint32_t last = gate_manifest_last_round(rounds->manifest); /* the same again where half of it was there */
    going->taken = last > going->taken ? last : going->taken + 1;
    return true;
}

/* A round and the look after it, with an eye on the clock. */
static bool round_and_look(struct going *going, struct gate_error *err) {
    double most = going->rounds->max_seconds, from = clock_seconds();
    if (!round_take(going, err)) {
        const bool *is_over = going->rounds->is_over;
        if (is_over == NULL || !*is_over || going->looks.count == 0)
            return false;
        gate_cli_note(going->cli, gate_str_from(err->message)); /* what was taken before is judged for the last time */
        *err = (struct gate_error){0};
        going->taken = gate_manifest_last_round(going->rounds->manifest); /* with those that came of one side alone */
        return look_next(going, true, err);
    }
    double now = clock_seconds(), took = now - from > going->longest ? now - from : going->longest;
    bool is_late = most > 0.0 && now - going->began + took > most;
    if (!look_next(going, going->taken >= going->looks.planned || is_late, err))
        return false;
    took = clock_seconds() - from;
    going->longest = took > going->longest ? took : going->longest;
    return true;
}

/* The last round of which there is anything to compare, or 0: who was ended in the middle of one may have taken one
 * side of it. */
static uint32_t last_round_of_both(const struct gate_manifest *manifest) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < manifest->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (manifest->runs[i].round == manifest->runs[j].round && manifest->runs[i].round > last &&
                manifest->runs[i].side != manifest->runs[j].side &&
                gate_str_equal(manifest->runs[i].kind, manifest->runs[j].kind))
                last = manifest->runs[i].round;
    return last;
}

/* Go on by the plan of a folder: its verdict, where there was one, and else the look that it waits for, whose verdict
 * nobody has been told. */
static bool resume(struct going *going, struct gate_error *err) {
    const struct gate_manifest *manifest = going->rounds->manifest;
    const char *dir = going->rounds->dir;
    struct gate_buf text = {0};
    if (!gate_str_equal(manifest->looks.rules, going->looks.rules))
        return gate_error_set(err, GATE_ERR_USAGE,
                              "%s: these profiles were judged by other rules or options while they were taken; judge "
                              "them anew with check, or name another folder",
                              dir);
    memcpy(going->looks.fractions, manifest->looks.fractions, manifest->looks.count * sizeof(double));
    going->looks.count = manifest->looks.count;
    going->looks.planned = manifest->looks.planned;
    going->looks.round = manifest->looks.round;
    going->taken = last_round_of_both(manifest);
    if (going->taken == 0)
        return true; /* a plan alone, or half a round */
    bool is_new = going->taken > manifest->looks.round && (going->looks.count == 0 || !is_last_look(going));
    if (!(is_new ? look_next(going, false, err) : look(going, err)))
        return false;
    if (is_decided(going) && is_new)
        return true;
    if (is_decided(going))
        return gate_error_set(err, GATE_ERR_USAGE,
                              "%s: what was taken there is decided, and check tells its verdict again; name another "
                              "folder for another canary",
                              dir);
    gate_buf_printf(&text, "%s has been looked at before: what was left open there goes on by the same plan", dir);
    gate_cli_note(going->cli, gate_buf_view(&text));
    gate_buf_free(&text);
    return true;
}

bool gate_rounds_run(struct gate_verdict *out, const struct gate_rounds *rounds, struct gate_decision *decision,
                     struct gate_rules *rules, struct gate_cli *cli, struct gate_error *err) {
    struct going going = {.rounds = rounds,
                          .decision = decision,
                          .rules = rules,
                          .cli = cli,
                          .wanted = rules->on_inconclusive,
                          .looks = {.planned = rounds->planned},
                          .began = clock_seconds(),
                          .verdict = out};
    going.looks.fractions = GATE_NEW_ARRAY(cli->arena, double, GATE_SPENDING_LOOKS_MAX);
    if (going.looks.fractions == NULL)
        return gate_arena_error(cli->arena, err);
    if (!gate_judge_digest(&going.looks.rules, rules, &decision->profiles, &decision->judging, cli, err))
        return false;
    if (!(rounds->manifest->looks.planned > 0 ? resume(&going, err) : looks_keep(&going, err)))
        return false;
    while (going.looks.count == 0 || !is_decided(&going)) {
        if (!round_and_look(&going, err))
            return false;
        if (!is_decided(&going))
            tell_open(&going);
    }
    return true;
}
