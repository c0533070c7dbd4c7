#!/bin/bash
# Call chains and last branches of an Intel PT trace are those that its branches make, for any -j.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
# Interrupts make the trace long enough for some pieces.
pt_traces t 120000 "psb=2048" "psb=1000,async=7,no-mtc" -- bash -c 'for i in 1 2 3 4; do echo $((40 + i)); done'

script() { "$PREC" script -i "t.$1.data" "${@:2}" 2>/dev/null; }

pt_recording t 1 0xe601 -1 100 100000000
pt_recording t 2 0xe601 0 -1 50000
for i in 1 2; do
	# The last branches are the lines above, the last one first.
	script $i --itrace=bi997il5 -F event,ip,addr,brstack >both
	awk '/branches/ { k = ++n % 5; at[k] = "0x" $2 "/0x" $4; next }
		{ want = ""; for (j = 0; j < 5 && j < n; j++) want = want " " at[(n - j + 5) % 5]
		  got = ""; for (j = 4; j <= NF; j++) { split($j, p, "/"); got = got " " p[1] "/" p[2] }
		  if (want != got) { print NR ": want" want ", got" got; bad++ } else same++ }
		END { print same + 0, bad + 0; exit !(same > 50) }' both >said || fail "too few samples: $(tail -1 said)"
	expect "last branches of t.$i" 0 "$(tail -1 said | cut -d' ' -f2)"
	# Each return address in a chain is behind a call that has not returned.
	script $i --itrace=crei101ig -F event,ip,addr,flags --no-inline >both
	awk 'function hex(s,   v, j) { v = 0; for (j = 1; j <= length(s); j++) v = v * 16 + index("0123456789abcdef", substr(s, j, 1)) - 1
			return v }
		/branches/ && / (call|syscall|int) / && $NF != "0" { from[++top] = $(NF - 2); next }
		/branches/ && / (return|iret|sysret) / && top {
			for (j = top; j && !(hex($NF) - hex(from[j]) > 0 && hex($NF) - hex(from[j]) <= 15); j--) ;
			if (j) top = j - 1
			next }
		/branches/ { next }
		/instructions/ { at = 0; samples++; next }
		NF == 1 { if (at) { j = top - at + 1; d = hex($1) - hex(from[j])
				if (j < 1 || d <= 0 || d > 15) { print NR ": " $1 " is not behind " from[j]; bad++ } else good++ }
			at++ }
		END { print good + 0, bad + 0; exit !(samples > 500 && good > samples) }' both >said || fail "t.$i: $(tail -1 said)"
	expect "chains of t.$i" 0 "$(tail -1 said | cut -d' ' -f2)"
	for what in i101ig i97igl cri1000ig4 i1000il1000; do
		fields=comm,tid,event,ip,sym
		[[ $what != *l* ]] || fields+=,brstack
		script $i -j1 --itrace=$what -F $fields >one
		[ -s one ] || fail "--itrace=$what of t.$i shows nothing"
		for jobs in 2 5; do
			script $i -j$jobs --itrace=$what -F $fields >many
			expect_same "-j$jobs --itrace=$what of t.$i" one many
		done
	done
done

# Two threads need no second decoding of one stream, as nobody has to wait for long; more do.
for jobs in 1 2 3; do
	"$PREC" script -v -j$jobs --itrace=i101ig -i t.1.data 2>said >/dev/null
	expect "decoded twice by -j$jobs" $((jobs > 2)) "$(grep -c 'pieces of the trace are decoded twice' said)"
done

# Of a CPU's trace the samples have its number; of a thread's, which lacks it, none is asked for in vain.
expect "the CPU's samples" "[000]" "$("$PREC" script --itrace=i100i -F cpu,ip -i t.2.data 2>err | awk '{ print $1 }' | sort -u)"
! "$PREC" script --itrace=i100i -F cpu,ip -i t.1.data >got 2>err || fail "a column that was not recorded: $(head -1 got)"
grep -q "do not have CPU attribute set. Cannot print 'cpu' field" err || fail "not said: $(<err)"
