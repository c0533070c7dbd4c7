#!/bin/bash
# Killed with SIGKILL, a recording of waits shows those that ended before, with stacks, reasons and wakers, and says what is missing.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_tracepoints
PINGPONG=$(workload pingpong)

# killed OPTION...: the recorder, when some of it is in the file, which is data.
killed() {
	rm -rf data*
	exec "$PREC" record -q --off-cpu -m 64 -e cpu-clock -o data "$@" "$PINGPONG" 100000000 100 >/dev/null 2>&1 & local prec=$!
	await 60 eval '[ "$(stat -c %s data 2>/dev/null || echo 0)" -gt 1000000 ]'
	local command
	command=$(pgrep -P $prec)
	kill -KILL $prec "$command"
	ended $prec
}

for options in '' -z; do
	# shellcheck disable=SC2086
	killed $options
	expect_status 2 "$PREC" report -i data -g none >out 2>err
	expect_finding unfinished err 'was never finished'
	expect_finding waits-cut err 'had not ended where the recording was cut'
	expect_status 2 "$PREC" report -i data -e offcpu-time -s comm,reason,state,waker -F sample,comm,reason,state,waker -g none -t, -q >out 2>err
	awk -F, '/pingpong *,pipe *,sleeping *,pingpong/ { n = $1 } END { exit !(n > 100) }' out || { cat out err; fail "'$options': waits for the pipe"; }
done
