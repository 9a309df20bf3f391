/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/session/manifest_dir.h"

#include "gate/base/hash.h"
#include "gate/capture/capture_kind.h"
#include "gate/capture/manifest.h"
#include "gate/compare/pair.h"
#include "gate/formats/format.h"
#include "gate/session/judge_options.h"
#include "gate/session/profile_options.h"
#include "gate/session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { ADDRESSES_MAX = 16, LISTED_MAX = 8 }; /* at most; LISTED_MAX: rounds or ranges of them in a sentence */

/* Append a warning. `message.ptr` NULL means that the arena is full. */
static bool warning_append(struct gate_warning_list *out, struct gate_warning warning, struct gate_arena *arena,
                           struct gate_error *err) {
    if (warning.message.ptr == NULL || !GATE_GROW(arena, out->items, out->count, out->capacity))
        return gate_arena_error(arena, err);
    out->items[out->count++] = warning;
    return true;
}

/* ---- one process under two addresses ----------------------------------------------------------------------------- */

/* A program that ends one profile may begin the next one while it sends the first, so two windows of one process may
 * overlap by this part of the shorter one. */
static const double OVERLAP_MOST = 0.10;

static bool are_apart(const struct gate_manifest_run *a, const struct gate_manifest_run *b) {
    int64_t from = a->start_ms > b->start_ms ? a->start_ms : b->start_ms;
    int64_t to = a->end_ms < b->end_ms ? a->end_ms : b->end_ms;
    int64_t one = a->end_ms - a->start_ms, two = b->end_ms - b->start_ms;
    return (double)to - (double)from <= OVERLAP_MOST * (double)(one < two ? one : two);
}

/* Return whether two runs of a round may be profiles of one process. */
static bool may_be_one(const struct gate_manifest_run *a, const struct gate_manifest_run *b) {
    bool is_busy = a->retried == GATE_RETRIED_BUSY || b->retried == GATE_RETRIED_BUSY;
    bool is_build = a->revision.len == 0 || b->revision.len == 0 || gate_str_equal(a->revision, b->revision);
    return are_apart(a, b) && is_busy && is_build;
}

/* Return the number of rounds in which the addresses of `a` and `b` have runs, or 0 if one of these rounds shows that
 * they are two processes. */
static uint32_t rounds_as_one(const struct gate_taken_kind *of, const struct gate_manifest_run *a,
                              const struct gate_manifest_run *b) {
    const struct gate_manifest_run *const *canary = of->runs[GATE_CANARY];
    uint32_t rounds = 0, from = 0, counted = 0;
    for (uint32_t i = 0; i < of->counts[GATE_BASELINE]; i++) {
        const struct gate_manifest_run *run = of->runs[GATE_BASELINE][i];
        if (!gate_str_equal(run->source, a->source))
            continue;
        while (from < of->counts[GATE_CANARY] && canary[from]->round < run->round)
            from++;
        for (uint32_t j = from; j < of->counts[GATE_CANARY] && canary[j]->round == run->round; j++) {
            if (!gate_str_equal(canary[j]->source, b->source))
                continue;
            if (!may_be_one(run, canary[j]))
                return 0;
            rounds += run->round != counted; /* one round may have several runs of an address */
            counted = run->round;
        }
    }
    return rounds;
}

static struct gate_str one_process(const struct gate_taken_kind *of, const struct gate_manifest_run *a,
                                   const struct gate_manifest_run *b, uint32_t rounds, struct gate_arena *arena) {
    struct gate_str when =
        rounds == 1 ? GATE_STR("in its only round") : gate_str_format(arena, "in each of %u rounds", (unsigned)rounds);
    return when.ptr == NULL
               ? when
               : gate_str_format(arena,
                                 "%.*s: both sides seem to be one process under two addresses (%.*s and %.*s): %.*s "
                                 "the program was busy with the profile of one side when that of the other was "
                                 "requested; give the address of each side's own process, and stop other profilers",
                                 GATE_STR_ARG(of->kind), GATE_STR_ARG(a->instance), GATE_STR_ARG(b->instance),
                                 GATE_STR_ARG(when));
}

static uint32_t addresses_of(const struct gate_taken_kind *of, enum gate_side_name side) {
    uint32_t count = 0;
    while (count < of->counts[side] && count < ADDRESSES_MAX &&
           of->runs[side][count]->round == of->runs[side][0]->round)
        count++;
    return count;
}

static bool warn_one_process(struct gate_warning_list *out, const struct gate_taken_kind *of, struct gate_arena *arena,
                             struct gate_error *err) {
    const uint32_t counts[] = {addresses_of(of, GATE_BASELINE), addresses_of(of, GATE_CANARY)};
    for (uint32_t i = 0; i < counts[GATE_BASELINE]; i++)
        for (uint32_t j = 0; j < counts[GATE_CANARY]; j++) {
            const struct gate_manifest_run *a = of->runs[GATE_BASELINE][i], *b = of->runs[GATE_CANARY][j];
            uint32_t rounds = rounds_as_one(of, a, b);
            if (rounds == 0)
                continue;
            const struct gate_warning warning = {GATE_GUARD_ONE_PROCESS, one_process(of, a, b, rounds, arena),
                                                 rounds == 1};
            return warning_append(out, warning, arena, err);
        }
    return true;
}

/* ---- programs that broke off a profile --------------------------------------------------------------------------- */

/* Return whether the run shows that its program was restarted or down. In the first round it may just have started. */
static bool was_interrupted(const struct gate_manifest_run *run, enum gate_retried why) {
    return run->retried == why && (why == GATE_RETRIED_CUT || run->round > 1);
}

/* Append the warning about the runs of a side that were repeated for this reason. */
static bool warn_retried(struct gate_warning_list *out, const struct gate_taken_kind *of, enum gate_side_name side,
                         enum gate_retried why, uint32_t last, struct gate_arena *arena, struct gate_error *err) {
    struct gate_buf list = {0};
    uint32_t count = 0, before = 0;
    struct gate_str instance = {0};
    for (uint32_t i = 0; i < of->counts[side]; i++) {
        const struct gate_manifest_run *run = of->runs[side][i];
        if (!was_interrupted(run, why) || run->round == before)
            continue;
        instance = count == 0 ? run->instance : instance;
        before = run->round;
        if (count++ < LISTED_MAX)
            gate_buf_printf(&list, "%s%u", count == 1 ? "" : ", ", (unsigned)run->round);
    }
    bool is_one = count == 1, is_cut = why == GATE_RETRIED_CUT, failed = list.failed;
    struct gate_str text = gate_str_format(
        arena, "round%s %.*s%s of %u: the %s (%.*s) %s its %.*s profile%s%s %s taken %s: did it crash or restart?",
        is_one ? "" : "s", GATE_STR_ARG(gate_buf_view(&list)), count > LISTED_MAX ? ", ..." : "", (unsigned)last,
        gate_side_word(side), GATE_STR_ARG(instance), is_cut ? "broke off" : "could not be reached at first, and",
        GATE_STR_ARG(of->kind), is_one ? "" : "s", is_cut ? ", which" : "", is_one ? "was" : "were",
        is_cut ? "again" : "later");
    gate_buf_free(&list);
    if (failed)
        return gate_error_set(err, GATE_ERR_MEMORY, "out of memory");
    return count == 0 || warning_append(out, (struct gate_warning){GATE_GUARD_RETRIED, text, false}, arena, err);
}

bool gate_taken_runs_warn(struct gate_warning_list *out, const struct gate_taken_kind *of, uint32_t last,
                          struct gate_arena *arena, struct gate_error *err) {
    if (!warn_one_process(out, of, arena, err))
        return false;
    for (int side = 0; side < GATE_SIDES; side++)
        if (!warn_retried(out, of, (enum gate_side_name)side, GATE_RETRIED_CUT, last, arena, err) ||
            !warn_retried(out, of, (enum gate_side_name)side, GATE_RETRIED_DOWN, last, arena, err))
            return false;
    return true;
}

/* ---- rounds that cannot be compared ------------------------------------------------------------------------------ */

/* Which side has no run in a round. */
enum lacking { LACKING_BASELINE = GATE_BASELINE, LACKING_CANARY = GATE_CANARY, LACKING_BOTH, LACKING_NONE };

/* Ranges of rounds with the same missing side, as text. */
struct ranges {
    struct gate_buf text;
    uint64_t rounds;
    uint32_t listed;
};

static void ranges_add(struct ranges *ranges, uint64_t from, uint64_t to) {
    ranges->rounds += to - from + 1;
    if (ranges->listed++ >= LISTED_MAX)
        return;
    gate_buf_printf(&ranges->text, "%s%u", ranges->listed == 1 ? "" : ", ", (unsigned)from);
    if (to > from)
        gate_buf_printf(&ranges->text, "%s%u", to == from + 1 ? ", " : " to ", (unsigned)to);
}

/* Groups the rounds from 1 on into ranges with the same missing side. */
struct dealing {
    struct ranges ranges[LACKING_NONE];
    enum lacking lacking;
    uint64_t from, next; /* the current range: from `from` to before `next` */
};

static void deal(struct dealing *dealing, uint64_t to, enum lacking lacking) {
    if (to < dealing->next)
        return;
    if (lacking != dealing->lacking) {
        if (dealing->lacking != LACKING_NONE)
            ranges_add(&dealing->ranges[dealing->lacking], dealing->from, dealing->next - 1);
        dealing->from = dealing->next;
        dealing->lacking = lacking;
    }
    dealing->next = to + 1;
}

static void deal_all(struct dealing *dealing, const struct gate_taken_kind *of, uint32_t last) {
    uint32_t at[GATE_SIDES] = {0, 0};
    uint64_t round[GATE_SIDES];
    *dealing = (struct dealing){.lacking = LACKING_NONE, .from = 1, .next = 1};
    while (at[GATE_BASELINE] < of->counts[GATE_BASELINE] || at[GATE_CANARY] < of->counts[GATE_CANARY]) {
        for (int side = 0; side < GATE_SIDES; side++)
            round[side] = at[side] < of->counts[side] ? of->runs[side][at[side]]->round : UINT64_MAX;
        uint64_t now = round[GATE_BASELINE] < round[GATE_CANARY] ? round[GATE_BASELINE] : round[GATE_CANARY];
        deal(dealing, now - 1, LACKING_BOTH);
        deal(dealing, now,
             round[GATE_BASELINE] == round[GATE_CANARY] ? LACKING_NONE
             : round[GATE_BASELINE] > now               ? LACKING_BASELINE
                                                        : LACKING_CANARY);
        for (int side = 0; side < GATE_SIDES; side++)
            while (at[side] < of->counts[side] && of->runs[side][at[side]]->round == now)
                at[side]++;
    }
    deal(dealing, last, LACKING_BOTH);
    if (dealing->lacking != LACKING_NONE)
        ranges_add(&dealing->ranges[dealing->lacking], dealing->from, dealing->next - 1);
}

/* Returns "rounds 3, 5 to 7 of 9 have no cpu profiles of the canary and are left out; ..." */
static struct gate_str sentence(const struct ranges *ranges, const struct gate_taken_kind *of, enum lacking lacking,
                                uint32_t last, struct gate_arena *arena) {
    static const char *const of_whom[] = {
        [LACKING_BASELINE] = "of the baseline", [LACKING_CANARY] = "of the canary", [LACKING_BOTH] = "of either side"};
    bool is_one = ranges->rounds == 1;
    struct gate_str list = gate_buf_view(&ranges->text);
    return gate_str_format(arena,
                           "round%s %.*s%s of %u %s no %.*s profile%s %s and %s left out; see whether %s up then, "
                           "%s",
                           is_one ? "" : "s", GATE_STR_ARG(list), ranges->listed > LISTED_MAX ? ", ..." : "",
                           (unsigned)last, is_one ? "has" : "have", GATE_STR_ARG(of->kind), is_one ? "" : "s",
                           of_whom[lacking], is_one ? "is" : "are", lacking == LACKING_BOTH ? "they were" : "it was",
                           gate_str_equal(of->kind, GATE_STR("allocs"))
                               ? "had work, and collected garbage, since Go counts until its last collection"
                               : "and had work");
}

static bool append(struct gate_skipped_rounds *out, struct gate_str text, struct gate_arena *arena,
                   struct gate_error *err) {
    if (text.ptr == NULL || !GATE_GROW(arena, out->items, out->count, out->capacity))
        return gate_arena_error(arena, err);
    out->items[out->count++] = text;
    return true;
}

bool gate_skipped_rounds_add(struct gate_skipped_rounds *out, const struct gate_taken_kind *of, uint32_t last,
                             struct gate_arena *arena, struct gate_error *err) {
    struct dealing dealing;
    bool ok = true;
    deal_all(&dealing, of, last);
    for (int i = 0; i < LACKING_NONE; i++) {
        const struct ranges *ranges = &dealing.ranges[i];
        if (ok && ranges->text.failed)
            ok = gate_error_set(err, GATE_ERR_MEMORY, "out of memory");
        if (ok && ranges->rounds > 0)
            ok = append(out, sentence(ranges, of, (enum lacking)i, last, arena), arena, err);
        gate_buf_free(&dealing.ranges[i].text);
    }
    return ok;
}

/**
 * Append a sentence on a kind that cannot be compared: "the canary has no cpu profiles, while the baseline has 3: …".
 *
 * of    all runs of the kind, including those without a partner
 */
static bool skipped_rounds_add_kind(struct gate_skipped_rounds *out, const struct gate_taken_kind *of,
                                    struct gate_arena *arena, struct gate_error *err) {
    int lacking = of->counts[GATE_BASELINE] == 0 ? GATE_BASELINE : GATE_CANARY;
    struct gate_str text =
        of->counts[lacking] == 0
            ? gate_str_format(
                  arena,
                  "the %s has no %.*s profiles, while the %s has %u: nothing of that kind was compared; take "
                  "them of both sides",
                  gate_side_word((enum gate_side_name)lacking), GATE_STR_ARG(of->kind),
                  gate_side_word((enum gate_side_name)(1 - lacking)), (unsigned)of->counts[1 - lacking])
            : gate_str_format(
                  arena,
                  "no round has %.*s profiles of both sides: nothing of that kind was compared; take them of "
                  "both sides in each round",
                  GATE_STR_ARG(of->kind));
    return append(out, text, arena, err);
}

/* ---- a folder with a manifest ------------------------------------------------------------------------------------ */

struct filling {
    const char *dir;
    struct gate_manifest manifest;
    struct gate_taken_kind *kinds; /* runs of the same round are in the manifest's order */
    uint32_t kind_count;
    struct gate_skipped_rounds left_out;
    struct gate_skipped_rounds missing; /* sentences on kinds that one side lacks */
    struct gate_buf *notes;
    struct gate_arena *arena;
    struct gate_error *err;
};

/* ---- digests ----------------------------------------------------------------------------------------------------- */

static bool digest_check(const struct filling *filling, const struct gate_manifest_run *run,
                         const struct gate_limits *limits) {
    struct gate_arena file;
    struct gate_str bytes;
    const char *path = gate_path_join(filling->dir, run->file, filling->arena);
    if (path == NULL)
        return gate_arena_error(filling->arena, filling->err);
    gate_arena_fork(&file, filling->arena);
    bool ok = gate_source_read(&bytes, gate_str_from(path), limits, &file, filling->err);
    struct gate_str digest = ok ? gate_sha256_hex(bytes, &file) : GATE_STR("");
    bool is_same = ok && digest.ptr != NULL && gate_str_equal(digest, run->digest);
    gate_arena_free(&file);
    if (!ok)
        return gate_error_prefix(filling->err, "%s", path);
    return is_same || gate_error_set(filling->err, GATE_ERR_INPUT,
                                     "%s: this is not the file that was taken: its digest is not that of the manifest; "
                                     "take the profiles again, or take its run out of " GATE_MANIFEST_FILE,
                                     path);
}

/* ---- kinds and rounds -------------------------------------------------------------------------------------------- */

static struct gate_taken_kind *kind_find(struct filling *filling, struct gate_str kind) {
    for (uint32_t i = 0; i < filling->kind_count; i++)
        if (gate_str_equal(filling->kinds[i].kind, kind))
            return &filling->kinds[i];
    struct gate_taken_kind *found = &filling->kinds[filling->kind_count++];
    found->kind = kind;
    return found;
}

static int run_compare(const void *left, const void *right) {
    const struct gate_manifest_run *a = *(const struct gate_manifest_run *const *)left;
    const struct gate_manifest_run *b = *(const struct gate_manifest_run *const *)right;
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    return (a > b) - (a < b); /* position in the manifest */
}

static bool has_round(const struct gate_taken_kind *of, enum gate_side_name side, uint32_t round) {
    for (uint32_t i = 0; i < of->counts[side]; i++)
        if (of->runs[side][i]->round == round)
            return true;
    return false;
}

static bool round_is_of_both(const struct gate_taken_kind *of, uint32_t round) {
    return has_round(of, GATE_BASELINE, round) && has_round(of, GATE_CANARY, round);
}

/* Removes the runs of all rounds but those that `is_kept`. */
static bool kind_keep(struct gate_taken_kind *of, bool (*is_kept)(const struct gate_taken_kind *of, uint32_t round),
                      const struct filling *filling) {
    const struct gate_taken_kind all = *of;
    for (int side = 0; side < GATE_SIDES; side++) {
        of->runs[side] = GATE_NEW_ARRAY(filling->arena, const struct gate_manifest_run *, all.counts[side]);
        of->counts[side] = 0;
        if (of->runs[side] == NULL)
            return gate_arena_error(filling->arena, filling->err);
        for (uint32_t i = 0; i < all.counts[side]; i++)
            if (is_kept(&all, all.runs[side][i]->round))
                of->runs[side][of->counts[side]++] = all.runs[side][i];
    }
    return true;
}

static bool has_work(const struct gate_manifest_run *run) {
    return run->work > 0 || run->by_count > 0;
}

/* Return whether all runs of a round have work. */
static bool round_has_work(const struct gate_taken_kind *of, uint32_t round) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < of->counts[side]; i++)
            if (of->runs[side][i]->round == round && !has_work(of->runs[side][i]))
                return false;
    return true;
}

/* Return how many baseline runs are of rounds with work. */
static uint32_t count_worked(const struct gate_taken_kind *of) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < of->counts[GATE_BASELINE]; i++)
        found += round_has_work(of, of->runs[GATE_BASELINE][i]->round);
    return found;
}

/* Append "round 2 of 8 has no work of the cpu profiles of both sides and is left out; …". */
static bool skipped_rounds_add_workless(const struct filling *filling, struct gate_skipped_rounds *out,
                                        const struct gate_taken_kind *of) {
    struct ranges ranges = {0};
    uint32_t before = 0, last = gate_manifest_last_round(&filling->manifest);
    for (uint32_t i = 0; i < of->counts[GATE_BASELINE]; i++) {
        uint32_t round = of->runs[GATE_BASELINE][i]->round;
        if (round != before && !round_has_work(of, round))
            ranges_add(&ranges, round, round);
        before = round;
    }
    bool is_one = ranges.rounds == 1, failed = ranges.text.failed;
    struct gate_str text = gate_str_format(filling->arena,
                                           "round%s %.*s%s of %u %s no work of the %.*s profiles of one side or both "
                                           "and %s left out; the counter was not read "
                                           "in time, did not grow, or restarted",
                                           is_one ? "" : "s", GATE_STR_ARG(gate_buf_view(&ranges.text)),
                                           ranges.listed > LISTED_MAX ? ", ..." : "", (unsigned)last,
                                           is_one ? "has" : "have", GATE_STR_ARG(of->kind), is_one ? "is" : "are");
    gate_buf_free(&ranges.text);
    if (failed)
        return gate_error_set(filling->err, GATE_ERR_MEMORY, "out of memory");
    return append(out, text, filling->arena, filling->err);
}

/* Removes rounds without work if more than half of the rounds have it. A kind whose runs do not all have work is
 * compared without any. */
static bool kind_drop_workless(struct filling *filling, struct gate_taken_kind *of) {
    uint32_t worked = count_worked(of), all = of->counts[GATE_BASELINE];
    if (worked == all || 2 * worked <= all)
        return true;
    return skipped_rounds_add_workless(filling, &filling->left_out, of) && kind_keep(of, round_has_work, filling);
}

static bool kinds_collect(struct filling *filling, bool with_work) {
    const struct gate_manifest *manifest = &filling->manifest;
    filling->kinds = GATE_NEW_ARRAY(filling->arena, struct gate_taken_kind, manifest->count);
    if (filling->kinds == NULL)
        return gate_arena_error(filling->arena, filling->err);
    for (uint32_t i = 0; i < manifest->count; i++)
        (void)kind_find(filling, manifest->runs[i].kind);
    for (uint32_t k = 0; k < filling->kind_count; k++) {
        struct gate_taken_kind *of = &filling->kinds[k];
        for (int side = 0; side < GATE_SIDES; side++) {
            of->runs[side] = GATE_NEW_ARRAY(filling->arena, const struct gate_manifest_run *, manifest->count);
            if (of->runs[side] == NULL)
                return gate_arena_error(filling->arena, filling->err);
        }
        for (uint32_t i = 0; i < manifest->count; i++) {
            const struct gate_manifest_run *run = &manifest->runs[i];
            if (gate_str_equal(run->kind, of->kind))
                of->runs[run->side][of->counts[run->side]++] = run;
        }
        for (int side = 0; side < GATE_SIDES; side++)
            qsort((void *)of->runs[side], of->counts[side], sizeof *of->runs[side], run_compare);
        if (!gate_skipped_rounds_add(&filling->left_out, of, gate_manifest_last_round(manifest), filling->arena,
                                     filling->err))
            return false;
        struct gate_taken_kind paired = *of;
        if (!kind_keep(&paired, round_is_of_both, filling))
            return false;
        if (paired.counts[GATE_BASELINE] == 0 &&
            !skipped_rounds_add_kind(&filling->missing, of, filling->arena, filling->err))
            return false;
        *of = paired;
        if (with_work && paired.counts[GATE_BASELINE] > 0 && !kind_drop_workless(filling, of))
            return false;
    }
    return true;
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

/* Adds one number per run: the total if `part` is NULL, else the work of that label value. */
static bool work_add(struct gate_work *work, const struct gate_taken_kind *of, enum gate_side_name side,
                     const struct gate_manifest_work *part, const struct filling *filling) {
    struct gate_work_count count = {.side = side, .count = of->counts[side]};
    double *numbers = GATE_NEW_ARRAY(filling->arena, double, count.count);
    if (numbers == NULL)
        return gate_arena_error(filling->arena, filling->err);
    for (uint32_t i = 0; i < count.count; i++) {
        const struct gate_manifest_run *run = of->runs[side][i];
        numbers[i] = part == NULL ? run->work : gate_manifest_work_of(run->by, run->by_count, part->key, part->value);
    }
    count.runs = numbers;
    if (part != NULL) {
        count.key = part->key;
        count.value = part->value;
    }
    return gate_work_add(work, &count, filling->arena, filling->err);
}

/* Adds the work of a kind's runs: by label if all have that, else the total if all have it, else nothing. */
static bool kind_work(struct gate_work *work, const struct gate_taken_kind *of, const struct filling *filling) {
    bool some = false, whole = true, by_label = true;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < of->counts[side]; i++) {
            const struct gate_manifest_run *run = of->runs[side][i];
            some = some || run->work > 0 || run->by_count > 0;
            whole = whole && run->work > 0;
            by_label = by_label && run->by_count > 0;
        }
    if (some && !whole && !by_label)
        gate_buf_printf(filling->notes, "the work of some runs of %.*s is not known, so that of none counts\n",
                        GATE_STR_ARG(of->kind));
    for (int side = 0; side < GATE_SIDES; side++) {
        if (whole && !by_label && !work_add(work, of, (enum gate_side_name)side, NULL, filling))
            return false;
        for (uint32_t i = 0; by_label && i < of->counts[side]; i++)
            for (uint32_t p = 0; p < of->runs[side][i]->by_count; p++)
                if (!work_add(work, of, (enum gate_side_name)side, &of->runs[side][i]->by[p], filling))
                    return false;
    }
    return true;
}

/* ---- looks ------------------------------------------------------------------------------------------------------- */

/* Runs that were judged while they were captured are judged again with the same looks, and the same --equal. Later
 * rounds are dropped, because the plan does not cover them. */
static void looks_fill(struct gate_judge_options *judging, struct filling *filling) {
    struct gate_manifest *manifest = &filling->manifest;
    const struct gate_manifest_looks *looks = &manifest->looks;
    uint32_t kept = 0;
    judging->judged_by = looks->rules;
    judging->equal = judging->equal == GATE_EQUAL_UNKNOWN ? looks->equal : judging->equal;
    if (looks->count == 0)
        return;
    judging->looks =
        (struct gate_looks){.fractions = looks->fractions, .count = looks->count, .planned = looks->planned};
    if (gate_manifest_last_round(manifest) > looks->round)
        gate_buf_printf(
            filling->notes,
            "only rounds 1 to %u were looked at while they were taken; those that came later are left out\n",
            (unsigned)looks->round);
    for (uint32_t i = 0; i < manifest->count; i++)
        if (manifest->runs[i].round <= looks->round)
            manifest->runs[kept++] = manifest->runs[i];
    manifest->count = kept;
}

/* ---- fill the options -------------------------------------------------------------------------------------------- */

/* Return whether the run counts the events between its start and its end. A command's times include its start-up. */
static bool is_window(const struct gate_manifest_run *run) {
    bool is_requested = gate_str_find(run->source, GATE_STR("://"), 0) != SIZE_MAX;
    for (int kind = 0; is_requested && kind < GATE_CAPTURE_KINDS; kind++)
        if (gate_str_equal(run->kind, gate_str_from(gate_capture_kind_words[kind])))
            return gate_capture_kind_row((enum gate_capture_kind)kind)->takes_time;
    return false;
}

static bool side_fill(struct gate_paths *paths, const struct gate_profile_round **rounds,
                      const struct gate_taken_kind *of, int side, const struct filling *filling) {
    struct gate_profile_round *taken = GATE_NEW_ARRAY(filling->arena, struct gate_profile_round, of->counts[side]);
    if (taken == NULL)
        return gate_arena_error(filling->arena, filling->err);
    *rounds = taken;
    for (uint32_t i = 0; i < of->counts[side]; i++) {
        const struct gate_manifest_run *run = of->runs[side][i];
        const char *path = gate_path_join(filling->dir, run->file, filling->arena);
        taken[i] = (struct gate_profile_round){filling->manifest.interleaved ? run->round : 0, run->start_ms,
                                               is_window(run) ? run->end_ms - run->start_ms : 0};
        if (path == NULL)
            return gate_arena_error(filling->arena, filling->err);
        if (!gate_paths_add(paths, path, filling->arena, filling->err))
            return false;
    }
    return true;
}

/* Return the prefix of the sample types that cannot be compared in profiles of this kind; empty: all can. Allocation
 * profiles contain only what changed during the capture: their "in use" values are differences. Several heap profiles
 * of one process are snapshots: what was allocated counts from its start in all of them. */
static struct gate_str void_types_of(const struct gate_taken_kind *of) {
    if (gate_str_equal(of->kind, GATE_STR("allocs")))
        return GATE_STR("inuse_");
    bool is_series = gate_str_equal(of->kind, GATE_STR("heap")) && of->counts[GATE_BASELINE] > 1;
    return is_series ? GATE_STR("alloc_") : GATE_STR("");
}

static bool pair_fill(struct gate_profile_options *profiles, const struct gate_taken_kind *of, bool with_work,
                      const struct filling *filling) {
    struct gate_profile_pairs *pairs = &profiles->pairs;
    struct gate_profile_pair pair = {.label = of->kind, .void_types = void_types_of(of)};
    for (int side = 0; side < GATE_SIDES; side++)
        if (!side_fill(&pair.paths[side], &pair.rounds[side], of, side, filling))
            return false;
    if (with_work && !kind_work(&pair.work, of, filling))
        return false;
    return GATE_APPEND(filling->arena, pairs->items, pairs->count, pairs->capacity, filling->err, pair);
}

static bool sides_fill(struct gate_profile_options *profiles, struct gate_work *work, const struct gate_taken_kind *of,
                       const struct filling *filling) {
    for (int side = 0; side < GATE_SIDES; side++)
        if (!side_fill(&profiles->paths[side], &profiles->rounds[side], of, side, filling))
            return false;
    profiles->void_types = void_types_of(of);
    profiles->kind = of->kind;
    return work == NULL || kind_work(work, of, filling);
}

/* Keeps the kinds that have runs of both sides. The caller reports the others. */
static uint32_t kinds_keep(struct filling *filling) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < filling->kind_count; i++)
        if (filling->kinds[i].counts[GATE_BASELINE] > 0)
            filling->kinds[kept++] = filling->kinds[i];
    return kept;
}

static void notes_add(const struct gate_skipped_rounds *sentences, const struct filling *filling) {
    for (uint32_t i = 0; i < sentences->count; i++)
        gate_buf_printf(filling->notes, "%.*s\n", GATE_STR_ARG(sentences->items[i]));
}

/* Reports the rounds and kinds that are left out: as warnings if any of the `count` kinds is judged, else as notes. */
static void report_left_out(struct gate_judge_options *judging, uint32_t count, const struct filling *filling) {
    const struct gate_skipped_rounds *left_out = &filling->left_out;
    if (judging != NULL && count > 0) {
        judging->left_out = left_out->items;
        judging->left_out_count = left_out->count;
        judging->missing = filling->missing.items;
        judging->missing_count = filling->missing.count;
        return;
    }
    notes_add(left_out, filling);
    if (count > 0)
        notes_add(&filling->missing, filling);
}

bool gate_manifest_dir_fill(struct gate_profile_options *profiles, struct gate_judge_options *judging,
                            struct gate_buf *notes, const char *dir, struct gate_arena *arena, struct gate_error *err) {
    struct filling filling = {.dir = dir, .notes = notes, .arena = arena, .err = err};
    bool with_work = judging != NULL && judging->work.count == 0 && judging->work_file == NULL;
    if (!gate_manifest_file_read(&filling.manifest, dir, arena, err))
        return false;
    if (judging != NULL && judging->looks.count == 0)
        looks_fill(judging, &filling);
    if (!kinds_collect(&filling, with_work))
        return false;
    uint32_t count = kinds_keep(&filling);
    report_left_out(judging, count, &filling);
    if (count == 0)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%s: no round has runs of both sides, so there is nothing to compare; "
                              "take some of both",
                              dir);
    const uint32_t last = gate_manifest_last_round(&filling.manifest);
    for (uint32_t k = 0; judging != NULL && k < count; k++)
        if (!gate_taken_runs_warn(&judging->taken, &filling.kinds[k], last, arena, err))
            return false;
    for (uint32_t k = 0; k < count; k++)
        for (int side = 0; side < GATE_SIDES; side++)
            for (uint32_t i = 0; i < filling.kinds[k].counts[side]; i++)
                if (!digest_check(&filling, filling.kinds[k].runs[side][i], &profiles->limits))
                    return false;
    if (count == 1)
        return sides_fill(profiles, with_work ? &judging->work : NULL, &filling.kinds[0], &filling);
    for (uint32_t k = 0; k < count; k++)
        if (!pair_fill(profiles, &filling.kinds[k], with_work, &filling))
            return false;
    return true;
}

bool gate_manifest_dir_expand(struct gate_profile_options *profiles, struct gate_judge_options *judging,
                              struct gate_session *session, struct gate_error *err) {
    struct gate_buf notes = {0};
    bool is_named = profiles->pairs.count != 0 || profiles->paths[GATE_BASELINE].count != 0 ||
                    profiles->paths[GATE_CANARY].count != 0;
    struct stat status;
    if (is_named || profiles->arguments.count != 1)
        return true;
    const char *dir = profiles->arguments.items[0];
    if (!gate_manifest_file_exists(dir, session->arena)) {
        if (gate_paths_is_stream(dir))
            return true;
        if (stat(dir, &status) != 0)
            return gate_error_set(err, GATE_ERR_IO, "%s: %s", dir, strerror(errno));
        if (S_ISDIR(status.st_mode))
            return gate_error_set(err, GATE_ERR_INPUT,
                                  "%s: the folder has no " GATE_MANIFEST_FILE ", so it was not captured; expected "
                                  "BASELINE CANARY",
                                  dir);
        return true;
    }
    profiles->arguments.count = 0;
    bool ok = gate_manifest_dir_fill(profiles, judging, &notes, dir, session->arena, err);
    struct gate_str rest = gate_buf_view(&notes), line;
    while (gate_str_line_next(&rest, &line))
        gate_session_note(session, line);
    gate_buf_free(&notes);
    return ok;
}
