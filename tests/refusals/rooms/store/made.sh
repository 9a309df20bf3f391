#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A repository of three commits, and a store with what was accepted of the first two.
set -eu
command -v git >/dev/null || exit 77
mkdir "$REFUSALS_PLACE/repository" "$REFUSALS_PLACE/given"
cp refusals/runs/*.folded "$REFUSALS_PLACE/repository"
cd "$REFUSALS_PLACE/repository"
git init -q -b main
for number in 0 1 2; do
  git -c user.name=t -c user.email=t@localhost commit -q --allow-empty -m "$number"
  [ $number = 2 ] || "$PROGRAM" baseline accept --store ../given/s --service shop --environment ci \
    --elsewhere "base-$number.folded" base-3.folded --work 1000,1100
done
mkdir ../given/s/objects/ab
stray=ab/$(printf 'ab%.0s' $(seq 32))
: >"../given/s/objects/$stray"
: >"../given/s/objects/$stray.pprofgate-Ab12Cd"
: >../given/s/records/shop/ci/1-2.json.pprofgate-Ab12Cd
