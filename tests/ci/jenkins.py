#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ci/recipes/Jenkinsfile, parsed and run by Groovy: each verdict as the result of the build.

usage: jenkins.py PPROFGATE ROOT GROOVY_FOLDER      (the folder has Groovy's jars)
"""
import os
import pathlib
import sys
import tempfile

import test_recipes
from scratch import expect, refuse, same

RESULTS = {"pass": "SUCCESS", "fail": "FAILURE", "inconclusive": "UNSTABLE", "error": "FAILURE"}


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    test_recipes.GATE, test_recipes.ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    jars, here = os.path.abspath(sys.argv[3]), pathlib.Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory(prefix="pprofgate-ci.") as work:
        changes = list(test_recipes.each(os.path.realpath(work)))
        for change in changes:
            env = {"PPROFGATE_STORE": str(change.store)}
            if change.verdict != "pass":
                env["CHANGE_TARGET"] = "main"
            _, log = change.shell(f"exec java -cp '{jars}/*' groovy.ui.GroovyMain '{here}/jenkins.groovy' "
                                  f"'{test_recipes.ROOT}/ci/recipes/Jenkinsfile' '{change.folder}' "
                                  f"{'main' if change.verdict == 'pass' else 'change'} 2>&1", **env)
            expect(log, f"\nresult: {RESULTS[change.verdict]}\n")
            (refuse if change.verdict == "error" else expect)(log, "junit: testsuite")
            same("accepted 3 runs" in log, change.verdict == "pass", log)
    print("ok: Jenkinsfile")


if __name__ == "__main__":
    main()
