/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of the Firefox profiler's JSON (see gecko_frames.h). */
#include "gate/profile/gecko_frames.h"

#include "gate/profile/address_name.h"

/* A frame taken apart. */
struct frame {
    struct gate_str name, file;
    int64_t line;
    struct gate_mapping mapping; /* file is empty: none */
    uint64_t address;
};

static struct gate_str text_of(const json_t *value) {
    return json_is_string(value) ? (struct gate_str){json_string_value(value), json_string_length(value)}
                                 : GATE_STR("");
}

size_t gate_gecko_rows(const struct gate_gecko_table *table, const char *column) {
    return table->rows != NULL ? json_array_size(table->rows)
                               : json_array_size(json_object_get(table->columns, column));
}

const json_t *gate_gecko_cell(const struct gate_gecko_table *table, const char *column, size_t row) {
    if (table->rows == NULL)
        return json_array_get(json_object_get(table->columns, column), row);
    const json_t *at = json_object_get(table->schema, column);
    json_int_t place = json_is_integer(at) ? json_integer_value(at) : -1;
    return place < 0 ? NULL : json_array_get(json_array_get(table->rows, row), (size_t)place);
}

struct gate_gecko_table gate_gecko_table_of(const json_t *thread, const json_t *shared, const char *name) {
    const json_t *table = json_object_get(thread, name);
    if (table == NULL)
        table = json_object_get(shared, name);
    const json_t *rows = json_object_get(table, "data");
    return (struct gate_gecko_table){
        .columns = table, .schema = json_object_get(table, "schema"), .rows = json_is_array(rows) ? rows : NULL};
}

static const json_t *item_of(const json_t *list, const json_t *index) {
    json_int_t i = json_is_integer(index) ? json_integer_value(index) : -1;
    return i < 0 ? NULL : json_array_get(list, (size_t)i);
}

static uint64_t address_of(const json_t *value) {
    json_int_t address = json_is_integer(value) ? json_integer_value(value) : -1;
    return address < 0 ? 0 : (uint64_t)address;
}

static void library_use(struct frame *out, const json_t *lib) {
    struct gate_str path = text_of(json_object_get(lib, "path"));
    out->mapping.file = path.len != 0 ? path : text_of(json_object_get(lib, "name"));
    out->mapping.build_id = text_of(json_object_get(lib, "codeId"));
}

/* Where the function of a processed profile is: its file, or the library that its resource stands for. */
static void place_find(struct frame *out, const struct gate_gecko_thread *thread, size_t function) {
    const json_t *file = gate_gecko_cell(&thread->functions, "fileName", function);
    const json_t *source = gate_gecko_cell(&thread->functions, "source", function);
    const json_t *resource = gate_gecko_cell(&thread->functions, "resource", function);
    if (json_is_integer(source)) /* later versions keep files in a table of their own */
        file = item_of(json_object_get(thread->sources, "filename"), source);
    out->file = text_of(item_of(thread->strings, file));
    if (json_is_integer(resource) && json_integer_value(resource) >= 0) {
        const json_t *lib = gate_gecko_cell(&thread->resources, "lib", (size_t)json_integer_value(resource));
        library_use(out, item_of(thread->libs, lib));
    }
}

static bool processed_read(struct frame *out, const struct gate_gecko_thread *thread, size_t row) {
    const json_t *function = gate_gecko_cell(&thread->frames, "func", row);
    const json_t *line = gate_gecko_cell(&thread->frames, "line", row);
    if (!json_is_integer(function) || json_integer_value(function) < 0)
        return false;
    size_t index = (size_t)json_integer_value(function);
    const json_t *name = gate_gecko_cell(&thread->functions, "name", index);
    if (item_of(thread->strings, name) == NULL)
        return false;
    out->name = text_of(item_of(thread->strings, name));
    out->address = address_of(gate_gecko_cell(&thread->frames, "address", row));
    out->line = json_is_integer(line) ? json_integer_value(line) : 0;
    place_find(out, thread, index);
    return true;
}

/* Without the number of its source in brackets, which later versions put behind it. */
static struct gate_str without_source(struct gate_str text) {
    size_t end = text.len;
    if (end < 3 || !gate_str_ends(text, GATE_STR("]")))
        return text;
    for (end--; end > 0 && text.ptr[end - 1] >= '0' && text.ptr[end - 1] <= '9';)
        end--;
    bool is_source = end > 1 && end + 1 < text.len && text.ptr[end - 1] == '[' && text.ptr[end - 2] == ')';
    return is_source ? gate_str_slice(text, 0, end - 1) : text;
}

/* "f (https://host/a.js:12:3)[5]": the file behind the last " (", without line and column. */
static void script_split(struct frame *out) {
    struct gate_str text = without_source(out->name);
    size_t start = text.len;
    if (!gate_str_ends(text, GATE_STR(")")))
        return;
    while (start > 0 && !(text.ptr[start - 1] == '(' && start > 1 && text.ptr[start - 2] == ' '))
        start--;
    struct gate_str file = gate_str_slice(text, start, text.len - 1);
    int64_t numbers[2] = {0};
    int count = 0;
    for (; start != 0 && count < 2; count++) {
        size_t colon = file.len;
        int64_t number = 0;
        while (colon > 0 && file.ptr[colon - 1] >= '0' && file.ptr[colon - 1] <= '9')
            colon--;
        if (colon == file.len || colon == 0 || file.ptr[colon - 1] != ':' || file.len - colon > 9)
            break;
        for (size_t i = colon; i < file.len; i++)
            number = number * 10 + (file.ptr[i] - '0');
        numbers[count] = number;
        file = gate_str_slice(file, 0, colon - 1);
    }
    if (count == 0)
        return; /* a label, such as "Load (main)" */
    out->name = gate_str_trim(gate_str_slice(text, 0, start - 2));
    out->file = file;
    out->line = numbers[count - 1];
}

/* Of a process' libraries the one that is loaded there; a list is sorted and short. */
static void address_place(struct frame *out, const json_t *libs) {
    uint64_t address = 0;
    for (size_t i = 2; i < out->name.len && i < 18; i++) {
        char c = out->name.ptr[i];
        address = address << 4 | (uint64_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    out->address = address;
    for (size_t i = 0; i < json_array_size(libs); i++) {
        const json_t *lib = json_array_get(libs, i);
        uint64_t start = address_of(json_object_get(lib, "start")), end = address_of(json_object_get(lib, "end"));
        if (address < start || address >= end)
            continue;
        library_use(out, lib);
        out->address = address - start + address_of(json_object_get(lib, "offset"));
        return;
    }
}

static bool gecko_read(struct frame *out, const struct gate_gecko_thread *thread, size_t row) {
    const json_t *name = item_of(thread->strings, gate_gecko_cell(&thread->frames, "location", row));
    const json_t *line = gate_gecko_cell(&thread->frames, "line", row);
    if (name == NULL)
        return false;
    out->name = text_of(name);
    out->line = json_is_integer(line) ? json_integer_value(line) : 0;
    if (gate_address_name_is(out->name) && gate_str_starts(out->name, GATE_STR("0x")))
        address_place(out, thread->libs);
    else
        script_split(out);
    return true;
}

static uint64_t location_add(struct gate_builder *builder, const struct frame *frame) {
    struct gate_function function = {.name = frame->name, .system_name = frame->name, .file = frame->file};
    struct gate_builder_line line = {.line = frame->line > 0 && frame->line < INT32_MAX ? frame->line : 0};
    uint64_t start = 0;
    uint64_t mapping = frame->mapping.file.len == 0 ? 0 : gate_builder_mapping(builder, &frame->mapping, &start);
    bool is_named = frame->name.len != 0 && !gate_address_name_is(frame->name);
    if (is_named)
        line.function = gate_builder_function(builder, &function);
    return gate_builder_location(builder, mapping, is_named ? 0 : frame->address, &line, is_named);
}

bool gate_gecko_location(uint64_t *location, struct gate_gecko_thread *thread, struct gate_builder *builder,
                         const json_t *frame) {
    struct frame read = {.file = GATE_STR(""), .mapping = {.file = GATE_STR(""), .build_id = GATE_STR("")}};
    json_int_t row = json_is_integer(frame) ? json_integer_value(frame) : -1;
    if (row < 0 || (uint64_t)row >= thread->frame_count)
        return false;
    if (thread->locations[row] == 0) {
        bool is_processed = gate_gecko_cell(&thread->frames, "func", (size_t)row) != NULL;
        if (!(is_processed ? processed_read(&read, thread, (size_t)row) : gecko_read(&read, thread, (size_t)row)))
            return false;
        thread->locations[row] = location_add(builder, &read);
    }
    *location = thread->locations[row];
    return true;
}

bool gate_gecko_is_root(const struct gate_gecko_thread *thread, const json_t *frame) {
    json_int_t row = json_is_integer(frame) ? json_integer_value(frame) : -1;
    const json_t *name = row < 0 ? NULL : gate_gecko_cell(&thread->frames, "location", (size_t)row);
    return gate_str_equal(text_of(item_of(thread->strings, name)), GATE_STR("(root)"));
}
