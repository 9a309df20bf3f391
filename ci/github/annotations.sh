#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Moves pprofgate's annotations to lines that the change touched, since a pull request shows an annotation among its
# files only there. pprofgate marks where a function begins; a line of that function that changed since BASE takes its
# place, if there is one. All else goes through as it is.
#   annotations.sh BASE <IN >OUT
set -euo pipefail
base=${1:-}

# The first line of the function that begins at LINE of FILE which differs from BASE; nothing: none does.
changed_line() { # FILE LINE
  git -c core.quotePath=false diff --no-ext-diff --no-color --unified=0 "$base" -- ":(top,literal)$1" 2>/dev/null |
    awk -v from="$2" '
      FNR == NR {
        if ($1 == "@@") {
          split(substr($3, 2), at, ",")
          count = at[2] == "" ? 1 : at[2]
          first = count == 0 ? at[1] + 1 : at[1]  # of lines that were removed, the one below
          for (i = first; i < first + (count == 0 ? 1 : count); i++) changed[i] = 1
        }
        next
      }
      FNR == from { match($0, /^[ \t]*/); depth = RLENGTH }
      # Until the next thing of this depth or less that is not the rest of this one: a bracket closes it.
      FNR > from && /[^ \t]/ {
        match($0, /^[ \t]*/)
        if (RLENGTH <= depth && substr($0, RLENGTH + 1) ~ /^[A-Za-z0-9_$@#"\/]/) exit
      }
      FNR >= from && changed[FNR] { print FNR; exit }' - "$top/$1"
}

top=
if [ -n "$base" ] && [[ $base =~ ^[0-9a-f]{40,64}$ ]] && git cat-file -e "$base^{commit}" 2>/dev/null; then
  base=$(git merge-base "$base" HEAD 2>/dev/null || printf '%s' "$base")
  top=$(git rev-parse --show-toplevel)
fi
place='^(::(error|warning) title=[^,:]*,file=)([^,:]*)(,line=)([0-9]+)(::.*)$'
while IFS= read -r line || [ -n "$line" ]; do
  if [ -n "$top" ] && [[ $line =~ $place ]]; then
    match=("${BASH_REMATCH[@]}")
    file=${match[3]//%3A/:}
    file=${file//%2C/,}
    file=${file//%25/%}
    if [ -f "$top/$file" ] && moved=$(changed_line "$file" "${match[5]}") && [ -n "$moved" ]; then
      line=${match[1]}${match[3]}${match[4]}$moved${match[6]}
    fi
  fi
  printf '%s\n' "$line"
done
