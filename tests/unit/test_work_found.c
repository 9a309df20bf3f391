/* SPDX-License-Identifier: Apache-2.0 */
/* session/try_run.h: finding the work in the output of a run: one number, several, none, text that is no number, and
 * groups of the pattern. */

#include "gate/session/try_run.h"
#include "tests/unit/unit.h"

static bool found(double *out, const char *pattern, struct gate_str printed, struct gate_error *err) {
    struct gate_regex *regex = NULL;
    assert_true(gate_regex_compile(&regex, gate_str_from(pattern), err));
    bool ok = gate_work_found_add(out, regex, printed, err);
    gate_regex_free(regex);
    return ok;
}

static void expect(const char *pattern, struct gate_str printed, double wanted) {
    double number = -1;
    if (!found(&number, pattern, printed, &err))
        fail_msg("%s: %s", pattern, err.message);
    assert_true(number > wanted - 1e-9 && number < wanted + 1e-9);
}

static void refuse(const char *pattern, struct gate_str printed, const char *told) {
    struct gate_error err = {0};
    double number = -1;
    assert_false(found(&number, pattern, printed, &err));
    assert_int_equal(err.code, GATE_ERR_INPUT);
    if (strstr(err.message, told) == NULL)
        fail_msg("expected '%s' in '%s'", told, err.message);
}

TEST(the_numbers_of_all_matches_are_added_up) {
    expect("requests: (\\d+)", GATE_STR("requests: 120\n"), 120);
    expect("requests: (\\d+)", GATE_STR("requests: 120\nrequests: 30\n"), 150);
    expect("requests: ([\\d,]+)", GATE_STR("requests: 1,234,567\n"), 1234567);
    expect("(?m)^([\\d.e+]+) ops", GATE_STR("0.5 ops\n1e3 ops\n"), 1000.5);
    expect("done (\\d*)x", GATE_STR("done 5x"), 5);
    expect("(\\d+) gr\xC3\xBC\xC3\x9F"
           "e",
           GATE_STR("\xC3\xBC 7 gr\xC3\xBC\xC3\x9F"
                    "e"),
           7);
}

TEST(output_without_a_valid_positive_number_is_refused) {
    refuse("requests: (\\d+)", GATE_STR(""), "matches nothing");
    refuse("requests: (\\d+)", GATE_STR("request: 5"), "which ends with 'request: 5'");
    refuse("requests: (\\w+)", GATE_STR("requests: many"), "found 'many'");
    refuse("requests: (-?\\d+)", GATE_STR("requests: -5"), "found '-5'");
    refuse("requests: (\\d+)", GATE_STR("requests: 0"), "adds up to nothing");
    refuse("requests: (\\d+)?", GATE_STR("requests: "), "found ''");
    refuse("requests: (\\d+)", GATE_STR("\xFF requests: 5"), "no UTF-8");
    refuse("(\\w+)", GATE_STR("nan"), "found 'nan'");
    refuse("([\\d.]+)", GATE_STR("1.2.3"), "found '1.2.3'");
    refuse("([\\de]+)", GATE_STR("1e999"), "found '1e999'");
    refuse("(\\d+)", GATE_STR("1234567890123456789012345678901234567890"), "found '12345678901234567890");
}

/* An empty match is not found twice. */
TEST(an_empty_match_is_found_only_once) {
    struct gate_regex *regex = NULL;
    struct gate_str group;
    size_t from = 0;
    int matches = 0;
    assert_true(gate_regex_compile(&regex, GATE_STR("(x?)"), &err));
    assert_int_equal(gate_regex_groups(regex), 1);
    while (gate_regex_next(regex,
                           GATE_STR("\xC3\xBC"
                                    "x"),
                           &from, &group) == GATE_REGEX_YES)
        matches++;
    assert_int_equal(matches, 3); /* before the letter, at the x, and at the end */
    gate_regex_free(regex);
}
