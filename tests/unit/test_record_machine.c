/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about this machine (store/record.h), and the limits of a cgroup. */
#include "gate/store/record.h"
#include "tests/unit/unit.h"

/* Zeros in front of a number: with "20 10", 63 bytes, which are read; longer text is not. */
#define ZEROS "0000000000000000000000000000000000000000000000000000000000"

TEST(cgroup_cpu_limits_are_numbers_of_processors) {
    static const struct {
        const char *text, *cpus;
    } rows[] = {{"200000 100000", "2"},
                {"150000 100000", "1.5"},
                {"max 100000", ""},
                {"-1 100000", ""},
                {"", ""},
                {"50000", ""},
                {"5000 0", ""},
                {"x y", ""},
                {ZEROS "20 10", "2"},
                {ZEROS "200 100", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_str found = gate_machine_cpu_limit(gate_str_from(rows[i].text), &arena);
        if (!gate_str_equal(found, gate_str_from(rows[i].cpus)))
            fail_msg("'%s': expected '%s', found '%.*s'", rows[i].text, rows[i].cpus, GATE_STR_ARG(found));
    }
}

TEST(no_limit_of_memory_is_left_out) {
    static const char *const rows[][2] = {{"max", ""}, {"9223372036854771712", ""}, {"536870912", "536870912"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(gate_str_equal(gate_machine_memory_limit(gate_str_from(rows[i][0])), gate_str_from(rows[i][1])));
}

TEST(the_record_describes_this_machine) {
    struct gate_record record;
    gate_record_begin(&record);
    assert_true(gate_machine_add_here(&record, &arena, &err));
    assert_true(gate_record_fact(&record, "cpus").len > 0);
    assert_true(gate_record_fact(&record, "kernel").len > 0);
    assert_true(gate_record_fact(&record, "arch").len > 0);
    const struct gate_manifest_host host = {.cpus = 12, .load = -1};
    gate_record_begin(&record);
    assert_true(gate_machine_add_host(&record, &host, &arena, &err));
    assert_int_equal(record.fact_count, 1);
    assert_true(gate_str_equal(gate_record_fact(&record, "cpus"), GATE_STR("12")));
}
