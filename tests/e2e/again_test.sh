#!/bin/sh
# Shows that a run that is there is answered from the database, a changed one is loaded anew, and one
# that moved, or was packed, is the same run: its number, or at least its labels, stay, and it is not
# there twice; and that another recording takes the place of one with a sentence, and without its labels.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
cases=$ROOT/testdata/cases
log=every-third-second-made-up.csv
load() { hw --db x.db --json "$@" && [ $status -eq 0 ] || cat err; }
ask() { "$BIN/hwsummarize" sql --db x.db --format csv "$1" | sed 1d; }
number() { ask "SELECT run_id FROM runs WHERE path = '$1'"; }
paths() { ask "SELECT path FROM runs ORDER BY path" | tr '\n' ' '; }
labels() { ask "SELECT r.path, value FROM labels l JOIN runs r USING (run_id) WHERE given ORDER BY 1" | tr '\n' ' '; }
# What is stored is what a load into a new database stores, but for labels that were given.
clean() {
	rm -f clean.db
	"$BIN/hwsummarize" --db clean.db -q "$@" >/dev/null 2>&1
	"$PYTHON" -S "$ROOT/tests/db/same_runs.py" x.db clean.db run_label
}

# As it was: the same runs under the same numbers. (Of files that changed a moment ago more is
# remembered a moment later, so bytes may differ.)
as_it_was() { "$PYTHON" -S "$ROOT/tests/db/same_runs.py" x.db before.db &&
	is "$(ask "SELECT run_id, path FROM runs ORDER BY 1")" "$("$BIN/hwsummarize" sql --db before.db \
		--format csv "SELECT run_id, path FROM runs ORDER BY 1" | sed 1d)"; }

# mark PATH...: fresh copies, loaded and labeled.
mark() {
	rm -rf x.db sub m d "$log" other
	mkdir sub
	cp -R "$ROOT/testdata/compare/loader/new-1" m
	cp -R "$cases/work-made-up" d
	cp "$cases/$log" .
	for run in m d "$log"; do
		load "$run" --label "was=$run"
	done
	cp out first
}

# Unchanged ----------------------------------------------------------------------------------------
mark
cp x.db before.db
load m && cp out m1 && load ./m/ && load "$PWD/d" && load d && load "$log"
check "unchanged runs, however they are spelled: nothing changes" as_it_was
for file in m/events.jsonl d/nvidia-smi.csv; do
	was=$(number "${file%/*}")
	touch -d '2001-02-03 04:05:06' $file
	load "${file%/*}"
	check "$file, touched: loaded anew" every '[ "$(number "${file%/*}")" -gt "$was" ]' \
		'is "$(labels)" "d,d $log,$log m,m "' 'clean m d "$log"'
done
was=$(number d)
touch -r d/nvidia-smi.csv stamp
sed -i '2s/./3/' d/nvidia-smi.csv && touch -r stamp d/nvidia-smi.csv
load d
check "a byte changed, with the old time and size: loaded anew" every '[ "$(number d)" -gt "$was" ]' 'clean m d "$log"'
was=$(number d)
cp d/nvidia-smi.csv d/more.csv
load d
check "a file more: loaded anew" every '[ "$(number d)" -gt "$was" ]' 'clean m d "$log"'
was=$(number d)
rm d/more.csv
load d
check "a file less: loaded anew" every '[ "$(number d)" -gt "$was" ]' 'clean m d "$log"'
was=$(number d)
mv d/events.jsonl d/other.jsonl
load d
check "a file renamed: loaded anew" every '[ "$(number d)" -gt "$was" ]' 'clean m d "$log"'

# Moved --------------------------------------------------------------------------------------------
mark
was=$(number m)
mv m sub/m2
load sub/m2
check "a run with an id moved: it is there once, with its labels and its new path" every \
	'is "$(paths)" "d $log sub/m2 "' 'is "$(labels)" "d,d $log,$log sub/m2,m "'
check "... answered from the database" is "$(number sub/m2)" "$was"
sed 's|"path": "m"|"path": "sub/m2"|' m1 >expected
check "... with the same words" sh -c 'sed "s/\"was\": \"m\"//" "$1" >a; sed "s/\"was\": \"m\"//" "$2" >b; diff a b' - expected out
cp x.db before.db
load ./sub/m2
check "... and now it lies there" as_it_was

was=$(number d)
mv d sub/d2
load sub/d2
check "a directory without an id moved: the same" every 'is "$(paths)" "$log sub/d2 sub/m2 "' \
	'is "$(labels)" "$log,$log sub/d2,d sub/m2,m "' 'is "$(number sub/d2)" "$was"' \
	'is "$(ask "SELECT run FROM runs WHERE path = '"'sub/d2'"'")" "$PWD/sub/d2"'
mv "$log" sub/f.csv
load sub/f.csv
check "a single log moved: it is there once, with its labels" every 'is "$(paths)" "sub/d2 sub/f.csv sub/m2 "' \
	'is "$(labels)" "sub/d2,d sub/f.csv,$log sub/m2,m "'
check "all of it as if it were loaded first" clean sub/m2 sub/d2 sub/f.csv
mv sub other
load other/m2 other/d2 other/f.csv
check "several at once" every 'is "$(paths)" "other/d2 other/f.csv other/m2 "' \
	'is "$(labels)" "other/d2,d other/f.csv,$log other/m2,m "' 'clean other/m2 other/d2 other/f.csv'
mkdir sub
cp other/f.csv sub/late.csv && rm other/f.csv && touch -d '2001-02-03 04:05:06' sub/late.csv
load sub/late.csv
check "carried with another time" every 'is "$(labels)" "other/d2,d other/m2,m sub/late.csv,$log "' \
	'clean other/m2 other/d2 sub/late.csv'

# A log that is rotated: what was log.csv is log.csv.1, and a new one begins.
mark
mv "$log" "$log.1" && sed 5q "$log.1" >"$log"
load "$log.1"
load "$log"
check "a rotated log keeps its labels, the new one has none" every 'is "$(paths)" "d $log $log.1 m "' \
	'is "$(labels)" "d,d $log.1,$log m,m "' "clean m d $log $log.1"

# Packed -------------------------------------------------------------------------------------------
# What packs a log is no part of it: its rows are there once, under its last place.
mark
gzip -n "$log"
load "$log.gz"
check "a log that was packed: it is there once, with its labels" every 'is "$(paths)" "d $log.gz m "' \
	'is "$(labels)" "d,d $log.gz,$log m,m "' "clean m d $log.gz"
was=$(number "$log.gz")
load "$log.gz"
check "... and is answered from the database" is "$(number "$log.gz")" "$was"
gzip -dk "$log.gz"
load "$log"
check "unpacked again, beside it: the same" every 'is "$(paths)" "d $log m "' 'is "$(labels)" "d,d $log,$log m,m "' \
	"clean m d $log"
for level in 1 9; do
	gzip -n -$level -c "$log" >sub/$level.gz
	load sub/$level.gz
	check "packed in another folder, level $level: the same, whatever it is called" every 'is "$(paths)" "d m sub/$level.gz "' \
		'is "$(labels)" "d,d m,m sub/$level.gz,$log "'
done
cp -p sub/9.gz sub/copy.gz
load sub/copy.gz
check "a copy, byte by byte, of a packed log is a run of its own" is "$(paths)" "d m sub/9.gz sub/copy.gz "
mark
gzip d/nvidia-smi.csv && mv d sub/d2
load sub/d2
check "a directory that moved and was packed is the same" every 'is "$(paths)" "$log m sub/d2 "' \
	'is "$(labels)" "$log,$log m,m sub/d2,d "' "clean m sub/d2 $log"
mark
gzip m/*
load m
check "one with an id, all of it packed, too" every 'is "$(paths)" "d $log m "' 'is "$(labels)" "d,d $log,$log m,m "' 'clean m d "$log"'
mark
{ sed 5q "$log" && sed -n '6,$s/0 %/1 %/; 6,$p' "$log"; } | gzip >"$log.gz"
load "$log.gz"
check "what differs in one row is another run, packed or not" is "$(paths)" "d $log $log.gz m "
gzip -c "$log" | head -c 350 >"$log.gz"
load "$log.gz"
check "... and so is a packed log that is cut off" is "$(paths)" "d $log $log.gz m "
mark
head -n 12 "$log" >sub/1.csv && { sed 1q "$log" && sed 1,12d "$log"; } >sub/2.csv
load --join sub/1.csv sub/2.csv
gzip sub/1.csv sub/2.csv
load --join sub/1.csv.gz sub/2.csv.gz
check "several logs that are one run, packed: the same" is "$(paths)" "d $log m sub/1.csv.gz sub/2.csv.gz "
# Two runs of equal logs, each labeled: whichever is asked for first, it keeps its own.
mark
rm -f "$log.gz"
cp "$log" twin.csv
load twin.csv --label was=twin
gzip "$log" twin.csv
load twin.csv.gz
load "$log.gz"
check "copies that are packed each stay what they were" every 'is "$(paths)" "d $log.gz m twin.csv.gz "' \
	'is "$(labels)" "d,d $log.gz,$log m,m twin.csv.gz,twin "'
rm -f twin.csv.gz "$log.gz"
# A log that was rotated stays behind the one that goes on, packed or not: cpu-1 stands before cpu.gz.
mark
mkdir sub/r
{ sed 1q d/nvidia-smi.csv && sed 1,20d d/nvidia-smi.csv; } >sub/r/gpu
sed 20q d/nvidia-smi.csv >sub/r/gpu-1
load sub/r
gzip sub/r/* && mv sub/r sub/s
load sub/s
check "names that are in another order when they are packed" is "$(paths)" "d $log m sub/s "

# Not moved ----------------------------------------------------------------------------------------
mark
cp -Rp d sub/d && cp -p "$log" sub
load sub/d "sub/$log"
check "a copy of what has no id is a run of its own" every 'is "$(paths)" "d $log m sub/d sub/$log "' \
	'is "$(labels)" "d,d $log,$log m,m "'
mark
cp "$cases/capture-made-up.txt" d && echo one >d/notes.txt
load d
cp -Rp d sub/d && echo two >>d/notes.txt
load sub/d
check "... also of one that holds a capture, beside notes that changed since" is "$(paths)" "d $log m sub/d "
mark
mv d sub/d && echo '{"ts": 1, "type": "end"}' >>sub/d/events.jsonl
sed -i '$d' "$log" && mv "$log" sub
load sub/d "sub/$log"
check "what moved and changed is another run" every 'is "$(paths)" "d $log m sub/d sub/$log "' \
	'is "$(labels)" "d,d $log,$log m,m "'
mark
mv d/nvidia-smi.csv d/query.csv && mv d sub
load sub/d
check "... also where a file has another name" is "$(paths)" "d $log m sub/d "
mark
: >empty.csv
hw --db x.db empty.csv
check "an empty log is no run" every 'exits 2' 'is "$(paths)" "d $log m "'
mark
mv "$log" sub && mv m sub
cp x.db before.db
hw --no-db -q sub/m "sub/$log"
check "--no-db leaves all as it was" every 'exits 0' 'cmp x.db before.db'
# Another recording at the same path ----------------------------------------------------------------
# recording HOUR SECONDS: one log in ./job, which has no id
recording() {
	mkdir -p job && rm -f job/*
	{
		echo 'timestamp, index, power.draw [W]'
		seq -f "2026/03/01 $1:00:%02.0f.000, 0, 300.00 W" 0 "$2"
	} >job/gpu.csv
}
job_labels() { labels | tr " " "\n" | sed -n s/^job,//p; }
count() { is "$(ask "SELECT count(*) FROM runs WHERE path = 'job'")" 1; }
recording 08 20
hw --db x.db -q job --label commit=a
check "the first one is nothing to speak of" every 'exits 0' 'silent err'
recording 08 40
hw --db x.db -q job
check "a log that grew is the same run, and keeps its label" every 'exits 0' 'silent err' count 'is "$(job_labels)" a'
hw --db x.db -q --tz Asia/Tokyo job
check "... and the same log read otherwise" every 'exits 0' 'silent err' count 'is "$(job_labels)" a'
hw --db x.db -q job
recording 09 20
hw --db x.db -q job
check "one of another time takes its place, which is said, and not its label" every 'exits 0' 'lines err 1' count \
	'says "job: replaces another recording in the database, which began 2026-03-01T08:00:00Z and had the same path; a run.json with a run_id"' \
	'is "$(job_labels)" ""'
hw --db x.db -q job
check "... once" every 'exits 0' 'silent err'
# The same with an id, which somebody copied with the run.json of another recording: its times are
# those of its rows, as it has none of its own.
recording 08 20
echo '{"format_version": "1.0", "run_id": "job"}' >job/run.json
hw --db y.db -q job --label commit=a
cp -r job moved
hw --db y.db -q moved
check "a copy is the same run, and keeps its label" every 'exits 0' 'silent err' \
	'is "$(sqlite3 y.db "SELECT path, value FROM run JOIN run_label USING (run_id)")" "moved|a"'
# Copies of it are one run in several places, whatever times their files have.
cp -rp job twin && touch -d '2001-02-03 04:05:06' twin/gpu.csv
was=$(sqlite3 y.db "SELECT run_id FROM run")
by_turns() {
	for run in job twin job moved twin job; do
		hw --db y.db --json $run
		every 'exits 0' 'silent err' 'is "$(sqlite3 y.db "SELECT run_id, path FROM run")" "$was|$run"' \
			"grep -q '\"path\": \"$run\"' out" || return 1
	done
}
check "copies by turns: none is loaded again, and each is told by its own name" by_turns
hw --db y.db -q job moved twin
check "... and in one call" every 'exits 0' 'silent err' 'is "$(sqlite3 y.db "SELECT run_id FROM run")" "$was"'
mkdir large other_large
{ echo 'timestamp, index, power.draw [W]' && seq -f '2026/03/01 08:00:00.%06.0f, 0, 300.00 W' 0 9999; } >large/gpu.csv
sed '5000s/300/299/' large/gpu.csv >other_large/gpu.csv
echo '{"format_version": "1.0", "run_id": "large"}' | tee large/run.json >other_large/run.json
hw --db y.db -q large other_large
check "what differs in one byte in the middle is no copy, which is said" every 'exits 0' 'lines err 1' \
	'says "^hwsummarize: other_large: replaces large in the database, because both have the same run id$"'
was=$(sqlite3 y.db "SELECT run_id FROM run WHERE run_key = 'large'")
hw --db y.db -q large
check "... and loaded" every 'exits 0' '[ "$(sqlite3 y.db "SELECT run_id FROM run WHERE run_key = '"'large'"'")" -gt "$was" ]'
rm -rf large other_large && "$BIN/hwsummarize" forget --db y.db large >/dev/null

recording 09 20
cp moved/run.json job
hw --db y.db -q job
check "another recording with the id of one takes its place, which is said, and not its label" every 'exits 0' \
	'lines err 1' 'is "$(sqlite3 y.db "SELECT count(*), (SELECT count(*) FROM run_label) FROM run")" "1|0"' \
	'says "job: replaces another recording in the database, which began 2026-03-01T08:00:00Z and has the same run_id"'

# A damaged row of a run, in a recording that has grown since: the load replaces the run.
mkdir grown
echo '{"format_version": "1.0", "run_id": "grown"}' >grown/run.json
grow() { { echo 'timestamp, index, power.draw [W]' && seq -f '2026/03/01 08:00:%02.0f, 0, 300.00 W' 0 "$1"; } >grown/gpu.csv; }
grow 20
hw --db z.db -q grown --label commit=a
grow 40
for change in "source_file SET path = 'x'" "device SET model = 'x'" "run SET duration_s = 1"; do
	cp z.db damaged.db
	sqlite3 damaged.db "UPDATE $change"
	hw --db damaged.db -q grown
	check "a damaged row (${change%% *}) is replaced, which is said; the label stays" every 'exits 0' 'lines err 1' \
		'says "grown: loaded again, because rows of it in the database were damaged"' \
		'is "$(sqlite3 damaged.db "SELECT round(duration_s), value FROM run JOIN run_label USING (run_id)")" "40.0|a"'
	hw --db damaged.db -q grown
	check "... once" every 'exits 0' 'silent err'
done
plan
