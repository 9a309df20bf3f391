/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/rules/noise_file.h"

#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/compare/noise.h"
#include "gate/rules/rules.h"
#include "gate/rules/yaml.h"

#include <math.h>
#include <stdlib.h>

/* Sizes that keep a model within the YAML reader's limits of 256 KiB and 20,000 nodes. A frame takes eight nodes. */
enum { FILE_VERSION = 2, FRAMES_BYTES = 160 * 1024, FRAME_BYTES = 80, RUNS_MAX = 10000 };

static const double SHARE_MIN = 0.0002;

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static int frame_by_share(const void *left, const void *right) {
    const struct gate_noise_frame *const *a = left;
    const struct gate_noise_frame *const *b = right;
    double x = (*a)->share[GATE_CUMULATIVE];
    double y = (*b)->share[GATE_CUMULATIVE];
    if (x != y)
        return x > y ? -1 : 1;
    return gate_str_compare((*a)->name, (*b)->name);
}

static int frame_by_name(const void *left, const void *right) {
    const struct gate_noise_frame *const *a = left;
    const struct gate_noise_frame *const *b = right;
    return gate_str_compare((*a)->name, (*b)->name);
}

/* Return how many of the first frames fit, with any names. */
static uint32_t frames_that_fit(struct gate_buf *out, const struct gate_noise_frame **frames, uint32_t count) {
    struct gate_buf escaped = {0}; /* escaping may turn one byte into six */
    uint32_t fit = 0;
    for (size_t bytes = 0; fit < count; fit++) {
        escaped.len = 0;
        gate_escape_json(&escaped, frames[fit]->name);
        bytes += FRAME_BYTES + escaped.len;
        if (bytes > FRAMES_BYTES)
            break;
    }
    gate_buf_free_part(out, &escaped);
    return fit;
}

static void write_frames(struct gate_buf *out, const struct gate_noise_frame **frames, uint32_t count) {
    gate_buf_text(out, "# [name, then mean share and standard deviation from run to run: self, cumulative, charged]\n"
                       "frames:\n");
    for (uint32_t i = 0; i < count; i++) {
        gate_buf_text(out, "  - [");
        gate_escape_json(out, frames[i]->name);
        for (int measure = 0; measure < GATE_MEASURES; measure++)
            gate_buf_printf(out, ", %.6g, %.6g", frames[i]->share[measure], frames[i]->sigma[measure]);
        gate_buf_text(out, "]\n");
    }
    if (count == 0)
        gate_buf_text(out, "  []\n");
}

/* Write one drift. Unknown values are left out. */
static void write_drift(struct gate_buf *out, const char *key, const struct gate_drift *drift) {
    if (!isfinite(drift->apart))
        return;
    gate_buf_printf(out, "  %s: {apart: %.6g", key, drift->apart);
    if (isfinite(drift->near))
        gate_buf_printf(out, ", near: %.6g", drift->near);
    gate_buf_text(out, "}\n");
}

static void write_total(struct gate_buf *out, const struct gate_noise *noise) {
    if (!isfinite(noise->per_work.apart) && !isfinite(noise->per_second.apart))
        return;
    gate_buf_text(out, "# the whole cost, standard deviation of its logarithm from run to run: of any two runs, and of "
                       "neighbours in time\ntotal:\n");
    write_drift(out, "per_work", &noise->per_work);
    write_drift(out, "per_second", &noise->per_second);
}

bool gate_noise_write(struct gate_buf *out, const struct gate_noise *noise, const struct gate_noise_naming *naming,
                      struct gate_arena *arena, struct gate_error *err) {
    const struct gate_noise_frame **frames = gate_arena_calloc(arena, (size_t)noise->frame_count + 1, sizeof *frames);
    if (frames == NULL)
        return gate_arena_error(arena, err);
    uint32_t count = 0;
    for (uint32_t i = 0; i < noise->frame_count; i++)
        if (noise->frames[i].share[GATE_CUMULATIVE] >= SHARE_MIN)
            frames[count++] = &noise->frames[i];
    qsort((void *)frames, count, sizeof *frames, frame_by_share);
    count = frames_that_fit(out, frames, count);
    qsort((void *)frames, count, sizeof *frames, frame_by_name);
    gate_buf_printf(out,
                    "# How much runs of one build differ, written by pprofgate calibrate; used by check --noise.\n"
                    "version: %d\nsample_type: ",
                    FILE_VERSION);
    const struct gate_str parts[] = {noise->type.type, GATE_STR("/"), noise->type.unit};
    struct gate_str type = gate_str_concat(arena, parts, 3);
    if (type.ptr == NULL)
        return gate_arena_error(arena, err);
    gate_escape_json(out, type);
    gate_buf_printf(out, "\ngranularity: %s\nnames: %s\nruns:\n", gate_naming_granularities[naming->granularity],
                    gate_naming_modes[naming->exact_names]);
    for (uint32_t i = 0; i < noise->run_count; i++) {
        gate_buf_text(out, "  - ");
        gate_escape_json(out, noise->runs[i]);
        gate_buf_char(out, '\n');
    }
    gate_buf_printf(
        out,
        "mean_events: %.9g\n# s0: mean dispersion of a frame; rho: variance of frames not listed, over p (1 - p)\n",
        noise->mean_events);
    for (int measure = 0; measure < GATE_MEASURES; measure++)
        gate_buf_printf(out, "%s: {s0: %.9g, rho: %.9g}\n", gate_measure_name((enum gate_measure)measure),
                        noise->s0[measure], noise->rho[measure]);
    if (noise->mix_key.len > 0) {
        gate_buf_text(
            out, "# The traffic mix is not in this file: it was given by this label, and must be given again.\nmix: ");
        gate_escape_json(out, noise->mix_key);
        gate_buf_char(out, '\n');
    }
    write_total(out, noise);
    write_frames(out, frames, count);
    return gate_buf_check(out, err);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool read_failed(struct gate_error *err, const struct gate_yaml_node *node, const char *expected) {
    return gate_error_set_at(err, GATE_ERR_CONFIG, node->line, node->column,
                             "expected %s, found %s: is this a noise model written by 'pprofgate calibrate'?", expected,
                             gate_yaml_kind_name(node->kind));
}

/* Return the value of `key`. If it is missing, record an error and return NULL. */
static const struct gate_yaml_node *read_key(const struct gate_yaml_node *map, const char *key,
                                             struct gate_error *err) {
    const struct gate_yaml_node *node = gate_yaml_get(map, key);
    if (node == NULL)
        (void)gate_error_set_at(err, GATE_ERR_CONFIG, map->line, map->column,
                                "missing key '%s': is this a noise model written by 'pprofgate calibrate'?", key);
    return node;
}

static bool read_number(double *out, const struct gate_yaml_node *node, double least, double most,
                        struct gate_error *err) {
    char text[64];
    if ((node->kind != GATE_YAML_INT && node->kind != GATE_YAML_FLOAT) || node->text.len >= sizeof text)
        return read_failed(err, node, "a number");
    memcpy(text, node->text.ptr, node->text.len);
    text[node->text.len] = '\0';
    *out = strtod(text, NULL);
    if (!(*out >= least && *out <= most))
        return gate_error_set_at(err, GATE_ERR_CONFIG, node->line, node->column,
                                 "expected a number from %g to %g, found '%s'", least, most, text);
    return true;
}

static bool read_number_at(double *out, const struct gate_yaml_node *map, const char *key, double least, double most,
                           struct gate_error *err) {
    const struct gate_yaml_node *node = read_key(map, key, err);
    return node != NULL && read_number(out, node, least, most, err);
}

static bool read_text(struct gate_str *out, const struct gate_yaml_node *map, const char *key, struct gate_error *err) {
    const struct gate_yaml_node *node = read_key(map, key, err);
    if (node == NULL)
        return false;
    if (node->kind != GATE_YAML_TEXT)
        return read_failed(err, node, "text");
    *out = node->text;
    return true;
}

static bool read_word(int *out, const struct gate_yaml_node *map, const char *key, const char *const *words,
                      struct gate_error *err) {
    struct gate_str text = {NULL, 0};
    if (!read_text(&text, map, key, err))
        return false;
    for (int i = 0; words[i] != NULL; i++)
        if (gate_str_equal(text, gate_str_from(words[i]))) {
            *out = i;
            return true;
        }
    const struct gate_yaml_node *node = gate_yaml_get(map, key);
    return gate_error_set_at(err, GATE_ERR_CONFIG, node->line, node->column, "unknown %s '%.*s'", key,
                             GATE_STR_ARG(text));
}

static bool read_runs(struct gate_noise *noise, const struct gate_yaml_node *root, struct gate_arena *arena,
                      struct gate_error *err) {
    const struct gate_yaml_node *list = read_key(root, "runs", err);
    if (list == NULL)
        return false;
    if (list->kind != GATE_YAML_LIST || list->count < 2 || list->count > RUNS_MAX)
        return read_failed(err, list, "a list of at least 2 runs");
    noise->runs = GATE_NEW_ARRAY(arena, struct gate_str, list->count);
    if (noise->runs == NULL)
        return gate_arena_error(arena, err);
    for (const struct gate_yaml_node *node = list->first; node != NULL; node = node->next) {
        if (node->kind != GATE_YAML_TEXT)
            return read_failed(err, node, "a run's name");
        noise->runs[noise->run_count++] = node->text;
    }
    return true;
}

static bool read_frame(struct gate_noise_frame *frame, const struct gate_yaml_node *row, struct gate_error *err) {
    if (row->kind != GATE_YAML_LIST || row->count != 1 + 2 * GATE_MEASURES || row->first->kind != GATE_YAML_TEXT)
        return read_failed(err, row, "[name, then share and deviation for each of self, cumulative and charged]");
    frame->name = row->first->text;
    const struct gate_yaml_node *number = row->first->next;
    for (int measure = 0; measure < GATE_MEASURES; measure++, number = number->next->next)
        if (!read_number(&frame->share[measure], number, 0, 1, err) ||
            !read_number(&frame->sigma[measure], number->next, 0, 1, err))
            return false;
    return true;
}

static bool read_frames(struct gate_noise *noise, const struct gate_yaml_node *root, struct gate_arena *arena,
                        struct gate_error *err) {
    const struct gate_yaml_node *list = read_key(root, "frames", err);
    if (list == NULL)
        return false;
    if (list->kind != GATE_YAML_LIST)
        return read_failed(err, list, "a list of frames");
    noise->frames = GATE_NEW_ARRAY(arena, struct gate_noise_frame, list->count);
    if (noise->frames == NULL)
        return gate_arena_error(arena, err);
    gate_table_init(&noise->index, arena);
    for (const struct gate_yaml_node *row = list->first; row != NULL; row = row->next) {
        struct gate_noise_frame *frame = &noise->frames[noise->frame_count];
        if (!read_frame(frame, row, err))
            return false;
        uint32_t index = gate_table_intern(&noise->index, frame->name);
        if (index == GATE_TABLE_NONE)
            return gate_arena_error(arena, err);
        if (index != noise->frame_count)
            return gate_error_set_at(err, GATE_ERR_CONFIG, row->line, row->column, "frame '%.*s' is listed twice",
                                     GATE_STR_ARG(frame->name));
        noise->frame_count++;
    }
    return true;
}

static bool read_known_keys(const struct gate_yaml_node *root, struct gate_error *err) {
    static const char *const known[] = {"version",     "sample_type", "granularity", "names",   "runs",
                                        "mean_events", "self",        "cumulative",  "charged", "total",
                                        "frames",      "mix",         NULL};
    for (const struct gate_yaml_node *node = root->first; node != NULL; node = node->next) {
        bool found = false;
        for (int i = 0; known[i] != NULL; i++)
            found = found || gate_str_equal(node->key->text, gate_str_from(known[i]));
        if (!found)
            return gate_error_set_at(err, GATE_ERR_CONFIG, node->key->line, node->key->column,
                                     "unknown key '%.*s' in a noise model", GATE_STR_ARG(node->key->text));
    }
    return true;
}

static bool read_drift(struct gate_drift *out, const struct gate_yaml_node *total, const char *key,
                       struct gate_error *err) {
    const struct gate_yaml_node *map = total == NULL ? NULL : gate_yaml_get(total, key);
    *out = (struct gate_drift){NAN, NAN, 0.0};
    if (map == NULL)
        return true;
    if (map->kind != GATE_YAML_MAP)
        return read_failed(err, map, "a map with apart and near");
    return read_number_at(&out->apart, map, "apart", 0, 100, err) &&
           (gate_yaml_get(map, "near") == NULL || read_number_at(&out->near, map, "near", 0, out->apart, err));
}

static bool read_total(struct gate_noise *noise, const struct gate_yaml_node *root, struct gate_error *err) {
    const struct gate_yaml_node *total = gate_yaml_get(root, "total");
    if (total != NULL && total->kind != GATE_YAML_MAP)
        return read_failed(err, total, "a map with per_work and per_second");
    return read_drift(&noise->per_work, total, "per_work", err) &&
           read_drift(&noise->per_second, total, "per_second", err);
}

static bool read_measures(struct gate_noise *noise, const struct gate_yaml_node *root, struct gate_error *err) {
    for (int measure = 0; measure < GATE_MEASURES; measure++) {
        const struct gate_yaml_node *map = read_key(root, gate_measure_name((enum gate_measure)measure), err);
        if (map == NULL)
            return false;
        if (map->kind != GATE_YAML_MAP)
            return read_failed(err, map, "a map with s0 and rho");
        if (!read_number_at(&noise->s0[measure], map, "s0", 1, 1e12, err) ||
            !read_number_at(&noise->rho[measure], map, "rho", 0, 1e12, err))
            return false;
    }
    return true;
}

/* Accept only this version. Versions have different measures, and a measure that is missing for a frame would look
 * like a frame that the runs did not contain. */
static bool read_version(const struct gate_yaml_node *root, struct gate_error *err) {
    double version = 0;
    const struct gate_yaml_node *node = read_key(root, "version", err);
    if (node == NULL || !read_number(&version, node, 1, 1e6, err))
        return false;
    return version == FILE_VERSION ||
           gate_error_set_at(err, GATE_ERR_CONFIG, node->line, node->column,
                             "this noise model is of version %g, and this program reads version %d; calibrate again",
                             version, FILE_VERSION);
}

bool gate_noise_read(struct gate_noise *out, struct gate_noise_naming *naming, struct gate_str text,
                     struct gate_arena *arena, struct gate_error *err) {
    struct gate_yaml_node *root = NULL;
    struct gate_noise noise = {0};
    struct gate_str type = {NULL, 0};
    int granularity = 0;
    int exact = 0;
    if (!gate_yaml_parse(&root, text, arena, err))
        return false;
    if (root->kind != GATE_YAML_MAP)
        return read_failed(err, root, "a map");
    if (!read_version(root, err) || !read_known_keys(root, err) || !read_text(&type, root, "sample_type", err) ||
        !read_word(&granularity, root, "granularity", gate_naming_granularities, err) ||
        !read_word(&exact, root, "names", gate_naming_modes, err) || !read_runs(&noise, root, arena, err) ||
        !read_number_at(&noise.mean_events, root, "mean_events", 0, 1e18, err) || !read_measures(&noise, root, err) ||
        !read_total(&noise, root, err) ||
        (gate_yaml_get(root, "mix") != NULL && !read_text(&noise.mix_key, root, "mix", err)) ||
        !read_frames(&noise, root, arena, err))
        return false;
    size_t slash = gate_str_find(type, GATE_STR("/"), 0);
    noise.type.type = gate_str_slice(type, 0, slash);
    noise.type.unit = slash == SIZE_MAX ? GATE_STR("") : gate_str_slice(type, slash + 1, type.len);
    *naming = (struct gate_noise_naming){(enum gate_granularity)granularity, exact == 1};
    *out = noise;
    return true;
}
