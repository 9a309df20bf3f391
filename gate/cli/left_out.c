/* SPDX-License-Identifier: Apache-2.0 */
/* Which rounds of a folder have nothing to compare (see left_out.h). */
#include "gate/cli/left_out.h"

enum { LISTED_MAX = 8 }; /* ranges that a sentence names */

/* Whom rounds have no run of. */
enum lacking { LACKING_BASELINE = GATE_BASELINE, LACKING_CANARY = GATE_CANARY, LACKING_BOTH, LACKING_NONE };

/* Rounds that lack the same, in words. */
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

/* Deal out the rounds from 1 on; what lacks the same in a row is one range. */
struct dealing {
    struct ranges ranges[LACKING_NONE];
    enum lacking lacking;
    uint64_t from, next; /* the range that is open: from `from` to before `next` */
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

static void deal_all(struct dealing *dealing, const struct gate_left_out_kind *of, uint32_t last) {
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

/* "rounds 3, 5 to 7 of 9 have no cpu profiles of the canary and are left out; ..." */
static struct gate_str sentence(const struct ranges *ranges, const struct gate_left_out_kind *of, enum lacking lacking,
                                uint32_t last, struct gate_arena *arena) {
    static const char *const of_whom[] = {
        [LACKING_BASELINE] = "of the baseline", [LACKING_CANARY] = "of the canary", [LACKING_BOTH] = "of either side"};
    bool is_one = ranges->rounds == 1;
    struct gate_str list = gate_buf_view(&ranges->text);
    return gate_str_format(arena,
                           "round%s %.*s%s of %u %s no %.*s profile%s %s and %s left out; see whether %s up then, "
                           "and had work",
                           is_one ? "" : "s", GATE_STR_ARG(list), ranges->listed > LISTED_MAX ? ", ..." : "",
                           (unsigned)last, is_one ? "has" : "have", GATE_STR_ARG(of->kind), is_one ? "" : "s",
                           of_whom[lacking], is_one ? "is" : "are", lacking == LACKING_BOTH ? "they were" : "it was");
}

static bool append(struct gate_left_out *out, struct gate_str text, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str *items = gate_arena_grow(arena, out->items, out->count, &out->capacity, sizeof *items);
    if (items == NULL || text.ptr == NULL)
        return gate_arena_error(arena, err);
    out->items = items;
    out->items[out->count++] = text;
    return true;
}

bool gate_left_out_add(struct gate_left_out *out, const struct gate_left_out_kind *of, uint32_t last,
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
