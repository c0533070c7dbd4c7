#!/bin/bash
# For threads that migrate among four CPUs with CoreSight the calls are those of each log: how many, instructions, begins and ends.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/cs.sh"
. "$SRC/tests/shell/lib/calls.sh"
need python3
need jq
logged_called 20
threads=6 cpus=4 logs=()
# Each thread ends somewhere else, so that no two do the same at a time.
for ((n = 0; n < threads; n++)); do
	head -n $(($(wc -l <all) - 777 * n)) all >log.$n
	logs+=(-l log.$n)
done
# (Where its log ends a thread stops: that instruction has not run.)

offset=$(text_offset called)
made_text() {
	echo "feature arch=aarch64 nrcpus=8 auxtrace"
	echo "attr cs_etm type=8 sample=IP,TID,TIME,CPU,IDENTIFIER read=ID period=1 exclude_kernel exclude_hv sample_id_all ids=1"
	echo "raw type=79 $(words 0 1 0 0 0)0100000000000000"
	printf 'raw type=70 %s' "$(le 8 3)$(le 8 0)$(le 16 1)$(le 16 $((8 << 32 | cpus)))$(le 16 0)"
	for ((n = 0; n < cpus; n++)); do unit $n; done
	echo
	echo 'comm 100/100 "program" exec t=1 event=cs_etm id=1'
	printf 'mmap2 100/100 0x400000+%#x@0x%s r-xp "%s" %s t=2 event=cs_etm id=1\n' "$(stat -c %s code.bin)" "$offset" "$PWD/called" \
		"$(build_id_of called)"
	for ((n = 1; n < threads; n++)); do
		echo "fork 100/$((100 + n)) 100/100 t=3 event=cs_etm id=1"
	done
	for ((n = 0; n < cpus; n++)); do
		echo "aux 100/100 off=0 size=$(stat -c %s trace/cpu_$n.bin) flags=0 t=2000000000000 cpu=$n event=cs_etm id=1"
		auxtrace trace/cpu_$n.bin $n -1 $1
	done
}

WITH_TIMES=1
for options in "cid" "cid rs cc" "cid ete"; do
	args=()
	for o in $options; do args+=(-o "$o"); done
	rm -rf trace
	"$gen" "${args[@]}" -u $cpus "${logs[@]}" -c code.bin -t 100 trace
	made_text 100000000 >made.txt
	"$mkdata" made.txt made.data

	"$PREC" report -q -i made.data --durations -t '|' 2>err >got
	awk -F'|' '$NF !~ /^\[/ { print $NF, $1, $2, $5, $6 }' got | sort >numbers
	for ((n = 0; n < threads; n++)); do
		CALLED_TOOLS=aarch64-linux-gnu- called_log called <(head -n -1 log.$n) trace/thread_$n.times >calls.$n
	done
	awk '$1 != "*" { if ($7 == "-") calls[$1]++; else partial[$1]++; next } { total[$2] += $4; own[$2] += $5 }
		END { for (f in own) print f, calls[f] + 0, partial[f] + 0, total[f], own[f] }' calls.* | sort >want
	expect_same "'$options': calls and instructions of all threads" want numbers

	# By thread, each call with its ends, which are off by what a timestamp is late; of what ends a slice it is not told when.
	"$PREC" export -q -i made.data --itrace=cr -o out.trace.json
	for ((n = 0; n < threads; n++)); do
		for ends in begun later; do
			CALLED_TOOLS=aarch64-linux-gnu- called_log called <(head -n -1 log.$n) trace/thread_$n.times $ends >$ends
		done
		jq -r --argjson tid $((100 + n)) '.otherData["first ns"] as $first | .traceEvents[] |
			select(.ph == "X" and .cat == "call" and .tid == $tid) |
			"\(.name) \(.ts * 1000 + $first | round) \(.dur * 1000 | round)"' out.trace.json >got
		expect "'$options': calls of thread $n" "$(wc -l <begun)" "$(wc -l <got)"
		paste -d' ' begun later got | awk '
			function far(at, from, to) { return at < from - 25000 || at > to + 25000 }
			$1 != $15 || far($16, $2, $9) || far($16 + $17, $3, $10) { print NR ": " $0; exit 1 }' >wrong ||
			fail "'$options': a call of thread $n: $(<wrong)"
	done
	for jobs in 1 3; do
		"$PREC" export -q -i made.data --itrace=cr -o again.trace.json -j$jobs
		expect_same "'$options': -j$jobs" out.trace.json again.trace.json
	done
done
