# Prints a file of SQL with the columns that columns.c lists (the first file) put in:
#   @LIST     a line each: NAME TYPE in a table; behind the name of a table (t.@LIST) t.NAME
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
	nth = ++count[$1]
	name[$1, nth] = $2
	own[$1, nth] = " " type[$3] ($4 && !postgres ? " NOT NULL" : "")
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
	table = part[1]
	list = part[2]
	if (!count[list]) {
		print FILENAME ":" FNR ": no list of columns is called " list > "/dev/stderr"
		exit 1
	}
	for (i = 1; i <= count[list]; i++)
		print "\t" table name[list, i] (table ? "" : own[list, i]) (i < count[list] ? "," : comma)
}
