#!/bin/bash
# The output of report, --insn-trace, --call-trace and -D for CoreSight is that of perf, except for perf's errors.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/cs.sh"
need_perf
ldd "$PERF" 2>/dev/null | grep opencsd >/dev/null || skip "perf is built without OpenCSD"

# made OPTIONS SEED: made.data, with a frame of nothing at the end, which perf needs.
made() {
	local args=() o
	for o in $1; do args+=(-o "$o"); done
	rm -rf trace
	"$gen" -s "$2" -n 6000 "${args[@]}" trace
	{ printf '\1'; head -c 15 /dev/zero; } >>trace/trace.bin
	recording 0 -1 4242 100000000
}

# ---- packets ----

packets() {
	grep -E '^[[:space:]]+Idx:|CoreSight .* Trace data' | sed 's/[ 	]*$//'
}

# dumped PERF FILE WHAT: all packets. One of OpenCSD's texts is not that of its packet's name.
dumped() {
	"$1" script -D -i "$2" 2>/dev/null | packets | sed 's/\(CTXT_L_32IS1.*, \)IS0/\1IS1/' >want
	"$PREC" script --no-itrace -D -i "$2" 2>/dev/null | packets >got
	[ "$(wc -l <want)" -gt 200 ] || fail "$3: perf dumps next to nothing"
	expect_same "$3: -D" want got
}

while read -r options; do
	made "$options" 5
	dumped "$PERF" made.data "'$options'"
	! with_newperf || dumped "$PREC_PERF" made.data "'$options', newest"
done <<'X'
rs cc
cc ccommit cid vmid
spec rs
ete rs cc
ete spec
arm rs
two cid
high
X

# ---- tables ----

# perf calls the stubs of a static program _init, which is in the section before them.
table() { # table PROGRAM FILE OPTIONS...
	"$1" report --stdio -i "$2" "${@:3}" 2>/dev/null | grep -v '^#\|^$\|\] _init *\|@plt' | tr -s ' ' | sed 's/ $//'
}

# reported PERF FILE WHAT OPTIONS...
reported() {
	table "$1" "$2" "${@:4}" >want
	table "$PREC" "$2" "${@:4}" >got
	[ "$(wc -l <want)" -gt 20 ] || fail "$3: perf reports next to nothing"
	expect_same "$3: report ${*:4}" want got
}

# all_reported PERF FILE WHAT
all_reported() {
	# Unasked perf has a column of children, though without call chains there are none.
	reported "$@" --no-children
	reported "$@" --itrace=b
	reported "$@" --itrace=i100i
	reported "$@" --itrace=bi100i
	reported "$@" --itrace=i1i -s comm,dso,sym
	reported "$@" --itrace=i100il -b -F overhead,symbol_from,symbol_to
}

made "user calm" 3
all_reported "$PERF" made.data "'user calm'"
if with_newperf; then
	all_reported "$PREC_PERF" made.data "'user calm', newest"
	reported "$PREC_PERF" made.data "'user calm', newest" --itrace=c
fi
! with_traces || all_reported "$PERF" "$PREC_TRACES/cs/a1.data" a1

# ---- each instruction, each call ----

# perf calls a branch to a register's address a return, and tells of no errors.
words_of_lines() {
	tr -s '\t ' ' ' <"$1" | sed 's/( /(/; s/ )/)/; s/^ //; s/ $//; /instruction trace error/d; s/ return / jmp /
		s/ tr end jmp / tr end /; s/ tr strt jmp / tr strt /'
}

traced() { # traced WHAT
	words_of_lines got.perf >want
	words_of_lines got.prec >got
	[ "$(wc -l <want)" -gt 200 ] || fail "$1: perf shows next to nothing"
	expect_same "$1" want got
}

# Beside indented calls perf cuts long paths.
without_files() {
	sed -i 's| (/[^)]*)||' got.perf got.prec
}

# perf 7.3 makes samples of a period of 0 for --insn-trace, and never comes to an end.
fields=comm,tid,cpu,time,ip,sym,symoff,dso
"$PERF" script --itrace=i1i -F ${fields/cpu,time,/} -i made.data >got.perf 2>/dev/null
"$PREC" script --itrace=i1i -F ${fields/cpu,time,/} -i made.data >got.prec 2>/dev/null
traced "each instruction"
if with_newperf; then
	"$PREC_PERF" script --ns --itrace=i1i -F $fields,insn -i made.data >got.perf 2>/dev/null
	"$PREC" script --insn-trace -i made.data >got.prec 2>/dev/null
	traced --insn-trace
	"$PREC_PERF" script --call-trace -i made.data >got.perf 2>/dev/null
	"$PREC" script --call-trace -i made.data >got.prec 2>/dev/null
	without_files
	traced --call-trace
	# Of what perf takes for returns only those are some that return.
	"$PREC_PERF" script --call-ret-trace -i made.data >got.perf 2>/dev/null
	"$PREC" script --call-ret-trace -i made.data >got.prec 2>/dev/null
	without_files
	words_of_lines got.perf | sort | uniq -c >want
	words_of_lines got.prec | sort | uniq -c >got
	[ "$(wc -l <got)" -gt 100 ] || fail "--call-ret-trace shows next to nothing"
	join -j 2 -t '|' <(sed 's/^ *\([0-9]*\) /\1|/' want | sort -t '|' -k 2) <(sed 's/^ *\([0-9]*\) /\1|/' got | sort -t '|' -k 2) |
		awk -F'|' '$3 > $2' >more
	[ ! -s more ] || fail "--call-ret-trace: perf does not show $(head -1 more)"
fi

# The text of -D is many times as large as the trace, and is not kept.
if ! sanitized; then
	peak=$(workload peak)
	made "rs" 3
	for ((n = 0; n < 2000; n++)); do cat trace/trace.bin; done >long.bin
	mv long.bin trace/trace.bin
	recording 0 -1 4242 100000000
	"$peak" kib "$PREC" script -j1 -D -i made.data >text 2>/dev/null
	[ "$(stat -c %s text)" -gt 60000000 ] || fail "-D of a long trace has only $(stat -c %s text) bytes"
	[ $(($(<kib) * 1024)) -lt $(($(stat -c %s text) / 2 + 30000000)) ] || fail "-D takes $(<kib) KiB for $(stat -c %s text) bytes of text"
fi
