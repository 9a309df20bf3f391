/* SPDX-License-Identifier: Apache-2.0 */
/* The values that each kind of option accepts and refuses, and that each option of a table sets its field. */

#include "gate/cli/options.h"
#include "tests/unit/unit.h"

#include <math.h>

static const char *const words[] = {"one", "two", NULL};
static const struct gate_option row = {.name = "name", .value_name = "N", .words = words};

static bool take(gate_option_reader *reader, void *out, const char *value, struct gate_error *err) {
    struct gate_arena arena = {0};
    const struct gate_option_use use = {&row, value, out, &arena};
    *err = (struct gate_error){0};
    bool ok = reader(&use, err);
    gate_arena_free(&arena);
    return ok;
}

TEST(a_count_is_above_zero_and_its_suffixes_are_powers_of_1000) {
    static const struct {
        const char *text;
        uint64_t value; /* 0: refused */
    } rows[] = {{"1", 1},
                {"5000", 5000},
                {"1k", 1000},
                {"1K", 1000},
                {"2M", 2000000},
                {"3G", UINT64_C(3000000000)},
                {"18446744073709551615", UINT64_MAX},
                {"18446744073709551616", 0},
                {"18446744073709551615k", 0},
                {"0", 0},
                {"0k", 0},
                {"", 0},
                {"k", 0},
                {"-1", 0},
                {"+1", 0},
                {" 1", 0},
                {"1 k", 0},
                {"1kk", 0},
                {"1T", 0},
                {"1.5k", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t got = 0;
        uint32_t small = 0;
        bool ok = take(gate_option_value_count, &got, rows[i].text, &err);
        if (ok != (rows[i].value != 0) || (ok && got != rows[i].value))
            fail_msg("'%s': %d, %llu", rows[i].text, ok, (unsigned long long)got);
        assert_int_equal(take(gate_option_value_count32, &small, rows[i].text, &err), ok);
        assert_true(!ok || small == (got > UINT32_MAX ? UINT32_MAX : got));
        assert_true(ok || err.code == GATE_ERR_USAGE);
    }
    assert_false(take(gate_option_value_count, &(uint64_t){0}, "many", &err));
    assert_string_equal(err.message,
                        "option '--name': expected a whole number above zero such as 5000 or 2M (k, M and G "
                        "are powers of 1000), found 'many'");
}

TEST(a_size_is_above_zero_and_its_suffixes_are_powers_of_1024) {
    size_t size = 0;
    assert_true(take(gate_option_value_size, &size, "1k", &err) && size == 1024);
    assert_true(take(gate_option_value_size, &size, "512M", &err) && size == (size_t)512 << 20);
    assert_true(take(gate_option_value_size, &size, "2G", &err) && size == (size_t)2 << 30);
    assert_true(take(gate_option_value_size, &size, "17", &err) && size == 17);
    assert_false(take(gate_option_value_size, &size, "0", &err));
    assert_false(take(gate_option_value_size, &size, "17179869184G", &err));
    assert_false(take(gate_option_value_size, &size, "1KiB", &err));
    assert_int_equal(size, 17);
    assert_string_equal(err.message,
                        "option '--name': expected a size above zero such as 512M (k, M and G are powers of "
                        "1024), found '1KiB'");
}

TEST(durations_positive_numbers_and_percentages_are_read_or_refused) {
    double number = 7;
    assert_true(take(gate_option_value_duration, &number, "90", &err) && number == 90);
    assert_true(take(gate_option_value_duration, &number, "90s", &err) && number == 90);
    assert_true(take(gate_option_value_duration, &number, "1.5m", &err) && number == 90);
    assert_true(take(gate_option_value_duration, &number, "2h", &err) && number == 7200);
    static const char *const no_durations[] = {"", "s", "0s", "-5m", "5d", "1e308h", "5 m", "5mm"};
    for (size_t i = 0; i < sizeof no_durations / sizeof *no_durations; i++)
        assert_false(take(gate_option_value_duration, &number, no_durations[i], &err));
    assert_true(take(gate_option_value_positive, &number, "2.5e2", &err) && number == 250);
    assert_false(take(gate_option_value_positive, &number, "0", &err));
    assert_false(take(gate_option_value_positive, &number, "inf", &err));
    assert_false(take(gate_option_value_positive, &number, "1x", &err));
    assert_string_equal(err.message, "option '--name': expected a number above zero, found '1x'");
    assert_true(number == 250);
    assert_true(take(gate_option_value_percent, &number, "0.1", &err) && number == 0.1 / 100);
    assert_true(take(gate_option_value_percent, &number, "-0", &err) && !signbit(number));
    assert_true(take(gate_option_value_percent, &number, "5%", &err) && number == 0.05);
    assert_false(take(gate_option_value_percent, &number, "%", &err));
    assert_false(take(gate_option_value_percent, &number, "5%%", &err));
    assert_false(take(gate_option_value_percent, &number, "00000000000000000000000000000000005", &err)); /* too long */
    assert_false(take(gate_option_value_percent, &number, "-1", &err));
    assert_false(take(gate_option_value_percent, &number, "nan", &err));
    assert_string_equal(err.message,
                        "option '--name': expected a number of zero or more, such as 5 or 5%, found 'nan'");
}

TEST(a_word_must_be_one_of_the_list) {
    int index = 9;
    assert_true(take(gate_option_value_word, &index, "two", &err) && index == 1);
    assert_false(take(gate_option_value_word, &index, "tw", &err));
    assert_int_equal(index, 1);
    assert_string_equal(err.message, "option '--name': expected one of one, two, found 'tw'");
}

/* ---- a command line ---------------------------------------------------------------------------------------------- */

struct line {
    int before; /* so that no option's field is at offset 0 */
    struct line_part {
        const char *text;
        bool flag;
        struct gate_paths paths;
    } part;
    struct gate_paths arguments;
};

static const struct gate_option part_rows[] = {
    {"text", 't', "TEXT", "a text", gate_option_value_text, .at = offsetof(struct line_part, text)},
    {"flag", 'f', NULL, "a flag", gate_option_value_flag, .at = offsetof(struct line_part, flag)},
    {"path", 0, "PATH", "a path", gate_option_value_path, .at = offsetof(struct line_part, paths)},
    {0},
};
static const struct gate_option_group part = {.heading = "Part:", .rows = part_rows};
static const struct gate_option rare_rows[] = {{"rare", 0, NULL, "a rare flag", gate_option_value_flag, .at = 0}, {0}};
static const struct gate_option_group rare = {.heading = "Rare:", .rows = rare_rows, .is_rare = true};
static const struct gate_option_binding bindings[] = {{&part, offsetof(struct line, part)}, {NULL, 0}};

/* Read `argv` (ends with NULL). Returns the message of the error, or "". */
static const char *read_line(struct line *line, bool *wants_help, const char *const *argv, struct gate_arena *arena,
                             struct gate_error *err) {
    struct gate_options options;
    int argc = 0;
    while (argv[argc] != NULL)
        argc++;
    *line = (struct line){0};
    *err = (struct gate_error){0};
    assert_true(gate_options_bind(&options, bindings, line, arena, err));
    bool ok = gate_options_read(&options, &line->arguments, wants_help, argc, argv, arena, err);
    assert_int_equal(ok, err->code == GATE_OK);
    return err->message;
}

#define LINE(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(a_command_line_gives_options_and_arguments_or_an_error) {
    struct line line;
    bool help = true;
    assert_string_equal(read_line(&line, &help,
                                  LINE("a", "--text", "x", "-f", "--path=p", "--path", "q", "-", "--", "-f"), &arena,
                                  &err),
                        "");
    assert_false(help);
    assert_string_equal(line.part.text, "x");
    assert_true(line.part.flag);
    assert_int_equal(line.part.paths.count, 2);
    assert_string_equal(line.part.paths.items[1], "q");
    assert_int_equal(line.arguments.count, 3);
    assert_string_equal(line.arguments.items[1], "-");
    assert_string_equal(line.arguments.items[2], "-f");
    assert_string_equal(read_line(&line, &help, LINE("-tx", "--text="), &arena, &err), "");
    assert_string_equal(line.part.text, "");
    assert_string_equal(read_line(&line, &help, LINE("-h", "--bogus"), &arena, &err), "");
    assert_true(help);
    assert_string_equal(read_line(&line, &help, LINE("--txet", "x"), &arena, &err),
                        "unknown option '--txet' (did you mean '--text'?)");
    assert_string_equal(read_line(&line, &help, LINE("--text-baseline", "x"), &arena, &err),
                        "unknown option '--text-baseline' (did you mean '--text'?)");
    assert_string_equal(read_line(&line, &help, LINE("--textbaseline", "x"), &arena, &err),
                        "unknown option '--textbaseline'");
    assert_string_equal(read_line(&line, &help, LINE("-x"), &arena, &err), "unknown option '-x'");
    assert_string_equal(read_line(&line, &help, LINE("--text"), &arena, &err),
                        "option '--text' needs a value: --text TEXT");
    assert_string_equal(read_line(&line, &help, LINE("--flag=1"), &arena, &err), "option '--flag' takes no value");
}

TEST(rare_options_are_only_in_the_full_help) {
    struct gate_options options;
    AT_END(gate_buf_free) struct gate_buf out = {0};
    struct line line;
    assert_true(gate_options_bind(&options, bindings, &line, &arena, &err));
    assert_true(gate_options_add(&options, &rare, &line, &arena, &err));
    assert_int_equal(gate_options_help(&out, &options, false), 1);
    gate_buf_char(&out, '\0');
    assert_string_equal(out.ptr, "\nPart:\n"
                                 "  -t, --text TEXT         a text\n"
                                 "  -f, --flag              a flag\n"
                                 "      --path PATH         a path\n");
    out.len = 0;
    assert_int_equal(gate_options_help(&out, &options, true), 0);
    assert_true(gate_str_ends(gate_buf_view(&out), GATE_STR("\nRare:\n      --rare              a rare flag\n")));
}
