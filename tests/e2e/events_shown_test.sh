#!/bin/sh
# Shows that what was logged to have happened stands in a report: each kind of event, how often, first and
# last; with -v each one; of a window those in it; and no unit of work twice.
. "$(dirname "$0")/expect.sh"

event() { echo "{\"ts\":\"2026-03-14T09:00:$1Z\",\"type\":\"$2\",\"name\":\"$3\"${4:-}}"; }
{
	event 00 phase train ',"seconds":0'
	event 07 note saved ',"path":"/a"'
	event 03 warning saved
	event 59 phase train ',"seconds":59'
	event 05 note loaded
	event 41 note loaded
	for i in $(seq 10 39); do event "$i" x "kind$i"; done
} >"$work/e.jsonl"
hw --no-db "$work/e.jsonl"
check "a kind is a type and a name, in the order in which they came" \
	every 'prints "^- Events"' 'prints "^  saved  *warning  *1  *3.0  *3.0$"' 'prints "^  saved  *note  *1  *7.0  *7.0$"' \
	'is "$(sed -n "/- Events/,/^$/p" "$work/out" | sed -n 4p | tr -s " ")" " saved warning 1 3.0 3.0"'
check "many are cut and counted" every 'prints "more; these came first"' '! prints "kind39" >/dev/null' '! prints "Each event" >/dev/null'
hw --no-db -v "$work/e.jsonl"
check "-v has each, and what else its line says" every 'prints "kind39"' 'prints "^- Each event"' \
	'prints "^  saved  *note  *7.0  *{.path.: ./a.}$"'
hw --no-db --since 30 "$work/e.jsonl"
check "of a window those in it" every '! prints "saved" >/dev/null' 'prints "kind35"'
hw --no-db --format html "$work/e.jsonl"
check "a page has them" prints ">Events<"
hw --no-db --metric '*_pct' "$ROOT/testdata/cases/two-gpus-made-up"
check "who asks for a metric is not told of them" every '! prints "checkpoint found" >/dev/null'
sed 's/"type":"x","name":"kind/"type":"recorder","log":"nvidia-smi.csv","gpu":1,"state":"GPU /; s/"GPU 1[0-9]"/"GPU lost"/; s/"GPU [23][0-9]"/"GPU back"/' \
	"$work/e.jsonl" >"$work/r.jsonl"
hw --no-db "$work/r.jsonl"
check "what happened to a recorder is told by its state" every 'prints "^  GPU lost  *recorder  *10  *10.0  *19.0$"' \
	'prints "^  GPU back  *recorder  *20  *20.0  *39.0$"'
hw --no-db "$ROOT/testdata/cases/work-made-up"
check "units of work stand there once" every 'prints "- Units of work"' \
	'! sed -n "/^- Events/,/^- [^E]/p" "$work/out" | grep -w step'
plan
