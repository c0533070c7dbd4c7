#!/bin/bash
# With --itrace CoreSight gives the same samples as in perf, except for perf's errors.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/cs.sh"
need_perf
ldd "$PERF" 2>/dev/null | grep opencsd >/dev/null || skip "perf is built without OpenCSD"

# What a line says but for its blanks, and but for two things that perf gets wrong: a branch to a register's address (br) it
# calls a return, and in a record of branches it says "predicted" (P), of which the trace says nothing. Exceptions of reserved
# numbers, which csgen makes, too, have no name.
words_of_lines() {
	tr -s '\t ' ' ' <"$1" | sed 's/^ //; s/ $//; s/ return / jmp /; s/ tr end jmp / tr end /; s/ tr strt jmp / tr strt /; s/ int / /; s,/P/-/-/0/,/-/-/-/0/,g; s,/-/-/-/0//-,/-/-/-/0/,g' |
		grep -v '^$' || true
}

# perf shows an instruction before the branch that led to it: of both only what there is can be compared.
in_order() {
	case $1 in *b*i*) sort ;; *) cat ;; esac
}

# compare PERF FILE LETTERS FIELDS WHAT
compare() {
	"$1" script --itrace="$3" -F "$4" -i "$2" >got.perf 2>/dev/null || fail "$5: perf ends with status $?"
	[ "$(wc -l <got.perf)" -ge 20 ] || fail "$5 ($3): perf shows next to nothing"
	for jobs in 1 3; do
		"$PREC" script -j$jobs --itrace="$3" -F "$4" -i "$2" >got.prec 2>messages
		words_of_lines got.perf | in_order "$3" >want
		words_of_lines got.prec | in_order "$3" >got
		expect_same "$5 ($3, -j$jobs)" want got
	done
}

# chains FILE: one line a sample, without names.
chains() {
	sed 's/([^)]*)//g' "$1" | awk -v RS= -F'\n' '{ s = ""; for (i = 1; i <= NF; i++) if (split($i, a, " ")) s = s " " a[1]; print s }'
}

# Where tracing was off perf forgets all callers, though they still wait: its chains are the beginning of ours. Made-up programs
# must be such that they return from no exception to one of those, and br, perf's return, does not meet the address of a caller.
compare_chains() { # PERF FILE WHAT
	"$1" script --itrace=i50ig --no-inline -F ip,sym -i "$2" >got.perf 2>/dev/null
	"$PREC" script -j2 --itrace=i50ig --no-inline -F ip,sym -i "$2" >got.prec 2>messages
	paste -d'|' <(chains got.perf) <(chains got.prec) | awk -F'|' '
		index($2 " ", $1 " ") != 1 { print "perf:" $1 "\nprec:" $2; bad = 1 }
		split($1, a, " ") > 3 { deep++ }
		END { exit bad || deep < 10 }' >wrong || fail "$3: call chains: $(head -4 wrong)"
}

# c and r, which perf 6.1 takes for b here, choose from the branches. FILE WHAT
choose() {
	local letter words
	"$PREC" script --itrace=b -F ip,addr,flags -i "$1" >branches 2>messages
	while IFS=: read -r letter words; do
		"$PREC" script --itrace="$letter" -F ip,addr,flags -i "$1" >got 2>messages
		expect_same "$2 ($letter)" <(grep -E " ($words) " branches) got
	done <<-X
		c:call|int|syscall|tr end|tr strt
		r:return|iret|sysret|tr end|tr strt
	X
}

# each PERF FILE WHAT: all letters that perf has for CoreSight.
each() {
	while read -r letters fields; do
		# perf does not know ETE's exceptions.
		case $3 in *ete*) fields=${fields%,flags} ;; esac
		compare "$1" "$2" "$letters" "$fields" "$3"
	done <<-X
		i1i event,tid,ip,period
		i100i event,tid,ip,period
		b event,tid,ip,addr,flags
		bi1000i event,tid,ip,period
		i100il4 event,ip,period,brstack
		bi500il event,ip,period,brstack
	X
}

# padded: a frame of nothing at the end, as a formatter writes when it stops.
padded() {
	{ printf '\1'; head -c 15 /dev/zero; } >>trace/trace.bin
}

# perf 7.3 stops at each timestamp, reads on with the next frame, and so forgets what the last frame has behind one: with a
# frame more it shows all. What was executed is in trace/expected; what perf lacks there is its end.
last_frame() {
	"$gen" -s 3 -n 6000 -o user trace
	recording 0 -1 4242 100000000
	"$PREC" script --itrace=i1i -F ip -i made.data 2>messages | tr -d ' ' >got
	expect_same "what is in the last frame" trace/expected got
	"$PREC_PERF" script --itrace=i1i -F ip -i made.data 2>messages | tr -d ' ' >got.perf
	expect_same "perf's part of it" <(head -n "$(wc -l <got.perf)" trace/expected) got.perf
	padded
	recording 0 -1 4242 100000000
	"$PREC_PERF" script --itrace=i1i -F ip -i made.data 2>messages | tr -d ' ' >got.perf
	expect_same "perf, with a frame more" trace/expected got.perf
}
! with_newperf || last_frame

# Privileged code at a program's addresses, as csgen makes it, is none to perf 7.3.
while read -r options; do
	args=()
	for o in $options; do args+=(-o "$o"); done
	rm -rf trace
	"$gen" -s 3 -n 6000 "${args[@]}" trace
	padded
	recording 0 -1 4242 100000000
	each "$PERF" made.data "'$options'"
	choose made.data "'$options'"
	with_newperf || continue
	case $options in *user*) each "$PREC_PERF" made.data "'$options' newest" ;; esac
	case $options in
	*calm)
		compare_chains "$PREC_PERF" made.data "'$options'"
		compare "$PREC_PERF" made.data c event,tid,ip,addr,flags "'$options' newest"
		compare "$PREC_PERF" made.data i100iZ event,tid,ip "'$options' newest"
		;;
	esac
done <<'X'
user
user rs
user calm
user calm cc
user ete cc
user late
arm rs
spec
X

with_traces || exit 0
each "$PERF" "$PREC_TRACES/cs/a1.cc_ts.data" a1
each "$PERF" "$PREC_TRACES/cs/a1.raw.data" a1
if with_newperf; then
	each "$PREC_PERF" "$PREC_TRACES/cs/a1.rs.data" a1
	compare_chains "$PREC_PERF" "$PREC_TRACES/cs/a1.data" a1
fi
