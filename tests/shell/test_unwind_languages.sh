#!/bin/bash
# Programs of C++, Rust and Go, and with musl, that tell their own stacks are unwound to exactly those, while recording or later.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/stacks.sh"
# Runs: slow
need_events
case $(uname -m) in x86_64 | aarch64) ;; *) skip "no user registers on $(uname -m)" ;; esac
HOME_OF_USER=$(getent passwd "$(id -u)" | cut -d : -f 6)
WORK_OF=$SRC/tests/work

each_way() {	# WHAT ROOTS PROGRAM ARG...
	WAYS='dwarf,16384|dwarf,16384 --unwind=live|auto,16384' ways "$@"
}
ways() {	# the same, of WAYS
	local way all
	IFS='|' read -ra all <<<"$WAYS"
	for way in "${all[@]}"; do
		# shellcheck disable=SC2206
		MODE=(--call-graph $way)
		check_program "$@"
	done
}
C_ROOTS='_start clone3 __clone3 clone __clone'

# ---- C++: exceptions in flight ----

# These are left out: before they go to who catches, they have put his registers in their own frame, where their tables say that
# their caller's are.

IN_FLIGHT='^([^ ]+ )?_Unwind_(RaiseException|Resume|Resume_or_Rethrow) '

if command -v g++ >/dev/null; then
	for flags in -O2 -O0 '-O2 -static' '-O2 -fno-omit-frame-pointer' '-O2 -static-libgcc -static-libstdc++'; do
		# shellcheck disable=SC2086
		g++ -g -fno-optimize-sibling-calls $flags -o throw "$WORK_OF/stacks_throw.cc"
		AWAY=$IN_FLIGHT each_way "exceptions, $flags" "$C_ROOTS" ./throw 200
		# Most of the time is that of the C++ library, which looks for who catches.
		[ "$(grep -c '_Unwind_' chains)" -gt 0 ] || fail "exceptions, $flags: none in flight"
	done
else
	part_skipped 'exceptions: no g++'
fi

# ---- Rust ----

RUSTC=$(command -v rustc || ls "$HOME_OF_USER/.cargo/bin/rustc" 2>/dev/null || true)
export RUSTUP_HOME=${RUSTUP_HOME:-$HOME_OF_USER/.rustup}
if [ "$RUSTC" ] && "$RUSTC" --version >/dev/null 2>&1; then
	"$RUSTC" -O -g --crate-name stacks -o rust "$WORK_OF/stacks.rs"
	AWAY=$IN_FLIGHT each_way Rust "$C_ROOTS" ./rust 150
	strip rust -o stripped
	# Nothing but the tables is left; the names are gone, and each chain reaches the start.
	MODE=(--call-graph dwarf,16384)
	"$PREC" record -e cpu-clock:u -c 500000 "${MODE[@]}" -o data ./stripped 60 >/dev/null 2>err
	! grep 'chains-' err || fail "a stripped Rust program has chains that end early"
else
	part_skipped 'Rust: no rustc'
fi

# ---- Go ----

if command -v go >/dev/null; then
	GO111MODULE=off GOCACHE=$PWD/cache GOFLAGS= go build -o go "$WORK_OF/stacks.go"
	# A handler has a stack of its own: of the goroutine's nothing is in the copy.
	AWAY='runtime\.sigreturn' each_way Go runtime.goexit ./go 150
	# Code that has no tables, or goes on on another stack, where only the kernel's chain leads on.
	for flags in '' '-s -w'; do
		GO111MODULE=off GOCACHE=$PWD/cache GOFLAGS= go build -ldflags="$flags" -o astray "$WORK_OF/astray.go"
		"$PREC" record -q -N -g -e cpu-clock:u -c 500000 -o data ./astray >/dev/null 2>&1
		"$PREC" script -i data -F ip,sym 2>/dev/null | awk -v flags="$flags" 'BEGIN { RS = "" } { n++ }
			/duffcopy/ { duff++; through += /duffcopy.*main\.copies.*main\.main/ }
			$NF !~ /^(runtime\.(goexit|mstart|rt0_go|clone|main)|_rt0)/ { open[$NF]++; cut++ }
			END { for (f in open) print open[f], f
			      print flags ": " n " chains, " cut + 0 " cut; " duff " of duffcopy, " through + 0 " with callers"
			      exit !(n > 100 && duff > 20 && through > duff * 0.95 && cut < n * 0.04) }' >told || fail "Go, $(<told)"
		tail -1 told
	done
	chmod -R u+w cache
else
	part_skipped 'Go: no go'
fi

# ---- a JIT compiler, whose code keeps no frame pointers ----

JIT=$(workload stacks_jit)
mkdir dumps
if "$JIT" dumps 0 >/dev/null; then
	each_way 'a JIT compiler' "$C_ROOTS" "$JIT" dumps 60
	# Without a dump: by the code itself, while it is there.
	at_end 'grep -l -E " (inner|outer)_[12]$" /tmp/perf-*.map 2>/dev/null | xargs -r rm -f'
	WAYS='dwarf,16384 --unwind=live|auto,16384' ways 'a JIT compiler without tables' "$C_ROOTS" "$JIT" - 200
	# Trampolines of Python: chains through them reach the start of the program.
	cat >nested.py <<-'EOF'
		import time
		def spin(n): return sum(i * i for i in range(n))
		def inner(n): return spin(n)
		def outer(n): return inner(n)
		while time.process_time() < 0.4: outer(2000)
	EOF
	for python in python3.12 python3.13 "$HOME_OF_USER"/.pyenv/versions/3.1[2-9]*/bin/python3; do
		"$python" -X perf -c 'import sys; sys.exit(not sys.is_stack_trampoline_active())' 2>/dev/null || continue
		for option in perf $("$python" -c 'import sys; print("perf_jit" if sys.version_info > (3, 13) else "")'); do
			"$PREC" record -q -N --no-python --call-graph auto,16384 -e cpu-clock:u -c 1000000 -o data "$python" -X $option nested.py >/dev/null 2>&1
			"$PREC" script -i data --no-inline -F ip,sym 2>/dev/null | awk -v what="$python -X $option" 'BEGIN { RS = "" } { n++ }
				/ py::outer:/ { through++ } $NF !~ /^(_start|clone3|__clone3|clone)$/ { cut++ }
				END { print what ": " n " chains, " through + 0 " through trampolines, " cut + 0 " cut"
				      exit !(n > 50 && through > n / 4 && cut < n / 50) }' >told || fail "$(<told)"
			cat told
		done
	done
	# When the recorder hears of the dump, who wrote it has ended.
	# shellcheck disable=SC2016
	exec "$PREC" record -k mono -e cpu-clock:u -c 1000000 -m 2M --call-graph auto,16384 -o data \
		sh -c 'kill -STOP $PPID; exec "$@"' - "$JIT" dumps 40 >says 2>err & prec=$!
	await 60 eval 'grep -q "^State:.Z" /proc/"$(pgrep -P $prec || echo self)"/status'
	kill -CONT $prec
	wait $prec || fail "a JIT compiler that has ended: $(<err)"
	chains -i data >chains
	judge "$C_ROOTS" >judged
	expect 'a JIT compiler that has ended: chains that are wrong' '' "$(grep -v 'right$' judged | sort | uniq -c || true)"
	[ "$(tail -1 judged | cut -d ' ' -f 1)" -ge $FEW ] || fail "a JIT compiler that has ended: few chains: $(tail -1 judged)"
else
	part_skipped 'a JIT compiler: no code for this processor'
fi

# ---- musl: its library has no tables, and no frame pointers ----

if command -v musl-gcc >/dev/null; then
	for flags in '' -static; do
		# shellcheck disable=SC2086
		musl-gcc $flags -DMUSL -std=gnu11 -D_GNU_SOURCE -I"$SRC" -g -O2 -fomit-frame-pointer -fno-optimize-sibling-calls \
			-o musl "$WORK_OF/stacks.c"
		for c in plain recursion small tail realigned alloca signal threads; do
			# What handlers return to has no name in the library that is shared.
			[ "$flags$c" != signal ] || continue
			each_way "musl, $flags $c" '' ./musl $c 40
		done
	done
else
	part_skipped 'musl: no musl-gcc'
fi
