# shellcheck shell=bash
# The cost of decoding CoreSight: 54.7 M instructions, 7.1 M branches, 8.1 MB of trace. Rows for tests/bench/run.
# Ours on one thread, beside perf; then two threads beside one, and what the machine gives to two at once.
# Two threads are to take 0.55 of the time of one. What no two threads can beat stands below: two programs at once beside
# one, which is a goal missed by the machine where it is under half of that.
cs_two() {	# NAME ARGUMENTS...
	local name="$1, two threads" floor="$1, floor: two at once"
	shift
	[[ $name = *$filter* ]] || return 0
	"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" "$name" wall=1.82 "$PREC script -j2 $*" "$PREC script -j1 $*" || status=1
	printf '#!/bin/sh\n"$@" & "$@"; wait\n' >two && chmod +x two
	"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" "$floor" wall=0.91 "$PWD/two $PREC script -j1 $*" "$PREC script -j1 $*" || status=1
}

# The known cause of a row's time; not a figure to compare.
cs_note() {	# SECONDS TEXT
	printf '%-34s %-4s %-4s %10s  %s\n' "  of it" wall s "$1" "$2"
}

wall_of() {	# COMMAND...: seconds, the best of three
	local TIMEFORMAT=%R
	for _ in 1 2 3; do
		{ time "$@" >/dev/null 2>&1; } 2>&1
	done | sort -n | head -1
}

trace=${PREC_TRACES:-}/cs/a3.data
if [ -e "$trace" ]; then
	trace_row 'CoreSight, each 1000th instruction' cpu=30 script --itrace=i1000i -F ip -i "$trace"
	trace_row 'CoreSight, branches' cpu=12 script --itrace=b -F ip,addr -i "$trace"
	printing_floor 'CoreSight, branches' 12 2 "$trace" --itrace=b -F ip,addr
	trace_row 'CoreSight, each instruction' cpu=6 script --itrace=i1i -F ip -i "$trace"
	trace_row 'CoreSight, packets' cpu=15 script -D -i "$trace"
	# No row can take less than following the program.
	[[ 'CoreSight, floor: no samples' != *$filter* ]] ||
		"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" 'CoreSight, floor: no samples' cpu=30 \
			"$PREC script -j1 --itrace=i1000000000i -F ip -i $trace" \
			"${PERF:--}${PERF:+ script --itrace=i1000i -F ip -i $trace}" || status=1
	[[ 'CoreSight, floor: no samples' != *$filter* ]] ||
		tried 'atoms and short addresses read apart from other packets (a quarter went into reading those whole); auxtrace/ built' \
			'with -O3 for this CPU (6 %), or with -fprofile-use after these very runs (12 %)'
	cs_two 'CoreSight, each 1000th' --itrace=i1000i -F ip -i "$trace"
	[[ 'CoreSight, each 1000th, two threads' != *$filter* ]] ||
		cs_note "$(wall_of "$PREC" script -j1 --itrace=i1000i -F ip -i "$trace")" \
			'decoding in turns: where a sample is due, all before it decides; to count first is to decode twice'
	cs_two 'CoreSight, branches' --itrace=b -F ip,addr -i "$trace"
	cs_two 'CoreSight, each instruction' --itrace=i1i -F ip -i "$trace"
else
	echo "skipped: PREC_TRACES has no cs/a3.data" >&2
fi
