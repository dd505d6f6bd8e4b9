#!/bin/sh
# Shows that gpu_tracker's recordings give gpu_tracker's own numbers and text: all 440 of
# its published results, eight choices of units, from CSV and from SQLite.
. "$(dirname "$0")/../tap.sh"
exec "$PYTHON" -S "$(dirname "$0")/tracker.py"
