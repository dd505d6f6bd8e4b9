# What is measured: sourced by bench.sh behind recordings.sh, pairs.sh and contestants.sh. Each
# function here is one or several comparisons, whose names stand in lines.txt.

# fresh DATABASE: there is none
fresh() {
	rm -f "$1" "$1-journal" "$1-wal" "$1-shm"
}

# As many threads as the contestant has.
threads() {
	case $1 in
	*-2) echo 2 ;;
	*) echo 1 ;;
	esac
}
ours_summary() { # of $recording
	time_one "$1" "$2" "$3" "$BIN/hwsummarize" --no-db -j "$(threads "$1")" \
		$(gap_of "$recording") $(runs_of "$recording")
}
ours_load() {
	fresh "$DIR/ours.db"
	time_one "$1" "$2" "$3" "$BIN/hwsummarize" --db "$DIR/ours.db" $(runs_of "$recording")
}
peer_task() { # $task of $peer_name
	time_peer "$1" "$2" "$3" "$peer_name" "$task" $(logs_of "$recording")
}
wc_summary() {
	time_one "$1" "$2" "$3" wc -l $(logs_of "$recording")
}

# numbers_agree NAME: those of the last pair
numbers_agree() {
	database=--no-db
	[ "$task" != load ] || database="--db $DIR/ours.db"
	"$BIN/hwsummarize" $database $(gap_of "$recording") --format csv \
		$(runs_of "$recording") >"$DIR/ours.csv"
	peer_numbers "$peer_name" "$task" >"$DIR/peer.tsv"
	compared=$(awk -f "$HERE/numbers.awk" "$DIR/ours.csv" "$DIR/peer.tsv") ||
		die "$1: the numbers differ: $compared"
	echo "$1 $compared" >>"$AGREE"
}

# against TASK RECORDING PEER [PAIRS]: the comparison TASK-RECORDING-PEER
against() {
	task=$1 recording=$2 peer_name=$3
	name=$task-$recording-$peer_name
	wanted "$name" || return 0
	have_peer "$peer_name" || { skip "$name" "$why" && return 0; }
	have_recording "$recording" || { skip "$name" "$why" && return 0; }
	warm "$recording"
	in_turn "$name" "${4:-$PAIRS}" "ours_$task" peer_task
	numbers_agree "$name"
	for number in $(seq "${4:-$PAIRS}"); do
		time_peer "$name" "$number" start "$peer_name" start $(logs_of "$recording")
	done
	rm -f "$DIR"/peer.* "$DIR/ours.db"
}

# Those that take minutes run once.
summary() {
	for recording_name in file gpu real; do
		against summary "$recording_name" duckdb-1
		against summary "$recording_name" duckdb-2
	done
	for recording_name in file real; do
		against summary "$recording_name" python 1
		against summary "$recording_name" mawk
	done
	recording=file
	wanted summary-file-wc || return 0
	have_recording file && warm file
	in_turn summary-file-wc "$PAIRS" ours_summary wc_summary
}

load() {
	against load gpu duckdb-2
	against load gpu sqlite 1
}

# The same report, whether a run comes from its logs or from the database; bytes a row.
rows() {
	for recording in file gpu; do
		wanted "row-$recording" || continue
		have_recording "$recording"
		fresh "$DIR/ours.db"
		"$BIN/hwsummarize" --db "$DIR/ours.db" $(runs_of "$recording") >/dev/null
		"$BIN/hwsummarize" --db "$DIR/ours.db" --json $(runs_of "$recording") >"$DIR/db.json"
		"$BIN/hwsummarize" --no-db --json $(runs_of "$recording") >"$DIR/no-db.json"
		cmp -s "$DIR/db.json" "$DIR/no-db.json" || die "$recording: the report from the \
database is not the one from the log (see $DIR/*.json)"
		count=$(cat $(logs_of "$recording") | grep -vc '^timestamp')
		echo "row-$recording 1 $(wc -c <"$DIR/ours.db" | awk -v n="$count" '{ print $1 / n }')" \
			>>"$VALUES"
		rm -f "$DIR/ours.db" "$DIR/db.json" "$DIR/no-db.json"
	done
}

# instructions COMMAND...: how many it takes, which other work does not change; fails where
# nothing counts them
instructions() {
	perf stat -x , -o "$DIR/count.txt" -e instructions:u "$@" >/dev/null 2>&1 || :
	awk -F , '/instructions/ && $1 + 0 { print $1; n++ } END { exit !n }' "$DIR/count.txt" && return
	has valgrind || return 1
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
		awk '/Collected/ { print $NF }'
}

# What a row takes: the difference of a long log and its first rows, which are what a run takes.
work() {
	wanted work || return 0
	have_recording tenth
	head -n 81 "$(runs_of tenth)" >"$DIR/few.csv"
	few=$(instructions "$BIN/hwsummarize" --no-db -j 1 "$DIR/few.csv") ||
		{ skip work "neither perf nor valgrind counts instructions" && return 0; }
	all=$(instructions "$BIN/hwsummarize" --no-db -j 1 "$(runs_of tenth)")
	wc -l <"$(runs_of tenth)" | awk -v few="$few" -v all="$all" '{
		print "work-row", 1, (all - few) / ($1 - 81)
		print "work-run", 1, few / 1e6
	}' >>"$VALUES"
	rm -f "$DIR/few.csv" "$DIR/count.txt"
}

# The report of a run that is stored, and the same from its log.
stored_summary() {
	time_one "$1" "$2" "$3" "$BIN/hwsummarize" --db "$DIR/ours.db" "$(runs_of "$recording")"
}
log_summary() {
	time_one "$1" "$2" "$3" "$BIN/hwsummarize" --no-db "$(runs_of "$recording")"
}
stored() {
	for recording in short hour; do
		name=stored-$([ $recording = hour ] && echo hour || echo small)
		wanted "$name" || continue
		have_recording $recording && fresh "$DIR/ours.db"
		"$BIN/hwsummarize" -q --db "$DIR/ours.db" "$(runs_of $recording)" >/dev/null
		in_turn "$name" "$ASK_PAIRS" stored_summary log_summary
		cmp -s "$DIR/ours.out" "$DIR/peer.out" || die "$name: the stored report is another one"
		rm -f "$DIR/ours.db"
	done
}

# Nothing has changed between the first load and the next calls.
again() {
	for recording in gpu runs; do
		name=again-$recording
		wanted "$name" || continue
		have_recording "$recording"
		warm "$recording"
		for pair in $(seq "$PAIRS"); do
			echo "$name: pair $pair of $PAIRS" >&2
			ours_load "$name" "$pair" first
			for format in text json; do
				time_one "$name" "$pair" "$format" "$BIN/hwsummarize" --format "$format" \
					--db "$DIR/ours.db" $(runs_of "$recording")
			done
		done
	done
}

# A run out of many (ours) and out of few (peer): $asked.
ask_report() {
	time_one "$1" "$2" "$3" "$BIN/hwsummarize" --db "$DIR/$3.db" "$asked"
}
ask_window() {
	time_one "$1" "$2" "$3" "$BIN/hwsummarize" --db "$DIR/$3.db" --since 300 --until 900 "$asked"
}
ask_sql() {
	time_one "$1" "$2" "$3" sqlite3 -readonly "$DIR/$3.db" "SELECT t_s, device, gpu_util_pct,
		power_w FROM samples WHERE run = '$key' AND t_s >= 300 AND t_s < 900"
}

# question NAME KIND RUN: both databases give the same answer, and there is one
question() {
	wanted "$1" || return 0
	asked=$3
	if [ "$2" = sql ]; then
		have_peer sqlite || { skip "$1" "$why" && return 0; }
		key=$(sqlite3 "$DIR/ours.db" "SELECT run FROM runs WHERE path LIKE '%$asked'")
	fi
	in_turn "$1" "$ASK_PAIRS" "ask_$2" "ask_$2"
	cmp -s "$DIR/ours.out" "$DIR/peer.out" && [ -s "$DIR/ours.out" ] ||
		die "$1: out of many runs another answer than out of few"
}

ask() {
	wanted ask || return 0
	have_recording small
	warm small
	fresh "$DIR/ours.db"
	fresh "$DIR/peer.db"
	few=$(runs_of small | cut -d ' ' -f 1-"$FEW_RUNS")
	echo "ask: loading $SMALL_RUNS runs" >&2
	time_one ask-load 1 ours "$BIN/hwsummarize" --db "$DIR/ours.db" $(runs_of small)
	echo "ask-size 1 $(wc -c <"$DIR/ours.db" | awk '{ print $1 / 1e6 }')" >>"$VALUES"
	"$BIN/hwsummarize" --db "$DIR/peer.db" $few >/dev/null
	for database in "$DIR/ours.db" "$DIR/peer.db"; do
		"$BIN/hwsummarize" --db "$database" "$SMALL_DIR/hour" >/dev/null
	done
	for kind in report window sql; do
		question "ask-$kind" "$kind" "${few##* }"
		question "ask-hour-$kind" "$kind" "$SMALL_DIR/hour"
	done
	rm -f "$DIR/ours.db" "$DIR/peer.db"
}

# A peak hardly varies.
memory() {
	for recording in tenth file gpu runs day; do
		wanted "memory-$recording" || continue
		have_recording "$recording"
		echo "memory-$recording" >&2
		ours_summary "memory-$recording" 1 ours
		ours_load "memory-$recording-db" 1 ours
	done
}

# All runs (ours) and the half of them (peer), into a fresh database.
load_half() {
	fresh "$DIR/ours.db"
	time_one "$1" "$2" "$3" "$BIN/hwsummarize" --db "$DIR/ours.db" $half
}
twice() {
	wanted twice || return 0
	recording=gpu
	have_recording gpu && warm gpu
	half=$(runs_of gpu | cut -d ' ' -f 1-$((RUNS / 2)))
	in_turn twice "$PAIRS" ours_load load_half
}

# What phases add to a day's recording, a call of many, in processor time: other work does more to
# wall time. That of few calls is what samples cost that are counted in paths at all.
phases() {
	wanted phases || return 0
	have_recording day
	for pair in $(seq "$PAIRS"); do
		echo "phases: $pair of $PAIRS" >&2
		for day in none few many; do
			time_one phases "$pair" "$day" "$BIN/hwsummarize" --no-db "$DAY_DIR/$day"
		done
		tail -n 3 "$TIMES" | awk -v pair="$pair" -v n=$MANY_CALLS '
			{ cpu[NR] = $5 + $6 }
			END {
				print "phases-call", pair, (cpu[3] - cpu[1]) / n * 1e6
				print "phases-share", pair, (cpu[2] - cpu[1]) / cpu[1]
			}' >>"$VALUES"
	done
}

# collect around a command that sleeps, without a GPU: the CPU time of the recording, the memory of
# its process and what it runs (each shared page divided among those that have it), and how late it was.
recorder() {
	wanted recorder || return 0
	rm -rf "$DIR/recorder"
	mkdir -p "$DIR/recorder/path"
	for tool in cat date env grep id ls mkdir mv paste printf readlink rm sed sh sleep tr true uname; do
		ln -s "$(command -v $tool)" "$DIR/recorder/path/$tool" 2>/dev/null || :
	done
	for hz in 1 10 100; do
		interval=$(awk -v hz=$hz 'BEGIN { print 1 / hz }')
		for number in 1 2 3; do
			echo "recorder: $hz Hz, $number of 3" >&2
			place=$(cd "$DIR" && pwd)/recorder/$hz-$number
			PATH=$DIR/recorder/path "$BIN/collect" -i "$interval" -o "$place" -- sh -c 'sleep 10
				for pid in $PPID $(cat /proc/$PPID/task/$PPID/children); do
					[ "$pid" = $$ ] || sed -n "s/^Pss: *//p" "/proc/$pid/smaps_rollup"
				done >"$COLLECT_DIR.kib"' 2>/dev/null
			"$BIN/hwsummarize" --no-db --format csv "$place" | awk -F , -v hz=$hz -v n=$number '
				NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
				$column["metric"] == "recorder_core_pct" { print "recorder-cpu-" hz, n, $column["value"] }
				$column["metric"] == "recorder_late_p99_s" {
					print "recorder-late-" hz, n, $column["value"] * 1e3
				}' >>"$VALUES"
			awk -v hz=$hz -v n=$number '{ kib += $1 }
				END { print "recorder-memory-" hz, n, kib * 1024 / 1e6 }' "$place.kib" >>"$VALUES"
		done
	done
	rm -rf "$DIR/recorder"
}

# add_cpu NAME SECONDS COMMAND...: its CPU time, in $DIR/beside/cpu
add_cpu() {
	name="$1 $2"
	shift 2
	rm -rf "$DIR/beside/log"
	"$DIR/time_run" "$DIR/one.txt" "$@" >/dev/null 2>&1 || die "failed: $*"
	awk -v name="$name" '{ print name, $2 + $3 }' "$DIR/one.txt" >>"$DIR/beside/cpu"
}

# collect and what else records a machine, in turn, once a second, as they know whole seconds. What
# each takes to start is not counted: that of 2 s is taken from that of 22 s.
beside() {
	wanted recorder || return 0
	for peer in sadc atop; do
		wanted "recorder-$peer" || continue
		program=$(PATH=$PATH:/usr/lib/sysstat:/usr/lib/sa command -v $peer) ||
			{ skip "recorder-$peer" "there is no $peer" && continue; }
		for number in 1 2 3; do
			echo "recorder: collect and $peer, $number of 3" >&2
			rm -rf "$DIR/beside"
			mkdir -p "$DIR/beside"
			log=$(cd "$DIR" && pwd)/beside/log
			for seconds in 2 22; do
				add_cpu collect $seconds "$BIN/collect" -i 1 -o "$log" -- sleep $seconds
				case $peer in
				sadc) add_cpu sadc $seconds "$program" -S ALL 1 $((seconds + 1)) "$log" ;;
				atop) add_cpu atop $seconds env ATOPACCT= "$program" -w "$log" 1 $((seconds + 1)) ;;
				esac
			done
			awk -v peer=$peer -v n=$number '{ cpu[$1 $2] = $3 }
				END {
					ours = cpu["collect22"] - cpu["collect2"]
					print "recorder-" peer, n, ours / (cpu[peer 22] - cpu[peer 2])
				}' "$DIR/beside/cpu" >>"$VALUES"
		done
	done
	rm -rf "$DIR/beside"
}
