#!/bin/bash
# Script with --itrace of an Intel PT recording tells exactly what ran, however the trace lies in the file, with any -j.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
sets=("psb=2048" "psb=300,long-tnt,cyc" "psb=1000,no-ret-comp,long-tnt" "psb=700,async=300" "psb=256,overflow=2000")
configs=(0xe601 0xe603 0xee01 0xe601 0xe601)
pt_traces t 60000 "${sets[@]}" -- bash -c 'echo $((40 + 2))'

for ((i = 1; i <= ${#sets[@]}; i++)); do
	case $i in
	1 | 4) cpu=-1 tid=100 portion=100000000 ;;
	*) cpu=0 tid=-1 portion=$((1000 + 7 * i)) ;;
	esac
	pt_recording t $i "${configs[i - 1]}" $cpu $tid $portion
	"$PREC" script --itrace=i1i -F ip -i t.$i.data 2>messages | tr -d ' ' >got
	expect_same "the instructions of ${sets[i - 1]}" t.$i.exp got
	for what in i1i i100i bi1000i crbe i10us i1000iy iqg i10is50 brs7; do
		"$PREC" script -j1 --itrace=$what -i t.$i.data >one 2>/dev/null
		[ -s one ] || fail "--itrace=$what of ${sets[i - 1]} shows nothing"
		for jobs in 2 5; do
			"$PREC" script -j$jobs --itrace=$what -i t.$i.data >many 2>/dev/null
			expect_same "-j$jobs --itrace=$what of ${sets[i - 1]}" one many
		done
	done
	"$PREC" script -j1 --call-ret-trace -F +ipc -i t.$i.data >one 2>/dev/null
	"$PREC" script -j4 --call-ret-trace -F +ipc -i t.$i.data >many 2>/dev/null
	[ -s one ] || fail "--call-ret-trace of ${sets[i - 1]} shows nothing"
	expect_same "-j4 --call-ret-trace of ${sets[i - 1]}" one many
	"$PREC" script --itrace=i100i -F ip -i t.$i.data 2>/dev/null | tr -d ' ' >got
	expect_same "each 100th instruction of ${sets[i - 1]}" <(awk 'NR % 100 == 0' t.$i.exp) got
done

# What is left out is the beginning.
"$PREC" script --itrace=b -F ip,addr -i t.2.data 2>/dev/null | tail -n +1001 >want
"$PREC" script --itrace=bs1000 -F ip,addr -i t.2.data >got 2>/dev/null
expect_same "--itrace=bs1000" want got
# Addresses that packets have are addresses of instructions that ran; the last may be where the program was when tracing ended.
"$PREC" script --itrace=iq -F ip -i t.4.data 2>/dev/null | tr -d ' ' | head -n -1 | sort -u >got
[ "$(wc -l <got)" -gt 10 ] || fail "--itrace=iq shows nothing"
expect "addresses of --itrace=iq that did not run" "" "$(sort -u t.4.exp | comm -13 - got)"

# Whose it is, and what it is called.
"$PREC" script --itrace=i1000i -F comm,pid,tid,event -i t.2.data >got 2>/dev/null
expect "what a line says" "program 100/100 instructions:u:" "$(sort -u got | tr -s ' ' | sed 's/^ //; s/ $//')"
# Gaps are told: once in a summary, and each where --itrace has e.
"$PREC" script --itrace=i1000ie -F ip -i t.5.data >got 2>messages
grep -q 'instruction trace error type 1 .*: Overflow packet' got || fail "no error line for an overflow"
grep -q 'gaps in .* instructions: .*overflow\|gaps in .* instructions' messages || fail "the gaps are not told: $(cat messages)"
expect "no trace with --no-itrace" 0 "$("$PREC" script --no-itrace -i t.1.data | wc -l)"
"$PREC" script --itrace=i1k -i t.1.data >/dev/null 2>messages && fail "--itrace=i1k is taken"
grep -q "unknown letter 'k'" messages || fail "--itrace=i1k: $(cat messages)"
# Where no event writes into the trace there is nothing to show.
"$PREC" script --itrace=i1i -i t.1.data >want 2>messages
"$PREC" script --itrace=i1io -i t.1.data >got 2>messages || fail "--itrace=i1io: $(cat messages)"
expect_same "--itrace=i1io" want got
# The log has each packet that -D shows (the last one there with the record's padding), and each instruction; with +o it is
# shown, with +e only what was before errors.
"$PREC" script -j1 --itrace=d -i t.4.data >/dev/null 2>&1
sed -n 's/^ *\([0-9a-f]*\):  [0-9a-f].*/\1/p' intel_pt.log >got
"$PREC" script -j1 --itrace=i1i -F ip -i t.4.data 2>/dev/null | tr -d ' ' >want
expect_same "instructions of the log" want got
"$PREC" script --no-itrace -D -i t.4.data | sed -n 's/^\. *[0-9a-f]\{8\}: *//p' | sed '$d' >want
sed -n 's/^\. *[0-9a-f]\{8\}: *//p' intel_pt.log | sed '$d' >got
expect_same "packets of the log" want got
mv intel_pt.log whole
"$PREC" script -j5 --itrace=d+o -i t.4.data >got 2>/dev/null
expect_same "the log as shown" whole got
[ ! -e intel_pt.log ] || fail "--itrace=d+o writes a file"
"$PREC" script --itrace=d+e -i t.4.data >/dev/null 2>&1
expect "what was before no errors" 0 "$(wc -c <intel_pt.log)"
"$PREC" script --itrace=d+e -i t.5.data >/dev/null 2>&1
grep -q '^error: .*overflow' intel_pt.log || fail "the log has no overflow"
# A report sums up the same samples.
total=$("$PREC" script --itrace=b -F ip -i t.1.data 2>/dev/null | wc -l)
expect "samples of a report" "# Event count (approx.): $total" \
	"$("$PREC" report --stdio --itrace=b -i t.1.data 2>/dev/null | grep 'Event count')"
# -D shows the packets below their record.
"$PREC" script -D -i t.1.data >got 2>/dev/null
[ "$(grep -c 'branches:' got)" = 0 ] || fail "-D decodes"
grep -q '^\. \.\.\. Intel Processor Trace data: size' got || fail "-D has no packets"
grep -q ' PSBEND$' got || fail "-D has no PSBEND"

for perf in $(known_perfs); do
	for what in "i1000i ip" "b ip,addr" "cr ip,addr" "bi100i event,ip,time"; do
		read -r letters fields <<<"$what"
		"$perf" script --itrace=$letters -F "$fields" -i t.1.data 2>perf.err >want || fail "$perf script --itrace=$letters: $(<perf.err)"
		"$PREC" script --itrace=$letters -F "$fields" -i t.1.data 2>/dev/null >got
		[ -s want ] || fail "$perf script --itrace=$letters shows nothing"
		expect_same "--itrace=$letters beside $perf" want got
	done
done
