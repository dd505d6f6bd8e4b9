#!/bin/sh
# Shows that calibrax's dialect has the numbers that a plain reading of the raw logs gives.
. "$(dirname "$0")/../tap.sh"
exec "$PYTHON" -S "$(dirname "$0")/calibrax.py"
