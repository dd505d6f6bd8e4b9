# The times of bench.sh as a table on standard output and as JSON in the file `json`.
# A line: comparison pair side wall user system KiB. A ratio is made within each pair, ours
# over the other's; the median of the ratios is the result, their range the noise. Wall time
# is what counts; where other work takes the processors away, the ratio of processor time
# (user and system) tells how much of it is ours.

BEGIN {
	title["summary", "ours"] = "hwsummarize --no-db"
	title["summary", "peer"] = "wc -l"
	title["load", "ours"] = "hwsummarize --db"
	title["load", "peer"] = "sqlite3 .import + SQL"
}

{
	if (!($1 in pairs))
		order[++comparisons] = $1
	if ($2 > pairs[$1])
		pairs[$1] = $2
	seen[$1, $3] = 1
	wall[$1, $3, $2] = $4
	user[$1, $3, $2] = $5
	system_s[$1, $3, $2] = $6
	cpu_s[$1, $3, $2] = $5 + $6
	rss[$1, $3, $2] = $7
}

END {
	printf "%s, %d cores, %s, %s%s\n", cpu, cores, date, version,
		(sqlite == "") ? "" : ", sqlite3 " sqlite
	printf "%s: %d bytes, %d rows\n\n", file, bytes, rows
	printf "%-22s  %9s %9s %9s %9s %11s %9s\n", "median of " pairs[order[1]] " pairs",
		"wall s", "user s", "system s", "peak MiB", "rows/s", "MB/s"
	for (c = 1; c <= comparisons; c++) {
		row(order[c], "ours")
		if (seen[order[c], "peer"])
			row(order[c], "peer")
	}
	printf "\n%-47s %9s %9s %9s\n", "ratio, ours over the other's", "median", "lowest",
		"highest"
	for (c = 1; c <= comparisons; c++)
		if (seen[order[c], "peer"]) {
			ratio_row(order[c], wall, "wall")
			ratio_row(order[c], cpu_s, "CPU")
		}
	printf "\n%.1f bytes a stored row; ", database_bytes / rows
	if (compared)
		printf "%d numbers agree with SQL's; ", compared
	printf "the same report with and without a database\n"
	printf "24 h of 8 GPUs at 1 Hz: phases take %.0f %% more CPU time; of %d calls each %.2f us\n",
		100 * phases_share, calls, call_us
	write_json()
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

function row(c, side,    name, n, w) {
	name = c SUBSEP side
	n = pairs[c]
	w = median(wall, name, n)
	printf "%-22s  %9.3f %9.3f %9.3f %9.1f %11.0f %9.1f\n", title[c, side], w,
		median(user, name, n), median(system_s, name, n),
		median(rss, name, n) / 1024, rows / w, bytes / w / 1e6
}

# Sets `middle`, `lowest` and `highest`.
function find_ratios(c, values,    i, other) {
	for (i = 1; i <= pairs[c]; i++) {
		other = values[c, "peer", i]
		ratio[c, i] = values[c, "ours", i] / (other > 0 ? other : 1e-6)
	}
	middle = median(ratio, c, pairs[c])
	lowest = sorted[1]
	highest = sorted[pairs[c]]
}

function ratio_row(c, values, name) {
	find_ratios(c, values)
	printf "%-47s %9.4g %9.4g %9.4g\n",
		title[c, "ours"] " / " title[c, "peer"] ", " name, middle, lowest, highest
}

function ratio_json(c, values, name) {
	find_ratios(c, values)
	printf(",\n     \"%s\": {\"median\": %.6g, \"lowest\": %.6g, \"highest\": %.6g}", name,
		middle, lowest, highest) > json
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

function side_json(c, side,    name, n, w) {
	name = c SUBSEP side
	n = pairs[c]
	w = median(wall, name, n)
	printf("     \"%s\": {\"name\": %s, \"wall_s\": %s, \"user_s\": %s, \"system_s\": %s,\n",
		side, quote(title[c, side]), list(wall, name, n), list(user, name, n),
		list(system_s, name, n)) > json
	printf("      \"peak_kib\": %s, \"median_wall_s\": %.6f, \"rows_per_s\": %.0f,",
		list(rss, name, n), w, rows / w) > json
	printf(" \"bytes_per_s\": %.0f}", bytes / w) > json
}

function write_json(    c, i) {
	printf("{\"format_version\": \"1.0\",\n") > json
	printf(" \"date\": %s, \"generator\": %s, \"sqlite\": %s,\n", quote(date), quote(version),
		(sqlite == "") ? "null" : quote(sqlite)) > json
	printf(" \"machine\": {\"cpu_model\": %s, \"cores\": %d},\n", quote(cpu), cores) > json
	printf(" \"recording\": {\"path\": %s, \"bytes\": %.0f, \"rows\": %d},\n", quote(file),
		bytes, rows) > json
	printf(" \"database_bytes\": %.0f, \"numbers_compared\": %d,\n", database_bytes,
		compared) > json
	printf(" \"phases\": {\"calls\": %d, \"few_calls\": %d, \"call_us\": %s, \"share\": %s},\n",
		calls, few, call_us, phases_share) > json
	printf(" \"comparisons\": [") > json
	for (i = 1; i <= comparisons; i++) {
		c = order[i]
		printf("%s\n    {\"name\": %s, \"pairs\": %d,\n", (i > 1) ? "," : "", quote(c),
			pairs[c]) > json
		side_json(c, "ours")
		printf(",\n") > json
		if (seen[c, "peer"]) {
			side_json(c, "peer")
			ratio_json(c, wall, "wall_ratio")
			ratio_json(c, cpu_s, "cpu_ratio")
		} else {
			printf("     \"peer\": null, \"wall_ratio\": null, \"cpu_ratio\": null") > json
		}
		printf("}") > json
	}
	printf("\n ]}\n") > json
}
