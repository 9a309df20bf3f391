# SPDX-License-Identifier: Apache-2.0
# A program with debug information, and a profile of its bare addresses.
for tool in python3 g++ readelf nm objcopy strip xz; do
  command -v $tool >/dev/null || exit 77
done
"$PROGRAM" version | grep -q 'names:.*libdw' || exit 77
python3 -B ../tests/symbols/bare.py "$KEPT"
cd "$KEPT"
