/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/report/replaced_table.h"

#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/report/shorten.h"

enum { NAME_COLUMNS = 58, SHARE_COLUMNS = 9, NAMES_MOST = 12 }; /* the name with the word before it */

struct table {
    struct gate_buf *out;
    struct gate_arena *arena;
    const struct gate_replaced *group;
    const struct gate_pair *pair;
};

/* Append a share, right-aligned. A negative share is a blank cell. */
static void put_cell(const struct table *t, double share) {
    struct gate_buf cell = {0};
    if (share >= 0.0)
        gate_figures_share(&cell, share);
    size_t columns = gate_str_columns(gate_buf_view(&cell));
    gate_buf_repeat(t->out, ' ', columns < SHARE_COLUMNS ? SHARE_COLUMNS - columns : 0);
    gate_buf_str(t->out, gate_buf_view(&cell));
    gate_buf_free_part(t->out, &cell);
}

/* Append one line: a word, a name, and the cost on either side. */
static void put_line(const struct table *t, const char *word, struct gate_str name, double before, double after) {
    size_t start = t->out->len;
    gate_buf_text(t->out, word);
    gate_escape_terminal(t->out, gate_shorten_name(t->arena, name, NAME_COLUMNS - strlen(word)));
    size_t columns = gate_str_columns(gate_str_slice(gate_buf_view(t->out), start, t->out->len));
    gate_buf_repeat(t->out, ' ', columns < NAME_COLUMNS ? NAME_COLUMNS - columns : 0);
    put_cell(t, before);
    put_cell(t, after);
    while (t->out->len > start && t->out->ptr[t->out->len - 1] == ' ')
        t->out->len--;
    gate_buf_char(t->out, '\n');
}

static void put_names(const struct table *t, uint32_t from, uint32_t count, int side) {
    for (uint32_t i = from; i < from + count && i < from + NAMES_MOST; i++) {
        const struct gate_replaced_name *name = &t->group->names[i];
        bool is_gone = side == GATE_BASELINE;
        put_line(t, is_gone ? "  gone  " : "  new   ", t->pair->frames[name->frame].name, is_gone ? name->share : -1.0,
                 is_gone ? -1.0 : name->share);
    }
    if (count > NAMES_MOST)
        gate_buf_printf(t->out, "  and %u more\n", (unsigned)(count - NAMES_MOST));
}

static void put_group(const struct table *t) {
    struct gate_str title =
        t->group->caller == GATE_NO_INDEX
            ? GATE_STR("under no function that both sides have")
            : gate_str_format(t->arena, "in %.*s", GATE_STR_ARG(t->pair->frames[t->group->caller].name));
    put_line(t, "", title, t->group->share[GATE_BASELINE], t->group->share[GATE_CANARY]);
    put_names(t, 0, t->group->gone_count, GATE_BASELINE);
    put_names(t, t->group->gone_count, t->group->new_count, GATE_CANARY);
}

/* Append what frames.rename writes for a name: a dollar begins a group, so it is doubled. */
static void put_target(const struct table *t, struct gate_str name) {
    struct gate_buf doubled = {0};
    for (size_t i = 0; i < name.len; i++) {
        gate_buf_char(&doubled, name.ptr[i]);
        if (name.ptr[i] == '$')
            gate_buf_char(&doubled, '$');
    }
    gate_escape_yaml(t->out, gate_buf_view(&doubled));
    gate_buf_free_part(t->out, &doubled);
}

/* Return whether a name is neither renamed nor what another one is renamed to. */
static bool has_no_rename(const struct gate_renames *renames, struct gate_str name) {
    bool has_one = !gate_str_equal(gate_renamed(renames, name), name);
    for (uint32_t i = 0; i < renames->count && !has_one; i++)
        has_one = gate_str_equal(renames->to[i], name);
    return !has_one;
}

/* Append the renames of all groups. `out` fails if the arena is full. */
static void put_renames(const struct table *t, const struct gate_renames *renames) {
    gate_buf_text(t->out, "\n"
                          "If they do the same work, this in the rules treats them as one function:\n"
                          "\n"
                          "frames:\n"
                          "  rename:\n");
    for (uint32_t i = 0; i < renames->count; i++) {
        gate_buf_text(t->out, "    - {match: ");
        gate_escape_yaml_pattern(t->out, renames->from[i]);
        gate_buf_text(t->out, ", to: '");
        put_target(t, renames->to[i]);
        gate_buf_text(t->out, "'}\n");
    }
}

void gate_replaced_table(struct gate_buf *out, const struct gate_verdict *verdict, struct gate_arena *arena) {
    struct table t = {.out = out, .arena = arena};
    struct gate_renames renames;
    bool is_partial = false;
    if (verdict->replaced.count == 0)
        return;
    if (!gate_replaced_renames(&renames, &verdict->replaced, verdict->comparisons, arena)) {
        out->failed = true;
        return;
    }
    for (uint32_t i = 0; i < verdict->replaced.count; i++) {
        t.group = &verdict->replaced.items[i];
        t.pair = &verdict->comparisons[t.group->comparison].pair;
        put_group(&t);
        for (uint32_t k = 0; k < t.group->gone_count + t.group->new_count; k++)
            is_partial = is_partial || has_no_rename(&renames, t.pair->frames[t.group->names[k].frame].name);
    }
    if (renames.count > 0)
        put_renames(&t, &renames);
    if (is_partial)
        gate_buf_printf(out,
                        "\n"
                        "The profiles do not show which of the %s belong together. A line such as\n"
                        "    - {match: '^new name$', to: 'gone name'}\n"
                        "beneath 'frames: rename:' in the rules joins two.\n",
                        renames.count > 0 ? "others" : "names");
}
