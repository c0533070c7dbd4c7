#!/bin/bash
# Recording with --run-queue takes each hit of the scheduler's tracepoints at any rate; its report counts as -s runqlen does.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_tracepoints
need_events all
CROWD=$(workload crowd)
ALLOWED=$(taskset -pc $$)
CPU=${ALLOWED##*[ ,-]}

"$PREC" record --run-queue -a -F 199 -m 4M -o data "$CROWD" 4 "$CPU" 400 >out 2>err || { cat err; fail 'record'; }
! grep -q 'only some hits' err || { cat err; fail 'each hit is taken'; }
"$PREC" report -i data --header-only 2>/dev/null | grep 'sched:sched_' >events
expect 'tracepoints' 4 "$(wc -l <events)"
! grep -vE 'sample_period = 1[^0-9]|\{ sample_period, sample_freq \} = 1,' events || fail 'a tracepoint is sampled'

# The same lengths by the key, by CPU and in all.
"$PREC" report -i data -e cpu-clock -s cpu,runqlen -F cpu,runqlen,sample -t ' ' -q 2>/dev/null |
	awk 'NF == 3 { print $1 + 0, $2, $3 }' | sort >key
"$PREC" report -i data --run-queue --by cpu -t ' ' 2>/dev/null | awk '/^[0-9]/ { print $1, $2, $3 }' | sort >queue
[ -s key ] || fail 'no samples'
expect_same 'by CPU' key queue
"$PREC" report -i data --run-queue -t ' ' 2>/dev/null | awk '/^[0-9]/ { print $1, $2 }' | sort >queue
awk '{ n[$2] += $3 } END { for (i in n) print i, n[i] }' key | sort >sums
expect_same 'on all CPUs' sums queue
expect 'samples of another event' "$("$PREC" script -i data -F event | grep -c sched_wakeup_new)" \
	"$("$PREC" report -i data -e sched:sched_wakeup_new --run-queue -t ' ' 2>/dev/null | awk '/^[0-9]/ { n += $2 } END { print n }')"
# Four that spin on one CPU leave three that wait, and its occupancy is that of its samples.
"$PREC" report -i data --run-queue 2>/dev/null >out
want=$(grep -qE '^ +[0-9.]+%  done$' out || { cat out; fail 'who waits'; }	# as the crowd is called at last
awk -v cpu="$CPU" '$1 == cpu { n += $3; w += ($2 > 0) * $3 } END { printf "%.2f%%", 100 * w / n }' key)
expect 'occupancy' "$want" "$(awk -v cpu="$CPU" '/^CPU / && $2 == cpu { print $3 }' out)"
awk -v cpu="$CPU" '$1 == cpu { n += $3; w += ($2 >= 3) * $3 } END { exit !(w > n / 2) }' key || { cat key; fail 'the crowd waits'; }

# Of a command all CPUs are recorded, and beside waits, which need switches too, no hit counts twice.
"$PREC" record --run-queue --off-cpu -F 199 -m 4M -o both "$CROWD" 4 "$CPU" 400 >out 2>err || { cat err; fail 'beside --off-cpu'; }
"$PREC" report -i both --run-queue -t ' ' >out 2>err
missing=$(sed -nE 's/.*at least ([0-9]+) context switches.*/\1/p' err)
[ "${missing:-0}" -lt 300 ] || { cat err; fail 'switches count twice'; }
[ "$("$PREC" script -i both -F comm 2>/dev/null | sort -u | wc -l)" -gt 2 ] || fail 'the command alone is recorded'

expect_status 129 "$PREC" report -i data --run-queue -s comm 2>err
expect_status 129 "$PREC" report -i data --by cpu 2>err
"$PREC" record -q -o few -e cpu-clock -- true
expect_status 1 "$PREC" report -i few --run-queue 2>err
grep -q 'sched:sched_switch\|no samples of a clock' err || { cat err; fail 'no tracepoints'; }
