#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Build from source on machines that lack something: packages, root, an archive that can be linked.

usage: test_build.py PPROFGATE SOURCE NAME
"""
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BUILD = SOURCE = None

# Stand-ins for what ci/packages.sh runs. Each call of apt-get and sudo is appended to the file `calls`.
APT_GET = 'echo "apt-get $*" >>"$CALLS"'
SUDO = 'echo "sudo" >>"$CALLS"; exec "$@"'
NOTHING_INSTALLED = "exit 1"
ALL_INSTALLED = "printf installed"


def fail(message, result=None):
    if result is not None:
        message += f"\nstatus {result.returncode}\n{result.stdout}{result.stderr}"
    sys.exit(message)


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, **more)


class Machine:
    """A PATH that holds nothing but a shell, the tools that every system has, and the stand-ins given."""

    def __init__(self, folder, **stand_ins):
        self.bin = folder / "bin"
        self.calls = folder / "calls"
        self.bin.mkdir()
        self.calls.touch()
        for tool in ("bash", "cat", "dirname", "env"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        for name, text in stand_ins.items():
            program = self.bin / name.replace("_", "-")
            program.write_text(f"#!{self.bin}/bash\n{text}\n")
            program.chmod(0o755)

    def run(self, script, *words):
        """Zig's compiler, which does not come from a package of the system, counts as installed."""
        return run([self.bin / "bash", SOURCE / "ci" / script, *words],
                   env={"PATH": str(self.bin), "CALLS": str(self.calls), "PPROFGATE_ZIG": "zig",
                        "PPROFGATE_DASK": "python3"})

    def called(self):
        return self.calls.read_text().splitlines()


def debian(folder, uid, installed=NOTHING_INSTALLED, **more):
    return Machine(folder, id=f"echo {uid}", dpkg_query=installed, apt_get=APT_GET, apt_cache="exit 0", **more)


def expect_refusal(result, *parts):
    if result.returncode != 1:
        fail("expected exit status 1", result)
    for part in parts:
        if part not in result.stderr:
            fail(f"expected {part!r} on standard error", result)
    if "command not found" in result.stderr:
        fail("a program is run that is missing", result)


def test_without_root_and_sudo_the_command_is_named(folder):
    machine = debian(folder, 1000)
    expect_refusal(machine.run("packages.sh"), "no sudo", "apt-get install --no-install-recommends gcc g++ ",
                   " libdw-dev ", " cmake ")
    if machine.called():
        fail(f"expected that nothing is installed, found {machine.called()}")


def test_only_missing_packages_are_named(folder):
    machine = debian(folder, 1000, installed='[ "${!#}" = cmake ] || printf installed')
    result = machine.run("packages.sh")
    expect_refusal(result, "packages are missing", "--no-install-recommends cmake\n")


def test_quickstart_ends_with_the_same_message(folder):
    expect_refusal(debian(folder, 1000).run("quickstart.sh"), "no sudo", "apt-get install")


def test_another_system_gets_the_list(folder):
    expect_refusal(Machine(folder, id="echo 0").run("packages.sh"), "Debian and Ubuntu only", " libdw-dev ",
                   " protobuf-c-compiler ")


def test_root_installs_without_sudo(folder):
    machine = debian(folder, 0, sudo=SUDO)
    result = machine.run("packages.sh")
    calls = machine.called()
    if result.returncode != 0 or len(calls) != 2 or calls[0] != "apt-get update -qq" or " cmake " not in calls[1]:
        fail(f"expected an update and an installation, found {calls}", result)


def test_a_user_installs_through_sudo(folder):
    machine = debian(folder, 1000, sudo=SUDO)
    result = machine.run("packages.sh")
    if result.returncode != 0 or [call.split()[0] for call in machine.called()] != ["sudo", "apt-get"] * 2:
        fail(f"expected two calls through sudo, found {machine.called()}", result)


def test_nothing_missing_needs_no_root(folder):
    machine = debian(folder, 1000, installed=ALL_INSTALLED)
    result = machine.run("packages.sh", "checks")
    if result.returncode != 0 or machine.called() or result.stderr:
        fail(f"expected no call and no message, found {machine.called()}", result)


def link_command(folder, *options):
    """The command that links the program, and what CMake printed."""
    configured = run(["cmake", "-S", SOURCE, "-B", folder, "-G", "Ninja", "-DPPROFGATE_ARCHIVES=ON",
                      "-DPPROFGATE_TESTS=OFF", "-DPPROFGATE_HARDEN=OFF", *options])
    if configured.returncode != 0:
        fail("CMake failed", configured)
    commands = run(["ninja", "-C", folder, "-t", "commands", "pprofgate"]).stdout
    return commands.strip().splitlines()[-1].split(), configured.stdout


def test_an_archive_that_cannot_be_linked_is_left_out(folder):
    """libyaml's archive refers to something that no library has; libz's is right."""
    (folder / "yaml.c").write_text("int nowhere(void); int yaml_parser_parse(void); "
                                   "int yaml_parser_parse(void) { return nowhere(); }\n")
    subprocess.run(["cc", "-fPIE", "-c", "yaml.c"], cwd=folder, check=True)
    subprocess.run(["ar", "rc", "libyaml.a", "yaml.o"], cwd=folder, check=True)
    archive = str(folder / "libyaml.a")
    words, log = link_command(folder / "build", f"-DPPROFGATE_ARCHIVE_yaml={archive}")
    if archive in words:
        fail("an archive is linked whose object refers to a function that does not exist: " + " ".join(words))
    if not [word for word in words if word.endswith("libyaml.so")]:
        fail("expected the shared libyaml: " + " ".join(words))
    if not [word for word in words if word.endswith("libz.a")]:
        fail("expected the archive of libz, which can be linked: " + " ".join(words))
    if "linked as shared libraries" not in log or "libyaml" not in log:
        fail("expected that CMake says which libraries are shared: " + log)


# The one test of this layer takes minutes; a fast test of another layer runs the same command.
STANDS_FOR = {"gate": "stores.gate_waits_for_slices"}


def listed_tests():
    return json.loads(run(["ctest", "--test-dir", BUILD, "--show-only=json-v1"]).stdout)["tests"]


def test_no_test_skips_itself(_):
    """A skipped test looks like one that passed. CMake does not register tests whose programs are missing (gate_has)."""
    skipping = [test["name"] for test in listed_tests()
                if any(item["name"].startswith("SKIP_") for item in test.get("properties", []))]
    if skipping:
        fail("expected no test that may skip itself, found " + ", ".join(skipping))


def test_each_layer_has_fast_tests(_):
    """A layer is the part of a test's name before the first dot. `bash ci/test.sh` runs some tests of each."""
    listed = listed_tests()
    names = [test["name"] for test in listed]
    fast = set()
    for test in listed:
        labels = [item["value"] for item in test.get("properties", []) if item["name"] == "LABELS"]
        if "slow" not in sum(labels, []):
            fast.add(test["name"])
    layers = {name.split(".")[0] for name in fast}
    for name in names:
        layer = name.split(".")[0].replace("cases", "case")
        if layer not in layers and STANDS_FOR.get(layer) not in fast:
            fail(f"all tests of layer '{layer}' have the label 'slow': `bash ci/test.sh` would run none of them")
    if "unit" not in layers or len(fast) == len(names):
        fail(f"expected fast tests in 'unit' and slow tests elsewhere, found layers {sorted(layers)}")


def layers_of_map():
    """{layer: number of tests} of the table in CONTRIBUTING.md."""
    text = (SOURCE / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z]+)` \| .* \| ([\d,]+) \| [\d,]+ \|$", text, re.M)
    return {layer: int(count.replace(",", "")) for layer, count in rows}


def layers_of_sources():
    """Layers of all tests that some machine registers."""
    found = set()
    for path in (SOURCE / "tests").glob("*/CMakeLists.txt"):
        text = path.read_text(encoding="utf-8")
        found |= set(re.findall(r"add_test\(NAME ([a-z]+)\.", text))
        found |= set(re.findall(r"gate_python_tests\(([a-z]+)[ .]", text))
    return found


def test_the_map_of_the_suite_has_each_layer(_):
    """The table in CONTRIBUTING.md. A machine that lacks programs registers fewer tests than it counts."""
    listed = collections.Counter(test["name"].split(".")[0] for test in listed_tests())
    counts = layers_of_map()
    layers = layers_of_sources() | set(listed)
    if set(counts) != layers:
        fail(f"CONTRIBUTING.md, map of the suite: missing {sorted(layers - set(counts))}, "
             f"unknown {sorted(set(counts) - layers)}")
    for layer, count in listed.items():
        if count > 1.2 * counts[layer] + 2:
            fail(f"CONTRIBUTING.md, map of the suite: '{layer}' has {count} tests, not {counts[layer]}; "
                 "write its number and its seconds into the table ('python3 -B ci/suite.py' prints both)")


def test_entries_of_equivalent_mutations_name_existing_files(folder):
    """tests/mutation/equivalent.txt, whose entries of a file that was renamed would be left out in silence."""
    reader = [sys.executable, "-B", "-c",
              "import equivalent, pathlib, sys; equivalent.read(*map(pathlib.Path, sys.argv[1:]))"]
    mutation, argued = SOURCE / "tests/mutation", folder / "argued.txt"
    done = run([*reader, mutation / "equivalent.txt", SOURCE], cwd=mutation)
    if done.returncode != 0:
        fail("expected that each file exists", done)
    argued.write_text("".join(f"gate/{name}.c: constant\n  - x = 1;\n  + x = 2;\n  the reason\n"
                              for name in ("base/arena", "base/gone", "base/gone", "old/left")) +
                      "gate/base/arena.c:hand_out: constant\n  - x = 1;\n  + x = 2;\n  the reason\n")
    expect_refusal(run([*reader, argued, SOURCE], cwd=mutation),
                   "argued.txt: has entries of files that do not exist, take them out: "
                   "gate/base/gone.c, gate/old/left.c\n")


def main():
    global BUILD, SOURCE
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    BUILD, SOURCE = pathlib.Path(sys.argv[1]).resolve().parent, pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory(prefix="pprofgate-build.") as folder:
        globals()[f"test_{sys.argv[3]}"](pathlib.Path(folder))
    print(f"ok: {sys.argv[3]}")


main()
