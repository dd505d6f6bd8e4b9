#!/bin/sh
# Shows that an archive gives the numbers of the folder that was packed, that of strangers' archives
# nothing leaves its folder or fills the disk, and that no temporary file stays.
. "$(dirname "$0")/expect.sh"
command -v unzip >/dev/null 2>&1 || {
	skip "archives" "unzip is not here"
	plan
}
mkdir "$work/temp"
TMPDIR=$work/temp && export TMPDIR
cp -R "$ROOT/testdata/compare/loader/old-1" "$work/run"
cp -R "$ROOT/testdata/compare/loader/new-1" "$work/other"
"$PYTHON" -S "$ROOT/tests/e2e/archives.py" "$work/run" "$work" || exit 1
"$PYTHON" -S "$ROOT/tests/e2e/bombs.py" "$work/run" "$work"
cd "$work" || exit 1
echo treasure >secret

left_nothing() { is "$(ls -A temp)" "" && is "$(cat secret)" treasure && gone was-here; }
# as_folder ARCHIVE: the report of the folder, under the archive's name
as_folder() {
	hw --no-db --json "$1"
	sed "s|\"path\": \"$1\"|\"path\": \"run\"|" out >packed
	every 'exits 0' left_nothing 'cmp packed plain'
}
hw --no-db --json run
cp out plain

# Of a JUmPER session the files are at the top, as in flat.zip.
"$PYTHON" -S -c 'import os, zipfile
with zipfile.ZipFile("flat.zip", "w") as flat:
    for name in sorted(os.listdir("run")): flat.write("run/" + name, name)'
tar -cf one.tar run && tar -czf one.tgz run && tar -czf deep.tar.gz ./run
kinds='flat.zip one.tar one.tgz deep.tar.gz modes.tar'
if command -v zstd >/dev/null 2>&1; then zstd -q one.tar && kinds="$kinds one.tar.zst"; fi
if command -v xz >/dev/null 2>&1; then xz -k one.tar && kinds="$kinds one.tar.xz"; fi
for kind in $kinds; do check "the numbers of the folder: $kind" as_folder "$kind"; done
hw --no-db --join flat.zip other/gpu.csv --json
check "a file in an archive has its name behind it" every 'grep -q "\"flat.zip/gpu.csv\"" out' left_nothing

# Several runs.
tar -cf runs.tar run other
hw --no-db --json runs.tar
check "an archive of runs is its runs, by name" every 'exits 0' 'says "runs.tar: an archive of 2 runs"' \
	'is "$(grep -o "\"path\": \"runs.tar/[a-z]*\"" out | tr -d "\n")" "\"path\": \"runs.tar/other\"\"path\": \"runs.tar/run\""'
hw --no-db --json runs.tar/run
sed 's|runs.tar/run|run|' out >packed
check "... of which one may be named" every 'exits 0' 'cmp packed plain' left_nothing
hw compare --no-db a=runs.tar b=flat.zip
check "... and must be, where one is compared" every 'says "runs.tar: several runs in it; give one of them, such as runs.tar/other"'
hw --no-db runs.tar/gone
check "a folder that is not in it" every 'exits 2' 'says "runs.tar: no folder gone in it"' left_nothing
hw --no-db runs.tar/../run
check "... nor a way out of it" every 'exits 2' left_nothing

# is_run ARCHIVE FOLDER: it is the run in FOLDER of ARCHIVE, of several in this
is_run() {
	hw --no-db --json "$1"
	every 'exits 0' "prints '\"path\": \"$1/$2\"'"
	hw --no-db --json "$1/$2"
	sed "s|$1/$2|run|" out >packed
	every 'exits 0' 'cmp packed plain' left_nothing
}
mkdir many
cp -R run many/run && cp -R run many/größe && cp -R other many/other
tar -C many -czf dots.tgz .
check "runs below ./" is_run dots.tgz run
check "names in another language" is_run dots.tgz größe
mkdir lines && cp -R run 'lines/a
b' && cp -R run 'lines/c\d' && tar -C lines -cf lines.tar .
hw --no-db --json lines.tar
check "a folder of two lines is no run, and said; one with a backslash is" every 'exits 3' 'grep -qF "lines.tar/c\\\\d" out' 'says "^hwsummarize: lines.tar: no folder a.nb in it$"' left_nothing
rm -r 'lines/c\d' && tar -C lines -cf lines.tar .
hw --no-db lines.tar
check "... alone, too" every 'exits 2' 'says "^hwsummarize: lines.tar: no run in it; names of folders have line ends$"' left_nothing

# The database knows an archive by its path.
touch -d '1 hour ago' flat.zip 2>/dev/null
sleep 3 # until the time of its change proves something
hw --db runs.db flat.zip runs.tar/other
cp out first
TMPDIR=$work/nowhere hw --db runs.db flat.zip runs.tar/other
check "an unchanged archive is recalled, and not unpacked" every 'exits 0' 'cmp out first'
hw list --db runs.db
check "... by its path" every 'prints "^flat.zip "' 'prints "^runs.tar/other "'
TMPDIR=$work/nowhere hw --no-db flat.zip
check "without a database it needs room" every 'exits 2' 'says "flat.zip: not unpacked: can.t create a folder below"'
cp flat.zip kept.zip
hw --no-db flat.zip -o flat.zip
check "no output overwrites it" every 'exits 2' 'cmp flat.zip kept.zip'

# Strangers' archives.
for kind in up.tar absolute.tar through-a-link.tar through-a-chain.tar hard-link.tar devices.tar windows.zip up.zip windows-up.zip \
	absolute.zip itself.zip; do
	hw --no-db --json "$kind/run"
	check "nothing leaves $kind" every left_nothing '! grep -q treasure out err' 'grep -q "\"path\": \"$kind/run\"" out'
done
hw check link.tar
check "links are skipped, and said" every 'exits 3' 'prints "links and special files skipped"' '! grep -q treasure out' left_nothing
hw --no-db encrypted.zip
check "an encrypted zip asks nobody" every 'says "hidden.csv is encrypted\|encrypted" || prints encrypted' left_nothing
head -c 1000 one.tgz >cut.tgz
hw check cut.tgz
check "an archive that is cut off" every '[ "$status" -ne 0 ]' 'grep -q "cut.tgz: not all of it could be unpacked" out err' left_nothing
# Of several runs, cut at the second one's first block, and within it; or with a block that is none.
at=$(tar -t -R -f runs.tar | sed -n 's/^block \([0-9]*\): other\/$/\1/p')
head -c $((at * 512)) runs.tar >cut-before.tar
head -c $((at * 512 + 5000)) runs.tar | gzip >cut-within.tgz
cp runs.tar bad.tar && printf xxxxxxxx | dd of=bad.tar bs=512 seek="$at" conv=notrunc 2>/dev/null
for kind in cut-before.tar cut-within.tgz bad.tar; do
	hw --no-db --json $kind
	check "what is lost of several runs is said: $kind" every 'exits 3' 'prints "$kind/run"' left_nothing \
		'says "^hwsummarize: $kind: \(the archive is truncated\|not all of it could be unpacked\)"'
done
echo text >no.zip
hw --no-db no.zip
check "what is no archive" every 'exits 2' 'says "no.zip: not all of it could be unpacked"' left_nothing
for kind in zeros.tar zeros.tar.gz zeros.zip; do
	HWSUMMARIZE_UNPACK_BYTES=2000000 hw --no-db $kind
	check "a bomb of bytes: $kind" every 'exits 2' left_nothing \
		'says "$kind: not unpacked: it holds more than 2000000 bytes, the limit HWSUMMARIZE_UNPACK_BYTES"'
done
for kind in files.tar files.zip; do
	HWSUMMARIZE_UNPACK_FILES=900 hw --no-db $kind
	check "a bomb of files: $kind" every 'exits 2' left_nothing 'says "$kind: not unpacked: it holds more than 900 files and folders"'
done

"$PYTHON" -S -c 'import bz2, gzip, tarfile
def packed(name, size): info = tarfile.TarInfo(name); info.size = size; return info.tobuf(tarfile.GNU_FORMAT)
with open("tera.tar.bz2", "wb") as out:
    out.write(bz2.compress(packed("run/a.csv", 1 << 40)) + bz2.compress(bytes(1 << 26)) * (1 << 14))
for name, path in ("deep", "a/" * 30000 + "f.csv"), ("dots", "./" * 30000 + "f.csv"):
    with gzip.open(name + ".tar.gz", "wb") as out: out.write(packed(path, 0) + bytes(1024))'
if command -v bzip2 >/dev/null 2>&1; then
	HWSUMMARIZE_UNPACK_FILES=900 HWSUMMARIZE_UNPACK_BYTES=2000000 timeout 60 "$BIN/hwsummarize" --no-db tera.tar.bz2 >out 2>err
	status=$?
	check "a bomb of bytes is listed within the limit" every 'exits 2' left_nothing 'says "tera.tar.bz2: not unpacked: it holds more than 2000000 bytes"'
else
	skip "a bomb of bytes is listed within the limit" "bzip2 is not here"
fi
for kind in deep dots; do
	hw --no-db $kind.tar.gz
	check "a path that no system has: $kind" every 'exits 2' left_nothing \
		'is "$(cat err)" "hwsummarize: $kind.tar.gz: not unpacked: a path in it is longer than 4096 bytes"'
done

# However it ends, while an archive is listed or unpacked, nothing goes on. This tar ends when it is ended.
mkdir slow
printf '#!/bin/sh\ncase $1 in --version) exec /bin/tar "$@" ;; esac\necho $$ >%s/began\nexec sleep 60\n' "$work" >slow/tar
chmod 755 slow/tar
for signal in HUP TERM KILL; do
	for path in one.tar one.tar/run; do
		rm -f began
		PATH=$work/slow:$PATH "$BIN/hwsummarize" --no-db $path >out 2>err &
		until_so '[ -s began ]'
		kill -$signal $!
		wait $! 2>/dev/null
		check "nothing stays of $path after SIG$signal" until_so '[ -z "$(ls -A temp)" ] && ! kill -0 "$(cat began)" 2>/dev/null'
	done
done
plan
