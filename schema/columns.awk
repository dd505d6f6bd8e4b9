# Prints a file of SQL with the columns that columns.c lists (the first file) put in:
#   @LIST     a line each: NAME TYPE in a table; behind the name of a table (t.@LIST) t.NAME, but
#             for instants, which views show as text. NAME may be a statistic of a metric of the
#             device that is a row of t
#   AT(T_NS)  an instant as text
# -v postgres=1: with the types of PostgreSQL.
BEGIN {
	if (postgres)
		split("number double_precision count bigint time timestamptz flag boolean text text", word)
	else
		split("number REAL count INTEGER time INTEGER flag INTEGER text TEXT", word)
	for (i = 1; i in word; i += 2) {
		gsub("_", " ", word[i + 1])
		type[word[i]] = word[i + 1]
	}
}
FNR == NR {
	between = $1 in own ? ",\n" : ""
	own[$1] = own[$1] between "\t" $2 " " type[$3] ($4 == "NOT" && !postgres ? " NOT NULL" : "")
	value = !$5 || $4 == "NOT" ? "@" $2 : \
		"(SELECT m." $5 " FROM metric_summary m\n\t\tWHERE m.run_id = @run_id AND m.device = @device" \
		" AND m.metric = '" $4 "'\n\t\t\tAND m.counts) AS " $2
	if ($3 != "time")
		shown[$1] = shown[$1] between "\t" value
	next
}
/^\t/ && match($0, /AT\(([^()]+|\([^()]+\))\)/) {
	ns = substr($0, RSTART + 3, RLENGTH - 4)
	at = "strftime('%Y-%m-%dT%H:%M:%S', " ns " / 1000000000 - (" ns " % 1000000000 < 0), 'unixepoch')\n" \
		"\t\t|| printf('.%03dZ', (" ns " % 1000000000 + 1000000000) % 1000000000 / 1000000)"
	$0 = substr($0, 1, RSTART - 1) at substr($0, RSTART + RLENGTH)
}
!/^\t[a-z.]*@/ {
	print
	next
}
{
	comma = sub(/,$/, "") ? "," : ""
	split(substr($0, 2), part, "@")
	if (!(part[2] in own)) {
		print FILENAME ":" FNR ": no list of columns is called " part[2] > "/dev/stderr"
		exit 1
	}
	line = part[1] ? shown[part[2]] : own[part[2]]
	gsub("@", part[1], line)
	sub(/^,\n/, "", line)
	print line comma
}
