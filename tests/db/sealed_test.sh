#!/bin/sh
# Shows that a value that changed in a database is noticed by whatever uses it: in a column of each
# type of each table of runs, but for those of samples, labels and kept reports; and a bit that was
# turned in any page.
# longer: each column
. "$(dirname "$0")/../e2e/expect.sh"

cd "$work" || exit 1
hw --db sound.db -q "$ROOT"/testdata/cases/energy-made-up "$ROOT"/testdata/cases/pytyche-torn \
	"$ROOT"/testdata/cases/causes-made-up
hw merge --db taken.db sound.db
check "a sound one is taken" every 'exits 0' 'prints "3 added"'

# A column at a time, in one row, by as little as its type can.
cat >changed.py <<'EOF'
import os
import shutil
import sqlite3
import subprocess
import sys

later = {"run_id", "seal", "mtime_ns", "source", "early_log"}
loose = {"run_key", "path", "shape", "definitions_version", "generator"}
unsealed = {"run_label", "run_image", "run_source", "layout", "sample_chunk"}
db = sqlite3.connect("sound.db")
tables = [name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
long, tried = os.environ.get("LONG"), set()
for table in tables:
    columns = [(c[1], c[2]) for c in db.execute(f"PRAGMA table_info({table})")]
    if table in unsealed or columns[0][0] != "run_id":
        continue
    for column, kind in columns:
        if column in later or (table == "run" and column in loose):
            continue
        if (table, kind) in tried and not long:
            continue
        new = f"{column} || 'x'" if kind == "TEXT" else f"coalesce({column}, 0) + 1" if kind == "INTEGER" \
            else f"{column} * 1.0000001 + 1e-9"
        shutil.copy("sound.db", "changed.db")
        other = sqlite3.connect("changed.db")
        try:
            changed = other.execute(f"UPDATE {table} SET {column} = {new} WHERE seal = (SELECT seal FROM {table}"
                                    f" WHERE {column} IS NOT NULL LIMIT 1)").rowcount
            other.commit()
        except sqlite3.IntegrityError:
            changed = 0
        other.close()
        if not changed:
            continue
        tried.add((table, kind))
        said = subprocess.run([sys.argv[1], "merge", "--db", ":memory:", "changed.db"], capture_output=True, text=True)
        if said.returncode != 2 or f"a row of {table} is not as it was written" not in said.stderr:
            print(f"{table}.{column}: {said.returncode} {said.stderr}")
print(len(tried), "tried")
EOF
"$PYTHON" -S changed.py "$BIN/hwsummarize" >found
check "a change in any column is noticed" sh -c '! grep -v "tried$" found'
check "... of most there are" test "$(sed -n 's/ tried$//p' found)" -gt 60

cp sound.db changed.db
sqlite3 changed.db "UPDATE run SET duration_s = duration_s + 0.001 WHERE run_id = 1" >/dev/null
case=$ROOT/testdata/cases/work-made-up
for command in list "trend power_mean_w" "gate --no-db --rules training --baseline-db changed.db $case"; do
	name=${command%% *}
	[ "$name" = gate ] || command="$command --db changed.db"
	# shellcheck disable=SC2086 # words
	hw $command
	check "$name says so" every 'exits 2' \
		'says "changed.db: the database is damaged (a row of run is not as it was written); move it away"'
done

# A bit of each page but the first: a query answers as before, or not at all.
cat >turned.py <<'EOF'
import subprocess
import sys


def ask():
    said = subprocess.run([sys.argv[1], "sql", "--db", "turned.db", "--format", "csv", "SELECT * FROM samples"],
                          capture_output=True, text=True)
    return said.returncode, said.stdout, said.stderr


with open("turned.db", "rb") as file:
    whole = file.read()
size = int.from_bytes(whole[16:18], "big")
sound, noticed = ask(), 0
for at in range(size, len(whole), size):
    byte = at + at // size * 397 % size
    with open("turned.db", "r+b") as file:
        file.seek(byte)
        file.write(bytes([whole[byte] ^ 1 << at // size % 8]))
        file.flush()
        found = ask()
        file.seek(byte)
        file.write(whole[byte:byte + 1])
    noticed += found[0] == 2 and "the database is damaged (a page is not as it was written)" in found[2]
    if found != sound and found[0] != 2:
        print(byte, found)
print(noticed, "noticed", sound[0])
EOF
cp sound.db turned.db
"$PYTHON" -S turned.py "$BIN/hwsummarize" >found
check "no bit that is turned changes an answer" sh -c '! grep -v "noticed 0$" found'
check "... in pages that are read" test "$(sed -n 's/ noticed 0$//p' found)" -ge 5

# Another program writes no sums: its pages are read, and so is what is loaded after it.
sqlite3 turned.db "INSERT INTO run_label VALUES (1, 'by', 'sqlite3', 1); VACUUM" >/dev/null
hw --db turned.db -q "$ROOT"/testdata/cases/work-made-up
hw list --db turned.db
check "others may write" every 'exits 0' 'prints "by=sqlite3"' 'prints "work-made-up"'
plan
