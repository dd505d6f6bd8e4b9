#!/bin/sh
# Shows that each command has a help of its own: what it is for, examples that run, its ways to be
# called, and all options that it takes, and no other one; that the help of all has every command; that what is no
# command has that; and that none is wider than a terminal.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
loader=$ROOT/testdata/compare/loader
for i in 1 2 3 4 5; do cp -R "$loader/old-$i" "$loader/new-$i" .; done
cp -R old-1 old && cp -R new-1 new && mkdir runs && cp -R old-1 runs/old-1 && cp -R old-2 runs/2025-1 && sed -i s/made-up-old-2/another/ runs/2025-1/run.json && cp old-1/gpu.csv gpu_log.csv
mkdir run && cp old-3/gpu.csv run && sed 's/"load"/"train"/' old-3/events.jsonl >run/events.jsonl
cp "$ROOT/testdata/compare/bounds.json" rules.json
hw --db runs.db -q old-4 old-5 run --label branch=main --label commit=1
hw --db runs.db -q new-3 --label branch=topic
hw --db runs.db -q runs/2025-1
hw --db node-1.db -q old-1

hw --help
cp out program
check "the help of the program fits on a screen" every 'exits 0' 'silent err' '[ "$(wc -l <program)" -le 40 ]'
hw help
check "... help is the same" cmp out program
hw
check "no operand: a short help with three examples, status 2" every 'exits 2' 'silent out' 'is "$(grep -c "^  hwsummarize" err)" 3' '[ "$(wc -l <err)" -le 10 ]'
hw help options
cp out all
commands=$(sed -n 's/^  \([a-z]*\)   *[a-zA-Z].*/\1/p' program)
check "the help of the program has thirteen commands" is "$(echo $commands)" \
	"summary report explain check export compare gate trend sql list forget merge push"
hw help nothing
check "help on what is no command says so" every 'exits 2' 'silent out' "says \"^hwsummarize: no help on 'nothing' (see hwsummarize help)$\""
hw help comapre
check "... and the nearest command" every 'exits 2' 'silent out' 'says "no help on .comapre.; did you mean compare?"'
for command in $commands; do
	hw "$command" --help
	cp out asked
	check "$command --help: how it is called, with which options" every 'exits 0' 'silent err' \
		'is "$(head -n 1 out | cut -d " " -f 1-3)" "usage: hwsummarize $command"' \
		'sed -n "/^      --/p; /^  -/p" out | sed "/^      --format /d; /write to FILE$/d" >given' 'test -s given' '! grep -vxF -f all given'
	for words in "help $command" "$command help" "$command -h"; do
		hw $words
		check "... $words: the same" every 'exits 0' 'cmp out asked'
	done
	awk '/^ *-/ { on = /--format NAME/ } on' asked | sed 's/--format NAME//; s/(default)//; s/ or /, /; s/ or$/,/' | tr -d ' ' | tr ',' '\n' | sed '/^$/d' | sort >said
	hw "$command" --list-formats
	check "... and $command --list-formats names the same formats" is "$(cut -d ' ' -f 1 out | sort | tr '\n' ' ')" "$(tr '\n' ' ' <said)"
	hw "$command" --help
	sed -n 's/^  \(hwsummarize .*[^ ]\)   *[^ ].*/\1/p' out >examples
	check "... has examples" test -s examples
	while read -r line; do
		case $command in push) continue ;; esac # which needs a server
		sh -c "PATH=$BIN:\$PATH; $line" >"$work/out" 2>"$work/err" </dev/null
		status=$?
		check "... $line" every 'test "$status" -ne 2' '! grep "option" err'
	done <examples
done

# What each option may be given, and what a command works on that takes it.
value() { # OPTION
	case $1 in
	db | baseline-db) echo node-1.db ;; output) echo written ;; tz) echo UTC ;; gap | interval | timeout | until) echo 20 ;; since) echo 0 ;;
	columns) echo utilization.gpu ;; map) echo "$ROOT/schema/maps/rocm-smi.json" ;; label | where) echo branch=main ;; device) echo gpu0 ;; metric) echo power_w ;; phase) echo load ;;
	ram-unit | gpu-ram-unit) echo bytes ;; time-unit) echo hours ;; expected-cores | cell | jobs) echo 1 ;; gpus) echo GPU-1 ;;
	level) echo system ;; weights) echo weights.json ;; statistic) echo max ;; rules) echo training ;; by) echo commit ;; paired-by) echo time ;; work) echo step ;;
	dsn) echo postgresql://nobody@127.0.0.1:1/runs ;;
	format) [ "$2" != export ] && echo json || echo csv ;;
	esac
}
operands() { # COMMAND OPTION
	case $1/$2 in
	gate/rules) echo old --selftest ;; gate/selftest | gate/calibrate) echo --rules training old new ;;
	gate/baseline-db | gate/where) echo --rules training --baseline-db runs.db new ;; gate/*) echo --rules training old --vs new ;;
	compare/weights) echo old new ;; compare/statistic) echo --format gpu-tracker a=old b=new ;; compare/baseline-db | compare/where) echo --baseline-db runs.db new ;;
	summary/cell | summary/level | summary/no-idle) echo --format jumper old ;; summary/gpus) echo --format gpu-tracker old ;;
	compare/* | report/vs) echo old --vs new ;; explain/*) echo old power_w ;;
	trend/work) echo units_per_s ;; trend/*) echo power_w ;; merge/*) echo runs.db ;; push/dsn) ;; push/*) echo --dsn "$(value dsn)" ;;
	sql/*) echo SELECT/**/1 ;; forget/where) ;; forget/*) echo nothing ;; list/*) echo old-4 ;; *) echo old ;;
	esac
}
# Prints the options of all that a command does not refuse.
taken() { # COMMAND
	for option in $(names <all | sort); do
		case $option in help | version | list-*) continue ;; esac # of all
		set -- "$1" $(operands "$1" "$option")
		case " $* " in
		*" --$option "*) ;;
		*) set -- "$@" "--$option" $(value "$option" "$1") ;;
		esac
		cp runs.db copy.db
		HWSUMMARIZE_DB=copy.db "$BIN/hwsummarize" "$@" >out 2>err </dev/null
		[ $? -eq 2 ] && grep -qE -- "--($option$([ "$option" != json ] || echo '|format'))([^a-z-]|$)" err || echo "$option"
	done
}
names() { sed -n 's/^  \(-.,\|   \) --\([a-z-]*\).*/\2/p'; }
hw help formats
names <out >tools
for command in $commands; do
	hw "$command" --help
	names <out >helped
	# What other tools' formats take stands in the help on formats alone.
	case $command in summary) cat tools >>helped ;; compare) grep -E '^(gpu-)?ram-unit$|^time-unit$' tools >>helped ;; esac
	taken "$command" >took
	check "$command takes what its help says" every 'test -s helped' 'sort helped | diff - took'
done

# Prints the lines that a terminal of 80 columns would break.
wide() {
	awk 'length > 80' "$@"
}
for command in '' $commands; do
	hw $command --help
	check "hwsummarize${command:+ $command} --help fits into 80 columns" every 'test -s out' 'is "$(wide out)" ""'
done
for program in collect hwsummarize-ci; do
	"$BIN/$program" --help >out 2>err
	check "$program --help, too" every 'test -s out' 'is "$(wide out)" ""'
done

for width in 40 60; do
	for command in '' $commands; do
		"$PYTHON" -S "$ROOT/tests/e2e/on_terminal.py" $width shown "$BIN/hwsummarize" $command --help || continue
		tr -d '\r' <shown >narrow
		check "... on a terminal of $width columns in as many${command:+: $command}" every 'test -s narrow' \
			'is "$(awk -v most="$width" "length > most" narrow)" ""'
	done
done

hw runs/2025-1 --help
check "a run and --help have the help of the program" cmp out program

# Those of collect, which do nothing when asked for it.
"$BIN/collect" --help >collect
examples() { sed '/^usage:/q' "$1" | grep -c "^  collect $2"; }
check "collect's has examples before how it is called" is "$(examples collect "")" 7
"$BIN/collect" strat >out 2>err
check "what is no command of collect has their names" \
	says "^collect: unknown command strat: expected start, stop, status, phase, begin, end or event; or -- before a COMMAND to record$"
for command in start stop status phase begin end event; do
	for option in -h --help; do
		"$BIN/collect" "$command" "$option" >out 2>err
		status=$?
		check "collect $command $option: its own, with examples before how it is called" every 'exits 0' 'silent err' \
			'[ "$(examples out "$command ")" -ge 1 ]' 'grep -Eq "^(usage:|      ) collect $command " out' \
			'is "$(wide out)" ""' 'gone ./--help' 'gone ./-h'
	done
done

# The demo, as `make demo` prints it, and the commands that it says to try.
mkdir demo && ln -s "$ROOT/testdata" demo/testdata && cd demo || exit 1
sh "$ROOT/tests/demo.sh" "$BIN" >../shown 2>&1
check "the demo is one run and three commands, in fewer than 80 lines" every '[ "$(wc -l <../shown)" -lt 80 ]' \
	'grep -q "no GPU was busy for" ../shown' 'is "$(grep -c "^  $BIN/hwsummarize " ../shown)" 3'
grep "^  $BIN/hwsummarize " ../shown >../tries
while read -r try; do
	check "the demo's ${try#"$BIN/"}" sh -c "$try" </dev/null
done <../tries
plan
