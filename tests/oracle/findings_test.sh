#!/bin/sh
# Shows that every rule of schema/findings fires, does not fire and cannot tell where it ought to.
. "$(dirname "$0")/../tap.sh"
rm -rf "$work"
exec "$PYTHON" -S "$(dirname "$0")/findings.py"
