#!/bin/sh
# Shows that tables of wrapper scripts are read by the words of their header where one reading fits,
# that explain names the cells, and that the rest is refused with a line to complete.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
cases=$ROOT/testdata/cases

# of EXPRESSION: what Python makes of the output, o.
of() {
	"$PYTHON" -c 'import json, sys
o = json.load(open("out"))
print(eval(sys.argv[1]))' "$1"
}

# Each GPU has its columns: cell 7 is the power of gpu1. By hand: 200 - i/4 W for i = 0 .. 19, mean 197.625 W.
hw explain --json "$cases/wrapper-wide-made-up.csv" power_w --device gpu1
mean=$(awk -F , -v cell="$(of 'o["series"][0]["origin"]["cell"]')" 'NR > 1 { sum += $cell; n++ } END { printf "%.12g", sum / n }' \
	"$cases/wrapper-wide-made-up.csv")
check "a column a GPU: awk over the cell that explain names gives the mean" every 'exits 0' \
	'is "$(of "o[\"series\"][0][\"origin\"][\"cell\"]")" 7' 'is "$mean" 197.625' \
	'is "$(of "o[\"series\"][0][\"statistics\"][\"mean_samples\"]")" 197.625'

hw --no-db --json "$cases/wrapper-words-made-up.csv"
check "two GPUs by an id in each row, with decimal commas and the day first" every 'exits 0' \
	'is "$(of "[g[\"gpu_util_max_pct\"] for g in o[\"runs\"][0][\"gpus\"]]")" "[42.5, 92.5]"' \
	'is "$(of "o[\"runs\"][0][\"duration_s\"]")" 19'

hw --no-db -v "$cases/wrapper-words-made-up.csv"
tr -s '\n ' ' ' <out >words
check "what is read as what, and what is not used" every \
	'grep -q "utilization.gpu \[%\] from GPU Load (%)" words' 'grep -q "not used: note" words'

# What --columns names needs no header, wherever that stands.
cat >own.csv <<END
# by hand
when, load of it, watts there
2026-03-13 10:00:00, 3, 100
2026-03-13 10:00:01, 4, 101
when, load of it, watts there
2026-03-13 10:00:02, 5, 102
END
hw check --columns timestamp,utilization.gpu,power.draw own.csv
check "a header that --columns replaces is no damage" exits 0
hw --no-db --json --columns 'timestamp,utilization.gpu@3,power.draw@3 [W]' own.csv
check "--columns names the GPU of a column" every 'exits 0' \
	'is "$(of "[(g[\"index\"], g[\"power_mean_w\"]) for g in o[\"runs\"][0][\"gpus\"]]")" "[(3, 101)]"'

printf 'when,gpu temp,gpu mood\nnoon,40,3\nnight,41,4\n' >part.csv
hw --no-db --columns '?,temperature.gpu,?' part.csv
check "what is named is read" exits 0
printf 'when,gpu temp of all,gpu mood,gpu temp\nnoon,40,3,400\nnight,41,4,410\n' >open.csv
hw --no-db open.csv
check "what is not understood is refused with a line to complete" every 'exits 2' \
	"says \"--columns '?,?,?,temperature.gpu'\"" "says \"its header is 'when,gpu temp of all\""
printf 'time,gpu util,power\n2026-03-13 10:00:00,3,4,5\n2026-03-13 10:00:01,3,4,5\n' >long.csv
hw --no-db long.csv
check "rows that are longer than their header are refused as such" every 'exits 2' \
	'says "a header of 3 names above rows of 4 fields"'

plan
