#!/bin/sh
# Shows that the time in which conditions held is what an independent computation makes of it.
. "$(dirname "$0")/../tap.sh"
rm -rf "$work"
exec "$PYTHON" -S "$(dirname "$0")/findings_while.py"
