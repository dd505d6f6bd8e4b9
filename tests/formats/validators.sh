# What the tests of formats share: how they call validators, or skip them. To be sourced.
#
#   by_node NAME SCRIPT ARGUMENT...            one test: a script of this folder succeeds
#   refused_by_node NAME SCRIPT ARGUMENT...    one test: it finds a fault
#   refused_by_python NAME SCRIPT ARGUMENT...  the same of a script in Python
#   by_prometheus, refused_by_prometheus NAME REPORT.json TEXT
#   by_xmllint, refused_by_xmllint NAME XML    one test: it is as junit.xsd says, or not
#   fails COMMAND...
. "$(dirname "$0")/../tap.sh"
formats=$ROOT/tests/formats

has_node() {
	command -v node >/dev/null 2>&1 && [ -d "$formats/node_modules" ]
}

# One node for all: it reads jobs from descriptor 8, and answers on 9.
start_node() {
	[ ! -p "$work/jobs" ] || return 0
	mkfifo "$work/jobs" "$work/answers"
	node "$formats/serve.cjs" <"$work/jobs" >"$work/answers" &
	exec 8>"$work/jobs" 9<"$work/answers"
}

# ends STATUS SCRIPT ARGUMENT...: a script ends with it, and prints something unless it is 0
ends() {
	expected=$1
	shift
	{ printf '%s\037' "$@" && echo; } >&8
	read -r node_status <&9 && read -r text <&9 || return 2
	echo "$text"
	[ "$node_status" -eq "$expected" ] && { [ "$expected" -eq 0 ] || [ "$text" != '""' ]; }
}

# node_ends STATUS NAME SCRIPT ARGUMENT...: one test
node_ends() {
	expected=$1 name=$2
	shift 2
	if has_node; then
		start_node
		check "$name" ends "$expected" "$@"
	else
		skip "$name" "node, or what npm installs in tests/formats, is not here"
	fi
}
by_node() { node_ends 0 "$@"; }
refused_by_node() { node_ends 1 "$@"; }

finds_fault() {
	text=$("$PYTHON" "$formats/$1" "$2" 2>"$work/broken")
	[ $? -eq 1 ] && [ -n "$text" ] && [ ! -s "$work/broken" ]
}

refused_by_python() {
	name=$1
	shift
	check "$name" finds_fault "$@"
}

if "$PYTHON" -c 'import prometheus_client.openmetrics.parser' 2>/dev/null; then
	by_prometheus() { check "$1" "$PYTHON" "$formats/openmetrics.py" "$2" "$3"; }
	refused_by_prometheus() { check "$1" fails "$PYTHON" "$formats/openmetrics.py" "$2" "$3"; }
else
	by_prometheus() { skip "$1" "python3-prometheus-client is not here"; }
	refused_by_prometheus() { by_prometheus "$1"; }
fi
fails() { ! "$@"; }
if command -v xmllint >/dev/null 2>&1; then
	by_xmllint() { check "$1" xmllint --noout --schema "$formats/junit.xsd" "$2"; }
	refused_by_xmllint() { check "$1" fails xmllint --noout --schema "$formats/junit.xsd" "$2"; }
else
	by_xmllint() { skip "$1" "xmllint is not here"; }
	refused_by_xmllint() { by_xmllint "$1"; }
fi
