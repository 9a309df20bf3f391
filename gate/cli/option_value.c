/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of option values (see option_value.h). */
#include "gate/cli/option_value.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool gate_option_value_flag(const struct gate_option_use *use, struct gate_error *err) {
    (void)err;
    *(bool *)use->out = true;
    return true;
}

bool gate_option_value_text(const struct gate_option_use *use, struct gate_error *err) {
    (void)err;
    *(const char **)use->out = use->value;
    return true;
}

bool gate_option_value_view(const struct gate_option_use *use, struct gate_error *err) {
    (void)err;
    *(struct gate_str *)use->out = gate_str_from(use->value);
    return true;
}

bool gate_option_value_path(const struct gate_option_use *use, struct gate_error *err) {
    return gate_paths_add(use->out, use->value, use->arena, err);
}

/* A whole number with an optional k, M or G: the first, second or third power of `step`. */
static bool value_scaled(uint64_t *out, const char *text, uint64_t step) {
    static const char *const scales[] = {"", "kK", "M", "G"};
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || errno != 0)
        return false;
    uint64_t factor = 1;
    for (size_t i = 1; i < sizeof scales / sizeof *scales; i++) {
        factor *= step;
        if (*end != '\0' && strchr(scales[i], *end) != NULL) {
            *out = number * factor;
            return end[1] == '\0' && number <= UINT64_MAX / factor;
        }
    }
    *out = number;
    return *end == '\0';
}

bool gate_option_value_whole(uint64_t *out, const char *text) {
    return value_scaled(out, text, 1000);
}

bool gate_option_value_size(const struct gate_option_use *use, struct gate_error *err) {
    uint64_t number = 0;
    if (!value_scaled(&number, use->value, 1024) || number == 0 || number > SIZE_MAX)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--%s': expected a size above zero such as 512M (k, M and G are powers of 1024), "
                              "found '%s'",
                              use->option->name, use->value);
    *(size_t *)use->out = (size_t)number;
    return true;
}

static bool value_count(uint64_t *out, const struct gate_option_use *use, struct gate_error *err) {
    if (gate_option_value_whole(out, use->value) && *out > 0)
        return true;
    return gate_error_set(err, GATE_ERR_USAGE,
                          "option '--%s': expected a whole number above zero such as 5000 or 2M (k, M and G are powers "
                          "of 1000), found '%s'",
                          use->option->name, use->value);
}

bool gate_option_value_count(const struct gate_option_use *use, struct gate_error *err) {
    return value_count(use->out, use, err);
}

bool gate_option_value_count32(const struct gate_option_use *use, struct gate_error *err) {
    uint64_t number = 0;
    if (!value_count(&number, use, err))
        return false;
    *(uint32_t *)use->out = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
    return true;
}

bool gate_option_value_number(double *out, const char *text) {
    char *end = NULL;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out);
}

bool gate_option_value_positive(const struct gate_option_use *use, struct gate_error *err) {
    double number = 0;
    if (!gate_option_value_number(&number, use->value) || number <= 0)
        return gate_error_set(err, GATE_ERR_USAGE, "option '--%s': expected a number above zero, found '%s'",
                              use->option->name, use->value);
    *(double *)use->out = number;
    return true;
}

bool gate_option_value_duration(const struct gate_option_use *use, struct gate_error *err) {
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
    char digits[32];
    double number = 0, seconds = 1;
    size_t len = strlen(use->value);
    for (size_t i = 0; len > 0 && i < sizeof units / sizeof *units; i++)
        if (use->value[len - 1] == units[i].unit) {
            seconds = units[i].seconds;
            len--;
            break;
        }
    (void)snprintf(digits, sizeof digits, "%.*s", (int)(len < sizeof digits ? len : 0), use->value);
    if (!gate_option_value_number(&number, digits) || !(number > 0) || !isfinite(number * seconds))
        return gate_error_set(err, GATE_ERR_USAGE, "option '--%s': expected a time such as 90s, 5m or 1h, found '%s'",
                              use->option->name, use->value);
    *(double *)use->out = number * seconds;
    return true;
}

bool gate_option_value_percent(const struct gate_option_use *use, struct gate_error *err) {
    double number = 0;
    char digits[32];
    size_t length = strlen(use->value);
    if (length > 1 && length < sizeof digits && use->value[length - 1] == '%')
        length--; /* who writes the sign means the same */
    if (length < sizeof digits) {
        memcpy(digits, use->value, length);
        digits[length] = '\0';
    }
    if (length >= sizeof digits || !gate_option_value_number(&number, digits) || number < 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--%s': expected a number of zero or more, such as 5 or 5%%, found '%s'",
                              use->option->name, use->value);
    *(double *)use->out = number == 0 ? 0 : number / 100; /* no minus zero */
    return true;
}

bool gate_option_value_word(const struct gate_option_use *use, struct gate_error *err) {
    const char *const *words = use->option->words;
    struct gate_buf list = {0};
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], use->value) == 0) {
            *(int *)use->out = i;
            gate_buf_free(&list);
            return true;
        }
        gate_buf_printf(&list, "%s%s", i == 0 ? "" : ", ", words[i]);
    }
    struct gate_str all = gate_buf_view(&list);
    (void)gate_error_set(err, GATE_ERR_USAGE, "option '--%s': expected one of %.*s, found '%s'", use->option->name,
                         GATE_STR_ARG(all), use->value);
    gate_buf_free(&list);
    return false;
}
