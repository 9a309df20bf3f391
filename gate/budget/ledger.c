/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger of a change as text (see ledger.h). */
#include "gate/budget/ledger.h"

#include "gate/base/json_reader.h"
#include "gate/base/json_writer.h"

static const char schema[] = "pprofgate-ledger/1";

/* What a look can have decided. */
static const enum gate_outcome outcomes[] = {GATE_OUTCOME_PASS, GATE_OUTCOME_INCONCLUSIVE, GATE_OUTCOME_FAIL};
enum { OUTCOMES = sizeof outcomes / sizeof *outcomes };

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void ledger_text(struct gate_json *json, const char *key, struct gate_str value) {
    gate_json_key(json, key);
    gate_json_string(json, value);
}

static void ledger_write_runs(struct gate_json *json, const char *key, const struct gate_ledger_runs *runs) {
    gate_json_key(json, key);
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < runs->count; i++) {
        gate_json_open_flat(json, '{');
        ledger_text(json, "path", runs->items[i].path);
        ledger_text(json, "digest", runs->items[i].digest);
        gate_json_key(json, "work");
        gate_json_number(json, runs->items[i].work);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void ledger_write_look(struct gate_json *json, const struct gate_ledger_look *look) {
    gate_json_open(json, '{');
    ledger_text(json, "time", look->time);
    gate_json_key(json, "outcome");
    gate_json_text(json, gate_outcome_name(look->outcome));
    ledger_text(json, "found", look->found);
    for (int side = 0; side < GATE_SIDES; side++)
        ledger_write_runs(json, gate_side_word((enum gate_side_name)side), &look->runs[side]);
    gate_json_close(json, '}');
}

void gate_ledger_write(struct gate_buf *out, const struct gate_ledger *ledger) {
    struct gate_json json = {.out = out, .indent = 2};
    gate_json_open(&json, '{');
    gate_json_key(&json, "schema");
    gate_json_text(&json, schema);
    ledger_text(&json, "rules", ledger->rules);
    ledger_text(&json, "rules_digest", ledger->rules_digest);
    ledger_text(&json, "change", ledger->change);
    ledger_text(&json, "baseline_build", ledger->builds[GATE_BASELINE]);
    ledger_text(&json, "canary_build", ledger->builds[GATE_CANARY]);
    gate_json_key(&json, "planned");
    gate_json_integer(&json, ledger->planned);
    gate_json_key(&json, "looks");
    gate_json_open(&json, '[');
    for (uint32_t i = 0; i < ledger->count; i++)
        ledger_write_look(&json, &ledger->looks[i]);
    gate_json_close(&json, ']');
    gate_json_close(&json, '}');
    gate_buf_char(out, '\n');
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool read_run(struct gate_ledger_run *out, const struct gate_json_reader *reader) {
    static const char *const known[] = {"path", "digest", "work", NULL};
    return gate_json_reader_keys(reader, known) &&
           gate_json_reader_text(&out->path, reader, "path", GATE_JSON_READER_FILLED) &&
           gate_json_reader_text(&out->digest, reader, "digest", GATE_JSON_READER_FILLED) &&
           gate_json_reader_number(&out->work, reader, "work", GATE_JSON_READER_MUST);
}

static bool read_runs(struct gate_ledger_runs *out, const struct gate_json_reader *look, const char *key) {
    const json_t *list;
    if (!gate_json_reader_list(&list, look, key, UINT32_MAX / 2, GATE_JSON_READER_MUST))
        return false;
    out->count = (uint32_t)json_array_size(list);
    out->items = GATE_NEW_ARRAY(look->arena, struct gate_ledger_run, (size_t)out->count + 1);
    if (out->items == NULL)
        return gate_arena_error(look->arena, look->err);
    for (uint32_t i = 0; i < out->count; i++) {
        const struct gate_json_reader item = gate_json_reader_item(look, list, i, look->place);
        if (!read_run(&out->items[i], &item))
            return false;
    }
    return true;
}

static bool read_outcome(enum gate_outcome *out, const struct gate_json_reader *look) {
    struct gate_str word;
    if (!gate_json_reader_text(&word, look, "outcome", GATE_JSON_READER_MUST))
        return false;
    for (int i = 0; i < OUTCOMES; i++) {
        *out = outcomes[i];
        if (gate_str_equal(word, gate_str_from(gate_outcome_name(outcomes[i]))))
            return true;
    }
    return gate_json_reader_refuse(look, "outcome", "pass, fail or inconclusive");
}

static bool read_look(struct gate_ledger_look *out, const struct gate_json_reader *look) {
    static const char *const known[] = {"time", "outcome", "found", "baseline", "canary", NULL};
    return gate_json_reader_keys(look, known) &&
           gate_json_reader_text(&out->time, look, "time", GATE_JSON_READER_MUST) &&
           read_outcome(&out->outcome, look) &&
           gate_json_reader_text(&out->found, look, "found", GATE_JSON_READER_MUST) &&
           read_runs(&out->runs[GATE_BASELINE], look, "baseline") && read_runs(&out->runs[GATE_CANARY], look, "canary");
}

static bool read_looks(struct gate_ledger *out, const struct gate_json_reader *reader) {
    const json_t *list;
    int64_t planned = 0;
    if (!gate_json_reader_integer(&planned, reader, "planned", 1, GATE_SPENDING_LOOKS_MAX, GATE_JSON_READER_MUST) ||
        !gate_json_reader_list(&list, reader, "looks", (size_t)planned, GATE_JSON_READER_MUST))
        return false;
    out->planned = (uint32_t)planned;
    out->looks = GATE_NEW_ARRAY(reader->arena, struct gate_ledger_look, json_array_size(list) + 1);
    if (out->looks == NULL)
        return gate_arena_error(reader->arena, reader->err);
    for (; out->count < json_array_size(list); out->count++) {
        char place[32];
        (void)snprintf(place, sizeof place, "looks[%u]", (unsigned)out->count);
        const struct gate_json_reader look = gate_json_reader_item(reader, list, out->count, place);
        if (!read_look(&out->looks[out->count], &look))
            return false;
    }
    return true;
}

static bool read_document(struct gate_ledger *out, const struct gate_json_reader *reader) {
    static const char *const known[] = {"schema",       "rules",   "rules_digest", "change", "baseline_build",
                                        "canary_build", "planned", "looks",        NULL};
    const enum gate_json_reader_need must = GATE_JSON_READER_MUST;
    return gate_json_reader_schema(reader, schema, "look with the pprofgate that wrote it, or begin another ledger") &&
           gate_json_reader_keys(reader, known) && gate_json_reader_text(&out->rules, reader, "rules", must) &&
           gate_json_reader_text(&out->rules_digest, reader, "rules_digest", must) &&
           gate_json_reader_text(&out->change, reader, "change", must) &&
           gate_json_reader_text(&out->builds[GATE_BASELINE], reader, "baseline_build", must) &&
           gate_json_reader_text(&out->builds[GATE_CANARY], reader, "canary_build", must) && read_looks(out, reader);
}

bool gate_ledger_read(struct gate_ledger *out, struct gate_str text, struct gate_arena *arena, struct gate_error *err) {
    *out = (struct gate_ledger){0};
    json_t *root = gate_json_reader_parse(text, "a ledger", GATE_ERR_CONFIG, err);
    if (root == NULL)
        return false;
    const struct gate_json_reader reader = {root, "the ledger", GATE_ERR_CONFIG, arena, err};
    bool ok = read_document(out, &reader);
    json_decref(root);
    return ok;
}

/* ---- looks ------------------------------------------------------------------------------------------------------- */

bool gate_ledger_add(struct gate_ledger *ledger, const struct gate_ledger_look *look, struct gate_arena *arena,
                     struct gate_error *err) {
    struct gate_ledger_look *looks = GATE_NEW_ARRAY(arena, struct gate_ledger_look, (size_t)ledger->count + 1);
    if (looks == NULL)
        return gate_arena_error(arena, err);
    if (ledger->count > 0)
        memcpy(looks, ledger->looks, ledger->count * sizeof *looks);
    looks[ledger->count++] = *look;
    ledger->looks = looks;
    return true;
}

const struct gate_ledger_run *gate_ledger_find(const struct gate_ledger *ledger, struct gate_str digest) {
    for (uint32_t i = 0; i < ledger->count; i++)
        for (int side = 0; side < GATE_SIDES; side++)
            for (uint32_t r = 0; r < ledger->looks[i].runs[side].count; r++)
                if (gate_str_equal(ledger->looks[i].runs[side].items[r].digest, digest))
                    return &ledger->looks[i].runs[side].items[r];
    return NULL;
}
