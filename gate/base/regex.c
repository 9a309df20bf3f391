/* SPDX-License-Identifier: Apache-2.0 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "gate/base/regex.h"

#include "gate/base/buf.h"
#include "gate/base/str.h"

#include <pcre2.h>
#include <stdlib.h>

/* Step limits per text. Most texts take few steps. Texts that exceed STEPS are retried with HARD_STEPS, at most
 * HARD_TEXTS times by all patterns that share their retries. */
enum { STEPS = 10000, HARD_STEPS = 1000000, HARD_TEXTS = 100, REPLACED_BYTES = 64 * 1024 };

enum { DEPTH_LIMIT = 10000, HEAP_LIMIT_KIB = 8 * 1024 };

struct gate_regex {
    pcre2_code *code;
    pcre2_match_context *context;
    pcre2_match_context *hard_context; /* limits for the retry of a text that exceeded STEPS */
    pcre2_match_data *matched;
    uint32_t *hard_texts; /* retries left; may belong to another pattern */
    bool is_sharing;      /* hard_texts belongs to another pattern */
};

/* Append the anchored expression that matches what `glob` matches. */
static void regex_from_glob(struct gate_buf *out, struct gate_str glob) {
    gate_buf_text(out, "\\A");
    for (size_t i = 0; i < glob.len; i++) {
        char c = glob.ptr[i];
        if (c == '*' && i + 1 < glob.len && glob.ptr[i + 1] == '*') {
            gate_buf_text(out, ".*");
            i++;
        } else if (c == '*') {
            gate_buf_text(out, "[^/]*");
        } else if (c == '?') {
            gate_buf_text(out, "[^/]");
        } else if ((unsigned char)c < 0x80 && c != '\0' && strchr("\\^$.[]|()+{}-#", c) != NULL) {
            gate_buf_printf(out, "\\%c", c);
        } else {
            gate_buf_char(out, c);
        }
    }
    gate_buf_text(out, "\\z");
}

static pcre2_match_context *context_make(uint32_t steps) {
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    if (context == NULL)
        return NULL;
    (void)pcre2_set_match_limit(context, steps);
    (void)pcre2_set_depth_limit(context, DEPTH_LIMIT);
    (void)pcre2_set_heap_limit(context, HEAP_LIMIT_KIB);
    return context;
}

static bool regex_prepare(struct gate_regex *regex) {
    regex->context = context_make(STEPS);
    regex->hard_context = context_make(HARD_STEPS);
    regex->matched = pcre2_match_data_create_from_pattern(regex->code, NULL);
    regex->hard_texts = malloc(sizeof *regex->hard_texts);
    if (regex->context == NULL || regex->hard_context == NULL || regex->matched == NULL || regex->hard_texts == NULL)
        return false;
    *regex->hard_texts = HARD_TEXTS;
    /* A failure of JIT compilation only affects speed: the interpreter does the same work. */
#ifndef GATE_WITHOUT_JIT /* set by ci/valgrind.sh, because memcheck reports deliberate reads of JIT code */
    (void)pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE);
#endif
    return true;
}

bool gate_regex_compile(struct gate_regex **out, struct gate_str pattern, struct gate_error *err) {
    const struct gate_str glob_prefix = GATE_STR("glob:");
    struct gate_buf expression = {0};
    bool glob = gate_str_starts(pattern, glob_prefix);
    if (glob)
        regex_from_glob(&expression, gate_str_slice(pattern, glob_prefix.len, pattern.len));
    else
        gate_buf_str(&expression, pattern);
    int code = 0;
    PCRE2_SIZE offset = 0;
    struct gate_regex *regex = calloc(1, sizeof *regex);
    bool ok = regex != NULL && gate_buf_check(&expression, err);
    if (ok) {
        struct gate_str view = gate_buf_view(&expression);
        uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | (glob ? PCRE2_DOTALL : 0);
        regex->code = pcre2_compile((PCRE2_SPTR)view.ptr, view.len, options, &code, &offset, NULL);
    }
    gate_buf_free(&expression);
    if (ok && regex->code != NULL && regex_prepare(regex)) {
        *out = regex;
        return true;
    }
    if (ok && regex->code == NULL) {
        PCRE2_UCHAR text[160] = "";
        (void)pcre2_get_error_message(code, text, sizeof text);
        /* "*quote" is what a shell would take. */
        bool is_glob = code == PCRE2_ERROR_QUANTIFIER_INVALID && gate_str_starts(pattern, GATE_STR("*"));
        (void)gate_error_set(err, GATE_ERR_CONFIG, "bad pattern '%.*s': %s at offset %zu%s", GATE_STR_ARG(pattern),
                             (const char *)text, (size_t)offset,
                             is_glob ? ": it is a regular expression; begin a glob with 'glob:'" : "");
    } else {
        (void)gate_error_set(err, GATE_ERR_MEMORY, "out of memory");
    }
    gate_regex_free(regex);
    return false;
}

void gate_regex_free(struct gate_regex *regex) {
    if (regex == NULL)
        return;
    pcre2_match_data_free(regex->matched);
    pcre2_match_context_free(regex->context);
    pcre2_match_context_free(regex->hard_context);
    if (!regex->is_sharing)
        free(regex->hard_texts);
    pcre2_code_free(regex->code);
    free(regex);
}

void gate_regex_share(struct gate_regex *regex, const struct gate_regex *with) {
    free(regex->hard_texts);
    regex->hard_texts = with->hard_texts;
    regex->is_sharing = true;
}

static int regex_find(const struct gate_regex *regex, struct gate_str text, size_t from) {
    PCRE2_SPTR bytes = (PCRE2_SPTR)(text.len == 0 ? "" : text.ptr);
    int found = pcre2_match(regex->code, bytes, text.len, from, 0, regex->matched, regex->context);
    if (found != PCRE2_ERROR_MATCHLIMIT || *regex->hard_texts == 0)
        return found;
    --*regex->hard_texts;
    return pcre2_match(regex->code, bytes, text.len, from, 0, regex->matched, regex->hard_context);
}

enum gate_regex_result gate_regex_match(const struct gate_regex *regex, struct gate_str text) {
    int found = regex_find(regex, text, 0);
    if (found >= 0)
        return GATE_REGEX_YES;
    return found == PCRE2_ERROR_NOMATCH ? GATE_REGEX_NO : GATE_REGEX_TOO_HARD;
}

uint32_t gate_regex_groups(const struct gate_regex *regex) {
    uint32_t groups = 0;
    (void)pcre2_pattern_info(regex->code, PCRE2_INFO_CAPTURECOUNT, &groups);
    return groups;
}

enum gate_regex_result gate_regex_next(const struct gate_regex *regex, struct gate_str text, size_t *from,
                                       struct gate_str *group) {
    if (*from > text.len)
        return GATE_REGEX_NO;
    int found = regex_find(regex, text, *from);
    if (found < 0)
        return found == PCRE2_ERROR_NOMATCH ? GATE_REGEX_NO : GATE_REGEX_TOO_HARD;
    const PCRE2_SIZE *at = pcre2_get_ovector_pointer(regex->matched);
    bool has_group = found > 1 && at[2] != PCRE2_UNSET;
    *group = has_group ? gate_str_slice(text, at[2], at[3]) : GATE_STR("");
    /* An empty match must not be found again; inside a character no match can begin. */
    size_t next = at[1] > *from ? at[1] : *from + 1;
    while (next < text.len && ((unsigned char)text.ptr[next] & 0xC0) == 0x80)
        next++;
    *from = next;
    return GATE_REGEX_YES;
}

/* Return whether the pattern has a group with the number or name `name`. */
static bool group_exists(const struct gate_regex *regex, struct gate_str name) {
    char text[33];
    uint32_t groups = 0;
    if (name.len == 0 || name.len >= sizeof text)
        return false;
    memcpy(text, name.ptr, name.len);
    text[name.len] = '\0';
    if (text[0] < '0' || text[0] > '9')
        return pcre2_substring_number_from_name(regex->code, (PCRE2_SPTR)text) > 0;
    (void)pcre2_pattern_info(regex->code, PCRE2_INFO_CAPTURECOUNT, &groups);
    size_t number = 0;
    for (size_t i = 0; i < name.len; i++) {
        if (text[i] < '0' || text[i] > '9' || number > groups)
            return false;
        number = number * 10 + (size_t)(text[i] - '0');
    }
    return number <= groups;
}

bool gate_regex_check_replacement(const struct gate_regex *regex, struct gate_str replacement, struct gate_error *err) {
    for (size_t at = 0; at < replacement.len; at++) {
        if (replacement.ptr[at] != '$')
            continue;
        at++;
        if (at < replacement.len && replacement.ptr[at] == '$')
            continue;
        bool braces = at < replacement.len && replacement.ptr[at] == '{';
        size_t from = at + braces;
        bool digits = from < replacement.len && gate_is_digit(replacement.ptr[from]);
        size_t to = from;
        while (to < replacement.len && gate_is_word(replacement.ptr[to]) &&
               (braces || !digits || replacement.ptr[to] <= '9'))
            to++;
        bool closed = !braces || (to < replacement.len && replacement.ptr[to] == '}');
        struct gate_str group = gate_str_slice(replacement, from, to);
        if (!closed || !group_exists(regex, group))
            return gate_error_set(err, GATE_ERR_CONFIG,
                                  "the pattern has no group '%.*s' for '%.*s' (a plain dollar is '$$')",
                                  GATE_STR_ARG(group), GATE_STR_ARG(replacement));
        at = to - !braces;
    }
    return true;
}

struct gate_str gate_regex_replace(const struct gate_regex *regex, struct gate_str text, struct gate_str replacement,
                                   struct gate_arena *arena) {
    const struct gate_str failed = {NULL, 0};
    uint32_t hard_texts = *regex->hard_texts;
    enum gate_regex_result found = gate_regex_match(regex, text);
    pcre2_match_context *context = *regex->hard_texts < hard_texts ? regex->hard_context : regex->context;
    if (found != GATE_REGEX_YES)
        return found == GATE_REGEX_NO ? text : failed;
    uint32_t options = PCRE2_SUBSTITUTE_GLOBAL | PCRE2_SUBSTITUTE_OVERFLOW_LENGTH | PCRE2_SUBSTITUTE_UNSET_EMPTY;
    PCRE2_UCHAR probe[256];
    PCRE2_SIZE len = sizeof probe;
    int rc = pcre2_substitute(regex->code, (PCRE2_SPTR)text.ptr, text.len, 0, options, regex->matched, context,
                              (PCRE2_SPTR)replacement.ptr, replacement.len, probe, &len);
    if (rc >= 0)
        return gate_str_copy(arena, (struct gate_str){(const char *)probe, len});
    if (rc != PCRE2_ERROR_NOMEMORY || len > REPLACED_BYTES)
        return failed;
    PCRE2_UCHAR *large = gate_arena_alloc(arena, len + 1);
    if (large == NULL)
        return failed;
    rc = pcre2_substitute(regex->code, (PCRE2_SPTR)text.ptr, text.len, 0, options, regex->matched, context,
                          (PCRE2_SPTR)replacement.ptr, replacement.len, large, &len);
    return rc >= 0 ? (struct gate_str){(const char *)large, len} : failed;
}
