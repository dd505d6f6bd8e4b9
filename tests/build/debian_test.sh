#!/bin/sh
# Shows that a clean copy of what is tracked builds Debian's packages, of source and binary; that
# lintian has nothing against them; that the package has the files it should, depends on what it is
# linked with, and its programs work where they are; that the source is left as it was.
# long: compiles all of it once more
. "$(dirname "$0")/../e2e/expect.sh"

for tool in git dpkg-buildpackage dh lintian; do
	command -v $tool >/dev/null 2>&1 && continue
	skip "Debian's packages" "$tool is not here"
	plan
done
if ! git ls-files --error-unmatch Makefile >/dev/null 2>&1; then
	skip "Debian's packages" "this is no checkout, and says not what is tracked"
	plan
fi
version=$(sed -n 's/^VERSION *= *//p' Makefile)
check "the newest entry of debian/changelog is of the version" is \
	"$(dpkg-parsechangelog -l debian/changelog -S Version)" "$version"
make -s dist BUILD="$work" >"$work/out" 2>&1
check "make dist packs what is committed" is "$(tar tzf "$work/hwsummarize-$version.tar.gz" | grep -v '/$' | sort)" \
	"$(git ls-tree -r --name-only HEAD | sed "s|^|hwsummarize-$version/|" | sort)"
place=$work/hwsummarize-$version
mkdir "$place"
git ls-files -z | xargs -0 tar cf - | tar xf - -C "$place"
cd "$place" || exit 1
find . -type f -exec cksum {} + | sort >"$work/before"
if ! dpkg-checkbuilddeps >"$work/unmet" 2>&1; then
	skip "Debian's packages" "$(sed 's/.*: //' "$work/unmet")"
	plan
fi

# Once without optimisation, as half of the time goes there, and without its own test, as it comes below.
built() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL DEB_BUILD_OPTIONS='noopt nocheck noautodbgsym parallel=2' \
		dpkg-buildpackage -us -uc "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; false; }
}
check "they are built" built
[ $tap_failed -eq 0 ] || plan
check "without a warning of the compiler or of debhelper" sh -c '! grep -in "warning" "$1"' - "$work/log"
debian/rules clean >/dev/null 2>&1
find . -type f -exec cksum {} + | sort >"$work/after"
check "the source is left as it was" cmp "$work/before" "$work/after"

# lint FILE: lintian has neither errors nor warnings
lint() { lintian --allow-root --fail-on error,warning --no-cfg -EI --pedantic "$1" 2>&1; }
cd "$work" || exit 1
check "lintian has nothing against them" lint "$(echo ./*.changes)"
sed -i 's/^Copyright: .*/Copyright:/' "$place/debian/copyright"
sed -i '/^Section/d' "$place/debian/control"
mkdir spoiled && cd spoiled && dpkg-source -b "$place" >"$work/log" 2>&1
lint "$(echo ./*.dsc)" >"$work/found"
status=$?
check "... and sees a fault" every 'exits 2' 'grep -q "^[EW]: hwsummarize source: .*copyright" "$work/found"'

cd "$work" || exit 1
root=$work/root
package=$(echo ./hwsummarize_"$version"_*.deb)
dpkg -x "$package" "$root"
check "its files" is "$(cd "$root" && find . -type f | sort | tr "\n" " ")" "./usr/bin/collect \
./usr/bin/hwsummarize ./usr/bin/hwsummarize-ci ./usr/libexec/collect/collect-recorder \
./usr/share/bash-completion/completions/collect ./usr/share/bash-completion/completions/hwsummarize \
./usr/share/bash-completion/completions/hwsummarize-ci ./usr/share/doc/hwsummarize/changelog.Debian.gz \
./usr/share/doc/hwsummarize/changelog.gz ./usr/share/doc/hwsummarize/copyright ./usr/share/man/man1/collect.1.gz \
./usr/share/man/man1/hwsummarize-ci.1.gz ./usr/share/man/man1/hwsummarize.1.gz \
./usr/share/man/man5/hwsummarize-run.5.gz ./usr/share/zsh/vendor-completions/_hwsummarize "
check "it depends on what it is linked with" is \
	"$(dpkg -f "$package" Depends | tr ',' '\n' | sed 's/^ *\([^ ]*\).*/\1/' | sort | tr '\n' ' ')" \
	"libc6 libcjson1 libcsv3 libsqlite3-0 libzstd1 zlib1g "
check "its own test passes" sh "$ROOT/debian/tests/smoke" "$root/usr/bin"
printf '#!/bin/sh\nexit 3\n' >"$work/none" && chmod +x "$work/none"
mkdir "$work/broken" && cp "$work/none" "$work/broken/collect" && cp "$root/usr/bin/hwsummarize" "$work/broken"
check "... and fails where nothing is recorded" sh -c '! sh "$1" "$2"' - "$ROOT/debian/tests/smoke" "$work/broken"
for run in host-stress-10hz host-compile-1hz; do
	(cd "$ROOT" && "$root/usr/bin/hwsummarize" --no-db --json "testdata/runs/$run/") >"$work/out" 2>"$work/err"
	check "the installed program summarizes $run" cmp "$ROOT/tests/golden/runs/$run.json" "$work/out"
done
plan
