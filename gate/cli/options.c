/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/cli/options.h"

#include "gate/base/buf.h"
#include "gate/base/figures.h"
#include "gate/session/session.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- readers of option values ------------------------------------------------------------------------------------ */

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

/* Parses a whole number with an optional suffix k, M or G: `step` to the power of 1, 2 or 3. */
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
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--%s': expected a time above zero such as 90s, 5m or 1h, found '%s'",
                              use->option->name, use->value);
    *(double *)use->out = number * seconds;
    return true;
}

bool gate_option_value_percent(const struct gate_option_use *use, struct gate_error *err) {
    double number = 0;
    char digits[32];
    size_t length = strlen(use->value);
    if (length > 1 && length < sizeof digits && use->value[length - 1] == '%')
        length--; /* "5%" and "5" are the same */
    if (length < sizeof digits) {
        memcpy(digits, use->value, length);
        digits[length] = '\0';
    }
    if (length >= sizeof digits || !gate_option_value_number(&number, digits) || number < 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "option '--%s': expected a number of zero or more, such as 5 or 5%%, found '%s'",
                              use->option->name, use->value);
    *(double *)use->out = number == 0 ? 0 : number / 100; /* avoids -0 */
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

/* ---- command lines ----------------------------------------------------------------------------------------------- */

enum { WORDS_MAX = 96, HELP_INDENT = 26 };

/* A row of a command, or a heading. */
struct gate_option_bound {
    bool is_rare;              /* rarely used */
    struct gate_option option; /* a heading has only `help` */
    char *base;                /* the struct that the row's group fills */
};

/* State of parsing a command line. */
struct option_walk {
    const struct gate_options *options;
    const char *const *argv;
    int argc;
    int at;
    bool only_arguments;
    const struct gate_option_bound *more; /* option that takes the next word as another value; or NULL */
    struct gate_arena *arena;
};

/* ---- the rows of a command --------------------------------------------------------------------------------------- */

static bool options_add(struct gate_options *options, const struct gate_option_bound *bound, struct gate_arena *arena,
                        struct gate_error *err) {
    return GATE_APPEND(arena, options->items, options->count, options->capacity, err, *bound);
}

bool gate_options_add(struct gate_options *options, const struct gate_option_group *group, void *base,
                      struct gate_arena *arena, struct gate_error *err) {
    struct gate_option_bound bound = {.option = {.help = group->heading}, .is_rare = group->is_rare};
    if (group->heading != NULL && !options_add(options, &bound, arena, err))
        return false;
    for (size_t i = 0;; i++) {
        bound = (struct gate_option_bound){.base = base, .is_rare = group->is_rare};
        if (group->rows != NULL)
            bound.option = group->rows[i];
        else if (!group->row(&bound.option, i, arena))
            return gate_arena_error(arena, err);
        if (bound.option.name == NULL)
            return true;
        if (!options_add(options, &bound, arena, err))
            return false;
    }
}

bool gate_options_bind(struct gate_options *out, const struct gate_option_binding *bindings, void *wanted,
                       struct gate_arena *arena, struct gate_error *err) {
    *out = (struct gate_options){0};
    for (const struct gate_option_binding *b = bindings; b->group != NULL; b++)
        if (!gate_options_add(out, b->group, (char *)wanted + b->at, arena, err))
            return false;
    return true;
}

struct gate_option gate_option_of_file(const char *name, const char *help, size_t at) {
    return (struct gate_option){name, 0, "FILE", help, gate_option_value_text, .at = at, .output = GATE_OPTION_FILE};
}

const struct gate_option *gate_options_row(const struct gate_options *options, size_t index) {
    return index < options->count ? &options->items[index].option : NULL;
}

const char *gate_options_output(enum gate_option_output *kind, const struct gate_options *options, size_t index) {
    const struct gate_option_bound *bound = &options->items[index];
    *kind = bound->option.output;
    return *kind == GATE_OPTION_NO_OUTPUT || bound->option.name == NULL
               ? NULL
               : *(const char *const *)(const void *)(bound->base + bound->option.at);
}

/* ---- parse ------------------------------------------------------------------------------------------------------- */

/* Lists the options that begin with `name` and a dash: --token matches two. Empty if there are none. */
static void options_begun(struct gate_buf *out, const struct gate_options *options, struct gate_str name) {
    for (size_t i = 0; i < options->count && name.len > 0; i++) {
        struct gate_str option =
            gate_str_from(options->items[i].option.name == NULL ? "" : options->items[i].option.name);
        if (option.len > name.len && option.ptr[name.len] == '-' && gate_str_starts(option, name))
            gate_buf_printf(out, "%s'--%.*s'", out->len == 0 ? "" : " or ", GATE_STR_ARG(option));
    }
}

/* Return the longest option that `name` begins with, up to a dash: --work for --work-baseline; or NULL. */
static const char *option_extended(const struct gate_options *options, struct gate_str name) {
    const char *longest = NULL;
    for (size_t i = 0; i < options->count; i++) {
        struct gate_str option =
            gate_str_from(options->items[i].option.name == NULL ? "" : options->items[i].option.name);
        if (option.len > 0 && option.len < name.len && name.ptr[option.len] == '-' && gate_str_starts(name, option) &&
            (longest == NULL || option.len > strlen(longest)))
            longest = option.ptr;
    }
    return longest;
}

/* Options of other tools, and the options of this program with the same meaning. */
static const struct {
    const char *word, *instead;
} foreign[] = {
    {"fail-on",
     "the rules define what fails, by each budget's severity and limit; 'pprofgate init' writes a first file"},
    {"threshold", "limits are in the rules, such as limit: \"+5pp\"; pprofgate init writes a first file"},
    {"fail-threshold", "limits are in the rules, such as limit: \"+5pp\"; pprofgate init writes a first file"},
    {"format", "each format has its own option: --json, --junit, --markdown, --html FILE, or --report DIR"},
    {"output-format", "each format has its own option: --json, --junit, --markdown, --html FILE, or --report DIR"},
    {"output", "each format has its own option: --json, --junit, --markdown, --html FILE, or --report DIR"},
    {"out", "each format has its own option: --json, --junit, --markdown, --html FILE, or --report DIR"},
    {"o", "each format has its own option: --json, --junit, --markdown, --html FILE, or --report DIR"},
    {"no-color", "did you mean '--color never'?"},
    {"no-colour", "did you mean '--color never'?"},
    {"config", "did you mean '--rules FILE'?"},
    {"c", "did you mean '--rules FILE'?"},
    {"base", "did you mean '--baseline FILE'?"},
    {"diff_base", "did you mean '--baseline FILE'?"},
    {"diff-base", "did you mean '--baseline FILE'?"},
    {"new", "did you mean '--canary FILE'?"},
    {"head", "did you mean '--canary FILE'?"},
    {"sample_index", "did you mean '--sample-type NAME'?"},
    {"alpha", "the level is in the rules: defaults: {alpha: 0.01}"},
};

static const char *foreign_find(struct gate_str name) {
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (gate_str_equal(gate_str_from(foreign[i].word), name))
            return foreign[i].instead;
    return NULL;
}

static bool option_unknown(const struct gate_options *options, struct gate_str name, struct gate_error *err) {
    const char *words[WORDS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < options->count && count + 2 < WORDS_MAX; i++)
        if (options->items[i].option.name != NULL)
            words[count++] = options->items[i].option.name;
    words[count++] = "help";
    words[count] = NULL;
    const char *nearest = gate_str_nearest(name, words);
    struct gate_buf begun = {0};
    if (foreign_find(name) != NULL)
        return gate_error_set(err, GATE_ERR_USAGE, "unknown option '--%.*s': %s", GATE_STR_ARG(name),
                              foreign_find(name));
    options_begun(&begun, options, name);
    struct gate_str list = gate_buf_view(&begun);
    bool is_begun = list.len > 0;
    if (is_begun)
        (void)gate_error_set(err, GATE_ERR_USAGE, "unknown option '--%.*s' (did you mean %.*s?)", GATE_STR_ARG(name),
                             GATE_STR_ARG(list));
    gate_buf_free(&begun);
    if (is_begun)
        return false;
    if (nearest == NULL)
        nearest = option_extended(options, name);
    if (nearest != NULL)
        return gate_error_set(err, GATE_ERR_USAGE, "unknown option '--%.*s' (did you mean '--%s'?)", GATE_STR_ARG(name),
                              nearest);
    return gate_error_set(err, GATE_ERR_USAGE, "unknown option '--%.*s'", GATE_STR_ARG(name));
}

static bool takes_more(const struct gate_option *option) {
    return option->value_name != NULL && gate_str_ends(gate_str_from(option->value_name), GATE_STR("..."));
}

/* Passes the option's value, `attached` or the next word, to its reader. */
static bool option_take(struct option_walk *walk, const struct gate_option_bound *bound, const char *attached,
                        struct gate_error *err) {
    const struct gate_option *option = &bound->option;
    struct gate_option_use use = {option, attached, bound->base + option->at, walk->arena};
    if (option->value_name == NULL && attached != NULL)
        return gate_error_set(err, GATE_ERR_USAGE, "option '--%s' takes no value", option->name);
    if (option->value_name != NULL && attached == NULL) {
        if (walk->at >= walk->argc)
            return gate_error_set(err, GATE_ERR_USAGE, "option '--%s' needs a value: --%s %s", option->name,
                                  option->name, option->value_name);
        use.value = walk->argv[walk->at++];
    }
    walk->more = takes_more(option) ? bound : NULL;
    return option->read(&use, err);
}

/* Reads another value of `walk->more`. An error explains how to write an argument instead. */
static bool option_take_more(struct option_walk *walk, const char *word, struct gate_error *err) {
    const char *name = walk->more->option.name;
    struct gate_error why = {0};
    if (option_take(walk, walk->more, word, &why))
        return true;
    if (why.code != GATE_ERR_USAGE)
        return gate_error_set(err, why.code, "%s", why.message);
    return gate_error_set(
        err, why.code,
        "%s; '--%s' takes every word up to the next option: put other arguments before it, or after '--'", why.message,
        name);
}

static bool option_long(struct option_walk *walk, const char *word, struct gate_error *err) {
    const char *equals = strchr(word, '=');
    struct gate_str name = {word, equals == NULL ? strlen(word) : (size_t)(equals - word)};
    for (size_t i = 0; i < walk->options->count; i++) {
        const struct gate_option_bound *bound = &walk->options->items[i];
        if (bound->option.name != NULL && gate_str_equal(name, gate_str_from(bound->option.name)))
            return option_take(walk, bound, equals == NULL ? NULL : equals + 1, err);
    }
    return option_unknown(walk->options, name, err);
}

static bool option_short(struct option_walk *walk, const char *word, struct gate_error *err) {
    for (size_t i = 0; i < walk->options->count; i++) {
        const struct gate_option_bound *bound = &walk->options->items[i];
        if (bound->option.name != NULL && bound->option.letter != 0 && bound->option.letter == word[0])
            return option_take(walk, bound, word[1] == '\0' ? NULL : word + 1, err);
    }
    const char *instead = foreign_find(gate_str_from(word));
    return gate_error_set(err, GATE_ERR_USAGE, "unknown option '-%s'%s%s", word, instead == NULL ? "" : ": ",
                          instead == NULL ? "" : instead);
}

bool gate_options_read(const struct gate_options *options, struct gate_paths *arguments, bool *wants_help, int argc,
                       const char *const *argv, struct gate_arena *arena, struct gate_error *err) {
    struct option_walk walk = {.options = options, .argv = argv, .argc = argc, .arena = arena};
    bool ok = true;
    *wants_help = false;
    while (ok && walk.at < argc) {
        const char *word = argv[walk.at++];
        bool is_option = !walk.only_arguments && word[0] == '-' && word[1] != '\0';
        if (!is_option && walk.more != NULL) {
            ok = option_take_more(&walk, word, err);
        } else if (!is_option) {
            ok = gate_paths_add(arguments, word, arena, err);
        } else if (strcmp(word, "--") == 0) {
            walk.only_arguments = true;
            walk.more = NULL;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            *wants_help = true;
            return true;
        } else {
            ok = word[1] == '-' ? option_long(&walk, word + 2, err) : option_short(&walk, word + 1, err);
        }
    }
    return ok;
}

/* ---- help text --------------------------------------------------------------------------------------------------- */

static void help_option(struct gate_buf *out, const struct gate_option *option) {
    size_t line = out->len;
    if (option->letter != 0)
        gate_buf_printf(out, "  -%c, --%s", option->letter, option->name);
    else
        gate_buf_printf(out, "      --%s", option->name);
    if (option->value_name != NULL)
        gate_buf_printf(out, " %s", option->value_name);
    if (out->len - line + 2 > HELP_INDENT) {
        gate_buf_char(out, '\n');
        line = out->len;
    }
    gate_buf_repeat(out, ' ', HELP_INDENT - (out->len - line));
    gate_buf_printf(out, "%s\n", option->help);
    gate_wrap_since(out, line, HELP_INDENT, GATE_WRAP_COLUMNS);
}

size_t gate_options_help(struct gate_buf *out, const struct gate_options *options, bool is_whole) {
    size_t left_out = 0;
    for (size_t i = 0; i < options->count; i++) {
        const struct gate_option *option = &options->items[i].option;
        if (options->items[i].is_rare && !is_whole)
            left_out += option->name != NULL;
        else if (option->name == NULL)
            gate_buf_printf(out, "\n%s\n", option->help);
        else
            help_option(out, option);
    }
    return left_out;
}

/* ---- options that every command has, and --force ----------------------------------------------------------------- */

#define AT(field) .at = offsetof(struct gate_session, field)

static const char *const colour_words[] = {
    [GATE_COLOUR_AUTO] = "auto", [GATE_COLOUR_ALWAYS] = "always", [GATE_COLOUR_NEVER] = "never", NULL};

static const char *const error_words[] = {[GATE_ERRORS_TEXT] = "text", [GATE_ERRORS_JSON] = "json", NULL};

/* Is never called, because the parser handles --help before it searches the rows (cli/options.h). The row is for the
 * help text. */
static bool read_help(const struct gate_option_use *use, struct gate_error *err) {
    (void)use;
    (void)err;
    return true;
}

static const struct gate_option output_rows[] = {
    {"force", 0, NULL, "overwrite files that pprofgate did not write; an input is never overwritten",
     gate_option_value_flag, AT(is_forced)},
    {0},
};

const struct gate_option_group gate_force_options = {.heading = "Files that exist already:", .rows = output_rows};

static const struct gate_option force_rows[] = {
    {"color", 0, "WHEN",
     "auto (default: on a terminal; not with NO_COLOR in the environment, everywhere with CLICOLOR_FORCE), always or "
     "never",
     gate_option_value_word, AT(colour), colour_words},
    {"verbose", 'v', NULL,
     "print the full report, and on standard error which files are read and written, which rules apply and why, and "
     "how long each stage takes",
     gate_option_value_flag, AT(is_verbose)},
    {"error-format", 0, "FORMAT",
     "text (default), or json: one line with the kind of the error (usage, rules, file, profile, limit) and its "
     "message",
     gate_option_value_word, AT(errors), error_words},
    {"timings", 0, NULL, "print on standard error the wall time, CPU time and peak memory of each stage",
     gate_option_value_flag, AT(is_timed)},
    {"help", 'h', NULL, "this text", read_help, .at = 0},
    {0},
};

const struct gate_option_group gate_global_options = {.heading = "Global options:", .rows = force_rows};
