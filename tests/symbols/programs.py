# SPDX-License-Identifier: Apache-2.0
"""Programs whose names are looked up, built here by the compilers that there are; and what other tools say of them."""
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def has(*tools):
    return all(shutil.which(tool) for tool in tools)


def run(*words, cwd=None, env=None, check=True):
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=env, capture_output=True, text=True)
    if check and done.returncode != 0:
        raise AssertionError(f"{words} ended with {done.returncode}: {done.stderr}")
    return done


def cpp(folder, compiler="g++", *flags):
    """shop.cpp with debug information and a build id."""
    out = folder / "shop"
    run(compiler, "-O2", "-g", "-Wl,--build-id", *flags, "-o", out, HERE / "shop.cpp")
    return out


def rust(folder):
    """With each mangling that this compiler knows; there is one at least."""
    built = []
    for mangling in ("legacy", "v0"):
        out = folder / f"shop-{mangling}"
        done = run("rustc", "-O", "-g", "-C", f"symbol-mangling-version={mangling}", "-C", "link-arg=-Wl,--build-id",
                   "-o", out, HERE / "shop.rs", check=False)
        if done.returncode == 0:
            built.append(out)
    assert built, done.stderr
    return built


def go(folder, *flags):
    """The program, and the profile that Go's runtime wrote of it, with the runtime's own names."""
    source = folder / "source"
    source.mkdir(exist_ok=True)
    shutil.copy(HERE / "shop.go.txt", source / "main.go")
    (source / "go.mod").write_text("module shop\n\ngo 1.21\n")
    out = folder / "shop"
    run("go", "build", *flags, "-o", out, ".", cwd=source)
    run(out, folder / "shop.pb.gz")
    return out, folder / "shop.pb.gz"


def build_id(binary):
    found = re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-n", binary).stdout)
    return found.group(1) if found else ""


def code(binary):
    """Where the code is: (address, offset, bytes in the file) of the loaded part that is executed."""
    for line in run("readelf", "-lW", binary).stdout.splitlines():
        words = line.split()
        if words[:1] == ["LOAD"] and "E" in words[6:-1]:
            return int(words[2], 16), int(words[1], 16), int(words[4], 16)
    raise AssertionError(f"{binary} has no code")


def functions(binary, pattern):
    """(address, size) of functions by their mangled names."""
    rows = (line.split() for line in run("nm", "-S", "--defined-only", binary).stdout.splitlines())
    return sorted((int(row[0], 16), int(row[1], 16)) for row in rows
                  if len(row) == 4 and row[2] in "tTwW" and re.search(pattern, row[3]))


def addr2line(binary, addresses):
    """What binutils say of each address: [(mangled name, file, line)], innermost first."""
    text = run("addr2line", "-a", "-f", "-i", "-e", binary, *map(hex, addresses)).stdout
    answers = []
    lines = iter(text.splitlines())
    for line in lines:
        if re.fullmatch(r"0x[0-9a-f]{16}", line):
            answers.append([])
            continue
        place = re.sub(r" \(discriminator \d+\)", "", next(lines))
        name, number = place.rsplit(":", 1)
        answers[-1].append((line, name, int(number) if number.isdigit() else 0))
    return answers
