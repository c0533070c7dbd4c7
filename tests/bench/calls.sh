# shellcheck shell=bash
# What calls of a trace cost: a million of them, 16.7 million instructions; and what profiles for compilers gain. Rows for
# tests/bench/run.
seconds() {	# COMMAND...: the best of three
	local TIMEFORMAT=%R
	for _ in 1 2 3; do
		{ time "$@" >/dev/null 2>&1; } 2>&1
	done | sort -n | head -1
}
calls_row() {	# NAME GOAL ARGUMENTS...: CPU seconds of prec, the best of three
	wanted "$1" || return 0
	local TIMEFORMAT='%U %S'
	figure "$1" cpu s "$(for _ in 1 2 3; do
		{ time "$PREC" "${@:3}" -i calls.data >/dev/null 2>&1; } 2>&1
	done | awk '{ print $1 + $2 }' | sort -n | head -1)" - "$2"
}
# NAME COMMAND: the time of a page in a browser, without that of an empty one.
page_row() {
	wanted "$1" || return 0
	local browser='chromium --headless=new --no-sandbox --disable-gpu --user-data-dir=browser --dump-dom' page empty
	echo '<html></html>' >empty.html
	# shellcheck disable=SC2086
	empty=$(seconds $browser "file://$PWD/empty.html")
	# shellcheck disable=SC2086
	page=$(seconds $browser "file://$PWD/$2")
	figure "$1" wall s "$(calc "$page - $empty")" - '<2'
}
# The same program before and after: no worse, at least.
gain_row() {	# NAME PROGRAM
	wanted "$1" || return 0
	"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" "$1" cpu=0.9 "./$2" ./feedback || status=1
}

if [ ! -s calls.data ]; then
	"$SRC/tests/bench/make_calls" "$PWD" >make_calls.log 2>&1 || echo "skipped: no traces of calls: $(tail -1 make_calls.log)" >&2
fi
if [ -s calls.data ]; then
	calls_row 'a million calls, durations' '<2' report --durations
	calls_row 'a million calls, html' '<2' export -q --itrace=cr -o calls.html
	calls_row 'a million calls, speedscope' '<2' export -q --itrace=cr -o calls.speedscope.json
	calls_row 'a million calls, firefox' '<2' export -q --itrace=cr -o calls.json.gz
	calls_row 'a million calls, chrome' '<2' export -q --itrace=cr -o calls.trace.json
	rm -f calls.trace.json calls.speedscope.json
	[ ! -s calls.html ] || ! command -v chromium >/dev/null || page_row 'a million calls, page opens' calls.html
fi
if [ -x feedback.bolt ]; then
	gain_row 'clang with its profile, beside without' feedback.clang
	gain_row 'bolt, beside the program' feedback.bolt
fi
