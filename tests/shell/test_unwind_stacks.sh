#!/bin/bash
# Programs that tell their own stacks are unwound to exactly those, while recording or later, however they are built.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/stacks.sh"
# Runs: slow
need_events
case $(uname -m) in x86_64 | aarch64) ;; *) skip "no user registers on $(uname -m)" ;; esac
CC=${CC:-cc}

ROOTS='_start clone3 __clone3 clone __clone __start_context thread_start'

check() {	# WHAT PROGRAM CASE ROOTS
	check_program "$1, $3" "$4" "$2" "$3" 40
}

build() {	# NAME FLAGS...
	local name=$1
	shift
	# shellcheck disable=SC2086
	$CC -std=gnu11 -D_GNU_SOURCE -I"$SRC" -g -O2 -fno-optimize-sibling-calls "$@" -o "$name" "$SRC/tests/work/stacks.c" -lpthread \
		2>build.log
}

# What is in no copy of the stack cannot be known; why is told. Frame pointers lead around it.
check_ends() {	# NAME
	check "$1" ./"$1" hole ''
	[ "$1/${MODE[1]}" = pointers/auto,16384 ] || expect_finding chains-uncopied err 'a page of the stack that was not in memory'
	[ "$1" != bits32 ] || return 0
	check "$1" ./"$1" altstack ''
	[ "$1/${MODE[1]}" = pointers/auto,16384 ] || expect_finding chains-other-stack err 'where one stack goes on to another'
}

check_all() {	# NAME
	local c
	for c in plain recursion small tail plt ifunc vdso realigned alloca sort signal threads coroutine; do
		# Programs of 32 bits return from signals through their vdso, which is in no file here; their libc has few symbols.
		case $1/$c in bits32/vdso | bits32/signal | bits32/threads | bits32/coroutine) continue ;; esac
		check "$1" ./"$1" $c "$ROOTS"
		# A thread's first instructions have no tables, and swapcontext()'s tables do not tell that it has gone to the other stack.
		[ $c = coroutine ] || ! grep -E 'chains-(misfit|other-stack)' err || fail "$1, $c: chains that end early"
	done
	check_ends "$1"
}

seen=0
variant() {	# NAME FLAGS...
	local c
	build "$@" || { echo "not built: $*: $(tail -1 build.log)"; return; }
	seen=$((seen + 1))
	MODE=(--call-graph dwarf,16384)
	check_all "$1"
	MODE=(--call-graph dwarf,16384 --unwind=live)
	check_all "$1"
	MODE=(--call-graph auto,16384)
	check_all "$1"
	[ "$1" = plain ] || return 0
	# Only without optimization has each function a frame record.
	MODE=(--call-graph fp)
	for c in plain recursion realigned alloca; do
		check "$1" ./"$1" $c ''
	done
}

variant tables -fomit-frame-pointer
variant pointers -fno-omit-frame-pointer $([ "$(uname -m)" = x86_64 ] && echo -mno-omit-leaf-frame-pointer)
variant static -static
variant static_pie -static-pie
variant debug_frame -fno-asynchronous-unwind-tables -fomit-frame-pointer
variant plain -O0
if [ "$(uname -m)" = x86_64 ]; then
	variant bits32 -m32
	variant two_tables -fomit-frame-pointer -fcf-protection=full -Wl,-z,ibtplt	# .plt and .plt.sec
fi
[ $seen -ge 3 ] || fail "only $seen programs could be built"

# ---- programs that take each other's place ----

# Both are at the same addresses, with other code and other frames there: who takes one's tables for the other's finds no caller.
for file in one_place:-O2 other_place:-O0; do
	$CC -std=gnu11 -D_GNU_SOURCE -I"$SRC" -g ${file#*:} -fno-pie -no-pie -fomit-frame-pointer -fno-optimize-sibling-calls -o "${file%:*}" \
		"$SRC/tests/work/stacks.c" -lpthread
done
cat >turns <<'E2'
for i in $(seq 20); do
	sh -c 'exec ./one_place plain 10' >/dev/null
	sh -c 'exec ./other_place plain 10' >/dev/null
done
exec ./one_place plain 10
E2
for way in 'dwarf,16384 --unwind=live' 'auto,16384'; do
	# shellcheck disable=SC2206
	MODE=(--call-graph $way)
	check_program 'programs in turn' "$ROOTS" sh turns
	[ "$(tail -1 judged | cut -d ' ' -f 1)" -ge 400 ] || fail "programs in turn: few chains: $(tail -1 judged)"
	# Each sample that was taken is there, and none twice.
	expect 'programs in turn: samples' "$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)" "$("$PREC" script -i data -G -F event 2>/dev/null | wc -l)"
done
