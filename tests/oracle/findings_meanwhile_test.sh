#!/bin/sh
# Shows that what hosts did in the stretches of a finding, and the phases that these lie in, are what
# an independent computation makes of the logs; and what the text leaves out of it.
. "$(dirname "$0")/../tap.sh"
rm -rf "$work"
exec "$PYTHON" -S "$(dirname "$0")/findings_meanwhile.py"
