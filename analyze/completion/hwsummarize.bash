# Completion of hwsummarize, hwsummarize-ci and collect for bash. What there is to complete the
# programs say themselves.

# The word, if it is a command of hwsummarize.
_hwsummarize_command() { # PROGRAM WORD
	[[ ${1##*/} != hwsummarize || " $(_hwsummarize_commands "$1") " != *" $2 "* ]] || echo "$2"
}

_hwsummarize_options() { # PROGRAM WORD
	local help=--help

	[[ ${1##*/} != hwsummarize || $(_hwsummarize_command "$1" "$2") ]] || help='help options'
	"$1" $(_hwsummarize_command "$1" "$2") $help 2>/dev/null | grep -oE '(^|[ ,])--?[a-z][a-z-]*' | tr -d ' ,' | sort -u
}

# Without a command none that are of gate alone.
_hwsummarize_formats() { # PROGRAM COMMAND
	"$1" $2 --list-formats | if [ -n "$2" ]; then cat; else grep -v '  gate[: ]'; fi | cut -d ' ' -f 1
}

# Keys of the summary only for what takes these: not a report of metrics.
_hwsummarize_metrics() { # PROGRAM COMMAND
	"$1" --list-metrics | case $2 in
	compare | explain | trend) cat ;;
	*) grep -v '  summary: ' ;;
	esac | cut -d ' ' -f 1
}

# What the value of an option may be; nothing: a file.
_hwsummarize_values() { # PROGRAM OPTION WORD
	case $2 in
	--format) _hwsummarize_formats "$1" "$(_hwsummarize_command "$1" "$3")" ;;
	--metric) _hwsummarize_metrics "$1" "$3" ;;
	--rules) echo energy-per-unit idle-share peak-memory steady-utilization throttling training wall-time ;;
	--statistic) echo min max mean std ;;
	--ram-unit | --gpu-ram-unit) echo bytes kilobytes megabytes gigabytes terabytes ;;
	--time-unit) echo seconds minutes hours days ;;
	--level) echo process user system slurm ;;
	esac
}

_hwsummarize_commands() { # PROGRAM
	case ${1##*/} in
	collect) echo start stop status phase begin end event ;;
	hwsummarize) echo summary report export check explain compare gate trend sql list forget merge push ;;
	esac
}

_hwsummarize() {
	local program=$1 word=$2 before=$3 words=''

	case $word in
	-*) words=$(_hwsummarize_options "$program" "${COMP_WORDS[1]}") ;;
	*)
		words=$(_hwsummarize_values "$program" "$before" "${COMP_WORDS[1]}")
		# METRIC, which options may stand before; behind one there may be its value
		case $words/${COMP_WORDS[1]}/$COMP_CWORD/$before in
		/explain/[3-9]/* | /trend/2/* | /trend/*/[!-]*) words=$(_hwsummarize_metrics "$program" "${COMP_WORDS[1]}") ;;
		esac
		[ "$COMP_CWORD" -ne 1 ] || words=$(_hwsummarize_commands "$program")
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o default -F _hwsummarize hwsummarize hwsummarize-ci collect
