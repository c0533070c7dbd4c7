#!/bin/bash
# Of the switches and wake-ups of all CPUs a recording has those to its own threads, and none of programs that were there before.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_tracepoints
[ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] || skip 'in a namespace of its own numbers of threads are not those of tracepoints'
PINGPONG=$(workload pingpong)
cp "$PINGPONG" mine
cp "$PINGPONG" earlier	# other tests may run a pingpong, too, and later
./earlier 1000000000 100 >out 2>&1 & other=$!
at_end 'kill $other'
has_threads() { [ "$(find /proc/$other/task -mindepth 1 -maxdepth 1 | wc -l)" = 2 ]; }
await 60 has_threads
"$PREC" record --off-cpu -m 4M -e dummy -o data ./mine 1000 100 >out 2>err || { cat err; fail 'record'; }

"$PREC" script -i data -F comm,event,trace 2>err | awk '
	/sched_waking:/ { n["wakes"]++; n["wakes of the other"] += / comm=earlier / }
	/sched_switch:/ { n["switches"]++ }
	/sched_switch:/ && !/ prev_comm=mine / { n["switches that others tell of"]++; n["between others"] += / next_comm=earlier / }
	END { for (what in n) printf "%s: %d\n", what, n[what] }' | sort >found
grep -qE '^wakes: [0-9]{3}' found && grep -qE '^switches: [0-9]{3}' found || { cat found err; fail 'what the program did'; }
grep -qE '^switches that others tell of: [1-9]' found || { cat found; fail 'who comes is told by its own records alone'; }
! grep -E '^(wakes of the other|between others): [1-9]' found || { cat found; fail 'what another program did is in the file'; }

# Of a wake-up the waker's addresses in user space are known, and none of the kernel; of a switch both.
"$PREC" script -i data -F comm,event,ip 2>err | awk '
	function end() { if (user) print event, kernel ? "kernel and user" : "user"; user = kernel = 0 }
	/sched_(waking|switch):/ { end(); event = /waking/ ? "waking" : "switch"; own = $1 == "mine"; next }
	!own { next }
	$1 ~ /^ffff/ { kernel = 1; next }
	NF { user = 1 }
	END { end() }' | sort | uniq -c >found
grep -q ' switch kernel and user' found && grep -q ' waking user' found && ! grep -q ' waking kernel' found ||
	{ cat found; fail 'frames of wake-ups and switches'; }
