# shellcheck shell=bash
# What events and tracepoints cost. Rows for tests/bench/run.
if has_tracepoints && make_data calls.data -m 8M -e raw_syscalls:sys_enter -c 1 "$WORK/syscalls" 1000000; then
	row 'script, tracepoint' cpu=10,wall=10,rss=1 script -i calls.data
fi
# All that happens while a machine works: scheduler, system calls, timers, interrupts, memory; some millions of hits.
if has_tracepoints && make_data mix.data -m 16M -a -e 'sched:*,raw_syscalls:*,irq:*,timer:*,kmem:*' -- \
	sh -c "$WORK/syscalls 300000; $WORK/forks 100"; then
	row 'script, many tracepoints' cpu=6 script -i mix.data
fi
# Opening, naming and closing some thirty tracepoints on all CPUs: the start and the end of a recording.
if has_tracepoints; then
	row 'record, thirty tracepoints' wall=10 record -q -o out.data -a -e 'sched:*,raw_syscalls:*' -- true
	if [ -x "${PREC_PERF:-}" ]; then
		PERF=$PREC_PERF row 'record, thirty tracepoints (newest)' wall=10 record -q -o out.data -a -e 'sched:*,raw_syscalls:*' -- true
	fi
fi
