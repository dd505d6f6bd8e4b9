#!/bin/sh
# Shows that JUmPER's recordings give JUmPER's numbers, tags and text, by a plain reading of them.
. "$(dirname "$0")/../tap.sh"
exec "$PYTHON" -S "$(dirname "$0")/jumper.py"
