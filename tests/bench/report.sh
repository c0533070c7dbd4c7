# shellcheck shell=bash
# The cost of reading: samples of the CPU clock. Rows for tests/bench/run.
if wanted report 'report by thread and file' script 'script, four columns' &&
   make_data flat.data -m 8M -e cpu-clock -c 25000 "$SRC/tests/bench/run" --compile 60; then
	row 'report' cpu=10,wall=10,rss=1 report -i flat.data --stdio
	row 'report by thread and file' cpu=10,wall=10 report -i flat.data --stdio -s comm,dso
	row 'script' cpu=10,wall=10,rss=1 script -i flat.data
	row 'script, four columns' cpu=10,wall=10 script -i flat.data -F comm,tid,time,ip
fi
if wanted 'report, call chains' 'report, callers folded' 'script, call chains' &&
   make_data chain.data -m 8M -e cpu-clock -c 25000 -g "$SRC/tests/bench/run" --compile 20; then
	row 'report, call chains' cpu=10,wall=10,rss=2 report -i chain.data --stdio
	row 'report, callers folded' cpu=10,wall=10 report -i chain.data --stdio --no-children -g folded
	row 'script, call chains' cpu=10,wall=10 script -i chain.data
fi
# Of so few samples the time is that of names: the kernel's, and libraries', whose lines are kept from one run to the next.
if wanted 'report of a thousand samples' &&
   { [ -s small.data ] || "$PREC" record -q -g -F 1000 -o small.data "$WORK/shares" 1 1000 >/dev/null; }; then
	"$PREC" report -i small.data --stdio >/dev/null 2>&1
	row 'report of a thousand samples' cpu=5,wall=5 report -i small.data --stdio
	newest=${PREC_PERF:-$PERF}
	small=(report -i small.data --stdio)
	theirs=-
	[ -z "$newest" ] || theirs=$(cpu_seconds "$newest" "${small[@]}")
	figure 'report of a thousand samples (newest)' cpu s "$(cpu_seconds "$PREC" "${small[@]}")" "$theirs" '<0.020'
	# Loading libraries and ending; and where the rest goes.
	figure 'report of a thousand, floor: start' cpu s "$(cpu_seconds "$PREC" --version)" "$theirs" '<0.020'
	"$PREC" report -v -i small.data --stdio 2>&1 >/dev/null |
		sed -nE 's/^prec: phase ([a-z ]+): [0-9.]+ s, ([0-9.]+) s of CPU.*/    \1: \2 s of CPU/p'
	tried "the copy of kallsyms that record made since the boot, as the kernel takes 50 ms to print it; a copy's addresses read" \
		'eight digits at a time; lines and inlined functions kept by build id; symbols only of files that have samples'
fi
# Two threads are to take 0.55 of the time of one; below stands what the machine gives to two programs at once, each with one.
two_threads() {	# NAME ARGUMENTS OF REPORT...
	local name="$1, two threads" floor="$1, floor: two at once"
	shift
	[[ $name = *$filter* ]] || return 0
	"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" "$name" wall=1.82 "$PREC report -j2 $*" "$PREC report -j1 $*" || status=1
	printf '#!/bin/sh\n"$@" & "$@"; wait\n' >two && chmod +x two
	"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" "$floor" wall=0.91 "$PWD/two $PREC report -j1 $*" "$PREC report -j1 $*" || status=1
}
# What is left where nothing is unwound and nobody's callers are named or printed: below that no unwinder comes.
without_chains() {	# NAME GOALS COMMAND OPTIONS... : beside what the perf needs with them
	local name="$1, floor: no chains" goals=$2 command=$3
	shift 3
	[[ $name = *$filter* ]] || return 0
	set -- "$command" "$@" -i dwarf.data
	"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" "$name" "$goals" \
		"$PREC $* --no-inline $([ "$command" = script ] && echo -G || echo --no-children -g none)" "${PERF:--}${PERF:+ $*}" || status=1
}
# Stacks of 8 KiB, half a gigabyte of them. perf 6.1 takes minutes for inlined functions, the newest does not.
if wanted 'report, recorded stacks, two threads' 'report, recorded stacks, floor: two at once' \
	   'report, recorded stacks, floor: no chains' 'script, recorded stacks, floor: no chains' \
	   'report, stacks and inlines, floor: no chains' &&
   make_data dwarf.data -m 16M -e cpu-clock -c 250000 --call-graph dwarf "$SRC/tests/bench/run" --compile 38; then
	row 'report, recorded stacks' cpu=10,rss=4 report --no-inline -i dwarf.data --stdio
	without_chains 'report, recorded stacks' cpu=10,rss=4 report --no-inline --stdio
	row 'script, recorded stacks' cpu=8 script --no-inline -i dwarf.data
	without_chains 'script, recorded stacks' cpu=8 script --no-inline
	two_threads 'report, recorded stacks' --no-inline -i dwarf.data --stdio
	if [ -x "${PREC_PERF:-}" ]; then
		PERF=$PREC_PERF row 'report, stacks and inlines' cpu=10,rss=4 report -i dwarf.data --stdio
		PERF=$PREC_PERF without_chains 'report, stacks and inlines' cpu=10,rss=4 report --stdio
	fi
fi
