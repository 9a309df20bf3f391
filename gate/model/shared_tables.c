/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/model/shared_tables.h"

#include "gate/base/buf.h"
#include "gate/model/location.h"
#include "gate/model/sample.h"
#include "gate/model/wire.h"

/* Fields of pprof.proto. */
enum { SAMPLE_LABEL = 3 };

enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER, LABEL_UNIT };

/* State of adding one profile. */
struct adding {
    struct gate_shared_tables *tables;
    const struct gate_profile *profile;
    uint32_t *mappings, *functions; /* index in the tables */
    uint64_t *starts;               /* start of each mapping in the tables */
    uint32_t *locations;
    int64_t *ratios; /* ratios of the profile's values to the first one; all 0: no sample has a value yet */
    struct gate_buf message, label, labels, key;
    struct gate_arena scratch;
    struct gate_error *err;
};

void gate_shared_tables_begin(struct gate_shared_tables *tables, struct gate_arena *arena) {
    *tables = (struct gate_shared_tables){.arena = arena, .secret = gate_hash_secret(), .most_lines = 1};
    gate_arena_fork(&tables->keys, arena);
    gate_table_init(&tables->strings, arena);
    gate_table_init(&tables->mapping_keys, &tables->keys);
    gate_table_init(&tables->function_keys, &tables->keys);
    gate_table_init(&tables->location_keys, &tables->keys);
    (void)gate_table_intern(&tables->strings, GATE_STR("")); /* index 0, as pprof has it */
}

/* Report which of the arenas is full. */
static bool is_full(struct adding *adding) {
    const struct gate_shared_tables *tables = adding->tables;
    return gate_arena_error(adding->scratch.is_refused ? &adding->scratch
                            : tables->keys.is_refused  ? &tables->keys
                                                       : tables->arena,
                            adding->err);
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

static bool string_add(uint32_t *index, struct adding *adding, struct gate_str text) {
    *index = gate_table_intern_copy(&adding->tables->strings, text);
    return *index != GATE_TABLE_NONE || is_full(adding);
}

static bool text_add(struct gate_str *out, struct adding *adding, struct gate_str text) {
    uint32_t index = 0;
    if (!string_add(&index, adding, text))
        return false;
    *out = adding->tables->strings.keys[index];
    return true;
}

/* ---- mappings, functions, locations ------------------------------------------------------------------------------ */

static void key_number(struct adding *adding, uint64_t number) {
    gate_buf_str(&adding->key, (struct gate_str){(const char *)&number, sizeof number});
}

/* Append a text to the key, and replace it by its copy in the table. */
static bool key_text(struct gate_str *text, struct adding *adding) {
    uint32_t index = 0;
    if (!string_add(&index, adding, *text))
        return false;
    *text = adding->tables->strings.keys[index];
    key_number(adding, index);
    return true;
}

/* Find the key in `table`, or add it, and start a new key. `*is_new`: it was added. */
static bool key_end(uint32_t *index, bool *is_new, struct adding *adding, struct gate_table *table) {
    uint32_t known = table->count;
    if (!gate_buf_check(&adding->key, adding->err))
        return false;
    *index = gate_table_intern_copy(table, gate_buf_view(&adding->key));
    adding->key.len = 0;
    *is_new = table->count > known;
    return *index != GATE_TABLE_NONE || is_full(adding);
}

/* A binary that is loaded at another address is the same mapping. */
static bool mapping_add(struct adding *adding, uint32_t i) {
    struct gate_shared_tables *tables = adding->tables;
    struct gate_mapping mapping = adding->profile->mappings[i];
    bool is_new = false;
    key_number(adding, mapping.limit - mapping.start);
    key_number(adding, mapping.offset);
    if (!key_text(&mapping.file, adding) || !key_text(&mapping.build_id, adding) ||
        !key_end(&adding->mappings[i], &is_new, adding, &tables->mapping_keys))
        return false;
    uint32_t index = adding->mappings[i];
    if (is_new) {
        if (!GATE_REGROW(tables->arena, tables->mappings, index, tables->mapping_capacity))
            return is_full(adding);
        tables->mappings[index] = mapping;
    }
    adding->starts[i] = tables->mappings[index].start;
    return true;
}

static bool function_add(struct adding *adding, uint32_t i) {
    struct gate_shared_tables *tables = adding->tables;
    struct gate_function function = adding->profile->functions[i];
    bool is_new = false;
    key_number(adding, (uint64_t)function.start_line);
    if (!key_text(&function.name, adding) || !key_text(&function.system_name, adding) ||
        !key_text(&function.file, adding) || !key_end(&adding->functions[i], &is_new, adding, &tables->function_keys))
        return false;
    if (!is_new)
        return true;
    uint32_t index = adding->functions[i];
    if (!GATE_REGROW(tables->arena, tables->functions, index, tables->function_capacity))
        return is_full(adding);
    tables->functions[index] = function;
    return true;
}

static bool line_add(struct gate_shared_tables *tables, struct gate_line line) {
    if (!GATE_REGROW(tables->arena, tables->lines, tables->line_count, tables->line_capacity))
        return false;
    tables->lines[tables->line_count++] = line;
    return true;
}

/* Store a new location at `index`. Its only line is stored in it, more lines in the list of lines. */
static bool location_store(struct adding *adding, uint32_t index, struct gate_location location) {
    struct gate_shared_tables *tables = adding->tables;
    struct gate_line_walk walk = gate_location_lines(adding->profile, &location);
    struct gate_location stored = {.address = location.address,
                                   .mapping = location.mapping,
                                   .line_count = location.line_count,
                                   .lines_in = location.line_count > 1 ? GATE_LINES_KEPT : GATE_LINES_HERE,
                                   .line_first = tables->line_count};
    struct gate_line line;
    if (location.mapping != GATE_NO_INDEX) {
        stored.mapping = adding->mappings[location.mapping];
        if (location.address != 0)
            stored.address += adding->starts[location.mapping] - adding->profile->mappings[location.mapping].start;
    }
    while (gate_line_next(&walk, &line)) {
        if (line.function != GATE_NO_INDEX)
            line.function = adding->functions[line.function];
        stored.line = line;
        if (location.line_count > 1 && !line_add(tables, line))
            return is_full(adding);
    }
    if (!GATE_REGROW(tables->arena, tables->locations, index, tables->location_capacity))
        return is_full(adding);
    tables->locations[index] = stored;
    tables->most_lines = stored.line_count > tables->most_lines ? stored.line_count : tables->most_lines;
    return true;
}

static bool location_add(struct adding *adding, uint32_t i) {
    const struct gate_profile *profile = adding->profile;
    struct gate_location location = gate_location_at(profile, i);
    struct gate_line_walk walk = gate_location_lines(profile, &location);
    uint32_t mapping = location.mapping;
    uint64_t start = mapping == GATE_NO_INDEX ? 0 : profile->mappings[mapping].start;
    struct gate_line line;
    bool is_new = false;
    if (adding->tables->drops_addresses && gate_location_name_is_known(profile, &location))
        location.address = 0;
    key_number(adding, mapping == GATE_NO_INDEX ? GATE_NO_INDEX : adding->mappings[mapping]);
    key_number(adding, location.address == 0 ? 0 : location.address - start);
    while (gate_line_next(&walk, &line)) {
        key_number(adding, line.function == GATE_NO_INDEX ? GATE_NO_INDEX : adding->functions[line.function]);
        key_number(adding, (uint64_t)line.line);
        key_number(adding, line.column);
    }
    return key_end(&adding->locations[i], &is_new, adding, &adding->tables->location_keys) &&
           (!is_new || location_store(adding, adding->locations[i], location));
}

static bool tables_add(struct adding *adding) {
    const struct gate_profile *profile = adding->profile;
    bool ok = true;
    for (uint32_t i = 0; ok && i < profile->mapping_count; i++)
        ok = mapping_add(adding, i);
    for (uint32_t i = 0; ok && i < profile->function_count; i++)
        ok = function_add(adding, i);
    for (uint32_t i = 0; ok && i < profile->location_count; i++)
        ok = location_add(adding, i);
    return ok;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static bool bytes_put(struct gate_shared_bytes *bytes, struct gate_str more, struct gate_arena *arena) {
    size_t wanted = bytes->capacity;
    while (wanted - bytes->len < more.len)
        wanted += wanted / 2 + (1 << 14);
    if (wanted != bytes->capacity) {
        uint8_t *all = gate_arena_resize(arena, bytes->at, bytes->capacity, wanted);
        if (all == NULL)
            return false;
        bytes->at = all;
        bytes->capacity = wanted;
    }
    memcpy(bytes->at + bytes->len, more.ptr, more.len);
    bytes->len += more.len;
    return true;
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

static bool stacks_widen(struct gate_shared_tables *tables) {
    size_t wanted = tables->slot_count == 0 ? 1024 : tables->slot_count * 2;
    struct gate_shared_stack *slots = gate_arena_resize(&tables->keys, NULL, 0, wanted * sizeof *slots);
    if (slots == NULL)
        return false;
    memset(slots, 0, wanted * sizeof *slots);
    for (size_t i = 0; i < tables->slot_count; i++) {
        size_t at = tables->slots[i].tag & (wanted - 1);
        while (tables->slots[i].len != 0 && slots[at].len != 0)
            at = (at + 1) & (wanted - 1);
        if (tables->slots[i].len != 0)
            slots[at] = tables->slots[i];
    }
    (void)gate_arena_resize(&tables->keys, tables->slots, tables->slot_count * sizeof *slots, 0);
    tables->slots = slots;
    tables->slot_count = wanted;
    return true;
}

/* Return the slot of a stack. If its `len` is 0, the stack is new and the caller fills the slot. NULL: no memory. */
static struct gate_shared_stack *stack_slot(struct gate_shared_tables *tables, struct gate_str ids) {
    if (tables->stack_count * 4 >= tables->slot_count * 3 && !stacks_widen(tables))
        return NULL;
    uint32_t tag = (uint32_t)gate_hash_bytes(ids.ptr, ids.len, tables->secret);
    size_t at = tag & (tables->slot_count - 1);
    for (; tables->slots[at].len != 0; at = (at + 1) & (tables->slot_count - 1)) {
        const struct gate_shared_stack *known = &tables->slots[at];
        if (known->tag == tag && known->len == ids.len &&
            memcmp(tables->stacks.at + known->place, ids.ptr, ids.len) == 0)
            break;
    }
    tables->slots[at].tag = tag;
    return &tables->slots[at];
}

/* Write the ids that a stack has in the tables to `key`. */
static bool ids_put(struct adding *adding, struct gate_stack_ref stack) {
    enum { ID_BYTES = 5 }; /* longest varint of a 32-bit index plus 1 */
    uint64_t id = 0;
    adding->key.len = 0;
    if (!gate_buf_reserve(&adding->key, (size_t)stack.len * ID_BYTES))
        return gate_buf_check(&adding->key, adding->err);
    uint8_t *at = (uint8_t *)adding->key.ptr;
    for (uint32_t i = 0; gate_stack_next(stack, &i, &id);) {
        uint64_t ours = (uint64_t)adding->locations[gate_location_find(adding->profile, id)] + 1;
        for (; ours >= 0x80; ours >>= 7)
            *at++ = (uint8_t)(ours | 0x80);
        *at++ = (uint8_t)ours;
    }
    adding->key.len = (size_t)(at - (uint8_t *)adding->key.ptr);
    return true;
}

/* Find a stack, or add it. `*place` is the offset of its length. */
static bool stack_add(size_t *place, struct adding *adding, struct gate_stack_ref stack) {
    struct gate_shared_tables *tables = adding->tables;
    *place = 0;
    if (stack.len == 0)
        return true;
    if (!ids_put(adding, stack))
        return false;
    struct gate_str ids = gate_buf_view(&adding->key);
    struct gate_shared_stack *slot = stack_slot(tables, ids);
    if (slot == NULL)
        return is_full(adding);
    adding->label.len = 0;
    gate_wire_put_varint(&adding->label, ids.len);
    if (slot->len != 0) {
        *place = slot->place - adding->label.len;
        return true;
    }
    *place = tables->stacks.len;
    if (!gate_buf_check(&adding->label, adding->err))
        return false;
    if (!bytes_put(&tables->stacks, gate_buf_view(&adding->label), tables->arena) ||
        !bytes_put(&tables->stacks, ids, tables->arena))
        return is_full(adding);
    slot->place = (uint32_t)(tables->stacks.len - ids.len);
    slot->len = (uint32_t)ids.len;
    tables->stack_count++;
    return true;
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* Write a label with the indices of its strings. */
static bool label_put(struct adding *adding, const struct gate_label *label) {
    uint32_t key = 0, text = 0, unit = 0;
    bool is_text = label->text.ptr != NULL;
    if (!string_add(&key, adding, label->key) || !string_add(&text, adding, is_text ? label->text : GATE_STR("")) ||
        !string_add(&unit, adding, is_text ? GATE_STR("") : label->unit))
        return false;
    adding->label.len = 0;
    gate_wire_put_number(&adding->label, LABEL_KEY, key);
    gate_wire_put_number(&adding->label, LABEL_TEXT, text);
    gate_wire_put_number(&adding->label, LABEL_NUMBER, is_text ? 0 : (uint64_t)label->number);
    gate_wire_put_number(&adding->label, LABEL_UNIT, unit);
    gate_wire_put_bytes(&adding->labels, SAMPLE_LABEL, gate_buf_view(&adding->label));
    return true;
}

/* Return whether all values are multiples of the first one. The first sample with values sets the ratios. */
static bool values_are_multiples(struct adding *adding, const struct gate_sample *sample) {
    const int64_t *values = sample->values;
    int64_t multiple = 0;
    bool has_ratios = adding->ratios[0] != 0 || values[0] <= 0;
    for (uint32_t i = 0; !has_ratios && i < sample->value_count; i++)
        adding->ratios[i] = values[i] / values[0];
    for (uint32_t i = 1; i < sample->value_count; i++)
        if (__builtin_mul_overflow(values[0], adding->ratios[i], &multiple) || multiple != values[i])
            return false;
    return true;
}

/* Write a sample as struct gate_packed_samples describes. */
static bool sample_add(struct adding *adding, const struct gate_sample_cursor *cursor,
                       const struct gate_sample *sample) {
    struct gate_label_walk walk = gate_labels_of(cursor);
    struct gate_label label;
    struct gate_buf *out = &adding->message;
    uint32_t label_count = 0;
    size_t place = 0;
    adding->labels.len = 0;
    if (!stack_add(&place, adding, sample->stack))
        return false;
    for (; sample->label_count > 0 && gate_labels_next(&walk, &label); label_count++)
        if (!label_put(adding, &label))
            return false;
    bool are_listed = !values_are_multiples(adding, sample);
    out->len = 0;
    gate_wire_put_varint(out, (uint64_t)place << 2 | (uint64_t)(label_count != 0) << 1 | are_listed);
    for (uint32_t i = 0; i < (are_listed ? sample->value_count : 1); i++)
        gate_wire_put_varint(out, (uint64_t)sample->values[i]);
    if (label_count != 0) {
        gate_wire_put_varint(out, label_count);
        gate_wire_put_varint(out, adding->labels.len);
        gate_buf_str(out, gate_buf_view(&adding->labels));
    }
    return gate_buf_check(&adding->labels, adding->err) && gate_buf_check(out, adding->err) &&
           (bytes_put(&adding->tables->samples, gate_buf_view(out), adding->tables->arena) || is_full(adding));
}

static bool samples_add(struct adding *adding) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error why = {0};
    bool ok = true;
    gate_sample_begin(&cursor, adding->profile);
    while (ok && gate_sample_next(&cursor, &sample, &why))
        ok = sample_add(adding, &cursor, &sample);
    gate_sample_end(&cursor);
    if (ok && why.code != GATE_OK)
        *adding->err = why;
    return ok && why.code == GATE_OK;
}

/* ---- profiles ---------------------------------------------------------------------------------------------------- */

static bool value_types_add(struct gate_value_type *out, const struct gate_value_type *types, uint32_t count,
                            struct adding *adding) {
    for (uint32_t i = 0; i < count; i++)
        if (!text_add(&out[i].type, adding, types[i].type) || !text_add(&out[i].unit, adding, types[i].unit))
            return false;
    return true;
}

/* Copy what is not in a table. */
static bool header_add(struct gate_profile *out, struct adding *adding) {
    const struct gate_profile *profile = adding->profile;
    struct gate_arena *arena = adding->tables->arena;
    *out = *profile;
    out->own = NULL;
    out->location_places = NULL;
    out->sample_types = GATE_NEW_ARRAY(arena, struct gate_value_type, profile->sample_type_count);
    out->comments = GATE_NEW_ARRAY(arena, struct gate_str, profile->comment_count);
    adding->ratios = GATE_NEW_ARRAY(arena, int64_t, profile->sample_type_count);
    if (out->sample_types == NULL || out->comments == NULL || adding->ratios == NULL)
        return is_full(adding);
    out->packed.ratios = adding->ratios;
    for (uint32_t i = 0; i < profile->comment_count; i++)
        if (!text_add(&out->comments[i], adding, profile->comments[i]))
            return false;
    return value_types_add(out->sample_types, profile->sample_types, profile->sample_type_count, adding) &&
           value_types_add(&out->period_type, &profile->period_type, 1, adding) &&
           text_add(&out->default_sample_type, adding, profile->default_sample_type) &&
           text_add(&out->drop_frames, adding, profile->drop_frames) &&
           text_add(&out->keep_frames, adding, profile->keep_frames);
}

static bool adding_begin(struct adding *adding) {
    const struct gate_profile *profile = adding->profile;
    gate_arena_fork(&adding->scratch, adding->tables->arena);
    adding->mappings = GATE_NEW_ARRAY(&adding->scratch, uint32_t, profile->mapping_count);
    adding->starts = GATE_NEW_ARRAY(&adding->scratch, uint64_t, profile->mapping_count);
    adding->functions = GATE_NEW_ARRAY(&adding->scratch, uint32_t, profile->function_count);
    adding->locations = GATE_NEW_ARRAY(&adding->scratch, uint32_t, profile->location_count);
    return (adding->mappings != NULL && adding->starts != NULL && adding->functions != NULL &&
            adding->locations != NULL) ||
           is_full(adding);
}

static void adding_end(struct adding *adding) {
    gate_arena_free(&adding->scratch);
    gate_buf_free(&adding->labels);
    gate_buf_free(&adding->message);
    gate_buf_free(&adding->label);
    gate_buf_free(&adding->key);
}

static bool profile_note(struct gate_shared_tables *tables, struct gate_profile *profile, size_t from) {
    if (!GATE_REGROW(&tables->keys, tables->profiles, tables->profile_count, tables->profile_capacity))
        return false;
    tables->profiles[tables->profile_count++] = (struct gate_shared_profile){profile, from};
    return true;
}

/* Return whether the program of `profile` is that of the tables. */
static bool is_of_program(const struct gate_shared_tables *tables, const struct gate_profile *profile) {
    if (tables->profile_count == 0)
        return true;
    if (profile->mapping_count == 0 || tables->mapping_keys.count == 0)
        return profile->mapping_count == tables->mapping_keys.count;
    const struct gate_mapping *ours = &tables->mappings[0], *theirs = &profile->mappings[0];
    return ours->limit - ours->start == theirs->limit - theirs->start && ours->offset == theirs->offset &&
           gate_str_equal(ours->file, theirs->file) && gate_str_equal(ours->build_id, theirs->build_id);
}

bool gate_shared_tables_add(struct gate_profile *out, struct gate_shared_tables *tables,
                            const struct gate_profile *profile, struct gate_error *err) {
    struct adding adding = {.tables = tables, .profile = profile, .err = err};
    /* An offset of a stack has 32 bits. The stacks of a profile take at most five times the bytes of its file. */
    if (!is_of_program(tables, profile) || profile->bytes.len > (UINT32_MAX - tables->stacks.len) / 5)
        return false;
    if (tables->stacks.len == 0 && !bytes_put(&tables->stacks, (struct gate_str){"", 1}, tables->arena))
        return is_full(&adding);
    size_t from = tables->samples.len;
    bool ok = adding_begin(&adding) && tables_add(&adding) && header_add(out, &adding) && samples_add(&adding) &&
              (profile_note(tables, out, from) || is_full(&adding));
    adding_end(&adding);
    return ok;
}

void gate_shared_tables_end(struct gate_shared_tables *tables) {
    static const uint8_t nothing[1];
    const uint8_t *samples = tables->samples.at == NULL ? nothing : tables->samples.at;
    size_t end = tables->samples.len;
    for (uint32_t i = tables->profile_count; i-- > 0;) {
        struct gate_profile *profile = tables->profiles[i].profile;
        profile->bytes = (struct gate_str){(const char *)tables->stacks.at, tables->stacks.len};
        profile->packed.at = samples + tables->profiles[i].from;
        profile->packed.end = samples + end;
        end = tables->profiles[i].from;
        profile->mappings = tables->mappings;
        profile->mapping_count = tables->mapping_keys.count;
        profile->functions = tables->functions;
        profile->function_count = tables->function_keys.count;
        profile->locations = tables->locations;
        profile->location_count = profile->held_count = tables->location_keys.count;
        profile->lines = tables->lines;
        profile->line_count = tables->line_count;
        profile->most_lines = tables->most_lines;
        profile->strings = tables->strings.keys;
        profile->string_count = tables->strings.count;
        profile->location_index = (struct gate_id_index){.in_order = profile->location_count};
        profile->mapping_index = (struct gate_id_index){.in_order = profile->mapping_count};
        profile->function_index = (struct gate_id_index){.in_order = profile->function_count};
    }
    gate_arena_free(&tables->keys);
}
