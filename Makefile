# One Makefile, no recursion. Objects and programs go to $(B). `make help` lists targets and variables.

CC     ?= cc
CROSS  ?=
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
WARN   := -Wall -Wextra -Wno-missing-field-initializers -Wno-unused-parameter -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(if $(WERROR),-Werror)
Q      := $(if $(V),,@)

.PHONY: all programs install deps demo test test-vm test-all bench lint fuzz fuzz-commands query-page clean help deb
all: programs

# --- Kind of build -----------------------------------------------------------

B := build
ifdef SAN
B := build-san
KIND := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
endif
ifdef TSAN
B := build-tsan
# GCC warns of fences, which its ThreadSanitizer does not follow; the recorder that has one has a single thread for hardware trace.
KIND := -O1 -fsanitize=thread -Wno-tsan
endif
ifneq ($(filter fuzz,$(MAKECMDGOALS)),)
B := build-fuzz
CC := clang
KIND := -O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
endif
ifneq ($(CROSS),)
CC := $(CROSS)gcc $(if $(SYSROOT),--sysroot=$(SYSROOT))
AR := $(CROSS)ar
B  := build-$(CROSS:-=)
ifneq ($(SYSROOT),)
PKG_CONFIG ?= PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) \
	PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/$(CROSS:-=)/pkgconfig:$(SYSROOT)/usr/share/pkgconfig pkg-config
endif
PKG_CONFIG ?= PKG_CONFIG_LIBDIR=/usr/lib/$(CROSS:-=)/pkgconfig:/usr/share/pkgconfig pkg-config
endif
PKG_CONFIG ?= pkg-config

# --- What the machine has ----------------------------------------------------

REQUIRED := libelf libdw libzstd capstone zlib
have_lib  = $(shell $(PKG_CONFIG) --exists $(1) 2>/dev/null && echo yes)
# Makes differ in what they take \# for within a function.
HASH     := \#
have_head = $(shell echo '$(HASH)include <$(1)>' | $(CC) -E -o /dev/null - 2>/dev/null && echo yes)
lib_file  = $(shell $(CC) -print-file-name=$(1) 2>/dev/null)
have_cmd  = $(shell command -v $(1) 2>/dev/null)

# The Debian package of each thing that is not there; the second list only adds to what prec or its tests can do.
DEB_CC  := $(if $(CROSS),gcc-$(CROSS:-=),$(if $(filter clang,$(CC)),clang libclang-rt-dev,gcc libc6-dev))
DEB_FOR := $(if $(CROSS),:$(patsubst aarch64-%,arm64,$(CROSS)))
DEB_zlib := zlib1g-dev
MISSING := $(if $(call have_cmd,$(CC)),,$(DEB_CC)) \
	   $(if $(call have_cmd,pkg-config),,pkg-config) \
	   $(foreach l,$(REQUIRED),$(if $(call have_lib,$l),,$(or $(DEB_$l),lib$(patsubst lib%,%,$l)-dev)$(DEB_FOR)))
IBERTY  := $(if $(filter /%,$(call lib_file,libiberty.a)),$(call have_head,libiberty/demangle.h))
LZMA    := $(call have_lib,liblzma)
CURSES  := $(call have_lib,ncursesw)
EDIT    := $(call have_lib,libedit)
LIBBPF  := $(call have_lib,libbpf)
SQLITE  := $(call have_lib,'sqlite3 >= 3.38')
# The BPF program that reads Python's frames knows where x86-64 keeps a thread's pointer.
CLANG   := $(if $(filter x86_64,$(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))),$(call have_cmd,clang))
PYTHON  := $(and $(LIBBPF),$(CLANG))
PFM     := $(if $(filter /%,$(call lib_file,libpfm.so) $(call lib_file,libpfm.a)),$(call have_head,perfmon/pfmlib_perf_event.h))
WANTED  := $(if $(IBERTY),,libiberty-dev$(DEB_FOR)) $(if $(LZMA),,liblzma-dev$(DEB_FOR)) $(if $(CURSES),,libncurses-dev$(DEB_FOR)) $(if $(EDIT),,libedit-dev$(DEB_FOR)) $(if $(LIBBPF),,libbpf-dev$(DEB_FOR)) $(if $(PFM),,libpfm4-dev$(DEB_FOR)) $(if $(SQLITE),,libsqlite3-dev$(DEB_FOR))
# What the tests of a goal can use: program:package.
TOOLS := perf:linux-perf qemu-system-x86_64:qemu-system-x86 xz:xz-utils zstd:zstd tmux:tmux less:less strace:strace xxd:xxd \
	 debuginfod:debuginfod dwz:dwz jq:jq trc_pkt_lister:libopencsd-bin chromium:chromium python3:python3 go:golang-go \
	 valgrind:valgrind g++:g++ musl-gcc:musl-tools clickhouse-server:clickhouse-server clickhouse-client:clickhouse-client \
	 clang:clang ld.lld:lld qemu-arm:qemu-user llvm-symbolizer:llvm llvm-bolt-16:bolt-16 genhtml:lcov \
	 bpftrace:bpftrace \
	 aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc:libc6-dev-arm64-cross \
	 $(if $(wildcard /lib64/ld-linux-x86-64.so.2),i686-linux-gnu-gcc:gcc-i686-linux-gnu i686-linux-gnu-gcc:libc6-dev-i386-cross \
	 /lib/ld-linux.so.2:libc6-i386)
EMULATORS := qemu-system-aarch64:qemu-system-arm qemu-aarch64:qemu-user
LINTERS := shellcheck:shellcheck mandoc:mandoc $(if $(filter no,$(TIDY)),,clang-tidy:clang-tidy)
packages = $(foreach t,$(1),$(if $(call have_cmd,$(firstword $(subst :, ,$t))),,$(lastword $(subst :, ,$t))))
ifneq ($(filter test test-vm test-all bench,$(MAKECMDGOALS)),)
WANTED  += $(call packages,$(TOOLS)) $(if $(call have_head,intel-pt.h),,libipt-dev)
endif
ifneq ($(filter test-vm test-all,$(MAKECMDGOALS)),)
WANTED  += $(call packages,$(EMULATORS))
endif
ifneq ($(filter lint,$(MAKECMDGOALS)),)
WANTED  += $(call packages,$(LINTERS))
endif
MISSING := $(strip $(MISSING))
WANTED  := $(strip $(WANTED))

# Each goal has installed what it wants and no goal before it asked for: TRIED is in the file, also what could not be had.
# Whoever makes a file that is included makes make start again, and it then finds what was installed.
ifneq ($(filter demo test test-vm test-all bench lint,$(MAKECMDGOALS)),)
-include $(B)/installed.mk
UNTRIED := $(filter-out $(TRIED),$(MISSING) $(WANTED))
ifneq ($(UNTRIED),)
ifneq ($(findstring n,$(firstword -$(MAKEFLAGS))),)
$(info .ci/deps $(filter $(UNTRIED),$(MISSING)) -- $(filter $(UNTRIED),$(WANTED)))
else
.PHONY: always
$(B)/installed.mk: always
	@.ci/deps $(filter $(UNTRIED),$(MISSING)) -- $(filter $(UNTRIED),$(WANTED))
	@mkdir -p $(@D) && echo 'TRIED := $(sort $(TRIED) $(UNTRIED))' >$@
endif
endif
endif

deps:
	@.ci/deps $(MISSING) -- $(WANTED) $(if $(call have_cmd,perf),,linux-perf)

# --- Sources -----------------------------------------------------------------

LIBS      = $(shell $(PKG_CONFIG) --libs $(REQUIRED) $(if $(CURSES),ncursesw) $(if $(EDIT),libedit) $(if $(LIBBPF),libbpf) $(if $(LZMA),liblzma) $(if $(SQLITE),sqlite3) 2>/dev/null) $(if $(IBERTY),-liberty) $(if $(PFM),-lpfm) -lpthread -ldl -lm
LIBS     := $(LIBS)
CPPFLAGS += -D_GNU_SOURCE -I. $(shell $(PKG_CONFIG) --cflags $(REQUIRED) 2>/dev/null)
TARGET   := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))

# One file says what the host can do, one what an optional library does or what stands in for it.
NATIVE_x86_64  := arch/x86/native.c
NATIVE_aarch64 := arch/arm64/native.c
NATIVE := $(or $(NATIVE_$(TARGET)),core/native_none.c)
UNUSED := $(if $(IBERTY),%/demangle_none.c,%/demangle.c) $(if $(LZMA),%/xz_none.c,%/xz.c) \
	  $(if $(CURSES),%/browse_none.c,%/browse.c %/screen_curses.c) $(if $(EDIT),%/prompt_none.c,%/prompt_edit.c) $(if $(LIBBPF),%/bpf_object_none.c,%/bpf_object.c %/bpf_maps.c %/bpf_maps_json.c %/bpf_variables.c %/bpf_types.c %/bpf_entries.c) \
	  $(if $(PYTHON),%/python_program_none.c,%/python_program.c) \
	  $(if $(PFM),%/vendor_event_none.c,%/vendor_event.c) \
	  $(if $(SQLITE),%/query_none.c,$(addprefix core/show/query/,query.c data.c functions.c hint.c samples.c sum_rows.c counts.c lines_table.c row_lists.c branch_tables.c calls_table.c counts_table.c pairs_table.c percentiles.c diff_table.c virtual_table.c profile_tables.c record_tables.c session_tables.c))

SRC := $(wildcard core/*.c core/*/*.c core/*/*/*.c core/*/*/*/*.c arch/*/*.c auxtrace/*.c auxtrace/*/*.c)
SRC := $(filter-out %.bpf.c %/native.c core/native_none.c $(UNUSED),$(SRC)) $(NATIVE)
CMD := $(wildcard cmd/*.c)
LIB := $(patsubst %.c,$(B)/%.o,$(SRC) $(filter-out cmd/main.c,$(CMD)))

# --- prec --------------------------------------------------------------------

ifneq ($(MISSING),)
programs:
	@echo "make: these Debian packages are missing: $(MISSING)" >&2
	@echo "make: 'make deps' installs them; on other distributions see README.md" >&2
	@false
else
programs: $(B)/prec $(if $(filter build,$(B)),prec)
endif

prec: $(B)/prec
	$(Q)cp $< $@

$(B)/prec: $(B)/cmd/main.o $(B)/prec.a
	@echo "  LD    $@ (C++, Rust, D names: $(if $(IBERTY),libiberty,not demangled; libiberty-dev is missing))"
	$(Q)$(CC) $(CFLAGS) $(KIND) $(LDFLAGS) -Wl,--as-needed -o $@ $^ $(LIBS)

$(B)/prec.a: $(LIB)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# One line a file; for the demo, whose last lines are what is to be read, one a folder of the top.
TOP_OF = $(firstword $(subst /, ,$<))
SAY_CC = $(if $(filter demo,$(MAKECMDGOALS)),test -d $(B)/$(TOP_OF) || echo "  CC    $(TOP_OF)/",echo "  CC    $@")

$(B)/%.o: %.c
	@$(SAY_CC)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 $(CPPFLAGS) $(CFLAGS) $(KIND) $(WARN) -MMD -MP -c -o $@ $<

# The page of core/show/export/html is assembled from its parts, and becomes bytes of the program.
PAGE := $(wildcard core/show/export/html/page.html core/show/export/html/*.css core/show/export/html/*.js)
$(B)/core/show/export/html/page.html: core/show/export/html/assemble $(PAGE)
	@mkdir -p $(@D)
	$(Q)$< >$@.new && mv $@.new $@
$(B)/core/show/export/html/html.o: $(B)/core/show/export/html/page.html
$(B)/core/show/diff/tree_page.html: core/show/diff/tree_page.html core/show/export/html/names.js
	@mkdir -p $(@D)
	$(Q)sed -e '/^@NAMES@$$/{r core/show/export/html/names.js' -e 'd}' $< >$@.new && mv $@.new $@
$(B)/core/show/diff/tree_page.o: $(B)/core/show/diff/tree_page.html
$(B)/core/show/diff/tree_page.o: CPPFLAGS += -DTREE_PAGE='"$(B)/core/show/diff/tree_page.html"'
$(B)/core/show/export/svg.o: core/show/export/svg.js core/show/export/html/names.js
$(B)/core/show/export/html/html.o: CPPFLAGS += -DHTML_PAGE='"$(B)/core/show/export/html/page.html"'

# What reads Python's frames in the kernel becomes bytes of the program, too.
$(B)/core/record/bpf/python.bpf.o: core/record/bpf/python.bpf.c core/record/bpf/python_records.h
	@echo "  BPF   $@"
	@mkdir -p $(@D)
	$(Q)$(CLANG) -target bpf -O2 -g -Wall -I. -I/usr/include/$(shell $(CC) -print-multiarch 2>/dev/null) -c -o $@ $<
	$(Q)$(if $(call have_cmd,llvm-strip),llvm-strip -g $@)
ifneq ($(PYTHON),)
$(B)/core/record/bpf/python_program.o: $(B)/core/record/bpf/python.bpf.o
$(B)/core/record/bpf/python_program.o: CPPFLAGS += -DPYTHON_BPF='"$(B)/core/record/bpf/python.bpf.o"'
endif

install: all
	install -D -m 755 $(B)/prec $(DESTDIR)$(PREFIX)/bin/prec
	install -d $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 $(wildcard man/*.1) $(DESTDIR)$(PREFIX)/share/man/man1
	install -d $(DESTDIR)$(PREFIX)/share/man/man7
	install -m 644 $(wildcard man/*.7) $(DESTDIR)$(PREFIX)/share/man/man7
	install -d $(DESTDIR)$(PREFIX)/share/prec/queries
ifeq ($(CROSS),)
	for name in $$($(B)/prec query -l | awk '/^[a-z]/ { print $$1 }'); do \
		$(B)/prec query -l "@$$name" >$(DESTDIR)$(PREFIX)/share/prec/queries/$$name.sql || exit; done
endif
	install -D -m 644 cmd/completion/prec.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/prec
	install -D -m 644 cmd/completion/_prec $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_prec
	install -D -m 644 cmd/completion/prec.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/prec.fish

# A package for this machine's Debian or Ubuntu.
deb: all
	@MAKE='$(MAKE)' .ci/deb $(B) $(shell sed -n 's/^.define PREC_VERSION "\(.*\)"/\1/p' cmd/cmd.h)

# --- Programs of the tests ---------------------------------------------------

# tests/work: what tests record. Plain programs, never sanitized: what they do is what is measured.
WORK := $(patsubst %.c,$(B)/%,$(filter-out %.bpf.c,$(wildcard tests/work/*.c)))
$(WORK): $(B)/%: %.c
	@echo "  CC    $@"
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -I. -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls \
		$(WARN) -MMD -MP -MF $@.d -MT $@ $(WORKFLAGS) -o $@ $< -lpthread
# Its callers are to be seen by frame pointers alone, also of functions that call nothing.
$(B)/tests/work/demo: WORKFLAGS := -mno-omit-leaf-frame-pointer
# Where its functions are must be known before it runs.
$(B)/tests/work/calls: WORKFLAGS := -fno-pie -no-pie

# Who called is to be known by unwind tables alone.
$(B)/tests/work/nest: WORKFLAGS := -fomit-frame-pointer -fasynchronous-unwind-tables
# Its frame pointers lead astray; where its functions are is to be known by a disassembler.
$(B)/tests/work/astray: WORKFLAGS := -fomit-frame-pointer -fno-pie -no-pie -static

# tests/lib: what tests of several folders share. The other folders: each .c with a main is a program with prec.a and
# tests/lib; files of the folder without one are linked into all of its programs.
TEST_LIB := $(patsubst %.c,$(B)/%.o,$(wildcard tests/lib/*.c))
define folder
$(1)_MAIN := $$(sort $$(wildcard tests/$(1)/*_test.c) $(shell grep -ls '^int main\b' tests/$(1)/*.c))
$(1)_REST := $$(patsubst %.c,$(B)/%.o,$$(filter-out $$($(1)_MAIN),$$(wildcard tests/$(1)/*.c)))
$(1)_PROG := $$($(1)_MAIN:%.c=$(B)/%)
$$($(1)_PROG): %: %.o $$($(1)_REST) $$(TEST_LIB) $(B)/prec.a
	@echo "  LD    $$@"
	$$(Q)$$(CC) $$(CFLAGS) $$(KIND) $$(LDFLAGS) -o $$@ $$^ $$(LIBS)
endef
$(foreach f,unit mkdata trace bench vm,$(eval $(call folder,$f)))

# tests/fuzz/x_fuzz.c has LLVMFuzzerTestOneInput(). Tests run it on seeds and simple mutations of them, `make fuzz` for long.
FUZZ := $(patsubst %.c,$(B)/%,$(filter-out $(if $(LIBBPF),,%/bpf_fuzz.c),$(wildcard tests/fuzz/*_fuzz.c)))
FUZZ_REST := $(patsubst %.c,$(B)/%.o,$(filter-out %_fuzz.c tests/fuzz/driver.c,$(wildcard tests/fuzz/*.c)))
ifneq ($(filter fuzz,$(MAKECMDGOALS)),)
FUZZ_MAIN := -fsanitize=fuzzer
else
FUZZ_MAIN := $(B)/tests/fuzz/driver.o
endif
$(FUZZ): %: %.o $(FUZZ_REST) $(TEST_LIB) $(filter %.o,$(FUZZ_MAIN)) $(B)/prec.a
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(KIND) $(LDFLAGS) -o $@ $(filter-out $(FUZZ_MAIN),$^) $(FUZZ_MAIN) $(LIBS)

CHECKS := $(WORK) $(unit_PROG) $(mkdata_PROG) $(trace_PROG) $(vm_PROG) $(FUZZ)
.SECONDARY:

# --- Running -----------------------------------------------------------------

# Four threads do the same work: what is asked for is where the time goes in all of them.
DEMO_REPORT := --no-children -s symbol -g none --percent-limit 5 --no-pager

demo: all $(B)/tests/work/demo
	$(B)/prec record -g -o $(B)/demo.data $(B)/tests/work/demo
	$(B)/prec report -i $(B)/demo.data $(DEMO_REPORT)
	@echo "To go on: ./prec report -i $(B)/demo.data -G            functions and their callers, by thread"
	@echo "          ./prec record -g PROGRAM && ./prec report     the same of a program of yours"

test: all $(CHECKS)
	@BUILD=$(CURDIR)/$(B) tests/run $(TESTS)

# Those that boot a virtual machine alone; they are among the others, too.
test-vm: all $(CHECKS)
	@BUILD=$(CURDIR)/$(B) tests/run --long test_vm_ test_cross_

test-all: all $(CHECKS)
	@BUILD=$(CURDIR)/$(B) tests/run --long $(TESTS)

bench: all $(CHECKS) $(bench_PROG)
	@BUILD=$(CURDIR)/$(B) tests/bench/run $(ROWS)

FUZZ_SECONDS ?= 60
fuzz: $(FUZZ)
	@for f in $(notdir $(FUZZ)); do \
		mkdir -p $(B)/found/$$f; \
		seeds=tests/fuzz/seeds/$${f%_fuzz}; [ -d $$seeds ] || seeds=; \
		$(B)/tests/fuzz/$$f -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 \
			-print_final_stats=1 -artifact_prefix=$(B)/found/ $(B)/found/$$f $$seeds || exit 1; \
	done

# The tables and queries in the page of prec query, as the program has them.
query-page: all
	man/query_page $(B)/prec <man/prec-query.1 >$(B)/prec-query.1
	cp $(B)/prec-query.1 man/prec-query.1

# Changed recordings through every command, in $(B)/found/commands: without end, or so many RUNS.
fuzz-commands: all $(CHECKS)
	@mkdir -p $(B)/found/commands
	cd $(B)/found/commands && SRC=$(CURDIR) BUILD=$(CURDIR)/$(B) MUTATED_RUNS=$(or $(RUNS),0) \
		MUTATED_SEED=$(or $(SEED),$(shell date +%s)) $(CURDIR)/$(B)/tests/unit/mutated_test

lint:
	@CC='$(CC)' CPPFLAGS='$(CPPFLAGS)' tests/lint $(SRC) $(CMD) $(filter-out %.bpf.c tests/data/%,$(wildcard tests/*/*.c))

clean:
	rm -rf build build-* prec

help:
	@echo 'make             build ./prec'
	@echo 'make demo        record a small program with threads and print its report'
	@echo 'make test        build and run the tests; TESTS="NAME..." runs some'
	@echo 'make test-vm     those in a virtual machine with a PMU for traces; no hardware or KVM needed'
	@echo 'make test-all    the tests that take long, too'
	@echo 'make bench       CPU time beside that of perf, as ratios; ROWS=FILE: of tests/bench/FILE.sh'
	@echo 'make fuzz        fuzz all readers with clang, FUZZ_SECONDS each (60)'
	@echo 'make fuzz-commands  changed recordings through every command, without end (SAN=1; SEED, RUNS)'
	@echo 'make query-page  tables and queries in man/prec-query.1'
	@echo 'make lint        more warnings, and what clang-tidy, shellcheck and mandoc say'
	@echo 'make install     to $$(DESTDIR)$$(PREFIX), default /usr/local'
	@echo 'make deb         a Debian package of that, in build/'
	@echo 'make deps        install the Debian packages that are missing'
	@echo 'make clean'
	@echo
	@echo 'SAN=1            with AddressSanitizer and UndefinedBehaviorSanitizer, in build-san/'
	@echo 'TSAN=1           with ThreadSanitizer, in build-tsan/'
	@echo 'WERROR=1         warnings are errors'
	@echo 'CROSS=PREFIX-    cross compiler, e.g. CROSS=aarch64-linux-gnu-'
	@echo 'SYSROOT=DIR      root of the libraries for CROSS, e.g. $$(tests/vm/sysroot arm64); default: installed ones'
	@echo 'V=1              show the commands'
	@echo
	@echo 'installed: $(foreach l,$(REQUIRED),$l $(or $(call have_lib,$l),NO);) libiberty (optional) $(or $(IBERTY),NO); liblzma (optional) $(or $(LZMA),NO); ncursesw (optional) $(or $(CURSES),NO); libbpf (optional) $(or $(LIBBPF),NO)'

-include $(LIB:.o=.d) $(B)/cmd/main.d $(WORK:=.d)
-include $(patsubst %,%.d,$(unit_PROG) $(mkdata_PROG) $(trace_PROG) $(bench_PROG) $(vm_PROG) $(FUZZ))
-include $(patsubst %.o,%.d,$(TEST_LIB) $(unit_REST) $(mkdata_REST) $(trace_REST) $(bench_REST) $(vm_REST) $(FUZZ_REST) $(B)/tests/fuzz/driver.o)
