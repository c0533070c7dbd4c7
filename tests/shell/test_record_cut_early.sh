#!/bin/bash
# The head of a recording has the maps of its samples, also of a program that began on another CPU; prec and perf name them.
. "$(dirname "$0")/lib/prec.sh"
need taskset
need_events
need_cpus 0 1
# One round, as the rings are large: CPU 0's samples, and the exec and the maps in the ring of CPU 1.
"$PREC" record -q -F 20000 -m 4M -e cpu-clock:u -o data taskset -c 1 "$(workload spin)" 0 400 >/dev/null
size=$(stat -c %s data)
[ "$size" -gt 200000 ] || fail "only $size bytes"
head -c 100000 data >head.data
expect_status 2 "$PREC" script -i head.data -F comm,ip,sym >text 2>err
[ "$(grep -c 'spin *[0-9a-f]* spin' text)" -gt 400 ] || { sort text | uniq -c | sort -rn | head; fail 'samples of spin in the head'; }
# All of it reads the same as ever.
"$PREC" script -i data -F comm,ip,sym >text
[ "$(grep -c 'spin *[0-9a-f]* spin' text)" -gt 4000 ] || { sort text | uniq -c | sort -rn | head; fail 'samples of spin'; }
perf_agrees data
perf_counts data COMM MMAP2 EXIT
