# Measures in pairs: sourced by bench.sh, which sets DIR. $TIMES has a line for every run of a
# program: comparison, pair, side (ours, peer, the peer's start, or what lines.txt knows), wall,
# user and system seconds, peak KiB. $VALUES has what is no time: line of the table, number,
# value. $SKIPPED has what could not be measured, and why.

TIMES=$DIR/times.txt
VALUES=$DIR/values.txt
SKIPPED=$DIR/skipped.txt

# skip NAME WHY
skip() {
	echo "bench: $1 is skipped: $2" >&2
	printf '%s\t%s\n' "$1" "$2" >>"$SKIPPED"
}

# wanted NAME: does $ONLY say so? It has lines or groups of them, NAME may be either: the one
# begins with the other, up to a dash. An empty one has everything.
wanted() {
	[ -n "$ONLY" ] || return 0
	for one in $(echo "$ONLY" | tr ',' ' '); do
		case $1- in "$one"-*) return 0 ;; esac
		case $one- in "$1"-*) return 0 ;; esac
	done
	return 1
}

# time_one NAME PAIR SIDE COMMAND...: what it prints is in $DIR/SIDE.out
time_one() {
	side=$3
	line="$1 $2 $3"
	shift 3
	rm -f "$DIR/one.txt"
	"$DIR/time_run" "$DIR/one.txt" "$@" >"$DIR/$side.out" || die "failed: $1 $2 $3 ..."
	echo "$line $(cat "$DIR/one.txt")" >>"$TIMES"
}

# in_turn NAME PAIRS OURS PEER: two functions, each called with NAME, the pair and its side; which
# of them begins takes turns
in_turn() {
	pair=1
	while [ "$pair" -le "$2" ]; do
		echo "$1: pair $pair of $2" >&2
		if [ $((pair % 2)) -eq 1 ]; then
			"$3" "$1" "$pair" ours
			"$4" "$1" "$pair" peer
		else
			"$4" "$1" "$pair" peer
			"$3" "$1" "$pair" ours
		fi
		pair=$((pair + 1))
	done
}
