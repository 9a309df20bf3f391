#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Build examples/library, a CMake project that uses libpprofgate, with an installed library and with the sources.

usage: test_consumer.py PPROFGATE SOURCE NAME
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

GATE, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
EXAMPLE = SOURCE / "examples/library"
CPU = SOURCE / "fixtures/go-service/cpu"
PASS, FAIL = 0, 1
WIDE_RULES = """version: 1
budgets:
  - name: no function takes over
    measure: charged
    limit: {share_increase: "+50pp"}
"""
# Cache entries of the example, of CMake itself, and of CMake's modules that look for libraries. The name of every other
# entry must begin with PPROFGATE_, or with the name of one of the project's targets.
ENTRIES = re.compile(r"compare_|_?CMAKE_|ZLIB_|PKG_CONFIG_|prefix_result$|FIND_PACKAGE_MESSAGE_DETAILS_|"
                     r"(pkgcfg_lib_|__pkg_config_\w+_)?PPROFGATE_|(pprofgate|gate)(_\w+)?_(BINARY_DIR|SOURCE_DIR|IS_TOP_LEVEL|LIB_DEPENDS)$")


def run(*words, expect=0):
    environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, env=environment)
    if done.returncode != expect:
        sys.exit(f"{words} ended with status {done.returncode}, expected {expect}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def configure(build, *options):
    run("cmake", "-S", EXAMPLE, "-B", build, "-G", "Ninja", *options)


def expect_verdicts(program):
    """Run the example on a pair of profiles with a regression, and on a pair without."""
    shown = run(program, CPU / "baseline-1.pb.gz", CPU / "regression-1.pb.gz", expect=FAIL)
    assert shown.startswith("FAIL") and "main.priceRound" in shown, shown
    rules = program.parent / "wide.yml"
    rules.write_text(WIDE_RULES, encoding="utf-8")
    shown = run(program, CPU / "baseline-1.pb.gz", CPU / "benign-1.pb.gz", rules, expect=PASS)
    assert shown.startswith("PASS"), shown


def staged(folder):
    prefix = folder / "prefix"
    run("cmake", "--install", GATE.parent, "--component", "dev", "--prefix", prefix)
    return prefix


def links_shared_library(program):
    return "libpprofgate.so" in run("readelf", "-d", program)


def test_find_package_links_the_shared_library_by_default(folder):
    configure(folder / "build", f"-DCMAKE_PREFIX_PATH={staged(folder)}")
    run("cmake", "--build", folder / "build")
    assert links_shared_library(folder / "build/compare")
    expect_verdicts(folder / "build/compare")


def test_find_package_links_the_archive_without_shared_libraries(folder):
    configure(folder / "build", f"-DCMAKE_PREFIX_PATH={staged(folder)}", "-DBUILD_SHARED_LIBS=OFF")
    run("cmake", "--build", folder / "build")
    assert not links_shared_library(folder / "build/compare")
    expect_verdicts(folder / "build/compare")


def test_find_package_works_after_the_prefix_is_moved(folder):
    moved = staged(folder).rename(folder / "moved")
    configure(folder / "build", f"-DCMAKE_PREFIX_PATH={moved}")
    run("cmake", "--build", folder / "build")


def test_find_package_refuses_another_major_version(folder):
    prefix = staged(folder)
    project = folder / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.22)\nproject(other NONE)\n"
                                            "find_package(pprofgate ${WANTED} REQUIRED)\n", encoding="utf-8")
    words = ["cmake", "-S", project, "-B", folder / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"]
    shown = run(*words, "-DWANTED=7.0", expect=1)
    assert re.search(r'compatible\s+with\s+requested\s+version\s+"7.0"', shown), shown
    run(*words, "-DWANTED=0.1")


def test_add_subdirectory_leaves_the_project_alone(folder):
    build = folder / "build"
    configure(build, f"-DPPROFGATE_SOURCE={SOURCE}")
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    names = re.findall(r"^([^#/\s][^:]*):\w+=", cache, re.M)
    assert "PPROFGATE_LIBRARY" in names, names
    foreign = [name for name in names if not ENTRIES.match(name)]
    assert not foreign, foreign
    assert re.search(r"^CMAKE_BUILD_TYPE:STRING=$", cache, re.M), "a build type was set"
    assert "No tests were found" in run("ctest", "--test-dir", build)
    for name in ("compile_commands.json", "CPackConfig.cmake"):
        assert not (build / name).exists(), name
    rules = (build / "pprofgate/cmake_install.cmake").read_text(encoding="utf-8")
    rules += (build / "pprofgate/gate/cmake_install.cmake").read_text(encoding="utf-8")
    assert "file(INSTALL" not in rules, "install rules were defined"


def test_add_subdirectory_builds_either_library_and_not_the_program(folder):
    build = folder / "cli/build"  # the library leaves out gate/cli, but not every object below a folder named cli
    configure(build, f"-DPPROFGATE_SOURCE={SOURCE}", "-DCMAKE_C_FLAGS=-O0")
    run("cmake", "--build", build)
    assert links_shared_library(build / "compare")
    assert not (build / "pprofgate/pprofgate").exists()
    expect_verdicts(build / "compare")
    configure(build, "-DBUILD_SHARED_LIBS=OFF")
    run("cmake", "--build", build)
    assert not links_shared_library(build / "compare")
    expect_verdicts(build / "compare")


def main():
    with tempfile.TemporaryDirectory(prefix="pprofgate-consumer-") as folder:
        globals()[f"test_{sys.argv[3]}"](pathlib.Path(folder).resolve())


if __name__ == "__main__":
    main()
