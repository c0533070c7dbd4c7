# shellcheck shell=bash
# What a recorder costs. Rows for tests/bench/run.
row 'record true' wall=20,cpu=3 record -o out.data true
row 'record 4 threads' cpu=0.98 record -o out.data "$WORK/shares" 4 250
row 'record 4 threads, call chains' cpu=0.98 record -g -o out.data "$WORK/shares" 4 250
if has_tracepoints; then
	row 'record 200 k system calls' cpu=1 record -e raw_syscalls:sys_enter -c 1 -m 4M -o out.data "$WORK/syscalls" 200000
fi
rm -f out.data out.data.old

