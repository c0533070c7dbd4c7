#!/bin/bash
# Samples and periods of each function are perf's, for recordings of both, by each perf there is.
# Runs: alone, as the kernel leaves the mark of another recorder's build ids on maps, at which perf 6.1 aborts.
. "$(dirname "$0")/lib/prec.sh"
need_events
need_perf

work="'$(workload shares)' 2 300; '$(workload forks)' 5"
record_perf() { "$PERF" record -q -o "$1" "${@:2}" sh -c "$work" >/dev/null 2>&1; }
record_prec() { "$PREC" record -q -o "$1" "${@:2}" sh -c "$work" >/dev/null 2>&1; }

# Lines of a report without titles, blanks as one, in one order: what is equal must be equal whoever printed it.
entries() { grep -v '^#' | sed -e 's/  */ /g; s/^ //; s/ $//' | grep . | sort; }

# Which of the symbols of one address is shown is a matter of taste: compared are functions of the program itself.
functions() { entries | grep -E ' (a_70|b_20|c_10|leaf|main)$' || true; }

compare() {	# perf's program, recording
	local perf=$1 file=$2
	"$perf" report --stdio -i "$file" --no-children -g none -F sample,period,comm,sym 2>/dev/null | functions >want
	"$PREC" report -i "$file" --no-children -g none -F sample,period,comm,sym 2>/dev/null | functions >got
	[ -s want ] || fail "$perf shows nothing of $file"
	expect_same "functions of $file, by $perf" want got
	"$perf" report --stdio -i "$file" --no-children -g none -F sample,period,dso 2>/dev/null | entries >want
	"$PREC" report -i "$file" --no-children -g none -F sample,period,dso 2>/dev/null | entries >got
	expect_same "files of $file, by $perf" want got
	# A function into which others were inlined perf may show as two rows of the same name and file.
	"$perf" report --stdio -i "$file" --no-inline -g none -s sym 2>/dev/null | functions >want
	"$PREC" report -i "$file" --no-inline -g none -s sym 2>/dev/null | functions >got
	expect_same "shares with callers of $file, by $perf" want got
	"$perf" report --stdio -i "$file" 2>/dev/null | grep -E '^# (Samples|Event count|Total Lost)' >want
	"$PREC" report -i "$file" 2>/dev/null | grep -E '^# (Samples|Event count|Total Lost)' >got
	expect_same "totals of $file, by $perf" want got
}

record_perf perf.data -e cpu-clock:u -F 2000 || skip "perf cannot record"
record_perf perf-g.data -e cpu-clock:u -F 2000 -g
record_perf perf-two.data -e cpu-clock:u,page-faults:u -g
record_prec prec.data -e cpu-clock:u -F 2000
record_prec prec-g.data -e cpu-clock:u -F 2000 -g
record_prec prec-two.data -e cpu-clock:u,page-faults:u -g

for perf in $(perfs); do
	for file in perf.data perf-g.data perf-two.data prec.data prec-g.data prec-two.data; do
		compare "$perf" $file
	done
done
