/* SPDX-License-Identifier: Apache-2.0 */
/* Reads facts about a build and its machine that a profile records. */
#include "gate/guards/build_facts.h"

#include "gate/model/profile.h"
#include "gate/model/sample.h"

enum { SAMPLES_READ = 256, PARTS_MAX = 6 };

/* Keys in lower case; '_' also matches '-', '.' and '/'. */
static const char *const version_keys[] = {"version",       "service_version", "app_version",
                                           "build_version", "release",         "app_kubernetes_io_version"};

static const char *const time_keys[] = {"build_time",      "build_date", "built_at",
                                        "build_timestamp", "vcs_time",   "org_opencontainers_image_created"};

static char plain_char(char c) {
    return c == '-' || c == '.' || c == '/' ? '_' : gate_lower(c);
}

static bool is_key(struct gate_str key, const char *const *keys, size_t count) {
    for (size_t k = 0; k < count; k++) {
        size_t at = 0;
        while (at < key.len && keys[k][at] != '\0' && plain_char(key.ptr[at]) == keys[k][at])
            at++;
        if (at == key.len && keys[k][at] == '\0')
            return true;
    }
    return false;
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* Parse exactly `count` digits at `*at`. */
static bool take_number(int64_t *out, struct gate_str text, size_t *at, size_t count) {
    *out = 0;
    for (size_t i = 0; i < count; i++, (*at)++) {
        if (!gate_str_is_digit(text, *at))
            return false;
        *out = *out * 10 + (text.ptr[*at] - '0');
    }
    return true;
}

/* Days from 1970-01-01 in the Gregorian calendar; years from 1970 on. */
static int64_t days_of(int64_t year, int64_t month, int64_t day) {
    int64_t shifted = year - (month <= 2), century = shifted / 100;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return shifted * 365 + shifted / 4 - century + century / 4 + of_year - 719468;
}

/* Parse "T10:00:00.123+02:00" as seconds of the day in UTC. Returns false if it is something else. */
static bool take_clock(int64_t *seconds, struct gate_str text, size_t *at) {
    int64_t hour, minute, second, offset_hour = 0, offset_minute = 0;
    if ((!gate_str_take(text, at, 'T') && !gate_str_take(text, at, ' ')) || !take_number(&hour, text, at, 2) ||
        !gate_str_take(text, at, ':') || !take_number(&minute, text, at, 2) || !gate_str_take(text, at, ':') ||
        !take_number(&second, text, at, 2))
        return false;
    if (gate_str_take(text, at, '.'))
        while (gate_str_is_digit(text, *at))
            (*at)++;
    *seconds = hour * 3600 + minute * 60 + second;
    int sign = gate_str_take(text, at, '+') ? 1 : gate_str_take(text, at, '-') ? -1 : 0;
    if (sign == 0) {
        (void)gate_str_take(text, at, 'Z');
        return true;
    }
    bool has_hour = take_number(&offset_hour, text, at, 2);
    (void)gate_str_take(text, at, ':');
    *seconds -= sign * offset_hour * 3600;
    if (!has_hour || !take_number(&offset_minute, text, at, 2))
        return false;
    *seconds -= sign * offset_minute * 60;
    return true;
}

/* Convert a count since 1970. Its size gives its unit: seconds have 10 digits, nanoseconds 19. */
static bool time_of_number(int64_t *ns, int64_t number) {
    if (number < INT64_C(100000000))
        return false;
    for (*ns = number; *ns < INT64_C(100000000000000000); *ns *= 1000)
        if (*ns > INT64_MAX / 1000)
            return false;
    return true;
}

bool gate_build_facts_time(int64_t *ns, struct gate_str text) {
    int64_t year, month, day, seconds = 0;
    size_t at = 0;
    if (text.len >= 9 && text.len <= 19) {
        int64_t number = 0;
        if (take_number(&number, text, &at, text.len == 19 ? 18 : text.len) && text.len < 19)
            return time_of_number(ns, number);
        if (text.len == 19 && at == 18 && gate_str_is_digit(text, 18) && number <= INT64_C(922337203685477579))
            return time_of_number(ns, number * 10 + (text.ptr[18] - '0'));
    }
    at = 0;
    bool ok = take_number(&year, text, &at, 4) && gate_str_take(text, &at, '-') && take_number(&month, text, &at, 2) &&
              gate_str_take(text, &at, '-') && take_number(&day, text, &at, 2) &&
              (at == text.len || take_clock(&seconds, text, &at)) && at == text.len;
    if (!ok || year < 1971 || year > 2200 || month < 1 || month > 12 || day < 1 || day > 31)
        return false;
    *ns = (days_of(year, month, day) * 86400 + seconds) * INT64_C(1000000000);
    return true;
}

/* ---- versions ---------------------------------------------------------------------------------------------------- */

/* Parse the numbers of "v1.10.2-rc1"; at least two are required. */
static bool parts_of(int64_t parts[PARTS_MAX], struct gate_str text) {
    size_t at = 0;
    uint32_t count = 0;
    (void)gate_str_take(text, &at, 'v');
    while (count < PARTS_MAX && gate_str_is_digit(text, at)) {
        int64_t number = 0;
        for (size_t digits = 0; gate_str_is_digit(text, at); at++, digits++) {
            if (digits == 15)
                return false;
            number = number * 10 + (text.ptr[at] - '0');
        }
        parts[count++] = number;
        (void)gate_str_take(text, &at, '.');
    }
    return count >= 2 && (at == text.len || text.ptr[at] == '-' || text.ptr[at] == '+');
}

bool gate_build_facts_order(int *order, struct gate_str a, struct gate_str b) {
    int64_t left[PARTS_MAX] = {0}, right[PARTS_MAX] = {0};
    *order = 0;
    if (!parts_of(left, a) || !parts_of(right, b))
        return false;
    for (uint32_t i = 0; i < PARTS_MAX && *order == 0; i++)
        *order = (left[i] > right[i]) - (left[i] < right[i]);
    return true;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The facts found so far, and whether they differ between builds. */
struct build_search {
    struct gate_build_facts facts;
    bool has_times, has_versions;
};

static void note_time(struct build_search *search, int64_t ns) {
    search->has_times = search->has_times || (search->facts.built_ns != 0 && search->facts.built_ns != ns);
    search->facts.built_ns = ns;
}

/* Quick check that rejects most labels: length and first letter of all keys. */
static bool may_be_key(struct gate_str key) {
    enum { SHORTEST = 7 };
    return key.len >= SHORTEST && strchr("vsabro", plain_char(key.ptr[0])) != NULL && key.ptr[0] != '\0';
}

static void note(struct build_search *search, struct gate_str key, struct gate_str text) {
    int64_t ns;
    if (!may_be_key(key))
        return;
    text = gate_str_trim(text);
    if (text.len == 0)
        return;
    if (is_key(key, time_keys, sizeof time_keys / sizeof *time_keys) && gate_build_facts_time(&ns, text))
        note_time(search, ns);
    if (!is_key(key, version_keys, sizeof version_keys / sizeof *version_keys))
        return;
    search->has_versions =
        search->has_versions || (search->facts.version.len > 0 && !gate_str_equal(search->facts.version, text));
    search->facts.version = text;
}

static void note_comment(struct build_search *search, struct gate_str comment) {
    size_t equals = gate_str_find(comment, GATE_STR("="), 0), colon = gate_str_find(comment, GATE_STR(":"), 0);
    size_t at = equals < colon ? equals : colon;
    if (at != SIZE_MAX)
        note(search, gate_str_trim(gate_str_slice(comment, 0, at)), gate_str_slice(comment, at + 1, comment.len));
}

static void note_labels(struct build_search *search, const struct gate_sample_cursor *cursor) {
    struct gate_label_walk walk = gate_labels_of(cursor);
    struct gate_label label;
    int64_t ns;
    while (gate_labels_next(&walk, &label)) {
        if (label.text.ptr != NULL)
            note(search, label.key, label.text);
        else if (is_key(label.key, time_keys, sizeof time_keys / sizeof *time_keys) &&
                 time_of_number(&ns, label.number))
            note_time(search, ns);
    }
}

void gate_build_facts_read(struct gate_build_facts *out, const struct gate_profile *profile) {
    struct build_search search = {.facts = {.version = {"", 0}}};
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error ignored = {0};
    for (uint32_t i = 0; i < profile->comment_count; i++)
        note_comment(&search, profile->comments[i]);
    if (profile->has_labels) {
        gate_sample_begin(&cursor, profile);
        for (uint32_t i = 0; i < SAMPLES_READ && gate_sample_next(&cursor, &sample, &ignored); i++)
            note_labels(&search, &cursor);
        gate_sample_end(&cursor);
    }
    *out = (struct gate_build_facts){.built_ns = search.has_times ? 0 : search.facts.built_ns,
                                     .version = search.has_versions ? (struct gate_str){"", 0} : search.facts.version};
}
