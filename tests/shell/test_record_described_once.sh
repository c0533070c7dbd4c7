#!/bin/bash
# A process that is watched is described once, and has its maps, beside events opened everywhere too.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_events all
PINGPONG=$(workload pingpong)
"$PINGPONG" 1000000000 100 >out 2>&1 & pid=$!
"$(workload spin)" -1 0 >ready & spin=$!
at_end 'kill $pid $spin'
has_threads() { [ "$(find /proc/$pid/task -mindepth 1 -maxdepth 1 | wc -l)" = 2 ]; }
await 60 has_threads
await 60 grep -q ready ready

# How often the processes are said to begin before the recording.
described() {
	"$PREC" script -i data -F pid,tid,time --ns --show-task-events 2>err |
		sed -nE "s/.*PERF_RECORD_FORK\\((($pid):$pid|($spin):$spin)\\).*/\\1/p" | sort | uniq -c | awk '{ print $1, $2 }'
}

# recorded ARGS...: until there are samples of both in data.
both() { [ "$(any_status "$PREC" script -i data -F comm,event 2>/dev/null | grep cpu-clock | sort -u | wc -l)" = 2 ]; }
recorded() {
	rm -f data
	exec "$PREC" record -q -e cpu-clock:u -o data "$@" 2>err & prec=$!
	await 60 both
	kill $prec
	wait $prec
}

thread=$(find /proc/$pid/task -mindepth 1 -maxdepth 1 ! -name $pid -printf '%f')
recorded -t $pid,$spin,"$thread"
expect 'two threads of a process' "$(printf '1 %s\n' $pid:$pid $spin:$spin | sort)" "$(described)"

# Switches and wake-ups are opened everywhere: of other processes there are the names.
recorded --off-cpu -p $pid,$spin
expect 'beside events opened everywhere' "$(printf '1 %s\n' $pid:$pid $spin:$spin | sort)" "$(described)"
"$PREC" script -i data --show-task-events 2>err | grep 'PERF_RECORD_COMM: .*:1/1' >/dev/null || fail 'the names of others'
"$PREC" report -i data -e cpu-clock:u -s comm,dso -F comm,dso -g none -q -t, 2>err |
	grep , | grep -v 'vdso\|libc' | tr -d ' ' | sort >out
expect 'what samples are of' "$(printf '%s\n' pingpong,pingpong spin,spin)" "$(<out)"
