#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`pprofgate try` on real repositories, which are made here.

usage: test_try.py PPROFGATE GROUP [TEST...]

Nothing is asserted of a clock. What is planted is large, and every program does a fixed amount of work a run.
"""
import os
import signal
import sys
import tempfile

import basics
import interrupts
import languages
import servers
import surroundings

GROUPS = {
    "basics": [basics.test_unchanged_passes, basics.test_uncommitted_change_is_tried,
               basics.test_accepted_fail_passes_and_keeps_its_causes,
               basics.test_change_of_the_same_second_is_tried, basics.test_untracked_file_is_tried,
               basics.test_checkout_of_a_killed_git, basics.test_what_is_open_after_a_round_is_told,
               basics.test_rounds_that_lack_the_time_are_told,
               basics.test_kept_profiles_judge_the_same, basics.test_what_a_build_keeps_is_there_in_the_next_try,
               basics.test_commands_find_their_environment, basics.test_subdirectory, basics.test_profile_glob,
               basics.test_profile_glob_outside, basics.test_other_repositories],
    "errors": [basics.test_errors_are_clear, basics.test_failing_build, basics.test_failing_run,
               surroundings.test_no_place_for_a_cache,
               surroundings.test_what_lies_in_the_cache, surroundings.test_git_fails,
               surroundings.test_directory_of_one_side, surroundings.test_histories_that_part],
    "interrupted": [interrupts.test_left_behind_is_killed, interrupts.test_interrupted,
                    interrupts.test_interrupted_on_a_terminal, interrupts.test_killed_in_the_middle,
                    interrupts.test_killed_leaves_nothing_running],
    "bisect": [basics.test_bisect, basics.test_bisect_skips, basics.test_bisect_good_fails,
               servers.test_bisect_busy_port],
    "server": [servers.test_server, servers.test_server_errors,
               servers.test_server_told_badly, servers.test_server_secrets,
               servers.test_server_interrupted],
    "go": [languages.test_go_bench, languages.test_go_bench_several, languages.test_go_bench_bisect,
           languages.test_go_server],
    "go_stand_in": [languages.test_go_bench_stand_in],
    "node": [languages.test_node],
    "py_spy": [languages.test_py_spy_stand_in],
}


def main():
    if len(sys.argv) < 3 or sys.argv[2] not in GROUPS:
        sys.exit(__doc__ + "\ngroups: " + " ".join(GROUPS))
    for number in (signal.SIGINT, signal.SIGQUIT):  # which a shell's jobs in the background ignore, and what they start
        signal.signal(number, signal.SIG_DFL)
    for test in GROUPS[sys.argv[2]]:
        if len(sys.argv) > 3 and test.__name__ not in sys.argv[3:]:
            continue
        with tempfile.TemporaryDirectory(prefix="pprofgate-try.") as folder:
            test(os.path.abspath(sys.argv[1]), folder)
        print(f"ok: {test.__name__}", flush=True)


if __name__ == "__main__":
    main()
