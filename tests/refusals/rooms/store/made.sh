#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a repository of three commits, a store with accepted runs of the first two, and a copy with a damaged profile.
set -eu
mkdir "$REFUSALS_PLACE/repository" "$REFUSALS_PLACE/given"
cp refusals/runs/*.folded "$REFUSALS_PLACE/repository"
cd "$REFUSALS_PLACE/repository"
git init -q -b main
for number in 0 1 2; do
  git -c user.name=t -c user.email=t@localhost commit -q --allow-empty -m "$number"
  [ $number = 2 ] || "$PROGRAM" baseline accept --store ../given/s --service shop --environment ci \
    --elsewhere "base-$number.folded" base-3.folded --work 1000,1100
done
cp -R ../given ../damaged
for object in ../damaged/s/objects/*/*; do
  ! grep -q "$(basename "$object")" ../damaged/s/records/shop/ci/*.json || echo >>"$object"
  break
done
mkdir ../given/s/objects/ab
stray=ab/$(printf 'ab%.0s' $(seq 32))
: >"../given/s/objects/$stray"
: >"../given/s/objects/$stray.pprofgate-Ab12Cd"
: >../given/s/records/shop/ci/1-2.json.pprofgate-Ab12Cd
