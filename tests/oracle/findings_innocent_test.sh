#!/bin/sh
# Shows that recordings with nothing wrong are accused of nothing.
. "$(dirname "$0")/../tap.sh"
rm -rf "$work"
exec "$PYTHON" -S "$(dirname "$0")/findings_innocent.py"
