#!/bin/bash
# The calls of report --durations are those of the generator's log: how many, their instructions, their times as far as packets tell.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
. "$(dirname "$0")/lib/calls.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
need python3
called_program called
sets=(psb=2048,cyc psb=700 psb=2048,long-tnt psb=1000,overflow=1500)
pt_traces t 200000 "${sets[@]}" -- ./called
elf_maps called >t.maps
PT_BUILD_ID=$(build_id_of called)

durations() { "$PREC" report -i "$1" -q --durations -t '|' "${@:2}" 2>err; }

# Without a loss calls and instructions are exact; times are off by what a packet is late at each end: of CYC 150 ticks of half a
# ns, of MTC 800.
for n in 1 2 3; do
	pt_recording t $n 0xe603 -1 100 $((n == 2 ? 5003 : 10000000))
	called_log called t.$n.exp t.$n.times >log
	durations t.$n.data >got
	awk -F'|' '$NF !~ /^\[/ { print $NF, $1, $2, $5, $6 }' got | sort >numbers
	awk '$1 != "*" { if ($7 == "-") calls[$1]++; else partial[$1]++; next }
		{ print $2, calls[$2] + 0, partial[$2] + 0, $4, $5 }' log | sort >want
	expect_same "calls and instructions with ${sets[n - 1]}" want numbers
	awk -v off=$((n == 1 ? 75 : 400)) 'NR == FNR { split($0, f, "|"); total[f[13]] = f[3]; max[f[13]] = f[11]; next }
		$1 == "*" { if (total[$2] > $3 / 2 + 2 * off * calls[$2] || total[$2] < $3 / 2 - 2 * off * calls[$2]) {
				print "total of " $2 ": " total[$2] ", ran " $3 / 2; exit 1 }
			if (max[$2] > longest[$2] / 2 + 2 * off || max[$2] < longest[$2] / 2 - 2 * off) {
				print "longest of " $2 ": " max[$2] ", ran " longest[$2] / 2; exit 1 }
			next }
		{ calls[$1]++ }
		$7 == "-" && $3 - $2 > longest[$1] { longest[$1] = $3 - $2 }' got log || fail "times with ${sets[n - 1]}"
	# What functions had of their own is all there was.
	expect "all time with ${sets[n - 1]}" "$(awk -F'|' '$NF == "_start" { print $3 }' got)" "$(awk -F'|' '{ s += $4 } END { print s }' got)"
	for jobs in 1 3; do
		durations t.$n.data -j$jobs >again
		expect_same "with -j$jobs" got again
	done
done

# Calls and returns alone: the same calls, but those that are jumps.
durations t.1.data --itrace=cr | awk -F'|' '$NF !~ /^\[/ && $NF != "leaf" { print $NF, $1, $2 }' | sort >numbers
called_log called t.1.exp t.1.times | awk '$1 != "*" && $1 != "leaf" { if ($7 == "-") calls[$1]++; else partial[$1]++; all[$1] }
	END { for (f in all) print f, calls[f] + 0, partial[f] + 0 }' | sort >want
expect_same 'calls and returns alone' want numbers
"$PREC" report -i t.1.data --durations --itrace=cr 2>/dev/null >got
expect "branches that are calls and returns" "$("$PREC" script -i t.1.data --itrace=cr -F ip 2>/dev/null | wc -l)" \
	"$(awk '/^# Durations/ { print $6 }' got)"
! grep -q '^#Calls .*Insns' got || fail "calls and returns tell instructions: $(grep '^#Calls' got)"

# Overflows cut the calls that are open. None of those that are whole is longer than the longest, and no more are there.
pt_recording t 4 0xe601 -1 100 10000000
durations t.4.data >got
"$PREC" script -i t.4.data --itrace=be -F event 2>/dev/null | grep -c 'error' >gaps
[ "$(<gaps)" -gt 2 ] || fail "only $(<gaps) overflows"
called_log called t.1.exp t.1.times >log
awk 'NR == FNR { split($0, f, "|"); whole[f[13]] = f[1]; part[f[13]] = f[2]; next }
	$1 == "*" { if (whole[$2] > calls[$2] || !(whole[$2] + part[$2])) { print $2 ": " whole[$2] " and " part[$2] " of " calls[$2]; exit 1 }
		nr += part[$2] }
	$7 == "-" { calls[$1]++ }
	END { if (nr < 8) { print "only " nr " calls are cut"; exit 1 } }' got log || fail 'calls over gaps'
# _start runs all the time: that no call of it is whole, and how often it was seen to begin anew, is known.
expect 'a call that lasts' 0 "$(awk -F'|' '$NF == "run" { print $1 }' got)"

# A filter's edge is a gap, too; one for names chooses rows.
durations t.1.data -S fib >got
expect 'a row' fib "$(cut -d'|' -f13 got)"
durations t.1.data --time 0.016779,0.016782 >got
awk -F'|' '$NF == "run" { exit !($1 == 0 && $2 == 1) }' got || { cat got; fail 'part of the time'; }

# For people: what has no whole call has no lengths.
"$PREC" report -i t.1.data --durations >got 2>err
grep -q '^# Durations of calls, from [0-9]* branches$' got || { cat got; fail 'the head'; }
awk '$NF == "_start" && $1 == 0 && $2 == 1 && $6 == "-" { found = 1 } END { exit !found }' got || { cat got; fail 'the row of _start'; }
[ "$(wc -L <got)" -le 100 ] || fail 'lines are too long'

# Probes at entry and return: f calls itself, one thread is faster than the other, and one return is lost.
{
	cat <<'EOT'
attr u:./prog:f type=8 config=0 sample=IP,TID,TIME,CPU,IDENTIFIER period=1 sample_id_all ids=1
attr u:./prog:f%return type=8 config=1 sample=IP,TID,TIME,CPU,IDENTIFIER period=1 sample_id_all ids=2
comm 7/7 "seven" t=1
EOT
	awk 'function at(t, tid, what) { print "sample 7/" tid " t=" t " ip=0x1000 mode=user cpu=0 event=u:./prog:f" what }
		BEGIN {
		at(999000, 7, "%return")
		for (t = 1000000; ++i <= 10; t += 10000) {
			at(t, 7); at(t + 100, 7); at(t + 110, 8); at(t + 300, 7, "%return"); at(t + 120 + i, 8, "%return"); at(t + 1000, 7, "%return")
		}
		at(t, 8)
	}' | sort -s -t= -k2,2n
} >text
"$(helper mkdata/mkdata)" text probes.data
# 10 of 1000, 10 of 200 in them, 11 to 20 ns; one without a return, one without an entry.
expect 'probes' '30|2|10155|10155|0|0|11|200|1000|1000|1000|0 10 0 10 0 10 0 0 0 0 0 0|f' "$(durations probes.data)"

# What has no calls says so.
{
	echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,IDENTIFIER period=1 sample_id_all ids=1'
	echo 'sample 7/7 t=200000000 ip=0x100 mode=user cpu=0'
} >text
"$(helper mkdata/mkdata)" text plain.data
expect_status 1 "$PREC" report -i plain.data --durations >out 2>err
grep -q 'durations needs calls' err || { cat err; fail 'no calls'; }
expect_status 129 "$PREC" report -i plain.data --durations -s comm >out 2>err
