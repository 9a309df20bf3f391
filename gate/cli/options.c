/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines (see options.h). */
#include "gate/cli/options.h"

#include "gate/base/wrap.h"

enum { WORDS_MAX = 96, HELP_INDENT = 26 };

/* A row of a command, or the heading of those behind it. */
struct gate_option_bound {
    struct gate_option option; /* of a heading: only `help` */
    char *base;                /* the struct that the row's group fills */
};

/* A walk over the words of a command line. */
struct option_walk {
    const struct gate_options *options;
    const char *const *argv;
    int argc;
    int at;
    bool only_arguments;
    const struct gate_option_bound *more; /* whose value the next word is, if it is no option */
    struct gate_arena *arena;
};

/* ---- the rows of a command --------------------------------------------------------------------------------------- */

static bool options_add(struct gate_options *options, const struct gate_option_bound *bound, struct gate_arena *arena,
                        struct gate_error *err) {
    struct gate_option_bound *items =
        gate_arena_grow(arena, options->items, options->count, &options->capacity, sizeof *items);
    if (items == NULL)
        return gate_arena_error(arena, err);
    options->items = items;
    options->items[options->count++] = *bound;
    return true;
}

static bool options_bind_group(struct gate_options *options, const struct gate_option_group *group, char *base,
                               struct gate_arena *arena, struct gate_error *err) {
    struct gate_option_bound bound = {.option = {.help = group->heading}};
    if (group->heading != NULL && !options_add(options, &bound, arena, err))
        return false;
    for (size_t i = 0;; i++) {
        bound = (struct gate_option_bound){.base = base};
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
        if (!options_bind_group(out, b->group, (char *)wanted + b->at, arena, err))
            return false;
    return true;
}

bool gate_options_add(struct gate_options *options, const struct gate_option_group *group, void *base,
                      struct gate_arena *arena, struct gate_error *err) {
    return options_bind_group(options, group, base, arena, err);
}

const struct gate_option *gate_options_row(const struct gate_options *options, size_t index) {
    return index < options->count ? &options->items[index].option : NULL;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Options that begin with the whole of `name` and a dash: --token is part of two. Empty: none does. */
static void options_begun(struct gate_buf *out, const struct gate_options *options, struct gate_str name) {
    for (size_t i = 0; i < options->count && name.len > 0; i++) {
        struct gate_str option =
            gate_str_from(options->items[i].option.name == NULL ? "" : options->items[i].option.name);
        if (option.len > name.len && option.ptr[name.len] == '-' && gate_str_starts(option, name))
            gate_buf_printf(out, "%s'--%.*s'", out->len == 0 ? "" : " or ", GATE_STR_ARG(option));
    }
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
    options_begun(&begun, options, name);
    struct gate_str list = gate_buf_view(&begun);
    bool is_begun = list.len > 0;
    if (is_begun)
        (void)gate_error_set(err, GATE_ERR_USAGE, "unknown option '--%.*s' (did you mean %.*s?)", GATE_STR_ARG(name),
                             GATE_STR_ARG(list));
    gate_buf_free(&begun);
    if (is_begun)
        return false;
    if (nearest != NULL)
        return gate_error_set(err, GATE_ERR_USAGE, "unknown option '--%.*s' (did you mean '--%s'?)", GATE_STR_ARG(name),
                              nearest);
    return gate_error_set(err, GATE_ERR_USAGE, "unknown option '--%.*s'; --help lists the options", GATE_STR_ARG(name));
}

static bool takes_more(const struct gate_option *option) {
    return option->value_name != NULL && gate_str_ends(gate_str_from(option->value_name), GATE_STR("..."));
}

/* The option's value, from `attached` or the next word, to its reader. */
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

/* One more value of `walk->more`. Who meant an argument is told where those stand. */
static bool option_take_more(struct option_walk *walk, const char *word, struct gate_error *err) {
    const char *name = walk->more->option.name;
    struct gate_error why = {0};
    if (option_take(walk, walk->more, word, &why))
        return true;
    if (why.code != GATE_ERR_USAGE)
        return gate_error_set(err, why.code, "%s", why.message);
    return gate_error_set(err, why.code,
                          "%s; '--%s' takes every word up to the next option: what is none of its values stands in "
                          "front of it, or behind '--'",
                          why.message, name);
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
    return gate_error_set(err, GATE_ERR_USAGE, "unknown option '-%s'; --help lists the options", word);
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

/* ---- help -------------------------------------------------------------------------------------------------------- */

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

void gate_options_help(struct gate_buf *out, const struct gate_options *options) {
    for (size_t i = 0; i < options->count; i++) {
        if (options->items[i].option.name == NULL)
            gate_buf_printf(out, "\n%s\n", options->items[i].option.help);
        else
            help_option(out, &options->items[i].option);
    }
}
