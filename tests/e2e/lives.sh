# The life of a recording, for tests. To be sourced behind expect.sh.
collect=$BIN/collect
mkdir "$work/path"
for tool in cat date env grep gzip id ls mkdir mkfifo mv paste printf readlink rm sed sh sleep timeout tr true uname; do
	ln -s "$(command -v "$tool")" "$work/path/$tool" 2>/dev/null
done
run() { # collect, with what it says in $work/out and $work/err, and its $status
	PATH=${slow:+$slow:}$work/path "$collect" "$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
}
run_limited() { # the same, ended after 30 s
	PATH=$work/path timeout -s KILL 30 "$collect" "$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
}
slow=
pid_in() { sed -n 's/ .*//p' "$1/collect.pid"; }
end_of() { "$PYTHON" -S -c 'import json, sys; print(json.load(open(sys.argv[1] + "/run.json")).get(sys.argv[2], "none"))' "$@"; }
# How many lines of the run in $work/out are refused.
refused() { "$PYTHON" -S -c '
import json, sys
r = json.load(open(sys.argv[1]))["runs"][0]
print(sum(s["skipped"] for s in r["sources"]))' "$work/out"; }
