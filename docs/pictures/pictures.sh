#!/bin/sh
# Takes the pictures of README, and others to be looked at: pictures.sh BIN FOLDER
#
# FOLDER gets report.png and terminal.png, those of README; report-light.png, -dark and -narrow, the
# whole page; what they are of; and the page as printed, report-print.pdf and, with pdftoppm, a
# picture of each sheet. Chromium, node, tmux and what npm installs in tests/formats must be there;
# with pngquant README's pictures have a third of their size.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
bin=$(cd "$1" && pwd)
mkdir -p "$2"
to=$(cd "$2" && pwd)
export LC_ALL=C.UTF-8 TZ=UTC NODE_PATH="$root/tests/formats/node_modules"
unset HWSUMMARIZE_DB NO_COLOR
place=$(mktemp -d)
terminal() { tmux -S "$place/tmux" -f /dev/null "$@"; }
trap 'terminal kill-server 2>/dev/null || :; rm -rf "$place"' EXIT
trap 'exit 1' HUP INT TERM
small() { # PNG...
	! command -v pngquant >/dev/null 2>&1 || pngquant --force --strip --speed 1 --ext .png 24 "$@"
}

# An invented run, as somebody may have it.
mkdir "$place/runs"
cp -R "$root/testdata/cases/waits-made-up" "$place/runs/try-1"
rm "$place/runs/try-1/ORIGIN"
cd "$place"

"$bin/hwsummarize" report --no-db -o "$to/report.html" runs/try-1
node "$here/shoot.cjs" page "$to/report.html" "$to" report
! command -v pdftoppm >/dev/null 2>&1 || pdftoppm -r 80 -png "$to/report-print.pdf" "$to/report-print"
node "$here/shoot.cjs" part "$to/report.html" "$to/report.png" figure

# On a terminal of 80 columns, high enough for all; it is looked at when the command has ended.
command='hwsummarize runs/try-1'
terminal new-session -d -x 80 -y 100 \
	"PATH='$bin':\$PATH; $command; echo \$? >status; tmux -S '$place/tmux' wait-for -S ended; exec sleep 60"
terminal wait-for ended
[ "$(cat status)" = 0 ]
terminal capture-pane -e -p >"$to/terminal.txt"
node "$here/terminal.cjs" "$command" <"$to/terminal.txt" >"$to/terminal.html"
node "$here/shoot.cjs" part "$to/terminal.html" "$to/terminal.png" pre
small "$to/report.png" "$to/terminal.png"
