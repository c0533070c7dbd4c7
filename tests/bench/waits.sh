# shellcheck shell=bash
# The cost of finding out why a program waits, beside perf sched record. Rows for tests/bench/run.
# SWITCHES: of the file that is read (10000000). A goal that is missed has its floors below it: what the kernel alone takes, that
# writes the same records into rings which nobody empties, and what one record a switch takes, without a stack.
switching() {	# COMMAND...: the least ns that the program says of its rounds; leaves how many switches they had in "count"
	local i
	for ((i = 0; i < ${RUNS:-3}; i++)); do
		"$@" 2>said.waits
	done | sort -n | awk 'NR == 1 { print $1; print $2 >"count" }'
}
record_waits() { "$PREC" record --off-cpu -m 16M -e dummy -o waits.data "$@"; }
record_floor() { "$PREC" record --off-cpu --overwrite -m 1M -e dummy -o floor.data "$@"; }
record_bare() { "$PREC" record -q -a -m 16M -e sched:sched_switch -o bare.data "$@"; }
record_sched() { "$PERF" sched record -m 16M -o sched.data -- "$@" 2>&1 >said.program | cat >said.waits; cat said.program; }
percent() { calc "100 * ($2 - $1) / $1"; }

# NAME GOAL PROGRAM...: how much slower the program is while it is recorded.
slower_row() {
	wanted "$1" || return 0
	local plain ours theirs=-
	plain=$(switching "${@:3}")
	ours=$(percent "$plain" "$(switching record_waits "${@:3}")")
	[ ! "$PERF" ] || theirs=$(percent "$plain" "$(switching record_sched "${@:3}")")
	figure "$1" slow % "$ours" "$theirs" "$2"
	figure "$1, the kernel alone" slow % "$(percent "$plain" "$(switching record_floor "${@:3}")")" - '<1000'
	figure "$1, a record a switch" slow % "$(percent "$plain" "$(switching record_bare "${@:3}")")" - '<1000'
}

# NAME GOAL PROGRAM...: CPU seconds of the recorder.
recorder_row() {
	wanted "$1" || return 0
	local ours theirs=-
	read -r ours _ < <("$BUILD/tests/bench/cost" "$PREC" record --off-cpu -m 16M -e dummy -o waits.data "${@:3}")
	[ ! "$PERF" ] || read -r theirs _ < <("$BUILD/tests/bench/cost" "$PERF" sched record -m 16M -o sched.data -- "${@:3}")
	figure "$1" cpu s "$ours" "$theirs" "$2"
}

bytes_row() {	# NAME PROGRAM...
	wanted "$1" || return 0
	local ours theirs=-
	switching record_waits "${@:2}" >/dev/null
	ours=$(calc "$(stat -c %s waits.data) / $(<count)")
	if [ "$PERF" ]; then
		switching record_sched "${@:2}" >/dev/null
		theirs=$(calc "$(stat -c %s sched.data) / $(<count)")
	fi
	figure "$1" size B "$ours" "$theirs" 0.1
}

# What the program counts, and is neither in the file nor told to be lost, in percent.
uncounted_row() {
	wanted "$1" || return 0
	local seen lost
	RUNS=1 switching record_waits "${@:2}" >/dev/null
	# Of a switch more than one event may tell: each that the program left its CPU by is a wait.
	seen=$("$PREC" report -i waits.data -q -t, -g none -e offcpu-time -s comm -F sample,comm 2>/dev/null |
		awk -F, '/pingpong/ { sum += $1 } END { print sum + 0 }')
	lost=$("$BUILD/tests/mkdata/walk" waits.data | awk '$1 == "lost" || $1 == "lost_samples" { sum += $2 } END { print sum + 0 }')
	figure "$1" miss % "$(calc "100 * ($(<count) - $seen - $lost) / $(<count)")" - '<0.1'
}

if "$PREC" record -q -e sched:sched_switch -o out.data true >/dev/null 2>out.log; then
	slower_row 'waits of 20 k switches/s' '<2' "$WORK/pingpong" 20000 80
	recorder_row 'waits of 20 k switches/s, recorder' 5 "$WORK/pingpong" 20000 80
	slower_row 'waits of a ping-pong' 2 "$WORK/pingpong" 100000
	recorder_row 'waits of a ping-pong, recorder' 1 "$WORK/pingpong" 100000
	uncounted_row 'waits of a ping-pong, uncounted' "$WORK/pingpong" 100000
	bytes_row 'waits of a ping-pong, a switch' "$WORK/pingpong" 100000
	recorder_row 'waits for mutexes, recorder' 5 "$WORK/locks" 300
	if wanted 'report of many switches' && [ "$PERF" ]; then
		many=sched-${SWITCHES:=10000000}.data
		[ -s "$many" ] || "$PERF" sched record -B -N -m 64M -o "$many" -- "$WORK/pingpong" $((SWITCHES / 4)) >said.waits 2>&1
		"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" 'report of many switches' cpu=10 \
			"$PREC report -i $many -e offcpu-time -g none" "$PERF sched timehist -i $many" || status=1
		"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" 'report of many switches, counts alone' cpu=0 \
			"$PREC report -i $many --stats" - || status=1
	fi
else
	echo "skipped: waits: tracepoints cannot be recorded here: $(tail -1 out.log)" >&2
fi
