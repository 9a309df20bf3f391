/* SPDX-License-Identifier: Apache-2.0 */
/* Which frames a rule means (see select.h). */
#include "gate/budget/select.h"

#include "gate/profile/name.h"

/* What a pattern looks at, for one frame. */
struct select_subject {
    struct gate_str function, package, file, mapping;
};

/* A package has to be read off the name, letter by letter: only where a pattern asks for it. */
static struct select_subject subject_of(const struct gate_select *select, const struct gate_frame *frame,
                                        const struct gate_pair *pair) {
    struct select_subject subject = {
        .function = frame->name, .package = frame->name, .file = frame->file, .mapping = frame->mapping};
    bool is_asked = select->package.regex != NULL || select->not_package.regex != NULL;
    if (is_asked && pair->granularity != GATE_BY_PACKAGE)
        subject.package = gate_name_package(frame->name, pair->language);
    return subject;
}

static bool pattern_matches(bool *matches, const struct gate_pattern *pattern, struct gate_str text,
                            const struct gate_frame *frame, struct gate_error *err) {
    enum gate_regex_result result = gate_regex_match(pattern->regex, text);
    if (result == GATE_REGEX_TOO_HARD)
        return gate_error_set(err, GATE_ERR_CONFIG,
                              "pattern '%.*s' gave up on frame '%.*s': too much backtracking; make it more specific",
                              GATE_STR_ARG(pattern->text), GATE_STR_ARG(frame->name));
    *matches = result == GATE_REGEX_YES;
    return true;
}

/* `*meant` stays true only if every given pattern says so. */
static bool frame_is_meant(bool *meant, const struct gate_select *select, const struct gate_pair *pair,
                           const struct gate_frame *frame, struct gate_error *err) {
    struct select_subject subject = subject_of(select, frame, pair);
    const struct {
        const struct gate_pattern *pattern;
        struct gate_str text;
        bool wanted;
    } tests[] = {
        {&select->function, subject.function, true},
        {&select->package, subject.package, true},
        {&select->file, subject.file, true},
        {&select->mapping, subject.mapping, true},
        {&select->not_function, subject.function, false},
        {&select->not_package, subject.package, false},
        {&select->not_file, subject.file, false},
        {&select->not_mapping, subject.mapping, false},
    };
    *meant = true;
    for (size_t i = 0; i < sizeof tests / sizeof *tests && *meant; i++) {
        bool matches = false;
        if (tests[i].pattern->regex == NULL)
            continue;
        if (!pattern_matches(&matches, tests[i].pattern, tests[i].text, frame, err))
            return false;
        *meant = matches == tests[i].wanted;
    }
    return true;
}

static bool has_patterns(const struct gate_select *select) {
    return select->function.regex != NULL || select->package.regex != NULL || select->file.regex != NULL ||
           select->mapping.regex != NULL || select->not_function.regex != NULL || select->not_package.regex != NULL ||
           select->not_file.regex != NULL || select->not_mapping.regex != NULL;
}

bool gate_select_frames(uint8_t **marks, uint32_t *matched, const struct gate_select *select,
                        const struct gate_pair *pair, struct gate_arena *arena, struct gate_error *err) {
    uint8_t *out = GATE_NEW_ARRAY(arena, uint8_t, (size_t)pair->frame_count + 1);
    uint32_t count = 0;
    bool is_any = !has_patterns(select);
    if (out == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        bool meant = is_any;
        if (!is_any && !frame_is_meant(&meant, select, pair, &pair->frames[i], err))
            return false;
        out[i] = meant;
        count += meant;
    }
    *marks = out;
    *matched = count;
    return true;
}

bool gate_select_under(uint8_t **marks, const struct gate_select *select, const struct gate_pair *pair,
                       struct gate_arena *arena, struct gate_error *err) {
    *marks = NULL;
    if (select->under.regex == NULL)
        return true;
    uint8_t *out = GATE_NEW_ARRAY(arena, uint8_t, (size_t)pair->frame_count + 1);
    if (out == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        bool matches = false;
        if (!pattern_matches(&matches, &select->under, pair->frames[i].name, &pair->frames[i], err))
            return false;
        out[i] = matches;
    }
    *marks = out;
    return true;
}
