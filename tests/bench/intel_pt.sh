# shellcheck shell=bash
# The cost of decoding Intel PT: 109 million instructions, 19 million branches, 8.6 MB of trace. Rows for tests/bench/run.
# Ours on one thread, beside perf; then two threads beside one, and what the machine gives to two at once.
# Two threads beside one: 0.55 of the time. What no two threads can beat stands below: two programs at once beside one,
# which is a goal missed by the machine where it is under half of that; and the CPU time of both threads beside that of one:
# what they do twice (each finds the program's blocks by itself), or only because they are two (the way through a piece is
# kept until the instructions before it are counted), cannot be shared.
pt_two() {	# NAME ARGUMENTS...
	local name="$1, two threads" floor="$1, floor: two at once" command=$2
	shift 2
	[[ $name = *$filter* ]] || return 0
	"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" "$name" wall=1.82 "$PREC $command -j2 $*" "$PREC $command -j1 $*" || status=1
	printf '#!/bin/sh\n"$@" & "$@"; wait\n' >two && chmod +x two
	"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" "$floor" wall=0.91 "$PWD/two $PREC $command -j1 $*" "$PREC $command -j1 $*" || status=1
	"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" "${name%, two threads}, floor: work of both" cpu=0.91 "$PREC $command -j2 $*" "$PREC $command -j1 $*" ||
		status=1
}

pt_trace=${PREC_TRACES:-}/pt/p3
if [ -e "$pt_trace.data" ]; then
	# perf takes 22 MiB: nine times of that are 200.
	trace_row 'pt, each 1000th' cpu=12,rss=0.11 script --itrace=i1000i -F ip -i "$pt_trace.data"
	trace_row 'pt, branches' cpu=10,rss=0.11 script --itrace=b -F ip,addr -i "$pt_trace.data"
	printing_floor 'pt, branches' 10 2 "$pt_trace.data" --itrace=b -F ip,addr
	trace_row 'pt, each instruction' cpu=18 script --itrace=i1i -F ip -i "$pt_trace.data"
	printing_floor 'pt, each instruction' 18 1 "$pt_trace.data" --itrace=i1i -F ip
	trace_row 'pt, report of branches' cpu=14,rss=0.11 report --itrace=b --stdio -i "$pt_trace.data"
	trace_row 'pt, packets' cpu=18,rss=0.11 script -D -i "$pt_trace.data"
	# No row can take less than following the program: beside the perf of the first row, and of that of branches.
	[[ 'pt, floor: no samples' != *$filter* ]] ||
		"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" 'pt, floor: no samples' cpu=12 \
			"$PREC script --itrace=i1000000000i -F ip -j1 -i $pt_trace.data" \
			"${PERF:--}${PERF:+ script --itrace=i1000i -F ip -i $pt_trace.data}" || status=1
	# A report prints next to nothing: it follows each branch, and counts where it came from.
	[[ 'pt, report of branches, floor: no samples' != *$filter* ]] ||
		"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" 'pt, report of branches, floor: no samples' cpu=14 \
			"$PREC script --itrace=i1000000000i -F ip -j1 -i $pt_trace.data" \
			"${PERF:--}${PERF:+ report --itrace=b --stdio -i $pt_trace.data}" || status=1
	[[ 'pt, floor: no samples' != *$filter* ]] ||
		tried 'code followed by superblocks, each made once, that lead to the next by a pointer; lines of a branch made of the' \
			'last one (a third), options that are not given asked once (a tenth); auxtrace/ built with -O3 for this CPU (2 to' \
			'6 %), or with -fprofile-use after these very runs (7 to 10 %)'
	pt_two 'pt, each 1000th' script --itrace=i1000i -F ip -i "$pt_trace.data"
	pt_two 'pt, branches' script --itrace=b -F ip,addr -i "$pt_trace.data"
	pt_two 'pt, each instruction' script --itrace=i1i -F ip -i "$pt_trace.data"
	pt_two 'pt, report of branches' report --itrace=b --stdio -i "$pt_trace.data"
else
	echo "skipped: no trace to decode: PREC_TRACES names the folder that holds pt/p3.data" >&2
fi
