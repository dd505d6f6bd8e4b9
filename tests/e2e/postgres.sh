# A PostgreSQL of Debian's packages, in a directory of its own below $work, reached by a socket there
# alone. To be sourced behind expect.sh; skips the whole script where there is none.
#
#   start NAME            makes and starts a server, and the database `runs` in it
#   stop NAME [MODE]      stops it: fast, or immediate as a crash does; again NAME starts it again
#   on NAME QUERY         what psql prints, without ornament
#   dsn NAME [USER]       where it is, for push

pg_bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -x "$pg_bin/initdb" ] || pg_bin=$(dirname "$(command -v initdb 2>/dev/null || echo none)")
if [ ! -x "$pg_bin/initdb" ] || ! command -v psql >/dev/null; then
	skip "push" "PostgreSQL (postgresql) is not here"
	plan
fi
if "$BIN/hwsummarize" push --dsn postgresql:///x --db "$work/none.db" 2>&1 | grep -q 'without libpq' ||
	! pkg-config --exists libpq; then
	skip "push" "hwsummarize was built without libpq"
	plan
fi
PATH=$pg_bin:$PATH # Debian's psql is a script that looks for this one
unset PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGSERVICE PGOPTIONS PGSSLMODE
PGCONNECT_TIMEOUT=30 PGPASSFILE=$work/none
export PATH PGCONNECT_TIMEOUT PGPASSFILE

# The server refuses to be root's.
pg_user=$(id -un)
if [ "$(id -u)" -eq 0 ]; then
	pg_user=postgres
	id postgres >/dev/null 2>&1 || pg_user=nobody
	chmod 711 "$work"
fi
as_server() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid="$pg_user" --regid="$(id -g "$pg_user")" --clear-groups "$@"
	else
		"$@"
	fi
}
pg_servers=
trap 'for pg in $pg_servers; do stop "$pg" immediate; done >/dev/null 2>&1; rm -rf "$work"' EXIT

start() {
	mkdir "$work/$1" && chown "$pg_user" "$work/$1"
	pg_servers="$pg_servers $1"
	{
		as_server "$pg_bin/initdb" -D "$work/$1/data" -U owner -A trust -N -E UTF8 --locale=C &&
			{ echo "local all locked scram-sha-256"; cat "$work/$1/data/pg_hba.conf"; } >"$work/hba" &&
			cat "$work/hba" >"$work/$1/data/pg_hba.conf" && again "$1" &&
			psql -h "$work/$1" -U owner -d postgres -c "CREATE DATABASE runs"
	} >"$work/$1.log" 2>&1 || {
		not_ok "a PostgreSQL server" "$(tail -n 20 "$work/$1.log")"
		plan
	}
}
again() {
	(cd / && as_server "$pg_bin/pg_ctl" -D "$work/$1/data" -w -l "$work/$1/messages" \
		-o "-k '$work/$1' -c listen_addresses='' -c fsync=off -c max_connections=40" start)
}
stop() {
	(cd / && as_server "$pg_bin/pg_ctl" -D "$work/$1/data" -w -m "${2:-fast}" stop)
}
on() { psql -h "$work/$1" -U owner -d "${3:-runs}" -AtXq -v ON_ERROR_STOP=1 -c "$2" 2>&1; }
dsn() { echo "postgresql://${2:-owner}@/runs?host=$work/$1"; }
