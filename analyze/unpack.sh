# Unpacks archives of strangers into the working directory, within the limits bytes_left and
# paths_left, of which limit_of_bytes and limit_of_paths say whose they are. What is lost, and left
# out, it says by fail and leave_out. A part of ci.sh and of archive.sh.

is_archive() {
	case $1 in
	*.[tT][aA][rR] | *.[tT][aA][rR].[gG][zZ] | *.[tT][aA][rR].[bB][zZ]2 | *.[tT][aA][rR].[xX][zZ] | *.[tT][aA][rR].[zZ][sS][tT]) ;;
	*.[tT][gG][zZ] | *.[tT][bB][zZ]2 | *.[tT][xX][zZ] | *.[tT][zZ][sS][tT]) ;;
	*) is_zip "$1" ;;
	esac
}

is_zip() {
	case $1 in
	*.[zZ][iI][pP]) ;;
	*) false ;;
	esac
}

# A name that is not taken yet, after the path's last one.
name_after() {
	name=$(printf '%s' "${1##*/}" | LC_ALL=C tr '\001-\037\177' '_')
	! is_archive "$name" || name=${name%.*}
	name=${name%.[tT][aA][rR]}
	case $name in '' | .* | -*) name=_$name ;; esac
	first=$name number=1
	while [ -e "$name" ] || [ -L "$name" ]; do
		number=$((number + 1)) name=$first-$number
	done
}

# What an unpacker said first, behind empty lines and the archive's name.
reason_of_unpacker() {
	sed -n '/^\[\.archive\]$/d; /^warning: .* appears to use backslashes/d; /[^[:space:]]/{
		s/^[[:space:]]*//
		s/^skipping: \(.*[^ ]\)  *incorrect password$/\1 is encrypted/
		p; q; }' .unpacked >.reason
	if [ -s .reason ]; then cat .reason; else echo "it is cut off, or no such archive"; fi
}

# A zip of Windows, whose names have \ for /, is unpacked as any other, though unzip warns. It
# ends with the same 1 where it skips members, which it tells unless it is asked to be quiet.
unzip_into() { # FOLDER
	unzip -o -P '' .archive -d "$1" >/dev/null && return
	[ $? -eq 1 ] && [ -s .unpacked ] &&
		! grep -v '^warning: .* appears to use backslashes as path separators$' .unpacked | grep -q .
}

# GNU tar reads on behind the end of an archive, where another one may follow. Others end there.
reads_on() {
	case $(tar --version 2>/dev/null) in
	*GNU*) ;;
	*) false ;;
	esac
}

# The files on standard input, one path a line, and the folders that they need; beyond MOST it
# is not counted how many more. A path that stands twice counts twice: it takes as much time; the
# first file that does, ./a being a, is in .twice. A path of more than 4,096 bytes ends it, with
# .long; \303 is one byte. Of numbered blocks: one that is no end, but the last, is in .cut, and
# zeros of more than BYTES end it, with .zeros.
count_paths() { # MOST NUMBERED BYTES
	LC_ALL=C awk -v most="$1" -v numbered="$2" -v bytes="$3" '
	numbered != "" {
		if (!sub(/^block [0-9]+: /, "")) next
		if ($0 == "** End of File **") next
		whole = $0 == "** Block of NULs **"
		if (whole && ++zeros * 512 > bytes + 1048576) {
			print zeros >".zeros"
			exit
		}
		if (whole) next
	}
	{
		path = $0
		if (length(path) > 4096) gsub(/\\[0-3][0-7][0-7]/, "_", path)
		if (length(path) > 4096) { print path >".long"; exit }
		count++
		path = $0
		gsub(/\/(\.?\/)+/, "/", path)
		sub(/^\.?\//, "", path)
		if (twice == "" && path in files) twice = path
		if (!/\/$/ && !/^tar: /) files[path] # what tar says is no name
		for (new = !/\/$/; sub(/\/[^\/]*$/, "", path) && !(path in known); new = 1) {
			known[path]
			count += new
		}
		if (count > most) exit
	}
	END {
		print count + 0
		print twice >".twice"
		if (numbered != "" && !whole) print "cut" >".cut"
	}'
}

# What .archive would put on the disk, without putting it there: its bytes in .bytes, its files
# and folders in .paths, none counted far beyond what is left. Whoever unpacks is ended then,
# since where broken pipes are ignored, as some runners have it, he would go on to the end.
measure() { # ARCHIVE
	rm -f .content .names .zeros .long .cut
	mkfifo .content .names
	numbered=''
	if is_zip "$1"; then
		unzip -Z1 .archive </dev/null | tr '\134' / >.names &
		unzip -p -P '' .archive >.content </dev/null &
	else
		! reads_on || numbered=yes
		LC_ALL=C tar -x -O -v ${numbered:+--ignore-zeros} ${numbered:+--block-number} -f .archive >.content 2>.names </dev/null &
	fi
	unpacker=$!
	# Opened before anything may end the unpacker: without a writer this would wait for ever.
	exec 3<.content
	{
		count_paths "$paths_left" "$numbered" "$bytes_left" <.names >.paths
		if [ "$(cat .paths)" -gt "$paths_left" ] || [ -e .zeros ] || [ -e .long ]; then kill $unpacker; fi
	} 3<&- &
	counter=$!
	head -c $((bytes_left + 1)) <&3 | wc -c >.bytes
	exec 3<&-
	[ "$(cat .bytes)" -le "$bytes_left" ] || kill $unpacker
	wait $unpacker $counter
}

# Of all archives together, those in archives included.
has_room() { # ARCHIVE NAME-IN-SENTENCES
	measure "$1" 2>/dev/null
	bytes=$(($(cat .bytes))) paths=$(($(cat .paths)))
	if [ -e .long ]; then
		fail 3 "$2: not unpacked: a path in it is longer than 4096 bytes"
	elif [ "$bytes" -gt "$bytes_left" ] || [ -e .zeros ]; then
		fail 3 "$2: not unpacked: it holds more than $bytes_left bytes, $limit_of_bytes"
	elif [ "$paths" -gt "$paths_left" ]; then
		fail 3 "$2: not unpacked: it holds more than $paths_left files and folders, $limit_of_paths"
	else
		bytes_left=$((bytes_left - bytes)) paths_left=$((paths_left - paths))
		return 0
	fi
	return 1
}

# Files whose names have \ for / go into the folders that these mean: in a zip / alone parts names,
# and unzip turns them only where the archive says that it is of Windows. Those that would leave
# the folder, or take the place of another, stay. Links are gone before.
turn_backslashes() ( # FOLDER
	cd "$1" || exit
	find . -depth -name '*\\*' -exec sh -c '
		to=$(printf "%s" "${1%/*}/"; printf "%s" "${1##*/}" | tr "\\\\" /; echo .)
		to=${to%.}
		case /$to/ in */../*) exit ;; esac
		if [ "${to%/}" != "$to" ]; then # a folder, as a file without bytes
			[ -s "$1" ] || { mkdir -p "$to" && rm "$1"; }
		elif [ ! -e "$to" ]; then
			mkdir -p "${to%/*}" && mv "$1" "$to"
		fi' - {} \;
)

# Into a folder of its own. tar and unzip keep what they write below it; links, and what is
# no file, go then, so that nothing is read from elsewhere either.
unpack() { # ARCHIVE NAME-IN-SENTENCES
	if is_zip "$1" && ! command -v unzip >/dev/null; then
		fail 3 "$2: not unpacked: unzip is not installed"
		return 1
	fi
	rm -f .archive
	ln -s "$1" .archive
	has_room "$1" "$2" || return
	name_after "$1"
	mkdir "$name"
	if is_zip "$1"; then
		unzip_into "$name"
	else
		tar -x ${numbered:+--ignore-zeros} -f .archive -C "$name" --no-same-owner --no-same-permissions
	fi >.unpacked 2>&1 </dev/null
	unpacked=$? lost=''
	chmod -R u+rwX "$name"
	if [ $unpacked -ne 0 ]; then
		lost=yes
		fail 3 "$2: not all of it could be unpacked: $(reason_of_unpacker)"
	elif [ "$paths" -eq 0 ]; then
		lost=yes
		fail 3 "$2: the archive is empty"
	elif [ -e .cut ]; then
		fail 3 "$2: the archive is truncated; the files before the cut are used"
	fi
	count=$(find "$name" ! -type d ! -type f -exec echo x \; | wc -l)
	find "$name" ! -type d ! -type f -exec rm -f {} +
	if is_zip "$1"; then
		turn_backslashes "$name" >/dev/null 2>&1
		[ -z "$(cd "$name" && find . -name '*\\*' -exec echo x \;)" ] ||
			fail 3 "$2: not unpacked: names of files in it have \\ for /, and lead out of it or to another file; unpack it first"
	fi
	twice=$(cat .twice)
	[ -z "$twice" ] || leave_out "$2: holds $twice more than once; the last one counts"
	[ "$count" -eq 0 ] || leave_out "$2: $((count)) links and special files skipped"
	return 0
}
