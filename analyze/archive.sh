# The rest of what the program carries to read archives: list prints the folders of the runs in one;
# open unpacks it, and keeps what came out until standard input ends, however the program ends.
# Each line is "+" and a folder, "=" and where the run is, or "!" and what is lost or left out.
mode=$1 archive=$2 said=$3 wanted=$4
exec 2>/dev/null
umask 077
bytes_left=${HWSUMMARIZE_UNPACK_BYTES:-10000000000} limit_of_bytes='the limit HWSUMMARIZE_UNPACK_BYTES'
paths_left=${HWSUMMARIZE_UNPACK_FILES:-100000} limit_of_paths='the limit HWSUMMARIZE_UNPACK_FILES'

say() { printf '%s\n' "$1$(printf '%s' "$2" | tr '\n' ' ')"; }
fail() { say ! "$2"; }
leave_out() { say ! "$1"; }

# Of paths, one a line, the folders with files that are in no other one of these. What begins with
# a dot does not count.
folders_of_runs() {
	LC_ALL=C awk '{
		sub(/^(\.?\/)+/, "")
		gsub(/\\/, "/")
		if (/(^|\/)(\.|__MACOSX\/|runs\.db)/ || /\/$/) next
		folders[match($0, /\/[^\/]*$/) ? substr($0, 1, RSTART - 1) : ""]
	}
	END {
		for (folder in folders) {
			inner = folder != "" && "" in folders
			for (at = 1; at < length(folder); at++)
				inner = inner || (substr(folder, at, 1) == "/" && substr(folder, 1, at - 1) in folders)
			if (!inner) print folder
		}
	}' | sort
}

case $bytes_left$paths_left in
*[!0-9]*)
	fail 3 "$said: not unpacked: HWSUMMARIZE_UNPACK_BYTES and HWSUMMARIZE_UNPACK_FILES are whole numbers"
	exit
	;;
esac
if [ "$mode" = list ]; then
	if is_zip "$archive"; then unzip -Z1 "$archive"; else LC_ALL=C tar -t -f "$archive"; fi </dev/null |
		head -n $paths_left | folders_of_runs | sed 's/^/+/'
	exit
fi

temp=$(mktemp -d "${TMPDIR:-/tmp}/hwsummarize.XXXXXX") && cd "$temp" && temp=$(pwd -P) || {
	fail 3 "$said: not unpacked: can't create a folder below ${TMPDIR:-/tmp}"
	exit
}
trap 'cd / && chmod -R u+rwX "$temp"; rm -rf "$temp"' EXIT
trap exit HUP INT TERM PIPE
unpack "$archive" "$said" || exit
if [ -z "$wanted" ]; then
	(cd "$name" && find . -type f) | folders_of_runs >.runs
	case $(($(wc -l <.runs))) in
	0) fail 3 "$said: no run in it; expected the logs of a run" ;;
	1) wanted=$(cat .runs) ;;
	*) fail 3 "$said: several runs in it; give one of them, such as $said/$(head -n 1 .runs)" ;;
	esac
	[ $(($(wc -l <.runs))) -eq 1 ] || exit
fi
case /$wanted/ in
*/../*) false ;;
*) [ -d "$name/$wanted" ] || [ -f "$name/$wanted" ] ;;
esac || {
	fail 3 "$said: no folder $wanted in it"
	exit
}
say = "$temp/$name/$wanted"
read -r _
