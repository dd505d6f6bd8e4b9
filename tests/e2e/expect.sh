# What a call of hwsummarize did: conditions on $status, $work/out and $work/err, for `check`
# and `every`. To be sourced instead of tap.sh, which it brings along.
. "$(dirname "$0")/../tap.sh"

is() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; return 1; }; }
lines() { is "$(wc -l <"$work/$1" | tr -d ' ')" "$2" || { cat "$work/$1"; false; }; }
says() { grep -q -- "$1" "$work/err" || { echo "stderr does not say '$1':"; cat "$work/err"; false; }; }
prints() { grep -q -- "$1" "$work/out" || { echo "stdout does not say '$1'"; head -n 5 "$work/out"; false; }; }
silent() { [ ! -s "$work/$1" ] || { echo "std$1 is not empty:"; head -n 5 "$work/$1"; false; }; }
there() { [ -e "$1" ] || { echo "there is no $1"; false; }; }
gone() { [ ! -e "$1" ] || { echo "there is a $1"; ls -l "$1"; false; }; }
exits() { is "$status" "$1" || { cat "$work/err"; false; }; }
every() { # each argument is a command; all are to succeed
	for condition in "$@"; do
		eval "$condition" || { echo "in: $condition"; return 1; }
	done
}
until_so() { # CONDITION: waits for it, at most 20 s
	for _ in $(seq 200); do
		eval "$1" && return
		sleep 0.1
	done
	return 1
}
# Copies of programs, in $reachable: the project may lie where other users can't reach it.
reachable() { # PROGRAM...
	reachable=$work/reachable
	chmod 755 "$work"
	install -d -m 755 "$reachable"
	for program in "$@"; do install -m 755 "$BIN/$program" "$reachable"; done
}
# As somebody who may not write where others may.
if [ "$(id -u)" -ne 0 ]; then
	as_nobody() { "$@"; }
elif command -v setpriv >/dev/null 2>&1; then
	as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
else
	as_nobody() { false; }
fi
