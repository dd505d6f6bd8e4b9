#!/bin/sh
# Shows that a run.json that somebody else wrote counts in a gate for what it says of its run, and that
# what it lacks is unknown, and no damage.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
echo '{"format_version": "1.0", "rules": [{"name": "any", "metric": "duration_s", "at_least": 0}]}' >always.json
# One without the keys that collect writes counts for those that it has; what it lacks is not known.
bare() { # NAME TEXT STATUS WHAT
	rm -rf "bare-$1"
	cp -r "$ROOT/testdata/compare/loader/new-1" "bare-$1"
	printf '%s' "$2" >"bare-$1/run.json"
	hw gate --no-db -q --rules always.json "bare-$1"
	check "a run.json that only says ${2%%:*}, $1" every "exits $3" "prints '$4'"
}
bare failed '{"exit_status": 1}' 1 'bare-failed: this new run failed: exit status 1, which fails'
bare killed '{"learning_rate": 0.001, "signal": 9}' 1 'bare-killed: this new run failed: exit status 137 (SIGKILL)'
bare odd '{"exit_status": -9}' 1 'bare-odd: this new run failed: exit status -9, which is none'
bare long "{$(seq -f '"x%g": 0,
' 1 200) \"exit_status\": 3}" 1 'bare-long: this new run failed: exit status 3, which fails'
bare done '{"exit_status": 0}' 0 'Gate passed'
bare unknown '{"exit_status": null}' 0 'Gate passed'
bare begun '{"started_at": "2026-03-06T08:00:00Z"}' 0 'Gate passed'
bare foreign '{"host": "a", "labels": ["b"], "interval_s": "slow", "gpus": 2}' 0 'Gate passed'
# What may mean something else accuses nobody.
bare wave '{"signal": 0.5}' 0 'Gate passed'
bare named '{"signal": "snr", "learning_rate": 0.001, "host": "a"}' 0 'Gate passed'
bare ended '{"exit_status": 0, "signal": 9}' 0 'Gate passed'
bare word '{"exit_status": "ok", "signal": 9}' 0 'Gate passed'
hw check --json bare-word
check "... but a status that is a word is said" every 'exits 3' 'prints "exit_status.* has an invalid value"'
bare local '{"started_at": "2026-03-06T09:00:00", "ended_at": "2026-03-06T09:01:00"}' 0 'Gate passed'
hw --no-db -q --json bare-local
check "... a time without a zone is none: the run is as long as its rows" prints '"duration_s": 58,'
bare zone '{"started_at": "2026-03-06T09:00:00+01:00", "ended_at": "2026-03-06T09:01:00+01:00"}' 0 'Gate passed'
hw --no-db -q --json bare-zone
check "... one with a zone counts" prints '"duration_s": 60,'
bare id '{"run_id": "experiment", "exit_status": 0}' 0 'Gate passed'
cp -r bare-id bare-id-2
hw --db ids.db -q bare-id bare-id-2
check "... an id that is not of collect does not make two runs one" \
	is "$("$BIN/hwsummarize" sql --db ids.db --format csv "SELECT count(*) FROM runs" | tail -n 1)" 2
hw --db bare.db -q --json bare-failed
check "... in a database" is "$("$BIN/hwsummarize" sql --db bare.db --format csv "SELECT exit_status FROM runs" | tail -n 1)" 1
gzip -k bare-failed/run.json && rm bare-failed/run.json
hw gate --no-db -q --rules always.json bare-failed
check "... packed" every 'exits 1' "prints 'bare-failed: this new run failed: exit status 1, which fails'"
for name in failed foreign; do
	hw check --json bare-$name
	check "what it lacks is said, and no damage: $name" every 'exits 0' \
		"prints 'run.json lacks run_id, format_version, started_at, ended_at.*, which collect writes; the other keys are used'"
done
hw check "$ROOT/testdata/compare/loader/new-1"
check "... and of one of collect nothing" every 'exits 0' '! grep bare-manifest out'
plan
