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
    "basics": [
        basics.test_unchanged_passes, basics.test_uncommitted_change_is_tried,
        basics.test_accepted_fail_passes_and_keeps_its_causes,
        basics.test_a_change_within_the_second_of_the_commit_is_tried, basics.test_untracked_file_is_tried,
        basics.test_a_checkout_that_a_killed_git_left_is_made_again,
        basics.test_undecided_functions_are_noted_after_each_round, basics.test_rounds_beyond_max_time_are_noted,
        basics.test_kept_profiles_give_the_same_verdict, basics.test_ignored_files_of_a_build_are_kept_for_the_next_try,
        basics.test_commands_have_the_environment_of_the_documentation, basics.test_a_try_in_a_subdirectory_runs_there,
        basics.test_a_profile_glob_finds_the_profile, basics.test_a_profile_glob_outside_of_the_checkout_is_refused,
        basics.test_worktrees_shallow_clones_and_sha256_repositories_are_tried,
    ],
    "errors": [
        basics.test_usage_errors_name_the_mistake_and_change_nothing,
        basics.test_a_failing_build_is_an_error_with_its_output, basics.test_a_failing_run_is_an_error_with_its_output,
        surroundings.test_a_try_without_home_or_xdg_cache_home_is_an_error,
        surroundings.test_a_folder_in_place_of_a_cache_file_is_named_in_the_error,
        surroundings.test_a_missing_or_failing_git_is_an_error,
        surroundings.test_a_working_directory_that_one_side_lacks_is_an_error,
        surroundings.test_a_bisection_whose_good_is_no_ancestor_is_an_error,
    ],
    "interrupted": [
        interrupts.test_processes_left_by_a_run_are_killed, interrupts.test_an_interrupt_ends_all_processes,
        interrupts.test_an_interrupt_on_a_terminal_ends_progress_and_processes,
        interrupts.test_the_try_after_a_killed_one_restores_the_cache, interrupts.test_processes_of_a_killed_try_end,
    ],
    "bisect": [
        basics.test_a_bisection_finds_the_commit, basics.test_a_bisection_skips_commits_whose_run_fails,
        basics.test_a_bisection_ends_if_the_good_commit_fails, servers.test_a_busy_port_skips_no_commit_of_a_bisection,
    ],
    "server": [
        servers.test_the_server_is_profiled_under_load, servers.test_errors_of_the_server_or_load_are_reported,
        servers.test_invalid_server_addresses_are_refused_at_once,
        servers.test_messages_hide_secrets_of_server_addresses, servers.test_an_interrupt_ends_the_server,
    ],
    "go": [
        languages.test_a_go_benchmark_is_tried, languages.test_several_go_benchmarks_are_tried,
        languages.test_a_bisection_skips_commits_whose_benchmark_fails, languages.test_a_go_server_is_tried,
    ],
    "go_stand_in": [languages.test_go_bench_runs_the_commands_expected_of_go],
    "node": [languages.test_a_node_program_is_tried],
    "py_spy": [languages.test_py_spy_gets_the_expected_options],
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
