# The recordings that are measured, made once and kept in $DIR: sourced by bench.sh, which sets
# DIR, HERE and BYTES, RUNS, SMALL_RUNS. A made one has its size in its name.
#
#   file    one log of BYTES: 8 GPUs at 1 Hz
#   tenth   a tenth of that
#   runs    RUNS runs of an hour: 8 GPUs at 1 Hz with dmon, 64 CPUs at 1 Hz, phases
#   gpu     of the same runs nothing but the query log
#   small   SMALL_RUNS runs of 20 minutes: 1 GPU every 5 s; hour, beside them, is one as of gpu
#   short   a run as of small; hour: an hour of 4 GPUs at 1 Hz
#   day     a day of 8 GPUs at 1 Hz with no, few and many calls of phases
#   real    a real log, appended to 326 times, where $SHARED has it

TENTH=$((BYTES / 10))
FILE_LOG=$DIR/query-$BYTES.csv
TENTH_LOG=$DIR/query-$TENTH.csv
RUNS_DIR=$DIR/runs-$RUNS
SMALL_DIR=$DIR/small-$SMALL_RUNS
DAY_DIR=$DIR/day
REAL_LOG=${SHARED:-../shared}/data/real/derived/darsh-concat-220k.csv
FEW_CALLS=1000 MANY_CALLS=100000
FIRST_START=1793491200

# whole PATH COMMAND...: the file or folder that COMMAND fills at the path behind its arguments,
# whole or not at all
whole() {
	path=$1
	shift
	[ ! -e "$path" ] || return 0
	echo "generating $path" >&2
	rm -rf "$path.part"
	"$@" "$path.part"
	mv "$path.part" "$path"
}

make_log() {
	"$DIR/generate" query --gpus 8 --interval 1 --bytes "$1" >"$2"
}

make_run() { # GPUS INTERVAL SECONDS
	"$DIR/generate" query --gpus "$1" --interval "$2" --seconds "$3" >"$4"
}

# A run's logs have its number as their seed, and begin an hour after those of the one before.
make_runs() {
	for number in $(seq "$RUNS"); do
		run=$(printf '%s/runs/%04d' "$1" "$number")
		mkdir -p "$run"
		for log in query:nvidia-smi.csv dmon:dmon.log proc-stat:proc-stat.log \
			events:events.jsonl; do
			"$DIR/generate" "${log%%:*}" --gpus 8 --cpus 64 --interval 1 --seconds 3600 \
				--seed "$number" --start $((FIRST_START + 3600 * number)) \
				>"$run/${log#*:}"
		done
		gpu=$(printf '%s/gpu/%04d' "$1" "$number")
		mkdir -p "$gpu"
		ln "$run/nvidia-smi.csv" "$gpu/nvidia-smi.csv"
	done
}

make_small() {
	for number in $(seq "$SMALL_RUNS"); do
		run=$(printf '%s/%05d' "$1" "$number")
		mkdir -p "$run"
		"$DIR/generate" query --gpus 1 --interval 5 --seconds 1200 --seed "$number" \
			--start $((FIRST_START + 1200 * number)) >"$run/nvidia-smi.csv"
	done
	mkdir "$1/hour"
	"$DIR/generate" query --gpus 8 --interval 1 --seconds 3600 >"$1/hour/nvidia-smi.csv"
}

make_day() {
	mkdir -p "$1/none" "$1/few" "$1/many"
	sh "$HERE/calls.sh" $FEW_CALLS >"$1/few/events.jsonl"
	sh "$HERE/calls.sh" $MANY_CALLS >"$1/many/events.jsonl"
	"$DIR/generate" query --gpus 8 --interval 1 --seconds 86400 >"$1/many/nvidia-smi.csv"
	ln "$1/many/nvidia-smi.csv" "$1/few/nvidia-smi.csv"
	ln "$1/many/nvidia-smi.csv" "$1/none/nvidia-smi.csv"
}

# have_recording NAME: makes it; 1 where it can't be had, and $why says so
have_recording() {
	why=
	case $1 in
	file) whole "$FILE_LOG" make_log "$BYTES" ;;
	tenth) whole "$TENTH_LOG" make_log "$TENTH" ;;
	short) whole "$DIR/short.csv" make_run 1 5 1200 ;;
	hour) whole "$DIR/hour.csv" make_run 4 1 3600 ;;
	runs | gpu) whole "$RUNS_DIR" make_runs ;;
	small) whole "$SMALL_DIR" make_small ;;
	day) whole "$DAY_DIR" make_day ;;
	real) [ -e "$REAL_LOG" ] || why="there is no $REAL_LOG" ;;
	esac
	[ -z "$why" ]
}

# logs_of NAME: its query logs, for the contestants; runs_of NAME: the same as operands of ours
logs_of() {
	case $1 in
	gpu) echo "$RUNS_DIR"/gpu/*/nvidia-smi.csv ;;
	small) echo "$SMALL_DIR"/[0-9]*/nvidia-smi.csv ;;
	*) runs_of "$1" ;;
	esac
}
runs_of() {
	case $1 in
	file) echo "$FILE_LOG" ;;
	tenth) echo "$TENTH_LOG" ;;
	short | hour) echo "$DIR/$1.csv" ;;
	runs) echo "$RUNS_DIR"/runs/* ;;
	gpu) echo "$RUNS_DIR"/gpu/* ;;
	small) echo "$SMALL_DIR"/[0-9]* ;;
	day) echo "$DAY_DIR/few" ;;
	real) echo "$REAL_LOG" ;;
	esac
}

# The longest step that is no gap. Of what is generated it is max(3h, h + 2 s) anyway; ours is
# told only of the real log, whose recorder had another interval.
GAP_MS=3000
gap_of() {
	case $1 in
	real) echo --gap $((GAP_MS / 1000)) ;;
	esac
}

# So that nothing has to come from the disk.
warm() {
	find $(runs_of "$1") -type f -exec cat {} + >/dev/null
}
