#!/bin/sh
# What hinders a recording and not COMMAND: a gzip that hangs.
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
plan
