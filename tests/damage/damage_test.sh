#!/bin/sh
# Shows that damage to any byte of a log costs what it touches and nothing else, and is said:
# every file in logs/, cut after every byte and with every byte replaced, read under ASan and
# UBSan. A further log is a further file there, of a few hundred bytes. damage.c says the
# rules.
. "$(dirname "$0")/../tap.sh"

sanitized damage
"$asan/tests/damage" tests/damage/logs/*
exit $?
