/* SPDX-License-Identifier: Apache-2.0 */
/* Holm's correction over the hypotheses of a run. */
#include "gate/budget/families.h"

#include "gate/base/table.h"
#include "gate/budget/hypotheses.h"
#include "gate/compare/holm.h"

#include <math.h>

/* Smallest level of an early look, so that exp of it is still a normal number. */
static const double LOG_LEAST_LEVEL = -690.0;

/* Return the key of a hypothesis. Hypotheses with equal keys, which have the same samples and null hypothesis, count
 * once. */
static uint64_t family_key(const struct gate_hypothesis *h) {
    uint64_t question = 0;
    if (!gate_limit_bounds_growth(h->limit->kind)) {
        memcpy(&question, &h->limit_value, sizeof question);
        question ^= gate_hash_mix((uint64_t)h->limit->kind + 1);
    }
    uint64_t where = (uint64_t)h->comparison << 2 | (uint64_t)h->is_cost << 1 | (h->set_id == 0);
    return gate_hash_mix(h->set_id ^ gate_hash_mix(where ^ gate_hash_mix(question)));
}

/* Subject of a hypothesis. The total is a single hypothesis, so it is not corrected for the number of frames. */
enum family_subject {
    OF_ALL_FRAMES,   /* a budget on all frames */
    OF_NAMED_FRAMES, /* a budget that selects frames */
    OF_PATHS,        /* a budget on what own functions cost with all that they call */
    OF_TOTAL,
    FAMILY_SUBJECTS
};

/* Hypotheses of one kind are corrected together. */
struct family_kind {
    bool fails; /* can fail the run, else can only warn */
    enum family_subject subject;
};

static enum family_subject subject_of(const struct gate_hypothesis *h) {
    return h->is_total ? OF_TOTAL : h->is_path ? OF_PATHS : h->is_named ? OF_NAMED_FRAMES : OF_ALL_FRAMES;
}

static bool can_fail(const struct gate_hypothesis *h) {
    return h->severity == GATE_SEVERITY_ERROR && !h->is_restrained;
}

static bool is_of(const struct gate_hypothesis *h, struct family_kind kind) {
    return can_fail(h) == kind.fails && subject_of(h) == kind.subject;
}

/* The distinct hypotheses of a family. */
struct family {
    struct gate_table table; /* key -> index in log_p */
    uint64_t *keys;
    double *log_p, *attainable, *adjusted;
    struct gate_ranked *scratch;
    uint32_t *member; /* per hypothesis of the family, in order of the list: index in log_p */
    const struct gate_spending *spending;
};

/* Return a hypothesis by index: first come the decided ones, then the unseen ones. */
static const struct gate_hypothesis *hypothesis_at(const struct gate_hypothesis_list *list, size_t index) {
    return index < list->count ? &list->items[index] : &list->unseen[index - list->count];
}

static bool is_member(const struct gate_hypothesis *h, struct family_kind kind) {
    return h->is_in_family && is_of(h, kind);
}

/* Number of hypotheses of each kind, [fails][subject]. Most kinds are empty; skipping them avoids passes over megabytes
 * of hypotheses. */
struct family_counts {
    size_t looked_at[2][FAMILY_SUBJECTS];
    size_t members[2][FAMILY_SUBJECTS];
};

static struct family_counts count_all(const struct gate_hypothesis_list *list) {
    struct family_counts counts = {0};
    for (size_t i = 0; i < list->count + list->unseen_count; i++) {
        const struct gate_hypothesis *h = hypothesis_at(list, i);
        bool fails = can_fail(h);
        enum family_subject subject = subject_of(h);
        counts.looked_at[fails][subject] += i < list->count;
        counts.members[fails][subject] += h->is_in_family;
    }
    return counts;
}

static bool family_allocate(struct family *family, size_t count, struct gate_arena *arena, struct gate_error *err) {
    gate_table_init(&family->table, arena);
    family->keys = GATE_NEW_ARRAY(arena, uint64_t, count);
    family->log_p = GATE_NEW_ARRAY(arena, double, count);
    family->attainable = GATE_NEW_ARRAY(arena, double, count);
    family->adjusted = GATE_NEW_ARRAY(arena, double, count);
    family->scratch = GATE_NEW_ARRAY(arena, struct gate_ranked, 2 * count);
    family->member = GATE_NEW_ARRAY(arena, uint32_t, count);
    bool ok = family->keys != NULL && family->log_p != NULL && family->attainable != NULL && family->adjusted != NULL &&
              family->scratch != NULL && family->member != NULL;
    return ok || gate_arena_error(arena, err);
}

/* Add a hypothesis. Of equal ones the largest p and the largest attainable p count. `log_p` is NAN until a tested one
 * is added. Returns false if memory is full. */
static bool family_add(struct family *family, const struct gate_hypothesis *h, bool is_tested, size_t index) {
    family->keys[index] = family_key(h);
    uint32_t before = family->table.count;
    double log_p = is_tested ? gate_spending_total(family->spending, h->log_p) : NAN;
    double attainable = gate_spending_total(family->spending, h->log_attainable);
    uint32_t at =
        gate_table_intern(&family->table, (struct gate_str){(const char *)&family->keys[index], sizeof(uint64_t)});
    family->member[index] = at;
    if (at == GATE_TABLE_NONE)
        return false;
    if (at == before)
        family->log_p[at] = NAN;
    if (is_tested && !(family->log_p[at] >= log_p))
        family->log_p[at] = log_p;
    if (at == before || attainable > family->attainable[at])
        family->attainable[at] = attainable;
    return true;
}

static bool family_fill(struct family *family, const struct gate_hypothesis_list *list, struct family_kind kind,
                        struct gate_arena *arena, struct gate_error *err) {
    size_t members = 0;
    for (size_t i = 0; i < list->count + list->unseen_count; i++) {
        const struct gate_hypothesis *h = hypothesis_at(list, i);
        if (is_member(h, kind) && !family_add(family, h, i < list->count && h->is_tested, members++))
            return gate_arena_error(arena, err);
    }
    for (uint32_t i = 0; i < family->table.count; i++)
        if (isnan(family->log_p[i]))
            family->log_p[i] = 0.0;
    return true;
}

/* Return the level of Holm's last step, the one at which the procedure stopped rejecting. */
static double family_level(struct family *family, double alpha) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < family->table.count; i++)
        if (family->adjusted[i] > log(alpha) || family->attainable[i] < family->log_p[i])
            family->attainable[kept++] = family->attainable[i];
    return gate_holm_level(family->attainable, family->scratch, kept, alpha);
}

/* Inputs of the correction. */
struct correction {
    double alpha;
    const struct gate_spending *spending;
    const struct family_counts *counts;
};

/* Write the results to the decided hypotheses of this kind. */
static void family_apply(const struct family *family, struct gate_hypothesis_list *list, struct family_kind kind,
                         double log_level, double weight) {
    uint32_t count = family->table.count;
    size_t members = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct gate_hypothesis *h = &list->items[i];
        if (!is_of(h, kind))
            continue;
        h->family = count > 0 ? count : 1;
        h->log_level = log_level;
        h->log_p_adjusted = 0.0;
        if (h->is_in_family && h->is_tested)
            h->log_p_adjusted = fmin(family->adjusted[family->member[members]] - log(weight), 0.0);
        members += h->is_in_family;
    }
}

static bool adjust_family(struct gate_hypothesis_list *list, struct family_kind kind, const struct correction *by,
                          struct gate_arena *arena, struct gate_error *err) {
    const size_t *members = by->counts->members[kind.fails];
    bool is_shared = kind.subject < OF_PATHS && members[OF_ALL_FRAMES] > 0 && members[OF_NAMED_FRAMES] > 0;
    double weight = is_shared || kind.subject == OF_PATHS ? 0.5 : 1.0; /* this family's part of alpha */
    struct family family = {.spending = by->spending};
    struct gate_arena scratch;
    if (by->counts->looked_at[kind.fails][kind.subject] == 0)
        return true;
    gate_arena_fork(&scratch, arena);
    bool ok = family_allocate(&family, members[kind.subject], &scratch, err) &&
              family_fill(&family, list, kind, &scratch, err);
    if (ok) {
        gate_holm_adjust(family.log_p, family.attainable, family.adjusted, family.scratch, family.table.count);
        double log_level = gate_spending_nominal(by->spending, family_level(&family, weight * by->alpha));
        family_apply(&family, list, kind, fmax(log_level, LOG_LEAST_LEVEL), weight);
    }
    gate_arena_free(&scratch);
    return ok;
}

bool gate_families_adjust(struct gate_hypothesis_list *list, double alpha, const struct gate_spending *spending,
                          struct gate_arena *arena, struct gate_error *err) {
    const struct family_counts counts = count_all(list);
    const struct correction by = {alpha, spending, &counts};
    for (int fails = 0; fails < 2; fails++)
        for (int subject = 0; subject < FAMILY_SUBJECTS; subject++) {
            const struct family_kind kind = {fails, (enum family_subject)subject};
            if (!adjust_family(list, kind, &by, arena, err))
                return false;
        }
    return true;
}
