#!/bin/bash
# What a PT trace lacks is told: how often, why, and what share of the time; decoding goes on behind it.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
pt_traces t 60000 psb=300,cyc psb=256,overflow=2000 -- bash -c 'for ((i = 0; i < 500; i++)); do :; done'

shown() {
	"$PREC" script --ns --itrace=i1i -F time,ip -i "$1" 2>messages
}

# share REASON: how many ns of it the last shown() tells; nothing: none.
share() {
	sed -n "s/.*of the traced time .* is lost.*[:,] \([0-9]*\) ns $1.*/\1/p" messages
}

# ---- overflows of the hardware ----

pt_recording t 2 0xe601 0 -1 100000000
shown t.2.data >got
nr=$(grep -c . <("$PREC" script --no-itrace -D -i t.2.data | grep ' OVF$'))
[ "$nr" -gt 5 ] || fail "only $nr overflows"
grep -q "the trace has $nr gaps in [0-9]* instructions: $nr trace buffer overflow" messages || fail "overflows: $(<messages)"

# ---- damaged bytes: what lies behind them is lost, until a packet fits the code ----

pt_recording t 1 0xe603 0 -1 100000000
shown t.1.data >want
expect "a whole trace" "" "$(<messages)"
"$PREC" script --no-itrace -D -i t.1.data >dump
# A PSB+ up to whose next one the program is traced all the time, so that what is lost is lost of its time.
read -r nth at < <(awk '/ PSBEND *$/ { n++; at = substr($2, 1, 8); off = n < 10 } / TIP\.PGD / { off = 1 }
	/ PSB *$/ && n && !off { print n, at; exit }' dump)
[ -n "${nth:-}" ] || fail "no PSB+ after which tracing goes on"
at=$((16#${at%:} + 2))
cp t.maps bad.maps
# Behind it two bytes that begin no packet; then what looks like a CYC of years, too.
for bytes in '\x02\x2b' '\x02\x2b\xff\xff\xff\xff\xfe'; do
	cp t.1.pt bad.1.pt
	printf "$bytes" | dd of=bad.1.pt bs=1 seek="$at" conv=notrunc status=none
	pt_recording bad 1 0xe603 0 -1 100000000
	shown bad.1.data >got
	expect_finding trace-gaps messages '1 gap in [0-9]* instructions: 1 unknown packet'
	expect_finding trace-time-lost messages
	told=$(share "unknown packet")
	[ -n "$told" ] || fail "no share of the time: $(<messages)"
	# A report of it tells the gap, too, and has all samples that there are.
	"$PREC" report --stdio -n --itrace=i1ie -s pid -i bad.1.data >report 2>messages
	grep -q 'the trace has 1 gap ' messages || fail "report: $(<messages)"
	expect 'samples of a report' "$(grep -c . got)" "$(awk '!/^#/ && NF { n += $2 } END { print n }' report)"
	# What is shown is what was shown before, with one hole; the hole is as long as they say.
	awk 'NR == FNR { want[FNR] = $2; line[FNR] = $0; n = FNR; next } { got[FNR] = $2; m = FNR }
		END {
			for (p = 0; p < m && got[p + 1] == want[p + 1];) p++
			for (i = p + 1; i <= m && got[i] == want[n - m + i];) i++
			print (p && p < m && m < n && i > m), line[p], line[n - m + p + 1]
		}' want got >hole
	read -r one from _ to _ <hole
	expect "a single hole" 1 "$one"
	length=$(awk -v f="${from%:}" -v t="${to%:}" 'BEGIN { printf "%d", (t - f) * 1000000000 + 0.5 }')
	# The place is lost behind the last packet that told the time, and found a few instructions before the next one.
	[ "$told" -le $((length + 200)) ] && [ "$told" -ge $((length - 200)) ] || fail "lost are $length ns, not $told"
done

# The bytes before a PSB may look like its beginning.
next=$(awk -v nth="$nth" '/ PSB *$/ && ++n == nth + 1 { print substr($2, 1, 8); exit }' dump)
cp t.1.pt bad.1.pt
printf '\x02\x82' | dd of=bad.1.pt bs=1 seek=$((16#${next%:} - 2)) conv=notrunc status=none
pt_recording bad 1 0xe603 0 -1 100000000
shown bad.1.data >got
# Where the packet that they were in was longer, what is left of it may be a second one.
grep -qE 'the trace has (1 gap|2 gaps) in' messages || fail "what looks like a PSB: $(<messages)"
[ "$(wc -l <got)" -gt $(($(wc -l <want) * 9 / 10)) ] || fail "more is lost than up to the PSB"
expect_same "behind what looks like a PSB" <(tail -5000 want) <(tail -5000 got)

# ---- records that are not there ----

# Nine of them, more or less: the fourth ends well behind a PSB, so that something is lost up to the next one.
size=$(stat -c %s t.1.pt)
at=$(awk -v size="$size" '/ PSB *$/ { at = 0; for (i = 1; i <= 8; i++) at = at * 16 + index("0123456789abcdef", substr($2, i, 1)) - 1
	if (at > size * 4 / 9 - 200) { print at; exit } }' dump)
portion=$(((at + 150) / 4))

pt_recording t 1 0xe603 0 -1 $portion
shown t.1.data >want
PT_MISSING="2 5" pt_recording t 1 0xe603 0 -1 $portion
shown t.1.data >got
expect_finding trace-buffer-full messages 'interrupted 2 times'
[ -n "$(share "buffer full")" ] || fail "no share of the time for lost records: $(<messages)"
sort want >want.sorted
sort got | comm -13 want.sorted - >wrong
expect_same "instructions that did not run" /dev/null wrong
[ "$(wc -l <got)" -gt $(($(wc -l <want) / 2)) ] || fail "more than half is lost"

# ---- a record that says that the buffer was full: tracing stopped and began again, though offsets go on ----

pt_recording t 1 0xe603 0 -1 $portion
awk '/^aux / && ++n == 4 { $0 = $0 " flags=1" } { print }' made.txt >full.txt
"$(helper mkdata/mkdata)" full.txt full.data
shown full.data >got
grep -q 'the trace was interrupted 1 time ' messages || fail "a full buffer: $(<messages)"
[ -n "$(share "buffer full")" ] || fail "no share of the time for a full buffer: $(<messages)"
[ "$(wc -l <got)" -lt "$(wc -l <want)" ] || fail "what ran behind the end of a buffer is not known, but shown"
[ "$(wc -l <got)" -gt $(($(wc -l <want) * 3 / 4)) ] || fail "more is lost than up to the next PSB"
sort got | comm -13 want.sorted - >wrong
expect_same "instructions that did not run" /dev/null wrong

# ---- trace that is not there, and trace that has no beginning ----

tr '\202' '\203' <t.1.pt >nopsb.1.pt
cp t.maps nopsb.maps
pt_recording nopsb 1 0xe603 0 -1 100000000
shown nopsb.1.data >got
expect 'without a PSB' 0 "$(grep -c . got || true)"
expect_finding trace-without-start messages "$(stat -c %s nopsb.1.pt) bytes of trace"
PT_RECORDS="aux off=100000000 size=4096 flags=0 t=5000 cpu=0 id=1" pt_recording t 1 0xe603 0 -1 100000000
shown t.1.data >got
expect_finding trace-absent messages '4096 bytes'
PT_RECORDS="aux off=0xffffffffffffff00 size=4096 flags=0 t=5000 cpu=0 id=1" pt_recording t 1 0xe603 0 -1 100000000
shown t.1.data >got || [ $? = 2 ]
expect_finding damaged-trace messages '1 damaged record of the trace'

# ---- code that is not there ----

cp t.maps maps
cp t.1.pt nocode.1.pt
sed 's, [^ ]*t.img$, /nowhere/t.img,' maps >nocode.maps
pt_recording nocode 1 0xe603 0 -1 100000000
shown nocode.1.data >got
expect_finding no-code messages "'t.img': it is not here"
sed 's, [^ ]*t.img$, //anon,' maps >nocode.maps
pt_recording nocode 1 0xe603 0 -1 100000000
shown nocode.1.data >got
expect_finding no-run-time-code messages "'.JIT. tid 100'"

# ---- a packet that nobody asked for was another one: a TraceStop, where no filter stops tracing ----

{
	head -c "$at" t.1.pt
	printf '\x02\x83'
	tail -c +$((at + 1)) t.1.pt
} >bad.1.pt
pt_recording bad 1 0xe603 0 -1 100000000
shown bad.1.data >got
expect_finding trace-gaps messages 'packet out of place'
expect_same "the instructions with a TraceStop" <(cut -d: -f2 want) <(cut -d: -f2 got)
PT_FILTER='stop 0x1000/0x100'
pt_recording bad 1 0xe603 0 -1 100000000
PT_FILTER=
shown bad.1.data >got
expect "a TraceStop where a filter may stop tracing" "" "$(<messages)"
