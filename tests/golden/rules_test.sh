#!/bin/sh
# Shows that every rule of findings is as schema/finding.schema.json says, that the schema
# refuses what the program refuses for its form, and that docs/findings.md has every rule.
. "$(dirname "$0")/../tap.sh"
here=tests/golden

check "every rule is as the schema says" \
	"$PYTHON" $here/valid.py schema/finding.schema.json schema/findings/*.json

# refused NAME SED_SCRIPT: a rule that is changed so is not.
refused() {
	sed "$2" schema/findings/gpu-waits.json >"$work/rule.json"
	check "refused: $1" sh -c \
		'! cmp -s "$3" schema/findings/gpu-waits.json && ! "$1" "$2/valid.py" schema/finding.schema.json "$3"' \
		- "$PYTHON" $here "$work/rule.json"
}
refused "an unknown key" 's/"remedy"/"advice": 1, "remedy"/'
refused "no version" '/"version"/d'
refused "two bounds" 's/"at_most": 5/"at_most": 5, "above": 1/'
refused "no bound" 's/, "at_most": 5//'
refused "a bound beside has" 's/"at_most": 5/"at_most": 5, "has": "x"/'
refused "a text as bound" 's/"at_most": 5/"at_most": "5"/'
refused "another severity" 's/"warning"/"fatal"/'
refused "a condition on GPUs without a bound" 's/"cost"/"among": [{"number": "gpu_util_pct.max"}], "cost"/'
refused "five metrics of hosts" 's/"meanwhile": \[/&"a", "b", /'
refused "means of stretches that are not listed" '/"stretch_s"/d'
refused "a rule without a name" 's/"cost"/"said_by": [""], "cost"/'
refused "times a number that is none" 's/"lost": "while.gpu_seconds"/"lost": {"of": "while.gpu_seconds", "times": 2}/'
refused "no number of a report" 's/"while.first_s"/"first"/'

for rule in schema/findings/*.json; do
	id=$(basename "$rule" .json)
	grep -q "^| \`$id\` |" docs/findings.md || echo "$id"
done >"$work/untold"
check "docs/findings.md has every rule" sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/untold"
plan
