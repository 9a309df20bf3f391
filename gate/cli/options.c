/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines (see options.h). */
#include "gate/cli/options.h"

#include "gate/base/wrap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { WORDS_MAX = 96, HELP_INDENT = 26 };

static int option_unknown(const struct gate_option *options, struct gate_str name, struct gate_error *err) {
    const char *words[WORDS_MAX];
    size_t count = 0;
    for (const struct gate_option *o = options; o->name != NULL && count + 2 < WORDS_MAX; o++)
        if (o->name[0] != '\0')
            words[count++] = o->name;
    words[count++] = "help";
    words[count] = NULL;
    const char *nearest = gate_str_nearest(name, words);
    if (nearest != NULL)
        (void)gate_error_set(err, GATE_ERR_USAGE, "unknown option '--%.*s' (did you mean '--%s'?)", GATE_STR_ARG(name),
                             nearest);
    else
        (void)gate_error_set(err, GATE_ERR_USAGE, "unknown option '--%.*s'; --help lists the options",
                             GATE_STR_ARG(name));
    return GATE_OPTION_ERROR;
}

/* The option's value, from `attached` or the next word. */
static int option_value(struct gate_option_walk *walk, const struct gate_option *option, const char *attached,
                        struct gate_error *err) {
    walk->value = attached;
    if (option->value_name == NULL) {
        if (attached == NULL)
            return option->id;
        (void)gate_error_set(err, GATE_ERR_USAGE, "option '--%s' takes no value", option->name);
        return GATE_OPTION_ERROR;
    }
    if (attached == NULL && walk->at < walk->argc)
        walk->value = walk->argv[walk->at++];
    if (walk->value != NULL)
        return option->id;
    (void)gate_error_set(err, GATE_ERR_USAGE, "option '--%s' needs a value: --%s %s", option->name, option->name,
                         option->value_name);
    return GATE_OPTION_ERROR;
}

static int option_long(struct gate_option_walk *walk, const char *word, struct gate_error *err) {
    const char *equals = strchr(word, '=');
    struct gate_str name = {word, equals == NULL ? strlen(word) : (size_t)(equals - word)};
    const char *attached = equals == NULL ? NULL : equals + 1;
    if (gate_str_equal(name, GATE_STR("help")) && attached == NULL)
        return GATE_OPTION_HELP;
    for (const struct gate_option *o = walk->options; o->name != NULL; o++)
        if (o->name[0] != '\0' && gate_str_equal(name, gate_str_from(o->name)))
            return option_value(walk, o, attached, err);
    return option_unknown(walk->options, name, err);
}

static int option_short(struct gate_option_walk *walk, const char *word, struct gate_error *err) {
    if (word[0] == 'h' && word[1] == '\0')
        return GATE_OPTION_HELP;
    for (const struct gate_option *o = walk->options; o->name != NULL; o++)
        if (o->letter != 0 && o->letter == word[0])
            return option_value(walk, o, word[1] == '\0' ? NULL : word + 1, err);
    (void)gate_error_set(err, GATE_ERR_USAGE, "unknown option '-%s'; --help lists the options", word);
    return GATE_OPTION_ERROR;
}

int gate_option_next(struct gate_option_walk *walk, struct gate_error *err) {
    walk->value = NULL;
    if (walk->at >= walk->argc)
        return GATE_OPTION_END;
    const char *word = walk->argv[walk->at++];
    if (!walk->only_arguments && strcmp(word, "--") == 0) {
        walk->only_arguments = true;
        return gate_option_next(walk, err);
    }
    if (!walk->only_arguments && word[0] == '-' && word[1] == '-')
        return option_long(walk, word + 2, err);
    if (!walk->only_arguments && word[0] == '-' && word[1] != '\0')
        return option_short(walk, word + 1, err);
    walk->value = word;
    return GATE_OPTION_ARGUMENT;
}

void gate_option_help(struct gate_buf *out, const struct gate_option *options) {
    for (const struct gate_option *o = options; o->name != NULL; o++) {
        if (o->name[0] == '\0') {
            gate_buf_printf(out, "\n%s\n", o->help);
            continue;
        }
        size_t line = out->len;
        if (o->letter != 0)
            gate_buf_printf(out, "  -%c, --%s", o->letter, o->name);
        else
            gate_buf_printf(out, "      --%s", o->name);
        if (o->value_name != NULL)
            gate_buf_printf(out, " %s", o->value_name);
        if (out->len - line + 2 > HELP_INDENT) {
            gate_buf_char(out, '\n');
            line = out->len;
        }
        gate_buf_repeat(out, ' ', HELP_INDENT - (out->len - line));
        gate_buf_printf(out, "%s\n", o->help);
        gate_wrap_since(out, line, HELP_INDENT, GATE_WRAP_COLUMNS);
    }
}

bool gate_option_size(size_t *out, const char *value, const char *option, struct gate_error *err) {
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    unsigned shift = 0;
    if (*end == 'k' || *end == 'K')
        shift = 10;
    else if (*end == 'M')
        shift = 20;
    else if (*end == 'G')
        shift = 30;
    bool digits = value[0] >= '0' && value[0] <= '9';
    if (!digits || errno != 0 || end[shift == 0 ? 0 : 1] != '\0' || number > (SIZE_MAX >> shift))
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--%s': '%s' is no whole number with an optional k, M or G, such as 512M", option,
                              value);
    *out = (size_t)number << shift;
    return true;
}

static bool option_number(double *out, const char *value) {
    char *end = NULL;
    *out = strtod(value, &end);
    return end != value && *end == '\0' && isfinite(*out);
}

bool gate_option_positive(double *out, const char *value, const char *option, struct gate_error *err) {
    double number = 0;
    if (!option_number(&number, value) || number <= 0)
        return gate_error_set(err, GATE_ERR_USAGE, "option '--%s': '%s' is no number above zero", option, value);
    *out = number;
    return true;
}

bool gate_option_not_negative(double *out, const char *value, const char *option, struct gate_error *err) {
    double number = 0;
    if (!option_number(&number, value) || number < 0)
        return gate_error_set(err, GATE_ERR_USAGE, "option '--%s': '%s' is no number of zero or above", option, value);
    *out = number == 0 ? 0 : number; /* no minus zero */
    return true;
}

bool gate_option_word(int *out, const char *value, const char *option, const char *const *words,
                      struct gate_error *err) {
    struct gate_buf list = {0};
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], value) == 0) {
            *out = i;
            gate_buf_free(&list);
            return true;
        }
        gate_buf_printf(&list, "%s%s", i == 0 ? "" : ", ", words[i]);
    }
    struct gate_str all = gate_buf_view(&list);
    (void)gate_error_set(err, GATE_ERR_USAGE, "option '--%s': expected one of %.*s, found '%s'", option,
                         GATE_STR_ARG(all), value);
    gate_buf_free(&list);
    return false;
}
