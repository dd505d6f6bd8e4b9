#!/bin/sh
# Shows that README's pictures are there, small, and told to those who don't see them; and that what
# takes them takes them: of the whole page, at each width, and of what stands on a terminal.
# longer: takes them
. "$(dirname "$0")/../e2e/expect.sh"

# pictures FILE: each <img> of it is a PNG of less than 200,000 bytes, and has an alternative text
pictures() {
	"$PYTHON" -S - "$1" <<'END'
import html.parser, os, sys
said = []
class Pictures(html.parser.HTMLParser):
    count = 0
    def handle_starttag(self, tag, attributes):
        if tag != "img":
            return
        self.count += 1
        one = dict(attributes)
        path = one.get("src", "")
        data = open(path, "rb").read() if os.path.isfile(path) else b""
        if not data.startswith(b"\x89PNG\r\n\x1a\n") or not data.endswith(b"IEND\xaeB`\x82"):
            said.append(f"{path} is no PNG")
        if len(data) >= 200000:
            said.append(f"{path} has {len(data)} bytes")
        if len(one.get("alt") or "") < 20:
            said.append(f"{path} is not told")
found = Pictures()
found.feed(open(sys.argv[1]).read())
if found.count < 2:
    said.append(f"{found.count} pictures")
print("\n".join(said))
sys.exit(1 if said else 0)
END
}
check "README's pictures" pictures README.md
unseen() { ! pictures "$1"; }
for fault in 's|src="docs/report.png"|src="docs/none.png"|' 's|src="docs/terminal.png"|src="README.md"|' \
	's| alt="[^"]*"| alt=""|' '/<img/d'; do
	sed "$fault" README.md >"$work/spoiled.md"
	check "... a fault is seen: $fault" unseen "$work/spoiled.md"
done

if ! command -v node >/dev/null 2>&1; then
	skip "a terminal's text as a page" "node is not here"
	plan
fi
page() { # what printf makes of it
	printf "$1" >"$work/capture"
	node docs/pictures/terminal.cjs 'a <b>' <"$work/capture" >"$work/out" 2>"$work/err"
	status=$?
}
page '\033[31mbad\033[39m \033[1mbold\033[22m <i>&\n'
check "a terminal's text as a page: colors, and text that stays text" every 'exits 0' \
	'prints "<span class=\"red\">bad</span><span class=\"\"> </span><span class=\"bold\">bold</span><span class=\"\"> &#60;i&#62;&#38;</span>"' \
	'prints "</span> a &#60;b&#62;$"'
for unknown in '\033[38;5;1mx' '\033[2Jx' 'x\ax'; do
	page "$unknown"
	check "... what it does not know is an error: $unknown" every 'exits 1' 'silent out' 'says "not known"'
done

[ -n "${LONG-}" ] || plan
modules=tests/formats/node_modules
if [ ! -d $modules/playwright-core ] || [ ! -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
	skip "the pictures are taken" "Chromium, or what npm installs in tests/formats, is not here"
	plan
fi
if ! command -v tmux >/dev/null 2>&1; then
	skip "the pictures are taken" "tmux is not here"
	plan
fi
to=$work/pictures
sh docs/pictures/pictures.sh "$BIN" "$to" >"$work/out" 2>"$work/err"
status=$?
check "the pictures are taken" every 'exits 0' 'silent out' 'silent err'
# shown PNG: its width, and whether it shows more than one color
shown() {
	"$PYTHON" -S -c 'import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
at, rows = 8, b""
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    rows += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
    at += size + 12
print(struct.unpack(">I", data[16:20])[0], "full" if len(set(zlib.decompress(rows))) > 8 else "empty")' "$1"
}
for width in light:1280 dark:1280 narrow:400; do
	check "the whole page, ${width%:*}" is "$(shown "$to/report-${width%:*}.png")" "${width#*:} full"
done
check "... by night it is another" sh -c '! cmp -s "$1" "$2"' - "$to/report-light.png" "$to/report-dark.png"
check "... printed" sh -c 'head -c 5 "$1" | grep -q "%PDF-"' - "$to/report-print.pdf"
check "README's" every 'is "$(shown "$to/report.png")" "1560 full"' 'shown "$to/terminal.png" | grep -q full'
check "the terminal's shows what the program prints there" every 'grep -q "^━ runs/try-1 ━.*━ grade A ━━$" "$to/terminal.txt"' \
	'grep -q "GPU utilization .*█" "$to/terminal.txt"' 'grep -q "^  (outside) " "$to/terminal.txt"'

# A program that fails leaves none of a terminal.
mkdir "$work/broken"
printf '#!/bin/sh\n[ "$1" != report ] || exec "%s" "$@"\nexit 3\n' "$BIN/hwsummarize" >"$work/broken/hwsummarize"
chmod +x "$work/broken/hwsummarize"
sh docs/pictures/pictures.sh "$work/broken" "$work/none" >"$work/out" 2>"$work/err"
status=$?
check "... and if it fails there is none" every '[ $status -ne 0 ]' 'gone "$work/none/terminal.png"'
plan
