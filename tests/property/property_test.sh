#!/bin/sh
# Shows that what ought not to matter does not: the order of columns, units in the values,
# repeated headers, a log cut in two files, encoding and compression, loading twice, the
# database in between, other runs in the same call; and that all formats and the database
# carry the same numbers. The work is done by property.py beside this script.
# longer: a recording of 43,000 rows, and every option with every recording
. "$(dirname "$0")/../tap.sh"
rm -rf "$work"
exec "$PYTHON" -S tests/property/property.py
