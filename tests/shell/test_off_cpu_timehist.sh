#!/bin/bash
# For a recording of perf sched record, waits and delays of run queues are those of perf sched timehist, event by event.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_tracepoints
need_events all
PERFS=$(perfs)
[ "$PERFS" ] || skip "no perf"

# compare PERF
compare() {
	local perf=$1 gaps old=0 status=0
	"$perf" sched record -m 16M -o data -- "$(workload waits)" sleep futex pipe cpu >out 2>err || status=$?
	# perf 6.1 dies where a build id that it collects at the end is too long for it.
	! is_crash $status || { part_skipped "$perf sched record: a crash of its own"; return; }
	[ $status = 0 ] || { cat err; fail "$perf sched record"; }
	"$perf" sched timehist -i data >theirs 2>err || { cat err; fail "$perf sched timehist"; }
	"$PREC" script -i data --off-cpu --ns -c waits -F tid,time,event,synth >ours 2>err || fail 'prec script'
	gaps=$(sed -n 's/^prec: .*: \([0-9]*\) context switch.* missing.*/\1/p' err)

	# Of the program's threads. Theirs is told when the thread leaves again, in microseconds: it came RUN before. What ran before it was first seen to leave has
	# no length.
	# Up to 6.1 who was preempted has no delay there.
	[ "$perf" = "${PREC_PERF:-}" ] || old=1
	awk -v gaps="${gaps:-0}" -v old="$old" '
		FNR == NR {
			if (!/offcpu-time:/)
				next
			split(substr($2, 1, length($2) - 1), part, ".")
			match($0, / off: [0-9]+/); off = substr($0, RSTART + 6, RLENGTH - 6)
			delay = match($0, / sch delay: [0-9]+/) ? substr($0, RSTART + 12, RLENGTH - 12) : 0
			n = ++nr[$1]
			came[$1, n] = part[1] * 1000000 + part[2] / 1000 + off / 1000
			length_us[$1, n] = off / 1000; delay_us[$1, n] = delay / 1000
			next
		}
		!/ waits\[/ || !match($0, /\[[0-9]+(\/[0-9]+)?\] +[0-9.]+ +[0-9.]+ +[0-9.]+ *$/) { next }
		{
			tid = substr($0, RSTART + 1) + 0
			split($1, part, ".")
			waited = $(NF - 2) * 1000; delay = $(NF - 1) * 1000
			if (!waited)
				next
			at = part[1] * 1000000 + part[2] - $NF * 1000
			rows++
			found = 0
			for (i = 1; i <= nr[tid] && !found; i++)
				found = near(came[tid, i], at) && near(length_us[tid, i], waited) && (near(delay_us[tid, i], delay) || (old && !delay))
			if (!found && different++ < 10)
				print "not found:", $0
		}
		function near(a, b) { return a - b < 3 && b - a < 3 }
		END {
			printf "%d rows, %d not found, %d switches missing\n", rows, different, gaps
			exit !(rows > 10 && different <= 2 * gaps)
		}' ours theirs >result || { cat result; fail "waits differ from those of $perf"; }
}

for perf in $PERFS; do
	compare "$perf"
done
