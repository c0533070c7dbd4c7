#!/bin/bash
# A stream that comes bit by bit is printed as it is when it has been saved.
. "$(dirname "$0")/lib/prec.sh"
DRIBBLE=$(workload dribble)
OTHERS='--show-task-events --show-mmap-events --show-round-events'
# same WHAT FILE SCRIPT-OPTIONS
same() {
	local what=$1 file=$2 size status=0 live
	shift 2
	"$PREC" script -i "$file" "$@" >want 2>/dev/null || status=$?
	for size in 2000 $((1 << 16)); do
		live=0
		"$DRIBBLE" $size <"$file" | "$PREC" script -i - "$@" >got 2>got.err || live=$?
		expect_same "$what, $size bytes at a time" want got
		expect "the status of $what, $size bytes at a time" $status $live
	done
	[ -s want ] || fail "$what: nothing is shown"
}
# recorded WHAT COMMAND...: what it writes
recorded() {
	local what=$1
	shift
	"$@" >stream.data 2>err || fail "$what: cannot record: $(cat err)"
	same "$what" stream.data
	same "$what with other records" stream.data $OTHERS --reltime
}
if with_corpus; then
	find "$PREC_CORPUS" -type f -size -3M | while read -r file; do
		[ "$(head -c 16 "$file" | od -An -tx1 -v | tr -d ' ')" = 50455246494c45321000000000000000 ] || continue
		any_status "$PREC" script -i "$file" 2>/dev/null | grep "" >/dev/null || continue
		same "${file##*/}" "$file"
		echo "${file##*/}" >>streams
	done
	[ -s streams ] || fail "no stream in $PREC_CORPUS"
fi
need_events
forks=("$(workload forks)" 60)
quiet=(sh -c '"$0" "$@" >/dev/null')	# perf lets the command write into its pipe
recorded samples "$PREC" record -q -e cpu-clock:u -c 100000 -o - "${forks[@]}"
recorded chains "$PREC" record -q -g -e cpu-clock:u -c 100000 -o - "${forks[@]}"
recorded 'what is compressed' "$PREC" record -q -z -e cpu-clock:u -c 100000 -o - "${forks[@]}"
recorded 'small rings' "$PREC" record -q -m 2 --no-buffering -e cpu-clock:u -c 100000 -o - "${forks[@]}"
for perf in $(perfs); do
	[ -x "$perf" ] && "$perf" record -e cpu-clock:u -o mine true >/dev/null 2>&1 || continue
	recorded "samples of $perf" "$perf" record -m 4 -e cpu-clock:u -c 100000 -o - "${quiet[@]}" "${forks[@]}"
	recorded "chains of $perf" "$perf" record -g -z -e cpu-clock:u -c 100000 -o - "${quiet[@]}" "${forks[@]}"
done
need_tracepoints
recorded tracepoints "$PREC" record -q -e sched:sched_process_fork -e sched:sched_process_exit -o - "${forks[@]}"
