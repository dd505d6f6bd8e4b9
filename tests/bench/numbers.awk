# Compares what a contestant worked out with ours, within 1e-9 of the larger: numbers.awk OURS
# THEIRS. OURS is from `hwsummarize --format csv`; THEIRS has lines of file, device, metric,
# statistic, value, with tabs between; a file nvidia-smi.csv of a run directory is that run.
# Prints how many numbers agree; of the first that does not, both, with exit status 1. A metric or
# a statistic that the contestant never has is left out; one that it has for some devices only
# is missing for the others.

BEGIN { FS = "," }

FNR == 1 && ++files == 2 { FS = "\t"; $0 = $0 }

files == 1 && FNR == 1 {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}

files == 1 && $(column["phase"]) == "" && $(column["source"]) == "nvidia-query" {
	key = $(column["path"]) "\t" $(column["device"]) "\t" $(column["metric"])
	metric[key] = $(column["metric"])
	for (name in column)
		ours[key, name] = $(column[name])
	next
}

files == 2 {
	sub(/\/nvidia-smi\.csv$/, "", $1)
	key = $1 "\t" $2 "\t" $3
	has[$3, $4] = 1
	names[$4] = 1
	theirs[key, $4] = 1
	compared++
	if (!differs(ours[key, $4], $5))
		next
	fail(key, $4, ours[key, $4], $5)
}

END {
	if (failed)
		exit 1
	for (key in metric)
		for (name in names)
			if (has[metric[key], name] && ours[key, name] != "" && !((key, name) in theirs))
				fail(key, name, ours[key, name], "")
	if (!failed && !compared)
		print "there were no numbers to compare"
	else if (!failed)
		print compared
	exit failed || !compared
}

function differs(a, b,    larger, apart) {
	if (a == "" || b == "")
		return a != b
	larger = (magnitude(a) > magnitude(b)) ? magnitude(a) : magnitude(b)
	apart = magnitude(a - b)
	return apart > 1e-9 * larger
}

function magnitude(x) {
	return x < 0 ? -x : x + 0
}

function or_nothing(text) {
	return text == "" ? "nothing" : text
}

function fail(key, name, a, b) {
	gsub(/\t/, " ", key)
	print key " " name " is " or_nothing(a) ", not " or_nothing(b)
	failed = 1
	exit 1
}
