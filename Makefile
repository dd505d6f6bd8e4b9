# make          builds build/bin/collect, build/bin/hwsummarize and build/bin/hwsummarize-ci
# make demo     sets up what is missing, builds, summarizes testdata/runs
# make test     sets up what is missing, runs the tests in minutes; last line: N passed, N failed
# make test-long  runs those that take longer, and others more thoroughly, in an hour or more
# make golden   rewrites the expected outputs; the diff is the review
# make bench    speed, as ratios measured side by side
# make judge    sick and healthy recordings: which are found, which are accused (SHARED: real ones)
# make coverage which lines and branches the tests run, by file
# make pictures takes those of README anew, and others to be looked at in build/pictures
# make fuzz     libFuzzer on every reader (FUZZ_SECONDS each; clang)
# make format   clang-format over all sources
# make install  programs, man pages and completion below PREFIX (/usr/local) in DESTDIR
#
# Another build beside the usual one: make BUILD=build/asan SANITIZE=address,undefined

CC       = cc
BUILD    = build
CFLAGS   = -O2 -g
# ISO C asks compilers for literals of 4095 characters only; gcc and clang know no end.
WARNINGS = -Wall -Wextra -Wpedantic -Wno-overlength-strings -Wshadow -Wconversion -Wstrict-prototypes \
           -Wmissing-prototypes -Wvla -Wwrite-strings
SANITIZE =
VERSION  = 0.1.0

ifneq ($(SANITIZE),)
override CFLAGS  += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
override LDFLAGS += -fsanitize=$(SANITIZE)
else
# What the compiler has of these, so that a fault is an abort and no way in. The paths keep
# builds in other places equal.
HARDENED := $(shell for flag in -fPIE -fstack-protector-strong -fstack-clash-protection \
            -fcf-protection; do $(CC) -Werror $$flag -x c -c -o /dev/null /dev/null 2>&1 | \
            grep -q . || printf '%s ' $$flag; done)
# glibc's checks need an optimizing compiler.
HARDENED += $(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
override CFLAGS  += $(HARDENED) -ffile-prefix-map=$(CURDIR)=.
override LDFLAGS += -pie -Wl,-z,relro,-z,now
endif

STD      = -std=c17
CPPFLAGS += -pthread -D_XOPEN_SOURCE=700 -Ianalyze -I$(BUILD)/gen -DVERSION='"$(VERSION)"'
LIBS     = $(shell pkg-config --libs sqlite3 libcjson zlib 2>/dev/null) -lcsv -lm -pthread

# Only where the library is: without it a zstd file is refused in one sentence.
ZSTD    := $(shell pkg-config --exists libzstd 2>/dev/null && echo yes)
ifeq ($(ZSTD),yes)
CPPFLAGS += -DHAVE_ZSTD
LIBS    += -lzstd
endif

# Likewise: without it `push` says so.
LIBPQ   := $(shell pkg-config --exists libpq 2>/dev/null && echo yes)
ifeq ($(LIBPQ),yes)
CPPFLAGS += -DHAVE_LIBPQ $(shell pkg-config --cflags libpq)
LIBS    += -ldl
endif

BIN      = $(BUILD)/bin
STAGES   = base model read rules compute store render foreign cmd
SOURCES  = $(sort $(foreach s,$(STAGES),$(wildcard analyze/$(s)/*.c analyze/$(s)/*/*.c)))
OBJECTS  = $(SOURCES:analyze/%.c=$(BUILD)/obj/%.o)
COLLECT  = $(sort $(wildcard collect/*.c))
UNIT     = $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(sort $(wildcard tests/unit/*_test.c)))
FUZZERS  = $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
GATES    = $(sort $(wildcard schema/gates/*.json))
FINDINGS = $(sort $(wildcard schema/findings/*.json))
MAPS     = $(sort $(wildcard schema/maps/*.json))
SCHEMA   = $(sort $(wildcard schema/[0-9]*.sql)) $(sort $(wildcard schema/views*.sql))

all: $(BIN)/hwsummarize $(BIN)/hwsummarize-ci $(BIN)/collect $(BIN)/collect-recorder

$(BIN)/hwsummarize: $(BUILD)/obj/hwsummarize.o $(BUILD)/libanalyze.a | $(BIN)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/libanalyze.a: $(OBJECTS)
	rm -f $@ && ar rcs $@ $^

$(BUILD)/obj/%.o: analyze/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(STD) $(CPPFLAGS) $(WARNINGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# The files of SQL with the columns that the .def files make.
$(BUILD)/gen/columns: schema/columns.c $(wildcard schema/*.def analyze/model/*.h)
	@mkdir -p $(@D)
	$(CC) $(STD) $(CPPFLAGS) $(WARNINGS) -o $@ $<
$(BUILD)/gen/columns.txt: $(BUILD)/gen/columns
	$< >$@
$(BUILD)/gen/sql/%.sql: schema/%.sql $(BUILD)/gen/columns.txt schema/columns.awk
	@mkdir -p $(@D)
	awk -v postgres=$(if $(filter postgres,$*),1) -f schema/columns.awk $(BUILD)/gen/columns.txt $< >$@

# The tables and views as C strings.
$(BUILD)/gen/schema_sql.inc: $(SCHEMA:schema/%=$(BUILD)/gen/sql/%) schema/embed.sh
	sh schema/embed.sh $(filter %.sql,$^) >$@.tmp && mv $@.tmp $@

# What the views and their columns mean.
$(BUILD)/gen/columns_text.inc: schema/columns.txt schema/embed.sh
	@mkdir -p $(@D)
	sh schema/embed.sh $< >$@.tmp && mv $@.tmp $@

# The rules of findings and the maps of other tools' tables as C structs, read by what reads them.
CARRIED = $(BUILD)/obj/rules/carried.o $(BUILD)/obj/read/carried_maps.o
$(BUILD)/gen/tables: schema/tables.c $(filter-out $(CARRIED),$(filter $(foreach \
		s,base model read rules,$(BUILD)/obj/$(s)/%),$(OBJECTS)))
	$(CC) $(STD) $(CPPFLAGS) $(WARNINGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
$(BUILD)/gen/rule_table.inc: $(BUILD)/gen/tables $(FINDINGS)
	$< findings $(FINDINGS) >$@.tmp && mv $@.tmp $@
$(BUILD)/gen/map_table.inc: $(BUILD)/gen/tables $(MAPS)
	$< maps $(MAPS) >$@.tmp && mv $@.tmp $@
$(BUILD)/obj/rules/carried.o: $(BUILD)/gen/rule_table.inc
$(BUILD)/obj/read/carried_maps.o: $(BUILD)/gen/map_table.inc

# What unpacks archives, likewise.
$(BUILD)/gen/archive.sh: analyze/unpack.sh analyze/archive.sh
	@mkdir -p $(@D)
	cat $^ >$@.tmp && mv $@.tmp $@
$(BUILD)/gen/archive.inc: $(BUILD)/gen/archive.sh schema/embed.sh
	sh schema/embed.sh $< >$@.tmp && mv $@.tmp $@

# The rules of gates as C strings.
$(BUILD)/gen/gates.inc: $(GATES) schema/embed.sh
	@mkdir -p $(@D)
	sh schema/embed.sh $(GATES) >$@.tmp && mv $@.tmp $@

# The style of a page: a line that begins with a tab goes on the one before.
$(BUILD)/gen/page.css: analyze/render/page.css
	@mkdir -p $(@D)
	awk '/^\/\*/, /\*\/$$/ { next } !sub(/^\t/, "") && n++ { print "" } { printf "%s", $$0 } END { print "" }' $< >$@
$(BUILD)/gen/page_style.inc: $(BUILD)/gen/page.css schema/embed.sh
	sh schema/embed.sh $< >$@.tmp && mv $@.tmp $@

# What push makes of an empty database.
$(BUILD)/gen/postgres_sql.inc: $(BUILD)/gen/sql/postgres.sql schema/embed.sh
	sh schema/embed.sh $< >$@.tmp && mv $@.tmp $@

# What the program was made from: only it believes what it kept itself.
BUILT_FROM = $(SOURCES) $(sort $(wildcard analyze/*/*.h analyze/*/*/*.h)) $(sort $(wildcard schema/*.def)) \
             $(SCHEMA) $(FINDINGS) $(MAPS)
$(BUILD)/gen/build.inc: $(BUILT_FROM) Makefile
	@mkdir -p $(@D)
	cat $(BUILT_FROM) | cksum | awk '{ printf "#define BUILD_ID \"$(VERSION) %s %s\"\n", $$1, $$2 }' >$@.tmp && mv $@.tmp $@
$(BUILD)/obj/store/report_cache.o: $(BUILD)/gen/build.inc

$(OBJECTS): | $(BUILD)/gen/schema_sql.inc $(BUILD)/gen/columns_text.inc $(BUILD)/gen/postgres_sql.inc $(BUILD)/gen/archive.inc $(BUILD)/gen/gates.inc $(BUILD)/gen/page_style.inc

$(BIN)/hwsummarize-ci: analyze/ci.sh analyze/unpack.sh analyze/ci_runs.sh | $(BIN)
	sed -e '/^\. .*\/unpack\.sh"$$/{ r analyze/unpack.sh' -e 'd; }' \
		-e '/^\. .*ci_runs\.sh"$$/{ r analyze/ci_runs.sh' -e 'd; }' $< >$@.tmp
	chmod 755 $@.tmp && mv $@.tmp $@

$(BIN)/collect: collect/collect Makefile | $(BIN)
	sed 's/^collect_version=.*/collect_version=$(VERSION)/' $< >$@ && chmod 755 $@

$(BIN)/collect-recorder: $(BUILD)/collect/main.o $(BUILD)/libcollect.a | $(BIN)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lutil

$(BUILD)/libcollect.a: $(filter-out $(BUILD)/collect/main.o,$(COLLECT:%.c=$(BUILD)/%.o))
	rm -f $@ && ar rcs $@ $^

$(BUILD)/collect/%.o: collect/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(STD) -D_GNU_SOURCE -DVERSION='"$(VERSION)"' $(WARNINGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BIN):
	mkdir -p $@

# What depends on a library is built anew when it comes or goes.
$(BUILD)/gen/zstd-$(ZSTD):
	@mkdir -p $(@D)
	rm -f $(BUILD)/gen/zstd-* && touch $@
$(BUILD)/gen/libpq-$(LIBPQ):
	@mkdir -p $(@D)
	rm -f $(BUILD)/gen/libpq-* && touch $@
$(BUILD)/obj/store/push.o: $(BUILD)/gen/libpq-$(LIBPQ)
$(BUILD)/obj/read/zstd.o $(BUILD)/tests/packed_test: $(BUILD)/gen/zstd-$(ZSTD)

# Unit tests: cmocka programs, linked with the real objects. They run for an instant: it would
# take longer to optimize them, and to link what a debugger reads (make UNIT_CFLAGS="-O0 -g" UNIT_LDFLAGS=).
UNIT_CFLAGS = $(CFLAGS) -O0 -g0 -U_FORTIFY_SOURCE
UNIT_LDFLAGS = -Wl,-S
$(BUILD)/tests/%: tests/unit/%.c $(BUILD)/libanalyze.a
	@mkdir -p $(@D)
	$(CC) $(STD) $(CPPFLAGS) -Itests/unit -Itests/fuzz $(WARNINGS) $(UNIT_CFLAGS) $(LDFLAGS) $(UNIT_LDFLAGS) -MMD -MP \
		-o $@ $< $(BUILD)/libanalyze.a -lcmocka $(LIBS)

$(BUILD)/tests/collect_%: tests/unit/collect_%.c $(BUILD)/libcollect.a
	@mkdir -p $(@D)
	$(CC) $(STD) -D_GNU_SOURCE -I. $(WARNINGS) $(UNIT_CFLAGS) $(LDFLAGS) $(UNIT_LDFLAGS) -MMD -MP \
		-o $@ $< $(BUILD)/libcollect.a -lcmocka -lutil

# Fuzz targets: under libFuzzer (make fuzz), and as programs that replay their corpus.
$(BUILD)/replay/%: tests/fuzz/fuzz_%.c tests/fuzz/replay.c $(wildcard tests/fuzz/*.h) \
		$(BUILD)/libanalyze.a
	@mkdir -p $(@D)
	$(CC) $(STD) $(CPPFLAGS) -Itests/fuzz $(WARNINGS) $(CFLAGS) $(LDFLAGS) -MMD -MP \
		-o $@ tests/fuzz/fuzz_$*.c tests/fuzz/replay.c $(BUILD)/libanalyze.a $(LIBS)

# Logs damaged byte by byte.
$(BUILD)/tests/damage: $(wildcard tests/damage/*.[ch]) tests/fuzz/fuzz.h $(BUILD)/libanalyze.a
	@mkdir -p $(@D)
	$(CC) $(STD) $(CPPFLAGS) -Itests/damage -Itests/fuzz $(WARNINGS) $(CFLAGS) $(LDFLAGS) \
		-o $@ $(wildcard tests/damage/*.c) $(BUILD)/libanalyze.a $(LIBS)

FUZZ_SECONDS = 60
fuzz: | build/fuzz
	sh tests/fuzz/fuzz.sh $(FUZZ_SECONDS) $(FUZZERS)
build/fuzz:
	mkdir -p $@

unit: $(UNIT)
damage: $(BUILD)/tests/damage
replay: $(FUZZERS:%=$(BUILD)/replay/%)

setup:
	@sh tests/setup.sh build
setup-test:
	@sh tests/setup.sh build test
	@sh tests/setup.sh validators

# A second make: the first can't know what pkg-config will say after the set-up.
demo: setup
	@$(MAKE) --no-print-directory -s all
	@sh tests/demo.sh $(BIN)

test: setup-test
	@$(MAKE) --no-print-directory -s -j$$(getconf _NPROCESSORS_ONLN) WARNINGS='$(WARNINGS) -Werror' \
		all unit damage
	@sh tests/run.sh $(BIN) $(TESTS)

test-long: setup-test
	@$(MAKE) --no-print-directory -s -j$$(getconf _NPROCESSORS_ONLN) all unit
	@LONG=yes LIMIT=7200 sh tests/run.sh $(BIN) $(TESTS)

golden: all
	@UPDATE_GOLDEN=1 BIN=$(abspath $(BIN)) sh tests/golden/golden_test.sh
	@UPDATE_GOLDEN=1 BIN=$(abspath $(BIN)) sh tests/db/views_test.sh
	@UPDATE_GOLDEN=1 python3 tests/layer/diagnostics.py
	@UPDATE_GOLDEN=1 BIN=$(abspath $(BIN)) sh tests/db/cookbook_test.sh
	@UPDATE_GOLDEN=1 BIN=$(abspath $(BIN)) sh tests/db/questions_test.sh

bench: all
	@sh tests/bench/bench.sh $(BIN)

judge: all
	@PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/judge/judge.py $(BIN) $${SHARED:-../shared}

# Not the tests of builds, which make their own.
COVERED = unit golden oracle property damage db e2e foreign formats
coverage:
	@sh tests/setup.sh build test coverage
	@$(MAKE) --no-print-directory -s BUILD=build/coverage CFLAGS='-O1 -g --coverage' \
		LDFLAGS=--coverage all unit damage
	@sh tests/run.sh build/coverage/bin $(COVERED)
	@for kind in '' --branches; do \
		gcovr --object-directory build/coverage --filter analyze/ --filter collect/ $$kind; done

pictures:
	@sh tests/setup.sh validators pictures
	@$(MAKE) --no-print-directory -s all
	@sh docs/pictures/pictures.sh $(BIN) $(BUILD)/pictures
	@cp $(BUILD)/pictures/report.png $(BUILD)/pictures/terminal.png docs

PREFIX = /usr/local
# Where zsh looks; Debian's packages have a place of their own.
ZSH_COMPLETION = share/zsh/site-functions
INSTALLED = bin/hwsummarize bin/hwsummarize-ci bin/collect libexec/collect/collect-recorder \
            share/man/man1/hwsummarize.1 share/man/man1/hwsummarize-ci.1 share/man/man1/collect.1 \
            share/man/man5/hwsummarize-run.5 $(ZSH_COMPLETION)/_hwsummarize \
            $(addprefix share/bash-completion/completions/,hwsummarize hwsummarize-ci collect)
vpath %.1 analyze/man collect
vpath %.5 collect
vpath _% analyze/completion
vpath %.bash analyze/completion

install: all $(INSTALLED:%=$(DESTDIR)$(PREFIX)/%)
uninstall:
	rm -f $(INSTALLED:%=$(DESTDIR)$(PREFIX)/%)
	rmdir $(DESTDIR)$(PREFIX)/libexec/collect 2>/dev/null || :
$(DESTDIR)$(PREFIX)/bin/%: $(BIN)/%
	install -D -m 755 $< $@
$(DESTDIR)$(PREFIX)/libexec/collect/%: $(BIN)/%
	install -D -m 755 $< $@
$(DESTDIR)$(PREFIX)/share/man/man1/%: %
	install -D -m 644 $< $@
$(DESTDIR)$(PREFIX)/share/man/man5/%: %
	install -D -m 644 $< $@
$(DESTDIR)$(PREFIX)/$(ZSH_COMPLETION)/%: %
	install -D -m 644 $< $@
$(DESTDIR)$(PREFIX)/share/bash-completion/completions/%: hwsummarize.bash
	install -D -m 644 $< $@

# What is committed, equal bytes from each checkout.
dist:
	@mkdir -p $(BUILD)
	git archive --prefix=hwsummarize-$(VERSION)/ HEAD | gzip -n9 >$(BUILD)/hwsummarize-$(VERSION).tar.gz

format:
	clang-format -i analyze/*.c analyze/*/*.[ch] analyze/*/*/*.[ch] collect/*.[ch] tests/*/*.[ch]

clean:
	rm -rf build

-include $(OBJECTS:.o=.d) $(wildcard $(BUILD)/collect/*.d) $(BUILD)/obj/hwsummarize.d $(wildcard $(BUILD)/tests/*.d)

.PHONY: all install uninstall demo test test-long golden bench judge coverage pictures fuzz unit damage replay setup setup-test dist format clean
.DELETE_ON_ERROR:
