/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of --work (see work_option.h). */
#include "gate/cli/work_option.h"

#include "gate/cli/option_value.h"
#include "gate/rules/work_file.h"

#include <string.h>

enum { NUMBER_BYTES = 64 };

/* What is read, for messages. */
struct reading {
    const char *name, *value; /* "option '--work'", and all of its value */
    struct gate_arena *arena;
    struct gate_error *err;
};

static bool refuse(const struct reading *reading, const char *expected) {
    return gate_error_set(reading->err, GATE_ERR_USAGE, "%s: expected %s, found '%s'", reading->name, expected,
                          reading->value);
}

/* Of a label's value a run may have done nothing. */
static bool read_numbers(struct gate_work_count *out, struct gate_str text, const struct reading *reading) {
    double *runs = GATE_NEW_ARRAY(reading->arena, double, text.len + 1);
    if (runs == NULL)
        return gate_arena_error(reading->arena, reading->err);
    for (size_t from = 0; from <= text.len;) {
        size_t comma = gate_str_find(text, GATE_STR(","), from), end = comma == SIZE_MAX ? text.len : comma;
        struct gate_str one = gate_str_slice(text, from, end);
        char number[NUMBER_BYTES];
        double *at = &runs[out->count++];
        if (one.len == 0 || one.len >= sizeof number)
            return refuse(reading, "a number, or one a run with commas between them");
        memcpy(number, one.ptr, one.len);
        number[one.len] = '\0';
        if (!gate_option_value_number(at, number) || *at < 0 || (*at <= 0 && out->key.len == 0))
            return refuse(reading, out->key.len == 0 ? "numbers above zero" : "numbers of zero or more");
        from = end + 1;
    }
    out->runs = runs;
    return true;
}

/* "LABEL=VALUE:N"; a value may hold colons, so the last one ends it. */
static bool read_label(struct gate_work_count *out, struct gate_str text, const struct reading *reading) {
    size_t equals = gate_str_find(text, GATE_STR("="), 0), colon = text.len;
    while (colon > 0 && text.ptr[colon - 1] != ':')
        colon--;
    if (equals == SIZE_MAX || equals == 0 || colon < equals + 3)
        return refuse(reading, "LABEL=VALUE:N, such as endpoint=/search:1200");
    out->key = gate_str_slice(text, 0, equals);
    out->value = gate_str_slice(text, equals + 1, colon - 1);
    return read_numbers(out, gate_str_slice(text, colon, text.len), reading);
}

static struct reading reading_of(const struct gate_option_use *use, struct gate_error *err) {
    struct gate_str name = gate_str_format(use->arena, "option '--%s'", use->option->name);
    return (struct reading){name.ptr == NULL ? "an option" : name.ptr, use->value, use->arena, err};
}

bool gate_work_option_text(struct gate_work *work, enum gate_side_name side, const char *name, const char *text,
                           struct gate_arena *arena, struct gate_error *err) {
    const struct reading reading = {name, text, arena, err};
    struct gate_work_count count = {.side = side};
    return read_numbers(&count, gate_str_from(text), &reading) && gate_work_add(work, &count, arena, err);
}

bool gate_work_option_side(const struct gate_option_use *use, struct gate_error *err) {
    const struct reading reading = reading_of(use, err);
    struct gate_str value = gate_str_from(use->value);
    for (int side = 0; side < GATE_SIDES; side++) {
        struct gate_str word = gate_str_from(gate_side_word((enum gate_side_name)side));
        struct gate_work_count count = {.side = (enum gate_side_name)side};
        if (!gate_str_starts(value, word) || value.len == word.len)
            continue;
        struct gate_str rest = gate_str_slice(value, word.len + 1, value.len);
        if (value.ptr[word.len] == '=')
            return read_numbers(&count, rest, &reading) && gate_work_add(use->out, &count, use->arena, err);
        if (value.ptr[word.len] == ':')
            return read_label(&count, rest, &reading) && gate_work_add(use->out, &count, use->arena, err);
    }
    return refuse(&reading, "baseline=N, canary=N, or canary:LABEL=VALUE:N");
}

static bool read_side(const struct gate_option_use *use, enum gate_side_name side, struct gate_error *err) {
    const struct reading reading = reading_of(use, err);
    return gate_work_option_text(use->out, side, reading.name, use->value, use->arena, err);
}

bool gate_work_option_baseline(const struct gate_option_use *use, struct gate_error *err) {
    return read_side(use, GATE_BASELINE, err);
}

bool gate_work_option_canary(const struct gate_option_use *use, struct gate_error *err) {
    return read_side(use, GATE_CANARY, err);
}

bool gate_work_option_runs(const struct gate_option_use *use, struct gate_error *err) {
    const struct reading reading = reading_of(use, err);
    struct gate_str value = gate_str_from(use->value);
    struct gate_work_count count = {.side = GATE_BASELINE};
    bool has_label = gate_str_find(value, GATE_STR("="), 0) != SIZE_MAX;
    if (gate_str_starts(value, GATE_STR("baseline")) || gate_str_starts(value, GATE_STR("canary")))
        return refuse(&reading, "N1,N2,... or LABEL=VALUE:N1,N2,..., since good runs have no sides");
    return (has_label ? read_label(&count, value, &reading) : read_numbers(&count, value, &reading)) &&
           gate_work_add(use->out, &count, use->arena, err);
}

bool gate_work_option_file(struct gate_work *work, struct gate_cli *cli, const char *path, struct gate_error *err) {
    const char *name = gate_input_name(path);
    struct gate_error why = {0};
    struct gate_str text;
    if (!gate_input_read_small(&text, cli, path, cli->arena, &why))
        return gate_error_set(err, why.code, "%s: %s", name, why.message);
    struct gate_work told = *work;
    *work = (struct gate_work){0};
    if (!gate_work_file_read(work, text, cli->arena, &why))
        return gate_error_set(err, why.code, "%s:%u:%u: %s", name, (unsigned)why.line, (unsigned)why.column,
                              why.message);
    for (uint32_t i = 0; i < told.count; i++)
        if (!gate_work_add(work, &told.items[i], cli->arena, err))
            return false;
    return true;
}
