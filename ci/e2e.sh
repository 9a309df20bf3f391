#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A team's first week with the gate, in scratch folders and with nothing by hand: the wheel is installed, a baseline
# accepted from main, a change with a regression is blocked, named and commented on, mended it passes and is accepted, a
# leak is found over the builds, and a store that was damaged loses nothing.
#   ci/e2e.sh [WHEEL]    without WHEEL: that of build/dist, or else build/release/pprofgate as it is
# What the team's pipeline does is done by the scripts of action.yml, with the runner's environment files. Needs Go.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if ! command -v go >/dev/null; then
  echo "skipped: there is no Go to build the team's service with"
  exit 0
fi
week=$(mktemp -d)
trap 'rm -rf "$week"' EXIT
export GIT_CONFIG_GLOBAL=$week/gitconfig GIT_CONFIG_NOSYSTEM=1
git config --global user.name team
git config --global user.email team@example.com
git config --global init.defaultBranch main

day() { printf '\n== %s\n' "$*"; }
say() { printf -- '-- %s\n' "$*"; }
die() {
  printf 'e2e: %s\n' "$*" >&2
  [ ! -f "$week/log" ] || cat "$week/log" >&2
  exit 1
}
# What a file says has to hold a text.
holds() { # FILE TEXT
  grep -qF -- "$2" "$1" || die "expected '$2' in $1: $(cat "$1")"
}

# ---- getting it

day "Monday: the gate is installed"
wheel=${1:-}
if [ -z "$wheel" ]; then
  for wheel in "$root"/build/dist/*"$(uname -m)"*.whl; do break; done
fi
if [ -f "$wheel" ] && python3 -c 'import venv, ensurepip' 2>/dev/null; then
  python3 -m venv "$week/venv"
  "$week/venv/bin/pip" install --quiet --no-index --disable-pip-version-check "$wheel"
  gate=$week/venv/bin/pprofgate
else
  say "there is no wheel, or no venv: build/release/pprofgate is taken as it is"
  gate=$root/build/release/pprofgate
fi
"$gate" --version

# ---- the team's repository, its service and what its pipeline does

shop=$week/shop store=$week/baselines
mkdir "$shop"
cp "$root"/examples/team/*.go "$root"/examples/team/go.mod "$shop"
cd "$shop"
git init -q
git add -A
git commit -qm "the shop"

# A build, and profiles of three runs of it under its load.
profiles() { # FOLDER [REQUESTS]
  local run
  go build -o "$week/service" .
  rm -rf "$1"
  mkdir "$1"
  for run in 1 2 3; do
    "$week/service" -requests "${2:-40000}" -cpu "$1/cpu-$run.pb.gz" -heap "$week/heap.pb.gz" >"$week/log"
  done
}

# The step of action.yml, with the inputs given as NAME=VALUE; its status is in `status`, its outputs in $week/outputs.
step() { # NAME=VALUE...
  : >"$week/outputs"
  : >"$week/summary"
  status=0
  env GITHUB_ACTIONS=true GITHUB_WORKSPACE="$shop" GITHUB_OUTPUT="$week/outputs" GITHUB_STEP_SUMMARY="$week/summary" \
    GITHUB_SERVER_URL=https://github.invalid GITHUB_REPOSITORY=team/shop GITHUB_RUN_ID=7 RUNNER_TEMP="$week" \
    PPROFGATE_ACTION="$root" PPROFGATE_BINARY="$gate" PPROFGATE_BASE="$(git rev-parse main)" \
    INPUT_STORE="$store" INPUT_SERVICE=shop INPUT_FAIL_ON=inconclusive INPUT_ACCEPT_FIRST=false \
    INPUT_ACCEPT_COMMENTS=false "$@" \
    bash "$root/ci/github/run.sh" >"$week/log" 2>&1 || status=$?
}

comment() {
  local sha
  sha=$(git rev-parse HEAD)
  printf '{"pull_request": {"number": 1, "head": {"sha": "%s"}}}\n' "$sha" >"$week/event.json"
  env GITHUB_EVENT_NAME=pull_request GITHUB_EVENT_PATH="$week/event.json" GITHUB_REPOSITORY=team/shop GITHUB_RUN_ID=7 \
    GITHUB_SERVER_URL=https://github.invalid GITHUB_OUTPUT="$week/comment-outputs" GITHUB_WORKSPACE="$shop" \
    INPUT_ARTIFACT=none INPUT_AUTHOR='github-actions[bot]' INPUT_COMMENT=always INPUT_NAME=pprofgate \
    INPUT_REPORT="$week/report" \
    python3 "$root/tests/ci/served.py" "$sha" "$week/comment.md" python3 -I "$root/ci/github/comment/comment.py" \
    >>"$week/log" 2>&1 || die "the comment was not written"
}

accept() {
  profiles "$week/profiles"
  step INPUT_COMMAND=accept INPUT_PROFILES="$week/profiles"
  [ "$status" = 0 ] || die "accept ended with $status"
}

# The canary of the branch that is checked out, against what was accepted; `verdict` is what came out. What chance
# decides is tried again as a pipeline would: twice.
check() { # VERDICT
  local try
  for try in 1 2 3; do
    profiles "$week/profiles"
    step INPUT_COMMAND=check INPUT_CANARY="$week/profiles" INPUT_REPORT="$week/report"
    verdict=$(sed -n 's/^verdict=//p' "$week/outputs")
    [ "$verdict" != "$1" ] || return 0
    say "$verdict in try $try of 3"
  done
  die "expected '$1', found '$verdict'"
}

# ---- the week

day "Tuesday: main is the baseline"
accept
"$gate" baseline list --store "$store"

day "Wednesday: a change that makes checkouts slower"
git checkout -qb audit
cat >audit.go <<'GO'
package main

import "fmt"

// auditTrail is what the auditors read.
func auditTrail(o *order) string {
	text := ""
	for i := 0; i < 3; i++ {
		for _, l := range o.Lines {
			text += fmt.Sprintf("%s %d\n", l.Article, l.Cents)
		}
		text = text[len(text)/2:]
	}
	return text
}
GO
sed -i -e 's/^\tremember(o)$/&\n\taudited += len(auditTrail(o))/' \
  -e 's/^const rounds = 20$/&\n\nvar audited int/' checkout.go
git add -A
git commit -qm "an audit trail"
check fail
[ "$status" = 1 ] || die "the step ended with $status, expected 1"
holds "$week/report/report.md" auditTrail
holds "$week/log" "::error title=pprofgate"
holds "$week/log" "file=audit.go,line="
holds "$week/summary" auditTrail
comment
holds "$week/comment.md" auditTrail
holds "$week/comment.md" FAIL
say "blocked, named main.auditTrail in the log, the summary and a comment"
status=0
"$gate" baseline accept --store "$store" --service shop --verdict "$week/report/report.json" "$week/profiles" \
  >"$week/log" 2>&1 || status=$?
[ "$status" = 2 ] || die "a canary that failed was accepted without a reason: $status"
say "not accepted without a reason"

day "Thursday: the change is mended, passes, and becomes the baseline"
cat >audit.go <<'GO'
package main

import "strconv"

// auditTrail is what the auditors read.
func auditTrail(o *order) string { return strconv.Itoa(o.ID) }
GO
git commit -qam "an audit trail that is cheap"
check pass
comment
holds "$week/comment.md" PASS
git checkout -q main
git merge -q audit
accept
say "passed, the comment was written anew, and main's profiles were accepted"

day "Friday: a leak"
sed -i '/^func remember/d' checkout.go
cat >>checkout.go <<'GO'

var history []*order

func remember(o *order) {
	orders[o.ID%len(orders)] = o
	history = append(history, o)
}
GO
git commit -qam "remember every order"
go build -o "$week/service" .
for build in 1 2 3 4 5 6 7 8 9; do # one service, seen each day after more requests
  git commit -q --allow-empty -m "day $build"
  "$week/service" -requests $((build * 1500)) -heap "$week/heap.pb.gz" >"$week/log"
  "$gate" baseline accept --store "$store" --service shop-heap "$week/heap.pb.gz" >"$week/log" 2>&1 || die "accept"
done
status=0
"$gate" trend --store "$store" --service shop-heap --rules trend --report "$week/trend" >"$week/log" 2>&1 || status=$?
[ "$status" = 1 ] || die "trend ended with $status, expected 1"
grep -qE 'main\.(fill|remember)' "$week/log" || die "trend did not name the function that leaks"
holds "$week/trend/trend.html" "<svg"
say "trend fails and names what is kept"

day "Saturday: the store is damaged"
git checkout -q audit # where there is no leak
before=$("$gate" baseline list --store "$store" | grep -c .)
cp -a "$store" "$week/kept"
chmod -R u+w "$store"
find "$store/objects" -type f | while IFS= read -r object; do
  printf 'damaged' | dd of="$object" bs=1 seek=100 conv=notrunc status=none
done
profiles "$week/profiles"
step INPUT_COMMAND=check INPUT_CANARY="$week/profiles" INPUT_REPORT="$week/report"
[ "$status" != 0 ] || die "with a damaged baseline a canary passed"
grep -qF 'this accepted profile is damaged' "$week/log" || die "nobody said that the store is damaged (status $status)"
after=$("$gate" baseline list --store "$store" 2>>"$week/log" | grep -c .)
[ "$before" = "$after" ] || die "the store had $before lines in its list, and now $after"
rm -r "$store"
cp -a "$week/kept" "$store"
check pass
rm -r "$store"
step INPUT_COMMAND=check INPUT_CANARY="$week/profiles" INPUT_REPORT="$week/report"
[ "$status" != 0 ] || die "without a store a canary passed"
say "damage is said, nothing is lost, a copy of the store is as good as it, and without a store nothing passes"
echo
echo "the week is over: all of it was as it should be"
