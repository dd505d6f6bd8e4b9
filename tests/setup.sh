#!/bin/sh
# Installs what is missing from Debian's packages: setup.sh build [test]
# Where it may not, it prints the one command and stops.
set -eu

missing= wished=
need() { # package, test command...
	package=$1
	shift
	"$@" >/dev/null 2>&1 || missing="$missing $package"
}
# The build does without it: it is installed with others, or else let be.
wish() {
	package=$1
	shift
	"$@" >/dev/null 2>&1 || wished="$wished $package"
}
has() { command -v "$1"; }
header() { echo "#include <$1>" | ${CC:-cc} -E -x c -; }

for what in "$@"; do
	case $what in
	build)
		need pkg-config has pkg-config
		need libcsv-dev header csv.h
		need libcjson-dev header cjson/cJSON.h
		need libsqlite3-dev header sqlite3.h
		need zlib1g-dev header zlib.h
		wish libzstd-dev header zstd.h
		;;
	test)
		need libcmocka-dev sh -c 'printf "#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <cmocka.h>\n" | ${CC:-cc} -E -x c -'
		need sqlite3 has sqlite3
		need python3 /usr/bin/python3 -c 'import fractions, json, sqlite3'
		need python3-jsonschema /usr/bin/python3 -c 'import jsonschema'
		;;
	esac
done
[ -n "$missing" ] || exit 0

command="apt-get install -y --no-install-recommends$missing$wished"
if ! command -v apt-get >/dev/null 2>&1; then
	echo "missing:$missing (names of Debian's packages); please install them" >&2
	exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
	sudo=
elif sudo -n true 2>/dev/null; then
	sudo='sudo -n'
else
	echo "missing:$missing; please run: sudo $command" >&2
	exit 1
fi
echo "installing:$missing$wished" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
if ! { $sudo apt-get update && $sudo $command; } >"$log" 2>&1 </dev/null; then
	tail -n 20 "$log" >&2
	echo "could not install; please run: sudo apt-get update && sudo $command" >&2
	exit 1
fi
