#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a repository whose program writes its own profile, with an uncommitted change.
set -eu
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

# The same with benchmarks: a script stands in for the binary of `go test -c`.
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

# The same with a server that answers at once, on a port that is free now.
cp -R "$REFUSALS_PLACE/repository" "$REFUSALS_PLACE/server"
cd "$REFUSALS_PLACE/server"
cat >serve.py <<'SERVE'
import os, socket, sys
text = ("main;work %s\nmain;idle 500\n" % open("cost").read().strip()).encode()
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    client, _ = server.accept()
    try:
        if client.recv(65536):
            client.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(text) + text)
    except OSError:
        pass
    client.close()
SERVE
port=$("$PYTHON" -c 'import socket; print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])')
cat >.pprofgate.yml <<END
version: 1
budgets: [{name: all, measure: total, limit: {absolute: 9000count}}]
try:
  run: exec "$PYTHON" -I -S serve.py $port
  profile: http://127.0.0.1:$port/debug/pprof/profile
  load: 'echo requests: 50'
  work: 'requests: (\d+)'
  rounds: 1
  seconds: 1
END
git add -A
git -c user.name=t -c user.email=t@localhost commit -q -m serves

# The second of three commits is the first slow one.
cp -R "$REFUSALS_PLACE/repository" "$REFUSALS_PLACE/commits"
cd "$REFUSALS_PLACE/commits"
sed -i '/^budgets/c budgets: [{name: each, measure: charged, limit: +10pp, max_mde: 60pp}]' .pprofgate.yml
for cost in 9900 9901; do
  echo $cost >cost
  git -c user.name=t -c user.email=t@localhost commit -q -a -m "cost $cost"
done
