#!/bin/sh
# What hinders a recording and not COMMAND: a gzip that hangs, no more processes.
. "$(dirname "$0")/expect.sh"
collect=$BIN/collect
# A gzip that hangs at the second log.
mkdir "$work/gzip"
printf '#!/bin/sh\n[ -e "%s" ] && exec sleep 1000\n: >"%s"; exec /bin/gzip "$@"\n' "$work/gzip.on" "$work/gzip.on" >"$work/gzip/gzip"
chmod +x "$work/gzip/gzip"
PATH=$work/gzip:$PATH timeout 60 "$collect" --compress -o "$work/packed" -- sh -c 'exit 4' >"$work/out" 2>"$work/err"
status=$?
check "a gzip that hangs: COMMAND's status, and plain logs" every 'exits 4' 'says "logs can.t be compressed"' \
	'is "$(ls "$work/packed" | grep -c "[.]gz")" 1' '[ "$(ls "$work/packed" | grep -c "[.]log$")" -ge 3 ]'
hw --no-db "$work/packed"
check "... that can be read" exits 0

# No process can be started.
few() { # PROCESSES
	mkdir -m 777 -p "$work/few"
	(cd "$work/few" && exec setpriv --reuid 54321 --clear-groups prlimit --nproc="$1" "$collect" -o "run-$1" -- sh -c 'echo ran; exit 4') >"$work/out" 2>"$work/err"
	status=$?
}
if chmod 711 "$work" && [ "$(id -u)" = 0 ] && setpriv --reuid 54321 --clear-groups prlimit --nproc=9 test -x "$collect" 2>/dev/null; then
	for count in 1 3 9; do
		few $count
		check "no more than $count processes: COMMAND runs" every 'exits 4' 'is "$(cat "$work/out")" ran'
	done
	few 1
	check "... and one line says that nothing is recorded" says "no process can be started: the command runs without a recording"
else
	skip "no process can be started" "the number of processes can't be limited here"
fi
plan
