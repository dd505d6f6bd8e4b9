#!/bin/sh
# Shows that findings depend on nothing but the samples, and that the database carries them whole.
. "$(dirname "$0")/../tap.sh"
rm -rf "$work"
exec "$PYTHON" -S "$(dirname "$0")/findings_same.py"
