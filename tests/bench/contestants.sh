# Who else would do the work, and how each is called: sourced by bench.sh, which sets DIR, HERE.
# What each of them computes, and leaves out, is said in README.md.

PYTHON=${PYTHON:-/usr/bin/python3}
has() { command -v "$1" >/dev/null 2>&1; }

# Into the benchmark's own folder, once; what failed is not tried again.
duckdb_failed=
install_duckdb() {
	[ -z "$duckdb_failed" ] || return 1
	mkdir -p "$DIR/duckdb"
	cp "$HERE"/contestants/package*.json "$HERE/contestants/duckdb.mjs" "$DIR/duckdb"
	[ ! -e "$DIR/duckdb/installed" ] ||
		! cmp -s "$DIR/duckdb/installed" "$DIR/duckdb/package-lock.json" || return 0
	echo "installing DuckDB into $DIR/duckdb" >&2
	duckdb_failed=yes
	has npm || return 1
	(cd "$DIR/duckdb" && npm ci --ignore-scripts --no-audit --no-fund) >"$DIR/npm.log" 2>&1 \
		</dev/null || return 1
	duckdb_failed=
	cp "$DIR/duckdb/package-lock.json" "$DIR/duckdb/installed"
}

# have_peer PEER: 1 where it can't be had, and $why says so
have_peer() {
	why=
	case $1 in
	duckdb-*)
		has node && install_duckdb || why='DuckDB could not be had from npm' ;;
	python) has "$PYTHON" || why="there is no $PYTHON" ;;
	mawk) has mawk || why='there is no mawk' ;;
	sqlite) has sqlite3 || why='there is no sqlite3 shell' ;;
	esac
	[ -z "$why" ]
}

# version_of PEER
version_of() {
	case $1 in
	duckdb) sed -n 's/.*"@duckdb\/node-api": "\(.*\)"/\1/p' "$HERE/contestants/package.json" ;;
	python) "$PYTHON" --version | cut -d ' ' -f 2 ;;
	mawk) mawk -W version 2>&1 | sed -n '1s/^mawk \([^ ,]*\).*/\1/p' ;;
	sqlite) sqlite3 --version | cut -d ' ' -f 1 ;;
	esac
}

# What is written before the clock runs, and what a load leaves is removed.
prepare_peer() { # PEER LOG...
	peer=$1
	shift
	rm -rf "$DIR/peer.db" "$DIR/peer.duckdb" "$DIR/peer.duckdb.wal"
	case $peer in
	mawk) sh "$HERE/contestants/mawk.sh" "$1" >"$DIR/peer.awk" ;;
	sqlite) sh "$HERE/contestants/sqlite.sh" "$GAP_MS" "$@" >"$DIR/peer.sql" ;;
	esac
}

# time_peer NAME PAIR SIDE PEER TASK LOG...: TASK is start (nothing but that), summary or load
time_peer() {
	name=$1 pair=$2 side=$3 peer=$4 task=$5
	shift 5
	prepare_peer "$peer" "$@"
	[ "$task" != start ] || set --
	case $peer in
	duckdb-*)
		database=:memory:
		[ "$task" != load ] || database=$DIR/peer.duckdb
		set -- node "$DIR/duckdb/duckdb.mjs" "$task" "${peer#duckdb-}" "$database" \
			"$GAP_MS" "$@"
		;;
	python) set -- "$PYTHON" "$HERE/contestants/loop.py" "$GAP_MS" "$@" ;;
	mawk) set -- mawk -v gap_ms="$GAP_MS" -f "$DIR/peer.awk" "${@:-/dev/null}" ;;
	sqlite)
		[ "$task" = start ] && set -- 'SELECT 1' || set -- ".read '$DIR/peer.sql'"
		set -- sqlite3 -tabs "$DIR/peer.db" "$@"
		;;
	esac
	time_one "$name" "$pair" "$side" "$@"
}

# peer_numbers PEER: those of its last run, printed by the run or in the table that it left
peer_numbers() {
	case $1:$2 in
	duckdb-*:load)
		node "$DIR/duckdb/duckdb.mjs" stored "${1#duckdb-}" "$DIR/peer.duckdb" "$GAP_MS" ;;
	*) cat "$DIR/peer.out" ;;
	esac
}
