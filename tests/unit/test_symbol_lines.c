/* SPDX-License-Identifier: Apache-2.0 */
/* symbols/symbol_files.h: files in folders. symbols/symbol_lines.h: answers between two processes are read back
 * unchanged, and truncated ones are refused. */
#include "profile_fixture.h"

#include "gate/symbols/symbol_files.h"
#include "gate/symbols/symbol_lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct gate_symbol_line calls[] = {
    {{"shop::mix", 9}, {"mix", 3}, {"/srv/shop.cpp", 13}, 12, 10, 0},
    {{"main", 4}, {"main", 4}, {"", 0}, 0, 0, 0},
};

TEST(written_answers_are_read_back) {
    AT_END(gate_buf_free) struct gate_buf out = {0};
    struct gate_symbol_answer answers[3];
    gate_symbol_lines_write(&out, calls, 2);
    gate_symbol_lines_write(&out, calls, 0);
    gate_symbol_lines_write(&out, calls + 1, 1);
    assert_true(gate_symbol_lines_read(answers, 3, gate_buf_view(&out), &arena, &err));
    assert_int_equal(answers[0].count, 2);
    assert_int_equal(answers[1].count, 0);
    assert_int_equal(answers[2].count, 1);
    assert_true(gate_str_equal(answers[0].lines[0].name, calls[0].name));
    assert_true(gate_str_equal(answers[0].lines[0].system_name, calls[0].system_name));
    assert_true(gate_str_equal(answers[0].lines[0].file, calls[0].file));
    assert_int_equal(answers[0].lines[0].line, 12);
    assert_int_equal(answers[0].lines[0].start_line, 10);
    assert_true(gate_str_equal(answers[0].lines[1].name, calls[1].name));
}

TEST(cut_answers_are_refused) {
    AT_END(gate_buf_free) struct gate_buf out = {0};
    gate_symbol_lines_write(&out, calls, 2);
    gate_symbol_lines_write(&out, calls, 1);
    for (size_t len = 0; len < out.len; len++) {
        struct gate_error err = {0};
        struct gate_symbol_answer answers[2];
        assert_false(gate_symbol_lines_read(answers, 2, gate_str_slice(gate_buf_view(&out), 0, len), &arena, &err));
        assert_int_equal(err.code, GATE_ERR_FORMAT);
    }
}

TEST(names_are_converted_to_valid_utf8) {
    AT_END(gate_buf_free) struct gate_buf out = {0};
    struct gate_symbol_answer answer;
    const struct gate_symbol_line line = {{"a\xff", 2}, {"", 0}, {"", 0}, 0, 0, 0};
    gate_symbol_lines_write(&out, &line, 1);
    assert_true(gate_symbol_lines_read(&answer, 1, gate_buf_view(&out), &arena, &err));
    assert_true(gate_str_equal(answer.lines[0].name, GATE_STR("a\xEF\xBF\xBD")));
}

static int open_descriptors(void) {
    int count = 0;
    for (int descriptor = 0; descriptor < 1024; descriptor++)
        count += fcntl(descriptor, F_GETFD) >= 0;
    return count;
}

/* Folders are searched to 16 levels below the given one. */
TEST(folders_are_searched_to_a_depth) {
    char top[] = "/tmp/symbol-files-XXXXXX";
    const char *folders[18] = {top}, *paths[18];
    struct gate_symbol_files files = {0};
    assert_non_null(mkdtemp(top));
    for (int i = 0; i < 18; i++) {
        if (i > 0) {
            folders[i] = gate_str_format(&arena, "%s/in", folders[i - 1]).ptr;
            assert_int_equal(mkdir(folders[i], 0700), 0);
        }
        paths[i] = gate_str_format(&arena, "%s/perf-%d.map", folders[i], i + 1).ptr;
        FILE *file = fopen(paths[i], "w");
        assert_non_null(file);
        assert_true(fputs("1000 10 a\n", file) >= 0);
        assert_int_equal(fclose(file), 0);
    }
    int before = open_descriptors();
    assert_true(gate_symbol_files_add(&files, folders[0], &arena, &err));
    assert_int_equal(files.count, 17);
    assert_int_equal(open_descriptors(), before);
    for (int i = 17; i >= 0; i--)
        assert_true(unlink(paths[i]) == 0 && rmdir(folders[i]) == 0);
}
