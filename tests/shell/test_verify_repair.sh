#!/bin/bash
# What verify --repair writes has all samples that prec reads in a damaged file, is good itself, and both perfs read it.
# Runs: slow
. "$(dirname "$0")/lib/prec.sh"
mkdata=$(helper mkdata/mkdata)

samples() { any_status "$PREC" script -i "$1" -F tid,time,event,ip 2>/dev/null || true; }

# repaired FILE: whether there was anything to repair.
repaired() {
	samples "$1" >want
	[ -s want ] || return 1
	rm -f clean
	expect_status 0 "$PREC" verify --repair -o clean "$1" >out 2>err
	samples clean >got
	expect_same "$1: samples" want got
	any_status "$PREC" verify --json clean >json 2>err
	! grep -q '"verdict":"\(damaged\|unreadable\)"' json || fail "$1: the repaired file is damaged: $(cat json)"
}

# read_by_perfs WHAT: as many samples as prec sees.
read_by_perfs() {
	local perf
	for perf in "${PERFS[@]}"; do
		expect "$1: samples by $perf" "$("$PREC" script -i clean -G -F event 2>/dev/null | wc -l)" "$("$perf" script -i clean -G -F event 2>/dev/null </dev/null | wc -l)"
	done
}
mapfile -t PERFS < <(perfs)

# The suite's files: damaged, killed, old, of the other byte order, streams.
for txt in "$SRC"/tests/data/*.txt; do
	name=${txt##*/}
	"$mkdata" "$txt" file 2>/dev/null || fail "mkdata $name"
	repaired file || continue
	read_by_perfs "$name"
done

# The event of waits, which readers make of switches, is not written.
if "$PREC" record -q --off-cpu -e cpu-clock:u -o waits sh -c 'sleep 0.01; true' 2>rec.err; then
	repaired waits || fail "a recording with waits"
	read_by_perfs "a recording with waits"
else
	part_skipped "waits cannot be recorded: $(tail -1 rec.err)"
fi

# Cut and damaged anywhere; perf looks at some of them.
{
	echo 'attr ev type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1'
	echo 'attr other type=software config=1 sample=IP,TID,TIME,PERIOD,IDENTIFIER sample_id_all=1 ids=2'
	echo 'feature arch=x86_64'
	echo 'comm 7/7 "demo" id=1 t=1'
	echo 'mmap2 7/7 0x400000+0x1000@0 r-xp "/bin/demo" id=1 t=1'
	for t in $(seq 2 12); do
		echo "sample 7/7 id=1 t=$t ip=0x400100 mode=user period=1 chain=user,0x400100,0x400200"
		echo "sample 7/7 id=2 t=$t ip=0x400104 mode=user period=1"
	done
	echo round
} >in.txt
"$mkdata" in.txt fine
repaired fine || fail "a good file"
read_by_perfs "a good file"
size=$(stat -c %s fine)
for ((at = size - 5; at > 0; at -= 43)); do
	head -c $at fine >cut
	repaired cut || continue
	[ $((at % 5)) != 0 ] || read_by_perfs "cut at $at"
done
for ((at = 100; at < size; at += 37)); do
	cp fine turned
	printf '\xff' | dd of=turned bs=1 seek=$at conv=notrunc status=none
	repaired turned || continue
	[ $((at % 3)) != 0 ] || read_by_perfs "byte $at turned"
done
for line in 'unfinished' 'stream'; do
	{ cat in.txt; echo "$line"; } >other.txt
	"$mkdata" other.txt other
	repaired other || fail "$line: nothing to repair"
	read_by_perfs "$line"
done

# Damaged ids: of two in a sample the first says whose it is, and the other becomes the same. perf 6.1 drops samples of nobody's id.
two_ids() {	# LINE...: the recording with these lines in it
	echo 'attr ev type=software config=0 sample=IP,TID,TIME,ADDR,ID,CPU,PERIOD,IDENTIFIER sample_id_all=1 ids=11,12'
	echo 'attr other type=software config=1 sample=IP,TID,TIME,ADDR,ID,CPU,IDENTIFIER sample_id_all=1 ids=21'
	echo 'comm 7/7 "demo" t=1'
	printf '%s\n' "$@"
	echo 'sample 7/7 t=3 id=12 ip=0x400100 mode=user addr=0x5151515151515151 period=9'
	echo 'sample 7/7 t=4 event=other id=21 ip=0x400100 mode=user'
}
# with_id FILE BYTE N: another Nth byte after the address, behind which the second id stands.
with_id() {
	cp "$1" turned
	printf '%b' "$2" | dd of=turned bs=1 seek=$(($(grep -obUa QQQQQQQQ "$1" | cut -d: -f1) + $3)) conv=notrunc status=none
}
map='mmap2 7/7 0x400000+0x1000@0 r-xp "/bin/demo" t=2'
for order in little big; do
	lowest=$([ $order = big ] && echo 15 || echo 8)
	{ two_ids "$map"; ! [ $order = big ] || echo 'byteorder big'; } >in2.txt
	"$mkdata" in2.txt fine2
	repaired fine2 || fail "$order: nothing to repair"
	cp clean want2
	for byte in '\x63' '\x15'; do		# nobody's, the other event's
		with_id fine2 "$byte" "$lowest"
		! cmp -s turned fine2 || fail "no byte was turned"
		repaired turned || fail "id turned to $byte, $order: nothing to repair"
		cmp want2 clean || fail "id turned to $byte, $order: not as without"
		read_by_perfs "id turned to $byte, $order"
	done
	# A map is of all events, whosever its id is.
	{ two_ids "$map id=99"; ! [ $order = big ] || echo 'byteorder big'; } >in3.txt
	"$mkdata" in3.txt turned
	repaired turned || fail "a map of nobody, $order: nothing to repair"
	cmp want2 clean || fail "a map of nobody, $order: not as without"
	read_by_perfs "a map of nobody, $order"
done
# Who lost them cannot be known, nor whose a sample is with no id that an event has.
{ two_ids "$map"; echo 'lost_samples n=5 t=6 id=99'; echo 'sample 7/7 t=5 id=99 ip=0x400100 mode=user'; } >in4.txt
"$mkdata" in4.txt turned
any_status "$PREC" report -i turned >out 2>err
expect_finding no-event err
repaired turned || fail "a sample of nobody: nothing to repair"
expect_status 0 "$PREC" verify --repair -o clean turned >out 2>err
grep -q '; left out: 2$' err || fail "a sample and losses of nobody: $(cat err)"
# The only event's records are its own.
only='attr ev type=software sample=IP,TID,TIME,ID sample_id_all=1 ids=11,12'
printf '%s\n' "$only" 'comm 7/7 "demo" t=1 id=12' 'sample 7/7 t=2 ip=0x400100' >in5.txt
"$mkdata" in5.txt fine5
repaired fine5 || fail "one event: nothing to repair"
cp clean want5
sed 's/^sample.*/& id=99/' in5.txt >in6.txt
"$mkdata" in6.txt turned
repaired turned || fail "one event, a sample of nobody: nothing to repair"
cmp want5 clean || fail "one event, a sample of nobody: not as without"

# What the recorder makes: compressed, as a directory, killed.
if "$(workload opens)" 2>/dev/null; then
	for how in -z --threads; do
		"$PREC" record -q -e cpu-clock:u -F 5000 $how -o rec "$(workload demo)" >/dev/null 2>&1
		repaired rec || fail "$how: nothing recorded"
		read_by_perfs "record $how"
		rm -rf rec
	done
else
	part_skipped "recordings: events cannot be opened"
fi

# Never over the file itself, and only with a file to write.
expect_status 1 "$PREC" verify --repair -o fine fine >out 2>err
grep -q 'recording itself' err || fail "$(cat err)"
expect_same "the file stays" fine <("$mkdata" in.txt again && cat again)
expect_status 129 "$PREC" verify --repair fine 2>err
expect_status 129 "$PREC" verify -o clean fine 2>err
expect_status 1 "$PREC" verify --repair -o clean no-such 2>err >out
