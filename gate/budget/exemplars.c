/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/exemplars.h"

#include "gate/base/buf.h"
#include "gate/compare/comparison.h"
#include "gate/model/labels.h"

#include <inttypes.h>

enum { TEXT_MAX = 64, KEY_MAX = 32 };

enum id_kind { ID_NONE, ID_TRACE, ID_SPAN, ID_TIME };

static const struct {
    const char *key; /* in lower case, without separators */
    enum id_kind kind;
} id_keys[] = {{"traceid", ID_TRACE},        {"oteltraceid", ID_TRACE}, {"ddtraceid", ID_TRACE},
               {"spanid", ID_SPAN},          {"otelspanid", ID_SPAN},   {"ddspanid", ID_SPAN},
               {"localrootspanid", ID_SPAN}, {"profileid", ID_SPAN},    {"endtimestampns", ID_TIME},
               {"timestampns", ID_TIME}};

/* Input of one walk. */
struct search {
    const struct gate_comparison *comparison;
    struct gate_cause **of_frame; /* per frame: its cause, or NULL */
    struct gate_arena *arena;
    struct gate_error *err;
};

/* Identifiers and time of one sample. */
struct candidate {
    struct gate_label ids[2]; /* trace and span; key.len 0: none */
    int64_t time_ns, value;
};

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static enum id_kind kind_of(struct gate_str key) {
    char plain[KEY_MAX];
    size_t length = 0;
    for (size_t i = 0; i < key.len; i++) {
        char c = key.ptr[i];
        if (c == '_' || c == '-' || c == '.' || c == ' ')
            continue;
        if (length == sizeof plain)
            return ID_NONE;
        plain[length++] = gate_lower(c);
    }
    for (size_t i = 0; i < sizeof id_keys / sizeof *id_keys; i++)
        if (gate_str_equal((struct gate_str){plain, length}, gate_str_from(id_keys[i].key)))
            return id_keys[i].kind;
    return ID_NONE;
}

/* Return whether any label of the profile may name a trace or a span. Keys are in its string table. */
static bool has_ids(const struct gate_profile *profile) {
    for (uint32_t i = 0; i < profile->string_count; i++) {
        struct gate_str text = profile->strings[i];
        bool may_be_key = text.len >= sizeof "spanid" - 1 && memchr("dD_-. ", text.ptr[text.len - 1], 6) != NULL;
        enum id_kind kind = may_be_key ? kind_of(text) : ID_NONE;
        if (kind == ID_TRACE || kind == ID_SPAN)
            return true;
    }
    return false;
}

static bool is_empty(const struct gate_label *label) {
    return label->key.len == 0 || (label->text.ptr != NULL && label->text.len == 0) ||
           (label->text.ptr == NULL && label->number == 0);
}

/* Read the first trace and the first span of a sample. Returns false if there is neither. */
static bool read_labels(struct candidate *out, const struct gate_sample_cursor *cursor) {
    struct gate_label_walk walk = gate_labels_of(cursor);
    struct gate_label label;
    while (gate_labels_next(&walk, &label)) {
        enum id_kind kind = kind_of(label.key);
        if (kind == ID_TIME && label.text.ptr == NULL && label.number > 0)
            out->time_ns = label.number;
        if ((kind == ID_TRACE || kind == ID_SPAN) && !is_empty(&label) && out->ids[kind - ID_TRACE].key.len == 0)
            out->ids[kind - ID_TRACE] = label;
    }
    return out->ids[0].key.len > 0 || out->ids[1].key.len > 0;
}

/* Return an identifier as text; a numeric one is unsigned. `.ptr` is NULL if the arena is full. */
static struct gate_str text_of(const struct gate_label *label, struct gate_arena *arena) {
    if (label->key.len == 0)
        return GATE_STR("");
    if (label->text.ptr != NULL)
        return gate_str_slice(label->text, 0, TEXT_MAX);
    return gate_str_format(arena, "%" PRIu64, (uint64_t)label->number);
}

/* ---- the newest samples ------------------------------------------------------------------------------------------ */

static bool is_before(const struct gate_exemplar *a, const struct gate_exemplar *b) {
    if (a->time_ns != b->time_ns)
        return a->time_ns > b->time_ns;
    if (a->value != b->value)
        return a->value > b->value;
    int order = gate_str_compare(a->trace, b->trace);
    return order != 0 ? order < 0 : gate_str_compare(a->span, b->span) < 0;
}

static bool is_same(const struct gate_exemplar *a, const struct gate_exemplar *b) {
    if (a->trace.len > 0 || b->trace.len > 0)
        return gate_str_equal(a->trace, b->trace);
    return gate_str_equal(a->span, b->span);
}

static void keep(struct gate_exemplars *list, const struct gate_exemplar *one) {
    uint32_t at = 0;
    while (at < list->count && !is_same(&list->items[at], one))
        at++;
    if (at < list->count && !is_before(one, &list->items[at]))
        return;
    if (at == list->count && list->count < GATE_EXEMPLARS_MAX)
        list->count++;
    else if (at == list->count && !is_before(one, &list->items[--at]))
        return;
    for (; at > 0 && is_before(one, &list->items[at - 1]); at--)
        list->items[at] = list->items[at - 1];
    list->items[at] = *one;
}

/* Return whether a sample may enter the list. If it is older than the kept ones, its identifiers are not formatted. */
static bool may_enter(const struct gate_exemplars *list, const struct candidate *found) {
    return list->count < GATE_EXEMPLARS_MAX || found->time_ns >= list->items[GATE_EXEMPLARS_MAX - 1].time_ns;
}

/* ---- walk over the samples --------------------------------------------------------------------------------------- */

static bool take(struct gate_cause *cause, int side, const struct candidate *found, const struct search *search) {
    if (!may_enter(&cause->exemplars[side], found))
        return true;
    struct gate_exemplar one = {.trace = text_of(&found->ids[0], search->arena),
                                .span = text_of(&found->ids[1], search->arena),
                                .time_ns = found->time_ns,
                                .value = found->value};
    if (one.trace.ptr == NULL || one.span.ptr == NULL)
        return gate_arena_error(search->arena, search->err);
    keep(&cause->exemplars[side], &one);
    return true;
}

/* Add the sample to every cause whose frame is in its stack. Adding it twice, for recursion, changes nothing. */
static bool take_stack(const struct gate_run *run, const struct gate_sample *sample, int side,
                       const struct candidate *found, const struct search *search) {
    uint64_t id = 0;
    for (uint32_t at = 0; gate_stack_next(sample->stack, &at, &id);) {
        uint32_t location = gate_location_find(run->input.profile, id);
        if (location == GATE_NO_INDEX)
            continue;
        uint32_t count = 0;
        const uint32_t *frames = gate_run_frames(&count, run, location);
        for (uint32_t f = 0; f < count; f++) {
            struct gate_cause *cause = search->of_frame[frames[f]];
            if (cause != NULL && !take(cause, side, found, search))
                return false;
        }
    }
    return true;
}

static bool walk_run(const struct gate_run *run, int side, const struct search *search) {
    const struct gate_profile *profile = run->input.profile;
    const struct gate_label_filter *where = &search->comparison->pair.where;
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error end = {0};
    bool ok = true;
    if (!profile->has_labels || !has_ids(profile))
        return true;
    gate_sample_begin(&cursor, profile);
    while (ok && gate_sample_next(&cursor, &sample, &end)) { /* samples were decoded before, so no error can occur */
        struct candidate found = {.time_ns = profile->time_ns > 0 ? profile->time_ns : 0};
        uint32_t column = run->counts.value_column;
        found.value = column < sample.value_count ? sample.values[column] : 0;
        if (sample.label_count > 0 && found.value > 0 && read_labels(&found, &cursor) &&
            gate_where_passes(where, &cursor, &sample))
            ok = take_stack(run, &sample, side, &found, search);
    }
    gate_sample_end(&cursor);
    return ok;
}

static bool walk_comparison(const struct search *search) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < search->comparison->pair.sides[side].run_count; r++)
            if (!walk_run(&search->comparison->pair.sides[side].runs[r], side, search))
                return false;
    return true;
}

bool gate_exemplars_find(struct gate_cause_list *causes, const struct gate_comparison *comparisons, uint32_t count,
                         struct gate_arena *arena, struct gate_error *err) {
    for (uint32_t c = 0; c < count; c++) {
        struct search search = {.comparison = &comparisons[c], .arena = arena, .err = err};
        size_t frames = comparisons[c].pair.frame_count;
        bool any = false;
        for (uint32_t i = 0; i < causes->count; i++) {
            struct gate_cause *cause = &causes->items[i];
            if (cause->comparison != c || cause->frame == GATE_NO_INDEX)
                continue;
            if (!any && (search.of_frame = gate_arena_calloc(arena, frames + 1, sizeof(struct gate_cause *))) == NULL)
                return gate_arena_error(arena, err);
            any = true;
            search.of_frame[cause->frame] = cause;
        }
        if (any && !walk_comparison(&search))
            return false;
    }
    return true;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static void put_one(struct gate_buf *out, const struct gate_exemplar *one) {
    if (one->trace.len > 0) {
        gate_buf_text(out, "trace ");
        gate_buf_str(out, one->trace);
    }
    if (one->span.len == 0)
        return;
    gate_buf_text(out, one->trace.len > 0 ? " (span " : "span ");
    gate_buf_str(out, one->span);
    gate_buf_text(out, one->trace.len > 0 ? ")" : "");
}

void gate_exemplars_sentence(struct gate_buf *out, const struct gate_cause *cause) {
    static const enum gate_side_name sides[] = {GATE_CANARY, GATE_BASELINE}; /* the grown side first */
    bool any = false;
    for (size_t s = 0; s < GATE_SIDES; s++) {
        const struct gate_exemplars *list = &cause->exemplars[sides[s]];
        for (uint32_t i = 0; i < list->count; i++) {
            if (i == 0)
                gate_buf_printf(out, "%s%s ", any ? "; " : "", gate_side_word(sides[s]));
            else
                gate_buf_text(out, ", ");
            put_one(out, &list->items[i]);
            any = true;
        }
    }
}
