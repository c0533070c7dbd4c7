#!/bin/bash
# Script's raw dump has the lines that the newest perf's has: records, bytes, parts of samples.
. "$(dirname "$0")/lib/prec.sh"
need_newperf
need_root
need_events all

# The order is not compared: perf prints the end of a round before the records that it lets go. What perf calls
# unhandled is no record of prec's making either. A sample may meet the vdso, of which perf makes a file.
lines() {
	sed -E 's/[[:blank:]]+$//; s/: unhandled!$//; s|/tmp/perf-vdso\.so-[A-Za-z0-9]+$|[vdso]|' | sort
}

dump() {	# NAME RECORD-OPTIONS...
	local name=$1
	shift
	"$NEWPERF" record -q -o "$name.data" "$@" -- "$(workload shares)" 1 20 >/dev/null 2>record.err ||
		skip "perf cannot record: $(tail -1 record.err)"
	"$NEWPERF" script -D -i "$name.data" --no-inline 2>/dev/null | lines >want
	"$PREC" script -D -i "$name.data" --no-inline | lines >got
	[ -s want ] || fail "perf dumps nothing"
	expect_same "the dump of a recording with $*" want got
}

dump plain -F 2000
dump registers --user-regs=ax,bx,ip --intr-regs=ip,sp
dump weights -W
dump addresses -d
dump thread --per-thread
dump chains -g
