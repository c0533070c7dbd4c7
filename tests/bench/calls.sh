# shellcheck shell=bash
# The cost of a trace's calls: a million of them, 16.7 million instructions; and what profiles for compilers gain. Rows for
# tests/bench/run.
calls_row() {	# NAME GOAL ARGUMENTS...: CPU seconds of prec, the best of three
	wanted "$1" || return 0
	local TIMEFORMAT='%U %S'
	figure "$1" cpu s "$(for _ in 1 2 3; do
		{ time "$PREC" "${@:3}" -i called.data >/dev/null 2>&1; } 2>&1
	done | awk '{ print $1 + $2 }' | sort -n | head -1)" - "$2"
}
calls_file() {	# FILE: unless a row before has made it
	[ -s "$1" ] || "$PREC" export -q --itrace=cr -i called.data -o "$1"
}
# Until a file is open in headless Chromium: NAME GOAL ARGUMENTS... FILE
opens_row() {
	wanted "$1" && command -v chromium >/dev/null || return 0
	calls_file "${!#}"
	figure "$1" wall ms "$(python3 "$SRC/tests/bench/page_opens.py" "${@:3}")" - "$2"
}
# Until the Firefox Profiler's own reader says that it has a file, of which its server's start is a part.
reader_row() {	# NAME FILE
	wanted "$1" || return 0
	calls_file "$2"
	figure "$1" wall s "$(PROFILER_CLI_SESSION_DIR=$PWD/reader && export PROFILER_CLI_SESSION_DIR && mkdir -p reader
		# shellcheck disable=SC2086
		for _ in 1 2 3; do
			once=$(TIMEFORMAT=%R; { time $PREC_PROFILER_CLI load "$2" --session x >reader.log 2>&1; } 2>&1)
			! grep -q 'Session started' reader.log || echo "$once"
			$PREC_PROFILER_CLI stop --session x >/dev/null 2>&1
		done | sort -n | head -1)" - '<2'
}
# The same program before and after: no worse, at least.
gain_row() {	# NAME PROGRAM
	wanted "$1" || return 0
	"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" "$1" cpu=0.9 "./$2" ./feedback || status=1
}

if [ ! -s called.data ]; then
	"$SRC/tests/bench/make_calls" "$PWD" >make_calls.log 2>&1 || echo "skipped: no traces of calls: $(tail -1 make_calls.log)" >&2
fi
if [ -s called.data ]; then
	calls_row 'a million calls, durations' '<2' report --durations
	calls_row 'a million calls, html' '<2' export -q --itrace=cr -o calls.html
	calls_row 'a million calls, speedscope' '<2' export -q --itrace=cr -o calls.speedscope.json
	calls_row 'a million calls, firefox' '<2' export -q --itrace=cr -o calls.json.gz
	calls_row 'a million calls, chrome' '<2' export -q --itrace=cr -o calls.trace.json
	opens_row 'a million calls, page opens' '<2000' html calls.html
	speedscope=${PREC_NODE_MODULES:-/nowhere}/speedscope/dist/release
	if [ -e "$speedscope/index.html" ]; then
		opens_row 'a million calls, speedscope opens' '<2000' speedscope "$speedscope" calls.speedscope.json
		opens_row 'a million calls, floor: JSON alone' '<2000' json calls.speedscope.json
	else
		echo "skipped: PREC_NODE_MODULES has no speedscope" >&2
	fi
	if [ "${PREC_PROFILER_CLI:-}" ]; then
		reader_row 'a million calls, firefox reads' calls.json.gz
	else
		echo "skipped: no PREC_PROFILER_CLI" >&2
	fi
	rm -rf calls.trace.json calls.speedscope.json calls.html calls.json.gz reader
fi

# Memory of a report where 64 CPUs have each traced the million calls again and again: once, four times, and what 16 GB take if it
# grows on like that. LARGE_TRACE=GB: so much is made and read, in place of reckoning (16 GB take half an hour).
trace_memory() {	# COPIES ARGUMENTS...: MiB, and bytes of the file
	"$BUILD/tests/bench/large_trace" called.data large-trace.data 64 "$1" &&
		"$BUILD/tests/bench/ratio" -n 1 large rss=0 "$PREC report ${*:2} -i large-trace.data" - |
		awk -v bytes="$(stat -c %s large-trace.data)" '{ print $4, bytes }'
}
many_cpus_row() {	# NAME ARGUMENTS...
	local one four size more copies
	wanted "$1" || return 0
	read -r one size < <(trace_memory 1 "${@:2}")
	if [ "${LARGE_TRACE:-}" ]; then
		copies=$(calc "int($LARGE_TRACE * 1e9 / $size + 1)")
		read -r four size < <(trace_memory "${copies%.*}" "${@:2}")
		figure "$1, $LARGE_TRACE GB" rss MiB "$four" - '<1024'
		return
	fi
	figure "$1, once" rss MiB "$one" - '<1024'
	read -r four more < <(trace_memory 4 "${@:2}")
	figure "$1, four times" rss MiB "$four" - '<1024'
	figure "$1, 16 GB reckoned" rss MiB "$(calc "$one + ($four - $one) * (16e9 - $size) / ($more - $size)")" - '<1024'
}
if [ -s called.data ]; then
	many_cpus_row 'trace of 64 CPUs, report' --stdio
	many_cpus_row 'trace of 64 CPUs, durations' --durations
	rm -f large-trace.data
fi
if [ -x feedback.bolt ]; then
	gain_row 'clang with its profile, beside without' feedback.clang
	gain_row 'bolt, beside the program' feedback.bolt
fi
