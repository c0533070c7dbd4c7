# shellcheck shell=bash
# Reading at the machine's limit. Rows for tests/bench/run: the CPU time of prec against the better of the perfs (PERF, PREC_PERF);
# how much of the time that passes with one thread two threads need; and the floor: what a loop takes that walks the same bytes and
# counts the same keys. Where a goal is missed it is told where the time goes, by prec's own profile of itself; of two threads what
# no two threads can beat: half of two programs at once, with one thread each, which start, end and write apart from each other.

cpu_seconds() {	# COMMAND...: of CPU, the least of RUNS
	local TIMEFORMAT='%U %S'
	for _ in $(seq "${RUNS:-3}"); do
		{ time "$@" >/dev/null 2>&1; } 2>&1
	done | awk '{ t = $1 + $2; if (NR == 1 || t < best) best = t } END { printf "%.3f", best }'
}

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

where_it_goes() {
	"$PREC" record -q -F 10000 -e cpu-clock:u -o self.data -- "$PREC" "$@" >/dev/null 2>&1 &&
		"$PREC" report -i self.data --stdio -q -s symbol --no-children --percent-limit 4 2>/dev/null | sed '/^$/d; s/^/    /'
	rm -f self.data
}

# reading NAME GOAL COMMAND... (with -i FILE): GOAL is how many times less than perf.
reading() {
	local name=$1 goal=$2 ours theirs floor file bytes=0 one two
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
	figure '  times the floor' cpu x "$(calc "$ours / $floor")" "$floor" '<3'
	one=$(wall_seconds "$PREC" "$@" -j1)
	two=$(wall_seconds "$PREC" "$@" -j2)
	figure '  -j2 of -j1' wall x "$(calc "$two / $one")" - '<0.58'
	figure '  floor: half of two at once' wall x "$(calc "$(wall_seconds two_at_once "$PREC" "$@" -j1) / $one / 2")" - '>0'
	[ "$theirs" != - ] && [ "$(calc "$theirs / $ours >= $goal")" = 1.000 ] || where_it_goes "$@"
}

# What more CPUs would take, reckoned from the phases that -v prints: of each the part that a second thread did not make shorter is
# serial (Amdahl), and the rest is shared. Nothing else may run meanwhile.
cores() {	# NAME ARGUMENTS...
	wanted "$1" || return 0
	for jobs in 1 2; do
		for ((i = 0; i < ${RUNS:-3}; i++)); do
			"$PREC" "${@:2}" -v -j$jobs 2>&1 >/dev/null | sed -n 's/^prec: phase \([a-z ]*\): \([0-9.]*\) s, \([0-9.]*\) s of CPU$/'$jobs'\t\1\t\2\t\3/p'
		done
	done | awk -F'\t' -v name="$1" '
		!($2 in nr) { nr[$2] = ++phases; names[phases] = $2 }
		!(($1, $2) in wall) || $3 < wall[$1, $2] { wall[$1, $2] = $3 }
		END {
			for (i = 1; i <= phases; i++) {
				one = wall[1, names[i]]; two = wall[2, names[i]]
				share = one > 0 ? 2 * two / one - 1 : 1
				share = share < 0 ? 0 : share > 1 ? 1 : share
				serial += one * share; all += one; both += two
			}
			printf "%-34s wall %-4s %8.3f s, of 2 %.3f s; serial %.1f %%; reckoned speed-up of 4, 16, 64: %.1f, %.1f, %.1f\n", name, "s", all, both,
				100 * serial / all, all / (serial + (all - serial) / 4), all / (serial + (all - serial) / 16), all / (serial + (all - serial) / 64)
		}'
}

# Is one of these rows? Else nothing need be recorded for them.
wanted_some() {	# NAME...
	local name
	for name; do
		! wanted "reading: $name" || return 0
	done
	return 1
}

if wanted_some flat 'by comm' statistics script dump 'flat, cores' 'script, cores' && make_data flat.data -m 8M -e cpu-clock -c 25000 "$SRC/tests/bench/run" --compile 60; then
	reading 'reading: flat' 15 report --stdio -i flat.data
	reading 'reading: by comm' 15 report --stdio -s comm -i flat.data
	reading 'reading: statistics' 10 report --stats -i flat.data
	reading 'reading: script' 10 script -i flat.data
	reading 'reading: dump' 12 script -D -i flat.data
	cores 'reading: flat, cores' report --stdio -i flat.data
	cores 'reading: script, cores' script -i flat.data
fi
if wanted_some children 'children, no inlines' graphs 'without graphs' 'script, chains' 'children, cores' && make_data chain.data -m 8M -e cpu-clock -c 25000 -g "$SRC/tests/bench/run" --compile 20; then
	reading 'reading: children' 30 report --stdio -i chain.data
	reading 'reading: children, no inlines' 20 report --stdio --no-inline -i chain.data
	reading 'reading: graphs' 8 report --stdio --no-children --no-inline -g graph -i chain.data
	cores 'reading: children, cores' report --stdio -i chain.data
	reading 'reading: without graphs' 10 report --stdio --no-children -g none -i chain.data
	reading 'reading: script, chains' 8 script --no-inline -i chain.data
fi
if wanted_some 'the machine, children' && make_data all.data -m 8M -a -e cpu-clock -c 50000 -g "$SRC/tests/bench/run" --compile 20; then
	reading 'reading: the machine, children' 30 report --stdio -i all.data
fi
if wanted_some compressed && make_data packed.data -z -m 8M -e cpu-clock -c 25000 -g "$SRC/tests/bench/run" --compile 20; then
	reading 'reading: compressed' 25 report --stdio -i packed.data
	if wanted 'reading: compressed'; then
		figure '  memory' rss MiB "$("$BUILD/tests/bench/ratio" -n 1 rss rss=0 "$PREC report --stdio -i packed.data" - |
			awk '{ print $4 }')" - '<150'
	fi
fi
if wanted_some tracepoints 'script, tracepoints' && has_tracepoints && make_data calls.data -m 8M -e raw_syscalls:sys_enter -c 1 "$WORK/syscalls" 1000000; then
	reading 'reading: tracepoints' 12 report --stdio -i calls.data
	reading 'reading: script, tracepoints' 8 script -i calls.data
fi
