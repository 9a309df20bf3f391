/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "gate/store/match.h"

#include "gate/base/git.h"
#include "gate/base/str.h"
#include "gate/store/store.h"

#include <stdlib.h>
#include <sys/stat.h>

/* ---- ancestry ---------------------------------------------------------------------------------------------------- */

enum { STATUS_UNRELATED = 1 };

/* Run git in the working directory. In a hook, GIT_DIR names the hook's repository, which is the one to query. */
static bool ask(struct gate_str *said, int *status, const char *const *words, struct gate_arena *arena,
                struct gate_error *err) {
    struct gate_interrupt interrupt;
    struct gate_git git;
    gate_interrupt_hold(&interrupt);
    bool ok = gate_git_begin(&git, NULL, false, NULL, &interrupt, arena, err) &&
              gate_git_query(&git, said, status, words, err);
    gate_interrupt_release(&interrupt);
    if (ok)
        *said = gate_str_trim(*said);
    return ok;
}

static bool is_commit(struct gate_str text) {
    return (text.len == 40 || text.len == 64) && gate_str_hex_digits(text) == text.len;
}

bool gate_ancestry_commit(struct gate_str *commit, struct gate_str revision, struct gate_arena *arena,
                          struct gate_error *err) {
    int status = 0;
    struct gate_error why = {0};
    struct gate_str said;
    struct gate_str name = gate_str_format(arena, "%.*s^{commit}", GATE_STR_ARG(revision));
    if (name.ptr == NULL)
        return gate_arena_error(arena, err);
    const char *const words[] = {"rev-parse", "--verify", "--end-of-options", name.ptr, NULL};
    if (!ask(&said, &status, words, arena, &why)) {
        bool is_full = why.code == GATE_ERR_LIMIT || why.code == GATE_ERR_MEMORY;
        return gate_error_set(err, is_full ? why.code : GATE_ERR_INPUT, "git cannot be run (%s)", why.message);
    }
    if (status != 0 || !is_commit(said)) {
        struct gate_str line = gate_str_slice(said, 0, gate_str_find(said, GATE_STR("\n"), 0));
        return gate_error_set(err, GATE_ERR_INPUT, "git does not know '%.*s' here (%.*s)", GATE_STR_ARG(revision),
                              GATE_STR_ARG(line));
    }
    *commit = gate_str_copy(arena, said);
    return commit->ptr != NULL || gate_arena_error(arena, err);
}

static bool count_between(uint64_t *distance, const char *range, struct gate_arena *arena) {
    int status = 0;
    struct gate_error why = {0};
    struct gate_str said;
    const char *const words[] = {"rev-list", "--count", range, NULL};
    if (!ask(&said, &status, words, arena, &why) || status != 0)
        return false;
    struct gate_str text = gate_str_copy(arena, said);
    char *end = NULL;
    *distance = text.ptr == NULL ? 0 : strtoull(text.ptr, &end, 10);
    return end != NULL && end != text.ptr && *end == '\0';
}

/**
 * Return how `earlier` is related to `later`. Both come from gate_ancestry_commit.
 *
 * distance  is set to the commits between them, if `earlier` is an ancestor
 */
static enum gate_ancestry ancestry_between(uint64_t *distance, struct gate_str earlier, struct gate_str later,
                                           struct gate_arena *arena) {
    int status = 0;
    struct gate_error why = {0};
    struct gate_str said;
    if (gate_str_equal(earlier, later))
        return GATE_ANCESTRY_SAME;
    struct gate_str from = gate_str_copy(arena, earlier), to = gate_str_copy(arena, later);
    struct gate_str range = gate_str_format(arena, "%.*s..%.*s", GATE_STR_ARG(earlier), GATE_STR_ARG(later));
    if (from.ptr == NULL || to.ptr == NULL || range.ptr == NULL)
        return GATE_ANCESTRY_UNKNOWN;
    const char *const words[] = {"merge-base", "--is-ancestor", from.ptr, to.ptr, NULL};
    if (!ask(&said, &status, words, arena, &why))
        return GATE_ANCESTRY_UNKNOWN;
    if (status == STATUS_UNRELATED)
        return GATE_ANCESTRY_UNRELATED;
    return status == 0 && count_between(distance, range.ptr, arena) ? GATE_ANCESTRY_ANCESTOR : GATE_ANCESTRY_UNKNOWN;
}

/* ---- tracked files ----------------------------------------------------------------------------------------------- */

/* State of one gate_tracked_find. */
struct search {
    struct gate_str top;   /* folder of the checkout, with a '/' at the end */
    struct gate_str *file; /* result */
    const struct gate_git *git;
    struct gate_arena *arena;
    struct gate_error *err;
};

/* Set `out` to `path` with its links resolved and a '/' at the end; `.len` is 0 if there is no such file. */
static bool real_path(struct gate_str *out, const char *path, struct gate_arena *arena, struct gate_error *err) {
    char *real = realpath(path, NULL);
    *out = real == NULL ? GATE_STR("") : gate_str_format(arena, "%s/", real);
    free(real);
    return out->ptr != NULL || gate_arena_error(arena, err);
}

/* Set `*search->file` to the first file that git tracks at `path`, which is absolute and ends with '/'. */
static bool list(const struct search *search, struct gate_str path) {
    struct gate_str files = GATE_STR("");
    if (!gate_str_starts(path, search->top))
        return true;
    struct gate_str inside = gate_str_slice(path, search->top.len, path.len - 1);
    struct gate_str pattern = path.len == search->top.len
                                  ? GATE_STR(":(top)")
                                  : gate_str_format(search->arena, ":(top,literal)%.*s", GATE_STR_ARG(inside));
    if (pattern.ptr == NULL)
        return gate_arena_error(search->arena, search->err);
    const char *const words[] = {"ls-files", "-z", "--full-name", "--", pattern.ptr, NULL};
    if (!gate_git_bytes(search->git, &files, words, search->err))
        return false;
    size_t end = gate_str_find(files, (struct gate_str){"", 1}, 0);
    *search->file = gate_str_slice(files, 0, end == SIZE_MAX ? files.len : end);
    return true;
}

/* If `part`, the start of a path, is a link, search for the link itself in the resolved folder that contains it. */
static bool list_link(const struct search *search, struct gate_str part) {
    struct stat status;
    struct gate_str name = gate_str_basename(part);
    struct gate_str text = gate_str_copy(search->arena, part);
    struct gate_str folder =
        gate_str_format(search->arena, "./%.*s", GATE_STR_ARG(gate_str_slice(part, 0, part.len - name.len)));
    if (text.ptr == NULL || folder.ptr == NULL)
        return gate_arena_error(search->arena, search->err);
    if (lstat(text.ptr, &status) != 0 || !S_ISLNK(status.st_mode))
        return true;
    if (!real_path(&folder, folder.ptr + (part.ptr[0] == '/' ? 2 : 0), search->arena, search->err))
        return false;
    struct gate_str link = gate_str_format(search->arena, "%.*s%.*s/", GATE_STR_ARG(folder), GATE_STR_ARG(name));
    return link.ptr == NULL ? gate_arena_error(search->arena, search->err) : list(search, link);
}

static bool list_links(const struct search *search, struct gate_str path) {
    for (size_t at = 1; at <= path.len && search->file->len == 0; at++)
        if ((at == path.len || path.ptr[at] == '/') && !list_link(search, gate_str_slice(path, 0, at)))
            return false;
    return true;
}

/* Find a tracked file at `path`. Without a checkout or without git there is none. */
static bool find(struct search *search, const char *path) {
    static const char *const top[] = {"rev-parse", "--show-toplevel", NULL};
    struct gate_error why = {0};
    struct gate_str real, said;
    if (!real_path(&real, path, search->arena, search->err))
        return false;
    if (real.len == 0)
        return true;
    if (!gate_git_run(search->git, &said, top, &why)) {
        bool is_none = why.code == GATE_ERR_INPUT || why.code == GATE_ERR_IO;
        if (!is_none)
            *search->err = why;
        return is_none;
    }
    search->top = gate_str_format(search->arena, "%.*s/", GATE_STR_ARG(said));
    if (search->top.ptr == NULL)
        return gate_arena_error(search->arena, search->err);
    return list(search, real) && (search->file->len > 0 || list_links(search, gate_str_from(path)));
}

bool gate_tracked_find(struct gate_str *file, const char *path, struct gate_arena *arena, struct gate_error *err) {
    struct gate_interrupt interrupt;
    struct gate_git git;
    struct search search = {.file = file, .git = &git, .arena = arena, .err = err};
    *file = GATE_STR("");
    gate_interrupt_hold(&interrupt);
    bool ok = gate_git_begin(&git, NULL, false, NULL, &interrupt, arena, err) && find(&search, path);
    gate_interrupt_release(&interrupt);
    return ok;
}

/* ---- matching ---------------------------------------------------------------------------------------------------- */

/* A revision that the change could be compared with. */
struct candidate {
    const struct gate_record *newest;
    enum gate_ancestry relation;
    uint64_t distance;
    bool is_other_machine;
};

bool gate_match_machines_differ(const struct gate_record *a, const struct gate_record *b, const char **fact) {
    static const char *const facts[] = {"cpu_model", "cpus", "arch", "container_cpus", NULL};
    for (const char *const *key = facts; *key != NULL; key++) {
        struct gate_str one = gate_record_fact(a, *key), two = gate_record_fact(b, *key);
        *fact = *key;
        if (one.len > 0 && two.len > 0 && !gate_str_equal(one, two))
            return true;
    }
    return false;
}

static bool has_kinds(const struct gate_record *record, const struct gate_match_change *change) {
    for (uint32_t i = 0; i < change->kind_count; i++)
        if (!gate_record_has_kind(record, change->kinds[i]))
            return false;
    return true;
}

static bool is_known(const struct gate_records *records, struct gate_str kind) {
    for (uint32_t i = 0; i < records->count; i++)
        if (gate_record_has_kind(&records->items[i], kind))
            return true;
    return false;
}

uint32_t gate_match_known_kinds(struct gate_str *kinds, uint32_t count, const struct gate_records *records) {
    uint32_t known = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct gate_str kind = kinds[i];
        if (!is_known(records, kind))
            continue;
        memmove(kinds + known + 1, kinds + known, (i - known) * sizeof *kinds);
        kinds[known++] = kind;
    }
    return known;
}

/* Rank of a candidate; the lowest is chosen: an ancestor from a machine of the same kind, an ancestor from another
 * machine, the same revision, any other. */
static int rank_of(const struct candidate *candidate) {
    if (candidate->relation == GATE_ANCESTRY_ANCESTOR)
        return candidate->is_other_machine;
    return candidate->relation == GATE_ANCESTRY_SAME ? 2 : 3;
}

/* Equal candidates keep the first one, which is the newest. */
static bool is_better(const struct candidate *a, const struct candidate *b) {
    int left = rank_of(a), right = rank_of(b);
    return left < right || (left == right && left < 2 && a->distance < b->distance) ||
           (left == right && left == 3 && !a->is_other_machine && b->is_other_machine);
}

static struct candidate candidate_of(const struct gate_record *record, const struct gate_match_change *change,
                                     struct gate_arena *arena) {
    struct candidate out = {.newest = record, .relation = GATE_ANCESTRY_UNKNOWN};
    struct gate_error unknown = {0};
    struct gate_str commit = {0};
    const char *fact = NULL;
    out.is_other_machine = change->machine != NULL && gate_match_machines_differ(record, change->machine, &fact);
    if (change->revision.len > 0 && gate_str_equal(change->revision, record->revision))
        out.relation = GATE_ANCESTRY_SAME;
    else if (change->commit.len > 0 && gate_ancestry_commit(&commit, record->revision, arena, &unknown))
        out.relation = ancestry_between(&out.distance, commit, change->commit, arena);
    return out;
}

/* Return whether git finds the record's commit and the commit is neither `base` nor an ancestor of `base`. */
static bool is_of_change(const struct gate_record *record, struct gate_str base, struct gate_arena *arena) {
    struct gate_error unknown = {0};
    struct gate_str commit = {0};
    uint64_t distance = 0;
    if (base.len == 0 || !gate_ancestry_commit(&commit, record->revision, arena, &unknown))
        return false;
    enum gate_ancestry relation = ancestry_between(&distance, commit, base, arena);
    return relation != GATE_ANCESTRY_SAME && relation != GATE_ANCESTRY_ANCESTOR;
}

/* Return whether a newer record has the same revision, all kinds of the change, and the same kind of machine. */
static bool was_seen(const struct gate_records *records, uint32_t index, const struct gate_match_change *change) {
    const char *fact = NULL;
    for (uint32_t i = 0; i < index; i++)
        if (gate_str_equal(records->items[i].revision, records->items[index].revision) &&
            has_kinds(&records->items[i], change) &&
            !gate_match_machines_differ(&records->items[i], &records->items[index], &fact))
            return true;
    return false;
}

bool gate_match_find(struct gate_match *out, const struct gate_records *records, const struct gate_match_change *change,
                     struct gate_arena *arena, struct gate_error *err) {
    struct candidate best = {.newest = NULL};
    const char *fact = NULL;
    *out = (struct gate_match){.relation = GATE_ANCESTRY_UNKNOWN};
    out->records = gate_arena_calloc(arena, (size_t)records->count + 1, sizeof *out->records);
    if (out->records == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < records->count; i++) {
        if (!has_kinds(&records->items[i], change) || was_seen(records, i, change) ||
            is_of_change(&records->items[i], change->base, arena))
            continue;
        struct candidate candidate = candidate_of(&records->items[i], change, arena);
        if (best.newest == NULL || is_better(&candidate, &best))
            best = candidate;
    }
    for (uint32_t i = 0; best.newest != NULL && i < records->count; i++)
        if (gate_str_equal(records->items[i].revision, best.newest->revision) &&
            has_kinds(&records->items[i], change) &&
            !gate_match_machines_differ(&records->items[i], best.newest, &fact))
            out->records[out->count++] = &records->items[i];
    out->relation = best.newest == NULL ? GATE_ANCESTRY_UNKNOWN : best.relation;
    out->distance = best.distance;
    out->is_other_machine = best.is_other_machine;
    return !arena->is_refused || gate_arena_error(arena, err); /* git fails, too, if the arena is full */
}

static bool has_kind(const struct gate_str *kinds, uint32_t count, struct gate_str kind) {
    for (uint32_t i = 0; i < count; i++)
        if (gate_str_equal(kinds[i], kind))
            return true;
    return false;
}

bool gate_match_other_kinds(struct gate_str **out, uint32_t *out_count, const struct gate_match *match,
                            const struct gate_records *records, const struct gate_str *kinds, uint32_t count,
                            struct gate_arena *arena, struct gate_error *err) {
    size_t capacity = 0;
    const char *fact = NULL;
    *out = NULL;
    *out_count = 0;
    for (uint32_t i = 0; match->count > 0 && i < records->count; i++) {
        const struct gate_record *record = &records->items[i];
        if (!gate_str_equal(record->revision, match->records[0]->revision) ||
            gate_match_machines_differ(record, match->records[0], &fact))
            continue;
        for (uint32_t r = 0; r < record->run_count; r++) {
            struct gate_str kind = record->runs[r].kind;
            if (has_kind(kinds, count, kind) || has_kind(*out, *out_count, kind))
                continue;
            if (!GATE_GROW(arena, *out, *out_count, capacity))
                return gate_arena_error(arena, err);
            *out[(*out_count)++] = kind;
        }
    }
    return true;
}
