#!/bin/bash
# The calls of a trace are the generator's log in all formats that have times: each call with its begin, its end and its caller.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
. "$(dirname "$0")/lib/calls.sh"
. "$(dirname "$0")/lib/page.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
need python3
need jq
called_program called
sets=(psb=2048,cyc psb=700 psb=1000,overflow=1500)
pt_traces t 200000 "${sets[@]}" -- ./called
elf_maps called >t.maps
PT_BUILD_ID=$(build_id_of called)

export_calls() { "$PREC" export -q -i "$1" --itrace=cr -o "$2" "${@:3}"; }

# chrome_calls FILE: "function begin length inferred" in ns, in order of the file; inferred as called_log() has it.
chrome_calls() {
	jq -r '.otherData["first ns"] as $first | .traceEvents[] | select(.ph == "X" and .cat == "call") |
		"\(.name) \(.ts * 1000 + $first | round) \(.dur * 1000 | round) \(if .args.begin then "b" else "" end)\(if .args.end then "e" else "" end)-"' "$1"
}

# Each call of the log, begun in order, is there, and off by what a packet is late: of CYC 75 ns, of MTC 400.
for n in 1 2; do
	pt_recording t $n 0xe603 -1 100 $((n == 2 ? 5003 : 10000000))
	export_calls t.$n.data t.$n.trace.json
	# In order of their begins: first of all by place, since many begin at once for the trace's clock.
	called_log called t.$n.exp t.$n.times begun >want
	chrome_calls t.$n.trace.json >got
	expect "calls with ${sets[n - 1]}" "$(wc -l <want)" "$(wc -l <got)"
	paste -d' ' want got | awk -v off=$((n == 1 ? 75 : 400)) '
		function far(a, b) { return a - b > off || b - a > off }
		{ mark = $7 == "-" ? "-" : $7 "-" }
		$1 != $8 || far($2 / 2, $9) || far($3 / 2, $9 + $10) || mark != $11 { print NR ": " $0; exit 1 }' >wrong || fail "a call: $(<wrong)"
	for jobs in 1 3; do
		export_calls t.$n.data again.trace.json -j$jobs
		expect_same "-j$jobs" t.$n.trace.json again.trace.json
	done
done

# They lie in each other: no call ends behind its caller.
jq -e '[.traceEvents[] | select(.ph == "X")] | . as $all | [range(1; length) | $all[.] as $c |
	select($all[. - 1].ts > $c.ts)] == []' t.1.trace.json >/dev/null || fail 'begins are not in order'
expect 'names' 'process_name program
thread_name program' "$(jq -r '.traceEvents[] | select(.ph == "M") | "\(.name) \(.args.name)"' t.1.trace.json | sort -u)"

# speedscope: opened and closed as brackets are, in order of time, and the same calls.
export_calls t.1.data out.speedscope.json
jq -e '.profiles[0] | .type == "evented" and .unit == "nanoseconds" and ([.events[].at] | . == sort) and .endValue == .events[-1].at and
	(reduce .events[] as $e ([]; if . == null then null elif $e.type == "O" then . + [$e.frame]
		elif .[-1] == $e.frame then .[:-1] else null end) == [])' out.speedscope.json >/dev/null || fail 'speedscope: brackets'
chrome_calls t.1.trace.json | cut -d' ' -f1 | sort | uniq -c >want
jq -r '.shared.frames as $f | .profiles[0].events[] | select(.type == "O") | $f[.frame].name' out.speedscope.json | grep -v '^\[' |
	sort | uniq -c >got
expect_same 'speedscope: calls' want got

# As samples: the time in each function itself is what --durations says, in any other format.
"$PREC" report -i t.1.data -q --durations -t '|' 2>err | awk -F'|' '$4 > 0 { print $NF, $4 }' | sort >want
export_calls t.1.data out.folded
awk '{ n = $NF; sub(/ [0-9]+$/, ""); k = split($0, f, ";"); sum[f[k]] += n } END { for (x in sum) print x, sum[x] }' out.folded | sort >got
expect_same 'folded stacks: own time' want got

# At a gap all ends, and nothing lies over it.
pt_recording t 3 0xe601 -1 100 10000000
export_calls t.3.data t.3.trace.json
"$PREC" script -i t.3.data --itrace=be -F event,time --ns 2>/dev/null | sed -n 's/.*error.* time 0\.\([0-9]*\) .*/\1/p' >gaps
[ "$(wc -l <gaps)" -gt 2 ] || fail "only $(wc -l <gaps) gaps"
chrome_calls t.3.trace.json | awk 'NR == FNR { gap[NR] = $1 + 0; n = NR; next }
	{ for (i = 1; i <= n; i++) if ($2 < gap[i] && $2 + $3 > gap[i]) { print $0 " lies over " gap[i]; exit 1 } }' gaps - || fail 'a call over a gap'
chrome_calls t.3.trace.json | grep -c 'be-$' >both || fail 'no call is cut at both ends'

# Samples beside it, intervals, losses: what else a recording has is in the file, too.
{
	cat <<'EOT'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,IDENTIFIER period=1000 sample_id_all context_switch ids=1
comm 7/7 "seven" t=1
comm 7/8 "eight" t=1
EOT
	echo 'switch in 7/7 cpu=0 t=1000000'
	echo 'sample 7/7 t=1500000 ip=0x100 mode=user cpu=0'
	echo 'switch out 7/7 cpu=0 t=2000000'
	echo 'switch in 7/8 cpu=0 t=2000000'
	echo 'lost id=1 n=5 t=2500000 cpu=0'
	echo 'switch out 7/8 cpu=0 t=3000000'
} >text
"$(helper mkdata/mkdata)" text other.data
"$PREC" export -q -i other.data -o other.trace.json
expect 'intervals' '1000 2000 on CPU' "$(jq -r '[.otherData["first ns"] / 1000] as $f | .traceEvents | [.[] | select(.ph == "b" and .tid == 7)][0] as $b |
	[.[] | select(.ph == "e" and .id == $b.id)][0] as $e | "\($b.ts + $f[0]) \($e.ts + $f[0]) \($b.name)"' other.trace.json)"
jq -e '[.traceEvents[] | select(.cat == "sample")] | length == 1 and .[0].args.period == 1000' other.trace.json >/dev/null || fail 'a sample'
jq -e '[.traceEvents[] | select(.cat == "instant" and .name == "lost")] | .[0].args.value == 5' other.trace.json >/dev/null || fail 'a loss'

# The page has them as stacks in order of time.
command -v chromium >/dev/null || { part_skipped 'the page: no chromium'; exit 0; }
PT_SWITCH=none pt_recording t 1 0xe603 -1 100 10000000
export_calls t.1.data out.html
dom out.html 'view=timeline&form=stacks' >page
nr=$(sed -n 's/.*data-calls="\([0-9]*\)".*/\1/p' page | head -1)
[ "${nr:-0}" -gt 100 ] || fail "the page draws ${nr:-no} calls"
[ "$(sed -n 's/.*data-inferred="\([0-9]*\)".*/\1/p' page | head -1)" -ge 2 ] || fail 'the page marks no inferred end'
