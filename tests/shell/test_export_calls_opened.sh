#!/bin/bash
# The calls of a trace open in speedscope and in Firefox's own reader, which tell the time of each function as --durations does.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
. "$(dirname "$0")/lib/calls.sh"
. "$(dirname "$0")/lib/firefox.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
need python3
need jq
called_program called
pt_traces t 200000 psb=2048,cyc -- ./called
elf_maps called >t.maps
PT_BUILD_ID=$(build_id_of called) PT_SWITCH=none pt_recording t 1 0xe603 -1 100 10000000
# Function, own time, total, in ns.
"$PREC" report -i t.1.data -q --durations -t '|' 2>err | awk -F'|' '$NF !~ /^\[/ { print $NF, $4, $3 }' | sort >durations
[ "$(wc -l <durations)" -gt 8 ] || fail "few functions: $(<durations)"

speedscope=${PREC_NODE_MODULES:-/nowhere}/speedscope/dist/release
if ! command -v chromium >/dev/null; then
	part_skipped 'speedscope: no chromium'
elif [ ! -e "$speedscope/index.html" ]; then
	part_skipped 'speedscope: no PREC_NODE_MODULES with speedscope (npm: speedscope)'
else
	"$PREC" export -q -i t.1.data --itrace=cr -o out.speedscope.json
	python3 "$SRC/tests/lib/speedscope.py" "$speedscope" out.speedscope.json | grep -v '^\[' >got
	# In its words.
	awk 'function word(ns) { return ns < 1000 ? sprintf("%.2fns", ns) : ns < 1000000 ? sprintf("%.2f\302\265s", ns / 1000) : sprintf("%.2fms", ns / 1e6) }
		{ print $1, word($2), word($3) }' durations >want
	expect_same 'speedscope' want got
fi

"$PREC" export -q -i t.1.data --itrace=cr -o out.json.gz
reader_loads out.json.gz
reader thread functions --json >functions.json
jq -r '.functions[] | select(.name | startswith("[") | not) | "\(.name) \(.selfSamples * 1e6 | round) \(.totalSamples * 1e6 | round)"' functions.json |
	sort >got
awk '$2 + $3 > 0' durations >want
expect_same "Firefox's reader" want got
