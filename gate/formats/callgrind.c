/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of callgrind files: lines of cost follow the function they belong to; names are compressed to numbers,
 * positions to differences. Source: Valgrind's manual, "Callgrind Format Specification". */
#include "gate/formats/reader.h"
#include "gate/formats/text_line.h"
#include "gate/model/limits.h"

enum { HEAD_BYTES = 16 * 1024 };

/* A compressed name: "(7) name" defines number 7, and "(7)" refers to it. */
struct numbered {
    struct gate_str text; /* points into the file */
    uint32_t stack; /* functions only: index of the stack + 1, so that a long name is not looked up again; 0: not known
                       yet */
};

struct names {
    struct gate_table numbers;
    struct numbered *items;
    size_t capacity;
};

/* File and object of a function, for the innermost part of its name. */
struct place {
    struct gate_str file, object;
    uint64_t location; /* 0: not added yet */
};

struct reading {
    struct gate_builder *builder;
    struct gate_arena *scratch;
    const struct gate_limits *limits;
    uint64_t line_number;
    struct names objects, files, functions;
    struct gate_str object, file;
    struct gate_table stacks; /* function names including their callers */
    int64_t *costs;           /* event_count costs per stack */
    size_t cost_capacity;
    struct gate_table places; /* functions without callers */
    struct place *place_items;
    size_t place_capacity;
    struct gate_str event_names;
    uint32_t event_count, position_count;
    uint32_t stack; /* stack that costs are added to; GATE_TABLE_NONE before the first */
    bool is_call;   /* the next line has the inclusive cost of a call, which is skipped */
};

/* Read a name. `number` is set to its index, or to GATE_TABLE_NONE if it is not compressed. */
static bool name_read(struct reading *reading, struct names *names, struct gate_str text, struct gate_str *out,
                      uint32_t *number, struct gate_error *err) {
    size_t end = gate_str_starts(text, GATE_STR("(")) ? gate_str_find(text, GATE_STR(")"), 0) : SIZE_MAX;
    struct gate_str digits = gate_str_slice(text, 1, end == SIZE_MAX ? 0 : end);
    int64_t ignored = 0;
    *out = text;
    *number = GATE_TABLE_NONE;
    if (end == SIZE_MAX || !gate_text_is_number(digits, &ignored))
        return true; /* not compressed: names such as "(below main)" also start with "(" */
    uint32_t known = names->numbers.count, index = gate_table_intern(&names->numbers, gate_str_slice(text, 0, end + 1));
    if (index == GATE_TABLE_NONE)
        return gate_arena_error(reading->scratch, err);
    *number = index;
    *out = gate_str_trim(gate_str_slice(text, end + 1, text.len));
    if (out->len == 0 && index == known)
        return gate_text_unexpected(reading->line_number, "a name behind a number that none was given yet", text, err);
    if (out->len == 0) {
        *out = names->items[index].text;
        return true;
    }
    if (index == known) {
        if (!GATE_GROW(reading->scratch, names->items, known, names->capacity))
            return gate_arena_error(reading->scratch, err);
    }
    names->items[index] = (struct numbered){.text = *out};
    return true;
}

static struct gate_str innermost(struct gate_str name) {
    size_t end = gate_str_find(name, GATE_STR("'"), 1);
    return gate_str_slice(name, 0, end == SIZE_MAX ? name.len : end);
}

/* Set the index of a function's place. The file and object are those of its first own 'fn=' line; callers in names
 * add an empty place. */
static bool place_add(struct reading *reading, struct gate_str name, const struct place *place, uint32_t *index,
                      struct gate_error *err) {
    uint32_t known = reading->places.count;
    *index = gate_table_intern(&reading->places, name);
    if (*index == GATE_TABLE_NONE)
        return gate_arena_error(reading->scratch, err);
    if (*index < known)
        return true;
    if (!GATE_GROW(reading->scratch, reading->place_items, known, reading->place_capacity))
        return gate_arena_error(reading->scratch, err);
    reading->place_items[known] = *place;
    return true;
}

/* Make room for the costs of one more stack, all 0. */
static bool costs_reserve(struct reading *reading, uint32_t stack, struct gate_error *err) {
    size_t used = (size_t)stack * reading->event_count;
    while (reading->cost_capacity < used + reading->event_count) {
        if (!GATE_GROW(reading->scratch, reading->costs, reading->cost_capacity, reading->cost_capacity))
            return gate_arena_error(reading->scratch, err);
    }
    memset(reading->costs + used, 0, reading->event_count * sizeof *reading->costs);
    return true;
}

static bool function_begin(struct reading *reading, struct gate_str text, struct gate_error *err) {
    struct place place = {.file = reading->file, .object = reading->object};
    struct gate_str name;
    uint32_t number = 0, ignored = 0, known = reading->stacks.count;
    if (reading->event_count == 0)
        return gate_text_unexpected(reading->line_number, "'events:' before the first function", text, err);
    if (!name_read(reading, &reading->functions, text, &name, &number, err))
        return false;
    struct numbered *item = number == GATE_TABLE_NONE ? NULL : &reading->functions.items[number];
    if (item != NULL && item->stack != 0) {
        reading->stack = item->stack - 1;
        return true;
    }
    if (known >= reading->limits->samples)
        return gate_limits_too_many(reading->limits->samples, "functions", err);
    reading->stack = gate_table_intern(&reading->stacks, name);
    if (reading->stack == GATE_TABLE_NONE)
        return gate_arena_error(reading->scratch, err);
    if (item != NULL)
        item->stack = reading->stack + 1;
    return (reading->stack < known || costs_reserve(reading, reading->stack, err)) &&
           place_add(reading, innermost(name), &place, &ignored, err);
}

/* Read positions and one cost per event: "+3 100 2", "0x401000 12 100", "* 7". Trailing costs may be missing. */
static bool costs_read(struct reading *reading, struct gate_str line, struct gate_error *err) {
    struct gate_str rest = line;
    bool is_call = reading->is_call;
    reading->is_call = false;
    for (uint32_t i = 0; i < reading->position_count; i++)
        (void)gate_text_word(&rest);
    if (is_call)
        return true;
    if (reading->stack == GATE_TABLE_NONE)
        return gate_text_unexpected(reading->line_number, "'fn=' before the first cost", line, err);
    int64_t *costs = reading->costs + (size_t)reading->stack * reading->event_count;
    for (uint32_t i = 0; i < reading->event_count && gate_str_trim(rest).len != 0; i++) {
        int64_t cost = 0;
        if (!gate_text_number(&rest, &cost) || cost < 0)
            return gate_text_unexpected(reading->line_number, "whole numbers of 0 or more behind a position", line,
                                        err);
        if (__builtin_add_overflow(costs[i], cost, &costs[i]))
            return gate_error_set(err, GATE_ERR_OVERFLOW, "line %llu: the costs of a function do not fit in 64 bits",
                                  (unsigned long long)reading->line_number);
    }
    return gate_str_trim(rest).len == 0 ||
           gate_text_unexpected(reading->line_number, "no more costs than events", line, err);
}

/* Read "events: Ir Dr Dw". */
static bool events_read(struct reading *reading, struct gate_str text, struct gate_error *err) {
    struct gate_str rest = text;
    if (reading->event_count != 0)
        return gate_str_equal(gate_str_trim(text), gate_str_trim(reading->event_names)) ||
               gate_text_unexpected(reading->line_number, "the same events in each part", text, err);
    for (struct gate_str name = gate_text_word(&rest); name.len != 0; name = gate_text_word(&rest)) {
        if (reading->event_count == GATE_VALUES_MAX)
            return gate_error_set(err, GATE_ERR_LIMIT, "line %llu: more than %d events",
                                  (unsigned long long)reading->line_number, GATE_VALUES_MAX);
        gate_builder_type(reading->builder, name, GATE_STR("count"));
        reading->event_count++;
        if (reading->event_count == 1)
            reading->builder->header.default_sample_type = name;
    }
    reading->event_names = text;
    return reading->event_count != 0 || gate_text_unexpected(reading->line_number, "names of events", text, err);
}

static bool header_read(struct reading *reading, struct gate_str key, struct gate_str text, struct gate_error *err) {
    if (gate_str_equal(key, GATE_STR("events")))
        return events_read(reading, text, err);
    if (gate_str_equal(key, GATE_STR("positions")))
        for (reading->position_count = 0; gate_text_word(&text).len != 0; reading->position_count++)
            ;
    return true;
}

/* Read a line such as "fn=(7) main". `is_known` is set to false for an unknown key. */
static bool spec_read(struct reading *reading, struct gate_str key, struct gate_str text, bool *is_known,
                      struct gate_error *err) {
    const struct {
        const char *key;
        struct names *names;
        struct gate_str *kept;
    } specs[] = {{"ob", &reading->objects, &reading->object},
                 {"fl", &reading->files, &reading->file},
                 {"cob", &reading->objects, NULL},
                 {"fi", &reading->files, NULL},
                 {"fe", &reading->files, NULL},
                 {"cfi", &reading->files, NULL},
                 {"cfl", &reading->files, NULL},
                 {"jfi", &reading->files, NULL},
                 {"cfn", &reading->functions, NULL},
                 {"jfn", &reading->functions, NULL}};
    struct gate_str ignored;
    uint32_t number = 0;
    *is_known = true;
    if (gate_str_equal(key, GATE_STR("fn")))
        return function_begin(reading, text, err);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        if (gate_str_equal(key, gate_str_from(specs[i].key)))
            return name_read(reading, specs[i].names, text, specs[i].kept != NULL ? specs[i].kept : &ignored, &number,
                             err);
    bool is_call = gate_str_equal(key, GATE_STR("calls"));
    reading->is_call |= is_call;
    *is_known = is_call || gate_str_equal(key, GATE_STR("jump")) || gate_str_equal(key, GATE_STR("jcnd"));
    return true;
}

static bool line_read(struct reading *reading, struct gate_str line, struct gate_error *err) {
    if (line.len == 0 || line.ptr[0] == '#')
        return true;
    if (gate_is_digit(line.ptr[0]) || memchr("+-*", line.ptr[0], 3) != NULL)
        return costs_read(reading, line, err);
    size_t at = 0;
    while (at < line.len && line.ptr[at] != '=' && line.ptr[at] != ':')
        at++;
    struct gate_str key = gate_str_slice(line, 0, at);
    struct gate_str text = gate_str_trim(gate_str_slice(line, at + 1, line.len));
    bool is_known = false;
    if (at < line.len && line.ptr[at] == ':')
        return header_read(reading, key, text, err);
    if (at < line.len && !spec_read(reading, key, text, &is_known, err))
        return false;
    return is_known ||
           gate_text_unexpected(reading->line_number, "a cost, 'fn=…' or another line of callgrind's", line, err);
}

static uint64_t location_of(struct reading *reading, struct gate_str name, struct place *place) {
    const struct gate_str unknown = GATE_STR("???");
    struct gate_function function = {.name = name, .system_name = name, .file = place->file};
    struct gate_mapping mapping = {.file = place->object, .build_id = GATE_STR("")};
    uint64_t start = 0, id = 0;
    if (place->location != 0)
        return place->location;
    if (gate_str_equal(function.file, unknown) || function.file.ptr == NULL)
        function.file = GATE_STR("");
    if (mapping.file.len != 0 && !gate_str_equal(mapping.file, unknown))
        id = gate_builder_mapping(reading->builder, &mapping, &start);
    struct gate_builder_line line = {gate_builder_function(reading->builder, &function), 0, 0};
    place->location = line.function == 0 ? 0 : gate_builder_location(reading->builder, id, 0, &line, 1);
    return place->location;
}

/* Add a stack "leaf'caller'2'root". Numbers are recursion depths, not frames. */
static bool stack_add(struct reading *reading, uint32_t stack, struct gate_error *err) {
    struct gate_str rest = reading->stacks.keys[stack];
    struct gate_builder *builder = reading->builder;
    const struct place nowhere = {.file = GATE_STR(""), .object = GATE_STR("")};
    int64_t recursion = 0;
    builder->depth = 0;
    while (rest.len != 0) {
        struct gate_str name = innermost(rest);
        uint32_t place = 0;
        rest = gate_str_slice(rest, name.len + 1, rest.len);
        if (gate_text_is_number(name, &recursion))
            continue;
        if (!place_add(reading, name, &nowhere, &place, err) ||
            !gate_builder_push(builder, location_of(reading, name, &reading->place_items[place]), err))
            return false;
    }
    struct gate_builder_sample sample = {.locations = builder->stack,
                                         .depth = builder->depth,
                                         .values = reading->costs + (size_t)stack * reading->event_count};
    return gate_builder_sample(builder, &sample, err);
}

static bool document_add(struct reading *reading, struct gate_str rest, struct gate_error *err) {
    struct gate_str line;
    for (reading->line_number = 1; gate_text_line_next(&rest, &line); reading->line_number++)
        if (!line_read(reading, line, err))
            return false;
    if (reading->stacks.count == 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "no line is a function ('fn=')");
    for (uint32_t i = 0; i < reading->stacks.count; i++)
        if (!stack_add(reading, i, err))
            return false;
    return true;
}

/* Return the value of the header line "KEY: VALUE", or an empty text. */
static struct gate_str header_find(struct gate_str head, const char *key) {
    struct gate_str line, name = gate_str_from(key);
    while (gate_text_line_next(&head, &line))
        if (gate_str_starts(line, name) && line.len > name.len && line.ptr[name.len] == ':')
            return gate_str_trim(gate_str_slice(line, name.len + 1, line.len));
    return GATE_STR("");
}

/* xdebug and others leave the first line out, and write "version: 1" and their name. */
/*
 * Return true if `text` starts with "# callgrind format", or if its head contains 'creator: callgrind' and
 * 'events:'.
 */
static bool callgrind_sniff(struct gate_str text) {
    struct gate_str head = gate_str_slice(text, 0, HEAD_BYTES);
    return gate_str_starts(text, GATE_STR("# callgrind format")) ||
           (header_find(head, "creator").len != 0 && header_find(head, "events").len != 0);
}

/* Return true if each unit of cost was counted, as valgrind does. Other producers write times and samples. */
static bool is_exact(struct gate_str text) {
    struct gate_str creator = header_find(gate_str_slice(text, 0, HEAD_BYTES), "creator");
    return creator.len == 0 || gate_str_starts(creator, GATE_STR("callgrind"));
}

/*
 * Convert a callgrind file to pprof. See gate_format_fill in formats/reader.h.
 *
 * There is one column per event (Ir, Dr, …) with unit count; the first is the default. The period is exact/count 1.
 * Only self costs are read: the file does not split the cost of a call by the callers before it.
 *
 * With --separate-callers=N a function's name contains its callers, "leaf'caller'root", which are the stack. Without
 * it a stack has one frame. Numbers in between, such as the recursion depth in "walk'2", are not frames.
 */
static bool callgrind_fill(struct gate_builder *builder, struct gate_str bytes, const struct gate_limits *limits,
                           struct gate_error *err) {
    struct reading reading = {.builder = builder,
                              .scratch = builder->arena,
                              .limits = limits,
                              .position_count = 1,
                              .object = GATE_STR(""),
                              .file = GATE_STR(""),
                              .stack = GATE_TABLE_NONE};
    struct gate_table *tables[] = {&reading.objects.numbers, &reading.files.numbers, &reading.functions.numbers,
                                   &reading.stacks, &reading.places};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        gate_table_init(tables[i], builder->arena);
    if (is_exact(bytes)) {
        gate_builder_exact(builder, GATE_STR("count"));
    }
    return document_add(&reading, bytes, err);
}

const struct gate_reader gate_callgrind_reader = {
    .name = "callgrind counts",
    .is_text = true,
    .sniff = callgrind_sniff,
    .format = GATE_FORMAT_CALLGRIND,
    .fill = callgrind_fill,
};
