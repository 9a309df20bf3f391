# SPDX-License-Identifier: Apache-2.0
# A repository whose program writes its own profile, with a change that was not committed.
command -v git >/dev/null || exit 77
mkdir "$REFUSALS_PLACE/repository"
cd "$REFUSALS_PLACE/repository"
cat >.pprofgate.yml <<'END'
version: 1
budgets: [{name: all, measure: total, limit: {absolute: 9000count}}]
try:
  build: test -f cost
  run: 'printf "main;work %d\nmain;idle 500\nmain;rest 9\n" $(cat cost) >"$PPROFGATE_PROFILE"; echo requests: 100'
  work: 'requests: ([\d,]+)'
  rounds: 1
END
echo 1000 >cost
git init -q -b main
git add -A
git -c user.name=t -c user.email=t@localhost commit -q -m good
echo 1100 >cost

# The same of benchmarks, by a stand-in for what `go test -c` builds.
cp -R "$REFUSALS_PLACE/repository" "$REFUSALS_PLACE/benchmarks"
cd "$REFUSALS_PLACE/benchmarks"
cat >bench.test <<'END'
#!/bin/sh
case "$1" in
-test.list) printf 'BenchmarkA\nBenchmarkOnce%s\nok\n' "$PPROFGATE_SIDE" ;;
*)
  echo 'BenchmarkA-1 100 12345 ns/op'
  [ "${7:-}" = -test.cpuprofile ] && printf 'main;work %d\nmain;idle 500\n' 1000 >"$PPROFGATE_PROFILE"
  ;;
esac
exit 0
END
chmod +x bench.test
cat >.pprofgate.yml <<'END'
version: 1
budgets: [{name: all, measure: total, limit: {absolute: 9000count}}]
try: {preset: go-bench, bench: A, build: 'cp bench.test "$PPROFGATE_BUILD"', rounds: 1}
END
git add -A
git -c user.name=t -c user.email=t@localhost commit -q -m benchmarks
