#!/bin/bash
# What compilers and C libraries add to programs for their beginning and end has no tables; each instruction of it has callers.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/stacks.sh"
need_events
[ "$(uname -m)" = x86_64 ] || skip "of x86 only"
need objdump
have_breakpoints || skip "no breakpoints, or they never fire"
CC=${CC:-cc}
PLAIN='-fno-pie -no-pie -fomit-frame-pointer'	# where its functions are must be known before it runs
STACKS[begin]=$PLAIN
STACKS[begin_static]="$PLAIN -static"
STACKS[begin_32]="$PLAIN -m32"

# The addresses of the instructions, but for what fills gaps: instructions PROGRAM
instructions() {
	objdump -d --no-show-raw-insn "$1" | awk '
		/ <(_init|_fini|frame_dummy|(de)?register_tm_clones|__do_global_dtors_aux)>:$/ { p = 1; next }
		/^$/ { p = 0 }
		p && $2 !~ /^(nop|xchg|cs|data16)/ && !/lea +0x0\(%esi/ { sub(":", "", $1); print $1 }'
}

# A sample at each instruction that runs; the outermost function of each chain is where programs begin.
check() {	# PROGRAM
	local at i events nr=0
	mapfile -t at < <(instructions "$1")
	[ ${#at[@]} -gt 20 ] || fail "$1: few instructions: ${#at[@]}"
	: >all
	for ((i = 0; i < ${#at[@]}; i += 4)); do
		events=()
		for a in "${at[@]:i:4}"; do events+=(-e "mem:0x$a:x:u"); done
		"$PREC" record -q "${events[@]}" -c 1 --call-graph dwarf -o data "./$1" plain 1 >says 2>err ||
			fail "$1: cannot be recorded: $(<err)"
		! grep 'chains-' err || fail "$1: chains that end early"
		chains -i data >>all
	done
	expect "$1: chains that do not reach the beginning" '' "$(grep -v ' _start$' all | sort | uniq -c || true)"
	expect "$1: chains without who is at the end" '' \
		"$(grep '^deregister_tm_clones ' all | grep -v '^[^ ]* __do_global_dtors_aux ' || true)"
	nr=$(cut -d ' ' -f 1 all | sort -u | wc -l)
	[ "$nr" -ge 5 ] || fail "$1: only $nr of the functions were seen"
}

build_stacks "$CC" begin
check begin
# As many breakpoints as there are debug registers, with any kind of chain.
mapfile -t at < <(instructions begin)
for how in -g '--call-graph auto' '--call-graph dwarf' '--call-graph fp'; do
	events=()
	for a in "${at[@]:0:4}"; do events+=(-e "mem:0x$a:x:u"); done
	# shellcheck disable=SC2086
	"$PREC" record -q $how "${events[@]}" -c 1 -o data ./begin plain 1 >says 2>err || fail "four breakpoints with $how: $(<err)"
done
for name in begin_static begin_32; do
	if build_stacks "$CC" $name 2>build.log; then
		check $name
	else
		part_skipped "not built: $name: $(tail -1 build.log)"
	fi
done
