#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The step of action.yml: builds pprofgate's arguments from the inputs, runs it, tells outputs and ends as it should.
# Inputs are read from the environment as data; none is ever evaluated.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

escaped() { # TEXT: as the data of a workflow command
  local text=${1//'%'/%25}
  text=${text//$'\r'/%0D}
  printf '%s' "${text//$'\n'/%0A}"
}

die() {
  printf '::error title=pprofgate::%s\n' "$(escaped "$*")"
  printf 'verdict=error\nexit-code=2\n' >>"$GITHUB_OUTPUT"
  exit 2
}

# The value of an input that is one line.
single() { # NAME
  local variable=INPUT_${1^^}
  variable=${variable//-/_}
  value=${!variable:-}
  case $value in *$'\n'* | *$'\r'*) die "the input '$1' has to be one line" ;; esac
}

# The lines of an input, without spaces around them and empty ones.
lines_of() { # NAME
  local variable=INPUT_${1^^} line
  lines=()
  while IFS= read -r line || [ -n "$line" ]; do
    line=${line%$'\r'}
    line=${line#"${line%%[![:space:]]*}"}
    line=${line%"${line##*[![:space:]]}"}
    [ -z "$line" ] || lines+=("$line")
  done <<<"${!variable:-}"
}

# The lines of an input that are files or patterns of files.
files_of() { # NAME
  local line matched
  files=()
  lines_of "$1"
  for line in ${lines[@]+"${lines[@]}"}; do
    case $line in -*) line=./$line ;; esac
    if [ ! -e "$line" ] && matched=$(compgen -G "$line"); then
      while IFS= read -r line; do files+=("$line"); done < <(LC_ALL=C sort <<<"$matched")
    else
      files+=("$line")
    fi
  done
}

option() { # INPUT OPTION
  single "$1"
  [ -z "$value" ] || words+=("$2=$value")
}

one_of() { # INPUT WORD...
  local name=$1 word
  single "$name"
  shift
  for word; do
    [ "$value" != "$word" ] || return 0
  done
  die "the input '$name': expected one of ${*}, found '$value'"
}

store_options() {
  option store --store
  option service --service
  option environment --environment
  option revision --revision
}

is_known() { # REVISION
  git rev-parse --quiet --verify --end-of-options "$1^{commit}" >/dev/null 2>&1
}

# Fetch a commit that a shallow checkout lacks.
fetch_commit() { # COMMIT
  local depth=()
  [[ $1 =~ ^[0-9a-f]{40,64}$ ]] || return 1
  [ "$(git rev-parse --is-shallow-repository)" != true ] || depth=(--depth=1)
  git fetch --quiet --no-tags ${depth[@]+"${depth[@]}"} origin "$1" && is_known "$1"
}

# On a pull request the rules of its base decide, unless the input is "head": a change must not loosen its own rules.
rules_from() {
  local from what='the base of the pull request'
  single rules-from
  from=$value
  if [ "$from" = head ]; then
    [ -z "${PPROFGATE_BASE:-}" ] ||
      echo "::notice title=pprofgate::the change is judged by its own rules (rules-from: head)"
    return 0
  fi
  [ -z "$from" ] || what="the input 'rules-from'"
  from=${from:-${PPROFGATE_BASE:-}}
  [ -n "$from" ] || return 0
  git rev-parse --show-toplevel >/dev/null ||
    die "rules are taken from $what, but this is no git checkout: run actions/checkout first, or set rules-from: head"
  is_known "$from" || fetch_commit "$from" ||
    die "rules are taken from $what, '$from', and the checkout lacks that commit:" \
      "set fetch-depth: 0 for actions/checkout, or rules-from: head to judge the change by its own rules"
  echo "rules are taken from $what, $from; rules-from: head would take the change's own"
  words+=("--rules-from=$from")
}

judge_options() {
  option rules --rules
  rules_from
  option on-inconclusive --on-inconclusive
  option sarif --sarif
  single report
  report=$value
  [ -z "$report" ] || words+=("--report=$report")
}

try_words() {
  words=(try)
  judge_options
  acceptance
  single baseline
  last=("${value:-${PPROFGATE_BASE:-}}")
  case ${last[0]} in '' | -*) die "try needs the input 'baseline', a revision: found '${last[0]}'" ;; esac
}

# Who accepts what this commit breaks: a comment on the pull request, by somebody who may write (docs/trust.md).
acceptance() {
  one_of accept-comments true false
  [ "$value" = true ] || return 0
  local place text
  place=$(mktemp -d "${RUNNER_TEMP:-/tmp}/pprofgate-accepted.XXXXXX")
  PPROFGATE_ACCEPTED=$place/text python3 -I "$here/accepted.py" || die "whether this commit is accepted is not known"
  if [ -f "$place/text" ]; then
    text=$(cat -- "$place/text")
    words+=("--accepted=$text" "--head=$PPROFGATE_HEAD")
  fi
  rm -r -- "$place"
}

check_words() {
  local file sides=()
  words=(check)
  judge_options
  acceptance
  store_options
  one_of accept-first true false
  [ "$value" = false ] || words+=(--accept-first)
  lines_of pairs
  for file in ${lines[@]+"${lines[@]}"}; do words+=("--pair=$file"); done
  files_of baseline
  for file in ${files[@]+"${files[@]}"}; do words+=("--baseline=$file"); done
  files_of canary
  sides=(${files[@]+"${files[@]}"})
  single store
  if [ -n "$value" ]; then
    last=(${sides[@]+"${sides[@]}"})
  else
    for file in ${sides[@]+"${sides[@]}"}; do words+=("--canary=$file"); done
  fi
}

accept_words() {
  words=(baseline accept)
  store_options
  files_of profiles
  last=(${files[@]+"${files[@]}"})
  [ "${#last[@]}" -gt 0 ] || die "accept needs the input 'profiles'"
}

# The outputs that pprofgate told, and nothing else of that file: names are ours, values are plain words.
tell_outputs() { # STATUS FILE
  local word=error name
  case $1 in 0) word=pass ;; 1) word=fail ;; 3) word=inconclusive ;; esac
  name=$(sed -n 's/^verdict=\(pass\|fail\|inconclusive\|error\|first\|no_baseline\)$/\1/p' "$2" | tail -n 1)
  if [ "$1" = 0 ] && [ -n "$report" ] && [ -f "$report/report.json" ]; then # was anything judged?
    name=$(sed -n '1,5s/^ *"verdict": "\(first\|no_baseline\)".*/\1/p' "$report/report.json")
  fi
  printf 'verdict=%s\nexit-code=%s\n' "${name:-$word}" "$1" >>"$GITHUB_OUTPUT"
  for name in failed inconclusive warned causes; do
    sed -n "s/^$name=\([0-9][0-9]*\)\$/$name=\1/p" "$2" | tail -n 1 >>"$GITHUB_OUTPUT"
  done
  if [ -n "$report" ] && [ -f "$report/report.json" ]; then
    printf 'report=%s\n' "$(cd -- "$report" && pwd)" >>"$GITHUB_OUTPUT"
  fi
}

end_check() { # STATUS
  one_of fail-on inconclusive fail never
  case $1:$value in
  0:*) exit 0 ;;
  1:never) echo "::notice title=pprofgate::a budget is broken, and the step does not fail (fail-on: never)" ;;
  3:fail | 3:never)
    echo "::warning title=pprofgate::the samples cannot decide, and the step does not fail (fail-on: $value)"
    ;;
  *)
    if [ "$1" != 1 ] && [ "$1" != 3 ]; then
      [ -z "${GITHUB_STEP_SUMMARY:-}" ] ||
        printf '## ⚠️ pprofgate: nothing was decided\n\nThe log of the step says why.\n' >>"$GITHUB_STEP_SUMMARY"
      echo "::error title=pprofgate::nothing was decided; the log of the step says why"
    fi
    exit "$1"
    ;;
  esac
  exit 0
}

one_of command check try accept setup
command=$value
[ "$command" != setup ] || exit 0
one_of fail-on inconclusive fail never
single working-directory
cd -- "${value:-.}" || die "the input 'working-directory': there is no '$value'"
words=() last=() report=
case $command in check) check_words ;; try) try_words ;; accept) accept_words ;; esac
lines_of args
words+=(${lines[@]+"${lines[@]}"} ${last[@]+"${last[@]}"})

told=$(mktemp -d "${RUNNER_TEMP:-/tmp}/pprofgate-run.XXXXXX")
: >"$told/outputs"
status=0
GITHUB_OUTPUT=$told/outputs "$PPROFGATE_BINARY" "${words[@]}" >"$told/stdout" || status=$?
one_of fail-on inconclusive fail never
as=error
[ "$value" != never ] || as=warning # nothing red at a step that passes
sed "s/^::error title=/::$as title=/" "$told/stdout" | bash "$here/annotations.sh" "${PPROFGATE_BASE:-}"
if [ "$command" = accept ]; then
  printf 'exit-code=%s\n' "$status" >>"$GITHUB_OUTPUT"
  exit "$status"
fi
tell_outputs "$status" "$told/outputs"
rm -r -- "$told"
end_check "$status"
