#!/bin/bash
# Requests have the lengths, and their phases, that the server logs, of the usual ones and of those that take a slow path.
. "$(dirname "$0")/lib/prec.sh"
MKDATA=$(helper mkdata/mkdata)

# Made up: a hundred requests of thread 7, 10 us apart, the last of which is slow. Each runs 20 us in f (0x100), is off the CPU
# for 30 us, runs 10 us more and is preempted for 5; the slow one is off for 500 us.
{
	cat <<'EOS'
attr begin type=software config=2 sample=IP,TID,TIME,CPU,IDENTIFIER period=1 sample_id_all ids=1
attr x:end type=software config=4 sample=IP,TID,TIME,CPU,IDENTIFIER period=1 sample_id_all ids=2
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,IDENTIFIER period=1000 sample_id_all context_switch ids=3
comm 7/7 "seven" t=1
EOS
	awk 'function at(us) { return t + us * 1000 }
	BEGIN {
		for (t = 1000000; ++i <= 100; t = at(10)) {
			off = i == 100 ? 500 : 30
			print "sample 7/7 t=" t " ip=0x100 mode=user cpu=0 event=begin"
			print "sample 7/7 t=" at(15) " ip=0x100 mode=user cpu=0 event=cpu-clock"
			print "switch out 7/7 cpu=0 t=" at(20)
			print "switch in 7/7 cpu=0 t=" at(20 + off)
			print "switch preempt 7/7 cpu=0 t=" at(30 + off)
			print "switch in 7/7 cpu=0 t=" at(35 + off)
			print "sample 7/7 t=" at(35 + off) " ip=0x200 mode=user cpu=0 event=x:end"
			t = at(35 + off)
		}
		print "sample 7/7 t=" t " ip=0x100 mode=user cpu=0 event=begin"
	}'
} >text
"$MKDATA" text data
"$PREC" report -i data -q -t ' ' --slices=begin,end >out 2>err
expect 'lengths' '100 6970000 65000 65000 65000 535000' "$(awk '/^[^#]/ { print $1, $2, $3, $4, $5, $6; exit }' out)"
expect 'phases' '65000 535000 470000 all
30000 500000 470000 off: [unknown]
30000 30000 0 running
5000 5000 0 ready, without a CPU' "$(grep -A4 'What$' out | tail -4)"
grep -q "without the other, and left out: 1$" out || { cat out; fail 'who stands alone'; }
"$PREC" report -i data --slices=begin,end --split=p90 >out 2>err
grep -q 'of the slowest 10.0 %: 10 of 65.0 us and more' out || { cat out; fail '--split'; }
grep -qE '^ +65.0 us +112 us +47.0 us all' out || { cat out; fail 'the slowest tenth'; }
expect_status 129 "$PREC" report -i data --slices=begin,end --split=99 >out 2>err
expect_status 129 "$PREC" report -i data --slices=begin,end --pair=begin,end >out 2>err
expect_status 1 "$PREC" report -i data --slices=begin,middle >out 2>err
grep -q "there is no event 'middle'" err || { cat err; fail 'an event that is not there'; }

# A server with probes at both ends of a request.
[ "$(id -u)" = 0 ] && [ -e /sys/bus/event_source/devices/uprobe/type ] || skip "no uprobes, or not root: of a server"
cp "$(workload server)" server
"$PREC" record --off-cpu -k mono -g -m 8M -e cpu-clock -e "u:$PWD/server:request_begin" -e "u:$PWD/server:request_end" -o data \
	./server 1000 >log 2>err
"$PREC" report -i data -q -t ' ' --slices=request_begin,request_end >out 2>err

# Percentiles of the log, its sums in the middle and of the slowest: ready and running are in both clocks.
awk 'function percentile(p) { return length_of[int((nr * p + 99) / 100)] }
	function near(what, got, want, more) {
		d = got - want
		if (got == "" || (d < 0 ? -d : d) > want * 0.02 + 20000 + more)
			print what ": " got ", the log says " want
	}
	FNR == NR { nr = FNR; length_of[nr] = $1; cpu[nr] = $2; slept[nr] = $3; asked[nr] = $4; next }
	/^[0-9]/ && !seen++ {
		near("count", $1, nr, 0); near("p50", $3, percentile(50), 0); near("p90", $4, percentile(90), 0)
		near("p99", $5, percentile(99), 0); near("max", $6, length_of[nr], 0)
		next
	}
	/^-?[0-9]+ -?[0-9]+ -?[0-9]+ / && !($4 in middle) && NF <= 7 { what = $4; if ($5 != "") what = what $5; middle[what] = $1; slowest[what] = $2 }
	END {
		for (i = int(nr * 0.4) + 1; i <= int(nr * 0.6); i++) {
			n++; c += cpu[i]; l += length_of[i]
		}
		near("the middle", middle["all"], l / n, 0)
		# Some of a call that sleeps runs: how much, the CPU clock says.
		near("off the CPU in the middle", middle["off:sleep"] + middle["off:pipe"] + middle["ready,without"], (l - c) / n, 40000)
		near("running in the middle", middle["running"], c / n, 40000)
		n = c = s = a = l = 0
		for (i = int(nr * 0.99) + 1; i <= nr; i++) {
			n++; c += cpu[i]; s += slept[i]; a += asked[i]; l += length_of[i]
		}
		near("the slowest", slowest["all"], l / n, 0)
		near("running in the slowest", slowest["running"], c / n, 200000)
		if (slowest["off:sleep"] > s / n * 1.02 + 40000 || slowest["off:sleep"] + slowest["ready,without"] < s / n * 0.98 - 200000)
			print "the slowest slept " slowest["off:sleep"] " ns, the log says " s / n
		if (slowest["off:pipe"] > a / n * 1.02 + 40000 || slowest["off:pipe"] + slowest["ready,without"] < a / n * 0.98 - 200000)
			print "the slowest waited for the helper " slowest["off:pipe"] " ns, the log says " a / n
	}' <(awk '{ print $2 - $1, $3, $4, $5 }' log | sort -n) <(sed '/and where$/,$d' out) >wrong
[ ! -s wrong ] || { cat wrong; head -40 out; cat err; fail 'the server'; }
# Where they are slow: the first of the stacks.
grep -A1 'and where$' out | tail -1 | grep -q 'off: sleep.*slow_path' || { cat out; fail 'the slow path is not the first stack'; }
