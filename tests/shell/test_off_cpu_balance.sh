#!/bin/bash
# Each thread's time on the CPU, ready and off it is all of its life, and no more of each than the kernel has counted.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_tracepoints
MIXED=$(workload mixed)

# What the host of a virtual machine took, in ns: a thread neither ran then nor left the CPU.
stolen() {
	awk -v tick="$(getconf CLK_TCK)" '$1 == "cpu" { printf "%.0f", $9 * 1e9 / tick }' /proc/stat
}

# record OPTIONS: a recording in which no switch is missing, as far as it shows.
record() {
	local try
	for try in 1 2 3 4; do
		took=$(stolen)
		"$PREC" record "$@" --off-cpu -m 4M -k mono -e cpu-clock -o data "$MIXED" "${MIXED_MS:-3000}" >says 2>err || { cat err; fail 'record'; }
		took=$(($(stolen) - took))
		"$PREC" report -i data --wall -s tid,state -F period,tid,state -g none -t, >out 2>err || { cat err; fail 'report'; }
		grep -qE '\[(waits-gaps|lost-[a-z]+)\]' err || return 0
	done
	part_skipped "$*: this machine does not show each switch"
	return 1
}

# compare NAME LEAST: parts and sums of the recording. A thread that ran less than LEAST of what /proc says is in "far".
compare() {
	: >far
	# Its life by its records: from its making to its end, or the last switch after it.
	"$PREC" script -i data --ns --show-task-events --show-switch-events -F tid,time,event 2>err | awk '
		function number(s) { sub(/:$/, "", s); split(s, part, "."); return part[1] * 1000000000 + part[2] }
		match($0, /PERF_RECORD_FORK\([0-9]+:[0-9]+\)/) {
			tid = substr($0, RSTART, RLENGTH - 1); sub(/.*:/, "", tid); from[tid] = to[tid] = number($2)
		}
		match($0, /PERF_RECORD_EXIT\([0-9]+:[0-9]+\)/) { tid = substr($0, RSTART, RLENGTH - 1); sub(/.*:/, "", tid); to[tid] = number($2) }
		/PERF_RECORD_SWITCH/ && $1 in from { to[$1] = number($2) }
		END { for (tid in from) if (to[tid] > from[tid]) printf "%d %.0f\n", tid, to[tid] - from[tid] }' >lives
	awk -v took="$took" -v least="$2" '
		FILENAME == "lives" { life[$1] = $2; next }
		FILENAME == "out" {
			if (split($0, cell, ",") < 3)
				next
			tid = cell[2] + 0
			all[tid] += cell[1]
			if (cell[3] ~ /^running/) on[tid] += cell[1]
			if (cell[3] ~ /^ready/) ready[tid] += cell[1]
			next
		}
		function apart(a, b) { return a > b ? a - b : b - a }
		{
			n++
			wall = $4 - $3
			if (all[$2] < wall * 0.999 || apart(all[$2], life[$2]) > life[$2] * 0.001)
				printf "%s: %.0f ns in all, the thread says at least %.0f, its records %.0f\n", $1, all[$2], wall, life[$2]
			if (on[$2] > $5 * 1.01 + took || on[$2] < $5 * least - took)
				printf "%s: ran for %.0f ns, /proc says %.0f\n", $1, on[$2], $5 >"far"
			# Some virtual machines hide who woke it: so it may seem to have been ready less, but never more.
			if (ready[$2] > $6 + wall * 0.01 + took)
				printf "%s: ready for %.0f ns, /proc says %.0f\n", $1, ready[$2], $6
		}
		END { if (n != 6) print n + 0 " threads" }' lives out says >wrong
	[ ! -s wrong ] || { cat wrong says; fail "$1"; }
}

# within NAME LEAST OPTIONS: in one of three recordings, as a machine that stops for a millisecond is no switch.
within() {
	for _ in 1 2 3; do
		record "${@:3}" || return 0
		compare "$1" "$2"
		[ -s far ] || return 0
	done
	cat far says
	fail "$1: time on the CPU"
}

# The thread that leaves the CPU names the next one, if numbers of threads are those of the tracepoints.
if [ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ]; then
	within 'a command' 0.99
else
	within 'a command' 0.9
fi
within 'everything' 0.99 -a
