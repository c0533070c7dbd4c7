# shellcheck shell=bash
# The cost of events and tracepoints. Rows for tests/bench/run.

# The known cause of a row's time; not a figure to compare.
note() {	# WHAT UNIT VALUE TEXT
	printf '%-34s %-4s %-4s %10s  %s\n' "  of it" "$1" "$2" "$3" "$4"
}

cpu_of() {	# COMMAND...: seconds of CPU, the best of three
	local TIMEFORMAT='%U %S'
	for _ in 1 2 3; do
		{ time "$@" >/dev/null 2>&1; } 2>&1
	done | awk '{ t = $1 + $2; if (NR == 1 || t < best) best = t } END { printf "%.3f", best }'
}

if has_tracepoints && make_data calls.data -m 8M -e raw_syscalls:sys_enter -c 1 "$WORK/syscalls" 1000000; then
	row 'script, tracepoint' cpu=6,wall=6,rss=1 script -i calls.data
fi
# All that happens while a machine works: scheduler, system calls, timers, interrupts, memory; some millions of hits.
if has_tracepoints && make_data mix.data -m 16M -a -e 'sched:*,raw_syscalls:*,irq:*,timer:*,kmem:*' -- \
	sh -c "$WORK/syscalls 300000; $WORK/forks 100"; then
	row 'script, many tracepoints' cpu=6 script -i mix.data
	if [[ 'script, many tracepoints' = *$filter* ]]; then
		note cpu s "$(cpu_of "$PREC" script -i mix.data -F event)" 'reading, ordering, and a line for each hit with its name alone'
		note cpu s "$(cpu_of cat /proc/kallsyms)" 'the kernel, read_trace the names of its functions'
	fi
fi
# Opening, naming and closing some thirty tracepoints on all CPUs: the start and the end of a recording.
if has_tracepoints; then
	row 'record, thirty tracepoints' wall=10 record -q -o out.data -a -e 'sched:*,raw_syscalls:*' -- true
	if [ -x "${PREC_PERF:-}" ]; then
		PERF=$PREC_PERF row 'record, thirty tracepoints (newest)' wall=10 record -q -o out.data -a -e 'sched:*,raw_syscalls:*' -- true
	fi
	if [[ 'record, thirty tracepoints (newest)' = *$filter* ]]; then
		note wall ms "$("$BUILD/tests/bench/opening" $(cat /sys/kernel/tracing/events/{sched,raw_syscalls}/*/id))" \
			'perf_event_open() of them, one after the other'
	fi
fi
