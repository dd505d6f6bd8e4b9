#!/bin/sh
# Shows that damage to any byte of a log costs what it touches and nothing else, and is said:
# every file in logs/, cut after every byte and with every byte replaced. A further log is a
# further file there, of a few hundred bytes. damage.c says the rules.
# longer: under ASan and UBSan
. "$(dirname "$0")/../tap.sh"

if [ -n "${LONG-}" ]; then
	sanitized damage
else
	asan=$BUILD
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s BUILD="$BUILD" damage || exit 1
fi
"$asan/tests/damage" tests/damage/logs/*
exit $?
