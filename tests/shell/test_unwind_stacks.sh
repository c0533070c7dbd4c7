#!/bin/bash
# Programs that tell their own stacks are unwound to exactly those, while recording or later, however they are built.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/stacks.sh"
# Runs: slow
need_events
case $(uname -m) in x86_64 | aarch64) ;; *) skip "no user registers on $(uname -m)" ;; esac
CC=${CC:-cc}

AWAY=
TIME_MS=${TIME_MS:-40}	# of CPU: emulated machines need more for as many chains
ROOTS='_start clone3 __clone3 clone __clone __start_context __startcontext thread_start'

check() {	# WHAT PROGRAM CASE ROOTS
	check_program "$1, $3" "$4" "$2" "$3" "$TIME_MS"
}

# BUILT: where they are already, for a machine without a compiler.
build() {	# NAME
	if [ "${BUILT:-}" ]; then
		cp "$BUILT/$1" .
	else
		build_stacks "$CC" "$1" 2>build.log
	fi || return
	[[ $1 != *bits32 ]] || ./"$1" plain 1 >/dev/null 2>&1 || { echo 'this kernel runs no programs of 32 bits' >build.log; return 1; }
}

# Frame pointers led around it, in the C library of arm64, too, up to where the program begins.
led_around() {	# NAME
	[ "${MODE[1]}" = auto,16384 ] && { [ "$1" = pointers ] || [ "$(judge "$ROOTS" | grep -cv 'right$')" = 0 ]; }
}

# What is in no copy of the stack cannot be known; why is told.
check_ends() {	# NAME
	check "$1" ./"$1" hole ''
	led_around "$1" || expect_finding chains-uncopied err 'a page of the stack that was not in memory'
	check "$1" ./"$1" altstack ''
	led_around "$1" || expect_finding chains-other-stack err 'where one stack goes on to another'
}

check_all() {	# NAME
	local c roots=$ROOTS
	[ -z "${NAMELESS:-}" ] || roots="$ROOTS libc.so.6"
	# The C library of 32 bits that is installed has few symbols; contexts end in a part of makecontext().
	[ "$1" != bits32 ] || roots="$ROOTS libc.so.6 makecontext"
	# Of the vdso of 32 bits, Linux has tables for its system call and what signals return to, and none for the clocks.
	[ "$1" != bits32 ] || AWAY='^[^ ]*vdso[^ ]*$'
	for c in plain recursion small tail plt ifunc vdso realigned alloca sort signal threads coroutine; do
		check "$1" ./"$1" $c "$roots"
		# A thread's first instructions have no tables. In the middle of setcontext(), with which a coroutine ends, who goes on is
		# told by its context alone, which is on no stack.
		! grep -E 'chains-(misfit|other-stack)' err | sed "s/^/$c: /" | grep -Ev '^coroutine: .*: 1 of .*(misfit|other-stack)' || fail "$1, $c: chains that end early"
	done
	# Samples in the kernel are left out: it takes more time. The loader's frames may have pages that it never touches.
	for c in trap kernel; do
		# Some kernels end a program at an int $0x80, soon or late: they have no system calls of 32 bits.
		./"$1" "$c" 200 >/dev/null 2>&1 || { part_skipped "$1, $c: this kernel does not run it"; continue; }
		check_program "$1, $c" "$roots" ./"$1" $c 200
		! grep 'chains-' err | grep -v -e 'tables: \[vdso32\]' -e chains-uncopied || fail "$1, $c: chains that end early"
	done
	[ "$1" != bits32 ] || grep -q '^__kernel_vsyscall [^ ]* calls_kernel ' chains || fail "no sample is in the vdso of 32 bits"
	AWAY=
	check_ends "$1"
}

# Only without optimization has each function a frame record.
check_pointers() {	# NAME
	local c
	MODE=(--call-graph fp)
	for c in plain recursion realigned alloca threads; do
		check "$1" ./"$1" $c ''
	done
}

seen=0
variant() {	# NAME
	local c
	build "$1" || { echo "not built: $1: $(tail -1 build.log)"; return; }
	seen=$((seen + 1))
	MODE=(--call-graph dwarf,16384)
	check_all "$1"
	MODE=(--call-graph dwarf,16384 --unwind=live)
	check_all "$1"
	MODE=(--call-graph auto,16384)
	check_all "$1"
	[ "$1" != plain ] || check_pointers "$1"
}

for name in ${VARIANTS:-tables pointers static static_pie debug_frame plain}; do
	variant "$name"
done
if [ "$(uname -m)" = x86_64 ]; then
	variant bits32
	variant two_tables
	for name in plain_static_pie plain_bits32; do
		if build $name; then check_pointers $name; else echo "not built: $name: $(tail -1 build.log)"; fi
	done
fi
[ $seen -ge 3 ] || fail "only $seen programs could be built"

# ---- from stack to stack ----

# Returns 1 where breakpoints end the program: the kernel of arm64 steps over them, and where the machine is emulated takes that for
# a step of the program's own, which is a signal for it.
record_swaps() {	# EVENT...
	local status=0
	WANTED=133 "$PREC" record -q "$@" -c 1 --call-graph dwarf -o data ./swaps coroutine 2 >/dev/null || status=$?
	[ $status != 133 ] || return 1
	[ $status = 0 ] || fail "swapcontext: status $status of record"
}

# Each instruction of swapcontext(), before and after it has gone to another stack.
build swaps
swaps=$(objdump -d --no-show-raw-insn swaps | awk '/<(__)?swapcontext>:$/ { p = 1; next } /^$/ { p = 0 } p { sub(":", "", $1); print $1 }' | xargs)
read -ra swaps <<<"$swaps"
# That of arm64 puts an address of its own into the link register, of which its tables say nothing.
if [ "$(uname -m)" = x86_64 ] && [ ${#swaps[@]} -gt 0 ] && have_breakpoints; then
	: >chains.swaps
	for ((i = 0; i < ${#swaps[@]}; i += 4)); do
		events=()
		for at in "${swaps[@]:i:4}"; do events+=(-e "mem:0x$at:x:u"); done
		record_swaps "${events[@]}" || { part_skipped 'swapcontext: breakpoints end the program'; break; }
		chains -i data >>chains.swaps
	done
	expect 'swapcontext: chains that are wrong' '' \
		"$(grep -Ev '^(__)?swapcontext (switches main .*_start|(coroutine )?__start_?context)$' chains.swaps | sort | uniq -c || true)"
	[ $i -lt ${#swaps[@]} ] || for end in 'switches main .*' 'coroutine __start_?context' '__start_?context'; do
		grep -Eqx "(__)?swapcontext $end" chains.swaps || fail "swapcontext: no chain with $end: $(sort chains.swaps | uniq -c)"
	done
else
	part_skipped 'swapcontext: no breakpoints that fire, or no objdump'
fi

# ---- programs that take each other's place ----

# Who takes one's tables for the other's finds no caller.
build one_place
build other_place
cat >turns <<'E2'
for i in $(seq 20); do
	sh -c "exec ./one_place plain $1" >/dev/null
	sh -c "exec ./other_place plain $1" >/dev/null
done
exec ./one_place plain $1
E2
for way in 'dwarf,16384 --unwind=live' 'auto,16384'; do
	# shellcheck disable=SC2206
	MODE=(--call-graph $way)
	check_program 'programs in turn' "$ROOTS" sh turns $((TIME_MS / 4))
	[ "$(tail -1 judged | cut -d ' ' -f 1)" -ge $((20 * FEW)) ] || fail "programs in turn: few chains: $(tail -1 judged)"
	# Each sample that was taken is there, and none twice.
	expect 'programs in turn: samples' "$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)" "$("$PREC" script -i data -G -F event 2>/dev/null | wc -l)"
done
