#!/bin/sh
# Installs what is missing from Debian's packages: setup.sh build [test]
# Where it may not, it prints the one command and stops.
#
# setup.sh validators: the programs that judge the output formats and what is packaged, some of them
# from npm. What can't be had is said; the tests that want it say that they are skipped.
# setup.sh coverage: what make coverage needs.
# setup.sh pictures: likewise, what makes pictures smaller, and pictures of sheets.
set -eu

missing= wished= lenient=
log=$(mktemp)
trap 'rm -f "$log"' EXIT
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
say() { echo "$1" >&2; }

# install PACKAGE...: 1, and one sentence, where that can't be.
install() {
	[ $# -gt 0 ] || return 0
	command="apt-get install -y --no-install-recommends $*"
	if ! has apt-get >/dev/null; then
		say "missing: $* (names of Debian's packages); please install them"
		return 1
	fi
	if [ "$(id -u)" -eq 0 ]; then
		sudo=
	elif sudo -n true 2>/dev/null; then
		sudo='sudo -n'
	else
		say "missing: $*; please run: sudo $command"
		return 1
	fi
	say "installing: $*"
	export DEBIAN_FRONTEND=noninteractive
	if ! { $sudo apt-get update && $sudo $command; } >"$log" 2>&1 </dev/null; then
		tail -n 20 "$log" >&2
		say "could not install; please run: sudo apt-get update && sudo $command"
		return 1
	fi
}

# What tests/formats/package-lock.json names, where it is not there yet.
install_from_npm() {
	cd "$(dirname "$0")/formats"
	[ ! node_modules/.package-lock.json -nt package-lock.json ] || return 0
	say "installing: tests/formats/node_modules"
	npm ci --include=dev --ignore-scripts --no-audit --no-fund >"$log" 2>&1 </dev/null ||
		say "npm could not install it: $(tail -n 1 "$log")"
}

for what in "$@"; do
	case $what in
	build)
		need pkg-config has pkg-config
		need libcsv-dev header csv.h
		need libcjson-dev header cjson/cJSON.h
		need libsqlite3-dev header sqlite3.h
		need zlib1g-dev header zlib.h
		wish libzstd-dev header zstd.h
		wish libpq-dev pkg-config --exists libpq
		;;
	test)
		need libcmocka-dev sh -c 'printf "#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <cmocka.h>\n" | ${CC:-cc} -E -x c -'
		need sqlite3 has sqlite3
		need python3 /usr/bin/python3 -c 'import fractions, json, sqlite3'
		need python3-jsonschema /usr/bin/python3 -c 'import jsonschema'
		;;
	validators)
		lenient=yes
		need python3-prometheus-client /usr/bin/python3 -c 'import prometheus_client'
		need python3-yaml /usr/bin/python3 -c 'import yaml'
		need shellcheck has shellcheck
		need mandoc has mandoc
		need zsh has zsh
		need chromium has chromium
		need tmux has tmux
		need unzip has unzip
		need miller has mlr
		need jq has jq
		need postgresql sh -c 'ls /usr/lib/postgresql/*/bin/initdb'
		need libxml2-utils has xmllint
		need dpkg-dev has dpkg-buildpackage
		need debhelper has dh
		need lintian has lintian
		need nodejs has node
		need npm has npm
		;;
	coverage)
		need gcovr has gcovr
		;;
	pictures)
		lenient=yes
		need pngquant has pngquant
		need poppler-utils has pdftoppm
		;;
	esac
done
if [ -n "$lenient" ]; then
	install $missing || :
	install_from_npm
elif [ -n "$missing" ]; then
	install $missing $wished
fi
