#!/bin/bash
# Waits have the lengths and reasons that the waiting threads know, in each of the three ways of recording them.
. "$(dirname "$0")/lib/prec.sh"
need_root
need setpriv
WAITS=$(workload waits)
top=$(mktemp -d /tmp/prec-off-cpu.XXXXXX)
at_end 'rm -rf "$top"'
chmod 777 "$top"
cp "$PREC" "$WAITS" "$top/"
cd "$top"

# The program's output for a phase, and the waits of its thread inside: sums in all, and by reason.
compare() {
	local reasons=$1
	"$PREC" script -i data --off-cpu --ns -F tid,time,event,synth 2>err | awk -v reasons="$reasons" '
		function number(s) { sub(/:$/, "", s); split(s, part, "."); return part[1] * 1000000000 + part[2] }
		FNR == NR { name[FNR] = $1; tid[FNR] = $2; from[FNR] = $3; to[FNR] = $4; off[FNR] = $5; nr = FNR; next }
		/offcpu-time:/ {
			at = number($2); reason = ""
			match($0, / off: [0-9]+/); length_ns = substr($0, RSTART + 6, RLENGTH - 6)
			if (match($0, / reason: .*/)) {
				reason = substr($0, RSTART + 9)
				sub(/ (sch delay|woken by|until the end).*/, "", reason); sub(/ +$/, "", reason)
			}
			for (i = 1; i <= nr; i++)
				if ($1 == tid[i] && at >= from[i] && at < to[i]) {
					sum[i] += length_ns; waits[i]++; by[i, reason] += length_ns
				}
		}
		END {
			for (i = 1; i <= nr; i++) {
				wanted = name[i]; sub(/-/, " ", wanted)
				most = off[i] * 0.02 + (waits[i] + 1) * 100000
				d = sum[i] - off[i]
				if (d > most || -d > most)
					print name[i] ": " sum[i] " ns in " waits[i] " waits, the thread says " off[i]
				# Another program may take the CPU at any time; a condition is a futex where the stack ends early.
				known = by[i, wanted] + (wanted == "condition" ? by[i, "futex"] : 0)
				rest = sum[i] - known - (wanted == "cpu" ? 0 : by[i, "cpu"])
				if (reasons && (!known || rest > 0.02 * sum[i] + 1000000))
					print name[i] ": " known " of " sum[i] " ns have this reason"
			}
			if (!nr)
				print "the program says nothing"
		}' says - >wrong
	[ ! -s wrong ] || { cat wrong err; fail "$2"; }
}

# Tracepoints: all twelve kinds.
"$PREC" record --off-cpu -k mono -e cpu-clock -o data ./waits >says 2>err
grep -q 'off-CPU time: context switches and wake-ups with call chains' err || { cat err; fail 'the way is not told'; }
[ "$(wc -l <says)" -ge 11 ] || fail "phases are missing: $(<says)"
[ "$(wc -l <says)" = 12 ] || part_skipped 'direct reads of a disk: the file system has none'
compare 1 'tracepoints'
"$PREC" report -i data --header-only >header
grep -q '^# off-CPU time : context switches and wake-ups' header || fail 'the header does not tell the way'

# Time on the CPU is what the scheduler says; what a virtual machine's host takes is not in it.
"$PREC" record --off-cpu -e cpu-clock -o data ./waits cpu schedstat >says 2>err
tid=$(awk '$1 == "schedstat" { print $2 }' says)
"$PREC" report -i data --wall --tid "$tid" -s state -F period,state -t ' ' -q >out 2>err
ran=$(awk '$2 == "running" { print $1 }' out)
awk -v ran="$ran" '$1 == "schedstat" { d = ran - $3; exit !(d < 0.03 * $3 + 2e7 && -d < 0.03 * $3 + 2e7) }' says ||
	fail "on the CPU for $ran ns, and /proc says $(grep schedstat says)"
"$PREC" record --off-cpu -k mono -e cpu-clock -o data ./waits >says 2>err

# Without what it is made of, beside the event on the CPU.
"$PREC" report -i data -g none >out 2>err
expect 'the tables' "'cpu-clock' 'offcpu-time'" "$(sed -n "s/^# Samples: .* of event \\('.*'\\)/\\1/p" out | xargs -d '\n')"
# Each wait has a waker, which is shown.
"$PREC" report -i data -e offcpu-time --tid "$(awk '$1 == "pipe" { print $2 }' says)" -s reason,waker -g none >out 2>err
grep -qE 'pipe +waits' out || { cat out; fail 'who wrote into the pipe is not known'; }
# Below where it waited stands where the other one wrote; an interrupt is at no such place.
"$PREC" script -i data --off-cpu -c waits -F comm,event,ip,sym,synth,waker >stacks 2>err || { cat err; fail 'stacks of wakers'; }
awk '/offcpu-time:/ { kind = /reason: pipe .*woken by: waits\// ? "pipe" : /woken by: interrupt/ ? "interrupt" : ""; who = "" }
	/^\twoken by waits\/[0-9]+:$/ { who = "waker"; if (kind == "interrupt") print "an interrupt has a stack" }
	kind == "pipe" && /write/ { found = who }
	END { if (found != "waker") print "no write() ended the wait for a pipe" }' stacks >wrong
[ ! -s wrong ] || { cat wrong stacks; fail 'stacks of wakers'; }
# Some virtual machines do not show what wakes a thread while the CPU is idle.
grep -qE 'sleep +\[(interrupt|unknown)\]' out || { cat out; fail 'the end of a sleep is an interrupt'; }
! grep -E 'sleep +[^[ ]' out || { cat out; fail 'the end of a sleep is of no thread'; }

# The software event: a user who may watch the kernel and see its symbols, and cannot read tracefs.
become=(setpriv --reuid 65534 --regid 65534 --clear-groups)
watching=("${become[@]}" --inh-caps=+perfmon,+syslog --ambient-caps=+perfmon,+syslog)
phases=(sleep futex pipe)
if "${watching[@]}" true 2>err && ! "${watching[@]}" test -r /sys/kernel/tracing/events; then
	"${watching[@]}" ./prec record --off-cpu -k mono -e cpu-clock -o data ./waits "${phases[@]}" >says 2>err
	grep -q 'off-CPU time: context switches with call chains; not who woke' err || { cat err; fail 'the second way is not told'; }
	compare 1 'the software event'
	"$PREC" report -i data -e offcpu-time >out 2>err
	expect_finding waits-no-wakers err
else
	part_skipped 'the software event: no CAP_PERFMON to give'
fi

# SWITCH records alone: times.
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ]; then
	"${become[@]}" ./prec record --off-cpu -k mono -e cpu-clock -o data ./waits "${phases[@]}" >says 2>err
	grep -q 'off-CPU time: context switches without call chains' err || { cat err; fail 'the third way is not told'; }
	compare '' 'SWITCH records'
	"$PREC" report -i data -e offcpu-time >out 2>err
	expect_finding waits-earlier-stacks err
else
	part_skipped 'SWITCH records alone: kernel.perf_event_paranoid is not 2'
fi

# Processes that run already, and each thread by itself.
rm -f data data.old	# of another user
./waits sleep pipe sleep >says &
"$PREC" record --off-cpu -k mono -e cpu-clock -o data -p $! 2>err
wait $!
grep -v '^sleep' says >some && mv some says
compare 1 'a process that ran already'
"$PREC" record --off-cpu -k mono -e cpu-clock --per-thread -o data ./waits sleep >says 2>err
compare 1 'per thread'

# A recording without switches says nothing of waits.
"$PREC" record -e cpu-clock -o data true 2>err
expect_status 1 "$PREC" script -i data --off-cpu >out 2>err
grep -q "does not say when threads were off the CPU: record with --off-cpu" err || { cat err; fail 'no reason'; }
