#!/bin/sh
# Shows that what a report leaves out is said: findings that others say, rules that can't be judged, remarks,
# pictures of very many runs, the utilization of a GPU that is divided; and that a page, whose readers can
# pass no option, has it where it can be unfolded.
. "$(dirname "$0")/expect.sh"

cd "$ROOT" || exit 1
page() { # with plain blanks
	hw --no-db --format html "$@"
	sed -i 's/\xc2\xa0/ /g' "$work/out"
}
no_options() { ! grep -oE '.{60}\((-v|--calls)[ )].{20}' "$work/out"; }
# folded SUMMARY WORDS: they stand in what is folded under the summary
folded() {
	"$PYTHON" -S - "$work/out" "$@" <<'P'
import re
import sys
page = open(sys.argv[1], encoding="utf-8").read()
parts = re.findall(r'<details class="more"><summary>([^<]*)</summary>\n(.*?)</details>', page, re.S)
print([part[0] for part in parts])
sys.exit(not any(part[0] == sys.argv[2] and sys.argv[3] in part[1] for part in parts))
P
}

hw --no-db testdata/cases/waits-made-up
check "findings that another one says are counted" \
	prints "3 related findings hidden"
hw --no-db -v testdata/cases/waits-made-up
check "... and -v shows them" every 'is "$(grep -c "was idle with memory allocated" "$work/out")" 2' '! prints "related" >/dev/null'
page testdata/cases/waits-made-up
check "a page has them folded, and speaks of no option" every no_options \
	'folded "Related findings" "gpu0 was idle with memory allocated"' \
	'folded "Checks that could not run" "not checked: A GPU is slower than the others (no log has"'
page testdata/broken/back-a-second.csv
check "... and remarks" every no_options 'prints "1 remark<"' 'folded "Which" "<code>"'
for i in $(seq 1 30); do echo '{"ts":"2026-03-14T09:00:'"$((i + 10))"'Z","type":"phase","name":"p'$i'","seconds":1}'; done >"$work/e.jsonl"
page "$work/e.jsonl"
check "... of long lists, too" every no_options 'prints "and 11 more; these are the longest<"'
hw --no-db "$work/e.jsonl"
check "... where the text says which option shows them" prints "these are the longest (--calls shows all)"

{
	echo "timestamp, index, utilization.gpu [%], mig.mode.current"
	for i in 0 1 2 3 4 5 6 7; do
		echo "2026/03/14 09:00:0$i.000, 0, [N/A], Enabled"
		echo "2026/03/14 09:00:0$i.000, 1, 40 %, Disabled"
	done
} >"$work/mig.csv"
hw --no-db "$work/mig.csv"
check "a divided GPU has no utilization, and why" prints "MIG  *of gpu0 is enabled: nvidia-smi does not say how busy"
hw --no-db --device gpu1 "$work/mig.csv"
check "... which is said of no other" every '! prints "MIG" >/dev/null' 'prints "gpu1\|1 GPU"'

seq 0 50 | while read -r i; do
	printf 'timestamp, index, utilization.gpu [%%]\n2026/03/14 09:00:00.000, 0, 5 %%\n2026/03/14 09:00:01.000, 0, %d %%\n2026/03/14 09:00:02.000, 0, 7 %%\n' "$i" >"$work/many-$i.csv"
done
page "$work"/many-*.csv
check "of 51 runs the first 50 are drawn, which is said" every 'prints "1 run is not drawn: only the first 50 are"' 'prints "Over time"'
rm "$work/many-0.csv"
page "$work"/many-*.csv
check "... of 50 all" every '! prints "not drawn" >/dev/null' 'prints "Over time"'
# hot GPUS: 24 stretches of 10 s each in which they are held down by heat
hot() {
	awk -v gpus="$1" 'BEGIN {
		print "timestamp, index, utilization.gpu [%], clocks.sm [MHz], clocks_event_reasons.active"
		for (t = 0; t < 480; t++)
			for (gpu = 0; gpu < gpus; gpu++)
				printf "2026/03/14 09:%02d:%02d.000, %d, 90 %%, %d MHz, 0x%x\n", t / 60, t % 60, gpu,
					t % 20 < 10 ? 800 : 1800, t % 20 < 10 ? 32 : 0
	}' >"$work/hot.csv"
	hw --no-db -v "$work/hot.csv"
}
stretches() { grep -c "^ *- at .* for 10\.0 s" "$work/out"; }
hot 1
check "-v has twenty stretches of a finding, and how many there are more" every 'is "$(stretches)" 20' 'prints "and 4 more"'
hot 5
check "... of all GPUs of which it is told" every 'is "$(stretches)" 20' 'is "$(grep -c "and 20 more" "$work/out")" 5'
hot 8
check "... but three of each" every 'is "$(stretches)" 24' 'is "$(grep -c "and 21 more" "$work/out")" 8'
plan
