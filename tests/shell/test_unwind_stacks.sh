#!/bin/bash
# Programs that tell their own stacks are unwound to exactly those, while recording or later, however they are built.
. "$(dirname "$0")/lib/prec.sh"
# Runs: slow
need_events
case $(uname -m) in x86_64 | aarch64) ;; *) skip "no user registers on $(uname -m)" ;; esac
CC=${CC:-cc}

# The functions of each chain, innermost first, a line each.
chains() {
	"$PREC" script --no-inline -F ip,sym "$@" 2>err.script | awk '
		function flush() { if (line != "") print substr(line, 2); line = "" }
		NF == 0 { flush(); next }
		{ sub(/@.*/, "", $2); line = line " " $2 }
		END { flush() }'
}

# Each chain with a function of the stacks in `says` has those of a stack from there on, and ends at a root. How many, and
# those that are wrong.
judge() {	# ROOTS
	awk -v roots="$1" '
		BEGIN { n = split(roots, r); for (i = 1; i <= n; i++) is_root[r[i]] = 1 }
		NR == FNR { stack[++nr] = $0; for (i = 1; i <= NF; i++) known[$i] = 1; next }
		{
			own = ""
			for (i = 1; i <= NF; i++) if ($i in known) own = own " " $i
			if (own == "") next
			good = n == 0 || $NF in is_root
			found = 0
			for (i = 1; i <= nr; i++) {
				at = length(" " stack[i]) - length(own)
				if (at >= 0 && substr(" " stack[i], at + 1) == own) found = 1
			}
			if (good && found) right++; else print
		}
		END { print right + 0, "right" }' says chains
}

ROOTS='_start clone3 __clone3 clone __clone __start_context thread_start'

check() {	# WHAT PROGRAM CASE ROOTS
	local what="$1, $3, ${MODE[*]}"
	PAD=$((RANDOM % 5000)) "$PREC" record -e cpu-clock:u -c 500000 -m 1M "${MODE[@]}" -o data "$2" "$3" 40 >says 2>err ||
		fail "$what: cannot be recorded"
	chains -i data >chains
	cat err.script >>err
	judge "$4" >judged
	expect "$what: chains that are wrong (the stacks: $(tr '\n' ';' <says))" '' "$(grep -v 'right$' judged | sort | uniq -c || true)"
	[ "$(tail -1 judged | cut -d ' ' -f 1)" -ge 20 ] || fail "$what: few chains: $(tail -1 judged)"
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
	for c in plain small realigned alloca sort signal threads coroutine; do
		# Programs of 32 bits return from signals through their vdso, which is in no file here; their libc has few symbols.
		case $1/$c in bits32/signal | bits32/threads | bits32/coroutine) continue ;; esac
		check "$1" ./"$1" $c "$ROOTS"
		# A thread's first instructions have no tables.
		! grep -E 'chains-(misfit|other-stack)' err || fail "$1, $c: chains that end early"
	done
	check_ends "$1"
}

seen=0
variant() {	# NAME FLAGS...
	build "$@" || { echo "not built: $*: $(tail -1 build.log)"; return; }
	seen=$((seen + 1))
	MODE=(--call-graph dwarf,16384)
	check_all "$1"
	MODE=(--call-graph dwarf,16384 --unwind=live)
	check_all "$1"
	MODE=(--call-graph auto,16384)
	check_all "$1"
}

variant tables -fomit-frame-pointer
variant pointers -fno-omit-frame-pointer $([ "$(uname -m)" = x86_64 ] && echo -mno-omit-leaf-frame-pointer)
variant static -static
variant static_pie -static-pie
variant debug_frame -fno-asynchronous-unwind-tables -fomit-frame-pointer
variant plain -O0
[ "$(uname -m)" != x86_64 ] || variant bits32 -m32
[ $seen -ge 3 ] || fail "only $seen programs could be built"
