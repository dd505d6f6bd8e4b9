# The rest of what the program carries to read archives: list prints the folders of the runs in one;
# open unpacks it, and keeps what came out until standard input ends, however the program ends.
# Each line is "+" and a folder, "=" and where the run is, or "!" and what is lost or left out.
mode=$1 archive=$2 said=$3 wanted=$4
exec 2>/dev/null
umask 077
bytes_left=${HWSUMMARIZE_UNPACK_BYTES:-10000000000} limit_of_bytes='the limit HWSUMMARIZE_UNPACK_BYTES'
paths_left=${HWSUMMARIZE_UNPACK_FILES:-100000} limit_of_paths='the limit HWSUMMARIZE_UNPACK_FILES'

say() { printf '%s\n' "$1$(printf '%s' "$2" | tr '\n' ' ')"; }
fail() { say ! "$(printf %.500s "$2")"; } # an archive may hold names of any length
leave_out() { fail 3 "$1"; }

# Of paths, one a line, the folders with files that are in no other one of these. What begins with
# a dot does not count. None, where the list is more than may be unpacked, or ends with a tab.
folders_of_runs() {
	LC_ALL=C awk -v most=$paths_left '
	/^\t$/ || NR > most || length($0) > 4096 { print "\t"; exit }
	{
		sub(/^(\.?\/)+/, "")
		if ($0 == "" || /(^|\/)(\.|__MACOSX\/|runs\.db)/ || /\/$/) next
		sub(/[^\/]*$/, "")
		print "/" $0
	}' | LC_ALL=C sort -u | LC_ALL=C awk '
	/^\t/ { exit }
	last == "" || index($0, last) != 1 { # what is in a folder is sorted behind it
		last = $0
		print substr($0, 2, length($0) - 2)
	}'
}

# Names as tar lists them, where \\ is a backslash and \303 a byte. What a cut left away is a file in
# the folder "?", which can't be opened then.
unquote() {
	LC_ALL=C awk '
	sub(/^block [0-9]+: /, "") && $0 != "** End of File **" { cut = $0 != "** Block of NULs **" }
	/^\*\* (End of File|Block of NULs) \*\*$/ { next }
	{
		name = ""
		while (length($0) <= 16384 && match($0, /\\(\\|[0-3][0-7][0-7])/)) {
			code = substr($0, RSTART + 1, RLENGTH - 1)
			if (code != "\\") code = sprintf("%c", substr(code, 1, 1) * 64 + substr(code, 2, 1) * 8 + substr(code, 3))
			name = name substr($0, 1, RSTART - 1) code
			$0 = substr($0, RSTART + RLENGTH)
		}
		print name $0
	}
	END { if (cut) print "?/?" }'
}

# Behind MOST bytes the list ends with a tab. Whoever unpacks is another program than tar, since tar
# reads what is packed whole, however much that is.
list_tar() { # MOST
	reads_on && more='--ignore-zeros --block-number' || more=''
	case $(head -c 4 "$archive" | od -An -tx1 | tr -d ' \n') in
	1f8b* | 1f9d*) unpacker=gzip ;;
	425a68*) unpacker=bzip2 ;;
	fd377a58*) unpacker=xz ;;
	28b52ffd*) unpacker=zstd ;;
	*) tar -t $more -f - <"$archive" || echo "?/?"
		return ;;
	esac
	{
		$unpacker -dc <"$archive" | {
			head -c "$1" && [ $(($(head -c 1 | wc -c))) -eq 0 ] || printf '\t\n' >&3
		} | tar -t $more -f - || echo "?/?"
	} 3>&1
}

case $bytes_left$paths_left in
*[!0-9]*)
	fail 3 "$said: not unpacked: HWSUMMARIZE_UNPACK_BYTES and HWSUMMARIZE_UNPACK_FILES are whole numbers"
	exit
	;;
esac

# Standard output is the same socket as standard input. When it ends, the program did, and all that
# works for it in this process group ends.
{ read -r _ <&1; kill 0; } &
watcher=$! temp=''
trap 'trap "" HUP INT TERM PIPE; kill $watcher; cd / && [ -z "$temp" ] || { chmod -R u+rwX "$temp"; rm -rf "$temp"; }' EXIT
trap exit HUP INT TERM PIPE
if [ "$mode" = list ]; then
	if is_zip "$archive"; then
		unzip -Z1 "$archive" </dev/null | tr '\134' /
	else
		LC_ALL=C list_tar $((bytes_left + paths_left * 2048)) | unquote
	fi | folders_of_runs | sed 's/^/+/'
	exit
fi

temp=$(mktemp -d "${TMPDIR:-/tmp}/hwsummarize.XXXXXX") && cd "$temp" && temp=$(pwd -P) || {
	fail 3 "$said: not unpacked: can't create a folder below ${TMPDIR:-/tmp}"
	exit
}
unpack "$archive" "$said" || exit
if [ -z "$wanted" ]; then
	line_end='
'
	(cd "$name" && find . -type f ! -path "*$line_end*/*") | folders_of_runs >.runs
	case $(($(wc -l <.runs)))$(find "$name" -type d -name "*$line_end*" -exec echo x \; | head -n 1) in
	0) fail 3 "$said: no run in it; expected the logs of a run" ;;
	0x) fail 3 "$said: no run in it; names of folders have line ends" ;;
	1 | 1x) wanted=$(cat .runs) ;;
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
wait
