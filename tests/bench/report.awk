# What was measured, as a table on standard output and as JSON in the file `json`: report.awk
# LINES TIMES VALUES AGREE SKIPPED VERSIONS, which bench.sh, pairs.sh and lines.txt describe.
# The result of a line is the median, its lowest and highest are the noise.

FNR == 1 {
	name = FILENAME
	sub(/^.*\//, "", name)
}

name == "lines.txt" {
	if ($0 !~ /^#/ && NF)
		take_line($0)
	next
}

name == "times.txt" {
	if (!(($1, $3) in count)) {
		comparison[++comparisons] = $1
		side[comparisons] = $3
	}
	i = ++count[$1, $3]
	wall[$1, $3, i] = $4
	user[$1, $3, i] = $5
	system_s[$1, $3, i] = $6
	cpu_s[$1, $3, i] = $5 + $6
	kib[$1, $3, i] = $7
	next
}

name == "values.txt" {
	value[$1, ++values[$1]] = $3
	next
}

name == "agree.txt" {
	compared += $2
	next
}

name == "skipped.txt" {
	why = $0
	sub(/^[^\t]*\t/, "", why)
	skipped[++skips] = $1
	skipped_why[skips] = why
	next
}

name == "versions.txt" {
	peer[++peers] = $1
	peer_version[peers] = $2
}

END {
	for (i = 1; i <= lines; i++)
		find_values(i)
	print_table()
	print_times()
	write_json()
}

function take_line(text,    part) {
	split(text, part, / *[|] */)
	line[++lines] = part[1]
	what[lines] = part[2]
	from[lines] = part[3]
	how[lines] = part[4]
	goal[lines] = part[5]
	stretch[lines] = part[6]
}

# Sets `n`, `unit`, `middle`, `lowest`, `highest` and `verdict` of line i, and its `result`s.
function find_values(i,    k, part, a, b, less) {
	if (how[i] ~ /^value/) {
		unit[i] = substr(how[i], 7)
		n[i] = values[line[i]] + 0
		for (k = 1; k <= n[i]; k++)
			result[i, k] = value[line[i], k]
	} else if (how[i] ~ /\//) {
		split(how[i], part, "/")
		a = from[i] SUBSEP part[1]
		b = from[i] SUBSEP part[2]
		less = (part[2] == "peer") ? start_of(from[i]) : 0
		n[i] = (count[a] < count[b]) ? count[a] : count[b]
		for (k = 1; k <= n[i]; k++)
			result[i, k] = wall[a, k] / positive(wall[b, k] - less)
	} else {
		split(how[i], part, " ")
		unit[i] = part[1]
		a = from[i] SUBSEP part[2]
		n[i] = count[a] + 0
		for (k = 1; k <= n[i]; k++)
			result[i, k] = in_unit(unit[i], a, k)
	}
	if (n[i]) {
		middle[i] = median(result, i, n[i])
		lowest[i] = sorted[1]
		highest[i] = sorted[n[i]]
		verdict[i] = judge(i)
	}
}

function in_unit(unit, a, k) {
	if (unit == "ms")
		return wall[a, k] * 1e3
	if (unit == "MB")
		return kib[a, k] * 1024 / 1e6
	return wall[a, k]
}

function start_of(c) {
	return ((c, "start") in count) ? median(wall, c SUBSEP "start", count[c, "start"]) : 0
}

# A peer that does nothing but start takes no time for the work.
function positive(x) {
	return x > 1e-6 ? x : 1e-6
}

function judge(i) {
	if (goal[i] == "")
		return ""
	if (goal[i] == "same")
		return slower_by_chance(i) ? "met" : missed_by(middle[i], 1)
	if (middle[i] > goal[i] + 0)
		return missed_by(middle[i], goal[i])
	return (stretch[i] != "" && middle[i] <= stretch[i] + 0) ? "met, stretch too" : "met"
}

function missed_by(x, goal) {
	if (x >= 2 * goal)
		return sprintf("missed by a factor of %.3g", x / goal)
	return sprintf("missed by %.3g %%", (x / goal - 1) * 100)
}

# The sign test: how likely is it that so many of n pairs, or more, are above 1 by chance?
function slower_by_chance(i,    k, above, p, term) {
	for (k = 1; k <= n[i]; k++)
		above += result[i, k] > 1
	term = 0.5 ^ n[i]
	for (k = 0; k <= n[i]; k++) {
		if (k >= above)
			p += term
		term *= (n[i] - k) / (k + 1)
	}
	return p >= 0.05
}

# The n values of an array under a name, sorted into `sorted`.
function sort(values, name, n,    i, j, x) {
	for (i = 1; i <= n; i++) {
		x = values[name, i] + 0
		for (j = i; j > 1 && sorted[j - 1] > x; j--)
			sorted[j] = sorted[j - 1]
		sorted[j] = x
	}
}

function median(values, name, n) {
	sort(values, name, n)
	return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

function print_table(    i, text) {
	for (i = 1; i <= peers; i++)
		text = text ", " peer[i] " " peer_version[i]
	printf "%s, %d cores, %s, %s%s\n", cpu, cores, date, version, text
	printf "one file of %.4g MB; many runs: %d; small runs: %d, few of them: %d; %d pairs\n\n",
		bytes / 1e6, runs, small, few, pairs
	printf "%-22s %-53s %5s %7s %8s %8s %8s\n", "line", "", "goal", "stretch", "median", "lowest",
		"highest"
	for (i = 1; i <= lines; i++)
		if (n[i])
			printf "%-22s %-53s %5s %7s %8.3g %8.3g %8.3g %-2s %s\n", line[i], what[i], goal[i],
				stretch[i], middle[i], lowest[i], highest[i], unit[i], verdict[i]
	if (compared)
		printf "\n%d numbers agree with the contestants' within 1e-9\n", compared
	for (i = 1; i <= skips; i++)
		printf "%s is skipped: %s\n", skipped[i], skipped_why[i]
}

function print_times(    i, a, n) {
	printf "\n%-22s %-5s %9s %9s %9s %9s\n", "median of each side", "", "wall s", "user s",
		"system s", "peak MB"
	for (i = 1; i <= comparisons; i++) {
		a = comparison[i] SUBSEP side[i]
		n = count[a]
		printf "%-22s %-5s %9.3f %9.3f %9.3f %9.1f\n", comparison[i], side[i],
			median(wall, a, n), median(user, a, n), median(system_s, a, n),
			median(kib, a, n) * 1024 / 1e6
	}
}

function quote(text) {
	gsub(/\\/, "\\\\", text)
	gsub(/"/, "\\\"", text)
	gsub(/[\001-\037]/, " ", text)
	return "\"" text "\""
}

function list(values, name, n,    i, text) {
	for (i = 1; i <= n; i++)
		text = text (i > 1 ? ", " : "") (values[name, i] + 0)
	return "[" text "]"
}

function or_null(text) {
	return text == "" ? "null" : (text == "same") ? quote(text) : text
}

function write_json(    i, a, comma) {
	printf("{\"format_version\": \"2.0\",\n") > json
	printf(" \"date\": %s, \"generator\": %s,\n", quote(date), quote(version)) > json
	printf(" \"machine\": {\"cpu_model\": %s, \"cores\": %d},\n", quote(cpu), cores) > json
	printf(" \"sizes\": {\"file_bytes\": %.0f, \"runs\": %d, \"small_runs\": %d, \"few_runs\": %d, \"pairs\": %d},\n",
		bytes, runs, small, few, pairs) > json
	printf(" \"numbers_compared\": %d,\n \"peers\": {", compared) > json
	for (i = 1; i <= peers; i++)
		printf("%s%s: %s", (i > 1) ? ", " : "", quote(peer[i]), quote(peer_version[i])) > json
	printf("},\n \"lines\": [") > json
	for (i = 1; i <= lines; i++)
		if (n[i]) {
			printf("%s\n    {\"line\": %s, \"what\": %s, \"unit\": %s, \"goal\": %s, \"stretch\": %s,\n",
				comma, quote(line[i]), quote(what[i]), quote(unit[i] == "" ? "ratio" : unit[i]),
				or_null(goal[i]), or_null(stretch[i])) > json
			printf("     \"median\": %.6g, \"lowest\": %.6g, \"highest\": %.6g, \"verdict\": %s,\n",
				middle[i], lowest[i], highest[i],
				verdict[i] == "" ? "null" : quote(verdict[i])) > json
			printf("     \"values\": %s}", list(result, i, n[i])) > json
			comma = ","
		}
	printf("\n ],\n \"skipped\": [") > json
	for (i = 1; i <= skips; i++)
		printf("%s\n    {\"line\": %s, \"why\": %s}", (i > 1) ? "," : "", quote(skipped[i]),
			quote(skipped_why[i])) > json
	printf("\n ],\n \"times\": [") > json
	for (i = 1; i <= comparisons; i++) {
		a = comparison[i] SUBSEP side[i]
		printf("%s\n    {\"comparison\": %s, \"side\": %s,\n     \"wall_s\": %s,\n", (i > 1) ? "," : "",
			quote(comparison[i]), quote(side[i]), list(wall, a, count[a])) > json
		printf("     \"user_s\": %s, \"system_s\": %s, \"peak_kib\": %s}", list(user, a, count[a]),
			list(system_s, a, count[a]), list(kib, a, count[a])) > json
	}
	printf("\n ]}\n") > json
}
