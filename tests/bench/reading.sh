# shellcheck shell=bash
# Reading at the machine's limit. Rows for tests/bench/run: the CPU time of prec against the better of the perfs (PERF, PREC_PERF);
# how two threads compare with two programs, and what more CPUs would give; and the floor: what a loop takes that walks the same bytes and
# counts the same keys. Where a goal is missed it is told where the time goes, by prec's own profile of itself. Two threads cannot
# beat half of two programs at once, with one thread each, which start, end and write apart from each other. What more CPUs would
# take is reckoned from the phases that -v prints.

wall_seconds() {
	local TIMEFORMAT='%R'
	for _ in $(seq "${RUNS:-3}"); do
		{ time "$@" >/dev/null 2>&1; } 2>&1
	done | sort -n | head -1
}

two_at_once() {	# COMMAND...
	"$@" &
	"$@"
	wait $!
}

# The perf that needs less; "-" without one.
better_perf() {
	local perf best=-
	for perf in "$PERF" "${PREC_PERF:-}"; do
		[ -x "$perf" ] || continue
		best=$(echo "$best $(cpu_seconds "$perf" "$@")" | awk '{ print ($1 == "-" || $2 < $1) ? $2 : $1 }')
	done
	echo "$best"
}

# phases JOBS COMMAND...: the CPU time of each phase that -v prints, and the serial part of it, each the least of RUNS.
phases() {
	for _ in $(seq "${RUNS:-3}"); do
		PREC_MORE_JOBS=1 "$PREC" "${@:2}" -v -j"$1" 2>&1 >/dev/null |
			sed -n 's/^prec: phase \([a-zA-Z ]*\): [0-9.]* s, \([0-9.]*\) s of CPU, \([0-9.]*\) s of it serial$/\1\t\2\t\3/p' |
			awk -F'\t' '{ cpu[$1] += $2; serial[$1] += $3 } END { for (p in cpu) print p "\t" cpu[p] "\t" serial[p] }'
	done | awk -F'\t' '
		!($1 in cpu) || $2 < cpu[$1] { cpu[$1] = $2 }
		!($1 in serial) || $3 < serial[$1] { serial[$1] = $3 }
		END { for (p in cpu) print p "\t" cpu[p] "\t" serial[p] }'
}

# What was tried for rows like NAME; the figures are those of the commits.
tried_reading() {	# NAME
	case $1 in
	*script* | *dump*)
		tried 'records printed by several threads; the text of an address kept, and looked up for sixteen records at a time' \
			'(1.7 to 1.0 s); fields of tracepoints loaded at their fixed places (a fifth)'
		;;
	*)
		tried 'an index of the data written by record (first pass of 27 M samples: 3.3 to 2.1 s); tables merged by ranges of' \
			'hashes (were 11 % of 16 threads); files named at once, the largest first; entries and graphs counted by all' \
			'threads (3 %); no more threads than CPUs (-j64 on two of them: 4.7 to 1.0 times the time of -j2)'
		;;
	esac
}

# How well the row uses CPUs that this machine has not. With N threads N CPUs take the serial part and an Nth of the rest (Amdahl).
cores() {	# COMMAND...
	local one jobs serial=0 cpu=1 goal_serial='>0' goal_speed='>0'
	one=$(phases 1 "$@" | awk -F'\t' '{ cpu += $2 } END { print cpu }')
	[ "$(calc "$one > 1")" != 1.000 ] || { goal_serial='<5' goal_speed='>9'; }
	for jobs in 4 64 16; do
		phases $jobs "$@" >phases
		read -r cpu serial < <(awk -F'\t' '{ cpu += $2; serial += $3 } END { print cpu, serial }' phases)
		[ $jobs = 16 ] || figure "  reckoned speed-up, $jobs CPUs" cpu x "$(calc "$one / ($serial + ($cpu - $serial) / $jobs)")" - '>0'
	done
	figure '  reckoned speed-up, 16 CPUs' cpu x "$(calc "$one / ($serial + ($cpu - $serial) / 16)")" - "$goal_speed"
	figure '  serial part, 16 threads' cpu % "$(calc "100 * $serial / $cpu")" - "$goal_serial"
	sort -t$'\t' -k3,3nr phases | awk -F'\t' -v cpu="$cpu" '$3 > 0.01 * cpu { printf "    serial: %s, %.3f s of %.3f s\n", $1, $3, $2 }'
}

resident() {	# COMMAND...: MiB
	"$BUILD/tests/bench/ratio" -n 1 rss rss=0 "$PREC $*" - | awk '{ print $4 }'
}

# reading NAME GOAL COMMAND... (with -i FILE): GOAL is how many times less than perf.
reading() {
	local name=$1 goal=$2 ours theirs floor file bytes=0 two
	shift 2
	wanted "$name" || return 0
	file="$* "
	file=${file##*-i }
	file=${file%% *}
	ours=$(cpu_seconds "$PREC" "$@")
	theirs=$(better_perf "$@")
	figure "$name" cpu s "$ours" "$theirs" "$goal"
	[ "$1" != script ] || bytes=$("$PREC" "$@" 2>/dev/null | wc -c)
	floor=$("$BUILD/tests/bench/floor" "$file" "$bytes" | awk '{ print $3 }')
	figure '  times the floor' cpu x "$(calc "$ours / $floor")" "$floor" "$([ "$1" = script ] && echo '<1.5' || echo '<3')"
	two=$(wall_seconds "$PREC" "$@" -j2)
	figure '  -j2 of half of two at once' wall x "$(calc "2 * $two / $(wall_seconds two_at_once "$PREC" "$@" -j1)")" - '<1.08'
	figure '  -j64 of -j2' wall x "$(calc "$(wall_seconds "$PREC" "$@" -j64) / $two")" - '<1.1'
	figure '  -j64 of -j2' rss x "$(calc "$(resident "$@" -j64) / $(resident "$@" -j2)")" - '<2'
	cores "$@"
	[ "$theirs" != - ] && [ "$(calc "$theirs / $ours >= $goal")" = 1.000 ] || { where_it_goes "$@"; tried_reading "$name"; }
}

# exporting NAME FORMAT FILE: beside the report of the same.
exporting() {
	local report
	wanted "$1" || return 0
	report=$(cpu_seconds "$PREC" report --stdio -i "$3")
	figure "$1, of report" cpu x "$(calc "$(cpu_seconds "$PREC" export --format "$2" -o exported -i "$3") / $report")" - '<1.5'
	cores export --format "$2" -o exported -i "$3"
	rm -f exported
}

# Is one of these rows? Else nothing need be recorded for them.
wanted_some() {	# NAME...
	local name
	for name; do
		! wanted "reading: $name" || return 0
	done
	return 1
}

if wanted_some flat 'by comm' statistics script dump && make_data flat.data -m 8M -e cpu-clock -c 25000 "$SRC/tests/bench/run" --compile 60; then
	reading 'reading: flat' 15 report --stdio -i flat.data
	reading 'reading: by comm' 15 report --stdio -s comm -i flat.data
	reading 'reading: statistics' 10 report --stats -i flat.data
	reading 'reading: script' 8 script -i flat.data
	reading 'reading: dump' 12 script -D -i flat.data
fi
if wanted_some children 'children, no inlines' graphs 'without graphs' 'script, chains' HTML Parquet && make_data chain.data -m 8M -e cpu-clock -c 25000 -g "$SRC/tests/bench/run" --compile 20; then
	reading 'reading: children' 25 report --stdio -i chain.data
	reading 'reading: children, no inlines' 20 report --stdio --no-inline -i chain.data
	reading 'reading: graphs' 8 report --stdio --no-children --no-inline -g graph -i chain.data
	reading 'reading: without graphs' 10 report --stdio --no-children -g none -i chain.data
	reading 'reading: script, chains' 8 script --no-inline -i chain.data
	exporting 'reading: HTML' html chain.data
	exporting 'reading: Parquet' parquet chain.data
fi
if wanted_some 'the machine, children' && make_data all.data -m 8M -a -e cpu-clock -c 50000 -g "$SRC/tests/bench/run" --compile 20; then
	reading 'reading: the machine, children' 25 report --stdio -i all.data
fi
if wanted_some compressed && make_data packed.data -z -m 8M -e cpu-clock -c 25000 -g "$SRC/tests/bench/run" --compile 20; then
	reading 'reading: compressed' 25 report --stdio -i packed.data
	if wanted 'reading: compressed'; then
		figure '  memory' rss MiB "$(resident report --stdio -i packed.data)" - '<150'
	fi
fi
if wanted_some tracepoints 'script, tracepoints' && has_tracepoints && make_data calls.data -m 8M -e raw_syscalls:sys_enter -c 1 "$WORK/syscalls" 1000000; then
	reading 'reading: tracepoints' 12 report --stdio -i calls.data
	reading 'reading: script, tracepoints' 10 script -i calls.data
fi
