# SPDX-License-Identifier: Apache-2.0
# A repository of three commits, and a store with what was accepted of the first two.
command -v git >/dev/null || exit 77
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
mkdir "$KEPT/inside"
cp ../tests/refusals/runs/*.folded "$KEPT/inside"
cd "$KEPT/inside"
git init -q -b main
for number in 0 1 2; do
  git -c user.name=t -c user.email=t@localhost commit -q --allow-empty -m "$number"
  [ $number = 2 ] || "$PROGRAM" baseline accept --store "$KEPT/store" --service shop --environment ci \
    --elsewhere "base-$number.folded" base-3.folded --work 1000,1100
done
