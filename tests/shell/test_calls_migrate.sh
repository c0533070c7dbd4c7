#!/bin/bash
# For threads that migrate among four CPUs the calls are those of each thread's log: how many, their instructions, begins and ends.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
. "$(dirname "$0")/lib/calls.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
need python3
need jq
called_program called
pt_traces t 200000 psb=2048 -- ./called
elf_maps called >t.maps
threads=6 cpus=4
# Each thread begins somewhere else in the program's run, so that no two do the same at a time.
for ((n = 0; n < threads; n++)); do
	head -n $(($(wc -l <t.1.exp) - 777 * n)) t.1.exp >log.$n
done
# (Where its log ends a thread stops: that instruction has not run.)
"$(helper trace/ptcpus)" -o m -m t.maps -c $cpus -n 300 -s psb=700,cyc,no-ret-comp log.*

{
	echo "feature arch=x86_64 auxtrace"
	echo "attr intel_pt type=8 config=0xe603 sample=IP,TID,TIME,CPU,IDENTIFIER read=ID period=1 exclude_kernel exclude_hv" \
		"sample_id_all context_switch ids=1"
	printf 'raw type=70 %s' "$(le 8 1)$(le 8 0)"
	for word in 8 1 1 0 1 0x400 0x800 0 0 1 0x200 0x3c000 168 2 2 20 0; do
		le 16 "$word"
	done
	le 16 0
	echo
	echo 'comm 100/100 "program" exec t=1 event=intel_pt id=1'
	read -r range prot off _ _ path <t.maps
	printf 'mmap2 100/100 0x%s+%#x@0x%s %s "%s" %s t=2 event=intel_pt id=1\n' "${range%-*}" \
		$((0x${range#*-} - 0x${range%-*})) "$off" "$prot" "$path" "$(build_id_of called)"
	for ((n = 1; n < threads; n++)); do
		echo "fork 100/$((100 + n)) 100/100 t=3 event=intel_pt id=1"
	done
	awk '{ printf "switch in 100/%d t=%d cpu=%d event=intel_pt id=1\n", 100 + $3, $1 / 2, $2 }' m.switches
	for ((n = 0; n < cpus; n++)); do
		PT_REFERENCE=0x2000000 pt_portion m.$n.pt 0 "$(stat -c %s m.$n.pt)" $n -1
	done
} >made.txt
"$(helper mkdata/mkdata)" made.txt made.data

"$PREC" report -q -i made.data --durations -t '|' 2>err >got
awk -F'|' '$NF !~ /^\[/ { print $NF, $1, $2, $5, $6 }' got | sort >numbers
for ((n = 0; n < threads; n++)); do
	called_log called <(head -n -1 log.$n) m.$n.times >calls.$n
done
awk '$1 != "*" { if ($7 == "-") calls[$1]++; else partial[$1]++; next } { total[$2] += $4; own[$2] += $5 }
	END { for (f in own) print f, calls[f] + 0, partial[f] + 0, total[f], own[f] }' calls.* | sort >want
expect_same 'calls and instructions of all threads' want numbers

# By thread, each call with its ends, which are off by what a packet is late.
"$PREC" export -q -i made.data --itrace=cr -o out.trace.json
for ((n = 0; n < threads; n++)); do
	called_log called <(head -n -1 log.$n) m.$n.times begun >want
	jq -r --argjson tid $((100 + n)) '.otherData["first ns"] as $first | .traceEvents[] |
		select(.ph == "X" and .cat == "call" and .tid == $tid) |
		"\(.name) \(.ts * 1000 + $first | round) \(.dur * 1000 | round)"' out.trace.json >got
	expect "calls of thread $n" "$(wc -l <want)" "$(wc -l <got)"
	paste -d' ' want got | awk '
		function far(a, b) { return a - b > 580 || b - a > 580 }
		$1 != $8 || far($2 / 2, $9) || far($3 / 2, $9 + $10) { print NR ": " $0; exit 1 }' >wrong || fail "a call of thread $n: $(<wrong)"
done
for jobs in 1 3; do
	"$PREC" export -q -i made.data --itrace=cr -o again.trace.json -j$jobs
	expect_same "-j$jobs" out.trace.json again.trace.json
done
