#!/bin/bash
# A recording that was asked to only count (-n) is whole without samples; what report -T does not have of its threads is told.
. "$(dirname "$0")/lib/prec.sh"
need_events

for options in "-n" "-n -s"; do
	# shellcheck disable=SC2086
	"$PREC" record $options -e cpu-clock,page-faults:u -o data "$(workload charged)" 0.3 >out 2>err
	! grep 'CPU is here' err || fail "record $options: a balance of no samples"
	"$PREC" report --stdio -i data >out 2>err
	! grep -E 'did not run|only-counted|no-samples|balance' out err || fail "record $options, report: what was asked for is told as a loss"
	grep -qE '^ +[0-9.]+ msec  cpu-clock$' out && grep -qE '^ +[0-9,]+  page-faults:u$' out || fail "no counts: $(<out)"
	for command in "export -o out.folded" "summary"; do
		# shellcheck disable=SC2086
		"$PREC" $command -i data >out 2>err
		[ "$command" = summary ] || expect_finding only-counted err "'data' has no samples"
		! grep -E 'did not run|no-samples|balance' out err || fail "record $options, $command: what was asked for is told as a loss"
	done
	grep -qE '^ +[0-9,]+  page-faults:u$' out || fail "record $options: summary has no counts: $(<out)"
	grep -q 'only-counted' out || fail "record $options: summary does not say it: $(<out)"
	expect_status 0 "$PREC" verify data >out 2>&1
	grep -q '^data: good, 0 samples$' out || fail "record $options, verify: $(<out)"
done

# The kernel counts the same for prec and for perf: system calls of dd, alone and with children, which stand apart in -T.
if [ "$(id -u)" = 0 ] && (need_tracepoints) >/dev/null 2>&1; then
	writes() {
		sed -nE 's/,//g; s/^ +([0-9]+)  syscalls:sys_enter_write$/\1/p' "$1"
	}
	dd=(dd if=/dev/zero of=/dev/null bs=1 status=none)
	"$PREC" record -n -e syscalls:sys_enter_write,page-faults -o data "${dd[@]}" count=5034 >out 2>err
	expect 'of a program' 5034 "$(writes err)"
	"$PREC" report -i data >out 2>err
	expect 'of a program, in its report' 5034 "$(writes out)"
	"$PREC" record -n -a -e syscalls:sys_enter_write -o data --filter 'count == 1 && common_pid > 1' "${dd[@]}" count=57 >out 2>err
	[ "$(writes err)" -ge 57 ] || fail "of all CPUs: $(<err)"
	if command -v perf >/dev/null; then
		expect 'as perf counts' "$(perf stat -x, -e syscalls:sys_enter_write "${dd[@]}" count=5034 2>&1 | cut -d, -f1)" 5034
	fi
	"$PREC" record -n -s -e syscalls:sys_enter_write -o data sh -c "${dd[*]} count=5034; ${dd[*]} count=57; exit 0" >out 2>err
	expect 'with children' 5091 "$(writes err)"
	"$PREC" report -T -i data -q >out 2>err
	# Parent and child trade their counters where one follows the other on a CPU: the kernel gives parts of one to the other.
	expect 'what threads have together' 5091 "$(awk '/^#/ { on = 1 } on && /^ / { n += $3 } END { print n }' out)"
	# On the last CPU, where a parent's events and a child's may be in another order (core/record/open/sampling.c).
	last=$(($(getconf _NPROCESSORS_ONLN) - 1))
	for _ in $(seq 40); do
		"$PREC" record -n -s -e syscalls:sys_enter_write -o data taskset -c $last sh -c "${dd[*]} count=5034; ${dd[*]} count=57; exit 0" >out 2>err
		expect 'with children, on one CPU' 5091 "$(writes err)"
	done
	# Intervals add up to the whole.
	"$PREC" record -n --interval-print 20 -e syscalls:sys_enter_write -o data "${dd[@]}" count=300000 >out 2>err
	expect 'the whole' 300000 "$(writes err)"
	sed -nE 's/,//g; s/^ +[0-9]+\.[0-9]{6} +([0-9]+)  syscalls:sys_enter_write$/\1/p' err >intervals
	awk '{ n += $1 } END { exit !(NR > 1 && n > 0 && n <= 300000) }' intervals || { cat err; fail 'intervals'; }
	expect_status 129 "$PREC" record --interval-print 20 -o data true 2>err
	expect_status 129 "$PREC" record -n --interval-print 1 -o data true 2>err
	# Each counter of a CPU was enabled as long as the others.
	"$PREC" record -n -a -e cpu-clock -o data sleep 0.2 >out 2>err
	! grep 'scaled' err || fail 'a clock that took turns'
fi

# One event of two that is sampled did not come to it: that is not what was asked for.
cat >text <<END
attr one type=software config=0 sample=IP,TID,TIME,IDENTIFIER sample_id_all period=0 ids=1
attr two type=software config=2 sample=IP,TID,TIME,IDENTIFIER sample_id_all period=1 ids=2
comm 7/7 "seven" t=1
END
"$(helper mkdata/mkdata)" text mixed
"$PREC" report --stdio -i mixed >out 2>err
expect_finding no-samples err "'mixed' has no samples"
# The side band's event stands there in each recording.
sed -i '2s/config=2/config=9/' text
"$(helper mkdata/mkdata)" text counted
"$PREC" report --stdio -i counted >out 2>err
expect_finding only-counted err "'counted' has no samples"

# What -T lacks: the threads that began or ended, and that the table has not. It may have none at all.
lacks() {
	"$PREC" record -n -s -e page-faults:u -o data "$@" >out 2>err
	"$PREC" report -T -i data >out 2>err
	sed -n '/^# *PID/,$p' out | awk '/^ / { print $2 }' | sort >told
	"$PREC" script --show-task-events -i data 2>err | grep -oE '(FORK|EXIT)\([0-9]+:[0-9]+' | grep -oE '[0-9]+$' | sort -u >seen
	missing=$(comm -13 told seen | wc -l)
	expect "how many threads of $(basename "$1") are missing" "$missing" \
		"$(sed -nE 's/^# Not in the table: ([0-9]+) of .*/\1/p' out | grep . || echo 0)"
}
lacks "$(workload charged)" 0.1
lacks "$(workload demo)"
