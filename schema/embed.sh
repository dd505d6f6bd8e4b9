#!/bin/sh
# Prints SQL files as rows of a C array of {file name, text}, for the binary to carry.
set -eu
for file in "$@"; do
	printf '{"%s",\n' "${file##*/}"
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$/\\n"/' "$file"
	printf '},\n'
done
