# shellcheck shell=bash
# What reading costs: samples of the CPU clock. Rows for tests/bench/run.
if make_data flat.data -m 8M -e cpu-clock -c 25000 "$SRC/tests/bench/run" --compile 60; then
	row 'report' cpu=10,wall=10,rss=1 report -i flat.data --stdio
	row 'report by thread and file' cpu=10,wall=10 report -i flat.data --stdio -s comm,dso
	row 'script' cpu=10,wall=10,rss=1 script -i flat.data
	row 'script, four columns' cpu=10,wall=10 script -i flat.data -F comm,tid,time,ip
fi
if make_data chain.data -m 8M -e cpu-clock -c 25000 -g "$SRC/tests/bench/run" --compile 20; then
	row 'report, call chains' cpu=10,wall=10,rss=2 report -i chain.data --stdio
	row 'report, callers folded' cpu=10,wall=10 report -i chain.data --stdio --no-children -g folded
	row 'script, call chains' cpu=10,wall=10 script -i chain.data
fi
# Stacks of 8 KiB, half a gigabyte of them. perf 6.1 takes minutes for inlined functions, the newest does not.
if make_data dwarf.data -m 16M -e cpu-clock -c 250000 --call-graph dwarf "$SRC/tests/bench/run" --compile 38; then
	row 'report, recorded stacks' cpu=10,rss=4 report --no-inline -i dwarf.data --stdio
	row 'script, recorded stacks' cpu=8 script --no-inline -i dwarf.data
	[ ! -x "${PREC_PERF:-}" ] ||
		PERF=$PREC_PERF row 'report, stacks and inlines' cpu=10,rss=4 report -i dwarf.data --stdio
fi
