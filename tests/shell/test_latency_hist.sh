#!/bin/bash
# Percentiles and histograms are those of the lengths that were made up: of waits, of their delays, and of pairs of events.
. "$(dirname "$0")/lib/prec.sh"
MKDATA=$(helper mkdata/mkdata)

# Thread 7 waits 1, 2 ... 100 us, thread 8 always 3 ms; between two waits they run 10 us.
{
	cat <<'EOS'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,IDENTIFIER period=1 sample_id_all context_switch ids=1
comm 7/7 "seven" t=1
comm 8/8 "eight" t=1
EOS
	awk 'BEGIN {
		for (t = 1000000; ++i <= 100; t += 10000) {
			print "switch out 7/7 cpu=0 t=" t
			t += i * 1000
			print "switch in 7/7 cpu=0 t=" t
		}
		for (t = 1000000; ++k <= 50; t += 10000) {
			print "switch preempt 8/8 cpu=1 t=" t
			t += 3000000
			print "switch in 8/8 cpu=1 t=" t
		}
	}'
	echo 'sample 7/7 t=200000000 ip=0x100 mode=user cpu=0'
} >text
"$MKDATA" text data

rows() { "$PREC" report -i data -t, -q "$@" 2>err | sed '/^# Stacks/,$d' | grep -v '^#' | grep .; }
expect 'all waits' '150,155050000,75000,3000000,3000000,3000000,
50,150000000,3000000,3000000,3000000,3000000,' "$(rows --latency-hist)"
expect 'by name' '50,150000000,3000000,3000000,3000000,3000000,eight
100,5050000,50000,90000,99000,100000,seven
50,150000000,3000000,3000000,3000000,3000000,eight' "$(rows --latency-hist=comm)"
expect 'by state, of one thread' '100,5050000,50000,90000,99000,100000,blocked' "$(rows --latency-hist=state --tid 7)"
"$PREC" report -i data --tid 7 --latency-hist >out 2>err
# 1 us; 2, 3 and 4 us; 5 to 9 us ...
expect 'the histogram' '1 3 5 10 30 50 1' "$(awk '/From/ { on = 1; next } on && NF >= 5 { print $5 } on && !NF { exit }' out | xargs)"
# Stacks: of 200 waits the longest two are in one place, and the others in another.
{
	cat <<'EOS'
attr context-switches type=software config=3 sample=IP,TID,TIME,CPU,IDENTIFIER,CALLCHAIN period=1 sample_id_all context_switch ids=1
comm 7/7 "seven" t=1
mmap2 7/7 0x400000+0x2000@0 r-xp "/none/demo" dev=8:1 ino=7 t=2
mmap2 7/7 0x402000+0x2000@0 r-xp "/none/other" dev=8:1 ino=8 t=3
EOS
	awk 'BEGIN {
		for (t = 1000000; ++i <= 200; t += 10000) {
			print "sample 7/7 ip=0x401000 mode=user cpu=0 chain=user," (i % 100 ? "0x401000" : "0x403000") " t=" t
			t += i % 100 ? 1000 : 3000 + i
			print "switch in 7/7 cpu=0 t=" t
		}
		print "sample 7/7 ip=0x401000 mode=user cpu=0 chain=user,0x401000 t=" t
	}'
} >text
"$MKDATA" text stacks.data
"$PREC" report -i stacks.data -t, --latency-hist 2>err | sed -n '/^# Stacks/,$p' >out
grep -q '^# Stacks of all waits, and of the slowest 1 %: 2 of ' out || { cat out; fail 'the title of stacks'; }
expect 'stacks' '6300,6300,[unknown]
198000,0,[unknown]' "$(sed -nE 's/^([0-9]+,[0-9]+,[^,]*),.*/\1/p' out)"
"$PREC" report -i stacks.data --latency-hist 2>err | sed -n '/^# Stacks/,$p' >out
expect 'shares' '3.08% 100.00% 96.92% 0.00%' "$(grep -oE '[0-9.]+%' out | xargs)"

expect_status 129 "$PREC" report -i data --latency-hist -s comm >out 2>err
expect_status 1 "$PREC" report -i data --latency-hist=symbol >out 2>err
grep -q "'symbol' is no key of waits" err || { cat err; fail 'a key that cannot be'; }

# Pairs: in thread 7 the end comes 10, 20 ... 100 ns after the beginning, in thread 8 between these, 1000 ns after its own.
{
	cat <<'EOS'
attr begin type=software config=0 sample=IP,TID,TIME,CPU,IDENTIFIER period=1 sample_id_all ids=1
attr end type=software config=1 sample=IP,TID,TIME,CPU,IDENTIFIER period=1 sample_id_all ids=2
comm 7/7 "seven" t=1
EOS
	awk 'BEGIN {
		for (t = 1000000; ++i <= 10; t += 10000) {
			print "sample 7/7 t=" t " ip=0x100 mode=user cpu=0 event=begin"
			print "sample 8/8 t=" t + 5 " ip=0x100 mode=user cpu=1 event=begin"
			print "sample 7/7 t=" t + 10 * i " ip=0x100 mode=user cpu=0 event=end"
			print "sample 8/8 t=" t + 1005 " ip=0x100 mode=user cpu=1 event=end"
		}
		print "sample 7/7 t=" t " ip=0x100 mode=user cpu=0 event=end"
	}'
} >text
"$MKDATA" text data
expect 'pairs by thread' '20,10550,100,1000,1000,1000,' "$(rows --pair begin,end)"
expect 'pairs of one' '10,550,50,90,100,100,' "$(rows --pair begin,end,cpu --tid 7)"
"$PREC" report -i data --pair begin,end >out 2>err
grep -q "^# Time from 'begin' to 'end'; without the other, and left out: 1" out || { cat out; fail 'who stands alone'; }
expect_status 1 "$PREC" report -i data --pair begin,never >out 2>err
grep -q "there is no event 'never': the recording has begin, end" err || { cat err; fail 'an event that is not there'; }
expect_status 1 "$PREC" report -i data --pair begin >out 2>err
expect_status 1 "$PREC" report -i data --pair begin,end,field >out 2>err
grep -q "has no field 'field'" err || { cat err; fail 'a field that is not there'; }
