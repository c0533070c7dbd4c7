#!/bin/bash
# Each event of a long list is opened by prec with the attrs that perf gives it.
. "$(dirname "$0")/lib/prec.sh"
# Leaks cannot be looked for in a program that is traced.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
. "$SRC/tests/shell/lib/sysfs.sh"

need_newperf
need_events
ATTRS_OF=$(workload attrs)
TABLE=$SRC/tests/data/events.table
BATCH=20
make_sysfs_one sys
export SYSFS_PATH=$PWD/sys

# Intended differences:
# - the id stands at a fixed place in each sample (IDENTIFIER), and perf has that only with several events;
# - periods of samples are written where they are not told by the attr;
# - maps, names and forks are on an event of their own;
# - rings wake up by bytes;
# - the clock is CLOCK_MONOTONIC.
# Fields are in the order of the struct, and a line stands for an event on a CPU.
plain() {
	sed -E '/type=1 config=9 sample_period=1 .*mmap=1/d; s/ sample_type=(40|100|10000)( |$)/\2/g;
		s/ sample_type=(40|100|10000)( |$)/\2/g; s/ (id|mmap|comm|task|mmap2|comm_exec|ksymbol|bpf_event)=1//g;
		s/ (build_id|watermark|mmap_data|use_clockid|clockid)=1//g' "$1"
}

# attrs FILE COMMAND... -e EVENT...: true where the events are accepted.
attrs() {
	local out=$1
	shift
	ATTRS=$out "$ATTRS_OF" "$@" -o data true > log 2>&1
}

# A list of events: as many commands as there are events would take minutes.
all_attrs() {	# FILE PROGRAM EVENT...
	local out=$1 program=$2 event args=()
	shift 2
	for event; do
		args+=(-e "$event")
	done
	attrs "$out" "$program" record "${args[@]}"
}

prec_attrs() {
	attrs "$1" "$PREC" record -e "$2"
}

failures=0
wrong() {
	echo "'$1': $2" >&2
	failures=$((failures + 1))
}

compare() {
	prec_attrs got.raw "$1" || { wrong "$1" "prec refused: $(cat log)"; return 0; }
	plain got.raw > got
	all_attrs want.raw "$NEWPERF" "$1" || { wrong "$1" "perf refused: $(cat log)"; return 0; }
	plain want.raw > want
	cmp -s want got || wrong "$1" "$(diff want got)"
}

# The whole batch at once, and one by one only where it differs.
flush() {
	local event
	[ ${#batch[@]} -gt 0 ] || return 0
	# Numbers of leaders go on from event to event.
	if all_attrs got.raw "$PREC" "${batch[@]}" && all_attrs want.raw "$NEWPERF" "${batch[@]}"; then
		plain got.raw | sed 's/ group=[0-9]* / group=+ /' > got.all
		plain want.raw | sed 's/ group=[0-9]* / group=+ /' > want.all
	else
		echo > got.all
		echo refused > want.all
	fi
	if ! cmp -s want.all got.all; then
		for event in "${batch[@]}"; do
			compare "$event"
		done
	fi
	batch=()
}

batch=()
nr=0
while IFS= read -r line; do
	case $line in
	'' | '#'*) continue ;;
	'! '*)
		event=${line#! }
		if prec_attrs got.raw "$event"; then wrong "$event" "prec took it"; fi
		grep -q '\^' log || wrong "$event" "no mark: $(cat log)"
		;;
	*' => '*)
		event=${line% => *}
		prec_attrs got.raw "$event" || wrong "$event" "$(cat log)"
		for field in ${line#* => }; do
			grep -q " $field\( \|$\)" got.raw || wrong "$event" "no $field: $(head -1 got.raw)"
		done
		;;
	*)
		batch+=("$line")
		[ ${#batch[@]} -lt $BATCH ] || flush
		;;
	esac
	nr=$((nr + 1))
done < "$TABLE"
flush

# Tracepoints have their own numbers on each kernel, and only root sees them.
if [ "$(id -u)" = 0 ] && [ -r /sys/kernel/tracing/events/sched/sched_switch/id ]; then
	for term in call-graph=fp call-graph=fp,max-stack=7 max-stack=7 overwrite no-overwrite inherit no-inherit nr=3; do
		batch+=("sched:sched_switch/$term/" "sched:sched_wakeup/$term/")
		nr=$((nr + 2))
	done
	flush
fi

# Where there are several kinds of CPU each gets an event, and groups come apart by kind. That the event says which
# in the upper half of config (Linux 5.13) perf leaves out where the kernel, asked, does not know the PMU.
if [ "$(nproc)" -gt 1 ]; then
	make_sysfs_two two
	SYSFS_PATH=$PWD/two
	for event in cycles instructions LLC-loads:u cpu_core/cycles/ cpu_atom/event=3/ cpu_core/LLC-loads/ cpu_atom/cycles/P \
		mem-loads cpu_core/r12/ '{cycles,instructions}:S' '{page-faults,cycles,instructions}:S'; do
		prec_attrs got.raw "$event" || wrong "$event" "prec refused: $(cat log)"
		all_attrs want.raw "$NEWPERF" "$event" || wrong "$event" "perf refused: $(cat log)"
		cmp -s <(plain want.raw) <(plain got.raw | sed -E 's/ config=[4a]0000000([0-9a-f])/ config=\1/') ||
			wrong "$event" "$(diff <(plain want.raw) <(plain got.raw))"
		nr=$((nr + 1))
	done
	# Names of vendors, which perf does not take from libpfm4 in its way of writing them.
	if LIBPFM_FORCE_PMU=skl prec_attrs got.raw l2_rqsts.miss; then
		expect 'l2_rqsts.miss on both kinds' 'type=4 config=3f24 type=a config=3f24' \
			"$(grep -oE ' type=[0-9a-f]+ config=3f24' got.raw | sort | xargs)"
	fi
fi
[ $nr -ge 200 ] || fail "only $nr events in the table"
[ $failures = 0 ] || fail "$failures of $nr events"
