#!/bin/bash
# Script prints what an old perf prints of its own recordings, where the two versions of perf agree.
# Runs: alone, as the kernel leaves the mark of another recorder's build ids on maps, at which perf 6.1 aborts.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/script.sh"
need_perf
need_root
need_events all
FIELDS=comm,tid,time,event,ip,sym,dso

record() {
	local name=$1
	shift
	"$PERF" record -q -o "$name.data" "$@" >/dev/null 2>record.err || skip "perf cannot record: $(tail -1 record.err)"
}

SHARES=$(workload shares) FORKS=$(workload forks) FAULTS=$(workload faults)

record plain -- "$SHARES" 2 60
compare "$PERF" plain.data -F $FIELDS
compare "$PERF" plain.data -F comm,pid,time,ip --ns

record wide -a -- "$FORKS" 5
compare "$PERF" wide.data -F $FIELDS,cpu -c forks

# perf 6.1 prints user addresses of a chain relative to their files; kernel-only chains are equal.
record chains -a --kernel-callchains -g -e page-faults:k -- "$FORKS" 5
compare "$PERF" chains.data -F $FIELDS -c forks

record faults -e page-faults -c 1 -d -- "$FAULTS" 50
compare "$PERF" faults.data -F comm,ip,addr
