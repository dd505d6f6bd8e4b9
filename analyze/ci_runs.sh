# The runs in what a job left behind: tells folders that are runs, or what is left of one, from
# others, also in archives. A part of ci.sh, whose words and lists it uses.

# The folders that may be runs, in lists of four kinds: those with a run.json, those that hold
# other files, beside folders or archives, or alone, and empty ones. Archives are unpacked, also
# those in archives.
walk() { # FOLDER DEPTH-OF-ARCHIVES
	if [ -f "$1/run.json" ]; then
		put recorded "$1"
		return
	fi
	folders='' files='' archives=''
	for entry in "$1"/*; do
		if [ -d "$entry" ]; then
			folders=yes
		elif [ -f "$entry" ] && is_archive "$entry"; then
			archives=yes
		elif [ -f "$entry" ]; then
			files=yes
		fi
	done
	case $files,$folders,$archives in
	yes,,) put leaves "$1" ;;
	yes,*) put inner "$1" ;;
	,,) put empty "$1" ;;
	esac
	for entry in "$1"/*; do
		if [ -L "$entry" ]; then
			[ ! -d "$entry" ] || link=$entry # what it leads to is met where it lies
		elif [ -d "$entry" ]; then
			walk "$entry" "$2"
		elif [ -f "$entry" ] && is_archive "$entry"; then
			walk_archive "$entry" "$entry" "$2"
		fi
	done
}

# Fails where nothing is unpacked, which is said then.
walk_archive() { # ARCHIVE NAME-IN-SENTENCES DEPTH-OF-ARCHIVES
	if [ "$3" -ge 4 ]; then
		fail 3 "$2: not unpacked: it is an archive in an archive in an archive"
		return 1
	fi
	unpack "$1" "$2" || return
	[ -z "$lost" ] || ! rmdir "$name" 2>/dev/null || return 1 # nothing came out, which is said
	walk "$name" $(($3 + 1))
	return 0
}

# Is it called as recorders call their logs? There need be nothing in it.
is_called_log() { # NAME
	case $1 in
	run.jsonl* | events.jsonl* | proc-stat.log* | meminfo.log* | processes.log* | host.log*) return 0 ;;
	*gpu* | *nvidia* | *nvml* | *dmon* | *pmon* | smi* | *[-_.]smi* | hw_* | cpu_metrics* | *tracking.*) ;;
	*) return 1 ;;
	esac
	case $1 in
	*.csv* | *.tsv* | *.log* | *.txt* | *.out* | *.jsonl* | *.sqlite* | *.db*) ;;
	*) false ;;
	esac
}

holds_called_log() { # FOLDER
	for entry in "$1"/*; do
		[ ! -f "$entry" ] || ! is_called_log "$(printf '%s' "${entry##*/}" | tr '[:upper:]' '[:lower:]')" || return 0
	done
	false
}

# The folder without its archives and folders, which tell nothing of it: their runs are others.
own_files() { # FOLDER
	own=$1
	for entry in "$1"/*; do
		if [ -d "$entry" ] || is_archive "$entry"; then own=.own; fi
	done
	[ "$own" = .own ] || return 0
	rm -rf .own
	mkdir .own
	for entry in "$1"/*; do
		[ ! -f "$entry" ] || is_archive "$entry" || ln -s "$room/$entry" .own
	done
}

# With a sample, or what is left of a recording that has none. What hwsummarize says is in .why.
is_run() { # FOLDER
	own_files "$1"
	eval "\"\$program\" --no-db --json $options \"\$own\"" >/dev/null 2>.why </dev/null
	case $? in 0 | 3) return 0 ;; esac
	! grep -q ': not a recognized log: \|: no logs in this directory$' .why || holds_called_log "$own"
}

# Beside runs there may be folders of anything. A recording without a sample is a run that is
# lost; what is none at all is said.
keep_runs() { # LIST FOLDER...
	to=$1
	shift
	for one; do
		if is_run "$one"; then
			put "$to" "$one/"
		else
			leave_out "$one: $(sed 's/.*: \(not a recognized log: \|no logs in \)/\1/; s/ (hwsummarize help logs .*//' .why); skipped"
		fi
	done
}

keep_all() { # LIST FOLDER...
	to=$1
	shift
	for one; do put "$to" "$one/"; done
}

keep_found() { # LIST NAME-IN-SENTENCES
	[ -n "$recorded$inner$leaves" ] ||
		fail 3 "$2: no run in it; expected run directories, logs, or archives of them${link:+; $link is a link, which is not followed; give its target instead}"
	eval "keep_all $1 $recorded"
	if [ -n "$recorded$inner" ]; then
		eval "keep_runs $1 $inner $leaves"
	else
		eval "keep_all $1 $leaves"
	fi
	[ -z "$recorded$inner$leaves" ] || eval "keep_runs $1 $empty"
}

gather() { # LIST ARTIFACT...
	list=$1
	shift
	for artifact; do
		recorded='' inner='' leaves='' empty='' link=''
		path=$(absolute "$artifact")
		if [ -d "$path" ]; then
			path=$(cd "$path" && pwd -P)
			name_after "$path"
			ln -s "$path" "$name"
			walk "$name" 0
			keep_found "$list" "$artifact"
		elif [ ! -e "$path" ]; then
			fail 3 "$artifact: no such file or folder"
		elif is_archive "$path"; then
			! walk_archive "$path" "$artifact" 0 || keep_found "$list" "$artifact"
		else
			name_after "$path"
			ln -s "$path" "$name"
			put "$list" "./$name"
		fi
	done
}
