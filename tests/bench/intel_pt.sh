# shellcheck shell=bash
# What decoding Intel PT costs: 109 million instructions, 19 million branches, 8.6 MB of trace. Rows for tests/bench/run.
# Ours on one thread, beside perf; then two threads beside one.
pt_row() {	# NAME GOALS ARGUMENTS... : prec with -j1
	local name=$1 goals=$2 command=$3
	shift 3
	[[ $name = *$filter* ]] || return 0
	"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" "$name" "$goals" "$PREC $command -j1 $*" "${PERF:--}${PERF:+ $command $*}" ||
		status=1
}

pt_two() {	# NAME ARGUMENTS... : two threads beside one; 0.55 of the time
	local name="$1, two threads" command=$2
	shift 2
	[[ $name = *$filter* ]] || return 0
	"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" "$name" wall=1.82 "$PREC $command -j2 $*" "$PREC $command -j1 $*" || status=1
}

# What the machine gives to two at once, which no two threads can beat: half of what they must reach, or the goal is missed.
pt_machine() {	# ARGUMENTS...
	[[ 'pt, floor: two at once' = *$filter* ]] || return 0
	printf '#!/bin/sh\n"$@" & "$@"; wait\n' >two && chmod +x two
	"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" 'pt, floor: two at once' wall=0.91 "$PWD/two $PREC $* -j1" "$PREC $* -j1" || status=1
}

pt_trace=${PREC_TRACES:-}/pt/p3
if [ -e "$pt_trace.data" ]; then
	# perf takes 22 MiB: nine times of that are 200.
	pt_row 'pt, each 1000th' cpu=3,rss=0.11 script --itrace=i1000i -F ip -i "$pt_trace.data"
	pt_row 'pt, branches' cpu=6,rss=0.11 script --itrace=b -F ip,addr -i "$pt_trace.data"
	pt_row 'pt, each instruction' cpu=8 script --itrace=i1i -F ip -i "$pt_trace.data"
	pt_row 'pt, report of branches' cpu=10,rss=0.11 report --itrace=b --stdio -i "$pt_trace.data"
	pt_row 'pt, packets' cpu=6,rss=0.11 script -D -i "$pt_trace.data"
	pt_two 'pt, each 1000th' script --itrace=i1000i -F ip -i "$pt_trace.data"
	pt_two 'pt, branches' script --itrace=b -F ip,addr -i "$pt_trace.data"
	pt_two 'pt, each instruction' script --itrace=i1i -F ip -i "$pt_trace.data"
	pt_two 'pt, report of branches' report --itrace=b --stdio -i "$pt_trace.data"
	pt_machine script --itrace=b -F ip,addr -i "$pt_trace.data"
else
	echo "skipped: no trace to decode: PREC_TRACES names the folder that holds pt/p3.data" >&2
fi
