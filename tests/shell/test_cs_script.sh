#!/bin/bash
# Script --itrace of a CoreSight recording tells exactly what ran, however the trace lies in the file, with any -j.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/cs.sh"

# made OPTIONS SEED: the generated trace, as a thread's and as a CPU's recording.
made() {
	local args=() o flags=0 form
	for o in $1; do
		args+=(-o "$o")
		[ $o != raw ] || flags=0x100
	done
	rm -rf trace
	"$gen" -s "$2" -n 6000 "${args[@]}" trace
	for form in '-1 4242 100000000' '0 -1 1008'; do
		# shellcheck disable=SC2086
		recording $flags $form
		"$PREC" script --itrace=i1i -F ip -i made.data 2>messages | tr -d ' ' >got
		case $1 in
		*two*) expect_same "'$1' ($form): instructions" <(sort trace/expected) <(sort got) ;;
		*)
			expect_same "'$1' ($form): instructions" trace/expected got
			"$PREC" script --itrace=i100i -F ip -i made.data 2>messages | tr -d ' ' >got
			expect_same "'$1' ($form): each 100th" <(awk 'NR % 100 == 0' trace/expected) got
			;;
		esac
		"$PREC" report -j1 --itrace=i100igl -i made.data >one 2>/dev/null
		"$PREC" report -j5 --itrace=i100igl -i made.data >many 2>/dev/null
		expect_same "'$1' ($form): report" one many
		# Of the views two each time, in turns.
		kinds=(i100i bi1000i cre i100igl bcrxwpiq i100i)
		for what in "${kinds[@]:$2 / 2 % 5:2}"; do
			"$PREC" script -j1 --itrace=$what -i made.data >one 2>/dev/null
			[ -s one ] || fail "'$1' ($form): --itrace=$what shows nothing"
			# In turns, and after a survey.
			for jobs in 2 5; do
				"$PREC" script -j$jobs --itrace=$what -i made.data >many 2>/dev/null
				expect_same "'$1' ($form): -j$jobs --itrace=$what" one many
			done
		done
	done
}

# Each second of them, unless there is time.
seed=0
while read -r options; do
	seed=$((seed + 1))
	[ "${LONG:-}" ] || [ $((seed % 2)) = 1 ] || continue
	made "$options" $seed
done <<X

rs cid
cc spec
ete rs cid vmid
raw rs
syncs
two cid rs
arm rs spec
spec ete two
late rs cid
late spec rs
dense rs cid
dense spec ete cc
dense arm rs
X

# Its thread, and its name.
made "cid" 99
"$PREC" script --itrace=i1i -F comm,event -i made.data >got 2>/dev/null
expect "what a line says" "program instructions:ku:" "$(sort -u got | tr -s ' ' | sed 's/^ //; s/ $//')"
"$PREC" script --itrace=i1i -F tid -i made.data 2>/dev/null | sort -un | tr -d ' ' >got
"$decode" -d trace | sed -n 's/.*CID=\(0x[0-9a-f]*\).*/\1/p' | sort -u | while read -r n; do echo $((n)); done | sort -n >want
[ "$(wc -l <got)" -gt 2 ] || fail "only $(wc -l <got) contexts"
expect "threads that the trace does not name" "" "$(comm -13 <(sort want) <(sort got))"
# The same behind so many empty frames that what was unpacked to cut it is not kept for those who decode it.
"$PREC" script -j1 --itrace=i7i -F ip -i made.data >one 2>/dev/null
{ head -c 17000000 /dev/zero; cat trace/trace.bin; } >long.bin
cp trace/trace.bin short.bin
mv long.bin trace/trace.bin
recording 0 0 -1 20000000
for jobs in 1 2 5; do
	"$PREC" script -j$jobs --itrace=i7i -F ip -i made.data >many 2>/dev/null
	expect_same "a long unit, -j$jobs" one many
done
mv short.bin trace/trace.bin
recording 0 0 -1 1008
# Two threads need no second decoding of one stream.
for jobs in 1 2 3; do
	"$PREC" script -v -j$jobs --itrace=i7ig -i made.data 2>said >/dev/null
	expect "decoded twice by -j$jobs" $((jobs > 2)) "$(grep -c 'pieces of the trace are decoded twice' said)"
done
# Unasked, script and report show the branches.
nr=$("$PREC" script --itrace=b -F ip -i made.data 2>/dev/null | wc -l)
expect "branches unasked" "$nr" "$("$PREC" script -F ip -i made.data 2>/dev/null | wc -l)"
expect "branches of a report unasked" "$nr" \
	"$("$PREC" report -F sample -s comm -i made.data 2>/dev/null | grep -v '^#' | awk '{ n += $1 } END { print n + 0 }')"
# -D shows the packets below their record, and what the registers were.
"$PREC" script --no-itrace -D -i made.data >got 2>/dev/null
grep -q '^\. \.\.\. CoreSight ETMV4I Trace data: size 0x' got || fail "-D has no packets"
grep -q 'I_TRACE_INFO : Trace Info' got || fail "-D has no trace info packet"
grep -q '^	TRCTRACEIDR		       10$' got || fail "-D does not show the registers"

with_traces || exit 0
for data in "$PREC_TRACES"/cs/*.data "$PREC_TRACES"/real/*.data; do
	[ -e "${data%.data}.exp" ] || continue
	"$PREC" script --itrace=i1i -F ip -i "$data" 2>messages | tr -d ' ' >got
	cmp got <(awk '{ print $1 }' "${data%.data}.exp") || fail "$data"
done
