#!/bin/sh
# Shows which exit status a gate has, and which of several; that rules come from a file or from
# those that the program carries; what is refused, in one sentence; what calibration and
# self-test do; and that the report is written whole, over nothing that is read.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
cp -r "$ROOT"/testdata/compare/loader/* "$ROOT"/testdata/compare/gate.json .
mkdir empty

gate() { hw gate --no-db "$@"; }

# rules NAME RULE...: a file NAME.json of these rules, one a line, from line 2 on
rules() {
	file=$1.json
	shift
	{
		echo '{"format_version": "1.0", "rules": ['
		while [ $# -gt 1 ]; do echo "{\"name\": \"$#\", $1},"; shift; done
		echo "{\"name\": \"$#\", $1}"
		echo ']}'
	} >"$file"
}
rules never '"metric": "duration_s", "at_most": 1'
rules always '"metric": "duration_s", "at_most": 1000000'
rules noisy '"metric": "duration_s", "max_increase_pct": 5'
rules absent '"metric": "framework_peak_mib", "at_most": 1'
rules exact '"metric": "duration_s", "max_increase_pct": 5, "assume": "exact"'
rules never-noisy '"metric": "duration_s", "at_most": 1' '"metric": "energy_j", "max_increase_pct": 5'
rules never-absent '"metric": "duration_s", "at_most": 1' '"metric": "framework_peak_mib", "at_most": 1'
rules warns '"metric": "duration_s", "at_most": 1, "severity": "warning"' \
	'"metric": "framework_peak_mib", "at_most": 1, "severity": "warning"' \
	'"metric": "energy_j", "max_increase_pct": 5, "severity": "warning"'

# Statuses -------------------------------------------------------------------------------------
# status N NAME ARGUMENT...: with the verdict on stdout if there is a report
status() {
	expected=$1 name=$2 pattern=$3
	shift 3
	gate "$@"
	check "$name: $expected" every "exits $expected" "prints \"$pattern\""
}
status 0 "passes" 'Gate passed: 4 of 4 passed' --rules training old-* --vs new-*
status 1 "a regression" 'Gate failed: 2 regressions, ' --rules training new-* --vs old-*
status 4 "too few runs" 'Gate inconclusive: 1 inconclusive, ' --rules noisy.json old-1 --vs new-1
status 2 "what no run has" 'Gate unusable: 1 unusable, ' --rules absent.json old-1
status 0 "what only warns" 'Gate passed: 0 of 0 passed' --rules warns.json old-1 --vs new-1
status 0 "without noise" 'Gate passed: 1 of 1' --rules exact.json old-1 --vs new-1
status 1 "without noise, the other way" 'Gate failed: 1 regression' --rules exact.json new-1 --vs old-1

status 3 "an unusable run of the base beside usable ones" 'not compared: empty' \
	--rules noisy.json old-* empty --vs new-*
status 1 "... and a regression" 'Gate failed' --rules noisy.json new-* empty --vs old-*
status 4 "... and too few runs" 'Gate inconclusive' --rules noisy.json old-1 empty --vs new-1
status 1 "an unusable new run, whatever the others say" \
	'empty: this new run could not be used: ' \
	--rules noisy.json old-* --vs new-* empty
status 1 "a regression beside too few runs" '1 regression, 1 inconclusive' \
	--rules never-noisy.json old-1 --vs new-1
status 2 "nothing to judge beside a regression" '1 unusable, 1 regression' \
	--rules never-absent.json old-1
cp -r new-1 torn
printf '2026/' >>torn/gpu.csv
status 3 "damage, with --strict" 'Gate passed' --strict --rules always.json torn
status 0 "damage" 'Gate passed' --rules always.json torn
status 1 "damage, with --strict, and a regression" 'Gate failed' --strict --rules never.json torn

refusal='exits 2; lines err 1; silent out; gone result'
for sides in 'empty --vs new-1' 'old-1 --vs empty' empty; do
	gate --rules always.json $sides -o result
	check "a side without a usable run: $sides" every 'exits 2' 'silent out' 'gone result' \
		"says 'gate needs at least one usable run on each side'"
done

# Throttling -----------------------------------------------------------------------------------
# reasons FOLDER FORM ON: five runs of which GPU 0 is held in the first ON rows: by the driver as it is
# hot, as the bit 0x20 of a mask, or as columns
cat >reasons.py <<'END'
import os, shutil, sys
folder, form, on = sys.argv[1], sys.argv[2], int(sys.argv[3])
names = {"mask": ["clocks_event_reasons.active"],
         "columns": ["clocks_event_reasons.sw_thermal_slowdown", "clocks_event_reasons.hw_thermal_slowdown",
                     "clocks_event_reasons.hw_slowdown"],
         "one": ["clocks_throttle_reasons.sw_thermal_slowdown"]}[form]
for i in "12345":
    shutil.copytree("old-" + i, folder + "/" + i)
    manifest = open(folder + "/" + i + "/run.json").read().replace("made-up", folder)
    open(folder + "/" + i + "/run.json", "w").write(manifest)
    lines = open("old-%s/gpu.csv" % i).read().splitlines()
    with open(folder + "/" + i + "/gpu.csv", "w") as log:
        log.write(", ".join([lines[0]] + names) + "\n")
        for n, line in enumerate(lines[1:]):
            held = n < 2 * on and line.split(", ")[1] == "0"
            if form == "mask":
                cells = ["0x%016x" % (0x20 if held else 0)]
            else:
                cells = ["Active" if held else "Not Active"] + ["Not Active"] * (len(names) - 1)
            log.write(", ".join([line] + cells) + "\n")
END
for form in mask columns one; do
	"$PYTHON" -S reasons.py cool-$form $form 0 && "$PYTHON" -S reasons.py hot-$form $form 12
done
# of EXPRESSION: what Python makes of the results of a gate as JSON, by rule, the first GPU's first
of() { "$PYTHON" -S -c 'import json, sys
d = json.load(open("out"))
print(eval(sys.argv[1]))' "$1"; }
outcomes='sorted((r["rule"][10:], r["device"], r["outcome"]) for r in d["results"])'
for form in mask columns; do
	gate --rules throttling cool-$form/* --vs hot-$form/* --json
	check "throttling by $form: fails" every 'exits 1' 'is "$(of "[o for o in $outcomes if o[2] != \"pass\"]")" \
		"[('"'by heat, by the driver', 'gpu0', 'regression'"')]"' 'is "$(of "len(d[\"results\"])")" 6'
	gate --rules throttling hot-$form/* --vs cool-$form/*
	check "... and passes" every 'exits 0' "prints '^= Gate passed: 6 of 6'"
done
gate --rules throttling cool-mask/* --vs hot-columns/* --json
check "throttling by a mask before, and columns now" every 'exits 1' \
	'is "$(of "[o[1] for o in $outcomes if o[2] != \"pass\"]")" "['"'gpu0'"']"'
gate --rules throttling cool-columns/* --vs cool-mask/*
check "... the other way round" every 'exits 0' "prints '^= Gate passed: 6 of 6'"
gate --rules throttling cool-one/* --vs hot-one/* --json
check "one column of three: it is judged, and the others are told to be absent" every 'exits 2' \
	'is "$(of "[(r[\"device\"], r[\"outcome\"]) for r in d[\"results\"]]")" \
		"[('"'gpu0', 'regression'), ('gpu1', 'pass'), (None, 'unusable'), (None, 'unusable'"')]"'
gate --rules throttling --calibrate cool-mask/* cool-columns/* --format rules
check "calibration keeps what a rule names instead" every 'exits 0' \
	"prints '\"metric\": \"reason_hw_slowdown\"'" '"$PYTHON" "$ROOT/tests/golden/valid.py" "$ROOT/schema/rules.schema.json" out'

# Rules ----------------------------------------------------------------------------------------
cp never.json training
status 1 "a file comes before what the program carries" 'Rules  training' --rules training new-1
rm training
awk '/^```json$/ { inside = 1; next } /^```/ { inside = 0 } inside' \
	"$ROOT/schema/gates/README.md" >example.json
status 2 "the example of schema/gates/README.md is read; of flags these runs have none" \
	'no throttling: no run recorded it' --rules example.json new-* --vs old-*
for file in "$ROOT"/schema/gates/*.json; do
	name=$(basename "$file" .json)
	grep -q "^| \`$name\` |" "$ROOT/schema/gates/README.md" || echo "$name"
done >untold
check "its table has every file" every 'test ! -s untold'
status 0 "carried rules" 'Rules  wall-time' --rules wall-time old-* --vs new-*
gate --rules wall-clock old-1 --vs new-1
check "a file that is not there" every "$refusal" "says \"wall-clock: can't open: No such file\""
gate --rules old-1 old-1 --vs new-1
check "a folder" every "$refusal" "says \"old-1: can't read\""
printf '{"format_version": "1.0",\n"rules": [{"name": "a", "metric": "duration_s",\n"at_mots": 5}]}' >typo.json
gate --rules typo.json old-1 -o result
check "a key that is unknown, with its line" every "$refusal" \
	"says 'typo.json:3: unknown key \"at_mots\": expected name, metric'"
printf '{\0}' >nul.json
gate --rules nul.json old-1
check "bytes that are no text" every "$refusal" "says 'nul.json: not a file of rules'"
head -c 5000000 /dev/zero | tr '\0' ' ' >long.json
gate --rules long.json old-1
check "5 MB of blanks" every "$refusal" "says 'expected JSON text of at most 4 MiB'"
gate --rules noisy.json old-1 -o result
check "changes without a base, with the rule's line" every "$refusal" \
	"says 'noisy.json:2: rule \"1\" needs a baseline: BASE... --vs NEW...'"
status 0 "bounds without a base" 'Gate passed: 1 of 1' --rules always.json old-1 new-1

# What can't be asked --------------------------------------------------------------------------
# refused NAME PATTERN ARGUMENT...
refused() {
	name=$1 pattern=$2
	shift 2
	gate "$@" -o result
	check "$name" every "$refusal" "says \"$pattern\""
}
refused "no rules" 'gate needs --rules FILE' old-1 --vs new-1
refused "no run" 'gate needs at least one run' --rules always.json
refused "nothing before --vs" 'vs needs runs on both sides' --rules exact.json --vs old-1
refused "nothing behind --vs" 'vs needs runs on both sides' --rules exact.json old-1 --vs
refused "--vs twice" '--vs is given twice' --rules exact.json old-1 --vs new-1 --vs new-2
refused "another format" \
	"gate has no format 'csv'; expected text, json, markdown, html, github or junit" \
	--rules exact.json old-1 --vs new-1 --format csv
refused "an unknown format" "gate has no format 'xml'" --rules exact.json old-1 --vs new-1 --format xml
refused "--join" 'gate does not take --join' --rules exact.json old-1 --vs new-1 --join
refused "--metric" 'gate does not take --metric' --rules exact.json old-1 --vs new-1 --metric x
refused "--phase" 'gate does not take --phase' --rules exact.json old-1 --vs new-1 --phase x
refused "two runs of one name" 'old-1 is given twice; give each run once' --rules exact.json old-1 ./old-1/ old-1 --vs new-1
refused "a run on both sides" 'are the same run; give it on one side' \
	--rules exact.json old-1 --vs again=old-1
refused "--calibrate and --selftest" 'gate takes --calibrate or --selftest, not both' \
	--rules exact.json --calibrate --selftest old-1
refused "--calibrate with --vs" 'without a baseline (no --vs)' \
	--rules exact.json --calibrate old-1 --vs new-1
refused "--calibrate as JUnit" \
	"gate --calibrate has no format 'junit'; expected text, json, markdown, html or rules" \
	--rules exact.json --calibrate old-1 --format junit
refused "--selftest as rules" \
	"gate --selftest has no format 'rules'; expected text, json, markdown or html" \
	--rules exact.json --selftest old-1 --format rules

# Runs -----------------------------------------------------------------------------------------
status 0 "names of the user's" 'New *fast, faster' --rules always.json fast=new-1 faster=new-2
cp -r new-1 copy
status 4 "a copy counts once, and that is said" 'copy are the same run; it counts once' \
	--rules noisy.json old-1 old-2 old-3 old-4 --vs new-1 copy

# Runs that failed -----------------------------------------------------------------------------
# failing STATUS RUN NAME: a copy of a run, of other bytes, whose command ended so
failing() {
	cp -r "$2" "$3"
	echo >>"$3/gpu.csv"
	sed -i "s/\"exit_status\": 0/\"exit_status\": $1/; s/made-up-/$3-/" "$3/run.json"
}
failing 137 new-1 crashed
failing 137 new-2 crashed-too
failing 1 old-1 broke
status 1 "a new run that failed, however fast it was" \
	'^x crashed: this new run failed: exit status 137 (SIGKILL), which fails the gate' \
	--rules training old-* --vs new-* crashed
check "... is counted, and differs" every 'prints "^= Gate failed: 1 run failed, 4 of 4 passed"' \
	'prints "exit status  *0 -> 0 or 137 (SIGKILL)"'
status 1 "several, in one sentence" \
	'^x crashed, crashed-too: these new runs failed: exit status 137 (SIGKILL), which' \
	-q --rules always.json crashed crashed-too
for form in 'junit <testcase classname="gate" name="run-failed: crashed" time="0">' \
	'junit <failure message="this new run failed: exit status 137 (SIGKILL)" type="run-failed"/>' \
	'github ^::error title=Run failed::crashed: this new run failed: exit status 137' \
	'markdown crashed: this new run failed: exit status 137' \
	'json "id": "run-failed",' 'json "subject": "crashed",'; do
	gate --rules always.json crashed --format "${form%% *}"
	check "... as $form" every 'exits 1' "prints '${form#* }'"
done
status 0 "one of the base is left out of it" 'left out of the base: broke (exit status 1)' \
	--rules training old-1 old-2 old-3 old-4 old-5 broke --vs new-*
check "... and is none of its runs" every 'prints "Base *old-1, old-2, old-3, old-4, old-5$"' '! grep -q "exit status  " out'
status 4 "a base of which all failed is none" 'but the base has none of it' \
	--rules noisy.json broke --vs new-1
sed 's/"rules"/"failed_runs": "judge", &/' "$ROOT/schema/gates/training.json" >judges.json
status 0 "rules that judge them: of new runs" 'Gate passed: 4 of 4' --rules judges.json old-* --vs new-* crashed
status 0 "... and of the base" 'Base .* and 2 more, 6 runs' --rules judges.json old-* broke --vs new-*
sed 's/"rules"/"failed_runs": "judge", &/' "$ROOT/schema/gates/wall-time.json" >judges-time.json
gate --calibrate --rules judges-time.json new-* crashed --format rules
check "... which calibrated rules still do" every 'prints "\"failed_runs\": \"judge\""'
gate --calibrate --rules wall-time new-* crashed --format rules
check "of rules that do not it is said which repeat is left out" every 'exits 0' 'lines err 1' 'says "left out: crashed (exit status 137"'
sed 's/"judge"/"ignore"/' judges.json >ignores.json
gate --rules ignores.json old-1 --vs new-1
check "another word for it" every "$refusal" \
	"says '\"failed_runs\" is \"ignore\": expected \"judge\" or \"fail\"'"
status 0 "a failed repeat is left out" 'left out: crashed (exit status 137 (SIGKILL))' \
	--calibrate --rules wall-time new-* crashed
sed -i '/exit_status/d; s/"2026-03-06T08:00:58.767Z",/"2026-03-06T08:00:58.767Z"/' crashed/run.json
status 0 "an exit status that is not known is no failure" 'Gate passed' --rules always.json crashed
hw --db base.db old-* broke
status 0 "out of a database likewise" 'left out of the base: .*broke (exit status 1)' \
	--rules training --baseline-db base.db new-*
hw compare --no-db old-1 --vs crashed-too
check "compare says how they ended" every 'prints "exit status  *0 -> 137 (SIGKILL)"'
hw compare --no-db --json one=broke --vs crashed-too
check "... and in JSON" every 'prints "\"failed\": \"exit status 1\""'

# Runs that were cut off -----------------------------------------------------------------------
# cut RUN NAME: a copy of a run whose recorder was killed in its middle: no end, half of the log
cut() {
	cp -r "$1" "$2"
	head -c $(($(wc -c <"$1/gpu.csv") / 2)) "$1/gpu.csv" >"$2/gpu.csv"
	sed -i "s/made-up-/$2-/; /\"ended_at\"/d; /\"exit_status\"/d" "$2/run.json"
	sed -i 'N; $!P; $!D; s/,\(\n}\)/\1/' "$2/run.json"
}
for nth in 1 2 3 4 5; do cut new-$nth cut-$nth; done
"$PYTHON" -S -c 'import json; json.load(open("cut-1/run.json"))["started_at"]' || echo "cut-1 is no manifest"
status 1 "new runs that were cut off, however fast they were" \
	'^x cut-1, cut-2, cut-3, cut-4, cut-5: these new runs were cut off: its manifest' \
	--rules training old-* --vs cut-*
check "... are counted, and differ" every 'prints "^= Gate failed: 5 runs cut off, "' \
	'prints "end *recorded -> cut off: its manifest has no end"'
for form in 'junit <testcase classname="gate" name="run-cut-off: cut-1" time="0">' \
	'junit <failure message="this new run was cut off: its manifest has no end" type="run-cut-off"/>' \
	'github ^::error title=Run cut off::cut-1: this new run was cut off: its manifest' \
	'markdown this new run was cut off: its manifest has no end' \
	'json "id": "run-cut-off",' 'text ^x cut-1: this new run was cut off'; do
	gate --rules always.json cut-1 --format "${form%% *}"
	check "... as $form" every 'exits 1' "prints '${form#* }'"
done
status 1 "... with -q" '^x cut-1: this new run was cut off' -q --rules always.json cut-1
status 0 "one of the base is left out of it" 'left out of the base: cut-1 (cut off: its manifest has no end)' \
	--rules training old-* cut-1 --vs new-*
status 4 "a base of which all were cut off is none" 'but the base has none of it' \
	--rules noisy.json cut-1 cut-2 --vs new-1
# The log of cut-1 ends in the middle of its steps: its time is a lower bound, as of any run.
status 4 "rules that judge them" 'Unfinished runs look fast and cheap: cut-1 (' \
	--rules judges-time.json old-* --vs new-* cut-1 crashed-too
hw --db base-cut.db old-* cut-1
status 0 "out of a database likewise" 'left out of the base: cut-1 (cut off: its manifest has no end)' \
	--rules training --baseline-db base-cut.db new-*
# manifest NAME TEXT: a copy of a run with another manifest
manifest() {
	cp -r new-1 "$1"
	printf '%s' "$2" >"$1/run.json"
}
manifest cut-empty ''
manifest cut-early '{
  "format_ver'
manifest cut-late "$(head -c 150 new-1/run.json)"
for one in null:null 'list:[]' 'word:"run"'; do manifest "cut-${one%%:*}" "${one#*:}"; done
manifest stranger '{"learning_rate": 0.001}'
for name in empty early late null list word; do
	gate -q --rules always.json cut-$name
	check "a manifest that is torn: $name" every 'exits 1' "prints 'this new run was cut off: run.json is '"
done
status 0 "a run.json of somebody else says nothing" 'Gate passed' -q --rules always.json stranger
echo '[{"learning_rate": 0.001}]' >stranger/run.json
status 0 "... nor does a list of theirs" 'Gate passed' -q --rules always.json stranger
rm stranger/run.json && mkdir stranger/run.json
hw --no-db stranger; rmdir stranger/run.json
check "a directory where it should be is said" every 'exits 3' "prints 'x run.json: expected a file, found a directory'"
status 0 "... and where there is none nothing is known" 'Gate passed' -q --rules always.json stranger
for said in -9 256 '"1"' '"SIGKILL"' 0.5 true '[]'; do
	rm -rf odd && cp -r new-1 odd
	sed -i "s/\"exit_status\": 0/\"exit_status\": $said/; s/made-up-/odd-/" odd/run.json
	gate --rules always.json odd
	check "an exit status that is none, $said, is no 0" every 'exits 1' \
		"grep -qF 'odd: this new run failed: exit status $said, which is none from 0 to 255' out"
	hw -q --db odd.db odd
	gate --rules noisy.json --baseline-db odd.db new-2
	check "... out of a database" every 'exits 4' "grep -qF 'odd (exit status $said, which is none' out"
	rm -f odd.db
done
sed -i 's/"exit_status": \[\]/"exit_status": null/' odd/run.json
status 0 "null is not known" 'Gate passed' -q --rules always.json odd
sed -i 's/"exit_status": null/&, "signal": 9/' odd/run.json
gate -q --rules always.json odd
check "... but with a signal it is" every 'exits 1' "prints 'odd: this new run failed: exit status 137 (SIGKILL)'"
hw compare --no-db old-1 --vs cut-1
check "compare says how they ended" every 'prints "end *recorded -> cut off: its manifest has no end"' \
	'tr -s " \n" "  " <"$work/out" | grep -q "; some of these runs failed or were cut off "'
hw compare --no-db --json old-1 --vs cut-1
check "... and in JSON" every 'prints "\"cut_off\": \"its manifest has no end\""'
hw compare --no-db old-* --vs cut-*
check "... and that what looks better may be left undone" every 'prints "Better, or not finished: see \"Other differences\""'
hw compare --no-db cut-* --vs old-*
check "... likewise of the base" every 'prints "Worse, or not finished in the base: see \"Other differences\""'
hw compare --no-db new-1 old-1 cut-1 --json
check "... and never names one the best, or how far from it it is" every \
	'is "$(of "[r[\"key\"] for r in d[\"rows\"] if r[\"best\"] == \"cut-1\" or r[\"factors\"][2] is not None]")" "[]"' \
	'is "$(of "d[\"winner\"]")" None' 'prints "so they are never the best: cut-1 (cut off: its manifest has no end)"'

# Time that is not covered ----------------------------------------------------------------------
# Rows at 0, 2 .. 60 s of a run of 60 s; those from 20 s to 40 s are lost: of 60 s the 18 up to 18 s and
# the 18 from 42 s on are covered, which is 0.6. 300 W a GPU are 36 kJ in a minute of two, 21.6 kJ in 36 s.
cat >gaps.py <<'END'
import json, os, sys
def run(path, nth, watts, gap):
    os.makedirs(path)
    day = "2026-04-%02dT08:00:" % nth
    json.dump({"format_version": "1.0", "run_id": path, "interval_s": 2, "exit_status": 0,
               "started_at": day + "00Z", "ended_at": "2026-04-%02dT08:01:00Z" % nth}, open(path + "/run.json", "w"))
    with open(path + "/gpu.csv", "w") as log:
        log.write("timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W]\n")
        for s in range(0, 61, 2):
            for gpu in 0, 1:
                if not (gap and 20 <= s <= 40):
                    log.write("2026/04/%02d 08:%02d:%02d.000, %d, 85 %%, 30000 MiB, %.2f W\n" % (
                        nth, s // 60, s % 60, gpu, watts + nth / 100))
for nth in range(1, 6):
    run("full-%d" % nth, nth, 300, False)
    run("gap-%d" % nth, nth + 6, 420, True)
    run("low-%d" % nth, nth + 12, 200, True)
    run("even-%d" % nth, nth + 18, 300, False)
    run("small-%d" % nth, nth + 24, 200, False)
END
"$PYTHON" -S gaps.py
rules energy '"metric": "energy_j", "max_increase_pct": 5'
rules saved '"metric": "energy_j", "max_decrease_pct": 5'
rules util '"metric": "gpu_util_mean_pct", "max_decrease_pct": 5'
rules power '"metric": "power_w", "max_increase_pct": 5'
status 4 "an energy of a part of the time may be more: no pass" '^! 1: 36,003.6 J -> 30,246.5 J, -16.0 %; a lower bound in gap-1 (60.0 %' \
	-q --rules energy.json full-* --vs gap-*
for form in text markdown junit github json; do
	gate --rules energy.json full-* --vs gap-* --format $form
	check "... as $form" every 'exits 4' 'grep -q "a lower bound in .*gap-1" out'
done
gate --rules energy.json full-* --vs gap-* --json
check "... in JSON with how much is covered, and in the remarks" every \
	'is "$(of "[(r[\"cause\"], r[\"base_coverage\"], r[\"new_coverage\"]) for r in d[\"results\"]]")" "[('"'uncovered', 1, 0.6"')]"' \
	'"$PYTHON" "$ROOT/tests/golden/valid.py" "$ROOT/schema/gate.schema.json" out' \
	'prints "Not all of the time was recorded. .* lower bounds; .*: gap-1 (energy_j 60.0 % covered), gap-2"'
status 4 "a base that is one makes no rise" '^! 1: .*a lower bound in low-1' -q --rules energy.json low-* --vs full-*
status 4 "... of a fall that breaks a limit" '^! 1: .*a lower bound in low-1' -q --rules saved.json full-* --vs low-*
status 0 "... but keeps a limit that it would keep with more, too" 'Gate passed: 1 of 1' --rules energy.json gap-* --vs small-*
check "... in doubt" every 'prints "1 check passed with only part of the time covered"'
status 4 "a mean of less than 70 %" '^! 1: .*not to be judged in gap-1 (60.0 % covered' \
	-q --rules util.json full-* --vs gap-*
status 0 "nothing is in doubt of whole logs" 'Gate passed: 1 of 1' -q --rules energy.json full-* --vs even-*
check "... or said to be" every '! grep -q covered out'
hw --db gaps.db -q full-* gap-1 gap-2
gate --rules energy.json --baseline-db gaps.db even-1 even-2 even-3 even-4 even-5 --json
check "a history without what is in doubt, which is named" every 'exits 0' \
	'is "$(of "[r[\"base_n\"] for r in d[\"results\"]]")" "[5]"' \
	'prints "not in the baseline, because only partly recorded: energy_j of gap-1 (60.0 % covered), energy_j of gap-2"'
hw -q --db onlygaps.db gap-1 gap-2
status 4 "... of nothing else is none" '^! 1: 36,' -q --rules energy.json --baseline-db onlygaps.db even-1
hw compare --no-db full-* --vs gap-*
check "compare ranks none of it" every 'prints "Recorded only in part"' \
	'prints "^  energy_j .* lower bound: 60.0 % covered"' \
	'is "$(sed -n "/^- Better/,/^- /p" out | grep -c energy_j)" 0'
hw compare --no-db full-1 full-2 low-1 --json
check "... and never as the best" every \
	'is "$(of "[(r[\"best\"] != \"low-1\", r[\"factors\"][2], r[\"coverage\"]) for r in d[\"rows\"] if r[\"key\"] == \"energy_j\"]")" "[(True, None, [1, 1, 0.6])]"' \
	'"$PYTHON" "$ROOT/tests/golden/valid.py" "$ROOT/schema/comparison.schema.json" out'

# Windows ----------------------------------------------------------------------------------------
window='dict(device=None, metric=None, phase=None, since_s=2, until_s=9.5)'
for asked in "new-1 --vs old-1" "--selftest new-1 new-2 new-3 new-4 new-5" "--calibrate new-1 new-2 new-3 new-4 new-5"; do
	gate --rules noisy.json --since 2 --until 9.5 $asked
	check "a window is said: $asked" every 'prints "^  Only  *from 2.0 s to 9.5 s$"'
	gate --rules noisy.json --since 2 --until 9.5 --json $asked
	check "... as JSON" every 'is "$(of "d[\"selection\"] == $window")" True'
	gate --rules noisy.json --json $asked
	check "... and that there is none" every 'is "$(of "d[\"selection\"]")" None'
done

# GPUs that vanished ---------------------------------------------------------------------------
# without N RUN NAME: a copy of a run whose log has no row of that GPU
without() {
	cp -r "$2" "$3"
	sed "/^[^,]*, $1,/d" "$2/gpu.csv" >"$3/gpu.csv"
	sed -i "s/made-up-/$3-/" "$3/run.json"
}
for nth in 1 2 3 4 5; do without 1 new-$nth lone-$nth; done
status 1 "a GPU of the whole base that no new run has" \
	'^x gpu1: this GPU vanished: in every run of the base, and in no' \
	--rules always.json new-* --vs lone-1 lone-2
check "... is counted" every 'prints "^= Gate failed: 1 GPU vanished, 1 of 1 passed"' \
	'prints "devices  *gpu0, gpu1 -> gpu0$"'
gate --rules always.json new-* --vs lone-1 --format junit
check "... and a case of its own" every 'prints "name=\"device-vanished: gpu1\""'
status 1 "one that one of several new runs lost" \
	'^x gpu1: this GPU vanished from lone-1: in every run of the base' \
	--rules always.json new-* --vs old-1 old-2 lone-1
status 1 "... or two of them" '^x gpu1: this GPU vanished from lone-1, lone-2: in every run of the base' \
	--rules always.json new-* --vs old-1 lone-1 lone-2 old-2
gate --rules always.json new-* --vs old-1 lone-1 --json
check "... as JSON" every 'exits 1' 'is "$(of "d[\"incidents\"]")" "[{'"'id': 'device-vanished', 'subject': 'gpu1', 'why': 'this GPU vanished from lone-1: in every run of the base'"'}]"'
status 1 "one that the other new runs have, and the base has not" \
	'^x gpu1: this GPU vanished from lone-3: in every other new run' \
	--rules always.json lone-1 lone-2 --vs new-3 new-4 lone-3
status 0 "... of two, which is usual?" 'Gate passed' --rules always.json lone-1 lone-2 --vs new-3 lone-3
status 0 "runs without a base may differ in their GPUs" 'Gate passed' --rules always.json new-1 new-2 lone-3
rules gpus '"metric": "gpu_count", "max_decrease": 0, "assume": "exact"'
status 1 "a count without noise is kept by each new run, not by their median" \
	'^x 1: 2 -> 1 in lone-1, -50.0 %; expected at most 0 below the base' \
	--rules gpus.json new-* --vs old-1 old-2 lone-1
status 0 "one that a base run has not either" 'Gate passed' --rules always.json new-1 lone-1 --vs lone-2
without 0 new-2 other
status 0 "another in its place" 'Gate passed' --rules always.json lone-1 --vs other
status 1 "out of a database likewise" '^x gpu1: this GPU vanished' --rules always.json --baseline-db base.db lone-1
hw compare --no-db new-1 --vs lone-1
check "compare lists the devices" every 'prints "devices  *gpu0, gpu1 -> gpu0$"'

# Output ---------------------------------------------------------------------------------------
for format in text json markdown github junit; do
	gate --rules training --format $format new-* --vs old-*
	cp out expected
	gate --rules training --format $format new-* --vs old-* -o result
	check "-o, $format: the report is written though the gate failed" \
		every 'exits 1' 'silent out' 'cmp expected result'
	rm -f result
done
gate --rules always.json old-1 -o old-1/gpu.csv
check "-o over what is read" every 'exits 2' 'silent out' "says 'is a file of old-1'" \
	"cmp -s old-1/gpu.csv $ROOT/testdata/compare/loader/old-1/gpu.csv"
gate --rules never.json old-1 -o /dev/full
check "-o that is full" every 'exits 2' "says /dev/full"
gate --rules training new-* --vs old-* -q
check "-q: the verdict, and what did not pass" every 'exits 1' 'lines out 8' \
	'prints "Gate failed"' '! grep -q pass$ out'
check "... which these runs can't tell" every \
	'prints "^! GPU energy: .*; these runs show a$"' 'prints "change from 5.8 % on, the limit is 5.0 %: take 7 runs on each side, or$"'
rules tight '"metric": "energy_j", "max_increase_pct": 3.4'
status 4 "a limit that these runs can't check" '^! 1: .*; these runs show a change from' \
	-q --rules tight.json new-* --vs old-*
gate --rules tight.json new-* --vs old-* --json
check "... in JSON" every 'is "$(of "[(r[\"cause\"], r[\"detectable\"] > r[\"allowed\"], r[\"runs_needed\"] > 5) for r in d[\"results\"]]")" \
	"[('"'undetected'"', True, True)]"'
status 0 "... passes by --allow-undetected" 'Gate passed: 1 of 1 passed, 1 by --allow-undetected' \
	--rules tight.json new-* --vs old-* --allow-undetected
hw gate --db runs.db --rules gate.json --json new-* --vs old-*
cp out expected
hw gate --db runs.db --rules gate.json --json new-* --vs old-*
check "from the database the same" every 'exits 4' 'cmp expected out'

# Repeats --------------------------------------------------------------------------------------
gate --calibrate --rules wall-time new-* --format rules -o learnt.json
check "calibrated rules are written" every 'exits 0' 'silent out' 'silent err' \
	'grep -q "\"min_abs\": 2.844" learnt.json'
status 0 "they are rules" 'Gate passed: 1 of 1' --rules learnt.json old-* --vs new-*
status 1 "they see what is no noise" 'wall time: ' --rules learnt.json new-* --vs old-*
gate --calibrate --rules learnt.json new-* --format rules
check "and calibrated again they are the same" every 'exits 0' 'cmp out learnt.json'
gate --calibrate --rules training new-* --format rules -o result
check "rules that are too tight are not written, with their line and the least that is not" every \
	'exits 1' 'lines err 1' 'silent out' 'gone result' \
	'says "training:5: \"steady GPU utilization\": max_decrease_pct is 5, but"' 'says "expected 22.61 or more"'
status 1 "but reported" 'Calibration refused: 2 too tight' --calibrate --rules training new-*
status 1 "too few repeats" '3 repeats have it, but 5 are needed' --calibrate --rules wall-time new-1 new-2 new-3
status 3 "an unusable repeat" 'not compared: empty' --calibrate --rules wall-time new-* empty
status 0 "a self-test" 'Self-test passed: the gate was right 3 of 3 times' --selftest --rules wall-time new-*
status 1 "a self-test of too few runs" '3 against 3 runs are too few' \
	--selftest --rules wall-time new-1 new-2 new-3
status 1 "a self-test that noise hides" 'the limit is 5.0 %: take 31 runs on each side' \
	--selftest --rules training new-*
status 3 "an unusable run of its base" 'not compared: empty' --selftest --rules wall-time new-* empty
gate --selftest --rules wall-time empty
check "a self-test without a run" every 'exits 2' 'silent out' "says 'at least one usable run'"
plan
