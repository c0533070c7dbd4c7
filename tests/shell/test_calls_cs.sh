#!/bin/bash
# The calls of a CoreSight trace that report --durations counts are those of the log of the program that ran, and their instructions.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/cs.sh"
. "$SRC/tests/shell/lib/calls.sh"
need python3
logged_called 40

offset=$(text_offset called)
for options in "calm" "calm rs cc" "calm spec" "calm ete"; do
	args=()
	for o in $options; do args+=(-o "$o"); done
	rm -rf trace
	"$gen" "${args[@]}" -l all -c code.bin trace
	# The trace ends with the last branch, of which it does not tell where it goes: calls are known up to the taken one before.
	"$decode" trace >got 2>gaps
	head -n "$(wc -l <got)" all | python3 -c 'if True:
		import sys
		log = [int(l, 16) for l in sys.stdin]
		last = max(i for i in range(len(log) - 1) if log[i + 1] != log[i] + 4)
		print(*["%x" % ip for ip in log[:last + 1]], sep="\n")' >log
	seq "$(wc -l <log)" >times
	CALLED_TOOLS=aarch64-linux-gnu- called_log called log times |
		awk '$1 != "*" { if ($7 == "-") calls[$1]++; else partial[$1]++; next } { print $2, calls[$2] + 0, partial[$2] + 0, $4, $5 }' |
		sort >want
	[ "$(wc -l <want)" -gt 8 ] || fail "'$options': few functions: $(<want)"
	for form in '-1 4242 100000000' '0 -1 1008'; do
		for times in '' 1; do
			WITH_TIMES=$times
			# shellcheck disable=SC2086
			recording 0 $form
			sed -i "s,@0 r-xp .*/trace/code.bin\",@0x$offset r-xp \"$PWD/called\" $(build_id_of called)," made.txt
			"$mkdata" made.txt made.data
			"$PREC" report -i made.data -q --durations -t '|' 2>err >rows
			awk -F'|' '$NF !~ /^\[/ { print $NF, $1, $2, $5, $6 }' rows | sort >got
			expect_same "'$options' ($form, times: ${times:-none}): calls and instructions" want got
			# The functions' own time is the whole time.
			expect "'$options' ($form): all time" "$(awk -F'|' '$NF == "_start" { print $3 }' rows)" \
				"$(awk -F'|' '{ s += $4 } END { print s }' rows)"
			for jobs in 1 3; do
				"$PREC" report -i made.data -q --durations -t '|' -j$jobs 2>err >again
				expect_same "'$options' with -j$jobs" rows again
			done
		done
	done
done
