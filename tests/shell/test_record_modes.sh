#!/bin/bash
# Each mode opens its sampling events on the CPUs and threads, and with the inheritance, that the manual says.
. "$(dirname "$0")/lib/prec.sh"
need strace
# Leaks cannot be looked for under strace.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
need_root
need_events all
online=$(tr -s ',' ' ' </sys/devices/system/cpu/online | sed -E 's/([0-9]+)-([0-9]+)/$(seq -s" " \1 \2)/g')
online=$(eval echo "$online")

# "TASK CPU inherit" of each cpu-clock that was opened; TASK is child, all, or a number.
opened() {
	sed -nE 's/.*PERF_COUNT_SW_CPU_CLOCK,.* inherit=([01]),.*\}, (-?[0-9]+), (-?[0-9]+), .* = [0-9]+$/\2 \3 \1/p' trace |
		while read -r pid cpu inherit; do
			case $pid in
			-1)		pid=all;;
			"${1:-}"|"${2:-}") ;;
			*)		pid=child;;
			esac
			echo "$pid $cpu $inherit"
		done | sort
}

# rows TASK "CPU..." INHERIT
rows() {
	local cpu
	for cpu in $2; do
		echo "$1 $cpu $3"
	done | sort
}

check() {	# WHAT WANT OPTIONS...
	local what=$1 want=$2
	shift 2
	strace -v -f -e trace=perf_event_open -e signal=none -o trace "$PREC" record -q -e cpu-clock -o data "$@"
	expect "$what" "$want" "$(opened "${PID:-}" "${TID:-}")"
}

check 'a command' "$(rows child "$online" 1)" true
check '--no-inherit' "$(rows child "$online" 0)" -i true
check '--per-thread' "$(rows child -1 0)" --per-thread true
check '-C' "$(rows all 0 0)" -C 0 true
check '-C --per-thread' "$(rows child 0 0)" -C 0 --per-thread true
check '-a' "$(rows all "$online" 0)" -a true
sleep 100 & PID=$!
check '-p' "$(rows $PID "$online" 1)" -p $PID true
check '-p --per-thread' "$(rows $PID -1 0)" -p $PID --per-thread true
check '-t' "$(rows $PID "$online" 0)" -t $PID true
# All threads of a process.
"$(workload syscalls)" 100000000 2 >/dev/null & PID=$!
await 60 test -d /proc/$PID/task
threads() { find /proc/$PID/task -mindepth 1 -maxdepth 1 -printf '%f\n' | sort; }
await 60 eval '[ $(threads | wc -l) = 2 ]'
strace -v -f -e trace=perf_event_open -e signal=none -o trace "$PREC" record -q -e cpu-clock -o data -p $PID true
expect 'threads of -p' "$(threads)" "$(sed -nE 's/.*SW_CPU_CLOCK,.*\}, ([0-9]+), 0, .*/\1/p' trace | sort -u)"
