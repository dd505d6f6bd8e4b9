#!/bin/sh
# Shows that the numbers in findings_by_hand.md are what its lines print, and what the program says
# of the same recordings.
. "$(dirname "$0")/../tap.sh"
readme=$(dirname "$0")/findings_by_hand.md
real=$SHARED/data/real/query

if [ ! -d "$real" ]; then
	skip "findings followed by hand" "the recordings are not here"
	plan
fi

# The indented lines, two by two: a command and what it prints.
awk '/^## / { on = $0 ~ /by hand/ } on && /^\t/ { print substr($0, 2) }' "$readme" >"$work/lines"
eval "$(sed -n 1p "$work/lines")"
export T
sed 1d "$work/lines" >"$work/pairs"
while IFS= read -r command && IFS= read -r expected; do
	printf '%s\n' "$expected" >"$work/expected"
	(cd "$real" && eval "$command") >"$work/actual" 2>&1
	same "$(expr "$command" : '.* \([a-z0-9A-Z-]*\.csv\)')" "$work/expected" "$work/actual"
done <"$work/pairs"

# The sentences in quotes, under the heading that names the file.
"$PYTHON" -S - "$readme" "$BIN/hwsummarize" "$real" >"$work/untold" 2>&1 <<'PY'
import json, re, subprocess, sys
readme, program, real = sys.argv[1:]
by_hand = open(readme).read().split("## Followed by hand")[1].split("\n## ")[0]
for part in by_hand.split("\n### ")[1:]:
    name = re.search(r"`(.*?)`", part).group(1)
    run = json.loads(subprocess.run([program, "--no-db", "--json", real + "/" + name], stdout=subprocess.PIPE).stdout)["runs"][0]
    said = [f["message"] for f in run["findings"]]
    quoted = re.findall(r'"([^"]{20,})"', part.split("\n\t")[0])
    for sentence in quoted or ["nothing"]:
        if not any(s.startswith(sentence) for s in said):
            print("%s: %s" % (name, sentence))
PY
check "the program says so of them" sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/untold"
plan
