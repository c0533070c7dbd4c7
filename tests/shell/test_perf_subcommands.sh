#!/bin/bash
# Every subcommand of perf that reads a file takes prec's, and one that writes it anew (inject) loses no sample of it.
# Runs: alone, as Linux 6.18 gives samples of a software event the ids of another recorder's of the same event.
. "$(dirname "$0")/lib/prec.sh"
need_perf
need_events all
spin=$(workload spin)
commands=0 copies=0

# recorded NAME OPTION...: NAME.data
recorded() {
	"$PREC" record -F 500 -o "$1.data" "${@:2}" "$spin" -1 40 >/dev/null 2>&1 || fail "record ${*:2}"
}

# perf ends by a small negative number where it finds nothing to show: 255, 234. A signal's status is below those.
runs() {
	local status=0
	timeout 30 "$@" </dev/null >out 2>err || status=$?
	[ $status -lt 124 ] || [ $status = 129 ] || [ $status -ge 200 ] || fail "status $status of $*: $(tail -1 err)"
	commands=$((commands + 1))
}

lines() {
	"$1" script -i "$2" -F comm,tid,time,event,ip 2>/dev/null </dev/null
}

# copied PERF NAME OPTION...: what inject makes of NAME.data is the same to that perf, and to prec.
copied() {
	local by
	runs "$1" inject "${@:3}" -i "$2.data" -o copy.data
	for by in "$1" "$PREC"; do
		lines "$by" "$2.data" >want
		lines "$by" copy.data >got
		[ -s want ] || fail "$by script shows nothing of $2.data"
		expect_same "$2: samples by $by after $1 inject ${*:3}" want got
	done
	"$PREC" report --header-only -i copy.data >header 2>&1 || fail "prec reads what $1 inject wrote: $(cat header)"
	copies=$((copies + 1))
}

recorded flat
recorded fp --call-graph fp
recorded dwarf --call-graph dwarf,4096
recorded auto -g
kinds="flat fp dwarf auto"
if [ "$(id -u)" = 0 ] && [ -r /sys/kernel/tracing/events/sched ]; then
	recorded trace -e 'sched:*,raw_syscalls:*,kmem:kmalloc,kmem:kfree,kmem:mm_page_alloc,kmem:mm_page_free,irq:*,workqueue:*'
	kinds+=" trace"
fi
"$PREC" record -g -o - "$spin" -1 40 2>/dev/null >stream
"$PREC" record -g --threads -o dir "$spin" -1 40 >/dev/null 2>&1
last=${kinds##* }

for perf in $(perfs); do
	for kind in $kinds; do
		copied "$perf" "$kind" -b
	done
	for option in -j -s "-b --strip --itrace=i"; do
		# shellcheck disable=SC2086
		copied "$perf" auto $option
	done
	"$perf" inject -b <stream 2>/dev/null >copy.stream || fail "$perf inject of a stream"
	expect "samples of a stream after $perf inject" "$("$perf" script -i - <stream 2>/dev/null | grep -c '^[^ 	]')" \
		"$("$perf" script -i - <copy.stream 2>/dev/null | grep -c '^[^ 	]')"
	rm -rf copy.dir
	runs "$perf" inject -b -i dir -o copy.dir
	while read -r kind command; do
		# shellcheck disable=SC2086
		runs "$perf" ${command/ FILE/ -i $kind.data}
	done <<-COMMANDS
		dwarf report --stdio FILE
		auto report -D FILE
		auto report --header-only -I FILE
		auto script -F +addr FILE
		auto annotate --stdio FILE
		auto diff auto.data fp.data
		auto evlist -v FILE
		auto buildid-list FILE
		auto buildid-list -H FILE
		auto archive auto.data
		$last data convert FILE --to-json json
		auto mem report --stdio FILE
		auto c2c report --stdio FILE
		auto kvm report --stdio FILE
		$last kvm stat report FILE
		auto stat report FILE
		$last sched FILE latency
		$last sched FILE map
		$last sched FILE timehist
		$last sched FILE replay -r 1
		$last lock FILE report
		$last kmem FILE stat
		$last kmem FILE stat --page
		$last kwork FILE report
		$last kwork FILE latency
		$last trace FILE
		$last timechart FILE -o chart.svg
	COMMANDS
	rm -f json
done
echo "$commands commands, $copies copies"
