#!/bin/bash
# With -c 1 every context switch of a program is a sample: as many as getrusage(2) counts.
. "$(dirname "$0")/lib/prec.sh"
need_events kernel
"$PREC" record -q -e context-switches -c 1 -o data "$(workload switches)" 500 >said
total=$(awk '/^switches/ { print $2 }' said)
# The program counts from its start to its end; a few switches lie between that and its own exec and exit. Its second thread
# may be switched once or twice when the kernel has taken its events away already, but still counts for getrusage(2).
got=$("$PREC" script -i data -F event | wc -l)
[ "$got" -ge $((total - 2)) ] && [ "$got" -le $((total + 40)) ] || fail "want $total samples, or a few more, got $got"
