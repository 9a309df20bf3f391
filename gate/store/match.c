/* SPDX-License-Identifier: Apache-2.0 */
/* Which accepted revision fits (see match.h). */
#include "gate/store/match.h"

/* One revision that could be compared with. */
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

/* Lower is better. */
static int rank_of(const struct candidate *candidate) {
    if (candidate->relation == GATE_ANCESTRY_ANCESTOR)
        return candidate->is_other_machine;
    return candidate->relation == GATE_ANCESTRY_SAME ? 2 : 3;
}

/* Candidates come newest first, so the first of equals is the newest. */
static bool is_better(const struct candidate *a, const struct candidate *b) {
    int left = rank_of(a), right = rank_of(b);
    return left < right || (left == right && left < 2 && a->distance < b->distance) ||
           (left == right && left == 3 && !a->is_other_machine && b->is_other_machine);
}

static struct candidate candidate_of(const struct gate_record *record, const struct gate_match_change *change,
                                     struct gate_arena *arena) {
    struct candidate out = {.newest = record, .relation = GATE_ANCESTRY_UNKNOWN};
    struct gate_error unknown = {0};
    struct gate_str commit;
    const char *fact = NULL;
    out.is_other_machine = change->machine != NULL && gate_match_machines_differ(record, change->machine, &fact);
    if (change->revision.len > 0 && gate_str_equal(change->revision, record->revision))
        out.relation = GATE_ANCESTRY_SAME;
    else if (change->commit.len > 0 && gate_ancestry_commit(&commit, record->revision, arena, &unknown))
        out.relation = gate_ancestry_between(&out.distance, commit, change->commit, arena);
    return out;
}

/* Whether a newer record is of the same revision and of such a machine. */
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
        if (!has_kinds(&records->items[i], change) || was_seen(records, i, change))
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
    return true;
}
