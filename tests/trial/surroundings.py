# SPDX-License-Identifier: Apache-2.0
"""Where a try cannot begin: what is missing around it is told, and nothing of the user's changes."""
import pathlib
import shutil

from repository import check, fake_repository, untouched


def test_a_try_without_home_or_xdg_cache_home_is_an_error(gate, folder):
    repository = fake_repository(gate, folder)
    before = repository.state()
    home = repository.environment.pop("HOME", None)
    repository.environment["XDG_CACHE_HOME"] = "relative"  # which counts as none
    for value in (None, "relative"):
        if value is not None:
            repository.environment["HOME"] = value
        _, err = repository.run("try", "HEAD", expect=2)
        check("neither HOME nor XDG_CACHE_HOME is set: name a folder with --cache" in err, err)
    del repository.environment["XDG_CACHE_HOME"]
    repository.environment["HOME"] = str(repository.cache)
    repository.run("try", "HEAD", "--rounds", "1", expect=0)
    check((repository.cache / ".cache/pprofgate/try").is_dir(), "the cache is in the home")
    repository.environment["HOME"] = home or "/"
    untouched(repository, before, "a try without a home")


def test_a_folder_in_place_of_a_cache_file_is_named_in_the_error(gate, folder):
    """A folder stands where a file of the cache has to be: the error has its path, and the next try goes on."""
    repository = fake_repository(gate, folder)
    repository.write("cost", "101\n")  # the index is copied for a change only
    repository.run("try", "HEAD", "--rounds", "1", expect=0)
    before = repository.state()
    [cache] = (repository.cache / "pprofgate/try").iterdir()
    for name in ("lock", "repository.git/objects/info/alternates", "index"):
        path = cache / name
        path.unlink()
        path.mkdir()
        _, err = repository.run("try", "HEAD", expect=2)
        check(f"{path}: " in err and "s a directory" in err, (name, err))
        path.rmdir()
    repository.run("try", "HEAD", "--rounds", "1", expect=0)
    untouched(repository, before, "a try with a damaged cache")


def test_a_missing_or_failing_git_is_an_error(gate, folder):
    """There is no git, or one that says nothing, dies, or says more than anybody reads."""
    repository = fake_repository(gate, folder)
    before = repository.state()
    bin_folder, path = pathlib.Path(folder) / "bin", repository.environment["PATH"]
    bin_folder.mkdir()
    long = "printf 'x%.0s' 1 2 3 4 5 6 7 8 9 0"
    for script, told in ((None, "'git' is not there, and a revision cannot be tried without: install it"),
                         ("exit 5", "'git rev-parse' ended with status 5\n"),
                         (f'case "$*" in *--show-prefix*) exit 6 ;; esac; exec {shutil.which("git")} "$@"',
                          "'git rev-parse' ended with status 6\n"),
                         ("kill -9 $$", "'git rev-parse' was killed by signal 9"),
                         (f"for i in $({long}) {'1 ' * 100}; do {long}; done >&2; exit 1", "ended with status 1: xxx")):
        if script is not None:
            (bin_folder / "git").write_text(f"#!/bin/sh\n{script}\n")
            (bin_folder / "git").chmod(0o755)
        repository.environment["PATH"] = str(bin_folder)
        _, err = repository.run("try", "HEAD", expect=2)
        repository.environment["PATH"] = path
        check(told in err and len(err) < 1500, (told, err))
    untouched(repository, before, "a try without git")


def test_a_working_directory_that_one_side_lacks_is_an_error(gate, folder):
    repository = fake_repository(gate, folder)
    inner = repository.folder / "services"
    inner.mkdir()
    for name in (".pprofgate.yml", "run.sh", "cost"):
        shutil.copy(repository.folder / name, inner / name)
    _, err = repository.run("try", "HEAD", expect=2, cwd=inner)
    check("the baseline has no directory 'services', which the commands would run in" in err, err)


def test_a_bisection_whose_good_is_no_ancestor_is_an_error(gate, folder):
    """GOOD is no ancestor of BAD: git does not know which way to go."""
    repository = fake_repository(gate, folder)
    repository.write("cost", "1500\n")
    repository.commit("slow")
    repository.write("cost", "100\n")
    repository.commit("quick again")
    _, err = repository.run("try", "--bisect", "HEAD", "HEAD~1", expect=2)
    check("git cannot bisect further" in err, err)
