/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a profile that hold for every format (see profile.h). */
#include "gate/profile/profile.h"

#include <stdio.h>

static bool type_is(struct gate_value_type type, struct gate_str wanted) {
    if (gate_str_equal(type.type, wanted))
        return true;
    size_t slash = wanted.len;
    while (slash > 0 && wanted.ptr[slash - 1] != '/')
        slash--;
    return slash > 0 && gate_str_equal(type.type, gate_str_slice(wanted, 0, slash - 1)) &&
           gate_str_equal(type.unit, gate_str_slice(wanted, slash, wanted.len));
}

static bool type_find(uint32_t *column, const struct gate_profile *profile, struct gate_str wanted) {
    const struct gate_str inuse = GATE_STR("inuse_");
    for (uint32_t i = 0; i < profile->sample_type_count; i++) {
        *column = i;
        if (type_is(profile->sample_types[i], wanted))
            return true;
    }
    for (uint32_t i = 0; i < profile->sample_type_count; i++) {
        struct gate_value_type type = profile->sample_types[i];
        *column = i;
        /* google/pprof finds "space" for "inuse_space"; people also write it the other way round. */
        if (gate_str_starts(wanted, inuse) && type_is(type, gate_str_slice(wanted, inuse.len, wanted.len)))
            return true;
        if (gate_str_starts(type.type, inuse)) {
            type.type = gate_str_slice(type.type, inuse.len, type.type.len);
            if (type_is(type, wanted))
                return true;
        }
    }
    return false;
}

/* "3", "+3", "-1" are indices, as strconv.Atoi has it. False when it is not a number. */
static bool index_parse(int64_t *index, struct gate_str text) {
    bool negative = text.len > 0 && text.ptr[0] == '-';
    size_t at = negative || (text.len > 0 && text.ptr[0] == '+') ? 1 : 0;
    if (at == text.len || text.len > 10)
        return false;
    int64_t value = 0;
    for (; at < text.len; at++) {
        if (text.ptr[at] < '0' || text.ptr[at] > '9')
            return false;
        value = value * 10 + (text.ptr[at] - '0');
    }
    *index = negative ? -value : value;
    return true;
}

static bool type_missing(const struct gate_profile *profile, struct gate_str wanted, struct gate_error *err) {
    enum { NAMES_MAX = 64, NAME_SIZE = 64 };
    char names[NAMES_MAX][NAME_SIZE];
    const char *words[NAMES_MAX + 1];
    uint32_t word_count = 0;
    char list[400] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < profile->sample_type_count; i++) {
        struct gate_value_type type = profile->sample_types[i];
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s/%.*s", i == 0 ? "" : ", ",
                                     GATE_STR_ARG(type.type), GATE_STR_ARG(type.unit));
        if (word_count == NAMES_MAX || type.type.len >= NAME_SIZE)
            continue;
        (void)snprintf(names[word_count], NAME_SIZE, "%.*s", GATE_STR_ARG(type.type));
        words[word_count] = names[word_count];
        word_count++;
    }
    words[word_count] = NULL;
    const char *nearest = gate_str_nearest(wanted, words);
    return gate_error_set(err, GATE_ERR_INPUT, "no sample type '%.*s': the profile has %s%s%s%s%s",
                          GATE_STR_ARG(wanted), list[0] == '\0' ? "none" : list, used >= sizeof list ? "..." : "",
                          nearest == NULL ? "" : " (did you mean '", nearest == NULL ? "" : nearest,
                          nearest == NULL ? "" : "'?)");
}

bool gate_sample_type_find(uint32_t *column, const struct gate_profile *profile, struct gate_str wanted,
                           struct gate_error *err) {
    int64_t index = 0;
    if (profile->sample_type_count == 0)
        return gate_error_set(err, GATE_ERR_INPUT, "the profile has no sample types");
    if (wanted.len == 0) {
        *column = profile->sample_type_count - 1;
        for (uint32_t i = 0; profile->default_sample_type.len != 0 && i < profile->sample_type_count; i++)
            if (gate_str_equal(profile->sample_types[i].type, profile->default_sample_type)) {
                *column = i;
                break;
            }
        return true;
    }
    if (!index_parse(&index, wanted))
        return type_find(column, profile, wanted) || type_missing(profile, wanted, err);
    if (index < 0 || index >= (int64_t)profile->sample_type_count)
        return gate_error_set(err, GATE_ERR_INPUT, "sample type %lld is out of range: the profile has 0 to %u",
                              (long long)index, profile->sample_type_count - 1);
    *column = (uint32_t)index;
    return true;
}
