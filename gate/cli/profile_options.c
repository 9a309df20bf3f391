/* SPDX-License-Identifier: Apache-2.0 */
/* Shared command line of the commands that load profiles (see request.h). */
#include "gate/cli/request.h"

const char *const gate_granularity_words[] = {"function", "line", "file", "package", "mapping", NULL};

void gate_request_init(struct gate_request *request) {
    *request = (struct gate_request){.granularity = -1, .exact_names = -1, .limits = gate_limits_default()};
}

static bool request_path(struct gate_paths *paths, size_t *capacity, const char *value, struct gate_arena *arena,
                         struct gate_error *err) {
    const char **items = gate_arena_grow(arena, (void *)paths->items, paths->count, capacity, sizeof *items);
    if (items == NULL)
        return gate_arena_error(arena, err);
    paths->items = items;
    paths->items[paths->count++] = value;
    return true;
}

static bool request_where(struct gate_request *request, const char *value, struct gate_error *err) {
    struct gate_str text = gate_str_from(value);
    size_t equals = gate_str_find(text, GATE_STR("="), 0);
    if (equals == SIZE_MAX || equals == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "option '--where': '%s' is not KEY=VALUE, such as endpoint=/checkout",
                              value);
    if (request->where_count == GATE_REQUEST_WHERE_MAX)
        return gate_error_set(err, GATE_ERR_USAGE, "option '--where' can be given %d times", GATE_REQUEST_WHERE_MAX);
    request->where[request->where_count++] = (struct gate_label_match){
        gate_str_slice(text, 0, equals), gate_str_slice(text, equals + 1, text.len)};
    return true;
}

static bool request_one_path(struct gate_paths *paths, struct gate_str text, struct gate_arena *arena,
                             struct gate_error *err) {
    size_t capacity = 0;
    struct gate_str copy = gate_str_copy(arena, text);
    if (copy.ptr == NULL)
        return gate_arena_error(arena, err);
    return request_path(paths, &capacity, copy.ptr, arena, err);
}

static bool request_pair(struct gate_request *request, const char *value, struct gate_arena *arena,
                         struct gate_error *err) {
    struct gate_str text = gate_str_from(value);
    size_t equals = gate_str_find(text, GATE_STR("="), 0);
    size_t comma = equals == SIZE_MAX ? SIZE_MAX : gate_str_find(text, GATE_STR(","), equals);
    if (comma == SIZE_MAX || equals == 0 || comma == equals + 1 || comma + 1 == text.len)
        return gate_error_set(err, GATE_ERR_USAGE, "option '--pair': '%s' is not NAME=BASELINE,CANARY", value);
    if (request->pair_count == GATE_REQUEST_PAIRS_MAX)
        return gate_error_set(err, GATE_ERR_USAGE, "option '--pair' can be given %d times", GATE_REQUEST_PAIRS_MAX);
    for (uint32_t i = 0; i < request->pair_count; i++)
        if (gate_str_equal(request->pairs[i].label, gate_str_slice(text, 0, equals)))
            return gate_error_set(err, GATE_ERR_USAGE, "option '--pair': two pairs are named '%.*s'; every pair needs a name "
                                  "of its own", GATE_STR_ARG(request->pairs[i].label));
    struct gate_request_pair *pair = &request->pairs[request->pair_count++];
    pair->label = gate_str_slice(text, 0, equals);
    return request_one_path(&pair->paths[GATE_BASELINE], gate_str_slice(text, equals + 1, comma), arena, err) &&
           request_one_path(&pair->paths[GATE_CANARY], gate_str_slice(text, comma + 1, text.len), arena, err);
}

static bool request_cap(struct gate_request *request, int id, const char *value, struct gate_error *err) {
    struct gate_limits *limits = &request->limits;
    static const char *const names[] = {"max-compressed-size", "max-size",    "max-samples", "max-depth",
                                        "max-lines",           "max-strings", "max-memory"};
    size_t number = 0;
    if (!gate_option_size(&number, value, names[id - GATE_REQUEST_MAX_COMPRESSED], err))
        return false;
    uint32_t small = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
    switch (id) {
    case GATE_REQUEST_MAX_COMPRESSED: limits->compressed_bytes = number; break;
    case GATE_REQUEST_MAX_SIZE: limits->inflated_bytes = number; break;
    case GATE_REQUEST_MAX_SAMPLES: limits->samples = number; break;
    case GATE_REQUEST_MAX_DEPTH: limits->depth = small; break;
    case GATE_REQUEST_MAX_LINES: limits->lines = small; break;
    case GATE_REQUEST_MAX_STRINGS: limits->strings = small; break;
    default: limits->memory_bytes = number; break;
    }
    return true;
}

bool gate_request_take(struct gate_request *request, int id, const char *value, struct gate_arena *arena,
                       struct gate_error *err) {
    static const char *const name_words[] = {"stable", "exact", NULL};
    switch (id) {
    case GATE_OPTION_ARGUMENT:
        return request_path(&request->arguments, &request->capacity[GATE_SIDES], value, arena, err);
    case GATE_REQUEST_BASELINE:
    case GATE_REQUEST_CANARY: {
        int side = id == GATE_REQUEST_BASELINE ? GATE_BASELINE : GATE_CANARY;
        return request_path(&request->paths[side], &request->capacity[side], value, arena, err);
    }
    case GATE_REQUEST_PAIR:
        return request_pair(request, value, arena, err);
    case GATE_REQUEST_SAMPLE_TYPE:
        request->sample_type = gate_str_from(value);
        return true;
    case GATE_REQUEST_WHERE:
        return request_where(request, value, err);
    case GATE_REQUEST_GRANULARITY:
        return gate_option_word(&request->granularity, value, "granularity", gate_granularity_words, err);
    case GATE_REQUEST_NAMES:
        return gate_option_word(&request->exact_names, value, "names", name_words, err);
    case GATE_REQUEST_PERIOD:
        return gate_option_positive(&request->counts.period, value, "period", err);
    case GATE_REQUEST_MUTEX_FRACTION:
        return gate_option_positive(&request->counts.mutex_fraction, value, "mutex-fraction", err);
    default:
        GATE_ASSERT(id >= GATE_REQUEST_MAX_COMPRESSED && id < GATE_REQUEST_OPTIONS_END);
        return request_cap(request, id, value, err);
    }
}

bool gate_request_finish(struct gate_request *request, struct gate_arena *arena, struct gate_error *err) {
    const char **arguments = request->arguments.items;
    uint32_t count = request->arguments.count;
    bool named = request->paths[GATE_BASELINE].count != 0 || request->paths[GATE_CANARY].count != 0;
    if (request->pair_count != 0 && (named || count != 0))
        return gate_error_set(err, GATE_ERR_USAGE, "profiles are given by --pair alone, or without it; found both");
    if (request->pair_count != 0)
        return true;
    if (named && count != 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'%s' is one profile too many beside --baseline and --canary; name its side", arguments[0]);
    if (!named && count > 2)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'%s' is one too many: expected BASELINE CANARY; repeat --baseline and --canary for several runs",
                              arguments[2]);
    for (uint32_t i = 0; i < count; i++)
        if (!request_path(&request->paths[i], &request->capacity[i], arguments[i], arena, err))
            return false;
    if (request->paths[GATE_BASELINE].count == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "the baseline is missing: expected BASELINE CANARY");
    if (request->paths[GATE_CANARY].count == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "the canary is missing: expected BASELINE CANARY");
    return true;
}

struct gate_frame_options gate_request_frames(const struct gate_request *request, struct gate_frame_options base) {
    if (request->granularity >= 0)
        base.granularity = (enum gate_granularity)request->granularity;
    if (request->exact_names >= 0)
        base.exact_names = request->exact_names == 1;
    return base;
}

struct gate_counts_options gate_request_counts(const struct gate_request *request, struct gate_counts_options base) {
    if (request->counts.period > 0)
        base.period = request->counts.period;
    if (request->counts.mutex_fraction > 0)
        base.mutex_fraction = request->counts.mutex_fraction;
    return base;
}
