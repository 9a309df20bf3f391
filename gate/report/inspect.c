/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/report/inspect.h"

#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/base/json_io.h"
#include "gate/compare/delta.h"
#include "gate/compare/hot_path.h"
#include "gate/formats/counted_cpu.h"
#include "gate/formats/format.h"
#include "gate/formats/inflate.h"
#include "gate/model/unit.h"
#include "gate/names/inspection.h"
#include "gate/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

/* A row with its name for sorting, because qsort has no context argument. */
struct split_item {
    struct gate_split_row row;
    struct gate_str name;
};

static const char *split_name(enum gate_split_part part) {
    static const char *const names[GATE_SPLIT_PARTS] = {[GATE_SPLIT_OWN] = "own",
                                                        [GATE_SPLIT_THIRD_PARTY] = "third_party",
                                                        [GATE_SPLIT_REMAINDER] = "remainder",
                                                        [GATE_SPLIT_LIBRARY] = "library"};
    return names[part];
}

static int by_value(const void *left, const void *right) {
    const struct split_item *a = left, *b = right;
    if (a->row.value != b->row.value)
        return a->row.value < b->row.value ? 1 : -1;
    return gate_str_compare(a->name, b->name);
}

/* Return the list for a frame of own code. Third-party code that the rules made own counts as own code. */
static enum gate_split_part part_of(const struct gate_pair *pair, const struct gate_frame *frame) {
    bool is_third = frame->code == GATE_CODE_THIRD_PARTY && gate_own_code_is_own(pair->language, frame->code);
    return is_third ? GATE_SPLIT_THIRD_PARTY : GATE_SPLIT_OWN;
}

/* Return whether a frame is in a list, and set its value. */
static bool row_of(struct gate_split_row *out, const struct gate_pair *pair, const struct gate_delta *delta,
                   enum gate_side_name side, enum gate_split_part part) {
    const struct gate_frame *frame = &pair->frames[out->frame];
    bool is_own = frame->is_own && !pair->has_no_own;
    int64_t charged = delta->value[GATE_CHARGED][side];
    out->value = part == GATE_SPLIT_LIBRARY ? delta->value[GATE_SELF][side] : charged;
    if (part == GATE_SPLIT_LIBRARY)
        return !is_own;
    if (part == GATE_SPLIT_REMAINDER)
        return !is_own && charged != 0 && !pair->has_no_own;
    return is_own && part_of(pair, frame) == part;
}

static bool list_make(struct gate_split_list *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                      enum gate_side_name side, enum gate_split_part part, struct split_item *items,
                      struct gate_arena *arena) {
    *out = (struct gate_split_list){0};
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        struct gate_split_row row = {.frame = i};
        if (!row_of(&row, pair, &deltas->items[i], side, part))
            continue;
        items[out->count++] = (struct split_item){row, pair->frames[i].name};
        out->total += row.value; /* cannot overflow: each part is at most the side's total */
    }
    qsort(items, out->count, sizeof *items, by_value);
    out->rows = GATE_NEW_ARRAY(arena, struct gate_split_row, out->count);
    for (uint32_t i = 0; out->rows != NULL && i < out->count; i++)
        out->rows[i] = items[i].row;
    return out->rows != NULL;
}

/* Split the cost of the baseline.
 *
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(frames log frames). */
static bool split_make(struct gate_split *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                       struct gate_arena *arena, struct gate_error *err) {
    struct split_item *items = GATE_NEW_ARRAY(arena, struct split_item, pair->frame_count);
    *out = (struct gate_split){0};
    if (items == NULL)
        return gate_arena_error(arena, err);
    for (int part = 0; part < GATE_SPLIT_PARTS; part++)
        if (!list_make(&out->parts[part], pair, deltas, GATE_BASELINE, (enum gate_split_part)part, items, arena))
            return gate_arena_error(arena, err);
    out->is_all_own = !pair->has_no_own;
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        const int64_t(*value)[GATE_SIDES] = deltas->items[i].value;
        if (!pair->frames[i].is_symbolised)
            out->unsymbolised += value[GATE_SELF][GATE_BASELINE];
        out->is_all_own = out->is_all_own && (pair->frames[i].is_own || value[GATE_CUMULATIVE][GATE_BASELINE] == 0);
    }
    return true;
}

/* ---- own code ---------------------------------------------------------------------------------------------------- */

bool gate_inspect_own_make(struct gate_inspect_own *out, const struct gate_run_input *run,
                           const struct gate_pair_options *pairing, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_run_input *const sides[GATE_SIDES] = {run, run};
    const uint32_t counts[GATE_SIDES] = {1, 1};
    struct gate_pair *pair = GATE_NEW_ARRAY(arena, struct gate_pair, 1);
    struct gate_delta_list deltas;
    struct gate_error why = {0};
    *out = (struct gate_inspect_own){0};
    if (pair == NULL)
        return gate_arena_error(arena, err);
    if (gate_hot_path_costs(pair, &deltas, sides, counts, pairing, arena, &why) &&
        split_make(&out->split, pair, &deltas, arena, &why)) {
        out->pair = pair;
        return true;
    }
    if (why.code != GATE_ERR_INPUT && why.code != GATE_ERR_OVERFLOW) {
        *err = why;
        return false;
    }
    struct gate_str text = gate_str_from(why.message);
    struct gate_str named = gate_str_format(arena, "%.*s: ", GATE_STR_ARG(run->path));
    if (named.ptr != NULL && gate_str_starts(text, named)) /* remove the path, which is in the heading */
        text = gate_str_slice(text, named.len, text.len);
    out->why = gate_str_copy(arena, text);
    return out->why.ptr != NULL || gate_arena_error(arena, err);
}

/* ---- own code, as text ------------------------------------------------------------------------------------------- */

enum { TEXT_ROWS = 5, SHARE_COLUMNS = 8 };

/** Return how many rows of a list to show: the number of --frames, else at most `most` without rows of zero. */
static uint32_t inspect_own_rows(const struct gate_inspect_own *own, const struct gate_split_list *list,
                                 uint32_t most) {
    if (own->has_row_limit)
        return gate_report_rows(own->row_limit, list->count);
    uint32_t count = 0;
    while (count < list->count && count < most && list->rows[count].value != 0)
        count++;
    return count;
}

static int64_t total_of(const struct gate_inspect_own *own) {
    return own->pair->sides[GATE_BASELINE].total;
}

static void own_share(struct gate_buf *out, const struct gate_inspect_own *own, int64_t value) {
    struct gate_figure figure = gate_figures_share_text(gate_share(value, total_of(own)));
    size_t columns = gate_str_columns(gate_str_from(figure.text));
    gate_buf_repeat(out, ' ', columns < SHARE_COLUMNS ? SHARE_COLUMNS - columns : 0);
    gate_buf_text(out, figure.text);
}

static void own_part(struct gate_buf *out, const struct gate_inspect_own *own, enum gate_split_part part,
                     const char *heading) {
    const struct gate_split_list *list = &own->split.parts[part];
    uint32_t rows = inspect_own_rows(own, list, TEXT_ROWS);
    if (list->count == 0)
        return;
    size_t line = out->len;
    gate_buf_text(out, "    ");
    own_share(out, own, list->total);
    gate_buf_printf(out, "  %s%s\n", heading, rows == 0 ? "" : ":");
    gate_wrap_since(out, line, 6 + SHARE_COLUMNS, own->columns);
    for (uint32_t i = 0; i < rows; i++) {
        const struct gate_frame *frame = &own->pair->frames[list->rows[i].frame];
        gate_buf_text(out, "      ");
        own_share(out, own, list->rows[i].value);
        gate_buf_text(out, "  ");
        gate_escape_terminal(out, frame->name);
        if (frame->code == GATE_CODE_THIRD_PARTY && !frame->is_own) /* not one that the rules declare own */
            gate_buf_text(out, " (third-party)");
        gate_buf_char(out, '\n');
    }
    uint32_t all = own->has_row_limit ? list->count : inspect_own_rows(own, list, UINT32_MAX);
    if (rows != 0 && rows < all) {
        gate_buf_text(out, "                ... ");
        gate_figures_whole(out, all - rows);
        gate_buf_text(out, " more\n");
    }
}

/* Append a note if no frame or every frame is own code. Charged cost then equals self cost. */
static void own_extreme(struct gate_buf *out, const struct gate_inspect_own *own) {
    const char *text = NULL;
    if (own->pair->has_no_own)
        text = "No frame is recognised as the program's own code, so each is only charged its own cost. List your code "
               "under 'own' in the rules.";
    else if (own->split.is_all_own)
        text = "Every frame is the program's own code, so no cost is charged to callers. List library code under 'own' "
               "in the rules.";
    if (text == NULL)
        return;
    size_t line = out->len;
    gate_buf_printf(out, "    %s\n", text);
    gate_wrap_since(out, line, 4, own->columns);
}

/** Append the part about own code. */
static void inspect_own_text(struct gate_buf *out, const struct gate_inspect_own *own) {
    size_t line = out->len;
    if (own->pair == NULL) {
        gate_buf_text(out, "  own code      unknown: ");
        gate_escape_terminal(out, own->why);
        gate_buf_char(out, '\n');
        gate_wrap_since(out, line, 16, own->columns);
        return;
    }
    gate_buf_printf(out, "  own code      by the rules for %s, of ", gate_own_code_language_name(own->pair->language));
    gate_escape_terminal(out, own->pair->type.type);
    gate_buf_char(out, '\n');
    own_extreme(out, own);
    own_part(out, own, GATE_SPLIT_OWN, "is charged to the program's own code");
    own_part(out, own, GATE_SPLIT_THIRD_PARTY, "is charged to third parties' code, which counts as the program's own");
    own_part(out, own, GATE_SPLIT_REMAINDER, "has neither in its stacks and stays with the root");
    own_part(out, own, GATE_SPLIT_LIBRARY, "is what libraries and the runtime cost themselves");
    gate_buf_text(out, "    ");
    own_share(out, own, own->split.unsymbolised);
    gate_buf_text(out, "  has no function name at the leaf\n");
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* number of rows per list without --frames */
enum { OWN_ROWS = 20, MAPPING_ROWS = 100 };

static void inspect_type(struct gate_json *json, const struct gate_value_type *type) {
    gate_json_put_string(json, "type", type->type);
    gate_json_put_string(json, "unit", type->unit);
}

static void inspect_types(struct gate_json *json, const struct gate_inspection *facts, uint32_t count) {
    gate_json_put_open(json, "sample_types", '[');
    for (uint32_t i = 0; i < count; i++) {
        const struct gate_inspected_type *type = &facts->types[i];
        gate_json_open(json, '{');
        inspect_type(json, &type->type);
        gate_json_put_bool(json, "default", i == facts->default_type);
        gate_json_put_integer(json, "total", type->total);
        gate_json_put_number(json, "effective_events", type->events);
        gate_json_put_text(json, "counts_from", gate_counts_kind_name(type->counts.kind));
        gate_json_put_integer(json, "non_zero", (int64_t)type->non_zero);
        gate_json_put_number(json, "symbolised_share", type->symbolised);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void inspect_labels(struct gate_json *json, const struct gate_inspection *facts) {
    gate_json_put_open(json, "labels", '[');
    for (uint32_t i = 0; i < facts->label_count; i++) {
        const struct gate_inspected_label *label = &facts->labels[i];
        gate_json_open(json, '{');
        gate_json_put_string(json, "key", label->key);
        gate_json_put_integer(json, "samples", (int64_t)label->sample_count);
        gate_json_put_bool(json, "numeric", label->is_number);
        gate_json_put_open(json, "values", '[');
        for (uint32_t v = 0; v < label->values.count; v++)
            gate_json_string(json, label->values.keys[v]);
        gate_json_close(json, ']');
        gate_json_put_bool(json, "more_values", label->has_more);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void inspect_names(struct gate_json *json, const struct gate_inspection *facts) {
    gate_json_put_open(json, "stable_names", '{');
    gate_json_put_integer(json, "changed", facts->renamed);
    gate_json_put_open(json, "examples", '[');
    for (uint32_t i = 0; i < facts->renamed && i < GATE_INSPECTION_EXAMPLES; i++) {
        gate_json_open(json, '{');
        gate_json_put_string(json, "from", facts->names[i].from);
        gate_json_put_string(json, "to", facts->names[i].to);
        gate_json_close(json, '}');
    }
    gate_json_close_all(json, "]}");
}

static void inspect_mappings(struct gate_json *json, const struct gate_mapping_names *names) {
    gate_json_put_integer(json, "mappings_total", names->count);
    gate_json_put_open(json, "mappings", '[');
    for (uint32_t i = 0; i < names->count && i < MAPPING_ROWS; i++) {
        const struct gate_mapping_named *mapping = &names->items[i];
        gate_json_open(json, '{');
        gate_json_put_string(json, "file", mapping->file);
        gate_json_put_string(json, "build_id", mapping->build_id);
        gate_json_put_number(json, "share", mapping->share);
        gate_json_put_number(json, "named_share", mapping->named);
        gate_json_put_integer(json, "locations", mapping->locations);
        gate_json_put_integer(json, "unnamed", mapping->unnamed);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void inspect_shorts(struct gate_json *json, const struct gate_short_names *names) {
    gate_json_put_integer(json, "short_names_total", names->count);
    gate_json_put_open(json, "short_names", '[');
    for (uint32_t i = 0; i < names->count && i < MAPPING_ROWS; i++) {
        const struct gate_short_named *place = &names->items[i];
        gate_json_open(json, '{');
        gate_json_put_string(json, "place", place->place);
        gate_json_put_number(json, "share", place->share);
        gate_json_put_integer(json, "functions", place->functions);
        gate_json_put_integer(json, "short", place->short_count);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void inspect_oddities(struct gate_json *json, const struct gate_inspection *facts) {
    gate_json_put_open(json, "oddities", '[');
    for (uint32_t i = 0; i < facts->oddity_count; i++) {
        gate_json_open(json, '{');
        gate_json_put_text(json, "code", facts->oddities[i].code);
        gate_json_put_integer(json, "count", (int64_t)facts->oddities[i].count);
        gate_json_put_text(json, "message", facts->oddities[i].text);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void inspect_header(struct gate_json *json, const struct gate_run_input *run,
                           const struct gate_inspection *facts) {
    const struct gate_profile *profile = run->profile;
    const struct {
        const char *key;
        struct gate_str text;
    } texts[] = {{"path", run->path},
                 {"format", gate_str_from(gate_format_name(profile->format))},
                 {"container", gate_str_from(gate_container_name(profile->container))},
                 {"producer", facts->producer},
                 {"language", facts->language}};
    const struct {
        const char *key;
        int64_t number;
    } numbers[] = {{"inflated_bytes", (int64_t)profile->bytes.len},
                   {"samples", (int64_t)profile->sample_count},
                   {"locations", profile->location_count},
                   {"functions", profile->function_count},
                   {"max_depth", profile->max_depth},
                   {"time_ns", profile->time_ns},
                   {"duration_ns", profile->duration_ns},
                   {"period", profile->period}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gate_json_put_string(json, texts[i].key, texts[i].text);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        gate_json_put_integer(json, numbers[i].key, numbers[i].number);
    }
    struct gate_counted_cpu counted;
    if (!gate_counted_cpu_find(&counted, profile))
        return;
    gate_json_put_open(json, "counted_cpu", '{');
    gate_json_put_integer(json, "total_ns", (int64_t)counted.all_ns);
    gate_json_put_integer(json, "collector_ns", (int64_t)counted.collector_ns);
    gate_json_put_integer(json, "sampled_ns", (int64_t)counted.sampled_ns);
    gate_json_close(json, '}');
}

static void inspect_own_part(struct gate_json *json, const struct gate_inspect_own *own, enum gate_split_part part) {
    const struct gate_split_list *list = &own->split.parts[part];
    int64_t total = own->pair->sides[GATE_BASELINE].total;
    uint32_t rows = inspect_own_rows(own, list, OWN_ROWS);
    gate_json_put_open(json, split_name(part), '{');
    gate_json_put_number(json, "share", gate_share(list->total, total));
    gate_json_put_integer(json, "frames_total", list->count);
    gate_json_put_open(json, "frames", '[');
    for (uint32_t i = 0; i < rows; i++) {
        const struct gate_frame *frame = &own->pair->frames[list->rows[i].frame];
        gate_json_open(json, '{');
        gate_json_put_string(json, "function", frame->name);
        gate_json_put_text(json, "kind", gate_own_code_name(frame->code));
        gate_json_put_number(json, "share", gate_share(list->rows[i].value, total));
        gate_json_close(json, '}');
    }
    gate_json_close_all(json, "]}");
}

static void inspect_own(struct gate_json *json, const struct gate_inspect_own *own) {
    gate_json_put_open(json, "own_code", '{');
    if (own->pair == NULL) {
        gate_json_put_string(json, "error", own->why);
        gate_json_close(json, '}');
        return;
    }
    gate_json_put_text(json, "language", gate_own_code_language_name(own->pair->language));
    gate_json_put_bool(json, "nothing_is_own", own->pair->has_no_own);
    gate_json_put_bool(json, "everything_is_own", own->split.is_all_own);
    gate_json_put_number(json, "unsymbolised_share",
                         gate_share(own->split.unsymbolised, own->pair->sides[GATE_BASELINE].total));
    for (int part = 0; part < GATE_SPLIT_PARTS; part++)
        inspect_own_part(json, own, (enum gate_split_part)part);
    gate_json_close(json, '}');
}

void gate_inspect_json(struct gate_buf *out, const struct gate_run_input *run, const struct gate_inspection *facts,
                       const struct gate_inspect_own *own) {
    struct gate_json json = {.out = out};
    gate_json_open(&json, '{');
    inspect_header(&json, run, facts);
    gate_json_put_open(&json, "period_type", '{');
    inspect_type(&json, &run->profile->period_type);
    gate_json_close(&json, '}');
    inspect_types(&json, facts, run->profile->sample_type_count);
    inspect_own(&json, own);
    inspect_labels(&json, facts);
    inspect_mappings(&json, &facts->mappings);
    inspect_shorts(&json, &facts->shorts);
    inspect_names(&json, facts);
    inspect_oddities(&json, facts);
    gate_json_close(&json, '}');
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

enum { INSPECT_TEXT_MAPPING_ROWS = 10 };

static void text_field(struct gate_buf *out, const char *name, struct gate_str value) {
    gate_buf_printf(out, "  %-13s", name);
    gate_escape_terminal(out, value);
    gate_buf_char(out, '\n');
}

static void text_period(struct gate_buf *out, const struct gate_profile *profile) {
    if (profile->period == 0)
        return;
    gate_buf_printf(out, "  %-13s", "period");
    gate_buf_printf(out, "%" PRId64 " ", profile->period);
    gate_escape_terminal(out, profile->period_type.type);
    gate_buf_char(out, '/');
    gate_escape_terminal(out, profile->period_type.unit);
    if (gate_str_equal(profile->period_type.unit, GATE_STR("nanoseconds")) && profile->period > 0)
        gate_buf_printf(out, " (%.4g samples a second)", 1e9 / (double)profile->period);
    gate_buf_char(out, '\n');
}

static void text_time(struct gate_buf *out, const struct gate_profile *profile) {
    char day[32] = "";
    time_t seconds = (time_t)(profile->time_ns / 1000000000);
    struct tm parts;
    if (profile->time_ns > 0 && gmtime_r(&seconds, &parts) != NULL &&
        strftime(day, sizeof day, "%Y-%m-%d %H:%M:%S UTC", &parts) != 0)
        text_field(out, "taken", gate_str_from(day));
    if (profile->duration_ns != 0) {
        gate_buf_printf(out, "  %-13s", "duration");
        gate_unit_print(out, profile->duration_ns, GATE_STR("nanoseconds"));
        gate_buf_char(out, '\n');
    }
}

/* Append the CPU time that the system counted. A comparison uses it as `cpu` if every run has it. */
static void text_counted(struct gate_buf *out, const struct gate_profile *profile, uint32_t columns) {
    struct gate_counted_cpu counted;
    size_t line = out->len;
    if (!gate_counted_cpu_find(&counted, profile))
        return;
    gate_buf_printf(out, "  %-13s", "system");
    gate_unit_print(out, (int64_t)counted.all_ns, GATE_STR("nanoseconds"));
    gate_buf_text(out, " of CPU time counted by the system, ");
    gate_unit_print(out, (int64_t)counted.collector_ns, GATE_STR("nanoseconds"));
    gate_buf_text(out, " of them the garbage collector's; ");
    gate_unit_print(out, (int64_t)counted.sampled_ns, GATE_STR("nanoseconds"));
    gate_buf_text(out, " in samples\n");
    gate_wrap_since(out, line, 15, columns);
}

static void text_types(struct gate_buf *out, const struct gate_inspection *facts, uint32_t count, uint32_t columns) {
    gate_buf_text(out, "  sample types\n");
    for (uint32_t i = 0; i < count; i++) {
        const struct gate_inspected_type *type = &facts->types[i];
        size_t line = out->len;
        gate_buf_printf(out, "    %c ", i == facts->default_type ? '*' : ' ');
        gate_escape_terminal(out, type->type.type);
        gate_buf_char(out, '/');
        gate_escape_terminal(out, type->type.unit);
        gate_buf_text(out, "  total ");
        gate_unit_print(out, type->total, type->type.unit);
        gate_buf_text(out, ", ");
        gate_figures_count(out, type->events);
        gate_buf_printf(out, " effective events (%s)\n", gate_counts_kind_name(type->counts.kind));
        gate_wrap_since(out, line, 8, columns);
        gate_buf_text(out, "      ");
        gate_figures_whole(out, type->non_zero);
        gate_buf_text(out, " non-zero samples, ");
        gate_figures_share(out, type->symbolised);
        gate_buf_text(out, " of the value with a function name at the leaf\n");
    }
    gate_buf_text(out, "    (* is compared unless --sample-type is given)\n");
}

static void text_labels(struct gate_buf *out, const struct gate_inspection *facts, uint32_t columns) {
    if (facts->label_count == 0)
        return;
    gate_buf_text(out, "  labels\n");
    for (uint32_t i = 0; i < facts->label_count; i++) {
        const struct gate_inspected_label *label = &facts->labels[i];
        size_t line = out->len;
        gate_buf_text(out, "    ");
        gate_escape_terminal(out, label->key);
        gate_buf_printf(out, "  %" PRIu64 " samples: ", label->sample_count);
        for (uint32_t v = 0; v < label->values.count; v++) {
            gate_buf_text(out, v == 0 ? "" : ", ");
            gate_escape_terminal(out, label->values.keys[v]);
        }
        gate_buf_text(out, label->has_more ? ", ...\n" : "\n");
        gate_wrap_since(out, line, 6, columns);
    }
}

/* Append the binaries that lack names; nothing if there are none. */
static void text_mappings(struct gate_buf *out, const struct gate_mapping_names *names, uint32_t columns) {
    if (!names->has_unnamed)
        return;
    gate_buf_text(out, "  names by mapping (--symbols FILE gives those that are missing)\n");
    for (uint32_t i = 0; i < names->count && i < INSPECT_TEXT_MAPPING_ROWS; i++) {
        const struct gate_mapping_named *mapping = &names->items[i];
        size_t line = out->len;
        gate_buf_text(out, "    ");
        gate_escape_terminal(out, mapping->file.len == 0 ? GATE_STR("in no file") : mapping->file);
        gate_buf_text(out, ": ");
        gate_figures_share(out, mapping->share);
        gate_buf_text(out, " of the value, ");
        gate_figures_share(out, mapping->named);
        gate_buf_printf(out, " of that named; %" PRIu32 " of %" PRIu32 " addresses have no name", mapping->unnamed,
                        mapping->locations);
        gate_buf_text(out, mapping->file.len == 0 ? "" : mapping->build_id.len == 0 ? "; no build id" : "; build id ");
        gate_escape_terminal(out, mapping->build_id);
        gate_buf_char(out, '\n');
        gate_wrap_since(out, line, 6, columns);
    }
    if (names->count > INSPECT_TEXT_MAPPING_ROWS)
        gate_buf_printf(out, "    ... %" PRIu32 " more\n", names->count - INSPECT_TEXT_MAPPING_ROWS);
}

/* Append the scripts and packages whose names a build has shortened; nothing if there are none. */
static void text_shorts(struct gate_buf *out, const struct gate_short_names *names, uint32_t columns) {
    if (names->count != 0)
        gate_buf_text(out, "  names of one or two letters (--symbols PATH has the source maps, or mapping.txt)\n");
    for (uint32_t i = 0; i < names->count && i < INSPECT_TEXT_MAPPING_ROWS; i++) {
        const struct gate_short_named *place = &names->items[i];
        size_t line = out->len;
        gate_buf_text(out, "    ");
        gate_escape_terminal(out, place->place.len == 0 ? GATE_STR("no package") : place->place);
        gate_buf_text(out, ": ");
        gate_figures_share(out, place->share);
        gate_buf_printf(out, " of the value, %" PRIu32 " of %" PRIu32 " functions\n", place->short_count,
                        place->functions);
        gate_wrap_since(out, line, 6, columns);
    }
    if (names->count > INSPECT_TEXT_MAPPING_ROWS)
        gate_buf_printf(out, "    ... %" PRIu32 " more\n", names->count - INSPECT_TEXT_MAPPING_ROWS);
}

static void text_names(struct gate_buf *out, const struct gate_inspection *facts) {
    if (facts->renamed == 0)
        return;
    gate_buf_printf(out, "  stable names: %" PRIu32 " differ from the profile's (--names exact keeps those)\n",
                    facts->renamed);
    for (uint32_t i = 0; i < facts->renamed && i < GATE_INSPECTION_EXAMPLES; i++) {
        gate_buf_text(out, "    ");
        gate_escape_terminal(out, facts->names[i].from);
        gate_buf_text(out, "\n      -> ");
        gate_escape_terminal(out, facts->names[i].to);
        gate_buf_char(out, '\n');
    }
}

void gate_inspect_text(struct gate_buf *out, const struct gate_run_input *run, const struct gate_inspection *facts,
                       const struct gate_inspect_own *own) {
    const struct gate_profile *profile = run->profile;
    gate_escape_terminal(out, run->path);
    gate_buf_char(out, '\n');
    gate_buf_printf(out, "  %-13s%s, %s, %zu bytes inflated\n", "format", gate_format_name(profile->format),
                    gate_container_name(profile->container), profile->bytes.len);
    if (facts->producer.len != 0)
        text_field(out, "producer", facts->producer);
    if (facts->language.len != 0)
        text_field(out, "language", facts->language);
    size_t line = out->len;
    gate_buf_printf(
        out, "  %-13s%" PRIu64 " records, %" PRIu32 " locations, %" PRIu32 " functions, deepest stack %" PRIu32 "\n",
        "holds", profile->sample_count, profile->location_count, profile->function_count, profile->max_depth);
    gate_wrap_since(out, line, 15, own->columns);
    text_time(out, profile);
    text_counted(out, profile, own->columns);
    text_period(out, profile);
    text_types(out, facts, profile->sample_type_count, own->columns);
    inspect_own_text(out, own);
    text_labels(out, facts, own->columns);
    text_mappings(out, &facts->mappings, own->columns);
    text_shorts(out, &facts->shorts, own->columns);
    text_names(out, facts);
    if (facts->oddity_count != 0)
        gate_buf_text(out, "  worth knowing\n");
    for (uint32_t i = 0; i < facts->oddity_count; i++) {
        line = out->len;
        gate_buf_printf(out, "    %s (%" PRIu64 "): %s\n", facts->oddities[i].code, facts->oddities[i].count,
                        facts->oddities[i].text);
        gate_wrap_since(out, line, 6, own->columns);
    }
}
