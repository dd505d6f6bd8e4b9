# Known loads in a recording, and what the report says of them. To be sourced behind expect.sh;
# skips the whole script where there is no compiler.
collect=$BIN/collect
load=$work/load
if ! ${CC:-cc} -std=c17 -D_GNU_SOURCE -O1 -o "$load" tests/e2e/known-load.c -pthread 2>"$work/err"; then
	skip "known loads give known numbers" "there is no compiler"
	plan
fi
mkdir "$work/path"
for tool in cat date env grep id ls mkdir mv paste printf readlink rm sed setsid sh sleep tr true uname; do
	ln -s "$(command -v "$tool")" "$work/path/$tool" 2>/dev/null
done
run=$work/run
mkdir "$run"

# record NAME [OPTION...] -- COMMAND...: its output in $run/NAME.said. Several may run at once.
record() {
	name=$1
	shift
	PATH=$work/path "$collect" -o "$run/$name" "$@" >"$run/$name.said" 2>"$run/$name.err"
	status=$?
}

# number NAME METRIC DEVICE STATISTIC CONDITION: of the number x, in Python; truth: the words
# that the load said. Each recording is summarized once.
number() {
	if [ ! -e "$run/$1.json" ]; then
		"$BIN/hwsummarize" --no-db --json "$run/$1" >"$work/json" 2>"$work/err" || { cat "$work/err"; return 1; }
		mv "$work/json" "$run/$1.json"
	fi
	"$PYTHON" -S - "$run/$1.json" "$run/$1.said" "$2" "$3" "$4" "$5" <<'END'
import json, sys
report, said, metric, device, statistic, condition = sys.argv[1:]
truth = [float(word) for word in open(said).read().split() if word[0].isdigit()]
rows = [m for m in json.load(open(report))["runs"][0]["metrics"]
        if m["metric"] == metric and m["device"] == device and m["source"] == "process-tree"]
assert len(rows) == 1, rows
x = rows[0][statistic]
near = lambda wanted, tick=0: wanted - max(tick, 0.02 * wanted) <= x <= wanted + max(tick, 0.02 * wanted)
assert eval(condition), "%s of %s of %s is %r; expected %s; truth %r" % (
    statistic, metric, device, x, condition, truth)
END
}
