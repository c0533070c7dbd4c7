#!/bin/bash
# A recording that was asked to only count (-n) is whole without samples; what report -T does not have of its threads is told.
. "$(dirname "$0")/lib/prec.sh"
need_events

for options in "-n" "-n -s"; do
	# shellcheck disable=SC2086
	"$PREC" record $options -e cpu-clock,page-faults:u -o data "$(workload charged)" 0.3 >out 2>err
	! grep 'CPU is here' err || fail "record $options: a balance of no samples"
	for command in "report --stdio" "export -o out.folded" "summary"; do
		# shellcheck disable=SC2086
		"$PREC" $command -i data >out 2>err
		[ "$command" = summary ] || expect_finding only-counted err "'data' has no samples"
		! grep -E 'did not run|no-samples|balance' out err || fail "record $options, $command: what was asked for is told as a loss"
	done
	grep -q 'only-counted' out || fail "record $options: summary does not say it: $(<out)"
	expect_status 0 "$PREC" verify data >out 2>&1
	grep -q '^data: good, 0 samples$' out || fail "record $options, verify: $(<out)"
done

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
