#!/bin/bash
# In every mode 20,000 samples show the shares that a program knows it has, within two points.
# Runs: alone. A machine that is busy all the same, or that runs as another's guest, may have fewer: a timer that is late
# skips what it missed.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_events all
need taskset
shares=$(workload shares)

# The program's own truth against its own samples in the report: other tasks' are left out.
check() {	# WHAT
	local name want got n
	n=$("$PREC" script -i data -c shares -F ip | wc -l)
	"$PREC" report -i data -q -c shares -S a_70,b_20,c_10 --percentage relative -s sym -F overhead,sym >text 2>/dev/null
	while read -r name want _; do
		got=$(awk -v n="$name" '$3 == n { sum += $1 } END { print sum }' text)
		expect_share "$1: $name" "$want" "$got" "$n"
	done <truth
}

mode() {	# WHAT THREADS MS OPTIONS...
	local what=$1 threads=$2 ms=$3
	shift 3
	"$PREC" record -q -e cpu-clock -F 10000 -o data "$@" "$shares" "$threads" "$ms" >truth 2>err || fail "$what: $(cat err)"
	check "$what"
}

# The same, of a process that runs already, until it ends.
attached() {	# WHAT OPTIONS... : @PID and @TID stand for them
	local what=$1 pid
	shift
	"$shares" 1 2200 >truth & pid=$!
	"$PREC" record -q -e cpu-clock -F 10000 -o data "${@/@PID/$pid}" 2>err || fail "$what: $(cat err)"
	wait $pid
	check "$what"
}

mode 'a command' 2 1050
mode '--per-thread' 1 2100 --per-thread
mode '-C' 1 2100 -C 0 -- taskset -c 0
mode '-C --per-thread' 1 2100 -C 0 --per-thread -- taskset -c 0
mode '-a' 2 1050 -a
attached '-p' -p @PID
attached '-t' -t @PID
attached '-p --per-thread' -p @PID --per-thread
