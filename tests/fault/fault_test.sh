#!/bin/sh
# Shows that hwsummarize survives a world that fails: reads, writes, syncs, opens, closes, renames and
# requests for memory made to fail in turn, a disk that is full, SIGKILL or the loss of power before what
# changes a file.
# Whatever happened: no crash; a result is whole or not there; the database is sound, and
# each run in it as it was before or as it was to be; and the next call gives the right answer, and
# stores what a first one would have stored, as if nothing had been.
# longer: at 500 calls of each kind, not at five
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/fail_io.sh"

program=$BIN/hwsummarize
run=$ROOT/testdata/cases/two-gpus-made-up
late=$ROOT/testdata/broken/late-row.csv
# In memory where that is possible: nothing here is about the speed of a disk.
place=$(mktemp -d -p /dev/shm 2>/dev/null) || place=$work
trap 'umount "$place/disk" 2>/dev/null; rm -rf "$work" "$place"' EXIT
cd "$place" || exit 1
"$program" --no-db --json "$run" "$late" >expected.json || exit 1

ask() { sqlite3 -batch "$1" "$2" 2>&1; }

# aftermath WHAT: the state of things after $status; complaints go to the file `bad`.
aftermath() {
	complaint=
	case $status in
	0)
		# A log that could not be read to its end is damage, which the result has to say.
		cmp -s expected.json result.json || grep -q '"read-error"' result.json ||
			complaint="status 0, and another result"
		;;
	2)
		[ ! -e result.json ] || complaint="status 2, and a result"
		[ -s err ] || complaint="status 2, and no word"
		;;
	3) [ -s err ] || grep -q '"unreadable"' result.json || complaint="status 3, and no word" ;;
	137) [ ! -e result.json ] || cmp -s expected.json result.json || complaint="half a result" ;;
	*) complaint="status $status" ;;
	esac
	if [ -e x.db ]; then
		sound=$(ask x.db 'PRAGMA integrity_check')
		[ "$sound" = ok ] || complaint="$complaint; the database: $sound"
	fi
	rm -f result.json*
	"$program" --db x.db --json -o result.json "$run" "$late" >out 2>err2
	again=$?
	[ $again -eq 0 ] && cmp -s expected.json result.json ||
		complaint="$complaint; the next call: status $again, $(cat err2)"
	[ -z "$complaint" ] || echo "$1: $complaint ($(head -n 1 err))" >>bad
}

# fail NAME CALL ERRNO [all]: one test: the calls in turn.
fail() {
	name=$1 call=$2 number=$3 all=${4:-}
	: >bad
	rm -f x.db*
	LD_PRELOAD=$work/fail_io.so FAIL_CALL=$call FAIL_COUNT=$place/count \
		"$program" --db x.db --json -o result.json "$run" "$late" 2>err
	total=$(cat count)
	for nth in $(some "$total"); do
		rm -f x.db* result.json*
		LD_PRELOAD=$work/fail_io.so FAIL_CALL=$call FAIL_AT=$nth FAIL_ERRNO=$number \
			FAIL_ALL=$all "$program" --db x.db --json -o result.json "$run" "$late" \
			>out 2>err
		status=$?
		aftermath "$call $nth of $total"
	done
	check "$name, of $total" sh -c '[ "$1" -gt 0 ] && [ ! -s bad ] || { cat bad; false; }' - "$total"
}
FAIL_ALL=
if ! preloads; then
	skip "failing calls" "no library can be preloaded"
else
	# The numbers are Linux's: 5 EIO, 13 EACCES, 24 EMFILE, 28 ENOSPC.
	fail "a read that fails" read 5
	fail "a write that fails" write 5
	fail "a full disk from some write on" write 28 all
	fail "a sync that fails" sync 5
	fail "a close that fails" close 5
	fail "a file that can't be opened" open 13
	fail "no descriptors from some open on" open 24 all
	fail "a rename that fails" rename 13
	fail "a little memory that is not there" malloc 12
	fail "no memory from some request on" malloc 12 all
fi

# A recording that takes a while to load, in two states: another time of change, another last row.
mkdir long
rows() {
	awk -v last="$1" 'BEGIN {
		print "timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W]"
		for (s = 0; s < 8000; s++)
			printf "2025/02/03 %02d:%02d:%02d.000, 0, %d %%, %d MiB, %.2f W\n", s / 3600, \
				s / 60 % 60, s % 60, s < 7999 ? s * 7 % 101 : last, 1000 + s % 997, 60 + s % 311 / 7
	}' >long/gpu.csv
	touch -d "@$1" long/gpu.csv
}
run=$place/long
state() { "$PYTHON" -S "$ROOT/tests/fault/state.py" "$@" 2>&1; }
# is_in DB STATE...: equal bytes that were found to be in these states are so again.
is_in() {
	bytes=$(echo "$@" $(cksum "$1" "$1-journal" 2>/dev/null))
	grep -qsxF "$bytes" "$work/judged" && return
	state is "$@" && echo "$bytes" >>"$work/judged"
}
state keep none.db none
for version in 1 2; do
	rows $version
	rm -f x.db*
	"$program" --db x.db --json -o expected$version.json "$run" "$late"
	state keep x.db state$version
	mv x.db clean$version.db
done
# whole WHAT STATE...: the database, or what is left of it, is in one of these states. A copy is
# looked at: the next call is to find what a failed one has left.
whole() {
	what=$1
	shift
	rm -f copy.db*
	for end in '' -journal; do
		[ ! -e x.db$end ] || cp x.db$end copy.db$end
	done
	complaint=$(is_in copy.db "$@") || echo "$what: $complaint" >>bad
}
# again WHAT: the next call puts all right.
again() {
	aftermath "$1"
	complaint=$(is_in x.db state2) || echo "$1, and the next call: $complaint" >>bad
	[ -z "$(ls x.db?* 2>/dev/null)" ] || echo "$1: left" x.db?* >>bad
}
rows 2
cp expected2.json expected.json

# Into a new database, and where the run in one has changed: killed, or without power, so that
# what was not synced is lost, of all files or of one of them alone.
lost='x.db*'
for ending in "kill none" "kill state1" "power none" "power state1" \
	"power state1 x.db" "power state1 x.db-journal"; do
	set -- $ending
	how=$1 before=$2 lost=${3:-$lost}
	[ -e "$work/fail_io.so" ] || { skip "$ending" "no library can be preloaded"; continue; }
	end_at() { # NTH: 0 to count alone
		rm -f x.db* result.json*
		[ $before = none ] || cp clean1.db x.db
		LD_PRELOAD=$work/fail_io.so FAIL_CALL=change FAIL_AT=$1 FAIL_ERRNO=$how FAIL_COUNT=$place/count \
			FAIL_FILES="$place/$lost" FAIL_KEPT=$work \
			"$program" --db "$place/x.db" --json -o result.json "$run" "$late" >out 2>err
		status=$?
	}
	: >bad
	end_at 0
	total=$(cat count)
	for nth in $(some "$total"); do
		end_at "$nth"
		[ $status -eq 137 ] || echo "change $nth of $total: status $status" >>bad
		whole "$how at change $nth of $total" $before state2
		again "$how at change $nth of $total"
	done 2>/dev/null
	check "$how before a change of a file ($lost), of $total, $before" sh -c '[ "$1" -gt 0 ] && [ ! -s bad ] || { cat bad; false; }' - "$total"
done

# A disk that is full indeed: what has no room is answered all the same, with status 3; no room for even
# the database is 2.
fills() { # NAME COMMAND...
	name=$1
	shift
	"$@" >out 2>err
	status=$?
	case $status in
	2) grep -q 'x.db: ' err || echo "$name: $(cat err)" >>bad ;;
	3)
		grep -q 'x.db: .* without being stored$' err && cmp -s expected.json result.json ||
			echo "$name: $(cat err)" >>bad
		;;
	*) echo "$name: status $status" >>bad ;;
	esac
}
disk=$place/disk
mkdir "$disk"
if mount -t tmpfs -o size=16m tmpfs "$disk" 2>/dev/null; then
	: >bad
	for before in none state1; do
		for kib in 16 100 300 500; do
			rm -f x.db* result.json* "$disk"/*
			[ $before = none ] || cp clean1.db "$disk/x.db"
			mount -o "remount,size=$(($(du -k "$disk" | cut -f 1) + kib))k" "$disk"
			fills "room for $kib KiB, $before" \
				"$program" --db "$disk/x.db" --json -o result.json "$run" "$late"
			mount -o "remount,size=16m" "$disk"
			for end in '' -journal; do
				[ ! -e "$disk/x.db$end" ] || mv "$disk/x.db$end" x.db$end
			done
			whole "room for $kib KiB, $before" $before state2
			again "room for $kib KiB, $before"
		done
	done
	umount "$disk"
	check "a small disk that is full in the middle" sh -c 'cat bad; [ ! -s bad ]'
else
	skip "a small disk that is full in the middle" "no file system can be mounted here"
fi
: >bad
for before in none state1; do
	for kib in 64 300 600 900; do
		rm -f x.db* result.json*
		[ $before = none ] || cp clean1.db x.db
		name="files of at most $kib KiB, $before"
		fills "$name" sh -c 'ulimit -f $(($1 * 2)); shift; exec "$@"' - $kib \
			"$program" --db x.db --json -o result.json "$run" "$late"
		whole "$name" $before state2
		again "$name"
	done
done
check "files that may not grow any more" sh -c 'cat bad; [ ! -s bad ]'
plan
