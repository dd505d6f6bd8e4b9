#!/bin/sh
# Shows that `compare --format gpu-tracker` prints gpu_tracker's own comparisons, byte for byte,
# and refuses what gpu_tracker refuses; and that it compares the numbers of the single runs.
. "$(dirname "$0")/../tap.sh"
exec "$PYTHON" -S "$(dirname "$0")/tracker_compare.py"
