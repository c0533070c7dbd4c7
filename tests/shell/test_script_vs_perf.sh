#!/bin/bash
# Script prints line by line what the newest perf prints, for recordings of many shapes and many choices of fields.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/script.sh"
need_newperf
need_root
need_events all
FIELDS=comm,tid,cpu,time,event,ip,sym,dso

record() {	# NAME OPTIONS... -- COMMAND
	local name=$1
	shift
	"$NEWPERF" record -q -o "$name.data" "$@" >/dev/null 2>record.err || skip "perf cannot record: $(tail -1 record.err)"
}

SHARES=$(workload shares) FORKS=$(workload forks) FAULTS=$(workload faults)

record plain -- "$SHARES" 2 60
compare "$NEWPERF" plain.data
compare "$NEWPERF" plain.data -F comm,tid,time,event,ip,sym,dso
compare "$NEWPERF" plain.data -F +symoff,+dsoff,-period --dsos shares
compare "$NEWPERF" plain.data -F pid,time --ns
compare "$NEWPERF" plain.data -F ip,misc,flags
compare "$NEWPERF" plain.data -F comm,ip,period

record wide -a -- "$FORKS" 10
compare "$NEWPERF" wide.data
compare "$NEWPERF" wide.data -F $FIELDS
compare "$NEWPERF" wide.data -F comm,pid,tid,cpu,time,misc
compare "$NEWPERF" wide.data --reltime
compare "$NEWPERF" wide.data --deltatime --ns
compare "$NEWPERF" wide.data --show-mmap-events
compare "$NEWPERF" wide.data --show-lost-events

record chains -g -- "$SHARES" 1 60
compare "$NEWPERF" chains.data --no-inline
compare "$NEWPERF" chains.data --no-inline -F comm,tid,time,event,ip,sym,dso
compare "$NEWPERF" chains.data --no-inline --max-stack 2
compare "$NEWPERF" chains.data --no-inline --stop-bt main
compare "$NEWPERF" chains.data -G
compare "$NEWPERF" chains.data
compare "$NEWPERF" chains.data -F ip,sym,srcline
compare "$NEWPERF" chains.data -G -F ip,sym,srcline
compare "$NEWPERF" chains.data -F comm,tid

record widechains -a -g -- "$FORKS" 5
# Of what else the machine does, some samples have a chain without an address, which perf prints nothing for.
pids=$("$PREC" script -i widechains.data -G -F comm,pid | awk '/^ *(forks|child-|leaf-)/ { print $NF }' | sort -un | paste -sd,)
compare "$NEWPERF" widechains.data --no-inline --pid "$pids" -F $FIELDS

record thread --per-thread -- "$SHARES" 1 30
compare "$NEWPERF" thread.data

record faults -e page-faults -c 1 -d -- "$FAULTS" 50
compare "$NEWPERF" faults.data
compare "$NEWPERF" faults.data -F comm,ip,addr,dso
compare "$NEWPERF" faults.data -F +data_src

record weights -W -- "$SHARES" 1 30
compare "$NEWPERF" weights.data -F +weight,+ins_lat,+retire_lat

record pages -a --phys-data --data-page-size --code-page-size --all-cgroups -d -e cpu-clock -- "$FORKS" 3
compare "$NEWPERF" pages.data -F comm,addr,phys_addr,ip,data_page_size,code_page_size,cgroup

record registers --user-regs=ax,bx,ip --intr-regs=ip,sp -- "$SHARES" 1 30
compare "$NEWPERF" registers.data -F +uregs,+iregs

record clock -k mono -- "$SHARES" 1 30
compare "$NEWPERF" clock.data -F +tod

# The tracepoint's own fields are not printed.
record several -e cpu-clock,page-faults,sched:sched_switch -R -a -- "$FORKS" 5
compare "$NEWPERF" several.data -F $FIELDS
compare "$NEWPERF" several.data -F +ip,+sym,-trace

record counts -e '{cpu-clock,page-faults}:S' -- "$SHARES" 2 30
compare "$NEWPERF" counts.data

record packed -z -- "$SHARES" 1 30
compare "$NEWPERF" packed.data

"$NEWPERF" record -q -o - -- "$SHARES" 1 30 2>/dev/null >pipe.data
compare "$NEWPERF" pipe.data

record stacks --call-graph dwarf,1024 -- "$SHARES" 1 30
compare "$NEWPERF" stacks.data -G

record instructions -- "$SHARES" 1 30
compare "$NEWPERF" instructions.data -F ip,insnlen,insn
