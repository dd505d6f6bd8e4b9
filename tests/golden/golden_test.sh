#!/bin/sh
# Shows that the printed results are the expected ones, byte for byte. Every JSON among them
# is checked against schema/report.schema.json or check.schema.json too.
#
#   runs/, cases/     each format, for testdata/runs and for the invented testdata/cases
#   pytyche/CASE.*    pytyche's dialect, and the exact numbers as CSV, for testdata/cases/pytyche-*
#                     and for the cases of data/peers/pytyche in SHARED; CASE.why says how the
#                     numbers come about, and where they differ from pytyche's own, why
#   calibrax/CASE.*   calibrax's dialect, and jumper/CASE.* JUmPER's, as JSON and as text
#   gpu_tracker/CASE.* gpu_tracker's dialect, as JSON and as text, the same from CSV and SQLite; and its
#                     comparisons
#   compare/NAME.*    comparisons of our own; their JSON follows schema/comparison.schema.json
#   gate/NAME.*       gates, calibrations, self-tests, with their exit status
#   trend/NAME.*      trends of the same runs; their JSON follows schema/trend.schema.json
#   broken/WOUND.txt  exit status (and that of --strict), standard error, and what the report
#                     says about damage, for each file in testdata/broken
#   check/NAME.*      what `check` says
#   pages/NAME.*      the formats for jobs and dashboards, of one run and of two
#
# UPDATE_GOLDEN=1 rewrites the expected outputs; the diff is the review.
. "$(dirname "$0")/../tap.sh"
here=$ROOT/tests/golden
peers=$SHARED/data/peers/pytyche/cases
mkdir "$work/json"

# golden NAME: $work/actual is what tests/golden/NAME expects.
golden() {
	echo "$1" >>"$work/known"
	if [ -n "${UPDATE_GOLDEN:-}" ]; then
		mkdir -p "$(dirname "$here/$1")"
		cmp -s "$work/actual" "$here/$1" || cp "$work/actual" "$here/$1"
	fi
	if [ -f "$here/$1" ]; then
		same "$1" "$here/$1" "$work/actual"
	else
		not_ok "$1" "there is no tests/golden/$1; make golden writes it"
	fi
}

# keep_json NAME: $work/out is to be checked against the schema.
keep_json() {
	cp "$work/out" "$work/json/$(echo "$1" | tr / _).json"
}

# formats FOLDER/NAME RUN [OPTION...]
formats() {
	name=$1
	shift
	for format in text json csv ndjson; do
		hw --no-db --format $format "$@"
		[ $format = json ] && keep_json "$name"
		{ cat "$work/out" "$work/err"; [ $status -eq 0 ] || echo "status $status"; } >"$work/actual"
		golden "$name.$format"
	done
}

for run in testdata/runs/*/; do
	formats "runs/$(basename "$run")" "$run"
done
for run in testdata/cases/*-made-up*; do
	formats "cases/$(basename "$run")" "$run"
done
made_up=testdata/cases/two-gpus-made-up
formats cases/two-gpus-verbose $made_up -v --calls --per-core
formats cases/two-gpus-filtered $made_up --device gpu1 --metric '*_pct' --phase 'train*'
formats cases/two-gpus-wide-gap $made_up --gap 8.5
formats cases/two-runs $made_up testdata/cases/every-third-second-made-up.csv -q
formats cases/labelled testdata/broken/manifest-bad-labels --label ci=17 --label 'note=a|b'
formats cases/joined --join testdata/cases/every-third-second-made-up.csv $made_up/events.jsonl
formats cases/berlin testdata/cases/local-time-made-up.csv --tz Europe/Berlin
formats cases/interval-given testdata/cases/dmon-no-times-made-up.log --interval 2
formats cases/stat-interval-given testdata/cases/stat-no-times-made-up.log --interval 1

# pages NAME RUN...
pages() {
	name=$1
	shift
	for format in markdown github openmetrics github-benchmark github-benchmark-bigger bencher; do
		hw --no-db --format $format "$@"
		{ cat "$work/out" "$work/err"; [ $status -eq 0 ] || echo "status $status"; } >"$work/actual"
		golden "pages/$name.$format"
	done
}
pages one $made_up
pages two testdata/cases/waits-made-up testdata/broken/terminal-capture.log testdata/no-such-run

# dialect CASE RUN: pytyche's object, for which numbers 0 stands, and the numbers behind it; or the
# refusal.
dialect() {
	hw --no-db --format pytyche "$2"
	if [ $status -eq 0 ]; then
		cat "$work/out" "$work/err" >"$work/actual"
		golden "pytyche/$1.json"
		hw --no-db --format csv "$2"
		cp "$work/out" "$work/actual"
		golden "pytyche/$1.csv"
	else
		{ echo "status $status"; cat "$work/out" "$work/err"; } >"$work/actual"
		golden "pytyche/$1.txt"
	fi
	echo "pytyche/$1.why" >>"$work/known"
	check "pytyche/$1.why explains it" test -s "$here/pytyche/$1.why"
}

for run in testdata/cases/pytyche-*; do
	dialect "$(basename "$run")" "$run"
done
for case in 01_basic 02_power_NA_drops_row 03_all_power_NA 04_util_NA_mig \
	05_two_gpus_interleaved 06_real_dmon_mu_bar1 07_uneven_intervals 08_header_and_units \
	09_torn_last_line 10_real_zero_mem_util 11_dmon_dash 12_smi_error_text 13_nan_poison; do
	if [ ! -d "$peers/$case" ]; then
		skip "pytyche/$case" "the recordings of other tools are not here"
		ls "$here/pytyche/$case".* | sed "s|^$here/||" >>"$work/known"
		continue
	fi
	cd "$peers" || exit 1
	dialect $case $case
	case $case in
	01_basic | 09_torn_last_line)
		hw --no-db --format pytyche $case
		check "pytyche/$case is what pytyche prints, to the digit" "$PYTHON" -S \
			"$here/same_dict.py" $case/pytyche_output.json "$work/out"
		;;
	esac
	cd "$ROOT" || exit 1
done

# tracker CASE RUN [OPTION...]: gpu_tracker's object in both forms.
tracker() {
	name=$1
	shift
	for format in gpu-tracker gpu-tracker-text; do
		hw --no-db --format $format "$@"
		{ cat "$work/out" "$work/err"; [ $status -eq 0 ] || echo "status $status"; } >"$work/actual"
		case $format in *-text) golden "gpu_tracker/$name.txt" ;; *) golden "gpu_tracker/$name.json" ;; esac
	done
}

case=testdata/cases/gpu-tracker
tracker blocks $case-made-up
tracker blocks $case-sqlite-made-up
tracker series $case-made-up/tracking.csv
tracker series $case-sqlite-made-up/tracking.sqlite
tracker units $case-made-up/tracking.csv --ram-unit bytes --gpu-ram-unit terabytes \
	--time-unit seconds --expected-cores 3 --gpus GPU-1,GPU-2
tracker blocks-alone $case-made-up/sub-tracking.csv
tracker several $case-made-up $case-sqlite-made-up
tracker invalid testdata/broken/tracker-start-after-stop.csv
tracker other testdata/cases/two-gpus-made-up
tracker one-gpu testdata/cases/waits-made-up --gpus GPU-00000000-0000-0000-0000-000000000001
tracker no-gpu testdata/cases/waits-made-up --gpus GPU-1
compared=testdata/compare
tracker compared compare before=$compared/before after=$compared/after third=$compared/third.json
tracker compared-max compare third=$compared/third.json again=testdata/compare/third.json \
	--statistic max

# other DIALECT NAME RUN [OPTION...]: calibrax's object, or JUmPER's in both forms.
other() {
	dialect=$1 name=$2
	shift 2
	for format in $dialect $dialect-text; do
		[ $format != calibrax-text ] || continue
		hw --no-db --format $format "$@"
		{ cat "$work/out" "$work/err"; [ $status -eq 0 ] || echo "status $status"; } >"$work/actual"
		case $format in *-text) golden "$dialect/$name.txt" ;; *) golden "$dialect/$name.json" ;; esac
	done
}
other calibrax made-up testdata/cases/calibrax-made-up
other calibrax gpus testdata/cases/two-gpus-made-up
other calibrax nothing testdata/cases/gpu-tracker-made-up/sub-tracking.csv
other calibrax several testdata/cases/calibrax-made-up testdata/cases/gpu-tracker-made-up
case=testdata/cases/jumper
other jumper session $case-made-up
other jumper json $case-json-made-up
other jumper no-idle $case-made-up --no-idle --level slurm
other jumper cells $case-made-up --cell 2:3
other jumper short $case-made-up --cell 0 --level process
other jumper no-cell $case-made-up --cell 4:5
other jumper one-file $case-made-up/perf_user.csv
other jumper level-alone $case-made-up/perf_user.csv --level slurm
other jumper phases testdata/cases/waits-made-up --cell 1:2
other jumper no-phases testdata/cases/every-third-second-made-up.csv --cell 0
other jumper processes testdata/cases/calibrax-made-up --expected-cores 4
other jumper several testdata/cases/two-gpus-made-up testdata/cases/gpu-tracker-made-up

# sides NAME FORMAT RUN...: a comparison of our own; any JSON of it follows its schema.
mkdir "$work/comparisons"
sides() {
	name=$1 format=$2
	shift 2
	hw compare --no-db --json "$@"
	cp "$work/out" "$work/comparisons/$name.json"
	hw compare --no-db --format "$format" "$@"
	{ cat "$work/out" "$work/err"; [ $status -eq 0 ] || echo "status $status"; } >"$work/actual"
	golden "compare/$name.$format"
}
cd testdata/compare/loader || exit 1
sides five-and-five text old-* --vs new-*
sides five-and-five csv old-* --vs new-*
sides five-and-five markdown old-* --vs new-*
sides three markdown a=old-1 b=new-1 c=new-2
sides energy json old-* --vs new-* --metric energy_j
sides history text old-* --vs new-1 -v --phase epoch
sides two text old-1 new-1
sides three-and-two text old-1 old-2 old-3 --vs new-1 new-2
sides three text a=old-1 b=new-1 c=new-2
sides seven text old-* new-1 new-2
sides seven-energy json old-* new-1 new-2 --metric energy_j
# trend NAME FORMAT ARGUMENT...: of the same runs, two or three of a commit.
mkdir "$work/trends"
trend() {
	name=$1 format=$2
	shift 2
	hw trend --db "$work/trends.db" --json "$@"
	[ $status -ne 0 ] || cp "$work/out" "$work/trends/$name.json"
	hw trend --db "$work/trends.db" --format "$format" "$@"
	{ cat "$work/out" "$work/err"; [ $status -eq 0 ] || echo "status $status"; } >"$work/actual"
	golden "trend/$name.$format"
}
for commit in old-[12]=1f0c old-[345]=2e1b new-[123]=3d2a new-[45]=4c39; do
	hw -q --db "$work/trends.db" ${commit%=*} --label "commit=${commit#*=}" --label kind=made-up
done
trend power text power_mean_w
trend power json power_mean_w
trend power csv power_mean_w
trend power markdown power_mean_w
trend commits text power_mean_w --by commit
trend commits json power_mean_w --by commit
trend phases text duration_s --phase 'epoch*'
trend units text units_per_s -q
trend devices csv power_w --statistic p95 --device gpu0
trend few text duration_s --where commit=2e1b 'old-*'
trend unknown text peak_vram
cd "$ROOT" || exit 1
check "trends are as their schema says" \
	"$PYTHON" "$here/valid.py" schema/trend.schema.json "$work"/trends/*.json
check "comparisons are as their schema says" \
	"$PYTHON" "$here/valid.py" schema/comparison.schema.json "$work"/comparisons/*.json

# judged KIND NAME FORMAT OPTION... RUN...: a gate, a calibration or a self-test; any JSON of it
# follows its schema.
mkdir "$work/gate" "$work/calibration" "$work/selftest"
judged() {
	kind=$1 name=$2 format=$3
	shift 3
	hw gate --no-db --json "$@"
	cp "$work/out" "$work/$kind/$name.json"
	hw gate --no-db --format "$format" "$@"
	{ cat "$work/out" "$work/err"; echo "status $status"; } >"$work/actual"
	golden "gate/$name.$format"
}
cd testdata/compare/loader || exit 1
for format in text json markdown github junit; do
	judged gate slower $format --rules training new-* --vs old-*
done
for format in text github junit; do
	judged gate parts $format --rules ../gate.json new-* --vs old-*
done
judged gate faster text --rules training old-* --vs new-*
judged gate one-new text --rules training new-* --vs old-1
judged gate too-few text --rules training new-1 new-2 --vs old-*
judged gate too-few github --rules training new-1 new-2 --vs old-*
judged gate no-base text --rules ../bounds.json old-1 new-1
judged calibration calibrated text --rules wall-time --calibrate new-*
judged calibration calibrated rules --rules wall-time --calibrate new-*
judged calibration calibrated json --rules wall-time --calibrate new-*
judged calibration refused text --rules training --calibrate new-*
judged selftest selftest text --rules training --selftest new-*
judged selftest selftest json --rules training --selftest new-*
judged selftest selftest-parts text --rules ../gate.json --selftest -q new-*
for file in "$ROOT"/schema/gates/*.json; do # each that the program carries
	name=$(basename "$file" .json)
	hw gate --no-db --json --rules "$name" new-* --vs old-*
	cp "$work/out" "$work/gate/ready-$name.json"
	hw gate --no-db -q --rules "$name" new-* --vs old-*
	{ cat "$work/out" "$work/err"; echo "status $status"; } >"$work/actual"
	golden "gate/ready-$name.text"
done
hw gate --no-db --format rules --rules wall-time --calibrate new-*
cp "$work/out" "$work/calibrated.json"
cd "$ROOT" || exit 1
for kind in gate calibration selftest; do
	check "what is printed of a $kind is as its schema says" \
		"$PYTHON" "$here/valid.py" schema/$kind.schema.json "$work/$kind"/*.json
done
check "the rules that the program carries, and prints, are as their schema says" "$PYTHON" \
	"$here/valid.py" schema/rules.schema.json schema/gates/*.json testdata/compare/gate.json testdata/compare/bounds.json "$work/calibrated.json"

mkdir "$work/broken"
for wound in testdata/broken/*; do
	name=${wound##*/}
	[ "$name" != README.md ] || continue
	hw --no-db --json --strict "$wound"
	strict=$status
	hw --no-db --json --calls "$wound"
	if grep -q 'this program was built without' "$work/err"; then
		skip "broken/$name" "built without the library that unpacks it"
		echo "broken/$name.txt" >>"$work/known"
		continue
	fi
	{
		echo "status $status, with --strict $strict"
		sed 's/^/stderr: /' "$work/err"
	} >"$work/broken/$name.txt"
	[ ! -s "$work/out" ] || cp "$work/out" "$work/broken/$name.json"
done
check "reports of damage can be read" "$PYTHON" -S "$here/damage.py" "$work/broken"
for text in "$work/broken"/*.txt; do
	cp "$text" "$work/actual"
	golden "broken/${text##*/}"
done

# checked NAME RUN [OPTION...]: exit status, standard error and both formats of `check`.
mkdir "$work/checks"
checked() {
	name=$1
	shift
	for format in text json; do
		hw check --format $format "$@"
		[ $format = text ] || cp "$work/out" "$work/checks/$name.json"
		{ echo "status $status"; cat "$work/err" "$work/out"; } >"$work/actual"
		golden "check/$name.$format"
	done
}
checked two-gpus $made_up
checked unread testdata/broken/contradictions.csv testdata/no-such-run \
	testdata/runs/host-compile-1hz
checked clocks testdata/broken/stat-clock-back.log testdata/broken/stat-two-overlap \
	testdata/broken/restarted.csv testdata/broken/stat-back.log
checked quiet -q testdata/broken/late-row-out-of-range.csv testdata/broken/terminal-capture.log \
	testdata/broken/manifest-lost-gpu
checked causes testdata/cases/causes-made-up
checked columns --columns utilization.gpu,memory.used,power.limit testdata/cases/units-only-made-up.log
check "what check prints is as its schema says" \
	"$PYTHON" "$here/valid.py" schema/check.schema.json "$work"/checks/*.json

check "reports are as their schema says" \
	"$PYTHON" "$here/valid.py" schema/report.schema.json "$work"/json/*.json "$work"/broken/*.json

# An expectation that no test looks at any more says nothing.
(cd "$here" && find . -mindepth 2 -type f | sed 's|^\./||' | LC_ALL=C sort) >"$work/there"
sort -u "$work/known" >"$work/known.sorted"
check "no expected output is left over" sh -c \
	'left=$(comm -23 "$1" "$2"); [ -z "$left" ] || { echo "$left"; false; }' \
	- "$work/there" "$work/known.sorted"
plan
