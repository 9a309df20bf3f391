/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/formats/summary.h"

#include "gate/base/figures.h"
#include "gate/base/own_mark.h"
#include "gate/base/table.h"
#include "gate/formats/deflate.h"
#include "gate/formats/format.h"
#include "gate/formats/inflate.h"
#include "gate/model/sample.h"
#include "gate/model/wire.h"

#include <stdlib.h>

/* Fields of pprof.proto. */
enum {
    PROFILE_TYPE = 1,
    PROFILE_SAMPLE,
    PROFILE_MAPPING,
    PROFILE_LOCATION,
    PROFILE_FUNCTION,
    PROFILE_STRING,
    PROFILE_DROP,
    PROFILE_KEEP,
    PROFILE_TIME,
    PROFILE_DURATION,
    PROFILE_PERIOD_TYPE,
    PROFILE_PERIOD,
    PROFILE_COMMENT,
    PROFILE_DEFAULT_TYPE
};

enum { TYPE_TYPE = 1, TYPE_UNIT };

enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };

enum { MAPPING_ID = 1, MAPPING_START, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILE, MAPPING_BUILD };

enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };

enum { LINE_FUNCTION = 1, LINE_NUMBER, LINE_COLUMN };

enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM, FUNCTION_FILE, FUNCTION_LINE };

enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER, LABEL_UNIT };

static uint64_t zigzag(int64_t value) {
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static int64_t unzigzag(uint64_t value) {
    return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

void gate_summary_writer_begin(struct gate_summary_writer *writer, const struct gate_arena *arena) {
    *writer = (struct gate_summary_writer){0};
    gate_arena_fork(&writer->arena, arena);
    gate_shared_tables_begin(&writer->tables, &writer->arena);
    writer->tables.drops_addresses = true;
}

void gate_summary_writer_end(struct gate_summary_writer *writer) {
    gate_arena_free(&writer->tables.keys);
    gate_arena_free(&writer->arena);
}

bool gate_summary_writer_add(struct gate_summary_writer *writer, struct gate_str name,
                             const struct gate_profile *profile, struct gate_error *err) {
    struct gate_arena *arena = &writer->arena;
    struct gate_summary_added *added = GATE_NEW_ARRAY(arena, struct gate_summary_added, 1);
    if (added == NULL || !GATE_GROW(arena, writer->runs, writer->count, writer->capacity))
        return gate_arena_error(arena, err);
    added->name = gate_str_copy(arena, name);
    if (added->name.ptr == NULL)
        return gate_arena_error(arena, err);
    struct gate_profile noted = *profile;
    if (!gate_profile_note_format(&noted, arena, err) ||
        !gate_shared_tables_add(&added->profile, &writer->tables, &noted, err))
        return false;
    writer->runs[writer->count++] = added;
    return true;
}

/* State of writing a part. */
struct writing {
    struct gate_summary_writer *writer;
    struct gate_table stacks, labels; /* distinct messages, by their bytes */
    struct gate_buf runs;             /* messages of the runs, written after the tables */
    struct gate_buf message, inner;
    struct gate_error *err;
};

static uint64_t string_index(const struct writing *writing, struct gate_str text) {
    return gate_table_find(&writing->writer->tables.strings, text); /* every text was added to the table */
}

static void message_end(struct gate_buf *out, uint32_t field, struct gate_buf *message) {
    gate_wire_put_bytes(out, field, gate_buf_view(message));
    message->len = 0;
}

static void value_type_put(struct writing *writing, struct gate_buf *out, uint32_t field, struct gate_value_type type) {
    gate_wire_put_number(&writing->inner, TYPE_TYPE, string_index(writing, type.type));
    gate_wire_put_number(&writing->inner, TYPE_UNIT, string_index(writing, type.unit));
    message_end(out, field, &writing->inner);
}

/* The fields of pprof's Profile that are neither samples nor tables. */
static void header_put(struct writing *writing, const struct gate_profile *profile) {
    struct gate_buf *out = &writing->message;
    struct gate_buf header = {0};
    for (uint32_t i = 0; i < profile->sample_type_count; i++)
        value_type_put(writing, &header, PROFILE_TYPE, profile->sample_types[i]);
    gate_wire_put_number(&header, PROFILE_DROP, string_index(writing, profile->drop_frames));
    gate_wire_put_number(&header, PROFILE_KEEP, string_index(writing, profile->keep_frames));
    gate_wire_put_number(&header, PROFILE_TIME, (uint64_t)profile->time_ns);
    gate_wire_put_number(&header, PROFILE_DURATION, (uint64_t)profile->duration_ns);
    if (profile->period_type.type.len > 0 || profile->period_type.unit.len > 0)
        value_type_put(writing, &header, PROFILE_PERIOD_TYPE, profile->period_type);
    gate_wire_put_number(&header, PROFILE_PERIOD, (uint64_t)profile->period);
    for (uint32_t i = 0; i < profile->comment_count; i++)
        gate_wire_put_number(&header, PROFILE_COMMENT, string_index(writing, profile->comments[i]));
    gate_wire_put_number(&header, PROFILE_DEFAULT_TYPE, string_index(writing, profile->default_sample_type));
    gate_wire_put_bytes(out, GATE_RUN_HEADER, gate_buf_view(&header));
    gate_buf_free_part(out, &header);
}

/* A sample of the run that is written. */
struct row {
    uint32_t stack, labels; /* index in the tables; `labels` is 0 if there are none, else 1 + the index */
    uint32_t place;         /* position of its values in `columns` */
};

static int row_compare(const void *left, const void *right) {
    const struct row *a = left, *b = right;
    if (a->stack != b->stack)
        return a->stack < b->stack ? -1 : 1;
    if (a->labels != b->labels)
        return a->labels < b->labels ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

struct rows {
    struct row *items;
    int64_t *values; /* `columns` for each sample */
    uint32_t count, columns;
};

static bool rows_read(struct rows *out, struct writing *writing, const struct gate_profile *profile,
                      struct gate_arena *scratch) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error why = {0};
    *out = (struct rows){.columns = profile->sample_type_count};
    if (profile->sample_count >= UINT32_MAX)
        return gate_error_set(writing->err, GATE_ERR_LIMIT, "more than 4 billion samples");
    out->items = gate_arena_alloc(scratch, ((size_t)profile->sample_count + 1) * sizeof *out->items);
    out->values = gate_arena_calloc(scratch, (size_t)profile->sample_count + 1, out->columns * sizeof *out->values);
    if (out->items == NULL || out->values == NULL)
        return gate_arena_error(scratch, writing->err);
    gate_sample_begin(&cursor, profile);
    while (gate_sample_next(&cursor, &sample, &why) && out->count < profile->sample_count) {
        struct row *row = &out->items[out->count];
        *row = (struct row){.place = out->count};
        row->stack = gate_table_intern_copy(&writing->stacks,
                                            (struct gate_str){(const char *)sample.stack.ids, sample.stack.len});
        if (sample.label_count > 0)
            row->labels = gate_table_intern_copy(&writing->labels, sample.label_bytes);
        if (row->stack == GATE_TABLE_NONE || row->labels == GATE_TABLE_NONE) {
            gate_sample_end(&cursor);
            return gate_arena_error(writing->stacks.arena, writing->err);
        }
        row->labels += sample.label_count > 0;
        memcpy(&out->values[(size_t)out->count++ * out->columns], sample.values, out->columns * sizeof *out->values);
    }
    gate_sample_end(&cursor);
    qsort(out->items, out->count, sizeof *out->items, row_compare);
    return why.code == GATE_OK || (*writing->err = why, false);
}

static int64_t row_value(const struct rows *rows, uint32_t i, uint32_t column) {
    return rows->values[(size_t)rows->items[i].place * rows->columns + column];
}

/* Return the common divisor of a column's values, 0 if all are 0. */
static int64_t column_unit(const struct rows *rows, uint32_t column) {
    uint64_t unit = 0;
    for (uint32_t i = 0; i < rows->count && unit != 1; i++) {
        int64_t value = row_value(rows, i, column);
        unit = gate_divisor_common(value < 0 ? 0 - (uint64_t)value : (uint64_t)value, unit);
    }
    return unit > INT64_MAX ? 1 : (int64_t)unit;
}

static bool column_is_like(const struct rows *rows, uint32_t column, int64_t unit, uint32_t other, int64_t other_unit) {
    for (uint32_t i = 0; i < rows->count; i++)
        if (row_value(rows, i, column) / unit != row_value(rows, i, other) / other_unit)
            return false;
    return true;
}

static void columns_put(struct writing *writing, const struct rows *rows) {
    int64_t units[GATE_VALUES_MAX] = {0};
    for (uint32_t column = 0; column < rows->columns; column++) {
        struct gate_buf *out = &writing->inner;
        units[column] = column_unit(rows, column);
        uint32_t like = 0;
        while (like < column && (units[column] == 0 || units[like] == 0 ||
                                 !column_is_like(rows, column, units[column], like, units[like])))
            like++;
        gate_wire_put_number(out, GATE_COLUMN_UNIT, (uint64_t)units[column]);
        if (units[column] != 0 && like < column) {
            gate_wire_put_number(out, GATE_COLUMN_LIKE, (uint64_t)like + 1);
        } else if (units[column] != 0) {
            struct gate_buf counts = {0};
            for (uint32_t i = 0; i < rows->count; i++)
                gate_wire_put_varint(&counts, zigzag(row_value(rows, i, column) / units[column]));
            gate_wire_put_bytes(out, GATE_COLUMN_COUNTS, gate_buf_view(&counts));
            gate_buf_free_part(out, &counts);
        }
        message_end(&writing->message, GATE_RUN_COLUMN, out);
    }
}

static bool run_put(struct writing *writing, const struct gate_summary_added *run) {
    struct gate_arena scratch;
    struct rows rows;
    uint32_t before = 0;
    bool has_labels = false;
    gate_arena_fork(&scratch, writing->stacks.arena);
    bool ok = rows_read(&rows, writing, &run->profile, &scratch);
    gate_wire_put_bytes(&writing->message, GATE_RUN_NAME, run->name);
    header_put(writing, &run->profile);
    for (uint32_t i = 0; ok && i < rows.count; i++) {
        gate_wire_put_varint(&writing->inner, rows.items[i].stack - before);
        before = rows.items[i].stack;
        has_labels = has_labels || rows.items[i].labels != 0;
    }
    message_end(&writing->message, GATE_RUN_STACKS, &writing->inner);
    for (uint32_t i = 0; ok && has_labels && i < rows.count; i++)
        gate_wire_put_varint(&writing->inner, rows.items[i].labels);
    if (has_labels)
        message_end(&writing->message, GATE_RUN_LABELS, &writing->inner);
    if (ok)
        columns_put(writing, &rows);
    message_end(&writing->runs, GATE_PART_RUN, &writing->message);
    gate_arena_free(&scratch);
    return ok;
}

static void location_put(struct writing *writing, uint32_t i) {
    const struct gate_shared_tables *tables = &writing->writer->tables;
    const struct gate_location *location = &tables->locations[i];
    struct gate_buf *out = &writing->message;
    gate_wire_put_number(out, LOCATION_ID, (uint64_t)i + 1);
    gate_wire_put_number(out, LOCATION_MAPPING,
                         location->mapping == GATE_NO_INDEX ? 0 : (uint64_t)location->mapping + 1);
    gate_wire_put_number(out, LOCATION_ADDRESS, location->address);
    for (uint32_t l = 0; l < location->line_count; l++) {
        const struct gate_line *line =
            location->line_count == 1 ? &location->line : &tables->lines[location->line_first + l];
        gate_wire_put_number(&writing->inner, LINE_FUNCTION,
                             line->function == GATE_NO_INDEX ? 0 : (uint64_t)line->function + 1);
        gate_wire_put_number(&writing->inner, LINE_NUMBER, (uint64_t)line->line);
        gate_wire_put_number(&writing->inner, LINE_COLUMN, line->column);
        message_end(out, LOCATION_LINE, &writing->inner);
    }
}

/* The tables, as a profile without samples. */
static void tables_put(struct writing *writing, struct gate_buf *out) {
    const struct gate_shared_tables *tables = &writing->writer->tables;
    struct gate_buf *message = &writing->message;
    for (uint32_t i = 0; i < tables->mapping_keys.count; i++) {
        const struct gate_mapping *mapping = &tables->mappings[i];
        gate_wire_put_number(message, MAPPING_ID, (uint64_t)i + 1);
        gate_wire_put_number(message, MAPPING_START, mapping->start);
        gate_wire_put_number(message, MAPPING_LIMIT, mapping->limit);
        gate_wire_put_number(message, MAPPING_OFFSET, mapping->offset);
        gate_wire_put_number(message, MAPPING_FILE, string_index(writing, mapping->file));
        gate_wire_put_number(message, MAPPING_BUILD, string_index(writing, mapping->build_id));
        message_end(out, PROFILE_MAPPING, message);
    }
    for (uint32_t i = 0; i < tables->location_keys.count; i++) {
        location_put(writing, i);
        message_end(out, PROFILE_LOCATION, message);
    }
    for (uint32_t i = 0; i < tables->function_keys.count; i++) {
        const struct gate_function *function = &tables->functions[i];
        gate_wire_put_number(message, FUNCTION_ID, (uint64_t)i + 1);
        gate_wire_put_number(message, FUNCTION_NAME, string_index(writing, function->name));
        gate_wire_put_number(message, FUNCTION_SYSTEM, string_index(writing, function->system_name));
        gate_wire_put_number(message, FUNCTION_FILE, string_index(writing, function->file));
        gate_wire_put_number(message, FUNCTION_LINE, (uint64_t)function->start_line);
        message_end(out, PROFILE_FUNCTION, message);
    }
    for (uint32_t i = 0; i < tables->strings.count; i++)
        gate_wire_put_bytes(out, PROFILE_STRING, tables->strings.keys[i]);
}

static void part_put(struct writing *writing, struct gate_buf *part) {
    struct gate_buf tables = {0};
    gate_wire_put_number(part, GATE_PART_VERSION, GATE_SUMMARY_VERSION);
    tables_put(writing, &tables);
    gate_wire_put_bytes(part, GATE_PART_TABLES, gate_buf_view(&tables));
    gate_buf_free_part(part, &tables);
    for (uint32_t i = 0; i < writing->stacks.count; i++)
        gate_wire_put_bytes(part, GATE_PART_STACK, writing->stacks.keys[i]);
    for (uint32_t i = 0; i < writing->labels.count; i++)
        gate_wire_put_bytes(part, GATE_PART_LABELS, writing->labels.keys[i]);
    gate_buf_str(part, gate_buf_view(&writing->runs));
    gate_buf_free_part(part, &writing->runs);
}

bool gate_summary_writer_put(struct gate_buf *out, struct gate_summary_writer *writer, struct gate_error *err) {
    struct writing writing = {.writer = writer, .err = err};
    struct gate_buf part = {0};
    bool ok = true;
    gate_shared_tables_end(&writer->tables);
    gate_table_init(&writing.stacks, &writer->arena);
    gate_table_init(&writing.labels, &writer->arena);
    for (uint32_t i = 0; ok && i < writer->count; i++)
        ok = run_put(&writing, writer->runs[i]);
    if (ok) {
        part_put(&writing, &part);
        gate_wire_put_bytes(out, GATE_SUMMARIES_MARK, GATE_STR(GATE_OWN_MARK_SUMMARY));
        gate_wire_put_bytes(out, GATE_SUMMARIES_PART, gate_buf_view(&part));
    }
    gate_buf_free_part(out, &part);
    gate_buf_free_part(out, &writing.runs);
    gate_buf_free_part(out, &writing.message);
    gate_buf_free_part(out, &writing.inner);
    return ok && gate_buf_check(out, err);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

void gate_summary_parts_begin(struct gate_summary_parts *parts, const struct gate_arena *arena) {
    *parts = (struct gate_summary_parts){.arena = arena};
    gate_arena_fork(&parts->own, arena);
}

void gate_summary_parts_end(struct gate_summary_parts *parts) {
    for (uint32_t i = 0; i < parts->count; i++)
        gate_summary_writer_end(parts->items[i]);
    gate_arena_free(&parts->own);
}

static bool parts_begin_one(struct gate_summary_parts *parts, struct gate_error *err) {
    struct gate_summary_writer *writer = GATE_NEW_ARRAY(&parts->own, struct gate_summary_writer, 1);
    if (writer == NULL || !GATE_GROW(&parts->own, parts->items, parts->count, parts->capacity))
        return gate_arena_error(&parts->own, err);
    gate_summary_writer_begin(writer, parts->arena);
    parts->items[parts->count++] = writer;
    return true;
}

bool gate_summary_parts_add(struct gate_summary_parts *parts, struct gate_str name, const struct gate_profile *profile,
                            struct gate_error *err) {
    if (parts->count > 0) {
        if (gate_summary_writer_add(parts->items[parts->count - 1], name, profile, err))
            return true;
        if (err->code != GATE_OK)
            return false;
    }
    return parts_begin_one(parts, err) &&
           (gate_summary_writer_add(parts->items[parts->count - 1], name, profile, err) || err->code != GATE_OK ||
            gate_error_set(err, GATE_ERR_LIMIT, "its samples take more than 4 GiB")) &&
           err->code == GATE_OK;
}

bool gate_summary_parts_pack(struct gate_sink to, struct gate_summary_parts *parts, struct gate_error *err) {
    struct gate_packing packing;
    bool ok = true;
    gate_packing_begin(&packing, GATE_CONTAINER_GZIP, to);
    for (uint32_t i = 0; ok && i < parts->count; i++) {
        struct gate_buf part = {0};
        ok = gate_summary_writer_put(&part, parts->items[i], err) &&
             gate_packing_put(&packing, gate_buf_view(&part), err);
        gate_buf_free(&part);
    }
    ok = ok && gate_packing_end(&packing, err);
    gate_packing_free(&packing);
    return ok;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Views of equal messages, in their order. */
struct list {
    struct gate_str *items;
    size_t capacity;
    uint32_t count;
};

struct gate_summary_part {
    struct list mappings, locations, functions, strings, stacks, labels;
    uint32_t *depths; /* locations of each stack */
};

/* Steps of making a profile; each of its bytes takes one more. */
enum { RUN_STEPS = 12000, SAMPLE_STEPS = 8, LABEL_BYTE_STEPS = 4 };

/* Fields of a header that are indices of strings: bit i for field i. */
enum { HEADER_TEXTS = 1u << PROFILE_DROP | 1u << PROFILE_KEEP | 1u << PROFILE_COMMENT | 1u << PROFILE_DEFAULT_TYPE };

static bool list_add(struct list *list, struct gate_wire bytes, struct gate_arena *arena, struct gate_error *err) {
    if (!GATE_REGROW(arena, list->items, list->count, list->capacity))
        return gate_arena_error(arena, err);
    list->items[list->count++] = gate_wire_view(bytes);
    return true;
}

static bool malformed(const char *what, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_FORMAT, "it is a damaged summary of runs: %s", what);
}

static bool tables_read(struct gate_summary_part *part, struct gate_wire wire, struct gate_arena *arena,
                        struct gate_error *err) {
    struct list *const lists[] = {[PROFILE_MAPPING] = &part->mappings,
                                  [PROFILE_LOCATION] = &part->locations,
                                  [PROFILE_FUNCTION] = &part->functions,
                                  [PROFILE_STRING] = &part->strings};
    struct gate_wire_field field;
    while (wire.at < wire.end) {
        if (!gate_wire_next(&wire, &field))
            return malformed("its tables", err);
        if (field.type == GATE_WIRE_BYTES && field.number <= PROFILE_STRING && lists[field.number] != NULL &&
            !list_add(lists[field.number], field.bytes, arena, err))
            return false;
    }
    return true;
}

static bool run_read(struct gate_summary *out, const struct gate_summary_part *part, struct gate_wire wire,
                     struct gate_arena *arena, struct gate_error *err) {
    if (!GATE_REGROW(arena, out->runs, out->count, out->capacity))
        return gate_arena_error(arena, err);
    struct gate_summary_run *run = &out->runs[out->count++];
    *run = (struct gate_summary_run){.part = part, .stored_bytes = gate_wire_left(&wire)};
    struct gate_str *const views[] = {[GATE_RUN_NAME] = &run->name,
                                      [GATE_RUN_HEADER] = &run->header,
                                      [GATE_RUN_STACKS] = &run->stacks,
                                      [GATE_RUN_LABELS] = &run->labels};
    struct gate_str columns[GATE_VALUES_MAX];
    struct gate_wire_field field;
    while (wire.at < wire.end) {
        if (!gate_wire_next(&wire, &field))
            return malformed("a run", err);
        if (field.type != GATE_WIRE_BYTES || field.number > GATE_RUN_COLUMN)
            continue;
        if (field.number != GATE_RUN_COLUMN)
            *views[field.number] = gate_wire_view(field.bytes);
        else if (run->column_count == GATE_VALUES_MAX)
            return malformed("a run has too many sample types", err);
        else
            columns[run->column_count++] = gate_wire_view(field.bytes);
    }
    struct gate_str *kept = GATE_NEW_ARRAY(arena, struct gate_str, run->column_count);
    if (kept == NULL)
        return gate_arena_error(arena, err);
    memcpy(kept, columns, run->column_count * sizeof *kept);
    run->columns = kept;
    return true;
}

static bool depths_count(struct gate_summary_part *part, struct gate_arena *arena, struct gate_error *err) {
    part->depths = GATE_NEW_ARRAY(arena, uint32_t, part->stacks.count);
    if (part->depths == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < part->stacks.count; i++) {
        struct gate_str ids = part->stacks.items[i];
        if (ids.len > UINT32_MAX || (ids.len > 0 && (uint8_t)ids.ptr[ids.len - 1] >= 0x80))
            return malformed("a stack", err);
        part->depths[i] = gate_stack_depth((struct gate_stack_ref){(const uint8_t *)ids.ptr, (uint32_t)ids.len});
    }
    return true;
}

static bool part_read(struct gate_summary *out, struct gate_wire wire, struct gate_arena *arena,
                      struct gate_error *err) {
    struct gate_summary_part *part = GATE_NEW_ARRAY(arena, struct gate_summary_part, 1);
    struct gate_wire_field field;
    if (part == NULL)
        return gate_arena_error(arena, err);
    while (wire.at < wire.end) {
        bool ok = gate_wire_next(&wire, &field);
        if (!ok)
            return malformed("a part", err);
        if (field.number == GATE_PART_VERSION && field.type == GATE_WIRE_VARINT && field.value != GATE_SUMMARY_VERSION)
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "it is a summary of runs of version %llu, which this program does not know; use a "
                                  "newer one",
                                  (unsigned long long)field.value);
        if (field.type != GATE_WIRE_BYTES)
            continue;
        if (field.number == GATE_PART_TABLES)
            ok = tables_read(part, field.bytes, arena, err);
        else if (field.number == GATE_PART_STACK)
            ok = list_add(&part->stacks, field.bytes, arena, err);
        else if (field.number == GATE_PART_LABELS)
            ok = list_add(&part->labels, field.bytes, arena, err);
        else if (field.number == GATE_PART_RUN)
            ok = run_read(out, part, field.bytes, arena, err);
        if (!ok)
            return false;
    }
    return depths_count(part, arena, err);
}

/* Read the next of the packed numbers of `wire`; 0 at the end. */
static uint64_t packed_next(struct gate_wire *wire) {
    uint64_t value = 0;
    if (wire->at < wire->end && !gate_wire_varint(wire, &value))
        wire->at = wire->end;
    return value;
}

/* Divide the bytes of the file that count for limits among the runs. */
static void shares_set(struct gate_summary *summary, size_t counted_bytes, size_t plain_bytes) {
    double share = (double)counted_bytes / (double)plain_bytes;
    for (uint32_t i = 0; i < summary->count; i++)
        summary->runs[i].stored_bytes = (size_t)((double)summary->runs[i].stored_bytes * share);
}

uint64_t gate_summary_run_steps(size_t made_bytes) {
    return RUN_STEPS + (uint64_t)made_bytes;
}

/* Return the bytes of the strings that the header of a run uses. */
static uint64_t header_text_bytes(const struct gate_summary_run *run) {
    const struct list *strings = &run->part->strings;
    struct gate_wire wire = gate_wire_of(run->header);
    struct gate_wire_field field;
    uint64_t bytes = 0;
    while (wire.at < wire.end && gate_wire_next(&wire, &field))
        if (field.type == GATE_WIRE_VARINT && field.number < 32 && (unsigned)HEADER_TEXTS >> field.number & 1 &&
            field.value < strings->count)
            bytes += strings->items[field.value].len;
    return bytes;
}

/* Stacks and labels are a byte in a run and may be long in its profile, so the steps are counted before profiles are
 * made. `stored_bytes` are the bytes of the file that count for limits. */
static bool steps_check(const struct gate_summary *summary, size_t stored_bytes, const struct gate_limits *limits,
                        struct gate_error *err) {
    const struct gate_steps stored = {.stored_bytes = stored_bytes};
    uint64_t most = gate_steps_most(&stored, limits), steps = 0;
    for (uint32_t i = 0; i < summary->count; i++) {
        const struct gate_summary_run *run = &summary->runs[i];
        const struct list *sets = &run->part->labels;
        struct gate_wire wire = gate_wire_of(run->stacks), labels = gate_wire_of(run->labels);
        uint64_t stack = 0;
        steps += RUN_STEPS + header_text_bytes(run) +
                 (run->part->strings.count + run->part->locations.count + run->part->functions.count) / 8;
        while (wire.at < wire.end) {
            stack += packed_next(&wire);
            steps += SAMPLE_STEPS + (stack < run->part->stacks.count ? run->part->depths[stack] : 0);
        }
        while (labels.at < labels.end) {
            uint64_t set = packed_next(&labels);
            steps += set > 0 && set <= sets->count ? sets->items[set - 1].len * LABEL_BYTE_STEPS : 0;
        }
        if (steps > most)
            return gate_error_set(err, GATE_ERR_LIMIT,
                                  "its profiles would take more than %llu steps; raise --max-steps if the file is "
                                  "trusted",
                                  (unsigned long long)most);
    }
    return true;
}

bool gate_summary_read(struct gate_summary *out, struct gate_str bytes, const struct gate_limits *limits,
                       struct gate_arena *arena, struct gate_error *err) {
    const struct gate_limits caps = gate_limits_fill(limits);
    struct gate_str plain;
    struct gate_wire_field field;
    bool is_marked = false;
    *out = (struct gate_summary){0};
    if (!gate_inflate(&plain, bytes, caps.inflated_bytes, arena, err))
        return false;
    struct gate_wire wire = gate_wire_of(plain);
    while (wire.at < wire.end) {
        if (!gate_wire_next(&wire, &field))
            return malformed("it ends early", err);
        is_marked = is_marked || (field.number == GATE_SUMMARIES_MARK &&
                                  gate_str_equal(gate_wire_view(field.bytes), GATE_STR(GATE_OWN_MARK_SUMMARY)));
        if (!is_marked)
            break;
        if (field.number == GATE_SUMMARIES_PART && field.type == GATE_WIRE_BYTES &&
            !part_read(out, field.bytes, arena, err))
            return false;
    }
    if (!is_marked)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "it is no summary of runs, though its name ends in " GATE_SUMMARY_ENDING
                              "; give it another name");
    if (out->count == 0)
        return gate_error_set(err, GATE_ERR_INPUT, "this summary holds no runs");
    size_t most = bytes.len > SIZE_MAX / GATE_SUMMARY_RATIO ? SIZE_MAX : bytes.len * GATE_SUMMARY_RATIO;
    shares_set(out, most, plain.len);
    return steps_check(out, most, &caps, err);
}

/* ---- a run as a profile ------------------------------------------------------------------------------------------ */

/* State of making a profile. Ids in it count from 1; 0 in a list: not used. */
struct making {
    const struct gate_summary_run *run;
    struct gate_buf out, message, inner;
    uint32_t *strings, *locations,
        *functions;         /* per old index: new index of the string; new id of the location or function */
    struct gate_str *texts; /* the strings that are used, in their new order */
    uint32_t text_count, location_count;
    struct gate_error *err;
};

static uint64_t string_of(struct making *making, uint64_t index) {
    const struct list *strings = &making->run->part->strings;
    if (index == 0 || index >= strings->count)
        return 0;
    if (making->strings[index] == 0) {
        making->texts[making->text_count] = strings->items[index];
        making->strings[index] = ++making->text_count;
    }
    return making->strings[index];
}

/* Copy a message of numbers to `out`. Bit i of `texts`: field i is the index of a string. */
static bool message_copy(struct gate_buf *out, struct making *making, struct gate_wire wire, unsigned texts) {
    struct gate_wire_field field;
    while (wire.at < wire.end) {
        if (!gate_wire_next(&wire, &field) || field.type != GATE_WIRE_VARINT)
            return malformed("a number of its tables", making->err);
        bool is_text = field.number < 32 && texts >> field.number & 1;
        gate_wire_put_number(out, field.number, is_text ? string_of(making, field.value) : field.value);
    }
    return true;
}

static bool header_copy(struct making *making) {
    const unsigned texts = HEADER_TEXTS;
    struct gate_wire wire = gate_wire_of(making->run->header);
    struct gate_wire_field field;
    while (wire.at < wire.end) {
        if (!gate_wire_next(&wire, &field))
            return malformed("the header of a run", making->err);
        bool is_type = field.number == PROFILE_TYPE || field.number == PROFILE_PERIOD_TYPE;
        bool is_number = field.type == GATE_WIRE_VARINT && field.number >= PROFILE_DROP &&
                         field.number <= PROFILE_DEFAULT_TYPE && field.number != PROFILE_PERIOD_TYPE;
        if (is_type && field.type == GATE_WIRE_BYTES) {
            if (!message_copy(&making->message, making, field.bytes, 1u << TYPE_TYPE | 1u << TYPE_UNIT))
                return false;
            message_end(&making->out, field.number, &making->message);
        } else if (is_number) {
            gate_wire_put_number(&making->out, field.number,
                                 texts >> field.number & 1 ? string_of(making, field.value) : field.value);
        } else {
            return malformed("the header of a run", making->err);
        }
    }
    return true;
}

/* Mark the locations of the run's stacks, then number them in the order of the tables. */
static bool locations_number(struct making *making) {
    const struct gate_summary_part *part = making->run->part;
    struct gate_wire wire = gate_wire_of(making->run->stacks);
    uint64_t stack = 0, id = 0, before = UINT64_MAX;
    while (wire.at < wire.end) {
        stack += packed_next(&wire);
        if (stack >= part->stacks.count)
            return malformed("a run has a stack that is not there", making->err);
        struct gate_wire ids = gate_wire_of(part->stacks.items[stack]);
        for (; stack != before && ids.at < ids.end; making->locations[id - 1] = 1)
            if ((id = packed_next(&ids)) - 1 >= part->locations.count)
                return malformed("a stack has a location that is not there", making->err);
        before = stack;
    }
    for (uint32_t i = 0; i < part->locations.count; i++)
        if (making->locations[i] != 0)
            making->locations[i] = ++making->location_count;
    return true;
}

static bool labels_copy(struct making *making, uint64_t set) {
    const struct list *labels = &making->run->part->labels;
    struct gate_wire_field field;
    if (set == 0)
        return true;
    if (set > labels->count)
        return malformed("a run has labels that are not there", making->err);
    struct gate_wire wire = gate_wire_of(labels->items[set - 1]);
    while (wire.at < wire.end) {
        if (!gate_wire_next(&wire, &field) || field.number != SAMPLE_LABEL ||
            !message_copy(&making->inner, making, field.bytes, 1u << LABEL_KEY | 1u << LABEL_TEXT | 1u << LABEL_UNIT))
            return malformed("a label", making->err);
        message_end(&making->message, SAMPLE_LABEL, &making->inner);
    }
    return true;
}

/* A column of values, read one sample after the other. */
struct column {
    struct gate_wire counts;
    uint64_t unit;
    uint64_t like; /* 1 + index of the column with the same counts; 0: it has its own */
    uint64_t count;
};

static bool columns_read(struct column *columns, const struct making *making) {
    for (uint32_t i = 0; i < making->run->column_count; i++) {
        struct gate_wire wire = gate_wire_of(making->run->columns[i]);
        struct gate_wire_field field;
        columns[i] = (struct column){.counts = gate_wire_of(GATE_STR(""))};
        while (wire.at < wire.end) {
            if (!gate_wire_next(&wire, &field))
                return malformed("the values of a run", making->err);
            if (field.number == GATE_COLUMN_UNIT)
                columns[i].unit = field.value;
            else if (field.number == GATE_COLUMN_LIKE)
                columns[i].like = field.value;
            else if (field.number == GATE_COLUMN_COUNTS)
                columns[i].counts = field.bytes;
        }
        if (columns[i].like > i)
            return malformed("the values of a run", making->err);
    }
    return true;
}

static void values_put(struct making *making, struct column *columns) {
    for (uint32_t i = 0; i < making->run->column_count; i++) {
        struct column *column = &columns[i];
        column->count =
            column->like > 0 ? columns[column->like - 1].count : (uint64_t)unzigzag(packed_next(&column->counts));
        gate_wire_put_varint(&making->inner, column->count * column->unit);
    }
    message_end(&making->message, SAMPLE_VALUE, &making->inner);
}

static bool samples_put(struct making *making) {
    struct column columns[GATE_VALUES_MAX] = {0};
    struct gate_wire stacks = gate_wire_of(making->run->stacks), labels = gate_wire_of(making->run->labels);
    uint64_t stack = 0;
    if (!columns_read(columns, making))
        return false;
    while (stacks.at < stacks.end) {
        stack += packed_next(&stacks);
        struct gate_wire ids = gate_wire_of(making->run->part->stacks.items[stack]);
        while (ids.at < ids.end)
            gate_wire_put_varint(&making->inner, making->locations[packed_next(&ids) - 1]);
        message_end(&making->message, SAMPLE_LOCATION, &making->inner);
        values_put(making, columns);
        if (!labels_copy(making, packed_next(&labels)))
            return false;
        message_end(&making->out, PROFILE_SAMPLE, &making->message);
        if (making->out.failed)
            return false;
    }
    return true;
}

static uint64_t function_of(struct making *making, uint64_t id) {
    if (id == 0 || id > making->run->part->functions.count)
        return id == 0 ? 0 : UINT64_MAX;
    making->functions[id - 1] = 1;
    return id; /* functions keep their ids, since locations are written before all of them are known */
}

static bool line_copy(struct making *making, struct gate_wire wire) {
    struct gate_wire_field field;
    while (wire.at < wire.end) {
        if (!gate_wire_next(&wire, &field) || field.type != GATE_WIRE_VARINT)
            return malformed("a line", making->err);
        gate_wire_put_number(&making->inner, field.number,
                             field.number == LINE_FUNCTION ? function_of(making, field.value) : field.value);
    }
    message_end(&making->message, LOCATION_LINE, &making->inner);
    return true;
}

static bool location_copy(struct making *making, uint32_t i) {
    struct gate_wire wire = gate_wire_of(making->run->part->locations.items[i]);
    struct gate_wire_field field;
    gate_wire_put_number(&making->message, LOCATION_ID, making->locations[i]);
    while (wire.at < wire.end) {
        if (!gate_wire_next(&wire, &field))
            return malformed("a location", making->err);
        if (field.number == LOCATION_LINE && field.type == GATE_WIRE_BYTES) {
            if (!line_copy(making, field.bytes))
                return false;
        } else if (field.number != LOCATION_ID && field.type == GATE_WIRE_VARINT) {
            gate_wire_put_number(&making->message, field.number, field.value);
        }
    }
    message_end(&making->out, PROFILE_LOCATION, &making->message);
    return true;
}

static bool tables_copy(struct making *making) {
    const struct gate_summary_part *part = making->run->part;
    for (uint32_t i = 0; i < part->mappings.count; i++) {
        if (!message_copy(&making->message, making, gate_wire_of(part->mappings.items[i]),
                          1u << MAPPING_FILE | 1u << MAPPING_BUILD))
            return false;
        message_end(&making->out, PROFILE_MAPPING, &making->message);
    }
    for (uint32_t i = 0; i < part->locations.count; i++)
        if (making->locations[i] != 0 && !location_copy(making, i))
            return false;
    for (uint32_t i = 0; i < part->functions.count; i++) {
        if (making->functions[i] == 0)
            continue;
        if (!message_copy(&making->message, making, gate_wire_of(part->functions.items[i]),
                          1u << FUNCTION_NAME | 1u << FUNCTION_SYSTEM | 1u << FUNCTION_FILE))
            return false;
        message_end(&making->out, PROFILE_FUNCTION, &making->message);
    }
    return true;
}

static bool profile_put(struct making *making, struct gate_arena *scratch) {
    const struct gate_summary_part *part = making->run->part;
    making->strings = GATE_NEW_ARRAY(scratch, uint32_t, part->strings.count);
    making->texts = gate_arena_alloc(scratch, ((size_t)part->strings.count + 1) * sizeof *making->texts);
    making->locations = GATE_NEW_ARRAY(scratch, uint32_t, part->locations.count);
    making->functions = GATE_NEW_ARRAY(scratch, uint32_t, part->functions.count);
    if (making->strings == NULL || making->texts == NULL || making->locations == NULL || making->functions == NULL)
        return gate_arena_error(scratch, making->err);
    if (!header_copy(making) || !locations_number(making) || !samples_put(making) || !tables_copy(making))
        return false;
    gate_wire_put_bytes(&making->out, PROFILE_STRING, GATE_STR(""));
    for (uint32_t i = 0; i < making->text_count; i++)
        gate_wire_put_bytes(&making->out, PROFILE_STRING, making->texts[i]);
    return true;
}

bool gate_summary_run_profile(struct gate_str *bytes, const struct gate_summary_run *run, struct gate_arena *arena,
                              struct gate_error *err) {
    struct making making = {.run = run, .err = err};
    struct gate_arena scratch;
    gate_arena_fork(&scratch, arena);
    making.out.pool = making.message.pool = making.inner.pool = arena->pool;
    bool ok = profile_put(&making, &scratch);
    gate_arena_free(&scratch);
    gate_buf_free_part(&making.out, &making.message);
    gate_buf_free_part(&making.out, &making.inner);
    ok = gate_buf_check(&making.out, making.out.failed ? err : &(struct gate_error){0}) && ok;
    ok = ok && gate_buf_keep_into(bytes, &making.out, arena, err);
    gate_buf_free(&making.out);
    return ok;
}
