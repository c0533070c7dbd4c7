# shellcheck shell=bash
# What events and tracepoints cost. Rows for tests/bench/run.
if has_tracepoints && make_data calls.data -m 8M -e raw_syscalls:sys_enter -c 1 "$WORK/syscalls" 1000000; then
	row 'script, tracepoint' cpu=10,wall=10,rss=1 script -i calls.data
fi
