/* SPDX-License-Identifier: Apache-2.0 */
/* A folder with a manifest as a command line (see manifest_dir.h). */
#include "gate/cli/manifest_dir.h"

#include "gate/capture/manifest_file.h"
#include "gate/cli/left_out.h"
#include "gate/profile/source.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

struct filling {
    const char *dir;
    struct gate_manifest manifest;
    struct gate_left_out_kind *kinds; /* runs of one round in the manifest's order */
    uint32_t kind_count;
    struct gate_left_out left_out;
    struct gate_buf *notes;
    struct gate_arena *arena;
    struct gate_error *err;
};

/* ---- the files --------------------------------------------------------------------------------------------------- */

static bool digest_check(const struct filling *filling, const struct gate_manifest_run *run,
                         const struct gate_limits *limits) {
    struct gate_arena file;
    struct gate_error why = {0};
    struct gate_str bytes;
    const char *path = gate_manifest_file_path(filling->dir, run->file, filling->arena);
    if (path == NULL)
        return gate_arena_error(filling->arena, filling->err);
    gate_arena_fork(&file, filling->arena);
    bool ok = gate_source_read(&bytes, gate_str_from(path), limits, &file, &why);
    struct gate_str digest = ok ? gate_manifest_digest(bytes, &file) : GATE_STR("");
    bool is_same = ok && digest.ptr != NULL && gate_str_equal(digest, run->digest);
    gate_arena_free(&file);
    if (!ok)
        return gate_error_set(filling->err, why.code, "%s: %s", path, why.message);
    return is_same || gate_error_set(filling->err, GATE_ERR_INPUT,
                                     "%s: this is not the file that was taken: its digest is not that of the manifest; "
                                     "take the profiles again, or take its run out of " GATE_MANIFEST_FILE,
                                     path);
}

/* ---- kinds and rounds -------------------------------------------------------------------------------------------- */

static struct gate_left_out_kind *kind_find(struct filling *filling, struct gate_str kind) {
    for (uint32_t i = 0; i < filling->kind_count; i++)
        if (gate_str_equal(filling->kinds[i].kind, kind))
            return &filling->kinds[i];
    struct gate_left_out_kind *found = &filling->kinds[filling->kind_count++];
    found->kind = kind;
    return found;
}

static int run_compare(const void *left, const void *right) {
    const struct gate_manifest_run *a = *(const struct gate_manifest_run *const *)left;
    const struct gate_manifest_run *b = *(const struct gate_manifest_run *const *)right;
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    return (a > b) - (a < b); /* the place in the manifest */
}

static bool round_is_there(const struct gate_left_out_kind *of, enum gate_side_name side, uint32_t round) {
    for (uint32_t i = 0; i < of->counts[side]; i++)
        if (of->runs[side][i]->round == round)
            return true;
    return false;
}

/* Leave out rounds of one side alone, which have nothing to be compared with. */
static void kind_pair(struct gate_left_out_kind *of) {
    const struct gate_left_out_kind all = *of;
    uint32_t kept[GATE_SIDES] = {0, 0};
    const struct gate_manifest_run **runs[GATE_SIDES] = {of->runs[0] + of->counts[0], of->runs[1] + of->counts[1]};
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < all.counts[side]; i++)
            if (round_is_there(&all, (enum gate_side_name)(1 - side), all.runs[side][i]->round))
                runs[side][kept[side]++] = all.runs[side][i];
    for (int side = 0; side < GATE_SIDES; side++) {
        of->runs[side] = runs[side];
        of->counts[side] = kept[side];
    }
}

static bool kinds_collect(struct filling *filling) {
    const struct gate_manifest *manifest = &filling->manifest;
    const size_t room = 2 * (size_t)manifest->count + 1; /* all of them, and those that are kept */
    filling->kinds = GATE_NEW_ARRAY(filling->arena, struct gate_left_out_kind, (size_t)manifest->count + 1);
    if (filling->kinds == NULL)
        return gate_arena_error(filling->arena, filling->err);
    for (uint32_t i = 0; i < manifest->count; i++)
        (void)kind_find(filling, manifest->runs[i].kind);
    for (uint32_t k = 0; k < filling->kind_count; k++) {
        struct gate_left_out_kind *of = &filling->kinds[k];
        for (int side = 0; side < GATE_SIDES; side++) {
            of->runs[side] = gate_arena_calloc(filling->arena, room, sizeof *of->runs[side]);
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
        if (!gate_left_out_add(&filling->left_out, of, gate_manifest_last_round(manifest), filling->arena,
                               filling->err))
            return false;
        kind_pair(of);
    }
    return true;
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

static double part_of(const struct gate_manifest_run *run, const struct gate_manifest_work *part) {
    for (uint32_t i = 0; i < run->by_count; i++)
        if (gate_str_equal(run->by[i].key, part->key) && gate_str_equal(run->by[i].value, part->value))
            return run->by[i].number;
    return 0;
}

/* One number a run: of a label's value, or, with a NULL `part`, of all. */
static bool work_add(struct gate_work *work, const struct gate_left_out_kind *of, enum gate_side_name side,
                     const struct gate_manifest_work *part, const struct filling *filling) {
    struct gate_work_count count = {.side = side, .count = of->counts[side]};
    double *numbers = GATE_NEW_ARRAY(filling->arena, double, (size_t)count.count + 1);
    if (numbers == NULL)
        return gate_arena_error(filling->arena, filling->err);
    for (uint32_t i = 0; i < count.count; i++)
        numbers[i] = part == NULL ? of->runs[side][i]->work : part_of(of->runs[side][i], part);
    count.runs = numbers;
    if (part != NULL) {
        count.key = part->key;
        count.value = part->value;
    }
    return gate_work_add(work, &count, filling->arena, filling->err);
}

/* What a kind's runs did: by label where all were told so, else as a whole where all were, else nothing. */
static bool kind_work(struct gate_work *work, const struct gate_left_out_kind *of, const struct filling *filling) {
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

/* Runs that were looked at while they were taken are judged again as they were then, without rounds that came later:
 * the plan knows nothing of those. */
static void looks_fill(struct gate_judge_options *judging, struct filling *filling) {
    struct gate_manifest *manifest = &filling->manifest;
    const struct gate_manifest_looks *looks = &manifest->looks;
    uint32_t kept = 0;
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

/* ---- to options -------------------------------------------------------------------------------------------------- */

static bool side_fill(struct gate_paths *paths, const uint32_t **rounds, const struct gate_left_out_kind *of, int side,
                      const struct filling *filling) {
    uint32_t *numbers = GATE_NEW_ARRAY(filling->arena, uint32_t, (size_t)of->counts[side] + 1);
    if (numbers == NULL)
        return gate_arena_error(filling->arena, filling->err);
    *rounds = numbers;
    for (uint32_t i = 0; i < of->counts[side]; i++) {
        const struct gate_manifest_run *run = of->runs[side][i];
        const char *path = gate_manifest_file_path(filling->dir, run->file, filling->arena);
        numbers[i] = filling->manifest.interleaved ? run->round : 0;
        if (path == NULL)
            return gate_arena_error(filling->arena, filling->err);
        if (!gate_paths_add(paths, path, filling->arena, filling->err))
            return false;
    }
    return true;
}

/* Allocations are taken as those of a time, beside which the profile has how much more or less was in use after it. */
static bool is_growth(const struct gate_left_out_kind *of) {
    return gate_str_equal(of->kind, GATE_STR("allocs"));
}

static bool pair_fill(struct gate_profile_options *profiles, const struct gate_left_out_kind *of, bool with_work,
                      const struct filling *filling) {
    struct gate_profile_pairs *pairs = &profiles->pairs;
    struct gate_profile_pair pair = {.label = of->kind, .is_growth = is_growth(of)};
    for (int side = 0; side < GATE_SIDES; side++)
        if (!side_fill(&pair.paths[side], &pair.rounds[side], of, side, filling))
            return false;
    if (with_work && !kind_work(&pair.work, of, filling))
        return false;
    struct gate_profile_pair *items =
        gate_arena_grow(filling->arena, pairs->items, pairs->count, &pairs->capacity, sizeof *items);
    if (items == NULL)
        return gate_arena_error(filling->arena, filling->err);
    pairs->items = items;
    pairs->items[pairs->count++] = pair;
    return true;
}

static bool sides_fill(struct gate_profile_options *profiles, struct gate_work *work,
                       const struct gate_left_out_kind *of, const struct filling *filling) {
    for (int side = 0; side < GATE_SIDES; side++)
        if (!side_fill(&profiles->paths[side], &profiles->rounds[side], of, side, filling))
            return false;
    profiles->is_growth = is_growth(of);
    return work == NULL || kind_work(work, of, filling);
}

/* Kinds with both sides; the others are told of. */
static uint32_t kinds_keep(struct filling *filling) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < filling->kind_count; i++)
        if (filling->kinds[i].counts[GATE_BASELINE] > 0)
            filling->kinds[kept++] = filling->kinds[i];
    return kept;
}

/* Who judges any of `count` kinds warns of rounds that are left out; else they are noted. */
static void left_out_tell(struct gate_judge_options *judging, uint32_t count, const struct filling *filling) {
    const struct gate_left_out *left_out = &filling->left_out;
    if (judging != NULL && count > 0) {
        judging->left_out = left_out->items;
        judging->left_out_count = left_out->count;
        return;
    }
    for (uint32_t i = 0; i < left_out->count; i++)
        gate_buf_printf(filling->notes, "%.*s\n", GATE_STR_ARG(left_out->items[i]));
}

bool gate_manifest_dir_fill(struct gate_profile_options *profiles, struct gate_judge_options *judging,
                            struct gate_buf *notes, const char *dir, struct gate_arena *arena, struct gate_error *err) {
    struct filling filling = {.dir = dir, .notes = notes, .arena = arena, .err = err};
    bool with_work = judging != NULL && judging->work.count == 0 && judging->work_file == NULL;
    if (!gate_manifest_file_read(&filling.manifest, dir, arena, err))
        return false;
    if (judging != NULL && judging->looks.count == 0)
        looks_fill(judging, &filling);
    if (!kinds_collect(&filling))
        return false;
    uint32_t count = kinds_keep(&filling);
    left_out_tell(judging, count, &filling);
    if (count == 0)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%s: no round has runs of both sides, so there is nothing to compare; "
                              "take some of both",
                              dir);
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
                              struct gate_cli *cli, struct gate_error *err) {
    struct gate_buf notes = {0};
    bool is_named = profiles->pairs.count != 0 || profiles->paths[GATE_BASELINE].count != 0 ||
                    profiles->paths[GATE_CANARY].count != 0;
    struct stat status;
    if (is_named || profiles->arguments.count != 1)
        return true;
    const char *dir = profiles->arguments.items[0];
    if (!gate_manifest_file_is_there(dir, cli->arena)) {
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
    bool ok = gate_manifest_dir_fill(profiles, judging, &notes, dir, cli->arena, err);
    struct gate_str all = gate_buf_view(&notes);
    for (size_t from = 0; from < all.len;) {
        size_t end = gate_str_find(all, GATE_STR("\n"), from);
        gate_cli_note(cli, gate_str_slice(all, from, end));
        from = end == SIZE_MAX ? all.len : end + 1;
    }
    gate_buf_free(&notes);
    return ok;
}
